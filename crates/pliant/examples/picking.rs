//! Picking: which triangle of a walking character is under the mouse.
//!
//! `cargo run -p pliant --example picking`

use pliant::deform::{Binding, Blending, Influence, SkinWeights};
use pliant::glam::DVec3;
use pliant::volume::Ray;
use pliant::{Body, Result, ray_cast};

fn main() -> Result<()> {
    let character = pliant_scenes::creature()?;
    let influences = character.influences.iter();
    let weights = SkinWeights {
        starts: character.starts.clone(),
        influences: influences
            .map(|one| Influence { joint: one.joint, weight: one.weight })
            .collect(),
    };
    let binding = Binding::new(weights, character.joints.len())?;
    let mut body = Body::skinned(character.mesh.clone(), binding, Blending::Linear)?;

    for step in 0..8 {
        let time = character.walk_period() * f64::from(step) / 8.0;
        body.set_pose(&character.pose(time), &[])?; // touches no vertex
        // From the side, at the height of the chest, walking along.
        let eye = DVec3::new(5.0, 0.5, character.walk_speed() * time);
        let cast = ray_cast(&body, &Ray::new(eye, -DVec3::X)?);
        match cast.hit {
            Some((triangle, hit)) => println!(
                "{time:.2} s: triangle {triangle}, {:.3} m from the eye; {} of {} boxes evaluated",
                hit.t,
                cast.work.bounds,
                body.nodes()
            ),
            None => println!("{time:.2} s: nothing"),
        }
    }
    Ok(())
}
