//! Numbers of the command line.

fn number(text: &str) -> Result<f64, String> {
    text.trim().parse().map_err(|_| format!("{text:?} is not a number"))
}

/// A number that is neither infinite nor NaN.
pub(crate) fn finite(text: &str) -> Result<f64, String> {
    Some(number(text)?)
        .filter(|value| value.is_finite())
        .ok_or_else(|| format!("{text} is not finite"))
}

/// A finite number above 0.
pub(crate) fn positive(text: &str) -> Result<f64, String> {
    Some(finite(text)?).filter(|&value| value > 0.0).ok_or_else(|| format!("{text} is not above 0"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_checked() {
        assert_eq!(finite(" -1.5"), Ok(-1.5));
        for wrong in ["", "x", "nan", "inf", "1 2"] {
            assert!(finite(wrong).is_err(), "{wrong:?}");
        }
        assert!(positive("0").is_err() && positive("-1").is_err() && positive("1e-9").is_ok());
    }
}
