//! Motion that is known ahead: Zachmann and Weller 2006, "Kinetic bounding volume hierarchies for
//! deformable objects".

pub(crate) mod cloth;
mod courses;
mod edits;
mod motion;
pub(crate) mod slow_motion;
pub(crate) mod spheres;
pub(crate) mod tablecloth;
mod tables;
