//! A proxy at a kilohertz (Ruspini, Kolarov and Khatib 1997): what a step of the force loop costs.

mod chairs;
mod flood;
mod player;

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Result, ensure};
use glam::DVec3;
use pliant::deform::{Binding, Blending, Modes};
use pliant::{AnyBody, Body};
use pliant_haptics::{Material, Reading};
use pliant_scenes::curtain::Curtain;
use pliant_scenes::{curtain, man};

use super::skins::duel::weights_of;
use super::skins::stored::{StoredSkin, makehuman};
use crate::table::{Table, count, ratio, seconds};
use player::{DT, Player};

pub(crate) fn run(quick: bool) -> Result<Vec<Table>> {
    let sizes = if quick { vec![0, 1] } else { vec![0, 1, 2, 3] };
    let mut scenes = Vec::new();
    for refinements in sizes {
        eprintln!("haptics: curtain, {refinements} refinements ...");
        scenes.push(Cloth::new(curtain(refinements)?)?);
    }
    let apart = apart(&scenes, quick)?;
    let Some(largest) = scenes.last() else { return Ok(vec![apart]) };
    let mut tables = vec![apart, in_contact(largest, quick)?];
    eprintln!("haptics: refitted bottom-up ...");
    tables.push(refitted(largest, quick)?);
    Ok(tables)
}

/// The server against a client that floods.
pub(crate) fn flooded(quick: bool) -> Result<Vec<Table>> {
    Ok(vec![flood::flooded(quick)?])
}

/// A curtain as a reduced body.
struct Cloth {
    curtain: Curtain,
    body: AnyBody,
}

impl Cloth {
    fn new(curtain: Curtain) -> Result<Self> {
        let modes = Modes::from_fields(curtain.mesh.positions().len(), &curtain.modes)?;
        let body = Body::reduced(curtain.mesh.clone(), Arc::new(modes))?.into();
        Ok(Self { curtain, body })
    }

    /// The coordinates at a step of a millisecond: a twentieth of a frame.
    fn coordinates(&self, step: usize) -> Vec<f64> {
        let at = step as f64 * 0.05;
        let frames = &self.curtain.coordinates;
        let frame = at as usize % (frames.len() - 1);
        let between = |(a, b): (&f64, &f64)| a + (b - a) * at.fract();
        frames[frame].iter().zip(&frames[frame + 1]).map(between).collect()
    }

    /// Where the hand is: behind the curtain, and strokes it.
    fn hand(step: usize) -> DVec3 {
        let t = step as f64 * DT;
        DVec3::new(0.4 * (1.3 * t).sin(), 1.2 + 0.5 * (0.7 * t).sin(), -0.6)
    }

    fn set(body: &mut AnyBody, coordinates: &[f64]) -> pliant::Result<()> {
        match body {
            AnyBody::Reduced(body) => body.set_coordinates(coordinates),
            _ => Ok(()),
        }
    }
}

/// The proxy in free air, far from a curtain that is in a new state in every step.
fn apart(scenes: &[Cloth], quick: bool) -> Result<Table> {
    let mut table = Table::new(
        "Proxy apart from everything, curtain with 12 new coordinates in every step, one thread",
        &["triangles", "step", "", "state, beside the loop", "step, state unchanged"],
    );
    let steps = if quick { 2_000 } else { 20_000 };
    let mut first = None;
    for cloth in scenes {
        let start = DVec3::new(0.0, 1.0, 3.0);
        let mut player = Player::new(cloth.body.clone(), Material::default(), start)?;
        let hand = |step: usize| start + DVec3::X * (step as f64 * DT).sin() * 0.2;
        let [mut states, mut moved] = [0.0, 0.0];
        for step in 0..steps {
            let q = cloth.coordinates(step);
            states += player.prepare(|body| Cloth::set(body, &q))?;
            moved += player.step(Reading::at(hand(step)));
        }
        let begin = Instant::now();
        for step in 0..steps {
            black_box(player.probe.step(&player.scene, Reading::at(hand(step)), DT));
        }
        let still = begin.elapsed().as_secs_f64();
        ensure!(player.times.touched == 0, "the proxy is not apart");
        let [states, moved, still] = [states, moved, still].map(|time| time / steps as f64);
        let smallest = *first.get_or_insert(moved);
        table.row([
            count(cloth.curtain.mesh.triangles().len()),
            seconds(moved),
            ratio(moved / smallest),
            seconds(states),
            seconds(still),
        ]);
    }
    table.note("step: taking the new state, moving the proxy, the force; with two reads of the clock; the mean");
    table.note("the ratio is to the smallest; state: 12 coordinates set on a spare body");
    Ok(table)
}

/// Quantiles of steps in contact.
fn in_contact(cloth: &Cloth, quick: bool) -> Result<Table> {
    let mut table = Table::new(
        "Proxy in contact, step by step, ten minutes at 1 kHz, one thread",
        &["scene", "steps", "in contact", "p50", "p99.9", "longest", "above 1 ms", "by the clock"],
    );
    let steps = if quick { 2_000 } else { 600_000 };
    let mut player =
        Player::new(cloth.body.clone(), Material::default(), DVec3::new(0.0, 1.2, 1.0))?;
    for step in 0..steps {
        let q = cloth.coordinates(step);
        player.prepare(|body| Cloth::set(body, &q))?;
        player.step(Reading::at(Cloth::hand(step)));
    }
    let triangles = count(cloth.curtain.mesh.triangles().len());
    player
        .times
        .row(&mut table, format!("curtain, {triangles} triangles, new coordinates in every step"));
    eprintln!("haptics: walking ...");
    let poses: Vec<f64> = (0..240).map(|pose| f64::from(pose) / 60.0).collect();
    let (name, skin) = match makehuman(&poses)? {
        Ok(skin) => ("MakeHuman", skin),
        Err(skipped) => {
            table.note(format!("MakeHuman {skipped}"));
            let man = man()?;
            let weights = weights_of(&man);
            let frames = poses.iter().map(|&time| man.pose(time)).collect();
            ("man", StoredSkin { weights, frames, mesh: man.mesh })
        }
    };
    let player = walking(&skin, steps)?;
    let triangles = count(skin.mesh.triangles().len());
    player
        .times
        .row(&mut table, format!("{name} walking, {triangles} triangles, new pose at 60 Hz"));
    eprintln!("haptics: chairs ...");
    chairs::row(&mut table, if quick { 10 } else { 100 }, steps)?;
    table.note("a step: taking the new state if there is one, moving the proxy, the force; processor time of the thread");
    table.note("states are prepared beside the loop: set, and their bounds computed within three radii of the proxy");
    table.note("steps follow each other without a pause; by the clock: the longest, with all that the machine does in between");
    Ok(table)
}

/// A hand on a vertex of a walking skin, 1 cm deep.
fn walking(skin: &StoredSkin, steps: usize) -> Result<Player> {
    let joints = skin.frames.first().map_or(0, Vec::len);
    let binding = Binding::new(skin.weights.clone(), joints)?;
    let mut body = Body::skinned(skin.mesh.clone(), binding, Blending::Linear)?;
    body.set_pose(&skin.frames[0], &[])?;
    let count = skin.mesh.positions().len();
    let vertex = (count / 3) as u32;
    let place = |body: &AnyBody| {
        let own = body.position(vertex).unwrap_or(DVec3::ZERO);
        let middle = body.bounding_box().doubled_center().as_dvec3() * 0.5;
        let inward = DVec3::new(middle.x - own.x, 0.0, middle.z - own.z).normalize_or_zero();
        (own, inward)
    };
    let mut body = AnyBody::from(body);
    let (own, inward) = place(&body);
    let start = own - inward * 0.5;
    let material = Material::default().with_friction(0.5, 0.4);
    let mut player = Player::new(body.clone(), material, start)?;
    let (mut from, mut to) = (own + inward * 0.01, own + inward * 0.01);
    let mut next = 0;
    for step in 0..steps {
        // A new pose every 16 or 17 steps.
        let pose = step * 60 / 1000;
        if pose != next {
            next = pose;
            // There and back, so that the walk has no jump.
            let period = 2 * (skin.frames.len() - 1);
            let at = pose % period;
            let frame = &skin.frames[at.min(period - at)];
            let set = |body: &mut AnyBody| match body {
                AnyBody::Skinned(body) => body.set_pose(frame, &[]),
                _ => Ok(()),
            };
            set(&mut body)?;
            player.prepare(set)?;
            let (own, inward) = place(&body);
            (from, to) = (to, own + inward * 0.01);
        }
        let share = (step * 60 % 1000) as f64 / 1000.0;
        player.step(Reading::at(from + (to - from) * share));
    }
    Ok(player)
}

/// Our proxy over bodies that are refitted bottom-up in every state, as rivals do.
fn refitted(cloth: &Cloth, quick: bool) -> Result<Table> {
    let mesh = &cloth.curtain.mesh;
    let mut table = Table::new(
        format!(
            "Proxy on the curtain of {} triangles: a new state and a step, one thread",
            count(mesh.triangles().len())
        ),
        &["body", "state", "step", "both", ""],
    );
    let steps = if quick { 20 } else { 100 };
    let start = DVec3::new(0.0, 1.2, 1.0);
    let mut ours = Player::new(cloth.body.clone(), Material::default(), start)?;
    let free = Body::free(mesh.clone())?;
    let mut theirs = Player::new(free.into(), Material::default(), start)?;
    let mut times = [[0.0; 2]; 2];
    let mut positions = mesh.positions().to_vec();
    for step in 0..steps {
        let q = cloth.coordinates(step);
        times[0][0] += ours.prepare(|body| Cloth::set(body, &q))?;
        times[0][1] += ours.step(Reading::at(Cloth::hand(step)));
        // The positions are theirs for nothing: they are those that our bodies compute.
        let AnyBody::Reduced(body) = ours.scene.object(0).map_or(&cloth.body, |o| o.body()) else {
            continue;
        };
        for (vertex, position) in (0..).zip(&mut positions) {
            *position = body.position(vertex).unwrap_or_default();
        }
        times[1][0] += theirs.prepare(|body| match body {
            AnyBody::Free(body) => body.set_positions(&positions),
            _ => Ok(()),
        })?;
        times[1][1] += theirs.step(Reading::at(Cloth::hand(step)));
        let apart = ours.probe.proxy().center().distance(theirs.probe.proxy().center());
        // Their trees differ, and with them the order of what is touched: a few clearances, 2^-20 of 5 mm.
        ensure!(apart < 1e-7, "step {step}: the proxies are {apart} apart");
    }
    let names = ["from coordinates", "refitted bottom-up"];
    let both = times.map(|[state, step]| state + step);
    for ((name, [state, step]), both_of) in names.iter().zip(times).zip(both) {
        let per = |time: f64| seconds(time / steps as f64);
        table.row([(*name).into(), per(state), per(step), per(both_of), ratio(both_of / both[0])]);
    }
    table.note("the mean; bottom-up: all boxes from new positions, which are not charged; the same proxies");
    Ok(table)
}
