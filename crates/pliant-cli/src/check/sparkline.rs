//! Numbers over time in one line of text.

const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Draws numbers as blocks of up to full height for the largest; `·` is none.
///
/// Where there are more numbers than places, a place shows the largest of its share,
/// so that no contact is lost to sight.
pub(crate) fn sparkline(numbers: &[usize], places: usize) -> String {
    let places = places.clamp(1, numbers.len().max(1));
    let most = numbers.iter().copied().max().unwrap_or(0);
    let bounds = |place: usize| place * numbers.len() / places;
    let block = |place: usize| {
        let share = &numbers[bounds(place)..bounds(place + 1)];
        match share.iter().copied().max().unwrap_or(0) {
            0 => '·',
            number => BLOCKS[(number * BLOCKS.len()).div_ceil(most).clamp(1, BLOCKS.len()) - 1],
        }
    };
    (0..places).map(block).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heights_follow_numbers() {
        assert_eq!(sparkline(&[0, 1, 4, 8], 30), "·▁▄█");
        assert_eq!(sparkline(&[0, 0], 30), "··");
        assert_eq!(sparkline(&[], 30), "·");
        // The single contact among many frames stays in sight.
        let mut rare = vec![0; 1000];
        rare[617] = 1;
        let line = sparkline(&rare, 10);
        assert_eq!(line, "······█···");
    }
}
