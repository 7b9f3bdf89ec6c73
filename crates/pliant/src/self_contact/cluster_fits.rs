//! The affine fits of a state.

use std::borrow::Cow;

use glam::Vec3A;
use rayon::prelude::*;

use super::affine_fit::{AffineFit, Spread};
use super::parts::Parts;

/// How far off a matrix the vertices of a patch are.
type SpreadOf<'a> = dyn Fn(u32, &[Vec3A; 3]) -> Spread + Sync + 'a;

/// Affine fits of the parts of a surface for one state.
pub(crate) enum Fits<'a> {
    /// Those of all parts, and how far off a matrix the vertices of a patch are.
    Known { fits: Vec<AffineFit>, spread: Box<SpreadOf<'a>> },
    /// The fit of a part is made when it is asked for.
    OnDemand(Box<dyn Fn(u32) -> AffineFit + Sync + 'a>),
}

/// Parts whose fits one thread makes at once.
const CHUNK: usize = 128;

impl<'a> Fits<'a> {
    /// Of a surface whose patches are fitted by themselves; all other parts are put together out of
    /// their children's fits.
    ///
    /// `spread` is asked only about patches.
    pub(crate) fn from_patches(
        parts: &Parts,
        fit: impl Fn(u32) -> AffineFit + Sync,
        spread: impl Fn(u32, &[Vec3A; 3]) -> Spread + Sync + 'a,
    ) -> Self {
        let mut fits = vec![AffineFit::NONE; parts.parts.len()];
        let fill = |(chunk, fits): (usize, &mut [AffineFit])| {
            let first = chunk * CHUNK;
            for (number, (part, to)) in parts.parts[first..].iter().zip(fits).enumerate() {
                if part.is_patch() {
                    *to = fit((first + number) as u32);
                }
            }
        };
        if fits.len() < 4 * CHUNK || rayon::current_num_threads() == 1 {
            fits.chunks_mut(CHUNK).enumerate().for_each(fill);
        } else {
            fits.par_chunks_mut(CHUNK).enumerate().for_each(fill);
        }
        for (number, part) in parts.parts.iter().enumerate().rev() {
            if !part.is_patch() {
                let children = part.children.start as usize..part.children.end as usize;
                let rests = parts.parts[children.clone()].iter().map(|part| &part.rest);
                fits[number] = AffineFit::merged(&part.rest, rests.zip(&fits[children]));
            }
        }
        Self::Known { fits, spread: Box::new(spread) }
    }

    /// The fit of one part.
    #[inline]
    pub(super) fn get(&self, part: u32) -> Cow<'_, AffineFit> {
        match self {
            Self::Known { fits, .. } => Cow::Borrowed(&fits[part as usize]),
            Self::OnDemand(fit) => Cow::Owned(fit(part)),
        }
    }

    /// Triangles of two parts that are not adjacent do not touch if they rested farther apart
    /// than this, by the fits of the parts.
    #[inline]
    pub(super) fn clear_beyond(&self, parts: &Parts, [a, b]: [u32; 2]) -> f64 {
        self.get(a).clear_beyond(&parts.get(a).rest, &self.get(b), &parts.get(b).rest)
    }

    /// As [`clear_beyond`](Self::clear_beyond), by the vertices of two patches: mostly less, but it
    /// takes longer.
    #[inline]
    pub(super) fn clear_beyond_by_vertices(&self, parts: &Parts, [a, b]: [u32; 2]) -> f64 {
        let Self::Known { fits, spread } = self else { return f64::NAN };
        let matrix = fits[a as usize].matrix_between(&fits[b as usize]);
        let between = parts.get(b).rest.center - parts.get(a).rest.center;
        spread(a, &matrix).clear_beyond(&spread(b, &matrix), &matrix, between)
    }
}
