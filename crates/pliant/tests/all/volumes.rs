//! Every kind of volume, on every kind of body that it bounds: bounds contain, queries give what brute
//! force gives, against its own kind and all others, with the same bits for any number of threads.

use std::sync::Arc;

use crate::support::any_volume::{AnyVolume, Bounded};
use crate::support::compare::{aim, closest_bits, distance_bits, ray_bits};
use crate::support::enclosed::{Exact, check};
use crate::support::settings;
use pliant::bound::{BottomUp, BoundedDeformation, CoveredBody, DopHulls, RigidBounds, SphereForm};
use pliant::deform::{Free, Modes, Reduced, Rigid};
use pliant::glam::{DAffine3, DMat3, DQuat, DVec3};
use pliant::query::brute_force;
use pliant::tree::{BuildSettings, validate};
use pliant::volume::{
    Aabb, Apart, Capsule, Dop, Dop6, Dop14, Dop18, Dop26, Fit, Hull, Obb, Overlap, Ray, Remember,
    Sphere, Volume,
};
use pliant::{Body, Collide, Isometry, Mesh};
use pliant::{
    closest_point, distance, intersections, intersects, ray_cast, ray_hits, self_intersections,
};
use pliant_scenes::{Random, icosphere, triangle_soup};
use proptest::prelude::*;

/// Runs a generic function for every kind of volume.
macro_rules! for_each_volume {
    ($run:ident($($argument:expr),*)) => {{
        $run::<Aabb>("boxes" $(, $argument)*);
        $run::<Sphere>("spheres" $(, $argument)*);
        $run::<Dop6>("6-DOPs" $(, $argument)*);
        $run::<Dop14>("14-DOPs" $(, $argument)*);
        $run::<Dop18>("18-DOPs" $(, $argument)*);
        $run::<Dop26>("26-DOPs" $(, $argument)*);
        $run::<Obb>("oriented boxes" $(, $argument)*);
        $run::<Capsule>("capsules" $(, $argument)*);
        $run::<Hull>("hulls" $(, $argument)*);
    }};
}

/// Runs a generic function for every two different kinds of volumes.
macro_rules! for_two_volumes {
    ($run:ident($($argument:expr),*)) => {{
        for_two_volumes!(@row $run, ($($argument),*), Aabb: Sphere, Dop6, Dop14, Dop18, Dop26, Obb, Capsule, Hull);
        for_two_volumes!(@row $run, ($($argument),*), Sphere: Dop14, Dop18, Dop26, Obb, Capsule, Hull);
        for_two_volumes!(@row $run, ($($argument),*), Dop14: Dop18, Dop26, Obb, Capsule, Hull);
        for_two_volumes!(@row $run, ($($argument),*), Dop18: Dop6, Dop26, Obb, Capsule, Hull);
        for_two_volumes!(@row $run, ($($argument),*), Obb: Dop26, Capsule, Hull);
        for_two_volumes!(@row $run, ($($argument),*), Capsule: Dop26, Dop6, Hull);
    }};
    (@row $run:ident, $arguments:tt, $a:ty: $($b:ty),*) => { $(
        for_two_volumes!(@one $run, $arguments, $a, $b);
        for_two_volumes!(@one $run, $arguments, $b, $a);
    )* };
    (@one $run:ident, ($($argument:expr),*), $a:ty, $b:ty) => {
        $run::<$a, $b>($($argument),*)
    };
}

macro_rules! excludes {
    ($($kind:ty),*) => { $(
        impl Exact for $kind {
            /// Up to the rounding of the point's own coordinates along the volume's directions, 1e-15.
            fn holds(&self, point: DVec3) -> bool {
                !self.excludes_point(point)
            }
        }
    )* };
}
excludes!(Dop6, Dop14, Dop18, Dop26, Obb, Capsule, Hull);

/// One shape as a body of every kind, bounded by one kind of volume.
struct Kinds<V: Fit> {
    free: Body<Free, BottomUp<V>>,
    wrapped: Body<Free, BottomUp<V>>,
    rigid: Body<Rigid, RigidBounds<V>>,
    reduced: Body<Reduced, BoundedDeformation<V>>,
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

/// A state: coordinates, placement, and a shear that only reduced bodies know.
#[derive(Debug, Clone, Copy)]
struct State {
    q: [f64; 3],
    isometry: Isometry,
    shear: f64,
}

impl<V: Fit> Kinds<V> {
    fn new(mesh: &Mesh, settings: &BuildSettings, state: &State) -> Self {
        let free = |form| Body::free_bounded(mesh.clone(), form, settings).unwrap();
        let mut kinds = Self {
            free: free(SphereForm::Layered),
            wrapped: free(SphereForm::Wrapped),
            rigid: Body::rigid_bounded(mesh.clone(), SphereForm::Wrapped, settings).unwrap(),
            reduced: Body::reduced_bounded(mesh.clone(), modes(mesh), settings).unwrap(),
        };
        let State { q, isometry, shear } = *state;
        let shear = DMat3::from_cols(DVec3::X, DVec3::new(shear, 1.0, 0.0), DVec3::Z);
        let (matrix3, translation) = (isometry.rotation() * shear, isometry.translation());
        kinds.reduced.set_state(&q, DAffine3 { matrix3, translation }).unwrap();
        kinds.rigid.set_isometry(isometry);
        let count = mesh.positions().len() as u32;
        let moved: Vec<_> = (0..count).map(|v| kinds.reduced.position(v).unwrap()).collect();
        kinds.free.set_positions(&moved).unwrap();
        kinds.wrapped.set_positions(&moved).unwrap();
        kinds
    }
}

fn same<V, W>(name: &str, a: &dyn Collide<Volume = V>, b: &dyn Collide<Volume = W>)
where
    V: Volume + Overlap<W> + Apart<W>,
    W: Volume,
{
    let (a, b) = (&a, &b);
    let expected = brute_force::intersections(a, b).pairs;
    assert_eq!(intersections(a, b).pairs, expected, "{name}");
    assert_eq!(intersects(a, b).pair.is_some(), !expected.is_empty(), "{name}");
    let apart = distance(a, b);
    assert_eq!(distance_bits(&apart), distance_bits(&brute_force::distance(a, b)), "{name}");
}

fn same_alone<V: Volume + Overlap<V>>(name: &str, a: &dyn Collide<Volume = V>) {
    let a = &a;
    let own = brute_force::self_intersections(a).pairs;
    assert_eq!(self_intersections(a).pairs, own, "{name}");
    let (rays, points) = aim(a, DVec3::new(3.0, 1.0, -2.0));
    for ray in &rays {
        let expected = brute_force::ray_cast(a, ray);
        assert_eq!(ray_bits(&ray_cast(a, ray)), ray_bits(&expected), "{name}: {ray:?}");
        let all = ray_hits(a, ray).hits;
        assert_eq!(all, brute_force::ray_hits(a, ray).hits, "{name}: all along {ray:?}");
        assert_eq!(all.first(), expected.hit.as_ref(), "{name}: first of all along {ray:?}");
    }
    for &point in &points {
        let expected = brute_force::closest_point(a, point).unwrap();
        let found = closest_point(a, point).unwrap();
        assert_eq!(closest_bits(&found), closest_bits(&expected), "{name}: {point}");
    }
}

/// Bounds contain, and queries between bodies of every kind give what brute force gives.
fn holds_and_finds<V>(name: &str, settings: &BuildSettings, states: &[State; 2])
where
    V: Fit + Exact + Overlap<V> + Apart<V>,
{
    let mesh = icosphere(1).unwrap();
    let [a, b] = states.map(|state| Kinds::<V>::new(&mesh, settings, &state));
    for kinds in [&a, &b] {
        check(name, &kinds.free);
        check(name, &kinds.wrapped);
        check(name, &kinds.rigid);
        check(name, &kinds.reduced);
    }
    same(name, &a.free, &b.wrapped);
    same(name, &a.wrapped, &b.rigid);
    same(name, &a.rigid, &b.reduced);
    same(name, &a.reduced, &b.free);
    same_alone(name, &a.wrapped);
    same_alone(name, &a.rigid);
    same_alone(name, &b.reduced);
}

/// k-DOPs that are turned by their vertices: they contain, and are not larger than those of the cheaper map.
fn turned_by_vertices<const N: usize>(states: &[State; 2])
where
    Dop<N>: Exact + Overlap<Dop<N>> + Apart<Dop<N>>,
{
    let mesh = icosphere(1).unwrap();
    let settings = BuildSettings::default();
    let [a, b] = states.map(|state| {
        let mut body: Body<Rigid, DopHulls<N>> =
            Body::rigid_dop_hulls(mesh.clone(), &settings).unwrap();
        body.set_isometry(state.isometry);
        let mut mapped: Body<Rigid, RigidBounds<Dop<N>>> =
            Body::rigid_bounded(mesh.clone(), SphereForm::Layered, &settings).unwrap();
        mapped.set_isometry(state.isometry);
        check("by vertices", &body);
        for node in 0..body.nodes() as u32 {
            let (tight, loose) = (body.bound(node), mapped.bound(node));
            for i in 0..N {
                assert!(
                    tight.low[i] >= loose.low[i] - 1e-5 && tight.high[i] <= loose.high[i] + 1e-5
                );
            }
        }
        body
    });
    same("by vertices", &a, &b);
    same_alone("by vertices", &a);
}

/// Two bodies that are bounded by different kinds of volumes.
fn meets<V, W>(settings: &BuildSettings, states: &[State; 2])
where
    V: Fit + Into<AnyVolume>,
    W: Fit + Into<AnyVolume>,
{
    let mesh = icosphere(1).unwrap();
    let a = Kinds::<V>::new(&mesh, settings, &states[0]);
    let b = Kinds::<W>::new(&mesh, settings, &states[1]);
    let names = format!("{} and {}", std::any::type_name::<V>(), std::any::type_name::<W>());
    same(&names, &Bounded(&a.free), &Bounded(&b.rigid));
    same(&names, &Bounded(&a.rigid), &Bounded(&b.reduced));
}

fn state() -> impl Strategy<Value = State> {
    let turn = prop_oneof![Just([0.0, 0.0, 0.0, 1.0]), prop::array::uniform4(-1.0..1.0f64)]
        .prop_filter("no direction", |turn| DQuat::from_array(*turn).length() > 0.1);
    let q = prop::array::uniform3(prop_oneof![Just(0.0), -1.5..1.5f64]);
    let shear = prop_oneof![2 => Just(0.0), 1 => -2.0..2.0f64];
    (q, turn, prop::array::uniform3(-1.5..1.5f64), shear).prop_map(|(q, turn, shift, shear)| {
        let isometry = Isometry::new(DQuat::from_array(turn), DVec3::from_array(shift)).unwrap();
        State { q, isometry, shear }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn every_volume_on_every_kind_of_body(
        settings in settings(), states in prop::array::uniform2(state()),
    ) {
        for_each_volume!(holds_and_finds(&settings, &states));
        turned_by_vertices::<7>(&states);
        turned_by_vertices::<9>(&states);
        turned_by_vertices::<13>(&states);
    }

    #[test]
    fn every_volume_against_every_other(
        settings in settings(), states in prop::array::uniform2(state()),
    ) {
        for_two_volumes!(meets(&settings, &states));
    }
}

/// Ruspini's sphere tree finds what brute force finds, at any radius, placed and bent.
#[test]
fn covered_triangles_find_what_brute_force_finds() {
    let mesh = icosphere(1).unwrap();
    let mut random = Random::new(11);
    let mut touching = 0;
    for radius in [2.0, 0.3, 0.1, 0.05] {
        let [mut a, mut b] = [radius, 0.2].map(|r| CoveredBody::new(mesh.clone(), r).unwrap());
        assert!(a.cells() >= mesh.triangles().len());
        validate(a.tree()).unwrap();
        for _ in 0..6 {
            let turn = DQuat::from_rotation_y(random.in_cube().x * 3.0);
            let shift = random.in_cube() * 1.5;
            b.set_isometry(Isometry::new(turn, shift).unwrap());
            let bend = random.in_cube() * 0.5;
            let bent: Vec<_> = mesh.positions().iter().map(|&p| p + bend * p.x * p.x).collect();
            a.set_positions(&bent).unwrap();
            let free = |body: &CoveredBody, positions: &[DVec3], at: Isometry| {
                let moved: Vec<_> = positions.iter().map(|&p| at.apply(p)).collect();
                let mut free = Body::free(body.mesh().clone()).unwrap();
                free.set_positions(&moved).unwrap();
                free
            };
            let first = free(&a, &bent, Isometry::IDENTITY);
            let second = free(&b, mesh.positions(), Isometry::new(turn, shift).unwrap());
            let expected = brute_force::intersections(&first, &second).pairs;
            touching += expected.len();
            let owners = |found: pliant::Intersections| {
                found.of_owners(|cell| a.owner(cell), |cell| b.owner(cell)).pairs
            };
            assert_eq!(owners(intersections(&a, &b)), expected);
            let mixed = intersections(&a, &second).of_owners(|cell| a.owner(cell), |t| t);
            assert_eq!(mixed.pairs, expected);
            let own = self_intersections(&a).of_owners(|c| a.owner(c), |c| a.owner(c));
            let sorted = own.pairs.iter().map(|&[i, j]| [i.min(j), i.max(j)]);
            let mut sorted: Vec<_> = sorted.collect();
            sorted.sort_unstable();
            sorted.dedup();
            assert_eq!(sorted, brute_force::self_intersections(&first).pairs);
            let apart = distance(&a, &b);
            assert_eq!(apart.squared, brute_force::distance(&first, &second).squared);
            let (rays, points) = aim(&first, DVec3::new(3.0, 1.0, -2.0));
            for ray in &rays {
                let (found, truth) =
                    (ray_cast(&a, ray).hit, brute_force::ray_cast(&first, ray).hit);
                let owner = found.map(|(cell, hit)| (a.owner(cell), hit.t));
                assert_eq!(owner.map(|hit| hit.1), truth.map(|(_, hit)| hit.t));
            }
            for &point in &points {
                let truth = brute_force::closest_point(&first, point).unwrap();
                let found = closest_point(&a, point).unwrap();
                assert_eq!(found.found.distance_squared, truth.found.distance_squared);
            }
        }
    }
    assert!(touching > 500, "{touching}");
    assert!(CoveredBody::new(mesh.clone(), 0.0).is_err());
    assert!(CoveredBody::new(mesh, f64::NAN).is_err());
}

/// Triangles, and merged volumes, at every size and place that `f64` has: flat, in a line, in a point.
fn contains_at_every_size<V: Fit + Exact>(name: &str, triangles: &[[DVec3; 3]]) {
    let fit = |corners: &[DVec3; 3]| V::fit_triangle(corners.map(V::point));
    let mut all = V::EMPTY;
    for corners in triangles {
        let own = fit(corners);
        all = all.fit_two(&own);
        for &corner in corners {
            assert!(own.holds(corner), "{name}: {own:?} misses {corner}");
        }
        assert!(own.overlaps(&Aabb::around(*corners)), "{name}");
    }
    let corners = triangles.as_flattened();
    let wrapped = all.wrapped(corners.iter().copied());
    let fitted = V::fit_points(corners.iter().map(|&p| V::point(p)));
    for volume in [all, wrapped, fitted] {
        for &corner in corners {
            assert!(volume.holds(corner), "{name}: {volume:?} misses {corner}");
            assert!(volume.bounding_box().holds(corner), "{name}: box of {volume:?}");
            assert_eq!(
                volume.distance_squared_to_point(corner),
                0.0,
                "{name}: {volume:?} {corner}"
            );
            assert!(volume.overlaps(&Aabb::around([corner])), "{name}: {volume:?} {corner}");
            let ray = Ray::new(corner, DVec3::new(0.3, -1.0, 0.2)).unwrap();
            assert_eq!(volume.ray_entry(&ray, 0.0), Some(0.0), "{name}: {volume:?} {corner}");
        }
    }
}

/// Volumes with a common point overlap, are at no distance, and contain it, for every two kinds.
fn common_points_are_not_missed<V, W>(clouds: &[Vec<DVec3>; 2])
where
    V: Fit + Overlap<W> + Apart<W>,
    W: Fit,
{
    let [a, b] = clouds;
    let first = V::fit_points(a.iter().map(|&p| V::point(p)));
    let second = W::fit_points(b.iter().map(|&p| W::point(p)));
    assert!(first.overlaps(&second), "{first:?} {second:?}");
    assert_eq!(first.distance_squared_to(&second), 0.0, "{first:?} {second:?}");
}

/// As above, for one kind, and with parallel and nearly parallel edges.
fn common_points_of_one_kind<V: Fit + Overlap<V> + Apart<V>>(_: &str, clouds: &[Vec<DVec3>; 2]) {
    common_points_are_not_missed::<V, V>(clouds);
}

fn coordinate() -> impl Strategy<Value = f64> {
    (-1.0..1.0f64, prop_oneof![3 => Just(0), 1 => -50..40i32, 1 => -310..305i32])
        .prop_map(|(mantissa, exponent)| mantissa * 10f64.powi(exponent))
}

fn point() -> impl Strategy<Value = DVec3> {
    [coordinate(), coordinate(), coordinate()].prop_map(DVec3::from_array)
}

/// A number that is NaN excludes nothing that the volume did not exclude without it: it is set in every
/// place of the volume's memory.
fn nan_excludes_nothing<V>(name: &str, clouds: &[Vec<DVec3>; 2], ray: &Ray)
where
    V: Fit + Overlap<V> + Apart<V> + Apart<Aabb> + Remember<Words: AsMut<[u64]>>,
{
    let [a, b] = clouds.each_ref().map(|points| V::fit_points(points.iter().map(|&p| V::point(p))));
    let other = Aabb::around(clouds[1].iter().copied());
    let places = 2 * a.to_words().as_mut().len();
    for place in 0..places {
        let mut words = a.to_words();
        let word = &mut words.as_mut()[place / 2];
        let shift = 32 * (place % 2);
        *word = *word & !(0xffff_ffff << shift) | u64::from(f32::NAN.to_bits()) << shift;
        let unknown = V::from_words(words);
        assert!(unknown.overlaps(&b) || !a.overlaps(&b), "{name}, place {place}");
        assert!(b.overlaps(&unknown) || !b.overlaps(&a), "{name}, place {place}");
        assert!(unknown.overlaps(&other) || !a.overlaps(&other), "{name}, place {place}");
        let (near, far) = (unknown.distance_squared_to(&b), a.distance_squared_to(&b));
        assert!(near <= far, "{name}, place {place}: {near} {far}");
        let from = ray.origin();
        let (near, far) =
            (unknown.distance_squared_to_point(from), a.distance_squared_to_point(from));
        assert!(near <= far, "{name}, place {place}: {near} {far}");
        if let Some(t) = a.ray_entry(ray, f64::INFINITY) {
            let entry = unknown.ray_entry(ray, f64::INFINITY);
            assert!(entry.is_some_and(|entry| entry <= t), "{name}, place {place}: {entry:?} {t}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn volumes_contain_their_points_at_every_size(
        triangles in prop::collection::vec(prop::array::uniform3(point()), 1..5),
    ) {
        for_each_volume!(contains_at_every_size(&triangles));
    }

    #[test]
    fn a_common_point_is_never_missed(
        common in point(), exponent in -30..20i32,
        ways in prop::collection::vec(prop::array::uniform3(-1.0..1.0f64), 6),
        flat in prop::sample::select(vec![1.0, 1e-7, 0.0]),
    ) {
        prop_assume!(common.abs().max_element() < 1e30);
        let reach = DVec3::new(1.0, 1.0, flat) * 10f64.powi(exponent);
        let cloud = |ways: &[[f64; 3]]| {
            let far = ways.iter().map(|&way| common + DVec3::from_array(way) * reach);
            std::iter::once(common).chain(far).collect::<Vec<_>>()
        };
        let clouds = [cloud(&ways[..3]), cloud(&ways[3..])];
        for_each_volume!(common_points_of_one_kind(&clouds));
        for_two_volumes!(common_points_are_not_missed(&clouds));
    }

    #[test]
    fn a_number_that_is_nan_excludes_nothing(
        points in prop::collection::vec(prop::array::uniform3(-1.0..1.0f64), 8),
        gap in -1.0..3.0f64, from in prop::array::uniform3(-3.0..3.0f64),
    ) {
        let at = |p: &[f64; 3], x: f64| DVec3::from_array(*p) + DVec3::X * x;
        let clouds = [
            points[..4].iter().map(|p| at(p, 0.0)).collect::<Vec<_>>(),
            points[4..].iter().map(|p| at(p, gap)).collect(),
        ];
        let from = DVec3::from_array(from);
        prop_assume!(from.length() > 0.1);
        let ray = Ray::new(from, -from).unwrap();
        for_each_volume!(nan_excludes_nothing(&clouds, &ray));
    }
}

/// Volumes that are clearly apart are told apart, at every size: none of the tests may say yes to all.
fn gaps_are_seen<V: Fit + Overlap<V> + Apart<V>>(name: &str, scale: f64) {
    let mut random = Random::new(3);
    for _ in 0..50 {
        let away = random.in_cube().normalize_or(DVec3::X);
        let points: Vec<DVec3> = (0..6).map(|_| random.in_cube()).collect();
        let fit =
            |shift: DVec3| V::fit_points(points.iter().map(|&p| V::point((p + shift) * scale)));
        let (a, b) = (fit(DVec3::ZERO), fit(away * 12.0));
        assert!(!a.overlaps(&b), "{name}: {a:?} {b:?}");
        let least = a.distance_squared_to(&b).sqrt();
        // Boxes in a corner see only part of the way; none is more than 4 from its points.
        assert!(
            least > 12.0 / 3f64.sqrt() * 0.2 * scale && least < 12.0 * scale,
            "{name}: {least}"
        );
    }
    assert!(
        !V::EMPTY.overlaps(&V::fit_points([V::point(DVec3::ONE * scale)].into_iter())),
        "{name}"
    );
    assert!(V::EVERYWHERE.overlaps(&V::fit_points([V::point(DVec3::ONE)].into_iter())), "{name}");
}

#[test]
fn volumes_apart_are_told_apart() {
    for scale in [1e-12, 1.0, 1e15] {
        for_each_volume!(gaps_are_seen(scale));
    }
}

/// Pairs and work are the same for any number of threads; the query is large enough to be shared.
fn same_for_any_threads<V: Fit + Overlap<V> + Apart<V>>(name: &str, meshes: &[Mesh; 2]) {
    let settings = BuildSettings::default();
    let form = SphereForm::Layered;
    let [a, b] = meshes.each_ref().map(|mesh| {
        let mut body: Body<Rigid, RigidBounds<V>> =
            Body::rigid_bounded(mesh.clone(), form, &settings).unwrap();
        body.set_isometry(Isometry::new(DQuat::from_rotation_y(0.3), DVec3::ZERO).unwrap());
        body
    });
    let mut first = None;
    for threads in [1, 2, 8] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let found = pool.install(|| intersections(&a, &b));
        let expected = first.get_or_insert_with(|| found.clone());
        assert!(found == *expected, "{name}: {threads} threads");
    }
    assert!(
        first.is_some_and(|found| found.work.overlap_tests > 40_000 && !found.pairs.is_empty())
    );
}

#[test]
fn pairs_and_work_of_every_volume_do_not_depend_on_threads() {
    let meshes = [1, 2].map(|seed| triangle_soup(12_000, 0.04, seed).unwrap());
    for_each_volume!(same_for_any_threads(&meshes));
}

/// Slabs and turned boxes save tests: they are what is tested, not the boxes around them.
#[test]
fn other_volumes_save_tests() {
    fn tests<V: Fit + Overlap<V> + Apart<V>>() -> u64 {
        let mesh = icosphere(2).unwrap();
        let settings = BuildSettings::default();
        let mut random = Random::new(7);
        let mut sum = 0;
        for _ in 0..20 {
            let form = SphereForm::Wrapped;
            let a: Body<Rigid, RigidBounds<V>> =
                Body::rigid_bounded(mesh.clone(), form, &settings).unwrap();
            let mut b = a.clone();
            let away = random.in_cube().normalize_or(DVec3::X) * 2.02;
            b.set_isometry(Isometry::new(DQuat::from_rotation_x(0.5), away).unwrap());
            sum += intersections(&a, &b).work.overlap_tests;
        }
        sum
    }
    let boxes = tests::<Aabb>();
    for (name, own) in [
        ("14-DOPs", tests::<Dop14>()),
        ("18-DOPs", tests::<Dop18>()),
        ("26-DOPs", tests::<Dop26>()),
        ("oriented boxes", tests::<Obb>()),
    ] {
        assert!(10 * own < 9 * boxes, "{own} tests of {name}, {boxes} of boxes");
    }
    assert_eq!(tests::<Dop6>(), boxes);
}

/// Bodies out of the range of `f32` are everywhere, and found.
fn out_of_range<V: Fit + PartialEq>(name: &str) {
    let mesh = icosphere(0).unwrap();
    let far = Isometry::from_translation(DVec3::splat(1e300)).unwrap();
    let state = State { q: [1.0; 3], isometry: far, shear: 0.0 };
    let kinds = Kinds::<V>::new(&mesh, &BuildSettings::default(), &state);
    assert!(kinds.rigid.bound(0) == V::EVERYWHERE, "{name}");
    assert!(kinds.reduced.bound(3) == V::EVERYWHERE, "{name}");
    assert!(V::fit_points(std::iter::empty()) == V::EMPTY, "{name}");
    assert!(V::EMPTY.fit_two(&V::EVERYWHERE) == V::EVERYWHERE, "{name}");
}

#[test]
fn bodies_out_of_range_are_everywhere() {
    for_each_volume!(out_of_range());
}
