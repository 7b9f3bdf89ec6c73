#!/usr/bin/env python3
"""Clashes, bonds and periodic distances of `pliant clash` beside gemmi and MDAnalysis.

Usage: clash.py PLIANT FOLDER [STRUCTURE ...]

PLIANT is the program, FOLDER a folder for files that this script makes. For every structure (PDB), the
bonds and the clashes that the program reports are compared with those that this script computes on its
own: gemmi reads the file and knows the covalent radii, all pairs of atoms are tested, bonds come from
distances alone. Then random atoms in random periodic cells, as PDB, GRO, DCD, XTC and TRR files that
MDAnalysis writes, are compared with the distances of MDAnalysis.

Needs: pip install gemmi MDAnalysis
"""

import json
import subprocess
import sys
import warnings
from pathlib import Path

import gemmi
import MDAnalysis
import numpy as np
from MDAnalysis.lib.distances import calc_bonds

warnings.filterwarnings("ignore")

OVERLAP, HYDROGEN_BOND = 0.4, 0.6

# Van der Waals radii (Bondi 1964; hydrogen by Rowland and Taylor 1996), ionic radius of iron.
RADII = {"H": 1.10, "C": 1.70, "N": 1.55, "O": 1.52, "S": 1.80, "Fe": 0.78, "Ar": 1.88}

# Atoms of amino acids that may give a hydrogen, and nitrogens that accept one.
DONORS = {
    "ARG": {"NE", "NH1", "NH2"}, "ASN": {"ND2"}, "GLN": {"NE2"}, "HIS": {"ND1", "NE2"}, "LYS": {"NZ"},
    "SER": {"OG"}, "THR": {"OG1"}, "TRP": {"NE1"}, "TYR": {"OH"},
}


def clash(program, *arguments):
    run = subprocess.run([program, "clash", *map(str, arguments), "--json", "-", "--quiet"],
                         capture_output=True, text=True, check=True)
    return json.loads(run.stdout)


class Atoms:
    """The atoms of a file in its order, without alternate locations."""

    def __init__(self, path):
        structure = gemmi.read_pdb(str(path))
        self.structure = structure
        self.elements, self.names, self.residues, self.kinds, self.chains = [], [], [], [], []
        rows = []
        for chain in structure[0]:
            for residue in chain:
                for atom in residue:
                    assert atom.altloc == "\0", "the script knows no alternate locations"
                    key = (chain.name, str(residue.seqid), residue.name)
                    rows.append((atom.serial, atom.element, atom.name, key))
        # gemmi joins the parts of a chain; the file's order is that of the serial numbers.
        rows.sort(key=lambda row: row[0])
        for _, element, name, key in rows:
            self.elements.append(element)
            self.names.append(name)
            self.residues.append(key)
        self.radii = np.array([RADII[element.name] for element in self.elements])
        self.covalent = np.array([element.covalent_r for element in self.elements])

    def positions(self, model):
        found = [(atom.serial, atom.pos.tolist()) for chain in model for residue in chain for atom in residue]
        return np.array([place for _, place in sorted(found)])


def near_pairs(places, reach):
    """All pairs within reach, row by row."""
    for i in range(len(places) - 1):
        squared = ((places[i + 1:] - places[i]) ** 2).sum(axis=1)
        for j in np.nonzero(squared <= reach * reach)[0]:
            yield i, i + 1 + int(j), float(np.sqrt(squared[j]))


def bonds_of(atoms, places):
    """Bonds by distance: within residues, along chains, and where the file links residues."""
    linked = set()
    for link in atoms.structure.connections:
        ends = []
        for end in (link.partner1, link.partner2):
            key = (end.chain_name, str(end.res_id.seqid), end.res_id.name)
            ends.append(next(i for i, at in enumerate(atoms.residues)
                             if at == key and atoms.names[i] == end.atom_name))
        linked.add((min(ends), max(ends)))
    order = {}
    for key in atoms.residues:
        order.setdefault(key, len(order))
    bonds, nearest = set(linked), {}
    for i, j, distance in near_pairs(places, 3.2):
        if distance > atoms.covalent[i] + atoms.covalent[j] + 0.4:
            continue
        hydrogen = [atoms.elements[k].is_hydrogen for k in (i, j)]
        same = atoms.residues[i] == atoms.residues[j]
        if any(hydrogen):
            if same and not all(hydrogen):
                k, heavy = (i, j) if hydrogen[0] else (j, i)
                nearest[k] = min(nearest.get(k, (9.0, -1)), (distance, heavy))
            continue
        steps = order[atoms.residues[j]] - order[atoms.residues[i]]
        is_link = steps == 1 and (atoms.names[i], atoms.names[j]) == ("C", "N")
        if same or (is_link and atoms.residues[i][0] == atoms.residues[j][0]):
            bonds.add((i, j))
    for hydrogen, (_, heavy) in nearest.items():
        bonds.add((min(hydrogen, heavy), max(hydrogen, heavy)))
    return bonds


def within_three(bonds, count):
    neighbours = [set() for _ in range(count)]
    for i, j in bonds:
        neighbours[i].add(j)
        neighbours[j].add(i)
    near = []
    for atom in range(count):
        reached = {atom}
        for _ in range(3):
            reached = reached | {other for at in reached for other in neighbours[at]}
        near.append(reached)
    return neighbours, near


def roles(atoms, neighbours):
    """Which atoms give a hydrogen to a hydrogen bond, and which accept one."""
    gives, accepts = [], []
    bare = set(atoms.residues) - {key for key, element in zip(atoms.residues, atoms.elements) if element.is_hydrogen}
    for i, element in enumerate(atoms.elements):
        key, name = atoms.residues[i], atoms.names[i]
        residue = key[2]
        symbol = element.name
        info = gemmi.find_tabulated_residue(residue)
        has_hydrogen = any(atoms.elements[j].is_hydrogen for j in neighbours[i])
        if element.is_hydrogen:
            gives.append(any(atoms.elements[j].name in ("N", "O", "S") for j in neighbours[i]))
            accepts.append(False)
        elif symbol == "O":
            gives.append(has_hydrogen or info.is_water() or name in DONORS.get(residue, ())
                         or (not info.is_amino_acid() and key in bare))
            accepts.append(True)
        elif symbol == "N":
            if info.is_amino_acid():
                gives.append(has_hydrogen or (name == "N" and residue != "PRO") or name in DONORS.get(residue, ()))
                accepts.append(residue == "HIS" and name != "N")
            else:
                gives.append(has_hydrogen or key in bare)
                accepts.append(True)
        elif symbol == "S":
            gives.append(has_hydrogen)
            accepts.append(sum(not atoms.elements[j].is_hydrogen for j in neighbours[i]) <= 2)
        else:
            gives.append(False)
            accepts.append(False)
    return gives, accepts


def check_structure(program, path):
    atoms = Atoms(path)
    report = clash(program, path)
    first = atoms.positions(atoms.structure[0])
    bonds = bonds_of(atoms, first)
    ours = {tuple(pair) for pair in report["bonds"]}
    assert ours == bonds, f"{path}: bonds differ: {sorted(ours ^ bonds)[:20]}"
    neighbours, near = within_three(bonds, len(first))
    gives, accepts = roles(atoms, neighbours)
    assert len(report["frames"]) == len(atoms.structure), path
    total = 0
    for model, frame in zip(atoms.structure, report["frames"]):
        places = atoms.positions(model)
        expected = {}
        for i, j, distance in near_pairs(places, 2 * atoms.radii.max()):
            is_bond = (gives[i] and accepts[j]) or (accepts[i] and gives[j])
            allowed = atoms.radii[i] + atoms.radii[j] - (HYDROGEN_BOND if is_bond else 0.0)
            if distance <= allowed - OVERLAP and j not in near[i]:
                expected[i, j] = (distance, allowed - distance)
        found = {tuple(pair): (contact["distance"], contact["overlap"])
                 for pair, contact in zip(frame["clashes"], frame["contacts"])}
        assert found.keys() == expected.keys(), \
            f"{path}, model {frame['index']}: {sorted(found.keys() ^ expected.keys())[:20]}"
        for pair in found:
            assert np.allclose(found[pair], expected[pair], atol=1e-9), (path, pair)
        total += len(found)
    print(f"{path}: {len(first)} atoms, {len(bonds)} bonds, {len(report['frames'])} models, {total} clashes: the same")


def argon(places, box):
    """Atoms that nothing binds, in a cell."""
    count = len(places[0])
    universe = MDAnalysis.Universe.empty(count, n_residues=count, atom_resindex=np.arange(count), trajectory=True)
    for name, value in [("names", "AR"), ("resnames", "AR"), ("elements", "Ar"), ("types", "Ar")]:
        universe.add_TopologyAttr(name, [value] * count)
    universe.add_TopologyAttr("resids", np.arange(count) % 9999 + 1)
    universe.load_new(np.array(places, dtype=np.float32), dimensions=np.array([box] * len(places), dtype=np.float32))
    return universe


def check_frame(frame, places, box, what, slack):
    """The pairs of a frame are those whose shortest distance is below the limit, up to the digits of a file."""
    count = len(places)
    i, j = np.triu_indices(count, 1)
    distances = calc_bonds(places[i].astype(np.float32), places[j].astype(np.float32), box=box)
    limit = 2 * RADII["Ar"] - OVERLAP
    found = {tuple(pair): contact["distance"] for pair, contact in zip(frame["clashes"], frame["contacts"])}
    for a, b, distance in zip(i, j, distances):
        if abs(distance - limit) <= slack:
            continue
        assert ((a, b) in found) == (distance < limit), (what, a, b, distance)
        if (a, b) in found:
            assert abs(found[a, b] - distance) <= slack, (what, a, b, found[a, b], distance)
    return len(found)


def check_cells(program, folder):
    random = np.random.default_rng(16)
    boxes = [[20, 25, 30, 90, 90, 90], [20, 25, 30, 75, 80, 110], [25, 25, 25, 70.53, 109.47, 70.53],
             [22, 22, 22, 60, 60, 90], [18, 24, 21, 100, 95, 62]]
    for number, box in enumerate(boxes):
        box = np.array(box, dtype=np.float32)
        edges = MDAnalysis.lib.mdamath.triclinic_vectors(box)
        places = [(random.random((120, 3)) * 3 - 1) @ edges for _ in range(3)]
        universe = argon(places, box)
        whole = folder / f"cell_{number}.pdb"
        universe.atoms.write(str(whole))
        found = check_frame(clash(program, whole, "--periodic")["frames"][0], places[0], box, whole, 0.005)
        gro = folder / f"cell_{number}.gro"
        universe.atoms.write(str(gro))
        check_frame(clash(program, gro, "--periodic")["frames"][0], places[0], box, gro, 0.03)
        for kind, slack in [("dcd", 1e-3), ("xtc", 0.03), ("trr", 1e-3)]:
            run = folder / f"cell_{number}.{kind}"
            with MDAnalysis.Writer(str(run), len(places[0])) as writer:
                for _ in universe.trajectory:
                    writer.write(universe.atoms)
            report = clash(program, whole, run, "--periodic")
            assert len(report["frames"]) == len(places), run
            for frame, place in zip(report["frames"], places):
                check_frame(frame, place, box, run, slack)
        print(f"cell {box.tolist()}: {found} clashes in the first of {len(places)} frames, five formats: the same")


def main():
    program, folder, *structures = sys.argv[1:]
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for path in structures:
        check_structure(program, Path(path))
    check_cells(program, folder)


if __name__ == "__main__":
    main()
