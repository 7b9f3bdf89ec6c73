//! The error type of the crate.

use std::path::{Path, PathBuf};

use crate::printable::{printable, printable_path};

/// Why a file was refused: the file, the element in it, and the reason.
///
/// The fields hold names and words of the file as they are. `Display` shows them [`printable`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The operating system could not read or write the file.
    #[error("{}: {source}", printable_path(file))]
    Io {
        /// The file.
        file: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// The contents of the file violate its format or contradict themselves.
    #[error("{}: {}: {}", printable_path(file), printable(element), printable(reason))]
    Malformed {
        /// The file.
        file: PathBuf,
        /// The offending element, such as `line 12` or `accessor 3`.
        element: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The file is valid but needs a feature that pliant does not support.
    #[error("{}: {}: {}", printable_path(file), printable(element), printable(reason))]
    Unsupported {
        /// The file.
        file: PathBuf,
        /// The element that needs it.
        element: String,
        /// The unsupported feature.
        reason: String,
    },
    /// The geometry in the file is not a usable mesh.
    #[error("{}: {}: {source}", printable_path(file), printable(element))]
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
    /// A file that violates its format.
    pub(crate) fn malformed(
        file: &Path,
        element: impl Into<String>,
        reason: impl Into<String>,
    ) -> Self {
        Self::Malformed { file: file.into(), element: element.into(), reason: reason.into() }
    }

    /// A file that needs an unsupported feature.
    pub(crate) fn unsupported(
        file: &Path,
        element: impl Into<String>,
        reason: impl Into<String>,
    ) -> Self {
        Self::Unsupported { file: file.into(), element: element.into(), reason: reason.into() }
    }
}

/// The result type of the crate.
pub type Result<T> = std::result::Result<T, Error>;
