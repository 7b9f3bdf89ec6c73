// The list of contacts: two objects per row, with depth, course over all frames, and place. The worst comes first.

import { colorOf } from "./colors";
import { count, element, length, place, some } from "./element";
import type { Focus, Meeting, Meetings, Pair } from "./meetings";
import { sparkline } from "./sparkline";

/** The most rows that a list shows. More would be slow to draw. */
export const ROWS = 200;

/** The names of two things. */
export const namesOf = ({ ends, names }: Pair) =>
  ends[0] === ends[1] ? `${names[0]} with itself` : `${names[0]} and ${names[1]}`;

/** How deep a meeting is, or else how many pairs it has. */
export function extent({ kind, depth, pairs }: Meeting, { measure }: Meetings): string {
  if (kind === "near" || kind === "touching") return kind;
  if (depth !== null) return `${length(depth)} ${measure}`;
  return some(pairs, "pair");
}

export class ContactList {
  readonly root = element("section", { class: "contacts" });
  private rows = element("ul");
  private title = element("h2", { text: "Contacts" });
  private note = element("p", { class: "note" });
  private all = element("button", { text: "Show all" });

  constructor(
    private meetings: Meetings,
    private focus: Focus,
    private frames: number,
    private isolate: (pair: Pair | null) => void,
  ) {
    this.rows.id = "contacts";
    this.all.id = "show-all";
    this.all.addEventListener("click", () => isolate(null));
    this.root.append(element("div", { class: "row heading" }, this.title, this.all), this.rows, this.note);
    this.show();
  }

  /** Lists the pairs of what is shown. */
  show() {
    const listed = this.meetings.pairs.filter((pair) => this.focus.lists(pair));
    const focused = this.rows.contains(document.activeElement) ? (document.activeElement as HTMLElement) : null;
    this.rows.replaceChildren(...listed.slice(0, ROWS).map((pair) => this.row(pair)));
    if (focused) this.rows.querySelector<HTMLElement>(`[data-pair="${focused.dataset.pair}"]`)?.focus();
    this.all.hidden = this.focus.isolated === null;
    const notes: string[] = [];
    if (this.meetings.pairs.length === 0) notes.push("Nothing touches in any frame.");
    if (listed.length > ROWS) {
      notes.push(`${count(ROWS)} of ${count(listed.length)} pairs are listed, the worst ones: search for others.`);
    }
    const hidden = this.meetings.pairs.length - listed.length;
    if (hidden > 0) notes.push(`${some(hidden, "pair")} of hidden objects ${hidden === 1 ? "is" : "are"} not listed.`);
    this.note.textContent = notes.join(" ");
  }

  private row(pair: Pair): HTMLElement {
    const { worst, meetings } = pair;
    const values = new Float64Array(this.frames);
    for (const meeting of meetings) {
      // A contact without a depth, or without pairs, is seen, too.
      const value = this.meetings.hasDepths ? (meeting.depth ?? 0) : meeting.pairs;
      values[meeting.frame] = Math.max(value, Number.MIN_VALUE);
    }
    const colors = [...new Set(pair.parts)].map((part) => {
      const swatch = element("span", { class: "swatch" });
      swatch.style.background = colorOf(part);
      return swatch;
    });
    const bones = worst.bones.filter((bone) => bone !== null);
    const where = [`at ${place(worst.at)}`, ...(bones.length > 0 ? [`near ${bones.join(" and ")}`] : [])];
    const most = this.meetings.hasDepths ? "deepest" : "most";
    const when =
      this.frames > 1 ? `in ${count(meetings.length)} of ${some(this.frames, "frame")}, ${most} in ${worst.frame}` : "";
    const button = element(
      "button",
      { class: "contact", title: "show only these two, in their deepest frame" },
      element("span", { class: "swatches" }, ...colors),
      element("span", { class: "name", text: namesOf(pair) }),
      element("strong", { text: extent(worst, this.meetings) }),
      element("small", { text: [...where, when].filter((text) => text !== "").join(" · ") }),
    );
    if (this.frames > 1) button.append(sparkline(values, worst.frame));
    button.dataset.pair = pair.ends.join(" ");
    const chosen = this.focus.isolated === pair;
    button.setAttribute("aria-pressed", String(chosen));
    button.addEventListener("click", () => this.isolate(chosen ? null : pair));
    return element("li", {}, button);
  }
}
