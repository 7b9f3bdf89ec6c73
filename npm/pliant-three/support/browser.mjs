// A real browser.
import { existsSync } from "node:fs";
import { chromium } from "playwright-core";

const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
export const hasBrowser = existsSync(executablePath);

/** Software rendering, no network, a profile of its own. */
export const launch = () =>
  chromium.launch({ executablePath, args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-background-networking", "--no-first-run"] });

/** Opens a page and collects what it complains of. */
export async function open(browser, address) {
  const page = await browser.newPage({ viewport: { width: 900, height: 600 } });
  page.complaints = [];
  page.on("console", (message) => {
    if (message.type() === "error") page.complaints.push(message.text());
  });
  page.on("pageerror", (error) => page.complaints.push(error.message));
  await page.goto(address);
  return page;
}
