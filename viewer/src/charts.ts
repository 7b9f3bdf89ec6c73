// Draws the charts and tables of a report.

import { element } from "./element";
import type { Chart, Table } from "./format";

const SVG = "http://www.w3.org/2000/svg";
const [WIDTH, HEIGHT, LEFT, BOTTOM, TOP] = [560, 260, 56, 34, 12];

export function table(data: Table): HTMLElement {
  const head = element("tr", {}, ...data.columns.map((name) => element("th", { text: name })));
  const rows = data.rows.map((row) =>
    element("tr", {}, ...row.map((cell) => element("td", { text: cell }))),
  );
  const notes = data.notes.map((note) => element("p", { class: "note", text: note }));
  const grid = element("table", {}, element("thead", {}, head), element("tbody", {}, ...rows));
  return element(
    "section",
    { class: "table" },
    element("h2", { text: data.title }),
    element("div", { class: "scroll" }, grid),
    ...notes,
  );
}

export function chart(data: Chart): HTMLElement {
  const points = data.series.flatMap((series) => series.points);
  const scale = data.logarithmic ? Math.log10 : (value: number) => value;
  const usable = points.filter(([x, y]) => !data.logarithmic || (x > 0 && y > 0));
  const range = (axis: 0 | 1) => {
    const values = usable.map((point) => scale(point[axis]));
    const [low, high] = [Math.min(...values), Math.max(...values)];
    return high > low ? [low, high] : [low - 0.5, low + 0.5];
  };
  const [x0, x1] = range(0);
  const [y0, y1] = data.logarithmic ? range(1) : [Math.min(0, range(1)[0]), range(1)[1]];
  const px = (x: number) => LEFT + ((scale(x) - x0) / (x1 - x0)) * (WIDTH - LEFT - 12);
  const py = (y: number) => HEIGHT - BOTTOM - ((scale(y) - y0) / (y1 - y0)) * (HEIGHT - BOTTOM - TOP);
  const picture = make("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img" });
  picture.append(
    make("path", { class: "axis", d: `M${LEFT} ${TOP}V${HEIGHT - BOTTOM}H${WIDTH - 12}` }),
    text(data.x, (LEFT + WIDTH) / 2, HEIGHT - 6, "middle"),
    text(data.y, 4, TOP - 2, "start"),
  );
  const unscale = (value: number) => (data.logarithmic ? 10 ** value : value);
  for (let tick = 0; tick <= 4; tick++) {
    const [x, y] = [unscale(x0 + ((x1 - x0) * tick) / 4), unscale(y0 + ((y1 - y0) * tick) / 4)];
    picture.append(text(short(x), px(x), HEIGHT - BOTTOM + 14, "middle"));
    picture.append(text(short(y), LEFT - 6, py(y) + 4, "end"));
    picture.append(make("path", { class: "grid", d: `M${LEFT} ${py(y)}H${WIDTH - 12}` }));
  }
  const legend = element("div", { class: "legend" });
  data.series.forEach((series, number) => {
    const line = series.points
      .filter(([x, y]) => !data.logarithmic || (x > 0 && y > 0))
      .map(([x, y], i) => `${i === 0 ? "M" : "L"}${px(x).toFixed(1)} ${py(y).toFixed(1)}`);
    picture.append(make("path", { class: `line series${number % 6}`, d: line.join("") }));
    legend.append(element("span", { class: `key series${number % 6}`, text: series.name }));
  });
  const section = element("section", { class: "chart" }, element("h2", { text: data.title }), legend);
  section.append(picture);
  return section;
}

const short = (value: number) => {
  const digits = Number(value.toPrecision(3));
  if (Math.abs(digits) >= 1e6) return `${digits / 1e6}M`;
  return Math.abs(digits) >= 1e4 ? `${digits / 1e3}k` : String(digits);
};

function make(tag: string, attributes: Record<string, string>): SVGElement {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

function text(content: string, x: number, y: number, anchor: string): SVGElement {
  const made = make("text", { x: String(x), y: String(y), "text-anchor": anchor });
  made.textContent = content;
  return made;
}
