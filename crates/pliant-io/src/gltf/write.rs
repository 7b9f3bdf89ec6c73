//! glTF out.
use crate::Result;
use crate::scene::{Scene, SceneError};
use std::path::Path;
/// x
pub fn glb_bytes(_scene: &Scene) -> std::result::Result<Vec<u8>, SceneError> {
    Ok(Vec::new())
}
/// x
pub fn write_glb(_scene: &Scene, _path: impl AsRef<Path>) -> Result<()> {
    Ok(())
}
