//! One body of each kind whose motion is known ahead, and what their boxes guarantee.

#![allow(dead_code)] // Each test file uses a part of this.

use pliant::bound::{Expiring, FlightBounds, KineticAabb, KineticBox};
use pliant::deform::{Flight, Keyframes, Plan};
use pliant::glam::DVec3;
use pliant::tree::{BuildSettings, primitive_runs};
use pliant::volume::{Aabb, Volume};
use pliant::{Body, Collide, Mesh};

pub(crate) type Kinetic<B> = Body<Flight, B>;

/// How far a tight box may reach past the vertices, in units of the largest coordinate: for
/// rounding to `f32` and for slacks.
const LOOSE: f64 = 1e-6;

/// The largest coordinate of any vertex now, at least 1.
pub(crate) fn largest_now<B: FlightBounds>(body: &Kinetic<B>) -> f64 {
    let positions = (0..).map_while(|vertex| body.deformation().at(vertex));
    positions.map(|p| p.abs().max_element()).fold(1.0, f64::max)
}

/// Checks that every box contains its vertices. If `tight` is the largest coordinate from which
/// boxes were rounded, also checks that they are tight.
#[track_caller]
pub(crate) fn check<B: FlightBounds>(name: &str, body: &Kinetic<B>, tight: Option<f64>) {
    let tree = body.tree();
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
        if let Some(largest) = tight {
            let beyond = (min - bound.min.as_dvec3()).max(bound.max.as_dvec3() - max).max_element();
            assert!(
                beyond <= LOOSE * largest,
                "{name} at {}: node {node} reaches {beyond} past its vertices",
                body.time()
            );
        }
    }
}

/// One body of each kind, with the same plans.
pub(crate) struct All {
    pub(crate) expiring: Kinetic<Expiring>,
    pub(crate) kinetic: Kinetic<KineticAabb>,
    pub(crate) planes: Kinetic<KineticBox>,
}

impl All {
    pub(crate) fn keyframed(mesh: &Mesh, keyframes: Keyframes) -> Self {
        Self::flying(mesh, &Flight::keyframed(keyframes))
    }

    pub(crate) fn flying(mesh: &Mesh, flight: &Flight) -> Self {
        let settings = BuildSettings::default();
        Self {
            expiring: Body::flying(mesh.clone(), flight.clone(), &settings).unwrap(),
            kinetic: Body::flying(mesh.clone(), flight.clone(), &settings).unwrap(),
            planes: Body::flying(mesh.clone(), flight.clone(), &settings).unwrap(),
        }
    }

    pub(crate) fn advance(&mut self, time: f64) {
        self.expiring.advance(time).unwrap();
        self.kinetic.advance(time).unwrap();
        self.planes.advance(time).unwrap();
    }

    pub(crate) fn set_plans(&mut self, plans: &[(u32, Plan)]) {
        self.expiring.set_plans(plans).unwrap();
        self.kinetic.set_plans(plans).unwrap();
        self.planes.set_plans(plans).unwrap();
    }

    #[track_caller]
    pub(crate) fn check(&self) {
        let now = largest_now(&self.kinetic);
        check("expiring", &self.expiring, None);
        check("kinetic boxes", &self.kinetic, Some(now));
        check("box tree", &self.planes, None);
        // The root of a box tree has sides of its own. Those of both trees are of the same vertices, and
        // grow by a slack for each level: the trees are not equally deep.
        let [a, b] = [self.kinetic.bound(0), self.planes.bound(0)].map(|root| root.corners());
        let slacks = LOOSE * now;
        for (a, b) in a.into_iter().zip(b) {
            let step = a.abs() * f64::from(f32::EPSILON);
            assert!((a - b).abs().cmple(step + slacks).all(), "{a} {b}");
        }
    }

    /// All bits of all boxes.
    pub(crate) fn boxes(&self) -> Vec<[Aabb; 3]> {
        let boxes = |n: u32| [self.expiring.bound(n), self.kinetic.bound(n), self.planes.bound(n)];
        (0..self.kinetic.nodes() as u32).map(boxes).collect()
    }
}
