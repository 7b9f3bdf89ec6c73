//! Whether the joints of skins allow a blending: those that scale, shear or mirror can only be blended
//! linearly.

use pliant::deform::Blending;
use pliant_io::{BodySettings, Deformation, Method, Object, Scene, SceneBodies};

/// Times of each animation that are looked at, at the most.
const TIMES: usize = 1000;

/// For each animation the first object and joint that do not allow the blending, at a key or an end;
/// without animations at rest.
pub(super) fn warnings(scene: &Scene, blending: Blending) -> Vec<String> {
    let skinned = |object: &Object| matches!(object.deformation, Deformation::Skin { .. });
    if blending == Blending::Linear || !scene.objects().iter().any(skinned) {
        return Vec::new();
    }
    // Bounds from joints: no vertex is moved.
    let settings = BodySettings { method: Method::Skinned, blending, ..BodySettings::default() };
    let mut bodies = match SceneBodies::of_scenes(vec![scene.clone().into()], settings) {
        Ok(bodies) => bodies,
        Err(error) => return vec![error.to_string()],
    };
    let takes = 0..scene.animations().len().max(1);
    let refused = takes.filter_map(|number| {
        let animation = scene.animations().get(number);
        let set = bodies.set_animation(0, animation.map(|_| number));
        let refusal = |time| bodies.set_time(time).err().map(|error| (time, error));
        let (time, error) = match set {
            Ok(()) => times(scene, animation.map(|_| number)).into_iter().find_map(refusal)?,
            Err(error) => (0.0, error),
        };
        let when = animation.map(|own| format!(" (animation {:?}, at {time} s)", own.name));
        Some(format!("{error}{}", when.unwrap_or_default()))
    });
    refused.collect()
}

/// The times of an animation at which a joint may be farthest from rigid.
fn times(scene: &Scene, animation: Option<usize>) -> Vec<f64> {
    let Some(number) = animation else { return vec![0.0] };
    let (start, end) = (scene.animations()[number].start, scene.animations()[number].end);
    let mut times = vec![start];
    times.extend(scene.knots(animation, [start, end], true));
    times.push(end);
    let step = times.len().div_ceil(TIMES);
    times.into_iter().step_by(step).collect()
}
