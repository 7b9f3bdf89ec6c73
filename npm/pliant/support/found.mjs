// What the module finds in a file; the same code in Node and in a browser.
import * as pliant from "../index.js";

export const start = (module) => pliant.init(module);

/** Kinds of regions as the program calls them. */
const KINDS = { touching: "touching", crossing: "crossing", contained: "inside" };

/** The program reports so many regions of a contact, the deepest first; a depth that cannot be told is more than none. */
const [MOST_REGIONS, UNTOLD] = [64, 2.2250738585072014e-308];

/** Kind and depth of the regions, in the program's order. */
function depthsOf(regions) {
  const key = ({ depth }) => depth ?? UNTOLD;
  const deepest = [...regions].sort((a, b) => key(b) - key(a)).slice(0, MOST_REGIONS);
  return deepest.map(({ kind, depth }) => [KINDS[kind], depth]);
}

/**
 * The contacts of a file at two times of its first animation: for each frame "object triangle object triangle" of every pair,
 * sorted, and for every contact "object object", with kind and depth of its regions. A file that is refused has an error instead.
 */
export function found(bytes, name) {
  let scene;
  try {
    scene = pliant.Scene.fromBytes(bytes, name);
  } catch (error) {
    return { error: error.message };
  }
  try {
    const [animation] = scene.animations;
    const times = animation ? [animation.start, (animation.start + animation.end) / 3] : [0];
    const all = [...pliant.check(scene, { times, selfContacts: true })];
    const frames = all.map(({ contacts }) =>
      contacts
        .flatMap(({ objects: [a, b], pairs }) => Array.from({ length: pairs.length / 2 }, (_, at) => `${a} ${pairs[2 * at]} ${b} ${pairs[2 * at + 1]}`))
        .sort(),
    );
    const depths = all.map(({ contacts }) =>
      contacts.map(({ objects: [a, b], regions }) => [`${a} ${b}`, ...depthsOf(regions)]),
    );
    return { times, isAnimated: animation !== undefined, frames, depths };
  } finally {
    scene.dispose();
  }
}
