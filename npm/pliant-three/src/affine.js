// Affine maps as 16 numbers by columns. The last row is 0 0 0 1 and is never computed: three.js' inverses
// have it up to rounding.

export const IDENTITY = new Float64Array([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]);

/** Writes a b to `out` from `at` on. `out` may be neither of them. */
export function multiply(a, b, out, at = 0) {
  for (let column = 0; column < 16; column += 4) {
    const [x, y, z] = [b[column], b[column + 1], b[column + 2]];
    for (let row = 0; row < 3; row++) {
      const sum = a[row] * x + a[row + 4] * y + a[row + 8] * z;
      out[at + column + row] = column === 12 ? sum + a[row + 12] : sum;
    }
    out[at + column + 3] = column === 12 ? 1 : 0;
  }
}
