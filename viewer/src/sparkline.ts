// A line over all frames in the space of a word.

import { svg } from "./element";

const [WIDTH, HEIGHT] = [88, 20];

/** Values over frames as an area; of frames that share a column the highest counts. `mark` is a frame to point at. */
export function sparkline(values: ArrayLike<number>, mark: number | null): SVGElement {
  const columns = Math.min(values.length, WIDTH);
  const heights = new Float64Array(columns);
  let most = 0;
  for (let i = 0; i < values.length; i++) {
    const column = Math.floor((i * columns) / values.length);
    heights[column] = Math.max(heights[column], values[i]);
    most = Math.max(most, values[i]);
  }
  const x = (column: number) => ((column * WIDTH) / columns).toFixed(1);
  let path = `M0 ${HEIGHT}`;
  heights.forEach((height, column) => {
    // What is not zero has at least two units.
    const y = (HEIGHT - (height > 0 ? Math.max(2, (height / most) * HEIGHT) : 0)).toFixed(1);
    path += `L${x(column)} ${y}L${x(column + 1)} ${y}`;
  });
  const made = svg(
    "svg",
    { class: "sparkline", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", "aria-hidden": "true" },
    svg("path", { class: "area", d: `${path}L${WIDTH} ${HEIGHT}Z` }),
  );
  if (mark !== null) {
    const at = (((mark + 0.5) * WIDTH) / values.length).toFixed(1);
    made.append(svg("path", { class: "mark", d: `M${at} 0V${HEIGHT}` }));
  }
  return made;
}
