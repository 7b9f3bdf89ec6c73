//! Numbers: of the command line, and for people.

fn number(text: &str) -> Result<f64, String> {
    text.trim().parse().map_err(|_| format!("{text:?} is not a number"))
}

/// A number that is neither infinite nor NaN.
pub(crate) fn finite(text: &str) -> Result<f64, String> {
    Some(number(text)?)
        .filter(|value| value.is_finite())
        .ok_or_else(|| format!("{text} is not finite"))
}

/// A finite number that is not below 0.
pub(crate) fn not_negative(text: &str) -> Result<f64, String> {
    Some(finite(text)?).filter(|&value| value >= 0.0).ok_or_else(|| format!("{text} is below 0"))
}

/// A finite number above 0.
pub(crate) fn positive(text: &str) -> Result<f64, String> {
    Some(finite(text)?).filter(|&value| value > 0.0).ok_or_else(|| format!("{text} is not above 0"))
}

/// A number with four digits that count, and no more zeros than it needs.
pub(crate) fn short(number: f64) -> String {
    let size = number.abs();
    if size != 0.0 && !(1e-4..1e7).contains(&size) {
        return format!("{number:.3e}");
    }
    let digits = if size < 1.0 { 4 } else { 3 - (size.log10() as usize).min(3) };
    let text = format!("{number:.digits$}");
    let text = if text.contains('.') { text.trim_end_matches('0') } else { &text };
    match text.trim_end_matches('.') {
        "-0" | "" => "0".into(),
        trimmed => trimmed.into(),
    }
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

    #[test]
    fn numbers_are_short() {
        for (number, text) in [
            (0.0, "0"),
            (-0.0, "0"),
            (1.0, "1"),
            (0.25, "0.25"),
            (1.0 / 3.0, "0.3333"),
            (-12.3456, "-12.35"),
            (100.0, "100"),
            (12345.6, "12346"),
            (1e-9, "1.000e-9"),
            (3e20, "3.000e20"),
        ] {
            assert_eq!(short(number), text);
        }
    }
}
