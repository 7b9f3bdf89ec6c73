//! A skin that is deep in contact is moved at once: no answer may depend on it.

use crate::skin_support::bound_to_joints;
use pliant::deform::Blending;
use pliant::glam::{DAffine3, DVec3};
use pliant::limits::ALL_AT_ONCE_POSES;
use pliant::{Body, SkinnedBody, intersections, intersects, self_intersections};
use pliant_scenes::{Character, man};

fn pose(character: &Character, frame: usize, offset: DVec3) -> Vec<DAffine3> {
    let place = DAffine3::from_translation(offset);
    let joints = character.pose(0.05 * frame as f64).into_iter();
    joints.map(|joint| place * joint).collect()
}

/// Whether all of a body of which nothing was asked yet was moved at once.
fn at_once(body: &SkinnedBody) -> bool {
    let moved = body.deformation().computed_vertices();
    assert!(moved == 0 || moved == body.mesh().positions().len());
    moved > 0
}

#[test]
fn deep_contact_moves_all_at_once_and_changes_no_answer() {
    let character = man().unwrap();
    for blending in [Blending::Linear, Blending::Spherical, Blending::DualQuaternion] {
        let (mut a, mut b) =
            (bound_to_joints(&character, blending), bound_to_joints(&character, blending));
        let (mut free_a, mut free_b) = (
            Body::free(character.mesh.clone()).unwrap(),
            Body::free(character.mesh.clone()).unwrap(),
        );
        let (mut often, mut seldom) = (0, 0);
        for frame in 0..10 {
            a.set_pose(&pose(&character, frame, DVec3::ZERO), &[]).unwrap();
            b.set_pose(&pose(&character, frame, DVec3::new(0.01, 0.02, 0.0)), &[]).unwrap();
            *(if at_once(&a) { &mut often } else { &mut seldom }) += 1;
            free_a.set_positions(&a.positions().collect::<Vec<_>>()).unwrap();
            free_b.set_positions(&b.positions().collect::<Vec<_>>()).unwrap();
            let truth = intersections(&free_a, &free_b).pairs;
            assert!(truth.len() > 1000, "frame {frame}: {}", truth.len());
            assert_eq!(intersections(&a, &b).pairs, truth, "{blending:?}, frame {frame}");
            for vertex in [0, 1, 999] {
                assert_eq!(a.position(vertex), free_a.position(vertex), "the same bits");
            }
            // A copy has the same answers, whatever it was copied from.
            assert_eq!(intersections(&a.clone(), &b).pairs, truth, "{blending:?}, frame {frame}");
        }
        assert!(often >= 6 && seldom >= 2, "{blending:?}: {often}, {seldom}");
        let own = self_intersections(&free_a).pairs;
        assert_eq!(self_intersections(&a).pairs, own, "{blending:?}");
        // Apart again: soon nothing more is moved than what is asked for.
        for frame in 0..=ALL_AT_ONCE_POSES as usize {
            a.set_pose(&pose(&character, frame, DVec3::ZERO), &[]).unwrap();
            b.set_pose(&pose(&character, frame, DVec3::new(5.0, 0.0, 0.0)), &[]).unwrap();
            assert_eq!(intersects(&a, &b).pair, None);
        }
        assert!(!at_once(&a), "{blending:?}");
    }
}

#[test]
fn poses_that_are_refused_or_out_of_range_leave_no_boxes_behind() {
    let character = man().unwrap();
    for blending in [Blending::Linear, Blending::Spherical, Blending::DualQuaternion] {
        let mut a = bound_to_joints(&character, blending);
        let mut still = bound_to_joints(&character, blending);
        still.set_pose(&pose(&character, 0, DVec3::splat(0.01)), &[]).unwrap();
        for frame in 0..2 {
            a.set_pose(&pose(&character, frame, DVec3::ZERO), &[]).unwrap();
            assert_eq!(at_once(&a), frame == 1, "{blending:?}");
            let _ = intersections(&a, &still);
        }
        // Refused: the old pose stays, moved at once, and its answers.
        let before = intersections(&a, &still);
        assert!(a.set_pose(&[], &[]).is_err());
        let mut scaled = pose(&character, 5, DVec3::ZERO);
        scaled[3].matrix3 *= if blending == Blending::Linear { f64::NAN } else { 1.1 };
        assert!(a.set_pose(&scaled, &[]).is_err());
        assert!(at_once(&a), "{blending:?}");
        assert_eq!(intersections(&a, &still), before, "{blending:?}");
        // Too far away for any bound.
        if blending == Blending::Linear {
            a.set_pose(&pose(&character, 0, DVec3::splat(1e300)), &[]).unwrap();
            assert!(intersections(&a, &still).pairs.is_empty());
        }
        a.set_pose(&pose(&character, 0, DVec3::ZERO), &[]).unwrap();
        assert_eq!(intersections(&a, &still).pairs, intersections(&a.clone(), &still).pairs);
    }
}
