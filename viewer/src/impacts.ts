// Draws features that touch between a frame and the next: where they are first, their paths, and where they touch.

import { Box3, Group, Vector3 } from "three";
import { LineSegments2 } from "three/addons/lines/LineSegments2.js";
import { LineSegmentsGeometry } from "three/addons/lines/LineSegmentsGeometry.js";
import { line } from "./cuts";
import type { Impacts } from "./format";

/** Features that are drawn unless one is chosen, at the most. */
const DRAWN = 40;

/** The lines between four places: a vertex alone and a face, or two edges. */
const SIDES = { vf: [1, 2, 2, 3, 3, 1], ee: [0, 1, 2, 3] };

/** Four places of an impact at a moment. */
function placesAt(impacts: Impacts, number: number, moment: number): Float32Array {
  const at = 12 * (number * impacts.times.length + moment);
  return impacts.places.subarray(at, at + 12);
}

/** Four places of an impact when it happens. */
export function placesOfTouch(impacts: Impacts, number: number): Float32Array {
  const { times, features } = impacts;
  const time = features[number].toi[0];
  let after = times.findIndex((moment) => moment > time);
  if (after < 1) after = times.length - 1;
  const [from, to] = [times[after - 1], times[after]];
  const share = to > from ? Math.min(Math.max((time - from) / (to - from), 0), 1) : 0;
  const [p, q] = [placesAt(impacts, number, after - 1), placesAt(impacts, number, after)];
  return p.map((x, i) => x + share * (q[i] - x));
}

export class ImpactLines {
  readonly group = new Group();
  private start = line(0x8a949e, 1.6, 0.9, false, 5);
  private paths = line(0xffd64f, 1.6, 0.9, false, 6);
  private touch = line(0xe52e2b, 3.2, 1, false, 7);

  constructor() {
    for (const part of [this.start, this.paths, this.touch]) {
      part.frustumCulled = false;
      this.group.add(part);
    }
  }

  /** Shows those that count, or one of them. Returns how many. */
  show(impacts: Impacts | null, counts: (a: number, b: number) => boolean, chosen: number | null): number {
    const numbers: number[] = [];
    impacts?.features.forEach(({ a, b }, number) => {
      if (counts(a[0], b[0]) && (chosen === null || chosen === number)) numbers.push(number);
    });
    numbers.splice(DRAWN);
    const [start, paths, touch]: number[][] = [[], [], []];
    for (const number of impacts ? numbers : []) {
      const own = impacts!;
      const sides = SIDES[own.features[number].kind];
      const add = (to: number[], places: Float32Array, point: number) =>
        to.push(places[3 * point], places[3 * point + 1], places[3 * point + 2]);
      for (const point of sides) {
        add(start, placesAt(own, number, 0), point);
        add(touch, placesOfTouch(own, number), point);
      }
      for (let moment = 1; moment < own.times.length; moment++) {
        for (let point = 0; point < 4; point++) {
          add(paths, placesAt(own, number, moment - 1), point);
          add(paths, placesAt(own, number, moment), point);
        }
      }
    }
    fill(this.start, start);
    fill(this.paths, paths);
    fill(this.touch, touch);
    return numbers.length;
  }
}

/** The box around an impact when it happens. */
export function boxOfTouch(impacts: Impacts, number: number): Box3 {
  const box = new Box3().setFromArray(placesOfTouch(impacts, number));
  return box.expandByScalar(1e-6 * box.getSize(new Vector3()).length());
}

function fill(lines: LineSegments2, ends: number[]) {
  lines.geometry.dispose();
  lines.geometry = new LineSegmentsGeometry();
  lines.visible = ends.length > 0;
  if (ends.length > 0) lines.geometry.setPositions(ends);
}
