//! Building a tree: settings and entry point.

use crate::limits::{MAX_ARITY, MAX_PRIMITIVES};
use crate::volume::Aabb;
use crate::{Error, Result};

use super::item::Item;
use super::{Split, Tree, grow, widen};

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
    let &BuildSettings { split, arity, leaf_size } = settings;
    if !(2..=MAX_ARITY).contains(&arity) {
        return Err(Error::InvalidSetting { setting: "arity", value: arity, range: "2 to 8" });
    }
    if !(1..=BuildSettings::MAX_LEAF_SIZE).contains(&leaf_size) {
        let range = "1 to 2^30";
        return Err(Error::InvalidSetting { setting: "leaf_size", value: leaf_size, range });
    }
    if boxes.is_empty() {
        let range = "1 to 2^30";
        return Err(Error::InvalidSetting { setting: "number of primitives", value: 0, range });
    }
    if boxes.len() > MAX_PRIMITIVES {
        let (count, limit) = (boxes.len(), MAX_PRIMITIVES);
        return Err(Error::TooMany { what: "primitives", count, limit });
    }
    let items = boxes.iter().zip(0..).map(|(volume, number)| Item::new(number, volume)).collect();
    let tree = grow(items, split, leaf_size);
    Ok(if arity > 2 { widen(&tree, boxes, split, arity) } else { tree })
}
