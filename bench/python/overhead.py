"""What a call costs beyond the work: calls on bodies of one triangle, whose own work is some ten nanoseconds, and
that positions of C-contiguous float64 are not copied.

A whole call is timed, its Rust part included: the overhead is below what is shown.
"""

import timeit

import numpy as np
import pliant
from turns import bar

corners, face = np.eye(3), [[0, 1, 2]]
a, b = pliant.Body.free(corners, face), pliant.Body.rigid(corners + 5, face)
c = pliant.Body.free(corners, face)
skin = pliant.Body.skinned(corners, face, None, np.ones((3, 1)))
reduced = pliant.Body.reduced(corners, face, np.ones((1, 3, 3)))
matrix, joints, q, point = np.eye(4), np.eye(4)[None], np.array([0.1]), np.zeros((1, 3))


def nothing():
    return None


calls = {
    "(a function of Python that does nothing)": nothing,
    "body.intersects(other)": lambda: a.intersects(b),
    "body.intersections(other), no pair": lambda: a.intersections(b),
    "body.intersections(other), one pair": lambda: a.intersections(c),
    "body.set_positions(array)": lambda: a.set_positions(corners),
    "body.set_transform(array)": lambda: b.set_transform(matrix),
    "body.set_pose(array)": lambda: skin.set_pose(joints),
    "body.set_coordinates(array)": lambda: reduced.set_coordinates(q),
    "body.closest_points(one point)": lambda: a.closest_points(point),
}
print("\nMicroseconds per call on bodies of one triangle")
worst = 0.0
for name, call in calls.items():
    count = 20_000
    micros = 1e6 * min(timeit.repeat(call, number=count, repeat=7)) / count
    print(f"  {name:42}  {micros:6.2f} µs")
    if name != "body.closest_points(one point)":
        worst = max(worst, micros)
bar("a call's overhead, the slowest of setters and pair queries, in µs", worst, 2, at_most=True)

# Positions of 1,000,000 vertices that are not copied on the way in: the time of a call that reads them and refuses
# them at the first vertex is far below that of a copy of the array.
many = np.zeros((1_000_000, 3))
one = pliant.Body.free(corners, face)


def refused(array):
    try:
        one.set_positions(array)
    except pliant.Error:
        return


plain = min(timeit.repeat(lambda: refused(many), number=20, repeat=5)) / 20
turned = np.asfortranarray(many)
copied = min(timeit.repeat(lambda: refused(turned), number=2, repeat=3)) / 2
copy = min(timeit.repeat(lambda: many.copy(), number=2, repeat=3)) / 2
print(f"  24 MB of positions that are refused: {1e6 * plain:.1f} µs as they are, {1e6 * copied:.0f} µs in another order, a copy takes {1e6 * copy:.0f} µs")
bar("C-contiguous float64: a refused call over the time of a copy", plain / copy, 0.05, at_most=True)
