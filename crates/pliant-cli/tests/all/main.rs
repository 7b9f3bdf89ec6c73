//! All integration tests of the crate, one module per guarantee: one program compiles faster than many.

mod check;
mod clash;
mod common;
mod files;
mod info;
mod not_regular;
mod samples;
mod terminal;
mod view;
