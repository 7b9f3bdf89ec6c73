//! The experiments of the papers that pliant implements, one room per paper.

pub(crate) mod bounded_deformation;
pub(crate) mod haptics;
pub(crate) mod kinetic;
pub(crate) mod necklace;
pub(crate) mod piles;
pub(crate) mod shape_matching;
pub(crate) mod skins;
