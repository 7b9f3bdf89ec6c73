//! Bodies that move by themselves and are pushed by the hand: jelly by shape matching, a chair by its modes.

use std::sync::Arc;

use crate::support::*;
use pliant::deform::{Binding, Blending};
use pliant::glam::{DAffine3, DVec3};
use pliant::{AnyBody, Body, Inside, Mesh, inside};
use pliant_haptics::{Changes, Material, Object, Probe, Reading, Scene, Settings, Touch};
use pliant_scenes::{CHAIR_LEVEL, chair_model, jelly_on_stairs, modal_chair};
use pliant_sim::dynamics::{self, Obstacle, Placement, Push, Simulation};
use pliant_sim::shape_matching::{Shape, ShapeBody, ShapeMaterial};
use pliant_sim::shape_matching::{ShapeSimulation, SimulationSettings};

/// A hand, one object in a scene, and a spare of it.
struct Hand {
    probe: Probe,
    scene: Scene,
    spare: Option<Box<Object>>,
}

impl Hand {
    fn new(body: AnyBody, material: Material, at: DVec3, radius: f64) -> Self {
        let object = Object::new(body, material).unwrap();
        let spare = Some(Box::new(object.clone()));
        let scene = Scene::of([object]);
        let settings = Settings { radius, force_limit: 1e3, ..Settings::default() };
        let mut probe = Probe::new(at, settings).unwrap();
        probe.ready_for(&scene);
        Self { probe, scene, spare }
    }

    /// Takes a new state of the body, and moves.
    fn step(
        &mut self,
        device: DVec3,
        dt: f64,
        set: impl FnOnce(&mut AnyBody) -> pliant::Result<()>,
    ) -> Touch {
        let mut object = self.spare.take().unwrap();
        object.set_state(set).unwrap();
        let mut changes = Changes::new();
        changes.set(0, Some(object));
        self.probe.follow(&mut self.scene, &mut changes);
        self.spare = changes.take(0);
        let touch = self.probe.step(&self.scene, Reading::at(device), dt);
        let side = inside(self.scene.object(0).unwrap().body(), touch.proxy).unwrap().inside;
        assert_ne!(side, Inside::In, "{touch:?}");
        touch
    }
}

/// A piece of jelly that floats is carried off and dented by a hand; its momentum is what the hand gave.
#[test]
fn a_hand_pushes_jelly() {
    let jelly = jelly_on_stairs(1, 1).unwrap();
    let shape =
        Shape::new(jelly.points.clone(), 1.0, jelly.radius, 4, ShapeMaterial::JELLY).unwrap();
    let weights = shape.skin_weights(&jelly.surface);
    let binding = Binding::new(weights, shape.clusters()).unwrap();
    let body = Body::skinned(jelly.surface, binding, Blending::Linear).unwrap();
    let settings = SimulationSettings { gravity: DVec3::ZERO, ..Default::default() };
    let mut run = ShapeSimulation::new(settings).unwrap();
    let shape = Arc::new(shape);
    run.bodies.push(ShapeBody::new(shape, DAffine3::IDENTITY, DVec3::ZERO).unwrap());
    let rest = run.bodies[0].positions().to_vec();
    let step = run.settings().step;
    let mut hand = Hand::new(body.into(), Material::default(), DVec3::Y * 0.5, RADIUS);
    let (mut given, mut dented) = (DVec3::ZERO, 0.0_f64);
    for number in 0..60 {
        let joints = run.bodies[0].joints();
        let device = DVec3::new(0.02, 0.5 - 0.01 * f64::from(number), 0.01);
        let touch = hand.step(device, step, |body| match body {
            AnyBody::Skinned(body) => body.set_pose(&joints, &[]),
            _ => Ok(()),
        });
        let contacts = touch.contacts.as_slice();
        let depths: f64 = contacts.iter().map(|contact| contact.depth).sum();
        for contact in contacts.iter().filter(|_| depths > 0.0) {
            let impulse = -touch.force * (contact.depth / depths) * step;
            given += impulse;
            run.bodies[0].push(contact.point, impulse).unwrap();
        }
        run.step();
        let momentum = run.bodies[0].momentum();
        assert_near(momentum, given, 1e-9, "momentum");
        let sizes = [&rest[..], run.bodies[0].positions()].map(|points| {
            let heights = points.iter().map(|p| p.y);
            heights.clone().fold(f64::MIN, f64::max) - heights.fold(f64::MAX, f64::min)
        });
        dented = dented.max((sizes[1] / sizes[0] - 1.0).abs());
    }
    assert!(
        given.y < -0.1 && run.bodies[0].center().y < -0.01,
        "{given} {}",
        run.bodies[0].center()
    );
    assert!(dented > 0.001, "{dented}");
}

/// A chair is pushed at its back: it bends, tips and falls.
#[test]
fn a_pushed_chair_bends_and_falls() {
    let model = Arc::new(chair_model(modal_chair().unwrap(), CHAIR_LEVEL).unwrap());
    let mut run = Simulation::new(dynamics::Settings::default()).unwrap();
    let mesh = Mesh::clone(model.mesh());
    let corners = mesh.positions().iter();
    let low = corners.clone().fold(DVec3::INFINITY, |low, &p| low.min(p));
    let high = corners.fold(DVec3::NEG_INFINITY, |high, &p| high.max(p));
    let own = run.add_model(Arc::clone(&model));
    run.add_body(own, &Placement::at(DVec3::Y * -low.y)).unwrap();
    run.add_obstacle(Obstacle::floor(0.0)).unwrap();
    for _ in 0..150 {
        run.step().unwrap();
    }
    let stands = |run: &Simulation| (run.frame(0).unwrap().0 * DVec3::Y).y;
    assert!(stands(&run) > 0.99, "{}", stands(&run));
    let body = Body::reduced(mesh, Arc::clone(model.modes())).unwrap();
    // Where the back is: the highest vertex, from the side on which it is nearer to the border.
    let top = model.mesh().positions().iter().max_by(|a, b| a.y.total_cmp(&b.y)).unwrap();
    let middle = 0.5 * (low + high);
    let out = if top.z > middle.z { 1.0 } else { -1.0 };
    let height = high.y - low.y - 0.05;
    let at = |far: f64| DVec3::new(middle.x, height, middle.z + out * far);
    // Larger than the slots of the back, and rough: it neither passes them nor slides off.
    let material = Material { stiffness: 2000.0, ..Material::default() }.with_friction(0.9, 0.8);
    let mut hand = Hand::new(body.into(), material, at(1.0), 0.05);
    let still = run.coordinates(0).unwrap().to_vec();
    let (mut bent, mut pushed) = (0.0_f64, 0);
    let step = run.settings().step;
    for number in 0..450 {
        let device = at(1.0 - 0.8 * f64::from(number.min(375)) * step);
        let (rotation, place) = run.frame(0).unwrap();
        let frame = DAffine3::from_rotation_translation(rotation, place);
        let q = run.coordinates(0).unwrap().to_vec();
        let touch = hand.step(device, step, |body| match body {
            AnyBody::Reduced(body) => body.set_state(&q, frame),
            _ => Ok(()),
        });
        let contacts = touch.contacts.as_slice();
        let depths: f64 = contacts.iter().map(|contact| contact.depth).sum();
        for contact in contacts.iter().filter(|_| depths > 0.0) {
            let force = -touch.force * (contact.depth / depths);
            let (triangle, weights) = (contact.triangle, contact.weights);
            run.push(Push { body: 0, triangle, weights, force }).unwrap();
            pushed += 1;
            let off = q.iter().zip(&still).map(|(now, before)| (now - before).powi(2));
            bent = bent.max(off.sum::<f64>().sqrt());
        }
        run.step().unwrap();
    }
    assert!(pushed > 5 && bent > 0.0, "{pushed} pushes, {bent}");
    assert!(stands(&run) < 0.5, "it still stands: {}, {}", stands(&run), run.frame(0).unwrap().1);
}
