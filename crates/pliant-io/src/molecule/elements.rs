//! Elements: their radii, and which one an atom is if the file does not say.

use super::Atom;
use super::residues::ResidueClass;

/// Symbol, covalent radius and contact radius, in ångströms.
///
/// Covalent radii are those of Cordero and others 2008 (low spin). Contact radii of non-metals are
/// van der Waals radii (Bondi 1964; hydrogen by Rowland and Taylor 1996; boron, germanium and
/// krypton by Mantina and others 2009 and Bondi). Contact radii of metals are ionic radii of their
/// common charge with six neighbours (Shannon 1976): a metal in a molecule is an ion, and its
/// ligands are nearer than any sum of van der Waals radii.
const ELEMENTS: [(&str, f64, f64); 73] = [
    ("H", 0.31, 1.10),
    ("HE", 0.28, 1.40),
    ("LI", 1.28, 0.76),
    ("BE", 0.96, 0.45),
    ("B", 0.84, 1.92),
    ("C", 0.76, 1.70),
    ("N", 0.71, 1.55),
    ("O", 0.66, 1.52),
    ("F", 0.57, 1.47),
    ("NE", 0.58, 1.54),
    ("NA", 1.66, 1.02),
    ("MG", 1.41, 0.72),
    ("AL", 1.21, 0.54),
    ("SI", 1.11, 2.10),
    ("P", 1.07, 1.80),
    ("S", 1.05, 1.80),
    ("CL", 1.02, 1.75),
    ("AR", 1.06, 1.88),
    ("K", 2.03, 1.38),
    ("CA", 1.76, 1.00),
    ("SC", 1.70, 0.75),
    ("TI", 1.60, 0.61),
    ("V", 1.53, 0.64),
    ("CR", 1.39, 0.62),
    ("MN", 1.39, 0.83),
    ("FE", 1.32, 0.78),
    ("CO", 1.26, 0.75),
    ("NI", 1.24, 0.69),
    ("CU", 1.32, 0.73),
    ("ZN", 1.22, 0.74),
    ("GA", 1.22, 0.62),
    ("GE", 1.20, 2.11),
    ("AS", 1.19, 1.85),
    ("SE", 1.20, 1.90),
    ("BR", 1.20, 1.85),
    ("KR", 1.16, 2.02),
    ("RB", 2.20, 1.52),
    ("SR", 1.95, 1.18),
    ("Y", 1.90, 0.90),
    ("ZR", 1.75, 0.72),
    ("MO", 1.54, 0.65),
    ("RU", 1.46, 0.68),
    ("RH", 1.42, 0.67),
    ("PD", 1.39, 0.86),
    ("AG", 1.45, 1.15),
    ("CD", 1.44, 0.95),
    ("IN", 1.42, 0.80),
    ("SN", 1.39, 0.69),
    ("SB", 1.39, 0.76),
    ("TE", 1.38, 2.06),
    ("I", 1.39, 1.98),
    ("XE", 1.40, 2.16),
    ("CS", 2.44, 1.67),
    ("BA", 2.15, 1.35),
    ("LA", 2.07, 1.03),
    ("SM", 1.98, 0.96),
    ("EU", 1.98, 0.95),
    ("GD", 1.96, 0.94),
    ("TB", 1.94, 0.92),
    ("HO", 1.92, 0.90),
    ("YB", 1.87, 0.87),
    ("LU", 1.87, 0.86),
    ("W", 1.62, 0.66),
    ("RE", 1.51, 0.63),
    ("OS", 1.44, 0.63),
    ("IR", 1.41, 0.63),
    ("PT", 1.36, 0.80),
    ("AU", 1.36, 0.85),
    ("HG", 1.32, 1.02),
    ("TL", 1.45, 1.50),
    ("PB", 1.46, 1.19),
    ("BI", 1.48, 1.03),
    ("U", 1.96, 0.89),
];

/// The place of carbon in the table, for atoms of unknown elements.
const CARBON: usize = 5;

/// An element of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Element(u8);

impl Element {
    pub(super) const HYDROGEN: Self = Self(0);

    /// The element with this symbol, in any case. Deuterium is hydrogen.
    pub(super) fn of_symbol(symbol: &str) -> Option<Self> {
        if symbol.eq_ignore_ascii_case("D") {
            return Some(Self::HYDROGEN);
        }
        let at = ELEMENTS.iter().position(|(known, ..)| symbol.eq_ignore_ascii_case(known))?;
        u8::try_from(at).ok().map(Self)
    }

    pub(super) fn symbol(self) -> &'static str {
        ELEMENTS[usize::from(self.0)].0
    }

    pub(super) fn is(self, symbol: &str) -> bool {
        self.symbol() == symbol
    }
}

/// The covalent radius in ångströms; that of carbon for an unknown element.
pub(super) fn covalent_radius(element: Option<Element>) -> f64 {
    ELEMENTS[element.map_or(CARBON, |element| usize::from(element.0))].1
}

/// The radius of an atom that may not be entered, in ångströms; that of carbon for an unknown
/// element.
pub(super) fn contact_radius(element: Option<Element>) -> f64 {
    ELEMENTS[element.map_or(CARBON, |element| usize::from(element.0))].2
}

/// The element of an atom: what the file says, or else what the name says. `None` if neither does.
pub(super) fn element(atom: &Atom, class: ResidueClass) -> Option<Element> {
    if !atom.element.is_empty() {
        return Element::of_symbol(&atom.element);
    }
    let letters = |text: &str| -> String {
        let start = text.trim_start_matches(|c: char| !c.is_ascii_alphabetic());
        start.chars().take_while(char::is_ascii_alphabetic).collect()
    };
    let name = letters(&atom.name).to_ascii_uppercase();
    let first = || name.get(..1).and_then(Element::of_symbol);
    let two = || name.get(..2).and_then(Element::of_symbol);
    // In polymers and water, two letters are an element and a place: CA is an alpha carbon.
    if class != ResidueClass::Other {
        return if name == "SE" { two() } else { first() };
    }
    // An ion is named as its residue, by its symbol or as CHARMM names it.
    if name == letters(&atom.residue).to_ascii_uppercase() {
        let charmm = [("SOD", "NA"), ("CLA", "CL"), ("POT", "K"), ("CAL", "CA"), ("CES", "CS")];
        let symbol =
            charmm.iter().find(|(known, _)| name == *known).map_or(&*name, |known| known.1);
        if let Some(ion) = Element::of_symbol(symbol) {
            return Some(ion);
        }
    }
    // In ligands, these two letters are the element: no other names begin with them.
    match name.get(..2) {
        Some("CL" | "BR" | "FE" | "ZN" | "MG" | "MN" | "SE" | "SI") => two(),
        _ => first(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guess(residue: &str, name: &str, class: ResidueClass) -> Option<&'static str> {
        let atom = Atom {
            name: name.into(),
            residue: residue.into(),
            residue_number: "1".into(),
            chain: String::new(),
            element: String::new(),
            hetero: false,
            segment: 0,
        };
        element(&atom, class).map(Element::symbol)
    }

    #[test]
    fn elements_are_guessed_from_names() {
        use ResidueClass::{Other, Protein, Water};
        assert_eq!(guess("ALA", "CA", Protein), Some("C"));
        assert_eq!(guess("ALA", "1HB", Protein), Some("H"));
        assert_eq!(guess("MSE", "SE", Protein), Some("SE"));
        assert_eq!(guess("SOL", "OW", Water), Some("O"));
        assert_eq!(guess("CA", "CA", Other), Some("CA"));
        assert_eq!(guess("CLA", "CLA", Other), Some("CL"));
        assert_eq!(guess("NA+", "NA+", Other), Some("NA"));
        assert_eq!(guess("LIG", "CL1", Other), Some("CL"));
        assert_eq!(guess("LIG", "CA1", Other), Some("C"));
        assert_eq!(guess("LIG", "?", Other), None);
    }

    #[test]
    fn radii_have_sane_sizes() {
        for (symbol, covalent, contact) in ELEMENTS {
            assert!((0.2..2.5).contains(&covalent) && (0.4..2.5).contains(&contact), "{symbol}");
            let known = super::super::van_der_waals_radius(symbol);
            let is_metal = contact < covalent + 0.2;
            assert!(is_metal || known.is_none_or(|known| known == contact), "{symbol}");
        }
        assert_eq!(Element::of_symbol("d"), Some(Element::HYDROGEN));
        assert_eq!((contact_radius(None), covalent_radius(None)), (1.70, 0.76));
    }
}
