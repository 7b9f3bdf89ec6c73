"""Clashes over a trajectory, as an analysis of MDAnalysis."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import numpy as np
from MDAnalysis.analysis.base import AnalysisBase
from MDAnalysis.analysis.results import ResultsGroup
from MDAnalysis.lib.mdamath import triclinic_vectors
from numpy.typing import NDArray

from ._pliant import ClashSearch

__all__ = ["Clashes", "search_of"]

# Frames that are searched together, on all threads.
BLOCK = 32


def _names(atoms: Any, attribute: str) -> list[str]:
    try:
        return [str(value) for value in getattr(atoms, attribute)]
    except (AttributeError, ValueError):
        return [""] * len(atoms)


def _topology_bonds(atoms: Any) -> NDArray[np.int64]:
    """Bonds of the topology between atoms of the group, as places in it."""
    try:
        pairs = atoms.bonds.indices
    except (AttributeError, ValueError):
        return np.empty((0, 2), dtype=np.int64)
    place = np.full(len(atoms.universe.atoms), -1, dtype=np.int64)
    place[atoms.indices] = np.arange(len(atoms))
    places = place[np.asarray(pairs, dtype=np.int64).reshape(-1, 2)]
    return places[(places >= 0).all(axis=1)]


def search_of(
    atoms: Any,
    *,
    overlap: float = 0.4,
    hydrogen_bond: float = 0.6,
    periodic: bool = False,
    positions: Any = None,
) -> ClashSearch:
    """The search of an `AtomGroup`: its bonds are found once, in the current frame or at `positions`."""
    elements = _names(atoms, "elements")
    return ClashSearch(
        _names(atoms, "names"),
        elements if any(elements) else _names(atoms, "types"),
        _names(atoms, "resnames"),
        _names(atoms, "resids"),
        _names(atoms, "segids"),
        atoms.positions if positions is None else positions,
        _topology_bonds(atoms),
        overlap=overlap,
        hydrogen_bond=hydrogen_bond,
        periodic=periodic,
    )


def cell_of(step: Any) -> NDArray[np.float64] | None:
    """The edges of a frame's periodic cell as rows; None without one."""
    if step.dimensions is None:
        return None
    return np.asarray(triclinic_vectors(step.dimensions), dtype=np.float64)


def clashes_of_frames(search: ClashSearch, positions: NDArray[np.float64], cells: list[Any]) -> list[Any]:
    """Pairs, distances and overlaps of frames (frames, n, 3), each in its cell if it has one."""
    if all(cell is None for cell in cells):
        return search.clashes_of_frames(positions)
    if any(cell is None for cell in cells):
        return [search.clashes(*frame) for frame in zip(positions, cells, strict=True)]
    return search.clashes_of_frames(positions, np.stack(cells))


class Clashes(AnalysisBase):  # type: ignore[misc]
    """Atoms that overlap without a bond, in every frame.

    Pairs within three bonds do not count. Bonds are those of the topology, and those that residues
    and distances show in the frame that is current when the analysis is made. `results.clashes` has a
    row per clash: frame, atom, atom (indices into the universe); `results.distances` and
    `results.overlaps` one number each; `results.counts` the number per frame.

    >>> import MDAnalysis as mda  # doctest: +SKIP
    >>> clashes = Clashes(mda.Universe("protein.pdb", "run.xtc").atoms).run()  # doctest: +SKIP
    >>> clashes.run(backend="dask", n_workers=4)  # doctest: +SKIP
    """

    _analysis_algorithm_is_parallelizable = True

    @classmethod
    def get_supported_backends(cls) -> Any:
        """The ways to run on several processes."""
        return ("serial", "multiprocessing", "dask")

    def __init__(
        self,
        atomgroup: Any,
        *,
        overlap: float = 0.4,
        hydrogen_bond: float = 0.6,
        periodic: bool = False,
        **keywords: Any,
    ) -> None:
        super().__init__(atomgroup.universe.trajectory, **keywords)
        self._atoms = atomgroup
        self._settings: dict[str, Any] = {"overlap": overlap, "hydrogen_bond": hydrogen_bond, "periodic": periodic}
        self._periodic = periodic
        # Workers make the search again of the same positions: in other frames they would find other bonds.
        self._first = atomgroup.positions.copy()
        self._search: ClashSearch | None = search_of(atomgroup, **self._settings)
        # All atoms of a universe need not be picked out of it.
        self._is_whole = np.array_equal(atomgroup.ix, np.arange(len(atomgroup.universe.atoms)))
        self._start_block()
        self._running: tuple[list[int], Future[list[Any]]] | None = None
        self._searcher: ThreadPoolExecutor | None = None

    @property
    def search(self) -> ClashSearch:
        """The prepared search: its bonds and radii."""
        if self._search is None:
            self._search = search_of(self._atoms, positions=self._first, **self._settings)
        return self._search

    def __getstate__(self) -> dict[str, Any]:
        # A worker makes its own search, and sends back results alone.
        return {**self.__dict__, "_search": None, "_searcher": None, "_running": None}

    def _prepare(self) -> None:
        self.results.clashes, self.results.distances = [], []
        self.results.overlaps, self.results.counts = [], []
        self._start_block()
        self._searcher, self._running = ThreadPoolExecutor(1), None

    def _start_block(self) -> None:
        self._frames: list[int] = []
        self._cells: list[Any] = []
        self._positions = np.empty((BLOCK, len(self._atoms), 3))

    def _single_frame(self) -> None:
        places = self._ts.positions
        self._positions[len(self._frames)] = places if self._is_whole else places[self._atoms.ix]
        self._frames.append(self._ts.frame)
        self._cells.append(cell_of(self._ts) if self._periodic else None)
        is_last = self._frame_index == self.n_frames - 1
        if len(self._frames) == BLOCK or is_last:
            self._search_block()
        if is_last:
            self._take_block()
            if self._searcher:
                self._searcher.shutdown()
            self._searcher = None

    def _search_block(self) -> None:
        """Begins to search the frames that were read since the last block; meanwhile the next ones are read."""
        positions = self._positions[: len(self._frames)]
        if self._searcher is None:
            self._searcher = ThreadPoolExecutor(1)
        begun = self._searcher.submit(clashes_of_frames, self.search, positions, self._cells)
        before, self._running = self._running, (self._frames, begun)
        self._start_block()
        self._take(before)

    def _take_block(self) -> None:
        running, self._running = self._running, None
        self._take(running)

    def _take(self, running: tuple[list[int], Future[list[Any]]] | None) -> None:
        """Waits for a block that is searched, and keeps its rows."""
        if running is None:
            return
        for frame, (pairs, distances, overlaps) in zip(running[0], running[1].result(), strict=True):
            rows = np.empty((len(pairs), 3), dtype=np.int64)
            rows[:, 0] = frame
            rows[:, 1:] = pairs if self._is_whole else self._atoms.ix[pairs]
            self.results.clashes.append(rows)
            self.results.distances.append(distances)
            self.results.overlaps.append(overlaps)
            self.results.counts.append(len(pairs))

    def _get_aggregator(self) -> ResultsGroup:
        names = ("clashes", "distances", "overlaps", "counts")
        return ResultsGroup(lookup={name: ResultsGroup.flatten_sequence for name in names})

    def _conclude(self) -> None:
        rows = self.results.clashes
        self.results.clashes = np.vstack(rows) if rows else np.empty((0, 3), dtype=np.int64)
        for name in ("distances", "overlaps"):
            parts = self.results[name]
            self.results[name] = np.concatenate(parts) if parts else np.empty(0)
        self.results.counts = np.asarray(self.results.counts, dtype=np.int64)
