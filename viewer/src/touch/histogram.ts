// How long steps of the force loop took: a bar per doubling of a microsecond, on a scale of logarithms.

import { count, element, svg } from "../element";

const HEIGHT = 60;

/** The bar from which on steps are slow: 256 µs and more. */
const SLOW = 9;

/** Below how many microseconds the steps of a bar are. */
const limit = (at: number) => (at < 10 ? String(2 ** at) : `${2 ** (at - 10)}k`);

export class Histogram {
  readonly root = element("div", { class: "histogram" });
  private drawn = svg("svg", { role: "img", "aria-label": "steps by their time", preserveAspectRatio: "none" });
  // Not in the drawing, which is stretched.
  private labels = element("div", { class: "labels" });

  constructor() {
    this.root.id = "histogram";
    this.root.append(this.drawn, this.labels);
  }

  show(counts: number[]) {
    const largest = Math.log1p(Math.max(1, ...counts));
    this.drawn.setAttribute("viewBox", `0 0 ${10 * counts.length} ${HEIGHT}`);
    const bars = counts.map((steps, at) => {
      const height = (HEIGHT * Math.log1p(steps)) / largest;
      const bar = svg("rect", { class: at >= SLOW ? "bar slow" : "bar", x: String(10 * at + 1), y: String(HEIGHT - height), width: "8", height: String(height) });
      const range = at === counts.length - 1 ? `${limit(at - 1)} µs and more` : at === 0 ? "below 1 µs" : `${limit(at - 1)} to ${limit(at)} µs`;
      bar.append(Object.assign(svg("title", {}), { textContent: `${range}: ${count(steps)} steps` }));
      return bar;
    });
    this.drawn.replaceChildren(...bars);
    if (this.labels.childElementCount === Math.ceil((counts.length - 1) / 2)) return;
    // At the right end of every other bar stands its limit.
    this.labels.style.gridTemplateColumns = `repeat(${counts.length}, 1fr)`;
    const names = counts.slice(0, -1).flatMap((_, at) => {
      if (at % 2 === 1) return [];
      const label = element("span", { text: limit(at) });
      label.style.gridColumn = `${at + 1} / span 2`;
      return [label];
    });
    this.labels.replaceChildren(...names);
  }
}
