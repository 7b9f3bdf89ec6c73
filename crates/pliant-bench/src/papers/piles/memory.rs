//! The most memory that the process held.

use crate::table::{Cell, figure};

/// The peak of the process from a moment on.
pub(super) struct Peak(());

impl Peak {
    /// From now on. Where the system cannot forget the peak so far, that counts too.
    pub(super) fn from_here() -> Self {
        // Linux: 5 forgets the peak of the resident memory. Elsewhere there is no such file.
        let _ = std::fs::write("/proc/self/clear_refs", "5");
        Self(())
    }

    /// The peak so far in mebibytes, as a cell; empty where the system does not tell.
    pub(super) fn mebibytes(self) -> Cell {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kibibytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok());
        figure(kibibytes.map_or(f64::NAN, |k: f64| k / 1024.0), 0, "MiB")
    }
}
