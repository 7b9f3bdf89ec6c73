//! The spheres of a model down to a level, shared by all its bodies (James and Pai 2004, section
//! 3.4).
//!
//! The proxies are the nodes of the level and the leaves above it. A node has a row per mode, from
//! which its sphere follows in a state: c + sum u_j q_j, R + sum r_j |q_j|. The rows of inner nodes
//! are those of [`Body::with_proxies`]: their spheres contain those of all proxies below, in every
//! state.
//!
//! A node also has one number for all modes, its growth: its sphere at rest contains all proxies
//! below it in a state if its radius grows by `growth * stretch`. That is looser and costs less; it
//! serves for boxes, for obstacles, and for nodes that hardly grow.
//!
//! Proof. The stretch of a state is s = sqrt(sum (w_j q_j)²) with fixed positive weights w_j. A
//! proxy's moved sphere reaches no farther from its rest centre than
//! R + sum (|u_j| + r_j) |q_j| <= R + s sqrt(sum ((|u_j| + r_j) / w_j)²), by Cauchy and Schwarz.
//! The root is its growth, and the growth of an inner node is the largest one below. Its radius at
//! rest is the largest distance to a proxy's centre plus that proxy's radius. With w_j the angular
//! frequency, s² is twice the elastic energy.

use pliant::Body;
use pliant::bound::SphereCenter;
use pliant::deform::Modes;
use pliant::glam::{DVec3, Vec3, Vec4};
use pliant::tree::BuildSettings;
use pliant::volume::Sphere;
use pliant::{Collide as _, Mesh};
use std::sync::Arc;

use crate::{Error, Result};

/// Enlarges what is stored in `f32` for the roundings of its own computation: each is less than
/// 2^-24, and there are a few per mode.
fn rounded_up(value: f64, modes: usize) -> f32 {
    const UNIT: f64 = f32::EPSILON as f64;
    (value * (1.0 + UNIT * (modes + 8) as f64)) as f32
}

/// A node of a [`ProxyTree`].
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C, align(32))]
pub struct ProxyNode {
    /// The middle at rest, from the centre of mass.
    pub center: Vec3,
    /// How far the proxies below reach from the middle at rest.
    pub radius: f32,
    /// How much farther they reach per stretch.
    pub growth: f32,
    /// The first child.
    pub(super) first: u32,
    /// How many children; 0 if this is a proxy.
    pub(super) children: u32,
    /// The node of the tree over the mesh.
    pub tree_node: u32,
}

impl ProxyNode {
    /// Whether the node is a proxy, and has no children here.
    #[must_use]
    #[inline]
    pub fn is_proxy(&self) -> bool {
        self.children == 0
    }

    /// The numbers of the children.
    #[must_use]
    #[inline]
    pub fn child_range(&self) -> std::ops::Range<u32> {
        self.first..self.first + self.children
    }
}

/// The spheres of a model down to a level.
#[derive(Debug, Clone, PartialEq)]
pub struct ProxyTree {
    pub(super) nodes: Vec<ProxyNode>,
    /// Rows per node: the rest sphere, then one per mode.
    pub(super) stride: usize,
    /// Centre and radius of each row.
    pub(super) rows: Vec<Vec4>,
    /// For each node and mode, the growth of the sphere per coordinate, over its radius at rest.
    pub(super) strains: Vec<f32>,
    /// The corners of the box of all proxies at rest.
    pub(super) rest_box: [Vec3; 2],
    /// How far the proxies reach from the centre of mass at rest.
    pub(super) reach: f32,
}

impl ProxyTree {
    /// One ball around the origin.
    pub(super) fn ball(radius: f64) -> Self {
        let radius = rounded_up(radius, 0);
        let (center, growth, first, children, tree_node) = (Vec3::ZERO, 0.0, 0, 0, 0);
        Self {
            nodes: vec![ProxyNode { center, radius, growth, first, children, tree_node }],
            stride: 1,
            rows: vec![center.extend(radius)],
            strains: vec![],
            rest_box: [Vec3::splat(-radius), Vec3::splat(radius)],
            reach: radius * 1.000_001,
        }
    }

    /// The spheres of a mesh down to a level, measured from `origin`, with these weights of modes.
    pub(super) fn new(
        mesh: &Mesh,
        modes: &Arc<Modes>,
        weights: &[f64],
        origin: DVec3,
        level: u32,
        build: &BuildSettings,
    ) -> Result<Self> {
        let center = SphereCenter::SmallestBall;
        let body = Body::reduced_spheres(mesh.clone(), Arc::clone(modes), center, build)?
            .with_proxies(level);
        let stride = modes.count() + 1;
        let mut made = Self {
            nodes: vec![],
            stride,
            rows: vec![],
            strains: vec![],
            rest_box: [Vec3::ZERO; 2],
            reach: 0.0,
        };
        // Breadth first: children stand side by side.
        let mut next = vec![0];
        for depth in 0.. {
            let this = std::mem::take(&mut next);
            let mut below = (made.nodes.len() + this.len()) as u32;
            for tree_node in this {
                let rows = body.sphere_rows(tree_node).ok_or(Error::InvalidSetting {
                    setting: "size of a mesh or of its modes",
                    value: f64::INFINITY,
                    range: "numbers that f32 holds",
                })?;
                let node = body.tree().node(tree_node);
                let children = if node.is_leaf() || depth >= level { 0 } else { node.count() };
                let first = if children == 0 { 0 } else { below };
                made.push(tree_node, &rows, origin, weights, [first, children]);
                below += children;
                if children > 0 {
                    next.extend(node.range());
                }
            }
            if next.is_empty() {
                break;
            }
        }
        made.wrap();
        Ok(made)
    }

    /// Adds a node with its rows.
    fn push(
        &mut self,
        tree_node: u32,
        rows: &[Sphere],
        origin: DVec3,
        weights: &[f64],
        [first, children]: [u32; 2],
    ) {
        let modes = weights.len();
        let rest = Sphere::new(rows[0].center.as_dvec3() - origin, f64::from(rows[0].radius));
        let reach = |row: &Sphere| row.center.as_dvec3().length() + f64::from(row.radius);
        let squares = rows[1..].iter().zip(weights).map(|(row, w)| (reach(row) / w).powi(2));
        let growth = rounded_up(squares.sum::<f64>().sqrt(), modes);
        let Sphere { center, radius } = rest;
        let size = f64::from(radius).max(f64::from(f32::MIN_POSITIVE));
        self.strains.extend(rows[1..].iter().map(|row| (f64::from(row.radius) / size) as f32));
        self.rows.push(center.extend(radius));
        self.rows.extend(rows[1..].iter().map(|row| row.center.extend(row.radius)));
        self.nodes.push(ProxyNode { center, radius, growth, first, children, tree_node });
    }

    /// Lets every inner node contain the proxies below it, at rest and as they grow.
    fn wrap(&mut self) {
        let mut low = Vec3::splat(f32::INFINITY);
        let mut high = -low;
        let mut below = Vec::new();
        for number in 0..self.nodes.len() {
            let node = self.nodes[number];
            if node.is_proxy() {
                low = low.min(node.center - node.radius);
                high = high.max(node.center + node.radius);
                self.reach = self.reach.max((node.center.length() + node.radius) * 1.000_001);
                continue;
            }
            let (mut radius, mut growth) = (0.0f64, 0.0f32);
            below.extend(node.child_range());
            while let Some(next) = below.pop() {
                let inner = self.nodes[next as usize];
                below.extend(if inner.is_proxy() { 0..0 } else { inner.child_range() });
                if inner.is_proxy() {
                    let apart = inner.center.as_dvec3().distance(node.center.as_dvec3());
                    radius = radius.max(apart + f64::from(inner.radius));
                    growth = growth.max(inner.growth);
                }
            }
            self.nodes[number].radius = rounded_up(radius, 0);
            self.nodes[number].growth = growth;
        }
        self.rest_box = [low, high];
    }

    /// All nodes, the root first, children after parents.
    #[must_use]
    pub fn nodes(&self) -> &[ProxyNode] {
        &self.nodes
    }

    /// The number of proxies.
    #[must_use]
    pub fn proxies(&self) -> usize {
        self.nodes.iter().filter(|node| node.is_proxy()).count()
    }

    /// Rows of a node: the rest sphere as centre and radius, then for each mode the mean
    /// displacement and the growth of the radius.
    #[inline]
    pub(super) fn rows_of(&self, node: u32) -> &[Vec4] {
        let start = node as usize * self.stride;
        &self.rows[start..start + self.stride]
    }
}

/// The sphere of a node, from its rows and their factors (q, q, q, |q|), as centre and radius; and
/// the velocity of its mean displacement, from the rates of the coordinates.
#[inline]
pub(super) fn moved_rows(rows: &[Vec4], factors: &[Vec4], rates: &[f32]) -> (Vec4, Vec3) {
    let (mut sum, mut drift) = (rows[0], Vec4::ZERO);
    for ((row, factor), rate) in rows[1..].iter().zip(factors).zip(rates) {
        sum += *row * *factor;
        drift += *row * *rate;
    }
    (sum, drift.truncate())
}

/// The factor of a mode's row for a coordinate.
#[inline]
pub(super) fn row_factor(q: f64) -> Vec4 {
    let q = q as f32;
    Vec4::new(q, q, q, q.abs())
}
