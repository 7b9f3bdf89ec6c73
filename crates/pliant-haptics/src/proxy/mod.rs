//! The virtual proxy of Ruspini, Kolarov and Khatib, "The Haptic Display of Complex Graphical
//! Environments" (1997): a small ball that follows the device as near as the surfaces allow.
//!
//! | file | what happens there |
//! | --- | --- |
//! | `look` | what the ball touches, and how far it may go |
//! | `advance` | it moves towards the device, along what it touches |
//! | `follow` | what it touches moves: it is carried and pushed |
//!
//! # Why it never passes a surface
//! The centre has *room*: no triangle is nearer than that. It moves along straight lines on which a ball
//! of that radius touches nothing ([`ball_cast`](pliant::query::ball_cast)), so that on the way no
//! triangle comes nearer, up to rounding, which is below a millionth of the room. Where bodies move, the
//! motion is cut into parts in which nothing comes nearer by more than a quarter of the room; after each
//! the ball is pushed away. So the centre and a surface never meet, whatever the device does, as long as
//! the surfaces leave it some room: see [`Proxy::room`] and [`Proxy::squeezed`].

mod advance;
mod follow;
mod look;

use pliant::glam::DVec3;
use pliant::limits::MIN_BALL_SHARE;

use crate::error::check_positive;
use crate::planes::HalfSpace;
use crate::{Changes, Error, Result, Scene};
use look::Workspace;

pub(crate) use look::Memory;

/// The room below which the proxy does not shrink, as a share of its radius.
const LEAST_ROOM: f64 = 1.0 / 64.0;

/// One of at most three things that hold the proxy away from the device.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Contact {
    /// The slot of the object.
    pub slot: usize,
    /// The triangle that is touched.
    pub triangle: u32,
    /// The weights of the triangle's corners at the point that is touched.
    pub weights: [f64; 3],
    /// The point that is touched.
    pub point: DVec3,
    /// From the surface to the proxy: of the surface, or of the vertices, as the material says.
    pub normal: DVec3,
    /// How far the device is behind, along the normal; those of all contacts add up to the way from the
    /// device to the nearest point that they allow.
    pub depth: f64,
}

/// What the proxy touches: at most three contacts, the deepest first.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Contacts {
    list: [Contact; 3],
    count: usize,
}

impl Contacts {
    /// The contacts, the deepest first.
    #[must_use]
    pub fn as_slice(&self) -> &[Contact] {
        &self.list[..self.count]
    }

    pub(crate) fn push(&mut self, contact: Contact) {
        if let Some(place) = self.list.get_mut(self.count) {
            *place = contact;
            self.count += 1;
        }
    }

    fn sort(&mut self) {
        self.list[..self.count].sort_by(|a, b| b.depth.total_cmp(&a.depth));
    }
}

/// How the proxy moves along what it touches.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Grip {
    /// It touches nothing.
    #[default]
    Free,
    /// It rests on the surface.
    Sticks,
    /// It slid along the surface in this step.
    Slides,
}

/// The proxy: a ball that follows the device and never passes a surface.
///
/// ```
/// use pliant::{Body, Mesh, glam::DVec3};
/// use pliant_haptics::{Material, Object, Proxy, Scene};
/// let corners = [[-9.0, -9.0], [9.0, -9.0], [0.0, 9.0]].map(|[x, y]| DVec3::new(x, y, 0.0));
/// let floor = Body::rigid(Mesh::new(corners.to_vec(), vec![[0, 1, 2]])?)?;
/// let scene = Scene::of([Object::new(floor, Material::default())?]);
/// let mut proxy = Proxy::new(DVec3::Z, 0.01)?;
/// proxy.ready_for(&scene);
/// proxy.advance(&scene, DVec3::new(0.5, 0.0, -1.0), 0.001)?; // a jump through the floor
/// assert!(proxy.center().distance(DVec3::new(0.5, 0.0, 0.01)) < 1e-6);
/// # Ok::<(), pliant_haptics::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Proxy {
    radius: f64,
    center: DVec3,
    /// How near the nearest surface was when it was last looked for, and at most the radius; 0 before.
    nearest: f64,
    squeezed: u64,
    grip: Grip,
    contacts: Contacts,
    workspace: Workspace,
}

impl Proxy {
    /// A proxy at a place, wherever that is: also inside a body, or across a surface.
    ///
    /// # Errors
    /// [`Error::Setting`] if the radius is not positive or too small for the place.
    pub fn new(center: DVec3, radius: f64) -> Result<Self> {
        check_positive("radius", radius)?;
        let made = Self {
            radius,
            center,
            nearest: 0.0,
            squeezed: 0,
            grip: Grip::Free,
            contacts: Contacts::default(),
            workspace: Workspace::new(),
        };
        if !center.is_finite() || center.abs().max_element() > made.reach() {
            let (setting, value) = ("radius", radius);
            return Err(Error::Setting {
                setting,
                value,
                reason: "too small so far from the origin",
            });
        }
        Ok(made)
    }

    /// Where the centre is.
    #[must_use]
    pub fn center(&self) -> DVec3 {
        self.center
    }

    /// The radius where there is room for it.
    #[must_use]
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// How far every surface is from the centre, at least, and at most the radius. It is less than the
    /// radius where a proxy starts across a surface, and where surfaces that move leave less room. It is
    /// never told as less than 1/64 of the radius: there the guarantee that no surface is passed ends.
    #[must_use]
    pub fn room(&self) -> f64 {
        self.nearest.max(self.radius * LEAST_ROOM)
    }

    /// How many parts of motions began with less room than 1/64 of the radius, since the proxy began: each
    /// time it may have passed a surface. Surfaces that move may leave it no room in between two states in
    /// which they do; afterwards [`Proxy::room`] does not tell.
    #[must_use]
    pub fn squeezed(&self) -> u64 {
        self.squeezed
    }

    /// What holds it away from the device.
    #[must_use]
    pub fn contacts(&self) -> &[Contact] {
        self.contacts.as_slice()
    }

    /// What holds it away from the device, to keep.
    #[must_use]
    pub(crate) fn contacts_now(&self) -> Contacts {
        self.contacts
    }

    /// How it moves along what it touches.
    #[must_use]
    pub fn grip(&self) -> Grip {
        self.grip
    }

    /// Coordinates that the device may have: beyond, rounding would not be small beside the radius.
    #[must_use]
    pub fn reach(&self) -> f64 {
        0.5 * LEAST_ROOM * self.radius / MIN_BALL_SHARE
    }

    /// Takes the memory that a scene's bodies need, so that no step takes any.
    pub fn ready_for(&mut self, scene: &Scene) {
        self.workspace.memory.reserve(scene.descent());
    }

    /// Takes the memory of a hand that came with changes, if it is larger, and leaves its own.
    pub(crate) fn take_memory(&mut self, hand: usize, changes: &mut Changes) {
        if let Some(memory) = changes.memory.get_mut(hand)
            && memory.room() > self.workspace.memory.room()
        {
            std::mem::swap(memory, &mut self.workspace.memory);
        }
        // Without such memory, as where no queue is between, it is taken here.
        self.workspace.memory.reserve(changes.descent());
    }

    /// Begins anew at a place, wherever that is. `false` if the place cannot be used: then it stays.
    pub(crate) fn start_at(&mut self, center: DVec3) -> bool {
        if !center.is_finite() || center.abs().max_element() > self.reach() {
            return false;
        }
        self.center = center;
        (self.nearest, self.squeezed) = (0.0, 0);
        self.grip = Grip::Free;
        self.contacts = Contacts::default();
        true
    }
}
