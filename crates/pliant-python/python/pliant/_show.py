"""The page, inline in a notebook."""

from __future__ import annotations

import html
import tempfile
from collections.abc import Sequence
from os import PathLike
from pathlib import Path

from ._pliant import Scene
from ._program import program


class Page:
    """One page to look at: bodies, bounds and contacts, moving."""

    def __init__(self, text: str, height: int) -> None:
        self.text = text
        self.height = height

    def _repr_html_(self) -> str:
        inner = html.escape(self.text, quote=True)
        style = f"width:100%;height:{self.height}px;border:0"
        return f'<iframe sandbox="allow-scripts" style="{style}" srcdoc="{inner}"></iframe>'

    def save(self, path: str | PathLike[str]) -> None:
        """Writes the page to a file."""
        Path(path).write_text(self.text, encoding="utf-8")

    def __repr__(self) -> str:
        return f"<pliant page, {len(self.text):,} characters>"


def show(
    scene: Scene | str | PathLike[str],
    *,
    arguments: Sequence[str] = (),
    height: int = 600,
) -> Page:
    """The contacts of a file's animation as a page, which a notebook shows inline.

    `arguments` are those of `pliant check`, such as ["--self", "--fps", "10"].
    """
    path = scene.path if isinstance(scene, Scene) else scene
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.html"
        command = ["check", path, "--quiet", "--report", report, *arguments]
        done = program(command)
        if not report.exists():
            raise ValueError(done.stderr.strip() or done.stdout.strip())
        return Page(report.read_text(encoding="utf-8"), height)
