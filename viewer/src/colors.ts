// Colours of objects and chains. None is red, since red means contact.

/** Most people can tell these apart. */
const FIRST = ["#7fa7d9", "#e0b05f", "#8fc79a", "#b39ddb", "#80cbc4", "#c5b8a5", "#90a4ae"];

/** The share of a turn after which hues are spread most evenly, however many there are. */
const GOLDEN = 0.618034;

export function colorOf(object: number): string {
  if (object < FIRST.length) return FIRST[object];
  const turn = (object * GOLDEN) % 1;
  // From yellow by green and blue to violet: reds are left out.
  const hue = ((75 + 255 * turn) * Math.PI) / 180;
  const lightness = [0.76, 0.64, 0.84][object % 3];
  return fromOklch(lightness, [0.11, 0.07][object % 2], hue);
}

/** The sRGB colour of lightness, chroma and hue in Oklab (Ottosson 2020), which looks equally bright for every hue. */
function fromOklch(lightness: number, chroma: number, hue: number): string {
  const [a, b] = [chroma * Math.cos(hue), chroma * Math.sin(hue)];
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const linear = [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
  const digits = linear.map((value) => {
    const light = Math.min(Math.max(value, 0), 1);
    const shown = light <= 0.0031308 ? 12.92 * light : 1.055 * light ** (1 / 2.4) - 0.055;
    return Math.round(255 * shown).toString(16).padStart(2, "0");
  });
  return `#${digits.join("")}`;
}
