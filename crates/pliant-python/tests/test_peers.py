"""Beside trimesh, MDAnalysis and Dask, where they are installed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pliant
import pytest
from conftest import ball, shared


def test_trimesh_objects_are_bodies():
    trimesh = pytest.importorskip("trimesh")
    mesh = trimesh.creation.icosphere(subdivisions=2)
    body = pliant.Body.free(mesh)
    points = np.random.default_rng(5).normal(size=(100, 3)) * 2
    ours = body.closest_points(points)
    theirs, distances, _ = trimesh.proximity.closest_point_naive(mesh, points)
    assert np.allclose(ours.distances, distances) and np.allclose(ours.points, theirs)


def test_pyvista_objects_are_bodies():
    pyvista = pytest.importorskip("pyvista")
    v, f = ball()
    body = pliant.Body.free(pyvista.PolyData.from_regular_faces(v, f))
    assert np.array_equal(body.rest, v.astype(body.rest.dtype)) and np.array_equal(body.faces, f)
    assert pliant.Body.rigid(pyvista.Sphere()).kind == "rigid"


@pytest.mark.parametrize("kind", [str, Path])
def test_files_are_bodies(tmp_path, kind):
    v, f = ball()
    file = tmp_path / "ball.obj"
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in v.tolist()] + [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in f]
    file.write_text("\n".join(lines))
    body = pliant.Body.free(kind(file))
    assert np.array_equal(body.rest, v) and np.array_equal(body.faces, f)
    with pytest.raises(pliant.Error, match="nowhere.obj"):
        pliant.Body.free(kind(tmp_path / "nowhere.obj"))


def test_the_collision_manager_answers_as_trimesh_does():
    trimesh = pytest.importorskip("trimesh")
    fcl = pytest.importorskip("fcl")
    assert fcl
    from pliant.trimesh import CollisionManager

    rng = np.random.default_rng(9)
    ours, theirs = CollisionManager(), trimesh.collision.CollisionManager()
    mesh = trimesh.creation.icosphere(subdivisions=2)
    for number in range(12):
        matrix = np.eye(4)
        matrix[:3, 3] = rng.random(3) * 5
        ours.add_object(f"m{number}", mesh, matrix)
        theirs.add_object(f"m{number}", mesh, matrix)
    hit, names = ours.in_collision_internal(return_names=True)
    also, known = theirs.in_collision_internal(return_names=True)
    assert hit == also and names == {tuple(sorted(pair)) for pair in known}
    probe = np.eye(4)
    probe[:3, 3] = [2.5, 2.5, 2.5]
    assert ours.in_collision_single(mesh, probe, return_names=True)[1] == set(
        theirs.in_collision_single(mesh, probe, return_names=True)[1]
    )
    far = np.eye(4)
    far[:3, 3] = 20
    assert ours.min_distance_single(mesh, far) == pytest.approx(
        theirs.min_distance_single(mesh, far), abs=1e-6
    )
    moved, (first, _) = np.asarray(mesh.vertices) + 50, sorted(names)[0]
    ours.set_vertices(first, moved)
    assert ours.in_collision_internal(return_names=True)[1] == {p for p in names if first not in p}


@pytest.mark.parametrize("backend", [None, "multiprocessing"])
def test_clashes_of_a_trajectory(backend):
    mda = pytest.importorskip("MDAnalysis")
    from pliant.mdanalysis import Clashes

    universe = mda.Universe(str(shared("protein/trpcage/1l2y.pdb")))
    keywords = {} if backend is None else {"backend": backend, "n_workers": 2}
    found = Clashes(universe.atoms).run(**keywords)
    assert len(found.results.counts) == len(universe.trajectory)
    assert found.results.counts.sum() == len(found.results.clashes)
    for frame, i, j in found.results.clashes[:5]:
        positions = universe.trajectory[int(frame)].positions.astype(float)
        at = np.flatnonzero((found.results.clashes == [frame, i, j]).all(axis=1))[0]
        gap = np.linalg.norm(positions[i] - positions[j])
        assert gap == pytest.approx(found.results.distances[at], abs=1e-6)
