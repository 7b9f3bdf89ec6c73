//! STL: triangles without shared vertices, in text or binary.

use std::collections::HashMap;
use std::path::Path;

use pliant::Mesh;
use pliant::glam::DVec3;

use crate::polygons::mesh;
use crate::text_lines::{numbered_lines, parse, quoted, words};
use crate::{Error, Result};

/// Bytes before the facets of a binary file: a free header and the number of facets.
const PREAMBLE: usize = 84;

/// Bytes per binary facet: a normal, three corners, two spare bytes.
const FACET: usize = 50;

/// Reads an STL file, text or binary, as one mesh.
///
/// Corners with equal coordinates (the same bits, except that -0 equals 0) become one vertex, so
/// that neighbours are adjacent. Vertices are numbered in the order of their first occurrence.
/// Degenerate facets are kept, normals are not used, and several solids of a text file are joined.
///
/// A file whose length matches the number of facets at byte 80 is binary, even if it begins with
/// `solid`. Text never matches: four characters of text, read as a number of facets, require more
/// than 7 GB.
///
/// # Errors
/// [`Error::Malformed`] with the facet or line, [`Error::Geometry`] if there is no facet.
///
/// ```
/// use std::path::Path;
///
/// let text = b"solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n\
///              vertex 0 1 0\nendloop\nendfacet\nendsolid s\n";
/// let mesh = pliant_io::read_stl(text, Path::new("s.stl"))?;
/// assert_eq!(mesh.triangles(), [[0, 1, 2]]);
/// # Ok::<(), pliant_io::Error>(())
/// ```
pub fn read_stl(bytes: &[u8], file: &Path) -> Result<Mesh> {
    let facets = if is_text(bytes) { read_text(bytes, file)? } else { read_binary(bytes, file)? };
    mesh(facets.positions, facets.triangles, file)
}

/// The number of facets that a binary file claims, and the corresponding file length.
fn claim(bytes: &[u8]) -> Option<(u32, u64)> {
    let count = u32::from_le_bytes(*bytes.get(PREAMBLE - 4..PREAMBLE)?.first_chunk()?);
    Some((count, PREAMBLE as u64 + u64::from(count) * FACET as u64))
}

/// Whether this is text: its length is not that of a binary file with the claimed facets, and its
/// second non-blank line is one that can follow `solid`.
///
/// The second condition leaves a truncated binary file that begins with `solid` to the binary
/// reader, which reports what is missing.
fn is_text(bytes: &[u8]) -> bool {
    if claim(bytes).is_some_and(|(_, length)| length == bytes.len() as u64) {
        return false;
    }
    let mut first_words = numbered_lines(bytes, 1).filter_map(|(_, line)| words(line).next());
    let begins = first_words.next().is_some_and(|word| word.eq_ignore_ascii_case(b"solid"));
    let goes_on =
        |word: &[u8]| word.eq_ignore_ascii_case(b"facet") || word.eq_ignore_ascii_case(b"endsolid");
    // A single line is truncated text, unless it has a zero byte, which text does not have.
    begins && first_words.next().map_or_else(|| !bytes.contains(&0), goes_on)
}

/// The mesh so far, with the vertex of each position.
#[derive(Default)]
struct Facets {
    positions: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
    vertex_at: HashMap<[u64; 3], u32>,
}

impl Facets {
    /// Adds a facet.
    ///
    /// # Errors
    /// The reason, if a coordinate is not finite or there are too many vertices for 32 bits.
    fn push(&mut self, corners: [[f64; 3]; 3]) -> std::result::Result<(), String> {
        let mut triangle = [0; 3];
        for (corner, vertex) in corners.into_iter().zip(&mut triangle) {
            if !corner.iter().all(|x| x.is_finite()) {
                return Err(format!("the corner {corner:?} is not finite"));
            }
            let next = u32::try_from(self.positions.len()).map_err(|_| "too many vertices")?;
            let key = corner.map(|x| (x + 0.0).to_bits());
            *vertex = *self.vertex_at.entry(key).or_insert(next);
            if *vertex == next {
                self.positions.push(DVec3::from_array(corner));
            }
        }
        self.triangles.push(triangle);
        Ok(())
    }
}

fn read_binary(bytes: &[u8], file: &Path) -> Result<Facets> {
    let length = bytes.len();
    let Some((count, claimed)) = claim(bytes) else {
        let reason = format!(
            "{length} bytes are neither text that begins with `solid` \
             nor the {PREAMBLE} or more of a binary file"
        );
        return Err(Error::malformed(file, "file", reason));
    };
    if claimed != length as u64 {
        let reason =
            format!("{count} facets make a file of {claimed} bytes, but this one has {length}");
        return Err(Error::malformed(file, "facet count", reason));
    }
    let mut facets = Facets::default();
    facets.triangles.reserve_exact(count as usize);
    for (number, facet) in bytes[PREAMBLE..].chunks_exact(FACET).enumerate() {
        let mut corners = [[0.0; 3]; 3];
        let numbers = facet[12..].chunks_exact(4);
        for (coordinate, number) in corners.as_flattened_mut().iter_mut().zip(numbers) {
            let bits = [number[0], number[1], number[2], number[3]];
            *coordinate = f64::from(f32::from_le_bytes(bits));
        }
        facets
            .push(corners)
            .map_err(|reason| Error::malformed(file, format!("facet {number}"), reason))?;
    }
    Ok(facets)
}

/// The expected kind of the next line of text.
#[derive(Clone, Copy, PartialEq)]
enum Expect {
    Solid,
    Facet,
    Loop,
    Vertex,
    EndFacet,
}

fn read_text(bytes: &[u8], file: &Path) -> Result<Facets> {
    let mut facets = Facets::default();
    let mut expect = Expect::Solid;
    let mut corners = [[0.0; 3]; 3];
    let mut corner = 0;
    let mut last = 0;
    for (number, line) in numbered_lines(bytes, 1) {
        last = number;
        let mut words = words(line);
        let Some(keyword) = words.next() else { continue };
        let facet = facets.triangles.len();
        let refuse = |reason: String| {
            Error::malformed(file, format!("line {number} (facet {facet})"), reason)
        };
        expect = match (expect, keyword.to_ascii_lowercase().as_slice()) {
            (Expect::Solid, b"solid") => Expect::Facet,
            (Expect::Facet, b"endsolid") => Expect::Solid,
            (Expect::Facet, b"facet") => Expect::Loop,
            (Expect::Loop, b"outer") => Expect::Vertex,
            (Expect::Vertex, b"vertex") if corner < 3 => {
                corners[corner] = coordinates(words).map_err(refuse)?;
                corner += 1;
                Expect::Vertex
            }
            (Expect::Vertex, b"endloop") if corner == 3 => Expect::EndFacet,
            (Expect::Vertex, b"vertex" | b"endloop") => {
                return Err(refuse("a facet has three corners, not fewer or more".into()));
            }
            (Expect::EndFacet, b"endfacet") => {
                corner = 0;
                facets.push(corners).map_err(refuse)?;
                Expect::Facet
            }
            _ => return Err(refuse(format!("{} is not allowed here", quoted(keyword)))),
        };
    }
    if expect != Expect::Solid {
        let reason = "the file ends before its solid does";
        return Err(Error::malformed(file, format!("line {last}"), reason));
    }
    Ok(facets)
}

fn coordinates<'a>(
    mut words: impl Iterator<Item = &'a [u8]>,
) -> std::result::Result<[f64; 3], String> {
    let mut coordinates = [0.0; 3];
    for coordinate in &mut coordinates {
        let word = words.next().ok_or("a vertex has three coordinates, not fewer")?;
        *coordinate = parse(word).ok_or_else(|| format!("{} is not a number", quoted(word)))?;
    }
    match words.next() {
        None => Ok(coordinates),
        Some(word) => Err(format!("{} follows the three coordinates", quoted(word))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Result<Mesh> {
        read_stl(bytes, Path::new("t.stl"))
    }

    fn facet(corners: [[f32; 3]; 3]) -> String {
        let [a, b, c] = corners.map(|[x, y, z]| format!("   VERTEX {x} {y} {z}\r\n"));
        format!("facet normal nan 0 0\r\n outer loop\r\n{a}{b}{c} endloop\r\nEndFacet\r\n")
    }

    fn binary(header: &[u8], facets: &[[[f32; 3]; 3]]) -> Vec<u8> {
        let mut bytes = header.to_vec();
        bytes.resize(80, b' ');
        bytes.extend((facets.len() as u32).to_le_bytes());
        for facet in facets {
            bytes.extend([0; 12]);
            bytes.extend(facet.as_flattened().iter().flat_map(|x| x.to_le_bytes()));
            bytes.extend([7, 7]);
        }
        bytes
    }

    const FIRST: [[f32; 3]; 3] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.1, 1.0, 0.0]];
    const SECOND: [[f32; 3]; 3] = [[-0.0, 0.0, -0.0], [0.1, 1.0, 0.0], [5.0, 5.0, 5.0]];

    #[test]
    fn equal_corners_become_one_vertex() {
        let mesh = read(&binary(b"solid not text", &[FIRST, SECOND, [FIRST[0]; 3]])).unwrap();
        assert_eq!(mesh.triangles(), [[0, 1, 2], [0, 2, 3], [0, 0, 0]]);
        assert_eq!(mesh.positions()[2], DVec3::new(f64::from(0.1f32), 1.0, 0.0));
        assert_eq!(mesh.positions().len(), 4);
    }

    #[test]
    fn a_header_that_reads_like_text_is_binary_by_its_length() {
        let header = b"solid part\nfacet normal 0 0 1\nouter loop\n";
        assert_eq!(read(&binary(header, &[FIRST])).unwrap().triangles(), [[0, 1, 2]]);
    }

    #[test]
    fn solids_of_a_text_are_joined() {
        let (first, second) = (facet(FIRST), facet(SECOND));
        let text = format!(
            "\n Solid a b c\n{first}endsolid\nsolid\nendsolid\nsolid b\n{second}ENDSOLID b"
        );
        let mesh = read(text.as_bytes()).unwrap();
        assert_eq!(mesh.triangles(), [[0, 1, 2], [0, 2, 3]]);
        assert_eq!(mesh.positions()[2].x, 0.1);
    }

    #[test]
    fn lengths_must_agree() {
        let good = binary(b"solid", &[FIRST, SECOND]);
        for length in 0..good.len() {
            assert!(read(&good[..length]).is_err(), "cut at {length}");
        }
        let mut longer = good;
        longer.push(0);
        assert_eq!(
            read(&longer).unwrap_err().to_string(),
            "t.stl: facet count: 2 facets make a file of 184 bytes, but this one has 185"
        );
        let mut liar = binary(b"", &[FIRST]);
        liar[80..84].copy_from_slice(&u32::MAX.to_le_bytes());
        assert!(read(&liar).unwrap_err().to_string().contains("4294967295 facets"));
    }

    #[test]
    fn no_facets_are_no_mesh() {
        for empty in [binary(b"x", &[]), b"solid x\nendsolid x".to_vec()] {
            let refusal = read(&empty).unwrap_err();
            let source = pliant::Error::EmptyMesh;
            assert!(matches!(refusal, Error::Geometry { source: s, .. } if s == source));
        }
    }

    #[test]
    fn a_corner_that_is_no_number_names_its_facet() {
        let mut bad = FIRST;
        bad[1][2] = f32::NAN;
        let refusal = read(&binary(b"", &[FIRST, bad])).unwrap_err().to_string();
        assert_eq!(refusal, "t.stl: facet 1: the corner [1.0, 0.0, NaN] is not finite");
        let text = format!("solid\n{}{}endsolid", facet(FIRST), facet(bad));
        let refusal = read(text.as_bytes()).unwrap_err().to_string();
        assert_eq!(refusal, "t.stl: line 15 (facet 1): the corner [1.0, 0.0, NaN] is not finite");
    }

    #[test]
    fn wrong_lines_are_named() {
        let good = format!("solid\n{}endsolid\n", facet(FIRST));
        assert!(read(good.as_bytes()).is_ok());
        let cases = [
            ("VERTEX 1 0 0", "vertex 1 0", "line 5 (facet 0): a vertex has three"),
            ("VERTEX 1 0 0", "vertex 1 0 0 0", "line 5 (facet 0): `0` follows"),
            ("VERTEX 1 0 0", "vertex 1 0 o", "line 5 (facet 0): `o` is not a number"),
            ("VERTEX 1 0 0", "", "line 7 (facet 0): a facet has three corners"),
            ("VERTEX 1 0 0", "vertex 1 1 1\nvertex 1 1 1", "line 7 (facet 0): a facet has three"),
            (" endloop", "endfacet", "line 7 (facet 0): `endfacet` is not allowed here"),
            ("endsolid", "", "line 9: the file ends before its solid does"),
            ("EndFacet", "EndFacet\nendsolid\nfacet", "line 10 (facet 1): `facet` is not allowed"),
        ];
        for (from, to, expected) in cases {
            let refusal = read(good.replace(from, to).as_bytes()).unwrap_err().to_string();
            assert!(refusal.contains(expected), "{refusal}");
        }
        assert!(read(b"junk").unwrap_err().to_string().contains("neither text"));
    }
}
