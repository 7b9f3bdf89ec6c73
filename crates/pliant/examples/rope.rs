//! A rope around a walking man: beads against triangles, and against one another.
//!
//! `cargo run -p pliant --example rope`

use pliant::deform::{Binding, Blending, Influence, SkinWeights};
use pliant::world::BeadPartner;
use pliant::{AnyBody, Body, Necklace, Result, World};

fn main() -> Result<()> {
    let scene = pliant_scenes::roped_man()?;
    let influences = scene.man.influences.iter();
    let weights = SkinWeights {
        starts: scene.man.starts.clone(),
        influences: influences.map(|i| Influence { joint: i.joint, weight: i.weight }).collect(),
    };
    let binding = Binding::new(weights, scene.man.joints.len())?;

    let mut world = World::new();
    let man = world.insert(Body::skinned(scene.man.mesh.clone(), binding, Blending::Linear)?)?;
    let rope = world.insert_necklace(Necklace::open(&scene.rope(0.0), scene.radius)?)?;
    world.set_own_clashes(rope, Some(3))?; // neighbours but one overlap
    for frame in 0..5 {
        let time = f64::from(frame) / 30.0;
        if let AnyBody::Skinned(body) = world.get_mut(man)? {
            body.set_pose(&scene.man.pose(time), &[])?;
        }
        world.set_beads(rope, &scene.rope(time))?;
        let found = world.bead_contacts();
        println!("frame {frame}: {} exact tests", found.work.primitive_tests);
        for contact in found.contacts {
            match contact.other {
                BeadPartner::Body(_) => println!("  rope on man: {} pairs", contact.pairs.len()),
                BeadPartner::Necklace(_) => println!("  rope on rope: {}", contact.pairs.len()),
            }
        }
    }
    Ok(())
}
