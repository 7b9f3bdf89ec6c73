//! Two men who pass one another (Kavan & Žára 2006, table 2), and what else a walking man is
//! asked: rays, and where he touches himself.

use anyhow::Result;
use glam::{DAffine3, DQuat, DVec3};
use pliant_scenes::{man, two_men_passing};

use super::duel::{Duel, Field, compare, weights_of};
use super::stored::{StoredSkin, makehuman};
use super::{rays, self_contact};
use crate::table::Table;

pub(crate) fn run(quick: bool) -> Result<Vec<Table>> {
    let rounds = if quick { 1 } else { 3 };
    eprintln!("men: two men passing ...");
    let duel = Duel::new(&two_men_passing()?, if quick { 6 } else { 1 });
    let mut men = compare("Two men passing", &duel, Field::All, rounds)?;
    men.note("Kavan & Žára 2006, 2.5 GHz Athlon, full query: linear 0.27 ms, spherical 0.31 ms,");
    men.note("bottom-up 16.70 ms");
    let mut tables = vec![men];

    let character = man()?;
    let frames = if quick { 4 } else { 16 };
    let times: Vec<f64> = (0..frames).map(|k| f64::from(k) / f64::from(frames)).collect();
    let at = |&time: &f64| character.pose(time * character.walk_period());
    let walker = StoredSkin {
        weights: weights_of(&character),
        frames: times.iter().map(at).collect(),
        mesh: character.mesh,
    };
    let mut walkers = vec![("Man", walker)];
    eprintln!("men: MakeHuman ...");
    match makehuman(&times)? {
        Ok(skin) => {
            tables.push(compare(
                "MakeHuman and a copy in its way",
                &in_its_way(&skin),
                Field::Linear,
                rounds,
            )?);
            walkers.push(("MakeHuman", skin));
        }
        Err(skipped) => {
            if let Some(table) = tables.last_mut() {
                table.note(format!("MakeHuman {skipped}"));
            }
        }
    }
    eprintln!("men: rays and self-collision ...");
    for (name, walker) in &walkers {
        tables.push(rays::compare(name, walker, quick)?);
    }
    for (name, walker) in &walkers {
        tables.push(self_contact::compare(name, walker, quick)?);
    }
    Ok(tables)
}

/// A character and a copy that faces it, from 2 m apart until they are one in the other. Both
/// walk on the spot: what moves the copy is how near it is.
fn in_its_way(skin: &StoredSkin) -> Duel {
    let middle = |joints: &[DAffine3]| {
        let origin = skin.mesh.positions().first().copied().unwrap_or(DVec3::ZERO);
        let place = joints.first().map_or(origin, |joint| joint.transform_point3(origin));
        DVec3::new(place.x, 0.0, place.z)
    };
    let last = skin.frames.len().saturating_sub(1).max(1) as f64;
    let frames = skin.frames.iter().enumerate().map(|(frame, joints)| {
        let near = 2.0 * (1.0 - frame as f64 / last) + 0.1;
        let back = DAffine3::from_translation(-middle(joints));
        let turn = DAffine3::from_rotation_translation(
            DQuat::from_rotation_y(std::f64::consts::PI),
            DVec3::new(0.05, 0.0, near),
        );
        let place = |map: DAffine3| joints.iter().map(|&joint| map * joint).collect();
        [place(back), place(turn * back)]
    });
    Duel {
        meshes: [skin.mesh.clone(), skin.mesh.clone()],
        weights: [skin.weights.clone(), skin.weights.clone()],
        frames: frames.collect(),
    }
}
