//! Textures that are felt: heights, or factors of friction, over texture coordinates.

use std::ops::Range;
use std::sync::Arc;

use pliant::glam::DVec3;

use crate::error::check_amount;
use crate::shading::area;
use crate::{Error, Result};

/// What the values of a texture mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextureUse {
    /// Heights. At value 1 the surface is where its triangles are, at value 0 it is carved by the
    /// amplitude.
    Height,
    /// Factors of friction: the value times the amplitude.
    Friction,
}

/// How a texture goes on beyond its border.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum TextureWrap {
    /// It begins again.
    #[default]
    Repeat,
    /// Its border goes on.
    Clamp,
    /// It begins again, every other time mirrored.
    Mirror,
}

/// A texture over the texture coordinates of an object's vertices. It repeats, unless it is told otherwise,
/// and is interpolated between the centres of its texels.
///
/// Heights change forces, not where the proxy is: it stays on the triangles, which it never passes.
#[derive(Debug, Clone, PartialEq)]
pub struct Texture {
    applies_to: TextureUse,
    width: usize,
    values: Arc<[f32]>,
    amplitude: f64,
    /// One pair per vertex.
    coordinates: Arc<[[f32; 2]]>,
    /// Along u and v.
    wrap: [TextureWrap; 2],
    /// The triangles that it lies over.
    triangles: Range<u32>,
}

impl Texture {
    /// A texture of rows of so many values from 0 to 1; the first row is where v begins. It lies over all
    /// triangles.
    ///
    /// # Errors
    /// [`Error::Setting`] names what cannot be used.
    pub fn new(
        applies_to: TextureUse,
        width: usize,
        values: impl Into<Arc<[f32]>>,
        amplitude: f64,
        coordinates: impl Into<Arc<[[f32; 2]]>>,
    ) -> Result<Self> {
        let (values, coordinates) = (values.into(), coordinates.into());
        check_amount("amplitude", amplitude)?;
        if width == 0 || values.is_empty() || !values.len().is_multiple_of(width) {
            let reason = "must divide the number of values, of which there must be some";
            return Err(Error::Setting { setting: "width", value: width as f64, reason });
        }
        if let Some(&wrong) = values.iter().find(|value| !(0.0..=1.0).contains(*value)) {
            let (setting, value) = ("texture value", f64::from(wrong));
            return Err(Error::Setting { setting, value, reason: "must be from 0 to 1" });
        }
        if let Some(&wrong) = coordinates.iter().flatten().find(|number| !number.is_finite()) {
            let (setting, value) = ("texture coordinate", f64::from(wrong));
            return Err(Error::Setting { setting, value, reason: "must be finite" });
        }
        let (wrap, triangles) = ([TextureWrap::Repeat; 2], 0..u32::MAX);
        Ok(Self { applies_to, width, values, amplitude, coordinates, wrap, triangles })
    }

    /// The same texture that goes on otherwise along u and v.
    #[must_use]
    pub fn with_wrap(self, wrap: [TextureWrap; 2]) -> Self {
        Self { wrap, ..self }
    }

    /// The same texture over these triangles alone.
    #[must_use]
    pub fn over(self, triangles: Range<u32>) -> Self {
        Self { triangles, ..self }
    }

    /// Whether it lies over a triangle and means this.
    pub(crate) fn is_of(&self, applies_to: TextureUse, triangle: u32) -> bool {
        self.applies_to == applies_to && self.triangles.contains(&triangle)
    }

    /// Whether it takes the place of another one.
    pub(crate) fn replaces(&self, other: &Self) -> bool {
        self.applies_to == other.applies_to && self.triangles == other.triangles
    }

    /// What the values mean.
    #[must_use]
    pub fn applies_to(&self) -> TextureUse {
        self.applies_to
    }

    /// Refuses to lie over a mesh of another number of vertices.
    pub(crate) fn check_vertices(&self, vertices: usize) -> Result<()> {
        if self.coordinates.len() == vertices {
            return Ok(());
        }
        let (setting, value) = ("texture coordinates", self.coordinates.len() as f64);
        Err(Error::Setting { setting, value, reason: "must be one per vertex" })
    }

    /// The value at texture coordinates, and its derivatives.
    fn at(&self, [u, v]: [f64; 2]) -> (f64, [f64; 2]) {
        let [wide, high] = [self.width, self.values.len() / self.width];
        let (left, right, x, sign_u) = texels(self.wrap[0], u, wide);
        let (low, high_row, y, sign_v) = texels(self.wrap[1], v, high);
        let value = |row: usize, column: usize| f64::from(self.values[row * wide + column]);
        let [a, b] = [value(low, left), value(low, right)];
        let [c, d] = [value(high_row, left), value(high_row, right)];
        let mixed = (a * (1.0 - x) + b * x) * (1.0 - y) + (c * (1.0 - x) + d * x) * y;
        let along_u = ((b - a) * (1.0 - y) + (d - c) * y) * wide as f64 * sign_u;
        let along_v = ((c - a) * (1.0 - x) + (d - b) * x) * high as f64 * sign_v;
        (mixed, [along_u, along_v])
    }

    /// The texture coordinates of vertices.
    fn corners(&self, vertices: [u32; 3]) -> [[f64; 2]; 3] {
        vertices.map(|vertex| self.coordinates[vertex as usize].map(f64::from))
    }

    /// How far the surface is carved at a point of a triangle, and the slope of that: a vector in the
    /// triangle's plane.
    pub(crate) fn carved(
        &self,
        vertices: [u32; 3],
        corners: &[DVec3; 3],
        weights: [f64; 3],
    ) -> (f64, DVec3) {
        let coordinates = self.corners(vertices);
        let (value, along) = self.at(mixed(&coordinates, weights));
        let normal = area(corners);
        let squared = normal.length_squared();
        let carved = (1.0 - value) * self.amplitude;
        if squared <= 0.0 {
            return (carved, DVec3::ZERO);
        }
        // The gradient of a function that is linear over the triangle and known at its corners.
        let across =
            [(corners[2] - corners[0]).cross(normal), normal.cross(corners[1] - corners[0])];
        let [first, second] = [1, 2].map(|corner: usize| {
            let step = [0, 1].map(|axis: usize| coordinates[corner][axis] - coordinates[0][axis]);
            step[0] * along[0] + step[1] * along[1]
        });
        let slope = (across[0] * first + across[1] * second) * (self.amplitude / squared);
        // The carving falls where the value rises.
        (carved, if slope.is_finite() { -slope } else { DVec3::ZERO })
    }

    /// The factor of friction at a point of a triangle.
    pub(crate) fn factor(&self, vertices: [u32; 3], weights: [f64; 3]) -> f64 {
        self.at(mixed(&self.corners(vertices), weights)).0 * self.amplitude
    }
}

/// The two texels around a coordinate, how far it is from the first to the second, and the sign with which
/// it goes there.
fn texels(wrap: TextureWrap, coordinate: f64, count: usize) -> (usize, usize, f64, f64) {
    let count = count as f64;
    let (within, sign) = match wrap {
        TextureWrap::Repeat => (coordinate.rem_euclid(1.0), 1.0),
        TextureWrap::Clamp => (coordinate.clamp(0.0, 1.0), 1.0),
        TextureWrap::Mirror => match coordinate.rem_euclid(2.0) {
            back if back > 1.0 => (2.0 - back, -1.0),
            forth => (forth, 1.0),
        },
    };
    let texel = within * count - 0.5;
    let (low, share) = (texel.floor(), texel - texel.floor());
    let last = count - 1.0;
    let kept = |texel: f64| match wrap {
        TextureWrap::Repeat => texel.rem_euclid(count).min(last) as usize,
        // A mirror shows the border's texel on both sides.
        TextureWrap::Clamp | TextureWrap::Mirror => texel.clamp(0.0, last) as usize,
    };
    (kept(low), kept(low + 1.0), share, sign)
}

fn mixed(corners: &[[f64; 2]; 3], weights: [f64; 3]) -> [f64; 2] {
    [0, 1]
        .map(|axis: usize| corners.iter().zip(weights).map(|(uv, weight)| uv[axis] * weight).sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ramp() -> Texture {
        let uv = vec![[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]];
        Texture::new(TextureUse::Height, 4, vec![0.0, 0.25, 0.5, 0.75], 0.1, uv).unwrap()
    }

    #[test]
    fn values_are_those_of_texels_at_their_centres() {
        let texture = ramp();
        for (texel, value) in [(0, 0.0), (1, 0.25), (3, 0.75)] {
            let (found, _) = texture.at([(f64::from(texel) + 0.5) / 4.0 + 3.0, -7.3]);
            assert!((found - value).abs() < 1e-12, "{texel}: {found}");
        }
        // Between the last and the first it goes back.
        assert!((texture.at([0.0, 0.0]).0 - 0.375).abs() < 1e-12);
    }

    /// The slope is what differences of the carving say, on a triangle in any position.
    #[test]
    fn slopes_are_differences() {
        let texture = ramp();
        let corners =
            [DVec3::new(1.0, 2.0, 3.0), DVec3::new(2.0, 2.5, 3.5), DVec3::new(0.5, 4.0, 2.0)];
        let weights = [0.5, 0.3, 0.2];
        let (carved, slope) = texture.carved([0, 1, 2], &corners, weights);
        for (corner, other) in [(1, 0), (2, 0), (1, 2)] {
            let step = 1e-6;
            let mut moved = weights;
            moved[corner] += step;
            moved[other] -= step;
            let there = texture.carved([0, 1, 2], &corners, moved).0;
            let expected = slope.dot(corners[corner] - corners[other]);
            assert!(((there - carved) / step - expected).abs() < 1e-6, "{corner} {other}");
        }
    }

    #[test]
    fn beyond_its_border_it_goes_on_as_told() {
        let at = |wrap, u| ramp().with_wrap([wrap, TextureWrap::Repeat]).at([u, 0.3]);
        for (wrap, u, value, slope) in [
            (TextureWrap::Clamp, -3.0, 0.0, 0.0),
            (TextureWrap::Clamp, 1.0, 0.75, 0.0),
            (TextureWrap::Clamp, 0.5, 0.375, 1.0),
            (TextureWrap::Mirror, 0.5, 0.375, 1.0),
            (TextureWrap::Mirror, 1.3, 0.575, -1.0),
            (TextureWrap::Mirror, -0.3, 0.175, -1.0),
            (TextureWrap::Mirror, 2.3, 0.175, 1.0),
            (TextureWrap::Mirror, 1.0, 0.75, 0.0),
        ] {
            let (found, [along, across]) = at(wrap, u);
            assert!((found - value).abs() < 1e-12, "{wrap:?} {u}: {found}");
            assert!((along - slope).abs() < 1e-12 && across == 0.0, "{wrap:?} {u}: {along}");
        }
    }

    #[test]
    fn it_lies_over_its_triangles() {
        let texture = ramp().over(3..5);
        let over = [2, 3, 4, 5].map(|triangle| texture.is_of(TextureUse::Height, triangle));
        assert_eq!(over, [false, true, true, false]);
        assert!(!texture.is_of(TextureUse::Friction, 3));
        assert!(ramp().is_of(TextureUse::Height, 7) && !ramp().replaces(&texture));
    }

    #[test]
    fn what_cannot_be_used_is_refused() {
        let made = |width, values: &[f32], amplitude| {
            Texture::new(TextureUse::Friction, width, values.to_vec(), amplitude, vec![])
        };
        assert!(made(0, &[0.5], 1.0).is_err() && made(2, &[0.5], 1.0).is_err());
        assert!(made(1, &[], 1.0).is_err() && made(1, &[1.5], 1.0).is_err());
        assert!(made(1, &[f32::NAN], 1.0).is_err() && made(1, &[0.5], f64::NAN).is_err());
        assert!(made(1, &[0.5], 1.0).unwrap().check_vertices(3).is_err());
    }
}
