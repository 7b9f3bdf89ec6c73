//! A protein sinks into a surface: beads against the triangles of a body.
//!
//! `cargo run -p pliant --example protein`

use pliant::{Body, Necklace, Result, World};

fn main() -> Result<()> {
    let scene = pliant_scenes::protein_on_surface(2000, 1)?;
    let mut world = World::new();
    world.insert(Body::rigid(scene.surface.clone())?)?;
    let necklace = Necklace::open(&scene.beads(0.0), scene.protein.radius)?;
    let protein = world.insert_necklace(necklace)?;
    for step in 0..=10 {
        let progress = f64::from(step) / 10.0;
        world.set_beads(protein, &scene.beads(progress))?;
        let found = world.bead_contacts();
        let pairs: usize = found.contacts.iter().map(|contact| contact.pairs.len()).sum();
        let tests = found.work.primitive_tests;
        println!("{:3.0} %: {pairs} beads on triangles, {tests} exact tests", 100.0 * progress);
    }
    Ok(())
}
