//! The program `pliant` as a function, for the binary and for the Python package, and what it shares
//! with the project's benchmarks: tables, terminal, interrupts and output.
//!
//! This is no library for others; it may change in any release.

mod check;
mod clash;
mod demo;
mod info;
pub mod interrupt;
mod merge;
mod number;
mod pattern;
mod program;
mod simulate;
mod source;
mod sweep;
pub mod table;
pub mod terminal;
mod touch;
mod view;
pub mod write;

pub use program::run;
