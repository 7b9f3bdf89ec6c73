//! Work without the interpreter's lock, which Ctrl-C ends.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
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
        return Ok(detached(py, job));
    }
    let (done, answer) = channel();
    thread::spawn(move || {
        // Nobody listens after an interruption.
        let _ = done.send(on_live_threads(job));
    });
    // A receiver must not be shared, and the lock is released around each wait.
    let answer = Mutex::new(answer);
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

/// Whether this process was forked from one that had loaded the package: the threads of its pool are
/// those of the other process, and a job for them would wait for ever.
static WAS_FORKED: AtomicBool = AtomicBool::new(false);

/// The pool of a process that was forked, and which process that is.
static POOL_OF_CHILD: Mutex<Option<(u32, Arc<rayon::ThreadPool>)>> = Mutex::new(None);

/// Python calls this in a child after a fork.
#[pyfunction]
pub(crate) fn after_fork() {
    WAS_FORKED.store(true, Ordering::Relaxed);
}

/// Runs a job without the interpreter's lock.
pub(crate) fn detached<T: Send>(py: Python<'_>, job: impl FnOnce() -> T + Send) -> T {
    py.detach(|| on_live_threads(job))
}

/// Runs a job so that the threads that it asks for exist.
fn on_live_threads<T: Send>(job: impl FnOnce() -> T + Send) -> T {
    if !WAS_FORKED.load(Ordering::Relaxed) {
        return job();
    }
    match pool_of_child() {
        Some(pool) => pool.install(job),
        None => job(),
    }
}

/// A pool of threads of this process; none if the system has no threads left.
fn pool_of_child() -> Option<Arc<rayon::ThreadPool>> {
    let process = std::process::id();
    let mut known = POOL_OF_CHILD.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((of, pool)) = &*known
        && *of == process
    {
        return Some(Arc::clone(pool));
    }
    let pool = Arc::new(rayon::ThreadPoolBuilder::new().build().ok()?);
    // The pool of the process before is not dropped: it would wait for threads that do not exist.
    std::mem::forget(known.replace((process, Arc::clone(&pool))));
    Some(pool)
}
