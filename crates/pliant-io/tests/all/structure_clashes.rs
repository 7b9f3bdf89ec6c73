//! Clashes of structures beside a search of all pairs, with bonds counted step by step.

use std::collections::HashSet;

use pliant::glam::DVec3;
use pliant_io::{
    Bonds, Cell, ClashSearch, ClashSettings, Selection, Structure, read_gro, read_pdb, read_xyz,
};
use proptest::prelude::*;

fn pdb_atom(serial: usize, name: &str, residue: &str, number: usize, place: DVec3) -> String {
    let element = name.trim_start_matches(|c: char| c.is_ascii_digit()).get(..1).unwrap_or("C");
    let [x, y, z] = place.to_array();
    format!(
        "ATOM  {serial:>5} {name:>4} {residue:>3} A{number:>4}    {x:8.3}{y:8.3}{z:8.3}  1.00  0.00          {element:>2}\n"
    )
}

fn pdb(text: &str) -> Structure {
    read_pdb(text.as_bytes(), "t.pdb".as_ref()).unwrap()
}

/// Atoms that are reached from each atom in at most three bonds.
fn within_three(bonds: &Bonds, atoms: usize) -> HashSet<[u32; 2]> {
    let mut pairs = HashSet::new();
    for atom in 0..atoms as u32 {
        let mut reached = HashSet::from([atom]);
        for _ in 0..3 {
            let next: Vec<u32> =
                reached.iter().flat_map(|&from| bonds.of(from as usize).to_vec()).collect();
            reached.extend(next);
        }
        pairs.extend(reached.into_iter().filter(|&other| other > atom).map(|other| [atom, other]));
    }
    pairs
}

/// The pairs that a search must find if no atom takes part in hydrogen bonds.
fn every_pair(
    structure: &Structure,
    radii: &[f64],
    overlap: f64,
    cell: Option<&Cell>,
) -> Vec<[u32; 2]> {
    let bonds = Bonds::find(structure, cell).unwrap();
    let near = within_three(&bonds, structure.atoms.len());
    let places = &structure.models[0];
    let mut pairs = Vec::new();
    for i in 0..places.len() {
        for j in i + 1..places.len() {
            let pair = [i as u32, j as u32];
            let difference = places[i] - places[j];
            let shortest = cell.map_or(difference, |cell| cell.shortest(difference));
            let limit = radii[i] + radii[j] - overlap;
            if shortest.length_squared() <= limit * limit && !near.contains(&pair) {
                pairs.push(pair);
            }
        }
    }
    pairs
}

fn found(structure: &Structure, settings: &ClashSettings) -> Vec<[u32; 2]> {
    let search = ClashSearch::new(structure, settings).unwrap();
    let cell = structure.cell.as_ref().filter(|_| settings.is_periodic);
    let found = search.clashes(&structure.models[0], cell).unwrap();
    found.clashes.iter().map(|clash| clash.atoms).collect()
}

fn geometric(is_periodic: bool) -> ClashSettings {
    ClashSettings { hydrogen_bond: 0.0, is_periodic, ..ClashSettings::default() }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    /// Carbons and sulphurs at random places, bonded where they are near.
    #[test]
    fn the_pairs_are_those_of_brute_force(
        places in prop::collection::vec([-6.0_f64..6.0, -6.0..6.0, -6.0..6.0], 1..60),
        overlap in 0.0_f64..1.0,
    ) {
        let mut text = format!("{}\n\n", places.len());
        for (at, [x, y, z]) in places.iter().enumerate() {
            text += &format!("{} {x} {y} {z}\n", if at % 3 == 0 { "Si" } else { "C" });
        }
        let structure = read_xyz(text.as_bytes(), "r.xyz".as_ref()).unwrap();
        let settings = ClashSettings { overlap, ..geometric(false) };
        let radii: Vec<f64> =
            (0..places.len()).map(|at| if at % 3 == 0 { 2.1 } else { 1.7 }).collect();
        prop_assert_eq!(found(&structure, &settings), every_pair(&structure, &radii, overlap, None));
    }

    /// The same in a skewed cell, for atoms that nothing binds.
    #[test]
    fn the_pairs_of_a_cell_are_those_of_brute_force(
        places in prop::collection::vec([-30.0_f64..30.0, -30.0..30.0, -30.0..30.0], 1..80),
        edges in [6.0_f64..20.0, 6.0..20.0, 6.0..20.0],
        skew in [-20.0_f64..20.0, -20.0..20.0, -20.0..20.0],
    ) {
        let mut text = format!("argon\n{}\n", places.len());
        for (at, [x, y, z]) in places.iter().enumerate() {
            let number = at + 1;
            text += &format!("{number:>5}AR      AR{number:>5}{x:8.3}{y:8.3}{z:8.3}\n");
        }
        let [a, b, c] = edges;
        let [p, q, r] = skew;
        text += &format!("{a} {b} {c} 0 0 {p} 0 {q} {r}\n");
        let structure = read_gro(text.as_bytes(), "a.gro".as_ref()).unwrap();
        // The numbers are nanometres: this gas is thin.
        let Some(cell) = structure.cell.clone() else { return Ok(()) };
        let radii = vec![1.88; places.len()];
        let settings = ClashSettings { overlap: -40.0, ..geometric(true) };
        let search = ClashSearch::new(&structure, &settings).unwrap();
        let Ok(found) = search.clashes(&structure.models[0], Some(&cell)) else { return Ok(()) };
        let found: Vec<[u32; 2]> = found.clashes.iter().map(|clash| clash.atoms).collect();
        prop_assert_eq!(found, every_pair(&structure, &radii, -40.0, Some(&cell)));
    }
}

proptest! {
    /// Any text is a selection or an error with a column.
    #[test]
    fn any_text_is_parsed_or_refused(
        text in "(chain|resi|name|and|or|not|water|[()\"' A-Z0-9,:é-]){0,12}",
    ) {
        if let Err(error) = text.parse::<Selection>() {
            prop_assert!((1..=text.chars().count() + 1).contains(&error.column), "{}", error);
        }
    }
}

/// A dipeptide far too close to itself: bonds come from names, not from distances.
#[test]
fn residues_names_say_the_bonds() {
    let places = [
        ("N", "GLY", 1, [0.0, 0.0, 0.0]),
        ("CA", "GLY", 1, [1.5, 0.0, 0.0]),
        ("C", "GLY", 1, [2.0, 1.4, 0.0]),
        ("O", "GLY", 1, [1.3, 2.4, 0.0]),
        ("H", "GLY", 1, [-0.5, 0.8, 0.0]),
        ("N", "SER", 2, [3.3, 1.5, 0.0]),
        ("CA", "SER", 2, [4.0, 2.8, 0.0]),
        ("C", "SER", 2, [5.5, 2.6, 0.0]),
        ("O", "SER", 2, [6.0, 1.5, 0.0]),
        ("CB", "SER", 2, [3.6, 3.6, 1.2]),
        // The hydroxyl lies beside the first residue, which does not bind it.
        ("OG", "SER", 2, [2.2, 3.5, 0.4]),
        ("OXT", "SER", 2, [6.2, 3.7, 0.0]),
    ];
    let text: String = (1..)
        .zip(places)
        .map(|(serial, (name, residue, number, place))| {
            pdb_atom(serial, name, residue, number, DVec3::from_array(place))
        })
        .collect();
    let structure = pdb(&text);
    let bonds = Bonds::find(&structure, None).unwrap();
    let expected =
        [[0, 1], [0, 4], [1, 2], [2, 3], [2, 5], [5, 6], [6, 7], [6, 9], [7, 8], [7, 11], [9, 10]];
    assert_eq!(bonds.pairs(), expected);
    assert_eq!(bonds.of(2), [1, 3, 5]);
    assert_eq!(bonds.of(99), [0; 0]);
    // OG is 2.15 Å from C and 1.48 Å from O, four and five bonds away; N is three bonds away.
    assert_eq!(found(&structure, &ClashSettings::default()), [[2, 10], [3, 10]]);
    // A gap in the chain is no bond.
    let apart = text.replace("   3.300   1.500", "   3.300   9.500");
    assert!(!Bonds::find(&pdb(&apart), None).unwrap().pairs().contains(&[2, 5]));
}

#[test]
fn cystines_and_nucleotides_are_linked() {
    let sulphurs = |listed: &str| {
        let near = pdb_atom(1, "SG", "CYS", 1, DVec3::ZERO)
            + &pdb_atom(2, "SG", "CYS", 2, DVec3::X * 2.05)
            + &pdb_atom(3, "SG", "CYS", 3, DVec3::X * 40.0)
            + &pdb_atom(4, "SG", "CYS", 4, DVec3::X * 42.0);
        Bonds::find(&pdb(&(listed.to_owned() + &near)), None).unwrap().pairs().to_vec()
    };
    assert_eq!(sulphurs(""), [[0, 1], [2, 3]]);
    let listed = "SSBOND   1 CYS A    1    CYS A    2                          1555   1555  2.05\n";
    assert_eq!(sulphurs(listed), [[0, 1]]);
    let strand = pdb_atom(1, "O3'", "DA", 1, DVec3::ZERO)
        + &pdb_atom(2, "P", "DT", 2, DVec3::X * 1.6)
        + &pdb_atom(3, "OP1", "DT", 2, DVec3::X * 3.1);
    assert_eq!(Bonds::find(&pdb(&strand), None).unwrap().pairs(), [[0, 1], [1, 2]]);
}

/// Virtual sites of water models are no atoms, and water's hydrogens belong to their oxygen.
#[test]
fn water_models_do_not_clash_with_themselves() {
    let text = "tip4p\n    8\n\
        \x20   1SOL     OW    1   0.000   0.000   0.000\n\
        \x20   1SOL    HW1    2   0.096   0.000   0.000\n\
        \x20   1SOL    HW2    3  -0.024   0.093   0.000\n\
        \x20   1SOL     MW    4   0.010   0.010   0.000\n\
        \x20   2SOL     OW    5   0.280   0.000   0.000\n\
        \x20   2SOL    HW1    6   0.376   0.000   0.000\n\
        \x20   2SOL    HW2    7   0.256   0.093   0.000\n\
        \x20   2SOL     MW    8   0.290   0.010   0.000\n   3.0 3.0 3.0\n";
    let structure = read_gro(text.as_bytes(), "w.gro".as_ref()).unwrap();
    let search = ClashSearch::new(&structure, &ClashSettings::default()).unwrap();
    assert_eq!(search.bonds().pairs(), [[0, 1], [0, 2], [4, 5], [4, 6]]);
    assert_eq!(search.atoms(), [0, 1, 2, 4, 5, 6]);
    assert_eq!(search.clashes(&structure.models[0], None).unwrap().clashes, []);
    // Without the allowance, the hydrogen bond is an overlap.
    assert_eq!(found(&structure, &geometric(false)), [[1, 4]]);
}

#[test]
fn what_cannot_be_searched_is_refused() {
    let heap = |count: usize| {
        let mut text = format!("{count}\n\n");
        text.extend((0..count).map(|at| format!("C 0 0 {}\n", at as f64 * 1e-7)));
        read_xyz(text.as_bytes(), "heap.xyz".as_ref()).unwrap()
    };
    let error = ClashSearch::new(&heap(5000), &ClashSettings::default()).unwrap_err();
    assert!(error.to_string().starts_with("atoms: so many are at one place"), "{error}");
    let structure = heap(300);
    let settings = ClashSettings { most_clashes: 100, ..ClashSettings::default() };
    let search = ClashSearch::new(&structure, &settings).unwrap();
    let error = search.clashes(&structure.models[0], None).unwrap_err();
    assert_eq!(error.to_string(), "clashes: more than 100 in one frame");
    let error = search.clashes(&[DVec3::ZERO], None).unwrap_err();
    assert_eq!(error.to_string(), "positions: 1 for 300 atoms");
    let mut places = structure.models[0].clone();
    places[7].y = f64::NAN;
    assert_eq!(search.clashes(&places, None).unwrap_err().to_string(), "atom 7: is not finite");
    // A star of bonds: every two of its ends are two bonds apart.
    let mut star: String =
        (1..=3000).map(|at| pdb_atom(at, "C", "LIG", at, DVec3::X * at as f64 * 0.3)).collect();
    star.extend((2..=3000).map(|at| format!("CONECT    1{at:>5}\n")));
    let error = ClashSearch::new(&pdb(&star), &ClashSettings::default()).unwrap_err();
    assert_eq!(error.to_string(), "bonds: more than 256 per atom are within three bonds");
}
