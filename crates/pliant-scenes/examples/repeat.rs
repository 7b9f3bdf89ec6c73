//! Repeats one operation, for tools that count instructions.
//!
//!     cargo run --release -p pliant-scenes --example repeat -- refit 0 10
//!
//! `bench/instructions` runs it under valgrind twice and divides the difference.

use std::error::Error;
use std::hint::black_box;
use std::sync::Arc;

use pliant::bound::RefitPolicy;
use pliant::deform::{Binding, Blending, Influence, Modes, SkinWeights};
use pliant::glam::{DAffine3, DVec3, Vec3};
use pliant::volume::Ray;
use pliant::{
    Body, FreeBody, Isometry, PreparedSelfContact, SkinnedBody, intersections, ray_cast,
    self_intersections,
};
use pliant_scenes::{curtain_and_ball, two_men_passing};

/// A frame in which curtain and ball touch, and one in which the men do.
const CURTAIN_FRAME: usize = 56;
const MEN_FRAME: usize = 60;

const USAGE: &str = "usage: repeat WHAT REFINEMENTS TIMES
WHAT: refit, refit32, query, cloths, self, prepare, prepared, ray, modal, skin, deep, pose or pick";

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [what, refinements, times] = arguments.as_slice() else { return Err(USAGE.into()) };
    let (refinements, times): (u32, usize) = (refinements.parse()?, times.parse()?);
    match what.as_str() {
        "refit" | "query" | "cloths" | "self" | "prepare" | "prepared" | "ray" => {
            free(what, refinements, times)
        }
        "refit32" => refit_f32(refinements, times),
        "modal" => modal(refinements, times),
        "skin" | "deep" | "pose" | "pick" => skin(what, times),
        _ => Err(USAGE.into()),
    }
}

/// The curtain moved vertex by vertex: a refit, or a question without one: about the ball, a curtain that
/// lies in it, itself, a ray.
fn free(what: &str, refinements: u32, times: usize) -> Result<(), Box<dyn Error>> {
    let scene = curtain_and_ball(refinements, 4)?;
    let positions = scene.curtain.positions(CURTAIN_FRAME)?;
    let center = scene.ball.centers[CURTAIN_FRAME];
    let moved: Vec<DVec3> = scene.ball.mesh.positions().iter().map(|&p| p + center).collect();
    let mut cloth: FreeBody = Body::free(scene.curtain.mesh)?;
    cloth.set_positions(&positions)?;
    let mut ball: FreeBody = Body::free(scene.ball.mesh)?;
    ball.set_positions(&moved)?;
    let ray = Ray::new(DVec3::new(0.1, 1.4, 5.0), DVec3::NEG_Z)?;
    let aside: Vec<DVec3> =
        positions.iter().map(|&p| p + DVec3::new(0.003, 0.002, 0.001)).collect();
    let mut other = cloth.clone();
    other.set_positions(&aside)?;
    let prepared = (what == "prepared").then(|| PreparedSelfContact::new(&cloth));
    for _ in 0..times {
        match what {
            "refit" => cloth.set_positions(black_box(&positions))?,
            "query" => drop(black_box(intersections(&cloth, &ball))),
            "cloths" => drop(black_box(intersections(&cloth, &other))),
            "self" => drop(black_box(self_intersections(&cloth))),
            "prepare" => drop(black_box(PreparedSelfContact::new(&cloth))),
            "prepared" => {
                drop(prepared.as_ref().map(|own| black_box(own.self_intersections(&cloth))));
            }
            _ => {
                black_box(ray_cast(&cloth, &ray));
            }
        }
    }
    Ok(())
}

/// As [`free`] with `refit`, in `f32`.
fn refit_f32(refinements: u32, times: usize) -> Result<(), Box<dyn Error>> {
    let scene = curtain_and_ball(refinements, 4)?;
    let positions = scene.curtain.positions(CURTAIN_FRAME)?;
    let positions: Vec<Vec3> = positions.iter().map(|position| position.as_vec3()).collect();
    let mut cloth = Body::free_f32(scene.curtain.mesh)?;
    for _ in 0..times {
        cloth.set_positions(black_box(&positions))?;
    }
    Ok(())
}

/// The curtain by its modes: coordinates, then all pairs with the ball.
fn modal(refinements: u32, times: usize) -> Result<(), Box<dyn Error>> {
    let scene = curtain_and_ball(refinements, 4)?;
    let mesh = scene.curtain.mesh;
    let modes = Modes::from_fields(mesh.positions().len(), &scene.curtain.modes)?;
    let mut cloth = Body::reduced(mesh, Arc::new(modes))?;
    let mut ball = Body::rigid(scene.ball.mesh)?;
    ball.set_isometry(Isometry::from_translation(scene.ball.centers[CURTAIN_FRAME])?);
    for _ in 0..times {
        cloth.set_coordinates(black_box(&scene.curtain.coordinates[CURTAIN_FRAME]))?;
        black_box(intersections(&cloth, &ball));
    }
    Ok(())
}

/// Two men by their joints: poses, then all pairs; the same with one in the other; or the pose of one, moved
/// at once, or followed by a ray.
fn skin(what: &str, times: usize) -> Result<(), Box<dyn Error>> {
    let scene = two_men_passing()?;
    let character = &scene.character;
    let influences = character.influences.iter();
    let influences =
        influences.map(|one| Influence { joint: one.joint, weight: one.weight }).collect();
    let weights = SkinWeights { starts: character.starts.clone(), influences };
    let binding = Binding::new(weights, character.joints.len())?;
    let mut man = Body::skinned(character.mesh.clone(), binding, Blending::Linear)?;
    let mut other: SkinnedBody = man.clone();
    let [pose, other_pose] = &scene.frames[MEN_FRAME];
    if what == "pose" {
        man.set_policy(RefitPolicy::AllAtOnce);
    }
    let aside = DAffine3::from_translation(DVec3::new(0.01, 0.02, 0.0));
    let in_other: Vec<DAffine3> = pose.iter().map(|&joint| aside * joint).collect();
    let other_pose = if what == "deep" { &in_other } else { other_pose };
    man.set_pose(pose, &[])?;
    let aim = man.position(0).unwrap_or(DVec3::ZERO);
    let ray = Ray::new(aim + 3.0 * DVec3::Z, DVec3::NEG_Z)?;
    for _ in 0..times {
        man.set_pose(black_box(pose), &[])?;
        if what == "pose" {
            continue;
        }
        if what == "pick" {
            black_box(ray_cast(&man, &ray));
        } else {
            other.set_pose(black_box(other_pose), &[])?;
            black_box(intersections(&man, &other));
        }
    }
    Ok(())
}
