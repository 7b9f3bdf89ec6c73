//! The curtain: its counts, its twelve modes, and its meeting with the ball.

use std::ops::RangeInclusive;

use crate::support::{Corners, corners, crossing_pairs};
use pliant::glam::DVec3;
use pliant::{Error, Mesh};
use pliant_scenes::curtain::{
    BALL_RADIUS, CONTACT_FRAMES, CurtainAndBall, FRAMES, MODES, THROWN_CONTACT_FRAMES,
};
use pliant_scenes::{Topology, curtain, curtain_and_ball, curtain_and_thrown_ball};

#[test]
fn the_base_has_the_counts_of_the_paper() {
    let topology = Topology::of(&curtain(0).unwrap().mesh);
    assert!(topology.is_surface());
    assert_eq!((topology.vertices, topology.triangles), (6184, 12_020));
    assert_eq!((topology.components, topology.euler_characteristic()), (1, 1));
    assert_eq!(topology.boundary_edges, 346);
}

#[test]
fn refinement_keeps_the_disc_and_the_old_vertices() {
    let base = curtain(0).unwrap();
    let fine = curtain(1).unwrap();
    let topology = Topology::of(&fine.mesh);
    assert!(topology.is_surface());
    assert_eq!((topology.triangles, topology.boundary_edges), (4 * 12_020, 2 * 346));
    assert_eq!(topology.euler_characteristic(), 1);
    let count = base.mesh.positions().len();
    for frame in [0, 37, 90] {
        assert_eq!(base.positions(frame).unwrap(), fine.positions(frame).unwrap()[..count]);
    }
    // New vertices are close to the midpoints of old edges: the motion is smooth.
    let (old, new) = (base.positions(50).unwrap(), fine.positions(50).unwrap());
    for (&t, children) in base.mesh.triangles().iter().zip(fine.mesh.triangles().chunks(4)) {
        let [a, b, c] = t.map(|vertex| old[vertex as usize]);
        let middles = children[3].map(|vertex| new[vertex as usize]);
        for (found, expected) in middles.into_iter().zip([a + b, b + c, c + a]) {
            assert!(found.distance(expected / 2.0) < 0.004);
        }
    }
}

/// The part of each vector that is orthogonal to the earlier ones, relative to its length.
fn independence(vectors: &[Vec<f64>]) -> Vec<f64> {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
    let mut basis: Vec<Vec<f64>> = Vec::new();
    let mut left = Vec::new();
    for vector in vectors {
        let mut rest = vector.clone();
        for direction in &basis {
            let along = dot(&rest, direction);
            rest.iter_mut().zip(direction).for_each(|(x, d)| *x -= along * d);
        }
        let length = dot(&rest, &rest).sqrt();
        left.push(length / dot(vector, vector).sqrt());
        basis.push(rest.into_iter().map(|x| x / length).collect());
    }
    left
}

#[test]
fn the_motion_has_rank_twelve() {
    let curtain = curtain(0).unwrap();
    assert_eq!((curtain.modes.len(), curtain.coordinates.len()), (MODES, FRAMES));
    let fields: Vec<Vec<f64>> = curtain
        .modes
        .iter()
        .map(|field| field.iter().flat_map(DVec3::to_array).collect())
        .collect();
    let courses: Vec<Vec<f64>> =
        (0..MODES).map(|mode| curtain.coordinates.iter().map(|q| q[mode]).collect()).collect();
    for left in [independence(&fields), independence(&courses)] {
        assert!(left.iter().all(|&left| left > 0.02), "{left:?}");
    }
}

#[test]
fn positions_are_rest_plus_modes_and_the_top_is_fixed() {
    let curtain = curtain(0).unwrap();
    let rest = curtain.mesh.positions();
    let top = rest.iter().map(|p| p.y).fold(0.0, f64::max);
    assert!((top - 2.5).abs() < 1e-12);
    for frame in 0..FRAMES {
        let now = curtain.positions(frame).unwrap();
        let mut moved = 0.0_f64;
        for vertex in 0..rest.len() {
            let mut expected = rest[vertex];
            for mode in 0..MODES {
                expected += curtain.modes[mode][vertex] * curtain.coordinates[frame][mode];
            }
            assert_eq!(now[vertex], expected);
            if rest[vertex].y == top {
                assert_eq!(now[vertex], rest[vertex]);
            }
            moved = moved.max(now[vertex].distance(rest[vertex]));
        }
        assert!((0.01..0.6).contains(&moved), "frame {frame} moves by {moved}");
    }
    assert_eq!(rest.iter().filter(|p| p.y == top).count(), 24, "six tabs of four vertices");
}

#[test]
fn wrong_frames_and_lengths_are_refused() {
    let curtain = curtain(0).unwrap();
    assert!(matches!(curtain.positions(110), Err(Error::InvalidSetting { value: 110, .. })));
    let short = &mut [DVec3::ZERO; 3];
    assert!(matches!(
        curtain.positions_into(0, short),
        Err(Error::CountMismatch { expected: 6184, given: 3, .. })
    ));
    assert!(matches!(pliant_scenes::curtain(9), Err(Error::TooMany { .. })));
}

fn moved(mesh: &Mesh, center: DVec3) -> Vec<Corners> {
    let positions: Vec<DVec3> = mesh.positions().iter().map(|&p| p + center).collect();
    corners(&positions, mesh.triangles())
}

#[test]
fn ball_and_curtain_cross_in_the_contact_frames_and_are_apart_in_all_others() {
    let swung = curtain_and_ball(0, 4).unwrap();
    assert!((280..330).contains(&most_pairs(&swung, CONTACT_FRAMES)));
    let thrown = curtain_and_thrown_ball(0, 4).unwrap();
    assert!((280..330).contains(&most_pairs(&thrown, THROWN_CONTACT_FRAMES)));
}

/// The largest number of pairs in a frame. Outside the given frames the two are apart.
fn most_pairs(scene: &CurtainAndBall, contact: RangeInclusive<usize>) -> usize {
    let triangles = scene.curtain.mesh.triangles();
    assert_eq!(scene.ball.centers.len(), FRAMES);
    let mut most = 0;
    for (frame, &center) in scene.ball.centers.iter().enumerate() {
        let cloth = scene.curtain.positions(frame).unwrap();
        let pairs =
            crossing_pairs(&corners(&cloth, triangles), &moved(&scene.ball.mesh, center)).len();
        most = most.max(pairs);
        if contact.contains(&frame) {
            assert!(pairs > 10, "frame {frame} has {pairs} pairs");
        } else {
            assert_eq!(pairs, 0, "frame {frame}");
            for points in [cloth.as_slice(), scene.curtain.mesh.positions()] {
                let gap = points.iter().map(|p| p.distance(center) - BALL_RADIUS);
                let gap = gap.fold(f64::INFINITY, f64::min);
                assert!(gap > 0.01, "frame {frame}: {gap}");
            }
        }
    }
    most
}

#[test]
fn the_curtain_does_not_cross_itself() {
    let thrown = curtain_and_thrown_ball(0, 0).unwrap().curtain;
    for (curtain, step) in [(curtain(0).unwrap(), 10), (thrown, 5)] {
        for frame in (0..FRAMES).step_by(step) {
            let triangles = corners(&curtain.positions(frame).unwrap(), curtain.mesh.triangles());
            let crossing = crossing_pairs(&triangles, &triangles)
                .into_iter()
                .filter(|&[a, b]| a < b && !curtain.mesh.adjacent(a as u32, b as u32))
                .count();
            assert_eq!(crossing, 0, "frame {frame}");
        }
    }
}

#[test]
fn the_ball_moves_smoothly() {
    let centers = curtain_and_ball(0, 0).unwrap().ball.centers;
    for step in centers.windows(2) {
        assert!(step[0].distance(step[1]) < 0.04);
    }
    for three in centers.windows(3) {
        assert!((three[0] - 2.0 * three[1] + three[2]).length() < 0.005);
    }
}
