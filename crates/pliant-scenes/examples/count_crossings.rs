//! Counts the crossing triangles of curtain and ball, frame by frame.
//!
//! `cargo run --release -p pliant-scenes --example count_crossings -- REFINEMENTS SUBDIVISIONS STRIDE`

#[path = "../tests/all/support/mod.rs"]
mod support;

use pliant_scenes::curtain::{BALL_RADIUS, FRAMES};
use pliant_scenes::curtain_and_ball;
use support::{corners, crossing_pairs};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let given: Vec<u32> = std::env::args().skip(1).map(|a| a.parse()).collect::<Result<_, _>>()?;
    let [refinements, subdivisions, stride] = given[..] else {
        return Err("usage: count_crossings REFINEMENTS SUBDIVISIONS STRIDE".into());
    };
    let scene = curtain_and_ball(refinements, subdivisions)?;
    for frame in (0..FRAMES).step_by(stride.max(1) as usize) {
        let cloth = scene.curtain.positions(frame)?;
        let center = scene.ball.centers[frame];
        let nearest = cloth.iter().map(|p| p.distance(center)).fold(f64::INFINITY, f64::min);
        let ball: Vec<_> = scene.ball.mesh.positions().iter().map(|&p| p + center).collect();
        let pairs = crossing_pairs(
            &corners(&cloth, scene.curtain.mesh.triangles()),
            &corners(&ball, scene.ball.mesh.triangles()),
        );
        println!("{frame:3} {:5} pairs, gap {:+.4}", pairs.len(), nearest - BALL_RADIUS);
    }
    Ok(())
}
