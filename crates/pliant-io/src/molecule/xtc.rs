//! XTC: the compressed coordinates of GROMACS.
//!
//! Coordinates are integers in units of 1/precision nanometres. An atom is stored either in full,
//! as three numbers in the ranges that the frame's header gives, or as a small difference to the
//! previous atom. Three numbers share one bit field: they are the digits of one number, each with
//! its own base. A run of small differences begins with the difference of the second atom, since
//! the oxygen of a water is between its hydrogens.

use pliant::glam::DVec3;

use super::Cell;
use super::trajectory::Bytes;
use crate::Result;

/// Ångströms per nanometre.
const UNIT: f64 = 10.0;

/// Up to this many atoms are stored uncompressed.
const UNCOMPRESSED: usize = 9;

/// The ranges of small differences: powers of the cube root of two, so that three more bits double
/// each of three ranges. Those below the ninth are not used.
const RANGES: [u32; 73] = [
    0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 10, 12, 16, 20, 25, 32, 40, 50, 64, 80, 101, 128, 161, 203, 256,
    322, 406, 512, 645, 812, 1024, 1290, 1625, 2048, 2580, 3250, 4096, 5060, 6501, 8192, 10321,
    13003, 16384, 20642, 26007, 32768, 41285, 52015, 65536, 82570, 104031, 131072, 165140, 208063,
    262144, 330280, 416127, 524287, 660561, 832255, 1048576, 1321122, 1664510, 2097152, 2642245,
    3329021, 4194304, 5284491, 6658042, 8388607, 10568983, 13316085, 16777216,
];
const FIRST_RANGE: usize = 9;

/// From this range on, each number has its own bits.
const WIDE: u32 = 0xff_ffff;

/// Bytes of step, time and the nine numbers of the box.
const FRAME_HEAD: u64 = 4 + 4 + 36;

pub(super) fn read_frame(
    bytes: &mut Bytes,
    atoms: usize,
    positions: &mut Vec<DVec3>,
) -> Result<Option<Cell>> {
    let magic = int(bytes)?;
    if magic != 1995 && magic != 2023 {
        return Err(bytes.wrong(format!("begins with {magic}, not with 1995 or 2023")));
    }
    let has = int(bytes)?;
    let mut buffer = Vec::new();
    bytes.take(FRAME_HEAD, &mut buffer)?;
    let cell = cell(&buffer);
    let again = int(bytes)?;
    if has != again {
        return Err(bytes.wrong(format!("has {has} atoms, but coordinates of {again}")));
    }
    if usize::try_from(has).ok() != Some(atoms) {
        return Err(bytes.wrong(format!("has {has} atoms, but the structure has {atoms}")));
    }
    positions.clear();
    if atoms <= UNCOMPRESSED {
        for _ in 0..atoms {
            let mut place = [0.0; 3];
            for coordinate in &mut place {
                *coordinate = f64::from(f32::from_be_bytes(bytes.four()?)) * UNIT;
            }
            positions.push(DVec3::from_array(place));
        }
        return Ok(cell);
    }
    let precision = f64::from(f32::from_be_bytes(bytes.four()?));
    let mut numbers = [0; 7];
    for number in &mut numbers {
        *number = int(bytes)?;
    }
    let [x0, y0, z0, x1, y1, z1, small] = numbers;
    let length = match magic {
        2023 => u64::from(int(bytes)? as u32) << 32 | u64::from(int(bytes)? as u32),
        _ => u64::from(int(bytes)? as u32),
    };
    bytes.take(length.checked_next_multiple_of(4).unwrap_or(u64::MAX), &mut buffer)?;
    let frame = Frame {
        low: [x0, y0, z0],
        high: [x1, y1, z1],
        small: usize::try_from(small).unwrap_or(usize::MAX),
    };
    // At least one bit per atom; otherwise the atoms cannot be in the data.
    if precision <= 0.0 || !precision.is_finite() {
        return Err(bytes.wrong(format!("has the precision {precision}")));
    }
    if atoms as u64 > 8 * length {
        return Err(bytes.wrong(format!("{atoms} atoms do not fit into {length} bytes")));
    }
    positions.reserve(atoms);
    let scale = UNIT / precision;
    let mut out =
        |place: [i64; 3]| positions.push(DVec3::from_array(place.map(|x| x as f64 * scale)));
    frame
        .decompress(&mut Bits { bytes: &buffer, at: 0 }, atoms, &mut out)
        .map_err(|reason| bytes.wrong(reason))?;
    Ok(cell)
}

/// The cell after step and time; `None` if it spans nothing.
fn cell(head: &[u8]) -> Option<Cell> {
    let number = |at: usize| {
        let word = head.get(8 + 4 * at..12 + 4 * at).and_then(|word| word.try_into().ok());
        word.map_or(0.0, |word| f64::from(f32::from_be_bytes(word)) * UNIT)
    };
    Cell::new(std::array::from_fn(|edge| {
        DVec3::from_array(std::array::from_fn(|axis| number(3 * edge + axis)))
    }))
}

fn int(bytes: &mut Bytes) -> Result<i32> {
    Ok(i32::from_be_bytes(bytes.four()?))
}

/// A decoded value, or the reason why it cannot be decoded.
type Decoded<T> = std::result::Result<T, String>;

/// The header of compressed coordinates.
struct Frame {
    low: [i32; 3],
    high: [i32; 3],
    /// The initial range of small differences, an index into [`RANGES`].
    small: usize,
}

impl Frame {
    fn decompress(
        &self,
        bits: &mut Bits,
        atoms: usize,
        out: &mut impl FnMut([i64; 3]),
    ) -> Decoded<()> {
        let mut sizes = [0_u32; 3];
        for (size, (&low, &high)) in sizes.iter_mut().zip(self.low.iter().zip(&self.high)) {
            let range = i64::from(high) - i64::from(low) + 1;
            *size = u32::try_from(range).ok().filter(|&range| range > 0).ok_or_else(|| {
                format!("the coordinate range {low} to {high} is empty or too large")
            })?;
        }
        let shared = sizes.iter().all(|&size| size <= WIDE);
        let mut small = self.small;
        let mut run = 0;
        let mut done = 0;
        while done < atoms {
            let full = match shared {
                true => bits.three(bit_length(product(sizes)), sizes)?,
                false => {
                    let mut full = [0; 3];
                    for (number, size) in full.iter_mut().zip(sizes) {
                        *number = bits.take(bit_length(u128::from(size)))?;
                    }
                    full
                }
            };
            let mut here: [i64; 3] =
                std::array::from_fn(|axis| i64::from(full[axis]) + i64::from(self.low[axis]));
            // A run keeps its length until another is given, together with the change of the range.
            let mut change = 0;
            if bits.take(1)? == 1 {
                let coded = bits.take(5)? as usize;
                change = (coded % 3) as isize - 1;
                run = coded / 3;
            }
            let range = RANGES.get(small).copied().filter(|&range| range > 0);
            if done + 1 + run > atoms {
                return Err(format!("a run of {run} atoms goes beyond the last"));
            }
            if run == 0 {
                out(here);
            }
            for step in 0..run {
                let range = range.ok_or_else(|| format!("there is no range {small}"))?;
                // The number of bits is the index of the range, by construction of the table.
                let digits = bits.three(small as u32, [range; 3])?;
                let half = i64::from(range / 2);
                let next: [i64; 3] =
                    std::array::from_fn(|axis| here[axis] + i64::from(digits[axis]) - half);
                if step == 0 {
                    // The first difference belongs to the atom that comes first.
                    out(next);
                    out(here);
                }
                if step > 0 {
                    out(next);
                }
                here = next;
            }
            done += 1 + run;
            small =
                small.checked_add_signed(change).ok_or("the range of differences is negative")?;
            if run > 0 && !(FIRST_RANGE..RANGES.len()).contains(&small) {
                return Err(format!("there is no range {small}"));
            }
        }
        Ok(())
    }
}

fn product(sizes: [u32; 3]) -> u128 {
    sizes.into_iter().map(u128::from).product()
}

fn bit_length(value: u128) -> u32 {
    u128::BITS - value.leading_zeros()
}

/// Bits from the highest to the lowest of each byte.
struct Bits<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Bits<'_> {
    /// Up to 32 bits as a number, the highest first.
    fn take(&mut self, count: u32) -> Decoded<u32> {
        let end = self.at + count as usize;
        if end > 8 * self.bytes.len() {
            return Err("the compressed coordinates are cut off".into());
        }
        // At most five bytes contain them.
        let (first, last) = (self.at / 8, end.div_ceil(8));
        let word =
            self.bytes[first..last].iter().fold(0_u64, |word, &byte| word << 8 | u64::from(byte));
        let behind = 8 * last - end;
        self.at = end;
        Ok((word >> behind & ((1_u64 << count) - 1)) as u32)
    }

    /// Three numbers that are digits of one. Its bytes are lowest first; the last has the remaining
    /// bits.
    fn three(&mut self, count: u32, bases: [u32; 3]) -> Decoded<[u32; 3]> {
        let mut value = 0_u128;
        let mut at = 0;
        while at < count {
            let bits = (count - at).min(8);
            value |= u128::from(self.take(bits)?) << at;
            at += bits;
        }
        let [_, y, z] = bases.map(u128::from);
        let digits = [value / z / y, value / z % y, value % z];
        // A first digit beyond its base is invalid but harmless.
        Ok(digits.map(|digit| digit as u32))
    }
}
