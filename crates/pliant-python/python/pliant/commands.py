"""The commands of the program, with options as keywords: everything that it does can be done here.

>>> from pliant import commands
>>> commands.arguments("check", ["walk.glb"], {"fps": 10, "self": True, "only": ["a:b", "c:*"]})
['check', 'walk.glb', '--fps', '10', '--self', '--only', 'a:b', '--only', 'c:*']

Options have the names of `pliant COMMAND --help` with underscores; `with_self=True` is `--self`. A list gives
an option several times, a tuple several values to one. `Outcome.json` is what `--json` writes.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from ._program import program
from ._show import Page

__all__ = ["Outcome", "check", "clash", "demo", "info", "merge", "simulate", "sweep", "view"]

_File = str | PathLike[str]


@dataclass(frozen=True)
class Outcome:
    """What a command printed and wrote."""

    code: int
    """0, or 1 if a rule is violated that was given (`fail_on_contact`, `baseline`)."""
    text: str
    json: Any
    """What `--json` writes, as Python objects; None for commands without it."""
    page: Page | None = None
    """The page to look at, if it was asked for; a notebook shows it."""

    def to_pandas(self) -> Any:
        """The rows of the JSON as a `pandas.DataFrame`: frames, steps, or what the command has."""
        import pandas

        rows = self.json
        if isinstance(rows, dict):
            lists = [value for value in rows.values() if isinstance(value, list)]
            named = [rows[name] for name in ("frames", "steps", "objects") if isinstance(rows.get(name), list)]
            rows = (named or lists or [[rows]])[0]
        return pandas.json_normalize(rows)

    def _repr_html_(self) -> str:
        import html

        return self.page._repr_html_() if self.page else f"<pre>{html.escape(self.text)}</pre>"


def arguments(command: str, files: Sequence[_File], options: Mapping[str, Any]) -> list[str]:
    """The command line of a command with files and options."""
    line = [command, *[fspath(file) for file in files]]
    for name, value in options.items():
        flag = "--" + {"with_self": "self"}.get(name, name).replace("_", "-")
        if value is None or value is False:
            continue
        for one in value if isinstance(value, list) else [value]:
            line.append(flag)
            if one is not True:
                line += [str(part) for part in (one if isinstance(one, tuple) else [one])]
    return line


def _run(command: str, files: Sequence[_File], options: dict[str, Any], *, has_json: bool = True) -> Outcome:
    wants_page = options.get("report") is True
    with tempfile.TemporaryDirectory() as folder:
        written, page = Path(folder) / "out.json", Path(folder) / "page.html"
        if has_json:
            written = Path(options.setdefault("json", written))
        if wants_page:
            options["report"] = page
        done = program(arguments(command, files, options))
        if done.returncode not in (0, 1):
            raise ValueError(done.stderr.strip() or done.stdout.strip())
        found = json.loads(written.read_text(encoding="utf-8")) if has_json and written.exists() else None
        shown = Page(page.read_text(encoding="utf-8"), 600) if wants_page and page.exists() else None
        return Outcome(done.returncode, done.stdout, found, shown)


def check(*files: _File, **options: Any) -> Outcome:
    """`pliant check`: contacts of every frame, with gates. `report=True` gives the page, too."""
    return _run("check", files, options)


def sweep(*files: _File, **options: Any) -> Outcome:
    """`pliant sweep`: what touches what between the frames of an animation, and when."""
    return _run("sweep", files, options)


def clash(*files: _File, **options: Any) -> Outcome:
    """`pliant clash`: atoms of a structure that clash, over the frames of a trajectory."""
    return _run("clash", files, options)


def info(*files: _File, **options: Any) -> Outcome:
    """`pliant info`: what is in files, how it will deform, and what will hurt."""
    return _run("info", files, options)


def merge(*files: _File, **options: Any) -> Outcome:
    """`pliant merge`: the parts of a divided `check` or `clash` as one run."""
    return _run("merge", files, options)


def simulate(scene: _File | None = None, **options: Any) -> Outcome:
    """`pliant simulate`: bodies that bend fall and touch. `scene` is chairs, fish, jelly, or a TOML file.

    `report=True` gives the page, `out="motion.glb"` writes the motion. The JSON has counters and energies of
    every frame. For your own loop use `pliant.Simulation`.
    """
    with tempfile.TemporaryDirectory() as folder:
        options.setdefault("checkpoint", Path(folder) / "checkpoint")
        return _run("simulate", [] if scene is None else [scene], {"quiet": True, **options})


def demo(scene: str = "curtain", **options: Any) -> Outcome:
    """`pliant demo`: a built-in scene from end to end; it writes a folder."""
    return _run("demo", [scene], options)


def view(*files: _File, **options: Any) -> Outcome:
    """`pliant view`: serves files to a browser until it is interrupted."""
    return _run("view", files, options, has_json=False)
