//! All features of two moving triangles.

use glam::{DVec3, Vec3A};

use super::due::{are_due, triangles_may_be_due};
use super::fixed_direction::apart_along_normals;
use super::impact::{Certainty, Features, Impact};
use super::moving_triangle::{MovingTriangle, Span};
use super::near_chords::near_chords;
use super::strays::{Straying, growth};
use crate::contact::{close_edge_edge_impact, close_vertex_face_impact, triangles_touch};
use crate::query::Work;

/// What is asked of pairs of features that nothing cheap tells apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asked {
    /// Whether and when they touch.
    Impacts,
    /// Nothing: they are all told.
    Candidates,
}

/// What is asked of every pair of triangles.
#[derive(Debug, Clone, Copy)]
pub(super) struct PairQuestion<'a> {
    /// Whether both triangles are of one body: features that share a vertex do not count, and the
    /// smaller of two edges comes first.
    pub(super) one_body: bool,
    pub(super) asked: Asked,
    /// How far true paths of both bodies may be from chords.
    pub(super) strays: [Straying<'a>; 2],
    /// What may touch later than this does not matter.
    pub(super) until: f32,
}

/// Which corners of two triangles are one vertex: bits 3 i + j.
#[inline]
fn shared(a: &MovingTriangle, b: &MovingTriangle) -> u32 {
    let mut bits = 0;
    for (i, p) in a.names.iter().enumerate() {
        for (j, q) in b.names.iter().enumerate() {
            bits |= u32::from(p == q) << (3 * i + j);
        }
    }
    bits
}

impl PairQuestion<'_> {
    /// Whether paths may leave their chords, or not all is due.
    #[inline(always)]
    pub(super) fn strays_matter(&self) -> bool {
        self.strays[0].matters() | self.strays[1].matters()
    }

    /// Whether features with these vertices are looked at.
    #[inline]
    fn are_due(&self, sides: [usize; 2], vertices: [&[u32]; 2]) -> bool {
        !self.strays_matter() || are_due(sides.map(|side| &self.strays[side]), vertices)
    }

    /// How far features with these vertices may stray from one another.
    #[inline]
    fn stray(&self, sides: [usize; 2], [of, others]: [&[u32]; 2]) -> f64 {
        if !self.strays_matter() {
            return 0.0;
        }
        let [one, two] = sides.map(|side| &self.strays[side].now);
        one.between(of, two, others)
    }

    /// Shows `found` all features of two triangles that touch, of those that the triangles own.
    /// Returns the triangles if they touch at the start by the exact test; those that share a vertex
    /// do not count.
    #[inline]
    pub(super) fn meet(
        &self,
        a: &MovingTriangle,
        b: &MovingTriangle,
        work: &mut Work,
        mut found: impl FnMut(Impact),
    ) -> Option<[u32; 2]> {
        let mut slack = a.slack_with(b);
        if self.strays_matter() {
            let [one, two] = &self.strays;
            if !triangles_may_be_due([one, two], [a.number, b.number]) {
                return None;
            }
            // Larger by more than what one addition and products with it may lose.
            slack += growth(one.now.triangle(a.number), two.now.triangle(b.number)) * (1.0 + 1e-5);
        }
        let shared = if self.one_body { shared(a, b) } else { 0 };
        if shared == 0 && apart_along_normals(a, b, slack) {
            return None;
        }
        let slack = Vec3A::splat(slack);
        let (face_a, face_b) = (&a.face, &b.face);
        let may_meet = |one: &Span, other: &Span| one.may_meet(other, slack, self.until);
        // Most triangles of one body that meet share one vertex.
        let only = shared.trailing_zeros() as usize;
        let apart = match shared {
            0 => !may_meet(face_a, face_b),
            _ => shared.is_power_of_two() && a.hinges(only / 3, b, only % 3, slack),
        };
        if apart {
            return None;
        }
        let mut pierced = None;
        if shared == 0
            && face_a.overlap_at_start(face_b, slack)
            && self.are_due([0, 1], [&a.vertices, &b.vertices])
        {
            work.primitive_tests += 1;
            if triangles_touch(&a.start, &b.start) {
                let swap = self.one_body && b.number < a.number;
                let (first, second) = if swap { (b, a) } else { (a, b) };
                pierced = Some([first.number, second.number]);
            }
        }
        if a.owned.has_vertices() {
            for corner in 0..3 {
                if a.owned.has_vertex(corner)
                    && shared & (0b111 << (3 * corner)) == 0
                    && may_meet(&a.vertex(corner), face_b)
                {
                    let features =
                        Features::VertexFace { vertex: a.vertices[corner], face: b.number };
                    self.vertex_face(features, [0, 1], (a, corner), b, work, &mut found);
                }
            }
        }
        if b.owned.has_vertices() {
            for corner in 0..3 {
                if b.owned.has_vertex(corner)
                    && shared & (0b1_001_001 << corner) == 0
                    && may_meet(&b.vertex(corner), face_a)
                {
                    let (vertex, face) = (b.vertices[corner], a.number);
                    let features = match self.one_body {
                        true => Features::VertexFace { vertex, face },
                        false => Features::FaceVertex { face, vertex },
                    };
                    self.vertex_face(features, [1, 0], (b, corner), a, work, &mut found);
                }
            }
        }
        if !(a.owned.has_edges() && b.owned.has_edges()) {
            return pierced;
        }
        for side in (0..3).filter(|&side| a.owned.has_edge(side)) {
            let edge = a.edge(side);
            // Triangles that share a vertex reach to nearly all edges of each other.
            if shared == 0 && !may_meet(&edge, face_b) {
                continue;
            }
            let of_both_ends = shared >> (3 * side) | shared >> (3 * ((side + 1) % 3));
            for other in (0..3).filter(|&other| b.owned.has_edge(other)) {
                if of_both_ends & (1 << other | 1 << ((other + 1) % 3)) == 0
                    && may_meet(&edge, &b.edge(other))
                {
                    self.edge_edge((a, side), (b, other), work, &mut found);
                }
            }
        }
        pierced
    }

    fn vertex_face(
        &self,
        features: Features,
        [side, other]: [usize; 2],
        (of, corner): (&MovingTriangle, usize),
        face: &MovingTriangle,
        work: &mut Work,
        found: &mut impl FnMut(Impact),
    ) {
        let vertices: [&[u32]; 2] = [&[of.vertices[corner]], &face.vertices];
        if !self.are_due([side, other], vertices) {
            return;
        }
        work.primitive_tests += 1;
        if self.asked == Asked::Candidates {
            return within(features, Some(0.0), f64::INFINITY, found);
        }
        let with = |vertex: DVec3, [p, q, r]: [DVec3; 3]| [vertex, p, q, r];
        let start = with(of.start[corner], face.start);
        let end = with(of.end[corner], face.end);
        let stray = self.stray([side, other], vertices);
        if stray > 0.0 {
            let time = near_chords([[0; 3], [1, 2, 3]], &start, &end, stray);
            within(features, time, stray, found);
        } else if let Some(time) = close_vertex_face_impact(start, end) {
            found(Impact { features, time, certainty: Certainty::Certain });
        }
    }

    fn edge_edge(
        &self,
        (a, side): (&MovingTriangle, usize),
        (b, other): (&MovingTriangle, usize),
        work: &mut Work,
        found: &mut impl FnMut(Impact),
    ) {
        let ((mut first, mut corners), (mut second, mut others)) = (a.ends(side), b.ends(other));
        let (mut a, mut b) = (a, b);
        if self.one_body && second < first {
            (first, second, corners, others) = (second, first, others, corners);
            (a, b) = (b, a);
        }
        // Edges that change places are of one body, whose strays are those of both sides.
        let vertices: [&[u32]; 2] = [&first, &second];
        if !self.are_due([0, 1], vertices) {
            return;
        }
        work.primitive_tests += 1;
        let features = Features::EdgeEdge { first, second };
        if self.asked == Asked::Candidates {
            return within(features, Some(0.0), f64::INFINITY, found);
        }
        let with = |a: &[DVec3; 3], b: &[DVec3; 3]| {
            [a[corners[0]], a[corners[1]], b[others[0]], b[others[1]]]
        };
        let (start, end) = (with(&a.start, &b.start), with(&a.end, &b.end));
        let stray = self.stray([0, 1], vertices);
        if stray > 0.0 {
            let time = near_chords([[0, 1, 1], [2, 3, 3]], &start, &end, stray);
            within(features, time, stray, found);
        } else if let Some(time) = close_edge_edge_impact(start, end) {
            found(Impact { features, time, certainty: Certainty::Certain });
        }
    }
}

fn within(features: Features, time: Option<f64>, stray: f64, found: &mut impl FnMut(Impact)) {
    if let Some(lo) = time {
        let time = crate::contact::ImpactTime { lo, hi: 1.0 };
        let certainty = Certainty::Within(super::near_chords::reported(stray));
        found(Impact { features, time, certainty });
    }
}
