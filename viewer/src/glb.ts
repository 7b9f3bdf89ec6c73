// Reads the GLB files that pliant writes: one primitive per mesh, positions, indices, morph targets, joints.

export interface MeshData {
  positions: Float32Array;
  triangles: Uint32Array;
  /** Position deltas, one array per morph target. */
  targets: Float32Array[];
  /** Influences per vertex; 0 without a skin. */
  influences: number;
  joints: Uint32Array;
  weights: Float32Array;
}

interface Accessor {
  bufferView?: number;
  byteOffset?: number;
  componentType: number;
  normalized?: boolean;
  count: number;
  type: string;
  sparse?: {
    count: number;
    indices: { bufferView: number; byteOffset?: number; componentType: number };
    values: { bufferView: number; byteOffset?: number };
  };
}

interface Gltf {
  accessors: Accessor[];
  bufferViews: { byteOffset?: number; byteLength: number; byteStride?: number }[];
  meshes: {
    primitives: {
      attributes: Record<string, number>;
      indices?: number;
      targets?: Record<string, number>[];
    }[];
  }[];
}

const WIDTHS: Record<string, number> = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4, MAT4: 16 };
const SIZES: Record<number, number> = { 5120: 1, 5121: 1, 5122: 2, 5123: 2, 5125: 4, 5126: 4 };

/** The meshes of a GLB. */
export function readGlb(bytes: Uint8Array): MeshData[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.byteLength < 20 || view.getUint32(0, true) !== 0x46546c67) {
    throw new Error("the scene is not a GLB file");
  }
  const length = view.getUint32(12, true);
  const text = new TextDecoder().decode(bytes.subarray(20, 20 + length));
  const gltf = JSON.parse(text) as Gltf;
  const start = 20 + length + 8;
  const file = new Reader(gltf, view, start);
  return gltf.meshes.map((mesh) => {
    const primitive = mesh.primitives[0];
    const positions = file.floats(primitive.attributes.POSITION);
    const triangles =
      primitive.indices === undefined
        ? Uint32Array.from({ length: positions.length / 3 }, (_, i) => i)
        : Uint32Array.from(file.floats64(primitive.indices));
    const targets = (primitive.targets ?? []).map((target) => file.floats(target.POSITION));
    return { positions, triangles, targets, ...file.skin(primitive.attributes, positions.length / 3) };
  });
}

class Reader {
  constructor(
    private gltf: Gltf,
    private view: DataView,
    private start: number,
  ) {}

  floats(accessor: number): Float32Array {
    return Float32Array.from(this.floats64(accessor));
  }

  /** All numbers of an accessor. Normalised integers become fractions. */
  floats64(number: number): Float64Array {
    const accessor = this.gltf.accessors[number];
    const width = WIDTHS[accessor.type];
    const out = new Float64Array(accessor.count * width);
    if (accessor.bufferView !== undefined) {
      this.fill(out, accessor.bufferView, accessor.byteOffset ?? 0, accessor, width, (i) => i);
    }
    const sparse = accessor.sparse;
    if (sparse) {
      const places = new Float64Array(sparse.count);
      const { bufferView, byteOffset, componentType } = sparse.indices;
      const scalar = { componentType, count: sparse.count, type: "SCALAR" };
      this.fill(places, bufferView, byteOffset ?? 0, scalar, 1, (i) => i);
      const values = { ...accessor, count: sparse.count };
      const { bufferView: from, byteOffset: offset } = sparse.values;
      this.fill(out, from, offset ?? 0, values, width, (i) => places[i]);
    }
    return out;
  }

  private fill(
    out: Float64Array,
    bufferView: number,
    offset: number,
    accessor: Accessor,
    width: number,
    place: (i: number) => number,
  ) {
    const piece = this.gltf.bufferViews[bufferView];
    const size = SIZES[accessor.componentType];
    const stride = piece.byteStride ?? size * width;
    const base = this.start + (piece.byteOffset ?? 0) + offset;
    for (let i = 0; i < accessor.count; i++) {
      const to = place(i) * width;
      for (let k = 0; k < width; k++) {
        out[to + k] = this.number(base + i * stride + k * size, accessor);
      }
    }
  }

  private number(at: number, { componentType, normalized }: Accessor): number {
    switch (componentType) {
      case 5120:
        return normalized ? Math.max(this.view.getInt8(at) / 127, -1) : this.view.getInt8(at);
      case 5121:
        return this.view.getUint8(at) / (normalized ? 255 : 1);
      case 5122:
        return normalized
          ? Math.max(this.view.getInt16(at, true) / 32767, -1)
          : this.view.getInt16(at, true);
      case 5123:
        return this.view.getUint16(at, true) / (normalized ? 65535 : 1);
      case 5125:
        return this.view.getUint32(at, true);
      default:
        return this.view.getFloat32(at, true);
    }
  }

  /** The influences of each vertex: those of all sets in a row, four per set. */
  skin(attributes: Record<string, number>, vertices: number) {
    let sets = 0;
    while (attributes[`JOINTS_${sets}`] !== undefined) sets++;
    const influences = 4 * sets;
    const joints = new Uint32Array(influences * vertices);
    const weights = new Float32Array(influences * vertices);
    for (let set = 0; set < sets; set++) {
      const joint = this.floats64(attributes[`JOINTS_${set}`]);
      const weight = this.floats64(attributes[`WEIGHTS_${set}`]);
      for (let vertex = 0; vertex < vertices; vertex++) {
        for (let k = 0; k < 4; k++) {
          joints[vertex * influences + 4 * set + k] = joint[4 * vertex + k];
          weights[vertex * influences + 4 * set + k] = weight[4 * vertex + k];
        }
      }
    }
    return { influences, joints, weights };
  }
}
