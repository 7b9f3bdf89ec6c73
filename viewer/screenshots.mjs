// Makes the pictures of the README: node viewer/screenshots.mjs (needs a release build and Chromium).

import { mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { goTo, launch, open, run, unfold } from "./tests/browser.mjs";

const pictures = fileURLToPath(new URL("../docs/pictures", import.meta.url));
mkdirSync(pictures, { recursive: true });
const folder = mkdtempSync(join(tmpdir(), "pliant-pictures-"));
const browser = await launch();

/** One picture of a demo's report. */
async function picture(demo, name, size, prepare) {
  run("demo", demo, "--folder", join(folder, demo));
  const page = await open(browser, pathToFileURL(join(folder, demo, "report.html")).href, size);
  await prepare(page);
  await page.waitForTimeout(500);
  await page.screenshot({ path: join(pictures, name) });
  await page.close();
}

const laptop = { width: 1280, height: 800 };
await picture("curtain", "curtain.png", laptop, async (page) => {
  await page.click("#deepest");
  await unfold(page, "bounds-fold");
  await page.selectOption("#level", "6");
  await page.check("#visited");
});
const deepest = async (page) => page.click("#deepest");
await picture("men", "men.png", laptop, deepest);
await picture("protein", "protein.png", laptop, (page) => goTo(page, 5));
await picture("men", "phone.png", { width: 390, height: 844 }, deepest);
await browser.close();
