//! All integration tests of the crate, one module per guarantee: one program compiles faster than many.

mod principal_components;
mod shapes;
mod vibration;
