//! Reduced models and what they do.

use std::sync::Arc;

use anyhow::Result;
use glam::DVec3;
use pliant::Mesh;
use pliant::deform::Modes;
use pliant_scenes::{bridge_model, curtain, fish, modal_chair};

/// A reduced model and its coordinates over time.
pub(crate) struct Model {
    pub(crate) name: &'static str,
    pub(crate) mesh: Mesh,
    pub(crate) modes: Arc<Modes>,
    /// The coordinates of each frame.
    pub(crate) frames: Vec<Vec<f64>>,
    /// The frame of the paper's figure 6: one in which much is bent.
    pub(crate) bent: usize,
}

impl Model {
    pub(crate) fn curtain() -> Result<Self> {
        let cloth = curtain(0)?;
        let modes = Arc::new(Modes::from_fields(cloth.mesh.positions().len(), &cloth.modes)?);
        let frames = cloth.coordinates.iter().map(|q| q.to_vec()).collect();
        Ok(Self { name: "curtain", mesh: cloth.mesh, modes, frames, bent: 50 })
    }

    pub(crate) fn chair() -> Result<Self> {
        let chair = modal_chair()?;
        let (modes, frames) = (Arc::new(chair.modes), chair.coordinates);
        Ok(Self { name: "chair", mesh: chair.mesh, modes, frames, bent: 20 })
    }

    pub(crate) fn fish() -> Result<Self> {
        let fish = fish()?;
        let modes = Arc::new(Modes::from_fields(fish.mesh.positions().len(), &fish.modes)?);
        let frames = fish.coordinates.iter().map(|q| q.to_vec()).collect();
        Ok(Self { name: "fish", mesh: fish.mesh, modes, frames, bent: 30 })
    }

    pub(crate) fn bridge() -> Result<Self> {
        let bridge = bridge_model()?;
        let (modes, frames) = (Arc::new(bridge.modes), bridge.coordinates);
        Ok(Self { name: "bridge", mesh: bridge.mesh, modes, frames, bent: 20 })
    }

    /// The positions of all vertices for some coordinates.
    pub(crate) fn positions(&self, q: &[f64]) -> Vec<DVec3> {
        let rest = self.mesh.positions().iter().enumerate();
        rest.map(|(vertex, &rest)| self.modes.displaced(rest, vertex, q)).collect()
    }
}
