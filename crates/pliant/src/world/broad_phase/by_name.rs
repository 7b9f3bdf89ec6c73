//! Broad phases by name.

use super::{
    Auto, BroadPhase, Bsp, DynamicTree, EveryPair, Grid, KdTree, Octree, SurfaceAreaTree, Sweep,
    SweepAndPrune,
};

/// The names of all broad phases of the library, the default first.
pub const BROAD_PHASES: [&str; 11] = [
    "auto",
    "grid",
    "sweep",
    "sweep-and-prune",
    "dynamic-tree",
    "surface-area-tree",
    "octree",
    "kd-equal-count",
    "kd-equal-volume",
    "bsp",
    "every-pair",
];

/// The broad phase with a name, `None` if there is none: see [`BROAD_PHASES`].
///
/// ```
/// use pliant::{World, world::broad_phase_named};
/// let world = World::with_broad_phase(broad_phase_named("octree").expect("a name of the list"));
/// assert!(broad_phase_named("oak").is_none());
/// # let _ = world;
/// ```
#[must_use]
pub fn broad_phase_named(name: &str) -> Option<Box<dyn BroadPhase>> {
    Some(match name {
        "auto" => Box::new(Auto::new()),
        "grid" => Box::new(Grid),
        "sweep" => Box::new(Sweep),
        "sweep-and-prune" => Box::new(SweepAndPrune::new()),
        "dynamic-tree" => Box::new(DynamicTree::new()),
        "surface-area-tree" => Box::new(SurfaceAreaTree),
        "octree" => Box::new(Octree),
        "kd-equal-count" => Box::new(KdTree::EqualCount),
        "kd-equal-volume" => Box::new(KdTree::EqualVolume),
        "bsp" => Box::new(Bsp),
        "every-pair" => Box::new(EveryPair),
        _ => return None,
    })
}
