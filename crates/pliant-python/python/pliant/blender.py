"""Contacts of the evaluated scene of Blender: as the user sees it, modifiers and poses applied."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._pliant import Body, Contacts, World

__all__ = ["body_of", "contacts"]


def _arrays(mesh: Any, matrix: Any) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    mesh.calc_loop_triangles()
    vertices = np.empty(3 * len(mesh.vertices), dtype=np.float32)
    mesh.vertices.foreach_get("co", vertices)
    faces = np.empty(3 * len(mesh.loop_triangles), dtype=np.int32)
    mesh.loop_triangles.foreach_get("vertices", faces)
    world = np.array(matrix, dtype=np.float64)
    moved = vertices.reshape(-1, 3).astype(np.float64) @ world[:3, :3].T + world[:3, 3]
    return np.ascontiguousarray(moved), faces.reshape(-1, 3)


def body_of(item: Any, depsgraph: Any) -> Body | None:
    """A body of a Blender object as it is now; None if it has no faces."""
    evaluated = item.evaluated_get(depsgraph)
    mesh = evaluated.to_mesh()
    try:
        if mesh is None or len(mesh.polygons) == 0:
            return None
        return Body.free(*_arrays(mesh, evaluated.matrix_world))
    finally:
        evaluated.to_mesh_clear()


def contacts(objects: Any = None, *, self_contacts: bool = False) -> Contacts:
    """All contacts between mesh objects of the current scene, or between the given ones."""
    import bpy  # pyright: ignore[reportMissingImports]

    depsgraph = bpy.context.evaluated_depsgraph_get()
    world = World()
    for item in bpy.context.scene.objects if objects is None else objects:
        if item.type == "MESH" and (body := body_of(item, depsgraph)) is not None:
            world.add(body, name=item.name, self_contacts=self_contacts)
    return world.contacts()
