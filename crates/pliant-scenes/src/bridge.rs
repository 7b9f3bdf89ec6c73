//! A swaying suspension bridge.

use std::f64::consts::{PI, TAU};

use pliant::glam::{DMat3, DVec3};
use pliant::{Error, Mesh, Result};

/// Frames of the animation, at 30 frames per second; the first follows the last.
pub const BRIDGE_FRAMES: usize = 60;

// Every part is a closed prism of n sides and s segments, with n (s + 1) vertices and 2 n s + 2 (n
// - 2) triangles: it has half as many vertices as triangles, plus 2. The bridge of James and Pai
// has V - F / 2 = 135,304 - 120,158 = 2 * 7573, so it can be built of exactly 7573 such parts.

/// Panels, each one metre long.
const PANELS: usize = 240;
/// Half the length of the bridge, and half the span between its towers.
const HALF_LENGTH: f64 = 120.0;
const HALF_SPAN: f64 = 80.0;
/// Half the width between the trusses, the depth of the trusses below the deck, and the height of
/// the towers.
const HALF_WIDTH: f64 = 4.0;
const TRUSS: f64 = 3.0;
const TOWER: f64 = 25.0;
const LAMPS: usize = 106;

/// A bridge and its animation.
#[derive(Debug, Clone)]
pub struct Bridge {
    /// The bridge at rest: along x, with the deck at y = 0.
    pub mesh: Mesh,
}

/// Returns a suspension bridge of 240 m with a truss below its deck.
///
/// It has exactly the 135,304 vertices and 240,316 triangles of the bridge in James and Pai 2004
/// (table 1). It consists of 7573 closed parts (beams, planks, rods, cables, towers), which overlap
/// where they are joined.
///
/// # Errors
/// None in practice; all generators have this type.
///
/// ```
/// let bridge = pliant_scenes::bridge()?;
/// assert_eq!(bridge.mesh.positions().len(), 135_304);
/// assert_eq!(bridge.mesh.triangles().len(), 240_316);
/// assert_eq!(bridge.positions(10)?.len(), 135_304);
/// # Ok::<(), pliant::Error>(())
/// ```
pub fn bridge() -> Result<Bridge> {
    let mut parts = Parts::default();
    for panel in 0..PANELS {
        let left = panel as f64 - HALF_LENGTH;
        add_panel(&mut parts, left, left + 1.0, panel % 2 == 0);
    }
    for tower in [-HALF_SPAN, HALF_SPAN] {
        add_tower(&mut parts, tower);
    }
    for z in [-HALF_WIDTH, HALF_WIDTH] {
        let path = |t: f64| {
            let x = HALF_LENGTH * (2.0 * t - 1.0);
            DVec3::new(x, cable_height(x), z)
        };
        parts.prism(8, 475, [0.22, 0.22], path);
    }
    for lamp in 0..LAMPS {
        let along = (lamp / 2) as f64 / (LAMPS / 2 - 1) as f64;
        let x = (HALF_LENGTH - 1.5) * (2.0 * along - 1.0);
        let z = if lamp % 2 == 0 { -HALF_WIDTH } else { HALF_WIDTH } * 0.9;
        parts.beam(6, 4, 0.08, DVec3::new(x, 0.1, z), DVec3::new(x, 5.0, z));
    }
    // A sign above the entrance.
    let sign = DVec3::new(-HALF_LENGTH + 1.0, 5.0, HALF_WIDTH);
    parts.beam(4, 2, 0.3, sign, DVec3::new(sign.x, sign.y, -sign.z));
    Ok(Bridge { mesh: Mesh::new(parts.positions, parts.triangles)? })
}

impl Bridge {
    /// The position of every vertex at a frame: between the towers, which do not move, the deck
    /// bends, swings sideways and twists.
    ///
    /// # Errors
    /// [`Error::InvalidSetting`] for a frame that does not exist.
    pub fn positions(&self, frame: usize) -> Result<Vec<DVec3>> {
        if frame >= BRIDGE_FRAMES {
            return Err(Error::InvalidSetting { setting: "frame", value: frame, range: "0..60" });
        }
        let phase = TAU * frame as f64 / BRIDGE_FRAMES as f64;
        Ok(self.mesh.positions().iter().map(|&rest| sway(rest, phase)).collect())
    }
}

/// The position of a point of the bridge in the wind: nine waves of five frequencies, one of them a
/// twist by up to 14 degrees. No small number of displacement fields reproduces the motion exactly;
/// ten reproduce it to two millimetres.
fn sway(rest: DVec3, phase: f64) -> DVec3 {
    let from_middle = rest.x.abs();
    // The towers separate the waves of the main span from smaller ones beside it.
    let wave = |count: f64| {
        if from_middle <= HALF_SPAN {
            (count * PI * (rest.x + HALF_SPAN) / (2.0 * HALF_SPAN)).sin()
        } else {
            let beyond = (from_middle - HALF_SPAN).min(HALF_LENGTH - HALF_SPAN);
            -0.3 * (PI * beyond / (HALF_LENGTH - HALF_SPAN)).sin()
        }
    };
    // Parts that hang from the tops of the towers swing less the higher they are; foundations do
    // not move.
    let freedom = (1.0 - rest.y / (TOWER + 1.0)).clamp(0.0, 1.0);
    let rise = 0.9 * wave(1.0) * phase.sin()
        + 0.7 * wave(2.0) * (2.0 * phase + 0.6).sin()
        + 0.3 * wave(3.0) * (3.0 * phase + 1.1).sin()
        + 0.2 * wave(4.0) * (4.0 * phase + 0.9).sin()
        + 0.1 * wave(5.0) * (5.0 * phase + 0.2).sin();
    let aside = 1.1 * wave(1.0) * (phase + 0.9).sin()
        + 0.4 * wave(2.0) * (3.0 * phase + 0.4).sin()
        + 0.15 * wave(3.0) * (5.0 * phase + 2.0).sin();
    let aside = aside * freedom;
    let twist = 0.25 * wave(2.0) * (2.0 * phase + 1.9).sin() * freedom;
    let turned = DMat3::from_rotation_x(twist) * DVec3::new(0.0, rest.y, rest.z);
    DVec3::new(rest.x, turned.y + rise, turned.z + aside)
}

/// The height of the main cable above the deck: a parabola between the towers, straight lines
/// outside.
fn cable_height(x: f64) -> f64 {
    let from_middle = x.abs();
    if from_middle <= HALF_SPAN {
        let t = from_middle / HALF_SPAN;
        2.5 + (TOWER - 2.5) * t * t
    } else {
        0.2 + (TOWER - 0.2) * (HALF_LENGTH - from_middle) / (HALF_LENGTH - HALF_SPAN)
    }
}

/// One metre of deck, railing, trusses and hangers: 31 parts and 512 vertices.
fn add_panel(parts: &mut Parts, left: f64, right: f64, rising: bool) {
    let at = DVec3::new;
    let along = |y: f64, z: f64| (at(left, y, z), at(right, y, z));
    for side in [-1.0, 1.0] {
        let z = side * HALF_WIDTH;
        for y in [-0.4, -TRUSS] {
            let (from, to) = along(y, z);
            parts.beam(4, 2, 0.14, from, to);
        }
        parts.beam(4, 3, 0.08, at(left, -TRUSS, z), at(left, -0.4, z));
        let [from, to] = if rising { [-TRUSS, -0.4] } else { [-0.4, -TRUSS] };
        parts.beam(4, 4, 0.07, at(left, from, z), at(right, to, z));
        for post in 0..4 {
            let x = left + 0.125 + 0.25 * f64::from(post);
            parts.beam(4, 1, 0.02, at(x, 0.0, 0.96 * z), at(x, 1.1, 0.96 * z));
        }
        for y in [0.6, 1.1] {
            let (from, to) = along(y, 0.96 * z);
            parts.beam(6, 2, 0.035, from, to);
        }
        let middle = (left + right) / 2.0;
        parts.beam(6, 6, 0.03, at(middle, 0.0, z), at(middle, cable_height(middle), z));
    }
    parts.beam(4, 8, 0.12, at(left, -0.4, -HALF_WIDTH), at(left, -0.4, HALF_WIDTH));
    for stringer in -2..=2 {
        let (from, to) = along(-0.2, 1.6 * f64::from(stringer));
        parts.beam(4, 2, 0.08, from, to);
    }
    for way in [-1.0, 1.0] {
        let z = way * HALF_WIDTH;
        parts.beam(4, 4, 0.06, at(left, -TRUSS, -z), at(right, -TRUSS, z));
    }
    // A plank across the deck, as wide as the panel except for a joint.
    let middle = (left + right) / 2.0;
    let path = |t: f64| at(middle, -0.05, 0.97 * HALF_WIDTH * (2.0 * t - 1.0));
    parts.prism(4, 8, [0.05 * DIAGONAL, 0.49 * DIAGONAL], path);
}

/// A portal of two legs with cross beams and braces: 12 parts and 808 vertices.
fn add_tower(parts: &mut Parts, x: f64) {
    let foot = -20.0;
    let half = HALF_WIDTH + 0.9;
    let at = |y: f64, z: f64| DVec3::new(x, y, z);
    for z in [-half, half] {
        parts.beam(8, 20, 0.7, at(foot, z), at(TOWER + 1.0, z * 0.93));
    }
    let levels = [foot + 6.0, -4.5, 10.0, TOWER];
    for y in levels {
        parts.beam(4, 12, 0.5, at(y, -half), at(y, half));
    }
    for (low, high) in [(levels[0], levels[1]), (levels[2], 17.5), (17.5, levels[3])] {
        for way in [-1.0, 1.0] {
            parts.beam(4, 10, 0.22, at(low, -half * way), at(high, half * way));
        }
    }
}

/// Half a square's diagonal over half its side: prisms are given by the radius to their corners.
const DIAGONAL: f64 = std::f64::consts::SQRT_2;

/// Closed prisms in one mesh.
#[derive(Default)]
struct Parts {
    positions: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
}

impl Parts {
    /// A straight prism with the same radius to all corners.
    fn beam(&mut self, sides: u32, segments: u32, radius: f64, from: DVec3, to: DVec3) {
        self.prism(sides, segments, [radius * DIAGONAL; 2], |t| from.lerp(to, t));
    }

    /// A closed prism with flat ends along a path that lies nearly in a plane of constant x or z.
    /// The radii are those in the plane and perpendicular to it. Triangles face outward.
    fn prism(&mut self, sides: u32, segments: u32, radii: [f64; 2], path: impl Fn(f64) -> DVec3) {
        let first = self.positions.len() as u32;
        let whole = (path(1.0) - path(0.0)).normalize();
        let across = if whole.x.abs() > 0.9 { DVec3::Z } else { DVec3::X };
        for ring in 0..=segments {
            let t = f64::from(ring) / f64::from(segments);
            let step = 0.5 / f64::from(segments);
            let along = path((t + step).min(1.0)) - path((t - step).max(0.0));
            let up = along.cross(across).normalize();
            let across = up.cross(along).normalize();
            for side in 0..sides {
                let angle = TAU * (f64::from(side) + 0.5) / f64::from(sides);
                let (sin, cos) = angle.sin_cos();
                self.positions.push(path(t) + radii[0] * sin * up + radii[1] * cos * across);
            }
        }
        for ring in 0..segments {
            for side in 0..sides {
                let next = (side + 1) % sides;
                let [a, b] = [side, next].map(|around| first + ring * sides + around);
                let [d, c] = [side, next].map(|around| first + (ring + 1) * sides + around);
                self.triangles.extend([[a, b, c], [a, c, d]]);
            }
        }
        let last = first + segments * sides;
        for side in 1..sides - 1 {
            self.triangles.push([first, first + side + 1, first + side]);
            self.triangles.push([last, last + side, last + side + 1]);
        }
    }
}
