//! How two objects meet: regions, depths, places, bones.

use anyhow::Result;
use glam::DVec3;
use pliant::contact::{intersection_segment, point_distance};
use pliant::world::BodyContact;
use pliant::{AnyBody, Collide as _};
use pliant_io::SceneBodies;

use super::frame::object_number;
use super::row::{ContactRow, Meeting};
use crate::source::Input;

/// Whether contacts are divided into regions and measured, and what counts as near.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Depth {
    /// Whether depths are computed.
    pub(crate) measured: bool,
    /// Objects nearer than this are reported; 0 for none.
    pub(crate) margin: f64,
}

impl Depth {
    /// All contacts of a frame, by pairs of objects.
    pub(super) fn contacts(
        &self,
        found: &[BodyContact],
        bodies: &SceneBodies,
        _input: &Input,
    ) -> Result<Vec<ContactRow>> {
        found.iter().map(|found| contact(found, bodies)).collect()
    }
}

fn contact(found: &BodyContact, bodies: &SceneBodies) -> Result<ContactRow> {
    let [a, b] = found.bodies;
    let (first, second) = (bodies.world().get(a)?, bodies.world().get(b)?);
    let (longest_cut, cut_at) = longest_cut(first, second, &found.pairs);
    Ok(ContactRow {
        objects: found.bodies.map(|id| object_number(bodies, id)),
        kind: Meeting::Crossing,
        pairs: found.pairs.len(),
        depth: None,
        distance: 0.0,
        at: cut_at,
        bones: [None, None],
        materials: [None, None],
        longest_cut,
        cut_at,
        regions: Vec::new(),
    })
}

/// The longest segment that two triangles share, and its middle.
fn longest_cut(first: &AnyBody, second: &AnyBody, pairs: &[[u32; 2]]) -> (f64, [f64; 3]) {
    let mut longest = (-1.0, DVec3::ZERO);
    for &[i, j] in pairs {
        let (from, to) = intersection_segment(&first.triangle(i), &second.triangle(j));
        let length = point_distance(from, to);
        if length > longest.0 {
            longest = (length, middle(from, to));
        }
    }
    (longest.0.max(0.0), longest.1.to_array())
}

/// The middle of a segment; the sum of its ends may leave the range of `f64`.
fn middle(from: DVec3, to: DVec3) -> DVec3 {
    let middle = from.midpoint(to);
    if middle.is_finite() { middle } else { from * 0.5 + to * 0.5 }
}
