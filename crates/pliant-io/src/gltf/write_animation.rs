//! Writes the animations of a scene: samplers and channels.

use std::collections::{HashMap, HashSet};

use pliant::glam::DVec4;
use serde_json::{Value, json};

use super::write::{UNIT_SLACK, Writer, Written};
use crate::scene::{Animation, Interpolation, Property, Sampler, SceneError};

impl Writer {
    /// An animation; `None` if it moves nothing. Weights move only the nodes in `morphed`.
    pub(super) fn animation(
        &mut self,
        animation: &Animation,
        morphed: &HashSet<usize>,
        element: &str,
    ) -> Written<Option<Value>> {
        // One curve may move properties of different types, so each property gets its own sampler.
        let (mut samplers, mut channels) = (Vec::new(), Vec::new());
        let mut written = HashMap::new();
        for (index, channel) in animation.channels.iter().enumerate() {
            if channel.property == Property::Weights && !morphed.contains(&channel.node) {
                continue;
            }
            let element = format!("{element} channel {index}");
            let number = match written.get(&(channel.sampler, channel.property)) {
                Some(&number) => number,
                None => {
                    let curve = &animation.samplers[channel.sampler];
                    samplers.push(self.sampler(curve, channel.property, &element)?);
                    written.insert((channel.sampler, channel.property), samplers.len() - 1);
                    samplers.len() - 1
                }
            };
            let path = match channel.property {
                Property::Translation => "translation",
                Property::Rotation => "rotation",
                Property::Scale => "scale",
                Property::Weights => "weights",
            };
            let target = json!({ "node": channel.node, "path": path });
            channels.push(json!({ "sampler": number, "target": target }));
        }
        if channels.is_empty() {
            return Ok(None);
        }
        let mut out = json!({ "samplers": samplers, "channels": channels });
        if !animation.name.is_empty() {
            out["name"] = json!(animation.name);
        }
        Ok(Some(out))
    }

    fn sampler(&mut self, curve: &Sampler, property: Property, element: &str) -> Written<Value> {
        let times = &curve.times;
        let increase = times.windows(2).all(|pair| (pair[0] as f32) < pair[1] as f32);
        if !increase || times.first().is_some_and(|&first| first < 0.0) {
            let reason = "its keys are before time 0, or too close for 32 bits";
            return Err(SceneError::new(element, reason));
        }
        let input = self.buffer.floats("SCALAR", 1, times.iter().copied(), None, element)?;
        let (kind, width) = match property {
            Property::Translation | Property::Scale => ("VEC3", 3),
            Property::Rotation => ("VEC4", 4),
            Property::Weights => ("SCALAR", 1),
        };
        let unit;
        let values = if property == Property::Rotation {
            unit = unit_rotations(curve, element)?;
            &unit
        } else {
            &curve.values
        };
        let output = self.buffer.floats(kind, width, values.iter().copied(), None, element)?;
        let interpolation = match curve.interpolation {
            Interpolation::Step => "STEP",
            Interpolation::Linear => "LINEAR",
            Interpolation::CubicSpline => "CUBICSPLINE",
        };
        Ok(json!({ "input": input, "output": output, "interpolation": interpolation }))
    }
}

/// The keys of a rotation at unit length, which the format requires.
fn unit_rotations(curve: &Sampler, element: &str) -> Written<Vec<f64>> {
    let per_key = curve.interpolation.values_per_key();
    let mut values = curve.values.clone();
    for key in values.chunks_exact_mut(4).skip(per_key / 2).step_by(per_key) {
        let rotation = DVec4::from_slice(key);
        if (rotation.length() - 1.0).abs() <= UNIT_SLACK {
            continue;
        }
        if curve.interpolation == Interpolation::CubicSpline {
            // Its tangents would no longer match.
            return Err(SceneError::new(
                element,
                "a rotation of its spline does not have length 1",
            ));
        }
        rotation.normalize_or_zero().write_to_slice(key);
    }
    Ok(values)
}
