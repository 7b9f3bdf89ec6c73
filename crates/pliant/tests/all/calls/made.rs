//! Bodies of every kind, made and moved as bytes say.

use std::sync::Arc;

use pliant::bound::{
    Anchored, BottomUp, BoundedDeformation, FlightBounds, FreeBodyF32, KineticAabb, KineticBox,
    RefitPolicy, RigidBounds, SkinSpheres, SphereCenter, SphereForm,
};
use pliant::deform::{
    Binding, Blending, Course, Flight, Free, Influence, Keyframes, Modes, Plan, Reduced, Rigid,
    Skin, SkinWeights,
};
use pliant::glam::{DAffine3, DVec3};
use pliant::volume::{Aabb, Sphere};
use pliant::{
    AffineBody, AnyBody, Body, Collide, FreeBody, Isometry, KeyframedBody, Mesh, ReducedBody,
    RigidBody, SkinnedBody,
};

use super::bytes::{Bytes, power};

/// A body of any kind.
pub(super) enum Made {
    Rigid(RigidBody),
    RigidSpheres(Body<Rigid, RigidBounds<Sphere>>),
    Free(FreeBody),
    FreeF32(FreeBodyF32),
    FreeSpheres(Body<Free, BottomUp<Sphere>>),
    Affine(AffineBody),
    Reduced(ReducedBody),
    ReducedVolumes(Body<Reduced, BoundedDeformation<Aabb>>),
    /// With the level of its proxies.
    ReducedSpheres(Body<Reduced, BoundedDeformation<Sphere>>, u32),
    Anchored(Body<Reduced, Anchored>),
    Skin(SkinnedBody),
    SkinSpheres(Body<Skin, SkinSpheres>),
    Keyframed(KeyframedBody),
    Kinetic(Body<Flight, KineticAabb>),
    BoxTree(Body<Flight, KineticBox>),
}

/// A body as queries see it.
#[derive(Clone, Copy)]
pub(super) enum View<'a> {
    Boxes(&'a dyn Collide<Volume = Aabb>),
    Spheres(&'a dyn Collide<Volume = Sphere>),
}

impl Made {
    /// A body of some kind, or `None` if its making is refused.
    pub(super) fn new(bytes: &mut Bytes, world: i32) -> Option<Self> {
        let kind = bytes.below(17);
        // Only these kinds are scaled by their states. Others have the units of the world.
        let scaled = matches!(kind, 4..12);
        let own = if scaled { bytes.exponent() } else { world };
        let mesh = bytes.mesh(power(own))?;
        let settings = bytes.settings();
        let form = [SphereForm::Layered, SphereForm::Wrapped][bytes.below(2)];
        let center = [SphereCenter::Mean, SphereCenter::SmallestBall][bytes.below(2)];
        let modes = |bytes: &mut Bytes| modes(bytes, mesh.positions().len(), own);
        let made = match kind {
            0 => Self::Rigid(Body::rigid_with(mesh, &settings).ok()?),
            1 => Self::RigidSpheres(Body::rigid_spheres(mesh, form, &settings).ok()?),
            2 => Self::Free(Body::free_with(mesh, &settings).ok()?),
            3 => Self::FreeSpheres(Body::free_spheres(mesh, form, &settings).ok()?),
            16 => Self::FreeF32(Body::free_f32_with(mesh, &settings).ok()?),
            4 => Self::Affine(Body::affine_with(mesh, &settings).ok()?),
            5 | 6 => {
                let modes = modes(bytes)?;
                let body = Body::reduced_with(mesh, modes, &settings).ok()?;
                Self::Reduced(match bytes.below(4) {
                    0 => body.with_error(bytes.number().abs() * power(own)).ok()?,
                    _ => body,
                })
            }
            7 => {
                let modes = modes(bytes)?;
                Self::ReducedVolumes(Body::reduced_bounded(mesh, modes, &settings).ok()?)
            }
            8 => {
                let (modes, level) = (modes(bytes)?, bytes.below(4) as u32);
                let body = Body::reduced_spheres(mesh, modes, center, &settings).ok()?;
                Self::ReducedSpheres(body.with_proxies(level), level)
            }
            9 => {
                let modes = modes(bytes)?;
                Self::Anchored(Body::reduced_anchored(mesh, modes, center, &settings).ok()?)
            }
            10..14 => {
                let joints = 1 + bytes.below(3);
                let blending = match scaled {
                    true => Blending::Linear,
                    false => [Blending::Spherical, Blending::DualQuaternion][bytes.below(2)],
                };
                let binding = binding(bytes, &mesh, joints, own)?;
                match kind % 2 {
                    0 => {
                        let mut body =
                            Body::skinned_with(mesh, binding, blending, &settings).ok()?;
                        body.set_policy(
                            [RefitPolicy::Adaptive, RefitPolicy::OnDemand, RefitPolicy::AllAtOnce]
                                [bytes.below(3)],
                        );
                        Self::Skin(body)
                    }
                    _ => Self::SkinSpheres(
                        Body::skinned_spheres(mesh, binding, blending, &settings).ok()?,
                    ),
                }
            }
            _ => {
                let flight = flight(bytes, &mesh, world)?;
                match bytes.below(3) {
                    0 => Self::Keyframed(Body::flying(mesh, flight, &settings).ok()?),
                    1 => Self::Kinetic(Body::flying(mesh, flight, &settings).ok()?),
                    _ => Self::BoxTree(Body::flying(mesh, flight, &settings).ok()?),
                }
            }
        };
        let mut made = made;
        if bytes.below(4) > 0 {
            made.set(bytes, world);
        }
        Some(made)
    }

    /// Sets a state. Returns whether it was accepted; if not, nothing may have changed.
    pub(super) fn set(&mut self, bytes: &mut Bytes, world: i32) -> bool {
        let before = self.corners();
        let accepted = self.try_set(bytes, world);
        if !accepted {
            let same = |a: &DVec3, b: &DVec3| {
                a.to_array().map(f64::to_bits) == b.to_array().map(f64::to_bits)
            };
            assert!(
                before.iter().zip(&self.corners()).all(|(a, b)| same(a, b)),
                "a refused state has moved a {} body",
                self.name()
            );
        }
        accepted
    }

    fn try_set(&mut self, bytes: &mut Bytes, world: i32) -> bool {
        let unit = power(world);
        match self {
            Self::Rigid(body) => isometry(bytes, world).map(|to| body.set_isometry(to)).is_some(),
            Self::RigidSpheres(body) => {
                isometry(bytes, world).map(|to| body.set_isometry(to)).is_some()
            }
            Self::Free(body) => {
                let mut positions = bytes.vectors(body.mesh().positions().len(), unit);
                match bytes.below(3) {
                    0 => body.set_positions(&positions).is_ok(),
                    1 => body.swap_positions(&mut positions).is_ok(),
                    _ => {
                        let mut written = body.positions_mut();
                        written.copy_from_slice(&positions);
                        written.finish().is_ok()
                    }
                }
            }
            Self::FreeF32(body) => {
                let positions = bytes.vectors(body.mesh().positions().len(), unit);
                let positions: Vec<_> = positions.iter().map(|p| p.as_vec3()).collect();
                body.set_positions(&positions).is_ok()
            }
            Self::FreeSpheres(body) => {
                let positions = bytes.vectors(body.mesh().positions().len(), unit);
                body.set_positions(&positions).is_ok()
            }
            Self::Affine(body) => {
                let stretch = world - largest_exponent(body.mesh().positions());
                body.set_map(bytes.map(stretch, world)).is_ok()
            }
            Self::Reduced(body) => {
                let (q, frame) = reduced_state(bytes, body.mesh(), body.deformation(), world);
                body.set_state(&q, frame).is_ok()
            }
            Self::ReducedVolumes(body) => {
                let (q, frame) = reduced_state(bytes, body.mesh(), body.deformation(), world);
                body.set_state(&q, frame).is_ok()
            }
            Self::ReducedSpheres(body, _) => {
                let (q, frame) = reduced_state(bytes, body.mesh(), body.deformation(), world);
                body.set_state(&q, frame).is_ok()
            }
            Self::Anchored(body) => {
                if bytes.below(3) == 0 {
                    body.anchor();
                }
                let (q, frame) = reduced_state(bytes, body.mesh(), body.deformation(), world);
                body.set_state(&q, frame).is_ok()
            }
            Self::Skin(body) => {
                let (joints, weights) = pose(bytes, body.mesh(), body.deformation(), world);
                body.set_pose(&joints, &weights).is_ok()
            }
            Self::SkinSpheres(body) => {
                let (joints, weights) = pose(bytes, body.mesh(), body.deformation(), world);
                body.set_pose(&joints, &weights).is_ok()
            }
            Self::Keyframed(body) => fly(bytes, body, world),
            Self::Kinetic(body) => fly(bytes, body, world),
            Self::BoxTree(body) => fly(bytes, body, world),
        }
    }

    pub(super) fn view(&self) -> View<'_> {
        match self {
            Self::Rigid(body) => View::Boxes(body),
            Self::RigidSpheres(body) => View::Spheres(body),
            Self::Free(body) => View::Boxes(body),
            Self::FreeF32(body) => View::Boxes(body),
            Self::FreeSpheres(body) => View::Spheres(body),
            Self::Affine(body) => View::Boxes(body),
            Self::Reduced(body) => View::Boxes(body),
            Self::ReducedVolumes(body) => View::Boxes(body),
            Self::ReducedSpheres(body, _) => View::Spheres(body),
            Self::Anchored(body) => View::Spheres(body),
            Self::Skin(body) => View::Boxes(body),
            Self::SkinSpheres(body) => View::Spheres(body),
            Self::Keyframed(body) => View::Boxes(body),
            Self::Kinetic(body) => View::Boxes(body),
            Self::BoxTree(body) => View::Boxes(body),
        }
    }

    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Rigid(_) => "rigid",
            Self::RigidSpheres(_) => "rigid, spheres",
            Self::Free(_) => "free",
            Self::FreeF32(_) => "free, f32",
            Self::FreeSpheres(_) => "free, spheres",
            Self::Affine(_) => "affine",
            Self::Reduced(_) => "reduced",
            Self::ReducedVolumes(_) => "reduced, volumes of any kind",
            Self::ReducedSpheres(..) => "reduced, spheres",
            Self::Anchored(_) => "reduced, anchored",
            Self::Skin(_) => "skin",
            Self::SkinSpheres(_) => "skin, spheres",
            Self::Keyframed(_) => "flight",
            Self::Kinetic(_) => "flight, kinetic boxes",
            Self::BoxTree(_) => "flight, box tree",
        }
    }

    /// The body as one of a world, if it has boxes that a world takes.
    pub(super) fn any(&self) -> Option<AnyBody> {
        Some(match self {
            Self::Rigid(body) => body.clone().into(),
            Self::Free(body) => body.clone().into(),
            Self::FreeF32(body) => body.clone().into(),
            Self::Affine(body) => body.clone().into(),
            Self::Reduced(body) => body.clone().into(),
            Self::Skin(body) => body.clone().into(),
            Self::Keyframed(body) => body.clone().into(),
            _ => return None,
        })
    }

    /// The corners of all triangles.
    pub(super) fn corners(&self) -> Vec<DVec3> {
        let corners = |body: &dyn Collide<Volume = Aabb>| -> Vec<DVec3> {
            (0..body.tree().primitives.len() as u32).flat_map(|t| body.triangle(t)).collect()
        };
        match self.view() {
            View::Boxes(body) => corners(body),
            View::Spheres(body) => {
                (0..body.tree().primitives.len() as u32).flat_map(|t| body.triangle(t)).collect()
            }
        }
    }
}

/// The exponent of the power of two just above the largest coordinate; 0 without one.
fn largest_exponent(positions: &[DVec3]) -> i32 {
    let largest = positions.iter().map(|p| p.abs().max_element()).fold(0.0, f64::max);
    if largest > 0.0 { largest.log2().ceil() as i32 - 2 } else { 0 }
}

fn isometry(bytes: &mut Bytes, world: i32) -> Option<Isometry> {
    Isometry::new(bytes.rotation(), bytes.vector() * power(world)).ok()
}

/// Displacements in units of their own, or in those of the mesh.
fn modes(bytes: &mut Bytes, vertices: usize, own: i32) -> Option<Arc<Modes>> {
    let fields: Vec<_> = (0..bytes.below(4))
        .map(|_| {
            let unit = if bytes.below(2) == 0 { own } else { bytes.exponent() };
            bytes.vectors(vertices, power(unit))
        })
        .collect();
    Modes::from_fields(vertices, &fields).ok().map(Arc::new)
}

/// Coordinates that move vertices by about as much as the mesh is large, or by anything; and a frame
/// that takes the shape to the units of the world.
fn reduced_state(
    bytes: &mut Bytes,
    mesh: &Mesh,
    state: &Reduced,
    world: i32,
) -> (Vec<f64>, DAffine3) {
    let own = largest_exponent(mesh.positions());
    let modes = state.modes();
    let mut farthest = own;
    let q = (0..modes.count())
        .map(|mode| {
            let field: Vec<_> =
                (0..modes.vertices()).map(|v| modes.of(v)[mode].as_dvec3()).collect();
            let size = largest_exponent(&field);
            let times = match bytes.below(4) {
                0 => bytes.exponent(),
                1 => own - size + bytes.exponent(),
                _ => own - size,
            };
            let times = times.clamp(-1070, 1020);
            let q = bytes.number();
            if q != 0.0 {
                farthest = farthest.max(times.saturating_add(size));
            }
            q * power(times)
        })
        .collect();
    let frame = match bytes.below(4) {
        0 => DAffine3::IDENTITY,
        1 => bytes.map(world - own, world),
        _ => bytes.map(world - farthest, world),
    };
    (q, frame)
}

/// Weights of a few joints per vertex, and sometimes morph targets.
fn binding(bytes: &mut Bytes, mesh: &Mesh, joints: usize, own: i32) -> Option<Binding> {
    let vertices = mesh.positions().len();
    let mut weights = SkinWeights::default();
    for _ in 0..vertices {
        let (first, second) = (bytes.below(joints) as u32, bytes.below(joints) as u32);
        let weight = [1.0, 0.5, 0.25, 0.9][bytes.below(4)];
        if first == second || weight == 1.0 {
            weights.push(&[Influence { joint: first, weight: 1.0 }]);
        } else {
            weights.push(&[
                Influence { joint: first, weight },
                Influence { joint: second, weight: 1.0 - weight },
            ]);
        }
    }
    let binding = Binding::new(weights, joints).ok()?;
    if bytes.below(3) > 0 {
        return Some(binding);
    }
    let modes = modes(bytes, vertices, own)?;
    binding.with_morph(Arc::unwrap_or_clone(modes)).ok()
}

fn pose(bytes: &mut Bytes, mesh: &Mesh, skin: &Skin, world: i32) -> (Vec<DAffine3>, Vec<f64>) {
    let own = largest_exponent(mesh.positions());
    let linear = skin.blending() == Blending::Linear;
    let joints = (0..skin.binding().joints())
        .map(|_| match linear {
            true => bytes.map(world - own, world),
            false => {
                let translation = bytes.vector() * power(world);
                DAffine3::from_rotation_translation(bytes.rotation(), translation)
            }
        })
        .collect();
    let weights = (0..skin.binding().targets())
        .map(|_| bytes.number() * if bytes.below(3) == 0 { power(bytes.exponent()) } else { 1.0 })
        .collect();
    (joints, weights)
}

/// Keyframes, or polynomials of time.
fn flight(bytes: &mut Bytes, mesh: &Mesh, world: i32) -> Option<Flight> {
    let (vertices, unit) = (mesh.positions().len(), power(world));
    if bytes.below(2) == 0 {
        let count = 1 + bytes.below(3);
        let frames = (0..count).map(|_| bytes.vectors(vertices, unit)).collect();
        let times = (0..count).map(|t| t as f64).collect();
        return Some(Flight::keyframed(Keyframes::new(times, frames).ok()?));
    }
    let courses: Vec<_> = mesh.positions().iter().map(|&p| course(bytes, p, unit)).collect();
    Flight::along(&courses, 0.0, 3.0).ok()
}

fn course(bytes: &mut Bytes, from: DVec3, unit: f64) -> Course {
    let mut coefficients = [from, DVec3::ZERO, DVec3::ZERO, DVec3::ZERO];
    for coefficient in &mut coefficients[1..2 + bytes.below(3)] {
        *coefficient = bytes.vector() * unit;
    }
    Course::new(0.0, coefficients)
}

/// Moves on, back, or to new plans.
fn fly<B: FlightBounds>(bytes: &mut Bytes, body: &mut Body<Flight, B>, world: i32) -> bool {
    let now = body.time();
    match bytes.below(8) {
        0 => body.rewind(f64::from(bytes.byte()) / 64.0).is_ok(),
        1 => {
            let vertex = bytes.below(body.mesh().positions().len()) as u32;
            let Some(at) = body.position(vertex) else { return false };
            let mut course = course(bytes, at, power(world));
            course.start = now;
            body.set_plans(&[(vertex, Plan::Course(course))]).is_ok()
        }
        _ => body.advance(now + f64::from(bytes.byte()) / 128.0).is_ok(),
    }
}
