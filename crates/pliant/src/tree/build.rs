//! Building a tree: settings and entry point.

use crate::parallel::*;

use crate::limits::{MAX_ARITY, MAX_PRIMITIVES};
use crate::volume::Aabb;
use crate::{Error, Result};

use super::grow::{PARALLEL, grow};
use super::item::Item;
use super::widen::widen;
use super::{Split, Tree};

/// How a tree is built.
///
/// ```
/// use pliant::tree::{BuildSettings, Split};
/// let settings = BuildSettings { arity: 4, ..BuildSettings::default() };
/// assert_eq!(settings.split, Split::BinnedSah);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BuildSettings {
    /// How the primitives of a node are split.
    pub split: Split,
    /// The largest number of children per node: 2 to [`MAX_ARITY`].
    pub arity: usize,
    /// The largest number of primitives per leaf, at least 1. Midpoint and median trees stop
    /// splitting once a node has no more primitives than this. A surface-area tree also stops where
    /// a split would cost more than it saves.
    pub leaf_size: usize,
}

impl BuildSettings {
    /// The tree with the fewest expected visits: binary, by surface area, one primitive per leaf.
    /// The default.
    pub const SURFACE_AREA: Self = Self { split: Split::BinnedSah, arity: 2, leaf_size: 1 };

    /// The default with up to four primitives per leaf where further splits would not pay: for
    /// bodies whose small nodes cost more than a test of their triangles.
    pub const SMALL_LEAVES: Self = Self { split: Split::BinnedSah, arity: 2, leaf_size: 4 };

    /// The tree of the classic papers: binary, split at the middle of the longest side, one
    /// primitive per leaf.
    pub const CLASSIC: Self = Self { split: Split::Midpoint, arity: 2, leaf_size: 1 };

    /// The tree with the least depth: binary, equal halves, one primitive per leaf.
    pub const BALANCED: Self = Self { split: Split::Median, arity: 2, leaf_size: 1 };

    /// Four children per node, for bounds that are evaluated four at a time.
    pub const WIDE: Self = Self { split: Split::BinnedSah, arity: 4, leaf_size: 1 };

    /// The largest leaf size that can be set: a leaf's count and its flag share 32 bits.
    pub const MAX_LEAF_SIZE: usize = MAX_PRIMITIVES;
}

impl Default for BuildSettings {
    fn default() -> Self {
        Self::SURFACE_AREA
    }
}

/// Builds a tree over primitives, given their boxes.
///
/// Guarantees: the tree passes [`validate`](super::validate). It has the same bits for any number
/// of threads. Its depth is at most [`MAX_DEPTH`](super::MAX_DEPTH) for every input. Boxes may
/// coincide, be empty, or be infinite.
///
/// Nodes are in depth-first order with siblings side by side: the children of a node, then all
/// nodes below the first child, then all nodes below the next.
///
/// ```
/// use pliant::{glam::DVec3, tree::{build, validate, BuildSettings}, volume::Aabb};
/// let boxes: Vec<_> = (0..100).map(|i| Aabb::around([DVec3::X * f64::from(i)])).collect();
/// let tree = build(&boxes, &BuildSettings::default())?;
/// assert_eq!(tree.nodes.len(), 199);
/// validate(&tree)?;
/// # Ok::<(), pliant::Error>(())
/// ```
///
/// # Errors
/// [`Error::InvalidSetting`] if there are no boxes or a setting is out of range; [`Error::TooMany`]
/// for more than [`MAX_PRIMITIVES`].
pub fn build(boxes: &[Aabb], settings: &BuildSettings) -> Result<Tree> {
    check(boxes.len(), settings)?;
    let item = |(number, volume)| Item::new(number as u32, volume);
    let items = if boxes.len() <= PARALLEL {
        boxes.iter().enumerate().map(item).collect()
    } else {
        boxes.par_iter().enumerate().map(item).collect()
    };
    let tree = grow(items, settings.split, settings.leaf_size);
    if settings.arity > 2 { widen(tree, boxes, settings.arity) } else { Ok(tree) }
}

/// Whether a tree can be built over this many primitives with these settings.
pub(crate) fn check(count: usize, settings: &BuildSettings) -> Result<()> {
    let &BuildSettings { arity, leaf_size, .. } = settings;
    if !(2..=MAX_ARITY).contains(&arity) {
        return Err(Error::InvalidSetting { setting: "arity", value: arity, range: "2 to 8" });
    }
    if !(1..=BuildSettings::MAX_LEAF_SIZE).contains(&leaf_size) {
        let range = "1 to 2^30";
        return Err(Error::InvalidSetting { setting: "leaf_size", value: leaf_size, range });
    }
    if count == 0 {
        let range = "1 to 2^30";
        return Err(Error::InvalidSetting { setting: "number of primitives", value: 0, range });
    }
    if count > MAX_PRIMITIVES {
        return Err(Error::TooMany { what: "primitives", count, limit: MAX_PRIMITIVES });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_out_of_range() {
        let setting = |count, arity, leaf_size| {
            let settings = BuildSettings { arity, leaf_size, ..BuildSettings::default() };
            match check(count, &settings) {
                Ok(()) => "fine",
                Err(Error::InvalidSetting { setting, .. }) => setting,
                Err(Error::TooMany { what, .. }) => what,
                Err(_) => "another error",
            }
        };
        assert_eq!(setting(1, 2, 1), "fine");
        assert_eq!(setting(MAX_PRIMITIVES, MAX_ARITY, MAX_PRIMITIVES), "fine");
        assert_eq!(setting(MAX_PRIMITIVES + 1, 2, 1), "primitives");
        assert_eq!(setting(0, 2, 1), "number of primitives");
        for arity in [0, 1, MAX_ARITY + 1, usize::MAX] {
            assert_eq!(setting(1, arity, 1), "arity");
        }
        for leaf_size in [0, MAX_PRIMITIVES + 1, usize::MAX] {
            assert_eq!(setting(1, 2, leaf_size), "leaf_size");
        }
    }
}
