//! A shape at rest: points, their masses, and the clusters that they form.

use pliant::Mesh;
use pliant::deform::{Influence, SkinWeights};
use pliant::glam::DVec3;

use super::cluster::Cluster;
use super::outward::outward_directions;
use super::settings::{ShapeMaterial, positive};
use super::weights::Centers;
use crate::limits::{MAX_CLUSTERS, MAX_COORDINATE, MAX_SHAPE_POINTS};
use crate::{Error, Result};

/// Points without connectivity, at rest. Bodies of one shape share it.
#[derive(Debug, Clone, PartialEq)]
pub struct Shape {
    points: Vec<DVec3>,
    masses: Vec<f64>,
    radius: f64,
    material: ShapeMaterial,
    centers: Centers,
    /// For each point the direction out of the body.
    pub(super) outward: Vec<DVec3>,
    pub(super) clusters: Vec<Cluster>,
}

impl Shape {
    /// A shape of points with equal masses that sum to `mass`. For contacts each point is a ball of
    /// the given radius. Points are divided into about so many clusters, which overlap.
    ///
    /// ```
    /// use pliant::glam::DVec3;
    /// use pliant_sim::shape_matching::{Shape, ShapeMaterial};
    /// let cube: Vec<DVec3> =
    ///     (0..8).map(|i| DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2))).collect();
    /// let shape = Shape::new(cube, 1.0, 0.1, 1, ShapeMaterial::JELLY)?;
    /// assert_eq!((shape.points().len(), shape.clusters()), (8, 1));
    /// # Ok::<(), pliant_sim::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NoPoints`], [`Error::TooMany`], [`Error::InvalidPosition`], [`Error::InvalidSetting`].
    pub fn new(
        points: Vec<DVec3>,
        mass: f64,
        radius: f64,
        clusters: usize,
        material: ShapeMaterial,
    ) -> Result<Self> {
        if points.is_empty() {
            return Err(Error::NoPoints);
        }
        for (what, count, limit) in
            [("points", points.len(), MAX_SHAPE_POINTS), ("clusters", clusters, MAX_CLUSTERS)]
        {
            if count > limit {
                return Err(Error::TooMany { what, count: count as f64, limit });
            }
        }
        check_positions("rest shape", 0, &points)?;
        positive("mass", mass)?;
        positive("radius", radius)?;
        material.check()?;
        let masses = vec![mass / points.len() as f64; points.len()];
        let centers = Centers::spread(&points, clusters.max(1));
        let clusters = clusters_of(&points, &masses, &centers, &material);
        let outward = outward_directions(&points, 2.0 * radius);
        Ok(Self { points, masses, radius, material, centers, outward, clusters })
    }

    /// The points at rest.
    #[must_use]
    pub fn points(&self) -> &[DVec3] {
        &self.points
    }

    /// The masses of the points.
    #[must_use]
    pub fn masses(&self) -> &[f64] {
        &self.masses
    }

    /// The radius of a point for contacts.
    #[must_use]
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// What it is made of.
    #[must_use]
    pub fn material(&self) -> &ShapeMaterial {
        &self.material
    }

    /// The number of clusters, and of joints of a surface.
    #[must_use]
    pub fn clusters(&self) -> usize {
        self.clusters.len()
    }

    /// How a surface at rest follows the clusters: each is a joint of a linear skin. With
    /// [`ShapeBody::joints`](super::ShapeBody::joints) as its pose, a
    /// [`SkinnedBody`](pliant::SkinnedBody) of that surface collides as any other body does, and no vertex
    /// moves before a test asks for it.
    #[must_use]
    pub fn skin_weights(&self, surface: &Mesh) -> SkinWeights {
        let mut skin = SkinWeights::default();
        let (mut weights, mut influences) = (Vec::new(), Vec::new());
        for &vertex in surface.positions() {
            self.centers.weights_at(vertex, &mut weights);
            influences.clear();
            influences.extend(weights.iter().map(|&(joint, weight)| Influence { joint, weight }));
            skin.push(&influences);
        }
        skin
    }
}

fn clusters_of(
    points: &[DVec3],
    masses: &[f64],
    centers: &Centers,
    material: &ShapeMaterial,
) -> Vec<Cluster> {
    let mut members = vec![(Vec::new(), Vec::new()); centers.places.len()];
    let mut weights = Vec::new();
    for (point, &place) in (0..).zip(points) {
        centers.weights_at(place, &mut weights);
        for &(cluster, weight) in &weights {
            members[cluster as usize].0.push(point);
            members[cluster as usize].1.push(weight);
        }
    }
    let cluster = |(own, weights)| Cluster::new(points, masses, own, weights, material.goal);
    members.into_iter().map(cluster).collect()
}

/// Refuses coordinates that are not finite or too large to be squared.
pub(super) fn check_positions(what: &'static str, number: usize, given: &[DVec3]) -> Result<()> {
    let is_usable = |p: &DVec3| p.abs().max_element() <= MAX_COORDINATE && p.is_finite();
    match given.iter().position(|p| !is_usable(p)) {
        None => Ok(()),
        Some(vertex) => {
            let position = given[vertex].to_array();
            Err(Error::InvalidPosition { what, number, vertex, position })
        }
    }
}
