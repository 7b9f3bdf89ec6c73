// Spheres of a frame: those that touch, or those that the search for contacts computes (figure 7 of James and Pai).

import { InstancedMesh, Matrix4, MeshBasicMaterial, SphereGeometry } from "three";

const MOST = 4000;

export class Spheres {
  readonly mesh: InstancedMesh;

  constructor(color: number) {
    const material = new MeshBasicMaterial({ color, transparent: true, opacity: 0.55 });
    this.mesh = new InstancedMesh(new SphereGeometry(1, 12, 8), material, MOST);
    this.mesh.count = 0;
    this.mesh.frustumCulled = false;
  }

  /** Draws spheres of four numbers each; returns how many. */
  show(numbers: Float32Array): number {
    const count = Math.min(numbers.length / 4, MOST);
    const matrix = new Matrix4();
    for (let i = 0; i < count; i++) {
      const [x, y, z, radius] = numbers.subarray(4 * i, 4 * i + 4);
      matrix.makeScale(radius, radius, radius).setPosition(x, y, z);
      this.mesh.setMatrixAt(i, matrix);
    }
    this.mesh.count = count;
    this.mesh.instanceMatrix.needsUpdate = true;
    return count;
  }
}
