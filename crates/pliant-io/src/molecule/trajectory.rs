//! Trajectories, read frame by frame.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use pliant::glam::DVec3;

use super::dcd::Dcd;
use super::{TRAJECTORY_EXTENSIONS, xtc};
use crate::file::{extension, open_regular, unknown_extension};
use crate::{Error, Result};

/// A trajectory that is read frame by frame and never as a whole.
///
/// Positions are in ångströms, regardless of the file's unit.
///
/// ```no_run
/// let structure = pliant_io::read_structure("protein.pdb")?;
/// let mut trajectory = pliant_io::Trajectory::open("run.xtc", structure.atoms.len())?;
/// let mut positions = Vec::new();
/// while trajectory.read(&mut positions)? {
///     println!("{}", positions[0]);
/// }
/// # Ok::<(), pliant_io::Error>(())
/// ```
#[derive(Debug)]
pub struct Trajectory {
    bytes: Bytes,
    format: Format,
    frame: usize,
}

#[derive(Debug)]
enum Format {
    Dcd(Dcd),
    Xtc { atoms: usize },
}

impl Trajectory {
    /// Opens a DCD or XTC file with this many atoms.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::Unsupported`] for another extension, [`Error::Malformed`] for
    /// another number of atoms.
    pub fn open(path: impl AsRef<Path>, atoms: usize) -> Result<Self> {
        let path = path.as_ref();
        let mut bytes = Bytes::open(path)?;
        let format = match extension(path).as_str() {
            "dcd" => Format::Dcd(Dcd::read_header(&mut bytes, atoms)?),
            "xtc" => Format::Xtc { atoms },
            _ => return Err(unknown_extension(path, &TRAJECTORY_EXTENSIONS)),
        };
        Ok(Self { bytes, format, frame: 0 })
    }

    /// Reads the next frame and replaces the contents of `positions`; `false` at the end.
    ///
    /// # Errors
    /// [`Error::Malformed`] with the frame, if it is cut off, has another number of atoms, or is
    /// not finite.
    pub fn read(&mut self, positions: &mut Vec<DVec3>) -> Result<bool> {
        let frame = self.frame;
        self.bytes.element = format!("frame {frame}");
        if self.bytes.left == 0 {
            return Ok(false);
        }
        match &mut self.format {
            Format::Dcd(dcd) => dcd.read_frame(&mut self.bytes, positions)?,
            Format::Xtc { atoms } => xtc::read_frame(&mut self.bytes, *atoms, positions)?,
        }
        if let Some(atom) = positions.iter().position(|position| !position.is_finite()) {
            return Err(self.bytes.wrong(format!("atom {atom} is not finite")));
        }
        self.frame += 1;
        Ok(true)
    }

    /// The fraction of the file that has been read, from 0 to 1, for a progress bar.
    #[must_use]
    pub fn share_read(&self) -> f64 {
        1.0 - self.bytes.left as f64 / self.bytes.length.max(1) as f64
    }
}

/// A file that is read forward. Its length is known, so counts in it are checked against the bytes
/// that exist.
#[derive(Debug)]
pub(super) struct Bytes {
    input: BufReader<File>,
    file: PathBuf,
    length: u64,
    left: u64,
    /// The element that is being read, for messages.
    pub(super) element: String,
}

impl Bytes {
    fn open(path: &Path) -> Result<Self> {
        let (input, length) = open_regular(path)?;
        let input = BufReader::with_capacity(1 << 16, input);
        Ok(Self { input, file: path.into(), length, left: length, element: "header".into() })
    }

    /// An error about the current element.
    pub(super) fn wrong(&self, reason: impl Into<String>) -> Error {
        Error::malformed(&self.file, self.element.clone(), reason)
    }

    /// Reads the next `count` bytes; memory is allocated only if they exist.
    pub(super) fn take(&mut self, count: u64, out: &mut Vec<u8>) -> Result<()> {
        if count > self.left {
            let left = self.left;
            return Err(self.wrong(format!("needs {count} bytes, but {left} are left")));
        }
        out.clear();
        let io = |source| Error::Io { file: self.file.clone(), source };
        let read = (&mut self.input).take(count).read_to_end(out).map_err(io)?;
        if (read as u64) < count {
            return Err(self.wrong("the file became shorter while it was read"));
        }
        self.left -= count;
        Ok(())
    }

    /// The next four bytes.
    pub(super) fn four(&mut self) -> Result<[u8; 4]> {
        let mut out = Vec::with_capacity(4);
        self.take(4, &mut out)?;
        Ok([out[0], out[1], out[2], out[3]])
    }
}
