//! Balls of a rapier world rain on a walking animal, whose skin is pliant's.
//!
//! rapier moves the balls and lets them meet the ground and one another. The skin is in no collider: every
//! step pliant is asked for the point of it that is nearest to each ball, and what touches bounces off.
//! A pick asks both worlds, and the nearer hit counts. No pose is baked, and there is nothing between
//! the two libraries but numbers.
//!
//! `cargo run --release -p pliant-bench --features beside-rapier --example beside_rapier`

use anyhow::{Result, ensure};
use pliant::deform::{Binding, Blending, Influence, SkinWeights};
use pliant::glam::DVec3;
use pliant::{Body, SkinnedBody, closest_point, ray_cast};
use pliant_scenes::Character;
use rapier3d::prelude::{
    ColliderBuilder, PhysicsWorld, QueryFilter, Ray, RigidBodyBuilder, RigidBodyHandle, Vector,
};

/// Metres.
const RADIUS: f32 = 0.05;

fn main() -> Result<()> {
    let animal = pliant_scenes::creature()?;
    let mut skin = skin_of(&animal)?;
    let mut world = PhysicsWorld::default();
    let below = RigidBodyBuilder::fixed().translation(Vector::new(0.0, -0.5, 0.0));
    world.insert(below, ColliderBuilder::cuboid(50.0, 0.5, 50.0));
    let balls: Vec<RigidBodyHandle> = (0..60_u16)
        .map(|number| {
            let [row, column] = [number / 6, number % 6].map(f32::from);
            let place = Vector::new(0.12 * (column - 2.5), 1.6 + 0.15 * row, 0.25 * row - 0.9);
            let ball = RigidBodyBuilder::dynamic().translation(place).can_sleep(false);
            world.insert(ball, ColliderBuilder::ball(RADIUS).restitution(0.4)).0
        })
        .collect();

    let step = f64::from(world.integration_parameters.dt);
    let mut touches = 0;
    for number in 0..120 {
        let time = step * f64::from(number);
        world.step();
        skin.set_pose(&animal.pose(time), &[])?; // touches no vertex
        let touching = balls.iter().filter(|&&ball| bounce(&mut world, ball, &skin));
        let now = touching.count();
        touches += now;
        if number % 20 == 0 {
            let eye = DVec3::new(0.0, 4.0, animal.walk_speed() * time);
            println!("{time:.2} s: {now} balls touch the skin; {}", pick(&world, &skin, eye)?);
        }
    }
    ensure!(touches > 0, "the balls miss the animal");
    println!("{touches} touches in all");
    Ok(())
}

/// Lets a ball that touches the skin bounce off; whether it does.
fn bounce(world: &mut PhysicsWorld, ball: RigidBodyHandle, skin: &SkinnedBody) -> bool {
    let ball = &mut world.bodies[ball];
    let center = double(ball.translation());
    let Ok(nearest) = closest_point(skin, center) else { return false };
    let away = center - nearest.found.point;
    let distance = away.length();
    if distance >= f64::from(RADIUS) || distance == 0.0 {
        return false;
    }
    let normal = single(away / distance);
    let speed = ball.linvel();
    let inward = speed.dot(normal);
    if inward < 0.0 {
        ball.set_linvel(speed - normal * (1.4 * inward), true);
    }
    let out = normal * (RADIUS - distance as f32);
    ball.set_translation(ball.translation() + out, true);
    true
}

/// What is under the eye: a ball of rapier's, or the skin.
fn pick(world: &PhysicsWorld, skin: &SkinnedBody, eye: DVec3) -> Result<String> {
    let ray = Ray::new(single(eye), -Vector::Y);
    let ball = world.cast_ray(&ray, f32::MAX, true, QueryFilter::only_dynamic());
    let hit = ray_cast(skin, &pliant::volume::Ray::new(eye, -DVec3::Y)?).hit;
    Ok(match (ball, hit) {
        (Some((_, t)), Some((_, hit))) if f64::from(t) < hit.t => format!("a ball is at {t:.3} m"),
        (_, Some((triangle, hit))) => format!("triangle {triangle} is at {:.3} m", hit.t),
        (Some((_, t)), None) => format!("a ball is at {t:.3} m"),
        (None, None) => "nothing is below the eye".into(),
    })
}

fn skin_of(animal: &Character) -> Result<SkinnedBody> {
    let influences = animal.influences.iter();
    let influences = influences.map(|one| Influence { joint: one.joint, weight: one.weight });
    let starts = animal.starts.clone();
    let weights = SkinWeights { starts, influences: influences.collect() };
    let binding = Binding::new(weights, animal.joints.len())?;
    Ok(Body::skinned(animal.mesh.clone(), binding, Blending::Linear)?)
}

fn single(v: DVec3) -> Vector {
    Vector::new(v.x as f32, v.y as f32, v.z as f32)
}

fn double(v: Vector) -> DVec3 {
    DVec3::new(f64::from(v.x), f64::from(v.y), f64::from(v.z))
}
