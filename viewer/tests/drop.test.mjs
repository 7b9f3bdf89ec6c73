// The page without the program: one file, no network, a worker that can be stopped.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { fact, goTo, launch, open, pixels, pliant, run } from "./browser.mjs";
import { cube, gltf } from "./scenes.mjs";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const html = process.env.PLIANT_HTML ?? here("../../target/pliant.html");
const data = process.env.PLIANT_SHARED_DATA ?? here("../../../shared/data");
const folder = mkdtempSync(join(tmpdir(), "pliant-drop-"));
const skip = !existsSync(html) && "needs target/pliant.html: npm/pliant/build, then node viewer/drop.mjs";

let browser;
before(async () => {
  if (!skip) browser = await launch();
});
after(() => browser?.close());

/** Opens the page, cut off from every network. */
async function start() {
  const page = await open(browser, pathToFileURL(html).href);
  await page.context().setOffline(true);
  page.asked = [];
  page.on("request", (request) => page.asked.push(request.url()));
  return page;
}

const give = (page, file) => page.setInputFiles("#choose", file);
const ended = (page) => page.waitForFunction(() => document.getElementById("status")?.textContent === "" && document.getElementById("cancel")?.hidden && document.body.dataset.frames, null, { timeout: 120_000 });

/** A box that goes through a wall, as a file. */
function shot() {
  const objects = [
    { name: "wall", mesh: cube(), at: [0, 0, 0] },
    { name: "bullet", mesh: cube(), at: [-3, 0.1, 0.2] },
  ];
  const file = join(folder, "shot.gltf");
  const places = [[-3, 0.1, 0.2], [3, 0.15, 0.2]];
  writeFileSync(file, gltf(objects, [{ name: "shot", object: 1, times: [0, 1], places }]));
  return file;
}

/** What the program says of the same frames. */
function told(file, ...words) {
  const json = join(folder, "told.json");
  run("check", file, "--self", "--fps", "30", "--quiet", "--json", json, ...words);
  return JSON.parse(readFileSync(json, "utf8")).frames;
}

const length = (value) => Number(value.toPrecision(3)).toString();

/** Compares frames of the page with those of the program: how many pairs, who is deepest, and how deep. */
async function same(page, frames, numbers) {
  for (const number of numbers) {
    await goTo(page, number);
    assert.equal(Number(await fact(page, "pairs")), frames[number].pairs.length, `frame ${number}`);
    const deepest = Math.max(...frames[number].contacts.map(({ depth }) => depth ?? 0), 0);
    if (deepest > 0) assert.ok((await fact(page, "deepest")).includes(length(deepest)), `frame ${number}: ${deepest}`);
  }
}

test("a file that is dropped is answered on this machine, with the program's contacts", { skip }, async () => {
  const file = shot();
  const frames = told(file);
  const page = await start();
  await give(page, file);
  await ended(page);
  assert.equal(await page.getAttribute("body", "data-frames"), String(frames.length));
  assert.ok(frames.some(({ pairs }) => pairs.length > 0));
  await same(page, frames, [0, 10, 12, 15, 20, 30]);
  assert.equal(await page.textContent("h1"), "shot.gltf");
  await page.keyboard.press("m");
  assert.ok((await pixels(page)).red > 20);
  assert.deepEqual(page.complaints, []);
  assert.deepEqual(page.asked.filter((address) => !address.startsWith("blob:")), []);
});

test("`pliant view` without a file opens this page", { skip }, async () => {
  const env = { ...process.env, PLIANT_HTML: html };
  const { stdout, status } = spawnSync(pliant, ["view", "--no-open"], { encoding: "utf8", env });
  assert.equal(status, 0);
  const page = await open(browser, stdout.trim());
  assert.equal(await page.locator("#choose").count(), 1);
  assert.deepEqual(page.complaints, []);
});

test("nothing but the page's own script may run, and no address may be asked", { skip }, async () => {
  const page = await start();
  const tried = await page.evaluate(async () => {
    const script = document.createElement("script");
    script.textContent = "document.body.dataset.intruder = 'yes'";
    document.body.append(script);
    const asked = await fetch("https://example.com/").then(() => "answered", () => "refused");
    return { asked, intruder: document.body.dataset.intruder };
  });
  assert.deepEqual(tried, { asked: "refused", intruder: undefined });
  const policy = readFileSync(html, "utf8").match(/Content-Security-Policy" content="([^"]*)"/)[1];
  assert.ok(!/unsafe-inline|unsafe-eval'(?<!wasm-unsafe-eval')|https?:|\*/.test(policy), policy);
});

test("hostile bytes are said, and the next file is shown", { skip }, async () => {
  const page = await start();
  const broken = join(folder, "<b>broken.glb");
  writeFileSync(broken, Buffer.from("glTF\u0002\u0000\u0000\u0000 not a model"));
  await give(page, broken);
  await page.waitForSelector("#status.problem");
  assert.match(await page.textContent("#status"), /broken\.glb/);
  assert.equal(await page.locator("#status b").count(), 0);
  await give(page, shot());
  await ended(page);
  assert.ok(Number(await page.getAttribute("body", "data-frames")) > 10);
  assert.deepEqual(page.complaints, []);
});

test("a run is cancelled, and what was found stays", { skip: skip || (!existsSync(data) && "needs shared data"), timeout: 180_000 }, async () => {
  const page = await start();
  await give(page, join(data, "gltf/derived/makehuman_male_cmu.glb"));
  const cancelled = () => {
    const found = Number.parseInt(document.getElementById("status")?.textContent ?? "", 10);
    if (found < 2 || Number.isNaN(found)) return false;
    document.getElementById("cancel").click();
    return true;
  };
  await page.waitForFunction(cancelled, null, { timeout: 120_000 });
  assert.equal(await page.textContent("#status"), "cancelled");
  const frames = Number(await page.getAttribute("body", "data-frames"));
  assert.ok(frames >= 2, `${frames}`);
  await page.waitForTimeout(300);
  assert.equal(Number(await page.getAttribute("body", "data-frames")), frames);
  assert.match(await page.textContent("#omissions"), /of the run are in this page/);
});

test("a walking man has the program's contacts and depths with himself", { skip: skip || (!existsSync(data) && "needs shared data"), timeout: 180_000 }, async () => {
  const file = join(data, "gltf/skinned/CesiumMan.glb");
  const frames = told(file);
  const page = await start();
  await give(page, file);
  await ended(page);
  assert.equal(await page.getAttribute("body", "data-frames"), String(frames.length));
  await same(page, frames, [0, 7, 20, frames.length - 1]);
  // Another question of the same file: without itself nothing touches.
  await page.click("#self");
  await ended(page);
  assert.equal(await fact(page, "pairs"), "0");
  assert.deepEqual(page.complaints, []);
});
