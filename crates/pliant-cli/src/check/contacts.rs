//! How two objects meet: regions, depths, places, bones and materials.

use anyhow::Result;
use glam::DVec3;
use pliant::contact::{intersection_segment, point_distance};
use pliant::query::{Cut, Depth, Region, RegionKind};
use pliant::world::BodyContact;
use pliant::{BodyId, Collide as _};
use pliant_io::SceneBodies;

use super::frame::object_number;
use super::query_parts::for_asked_pairs;
use super::row::{ContactRow, Meeting, RegionRow};
use crate::source::Input;

/// Regions of one contact that are reported, at the most: the deepest.
const MOST_REGIONS: usize = 64;

/// Whether contacts are divided into regions and measured, and what counts as near.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ContactSettings {
    /// Whether depths are computed.
    pub(crate) measured: bool,
    /// Objects nearer than this are reported; 0 for none.
    pub(crate) margin: f64,
}

impl ContactSettings {
    /// All contacts of a frame, by pairs of objects: those that touch, those of which one lies in
    /// the other, those nearer than the margin.
    pub(super) fn rows(
        &self,
        found: &[BodyContact],
        bodies: &SceneBodies,
        input: &Input,
    ) -> Result<Vec<ContactRow>> {
        let posed = PosedObjects { bodies, input };
        let mut rows = Vec::with_capacity(found.len());
        for contact in found {
            rows.push(posed.touching(contact, self.measured)?);
        }
        if self.measured {
            posed.add_contained(found, &mut rows);
        }
        if self.margin > 0.0 {
            posed.add_near(self.margin, &mut rows)?;
        }
        rows.sort_by_key(|row| row.objects);
        Ok(rows)
    }
}

/// The objects of an input, where they are in a frame.
struct PosedObjects<'a> {
    bodies: &'a SceneBodies,
    input: &'a Input,
}

impl PosedObjects<'_> {
    fn objects(&self, ids: [BodyId; 2]) -> [u32; 2] {
        ids.map(|id| object_number(self.bodies, id))
    }

    /// Two bodies whose triangles touch.
    fn touching(&self, found: &BodyContact, measured: bool) -> Result<ContactRow> {
        let [a, b] = found.bodies;
        let (first, second) = (self.bodies.world().get(a)?, self.bodies.world().get(b)?);
        let regions = match (measured, a == b) {
            (false, _) => Vec::new(),
            (true, true) => first.self_penetration_of(&found.pairs).regions,
            (true, false) => first.penetration_of(second, &found.pairs).regions,
        };
        let mut row = self.contact(found.bodies, &regions);
        row.pairs = found.pairs.len();
        (row.longest_cut, row.cut_at) = match measured {
            true => longest(regions.iter().filter_map(|region| region.longest_cut)),
            false => longest(found.pairs.iter().map(|&triangles| {
                let [i, j] = triangles;
                let (from, to) = intersection_segment(&first.triangle(i), &second.triangle(j));
                Cut { triangles, from, to }
            })),
        };
        if regions.is_empty() {
            row.kind = Meeting::Crossing;
            row.at = row.cut_at;
        }
        Ok(row)
    }

    /// Adds pairs of bodies of which one lies in the other and whose triangles do not touch.
    fn add_contained(&self, found: &[BodyContact], rows: &mut Vec<ContactRow>) {
        for_asked_pairs(self.bodies.world(), |ids, [first, second]| {
            let known = found.binary_search_by_key(&ids, |contact| contact.bodies).is_ok();
            if known || ids[0] == ids[1] {
                return;
            }
            let regions = first.penetration_of(second, &[]).regions;
            if !regions.is_empty() {
                rows.push(self.contact(ids, &regions));
            }
        });
    }

    /// Adds pairs of bodies that are apart, but nearer than the margin. A body is always near
    /// itself, so that is not asked.
    fn add_near(&self, margin: f64, rows: &mut Vec<ContactRow>) -> Result<()> {
        let mut known: Vec<[u32; 2]> = rows.iter().map(|row| row.objects).collect();
        known.sort_unstable();
        let world = self.bodies.world();
        for near in world.within(margin)?.bodies {
            let objects = self.objects(near.bodies);
            let [a, b] = near.bodies;
            if a == b || known.binary_search(&objects).is_ok() {
                continue;
            }
            let nearest = near.pairs.iter().min_by(|a, b| a.distance.total_cmp(&b.distance));
            let Some(nearest) = nearest else { continue };
            let mut row = self.contact(near.bodies, &[]);
            row.kind = Meeting::Near;
            row.depth = Some(0.0);
            row.distance = nearest.distance;
            row.at = nearest.on_a.to_array();
            self.name_place(&mut row, nearest.triangles.map(Some), [None, None]);
            rows.push(row);
        }
        Ok(())
    }

    /// A contact of these regions; without any, nothing is known but who.
    fn contact(&self, ids: [BodyId; 2], regions: &[Region]) -> ContactRow {
        let mut row = ContactRow::unmeasured(self.objects(ids), Meeting::Touching, 0);
        let mut worst: Option<(f64, &Region)> = None;
        for region in regions {
            let kind = meeting(region.kind);
            row.kind = row.kind.max(kind);
            let depth = region.depth.length();
            row.depth = match (row.depth, depth) {
                (Some(a), Some(b)) => Some(a.max(b)),
                (a, b) => a.or(b),
            };
            // What cannot be told counts as more than a touch.
            let badness = depth.unwrap_or(f64::MIN_POSITIVE);
            if worst.is_none_or(|(known, _)| badness > known) {
                worst = Some((badness, region));
            }
            row.regions.push(region_row(region, kind));
        }
        if let Some((_, region)) = worst {
            row.at = place(region).to_array();
            let triangles = match region.pairs.first() {
                Some(&[i, j]) => [Some(i), Some(j)],
                None => [None, None],
            };
            let mut vertices = [None, None];
            if let Depth::At(deepest) = &region.depth
                && let Some(slot) = vertices.get_mut(deepest.body)
            {
                *slot = deepest.vertex;
            }
            if region.pairs.is_empty() {
                // One lies in the other: its vertices tell.
                for (slot, inside) in vertices.iter_mut().zip(&region.vertices) {
                    *slot = slot.or_else(|| inside.first().copied());
                }
            }
            self.name_place(&mut row, triangles, vertices);
        }
        row.regions.sort_by(|a, b| {
            let key = |region: &RegionRow| region.depth.unwrap_or(f64::MIN_POSITIVE);
            key(b).total_cmp(&key(a))
        });
        row.regions.truncate(MOST_REGIONS);
        row
    }

    /// Names the bones and materials of a vertex, or of a triangle, of each of the two.
    fn name_place(
        &self,
        row: &mut ContactRow,
        triangles: [Option<u32>; 2],
        vertices: [Option<u32>; 2],
    ) {
        for side in 0..2 {
            let place = self.input.objects()[row.objects[side] as usize];
            let object = self.input.object(place);
            let corner = || {
                let triangle = object.mesh.triangles().get(triangles[side]? as usize)?;
                triangle.first().copied()
            };
            if let Some(vertex) = vertices[side].or_else(corner) {
                let scene = &self.input.sources()[place.source].scene;
                row.bones[side] = scene.bone(object, vertex).map(String::from);
            }
            let triangle = triangles[side].unwrap_or(0) as usize;
            row.materials[side] = object.material(triangle).map(String::from);
        }
    }
}

fn meeting(kind: RegionKind) -> Meeting {
    match kind {
        RegionKind::Touching => Meeting::Touching,
        RegionKind::Crossing => Meeting::Crossing,
        RegionKind::Contained => Meeting::Inside,
    }
}

/// Where a region is: its deepest point, or the first of its curve.
fn place(region: &Region) -> DVec3 {
    match &region.depth {
        Depth::At(deepest) => deepest.point,
        _ => region.curve.first().and_then(|line| line.first()).copied().unwrap_or_default(),
    }
}

fn region_row(region: &Region, kind: Meeting) -> RegionRow {
    RegionRow {
        kind,
        depth: region.depth.length(),
        at: place(region).to_array(),
        direction: region.direction.unwrap_or_default().to_array(),
        area: region.area,
        pairs: region.pairs.len(),
        vertices: [region.vertices[0].len(), region.vertices[1].len()],
    }
}

/// The length of the longest cut, and its middle. Of several it is that of the first triangles.
fn longest(cuts: impl Iterator<Item = Cut>) -> (f64, [f64; 3]) {
    let mut longest: Option<(f64, Cut)> = None;
    for cut in cuts {
        let length = point_distance(cut.from, cut.to);
        let is_longer = longest.is_none_or(|(most, known)| {
            length > most || length == most && cut.triangles < known.triangles
        });
        if is_longer {
            longest = Some((length, cut));
        }
    }
    longest.map_or((0.0, [0.0; 3]), |(length, cut)| (length, middle(cut.from, cut.to).to_array()))
}

/// The middle of a segment; the sum of its ends may leave the range of `f64`.
fn middle(from: DVec3, to: DVec3) -> DVec3 {
    let middle = from.midpoint(to);
    if middle.is_finite() { middle } else { from * 0.5 + to * 0.5 }
}
