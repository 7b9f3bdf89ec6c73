//! Counts what a step of the force loop allocates and frees: nothing. It fails if it does.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use pliant::deform::{Binding, Blending, Influence, Keyframes, Modes, SkinWeights};
use pliant::glam::{DAffine3, DVec3};
use pliant::{AnyBody, Body, Isometry};
use pliant_haptics::{
    Changes, Engine, Material, Object, Probe, Reading, Scene, Settings, Shading, Submitted,
};
use pliant_scenes::{curtain, grid, man};

struct Counting;

static CALLS: AtomicU64 = AtomicU64::new(0);

// SAFETY: every call goes to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        CALLS.fetch_add(1, Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        CALLS.fetch_add(1, Ordering::Relaxed);
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// Moves a body to its state at a time.
type Move = Box<dyn Fn(&mut AnyBody, f64) -> pliant::Result<()>>;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut wrong = 0;
    for (name, body, start, hand, set) in scenes()? {
        let material =
            Material { shading: Shading::Smooth, ..Material::default().with_friction(0.5, 0.4) };
        let object = Object::new(body, material)?;
        let mut spare = Some(Box::new(object.clone()));
        let scene = Scene::of([object]);
        let probe = Probe::new(start, Settings::default())?;
        let (mut engine, mut client) = Engine::new(scene, probe, 4);
        let (mut calls, mut touched, mut taken) = (0, 0, 0);
        for step in 0..4000 {
            let time = f64::from(step) * 0.001;
            // Beside the loop, where memory may be taken: a new state in every second step.
            if step % 2 == 0
                && let Some(mut object) = spare.take()
            {
                object.set_state(|body| set(body, time))?;
                let mut changes = Box::new(Changes::new());
                changes.set(0, Some(object));
                if let Submitted::Refused(mut changes) = client.submit(changes)? {
                    spare = changes.take(0);
                }
            }
            let reading = Reading::at(hand + DVec3::new(0.02, 0.01, 0.0) * (7.0 * time).sin());
            let before = CALLS.load(Ordering::Relaxed);
            let (touch, changes) = engine.step(reading, 0.001);
            calls += CALLS.load(Ordering::Relaxed) - before;
            touched += usize::from(!touch.contacts.as_slice().is_empty());
            taken += changes;
            if let Some(mut changes) = client.recycled() {
                spare = changes.take(0);
            }
        }
        println!(
            "{name}: 4000 steps, {touched} in contact, {taken} states, {calls} calls of the allocator"
        );
        wrong += calls;
        if touched < 1000 || taken < 1000 {
            return Err(format!("{name} is not touched enough").into());
        }
    }
    if wrong > 0 {
        return Err("a step allocates or frees".into());
    }
    Ok(())
}

/// Each kind of body: where the proxy starts, where the hand is, and how it moves.
fn scenes() -> pliant::Result<Vec<(&'static str, AnyBody, DVec3, DVec3, Move)>> {
    let floor = grid(20, 20, 2.0, 2.0)?;
    let up = DVec3::Y;
    let lifted =
        |by: f64| -> Vec<DVec3> { floor.positions().iter().map(|&p| p + up * by).collect() };
    let rest = lifted(0.0);
    let wave = |time: f64| 0.01 * (9.0 * time).sin();
    let (start, hand) = (up * 0.2, up * -0.02);
    let mut scenes: Vec<(&'static str, AnyBody, DVec3, DVec3, Move)> = Vec::new();
    let rigid: Move = Box::new(move |body, time| {
        if let AnyBody::Rigid(body) = body {
            body.set_isometry(Isometry::from_translation(up * wave(time))?);
        }
        Ok(())
    });
    scenes.push(("rigid", Body::rigid(floor.clone())?.into(), start, hand, rigid));
    let free: Move = Box::new(move |body, time| match body {
        AnyBody::Free(body) => {
            body.set_positions(&rest.iter().map(|&p| p + up * wave(time)).collect::<Vec<_>>())
        }
        _ => Ok(()),
    });
    scenes.push(("free", Body::free(floor.clone())?.into(), start, hand, free));
    let keyframes =
        Keyframes::new(vec![0.0, 2.0, 5.0], vec![lifted(0.0), lifted(0.02), lifted(0.0)])?;
    let keyframed: Move = Box::new(|body, time| match body {
        AnyBody::Keyframed(body) => body.advance(time),
        _ => Ok(()),
    });
    scenes.push(("keyframed", Body::keyframed(floor, keyframes)?.into(), start, hand, keyframed));

    let cloth = curtain(1)?;
    let modes = Arc::new(Modes::from_fields(cloth.mesh.positions().len(), &cloth.modes)?);
    let body = Body::reduced(cloth.mesh, modes)?;
    let frames = cloth.coordinates;
    let reduced: Move = Box::new(move |body, time| match body {
        AnyBody::Reduced(body) => {
            let at = time * 25.0;
            let frame = at as usize % (frames.len() - 1);
            let mix = |(a, b): (&f64, &f64)| a + (b - a) * at.fract();
            let q: Vec<f64> = frames[frame].iter().zip(&frames[frame + 1]).map(mix).collect();
            body.set_coordinates(&q)
        }
        _ => Ok(()),
    });
    let (start, hand) = (DVec3::new(0.1, 1.2, 1.0), DVec3::new(0.1, 1.2, -0.6));
    scenes.push(("reduced", body.into(), start, hand, reduced));

    let man = man()?;
    let influences = man.influences.iter();
    let influences =
        influences.map(|own| Influence { joint: own.joint, weight: own.weight }).collect();
    let weights = SkinWeights { starts: man.starts.clone(), influences };
    let binding = Binding::new(weights, man.joints.len())?;
    let mut body = Body::skinned(man.mesh.clone(), binding, Blending::Linear)?;
    let pose = move |time: f64| -> Vec<DAffine3> {
        // On the spot.
        let back = DAffine3::from_translation(DVec3::Z * (-man.walk_speed() * time));
        man.pose(time).into_iter().map(|joint| back * joint).collect()
    };
    body.set_pose(&pose(0.0), &[])?;
    let body = AnyBody::from(body);
    let middle = body.bounding_box().doubled_center().as_dvec3() * 0.5;
    let skinned: Move = Box::new(move |body, time| match body {
        AnyBody::Skinned(body) => body.set_pose(&pose(time), &[]),
        _ => Ok(()),
    });
    scenes.push(("skinned", body, middle + DVec3::Z * 2.0, middle, skinned));
    Ok(scenes)
}
