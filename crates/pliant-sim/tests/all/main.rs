//! All integration tests of the crate, one module per guarantee. One program compiles faster than
//! many.

mod dynamics;
mod mixed;
mod principal_components;
mod shape_matching;
mod shapes;
mod vibration;
