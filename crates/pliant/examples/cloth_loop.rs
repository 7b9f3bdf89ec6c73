//! Cloth in a simulation loop: set positions, find what touches, itself included.
//!
//! `cargo run -p pliant --example cloth_loop`

use pliant::{Body, Result, intersections, self_intersections};

fn main() -> Result<()> {
    // The positions of every step come from somewhere: here from a cloth that falls on a table.
    let scene = pliant_scenes::tablecloth(800)?;
    let table = Body::rigid(scene.table)?;
    let mut cloth = Body::free(scene.cloth.mesh.clone())?;

    for (step, positions) in scene.cloth.frames.iter().enumerate().step_by(5) {
        cloth.set_positions(positions)?; // refits all boxes
        let with_table = intersections(&cloth, &table);
        let with_itself = self_intersections(&cloth); // neighbours do not count
        println!(
            "step {step}: {} pairs with the table, {} with itself; {} triangle tests",
            with_table.pairs.len(),
            with_itself.pairs.len(),
            with_table.work.primitive_tests + with_itself.work.primitive_tests
        );
    }
    Ok(())
}
