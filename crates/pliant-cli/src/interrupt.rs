//! Ctrl-C: ends the program, unless a long run wants to save itself first.

use std::sync::atomic::{AtomicBool, Ordering};

static WAITED_FOR: AtomicBool = AtomicBool::new(false);
static ASKED: AtomicBool = AtomicBool::new(false);

/// From now on the first Ctrl-C only asks the run to stop; the second ends the program.
pub fn wait_for_it() {
    WAITED_FOR.store(true, Ordering::SeqCst);
}

/// Whether Ctrl-C was pressed.
#[must_use]
pub fn is_asked() -> bool {
    ASKED.load(Ordering::SeqCst)
}

/// Ctrl-C was pressed. Returns whether a run will stop by itself.
pub fn ask() -> bool {
    WAITED_FOR.load(Ordering::SeqCst) && !ASKED.swap(true, Ordering::SeqCst)
}
