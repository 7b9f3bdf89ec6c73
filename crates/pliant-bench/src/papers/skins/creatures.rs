//! Two creatures that walk through one another (Kavan & Žára 2006, table 2): the worst case,
//! with many pairs; and a knight of a file against what he carries.

use anyhow::Result;
use pliant_io::Deformation;
use pliant_scenes::two_creatures;

use super::duel::{Duel, Field, compare};
use super::stored::{find, joined};
use crate::table::Table;

pub(crate) fn run(quick: bool) -> Result<Vec<Table>> {
    let rounds = if quick { 1 } else { 3 };
    eprintln!("creatures: two creatures ...");
    let duel = Duel::new(&two_creatures()?, if quick { 12 } else { 2 });
    let mut table = compare("Two creatures, one through the other", &duel, Field::All, rounds)?;
    table.note("Kavan & Žára 2006, 2.5 GHz Athlon, full query: linear 6.14 ms, spherical 7.47 ms,");
    table.note("bottom-up 35.17 ms; yes/no: 0.72 ms, 1.44 ms, 28.67 ms");
    match find("gltf/skinned/KayKit_Knight.glb") {
        Ok(path) => {
            eprintln!("creatures: knight ...");
            let duel = knight(&pliant_io::load(path)?, if quick { 8 } else { 32 })?;
            Ok(vec![table, compare("Knight and his gear", &duel, Field::Linear, rounds)?])
        }
        Err(skipped) => {
            table.note(format!("knight {skipped}"));
            Ok(vec![table])
        }
    }
}

/// All that is skinned against all that is not.
fn knight(scene: &pliant_io::Scene, frames: u32) -> Result<Duel> {
    let times: Vec<f64> = (0..frames).map(|k| f64::from(k) / f64::from(frames)).collect();
    let skinned =
        |number: &usize| matches!(scene.objects()[*number].deformation, Deformation::Skin { .. });
    let (body, gear): (Vec<usize>, Vec<usize>) =
        (0..scene.objects().len()).partition(|number| skinned(number));
    let animation = "1H_Melee_Attack_Chop";
    let body = joined(scene, &body, animation, &times)?;
    let gear = joined(scene, &gear, animation, &times)?;
    Ok(Duel {
        meshes: [body.mesh, gear.mesh],
        weights: [body.weights, gear.weights],
        frames: body.frames.into_iter().zip(gear.frames).map(|(a, b)| [a, b]).collect(),
    })
}
