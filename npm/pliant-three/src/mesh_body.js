// A mesh of three.js as a body of pliant, which follows it.
import { Body } from "pliant";
import { isIdentity, multiply, replace } from "./affine.js";
import { isVersion, shapeOf, versionOf } from "./shape.js";

// Memory for a moment: it is written before it is read.
const [moved, bound, back] = [new Float64Array(16), new Float64Array(16), new Float64Array(16)];
let scratch = new Float64Array(16 * 64);

/**
 * The body of a Mesh or SkinnedMesh, in world space. `update()` takes over what moves the mesh: its matrix,
 * bones and morph influences. No vertex is touched, so the cost is that of the bones.
 *
 * Of an InstancedMesh it is the body of one instance, placed by `place`.
 */
export class MeshBody {
  /** The mesh's matrices must be up to date, as for three.js' own raycast. */
  constructor(mesh) {
    if (mesh.isBatchedMesh) throw new Error("a BatchedMesh is not supported: use an InstancedMesh, or meshes");
    this.mesh = mesh;
    this.#build();
    if (!mesh.isInstancedMesh) this.update();
  }

  #build() {
    const { positions, triangles, morph, joints, weights } = shapeOf(this.mesh);
    const { isInstancedMesh, skeleton } = this.mesh;
    this.version = versionOf(this.mesh);
    if (joints) this.body = Body.skinned(positions, triangles, joints, weights, skeleton.bones.length, "linear", morph);
    else if (morph && !isInstancedMesh) this.body = Body.reduced(positions, triangles, morph);
    else this.body = Body.affine(positions, triangles);
    // What the body was told last: NaN is like nothing.
    this.joints = joints ? new Float64Array(16 * skeleton.bones.length).fill(NaN) : undefined;
    this.map = new Float64Array(16).fill(NaN);
    const targets = morph && !isInstancedMesh ? morph.length / positions.length : 0;
    this.influences = new Float64Array(targets).fill(NaN);
  }

  /** Whether the geometry is still the one that the body was made of. */
  get isCurrent() {
    return isVersion(this.version, this.mesh);
  }

  /** Takes over the mesh's current state; does nothing if it has not changed. */
  update() {
    if (this.joints) this.#pose();
    else this.place(this.mesh.matrixWorld.elements);
  }

  /** Places a body without bones. */
  place(matrix) {
    const morphed = this.#morph();
    // As three.js' inverses have their last row up to rounding, it is not read.
    for (let at = 0; at < 16; at++) moved[at] = at === 15 ? 1 : at % 4 === 3 ? 0 : matrix[at];
    const placed = replace(this.map, moved);
    if (morphed) this.body.setCoordinates(this.influences);
    if (placed) this.body.setTransform(this.map);
  }

  // Vertices go to the bind pose, are blended there, come back to the mesh's space, and then to the world.
  #pose() {
    const { skeleton, bindMatrix, bindMatrixInverse, matrixWorld, bindMode } = this.mesh;
    const { bones, boneInverses } = skeleton;
    const bind = bindMatrix.elements;
    // Most files bind without a matrix. What comes back from an attached skin goes to where it came from.
    const isBound = !isIdentity(bind);
    const isAttached = bindMode === "attached";
    if (!isAttached) multiply(matrixWorld.elements, bindMatrixInverse.elements, back);
    if (scratch.length < this.joints.length) scratch = new Float64Array(this.joints.length);
    for (let number = 0; number < bones.length; number++) {
      const world = bones[number].matrixWorld.elements;
      const inverse = boneInverses[number].elements;
      const at = 16 * number;
      if (isAttached && !isBound) {
        multiply(world, inverse, scratch, at);
        continue;
      }
      multiply(world, inverse, moved);
      if (isAttached) multiply(moved, bind, scratch, at);
      else {
        multiply(moved, bind, bound);
        multiply(back, bound, scratch, at);
      }
    }
    const morphed = this.#morph();
    const posed = replace(this.joints, scratch);
    if (posed || morphed) this.body.setPose(this.joints, this.influences.length > 0 ? this.influences : undefined);
  }

  /** Takes over the influences of morph targets; whether any is new. */
  #morph() {
    const { influences } = this;
    const given = this.mesh.morphTargetInfluences;
    let changed = false;
    for (let at = 0; at < influences.length; at++) {
      const influence = given?.[at] ?? 0;
      if (influences[at] !== influence) changed = true;
      influences[at] = influence;
    }
    return changed;
  }

  /** Gives the body's memory back. */
  dispose() {
    this.body.dispose();
  }
}
