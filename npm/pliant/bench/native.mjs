// The module beside the program on one thread, on the same frames: node bench/native.mjs FILE.glb [FPS] [--self]
//
// Both pose everything and find all contacts, without depths. Each frame counts as its fastest of several rounds.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import * as pliant from "../index.js";

const ROUNDS = 7;
const program = process.env.PLIANT ?? fileURLToPath(new URL("../../../target/release/pliant", import.meta.url));
const given = process.argv.slice(2);
const selfContacts = given.includes("--self");
const [file, fps = "30"] = given.filter((word) => word !== "--self");

const asked = ["check", file, "--fps", fps, "--quiet", "--max-pairs", "10000000", "--json", "-", ...(selfContacts ? ["--self"] : [])];
const runs = Array.from({ length: ROUNDS }, () => {
  const text = execFileSync(program, asked, { maxBuffer: 1 << 30, env: { ...process.env, RAYON_NUM_THREADS: "1" } });
  return JSON.parse(text).frames;
});
const native = runs[0].map((_, frame) => Math.min(...runs.map((frames) => frames[frame].work.seconds)));

await pliant.init();
const scene = pliant.Scene.fromBytes(readFileSync(file), file);
const animation = scene.animations.length > 0 ? 0 : undefined;
const best = runs[0].map(() => Infinity);
for (let round = 0; round < ROUNDS; round++) {
  const player = scene.play(animation, selfContacts, "linear");
  runs[0].forEach(({ time, pairs }, frame) => {
    const start = performance.now();
    player.setTime(time);
    const found = player.contacts(false);
    best[frame] = Math.min(best[frame], (performance.now() - start) / 1000);
    const count = found.reduce((sum, contact) => sum + contact.pairs.length / 2, 0);
    if (count !== pairs.length) throw new Error(`frame ${frame}: ${count} pairs, not ${pairs.length}`);
  });
  player.dispose();
}
const sum = (list) => list.reduce((a, b) => a + b, 0);
const [ours, theirs] = [sum(best) / best.length, sum(native) / native.length].map((seconds) => seconds * 1000);
console.log(`${basename(file)}: ${best.length} frames, ${sum(runs[0].map(({ pairs }) => pairs.length))} pairs; module ${ours.toFixed(3)} ms per frame, program on one thread ${theirs.toFixed(3)} ms, ${(ours / theirs).toFixed(2)}x`);
