//! Positions of a body, written in place.

use std::mem;
use std::ops::{Deref, DerefMut};
use std::thread;

use super::BottomUp;
use crate::deform::Free;
use crate::shape::{Position, check_finite};
use crate::volume::Fit;
use crate::{Body, Result};

/// The positions of a body while they are written in place: what [`Body::positions_mut`] gives.
///
/// At first they are those of the body's state. The body takes them when the writing ends, by
/// [`finish`](Self::finish), which says what is wrong with them, or when this is dropped. It moves as a
/// whole or not at all: if a position is not finite it stays where it was, and so it does if this is dropped
/// by a panic.
#[derive(Debug)]
pub struct PositionsMut<'a, V: Fit, P: Position> {
    body: &'a mut Body<Free<P>, BottomUp<V>>,
    positions: Vec<P>,
    finished: bool,
}

impl<'a, V: Fit, P: Position> PositionsMut<'a, V, P> {
    pub(super) fn new(body: &'a mut Body<Free<P>, BottomUp<V>>) -> Self {
        let positions = body.deformation.take_copy();
        Self { body, positions, finished: false }
    }

    /// Ends the writing: moves all vertices and refits all volumes. On an error the body is where it was
    /// before.
    ///
    /// # Errors
    /// [`Error::NonFinitePosition`](crate::Error::NonFinitePosition).
    pub fn finish(mut self) -> Result<()> {
        self.end()
    }

    fn end(&mut self) -> Result<()> {
        self.finished = true;
        let positions = mem::take(&mut self.positions);
        let Body { tree, deformation, bounds, .. } = &mut *self.body;
        if !P::all_finite(&positions) {
            let error = check_finite(&positions);
            deformation.give_back(positions);
            return error;
        }
        let before = deformation.exchange(positions).unwrap_or_default();
        deformation.give_back(before);
        bounds.refit(tree, deformation.positions());
        Ok(())
    }
}

impl<V: Fit, P: Position> Drop for PositionsMut<'_, V, P> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.body.deformation.give_back(mem::take(&mut self.positions));
        } else if !self.finished {
            // Whoever wants to know why the body did not move calls `finish`.
            let _ = self.end();
        }
    }
}

impl<V: Fit, P: Position> Deref for PositionsMut<'_, V, P> {
    type Target = [P];

    fn deref(&self) -> &[P] {
        &self.positions
    }
}

impl<V: Fit, P: Position> DerefMut for PositionsMut<'_, V, P> {
    fn deref_mut(&mut self) -> &mut [P] {
        &mut self.positions
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use glam::DVec3;

    use crate::bound::FreeBodyF32;
    use crate::test_meshes::bumpy_sheet;
    use crate::volume::Aabb;
    use crate::{Body, Collide, Error, FreeBody};

    fn state(body: &FreeBody) -> (Vec<DVec3>, Vec<Aabb>) {
        (body.deformation().positions().to_vec(), body.bounds().volumes().to_vec())
    }

    fn sheet() -> FreeBody {
        Body::free(bumpy_sheet(9, 0.1)).unwrap()
    }

    #[test]
    fn writing_in_place_is_setting() {
        let (mut written, mut set) = (sheet(), sheet());
        let bystander = written.clone();
        for step in 1..4 {
            let up = |p: &DVec3| *p + DVec3::Z * f64::from(step) * p.x;
            let to: Vec<DVec3> = set.deformation().positions().iter().map(up).collect();
            set.set_positions(&to).unwrap();
            let mut positions = written.positions_mut();
            for position in positions.iter_mut() {
                *position = up(position);
            }
            // Once by the drop.
            if step != 2 {
                positions.finish().unwrap();
            } else {
                drop(positions);
            }
            assert_eq!(state(&written), state(&set));
        }
        assert_eq!(state(&bystander), state(&sheet()));
    }

    #[test]
    fn what_is_not_finite_is_refused_as_a_whole() {
        let mut body = sheet();
        let before = state(&body);
        let mut positions = body.positions_mut();
        positions[3] = DVec3::ONE;
        positions[7].y = f64::NAN;
        let refused = positions.finish();
        assert!(matches!(refused, Err(Error::NonFinitePosition { vertex: 7, .. })), "{refused:?}");
        assert_eq!(state(&body), before);
        body.positions_mut()[5].x = f64::INFINITY;
        assert_eq!(state(&body), before);
        // What was written and refused is not there the next time.
        assert_eq!(*body.positions_mut(), *before.0);
    }

    #[test]
    fn a_panic_while_writing_leaves_the_body_where_it_was() {
        let mut body = sheet();
        let before = state(&body);
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            let mut positions = body.positions_mut();
            positions[0] = DVec3::splat(9.0);
            panic!("in the middle");
        }));
        assert!(panicked.is_err());
        assert_eq!(state(&body), before);
        let moved: Vec<DVec3> = before.0.iter().map(|p| *p + DVec3::X).collect();
        body.set_positions(&moved).unwrap();
        let mut expected = sheet();
        expected.set_positions(&moved).unwrap();
        assert_eq!(state(&body), state(&expected));
        assert!(body.bound(0) != before.1[0]);
    }

    #[test]
    fn swapping_gives_the_old_positions_or_changes_nothing() {
        let mut body = sheet();
        let at_rest = state(&body);
        let mut given: Vec<DVec3> = at_rest.0.iter().map(|p| *p + DVec3::Z).collect();
        let (moved, memory) = (given.clone(), given.as_ptr());
        body.swap_positions(&mut given).unwrap();
        assert_eq!(body.deformation().positions(), moved);
        // Nothing was copied.
        assert_eq!(body.deformation().positions().as_ptr(), memory);
        assert_eq!(given, at_rest.0);
        let clone = body.clone();
        body.swap_positions(&mut given).unwrap();
        assert_eq!((state(&body), &given), (at_rest.clone(), &moved));
        assert_eq!(clone.deformation().positions(), moved);
        for bad in [0, moved.len() - 1] {
            let mut given = moved.clone();
            given[bad].z = f64::NEG_INFINITY;
            let copy = given.clone();
            let refused = body.swap_positions(&mut given);
            assert!(
                matches!(refused, Err(Error::NonFinitePosition { vertex, .. }) if vertex == bad)
            );
            assert_eq!(format!("{given:?}"), format!("{copy:?}"));
            assert_eq!(state(&body), at_rest);
        }
        let refused = body.swap_positions(&mut vec![DVec3::ZERO]);
        assert!(matches!(refused, Err(Error::CountMismatch { given: 1, .. })));
        assert_eq!(state(&body), at_rest);
    }

    #[test]
    fn the_same_in_f32() {
        let mut body: FreeBodyF32 = Body::free_f32(bumpy_sheet(9, 0.1)).unwrap();
        let before = body.bounds().volumes().to_vec();
        let mut positions = body.positions_mut();
        positions[4].x = f32::NAN;
        assert!(matches!(positions.finish(), Err(Error::NonFinitePosition { vertex: 4, .. })));
        assert_eq!(body.bounds().volumes(), before);
        body.positions_mut()[4].x += 3.0;
        assert_ne!(body.bounds().volumes(), before);
        assert!(body.set_positions(&[]).is_err());
    }
}
