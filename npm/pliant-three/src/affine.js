// Affine maps as 16 numbers by columns. The last row is 0 0 0 1 and is never computed: three.js' inverses
// have it up to rounding.

/** Writes a b to `out` from `at` on. `out` may be neither of them. */
export function multiply(a, b, out, at = 0) {
  const a0 = a[0], a1 = a[1], a2 = a[2], a4 = a[4], a5 = a[5], a6 = a[6], a8 = a[8], a9 = a[9], a10 = a[10];
  for (let column = 0; column < 12; column += 4) {
    const x = b[column], y = b[column + 1], z = b[column + 2];
    out[at + column] = a0 * x + a4 * y + a8 * z;
    out[at + column + 1] = a1 * x + a5 * y + a9 * z;
    out[at + column + 2] = a2 * x + a6 * y + a10 * z;
    out[at + column + 3] = 0;
  }
  const x = b[12], y = b[13], z = b[14];
  out[at + 12] = a0 * x + a4 * y + a8 * z + a[12];
  out[at + 13] = a1 * x + a5 * y + a9 * z + a[13];
  out[at + 14] = a2 * x + a6 * y + a10 * z + a[14];
  out[at + 15] = 1;
}

/** Whether a map changes nothing. */
export function isIdentity(a) {
  for (let at = 0; at < 16; at++) if (a[at] !== (at % 5 === 0 ? 1 : 0)) return false;
  return true;
}

/** Writes numbers to `out`; whether any of them is new. */
export function replace(out, numbers) {
  let changed = false;
  for (let at = 0; at < out.length; at++) {
    if (out[at] !== numbers[at]) {
      out[at] = numbers[at];
      changed = true;
    }
  }
  return changed;
}
