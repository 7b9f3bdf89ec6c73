//! All limits and tolerances of the reader, each with its unit and reason.
//!
//! No tolerance changes a number that is read: tolerances only decide whether a file is refused or
//! a warning is given.

/// Numbers that may be decoded from any file, regardless of its size, for files whose accessors
/// overlap or are mostly implied zeros. 32 MiB as `f64`.
pub(super) const FREE_NUMBERS: u64 = 1 << 22;

/// Numbers that may be decoded per byte of the file and its buffers, including implied zeros and
/// repeated use of an accessor.
///
/// An ordinary file decodes at most one per byte. Two common practices decode more: sparse morph
/// targets without a buffer view (3 numbers per vertex and target from almost no bytes, where a
/// vertex itself takes 32 to 70), and primitives that share vertices, which are repeated for each
/// primitive. With 16, a file of the first kind may have 170 targets at any size, and 90 primitives
/// may share all vertices of a skinned mesh. A hostile file of 1 MB makes at most 21 million
/// numbers, 168 MB as `f64`; about twice that is in memory while they are converted to vectors and
/// meshes.
pub(super) const NUMBERS_PER_BYTE: u64 = 16;

/// The largest number of numbers that may be decoded from one file: 4 GiB as `f64`.
pub(super) const MAX_NUMBERS: u64 = 1 << 29;

/// Bytes that may be decompressed from any file, regardless of its size: 32 MiB.
pub(super) const FREE_DECODED_BYTES: u64 = 1 << 25;

/// Bytes that may be decompressed per byte of the file and its buffers. Ordinary meshes reach 10;
/// a stream of equal elements may reach 1024, and views may share one stream.
pub(super) const DECODED_BYTES_PER_BYTE: u64 = 32;

/// Decompressed bytes that a face of a Draco stream is charged for beside its corners. The decoder's
/// tables take more, but a stream of less than a byte per face is ordinary.
pub(super) const DRACO_BYTES_PER_FACE: u64 = 16;

/// The largest deviation of a rotation from unit length: four components that are rounded to signed
/// bytes have errors of half a step of 1/127 each, so 1/127 in total.
pub(super) const ROTATION_LENGTH_SLACK: f64 = 1.0 / 127.0;

/// The largest deviation of stated bounds from the real ones, relative to the largest number:
/// bounds are decimal text, and some exporters write seven digits.
pub(super) const BOUNDS_SLACK: f64 = 1e-6;

/// The largest deviation of a matrix's last row from 0 0 0 1: exporters that invert matrices in
/// `f32` leave errors of a few ulps.
pub(super) const LAST_ROW_SLACK: f64 = 1e-5;

/// The cosine between two axes of a matrix above which a warning says that the matrix shears.
pub(super) const SHEAR_WARNING: f64 = 1e-4;

/// The largest deviation of the sum of `f32` weights from 1 without a warning.
pub(super) const WEIGHT_SUM_WARNING: f64 = 1e-5;
