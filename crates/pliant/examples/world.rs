//! A world: bodies of several kinds, with filters, asked all at once.
//!
//! `cargo run -p pliant --example world`

use pliant::glam::{DAffine3, DVec3};
use pliant::volume::Ray;
use pliant::world::Groups;
use pliant::{AnyBody, Body, Isometry, Result, World};

const SCENERY: u32 = 1;
const THINGS: u32 = 2;

fn main() -> Result<()> {
    let mut world = World::new();
    let floor = world.insert(Body::rigid(pliant_scenes::grid(20, 20, 10.0, 10.0)?)?)?;
    let wall = world.insert(Body::rigid(pliant_scenes::cuboid(DVec3::splat(1.0), [4; 3])?)?)?;
    // Scenery meets things, but no other scenery.
    for scenery in [floor, wall] {
        world.set_groups(scenery, Groups { member: SCENERY, meets: THINGS })?;
    }
    // Many balls share one mesh, tree and boxes.
    let ball = Body::affine(pliant_scenes::icosphere(2)?)?;
    let mut balls = Vec::new();
    for number in 0..5 {
        let mut ball = ball.clone();
        let place = DVec3::new(f64::from(number) * 1.5 - 3.0, 0.4, 0.0);
        ball.set_map(DAffine3::from_translation(place))?;
        balls.push(world.insert(ball)?);
    }
    let cloth = world.insert(Body::free(pliant_scenes::grid(10, 10, 3.0, 3.0)?)?)?;
    world.set_self_contact(cloth, true)?;
    // The cloth is fixed to the floor: that they touch is no news.
    world.set_ignored(cloth, floor, true)?;

    for step in 0..3 {
        if let AnyBody::Rigid(body) = world.get_mut(wall)? {
            let place = DVec3::new(f64::from(step) - 1.0, 0.5, 0.0);
            body.set_isometry(Isometry::from_translation(place)?);
        }
        let found = world.contacts();
        println!("step {step}: {} triangle tests", found.work.primitive_tests);
        for contact in found.contacts {
            let [a, b] = contact.bodies;
            println!("  body {a} touches body {b}, in {} pairs", contact.pairs.len());
        }
    }

    let down = Ray::new(DVec3::new(-3.0, 5.0, 0.0), -DVec3::Y)?;
    if let Some((body, triangle, hit)) = world.ray_cast(&down).hit {
        println!("below is triangle {triangle} of body {body}, {:.3} m away", hit.t);
    }
    let near = world.nearest_bodies(DVec3::new(4.0, 1.0, 0.0), 2)?;
    for near in near.bodies {
        let away = near.closest.found.distance_squared.sqrt();
        println!("body {} is {away:.3} m away", near.body);
    }
    world.remove(balls[0])?;
    println!("{} bodies are left", world.len());
    Ok(())
}
