"""Worlds of bodies by name."""

from __future__ import annotations

import numpy as np
import pliant
import pytest
from conftest import ball


def test_a_body_lives_in_its_world():
    v, f = ball(8)
    world = pliant.World()
    shirt = world.add(pliant.Body.free(v, f), name="shirt")
    world.add(pliant.Body.rigid(*ball(8, center=(1.5, 0, 0))), name="man")
    assert [c.names for c in world.contacts()] == [("shirt", "man")]
    shirt.set_positions(v + [50, 0, 0])
    assert len(world.contacts()) == 0 and world.touching() == []
    # The handle and the world's body are one.
    assert np.array_equal(world["shirt"].positions, shirt.positions)
    again = world.remove("shirt")
    again.set_positions(v)
    assert again is shirt and again.intersects(world["man"]) and len(world.contacts()) == 0
    with pytest.raises(KeyError):
        world["shirt"]


def test_names_are_unique_and_bodies_are_in_one_world():
    v, f = ball(6)
    world, body = pliant.World(), pliant.Body.rigid(v, f)
    world.add(body)
    assert world.names == ["body 0"]
    with pytest.raises(pliant.Error, match="already has a body"):
        world.add(pliant.Body.rigid(v, f), name="body 0")
    with pytest.raises(pliant.Error, match="in a world already"):
        pliant.World().add(body)
    pliant.World().add(body.copy())


def test_contacts_depths_margins_rays():
    world = pliant.World()
    world.add(pliant.Body.rigid(*ball(16)), name="a")
    world.add(pliant.Body.rigid(*ball(16, center=(0, 0, 1.7))), name="b")
    world.add(pliant.Body.rigid(*ball(16, center=(2.05, 0, 0))), name="c")
    assert [c.names for c in world.contacts()] == [("a", "b")]
    ((names, found),) = list(world.penetrations())
    assert names == ("a", "b") and found.depth == pytest.approx(0.3, abs=0.02)
    assert {names for names, _ in world.within(0.1)} == {("a", "b"), ("a", "c")}
    hits = world.ray_cast([[9.0, 0.01, 0.02], [9.0, 9.0, 9.0]], [[-1.0, 0, 0], [1.0, 0, 0]])
    assert hits.names == ["c", None] and hits.t[0] == pytest.approx(5.95, abs=0.01)
    assert world.nearest([[0, 0, 9.0]])[0][0] == "b"
    world.ignore("a", "b")
    assert len(world.contacts()) == 0


def test_contacts_of_a_body_with_itself():
    v = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0.2, 0.2, -1], [0.3, 0.2, 1], [0.2, 0.3, 1]], float)
    world = pliant.World()
    world.add(pliant.Body.free(v, [[0, 1, 2], [3, 4, 5]]), name="strip", self_contacts=True)
    (contact,) = world.contacts()
    assert contact.names == ("strip", "strip") and contact.pairs.tolist() == [[0, 1]]


def test_a_table_of_contacts():
    pandas = pytest.importorskip("pandas")
    world = pliant.World()
    world.add(pliant.Body.rigid(*ball(8)), name="a")
    world.add(pliant.Body.rigid(*ball(8, center=(1, 0, 0))), name="b")
    table = world.contacts().to_pandas()
    assert isinstance(table, pandas.DataFrame) and table.columns.tolist() == ["a", "b", "pairs"]
    assert table["pairs"][0] == len(world.contacts()[0].pairs)
    assert "<table" in world.contacts()._repr_html_()
