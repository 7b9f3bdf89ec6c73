//! How deep bodies are in each other: pieces of contact, each with its curve, its vertices and its
//! depth.
//!
//! The work is done in steps, each in its file:
//! 1. `edge_hits`: which edges of the touching triangles meet which triangles of the other side;
//! 2. `patches`: vertices that are connected without such an edge between them are on one side of
//!    the other surface, so one exact question answers for all of them;
//! 3. `sides`, `sheets`: which part went through a surface with a border, between bodies and within one;
//! 4. `depth`: the vertex that is farthest inside;
//! 5. `curve`: the segments of touching triangles, joined to polylines;
//! 6. `regions`: all of this, put together.

mod ask;
mod curve;
mod depth;
mod edge_hits;
mod numbers;
mod own_winding;
mod patches;
mod regions;
mod self_regions;
mod sheets;
mod sides;

use glam::DVec3;

use super::{Work, intersections, self_intersections};
use crate::body::Surface;
use crate::volume::Overlap;
pub(super) use ask::Ask;
pub(super) use regions::regions_between;
pub(super) use self_regions::regions_within;

/// All pieces of contact of two bodies, or of a body with itself.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Penetration {
    /// Regions with touching triangles by their first pair of triangles; then those without, by body
    /// and first vertex.
    pub regions: Vec<Region>,
    /// What the query did.
    pub work: Work,
}

/// One connected piece of contact.
#[derive(Debug, Clone, PartialEq)]
pub struct Region {
    /// Whether the surfaces touch, cross, or one contains the other.
    pub kind: RegionKind,
    /// The touching triangles: of the first body, of the second; ascending, each once.
    pub pairs: Vec<[u32; 2]>,
    /// Where the surfaces meet: polylines, of which a closed one ends where it begins. A single
    /// point is a polyline of one point. The points are rounded.
    pub curve: Vec<Vec<DVec3>>,
    /// The longest segment that two triangles of the region share, as
    /// [`intersection_segment`](crate::contact::intersection_segment) computes it; `None` without
    /// touching triangles.
    pub longest_cut: Option<Cut>,
    /// Vertices of the first body that lie inside the second, and of the second that lie inside the
    /// first; ascending. Of several vertices at one place it is the first. For a body with itself
    /// all are in the first list.
    pub vertices: [Vec<u32>; 2],
    /// How deep.
    pub depth: Depth,
    /// The unit vector along which the first body leaves the second by the shortest way from the
    /// deepest point; `None` without depth. For a body with itself the part with the deepest point
    /// moves.
    pub direction: Option<DVec3>,
    /// The area that the curve encloses: the sum, over its polylines, of the length of the vector
    /// area. An open polyline counts as closed by a straight line.
    pub area: f64,
}

/// A segment that two triangles share.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cut {
    /// The triangles: of the first body, of the second.
    pub triangles: [u32; 2],
    /// One end, rounded.
    pub from: DVec3,
    /// The other end, rounded.
    pub to: DVec3,
}

/// What a region is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RegionKind {
    /// The surfaces meet and do not cross.
    Touching,
    /// The surfaces cross: the interiors of two triangles cross, or an edge lies in a triangle of the
    /// other surface with its own triangles on both sides, or a vertex or a part of an edge lies
    /// strictly inside the other body. Decided exactly. Surfaces that pass through each other only
    /// along edges of both, with nothing inside, count as touching.
    Crossing,
    /// A connected piece of one surface lies inside the other and touches nothing. Exact.
    Contained,
}

/// How deep a region is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Depth {
    /// The deepest point, as far as vertices show.
    At(Deepest),
    /// Nothing lies inside: the surfaces touch, or cross only where no vertex and no edge is inside.
    Zero,
    /// The surfaces cross, have borders, and their sides are connected around them.
    CannotTell,
}

impl Depth {
    /// The depth in the unit of the coordinates, or `None` if it cannot be told.
    #[must_use]
    pub fn length(&self) -> Option<f64> {
        match self {
            Self::At(deepest) => Some(deepest.depth),
            Self::Zero => Some(0.0),
            Self::CannotTell => None,
        }
    }
}

/// The deepest point of a region.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Deepest {
    /// How far it is from the other surface: rounded, as
    /// [`closest_point`](super::closest_point) computes it.
    pub depth: f64,
    /// Where it is.
    pub point: DVec3,
    /// The nearest point of the other surface.
    pub nearest: DVec3,
    /// Which body it belongs to: 0 for the first, 1 for the second.
    pub body: usize,
    /// Its vertex. `None` for a point of an edge that enters and leaves the other body.
    pub vertex: Option<u32>,
}

/// All pieces of contact of two bodies, with their depths.
///
/// A region is a connected piece of the overlap: pieces of the curve in which the surfaces meet, and
/// the parts of each surface inside the other that join them. A rod through a wall is one region
/// with two closed polylines. A connected piece of one body that is inside the other without
/// touching it is a region too.
///
/// **Depth** is the largest distance of a vertex that lies inside the other body from the other's
/// surface. Edges that enter and leave the other body without a vertex inside are measured at seven
/// points of each part inside. So the depth does not depend on how a surface is divided into
/// triangles, up to the places of its vertices.
///
/// **Inside** is what [`inside`](super::inside()) says, exactly. Where it says
/// [`Inside::Open`](super::Inside::Open), the side decides: the edges that pass through the other
/// surface divide the body into what lies before and what lies behind, and the shallower part is what
/// went through: from which side the surface was entered is not known, and of the two depths that it
/// may have this is the smaller one. If the two are connected around the border, if what is inside
/// leaves through an opening (its deepest vertex is outside, or nearest to the border), or if only
/// vertices nearest to the border say which part is shallower, the depth is [`Depth::CannotTell`].
///
/// Guarantee: the regions that [`brute_force::penetration`](super::brute_force::penetration) finds,
/// and the same bits for any number of threads.
///
/// ```
/// use pliant::{Body, Isometry, Mesh, glam::DVec3, query::RegionKind};
/// let corners = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
/// let faces = vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
/// let mesh = Mesh::new(corners, faces)?;
/// let (a, mut b) = (Body::rigid(mesh.clone())?, Body::rigid(mesh)?);
/// b.set_isometry(Isometry::from_translation(DVec3::new(0.1, 0.1, -0.75))?);
/// let regions = pliant::penetration(&a, &b).regions;
/// assert_eq!((regions.len(), regions[0].kind), (1, RegionKind::Crossing));
/// assert_eq!(regions[0].vertices, [vec![], vec![3]]); // the tip of b is in a
/// let depth = regions[0].depth.length().expect("closed bodies have a depth");
/// assert!((depth - 0.1).abs() < 1e-12); // it is 0.1 from two sides of a
/// # Ok::<(), pliant::Error>(())
/// ```
#[must_use]
pub fn penetration<A: Surface, B: Surface>(a: &A, b: &B) -> Penetration
where
    A::Volume: Overlap<B::Volume>,
{
    let mut work = Work { bounds: 2, overlap_tests: 1, primitive_tests: 0 };
    if !a.bound(0).overlaps(&b.bound(0)) {
        return Penetration { regions: Vec::new(), work };
    }
    let found = intersections(a, b);
    work += found.work;
    regions_between(a, b, &found.pairs, Ask::Tree, work)
}

/// All pieces of contact of a body with itself, with their depths.
///
/// As [`penetration`]; triangles that share a place at rest do not count, as for
/// [`self_intersections`]. If all pieces of the mesh are closed and oriented, a vertex is inside
/// another part where the winding number just outside its own surface is at least 1 (just inside it
/// then exceeds 1). This is decided by exact crossings of rays along the axes, and by exact signs of
/// edges that pass through triangles. For other meshes the side decides: each of the two sheets that
/// cross is divided into what lies before and behind the other, and the shallowest of these parts is
/// what went through. A part that holds the other sheet, or whose deepest vertex is nearest to a
/// border, does not count, and if none does, the depth is [`Depth::CannotTell`]. The depth of a
/// vertex is its distance from the triangles that have no corner in its own part inside.
///
/// Guarantee: as for [`penetration`]; the twin is
/// [`brute_force::self_penetration`](super::brute_force::self_penetration).
#[must_use]
pub fn self_penetration<A: Surface>(body: &A) -> Penetration
where
    A::Volume: Overlap<A::Volume>,
{
    let found = self_intersections(body);
    regions_within(body, &found.pairs, Ask::Tree, found.work)
}
