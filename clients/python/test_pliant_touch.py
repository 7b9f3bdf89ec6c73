"""The client against the program: `PLIANT=path/to/pliant python3 -m unittest discover clients/python`."""

import os
import pathlib
import random
import socket
import subprocess
import tempfile
import time
import unittest

import drum
from pliant_touch import Client, Moved, Pong, Shown, Statistics, TouchError, points, polygons, segments

HERE = pathlib.Path(__file__).resolve().parent
PLIANT = os.environ.get("PLIANT", str(HERE / "../../target/release/pliant"))
TRIANGLE = "v -5 0 -5\nv 5 0 -5\nv 0 0 5\nf 1 2 3\n"


class Server:
    """`pliant touch` over a large triangle in the plane y = 0."""

    def __init__(self, *words):
        self.folder = tempfile.TemporaryDirectory()
        file = pathlib.Path(self.folder.name, "floor.obj")
        file.write_text(TRIANGLE)
        command = [PLIANT, "touch", str(file), "--no-open", "--radius", "0.01", "--friction", "0", *words]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        address = self.process.stdout.readline().strip()
        self.port = int(address.split("#")[0].rstrip("/").rsplit(":", 1)[1])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(2)
        self.process.wait(20)
        self.process.stdout.close()
        self.folder.cleanup()


def until(client, holds, what):
    end = time.monotonic() + 20
    state = None
    while time.monotonic() < end:
        state = client.next_state()
        if 0 in state.hands and holds(state.hands[0]):
            return state.hands[0]
    raise AssertionError(f"{what}: {state}")


class Touching(unittest.TestCase):
    def test_a_floor_and_own_objects_are_touched(self):
        with Server() as server, Client(port=server.port) as client:
            client.watch(states=200)
            client.hand(0, (0, 0.5, 0))
            until(client, lambda hand: hand.proxy[1] > 0.49, "above")
            client.hand(0, (0, -0.01, 0))
            hand = until(client, lambda hand: abs(hand.force[1] - 10) < 0.01, "on the floor")
            self.assertAlmostEqual(hand.proxy[1], 0.01, 6)
            self.assertEqual((len(hand.contacts), hand.contacts[0].slot), (1, 0))
            client.hand(0, (0, 0.5, 0))
            until(client, lambda hand: hand.proxy[1] > 0.49, "above again")
            square = [(-1, 0.2, -1), (1, 0.2, -1), (1, 0.2, 1), (-1, 0.2, 1)]
            client.begin()
            client.define(3, polygons(square, [(0, 1, 2, 3)]).free())
            client.feel(3, stiffness=1000)
            client.commit()
            client.hand(0, (0, 0.2, 0))
            until(client, lambda hand: abs(hand.force[1] - 10) < 0.01, "on the square")
            client.positions(3, [(x, y + 0.1, z) for x, y, z in square])
            until(client, lambda hand: abs(hand.proxy[1] - 0.31) < 1e-6, "lifted")
            client.remove(3)
            until(client, lambda hand: abs(hand.proxy[1] - 0.2) < 1e-6, "without it")

    def test_points_segments_modes_joints_and_textures(self):
        with Server() as server, Client(port=server.port) as client:
            square = [(-1, 0.2, -1), (1, 0.2, -1), (1, 0.2, 1), (-1, 0.2, 1)]
            up = (1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0.1, 0)
            client.define(1, points(square))
            client.define(2, segments(square, [(0, 1), (2, 3)]))
            client.define(3, polygons(square, [(0, 1, 2, 3)]).with_modes([[(0, 1, 0)] * 4]))
            client.coordinates(3, [0.25])
            client.define(4, polygons(square, [(0, 1, 2, 3)]).with_skin(1, [(v, 0, 1.0) for v in range(4)]))
            client.joints(4, [up])
            client.define(5)
            client.place(4, (0, 0.1, 0), parent=5)
            client.translate(5, (0, 0.1, 0))
            client.rotate(5, (0, 1, 0, 0))
            shape = polygons(square, [(0, 1, 2, 3)])
            shape.texture_coordinates = [(0, 0), (1, 0), (1, 1), (0, 1)]
            shape.normals = [(0, 1, 0)] * 4
            client.define(6, shape)
            client.texture(6, [[0, 1], [1, 0]], 0.01)
            client.texture(6, [[0.5]], 1.0, friction=True)
            client.watch(pictures=50)
            heights = {}
            end = time.monotonic() + 20
            while len(heights) < 6 and time.monotonic() < end:
                report = client.receive()
                if isinstance(report, Moved):
                    heights[report.slot] = report.vertices[0][1] if report.vertices else report.map[10]
            self.assertEqual(sorted(heights), [0, 1, 2, 3, 4, 5])
            self.assertAlmostEqual(heights[3], 0.45, 6)
            self.assertAlmostEqual(heights[4], 0.5, 6)
            client.watch()
            client.ping(7)
            while not isinstance(report := client.receive(), Pong):
                self.assertIsInstance(report, (Moved, Shown))
            self.assertEqual(report.value, 7)

    def test_what_is_wrong_is_said(self):
        with Server("--listen", "127.0.0.1", "--token", "speak friend") as server:
            with self.assertRaisesRegex(TouchError, "token"):
                Client(port=server.port)
            with Client(port=server.port, token="speak friend") as client:
                client.remove(9)
                with self.assertRaisesRegex(TouchError, "no object 9"):
                    client.receive()

    def test_random_bytes_harm_nobody(self):
        chance = random.Random(21)
        with Server() as server, Client(port=server.port) as witness:
            witness.watch(states=100)
            for _ in range(40):
                with socket.create_connection(("127.0.0.1", server.port)) as stream:
                    begin = chance.choice([b"", b"PLTOUCH\n", b"GET /touch HTTP/1.1\r\nUpgrade: websocket\r\n"])
                    stream.sendall(begin + chance.randbytes(chance.randrange(200)))
            reports = [witness.receive() for _ in range(100)]
            last = [report for report in reports if isinstance(report, Statistics)][-1]
            self.assertGreater(last.steps, 0)

    def test_the_example(self):
        with Server() as server:
            self.assertGreater(drum.main(f"127.0.0.1:{server.port}", "", "1.5"), 0.5)


if __name__ == "__main__":
    unittest.main()
