//! Trajectories, read frame by frame.

use std::io::{BufReader, Cursor, Read};
use std::path::{Path, PathBuf};

use pliant::glam::DVec3;

use super::dcd::Dcd;
use super::{Cell, TRAJECTORY_EXTENSIONS, trr, xtc};
use crate::file::{extension, open_regular, unknown_extension};
use crate::{Error, Result, read_file};

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
    cell: Option<Cell>,
}

#[derive(Debug)]
enum Format {
    Dcd(Dcd),
    Xtc { atoms: usize },
    Trr { atoms: usize },
}

impl Trajectory {
    /// Opens a DCD, XTC or TRR file with this many atoms. One that is compressed with gzip is
    /// decoded as a whole.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::Unsupported`] for another extension, [`Error::Malformed`] for
    /// another number of atoms.
    pub fn open(path: impl AsRef<Path>, atoms: usize) -> Result<Self> {
        let path = path.as_ref();
        if path.extension().is_some_and(|last| last.eq_ignore_ascii_case("gz")) {
            return Self::from_bytes(read_file(path)?, path, atoms);
        }
        Self::start(Bytes::open(path)?, path, atoms)
    }

    /// The same for the bytes of a file; the extension of the name decides the format.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn from_bytes(bytes: Vec<u8>, name: impl AsRef<Path>, atoms: usize) -> Result<Self> {
        let name = name.as_ref();
        let length = bytes.len() as u64;
        Self::start(Bytes::new(Box::new(Cursor::new(bytes)), length, name), name, atoms)
    }

    fn start(mut bytes: Bytes, path: &Path, atoms: usize) -> Result<Self> {
        let format = match extension(path).as_str() {
            "dcd" => Format::Dcd(Dcd::read_header(&mut bytes, atoms)?),
            "xtc" => Format::Xtc { atoms },
            "trr" => Format::Trr { atoms },
            _ => return Err(unknown_extension(path, &TRAJECTORY_EXTENSIONS)),
        };
        Ok(Self { bytes, format, frame: 0, cell: None })
    }

    /// Reads the next frame and replaces the contents of `positions`; `false` at the end.
    ///
    /// # Errors
    /// [`Error::Malformed`] with the frame, if it is cut off, has another number of atoms, or is
    /// not finite.
    pub fn read(&mut self, positions: &mut Vec<DVec3>) -> Result<bool> {
        let frame = self.frame;
        self.bytes.element = format!("frame {frame}");
        if self.bytes.is_at_end() {
            return Ok(false);
        }
        match &mut self.format {
            Format::Dcd(dcd) => self.cell = dcd.read_frame(&mut self.bytes, positions)?,
            Format::Xtc { atoms } => {
                self.cell = xtc::read_frame(&mut self.bytes, *atoms, positions)?;
            }
            Format::Trr { atoms } => {
                if !trr::read_frame(&mut self.bytes, *atoms, positions, &mut self.cell)? {
                    return Ok(false);
                }
            }
        }
        if let Some(atom) = positions.iter().position(|position| !position.is_finite()) {
            return Err(self.bytes.wrong(format!("atom {atom} is not finite")));
        }
        self.frame += 1;
        Ok(true)
    }

    /// The periodic cell of the frame that was read last, if the file has one.
    #[must_use]
    pub fn cell(&self) -> Option<&Cell> {
        self.cell.as_ref()
    }

    /// The fraction of the file that has been read, from 0 to 1, for a progress bar.
    #[must_use]
    pub fn share_read(&self) -> f64 {
        1.0 - self.bytes.left as f64 / self.bytes.length.max(1) as f64
    }
}

/// A file, or its bytes, that is read forward. Its length is known, so counts in it are checked
/// against the bytes that exist.
pub(super) struct Bytes {
    input: Box<dyn Read + Send + Sync>,
    file: PathBuf,
    length: u64,
    left: u64,
    /// The element that is being read, for messages.
    pub(super) element: String,
}

impl Bytes {
    fn open(path: &Path) -> Result<Self> {
        let (input, length) = open_regular(path)?;
        Ok(Self::new(Box::new(BufReader::with_capacity(1 << 16, input)), length, path))
    }

    fn new(input: Box<dyn Read + Send + Sync>, length: u64, path: &Path) -> Self {
        Self { input, file: path.into(), length, left: length, element: "header".into() }
    }

    /// Whether all bytes have been read.
    pub(super) fn is_at_end(&self) -> bool {
        self.left == 0
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

impl std::fmt::Debug for Bytes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { input: _, file, length, left, element } = self;
        let mut out = f.debug_struct("Bytes");
        out.field("file", file).field("length", length).field("left", left);
        out.field("element", element).finish_non_exhaustive()
    }
}
