// Who meets whom over all frames, and what counts while things are hidden.

import type { Beads, Kind, Place, View } from "./format";

/** Two things in contact in one frame. */
export interface Meeting {
  frame: number;
  kind: Kind;
  /** `null` where it cannot be told. */
  depth: number | null;
  /** Pairs of triangles or of beads. */
  pairs: number;
  at: Place;
  bones: (string | null)[];
}

/** Two things that meet in some frame: objects, or residues of a molecule. */
export interface Pair {
  ends: [number, number];
  /** What can be hidden: objects, or chains of a molecule. */
  parts: [number, number];
  names: [string, string];
  /** In order of frames. */
  meetings: Meeting[];
  worst: Meeting;
}

/** What can be hidden. */
export interface Part {
  name: string;
  /** What it consists of. */
  size: string;
}

/** How bad a meeting is: its kind, then its depth. What cannot be told is more than a touch, and less than any depth. */
function badness({ kind, depth }: Meeting): number {
  if (kind === "near") return -1;
  return kind === "touching" ? 0 : (depth ?? Number.MIN_VALUE);
}

/** Orders meetings, the worst first. */
export const worseFirst = (a: Meeting, b: Meeting) => badness(b) - badness(a) || b.pairs - a.pairs;

export class Meetings {
  /** The worst first. */
  readonly pairs: Pair[] = [];
  /** The number of things that can be hidden is its length. */
  readonly parts: Part[];
  /** For each frame, what meets in it. */
  readonly byFrame: { pair: Pair; meeting: Meeting }[][];
  /** Whether any depth is known. */
  readonly hasDepths: boolean;
  /** What a depth is called. */
  readonly measure: "deep" | "overlap";
  private known = new Map<string, Pair>();

  constructor(view: View) {
    this.parts = [];
    this.measure = view.beads ? "overlap" : "deep";
    if (view.beads) this.addBeads(view, view.beads);
    else this.addObjects(view);
    for (const pair of this.known.values()) this.pairs.push(pair);
    this.pairs.sort((a, b) => worseFirst(a.worst, b.worst));
    this.hasDepths = this.pairs.some((pair) => pair.meetings.some(({ depth }) => depth !== null));
    this.byFrame = view.frames.map(() => []);
    for (const pair of this.pairs) {
      for (const meeting of pair.meetings) this.byFrame[meeting.frame].push({ pair, meeting });
    }
  }

  /** The pair of two objects or residues, in any order. */
  find(a: number, b: number): Pair | undefined {
    return this.known.get(key(a, b));
  }

  private add(ends: [number, number], parts: [number, number], names: [string, string], meeting: Meeting) {
    const pair = this.known.get(key(...ends));
    if (!pair) {
      this.known.set(key(...ends), { ends, parts, names, meetings: [meeting], worst: meeting });
      return;
    }
    const last = pair.meetings[pair.meetings.length - 1];
    if (last.frame !== meeting.frame) pair.meetings.push(meeting);
    else {
      // Another pair of beads of the same residues.
      const worse = worseFirst(last, meeting) <= 0 ? last : meeting;
      Object.assign(last, worse, { pairs: last.pairs + meeting.pairs });
    }
    const now = pair.meetings[pair.meetings.length - 1];
    if (worseFirst(pair.worst, now) > 0) pair.worst = now;
  }

  private addObjects(view: View) {
    for (const { name, triangles, deformation, method } of view.objects) {
      const size = [`${triangles} triangles`, deformation, method].filter((text) => text !== "");
      this.parts.push({ name, size: size.join(", ") });
    }
    const name = (object: number) => view.objects[object]?.name ?? `object ${object}`;
    view.frames.forEach(({ contacts }, frame) => {
      for (const { objects, kind, depth, pairs, at, bones } of contacts) {
        const names: [string, string] = [name(objects[0]), name(objects[1])];
        this.add(objects, objects, names, { frame, kind, depth, pairs, at, bones });
      }
    });
  }

  private addBeads(view: View, beads: Beads) {
    const chains = chainsOf(beads);
    for (const { name, beads: count } of chains.parts) this.parts.push({ name, size: `${count} beads` });
    const beadCount = beads.radii.length;
    view.frames.forEach(({ clashes, overlaps }, frame) => {
      for (let i = 0; i + 1 < clashes.length; i += 2) {
        const [a, b] = [clashes[i], clashes[i + 1]];
        const [p, q] = [a, b].map((bead) => {
          const at = 3 * (frame * beadCount + bead);
          return [...beads.positions.subarray(at, at + 3)];
        });
        const shown = beads.radii[a] + beads.radii[b] - Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
        const overlap = overlaps.length > 0 ? overlaps[i / 2] : shown;
        this.add(
          [residueOf(beads, a), residueOf(beads, b)],
          [chains.of[a], chains.of[b]],
          [residueName(beads, a), residueName(beads, b)],
          {
            frame,
            kind: "crossing",
            depth: overlap >= 0 ? overlap : null,
            pairs: 1,
            at: [0, 1, 2].map((axis) => (p[axis] + q[axis]) / 2) as Place,
            bones: [],
          },
        );
      }
    });
  }
}

/** What is shown: hidden parts do not count, nor does anything but an isolated pair. */
export class Focus {
  readonly hidden = new Set<number>();
  isolated: Pair | null = null;

  /** Whether a pair is listed. */
  lists(pair: Pair): boolean {
    return !pair.parts.some((part) => this.hidden.has(part));
  }

  /** Whether a pair is drawn and counted. */
  counts(pair: Pair): boolean {
    return this.lists(pair) && (this.isolated === null || this.isolated === pair);
  }
}

/** Pairs of triangles or beads of a frame that count, and the worst meeting among them. */
export function counted(meetings: Meetings, focus: Focus, frame: number) {
  let [pairs, all] = [0, 0];
  let worst: { pair: Pair; meeting: Meeting } | null = null;
  for (const one of meetings.byFrame[frame]) {
    all += one.meeting.pairs;
    if (!focus.counts(one.pair)) continue;
    pairs += one.meeting.pairs;
    if (!worst || worseFirst(worst.meeting, one.meeting) > 0) worst = one;
  }
  return { pairs, all, worst };
}

/** The frame with the worst meeting that counts; of equals that with most pairs. */
export function deepestFrame(meetings: Meetings, focus: Focus): number {
  let [best, bestBadness, bestPairs] = [0, -Infinity, 0];
  meetings.byFrame.forEach((_, frame) => {
    const { pairs, worst } = counted(meetings, focus, frame);
    if (!worst) return;
    const bad = badness(worst.meeting);
    if (bad > bestBadness || (bad === bestBadness && pairs > bestPairs)) {
      [best, bestBadness, bestPairs] = [frame, bad, pairs];
    }
  });
  return best;
}

const key = (a: number, b: number) => (a <= b ? `${a} ${b}` : `${b} ${a}`);

/** The residue of a bead; without residues, the bead. */
export const residueOf = (beads: Beads, bead: number) => (beads.residues.length > 0 ? beads.residues[bead] : bead);

/** "A GLY 12" of "A GLY 12 CA". */
export function residueName(beads: Beads, bead: number): string {
  const name = beads.names[bead] || `bead ${bead}`;
  return beads.residues.length > 0 ? name.replace(/ \S+$/, "") : name;
}

/** Chains of one name are one part. For each bead the number of its part. */
export function chainsOf(beads: Beads) {
  const parts: { name: string; beads: number }[] = [];
  const known = new Map<string, number>();
  const of = new Uint32Array(beads.radii.length);
  beads.chains.forEach(([first, end], chain) => {
    const given = beads.chainNames[chain];
    const name = given ? `chain ${given}` : `chain ${chain + 1}`;
    const part = known.get(name) ?? parts.push({ name, beads: 0 }) - 1;
    known.set(name, part);
    parts[part].beads += end - first;
    of.fill(part, first, end);
  });
  return { parts, of };
}
