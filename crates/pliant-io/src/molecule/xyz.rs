//! XYZ: a count, a comment, then a symbol and three coordinates per line; frame after frame.

use std::path::Path;

use pliant::glam::DVec3;

use super::{Atom, Structure};
use crate::text_lines::{numbered_lines, parse, quoted, words};
use crate::{Error, Result};

/// Reads an XYZ file; every frame is a model. All atoms are one chain.
///
/// # Errors
/// [`Error::Malformed`] with the line: a wrong count, a coordinate that is not a finite number, a
/// frame with another count than the first.
///
/// ```
/// let structure = pliant_io::read_xyz(b"2\nrope\nC 0 0 0\nC 1.5 0 0\n", "r.xyz".as_ref())?;
/// assert_eq!(structure.models[0][1].x, 1.5);
/// # Ok::<(), pliant_io::Error>(())
/// ```
pub fn read_xyz(bytes: &[u8], file: &Path) -> Result<Structure> {
    let wrong =
        |line: usize, reason: String| Error::malformed(file, format!("line {line}"), reason);
    let mut structure = Structure::default();
    let mut lines = numbered_lines(bytes, 1);
    while let Some((number, line)) = lines.next() {
        if line.trim_ascii().is_empty() {
            continue;
        }
        let count: usize = parse(line.trim_ascii())
            .ok_or_else(|| wrong(number, format!("not a count of atoms: {}", quoted(line))))?;
        let first = structure.models.is_empty();
        if !first && count != structure.atoms.len() {
            let atoms = structure.atoms.len();
            return Err(wrong(number, format!("{count} atoms, but the first frame has {atoms}")));
        }
        lines.next();
        // The vector grows as lines are read, so missing lines cost no memory.
        let mut positions = Vec::new();
        while positions.len() < count {
            let Some((number, line)) = lines.next() else {
                let (found, needed) = (positions.len(), count);
                return Err(wrong(number, format!("{needed} atoms announced, {found} found")));
            };
            let mut columns = words(line);
            let symbol = columns.next().unwrap_or_default();
            let mut coordinate = || {
                let word = columns.next().unwrap_or_default();
                let value = parse::<f64>(word).filter(|value| value.is_finite());
                value.ok_or_else(|| {
                    wrong(number, format!("a coordinate is not a number: {}", quoted(word)))
                })
            };
            positions.push(DVec3::new(coordinate()?, coordinate()?, coordinate()?));
            if first {
                let name = String::from_utf8_lossy(symbol).into_owned();
                structure.atoms.push(Atom {
                    element: name.clone(),
                    name,
                    residue: String::new(),
                    residue_number: positions.len().to_string(),
                    chain: String::new(),
                    hetero: false,
                    segment: 0,
                });
            }
        }
        structure.models.push(positions);
    }
    if structure.atoms.is_empty() {
        return Err(Error::malformed(file, "file", "has no atoms"));
    }
    Ok(structure)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Structure> {
        read_xyz(text.as_bytes(), Path::new("t.xyz"))
    }

    #[test]
    fn frames_are_models() {
        let structure = read("1\na\nFe 1 2 3\n1\nb\nFe 4 5 6 7\n\n").unwrap();
        assert_eq!(structure.models[1], [DVec3::new(4.0, 5.0, 6.0)]);
        assert_eq!(structure.atoms[0].element, "Fe");
    }

    #[test]
    fn errors_name_the_line() {
        let message = |text: &str| read(text).unwrap_err().to_string();
        assert_eq!(message(""), "t.xyz: file: has no atoms");
        assert_eq!(message("many\n"), "t.xyz: line 1: not a count of atoms: `many`");
        assert_eq!(
            message("9999999999\n\nC 0 0 0\n"),
            "t.xyz: line 1: 9999999999 atoms announced, 1 found"
        );
        assert_eq!(
            message("1\n\nC 0 inf 0\n"),
            "t.xyz: line 3: a coordinate is not a number: `inf`"
        );
        assert_eq!(
            message("1\n\nC 0 0 0\n2\n\nC 0 0 0\nC 0 0 0\n"),
            "t.xyz: line 4: 2 atoms, but the first frame has 1"
        );
    }
}
