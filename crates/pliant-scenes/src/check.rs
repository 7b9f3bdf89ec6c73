//! Refusing parameters that make no mesh.

use pliant::limits::MAX_PRIMITIVES;
use pliant::{Error, Result};

/// Refuses a count below the fewest that make sense.
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

/// Refuses more triangles than a mesh can hold, before any is made.
///
/// `None` stands for a count beyond `usize`. No generator makes more than three
/// vertices a triangle, so this keeps vertex numbers within 32 bits as well.
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
