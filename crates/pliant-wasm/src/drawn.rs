//! What a page needs to draw the objects of a [`Player`]: meshes once, then numbers per time. The page
//! moves the vertices by itself, so that a second of motion is small.

use js_sys::{Float32Array, Uint32Array};
use pliant::Collide as _;
use pliant::contact::intersection_segment;
use pliant_io::{Deformation, MorphTargets, Object, SkinWeights};
use wasm_bindgen::prelude::*;

use crate::arrays::{list, record, texts};
use crate::error::{Result, refused};
use crate::scene::Player;

#[wasm_bindgen]
impl Player {
    /// An object at rest: its name, how it deforms, positions, triangles, morph targets (displacements,
    /// one array each; of keyframes one per frame), and for each vertex as many joints and weights as
    /// `influences` says.
    pub fn drawn(&self, object: u32) -> Result<JsValue> {
        let object = self.scene_object(object)?;
        let mesh = &object.mesh;
        let vertices = mesh.positions().len();
        let none = (0, Vec::new(), Vec::new());
        let (targets, (influences, joints, weights)) = match &object.deformation {
            Deformation::Rigid => (JsValue::from(js_sys::Array::new()), none),
            Deformation::Morph(targets) => (deltas(targets), none),
            Deformation::Keyframes(keyframes) => {
                let moved = keyframes.frames.iter().map(|frame| {
                    floats(frame.iter().zip(mesh.positions()).map(|(&now, &rest)| now - rest))
                });
                (list(moved), none)
            }
            Deformation::Skin { weights, morph, .. } => {
                let targets =
                    morph.as_ref().map_or_else(|| list(std::iter::empty()), |t| deltas(t));
                (targets, influences(weights, vertices))
            }
        };
        Ok(record([
            ("name", object.name.as_str().into()),
            ("deformation", object.deformation.name().into()),
            ("positions", floats(mesh.positions().iter().copied())),
            ("triangles", Uint32Array::from(mesh.triangles().as_flattened()).into()),
            ("targets", targets),
            ("influences", influences.into()),
            ("joints", Uint32Array::from(joints.as_slice()).into()),
            ("weights", Float32Array::from(weights.as_slice()).into()),
        ]))
    }

    /// What moves an object now: the frame of its node (12 numbers, row by row), the weights of its
    /// targets, and 12 numbers per joint.
    pub fn state(&self, object: u32) -> Result<JsValue> {
        let pose = self.bodies.poses().first();
        let pose = pose.ok_or_else(|| refused("no time was set"))?;
        let state = pose.object_state(self.scene_object(object)?, object as usize);
        Ok(record([
            ("frame", Float32Array::from(state.frame.as_slice()).into()),
            ("weights", Float32Array::from(state.weights.as_slice()).into()),
            ("joints", Float32Array::from(state.joints.as_slice()).into()),
        ]))
    }

    /// The ends of what two triangles have in common, six numbers for each of the pairs: object, triangle,
    /// object, triangle.
    pub fn segments(&self, pairs: &[u32]) -> Result<JsValue> {
        let mut ends: Vec<f32> = Vec::with_capacity(pairs.len() / 4 * 6);
        for &[a, i, b, j] in pairs.as_chunks::<4>().0 {
            let (first, second) = (self.body_of(a)?, self.body_of(b)?);
            for (body, triangle) in [(first, i), (second, j)] {
                if triangle as usize >= body.mesh().triangles().len() {
                    return Err(refused(format!("no triangle {triangle}")));
                }
            }
            let (from, to) = intersection_segment(&first.triangle(i), &second.triangle(j));
            for end in [from, to] {
                ends.extend(end.as_vec3().to_array());
            }
        }
        Ok(Float32Array::from(ends.as_slice()).into())
    }

    /// The name of the joint that moves a vertex most; undefined without one.
    pub fn bone(&self, object: u32, vertex: u32) -> Result<Option<String>> {
        let found = self.scene_object(object)?;
        let scene = self.bodies.scenes().first();
        Ok(scene.and_then(|scene| scene.scene.bone(found, vertex)).map(String::from))
    }

    /// The names of the objects.
    #[wasm_bindgen(getter)]
    pub fn objects(&self) -> JsValue {
        let objects = self.bodies.scenes().iter().flat_map(|source| source.scene.objects());
        texts(objects.map(|object| object.name.as_str()))
    }
}

impl Player {
    fn scene_object(&self, object: u32) -> Result<&Object> {
        let scene = self.bodies.scenes().first();
        let found = scene.and_then(|source| source.scene.objects().get(object as usize));
        found.ok_or_else(|| refused(format!("no object {object}")))
    }
}

fn floats(points: impl Iterator<Item = glam::DVec3>) -> JsValue {
    let flat: Vec<f32> = points.flat_map(|point| point.as_vec3().to_array()).collect();
    Float32Array::from(flat.as_slice()).into()
}

fn deltas(targets: &MorphTargets) -> JsValue {
    list(targets.deltas.iter().map(|deltas| floats(deltas.iter().copied())))
}

/// As many joints and weights for each vertex; where it has fewer, the weights are zero.
fn influences(weights: &SkinWeights, vertices: usize) -> (u32, Vec<u32>, Vec<f32>) {
    let of = |vertex: usize| {
        let ends = weights.starts.get(vertex).zip(weights.starts.get(vertex + 1));
        let range = ends.map_or(0..0, |(&start, &end)| start as usize..end as usize);
        weights.influences.get(range).unwrap_or_default()
    };
    let most = (0..vertices).map(|vertex| of(vertex).len()).max().unwrap_or_default();
    let (mut joints, mut parts) = (vec![0; vertices * most], vec![0.0; vertices * most]);
    for vertex in 0..vertices {
        for (at, influence) in of(vertex).iter().enumerate() {
            joints[vertex * most + at] = influence.joint;
            parts[vertex * most + at] = influence.weight as f32;
        }
    }
    (most as u32, joints, parts)
}
