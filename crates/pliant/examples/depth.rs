//! How deep two bodies are in each other, what is near, and what is inside.
//!
//! `cargo run --example depth`

use pliant::glam::DVec3;
use pliant::{Body, Depth, Isometry, Mesh, Result};

fn main() -> Result<()> {
    let mut ball = Body::rigid(octahedron()?)?;
    let block = Body::rigid(octahedron()?)?;
    for height in [2.5, 2.02, 1.8, 0.9] {
        ball.set_isometry(Isometry::from_translation(DVec3::Z * height)?);
        let near = pliant::within(&ball, &block, 0.05)?.pairs;
        println!("at {height}: {} pairs of triangles within 0.05", near.len());
        for region in pliant::penetration(&ball, &block).regions {
            let Depth::At(deepest) = region.depth else { continue };
            println!(
                "  {:?}, {:.3} deep at {}, leaves along {}; {} points of the curve",
                region.kind,
                deepest.depth,
                deepest.point,
                region.direction.unwrap_or(DVec3::ZERO),
                region.curve.iter().map(Vec::len).sum::<usize>(),
            );
        }
        let tip = DVec3::Z * (height - 1.0);
        println!("  its tip is {:?}", pliant::inside(&block, tip)?.inside);
    }
    Ok(())
}

/// Six corners, one unit from the origin, and eight faces that look outward.
fn octahedron() -> Result<Mesh> {
    let corners = vec![DVec3::X, DVec3::NEG_X, DVec3::Y, DVec3::NEG_Y, DVec3::Z, DVec3::NEG_Z];
    let upper = [[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4]];
    let lower = [[2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]];
    Mesh::new(corners, [upper, lower].concat())
}
