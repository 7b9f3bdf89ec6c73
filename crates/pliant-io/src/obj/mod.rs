//! Wavefront OBJ: the polygons of a text file.

mod parts;

use std::borrow::Cow;
use std::path::Path;

use pliant::Mesh;
use pliant::glam::DVec3;

use crate::model::Model;
use crate::polygons::Polygons;
use crate::text_lines::{numbered_lines, parse, quoted, take_word, words};
use crate::{Error, Result};
use parts::Label;
pub(crate) use parts::Parts;

/// Reads the faces of an OBJ file as one mesh.
///
/// Vertices keep the file's order. Polygons become triangles inside them (a fan if it fits,
/// otherwise by ear clipping, see [`crate::MAX_EAR_CLIPPED_CORNERS`]). A face may come before its
/// vertices. The first three numbers of `v` are used: a weight is for rational curves only, and
/// colours do not matter. Of a corner `v/vt/vn`, `v` is used. Lines, points and unknown keywords
/// are ignored, and so are objects, groups and materials: [`crate::load`] makes objects of them.
///
/// # Errors
/// [`Error::Malformed`] with the line, [`Error::Geometry`] if there is no face.
///
/// ```
/// use std::path::Path;
///
/// let square = b"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf -4 -3 -2 -1\n";
/// let mesh = pliant_io::read_obj(square, Path::new("square.obj"))?;
/// assert_eq!(mesh.triangles(), [[0, 1, 2], [0, 2, 3]]);
/// # Ok::<(), pliant_io::Error>(())
/// ```
pub fn read_obj(bytes: &[u8], file: &Path) -> Result<Mesh> {
    let Obj { positions, polygons, .. } = parse_obj(bytes, file)?;
    polygons.into_mesh(positions, file, "line", 1)
}

/// The contents of an OBJ file.
pub(crate) struct Obj {
    pub(crate) positions: Vec<DVec3>,
    /// The faces, numbered by their lines.
    pub(crate) polygons: Polygons,
    pub(crate) parts: Parts,
}

impl Obj {
    /// The model whose parts are the file's objects, groups and materials. What has no name is
    /// named `name`.
    pub(crate) fn into_model(self, file: &Path, name: &str) -> Result<Model> {
        let Self { positions, polygons, parts } = self;
        let triangles = polygons.into_triangles(&positions, file, "line", 1)?;
        let (parts, warnings) = parts.split(triangles, positions.len(), name);
        Ok(Model { positions, parts, warnings })
    }
}

/// Reads the statements of an OBJ file.
///
/// # Errors
/// [`Error::Malformed`] with the line. Faces may name vertices that do not exist.
pub(crate) fn parse_obj(bytes: &[u8], file: &Path) -> Result<Obj> {
    let mut positions = Vec::new();
    let mut polygons = Polygons::default();
    let mut parts = Parts::default();
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut lines = numbered_lines(text, 1);
    while let Some((number, line)) = lines.next() {
        let line = with_continuations(line, &mut lines);
        let mut rest = &*line;
        let keyword = take_word(&mut rest);
        let words = words(rest).take_while(|word| !word.starts_with(b"#"));
        let outcome = match keyword {
            Some(b"v") => position(words).map(|position| positions.push(position)),
            // `fo` is the older name of `f`.
            Some(b"f" | b"fo") => {
                face(words, positions.len(), &mut polygons, number).map(|()| parts.add_face())
            }
            Some(keyword) => {
                if let Some(label) = Label::of(keyword) {
                    parts.name(label, rest);
                }
                Ok(())
            }
            None => Ok(()),
        };
        outcome.map_err(|reason| Error::malformed(file, format!("line {number}"), reason))?;
    }
    Ok(Obj { positions, polygons, parts })
}

/// A line joined with those that follow its trailing backslashes.
///
/// A comment is not continued: one that ends with a Windows path would hide the next line.
fn with_continuations<'a>(
    line: &'a [u8],
    following: &mut impl Iterator<Item = (usize, &'a [u8])>,
) -> Cow<'a, [u8]> {
    let mut joined = Cow::Borrowed(line);
    let is_comment = line.trim_ascii_start().starts_with(b"#");
    while !is_comment && joined.ends_with(b"\\") {
        let whole = joined.to_mut();
        whole.pop();
        let Some((_, more)) = following.next() else { break };
        whole.push(b' ');
        whole.extend_from_slice(more);
    }
    joined
}

/// The numbers of `v`.
fn position<'a>(words: impl Iterator<Item = &'a [u8]>) -> std::result::Result<DVec3, String> {
    let mut coordinates = [0.0; 3];
    let mut count = 0;
    for word in words {
        let value: f64 = parse(word).ok_or_else(|| format!("{} is not a number", quoted(word)))?;
        if let Some(coordinate) = coordinates.get_mut(count) {
            if !value.is_finite() {
                return Err(format!("the coordinate {} is not finite", quoted(word)));
            }
            *coordinate = value;
        }
        count += 1;
    }
    if count < 3 {
        return Err(format!("a vertex needs three coordinates, not {count}"));
    }
    Ok(DVec3::from_array(coordinates))
}

/// The corners of `f`.
fn face<'a>(
    words: impl Iterator<Item = &'a [u8]>,
    vertices_so_far: usize,
    polygons: &mut Polygons,
    line: usize,
) -> std::result::Result<(), String> {
    for word in words {
        polygons.push_corner(corner(word, vertices_so_far)?);
    }
    polygons.finish(line)
}

/// The vertex of `v`, `v/vt`, `v//vn` or `v/vt/vn`, counted from 0.
fn corner(word: &[u8], vertices_so_far: usize) -> std::result::Result<u32, String> {
    let junk = || format!("{} is not a corner", quoted(word));
    let mut parts = word.split(|&byte| byte == b'/');
    let index: i64 = parts.next().and_then(parse).ok_or_else(junk)?;
    // Texture and normal are not used, so only their form is checked.
    let others = parts.try_fold(0, |count, part| {
        (part.is_empty() || parse::<i64>(part).is_some()).then_some(count + 1)
    });
    if others.is_none_or(|count| count > 2) {
        return Err(junk());
    }
    let vertex = match index {
        0 => return Err("vertices are counted from 1, so there is no vertex 0".into()),
        1.. => index - 1,
        _ => (vertices_so_far as i64).saturating_add(index),
    };
    u32::try_from(vertex).map_err(|_| {
        format!("{} names no vertex: there are {vertices_so_far} so far", quoted(word))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Mesh> {
        read_obj(text.as_bytes(), Path::new("t.obj"))
    }

    fn refusal(text: &str) -> String {
        read(text).unwrap_err().to_string()
    }

    const CORNERS: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";

    #[test]
    fn every_form_of_a_corner() {
        for face in ["f 1 2 3", "f 1/1 2/2 3/3", "f 1//9 2//9 3//9", "f 1/1/1 2/2/2 3/3/3"] {
            assert_eq!(read(&format!("{CORNERS}{face}")).unwrap().triangles(), [[0, 1, 2]]);
        }
        for face in ["f 1/ 2/ 3/", "f 1// 2// 3//", "f 1/5/ 2/5/ 3/5/", "f -3 -2/-1 -1//-1"] {
            assert_eq!(read(&format!("{CORNERS}{face}\n")).unwrap().triangles(), [[0, 1, 2]]);
        }
    }

    #[test]
    fn layout_does_not_matter() {
        let odd = "\u{feff}# a comment that ends with a path \\\r\nv 0 0 0 # here\r\n\
                   \tv  1 0\\\r\n 0\r\ng f 1 2 3\r\no Caf\u{e9}\r\nl 1 2\r\np 1\r\n\
                   whatever 7\r\nf 1 \\\r\n2 \\\r\n3\r\nv 0 1 0 0.5 nan 1\r\n";
        let mesh = read(odd).unwrap();
        assert_eq!(mesh.triangles(), [[0, 1, 2]]);
        assert_eq!(mesh.positions(), [DVec3::ZERO, DVec3::X, DVec3::Y]);
        let latin = b"# caf\xe9\nv 0 0 0 1\nv 1 0 0 2\nv 0 1 0 3\ng \xff\nf 1 2 3";
        assert_eq!(read_obj(latin, Path::new("t.obj")).unwrap().positions(), mesh.positions());
    }

    #[test]
    fn unused_vertices_keep_their_places() {
        let mesh = read("v 9 9 9\nv 0 0 0\nv 1 0 0\nv 8 8 8\nv 0 1 0\nf 5 3 2\n").unwrap();
        assert_eq!(mesh.positions().len(), 5);
        assert_eq!(mesh.triangles(), [[4, 2, 1]]);
    }

    #[test]
    fn decimals_are_read_as_f64() {
        let mesh = read("v 0.1 -1e-300 3.\nv .5 +1 0\nv 0 1 0\nf 1 2 3\n").unwrap();
        assert_eq!(mesh.positions()[0], DVec3::new(0.1, -1e-300, 3.0));
    }

    #[test]
    fn concave_polygons_are_cut_inside() {
        let mesh = read("v 4 -4 0\nv 2 0 0\nv 4 4 0\nv 0 0 0\nf 1 2 3 4\n").unwrap();
        assert!(mesh.triangles().iter().all(|t| t.contains(&1) && t.contains(&3)));
    }

    #[test]
    fn wrong_lines_are_named() {
        let cases = [
            ("f 1 2 4", "line 4: corner 3 names vertex 4 of 3 (the first is vertex 1)"),
            ("f 1 2 -4", "line 4: `-4` names no vertex: there are 3 so far"),
            ("f 1 2 0", "line 4: vertices are counted from 1, so there is no vertex 0"),
            ("f 1 2 3x", "line 4: `3x` is not a corner"),
            ("f 1 2 3/x", "line 4: `3/x` is not a corner"),
            ("f 1 2 3/1/1/1", "line 4: `3/1/1/1` is not a corner"),
            ("f 1 2 /3", "line 4: `/3` is not a corner"),
            ("f 1 2", "line 4: a face needs three corners or more, not 2"),
            ("f", "line 4: a face needs three corners or more, not 0"),
            ("f 1 2 4294967297", "line 4: `4294967297` names no vertex: there are 3 so far"),
            ("f 1 2 99999999999999999999", "line 4: `99999999999999999999` is not a corner"),
            ("f 1 2 -9223372036854775808", "names no vertex: there are 3 so far"),
            ("f 1 2 4294967296", "names vertex 4294967296 of 3"),
            ("\nv 1 2", "line 5: a vertex needs three coordinates, not 2"),
            ("v 1 2 x", "line 4: `x` is not a number"),
            ("v 1 2 3 x", "line 4: `x` is not a number"),
            ("v 1 nan 3", "line 4: the coordinate `nan` is not finite"),
            ("v 1 2 1e999", "line 4: the coordinate `1e999` is not finite"),
            ("", "mesh: the mesh has no triangles"),
        ];
        for (line, expected) in cases {
            let refusal = refusal(&format!("{CORNERS}{line}"));
            assert!(refusal.starts_with("t.obj: "), "{refusal}");
            assert!(refusal.contains(expected), "{line}: {refusal}");
        }
    }
}
