//! Forces from outside: bodies move, turn and bend.

use super::{ball, rubber_bar};
use pliant::glam::{DQuat, DVec3};
use pliant_sim::Error;
use pliant_sim::dynamics::{Model, Placement, Push, Settings, Simulation};

fn alone(model: Model) -> Simulation {
    let settings = Settings { gravity: DVec3::ZERO, drag: 0.0, ..Settings::default() };
    let mut run = Simulation::new(settings).unwrap();
    let model = run.add_model(model);
    let rotation = DQuat::from_scaled_axis(DVec3::new(0.3, -0.2, 0.5));
    let translation = DVec3::new(1.0, 2.0, 3.0);
    run.add_body(model, &Placement { rotation, translation, ..Placement::default() }).unwrap();
    run
}

/// Where a point of a triangle is.
fn point(run: &Simulation, triangle: usize, weights: [f64; 3]) -> DVec3 {
    let model = run.model(0).unwrap();
    let (rotation, place) = run.frame(0).unwrap();
    let q = run.coordinates(0).unwrap();
    let mesh = model.mesh();
    let corners = mesh.triangles()[triangle].iter().zip(weights);
    let own: DVec3 = corners
        .map(|(&v, weight)| {
            let v = v as usize;
            model.modes().displaced(mesh.positions()[v], v, q) * weight
        })
        .sum();
    rotation * own + place
}

/// Momentum and angular momentum change by the force and its moment, to rounding.
#[test]
fn a_push_gives_its_momentum() {
    for model in [ball(), rubber_bar(3, 0.5)] {
        let mut run = alone(model);
        let step = run.settings().step;
        let (weights, force) = ([0.2, 0.3, 0.5], DVec3::new(3.0, -1.0, 2.0));
        let [mut momentum, mut angular] = [DVec3::ZERO; 2];
        for triangle in [0, 5, 3, 0, 7] {
            let arm = point(&run, triangle, weights) - run.state(0).unwrap().position;
            momentum += force * step;
            angular += arm.cross(force) * step;
            let push = Push { body: 0, triangle: triangle as u32, weights, force };
            run.push(push).unwrap();
            run.step().unwrap();
            let state = run.state(0).unwrap();
            assert!((state.momentum - momentum).length() < 1e-12, "{state:?}");
            assert!((state.angular_momentum - angular).length() < 1e-12, "{state:?}");
        }
        // A push lasts for one step.
        run.step().unwrap();
        assert!((run.state(0).unwrap().momentum - momentum).length() < 1e-12);
    }
}

/// A bar that is pushed at its end bends towards the push, and rings when it is let go.
#[test]
fn a_push_bends_and_the_body_rings() {
    let mut run = alone(rubber_bar(3, 0.9));
    let mesh = run.model(0).unwrap().mesh().clone();
    let ends = |t: &[u32; 3]| t.iter().map(|&v| mesh.positions()[v as usize].x).sum::<f64>();
    let compared =
        |a: &usize, b: &usize| ends(&mesh.triangles()[*a]).total_cmp(&ends(&mesh.triangles()[*b]));
    let last = (0..mesh.triangles().len()).max_by(compared).unwrap();
    let weights = [1.0 / 3.0; 3];
    let mut bent: f64 = 0.0;
    for _ in 0..30 {
        let (rotation, _) = run.frame(0).unwrap();
        let force = rotation * (DVec3::Y * 20.0);
        run.push(Push { body: 0, triangle: last as u32, weights, force }).unwrap();
        run.step().unwrap();
        let model = run.model(0).unwrap();
        let q = run.coordinates(0).unwrap();
        let vertex = mesh.triangles()[last][0] as usize;
        let rest = mesh.positions()[vertex];
        bent = bent.max((model.modes().displaced(rest, vertex, q) - rest).y);
    }
    assert!(bent > 1e-4, "its end moves by {bent} m along the push");
    let mut signs = Vec::new();
    for _ in 0..60 {
        run.step().unwrap();
        signs.push(run.coordinates(0).unwrap()[0] > 0.0);
    }
    assert!(signs.windows(2).any(|two| two[0] != two[1]), "it does not ring");
}

#[test]
fn wrong_pushes_are_refused() {
    let mut run = alone(ball());
    let push = Push { body: 0, triangle: 0, weights: [1.0, 0.0, 0.0], force: DVec3::X };
    assert!(matches!(run.push(Push { body: 1, ..push }), Err(Error::NoSuchBody { body: 1, .. })));
    assert!(run.push(Push { triangle: 1 << 20, ..push }).is_err());
    assert!(run.push(Push { force: DVec3::NAN, ..push }).is_err());
    assert!(run.push(Push { weights: [f64::INFINITY, 0.0, 0.0], ..push }).is_err());
    run.step().unwrap();
    assert_eq!(run.state(0).unwrap().momentum, DVec3::ZERO);
}
