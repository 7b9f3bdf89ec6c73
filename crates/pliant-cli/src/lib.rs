//! What the program `pliant` shares with the project's benchmarks: tables, terminal, interrupts and output.
//!
//! This is no library for others; it may change in any release.

pub mod interrupt;
pub mod table;
pub mod terminal;
pub mod write;
