//! Prepared sweeps of a body with itself find what sweeps without preparation find, and look at few
//! neighbours. Small meshes of every kind are compared with brute force in `sweep`.

use pliant::glam::{DQuat, DVec3};
use pliant::query::{Adjacency, SweepSettings, brute_force};
use pliant::{AnyBody, Body, Error, Mesh, PreparedSelfSweep, Step, Swept, World, self_sweep};
use pliant_scenes::{curtain_and_ball, grid, icosphere};
use proptest::prelude::*;

use crate::support::mapped;

/// What was found, without how.
fn answer(swept: &Swept) -> (&[pliant::Impact], &[[u32; 2]]) {
    (&swept.contacts, &swept.pierced)
}

fn free(mesh: &Mesh, at: impl Fn(DVec3) -> DVec3) -> pliant::FreeBody {
    let mut body = Body::free(mesh.clone()).unwrap();
    body.set_positions(mapped(mesh, at).positions()).unwrap();
    body
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// A strip is bent, stretched, turned and folded, so that certificates hold in some parts and at
    /// some times only. With a stray as without.
    #[test]
    fn bent_strips_as_without_preparation(
        bends in prop::array::uniform2(-4.0..4.0f64), turn in -3.0..3.0f64,
        waves in prop::array::uniform2(0.0..0.4f64), squeeze in prop_oneof![Just(1.0), 0.05..1.5f64],
        stray in prop_oneof![Just(0.0), 1e-4..0.05f64],
    ) {
        let flat = grid(24, 6, 3.0, 0.6).unwrap();
        // Rolled around the z-axis, waved along it.
        let at = |bend: f64, wave: f64, squeeze: f64, turn: f64| move |p: DVec3| {
            let (x, angle) = (p.x * squeeze, bend * p.x);
            let rolled = if bend.abs() < 1e-3 {
                DVec3::new(x, 0.0, p.z)
            } else {
                DVec3::new(angle.sin() / bend, (1.0 - angle.cos()) / bend, p.z + 0.02 * angle)
            };
            let rolled = rolled + DVec3::Y * wave * (9.0 * p.x).sin() * (5.0 * p.z).cos();
            DQuat::from_rotation_x(turn) * rolled
        };
        let start = free(&flat, at(bends[0], waves[0], 1.0, 0.0));
        let end = free(&flat, at(bends[1], waves[1], squeeze, turn));
        let step = Step::new(&start, &end).unwrap().straying(stray).unwrap();
        for adjacency in [Adjacency::ByPlace, Adjacency::ByIndex] {
            let found = PreparedSelfSweep::new(&start, adjacency).self_sweep(&step).unwrap();
            let plain = self_sweep(&step, adjacency);
            prop_assert_eq!(answer(&found), answer(&plain));
        }
    }
}

/// One of the strips by brute force, so that both queries cannot be wrong together.
#[test]
fn a_rolled_strip_as_brute_force() {
    let flat = grid(20, 3, 3.0, 0.6).unwrap();
    let rolled = |bend: f64| {
        move |p: DVec3| {
            let angle = bend * p.x;
            DVec3::new(angle.sin() / bend, (1.0 - angle.cos()) / bend, p.z + 0.02 * angle)
        }
    };
    let (start, end) = (free(&flat, rolled(1.5)), free(&flat, rolled(2.6)));
    for stray in [0.0, 0.01] {
        let step = Step::new(&start, &end).unwrap().straying(stray).unwrap();
        let prepared = PreparedSelfSweep::new(&start, Adjacency::ByPlace);
        let (found, truth) = (
            prepared.self_sweep(&step).unwrap(),
            brute_force::self_sweep(&step, Adjacency::ByPlace),
        );
        assert!(!truth.contacts.is_empty());
        assert_eq!(answer(&found), answer(&truth));
    }
}

/// On a curtain that waves, few neighbours are looked at; bits and work do not depend on threads.
#[test]
fn neighbours_of_a_curtain_cost_little() {
    let scene = curtain_and_ball(0, 3).unwrap();
    let at = |frame: usize| {
        let mut body = Body::free(scene.curtain.mesh.clone()).unwrap();
        body.set_positions(&scene.curtain.positions(frame).unwrap()).unwrap();
        body
    };
    let (start, end) = (at(60), at(61));
    let step = Step::new(&start, &end).unwrap();
    let prepared = PreparedSelfSweep::new(&start, Adjacency::ByPlace);
    let plain = self_sweep(&step, Adjacency::ByPlace);
    let found = prepared.self_sweep(&step).unwrap();
    assert_eq!(answer(&found), answer(&plain));
    assert!(found.work.primitive_tests * 4 < plain.work.primitive_tests, "{:?}", found.work);
    assert!(found.work.overlap_tests * 4 < plain.work.overlap_tests, "{:?}", found.work);
    for threads in [1, 2, 8] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert!(pool.install(|| prepared.self_sweep(&step).unwrap()) == found, "{threads} threads");
    }
}

/// In a world the answer is the same, also where what is prepared does not fit the question.
#[test]
fn worlds_use_what_is_prepared() {
    let ball = icosphere(2).unwrap();
    let (start, end) = (free(&ball, |p| p), free(&ball, |p| DVec3::new(p.x, -0.5 * p.y, p.z)));
    let mut first = World::new();
    let id = first.insert(start).unwrap();
    first.set_self_contact(id, true).unwrap();
    let mut last = first.clone();
    *last.get_mut(id).unwrap() = AnyBody::from(end);
    for adjacency in [Adjacency::ByPlace, Adjacency::ByIndex] {
        let settings = SweepSettings { adjacency, ..SweepSettings::default() };
        first.set_prepared_sweep(id, None).unwrap();
        let plain = first.sweep(&last, &[], &settings).unwrap();
        assert!(plain.bodies[0].swept.contacts.len() > 100);
        let of = first.get(id).unwrap();
        let prepared = PreparedSelfSweep::of_any(of, Adjacency::ByPlace);
        first.set_prepared_sweep(id, Some(prepared.into())).unwrap();
        let found = first.sweep(&last, &[], &settings).unwrap();
        assert_eq!(answer(&found.bodies[0].swept), answer(&plain.bodies[0].swept));
        assert_eq!(found.work == plain.work, adjacency == Adjacency::ByIndex);
    }
}

#[test]
fn another_body_is_refused() {
    let ball = icosphere(1).unwrap();
    let (one, other) = (Body::free(ball.clone()).unwrap(), Body::free(ball).unwrap());
    let prepared = PreparedSelfSweep::new(&one, Adjacency::ByPlace);
    for same in [one.clone(), one] {
        assert!(prepared.self_sweep(&Step::still(&same)).unwrap().is_empty());
    }
    let refused = prepared.self_sweep(&Step::still(&other));
    assert_eq!(refused.map(|_| ()), Err(Error::PreparedForAnother { what: "mesh" }));
}
