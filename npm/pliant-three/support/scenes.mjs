// Files of the shared data as three.js scenes, and rays at them.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { AnimationMixer, Box3, BufferAttribute, Raycaster, Vector3 } from "three";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";

const root = fileURLToPath(new URL("../../../", import.meta.url));
export const data = process.env.PLIANT_SHARED_DATA ?? join(root, "../shared/data");
export const hasData = existsSync(data);

// Node has no pictures: textures of a file stay empty.
globalThis.self ??= globalThis;
globalThis.ProgressEvent ??= class extends Event {};
globalThis.createImageBitmap ??= async () => ({ close() {} });

/** Loads a file of the shared data and plays one of its animations. */
export async function load(path, animation = 0) {
  const bytes = readFileSync(join(data, path));
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
  const gltf = await new GLTFLoader().parseAsync(buffer, "");
  const meshes = [];
  gltf.scene.traverse((node) => node.isMesh && meshes.push(node));
  const mixer = new AnimationMixer(gltf.scene);
  if (gltf.animations[animation]) mixer.clipAction(gltf.animations[animation]).play();
  const seconds = gltf.animations[animation]?.duration ?? 0;
  const setTime = (time) => {
    mixer.setTime(time);
    gltf.scene.updateMatrixWorld(true);
  };
  setTime(0);
  return { scene: gltf.scene, meshes, setTime, seconds };
}

/**
 * Gives both sides the same weights: files hold f32, whose sum is 1 up to 1e-7. pliant divides by the sum;
 * three.js does not, and so moves vertices by as much.
 */
export function normalizeWeights({ geometry }) {
  const { skinWeight } = geometry.attributes;
  const weights = new Float64Array(4 * skinWeight.count);
  for (let vertex = 0; vertex < skinWeight.count; vertex++) {
    const own = [0, 1, 2, 3].map((part) => skinWeight.getComponent(vertex, part));
    const sum = own.reduce((a, b) => a + b);
    weights.set(own.map((weight) => weight / sum), 4 * vertex);
  }
  geometry.setAttribute("skinWeight", new BufferAttribute(weights, 4));
}

/** Numbers from 0 to 1 that are the same in every run (mulberry32). */
export function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let x = Math.imul(state ^ (state >>> 15), 1 | state);
    x = (x + Math.imul(x ^ (x >>> 7), 61 | x)) ^ x;
    return ((x ^ (x >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The box of the vertices that three.js computes. */
export function boxOf(mesh) {
  const [box, point] = [new Box3(), new Vector3()];
  for (let vertex = 0; vertex < mesh.geometry.attributes.position.count; vertex++) {
    box.expandByPoint(mesh.getVertexPosition(vertex, point).applyMatrix4(mesh.matrixWorld));
  }
  return box;
}

/** A ray from around a box to a place in it. */
export function aim(box, next) {
  const size = box.getSize(new Vector3());
  const within = () => new Vector3(next(), next(), next()).multiply(size).add(box.min);
  const away = new Vector3(next() - 0.5, next() - 0.5, next() - 0.5).normalize().multiplyScalar(2 * size.length() + 1);
  const target = within();
  const origin = target.clone().add(away);
  return new Raycaster(origin, target.sub(origin).normalize());
}

/** What three.js itself finds. Its sphere of the first pose must not decide about others. */
export function byThree(mesh, raycaster) {
  const found = [];
  mesh.boundingSphere &&= null;
  const own = Object.getPrototypeOf(mesh);
  own.raycast.call(mesh, raycaster, found);
  return found.sort((a, b) => a.distance - b.distance);
}
