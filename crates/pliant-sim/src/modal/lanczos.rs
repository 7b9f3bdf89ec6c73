//! The largest eigenvalues of a symmetric operator by the block Lanczos method.

use faer::{Mat, Side};

use crate::{Error, Result};

/// The largest residual of a Ritz pair relative to its value. The error of the eigenvalue is about
/// the square of the residual.
const TOLERANCE: f64 = 1e-10;

/// A vector whose remaining part after projection is below this fraction consists of rounding.
const VANISHED: f64 = 16.0 * f64::EPSILON;

/// The two operators of the problem S M x = θ x, with S and M symmetric and positive.
pub(super) trait Operators {
    /// The length of a vector.
    fn size(&self) -> usize;
    /// M x.
    fn mass_times(&self, x: &[f64]) -> Vec<f64>;
    /// Replaces vectors, which follow one another in one slice, by S times them.
    fn solve(&mut self, block: &mut [f64]);
}

/// Eigenvalues in descending order, and eigenvectors, orthonormal in M.
pub(super) struct Eigenpairs {
    pub(super) values: Vec<f64>,
    pub(super) vectors: Vec<Vec<f64>>,
}

/// Computes the largest eigenvalues θ of S M x = θ x with their eigenvectors.
///
/// `wanted` returns how many are needed, given the current estimates of all of them in descending
/// order. S M is symmetric in the inner product x' M y, which is the only one used here.
///
/// All vectors are kept, and each new one is made orthogonal to all earlier ones, twice, so that no
/// eigenvalue appears too often. An eigenvalue appears as often as it should if its multiplicity is
/// at most `width`, the number of vectors per step: a single vector would find one direction per
/// eigenspace. There is no restart, since vibration problems need a few hundred vectors.
pub(super) fn largest_eigenpairs(
    operators: &mut impl Operators,
    width: usize,
    wanted: impl Fn(&[f64]) -> usize,
) -> Result<Eigenpairs> {
    let size = operators.size();
    let mut random = Random(0x5eed);
    let mut basis = Basis::default();
    while basis.vectors.len() < width.min(size) {
        basis.push_random(operators, &mut random)?;
    }
    // Column c has the basis coordinates of the image of basis vector c.
    let mut images: Vec<Vec<f64>> = Vec::new();
    loop {
        let mut block: Vec<f64> = basis.weighed[images.len()..].concat();
        operators.solve(&mut block);
        if !block.iter().all(|x| x.is_finite()) {
            return Err(Error::Solver { reason: "the iteration is not finite" });
        }
        for image in block.chunks_exact_mut(size) {
            let mut coordinates = basis.project_out(image);
            if basis.vectors.len() < size {
                let length = norm(&coordinates);
                match basis.push_unit(operators, image, VANISHED * length) {
                    Some(left) => coordinates.push(left),
                    None => basis.push_random(operators, &mut random)?,
                }
            }
            images.push(coordinates);
        }
        let ritz = Ritz::of(&images)?;
        let count = wanted(&ritz.values);
        let complete = images.len() == size;
        let settled = count <= ritz.values.len()
            && (0..count).all(|n| ritz.residual(&images, n) <= TOLERANCE * ritz.values[n]);
        if settled || complete {
            let count = count.min(size);
            let vectors = (0..count).map(|n| ritz.vector(&basis.vectors, n)).collect();
            return Ok(Eigenpairs { values: ritz.values[..count].to_vec(), vectors });
        }
        if images.len() > 40 * (count + width) {
            return Err(Error::Solver { reason: "the iteration did not converge" });
        }
    }
}

/// Vectors x, orthonormal in M, and M x of each.
#[derive(Default)]
struct Basis {
    vectors: Vec<Vec<f64>>,
    weighed: Vec<Vec<f64>>,
}

impl Basis {
    /// Makes a vector orthogonal to the basis and returns its coordinates in the basis. The second
    /// pass removes the rounding that the first leaves.
    fn project_out(&self, vector: &mut [f64]) -> Vec<f64> {
        let mut coordinates = vec![0.0; self.vectors.len()];
        for _ in 0..2 {
            let basis = self.vectors.iter().zip(&self.weighed);
            for (coordinate, (basis, weighed)) in coordinates.iter_mut().zip(basis) {
                let part = dot(vector, weighed);
                add(vector, -part, basis);
                *coordinate += part;
            }
        }
        coordinates
    }

    /// Adds a vector that is orthogonal to the basis, scaled to length 1, and returns its length.
    /// Does nothing and returns `None` if the length is not above `vanished`.
    fn push_unit(
        &mut self,
        operators: &impl Operators,
        vector: &[f64],
        vanished: f64,
    ) -> Option<f64> {
        let weighed = operators.mass_times(vector);
        let length = dot(vector, &weighed).max(0.0).sqrt();
        if length.is_nan() || length <= vanished {
            return None;
        }
        self.vectors.push(vector.iter().map(|x| x / length).collect());
        self.weighed.push(weighed.iter().map(|x| x / length).collect());
        Some(length)
    }

    /// Adds a random direction. There must be fewer vectors than unknowns.
    fn push_random(&mut self, operators: &impl Operators, random: &mut Random) -> Result<()> {
        // A random vector almost never lies in the basis; it is drawn again if it nearly does.
        for _ in 0..100 {
            let mut vector: Vec<f64> = (0..operators.size()).map(|_| random.next()).collect();
            let whole = norm(&self.project_out(&mut vector));
            if self.push_unit(operators, &vector, 1e-6 * whole).is_some() {
                return Ok(());
            }
        }
        Err(Error::Solver { reason: "the mass matrix is not positive" })
    }
}

/// Eigenpairs of the operator projected onto the basis.
struct Ritz {
    values: Vec<f64>,
    /// One column per eigenpair, in the order of `values`.
    coordinates: Mat<f64>,
}

impl Ritz {
    fn of(images: &[Vec<f64>]) -> Result<Self> {
        let count = images.len();
        // The lower half: the component of an earlier vector's image along a later vector.
        let projected = Mat::from_fn(count, count, |row, column| {
            images[column].get(row).copied().unwrap_or(0.0)
        });
        let failed = |_| Error::Solver { reason: "eigenvalues of the projected operator" };
        let eigen = projected.self_adjoint_eigen(Side::Lower).map_err(failed)?;
        let values = eigen.S().column_vector().iter().rev().copied().collect();
        let coordinates = Mat::from_fn(count, count, |row, n| eigen.U()[(row, count - 1 - n)]);
        Ok(Self { values, coordinates })
    }

    /// The length of the part of the n-th pair's image outside the projected space.
    fn residual(&self, images: &[Vec<f64>], n: usize) -> f64 {
        let count = images.len();
        let mut outside = vec![0.0; images[count - 1].len().saturating_sub(count)];
        for (column, image) in images.iter().enumerate() {
            for (sum, &coordinate) in outside.iter_mut().zip(image.iter().skip(count)) {
                *sum += coordinate * self.coordinates[(column, n)];
            }
        }
        norm(&outside)
    }

    fn vector(&self, basis: &[Vec<f64>], n: usize) -> Vec<f64> {
        let mut vector = vec![0.0; basis[0].len()];
        for (row, basis) in basis.iter().enumerate().take(self.values.len()) {
            add(&mut vector, self.coordinates[(row, n)], basis);
        }
        vector
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    // Eight independent sums use the adders in parallel; the order is always the same.
    let mut sums = [0.0; 8];
    let (a_blocks, b_blocks) = (a.chunks_exact(8), b.chunks_exact(8));
    let rest: f64 = a_blocks.remainder().iter().zip(b_blocks.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in a_blocks.zip(b_blocks) {
        for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
            *sum += a * b;
        }
    }
    sums.iter().sum::<f64>() + rest
}

fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

fn add(target: &mut [f64], factor: f64, other: &[f64]) {
    for (target, other) in target.iter_mut().zip(other) {
        *target += factor * other;
    }
}

/// SplitMix64 (Steele, Lea and Flood 2014), for start vectors.
struct Random(u64);

impl Random {
    /// A number from -1 to 1.
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Diagonal operators: `masses` for M, and S such that the eigenvalues are `values`.
    struct Diagonal {
        values: Vec<f64>,
        masses: Vec<f64>,
    }

    impl Operators for Diagonal {
        fn size(&self) -> usize {
            self.values.len()
        }

        fn mass_times(&self, x: &[f64]) -> Vec<f64> {
            x.iter().zip(&self.masses).map(|(x, mass)| x * mass).collect()
        }

        fn solve(&mut self, block: &mut [f64]) {
            for vector in block.chunks_exact_mut(self.values.len()) {
                let pairs = self.values.iter().zip(&self.masses);
                vector.iter_mut().zip(pairs).for_each(|(x, (value, mass))| *x *= value / mass);
            }
        }
    }

    /// The given eigenvalues, followed by 1/2, 1/3 and so on of the last.
    fn solve(leading: &[f64], size: usize, count: usize) -> (Diagonal, Eigenpairs) {
        let last = leading[leading.len() - 1];
        let tail = (2..).map(|n| last / f64::from(n));
        let values = leading.iter().copied().chain(tail).take(size).collect();
        let masses = (0..size).map(|n| 1.0 + (n % 7) as f64).collect();
        let mut operators = Diagonal { values, masses };
        let pairs = largest_eigenpairs(&mut operators, 8, |_| count).unwrap();
        (operators, pairs)
    }

    #[test]
    fn repeated_eigenvalues_are_found_as_often_as_they_occur() {
        let leading = [50.0, 50.0, 50.0, 50.0, 50.0, 50.0, 9.0, 4.0, 4.0, 3.0, 2.0, 2.0, 2.0];
        let (operators, pairs) = solve(&leading, 500, leading.len());
        for (value, expected) in pairs.values.iter().zip(leading) {
            assert!((value - expected).abs() < 1e-11 * expected, "{:?}", pairs.values);
        }
        for (n, vector) in pairs.vectors.iter().enumerate() {
            for (m, other) in pairs.vectors.iter().enumerate() {
                let expected = if n == m { 1.0 } else { 0.0 };
                let product = dot(vector, &operators.mass_times(other));
                assert!((product - expected).abs() < 1e-13);
            }
            let outside = leading.iter().zip(vector).filter(|(v, _)| **v != leading[n]);
            assert!(outside.map(|(_, x)| x * x).sum::<f64>() < 1e-16);
        }
    }

    #[test]
    fn a_space_smaller_than_a_block_and_one_with_a_single_eigenvalue() {
        assert_eq!(solve(&[3.0, 2.0, 1.0], 3, 3).1.values.len(), 3);
        let (_, pairs) = solve(&[1.0; 30], 30, 20);
        assert!(pairs.values.iter().all(|value| (value - 1.0).abs() < 1e-13));
    }
}
