//! All integration tests of the crate that need no program of their own.

mod changes;
mod closed_forms;
mod exercise;
mod forces;
mod moving;
mod never_through;
mod protocol;
mod replay;
mod server;
mod simulated;
mod support;
