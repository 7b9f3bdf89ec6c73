//! All integration tests of the crate, one module per guarantee: one program compiles faster than many.

mod check;
mod clash;
mod common;
mod files;
mod gates;
mod info;
mod not_regular;
mod samples;
mod simulate;
mod structure_clash;
mod terminal;
mod view;
mod worst_cases;
