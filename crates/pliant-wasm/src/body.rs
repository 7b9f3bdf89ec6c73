//! The class `Body`: a handle on a body, by itself or in a world.

use std::cell::RefCell;
use std::rc::Rc;

use glam::DVec3;
use pliant::contact::RayHit;
use pliant::volume::{Ray, Volume};
use pliant::{AnyBody, BodyId, Collide as _};
use wasm_bindgen::prelude::*;

use crate::arrays::{indices, maps, pair_array, point_array, points};
use crate::error::{Result, refused};
use crate::{kinds, results};

/// A world that several handles share.
pub(crate) type SharedWorld = Rc<RefCell<pliant::World>>;

/// Where a body is kept.
enum Home {
    /// By itself.
    Own(Box<AnyBody>),
    /// In a world.
    World(SharedWorld, BodyId),
}

/// A mesh that bends: its triangles, how they deform, and the state that they are in.
///
/// A state is set in time proportional to its size (joints, coordinates), and a query moves only what
/// it looks at. Any body collides with any other, exactly.
#[wasm_bindgen]
pub struct Body {
    home: RefCell<Home>,
}

impl Body {
    pub(crate) fn own(body: impl Into<AnyBody>) -> Self {
        Self { home: RefCell::new(Home::Own(Box::new(body.into()))) }
    }

    pub(crate) fn read<T>(&self, read: impl FnOnce(&AnyBody) -> T) -> Result<T> {
        match &*self.home.borrow() {
            Home::Own(body) => Ok(read(body)),
            Home::World(world, id) => Ok(read(world.borrow().get(*id).map_err(refused)?)),
        }
    }

    fn read_two<T>(&self, other: &Self, read: impl FnOnce(&AnyBody, &AnyBody) -> T) -> Result<T> {
        self.read(|first| other.read(|second| read(first, second)))?
    }

    fn change(&self, change: impl FnOnce(&mut AnyBody) -> Result<()>) -> Result<()> {
        match &mut *self.home.borrow_mut() {
            Home::Own(body) => change(body),
            Home::World(world, id) => change(world.borrow_mut().get_mut(*id).map_err(refused)?),
        }
    }

    /// Moves the body into a world.
    pub(crate) fn enter(&self, world: &SharedWorld, self_contacts: bool) -> Result<BodyId> {
        let mut home = self.home.borrow_mut();
        let Home::Own(body) = &*home else {
            return Err(refused("the body is in a world already: add body.copy()"));
        };
        let id = {
            let mut inner = world.borrow_mut();
            let id = inner.insert(body.as_ref().clone()).map_err(refused)?;
            inner.set_self_contact(id, self_contacts).map_err(refused)?;
            id
        };
        *home = Home::World(world.clone(), id);
        Ok(id)
    }

    /// Takes the body out of its world.
    pub(crate) fn leave(&self, from: &SharedWorld) -> Result<BodyId> {
        let mut home = self.home.borrow_mut();
        match &*home {
            Home::World(world, id) if Rc::ptr_eq(world, from) => {
                let id = *id;
                let body = from.borrow_mut().remove(id).map_err(refused)?;
                *home = Home::Own(Box::new(body));
                Ok(id)
            }
            _ => Err(refused("the body is not in this world")),
        }
    }
}

#[wasm_bindgen]
impl Body {
    /// A body whose vertices are given anew for every state (`setPositions`).
    pub fn free(positions: &[f64], triangles: &[u32]) -> Result<Self> {
        pliant::Body::free(kinds::mesh(positions, triangles)?).map(Self::own).map_err(refused)
    }

    /// A body that keeps its shape (`setTransform`).
    pub fn rigid(positions: &[f64], triangles: &[u32]) -> Result<Self> {
        pliant::Body::rigid(kinds::mesh(positions, triangles)?).map(Self::own).map_err(refused)
    }

    /// A body that any affine map moves (`setTransform`).
    pub fn affine(positions: &[f64], triangles: &[u32]) -> Result<Self> {
        pliant::Body::affine(kinds::mesh(positions, triangles)?).map(Self::own).map_err(refused)
    }

    /// A body that deforms as positions + sum of q[k] modes[k] (`setCoordinates`).
    pub fn reduced(positions: &[f64], triangles: &[u32], modes: &[f64]) -> Result<Self> {
        kinds::reduced(positions, triangles, modes).map(Self::own)
    }

    /// A body that joints move (`setPose`).
    pub fn skinned(
        positions: &[f64],
        triangles: &[u32],
        joints: &[u32],
        weights: &[f64],
        joint_count: u32,
        blending: &str,
        morph: Option<Box<[f64]>>,
    ) -> Result<Self> {
        let blending = kinds::blending(blending)?;
        let mesh = kinds::mesh(positions, triangles)?;
        let binding = kinds::binding(joints, weights, joint_count, &mesh, morph)?;
        pliant::Body::skinned(mesh, binding, blending).map(Self::own).map_err(refused)
    }

    /// A body whose motion is known ahead (`advance`).
    pub fn keyframed(
        positions: &[f64],
        triangles: &[u32],
        times: &[f64],
        frames: &[f64],
    ) -> Result<Self> {
        let mesh = kinds::mesh(positions, triangles)?;
        let keyframes = kinds::keyframes(times, frames, &mesh)?;
        pliant::Body::keyframed(mesh, keyframes).map(Self::own).map_err(refused)
    }

    /// Moves the vertices of a free body.
    #[wasm_bindgen(js_name = setPositions)]
    pub fn set_positions(&self, positions: &[f64]) -> Result<()> {
        let positions = points(positions, "positions")?;
        self.change(|body| match body {
            AnyBody::Free(body) => body.set_positions(&positions).map_err(refused),
            other => kinds::wrong_kind("setPositions", "free", other),
        })
    }

    /// Places a rigid, affine or reduced body: 16 numbers by columns.
    #[wasm_bindgen(js_name = setTransform)]
    pub fn set_transform(&self, matrix: &[f64]) -> Result<()> {
        let given = maps(matrix, "transform")?;
        let [map] = given[..] else { return Err(refused("one matrix of 16 numbers is needed")) };
        self.change(|body| kinds::set_transform(body, map))
    }

    /// Deforms a reduced body: one number per mode.
    #[wasm_bindgen(js_name = setCoordinates)]
    pub fn set_coordinates(&self, coordinates: &[f64]) -> Result<()> {
        self.change(|body| match body {
            AnyBody::Reduced(body) => body.set_coordinates(coordinates).map_err(refused),
            other => kinds::wrong_kind("setCoordinates", "reduced", other),
        })
    }

    /// Poses a skinned body: 16 numbers by columns for each joint, from the bind pose to the world;
    /// and a weight per morph target.
    #[wasm_bindgen(js_name = setPose)]
    pub fn set_pose(&self, joints: &[f64], morph_weights: Option<Box<[f64]>>) -> Result<()> {
        let joints = maps(joints, "joints")?;
        self.change(|body| match body {
            AnyBody::Skinned(body) => {
                let rest = || vec![0.0; body.deformation().binding().targets()].into();
                let weights = morph_weights.unwrap_or_else(rest);
                body.set_pose(&joints, &weights).map_err(refused)
            }
            other => kinds::wrong_kind("setPose", "skinned", other),
        })
    }

    /// Moves a keyframed body to a time.
    pub fn advance(&self, time: f64) -> Result<()> {
        self.change(|body| match body {
            AnyBody::Keyframed(body) if time < body.time() => body.rewind(time).map_err(refused),
            AnyBody::Keyframed(body) => body.advance(time).map_err(refused),
            other => kinds::wrong_kind("advance", "keyframed", other),
        })
    }

    /// All pairs of triangles that touch another body's.
    pub fn intersections(&self, other: &Self) -> Result<JsValue> {
        self.read_two(other, |a, b| pair_array(&a.intersections(b).pairs))
    }

    /// Whether the body touches another.
    pub fn intersects(&self, other: &Self) -> Result<bool> {
        self.read_two(other, |a, b| a.intersects(b).pair.is_some())
    }

    /// All pairs of triangles of the body that touch one another, but for neighbours.
    #[wasm_bindgen(js_name = selfIntersections)]
    pub fn self_intersections(&self) -> Result<JsValue> {
        self.read(|body| pair_array(&body.self_intersections().pairs))
    }

    /// All pairs of triangles at most `distance` apart, with nearest points and normals.
    pub fn within(&self, other: &Self, distance: f64) -> Result<JsValue> {
        let found = self.read_two(other, |a, b| a.within(b, distance))?;
        Ok(results::within(&found.map_err(refused)?.pairs))
    }

    /// The pieces of contact with another body.
    pub fn penetration(&self, other: &Self) -> Result<JsValue> {
        self.read_two(other, |a, b| results::regions(&a.penetration(b).regions))
    }

    /// The pieces of contact of the body with itself.
    #[wasm_bindgen(js_name = selfPenetration)]
    pub fn self_penetration(&self) -> Result<JsValue> {
        self.read(|body| results::regions(&body.self_penetration().regions))
    }

    /// The first triangle that each ray hits.
    #[wasm_bindgen(js_name = rayCast)]
    pub fn ray_cast(&self, origins: &[f64], directions: &[f64]) -> Result<JsValue> {
        let rays = rays(origins, directions)?;
        self.read(|body| {
            results::hits(rays.len(), rays.iter().map(|ray| pliant::ray_cast(body, ray).hit))
        })
    }

    /// Every triangle that a ray hits, in the order in which it meets them.
    #[wasm_bindgen(js_name = rayHits)]
    pub fn ray_hits(&self, origin: &[f64], direction: &[f64]) -> Result<JsValue> {
        let given = rays(origin, direction)?;
        let [ray] = &given[..] else { return Err(refused("one origin and one direction")) };
        self.read(|body| {
            let hits = pliant::ray_hits(body, ray).hits;
            results::hits(hits.len(), hits.into_iter().map(Some))
        })
    }

    /// What one ray hits, first or in order all of it, for who asks often: six numbers per hit, its
    /// triangle, t, three barycentric weights, and one that is negative where the ray meets the front.
    /// Numbers go in as they are, and come out in one array.
    #[wasm_bindgen(js_name = hitNumbers)]
    #[expect(clippy::too_many_arguments, reason = "numbers cross into the module as they are")]
    pub fn hit_numbers(
        &self,
        x: f64,
        y: f64,
        z: f64,
        dx: f64,
        dy: f64,
        dz: f64,
        every: bool,
    ) -> Result<Vec<f64>> {
        let direction = DVec3::new(dx, dy, dz);
        let ray = Ray::new(DVec3::new(x, y, z), direction).map_err(refused)?;
        self.read(|body| {
            let mut numbers = Vec::new();
            let mut take = |(triangle, hit): (u32, RayHit)| {
                let [a, b, c] = hit.barycentric;
                let [p, q, r] = body.triangle(triangle);
                let side = (q - p).cross(r - p).dot(direction);
                numbers.extend([f64::from(triangle), hit.t, a, b, c, side]);
            };
            if every {
                pliant::ray_hits(body, &ray).hits.into_iter().for_each(take);
            } else if let Some(hit) = pliant::ray_cast(body, &ray).hit {
                take(hit);
            }
            numbers
        })
    }

    /// The point of the body that is nearest to each given point.
    #[wasm_bindgen(js_name = closestPoints)]
    pub fn closest_points(&self, given: &[f64]) -> Result<JsValue> {
        let given = points(given, "points")?;
        let found = self.read(|body| body.closest_points(&given))?;
        Ok(results::closest_points(&found.map_err(refused)?))
    }

    /// Where points lie: "in", "out", "on", or "open" where a border decides.
    pub fn inside(&self, given: &[f64]) -> Result<JsValue> {
        let given = points(given, "points")?;
        let found = self.read(|body| {
            given
                .iter()
                .map(|&point| pliant::inside(body, point))
                .collect::<pliant::Result<Vec<_>>>()
        })?;
        Ok(results::locations(&found.map_err(refused)?))
    }

    /// The kind of body.
    #[wasm_bindgen(getter)]
    pub fn kind(&self) -> Result<String> {
        self.read(|body| body.kind().to_owned())
    }

    /// The current positions of all vertices.
    #[wasm_bindgen(getter)]
    pub fn positions(&self) -> Result<JsValue> {
        self.read(|body| {
            let vertices = 0..body.mesh().positions().len() as u32;
            point_array(vertices.filter_map(|vertex| body.position(vertex)))
        })
    }

    /// The triangles.
    #[wasm_bindgen(getter)]
    pub fn triangles(&self) -> Result<JsValue> {
        self.read(|body| indices(body.mesh().triangles().iter().copied().flatten()))
    }

    /// A box around the body now: its lowest and its highest corner.
    #[wasm_bindgen(getter, js_name = boundingBox)]
    pub fn bounding_box(&self) -> Result<JsValue> {
        self.read(|body| point_array(body.bounding_box().corners().into_iter()))
    }

    /// A body of its own in the same state. Mesh and tree are shared.
    pub fn copy(&self) -> Result<Self> {
        self.read(|body| Self::own(body.clone()))
    }
}

/// Rays of origins and directions.
pub(crate) fn rays(origins: &[f64], directions: &[f64]) -> Result<Vec<Ray>> {
    let (origins, directions) = (points(origins, "origins")?, points(directions, "directions")?);
    if origins.len() != directions.len() {
        let (first, second) = (origins.len(), directions.len());
        return Err(refused(format!("{first} origins and {second} directions were given")));
    }
    let rays = origins.into_iter().zip(directions).enumerate();
    rays.map(|(number, (origin, direction))| {
        Ray::new(origin, direction).map_err(|error| refused(format!("ray {number}: {error}")))
    })
    .collect()
}
