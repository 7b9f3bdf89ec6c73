"""Threads, pickling and memory."""

from __future__ import annotations

import gc
import os
import pickle
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pliant
import pytest
from conftest import ball


def every_kind():
    v, f = ball(8)
    rng = np.random.default_rng(3)
    c, s = np.cos(0.3), np.sin(0.3)
    matrix = np.array([[c, -s, 0, 0.1], [s, c, 0, 0.2], [0, 0, 1, 0.3], [0, 0, 0, 1]])
    rigid = pliant.Body.rigid(v, f)
    rigid.set_transform(matrix)
    affine = pliant.Body.affine(v, f)
    affine.set_transform(np.diag([1.0, 2, 3, 1]) @ matrix)
    free = pliant.Body.free(v, f)
    free.set_positions(v + rng.normal(size=v.shape) * 0.01)
    reduced = pliant.Body.reduced(v, f, rng.normal(size=(3, len(v), 3)) * 0.1)
    reduced.set_coordinates([0.5, -0.25, 1.0])
    reduced.set_transform(matrix)
    joints = rng.integers(0, 4, size=(len(v), 4))
    weights = rng.random((len(v), 4))
    skinned = pliant.Body.skinned(
        v, f, joints, weights, joint_count=4, morph=rng.normal(size=(2, len(v), 3)) * 0.1
    )
    skinned.set_pose(np.array([matrix] * 4), [0.5, 0.25])
    keyframed = pliant.Body.keyframed(v, f, [0.0, 1.0, 2.0], [v, v * 1.5, v])
    keyframed.advance(1.25)
    return [rigid, affine, free, reduced, skinned, keyframed]


@pytest.mark.parametrize("number", range(6))
def test_pickled_bodies_are_the_same_bits(number):
    body = every_kind()[number]
    again = pickle.loads(pickle.dumps(body))
    assert again.kind == body.kind
    assert np.array_equal(again.positions, body.positions)
    other = pliant.Body.free(*ball(9, center=(1.4, 0.2, 0.1)))
    assert np.array_equal(again.intersections(other).pairs, body.intersections(other).pairs)
    assert again.intersections(other).work.bounds == body.intersections(other).work.bounds


def test_a_pickled_world():
    world = pliant.World()
    for number, body in enumerate(every_kind()):
        world.add(body, name=f"b{number}", self_contacts=number % 2 == 0)
    world.ignore("b0", "b1")
    again = pickle.loads(pickle.dumps(world))
    first, second = world.contacts(), again.contacts()
    assert [c.names for c in first] == [c.names for c in second] and len(first) > 3
    assert all(np.array_equal(a.pairs, b.pairs) for a, b in zip(first, second, strict=True))
    assert ("b0", "b1") not in [c.names for c in second]


def molecule():
    """Two chains of carbons that cross."""
    rng = np.random.default_rng(11)
    along = np.arange(20)[:, None] * [1.5, 0, 0]
    places = np.vstack([along, along[:, [1, 0, 2]] + [14.0, -14.0, 0.3]]) + rng.normal(size=(40, 3)) * 0.05
    bonds = [[i, i + 1] for part in (0, 20) for i in range(part, part + 19)]
    names = ["C"] * 40
    numbers = [str(i // 20) for i in range(40)]
    return pliant.ClashSearch(names, names, ["UNK"] * 40, numbers, numbers, places, bonds, overlap=0.1), places


def test_a_pickled_search_of_clashes():
    search, places = molecule()
    again = pickle.loads(pickle.dumps(search))
    assert np.array_equal(again.bonds, search.bonds) and np.array_equal(again.radii, search.radii)
    first, second = search.clashes(places), again.clashes(places)
    assert len(first[0]) > 0
    assert all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))
    assert "40 atoms" in repr(again)


def test_a_pickled_simulation_goes_on_bit_by_bit():
    v, f = ball(8)
    fall = pliant.Simulation(gravity=[0, -5.0, 0], friction=0.25)
    model = fall.add_model(v, f, density=300)
    soft = fall.add_model(v * 0.5, f, modes=np.stack([v * 0.1]), frequencies=[20.0], rayleigh=(0.1, 1e-4))
    fall.add_body(model, translation=[0, 1.2, 0], spin=[0, 0, 1])
    fall.add_body(soft, translation=[0.2, 3.5, 0], velocity=[0, -1, 0])
    fall.add_floor(0)
    fall.add_ball([5, 0, 0], 1)
    fall.add_box([-5, 0, 0], [1, 1, 1])
    fall.add_surface(pliant.Body.rigid([[-9, -1, -9], [9, -1, -9], [0, -1, 9]], [[0, 1, 2]]))
    fall.advance(40)
    again = pickle.loads(pickle.dumps(fall))
    assert repr(again) == repr(fall) and len(again) == 2
    for simulation in (fall, again):
        assert simulation.advance(40)["contacts"] > 0
    assert fall.save() == again.save()
    assert np.array_equal(fall.transforms, again.transforms)


def test_every_class_pickles_and_says_what_it_is():
    import copyreg

    import pliant._pliant as module

    classes = [of for of in vars(module).values() if isinstance(of, type) and not issubclass(of, Exception)]
    assert len(classes) > 25
    for of in classes:
        assert "__repr__" in vars(of), of
        # An iterator over frames to come is none that pickles.
        assert "__reduce__" in vars(of) or of in copyreg.dispatch_table or of.__name__ == "Frames", of


def test_eight_threads_on_one_world():
    world = pliant.World()
    v, f = ball(16)
    moving = world.add(pliant.Body.free(v, f), name="moving")
    for number in range(4):
        world.add(pliant.Body.rigid(*ball(12, center=(number, 0.3, 0.0))), name=f"ball {number}")
    answers = {}
    for state in range(2):
        moving.set_positions(v + [state, 0, 0])
        answers[state] = sum(len(c.pairs) for c in world.contacts())
    assert answers[0] != answers[1]
    seen, errors = set(), []

    def ask():
        try:
            for _ in range(30):
                seen.add(sum(len(c.pairs) for c in world.contacts()))
        except Exception as error:  # noqa: BLE001
            errors.append(error)

    def move():
        for step in range(60):
            moving.set_positions(v + [step % 2, 0, 0])

    threads = [threading.Thread(target=ask) for _ in range(7)] + [threading.Thread(target=move)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    # Never a state between two states.
    assert not errors and seen <= set(answers.values())


def memory() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="no /proc here")
def test_memory_does_not_grow():
    (v, f), (w, g) = ball(), ball(10, center=(1.5, 0, 0))
    a, b = pliant.Body.free(v, f), pliant.Body.free(w, g)

    def round_of_calls(count):
        for _ in range(count):
            a.set_positions(v)
            a.intersections(b)
            a.closest_points(w[:2])
        gc.collect()

    round_of_calls(1000)
    before = memory()
    round_of_calls(9000)
    assert memory() - before < 4 << 20


SLOW = """
import numpy as np, pliant
n = 400
x, y = np.meshgrid(np.arange(n), np.arange(n))
v = np.stack([x.ravel(), y.ravel(), np.zeros(n * n)], axis=1).astype(float)
i = (np.arange(n - 1)[:, None] * n + np.arange(n - 1)[None]).ravel()
f = np.concatenate([np.stack([i, i + 1, i + n], 1), np.stack([i + 1, i + n + 1, i + n], 1)])
a, b = pliant.Body.free(v, f), pliant.Body.free(v * [1, 1, 0] + [0.1, 0.1, 0], f)
print("ready", flush=True)
while True:
    a.within(b, 3.0)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals differ")
def test_an_interrupt_ends_a_long_call():
    child = subprocess.Popen(
        [sys.executable, "-c", SLOW], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert child.stdout.readline().strip() == "ready"
        time.sleep(1.0)
        child.send_signal(signal.SIGINT)
        _, error = child.communicate(timeout=20)
    finally:
        child.kill()
    assert "KeyboardInterrupt" in error
