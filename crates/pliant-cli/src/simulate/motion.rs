//! The recorded motion: a file that grows by a frame at a time and is read back a frame at a time.
//!
//! Little-endian. A head of 24 bytes: `PLIANTMO`, version, bodies, numbers per body (32 bits each), 0. Then
//! frames: step (64 bits), eight counters and energies of 64 bits each, the number of touching and of
//! updated spheres (32 bits each), these spheres (four floats of 32 bits each), and for each body its numbers
//! (floats of 32 bits).

use std::fs::{File, OpenOptions};
use std::io::{BufReader, BufWriter, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde::Serialize;

const MAGIC: &[u8; 8] = b"PLIANTMO";
const VERSION: u32 = 1;
const HEAD: u64 = 24;

/// Spheres of one kind that a frame holds at the most: more than a page can tell apart.
pub(super) const MAX_SPHERES: usize = 4000;

/// What is counted and measured at a frame.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub(crate) struct Counters {
    /// Steps done.
    pub(super) step: u64,
    /// Contacts between bodies and with obstacles in the last step.
    pub(super) contacts: u64,
    /// Pairs of bodies whose boxes overlap in the last step.
    pub(super) body_pairs: u64,
    /// Exact tests of spheres in the last step.
    pub(super) tests: u64,
    /// Spheres that the search for contacts computes at this state.
    pub(super) updated: u64,
    /// Contacts over all steps since the frame before.
    pub(super) contacts_since: u64,
    /// In joules: of motion, of place, of deformation.
    pub(super) energy: [f64; 3],
}

/// A frame of the motion.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Frame {
    pub(super) counters: Counters,
    /// Centre and radius of spheres that touch something.
    pub(super) touching: Vec<[f32; 4]>,
    /// Centre and radius of spheres that the search computes.
    pub(super) updated: Vec<[f32; 4]>,
    /// For each body the numbers that move it, one after another.
    pub(super) bodies: Vec<f32>,
}

/// A file that frames are added to.
#[derive(Debug)]
pub(super) struct Recorder {
    file: PathBuf,
    out: BufWriter<File>,
    bytes: u64,
}

impl Recorder {
    /// A new file without frames.
    pub(super) fn create(file: &Path, bodies: usize, numbers: usize) -> Result<Self> {
        let out =
            File::create(file).with_context(|| format!("{}: cannot be written", file.display()))?;
        let mut recorder = Self { file: file.into(), out: BufWriter::new(out), bytes: 0 };
        let mut head = MAGIC.to_vec();
        for number in [VERSION, u32::try_from(bodies)?, u32::try_from(numbers)?, 0] {
            head.extend(number.to_le_bytes());
        }
        recorder.put(&head)?;
        Ok(recorder)
    }

    /// Goes on after so many bytes of a file; what stands behind them is cut off.
    pub(super) fn resume(file: &Path, bytes: u64) -> Result<Self> {
        let name = || file.display().to_string();
        let mut out = OpenOptions::new().write(true).open(file).with_context(name)?;
        let length = out.metadata().with_context(name)?.len();
        ensure!(
            (HEAD..=length).contains(&bytes),
            "{}: it has {length} bytes, but the checkpoint was made at {bytes}",
            file.display()
        );
        out.set_len(bytes).with_context(name)?;
        out.seek(SeekFrom::End(0)).with_context(name)?;
        Ok(Self { file: file.into(), out: BufWriter::new(out), bytes })
    }

    /// Adds a frame.
    pub(super) fn add(&mut self, frame: &Frame) -> Result<()> {
        let Counters { step, contacts, body_pairs, tests, updated, contacts_since, energy } =
            frame.counters;
        let mut bytes = Vec::with_capacity(80 + 4 * frame.bodies.len());
        for counter in [step, contacts, body_pairs, tests, updated, contacts_since] {
            bytes.extend(counter.to_le_bytes());
        }
        bytes.extend(energy.into_iter().flat_map(f64::to_le_bytes));
        let spheres = [&frame.touching, &frame.updated];
        for list in spheres {
            bytes.extend((list.len().min(MAX_SPHERES) as u32).to_le_bytes());
        }
        for list in spheres {
            let shown = list.iter().take(MAX_SPHERES).flatten();
            bytes.extend(shown.flat_map(|number| number.to_le_bytes()));
        }
        bytes.extend(frame.bodies.iter().flat_map(|number| number.to_le_bytes()));
        self.put(&bytes)
    }

    /// How many bytes were written, all of them handed to the system.
    pub(super) fn flushed(&mut self) -> Result<u64> {
        self.out.flush().with_context(|| format!("{}: cannot be written", self.file.display()))?;
        Ok(self.bytes)
    }

    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        let written = self.out.write_all(bytes);
        written.with_context(|| format!("{}: cannot be written", self.file.display()))?;
        self.bytes += bytes.len() as u64;
        Ok(())
    }
}

/// A file of frames that is read from its beginning.
#[derive(Debug)]
pub(super) struct Reader {
    file: PathBuf,
    input: BufReader<File>,
    pub(super) bodies: usize,
    pub(super) numbers: usize,
}

impl Reader {
    pub(super) fn open(file: &Path) -> Result<Self> {
        let name = || file.display().to_string();
        let mut input = BufReader::new(File::open(file).with_context(name)?);
        let mut head = [0; HEAD as usize];
        input.read_exact(&mut head).with_context(name)?;
        let word =
            |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        ensure!(head.starts_with(MAGIC) && word(8) == VERSION, "{}: not a recorded motion", name());
        let (bodies, numbers) = (word(12) as usize, word(16) as usize);
        Ok(Self { file: file.into(), input, bodies, numbers })
    }

    /// The next frame; none at the end.
    pub(super) fn next(&mut self) -> Result<Option<Frame>> {
        let mut head = [0; 80];
        match self.input.read_exact(&mut head) {
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(None),
            read => read.with_context(|| self.file.display().to_string())?,
        }
        let long = |at: usize| {
            let mut word = [0; 8];
            word.copy_from_slice(&head[8 * at..8 * at + 8]);
            word
        };
        let counter = |at| u64::from_le_bytes(long(at));
        let energy = [6, 7, 8].map(|at| f64::from_le_bytes(long(at)));
        let [step, contacts, body_pairs, tests, updated, contacts_since] =
            [0, 1, 2, 3, 4, 5].map(counter);
        let lengths = counter(9);
        let counters =
            Counters { step, contacts, body_pairs, tests, updated, contacts_since, energy };
        let touching = self.spheres((lengths & 0xffff_ffff) as usize)?;
        let updated = self.spheres((lengths >> 32) as usize)?;
        let bodies = self.floats(self.bodies.saturating_mul(self.numbers))?;
        Ok(Some(Frame { counters, touching, updated, bodies }))
    }

    fn spheres(&mut self, count: usize) -> Result<Vec<[f32; 4]>> {
        ensure!(count <= MAX_SPHERES, "{}: {count} spheres in a frame", self.file.display());
        let numbers = self.floats(4 * count)?;
        Ok(numbers.chunks_exact(4).map(|four| [four[0], four[1], four[2], four[3]]).collect())
    }

    fn floats(&mut self, count: usize) -> Result<Vec<f32>> {
        let mut bytes = Vec::new();
        // Memory grows with what is there, not with what a head claims.
        let wanted = 4 * count as u64;
        let read = self.input.by_ref().take(wanted).read_to_end(&mut bytes);
        read.with_context(|| self.file.display().to_string())?;
        ensure!(bytes.len() as u64 == wanted, "{}: its last frame is cut off", self.file.display());
        let float = |four: &[u8]| f32::from_le_bytes([four[0], four[1], four[2], four[3]]);
        Ok(bytes.chunks_exact(4).map(float).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_come_back_and_a_resumed_file_is_cut() {
        let file = std::env::temp_dir().join(format!("pliant_motion_{}", std::process::id()));
        let frame = |step: u64| Frame {
            counters: Counters {
                step,
                contacts: 7,
                energy: [1.0, -2.0, 3.5],
                ..Counters::default()
            },
            touching: vec![[1.0, 2.0, 3.0, step as f32]],
            updated: vec![[0.0; 4]; 3],
            bodies: vec![step as f32; 6],
        };
        let mut recorder = Recorder::create(&file, 2, 3).unwrap();
        recorder.add(&frame(1)).unwrap();
        let bytes = recorder.flushed().unwrap();
        recorder.add(&frame(2)).unwrap();
        drop(recorder);
        let mut resumed = Recorder::resume(&file, bytes).unwrap();
        resumed.add(&frame(3)).unwrap();
        drop(resumed);
        let mut reader = Reader::open(&file).unwrap();
        assert_eq!((reader.bodies, reader.numbers), (2, 3));
        assert_eq!(reader.next().unwrap(), Some(frame(1)));
        assert_eq!(reader.next().unwrap(), Some(frame(3)));
        assert_eq!(reader.next().unwrap(), None);
        assert!(Recorder::resume(&file, 1 << 40).is_err());
        let whole = std::fs::read(&file).unwrap();
        std::fs::write(&file, &whole[..whole.len() - 1]).unwrap();
        let mut cut = Reader::open(&file).unwrap();
        assert!(cut.next().is_ok() && cut.next().is_err());
        std::fs::remove_file(file).unwrap();
    }
}
