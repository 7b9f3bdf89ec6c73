//! Bonds, donors and acceptors of the residues that polymers consist of.

use super::residues::ResidueClass;

/// What is known about a residue by its name.
#[derive(Debug, Clone, Copy)]
pub(super) struct Template {
    pub(super) class: ResidueClass,
    /// Bonds of the polymer, then of the side chain or base: pairs of names joined by a hyphen.
    bonds: [&'static str; 2],
    /// Names of heavy atoms that may carry a hydrogen for a hydrogen bond.
    donors: &'static str,
    /// Names of nitrogen atoms that accept a hydrogen bond; every oxygen does.
    acceptors: &'static str,
}

/// Residues of a protein: names, bonds of the side chain, donors, accepting nitrogens. CD of ILE is
/// the name of CD1 in simulations.
#[rustfmt::skip]
const AMINO_ACIDS: [(&str, &str, &str, &str); 22] = [
    ("ALA", "CA-CB", "N", ""),
    ("ARG ARGN", "CA-CB CB-CG CG-CD CD-NE NE-CZ CZ-NH1 CZ-NH2", "N NE NH1 NH2", ""),
    ("ASN", "CA-CB CB-CG CG-OD1 CG-ND2", "N ND2", ""),
    ("ASP ASH ASPH", "CA-CB CB-CG CG-OD1 CG-OD2", "N", ""),
    ("CYS CYX CYM CYS2 CYSH", "CA-CB CB-SG", "N", ""),
    ("GLN", "CA-CB CB-CG CG-CD CD-OE1 CD-NE2", "N NE2", ""),
    ("GLU GLH GLUH", "CA-CB CB-CG CG-CD CD-OE1 CD-OE2", "N", ""),
    ("GLY", "", "N", ""),
    ("HIS HID HIE HIP HSD HSE HSP HISA HISB HISH HISD HISE", "CA-CB CB-CG CG-ND1 CG-CD2 ND1-CE1 CD2-NE2 CE1-NE2", "N ND1 NE2", "ND1 NE2"),
    ("ILE", "CA-CB CB-CG1 CB-CG2 CG1-CD1 CG1-CD", "N", ""),
    ("LEU", "CA-CB CB-CG CG-CD1 CG-CD2", "N", ""),
    ("LYS LYN LYSH", "CA-CB CB-CG CG-CD CD-CE CE-NZ", "N NZ", ""),
    ("MET", "CA-CB CB-CG CG-SD SD-CE", "N", ""),
    ("MSE", "CA-CB CB-CG CG-SE SE-CE", "N", ""),
    ("PHE", "CA-CB CB-CG CG-CD1 CG-CD2 CD1-CE1 CD2-CE2 CE1-CZ CE2-CZ", "N", ""),
    ("PRO", "CA-CB CB-CG CG-CD CD-N", "", ""),
    ("SEC", "CA-CB CB-SE", "N", ""),
    ("SER", "CA-CB CB-OG", "N OG", ""),
    ("THR", "CA-CB CB-OG1 CB-CG2", "N OG1", ""),
    ("TRP", "CA-CB CB-CG CG-CD1 CG-CD2 CD1-NE1 NE1-CE2 CD2-CE2 CD2-CE3 CE2-CZ2 CE3-CZ3 CZ2-CH2 CZ3-CH2", "N NE1", ""),
    ("TYR", "CA-CB CB-CG CG-CD1 CG-CD2 CD1-CE1 CD2-CE2 CE1-CZ CE2-CZ CZ-OH", "N OH", ""),
    ("VAL", "CA-CB CB-CG1 CB-CG2", "N", ""),
];

const PEPTIDE: &str = "N-CA CA-C C-O C-OXT";

/// Nucleotides: names, bonds of the base, donors, accepting nitrogens.
#[rustfmt::skip]
const NUCLEOTIDES: [(&str, &str, &str, &str); 5] = [
    ("A DA ADE RA DA5 DA3 RA5 RA3 A5 A3", "C1'-N9 N9-C8 C8-N7 N7-C5 C5-C6 C6-N1 N1-C2 C2-N3 N3-C4 C4-C5 C4-N9 C6-N6", "N6 O2'", "N1 N3 N7"),
    ("G DG GUA RG DG5 DG3 RG5 RG3 G5 G3 I DI", "C1'-N9 N9-C8 C8-N7 N7-C5 C5-C6 C6-N1 N1-C2 C2-N3 N3-C4 C4-C5 C4-N9 C6-O6 C2-N2", "N1 N2 O2'", "N3 N7"),
    ("C DC CYT RC DC5 DC3 RC5 RC3 C5 C3", "C1'-N1 N1-C2 C2-O2 C2-N3 N3-C4 C4-C5 C5-C6 C6-N1 C4-N4", "N4 O2'", "N3"),
    ("U DU URA RU RU5 RU3 U5 U3", "C1'-N1 N1-C2 C2-O2 C2-N3 N3-C4 C4-C5 C5-C6 C6-N1 C4-O4", "N3 O2'", ""),
    ("T DT THY DT5 DT3", "C1'-N1 N1-C2 C2-O2 C2-N3 N3-C4 C4-C5 C5-C6 C6-N1 C4-O4 C5-C7 C5-C5M", "N3 O2'", ""),
];

const NUCLEOTIDE: &str = "P-OP1 P-OP2 P-OP3 P-O5' O5'-C5' C5'-C4' C4'-O4' C4'-C3' C3'-O3' C3'-C2' \
                          C2'-O2' C2'-C1' C1'-O4'";

impl Template {
    /// The template of a residue by its name, in any case. Simulation programs mark the first and
    /// the last residue of a protein by an N or a C before the name.
    pub(super) fn of_residue(name: &str) -> Option<Self> {
        let name = name.to_ascii_uppercase();
        let find = |name: &str| {
            let is_named = |names: &str| names.split(' ').any(|known| known == name);
            let known = AMINO_ACIDS.iter().find(|known| is_named(known.0));
            let protein = known.map(|known| (ResidueClass::Protein, PEPTIDE, known));
            let nucleic = || {
                let known = NUCLEOTIDES.iter().find(|known| is_named(known.0));
                known.map(|known| (ResidueClass::Nucleic, NUCLEOTIDE, known))
            };
            protein.or_else(nucleic)
        };
        let inner = name.strip_prefix(['N', 'C']).filter(|inner| inner.len() == 3);
        let found = find(&name)
            .or_else(|| find(inner?).filter(|(class, ..)| *class == ResidueClass::Protein));
        found.map(|(class, polymer, &(_, bonds, donors, acceptors))| Self {
            class,
            bonds: [polymer, bonds],
            donors,
            acceptors,
        })
    }

    /// Pairs of names of bonded heavy atoms.
    pub(super) fn bonds(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let pairs = self.bonds.into_iter().flat_map(|bonds| bonds.split_ascii_whitespace());
        pairs.filter_map(|pair| pair.split_once('-'))
    }

    /// Whether the template says which bonds the atom of this name has.
    pub(super) fn knows(&self, name: &str) -> bool {
        self.bonds().any(|(a, b)| a == name || b == name)
    }

    pub(super) fn is_donor(&self, name: &str) -> bool {
        self.donors.split(' ').any(|donor| donor == name)
    }

    pub(super) fn is_accepting_nitrogen(&self, name: &str) -> bool {
        self.acceptors.split(' ').any(|acceptor| acceptor == name)
    }
}

/// The name of an atom as templates have it: old files write `O1P` and `C5*`.
pub(super) fn template_name(name: &str) -> String {
    match name {
        "O1P" => "OP1".into(),
        "O2P" => "OP2".into(),
        "O3P" => "OP3".into(),
        _ => name.replace('*', "'"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rings_are_closed_and_names_are_found() {
        let count = |name: &str| Template::of_residue(name).map(|found| found.bonds().count());
        // With OXT: as many bonds as atoms, less one, plus one per ring.
        assert_eq!(count("GLY"), Some(4));
        assert_eq!(count("trp"), Some(4 + 12));
        assert_eq!(count("NTRP"), Some(4 + 12));
        assert_eq!(count("HSD"), Some(4 + 7));
        assert_eq!(count("DG"), Some(13 + 13));
        assert_eq!(count("HEM"), None);
        assert_eq!(count("NA"), None);
        let serine = Template::of_residue("SER").unwrap();
        assert!(serine.knows("OG") && !serine.knows("HG") && serine.is_donor("OG"));
        assert_eq!(template_name("C5*"), "C5'");
    }
}
