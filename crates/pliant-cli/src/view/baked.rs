//! Skins as vertices of every frame: the page blends joints linearly, as glTF does, and cannot show
//! another blending by joints.

use std::sync::Arc;

use anyhow::Result;
use glam::DVec3;
use pliant::deform::Blending;
use pliant_io::{Deformation, Keyframes, SceneBodies};

use crate::check::times::Moment;
use crate::source::Input;

/// For each object its vertices in the frames of a run, if the page has to show it so.
#[derive(Debug)]
pub(super) struct Baked(Vec<Option<Arc<Keyframes>>>);

/// Whether the page shows an object by its vertices.
pub(super) fn bakes(input: &Input, deformation: &Deformation) -> bool {
    input.blending() != Blending::Linear && matches!(deformation, Deformation::Skin { .. })
}

impl Baked {
    /// The vertices of all frames; none of objects whose joints the page can blend. A frame is a
    /// keyframe at the time of its number.
    pub(super) fn new(input: &Input, bodies: &SceneBodies, blocks: &[&[Moment]]) -> Result<Self> {
        let places = input.objects().iter();
        let mut frames: Vec<Option<Vec<Vec<DVec3>>>> = places
            .map(|&place| bakes(input, &input.object(place).deformation).then(Vec::new))
            .collect();
        if frames.iter().all(Option::is_none) {
            return Ok(Self(vec![None; frames.len()]));
        }
        let mut bodies = bodies.clone();
        for &Moment { take, time, .. } in blocks.iter().copied().flatten() {
            input.play(&mut bodies, take)?;
            bodies.set_time(time).map_err(|error| input.in_file(error))?;
            for (frames, &id) in frames.iter_mut().zip(bodies.ids()) {
                let Some(frames) = frames else { continue };
                let body = bodies.world().get(id)?;
                let vertices = 0..body.mesh().positions().len() as u32;
                frames.push(vertices.filter_map(|vertex| body.position(vertex)).collect());
            }
        }
        let keyframes = |frames: Vec<Vec<DVec3>>| {
            let times = (0..frames.len()).map(|frame| frame as f64).collect();
            Arc::new(Keyframes { times, frames })
        };
        Ok(Self(frames.into_iter().map(|frames| frames.map(keyframes)).collect()))
    }

    /// The vertices of an object, if the page shows them.
    pub(super) fn of(&self, object: usize) -> Option<&Arc<Keyframes>> {
        self.0[object].as_ref()
    }
}
