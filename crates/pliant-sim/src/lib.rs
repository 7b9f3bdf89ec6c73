//! Construction of reduced models.
//!
//! A reduced body deforms as p + U q, with few coordinates q and one displacement field per
//! coordinate ([`pliant::deform::Modes`]). This crate makes such models:
//!
//! | input | function | result |
//! | --- | --- | --- |
//! | an animation: frames of vertex positions | [`principal_components`] | [`PrincipalComponents`] with q per frame and the largest vertex error |
//! | a mesh and a material | [`vibration_modes`] | [`VibrationModes`] with frequencies |
//!
//! [`dynamics`] moves rigid and modal bodies, [`shape_matching`] bodies of points without connectivity, by the
//! thousand; [`mixed`] moves both kinds together.
//!
//! ```
//! use pliant::glam::DVec3;
//! use pliant_sim::{Keep, principal_components};
//!
//! // Two vertices, one of which oscillates: one component suffices.
//! let frames: Vec<Vec<DVec3>> = (0..20)
//!     .map(|frame| vec![DVec3::X * f64::from(frame).sin(), DVec3::Y])
//!     .collect();
//! let model = principal_components(&frames, None, Keep::Rank(5))?;
//! assert_eq!(model.modes.count(), 1);
//! let reduced = model.modes.displaced(model.rest[0], 0, &model.coordinates[7]);
//! assert!(reduced.distance(frames[7][0]) <= model.largest_error);
//! # Ok::<(), pliant_sim::Error>(())
//! ```
//!
//! All computations run on the caller's thread and give the same bits on every run on the same
//! machine. (Another kind of processor may sum in another order.)

pub mod dynamics;
mod error;
pub mod limits;
pub mod mixed;
mod modal;
mod pca;
pub mod shape_matching;

pub use error::{Error, Result};
pub use modal::{Material, VibrationModes, VibrationSettings, vibration_modes};
pub use pca::{Keep, PrincipalComponents, principal_components};
