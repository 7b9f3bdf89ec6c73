//! The header of a PLY file: its elements and their properties.

use std::collections::HashSet;
use std::path::Path;

use crate::text_lines::{parse, quoted, words};
use crate::{Error, Result};

/// The encoding of values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Encoding {
    Ascii,
    LittleEndian,
    BigEndian,
}

/// The type of a number. `f64` represents every value of every type exactly.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Scalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl Scalar {
    fn named(name: &[u8]) -> Option<Self> {
        Some(match name {
            b"char" | b"int8" => Self::I8,
            b"uchar" | b"uint8" => Self::U8,
            b"short" | b"int16" => Self::I16,
            b"ushort" | b"uint16" => Self::U16,
            b"int" | b"int32" => Self::I32,
            b"uint" | b"uint32" => Self::U32,
            b"float" | b"float32" => Self::F32,
            b"double" | b"float64" => Self::F64,
            _ => return None,
        })
    }

    /// Bytes of a value in a binary file.
    pub(crate) fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::F64 => 8,
        }
    }

    pub(crate) fn is_integer(self) -> bool {
        !matches!(self, Self::F32 | Self::F64)
    }
}

/// One number, or a list of numbers after their count.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Kind {
    Scalar(Scalar),
    List { count: Scalar, item: Scalar },
}

/// A named part of an element's row.
#[derive(Debug, PartialEq)]
pub(crate) struct Property {
    pub(crate) name: Vec<u8>,
    pub(crate) kind: Kind,
}

/// A table: `count` rows of the same properties.
#[derive(Debug, PartialEq)]
pub(crate) struct Element {
    pub(crate) name: Vec<u8>,
    pub(crate) count: usize,
    pub(crate) properties: Vec<Property>,
}

impl Element {
    /// The smallest number of bytes per row: lists may be empty, and a text value is at least one
    /// character and one separator.
    pub(crate) fn smallest_row(&self, encoding: Encoding) -> usize {
        let smallest = |property: &Property| match (encoding, property.kind) {
            (Encoding::Ascii, _) => 2,
            (_, Kind::Scalar(scalar) | Kind::List { count: scalar, .. }) => scalar.size(),
        };
        self.properties.iter().map(smallest).sum()
    }
}

/// The contents of the header, and where the rows begin.
#[derive(Debug)]
pub(crate) struct Header {
    pub(crate) encoding: Encoding,
    pub(crate) elements: Vec<Element>,
    pub(crate) body: usize,
    pub(crate) lines: usize,
}

/// Reads the header up to and including the line `end_header`.
pub(crate) fn read_header(bytes: &[u8], file: &Path) -> Result<Header> {
    // The first line determines how lines end: in a binary file, the byte after a lone CR of
    // `end_header` may be an LF that is data.
    let lone_cr = bytes.starts_with(b"ply\r") && !bytes.starts_with(b"ply\r\n");
    let ending = if lone_cr { b'\r' } else { b'\n' };

    let mut encoding = None;
    let mut elements: Vec<Element> = Vec::new();
    let mut names = HashSet::new();
    let mut body = 0;
    let mut number = 0;
    loop {
        let rest = &bytes[body..];
        number += 1;
        let refuse = |reason: String| Error::malformed(file, format!("line {number}"), reason);
        let Some(length) = rest.iter().position(|&byte| byte == ending) else {
            return Err(refuse("the file ends before its header does".into()));
        };
        body += length + 1;
        let mut words = words(&rest[..length]);
        match (number, words.next()) {
            (1, Some(b"ply")) => {}
            (1, _) => return Err(refuse("a PLY file begins with `ply`".into())),
            (_, None | Some(b"comment" | b"obj_info")) => {}
            (_, Some(b"format")) => encoding = Some(format(words).map_err(refuse)?),
            (_, Some(b"element")) => {
                let element = element(words).map_err(refuse)?;
                if !names.insert(element.name.clone()) {
                    return Err(refuse(format!("a second element {}", quoted(&element.name))));
                }
                elements.push(element);
            }
            (_, Some(b"property")) => {
                let property = property(words).map_err(refuse)?;
                let element = elements
                    .last_mut()
                    .ok_or_else(|| refuse("a property before any element".into()))?;
                element.properties.push(property);
            }
            (_, Some(b"end_header")) => break,
            (_, Some(word)) => return Err(refuse(format!("unknown keyword {}", quoted(word)))),
        }
    }
    let encoding =
        encoding.ok_or_else(|| Error::malformed(file, "header", "has no line `format`"))?;
    Ok(Header { encoding, elements, body, lines: number })
}

type Parsed<T> = std::result::Result<T, String>;

fn format<'a>(mut words: impl Iterator<Item = &'a [u8]>) -> Parsed<Encoding> {
    let (name, version) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    if version != b"1.0" {
        return Err(format!("version {} is not 1.0", quoted(version)));
    }
    match name {
        b"ascii" => Ok(Encoding::Ascii),
        b"binary_little_endian" => Ok(Encoding::LittleEndian),
        b"binary_big_endian" => Ok(Encoding::BigEndian),
        _ => Err(format!("unknown format {}", quoted(name))),
    }
}

fn element<'a>(mut words: impl Iterator<Item = &'a [u8]>) -> Parsed<Element> {
    let name = words.next().ok_or("an element without a name")?;
    let count = words.next().unwrap_or_default();
    let count = parse(count)
        .ok_or_else(|| format!("{} is not a number of {}", quoted(count), quoted(name)))?;
    Ok(Element { name: name.to_vec(), count, properties: Vec::new() })
}

fn property<'a>(mut words: impl Iterator<Item = &'a [u8]>) -> Parsed<Property> {
    let mut word = || words.next().ok_or("a property without a type or a name");
    let scalar =
        |name: &[u8]| Scalar::named(name).ok_or_else(|| format!("unknown type {}", quoted(name)));
    let kind = match word()? {
        b"list" => {
            let (count, item) = (scalar(word()?)?, scalar(word()?)?);
            if !count.is_integer() {
                return Err("the length of a list is not an integer".into());
            }
            Kind::List { count, item }
        }
        name => Kind::Scalar(scalar(name)?),
    };
    Ok(Property { name: word()?.to_vec(), kind })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Result<Header> {
        read_header(bytes, Path::new("t.ply"))
    }

    #[test]
    fn any_line_ending_and_nothing_more() {
        let text = "ply\ncomment end_header\nformat binary_big_endian 1.0\nelement face 7\n\
                    property list uint8 int vertex_index\nproperty double area\nend_header\n";
        for ending in ["\n", "\r\n", "\r"] {
            let text = text.replace('\n', ending);
            let header = read(format!("{text}\n\r").as_bytes()).unwrap();
            assert_eq!(header.body, text.len());
            assert_eq!(header.lines, 7);
            assert_eq!(header.encoding, Encoding::BigEndian);
            let [face] = &header.elements[..] else { panic!("{header:?}") };
            assert_eq!((face.count, face.smallest_row(Encoding::BigEndian)), (7, 9));
            assert_eq!(face.smallest_row(Encoding::Ascii), 4);
            let list = Kind::List { count: Scalar::U8, item: Scalar::I32 };
            assert_eq!(face.properties[0], Property { name: b"vertex_index".to_vec(), kind: list });
        }
    }

    #[test]
    fn wrong_lines_are_named() {
        let cases = [
            ("PLY\n", "line 1: a PLY file begins with `ply`"),
            ("", "line 1: the file ends before its header does"),
            ("ply\nformat ascii 1.0\n", "line 3: the file ends before its header does"),
            ("ply\nformat ascii 2.0\n", "line 2: version `2.0` is not 1.0"),
            ("ply\nformat utf8 1.0\n", "line 2: unknown format `utf8`"),
            ("ply\nend_header\n", "header: has no line `format`"),
            ("ply\nelement vertex\n", "line 2: `` is not a number of `vertex`"),
            ("ply\nelement vertex -1\n", "line 2: `-1` is not a number of `vertex`"),
            ("ply\nelement\n", "line 2: an element without a name"),
            ("ply\nelement a 1\nelement a 1\n", "line 3: a second element `a`"),
            ("ply\nproperty int x\n", "line 2: a property before any element"),
            ("ply\nelement a 1\nproperty int\n", "line 3: a property without a type or a name"),
            ("ply\nelement a 1\nproperty word x\n", "line 3: unknown type `word`"),
            ("ply\nelement a 1\nproperty list float int x\n", "line 3: the length of a list"),
            ("ply\nwhatever\n", "line 2: unknown keyword `whatever`"),
        ];
        for (text, expected) in cases {
            let refusal = read(text.as_bytes()).unwrap_err().to_string();
            assert!(refusal.starts_with(&format!("t.ply: {expected}")), "{refusal}");
        }
    }
}
