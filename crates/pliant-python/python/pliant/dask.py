"""Files and frames as tasks on many machines, by `dask.distributed`.

Every task gives what one process gives, bit for bit: frames are divided into blocks that depend on
nothing before them. Files and structures are sent to the workers once; a worker keeps what it made of
them, meshes and trees included. A task whose worker is lost is run again on another.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._pliant import Frame, load

__all__ = ["AtomClashes", "FrameRow", "check", "check_here", "clashes", "clashes_here"]

# Frames of one part of an animation: `Scene.check` takes blocks of 8 frames, so that counts of work do not depend on
# how frames are divided.
FRAMES_PER_PART = 32
# Parts of one file travel together up to this many frames: a task costs a millisecond or two on the client and the
# scheduler, whatever it does.
FRAMES_PER_TASK = 64
# Frames of one task of clashes.
CLASH_FRAMES_PER_TASK = 64
# Files that are one file: their bytes are sent, and workers need not see the path.
SELF_CONTAINED = {".glb", ".vrm", ".obj", ".ply", ".stl", ".md2"}


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
class _Part:
    file: str
    animation: str
    times: tuple[float, ...]
    self_contacts: bool
    regions: bool


def _row(part: _Part, frame: Frame) -> FrameRow:
    depths = [region.depth for _, region in frame.regions if region.depth is not None]
    deepest = max(depths, default=None)
    return FrameRow(part.file, part.animation, frame.time, frame.pairs, deepest)


@dataclass(frozen=True)
class _Sent:
    """A file that is sent: its name, its bytes, and a number that they have alone."""

    name: str
    token: str
    content: bytes


def _run(parts: list[_Part], sent: _Sent | None = None) -> list[FrameRow]:
    """The frames of one task: parts of animations of one file."""
    rows = []
    for part in parts:
        frames = _loaded(part.file, sent).check(
            part.animation or None,
            times=list(part.times),
            self_contacts=part.self_contacts,
            regions=part.regions,
        )
        rows += [_row(part, frame) for frame in frames]
    return rows


@dataclass(frozen=True)
class _Packed:
    """Rows on their way: one array for the pairs of all, since each array travels as a message of its own."""

    frames: list[tuple[str, str, float, float | None]]
    ends: NDArray[np.int64]
    pairs: NDArray[np.uint32]


def _run_packed(parts: list[_Part], sent: _Sent | None = None) -> _Packed:
    """As `_run`, for the way to the client."""
    rows = _run(parts, sent)
    frames = [(row.file, row.animation, row.time, row.depth) for row in rows]
    ends = np.cumsum([len(row.pairs) for row in rows], dtype=np.int64)
    pairs = [row.pairs for row in rows] or [np.empty((0, 4), dtype=np.uint32)]
    return _Packed(frames, ends, np.concatenate(pairs))


def _unpacked(packed: _Packed) -> list[FrameRow]:
    parts = np.split(packed.pairs, packed.ends[:-1])
    return [
        FrameRow(file, animation, time, pairs, depth)
        for (file, animation, time, depth), pairs in zip(packed.frames, parts, strict=False)
    ]


# What a worker made of the files that it was asked about last.
_kept: dict[Any, Any] = {}
_KEPT = 8


def _keep(key: Any, make: Any) -> Any:
    if key not in _kept:
        while len(_kept) >= _KEPT:
            _kept.pop(next(iter(_kept)))
        _kept[key] = make()
    return _kept[key]


def _loaded(file: str, sent: _Sent | None) -> Any:
    if sent is None:
        return _keep(file, lambda: load(file))

    def make() -> Any:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / sent.name
            path.write_bytes(sent.content)
            return load(path)

    return _keep(sent.token, make)


def _parts(
    files: Iterable[str | PathLike[str]], fps: float, self_contacts: bool, regions: bool
) -> Iterator[_Part]:
    for file in files:
        path = fspath(file)
        scene = load(path)
        for number, (name, _) in enumerate(scene.animations or [("", 0.0)]):
            times = scene.frame_times(number if scene.animations else None, fps=fps)
            for start in range(0, len(times), FRAMES_PER_PART):
                part = tuple(times[start : start + FRAMES_PER_PART])
                yield _Part(path, name, part, self_contacts, regions)


def _together(parts: Iterable[_Part]) -> list[list[_Part]]:
    """Parts of one file that follow each other, as tasks of so many frames or of one part."""
    tasks: list[list[_Part]] = []
    frames = 0
    for part in parts:
        if tasks and tasks[-1][0].file == part.file and frames + len(part.times) <= FRAMES_PER_TASK:
            tasks[-1].append(part)
            frames += len(part.times)
        else:
            tasks.append([part])
            frames = len(part.times)
    return tasks


def _listed(files: Iterable[str | PathLike[str]] | str | PathLike[str]) -> list[str | PathLike[str]]:
    return [files] if isinstance(files, (str, PathLike)) else list(files)


def _scattered(files: list[str | PathLike[str]], client: Any) -> dict[str, Any]:
    """The bytes of files that are one file, sent to all workers once."""
    sent = {}
    for file in [fspath(file) for file in files]:
        if Path(file).suffix.lower() in SELF_CONTAINED and Path(file).is_file():
            content = Path(file).read_bytes()
            whole = _Sent(Path(file).name, hashlib.sha256(content).hexdigest(), content)
            sent[file] = client.scatter(whole, broadcast=True, hash=False)
    return sent


def _table(rows: list[FrameRow]) -> Any:
    import pandas

    return pandas.DataFrame(
        {
            "file": pandas.Series([row.file for row in rows], dtype="object"),
            "animation": pandas.Series([row.animation for row in rows], dtype="object"),
            "time": np.array([row.time for row in rows], dtype=np.float64),
            "pairs": np.array([len(row.pairs) for row in rows], dtype=np.int64),
            "depth": np.array([np.nan if row.depth is None else row.depth for row in rows], dtype=np.float64),
        }
    )


def _as(result: str, futures: list[Any], client: Any, to_rows: Any, to_table: Any) -> Any:
    """Futures of rows as a list, a `dask.bag.Bag` or a `dask.dataframe.DataFrame`."""
    if result == "rows":
        return [row for found in client.gather(futures) for row in to_rows(found)]
    from dask.delayed import delayed

    parts = [delayed(to_rows)(future) for future in futures]
    if result == "bag":
        import dask.bag

        return dask.bag.from_delayed(parts)  # type: ignore[no-untyped-call]
    if result == "dataframe":
        import dask.dataframe

        return dask.dataframe.from_delayed([delayed(to_table)(part) for part in parts], meta=to_table([]))
    raise ValueError(f'result must be "rows", "bag" or "dataframe", not {result!r}')


def check(
    files: Iterable[str | PathLike[str]] | str | PathLike[str],
    client: Any,
    *,
    fps: float = 30.0,
    self_contacts: bool = False,
    regions: bool = True,
    retries: int = 3,
    result: str = "rows",
) -> Any:
    """The contacts of all animations of files, on the workers of a `distributed.Client`.

    `result` is "rows", a list of `FrameRow`; "bag", a `dask.bag.Bag` of them; or "dataframe", a
    `dask.dataframe.DataFrame` with a row per frame. Files that are one file (GLB, OBJ, PLY, STL, MD2) are
    sent to the workers; others must be readable by every worker under the same path.
    """
    listed = _listed(files)
    tasks = _together(_parts(listed, fps, self_contacts, regions))
    sent = _scattered(listed, client)
    # The longest first, so that no worker is left alone with one at the end.
    frames = [sum(len(part.times) for part in task) for task in tasks]
    futures = [
        client.submit(_run_packed, task, sent.get(task[0].file), retries=retries, pure=False, priority=length)
        for task, length in zip(tasks, frames, strict=True)
    ]
    return _as(result, futures, client, _unpacked, _table)


def check_here(
    files: Iterable[str | PathLike[str]] | str | PathLike[str],
    *,
    fps: float = 30.0,
    self_contacts: bool = False,
    regions: bool = True,
) -> list[FrameRow]:
    """The same in this process."""
    return _run(list(_parts(_listed(files), fps, self_contacts, regions)))


@dataclass(frozen=True)
class AtomClashes:
    """The clashes of one frame of a trajectory."""

    frame: int
    atoms: NDArray[np.int64]
    """Atoms by their indices in the universe: (k, 2)."""
    distances: NDArray[np.float64]
    overlaps: NDArray[np.float64]


def _clash_table(rows: list[AtomClashes]) -> Any:
    import pandas

    atoms = np.concatenate([row.atoms for row in rows]) if rows else np.empty((0, 2), dtype=np.int64)
    counts = [len(row.atoms) for row in rows]
    return pandas.DataFrame(
        {
            "frame": np.repeat(np.array([row.frame for row in rows], dtype=np.int64), counts),
            "a": atoms[:, 0],
            "b": atoms[:, 1],
            "distance": np.concatenate([row.distances for row in rows]) if rows else np.empty(0),
            "overlap": np.concatenate([row.overlaps for row in rows]) if rows else np.empty(0),
        }
    )


@dataclass(frozen=True)
class _Structure:
    """What is sent once: atoms with their trajectory, where they were when bonds were found, settings."""

    token: str
    atoms: Any
    positions: NDArray[np.float32]
    settings: dict[str, Any]


def _structure(universe: Any, selection: str, settings: dict[str, Any]) -> _Structure:
    import uuid

    atoms = universe.select_atoms(selection)
    return _Structure(uuid.uuid4().hex, atoms, atoms.positions.copy(), settings)


def _clash_task(structure: _Structure, frames: range) -> list[AtomClashes]:
    from .mdanalysis import cell_of, clashes_of_frames, search_of

    def make() -> Any:
        return search_of(structure.atoms, positions=structure.positions, **structure.settings)

    search, atoms = _keep(structure.token, make), structure.atoms
    positions, cells = [], []
    for frame in frames:
        step = atoms.universe.trajectory[frame]
        positions.append(atoms.positions)
        cells.append(cell_of(step) if structure.settings["periodic"] else None)
    found = clashes_of_frames(search, np.stack(positions).astype(np.float64), cells)
    return [
        AtomClashes(frame, atoms.indices[pairs], distances, overlaps)
        for frame, (pairs, distances, overlaps) in zip(frames, found, strict=True)
    ]


def _frame_ranges(universe: Any) -> list[range]:
    count = len(universe.trajectory)
    starts = range(0, count, CLASH_FRAMES_PER_TASK)
    return [range(start, min(start + CLASH_FRAMES_PER_TASK, count)) for start in starts]


def clashes(
    universe: Any,
    client: Any,
    *,
    selection: str = "all",
    overlap: float = 0.4,
    hydrogen_bond: float = 0.6,
    periodic: bool = False,
    retries: int = 3,
    result: str = "rows",
) -> Any:
    """The clashes of all frames of an `MDAnalysis.Universe`, on the workers of a `distributed.Client`.

    The atoms are sent once; trajectories in files must be readable by every worker under the same path.
    `result` is "rows", a list of `AtomClashes`; "bag", a `dask.bag.Bag` of them; or "dataframe" with a row
    per clash. Bonds are found once, in the frame that is current now.
    """
    settings = {"overlap": overlap, "hydrogen_bond": hydrogen_bond, "periodic": periodic}
    sent = client.scatter(_structure(universe, selection, settings), broadcast=True)
    ranges = _frame_ranges(universe)
    futures = [client.submit(_clash_task, sent, frames, retries=retries, pure=False) for frames in ranges]
    return _as(result, futures, client, list, _clash_table)


def clashes_here(
    universe: Any,
    *,
    selection: str = "all",
    overlap: float = 0.4,
    hydrogen_bond: float = 0.6,
    periodic: bool = False,
) -> list[AtomClashes]:
    """The same in this process."""
    settings = {"overlap": overlap, "hydrogen_bond": hydrogen_bond, "periodic": periodic}
    structure = _structure(universe, selection, settings)
    return [row for frames in _frame_ranges(universe) for row in _clash_task(structure, frames)]
