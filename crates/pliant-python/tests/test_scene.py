"""Files, and the program."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pliant
import pytest
from conftest import ball, shared


@pytest.fixture
def obj(tmp_path):
    lines, first = [], 1
    for name, center in [("left", (0, 0, 0)), ("right", (1.5, 0, 0))]:
        v, f = ball(8, center=center)
        lines.append(f"o {name}")
        lines += [f"v {x!r} {y!r} {z!r}" for x, y, z in v.tolist()]
        lines += ["f " + " ".join(str(i + first) for i in face) for face in f.tolist()]
        first += len(v)
    path = tmp_path / "balls.obj"
    path.write_text("\n".join(lines) + "\n")
    return path


def program_pairs(arguments, tmp_path):
    out = tmp_path / "out.json"
    done = pliant.program(["check", *arguments, "--quiet", "--json", out])
    assert done.returncode == 0, done.stderr
    frames = json.loads(out.read_text())["frames"]
    return [frame["pairs"] for frame in frames]


def test_a_file_of_two_objects(obj, tmp_path):
    scene = pliant.load(obj)
    assert scene.objects == ["left", "right"] and scene.animations == []
    (frame,) = scene.check()
    assert frame.contacts[0].names == ("left", "right")
    assert frame.regions[0][1].depth == pytest.approx(0.5, abs=0.03)
    assert program_pairs([obj], tmp_path) == [frame.pairs.tolist()]
    assert scene.body("left").intersections(scene.body("right")).pairs.tolist() == [
        row[1::2] for row in frame.pairs.tolist()
    ]
    again = pickle.loads(pickle.dumps(scene))
    assert again.objects == scene.objects


def test_what_is_wrong_with_a_file_is_said(tmp_path):
    with pytest.raises(pliant.Error, match="house.fbx: extension"):
        pliant.load("house.fbx")
    broken = tmp_path / "broken.obj"
    broken.write_text("v 0 0 0\nf 1 2 3\n")
    with pytest.raises(pliant.Error, match="line 2: corner 2 names vertex 2"):
        pliant.load(broken)


def test_a_walking_man_equals_the_program(tmp_path):
    file = shared("gltf/skinned/CesiumMan.glb")
    frames = list(pliant.load(file).check(fps=5, self_contacts=True, regions=False))
    assert len(frames) == 11
    truth = program_pairs([file, "--self", "--fps", "5", "--no-depth"], tmp_path)
    assert [frame.pairs.tolist() for frame in frames] == truth


def test_animations_by_name():
    scene = pliant.load(shared("gltf/skinned/Fox.glb"))
    names = [name for name, _ in scene.animations]
    assert names == ["Survey", "Walk", "Run"]
    assert len(list(scene.check("Run", fps=10))) > 3
    with pytest.raises(pliant.Error, match='no animation "Fly"; there are .*Walk'):
        scene.check("Fly")


def test_the_page_of_a_file(obj):
    page = pliant.show(obj)
    assert "<iframe" in page._repr_html_() and len(page.text) > 100_000
    with pytest.raises(ValueError, match="nothing.obj"):
        pliant.show("nothing.obj")


def test_modes_of_a_bar():
    v = np.array([[x, 0.05 * y, 0.1 * z] for z in (0, 1) for y in (0, 1) for x in (0, 1)], float)
    sides = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]]
    f = [t for a, b, c, d in sides for t in ([a, b, c], [a, c, d])]
    found = pliant.modes.vibration(v, f, count=2, cell=0.05)
    assert found["rigid_modes"] == 6 and found["modes"].shape == (2, 8, 3)
    # The first mode bends in the thin direction: 266 Hz for a thin steel bar.
    assert found["frequencies"][0] == pytest.approx(266, abs=4)


def test_beads_and_power_diagrams():
    rng = np.random.default_rng(11)
    points = rng.random((60, 3)) * 4
    necklace = pliant.Necklace(points, 0.3)
    gaps = np.linalg.norm(points[:, None] - points[None], axis=2)
    truth = [[i, j] for i in range(60) for j in range(i + 2, 60) if gaps[i, j] <= 0.6]
    assert necklace.clashes().tolist() == truth and len(truth) > 5
    diagram = pliant.PowerDiagram(points, 0.3)
    moved = points + rng.normal(size=points.shape) * 1e-3
    diagram.update(moved)
    assert np.array_equal(diagram.edges, pliant.PowerDiagram(moved, 0.3).edges)
