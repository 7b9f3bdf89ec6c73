//! What can go wrong, by name.

use thiserror::Error;

/// What the crate returns.
pub type Result<T> = std::result::Result<T, Error>;

/// What can go wrong.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// A number of a setting cannot be used.
    #[error("{setting} = {value} is not usable: {reason}")]
    Setting {
        /// The setting.
        setting: &'static str,
        /// The number that was given.
        value: f64,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A place that the scene does not have.
    #[error("there is no slot {slot}: the scene has {slots}")]
    NoSuchSlot {
        /// The slot that was named.
        slot: usize,
        /// How many there are.
        slots: usize,
    },
    /// The way of the proxy, or a body's state, cannot be used.
    #[error(transparent)]
    Pliant(#[from] pliant::Error),
    /// A line of a recorded path cannot be read.
    #[error("line {line} of the path is not usable: {reason}")]
    Path {
        /// The line, counted from one.
        line: usize,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A client and its server do not understand each other, or one of them is gone.
    #[error("the connection: {reason}")]
    Connection {
        /// What happened.
        reason: String,
    },
    /// The force loop's thread did not start or did not end well.
    #[error("the force loop: {reason}")]
    Loop {
        /// What went wrong.
        reason: String,
    },
}

/// Refuses a setting that is negative or not finite.
pub(crate) fn check_amount(setting: &'static str, value: f64) -> Result<()> {
    if value >= 0.0 && value.is_finite() {
        return Ok(());
    }
    Err(Error::Setting { setting, value, reason: "must be finite and not negative" })
}

/// Refuses a setting that is not positive or not finite.
pub(crate) fn check_positive(setting: &'static str, value: f64) -> Result<()> {
    if value > 0.0 && value.is_finite() {
        return Ok(());
    }
    Err(Error::Setting { setting, value, reason: "must be finite and positive" })
}
