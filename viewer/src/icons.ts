// Icons, drawn as SVG: characters would look different on every machine, and some have none.

import { element, svg } from "./element";

/** Outlines in a square of 24 units. */
const PATHS = {
  play: "M8 5v14l11-7z",
  pause: "M7 5h3.5v14H7zM13.5 5H17v14h-3.5z",
  back: "M15.5 5.5v13L6.5 12z",
  on: "M8.5 5.5v13l9-6.5z",
  deepest: "M11 4h2v9h3.5L12 18.5 7.5 13H11zM5 19.5h14v1.8H5z",
  theme: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zm0 2.2a6.8 6.8 0 0 1 0 13.6z",
  all: "M4 9V4h5v2H6v3zM15 4h5v5h-2V6h-3zM20 15v5h-5v-2h3v-3zM9 20H4v-5h2v3h3z",
  turn: "M12 5a7 7 0 0 1 6.7 5H21l-3.3 4.5L14.3 10h2.3A5 5 0 0 0 7.4 10H5.3A7 7 0 0 1 12 5zM12 19a7 7 0 0 1-6.7-5H3l3.3-4.5L9.7 14H7.400a5 5 0 0 0 9.2 0h2.1A7 7 0 0 1 12 19z",
};

export type Icon = keyof typeof PATHS;

export function icon(name: Icon): SVGElement {
  const path = svg("path", { d: PATHS[name], fill: "currentColor" });
  return svg("svg", { viewBox: "0 0 24 24", width: "20", height: "20", "aria-hidden": "true" }, path);
}

/** A button that shows an icon, and says what it does. */
export function iconButton(id: string, name: Icon, title: string, press: () => void): HTMLButtonElement {
  const made = element("button", { class: "icon", title }, icon(name));
  made.id = id;
  made.setAttribute("aria-label", title);
  made.addEventListener("click", press);
  return made;
}
