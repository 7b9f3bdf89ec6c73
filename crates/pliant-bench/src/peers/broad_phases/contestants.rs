//! Who finds pairs of boxes.

use std::ops::ControlFlow;

use obvhs::BvhBuildParams;
use obvhs::bvh2::builder::build_bvh2;
use parry3d::bounding_volume::Aabb as ParryBox;
use parry3d::partitioning::{Bvh, BvhBuildStrategy, BvhWorkspace};
use pliant::Work;
use pliant::volume::{Aabb, Overlap as _};
use pliant::world::{BROAD_PHASES, BroadPhase, broad_phase_named};
use rstar::primitives::{GeomWithData, Rectangle};
use rstar::{AABB, RTree};

use super::Pairs;
use super::rapier::Rapier;

/// Finds all pairs of boxes.
type FindPairs = Box<dyn FnMut(&[Aabb]) -> Pairs>;

/// What is measured.
pub(super) struct Contestant {
    pub(super) name: String,
    pub(super) is_ours: bool,
    /// Whether it may report boxes that are only near each other.
    pub(super) is_fat: bool,
    /// Whether it keeps something from step to step.
    pub(super) keeps: bool,
    /// Finds all pairs of the boxes of a step.
    pub(super) step: FindPairs,
}

/// Ours, then those of others.
pub(super) fn all() -> Vec<Contestant> {
    let mut all: Vec<Contestant> = BROAD_PHASES.into_iter().filter_map(ours).collect();
    all.push(theirs("parry3d, binned tree", parry));
    all.push(theirs("obvhs, fast tree", obvhs));
    all.push(theirs("rstar, bulk loaded", rstar));
    let mut rapier = Rapier::new();
    all.push(Contestant {
        name: "rapier3d, broad phase".into(),
        is_ours: false,
        is_fat: true,
        keeps: true,
        step: Box::new(move |boxes| rapier.step(boxes)),
    });
    all
}

fn ours(name: &'static str) -> Option<Contestant> {
    let phase = broad_phase_named(name)?;
    let step = move |boxes: &[Aabb]| pairs(&phase, boxes);
    let keeps = ["auto", "sweep-and-prune", "dynamic-tree"].contains(&name);
    Some(Contestant {
        name: name.into(),
        is_ours: true,
        is_fat: false,
        keeps,
        step: Box::new(step),
    })
}

/// The pairs that a broad phase of ours finds. Brute force reports all, and is tested here.
fn pairs(phase: &dyn BroadPhase, boxes: &[Aabb]) -> Pairs {
    let mut found = Pairs::default();
    let _ = phase.pairs(boxes, &mut Work::default(), &mut |[i, j]| {
        if boxes[i as usize].overlaps(&boxes[j as usize]) {
            found.add([i, j]);
        }
        ControlFlow::Continue(())
    });
    found
}

fn theirs(name: &str, step: fn(&[Aabb]) -> Pairs) -> Contestant {
    let step = Box::new(step);
    Contestant { name: name.into(), is_ours: false, is_fat: false, keeps: false, step }
}

pub(super) fn parry_box(volume: &Aabb) -> ParryBox {
    ParryBox::new(volume.min.to_array().into(), volume.max.to_array().into())
}

/// Builds a tree and traverses it against itself.
fn parry(boxes: &[Aabb]) -> Pairs {
    let leaves = boxes.iter().map(parry_box).enumerate();
    let tree = Bvh::from_iter(BvhBuildStrategy::Binned, leaves);
    let mut found = Pairs::default();
    tree.traverse_bvtt_single_tree::<false>(&mut BvhWorkspace::default(), &mut |i, j| {
        found.add([i.min(j), i.max(j)]);
    });
    found
}

/// Builds a tree and asks it for each box.
fn obvhs(boxes: &[Aabb]) -> Pairs {
    let theirs: Vec<_> = boxes
        .iter()
        .map(|volume| obvhs::aabb::Aabb {
            min: volume.min.to_array().into(),
            max: volume.max.to_array().into(),
        })
        .collect();
    let mut settings = BvhBuildParams::fast_build();
    settings.max_prims_per_leaf = 1;
    let tree = build_bvh2(&theirs, settings, &mut std::time::Duration::default());
    let mut found = Pairs::default();
    for (i, volume) in (0..).zip(&theirs) {
        tree.aabb_traverse(*volume, |tree, node| {
            let j = tree.primitive_indices[tree.nodes[node as usize].first_index as usize];
            if j > i {
                found.add([i, j]);
            }
            true
        });
    }
    found
}

/// Builds a tree and asks it for each box.
fn rstar(boxes: &[Aabb]) -> Pairs {
    let corners = |volume: &Aabb| (volume.min.to_array(), volume.max.to_array());
    let items = (0..).zip(boxes).map(|(number, volume)| {
        let (min, max) = corners(volume);
        GeomWithData::new(Rectangle::from_corners(min, max), number)
    });
    let tree: RTree<GeomWithData<Rectangle<[f32; 3]>, u32>> = RTree::bulk_load(items.collect());
    let mut found = Pairs::default();
    for (i, volume) in (0..).zip(boxes) {
        let (min, max) = corners(volume);
        for other in tree.locate_in_envelope_intersecting(&AABB::from_corners(min, max)) {
            if other.data > i {
                found.add([i, other.data]);
            }
        }
    }
    found
}
