//! A hand in a pile of simulated chairs: what a step of the force loop costs.

use std::sync::Arc;

use anyhow::{Context, Result};
use glam::{DAffine3, DVec3};
use pliant::{AnyBody, Body, Mesh};
use pliant_haptics::{Changes, Material, Object, Probe, Reading, Scene, Settings};
use pliant_scenes::{CHAIR_LEVEL, chair_model, falling_chairs, modal_chair};
use pliant_sim::dynamics::{Push, Simulation};

use super::player::{Begun, DT, Times, prepared};
use crate::table::{Table, count};

/// Adds a row: chairs fall, vibrate and lie, while a hand strokes through them and pushes.
pub(super) fn row(table: &mut Table, chairs: usize, steps: usize) -> Result<()> {
    let model = Arc::new(chair_model(modal_chair()?, CHAIR_LEVEL)?);
    let mut run = falling_chairs(Arc::clone(&model), chairs, 1)?;
    let body: AnyBody = Body::reduced(Mesh::clone(model.mesh()), Arc::clone(model.modes()))?.into();
    let material = Material::default().with_friction(0.4, 0.3);
    let mut objects = Vec::new();
    for number in 0..chairs {
        let mut object = Object::new(body.clone(), material)?;
        object.set_state(|body| place(&run, number, body))?;
        objects.push(object);
    }
    let mut changes = Changes::new();
    for (slot, object) in objects.iter().enumerate() {
        changes.set(slot, Some(Box::new(object.clone())));
    }
    let mut scene = Scene::of(objects);
    let start = DVec3::new(0.0, 5.0, 0.0);
    let mut probe = Probe::new(start, Settings { force_limit: 20.0, ..Settings::default() })?;
    probe.ready_for(&scene);
    let mut times = Times::default();
    let per_state = (run.settings().step / DT).round().max(1.0) as usize;
    let mut last = pliant_haptics::Touch::default();
    for step in 0..steps {
        let is_new = step % per_state == 0;
        if is_new {
            push(&mut run, &last);
            run.step()?;
            for slot in 0..chairs {
                let mut object = changes.take(slot).context("a spare chair is missing")?;
                object.set_state(|body| place(&run, slot, body))?;
                object.prepare_near(probe.proxy().center(), prepared(&probe));
                changes.set(slot, Some(object));
            }
        }
        let t = step as f64 * DT;
        let hand =
            DVec3::new(0.6 * (0.9 * t).sin(), 0.5 + 0.45 * (0.7 * t).sin(), 0.6 * (1.1 * t).cos());
        let begin = Begun::now();
        if is_new {
            probe.follow(&mut scene, &mut changes);
        }
        last = probe.step(&scene, Reading::at(hand), DT);
        times.add(begin, !last.contacts.as_slice().is_empty());
    }
    let name = format!("{} simulated chairs, new states at {} Hz", count(chairs), 1000 / per_state);
    times.row(table, name);
    Ok(())
}

fn place(run: &Simulation, number: usize, body: &mut AnyBody) -> pliant::Result<()> {
    let number = number as u32;
    match (body, run.frame(number), run.coordinates(number)) {
        (AnyBody::Reduced(body), Some((rotation, place)), Some(q)) => {
            body.set_state(q, DAffine3::from_rotation_translation(rotation, place))
        }
        _ => Ok(()),
    }
}

fn push(run: &mut Simulation, touch: &pliant_haptics::Touch) {
    let contacts = touch.contacts.as_slice();
    let depths: f64 = contacts.iter().map(|contact| contact.depth).sum();
    for contact in contacts.iter().filter(|_| depths > 0.0) {
        let force = -touch.force * (contact.depth / depths);
        let (body, triangle, weights) = (contact.slot as u32, contact.triangle, contact.weights);
        // A force that is not finite is none.
        let _ = run.push(Push { body, triangle, weights, force });
    }
}
