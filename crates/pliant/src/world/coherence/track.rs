//! How far the patches of a body moved since it is watched.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use super::course::Course;
use super::motion::State;
use crate::Mesh;
use crate::body::{AnyBody, Collide as _};
use crate::query::front::Patches;
use crate::tree::Tree;
use crate::world::{BodyId, Member};

/// A body as it was, and how far it went since it is watched.
#[derive(Debug, Clone)]
pub(super) struct Track {
    mesh: Arc<Mesh>,
    tree: Arc<Tree>,
    state: State,
    pub(super) course: Course,
}

impl Track {
    /// Starts to watch a body. `None` for kinds of bodies whose motion has no cheap bound, and for
    /// coordinates that are too large.
    pub(super) fn new(body: &AnyBody, number: u64) -> Option<Self> {
        let (mesh, tree) = shared(body);
        let patches = Arc::new(Patches::new(mesh, tree));
        let state = State::of(body, &patches, None)?;
        let course = Course::new(patches, mean_edge(body)? * patience(body), number);
        Some(Self { mesh: mesh.clone(), tree: tree.clone(), state, course })
    }

    /// Takes a step to the state of a body. After a jump it begins anew, with another number. `None`
    /// if it is not the same body any more, or is not watched.
    pub(super) fn follow(mut self, body: &AnyBody, number: u64) -> Option<Self> {
        let (mesh, tree) = shared(body);
        if !(Arc::ptr_eq(mesh, &self.mesh) && Arc::ptr_eq(tree, &self.tree)) {
            return None;
        }
        let patches = self.course.patches.clone();
        let state = State::of(body, &patches, Some(&self.state))?;
        let motion = self.state.motion_to(&state)?;
        self.course.advance(number, |patch| motion.of(patch, &patches));
        self.state = state;
        Some(self)
    }
}

/// The tracks of the bodies of a world during a query, each measured when it is first asked for. A
/// track that is not asked for stays as it is: the next step is then longer.
pub(super) struct Tracks<'a> {
    pub(super) members: &'a [(BodyId, &'a Member)],
    /// As the last query left them.
    last: HashMap<BodyId, Track>,
    now: Vec<OnceLock<Option<Track>>>,
    /// How many tracks were ever started.
    started: u64,
}

/// Tracks between queries, and how many were ever started.
#[derive(Debug, Default)]
pub(super) struct KeptTracks {
    tracks: HashMap<BodyId, Track>,
    started: u64,
}

impl<'a> Tracks<'a> {
    pub(super) fn new(kept: KeptTracks, members: &'a [(BodyId, &'a Member)]) -> Self {
        let now = members.iter().map(|_| OnceLock::new()).collect();
        Self { members, last: kept.tracks, now, started: kept.started }
    }

    pub(super) fn end(mut self) -> KeptTracks {
        let started = self.started + self.members.len() as u64;
        let mut tracks = HashMap::with_capacity(self.last.len());
        for (&(id, _), now) in self.members.iter().zip(self.now) {
            let track = now.into_inner().unwrap_or_else(|| self.last.remove(&id));
            tracks.extend(track.map(|track| (id, track)));
        }
        KeptTracks { tracks, started }
    }

    /// The way of a member, up to its state now.
    pub(super) fn course(&self, at: usize) -> Option<&Course> {
        let measure = || {
            let (id, member) = self.members[at];
            let number = self.started + at as u64;
            let last = self.last.get(&id).cloned();
            let followed = last.and_then(|last| last.follow(&member.body, number));
            followed.or_else(|| Track::new(&member.body, number))
        };
        self.now[at].get_or_init(measure).as_ref().map(|track| &track.course)
    }
}

fn shared(body: &AnyBody) -> (&Arc<Mesh>, &Arc<Tree>) {
    crate::body::with_body!(body, body => (&body.mesh, &body.tree))
}

/// Which part of an edge a short step is compared with. To watch a free body is to look at all of its vertices:
/// its front must spare more than that. A skin is moved vertex by vertex where a front asks, and at once where
/// a query from scratch comes to deep contact. Measured (`pliant-bench fronts`).
fn patience(body: &AnyBody) -> f64 {
    match body {
        AnyBody::Free(_) => 0.4,
        AnyBody::Skinned(_) => 0.6,
        _ => 1.0,
    }
}

/// The mean length of edges now, of a sample of triangles; `None` if it is not usable.
fn mean_edge(body: &AnyBody) -> Option<f64> {
    const SAMPLE: usize = 64;
    let count = body.mesh().triangles().len();
    let sample = (0..count).step_by((count / SAMPLE).max(1));
    let (mut sum, mut edges) = (0.0, 0.0);
    for triangle in sample {
        let [a, b, c] = body.triangle(triangle as u32);
        sum += a.distance(b) + b.distance(c) + c.distance(a);
        edges += 3.0;
    }
    let mean = sum / edges;
    (mean > 0.0 && mean.is_finite()).then_some(mean)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deform::{Binding, Blending, Influence, Keyframes, Modes, SkinWeights};
    use crate::test_meshes::bumpy_sheet;
    use crate::{Body, Isometry};
    use glam::{DAffine3, DMat3, DQuat, DVec3, Vec3Swizzles as _};
    use proptest::prelude::*;

    fn numbers(count: usize) -> impl Strategy<Value = Vec<f64>> {
        prop::collection::vec(-1.0..1.0f64, count)
    }

    /// Every kind of body that can be watched, over one mesh.
    fn bodies() -> Vec<AnyBody> {
        let mesh = bumpy_sheet(6, 0.0);
        let fields: Vec<Vec<DVec3>> = (1..4)
            .map(|k| mesh.positions().iter().map(|p| p.yzx() * f64::from(k) + DVec3::X).collect())
            .collect();
        let modes = Arc::new(Modes::from_fields(mesh.positions().len(), &fields).unwrap());
        let mut weights = SkinWeights::default();
        for (vertex, _) in mesh.positions().iter().enumerate() {
            let weight = (vertex % 5) as f64 / 4.0;
            let joints = [(0, weight), (1 + vertex as u32 % 2, 1.0 - weight)];
            weights.push(&joints.map(|(joint, weight)| Influence { joint, weight }));
        }
        let binding = Binding::new(weights, 3).unwrap();
        let frame = |k: usize| {
            mesh.positions()
                .iter()
                .enumerate()
                .map(move |(v, p)| *p + DVec3::new(0.3, (v % 7) as f64, 1.0) * (k * k) as f64)
        };
        let frames = (0..4).map(|k| frame(k).collect()).collect();
        let keyframes = Keyframes::new(vec![0.0, 1.0, 1.5, 3.0], frames).unwrap();
        vec![
            Body::rigid(mesh.clone()).unwrap().into(),
            Body::affine(mesh.clone()).unwrap().into(),
            Body::free(mesh.clone()).unwrap().into(),
            Body::reduced(mesh.clone(), modes).unwrap().into(),
            Body::skinned(mesh.clone(), binding, Blending::Linear).unwrap().into(),
            Body::keyframed(mesh, keyframes).unwrap().into(),
        ]
    }

    fn map_of(x: &[f64], scale: f64) -> DAffine3 {
        let matrix3 = DMat3::IDENTITY + DMat3::from_cols_slice(&x[..9]) * scale;
        DAffine3 { matrix3, translation: DVec3::from_slice(&x[9..]) * scale }
    }

    fn set(body: &mut AnyBody, x: &[f64], scale: f64) {
        match body {
            AnyBody::Rigid(body) => {
                let turn = DQuat::from_scaled_axis(DVec3::from_slice(x) * scale);
                let to = DVec3::from_slice(&x[3..]) * scale;
                body.set_isometry(Isometry::new(turn, to).unwrap());
            }
            AnyBody::Affine(body) => body.set_map(map_of(x, scale)).unwrap(),
            AnyBody::Free(body) => {
                let map = map_of(x, scale);
                let bent = |p: &DVec3| map.transform_point3(*p) + DVec3::Z * (scale * p.x * p.y);
                let to: Vec<_> = body.mesh().positions().iter().map(bent).collect();
                body.set_positions(&to).unwrap();
            }
            AnyBody::Reduced(body) => {
                let q = [x[0], x[1], x[2]].map(|x| x * scale);
                body.set_state(&q, map_of(&x[3..], scale)).unwrap();
            }
            AnyBody::Skinned(body) => {
                let joints = [0, 6, 12].map(|at| map_of(&x[at..], scale));
                body.set_pose(&joints, &[]).unwrap();
            }
            AnyBody::FreeF32(_) => panic!("its motion is not known"),
            // Up to 1.5 s, so that no step passes two keyframes.
            AnyBody::Keyframed(body) => body.rewind(0.75 + 0.6 * x[0] * scale.min(1.0)).unwrap(),
        }
    }

    /// The farthest way of a vertex of each patch, then of the body.
    fn ways(patches: &Patches, from: &[DVec3], to: &[DVec3]) -> Vec<f64> {
        let way = |&vertex: &u32| from[vertex as usize].distance(to[vertex as usize]);
        let of_patch = |patch| patches.vertices(patch).iter().map(way).fold(0.0, f64::max);
        let mut ways: Vec<f64> = (0..patches.count()).map(of_patch).collect();
        ways.push(ways.iter().copied().fold(0.0, f64::max));
        ways
    }

    proptest! {
        /// No vertex goes farther than the step of its patch says, at any scale of the motion.
        #[test]
        fn a_step_is_as_long_as_the_way_of_every_vertex(
            states in prop::collection::vec(numbers(24), 2..6), exponent in -50..6i32,
        ) {
            let scale = 2f64.powi(exponent);
            for mut body in bodies() {
                set(&mut body, &states[0], scale);
                let mut track = Track::new(&body, 0).unwrap();
                // No motion is a jump.
                track.course.size = 1e12;
                let place = |body: &AnyBody| -> Vec<DVec3> {
                    let count = body.mesh().positions().len() as u32;
                    (0..count).map(|vertex| body.position(vertex).unwrap()).collect()
                };
                let (first, mut last) = (place(&body), place(&body));
                for state in &states[1..] {
                    set(&mut body, state, scale);
                    track = track.follow(&body, 1).unwrap();
                    prop_assert_eq!(track.course.number, 0);
                    let now = place(&body);
                    for (way, step) in ways(&track.course.patches, &last, &now).iter().zip(&*track.course.step) {
                        prop_assert!(way <= step, "{}: {way} {step}", body.kind());
                    }
                    for (way, all) in ways(&track.course.patches, &first, &now).iter().zip(&*track.course.travelled) {
                        prop_assert!(way <= all, "{}: {way} {all}", body.kind());
                    }
                    last = now;
                }
                let still = track.clone().follow(&body, 1).unwrap();
                prop_assert!(still.course.step.iter().all(|&step| step == 0.0));
            }
        }
    }

    /// Bounds of motion are not much longer than the motion.
    #[test]
    fn steps_are_not_much_too_long() {
        let state = |shift: f64| -> Vec<f64> {
            (0..24).map(|i| (f64::from(i) * 1.7 + shift).sin()).collect()
        };
        for mut body in bodies() {
            set(&mut body, &state(0.0), 0.01);
            let place = |body: &AnyBody| -> Vec<DVec3> {
                (0..body.mesh().positions().len() as u32)
                    .map(|v| body.position(v).unwrap())
                    .collect()
            };
            let track = Track::new(&body, 0).unwrap();
            let from = place(&body);
            set(&mut body, &state(0.1), 0.01);
            let track = track.follow(&body, 1).unwrap();
            let ways = ways(&track.course.patches, &from, &place(&body));
            for (way, step) in ways.iter().zip(&*track.course.step) {
                assert!(*step < 2.5 * way, "{}: {way} {step}", body.kind());
            }
        }
    }

    #[test]
    fn a_jump_begins_anew() {
        for mut body in bodies() {
            set(&mut body, &[0.1; 24], 0.0002);
            let track = Track::new(&body, 7).unwrap();
            set(&mut body, &[0.9; 24], 0.0002);
            let near = track.follow(&body, 8).unwrap();
            assert!(
                near.course.number == 7
                    && near.course.mean_step > 0.0
                    && near.course.mean_step < 0.5,
                "{}",
                body.kind()
            );
            set(&mut body, &[-0.9; 24], 1.0);
            let far = near.follow(&body, 9).unwrap();
            assert!(
                far.course.number == 9 && far.course.mean_step == f64::INFINITY,
                "{}",
                body.kind()
            );
        }
    }
}
