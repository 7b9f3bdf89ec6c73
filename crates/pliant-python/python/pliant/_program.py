"""The program `pliant`, from Python."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from os import PathLike, fspath


def program(
    arguments: Sequence[str | PathLike[str]], *, timeout: float | None = None
) -> subprocess.CompletedProcess[str]:
    """Runs the program with arguments as on the command line and returns what it printed.

    Everything that the program does can be done this way: `check` with its gates, `sweep`, `clash`,
    `view`, `simulate`. Exit code 1 means that a gate found something, 2 that input is wrong.
    """
    command = [sys.executable, "-m", "pliant", *[fspath(argument) for argument in arguments]]
    return subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False)
