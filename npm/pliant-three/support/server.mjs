// Serves the packages beside this one, and named files, to this machine.
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { extname, join, normalize, sep } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm", ".json": "application/json", ".glb": "model/gltf-binary" };

/** `files` are further ones by address, such as { "/model.glb": "fox.glb" }. Returns the address and a way to stop. */
export async function serve(files = {}, port = 0) {
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, "http://localhost");
    const inside = normalize(join(root, decodeURIComponent(pathname)));
    const file = files[pathname] ?? (inside.startsWith(root) ? inside : undefined);
    try {
      if (!file || file.endsWith(sep)) throw new Error("no such file");
      const bytes = await readFile(file);
      response.writeHead(200, {
        "content-type": TYPES[extname(file)] ?? "application/octet-stream",
        // Clocks of pages that nobody else can look into are finer.
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-embedder-policy": "require-corp",
      });
      response.end(bytes);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((done) => server.listen(port, "127.0.0.1", done));
  return { address: `http://127.0.0.1:${server.address().port}`, stop: () => server.close() };
}
