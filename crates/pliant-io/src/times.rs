//! The rule for times of keys and frames: finite and strictly increasing.

/// The first time that violates the rule, and how; `None` if there is none.
pub(crate) fn first_disorder(times: &[f64]) -> Option<(usize, String)> {
    if let Some(number) = times.iter().position(|time| !time.is_finite()) {
        return Some((number, format!("its time {} s is not finite", times[number])));
    }
    let number = times.windows(2).position(|pair| pair[0] >= pair[1])? + 1;
    let (time, before) = (times[number], times[number - 1]);
    Some((number, format!("its time {time} s is not after {before} s")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_disorder_is_named() {
        let disorder = |times: &[f64]| first_disorder(times).map(|(number, _)| number);
        assert_eq!(disorder(&[]), None);
        assert_eq!(disorder(&[-1.0, 0.0, 2.5]), None);
        assert_eq!(disorder(&[0.0, 1.0, 1.0, 0.0]), Some(2));
        assert_eq!(disorder(&[0.0, f64::INFINITY]), Some(1));
        assert_eq!(disorder(&[f64::NAN]), Some(0));
        let (_, reason) = first_disorder(&[1.0, 0.5]).unwrap();
        assert_eq!(reason, "its time 0.5 s is not after 1 s");
    }
}
