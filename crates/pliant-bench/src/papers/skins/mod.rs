//! Bounds from the joints of a skin: Kavan and Žára 2006.

pub(crate) mod corners;
pub(crate) mod creatures;
pub(crate) mod duel;
pub(crate) mod men;
pub(crate) mod radii;
mod rays;
mod self_contact;
pub(crate) mod stored;
pub(crate) mod twists;
pub(crate) mod update;
