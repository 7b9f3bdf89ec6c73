// The page of a simulation: bodies that fall, spheres that touch, contacts and energy over time.

import { count, element, length, seconds } from "../element";
import { iconButton } from "../icons";
import { Player } from "../player";
import { Stage } from "../stage";
import type { Simulation, SimulationFrame } from "./format";
import { drawObstacles, Instances } from "./instances";
import { Plot } from "./plot";
import "./style.css";
import { Spheres } from "./spheres";

const JOULES = (value: number) => `${length(value)} J`;

/** What is said about a frame: a name, what it means, and the value. */
const COUNTERS: [key: string, title: string, of: (frame: SimulationFrame) => string][] = [
  ["step", "steps done", (frame) => count(frame.step)],
  ["time", "simulated time", (frame) => `${frame.time.toFixed(3)} s`],
  ["contacts", "contacts in the last step", (frame) => count(frame.contacts)],
  ["contacts_since", "contacts since the frame before", (frame) => count(frame.contactsSince)],
  ["body_pairs", "pairs of bodies whose boxes overlap", (frame) => count(frame.bodyPairs)],
  ["tests", "tests of spheres", (frame) => count(frame.tests)],
  ["updated", "spheres that a step updates", (frame) => count(frame.updatedCount)],
  ["kinetic", "energy of motion", (frame) => JOULES(frame.energy.kinetic)],
  ["gravity", "energy of place", (frame) => JOULES(frame.energy.gravity)],
  ["deformation", "energy of deformation", (frame) => JOULES(frame.energy.deformation)],
];

const HELP = "drag: turn · right drag: pan · wheel: zoom · space: play · ← →: step · C: touching spheres · U: updated spheres · R: reset";

/** Builds the page. `keyboard` runs actions on key presses. */
export function simulationPage(
  simulation: Simulation,
  keyboard: (actions: Record<string, () => void>) => void,
): HTMLElement {
  const { frames } = simulation;
  const canvas = element("canvas", { class: "stage" });
  canvas.id = "stage";
  canvas.tabIndex = 0;
  const stage = new Stage(canvas);
  const instances = new Instances(simulation);
  const [touching, updated] = [new Spheres(0xd32f2f), new Spheres(0x2a6fdb)];
  const whole = instances.box(0).union(instances.box(frames.length - 1));
  const obstacles = drawObstacles(simulation.obstacles, whole);
  stage.content.add(instances.group, touching.mesh, updated.mesh, obstacles.group);

  const values = new Map<string, HTMLElement>();
  const list = element("dl", { class: "counters" });
  list.id = "counters";
  for (const [key, title] of COUNTERS) {
    const value = element("dd");
    value.dataset.counter = key;
    values.set(key, value);
    list.append(element("dt", { text: title }), value);
  }
  const tick = (id: string, text: string, change: () => void) => {
    const box = element("input");
    [box.type, box.id] = ["checkbox", id];
    box.addEventListener("change", change);
    return { box, label: element("label", {}, box, ` ${text}`) };
  };
  const showTouching = tick("show-touching", "spheres that touch", () => show(player.current));
  const showUpdated = tick("show-updated", "spheres that a step updates", () => show(player.current));

  const panel = element("aside", { class: "panel" });
  panel.append(
    element("h2", { text: `${count(simulation.bodies)} bodies, ${count(simulation.steps)} steps of ${seconds(simulation.step)}` }),
    element("p", { class: "note", text: `${seconds(simulation.seconds / Math.max(simulation.steps, 1))} per step; ${count(simulation.mostContacts)} contacts at most; ${count(simulation.contactsTotal)} in all` }),
    list,
    element("section", {}, element("h2", { text: "Show" }), showTouching.label, showUpdated.label),
  );
  for (const look of simulation.looks) {
    const text = `${look.name}: drawn with ${count(look.triangles.length / 3)} of ${count(look.trianglesOfTheBody)} triangles`;
    panel.append(element("p", { class: "note", text }));
  }
  for (const text of simulation.leftOut) panel.append(element("p", { class: "note left-out", text: `left out: ${text}` }));

  const most = () => frames.reduce((best, frame, i) => (frame.contacts > frames[best].contacts ? i : best), 0);
  const player = new Player(frames.map((frame) => frame.time), (frame) => show(frame), most);
  const jump = (frame: number) => player.jump(frame);
  const contacts = new Plot("plot-contacts", "contacts", frames.length, [
    { name: "", className: "contacts", values: frames.map((frame) => frame.contacts) },
  ], jump);
  const lowest = Math.min(...frames.map((frame) => frame.energy.gravity));
  const energy = new Plot("plot-energy", "energy", frames.length, [
    { name: "motion", className: "kinetic", values: frames.map((frame) => frame.energy.kinetic) },
    { name: "place, above its least", className: "gravity", values: frames.map((frame) => frame.energy.gravity - lowest) },
    { name: "deformation", className: "deformation", values: frames.map((frame) => frame.energy.deformation) },
  ], jump);

  const show = (number: number) => {
    const frame = frames[number];
    instances.show(number);
    obstacles.show(frame);
    const shown = [
      touching.show(showTouching.box.checked ? frame.touching : new Float32Array()),
      updated.show(showUpdated.box.checked ? frame.updated : new Float32Array()),
    ];
    instances.setFaint(showTouching.box.checked || showUpdated.box.checked);
    for (const [key, , of] of COUNTERS) values.get(key)!.textContent = of(frame);
    contacts.show(number);
    energy.show(number);
    stage.draw();
    document.body.dataset.frame = String(number);
    document.body.dataset.spheres = shown.join(" ");
  };
  const reset = () => stage.lookAtAll(instances.box(player.current));
  const press = ({ box }: { box: HTMLInputElement }) => {
    box.checked = !box.checked;
    show(player.current);
  };
  const background = () => {
    const style = getComputedStyle(document.documentElement);
    stage.setBackground(style.getPropertyValue("--stage").trim());
  };
  window.addEventListener("themechange", background);
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", background);
  keyboard({
    " ": () => player.toggle(),
    ArrowLeft: () => player.jump(player.current - 1),
    ArrowRight: () => player.jump(player.current + 1),
    Home: () => player.jump(0),
    End: () => player.jump(frames.length - 1),
    m: () => player.jump(most()),
    c: () => press(showTouching),
    u: () => press(showUpdated),
    r: reset,
  });
  const whole_button = iconButton("whole", "all", "show everything (R)", reset);
  const help = element("p", { class: "help", text: HELP });
  const picture = element("div", { class: "picture" }, canvas, help, element("div", { class: "tools" }, whole_button));
  requestAnimationFrame(() => {
    background();
    player.jump(most());
    reset();
    document.body.dataset.bodies = String(instances.drawn);
    document.body.dataset.ready = count(frames.length);
  });
  const controls = element("footer", { class: "simulation" }, player.root, contacts.root, energy.root);
  return element("div", { class: "viewer" }, element("div", { class: "work-area" }, picture, panel), controls);
}
