// The panel beside the picture: the frame in numbers, objects, bounds, pairs, and a search.

import { colorOf } from "./bodies";
import { LOOSEST, tightnessColor } from "./bounds";
import { count, element, length, seconds } from "./element";
import type { View } from "./format";
import { found } from "./timeline";

/** The most rows that the list of pairs shows. More would be slow to draw. */
const ROWS = 200;

/** What the panel asks the page to do. */
export interface Actions {
  jump(frame: number): void;
  setVisible(object: number, visible: boolean): void;
  /** Shows a level of bounds by its depth, or none. Returns how many volumes exist and how many are drawn. */
  setBounds(depth: number | null, onlyVisited: boolean): { all: number; drawn: number };
  /** Moves the camera to a pair of the current frame. Returns a description of it. */
  choosePair(pair: number): string;
  chooseClash(pair: number): string;
  nameOfBead(bead: number): string;
}

export class Panel {
  readonly root = element("aside", { class: "panel" });
  private facts = element("dl", { class: "facts" });
  private pairs = element("ul", { class: "pairs" });
  private detail = element("p", { class: "detail" });
  private volumes = element("p", { class: "note" });
  private results = element("ul", { class: "results" });
  private frame = 0;
  private level = element("select");
  private onlyVisited = element("input");

  constructor(
    private view: View,
    private actions: Actions,
  ) {
    this.facts.id = "facts";
    this.pairs.id = "pairs";
    this.detail.id = "detail";
    this.detail.setAttribute("aria-live", "polite");
    this.root.append(element("h2", { text: "This frame" }), this.facts);
    this.root.append(this.search());
    if (view.objects.length > 0) this.root.append(this.objects());
    if (view.objects.some((object) => object.levels.length > 0)) this.root.append(this.bounds());
    this.root.append(
      element("section", {}, element("h2", { text: "Contacts" }), this.detail, this.pairs),
    );
  }

  show(number: number) {
    this.frame = number;
    const frame = this.view.frames[number];
    const nodes = this.view.objects.reduce((sum, object) => sum + object.treeNodes, 0);
    const facts: [string, string, string][] = [
      ["frame", "frame", `${number} of ${this.view.frames.length - 1}`],
      ["time", "time", `${Number(frame.time.toFixed(4))} ${this.view.unit}`],
      ["pairs", this.view.beads ? "clashes" : "touching pairs", count(found(frame))],
      ["bounds", "bounds evaluated", count(frame.work.bounds)],
      ["tests", "exact tests", count(frame.work.primitive_tests)],
      ["seconds", "time taken", seconds(frame.work.seconds)],
    ];
    if (nodes > 0) {
      const share = `${count(frame.nodesVisited)} of ${count(nodes)}`;
      facts.splice(4, 0, ["nodes", "nodes visited", share]);
    }
    this.facts.replaceChildren(
      ...facts.flatMap(([id, name, value]) => {
        const shown = element("dd", { text: value });
        shown.dataset.fact = id;
        return [element("dt", { text: name }), shown];
      }),
    );
    this.detail.textContent = "";
    this.listPairs();
    this.showBounds();
  }

  private listPairs() {
    const frame = this.view.frames[this.frame];
    const rows: HTMLElement[] = [];
    const total = frame.pairs.length / 4 + frame.clashes.length / 2;
    for (const contact of frame.contacts) {
      const [a, b] = contact.objects;
      const names = a === b ? `${this.name(a)} with itself` : `${this.name(a)} and ${this.name(b)}`;
      const text = `${names}: ${count(contact.pairs)} pairs, longest segment ${length(contact.length)}`;
      rows.push(element("li", { class: "contact", text }));
    }
    for (let pair = 0; pair < Math.min(frame.pairs.length / 4, ROWS); pair++) {
      rows.push(this.row(this.pairText(this.frame, pair), () => this.actions.choosePair(pair)));
    }
    for (let pair = 0; pair < Math.min(frame.clashes.length / 2, ROWS); pair++) {
      rows.push(this.row(this.clashText(this.frame, pair), () => this.actions.chooseClash(pair)));
    }
    if (total > ROWS) {
      rows.push(element("li", { class: "note", text: `${count(total - ROWS)} more: search for one` }));
    }
    if (rows.length === 0) rows.push(element("li", { class: "note", text: "Nothing touches." }));
    this.pairs.replaceChildren(...rows);
  }

  private row(text: string, choose: () => string): HTMLElement {
    const button = element("button", { text });
    button.addEventListener("click", () => {
      this.detail.textContent = choose();
    });
    return element("li", {}, button);
  }

  private name(object: number): string {
    return this.view.objects[object]?.name ?? `object ${object}`;
  }

  private pairText(frame: number, pair: number): string {
    const [a, i, b, j] = this.view.frames[frame].pairs.subarray(4 * pair, 4 * pair + 4);
    return `${this.name(a)} ${i} × ${a === b ? "" : `${this.name(b)} `}${j}`;
  }

  private clashText(frame: number, pair: number): string {
    const [a, b] = this.view.frames[frame].clashes.subarray(2 * pair, 2 * pair + 2);
    return `${this.actions.nameOfBead(a)} × ${this.actions.nameOfBead(b)}`;
  }

  private objects(): HTMLElement {
    const rows = this.view.objects.map((object, number) => {
      const box = element("input");
      box.type = "checkbox";
      box.checked = true;
      box.addEventListener("change", () => this.actions.setVisible(number, box.checked));
      const swatch = element("span", { class: "swatch" });
      swatch.style.background = colorOf(number);
      const size = `${count(object.triangles)} triangles, ${object.deformation}`;
      const how = object.method ? `, ${object.method}` : "";
      const label = element(
        "label",
        {},
        box,
        swatch,
        element("span", { class: "name", text: object.name }),
        element("small", { text: size + how }),
      );
      return element("li", {}, label);
    });
    const list = element("ul", { class: "objects" }, ...rows);
    list.id = "objects";
    return element("section", {}, element("h2", { text: "Objects" }), list);
  }

  private bounds(): HTMLElement {
    const deepest = Math.max(...this.view.objects.map((object) => object.levels.length));
    this.level.id = "level";
    this.level.append(new Option("no bounds", ""));
    for (let depth = 0; depth < deepest; depth++) {
      this.level.append(new Option(`level ${depth}`, String(depth)));
    }
    this.onlyVisited.type = "checkbox";
    this.onlyVisited.id = "visited";
    for (const control of [this.level, this.onlyVisited]) {
      control.addEventListener("change", () => this.showBounds());
    }
    const scale = element("div", { class: "scale" });
    for (let i = 0; i <= 8; i++) {
      const piece = element("span");
      piece.style.background = `#${tightnessColor(1 + ((LOOSEST - 1) * i) / 8).getHexString()}`;
      scale.append(piece);
    }
    return element(
      "section",
      {},
      element("h2", { text: "Bounds" }),
      element("label", { class: "row" }, "show ", this.level),
      element("label", { class: "row" }, this.onlyVisited, " only those the query looked at"),
      element("div", { class: "row scale-row" }, "as tight as at rest", scale, `${LOOSEST}× looser`),
      this.volumes,
    );
  }

  /** Shows the next level of bounds; after the last one, none. */
  nextLevel() {
    this.level.selectedIndex = (this.level.selectedIndex + 1) % Math.max(this.level.length, 1);
    this.showBounds();
  }

  private showBounds() {
    if (this.level.length === 0) return;
    const depth = this.level.value === "" ? null : Number(this.level.value);
    const { all, drawn } = this.actions.setBounds(depth, this.onlyVisited.checked);
    this.volumes.textContent = depth === null ? "" : `${count(drawn)} of ${count(all)} volumes`;
  }

  /** The search: a frame by its number, pairs by a triangle's number or a name. */
  private search(): HTMLElement {
    const input = element("input");
    input.type = "search";
    input.id = "search";
    input.placeholder = "Find a frame, a triangle or a name";
    input.addEventListener("input", () => this.find(input.value.trim()));
    return element("section", { class: "search" }, input, this.results);
  }

  private find(wanted: string) {
    const rows: HTMLElement[] = [];
    const number = Number(wanted.replace(/^(frame|#)\s*/i, ""));
    if (wanted !== "" && Number.isInteger(number) && number >= 0 && number < this.view.frames.length) {
      rows.push(this.result(`Go to frame ${number}`, () => this.actions.jump(number)));
    }
    const text = wanted.toLowerCase();
    for (let at = 0; text !== "" && at < this.view.frames.length && rows.length < 30; at++) {
      const frame = this.view.frames[at];
      const matches = (line: string) => ` ${line.toLowerCase()} `.includes(/^\d+$/.test(text) ? ` ${text} ` : text);
      for (let pair = 0; pair < frame.pairs.length / 4 && rows.length < 30; pair++) {
        const line = this.pairText(at, pair);
        if (matches(line)) rows.push(this.pairResult(at, line, () => this.actions.choosePair(pair)));
      }
      for (let pair = 0; pair < frame.clashes.length / 2 && rows.length < 30; pair++) {
        const line = this.clashText(at, pair);
        if (matches(line)) rows.push(this.pairResult(at, line, () => this.actions.chooseClash(pair)));
      }
    }
    if (wanted !== "" && rows.length === 0) {
      rows.push(element("li", { class: "note", text: "No frame and no pair matches." }));
    }
    this.results.replaceChildren(...rows);
  }

  private pairResult(frame: number, line: string, choose: () => string): HTMLElement {
    return this.result(`frame ${frame}: ${line}`, () => {
      this.actions.jump(frame);
      this.detail.textContent = choose();
    });
  }

  private result(text: string, go: () => void): HTMLElement {
    const button = element("button", { text });
    button.addEventListener("click", go);
    return element("li", {}, button);
  }
}
