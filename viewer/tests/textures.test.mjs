// Base colours and textures of the files, where they are asked for.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { crc32, deflateSync } from "node:zlib";
import { launch, open, pliant } from "./browser.mjs";
import { cube, gltf, plate } from "./scenes.mjs";

const folder = mkdtempSync(join(tmpdir(), "pliant-textures-"));
let browser;
before(async () => (browser = await launch()));
after(() => browser?.close());

/** A PNG whose upper half is green and whose lower half is blue. */
function png() {
  const chunk = (name, data) => {
    const body = Buffer.concat([Buffer.from(name), data]);
    const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    check.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, check]);
  };
  const head = Buffer.from([0, 0, 0, 2, 0, 0, 0, 2, 8, 2, 0, 0, 0]);
  const [green, blue] = [[0, 200, 0], [0, 0, 200]];
  const rows = Buffer.from([0, ...green, ...green, 0, ...blue, ...blue]);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, chunk("IHDR", head), chunk("IDAT", deflateSync(rows)), chunk("IEND", Buffer.alloc(0))]);
}

/** Two plates, one with a picture and one of a plain colour, and a box without a material that crosses the second. */
function painted() {
  const mesh = plate(4);
  const objects = [
    { name: "poster", mesh, at: [0, 0, 0] },
    { name: "wall", mesh, at: [1.2, 0, 0] },
    { name: "box", mesh: cube(), at: [2.6, 0.5, 0.1] },
  ];
  const document = JSON.parse(gltf(objects, [{ name: "still", object: 0, times: [0, 1], places: [[0, 0, 0], [0, 0, 0]] }]));
  // The picture's upper edge is at v = 0.
  const places = Float32Array.from(mesh.positions.flatMap(([x, y]) => [x, 1 - y]));
  document.buffers.push({
    byteLength: places.byteLength,
    uri: `data:application/octet-stream;base64,${Buffer.from(places.buffer).toString("base64")}`,
  });
  document.bufferViews.push({ buffer: 1, byteLength: places.byteLength });
  const view = document.bufferViews.length - 1;
  document.accessors.push({ bufferView: view, componentType: 5126, count: mesh.positions.length, type: "VEC2" });
  const [poster, wall] = document.meshes.map(({ primitives }) => primitives[0]);
  poster.attributes.TEXCOORD_0 = document.accessors.length - 1;
  [poster.material, wall.material] = [0, 1];
  document.materials = [
    { name: "print", pbrMetallicRoughness: { baseColorTexture: { index: 0 } } },
    { name: "paint", pbrMetallicRoughness: { baseColorFactor: [0.6, 0, 0.6, 1] } },
  ];
  document.textures = [{ source: 0, sampler: 0 }];
  document.samplers = [{ magFilter: 9728 }];
  document.images = [{ uri: `data:image/png;base64,${png().toString("base64")}` }];
  const file = join(folder, "poster.gltf");
  writeFileSync(file, JSON.stringify(document));
  return file;
}

/** How many pixels of the 3D view are green, blue and magenta, and how high the first two lie on average. */
const colors = (page) =>
  page.evaluate(async () => {
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    const stage = document.getElementById("stage");
    const copy = document.createElement("canvas");
    [copy.width, copy.height] = [stage.width, stage.height];
    const context = copy.getContext("2d");
    context.drawImage(stage, 0, 0);
    const { data } = context.getImageData(0, 0, copy.width, copy.height);
    const found = { green: 0, blue: 0, magenta: 0, greenAt: 0, blueAt: 0 };
    for (let i = 0; i < data.length; i += 4) {
      const [r, g, b] = data.slice(i, i + 3);
      const y = Math.floor(i / 4 / copy.width);
      if (g > 100 && r < 60 && b < 60) (found.green++, (found.greenAt += y));
      if (b > 100 && r < 60 && g < 60) (found.blue++, (found.blueAt += y));
      if (r > 100 && b > 100 && g < 60) found.magenta++;
    }
    return { ...found, greenAt: found.greenAt / found.green, blueAt: found.blueAt / found.blue };
  });

const check = (...words) => {
  const done = spawnSync(pliant, ["check", painted(), "--times", "0", ...words], { encoding: "utf8" });
  assert.equal(done.status, 0, done.stderr);
  return done.stderr;
};

test("textures and base colours of the file are shown, the right way up, and can be turned off", async () => {
  const report = join(folder, "shown.html");
  assert.match(check("--report", report, "--textures"), /colours of the files take 0\.0 MB \(1 picture\)/);
  const page = await open(browser, pathToFileURL(report).href);
  await page.waitForFunction(() => performance.now() > 1500);
  const shown = await colors(page);
  assert.ok(shown.green > 1000 && shown.blue > 1000 && shown.magenta > 2000, JSON.stringify(shown));
  assert.ok(shown.greenAt < shown.blueAt, "the picture stands on its head");
  assert.match(await page.textContent("label:has(#file-colors)"), /colours of the files \(1 picture, 0\.0 MB\)/);
  assert.doesNotMatch(await page.textContent("#omissions"), /colours/);
  await page.uncheck("#file-colors");
  const { green, blue, magenta } = await colors(page);
  assert.deepEqual([green, blue, magenta], [0, 0, 0]);
  await page.check("#file-colors");
  assert.ok((await colors(page)).green > 1000);
  // Two that are looked at alone have the colours of the list.
  await page.click('#contacts [data-pair="1 2"]');
  assert.equal((await colors(page)).magenta, 0);
  await page.keyboard.press("Escape");
  await page.keyboard.press("r");
  assert.ok((await colors(page)).magenta > 2000);
  assert.deepEqual(page.complaints, []);
  await page.close();
});

test("without being asked for, textures are left out, and the page says so", async () => {
  const report = join(folder, "omitted.html");
  assert.equal(check("--report", report), "");
  const page = await open(browser, pathToFileURL(report).href);
  assert.equal((await colors(page)).green, 0);
  assert.equal(await page.locator("#file-colors").count(), 0);
  assert.match(await page.textContent("#omissions"), /The files' own colours are not on this page: --textures\./);
  assert.deepEqual(page.complaints, []);
  await page.close();
});
