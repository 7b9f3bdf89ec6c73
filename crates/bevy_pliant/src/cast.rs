//! What a ray hits.

use bevy_ecs::prelude::*;
use bevy_math::Vec3;
use bevy_shape::Ray3d;
use pliant::contact::RayHit;
use pliant::glam::DVec3;
use pliant::volume::Ray;
use pliant::{AnyBody, Collide as _};

use crate::{PliantBodies, Sides};

/// Where a ray hits an entity. The picking backend attaches it to each hit:
/// `hit.extra_as::<PliantHit>()`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PliantHit {
    /// The number of the triangle in the mesh.
    pub triangle: u32,
    /// The vertices of the triangle.
    pub vertices: [u32; 3],
    /// The weights of the vertices at the hit; their sum is 1 up to rounding.
    pub barycentric: [f32; 3],
    /// How far along the ray.
    pub distance: f32,
    /// Where in the world.
    pub point: Vec3,
    /// Away from the front of the triangle, of length 1; zero for a triangle without area.
    pub normal: Vec3,
    /// The joint that moves the place most, of equals the first; `None` without a skin.
    pub bone: Option<Bone>,
}

/// A joint of a skin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bone {
    /// Its number in the skin.
    pub number: usize,
    /// The entity that is the joint.
    pub entity: Entity,
}

impl PliantBodies<'_, '_> {
    /// What a ray hits first on each entity that counts, nearest first. Exact: the triangles that testing
    /// every triangle of the pose would find. An entity that cannot be posed is not hit.
    #[must_use]
    pub fn cast_ray(
        &mut self,
        ray: Ray3d,
        counts: impl Fn(Entity) -> bool,
    ) -> Vec<(Entity, PliantHit)> {
        let [origin, direction] = [ray.origin, *ray.direction].map(of_vec);
        let Ok(ray) = Ray::new(origin, direction) else { return Vec::new() };
        let mut hits = Vec::new();
        for entity in self.entities().into_iter().filter(|&entity| counts(entity)) {
            let sides = self.sides(entity);
            let Ok(body) = self.posed(entity) else { continue };
            let Some((triangle, hit)) = first_hit(body, &ray, sides) else { continue };
            let (found, joint) = described(body, &ray, triangle, &hit);
            let bone =
                joint.and_then(|number| Some(Bone { number, entity: self.joint(entity, number)? }));
            hits.push((entity, PliantHit { bone, ..found }));
        }
        hits.sort_by(|(_, near), (_, far)| near.distance.total_cmp(&far.distance));
        hits
    }
}

fn of_vec(of: Vec3) -> DVec3 {
    DVec3::from_array(of.to_array().map(f64::from))
}

fn to_vec(of: DVec3) -> Vec3 {
    Vec3::from_array(of.as_vec3().to_array())
}

/// The vector of twice the area of a triangle, away from its front.
fn area(body: &AnyBody, triangle: u32) -> DVec3 {
    let [a, b, c] = body.triangle(triangle);
    (b - a).cross(c - a)
}

fn first_hit(body: &AnyBody, ray: &Ray, sides: Sides) -> Option<(u32, RayHit)> {
    let counts = |&(triangle, _): &(u32, RayHit)| {
        sides == Sides::Both || area(body, triangle).dot(ray.direction()) < 0.0
    };
    let first = pliant::ray_cast(body, ray).hit?;
    // The first is seen from behind: then the others count.
    if counts(&first) {
        Some(first)
    } else {
        pliant::ray_hits(body, ray).hits.into_iter().find(counts)
    }
}

/// A hit as Bevy's programs see it, and the joint that moves the place most.
fn described(body: &AnyBody, ray: &Ray, triangle: u32, hit: &RayHit) -> (PliantHit, Option<usize>) {
    let vertices = body.mesh().triangles()[triangle as usize];
    let found = PliantHit {
        triangle,
        vertices,
        barycentric: hit.barycentric.map(|weight| weight as f32),
        distance: (hit.t * ray.direction().length()) as f32,
        point: to_vec(ray.origin() + hit.t * ray.direction()),
        normal: to_vec(area(body, triangle).normalize_or_zero()),
        bone: None,
    };
    let AnyBody::Skinned(skinned) = body else { return (found, None) };
    let all = skinned.deformation().binding().weights();
    let mut sums: Vec<(u32, f64)> = Vec::new();
    for (&vertex, &part) in vertices.iter().zip(&hit.barycentric) {
        for influence in all.of(vertex as usize) {
            let weight = part * influence.weight;
            match sums.iter_mut().find(|(joint, _)| *joint == influence.joint) {
                Some((_, sum)) => *sum += weight,
                None => sums.push((influence.joint, weight)),
            }
        }
    }
    let strongest = sums.into_iter().reduce(|best, one| if one.1 > best.1 { one } else { best });
    (found, strongest.map(|(joint, _)| joint as usize))
}
