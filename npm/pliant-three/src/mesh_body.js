// A mesh of three.js as a body of pliant, which follows it.
import { Body } from "pliant";
import { multiply, IDENTITY } from "./affine.js";
import { shapeOf, versionOf } from "./shape.js";

const same = (a, b) => a.length === b.length && a.every((value, at) => value === b[at]);

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
    this.version = versionOf(this.mesh);
    this.targets = morph ? morph.length / positions.length : 0;
    if (joints) {
      const bones = this.mesh.skeleton.bones.length;
      this.body = Body.skinned(positions, triangles, joints, weights, bones, "linear", morph);
      this.joints = new Float64Array(16 * bones);
    } else if (morph && !this.mesh.isInstancedMesh) {
      this.body = Body.reduced(positions, triangles, morph);
    } else {
      this.body = Body.affine(positions, triangles);
      this.targets = 0;
    }
    this.state = undefined;
  }

  /** Whether the geometry is still the one that the body was made of. */
  get isCurrent() {
    return this.version === versionOf(this.mesh);
  }

  /** Takes over the mesh's current state; does nothing if it has not changed. */
  update() {
    const { mesh } = this;
    if (this.joints) this.#pose();
    else this.place(mesh.matrixWorld.elements);
  }

  /** Places a body without bones. */
  place(matrix) {
    const map = new Float64Array(16);
    multiply(matrix, IDENTITY, map);
    const influences = this.#influences();
    if (this.state && same(this.state.map, map) && same(this.state.influences, influences)) return;
    if (influences.length > 0) this.body.setCoordinates(influences);
    this.body.setTransform(map);
    this.state = { map, influences };
  }

  // Vertices go to the bind pose, are blended there, come back to the mesh's space, and then to the world.
  #pose() {
    const { skeleton, bindMatrix, bindMatrixInverse, matrixWorld } = this.mesh;
    const [back, moved, bound] = [new Float64Array(16), new Float64Array(16), new Float64Array(16)];
    multiply(matrixWorld.elements, bindMatrixInverse.elements, back);
    const joints = new Float64Array(this.joints.length);
    skeleton.bones.forEach((bone, number) => {
      multiply(bone.matrixWorld.elements, skeleton.boneInverses[number].elements, moved);
      multiply(moved, bindMatrix.elements, bound);
      multiply(back, bound, joints, 16 * number);
    });
    const influences = this.#influences();
    if (this.state && same(this.state.map, joints) && same(this.state.influences, influences)) return;
    this.body.setPose(joints, this.targets > 0 ? influences : undefined);
    this.state = { map: joints, influences };
  }

  #influences() {
    const given = this.mesh.morphTargetInfluences ?? [];
    return Float64Array.from({ length: this.targets }, (_, at) => given[at] ?? 0);
  }

  /** Gives the body's memory back. */
  dispose() {
    this.body.dispose();
  }
}
