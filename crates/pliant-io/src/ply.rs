//! PLY: the vertices and faces of a file, in text or binary.

use std::path::Path;

use pliant::Mesh;
use pliant::glam::DVec3;

use crate::ply_header::{Element, Encoding, Kind, Property, read_header};
use crate::ply_rows::Rows;
use crate::polygons::Polygons;
use crate::text_lines::{quoted, shortened};
use crate::{Error, Result};

/// Reads the faces of a PLY file as one mesh.
///
/// All three encodings are supported; text has one row per line. `vertex` needs the properties `x`,
/// `y` and `z` of any types, `face` a list `vertex_indices` or `vertex_index` of any integer type.
/// Elements and properties may be in any order, and others are ignored. Vertices keep the file's
/// order, and polygons become triangles as in [`crate::read_obj`].
///
/// # Errors
/// [`Error::Malformed`] with the line or row, also if something follows the last row;
/// [`Error::Unsupported`] for triangle strips; [`Error::Geometry`] if there is no face.
///
/// ```
/// use std::path::Path;
///
/// let text = b"ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n\
///              property float z\nelement face 1\nproperty list uchar int vertex_indices\n\
///              end_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
/// let mesh = pliant_io::read_ply(text, Path::new("corner.ply"))?;
/// assert_eq!(mesh.triangles(), [[0, 1, 2]]);
/// # Ok::<(), pliant_io::Error>(())
/// ```
pub fn read_ply(bytes: &[u8], file: &Path) -> Result<Mesh> {
    let (positions, polygons) = parse_ply(bytes, file)?;
    polygons.into_mesh(positions, file, "face", 0)
}

/// The vertices of a PLY file and its faces, numbered from 0.
///
/// # Errors
/// Those of [`read_ply`], but faces may name vertices that do not exist.
pub(crate) fn parse_ply(bytes: &[u8], file: &Path) -> Result<(Vec<DVec3>, Polygons)> {
    let header = read_header(bytes, file)?;
    let mut rows = Rows::new(bytes, &header);
    let mut positions = Vec::new();
    let mut polygons = Polygons::default();
    for element in &header.elements {
        check_size(element, header.encoding, rows.rest().len(), file)?;
        match element.name.as_slice() {
            _ if element.count == 0 || element.properties.is_empty() => {}
            b"vertex" => positions = read_vertices(&mut rows, element, file)?,
            b"face" => read_faces(&mut rows, element, &mut polygons, file)?,
            b"tristrips" => {
                let reason = "triangle strips are not read: save the file with faces";
                return Err(Error::unsupported(file, "element `tristrips`", reason));
            }
            _ => for_each_row(&mut rows, element, file, |rows, _| {
                element.properties.iter().try_for_each(|property| rows.skip(property.kind))
            })?,
        }
    }
    let rest = rows.rest();
    if !rest.iter().all(u8::is_ascii_whitespace) {
        let reason = format!("{} bytes follow the last row", rest.len());
        return Err(Error::malformed(file, "end of file", reason));
    }
    Ok((positions, polygons))
}

/// Refuses more rows than the remaining bytes can contain.
fn check_size(element: &Element, encoding: Encoding, left: usize, file: &Path) -> Result<()> {
    let row = element.smallest_row(encoding);
    // The last line of a text may lack its line end.
    let room = if encoding == Encoding::Ascii { left.saturating_add(1) } else { left };
    if element.count.checked_mul(row).is_some_and(|needed| needed <= room) {
        return Ok(());
    }
    let Element { name, count, .. } = element;
    let reason = format!("{count} rows need at least {row} bytes each, but {left} are left");
    Err(Error::malformed(file, format!("element {}", quoted(name)), reason))
}

type Parsed<T> = std::result::Result<T, String>;

fn read_vertices(rows: &mut Rows, element: &Element, file: &Path) -> Result<Vec<DVec3>> {
    let mut axis_of_property = vec![None; element.properties.len()];
    for (axis, name) in [b"x", b"y", b"z"].into_iter().enumerate() {
        let property = the_property(element, &[name], file)?;
        axis_of_property[property] = Some(axis);
    }
    // `check_size` has checked that the rows are in the file.
    let mut positions = Vec::with_capacity(element.count);
    for_each_row(rows, element, file, |rows, _| {
        let mut position = [0.0; 3];
        for (property, axis) in element.properties.iter().zip(&axis_of_property) {
            match (axis, property.kind) {
                (Some(axis), Kind::Scalar(scalar)) => position[*axis] = rows.value(scalar)?,
                (Some(_), Kind::List { .. }) => return Err("a coordinate is a list".into()),
                (None, kind) => rows.skip(kind)?,
            }
        }
        if !position.iter().all(|x| x.is_finite()) {
            return Err(format!("the position {position:?} is not finite"));
        }
        positions.push(DVec3::from_array(position));
        Ok(())
    })?;
    Ok(positions)
}

fn read_faces(
    rows: &mut Rows,
    element: &Element,
    polygons: &mut Polygons,
    file: &Path,
) -> Result<()> {
    let indices = the_property(element, &[b"vertex_indices", b"vertex_index"], file)?;
    for_each_row(rows, element, file, |rows, face| {
        for (number, property) in element.properties.iter().enumerate() {
            match property.kind {
                Kind::List { count, item } if number == indices && item.is_integer() => {
                    for _ in 0..rows.list_length(count)? {
                        polygons.push_corner(rows.natural(item, "vertex number")?);
                    }
                    polygons.finish(face)?;
                }
                _ if number == indices => {
                    return Err("the vertices of a face are not a list of integers".into());
                }
                kind => rows.skip(kind)?,
            }
        }
        Ok(())
    })
}

/// The index of the only property with one of these names.
fn the_property(element: &Element, names: &[&[u8]], file: &Path) -> Result<usize> {
    let named = |property: &Property| names.contains(&property.name.as_slice());
    let mut found = element.properties.iter().enumerate().filter(|(_, p)| named(p));
    let refuse = |what: &str| {
        let reason = format!("has {what} property {}", quoted(names[0]));
        Error::malformed(file, format!("element {}", quoted(&element.name)), reason)
    };
    let (number, _) = found.next().ok_or_else(|| refuse("no"))?;
    if found.next().is_some() {
        return Err(refuse("more than one"));
    }
    Ok(number)
}

/// Reads the rows of an element with `read`, which gets each row's number.
fn for_each_row<'a>(
    rows: &mut Rows<'a>,
    element: &Element,
    file: &Path,
    mut read: impl FnMut(&mut Rows<'a>, usize) -> Parsed<()>,
) -> Result<()> {
    for row in 0..element.count {
        let outcome = rows.begin().and_then(|()| read(rows, row)).and_then(|()| rows.end());
        outcome.map_err(|reason| {
            let name = shortened(&element.name);
            let place = match rows.line_number() {
                Some(line) => format!("line {line} ({name} {row})"),
                None => format!("{name} {row}"),
            };
            Error::malformed(file, place, reason)
        })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Result<Mesh> {
        read_ply(bytes, Path::new("t.ply"))
    }

    const HEADER: &str = "ply\nformat ascii 1.0\nelement vertex 3\nproperty uchar red\n\
        property float z\nproperty list uchar short junk\nproperty double x\nproperty char y\n\
        element edge 2\nproperty int a\nproperty list int float b\nelement face 2\n\
        property list uchar uint other\nproperty list short ushort vertex_index\n\
        property int flags\nelement nothing 9999999999999\nend_header\n";
    const ROWS: &str = "255 0.5 0 0.1 -3\n\n0 1 2 7 7 1e3 4\n0 0 1 9 0 0\n\
        1 0\n2 3 x y z\n0 3 0 1 2 7\n2 8 8 4 2 1 0 1 9\n";

    #[test]
    fn any_properties_in_any_order() {
        let mesh = read(format!("{HEADER}{ROWS}").as_bytes()).unwrap();
        let z = [DVec3::new(0.1, -3.0, 0.5), DVec3::new(1e3, 4.0, 1.0), DVec3::ZERO];
        assert_eq!(mesh.positions(), z);
        assert_eq!(mesh.triangles(), [[0, 1, 2], [2, 1, 0], [2, 0, 1]]);
    }

    #[test]
    fn faces_may_come_before_vertices() {
        let text = "ply\nformat ascii 1.0\nelement face 1\nproperty list uchar int vertex_indices\n\
            element vertex 3\nproperty int x\nproperty int y\nproperty int z\nend_header\n\
            3 2 1 0\n0 0 0\n1 0 0\n0 1 0";
        assert_eq!(read(text.as_bytes()).unwrap().triangles(), [[2, 1, 0]]);
    }

    #[test]
    fn wrong_rows_are_named() {
        let cases = [
            ("255 0.5 0 0.1 -3", "255 0.5 0 0.1", "line 18 (vertex 0): the row has too few values"),
            ("255 0.5 0 0.1 -3", "255 0.5 0 0.1 -3 0", "line 18 (vertex 0): `0` follows the last"),
            ("255 0.5 0 0.1 -3", "255 0.5 0 nan -3", "line 18 (vertex 0): the position [NaN,"),
            ("255 0.5 0 0.1 -3", "255 0.5 -1 0.1 -3", "(vertex 0): -1 is not a length of a list"),
            ("255 0.5 0 0.1 -3", "255 0.5 0 , -3", "(vertex 0): `,` is not a number"),
            ("1 0\n2 3 x", "1 0\n2 4294967295 x", "line 23 (edge 1): the row has too few values"),
            (
                "0 3 0 1 2",
                "0 3 0 1 3",
                "face 0: corner 3 names vertex 3 of 3 (the first is vertex 0)",
            ),
            ("0 3 0 1 2", "0 3 0 1 1.5", "line 24 (face 0): 1.5 is not a vertex number"),
            ("0 3 0 1 2", "0 3 0 -1 2", "line 24 (face 0): -1 is not a vertex number"),
            ("0 3 0 1 2", "0 2 0 1", "line 24 (face 0): a face needs three corners or more, not 2"),
            ("2 8 8 4 2 1 0 1 9\n", "", "line 24 (face 1): the file ends before this row"),
            ("4 2 1 0 1 9\n", "4 2 1 0 1 9\n\n3", "end of file: 2 bytes follow the last row"),
        ];
        for (from, to, expected) in cases {
            assert!(ROWS.contains(from), "{from}");
            let text = format!("{HEADER}{}", ROWS.replacen(from, to, 1));
            let refusal = read(text.as_bytes()).unwrap_err().to_string();
            assert!(refusal.contains(expected), "{refusal}");
        }
    }

    #[test]
    fn wrong_headers_are_named() {
        let cases = [
            ("double x", "double X", "element `vertex`: has no property `x`"),
            ("uchar red", "uchar x", "element `vertex`: has more than one property `x`"),
            ("double x", "list int int x", "(vertex 0): a coordinate is a list"),
            ("short ushort v", "short float v", "the vertices of a face are not a list of int"),
            ("vertex_index", "indices", "element `face`: has no property `vertex_indices`"),
            (
                "element vertex 3",
                "element vertex 99999999",
                "99999999 rows need at least 10 bytes each",
            ),
            ("element edge 2", "element tristrips 2", "element `tristrips`: triangle strips are"),
        ];
        for (from, to, expected) in cases {
            assert!(HEADER.contains(from), "{from}");
            let text = format!("{}{ROWS}", HEADER.replacen(from, to, 1));
            let refusal = read(text.as_bytes()).unwrap_err().to_string();
            assert!(refusal.contains(expected), "{refusal}");
        }
    }

    #[test]
    fn a_binary_row_that_is_cut_is_named() {
        let mut bytes = b"ply\nformat binary_big_endian 1.0\nelement vertex 1\nproperty char x\n\
            property char y\nproperty char z\nelement face 1\n\
            property list uint int vertex_indices\nend_header\n"
            .to_vec();
        let body = bytes.len();
        bytes.extend([1, 2, 0xff, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(read(&bytes).unwrap().positions(), [DVec3::new(1.0, 2.0, -1.0)]);
        let refusal = read(&bytes[..bytes.len() - 1]).unwrap_err().to_string();
        let offset = body + 15;
        assert_eq!(
            refusal,
            format!("t.ply: face 0: needs 4 bytes at byte {offset}, but 3 are left")
        );
    }
}
