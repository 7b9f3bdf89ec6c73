//! The vertex codec: bytes of each place in an element as differences to the element before.

use super::Refusal;
use crate::cursor::Cursor;

/// Elements whose differences are packed together.
const GROUP: usize = 16;

/// Elements of a block, at the most.
const LARGEST_BLOCK: usize = 256;

/// Bytes of a block, at the most.
const BLOCK_BYTES: usize = 8192;

/// How the four bytes of a channel follow from those of the element before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Channel {
    /// Each byte by a signed difference.
    Bytes,
    /// Each half by a signed difference.
    Halves,
    /// By exclusive or with a word that is rotated right.
    Xor { rotation: u32 },
}

impl Channel {
    fn of(byte: u8) -> Result<Self, Refusal> {
        match byte & 3 {
            0 => Ok(Self::Bytes),
            1 => Ok(Self::Halves),
            2 => Ok(Self::Xor { rotation: u32::from(byte >> 4) }),
            _ => Err(format!("its channel {byte:#04x} is unknown")),
        }
    }

    /// The next four bytes.
    fn step(self, before: [u8; 4], delta: [u8; 4]) -> [u8; 4] {
        match self {
            Self::Bytes => {
                let mut next = before;
                for (byte, delta) in next.iter_mut().zip(delta) {
                    *byte = byte.wrapping_add((delta >> 1) ^ (delta & 1).wrapping_neg());
                }
                next
            }
            Self::Halves => {
                let half = |at: usize| {
                    let delta = u16::from_le_bytes([delta[at], delta[at + 1]]);
                    let before = u16::from_le_bytes([before[at], before[at + 1]]);
                    before.wrapping_add((delta >> 1) ^ (delta & 1).wrapping_neg()).to_le_bytes()
                };
                let ([a, b], [c, d]) = (half(0), half(2));
                [a, b, c, d]
            }
            Self::Xor { rotation } => {
                let delta = u32::from_le_bytes(delta).rotate_right(rotation);
                (u32::from_le_bytes(before) ^ delta).to_le_bytes()
            }
        }
    }
}

/// Decodes `count` elements of `stride` bytes, a multiple of 4 up to 256. The caller has allowed
/// their product as memory.
pub(super) fn decode(bytes: &[u8], count: usize, stride: usize) -> Result<Vec<u8>, Refusal> {
    let version = match bytes.first() {
        Some(0xa0) => 0,
        Some(0xa1) => 1,
        _ => return Err("its stream is not one of vertices".into()),
    };
    // The last bytes are the element before the first one and, in version 1, the channels.
    let channel_bytes = if version == 0 { 0 } else { stride / 4 };
    let tail = stride + channel_bytes;
    let padded_tail = tail.max(if version == 0 { 32 } else { 24 });
    let Some(data_end) = bytes.len().checked_sub(padded_tail).filter(|&end| end >= 1) else {
        return Err(format!("its {} bytes are too few for its tail", bytes.len()));
    };
    let (before_first, channels) = bytes[bytes.len() - tail..].split_at(stride);
    let channels: Vec<Channel> = match version {
        0 => vec![Channel::Bytes; stride / 4],
        _ => channels.iter().map(|&byte| Channel::of(byte)).collect::<Result<_, _>>()?,
    };
    let mut element = before_first.to_vec();
    let mut data = Cursor::new(&bytes[..data_end], 1);
    let block = (BLOCK_BYTES / stride / GROUP * GROUP).min(LARGEST_BLOCK);
    let mut deltas = vec![[0; LARGEST_BLOCK]; stride];
    let mut decoded = Vec::with_capacity(count * stride);
    let mut first = 0;
    while first < count {
        let length = block.min(count - first);
        let control = data.take(channel_bytes)?;
        for (place, deltas) in deltas.iter_mut().enumerate() {
            // Two bits for each place in an element.
            let control = control.get(place / 4).map(|byte| byte >> (place % 4 * 2) & 3);
            read_deltas(&mut data, control, length, deltas)?;
        }
        for number in 0..length {
            let channels = channels.iter().zip(deltas.chunks_exact(4));
            for ((kind, deltas), bytes) in channels.zip(element.chunks_exact_mut(4)) {
                let delta = [0, 1, 2, 3].map(|byte| deltas[byte][number]);
                let next = kind.step([bytes[0], bytes[1], bytes[2], bytes[3]], delta);
                bytes.copy_from_slice(&next);
            }
            decoded.extend_from_slice(&element);
        }
        first += length;
    }
    if !data.rest().is_empty() {
        return Err(format!("{} bytes are left over", data.rest().len()));
    }
    Ok(decoded)
}

/// Reads the differences of one place in `length` elements. `control` is `None` in version 0.
fn read_deltas(
    data: &mut Cursor<'_>,
    control: Option<u8>,
    length: usize,
    deltas: &mut [u8; LARGEST_BLOCK],
) -> Result<(), Refusal> {
    // Bits of each difference in a group, by the group's two bits of the header.
    let widths = match control {
        None => [0, 2, 4, 8],
        Some(0) => [0, 1, 2, 4],
        Some(1) => [1, 2, 4, 8],
        Some(2) => {
            deltas.fill(0);
            return Ok(());
        }
        Some(_) => {
            deltas[..length].copy_from_slice(data.take(length)?);
            return Ok(());
        }
    };
    let groups = length.div_ceil(GROUP);
    let header = data.take(groups.div_ceil(4))?;
    for (group, deltas) in deltas.chunks_exact_mut(GROUP).take(groups).enumerate() {
        match widths[usize::from(header[group / 4] >> (group % 4 * 2) & 3)] {
            0 => deltas.fill(0),
            8 => deltas.copy_from_slice(data.take(GROUP)?),
            width => read_packed(data, width, deltas)?,
        }
    }
    Ok(())
}

/// Reads a group of differences of 1, 2 or 4 bits each. One whose bits are all set stands for a
/// whole byte, which follows after the group.
fn read_packed(data: &mut Cursor<'_>, width: usize, deltas: &mut [u8]) -> Result<(), Refusal> {
    let packed = data.take(GROUP * width / 8)?;
    let escape = (1 << width) - 1;
    for (number, delta) in deltas.iter_mut().enumerate() {
        let bit = number * width;
        // Single bits begin at the lowest of a byte, wider differences at the highest.
        let shift = if width == 1 { bit % 8 } else { 8 - width - bit % 8 };
        *delta = packed[bit / 8] >> shift & escape;
        if *delta == escape {
            *delta = data.array::<1>()?[0];
        }
    }
    Ok(())
}
