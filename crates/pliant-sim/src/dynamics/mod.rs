//! Bodies that fall, touch and vibrate, by the thousand (James and Pai 2004, section 4).
//!
//! | file | content |
//! | --- | --- |
//! | `mass` | mass properties of a mesh |
//! | `vibration` | one mode, integrated exactly |
//! | `strain` | coordinates that no sphere grows too far with |
//! | `proxy_tree` | the spheres of a model down to a level |
//! | `model` | what bodies of one kind share |
//! | `state` | the state of bodies, and what a step derives from it |
//! | `obstacle`, `surface` | what bodies fall on |
//! | `snapshot` | what a contact is |
//! | `kept_pairs`, `pair_search`, `flat_search`, `obstacle_search`, `surface_search`, `triangle_sides`, `detect` | how contacts are found; `brute_force`, the same without search |
//! | `forces`, `carried` | the force of a contact, and sums per body; forces that last from step to step |
//! | `simulation`, `look`, `step` | models, bodies, obstacles; questions to the current state; one step |
//! | `measures` | energy and momentum |
//! | `save` | a simulation as a file |

mod brute_force;
mod carried;
mod detect;
mod flat_search;
mod forces;
mod kept_pairs;
mod look;
mod mass;
mod measures;
mod model;
mod obstacle;
mod obstacle_search;
mod pair_search;
mod proxy_tree;
mod save;
mod settings;
mod simulation;
mod snapshot;
mod state;
mod step;
mod strain;
mod surface;
mod surface_search;
mod triangle_sides;
mod vibration;

pub use detect::StepWork;
pub use mass::{MassProperties, Measured, mass_properties};
pub use measures::Energy;
pub use model::{Elasticity, Model, ModelSettings};
pub(crate) use obstacle::PlacedObstacle;
pub use obstacle::{Movement, Obstacle};
pub use proxy_tree::{ProxyNode, ProxyTree};
pub use settings::{ContactLaw, Settings};
pub use simulation::{ModelId, Push, Simulation};
pub use snapshot::{Contact, Other};
pub use state::{Placement, RigidState};
pub use surface::{SurfaceMotion, SurfaceObstacle};
pub use vibration::Damping;
