"""What `pickle` makes of stored parts."""

from __future__ import annotations

import copyreg
from types import GetSetDescriptorType, MemberDescriptorType
from typing import Any

from . import _pliant
from ._pliant import Body, ClashSearch, Necklace, Scene, Simulation, World, load, restore_result


def restore_body(parts: dict[str, Any]) -> Body:
    """A body in the state in which it was stored."""
    kind, vertices, faces = parts["kind"], parts["vertices"], parts["faces"]
    if kind == "rigid" or kind == "affine":
        body = Body.rigid(vertices, faces) if kind == "rigid" else Body.affine(vertices, faces)
        body.set_transform(parts["transform"])
    elif kind == "free":
        body = Body.free(vertices, faces)
        body.set_positions(parts["positions"])
    elif kind == "reduced":
        body = Body.reduced(vertices, faces, parts["modes"])
        body.set_transform(parts["transform"])
        body.set_coordinates(parts["coordinates"])
    elif kind == "skinned":
        body = Body.skinned(
            vertices,
            faces,
            parts["joints"],
            parts["weights"],
            joint_count=parts["joint_count"],
            blending=parts["blending"],
            morph=parts.get("morph"),
        )
        body.set_pose(parts["pose"], parts["morph_weights"])
    elif kind == "keyframed":
        body = Body.keyframed(vertices, faces, parts["times"], parts["frames"])
        body.advance(parts["time"])
    else:
        raise ValueError(f"a body of an unknown kind was stored: {kind!r}")
    return body


def restore_world(parts: dict[str, Any]) -> World:
    """A world with all of its bodies."""
    world = World()
    for name, body, self_contacts in parts["bodies"]:
        world.add(body, name=name, self_contacts=self_contacts)
    for first, second in parts["ignored"]:
        world.ignore(first, second)
    return world


def restore_scene(parts: dict[str, Any]) -> Scene:
    """A scene, loaded again from its file."""
    return load(**parts)


def restore_necklace(parts: dict[str, Any]) -> Necklace:
    """A necklace with all of its chains."""
    return Necklace(**parts)


def restore_clash_search(kind: type[ClashSearch], given: tuple[Any, ...], settings: dict[str, Any]) -> ClashSearch:
    """A search that is made again, with the bonds of the same positions."""
    return kind(*given, **settings)


def restore_simulation(parts: dict[str, Any]) -> Simulation:
    """A simulation of the same models, bodies and obstacles, in the state that was saved."""
    simulation = Simulation(**parts["settings"])
    for model in parts["models"]:
        simulation.add_model(**model)
    for model in parts["bodies"]:
        simulation.add_body(model)
    for call, given in parts["obstacles"]:
        getattr(simulation, call)(*given)
    simulation.restore(parts["saved"])
    return simulation


RESULTS = (
    "Work Intersections Within Region Penetration RayHits ClosestPoints PointLocations Distance FirstContact "
    "Impacts Swept Contact Contacts WorldPenetrations NearPairs WorldSwept WorldRayHits FrameContact Frame"
).split()

_FIELDS = (GetSetDescriptorType, MemberDescriptorType)


def _reduce_result(result: Any) -> tuple[Any, tuple[str, dict[str, Any]]]:
    kind = type(result)
    names = [name for name, of in vars(kind).items() if isinstance(of, _FIELDS)]
    return restore_result, (kind.__name__, {name: getattr(result, name) for name in names})


for _name in RESULTS:
    copyreg.pickle(getattr(_pliant, _name), _reduce_result)
