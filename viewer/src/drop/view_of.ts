// What the worker has found so far, as a view.

import type { Frame, SceneObject, View } from "../format";
import type { DropObject, Found, Opened, State } from "./messages";

const joined = (parts: Float32Array[]) => {
  const out = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
};

function objectOf(object: DropObject, number: number, states: State[]): SceneObject {
  return {
    name: object.name,
    vertices: object.positions.length / 3,
    triangles: object.triangles.length / 3,
    deformation: object.deformation,
    method: "",
    mesh: number,
    treeNodes: 0,
    look: null,
    frames: joined(states.map(({ frame }) => frame)),
    weights: joined(states.map(({ weights }) => weights)),
    joints: joined(states.map(({ joints }) => joints)),
    levels: [],
  };
}

/** A view of the frames that were found; more may come. */
export function viewOf(title: string, opened: Opened, animation: number, found: Found[]): View {
  const frames: Frame[] = found.map(({ time, pairs, pairsFound, segments, contacts, work }, frame) => ({
    time,
    animation: 0,
    frame,
    pairs,
    pairsFound,
    nodesVisited: 0,
    segments,
    contacts,
    clashes: new Uint32Array(),
    overlaps: new Float32Array(),
    impacts: null,
    work,
  }));
  const played = opened.animations[animation];
  return {
    pliant: opened.version,
    title,
    command: "",
    method: "",
    unit: "s",
    animations: played === undefined ? [] : [played],
    framesRun: opened.frames,
    objects: opened.objects.map((object, number) => objectOf(object, number, found.map(({ states }) => states[number]))),
    looks: [],
    materials: [],
    images: [],
    notes: opened.warnings,
    beads: null,
    frames,
  };
}
