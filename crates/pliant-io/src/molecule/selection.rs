//! A small language that says which atoms are meant.

use std::fmt;

use super::Bonds;
use super::Structure;
use super::residues::ResidueClass;

/// Which atoms are meant, such as `chain A and not water`.
///
/// | words | atoms |
/// | --- | --- |
/// | `chain A B` | of these chains |
/// | `resi 10 20-30 52A` | of residues with these numbers; a range is from-to, or from:to |
/// | `resn ALA GLY` | of residues with these names, in any case |
/// | `name CA CB` | with these names, in any case |
/// | `element C N` | of these elements, in any case |
/// | `protein`, `nucleic`, `water` | of amino acids, of nucleotides, of water |
/// | `backbone` | N, CA, C, O and OXT of proteins; sugar and phosphate of nucleic acids |
/// | `hydrogen` | hydrogen and deuterium |
/// | `hetero` | that the file lists as ligands, ions or water |
/// | `all`, `none` | |
///
/// `not` binds tighter than `and`, `and` tighter than `or`; parentheses may be nested. A value that
/// is also a word of the language stands in quotes.
///
/// ```
/// let selection: pliant_io::Selection = "chain A and (resi 1-5 or name CA)".parse()?;
/// let wrong = "chain A adn water".parse::<pliant_io::Selection>().unwrap_err();
/// assert_eq!(wrong.to_string(), "column 13: expected `and`, `or` or the end after a list of values");
/// # Ok::<(), pliant_io::SelectionError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Selection(Node);

/// Why a text is no [`Selection`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SelectionError {
    /// The column of the text where it fails, counted from 1 in characters.
    pub column: usize,
    /// What is expected there.
    pub reason: String,
}

impl fmt::Display for SelectionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "column {}: {}", self.column, self.reason)
    }
}

impl std::error::Error for SelectionError {}

#[derive(Debug, Clone, PartialEq)]
enum Node {
    All,
    Not(Box<Node>),
    And(Vec<Node>),
    Or(Vec<Node>),
    Chain(Vec<String>),
    Number(Vec<NumberRange>),
    ResidueName(Vec<String>),
    AtomName(Vec<String>),
    Element(Vec<String>),
    Protein,
    Nucleic,
    Water,
    Backbone,
    Hydrogen,
    Hetero,
}

/// Numbers of residues: one as written, or all from one to another.
#[derive(Debug, Clone, PartialEq)]
enum NumberRange {
    One(String),
    Span(i64, i64),
}

/// Words that are no values unless they are quoted.
const WORDS: [&str; 16] = [
    "and", "or", "not", "chain", "resi", "resn", "name", "element", "protein", "nucleic", "water",
    "backbone", "hydrogen", "hetero", "all", "none",
];

/// Parentheses and `not`s within each other.
const DEEPEST: usize = 100;

impl Selection {
    /// Every atom.
    #[must_use]
    pub fn all() -> Self {
        Self(Node::All)
    }

    /// The atoms that both select.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self(Node::And(vec![self.0, other.0]))
    }

    /// For each atom of a structure whether it is selected.
    #[must_use]
    pub fn atoms(&self, structure: &Structure, bonds: &Bonds) -> Vec<bool> {
        (0..structure.atoms.len()).map(|atom| self.0.has(atom, structure, bonds)).collect()
    }
}

impl Node {
    fn has(&self, number: usize, structure: &Structure, bonds: &Bonds) -> bool {
        let atom = &structure.atoms[number];
        let class = bonds.residue(number).class;
        let has = |names: &[String], name: &str| {
            names.iter().any(|known| known.eq_ignore_ascii_case(name))
        };
        match self {
            Self::All => true,
            Self::Not(node) => !node.has(number, structure, bonds),
            Self::And(nodes) => nodes.iter().all(|node| node.has(number, structure, bonds)),
            Self::Or(nodes) => nodes.iter().any(|node| node.has(number, structure, bonds)),
            Self::Chain(chains) => chains.contains(&atom.chain),
            Self::Number(ranges) => ranges.iter().any(|range| range.has(&atom.residue_number)),
            Self::ResidueName(names) => has(names, &atom.residue),
            Self::AtomName(names) => has(names, &atom.name),
            Self::Element(symbols) => match bonds.elements[number] {
                Some(element) => has(symbols, element.symbol()),
                None => has(symbols, &atom.element),
            },
            Self::Protein => class == ResidueClass::Protein,
            Self::Nucleic => class == ResidueClass::Nucleic,
            Self::Water => class == ResidueClass::Water,
            Self::Backbone => match class {
                ResidueClass::Protein => ["N", "CA", "C", "O", "OXT"].contains(&&*atom.name),
                ResidueClass::Nucleic => {
                    atom.name == "P"
                        || atom.name.starts_with("OP")
                        || atom.name.ends_with(['\'', '*'])
                }
                ResidueClass::Water | ResidueClass::Other => false,
            },
            Self::Hydrogen => bonds.is_hydrogen(number),
            Self::Hetero => atom.hetero,
        }
    }
}

impl NumberRange {
    /// `7`, `52A`, `-3`, `1-5`, `-5--1` or `1:5`.
    fn parse(text: &str) -> Option<Self> {
        // A sign is no hyphen between two numbers.
        let at = text.char_indices().skip(1).find(|&(_, c)| c == '-' || c == ':');
        let Some((at, _)) = at else { return Some(Self::One(text.into())) };
        let (low, high) = (text[..at].parse().ok()?, text[at + 1..].parse().ok()?);
        (low <= high).then_some(Self::Span(low, high))
    }

    /// An insertion code counts as part of its number: 52A is in 50-55.
    fn has(&self, number: &str) -> bool {
        match self {
            Self::One(one) => one.eq_ignore_ascii_case(number),
            Self::Span(low, high) => {
                let digits = number.trim_end_matches(|c: char| !c.is_ascii_digit());
                digits.parse::<i64>().is_ok_and(|number| (low..=high).contains(&&number))
            }
        }
    }
}

impl std::str::FromStr for Selection {
    type Err = SelectionError;

    fn from_str(text: &str) -> Result<Self, SelectionError> {
        let mut parser = Parser { tokens: tokens(text)?, at: 0, end: text.chars().count() + 1 };
        let node = parser.any_of(0)?;
        match parser.tokens.get(parser.at) {
            None => Ok(Self(node)),
            Some(_) => Err(parser.wrong("expected `and`, `or` or the end")),
        }
    }
}

/// A word, a quoted value, or a parenthesis, with its column.
struct Token {
    text: String,
    is_quoted: bool,
    column: usize,
}

fn tokens(text: &str) -> Result<Vec<Token>, SelectionError> {
    let mut tokens: Vec<Token> = Vec::new();
    let mut goes_on = false;
    let mut characters = (1..).zip(text.chars());
    while let Some((column, character)) = characters.next() {
        let word = |text: String, is_quoted| Token { text, is_quoted, column };
        match character {
            '(' | ')' => tokens.push(word(character.into(), false)),
            '"' | '\'' if !goes_on => {
                let mut value = String::new();
                loop {
                    match characters.next() {
                        Some((_, end)) if end == character => break,
                        Some((_, inside)) => value.push(inside),
                        None => {
                            let reason = "this quote has no end".into();
                            return Err(SelectionError { column, reason });
                        }
                    }
                }
                tokens.push(word(value, true));
            }
            _ if character.is_whitespace() || character == ',' => {}
            _ if goes_on => {
                if let Some(last) = tokens.last_mut() {
                    last.text.push(character);
                }
            }
            _ => tokens.push(word(character.into(), false)),
        }
        goes_on = !(character.is_whitespace() || ",()".contains(character))
            && tokens.last().is_some_and(|last| !last.is_quoted);
    }
    Ok(tokens)
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
    /// The column after the text.
    end: usize,
}

type Parsed = Result<Node, SelectionError>;

impl Parser {
    fn wrong(&self, reason: impl Into<String>) -> SelectionError {
        let column = self.tokens.get(self.at).map_or(self.end, |token| token.column);
        SelectionError { column, reason: reason.into() }
    }

    /// The next word of the language, if it is one, in lower case.
    fn word(&self) -> Option<String> {
        let token = self.tokens.get(self.at).filter(|token| !token.is_quoted)?;
        Some(token.text.to_ascii_lowercase())
    }

    fn takes(&mut self, word: &str) -> bool {
        let takes = self.word().is_some_and(|next| next == word);
        self.at += usize::from(takes);
        takes
    }

    fn any_of(&mut self, depth: usize) -> Parsed {
        let mut nodes = vec![self.all_of(depth)?];
        while self.takes("or") {
            nodes.push(self.all_of(depth)?);
        }
        Ok(if nodes.len() == 1 { nodes.remove(0) } else { Node::Or(nodes) })
    }

    fn all_of(&mut self, depth: usize) -> Parsed {
        let mut nodes = vec![self.one(depth)?];
        while self.takes("and") {
            nodes.push(self.one(depth)?);
        }
        Ok(if nodes.len() == 1 { nodes.remove(0) } else { Node::And(nodes) })
    }

    fn one(&mut self, depth: usize) -> Parsed {
        if depth > DEEPEST {
            return Err(self.wrong(format!("more than {DEEPEST} levels")));
        }
        if self.takes("not") {
            return Ok(Node::Not(Box::new(self.one(depth + 1)?)));
        }
        if self.takes("(") {
            let inside = self.any_of(depth + 1)?;
            let closes = self.takes(")");
            return if closes { Ok(inside) } else { Err(self.wrong("expected `)`")) };
        }
        let word = self.word().unwrap_or_default();
        let node = match word.as_str() {
            "all" => Node::All,
            "none" => Node::Not(Box::new(Node::All)),
            "protein" => Node::Protein,
            "nucleic" => Node::Nucleic,
            "water" => Node::Water,
            "backbone" => Node::Backbone,
            "hydrogen" => Node::Hydrogen,
            "hetero" => Node::Hetero,
            "chain" | "resi" | "resn" | "name" | "element" => {
                self.at += 1;
                return self.values(&word);
            }
            _ => {
                let reason = "expected chain, resi, resn, name, element, protein, nucleic, water, \
                              backbone, hydrogen, hetero, all, none, `not` or `(`";
                return Err(self.wrong(reason));
            }
        };
        self.at += 1;
        Ok(node)
    }

    /// The values after a word that needs some.
    fn values(&mut self, word: &str) -> Parsed {
        let mut values = Vec::new();
        let mut ranges = Vec::new();
        while let Some(token) = self.tokens.get(self.at) {
            let is_word = self
                .word()
                .is_some_and(|word| WORDS.contains(&word.as_str()) || word == "(" || word == ")");
            if is_word {
                break;
            }
            if word == "resi" {
                match NumberRange::parse(&token.text) {
                    Some(range) => ranges.push(range),
                    None => return Err(self.wrong("expected a number or a range such as 10-20")),
                }
            }
            values.push(token.text.clone());
            self.at += 1;
        }
        if values.is_empty() {
            return Err(self.wrong(format!("expected a value after `{word}`")));
        }
        // What follows a list is an operator; a misspelt one was taken as a value.
        let next = self.word();
        if next.is_some_and(|next| !["and", "or", ")"].contains(&next.as_str())) {
            return Err(self.wrong("expected `and`, `or` or the end after a list of values"));
        }
        Ok(match word {
            "chain" => Node::Chain(values),
            "resi" => Node::Number(ranges),
            "resn" => Node::ResidueName(values),
            "name" => Node::AtomName(values),
            _ => Node::Element(values.into_iter().map(hydrogen).collect()),
        })
    }
}

/// Deuterium is hydrogen, as everywhere.
fn hydrogen(symbol: String) -> String {
    if symbol.eq_ignore_ascii_case("D") { "H".into() } else { symbol }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read_pdb;

    const TEXT: &[u8] = b"\
ATOM      1  N   GLY A  -1       0.000   0.000   0.000  1.00  0.00           N
ATOM      2  CA  GLY A  -1       9.000   0.000   0.000  1.00  0.00           C
ATOM      3  H   GLY A  -1      18.000   0.000   0.000  1.00  0.00           H
ATOM      4  CA  ALA B  52A     27.000   0.000   0.000  1.00  0.00           C
ATOM      5  CB  ALA B  52A     36.000   0.000   0.000  1.00  0.00           C
HETATM    6 CA    CA A 100      45.000   0.000   0.000  1.00  0.00          CA
HETATM    7  O   HOH A 101      54.000   0.000   0.000  1.00  0.00           O
";

    fn selected(text: &str) -> Vec<usize> {
        let structure = read_pdb(TEXT, "t.pdb".as_ref()).unwrap();
        let bonds = Bonds::find(&structure, None).unwrap();
        let atoms = text.parse::<Selection>().unwrap().atoms(&structure, &bonds);
        (0..atoms.len()).filter(|&atom| atoms[atom]).collect()
    }

    #[test]
    fn every_word_selects() {
        assert_eq!(selected("all").len(), 7);
        assert_eq!(selected("none"), [0; 0]);
        assert_eq!(selected("chain B"), [3, 4]);
        assert_eq!(selected("chain A B and not chain A"), [3, 4]);
        assert_eq!(selected("chain b"), [0; 0]);
        assert_eq!(selected("resi -1"), [0, 1, 2]);
        assert_eq!(selected("resi -5-60"), [0, 1, 2, 3, 4]);
        assert_eq!(selected("resi -5--1, 52a"), [0, 1, 2, 3, 4]);
        assert_eq!(selected("resi 101:200 52"), [6]);
        assert_eq!(selected("resn gly ALA"), [0, 1, 2, 3, 4]);
        assert_eq!(selected("name ca and element C"), [1, 3]);
        assert_eq!(selected("element Ca D"), [2, 5]);
        assert_eq!(selected("water or hydrogen"), [2, 6]);
        assert_eq!(selected("protein"), [0, 1, 2, 3, 4]);
        assert_eq!(selected("BACKBONE"), [0, 1, 3]);
        assert_eq!(selected("hetero AND NOT water"), [5]);
        assert_eq!(selected("nucleic"), [0; 0]);
    }

    #[test]
    fn operators_bind_as_promised() {
        assert_eq!(selected("water or chain A and name N"), [0, 6]);
        assert_eq!(selected("(water or chain A) and not name N"), [1, 2, 5, 6]);
        assert_eq!(selected("not (not water)"), [6]);
        assert_eq!(selected("not not water"), [6]);
        assert_eq!(selected("name \"CA\" 'CB'and chain B"), [3, 4]);
        assert_eq!(selected("chain \"and\""), [0; 0]);
    }

    #[test]
    fn errors_name_the_column() {
        let message = |text: &str| text.parse::<Selection>().unwrap_err().to_string();
        assert!(message("").starts_with("column 1: expected chain, resi,"));
        assert!(message("chain A and").starts_with("column 12: expected chain"));
        assert_eq!(message("chain"), "column 6: expected a value after `chain`");
        assert_eq!(message("chain and"), "column 7: expected a value after `chain`");
        assert_eq!(message("(chain A"), "column 9: expected `)`");
        assert_eq!(message("water water"), "column 7: expected `and`, `or` or the end");
        assert_eq!(message("chain \"A"), "column 7: this quote has no end");
        assert_eq!(message("resi 5-x"), "column 6: expected a number or a range such as 10-20");
        assert_eq!(message("resi 9-5"), "column 6: expected a number or a range such as 10-20");
        assert!(message("résidu 3").starts_with("column 1: "));
        assert!(message("chain Ä und water").starts_with("column 13: "));
        let deep = "(".repeat(100_000);
        assert_eq!(message(&deep), "column 102: more than 100 levels");
        assert!(message(&"not ".repeat(100_000)).contains("more than 100 levels"));
    }
}
