//! The rows of a PLY file's elements, value by value, in text or binary.

use crate::cursor::Cursor;
use crate::ply_header::{Encoding, Header, Kind, Scalar};
use crate::text_lines::{NumberedLines, numbered_lines, parse, quoted, take_word};

/// A value, or the reason why there is none.
type Parsed<T> = Result<T, String>;

/// The values after a header, in order.
pub(crate) enum Rows<'a> {
    /// One row per line: the remaining lines, the current line and its number.
    Text { lines: NumberedLines<'a>, line: &'a [u8], number: usize },
    /// Values without separators.
    Binary { cursor: Cursor<'a>, big_endian: bool },
}

impl<'a> Rows<'a> {
    /// The rows after the header of a file.
    pub(crate) fn new(bytes: &'a [u8], header: &Header) -> Self {
        let cursor = Cursor::new(bytes, header.body);
        match header.encoding {
            Encoding::Ascii => {
                let lines = numbered_lines(cursor.rest(), header.lines + 1);
                Self::Text { lines, line: &[], number: header.lines }
            }
            Encoding::LittleEndian => Self::Binary { cursor, big_endian: false },
            Encoding::BigEndian => Self::Binary { cursor, big_endian: true },
        }
    }

    /// The bytes after the rows read so far.
    pub(crate) fn rest(&self) -> &'a [u8] {
        match self {
            Self::Text { lines, .. } => lines.rest(),
            Self::Binary { cursor, .. } => cursor.rest(),
        }
    }

    /// The line number of the current row; `None` for binary files.
    pub(crate) fn line_number(&self) -> Option<usize> {
        match self {
            Self::Text { number, .. } => Some(*number),
            Self::Binary { .. } => None,
        }
    }

    /// Goes to the next row. Blank lines are not rows.
    pub(crate) fn begin(&mut self) -> Parsed<()> {
        let Self::Text { lines, line, number } = self else { return Ok(()) };
        (*number, *line) = lines
            .find(|(_, line)| !line.trim_ascii().is_empty())
            .ok_or("the file ends before this row")?;
        Ok(())
    }

    /// Ends the row and refuses values that belong to no property.
    pub(crate) fn end(&mut self) -> Parsed<()> {
        let Self::Text { line, .. } = self else { return Ok(()) };
        match take_word(line) {
            None => Ok(()),
            Some(word) => Err(format!("{} follows the last value of the row", quoted(word))),
        }
    }

    /// The next value.
    pub(crate) fn value(&mut self, scalar: Scalar) -> Parsed<f64> {
        match self {
            Self::Text { line, .. } => {
                let word = take_word(line).ok_or("the row has too few values")?;
                parse(word).ok_or_else(|| format!("{} is not a number", quoted(word)))
            }
            Self::Binary { cursor, big_endian } => binary_value(cursor, *big_endian, scalar),
        }
    }

    /// The next value, which must be a natural number, such as a list's length or a vertex number.
    pub(crate) fn natural(&mut self, scalar: Scalar, what: &str) -> Parsed<u32> {
        let value = self.value(scalar)?;
        if value.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&value) {
            Ok(value as u32)
        } else {
            Err(format!("{value} is not a {what}"))
        }
    }

    /// The length of a list.
    pub(crate) fn list_length(&mut self, scalar: Scalar) -> Parsed<u32> {
        self.natural(scalar, "length of a list")
    }

    /// Skips one property.
    pub(crate) fn skip(&mut self, kind: Kind) -> Parsed<()> {
        let (length, item) = match kind {
            Kind::Scalar(scalar) => (1, scalar),
            Kind::List { count, item } => (self.list_length(count)?, item),
        };
        match self {
            Self::Text { line, .. } => {
                for _ in 0..length {
                    take_word(line).ok_or("the row has too few values")?;
                }
            }
            Self::Binary { cursor, .. } => {
                cursor.take((length as usize).saturating_mul(item.size()))?;
            }
        }
        Ok(())
    }
}

fn binary_value(cursor: &mut Cursor, big_endian: bool, scalar: Scalar) -> Parsed<f64> {
    /// The next `N` bytes, the least significant first.
    fn little<const N: usize>(cursor: &mut Cursor, big_endian: bool) -> Parsed<[u8; N]> {
        let mut bytes = cursor.array()?;
        if big_endian {
            bytes.reverse();
        }
        Ok(bytes)
    }
    Ok(match scalar {
        Scalar::I8 => i8::from_le_bytes(little(cursor, big_endian)?).into(),
        Scalar::U8 => u8::from_le_bytes(little(cursor, big_endian)?).into(),
        Scalar::I16 => i16::from_le_bytes(little(cursor, big_endian)?).into(),
        Scalar::U16 => u16::from_le_bytes(little(cursor, big_endian)?).into(),
        Scalar::I32 => i32::from_le_bytes(little(cursor, big_endian)?).into(),
        Scalar::U32 => u32::from_le_bytes(little(cursor, big_endian)?).into(),
        Scalar::F32 => f32::from_le_bytes(little(cursor, big_endian)?).into(),
        Scalar::F64 => f64::from_le_bytes(little(cursor, big_endian)?),
    })
}
