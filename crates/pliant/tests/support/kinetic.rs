//! One body of each kind that knows its motion ahead, and what their boxes promise.

#![allow(dead_code)] // Each test file uses a part of this.

use pliant::bound::{Expiring, ExpiringExtremes, FlightBounds, KineticAabb, KineticBox};
use pliant::deform::{Flight, Plan};
use pliant::glam::DVec3;
use pliant::tree::{BuildSettings, primitive_runs};
use pliant::volume::{Aabb, Volume};
use pliant::{Body, Collide, Mesh};

pub(crate) type Kinetic<B> = Body<Flight, B>;

/// How much a box may reach past the vertices: for rounding to `f32`, and for slacks.
const LOOSE: f64 = 1e-6;

#[track_caller]
pub(crate) fn check<B: FlightBounds>(name: &str, body: &Kinetic<B>, tight: bool) {
    let tree = body.tree();
    let flight = body.deformation();
    let largest = (0..flight.vertices() as u32)
        .map(|v| flight.at(v).unwrap().abs().max_element())
        .fold(1.0, f64::max);
    for (node, run) in (0..).zip(primitive_runs(tree)) {
        let bound: Aabb = body.bound(node);
        let slots = &tree.primitives[run.start as usize..run.end as usize];
        let (mut min, mut max) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for corner in slots.iter().flat_map(|&triangle| body.triangle(triangle)) {
            assert!(
                bound.contains_point(corner),
                "{name} at {}: node {node}, {bound:?}, misses {corner}",
                body.time()
            );
            (min, max) = (min.min(corner), max.max(corner));
        }
        if tight {
            let beyond = (min - bound.min.as_dvec3()).max(bound.max.as_dvec3() - max).max_element();
            assert!(
                beyond <= LOOSE * largest,
                "{name} at {}: node {node} reaches {beyond} past its vertices",
                body.time()
            );
        }
    }
}

/// One body of each kind, told the same.
pub(crate) struct All {
    pub(crate) expiring: Kinetic<Expiring>,
    pub(crate) extremes: Kinetic<ExpiringExtremes>,
    /// Whether all plans are keyframes: then extremes are tight.
    pub(crate) keyframed: bool,
    pub(crate) kinetic: Kinetic<KineticAabb>,
    pub(crate) planes: Kinetic<KineticBox>,
}

impl All {
    pub(crate) fn new(mesh: &Mesh, flight: &Flight, keyframed: bool) -> Self {
        let settings = BuildSettings::default();
        Self {
            expiring: Body::flying(mesh.clone(), flight.clone(), &settings).unwrap(),
            extremes: Body::flying(mesh.clone(), flight.clone(), &settings).unwrap(),
            keyframed,
            kinetic: Body::flying(mesh.clone(), flight.clone(), &settings).unwrap(),
            planes: Body::flying(mesh.clone(), flight.clone(), &settings).unwrap(),
        }
    }

    pub(crate) fn advance(&mut self, time: f64) {
        self.expiring.advance(time).unwrap();
        self.extremes.advance(time).unwrap();
        self.kinetic.advance(time).unwrap();
        self.planes.advance(time).unwrap();
    }

    pub(crate) fn set_plans(&mut self, plans: &[(u32, Plan)]) {
        self.expiring.set_plans(plans).unwrap();
        self.extremes.set_plans(plans).unwrap();
        self.keyframed = false;
        self.kinetic.set_plans(plans).unwrap();
        self.planes.set_plans(plans).unwrap();
    }

    #[track_caller]
    pub(crate) fn check(&self) {
        check("expiring", &self.expiring, false);
        check("extremes", &self.extremes, self.keyframed);
        check("kinetic boxes", &self.kinetic, true);
        check("box tree", &self.planes, false);
        // The root of a box tree has sides of its own.
        assert_eq!(self.kinetic.bound(0), self.planes.bound(0));
    }

    /// All bits of all boxes.
    pub(crate) fn boxes(&self) -> Vec<[Aabb; 3]> {
        let boxes = |n: u32| [self.expiring.bound(n), self.kinetic.bound(n), self.planes.bound(n)];
        (0..self.kinetic.nodes() as u32).map(boxes).collect()
    }
}
