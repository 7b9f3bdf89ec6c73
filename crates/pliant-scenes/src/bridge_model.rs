//! The bridge as a reduced body.

use pliant::Mesh;
use pliant::deform::Modes;
use pliant_sim::{Keep, Result, principal_components};

use crate::{BRIDGE_FRAMES, bridge};

/// Modes of the bridge, as in table 1 of James and Pai 2004.
const MODES: usize = 10;

/// A bridge that sways by few modes: at frame f, vertex v is approximately at
/// `modes.displaced(mesh.positions()[v], v, &coordinates[f])`.
#[derive(Debug, Clone)]
pub struct BridgeModel {
    /// The mean of all frames, which is close to the bridge at rest.
    pub mesh: Mesh,
    /// The principal components of the animation.
    pub modes: Modes,
    /// [`BRIDGE_FRAMES`] states with one coordinate per mode.
    pub coordinates: Vec<Vec<f64>>,
    /// No vertex of [`Bridge::positions`](crate::Bridge::positions) is farther from its position by
    /// the modes than this, in any frame.
    pub largest_error: f64,
}

/// Returns the swaying bridge of [`bridge()`], reduced to ten principal components, the number of
/// modes of the bridge of James and Pai 2004. The remaining components of the motion are the
/// model's error.
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
