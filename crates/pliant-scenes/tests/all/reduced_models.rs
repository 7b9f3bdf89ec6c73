//! Scenes that deform by modes, as bodies: pairs equal those of brute force, and bounds that
//! include a model's error contain the original motion.

use std::sync::Arc;

use pliant::bound::{ReducedBody, SphereCenter};
use pliant::deform::Modes;
use pliant::glam::{DAffine3, DQuat, DVec3};
use pliant::query::brute_force;
use pliant::tree::BuildSettings;
use pliant::{Body, Collide, FreeBody, Mesh, intersections};
use pliant_scenes::{FISH_FRAMES, bridge, bridge_model, fish, modal_chair};
use pliant_sim::{Keep, principal_components};

/// A mesh of every `step`-th triangle, since brute force is quadratic.
fn thinned(mesh: &Mesh, step: usize) -> Mesh {
    let triangles = mesh.triangles().iter().copied().step_by(step).collect();
    Mesh::new(mesh.positions().to_vec(), triangles).unwrap()
}

/// The same triangles, refitted bottom-up.
fn freed(body: &ReducedBody) -> FreeBody {
    let mut free = Body::free(body.mesh().clone()).unwrap();
    let positions: Vec<_> = (0..).map_while(|vertex| body.position(vertex)).collect();
    free.set_positions(&positions).unwrap();
    free
}

/// Two bodies of a kind cross in some of their states. All triangles are compared with bottom-up
/// refitting, and a part of the triangles, in boxes and in spheres, with brute force. Returns the
/// number of pairs.
fn meet(mesh: &Mesh, modes: &Arc<Modes>, states: &[[&[f64]; 2]], offset: DVec3) -> usize {
    let frame = DAffine3::from_rotation_translation(DQuat::from_rotation_y(0.3), offset);
    let mut found = 0;
    let new = |mesh: &Mesh| Body::reduced(mesh.clone(), Arc::clone(modes)).unwrap();
    let few = thinned(mesh, 6);
    let (mut a, mut b, mut few_a, mut few_b) = (new(mesh), new(mesh), new(&few), new(&few));
    let settings = BuildSettings::default();
    let mut spheres =
        Body::reduced_spheres(few, Arc::clone(modes), SphereCenter::default(), &settings).unwrap();
    for &[p, q] in states {
        a.set_coordinates(p).unwrap();
        b.set_state(q, frame).unwrap();
        let pairs = intersections(&a, &b).pairs;
        assert!(pairs == intersections(&freed(&a), &freed(&b)).pairs, "{} pairs", pairs.len());
        found += pairs.len();
        few_a.set_coordinates(p).unwrap();
        spheres.set_coordinates(p).unwrap();
        few_b.set_state(q, frame).unwrap();
        let truth = brute_force::intersections(&few_a, &few_b).pairs;
        assert!(!truth.is_empty());
        assert!(intersections(&few_a, &few_b).pairs == truth);
        assert!(intersections(&spheres, &few_b).pairs == truth);
    }
    found
}

#[test]
fn chairs_that_vibrate() {
    let chair = modal_chair().unwrap();
    let q = |frame: usize| &chair.coordinates[frame][..];
    let offset = DVec3::new(0.05, 0.3, 0.1);
    let modes = Arc::new(chair.modes);
    let found = meet(&chair.mesh, &modes, &[[q(3), q(20)], [q(31), q(50)]], offset);
    assert!(found > 100, "{found}");
}

#[test]
fn fish_that_swim_into_one_another() {
    let fish = fish().unwrap();
    let modes = Modes::from_fields(fish.mesh.positions().len(), &fish.modes).unwrap();
    let q = |frame: usize| &fish.coordinates[frame][..];
    let offset = DVec3::new(0.06, 0.02, -0.1);
    let found = meet(&fish.mesh, &Arc::new(modes), &[[q(0), q(40)], [q(77), q(110)]], offset);
    assert!(found > 100, "{found}");
}

/// Whether every box contains all vertices below it at the given positions.
fn boxes_hold(body: &ReducedBody, positions: &[DVec3]) -> bool {
    let (tree, mesh) = (body.tree(), body.mesh());
    let mut extremes = vec![[DVec3::INFINITY, DVec3::NEG_INFINITY]; tree.nodes.len()];
    // Children come after parents.
    for (number, &node) in tree.nodes.iter().enumerate().rev() {
        let mut own = extremes[number];
        let mut take = |[min, max]: [DVec3; 2]| own = [own[0].min(min), own[1].max(max)];
        if node.is_leaf() {
            let triangles = tree.leaf_primitives(node).iter();
            let corners = triangles.flat_map(|&triangle| mesh.triangles()[triangle as usize]);
            corners.for_each(|vertex| take([positions[vertex as usize]; 2]));
        } else {
            node.range().for_each(|child| take(extremes[child as usize]));
        }
        extremes[number] = own;
        let bound = body.bound(number as u32);
        let [low, high] = [bound.min, bound.max].map(|corner| corner.as_dvec3());
        let [min, max] = own;
        if !(low.cmple(min).all() && high.cmpge(max).all()) {
            return false;
        }
    }
    true
}

/// A fish of two modes approximates that of three.
#[test]
fn bounds_with_the_error_of_a_model_hold_every_frame_of_the_fish() {
    let fish = fish().unwrap();
    let frames: Vec<_> = (0..FISH_FRAMES).map(|frame| fish.positions(frame).unwrap()).collect();
    let model = principal_components(&frames, None, Keep::Rank(2)).unwrap();
    assert!((0.001..0.1).contains(&model.largest_error), "{}", model.largest_error);
    let mesh = Mesh::new(model.rest, fish.mesh.triangles().to_vec()).unwrap();
    let modes = Arc::new(model.modes);
    let settings = BuildSettings::default();
    let mut boxes = Body::reduced(mesh.clone(), Arc::clone(&modes)).unwrap();
    let mut spheres = Body::reduced_spheres(mesh, modes, SphereCenter::default(), &settings)
        .unwrap()
        .with_error(model.largest_error)
        .unwrap();
    boxes.set_coordinates(&model.coordinates[0]).unwrap();
    assert!(!boxes_hold(&boxes, &frames[0]), "they need not without the error");
    boxes = boxes.with_error(model.largest_error).unwrap();
    for (frame, q) in frames.iter().zip(&model.coordinates) {
        boxes.set_coordinates(q).unwrap();
        assert!(boxes_hold(&boxes, frame));
        spheres.set_coordinates(q).unwrap();
        for (number, &node) in spheres.tree().nodes.iter().enumerate().filter(|(_, n)| n.is_leaf())
        {
            let bound = spheres.bound(number as u32);
            for &triangle in spheres.tree().leaf_primitives(node) {
                for vertex in spheres.mesh().triangles()[triangle as usize] {
                    let away = frame[vertex as usize].distance(bound.center.as_dvec3());
                    // The distance itself is rounded; the bound has a much larger margin.
                    assert!(away <= f64::from(bound.radius) * (1.0 + 1e-15), "leaf {number}");
                }
            }
        }
    }
}

/// The bridge of few modes approximates the one that twists, and two bridges cross in the same
/// pairs as freely moved ones.
#[test]
fn the_bridge_by_its_principal_components() {
    let (model, original) = (bridge_model().unwrap(), bridge().unwrap());
    assert_eq!(model.modes.count(), 10);
    // Each of the ten modes moves some vertex by centimetres, so none consists of rounding.
    for mode in 0..model.modes.count() {
        let farthest = (0..model.modes.vertices())
            .map(|vertex| model.modes.of(vertex)[mode].length())
            .fold(0.0, f32::max);
        let largest = model.coordinates.iter().map(|q| q[mode].abs()).fold(0.0, f64::max);
        assert!(f64::from(farthest) * largest > 0.02, "mode {mode}: {farthest} times {largest}");
    }
    // There is a small motion beyond them.
    assert!((1e-5..0.002).contains(&model.largest_error), "{} m", model.largest_error);
    let body = Body::reduced(model.mesh, Arc::new(model.modes)).unwrap();
    let mut enlarged = body.clone().with_error(model.largest_error).unwrap();
    for frame in (0..model.coordinates.len()).step_by(10) {
        enlarged.set_coordinates(&model.coordinates[frame]).unwrap();
        assert!(boxes_hold(&enlarged, &original.positions(frame).unwrap()), "frame {frame}");
    }
    let (mut a, mut b) = (body.clone(), body);
    a.set_coordinates(&model.coordinates[12]).unwrap();
    let across = DAffine3::from_rotation_translation(DQuat::from_rotation_y(1.4), DVec3::Y * 1.7);
    b.set_state(&model.coordinates[40], across).unwrap();
    let pairs = intersections(&a, &b).pairs;
    assert!(pairs.len() > 100, "{}", pairs.len());
    assert!(pairs == intersections(&freed(&a), &freed(&b)).pairs);
}
