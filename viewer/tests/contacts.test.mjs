// The list of contacts, and what counts while objects are hidden or isolated.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { fact, goTo, launch, open, pixels, pliant, run, timelinePixels, unfold } from "./browser.mjs";
import { cube, gltf, plate } from "./scenes.mjs";

const folder = mkdtempSync(join(tmpdir(), "pliant-contacts-"));
const report = join(folder, "boxes.html");
const address = (file) => pathToFileURL(file).href;
let browser;
let checked;

// Animation "push" moves the ball into the table, "lower" the lamp into the table.
before(async () => {
  const objects = [
    { name: "table", mesh: cube(), at: [0, 0, 0] },
    { name: "ball", mesh: cube(), at: [3, 0.1, 0.2] },
    { name: "lamp", mesh: cube(), at: [0.1, 3, 0.3] },
  ];
  const times = [0, 1, 2];
  const model = join(folder, "boxes.gltf");
  writeFileSync(
    model,
    gltf(objects, [
      { name: "push", object: 1, times, places: [[3, 0.1, 0.2], [0.6, 0.1, 0.2], [3, 0.1, 0.2]] },
      { name: "lower", object: 2, times, places: [[0.1, 3, 0.3], [0.1, 0.7, 0.3], [0.1, 3, 0.3]] },
    ]),
  );
  const json = join(folder, "boxes.json");
  run("check", model, "--animation", "all", "--fps", "10", "--report", report, "--json", json, "--quiet");
  checked = JSON.parse(readFileSync(json, "utf8"));
  browser = await launch();
});
after(() => browser?.close());

/** A report whose contacts have these depths: tests of the page depend on no measured depth. */
function withDepths(name, depth) {
  const html = readFileSync(report, "utf8");
  const changed = html.replace(/(id="pliant-view">)([^<]*)/, (_, start, json) => {
    const view = JSON.parse(json);
    view.frames.forEach((frame, number) => {
      for (const contact of frame.contacts) Object.assign(contact, { kind: "crossing", depth: depth(contact, number) });
    });
    return start + JSON.stringify(view).replaceAll("<", "\\u003c");
  });
  const file = join(folder, name);
  writeFileSync(file, changed);
  return address(file);
}

const framesOf = (a, b) =>
  checked.frames.flatMap(({ contacts }, number) =>
    contacts.some(({ objects }) => objects[0] === a && objects[1] === b) ? [number] : [],
  );
const rows = (page) => page.locator("#contacts button").evaluateAll((all) => all.map((one) => one.dataset.pair));
const current = async (page) => Number(await page.getAttribute("body", "data-frame"));
const cuts = async (page) => Number(await page.getAttribute("#stage", "data-cuts"));

test("the page opens at the deepest frame, with the deepest pair first", async () => {
  // Not where most triangles touch: the last frame of the lamp.
  const last = framesOf(0, 2).at(-1);
  const page = await open(browser, withDepths("depths.html", ({ objects }, n) => (n === last ? 0.5 : objects[1] === 1 ? 0.2 : 0.1)));
  assert.equal(await current(page), last);
  assert.deepEqual(await rows(page), ["0 2", "0 1"]);
  assert.match(await page.textContent("#contacts button >> nth=0"), /table and lamp.*0\.5 deep.*at /);
  assert.equal(await page.locator("#contacts .sparkline").count(), 2);
  await goTo(page, 0);
  await page.keyboard.press("m");
  assert.equal(await current(page), last);
  assert.deepEqual(page.complaints, []);
  await page.close();
});

test("without depths the page opens where most pairs touch", async () => {
  const page = await open(browser, withDepths("none.html", () => null));
  const most = Math.max(...checked.frames.map(({ pairs }) => pairs.length));
  assert.equal(checked.frames[await current(page)].pairs.length, most);
  assert.match(await page.textContent("#contacts button >> nth=0"), /\d+ pairs/);
  assert.deepEqual(page.complaints, []);
  await page.close();
});

test("a click on a pair isolates it and jumps to its deepest frame", async () => {
  const deepest = framesOf(0, 1)[2];
  const page = await open(browser, withDepths("jump.html", ({ objects }, n) => (objects[1] === 2 ? 9 : n === deepest ? 0.5 : 0.1)));
  assert.ok(framesOf(0, 2).includes(await current(page)));
  const before = await page.locator("#stage").screenshot();
  await page.click('#contacts [data-pair="0 1"]');
  assert.equal(await current(page), deepest);
  assert.equal(await page.getAttribute("body", "data-isolated"), "0 1");
  assert.equal(await page.getAttribute('#contacts [data-pair="0 1"]', "aria-pressed"), "true");
  assert.notDeepEqual(await page.locator("#stage").screenshot(), before);
  assert.ok((await cuts(page)) > 0 && (await pixels(page)).red > 20);
  // Bars are of the pair alone.
  const bars = await timelinePixels(page, 0.98);
  assert.ok(bars.some(({ bar }, x) => bar && x < bars.length / 2) && !bars.some(({ bar }, x) => bar && x > bars.length / 2));
  // Nor are contacts of others drawn.
  await goTo(page, framesOf(0, 2)[0]);
  assert.equal(await cuts(page), 0);
  await page.click("#show-all");
  assert.equal(await page.getAttribute("body", "data-isolated"), "");
  assert.ok((await cuts(page)) > 0);
  assert.deepEqual(page.complaints, []);
  await page.close();
});

test("hidden objects keep no contacts: no lines, no counts, no bars", async () => {
  const page = await open(browser, address(report));
  const frame = framesOf(0, 1)[1];
  await goTo(page, frame);
  assert.equal(Number(await fact(page, "pairs")), checked.frames[frame].pairs.length);
  assert.ok((await cuts(page)) > 0);
  assert.ok((await pixels(page)).red > 20);
  const half = async (end) => {
    const bars = await timelinePixels(page, 0.98);
    return bars.some(({ bar }, x) => bar && (end ? x > bars.length / 2 : x < bars.length / 2));
  };
  assert.ok((await half(0)) && (await half(1)));
  await page.locator("#objects input").nth(1).uncheck();
  assert.equal(await fact(page, "pairs"), "0");
  assert.equal(await cuts(page), 0);
  assert.equal((await pixels(page)).red, 0);
  assert.ok(!(await half(0)) && (await half(1)));
  assert.deepEqual(await rows(page), ["0 2"]);
  assert.match(await page.textContent(".contacts"), /1 pair of hidden objects is not listed/);
  assert.match(await page.textContent("#omissions"), /\d+ pairs of hidden objects are not counted/);
  assert.equal(await page.locator("#pairs button").count(), 0);
  await page.keyboard.press("m");
  assert.ok(framesOf(0, 2).includes(await current(page)), "the deepest frame is one of a hidden object");
  await page.locator("#objects input").nth(1).check();
  assert.deepEqual((await rows(page)).sort(), ["0 1", "0 2"]);
  assert.deepEqual(page.complaints, []);
  await page.close();
});

test("the current frame is drawn above the bars", async () => {
  const page = await open(browser, address(report));
  const bars = await timelinePixels(page, 0.9);
  const x = Math.floor(((await current(page)) + 0.5) * (bars.length / checked.frames.length));
  assert.ok(!bars[x].bar && bars[x].r < 90, `its colour is ${JSON.stringify(bars[x])}`);
  await page.keyboard.press("ArrowRight");
  assert.ok((await timelinePixels(page, 0.9))[x].bar, "there is no bar to draw above");
  await page.close();
});

test("animations have names, and frames their numbers within them", async () => {
  const page = await open(browser, address(report));
  await goTo(page, 3);
  assert.equal(await fact(page, "animation"), "push, frame 3");
  await goTo(page, 24);
  assert.equal(await fact(page, "animation"), `${checked.animations[1].name}, frame ${24 - checked.animations[0].frames}`);
  await page.close();
});

test("a report of a thousand frames says what it omits, and why it is large", async () => {
  const objects = [
    { name: "floor", mesh: plate(12), at: [0, 0, 0] },
    { name: "sheet", mesh: plate(12), at: [0.1, 0.1, 0] },
  ];
  const model = join(folder, "plates.gltf");
  const places = [[0.1, 0.1, 0], [0.2, 0.15, 0]];
  writeFileSync(model, gltf(objects, [{ name: "slide", object: 1, times: [0, 2], places }]));
  const large = join(folder, "plates.html");
  const done = spawnSync(pliant, ["check", model, "--fps", "500", "--no-depth", "--report", large, "--quiet"], { encoding: "utf8" });
  assert.match(done.stderr, /plates\.html: [\d.]+ MB with 1001 frames: touching pairs [\d.]+ MB, /);
  const page = await open(browser, address(large));
  const pairs = Number(await fact(page, "pairs"));
  assert.ok(pairs > 400);
  const said = (await page.textContent("#omissions")).replace(/\u202f/g, "");
  const [drawn, found] = said.match(/(\d+) of (\d+) touching pairs are drawn/).slice(1).map(Number);
  assert.equal(found, pairs);
  assert.equal(drawn, await cuts(page));
  await unfold(page, "pairs-fold");
  assert.match(await page.textContent("#pairs-note"), /200 of \d+ are listed.* holds \d+ of the .* pairs/);
  assert.match(await page.textContent("#bounds-fold"), /holds the bounds of .* of .* nodes/);
  assert.deepEqual(page.complaints, []);
  await page.close();
});
