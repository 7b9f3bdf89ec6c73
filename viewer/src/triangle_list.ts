// The pairs of triangles or beads of a frame, and a search over all frames.

import { count, element, fold } from "./element";
import { namesOf, ROWS } from "./contact_list";
import type { View } from "./format";
import type { Focus, Meetings, Pair } from "./meetings";

/** The most results of a search. */
const RESULTS = 30;

/** What the lists ask the page to do. */
export interface PairActions {
  jump(frame: number): void;
  isolate(pair: Pair | null): void;
  /** Moves the camera to a pair of the current frame. Returns a description of it. */
  choosePair(pair: number): string;
  chooseClash(pair: number): string;
  nameOfBead(bead: number): string;
  /** The pair of objects or residues to which a pair of triangles or beads belongs. */
  pairOf(frame: number, pair: number): Pair | undefined;
}

export class TriangleList {
  readonly search = element("section", { class: "search" });
  readonly root: HTMLElement;
  private rows = element("ul", { class: "pairs" });
  private note = element("p", { class: "note" });
  private detail = element("p", { class: "detail" });
  private results = element("ul", { class: "results" });

  constructor(
    private view: View,
    private meetings: Meetings,
    private focus: Focus,
    private actions: PairActions,
  ) {
    this.rows.id = "pairs";
    this.note.id = "pairs-note";
    this.detail.id = "detail";
    this.detail.setAttribute("aria-live", "polite");
    this.root = fold(
      "pairs-fold",
      view.beads ? "Clashes of this frame" : "Pairs of triangles of this frame",
      this.note,
      this.rows,
    );
    const input = element("input");
    input.type = "search";
    input.id = "search";
    input.placeholder = view.beads ? "Find a frame, an atom or a residue" : "Find a frame, a triangle or a name";
    input.setAttribute("aria-label", input.placeholder);
    input.addEventListener("input", () => this.find(input.value.trim()));
    this.search.append(input, this.results, this.detail);
  }

  show(number: number) {
    this.detail.textContent = "";
    const frame = this.view.frames[number];
    const size = this.view.beads ? 2 : 4;
    const given = (this.view.beads ? frame.clashes : frame.pairs).length / size;
    const found = this.view.beads ? given : frame.pairsFound;
    let counted = 0;
    const rows: HTMLElement[] = [];
    for (let pair = 0; pair < given; pair++) {
      const both = this.actions.pairOf(number, pair);
      if (both && !this.focus.counts(both)) continue;
      counted++;
      if (rows.length < ROWS) rows.push(this.row(this.text(number, pair), () => this.choose(pair)));
    }
    const notes: string[] = [];
    if (rows.length < counted) notes.push(`${count(rows.length)} of ${count(counted)} are listed: search for others.`);
    if (given < found) notes.push(`This page holds ${count(given)} of the ${count(found)} pairs of this frame.`);
    if (counted === 0) notes.push("There are none.");
    this.note.textContent = notes.join(" ");
    this.rows.replaceChildren(...rows);
  }

  private choose(pair: number) {
    this.detail.textContent = this.view.beads ? this.actions.chooseClash(pair) : this.actions.choosePair(pair);
  }

  private row(text: string, choose: () => void): HTMLElement {
    const button = element("button", { text });
    button.addEventListener("click", choose);
    return element("li", {}, button);
  }

  /** A pair by names and numbers. */
  private text(frame: number, pair: number): string {
    const { pairs, clashes } = this.view.frames[frame];
    if (this.view.beads) {
      const [a, b] = clashes.subarray(2 * pair, 2 * pair + 2);
      return `${this.actions.nameOfBead(a)} × ${this.actions.nameOfBead(b)}`;
    }
    const [a, i, b, j] = pairs.subarray(4 * pair, 4 * pair + 4);
    const name = (object: number) => this.view.objects[object]?.name ?? `object ${object}`;
    return `${name(a)} ${i} × ${a === b ? "" : `${name(b)} `}${j}`;
  }

  /** Frames by number, pairs of objects by name, pairs of triangles by number or name. */
  private find(wanted: string) {
    const rows: HTMLElement[] = [];
    const text = wanted.toLowerCase();
    const number = Number(wanted.replace(/^(frame|#)\s*/i, ""));
    if (wanted !== "" && Number.isInteger(number) && number >= 0 && number < this.view.frames.length) {
      rows.push(this.row(`Go to frame ${number}`, () => this.actions.jump(number)));
    }
    const matches = (line: string) => ` ${line.toLowerCase()} `.includes(/^\d+$/.test(text) ? ` ${text} ` : text);
    const add = (line: string, go: () => void) => {
      if (rows.length <= RESULTS && matches(line)) rows.push(this.row(line, go));
    };
    if (text !== "") {
      for (const pair of this.meetings.pairs) add(namesOf(pair), () => this.actions.isolate(pair));
      for (let at = 0; at < this.view.frames.length && rows.length <= RESULTS; at++) {
        const { pairs, clashes } = this.view.frames[at];
        const given = this.view.beads ? clashes.length / 2 : pairs.length / 4;
        for (let pair = 0; pair < given && rows.length <= RESULTS; pair++) {
          const line = this.text(at, pair);
          if (!matches(line)) continue;
          const go = () => {
            this.actions.jump(at);
            this.choose(pair);
          };
          rows.push(this.row(`frame ${at}: ${line}`, go));
        }
      }
    }
    if (rows.length > RESULTS) {
      rows.splice(RESULTS, rows.length, element("li", { class: "note", text: `Only the first ${RESULTS} are listed.` }));
    } else if (wanted !== "" && rows.length === 0) {
      rows.push(element("li", { class: "note", text: "No frame and no pair matches." }));
    }
    this.results.replaceChildren(...rows);
  }
}
