//! Cages: what encloses, how tight, and the worst case of layers.

use crate::necklace_support::{Random, cases, necklace, positions};
use pliant::glam::{DQuat, DVec3};
use pliant::necklace::{
    Cages, Layered, Unverified, Verification, Wrapped, brute_force, separate_self,
};
use pliant::{Error, Necklace};
use proptest::prelude::*;

fn check_enclosure<C: Cages>(cages: &C) -> Result<(), TestCaseError> {
    for (node, own) in (0u32..).zip(cages.tree().nodes()) {
        let cage = cages.cage(node);
        for bead in &cages.necklace().beads()[own.range()] {
            let reach = bead.reach_from(cage.center.as_dvec3());
            prop_assert!(reach <= f64::from(cage.radius), "a bead sticks out of node {node}");
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(150))]

    #[test]
    fn cages_enclose_and_layers_are_not_much_larger(necklace in necklace()) {
        let layered = Layered::new(necklace.clone());
        let wrapped = Wrapped::new(necklace);
        check_enclosure(&layered)?;
        check_enclosure(&wrapped)?;
        let limit = (layered.tree().height() as f32 + 1.0).sqrt();
        let (loose, tight) = (layered.cage(0).radius, wrapped.cage(0).radius);
        let rounding = 1e-5 * (tight + wrapped.cage(0).center.abs().max_element());
        prop_assert!(loose <= limit * tight + rounding, "{loose} {tight} {limit}");
        prop_assert!(tight <= loose + rounding);
    }

    /// Beads that move rigidly keep their bases, and then unverified cages enclose them too.
    #[test]
    fn unverified_cages_follow_rigid_motion(necklace in necklace(), seed in any::<u64>()) {
        let mut random = Random::new(seed);
        let turn = DQuat::from_axis_angle(random.vector().normalize(), 2.0);
        let shift = random.vector() * 10.0;
        let moved: Vec<DVec3> = positions(&necklace).iter().map(|p| turn * *p + shift).collect();
        let mut lazy = Unverified::new(Wrapped::new(necklace));
        lazy.set_positions(&moved).unwrap();
        for (node, own) in (0u32..).zip(lazy.tree().nodes()) {
            let cage = lazy.cage(node);
            for bead in &lazy.necklace().beads()[own.range()] {
                let reach = bead.reach_from(cage.center.as_dvec3());
                prop_assert!(reach <= f64::from(cage.radius) * (1.0 + 1e-5) + 1e-5);
            }
        }
        // What it finds are clashes, whatever it may miss.
        let found = separate_self(&lazy, 2);
        let expected = brute_force::clashes(lazy.necklace(), 2).pairs;
        prop_assert!(found.clashes().iter().all(|pair| expected.contains(pair)));
    }
}

/// Guibas et al. 2002, lemma 2.5: 2^h points of a circle whose layered root has radius
/// sqrt(h). Each set is the one before and its mirror image in a line through the centre, which
/// turns by a right-angled triangle of side 1 / sqrt(h).
fn worst_case(height: u32) -> Vec<DVec3> {
    let side = 1.0 / f64::from(height).sqrt();
    let mut points = vec![DVec3::X];
    let (mut angle, mut middle) = (0.0f64, 1.0f64);
    for _ in 0..height - 1 {
        let next = (middle * middle - side * side).max(0.0).sqrt();
        angle += (next / middle).acos();
        middle = next;
        let mirrored: Vec<DVec3> = points
            .iter()
            .map(|p| {
                let (sin, cos) = (2.0 * angle).sin_cos();
                DVec3::new(cos * p.x + sin * p.y, sin * p.x - cos * p.y, 0.0)
            })
            .collect();
        points.extend(mirrored);
    }
    let opposite: Vec<DVec3> = points.iter().map(|p| -*p).collect();
    points.extend(opposite);
    points
}

#[test]
fn layers_reach_the_worst_case_and_do_not_pass_it() {
    for height in 1..=14 {
        let necklace = Necklace::open(&worst_case(height), 1e-9).unwrap();
        let (layered, wrapped) = (Layered::new(necklace.clone()), Wrapped::new(necklace));
        assert_eq!(layered.tree().height(), height as usize);
        assert!((wrapped.cage(0).radius - 1.0).abs() < 1e-5, "height {height}");
        let ratio = layered.cage(0).radius / wrapped.cage(0).radius;
        let height = height as f32;
        assert!(ratio > height.sqrt() * (1.0 - 1e-4), "{ratio} at height {height}");
        assert!(ratio < (height + 1.0).sqrt(), "{ratio} at height {height}");
    }
}

#[test]
fn bases_stay_where_beads_move_a_little() {
    let at = |t: f64| -> Vec<DVec3> {
        (0..1000)
            .map(|i| {
                let a = f64::from(i) * (0.01 + t);
                DVec3::new(a.cos() * 50.0, a.sin() * 50.0, f64::from(i) * 0.3)
            })
            .collect()
    };
    let mut wrapped = Wrapped::new(Necklace::open(&at(0.0), 0.5).unwrap());
    let mut naive = wrapped.clone();
    for step in 1..20 {
        let state = at(f64::from(step) * 1e-5);
        let done = wrapped.advance(&state, Verification::Cascade).unwrap();
        let same = naive.advance(&state, Verification::Naive).unwrap();
        assert!(done.basis_changes < 50, "{done:?}");
        assert!(done.containment_tests < same.containment_tests, "{done:?} {same:?}");
    }
}

#[test]
fn refused_states_change_nothing() {
    let line: Vec<DVec3> = (0..10).map(|i| DVec3::X * f64::from(i)).collect();
    let necklace = Necklace::open(&line, 0.5).unwrap();
    let mut bad = line.clone();
    bad[3].y = f64::INFINITY;
    let mut wrapped = Wrapped::new(necklace.clone());
    let mut layered = Layered::new(necklace.clone());
    let mut lazy = Unverified::new(wrapped.clone());
    for refused in [
        wrapped.advance(&bad, Verification::Cascade).unwrap_err(),
        layered.set_positions(&bad).unwrap_err(),
        lazy.set_positions(&bad).unwrap_err(),
    ] {
        assert!(matches!(refused, Error::InvalidBead { bead: 3, .. }), "{refused}");
    }
    for refused in [
        wrapped.advance(&line[1..], Verification::Naive).unwrap_err(),
        layered.set_positions(&line[1..]).unwrap_err(),
    ] {
        assert!(matches!(refused, Error::CountMismatch { expected: 10, given: 9, .. }));
    }
    assert_eq!(wrapped.necklace(), &necklace);
    assert_eq!(wrapped.cage(0), Wrapped::new(necklace).cage(0));
}

#[test]
fn another_hierarchy_starts_from_the_root() {
    let line: Vec<DVec3> = (0..30).map(|i| DVec3::X * f64::from(i) * 0.3).collect();
    let long = Layered::new(Necklace::open(&line, 0.5).unwrap());
    let short = Layered::new(Necklace::open(&line[..7], 0.5).unwrap());
    let found = separate_self(&short, 2).again_self(&long).unwrap();
    assert_eq!(found.clashes(), separate_self(&long, 2).clashes());
    assert!(found.again(&long, &short).is_none());
}
