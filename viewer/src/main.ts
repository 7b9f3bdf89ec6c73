// The page: reads the view, builds the parts, and connects them.

import { Box3, Vector3 } from "three";
import { Necklace } from "./beads";
import { Bodies } from "./bodies";
import { Bounds } from "./bounds";
import { count, element, length } from "./element";
import { bytesOf, readView, type View } from "./format";
import { readGlb } from "./glb";
import { Panel } from "./panel";
import { Player } from "./player";
import { Stage } from "./stage";
import "./style.css";
import { found, Timeline } from "./timeline";

/** Loads the view and the scene, from the page itself if it is a report, else from the server. */
async function load(): Promise<{ view: View; scene: Uint8Array | null }> {
  const inline = document.getElementById("pliant-view");
  if (inline) {
    const scene = document.getElementById("pliant-scene");
    const view = readView(JSON.parse(inline.textContent ?? ""));
    return { view, scene: scene ? bytesOf(scene.textContent ?? "") : null };
  }
  const fetched = await fetch("view.json");
  if (!fetched.ok) throw new Error(`the program answers ${fetched.status}: is it still running?`);
  const view = readView(await fetched.json());
  if (view.objects.length === 0) return { view, scene: null };
  const scene = await fetch("scene.glb");
  if (!scene.ok) throw new Error(`the scene is missing (${scene.status})`);
  return { view, scene: new Uint8Array(await scene.arrayBuffer()) };
}

function build(root: HTMLElement, view: View, scene: Uint8Array | null) {
  document.title = `${view.title} – pliant`;
  root.replaceChildren(header(view));
  if (view.frames.length > 0 && (scene || view.beads)) root.append(stageOf(view, scene));
}

function header(view: View): HTMLElement {
  const theme = element("button", { text: "◐", title: "light or dark" });
  theme.id = "theme";
  theme.addEventListener("click", () => {
    const { dataset } = document.documentElement;
    const system = window.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
    dataset.theme = (dataset.theme ?? system) === "dark" ? "light" : "dark";
    window.dispatchEvent(new Event("themechange"));
  });
  const how = view.method ? `method ${view.method}` : "";
  return element(
    "header",
    {},
    element("h1", { text: view.title }),
    element("span", { class: "note", text: how }),
    element("code", { text: view.command }),
    theme,
  );
}

function stageOf(view: View, scene: Uint8Array | null): HTMLElement {
  const canvas = element("canvas", { class: "stage" });
  canvas.id = "stage";
  canvas.tabIndex = 0;
  const help = element("p", { class: "help" });
  help.textContent =
    "drag: turn · right drag or two fingers: pan · wheel or pinch: zoom · space: play · ← →: step · M: most contacts · B: bounds · R: reset";
  const picture = element("div", { class: "picture" }, canvas, help);
  const area = element("div", { class: "work-area" }, picture);

  const stage = new Stage(canvas);
  const bodies = scene ? new Bodies(view, readGlb(scene)) : null;
  const bounds = new Bounds();
  const necklace = view.beads ? new Necklace(view.beads) : null;
  for (const part of [bodies, bounds, necklace]) if (part) stage.content.add(part.group);

  const place = (center: Vector3, radius: number) => stage.lookAt(center, Math.max(radius, 1e-6));
  const panel = new Panel(view, {
    jump: (frame) => player.jump(frame),
    setVisible: (object, visible) => {
      bodies?.setVisible(object, visible);
      show(player.current);
    },
    setBounds: (depth, onlyVisited) => {
      bodies?.setFaint(depth !== null);
      const shown = view.objects.filter((_, number) => bodies?.visible(number));
      if (depth === null) bounds.clear();
      const drawn =
        depth === null ? { all: 0, drawn: 0 } : bounds.show(shown, depth, player.current, onlyVisited);
      stage.draw();
      return drawn;
    },
    choosePair: (pair) => {
      const frame = view.frames[player.current];
      const [a, i, b, j] = frame.pairs.subarray(4 * pair, 4 * pair + 4);
      const corners = bodies ? [...bodies.corners(a, i), ...bodies.corners(b, j)] : [];
      bodies?.choose([
        [a, i],
        [b, j],
      ]);
      const box = new Box3().setFromArray(corners);
      place(box.getCenter(new Vector3()), box.getSize(new Vector3()).length() * 2);
      const ends = frame.segments.subarray(6 * pair, 6 * pair + 6);
      const common = Math.hypot(ends[3] - ends[0], ends[4] - ends[1], ends[5] - ends[2]);
      const [first, second] = [view.objects[a], view.objects[b]];
      return (
        `Triangle ${i} of ${first.name} and triangle ${j} of ${a === b ? "the same" : second.name} ` +
        `share a segment ${length(common)} long.`
      );
    },
    chooseClash: (pair) => {
      const frame = view.frames[player.current];
      const [a, b] = frame.clashes.subarray(2 * pair, 2 * pair + 2);
      if (!necklace || !view.beads) return "";
      necklace.show(player.current, frame, [a, b]);
      const [p, q] = [necklace.place(a), necklace.place(b)];
      const apart = p.distanceTo(q);
      const sum = view.beads.radii[a] + view.beads.radii[b];
      place(p.clone().add(q).multiplyScalar(0.5), 6 * sum);
      return (
        `${necklace.nameOf(a)} and ${necklace.nameOf(b)}: centres ${length(apart)} apart, ` +
        `radii sum to ${length(sum)}.`
      );
    },
    nameOfBead: (bead) => necklace?.nameOf(bead) ?? `bead ${bead}`,
  });
  const busiest = () =>
    view.frames.reduce((best, frame, at) => (found(frame) > found(view.frames[best]) ? at : best), 0);
  const times = view.frames.map((frame) => frame.time);
  const player = new Player(times, (frame) => show(frame), busiest);
  const timeline = new Timeline(view, (frame) => player.jump(frame));

  const show = (frame: number) => {
    bodies?.show(frame);
    necklace?.show(frame, view.frames[frame]);
    panel.show(frame);
    timeline.show(frame);
    stage.draw();
    document.body.dataset.frame = String(frame);
  };
  const reset = () => stage.lookAtAll((bodies ?? necklace)?.box() ?? new Box3());
  const background = () => {
    const style = getComputedStyle(document.documentElement);
    stage.setBackground(style.getPropertyValue("--stage").trim());
    timeline.draw();
  };
  window.addEventListener("themechange", background);
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", background);
  keyboard({
    " ": () => player.toggle(),
    ArrowLeft: () => player.jump(player.current - 1),
    ArrowRight: () => player.jump(player.current + 1),
    Home: () => player.jump(0),
    End: () => player.jump(view.frames.length - 1),
    m: () => player.jump(busiest()),
    b: () => panel.nextLevel(),
    r: reset,
    "+": () => player.faster(1),
    "-": () => player.faster(-1),
  });
  area.append(panel.root);
  const controls = element("footer", {}, player.root, timeline.root);
  requestAnimationFrame(() => {
    background();
    show(0);
    reset();
    document.body.dataset.ready = count(view.frames.length);
  });
  return element("div", { class: "viewer" }, area, controls);
}

/** Runs actions on key presses, except while the user types into a field. */
function keyboard(actions: Record<string, () => void>) {
  window.addEventListener("keydown", (event) => {
    const target = event.target as HTMLElement;
    if (["INPUT", "SELECT", "TEXTAREA"].includes(target.tagName) || event.ctrlKey || event.metaKey) return;
    if (target.tagName === "BUTTON" && event.key === " ") return;
    const action = actions[event.key] ?? actions[event.key.toLowerCase()];
    if (!action) return;
    event.preventDefault();
    action();
  });
}

const root = document.getElementById("app");
if (root) {
  load()
    .then(({ view, scene }) => build(root, view, scene))
    .catch((problem: unknown) => {
      const text = problem instanceof Error ? problem.message : String(problem);
      root.replaceChildren(element("p", { class: "problem", text: `This page cannot be shown: ${text}` }));
    });
}
