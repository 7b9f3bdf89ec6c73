//! Bytes as numbers, vectors, meshes and maps.

use pliant::Mesh;
use pliant::glam::{DAffine3, DMat3, DQuat, DVec3};
use pliant::tree::{BuildSettings, Split};

/// A program that is read byte by byte; zeros follow its end.
pub(super) struct Bytes<'a> {
    rest: &'a [u8],
}

/// Exponents of units: of everyday size, at the ends of `f32` and of squares, and at those of `f64`.
const EXPONENTS: [i32; 32] = [
    0, 0, 0, 0, 1, -3, 10, -20, 33, -33, 60, -60, 66, -66, 100, -100, 120, -120, 126, -126, 128,
    -130, 133, -149, 250, -250, 400, -400, 511, -540, 990, -1040,
];

/// Numbers off the lattice.
const ODD: [f64; 8] = [1.0 / 3.0, 0.1, -0.7, 1e-9, -1e-17, 1.0 + f64::EPSILON, -0.0, 1e7];

/// 2^exponent, also where that is a subnormal number.
pub(super) fn power(exponent: i32) -> f64 {
    2f64.powi(exponent / 2) * 2f64.powi(exponent - exponent / 2)
}

impl<'a> Bytes<'a> {
    pub(super) fn new(rest: &'a [u8]) -> Self {
        Self { rest }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    pub(super) fn byte(&mut self) -> u8 {
        let Some((&first, rest)) = self.rest.split_first() else { return 0 };
        self.rest = rest;
        first
    }

    /// A number below a small positive number.
    pub(super) fn below(&mut self, end: usize) -> usize {
        usize::from(self.byte()) % end
    }

    /// The exponent of a unit.
    pub(super) fn exponent(&mut self) -> i32 {
        EXPONENTS[self.below(EXPONENTS.len())]
    }

    /// A small number, mostly on a lattice.
    pub(super) fn number(&mut self) -> f64 {
        let byte = self.byte();
        match byte >> 5 {
            0..6 => f64::from(byte & 7) - 3.0,
            6 => (f64::from(byte & 31) - 16.0) * 0.25,
            _ => ODD[usize::from(byte & 7)],
        }
    }

    pub(super) fn vector(&mut self) -> DVec3 {
        DVec3::new(self.number(), self.number(), self.number())
    }

    /// Vectors times a unit.
    pub(super) fn vectors(&mut self, count: usize, unit: f64) -> Vec<DVec3> {
        let alike = self.below(8) == 0;
        let first = self.vector();
        let rest = (1..count).map(|_| if alike { first } else { self.vector() });
        std::iter::once(first).chain(rest.collect::<Vec<_>>()).map(|v| v * unit).collect()
    }

    /// A mesh of few triangles, or of so many that its tree has larger nodes.
    pub(super) fn mesh(&mut self, unit: f64) -> Option<Mesh> {
        let vertices = 3 + self.below(6);
        let positions = self.vectors(vertices, unit);
        let mut triangles = Vec::new();
        if self.below(4) == 0 {
            // From few bytes: all that differ in their first corner.
            let step = 1 + self.below(vertices);
            triangles.extend(
                (0..26 + self.below(16)).map(|t| {
                    [t, t / 3 + step, t * step + 1].map(|corner| (corner % vertices) as u32)
                }),
            );
        } else {
            for _ in 0..1 + self.below(9) {
                triangles.push([0; 3].map(|_: u32| self.below(vertices) as u32));
            }
        }
        Mesh::new(positions, triangles).ok()
    }

    pub(super) fn settings(&mut self) -> BuildSettings {
        let byte = self.byte();
        BuildSettings {
            split: [Split::BinnedSah, Split::BinnedSah, Split::Median, Split::Midpoint]
                [usize::from(byte & 3)],
            arity: [2, 2, 2, 4][usize::from(byte >> 2 & 3)],
            leaf_size: [1, 1, 4, 2][usize::from(byte >> 4 & 3)],
        }
    }

    /// A rotation by right angles, or by any.
    pub(super) fn rotation(&mut self) -> DQuat {
        match self.below(4) {
            0 | 1 => DQuat::IDENTITY,
            2 => DQuat::from_axis_angle(
                [DVec3::X, DVec3::Y, DVec3::Z][self.below(3)],
                std::f64::consts::FRAC_PI_2 * f64::from(self.byte() & 3),
            ),
            _ => DQuat::from_scaled_axis(self.vector()),
        }
    }

    /// A map that stretches by a power of two, and by more, turns, shears, mirrors or flattens; and
    /// translates by units of the world.
    pub(super) fn map(&mut self, stretch: i32, world: i32) -> DAffine3 {
        let linear = match self.below(8) {
            0..4 => DMat3::IDENTITY,
            4 => DMat3::from_quat(self.rotation()),
            5 => DMat3::from_diagonal(self.vector()),
            6 => DMat3::from_cols(self.vector(), self.vector(), self.vector()),
            _ => DMat3::from_diagonal(DVec3::new(1.0, power(self.exponent()), 1.0)),
        };
        // In two steps, since the power alone may leave the range of `f64`.
        let half = stretch / 2;
        let matrix3 = linear * power(half) * power(stretch - half);
        DAffine3 { matrix3, translation: self.vector() * power(world) }
    }
}
