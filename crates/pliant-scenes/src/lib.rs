//! Scenes for pliant: what its tests, benchmarks and demos collide.
//!
//! Every generator is a plain function of its parameters and gives the same
//! scene each time: what is random comes from a seed. Shapes whose documentation
//! says so use exact arithmetic and square roots only and are equal bit for bit
//! on every machine; the others use the sine of the platform as well.
//! Lengths are metres, y is up, triangles face outward (as in glTF).
//!
//! | | |
//! | --- | --- |
//! | simple shapes | [`icosphere()`], [`grid()`], [`tube()`], [`cuboid()`], [`triangle_soup()`] |
//! | James and Pai 2004 | [`chair()`], [`pile_of_chairs`], [`curtain()`], [`curtain_and_ball`] |
//! | their tools | [`Random`], [`Topology`] |
//!
//! ```
//! use pliant_scenes::{Topology, chair, curtain_and_ball};
//!
//! let chair = chair()?;
//! assert!(Topology::of(&chair).is_closed());
//!
//! let scene = curtain_and_ball(0, 4)?;
//! let cloth = scene.curtain.positions(60)?;   // rest + sum of 12 modes
//! let ball = scene.ball.centers[60];          // the ball moves without turning
//! assert_eq!(cloth.len(), 6184);
//! # let _ = ball;
//! # Ok::<(), pliant::Error>(())
//! ```

mod chair;
mod check;
mod cuboid;
pub mod curtain;
mod grid;
mod icosphere;
mod lattice;
mod modal_chair;
mod pile;
mod random;
mod refine;
mod sheet;
mod smooth_step;
mod topology;
mod triangle_soup;
mod tube;
mod weld;

pub use chair::chair;
pub use cuboid::cuboid;
pub use curtain::{curtain, curtain_and_ball};
pub use grid::grid;
pub use icosphere::icosphere;
pub use modal_chair::{ModalChair, modal_chair};
pub use pile::{Pile, pile_of_chairs};
pub use random::Random;
pub use topology::Topology;
pub use triangle_soup::triangle_soup;
pub use tube::{Ends, tube};
