// A real browser, and what every test asks of it.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/** The program under test: a release build unless PLIANT names another. */
export const pliant = process.env.PLIANT ?? here("../../target/release/pliant");
assert.ok(existsSync(pliant), `${pliant} is missing: cargo build --release, or set PLIANT`);

/** Runs the program to its end. */
export function run(...words) {
  const done = spawnSync(pliant, words, { encoding: "utf8", maxBuffer: 1 << 28 });
  assert.equal(done.status, 0, done.stderr);
  return done.stdout;
}

/** Starts `pliant view` and gives its address and a way to end it. */
export async function serve(...words) {
  const child = spawn(pliant, ["view", ...words, "--no-open"], { stdio: ["ignore", "pipe", "pipe"] });
  const address = await new Promise((resolve, reject) => {
    let complaints = "";
    child.stderr.on("data", (text) => (complaints += text));
    child.stdout.once("data", (text) => resolve(String(text).trim()));
    child.once("exit", () => reject(new Error(complaints)));
  });
  return { address, child, stop: () => child.kill("SIGINT") };
}

/** Software rendering, no network, a profile of its own. */
export const launch = () =>
  chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: [
      "--no-sandbox",
      "--use-angle=swiftshader",
      "--enable-unsafe-swiftshader",
      "--disable-background-networking",
      "--disable-component-update",
      "--no-first-run",
    ],
  });

/** Opens a page, waits until it shows something, and collects what it complains of. */
export async function open(browser, address, size = { width: 1280, height: 800 }) {
  const page = await browser.newPage({ viewport: size });
  page.complaints = [];
  page.on("console", (message) => {
    // Software rendering is slow, and says so when pixels are read back.
    if (["error", "warning"].includes(message.type()) && !/GPU stall|swiftshader|getImageData/i.test(message.text())) {
      page.complaints.push(message.text());
    }
  });
  page.on("pageerror", (error) => page.complaints.push(error.message));
  await page.goto(address);
  await page.waitForSelector("body[data-ready]", { timeout: 60_000 });
  return page;
}

/** How many colours the 3D view has, and how many of its pixels are red: marks of contact. */
export const pixels = (page) =>
  page.evaluate(async () => {
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    const stage = document.getElementById("stage");
    const copy = document.createElement("canvas");
    [copy.width, copy.height] = [stage.width, stage.height];
    const context = copy.getContext("2d");
    context.drawImage(stage, 0, 0);
    const { data } = context.getImageData(0, 0, copy.width, copy.height);
    const colors = new Set();
    let red = 0;
    for (let i = 0; i < data.length; i += 4) {
      colors.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
      if (data[i] > 200 && data[i + 1] < 90 && data[i + 2] < 90) red++;
    }
    return { colors: colors.size, red };
  });

/** A number of the panel. */
export async function fact(page, name) {
  const text = await page.textContent(`[data-fact="${name}"]`);
  return text.replace(/\u202f/g, "").trim();
}

/** Goes to a frame with the search box. */
export async function goTo(page, frame) {
  await page.fill("#search", `frame ${frame}`);
  await page.click(`text="Go to frame ${frame}"`);
  await page.waitForSelector(`body[data-frame="${frame}"]`);
}

/** Opens a fold of the panel. */
export const unfold = (page, id) => page.click(`#${id} > summary`);

/** The colours of the timeline along a row of pixels, from 0 at the top to 1 at the bottom, and whether each is a bar's. */
export const timelinePixels = (page, row) =>
  page.evaluate((row) => {
    const canvas = document.getElementById("timeline");
    const y = Math.min(Math.floor(row * canvas.height), canvas.height - 1);
    const { data } = canvas.getContext("2d").getImageData(0, y, canvas.width, 1);
    const colors = Array.from({ length: canvas.width }, (_, x) => [...data.slice(4 * x, 4 * x + 3)]);
    return colors.map(([r, g, b]) => ({ r, g, b, bar: r > 180 && g < 100 && b < 100 }));
  }, row);
