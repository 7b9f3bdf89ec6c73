"""What arrays may be: types, orders, strides, sizes, and what is refused."""

from __future__ import annotations

import numpy as np
import pliant
import pytest
from conftest import ball


def forms(v):
    """The same positions in every form that NumPy has."""
    padded = np.zeros((2 * len(v), 6))
    padded[::2, :3] = v
    frozen = v.copy()
    frozen.flags.writeable = False
    shifted = np.empty(v.nbytes + 1, dtype=np.uint8)[1:].view(np.float64).reshape(v.shape)
    shifted[...] = v
    return {
        "rows": v,
        "columns": np.asfortranarray(v),
        "strides": padded[::2, :3],
        "backwards": v[::-1].copy()[::-1],
        "read-only": frozen,
        "unaligned": shifted,
        "big-endian": v.astype(">f8"),
        "list": v.tolist(),
        "long double": v.astype(np.longdouble),
    }


@pytest.mark.parametrize("form", list(forms(np.zeros((2, 3)))))
def test_positions_in_every_form_are_the_same(form):
    (v, f), (w, g) = ball(8), ball(8, center=(1.5, 0, 0))
    other = pliant.Body.free(w, g)
    truth = pliant.Body.free(v, f).intersections(other).pairs
    given = forms(v)[form]
    assert np.array_equal(pliant.Body.free(given, f).intersections(other).pairs, truth)
    moved = pliant.Body.free(w, f)
    moved.set_positions(given)
    assert np.array_equal(moved.positions, v)
    assert np.array_equal(other.closest_points(given).points, other.closest_points(v).points)


def test_f32_is_taken_as_it_is():
    v, f = ball(8)
    single = v.astype(np.float32)
    assert np.array_equal(pliant.Body.free(single, f).positions, single.astype(np.float64))


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", ">i4"])
def test_faces_of_every_integer_type(dtype):
    v, f = ball(6)
    assert np.array_equal(pliant.Body.free(v, f.astype(dtype)).faces, f)
    assert np.array_equal(pliant.Body.free(v, np.asfortranarray(f.astype(dtype))).faces, f)


def test_what_is_no_mesh_is_refused():
    v, f = ball(6)
    with pytest.raises(TypeError, match="integers"):
        pliant.Body.free(v, f.astype(float))
    with pytest.raises(pliant.Error, match=r"row 0 of faces has -1"):
        pliant.Body.free(v, -np.ones((1, 3), int))
    with pytest.raises(pliant.Error):
        pliant.Body.free(v, f + len(v))
    for shape in [(4,), (4, 2), (4, 4), (2, 2, 3)]:
        with pytest.raises(pliant.Error, match=r"shape \(n, 3\)"):
            pliant.Body.free(np.zeros(shape), f)
    with pytest.raises((TypeError, ValueError)):
        pliant.Body.free([["a", "b", "c"]], f)


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf])
def test_a_number_that_is_not_finite_names_its_vertex(wrong):
    v, f = ball(6)
    body = pliant.Body.free(v, f)
    bad = v.copy()
    bad[7, 1] = wrong
    with pytest.raises(pliant.Error, match="vertex 7"):
        body.set_positions(bad)
    assert np.array_equal(body.positions, v)
    with pytest.raises(pliant.Error, match="vertex 7"):
        pliant.Body.free(bad, f)
    with pytest.raises(pliant.Error):
        body.closest_points([[0, 0, wrong]])


def test_nothing_is_something():
    v, f = ball(6)
    body, none = pliant.Body.free(v, f), np.empty((0, 3))
    assert body.closest_points(none).points.shape == (0, 3)
    assert body.ray_cast(none, none).triangles.shape == (0,)
    assert body.inside(none).inside.shape == (0,)
    assert len(pliant.World().contacts()) == 0
    with pytest.raises(pliant.Error):
        pliant.Body.free(none, np.empty((0, 3), int))


@pytest.mark.parametrize("size", [1e-300, 1e-150, 1e150, 1e300])
def test_huge_and_tiny_coordinates(size):
    (v, f), (w, g) = ball(6), ball(6, center=(1.5, 0.1, 0.05))
    truth = pliant.Body.free(v, f).intersections(pliant.Body.free(w, g)).pairs
    found = pliant.Body.free(v * size, f).intersections(pliant.Body.free(w * size, g)).pairs
    assert np.array_equal(found, truth) or size < 1e-299
    many = np.repeat(w * size, 3, axis=0)
    body = pliant.Body.free(v * size, f)
    one_by_one = [body.closest_points(point[None]).triangles[0] for point in many[::7]]
    assert body.closest_points(many).triangles[::7].tolist() == one_by_one


def test_many_nearest_points_are_those_of_single_points():
    v, f = ball(16)
    body = pliant.Body.free(v * [1, 2, 0.5], f)
    rng = np.random.default_rng(2)
    for points in (rng.normal(size=(1000, 3)), np.repeat(v, 2, axis=0), rng.integers(-1, 2, size=(200, 3)).astype(float)):
        many = body.closest_points(points)
        for at, point in enumerate(points):
            single = body.closest_points(point[None])
            assert single.triangles[0] == many.triangles[at]
            assert np.array_equal(single.points[0], many.points[at])
            assert single.distances[0] == many.distances[at]
