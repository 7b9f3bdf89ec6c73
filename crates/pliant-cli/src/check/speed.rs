//! How far things move between two frames: what moves farther than the smallest object is large may
//! pass through it unseen.

use anyhow::Result;
use pliant::contact::point_distance;
use pliant_io::SceneBodies;

use super::row::RunRow;
use super::times::Moment;
use crate::number::short;
use crate::source::Input;
use crate::terminal::plain;

/// Steps that are looked at, at the most, spread over the run.
const STEPS: usize = 64;

/// Vertices of each object that are looked at, at the most, spread over it.
const VERTICES: usize = 512;

/// A note, if a vertex moves farther within a step than the smallest object is large. It names the
/// fastest of those that are looked at.
pub(super) fn note(
    bodies: &SceneBodies,
    input: &Input,
    moments: &[Moment],
    run: &RunRow,
) -> Result<Option<String>> {
    let smallest = run.objects.iter().map(|object| object.size).fold(f64::INFINITY, f64::min);
    let steps: Vec<&[Moment]> =
        moments.windows(2).filter(|step| step[0].take == step[1].take).collect();
    let mut bodies = bodies.clone();
    let mut fastest = (0.0, 0, 0.0);
    for step in steps.iter().step_by(steps.len().div_ceil(STEPS).max(1)) {
        input.play(&mut bodies, step[0].take)?;
        let mut places: Vec<Vec<glam::DVec3>> = Vec::new();
        for (end, moment) in step.iter().enumerate() {
            bodies.set_time(moment.time).map_err(|error| input.in_file(error))?;
            for (object, (_, body)) in bodies.world().iter().enumerate() {
                let count = body.mesh().positions().len();
                let chosen = (0..count).step_by(count.div_ceil(VERTICES).max(1));
                let now: Vec<_> = chosen.filter_map(|v| body.position(v as u32)).collect();
                if end == 0 {
                    places.push(now);
                    continue;
                }
                for (from, to) in places[object].iter().zip(&now) {
                    let way = point_distance(*from, *to);
                    if way > fastest.0 {
                        fastest = (way, object, step[0].time);
                    }
                }
            }
        }
    }
    let (way, object, time) = fastest;
    Ok((way > smallest).then(|| {
        format!(
            "{} moves {} between two frames (after {} s), and the smallest object is {} large: \
             `pliant sweep` finds what passes through it in between",
            plain(input.name(object as u32)),
            short(way),
            short(time),
            short(smallest)
        )
    }))
}
