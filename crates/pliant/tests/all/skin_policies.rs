//! Refit policies of skins: no answer depends on them, and work counts do not depend on threads.

use crate::skin_support::{BLENDINGS, bound_to_joints};
use pliant::bound::RefitPolicy;
use pliant::deform::Blending;
use pliant::glam::{DAffine3, DVec3};
use pliant::volume::Ray;
use pliant::{
    Body, Collide as _, Intersections, RayCast, SkinnedBody, intersections, intersects, ray_cast,
    self_intersections,
};
use pliant_scenes::{Character, Random, man};
use rayon::prelude::*;

const POLICIES: [RefitPolicy; 3] =
    [RefitPolicy::OnDemand, RefitPolicy::AllAtOnce, RefitPolicy::Adaptive];

/// So many rays in a pose make those of the next pose share boxes.
const MANY_RAYS: usize = 64;

fn pose(character: &Character, frame: usize, offset: DVec3) -> Vec<DAffine3> {
    let place = DAffine3::from_translation(offset);
    let joints = character.pose(0.05 * frame as f64).into_iter();
    joints.map(|joint| place * joint).collect()
}

/// Whether a body of which nothing was asked yet was refitted as a whole.
fn at_once(body: &SkinnedBody) -> bool {
    let computed = body.deformation().computed_vertices();
    assert!(computed == 0 || computed == body.mesh().positions().len());
    computed > 0
}

#[test]
fn deep_contact_is_refitted_as_a_whole_with_the_same_answers() {
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
            // A clone has the same answers.
            assert_eq!(intersections(&a.clone(), &b).pairs, truth, "{blending:?}, frame {frame}");
        }
        assert_eq!([often, seldom], [9, 1], "{blending:?}: from the second pose on");
        let own = self_intersections(&free_a).pairs;
        assert_eq!(self_intersections(&a).pairs, own, "{blending:?}");
        // Apart again: the pose after the first one is computed on demand.
        for frame in 0..4 {
            a.set_pose(&pose(&character, frame, DVec3::ZERO), &[]).unwrap();
            b.set_pose(&pose(&character, frame, DVec3::new(5.0, 0.0, 0.0)), &[]).unwrap();
            assert_eq!(at_once(&a), frame == 0, "{blending:?}, frame {frame}");
            assert_eq!(intersects(&a, &b).pair, None);
        }
    }
}

/// Bodies in contact that ask little of most of each other go back as well: here only whether they touch.
#[test]
fn questions_that_need_little_are_answered_on_demand_after_one_pose() {
    let character = man().unwrap();
    let (mut a, mut b) = (
        bound_to_joints(&character, Blending::Linear),
        bound_to_joints(&character, Blending::Linear),
    );
    for frame in 0..6 {
        a.set_pose(&pose(&character, frame, DVec3::ZERO), &[]).unwrap();
        b.set_pose(&pose(&character, frame, DVec3::new(0.01, 0.02, 0.0)), &[]).unwrap();
        assert_eq!([at_once(&a), at_once(&b)], [(1..=3).contains(&frame); 2], "frame {frame}");
        if frame < 3 {
            assert!(intersections(&a, &b).pairs.len() > 1000);
        } else {
            assert!(intersects(&a, &b).pair.is_some());
        }
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
        // A refused pose: the old pose stays, refitted as a whole, with its answers.
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

/// The man, and his copy next to him, in so many poses of a walk. In all but the first two they overlap.
struct Scene {
    character: Character,
    poses: usize,
}

impl Scene {
    fn new(poses: usize) -> Self {
        Self { character: man().unwrap(), poses }
    }

    fn bodies(&self, blending: Blending, policy: RefitPolicy) -> [SkinnedBody; 2] {
        let mut body = bound_to_joints(&self.character, blending);
        body.set_policy(policy);
        [body.clone(), body]
    }

    fn set_pose(&self, [a, b]: &mut [SkinnedBody; 2], number: usize) {
        let offset = if number < 2 { DVec3::X * 5.0 } else { DVec3::new(0.01, 0.02, 0.0) };
        a.set_pose(&pose(&self.character, number, DVec3::ZERO), &[]).unwrap();
        b.set_pose(&pose(&self.character, number, offset), &[]).unwrap();
    }

    /// Few rays in some poses, many in others.
    fn rays(&self, number: usize) -> Vec<Ray> {
        let mut random = Random::new(number as u64);
        let count = [3, 200, MANY_RAYS - 1, MANY_RAYS][number % 4];
        let ray = |_| {
            let way = random.in_cube().normalize_or(DVec3::X);
            Ray::new(DVec3::Y + 0.4 * random.in_cube() - 3.0 * way, way).unwrap()
        };
        (0..count).map(ray).collect()
    }

    /// What queries find in all poses, with the counts of their work. Rays are cast in parallel.
    fn run(&self, bodies: &mut [SkinnedBody; 2]) -> Vec<(Intersections, Vec<RayCast>, bool)> {
        let one = |number| {
            self.set_pose(bodies, number);
            let whole = at_once(&bodies[0]);
            let rays = self.rays(number);
            let casts: Vec<_> = rays.par_iter().map(|ray| ray_cast(&bodies[0], ray)).collect();
            (intersections(&bodies[0], &bodies[1]), casts, whole)
        };
        (0..self.poses).map(one).collect()
    }
}

#[test]
fn work_does_not_depend_on_threads_and_answers_not_on_the_policy() {
    let scene = Scene::new(9);
    for blending in BLENDINGS {
        let mut answers = None;
        for policy in POLICIES {
            let mut first = None;
            for threads in [1, 2, 8] {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let mut bodies = scene.bodies(blending, policy);
                let found = pool.install(|| scene.run(&mut bodies));
                let expected = first.get_or_insert_with(|| found.clone());
                assert!(*expected == found, "{blending:?}, {policy:?}, {threads} threads");
            }
            let found = first.unwrap();
            let wholes = found.iter().filter(|pose| pose.2).count();
            let expected = match policy {
                RefitPolicy::OnDemand => 0..=0,
                RefitPolicy::AllAtOnce => 9..=9,
                RefitPolicy::Adaptive => 1..=7,
            };
            assert!(expected.contains(&wholes), "{blending:?}, {policy:?}: {wholes}");
            let own: Vec<_> = found
                .into_iter()
                .map(|(touching, casts, _)| {
                    (touching.pairs, casts.into_iter().map(|cast| cast.hit).collect::<Vec<_>>())
                })
                .collect();
            assert!(own.iter().filter(|pose| !pose.0.is_empty()).count() == 7);
            let hits = own.iter().flat_map(|pose| &pose.1).filter(|hit| hit.is_some()).count();
            assert!(hits > 100, "only {hits} hits");
            let expected = answers.get_or_insert_with(|| own.clone());
            assert!(*expected == own, "{blending:?}, {policy:?}");
        }
    }
}

#[test]
fn many_rays_share_boxes_in_the_next_pose() {
    let scene = Scene::new(0);
    let boxes_after = |rays: usize, policy: RefitPolicy| {
        let [mut body, _] = scene.bodies(Blending::Linear, policy);
        let rays: Vec<Ray> = scene.rays(1).into_iter().take(rays).collect();
        let mut set = |frame| {
            body.set_pose(&pose(&scene.character, frame, DVec3::ZERO), &[]).unwrap();
            for ray in &rays {
                let _ = ray_cast(&body, ray);
            }
            body.bounds().refitted()
        };
        [set(0), set(1)]
    };
    // In frames of their own, rays leave behind only boxes of small subtrees of one leaf.
    let own_frames = |boxes: usize| boxes < 20;
    let all = 2 * man().unwrap().mesh.triangles().len() - 1;
    for count in [1, MANY_RAYS - 1, MANY_RAYS, 200] {
        let [first, second] = boxes_after(count, RefitPolicy::Adaptive);
        assert!(own_frames(first), "{count} rays: {first}");
        assert_eq!(own_frames(second), count < MANY_RAYS, "{count} rays: {second}");
        assert!(boxes_after(count, RefitPolicy::OnDemand).map(own_frames) == [true; 2]);
        assert_eq!(boxes_after(count, RefitPolicy::AllAtOnce), [all; 2], "{count} rays");
    }
}

/// After a reset, and in a clone, everything goes as in a body that was never asked.
#[test]
fn without_history_a_body_is_as_new() {
    let scene = Scene::new(9);
    for policy in POLICIES {
        let mut bodies = scene.bodies(Blending::Linear, policy);
        let expected = scene.run(&mut bodies);
        let reset = |bodies: &mut [SkinnedBody; 2]| {
            bodies.iter_mut().for_each(SkinnedBody::reset_refit_history);
        };
        reset(&mut bodies);
        assert!(scene.run(&mut bodies) == expected, "{policy:?}: after a reset");
        assert!(scene.run(&mut bodies.clone()) == expected, "{policy:?}: a clone");
        // In any pose, before and after queries.
        for number in [3, 4, 6] {
            scene.set_pose(&mut bodies, number);
            let _ = intersections(&bodies[0], &bodies[1]);
            reset(&mut bodies);
            let _ = intersections(&bodies[0], &bodies[1]);
            assert!(scene.run(&mut bodies) == expected, "{policy:?}: after pose {number}");
        }
        assert_eq!(bodies[0].clone().policy(), policy);
    }
}

#[test]
fn a_changed_policy_holds_from_the_next_pose() {
    let character = man().unwrap();
    let mut body = bound_to_joints(&character, Blending::Linear);
    assert_eq!(body.policy(), RefitPolicy::Adaptive);
    for (policy, whole) in [
        (RefitPolicy::AllAtOnce, true),
        (RefitPolicy::OnDemand, false),
        (RefitPolicy::AllAtOnce, true),
        (RefitPolicy::Adaptive, false),
    ] {
        let before = (body.deformation().computed_vertices(), body.bound(0));
        body.set_policy(policy);
        assert_eq!((body.deformation().computed_vertices(), body.bound(0)), before);
        body.set_pose(&pose(&character, 1, DVec3::ZERO), &[]).unwrap();
        assert_eq!(at_once(&body), whole, "{policy:?}");
    }
}
