//! Touch things that bend.
//!
//! A haptic device tells where the hand is and is told which force to apply, a thousand times per
//! second. Between the two stands a *proxy*: a small ball that follows the device as near as the
//! surfaces allow and never passes one (Ruspini, Kolarov and Khatib 1997). The force is a spring from
//! the device to the proxy.
//!
//! The bodies are those of [`pliant`]: rigid, deformed by modes, skinned, keyframed, free. A new state
//! of a body costs what the bounds near the proxy cost; nothing is refitted.
//!
//! ```
//! use pliant::{Body, Mesh, glam::DVec3};
//! use pliant_haptics::{Material, Object, Probe, Reading, Scene, Settings};
//!
//! let corners = [[-9.0, -9.0], [9.0, -9.0], [0.0, 9.0]].map(|[x, y]| DVec3::new(x, y, 0.0));
//! let floor = Body::rigid(Mesh::new(corners.to_vec(), vec![[0, 1, 2]])?)?;
//! let mut scene = Scene::of([Object::new(floor, Material::default())?]);
//! let mut probe = Probe::new(DVec3::Z, Settings::default())?;
//! probe.ready_for(&scene);
//!
//! // The hand is 1 mm below the place where the ball of 5 mm rests on the floor.
//! let touch = probe.step(&scene, Reading::at(DVec3::new(0.0, 0.0, 0.004)), 0.001);
//! assert!((touch.force - DVec3::Z * 0.5).length() < 1e-5); // 500 N/m
//! # Ok::<(), pliant_haptics::Error>(())
//! ```
//!
//! | module | what it says |
//! | --- | --- |
//! | [`Proxy`] | where the ball is |
//! | [`Probe`] | which force the device is told |
//! | [`Scene`], [`Changes`] | what can be touched, replaced as a whole |
//! | [`device`] | devices behind a trait: recorded paths, a simulated hand |
//! | [`ForceLoop`] | a thread of its own that never waits and never allocates |

pub mod client;
pub mod device;
mod error;
mod material;
mod passing;
mod planes;
mod probe;
pub mod protocol;
mod proxy;
mod rt;
mod scene;
pub mod server;
mod shading;
mod texture;

pub use device::{Device, Reading};
pub use error::{Error, Result};
pub use material::{Material, Shading};
pub use planes::{Active, HalfSpace, Nearest, nearest_in};
pub use probe::{Passivity, Probe, Settings, Touch};
pub use proxy::{Contact, Contacts, Grip, Proxy};
pub use rt::{
    DOUBLINGS, Engine, ForceLoop, Seen, Statistics, Submitted, Submitter, Times, Watcher,
};
pub use scene::{Changes, Object, Scene};
pub use texture::{Texture, TextureUse, TextureWrap};
