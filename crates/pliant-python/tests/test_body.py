"""Bodies: constructors, setters, queries, and what they refuse."""

from __future__ import annotations

import numpy as np
import pliant
import pytest
from conftest import ball


def crossing(p, q):
    """Whether two triangles cross properly: an independent test in floats for points in general position."""

    def side(a, b, c, d):
        return np.dot(np.cross(b - a, c - a), d - a)

    def pierces(s, t, tri):
        a, b, c = tri
        if side(a, b, c, s) * side(a, b, c, t) > 0:
            return False
        signs = [side(s, t, a, b), side(s, t, b, c), side(s, t, c, a)]
        return all(x > 0 for x in signs) or all(x < 0 for x in signs)

    edges = [(0, 1), (1, 2), (2, 0)]
    return any(pierces(p[i], p[j], q) for i, j in edges) or any(pierces(q[i], q[j], p) for i, j in edges)


def test_pairs_are_those_of_every_pair(balls):
    (v, f), (w, g) = balls
    found = pliant.Body.free(v, f).intersections(pliant.Body.free(w, g))
    truth = [[i, j] for i, t in enumerate(f) for j, u in enumerate(g) if crossing(v[t], w[u])]
    assert found.pairs.dtype == np.uint32 and found.pairs.tolist() == truth and len(truth) > 10
    assert found.work.primitive_tests < len(f) * len(g)


@pytest.mark.parametrize("kind", ["rigid", "affine", "reduced", "skinned", "keyframed"])
def test_every_kind_gives_the_same_pairs(balls, kind):
    (v, f), (w, g) = balls
    fixed = pliant.Body.free(w, g)
    shift = np.array([0.25, 0.0, 0.0])
    truth = pliant.Body.free(v + shift, f).intersections(fixed).pairs
    matrix = np.eye(4)
    matrix[:3, 3] = shift
    if kind == "rigid":
        body = pliant.Body.rigid(v, f)
        body.set_transform(matrix)
    elif kind == "affine":
        body = pliant.Body.affine(v, f)
        body.set_transform(matrix[:3])
    elif kind == "reduced":
        body = pliant.Body.reduced(v, f, np.ones((1, len(v), 1)) * [[[1.0, 0, 0]]])
        body.set_coordinates([0.25])
    elif kind == "skinned":
        weights = np.stack([np.clip(v[:, 0], 0, 1), 1 - np.clip(v[:, 0], 0, 1)], axis=1)
        body = pliant.Body.skinned(v, f, None, weights)
        body.set_pose([matrix, matrix])
    else:
        body = pliant.Body.keyframed(v, f, [0.0, 1.0], [v, v + 2 * shift])
        body.advance(0.5)
    assert body.kind == kind
    assert np.allclose(body.positions, v + shift, atol=1e-12)
    # Rounding may differ by the last bit from the free body: compare with brute force on its own positions.
    again = pliant.Body.free(body.positions, f).intersections(fixed).pairs
    assert body.intersections(fixed).pairs.tolist() == again.tolist()
    assert len(truth) == len(again)


def test_set_positions_moves_without_a_rebuild(balls):
    (v, f), (w, g) = balls
    a, b = pliant.Body.free(v, f), pliant.Body.free(w, g)
    assert a.intersects(b)
    a.set_positions(v - [5, 0, 0])
    assert not a.intersects(b) and len(a.intersections(b)) == 0
    assert pliant.distance(a, b).length == pytest.approx(5 - 0.5, abs=0.1)


@pytest.mark.parametrize("make", [
    lambda v: v.astype(np.float32),
    lambda v: np.asfortranarray(v),
    lambda v: np.repeat(v, 2, axis=0)[::2],
    lambda v: v.tolist(),
    lambda v: v.astype(">f8"),
    lambda v: np.frombuffer(b"x" + v.tobytes(), dtype=np.uint8)[1:].view(np.float64).reshape(-1, 3),
])
def test_any_layout_of_positions(balls, make):
    (v, f), (w, g) = balls
    given = make(v)
    plain = np.asarray(given, dtype=np.float64)
    other = pliant.Body.free(w, g)
    truth = pliant.Body.free(plain, f).intersections(other).pairs.tolist()
    body = pliant.Body.free(v, f)
    body.set_positions(given)
    assert body.intersections(other).pairs.tolist() == truth


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.int32, np.uint32, np.int64, np.uint64])
def test_any_integer_faces(dtype):
    body = pliant.Body.free(np.eye(3), np.array([[0, 1, 2]], dtype=dtype))
    assert body.faces.tolist() == [[0, 1, 2]]


def test_read_only_arrays_are_read():
    vertices = np.eye(3)
    vertices.setflags(write=False)
    pliant.Body.free(vertices, [[0, 1, 2]]).set_positions(vertices)


@pytest.mark.parametrize("vertices, faces, words", [
    (np.eye(3), [[0, 1, 3]], "triangle 0 names vertex 3"),
    (np.eye(3), [[0, 1, -1]], "row 0 of faces has -1"),
    (np.eye(3)[:, :2], [[0, 1, 2]], r"vertices must have the shape \(n, 3\), not \(3, 2\)"),
    (np.zeros(9), [[0, 1, 2]], r"\(n, 3\), not \(9,\)"),
    (np.eye(3) * np.nan, [[0, 1, 2]], "vertex 0 is not finite"),
    (np.full((3, 3), np.inf), [[0, 1, 2]], "vertex 0 is not finite"),
    (np.eye(3), np.zeros((0, 3), int), "no triangles"),
    (np.eye(3), [[0, 1]], r"faces must have the shape \(n, 3\)"),
])
def test_wrong_meshes_are_refused_by_name(vertices, faces, words):
    with pytest.raises(pliant.Error, match=words):
        pliant.Body.free(vertices, faces)


def test_wrong_states_change_nothing(balls):
    (v, f), _ = balls
    body = pliant.Body.free(v, f)
    wrong = v.copy()
    wrong[7, 1] = np.nan
    with pytest.raises(pliant.Error, match="vertex 7 is not finite"):
        body.set_positions(wrong)
    with pytest.raises(pliant.Error, match="were given, but the body has"):
        body.set_positions(v[:-1])
    with pytest.raises(TypeError, match="set_pose needs a skinned body; this one is free"):
        body.set_pose(np.eye(4)[None])
    assert np.array_equal(body.positions, v)
    with pytest.raises(TypeError, match="faces must be integers"):
        pliant.Body.free(v, f.astype(float))
    with pytest.raises(pliant.Error, match="no rotation"):
        pliant.Body.rigid(v, f).set_transform(np.diag([2.0, 1, 1, 1]))


def test_rays_points_and_distances(balls):
    (v, f), _ = balls
    body = pliant.Body.free(v, f)
    rng = np.random.default_rng(7)
    points = rng.normal(size=(500, 3))
    hits = body.ray_cast(np.zeros((500, 3)), points)
    assert (hits.triangles >= 0).all()
    corners = v[f[hits.triangles]]
    at = np.einsum("nk,nkc->nc", hits.barycentric, corners)
    assert np.allclose(at, points * hits.t[:, None], atol=1e-9)
    miss = body.ray_cast([[9.0, 0, 0]], [[1.0, 0, 0]])
    assert miss.triangles.tolist() == [-1] and np.isinf(miss.t[0])

    near = body.closest_points(points)
    assert np.allclose(np.linalg.norm(near.points - points, axis=1), near.distances)
    few = body.closest_points(points[:3])
    assert np.array_equal(few.points, near.points[:3])

    where = body.inside([[0, 0, 0.5], [3, 0, 0], [0, 0, 1]])
    assert where.locations == ["in", "out", "on"] and where.inside.tolist() == [True, False, True]
    assert body.winding_numbers([[0, 0, 0.5]])[0] == pytest.approx(1.0, abs=1e-6)


def test_depth_and_margins(balls):
    (v, f), _ = balls
    a = pliant.Body.rigid(v, f)
    b = pliant.Body.rigid(v, f)
    matrix = np.eye(4)
    matrix[2, 3] = 1.7  # tips overlap by 0.3
    b.set_transform(matrix)
    found = a.penetration(b)
    assert found.regions[0].kind == "crossing"
    assert found.depth == pytest.approx(0.3, abs=0.02)
    # Up to the tilt of a facet.
    assert abs(found.regions[0].direction[2]) > 0.95
    matrix[2, 3] = 2.01
    b.set_transform(matrix)
    near = a.within(b, 0.02)
    assert len(near) > 0 and near.distances.min() == pytest.approx(0.01, abs=1e-6)
    assert near.distances.max() <= 0.02
    assert len(a.intersections(b)) == 0


def test_self_intersections_of_a_folded_strip():
    v = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0.2, 0.2, -1], [0.3, 0.2, 1], [0.2, 0.3, 1]], float)
    body = pliant.Body.free(v, [[0, 1, 2], [3, 4, 5]])
    assert body.self_intersections().pairs.tolist() == [[0, 1]]


def test_coplanar_triangles_touch():
    v = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], float)
    a, b = pliant.Body.free(v, [[0, 1, 2]]), pliant.Body.free(v + [0.25, 0.25, 0], [[0, 1, 2]])
    assert a.intersections(b).pairs.tolist() == [[0, 0]]


def test_limits(balls):
    (v, f), (w, g) = balls
    a, b = pliant.Body.free(v, f), pliant.Body.free(w, g)
    with pytest.raises(pliant.Error, match="more than 3 pairs"):
        a.intersections(b, limit=3)


def test_first_contact_of_two_falling_balls():
    v, f = ball(8)
    still = pliant.Body.keyframed(v, f, [0.0], [v])
    falls = pliant.Body.keyframed(v, f, [0.0, 1.0], [v + [0, 0, 4], v])
    met = pliant.first_contact(still, falls, 1.0, 1e-6)
    assert met.pair is not None and met.time == pytest.approx(0.5, abs=1e-4)


def test_repr_says_what_it_is(balls):
    (v, f), _ = balls
    assert repr(pliant.Body.free(v, f)) == f"<pliant.Body, free: {len(v)} vertices, {len(f)} triangles>"
