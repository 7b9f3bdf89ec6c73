//! MD2: the keyframed models of Quake II.

use std::path::Path;

use pliant::Mesh;
use pliant::glam::DVec3;

use crate::cursor::Cursor;
use crate::polygons::mesh;
use crate::text_lines::shortened;
use crate::{Error, Result};

/// A mesh with a sequence of named keyframes.
#[derive(Debug, Clone, PartialEq)]
pub struct KeyframedMesh {
    /// The triangles; the rest shape is the first keyframe.
    pub mesh: Mesh,
    /// The keyframes in file order: at least one, each with one position per vertex.
    pub keyframes: Vec<Keyframe>,
}

/// A named shape of a mesh.
#[derive(Debug, Clone, PartialEq)]
pub struct Keyframe {
    /// Its name, such as `run3`.
    pub name: String,
    /// One position per vertex.
    pub positions: Vec<DVec3>,
}

/// Bytes of a frame before its vertices: scale, translation, name.
const FRAME_HEAD: usize = 40;

/// Bytes of a vertex of a frame: three steps and the number of a normal.
const VERTEX: usize = 4;

/// Bytes of a triangle: three vertices and three texture coordinates, 16 bits each.
const TRIANGLE: usize = 12;

/// Reads an MD2 model.
///
/// Axes (z is up), units and winding (clockwise, seen from outside) stay those of the file.
///
/// # Errors
/// [`Error::Malformed`] with the field, triangle or frame, [`Error::Unsupported`] for another
/// version, [`Error::Geometry`] if there is no triangle.
///
/// ```
/// let refused = pliant_io::read_md2(b"IDP2", "short.md2".as_ref());
/// assert_eq!(
///     refused.unwrap_err().to_string(),
///     "short.md2: header: needs 4 bytes at byte 4, but 0 are left"
/// );
/// ```
pub fn read_md2(bytes: &[u8], file: &Path) -> Result<KeyframedMesh> {
    let header = Header::read(bytes, file)?;
    let mut triangles = Vec::with_capacity(header.triangles.len() / TRIANGLE);
    for (number, triangle) in header.triangles.chunks_exact(TRIANGLE).enumerate() {
        let corner = |i: usize| u16::from_le_bytes([triangle[2 * i], triangle[2 * i + 1]]);
        let corners = [corner(0), corner(1), corner(2)];
        if let Some(vertex) = corners.into_iter().find(|&v| usize::from(v) >= header.vertices) {
            let reason = format!("names vertex {vertex} of {}", header.vertices);
            return Err(Error::malformed(file, format!("triangle {number}"), reason));
        }
        triangles.push(corners.map(u32::from));
    }
    let mut keyframes = Vec::with_capacity(header.frames.len() / header.frame_size);
    for (number, frame) in header.frames.chunks_exact(header.frame_size).enumerate() {
        keyframes.push(
            keyframe(frame)
                .map_err(|reason| Error::malformed(file, format!("frame {number}"), reason))?,
        );
    }
    let rest = keyframes.first().map(|first| first.positions.clone()).unwrap_or_default();
    Ok(KeyframedMesh { mesh: mesh(rest, triangles, file)?, keyframes })
}

fn keyframe(frame: &[u8]) -> std::result::Result<Keyframe, String> {
    let mut cursor = Cursor::new(frame, 0);
    let mut vector = || -> std::result::Result<DVec3, String> {
        let mut vector = [0.0; 3];
        for component in &mut vector {
            *component = f64::from(f32::from_le_bytes(cursor.array()?));
        }
        Ok(DVec3::from_array(vector))
    };
    let (scale, translation) = (vector()?, vector()?);
    if !(scale.is_finite() && translation.is_finite()) {
        return Err(format!("scale {scale} or translation {translation} is not finite"));
    }
    let name = cursor.take(16)?;
    let name = name.split(|&byte| byte == 0).next().unwrap_or_default();
    // The product of 8 and 24 bits is exact in `f64`, and finite.
    let position =
        |v: &[u8]| DVec3::new(v[0].into(), v[1].into(), v[2].into()) * scale + translation;
    let positions = cursor.rest().chunks_exact(VERTEX).map(position).collect();
    Ok(Keyframe { name: shortened(name), positions })
}

/// The used parts of the file, all within its bounds.
struct Header<'a> {
    vertices: usize,
    frame_size: usize,
    triangles: &'a [u8],
    frames: &'a [u8],
}

impl<'a> Header<'a> {
    fn read(bytes: &'a [u8], file: &Path) -> Result<Self> {
        let refuse = |reason: String| Error::malformed(file, "header", reason);
        let mut cursor = Cursor::new(bytes, 0);
        let mut word = || cursor.array().map_err(|short| refuse(short.into()));
        if &word()? != b"IDP2" {
            return Err(refuse("an MD2 file begins with `IDP2`".into()));
        }
        let version = i32::from_le_bytes(word()?);
        if version != 8 {
            let reason = format!("version {version} of MD2 is not supported, only version 8");
            return Err(Error::unsupported(file, "header", reason));
        }
        let mut field = |name: &str| {
            let value = i32::from_le_bytes(word()?);
            usize::try_from(value).map_err(|_| refuse(format!("{name} is {value}")))
        };
        field("skin width")?;
        field("skin height")?;
        let frame_size = field("frame size")?;
        let skins = field("number of skins")?;
        let vertices = field("number of vertices")?;
        let texture = field("number of texture coordinates")?;
        let triangles = field("number of triangles")?;
        let commands = field("number of commands")?;
        let frames = field("number of frames")?;
        let starts = [
            ("skins", field("offset of skins")?, skins, 64),
            ("texture coordinates", field("offset of texture coordinates")?, texture, 4),
            ("triangles", field("offset of triangles")?, triangles, TRIANGLE),
            ("frames", field("offset of frames")?, frames, frame_size),
            ("commands", field("offset of commands")?, commands, 4),
        ];
        let end = field("end")?;
        let Some(model) = bytes.get(..end) else {
            return Err(refuse(format!(
                "the model ends at byte {end}, but the file at {}",
                bytes.len()
            )));
        };
        // Unused parts must also be within the file: a file with wrong claims is not trusted.
        let mut parts = [&[][..]; 5];
        for ((name, start, count, size), part) in starts.into_iter().zip(&mut parts) {
            let stop = count.checked_mul(size).and_then(|length| length.checked_add(start));
            *part = stop.and_then(|stop| model.get(start..stop)).ok_or_else(|| {
                refuse(format!("{count} {name} of {size} bytes at byte {start} pass the end {end}"))
            })?;
        }
        if vertices.checked_mul(VERTEX).and_then(|v| v.checked_add(FRAME_HEAD)) != Some(frame_size)
        {
            let reason = format!("a frame of {vertices} vertices does not have {frame_size} bytes");
            return Err(refuse(reason));
        }
        let [_, _, triangles, frames, _] = parts;
        if frames.is_empty() {
            return Err(refuse("there is no frame".into()));
        }
        Ok(Self { vertices, frame_size, triangles, frames })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three vertices, one triangle and two frames.
    fn model() -> Vec<u8> {
        let frame_size = FRAME_HEAD as i32 + 3 * VERTEX as i32;
        let (triangles, frames) = (68, 68 + TRIANGLE as i32);
        let end = frames + 2 * frame_size;
        let mut bytes = b"IDP2".to_vec();
        let fields = [8, 64, 32, frame_size, 0, 3, 0, 1, 0, 2, 68, 68, triangles, frames, end, end];
        bytes.extend(fields.map(i32::to_le_bytes).as_flattened());
        bytes.extend([2u16, 1, 0, 0, 0, 0].map(u16::to_le_bytes).as_flattened());
        for (name, scale) in [(b"stand\0junk......", 0.5f32), (b"sixteen_letters_", 1.0)] {
            bytes
                .extend([scale, scale, scale, 0.1, 0.0, -1.0].map(f32::to_le_bytes).as_flattened());
            bytes.extend(name);
            bytes.extend([[0, 0, 0, 9], [255, 0, 0, 9], [0, 4, 2, 9]].as_flattened());
        }
        assert_eq!(bytes.len(), end as usize);
        bytes
    }

    fn read(bytes: &[u8]) -> Result<KeyframedMesh> {
        read_md2(bytes, Path::new("t.md2"))
    }

    #[test]
    fn frames_are_scaled_and_moved() {
        let KeyframedMesh { mesh, keyframes } = read(&model()).unwrap();
        let tenth = f64::from(0.1f32);
        assert_eq!(mesh.triangles(), [[2, 1, 0]]);
        assert_eq!(mesh.positions(), keyframes[0].positions);
        assert_eq!(keyframes[0].positions[1], DVec3::new(127.5 + tenth, 0.0, -1.0));
        assert_eq!(keyframes[1].positions[2], DVec3::new(tenth, 4.0, 1.0));
        let names: Vec<_> = keyframes.iter().map(|frame| frame.name.as_str()).collect();
        assert_eq!(names, ["stand", "sixteen_letters_"]);
    }

    #[test]
    fn every_cut_is_refused() {
        let good = model();
        (0..good.len()).for_each(|length| assert!(read(&good[..length]).is_err(), "{length}"));
    }

    #[test]
    fn wrong_fields_are_named() {
        let field = |number: usize, value: i32| (4 * number, value.to_le_bytes());
        let cases = [
            (field(0, 0), "header: an MD2 file begins with `IDP2`"),
            (field(1, 7), "header: version 7 of MD2 is not supported"),
            (field(4, 48), "header: a frame of 3 vertices does not have 48 bytes"),
            (field(4, 0), "header: a frame of 3 vertices does not have 0 bytes"),
            (field(5, 9), "header: 9 skins of 64 bytes at byte 68 pass the end 184"),
            (field(6, 4), "header: a frame of 4 vertices does not have 52 bytes"),
            (field(6, -1), "header: number of vertices is -1"),
            (field(8, 0), "mesh: the mesh has no triangles"),
            (field(8, i32::MAX), "header: 2147483647 triangles of 12 bytes at byte 68 pass"),
            (field(10, 0), "header: there is no frame"),
            (field(10, 3), "header: 3 frames of 52 bytes at byte 80 pass the end 184"),
            (field(14, i32::MAX), "header: 2 frames of 52 bytes at byte 2147483647 pass"),
            (field(16, 185), "header: the model ends at byte 185, but the file at 184"),
            (field(17, 3), "triangle 0: names vertex 3 of 3"),
            (field(20, f32::NAN.to_bits() as i32), "frame 0: scale [NaN, 0.5, 0.5] or"),
        ];
        for ((offset, bytes), expected) in cases {
            let mut bad = model();
            bad[offset..offset + 4].copy_from_slice(&bytes);
            match read(&bad) {
                Ok(_) => panic!("accepted: {expected}"),
                Err(refusal) => assert!(refusal.to_string().contains(expected), "{refusal}"),
            }
        }
    }
}
