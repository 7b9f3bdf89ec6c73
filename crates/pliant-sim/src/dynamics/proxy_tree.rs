//! The spheres of a model down to a level: the hierarchy that a step searches.
//!
//! Proxies are the nodes at the level and the leaves above it. A proxy presses with its radius at rest
//! around its moved centre c + sum u_j q_j. An inner node has a row per mode, from which a sphere
//! around all proxies below it follows in a state: c + sum u_j q_j, R + sum r_j |q_j|.
//!
//! Proof. A proxy below has centre c' + sum u'_j q_j and radius R'. From the node's moved centre it
//! reaches no farther than |c' - c| + R' + sum |u'_j - u_j| |q_j|. So R is the largest |c' - c| + R',
//! and r_j the largest |u'_j - u_j| of the proxies below. (Spheres around all vertices below, as in
//! James and Pai 2004, section 3.2, also grow with what bends within a proxy; they would be several
//! times larger for soft bodies, and a contact does not ask for them.)
//!
//! A node also has one number for all modes, its growth: its sphere at rest contains all proxies
//! below it in a state if its radius grows by `growth * stretch`. That is looser and costs less; it
//! serves for nodes that hardly grow, and for how far bodies moved.
//!
//! Proof. The stretch of a state is s = sqrt(sum (w_j q_j)²) with fixed positive weights w_j. A
//! proxy moves by no more than sum |u_j| |q_j| <= s sqrt(sum (|u_j| / w_j)²), by Cauchy and Schwarz.
//! The root is its growth, and the growth of an inner node is the largest one below. With w_j the
//! angular frequency, s² is twice the elastic energy.
//!
//! The box of all proxies follows from the coordinates axis by axis, by the proof of the spheres.

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

/// A radius to divide by.
fn at_least_tiny(radius: f32) -> f64 {
    f64::from(radius.max(f32::MIN_POSITIVE))
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
    /// For each node and mode, how much a sphere around the vertices below grows per coordinate, over its
    /// radius at rest (James and Pai 2004, section 3.2).
    pub(super) strains: Vec<f32>,
    /// Middle and half the size of the box of all proxies at rest, and for each mode of the box of their
    /// displacements.
    pub(super) box_rows: Vec<[Vec3; 2]>,
    /// How far the proxies reach from the centre of mass at rest.
    pub(super) reach: f32,
    /// The radius of the largest proxy.
    pub(super) largest: f32,
    /// For each mode, how far a coordinate of 1 moves any proxy at most.
    pub(super) mode_reaches: Vec<f32>,
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
            box_rows: vec![[Vec3::ZERO, Vec3::splat(radius)]],
            reach: radius * 1.000_001,
            largest: radius,
            mode_reaches: vec![],
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
            box_rows: vec![],
            reach: 0.0,
            largest: 0.0,
            mode_reaches: vec![],
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
        let reach = |row: &Sphere| row.center.as_dvec3().length();
        let squares = rows[1..].iter().zip(weights).map(|(row, w)| (reach(row) / w).powi(2));
        let growth = rounded_up(squares.sum::<f64>().sqrt(), modes);
        let Sphere { center, radius } = rest;
        let size = at_least_tiny(radius);
        self.strains.extend(rows[1..].iter().map(|row| (f64::from(row.radius) / size) as f32));
        self.rows.push(center.extend(radius));
        self.rows.extend(rows[1..].iter().map(|row| row.center.extend(0.0)));
        self.nodes.push(ProxyNode { center, radius, growth, first, children, tree_node });
    }

    /// Lets every inner node contain the proxies below it, at rest and as they move.
    fn wrap(&mut self) {
        let modes = self.stride - 1;
        let (mut below, mut proxies) = (Vec::new(), Vec::new());
        for number in 0..self.nodes.len() {
            let node = self.nodes[number];
            if node.is_proxy() {
                proxies.push(number);
                self.largest = self.largest.max(node.radius);
                self.reach = self.reach.max((node.center.length() + node.radius) * 1.000_001);
                continue;
            }
            let (mut spreads, mut growth) = (vec![0.0f64; self.stride], 0.0f32);
            let own = self.rows_of(number as u32);
            below.extend(node.child_range());
            while let Some(next) = below.pop() {
                let inner = self.nodes[next as usize];
                if !inner.is_proxy() {
                    below.extend(inner.child_range());
                    continue;
                }
                let apart = |a: &Vec4, b: &Vec4| {
                    a.truncate().as_dvec3().distance(b.truncate().as_dvec3()) + f64::from(a.w)
                };
                for (spread, (row, own)) in
                    spreads.iter_mut().zip(self.rows_of(next).iter().zip(own))
                {
                    *spread = spread.max(apart(row, own));
                }
                growth = growth.max(inner.growth);
            }
            let start = number * self.stride;
            for (row, spread) in self.rows[start..].iter_mut().zip(&spreads) {
                row.w = rounded_up(*spread, modes);
            }
            self.nodes[number].radius = self.rows[start].w;
            self.nodes[number].growth = growth;
        }
        let mut boxes = Vec::with_capacity(self.stride);
        for row in 0..self.stride {
            let mut low = Vec3::splat(f32::INFINITY);
            let mut high = -low;
            for &proxy in &proxies {
                let sphere = self.rows[proxy * self.stride + row];
                low = low.min(sphere.truncate() - sphere.w);
                high = high.max(sphere.truncate() + sphere.w);
            }
            boxes.push([0.5 * (low + high), 0.5 * (high - low)]);
        }
        self.box_rows = boxes;
        let length = |proxy: usize, row: usize| {
            f64::from(self.rows[proxy * self.stride + row].truncate().length())
        };
        let farthest = |row: usize| proxies.iter().map(|&p| length(p, row)).fold(0.0, f64::max);
        self.mode_reaches = (1..self.stride).map(|row| rounded_up(farthest(row), 1)).collect();
    }

    /// How far coordinates move any proxy, or such changes of them, at most.
    #[inline]
    pub(super) fn motion(&self, q: impl Iterator<Item = f64>) -> f64 {
        self.mode_reaches.iter().zip(q).map(|(&reach, q)| f64::from(reach) * q.abs()).sum()
    }

    /// Middle and half the size of the box of all proxies, from the factors of the modes, up to rounding.
    #[inline]
    pub(super) fn moved_box(&self, factors: &[Vec4]) -> [Vec3; 2] {
        let [mut middle, mut half] = self.box_rows[0];
        for (row, factor) in self.box_rows[1..].iter().zip(factors) {
            middle += row[0] * factor.x;
            half += row[1] * factor.w;
        }
        [middle, half]
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

    /// The radius of a sphere around a proxy's moved centre that contains the vertices for which it stands.
    pub(super) fn mesh_radius(&self, proxy: u32, q: &[f64]) -> f32 {
        let modes = self.stride - 1;
        let strains = &self.strains[proxy as usize * modes..][..modes];
        let strain: f64 = strains.iter().zip(q).map(|(&r, q)| f64::from(r) * q.abs()).sum();
        let radius = self.nodes[proxy as usize].radius;
        // Strains are rounded to f32, and so is the centre.
        rounded_up(f64::from(radius) + at_least_tiny(radius) * strain, 2 * modes)
    }

    /// Rows of a node: the rest sphere as centre and radius, then for each mode the mean
    /// displacement and, of inner nodes, the growth of the radius.
    #[inline]
    pub(super) fn rows_of(&self, node: u32) -> &[Vec4] {
        let start = node as usize * self.stride;
        &self.rows[start..start + self.stride]
    }
}

/// The sphere of a node, from its rows and their factors (q, q, q, |q|), as centre and radius.
#[inline]
pub(super) fn moved_row(rows: &[Vec4], factors: &[Vec4]) -> Vec4 {
    rows[1..].iter().zip(factors).fold(rows[0], |sum, (row, factor)| sum + *row * *factor)
}

/// The factor of a mode's row for a coordinate.
#[inline]
pub(super) fn row_factor(q: f64) -> Vec4 {
    let q = q as f32;
    Vec4::new(q, q, q, q.abs())
}
