//! Ruspini's sphere tree: triangles covered by small spheres of a chosen radius (Quinlan 1994; Ruspini,
//! Kolarov and Khatib 1997).
//!
//! Each triangle is cut into cells at the middle of its longest side until a sphere of the radius covers a
//! cell. The tree is over the cells, split at the middle of the longest side of the box of their
//! centres. A node has the smaller of two spheres: around the spheres of its children, or around the
//! spheres of all cells below it, from the middle of the box of their centres. The second need not contain the
//! spheres of inner nodes.

use std::sync::Arc;

use glam::{DAffine3, DVec3, Vec4};

use crate::body::Collide;
use crate::deform::Isometry;
use crate::numeric::F64_SLACK;
use crate::shape::check_finite;
use crate::tree::{BuildSettings, Tree, build, primitive_runs};
use crate::volume::{Aabb, Fit as _, Motion, Sphere, Volume as _};
use crate::{Error, Mesh, Result};

/// How many cells may cover a mesh: 64 bytes each, and as much for the tree.
pub const MAX_CELLS: usize = 1 << 24;

/// Cuts of one triangle: its weights stay exact, because they are multiples of 2^-50.
const MAX_CUTS: u32 = 50;

/// A part of a triangle: the triangle and the weights of the part's corners.
#[derive(Debug, Clone, Copy)]
struct Cell {
    triangle: u32,
    corners: [DVec3; 3],
}

/// A mesh covered by small spheres. It may be placed by an isometry and bent by new positions.
///
/// It collides by its cells: every query may be asked, and names cells where other bodies name triangles.
/// [`CoveredBody::owner`] tells the triangle of a cell, and
/// [`Intersections::of_owners`](crate::Intersections::of_owners) the pairs of triangles.
///
/// Not like other bodies, the sphere of a node contains of each triangle below it only the part of its cells.
/// Whatever point of a triangle matters to a query lies in one of its cells, so that the answers are the same.
///
/// ```
/// use pliant::{Mesh, bound::CoveredBody, glam::DVec3, intersections};
/// let mesh = Mesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]])?;
/// let [a, b] = [CoveredBody::new(mesh.clone(), 0.1)?, CoveredBody::new(mesh, 0.3)?];
/// let found = intersections(&a, &b).of_owners(|cell| a.owner(cell), |cell| b.owner(cell));
/// assert_eq!(found.pairs, [[0, 0]]);
/// # Ok::<(), pliant::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct CoveredBody {
    mesh: Arc<Mesh>,
    cells: Arc<[Cell]>,
    tree: Arc<Tree>,
    /// Before the isometry.
    positions: Arc<[DVec3]>,
    isometry: Isometry,
    /// Before the isometry.
    spheres: Arc<[Vec4]>,
    motion: Motion,
}

impl CoveredBody {
    /// Covers a mesh by spheres of at most a radius. Smaller ones are used where a triangle is smaller, and
    /// larger ones only where fifty cuts do not suffice.
    ///
    /// # Errors
    /// [`Error::InvalidAllowance`] if the radius is not positive, [`Error::TooMany`] if more than
    /// [`MAX_CELLS`] spheres are needed.
    pub fn new(mesh: Mesh, radius: f64) -> Result<Self> {
        if radius.is_nan() || radius <= 0.0 {
            return Err(Error::InvalidAllowance { error: radius });
        }
        let mut cells = Vec::new();
        for (triangle, corners) in (0u32..).zip(mesh.triangles()) {
            let corners = corners.map(|vertex| mesh.positions()[vertex as usize]);
            cut(triangle, &corners, radius, &mut cells)?;
        }
        let positions: Arc<[DVec3]> = mesh.positions().into();
        let leaves: Vec<Sphere> = cells.iter().map(|c| leaf(c, &mesh, &positions)).collect();
        let boxes: Vec<Aabb> = leaves.iter().map(|leaf| leaf.bounding_box()).collect();
        let tree = Arc::new(build(&boxes, &BuildSettings::CLASSIC)?);
        let isometry = Isometry::IDENTITY;
        let mut made = Self {
            mesh: Arc::new(mesh),
            cells: cells.into(),
            tree,
            positions,
            isometry,
            spheres: Arc::new([]),
            motion: Motion::rigid(DAffine3::IDENTITY, 0.0),
        };
        made.fit(&leaves);
        Ok(made)
    }

    /// The mesh at rest.
    #[must_use]
    pub fn mesh(&self) -> &Mesh {
        &self.mesh
    }

    /// How many cells there are.
    #[must_use]
    pub fn cells(&self) -> usize {
        self.cells.len()
    }

    /// The triangle of a cell.
    ///
    /// # Panics
    /// If there is no such cell.
    #[must_use]
    pub fn owner(&self, cell: u32) -> u32 {
        self.cells[cell as usize].triangle
    }

    /// Places the body. Costs nothing per cell.
    pub fn set_isometry(&mut self, isometry: Isometry) {
        self.isometry = isometry;
        let (matrix3, translation) = (isometry.rotation(), isometry.translation());
        self.motion = Motion::rigid(DAffine3 { matrix3, translation }, self.reach());
    }

    /// Bends the body: new positions before the isometry. Cells keep their shares of triangles. On an error
    /// nothing has changed.
    ///
    /// # Errors
    /// [`Error::CountMismatch`], [`Error::NonFinitePosition`].
    pub fn set_positions(&mut self, positions: &[DVec3]) -> Result<()> {
        let (given, expected) = (positions.len(), self.mesh.positions().len());
        if given != expected {
            return Err(Error::CountMismatch { what: "positions", expected, given });
        }
        check_finite(positions)?;
        self.positions = positions.into();
        let leaf = |cell| leaf(cell, &self.mesh, positions);
        let leaves: Vec<Sphere> = self.cells.iter().map(leaf).collect();
        self.fit(&leaves);
        Ok(())
    }

    /// Fits the spheres of all nodes to those of the cells, children before parents.
    fn fit(&mut self, leaves: &[Sphere]) {
        let tree = &self.tree;
        let runs = primitive_runs(tree);
        let mut spheres = vec![Sphere::EMPTY; tree.nodes.len()];
        for (number, node) in tree.nodes.iter().enumerate().rev() {
            let run = &runs[number];
            let below = &tree.primitives[run.start as usize..run.end as usize];
            let own = || below.iter().map(|&cell| leaves[cell as usize]);
            spheres[number] = if node.is_leaf() {
                own().fold(Sphere::EMPTY, |all, leaf| all.merge(&leaf))
            } else {
                let range = node.range().start as usize..node.range().end as usize;
                let both = |all: Sphere, child: &Sphere| all.merge(child);
                let layered = spheres[range].iter().fold(Sphere::EMPTY, both);
                let wrapped = around_leaves(own());
                if wrapped.radius < layered.radius { wrapped } else { layered }
            };
        }
        self.spheres = spheres.iter().map(Sphere::at_rest).collect();
        self.set_isometry(self.isometry);
    }

    /// No coordinate of a sphere is larger, before the isometry.
    fn reach(&self) -> f64 {
        let far = |s: &Vec4| f64::from(s.truncate().abs().max_element()) + f64::from(s.w);
        self.spheres.iter().map(far).fold(0.0, f64::max)
    }
}

/// A sphere around spheres, from the middle of the box of their centres.
fn around_leaves(leaves: impl Iterator<Item = Sphere> + Clone) -> Sphere {
    let corners = leaves.clone().fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |all, leaf| {
        let center = leaf.center.as_dvec3();
        (all.0.min(center), all.1.max(center))
    });
    let middle = Sphere::new(corners.0 * 0.5 + corners.1 * 0.5, 0.0);
    let center = middle.center.as_dvec3();
    let reach = leaves.fold(0.0, |most: f64, leaf| {
        let far = (leaf.center.as_dvec3() - center).length() + f64::from(leaf.radius);
        if far <= most { most } else { far }
    });
    // The middle is an `f32`: it is not rounded again.
    Sphere::new(center, reach * (1.0 + F64_SLACK))
}

/// The corners of a cell, given those of its triangle.
fn corners_of(weights: &[DVec3; 3], [a, b, c]: &[DVec3; 3]) -> [DVec3; 3] {
    weights.map(|w| *a * w.x + *b * w.y + *c * w.z)
}

/// The sphere of a cell. The cell itself has the exact corners; the computed ones are off by three
/// roundings of the triangle's largest coordinate M along each axis, 2^-53 each. The slack, 2^-46 M,
/// covers that.
fn leaf(cell: &Cell, mesh: &Mesh, positions: &[DVec3]) -> Sphere {
    let triangle = mesh.triangles()[cell.triangle as usize];
    let corners = triangle.map(|vertex| positions[vertex as usize]);
    let largest = corners.iter().map(|p| p.abs().max_element()).fold(0.0, f64::max);
    let around = Sphere::around_triangle(corners_of(&cell.corners, &corners));
    Sphere::new(around.center.as_dvec3(), f64::from(around.radius) + F64_SLACK * largest)
}

/// Cuts a triangle into cells, each at the middle of its longest side, until spheres are small enough.
fn cut(triangle: u32, corners: &[DVec3; 3], radius: f64, cells: &mut Vec<Cell>) -> Result<()> {
    let mut open = vec![([DVec3::X, DVec3::Y, DVec3::Z], 0)];
    while let Some((weights, cuts)) = open.pop() {
        let [a, b, c] = corners_of(&weights, corners);
        let around = Sphere::around_triangle([a, b, c]);
        if f64::from(around.radius) <= radius || cuts == MAX_CUTS {
            if cells.len() == MAX_CELLS {
                let (what, count) = ("cells", MAX_CELLS + 1);
                return Err(Error::TooMany { what, count, limit: MAX_CELLS });
            }
            cells.push(Cell { triangle, corners: weights });
            continue;
        }
        let sides = [b - a, c - b, a - c].map(|side| side.length());
        let longest = if sides[0] >= sides[1] && sides[0] >= sides[2] {
            0
        } else if sides[1] >= sides[2] {
            1
        } else {
            2
        };
        let [p, q, r] = [0, 1, 2].map(|i| weights[(longest + i) % 3]);
        let middle = (p + q) * 0.5;
        open.push(([p, middle, r], cuts + 1));
        open.push(([middle, q, r], cuts + 1));
    }
    Ok(())
}

impl Collide for CoveredBody {
    type Volume = Sphere;

    #[inline]
    fn tree(&self) -> &Tree {
        &self.tree
    }

    #[inline]
    fn bound(&self, node: u32) -> Sphere {
        if self.motion.is_bounded() {
            Sphere::moved(&self.spheres[node as usize], &self.motion)
        } else {
            Sphere::EVERYWHERE
        }
    }

    /// The triangle of a cell.
    #[inline]
    fn triangle(&self, cell: u32) -> [DVec3; 3] {
        let corners = self.mesh.triangles()[self.owner(cell) as usize];
        corners.map(|vertex| self.isometry.apply(self.positions[vertex as usize]))
    }

    /// Cells of one triangle, or of triangles that share a vertex.
    #[inline]
    fn adjacent(&self, first: u32, second: u32) -> bool {
        let [a, b] = [self.owner(first), self.owner(second)];
        a == b || self.mesh.adjacent(a, b)
    }
}
