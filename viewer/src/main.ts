// The page: reads the view, builds the parts, and connects them.

import { Box3, Vector3 } from "three";
import { Necklace } from "./beads";
import { Bodies } from "./bodies";
import { Bounds } from "./bounds";
import { DropPage, hasModule } from "./drop/page";
import { count, element, length } from "./element";
import { bytesOf, readView, type View } from "./format";
import { type MeshData, readGlb } from "./glb";
import { iconButton } from "./icons";
import { boxOfTouch, ImpactLines } from "./impacts";
import { deepestFrame, Focus, Meetings, type Pair, residueOf } from "./meetings";
import { Panel } from "./panel";
import { Player } from "./player";
import { isSimulation, readSimulation } from "./simulation/format";
import { simulationPage } from "./simulation/page";
import { Stage } from "./stage";
import "./style.css";
import { Timeline } from "./timeline";
import { isTouch, type TouchView, touchPage } from "./touch/page";

/** Loads the view and the scene, from the page itself if it is a report, else from the server. */
async function load(): Promise<{ view: View; scene: Uint8Array | null } | { touch: TouchView }> {
  const inline = document.getElementById("pliant-view");
  if (inline) {
    const scene = document.getElementById("pliant-scene");
    const view = readView(JSON.parse(inline.textContent ?? ""));
    return { view, scene: scene ? bytesOf(scene.textContent ?? "") : null };
  }
  const fetched = await fetch("view.json");
  if (!fetched.ok) throw new Error(`the program answers ${fetched.status}: is it still running?`);
  const json: unknown = await fetched.json();
  if (isTouch(json)) return { touch: json };
  const view = readView(json);
  if (view.objects.length === 0) return { view, scene: null };
  const scene = await fetch("scene.glb");
  if (!scene.ok) throw new Error(`the scene is missing (${scene.status})`);
  return { view, scene: new Uint8Array(await scene.arrayBuffer()) };
}

/** What the shown view listens to ends with it. The next one takes over its canvas. */
let shown = new AbortController();
const canvas = element("canvas", { class: "stage" });

function build(root: HTMLElement, view: View, meshes: MeshData[] | null) {
  shown.abort();
  shown = new AbortController();
  document.title = `${view.title} – pliant`;
  root.replaceChildren(header(view));
  if (view.frames.length > 0 && (meshes || view.beads)) root.append(stageOf(view, meshes));
}

function header(view: { title: string; command: string }): HTMLElement {
  const theme = iconButton("theme", "theme", "light or dark", () => {
    const { dataset } = document.documentElement;
    const system = window.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
    dataset.theme = (dataset.theme ?? system) === "dark" ? "light" : "dark";
    window.dispatchEvent(new Event("themechange"));
  });
  return element("header", {}, element("h1", { text: view.title }), element("code", { text: view.command }), theme);
}

function stageOf(view: View, meshes: MeshData[] | null): HTMLElement {
  const { signal } = shown;
  canvas.id = "stage";
  canvas.tabIndex = 0;
  const help = element("p", { class: "help" });
  help.textContent =
    "drag: turn · right drag or two fingers: pan · wheel or pinch: zoom · space: play · ← →: step · M: deepest · B: bounds · T: other side · R: reset · Esc: show all";
  const stage = new Stage(canvas);
  const turn = iconButton("turn", "turn", "look from the other side (T)", () => stage.turnAround());
  const whole = iconButton("whole", "all", "show everything (R)", () => reset());
  const picture = element("div", { class: "picture" }, canvas, help, element("div", { class: "tools" }, turn, whole));
  const area = element("div", { class: "work-area" }, picture);

  const bodies = meshes ? new Bodies(view, meshes, () => stage.draw()) : null;
  const bounds = new Bounds();
  const impactLines = new ImpactLines();
  const necklace = view.beads ? new Necklace(view.beads) : null;
  for (const part of [bodies, bounds, necklace, impactLines]) if (part) stage.content.add(part.group);
  const meetings = new Meetings(view);
  const focus = new Focus();

  const lookAt = (center: Vector3, radius: number, from?: Vector3) =>
    stage.lookAt(center, Math.max(radius, 1e-6), from);
  /** The objects or residues of a pair of triangles or beads. */
  const pairOf = (number: number, pair: number) => {
    const frame = view.frames[number];
    if (view.beads) {
      const [a, b] = frame.clashes.subarray(2 * pair, 2 * pair + 2);
      return meetings.find(residueOf(view.beads, a), residueOf(view.beads, b));
    }
    return meetings.find(frame.pairs[4 * pair], frame.pairs[4 * pair + 2]);
  };
  /** Shows only two objects, where and when they meet deepest; or all again. */
  const isolate = (pair: Pair | null) => {
    focus.isolated = pair;
    bodies?.isolate(pair?.parts ?? null);
    document.body.dataset.isolated = pair ? pair.ends.join(" ") : "";
    panel.refresh();
    timeline.refresh();
    if (!pair) {
      show(player.current);
      return;
    }
    player.jump(pair.worst.frame);
    approach(pair);
  };
  /** Moves the camera to the place where two things meet deepest, from outside. */
  const approach = ({ parts, worst }: Pair) => {
    const at = new Vector3(...worst.at);
    if (!bodies) {
      lookAt(at, 8);
      return;
    }
    const whole = bodies.box(parts);
    const size = whole.getSize(new Vector3()).length() / 2;
    const cuts = new Box3();
    const { pairs, segments } = view.frames[worst.frame];
    for (let i = 0; 4 * i < pairs.length; i++) {
      if (!parts.includes(pairs[4 * i]) || !parts.includes(pairs[4 * i + 2])) continue;
      for (const end of [6 * i, 6 * i + 3]) cuts.expandByPoint(new Vector3().fromArray(segments, end));
    }
    const spread = cuts.isEmpty() ? 0 : cuts.getSize(new Vector3()).length() / 2;
    const radius = Math.max(Math.min(1.3 * spread, size), 4 * (worst.depth ?? 0), 0.08 * size);
    const outward = at.clone().sub(whole.getCenter(new Vector3()));
    const from = outward.length() > 0.02 * size ? outward.normalize().add(new Vector3(0, 0.25, 0.15)) : undefined;
    lookAt(at, Math.min(radius, size), from);
  };

  const panel = new Panel(view, meetings, focus, {
    jump: (frame) => player.jump(frame),
    isolate,
    pairOf,
    setVisible: (part, visible) => {
      if (visible) focus.hidden.delete(part);
      else focus.hidden.add(part);
      bodies?.setVisible(part, visible);
      if (focus.isolated?.parts.includes(part)) isolate(null);
      panel.refresh();
      timeline.refresh();
      show(player.current);
    },
    setEveryAtom: necklace?.hasTrace
      ? (every) => {
          necklace.everyAtom = every;
          show(player.current);
        }
      : null,
    setFileColors:
      view.looks.length > 0
        ? (ofFile) => {
            bodies?.setFileColors(ofFile);
            stage.draw();
          }
        : null,
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
      lookAt(box.getCenter(new Vector3()), box.getSize(new Vector3()).length() * 2);
      const ends = frame.segments.subarray(6 * pair, 6 * pair + 6);
      const common = Math.hypot(ends[3] - ends[0], ends[4] - ends[1], ends[5] - ends[2]);
      const [first, second] = [view.objects[a], view.objects[b]];
      return (
        `Triangle ${i} of ${first.name} and triangle ${j} of ${a === b ? "the same" : second.name} ` +
        `share a segment ${length(common)} long.`
      );
    },
    chooseImpact: (number) => {
      const { impacts } = view.frames[player.current];
      if (!impacts) return;
      showImpacts(player.current, number);
      const box = boxOfTouch(impacts, number);
      lookAt(box.getCenter(new Vector3()), box.getSize(new Vector3()).length() * 2);
    },
    chooseClash: (pair) => {
      const frame = view.frames[player.current];
      const [a, b] = frame.clashes.subarray(2 * pair, 2 * pair + 2);
      if (!necklace || !view.beads) return "";
      showBeads(player.current, [a, b]);
      const [p, q] = [necklace.place(a), necklace.place(b)];
      const apart = p.distanceTo(q);
      const sum = view.beads.radii[a] + view.beads.radii[b];
      lookAt(p.clone().add(q).multiplyScalar(0.5), 6 * sum);
      return (
        `${necklace.nameOf(a)} and ${necklace.nameOf(b)}: centres ${length(apart)} apart, ` +
        `radii sum to ${length(sum)}.`
      );
    },
    nameOfBead: (bead) => necklace?.nameOf(bead) ?? `bead ${bead}`,
  });
  const deepest = () => deepestFrame(meetings, focus);
  const times = view.frames.map((frame) => frame.time);
  const player = new Player(times, (frame) => show(frame), deepest);
  const timeline = new Timeline(view, meetings, focus, (frame) => player.jump(frame));

  const showBeads = (number: number, chosen: number[] = []) => {
    const { clashes } = view.frames[number];
    const counts = (_: number, i: number) => {
      const pair = pairOf(number, i >> 1);
      return !pair || focus.counts(pair);
    };
    necklace?.show(number, { clashes: clashes.filter(counts), chosen, hidden: focus.hidden, isolated: focus.isolated !== null });
  };
  const counts = (a: number, b: number) => {
    const pair = meetings.find(a, b);
    return !pair || focus.counts(pair);
  };
  /** Shows what touches before the next frame: all of it, or one contact. */
  const showImpacts = (frame: number, chosen: number | null) => {
    canvas.dataset.impacts = String(impactLines.show(view.frames[frame].impacts, counts, chosen));
    stage.draw();
  };
  const show = (frame: number) => {
    if (bodies) {
      canvas.dataset.cuts = String(bodies.show(frame, counts));
      const meeting = focus.isolated?.meetings.find((one) => one.frame === frame);
      bodies.mark(meeting?.at ?? null);
    }
    showBeads(frame);
    showImpacts(frame, null);
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
  window.addEventListener("themechange", background, { signal });
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", background, { signal });
  keyboard({
    " ": () => player.toggle(),
    ArrowLeft: () => player.jump(player.current - 1),
    ArrowRight: () => player.jump(player.current + 1),
    Home: () => player.jump(0),
    End: () => player.jump(view.frames.length - 1),
    Escape: () => isolate(null),
    m: () => player.jump(deepest()),
    b: () => panel.nextLevel(),
    t: () => stage.turnAround(),
    r: reset,
    "+": () => player.faster(1),
    "-": () => player.faster(-1),
  });
  signal.addEventListener("abort", () => {
    player.jump(player.current);
    stage.dispose();
  });
  area.append(panel.root);
  const controls = element("footer", {}, player.root, timeline.root);
  // There is nothing to play. If more frames come, the picture keeps its size.
  const isOne = view.frames.length === 1;
  controls.hidden = isOne && !(hasModule() && view.framesRun > 1);
  if (isOne) controls.style.visibility = "hidden";
  requestAnimationFrame(() => {
    background();
    player.jump(deepest());
    // One thing per frame: none takes long.
    requestAnimationFrame(() => {
      reset();
      document.body.dataset.ready = count(view.frames.length);
    });
  });
  return element("div", { class: "viewer" }, area, controls);
}

/** Runs actions on key presses, except while the user types into a field. */
function keyboard(actions: Record<string, () => void>) {
  window.addEventListener("keydown", (event) => {
    const target = event.target as HTMLElement;
    const isTicked = target instanceof HTMLInputElement && target.type === "checkbox";
    const takesText = ["INPUT", "SELECT"].includes(target.tagName) && !isTicked;
    if (takesText || event.ctrlKey || event.metaKey) return;
    // Space presses what has the focus.
    if ((isTicked || ["BUTTON", "SUMMARY"].includes(target.tagName)) && event.key === " ") return;
    const action = actions[event.key] ?? actions[event.key.toLowerCase()];
    if (!action) return;
    event.preventDefault();
    action();
  }, { signal: shown.signal });
}

/** The data of a simulation, if this is the page of one. */
function simulationInPage() {
  const inline = document.getElementById("pliant-view");
  const json = inline && JSON.parse(inline.textContent ?? "");
  return isSimulation(json) ? readSimulation(json) : null;
}

async function start(root: HTMLElement) {
  if (hasModule()) {
    new DropPage(root, build);
    return;
  }
  const simulation = simulationInPage();
  if (!simulation) {
    const loaded = await load();
    if ("touch" in loaded) {
      document.title = `${loaded.touch.title} – pliant`;
      root.replaceChildren(header(loaded.touch), touchPage(loaded.touch, keyboard));
    } else build(root, loaded.view, loaded.scene ? readGlb(loaded.scene) : null);
    return;
  }
  document.title = `${simulation.scene} – pliant`;
  root.replaceChildren(header({ title: simulation.scene, command: simulation.command }));
  if (simulation.frames.length > 0) root.append(simulationPage(simulation, keyboard));
}

const root = document.getElementById("app");
if (root) {
  start(root).catch((problem: unknown) => {
    const text = problem instanceof Error ? problem.message : String(problem);
    root.replaceChildren(element("p", { class: "problem", text: `This page cannot be shown: ${text}` }));
  });
}
