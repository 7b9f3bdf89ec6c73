// Reads a file and finds its contacts frame by frame, beside the page. The page ends it whenever it likes.

import * as pliant from "../../../npm/pliant/index.js";
import { bytesOf, type Contact } from "../format";
import { contactOf, shownPairs } from "./contacts";
import type { Answer, DropObject, Found, Question, State } from "./messages";

/** Frames per second, and how many of them at the most: a long clip is sampled more coarsely. */
const [FPS, MOST_FRAMES] = [30, 600];

const tell = (answer: Answer, transfer: Transferable[] = []) => postMessage(answer, { transfer });

async function unzip(text: string): Promise<ArrayBuffer> {
  const stream = new Blob([bytesOf(text)]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

/** The times of a clip's frames. */
function timesOf(scene: pliant.Scene, animation: number | undefined): Float64Array {
  if (animation === undefined) return new Float64Array([0]);
  const { start, end } = scene.animations[animation];
  const fps = Math.min(FPS, (MOST_FRAMES - 1) / Math.max(end - start, 1e-9));
  return scene.frameTimes(animation, fps);
}

/** What is found at a time. */
function frameOf(player: pliant.Player, time: number, objects: DropObject[], most: number): Found {
  const since = performance.now();
  player.setTime(time);
  const found = player.contacts(true);
  const { bounds, overlapTests, primitiveTests } = player.work;
  const work = { bounds, overlap_tests: overlapTests, primitive_tests: primitiveTests, seconds: (performance.now() - since) / 1000 };
  const pairs = shownPairs(found, most);
  const bone = (object: number, vertex: number) => player.bone(object, vertex) ?? null;
  const contacts: Contact[] = found.map((one) => contactOf(one, objects, bone));
  const states: State[] = objects.map((_, object) => player.state(object));
  const pairsFound = found.reduce((sum, one) => sum + one.pairs.length / 2, 0);
  return { kind: "found", time, states, pairs, pairsFound, segments: player.segments(pairs), contacts, work };
}

async function answer({ module, bytes, name, selfContacts, animation }: Question) {
  await pliant.init(await unzip(module));
  const scene = pliant.Scene.fromBytes(new Uint8Array(bytes), name);
  const played = scene.animations.length > 0 ? animation : undefined;
  const times = timesOf(scene, played);
  const player = scene.play(played, selfContacts, "linear");
  const objects = scene.objects.map((_, object) => player.drawn(object));
  const animations = scene.animations.map((one, number) => one.name || `animation ${number}`);
  tell({ kind: "opened", version: pliant.version(), objects, animations, warnings: scene.warnings, frames: times.length });
  // As many as a report of the program draws.
  const most = Math.min(Math.max(Math.floor(400_000 / times.length), 200), 4000);
  for (const time of times) {
    const found = frameOf(player, time, objects, most);
    tell(found, [found.pairs.buffer, found.segments.buffer]);
  }
  tell({ kind: "done" });
}

addEventListener("message", ({ data }: MessageEvent<Question>) => {
  answer(data).catch((problem: unknown) => {
    tell({ kind: "problem", text: problem instanceof Error ? problem.message : String(problem) });
  });
});
