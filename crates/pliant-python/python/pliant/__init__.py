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

from . import modes
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
    Intersections,
    NearPairs,
    Necklace,
    Penetration,
    PointLocations,
    PowerDiagram,
    RayHits,
    Region,
    Scene,
    Within,
    Work,
    World,
    WorldPenetrations,
    WorldRayHits,
    __version__,
    distance,
    first_contact,
    load,
)
from ._program import program
from ._show import show

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
    "Intersections",
    "NearPairs",
    "Necklace",
    "Penetration",
    "PointLocations",
    "PowerDiagram",
    "RayHits",
    "Region",
    "Scene",
    "Within",
    "Work",
    "World",
    "WorldPenetrations",
    "WorldRayHits",
    "__version__",
    "distance",
    "first_contact",
    "load",
    "modes",
    "program",
    "show",
]
