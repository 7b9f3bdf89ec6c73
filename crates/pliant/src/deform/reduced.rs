//! Reduced deformation: p + U q, then an affine frame.

use std::sync::Arc;

use glam::{DAffine3, DVec3};

use super::{Deformation, Modes};
use crate::limits::{MAX_MODES, MAX_REACH};
use crate::memo::Memo;
use crate::{Error, Mesh, Result};

/// A vertex `i` that rests at `p` is at `frame * (p + U_i q)`: modal vibration, compressed
/// animations, morph targets (James and Pai 2004, section 2).
///
/// The frame may be any affine map, because files scale and shear. A vertex is computed when it
/// is first needed in a state and kept until the state changes. Clones share everything but the
/// coordinates, the frame and what was computed.
#[derive(Debug, Clone)]
pub struct Reduced {
    modes: Arc<Modes>,
    q: Vec<f64>,
    frame: DAffine3,
    /// The largest magnitude of a coordinate at rest, then of a displacement of each mode.
    reach: Arc<[f64]>,
    vertices: Memo<DVec3>,
}

impl Reduced {
    /// The rest shape, all coordinates zero.
    ///
    /// # Errors
    /// [`Error::CountMismatch`] if the modes have another number of vertices than the mesh,
    /// [`Error::TooMany`] above [`MAX_MODES`].
    pub(crate) fn new(mesh: &Mesh, modes: Arc<Modes>) -> Result<Self> {
        let (expected, given) = (mesh.positions().len(), modes.vertices());
        if given != expected {
            return Err(Error::CountMismatch { what: "vertices of modes", expected, given });
        }
        let count = modes.count();
        if count > MAX_MODES {
            return Err(Error::TooMany { what: "modes", count, limit: MAX_MODES });
        }
        let largest = |sum: f64, v: DVec3| sum.max(v.abs().max_element());
        let mut reach = vec![0.0; count + 1];
        reach[0] = mesh.positions().iter().copied().fold(0.0, largest);
        for vertex in 0..given {
            for (reach, displacement) in reach[1..].iter_mut().zip(modes.of(vertex)) {
                *reach = largest(*reach, displacement.as_dvec3());
            }
        }
        let vertices = Memo::new(given);
        let q = vec![0.0; count];
        Ok(Self { modes, q, frame: DAffine3::IDENTITY, reach: reach.into(), vertices })
    }

    /// The modes.
    #[must_use]
    pub fn modes(&self) -> &Arc<Modes> {
        &self.modes
    }

    /// The current coordinates q, one per mode.
    #[must_use]
    pub fn coordinates(&self) -> &[f64] {
        &self.q
    }

    /// The map from the body's own space to the world.
    #[must_use]
    pub fn frame(&self) -> DAffine3 {
        self.frame
    }

    /// At least the magnitude of every coordinate of a vertex in the body's own space, before the
    /// frame. O(modes).
    pub(crate) fn reach(&self) -> f64 {
        reach_of(&self.reach, &self.q)
    }

    /// The largest magnitude of a coordinate at rest, then of a displacement of each mode.
    pub(crate) fn reaches(&self) -> &[f64] {
        &self.reach
    }

    /// Sets a new state. On an error nothing changes.
    ///
    /// # Errors
    /// Those of [`Body::set_coordinates`](crate::Body::set_coordinates) and
    /// [`Body::set_frame`](crate::Body::set_frame).
    pub(crate) fn set(&mut self, q: Option<&[f64]>, frame: DAffine3) -> Result<()> {
        if let Some(q) = q {
            let (expected, given) = (self.q.len(), q.len());
            if given != expected {
                return Err(Error::CountMismatch { what: "coordinates", expected, given });
            }
            if let Some(mode) = q.iter().position(|q| !q.is_finite()) {
                return Err(Error::NonFiniteCoordinate { mode, value: q[mode] });
            }
        }
        let m = &frame.matrix3;
        for vector in [m.x_axis, m.y_axis, m.z_axis, frame.translation] {
            if !vector.is_finite() {
                let what = "column of the frame";
                let vector = vector.to_array();
                return Err(Error::InvalidVector { what, vector, reason: "not finite" });
            }
        }
        let own = reach_of(&self.reach, q.unwrap_or(&self.q));
        let reach = row_sums(&frame).max_element() * own + frame.translation.abs().max_element();
        // Written so that infinity and NaN are refused too.
        if !(own <= MAX_REACH && reach <= MAX_REACH) {
            return Err(Error::OutOfRange { reach: own.max(reach) });
        }
        if let Some(q) = q {
            self.q.copy_from_slice(q);
        }
        self.frame = frame;
        self.vertices.forget();
        Ok(())
    }
}

/// The row sums of |A|, A the linear part of the frame. If no coordinate of a point exceeds m,
/// then no coordinate of its image exceeds m times the row sum, translation apart.
pub(crate) fn row_sums(frame: &DAffine3) -> DVec3 {
    let m = &frame.matrix3;
    m.x_axis.abs() + m.y_axis.abs() + m.z_axis.abs()
}

fn reach_of(reach: &[f64], q: &[f64]) -> f64 {
    let moved = reach[1..].iter().zip(q).map(|(reach, q)| reach * q.abs());
    reach[0] + moved.sum::<f64>()
}

impl Deformation for Reduced {
    #[inline]
    fn position(&self, mesh: &Mesh, vertex: u32) -> DVec3 {
        let vertex = vertex as usize;
        self.vertices.get_or(vertex, || {
            let own = self.modes.displaced(mesh.positions()[vertex], vertex, &self.q);
            self.frame.transform_point3(own)
        })
    }
}
