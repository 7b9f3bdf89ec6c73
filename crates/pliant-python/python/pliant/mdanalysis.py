"""Clashes over a trajectory, as an analysis of MDAnalysis."""

from __future__ import annotations

from typing import Any

import numpy as np
from MDAnalysis.analysis.base import AnalysisBase
from MDAnalysis.analysis.results import ResultsGroup
from MDAnalysis.lib.mdamath import triclinic_vectors

from ._pliant import ClashSearch

__all__ = ["Clashes"]


class Clashes(AnalysisBase):  # type: ignore[misc]
    """Atoms that overlap without a bond, in every frame.

    Pairs within three bonds do not count. Bonds are those of the topology, and those that residues
    and distances show. `results.clashes` has a row per clash: frame, atom, atom (indices into the
    universe); `results.distances` and `results.overlaps` one number each; `results.counts` the number
    per frame.

    >>> import MDAnalysis as mda  # doctest: +SKIP
    >>> clashes = Clashes(mda.Universe("protein.pdb", "run.xtc").atoms).run()  # doctest: +SKIP
    >>> clashes.run(backend="dask", n_workers=4)  # doctest: +SKIP
    """

    _analysis_algorithm_is_parallelizable = True

    @classmethod
    def get_supported_backends(cls) -> tuple[str, ...]:
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
        # Made once, of the frame that is current now: workers would find other bonds in other frames.
        self.bonds = self._make([]).bonds

    def _names(self, attribute: str, default: str = "") -> list[str]:
        try:
            return [str(value) for value in getattr(self._atoms, attribute)]
        except (AttributeError, ValueError):
            return [default] * len(self._atoms)

    def _make(self, bonds: Any) -> ClashSearch:
        elements = self._names("elements")
        if not any(elements):
            elements = self._names("types")
        listed = self._topology_bonds() if len(bonds) == 0 else bonds
        return ClashSearch(
            self._names("names"),
            elements,
            self._names("resnames"),
            self._names("resids"),
            self._names("segids"),
            self._atoms.positions,
            listed,
            **self._settings,
        )

    def _topology_bonds(self) -> Any:
        """Bonds of the topology between atoms of the group, as places in it."""
        try:
            pairs = self._atoms.bonds.indices
        except (AttributeError, ValueError):
            return np.empty((0, 2), dtype=np.int64)
        place = np.full(len(self._atoms.universe.atoms), -1, dtype=np.int64)
        place[self._atoms.indices] = np.arange(len(self._atoms))
        pairs = place[np.asarray(pairs, dtype=np.int64).reshape(-1, 2)]
        return pairs[(pairs >= 0).all(axis=1)]

    def __getstate__(self) -> dict[str, Any]:
        # A worker makes its own search, and sends back results alone.
        return {name: value for name, value in self.__dict__.items() if name != "_search"}

    def _prepare(self) -> None:
        self._search = self._make(self.bonds)
        self.results.clashes, self.results.distances = [], []
        self.results.overlaps, self.results.counts = [], []

    def _single_frame(self) -> None:
        cell = None
        if self._periodic and self._ts.dimensions is not None:
            cell = triclinic_vectors(self._ts.dimensions).astype(np.float64)
        pairs, distances, overlaps = self._search.clashes(self._atoms.positions, cell)
        frames = np.full((len(pairs), 1), self._ts.frame, dtype=np.int64)
        atoms = self._atoms.indices[pairs]
        self.results.clashes.append(np.hstack([frames, atoms]))
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
