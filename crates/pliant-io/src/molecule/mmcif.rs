//! mmCIF: the loop of atoms, with columns in any order; bonds and cell beside it.

use std::path::Path;

use pliant::glam::DVec3;

use super::gather::{AtomRecord, Gather};
use super::mmcif_items::{Items, struct_conn};
use super::pdb::Chains;
use super::{Atom, Structure};
use crate::text_lines::{numbered_lines, parse, quoted};
use crate::{Error, Result};

/// Reads the `_atom_site` loop of an mmCIF file, the bonds of `_struct_conn` that are no hydrogen
/// bonds and lead to no symmetry mate, and the `_cell`.
///
/// Chains and numbers are those of the authors (`auth_asym_id`, `auth_seq_id`), as in PDB files, if
/// the file has them.
///
/// # Errors
/// [`Error::Malformed`] with the line: no atoms, a missing column, an incomplete row, a coordinate
/// that is not a finite number, a model with other atoms than the first.
///
/// ```
/// let text = b"loop_\n_atom_site.label_atom_id\n_atom_site.Cartn_x\n_atom_site.Cartn_y\n\
///              _atom_site.Cartn_z\nCA 1 2 3\n'C1''' 4 5 6\n";
/// let structure = pliant_io::read_mmcif(text, "g.cif".as_ref())?;
/// assert_eq!(structure.atoms[1].name, "C1''");
/// # Ok::<(), pliant_io::Error>(())
/// ```
pub fn read_mmcif(bytes: &[u8], file: &Path) -> Result<Structure> {
    let mut tokens = Tokens { lines: numbered_lines(bytes, 1), line: &[], number: 0 };
    let mut gather = Gather::default();
    let mut items = Items::default();
    let mut pending = tokens.next();
    while let Some(token) = pending {
        if !(token.bare && token.text.eq_ignore_ascii_case(b"loop_")) {
            pending = tokens.next();
            if let Some(value) = pending.filter(|value| token.is_item(value)) {
                items.add(token.text, value);
                pending = tokens.next();
            }
            continue;
        }
        let mut names = Vec::new();
        pending = tokens.next();
        while let Some(name) = pending.as_ref().filter(|token| token.bare && token.is_name()) {
            names.push(name.text.to_ascii_lowercase());
            pending = tokens.next();
        }
        let is_atoms = names.iter().any(|name| name.starts_with(b"_atom_site."));
        if is_atoms {
            let columns = Columns::find(&names, token.line, file)?;
            pending = columns.read(&names, pending, &mut tokens, &mut gather, file)?;
        } else if names.iter().any(|name| name.starts_with(b"_struct_conn.")) {
            let mut row = Vec::with_capacity(names.len());
            while let Some(token) = pending.filter(|token| !token.is_keyword()) {
                row.push(token);
                pending = tokens.next();
                if row.len() == names.len() {
                    struct_conn(&names, &row, &mut gather);
                    row.clear();
                }
            }
        }
    }
    items.finish(&mut gather);
    gather.finish(file)
}

/// A token of the file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Token<'a> {
    pub(super) text: &'a [u8],
    /// Not quoted, so it may be a keyword.
    bare: bool,
    line: usize,
}

impl Token<'_> {
    fn is_name(&self) -> bool {
        self.text.starts_with(b"_")
    }

    /// Whether this is the name of an item outside a loop, and `value` its value.
    fn is_item(&self, value: &Token) -> bool {
        self.bare && self.is_name() && !value.is_keyword()
    }

    /// Whether a loop ends at this token.
    fn is_keyword(&self) -> bool {
        let starts = |word: &[u8]| {
            self.text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word))
        };
        self.bare && (self.is_name() || starts(b"loop_") || starts(b"data_") || starts(b"save_"))
    }

    /// Whether the value is absent or unknown.
    pub(super) fn is_missing(&self) -> bool {
        self.bare && (self.text == b"." || self.text == b"?")
    }
}

/// Words, quoted strings, and texts between lines that begin with a semicolon.
struct Tokens<'a> {
    lines: crate::text_lines::NumberedLines<'a>,
    line: &'a [u8],
    number: usize,
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            self.line = self.line.trim_ascii_start();
            if !self.line.is_empty() && !self.line.starts_with(b"#") {
                break;
            }
            let (number, line) = self.lines.next()?;
            (self.number, self.line) = (number, line);
            if line.starts_with(b";") {
                // Its content is never a coordinate, so only its end matters.
                for (number, line) in self.lines.by_ref() {
                    self.number = number;
                    if let Some(rest) = line.strip_prefix(b";") {
                        self.line = rest;
                        break;
                    }
                    self.line = &[];
                }
                return Some(Token { text: b"", bare: false, line: self.number });
            }
        }
        let (text, rest, bare) = match self.line {
            [quote @ (b'\'' | b'"'), inside @ ..] => {
                // A quote ends a string only before whitespace.
                let ends = |at: &usize| {
                    inside[*at] == *quote && inside.get(at + 1).is_none_or(u8::is_ascii_whitespace)
                };
                let end = (0..inside.len()).find(ends).unwrap_or(inside.len());
                (&inside[..end], inside.get(end + 1..).unwrap_or_default(), false)
            }
            line => {
                let end = line.iter().position(u8::is_ascii_whitespace).unwrap_or(line.len());
                (&line[..end], &line[end..], true)
            }
        };
        self.line = rest;
        Some(Token { text, bare, line: self.number })
    }
}

/// The columns of the loop.
struct Columns {
    position: [usize; 3],
    name: usize,
    residue: Option<usize>,
    number: Option<usize>,
    insertion: Option<usize>,
    chain: Option<usize>,
    /// The molecule: authors give water the name of the chain next to it.
    unit: Option<usize>,
    element: Option<usize>,
    group: Option<usize>,
    alternate: Option<usize>,
    occupancy: Option<usize>,
    model: Option<usize>,
}

impl Columns {
    fn find(names: &[Vec<u8>], line: usize, file: &Path) -> Result<Self> {
        let find = |wanted: &str| {
            let wanted = format!("_atom_site.{}", wanted.to_ascii_lowercase());
            names.iter().position(|name| name == wanted.as_bytes())
        };
        let either = |first: &str, second: &str| find(first).or_else(|| find(second));
        let need = |column: Option<usize>, wanted: &str| {
            let reason = || format!("the loop of atoms has no column {wanted}");
            column.ok_or_else(|| Error::malformed(file, format!("line {line}"), reason()))
        };
        Ok(Self {
            position: [
                need(find("Cartn_x"), "Cartn_x")?,
                need(find("Cartn_y"), "Cartn_y")?,
                need(find("Cartn_z"), "Cartn_z")?,
            ],
            name: need(either("auth_atom_id", "label_atom_id"), "label_atom_id")?,
            residue: either("auth_comp_id", "label_comp_id"),
            number: either("auth_seq_id", "label_seq_id"),
            insertion: find("pdbx_PDB_ins_code"),
            chain: either("auth_asym_id", "label_asym_id"),
            unit: find("label_asym_id"),
            element: find("type_symbol"),
            group: find("group_PDB"),
            alternate: find("label_alt_id"),
            occupancy: find("occupancy"),
            model: find("pdbx_PDB_model_num"),
        })
    }

    /// Reads rows until the loop ends and returns the token after it.
    fn read<'a>(
        &self,
        names: &[Vec<u8>],
        mut pending: Option<Token<'a>>,
        tokens: &mut Tokens<'a>,
        gather: &mut Gather,
        file: &Path,
    ) -> Result<Option<Token<'a>>> {
        let mut row: Vec<Token<'a>> = Vec::with_capacity(names.len());
        let mut chains = Chains::default();
        let mut model = None;
        while let Some(token) = pending.filter(|token| !token.is_keyword()) {
            row.push(token);
            pending = tokens.next();
            if row.len() < names.len() {
                continue;
            }
            let now = self.model.map(|column| row[column].text.to_vec());
            if model.is_some() && model != now {
                gather.end_model(file)?;
                chains = Chains::default();
            }
            model = now;
            gather.add(self.record(&row, &mut chains, file)?);
            row.clear();
        }
        match row.first() {
            None => Ok(pending),
            Some(first) => {
                let (has, needs) = (row.len(), names.len());
                let reason = format!("the row of an atom has {has} of {needs} values");
                Err(Error::malformed(file, format!("line {}", first.line), reason))
            }
        }
    }

    fn record(&self, row: &[Token], chains: &mut Chains, file: &Path) -> Result<AtomRecord> {
        let place = row[0].line;
        let coordinate = |column: usize| {
            let word = row[column].text;
            let value = parse::<f64>(word).filter(|value| value.is_finite());
            value.ok_or_else(|| {
                let reason = format!("a coordinate is not a number: {}", quoted(word));
                Error::malformed(file, format!("line {place}"), reason)
            })
        };
        let [x, y, z] = self.position;
        let position = DVec3::new(coordinate(x)?, coordinate(y)?, coordinate(z)?);
        let text = |column: Option<usize>| {
            let token = column.map(|column| row[column]).filter(|token| !token.is_missing());
            token.map_or_else(String::new, |token| String::from_utf8_lossy(token.text).into_owned())
        };
        let (chain, hetero) = (text(self.chain), text(self.group) == "HETATM");
        let segment = chains.of(self.unit.map_or(chain.as_bytes(), |column| row[column].text));
        let atom = Atom {
            name: text(Some(self.name)),
            residue: text(self.residue),
            residue_number: text(self.number) + &text(self.insertion),
            chain,
            element: text(self.element),
            hetero,
            segment,
        };
        let occupancy = parse(text(self.occupancy).as_bytes()).unwrap_or(1.0);
        let (alternate, serial) = (text(self.alternate), String::new());
        Ok(AtomRecord { atom, position, alternate, occupancy, serial, place })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Structure> {
        read_mmcif(text.as_bytes(), Path::new("t.cif"))
    }

    const HEAD: &str = "data_t\n_entry.id 'it''s loop_'\n;text\nloop_\n;\nloop_\n_atom_site.group_PDB\n\
        _atom_site.label_atom_id\n_atom_site.Cartn_z # a comment\n_atom_site.Cartn_y\n\
        _atom_site.Cartn_x\n_atom_site.pdbx_PDB_model_num\n_atom_site.auth_asym_id\n";

    #[test]
    fn columns_in_any_order_and_models() {
        let rows =
            "ATOM CA 3 2 1 1 A\nATOM \"N\" 6 5 4\n1 B\nATOM CA 3 2 -1 2 A ATOM N 6 5 -4 2 B\n#\n";
        let structure = read(&format!("{HEAD}{rows}loop_\n_other.x\n1\n2\n")).unwrap();
        assert_eq!(structure.models.len(), 2);
        assert_eq!(structure.models[0], [DVec3::new(1.0, 2.0, 3.0), DVec3::new(4.0, 5.0, 6.0)]);
        assert_eq!(structure.models[1][1].x, -4.0);
        assert_eq!(structure.atoms[1].segment, 1);
    }

    #[test]
    fn errors_name_the_line() {
        let message = |text: &str| read(text).unwrap_err().to_string();
        assert_eq!(message("data_x\n"), "t.cif: file: has no atoms");
        assert_eq!(
            message(&format!("{HEAD}ATOM CA 3 2\n")),
            "t.cif: line 14: the row of an atom has 4 of 7 values"
        );
        assert_eq!(
            message(&format!("{HEAD}ATOM CA 3 ? 1 1 A\n")),
            "t.cif: line 14: a coordinate is not a number: `?`"
        );
        assert_eq!(
            message("loop_\n_atom_site.Cartn_x\n1\n"),
            "t.cif: line 1: the loop of atoms has no column Cartn_y"
        );
        assert_eq!(message("loop_\n;\nnever ends"), "t.cif: file: has no atoms");
    }

    #[test]
    fn bonds_and_cell() {
        let rows = "ATOM SG 0 0 0 1 A\nATOM SG 0 0 2 1 B\nATOM ZN 0 0 4 1 C\n";
        let conn = |id: &str, kind: &str, partner: &str, symmetry: &str| {
            format!("{id} {kind} A ? SG 1_555 {partner} ? {symmetry}\n")
        };
        let head = "loop_\n_struct_conn.id\n_struct_conn.conn_type_id\n\
                    _struct_conn.ptnr1_auth_asym_id\n_struct_conn.ptnr1_auth_seq_id\n\
                    _struct_conn.ptnr1_label_atom_id\n_struct_conn.ptnr1_symmetry\n\
                    _struct_conn.ptnr2_auth_asym_id\n_struct_conn.ptnr2_label_atom_id\n\
                    _struct_conn.ptnr2_auth_seq_id\n_struct_conn.ptnr2_symmetry\n";
        let cell = "_cell.length_a 10.0(3)\n_cell.length_b 20\n_cell.length_c 30\n\
                    _cell.angle_alpha 90\n_cell.angle_beta 90\n_cell.angle_gamma 90\n";
        let text = [
            cell.to_owned(),
            head.to_owned(),
            conn("1", "disulf", "B SG", "1_555"),
            conn("2", "hydrog", "C ZN", "1_555"),
            conn("3", "metalc", "C ZN", "2_555"),
            format!("{HEAD}{rows}"),
        ];
        let structure = read(&text.concat()).unwrap();
        assert_eq!(structure.bonds, [[0, 1]]);
        let edges = structure.cell.unwrap().edges();
        assert_eq!(edges, [DVec3::X * 10.0, DVec3::Y * 20.0, DVec3::Z * 30.0]);
        // One bond may stand without a loop.
        let names = head.lines().skip(1);
        let single: String = names
            .zip("1 metalc A ? SG 1_555 C ZN ? 1_555".split(' '))
            .map(|(name, value)| format!("{} {value}\n", name.trim()))
            .collect();
        let structure = read(&format!("{HEAD}{rows}{single}")).unwrap();
        assert_eq!(structure.bonds, [[0, 2]]);
    }
}
