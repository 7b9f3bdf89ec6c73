// Skinned picking in Chromium: node bench/picking.mjs [POSES]. Needs the shared data.
import { join } from "node:path";
import { data } from "../support/scenes.mjs";
import { launch, open } from "../support/browser.mjs";
import { serve } from "../support/server.mjs";

const poses = Number(process.argv[2] ?? 200);
const files = [["skinned/CesiumMan.glb", 0], ["skinned/Fox.glb", 2], ["derived/makehuman_male_cmu.glb", 0]];
const { address, stop } = await serve(Object.fromEntries(files.map(([path]) => [`/data/${path}`, join(data, "gltf", path)])));
const browser = await launch();
console.log(`Chromium ${browser.version()}, one ray per new pose, the mean of the middle half of ${poses} poses, milliseconds\n`);
console.log("| file | triangles | three.js | bvh, baked | bvh, skinned | pliant-three | first only | three.js / pliant | three.js / first | baked / pliant | skinned / pliant | hits |");
console.log("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
for (const [path, animation] of files) {
  const page = await open(browser, `${address}/pliant-three/bench/picking.html`);
  await page.waitForSelector("body[data-ready]", { state: "attached" });
  const { triangles, hits, same, poses: all, milliseconds } = await page.evaluate(([file, number, count]) => measure(file, number, count), [`/data/${path}`, animation, poses]);
  const { three, bvh, skinned, pliant, first } = milliseconds;
  console.log(`| ${path} | ${triangles} | ${three.toFixed(3)} | ${bvh.toFixed(3)} | ${skinned.toFixed(3)} | ${pliant.toFixed(4)} | ${first.toFixed(4)} | ${(three / pliant).toFixed(0)}x | ${(three / first).toFixed(0)}x | ${(bvh / pliant).toFixed(0)}x | ${(skinned / pliant).toFixed(0)}x | ${Object.values(hits).join(", ")} |`);
  if (same < all) console.log(`\n${path}: the first hits differ in ${all - same} of ${all} poses`);
  await page.close();
}
await browser.close();
stop();
