//! From a file to contacts: which objects touch, when.
//!
//! `cargo run -p pliant --example file_to_contacts -- walk.glb`; without a file it writes one into
//! the temporary folder first.

use std::error::Error;
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn Error>> {
    let file = std::env::args_os().nth(1).map_or_else(falling_ball, |file| Ok(file.into()))?;

    let scene = pliant_io::load(&file)?;
    let end = scene.animations().first().map_or(0.0, |animation| animation.end);
    let mut bodies = pliant_io::SceneBodies::new(scene)?;
    for frame in 0..=10 {
        let time = end * f64::from(frame) / 10.0;
        bodies.set_time(time)?;
        for contact in bodies.world().contacts().contacts {
            let [a, b] = contact.bodies.map(|id| bodies.name(id).unwrap_or_default());
            println!("{time:.2} s: {a} touches {b}, in {} pairs of triangles", contact.pairs.len());
        }
    }
    Ok(())
}

/// Writes a ball that falls through a floor within a second.
fn falling_ball() -> Result<PathBuf, Box<dyn Error>> {
    use pliant_io::{
        Animation, Channel, Deformation, Interpolation, Node, NodeTransform, Object, Property,
        Sampler, Scene, SceneParts, write_glb,
    };
    let node = Node { name: None, parent: None, transform: NodeTransform::IDENTITY };
    let fall = Sampler {
        interpolation: Interpolation::Linear,
        times: vec![0.0, 1.0],
        values: vec![0.0, 2.0, 0.0, 0.0, -2.0, 0.0],
    };
    let channel = Channel { sampler: 0, node: 1, property: Property::Translation };
    let (floor, ball) = (pliant_scenes::grid(8, 8, 4.0, 4.0)?, pliant_scenes::icosphere(3)?);
    let scene = Scene::new(SceneParts {
        nodes: vec![node.clone(), node],
        objects: vec![
            Object::new("floor", 0, floor, Deformation::Rigid),
            Object::new("ball", 1, ball, Deformation::Rigid),
        ],
        animations: vec![Animation::new("fall", vec![fall], vec![channel])],
        ..SceneParts::default()
    })?;
    let file = std::env::temp_dir().join(format!("pliant_falling_ball_{}.glb", std::process::id()));
    write_glb(&scene, &file)?;
    println!("wrote {}", file.display());
    Ok(file)
}
