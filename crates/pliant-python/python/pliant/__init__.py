"""Collision detection for things that bend.

Every answer is exact: the pairs of triangles that are found are those that testing every pair would
find. Bodies may be rigid, free, reduced to modes, skinned or keyframed, and any of them meets any
other. A query moves only what it looks at.

>>> import numpy as np, pliant
>>> corners, faces = np.eye(3), [[0, 1, 2]]
>>> a, b = pliant.Body.free(corners, faces), pliant.Body.rigid(corners, faces)
>>> a.intersections(b).pairs
array([[0, 0]], dtype=uint32)
"""

import os

import numpy as np
from numpy.typing import ArrayLike

from . import commands, modes
from ._pliant import (
    Body,
    ClashSearch,
    ClosestPoints,
    Contact,
    Contacts,
    Distance,
    Error,
    FirstContact,
    Frame,
    FrameContact,
    Frames,
    Impacts,
    Intersections,
    NearPairs,
    Necklace,
    Penetration,
    PointLocations,
    PowerDiagram,
    RayHits,
    Region,
    Scene,
    Simulation,
    Swept,
    Within,
    Work,
    World,
    WorldPenetrations,
    WorldRayHits,
    WorldSwept,
    __version__,
    after_fork as _after_fork,
    distance,
    first_contact,
    load,
    self_sweep,
    sweep,
)
from ._program import program
from . import _restore as _restore  # says how results are pickled
from ._show import show
from .commands import simulate

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def power_diagram(points: ArrayLike, radii: ArrayLike) -> PowerDiagram:
    """The power diagram of balls: points (n, 3), radii one number or (n,).

    >>> corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], float)
    >>> len(power_diagram(corners, 0.5).edges)
    6
    """
    return PowerDiagram(points, radii)


__all__ = [
    "Body",
    "ClashSearch",
    "ClosestPoints",
    "Contact",
    "Contacts",
    "Distance",
    "Error",
    "FirstContact",
    "Frame",
    "FrameContact",
    "Frames",
    "Impacts",
    "Intersections",
    "NearPairs",
    "Necklace",
    "Penetration",
    "PointLocations",
    "PowerDiagram",
    "RayHits",
    "Region",
    "Scene",
    "Simulation",
    "Swept",
    "Within",
    "Work",
    "World",
    "WorldPenetrations",
    "WorldRayHits",
    "WorldSwept",
    "__version__",
    "commands",
    "distance",
    "first_contact",
    "load",
    "modes",
    "power_diagram",
    "program",
    "self_sweep",
    "show",
    "simulate",
    "sweep",
]
