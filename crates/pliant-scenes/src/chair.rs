//! A garden chair moulded in one piece.

use pliant::glam::DVec3;
use pliant::{Mesh, Result};

use crate::lattice::boundary;
use crate::smooth_step::smooth_step;

// The chair is first a set of lattice cells: a seat that is one cell thick with an apron below its
// rim, angle-shaped legs, a back with slots, and arms. Its surface is closed by construction. Then
// the lattice is scaled to metres and bent.

/// Cells from side to side, bottom to top and back to front.
const CELLS: [u32; 3] = [COLUMNS, TOP, DEPTH];
const COLUMNS: u32 = 42;
const DEPTH: u32 = 39;
/// The layer of the seat; the legs are the layers below.
const SEAT: u32 = 26;
/// The layer of the arms.
const ARM: u32 = SEAT + 14;
/// One past the last layer of the back.
const TOP: u32 = ARM + 17;
/// Layers of the apron.
const APRON: u32 = 2;
/// Columns or rows of each wing of a leg, and columns of an arm.
const LEG_WING: u32 = 4;
const ARM_WIDTH: u32 = 5;
/// Slots in the back; each is a handle of the surface.
const SLOTS: u32 = 5;
const SLOT_WIDTH: u32 = 4;
const BAR_WIDTH: u32 = 2;
/// Solid rows of the back below and above the slots.
const BELOW_SLOTS: u32 = 6;
const ABOVE_SLOTS: u32 = 5;

/// Lengths in metres.
const HALF_WIDTH: f64 = 0.28;
const HALF_DEPTH: f64 = 0.25;
const WALL: f64 = 0.006;
const SEAT_HEIGHT: f64 = 0.42;
const ARM_HEIGHT: f64 = 0.63;
const HEIGHT: f64 = 0.84;

/// Returns a plastic garden chair, 0.84 m tall, standing on y = 0 and facing +z: a thin seat shell,
/// four thin angled legs, two arms, and a back with five slots.
///
/// The surface is closed and connected and faces outward. It has 17,914 triangles, like the chair
/// of James and Pai 2004 (table 1). Theirs has 9421 vertices, which is impossible for a closed
/// surface: with F triangles and g handles it has F / 2 + 2 - 2g vertices. Here g = 7 (five slots
/// and two arms), so there are 8945. The lattice surface has an even number of quads, 8956, and F /
/// 2 is odd, so one quad under the seat is cut into four triangles and not two.
///
/// The arithmetic consists of sums and products, so the bits are the same on every machine.
///
/// # Errors
/// None in practice; all generators have this type.
///
/// ```
/// let chair = pliant_scenes::chair()?;
/// assert_eq!((chair.positions().len(), chair.triangles().len()), (8945, 17914));
/// # Ok::<(), pliant::Error>(())
/// ```
pub fn chair() -> Result<Mesh> {
    let surface = boundary(CELLS, filled);
    let mut positions: Vec<DVec3> =
        surface.points.iter().map(|&point| bend(straight(point))).collect();
    let mut triangles = Vec::with_capacity(2 * surface.quads.len() + 2);
    // The quad that is cut into four: the seat's underside, halfway between the legs.
    let below_seat = [COLUMNS / 2, SEAT, DEPTH / 2];
    let fanned = surface.quads.iter().position(|quad| {
        surface.points[quad[0] as usize] == below_seat
            && quad.iter().all(|&point| surface.points[point as usize][1] == SEAT)
    });
    for (number, &[a, b, c, d]) in surface.quads.iter().enumerate() {
        let [pa, pb, pc, pd] = [a, b, c, d].map(|vertex| positions[vertex as usize]);
        if Some(number) == fanned {
            let middle = positions.len() as u32;
            positions.push((pa + pb + pc + pd) / 4.0);
            triangles.extend([[a, b, middle], [b, c, middle], [c, d, middle], [d, a, middle]]);
        } else if pa.distance_squared(pc) <= pb.distance_squared(pd) {
            triangles.extend([[a, b, c], [a, c, d]]);
        } else {
            triangles.extend([[a, b, d], [b, c, d]]);
        }
    }
    Mesh::new(positions, triangles)
}

/// The chair of [`chair()`] as boxes along the axes, for engines of rigid bodies: the lowest and the
/// highest corner of each. They are the boxes of four legs, two posts, two arms, the seat, and the back
/// in three layers, because it leans.
#[must_use]
pub fn chair_boxes() -> Vec<[DVec3; 2]> {
    let wing = |far: bool, cells: u32| if far { cells - LEG_WING..cells } else { 0..LEG_WING };
    let mut parts = vec![(0..COLUMNS, SEAT..SEAT + 1, 0..DEPTH)];
    for right in [false, true] {
        for front in [false, true] {
            parts.push((wing(right, COLUMNS), 0..SEAT, wing(front, DEPTH)));
        }
        parts.push((wing(right, COLUMNS), SEAT + 1..ARM, wing(true, DEPTH)));
        let arm = if right { COLUMNS - ARM_WIDTH..COLUMNS } else { 0..ARM_WIDTH };
        parts.push((arm, ARM..ARM + 1, 0..DEPTH));
    }
    let layers = [SEAT + 1, SEAT + 11, SEAT + 21, TOP];
    parts.extend(layers.windows(2).map(|ends| (0..COLUMNS, ends[0]..ends[1], 0..1)));
    let around = |(columns, layers, rows): (Cells, Cells, Cells)| {
        let mut corners = [DVec3::INFINITY, DVec3::NEG_INFINITY];
        for i in columns.start..=columns.end {
            for j in layers.start..=layers.end {
                for k in rows.start..=rows.end {
                    let p = bend(straight([i, j, k]));
                    corners = [corners[0].min(p), corners[1].max(p)];
                }
            }
        }
        corners
    };
    parts.into_iter().map(around).collect()
}

/// Cells along one axis.
type Cells = std::ops::Range<u32>;

/// Whether a lattice cell belongs to the chair.
fn filled([i, j, k]: [u32; 3]) -> bool {
    let from_side = i.min(COLUMNS - 1 - i);
    let from_end = k.min(DEPTH - 1 - k);
    let angle = (from_side == 0 && from_end < LEG_WING) || (from_end == 0 && from_side < LEG_WING);
    let rim = from_side == 0 || from_end == 0;
    let front = k >= DEPTH / 2;

    let leg = j < SEAT && angle;
    let apron = (SEAT - APRON..SEAT).contains(&j) && rim;
    let post = j > SEAT && j < ARM && angle && front;
    let arm = j == ARM && from_side < ARM_WIDTH;
    let back = j > SEAT && k == 0 && !slot(i, j);
    leg || apron || j == SEAT || post || arm || back
}

/// Whether column and layer lie in a slot of the back.
fn slot(i: u32, j: u32) -> bool {
    let stride = SLOT_WIDTH + BAR_WIDTH;
    let margin = (COLUMNS - (SLOTS * stride - BAR_WIDTH)) / 2;
    let across = (margin..COLUMNS - margin).contains(&i) && (i - margin) % stride < SLOT_WIDTH;
    across && j > SEAT + BELOW_SLOTS && j < TOP - ABOVE_SLOTS
}

/// A lattice point of the unbent chair in metres: outer walls, seat and arms are [`WALL`] thick,
/// and the other points are evenly spaced in between.
fn straight([i, j, k]: [u32; 3]) -> DVec3 {
    let between_walls = |n: u32, cells: u32, half: f64| {
        if n == 0 {
            -half
        } else if n == cells {
            half
        } else {
            (half - WALL) * (2.0 * f64::from(n - 1) / f64::from(cells - 2) - 1.0)
        }
    };
    let rise = |from: f64, to: f64, step: u32, steps: u32| {
        from + (to - from) * f64::from(step) / f64::from(steps)
    };
    let y = if j <= SEAT {
        rise(0.0, SEAT_HEIGHT, j, SEAT)
    } else if j <= ARM {
        rise(SEAT_HEIGHT + WALL, ARM_HEIGHT, j - SEAT - 1, ARM - SEAT - 1)
    } else {
        rise(ARM_HEIGHT + WALL, HEIGHT, j - ARM - 1, TOP - ARM - 1)
    };
    DVec3::new(between_walls(i, COLUMNS, HALF_WIDTH), y, between_walls(k, DEPTH, HALF_DEPTH))
}

/// Bends the straight chair into shape.
///
/// There are three steps. Each moves points along one axis and is increasing along it: with the
/// other two coordinates fixed, its slope is positive. Such a step is injective, and so are the
/// three in sequence. The bent surface therefore does not cross itself. (This holds for the smooth
/// surface; tests check its triangles.)
fn bend(p: DVec3) -> DVec3 {
    bend_forward(bend_sideways(bend_up(p)))
}

/// A hollow seat (slope at least 1 - 0.02 * 1.5 / 0.15) and a back with an arched top (slope at
/// least 1 - 0.07 * 1.5 / 0.21).
fn bend_up(p: DVec3) -> DVec3 {
    let u = p.x / HALF_WIDTH;
    let v = p.z / HALF_DEPTH;
    let near_seat = 1.0 - smooth_step((p.y - SEAT_HEIGHT).abs() / 0.15);
    let above_arm = smooth_step((p.y - ARM_HEIGHT) / (HEIGHT - ARM_HEIGHT));
    let hollow = 0.02 * square(1.0 - u * u) * square(1.0 - v * v) * near_seat;
    let arc = 0.07 * square(u * u) * above_arm;
    DVec3::new(p.x, p.y - hollow - arc, p.z)
}

/// Legs spread, the back tapers, and the seat narrows to the rear; each is a positive factor.
fn bend_sideways(p: DVec3) -> DVec3 {
    let (up, down) = above_and_below_seat(p.y);
    let rear = (1.0 - p.z / HALF_DEPTH) / 2.0;
    let spread = (1.0 + 0.05 * down * down) * (1.0 - 0.1 * up * up) * (1.0 - 0.08 * rear);
    DVec3::new(p.x * spread, p.y, p.z)
}

/// The back leans and wraps around the sitter, fading towards the front over the depth of 0.5. The
/// seat's front and rear bow outward, and the legs spread. With |u| <= 1.05 the slope is at least 1
/// - 0.06 * 1.05^2 - 0.05 * 1.05^2 / 0.5 > 0.8.
fn bend_forward(p: DVec3) -> DVec3 {
    let u = p.x / HALF_WIDTH;
    let (up, down) = above_and_below_seat(p.y);
    let rear = (1.0 - p.z / HALF_DEPTH) / 2.0;
    let lean = 0.1 * up + 0.06 * up * up;
    let wrap = 0.05 * u * u * (1.0 - square(1.0 - up));
    let bow = (1.0 - 0.06 * u * u) * (1.0 + 0.08 * down * down);
    DVec3::new(p.x, p.y, p.z * bow - (lean - wrap) * rear)
}

/// The height above the seat, up to 1 at the top of the back, and the depth below it, up to 1 at
/// the floor.
fn above_and_below_seat(y: f64) -> (f64, f64) {
    let up = (y - SEAT_HEIGHT) / (HEIGHT - SEAT_HEIGHT);
    let down = 1.0 - y / SEAT_HEIGHT;
    (up.max(0.0), down.max(0.0))
}

fn square(x: f64) -> f64 {
    x * x
}
