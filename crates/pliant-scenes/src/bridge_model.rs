//! The bridge as a reduced body.

use pliant::Mesh;
use pliant::deform::Modes;
use pliant_sim::{Keep, Result, principal_components};

use crate::{BRIDGE_FRAMES, bridge};

/// Modes of the bridge, as in table 1 of James and Pai 2004.
const MODES: usize = 10;

/// A bridge that sways by few modes: at frame f, vertex v is at
/// `modes.displaced(mesh.positions()[v], v, &coordinates[f])`, or nearly.
#[derive(Debug, Clone)]
pub struct BridgeModel {
    /// The mean of all frames, which is close to the bridge in still air.
    pub mesh: Mesh,
    /// The principal components of the animation.
    pub modes: Modes,
    /// [`BRIDGE_FRAMES`] states, one coordinate a mode.
    pub coordinates: Vec<Vec<f64>>,
    /// No vertex of [`Bridge::positions`](crate::Bridge::positions), of any frame, is farther
    /// from where the modes put it.
    pub largest_error: f64,
}

/// The swaying bridge of [`bridge()`], reduced to ten principal components, as many as the
/// bridge of James and Pai 2004 has. The motion has some more, which are the model's error.
///
/// # Errors
/// None in practice; the type is that of [`principal_components`].
///
/// ```
/// let model = pliant_scenes::bridge_model()?;
/// assert_eq!((model.mesh.positions().len(), model.modes.count()), (135_304, 10));
/// assert!(model.largest_error < 0.002); // metres; the bridge is 240 long and sways by two
/// # Ok::<(), pliant_sim::Error>(())
/// ```
pub fn bridge_model() -> Result<BridgeModel> {
    let bridge = bridge()?;
    let frames = (0..BRIDGE_FRAMES).map(|frame| bridge.positions(frame));
    let frames = frames.collect::<pliant::Result<Vec<_>>>()?;
    let found = principal_components(&frames, None, Keep::Rank(MODES))?;
    let mesh = Mesh::new(found.rest, bridge.mesh.triangles().to_vec())?;
    let (modes, coordinates) = (found.modes, found.coordinates);
    Ok(BridgeModel { mesh, modes, coordinates, largest_error: found.largest_error })
}
