//! Bounds from the coordinates of a reduced model: James and Pai 2004, "BD-Tree".

pub(crate) mod curtain;
pub(crate) mod levels;
pub(crate) mod models;
pub(crate) mod smooth_modes;
pub(crate) mod tightness;
pub(crate) mod update;
