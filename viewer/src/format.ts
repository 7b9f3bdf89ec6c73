// Types for docs/view-format.md, and functions that unpack its numbers.

export interface Work {
  bounds: number;
  overlap_tests: number;
  primitive_tests: number;
  seconds: number;
}

export interface Levels {
  kind: "sphere" | "box";
  nodes: Uint32Array;
  rest: Float32Array;
  /** For each frame, the volumes of all nodes. */
  volumes: Float32Array;
  /** For each frame, one bit per node. */
  visited: Uint32Array;
}

export interface SceneObject {
  name: string;
  vertices: number;
  triangles: number;
  deformation: string;
  method: string;
  mesh: number;
  treeNodes: number;
  /** A place in the list of looks; `null` if its file has no colours. */
  look: number | null;
  frames: Float32Array;
  weights: Float32Array;
  joints: Float32Array;
  /** Bounds of the first levels, root first. */
  levels: Levels[];
}

/** What a mesh looks like in its file. */
export interface Look {
  /** The triangle after the last one of a run, and its material. */
  runs: [end: number, material: number | null][];
  /** Two numbers per vertex: its place in the picture of its material. */
  coordinates: Float32Array<ArrayBuffer>;
}

/** A base colour. */
export interface Paint {
  /** Red, green, blue and opacity, linear. */
  color: [number, number, number, number];
  image: number | null;
  wrap: ("repeat" | "clamp" | "mirror")[];
  pixelated: boolean;
  /** The opacity below which nothing is drawn. */
  cutoff: number | null;
}

/** How two things meet, the mildest first. */
export type Kind = "near" | "touching" | "crossing" | "inside";

export type Place = [number, number, number];

export interface Contact {
  objects: [number, number];
  pairs: number;
  kind: Kind;
  /** `null` where it cannot be told. */
  depth: number | null;
  /** Where it is deepest. */
  at: Place;
  /** The joint that moves the place, for each of the two that has joints. */
  bones: (string | null)[];
}

/** Two features that touch between a frame and the next. */
export interface Impact {
  /** A vertex and a face, or two edges. */
  kind: "vf" | "ee";
  /** Object, and a number or the two vertices of an edge. */
  a: [number, number | [number, number]];
  b: [number, number | [number, number]];
  /** When, from 0 to 1: not before the first and not after the second. */
  toi: [number, number];
  certain: boolean;
  /** Where they need not touch: how near they come at least. */
  within?: number;
}

/** What touches between a frame and the next. */
export interface Impacts {
  /** How many, listed or not. */
  found: number;
  /** Moments of the step, from 0 to 1. */
  times: number[];
  features: Impact[];
  /** For each that is listed and each moment, four places. */
  places: Float32Array;
}

export interface Frame {
  time: number;
  /** A place in the list of animations. */
  animation: number;
  /** The frame's number in its animation. */
  frame: number;
  pairs: Uint32Array;
  pairsFound: number;
  /** Nodes that the query visited, each counted once. */
  nodesVisited: number;
  segments: Float32Array;
  contacts: Contact[];
  clashes: Uint32Array;
  /** The overlap of each clash; empty where it is the sum of the radii less the distance. */
  overlaps: Float32Array;
  impacts: Impacts | null;
  work: Work;
}

export interface Beads {
  radii: Float32Array;
  chains: [number, number, boolean][];
  chainNames: string[];
  /** The number of each bead's residue; empty if there are no residues. */
  residues: Uint32Array;
  /** Pairs of beads that follow each other along a backbone. */
  trace: Uint32Array;
  names: string[];
  positions: Float32Array;
}

export interface View {
  pliant: string;
  title: string;
  command: string;
  method: string;
  /** Unit of times: "s", or "" if times are numbers of frames. */
  unit: string;
  /** The names of what is played. */
  animations: string[];
  /** The number of frames of the run, shown or not. */
  framesRun: number;
  objects: SceneObject[];
  looks: Look[];
  materials: Paint[];
  images: { type: string; bytes: Uint8Array<ArrayBuffer> }[];
  /** What the page does not show, in sentences. */
  notes: string[];
  beads: Beads | null;
  frames: Frame[];
}

/** The bytes of a base64 text. */
export function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.trim());
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

// Typed arrays have the machine's byte order. It is little-endian wherever browsers run.
const floats = (text?: string) => new Float32Array(bytesOf(text ?? "").buffer);
const integers = (text?: string) => new Uint32Array(bytesOf(text ?? "").buffer);

/** Reads a view. Throws an error that says what is wrong with it. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export function readView(json: any): View {
  if (json?.format !== "pliant-view") throw new Error("this is not a pliant view");
  if (json.version !== 1) {
    throw new Error(`this page shows views of version 1, not ${json.version}`);
  }
  const frames: Frame[] = (json.frames ?? []).map((frame: any) => ({
    time: frame.time,
    animation: frame.animation ?? 0,
    frame: frame.frame ?? 0,
    pairs: integers(frame.pairs),
    pairsFound: frame.pairs_found ?? 0,
    nodesVisited: frame.nodes_visited ?? 0,
    segments: floats(frame.segments),
    contacts: (frame.contacts ?? []).map((contact: any) => ({
      objects: contact.objects,
      pairs: contact.pairs,
      kind: contact.kind ?? "crossing",
      depth: contact.depth ?? null,
      at: contact.at ?? contact.middle,
      bones: contact.bones ?? [],
    })),
    clashes: integers(frame.clashes),
    overlaps: floats(frame.overlaps),
    impacts: frame.impacts ? { ...frame.impacts, places: floats(frame.impacts.places) } : null,
    work: frame.work,
  }));
  const objects: SceneObject[] = (json.objects ?? []).map((object: any) => ({
    name: object.name,
    vertices: object.vertices,
    triangles: object.triangles,
    deformation: object.deformation,
    method: object.method ?? "",
    mesh: object.mesh,
    treeNodes: object.tree_nodes ?? 0,
    look: object.look ?? null,
    frames: floats(object.states?.frames),
    weights: floats(object.states?.weights),
    joints: floats(object.states?.joints),
    levels: (object.levels ?? []).map((level: any) => ({
      kind: level.kind,
      nodes: integers(level.nodes),
      rest: floats(level.rest),
      volumes: floats(level.volumes),
      visited: integers(level.visited),
    })),
  }));
  const beads = json.beads && {
    radii: floats(json.beads.radii),
    chains: json.beads.chains ?? [],
    chainNames: json.beads.chain_names ?? [],
    residues: integers(json.beads.residues),
    trace: integers(json.beads.trace),
    names: json.beads.names ?? [],
    positions: floats(json.beads.positions),
  };
  return {
    pliant: json.pliant ?? "",
    title: json.title ?? "",
    command: json.command ?? "",
    method: json.method ?? "",
    unit: json.unit ?? "",
    animations: json.animations ?? [],
    framesRun: json.frames_run ?? frames.length,
    objects,
    looks: (json.looks ?? []).map(({ runs, coordinates }: any) => ({ runs, coordinates: floats(coordinates) })),
    materials: (json.materials ?? []).map((paint: any) => ({ ...paint, image: paint.image ?? null, cutoff: paint.cutoff ?? null })),
    images: (json.images ?? []).map(({ type, bytes }: any) => ({ type, bytes: bytesOf(bytes) })),
    notes: json.notes ?? [],
    beads: beads ?? null,
    frames,
  };
}

/** Whether a frame's query visited a node of a level. */
export function wasVisited(level: Levels, frame: number, node: number): boolean {
  const words = Math.ceil(level.nodes.length / 32);
  return ((level.visited[frame * words + (node >> 5)] >>> (node & 31)) & 1) === 1;
}

/** How many numbers describe one volume of a level. */
export const volumeSize = (level: Levels) => (level.kind === "sphere" ? 4 : 6);
