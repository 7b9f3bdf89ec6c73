//! Obstacles that move, and surfaces.

use std::sync::Arc;

use pliant::deform::{Keyframes, Modes};
use pliant::glam::{DQuat, DVec3};
use pliant::{Body, Mesh};
use pliant_sim::dynamics::{
    Movement, Obstacle, Other, Placement, Settings, Simulation, SurfaceMotion, SurfaceObstacle,
};

use super::{ball, block, rubber_bar, scatter};

/// A square in the plane y = 0.
fn sheet(half: f64, cells: u32) -> Mesh {
    let flat = block(DVec3::new(2.0 * half, 0.0, 2.0 * half), [cells, 1, cells]);
    Mesh::new(flat.positions().to_vec(), flat.triangles().to_vec()).unwrap()
}

fn surface(body: impl Into<pliant::AnyBody>, motion: SurfaceMotion) -> Obstacle {
    Obstacle::Surface(Box::new(SurfaceObstacle::new(body, motion).unwrap()))
}

/// A sheet that swings up and down by a mode, once per second.
fn swinging(cells: u32) -> Obstacle {
    let mesh = sheet(1.0, cells);
    let lift = mesh.positions().iter().map(|p| DVec3::Y * (1.0 - 0.5 * p.x * p.x)).collect();
    let modes = Modes::from_fields(mesh.positions().len(), &[lift]).unwrap();
    let frame = |n: u32| vec![0.1 * (std::f64::consts::TAU * f64::from(n) / 20.0).sin()];
    let frames = (0..20).map(frame).collect();
    let body = Body::reduced(mesh, Arc::new(modes)).unwrap();
    surface(body, SurfaceMotion::Coordinates { frames, rate: 20.0 })
}

/// A sheet that rises by keyframes at half a metre per second, and stands after a second.
fn rising() -> Obstacle {
    let mesh = sheet(1.0, 4);
    let lifted = mesh.positions().iter().map(|&p| p + DVec3::Y * 0.5).collect();
    let frames = vec![mesh.positions().to_vec(), lifted];
    let keyframes = Keyframes::new(vec![0.0, 1.0], frames).unwrap();
    surface(Body::keyframed(mesh, keyframes).unwrap(), SurfaceMotion::Keyframes)
}

#[test]
fn no_contact_with_a_moving_surface_is_missed() {
    // Of triangles that are larger than the bodies, and of smaller ones.
    for obstacle in [swinging(2), swinging(6), swinging(24), rising()] {
        let mut run = Simulation::new(Settings::default()).unwrap();
        let bar = run.add_model(rubber_bar(4, 0.3));
        run.add_obstacle(obstacle).unwrap();
        let movement = Movement { velocity: DVec3::X * 0.3, spin: DVec3::Y };
        let center = DVec3::new(-0.5, 0.3, 0.0);
        let (rotation, half) = (DQuat::from_rotation_z(0.3), DVec3::new(0.1, 0.4, 0.5));
        run.add_obstacle(Obstacle::Cuboid { center, rotation, half, movement }).unwrap();
        scatter(&mut run, bar, 4, 0.2, 9);
        let (mut of_surface, mut of_box) = (0, 0);
        for _ in 0..200 {
            let expected = run.find_contacts_by_brute_force().unwrap();
            let (found, _) = run.find_contacts().unwrap();
            assert!(found == expected, "step {}", run.steps_done());
            for contact in &found {
                match contact.other {
                    Other::Obstacle { triangle: Some(_), .. } => of_surface += 1,
                    Other::Obstacle { .. } => of_box += 1,
                    Other::Body { .. } => {}
                }
            }
            run.step().unwrap();
        }
        assert!(of_surface > 100 && of_box > 50, "{of_surface} {of_box}");
    }
}

#[test]
fn a_ball_rides_on_a_surface_that_rises() {
    let mut run = Simulation::new(Settings::default()).unwrap();
    let model = ball();
    let radius = f64::from(model.proxies().nodes()[0].radius);
    let id = run.add_model(model);
    run.add_obstacle(rising()).unwrap();
    run.add_body(id, &Placement::at(DVec3::Y * radius)).unwrap();
    for _ in 0..140 {
        run.step().unwrap();
    }
    let state = run.state(0).unwrap();
    let speed = state.momentum.y / run.model(0).unwrap().mass().mass;
    assert!((speed - 0.5).abs() < 1e-3, "it rises with the surface: {speed}");
    for _ in 0..300 {
        run.step().unwrap();
    }
    let height = run.frame(0).unwrap().1.y;
    assert!((height - 0.5 - radius).abs() < 0.01, "it rests at the end: {height}");
}

#[test]
fn a_box_that_moves_carries_what_lies_on_it() {
    let mut run = Simulation::new(Settings::default()).unwrap();
    let bar = run.add_model(rubber_bar(4, 0.2));
    let movement = Movement { velocity: DVec3::X * 0.2, spin: DVec3::ZERO };
    let (center, half) = (DVec3::Y * -0.5, DVec3::new(1.0, 0.5, 1.0));
    let rotation = DQuat::IDENTITY;
    run.add_obstacle(Obstacle::Cuboid { center, rotation, half, movement }).unwrap();
    run.add_body(bar, &Placement::at(DVec3::Y * 0.09)).unwrap();
    for _ in 0..450 {
        run.step().unwrap();
    }
    let state = run.state(0).unwrap();
    let speed = state.momentum / run.model(0).unwrap().mass().mass;
    assert!(speed.distance(DVec3::X * 0.2) < 2e-3, "{speed}");
}

#[test]
fn a_motion_for_another_kind_of_body_is_refused() {
    let still = Body::rigid(sheet(1.0, 1)).unwrap();
    assert!(SurfaceObstacle::new(still.clone(), SurfaceMotion::Still).is_ok());
    let wrong = SurfaceMotion::Coordinates { frames: vec![vec![1.0]], rate: 1.0 };
    assert!(SurfaceObstacle::new(still.clone(), wrong).is_err());
    assert!(SurfaceObstacle::new(still, SurfaceMotion::Keyframes).is_err());
    let mesh = sheet(1.0, 1);
    let lift = vec![DVec3::Y; mesh.positions().len()];
    let modes = Arc::new(Modes::from_fields(mesh.positions().len(), &[lift]).unwrap());
    let reduced = Body::reduced(mesh, modes).unwrap();
    let frames = [vec![], vec![vec![1.0], vec![]], vec![vec![f64::NAN]], vec![vec![1.0, 2.0]]];
    for frames in frames {
        let motion = SurfaceMotion::Coordinates { frames, rate: 1.0 };
        assert!(SurfaceObstacle::new(reduced.clone(), motion).is_err());
    }
    let motion = SurfaceMotion::Coordinates { frames: vec![vec![1.0]], rate: f64::NAN };
    assert!(SurfaceObstacle::new(reduced, motion).is_err());
}
