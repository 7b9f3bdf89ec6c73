// The package in Chromium: the program's answers on every sample.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { hasBrowser, launch, open } from "../../pliant-three/support/browser.mjs";
import { serve } from "../../pliant-three/support/server.mjs";
import { hasSamples, samples, told } from "../support/samples.mjs";

const skip = (!hasSamples && "needs shared data and target/release/pliant") || (!hasBrowser && "needs Chromium");

test("in Chromium every sample has the contacts and depths of the program's JSON", { skip, timeout: 600000 }, async () => {
  // Browsers ask for an icon.
  const { address, stop } = await serve({ "/favicon.ico": fileURLToPath(new URL("../package.json", import.meta.url)) });
  const browser = await launch();
  try {
    // Any page of the same origin may load the module.
    const page = await open(browser, `${address}/pliant/package.json`);
    await page.evaluate(async () => {
      window.module = await import("/pliant/support/found.mjs");
      await window.module.start();
    });
    let [read, pairs, deep] = [0, 0, 0];
    for (const { file, name, read: bytesOf } of samples()) {
      const text = bytesOf().toString("base64");
      const ours = await page.evaluate(
        ([base64, of]) => window.module.found(Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0)), of),
        [text, name],
      );
      const theirs = told(file, ours);
      if (ours.error !== undefined) {
        assert.equal(theirs.error, "refused", `${name}: ${ours.error}`);
        continue;
      }
      assert.deepEqual({ frames: ours.frames, depths: ours.depths }, theirs, name);
      read += 1;
      pairs += ours.frames.flat().length;
      deep += ours.depths.flat(3).filter((depth) => depth > 0).length;
    }
    assert.ok(read > 60 && pairs > 1000 && deep > 50, `${read} files, ${pairs} pairs, ${deep} depths`);
    assert.deepEqual(page.complaints, []);
  } finally {
    await browser.close();
    stop();
  }
});
