//! Numbered files, one per frame: `cloth_0001.obj`, `cloth_0002.obj` and so on.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use pliant::glam::DVec3;

use crate::file::{extension, stem, unknown_extension};
use crate::model::Model;
use crate::obj::{Obj, Parts, parse_obj};
use crate::ply::parse_ply;
use crate::polygons::Polygons;
use crate::scene::{Keyframes, Warning};
use crate::{Error, Result, Scene, read_file};

/// The extensions of files that can be frames of a sequence: their readers keep every vertex in the
/// file's order.
pub const SEQUENCE_EXTENSIONS: [&str; 2] = ["obj", "ply"];

/// Digits of a frame number, at the most; such numbers are exact in `f64`.
const MAX_DIGITS: usize = 15;

/// Whether a path stands for numbered files: its name has one run of `#` or one `%d`, `%04d` or the
/// like, and there is no file of this very name.
///
/// ```
/// assert!(pliant_io::is_sequence("out/cloth_####.obj".as_ref()));
/// assert!(pliant_io::is_sequence("out/cloth.%04d.ply".as_ref()));
/// assert!(!pliant_io::is_sequence("out/cloth.obj".as_ref()));
/// ```
#[must_use]
pub fn is_sequence(path: &Path) -> bool {
    Pattern::of(path).is_some() && path.symlink_metadata().is_err()
}

/// Reads numbered OBJ or PLY files as a scene whose objects have a keyframe per file.
///
/// In the pattern's file name `####` stands for a number of at least four digits, as `%04d` does,
/// and `#` or `%d` for one without leading zeros. All files that fit are read, in the order of their
/// numbers. File `n` is at `n / frames_per_second` seconds. The first file gives objects, triangles
/// and shape at rest. The others must have the same number of vertices and the same faces.
///
/// # Errors
/// [`Error::Unsupported`] if the path is no pattern, for another extension and for a rate that is
/// not positive; [`Error::Malformed`] with the file that differs from the first one; the errors of
/// [`crate::read_obj`] and [`crate::read_ply`].
///
/// ```no_run
/// let cloth = pliant_io::load_sequence("cloth_####.obj", 24.0)?;
/// let pose = cloth.pose(Some(0), 1.5);
/// # Ok::<(), pliant_io::Error>(())
/// ```
pub fn load_sequence(pattern: impl AsRef<Path>, frames_per_second: f64) -> Result<Scene> {
    let path = pattern.as_ref();
    let Some(pattern) = Pattern::of(path) else {
        let reason = "a sequence needs one run of `#`, or `%04d` or the like, in its file name";
        return Err(Error::unsupported(path, "file name", reason));
    };
    if !(frames_per_second.is_finite() && frames_per_second > 0.0) {
        let element = format!("{frames_per_second} frames per second");
        return Err(Error::unsupported(path, element, "the rate must be positive and finite"));
    }
    let files = pattern.files()?;
    let rate = frames_per_second;
    let Some(((_, first), _)) = files.split_first() else {
        let reason = "no file has a name of this form";
        return Err(Error::unsupported(path, "sequence", reason));
    };
    let (first, paths) = (first.clone(), files.iter().map(|(_, file)| file.as_path()));
    let (mut model, frames) = read_frames(&first, paths, &pattern.name(path))?;
    let times = files.iter().map(|&(number, _)| number as f64 / rate).collect();
    model.warnings.extend(gaps(&files));
    model.into_scene(Some(Keyframes { times, frames }), path)
}

/// Loads OBJ or PLY files of one topology as the frames of one animation, in this order, a second
/// apart.
///
/// # Errors
/// Those of [`load_sequence`]; no file at all.
pub fn load_frames(files: &[impl AsRef<Path>]) -> Result<Scene> {
    let Some(first) = files.first().map(AsRef::as_ref) else {
        return Err(Error::unsupported(Path::new(""), "frames", "there is no file"));
    };
    let (model, frames) = read_frames(first, files.iter().map(AsRef::as_ref), &stem(first))?;
    let times = (0..frames.len()).map(|number| number as f64).collect();
    model.into_scene(Some(Keyframes { times, frames }), first)
}

/// Reads files of one topology: the model of the first, and the positions of each.
fn read_frames<'a>(
    first_file: &Path,
    files: impl Iterator<Item = &'a Path>,
    name: &str,
) -> Result<(Model, Vec<Vec<DVec3>>)> {
    let first = read(first_file)?;
    let mut frames = vec![first.positions.clone()];
    for file in files.skip(1) {
        let next = read(file)?;
        let differs = |element: String, reason: String| {
            let reason = format!("{reason}: {}", first_file.display());
            Err(Error::malformed(file, element, reason))
        };
        let (expected, given) = (first.positions.len(), next.positions.len());
        if expected != given {
            return differs(
                "vertices".into(),
                format!("{given} instead of {expected}, as in the first file of the sequence"),
            );
        }
        if let Some(number) = next.polygons.first_difference(&first.polygons) {
            let element = format!("{} {number}", next.noun);
            return differs(
                element,
                "the faces are not those of the first file of the sequence".into(),
            );
        }
        frames.push(next.positions);
    }
    Ok((first.into_model(first_file, name)?, frames))
}

/// A warning if the numbers do not follow each other in equal steps.
fn gaps(files: &[(u64, PathBuf)]) -> Option<Warning> {
    let mut steps = files.windows(2).map(|two| (two[0].0, two[1].0 - two[0].0));
    let (_, usual) = steps.next()?;
    let (before, _) = steps.find(|&(_, step)| step != usual)?;
    let reason = format!(
        "after frame {before} the step between frames changes; positions in between are blended"
    );
    Some(Warning::new("sequence", reason))
}

/// The vertices and faces of one file.
struct Frame {
    positions: Vec<DVec3>,
    polygons: Polygons,
    /// What messages call a face.
    noun: &'static str,
    /// The parts of an OBJ file.
    obj_parts: Option<Parts>,
}

fn read(file: &Path) -> Result<Frame> {
    let bytes = || read_file(file);
    match extension(file).as_str() {
        "obj" => {
            let Obj { positions, polygons, parts } = parse_obj(&bytes()?, file)?;
            Ok(Frame { positions, polygons, noun: "line", obj_parts: Some(parts) })
        }
        "ply" => {
            let (positions, polygons) = parse_ply(&bytes()?, file)?;
            Ok(Frame { positions, polygons, noun: "face", obj_parts: None })
        }
        _ => Err(unknown_extension(file, &SEQUENCE_EXTENSIONS)),
    }
}

impl Frame {
    fn into_model(self, file: &Path, name: &str) -> Result<Model> {
        let Self { positions, polygons, obj_parts, .. } = self;
        match obj_parts {
            Some(parts) => Obj { positions, polygons, parts }.into_model(file, name),
            None => {
                let triangles = polygons.into_triangles(&positions, file, "face", 0)?;
                Ok(Model::of_mesh(positions, triangles.list, name))
            }
        }
    }
}

/// A file name with a place for a number.
struct Pattern<'a> {
    folder: &'a Path,
    /// The name before and after the number, as [`OsStr::as_encoded_bytes`].
    before: &'a [u8],
    after: &'a [u8],
    /// Digits of small numbers, which have leading zeros.
    width: usize,
}

impl<'a> Pattern<'a> {
    fn of(path: &'a Path) -> Option<Self> {
        let name = path.file_name()?.as_encoded_bytes();
        let folder = path.parent()?;
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let is_mark = |byte: &u8| matches!(byte, b'#' | b'%');
        let start = name.iter().position(is_mark)?;
        let rest = &name[start..];
        let (length, width) = if rest[0] == b'#' {
            let width = rest.iter().take_while(|&&byte| byte == b'#').count();
            (width, width)
        } else {
            let digits = rest[1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
            let width = std::str::from_utf8(&rest[1..1 + digits]).ok()?;
            // `%4d` would be padded with blanks.
            let padded = width.is_empty() || width.starts_with('0');
            if rest.get(1 + digits) != Some(&b'd') || !padded {
                return None;
            }
            let width = if width.is_empty() { 1 } else { width.parse().ok()? };
            (digits + 2, width.max(1))
        };
        let after = &rest[length..];
        let usable = width <= MAX_DIGITS && !after.iter().any(is_mark);
        usable.then_some(Self { folder, before: &name[..start], after, width })
    }

    /// The files that fit, by their numbers in increasing order.
    fn files(&self) -> Result<Vec<(u64, PathBuf)>> {
        let io = |source| Error::Io { file: self.folder.into(), source };
        let mut files = Vec::new();
        for entry in self.folder.read_dir().map_err(io)? {
            let name = entry.map_err(io)?.file_name();
            if let Some(number) = self.number(&name) {
                files.push((number, self.folder.join(name)));
            }
        }
        files.sort_unstable();
        Ok(files)
    }

    /// The number in a file name, if it has this form. A number is written in one way only, so
    /// that no two names have the same.
    fn number(&self, name: &OsStr) -> Option<u64> {
        let name = name.as_encoded_bytes().strip_prefix(self.before)?;
        let digits = name.strip_suffix(self.after)?;
        let is_padded = digits.len() == self.width;
        let is_longer = digits.len() > self.width && digits.first() != Some(&b'0');
        let usable = digits.len() <= MAX_DIGITS && digits.iter().all(u8::is_ascii_digit);
        if !usable || !(is_padded || is_longer) {
            return None;
        }
        std::str::from_utf8(digits).ok()?.parse().ok()
    }

    /// A name for objects: that of the files without the number and what sets it off.
    fn name(&self, path: &Path) -> String {
        let before = String::from_utf8_lossy(self.before);
        let name = before.trim_end_matches(['_', '-', '.', ' ']);
        if name.is_empty() { stem(path) } else { name.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_one_form() {
        let number = |pattern: &str, name: &str| {
            Pattern::of(Path::new(pattern)).unwrap().number(OsStr::new(name))
        };
        for pattern in ["a/x_####.obj", "x_%04d.obj"] {
            assert_eq!(number(pattern, "x_0012.obj"), Some(12));
            assert_eq!(number(pattern, "x_12345.obj"), Some(12_345));
            for other in
                ["x_012.obj", "x_00012.obj", "x_.obj", "x_+012.obj", "y_0012.obj", "x_0012.ply"]
            {
                assert_eq!(number(pattern, other), None, "{other}");
            }
        }
        assert_eq!(number("#.ply.gz", "0.ply.gz"), Some(0));
        assert_eq!(number("%d.ply", "10.ply"), Some(10));
        assert_eq!(number("%d.ply", "010.ply"), None);
        assert_eq!(number("#.ply", "9999999999999999.ply"), None);
    }

    #[test]
    fn other_names_are_no_patterns() {
        for name in ["a.obj", "", "/", "..", "100%.obj", "%4d.obj", "%0x.obj", "#_#.obj", "%d#.obj"]
        {
            assert!(Pattern::of(Path::new(name)).is_none(), "{name}");
        }
        let many = format!("{}.obj", "#".repeat(99));
        assert!(Pattern::of(Path::new(&many)).is_none());
        assert!(Pattern::of(Path::new("%099999999999999999999d.obj")).is_none());
    }
}
