// Contacts of the module as those of a view: what the program's reports say of them.

import type { Contact as Found, Region } from "../../../npm/pliant/index.js";
import type { Contact, Kind, Place } from "../format";

const KINDS: Record<Region["kind"], Kind> = { touching: "touching", crossing: "crossing", contained: "inside" };
const MILDEST_FIRST: Kind[] = ["touching", "crossing", "inside"];

/** How bad a region is. What cannot be told is more than a touch. */
const badness = ({ depth }: Region) => depth ?? Number.MIN_VALUE;

/** A contact of two objects, with its worst place and the bones there. */
export function contactOf(
  { objects, pairs, regions }: Found,
  meshes: { triangles: Uint32Array }[],
  bone: (object: number, vertex: number) => string | null,
): Contact {
  const all = regions ?? [];
  const [a, b] = objects;
  const kinds = all.map((region) => MILDEST_FIRST.indexOf(KINDS[region.kind]));
  const depths = all.map(({ depth }) => depth).filter((depth) => depth !== null);
  const worst = all.reduce<Region | null>((known, one) => (known && badness(known) >= badness(one) ? known : one), null);
  const ends = [a, b].map((object, side) => {
    if (!worst) return null;
    const vertex = vertexOf(worst, side, meshes[object].triangles);
    return vertex === undefined ? null : bone(object, vertex);
  });
  const at = worst?.point ?? worst?.curve[0]?.subarray(0, 3) ?? [0, 0, 0];
  return {
    objects: [a, b],
    pairs: pairs.length / 2,
    kind: MILDEST_FIRST[Math.max(0, ...kinds)],
    depth: depths.length > 0 ? Math.max(...depths) : null,
    at: [...at] as Place,
    bones: ends.some((name) => name !== null) ? ends : [],
  };
}

/** The vertex that stands for a region on one of its sides. */
function vertexOf({ vertex, pairs, verticesA, verticesB }: Region, side: number, triangles: Uint32Array): number | undefined {
  if (vertex && vertex[0] === side) return vertex[1];
  if (pairs.length > 0) return triangles[3 * pairs[side]];
  return [verticesA, verticesB][side][0];
}

/** Object, triangle, object, triangle: all, or evenly chosen ones of too many, at least one per contact. */
export function shownPairs(found: Found[], most: number): Uint32Array {
  const total = found.reduce((sum, { pairs }) => sum + pairs.length / 2, 0);
  const step = Math.max(1, Math.ceil(total / most));
  const out: number[] = [];
  for (const { objects, pairs } of found) {
    for (let at = 0; at < pairs.length; at += 2 * step) out.push(objects[0], pairs[at], objects[1], pairs[at + 1]);
  }
  return Uint32Array.from(out);
}
