// How long a file that is dropped takes: node bench/drop.mjs FILE [FILE ...]. Needs target/pliant.html.
//
// From the file's arrival to the first contacts in the panel and to the last frame, and the longest time for which
// the page did not answer (tasks of 50 ms and more, by the browser's own account).

import { basename } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { launch } from "../tests/browser.mjs";

const html = process.env.PLIANT_HTML ?? fileURLToPath(new URL("../../target/pliant.html", import.meta.url));
const browser = await launch();
console.log(`Chromium ${browser.version()}, software rendering`);
for (const file of process.argv.slice(2)) {
  const page = await browser.newPage();
  await page.goto(pathToFileURL(html).href);
  await page.waitForSelector("body[data-ready]");
  await page.evaluate(() => {
    window.times = { tasks: [] };
    new PerformanceObserver((list) => times.tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: "longtask" });
    document.getElementById("choose").addEventListener("change", () => (times.start = performance.now()), { capture: true });
    const look = () => {
      if (!times.first && document.querySelector('[data-fact="pairs"]')) times.first = performance.now();
      if (times.first && document.getElementById("cancel")?.hidden) times.last = performance.now();
      else requestAnimationFrame(look);
    };
    look();
  });
  await page.setInputFiles("#choose", file);
  await page.waitForFunction(() => times.last, null, { timeout: 600_000 });
  const { start, first, last, tasks } = await page.evaluate(() => times);
  const frames = await page.getAttribute("body", "data-frames");
  const longest = Math.max(0, ...tasks);
  console.log(`${basename(file)}: first contacts ${((first - start) / 1000).toFixed(2)} s, ${frames} frames ${((last - start) / 1000).toFixed(2)} s, longest task ${longest > 0 ? `${longest.toFixed(0)} ms` : "below 50 ms"}`);
  await page.close();
}
await browser.close();
