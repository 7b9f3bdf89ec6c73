//! What bodies of one kind share: mesh, mass, modes, spheres.

use std::sync::Arc;

use pliant::Mesh;
use pliant::deform::Modes;
use pliant::glam::{DMat3, DVec3, Vec4};
use pliant::tree::BuildSettings;
use pliant::volume::Sphere;

use super::proxy_tree::{moved_row, row_factor};
use super::strain::StrainLimit;
use super::vibration::{Damping, Vibration, vibrations};
use super::{MassProperties, Measured, ProxyTree, mass_properties};
use crate::error::refuse;
use crate::{Result, VibrationModes};

/// How a mesh becomes a model.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelSettings {
    /// The level of the tree whose spheres touch; leaves above it count too.
    pub level: u32,
    /// Kilograms per cubic metre.
    pub density: f64,
    /// The thickness of an open surface in metres.
    pub wall: f64,
    /// How the tree is built. Splitting at the middle gives spheres of like size per level.
    pub build: BuildSettings,
}

impl Default for ModelSettings {
    fn default() -> Self {
        Self { level: 7, density: 1000.0, wall: 0.01, build: BuildSettings::CLASSIC }
    }
}

/// The elastic part of a model.
#[derive(Debug, Clone, PartialEq)]
pub struct Elasticity {
    /// How vibrations lose energy.
    pub damping: Damping,
    /// The largest growth of a sphere over its radius; infinite for none.
    pub strain_limit: f64,
}

/// What bodies of one kind share. A body adds its state and nothing else.
#[derive(Debug, Clone)]
pub struct Model {
    pub(super) mesh: Arc<Mesh>,
    pub(super) modes: Arc<Modes>,
    pub(super) mass: MassProperties,
    pub(super) inverse_inertia: DMat3,
    pub(super) vibrations: Vec<Vibration>,
    pub(super) strain: Option<StrainLimit>,
    pub(super) proxies: ProxyTree,
    level: u32,
    /// Whether it is a point of a shape-matching body.
    pub(super) is_point: bool,
}

impl Model {
    /// A model that does not deform.
    ///
    /// # Errors
    /// Those of [`mass_properties`] and of the library.
    pub fn rigid(mesh: Mesh, settings: &ModelSettings) -> Result<Self> {
        let modes = Modes::from_fields(mesh.positions().len(), &[])?;
        Self::new(mesh, modes, vec![], None, settings)
    }

    /// A model that vibrates: mass-normalised modes with their frequencies in hertz, as
    /// [`vibration_modes`](crate::vibration_modes) returns them.
    ///
    /// # Errors
    /// Those of [`Model::rigid`]; [`InvalidSetting`](crate::Error::InvalidSetting) for a frequency, damping or strain
    /// outside its range or a number of frequencies other than that of the modes.
    pub fn modal(
        mesh: Mesh,
        modes: Modes,
        frequencies: &[f64],
        elasticity: &Elasticity,
        settings: &ModelSettings,
    ) -> Result<Self> {
        if frequencies.len() != modes.count() {
            return refuse("number of frequencies", frequencies.len() as f64, "one per mode");
        }
        let strain = elasticity.strain_limit;
        if strain.is_nan() || strain <= 0.0 {
            return refuse("strain limit", strain, "positive numbers");
        }
        let vibrations = vibrations(frequencies, &elasticity.damping)?;
        Self::new(mesh, modes, vibrations, Some(strain), settings)
    }

    /// [`Model::modal`] of computed modes.
    ///
    /// # Errors
    /// Those of [`Model::modal`].
    pub fn vibrating(
        mesh: Mesh,
        found: VibrationModes,
        elasticity: &Elasticity,
        settings: &ModelSettings,
    ) -> Result<Self> {
        Self::modal(mesh, found.modes, &found.frequencies, elasticity, settings)
    }

    /// A point of a shape-matching body: a ball that does not turn.
    ///
    /// # Errors
    /// None for a radius and a mass that are positive and finite.
    pub(crate) fn point(radius: f64, mass: f64) -> Result<Self> {
        let axes = [DVec3::X, DVec3::Y, DVec3::Z, -DVec3::X, -DVec3::Y, -DVec3::Z];
        let sides = (0..8).map(|side: u32| [0, 1, 2].map(|axis| axis + 3 * (side >> axis & 1)));
        let mesh = Mesh::new(axes.map(|axis| axis * radius).to_vec(), sides.collect())?;
        let modes = Arc::new(Modes::from_fields(axes.len(), &[])?);
        let (center, inertia, measured) = (DVec3::ZERO, DMat3::ZERO, Measured::Volume);
        Ok(Self {
            mesh: Arc::new(mesh),
            modes,
            mass: MassProperties { mass, center, inertia, measured },
            inverse_inertia: DMat3::ZERO,
            vibrations: vec![],
            strain: None,
            proxies: ProxyTree::ball(radius),
            level: 0,
            is_point: true,
        })
    }

    fn new(
        mesh: Mesh,
        modes: Modes,
        vibrations: Vec<Vibration>,
        strain: Option<f64>,
        settings: &ModelSettings,
    ) -> Result<Self> {
        let mass = mass_properties(&mesh, settings.density, settings.wall)?;
        let weights: Vec<f64> = vibrations.iter().map(|mode| mode.omega).collect();
        let modes = Arc::new(modes);
        let proxies =
            ProxyTree::new(&mesh, &modes, &weights, mass.center, settings.level, &settings.build)?;
        let strain = strain
            .filter(|strain| strain.is_finite())
            .map(|strain| StrainLimit::new(strain, &proxies.strains, vibrations.len()));
        let inverse_inertia = mass.inertia.inverse();
        let level = settings.level;
        let mesh = Arc::new(mesh);
        let is_point = false;
        Ok(Self {
            mesh,
            modes,
            mass,
            inverse_inertia,
            vibrations,
            strain,
            proxies,
            level,
            is_point,
        })
    }

    /// The same model with all coordinates held at zero: the same spheres at rest, and no modes.
    ///
    /// # Errors
    /// None in practice.
    pub fn held_rigid(&self) -> Result<Self> {
        let modes = Arc::new(Modes::from_fields(self.mesh.positions().len(), &[])?);
        let mut proxies = self.proxies.clone();
        proxies.rows = proxies.rows.into_iter().step_by(proxies.stride).collect();
        (proxies.stride, proxies.strains, proxies.mode_reaches) = (1, vec![], vec![]);
        proxies.box_rows.truncate(1);
        proxies.nodes.iter_mut().for_each(|node| node.growth = 0.0);
        Ok(Self { modes, vibrations: vec![], strain: None, proxies, ..self.clone() })
    }

    /// The mesh at rest.
    #[must_use]
    pub fn mesh(&self) -> &Arc<Mesh> {
        &self.mesh
    }

    /// The modes; none if the model is rigid.
    #[must_use]
    pub fn modes(&self) -> &Arc<Modes> {
        &self.modes
    }

    /// Mass, centre and inertia.
    #[must_use]
    pub fn mass(&self) -> &MassProperties {
        &self.mass
    }

    /// The spheres.
    #[must_use]
    pub fn proxies(&self) -> &ProxyTree {
        &self.proxies
    }

    /// The level of the proxies.
    #[must_use]
    pub fn level(&self) -> u32 {
        self.level
    }

    /// The strain limit, if there is one.
    #[must_use]
    pub fn strain_limit(&self) -> Option<f64> {
        self.strain.as_ref().map(|limit| limit.strain)
    }

    /// The sphere with which a proxy presses for coordinates q, measured from the centre of mass in the
    /// mesh's axes: its radius at rest around its moved middle. `None` if the node is no proxy. Coordinates
    /// that are missing count as zero.
    #[must_use]
    pub fn pressing_proxy(&self, node: u32, q: &[f64]) -> Option<Sphere> {
        let proxy = self.proxies.nodes.get(node as usize).filter(|node| node.is_proxy())?;
        let factors: Vec<Vec4> = q.iter().map(|&q| row_factor(q)).collect();
        let center = moved_row(self.proxies.rows_of(node), &factors).truncate();
        Some(Sphere { center, radius: proxy.radius })
    }

    /// The spheres of all proxies for coordinates q, in the order of their nodes, measured from the
    /// centre of mass in the mesh's axes. They contain the mesh's vertices. Coordinates that are
    /// missing count as zero.
    #[must_use]
    pub fn deformed_proxies(&self, q: &[f64]) -> Vec<Sphere> {
        let factors: Vec<Vec4> = q.iter().map(|&q| row_factor(q)).collect();
        let proxies = (0..).zip(&self.proxies.nodes).filter(|(_, node)| node.is_proxy());
        let sphere = |(node, _)| {
            let center = moved_row(self.proxies.rows_of(node), &factors).truncate();
            Sphere { center, radius: self.proxies.mesh_radius(node, q) }
        };
        proxies.map(sphere).collect()
    }
}
