"""Many machines: the same bits as one process, also if a worker is lost."""

from __future__ import annotations

import os
import threading
import time

import numpy as np
import pytest
from conftest import ball, shared

distributed = pytest.importorskip("distributed")

from pliant.dask import check, check_here, clashes, clashes_here  # noqa: E402


@pytest.fixture(scope="module")
def client():
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def sphere_file(tmp_path_factory):
    """Frames of two balls of which one moves: numbered files."""
    folder = tmp_path_factory.mktemp("frames")
    v, f = ball(8)
    for frame in range(300):
        w, g = ball(8, center=(3 - 0.01 * frame, 0, 0))
        lines = [f"v {x} {y} {z}" for x, y, z in np.concatenate([v, w])]
        lines += ["f " + " ".join(str(i + 1) for i in face) for face in np.concatenate([f, g + len(v)])]
        (folder / f"frame_{frame:03}.obj").write_text("\n".join(lines))
    return folder / "frame_###.obj"


def same(one, other) -> bool:
    """Whether two runs have the same rows, bit for bit."""
    return len(one) == len(other) and all(
        (a.file, a.animation, a.time, a.depth) == (b.file, b.animation, b.time, b.depth)
        and np.array_equal(a.pairs, b.pairs)
        for a, b in zip(one, other, strict=True)
    )


def test_frames_of_files_equal_one_process(client, sphere_file):
    alone = check_here([sphere_file], fps=24, self_contacts=True)
    assert sum(len(row.pairs) for row in alone) > 0
    assert same(alone, check([sphere_file], client, fps=24, self_contacts=True))


def test_rows_as_a_bag_and_as_a_dataframe(client, sphere_file):
    pytest.importorskip("dask.dataframe")
    alone = check_here(sphere_file, fps=24, self_contacts=True)
    bag = check(sphere_file, client, fps=24, self_contacts=True, result="bag")
    assert same(alone, bag.compute()) and bag.map(lambda row: len(row.pairs)).sum().compute() > 0
    table = check(sphere_file, client, fps=24, self_contacts=True, result="dataframe").compute()
    assert table["time"].tolist() == [row.time for row in alone]
    assert table["pairs"].tolist() == [len(row.pairs) for row in alone]
    with pytest.raises(ValueError, match="bag"):
        check(sphere_file, client, fps=24, self_contacts=True, result="heap")


def test_a_file_that_workers_do_not_see(client, tmp_path):
    file = shared("gltf/skinned/CesiumMan.glb")
    seen = tmp_path / "man.glb"
    seen.write_bytes(file.read_bytes())
    alone = check_here(seen, fps=5)
    many = check(seen, client, fps=5, result="bag")
    # The bytes are on their way: the path is needed no more.
    seen.unlink()
    assert same(alone, many.compute())


def test_a_worker_dies_in_the_middle(sphere_file):
    alone = check_here([sphere_file], fps=24, self_contacts=True)
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        pids = client.run(os.getpid)
        rows = []
        run = threading.Thread(
            target=lambda: rows.extend(check([sphere_file] * 6, client, fps=24, self_contacts=True, retries=5))
        )
        run.start()
        # As soon as the first task is done, one worker is killed.
        while not any(client.run_on_scheduler(lambda dask_scheduler: [
            task.key for task in dask_scheduler.tasks.values() if task.state == "memory" and "_run" in str(task.key)
        ])) and run.is_alive():
            time.sleep(0.01)
        os.kill(next(iter(pids.values())), 9)
        was_running = run.is_alive()
        run.join(120)
        assert not run.is_alive() and was_running
        assert set(client.run(os.getpid).values()) != set(pids.values())
    assert same(alone * 6, rows)


def test_clashes_of_a_trajectory(client):
    mda = pytest.importorskip("MDAnalysis")
    from pliant.mdanalysis import Clashes

    universe = mda.Universe(str(shared("protein/trpcage/1l2y.pdb")))
    truth = Clashes(universe.atoms, overlap=0.2).run().results
    universe.trajectory[0]
    for rows in (clashes(universe, client, overlap=0.2), clashes_here(universe, overlap=0.2)):
        assert [len(row.atoms) for row in rows] == truth.counts.tolist()
        assert np.array_equal(np.concatenate([row.atoms for row in rows]), truth.clashes[:, 1:])
        assert np.array_equal(np.concatenate([row.distances for row in rows]), truth.distances)
    assert truth.counts.sum() > 0
    pytest.importorskip("dask.dataframe")
    table = clashes(universe, client, overlap=0.2, result="dataframe").compute()
    assert table["a"].tolist() == truth.clashes[:, 1].tolist()
    dask = Clashes(universe.atoms, overlap=0.2).run(backend="dask", n_workers=2).results
    assert np.array_equal(dask.clashes, truth.clashes)
