// Makes the page without the program, one file: node drop.mjs [FILE]. Needs npm/pliant, built, and this page, built.
// It holds the same script and style as a report, the worker, and the module.

import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "vite";

/** Bytes, at the most. */
const LARGEST = 2_000_000;

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const out = process.argv[2] ?? here("../target/pliant.html");
const page = (name) => readFileSync(here(`../crates/pliant-cli/page/${name}`), "utf8");

// The module comes with the page: nothing is loaded from beside the script.
const noAddress = {
  name: "no-address",
  enforce: "pre",
  transform: (code, id) =>
    id.includes("npm/pliant/")
      ? code.replace(/new URL\([^)]*import\.meta\.url\)/g, "undefined").replace(/await import\([^)]*\)/g, "{}")
      : null,
};

const built = await build({
  configFile: false,
  root: here("."),
  logLevel: "warn",
  plugins: [noAddress],
  build: {
    write: false,
    target: "es2022",
    modulePreload: false,
    rollupOptions: { input: here("src/drop/worker.ts"), output: { format: "iife", entryFileNames: "worker.js" } },
  },
});
const [{ code: worker }] = (Array.isArray(built) ? built[0] : built).output;
const [script, style] = [page("page.js"), page("page.css")];
const module = gzipSync(readFileSync(here("../npm/pliant/pliant_wasm_bg.wasm")), { level: 9 }).toString("base64");
for (const text of [script, style, worker]) {
  if (/<\/(script|style)/i.test(text)) throw new Error("a part would end its own element");
}
const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
const policy = [
  "default-src 'none'",
  `script-src ${hash(script)} 'wasm-unsafe-eval'`,
  `style-src ${hash(style)}`,
  "worker-src blob:",
  "img-src data: blob:",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");
const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>pliant</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<div id="app"></div>
<script type="text/plain" id="pliant-worker">${worker}</script>
<script type="application/octet-stream" id="pliant-module">${module}</script>
<script>${script}</script>
</body>
</html>
`;
const size = Buffer.byteLength(html);
console.log(`${out}: ${size} bytes (script ${script.length}, worker ${worker.length}, module ${module.length})`);
if (size > LARGEST) throw new Error(`the page has ${size} bytes, more than ${LARGEST}`);
mkdirSync(dirname(out), { recursive: true });
writeFileSync(out, html);
