//! How far vertices stray from straight lines between two times.

use super::{Scene, SceneError};

impl Scene {
    /// The times strictly between two at which a vertex may turn from its line: keyframes of
    /// vertices and, with `keys`, the keys of nodes and weights. Some may be named twice.
    #[must_use]
    pub fn knots(&self, animation: Option<usize>, span: [f64; 2], keys: bool) -> Vec<f64> {
        let _ = (animation, span, keys);
        Vec::new()
    }

    /// How far.
    ///
    /// # Errors
    /// Those of [`Scene::pose`].
    pub fn strays(&self, animation: Option<usize>, span: [f64; 2]) -> Result<Vec<f64>, SceneError> {
        let _ = (animation, span);
        Ok(Vec::new())
    }
}
