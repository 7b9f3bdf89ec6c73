//! Joints and weights of vertices, in any number of sets of four.

use std::collections::BTreeMap;

use super::accessor::Reader;
use super::draco::Decoded;
use super::json::Attributes;
use super::layout::{Component, Kind};
use super::limits::WEIGHT_SUM_WARNING;
use crate::Result;
use crate::scene::Influence;

/// The joints and weights of one primitive.
#[derive(Default)]
pub(super) struct Influences {
    /// The number of influences of each vertex; empty if the file does not have their data.
    pub(super) counts: Vec<u32>,
    /// The influences of all vertices, with normalised weights.
    pub(super) list: Vec<Influence>,
    /// The largest joint number used, with or without weight.
    pub(super) max_joint: Option<u32>,
    /// Vertices whose weights did not sum to 1 within rounding.
    pub(super) mended: usize,
    /// Vertices that list a joint twice.
    pub(super) merged: usize,
}

/// Reads the sets of a primitive; `None` if it has none. A compressed primitive's are in `decoded`.
pub(super) fn read(
    reader: &Reader<'_>,
    decoded: &Decoded,
    attributes: &Attributes,
    vertices: usize,
    element: &str,
) -> Result<Option<Influences>> {
    let fail = |reason: String| reader.source.malformed(element, reason);
    let joints = sets(attributes, "JOINTS_").map_err(fail)?;
    let weights = sets(attributes, "WEIGHTS_").map_err(fail)?;
    if joints.len() != weights.len() {
        let (joints, weights) = (joints.len(), weights.len());
        return Err(fail(format!("{joints} sets of joints, but {weights} of weights")));
    }
    if joints.is_empty() {
        return Ok(None);
    }
    let (mut joint_sets, mut weight_sets) = (Vec::new(), Vec::new());
    let mut slack: f64 = 0.0;
    for (&joints, &weights) in joints.iter().zip(&weights) {
        let (_, layout) = reader.accessor(joints, element)?;
        let whole = matches!(layout.component, Component::U8 | Component::U16);
        if layout.kind != Kind::VEC4 || !whole || layout.normalized {
            return Err(fail("its joints are not four unsigned integers of 8 or 16 bits".into()));
        }
        let (_, layout) = reader.accessor(weights, element)?;
        let step = match (layout.component, layout.normalized) {
            (Component::F32, _) => None,
            (Component::U8 | Component::U16, true) => Some(1.0 / layout.component.max()),
            _ => return Err(fail("its weights are neither floats nor normalized".into())),
        };
        if layout.kind != Kind::VEC4 {
            return Err(fail("its weights are not vectors of four".into()));
        }
        // Each of the four may be rounded by half a step.
        slack += step.map_or(WEIGHT_SUM_WARNING, |step| 2.0 * step);
        joint_sets.push(decoded.numbers(joints, reader, element)?.map(|numbers| numbers.raw));
        weight_sets
            .push(decoded.numbers(weights, reader, element)?.map(|numbers| numbers.values()));
    }
    let named = joint_sets.iter().flatten().flatten().copied().reduce(f64::max);
    // Joint numbers have 8 or 16 bits.
    let max_joint = named.map(|joint| joint as u32);
    let mut influences = Influences { max_joint, ..Influences::default() };
    let sets: Option<Vec<_>> =
        joint_sets.into_iter().zip(weight_sets).map(|(a, b)| Some((a?, b?))).collect();
    let Some(sets) = sets else { return Ok(Some(influences)) };
    for vertex in 0..vertices {
        add_vertex(&mut influences, &sets, vertex, slack)
            .map_err(|reason| fail(format!("vertex {vertex} {reason}")))?;
    }
    Ok(Some(influences))
}

/// Adds the weights of equal joints, from `start` on in the list, and returns whether there were
/// any. Uses sorting, since a vertex may have thousands of joints.
fn merge_joints(list: &mut Vec<Influence>, start: usize) -> bool {
    let own = &mut list[start..];
    let repeats = |own: &[Influence]| own.windows(2).any(|two| two[0].joint == two[1].joint);
    let mut sorted = own.to_vec();
    sorted.sort_by_key(|influence| influence.joint);
    if !repeats(&sorted) {
        return false;
    }
    sorted.dedup_by(|again, kept| {
        let same = again.joint == kept.joint;
        if same {
            kept.weight += again.weight;
        }
        same
    });
    list.truncate(start);
    list.append(&mut sorted);
    true
}

/// Adds the influences of one vertex, normalised.
fn add_vertex(
    influences: &mut Influences,
    sets: &[(Vec<f64>, Vec<f64>)],
    vertex: usize,
    slack: f64,
) -> std::result::Result<(), String> {
    let start = influences.list.len();
    for (joints, weights) in sets {
        let range = vertex * 4..vertex * 4 + 4;
        for (&joint, &weight) in joints[range.clone()].iter().zip(&weights[range]) {
            let joint = joint as u32;
            if weight < 0.0 {
                return Err(format!("gives joint {joint} the negative weight {weight}"));
            }
            if weight == 0.0 {
                continue;
            }
            influences.list.push(Influence { joint, weight });
        }
    }
    let is_merged = merge_joints(&mut influences.list, start);
    let own = &mut influences.list[start..];
    let sum: f64 = own.iter().map(|influence| influence.weight).sum();
    if own.is_empty() {
        return Err("has no weight on any joint".into());
    }
    if sum != 1.0 {
        for influence in own.iter_mut() {
            influence.weight /= sum;
        }
    }
    // At most four per set, and the number of sets is at most that of the primitive's attributes.
    influences.counts.push(own.len() as u32);
    influences.mended += usize::from((sum - 1.0).abs() > slack);
    influences.merged += usize::from(is_merged);
    Ok(())
}

/// The accessors of `PREFIX_0`, `PREFIX_1` and so on.
fn sets(attributes: &Attributes, prefix: &str) -> std::result::Result<Vec<usize>, String> {
    let mut found = BTreeMap::new();
    for (name, accessor) in attributes {
        let Some(digits) = name.strip_prefix(prefix) else { continue };
        match digits.parse::<usize>() {
            Ok(number) if number.to_string() == digits => found.insert(number, accessor.index()),
            _ => return Err(format!("the attribute name {name} is not {prefix} and a number")),
        };
    }
    if found.keys().enumerate().any(|(expected, &number)| expected != number) {
        return Err(format!("the attributes {prefix} are not numbered 0, 1, 2 ..."));
    }
    Ok(found.into_values().collect())
}
