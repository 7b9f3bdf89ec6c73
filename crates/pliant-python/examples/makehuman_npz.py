"""Writes a skinned GLB as an NPZ of joints and weights with the names of SMPL.

Usage: makehuman_npz.py BODY.glb OUT.npz
"""

import json
import struct
import sys

import numpy as np

TYPES = {5121: np.uint8, 5123: np.uint16, 5125: np.uint32, 5126: np.float32}
WIDTHS = {"SCALAR": 1, "VEC3": 3, "VEC4": 4, "MAT4": 16}


def read_glb(path):
    """The JSON and the binary part of a GLB file."""
    data = open(path, "rb").read()
    length = struct.unpack("<I", data[12:16])[0]
    return json.loads(data[20 : 20 + length]), data[28 + length :]


def numbers(gltf, binary, number):
    """An accessor without strides as rows."""
    accessor = gltf["accessors"][number]
    view = gltf["bufferViews"][accessor["bufferView"]]
    start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
    width = WIDTHS[accessor["type"]]
    flat = np.frombuffer(binary, TYPES[accessor["componentType"]], accessor["count"] * width, start)
    return flat.reshape(-1, width)


def main(source, out):
    gltf, binary = read_glb(source)
    part = gltf["meshes"][0]["primitives"][0]
    get = {name: numbers(gltf, binary, number) for name, number in part["attributes"].items()}
    skin = gltf["skins"][0]
    bind = np.linalg.inv(numbers(gltf, binary, skin["inverseBindMatrices"]).reshape(-1, 4, 4).transpose(0, 2, 1))
    nodes = skin["joints"]
    parent_of = {child: node for node, one in enumerate(gltf["nodes"]) for child in one.get("children", [])}
    parents = [nodes.index(parent_of[node]) if parent_of.get(node) in nodes else -1 for node in nodes]
    # Parents before children, as `kintree_table` has them.
    order = sorted(range(len(nodes)), key=lambda joint: depth(parents, joint))
    place = {joint: at for at, joint in enumerate(order)}
    weights = np.zeros((len(get["POSITION"]), len(nodes)))
    for column in range(4):
        joint = [place[int(joint)] for joint in get["JOINTS_0"][:, column]]
        np.add.at(weights, (np.arange(len(weights)), joint), get["WEIGHTS_0"][:, column])
    kintree = np.array([[place.get(parents[joint], -1) for joint in order], range(len(nodes))])
    faces = numbers(gltf, binary, part["indices"]).reshape(-1, 3)
    np.savez(
        out, v_template=get["POSITION"], f=faces, weights=weights, J=bind[order][:, :3, 3], kintree_table=kintree
    )


def depth(parents, joint):
    """How many joints are above one."""
    return 0 if parents[joint] < 0 else 1 + depth(parents, parents[joint])


main(*sys.argv[1:])
