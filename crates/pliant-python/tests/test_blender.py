"""The evaluated scene of Blender, where the `bpy` wheel is installed."""

from __future__ import annotations

import math

import numpy as np
import pytest

bpy = pytest.importorskip("bpy")

from pliant.blender import body_of, contacts  # noqa: E402


@pytest.fixture
def scene():
    bpy.ops.wm.read_factory_settings(use_empty=True)
    return bpy.context.scene


def test_modifiers_poses_and_parents_count(scene):
    bpy.ops.mesh.primitive_cube_add(size=2, location=(0, 0, 0))
    cube = bpy.context.object
    cube.name = "cube"
    bpy.ops.mesh.primitive_uv_sphere_add(radius=1, location=(2.5, 0, 0))
    ball = bpy.context.object
    ball.name = "ball"
    bpy.ops.object.camera_add()
    assert len(contacts()) == 0
    # A modifier that makes the ball larger: only the evaluated mesh touches.
    ball.modifiers.new("swell", "DISPLACE").strength = 2.0
    (contact,) = contacts()
    assert set(contact.names) == {"cube", "ball"} and len(contact.pairs) > 0
    # A parent moves the ball away.
    bpy.ops.object.empty_add()
    parent = bpy.context.object
    ball.parent = parent
    parent.location = (0, 5, 0)
    assert len(contacts()) == 0
    assert len(contacts([cube])) == 0


def test_an_armature_poses_its_mesh(scene):
    bpy.ops.object.armature_add(location=(0, 0, 0))
    rig = bpy.context.object
    bpy.ops.mesh.primitive_cylinder_add(radius=0.1, depth=1, location=(0, 0, 0.5))
    limb = bpy.context.object
    limb.modifiers.new("rig", "ARMATURE").object = rig
    group = limb.vertex_groups.new(name=rig.pose.bones[0].name)
    group.add([vertex.index for vertex in limb.data.vertices], 1.0, "REPLACE")
    bpy.ops.mesh.primitive_cube_add(size=0.4, location=(0.9, 0, 0))
    assert len(contacts()) == 0
    bone = rig.pose.bones[0]
    bone.rotation_mode = "XYZ"
    # The bone points up, along its own y; turned about its own z it lies along x, towards the cube.
    bone.rotation_euler = (0, 0, -math.pi / 2)
    bpy.context.view_layer.update()
    assert [set(contact.names) for contact in contacts()] == [{limb.name, "Cube"}]


def test_coplanar_faces_touch(scene):
    """Blender's own overlap of trees returns nothing here."""
    for x in (0.0, 1.0):
        bpy.ops.mesh.primitive_plane_add(size=2, location=(x, 0, 0))
    # Of the four pairs of triangles one is apart: it lies on the far sides of both diagonals.
    assert contacts()[0].pairs.tolist() == [[0, 0], [0, 1], [1, 1]]


def test_positions_are_those_of_the_world(scene):
    bpy.ops.mesh.primitive_cube_add(size=2, location=(1, 2, 3), rotation=(0.3, 0.2, 0.1), scale=(1, 2, 0.5))
    cube = bpy.context.object
    depsgraph = bpy.context.evaluated_depsgraph_get()
    expected = [cube.matrix_world @ vertex.co for vertex in cube.data.vertices]
    assert np.allclose(body_of(cube, depsgraph).positions, expected, atol=1e-6)
    wire = bpy.data.objects.new("wire", bpy.data.meshes.new("wire"))
    scene.collection.objects.link(wire)
    assert body_of(wire, bpy.context.evaluated_depsgraph_get()) is None
