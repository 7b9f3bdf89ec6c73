// Makes elements. Text is set as text, so that no name from a file can become markup.

export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  options: { class?: string; text?: string; title?: string } = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  if (options.class) made.className = options.class;
  if (options.text !== undefined) made.textContent = options.text;
  if (options.title) made.title = options.title;
  made.append(...children);
  return made;
}

const SVG = "http://www.w3.org/2000/svg";

/** Makes an SVG element. */
export function svg(tag: string, attributes: Record<string, string>, ...children: Node[]): SVGElement {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** A part that is shown when its title is clicked. */
export function fold(id: string, title: string, ...children: (Node | string)[]): HTMLDetailsElement {
  const made = element("details", {}, element("summary", { text: title }), ...children);
  made.id = id;
  return made;
}

/** A number with its digits in groups of three: 12 020. */
export const count = (value: number) =>
  Math.round(value).toString().replace(/\B(?=(\d{3})+$)/g, "\u202f");

/** A time in ns, µs, ms or s, by its size. */
export function seconds(value: number): string {
  if (value < 1e-6) return `${(value * 1e9).toFixed(0)} ns`;
  if (value < 1e-3) return `${(value * 1e6).toFixed(1)} µs`;
  if (value < 1) return `${(value * 1e3).toFixed(2)} ms`;
  return `${value.toFixed(2)} s`;
}

/** A place with three significant digits per coordinate. */
export const place = (at: readonly number[]) => at.map(length).join(", ");

/** "1 pair", "12 pairs". */
export const some = (value: number, noun: string) => `${count(value)} ${noun}${value === 1 ? "" : "s"}`;

/** A length with three significant digits. */
export const length = (value: number) => Number(value.toPrecision(3)).toString();
