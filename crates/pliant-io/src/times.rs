//! Times of keys and frames: finite and strictly increasing; and the times of frames at a rate.

/// Frames of one animation, at the most: a file that claims an animation of a million years is told
/// so instead of filling the memory.
pub const MAX_FRAME_TIMES: usize = 1_000_000;

/// The last frame takes the place of the one before it if they are closer than this part of a frame:
/// animation lengths are `f32` in most files and miss whole frames by a hair.
const SAME_FRAME: f64 = 1e-3;

/// The times of frames from a start to an end, so many per second, both ends included.
///
/// `None` if the end is before the start, if the rate is not positive, if a number is not finite, or
/// if there are more than [`MAX_FRAME_TIMES`].
///
/// ```
/// assert_eq!(pliant_io::frame_times(1.0, 2.1, 2.0), Some(vec![1.0, 1.5, 2.0, 2.1]));
/// ```
#[must_use]
pub fn frame_times(start: f64, end: f64, per_second: f64) -> Option<Vec<f64>> {
    let frames = ((end - start) * per_second).floor();
    let is_usable = start.is_finite() && end >= start && per_second > 0.0;
    if !(is_usable && frames < MAX_FRAME_TIMES as f64) {
        return None;
    }
    let time = |frame: u64| start + frame as f64 / per_second;
    let mut times: Vec<f64> = (0..=frames as u64).map(time).collect();
    // The first frame stays, however short the animation is.
    match times.as_mut_slice() {
        [_, .., last] if end - *last < SAME_FRAME / per_second => *last = end,
        [only] if *only == end => {}
        _ => times.push(end),
    }
    Some(times)
}

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
    fn both_ends_are_frames() {
        assert_eq!(frame_times(0.0, 1.0, 4.0).unwrap(), [0.0, 0.25, 0.5, 0.75, 1.0]);
        assert_eq!(frame_times(1.0, 2.1, 2.0).unwrap(), [1.0, 1.5, 2.0, 2.1]);
        assert_eq!(frame_times(3.0, 3.0, 30.0).unwrap(), [3.0]);
        assert_eq!(frame_times(0.0, 0.01, 30.0).unwrap(), [0.0, 0.01]);
        assert_eq!(frame_times(0.0, 1.0, 0.0005).unwrap(), [0.0, 1.0]);
        assert_eq!(frame_times(0.0, 1e-5, 30.0).unwrap(), [0.0, 1e-5]);
        // A hair longer, and a hair shorter, than 30 frames.
        for end in [1.0000001, 0.9999999] {
            let times = frame_times(0.0, end, 30.0).unwrap();
            assert_eq!((times.len(), times[30]), (31, end));
        }
    }

    #[test]
    fn absurd_lengths_are_refused() {
        assert_eq!(frame_times(0.0, 1e30, 30.0), None);
        assert_eq!(frame_times(-1e308, 1e308, 1e308), None);
        assert_eq!(frame_times(1.0, 0.0, 30.0), None);
        assert_eq!(frame_times(0.0, 1.0, 0.0), None);
        assert_eq!(frame_times(f64::NAN, 1.0, 1.0), None);
    }

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
