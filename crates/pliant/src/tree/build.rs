//! Building a tree: settings and entry point.

use rayon::prelude::*;

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
    /// Where a node's primitives are divided.
    pub split: Split,
    /// How many children a node has at the most: 2 to [`MAX_ARITY`].
    pub arity: usize,
    /// How many primitives a leaf holds at the most, at least 1. Midpoint and
    /// median trees stop dividing as soon as a node holds no more than this;
    /// a surface-area tree also where a division would cost more than it saves.
    pub leaf_size: usize,
}

impl BuildSettings {
    /// The tree with the fewest expected visits: binary, by surface area, one
    /// primitive a leaf. The default.
    pub const SURFACE_AREA: Self = Self { split: Split::BinnedSah, arity: 2, leaf_size: 1 };

    /// As the default, but with up to four primitives a leaf where dividing them further
    /// would not pay: for bodies whose small nodes cost more than a test of their triangles.
    pub const SMALL_LEAVES: Self = Self { split: Split::BinnedSah, arity: 2, leaf_size: 4 };

    /// The tree of the classic papers: binary, longest side halved, one
    /// primitive a leaf.
    pub const CLASSIC: Self = Self { split: Split::Midpoint, arity: 2, leaf_size: 1 };

    /// The tree of the least depth: binary, equal halves, one primitive a leaf.
    pub const BALANCED: Self = Self { split: Split::Median, arity: 2, leaf_size: 1 };

    /// Four children a node, for bounds that are evaluated four at a time.
    pub const WIDE: Self = Self { split: Split::BinnedSah, arity: 4, leaf_size: 1 };

    /// The largest leaf that may be asked for: a leaf's count and its flag share 32 bits.
    pub const MAX_LEAF_SIZE: usize = MAX_PRIMITIVES;
}

impl Default for BuildSettings {
    fn default() -> Self {
        Self::SURFACE_AREA
    }
}

/// Builds a tree over primitives, given their boxes.
///
/// Guarantees: the tree passes [`validate`](super::validate); it is the same,
/// bit for bit, for any number of threads; its depth is at most
/// [`MAX_DEPTH`](super::MAX_DEPTH), whatever the input. Boxes may coincide, be
/// empty, or reach to infinity.
///
/// Nodes stand in depth-first order with siblings side by side: the children of
/// a node, then all that is below the first child, then all that is below the
/// next.
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
/// [`Error::InvalidSetting`] if there are no boxes or a setting is out of its
/// range; [`Error::TooMany`] above [`MAX_PRIMITIVES`].
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

/// Whether a tree can be built over so many primitives with these settings.
fn check(count: usize, settings: &BuildSettings) -> Result<()> {
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
