import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { defineConfig } from "vite";

const OUT = "../crates/pliant-cli/page";

// A report holds script and style in the page itself and allows them by their hashes.
const hashes = {
  name: "hashes",
  closeBundle() {
    const hash = (file) => {
      const text = readFileSync(`${OUT}/${file}`, "utf8");
      if (/<\/(script|style)/i.test(text)) throw new Error(`${file} would end its own element`);
      return `sha256-${createHash("sha256").update(text).digest("base64")}`;
    };
    writeFileSync(`${OUT}/hashes.txt`, `${hash("page.js")}\n${hash("page.css")}\n`);
  },
};

// Files with fixed names: the program embeds them, and puts them into one page for a report.
export default defineConfig({
  base: "./",
  plugins: [hashes],
  build: {
    outDir: OUT,
    emptyOutDir: true,
    target: "es2022",
    modulePreload: false,
    cssCodeSplit: false,
    chunkSizeWarningLimit: 1000,
    rollupOptions: {
      input: "src/main.ts",
      output: { format: "iife", entryFileNames: "page.js", assetFileNames: "page[extname]" },
    },
  },
});
