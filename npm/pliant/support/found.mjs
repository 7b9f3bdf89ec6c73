// What the module finds in a file; the same code in Node and in a browser.
import * as pliant from "../index.js";

export const start = (module) => pliant.init(module);

/**
 * The contacts of a file at two times of its first animation: for each frame "object triangle object triangle" of every pair,
 * sorted. A file that is refused has an error instead.
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
    const frames = [...pliant.check(scene, { times, selfContacts: true, regions: false })].map(({ contacts }) =>
      contacts
        .flatMap(({ objects: [a, b], pairs }) => Array.from({ length: pairs.length / 2 }, (_, at) => `${a} ${pairs[2 * at]} ${b} ${pairs[2 * at + 1]}`))
        .sort(),
    );
    return { times, isAnimated: animation !== undefined, frames };
  } finally {
    scene.dispose();
  }
}
