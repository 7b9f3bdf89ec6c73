"""76 clips of the knight on one and on two Dask workers of one thread each: the same rows, and how much faster."""

import os
import sys
import time

os.environ["RAYON_NUM_THREADS"] = "1"

from turns import DATA, bar, importable  # noqa: E402

FILE = DATA / "gltf/skinned/KayKit_Knight.glb"


def main():
    if not FILE.exists():
        sys.exit(f"shared data is not here: {FILE}")
    if not (distributed := importable("distributed")):
        sys.exit("skipped: pip install dask[distributed]")
    from pliant.dask import check, check_here

    def same(one, other):
        return len(one) == len(other) and all(
            (a.animation, a.time, a.depth) == (b.animation, b.time, b.depth) and (a.pairs == b.pairs).all()
            for a, b in zip(one, other, strict=True)
        )

    fps = float(os.environ.get("FPS", "15"))
    start = time.perf_counter()
    alone = check_here(FILE, fps=fps, self_contacts=True, regions=False)
    seconds = {"one process": time.perf_counter() - start}
    clips = len({row.animation for row in alone})
    clusters = {}
    # Dask lets its workers give memory back at once, which seems to cost time: docs/python-clusters.md.
    import dask

    dask.config.set({"distributed.nanny.pre-spawn-environ.MALLOC_TRIM_THRESHOLD_": 1 << 28})
    for workers in (1, 2):
        cluster = distributed.LocalCluster(
            silence_logs=40,
            n_workers=workers, threads_per_worker=1, dashboard_address=None, memory_limit=0
        )
        clusters[workers] = (cluster, distributed.Client(cluster))
    equal = True
    for turn in range(2):
        for workers, (_, client) in clusters.items():
            start = time.perf_counter()
            rows = check(FILE, client, fps=fps, self_contacts=True, regions=False)
            took = time.perf_counter() - start
            name = f"{workers} worker{'s' if workers > 1 else ''}"
            if turn > 0:
                # In the first round workers import the package and load the file.
                seconds[name] = min(seconds.get(name, took), took)
            equal &= same(alone, rows)
    _, client = clusters[2]
    empty = 400
    start = time.perf_counter()
    client.gather(client.map(abs, range(empty), pure=False))
    per_task = (time.perf_counter() - start) / empty
    for cluster, client in clusters.values():
        client.close()
        cluster.close()
    print(f"\n{clips} clips of the knight, {len(alone)} frames, contacts with themselves included")
    for name, took in seconds.items():
        print(f"  {name:12}  {took:7.3f} s")
    print(f"  the same rows, bit for bit: {'yes' if equal else 'NO'}; an empty task takes {1e3 * per_task:.2f} ms")
    bar("Dask, one worker over two", seconds["1 worker"] / seconds["2 workers"], 1.8)
    return 0 if equal and clips == 76 else 1


if __name__ == "__main__":
    sys.exit(main())
