// What touches between two frames: steps, the time within the step, the two features and their paths.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { fact, goTo, launch, open, pixels, run } from "./browser.mjs";
import { cube, gltf } from "./scenes.mjs";

const folder = mkdtempSync(join(tmpdir(), "pliant-steps-"));
const report = join(folder, "steps.html");
let browser;
let swept;

// The bullet is left of the wall in the first frame and right of it in the second: no frame has a contact.
before(async () => {
  const objects = [
    { name: "wall", mesh: cube(), at: [0, 0, 0] },
    { name: "bullet", mesh: cube(), at: [-8, 0.1, 0.2] },
  ];
  const model = join(folder, "shot.gltf");
  const places = [[-8, 0.1, 0.2], [8, 0.1, 0.2], [9, 0.1, 0.2]];
  writeFileSync(model, gltf(objects, [{ name: "shot", object: 1, times: [0, 1, 2], places }]));
  const json = join(folder, "steps.json");
  run("sweep", model, "--times", "0,1,2", "--path", "linear", "--report", report, "--json", json, "--quiet");
  swept = JSON.parse(readFileSync(json, "utf8")).steps;
  browser = await launch();
});
after(() => browser?.close());

const address = pathToFileURL(report).href;
const drawn = async (page) => Number(await page.getAttribute("#stage", "data-impacts"));

test("a step with contacts says when, and which features", async () => {
  assert.deepEqual(swept.map(({ contacts }) => contacts.length > 0), [true, false]);
  const page = await open(browser, address);
  // It opens where something touches.
  assert.equal(await page.getAttribute("body", "data-frame"), "0");
  assert.match(await fact(page, "impact"), new RegExp(`^${Number(swept[0].first[0].toPrecision(4))} of the way`));
  const rows = await page.locator("#impacts button").allTextContents();
  assert.equal(rows.length, Math.min(swept[0].contacts.length, rows.length));
  assert.ok(rows.length > 0);
  for (const row of rows) assert.match(row, /(vertex \d+ × .* face \d+|edge \d+–\d+ × .* edge \d+–\d+): 0\.\d+ of the way$/);
  assert.match(await page.textContent("#contacts button >> nth=0"), /wall and bullet/);
  assert.deepEqual(page.complaints, []);
  await page.close();
});

test("features and their paths are drawn, all or one", async () => {
  const page = await open(browser, address);
  const all = await drawn(page);
  assert.ok(all > 1);
  const before = await pixels(page);
  await page.locator("#impacts button").first().click();
  assert.equal(await drawn(page), 1);
  const after = await pixels(page);
  assert.notDeepEqual(after, before);
  assert.ok(after.red > 0);
  // A frame without contacts before the next one shows none.
  await goTo(page, 1);
  assert.equal(await drawn(page), 0);
  assert.equal(await page.textContent("#impacts-note"), "Nothing touches.");
  // Hidden objects do not count.
  await goTo(page, 0);
  assert.equal(await drawn(page), all);
  await page.locator("#objects input").nth(1).uncheck();
  assert.equal(await drawn(page), 0);
  assert.deepEqual(page.complaints, []);
  await page.close();
});
