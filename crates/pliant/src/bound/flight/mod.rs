//! Boxes of bodies whose motion is known ahead.
//!
//! [`Expiring`] boxes are linear functions of time and hold over a span of time. A span ends at
//! the next keyframe, or where polynomial courses would leave their chords too far.
//!
//! | file | content |
//! | --- | --- |
//! | `body` | constructors and setters of flying bodies; the trait [`FlightBounds`] |
//! | `expiring` | [`Expiring`]: boxes at both ends of a span |
//! | `blend` | the box between two boxes, with the proof that it contains the vertices |
//! | `span` | the span of time in which the boxes hold |
//! | `chords` | boxes at both ends of a span for plans of any kind |
//! | `replan` | plans that change within a span |
//! | `leaves` | from vertices to leaves and from nodes to parents |

mod blend;
mod body;
mod chords;
mod expiring;
mod leaves;
mod replan;
mod span;

pub use body::{FlightBounds, KeyframedBody};
pub use expiring::Expiring;
pub(super) use leaves::{LeavesOfVertices, parents};
