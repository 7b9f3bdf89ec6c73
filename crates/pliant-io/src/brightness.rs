//! The brightness of PNG pictures: maps of heights and of friction (ISO/IEC 15948).

use std::io::Read as _;
use std::path::Path;

use flate2::Crc;
use flate2::bufread::ZlibDecoder;

use crate::{Error, Result, read_file};

/// Pixels of a picture, at most.
const MOST_PIXELS: usize = 1 << 24;

const SIGNATURE: &[u8; 8] = b"\x89PNG\r\n\x1a\n";

/// The passes of an interlaced picture: the first column and row, and how many lie between (section 8).
const ADAM7: [[usize; 4]; 7] = [
    [0, 0, 8, 8],
    [4, 0, 8, 8],
    [0, 4, 4, 8],
    [2, 0, 4, 4],
    [0, 2, 2, 4],
    [1, 0, 2, 2],
    [0, 1, 1, 2],
];

/// A picture as brightness from 0 to 1, as its numbers are stored, without its gamma.
#[derive(Debug, Clone, PartialEq)]
pub struct Brightness {
    /// Pixels per row.
    pub width: usize,
    /// Rows from the top, pixels from the left.
    pub values: Vec<f32>,
}

/// Reads a PNG file of any kind, with at most 2^24 pixels.
///
/// # Errors
/// [`Error::Io`], [`Error::Malformed`], and [`Error::Unsupported`] if it is no PNG or too large.
pub fn read_brightness(path: impl AsRef<Path>) -> Result<Brightness> {
    let path = path.as_ref();
    brightness_of(&read_file(path)?, path)
}

/// The same for a PNG file in memory.
///
/// # Errors
/// The same.
pub fn brightness_of(bytes: &[u8], name: impl AsRef<Path>) -> Result<Brightness> {
    let path = name.as_ref();
    let malformed = |reason: &str| Error::malformed(path, "PNG", reason);
    let Some(mut rest) = bytes.strip_prefix(SIGNATURE) else {
        return Err(Error::unsupported(path, "picture", "it is not PNG".to_owned()));
    };
    let (mut head, mut palette, mut packed) = (None, Vec::new(), Vec::new());
    loop {
        let (kind, data, behind) = chunk(rest).map_err(malformed)?;
        rest = behind;
        match kind {
            b"IHDR" if head.is_none() => head = Some(Head::read(data).map_err(malformed)?),
            b"PLTE" => palette = data.chunks_exact(3).map(|it| [it[0], it[1], it[2]]).collect(),
            b"IDAT" => packed.extend_from_slice(data),
            b"IEND" => break,
            // Chunks with a small first letter are not needed for the picture.
            [first, ..] if first.is_ascii_lowercase() => {}
            _ => return Err(malformed("a chunk is not known, or in a wrong place")),
        }
    }
    let head = head.ok_or_else(|| malformed("it has no header"))?;
    if head.width.saturating_mul(head.height) > MOST_PIXELS {
        let reason = format!("{} times {} pixels are too many", head.width, head.height);
        return Err(Error::unsupported(path, "picture", reason));
    }
    let expected: usize = head.passes().map(|pass| pass.bytes).sum();
    let mut lines = Vec::new();
    // The vector grows with what is decoded, never with what the header claims.
    let unpacked = ZlibDecoder::new(&packed[..]).take(expected as u64 + 1).read_to_end(&mut lines);
    unpacked.map_err(|_| malformed("its compressed pixels are damaged"))?;
    if lines.len() != expected {
        return Err(malformed("it has another number of pixels than its header says"));
    }
    head.pixels(lines, &palette)
        .map(|values| Brightness { width: head.width, values })
        .map_err(malformed)
}

/// Kind and data of a chunk, and what is behind it.
type Chunk<'a> = (&'a [u8; 4], &'a [u8], &'a [u8]);

/// The first chunk.
fn chunk(bytes: &[u8]) -> std::result::Result<Chunk<'_>, &'static str> {
    const CUT: &str = "it ends early";
    let (length, rest) = bytes.split_first_chunk::<4>().ok_or(CUT)?;
    let (kind, rest) = rest.split_first_chunk::<4>().ok_or(CUT)?;
    let (data, rest) = rest.split_at_checked(u32::from_be_bytes(*length) as usize).ok_or(CUT)?;
    let (sum, rest) = rest.split_first_chunk::<4>().ok_or(CUT)?;
    let mut own = Crc::new();
    own.update(kind);
    own.update(data);
    match own.sum() == u32::from_be_bytes(*sum) {
        true => Ok((kind, data, rest)),
        false => Err("a checksum is wrong"),
    }
}

/// What the header says.
#[derive(Debug, Clone, Copy)]
struct Head {
    width: usize,
    height: usize,
    /// Bits per number.
    depth: usize,
    kind: u8,
    is_interlaced: bool,
}

/// Pixels that are stored together.
struct Pass {
    /// The first column and row, and how many lie between.
    grid: [usize; 4],
    rows: usize,
    columns: usize,
    /// All rows, with a byte for the filter of each.
    bytes: usize,
}

impl Head {
    fn read(data: &[u8]) -> std::result::Result<Self, &'static str> {
        let &[a, b, c, d, e, f, g, h, depth, kind, 0, 0, interlaced] = data else {
            return Err("its header is wrong");
        };
        let [width, height] =
            [[a, b, c, d], [e, f, g, h]].map(|bytes| u32::from_be_bytes(bytes) as usize);
        let depths: &[u8] = match kind {
            0 => &[1, 2, 4, 8, 16],
            3 => &[1, 2, 4, 8],
            2 | 4 | 6 => &[8, 16],
            _ => &[],
        };
        if width == 0 || height == 0 || !depths.contains(&depth) || interlaced > 1 {
            return Err("its header is wrong");
        }
        let depth = usize::from(depth);
        Ok(Self { width, height, depth, kind, is_interlaced: interlaced == 1 })
    }

    /// Numbers per pixel.
    fn channels(self) -> usize {
        match self.kind {
            2 => 3,
            4 => 2,
            6 => 4,
            _ => 1,
        }
    }

    /// Those that have pixels.
    fn passes(self) -> impl Iterator<Item = Pass> {
        let grids: &[[usize; 4]] = if self.is_interlaced { &ADAM7 } else { &[[0, 0, 1, 1]] };
        let pass = move |&[x, y, across, down]: &[usize; 4]| {
            let columns = self.width.saturating_sub(x).div_ceil(across);
            let rows = self.height.saturating_sub(y).div_ceil(down);
            let bytes = rows * (1 + self.line(columns));
            (columns > 0 && rows > 0).then_some(Pass {
                grid: [x, y, across, down],
                rows,
                columns,
                bytes,
            })
        };
        grids.iter().filter_map(pass)
    }

    /// Bytes of a row.
    fn line(self, columns: usize) -> usize {
        (columns * self.channels() * self.depth).div_ceil(8)
    }

    fn pixels(
        self,
        mut lines: Vec<u8>,
        palette: &[[u8; 3]],
    ) -> std::result::Result<Vec<f32>, &'static str> {
        let mut values = vec![0.0; self.width * self.height];
        let mut left = &mut lines[..];
        let before = (self.channels() * self.depth).div_ceil(8);
        for Pass { grid: [x, y, across, down], rows, columns, bytes } in self.passes() {
            let (own, rest) = left.split_at_mut(bytes);
            left = rest;
            let mut above = vec![0; self.line(columns)];
            for (row, line) in own.chunks_exact_mut(1 + self.line(columns)).take(rows).enumerate() {
                let Some((filter, line)) = line.split_first_mut() else { continue };
                unfilter(*filter, line, &above, before)?;
                above.copy_from_slice(line);
                for column in 0..columns {
                    let place = (y + row * down) * self.width + x + column * across;
                    values[place] = self.brightness(line, column, palette)?;
                }
            }
        }
        Ok(values)
    }

    /// The brightness of a pixel: Rec. 709 weights of red, green and blue. Opacity does not count.
    fn brightness(
        self,
        line: &[u8],
        column: usize,
        palette: &[[u8; 3]],
    ) -> std::result::Result<f32, &'static str> {
        let number = |channel: usize| {
            let bit = (column * self.channels() + channel) * self.depth;
            match self.depth {
                16 => u16::from_be_bytes([line[bit / 8], line[bit / 8 + 1]]),
                depth => {
                    let shifted = line[bit / 8] >> (8 - depth - bit % 8);
                    u16::from(shifted) & ((1 << depth) - 1)
                }
            }
        };
        let most = ((1_u32 << self.depth) - 1) as f32;
        let mixed = |[r, g, b]: [f32; 3]| 0.2126 * r + 0.7152 * g + 0.0722 * b;
        let value = match self.kind {
            2 | 6 => mixed([0, 1, 2].map(|channel| f32::from(number(channel)) / most)),
            3 => {
                let color = palette.get(usize::from(number(0)));
                let color = color.ok_or("a pixel is not in its palette")?;
                mixed(color.map(|it| f32::from(it) / 255.0))
            }
            _ => f32::from(number(0)) / most,
        };
        Ok(value.min(1.0))
    }
}

/// Takes the filter off a row (section 9); `before` is how far the pixel to the left is.
fn unfilter(
    filter: u8,
    line: &mut [u8],
    above: &[u8],
    before: usize,
) -> std::result::Result<(), &'static str> {
    for at in 0..line.len() {
        let left = if at >= before { line[at - before] } else { 0 };
        let corner = if at >= before { above[at - before] } else { 0 };
        let guess = match filter {
            0 => 0,
            1 => left,
            2 => above[at],
            3 => ((u16::from(left) + u16::from(above[at])) / 2) as u8,
            4 => paeth(left, above[at], corner),
            _ => return Err("a filter is not known"),
        };
        line[at] = line[at].wrapping_add(guess);
    }
    Ok(())
}

/// Of three neighbours the one nearest to left + above - corner.
fn paeth(left: u8, above: u8, corner: u8) -> u8 {
    let [a, b, c] = [left, above, corner].map(i16::from);
    let [from_left, from_above, from_corner] = [b - c, a - c, a + b - 2 * c].map(i16::abs);
    if from_left <= from_above && from_left <= from_corner {
        left
    } else if from_above <= from_corner {
        above
    } else {
        corner
    }
}

#[cfg(test)]
#[path = "brightness_tests.rs"]
mod tests;
