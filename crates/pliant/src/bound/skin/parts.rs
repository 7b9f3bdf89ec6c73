//! What the bounds of a skin know of each node: its vertices, grouped by the joints
//! that move them.

use std::collections::HashMap;
use std::ops::Range;

use glam::{DVec3, Vec3, Vec3A};
use rayon::prelude::*;

use super::skinned_blended::{Blended, Carried, Pull, Upright, blend, carry, carry_upright};
use super::skinned_grouping::{Drafts, Grouping};
use super::skinned_links::{Bend, JointPairs, Link, Tie};
use super::skinned_pose::Pose;
use super::skinned_rest::Rest;
use super::skinned_volume::SkinVolume;
use super::skinned_whole::OtherCenter;
use crate::Mesh;
use crate::deform::{Binding, Blending};
use crate::tree::{Tree, primitive_runs};

/// A joint's share in a part: all weights lie within `give` of `mean`, and within `left` of
/// `mean` and what the slope adds, which is its product with the way from the middle at rest. At the
/// rim, a radius from the middle, they are within `near` of that, and inside within as much more as
/// the part of the radius that is between them and the rim.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Share {
    pub(super) joint: u32,
    pub(super) mean: f32,
    pub(super) give: f32,
    pub(super) left: f32,
    pub(super) near: f32,
    pub(super) slope: Vec3,
}

/// How far a morph target of weight 1 moves the vertices of a part: `mean` and no more than
/// `give` off it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Morph {
    pub(super) target: u32,
    pub(super) give: f32,
    pub(super) mean: Vec3A,
}

/// Vertices of a node that are bounded together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Part {
    pub(super) rest: Rest,
    /// Its joint set; of no meaning where the part holds all vertices of one joint, or several sets
    /// of a linear skin.
    pub(super) set: u32,
    /// What `f32` arithmetic can lose, as a part of the magnitudes involved.
    pub(super) slack: f32,
    /// Whether all weights are their means.
    pub(super) steady: bool,
    /// Whether slopes, or what is left near the rim, say more than the means.
    pub(super) sloped: bool,
    /// Whether it holds all vertices of its node, beside the parts that hold them set by set.
    pub(super) whole: bool,
    /// Where its shares and morph targets stand in the lists.
    pub(super) shares: [u32; 2],
    pub(super) morphs: [u32; 2],
}

/// What is known of one node: [`Parts::of`].
#[derive(Debug, Clone, Copy)]
pub(super) struct Known<'a> {
    /// Its vertices, joint set by joint set, or joint by joint.
    pub(super) parts: &'a [Part],
    /// Where they are moved by many joints, what each joint carries; parts, carried, blended and bends are
    /// empty then.
    pub(super) uprights: &'a [Upright],
    /// Those that one joint carries.
    pub(super) carried: &'a [Carried],
    /// Those that joints carry together.
    pub(super) blended: &'a [Blended],
    /// For each of these, where blending is not linear, what leads from what linear blending would
    /// make of them to where they are.
    pub(super) bends: &'a [Bend],
    /// Where blending is not linear, what leads from what linear blending would make of the
    /// vertices that joints carry to where they are.
    pub(super) links: &'a [Link],
    /// Where blending is spherical, the rotation centres that the node as a whole is not bounded
    /// with.
    pub(super) centers: &'a [OtherCenter],
}

/// What linear blending without morph targets needs to know of one node.
#[derive(Debug, Clone, Copy)]
pub(super) enum Linear<'a> {
    /// What each joint carries.
    ByJoint(&'a [Upright]),
    /// Those that one joint carries, and those that joints carry together.
    BySet(&'a [Carried], &'a [Blended]),
}

/// The parts of all nodes.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Parts {
    /// The place of each node among those of which something is known; of all others the last one, of which
    /// nothing is. Most nodes are small, and close together what is asked for stays in the cache.
    places: Vec<u32>,
    /// For each of these where what is known of it starts in the lists, and the ends of all.
    starts: Vec<[u32; 7]>,
    parts: Vec<Part>,
    shares: Vec<Share>,
    morphs: Vec<Morph>,
    uprights: Vec<Upright>,
    carried: Vec<Carried>,
    blended: Vec<Blended>,
    pulls: Vec<Pull>,
    bends: Vec<Bend>,
    ties: Vec<Tie>,
    links: Vec<Link>,
    joint_pairs: JointPairs,
    centers: Vec<OtherCenter>,
    /// How many pairs of sets these are.
    center_pairs: usize,
}

impl Parts {
    /// Groups the vertices of every node.
    pub(super) fn new(
        tree: &Tree,
        mesh: &Mesh,
        binding: &Binding,
        blending: Blending,
        fit: fn(&[DVec3]) -> Rest,
        with_slopes: bool,
        exact: impl Fn(u32, usize) -> bool + Sync,
    ) -> Self {
        let runs = primitive_runs(tree);
        let pairs = match blending {
            Blending::Linear => JointPairs::default(),
            _ => JointPairs::new(binding),
        };
        let pairs = &pairs;
        let grouping = Grouping { mesh, binding, pairs, blending, fit, with_slopes };
        let nodes: Vec<Drafts> = runs
            .into_par_iter()
            .enumerate()
            .map(|(node, Range { start, end })| {
                let triangles = &tree.primitives[start as usize..end as usize];
                let few = exact(node as u32, triangles.len());
                if few { Drafts::default() } else { grouping.group(triangles) }
            })
            .collect();
        let mut all = Self { starts: vec![[0; 7]], joint_pairs: pairs.clone(), ..Self::default() };
        let mut center_pairs = HashMap::new();
        for drafts in nodes {
            if drafts.is_empty() {
                all.places.push(u32::MAX);
                continue;
            }
            all.places.push(all.starts.len() as u32 - 1);
            let Drafts { parts, uprights, carried, blended, bends, ties, links, centers } = drafts;
            for (part, shares, morphs) in parts {
                let run = |start: usize, count: usize| [start as u32, (start + count) as u32];
                let share_run = run(all.shares.len(), shares.len());
                let morph_run = run(all.morphs.len(), morphs.len());
                all.parts.push(Part { shares: share_run, morphs: morph_run, ..part });
                all.shares.extend(shares);
                all.morphs.extend(morphs);
            }
            all.uprights.extend(uprights);
            all.carried.extend(carried);
            for (Part { rest, slack, .. }, shares, _) in blended {
                all.blended.push(Blended::new(rest, slack, &shares, &mut all.pulls));
            }
            let before = all.ties.len() as u32;
            all.bends.extend(bends.into_iter().map(|bend| bend.after(before)));
            all.ties.extend(ties);
            all.links.extend(links);
            let main = all.parts.last().map_or(0, |whole| whole.set);
            all.centers.extend(centers.into_iter().map(|mut center| {
                let next = center_pairs.len() as u32;
                center.pair = *center_pairs.entry((main, center.set())).or_insert(next);
                center
            }));
            let Self { parts, uprights, carried, blended, bends, links, centers, .. } = &all;
            let [parts, uprights, carried] = [parts.len(), uprights.len(), carried.len()];
            let [blended, bends] = [blended.len(), bends.len()];
            let ends = [parts, uprights, carried, blended, bends, links.len(), centers.len()];
            all.starts.push(ends.map(|end| end as u32));
        }
        all.center_pairs = center_pairs.len();
        let last = all.starts.len() as u32 - 1;
        all.places.iter_mut().for_each(|place| *place = (*place).min(last));
        all.starts.extend(all.starts.last().copied());
        all
    }

    /// What is known of a node.
    #[inline]
    pub(super) fn of(&self, node: u32) -> Known<'_> {
        let place = self.places[node as usize] as usize;
        let [start, end] = [self.starts[place], self.starts[place + 1]];
        let run = |list: usize| start[list] as usize..end[list] as usize;
        Known {
            parts: &self.parts[run(0)],
            uprights: &self.uprights[run(1)],
            carried: &self.carried[run(2)],
            blended: &self.blended[run(3)],
            bends: &self.bends[run(4)],
            links: &self.links[run(5)],
            centers: &self.centers[run(6)],
        }
    }

    /// What linear blending without morph targets needs of it.
    #[inline(always)]
    pub(super) fn linear_of(&self, node: u32) -> Linear<'_> {
        let place = self.places[node as usize] as usize;
        let [start, end] = [&self.starts[place], &self.starts[place + 1]];
        // Most have one run, and few of them are uprights.
        let run = |list: usize| start[list] as usize..end[list] as usize;
        if start[1] != end[1] {
            return Linear::ByJoint(&self.uprights[run(1)]);
        }
        Linear::BySet(&self.carried[run(2)], &self.blended[run(3)])
    }

    /// Around what joints carry, alone or together, for linear blending.
    #[inline(always)]
    pub(super) fn around_linear<V: SkinVolume>(&self, pose: &Pose, known: Linear<'_>) -> Option<V> {
        match known {
            Linear::ByJoint(uprights) => {
                let carry = carry_upright::<V>(pose);
                Some(V::around_places(uprights.iter().map(|own| carry(own, 0.0))))
            }
            Linear::BySet([], []) => None,
            Linear::BySet(carried, blended) => {
                let (carry, blend) = (carry::<V>(pose), blend::<V>(pose, &self.pulls));
                let carried = carried.iter().map(|own| carry(own, 0.0).place::<V>());
                let blended = blended.iter().map(|own| blend(own, 0.0).place::<V>());
                Some(V::around_places(carried.chain(blended)))
            }
        }
    }

    /// The pairs of joints that links and ties refer to.
    pub(super) fn joint_pairs(&self) -> &JointPairs {
        &self.joint_pairs
    }

    /// How many pairs of sets have rotation centres in one node of which one is taken for both.
    pub(super) fn center_pairs(&self) -> usize {
        self.center_pairs
    }

    /// What bends refer to.
    #[inline]
    pub(super) fn ties(&self) -> &[Tie] {
        &self.ties
    }

    /// What blended vertices refer to.
    #[inline]
    pub(super) fn pulls(&self) -> &[Pull] {
        &self.pulls
    }

    /// The joints of a part.
    #[inline]
    pub(super) fn shares(&self, part: &Part) -> &[Share] {
        &self.shares[part.shares[0] as usize..part.shares[1] as usize]
    }

    /// The morph targets that move a part.
    #[inline]
    pub(super) fn morphs(&self, part: &Part) -> &[Morph] {
        &self.morphs[part.morphs[0] as usize..part.morphs[1] as usize]
    }
}
