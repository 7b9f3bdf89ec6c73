//! Every broad phase finds what testing every pair finds, each pair once, in an order of the boxes
//! alone; every index meets what testing every box meets.

use std::ops::ControlFlow;

use pliant::Work;
use pliant::glam::{DVec3, Vec3A};
use pliant::volume::{Aabb, Overlap as _, Ray};
use pliant::world::{
    BROAD_PHASES, BoxIndex as _, BroadPhase, Bsp, DynamicBoxTree, KdTree, Leaf, Octree, Probe,
    SurfaceAreaTree, broad_phase_named,
};
use pliant_scenes::{BoxLayout, Random, box_world};
use proptest::prelude::*;

fn all() -> impl Iterator<Item = (&'static str, Box<dyn BroadPhase>)> {
    BROAD_PHASES
        .into_iter()
        .map(|name| (name, broad_phase_named(name).expect("a name of the list")))
}

fn overlap(a: &Aabb, b: &Aabb) -> bool {
    a.overlaps(b) && !a.is_empty() && !b.is_empty()
}

/// All pairs that overlap, ascending: the definition.
fn truth(boxes: &[Aabb]) -> Vec<[u32; 2]> {
    let mut pairs = Vec::new();
    for (i, a) in (0..).zip(boxes) {
        for (j, b) in (i + 1..).zip(&boxes[i as usize + 1..]) {
            if overlap(a, b) {
                pairs.push([i, j]);
            }
        }
    }
    pairs
}

/// What a broad phase reports, in its order, with its work.
fn reported(phase: &dyn BroadPhase, boxes: &[Aabb]) -> (Vec<[u32; 2]>, Work) {
    let mut pairs = Vec::new();
    let mut work = Work::default();
    let flow = phase.pairs(boxes, &mut work, &mut |pair| {
        pairs.push(pair);
        ControlFlow::Continue(())
    });
    assert_eq!(flow, ControlFlow::Continue(()));
    (pairs, work)
}

/// Compares a broad phase with the definition.
fn check(name: &str, phase: &dyn BroadPhase, boxes: &[Aabb], expected: &[[u32; 2]]) {
    let (mut pairs, _) = reported(phase, boxes);
    assert!(pairs.iter().all(|[i, j]| i < j), "{name}: the smaller first");
    pairs.sort_unstable();
    assert!(pairs.windows(2).all(|two| two[0] < two[1]), "{name}: each once");
    pairs.retain(|&[i, j]| overlap(&boxes[i as usize], &boxes[j as usize]));
    assert!(pairs == expected, "{name}: {} of {} pairs", pairs.len(), expected.len());
}

/// Compares an index with testing each box.
fn check_probes(name: &str, phase: &dyn BroadPhase, boxes: &[Aabb], probes: &[Probe]) {
    let index = phase.index(boxes);
    for probe in probes {
        let met = (0..).zip(boxes).filter(|(_, volume)| probe.meets(volume));
        let expected: Vec<u32> = met.map(|(number, _)| number).collect();
        assert_eq!(index.found(probe), expected, "{name}: {probe:?}");
    }
}

fn check_trees(boxes: &[Aabb]) {
    for tree in [
        Octree.tree(boxes),
        KdTree::EqualCount.tree(boxes),
        KdTree::EqualVolume.tree(boxes),
        Bsp.tree(boxes),
        SurfaceAreaTree.tree(boxes),
    ] {
        assert_eq!(tree.check(), Ok(()));
    }
}

fn coordinate() -> impl Strategy<Value = f32> {
    prop_oneof![
        8 => -10.0..10.0f32,
        4 => (-3..3i8).prop_map(f32::from),
        1 => (-1.0..1.0f32, -40..38i32).prop_map(|(x, exponent)| x * 10f32.powi(exponent)),
        1 => prop::sample::select(vec![
            f32::INFINITY, f32::NEG_INFINITY, f32::MAX, -f32::MAX, 0.0, -0.0,
        ]),
    ]
}

/// Boxes of any kind: equal ones, points, flat, infinite and huge ones, some of them empty or with
/// a NaN.
fn boxes(most: usize) -> impl Strategy<Value = Vec<Aabb>> {
    let corner = || prop::array::uniform3(coordinate()).prop_map(Vec3A::from_array);
    let odd = prop_oneof![20 => Just(None), 1 => (0..6usize, any::<bool>()).prop_map(Some)];
    let one = (corner(), corner(), 0..12usize, odd).prop_map(|(a, b, flat, odd)| {
        let mut volume = Aabb { min: a.min(b), max: a.max(b) };
        if flat < 3 {
            (volume.min[flat], volume.max[flat]) = (1.0, 1.0);
        }
        match odd {
            Some((side @ 0..3, true)) => volume.min[side] = f32::NAN,
            Some((side, true)) => volume.max[side - 3] = -f32::NAN,
            Some((_, false)) => std::mem::swap(&mut volume.min, &mut volume.max),
            None => {}
        }
        volume
    });
    let copies = (prop::collection::vec(one, 0..most), prop::collection::vec(0..most, 0..8));
    copies.prop_map(|(mut boxes, copied)| {
        for at in copied {
            if let Some(&volume) = boxes.get(at) {
                boxes.push(volume);
            }
        }
        boxes
    })
}

fn probes() -> impl Strategy<Value = Vec<Probe>> {
    let number = || prop_oneof![(-3..3i8).prop_map(f64::from), -12.0..12.0f64, Just(1e30)];
    let point = move || prop::array::uniform3(number()).prop_map(DVec3::from_array);
    let one = (point(), point(), 0..4usize).prop_filter_map("a ray", |(a, b, kind)| match kind {
        0 => Some(Probe::overlapping(Aabb::around([a, b]))),
        1 => Probe::point(a).ok(),
        2 => Probe::segment(a, b).ok(),
        _ => Ray::new(a, b).ok().map(Probe::ray),
    });
    prop::collection::vec(one, 1..12)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn all_find_what_overlaps(boxes in boxes(60)) {
        let expected = truth(&boxes);
        for (name, phase) in all() {
            check(name, &phase, &boxes, &expected);
            let (first, work) = reported(&phase, &boxes);
            let (second, same) = reported(&phase, &boxes);
            prop_assert!(first == second && work == same, "{}: the same each time", name);
            prop_assert_eq!(&phase.overlapping(&boxes), &expected, "{}", name);
            let mut told = 0;
            let _ = phase.pairs(&boxes, &mut Work::default(), &mut |_| {
                told += 1;
                ControlFlow::Break(())
            });
            prop_assert!(told <= 1, "{}: nothing is told after a break", name);
        }
        check_trees(&boxes);
    }

    #[test]
    fn all_meet_what_probes_meet(
        boxes in boxes(60), probes in probes(), everywhere in 0..8usize,
    ) {
        let mut probes = probes;
        if everywhere == 0 {
            probes.push(Probe::overlapping(Aabb::EVERYWHERE));
            probes.push(Probe::overlapping(Aabb::EMPTY));
            probes.push(Probe::overlapping(Aabb { min: Vec3A::NAN, max: Vec3A::ONE }));
        }
        for (name, phase) in all() {
            check_probes(name, &phase, &boxes, &probes);
        }
    }

    /// What a hierarchy relies on: whatever meets a box meets every box around it.
    #[test]
    fn a_probe_meets_what_contains_a_box_that_it_meets(
        boxes in boxes(12), probes in probes(),
    ) {
        for inner in &boxes {
            for outer in boxes.iter().filter(|outer| outer.contains(inner)) {
                for probe in &probes {
                    prop_assert!(!probe.meets(inner) || probe.meets(outer), "{inner:?} {outer:?} {probe:?}");
                }
            }
        }
    }

    /// What was asked before changes nothing: boxes come, go, move a little or jump.
    #[test]
    fn what_was_kept_changes_no_answer(
        steps in prop::collection::vec((boxes(40), 0..3usize), 1..8), probes in probes(),
    ) {
        let kept: Vec<_> = all().collect();
        let mut now: Vec<Aabb> = Vec::new();
        for (new, kind) in steps {
            match kind {
                0 => now = new,
                1 => now.truncate(new.len()),
                _ => {
                    for (volume, other) in now.iter_mut().zip(&new) {
                        volume.min += 0.02 * other.min;
                        volume.max += 0.02 * other.min;
                    }
                    now.extend(new.into_iter().skip(30));
                }
            }
            let expected = truth(&now);
            for (name, phase) in &kept {
                check(name, phase, &now, &expected);
                check_probes(name, phase, &now, &probes);
                let fresh = broad_phase_named(name).expect("a name of the list");
                prop_assert_eq!(reported(phase, &now), reported(&fresh, &now), "{}", name);
            }
        }
    }

    /// A tree that is changed is a tree after every change, and knows its boxes.
    #[test]
    fn a_dynamic_tree_stays_valid(
        start in boxes(30), changes in prop::collection::vec((0..4usize, any::<usize>(), boxes(2)), 0..60),
    ) {
        let (mut tree, leaves) = DynamicBoxTree::of(&start);
        let mut held: Vec<(Leaf, u32, Aabb)> =
            leaves.into_iter().zip(0..).zip(&start).map(|((leaf, number), own)| (leaf, number, *own)).collect();
        let mut next = held.len() as u32;
        prop_assert_eq!(tree.check(), Ok(()));
        for (kind, at, new) in changes {
            let volume = new.first().copied().unwrap_or(Aabb::EMPTY);
            let at = at % held.len().max(1);
            match kind {
                0 => {
                    held.push((tree.insert(volume, next), next, volume));
                    next += 1;
                }
                _ if held.is_empty() => {}
                1 => {
                    let (leaf, number, _) = held.swap_remove(at);
                    prop_assert_eq!(tree.remove(leaf), Some(number));
                    prop_assert_eq!(tree.remove(leaf), None);
                }
                2 => {
                    tree.set(held[at].0, volume);
                    held[at].2 = volume;
                }
                _ => {
                    let by = Vec3A::splat(0.01);
                    let own = &mut held[at].2;
                    (own.min, own.max) = (own.min + by, own.max + by);
                    tree.set(held[at].0, held[at].2);
                }
            }
            prop_assert_eq!(tree.check(), Ok(()));
            prop_assert_eq!(tree.len(), held.len());
            let probe = Probe::overlapping(volume);
            let mut expected: Vec<u32> =
                held.iter().filter(|(_, _, own)| probe.meets(own)).map(|&(_, number, _)| number).collect();
            expected.sort_unstable();
            prop_assert_eq!(tree.found(&probe), expected);
        }
    }
}

fn random_probes(boxes: &[Aabb], count: usize, seed: u64) -> Vec<Probe> {
    let mut random = Random::new(seed);
    let around = boxes.iter().fold(Aabb::EMPTY, |around, volume| around.merge(volume));
    let (low, side) = (around.min.as_dvec3(), (around.max - around.min).as_dvec3());
    (0..count)
        .map(|number| {
            let mut at = || low + 0.5 * (random.in_cube() + 1.0) * side;
            let (a, b) = (at(), at());
            match number % 4 {
                0 => Probe::overlapping(Aabb::around([a, a + 0.1 * (b - a)])),
                1 => Probe::point(a).expect("finite"),
                2 => Probe::segment(a, b).expect("finite"),
                _ => Probe::ray(Ray::new(a, b - a).expect("a direction")),
            }
        })
        .collect()
}

/// The worlds of the benchmarks, at sizes where a grid has several bins and levels, moving.
#[test]
fn worlds_of_every_layout() {
    for layout in BoxLayout::ALL {
        let world = box_world(layout, 6000, 0.05, 7);
        let kept: Vec<_> = all().filter(|(name, _)| *name != "every-pair").collect();
        for step in [0, 1, 2, 200] {
            let boxes = world.boxes(step);
            let expected = truth(&boxes);
            assert!(expected.len() > 1000, "{layout:?}: {} pairs", expected.len());
            let probes = random_probes(&boxes, 40, 3);
            for (name, phase) in &kept {
                check(name, phase, &boxes, &expected);
                check_probes(name, phase, &boxes, &probes);
            }
            check_trees(&boxes);
        }
    }
}

/// A few boxes far away or huge must not spoil the rest: the work stays far below every pair.
#[test]
fn outliers_cost_little() {
    let mut boxes = box_world(BoxLayout::Uniform, 5000, 0.0, 3).boxes(0);
    let far = Vec3A::splat(1e30);
    for at in [10, 20, 30] {
        boxes[at] = Aabb { min: far, max: 2.0 * far };
    }
    boxes[40] = Aabb::EVERYWHERE;
    boxes[50].max.y = f32::INFINITY;
    boxes[60].min.z = f32::NAN;
    let expected = truth(&boxes);
    for (name, phase) in all().filter(|(name, _)| *name != "every-pair") {
        check(name, &phase, &boxes, &expected);
        let (_, work) = reported(&phase, &boxes);
        let most = if name.starts_with("sweep") { 3_000_000 } else { 600_000 };
        assert!(work.overlap_tests < most, "{name}: {}", work.overlap_tests);
    }
}

/// A million boxes at one place have 5 * 10^11 pairs. The first are reported soon, in little memory.
#[test]
fn a_million_equal_boxes() {
    let boxes = vec![Aabb { min: Vec3A::ZERO, max: Vec3A::ONE }; 1_000_000];
    for (name, phase) in all() {
        let mut left = 300_000;
        let mut last = None;
        let flow = phase.pairs(&boxes, &mut Work::default(), &mut |pair| {
            assert!(pair[0] < pair[1] && last.replace(pair) != Some(pair), "{name}");
            left -= 1;
            if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert_eq!(flow, ControlFlow::Break(()), "{name}");
        assert_eq!(left, 0, "{name}");
    }
}

/// All at one place: every pair, however many threads.
#[test]
fn all_at_one_place() {
    for boxes in [
        vec![Aabb { min: Vec3A::ONE, max: Vec3A::ONE }; 700],
        vec![Aabb::EVERYWHERE; 700],
        vec![Aabb { min: Vec3A::NAN, max: Vec3A::NAN }; 700],
    ] {
        let expected = truth(&boxes);
        assert_eq!(expected.len(), 700 * 699 / 2);
        for (name, phase) in all() {
            check(name, &phase, &boxes, &expected);
        }
    }
    for (name, phase) in all() {
        let pairs = phase.overlapping(&vec![Aabb::EMPTY; 5000]);
        assert!(pairs.is_empty(), "{name}");
        assert!(phase.overlapping(&[]).is_empty(), "{name}");
        assert!(phase.index(&[]).found(&Probe::overlapping(Aabb::EVERYWHERE)).is_empty(), "{name}");
    }
}

/// The same pairs in the same order, and the same work, for any number of threads.
#[test]
fn threads_change_nothing() {
    let boxes: Vec<Vec<Aabb>> = [BoxLayout::Mixed, BoxLayout::Clustered]
        .map(|layout| box_world(layout, 20_000, 0.0, 11).boxes(0))
        .into_iter()
        .chain([vec![Aabb { min: Vec3A::ZERO, max: Vec3A::ONE }; 1000]])
        .collect();
    let mut first = Vec::new();
    for threads in [1, 2, 5] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let found: Vec<_> = pool.install(|| {
            let phases = all().filter(|(name, _)| *name != "every-pair");
            phases
                .flat_map(|(_, phase)| {
                    boxes.iter().map(move |b| reported(&phase, b)).collect::<Vec<_>>()
                })
                .collect()
        });
        if threads == 1 {
            first = found;
        } else {
            assert!(found == first, "{threads} threads");
        }
    }
}
