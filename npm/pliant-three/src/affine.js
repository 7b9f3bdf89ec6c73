// Affine maps as 16 numbers by columns. The last row is 0 0 0 1 and is never computed: three.js' inverses
// have it up to rounding.

/** Writes a b to `out` from `at` on. `out` may be neither of them. */
export function multiply(a, b, out, at = 0) {
  for (let column = 0; column < 16; column += 4) {
    const x = b[column];
    const y = b[column + 1];
    const z = b[column + 2];
    const last = column === 12 ? 1 : 0;
    out[at + column] = a[0] * x + a[4] * y + a[8] * z + a[12] * last;
    out[at + column + 1] = a[1] * x + a[5] * y + a[9] * z + a[13] * last;
    out[at + column + 2] = a[2] * x + a[6] * y + a[10] * z + a[14] * last;
    out[at + column + 3] = last;
  }
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
