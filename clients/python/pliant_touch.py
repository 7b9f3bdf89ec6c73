"""A client of `pliant touch`, with nothing but the standard library.

Copy this file beside your program. The protocol is described in docs/touch-protocol.md.

    from pliant_touch import Client, polygons

    with Client("127.0.0.1", 7700) as client:
        client.define(1, polygons([(-1, -1, 0), (1, -1, 0), (0, 1, 0)], [(0, 1, 2)]))
        client.feel(1, stiffness=800, static_friction=0.5, dynamic_friction=0.4)
        client.watch(states=100)
        client.hand(0, (0, 0, 0.1))
        state = client.next_state()
"""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Union

MAGIC = b"PLTOUCH\n"
VERSION = 1
NO_PARENT = 0xFFFFFFFF
_HEAD = struct.Struct("<IH")
_MOST = 64 << 20

Vector = Sequence[float]


class TouchError(Exception):
    """The server refused something, or the connection is gone."""


@dataclass
class Welcome:
    """What the server is."""

    version: int
    hands: int
    rate: float
    radius: float
    force_limit: float
    low: Vector
    high: Vector
    title: str


@dataclass
class Contact:
    """A plane that holds the proxy."""

    slot: int
    triangle: int
    point: Vector
    normal: Vector
    depth: float


@dataclass
class Hand:
    """What the last step gave a hand. The grip is "free", "sticks" or "slides"."""

    hand: int
    grip: str
    device: Vector
    proxy: Vector
    force: Vector
    energy: float
    contacts: list[Contact]


@dataclass
class State:
    """All hands that are there."""

    step: int
    hands: dict[int, Hand]


@dataclass
class Statistics:
    """What the force loop did so far; times are in seconds."""

    steps: int
    missed: int
    changes: int
    median: float
    p999: float
    longest: float
    late_median: float
    late_p999: float
    late_longest: float
    doublings: list[int]


@dataclass
class Shown:
    """An object of the scene."""

    slot: int
    name: str
    positions: list[Vector]
    triangles: list[tuple[int, int, int]]


@dataclass
class Moved:
    """Where an object is: a map of three columns and a translation, or its vertices."""

    slot: int
    map: Sequence[float] | None
    vertices: list[Vector] | None


@dataclass
class Gone:
    """An object is no more."""

    slot: int


@dataclass
class Pong:
    """The answer to a ping."""

    value: int


Report = Union[Welcome, State, Statistics, Shown, Moved, Gone, Pong]


@dataclass
class Shape:
    """An object: vertices, what they are corners of, and how it moves."""

    positions: Sequence[Vector]
    kind: int = 2
    primitives: bytes = b""
    normals: Sequence[Vector] = ()
    texture_coordinates: Sequence[Sequence[float]] = ()
    deformation: int = 0
    details: bytes = field(default=b"", repr=False)

    def free(self) -> Shape:
        """The same object, whose vertices are moved one by one."""
        self.deformation, self.details = 1, b""
        return self

    def with_modes(self, modes: Sequence[Sequence[Vector]]) -> Shape:
        """The same object, moved along fields of displacements of all vertices."""
        self.deformation = 2
        self.details = struct.pack("<H", len(modes)) + b"".join(map(_vectors, modes))
        return self

    def with_skin(self, joints: int, influences: Iterable[tuple[int, int, float]]) -> Shape:
        """The same object, moved by joints: (vertex, joint, weight), vertices ascending."""
        rows = [struct.pack("<IId", *row) for row in influences]
        self.deformation, self.details = 3, struct.pack("<II", joints, len(rows)) + b"".join(rows)
        return self

    def encode(self) -> bytes:
        pairs = [struct.pack("<2f", *pair) for pair in self.texture_coordinates]
        return b"".join(
            [
                bytes([self.deformation, self.kind]),
                _vectors(self.positions),
                self.primitives,
                _vectors(self.normals),
                struct.pack("<I", len(pairs)),
                *pairs,
                self.details,
            ]
        )


def points(positions: Sequence[Vector]) -> Shape:
    """Points that are touched from every side."""
    numbers = struct.pack(f"<I{len(positions)}I", len(positions), *range(len(positions)))
    return Shape(positions, 0, numbers)


def segments(positions: Sequence[Vector], pairs: Sequence[tuple[int, int]]) -> Shape:
    """Segments between vertices."""
    rows = b"".join(struct.pack("<2I", *pair) for pair in pairs)
    return Shape(positions, 1, struct.pack("<I", len(pairs)) + rows)


def polygons(positions: Sequence[Vector], faces: Sequence[Sequence[int]]) -> Shape:
    """Flat convex polygons of 3 to 64 corners."""
    rows = b"".join(struct.pack(f"<B{len(face)}I", len(face), *face) for face in faces)
    return Shape(positions, 2, struct.pack("<I", len(faces)) + rows)


def _vectors(vectors: Sequence[Vector]) -> bytes:
    flat = [number for vector in vectors for number in vector]
    return struct.pack(f"<I{len(flat)}d", len(vectors), *flat)


class _Fields:
    """Reads the fields of a message."""

    def __init__(self, body: bytes) -> None:
        self.body, self.at = body, 0

    def read(self, form: str) -> tuple:
        form = "<" + form
        try:
            values = struct.unpack_from(form, self.body, self.at)
        except struct.error as error:
            raise TouchError(f"a message is too short: {error}") from None
        self.at += struct.calcsize(form)
        return values

    def one(self, form: str):  # noqa: ANN201
        return self.read(form)[0]

    def text(self) -> str:
        return self.one(f"{self.one('H')}s").decode("utf-8", "replace")

    def rows(self, form: str, width: int) -> list[tuple]:
        count = self.one("I")
        flat = self.read(f"{width * count}{form}")
        return [flat[at : at + width] for at in range(0, width * count, width)]


_GRIPS = ("free", "sticks", "slides")


def _hand(f: _Fields) -> Hand:
    number, grip = f.read("2B")
    device, proxy, force = f.read("3d"), f.read("3d"), f.read("3d")
    energy, count = f.read("dB")
    contacts = []
    for _ in range(count):
        slot, triangle, *numbers = f.read("2I7d")
        contacts.append(Contact(slot, triangle, numbers[:3], numbers[3:6], numbers[6]))
    return Hand(number, _GRIPS[min(grip, 2)], device, proxy, force, energy, contacts)


def _report(kind: int, body: bytes) -> Report:
    f = _Fields(body)
    if kind == 0x81:
        version, hands, rate, radius, limit = f.read("HBddd")
        return Welcome(version, hands, rate, radius, limit, f.read("3d"), f.read("3d"), f.text())
    if kind == 0x82:
        step, count = f.read("QI")
        found = [_hand(f) for _ in range(count)]
        return State(step, {hand.hand: hand for hand in found})
    if kind == 0x83:
        numbers = f.read("21Q")
        times = [number * 1e-9 for number in numbers[3:9]]
        return Statistics(*numbers[:3], *times, list(numbers[9:]))
    if kind == 0x84:
        slot, name = f.one("I"), f.text()
        return Shown(slot, name, f.rows("f", 3), f.rows("I", 3))
    if kind == 0x85:
        slot, how = f.read("IB")
        return Moved(slot, f.read("12f"), None) if how == 0 else Moved(slot, None, f.rows("f", 3))
    if kind == 0x86:
        return Gone(f.one("I"))
    if kind == 0x87:
        raise TouchError(f.text())
    if kind == 0x88:
        return Pong(f.one("Q"))
    raise TouchError(f"there is no message of kind {kind:#06x}")


class Client:
    """A connection to `pliant touch`. Calls raise TouchError if the server refuses or is gone."""

    def __init__(self, host: str = "127.0.0.1", port: int = 7700, token: str = "", timeout: float = 10.0) -> None:
        self._bytes = bytearray()
        try:
            self._socket = socket.create_connection((host, port), timeout)
        except OSError as error:
            raise TouchError(f"{host}:{port}: {error}") from None
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        text = token.encode()
        self._write(MAGIC)
        self._say(0x01, struct.pack("<HH", VERSION, len(text)) + text)
        welcome = self.receive()
        if not isinstance(welcome, Welcome):
            raise TouchError("the server does not say welcome")
        self.welcome = welcome

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Ends the connection; the client's objects and hands go."""
        self._socket.close()

    # Objects.

    def begin(self) -> None:
        """What follows up to `commit` is taken as a whole, between two steps."""
        self._say(0x02)

    def commit(self) -> None:
        """Ends what `begin` began."""
        self._say(0x03)

    def define(self, number: int, shape: Shape | None = None) -> None:
        """Makes an object, or replaces it. One without a shape carries others."""
        made = shape or Shape((), 2, struct.pack("<I", 0))
        self._say(0x10, struct.pack("<I", number) + made.encode())

    def remove(self, number: int) -> None:
        """Removes an object and all that hang from it."""
        self._say(0x11, struct.pack("<I", number))

    def feel(
        self,
        number: int,
        stiffness: float = 500.0,
        damping: float = 0.0,
        static_friction: float = 0.0,
        dynamic_friction: float = 0.0,
        viscosity: float = 0.0,
        smooth: bool = False,
    ) -> None:
        """Says how an object feels."""
        numbers = (stiffness, damping, static_friction, dynamic_friction, viscosity)
        self._say(0x12, struct.pack("<I5dB", number, *numbers, smooth))

    def texture(self, number: int, rows: Sequence[Sequence[float]], amplitude: float, friction: bool = False) -> None:
        """Lays a map of heights, or of factors of friction, over an object: rows of values from 0 to 1."""
        values = [value for row in rows for value in row]
        head = struct.pack("<IBHdI", number, friction, len(rows[0]), amplitude, len(values))
        self._say(0x13, head + struct.pack(f"<{len(values)}f", *values))

    def place(self, number: int, translation: Vector, rotation: Vector = (0, 0, 0, 1), parent: int = NO_PARENT) -> None:
        """Puts an object into the frame of another, or of the world. A rotation is x, y, z, w."""
        self._say(0x20, struct.pack("<II7d", number, parent, *rotation, *translation))

    def translate(self, number: int, by: Vector) -> None:
        """Moves an object."""
        self._say(0x21, struct.pack("<I3d", number, *by))

    def rotate(self, number: int, by: Vector) -> None:
        """Turns an object about its origin. A rotation is x, y, z, w."""
        self._say(0x22, struct.pack("<I4d", number, *by))

    def positions(self, number: int, positions: Sequence[Vector]) -> None:
        """Moves the vertices of a free object."""
        self._say(0x23, struct.pack("<I", number) + _vectors(positions))

    def coordinates(self, number: int, values: Sequence[float]) -> None:
        """Sets the coordinates, or weights, of an object with modes."""
        self._say(0x24, struct.pack(f"<II{len(values)}d", number, len(values), *values))

    def joints(self, number: int, joints: Sequence[Vector]) -> None:
        """Moves the joints of a skin: twelve numbers each, three columns and a translation."""
        flat = [value for joint in joints for value in joint]
        self._say(0x25, struct.pack(f"<II{len(flat)}d", number, len(joints), *flat))

    # Hands.

    def hand(self, hand: int, position: Vector) -> None:
        """Tells where a hand is."""
        self._say(0x30, struct.pack("<B3d", hand, *position))

    def lift(self, hand: int) -> None:
        """Takes a hand away."""
        self._say(0x31, struct.pack("<B", hand))

    # What the server says.

    def watch(self, states: int = 0, pictures: int = 0) -> None:
        """Asks for states and pictures, so many per second, at most 1000."""
        self._say(0x40, struct.pack("<HH", states, pictures))

    def ping(self, value: int = 0) -> None:
        """Asks for an answer. A client that watches nothing says something every two minutes."""
        self._say(0x41, struct.pack("<Q", value))

    def receive(self) -> Report:
        """The next report; waits for it."""
        while True:
            if len(self._bytes) >= _HEAD.size:
                length, kind = _HEAD.unpack_from(self._bytes)
                if length > _MOST:
                    raise TouchError(f"a message of {length} bytes")
                end = _HEAD.size + length
                if len(self._bytes) >= end:
                    body = bytes(self._bytes[_HEAD.size : end])
                    del self._bytes[:end]
                    return _report(kind, body)
            try:
                piece = self._socket.recv(1 << 16)
            except OSError as error:
                raise TouchError(str(error)) from None
            if not piece:
                raise TouchError("the server closed the connection")
            self._bytes += piece

    def __iter__(self) -> Iterator[Report]:
        while True:
            yield self.receive()

    def next_state(self) -> State:
        """The next state; other reports are passed over."""
        for report in self:
            if isinstance(report, State):
                return report
        raise AssertionError

    def _say(self, kind: int, body: bytes = b"") -> None:
        self._write(_HEAD.pack(len(body), kind) + body)

    def _write(self, data: bytes) -> None:
        try:
            self._socket.sendall(data)
        except OSError as error:
            # The server may have said why.
            for report in self:
                del report
            raise TouchError(str(error)) from None
