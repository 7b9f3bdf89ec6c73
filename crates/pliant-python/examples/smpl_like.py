"""A body model of joints and weights in an NPZ file, as SMPL has it: does a pose cut the body?

Usage: smpl_like.py MODEL.npz

The file has `v_template` (n, 3), `f` (m, 3), `weights` (n, joints), `J` (joints, 3) and `kintree_table` (2, joints),
the names of SMPL. SMPL itself is not free; `makehuman_npz.py` makes such a file of MakeHuman's body. Poses are
rotations about each joint, as vectors.
"""

import sys

import numpy as np
import pliant


def rotation(vector):
    """A rotation matrix of an axis times an angle (Rodrigues)."""
    angle = np.linalg.norm(vector)
    if angle == 0:
        return np.eye(3)
    x, y, z = vector / angle
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross


def joint_matrices(joints, parents, pose):
    """From the rest pose to the world: what `set_pose` takes."""
    world = np.zeros((len(joints), 4, 4))
    for joint, parent in enumerate(parents):
        local = np.eye(4)
        local[:3, :3] = rotation(pose[joint])
        local[:3, 3] = joints[joint] - (joints[parent] if parent >= 0 else 0)
        world[joint] = world[parent] @ local if parent >= 0 else local
    back = np.tile(np.eye(4), (len(joints), 1, 1))
    back[:, :3, 3] = -joints
    return world @ back


model = np.load(sys.argv[1])
joints, parents = model["J"], model["kintree_table"][0].astype(np.int64)
parents[parents >= len(joints)] = -1
hero = pliant.Body.skinned(model["v_template"], model["f"], None, model["weights"])
rng = np.random.default_rng(1)
bend = rng.normal(size=(len(joints), 3))
for strength in (0.0, 0.2, 0.4, 0.8):
    hero.set_pose(joint_matrices(joints, parents, strength * bend))
    found = hero.self_intersections()
    print(f"bent by {strength:.1f} rad: {len(found)} pairs of triangles cut, {found.work.bounds} bounds looked at")
assert len(found) > 0
