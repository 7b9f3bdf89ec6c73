//! GRO: the structures of GROMACS, atoms in fixed columns, lengths in nanometres.

use std::path::Path;

use pliant::glam::DVec3;

use super::{Atom, Cell, Structure};
use crate::text_lines::{NumberedLines, numbered_lines, parse, quoted, words};
use crate::{Error, Result};

/// Ångströms per nanometre.
const UNIT: f64 = 10.0;

/// Columns before the coordinates: number and name of the residue, name and number of the atom.
const HEAD: usize = 20;

/// Reads a GRO file; every frame is a model. All atoms are one chain, and the file has no elements.
/// The cell is that of the first frame.
///
/// # Errors
/// [`Error::Malformed`] with the line: a wrong count, a coordinate that is not a finite number, a
/// frame with another count than the first, no box.
///
/// ```
/// let text = b"water\n 1\n    1SOL     OW    1   0.126   1.624   1.679\n   1.86   1.86   1.86\n";
/// let structure = pliant_io::read_gro(text, "w.gro".as_ref())?;
/// assert_eq!(structure.atoms[0].label(), "SOL 1 OW");
/// assert!((structure.models[0][0].x - 1.26).abs() < 1e-12);
/// # Ok::<(), pliant_io::Error>(())
/// ```
pub fn read_gro(bytes: &[u8], file: &Path) -> Result<Structure> {
    let wrong = |line: usize, reason| Error::malformed(file, format!("line {line}"), reason);
    let mut structure = Structure::default();
    let mut lines = numbered_lines(bytes, 1);
    // A frame begins with a title, which may be empty; lines at the end may be empty, too.
    while !lines.rest().trim_ascii().is_empty() {
        lines.next();
        let (number, line) = lines.next().unwrap_or_default();
        let count: usize = parse(line.trim_ascii())
            .ok_or_else(|| wrong(number, format!("not a count of atoms: {}", quoted(line))))?;
        let is_first = structure.models.is_empty();
        if !is_first && count != structure.atoms.len() {
            let atoms = structure.atoms.len();
            return Err(wrong(number, format!("{count} atoms, but the first frame has {atoms}")));
        }
        let model = atoms(&mut lines, count, number, is_first.then_some(&mut structure.atoms));
        structure.models.push(model.map_err(|(line, reason)| wrong(line, reason))?);
        let Some((number, line)) = lines.next() else {
            return Err(wrong(number, "the box after the atoms is missing".into()));
        };
        let cell = cell(line).map_err(|reason| wrong(number, reason))?;
        if is_first {
            structure.cell = cell;
        }
    }
    if structure.atoms.is_empty() {
        return Err(Error::malformed(file, "file", "has no atoms"));
    }
    Ok(structure)
}

/// The positions of the next `count` atoms; their names go to `names`. The vector grows as lines
/// are read, so missing lines cost no memory.
fn atoms(
    lines: &mut NumberedLines,
    count: usize,
    start: usize,
    mut names: Option<&mut Vec<Atom>>,
) -> std::result::Result<Vec<DVec3>, (usize, String)> {
    let mut positions = Vec::new();
    let mut width = None;
    while positions.len() < count {
        let Some((number, line)) = lines.next() else {
            let found = positions.len();
            return Err((start, format!("{count} atoms announced, {found} found")));
        };
        let Some(rest) = line.get(HEAD..) else {
            return Err((
                number,
                format!("an atom needs 44 columns, but there are {}", line.len()),
            ));
        };
        // The distance of the decimal points is the width of a column, as the format has it.
        let mut points = (0..rest.len()).filter(|&at| rest[at] == b'.');
        let width = *width.get_or_insert_with(|| match (points.next(), points.next()) {
            (Some(first), Some(second)) => second - first,
            _ => 8,
        });
        let coordinate = |axis: usize| {
            let word = rest.get(axis * width..(axis + 1) * width).unwrap_or_default().trim_ascii();
            let value = parse::<f64>(word).map(|value| value * UNIT);
            let reason = || format!("a coordinate is not a number: {}", quoted(word));
            value.filter(|value| value.is_finite()).ok_or_else(|| (number, reason()))
        };
        positions.push(DVec3::new(coordinate(0)?, coordinate(1)?, coordinate(2)?));
        if let Some(names) = &mut names {
            let text = |first: usize, end: usize| {
                String::from_utf8_lossy(line[first..end].trim_ascii()).into_owned()
            };
            names.push(Atom {
                name: text(10, 15),
                residue: text(5, 10),
                residue_number: text(0, 5),
                chain: String::new(),
                element: String::new(),
                hetero: false,
                segment: 0,
            });
        }
    }
    Ok(positions)
}

/// The box: three numbers, or nine with those of skewed edges. `None` if it spans nothing.
fn cell(line: &[u8]) -> std::result::Result<Option<Cell>, String> {
    let numbers: Option<Vec<f64>> = words(line).map(parse::<f64>).collect();
    let numbers = numbers.filter(|numbers| matches!(numbers.len(), 3 | 9));
    let numbers =
        numbers.ok_or_else(|| format!("not a box of 3 or 9 numbers: {}", quoted(line)))?;
    let at = |number: usize| numbers.get(number).copied().unwrap_or(0.0) * UNIT;
    Ok(Cell::new([
        DVec3::new(at(0), at(3), at(4)),
        DVec3::new(at(5), at(1), at(6)),
        DVec3::new(at(7), at(8), at(2)),
    ]))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO: &str = "\
two waters
    2
    1SOL     OW    1   0.126   1.624   1.679  0.1227 -0.0580  0.0434
    2SOL     OW    2   1.275  -0.053   0.622  0.2519  0.3140 -0.1734
   1.80000   1.90000   2.00000   0.00000   0.00000   0.50000   0.00000   0.10000   0.20000

    2
    1SOL     OW    1   0.136   1.624   1.679
    2SOL     OW    2   1.275  -0.053   0.622
   1.80000   1.90000   2.00000
";

    fn read(text: &str) -> Result<Structure> {
        read_gro(text.as_bytes(), Path::new("t.gro"))
    }

    #[test]
    fn frames_names_and_box() {
        let structure = read(TWO).unwrap();
        assert_eq!(structure.models.len(), 2);
        assert!((structure.models[0][1] - DVec3::new(12.75, -0.53, 6.22)).length() < 1e-12);
        assert_eq!(structure.atoms[1].label(), "SOL 2 OW");
        let [_, b, c] = structure.cell.unwrap().edges();
        assert_eq!((b, c), (DVec3::new(5.0, 19.0, 0.0), DVec3::new(1.0, 2.0, 20.0)));
        // More digits make wider columns.
        let fine = "t\n1\n    1SOL     OW    1    0.12640    1.62444    1.67912\n 0 0 0\n";
        let fine = read(fine).unwrap();
        assert!((fine.models[0][0].z - 16.7912).abs() < 1e-9 && fine.cell.is_none());
    }

    #[test]
    fn errors_name_the_line() {
        let message = |text: &str| read(text).unwrap_err().to_string();
        assert_eq!(message(""), "t.gro: file: has no atoms");
        assert_eq!(message("t\nmany\n"), "t.gro: line 2: not a count of atoms: `many`");
        let cut = TWO.lines().take(3).collect::<Vec<_>>().join("\n");
        assert_eq!(message(&cut), "t.gro: line 2: 2 atoms announced, 1 found");
        let cut = TWO.lines().take(4).collect::<Vec<_>>().join("\n");
        assert_eq!(message(&cut), "t.gro: line 2: the box after the atoms is missing");
        let claim = TWO.replacen("    2\n", "99999999999\n", 1);
        assert!(message(&claim).contains("line 5: "), "{}", message(&claim));
        let nan = TWO.replacen("-0.053", "   nan", 1);
        assert_eq!(message(&nan), "t.gro: line 4: a coordinate is not a number: `nan`");
    }
}
