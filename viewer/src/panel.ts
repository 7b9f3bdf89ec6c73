// The panel beside the picture: contacts first, then the frame, the objects, and folds for what few ask for.

import { BoundsFold, type SetBounds } from "./bounds_fold";
import { colorOf } from "./colors";
import { ContactList, extent, namesOf } from "./contact_list";
import { count, element, fold, seconds, some } from "./element";
import type { View } from "./format";
import { ImpactList } from "./impact_list";
import { counted, type Focus, type Meetings } from "./meetings";
import { sparkline } from "./sparkline";
import { type PairActions, TriangleList } from "./triangle_list";

/** What the panel asks the page to do. */
export interface Actions extends PairActions {
  setVisible(part: number, visible: boolean): void;
  setBounds: SetBounds;
  /** Shows one contact between the current frame and the next. */
  chooseImpact(number: number): void;
  /** Draws every atom of a molecule; `null` if there is no choice. */
  setEveryAtom: ((every: boolean) => void) | null;
  /** Draws objects in the colours of their files; `null` if these are not in the page. */
  setFileColors: ((ofFile: boolean) => void) | null;
}

type Fact = [id: string, name: string, value: string];

export class Panel {
  readonly root = element("aside", { class: "panel" });
  private facts = element("dl", { class: "facts" });
  private omissions = element("p", { class: "note" });
  private work = element("dl", { class: "facts" });
  private contacts: ContactList;
  private triangles: TriangleList;
  private bounds: BoundsFold;
  private impacts: ImpactList;

  constructor(
    private view: View,
    private meetings: Meetings,
    private focus: Focus,
    private actions: Actions,
  ) {
    this.facts.id = "facts";
    this.omissions.id = "omissions";
    this.contacts = new ContactList(meetings, focus, view.frames.length, actions.isolate);
    this.triangles = new TriangleList(view, meetings, focus, actions);
    this.bounds = new BoundsFold(view, actions.setBounds);
    this.impacts = new ImpactList(view, meetings, focus, actions.chooseImpact);
    const frame = element("section", {}, element("h2", { text: view.frames.length > 1 ? "This frame" : "In sum" }), this.facts, this.omissions);
    const chart = element("figure", { class: "chart" }, sparkline(view.frames.map(workOf(view)), null));
    chart.append(element("figcaption", { class: "note", text: `${workName(view)} over all frames` }));
    const details = fold("details-fold", "Details: the work of the search", this.work, chart);
    this.root.append(
      this.contacts.root,
      this.triangles.search,
      frame,
      this.impacts.root,
      this.parts(),
      this.triangles.root,
      this.bounds.root,
      details,
    );
  }

  show(number: number) {
    const { view } = this;
    const frame = view.frames[number];
    const { pairs, all, worst } = counted(this.meetings, this.focus, number);
    const facts: Fact[] = [
      ...(view.frames.length > 1 ? moment(view, number) : []),
      ["pairs", view.beads ? "clashes" : "touching pairs", count(pairs)],
    ];
    const animation = view.animations[frame.animation];
    if (animation) facts.unshift(["animation", "animation", `${animation}, frame ${frame.frame}`]);
    const first = frame.impacts?.features[0]?.toi[0];
    if (first !== undefined) {
      facts.push(["impact", "next touch", `${Number(first.toPrecision(4))} of the way to the next frame`]);
    }
    if (worst) {
      const name = this.meetings.hasDepths ? "deepest" : "most pairs";
      facts.push(["deepest", name, `${namesOf(worst.pair)}: ${extent(worst.meeting, this.meetings)}`]);
    }
    fill(this.facts, facts);
    this.omissions.textContent = this.omitted(number, all - pairs);
    const work: Fact[] = [
      ["bounds", "bounds evaluated", count(frame.work.bounds)],
      ["overlap", "overlap tests", count(frame.work.overlap_tests)],
      ["tests", "exact tests", count(frame.work.primitive_tests)],
      ["seconds", "time taken", seconds(frame.work.seconds)],
    ];
    const nodes = view.objects.reduce((sum, object) => sum + object.treeNodes, 0);
    if (nodes > 0) work.splice(1, 0, ["nodes", "nodes visited", `${count(frame.nodesVisited)} of ${count(nodes)}`]);
    if (view.method) work.push(["method", "method", view.method]);
    fill(this.work, work);
    this.triangles.show(number);
    this.impacts.show(number);
    this.bounds.show();
  }

  /** What the page does not show, in words. */
  private omitted(number: number, hidden: number): string {
    const { frames, framesRun } = this.view;
    const frame = frames[number];
    const notes: string[] = [];
    const given = frame.pairs.length / 4;
    if (given < frame.pairsFound) {
      notes.push(`${count(given)} of ${some(frame.pairsFound, "touching pair")} are drawn, an even choice.`);
    }
    if (frames.length < framesRun) {
      notes.push(`${count(frames.length)} of ${some(framesRun, "frame")} of the run are in this page.`);
    }
    if (hidden > 0) {
      const why = this.focus.isolated ? "other contacts" : "hidden objects";
      notes.push(`${some(hidden, "pair")} of ${why} ${hidden === 1 ? "is" : "are"} not counted.`);
    }
    return [...notes, ...this.view.notes].join(" ");
  }

  /** Lists contacts again, after something was hidden or isolated. */
  refresh() {
    this.contacts.show();
  }

  nextLevel() {
    this.bounds.next();
  }

  /** How many pictures there are, and how large they are. */
  private textures(): string {
    const { images, looks } = this.view;
    const sizes = [...images.map(({ bytes }) => bytes.length), ...looks.map(({ coordinates }) => coordinates.byteLength)];
    const total = sizes.reduce((sum, size) => sum + size, 0);
    return `${some(images.length, "picture")}, ${(total / 1e6).toFixed(1)} MB`;
  }

  private parts(): HTMLElement {
    const rows = this.meetings.parts.map(({ name, size }, number) => {
      const box = element("input");
      box.type = "checkbox";
      box.checked = true;
      box.addEventListener("change", () => this.actions.setVisible(number, box.checked));
      const swatch = element("span", { class: "swatch" });
      swatch.style.background = colorOf(number);
      const label = element("span", { class: "name", text: name });
      return element("li", {}, element("label", {}, box, swatch, label, element("small", { text: size })));
    });
    const list = element("ul", { class: "objects" }, ...rows);
    list.id = "objects";
    const section = element("section", {}, element("h2", { text: this.view.beads ? "Chains" : "Objects" }), list);
    const { setEveryAtom, setFileColors } = this.actions;
    if (setEveryAtom) section.append(tick("every-atom", "every atom as a ball", false, setEveryAtom));
    if (setFileColors) {
      section.append(tick("file-colors", `colours of the files (${this.textures()})`, true, setFileColors));
    }
    return section;
  }
}

/** A box to tick, with its name. */
function tick(id: string, name: string, checked: boolean, set: (checked: boolean) => void): HTMLElement {
  const box = element("input");
  box.type = "checkbox";
  box.id = id;
  box.checked = checked;
  box.addEventListener("change", () => set(box.checked));
  return element("label", { class: "row" }, box, ` ${name}`);
}

function fill(list: HTMLElement, facts: Fact[]) {
  list.replaceChildren(
    ...facts.flatMap(([id, name, value]) => {
      const shown = element("dd", { text: value });
      shown.dataset.fact = id;
      return [element("dt", { text: name }), shown];
    }),
  );
}

/** Which frame it is. */
const moment = (view: View, number: number): Fact[] => [
  ["frame", "frame", `${number} of ${view.frames.length - 1}`],
  ["time", "time", `${Number(view.frames[number].time.toFixed(4))} ${view.unit}`],
];

const workName = (view: View) => (view.objects.length > 0 ? "nodes visited" : "bounds evaluated");
const workOf = (view: View) => (frame: View["frames"][number]) =>
  view.objects.length > 0 ? frame.nodesVisited : frame.work.bounds;
