// Lines over time. A click jumps to a frame.

import { element, svg } from "../element";

const [WIDTH, HEIGHT] = [600, 90];

export interface Line {
  name: string;
  className: string;
  values: number[];
}

export class Plot {
  readonly root = element("div", { class: "plot" });
  private mark = svg("path", { class: "now", d: "" });

  constructor(
    id: string,
    title: string,
    private frames: number,
    lines: Line[],
    jump: (frame: number) => void,
  ) {
    const all = lines.flatMap((line) => line.values);
    const low = Math.min(0, ...all.slice(0, 100_000));
    const high = Math.max(low + 1e-12, ...all.slice(0, 100_000));
    const x = (frame: number) => (frames > 1 ? (frame / (frames - 1)) * WIDTH : 0);
    const y = (value: number) => HEIGHT - ((value - low) / (high - low)) * HEIGHT;
    const drawn = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img", "aria-label": title });
    for (const line of lines) {
      const points = line.values.map((value, i) => `${i === 0 ? "M" : "L"}${x(i).toFixed(1)} ${y(value).toFixed(1)}`);
      drawn.append(svg("path", { class: `line ${line.className}`, d: points.join("") }));
    }
    drawn.append(this.mark);
    const jumpTo = (event: PointerEvent) => {
      const box = drawn.getBoundingClientRect();
      jump(Math.round(Math.min(Math.max((event.clientX - box.left) / box.width, 0), 1) * (frames - 1)));
    };
    drawn.addEventListener("pointerdown", (event) => jumpTo(event as PointerEvent));
    drawn.addEventListener("pointermove", (event) => {
      if ((event as PointerEvent).buttons & 1) jumpTo(event as PointerEvent);
    });
    const legend = element("div", { class: "legend" }, element("span", { text: title }));
    for (const line of lines) if (line.name) legend.append(element("span", { class: `key ${line.className}`, text: line.name }));
    this.root.id = id;
    this.root.append(legend, drawn);
  }

  show(frame: number) {
    const at = this.frames > 1 ? (frame / (this.frames - 1)) * WIDTH : 0;
    this.mark.setAttribute("d", `M${at.toFixed(1)} 0V${HEIGHT}`);
  }
}
