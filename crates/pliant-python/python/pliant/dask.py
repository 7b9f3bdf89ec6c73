"""Files and frames as tasks on many machines, by `dask.distributed`.

Every task gives what one process gives, bit for bit: frames are divided into blocks that depend on
nothing before them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._pliant import Frame, load

__all__ = ["FrameRow", "check", "check_here"]

# Frames of one task: `Scene.check` takes blocks of so many frames, so that counts of work do not depend
# on how frames are divided into tasks.
BLOCK = 8
# Blocks of one task: enough work beside the millisecond that a task costs.
BLOCKS = 8


@dataclass(frozen=True)
class FrameRow:
    """The contacts of one frame of one animation of one file."""

    file: str
    animation: str
    time: float
    pairs: NDArray[np.uint32]
    """Object, triangle, object, triangle: (k, 4)."""
    depth: float | None
    """The deepest of all contacts; None if there is none or it cannot be told."""


@dataclass(frozen=True)
class _Task:
    file: str
    animation: str
    times: tuple[float, ...]
    self_contacts: bool
    regions: bool


def _row(task: _Task, frame: Frame) -> FrameRow:
    depths = [region.depth for _, region in frame.regions if region.depth is not None]
    deepest = max(depths, default=None)
    return FrameRow(task.file, task.animation, frame.time, frame.pairs, deepest)


def _run(task: _Task) -> list[FrameRow]:
    """The frames of one task. A worker keeps the scene that it loaded last."""
    scene = _loaded(task.file)
    frames = scene.check(
        task.animation or None,
        times=list(task.times),
        self_contacts=task.self_contacts,
        regions=task.regions,
    )
    return [_row(task, frame) for frame in frames]


_last: dict[str, Any] = {}


def _loaded(file: str) -> Any:
    if file not in _last:
        _last.clear()
        _last[file] = load(file)
    return _last[file]


def _tasks(
    files: Iterable[str | PathLike[str]], fps: float, self_contacts: bool, regions: bool
) -> Iterator[_Task]:
    for file in files:
        path = fspath(file)
        scene = load(path)
        for number, (name, _) in enumerate(scene.animations or [("", 0.0)]):
            times = scene.frame_times(number if scene.animations else None, fps=fps)
            for start in range(0, len(times), BLOCK * BLOCKS):
                part = tuple(times[start : start + BLOCK * BLOCKS])
                yield _Task(path, name, part, self_contacts, regions)


def check(
    files: Iterable[str | PathLike[str]] | str | PathLike[str],
    client: Any,
    *,
    fps: float = 30.0,
    self_contacts: bool = False,
    regions: bool = True,
    retries: int = 3,
) -> list[FrameRow]:
    """The contacts of all animations of files, on the workers of a `distributed.Client`.

    Files must be readable by every worker under the same path. A task whose worker is lost is run
    again on another.
    """
    if isinstance(files, (str, PathLike)):
        files = [files]
    tasks = list(_tasks(files, fps, self_contacts, regions))
    futures = client.map(_run, tasks, retries=retries, pure=False)
    return [row for rows in client.gather(futures) for row in rows]


def check_here(
    files: Iterable[str | PathLike[str]] | str | PathLike[str],
    *,
    fps: float = 30.0,
    self_contacts: bool = False,
    regions: bool = True,
) -> list[FrameRow]:
    """The same in this process."""
    if isinstance(files, (str, PathLike)):
        files = [files]
    tasks = _tasks(files, fps, self_contacts, regions)
    return [row for task in tasks for row in _run(task)]


def exists(file: str | PathLike[str]) -> bool:
    """Whether a worker sees a file: run it with `client.run` before a large job."""
    return Path(file).exists()
