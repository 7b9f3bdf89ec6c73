// The data of a simulation's page (docs/view-format.md), and functions that unpack its numbers.

import { bytesOf } from "../format";

export interface Energy {
  kinetic: number;
  gravity: number;
  deformation: number;
}

export interface SimulationFrame {
  frame: number;
  step: number;
  time: number;
  contacts: number;
  contactsSince: number;
  bodyPairs: number;
  tests: number;
  updatedCount: number;
  energy: Energy;
  /** Three columns and a translation for each body. */
  bodies: Float32Array;
  /** Centre and radius of spheres that touch, and of those that the search computes. */
  touching: Float32Array;
  updated: Float32Array;
  /** For each surface that moves, in the order of obstacles, where its vertices are. */
  surfaces: Float32Array[];
}

export interface CoarseMesh {
  name: string;
  trianglesOfTheBody: number;
  positions: Float32Array;
  triangles: Uint32Array;
}

export type Obstacle =
  | { kind: "plane"; normal: number[]; offset: number }
  | { kind: "ball"; center: number[]; radius: number }
  | { kind: "box"; center: number[]; half: number[]; rotation: number[] }
  | { kind: "surface"; mesh: CoarseMesh; moves: boolean };

export interface Simulation {
  scene: string;
  command: string;
  kind: string;
  bodies: number;
  steps: number;
  step: number;
  seconds: number;
  contactsTotal: number;
  mostContacts: number;
  leftOut: string[];
  looks: CoarseMesh[];
  lookOf: Uint32Array;
  obstacles: Obstacle[];
  frames: SimulationFrame[];
}

const floats = (text?: string) => new Float32Array(bytesOf(text ?? "").buffer);
const integers = (text?: string) => new Uint32Array(bytesOf(text ?? "").buffer);

/** Whether data is that of a simulation. */
export const isSimulation = (json: { format?: string } | null) => json?.format === "pliant-simulation";

/** Reads a simulation. Throws an error that says what is wrong with it. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export function readSimulation(json: any): Simulation {
  if (json.version !== 1) throw new Error(`this page shows simulations of version 1, not ${json.version}`);
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  const mesh = (one: any): CoarseMesh => ({
    name: one.name,
    trianglesOfTheBody: one.triangles_of_the_body,
    positions: floats(one.positions),
    triangles: integers(one.triangles),
  });
  return {
    scene: json.scene,
    command: json.command ?? "",
    kind: json.kind,
    bodies: json.bodies,
    steps: json.steps,
    step: json.step,
    seconds: json.seconds,
    contactsTotal: json.contacts_total,
    mostContacts: json.most_contacts,
    leftOut: json.left_out ?? [],
    looks: (json.looks ?? []).map(mesh),
    lookOf: integers(json.look_of),
    // eslint-disable-next-line @typescript-eslint/no-explicit-any
    obstacles: (json.obstacles ?? []).map((one: any) => (one.kind === "surface" ? { ...one, mesh: mesh(one.mesh) } : one)),
    // eslint-disable-next-line @typescript-eslint/no-explicit-any
    frames: (json.frames ?? []).map((frame: any) => ({
      frame: frame.frame,
      step: frame.step,
      time: frame.time,
      contacts: frame.contacts,
      contactsSince: frame.contacts_since,
      bodyPairs: frame.body_pairs,
      tests: frame.tests,
      updatedCount: frame.updated,
      energy: frame.energy,
      bodies: floats(frame.bodies),
      touching: floats(frame.touching_spheres),
      updated: floats(frame.updated_spheres),
      surfaces: (frame.surfaces ?? []).map(floats),
    })),
  };
}
