// Small scenes for the tests, as glTF.

/** One plate or box of squares, cut into triangles: the corners of its faces. */
function grid(origin, u, v, steps) {
  const [positions, triangles] = [[], []];
  for (let i = 0; i <= steps; i++) {
    for (let j = 0; j <= steps; j++) {
      positions.push([0, 1, 2].map((axis) => origin[axis] + (u[axis] * i + v[axis] * j) / steps));
    }
  }
  for (let i = 0; i < steps; i++) {
    for (let j = 0; j < steps; j++) {
      const at = i * (steps + 1) + j;
      triangles.push([at, at + steps + 1, at + 1], [at + 1, at + steps + 1, at + steps + 2]);
    }
  }
  return { positions, triangles };
}

/** A cube with side 1 around the origin. */
export function cube() {
  const faces = [
    grid([-0.5, -0.5, -0.5], [0, 1, 0], [1, 0, 0], 1),
    grid([-0.5, -0.5, 0.5], [1, 0, 0], [0, 1, 0], 1),
    grid([-0.5, -0.5, -0.5], [1, 0, 0], [0, 0, 1], 1),
    grid([-0.5, 0.5, -0.5], [0, 0, 1], [1, 0, 0], 1),
    grid([-0.5, -0.5, -0.5], [0, 0, 1], [0, 1, 0], 1),
    grid([0.5, -0.5, -0.5], [0, 1, 0], [0, 0, 1], 1),
  ];
  const all = { positions: [], triangles: [] };
  for (const { positions, triangles } of faces) {
    const first = all.positions.length;
    all.positions.push(...positions);
    all.triangles.push(...triangles.map((corners) => corners.map((corner) => corner + first)));
  }
  return all;
}

/** A plate of 2 × steps² triangles in the plane z = 0. */
export const plate = (steps) => grid([0, 0, 0], [1, 0, 0], [0, 1, 0], steps);

/**
 * A glTF of objects {name, mesh, at} and animations {name, object, times, places}.
 */
export function gltf(objects, animations) {
  const [chunks, bufferViews, accessors] = [[], [], []];
  let size = 0;
  const add = (array, type, count, extra = {}) => {
    const bytes = Buffer.from(array.buffer);
    bufferViews.push({ buffer: 0, byteOffset: size, byteLength: bytes.length });
    const componentType = array instanceof Uint32Array ? 5125 : 5126;
    accessors.push({ bufferView: bufferViews.length - 1, componentType, count, type, ...extra });
    chunks.push(bytes);
    size += bytes.length;
    return accessors.length - 1;
  };
  const meshes = objects.map(({ mesh }) => {
    const axes = [0, 1, 2].map((axis) => mesh.positions.map((place) => Math.fround(place[axis])));
    const limits = { min: axes.map((all) => Math.min(...all)), max: axes.map((all) => Math.max(...all)) };
    const POSITION = add(Float32Array.from(mesh.positions.flat()), "VEC3", mesh.positions.length, limits);
    const corners = mesh.triangles.flat();
    return { primitives: [{ attributes: { POSITION }, indices: add(Uint32Array.from(corners), "SCALAR", corners.length) }] };
  });
  const played = animations.map(({ name, object, times, places }) => {
    const limits = { min: [Math.fround(Math.min(...times))], max: [Math.fround(Math.max(...times))] };
    const input = add(Float32Array.from(times), "SCALAR", times.length, limits);
    const output = add(Float32Array.from(places.flat()), "VEC3", places.length);
    return { name, samplers: [{ input, output }], channels: [{ sampler: 0, target: { node: object, path: "translation" } }] };
  });
  const uri = `data:application/octet-stream;base64,${Buffer.concat(chunks).toString("base64")}`;
  return JSON.stringify({
    asset: { version: "2.0" },
    scene: 0,
    scenes: [{ nodes: objects.map((_, number) => number) }],
    nodes: objects.map(({ name, at }, mesh) => ({ name, mesh, translation: at })),
    meshes,
    animations: played,
    accessors,
    bufferViews,
    buffers: [{ byteLength: size, uri }],
  });
}
