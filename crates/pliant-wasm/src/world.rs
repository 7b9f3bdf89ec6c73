//! The class `World`: many bodies by name.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use pliant::BodyId;
use wasm_bindgen::prelude::*;

use crate::arrays::{list, pair_array, record, texts};
use crate::body::{Body, SharedWorld, rays};
use crate::error::{Result, refused};
use crate::results;

/// Many bodies, in which anything may meet anything. A body that is added lives in the world from then
/// on: its own setters move it there.
#[wasm_bindgen]
#[derive(Default)]
pub struct World {
    shared: SharedWorld,
    names: RefCell<BTreeMap<BodyId, String>>,
}

impl World {
    fn names_of(&self, bodies: [BodyId; 2]) -> JsValue {
        let names = self.names.borrow();
        texts(bodies.iter().map(|id| names.get(id).map_or("", String::as_str)))
    }
}

#[wasm_bindgen]
impl World {
    /// An empty world.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self { shared: Rc::new(RefCell::new(pliant::World::new())), ..Self::default() }
    }

    /// Adds a body by a name that is new. With `self_contacts` its contacts with itself count.
    pub fn add(&self, body: &Body, name: &str, self_contacts: bool) -> Result<()> {
        if self.names.borrow().values().any(|known| known == name) {
            return Err(refused(format!("the world already has a body called {name:?}")));
        }
        let id = body.enter(&self.shared, self_contacts)?;
        self.names.borrow_mut().insert(id, name.to_owned());
        Ok(())
    }

    /// Takes a body out: it is by itself again.
    pub fn remove(&self, body: &Body) -> Result<()> {
        let id = body.leave(&self.shared)?;
        self.names.borrow_mut().remove(&id);
        Ok(())
    }

    /// All contacts: the names of two bodies and the pairs of triangles that touch.
    pub fn contacts(&self) -> JsValue {
        let found = self.shared.borrow().contacts();
        list(found.contacts.iter().map(|contact| {
            let names = self.names_of(contact.bodies);
            record([("names", names), ("pairs", pair_array(&contact.pairs))])
        }))
    }

    /// All triangles of different bodies that are at most `distance` apart, by pair of bodies.
    pub fn within(&self, distance: f64) -> Result<JsValue> {
        let found = self.shared.borrow().within(distance).map_err(refused)?;
        Ok(list(found.bodies.iter().map(|near| {
            let names = self.names_of(near.bodies);
            record([("names", names), ("near", results::within(&near.pairs))])
        })))
    }

    /// What each ray hits first: null, or the body's name, its triangle, `t` and barycentric weights.
    #[wasm_bindgen(js_name = rayCast)]
    pub fn ray_cast(&self, origins: &[f64], directions: &[f64]) -> Result<JsValue> {
        let rays = rays(origins, directions)?;
        let (world, names) = (self.shared.borrow(), self.names.borrow());
        Ok(list(rays.iter().map(|ray| match world.ray_cast(ray).hit {
            None => JsValue::NULL,
            Some((id, triangle, hit)) => record([
                ("name", names.get(&id).map_or("", String::as_str).into()),
                ("triangle", triangle.into()),
                ("t", hit.t.into()),
                ("barycentric", crate::arrays::numbers(hit.barycentric.into_iter())),
            ]),
        })))
    }

    /// The names of all bodies, in the order in which they were added.
    #[wasm_bindgen(getter)]
    pub fn names(&self) -> JsValue {
        texts(self.names.borrow().values().map(String::as_str))
    }
}
