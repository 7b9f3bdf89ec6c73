"""Beside trimesh, MDAnalysis and Dask, where they are installed."""

from __future__ import annotations

import os

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


@pytest.fixture(scope="module")
def sphere_file(tmp_path_factory):
    """Frames of two balls of which one moves: numbered files."""
    folder = tmp_path_factory.mktemp("frames")
    v, f = ball(8)
    for frame in range(40):
        w, g = ball(8, center=(3 - 0.1 * frame, 0, 0))
        lines = [f"v {x} {y} {z}" for x, y, z in np.concatenate([v, w])]
        lines += ["f " + " ".join(str(i + 1) for i in face) for face in np.concatenate([f, g + len(v)])]
        (folder / f"frame_{frame:03}.obj").write_text("\n".join(lines))
    return folder / "frame_###.obj"


def test_dask_equals_one_process_even_if_a_worker_dies(sphere_file):
    distributed = pytest.importorskip("distributed")
    from pliant.dask import check, check_here

    alone = check_here([sphere_file], fps=24, self_contacts=True)
    assert sum(len(row.pairs) for row in alone) > 0
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        many = check([sphere_file], client, fps=24, self_contacts=True)
        assert same(alone, many)
        # One worker is killed in the middle of the next run.
        futures = client.submit(lambda: os.getpid(), pure=False)
        victim = futures.result()
        kill = client.submit(lambda: os._exit(1), pure=False, retries=0, allow_other_workers=False)
        again = check([sphere_file], client, fps=24, self_contacts=True, retries=5)
        del kill
        assert victim and same(alone, again)


def same(one, other) -> bool:
    """Whether two runs have the same rows, bit for bit."""
    return len(one) == len(other) and all(
        (a.file, a.animation, a.time, a.depth) == (b.file, b.animation, b.time, b.depth)
        and np.array_equal(a.pairs, b.pairs)
        for a, b in zip(one, other, strict=True)
    )
