"""Two balls of 20,480 triangles of which both bend in every round: positions in, all pairs of touching
triangles out. Pairs must be those of python-fcl and Open3D.
"""

import sys

import numpy as np
import pliant
import trimesh
from turns import ROUNDS, bar, best_of, importable, table

ball = trimesh.creation.icosphere(subdivisions=5)
V, F = np.ascontiguousarray(ball.vertices), np.ascontiguousarray(ball.faces)


def bent(turn, phase, center):
    """A ball whose surface is in waves."""
    wave = 1 + 0.03 * np.sin(5 * V[:, [0]] + phase + 0.4 * turn) * np.cos(4 * V[:, [1]] - 0.3 * turn)
    return np.ascontiguousarray(V * wave + center)


STATES = [(bent(t, 0.0, [0, 0, 0]), bent(t, 1.0, [1.55, 0.1, 0.05])) for t in range(ROUNDS)]
answers = {}


first, second = (pliant.Body.free(state, F) for state in STATES[0])


def by_pliant(turn):
    first.set_positions(STATES[turn][0])
    second.set_positions(STATES[turn][1])
    return first.intersections(second).pairs


def fcl_model(fcl, vertices):
    model = fcl.BVHModel()
    model.beginModel(len(vertices), len(F))
    model.addSubModel(vertices, F)
    model.endModel()
    return fcl.CollisionObject(model, fcl.Transform())


def by_fcl(fcl):
    def run(turn):
        a, b = (fcl_model(fcl, vertices) for vertices in STATES[turn])
        result = fcl.CollisionResult()
        fcl.collide(a, b, fcl.CollisionRequest(num_max_contacts=1_000_000), result)
        return [(contact.b1, contact.b2) for contact in result.contacts]

    return run


def by_trimesh(turn):
    manager = trimesh.collision.CollisionManager()
    for name, vertices in zip("ab", STATES[turn], strict=True):
        manager.add_object(name, trimesh.Trimesh(vertices, F, process=False))
    _, data = manager.in_collision_internal(return_data=True)
    return [(contact.index("a"), contact.index("b")) for contact in data]


def by_ipctk(ipctk, with_test):
    faces = np.asfortranarray(np.vstack([F, F + len(V)]).astype(np.int32))
    edges = ipctk.edges(faces)
    rest = np.asfortranarray(np.vstack(STATES[0]))
    mesh = ipctk.CollisionMesh(rest, edges, faces)
    body = np.repeat([0, 1], len(V)).astype(np.int32)
    mesh.can_collide = ipctk.make_vertex_patches_filter(body)

    def yes_or_no(turn):
        return ipctk.has_intersections(mesh, np.asfortranarray(np.vstack(STATES[turn])), ipctk.LBVH())

    def candidates(turn):
        phase = ipctk.LBVH()
        phase.can_vertices_collide = mesh.can_collide
        phase.build(np.asfortranarray(np.vstack(STATES[turn])), edges, faces, 0.0)
        return phase.detect_face_face_candidates()

    return yes_or_no if with_test else candidates


def by_open3d(o3d):
    faces = o3d.utility.Vector3iVector(np.vstack([F, F + len(V)]).astype(np.int32))

    def run(turn):
        mesh = o3d.geometry.TriangleMesh(o3d.utility.Vector3dVector(np.vstack(STATES[turn])), faces)
        pairs = np.asarray(mesh.get_self_intersecting_triangles())
        pairs = np.sort(pairs, axis=1)
        between = (pairs[:, 0] < len(F)) & (pairs[:, 1] >= len(F))
        return pairs[between] - [0, len(F)]

    return run


contestants = {"pliant": by_pliant}
in_full = []
if fcl := importable("fcl"):
    contestants["python-fcl, rebuilt"] = by_fcl(fcl)
    in_full.append("python-fcl, rebuilt")
    # It is python-fcl behind a manager; what its indices mean is not compared.
    contestants["trimesh's CollisionManager, rebuilt"] = by_trimesh
if ipctk := importable("ipctk"):
    ipctk.set_logger_level(ipctk.LoggerLevel.error)
    contestants["ipctk, has_intersections (yes or no)"] = by_ipctk(ipctk, True)
    contestants["ipctk, boxes of faces (no exact test)"] = by_ipctk(ipctk, False)
if o3d := importable("open3d"):
    contestants["Open3D, get_self_intersecting_triangles"] = by_open3d(o3d)
    in_full.append("Open3D, get_self_intersecting_triangles")


def told(name, run):
    def tell(turn):
        found = run(turn)
        answers[name, turn] = found
        return found if isinstance(found, bool) else f"{len(found)} pairs"

    return tell


best = best_of({name: told(name, run) for name, run in contestants.items()})
table(f"Two balls of {len(F):,} triangles, both bent anew: update and all pairs", best)
equal = True
for name in in_full:
    ours = set(map(tuple, np.asarray(answers["pliant", 0]).tolist()))
    theirs = set(map(tuple, np.asarray(answers[name, 0]).reshape(-1, 2).tolist()))
    print(f"  {name}: {len(ours & theirs)} pairs of both, {len(ours ^ theirs)} of one alone")
    equal &= ours == theirs
if in_full:
    quickest = min(best[name][0] for name in in_full)
    bar("deforming pair, best peer that finds all pairs over pliant", quickest / best["pliant"][0], 10)
sys.exit(0 if equal else 1)
