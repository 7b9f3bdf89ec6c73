"""A drop-in for `trimesh.collision.CollisionManager`, with vertex updates.

Names, arguments and answers are those of trimesh; needs neither python-fcl nor a rebuild when vertices
move (`set_vertices`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._pliant import Body, World, distance

__all__ = ["CollisionManager", "ContactData", "DistanceData"]


class ContactData:
    """Two objects that touch: names, and a pair of faces that does."""

    def __init__(self, names: tuple[str, str], faces: tuple[int, int]) -> None:
        self.names = set(names)
        self._faces = dict(zip(names, faces, strict=True))

    def index(self, name: str) -> int:
        """The face of one of the two."""
        return self._faces[name]


class DistanceData:
    """The shortest way between two objects."""

    def __init__(self, names: tuple[str, str], found: Any) -> None:
        self.names = set(names)
        self.distance: float = found.length
        self._points = dict(zip(names, (found.on_a, found.on_b), strict=True))
        self._faces: dict[str, int] = dict(zip(names, found.triangles, strict=True))

    def point(self, name: str) -> NDArray[np.float64]:
        """The nearest point of one of the two."""
        point: NDArray[np.float64] = self._points[name]
        return point

    def index(self, name: str) -> int:
        """The face of that point."""
        return self._faces[name]


class CollisionManager:
    """Meshes by name, and whether they touch."""

    def __init__(self) -> None:
        self._world = World()
        self._vertices: dict[str, NDArray[np.float64]] = {}
        self._transforms: dict[str, NDArray[np.float64]] = {}

    def add_object(self, name: str, mesh: Any, transform: ArrayLike | None = None) -> Body:
        """Adds a mesh; one of the same name is replaced."""
        if name in self._world:
            self.remove_object(name)
        self._vertices[name] = np.array(mesh.vertices, dtype=np.float64)
        body = self._world.add(Body.free(self._vertices[name], np.asarray(mesh.faces)), name=name)
        self.set_transform(name, np.eye(4) if transform is None else transform)
        return body

    def remove_object(self, name: str) -> None:
        """Removes a mesh."""
        if name not in self._world:
            raise ValueError(f"{name} not in collision manager!")
        self._world.remove(name)
        del self._vertices[name], self._transforms[name]

    def set_transform(self, name: str, transform: ArrayLike) -> None:
        """Places a mesh."""
        if name not in self._world:
            raise ValueError(f"{name} not in collision manager!")
        self._transforms[name] = np.array(transform, dtype=np.float64)
        self._move(name)

    def set_vertices(self, name: str, vertices: ArrayLike) -> None:
        """Moves the vertices of a mesh: nothing is rebuilt."""
        if name not in self._world:
            raise ValueError(f"{name} not in collision manager!")
        self._vertices[name] = np.array(vertices, dtype=np.float64)
        self._move(name)

    def _move(self, name: str) -> None:
        matrix = self._transforms[name]
        moved = self._vertices[name] @ matrix[:3, :3].T + matrix[:3, 3]
        self._world[name].set_positions(np.ascontiguousarray(moved))

    def _single(self, mesh: Any, transform: ArrayLike | None) -> Body:
        vertices = np.asarray(mesh.vertices, dtype=np.float64)
        if transform is not None:
            matrix = np.asarray(transform, dtype=np.float64)
            vertices = vertices @ matrix[:3, :3].T + matrix[:3, 3]
        return Body.free(np.ascontiguousarray(vertices), np.asarray(mesh.faces))

    @staticmethod
    def _answer(
        touching: list[tuple[str, str]],
        contacts: list[ContactData],
        names: Any,
        return_names: bool,
        return_data: bool,
    ) -> Any:
        answer: list[Any] = [bool(touching)]
        if return_names:
            answer.append(names)
        if return_data:
            answer.append(contacts)
        return answer[0] if len(answer) == 1 else tuple(answer)

    def in_collision_internal(self, return_names: bool = False, return_data: bool = False) -> Any:
        """Whether any two meshes touch; names as pairs, a contact per pair of faces."""
        found = self._world.contacts()
        pairs = [contact.names for contact in found]
        data = [ContactData(c.names, (int(a), int(b))) for c in found for a, b in c.pairs]
        names = {tuple(sorted(pair)) for pair in pairs}
        return self._answer(pairs, data, names, return_names, return_data)

    def in_collision_single(
        self,
        mesh: Any,
        transform: ArrayLike | None = None,
        return_names: bool = False,
        return_data: bool = False,
    ) -> Any:
        """Whether a mesh touches any other; names of those, contacts with `__external`."""
        body = self._single(mesh, transform)
        pairs: list[tuple[str, str]] = []
        data: list[ContactData] = []
        for name in self._world.names:
            found = self._world[name].intersections(body)
            if len(found):
                pairs.append((name, "__external"))
                data += [ContactData((name, "__external"), (int(a), int(b))) for a, b in found.pairs]
        names = {name for name, _ in pairs}
        return self._answer(pairs, data, names, return_names, return_data)

    def in_collision_other(
        self, other_manager: CollisionManager, return_names: bool = False, return_data: bool = False
    ) -> Any:
        """Whether any mesh touches one of another manager; names as (ours, theirs)."""
        pairs: list[tuple[str, str]] = []
        data: list[ContactData] = []
        for name in self._world.names:
            for other in other_manager._world.names:
                found = self._world[name].intersections(other_manager._world[other])
                if len(found):
                    pairs.append((name, other))
                    named = (name, other) if name != other else (name, f"{other} (other)")
                    data += [ContactData(named, (int(a), int(b))) for a, b in found.pairs]
        return self._answer(pairs, data, set(pairs), return_names, return_data)

    @staticmethod
    def _nearest(
        pairs: list[tuple[tuple[str, str], Body, Body]], return_names: bool, return_data: bool
    ) -> Any:
        """The nearest of several pairs of bodies."""
        if not pairs:
            raise ValueError("there are no two objects to measure between")
        found = [DistanceData(names, distance(a, b)) for names, a, b in pairs]
        at = min(range(len(found)), key=lambda i: found[i].distance)
        answer: list[Any] = [found[at].distance]
        if return_names:
            answer.append(pairs[at][0])
        if return_data:
            answer.append(found[at])
        return answer[0] if len(answer) == 1 else tuple(answer)

    def min_distance_internal(self, return_names: bool = False, return_data: bool = False) -> Any:
        """The smallest distance between any two meshes."""
        names, world = self._world.names, self._world
        pairs = [
            ((a, b), world[a], world[b]) for i, a in enumerate(names) for b in names[i + 1 :]
        ]
        return self._nearest(pairs, return_names, return_data)

    def min_distance_single(
        self,
        mesh: Any,
        transform: ArrayLike | None = None,
        return_name: bool = False,
        return_data: bool = False,
    ) -> Any:
        """The smallest distance between a mesh and any other."""
        body = self._single(mesh, transform)
        pairs = [((name, "__external"), self._world[name], body) for name in self._world.names]
        answer = self._nearest(pairs, return_name, return_data)
        if not return_name:
            return answer
        length, names, *rest = answer
        return (length, names[0], *rest)

    def min_distance_other(
        self, other_manager: CollisionManager, return_names: bool = False, return_data: bool = False
    ) -> Any:
        """The smallest distance between a mesh and one of another manager."""
        theirs = other_manager._world
        pairs = [
            ((a, b), self._world[a], theirs[b]) for a in self._world.names for b in theirs.names
        ]
        return self._nearest(pairs, return_names, return_data)
