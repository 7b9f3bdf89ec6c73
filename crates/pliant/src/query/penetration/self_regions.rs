//! Regions of contact of a body with itself.

use super::numbers::NumberMap;
use super::own_winding::{OutsideWinding, outside_winding};
use super::regions::{Half, Parts};
use super::{Ask, Penetration};
use crate::body::Surface;
use crate::contact::EdgeHit;
use crate::query::{Inside, Work};
use crate::shape::{Closure, DisjointSets};

/// How many vertices of a class are asked until one is sure.
const VERTICES_ASKED: usize = 16;

/// The regions of a body with itself, whose touching triangles are known.
pub(in crate::query) fn regions_within<S: Surface>(
    body: &S,
    pairs: &[[u32; 2]],
    ask: Ask,
    mut work: Work,
) -> Penetration {
    let work = &mut work;
    let mut joined = DisjointSets::new(pairs.len());
    // Each pair both ways: either triangle may belong to the part that is inside.
    let both_ways = (0u32..).zip(pairs).flat_map(|(pair, &[i, j])| [(i, j, pair), (j, i, pair)]);
    let mut half = Half::new(body, body, 0, both_ways.collect(), &mut joined, work);
    let mut unknown = vec![false; pairs.len()];
    let connectivity = body.mesh().connectivity();
    let closed = !connectivity.has(Closure::Open) && !connectivity.has(Closure::Unoriented);
    if closed {
        let answers = winding_answers(&half, ask, work);
        walk_by_winding(&mut half, &answers, ask, work);
        for place in half.untouched() {
            let known = half.patches.of(place).is_some();
            if !known && outside_winding(body, place, ask, work).is_inside() == Some(true) {
                half.patches.walk(connectivity, &half.hits, place);
            }
        }
    } else {
        half.take_shallowest_parts(&mut joined, &mut unknown, ask, work);
    }
    let pair_of_patch = half.pairs_of_patches(&mut joined);
    let mut parts = Parts::new(joined, &unknown);
    let places = body.mesh().places_of_triangles();
    let apart = |patch: u32, triangle: u32| {
        places[triangle as usize].iter().all(|&place| half.patches.of(place) != Some(patch))
    };
    half.add_to(&mut parts, &pair_of_patch, apart, ask, work);
    let corners = |[i, j]: [u32; 2]| [body.triangle(i), body.triangle(j)];
    Penetration { regions: parts.finish(pairs, corners), work: *work }
}

/// Walks through the places of a closed body that are inside another part, from touching triangles.
///
/// Each place is asked for itself: triangles that share a place do not count as touching, so the curve
/// has gaps where neighbours cross, and through a gap a walk leaves what is inside. For a place that is
/// not sure its class answers, or else the place from which it was reached.
fn walk_by_winding<S: Surface>(
    half: &mut Half<'_, S, S>,
    answers: &[Inside],
    ask: Ask,
    work: &mut Work,
) {
    let connectivity = half.own.mesh().connectivity();
    let classes = &half.classes;
    let mut known: NumberMap<u32, Option<bool>> = NumberMap::default();
    let mut is_inside = |place: u32| {
        *known.entry(place).or_insert_with(|| {
            let own = outside_winding(half.own, place, ask, work).is_inside();
            let of_class = || match answers[classes.of(place)? as usize] {
                Inside::In => Some(true),
                Inside::Out => Some(false),
                _ => None,
            };
            own.or_else(of_class)
        })
    };
    for &place in classes.members.iter().flatten() {
        if is_inside(place) == Some(true) {
            let belongs = |place: u32| is_inside(place).unwrap_or(true);
            half.patches.walk_where(connectivity, &half.hits, place, belongs);
        }
    }
}

/// For each class whether it is inside another part of the body.
///
/// A class is decided by the first of its vertices that is sure. Where none is, an edge that passes
/// through triangles from a class that is sure decides: each triangle that it passes inward adds one
/// to the winding number, each that it passes outward takes one away.
fn winding_answers<S: Surface>(half: &Half<'_, S, S>, ask: Ask, work: &mut Work) -> Vec<Inside> {
    let decide = |members: &Vec<u32>, work: &mut Work| {
        let mut places = members.iter().take(VERTICES_ASKED);
        places.find_map(|&place| {
            let winding = outside_winding(half.own, place, ask, work);
            winding.is_inside().map(|_| winding)
        })
    };
    let mut windings: Vec<Option<OutsideWinding>> =
        half.classes.members.iter().map(|members| decide(members, work)).collect();
    let connectivity = half.own.mesh().connectivity();
    let known = windings.clone();
    for hits in half.hits.by_edge() {
        let [first, second] = connectivity.ends(hits[0].edge).map(|end| half.classes.of(end));
        let (Some(first), Some(second)) = (first, second) else { continue };
        let sum: Option<i64> = hits
            .iter()
            .map(|hit| match hit.how {
                EdgeHit::Inward => Some(1),
                EdgeHit::Outward => Some(-1),
                EdgeHit::Touch => None,
            })
            .sum();
        let Some(sum) = sum else { continue };
        for (from, to, sum) in [(first, second, sum), (second, first, -sum)] {
            if let Some(OutsideWinding::Between(low, high)) = known[from as usize]
                && windings[to as usize].is_none()
            {
                let there = OutsideWinding::Between(low + sum, high + sum);
                windings[to as usize] = there.is_inside().map(|_| there);
            }
        }
    }
    let answer =
        |winding: &Option<OutsideWinding>| match winding.and_then(OutsideWinding::is_inside) {
            Some(true) => Inside::In,
            Some(false) => Inside::Out,
            None => Inside::On,
        };
    windings.iter().map(answer).collect()
}
