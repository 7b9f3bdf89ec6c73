// The package in Node, beside three.js itself.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import {
  BackSide,
  Bone,
  BoxGeometry,
  BufferGeometry,
  DoubleSide,
  Float32BufferAttribute,
  FrontSide,
  InstancedMesh,
  InterleavedBuffer,
  InterleavedBufferAttribute,
  Matrix4,
  Mesh,
  MeshBasicMaterial,
  Raycaster,
  Skeleton,
  SkinnedMesh,
  SphereGeometry,
  TorusKnotGeometry,
  Vector3,
} from "three";
import { init } from "pliant";
import { accelerate, Contacts, MeshBody, restore } from "../index.js";
import { aim, boxOf, byThree, hasData, load, normalizeWeights, random } from "../support/scenes.mjs";

before(() => init());

const byPliant = (mesh, raycaster) => {
  const found = [];
  mesh.raycast(raycaster, found);
  return found;
};

/** How near to an edge two programs may differ on which side a ray passes. */
const BORDER = 1e-6;

const isBorder = ({ barycoord }) => Math.min(barycoord.x, barycoord.y, barycoord.z) < BORDER;

/**
 * Compares all hits of many rays: each that either finds well within a triangle is found by the other, at the
 * same place. Returns how many were compared.
 */
function compare(mesh, rays, seed, what) {
  const [box, next] = [boxOf(mesh), random(seed)];
  const size = box.getSize(new Vector3()).length();
  let hits = 0;
  for (let number = 0; number < rays; number++) {
    const raycaster = aim(box, next);
    const [ours, theirs] = [byPliant(mesh, raycaster), byThree(mesh, raycaster)];
    const key = (hit) => `${hit.instanceId ?? ""} ${hit.faceIndex} ${hit.face.materialIndex}`;
    const known = new Map(ours.map((hit) => [key(hit), hit]));
    for (const hit of theirs) {
      const own = known.get(key(hit));
      assert.ok(own || isBorder(hit), `${what}, ray ${number}: only three.js hits ${key(hit)}`);
      if (!own) continue;
      known.delete(key(hit));
      hits += 1;
      // Grazing rays move far along a triangle for the last bit of a corner.
      const graze = Math.abs(hit.face.normal.clone().transformDirection(mesh.matrixWorld).dot(raycaster.ray.direction));
      const slack = (size * 1e-9) / Math.max(graze, 1e-3);
      assert.ok(own.point.distanceTo(hit.point) < slack, `${what}, ray ${number}: ${own.point.distanceTo(hit.point)}`);
      assert.ok(Math.abs(own.distance - hit.distance) < slack);
      assert.deepEqual([own.face.a, own.face.b, own.face.c], [hit.face.a, hit.face.b, hit.face.c]);
      assert.ok(own.face.normal.distanceTo(hit.face.normal) < 1e-12);
      for (const part of ["uv", "normal"]) {
        assert.equal(own[part] === undefined, hit[part] === undefined, part);
        if (own[part] && graze > 1e-3) assert.ok(own[part].distanceTo(hit[part]) < 1e-4, `${what}: ${part}`);
      }
    }
    for (const hit of known.values()) assert.ok(isBorder(hit), `${what}, ray ${number}: only pliant hits ${key(hit)}`);
  }
  return hits;
}

const FILES = [
  ["gltf/skinned/CesiumMan.glb", 0],
  ["gltf/skinned/Fox.glb", 2],
  ["gltf/skinned/KayKit_Knight.glb", 5],
  ["gltf/derived/makehuman_male_cmu.glb", 0],
  ["gltf/morph/MorphStressTest.glb", 0],
  ["gltf/morph/AnimatedMorphCube.glb", 0],
  ["gltf/rigid-anim/BoxAnimated.glb", 0],
];

test("files: every hit is three.js' own triangle, at the same place", { timeout: 600000, skip: !hasData && "needs shared data" }, async () => {
  let all = 0;
  for (const [path, animation] of FILES) {
    const { meshes, setTime, seconds } = await load(path, animation);
    for (const [number, mesh] of meshes.entries()) {
      if (mesh.isSkinnedMesh) normalizeWeights(mesh);
      accelerate(mesh);
      // three.js takes milliseconds per ray.
      const rays = Math.max(12, Math.round(150_000 / (mesh.geometry.index?.count ?? 3000)));
      for (const part of [0, 0.3, 0.8]) {
        setTime(part * seconds);
        all += compare(mesh, rays, 7 + number, `${path}, mesh ${number}, ${part}`);
      }
      restore(mesh);
    }
  }
  assert.ok(all > 2000, `${all} hits`);
});

test("sides, groups, draw ranges, near and far are three.js'", () => {
  const geometry = new TorusKnotGeometry(1, 0.35, 90, 12);
  const third = geometry.index.count / 3 - ((geometry.index.count / 3) % 3);
  const half = new MeshBasicMaterial({ side: DoubleSide });
  let hits = 0;
  for (const side of [FrontSide, BackSide, DoubleSide]) {
    const mesh = new Mesh(geometry, new MeshBasicMaterial({ side }));
    mesh.matrixWorld.makeScale(2, 1, -0.5).setPosition(3, 1, 2);
    hits += compare(accelerate(mesh), 200, 3, `side ${side}`);
  }
  geometry.addGroup(0, third, 0);
  geometry.addGroup(third, third, 1);
  geometry.setDrawRange(60, 2 * third - 120);
  const mesh = accelerate(new Mesh(geometry, [new MeshBasicMaterial(), half]));
  hits += compare(mesh, 300, 4, "groups");
  assert.ok(hits > 800, `${hits}`);
  const raycaster = new Raycaster(new Vector3(0, 0, 9), new Vector3(0, 0, -1), 0, 50);
  const box = accelerate(new Mesh(new BoxGeometry(2, 2, 2), half));
  assert.equal(byPliant(box, raycaster).length, byThree(box, raycaster).length);
  raycaster.far = 9;
  assert.deepEqual(byPliant(box, raycaster).map(({ distance }) => distance), byThree(box, raycaster).map(({ distance }) => distance));
  raycaster.near = 8.5;
  assert.equal(byPliant(box, raycaster).length, 0);
});

test("non-indexed, interleaved, instanced and morphed geometry", () => {
  const material = new MeshBasicMaterial({ side: DoubleSide });
  const loose = new SphereGeometry(1, 24, 12).toNonIndexed();
  assert.ok(compare(accelerate(new Mesh(loose, material)), 150, 5, "non-indexed") > 150);
  const packed = new BufferGeometry();
  const numbers = new Float32Array(5 * loose.attributes.position.count);
  for (let at = 0; at < loose.attributes.position.count; at++) numbers.set([9, loose.attributes.position.getX(at), loose.attributes.position.getY(at), loose.attributes.position.getZ(at), 9], 5 * at);
  packed.setAttribute("position", new InterleavedBufferAttribute(new InterleavedBuffer(numbers, 5), 3, 1));
  assert.ok(compare(accelerate(new Mesh(packed, material)), 150, 5, "interleaved") > 150);
  const many = new InstancedMesh(new TorusKnotGeometry(0.4, 0.1, 40, 8), material, 20);
  const next = random(11);
  for (let at = 0; at < many.count; at++) many.setMatrixAt(at, new Matrix4().makeRotationX(next()).setPosition(3 * next(), 3 * next(), 3 * next()));
  many.matrixWorld.makeTranslation(1, 2, 3);
  accelerate(many);
  const [box, aimed] = [boxOf(new Mesh(new BoxGeometry(6, 6, 6).translate(2.5, 3.5, 4.5), material)), random(2)];
  let found = 0;
  for (let ray = 0; ray < 200; ray++) {
    const raycaster = aim(box, aimed);
    const list = (hits) => hits.map(({ instanceId, faceIndex }) => `${instanceId} ${faceIndex}`).sort();
    const [ours, theirs] = [byPliant(many, raycaster), byThree(many, raycaster)];
    assert.deepEqual(list(ours), list(theirs));
    found += ours.length;
  }
  assert.ok(found > 50, `${found}`);
  for (const relative of [true, false]) {
    const soft = new SphereGeometry(1, 24, 12);
    soft.morphTargetsRelative = relative;
    const moved = soft.attributes.position.array.map((x, at) => (relative ? 0 : x) + (at % 3 === 0 ? 0.5 * Math.sin(7 * x) : 0));
    soft.morphAttributes.position = [new Float32BufferAttribute(moved, 3)];
    const mesh = accelerate(new Mesh(soft, material));
    for (const influence of [0, 0.7, -1]) {
      mesh.morphTargetInfluences[0] = influence;
      assert.ok(compare(mesh, 100, 6, `morph ${relative} ${influence}`) > 100);
    }
  }
});

test("the first hit alone, by the side that the material shows", () => {
  const mesh = accelerate(new Mesh(new BoxGeometry(2, 2, 2), new MeshBasicMaterial({ side: BackSide })));
  const raycaster = new Raycaster(new Vector3(0.3, 0.2, 9), new Vector3(0, 0, -1));
  raycaster.firstHitOnly = true;
  const [hit, ...others] = raycaster.intersectObject(mesh);
  assert.equal(others.length, 0);
  assert.equal(hit.distance, 10);
  mesh.material.side = DoubleSide;
  assert.equal(raycaster.intersectObject(mesh)[0].distance, 8);
  raycaster.firstHitOnly = false;
  assert.deepEqual(raycaster.intersectObject(mesh).map(({ distance }) => distance), [8, 10]);
});

/** A bar of two bones along x. */
function bar() {
  const geometry = new BoxGeometry(4, 1, 1, 8, 1, 1);
  const { count } = geometry.attributes.position;
  const right = (vertex) => Math.min(Math.max(geometry.attributes.position.getX(vertex) / 4 + 0.5, 0), 1);
  geometry.setAttribute("skinIndex", new Float32BufferAttribute(Array.from({ length: 4 * count }, (_, at) => [0, 1, 0, 0][at % 4]), 4));
  const weights = Array.from({ length: count }, (_, vertex) => [1 - right(vertex), right(vertex), 0, 0]).flat();
  geometry.setAttribute("skinWeight", new Float32BufferAttribute(weights, 4));
  const mesh = new SkinnedMesh(geometry, new MeshBasicMaterial());
  const bones = [new Bone(), new Bone()];
  bones[1].position.x = 1;
  bones[0].add(bones[1]);
  mesh.add(bones[0]);
  mesh.updateMatrixWorld(true);
  mesh.bind(new Skeleton(bones));
  return mesh;
}

test("a hit names its bone, and a mesh that moves, detached or not, is hit where it is", () => {
  const mesh = accelerate(bar());
  const raycaster = new Raycaster();
  const at = (x) => {
    raycaster.set(new Vector3(x, 0.1, 9), new Vector3(0, 0, -1));
    return raycaster.intersectObject(mesh)[0];
  };
  assert.equal(at(1.8).boneIndex, 1);
  assert.equal(at(-1.8).bone, mesh.skeleton.bones[0]);
  for (const mode of ["attached", "detached"]) {
    mesh.bindMode = mode;
    mesh.skeleton.bones[1].rotation.y = 0.8;
    mesh.position.set(5, 0.3, 1);
    mesh.updateMatrixWorld(true);
    assert.ok(compare(mesh, 200, 8, mode) > 150);
    mesh.skeleton.bones[1].rotation.y = -0.4;
    mesh.updateMatrixWorld(true);
    assert.ok(compare(mesh, 200, 9, mode) > 150);
  }
});

test("a geometry that was changed is seen, and a mesh is given back", () => {
  const mesh = accelerate(new Mesh(new BoxGeometry(2, 2, 2), new MeshBasicMaterial()));
  const raycaster = new Raycaster(new Vector3(0, 0, 9), new Vector3(0, 0, -1));
  assert.equal(raycaster.intersectObject(mesh)[0].distance, 8);
  mesh.geometry.translate(0, 0, 1);
  assert.equal(raycaster.intersectObject(mesh)[0].distance, 7);
  mesh.geometry = new BoxGeometry(2, 2, 4);
  assert.equal(raycaster.intersectObject(mesh)[0].distance, 7);
  restore(mesh);
  assert.equal(mesh.raycast, Mesh.prototype.raycast);
  assert.throws(() => accelerate(new Mesh(new BufferGeometry())), /no positions/);
});

test("contacts follow bones, instances and matrices", () => {
  const mesh = bar();
  const wall = new Mesh(new BoxGeometry(0.2, 4, 4).translate(3, 0, 0));
  const contacts = new Contacts().add(mesh, { self: true }).add(wall);
  assert.deepEqual(contacts.touching(), []);
  mesh.skeleton.bones[0].position.x = 1;
  mesh.updateMatrixWorld(true);
  const [touching] = contacts.touching();
  assert.deepEqual(new Set(touching.meshes), new Set([mesh, wall]));
  const direct = new MeshBody(mesh).body.intersections(new MeshBody(wall).body);
  assert.equal(touching.pairs.length, direct.length);
  assert.ok(direct.length > 0);
  const stones = new InstancedMesh(new BoxGeometry(0.2, 0.2, 0.2), new MeshBasicMaterial(), 3);
  stones.setMatrixAt(0, new Matrix4().makeTranslation(0, 9, 0));
  stones.setMatrixAt(1, new Matrix4().makeTranslation(3, 1.2, 0));
  stones.setMatrixAt(2, new Matrix4().makeTranslation(0, 5, 0));
  contacts.add(stones);
  const withStones = contacts.touching().filter(({ meshes }) => meshes.includes(stones));
  assert.deepEqual(withStones.map(({ instances }) => instances.find((one) => one !== undefined)), [1]);
  stones.setMatrixAt(1, new Matrix4().makeTranslation(0, 7, 0));
  assert.equal(contacts.touching().filter(({ meshes }) => meshes.includes(stones)).length, 0);
  assert.ok(contacts.within(2).some(({ meshes, distances }) => meshes.includes(wall) && distances.length > 0));
  contacts.remove(wall).remove(stones);
  assert.deepEqual(contacts.touching(), []);
  contacts.dispose();
});
