//! Whether bounds hold the vertices below them, decided in integers.

use num_bigint::BigInt;
use pliant::Collide;
use pliant::glam::DVec3;
use pliant::tree::{primitive_runs, validate};
use pliant::volume::{Aabb, Sphere, Volume};

/// A volume that can be compared with points without rounding.
pub(crate) trait Exact: Volume + std::fmt::Debug {
    fn holds(&self, point: DVec3) -> bool;
}

impl Exact for Aabb {
    fn holds(&self, p: DVec3) -> bool {
        let (min, max) = (self.min.as_dvec3(), self.max.as_dvec3());
        (0..3).all(|axis| min[axis] <= p[axis] && p[axis] <= max[axis])
    }
}

impl Exact for Sphere {
    fn holds(&self, p: DVec3) -> bool {
        if self.radius == f32::INFINITY {
            return self.center.is_finite();
        }
        let radius = f64::from(self.radius);
        let gap = (p - self.center.as_dvec3()).abs();
        // The usual case, with a margin that rounding cannot reach.
        if (1e-100..1e100).contains(&gap.max_element()) && gap.length() < radius * (1.0 - 1e-12) {
            return true;
        }
        let square = |x: BigInt| &x * &x;
        let between: BigInt = (0..3)
            .map(|axis| square(integer(p[axis]) - integer(f64::from(self.center[axis]))))
            .sum();
        radius >= 0.0 && between <= square(integer(radius))
    }
}

/// A finite number in units of 2^-1074, in which all of them are integers.
fn integer(x: f64) -> BigInt {
    let bits = x.to_bits();
    let (exponent, fraction) = (bits >> 52 & 0x7ff, bits & ((1 << 52) - 1));
    assert!(exponent < 0x7ff, "{x} is not finite");
    let size = match exponent {
        0 => BigInt::from(fraction),
        _ => BigInt::from(fraction | 1 << 52) << (exponent - 1),
    };
    if x < 0.0 { -size } else { size }
}

/// Fails unless every bound holds every corner below its node.
#[track_caller]
pub(crate) fn check(name: &str, body: &impl Collide<Volume: Exact>) {
    let tree = body.tree();
    validate(tree).unwrap();
    for (node, run) in (0..).zip(primitive_runs(tree)) {
        let bound = body.bound(node);
        for &triangle in &tree.primitives[run.start as usize..run.end as usize] {
            for corner in body.triangle(triangle) {
                assert!(
                    bound.holds(corner),
                    "{name}: node {node}, {bound:?}, misses {corner:?} of triangle {triangle}"
                );
            }
        }
    }
}
