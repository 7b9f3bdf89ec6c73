// What page and worker tell each other.

import type { Contact, Work } from "../format";
import type { MeshData } from "../glb";

/** A file and what is asked of it. */
export interface Question {
  /** The module: gzip, as base64. */
  module: string;
  bytes: ArrayBuffer;
  name: string;
  selfContacts: boolean;
  /** The number of the animation. */
  animation: number;
}

/** What moves an object in a frame. */
export interface State {
  frame: Float32Array;
  weights: Float32Array;
  joints: Float32Array;
}

export interface DropObject extends MeshData {
  name: string;
  deformation: string;
}

/** What the file holds, before any frame. */
export interface Opened {
  kind: "opened";
  version: string;
  objects: DropObject[];
  animations: string[];
  warnings: string[];
  /** The number of frames to come. */
  frames: number;
}

/** One frame. */
export interface Found {
  kind: "found";
  time: number;
  states: State[];
  pairs: Uint32Array;
  pairsFound: number;
  segments: Float32Array;
  contacts: Contact[];
  work: Work;
}

export interface Problem {
  kind: "problem";
  text: string;
}

export type Answer = Opened | Found | Problem | { kind: "done" };
