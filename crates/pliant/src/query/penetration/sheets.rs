//! What went through what where an open body crosses itself.
//!
//! Both sheets that cross have edges in one piece of the curve. Each sheet is divided by its own edges
//! into what lies before and what lies behind the other.

use super::depth::deepest_vertex;
use super::edge_hits::Hit;
use super::numbers::NumberMap;
use super::regions::Half;
use super::sides::{Step, Walk, is_nearest_to_border, passing_pieces, sides};
use super::{Ask, Deepest};
use crate::body::Surface;
use crate::query::Work;
use crate::shape::DisjointSets;

/// A part of a sheet, its places ascending, with its deepest vertex.
type Part = (Vec<u32>, Deepest);

impl<S: Surface> Half<'_, S, S> {
    /// Takes, for each piece of the curve, the shallowest of the parts of its sheets as a patch. Marks
    /// pairs of pieces of which no part can be measured.
    ///
    /// Which sheet went through which, and from which side, is not known. Of all readings the
    /// shallowest is taken, so that a depth is never above the true one.
    pub(super) fn take_shallowest_parts(
        &mut self,
        joined: &mut DisjointSets,
        unknown: &mut [bool],
        ask: Ask,
        work: &mut Work,
    ) {
        let pairs = self.pairs.iter().map(|pair| pair.2).collect();
        for (first, edges) in passing_pieces(&self.hits, pairs, joined) {
            let mut shallowest: Option<Part> = None;
            for sheet in self.sheets(edges) {
                let least = shallowest.as_ref().map(|(_, deepest)| deepest.depth);
                if let Some(found) = self.shallower_part(&sheet, least, ask, work) {
                    shallowest = Some(found);
                }
            }
            match shallowest {
                Some((part, deepest)) => self.patches.take(part, Some(deepest)),
                None => unknown[first as usize] = true,
            }
        }
    }

    /// The sheets that cross in a piece of the curve. Edges of one triangle that meet the curve belong
    /// to one sheet.
    fn sheets<'h>(&self, edges: Vec<&'h [Hit]>) -> Vec<Vec<&'h [Hit]>> {
        let mut local: NumberMap<u32, u32> = NumberMap::default();
        local.extend(edges.iter().zip(0u32..).map(|(hits, number)| (hits[0].edge, number)));
        let mut sets = DisjointSets::new(edges.len());
        for &(own, _, _) in &self.pairs {
            let cut = self.own.mesh().connectivity().edges(own);
            let mut cut = cut.into_iter().filter_map(|edge| local.get(&edge).copied());
            if let Some(first) = cut.next() {
                cut.for_each(|other| sets.join(first, other));
            }
        }
        let (sheet, firsts) = sets.numbered();
        let mut sheets = vec![Vec::new(); firsts.len()];
        for (hits, sheet) in edges.into_iter().zip(sheet) {
            sheets[sheet as usize].push(hits);
        }
        sheets
    }

    /// The shallower of the two parts of a sheet, if it can be told and is less deep than `least`.
    ///
    /// A part that holds corners of the other sheet is not measured: it would be its distance from
    /// something else. Nor is a part whose deepest vertex is nearest to a border: it may have left
    /// through an opening. A part is measured to the triangles without a corner in it.
    fn shallower_part(
        &self,
        sheet: &[&[Hit]],
        mut least: Option<f64>,
        ask: Ask,
        work: &mut Work,
    ) -> Option<Part> {
        let connectivity = self.own.mesh().connectivity();
        let places = self.own.mesh().places_of_triangles();
        let seeds = sides(connectivity, sheet.iter().copied())?;
        if seeds.iter().flatten().any(|&place| self.patches.of(place).is_some()) {
            return None;
        }
        let mut walk = Walk::new(seeds);
        for part in 0..2 {
            loop {
                match walk.step(part, connectivity, &self.hits) {
                    Step::Reached => {}
                    Step::Done => break,
                    Step::Connected => return None,
                }
            }
        }
        let mut found = None;
        for part in 0..2 {
            let is_in_part = |place: &u32| walk.part_of.get(place) == Some(&part);
            let crossed = sheet.iter().copied().flatten().map(|hit| places[hit.other as usize]);
            if crossed.flatten().any(|place| is_in_part(&place)) {
                continue;
            }
            let counts = |triangle: u32| !places[triangle as usize].iter().any(is_in_part);
            let mut all = walk.all[part].clone();
            all.sort_unstable();
            let own = (self.own, self.body);
            let Some(deepest) = deepest_vertex(own, self.other, &all, counts, ask, work) else {
                continue;
            };
            if least.is_some_and(|least| deepest.depth >= least)
                || is_nearest_to_border(self.other, deepest.point, counts, ask, work)
            {
                continue;
            }
            least = Some(deepest.depth);
            found = Some((all, deepest));
        }
        found
    }
}
