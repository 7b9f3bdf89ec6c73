//! What an mmCIF file says beside its atoms: bonds and the periodic cell.

use super::Cell;
use super::gather::{BondEnd, Gather};
use super::mmcif::Token;
use crate::text_lines::parse;

/// Items outside of loops, as far as they matter.
#[derive(Default)]
pub(super) struct Items<'a> {
    names: Vec<Vec<u8>>,
    values: Vec<Token<'a>>,
}

impl<'a> Items<'a> {
    /// Adds an item if it is one of the cell or of a bond.
    pub(super) fn add(&mut self, name: &[u8], value: Token<'a>) {
        let name = name.to_ascii_lowercase();
        if name.starts_with(b"_cell.") || name.starts_with(b"_struct_conn.") {
            self.names.push(name);
            self.values.push(value);
        }
    }

    /// Hands over the cell and the bond.
    pub(super) fn finish(self, gather: &mut Gather) {
        struct_conn(&self.names, &self.values, gather);
        let number = |name: &str| {
            let text = value(&self.names, &self.values, &format!("_cell.{name}"))?;
            // The standard uncertainty in the last digits stands in parentheses.
            parse::<f64>(text.split(|&byte| byte == b'(').next()?)
        };
        let numbers = |names: [&str; 3]| {
            let [a, b, c] = names.map(number);
            Some([a?, b?, c?])
        };
        let lengths = numbers(["length_a", "length_b", "length_c"]);
        let angles = numbers(["angle_alpha", "angle_beta", "angle_gamma"]);
        if let (Some(lengths), Some(angles)) = (lengths, angles) {
            gather.cell = Cell::from_angles(lengths, angles).filter(|_| lengths != [1.0; 3]);
        }
    }
}

/// Adds the bond of a row of `_struct_conn`, if it is complete, no hydrogen bond, and within the
/// file.
pub(super) fn struct_conn(names: &[Vec<u8>], row: &[Token], gather: &mut Gather) {
    let value = |name: &str| value(names, row, &format!("_struct_conn.{name}"));
    let text = |name: &str| {
        value(name).map_or_else(String::new, |text| String::from_utf8_lossy(text).into_owned())
    };
    let either = |first: String, second: String| {
        if value(&first).is_some() { text(&first) } else { text(&second) }
    };
    if value("ptnr1_symmetry") != value("ptnr2_symmetry")
        || value("conn_type_id") == Some(b"hydrog")
    {
        return;
    }
    let end = |partner: &str| {
        let chain = either(format!("{partner}_auth_asym_id"), format!("{partner}_label_asym_id"));
        let number = either(format!("{partner}_auth_seq_id"), format!("{partner}_label_seq_id"));
        let insertion = text(&format!("pdbx_{partner}_pdb_ins_code"));
        BondEnd::Site([chain, number + &insertion, text(&format!("{partner}_label_atom_id"))])
    };
    if !names.is_empty() {
        gather.bond(end("ptnr1"), end("ptnr2"));
    }
}

/// The value of an item, whose name is in lower case; `None` if it is absent or unknown.
fn value<'a>(names: &[Vec<u8>], row: &[Token<'a>], wanted: &str) -> Option<&'a [u8]> {
    let at = names.iter().position(|name| name == wanted.as_bytes())?;
    row.get(at).filter(|token| !token.is_missing()).map(|token| token.text)
}
