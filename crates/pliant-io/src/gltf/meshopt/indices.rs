//! The two index codecs: triangles by edges and vertices that were used lately, and sequences.

use super::Refusal;
use crate::cursor::Cursor;

/// The values last pushed, the newest first.
struct Recent<T, const N: usize> {
    values: [T; N],
    next: usize,
}

impl<T: Copy, const N: usize> Recent<T, N> {
    fn new(value: T) -> Self {
        Self { values: [value; N], next: 0 }
    }

    fn push(&mut self, value: T) {
        self.values[self.next % N] = value;
        self.next = (self.next + 1) % N;
    }

    /// The value pushed `back` pushes before the last one.
    fn get(&self, back: u8) -> T {
        self.values[(self.next + 2 * N - 1 - usize::from(back)) % N]
    }
}

/// The state of the triangle codec.
struct Triangles<'a> {
    data: Cursor<'a>,
    edges: Recent<[u32; 2], 16>,
    vertices: Recent<u32, 16>,
    /// The vertex after the largest that appeared in order.
    next: u32,
    /// The vertex last stored by a difference.
    last: u32,
}

/// Decodes triangles with indices of `stride` bytes, 2 or 4.
pub(super) fn decode_triangles(
    bytes: &[u8],
    triangles: usize,
    stride: usize,
) -> Result<Vec<u8>, Refusal> {
    if bytes.first() != Some(&0xe1) {
        return Err("its stream is not one of triangles".into());
    }
    // The last 16 bytes are a table of common codes.
    let Some(data_end) = bytes.len().checked_sub(16).filter(|&end| end > triangles) else {
        return Err(format!("its {} bytes are too few for {triangles} triangles", bytes.len()));
    };
    let (data, table) = bytes.split_at(data_end);
    let codes = &data[1..=triangles];
    let mut state = Triangles {
        data: Cursor::new(data, 1 + triangles),
        edges: Recent::new([0; 2]),
        vertices: Recent::new(0),
        next: 0,
        last: 0,
    };
    let mut decoded = Vec::with_capacity(3 * triangles * stride);
    for &code in codes {
        for corner in state.triangle(code, table)? {
            decoded.extend_from_slice(&corner.to_le_bytes()[..stride]);
        }
    }
    all_read(&state.data)?;
    Ok(decoded)
}

impl Triangles<'_> {
    fn triangle(&mut self, code: u8, table: &[u8]) -> Result<[u32; 3], Refusal> {
        let (edge, vertex) = (code >> 4, code & 15);
        if edge < 15 {
            let [a, b] = self.edges.get(edge);
            let c = match vertex {
                0 => self.new_vertex(),
                1..=12 => self.vertices.get(vertex),
                13 => self.stored_vertex(self.last.wrapping_sub(1)),
                14 => self.stored_vertex(self.last.wrapping_add(1)),
                _ => self.free_vertex()?,
            };
            self.edges.push([c, b]);
            self.edges.push([a, c]);
            return Ok([a, b, c]);
        }
        // A triangle of which no edge was used lately.
        let is_common = vertex < 14;
        let others = if is_common {
            table[usize::from(vertex)]
        } else {
            let byte = self.data.array::<1>()?[0];
            if byte == 0 {
                self.next = 0;
            }
            byte
        };
        let (b, c) = (others >> 4, others & 15);
        // In the table 15 is one of the vertices used lately, as the numbers below it are.
        let is_free = |code: u8| code == 15 && !is_common;
        // All three are known before any is pushed.
        let recent = [b, c].map(|code| self.vertices.get(code.wrapping_sub(1) & 15));
        let mut corner = |code: u8, recent: u32| -> Result<u32, Refusal> {
            Ok(match code {
                0 => {
                    self.next = self.next.wrapping_add(1);
                    self.next.wrapping_sub(1)
                }
                code if is_free(code) => {
                    self.last = difference(&mut self.data, self.last)?;
                    self.last
                }
                _ => recent,
            })
        };
        let first = if vertex == 15 { 15 } else { 0 };
        let corners = [corner(first, 0)?, corner(b, recent[0])?, corner(c, recent[1])?];
        let is_new = [true, b == 0 || is_free(b), c == 0 || is_free(c)];
        for (corner, _) in corners.into_iter().zip(is_new).filter(|&(_, is_new)| is_new) {
            self.vertices.push(corner);
        }
        let [a, b, c] = corners;
        self.edges.push([b, a]);
        self.edges.push([c, b]);
        self.edges.push([a, c]);
        Ok(corners)
    }

    fn new_vertex(&mut self) -> u32 {
        let vertex = self.next;
        self.next = self.next.wrapping_add(1);
        self.vertices.push(vertex);
        vertex
    }

    fn free_vertex(&mut self) -> Result<u32, Refusal> {
        let vertex = difference(&mut self.data, self.last)?;
        Ok(self.stored_vertex(vertex))
    }

    fn stored_vertex(&mut self, vertex: u32) -> u32 {
        self.last = vertex;
        self.vertices.push(vertex);
        vertex
    }
}

/// Decodes a sequence of indices of `stride` bytes, 2 or 4.
pub(super) fn decode_sequence(
    bytes: &[u8],
    count: usize,
    stride: usize,
) -> Result<Vec<u8>, Refusal> {
    if bytes.first() != Some(&0xd1) {
        return Err("its stream is not one of indices".into());
    }
    // The last four bytes are padding. An index takes at least one byte.
    let Some(data_end) = bytes.len().checked_sub(4).filter(|&end| end > count) else {
        return Err(format!("its {} bytes are too few for {count} indices", bytes.len()));
    };
    let mut data = Cursor::new(&bytes[..data_end], 1);
    let mut decoded = Vec::with_capacity(count * stride);
    let mut last = [0u32; 2];
    for _ in 0..count {
        let value = variable_length(&mut data)?;
        let baseline = &mut last[(value & 1) as usize];
        *baseline = baseline.wrapping_add(signed(value >> 1));
        decoded.extend_from_slice(&baseline.to_le_bytes()[..stride]);
    }
    all_read(&data)?;
    Ok(decoded)
}

fn all_read(data: &Cursor<'_>) -> Result<(), Refusal> {
    match data.rest().len() {
        0 => Ok(()),
        left => Err(format!("{left} bytes are left over")),
    }
}

/// A vertex stored as its difference to another.
fn difference(data: &mut Cursor<'_>, from: u32) -> Result<u32, Refusal> {
    Ok(from.wrapping_add(signed(variable_length(data)?)))
}

/// A signed difference whose sign is the lowest bit, modulo 2^32.
fn signed(value: u32) -> u32 {
    (value >> 1) ^ (value & 1).wrapping_neg()
}

/// Seven bits per byte, the lowest first; all but the last byte have the highest bit set.
fn variable_length(data: &mut Cursor<'_>) -> Result<u32, Refusal> {
    let mut value = 0u32;
    for shift in [0, 7, 14, 21, 28] {
        let [byte] = data.array::<1>()?;
        value |= u32::from(byte & 127) << shift;
        if byte < 128 {
            return Ok(value);
        }
    }
    Err("a number has more than five bytes".into())
}
