"""Clashes over a trajectory of some 10,000 atoms: `pliant.mdanalysis.Clashes` beside a script with MDAnalysis' own
`self_capped_distance` and exclusion of pairs within three bonds. The pairs must be the same.

The structures are hemoglobin (1hv4), ubiquitin and trp-cage side by side; frames are theirs with a seeded
jitter, in memory. Bonds and radii are the same for both.
"""

import sys
import warnings

import numpy as np
from turns import DATA, bar, best_of, importable, table

FILES = [DATA / f"protein/{name}.pdb" for name in ("static/1hv4", "ubiquitin/1ubq", "trpcage/1l2y")]
FRAMES = 64
if not all(file.exists() for file in FILES):
    sys.exit(f"shared data is not here: {FILES[0]}")
if not (mda := importable("MDAnalysis")):
    sys.exit("skipped: pip install MDAnalysis")

from MDAnalysis.coordinates.memory import MemoryReader  # noqa: E402
from MDAnalysis.lib.distances import self_capped_distance  # noqa: E402
from pliant.mdanalysis import Clashes  # noqa: E402

warnings.filterwarnings("ignore")
OVERLAP = 0.4

parts = [mda.Universe(str(file)).atoms for file in FILES]
for number, atoms in enumerate(parts):
    atoms.translate([150.0 * number, 0, 0])
universe = mda.Merge(*parts)
rng = np.random.default_rng(5)
rest = universe.atoms.positions
frames = np.stack([rest + rng.normal(size=rest.shape) * 0.12 for _ in range(FRAMES)]).astype(np.float32)
universe.load_new(frames, format=MemoryReader)
analysis = Clashes(universe.atoms, overlap=OVERLAP, hydrogen_bond=0.0)
search = analysis.search


def within_three_bonds(count, bonds):
    """Pairs of atoms within three bonds, each as one number, sorted."""
    from scipy.sparse import coo_matrix, eye

    i, j = bonds.T.astype(np.int64)
    one = coo_matrix((np.ones(2 * len(i)), (np.r_[i, j], np.r_[j, i])), (count, count)).tocsr()
    reach = eye(count, format="csr") + one
    near = (reach @ reach @ reach).tocoo()
    keys = near.row.astype(np.int64) * count + near.col
    return np.sort(keys[near.row < near.col])


count = len(universe.atoms)
excluded = within_three_bonds(count, search.bonds)
radii = search.radii
cutoff = 2 * radii.max() - OVERLAP


def by_script(_):
    rows = []
    for step in universe.trajectory:
        pairs, distances = self_capped_distance(universe.atoms.positions, cutoff, box=None)
        close = distances <= radii[pairs[:, 0]] + radii[pairs[:, 1]] - OVERLAP
        pairs = np.sort(pairs[close], axis=1)
        keys = pairs[:, 0] * count + pairs[:, 1]
        pairs = pairs[~np.isin(keys, excluded, assume_unique=True)]
        pairs = pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]
        rows.append(np.hstack([np.full((len(pairs), 1), step.frame), pairs]))
    return np.vstack(rows)


answers = {}


def told(name, run):
    def tell(turn):
        answers[name] = run(turn)
        return f"{len(answers[name])} clashes"

    return tell


best = best_of(
    {
        "pliant": told("pliant", lambda _: analysis.run().results.clashes),
        "self_capped_distance": told("script", by_script),
    }
)
table(f"Clashes over {FRAMES} frames of {count:,} atoms", best)
same = np.array_equal(answers["pliant"], answers["script"])
print(f"  the same pairs: {'yes' if same else 'NO'}")
bar("clashes over a trajectory, script over pliant", best["self_capped_distance"][0] / best["pliant"][0], 20)
sys.exit(0 if same else 1)
