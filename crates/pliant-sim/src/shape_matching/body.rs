//! A body whose points are drawn to a match of its rest shape.

use std::sync::Arc;

use pliant::glam::{DAffine3, DMat3, DVec3};
use pliant::volume::Aabb;

use super::cluster::Matched;
use super::ledger::{InnerMotion, Ledger};
use super::shape::{Shape, check_positions};
use super::symmetric_eigen::pseudo_inverse;
use crate::error::refuse;
use crate::{Error, Result};

/// How far beyond the nearest point a push reaches, in radii of the points.
const PUSHED_RADII: f64 = 5.0;

/// Points that a shape holds together: where they are and how fast they move.
#[derive(Debug, Clone, PartialEq)]
pub struct ShapeBody {
    shape: Arc<Shape>,
    pub(super) positions: Vec<DVec3>,
    pub(super) velocities: Vec<DVec3>,
    /// For each cluster the stretch that plasticity has kept.
    pub(super) kept: Vec<DMat3>,
    /// For each point the direction out of the body, as of the last pull. A step begins with it: no state.
    pub(super) outward: Vec<DVec3>,
    /// For each point the way to its goals, as of the last pull. No state either.
    ways: Vec<DVec3>,
    /// Changes of velocity from outside, which the next pull takes: numbers of points, and what they get.
    pushed: Vec<(usize, DVec3)>,
    pub(super) ledger: Ledger,
}

impl ShapeBody {
    /// A body: the shape moved by an affine map, all points with one velocity.
    ///
    /// # Errors
    /// [`Error::InvalidPosition`] if the map moves a point too far, or the velocity is not finite.
    pub fn new(shape: Arc<Shape>, place: DAffine3, velocity: DVec3) -> Result<Self> {
        let positions: Vec<DVec3> =
            shape.points().iter().map(|&point| place.transform_point3(point)).collect();
        let velocities = vec![velocity; positions.len()];
        check_positions("body", 0, &positions)?;
        check_positions("velocity list", 0, &velocities)?;
        let kept = vec![DMat3::IDENTITY; shape.clusters()];
        let outward = shape.outward.clone();
        let ways = vec![DVec3::ZERO; positions.len()];
        let (pushed, ledger) = (Vec::new(), Ledger::default());
        Ok(Self { shape, positions, velocities, kept, outward, ways, pushed, ledger })
    }

    /// Moves every point, and gives each a velocity. Any state may be set: also all points at one place.
    /// On an error nothing has changed.
    ///
    /// # Errors
    /// [`Error::VertexCount`], [`Error::InvalidPosition`].
    pub fn set_state(&mut self, positions: &[DVec3], velocities: &[DVec3]) -> Result<()> {
        let expected = self.shape.points().len();
        for (what, given) in [("position list", positions), ("velocity list", velocities)] {
            if given.len() != expected {
                let (number, given) = (0, given.len());
                return Err(Error::VertexCount { what, number, expected, given });
            }
            check_positions(what, 0, given)?;
        }
        self.positions.copy_from_slice(positions);
        self.velocities.copy_from_slice(velocities);
        self.ledger = Ledger::default();
        Ok(())
    }

    /// Pushes the body from outside at a place, as far as the next step goes. The impulse, in newton seconds, is
    /// spread over the points near the place, the nearer the more; all of it becomes momentum.
    ///
    /// # Errors
    /// [`Error::InvalidSetting`] for numbers that are not finite.
    pub fn push(&mut self, place: DVec3, impulse: DVec3) -> Result<()> {
        let numbers = place.to_array().into_iter().chain(impulse.to_array());
        if let Some(value) = numbers.into_iter().find(|number| !number.is_finite()) {
            return refuse("push", value, "finite numbers");
        }
        let distances = self.positions.iter().map(|point| point.distance(place));
        let nearest = distances.clone().fold(f64::INFINITY, f64::min);
        // Beyond the nearest, as far as a few neighbours are.
        let reach = nearest + PUSHED_RADII * self.shape.radius();
        let shares: Vec<(usize, f64)> = distances
            .map(|distance| (1.0 - distance / reach).max(0.0).powi(2))
            .enumerate()
            .filter(|&(_, share)| share > 0.0)
            .collect();
        let sum: f64 = shares.iter().map(|(_, share)| share).sum();
        if sum.is_nan() || sum <= 0.0 {
            return Ok(());
        }
        let masses = self.shape.masses();
        let changes =
            shares.iter().map(|&(point, share)| (point, impulse * (share / sum / masses[point])));
        self.pushed.extend(changes);
        Ok(())
    }

    /// The shape.
    #[must_use]
    pub fn shape(&self) -> &Arc<Shape> {
        &self.shape
    }

    /// Where the points are.
    #[must_use]
    pub fn positions(&self) -> &[DVec3] {
        &self.positions
    }

    /// The velocities of the points.
    #[must_use]
    pub fn velocities(&self) -> &[DVec3] {
        &self.velocities
    }

    /// For each cluster the stretch that plasticity has kept; the identity at first.
    #[must_use]
    pub fn kept_stretch(&self) -> &[DMat3] {
        &self.kept
    }

    /// For each cluster the affine map from the shape at rest to where its points are now: the pose of a
    /// surface that follows (see [`Shape::skin_weights`]).
    #[must_use]
    pub fn joints(&self) -> Vec<DAffine3> {
        let clusters = self.shape.clusters.iter().enumerate();
        clusters.map(|(number, cluster)| cluster.joint(&self.matched(number))).collect()
    }

    /// The momentum.
    #[must_use]
    pub fn momentum(&self) -> DVec3 {
        self.sum_of_masses(|_, velocity| velocity)
    }

    /// The angular momentum about the origin.
    #[must_use]
    pub fn angular_momentum(&self) -> DVec3 {
        self.sum_of_masses(DVec3::cross)
    }

    /// The centre of mass.
    #[must_use]
    pub fn center(&self) -> DVec3 {
        self.sum_of_masses(|position, _| position) / self.mass()
    }

    /// The mass of all points.
    #[must_use]
    pub fn mass(&self) -> f64 {
        self.shape.masses().iter().sum()
    }

    /// Half of mass times velocity squared, over all points.
    #[must_use]
    pub fn kinetic_energy(&self) -> f64 {
        let points = self.shape.masses().iter().zip(&self.velocities);
        points.map(|(mass, velocity)| 0.5 * mass * velocity.length_squared()).sum()
    }

    /// The energy of the pull towards the goals: half of `alpha / step²` times mass times distance to the
    /// goals squared.
    #[must_use]
    pub fn stored_energy(&self, step: f64) -> f64 {
        let mut sum = 0.0;
        for (number, cluster) in self.shape.clusters.iter().enumerate() {
            cluster.pulls(&self.matched(number), &self.positions, |point, weight, way| {
                sum += self.shape.masses()[point] * weight * way.length_squared();
            });
        }
        0.5 * self.shape.material().alpha / (step * step) * sum
    }

    /// A box around all points as balls.
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        let first = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        let extend = |(min, max): (DVec3, DVec3), &p: &DVec3| (min.min(p), max.max(p));
        let (min, max) = self.positions.iter().fold(first, extend);
        let radius = DVec3::splat(self.shape.radius());
        // Rounded outward twice: the sums above, and to f32.
        Aabb::from_corners((min - radius).map(f64::next_down), (max + radius).map(f64::next_up))
    }

    /// Gives each point a velocity, by its number and the velocity that it has.
    pub(crate) fn change_velocities(&mut self, change: impl Fn(usize, DVec3) -> DVec3) {
        let all = self.velocities.iter_mut().enumerate();
        all.for_each(|(point, velocity)| *velocity = change(point, *velocity));
    }

    /// The largest difference of a point's velocity from this one.
    pub(super) fn largest_speed_from(&self, velocity: DVec3) -> f64 {
        let squares = self.velocities.iter().map(|own| own.distance_squared(velocity));
        squares.fold(0.0, f64::max).sqrt()
    }

    /// The first half of a step: gravity, the way to the goals, damping and plasticity change velocities
    /// (section 3.2 of the paper).
    pub(super) fn pull(&mut self, step: f64, gravity: DVec3) {
        let shape = Arc::clone(&self.shape);
        let material = *shape.material();
        let mut ways = std::mem::take(&mut self.ways);
        ways.fill(DVec3::ZERO);
        let mut outward = std::mem::take(&mut self.outward);
        outward.fill(DVec3::ZERO);
        let (mut square, mut flows) = (0.0, false);
        for (number, cluster) in shape.clusters.iter().enumerate() {
            let matched = self.matched(number);
            cluster.pulls(&matched, &self.positions, |point, weight, way| {
                ways[point] += weight * way;
                square += shape.masses()[point] * weight * way.length_squared();
                outward[point] += weight * (matched.rotation * shape.outward[point]);
            });
            if let Some(plasticity) = material.plasticity {
                let kept = plasticity.keep(self.kept[number], &matched, step);
                flows |= kept != self.kept[number];
                self.kept[number] = kept;
            }
        }
        outward.iter_mut().for_each(|out| *out = out.normalize_or_zero());
        (self.outward, self.ways) = (outward, ways);
        let pull = material.alpha / step;
        let stored = 0.5 * pull / step * square;
        self.ledger.enter(stored, self.homeward(pull), step);
        for (velocity, way) in self.velocities.iter_mut().zip(&self.ways) {
            *velocity += pull * *way + step * gravity;
        }
        for (point, change) in self.pushed.drain(..) {
            self.velocities[point] += change;
        }
        self.damp(material.damping, pull);
        // What is stored is not compared across a change of the shape at rest.
        self.ledger.expected = (!flows).then_some((stored, step));
    }

    /// The second half: points move.
    pub(super) fn advance(&mut self, step: f64) {
        let homeward = self.homeward(self.shape.material().alpha / step);
        if let Some((expected, _)) = &mut self.ledger.expected {
            *expected -= homeward;
        }
        for (position, &velocity) in self.positions.iter_mut().zip(&self.velocities) {
            *position += step * velocity;
        }
    }

    /// Half of the pull times mass times velocity times way to the goal.
    fn homeward(&self, pull: f64) -> f64 {
        let points = self.shape.masses().iter().zip(&self.velocities).zip(&self.ways);
        0.5 * pull * points.map(|((mass, velocity), way)| mass * velocity.dot(*way)).sum::<f64>()
    }

    fn matched(&self, cluster: usize) -> Matched {
        let goal = self.shape.material().goal;
        self.shape.clusters[cluster].matched(&self.positions, self.kept[cluster], goal)
    }

    /// Takes a part of the velocity about the rigid motion of the body, and as much as pays the debt. The
    /// rigid motion has all of the momentum and angular momentum, so that both stay.
    fn damp(&mut self, part: f64, pull: f64) {
        let (center, mean) = (self.center(), self.momentum() / self.mass());
        let mut spin = DVec3::ZERO;
        let mut inertia = [[0.0; 3]; 3];
        for ((&position, &velocity), &mass) in
            self.positions.iter().zip(&self.velocities).zip(self.shape.masses())
        {
            let r = position - center;
            spin += mass * r.cross(velocity - mean);
            let square = r.length_squared();
            for (a, row) in inertia.iter_mut().enumerate() {
                for (b, number) in row.iter_mut().enumerate() {
                    *number += mass * (if a == b { square } else { 0.0 } - r[a] * r[b]);
                }
            }
        }
        // Points on a line do not turn about it: the inverse leaves that out.
        let turning = DMat3::from_cols_array_2d(&pseudo_inverse(inertia)) * spin;
        let rigid = |position: DVec3| mean + turning.cross(position - center);
        let mut motion = InnerMotion { square: 0.0, homeward: 0.0 };
        if self.ledger.debt > 0.0 {
            let points = self.positions.iter().zip(&self.velocities).zip(&self.ways);
            for (((&position, &velocity), way), mass) in points.zip(self.shape.masses()) {
                let inner = velocity - rigid(position);
                motion.square += mass * inner.length_squared();
                motion.homeward += 0.5 * pull * mass * inner.dot(*way);
            }
        }
        let lost = 1.0 - (1.0 - part) * self.ledger.pay(motion);
        for (velocity, &position) in self.velocities.iter_mut().zip(&self.positions) {
            *velocity -= lost * (*velocity - rigid(position));
        }
    }

    fn sum_of_masses(&self, value: impl Fn(DVec3, DVec3) -> DVec3) -> DVec3 {
        let points = self.positions.iter().zip(&self.velocities).zip(self.shape.masses());
        points.map(|((&position, &velocity), &mass)| mass * value(position, velocity)).sum()
    }
}
