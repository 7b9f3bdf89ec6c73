//! `bevy_pliant` in apps without a window.

mod bodies;
mod character;
mod contacts;
mod picking;
mod support;
