//! The same bits for any number of threads, and each time.

use crate::support::{all_settings, mapped};
use pliant::bound::SphereForm;
use pliant::glam::DVec3;
use pliant::tree::{BuildSettings, build_over_mesh, validate};
use pliant::{Body, Collide, Intersections, intersections, intersects, self_intersections};
use pliant_scenes::{curtain_and_ball, triangle_soup};

/// One thread never shares, three do not divide anything evenly, eight are more
/// than most machines have.
const THREADS: [usize; 4] = [1, 2, 3, 8];

/// Queries are shared between threads after this many pairs of nodes.
const SHARED_AFTER: u64 = 8192;

/// A query is large for certain with twice as many pairs as it takes, each of them opened
/// with all the tests that two nodes can need.
fn many_tests(a: &BuildSettings, b: &BuildSettings) -> u64 {
    2 * SHARED_AFTER * (a.arity * b.arity) as u64
}

/// Runs the same in pools of several sizes, twice in each.
fn on_any_threads<T: Send>(run: impl Fn() -> T + Sync, mut check: impl FnMut(usize, T)) {
    for threads in THREADS {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        for _ in 0..2 {
            check(threads, pool.install(&run));
        }
    }
}

#[track_caller]
fn assert_same_everywhere(name: &str, least_tests: u64, run: impl Fn() -> Intersections + Sync) {
    let mut first = None;
    on_any_threads(&run, |threads, found| {
        let expected = first.get_or_insert_with(|| found.clone());
        assert!(*expected == found, "{name}: {threads} threads found something else");
    });
    let found = first.unwrap();
    assert!(found.work.overlap_tests > least_tests, "{name}: too small, {:?}", found.work);
    assert!(!found.pairs.is_empty(), "{name}: nothing touches");
    assert!(found.pairs.is_sorted_by(|a, b| a < b), "{name}: out of order, or twice");
    assert_eq!(found, run(), "{name}: outside of any pool");
}

#[test]
fn pairs_and_work_do_not_depend_on_threads() {
    let mut scene = curtain_and_ball(1, 6).unwrap();
    let frame = 60;
    let mut curtain = Body::free(scene.curtain.mesh.clone()).unwrap();
    curtain.set_positions(&scene.curtain.positions(frame).unwrap()).unwrap();
    let center = scene.ball.centers.swap_remove(frame);
    let ball = mapped(&scene.ball.mesh, |p| p + center);
    let settings = BuildSettings::default();
    let ball = Body::rigid_spheres(ball, SphereForm::Layered, &settings).unwrap();
    let least = many_tests(&settings, &settings);
    assert_same_everywhere("a curtain and a ball", least, || intersections(&curtain, &ball));
}

#[test]
fn pairs_and_work_of_wide_trees_do_not_depend_on_threads() {
    let first = triangle_soup(40_000, 0.02, 1).unwrap();
    let second = triangle_soup(40_000, 0.02, 2).unwrap();
    let settings = all_settings();
    for (a, b) in [(settings[0], settings[17]), (settings[14], settings[15])] {
        let boxes = Body::rigid_with(first.clone(), &a).unwrap();
        let others = Body::free_with(second.clone(), &b).unwrap();
        let (name, least) = (format!("{a:?}, {b:?}"), many_tests(&a, &b));
        assert_same_everywhere(&name, least, || intersections(&boxes, &others));
    }
}

#[test]
fn a_body_with_itself_does_not_depend_on_threads() {
    let mesh = triangle_soup(40_000, 0.015, 3).unwrap();
    for settings in
        [BuildSettings::default(), BuildSettings { leaf_size: 4, ..BuildSettings::WIDE }]
    {
        let boxes = Body::free_with(mesh.clone(), &settings).unwrap();
        // Children of one node are compared before the descent begins.
        let least = many_tests(&settings, &settings) + (boxes.nodes() * settings.arity) as u64;
        let name = format!("boxes, {settings:?}");
        assert_same_everywhere(&name, least, || self_intersections(&boxes));
    }
    let settings = BuildSettings::default();
    let spheres = Body::free_spheres(mesh, SphereForm::Wrapped, &settings).unwrap();
    let least = many_tests(&settings, &settings) + (spheres.nodes() * settings.arity) as u64;
    assert_same_everywhere("spheres", least, || self_intersections(&spheres));
}

/// Builders share their work from 32,768 primitives on.
#[test]
fn trees_and_bounds_do_not_depend_on_threads() {
    let mesh = triangle_soup(70_000, 0.01, 4).unwrap();
    for settings in all_settings() {
        let expected = build_over_mesh(&mesh, &settings).unwrap();
        validate(&expected).unwrap();
        on_any_threads(
            || build_over_mesh(&mesh, &settings).unwrap(),
            |threads, tree| {
                assert!(tree == expected, "{settings:?}: {threads} threads built another tree");
            },
        );
    }
    let settings = BuildSettings::default();
    let moved: Vec<_> = mesh.positions().iter().map(|p| DVec3::new(p.z, -p.x, 3.0 * p.y)).collect();
    for form in [SphereForm::Layered, SphereForm::Wrapped] {
        let mut expected = None;
        let refit = || {
            let mut body = Body::free_spheres(mesh.clone(), form, &settings).unwrap();
            body.set_positions(&moved).unwrap();
            body
        };
        on_any_threads(refit, |threads, body| {
            let expected = expected.get_or_insert_with(|| body.clone());
            assert!(body.tree() == expected.tree(), "{threads} threads");
            let same = body.bounds().volumes() == expected.bounds().volumes();
            assert!(same, "{form:?}: {threads} threads fitted other spheres");
        });
    }
}

#[test]
fn the_first_pair_found_does_not_depend_on_threads() {
    let first = Body::rigid(triangle_soup(5_000, 0.01, 5).unwrap()).unwrap();
    let second = Body::free(triangle_soup(5_000, 0.01, 6).unwrap()).unwrap();
    let expected = intersects(&first, &second);
    assert!(expected.pair.is_some());
    on_any_threads(|| intersects(&first, &second), |_, found| assert_eq!(found, expected));
}
