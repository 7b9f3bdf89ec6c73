"""The nearest points of a body to 100,000 points, in a new pose every round: makehuman with motion capture.

Every contestant is given the pose and answers: pliant takes 31 joint matrices, the others take vertices, which
are moved for them beforehand; their refit or rebuild counts. Distances must agree.
"""

import sys

import numpy as np
import pliant
import trimesh
from turns import DATA, ROUNDS, bar, best_of, importable, table

FILE = DATA / "gltf/derived/makehuman_male_cmu.glb"
if not FILE.exists():
    sys.exit(f"shared data is not here: {FILE}")
QUERIES = 100_000

scene = pliant.load(FILE)
TIMES = [0.3 + 0.17 * turn for turn in range(ROUNDS)]
posed = [scene.body(0, animation=0, time=time) for time in TIMES]
states = [np.ascontiguousarray(body.positions) for body in posed]
F = posed[0].faces
rng = np.random.default_rng(7)


def near_points(count):
    """Points around the surface, up to a tenth of its size away, and some inside."""
    corners = states[0][F[rng.integers(0, len(F), count)]]
    weights = rng.dirichlet([1, 1, 1], count)
    size = np.ptp(states[0], axis=0).max()
    return (weights[:, :, None] * corners).sum(axis=1) + rng.normal(size=(count, 3)) * 0.05 * size


points = np.ascontiguousarray(near_points(QUERIES))
free = pliant.Body.free(states[0], F)


def by_pliant(turn):
    free.set_positions(states[turn])
    return free.closest_points(points).distances


def by_pliant_skin(turn):
    return posed[turn].copy().closest_points(points).distances


def by_open3d(o3d):
    triangles, queries = o3d.core.Tensor(F.astype(np.uint32)), o3d.core.Tensor(points.astype(np.float32))

    def run(turn):
        scene = o3d.t.geometry.RaycastingScene()
        scene.add_triangles(o3d.core.Tensor(states[turn].astype(np.float32)), triangles)
        found = scene.compute_closest_points(queries)
        return np.linalg.norm(found["points"].numpy() - points, axis=1)

    return run


def by_trimesh(turn):
    mesh = trimesh.Trimesh(states[turn], F, process=False)
    _, distances, _ = trimesh.proximity.closest_point(mesh, points)
    return distances


contestants = {"pliant": by_pliant, "pliant, a skin": by_pliant_skin}
if o3d := importable("open3d"):
    contestants["Open3D (embree), rebuilt"] = by_open3d(o3d)
if importable("rtree"):
    contestants["trimesh (rtree), rebuilt"] = by_trimesh
answers = {}


def told(name, run):
    def tell(turn):
        answers[name, turn] = run(turn)
        return f"mean {answers[name, turn].mean():.6f}"

    return tell


best = best_of({name: told(name, run) for name, run in contestants.items()})
table(f"Nearest points: {QUERIES:,} queries on a new pose of makehuman, {len(F):,} triangles", best)
for name in list(contestants)[1:]:
    apart = np.abs(answers[name, 0] - answers["pliant", 0]).max()
    print(f"  {name}: largest difference of a distance {apart:.2e}")
peers = [name for name in contestants if not name.startswith("pliant")]
if peers:
    ours = min(best[name][0] for name in contestants if name.startswith("pliant"))
    bar("nearest points, best peer over pliant", min(best[name][0] for name in peers) / ours, 5)
