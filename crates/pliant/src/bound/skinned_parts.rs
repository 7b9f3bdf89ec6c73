//! What the bounds of a skin know of each node: its vertices, grouped by the joints
//! that move them.

use std::collections::HashMap;
use std::ops::Range;

use glam::{DVec3, Vec3, Vec3A};
use rayon::prelude::*;

use super::skinned_blended::{Blended, Carried, Pull, Upright, blend, carry, carry_upright};
use super::skinned_links::{Bend, JointPairs, Link, Tie, links};
use super::skinned_pose::Pose;
use super::skinned_rest::Rest;
use super::skinned_slopes::shares;
use super::skinned_volume::SkinVolume;
use super::skinned_whole::{OtherCenter, mixing};
use crate::Mesh;
use crate::deform::{Binding, Blending};
use crate::limits::{
    MAX_MERGED_JOINTS, MAX_SET_JOINTS, MAX_SPHERE_SET_JOINTS, MAX_SPHERICAL_SET_JOINTS,
    MAX_WHOLE_JOINTS, MERGED_GIVE, MERGED_MORE,
};
use crate::tree::{Tree, primitive_runs};
use crate::volume::round_up;

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
    shares: [u32; 2],
    morphs: [u32; 2],
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

/// A part on its way into the arrays.
type Draft = (Part, Vec<Share>, Vec<Morph>);

/// What is known of a node, on its way into the arrays. Without anything it is bounded by
/// what is below it.
#[derive(Default)]
struct Drafts {
    parts: Vec<Draft>,
    uprights: Vec<Upright>,
    carried: Vec<Carried>,
    blended: Vec<Draft>,
    bends: Vec<Bend>,
    ties: Vec<Tie>,
    links: Vec<Link>,
    centers: Vec<OtherCenter>,
}

impl Drafts {
    fn is_empty(&self) -> bool {
        let Self { parts, uprights, carried, blended, .. } = self;
        parts.is_empty() && uprights.is_empty() && carried.is_empty() && blended.is_empty()
    }
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
        let boxes = !with_slopes;
        let pairs = match blending {
            Blending::Linear => JointPairs::default(),
            _ => JointPairs::new(binding),
        };
        let pairs = &pairs;
        let grouping = Grouping { mesh, binding, pairs, blending, fit, with_slopes, boxes };
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

/// What it takes to group the vertices of a node.
struct Grouping<'a> {
    mesh: &'a Mesh,
    binding: &'a Binding,
    pairs: &'a JointPairs,
    blending: Blending,
    fit: fn(&[DVec3]) -> Rest,
    with_slopes: bool,
    boxes: bool,
}

impl Grouping<'_> {
    /// One part a joint set. Sets of few joints whose weights hardly differ are one part: in linear
    /// blending a joint may have no weight in some vertices, and with the same joints in several parts
    /// a box costs more than it gains. Where the sets have many joints together, one part a joint instead,
    /// with all vertices that the joint moves: a linear blend of images lies in their hull,
    /// so a volume around all joints' images of their own vertices holds it. The other
    /// blendings stray from it by what the links say; with morph targets they have no parts, and
    /// the node is bounded by its children.
    ///
    /// Where the bounds are spheres there may be a last part beside those of the sets: all vertices as
    /// of one set with all their joints, of which some have no weight in some vertices. Spheres around
    /// parts leave more room between them than one sphere around the whole does.
    fn group(&self, triangles: &[u32]) -> Drafts {
        let corners = triangles.iter().flat_map(|&t| self.mesh.triangles()[t as usize]);
        let mut vertices: Vec<(u32, u32)> =
            corners.map(|v| (self.binding.sets.of_vertex(v as usize), v)).collect();
        vertices.sort_unstable();
        vertices.dedup();
        let sets = || vertices.chunk_by(|a, b| a.0 == b.0);
        let of_sets: usize = sets().map(|set| self.binding.sets.joints(set[0].0).len()).sum();
        let most = match self.blending {
            _ if !self.boxes => MAX_SPHERE_SET_JOINTS,
            Blending::Spherical => MAX_SPHERICAL_SET_JOINTS,
            _ => MAX_SET_JOINTS,
        };
        if of_sets <= most {
            let mut parts: Vec<Draft> = sets()
                .map(|set| self.by_set(set[0].0, self.binding.sets.joints(set[0].0), set))
                .collect();
            let of_parts = parts.iter().flat_map(|(_, shares, _)| shares);
            let mut joints: Vec<u32> = of_parts.map(|share| share.joint).collect();
            joints.sort_unstable();
            joints.dedup();
            if self.boxes
                && self.blending == Blending::Linear
                && parts.len() > 1
                && joints.len() <= MAX_MERGED_JOINTS
            {
                let merged = self.by_set(u32::MAX, &joints, &vertices);
                let give = |part: &Draft| part.1.iter().map(|share| share.give).sum::<f32>();
                let most = parts.iter().map(give).fold(0.0, f32::max);
                if give(&merged) <= MERGED_GIVE.max(MERGED_MORE * most) {
                    parts = vec![merged];
                }
            }
            if self.with_slopes && parts.len() > 1 && joints.len() <= MAX_WHOLE_JOINTS {
                let (main, others) = self.centers(sets());
                let mut whole = self.by_set(main, &joints, &vertices);
                whole.0.whole = true;
                parts.push(whole);
                return Drafts { parts, centers: others, ..Drafts::default() };
            }
            if !self.boxes || self.binding.morph.is_some() {
                return Drafts { parts, ..Drafts::default() };
            }
            let carried = |(part, shares, _): &Draft| match shares[..] {
                [only] => Some(Carried { rest: part.rest, joint: only.joint }),
                _ => None,
            };
            let carried = parts.iter().filter_map(carried).collect();
            let blended: Vec<Draft> =
                parts.iter().filter(|part| part.1.len() > 1).cloned().collect();
            if self.blending == Blending::Linear {
                return Drafts { carried, blended, ..Drafts::default() };
            }
            let (positions, mut ties) = (self.mesh.positions(), Vec::new());
            let several = sets().filter(|set| self.binding.sets.joints(set[0].0).len() > 1);
            let bends = several.zip(&blended).map(|(set, (part, ..))| {
                Bend::new(
                    self.binding,
                    self.pairs,
                    self.blending,
                    positions,
                    &part.rest,
                    set,
                    &mut ties,
                )
            });
            let bends = bends.collect();
            return Drafts { parts, carried, blended, bends, ties, ..Drafts::default() };
        }
        match (self.blending, &self.binding.morph) {
            (Blending::Linear, None) => {
                Drafts { uprights: self.uprights(&vertices), ..Drafts::default() }
            }
            (Blending::Linear, Some(_)) => {
                let part = |points: &[DVec3], joint, moved: &[u32]| {
                    let rest = (self.fit)(points);
                    let (near, slope) = (0.0, Vec3::ZERO);
                    let share = Share { joint, mean: 1.0, give: 0.0, left: 0.0, near, slope };
                    self.draft(u32::MAX, rest, vec![share], moved)
                };
                Drafts { parts: self.by_joint(&vertices, part), ..Drafts::default() }
            }
            (_, Some(_)) => Drafts::default(),
            (_, None) => {
                let links =
                    links(self.binding, self.pairs, self.mesh.positions(), &vertices, self.fit);
                Drafts { uprights: self.uprights(&vertices), links, ..Drafts::default() }
            }
        }
    }

    /// The joint set whose rotation centre serves for all in spherical blending, the one that mixes
    /// its joints most, and the others. A joint alone turns about any centre.
    fn centers<'a>(&self, sets: impl Iterator<Item = &'a [(u32, u32)]>) -> (u32, Vec<OtherCenter>) {
        let turned = |own: &&[(u32, u32)]| self.binding.sets.joints(own[0].0).len() > 1;
        if self.blending != Blending::Spherical {
            return (u32::MAX, Vec::new());
        }
        let mut sets: Vec<_> = sets.filter(turned).collect();
        let influences = |&(_, vertex): &(u32, u32)| self.binding.weights.of(vertex as usize);
        let mixed = |own: &[(u32, u32)]| own.iter().map(|v| mixing(influences(v))).sum::<f64>();
        sets.sort_by(|a, b| mixed(b).total_cmp(&mixed(a)));
        let other = |own: &&[(u32, u32)]| OtherCenter::new(own[0].0, own.iter().map(influences));
        (sets.first().map_or(0, |own| own[0].0), sets.iter().skip(1).map(other).collect())
    }

    /// The part of vertices that these joints move, in ascending order.
    fn by_set(&self, set: u32, joints: &[u32], vertices: &[(u32, u32)]) -> Draft {
        let mut rows = vec![0.0; joints.len() * vertices.len()];
        for (own, &(_, vertex)) in rows.chunks_exact_mut(joints.len()).zip(vertices) {
            for influence in self.binding.weights.of(vertex as usize) {
                if let Ok(place) = joints.binary_search(&influence.joint) {
                    own[place] += influence.weight;
                }
            }
        }
        let vertices: Vec<u32> = vertices.iter().map(|&(_, vertex)| vertex).collect();
        let points = self.points(&vertices);
        let rest = (self.fit)(&points);
        let shares = shares(joints, &rows, &rest, &points, self.with_slopes);
        self.draft(set, rest, shares, &vertices)
    }

    fn points(&self, vertices: &[u32]) -> Vec<DVec3> {
        vertices.iter().map(|&vertex| self.mesh.positions()[vertex as usize]).collect()
    }

    /// What each joint carries.
    fn uprights(&self, vertices: &[(u32, u32)]) -> Vec<Upright> {
        self.by_joint(vertices, |points, joint, _| match self.boxes {
            true => Upright::new(Rest::upright(points), joint),
            false => Upright::new((self.fit)(points), joint),
        })
    }

    /// What is made of each joint's vertices: of where they are, the joint, and the vertices.
    fn by_joint<T>(
        &self,
        vertices: &[(u32, u32)],
        made: impl Fn(&[DVec3], u32, &[u32]) -> T,
    ) -> Vec<T> {
        let sets = &self.binding.sets;
        let mut moved: Vec<(u32, u32)> = vertices
            .iter()
            .flat_map(|&(set, vertex)| sets.joints(set).iter().map(move |&joint| (joint, vertex)))
            .collect();
        moved.sort_unstable();
        let joints = moved.chunk_by(|a, b| a.0 == b.0);
        let of_joint = |own: &[(u32, u32)]| {
            let vertices: Vec<u32> = own.iter().map(|&(_, vertex)| vertex).collect();
            made(&self.points(&vertices), own[0].0, &vertices)
        };
        joints.map(of_joint).collect()
    }

    /// Adds what bounds need to know of the shares, and the morph targets.
    fn draft(&self, set: u32, rest: Rest, shares: Vec<Share>, vertices: &[u32]) -> Draft {
        let count = shares.len() as f32;
        let give: f32 = shares.iter().map(|share| share.give + share.left).sum();
        let slopes: f32 = shares.iter().map(|share| share.slope.abs().element_sum()).sum();
        let slack = 2.0 * count
            + 32.0
            + give * (4.0 * count + 40.0)
            + slopes * rest.radius * (3.0 * count + 12.0);
        let part = Part {
            rest,
            set,
            slack: slack * 2.0 * f32::EPSILON,
            steady: give == 0.0,
            sloped: self.with_slopes && give > 0.0,
            whole: false,
            shares: [0; 2],
            morphs: [0; 2],
        };
        (part, shares, self.morphs(vertices))
    }

    /// How the morph targets move some vertices; those that do not are left out.
    fn morphs(&self, vertices: &[u32]) -> Vec<Morph> {
        let Some(modes) = &self.binding.morph else { return Vec::new() };
        let moves = |target: usize| {
            let own = || vertices.iter().map(move |&v| modes.of(v as usize)[target].as_dvec3());
            let (low, high) = own()
                .fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), d| {
                    (low.min(d), high.max(d))
                });
            if low == DVec3::ZERO && high == DVec3::ZERO {
                return None;
            }
            let mean = (low * 0.5 + high * 0.5).as_vec3a();
            let give = own().map(|d| (d - mean.as_dvec3()).abs());
            // The sum of sides where squares would vanish.
            let length =
                |d: DVec3| if d.max_element() < 1e-150 { d.element_sum() } else { d.length() };
            let give = round_up(give.map(length).fold(0.0, f64::max) * (1.0 + 1e-12));
            Some(Morph { target: target as u32, give, mean })
        };
        (0..modes.count()).filter_map(moves).collect()
    }
}
