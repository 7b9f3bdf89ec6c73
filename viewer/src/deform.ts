// Computes vertex positions in a frame, with the program's formulas and the same state.

import type { SceneObject } from "./format";
import type { MeshData } from "./glb";

/** Writes the positions of all vertices of an object to `out`. */
export function deform(object: SceneObject, mesh: MeshData, frame: number, out: Float32Array) {
  out.set(mesh.positions);
  const targets = mesh.targets.length;
  if (object.weights.length >= targets * (frame + 1)) {
    mesh.targets.forEach((deltas, target) => {
      const weight = object.weights[frame * targets + target];
      if (weight !== 0) for (let i = 0; i < out.length; i++) out[i] += weight * deltas[i];
    });
  }
  if (object.joints.length > 0 && mesh.influences > 0) {
    const matrices = object.joints.length / Math.max(frameCount(object), 1);
    skin(mesh, object.joints.subarray(frame * matrices, (frame + 1) * matrices), out);
    return;
  }
  const m = object.frames.subarray(12 * frame, 12 * frame + 12);
  if (m.length < 12) return;
  for (let i = 0; i < out.length; i += 3) {
    const [x, y, z] = [out[i], out[i + 1], out[i + 2]];
    out[i] = m[0] * x + m[1] * y + m[2] * z + m[3];
    out[i + 1] = m[4] * x + m[5] * y + m[6] * z + m[7];
    out[i + 2] = m[8] * x + m[9] * y + m[10] * z + m[11];
  }
}

const frameCount = (object: SceneObject) => object.frames.length / 12;

/** Moves every vertex by the weighted sum of its joints' matrices. */
function skin(mesh: MeshData, joints: Float32Array, out: Float32Array) {
  const { influences } = mesh;
  const m = new Float32Array(12);
  for (let vertex = 0; 3 * vertex < out.length; vertex++) {
    m.fill(0);
    for (let k = vertex * influences; k < (vertex + 1) * influences; k++) {
      const weight = mesh.weights[k];
      if (weight === 0) continue;
      const from = 12 * mesh.joints[k];
      for (let i = 0; i < 12; i++) m[i] += weight * joints[from + i];
    }
    const i = 3 * vertex;
    const [x, y, z] = [out[i], out[i + 1], out[i + 2]];
    out[i] = m[0] * x + m[1] * y + m[2] * z + m[3];
    out[i + 1] = m[4] * x + m[5] * y + m[6] * z + m[7];
    out[i + 2] = m[8] * x + m[9] * y + m[10] * z + m[11];
  }
}
