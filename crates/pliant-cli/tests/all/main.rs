//! All integration tests of the crate, one module per guarantee: one program compiles faster than many.

mod blending;
mod check;
mod clash;
mod clash_shards;
mod common;
mod demo;
mod files;
mod gates;
mod info;
mod not_regular;
mod readme;
mod samples;
mod simulate;
mod structure_clash;
mod sweep;
mod terminal;
mod view;
mod worst_cases;
