"""`python -m pliant`: the program."""

from __future__ import annotations

import sys

from ._pliant import run_program


def main() -> int:
    """Runs the program with the command line's arguments."""
    return run_program(["pliant", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
