//! A heap of rigid chairs: which of them touch.

use std::sync::Arc;

use anyhow::Result;
use glam::DAffine3;
use pliant_io::{Deformation, Node, NodeTransform, Object, Scene, SceneParts};
use pliant_scenes::pile_of_chairs;

use super::Act;
use crate::table::count;

/// Chairs in the heap, and the seed of how they fell.
const CHAIRS: (u32, u64) = (60, 1);

pub(super) fn act() -> Result<Act> {
    let pile = pile_of_chairs(CHAIRS.0, CHAIRS.1)?;
    let story = format!(
        "A heap of {} chairs of {} triangles each. They share one mesh and one tree.",
        pile.placements.len(),
        count(pile.chair.triangles().len())
    );
    let mesh = Arc::new(pile.chair);
    let mut parts = SceneParts::default();
    for (number, &(rotation, translation)) in pile.placements.iter().enumerate() {
        let name = format!("chair {number}");
        let frame = DAffine3::from_rotation_translation(rotation, translation);
        let transform = NodeTransform::Matrix(frame);
        parts.nodes.push(Node { name: Some(name.clone()), parent: None, transform });
        parts.objects.push(Object::new(name, number, Arc::clone(&mesh), Deformation::Rigid));
    }
    let scene = Scene::new(parts)?;
    Ok(Act { name: "chairs", story, scene, with_self: false, is_small: false })
}
