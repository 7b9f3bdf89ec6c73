import type { Bone, BufferGeometry, InstancedMesh, Intersection, Mesh, Raycaster, SkinnedMesh } from "three";
import type { Body, Within } from "pliant";

type AnyMesh = Mesh<BufferGeometry>;

/** What an accelerated raycast adds to an intersection with a SkinnedMesh. */
export interface SkinIntersection extends Intersection<SkinnedMesh> {
  /** The bone that moves the place most. */
  bone: Bone;
  boneIndex: number;
}

/** The body of a mesh, in world space, which follows it. */
export class MeshBody {
  constructor(mesh: AnyMesh);
  readonly mesh: AnyMesh;
  readonly body: Body;
  /** Whether the geometry is still the one that the body was made of. */
  readonly isCurrent: boolean;
  /** Takes over the mesh's matrix, bones and morph influences; does nothing if they have not changed. */
  update(): void;
  /** Places a body without bones: 16 numbers by columns. */
  place(matrix: ArrayLike<number>): void;
  dispose(): void;
}

/** Lets pliant answer the raycasts of a mesh from now on, in every pose. */
export function accelerate<M extends AnyMesh>(mesh: M): M;
/** Lets three.js answer again, and gives memory back. */
export function restore<M extends AnyMesh>(mesh: M): M;
/** What `mesh.raycast` is after `accelerate`. */
export function acceleratedRaycast(this: AnyMesh, raycaster: Raycaster, intersects: Intersection[]): void;

declare module "three" {
  interface Raycaster {
    /** Accelerated meshes report the first hit alone. */
    firstHitOnly?: boolean;
  }
}

export interface Touching {
  meshes: [AnyMesh, AnyMesh];
  /** The instances of an InstancedMesh. */
  instances: [number | undefined, number | undefined];
  /** Two numbers of triangles per pair. */
  pairs: Uint32Array;
}

/** Contacts between meshes, frame after frame. */
export class Contacts {
  constructor();
  /** With `self`, triangles of the mesh that touch one another count as well. */
  add(mesh: AnyMesh | InstancedMesh, options?: { self?: boolean }): this;
  remove(mesh: AnyMesh): this;
  /** Takes over where all meshes are. */
  update(): this;
  touching(): Touching[];
  within(distance: number): (Touching & Within)[];
  dispose(): void;
}
