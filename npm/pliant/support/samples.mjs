// Every glTF sample of the shared data, and what the program says of it.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../../", import.meta.url));
export const data = process.env.PLIANT_SHARED_DATA ?? join(root, "../shared/data");
export const program = process.env.PLIANT ?? join(root, "target/release/pliant");
export const hasSamples = existsSync(data) && existsSync(program);

export function filesBelow(folder, extensions) {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) return filesBelow(path, extensions);
    return extensions.some((extension) => name.endsWith(extension)) ? [path] : [];
  });
}

/** A file as one piece: the module has no disk, so that buffers beside a .gltf go into it. */
function whole(file) {
  const bytes = readFileSync(file);
  if (!file.endsWith(".gltf")) return bytes;
  const gltf = JSON.parse(bytes.toString("utf8"));
  for (const buffer of gltf.buffers ?? []) {
    if (!buffer.uri || buffer.uri.startsWith("data:")) continue;
    const beside = join(dirname(file), decodeURIComponent(buffer.uri));
    if (existsSync(beside)) buffer.uri = `data:application/octet-stream;base64,${readFileSync(beside).toString("base64")}`;
  }
  return Buffer.from(JSON.stringify(gltf));
}

/** Paths, and how to read each. */
export const samples = () =>
  filesBelow(join(data, "gltf"), [".glb", ".gltf", ".vrm"]).map((file) => ({ file, name: relative(data, file), read: () => whole(file) }));

/** What the program's JSON says of the same frames, as `found` writes it: pairs and depths, or why there are none. */
export function told(file, { error, times, isAnimated }) {
  const words = ["check", file, "--self", "--quiet", "--max-pairs", "10000000", "--json", "-", "--times", (times ?? [0]).join(",")];
  if (isAnimated) words.push("--animation", "0");
  const done = spawnSync(program, words, { encoding: "utf8", maxBuffer: 1 << 30 });
  if (error !== undefined) return { error: done.status === 2 ? "refused" : "read" };
  // The program refuses files of points and lines; the module finds nothing in them.
  if (done.stderr.includes("nothing with a surface")) return { frames: times.map(() => []), depths: times.map(() => []) };
  if (done.status !== 0) return { error: done.stderr };
  const { frames } = JSON.parse(done.stdout);
  return {
    frames: frames.map(({ pairs }) => pairs.map((pair) => pair.join(" ")).sort()),
    depths: frames.map(({ contacts }) => contacts.map(({ objects, regions }) => [objects.join(" "), ...regions.map(({ kind, depth }) => [kind, depth])])),
  };
}
