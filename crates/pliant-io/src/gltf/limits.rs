//! Every limit and allowance of the reader, with its unit and its reason.
//!
//! None of the allowances changes a number that is read: they only decide
//! whether a file is refused, or whether the user is warned.

/// Numbers that may be decoded from any file, however small: room for files whose
/// accessors overlap or are mostly implied zeros. 32 MiB as `f64`.
pub(super) const FREE_NUMBERS: u64 = 1 << 22;

/// Numbers that may be decoded for each byte of the file and its buffers, implied zeros and
/// repeated use of one accessor included.
///
/// A plain file decodes one for every byte or less. Two ordinary habits decode more: morph
/// targets that are sparse, without a buffer view (3 numbers for each vertex and target out of
/// next to no bytes, where a vertex itself takes 32 to 70), and primitives that share
/// vertices, which are repeated for each. With 16 a file of the first kind may have 170 targets
/// whatever its size, and 90 primitives may share all vertices of a skinned mesh.
/// A hostile file of 1 MB makes 21 million numbers at the most, 168 MB as `f64`; while they are
/// made into vectors and meshes, about twice that is in memory.
pub(super) const NUMBERS_PER_BYTE: u64 = 16;

/// Numbers that may be decoded from one file at the most: 4 GiB as `f64`.
pub(super) const MAX_NUMBERS: u64 = 1 << 29;

/// How far a stated rotation may be from unit length: four components, each
/// rounded to a signed byte, err by half a step of 1/127 each, so by 1/127 in all.
pub(super) const ROTATION_LENGTH_SLACK: f64 = 1.0 / 127.0;

/// How far stated bounds may lie beside the real ones, relative to the largest
/// number: bounds are decimal text, and some exporters write seven digits.
pub(super) const BOUNDS_SLACK: f64 = 1e-6;

/// How far the last row of a stated matrix may be from 0 0 0 1: exporters that
/// invert matrices in `f32` leave a few units in its last place.
pub(super) const LAST_ROW_SLACK: f64 = 1e-5;

/// Cosine between two axes of a matrix above which the user is told that it shears.
pub(super) const SHEAR_WARNING: f64 = 1e-4;

/// How far weights of `f32` may be from the sum of 1 before the user is told.
pub(super) const WEIGHT_SUM_WARNING: f64 = 1e-5;
