//! Checks of generator parameters.

use pliant::limits::MAX_PRIMITIVES;
use pliant::{Error, Result};

/// Refuses a count below the smallest valid one.
pub(crate) fn at_least(
    fewest: usize,
    setting: &'static str,
    value: usize,
    range: &'static str,
) -> Result<()> {
    if value < fewest {
        return Err(Error::InvalidSetting { setting, value, range });
    }
    Ok(())
}

/// Refuses lengths that are zero, negative, infinite or NaN.
pub(crate) fn positive_lengths(what: &'static str, lengths: [f64; 3]) -> Result<()> {
    if lengths.iter().any(|&length| !(length > 0.0 && length.is_finite())) {
        let reason = "every length must be positive and finite";
        return Err(Error::InvalidVector { what, vector: lengths, reason });
    }
    Ok(())
}

/// Refuses more triangles than a mesh can have, before any is made.
///
/// `None` stands for a count above `usize::MAX`. No generator makes more than three vertices per
/// triangle, so vertex numbers also fit in 32 bits.
pub(crate) fn triangle_count(count: Option<usize>) -> Result<usize> {
    match count {
        Some(count) if count <= MAX_PRIMITIVES => Ok(count),
        _ => Err(Error::TooMany {
            what: "triangles",
            count: count.unwrap_or(usize::MAX),
            limit: MAX_PRIMITIVES,
        }),
    }
}
