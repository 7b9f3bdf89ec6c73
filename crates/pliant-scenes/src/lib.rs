//! Scenes for the tests, benchmarks and demos of pliant.
//!
//! Every generator is a function of its parameters and always returns the same scene; random scenes
//! take a seed. Shapes whose documentation says so use only exact arithmetic and square roots and
//! have the same bits on every machine. The others also use the platform's sine. Lengths are in
//! metres, y is up, and triangles face outward (as in glTF).
//!
//! | | |
//! | --- | --- |
//! | simple shapes | [`icosphere()`], [`grid()`], [`tube()`], [`cuboid()`], [`triangle_soup()`] |
//! | James and Pai 2004 | [`chair()`], [`chair_boxes()`], [`modal_chair()`], [`pile_of_chairs`], [`curtain()`], [`curtain_and_ball`], [`curtain_and_thrown_ball`], [`fish()`], [`bridge()`], [`bridge_model()`], [`falling_chairs()`], [`fish_on_bridge()`] |
//! | Kavan and Žára 2006 | [`man()`], [`creature()`], [`two_men_passing`], [`two_creatures`], [`large_twists`] |
//! | Zachmann and Weller 2006 | [`tablecloth()`], [`shirt()`], [`dress()`], [`expanding_spheres()`] |
//! | Guibas, Nguyen, Russel and Zhang 2002 | [`grill()`], [`spline()`], [`static_helix()`], [`scaling_helix()`], [`dense_helix()`], [`rolling_spiral()`], [`random_protein()`], [`random_protein_of()`], [`globule()`] |
//! | Müller, Heidelberger, Teschner and Gross 2005 | [`jelly_on_stairs`], [`falling_jelly()`] |
//! | broad phases | [`box_world()`] |
//! | necklaces and bodies | [`roped_man()`], [`protein_on_surface()`] |
//! | tools | [`Random`], [`Topology`], [`read_impact_queries`] |
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

mod add_modes;
mod box_world;
mod bridge;
#[cfg(feature = "models")]
mod bridge_model;
mod chair;
mod character;
mod check;
mod cloth;
mod cuboid;
pub mod curtain;
#[cfg(feature = "models")]
mod falling_chairs;
#[cfg(feature = "models")]
mod falling_jelly;
mod fish;
#[cfg(feature = "models")]
mod fish_on_bridge;
mod grid;
mod icosphere;
mod impact_queries;
mod implicit;
mod jelly;
mod lattice;
#[cfg(feature = "models")]
mod modal_chair;
mod necklace;
mod pile;
mod random;
mod refine;
mod sheet;
mod smooth_step;
mod subdivide;
mod topology;
mod triangle_soup;
mod tube;
mod weld;

pub use box_world::{BoxLayout, BoxWorld, box_world};
pub use bridge::{BRIDGE_FRAMES, Bridge, bridge};
#[cfg(feature = "models")]
pub use bridge_model::{BridgeModel, bridge_model};
pub use chair::{chair, chair_boxes};
pub use character::{
    CREATURE_FRAMES, Character, Influence, Joint, PASSING_FRAMES, TWIST_FRAMES, TwoCharacters,
    creature, large_twists, man, two_creatures, two_men_passing,
};
pub use cloth::{
    ExpandingSpheres, GARMENT_KEYFRAMES, Garment, KeyframedCloth, TABLECLOTH_KEYFRAMES, Tablecloth,
    dress, expanding_spheres, shirt, tablecloth,
};
pub use cuboid::cuboid;
pub use curtain::{curtain, curtain_and_ball, curtain_and_thrown_ball};
#[cfg(feature = "models")]
pub use falling_chairs::{CHAIR_LEVEL, chair_model, falling_chairs, rigid_chair_model};
#[cfg(feature = "models")]
pub use falling_jelly::falling_jelly;
pub use fish::{FISH_FRAMES, FISH_MODES, Fish, fish};
#[cfg(feature = "models")]
pub use fish_on_bridge::{FISH_LEVEL, fish_model, fish_on_bridge};
pub use grid::grid;
pub use icosphere::icosphere;
pub use impact_queries::{BadQuery, ImpactQuery, read_impact_queries};
pub use jelly::{Jelly, jelly_on_stairs};
#[cfg(feature = "models")]
pub use modal_chair::{ModalChair, modal_chair};
pub use necklace::{
    Beads, ProteinOnSurface, ROPE_BEADS, RopedMan, dense_helix, globule, grill, helix,
    protein_on_surface, random_protein, random_protein_of, rolling_spiral, roped_man,
    scaling_helix, spline, static_helix,
};
pub use pile::{Pile, pile_of_chairs};
pub use random::Random;
pub use topology::Topology;
pub use triangle_soup::triangle_soup;
pub use tube::{Ends, tube};
