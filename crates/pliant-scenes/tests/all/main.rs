//! All integration tests of the crate, one module per guarantee. One program compiles faster than
//! many.

mod chairs;
mod characters;
mod cloth;
mod curtain;
#[cfg(feature = "models")]
mod dynamics;
mod fish_and_bridge;
mod necklaces;
#[cfg(feature = "models")]
mod reduced_models;
mod shapes;
mod support;
