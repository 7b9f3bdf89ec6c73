//! Work without the interpreter's lock, which Ctrl-C ends.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// Triangles from which on a job is run on a thread of its own. Starting one takes some 20 µs,
/// which is little beside a query of such bodies.
pub(crate) const MANY_TRIANGLES: usize = 100_000;

/// How often Python is asked whether a person wants to stop.
const PATIENCE: Duration = Duration::from_millis(50);

/// How long a job may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Length {
    /// It is done before a person can react.
    Short,
    /// It may take so long that a person wants to stop it.
    Long,
}

impl Length {
    /// Of a query of bodies with so many triangles in all.
    pub(crate) fn of(triangles: usize) -> Self {
        if triangles < MANY_TRIANGLES { Self::Short } else { Self::Long }
    }
}

/// Runs a job without the interpreter's lock. A long one ends with Ctrl-C: the call raises
/// `KeyboardInterrupt` at once, and its thread ends when the job, whose answer nobody takes, is done.
pub(crate) fn run<T: Send + 'static>(
    py: Python<'_>,
    length: Length,
    job: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    if length == Length::Short {
        return Ok(py.detach(job));
    }
    let (done, answer) = channel();
    thread::spawn(move || {
        // Nobody listens after an interruption.
        let _ = done.send(job());
    });
    // A receiver must not be shared, and the lock is released around each wait.
    let answer = std::sync::Mutex::new(answer);
    loop {
        let waited = py.detach(|| match answer.lock() {
            Ok(answer) => answer.recv_timeout(PATIENCE),
            Err(_) => Err(RecvTimeoutError::Disconnected),
        });
        match waited {
            Ok(value) => return Ok(value),
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            Err(RecvTimeoutError::Disconnected) => {
                return Err(PyRuntimeError::new_err("a query ended unexpectedly"));
            }
        }
    }
}
