//! Repeats one operation, for tools that count instructions.
//!
//!     cargo run --release -p pliant-scenes --example repeat -- refit 0 10
//!
//! `bench/instructions` runs it under valgrind twice and divides the difference.

use std::hint::black_box;

use pliant::glam::DVec3;
use pliant::volume::Ray;
use pliant::{Body, FreeBody, intersections, ray_cast, self_intersections};
use pliant_scenes::curtain_and_ball;

/// A frame in which curtain and ball touch.
const FRAME: usize = 56;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [what, refinements, times] = arguments.as_slice() else {
        return Err("usage: repeat refit|query|self|ray REFINEMENTS TIMES".into());
    };
    let (refinements, times): (u32, usize) = (refinements.parse()?, times.parse()?);
    let scene = curtain_and_ball(refinements, 4)?;
    let positions = scene.curtain.positions(FRAME)?;
    let center = scene.ball.centers[FRAME];
    let moved: Vec<DVec3> = scene.ball.mesh.positions().iter().map(|&p| p + center).collect();
    let mut cloth: FreeBody = Body::free(scene.curtain.mesh)?;
    cloth.set_positions(&positions)?;
    let mut ball: FreeBody = Body::free(scene.ball.mesh)?;
    ball.set_positions(&moved)?;
    let ray = Ray::new(DVec3::new(0.1, 1.4, 5.0), DVec3::NEG_Z)?;
    for _ in 0..times {
        match what.as_str() {
            "refit" => cloth.set_positions(black_box(&positions))?,
            "query" => drop(black_box(intersections(&cloth, &ball))),
            "self" => drop(black_box(self_intersections(&cloth))),
            "ray" => {
                black_box(ray_cast(&cloth, &ray));
            }
            other => return Err(format!("{other}: not one of refit, query, self, ray").into()),
        }
    }
    Ok(())
}
