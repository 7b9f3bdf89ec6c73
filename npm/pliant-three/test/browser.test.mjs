// The example in Chromium: the page runs, and names what is under the pointer.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { data, hasData } from "../support/scenes.mjs";
import { hasBrowser, launch, open } from "../support/browser.mjs";
import { serve } from "../support/server.mjs";

const skip = (!hasData && "needs shared data") || (!hasBrowser && "needs Chromium");

test("hovering a running fox shows triangle, bone and point", { skip, timeout: 120000 }, async () => {
  const { address, stop } = await serve({ "/model.glb": join(data, "gltf/skinned/Fox.glb") });
  const browser = await launch();
  try {
    const page = await open(browser, `${address}/pliant-three/examples/fox.html`);
    await page.waitForSelector("body[data-ready]", { timeout: 60000 });
    assert.match(await page.textContent("#hit"), /Move the pointer/);
    await page.mouse.move(450, 300);
    await page.waitForSelector("body[data-triangle]", { timeout: 60000 });
    const text = await page.textContent("#hit");
    assert.match(text, /triangle \d+\nbone b_\w+\nbarycentric \d\.\d{3}, \d\.\d{3}, \d\.\d{3}/);
    await page.mouse.move(2, 2);
    await page.waitForFunction(() => /Move the pointer/.test(document.getElementById("hit").textContent));
    assert.deepEqual(page.complaints, []);
  } finally {
    await browser.close();
    stop();
  }
});
