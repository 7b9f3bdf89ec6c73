// The package `pliant`: the module's classes, its start, and what to do when it has stopped.
import start, { initSync, Body, Player, Scene, World, version } from "./pliant_wasm.js";

export { Body, Player, Scene, World, version };

// How often the module was started, and why it cannot be used. Objects of an earlier module are void.
let generation = 0;
let memory;
let stopped = "pliant is not started: await init() first";
// The module that an object belongs to: a property is found faster than an entry of a map.
const BORN = Symbol("the start of pliant that made it");

const STOPPED = "pliant stopped: ";

/** Whether an error means that the module cannot go on: a defect, or no memory left. */
function isStop(error) {
  if (error instanceof WebAssembly.RuntimeError || error instanceof RangeError) return true;
  return typeof error === "string" ? error.startsWith(STOPPED) : String(error?.message).startsWith(STOPPED);
}

/** What a call throws; remembers a stop. */
function failed(error) {
  if (!isStop(error)) return error;
  const reason = typeof error === "string" ? error : `${STOPPED}${error.message}`;
  stopped = `${reason}; await init() makes it anew, and objects of before are lost`;
  return new Error(stopped, { cause: error });
}

function check(object) {
  if (object[BORN] === generation) return;
  throw new Error(object[BORN] === undefined ? "the object was disposed of" : "the object was made before pliant was started anew");
}

function remember(result) {
  if (result instanceof Body || result instanceof Player || result instanceof Scene || result instanceof World) {
    result[BORN] = generation;
  }
  return result;
}

/** A function that says when the module has stopped, and refuses objects of an earlier one. */
function guarded(original, ofObject) {
  return function (...given) {
    if (stopped) throw new Error(stopped);
    if (ofObject) check(this);
    for (let at = 0; at < given.length; at++) {
      const one = given[at];
      if (typeof one === "object" && one !== null && BORN in one) check(one);
    }
    let result;
    try {
      result = original.apply(this, given);
    } catch (error) {
      throw failed(error);
    }
    return typeof result === "object" ? remember(result) : result;
  };
}

/** Lets every function of a class say when the module has stopped. */
function guard(Class) {
  for (const holder of [Class, Class.prototype]) {
    for (const [name, of] of Object.entries(Object.getOwnPropertyDescriptors(holder))) {
      if (["constructor", "prototype", "name", "length", "free", "__destroy_into_raw", "__wrap"].includes(name)) {
        if (!(name === "free" && holder === Class)) continue;
      }
      for (const part of ["value", "get"]) {
        if (typeof of[part] === "function") of[part] = guarded(of[part], holder !== Class);
      }
      Object.defineProperty(holder, name, of);
    }
  }
  // What is disposed of twice, or after its module has stopped, is gone already.
  const free = Class.prototype.free;
  Class.prototype.dispose = function () {
    if (this[BORN] === generation && !stopped) free.call(this);
    this[BORN] = undefined;
  };
  Class.prototype.free = Class.prototype.dispose;
  if (Symbol.dispose) Class.prototype[Symbol.dispose] = Class.prototype.dispose;
}

for (const Class of [Body, Player, Scene, World]) guard(Class);

/** A world is made by its constructor, which JavaScript lets nobody replace in place. */
const Made = World;
export const world = guarded(() => new Made(), false);

// A function that returns lanes of zeros: engines without wide instructions refuse it.
const PROBE = [0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11];

/** Whether the engine has wide instructions (SIMD). Answers are the same without. */
export const hasWideInstructions = WebAssembly.validate(new Uint8Array(PROBE));

/**
 * Starts the module, or makes it anew after it has stopped. Without an argument the module beside this
 * file is loaded; else it may be its bytes, a URL, a Response or a compiled WebAssembly.Module.
 */
export async function init(source) {
  let given = source ?? (hasWideInstructions ? new URL("./pliant_wasm_bg.wasm", import.meta.url) : new URL("./pliant_wasm_scalar.wasm", import.meta.url));
  const isNode = typeof process !== "undefined" && process.versions?.node;
  if (isNode && given instanceof URL && given.protocol === "file:") {
    const { readFile } = await import(/* @vite-ignore */ /* webpackIgnore: true */ "node:fs/promises");
    given = await readFile(given);
  }
  if (given instanceof Uint8Array || given instanceof ArrayBuffer || given instanceof WebAssembly.Module) {
    memory = initSync({ module: given }).memory;
  } else {
    memory = (await start({ module_or_path: given })).memory;
  }
  generation += 1;
  stopped = undefined;
}

/** The memory that the module has taken so far. */
export function memoryBytes() {
  return memory?.buffer.byteLength ?? 0;
}

/** The contacts of every frame of a scene's animation, one after the other. */
export function* check_(scene, { animation, fps = 30, times, selfContacts = false, regions = true, blending = "linear" } = {}) {
  const number = animation ?? (scene.animations.length > 0 ? 0 : undefined);
  const player = scene.play(number, selfContacts, blending);
  try {
    for (const time of times ?? scene.frameTimes(number, fps)) {
      player.setTime(time);
      yield { time, contacts: player.contacts(regions) };
    }
  } finally {
    player.dispose();
  }
}
export { check_ as check };
