//! Where reduced models come from.
//!
//! A reduced body deforms as p + U q: few coordinates q, one displacement field a
//! coordinate ([`pliant::deform::Modes`]). This crate makes such models out of
//!
//! | from | by | result |
//! | --- | --- | --- |
//! | an animation: frames of vertex positions | [`principal_components`] | [`PrincipalComponents`] with q of each frame and the largest vertex error |
//! | a mesh and a material | [`vibration_modes`] | [`VibrationModes`] with frequencies |
//!
//! ```
//! use pliant::glam::DVec3;
//! use pliant_sim::{Keep, principal_components};
//!
//! // Two vertices that swing to and fro: one component holds all of it.
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
//! Everything runs on the caller's thread and gives the same bits on every run of one
//! machine. (Another kind of processor may sum in another order.)

mod error;
pub mod limits;
mod modal;
mod pca;

pub use error::{Error, Result};
pub use modal::{Material, VibrationModes, VibrationSettings, vibration_modes};
pub use pca::{Keep, PrincipalComponents, principal_components};
