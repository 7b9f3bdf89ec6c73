//! Why a file was refused.

use std::path::{Path, PathBuf};

/// Why a file was refused: the file, the element in it, and the reason.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The operating system would not read or write the file.
    #[error("{}: {source}", file.display())]
    Io {
        /// The file.
        file: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The file's contents break its format, or lie about themselves.
    #[error("{}: {element}: {reason}", file.display())]
    Malformed {
        /// The file.
        file: PathBuf,
        /// The element at fault, such as `line 12` or `accessor 3`.
        element: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The file is well-formed but needs something that pliant does not do.
    #[error("{}: {element}: {reason}", file.display())]
    Unsupported {
        /// The file.
        file: PathBuf,
        /// The element that asks for it.
        element: String,
        /// What it asks for.
        reason: String,
    },
    /// The geometry in the file is not a usable mesh.
    #[error("{}: {element}: {source}", file.display())]
    Geometry {
        /// The file.
        file: PathBuf,
        /// The mesh.
        element: String,
        /// What is wrong with it.
        source: pliant::Error,
    },
}

impl Error {
    /// A file that breaks its format.
    pub(crate) fn malformed(
        file: &Path,
        element: impl Into<String>,
        reason: impl Into<String>,
    ) -> Self {
        Self::Malformed { file: file.into(), element: element.into(), reason: reason.into() }
    }

    /// A file that needs what pliant does not do.
    pub(crate) fn unsupported(
        file: &Path,
        element: impl Into<String>,
        reason: impl Into<String>,
    ) -> Self {
        Self::Unsupported { file: file.into(), element: element.into(), reason: reason.into() }
    }
}

/// A result of this crate.
pub type Result<T> = std::result::Result<T, Error>;
