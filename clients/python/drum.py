"""A drum that breathes, and a hand that strokes it: `python3 drum.py [HOST:PORT [TOKEN]]`.

Start the server first, for instance `pliant touch ball.stl --port 7700 --no-open`, and look at its page:
the drum appears there, too.
"""

import math
import sys
import time

from pliant_touch import Client, polygons

RINGS, SPOKES, SIZE = 6, 24, 0.5


def skin(height):
    """Vertices of a round skin whose middle is raised."""
    places = [(0.0, height, 0.0)]
    for ring in range(1, RINGS + 1):
        radius = SIZE * ring / RINGS
        raised = height * math.cos(math.pi / 2 * ring / RINGS)
        for spoke in range(SPOKES):
            turn = math.tau * spoke / SPOKES
            places.append((radius * math.cos(turn), raised, radius * math.sin(turn)))
    return places


def faces():
    def at(ring, spoke):
        return 0 if ring == 0 else 1 + (ring - 1) * SPOKES + spoke % SPOKES

    middle = [(0, at(1, s + 1), at(1, s)) for s in range(SPOKES)]
    rest = [(at(r, s), at(r, s + 1), at(r + 1, s + 1), at(r + 1, s)) for r in range(1, RINGS) for s in range(SPOKES)]
    return middle + rest


def main(address="127.0.0.1:7700", token="", seconds="3"):
    host, port = address.rsplit(":", 1)
    with Client(host, int(port), token) as client:
        print(f"{client.welcome.title}: {client.welcome.rate:.0f} steps per second")
        radius = client.welcome.radius
        client.begin()
        client.define(1, polygons(skin(0.0), faces()).free())
        client.feel(1, stiffness=400, static_friction=0.4, dynamic_friction=0.3, smooth=True)
        client.commit()
        client.watch(states=60)
        client.hand(0, (0.1, 0.3, 0.0))
        begin, largest = time.monotonic(), 0.0
        while (now := time.monotonic() - begin) < float(seconds):
            client.positions(1, skin(0.05 * math.sin(4 * now)))
            # The hand comes down, and circles a little below the skin.
            depth = max(0.3 - now, -0.01)
            client.hand(0, (0.2 * math.cos(2 * now), depth, 0.2 * math.sin(2 * now)))
            hand = client.next_state().hands.get(0)
            if hand is None:
                continue
            largest = max(largest, math.hypot(*hand.force))
            print(f"\r{hand.grip:7} {math.hypot(*hand.force):6.2f} N", end="", flush=True)
            # The server never lets the ball through.
            assert hand.proxy[1] > -0.06 + 0.9 * radius
        print(f"\nthe largest force was {largest:.2f} N")
        return largest


if __name__ == "__main__":
    main(*sys.argv[1:])
