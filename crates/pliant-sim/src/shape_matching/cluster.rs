//! Matching the rest shape of a cluster to where its points are.

use pliant::glam::{DAffine3, DMat3, DVec3};

use super::rotation::nearest_rotation;
use super::settings::{Goal, Plasticity};
use super::symmetric_eigen::pseudo_inverse;

/// The volume, in units of that at rest, below which a cluster is not scaled up any further.
const SMALLEST_VOLUME: f64 = 0.125;

/// How far an image that is not rigid may be from the rigid one, as the Frobenius norm of the
/// difference of the maps. Goals therefore stay within a fixed distance of the cluster's middle, whatever
/// the points do.
const LARGEST_STRETCH: f64 = 2.0;

/// The points that move together, at rest.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Cluster {
    /// The points, ascending.
    pub(super) members: Vec<u32>,
    /// Their weights in this cluster: above 0, at most 1.
    pub(super) weights: Vec<f64>,
    /// Mass times weight of each.
    shares: Vec<f64>,
    mass: f64,
    pub(super) center: DVec3,
    /// The members about the centre.
    offsets: Vec<DVec3>,
    /// The inverse of the second moments on the space that the offsets span.
    inverse: DMat3,
    /// What that space leaves out, as a projection.
    unspanned: DMat3,
    quadratic: Option<Quadratic>,
}

/// What quadratic goals need beside.
#[derive(Debug, Clone, PartialEq)]
struct Quadratic {
    /// Squares and products of each member's offset, less their means, so that they move no centre.
    monomials: Vec<[f64; 6]>,
    /// The inverse of the second moments of offsets and monomials.
    inverse: [[f64; 9]; 9],
}

/// Where the points of a cluster are drawn: `center + linear q`, and the quadratic part.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Matched {
    pub(super) center: DVec3,
    pub(super) rotation: DMat3,
    /// The affine image of the rest shape that fits the points best.
    pub(super) fit: DMat3,
    goal: DMat3,
    quadratic: Option<[[f64; 6]; 3]>,
}

impl Cluster {
    /// A cluster of some points of a shape at rest.
    pub(super) fn new(
        points: &[DVec3],
        masses: &[f64],
        members: Vec<u32>,
        weights: Vec<f64>,
        goal: Goal,
    ) -> Self {
        let share = |(&point, weight): (&u32, &f64)| masses[point as usize] * weight;
        let shares: Vec<f64> = members.iter().zip(&weights).map(share).collect();
        let mass: f64 = shares.iter().sum();
        let weighted = members.iter().zip(&shares).map(|(&i, &share)| share * points[i as usize]);
        let center = weighted.sum::<DVec3>() / mass;
        let offsets: Vec<DVec3> = members.iter().map(|&i| points[i as usize] - center).collect();
        let mut moments = DMat3::ZERO;
        for (&share, &q) in shares.iter().zip(&offsets) {
            moments += outer(share * q, q);
        }
        let inverse = pseudo_inverse(moments.to_cols_array_2d());
        let inverse = DMat3::from_cols_array_2d(&inverse);
        let unspanned = DMat3::IDENTITY - moments * inverse;
        let quadratic = match goal {
            Goal::Quadratic { .. } => Some(Quadratic::new(&offsets, &shares, mass)),
            _ => None,
        };
        Self { members, weights, shares, mass, center, offsets, inverse, unspanned, quadratic }
    }

    /// Matches the rest shape to its points. `kept` is the stretch that plasticity has kept.
    pub(super) fn matched(&self, positions: &[DVec3], kept: DMat3, goal: Goal) -> Matched {
        let at = |&point: &u32| positions[point as usize];
        let weighted = self.members.iter().zip(&self.shares).map(|(i, &share)| share * at(i));
        let center = weighted.sum::<DVec3>() / self.mass;
        let mut moments = DMat3::ZERO;
        for ((i, &share), &q) in self.members.iter().zip(&self.shares).zip(&self.offsets) {
            moments += outer(share * (at(i) - center), q);
        }
        // The rest shape is `kept q`. What fits best does not depend on that: its maps are all maps.
        let rotation = nearest_rotation(moments * kept.transpose());
        let rigid = rotation * kept;
        let fit = moments * self.inverse + rigid * self.unspanned;
        let (goal, quadratic) = match (goal, &self.quadratic) {
            (Goal::Linear { beta }, _) => {
                (rigid + beta * limited(fit * volume_factor(fit.determinant()) - rigid), None)
            }
            (Goal::Quadratic { beta }, Some(rest)) => {
                let (fitted, bent, stretch) = self.quadratic_fit(rest, positions, center, rigid);
                let share = beta * (LARGEST_STRETCH / stretch.max(LARGEST_STRETCH));
                let bent = bent.map(|row| row.map(|number| share * number));
                (rigid + share * (fitted - rigid), Some(bent))
            }
            _ => (rigid, None),
        };
        Matched { center, rotation, fit, goal, quadratic }
    }

    /// The image by nine monomials that fits best, as a linear and a quadratic part, and its stretch:
    /// how far it moves points from their rigid images, in units of the cluster's size.
    fn quadratic_fit(
        &self,
        rest: &Quadratic,
        positions: &[DVec3],
        center: DVec3,
        rigid: DMat3,
    ) -> (DMat3, [[f64; 6]; 3], f64) {
        let mut moments = [[0.0; 9]; 3];
        let members = self.members.iter().zip(&self.shares).zip(&self.offsets);
        for (((&i, &share), q), monomials) in members.zip(&rest.monomials) {
            let p = (share * (positions[i as usize] - center)).to_array();
            for (row, p) in moments.iter_mut().zip(p) {
                for (number, q) in row.iter_mut().zip(q.to_array().iter().chain(monomials)) {
                    *number += p * q;
                }
            }
        }
        let mut linear = DMat3::ZERO;
        let mut bent = [[0.0; 6]; 3];
        for (row, moments) in moments.iter().enumerate() {
            for (column, inverse) in rest.inverse.iter().enumerate() {
                let number: f64 = moments.iter().zip(inverse).map(|(a, b)| a * b).sum();
                match column {
                    0..3 => linear.col_mut(column)[row] = number,
                    _ => bent[row][column - 3] = number,
                }
            }
        }
        // How far members are moved, in the mean square, against how far they are from the centre.
        let (mut moved, mut size) = (0.0, 0.0);
        let difference = linear - rigid;
        for ((&share, &q), monomials) in self.shares.iter().zip(&self.offsets).zip(&rest.monomials)
        {
            let way = difference * q + quadratic_part(&bent, monomials);
            moved += share * way.length_squared();
            size += share * q.length_squared();
        }
        // The factor makes a stretch of all axes alike as large as its Frobenius norm.
        let stretch = if size > 0.0 { (3.0 * moved / size).sqrt() } else { 0.0 };
        (linear, bent, stretch)
    }

    /// Calls `pull` for each member with its number, its weight in this cluster, and the way from where
    /// it is to its goal. Times mass and weight these ways sum to zero, and so do their moments: matching
    /// changes neither momentum nor angular momentum.
    pub(super) fn pulls(
        &self,
        matched: &Matched,
        positions: &[DVec3],
        mut pull: impl FnMut(usize, f64, DVec3),
    ) {
        for (at, ((&i, &weight), &q)) in
            self.members.iter().zip(&self.weights).zip(&self.offsets).enumerate()
        {
            let mut goal = matched.center + matched.goal * q;
            if let (Some(bent), Some(rest)) = (&matched.quadratic, &self.quadratic) {
                goal += quadratic_part(bent, &rest.monomials[at]);
            }
            pull(i as usize, weight, goal - positions[i as usize]);
        }
    }

    /// The affine map from the shape at rest to where the points are: the joint that moves a surface.
    pub(super) fn joint(&self, matched: &Matched) -> DAffine3 {
        let translation = matched.center - matched.fit * self.center;
        DAffine3::from_mat3_translation(matched.fit, translation)
    }
}

impl Quadratic {
    fn new(offsets: &[DVec3], shares: &[f64], mass: f64) -> Self {
        let mut monomials: Vec<[f64; 6]> = offsets.iter().map(squares_and_products).collect();
        for column in 0..6 {
            let sum: f64 = monomials.iter().zip(shares).map(|(m, share)| share * m[column]).sum();
            monomials.iter_mut().for_each(|row| row[column] -= sum / mass);
        }
        // Lengths and their squares in one matrix: both are scaled to the cluster's size, so that small
        // eigenvalues mean points that do not span a monomial, in any unit of length.
        let second: f64 =
            offsets.iter().zip(shares).map(|(q, share)| share * q.length_squared()).sum();
        let size = (second / mass).sqrt();
        let scale = if size > 0.0 { 1.0 / size } else { 1.0 };
        let scales: [f64; 9] = std::array::from_fn(|at| if at < 3 { scale } else { scale * scale });
        let mut moments = [[0.0; 9]; 9];
        for ((q, row), &share) in offsets.iter().zip(&monomials).zip(shares) {
            let all: [f64; 9] =
                std::array::from_fn(|at| scales[at] * if at < 3 { q[at] } else { row[at - 3] });
            for (out, a) in moments.iter_mut().zip(all) {
                for (number, b) in out.iter_mut().zip(all) {
                    *number += share * a * b;
                }
            }
        }
        let mut inverse = pseudo_inverse(moments);
        for (row, a) in inverse.iter_mut().zip(scales) {
            for (number, b) in row.iter_mut().zip(scales) {
                *number *= a * b;
            }
        }
        Self { monomials, inverse }
    }
}

impl Plasticity {
    /// The stretch that is kept after a step, from what was kept before (section 4.4).
    pub(super) fn keep(&self, kept: DMat3, matched: &Matched, step: f64) -> DMat3 {
        let elastic = matched.rotation.transpose() * matched.fit * kept.inverse();
        let strain = elastic - DMat3::IDENTITY;
        let size = frobenius(strain);
        // What is inverted is no stretch to keep. NaN is refused by either.
        let is_kept = size > self.yield_stretch && elastic.determinant() > 0.0;
        if !is_kept {
            return kept;
        }
        let share = (step * self.creep).min(1.0);
        let mut next = (DMat3::IDENTITY + share * strain) * kept;
        let volume = next.determinant();
        let is_usable = volume > 0.0 && next.is_finite();
        if !is_usable {
            return kept;
        }
        next *= volume.cbrt().recip();
        let beyond = frobenius(next - DMat3::IDENTITY) / self.largest.max(f64::MIN_POSITIVE);
        if beyond > 1.0 {
            next = DMat3::IDENTITY + (next - DMat3::IDENTITY) * beyond.recip();
        }
        next
    }
}

/// What a map is multiplied by to keep the volume: the inverse cube root of its determinant, up to
/// [`SMALLEST_VOLUME`] and down to its inverse. Towards flat clusters it fades to 1; inverted ones are not
/// scaled.
fn volume_factor(volume: f64) -> f64 {
    let largest = SMALLEST_VOLUME.cbrt().recip();
    match volume {
        v if v >= SMALLEST_VOLUME => v.min(SMALLEST_VOLUME.recip()).cbrt().recip(),
        v if v > 0.0 => 1.0 + (largest - 1.0) * v / SMALLEST_VOLUME,
        _ => 1.0,
    }
}

/// A difference of maps, shortened to [`LARGEST_STRETCH`].
fn limited(difference: DMat3) -> DMat3 {
    let size = frobenius(difference);
    if size <= LARGEST_STRETCH { difference } else { difference * (LARGEST_STRETCH / size) }
}

fn frobenius(matrix: DMat3) -> f64 {
    let square = |axis: DVec3| axis.length_squared();
    (square(matrix.x_axis) + square(matrix.y_axis) + square(matrix.z_axis)).sqrt()
}

fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

fn squares_and_products(q: &DVec3) -> [f64; 6] {
    [q.x * q.x, q.y * q.y, q.z * q.z, q.x * q.y, q.y * q.z, q.z * q.x]
}

fn quadratic_part(rows: &[[f64; 6]; 3], monomials: &[f64; 6]) -> DVec3 {
    let row = |at: usize| rows[at].iter().zip(monomials).map(|(a, b)| a * b).sum();
    DVec3::new(row(0), row(1), row(2))
}
