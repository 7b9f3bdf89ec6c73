// The package in Node: answers, errors, memory, and what happens after a stop.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { fileURLToPath } from "node:url";
import * as pliant from "../index.js";
import { found } from "../support/found.mjs";
import { data, filesBelow, hasSamples, samples, told } from "../support/samples.mjs";

before(() => pliant.init());

const square = [0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0];
const faces = [0, 1, 2, 0, 2, 3];

/** A closed tetrahedron. */
const tetrahedron = [[0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1], [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]];

test("bodies of every kind touch what they should", () => {
  const floor = pliant.Body.free(square, faces);
  const tent = pliant.Body.free([0.2, 0.1, 1, 0.9, 0.1, 1, 0.5, 0.2, -1], [0, 1, 2]);
  assert.deepEqual([...floor.intersections(tent)], [0, 0]);
  tent.setPositions(new Float32Array([0.2, 0.1, 1, 0.9, 0.1, 1, 0.5, 0.2, 0.5]));
  assert.equal(floor.intersects(tent), false);
  const within = floor.within(tent, 0.6);
  assert.equal(within.distances[0], 0.5);
  const lift = (z) => [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, z, 1];
  const box = pliant.Body.rigid(...tetrahedron);
  assert.equal(box.intersects(floor), true);
  box.setTransform(lift(2));
  assert.equal(box.intersects(floor), false);
  const skin = pliant.Body.skinned(...tetrahedron, [0, 0, 0, 1], [1, 1, 1, 1], 2, "linear");
  skin.setPose([...lift(2), ...lift(0)]);
  assert.deepEqual([...skin.positions].slice(9), [0, 0, 1]);
  assert.equal(skin.kind, "skinned");
  const bell = pliant.Body.reduced(...tetrahedron, [0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1]);
  bell.setCoordinates([3]);
  assert.deepEqual([...bell.positions].slice(0, 3), [0, 0, 3]);
  const sail = pliant.Body.keyframed(...tetrahedron, [0, 1], [...tetrahedron[0], ...tetrahedron[0].map((x) => x + 1)]);
  sail.advance(0.5);
  assert.deepEqual([...sail.positions].slice(0, 3), [0.5, 0.5, 0.5]);
  assert.deepEqual(box.inside([0.1, 0.1, 2.1, 5, 5, 5]), ["in", "out"]);
  const hits = box.rayCast([0.1, 0.1, 9, 9, 9, 9], [0, 0, -1, 0, 0, 1]);
  assert.equal(hits.triangles[0], 3);
  assert.equal(hits.triangles[1], -1);
  assert.ok(Math.abs(hits.t[0] - 6.2) < 1e-12);
  const numbers = (every) => [...box.hitNumbers(0.1, 0.1, 9, 0, 0, -1, every)];
  assert.deepEqual(numbers(false).slice(0, 5), [3, hits.t[0], ...hits.barycentric.slice(0, 3)]);
  assert.deepEqual(numbers(true).slice(0, 6), numbers(false));
  assert.equal(numbers(true).length, 12);
  // In through a front, out through a back.
  assert.ok(numbers(true)[5] < 0 && numbers(true)[11] > 0);
  assert.equal(box.hitNumbers(9, 9, 9, 0, 0, 1, true).length, 0);
  assert.deepEqual([...floor.closestPoints([0.5, 0.25, 3]).points], [0.5, 0.25, 0]);
  const other = pliant.Body.rigid(...tetrahedron);
  other.setTransform([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0.05, 0.07, 2.3, 1]);
  const regions = box.penetration(other);
  assert.equal(regions.length, 1);
  assert.ok(regions[0].depth > 0);
});

test("bodies live in worlds by name", () => {
  const world = pliant.world();
  const [a, b] = [pliant.Body.rigid(...tetrahedron), pliant.Body.rigid(...tetrahedron)];
  world.add(a, "a", false);
  world.add(b, "b", false);
  assert.deepEqual(world.names, ["a", "b"]);
  assert.deepEqual(world.contacts()[0].names, ["a", "b"]);
  b.setTransform([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 5, 0, 0, 1]);
  assert.equal(world.contacts().length, 0);
  assert.equal(world.rayCast([5.1, 0.1, 9], [0, 0, -1])[0].name, "b");
  assert.throws(() => world.add(a, "c", false), /in a world already/);
  world.remove(b);
  assert.deepEqual(world.names, ["a"]);
});

test("errors name the element", () => {
  assert.throws(() => pliant.Body.free(square, [0, 1, 9]), /triangle 0/);
  assert.throws(() => pliant.Body.free([0, 0], [0, 1, 2]), /positions: 2 numbers/);
  assert.throws(() => pliant.Body.free([0, 0, 0, 1, 0, 0, NaN, 0, 0], [0, 1, 2]), /vertex 2/);
  assert.throws(() => pliant.Body.rigid(square, faces).hitNumbers(0, 0, NaN, 0, 0, 1, true), /ray origin/);
  assert.throws(() => pliant.Body.rigid(square, faces).setPositions(square), /needs a free body; this one is rigid/);
  assert.throws(() => pliant.Scene.fromBytes(new Uint8Array(8), "a.fbx"), /a\.fbx.*not supported/);
  assert.throws(() => pliant.Scene.fromBytes(new Uint8Array(8), "a.glb"), /a\.glb/);
});

test("what is disposed of is gone, and twice does no harm", () => {
  const body = pliant.Body.free(square, faces);
  body.dispose();
  body.dispose();
  assert.throws(() => body.positions, /disposed of/);
  assert.throws(() => pliant.Body.free(square, faces).intersects(body), /disposed of/);
});

test("every sample has the contacts and depths of the program's JSON", { timeout: 600000, skip: !hasSamples && "needs shared data and target/release/pliant" }, () => {
  let [read, pairs, deep] = [0, 0, 0];
  for (const { file, name, read: bytesOf } of samples()) {
    const ours = found(bytesOf(), name);
    const theirs = told(file, ours);
    if (ours.error !== undefined) {
      assert.equal(theirs.error, "refused", `${name}: ${ours.error}`);
      continue;
    }
    assert.deepEqual({ frames: ours.frames, depths: ours.depths }, theirs, name);
    read += 1;
    pairs += ours.frames.flat().length;
    deep += ours.depths.flat(3).filter((depth) => depth > 0).length;
  }
  assert.ok(read > 60 && pairs > 1000 && deep > 50, `${read} files, ${pairs} pairs, ${deep} depths`);
});

test("without wide instructions the answers are the same, bit by bit", { timeout: 300000 }, async (t) => {
  const scalar = fileURLToPath(new URL("../pliant_wasm_scalar.wasm", import.meta.url));
  if (!existsSync(data) || !existsSync(scalar)) return t.skip("needs shared data and ./build --scalar");
  const answers = [];
  for (const module of [undefined, readFileSync(scalar)]) {
    await pliant.init(module);
    const found = [];
    for (const name of ["skinned/CesiumMan.glb", "skinned/Fox.glb", "morph/MorphStressTest.glb", "derived/makehuman_male_cmu.glb"]) {
      const scene = pliant.Scene.fromBytes(readFileSync(join(data, "gltf", name)), name);
      const { start, end } = scene.animations[0];
      const times = [start, (start + end) / 3];
      for (const { contacts } of pliant.check(scene, { times, selfContacts: true })) {
        found.push(contacts.map(({ pairs, regions }) => [pairs, regions.map(({ depth, point, area, curve }) => [depth, point, area, curve])]));
      }
      const player = scene.play(0, false, "linear");
      player.setTime(times[1]);
      const body = player.body(0);
      const [x0, y0, z0, x1, y1, z1] = body.boundingBox;
      for (let ray = 0; ray < 200; ray++) {
        const [x, y] = [x0 + ((x1 - x0) * (ray % 14)) / 14, y0 + ((y1 - y0) * ray) / 200];
        found.push(body.rayHits([x, y, z1 + 1], [0.01, 0.02, -1]), body.closestPoints([x, y, z0]));
      }
      scene.dispose();
    }
    answers.push(found);
  }
  await pliant.init();
  assert.deepEqual(answers[1], answers[0]);
  assert.ok(answers[0].some((one) => one.triangles?.length > 0));
});

test("an engine without wide instructions gets the module without them, and its answers", { timeout: 120000 }, (t) => {
  if (!existsSync(new URL("../pliant_wasm_scalar.wasm", import.meta.url))) return t.skip("needs ./build --scalar");
  const script = `
    import { Body, hasWideInstructions, init } from ${JSON.stringify(new URL("../index.js", import.meta.url).href)};
    await init();
    const body = Body.free(${JSON.stringify(square)}, ${JSON.stringify(faces)});
    const tent = Body.free([0.2, 0.1, 1, 0.9, 0.1, 1, 0.5, 0.2, -1], [0, 1, 2]);
    console.log(JSON.stringify([hasWideInstructions, [...body.intersections(tent)], [...body.hitNumbers(0.3, 0.1, 2, 0.1, 0.1, -1, true)]]));`;
  const run = (...flags) => JSON.parse(execFileSync(process.execPath, [...flags, "--input-type=module", "--eval", script]));
  const wide = run();
  // V8 has no wide instructions of WebAssembly on a processor without SSE 4.1.
  const plain = run("--no-enable-sse4-1", "--no-enable-avx");
  if (plain[0]) return t.skip("this processor cannot be told to have none");
  assert.equal(wide[0], true);
  assert.deepEqual(plain.slice(1), wide.slice(1));
  assert.ok(plain[1].length > 0 && plain[2].length === 6);
});

test("hostile bytes are errors, and the module goes on", { timeout: 300000 }, (t) => {
  const folder = join(data, "malformed");
  if (!existsSync(folder)) return t.skip("needs shared data");
  let [read, refused] = [0, 0];
  for (const file of filesBelow(folder, ["glb", "gltf", "obj", "ply", "stl", "md2"])) {
    try {
      pliant.Scene.fromBytes(readFileSync(file), file).dispose();
      read += 1;
    } catch (error) {
      assert.doesNotMatch(error.message, /pliant stopped/, file);
      refused += 1;
    }
  }
  assert.ok(refused > 20, `${read} read, ${refused} refused`);
});

test("a module that stopped says so, and is made anew", async () => {
  const body = pliant.Body.free(square, faces);
  // No module has so much memory: that is how it stops without a defect.
  const huge = new Proxy([], { get: (_, name) => (name === "length" ? 2 ** 29 : 0) });
  assert.throws(() => body.setPositions(huge), /pliant stopped/);
  assert.throws(() => body.positions, /pliant stopped/);
  await pliant.init();
  assert.throws(() => body.positions, /started anew/);
  body.dispose();
  assert.equal(pliant.Body.free(square, faces).kind, "free");
});

test("what is collected after a new start is not freed in the new module", () => {
  const script = `
    import { Body, init } from ${JSON.stringify(new URL("../index.js", import.meta.url).href)};
    const make = () => Body.free(${JSON.stringify(square)}, ${JSON.stringify(faces)});
    await init();
    (() => { for (let number = 0; number < 500; number++) make(); })();
    await init();
    const kept = Array.from({ length: 20 }, make);
    for (let round = 0; round < 3; round++) {
      gc();
      await new Promise((done) => setTimeout(done, 20));
    }
    console.log(kept.every((body) => body.positions.length === 12 && body.intersects(make())));`;
  assert.equal(execFileSync(process.execPath, ["--expose-gc", "--input-type=module", "--eval", script], { encoding: "utf8", stdio: "pipe" }), "true\n");
});

test("a thousand rounds of load and dispose keep memory flat", async () => {
  await pliant.init();
  const text = ["v 0 0 0"];
  for (let number = 0; number < 2000; number++) text.push(`v ${number % 50} ${number % 37} ${number % 11}`, `f 1 ${number + 2} ${(number * 7) % 2000 + 2}`);
  const bytes = new TextEncoder().encode([text.filter((l) => l[0] === "v").join("\n"), text.filter((l) => l[0] === "f").join("\n")].join("\n"));
  const round = () => {
    const scene = pliant.Scene.fromBytes(bytes, "a.obj");
    const player = scene.play(undefined, false, "linear");
    const body = player.body(0);
    body.rayCast([9, 9, 99], [0, 0, -1]);
    body.dispose();
    player.dispose();
    scene.dispose();
  };
  for (let number = 0; number < 50; number++) round();
  const after = pliant.memoryBytes();
  for (let number = 0; number < 1000; number++) round();
  assert.equal(pliant.memoryBytes(), after);
});
