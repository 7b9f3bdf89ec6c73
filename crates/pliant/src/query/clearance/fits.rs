//! The affine fits of a state, computed as far as they are needed.

use super::affine_fit::AffineFit;
use super::parts::Parts;

/// Affine fits of the parts of a surface for one state.
pub(crate) struct Fits<'a> {
    /// Those that are known, in the order in which they were asked for.
    known: Vec<AffineFit>,
    /// For each part its place among them, or [`UNKNOWN`].
    places: Vec<u32>,
    fit: Box<dyn Fn(u32) -> AffineFit + 'a>,
}

const UNKNOWN: u32 = u32::MAX;

impl<'a> Fits<'a> {
    /// Of parts that can be fitted by themselves whatever their size; a fit is computed when it
    /// is asked for.
    pub(crate) fn on_demand(parts: &Parts, fit: impl Fn(u32) -> AffineFit + 'a) -> Self {
        let places = vec![UNKNOWN; parts.parts.len()];
        Self { known: Vec::new(), places, fit: Box::new(fit) }
    }

    /// Of parts that are fitted by themselves only if they are small: `fit` gives `None` for
    /// the others, which are put together out of their children's. All coarse ones are
    /// computed at once.
    pub(crate) fn from_small(parts: &Parts, fit: impl Fn(u32) -> Option<AffineFit> + 'a) -> Self {
        let coarse = parts.coarse as usize;
        let mut known = vec![AffineFit::NONE; coarse];
        for (number, part) in parts.parts[..coarse].iter().enumerate().rev() {
            known[number] = fit(number as u32).unwrap_or_else(|| {
                let children = part.children.start as usize..part.children.end as usize;
                let rests = parts.parts[children.clone()].iter().map(|part| &part.rest);
                AffineFit::merged(&part.rest, rests.zip(&known[children]))
            });
        }
        let fit = Box::new(move |part| fit(part).unwrap_or(AffineFit::NONE));
        let places = (0..parts.coarse).chain(std::iter::repeat(UNKNOWN));
        Self { known, places: places.take(parts.parts.len()).collect(), fit }
    }

    /// The fit of one part.
    #[inline]
    pub(super) fn get(&mut self, part: u32) -> &AffineFit {
        let place = self.place(part);
        &self.known[place]
    }

    /// The fits of two parts.
    #[inline]
    pub(super) fn get_two(&mut self, parts: [u32; 2]) -> [&AffineFit; 2] {
        let places = parts.map(|part| self.place(part));
        places.map(|place| &self.known[place])
    }

    #[inline]
    fn place(&mut self, part: u32) -> usize {
        let place = &mut self.places[part as usize];
        if *place == UNKNOWN {
            *place = self.known.len() as u32;
            self.known.push((self.fit)(part));
        }
        *place as usize
    }
}
