//! A run of `check` as a view.

use anyhow::Result;

use super::base64;
use super::format::{Level, View, ViewContact, ViewFrame, ViewObject, ViewWork};
use super::scene::{mesh_numbers, states};
use crate::check::body::{Collider, Method};
use crate::check::frame::{Bodies, Frame};
use crate::check::picture::{Picture, nodes_shown, shown_levels, shown_pairs};
use crate::source::Input;

/// All frames, which hold pictures, as a view.
pub(crate) fn contacts_view(
    title: String,
    input: &Input,
    method: Method,
    times: &[f64],
    frames: &[Frame],
) -> Result<View> {
    let mut view = View::new(title);
    view.method = method.name().into();
    view.unit = "s";
    let most = nodes_shown(input.objects().len(), times.len());
    let resting = Bodies::new(input, method)?;
    let meshes = mesh_numbers(input).into_iter().zip(states(input, times)?);
    for (number, (mesh, states)) in meshes.enumerate() {
        let object = input.object(input.objects()[number]);
        let collider = &resting.colliders()[number];
        view.objects.push(ViewObject {
            name: object.name.clone(),
            vertices: object.mesh.positions().len(),
            triangles: object.mesh.triangles().len(),
            deformation: object.deformation.name(),
            method: String::new(),
            mesh,
            tree_nodes: collider.tree().nodes.len(),
            states,
            levels: levels(number, collider, most, frames),
        });
    }
    view.frames = frames.iter().map(frame).collect();
    Ok(view)
}

/// The bounds of an object's first levels in all frames.
fn levels(object: usize, resting: &Collider, most: usize, frames: &[Frame]) -> Vec<Level> {
    let levels = shown_levels(resting.tree(), most).into_iter().enumerate();
    let level = |(depth, nodes): (usize, Vec<u32>)| {
        let states = || frames.iter().filter_map(|frame| frame.picture.as_ref());
        let state = |picture: &Picture| {
            let level = &picture.levels[object][depth];
            (level.volumes.clone(), level.visited.clone())
        };
        let rest = nodes.iter().flat_map(|&node| resting.volume(node).numbers().to_vec());
        Level {
            kind: resting.volume(0).kind(),
            rest: base64::floats(rest),
            volumes: base64::floats(states().flat_map(|picture| state(picture).0)),
            visited: base64::integers(states().flat_map(|picture| state(picture).1)),
            nodes: base64::integers(nodes),
        }
    };
    levels.map(level).collect()
}

fn frame(frame: &Frame) -> ViewFrame {
    let shown = shown_pairs(&frame.pairs);
    let segments = frame.picture.as_ref().map_or_else(Vec::new, |picture| picture.segments.clone());
    let mut contacts: Vec<ViewContact> = frame
        .contacts
        .iter()
        .map(|contact| ViewContact {
            objects: contact.objects,
            pairs: contact.pairs,
            length: contact.longest.length,
            middle: contact.longest.middle.to_array(),
        })
        .collect();
    contacts.sort_by(|a, b| b.length.total_cmp(&a.length));
    ViewFrame {
        time: frame.time,
        pairs: base64::integers(shown.flatten()),
        pairs_found: frame.pairs.len(),
        nodes_visited: frame.picture.as_ref().map_or(0, |picture| picture.nodes_visited),
        segments: base64::floats(segments),
        contacts,
        clashes: String::new(),
        work: ViewWork {
            bounds: frame.work.bounds,
            overlap_tests: frame.work.overlap_tests,
            primitive_tests: frame.work.primitive_tests,
            seconds: frame.spent.total().as_secs_f64(),
        },
    }
}
