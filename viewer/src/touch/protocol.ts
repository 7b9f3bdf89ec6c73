// The touch protocol, version 1, as the page speaks it (docs/touch-protocol.md). All numbers are little-endian.

export interface Hand {
  hand: number;
  grip: number;
  device: number[];
  proxy: number[];
  force: number[];
  energy: number;
  contacts: { slot: number; triangle: number; point: number[]; normal: number[]; depth: number }[];
}

export interface Statistics {
  steps: number;
  missed: number;
  changes: number;
  median: number;
  p999: number;
  longest: number;
  lateMedian: number;
  lateP999: number;
  lateLongest: number;
  /** How many steps took below 1, 2, 4 ... microseconds. */
  doublings: number[];
}

export interface Welcome {
  version: number;
  hands: number;
  rate: number;
  radius: number;
  forceLimit: number;
  low: number[];
  high: number[];
  title: string;
}

/** What the server may say. */
export interface Listener {
  welcome(welcome: Welcome): void;
  state(step: number, hands: Hand[]): void;
  statistics(statistics: Statistics): void;
  object(slot: number, name: string, positions: Float32Array, triangles: Uint32Array): void;
  map(slot: number, map: Float32Array): void;
  vertices(slot: number, positions: Float32Array): void;
  gone(slot: number): void;
  ended(reason: string): void;
}

const MAGIC = "PLTOUCH\n";
const VERSION = 1;
const HEAD = 6;

/** Reads the fields of a message. Beyond the end it throws a RangeError. */
class Fields {
  private at = 0;
  private view: DataView;
  constructor(private bytes: Uint8Array) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }
  private step(bytes: number): number {
    this.at += bytes;
    return this.at - bytes;
  }
  u8 = () => this.view.getUint8(this.step(1));
  u16 = () => this.view.getUint16(this.step(2), true);
  u32 = () => this.view.getUint32(this.step(4), true);
  u64 = () => Number(this.view.getBigUint64(this.step(8), true));
  f64 = () => this.view.getFloat64(this.step(8), true);
  vector = () => [this.f64(), this.f64(), this.f64()];
  text(): string {
    const length = this.u16();
    return new TextDecoder().decode(this.slice(length));
  }
  private slice(length: number): Uint8Array {
    const from = this.step(length);
    if (this.at > this.bytes.length) throw new RangeError("a message is too short");
    return this.bytes.slice(from, this.at);
  }
  floats = (count: number) => new Float32Array(this.slice(4 * count).buffer);
  integers = (count: number) => new Uint32Array(this.slice(4 * count).buffer);
}

/** Puts a message together. */
function message(kind: number, length: number, fill: (view: DataView) => void = () => {}): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(HEAD + length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, length, true);
  view.setUint16(4, kind, true);
  fill(new DataView(bytes.buffer, HEAD));
  return bytes;
}

/** A connection to the server that the page came from. */
export class Connection {
  private socket: WebSocket;
  private left = new Uint8Array(0);
  private reason = "the connection ended: is the program still running?";

  constructor(
    token: string,
    private listener: Listener,
  ) {
    const address = new URL("touch", location.href);
    [address.protocol, address.hash] = ["ws:", ""];
    this.socket = new WebSocket(address);
    this.socket.binaryType = "arraybuffer";
    this.socket.addEventListener("open", () => this.greet(token));
    this.socket.addEventListener("message", (event) => this.take(new Uint8Array(event.data as ArrayBuffer)));
    this.socket.addEventListener("close", () => listener.ended(this.reason));
    // A page in the background says so once per minute at least.
    setInterval(() => this.send(message(0x41, 8)), 20_000);
  }

  private greet(token: string) {
    const text = new TextEncoder().encode(token);
    this.send(new TextEncoder().encode(MAGIC));
    this.send(
      message(0x01, 4 + text.length, (view) => {
        view.setUint16(0, VERSION, true);
        view.setUint16(2, text.length, true);
        text.forEach((byte, i) => view.setUint8(4 + i, byte));
      }),
    );
  }

  watch(states: number, pictures: number) {
    this.send(
      message(0x40, 4, (view) => {
        view.setUint16(0, states, true);
        view.setUint16(2, pictures, true);
      }),
    );
  }

  hand(hand: number, place: readonly number[]) {
    this.send(
      message(0x30, 25, (view) => {
        view.setUint8(0, hand);
        place.forEach((number, i) => view.setFloat64(1 + 8 * i, number, true));
      }),
    );
  }

  lift(hand: number) {
    this.send(message(0x31, 1, (view) => view.setUint8(0, hand)));
  }

  private send(bytes: Uint8Array<ArrayBuffer>) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(bytes);
  }

  /** Takes bytes in; messages may be cut anywhere. */
  private take(bytes: Uint8Array) {
    if (this.left.length > 0) {
      const joined = new Uint8Array(this.left.length + bytes.length);
      joined.set(this.left);
      joined.set(bytes, this.left.length);
      bytes = joined;
    }
    let at = 0;
    while (bytes.length - at >= HEAD) {
      const view = new DataView(bytes.buffer, bytes.byteOffset + at);
      const length = view.getUint32(0, true);
      if (bytes.length - at - HEAD < length) break;
      this.understand(view.getUint16(4, true), new Fields(bytes.subarray(at + HEAD, at + HEAD + length)));
      at += HEAD + length;
    }
    this.left = bytes.slice(at);
  }

  private understand(kind: number, f: Fields) {
    const { listener } = this;
    switch (kind) {
      case 0x81:
        listener.welcome({
          version: f.u16(),
          hands: f.u8(),
          rate: f.f64(),
          radius: f.f64(),
          forceLimit: f.f64(),
          low: f.vector(),
          high: f.vector(),
          title: f.text(),
        });
        break;
      case 0x82: {
        const step = f.u64();
        listener.state(step, Array.from({ length: f.u32() }, () => hand(f)));
        break;
      }
      case 0x83: {
        const [steps, missed, changes, median, p999, longest, lateMedian, lateP999, lateLongest, ...doublings] = Array.from({ length: 21 }, f.u64);
        listener.statistics({ steps, missed, changes, median, p999, longest, lateMedian, lateP999, lateLongest, doublings });
        break;
      }
      case 0x84: {
        const [slot, name] = [f.u32(), f.text()];
        listener.object(slot, name, f.floats(3 * f.u32()), f.integers(3 * f.u32()));
        break;
      }
      case 0x85: {
        const slot = f.u32();
        if (f.u8() === 0) listener.map(slot, f.floats(12));
        else listener.vertices(slot, f.floats(3 * f.u32()));
        break;
      }
      case 0x86:
        listener.gone(f.u32());
        break;
      case 0x87:
        this.reason = f.text();
        break;
    }
  }
}

function hand(f: Fields): Hand {
  const [hand, grip] = [f.u8(), f.u8()];
  const [device, proxy, force, energy] = [f.vector(), f.vector(), f.vector(), f.f64()];
  const contact = () => ({ slot: f.u32(), triangle: f.u32(), point: f.vector(), normal: f.vector(), depth: f.f64() });
  return { hand, grip, device, proxy, force, energy, contacts: Array.from({ length: f.u8() }, contact) };
}
