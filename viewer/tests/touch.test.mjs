// The page of `pliant touch`: a mouse and fingers touch, and the scene answers.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { launch, open, pixels, pliant } from "./browser.mjs";

let browser;
let folder;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "pliant-touch-"));
  // A wall across the view: the camera looks along -z.
  writeFileSync(join(folder, "wall.obj"), "v -2 -2 0\nv 2 -2 0\nv 2 2 0.3\nv -2 2 0\nf 1 2 3 4\n");
  browser = await launch();
});

after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function serve(...words) {
  const child = spawn(pliant, ["touch", ...words, "--no-open"], { stdio: ["ignore", "pipe", "pipe"] });
  const address = await new Promise((resolve, reject) => {
    let complaints = "";
    child.stderr.on("data", (text) => (complaints += text));
    child.stdout.once("data", (text) => resolve(String(text).trim()));
    child.once("exit", () => reject(new Error(complaints)));
  });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  return { address, stop: () => (child.kill("SIGINT"), ended) };
}

const data = (page, name) => page.evaluate((name) => document.body.dataset[name], name);

async function middle(page) {
  const box = await page.locator("#stage").boundingBox();
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

test("a pressed mouse touches, the wheel goes deeper, and a released one is gone", async () => {
  const path = join(folder, "path.csv");
  // Soft enough that no force reaches the limit.
  const server = await serve(join(folder, "wall.obj"), "--record", path, "--stiffness", "50");
  const page = await open(browser, server.address);
  const { x, y } = await middle(page);
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.waitForFunction(() => Number(document.body.dataset.force) > 0.05);
  assert.ok(Number(await data(page, "touched")) >= 1, "no triangle is marked");
  const first = Number(await data(page, "force"));
  await page.mouse.wheel(0, -100);
  await page.waitForFunction((first) => Number(document.body.dataset.force) > 1.5 * first, first);
  // The proxy stays on the front of the wall, whose heights are from 0 to 0.3.
  const proxy = (await data(page, "proxy")).split(" ").map(Number);
  assert.ok(proxy[2] > 0 && proxy[2] < 0.4, `${proxy}`);
  await page.mouse.move(x + 60, y - 30, { steps: 5 });
  const picture = await pixels(page);
  assert.ok(picture.colors > 20, JSON.stringify(picture));
  if (process.env.SCREENSHOTS) await page.screenshot({ path: join(process.env.SCREENSHOTS, "touch.png") });
  await page.mouse.up();
  await page.waitForFunction(() => document.body.dataset.proxy === "");
  assert.ok((await page.locator("#histogram rect").count()) > 5);
  assert.deepEqual(page.complaints, []);
  await page.close();
  await server.stop();
  const lines = readFileSync(path, "utf8").trim().split("\n");
  assert.equal(lines[0], "time,x,y,z");
  assert.ok(lines.length > 100, `${lines.length} readings`);
});

test("two fingers are two hands", async () => {
  const server = await serve(join(folder, "wall.obj"));
  const page = await open(browser, server.address);
  const { x, y } = await middle(page);
  const session = await page.context().newCDPSession(page);
  const fingers = [-80, 80].map((dx, id) => ({ x: x + dx, y, id }));
  await session.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: fingers });
  await page.waitForFunction(() => Number(document.body.dataset.touched) >= 2);
  await session.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
  await page.waitForFunction(() => document.body.dataset.proxy === "");
  assert.deepEqual(page.complaints, []);
  await page.close();
  await server.stop();
});

test("a chair that is pushed moves", async () => {
  const server = await serve("chairs", "--bodies", "1");
  const page = await open(browser, server.address);
  await page.waitForFunction(() => document.querySelector("[data-fact=objects]").textContent.trim() === "2");
  await page.waitForTimeout(2500);
  const { x, y } = await middle(page);
  await page.mouse.move(x, y);
  await page.mouse.down();
  for (let turn = 0; turn < 6; turn++) await page.mouse.wheel(0, -100);
  await page.waitForTimeout(1500);
  if (process.env.SCREENSHOTS) await page.screenshot({ path: join(process.env.SCREENSHOTS, "touch-chair.png") });
  await page.mouse.up();
  assert.deepEqual(page.complaints, []);
  await page.close();
  await server.stop();
});

test("pages of others may not connect, and a token is asked for", async () => {
  const server = await serve(join(folder, "wall.obj"), "--listen", "127.0.0.1", "--token", "speak friend and enter");
  const [address, token] = server.address.split("#");
  assert.equal(token, "speak friend and enter");
  const { port } = new URL(address);
  const upgrade = (origin) =>
    new Promise((resolve) => {
      const headers = { Upgrade: "websocket", Connection: "Upgrade", "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version": "13", Origin: origin };
      const asked = request({ host: "127.0.0.1", port, path: "/touch", headers });
      asked.on("upgrade", (answer, socket) => (socket.destroy(), resolve(answer.statusCode)));
      asked.on("response", (answer) => resolve(answer.statusCode));
      asked.end();
    });
  assert.equal(await upgrade("https://evil.example"), 403);
  assert.equal(await upgrade(`http://127.0.0.1:${port}`), 101);
  const page = await browser.newPage();
  await page.goto(address);
  await page.waitForFunction(() => document.body.dataset.ended?.includes("token"));
  await page.close();
  await server.stop();
});
