//! Moving bodies to a time.

use pliant::AnyBody;
use pliant::glam::DVec3;

use super::method::free;
use super::{Placed, SceneBodies, SceneBodiesError, SettingStep};
use crate::scene::{Deformation, Pose, Scene, SceneError};

impl SceneBodies {
    /// As [`SceneBodies::set_time`]; calls `done` after each step, for those who measure them. What
    /// is done between two calls belongs to the second.
    ///
    /// # Errors
    /// Those of [`SceneBodies::set_time`].
    pub fn set_time_noting(
        &mut self,
        time: f64,
        mut done: impl FnMut(SettingStep),
    ) -> Result<(), SceneBodiesError> {
        for (number, (source, pose)) in self.sources.iter().zip(&mut self.poses).enumerate() {
            let posed = source.scene.pose_into(source.animation, time, pose);
            posed.map_err(|error| SceneBodiesError { scene: number, error })?;
        }
        done(SettingStep::Pose);
        for (placed, &id) in self.objects.iter_mut().zip(&self.ids) {
            // A body that was removed is left out.
            let Ok(body) = self.world.get_mut(id) else { continue };
            let scene = &self.sources[placed.source].scene;
            let pose = &self.poses[placed.source];
            let state = State { scene, pose, time };
            state.set(placed, body, &mut self.vertices, &mut done).map_err(|problem| {
                let name = &scene.objects()[placed.object].name;
                match problem {
                    Problem::Scene(error) => SceneBodiesError { scene: placed.source, error },
                    Problem::Body(error) => {
                        SceneBodiesError::of_object(placed.source, name, &error)
                    }
                }
            })?;
        }
        done(SettingStep::Bounds);
        Ok(())
    }
}

/// The state of a scene at a time.
struct State<'a> {
    scene: &'a Scene,
    pose: &'a Pose,
    time: f64,
}

enum Problem {
    Scene(SceneError),
    Body(pliant::Error),
}

impl From<SceneError> for Problem {
    fn from(error: SceneError) -> Self {
        Self::Scene(error)
    }
}

impl From<pliant::Error> for Problem {
    fn from(error: pliant::Error) -> Self {
        Self::Body(error)
    }
}

impl State<'_> {
    /// Sets the state of one body.
    fn set(
        &self,
        placed: &mut Placed,
        body: &mut AnyBody,
        vertices: &mut Vec<DVec3>,
        done: &mut impl FnMut(SettingStep),
    ) -> Result<(), Problem> {
        let object = &self.scene.objects()[placed.object];
        let node = self.pose.nodes[object.node];
        let weights = &self.pose.weights[placed.object];
        let rigid = matches!(object.deformation, Deformation::Rigid);
        if rigid && placed.frame == Some(node) {
            return Ok(());
        }
        if let AnyBody::Affine(affine) = body {
            match affine.set_map(node) {
                // Vertices may still fit `f64`, as those of a free body.
                Err(pliant::Error::OutOfRange { .. }) => *body = free(object)?,
                set => {
                    set?;
                    placed.frame = Some(node);
                    return Ok(());
                }
            }
        }
        match (&mut *body, &object.deformation) {
            (AnyBody::Reduced(body), _) => body.set_state(weights, node)?,
            (AnyBody::Skinned(body), Deformation::Skin { skin, .. }) => {
                body.set_pose(&self.pose.joints[*skin], weights)?;
            }
            (AnyBody::Keyframed(body), _) if self.time < body.time() => body.rewind(self.time)?,
            (AnyBody::Keyframed(body), _) => body.advance(self.time)?,
            (AnyBody::Free(body), _) => {
                done(SettingStep::Bounds);
                self.scene.posed(placed.object, self.pose)?.positions(vertices);
                done(SettingStep::Vertices);
                body.swap_positions(vertices)?;
                done(SettingStep::Bounds);
            }
            // A body that the caller has put in its place.
            _ => {}
        }
        placed.frame = rigid.then_some(node);
        Ok(())
    }
}
