//! How the vertices of a node are grouped by the joints that move them, once, before any pose.

use glam::{DVec3, Vec3};

use super::skinned_blended::{Carried, Upright};
use super::skinned_links::{Bend, JointPairs, Link, Tie, links};
use super::skinned_parts::{Morph, Part, Share};
use super::skinned_rest::Rest;
use super::skinned_slopes::shares;
use super::skinned_whole::{OtherCenter, mixing};
use crate::Mesh;
use crate::deform::{Binding, Blending};
use crate::limits::{
    MAX_MERGED_JOINTS, MAX_SET_JOINTS, MAX_SPHERE_SET_JOINTS, MAX_SPHERICAL_SET_JOINTS,
    MAX_WHOLE_JOINTS, MERGED_GIVE, MERGED_MORE,
};
use crate::volume::round_up;

/// A part on its way into the arrays.
pub(super) type Draft = (Part, Vec<Share>, Vec<Morph>);

/// What is known of a node, on its way into the arrays. Without anything it is bounded by
/// what is below it.
#[derive(Default)]
pub(super) struct Drafts {
    pub(super) parts: Vec<Draft>,
    pub(super) uprights: Vec<Upright>,
    pub(super) carried: Vec<Carried>,
    pub(super) blended: Vec<Draft>,
    pub(super) bends: Vec<Bend>,
    pub(super) ties: Vec<Tie>,
    pub(super) links: Vec<Link>,
    pub(super) centers: Vec<OtherCenter>,
}

impl Drafts {
    /// Whether nothing is known.
    pub(super) fn is_empty(&self) -> bool {
        let Self { parts, uprights, carried, blended, .. } = self;
        parts.is_empty() && uprights.is_empty() && carried.is_empty() && blended.is_empty()
    }
}

/// What it takes to group the vertices of a node.
pub(super) struct Grouping<'a> {
    pub(super) mesh: &'a Mesh,
    pub(super) binding: &'a Binding,
    pub(super) pairs: &'a JointPairs,
    pub(super) blending: Blending,
    pub(super) fit: fn(&[DVec3]) -> Rest,
    /// Whether weights have slopes: of spheres they do, of boxes not.
    pub(super) with_slopes: bool,
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
    pub(super) fn group(&self, triangles: &[u32]) -> Drafts {
        let corners = triangles.iter().flat_map(|&t| self.mesh.triangles()[t as usize]);
        let mut vertices: Vec<(u32, u32)> =
            corners.map(|v| (self.binding.sets.of_vertex(v as usize), v)).collect();
        vertices.sort_unstable();
        vertices.dedup();
        let sets = || vertices.chunk_by(|a, b| a.0 == b.0);
        let of_sets: usize = sets().map(|set| self.binding.sets.joints(set[0].0).len()).sum();
        let most = match self.blending {
            _ if self.with_slopes => MAX_SPHERE_SET_JOINTS,
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
            if let Some(merged) = self.merged(&parts, &joints, &vertices) {
                parts = vec![merged];
            }
            if self.with_slopes && parts.len() > 1 && joints.len() <= MAX_WHOLE_JOINTS {
                let (main, others) = self.centers(sets());
                let mut whole = self.by_set(main, &joints, &vertices);
                whole.0.whole = true;
                parts.push(whole);
                return Drafts { parts, centers: others, ..Drafts::default() };
            }
            if self.with_slopes || self.binding.morph.is_some() {
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

    /// All parts as one, for boxes of a linear skin, where that hardly makes them larger.
    fn merged(&self, parts: &[Draft], joints: &[u32], vertices: &[(u32, u32)]) -> Option<Draft> {
        let linear_boxes = self.blending == Blending::Linear && !self.with_slopes;
        if !linear_boxes || parts.len() < 2 || joints.len() > MAX_MERGED_JOINTS {
            return None;
        }
        let merged = self.by_set(u32::MAX, joints, vertices);
        let give = |part: &Draft| part.1.iter().map(|share| share.give).sum::<f32>();
        let most = parts.iter().map(give).fold(0.0, f32::max);
        (give(&merged) <= MERGED_GIVE.max(MERGED_MORE * most)).then_some(merged)
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
        self.by_joint(vertices, |points, joint, _| match self.with_slopes {
            true => Upright::new((self.fit)(points), joint),
            false => Upright::new(Rest::upright(points), joint),
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
