// The page that touches: the mouse or fingers are devices, and the server says what they feel.

import { Box3, Vector3 } from "three";
import { count, element, length, seconds } from "../element";
import { iconButton } from "../icons";
import { Stage } from "../stage";
import { Hands } from "./hands";
import { Histogram } from "./histogram";
import { Connection, type Hand, type Statistics, type Welcome } from "./protocol";
import { Shapes } from "./shapes";
import "./style.css";

export interface TouchView {
  title: string;
  command: string;
  needs_token: boolean;
}

export const isTouch = (json: unknown): json is TouchView =>
  typeof json === "object" && json !== null && (json as { format?: unknown }).format === "pliant-touch";

const HELP =
  "press: touch · drag: in the plane of the view · wheel while pressed: depth · further fingers: further hands · right drag, or drag with Shift: turn · wheel: zoom · R: reset";

/** States and pictures per second. */
const [STATES, PICTURES] = [60, 30];

/** How deep a hand presses at first, as a share of the scene's size. */
const PRESS = 0.012;

const GRIPS = ["free", "sticks", "slides"];

/** A finger or the mouse that is pressed, and the hand that it moves. */
interface Pressed {
  hand: number;
  /** Where it is in the plane of the view, from -1 to 1, and how far from the eye. */
  x: number;
  y: number;
  away: number;
}

export function touchPage(view: TouchView, keyboard: (actions: Record<string, () => void>) => void): HTMLElement {
  const canvas = element("canvas", { class: "stage" });
  canvas.id = "stage";
  canvas.tabIndex = 0;
  const stage = new Stage(canvas);
  const shapes = new Shapes();
  stage.content.add(shapes.group);
  const histogram = new Histogram();
  const facts = element("dl", { class: "facts" });
  facts.id = "facts";
  const values = new Map<string, HTMLElement>();
  for (const [key, title] of [
    ["force", "force"],
    ["grip", "the proxy"],
    ["contacts", "planes that hold it"],
    ["energy", "energy that went in"],
    ["rate", "steps per second"],
    ["steps", "steps"],
    ["missed", "steps a period late"],
    ["median", "half of the steps took up to"],
    ["p999", "999 of 1000 up to"],
    ["longest", "the longest"],
    ["late", "999 of 1000 woke late by up to"],
    ["changes", "changes of the scene"],
    ["objects", "objects"],
  ]) {
    const value = element("dd");
    value.dataset.fact = key;
    values.set(key, value);
    facts.append(element("dt", { text: title }), value);
  }
  const say = (key: string, text: string) => {
    const value = values.get(key);
    if (value) value.textContent = text;
  };
  const note = element("p", { class: "note" });
  const panel = element("aside", { class: "panel" }, facts, element("section", {}, element("h2", { text: "Steps by their time, in µs" }), histogram.root), note);

  let box = new Box3(new Vector3(-1, -1, -1), new Vector3(1, 1, 1));
  let hands: Hands | null = null;
  const pressed = new Map<number, Pressed>();
  const reset = () => stage.lookAtAll(box);

  const connection = new Connection(decodeURIComponent(location.hash.slice(1)), {
    welcome(welcome: Welcome) {
      box = new Box3(new Vector3(...welcome.low), new Vector3(...welcome.high));
      trim(box);
      hands = new Hands(shapes, welcome.radius, welcome.forceLimit, 0.15 * box.getSize(new Vector3()).length());
      stage.content.add(hands.group);
      say("rate", count(welcome.rate));
      connection.watch(STATES, PICTURES);
      reset();
      document.body.dataset.ready = "1";
    },
    state(_step: number, now: Hand[]) {
      document.body.dataset.touched = String(hands?.show(now) ?? 0);
      const first = now[0];
      document.body.dataset.proxy = first ? first.proxy.join(" ") : "";
      const force = first ? Math.hypot(...first.force) : 0;
      document.body.dataset.force = String(force);
      say("force", first ? `${length(force)} N` : "no hand");
      say("grip", first ? GRIPS[first.grip] : "–");
      say("contacts", first ? String(first.contacts.length) : "–");
      say("energy", first ? `${length(first.energy)} J` : "–");
      stage.draw();
    },
    statistics(now: Statistics) {
      const time = (nanoseconds: number) => seconds(nanoseconds * 1e-9);
      say("steps", count(now.steps));
      say("missed", count(now.missed));
      say("median", time(now.median));
      say("p999", time(now.p999));
      say("longest", time(now.longest));
      say("late", time(now.lateP999));
      say("changes", count(now.changes));
      say("objects", count(shapes.count));
      histogram.show(now.doublings);
    },
    object: (slot, name, positions, triangles) => shapes.add(slot, name, positions, triangles),
    map: (slot, map) => shapes.map(slot, map),
    vertices: (slot, positions) => shapes.vertices(slot, positions),
    gone: (slot) => shapes.remove(slot),
    ended(reason: string) {
      note.textContent = reason;
      note.className = "problem";
      document.body.dataset.ended = reason;
    },
  });

  const tell = (one: Pressed) => connection.hand(one.hand, stage.place(one.x, one.y, one.away).toArray());
  const spot = (event: PointerEvent) => {
    const area = canvas.getBoundingClientRect();
    return { x: (2 * (event.clientX - area.left)) / area.width - 1, y: 1 - (2 * (event.clientY - area.top)) / area.height };
  };
  // The camera takes right drags and those with Shift; all others touch.
  const turns = (event: PointerEvent) => event.pointerType === "mouse" && (event.button !== 0 || event.shiftKey);
  canvas.addEventListener("pointerdown", (event) => {
    stage.setTurning(turns(event));
    if (turns(event)) return;
    const taken = new Set([...pressed.values()].map((one) => one.hand));
    const hand = [0, 1, 2, 3, 4].find((number) => !taken.has(number));
    if (hand === undefined) return;
    const { x, y } = spot(event);
    // It begins in front of what is under the pointer, and presses a moment later: so it comes from outside.
    const { away, hit } = stage.distanceTo(x, y, shapes.group);
    const one = { hand, x, y, away: hit ? 0.97 * away : away };
    pressed.set(event.pointerId, one);
    canvas.setPointerCapture(event.pointerId);
    tell(one);
    setTimeout(() => {
      if (!hit || pressed.get(event.pointerId) !== one) return;
      one.away += 0.03 * away + PRESS * box.getSize(new Vector3()).length();
      tell(one);
    }, 80);
  });
  canvas.addEventListener("pointermove", (event) => {
    const one = pressed.get(event.pointerId);
    if (!one) return;
    Object.assign(one, spot(event));
    tell(one);
  });
  const lift = (event: PointerEvent) => {
    const one = pressed.get(event.pointerId);
    if (!one) return;
    pressed.delete(event.pointerId);
    connection.lift(one.hand);
    stage.setTurning(true);
  };
  canvas.addEventListener("pointerup", lift);
  canvas.addEventListener("pointercancel", lift);
  canvas.addEventListener(
    "wheel",
    (event) => {
      if (pressed.size === 0) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      const step = 0.02 * box.getSize(new Vector3()).length() * Math.sign(event.deltaY);
      for (const one of pressed.values()) {
        one.away = Math.max(one.away - step, 0);
        tell(one);
      }
    },
    { capture: true, passive: false },
  );
  keyboard({ r: reset });

  const background = () => {
    const style = getComputedStyle(document.documentElement);
    stage.setBackground(style.getPropertyValue("--stage").trim());
  };
  window.addEventListener("themechange", background);
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", background);
  requestAnimationFrame(background);
  const tools = element("div", { class: "tools" }, iconButton("whole", "all", "show everything (R)", reset));
  const picture = element("div", { class: "picture" }, canvas, element("p", { class: "help", text: HELP }), tools);
  if (view.needs_token && location.hash.length < 2) note.textContent = "This server asks for a token: add # and the token to the address.";
  return element("div", { class: "viewer touching" }, element("div", { class: "work-area" }, picture, panel));
}

/** A floor of forty metres makes everything else small: the view shows what is around the middle. */
function trim(box: Box3) {
  const size = box.getSize(new Vector3());
  const low = Math.min(size.x, size.y, size.z);
  const most = Math.max(6 * low, 1e-6);
  const middle = box.getCenter(new Vector3());
  for (const axis of ["x", "y", "z"] as const) {
    if (size[axis] > most && low > 0) {
      box.min[axis] = middle[axis] - most / 2;
      box.max[axis] = middle[axis] + most / 2;
    }
  }
}
