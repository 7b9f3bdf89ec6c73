//! Files in and out for pliant.

mod error;

pub use error::{Error, Result};
