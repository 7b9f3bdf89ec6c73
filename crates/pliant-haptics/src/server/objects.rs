//! The objects of one client: their bodies, how they feel, where they are, and from which they hang.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use pliant::deform::{Binding, Blending, Influence, Modes, SkinWeights};
use pliant::glam::{DAffine3, DQuat, DVec3};
use pliant::{AnyBody, Body, Isometry, Mesh};

use crate::protocol::{Deforming, NO_PARENT, Primitives, ShapeData, TextureData};
use crate::{Material, Object, Texture};

/// Objects of one client, at most; those without a shape count, too.
const MAX_OBJECTS: usize = 1024;

/// Objects that hang from each other in a row, at most.
const MAX_DEPTH: usize = 64;

/// Why something was refused, for the client.
pub(super) type Refusal = String;

/// An object of a client.
#[derive(Debug)]
pub(super) struct ClientObject {
    /// Its slot and its body; none if it only carries others.
    pub(super) shape: Option<(usize, Object)>,
    state: State,
    texture_coordinates: Vec<[f32; 2]>,
    parent: Option<u32>,
    rotation: DQuat,
    translation: DVec3,
    /// Bytes of the message that made it.
    pub(super) bytes: usize,
}

/// What moves the vertices of an object in its own frame.
#[derive(Debug)]
enum State {
    Still,
    Positions(Vec<DVec3>),
    Coordinates(Vec<f64>),
    Joints(Vec<DAffine3>),
}

/// All objects of a client.
#[derive(Debug, Default)]
pub(super) struct Objects {
    pub(super) all: BTreeMap<u32, ClientObject>,
    /// Those that changed since the last time that they were submitted.
    pub(super) changed: BTreeSet<u32>,
}

impl Objects {
    fn get(&mut self, id: u32) -> Result<&mut ClientObject, Refusal> {
        self.all.get_mut(&id).ok_or_else(|| format!("there is no object {id}"))
    }

    /// Makes room for an object. Returns the one that had its number.
    pub(super) fn put(
        &mut self,
        id: u32,
        mut object: ClientObject,
    ) -> Result<Option<ClientObject>, Refusal> {
        if id == NO_PARENT {
            return Err(format!("{id} is not the number of an object"));
        }
        if self.all.len() >= MAX_OBJECTS && !self.all.contains_key(&id) {
            return Err(format!("more than {MAX_OBJECTS} objects"));
        }
        let old = self.all.remove(&id);
        if let Some(old) = &old {
            // It stays where it was.
            (object.parent, object.rotation) = (old.parent, old.rotation);
            object.translation = old.translation;
        }
        self.all.insert(id, object);
        self.changed.insert(id);
        Ok(old)
    }

    /// An object, and all that hang from it.
    pub(super) fn family(&self, id: u32) -> Vec<u32> {
        let hangs = |&other: &u32| {
            let mut at = Some(other);
            for _ in 0..=MAX_DEPTH {
                if at == Some(id) {
                    return true;
                }
                at = at.and_then(|at| self.all.get(&at)?.parent);
            }
            false
        };
        self.all.keys().copied().filter(hangs).collect()
    }

    pub(super) fn feel(&mut self, id: u32, material: Material) -> Result<(), Refusal> {
        self.remake(id, |object| object.with_material(material))
    }

    pub(super) fn texture(&mut self, id: u32, texture: TextureData) -> Result<(), Refusal> {
        let coordinates = self.get(id)?.texture_coordinates.clone();
        let TextureData { applies_to, width, values, amplitude } = texture;
        let made = Texture::new(applies_to, width.into(), values, amplitude, coordinates);
        let made = Arc::new(made.map_err(|error| error.to_string())?);
        self.remake(id, |object| object.with_texture(made))
    }

    fn remake(
        &mut self,
        id: u32,
        make: impl FnOnce(Object) -> crate::Result<Object>,
    ) -> Result<(), Refusal> {
        let object = self.get(id)?;
        let Some((_, own)) = &mut object.shape else {
            return Err(format!("object {id} has no shape"));
        };
        *own = make(own.clone()).map_err(|error| error.to_string())?;
        self.changed.insert(id);
        Ok(())
    }

    pub(super) fn place(
        &mut self,
        id: u32,
        parent: u32,
        rotation: DQuat,
        translation: DVec3,
    ) -> Result<(), Refusal> {
        let parent = (parent != NO_PARENT).then_some(parent);
        if let Some(parent) = parent {
            self.get(parent)?;
            if self.family(id).contains(&parent) {
                return Err(format!("object {id} would hang from itself"));
            }
            let mut above = Some(parent);
            let mut depth = 0;
            while let Some(at) = above {
                depth += 1;
                above = self.all.get(&at).and_then(|object| object.parent);
            }
            if depth + self.family(id).len().min(MAX_DEPTH) > MAX_DEPTH {
                return Err(format!("more than {MAX_DEPTH} objects hang from each other"));
            }
        }
        let object = self.get(id)?;
        (object.parent, object.rotation, object.translation) = (parent, rotation, translation);
        self.family_changed(id);
        Ok(())
    }

    pub(super) fn translate(&mut self, id: u32, by: DVec3) -> Result<(), Refusal> {
        let object = self.get(id)?;
        object.translation += by;
        self.family_changed(id);
        Ok(())
    }

    pub(super) fn rotate(&mut self, id: u32, by: DQuat) -> Result<(), Refusal> {
        let object = self.get(id)?;
        object.rotation = (by * object.rotation).normalize();
        self.family_changed(id);
        Ok(())
    }

    fn family_changed(&mut self, id: u32) {
        let family = self.family(id);
        self.changed.extend(family);
    }

    pub(super) fn positions(&mut self, id: u32, positions: Vec<DVec3>) -> Result<(), Refusal> {
        self.set(id, "free", |state| {
            let fits = matches!(state, State::Positions(old) if old.len() == positions.len());
            fits.then_some(State::Positions(positions))
        })
    }

    pub(super) fn coordinates(&mut self, id: u32, values: Vec<f64>) -> Result<(), Refusal> {
        self.set(id, "of modes", |state| {
            let fits = matches!(state, State::Coordinates(old) if old.len() == values.len());
            fits.then_some(State::Coordinates(values))
        })
    }

    pub(super) fn joints(&mut self, id: u32, joints: Vec<DAffine3>) -> Result<(), Refusal> {
        self.set(id, "of joints", |state| {
            let fits = matches!(state, State::Joints(old) if old.len() == joints.len());
            fits.then_some(State::Joints(joints))
        })
    }

    fn set(
        &mut self,
        id: u32,
        kind: &str,
        set: impl FnOnce(&State) -> Option<State>,
    ) -> Result<(), Refusal> {
        let object = self.get(id)?;
        let state = set(&object.state);
        object.state =
            state.ok_or_else(|| format!("object {id} is not {kind}, or of other size"))?;
        self.changed.insert(id);
        Ok(())
    }

    /// Where an object is.
    fn frame(&self, id: u32) -> (DQuat, DVec3) {
        let (mut rotation, mut translation) = (DQuat::IDENTITY, DVec3::ZERO);
        let mut at = self.all.get(&id);
        while let Some(object) = at {
            translation = object.translation + object.rotation * translation;
            rotation = object.rotation * rotation;
            at = object.parent.and_then(|parent| self.all.get(&parent));
        }
        (rotation.normalize(), translation)
    }

    /// Moves an object to its state, and returns its slot and a copy for the force loop.
    pub(super) fn moved(&mut self, id: u32) -> Result<Option<(usize, Object)>, Refusal> {
        let (rotation, translation) = self.frame(id);
        let object = self.get(id)?;
        let Some((slot, own)) = &mut object.shape else { return Ok(None) };
        let state = &object.state;
        let frame = DAffine3::from_rotation_translation(rotation, translation);
        let set = |body: &mut AnyBody| match (body, state) {
            (AnyBody::Rigid(body), _) => {
                body.set_isometry(Isometry::new(rotation, translation)?);
                Ok(())
            }
            (AnyBody::Free(body), State::Positions(positions)) => {
                let moved: Vec<DVec3> =
                    positions.iter().map(|&p| frame.transform_point3(p)).collect();
                body.set_positions(&moved)
            }
            (AnyBody::Reduced(body), State::Coordinates(values)) => body.set_state(values, frame),
            (AnyBody::Skinned(body), State::Joints(joints)) => {
                let moved: Vec<DAffine3> = joints.iter().map(|&joint| frame * joint).collect();
                body.set_pose(&moved, &[])
            }
            _ => Ok(()),
        };
        own.set_state(set).map_err(|error| format!("object {id}: {error}"))?;
        Ok(Some((*slot, own.clone())))
    }
}

impl ClientObject {
    /// An object of a shape; `take_slot` is asked only if there is one.
    pub(super) fn new(
        shape: ShapeData,
        bytes: usize,
        take_slot: impl FnOnce() -> Option<usize>,
    ) -> Result<Self, Refusal> {
        let mut object = Self {
            shape: None,
            state: State::Still,
            texture_coordinates: shape.texture_coordinates,
            parent: None,
            rotation: DQuat::IDENTITY,
            translation: DVec3::ZERO,
            bytes,
        };
        if shape.positions.is_empty() {
            return Ok(object);
        }
        let triangles = triangles(&shape.primitives);
        let vertices = shape.positions.len();
        let rest = shape.positions.clone();
        let text = |error: pliant::Error| error.to_string();
        let mesh = Mesh::new(shape.positions, triangles).map_err(text)?;
        let (body, state): (AnyBody, State) = match shape.deforming {
            Deforming::Rigid => (Body::rigid(mesh).map_err(text)?.into(), State::Still),
            Deforming::Free => (Body::free(mesh).map_err(text)?.into(), State::Positions(rest)),
            Deforming::Modes(fields) => {
                let modes = Modes::from_fields(vertices, &fields).map_err(text)?;
                let body = Body::reduced(mesh, Arc::new(modes)).map_err(text)?;
                (body.into(), State::Coordinates(vec![0.0; fields.len()]))
            }
            Deforming::Skin { joints, influences } => {
                let weights = skin_weights(vertices, &influences)?;
                let binding = Binding::new(weights, joints as usize).map_err(text)?;
                let body = Body::skinned(mesh, binding, Blending::Linear).map_err(text)?;
                (body.into(), State::Joints(vec![DAffine3::IDENTITY; joints as usize]))
            }
        };
        let mut made = Object::new(body, Material::default()).map_err(|error| error.to_string())?;
        if !shape.normals.is_empty() {
            made = made.with_normals(shape.normals).map_err(|error| error.to_string())?;
        }
        let slot = take_slot().ok_or("there is no room for another object")?;
        (object.shape, object.state) = (Some((slot, made)), state);
        Ok(object)
    }
}

/// Points and segments are triangles whose corners are at one or two places.
fn triangles(primitives: &Primitives) -> Vec<[u32; 3]> {
    match primitives {
        Primitives::Points(points) => points.iter().map(|&point| [point; 3]).collect(),
        Primitives::Segments(segments) => segments.iter().map(|&[a, b]| [a, b, b]).collect(),
        Primitives::Polygons(polygons) => {
            let cut = |corners: &Vec<u32>| {
                let (first, rest) = (corners[0], corners[1..].to_vec());
                rest.windows(2).map(|two| [first, two[0], two[1]]).collect::<Vec<_>>()
            };
            polygons.iter().filter(|corners| corners.len() >= 3).flat_map(cut).collect()
        }
    }
}

/// Influences by vertex.
fn skin_weights(
    vertices: usize,
    influences: &[crate::protocol::SkinInfluence],
) -> Result<SkinWeights, Refusal> {
    let mut weights = SkinWeights::default();
    let mut left = influences;
    for vertex in 0..vertices as u32 {
        let count = left.iter().take_while(|influence| influence.vertex == vertex).count();
        let (own, rest) = left.split_at(count);
        let own: Vec<Influence> =
            own.iter().map(|one| Influence { joint: one.joint, weight: one.weight }).collect();
        weights.push(&own);
        left = rest;
    }
    match left.first() {
        None => Ok(weights),
        Some(one) => Err(format!("the influence of vertex {} is not in order", one.vertex)),
    }
}
