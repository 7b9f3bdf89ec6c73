//! Animations: samplers and channels.

use std::collections::HashSet;
use std::mem::replace;

use pliant::glam::DVec4;

use super::accessor::Reader;
use super::json::{AnimationJson, ChannelJson, SamplerJson};
use super::layout::{Component, Kind, Layout};
use super::nodes::{Hierarchy, is_unit};
use crate::Result;
use crate::scene::{Animation, Channel, Interpolation, NodeTransform, Property, Sampler, Warning};
use crate::times::first_disorder;

/// Reads and checks every animation. `targets_of_mesh` has the number of morph targets of each
/// mesh.
pub(super) fn read(
    reader: &Reader<'_>,
    hierarchy: &Hierarchy,
    targets_of_mesh: &[usize],
    warnings: &mut Vec<Warning>,
) -> Result<Vec<Animation>> {
    let mut animations = Vec::with_capacity(reader.document.animations.len());
    for (index, json) in reader.document.animations.iter().enumerate() {
        let name = format!("animation {index}");
        let scope = Scope { reader, hierarchy, targets_of_mesh, name, json };
        animations.push(scope.animation(warnings)?);
    }
    Ok(animations)
}

/// One animation while it is read.
struct Scope<'a> {
    reader: &'a Reader<'a>,
    hierarchy: &'a Hierarchy,
    targets_of_mesh: &'a [usize],
    name: String,
    json: &'a AnimationJson,
}

impl Scope<'_> {
    fn animation(&self, warnings: &mut Vec<Warning>) -> Result<Animation> {
        // A sampler without data in the file keeps its number, but no channel uses it.
        let mut samplers = Vec::with_capacity(self.json.samplers.len());
        for (index, json) in self.json.samplers.iter().enumerate() {
            samplers.push(self.sampler(json, &format!("{} sampler {index}", self.name))?);
        }
        let mut channels = Vec::with_capacity(self.json.channels.len());
        let mut moved = HashSet::new();
        let mut turns = vec![false; samplers.len()];
        for (index, json) in self.json.channels.iter().enumerate() {
            let element = format!("{} channel {index}", self.name);
            let sampler_json = self.reader.source.find(
                &self.json.samplers,
                json.sampler.index(),
                &element,
                "sampler",
            )?;
            let Some((node, property)) = self.target(json, &element, warnings)? else { continue };
            if !moved.insert((node, property)) {
                let reason = format!("another channel moves the same property of node {node}");
                return Err(self.reader.source.malformed(element, reason));
            }
            self.check_output(sampler_json, node, property, &element)?;
            let sampler = samplers[json.sampler.index()].as_ref();
            if let (Some(sampler), Property::Rotation) = (sampler, property)
                && !replace(&mut turns[json.sampler.index()], true)
            {
                self.check_rotations(sampler, &element)?;
            }
            if sampler.is_some_and(|sampler| !sampler.times.is_empty()) {
                channels.push(Channel { sampler: json.sampler.index(), node, property });
            } else {
                warnings.push(Warning::new(element, "its data is not in the file; ignored"));
            }
        }
        let (samplers, channels) = compact(samplers, channels);
        Ok(Animation::new(self.json.name.clone().unwrap_or_default(), samplers, channels))
    }

    /// The curve of a sampler; `None` if the file does not have its data.
    fn sampler(&self, json: &SamplerJson, element: &str) -> Result<Option<Sampler>> {
        let source = self.reader.source;
        let interpolation = match json.interpolation.as_deref() {
            None | Some("LINEAR") => Interpolation::Linear,
            Some("STEP") => Interpolation::Step,
            Some("CUBICSPLINE") => Interpolation::CubicSpline,
            Some(other) => {
                let shown: String = other.chars().take(40).collect();
                return Err(source.unsupported(element, format!("the interpolation `{shown}`")));
            }
        };
        let fail = |reason: &str| Err(source.malformed(element, reason));
        let (input, layout) = self.reader.accessor(json.input.index(), element)?;
        if layout.kind != Kind::SCALAR || layout.component != Component::F32 {
            return fail("its input is not of scalar floats");
        }
        if input.min.is_none() || input.max.is_none() {
            return fail("its input has no min and max");
        }
        if interpolation == Interpolation::CubicSpline && layout.count < 2 {
            return fail("a spline needs two keys or more");
        }
        let (output, _) = self.reader.accessor(json.output.index(), element)?;
        for accessor in [input, output] {
            if self.reader.view_of(accessor).is_some_and(|view| view.byte_stride.is_some()) {
                return fail("the bufferView of its data has a byteStride");
            }
        }
        let times = self.reader.numbers(json.input.index(), element)?;
        if let Some(times) = &times {
            if times.raw.first().is_some_and(|&first| first < 0.0) {
                return fail("its first key is before time 0");
            }
            if let Some((key, reason)) = first_disorder(&times.raw) {
                return fail(&format!("key {key}: {reason}"));
            }
        }
        let values = self.reader.numbers(json.output.index(), element)?;
        // Rotations are checked even if the times have no data.
        let (times, values) = match (times, values) {
            (Some(times), Some(values)) => (times.raw, values.values()),
            (None, Some(values)) => (Vec::new(), values.values()),
            _ => return Ok(None),
        };
        Ok(Some(Sampler { interpolation, times, values }))
    }

    /// The node and property that a channel moves; `None` if they are unknown.
    fn target(
        &self,
        json: &ChannelJson,
        element: &str,
        warnings: &mut Vec<Warning>,
    ) -> Result<Option<(usize, Property)>> {
        let source = self.reader.source;
        let property = match json.target.path.as_str() {
            "translation" => Property::Translation,
            "rotation" => Property::Rotation,
            "scale" => Property::Scale,
            "weights" => Property::Weights,
            other => {
                let shown: String = other.chars().take(40).collect();
                let reason = format!("the path `{shown}` is unknown; ignored");
                warnings.push(Warning::new(element, reason));
                return Ok(None);
            }
        };
        let Some(node) = json.target.node.map(|node| node.index()) else {
            warnings.push(Warning::new(element, "it has no target node; ignored"));
            return Ok(None);
        };
        let found = source.find(&self.hierarchy.nodes, node, element, "node")?;
        let is_matrix = matches!(found.transform, NodeTransform::Matrix(_));
        if property != Property::Weights && is_matrix {
            return Err(source.malformed(element, format!("node {node} is given by a matrix")));
        }
        if property == Property::Weights && self.targets_on(node) == 0 {
            return Err(source.malformed(element, format!("node {node} has no morph targets")));
        }
        Ok(Some((node, property)))
    }

    /// The number of morph targets of a node.
    fn targets_on(&self, node: usize) -> usize {
        let mesh = self.reader.document.nodes[node].mesh;
        mesh.and_then(|mesh| self.targets_of_mesh.get(mesh.index()).copied()).unwrap_or(0)
    }

    /// Checks the type and count of a sampler's output for the property that it moves.
    fn check_output(
        &self,
        json: &SamplerJson,
        node: usize,
        property: Property,
        element: &str,
    ) -> Result<()> {
        let fail = |reason: String| Err(self.reader.source.malformed(element, reason));
        let (_, input) = self.reader.accessor(json.input.index(), element)?;
        let (_, output) = self.reader.accessor(json.output.index(), element)?;
        let fraction = output.component == Component::F32 || output.normalized;
        let expected = match property {
            Property::Translation | Property::Scale => {
                output.kind == Kind::VEC3 && output.component == Component::F32
            }
            Property::Rotation => output.kind == Kind::VEC4 && fraction,
            Property::Weights => output.kind == Kind::SCALAR && fraction,
        };
        if !expected {
            return fail("the type of its output does not match its path".into());
        }
        let per_key = if json.interpolation.as_deref() == Some("CUBICSPLINE") { 3 } else { 1 };
        let elements = if property == Property::Weights { self.targets_on(node) } else { 1 };
        // Sizes in memory do not overflow 64 bits.
        let needed = count(&input).saturating_mul(per_key).saturating_mul(elements as u64);
        if count(&output) != needed {
            let there = count(&output);
            return fail(format!("its output needs {needed} elements, but has {there}"));
        }
        Ok(())
    }

    fn check_rotations(&self, sampler: &Sampler, element: &str) -> Result<()> {
        let per_key = sampler.interpolation.values_per_key();
        let values = sampler.values.chunks_exact(4).skip(per_key / 2).step_by(per_key);
        for (key, value) in values.enumerate() {
            let length = DVec4::from_slice(value).length();
            if !is_unit(DVec4::from_slice(value)) {
                let reason = format!("the rotation of key {key} has length {length} instead of 1");
                return Err(self.reader.source.malformed(element, reason));
            }
        }
        Ok(())
    }
}

fn count(layout: &Layout) -> u64 {
    layout.count as u64
}

/// Drops samplers without a channel and renumbers the others.
fn compact(samplers: Vec<Option<Sampler>>, channels: Vec<Channel>) -> (Vec<Sampler>, Vec<Channel>) {
    let mut number = vec![None; samplers.len()];
    for channel in &channels {
        number[channel.sampler] = Some(0);
    }
    let mut kept = Vec::new();
    for (number, sampler) in number.iter_mut().zip(samplers) {
        if let (Some(number), Some(sampler)) = (number, sampler) {
            *number = kept.len();
            kept.push(sampler);
        }
    }
    let channels = channels
        .into_iter()
        .filter_map(|channel| Some(Channel { sampler: number[channel.sampler]?, ..channel }))
        .collect();
    (kept, channels)
}
