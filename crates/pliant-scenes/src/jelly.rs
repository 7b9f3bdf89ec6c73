//! Jelly cubes that fall down stairs.

use pliant::glam::{DQuat, DVec3};
use pliant::{Mesh, Result};

use crate::check::at_least;
use crate::{Random, cuboid};

/// Points along the axes of a piece of jelly: 100 in all.
const POINTS: [u32; 3] = [5, 4, 5];
/// The distance in metres of neighbouring points.
const SPACING: f64 = 0.05;
/// The height, depth and number of the stairs.
const RISE: f64 = 0.3;
const TREAD: f64 = 0.6;
const STAIRS: u32 = 10;
/// The distance of neighbours before they fall: no piece reaches so far.
const APART: f64 = 0.45;

/// Pieces of jelly and the stairs that they fall on.
#[derive(Debug, Clone)]
pub struct Jelly {
    /// The points of a piece at rest, around the origin.
    pub points: Vec<DVec3>,
    /// Half the distance of neighbouring points: their radius for contacts.
    pub radius: f64,
    /// The surface of a piece at rest: half a spacing outside of its points.
    pub surface: Mesh,
    /// The rotation and translation of each piece.
    pub placements: Vec<(DQuat, DVec3)>,
    /// The stairs: middle and half size of each.
    pub stairs: Vec<[DVec3; 2]>,
}

/// Returns pieces of jelly of 100 points each, in rows above stairs that lead down along x to the floor
/// y = 0.
///
/// # Errors
/// [`pliant::Error::InvalidSetting`] for no pieces.
///
/// ```
/// let jelly = pliant_scenes::jelly_on_stairs(30, 1)?;
/// assert_eq!((jelly.points.len(), jelly.placements.len()), (100, 30));
/// # Ok::<(), pliant::Error>(())
/// ```
pub fn jelly_on_stairs(count: usize, seed: u64) -> Result<Jelly> {
    at_least(1, "count", count, "1..")?;
    let cells = DVec3::from_array(POINTS.map(f64::from));
    let mut points = Vec::new();
    for z in 0..POINTS[2] {
        for y in 0..POINTS[1] {
            for x in 0..POINTS[0] {
                let place = DVec3::new(f64::from(x), f64::from(y), f64::from(z));
                points.push(SPACING * (place - 0.5 * (cells - 1.0)));
            }
        }
    }
    let surface = cuboid(SPACING * cells, POINTS)?;
    // As wide as the stairs need to be for two layers over all of them.
    let along = (f64::from(STAIRS) * TREAD / APART) as usize;
    let across = count.div_ceil(2 * along).max(4);
    let width = 0.5 * APART * across as f64 + 0.3;
    let stairs = (0..STAIRS).map(|stair| {
        let height = RISE * f64::from(STAIRS - stair);
        let middle = DVec3::new(TREAD * (f64::from(stair) + 0.5), 0.5 * height, 0.0);
        [middle, DVec3::new(0.5 * TREAD, 0.5 * height, width)]
    });
    let mut random = Random::new(seed);
    let placements = (0..count).map(|number| {
        let [x, z, layer] = [number % along, number / along % across, number / (along * across)];
        let x = (x as f64 + 0.5) * APART;
        let stair = (x / TREAD).floor().clamp(0.0, f64::from(STAIRS) - 1.0);
        let above = RISE * (f64::from(STAIRS) - stair) + 0.4 + APART * layer as f64;
        let site = DVec3::new(x, above, (z as f64 - 0.5 * (across as f64 - 1.0)) * APART);
        (random.rotation(), site + 0.03 * random.in_cube())
    });
    Ok(Jelly {
        points,
        radius: 0.5 * SPACING,
        surface,
        placements: placements.collect(),
        stairs: stairs.collect(),
    })
}
