//! Skins: joints and inverse bind matrices.

use std::collections::HashSet;

use pliant::glam::DAffine3;

use super::accessor::Reader;
use super::json::SkinJson;
use super::layout::{Component, Kind};
use super::nodes::{Hierarchy, affine};
use crate::Result;
use crate::scene::{Skin, Warning};

/// Reads and checks every skin.
pub(super) fn read(
    reader: &Reader<'_>,
    hierarchy: &Hierarchy,
    warnings: &mut Vec<Warning>,
) -> Result<Vec<Skin>> {
    let skins = reader.document.skins.iter().enumerate();
    skins.map(|(index, json)| skin(reader, hierarchy, json, index, warnings)).collect()
}

fn skin(
    reader: &Reader<'_>,
    hierarchy: &Hierarchy,
    json: &SkinJson,
    index: usize,
    warnings: &mut Vec<Warning>,
) -> Result<Skin> {
    let source = reader.source;
    let element = format!("skin {index}");
    let joints: Vec<usize> = json.joints.iter().map(|joint| joint.index()).collect();
    let mut seen = HashSet::new();
    for &joint in &joints {
        source.find(&hierarchy.nodes, joint, &element, "joint node")?;
        if !seen.insert(joint) {
            return Err(source.malformed(element, format!("joint node {joint} is listed twice")));
        }
    }
    if let Some(skeleton) = json.skeleton.map(|skeleton| skeleton.index()) {
        source.find(&hierarchy.nodes, skeleton, &element, "skeleton node")?;
        if !joints.iter().all(|&joint| hierarchy.is_below(joint, skeleton)) {
            let reason = format!("its skeleton node {skeleton} is not above all of its joints");
            return Err(source.malformed(element, reason));
        }
    }
    let mut roots = joints.iter().map(|&joint| hierarchy.root_of(joint));
    let first = roots.next();
    if roots.any(|root| Some(root) != first) {
        // The format requires a common root, but the pose is defined without one.
        warnings.push(Warning::new(element.as_str(), "its joints have no common root"));
    }
    let inverse_bind = match json.inverse_bind_matrices {
        None => vec![DAffine3::IDENTITY; joints.len()],
        Some(accessor) => inverse_bind(reader, accessor.index(), joints.len(), &element, warnings)?,
    };
    Ok(Skin { joints, inverse_bind })
}

fn inverse_bind(
    reader: &Reader<'_>,
    accessor: usize,
    joints: usize,
    element: &str,
    warnings: &mut Vec<Warning>,
) -> Result<Vec<DAffine3>> {
    let fail = |reason: String| reader.source.malformed(element, reason);
    let (json, layout) = reader.accessor(accessor, element)?;
    if layout.kind != Kind::MAT4 || layout.component != Component::F32 {
        return Err(fail("its inverse bind matrices are not 4 by 4 floats".into()));
    }
    if layout.count < joints {
        let count = layout.count;
        return Err(fail(format!("{joints} joints, but {count} inverse bind matrices")));
    }
    if reader.view_of(json).is_some_and(|view| view.byte_stride.is_some()) {
        return Err(fail("the bufferView of its matrices has a byteStride".into()));
    }
    let Some(numbers) = reader.numbers(accessor, element)? else {
        let reason = "its inverse bind matrices are not in the file; the identity is used";
        warnings.push(Warning::new(element, reason));
        return Ok(vec![DAffine3::IDENTITY; joints]);
    };
    let matrices = numbers.raw.chunks_exact(16).map(affine);
    let mut matrices = matrices.collect::<std::result::Result<Vec<_>, _>>().map_err(fail)?;
    matrices.truncate(joints);
    Ok(matrices)
}
