// What touches between the shown frame and the next: when, and which two features.

import { ROWS } from "./contact_list";
import { count, element, fold, some } from "./element";
import type { Impact, Impacts, View } from "./format";
import type { Focus, Meetings } from "./meetings";

export class ImpactList {
  readonly root: HTMLElement;
  private rows = element("ul", { class: "pairs" });
  private note = element("p", { class: "note" });

  constructor(
    private view: View,
    private meetings: Meetings,
    private focus: Focus,
    private choose: (number: number) => void,
  ) {
    this.rows.id = "impacts";
    this.note.id = "impacts-note";
    this.root = fold("impacts-fold", "Between this frame and the next", this.note, this.rows);
    this.root.hidden = !view.frames.some(({ impacts }) => impacts);
    (this.root as HTMLDetailsElement).open = true;
  }

  show(number: number) {
    const { impacts } = this.view.frames[number];
    const own = impacts ? this.counted(impacts) : [];
    const rows = own.slice(0, ROWS).map((at) => {
      const button = element("button", { text: textOf(this.view, impacts!.features[at]) });
      button.dataset.impact = String(at);
      button.addEventListener("click", () => this.choose(at));
      return element("li", {}, button);
    });
    const notes = [impacts ? `${some(impacts.found, "contact")}, in order of time.` : "Nothing touches."];
    if (impacts && rows.length < impacts.found) notes.push(`${count(rows.length)} are listed.`);
    this.note.textContent = notes.join(" ");
    this.rows.replaceChildren(...rows);
  }

  /** Those of objects that are shown. */
  private counted({ features }: Impacts): number[] {
    const counts = ({ a, b }: Impact) => {
      const pair = this.meetings.find(a[0], b[0]);
      return !pair || this.focus.counts(pair);
    };
    return features.flatMap((impact, at) => (counts(impact) ? [at] : []));
  }
}

/** Two features, and when they touch. */
export function textOf(view: View, { kind, a, b, toi, certain, within }: Impact): string {
  const name = (object: number) => view.objects[object]?.name ?? `object ${object}`;
  const feature = ([object, number]: Impact["a"], what: string) =>
    `${name(object)} ${what} ${Array.isArray(number) ? number.join("–") : number}`;
  const [first, second] = kind === "vf" ? ["vertex", "face"] : ["edge", "edge"];
  const when = `${Number(toi[0].toPrecision(4))} of the way`;
  const how = certain ? when : `${when} or later, within ${Number((within ?? 0).toPrecision(3))}`;
  return `${feature(a, first)} × ${feature(b, second)}: ${how}`;
}
