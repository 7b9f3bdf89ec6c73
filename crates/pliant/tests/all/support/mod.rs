//! One geometry as a body of every kind, and the files of the data folder.

#![allow(dead_code, unused_imports, unused_macros)] // Each test file uses a part of this.

pub(crate) mod any_volume;
pub(crate) mod compare;
pub(crate) mod enclosed;
pub(crate) mod kinetic;

use std::path::PathBuf;

use pliant::bound::{BottomUp, RigidBounds, SphereForm};
use pliant::deform::{Free, Rigid};
use pliant::glam::DVec3;
use pliant::tree::{BuildSettings, Split};
use pliant::volume::{Aabb, Sphere, Volume};
use pliant::{Body, Isometry, Mesh, Surface};
use proptest::prelude::*;

/// The same triangles, bit for bit, as a body of every kind.
#[derive(Debug, Clone)]
pub(crate) struct Kinds {
    pub(crate) rigid_boxes: Body<Rigid, RigidBounds<Aabb>>,
    pub(crate) rigid_layered: Body<Rigid, RigidBounds<Sphere>>,
    pub(crate) rigid_wrapped: Body<Rigid, RigidBounds<Sphere>>,
    pub(crate) free_boxes: Body<Free, BottomUp<Aabb>>,
    pub(crate) free_layered: Body<Free, BottomUp<Sphere>>,
    pub(crate) free_wrapped: Body<Free, BottomUp<Sphere>>,
}

impl Kinds {
    /// A mesh at rest.
    pub(crate) fn new(mesh: &Mesh, settings: &BuildSettings) -> Self {
        let rigid = |form| Body::rigid_spheres(mesh.clone(), form, settings).unwrap();
        let free = |form| Body::free_spheres(mesh.clone(), form, settings).unwrap();
        Self {
            rigid_boxes: Body::rigid_with(mesh.clone(), settings).unwrap(),
            rigid_layered: rigid(SphereForm::Layered),
            rigid_wrapped: rigid(SphereForm::Wrapped),
            free_boxes: Body::free_with(mesh.clone(), settings).unwrap(),
            free_layered: free(SphereForm::Layered),
            free_wrapped: free(SphereForm::Wrapped),
        }
    }

    /// A mesh that was built at rest and then placed: free bodies are told where
    /// the rigid ones are.
    pub(crate) fn placed(mesh: &Mesh, isometry: Isometry, settings: &BuildSettings) -> Self {
        let mut kinds = Self::new(mesh, settings);
        kinds.set_isometry(isometry);
        kinds
    }

    /// Places all bodies.
    pub(crate) fn set_isometry(&mut self, isometry: Isometry) {
        self.rigid_boxes.set_isometry(isometry);
        self.rigid_layered.set_isometry(isometry);
        self.rigid_wrapped.set_isometry(isometry);
        let count = self.rigid_boxes.mesh().positions().len() as u32;
        let moved: Vec<_> = (0..count).map(|v| self.rigid_boxes.position(v).unwrap()).collect();
        self.set_free_positions(&moved);
    }

    /// A mesh that was built at rest and then deformed. Rigid bodies cannot
    /// follow: they are made in the new shape.
    pub(crate) fn deformed(mesh: &Mesh, positions: &[DVec3], settings: &BuildSettings) -> Self {
        let shape = Mesh::new(positions.to_vec(), mesh.triangles().to_vec()).unwrap();
        let Self { free_boxes, free_layered, free_wrapped, .. } = Self::new(mesh, settings);
        let mut kinds =
            Self { free_boxes, free_layered, free_wrapped, ..Self::new(&shape, settings) };
        kinds.set_free_positions(positions);
        kinds
    }

    /// Moves the vertices of the free bodies.
    pub(crate) fn set_free_positions(&mut self, positions: &[DVec3]) {
        self.free_boxes.set_positions(positions).unwrap();
        self.free_layered.set_positions(positions).unwrap();
        self.free_wrapped.set_positions(positions).unwrap();
    }
}

/// Runs an expression for the body of each kind, with the kind's name. Bodies are seen through a table, so
/// that queries are compiled once for each kind of volume: for each kind of body they take minutes.
macro_rules! for_each_kind {
    ($kinds:expr, |$name:pat_param, $body:ident| $run:expr) => {{
        let kinds = $kinds;
        for_each_kind!(@one "rigid boxes", kinds.rigid_boxes, $name, $body, $run);
        for_each_kind!(@one "rigid layered spheres", kinds.rigid_layered, $name, $body, $run);
        for_each_kind!(@one "rigid wrapped spheres", kinds.rigid_wrapped, $name, $body, $run);
        for_each_kind!(@one "free boxes", kinds.free_boxes, $name, $body, $run);
        for_each_kind!(@one "free layered spheres", kinds.free_layered, $name, $body, $run);
        for_each_kind!(@one "free wrapped spheres", kinds.free_wrapped, $name, $body, $run);
    }};
    (@one $text:literal, $field:expr, $name:pat_param, $body:ident, $run:expr) => {{
        let ($name, $body) = ($text, &$crate::support::seen(&$field));
        $run
    }};
}
pub(crate) use for_each_kind;

/// A body as queries see it, through a table.
pub(crate) fn seen<V: Volume>(body: &dyn Surface<Volume = V>) -> &dyn Surface<Volume = V> {
    body
}

/// Every way of building a tree that the tests go through.
pub(crate) fn all_settings() -> Vec<BuildSettings> {
    let mut all = Vec::new();
    for split in [Split::Midpoint, Split::Median, Split::BinnedSah] {
        for arity in [2, 4, 8] {
            all.extend([1, 4].map(|leaf_size| BuildSettings { split, arity, leaf_size }));
        }
    }
    all
}

/// One of [`all_settings`].
pub(crate) fn settings() -> impl Strategy<Value = BuildSettings> {
    proptest::sample::select(all_settings())
}

/// The corners as a body's vertices, three a triangle. A coordinate of -0 becomes 0,
/// as it does by any rigid motion: bodies of all kinds then have the same bits.
pub(crate) fn soup(triangles: &[[DVec3; 3]]) -> Mesh {
    let count = triangles.len() as u32;
    let corners = (0..count).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    let positions = triangles.as_flattened().iter().map(|&p| p + DVec3::ZERO).collect();
    Mesh::new(positions, corners).unwrap()
}

/// Two meshes as one, without shared vertices.
pub(crate) fn joined(first: &Mesh, second: &Mesh) -> Mesh {
    let shift = first.positions().len() as u32;
    let positions = [first.positions(), second.positions()].concat();
    let moved = second.triangles().iter().map(|t| t.map(|vertex| vertex + shift));
    Mesh::new(positions, first.triangles().iter().copied().chain(moved).collect()).unwrap()
}

/// The mesh with every `step`-th triangle only.
pub(crate) fn thinned(mesh: &Mesh, step: usize) -> Mesh {
    let triangles = mesh.triangles().iter().copied().step_by(step).collect();
    Mesh::new(mesh.positions().to_vec(), triangles).unwrap()
}

/// The mesh with each vertex moved. Here too -0 becomes 0.
pub(crate) fn mapped(mesh: &Mesh, to: impl Fn(DVec3) -> DVec3) -> Mesh {
    let positions = mesh.positions().iter().map(|&p| to(p) + DVec3::ZERO).collect();
    Mesh::new(positions, mesh.triangles().to_vec()).unwrap()
}

/// A file of the data folder, or `None` with a message if it is not there.
pub(crate) fn data_file(path: &str) -> Option<(Vec<u8>, PathBuf)> {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data");
    let root = std::env::var_os("PLIANT_SHARED_DATA").map_or_else(|| beside.into(), PathBuf::from);
    let file = root.join(path);
    if !file.exists() {
        eprintln!("skipped: there is no {}", file.display());
        return None;
    }
    Some((pliant_io::read_file(&file).unwrap(), file))
}
