// The page in a real browser, with what the real program gives it.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { fact, goTo, launch, open, pixels, run, serve, timelinePixels, unfold } from "./browser.mjs";

const folder = mkdtempSync(join(tmpdir(), "pliant-page-"));
const model = join(folder, "curtain.glb");
let browser;
let checked;

before(async () => {
  run("demo", "curtain", "--folder", folder);
  run("check", model, "--json", join(folder, "check.json"), "--quiet");
  checked = JSON.parse(readFileSync(join(folder, "check.json"), "utf8"));
  browser = await launch();
});
after(() => browser?.close());

/** The first frame of those with the deepest contact that has most pairs. */
const deepest = () => {
  const bad = ({ kind, depth }) => (kind === "near" ? -1 : kind === "touching" ? 0 : (depth ?? Number.MIN_VALUE));
  const depths = checked.frames.map(({ contacts }) => Math.max(-Infinity, ...contacts.map(bad)));
  const most = Math.max(...depths);
  const pairs = checked.frames.map((frame, at) => (depths[at] === most ? frame.pairs.length : -1));
  return pairs.indexOf(Math.max(...pairs));
};

test("the served page shows the scene, and its numbers are those of check --json", async () => {
  const server = await serve(model);
  try {
    const page = await open(browser, server.address);
    assert.ok((await pixels(page)).colors > 20, "the canvas is blank");
    await page.keyboard.press("m");
    await page.waitForSelector(`body[data-frame="${deepest()}"]`);
    for (const number of [deepest(), 0, checked.frames.length - 1]) {
      await goTo(page, number);
      const frame = checked.frames[number];
      assert.equal(await fact(page, "pairs"), String(frame.pairs.length));
      assert.equal(await fact(page, "bounds"), String(frame.work.bounds));
      assert.equal(await fact(page, "tests"), String(frame.work.primitive_tests));
    }
    assert.deepEqual(page.complaints, []);
    await page.close();
  } finally {
    server.stop();
  }
});

/** Two chains that pass each other, in so many frames, as XYZ. */
function passing(beads, frames) {
  const models = Array.from({ length: frames }, (_, frame) => {
    const lines = Array.from({ length: beads }, (_, bead) => {
      const half = beads / 2;
      return bead < half ? `C ${3 * bead} 0 0` : `C ${3 * (bead - half)} ${1 + (40 * frame) / frames} 0`;
    });
    return `${beads}\nframe\n${lines.join("\n")}\n`;
  });
  return models.join("");
}

test("a single structure has no timeline, and its overlaps are those that clash prints", async () => {
  const water = (serial, x) =>
    `HETATM    ${serial}  O   HOH W   ${serial}    ${x.toFixed(3).padStart(8)}   0.000   0.000  1.00  0.00           O`;
  const structure = join(folder, "waters.pdb");
  writeFileSync(structure, [water(1, 0), water(2, 0.5), water(3, 9)].join("\n"));
  const report = join(folder, "waters.html");
  // A hydrogen bond allows for 0.6 of 2.54 ångströms.
  assert.match(run("clash", structure, "--report", report), /W HOH 1 O and W HOH 2 O +1\.940 +0\.500/);
  const page = await open(browser, pathToFileURL(report).href);
  assert.match(await page.textContent("#contacts button >> nth=0"), /W HOH 1 and W HOH 2.*1\.94 overlap/);
  assert.ok(!(await page.isVisible("#timeline")));
  assert.equal(await page.locator('[data-fact="frame"]').count(), 0);
  assert.deepEqual(page.complaints, []);
  await page.close();
});

// It said "every 2th frame".
test("a long trajectory is thinned, and the page says in plain words by how much", async () => {
  const structure = join(folder, "long.xyz");
  writeFileSync(structure, passing(1000, 300));
  const long = join(folder, "long.html");
  run("clash", structure, "--atoms", "all", "--radius", "1", "--report", long, "--quiet");
  const page = await open(browser, pathToFileURL(long).href);
  const said = (await page.textContent("#omissions")).replace(/\u202f/g, "");
  assert.match(said, /^150 of 300 frames of the run are in this page\./);
  assert.doesNotMatch(await page.textContent("body"), /\dth frame/);
  assert.deepEqual(page.complaints, []);
  await page.close();
});

test("contacts are red, and a chosen pair is explained and framed", async () => {
  const page = await open(browser, pathToFileURL(join(folder, "report.html")).href);
  await goTo(page, 0);
  const before = (await pixels(page)).red;
  await page.click("#deepest");
  await page.waitForSelector(`body[data-frame="${deepest()}"]`);
  // The ball hides the cut from the front.
  await page.click("#contacts button >> nth=0");
  assert.ok((await pixels(page)).red > before + 20, "no red near the cut in the deepest frame");
  const [a, i, , j] = checked.frames[deepest()].pairs[0];
  await unfold(page, "pairs-fold");
  await page.click("#pairs button >> nth=0");
  const detail = await page.textContent("#detail");
  assert.match(detail, new RegExp(`Triangle ${i} of ${checked.objects[a].name} .*triangle ${j} of `));
  assert.deepEqual(page.complaints, []);
  await page.close();
});

test("it plays, pauses, steps and jumps by a click on the timeline", async () => {
  const page = await open(browser, pathToFileURL(join(folder, "report.html")).href);
  const current = async () => Number(await page.getAttribute("body", "data-frame"));
  await goTo(page, 0);
  await page.click("#play");
  await page.waitForFunction(() => Number(document.body.dataset.frame) > 2);
  await page.click("#play");
  const stopped = await current();
  await page.waitForTimeout(300);
  assert.equal(await current(), stopped);
  await page.click("#on");
  assert.equal(await current(), (stopped + 1) % checked.frames.length);
  await page.click("#back");
  assert.equal(await current(), stopped);
  const box = await page.locator("#timeline").boundingBox();
  await page.mouse.click(box.x + box.width * 0.5, box.y + box.height / 2);
  assert.ok(Math.abs((await current()) - checked.frames.length / 2) <= 1);
  await page.close();
});

test("bounds of a level can be shown, all or only the visited ones", async () => {
  const page = await open(browser, pathToFileURL(join(folder, "report.html")).href);
  await page.click("#deepest");
  const plain = await page.locator("#stage").screenshot();
  await unfold(page, "bounds-fold");
  await page.selectOption("#level", "4");
  const drawn = async () => (await page.textContent("aside")).match(/(\d+) of (\d+) volumes/).slice(1).map(Number);
  const [all, total] = await drawn();
  assert.equal(all, total);
  assert.notDeepEqual(await page.locator("#stage").screenshot(), plain);
  await page.check("#visited");
  const [visited] = await drawn();
  assert.ok(visited > 0 && visited <= total);
  await page.selectOption("#level", "");
  await page.close();
});

test("objects can be hidden, and the theme changed", async () => {
  const page = await open(browser, pathToFileURL(join(folder, "report.html")).href);
  const before = (await pixels(page)).colors;
  for (const box of await page.locator("#objects input").all()) await box.uncheck();
  assert.ok((await pixels(page)).colors < before / 2);
  const back = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await back();
  await page.click("#theme");
  assert.notEqual(await back(), light);
  await page.close();
});

test("on a phone nothing sticks out, and everything to press has 44 pixels", async () => {
  const page = await open(browser, pathToFileURL(join(folder, "report.html")).href, { width: 390, height: 844 });
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(wide <= 390, `the page is ${wide} wide`);
  assert.ok(await page.locator("#play").isVisible());
  for (const id of ["pairs-fold", "bounds-fold", "details-fold"]) await unfold(page, id);
  const targets = await page.evaluate(() => {
    // A checkbox is pressed by its label.
    const all = document.querySelectorAll("button, select, summary, label, input[type=search], #timeline");
    const shown = [...all].filter((one) => one.getClientRects().length > 0);
    return shown.map((one) => [one.outerHTML.slice(0, 60), one.offsetWidth ?? one.clientWidth, one.offsetHeight]);
  });
  assert.ok(targets.length > 15);
  for (const [target, width, height] of targets) assert.ok(width >= 44 && height >= 44, `${target}: ${width} × ${height}`);
  assert.ok((await pixels(page)).colors > 20);
  await page.close();
});

test("the demo's report is small", () => {
  assert.ok(statSync(join(folder, "report.html")).size < 5_000_000);
});

test("beads are shown with their clashes, as many as the JSON says", async () => {
  const beads = join(folder, "beads");
  run("demo", "protein", "--folder", beads, "--json", join(folder, "clash.json"));
  const { frames } = JSON.parse(readFileSync(join(folder, "clash.json"), "utf8"));
  const page = await open(browser, pathToFileURL(join(beads, "report.html")).href);
  await goTo(page, 3);
  assert.equal(await fact(page, "pairs"), String(frames[3].clashes.length));
  assert.ok((await pixels(page)).red > 100, "no red beads");
  await unfold(page, "pairs-fold");
  await page.click("#pairs button >> nth=0");
  assert.match(await page.textContent("#detail"), /centres .* apart, radii sum to 4.4/);
  assert.deepEqual(page.complaints, []);
  await page.close();
});

test("a hostile name is shown as text, in page and report", async () => {
  const name = "</script><img src=x onerror=document.title='owned'><script>document.title='owned'</script>";
  const file = join(folder, "hostile.gltf");
  const triangle = Buffer.from(new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0]).buffer).toString("base64");
  writeFileSync(
    file,
    JSON.stringify({
      asset: { version: "2.0" },
      scene: 0,
      scenes: [{ nodes: [0] }],
      nodes: [{ name, mesh: 0 }],
      meshes: [{ primitives: [{ attributes: { POSITION: 0 } }] }],
      accessors: [{ bufferView: 0, componentType: 5126, count: 3, type: "VEC3", min: [0, 0, 0], max: [1, 1, 0] }],
      bufferViews: [{ buffer: 0, byteLength: 36 }],
      buffers: [{ byteLength: 36, uri: `data:application/octet-stream;base64,${triangle}` }],
    }),
  );
  const report = join(folder, "hostile.html");
  run("check", file, "--quiet", "--report", report);
  const server = await serve(file);
  try {
    for (const address of [pathToFileURL(report).href, server.address]) {
      const page = await open(browser, address);
      assert.equal(await page.textContent("#objects .name"), name);
      assert.notEqual(await page.title(), "owned");
      assert.equal(await page.locator("img").count(), 0);
      assert.deepEqual(page.complaints, []);
      await page.close();
    }
  } finally {
    server.stop();
  }
});

test("the server answers this machine only by its own names, and ends with Ctrl-C", async () => {
  const server = await serve(model, "--times", "0");
  const { port } = new URL(server.address);
  const status = (host, path) =>
    new Promise((resolve, reject) => {
      const asked = request({ host: "127.0.0.1", port, path, headers: { host } }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      });
      asked.on("error", reject);
      asked.end();
    });
  assert.equal(await status(`localhost:${port}`, "/view.json"), 200);
  assert.equal(await status("evil.example", "/view.json"), 403);
  assert.equal(await status(`localhost:${port}`, "/../../etc/passwd"), 404);
  const ended = new Promise((resolve) => server.child.once("exit", resolve));
  server.stop();
  await ended;
});

test("a thousand idle clients do not keep the page out", async () => {
  const server = await serve(model, "--times", "0");
  const { port } = new URL(server.address);
  const idle = [];
  try {
    for (let number = 0; number < 1000; number++) {
      await new Promise((resolve, reject) => {
        const client = connect({ host: "127.0.0.1", port, allowHalfOpen: true }, resolve);
        client.once("error", reject);
        idle.push(client);
      });
    }
    const page = await open(browser, server.address);
    assert.ok((await pixels(page)).colors > 20, "the canvas is blank");
    assert.deepEqual(page.complaints, []);
    await page.close();
  } finally {
    idle.forEach((client) => client.destroy());
    server.stop();
  }
});
