//! The force loop: a thread of its own that never waits and never allocates.
//!
//! | file | what it is |
//! | --- | --- |
//! | `engine` | one step: changes from a queue, then the probe |
//! | `published` | the last step's result, for readers that may come at any time |
//! | `statistics` | how long steps took |
//! | `force_loop` | the thread |

mod engine;
mod force_loop;
mod published;
mod statistics;

pub use engine::{Engine, Submitted, Submitter};
pub use force_loop::{ForceLoop, Watcher};
pub use published::Seen;
pub use statistics::{DOUBLINGS, Statistics, Times};
