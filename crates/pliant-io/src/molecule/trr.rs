//! TRR: the uncompressed frames of GROMACS, in single or double precision.

use pliant::glam::DVec3;

use super::Cell;
use super::trajectory::Bytes;
use crate::Result;

/// The number that every frame begins with.
const MAGIC: i32 = 1993;

/// Ångströms per nanometre.
const UNIT: f64 = 10.0;

/// The longest version string; files have 12 bytes.
const LONGEST_VERSION: i32 = 64;

/// Reads the next frame that has positions; `false` if the file ends before one. Frames may have
/// only velocities or forces, and those are skipped.
pub(super) fn read_frame(
    bytes: &mut Bytes,
    atoms: usize,
    positions: &mut Vec<DVec3>,
    cell: &mut Option<Cell>,
) -> Result<bool> {
    let mut buffer = Vec::new();
    loop {
        if bytes.is_at_end() {
            return Ok(false);
        }
        let magic = int(bytes)?;
        if magic != MAGIC {
            return Err(bytes.wrong(format!("begins with {magic}, not with {MAGIC}")));
        }
        // The length of a text comes twice: with and without its end mark.
        let (_, length) = (int(bytes)?, int(bytes)?);
        if !(0..=LONGEST_VERSION).contains(&length) {
            return Err(bytes.wrong(format!("has a version of {length} bytes")));
        }
        bytes.take(u64::from(length.unsigned_abs()).next_multiple_of(4), &mut buffer)?;
        // The sizes in bytes of ten blocks, then the numbers of atoms, step, and energies.
        let mut sizes = [0_u64; 10];
        for size in &mut sizes {
            let value = int(bytes)?;
            *size = u64::try_from(value)
                .map_err(|_| bytes.wrong(format!("has a block of {value} bytes")))?;
        }
        let has = int(bytes)?;
        if usize::try_from(has).ok() != Some(atoms) {
            return Err(bytes.wrong(format!("has {has} atoms, but the structure has {atoms}")));
        }
        let (_step, _energies) = (int(bytes)?, int(bytes)?);
        let [_, _, edges, _, _, _, _, places, velocities, forces] = sizes;
        let numbers = 3 * atoms as u64;
        let width = match (edges, [places, velocities, forces].into_iter().max()) {
            (36, _) => 4,
            (72, _) => 8,
            (0, Some(block)) if block > 0 && block == 4 * numbers => 4,
            (0, Some(block)) if block > 0 && block == 8 * numbers => 8,
            _ => return Err(bytes.wrong("has blocks of neither single nor double precision")),
        };
        // Time and lambda.
        bytes.take(2 * width, &mut buffer)?;
        for (block, size) in sizes.into_iter().enumerate() {
            bytes.take(size, &mut buffer)?;
            match block {
                2 if size > 0 => {
                    let edges: Vec<DVec3> = vectors(&buffer, width).collect();
                    *cell = edges.try_into().ok().and_then(Cell::new);
                }
                2 => *cell = None,
                7 if size == width * numbers => {
                    positions.clear();
                    positions.extend(vectors(&buffer, width));
                }
                7 if size > 0 => {
                    let needs = width * numbers;
                    return Err(bytes.wrong(format!("positions take {size} bytes, not {needs}")));
                }
                _ => {}
            }
        }
        if places > 0 {
            return Ok(true);
        }
    }
}

/// Three numbers each, in ångströms.
fn vectors(bytes: &[u8], width: u64) -> impl Iterator<Item = DVec3> {
    let number = move |bytes: &[u8]| match <[u8; 4]>::try_from(bytes) {
        Ok(word) => f64::from(f32::from_be_bytes(word)),
        Err(_) => <[u8; 8]>::try_from(bytes).map_or(f64::NAN, f64::from_be_bytes),
    };
    let width = width as usize;
    bytes.chunks_exact(3 * width).map(move |vector| {
        DVec3::from_array(std::array::from_fn(|axis| {
            number(&vector[axis * width..(axis + 1) * width]) * UNIT
        }))
    })
}

fn int(bytes: &mut Bytes) -> Result<i32> {
    Ok(i32::from_be_bytes(bytes.four()?))
}
