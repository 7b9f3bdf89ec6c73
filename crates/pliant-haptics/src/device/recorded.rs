//! A path of the hand, written down and played again.

use std::fmt::Write as _;
use std::sync::mpsc::SyncSender;

use pliant::glam::DVec3;

use super::{Device, Reading};
use crate::{Error, Result};

/// Where the hand was, over time. As text it is CSV: a line `time,x,y,z` and then one line per sample,
/// in seconds and metres, written so that every bit returns.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Recording {
    samples: Vec<(f64, DVec3)>,
}

/// The first line of a recording.
const HEADER: &str = "time,x,y,z";

impl Recording {
    /// A recording of samples.
    ///
    /// # Errors
    /// [`Error::Path`] if times do not ascend or a number is not finite. Lines are counted as in the
    /// text, where the first is the heading.
    pub fn new(samples: Vec<(f64, DVec3)>) -> Result<Self> {
        let mut last = f64::NEG_INFINITY;
        for (number, &(time, position)) in samples.iter().enumerate() {
            let line = number + 2;
            if !time.is_finite() || !position.is_finite() {
                return Err(Error::Path { line, reason: "a number is not finite" });
            }
            if time <= last {
                return Err(Error::Path { line, reason: "times must ascend" });
            }
            last = time;
        }
        Ok(Self { samples })
    }

    /// Reads CSV.
    ///
    /// # Errors
    /// [`Error::Path`] names the line.
    pub fn from_csv(text: &str) -> Result<Self> {
        let mut lines = text.lines();
        if lines.next().map(str::trim) != Some(HEADER) {
            return Err(Error::Path { line: 1, reason: "must be time,x,y,z" });
        }
        let mut samples = Vec::new();
        for (number, line) in lines.enumerate() {
            let line_number = number + 2;
            let wrong = |reason| Error::Path { line: line_number, reason };
            let mut values = [0.0; 4];
            let mut fields = line.split(',');
            for value in &mut values {
                let field = fields.next().ok_or(wrong("has fewer than four numbers"))?;
                *value =
                    field.trim().parse().map_err(|_| wrong("has a field that is no number"))?;
            }
            if fields.next().is_some() {
                return Err(wrong("has more than four numbers"));
            }
            let [time, x, y, z] = values;
            samples.push((time, DVec3::new(x, y, z)));
        }
        Self::new(samples)
    }

    /// Writes CSV, from which [`Recording::from_csv`] reads the same bits.
    #[must_use]
    pub fn to_csv(&self) -> String {
        let mut text = String::from(HEADER);
        text.push('\n');
        for (time, p) in &self.samples {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{time:?},{:?},{:?},{:?}", p.x, p.y, p.z);
        }
        text
    }

    /// The samples.
    #[must_use]
    pub fn samples(&self) -> &[(f64, DVec3)] {
        &self.samples
    }
}

/// A device that plays a recording, with straight lines between its samples. It feels no force.
#[derive(Debug, Clone)]
pub struct RecordedPath {
    recording: Recording,
    /// The sample before the time.
    at: usize,
    time: f64,
    last: Option<DVec3>,
}

impl RecordedPath {
    /// Plays from the first sample.
    #[must_use]
    pub fn new(recording: Recording) -> Self {
        let time = recording.samples.first().map_or(0.0, |&(time, _)| time);
        Self { recording, at: 0, time, last: None }
    }
}

impl Device for RecordedPath {
    fn read(&mut self, dt: f64) -> Option<Reading> {
        if self.last.is_some() {
            self.time += dt;
        }
        let samples = &self.recording.samples;
        while samples.get(self.at + 1).is_some_and(|&(time, _)| time <= self.time) {
            self.at += 1;
        }
        let &(from, start) = samples.get(self.at)?;
        let position = match samples.get(self.at + 1) {
            Some(&(to, end)) => start + (end - start) * ((self.time - from) / (to - from)),
            None if self.time <= from => start,
            None => return None,
        };
        let moved = self.last.map_or(DVec3::ZERO, |last| position - last);
        self.last = Some(position);
        let velocity = if dt > 0.0 { moved / dt } else { DVec3::ZERO };
        Some(Reading { position, velocity })
    }

    fn apply(&mut self, _: DVec3) {}
}

/// A device whose readings are kept: each goes into a queue, from which another thread takes them.
///
/// The queue is bounded. A reading that finds no room is lost, and counted by the gap in the times.
#[derive(Debug)]
pub struct Keeping<D> {
    device: D,
    time: f64,
    kept: SyncSender<(f64, DVec3)>,
}

impl<D: Device> Keeping<D> {
    /// Keeps the readings of a device while its hand is there.
    #[must_use]
    pub fn new(device: D, kept: SyncSender<(f64, DVec3)>) -> Self {
        Self { device, time: 0.0, kept }
    }
}

impl<D: Device> Device for Keeping<D> {
    fn read(&mut self, dt: f64) -> Option<Reading> {
        let reading = self.device.read(dt)?;
        self.time += dt;
        if self.device.is_present() {
            // Where nobody takes them there is nobody to tell.
            let _ = self.kept.try_send((self.time, reading.position));
        }
        Some(reading)
    }

    fn apply(&mut self, force: DVec3) {
        self.device.apply(force);
    }

    fn is_present(&self) -> bool {
        self.device.is_present()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_keeps_every_bit() {
        let samples = vec![(0.0, DVec3::new(0.1, -1e-300, 3.0)), (1.0 / 3.0, DVec3::splat(0.7))];
        let recording = Recording::new(samples).unwrap();
        assert_eq!(Recording::from_csv(&recording.to_csv()).unwrap(), recording);
    }

    #[test]
    fn wrong_lines_are_named() {
        let error = |text: &str| Recording::from_csv(text).unwrap_err().to_string();
        assert!(error("").contains("line 1"));
        assert!(error("time,x,y,z\n0,0,0,0\n1,2,3").contains("line 3"));
        assert!(error("time,x,y,z\n0,0,zero,0").contains("no number"));
        assert!(error("time,x,y,z\n0,0,0,0,0").contains("more than four"));
        assert!(error("time,x,y,z\n0,0,0,0\n0,0,0,0").contains("ascend"));
        assert!(error("time,x,y,z\n0,0,inf,0").contains("finite"));
    }

    #[test]
    fn played_along_straight_lines_to_the_end() {
        let samples = vec![(1.0, DVec3::ZERO), (2.0, DVec3::X), (2.5, DVec3::Y)];
        let mut path = RecordedPath::new(Recording::new(samples).unwrap());
        let places: Vec<_> = std::iter::from_fn(|| path.read(0.5)).map(|r| r.position).collect();
        assert_eq!(places, [DVec3::ZERO, DVec3::X * 0.5, DVec3::X, DVec3::Y]);
        assert_eq!(RecordedPath::new(Recording::default()).read(0.1), None);
    }
}
