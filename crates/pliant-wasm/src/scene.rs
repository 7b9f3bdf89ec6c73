//! The classes `Scene` and `Player`: what a file holds, and its objects at a time.

use std::sync::Arc;

use pliant::Work;
use pliant::query::Region;
use pliant::world::BodyContact;
use pliant_io::{AnimatedScene, BodySettings, SceneBodies, SelfContact, frame_times};
use wasm_bindgen::prelude::*;

use crate::arrays::{list, numbers, pair_array, point_array, record, texts};
use crate::body::{Body, rays};
use crate::error::{Result, refused};
use crate::{kinds, results};

/// What a model file holds: objects, skins and animations.
#[wasm_bindgen]
pub struct Scene {
    scene: Arc<pliant_io::Scene>,
}

impl Scene {
    fn bodies(
        &self,
        animation: Option<u32>,
        self_contact: SelfContact,
        blending: &str,
    ) -> Result<SceneBodies> {
        let animation = animation.map(|number| number as usize);
        let known = self.scene.animations().len();
        if let Some(number) = animation.filter(|&number| number >= known) {
            return Err(refused(format!("no animation {number}; there are {known}")));
        }
        let scene = AnimatedScene { scene: self.scene.clone(), animation };
        let blending = kinds::blending(blending)?;
        let settings = BodySettings { self_contact, blending, ..BodySettings::default() };
        SceneBodies::of_scenes(vec![scene], settings).map_err(refused)
    }
}

#[wasm_bindgen]
impl Scene {
    /// Reads a model from its bytes; the name's extension says the format (glb, gltf, vrm, obj, ply,
    /// stl, md2).
    #[wasm_bindgen(js_name = fromBytes)]
    pub fn from_bytes(bytes: &[u8], name: &str) -> Result<Self> {
        let scene = pliant_io::load_bytes(bytes, name).map_err(refused)?;
        Ok(Self { scene: Arc::new(scene) })
    }

    /// The names of the objects.
    #[wasm_bindgen(getter)]
    pub fn objects(&self) -> JsValue {
        texts(self.scene.objects().iter().map(|object| object.name.as_str()))
    }

    /// The animations: name, start and end in seconds.
    #[wasm_bindgen(getter)]
    pub fn animations(&self) -> JsValue {
        list(self.scene.animations().iter().map(|animation| {
            record([
                ("name", animation.name.as_str().into()),
                ("start", animation.start.into()),
                ("end", animation.end.into()),
            ])
        }))
    }

    /// What was repaired or left out when the file was read.
    #[wasm_bindgen(getter)]
    pub fn warnings(&self) -> JsValue {
        list(self.scene.warnings().iter().map(|warning| warning.to_string().into()))
    }

    /// The times of the frames of an animation, both ends included.
    #[wasm_bindgen(js_name = frameTimes)]
    pub fn frame_times(&self, animation: Option<u32>, fps: f64) -> Result<JsValue> {
        let played = animation.and_then(|number| self.scene.animations().get(number as usize));
        let (start, end) = played.map_or((0.0, 0.0), |played| (played.start, played.end));
        let times = frame_times(start, end, fps).ok_or_else(|| {
            refused(format!("no frames from {start} to {end} at {fps} per second"))
        })?;
        Ok(numbers(times.into_iter()))
    }

    /// The objects as bodies that follow an animation; without one, at rest.
    pub fn play(
        &self,
        animation: Option<u32>,
        self_contacts: bool,
        blending: &str,
    ) -> Result<Player> {
        let self_contact = if self_contacts { SelfContact::Counted } else { SelfContact::Ignored };
        let bodies = self.bodies(animation, self_contact, blending)?;
        Ok(Player { bodies, work: Work::default() })
    }
}

/// The objects of a scene at a time.
#[wasm_bindgen]
pub struct Player {
    pub(crate) bodies: SceneBodies,
    /// Of the last search for contacts.
    work: Work,
}

impl Player {
    fn object(&self, id: pliant::BodyId) -> u32 {
        self.bodies.object(id).unwrap_or_default() as u32
    }

    /// Adds pairs of bodies of which one lies in the other and whose triangles do not touch.
    fn add_contained(&self, contacts: &mut Vec<BodyContact>) {
        let world = self.bodies.world();
        let mut more = Vec::new();
        world.candidates(|bodies| {
            if contacts.binary_search_by_key(&bodies, |contact| contact.bodies).is_err() {
                let contact = BodyContact { bodies, pairs: Vec::new() };
                more.extend((!self.regions(&contact).is_empty()).then_some(contact));
            }
        });
        contacts.append(&mut more);
        contacts.sort_by_key(|contact| contact.bodies);
    }

    fn regions(&self, contact: &BodyContact) -> Vec<Region> {
        let world = self.bodies.world();
        let [a, b] = contact.bodies;
        match (world.get(a), world.get(b)) {
            (Ok(body), _) if a == b => body.self_penetration_of(&contact.pairs).regions,
            (Ok(first), Ok(second)) => first.penetration_of(second, &contact.pairs).regions,
            _ => Vec::new(),
        }
    }
}

#[wasm_bindgen]
impl Player {
    /// Moves all objects to a time.
    #[wasm_bindgen(js_name = setTime)]
    pub fn set_time(&mut self, time: f64) -> Result<()> {
        self.bodies.set_time(time).map_err(refused)
    }

    /// All contacts now: numbers of two objects, the pairs of triangles that touch and, if asked for, the
    /// pieces of contact with their depths. With these, objects that lie in others without touching
    /// them count as well.
    pub fn contacts(&mut self, with_regions: bool) -> JsValue {
        let found = self.bodies.world().contacts();
        self.work = found.work;
        let mut all = found.contacts;
        if with_regions {
            self.add_contained(&mut all);
        }
        list(all.iter().map(|contact| {
            let objects = contact.bodies.map(|id| self.object(id));
            let regions = match with_regions {
                true => results::regions(&self.regions(contact)),
                false => JsValue::NULL,
            };
            record([
                ("objects", crate::arrays::indices(objects.into_iter())),
                ("pairs", pair_array(&contact.pairs)),
                ("regions", regions),
            ])
        }))
    }

    /// What the last search for contacts did: bounds evaluated, tests of bounds, tests of triangles.
    #[wasm_bindgen(getter)]
    pub fn work(&self) -> JsValue {
        record([
            ("bounds", (self.work.bounds as f64).into()),
            ("overlapTests", (self.work.overlap_tests as f64).into()),
            ("primitiveTests", (self.work.primitive_tests as f64).into()),
        ])
    }

    /// What each ray hits first: null, or the object, its triangle, `t` and barycentric weights.
    #[wasm_bindgen(js_name = rayCast)]
    pub fn ray_cast(&self, origins: &[f64], directions: &[f64]) -> Result<JsValue> {
        let rays = rays(origins, directions)?;
        let world = self.bodies.world();
        Ok(list(rays.iter().map(|ray| match world.ray_cast(ray).hit {
            None => JsValue::NULL,
            Some((id, triangle, hit)) => record([
                ("object", self.object(id).into()),
                ("triangle", triangle.into()),
                ("t", hit.t.into()),
                ("barycentric", numbers(hit.barycentric.into_iter())),
            ]),
        })))
    }

    /// The positions of an object's vertices now.
    pub fn positions(&self, object: u32) -> Result<JsValue> {
        let body = self.body_of(object)?;
        let vertices = 0..body.mesh().positions().len() as u32;
        Ok(point_array(vertices.filter_map(|vertex| body.position(vertex))))
    }

    /// An object as a body of its own, as it is now.
    pub fn body(&self, object: u32) -> Result<Body> {
        Ok(Body::own(self.body_of(object)?.clone()))
    }
}

impl Player {
    pub(crate) fn body_of(&self, object: u32) -> Result<&pliant::AnyBody> {
        let id = self.bodies.ids().get(object as usize);
        let body = id.and_then(|&id| self.bodies.world().get(id).ok());
        body.ok_or_else(|| refused(format!("no object {object}")))
    }
}
