"""Contestants take turns on the same input; the best round of each counts."""

import json
import os
import time
from pathlib import Path

DATA = Path(os.environ.get("PLIANT_SHARED_DATA", "../shared/data"))
ROUNDS = int(os.environ.get("ROUNDS", "7"))
RESULTS = os.environ.get("RESULTS")


def best_of(contestants, rounds=ROUNDS, slow=2.0):
    """The best seconds and the last answer of each, by name.

    A contestant whose first round takes longer than `slow` seconds has no other.
    """
    best = {name: (float("inf"), None) for name in contestants}
    for turn in range(rounds):
        for name, run in contestants.items():
            if turn > 0 and best[name][0] > slow:
                continue
            start = time.perf_counter()
            answer = run(turn)
            seconds = time.perf_counter() - start
            best[name] = (min(best[name][0], seconds), answer)
    return best


def table(title, best, notes=()):
    """Prints the best times, and how often ours fits into each."""
    print(f"\n{title}")
    width = max(len(name) for name in best)
    ours = best["pliant"][0]
    for name, (seconds, answer) in best.items():
        print(f"  {name:{width}}  {1e3 * seconds:12.3f} ms  {seconds / ours:8.2f}x  {answer}")
    for note in notes:
        print(f"  {note}")


def bar(name, value, asked, *, at_most=False):
    """Says whether a bar is met, and keeps it as a line of JSON."""
    met = value <= asked if at_most else value >= asked
    side = "at most" if at_most else "at least"
    print(f"  bar: {name}: {value:.2f}, asked for {side} {asked}: {'met' if met else 'MISSED'}")
    if RESULTS:
        with open(RESULTS, "a", encoding="utf-8") as file:
            file.write(json.dumps({"bar": name, "value": value, "asked": asked, "met": met}) + "\n")


def importable(name):
    """A package, or None with a message."""
    try:
        return __import__(name)
    except ImportError as error:
        print(f"  {name} is left out: {error}")
        return None
