"""Sweeps, simulations, commands, tables, and pickled results."""

from __future__ import annotations

import copy
import json
import multiprocessing
import pickle

import numpy as np
import pliant
import pytest
from conftest import ball, shared


def bullet_and_plate():
    v, f = ball(6, radius=0.1)
    plate = pliant.Body.free(np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]], float), [[0, 1, 2], [0, 2, 3]])
    start = pliant.Body.free(v + [0.2, 0.1, 5], f)
    end = start.copy()
    end.set_positions(v + [0.2, 0.1, -5])
    return (start, end), plate


def test_nothing_tunnels():
    (start, end), plate = bullet_and_plate()
    assert not start.intersects(plate) and not end.intersects(plate)
    swept = pliant.sweep((start, end), plate)
    # The south pole is at 4.9 and moves by 10.
    assert swept.first[0] <= 0.49 <= swept.first[1]
    assert len(swept.vertex_face) > 0 and swept.pierced.shape == (0, 2)
    assert swept.vertex_face.features.shape[1] == 2 and swept.edge_edge.features.shape[1] == 4
    assert pliant.sweep((start, end), plate, first=True).first == swept.first
    with pytest.raises(pliant.Error, match="more than 1"):
        pliant.sweep((start, end), plate, limit=1)
    with pytest.raises(TypeError, match="two of them"):
        pliant.sweep(3, plate)


def test_a_body_that_folds_through_itself():
    v = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0.2, 0.2, 1], [0.4, 0.2, 1], [0.2, 0.4, 1]], float)
    start = pliant.Body.free(v, [[0, 1, 2], [3, 4, 5]])
    end = start.copy()
    end.set_positions(np.vstack([v[:3], v[3:] - [0, 0, 3]]))
    swept = pliant.self_sweep((start, end))
    assert swept.first == pytest.approx((1 / 3, 1 / 3)) and len(swept) > 0
    with pytest.raises(pliant.Error, match="adjacency"):
        pliant.self_sweep((start, end), adjacency="shape")


def test_a_world_sweeps():
    (start, end), plate = bullet_and_plate()
    world = pliant.World()
    bullet = world.add(start, name="bullet")
    world.add(plate, name="plate")
    later = world.copy()
    later["bullet"].set_positions(end.positions)
    assert np.array_equal(bullet.positions, start.positions)
    ((names, swept),) = world.sweep(later)
    assert names == ("bullet", "plate") and swept.first == pliant.sweep((start.copy(), end), plate.copy()).first
    again = copy.deepcopy(world)
    assert again.names == world.names and len(world.sweep(again)) == 0


def cube():
    corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], float) - 0.5
    sides = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
    return corners, [t for a, b, c, d in sides for t in ([a, b, c], [a, c, d])]


def test_a_cube_falls_and_lies():
    v, f = cube()
    fall = pliant.Simulation(drag=0.5)
    model = fall.add_model(v, f, density=500)
    body = fall.add_body(model, translation=[0, 1.0, 0])
    other = fall.add_body(model, np.eye(4), translation=[0, 2.5, 0])
    fall.add_floor(0)
    start = fall.save()
    first = fall.energy()["total"]
    touched = 0
    for _ in range(400):
        counts = fall.advance()
        assert len(fall.contacts) == counts["contacts"]
        touched += counts["contacts"]
    assert touched > 0
    assert fall.energy()["total"] < first
    assert fall.transforms.shape == (2, 4, 4)
    assert fall.positions(body).shape == v.shape and fall.positions(body)[:, 1].min() > -0.2
    assert fall.transform(other)[1, 3] > fall.transform(body)[1, 3]
    ends = fall.transforms
    fall.restore(start)
    fall.advance(400)
    assert np.array_equal(fall.transforms, ends) and fall.time == pytest.approx(400 / 150)
    with pytest.raises(pliant.Error, match="no model 7"):
        fall.add_body(7)
    with pytest.raises(pliant.Error, match="no body 9"):
        fall.positions(9)


def test_a_body_that_vibrates_falls_on_a_surface():
    v, f = cube()
    modes = np.zeros((1, 8, 3))
    modes[0, :, 1] = v[:, 1] * 0.05
    fall = pliant.Simulation()
    model = fall.add_model(v, f, modes=modes, frequencies=[20.0])
    body = fall.add_body(model, translation=[0, 0.8, 0])
    fall.add_surface(pliant.Body.rigid(np.array([[-5, 0, -5], [5, 0, -5], [0, 0, 9]], float), [[0, 2, 1]]))
    fall.advance(120)
    assert fall.coordinates(body).shape == (1,) and fall.coordinates(body)[0] != 0
    with pytest.raises(pliant.Error, match="belong together"):
        fall.add_model(v, f, modes=modes)


def test_the_commands_of_the_program(tmp_path):
    v, f = ball(8)
    for name, x in (("left", 0.0), ("right", 1.5)):
        lines = [f"v {a} {b} {c}" for a, b, c in (v + [x, 0, 0]).tolist()]
        lines += ["f " + " ".join(str(i + 1) for i in face) for face in f.tolist()]
        (tmp_path / f"{name}.obj").write_text("\n".join(lines))
    files = [tmp_path / "left.obj", tmp_path / "right.obj"]
    checked = pliant.commands.check(*files, report=True, quiet=True)
    assert checked.code == 0 and checked.json["frames"][0]["pairs"] and "<iframe" in checked._repr_html_()
    assert pliant.commands.check(*files, fail_on_contact=True).code == 1
    assert "left" in json.dumps(pliant.commands.info(*files).json)
    with pytest.raises(ValueError, match="nothing.obj"):
        pliant.commands.info("nothing.obj")
    swept = pliant.commands.sweep(*files, frames=True, quiet=True)
    assert swept.code == 0 and len(swept.json["steps"]) == 1
    parts = []
    for part in (1, 2):
        parts.append(tmp_path / f"{part}.json")
        pliant.commands.check(*files, times="0,1", shard=f"{part}/2", json=parts[-1], quiet=True)
    assert len(pliant.commands.merge(*parts).json["frames"]) == 2
    pandas = pytest.importorskip("pandas")
    assert isinstance(checked.to_pandas(), pandas.DataFrame)


def test_a_simulation_by_the_program(tmp_path):
    run = pliant.simulate("jelly", bodies=8, steps=6, report=True, out=tmp_path / "jelly.glb")
    assert run.code == 0 and run.json and "<iframe" in run._repr_html_()
    assert pliant.load(tmp_path / "jelly.glb").animations


def test_clashes_by_the_program():
    found = pliant.commands.clash(shared("protein/trpcage/1l2y.pdb"), overlap=0, quiet=True)
    assert len(found.json["frames"]) == 38


def test_results_have_tables_and_pickle():
    pandas = pytest.importorskip("pandas")
    (v, f), (w, g) = ball(8), ball(8, center=(1.5, 0, 0))
    a, b = pliant.Body.free(v, f), pliant.Body.free(w, g)
    (start, end), plate = bullet_and_plate()
    world = pliant.World()
    world.add(a.copy(), name="a")
    world.add(b.copy(), name="b")
    results = [
        a.intersections(b),
        a.within(b, 0.1),
        a.penetration(b),
        a.ray_cast(w[:5], -w[:5] + 1e-3),
        a.closest_points(w),
        a.inside(w),
        pliant.sweep((start, end), plate),
        world.contacts(),
        world.penetrations(),
        world.within(0.1),
        world.ray_cast(w[:5] * 9, -w[:5]),
        world.sweep(world.copy()),
    ]
    for result in results:
        table = result.to_pandas()
        assert isinstance(table, pandas.DataFrame)
        page = result._repr_html_()
        assert page.startswith("<p>&lt;pliant.") and (len(table) == 0 or "<table" in page)
        again = pickle.loads(pickle.dumps(result))
        assert type(again) is type(result) and repr(again) == repr(result)
        assert again.work.bounds == result.work.bounds
        pandas.testing.assert_frame_equal(again.to_pandas(), table)
    length = pickle.loads(pickle.dumps(pliant.distance(start, plate)))
    assert length.length == pliant.distance(start, plate).length


def test_frames_have_tables_and_pickle():
    pytest.importorskip("pandas")
    scene = pliant.load(shared("gltf/skinned/KayKit_Knight.glb"))
    frame = next(iter(scene.check(fps=2)))
    again = pickle.loads(pickle.dumps(frame))
    assert np.array_equal(again.pairs, frame.pairs) and again.time == frame.time
    assert [region.depth for _, region in again.regions] == [region.depth for _, region in frame.regions]
    table = scene.check("Idle", fps=2).to_pandas()
    assert set(table.columns) == {"time", "a", "b", "pairs", "depth"} and len(table) > 0
    # Bodies of one animation serve the next, and nothing else changes.
    fresh = pliant.load(scene.path)
    for clip in ("Running_A", "Idle"):
        for one, other in zip(scene.check(clip, fps=2), fresh.check(clip, fps=2), strict=True):
            assert np.array_equal(one.pairs, other.pairs)
        fresh = pliant.load(scene.path)


def test_necklaces_and_power_diagrams_pickle():
    points = np.random.default_rng(3).random((30, 3))
    necklace = pliant.Necklace(points, 0.2, [10, 20], closed=True)
    again = pickle.loads(pickle.dumps(necklace))
    assert np.array_equal(again.clashes(), necklace.clashes()) and repr(again) == repr(necklace)
    diagram = pliant.power_diagram(points, 0.1)
    diagram.update(points * 1.01)
    assert np.array_equal(pickle.loads(pickle.dumps(diagram)).edges, diagram.edges)


def test_first_contact_of_keyframes():
    v, f = ball(6)
    still = pliant.Body.keyframed(v, f, [0.0, 1.0], [v, v])
    moving = pliant.Body.keyframed(v, f, [0.0, 1.0], [v + [4, 0, 0], v])
    found = pliant.first_contact(still, moving, 1.0)
    assert found.time == pytest.approx(0.5, abs=0.01) and found.pair is not None


def in_child(queue):
    v, f = ball(24)
    a, b = pliant.Body.free(v, f), pliant.Body.free(v + [1.5, 0, 0], f)
    points = np.random.default_rng(1).normal(size=(5000, 3))
    queue.put((len(a.intersections(b).pairs), float(a.closest_points(points).distances.sum())))


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no fork here")
def test_a_forked_process_has_threads_of_its_own():
    context = multiprocessing.get_context("fork")
    here, there = context.SimpleQueue(), context.SimpleQueue()
    in_child(here)
    child = context.Process(target=in_child, args=(there,))
    child.start()
    child.join(60)
    alive = child.is_alive()
    if alive:
        child.kill()
    assert not alive and there.get() == here.get()
