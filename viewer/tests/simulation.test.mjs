// The page of a simulation shows what the JSON says, frame by frame.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { launch, open, pixels, run } from "./browser.mjs";

let browser;
let folder;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "pliant-simulation-"));
  browser = await launch();
});

after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

const digits = (text) => Number(text.replaceAll(/\s/g, ""));

/** Runs a scene and opens its page. */
async function shown(scene, ...words) {
  const [json, report] = ["run.json", "run.html"].map((name) => join(folder, `${scene}-${name}`));
  const checkpoint = join(folder, `${scene}.checkpoint`);
  run("simulate", scene, ...words, "--json", json, "--report", report, "--checkpoint", checkpoint, "--quiet");
  const page = await open(browser, pathToFileURL(report).href);
  return { page, found: JSON.parse(readFileSync(json, "utf8")) };
}

test("the page's counters equal the JSON's in every frame", async () => {
  const { page, found } = await shown("jelly", "--bodies", "40", "--steps", "60");
  assert.equal(await page.evaluate(() => document.body.dataset.bodies), "40");
  assert.equal(found.frames.length, 31);
  assert.ok(found.most_contacts > 0, "nothing touches: the test shows nothing");
  for (let number = 0; number < found.frames.length; number++) {
    await page.keyboard.press(number === 0 ? "Home" : "ArrowRight");
    await page.waitForFunction((frame) => document.body.dataset.frame === String(frame), number);
    const counters = await page.$$eval("#counters [data-counter]", (all) =>
      Object.fromEntries(all.map((one) => [one.dataset.counter, one.textContent])),
    );
    const frame = found.frames[number];
    for (const key of ["step", "contacts", "contacts_since", "body_pairs", "tests", "updated"]) {
      assert.equal(digits(counters[key]), frame[key], `${key} of frame ${number}`);
    }
    for (const key of ["kinetic", "gravity", "deformation"]) {
      assert.equal(Number.parseFloat(counters[key]), Number(frame.energy[key].toPrecision(3)), `${key} of frame ${number}`);
    }
  }
  assert.ok((await pixels(page)).colors > 20, "the canvas is blank");
  assert.deepEqual(page.complaints, []);
  await page.close();
});

test("spheres that touch and spheres that a step updates are drawn", async () => {
  const { page, found } = await shown("jelly", "--bodies", "120", "--steps", "80");
  await page.check("#show-touching");
  await page.check("#show-updated");
  await page.locator("#stage").focus();
  let [frame, touching, updated] = [0, 0, 0];
  for (let number = 0; number < found.frames.length && touching === 0; number++) {
    await page.keyboard.press(number === 0 ? "Home" : "ArrowRight");
    await page.waitForFunction((one) => document.body.dataset.frame === String(one), number);
    const spheres = await page.evaluate(() => document.body.dataset.spheres);
    [frame, touching, updated] = [number, ...spheres.split(" ").map(Number)];
  }
  assert.equal(updated, Math.min(found.frames[frame].updated, 4000));
  assert.ok(touching > 0, "no sphere touches");
  for (const plot of ["#plot-contacts", "#plot-energy"]) assert.ok((await page.locator(`${plot} path.line`).count()) > 0);
  assert.deepEqual(page.complaints, []);
  await page.close();
});
