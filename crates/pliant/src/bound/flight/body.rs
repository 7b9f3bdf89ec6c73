//! Bodies whose motion is known ahead: constructors and setters.

use std::sync::Arc;

use super::Expiring;
use crate::bound::Bounds;
use crate::deform::{Flight, Keyframes, Plan};
use crate::tree::{BuildSettings, Tree, build_over_mesh};
use crate::volume::Aabb;
use crate::{Body, Error, Mesh, Result};

/// Bounds that follow a flight through time.
pub trait FlightBounds: Bounds<Flight, Volume = Aabb> + Sized {
    /// The tree that suits these bounds: by default that of all bodies, over the mesh at rest.
    ///
    /// # Errors
    /// [`Error::InvalidSetting`].
    fn build(mesh: &Mesh, _flight: &Flight, settings: &BuildSettings) -> Result<Tree> {
        build_over_mesh(mesh, settings)
    }

    /// Bounds at the flight's current time.
    ///
    /// # Errors
    /// [`Error::InvalidSetting`] if these bounds need another kind of tree.
    fn fit(tree: &Arc<Tree>, mesh: &Arc<Mesh>, flight: &Flight) -> Result<Self>;

    /// Moves flight and bounds to a later time. On an error nothing changes.
    ///
    /// # Errors
    /// [`Error::InvalidTime`].
    fn advance(&mut self, tree: &Tree, mesh: &Mesh, flight: &mut Flight, time: f64) -> Result<()>;

    /// Computes all bounds at the flight's current time, which may be an earlier one.
    fn restart(&mut self, tree: &Tree, mesh: &Mesh, flight: &Flight);

    /// Takes new plans of some vertices into account. They hold from the flight's current time on.
    fn replan(&mut self, tree: &Tree, mesh: &Mesh, flight: &Flight, vertices: &[u32]);

    /// These bounds if they are boxes that are linear functions of time, else `None`. In that case
    /// [`first_contact`](crate::first_contact) makes such boxes for each span, at the price of a
    /// few refits.
    fn as_expiring(&self) -> Option<&Expiring> {
        None
    }
}

/// A body that moves as keyframes or courses say, bounded by [`Expiring`] boxes. Made by
/// [`Body::keyframed`].
pub type KeyframedBody = Body<Flight, Expiring>;

impl KeyframedBody {
    /// A body that moves from keyframe to keyframe, bounded by [`Expiring`] boxes. The time is
    /// that of the first keyframe. The tree is built over the mesh at rest.
    ///
    /// ```
    /// use pliant::{Body, Mesh, deform::Keyframes, glam::DVec3};
    /// let corners = vec![DVec3::ZERO, DVec3::X, DVec3::Y];
    /// let mesh = Mesh::new(corners.clone(), vec![[0, 1, 2]])?;
    /// let fallen = corners.iter().map(|p| p - DVec3::Z).collect();
    /// let keyframes = Keyframes::new(vec![0.0, 1.0], vec![corners, fallen])?;
    /// let floor = Body::free(mesh.clone())?;
    /// let mut falling = Body::keyframed(mesh, keyframes)?;
    /// assert!(pliant::intersects(&floor, &falling).pair.is_some());
    /// falling.advance(0.5)?; // touches no vertex and no node
    /// assert_eq!(pliant::distance(&floor, &falling).length(), 0.5);
    /// # Ok::<(), pliant::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::CountMismatch`] if a keyframe has another number of vertices than the mesh.
    pub fn keyframed(mesh: Mesh, keyframes: Keyframes) -> Result<Self> {
        Self::flying(mesh, Flight::keyframed(keyframes), &BuildSettings::default())
    }
}

impl<B: FlightBounds> Body<Flight, B> {
    /// A body with any flight plans, and with a tree and bounds of the caller's choice:
    /// [`Expiring`], [`KineticAabb`](crate::bound::KineticAabb) or
    /// [`KineticBox`](crate::bound::KineticBox).
    ///
    /// # Errors
    /// [`Error::CountMismatch`] if the flight has another number of vertices than the mesh;
    /// [`Error::InvalidSetting`].
    pub fn flying(mesh: Mesh, flight: Flight, settings: &BuildSettings) -> Result<Self> {
        let (expected, given) = (mesh.positions().len(), flight.vertices());
        if given != expected {
            return Err(Error::CountMismatch { what: "flight plans", expected, given });
        }
        let tree = Arc::new(B::build(&mesh, &flight, settings)?);
        let mesh = Arc::new(mesh);
        let bounds = B::fit(&tree, &mesh, &flight)?;
        Ok(Self { mesh, tree, deformation: flight, bounds })
    }

    /// The current time.
    #[must_use]
    pub fn time(&self) -> f64 {
        self.deformation.time()
    }

    /// The first time after `time` at which a vertex may leave its line or polynomial: a keyframe, or
    /// the end of the courses. Infinite if there is none. A [`Step`](crate::Step) of keyframes should
    /// not go past it.
    #[must_use]
    pub fn next_knot(&self, time: f64) -> f64 {
        self.deformation.next_knot(time)
    }

    /// Moves to a later time. On an error nothing changes.
    ///
    /// # Errors
    /// [`Error::InvalidTime`] if the time is not finite or before the current time; see
    /// [`Body::rewind`].
    pub fn advance(&mut self, time: f64) -> Result<()> {
        self.bounds.advance(&self.tree, &self.mesh, &mut self.deformation, time)
    }

    /// Moves to any time, also an earlier one, and computes all bounds. On an error nothing
    /// changes.
    ///
    /// # Errors
    /// [`Error::InvalidTime`] if the time is not finite or before the last change of plans.
    pub fn rewind(&mut self, time: f64) -> Result<()> {
        self.deformation.rewind(time)?;
        self.bounds.restart(&self.tree, &self.mesh, &self.deformation);
        Ok(())
    }

    /// Changes the plans of some vertices from the current time on. On an error nothing changes.
    ///
    /// # Errors
    /// [`Error::InvalidPlan`]; see [`Flight::set_plans`].
    pub fn set_plans(&mut self, plans: &[(u32, Plan)]) -> Result<()> {
        self.deformation.set_plans(plans)?;
        let vertices: Vec<u32> = plans.iter().map(|&(vertex, _)| vertex).collect();
        self.bounds.replan(&self.tree, &self.mesh, &self.deformation, &vertices);
        Ok(())
    }
}
