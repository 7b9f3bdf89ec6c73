"""The nearest points of a body to 100,000 points, in a new pose every round: makehuman with motion capture.

Every contestant is given the pose and answers: pliant takes 31 joint matrices, the others take vertices, which
are moved for them beforehand; their refit or rebuild counts. Distances must agree. pliant and Open3D use all
cores, or THREADS threads each; trimesh has one.
"""

import os
import sys

THREADS = int(os.environ.get("THREADS", "0")) or len(os.sched_getaffinity(0))
os.environ["RAYON_NUM_THREADS"] = str(THREADS)

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


def near_points(state, share):
    """Points around a surface, inside and outside, as far from it as a share of its size."""
    rng = np.random.default_rng(7)
    corners = state[F[rng.integers(0, len(F), QUERIES)]]
    weights = rng.dirichlet([1, 1, 1], QUERIES)
    size = np.ptp(state, axis=0).max()
    return np.ascontiguousarray((weights[:, :, None] * corners).sum(axis=1) + rng.normal(size=(QUERIES, 3)) * share * size)


free = pliant.Body.free(states[0], F)


def by_pliant(points):
    def run(turn):
        free.set_positions(states[turn])
        return free.closest_points(points[turn]).distances

    return run


def by_pliant_skin(points):
    # A copy has the pose and nothing that an earlier round computed.
    return lambda turn: posed[turn].copy().closest_points(points[turn]).distances


def by_open3d(o3d, points):
    triangles = o3d.core.Tensor(F.astype(np.uint32))

    def run(turn):
        scene = o3d.t.geometry.RaycastingScene()
        scene.add_triangles(o3d.core.Tensor(states[turn].astype(np.float32)), triangles)
        found = scene.compute_closest_points(o3d.core.Tensor(points[turn].astype(np.float32)), nthreads=THREADS)
        return np.linalg.norm(found["points"].numpy() - points[turn], axis=1)

    return run


def by_trimesh(points):
    def run(turn):
        mesh = trimesh.Trimesh(states[turn], F, process=False)
        return trimesh.proximity.closest_point(mesh, points[turn])[1]

    return run


def compare(share, o3d, with_trimesh):
    points = [near_points(state, share) for state in states]
    contestants = {"pliant": by_pliant(points), "pliant, a skin by its joints": by_pliant_skin(points)}
    if o3d:
        contestants["Open3D (embree), rebuilt"] = by_open3d(o3d, points)
    if with_trimesh:
        contestants["trimesh (rtree), rebuilt"] = by_trimesh(points)
    answers = {}

    def told(name, run):
        def tell(turn):
            answers[name, turn] = run(turn)
            return f"mean distance {answers[name, turn].mean():.6f}"

        return tell

    best = best_of({name: told(name, run) for name, run in contestants.items()})
    where = f"points {100 * share:g} % of the size around it, threads: {THREADS}"
    table(f"Nearest points: {QUERIES:,} queries on a new pose of makehuman, {len(F):,} triangles, {where}", best)
    for name in list(contestants)[1:]:
        apart = np.abs(answers[name, 0] - answers["pliant", 0]).max()
        print(f"  {name}: largest difference of a distance {apart:.2e}")
    peers = [best[name][0] for name in contestants if not name.startswith("pliant")]
    if peers:
        ours = min(best[name][0] for name in contestants if name.startswith("pliant"))
        bar(f"nearest points, {where}, best peer over pliant", min(peers) / ours, 5)


# Only once: it takes a minute.
has_rtree = importable("rtree") is not None
o3d = importable("open3d")
for share in (0.002, 0.01, 0.05):
    compare(share, o3d, has_rtree and share == 0.002)
