//! Numbers over time in one line of text.

const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Characters of a line, at the most.
const PLACES: usize = 24;

/// The largest number of each stretch of a run. Takes the same memory for any number of frames.
///
/// A place shows the largest of its stretch, so that no contact is lost to sight.
#[derive(Debug, Clone)]
pub(crate) struct Sparkline {
    frames: usize,
    places: Vec<usize>,
}

impl Sparkline {
    /// A line for so many frames, without contacts so far.
    pub(crate) fn new(frames: usize) -> Self {
        Self { frames, places: vec![0; frames.clamp(1, PLACES)] }
    }

    /// Enters the number of a frame.
    pub(crate) fn add(&mut self, frame: usize, number: usize) {
        let place = self.place(frame);
        self.places[place] = self.places[place].max(number);
    }

    /// Stretches differ by one frame at the most: place p begins with frame p * frames / places.
    fn place(&self, frame: usize) -> usize {
        let last = self.places.len() - 1;
        (((frame + 1) * self.places.len() - 1) / self.frames.max(1)).min(last)
    }

    /// Draws numbers as blocks of up to full height for the largest; `·` is none.
    pub(crate) fn draw(&self) -> String {
        let most = self.places.iter().copied().max().unwrap_or(0);
        let block = |&number: &usize| match number {
            0 => '·',
            _ => BLOCKS[(number * BLOCKS.len()).div_ceil(most).clamp(1, BLOCKS.len()) - 1],
        };
        self.places.iter().map(block).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(numbers: &[usize]) -> String {
        let mut line = Sparkline::new(numbers.len());
        numbers.iter().enumerate().for_each(|(frame, &number)| line.add(frame, number));
        line.draw()
    }

    #[test]
    fn heights_follow_numbers() {
        assert_eq!(drawn(&[0, 1, 4, 8]), "·▁▄█");
        assert_eq!(drawn(&[0, 0]), "··");
        assert_eq!(drawn(&[]), "·");
        // The single contact among many frames stays in sight.
        let mut rare = vec![0; 240];
        rare[61] = 1;
        assert_eq!(drawn(&rare), "······█·················");
    }

    #[test]
    fn stretches_are_even_and_take_all_frames() {
        for frames in [1, 23, 24, 25, 100, 999] {
            let line = Sparkline::new(frames);
            let count = line.places.len();
            for frame in 0..frames {
                let place = line.place(frame);
                assert!(place * frames / count <= frame && frame < (place + 1) * frames / count);
            }
        }
    }
}
