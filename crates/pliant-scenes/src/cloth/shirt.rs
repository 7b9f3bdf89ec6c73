//! A shirt on the walking man.

use pliant::Result;
use pliant::glam::{DAffine3, DVec3};

use super::{Garment, garment};
use crate::character::{self, bind_weights};
use crate::check::{at_least, triangle_count};
use crate::implicit::{Meshing, Part, Surface, distance_and_slope, onto_surface, surface};
use crate::man;
use crate::subdivide::subdivide;

/// The distance between the cloth and the body.
const GAP: f64 = 0.018;
/// Where the shirt ends: the hem, the middle of the collar, and the cuffs along the arm from the
/// shoulder.
const HEM: f64 = 0.86;
const COLLAR: f64 = 1.49;
const SLEEVE: f64 = 0.22;
/// The approximate number of triangles of the coarse shirt that is subdivided.
const COARSE: f64 = 8000.0;
/// The fraction of the closed surface's triangles between hem, collar and cuffs.
const KEPT: f64 = 0.56;
/// The delay in seconds of cloth that hangs freely.
const LAG: f64 = 0.09;

/// Returns a T-shirt of about `faces` triangles (to a few percent) on the walking man. That of
/// Zachmann and Weller has 32,000 to 326,000 triangles.
///
/// It is one piece with openings at hem, collar and cuffs: a surface around trunk and upper arms
/// that follows the joints like the skin, with a delay where it hangs freely, and with creases. In
/// the armpits it crosses the body and itself slightly when the arms hang down.
///
/// # Errors
/// [`pliant::Error::InvalidSetting`] for fewer than 2000 faces, [`pliant::Error::TooMany`].
///
/// ```
/// let shirt = pliant_scenes::shirt(32_000)?;
/// let faces = shirt.cloth.mesh.triangles().len();
/// assert!((30_000..34_000).contains(&faces), "{faces}");
/// # Ok::<(), pliant::Error>(())
/// ```
pub fn shirt(faces: usize) -> Result<Garment> {
    at_least(2000, "faces", faces, "2000..")?;
    triangle_count(Some(faces))?;
    let cuts = (faces as f64 / COARSE).sqrt().round().max(1.0);
    let wearer = man()?;
    let parts: Vec<Part> = character::parts_of_man(&wearer.joints)
        .into_iter()
        .filter(|part| near_shirt(&wearer.joints[part.joint].name))
        .map(|part| part.moved(&DAffine3::IDENTITY, GAP).blended(0.05))
        .collect();
    let meshing = Meshing {
        low: DVec3::new(-0.5, 0.55, -0.25),
        high: DVec3::new(0.5, 1.75, 0.25),
        cell: 0.014,
        triangles: (faces as f64 / (cuts * cuts) / KEPT) as usize,
        edge_length: &|_| 1.0,
    };
    let closed = surface(&parts, &meshing);
    let (starts, influences) = bind_weights(&closed, &parts, wearer.joints.len(), 10);
    let coarse = opened(closed);
    let finer = subdivide(&coarse.triangles, cuts as u32);

    // Unused vertices of the closed surface are in no mixture and disappear here.
    let rest: Vec<DVec3> = finer
        .vertices
        .iter()
        .map(|vertex| onto_surface(&parts, vertex.of(&coarse.positions)))
        .collect();
    let outward: Vec<DVec3> =
        rest.iter().map(|&p| distance_and_slope(&parts, p).1.normalize_or_zero()).collect();
    let positions = |time: f64| {
        // The joints now, and the joints shortly before, moved forward to the current position.
        let now = wearer.pose(time);
        let forward = DAffine3::from_translation(DVec3::Z * (wearer.walk_speed() * LAG));
        let late: Vec<DAffine3> =
            wearer.pose(time - LAG).into_iter().map(|joint| forward * joint).collect();
        let cycle = time / wearer.walk_period();
        let moved = |corner: u32, pose: &[DAffine3], point: DVec3| {
            let range = starts[corner as usize] as usize..starts[corner as usize + 1] as usize;
            influences[range].iter().fold(DVec3::ZERO, |sum, influence| {
                sum + influence.weight * pose[influence.joint as usize].transform_point3(point)
            })
        };
        let place = |at: usize| {
            let vertex = &finer.vertices[at];
            let point = rest[at] + crease(rest[at], cycle) * outward[at];
            let hanging = 0.45 * ((1.2 - point.y) / (1.2 - HEM)).clamp(0.0, 1.0);
            (0..3).filter(|&c| vertex.shares[c] > 0.0).fold(DVec3::ZERO, |sum, c| {
                let corner = vertex.corners[c];
                let here = moved(corner, &now, point);
                let there = moved(corner, &late, point);
                sum + vertex.shares[c] * here.lerp(there, hanging)
            })
        };
        (0..rest.len()).map(place).collect()
    };
    garment(wearer.clone(), finer.triangles, positions)
}

/// Whether the parts of a joint affect the shirt's surface.
fn near_shirt(joint: &str) -> bool {
    matches!(
        character::bare_name(joint),
        "hips" | "waist" | "chest" | "neck" | "collar" | "shoulder" | "elbow" | "hip"
    )
}

/// The outward displacement of the cloth at a point: soft creases that move with the walk.
fn crease(p: DVec3, cycle: f64) -> f64 {
    let beat = std::f64::consts::TAU * cycle;
    let around = (26.0 * p.x + 60.0 * p.y + beat).sin() + (38.0 * p.z - 45.0 * p.y - beat).sin();
    let loose = ((1.35 - p.y) / 0.5).clamp(0.2, 1.0);
    0.004 * loose * (2.0 + around) + 0.012 * loose * loose
}

/// The surface without the triangles beyond hem, collar and cuffs. Vertices just inside an opening
/// move onto its plane, so that seams are straight.
fn opened(mut closed: Surface) -> Surface {
    // Below 0 inside the shirt; the gradient is that of a plane.
    let shoulder = DVec3::new(0.18, 1.42, 0.0);
    let along = DVec3::new(1.0, -1.0, 0.0).normalize();
    let beyond =
        |p: DVec3| {
            let side = DVec3::new(p.x.signum(), 1.0, 1.0);
            let arm = (p * side - shoulder).dot(along) - SLEEVE;
            // Farther in, the plane of the arm would cut the trunk.
            let arm = if p.x.abs() > 0.24 { arm } else { -1.0 };
            // The collar rises towards the shoulders.
            let up = DVec3::new(-0.3, 1.0, 0.0).normalize();
            let collar = (p * side).dot(up) - COLLAR * up.y;
            let planes = [(HEM - p.y, DVec3::NEG_Y), (collar, up * side), (arm, along * side)];
            planes.into_iter().fold((-1.0, DVec3::ZERO), |most, plane| {
                if plane.0 > most.0 { plane } else { most }
            })
        };
    let keep = |t: &[u32; 3]| t.iter().all(|&v| beyond(closed.positions[v as usize]).0 <= 0.0);
    let kept: Vec<[u32; 3]> = closed.triangles.iter().filter(|t| keep(t)).copied().collect();
    let mut edge_of = std::collections::HashSet::new();
    for &[a, b, c] in &kept {
        edge_of.extend([[a, b], [b, c], [c, a]]);
    }
    for &[a, b, c] in &kept {
        for [from, to] in [[a, b], [b, c], [c, a]] {
            if !edge_of.contains(&[to, from]) {
                for end in [from, to] {
                    let position = &mut closed.positions[end as usize];
                    let (depth, plane) = beyond(*position);
                    *position -= depth * plane;
                }
            }
        }
    }
    Surface { positions: closed.positions, triangles: kept }
}
