"""The examples and the notebook run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from conftest import shared

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


def run(name, *arguments):
    command = [sys.executable, str(EXAMPLES / name), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=200, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_pyvista():
    pytest.importorskip("pyvista")
    assert "pairs touch" in run("pyvista_cloth.py")


def test_a_body_model_of_joints_and_weights(tmp_path):
    model = tmp_path / "makehuman.npz"
    run("makehuman_npz.py", shared("gltf/derived/makehuman_male_cmu.glb"), model)
    assert "bent by 0.8 rad" in run("smpl_like.py", model)


def test_the_notebook():
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    book = nbformat.read(EXAMPLES / "contacts.ipynb", as_version=4)
    nbclient.NotebookClient(book, timeout=200, resources={"metadata": {"path": str(EXAMPLES)}}).execute()
    pages = [
        output["data"]["text/html"]
        for cell in book.cells
        if cell.cell_type == "code"
        for output in cell.outputs
        if "text/html" in output.get("data", {})
    ]
    assert any("<iframe" in page for page in pages) and any("<table" in page for page in pages)
