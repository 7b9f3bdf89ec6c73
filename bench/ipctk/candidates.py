#!/usr/bin/env python3
"""Triangles of two bodies within a distance, by the IPC Toolkit: times it, and checks our pairs.

Usage: candidates.py INPUT ROUNDS

INPUT is text: the distance; the numbers of vertices and of triangles of both bodies; vertices of both;
triangles of both (numbers of vertices, each body from 0); our pairs (triangle of one, of the other,
distance). Prints `seconds S broad_phase NAME candidates C collisions K missed M extra E farthest F`:

- seconds: the broad phase and all distances (NormalCollisions.build), one thread, the best of ROUNDS with
  the fastest broad phase;
- candidates: of the broad phase, faces with vertices and edges with edges; collisions: those within the
  distance;
- missed: our pairs that do not touch and have no candidate; or whose nearest candidate, as the toolkit
  measures it, is farther than the distance;
- extra: pairs of triangles with a candidate within the distance that are not among ours;
- farthest: the largest difference of a distance of ours and the toolkit's, over the size of the input.

Distances that differ from the distance asked for by less than 1e-9 of the size are not held against
anyone: the toolkit rounds.

Needs: pip install ipctk==1.6.1 numpy scipy
"""

import sys
import time
from itertools import product

import ipctk
import numpy as np


def read(path):
    with open(path, encoding="ascii") as file:
        numbers = iter(file.read().split())
    distance = float(next(numbers))
    counts = [int(next(numbers)) for _ in range(5)]

    def rows(count, width, kind):
        values = [kind(next(numbers)) for _ in range(count * width)]
        return np.array(values).reshape(count, width)

    vertices = [rows(count, 3, float) for count in counts[:2]]
    faces = [rows(count, 3, int) for count in counts[2:4]]
    pairs = {}
    for _ in range(counts[4]):
        i, j = int(next(numbers)), int(next(numbers))
        pairs[i, j] = float(next(numbers))
    return distance, vertices, faces, pairs


def main(path, rounds):
    distance, vertices, faces, ours = read(path)
    ipctk.set_num_threads(1)
    ipctk.set_logger_level(ipctk.LoggerLevel.error)
    first, second = len(vertices[0]), len(faces[0])
    positions = np.asfortranarray(np.vstack(vertices))
    triangles = np.asfortranarray(np.vstack([faces[0], faces[1] + first]).astype(np.int32))
    edges = ipctk.edges(triangles)
    mesh = ipctk.CollisionMesh(positions, edges, triangles)
    body = np.repeat([0, 1], [len(v) for v in vertices]).astype(np.int32)
    mesh.can_collide = ipctk.make_vertex_patches_filter(body)

    best = (np.inf, "", 0)
    for make in (ipctk.LBVH, ipctk.HashGrid, ipctk.SpatialHash, ipctk.SweepAndPrune):
        for _ in range(rounds):
            phase, found = make(), ipctk.NormalCollisions()
            start = time.perf_counter()
            found.build(mesh, positions, distance, 0, phase)
            best = min(best, (time.perf_counter() - start, make.__name__, len(found)))

    candidates = ipctk.Candidates()
    candidates.build(mesh, positions, distance / 2, ipctk.LBVH())
    missed, extra, farthest = check(candidates, mesh, body, positions, second, distance, ours)
    count = len(candidates.fv_candidates) + len(candidates.ee_candidates)
    print(f"seconds {best[0]:.9e} broad_phase {best[1]} candidates {count} collisions {best[2]} "
          f"missed {missed} extra {extra} farthest {farthest:.3e}")


def check(candidates, mesh, body, positions, second, distance, ours):
    """Compares pairs of triangles: each candidate stands for all triangles at its vertex or edges."""
    triangles, edges = mesh.faces, mesh.edges
    of_vertex, of_edge = {}, {}
    for number, corners in enumerate(triangles):
        for vertex in corners:
            of_vertex.setdefault(int(vertex), []).append(number)
        for side in mesh.faces_to_edges[number]:
            of_edge.setdefault(int(side), []).append(number)
    nearest = {}

    def meet(some, others, squared):
        for i, j in product(some, others):
            if i > j:
                i, j = j, i
            pair = (i, j - second)
            nearest[pair] = min(nearest.get(pair, np.inf), squared)

    for candidate in candidates.fv_candidates:
        face, vertex = candidate.face_id, candidate.vertex_id
        a, b, c = triangles[face]
        if body[a] != body[vertex]:
            squared = ipctk.point_triangle_distance(
                positions[vertex], positions[a], positions[b], positions[c])
            meet([face], of_vertex.get(vertex, []), squared)
    for candidate in candidates.ee_candidates:
        one, other = candidate.edge0_id, candidate.edge1_id
        (a, b), (c, d) = edges[one], edges[other]
        if body[a] != body[c]:
            squared = ipctk.edge_edge_distance(
                positions[a], positions[b], positions[c], positions[d])
            meet(of_edge.get(one, []), of_edge.get(other, []), squared)

    size = float(np.ptp(positions, axis=0).max())
    slack = 1e-9 * size
    apart = {pair: length for pair, length in ours.items() if length > 0.0}
    missed, farthest = 0, 0.0
    for pair, length in apart.items():
        theirs = np.sqrt(nearest.get(pair, np.inf))
        if theirs > distance + slack:
            missed += 1
        else:
            farthest = max(farthest, abs(theirs - length) / size)
    extra = sum(pair not in ours and np.sqrt(squared) < distance - slack
                for pair, squared in nearest.items())
    return missed, extra, farthest


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
