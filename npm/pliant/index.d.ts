/** Flat numbers: any array whose numbers are taken as they are. */
export type Numbers = Float64Array | Float32Array | number[];
export type Indices = Uint32Array | Uint16Array | number[];
export type Blending = "linear" | "spherical" | "dual-quaternion";

/** Starts the module, or makes it anew after it has stopped. */
export function init(source?: Uint8Array | ArrayBuffer | WebAssembly.Module | URL | string | Response | Promise<Response>): Promise<void>;
/** Whether the engine has wide instructions (SIMD): `init()` loads the module that suits it. Answers are the same. */
export const hasWideInstructions: boolean;
export function version(): string;
/** The memory that the module has taken so far. */
export function memoryBytes(): number;

/** Pairs of triangles, two numbers each; distances, and three numbers per point. */
export interface Within {
  pairs: Uint32Array;
  distances: Float64Array;
  onA: Float64Array;
  onB: Float64Array;
  normals: Float64Array;
}

/** One connected piece of contact. */
export interface Region {
  kind: "touching" | "crossing" | "contained";
  /** How deep; null if it cannot be told. */
  depth: number | null;
  point: Float64Array | null;
  /** The deepest vertex: its body (0 or 1) and its number; null where it is a point of an edge. */
  vertex: Uint32Array | null;
  /** The way out for the first body. */
  direction: Float64Array | null;
  area: number;
  pairs: Uint32Array;
  verticesA: Uint32Array;
  verticesB: Uint32Array;
  curve: Float64Array[];
}

/** A triangle of -1 stands for a ray that hits nothing. */
export interface RayHits {
  triangles: Int32Array;
  t: Float64Array;
  barycentric: Float64Array;
}

export interface ClosestPoints {
  triangles: Uint32Array;
  points: Float64Array;
  barycentric: Float64Array;
  distances: Float64Array;
}

interface Disposable {
  /** Gives its memory back at once; without it, some time after the last reference is gone. */
  dispose(): void;
}

/** A mesh that bends: its triangles, how they deform, and the state that they are in. */
export class Body implements Disposable {
  private constructor();
  static free(positions: Numbers, triangles: Indices): Body;
  static rigid(positions: Numbers, triangles: Indices): Body;
  static affine(positions: Numbers, triangles: Indices): Body;
  static reduced(positions: Numbers, triangles: Indices, modes: Numbers): Body;
  static skinned(positions: Numbers, triangles: Indices, joints: Indices, weights: Numbers, jointCount: number, blending: Blending, morph?: Numbers): Body;
  static keyframed(positions: Numbers, triangles: Indices, times: Numbers, frames: Numbers): Body;
  setPositions(positions: Numbers): void;
  /** 16 numbers by columns. */
  setTransform(matrix: Numbers): void;
  setCoordinates(coordinates: Numbers): void;
  /** 16 numbers by columns for each joint: its world matrix times its inverse bind matrix. */
  setPose(joints: Numbers, morphWeights?: Numbers): void;
  advance(time: number): void;
  intersections(other: Body): Uint32Array;
  intersects(other: Body): boolean;
  selfIntersections(): Uint32Array;
  within(other: Body, distance: number): Within;
  penetration(other: Body): Region[];
  selfPenetration(): Region[];
  rayCast(origins: Numbers, directions: Numbers): RayHits;
  /** Every triangle that one ray hits, from either side, in the order in which it meets them. */
  rayHits(origin: Numbers, direction: Numbers): RayHits;
  /**
   * What one ray hits, first or, in order, `every` triangle: six numbers per hit, its triangle, t, three barycentric weights,
   * and one that is negative where the ray meets the triangle's front. For who asks often: it is the quickest way through the module's door.
   */
  hitNumbers(x: number, y: number, z: number, dx: number, dy: number, dz: number, every: boolean): Float64Array;
  closestPoints(points: Numbers): ClosestPoints;
  inside(points: Numbers): ("in" | "out" | "on" | "open")[];
  copy(): Body;
  readonly kind: string;
  readonly positions: Float64Array;
  readonly triangles: Uint32Array;
  readonly boundingBox: Float64Array;
  dispose(): void;
}

export interface WorldContact { names: [string, string]; pairs: Uint32Array }
export interface WorldHit { name: string; triangle: number; t: number; barycentric: Float64Array }

/** Many bodies, in which anything may meet anything. Make one with `world()`. */
export class World implements Disposable {
  private constructor();
  add(body: Body, name: string, selfContacts?: boolean): void;
  remove(body: Body): void;
  contacts(): WorldContact[];
  within(distance: number): { names: [string, string]; near: Within }[];
  rayCast(origins: Numbers, directions: Numbers): (WorldHit | null)[];
  readonly names: string[];
  dispose(): void;
}
export function world(): World;

/** What a model file holds: objects, skins and animations. */
export class Scene implements Disposable {
  private constructor();
  static fromBytes(bytes: Uint8Array, name: string): Scene;
  readonly objects: string[];
  readonly animations: { name: string; start: number; end: number }[];
  readonly warnings: string[];
  frameTimes(animation: number | undefined, fps: number): Float64Array;
  play(animation: number | undefined, selfContacts: boolean, blending: Blending): Player;
  dispose(): void;
}

export interface Contact { objects: Uint32Array; pairs: Uint32Array; regions: Region[] | null }
/** An object at rest. Targets are displacements; of keyframes there is one per frame. */
export interface Drawn {
  name: string;
  deformation: string;
  positions: Float32Array;
  triangles: Uint32Array;
  targets: Float32Array[];
  /** Joints and weights per vertex. */
  influences: number;
  joints: Uint32Array;
  weights: Float32Array;
}
/** What moves an object at a time: 12 numbers by rows, weights of targets, 12 numbers per joint. */
export interface DrawnState { frame: Float32Array; weights: Float32Array; joints: Float32Array }
export interface Work { bounds: number; overlapTests: number; primitiveTests: number }
export interface Hit { object: number; triangle: number; t: number; barycentric: Float64Array }

/** The objects of a scene at a time. */
export class Player implements Disposable {
  private constructor();
  setTime(time: number): void;
  /** With regions, objects that lie in others without touching them count as well: they have no pairs. */
  contacts(regions: boolean): Contact[];
  /** What the last search for contacts did. */
  readonly work: Work;
  readonly objects: string[];
  drawn(object: number): Drawn;
  state(object: number): DrawnState;
  /** The ends of what two triangles share, six numbers for each: object, triangle, object, triangle. */
  segments(pairs: Indices): Float32Array;
  /** The joint that moves a vertex most. */
  bone(object: number, vertex: number): string | undefined;
  rayCast(origins: Numbers, directions: Numbers): (Hit | null)[];
  positions(object: number): Float64Array;
  body(object: number): Body;
  dispose(): void;
}

export interface Frame { time: number; contacts: Contact[] }
export interface CheckOptions {
  animation?: number;
  fps?: number;
  times?: number[];
  selfContacts?: boolean;
  regions?: boolean;
  blending?: Blending;
}
/** The contacts of every frame of an animation, one after the other. */
export function check(scene: Scene, options?: CheckOptions): Generator<Frame>;
