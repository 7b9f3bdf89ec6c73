"""Continuous detection: `pliant sweep` (all contacts, exact) beside IPC Toolkit's broad phase and
earliest time of impact, on frame pairs of simulations, one thread each, in turns.

Prints the best times, the ratios and whether the contacts found are the truth. Frame pairs are those
of ../shared/data/ccd/scalable-ccd and, in the directory CURTAIN, the curtain with itself and beside a
ball that stays away from it (`dump_obj DIRECTORY curtain-steps` of pliant-scenes writes it); or those
named as arguments, after `--processor-time` by that instead of the clock (cloth-funnel, rod-twist, cloth-ball, curtain, apart); or two OBJ or PLY files.

Both run warm: pliant goes forth and back between the two frames, in one process, and the steps forth
count; the toolkit's mesh, edges and adjacencies are made before. The row `prepared` is that of so many
steps that pliant prepares the mesh for sweeps with itself, which its seconds leave out; the first frame
is the rest shape. It is left out where so many steps have more contacts than fit a report. `pliant-bench sweep` gives the time of
bodies apart (PLIANT_BENCH names the program; without it that row is left out).
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import ipctk
import numpy as np

ROUNDS = int(os.environ.get("ROUNDS", "3"))
# Frames of a run that is long enough to be prepared, in pairs; and contacts up to which one is made.
PREPARED = 17
MOST_PREPARED = 20_000
DATA = Path(os.environ.get("PLIANT_SHARED_DATA", "../shared/data")) / "ccd/scalable-ccd"
SETS = [
    ("cloth-funnel", "227.ply", "228.ply", "227"),
    ("rod-twist", "3036.ply", "3037.ply", "3036"),
    ("cloth-ball", "cloth_ball92.ply", "cloth_ball93.ply", "92"),
]


def read_mesh(path):
    """Vertices and triangles of an OBJ or PLY file."""
    if path.suffix == ".ply":
        return read_ply(path)
    rows = [line.split() for line in path.read_text().splitlines()]
    points = [row[1:4] for row in rows if row[:1] == ["v"]]
    faces = [[int(corner.split("/")[0]) - 1 for corner in row[1:4]] for row in rows if row[:1] == ["f"]]
    return np.array(points, float), np.array(faces)


def read_ply(path):
    """Vertices and triangles of a binary or text PLY of triangles, with coordinates as they are."""
    raw = path.read_bytes()
    head, body = raw.split(b"end_header\n", 1)
    lines = head.decode().splitlines()
    count = {line.split()[1]: int(line.split()[2]) for line in lines if line.startswith("element")}
    vertices, faces = count["vertex"], count["face"]
    if "format ascii 1.0" in lines:
        rows = body.split()
        points = np.array(rows[: 3 * vertices], float).reshape(-1, 3)
        return points, np.array(rows[3 * vertices :], int).reshape(-1, 4)[:, 1:]
    order = ">" if "format binary_big_endian 1.0" in lines else "<"
    kind = order + {"double": "f8", "float": "f4"}[
        next(line.split()[1] for line in lines if line.startswith("property") and line.endswith(" x"))
    ]
    size = np.dtype(kind).itemsize * 3 * vertices
    points = np.frombuffer(body[:size], kind).reshape(-1, 3).astype(float)
    row = np.dtype([("n", "u1"), ("v", order + "i4", 3)])
    return points, np.frombuffer(body[size : size + row.itemsize * faces], row)["v"].astype(np.int32)


def truth(name, number, vertices, faces):
    """The contacts that the data says there are, as the JSON of pliant names them."""
    sides = np.sort(np.vstack([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]), axis=1)
    edges = np.unique(sides, axis=0)
    edges = edges[np.lexsort((edges[:, 0], edges[:, 1]))]  # igl::edges: by (larger, smaller)
    found = set()
    for kind in ("vf", "ee"):
        pairs = json.loads((DATA / name / "boxes" / f"{number}{kind}.json").read_text())
        hits = json.loads((DATA / name / "mma_bool" / f"{number}{kind}_mma_bool.json").read_text())
        for (a, b), hit in zip(pairs, hits):
            if not hit:
                continue
            if kind == "vf":
                found.add(("vf", a, b - vertices - len(edges)))
            else:
                one, other = (tuple(map(int, edges[i - vertices])) for i in (a, b))
                found.add(("ee", min(one, other), max(one, other)))
    return found


def pliant(first, last, threads=1, rounds=ROUNDS):
    """Contacts, seconds of the step and work."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "steps.json"
        # Several steps would each run on a thread of its own.
        frames = [first, last] * (rounds if threads == 1 else 1)
        command = [os.environ["PLIANT"], "sweep", *frames, "--frames", "--self", "--quiet"]
        command += ["--adjacency", "index", "--path", "linear", "--method", "bottom-up", "--json", out]
        subprocess.run(command, check=True, env={**os.environ, "RAYON_NUM_THREADS": str(threads)})
        steps = json.loads(out.read_text())["steps"][::2]
    step = min(steps, key=lambda step: step["work"]["seconds"])
    feature = lambda of: tuple(of[1]) if isinstance(of[1], list) else of[1]
    contacts = {(row["kind"], feature(row["a"]), feature(row["b"])) for row in step["contacts"]}
    return contacts, step["work"], step["first"]


def timed(run):
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def measure(name, first, last, known):
    start, faces = read_mesh(first)
    end, _ = read_mesh(last)
    mesh = ipctk.CollisionMesh(start, ipctk.edges(faces), faces)
    methods = {"tight inclusion": ipctk.TightInclusionCCD(), "additive": ipctk.AdditiveCCD()}
    best = {name: float("inf") for name in ("pliant", "pliant, 2 threads", "prepared", "broad")}
    best |= {method: float("inf") for method in methods}
    state = {}
    for _ in range(ROUNDS):
        contacts, work, earliest = pliant(first, last)
        best["pliant"] = min(best["pliant"], work["seconds"])
        best["pliant, 2 threads"] = min(best["pliant, 2 threads"], pliant(first, last, 2)[1]["seconds"])

        if len(contacts) < MOST_PREPARED:
            found, prepared, _ = pliant(first, last, rounds=PREPARED)
            assert found == contacts
            best["prepared"] = min(best["prepared"], prepared["seconds"])

        def broad():
            state["candidates"] = ipctk.Candidates()
            state["candidates"].build(mesh, start, end)

        best["broad"] = min(best["broad"], timed(broad))
        for method, narrow in methods.items():

            def stepsize():
                state[method] = state["candidates"].compute_collision_free_stepsize(
                    mesh, start, end, narrow_phase_ccd=narrow
                )

            best[method] = min(best[method], timed(stepsize))
    verdict = "no truth known" if known is None else f"{len(known - contacts)} missed, {len(contacts - known)} extra"
    print(f"{name}: {len(faces)} triangles, {len(contacts)} contacts, {verdict}")
    print(f"  pliant, all contacts          {best['pliant'] * 1e3:9.2f} ms   first {earliest}  {work}")
    print(f"  pliant, 2 threads             {best['pliant, 2 threads'] * 1e3:9.2f} ms   x{best['pliant'] / best['pliant, 2 threads']:.2f}")
    if len(contacts) < MOST_PREPARED:
        print(f"  pliant, prepared              {best['prepared'] * 1e3:9.2f} ms")
    print(f"  ipctk broad phase             {best['broad'] * 1e3:9.2f} ms   {len(state['candidates'])} candidates")
    for method in methods:
        whole = best["broad"] + best[method]
        prepared = f" prepared x{whole / best['prepared']:.1f}" if len(contacts) < MOST_PREPARED else ""
        print(f"  ipctk broad + {method:16}{whole * 1e3:9.2f} ms   x{whole / best['pliant']:.1f}{prepared}   step {state[method]:.6f}")
    sys.stdout.flush()


def processor_seconds(first, last, steps):
    """What one of many steps takes of the processor, with moving the vertices and refitting, on one thread."""

    def run(count):
        frames = ([first, last] * count)[: count + 1]
        command = [os.environ["PLIANT"], "sweep", *frames, "--frames", "--self", "--quiet"]
        command += ["--adjacency", "index", "--path", "linear", "--method", "bottom-up"]
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        subprocess.run(command, check=True, env={**os.environ, "RAYON_NUM_THREADS": "1"})
        return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before

    return (run(steps[1]) - run(steps[0])) / (steps[1] - steps[0])


def measure_processor(name, first, last):
    """Processor time instead of the best by the clock: for machines that others use, too."""
    start, faces = read_mesh(first)
    end, _ = read_mesh(last)
    mesh = ipctk.CollisionMesh(start, ipctk.edges(faces), faces)
    plain = processor_seconds(first, last, (1, 21))
    # From 32 steps on the mesh is prepared.
    prepared = processor_seconds(first, last, (40, 60))
    print(f"{name}: {len(faces)} triangles, processor time of a step, all contacts")
    print(f"  pliant                        {plain * 1e3:9.2f} ms   prepared {prepared * 1e3:.2f} ms")

    def used(run):
        before = time.process_time()
        run()
        return time.process_time() - before

    candidates = ipctk.Candidates()
    broad = min(used(lambda: ipctk.Candidates().build(mesh, start, end)) for _ in range(ROUNDS))
    candidates.build(mesh, start, end)
    print(f"  ipctk broad phase             {broad * 1e3:9.2f} ms   {len(candidates)} candidates")
    for method, narrow in {"tight inclusion": ipctk.TightInclusionCCD(), "additive": ipctk.AdditiveCCD()}.items():
        step = lambda: candidates.compute_collision_free_stepsize(mesh, start, end, narrow_phase_ccd=narrow)
        whole = broad + min(used(step) for _ in range(ROUNDS))
        print(f"  ipctk broad + {method:16}{whole * 1e3:9.2f} ms   x{whole / plain:.1f}   prepared x{whole / prepared:.1f}")
    sys.stdout.flush()


def apart(folder):
    """A curtain and a ball that are apart: the toolkit's broad phase beside a step of pliant."""
    start, faces = read_mesh(folder / "curtain-apart-000.obj")
    end, _ = read_mesh(folder / "curtain-apart-001.obj")
    mesh = ipctk.CollisionMesh(start, ipctk.edges(faces), faces)
    broad = min(timed(lambda: ipctk.Candidates().build(mesh, start, end)) for _ in range(ROUNDS))
    trees = min(timed(lambda: ipctk.LBVH().build(start, end, mesh.edges, mesh.faces)) for _ in range(ROUNDS))
    print(f"apart: {len(faces)} triangles of a curtain and a ball")
    print(f"  ipctk broad phase             {broad * 1e3:9.3f} ms   with candidates of the curtain with itself")
    print(f"  ipctk, only its trees         {trees * 1e3:9.3f} ms   no candidates")
    if "PLIANT_BENCH" not in os.environ:
        print("  PLIANT_BENCH names no program: pliant is left out")
        return
    command = [os.environ["PLIANT_BENCH"], "sweep", "--json", "-"]
    rows = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    for row in rows:
        if "apart" in json.dumps(row):
            print(f"  pliant {json.dumps(row)}")


def main():
    ipctk.set_num_threads(1)
    by_processor = "--processor-time" in sys.argv
    asked = [argument for argument in sys.argv[1:] if argument != "--processor-time"]
    if len(asked) == 2 and Path(asked[0]).suffix:
        measure(asked[0], Path(asked[0]), Path(asked[1]), None)
        return
    for name, first, last, number in SETS:
        if asked and name not in asked:
            continue
        files = [DATA / name / "frames" / file for file in (first, last)]
        if not files[0].exists():
            print(f"skipped: there is no {files[0]}")
            continue
        if by_processor:
            measure_processor(name, *files)
            continue
        vertices, faces = read_ply(files[0])
        measure(name, *files, truth(name, number, len(vertices), faces))
    if folder := os.environ.get("CURTAIN"):
        folder = Path(folder)
        if not asked or "curtain" in asked:
            files = [folder / f"curtain-step-0{frame}.obj" for frame in (60, 61)]
            measure_processor("curtain", *files) if by_processor else measure("curtain", *files, None)
        if not asked or "apart" in asked:
            apart(folder)


main()
