// How long steps of the force loop took: a bar per doubling of a microsecond, on a scale of logarithms.

import { element, svg } from "../element";

const HEIGHT = 60;

export class Histogram {
  readonly root = element("div", { class: "histogram" });
  private drawn = svg("svg", { role: "img", "aria-label": "steps by their time", preserveAspectRatio: "none" });

  constructor() {
    this.root.id = "histogram";
    this.root.append(this.drawn);
  }

  show(counts: number[]) {
    const largest = Math.log1p(Math.max(1, ...counts));
    this.drawn.setAttribute("viewBox", `0 0 ${10 * counts.length} ${HEIGHT + 12}`);
    const bars = counts.flatMap((count, at) => {
      const height = (HEIGHT * Math.log1p(count)) / largest;
      const bar = svg("rect", { class: at >= 9 ? "bar slow" : "bar", x: String(10 * at + 1), y: String(HEIGHT - height), width: "8", height: String(height) });
      const name = at === counts.length - 1 ? "∞" : at < 10 ? String(2 ** at) : "1k";
      const label = svg("text", { x: String(10 * at + 5), y: String(HEIGHT + 9), "text-anchor": "middle" });
      label.textContent = name;
      bar.append(Object.assign(svg("title", {}), { textContent: `${count} steps` }));
      return [bar, label];
    });
    this.drawn.replaceChildren(...bars);
  }
}
