//! Kinetic bounding volume hierarchies: Zachmann and Weller, "Kinetic Bounding Volume Hierarchies
//! for Deformable Objects" (2006).
//!
//! A node stores which vertices realise the sides of its box, not numbers. A certificate says that
//! the stored vertex is extreme, and until when. When it fails, an event replaces the vertex. Boxes
//! are valid at every moment, not only at frames.
//!
//! | file | content |
//! | --- | --- |
//! | `aabb_tree` | [`KineticAabb`], the kinetic AABB tree (section 4) |
//! | `box_tree` | [`KineticBox`], the kinetic BoxTree (section 6) |
//! | `box_tree_build` | its own construction: splits and planes for boxes that are handed down |
//! | `by_nodes` | all sides of all nodes of the AABB tree decided at once |
//! | `keep_winners` | a keyframe in the AABB tree: winners stay, times of failure are new |
//! | `sides` | what both share: the sides of boxes, moved through time |
//! | `tournament` | the extreme vertex of every side, kept up to date by events |
//! | `edit` | triangles and vertices that come and go while the AABB tree runs |
//! | `event_queue` | events in the order of their times |
//! | `certificate` | when one coordinate may overtake another |

mod aabb_tree;
mod box_tree;
mod box_tree_build;
mod by_nodes;
mod certificate;
mod edit;
mod event_queue;
mod keep_winners;
mod sides;
mod tournament;

pub use aabb_tree::KineticAabb;
pub use box_tree::KineticBox;
pub use edit::MeshEdit;
pub use tournament::EventCount;
