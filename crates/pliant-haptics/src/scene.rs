//! What can be touched: objects in slots, replaced as a whole.

use std::sync::Arc;

use pliant::glam::DVec3;
use pliant::query::DescentStack;
use pliant::volume::{Aabb, Overlap as _};
use pliant::{AnyBody, Collide as _};

use crate::passing::Passing;
use crate::proxy::Memory;
use crate::shading::Rings;
use crate::texture::{Texture, TextureUse};
use crate::{Contact, Error, Material, Result, Shading};

/// A body in a state, and how it feels.
///
/// It is made and moved beside the force loop, and given to it as a whole.
#[derive(Debug, Clone)]
pub struct Object {
    body: AnyBody,
    material: Material,
    rings: Option<Arc<Rings>>,
    /// Normals of the vertices at rest, in place of those around them.
    normals: Option<Arc<[DVec3]>>,
    textures: Vec<Arc<Texture>>,
    /// A box around the body in its state.
    around: Aabb,
    /// How many nodes of its tree a descent may have to remember.
    descent: usize,
}

impl Object {
    /// An object of a body of any kind.
    ///
    /// # Errors
    /// [`Error::Setting`] names a number of the material that cannot be used.
    pub fn new(body: impl Into<AnyBody>, material: Material) -> Result<Self> {
        material.check()?;
        let body = body.into();
        let smooth = material.shading == Shading::Smooth;
        let rings = smooth.then(|| Arc::new(Rings::new(body.mesh())));
        let descent = DescentStack::needed(body.tree());
        let (normals, textures) = (None, Vec::new());
        let mut made =
            Self { body, material, rings, normals, textures, around: Aabb::EMPTY, descent };
        made.ready();
        Ok(made)
    }

    /// The body.
    #[must_use]
    pub fn body(&self) -> &AnyBody {
        &self.body
    }

    /// How it feels.
    #[must_use]
    pub fn material(&self) -> &Material {
        &self.material
    }

    /// Sets the body's state. If that fails the body is what the setter left; a refused state changes
    /// nothing.
    ///
    /// ```
    /// use pliant::{AnyBody, Body, Isometry, Mesh, glam::DVec3};
    /// use pliant_haptics::{Material, Object};
    /// let mesh = Mesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]])?;
    /// let mut floor = Object::new(Body::rigid(mesh)?, Material::default())?;
    /// let up = Isometry::from_translation(DVec3::Z)?;
    /// floor.set_state(|body| {
    ///     if let AnyBody::Rigid(body) = body {
    ///         body.set_isometry(up);
    ///     }
    ///     Ok(())
    /// })?;
    /// assert_eq!(floor.body().position(0), Some(DVec3::Z));
    /// # Ok::<(), pliant_haptics::Error>(())
    /// ```
    ///
    /// # Errors
    /// That of the setter.
    pub fn set_state(
        &mut self,
        set: impl FnOnce(&mut AnyBody) -> pliant::Result<()>,
    ) -> Result<()> {
        let done = set(&mut self.body);
        self.ready();
        Ok(done?)
    }

    /// Takes the memory that queries of the body need, so that the force loop need not, and measures it.
    fn ready(&mut self) {
        let nodes = self.body.tree().nodes.len() as u32;
        for node in 1..nodes.min(3) {
            let _ = self.body.bound(node);
        }
        let _ = self.body.triangle(0);
        self.around = self.body.bounding_box();
    }

    /// Computes the bounds that a hand at this place asks for, so that the force loop finds them: those of
    /// everything within a distance. It is for the thread that prepares a state, before it gives the object
    /// away; what the loop asks beyond, it computes itself.
    pub fn prepare_near(&self, place: DVec3, distance: f64) {
        let around = Aabb::from_corners(place - distance, place + distance);
        if !self.around.overlaps(&around) {
            return;
        }
        let mut nodes = vec![0];
        while let Some(number) = nodes.pop() {
            if self.body.bound(number).overlaps(&around) {
                let node = self.body.tree().node(number);
                if !node.is_leaf() {
                    nodes.extend(node.range());
                }
            }
        }
    }

    /// The same object with another material.
    ///
    /// # Errors
    /// [`Error::Setting`] names a number of the material that cannot be used.
    pub fn with_material(self, material: Material) -> Result<Self> {
        let Self { body, normals, textures, .. } = self;
        Ok(Self { normals, textures, ..Self::new(body, material)? })
    }

    /// The same object with normals of its vertices at rest, by which a smooth rigid body feels.
    ///
    /// # Errors
    /// [`Error::Setting`] if there is not one per vertex.
    pub fn with_normals(mut self, normals: Vec<DVec3>) -> Result<Self> {
        if normals.len() != self.body.mesh().positions().len() {
            let (setting, value) = ("normals", normals.len() as f64);
            return Err(Error::Setting { setting, value, reason: "must be one per vertex" });
        }
        self.normals = Some(normals.into());
        Ok(self)
    }

    /// The same object with a texture; one of the same use over the same triangles is replaced. Where
    /// several lie over a triangle, the first one counts.
    ///
    /// # Errors
    /// [`Error::Setting`] if there are not texture coordinates for every vertex.
    pub fn with_texture(mut self, texture: Arc<Texture>) -> Result<Self> {
        texture.check_vertices(self.body.mesh().positions().len())?;
        self.textures.retain(|other| !texture.replaces(other));
        self.textures.push(texture);
        Ok(self)
    }

    /// The normal at a point of a triangle from those of its vertices, if the surface is to feel smooth.
    pub(crate) fn smooth_normal(&self, triangle: u32, weights: [f64; 3]) -> Option<DVec3> {
        if self.material.shading == Shading::Facets {
            return None;
        }
        if let (Some(normals), AnyBody::Rigid(body)) = (&self.normals, &self.body) {
            let corners = self.body.mesh().triangles()[triangle as usize];
            let given =
                corners.iter().zip(weights).map(|(&v, weight)| normals[v as usize] * weight);
            let mixed: DVec3 = given.sum();
            return (body.deformation().isometry.rotation() * mixed).try_normalize();
        }
        self.rings.as_deref()?.normal(&self.body, triangle, weights)
    }

    /// How far the surface is carved at a contact, and the slope of that along it.
    pub(crate) fn carved(&self, contact: &Contact) -> (f64, DVec3) {
        let Some(texture) = self.texture(TextureUse::Height, contact.triangle) else {
            return (0.0, DVec3::ZERO);
        };
        let corners = self.body.triangle(contact.triangle);
        texture.carved(self.vertices(contact), &corners, contact.weights)
    }

    /// The factor of friction at a contact.
    pub(crate) fn friction_factor(&self, contact: &Contact) -> f64 {
        let texture = self.texture(TextureUse::Friction, contact.triangle);
        texture.map_or(1.0, |texture| texture.factor(self.vertices(contact), contact.weights))
    }

    fn texture(&self, applies_to: TextureUse, triangle: u32) -> Option<&Texture> {
        self.textures.iter().map(Arc::as_ref).find(|texture| texture.is_of(applies_to, triangle))
    }

    fn vertices(&self, contact: &Contact) -> [u32; 3] {
        self.body.mesh().triangles()[contact.triangle as usize]
    }
}

/// A place for an object, and what stood there before while the proxy follows.
#[derive(Debug, Clone, Default)]
pub(crate) struct Slot {
    pub(crate) now: Option<Box<Object>>,
    pub(crate) before: Option<Box<Object>>,
}

impl Slot {
    /// The object, its body at a time between the two states, and a box around it from then on.
    pub(crate) fn seen(&self, time: f64) -> Option<(&Object, Passing<'_>, Aabb)> {
        let now = self.now.as_deref()?;
        let before = self.before.as_deref().filter(|before| {
            time < 1.0
                && std::ptr::eq(before.body.mesh(), now.body.mesh())
                && std::ptr::eq(before.body.tree(), now.body.tree())
        });
        let around = before.map_or(now.around, |before| now.around.merge(&before.around));
        let body = Passing { now: &now.body, before: before.map(|before| &before.body), time };
        Some((now, body, around))
    }
}

/// What can be touched.
#[derive(Debug, Clone, Default)]
pub struct Scene {
    pub(crate) slots: Vec<Slot>,
}

impl Scene {
    /// A scene of these objects, one per slot.
    #[must_use]
    pub fn of(objects: impl IntoIterator<Item = Object>) -> Self {
        Self::with_room(objects, 0)
    }

    /// A scene of these objects, one per slot, and so many empty slots behind them.
    #[must_use]
    pub fn with_room(objects: impl IntoIterator<Item = Object>, room: usize) -> Self {
        let slot = |object| Slot { now: Some(Box::new(object)), before: None };
        let empty = std::iter::repeat_n(Slot::default(), room);
        Self { slots: objects.into_iter().map(slot).chain(empty).collect() }
    }

    /// How many slots there are.
    #[must_use]
    pub fn slots(&self) -> usize {
        self.slots.len()
    }

    /// The object in a slot.
    #[must_use]
    pub fn object(&self, slot: usize) -> Option<&Object> {
        self.slots.get(slot)?.now.as_deref()
    }

    /// How many nodes a descent of any body may have to remember.
    pub(crate) fn descent(&self) -> usize {
        let objects = self.slots.iter().filter_map(|slot| slot.now.as_deref());
        objects.map(|object| object.descent).max().unwrap_or(0)
    }

    /// Puts the changed objects in their slots, and those that stood there aside. Slots that do not exist
    /// are passed over; [`Changes::check`] refuses them.
    pub(crate) fn begin(&mut self, changes: &mut Changes) {
        for (slot, object) in &mut changes.objects {
            if let Some(slot) = self.slots.get_mut(*slot) {
                slot.before = slot.now.take();
                slot.now = object.take();
            }
        }
    }

    /// Gives what was put aside back to the changes.
    pub(crate) fn end(&mut self, changes: &mut Changes) {
        for (slot, object) in &mut changes.objects {
            if let Some(slot) = self.slots.get_mut(*slot) {
                *object = slot.before.take();
            }
        }
    }
}

/// Changes of a scene that are taken together: objects for slots, or `None` to empty a slot.
///
/// After they were taken they hold what stood in the slots, to be used again.
#[derive(Debug, Default)]
pub struct Changes {
    pub(crate) objects: Vec<(usize, Option<Box<Object>>)>,
    /// Memory for descents of bodies that need more than those before: one per hand.
    pub(crate) memory: Vec<Memory>,
}

impl Changes {
    /// No changes.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Puts an object into a slot, or empties it. Of several changes of a slot the last one counts.
    pub fn set(&mut self, slot: usize, object: Option<Box<Object>>) {
        match self.objects.iter_mut().find(|(other, _)| *other == slot) {
            Some((_, place)) => *place = object,
            None => self.objects.push((slot, object)),
        }
    }

    /// Takes the object of a slot out.
    pub fn take(&mut self, slot: usize) -> Option<Box<Object>> {
        self.objects.iter_mut().find(|(other, _)| *other == slot)?.1.take()
    }

    /// Takes all objects out.
    pub(crate) fn drain(&mut self) -> impl Iterator<Item = (usize, Box<Object>)> {
        self.objects.drain(..).filter_map(|(slot, object)| Some((slot, object?)))
    }

    /// How many nodes a descent of any of the bodies may have to remember.
    pub(crate) fn descent(&self) -> usize {
        let objects = self.objects.iter().filter_map(|(_, object)| object.as_deref());
        objects.map(|object| object.descent).max().unwrap_or(0)
    }

    /// Checks that a scene with so many slots can take them.
    ///
    /// # Errors
    /// [`Error::NoSuchSlot`].
    pub fn check(&self, slots: usize) -> Result<()> {
        match self.objects.iter().find(|(slot, _)| *slot >= slots) {
            Some(&(slot, _)) => Err(Error::NoSuchSlot { slot, slots }),
            None => Ok(()),
        }
    }
}
