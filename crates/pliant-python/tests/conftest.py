"""Meshes and folders that several tests use."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

DATA = Path(__file__).resolve().parents[4] / "shared" / "data"


def ball(rings: int = 12, radius: float = 1.0, center=(0.0, 0.0, 0.0)):
    """A closed ball of triangles that faces outward."""
    sectors = 2 * rings
    phi = np.linspace(0, np.pi, rings + 1)[1:-1]
    theta = np.arange(sectors) * 2 * np.pi / sectors
    ring = [[np.sin(p) * np.cos(t), np.sin(p) * np.sin(t), np.cos(p)] for p in phi for t in theta]
    vertices = np.array([[0, 0, 1], *ring, [0, 0, -1]], dtype=np.float64)
    last = len(vertices) - 1
    faces = []
    for s in range(sectors):
        n = (s + 1) % sectors
        faces.append([0, 1 + s, 1 + n])
        faces.append([last, last - sectors + n, last - sectors + s])
        for r in range(rings - 2):
            a, b = 1 + r * sectors + s, 1 + r * sectors + n
            c, d = a + sectors, b + sectors
            faces += [[a, c, b], [b, c, d]]
    return vertices * radius + np.asarray(center), np.array(faces)


@pytest.fixture
def balls():
    """Two balls that overlap by 0.5."""
    (v, f), (w, g) = ball(), ball(10, center=(1.5, 0.1, 0.05))
    return (v, f), (w, g)


def shared(path: str) -> Path:
    """A file of the shared data, or a skipped test."""
    file = DATA / path
    if not file.exists():
        pytest.skip(f"shared data is not here: {path}")
    return file
