//! A third kind of volume, in one file and without a change to the library: a 14-DOP, the
//! intersection of seven slabs along the axes and the diagonals of a cube (Klosowski et al. 1998).
//! Free, rigid and reduced bodies are bounded by it, and every query gives what brute force gives.

use std::sync::Arc;

use crate::support::compare::{aim, closest_bits, distance_bits, ray_bits};
use crate::support::enclosed::{Exact, check};
use crate::support::settings;
use pliant::bound::{BottomUp, BoundedDeformation, RigidBounds, SphereForm};
use pliant::deform::{Free, Modes, Reduced, Rigid};
use pliant::glam::{DAffine3, DQuat, DVec3};
use pliant::query::brute_force;
use pliant::tree::BuildSettings;
use pliant::volume::{
    Aabb, Apart, Fit, Motion, Overlap, Ray, RayEntry, Remember, UnitCost, Volume, round_down,
    round_up,
};
use pliant::{Body, Collide, FreeBody, Isometry, Mesh};
use pliant::{closest_point, distance, intersections, intersects, ray_cast, self_intersections};
use pliant_scenes::{Random, icosphere};
use proptest::prelude::*;

/// The directions of the slabs; the first three are the axes.
const DIRECTIONS: [DVec3; 7] = [
    DVec3::X,
    DVec3::Y,
    DVec3::Z,
    DVec3::new(1.0, 1.0, 1.0),
    DVec3::new(1.0, 1.0, -1.0),
    DVec3::new(1.0, -1.0, 1.0),
    DVec3::new(-1.0, 1.0, 1.0),
];

/// What sums of three products with 1 and -1 lose in `f64`, as a part of the sum of magnitudes.
const SUM_ERROR: f64 = 4.0 * f64::EPSILON;

#[derive(Debug, Clone, Copy, PartialEq)]
struct Dop {
    low: [f32; 7],
    high: [f32; 7],
}

/// Middles and half widths of the slabs.
#[derive(Debug, Clone, Copy)]
struct RestDop {
    middle: [f32; 7],
    half: [f32; 7],
}

fn slabs<T>(of: impl Fn(usize) -> T) -> [T; 7] {
    [0, 1, 2, 3, 4, 5, 6].map(of)
}

/// The width of a box along a direction, rounded outward.
fn box_along(aabb: &Aabb, direction: DVec3) -> [f64; 2] {
    let (min, max) = (aabb.min.as_dvec3(), aabb.max.as_dvec3());
    let (mut low, mut high, mut loss) = (0.0, 0.0, 0.0);
    // Zero times infinity is NaN: axes that do not count are left out.
    for axis in (0..3).filter(|&axis| direction[axis] != 0.0) {
        let forward = direction[axis] > 0.0;
        low += if forward { min[axis] } else { -max[axis] };
        high += if forward { max[axis] } else { -min[axis] };
        loss += SUM_ERROR * min[axis].abs().max(max[axis].abs());
    }
    [low - loss, high + loss]
}

impl Overlap<Dop> for Dop {
    fn overlaps(&self, other: &Dop) -> bool {
        // NaN excludes nothing.
        !(0..7).any(|i| self.low[i] > other.high[i] || other.low[i] > self.high[i])
    }
}

impl Overlap<Aabb> for Dop {
    fn overlaps(&self, other: &Aabb) -> bool {
        !(0..7).any(|i| {
            let [low, high] = box_along(other, DIRECTIONS[i]);
            f64::from(self.low[i]) > high || low > f64::from(self.high[i])
        })
    }
}

impl Overlap<Dop> for Aabb {
    fn overlaps(&self, other: &Dop) -> bool {
        other.overlaps(self)
    }
}

impl Apart<Dop> for Dop {
    fn distance_squared_to(&self, other: &Dop) -> f64 {
        self.bounding_box().distance_squared_to(&other.bounding_box())
    }
}

impl Apart<Dop> for Aabb {
    fn distance_squared_to(&self, other: &Dop) -> f64 {
        self.distance_squared_to(&other.bounding_box())
    }
}

impl RayEntry for Dop {
    fn ray_entry(&self, ray: &Ray, until: f64) -> Option<f64> {
        self.bounding_box().ray_entry(ray, until)
    }
}

impl Volume for Dop {
    fn corners(&self) -> [DVec3; 2] {
        [self.low, self.high].map(|c| DVec3::new(c[0].into(), c[1].into(), c[2].into()))
    }
}

impl Remember for Dop {
    type Words = [u64; 7];

    fn to_words(self) -> [u64; 7] {
        slabs(|i| u64::from(self.low[i].to_bits()) << 32 | u64::from(self.high[i].to_bits()))
    }

    fn from_words(words: [u64; 7]) -> Self {
        let high = words.map(|word| f32::from_bits(word as u32));
        Self { low: words.map(|word| f32::from_bits((word >> 32) as u32)), high }
    }
}

/// The widths of points along all directions, rounded outward by `SUM_ERROR`.
fn widths(points: &(impl Iterator<Item = DVec3> + Clone)) -> [[f64; 2]; 7] {
    DIRECTIONS.map(|direction| {
        points.clone().fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], p| {
            let (along, loss) = (p.dot(direction), SUM_ERROR * p.abs().dot(direction.abs()));
            [low.min(along - loss), high.max(along + loss)]
        })
    })
}

impl Fit for Dop {
    const EMPTY: Self = Self { low: [f32::INFINITY; 7], high: [f32::NEG_INFINITY; 7] };
    const EVERYWHERE: Self = Self { low: [f32::NEG_INFINITY; 7], high: [f32::INFINITY; 7] };
    const COST: UnitCost = UnitCost { test: 14, fit: 14 };

    type Point = DVec3;

    fn point(position: DVec3) -> DVec3 {
        position
    }

    fn fit_points(points: impl Iterator<Item = DVec3> + Clone) -> Self {
        let widths = widths(&points);
        Self { low: widths.map(|w| round_down(w[0])), high: widths.map(|w| round_up(w[1])) }
    }

    fn fit_two(&self, other: &Self) -> Self {
        let low = slabs(|i| self.low[i].min(other.low[i]));
        Self { low, high: slabs(|i| self.high[i].max(other.high[i])) }
    }

    type Rest = RestDop;

    fn at_rest(&self) -> RestDop {
        let middle = slabs(|i| self.low[i] * 0.5 + self.high[i] * 0.5);
        let half = slabs(|i| (self.high[i] - middle[i]).max(middle[i] - self.low[i]));
        RestDop { middle, half: half.map(|h| h * (1.0 + 4.0 * f32::EPSILON) + f32::MIN_POSITIVE) }
    }

    /// Slabs are shifted with a translation. Where the motion turns, the box of the first three
    /// slabs is turned, and the slabs are those of its image.
    fn moved(rest: &RestDop, motion: &Motion) -> Self {
        let [x, y, z] = [0, 1, 2].map(|i| f64::from(rest.middle[i]));
        let center = motion.apply(DVec3::new(x, y, z));
        let linear = motion.linear().as_dmat3();
        let shift = motion.apply(DVec3::ZERO);
        let ends = slabs(|i| {
            let direction = DIRECTIONS[i];
            let (middle, half) = if motion.turns() {
                let turned = linear.transpose() * direction;
                let half = [0, 1, 2].map(|axis| turned[axis].abs() * f64::from(rest.half[axis]));
                (center.dot(direction), half.iter().sum())
            } else {
                (f64::from(rest.middle[i]) + shift.dot(direction), f64::from(rest.half[i]))
            };
            // The allowance is one per axis.
            let half = half + f64::from(motion.allowance()) * direction.abs().element_sum();
            [round_down(middle - half), round_up(middle + half)]
        });
        Self { low: ends.map(|end| end[0]), high: ends.map(|end| end[1]) }
    }

    fn rest_around(points: &[DVec3], rounding: f64) -> RestDop {
        let ends = widths(&points.iter().copied()).map(|[low, high]| {
            let middle = (low * 0.5 + high * 0.5) as f32;
            let exact = f64::from(middle);
            let half = (high - exact).max(exact - low) + rounding * exact.abs();
            (middle, round_up(half * (1.0 + rounding) * (1.0 + 1e-14)))
        });
        RestDop { middle: ends.map(|end| end.0), half: ends.map(|end| end.1) }
    }

    type Factor = f32;

    fn factor(factor: f32) -> f32 {
        factor
    }

    fn scaled(rest: &RestDop, factor: f32) -> RestDop {
        RestDop {
            middle: rest.middle.map(|middle| middle * factor),
            half: rest.half.map(|half| half * factor.abs()),
        }
    }

    fn add_scaled(rest: &mut RestDop, displacements: &RestDop, factor: f32) {
        for i in 0..7 {
            rest.middle[i] += displacements.middle[i] * factor;
            rest.half[i] += displacements.half[i] * factor.abs();
        }
    }
}

impl Exact for Dop {
    fn holds(&self, p: DVec3) -> bool {
        (0..7).all(|i| {
            let along = p.dot(DIRECTIONS[i]);
            let loss = if i < 3 { 0.0 } else { SUM_ERROR * p.abs().element_sum() };
            f64::from(self.low[i]) <= along + loss && along - loss <= f64::from(self.high[i])
        })
    }
}

/// One shape as a body of every kind that is bounded by 14-DOPs, and one bounded by boxes.
struct Kinds {
    free: Body<Free, BottomUp<Dop>>,
    rigid: Body<Rigid, RigidBounds<Dop>>,
    reduced: Body<Reduced, BoundedDeformation<Dop>>,
    boxes: FreeBody,
}

/// A ball with three modes: it swells, it bends, it twists.
fn modes(mesh: &Mesh) -> Arc<Modes> {
    let field = |by: &dyn Fn(DVec3) -> DVec3| mesh.positions().iter().map(|&p| by(p)).collect();
    let fields: [Vec<DVec3>; 3] = [
        field(&|p| p),
        field(&|p| DVec3::Y * p.x * p.x),
        field(&|p| DVec3::new(-p.y, p.x, 0.0) * p.z),
    ];
    Arc::new(Modes::from_fields(mesh.positions().len(), &fields).unwrap())
}

impl Kinds {
    fn new(settings: &BuildSettings) -> Self {
        let mesh = icosphere(1).unwrap();
        let form = SphereForm::Layered;
        Self {
            free: Body::free_bounded(mesh.clone(), form, settings).unwrap(),
            rigid: Body::rigid_bounded(mesh.clone(), form, settings).unwrap(),
            reduced: Body::reduced_bounded(mesh.clone(), modes(&mesh), settings).unwrap(),
            boxes: Body::free_with(mesh, settings).unwrap(),
        }
    }

    /// Deforms and places them. The free bodies have the shape of the reduced one; the rigid one
    /// keeps its own.
    fn set(&mut self, q: [f64; 3], isometry: Isometry) {
        let (matrix3, translation) = (isometry.rotation(), isometry.translation());
        self.reduced.set_state(&q, DAffine3 { matrix3, translation }).unwrap();
        self.rigid.set_isometry(isometry);
        let count = self.boxes.mesh().positions().len() as u32;
        let moved: Vec<_> = (0..count).map(|v| self.reduced.position(v).unwrap()).collect();
        self.free.set_positions(&moved).unwrap();
        self.boxes.set_positions(&moved).unwrap();
    }
}

fn same<A: Collide, B: Collide>(a: &A, b: &B) -> usize
where
    A::Volume: Overlap<B::Volume> + Apart<B::Volume> + Overlap<A::Volume>,
{
    let expected = brute_force::intersections(a, b).pairs;
    assert_eq!(intersections(a, b).pairs, expected);
    assert_eq!(intersects(a, b).pair.is_some(), !expected.is_empty());
    let apart = distance(a, b);
    assert_eq!(distance_bits(&apart), distance_bits(&brute_force::distance(a, b)));
    let own = brute_force::self_intersections(a).pairs;
    assert_eq!(self_intersections(a).pairs, own);
    let (rays, points) = aim(a, DVec3::new(3.0, 1.0, -2.0));
    for ray in &rays {
        assert_eq!(ray_bits(&ray_cast(a, ray)), ray_bits(&brute_force::ray_cast(a, ray)));
    }
    for &point in &points {
        let expected = brute_force::closest_point(a, point).unwrap();
        assert_eq!(closest_bits(&closest_point(a, point).unwrap()), closest_bits(&expected));
    }
    expected.len() + own.len()
}

fn isometry() -> impl Strategy<Value = Isometry> {
    let turn = prop_oneof![Just([0.0, 0.0, 0.0, 1.0]), prop::array::uniform4(-1.0..1.0f64)]
        .prop_filter("no direction", |turn| DQuat::from_array(*turn).length() > 0.1);
    (turn, prop::array::uniform3(-1.5..1.5f64)).prop_map(|(turn, shift)| {
        Isometry::new(DQuat::from_array(turn), DVec3::from_array(shift)).unwrap()
    })
}

fn coordinates() -> impl Strategy<Value = [f64; 3]> {
    prop::array::uniform3(prop_oneof![Just(0.0), -1.5..1.5f64])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn queries_give_what_brute_force_gives(
        settings in settings(), states in prop::array::uniform2((coordinates(), isometry())),
    ) {
        let mut kinds = [Kinds::new(&settings), Kinds::new(&settings)];
        for (kinds, (q, isometry)) in kinds.iter_mut().zip(states) {
            kinds.set(q, isometry);
            check("free", &kinds.free);
            check("rigid", &kinds.rigid);
            check("reduced", &kinds.reduced);
        }
        let [a, b] = &kinds;
        same(&a.free, &b.free);
        same(&a.free, &b.rigid);
        same(&a.rigid, &b.reduced);
        same(&a.reduced, &b.free);
        same(&a.boxes, &b.reduced);
        // It is the volume's own shape that is tested: it never overlaps where boxes do not.
        let (own, boxes) = (intersections(&a.free, &b.free), intersections(&a.boxes, &b.boxes));
        prop_assert_eq!(&own.pairs, &boxes.pairs);
        prop_assert!(own.work.overlap_tests <= boxes.work.overlap_tests);
    }
}

#[test]
fn slabs_along_diagonals_save_tests() {
    let mut random = Random::new(7);
    let [mut own, mut boxes] = [0, 0];
    for _ in 0..30 {
        let settings = BuildSettings::default();
        let [mut a, mut b] = [Kinds::new(&settings), Kinds::new(&settings)];
        a.set([0.2, 0.3, 0.5], Isometry::IDENTITY);
        let away = random.in_cube().normalize_or(DVec3::X) * 2.3;
        b.set([0.0, 0.1, 0.4], Isometry::from_translation(away).unwrap());
        own += intersections(&a.free, &b.free).work.overlap_tests;
        boxes += intersections(&a.boxes, &b.boxes).work.overlap_tests;
    }
    assert!(10 * own < 9 * boxes, "{own} tests of 14-DOPs, {boxes} of boxes");
    let cost = |tests| Dop::COST.total(tests, 0);
    assert_eq!(cost(own), 14 * own);
}

#[test]
fn bodies_out_of_range_are_everywhere() {
    let mut kinds = Kinds::new(&BuildSettings::default());
    let far = Isometry::from_translation(DVec3::splat(1e300)).unwrap();
    kinds.set([1.0; 3], far);
    assert_eq!(kinds.rigid.bound(0), Dop::EVERYWHERE);
    assert_eq!(kinds.reduced.bound(3), Dop::EVERYWHERE);
    assert_eq!(Dop::EMPTY.fit_two(&Dop::EVERYWHERE), Dop::EVERYWHERE);
    assert_eq!(Dop::fit_points(std::iter::empty()), Dop::EMPTY);
}
