//! How far the vertices of a body moved since it was last looked at.

use std::sync::Arc;

use glam::{DAffine3, DVec3};

use crate::Mesh;
use crate::body::{AnyBody, Collide as _};
use crate::deform::{Binding, Blending, Isometry, Modes, row_sums};
use crate::numeric::{VANISHED_LENGTH, largest_stretch};
use crate::tree::Tree;

/// A body as it was, and how far it went since it is watched.
#[derive(Debug, Clone)]
pub(super) struct Track {
    mesh: Arc<Mesh>,
    tree: Arc<Tree>,
    state: State,
    /// The length of an edge, on the average: what a step is compared with.
    pub(super) edge: f64,
    /// Tells one track from another.
    pub(super) number: u64,
    /// The sum of all steps: no vertex is farther from where it was at the first.
    pub(super) travelled: f64,
    /// The last step; infinite at first.
    pub(super) step: f64,
}

/// What the positions of a body's vertices are computed from, and what bounds their motion.
#[derive(Debug, Clone)]
enum State {
    /// An affine map of points in a box.
    Mapped { map: DAffine3, extent: Extent },
    /// Positions.
    Free { positions: Arc<[DVec3]> },
    /// Coordinates and a frame; how far each mode moves a vertex.
    Reduced { modes: Arc<Modes>, q: Vec<f64>, frame: DAffine3, extent: Extent, lengths: Arc<[f64]> },
    /// Joints that are blended linearly; the vertices of each joint at rest.
    Skinned { binding: Arc<Binding>, joints: Vec<DAffine3>, extents: Arc<[Extent]> },
}

/// A box around points, in `f64`.
#[derive(Debug, Clone, Copy)]
struct Extent {
    low: DVec3,
    high: DVec3,
}

/// Roundings of a map of a point, as a part of the sum of the magnitudes of its terms: a computed
/// image passes less than a dozen of them, each 2^-53. Here 2^-46.
const MAP_ERROR: f64 = 64.0 * f64::EPSILON;

/// Coordinates beyond this are not watched: squares of them, and sums of squares, stay finite.
const MAX_WATCHED_REACH: f64 = 1e120;

impl Extent {
    const EMPTY: Self = Self { low: DVec3::INFINITY, high: DVec3::NEG_INFINITY };

    fn around(points: impl IntoIterator<Item = DVec3>) -> Self {
        points.into_iter().fold(Self::EMPTY, Self::with)
    }

    fn with(self, point: DVec3) -> Self {
        Self { low: self.low.min(point), high: self.high.max(point) }
    }

    fn grown(self, by: f64) -> Self {
        Self { low: self.low - by, high: self.high + by }
    }

    fn is_empty(&self) -> bool {
        self.low.cmpgt(self.high).any()
    }

    fn reach(&self) -> f64 {
        self.low.abs().max(self.high.abs()).max_element()
    }

    /// How far a point of the box is at most from one image to another. The distance is a convex
    /// function of the point, so that its maximum is at a corner. Roundings are included, those of
    /// the computed images too.
    fn moved(&self, from: &DAffine3, to: &DAffine3) -> f64 {
        if self.is_empty() {
            return 0.0;
        }
        let by = DAffine3 {
            matrix3: to.matrix3 - from.matrix3,
            translation: to.translation - from.translation,
        };
        let corner = |i: u32| {
            let pick =
                |axis: usize| if i >> axis & 1 == 0 { self.low[axis] } else { self.high[axis] };
            by.transform_point3(DVec3::new(pick(0), pick(1), pick(2))).length_squared()
        };
        let farthest = (0..8).map(corner).fold(0.0, f64::max).sqrt();
        farthest + VANISHED_LENGTH + MAP_ERROR * (self.mapped_reach(from) + self.mapped_reach(to))
    }

    /// A bound of the coordinates of images, and of all sums on the way.
    fn mapped_reach(&self, map: &DAffine3) -> f64 {
        row_sums(map).max_element() * self.reach() + map.translation.abs().max_element()
    }
}

impl Track {
    /// Starts to watch a body. `None` for kinds of bodies whose motion has no cheap bound, and for
    /// coordinates that are too large.
    pub(super) fn new(body: &AnyBody, number: u64) -> Option<Self> {
        let (mesh, tree) = shared(body);
        let edge = mean_edge(body)?;
        let state = State::of(body, None)?;
        let (travelled, step) = (0.0, f64::INFINITY);
        Some(Self { mesh: mesh.clone(), tree: tree.clone(), state, edge, number, travelled, step })
    }

    /// Takes a step to the state of a body. `None` if it is not the same body any more, or if
    /// nothing bounds the step.
    pub(super) fn follow(mut self, body: &AnyBody) -> Option<Self> {
        let (mesh, tree) = shared(body);
        if !(Arc::ptr_eq(mesh, &self.mesh) && Arc::ptr_eq(tree, &self.tree)) {
            return None;
        }
        let state = State::of(body, Some(&self.state))?;
        let step = self.state.moved_to(&state)?;
        self.step = step.is_finite().then_some(step)?;
        if step > 0.0 {
            self.travelled = (self.travelled + step).next_up();
        }
        self.state = state;
        Some(self)
    }
}

fn shared(body: &AnyBody) -> (&Arc<Mesh>, &Arc<Tree>) {
    crate::body::with_body!(body, body => (&body.mesh, &body.tree))
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

fn as_map(isometry: &Isometry) -> DAffine3 {
    DAffine3 { matrix3: isometry.rotation(), translation: isometry.translation() }
}

impl State {
    /// The state of a body. What does not change is taken from its last state.
    fn of(body: &AnyBody, last: Option<&Self>) -> Option<Self> {
        let mesh = body.mesh();
        let rest = || Extent::around(mesh.positions().iter().copied());
        let state = match body {
            AnyBody::Rigid(_) | AnyBody::Affine(_) => {
                let map = match body {
                    AnyBody::Rigid(body) => as_map(&body.deformation().isometry),
                    AnyBody::Affine(body) => body.deformation().map(),
                    _ => return None,
                };
                let extent = match last {
                    Some(Self::Mapped { extent, .. }) => *extent,
                    _ => rest(),
                };
                Self::Mapped { map, extent }
            }
            AnyBody::Free(body) => Self::Free { positions: body.deformation().positions.clone() },
            AnyBody::Reduced(body) => {
                let now = body.deformation();
                let (extent, lengths) = match last {
                    Some(Self::Reduced { modes, extent, lengths, .. })
                        if Arc::ptr_eq(modes, now.modes()) =>
                    {
                        (*extent, lengths.clone())
                    }
                    _ => (rest(), longest_displacements(now.modes())),
                };
                let (modes, q) = (now.modes().clone(), now.coordinates().to_vec());
                Self::Reduced { modes, q, frame: now.frame(), extent, lengths }
            }
            AnyBody::Skinned(body) => {
                let now = body.deformation();
                let binding = now.shared_binding();
                if now.blending() != Blending::Linear || binding.targets() > 0 {
                    return None;
                }
                let extents = match last {
                    Some(Self::Skinned { binding: before, extents, .. })
                        if Arc::ptr_eq(before, binding) =>
                    {
                        extents.clone()
                    }
                    _ => joint_extents(mesh, binding),
                };
                let (binding, joints) = (binding.clone(), now.joints().to_vec());
                Self::Skinned { binding, joints, extents }
            }
            AnyBody::Keyframed(_) => return None,
        };
        (state.reach() <= MAX_WATCHED_REACH).then_some(state)
    }

    /// A bound of all coordinates; for free bodies each position is checked when it moves.
    fn reach(&self) -> f64 {
        match self {
            Self::Mapped { map, extent } => extent.mapped_reach(map),
            Self::Free { .. } => 0.0,
            Self::Reduced { q, frame, extent, lengths, .. } => {
                own_extent(extent, lengths, q).mapped_reach(frame)
            }
            Self::Skinned { joints, extents, .. } => {
                let own = joints.iter().zip(&**extents).filter(|(_, extent)| !extent.is_empty());
                own.map(|(joint, extent)| extent.mapped_reach(joint)).fold(0.0, larger)
            }
        }
    }

    /// How far the farthest vertex is at most from its position in another state; `None` if the
    /// states have nothing in common.
    fn moved_to(&self, other: &Self) -> Option<f64> {
        Some(match (self, other) {
            (Self::Mapped { map, extent }, Self::Mapped { map: to, .. }) => {
                if map == to {
                    0.0
                } else {
                    extent.moved(map, to)
                }
            }
            (Self::Free { positions }, Self::Free { positions: to }) => {
                if Arc::ptr_eq(positions, to) { 0.0 } else { farthest(positions, to)? }
            }
            (
                Self::Reduced { modes, q, frame, extent, lengths },
                Self::Reduced { modes: same, q: to, frame: placed, .. },
            ) if Arc::ptr_eq(modes, same) && q.len() == to.len() => {
                if q == to && frame == placed {
                    return Some(0.0);
                }
                // Carried by the frame as it was, and then displaced within the new frame.
                let own = own_extent(extent, lengths, q);
                let displaced: f64 =
                    lengths.iter().zip(q.iter().zip(to)).map(|(l, (a, b))| l * (b - a).abs()).sum();
                let error = f64::EPSILON * (q.len() + 64) as f64;
                let reach = own_extent(extent, lengths, to).mapped_reach(placed);
                let stretch = largest_stretch(&placed.matrix3) * (1.0 + MAP_ERROR);
                own.moved(frame, placed)
                    + stretch * displaced * (1.0 + error)
                    + error * (own.mapped_reach(frame) + reach)
            }
            (
                Self::Skinned { binding, joints, extents },
                Self::Skinned { binding: same, joints: to, .. },
            ) if Arc::ptr_eq(binding, same) && joints.len() == to.len() => {
                if joints == to {
                    return Some(0.0);
                }
                // A vertex is a convex combination of its images, up to the slack of weights; each
                // sum passes as many roundings as it has joints.
                let each = joints.iter().zip(to).zip(&**extents);
                let farthest =
                    each.map(|((from, to), extent)| extent.moved(from, to)).fold(0.0, larger);
                let error = f64::EPSILON * (joints.len() + 64) as f64 + 2f64.powi(-39);
                farthest * (1.0 + error)
                    + f64::EPSILON * joints.len() as f64 * (self.reach() + other.reach())
            }
            _ => return None,
        })
    }
}

/// The larger of two numbers, and NaN if one of them is.
fn larger(a: f64, b: f64) -> f64 {
    if a >= b || a.is_nan() { a } else { b }
}

/// The box of a reduced body in its own space.
fn own_extent(rest: &Extent, lengths: &[f64], q: &[f64]) -> Extent {
    let displaced: f64 = lengths.iter().zip(q).map(|(length, q)| length * q.abs()).sum();
    rest.grown(displaced * (1.0 + MAP_ERROR))
}

/// The longest displacement of each mode.
fn longest_displacements(modes: &Modes) -> Arc<[f64]> {
    let mut longest = vec![0.0_f64; modes.count()];
    for vertex in 0..modes.vertices() {
        for (longest, displacement) in longest.iter_mut().zip(modes.of(vertex)) {
            *longest = longest.max(displacement.as_dvec3().length_squared());
        }
    }
    longest.into_iter().map(|square| square.sqrt() * (1.0 + MAP_ERROR) + VANISHED_LENGTH).collect()
}

/// The vertices that each joint moves, at rest.
fn joint_extents(mesh: &Mesh, binding: &Binding) -> Arc<[Extent]> {
    let mut extents = vec![Extent::EMPTY; binding.joints()];
    for (vertex, &position) in mesh.positions().iter().enumerate() {
        for influence in binding.weights().of(vertex) {
            if influence.weight > 0.0
                && let Some(extent) = extents.get_mut(influence.joint as usize)
            {
                *extent = extent.with(position);
            }
        }
    }
    extents.into()
}

/// The largest distance of two positions of a vertex. `None` if coordinates are too large.
fn farthest(from: &[DVec3], to: &[DVec3]) -> Option<f64> {
    if from.len() != to.len() {
        return None;
    }
    let (mut most, mut reach) = (0.0_f64, DVec3::ZERO);
    for (from, to) in from.iter().zip(to) {
        most = most.max((*to - *from).length_squared());
        reach = reach.max(to.abs());
    }
    (reach.max_element() <= MAX_WATCHED_REACH)
        .then_some(most.sqrt() * (1.0 + MAP_ERROR) + VANISHED_LENGTH)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deform::{Influence, SkinWeights};
    use crate::test_meshes::bumpy_sheet;
    use crate::{Body, Isometry};
    use glam::{DMat3, DQuat, Vec3Swizzles as _};
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
        vec![
            Body::rigid(mesh.clone()).unwrap().into(),
            Body::affine(mesh.clone()).unwrap().into(),
            Body::free(mesh.clone()).unwrap().into(),
            Body::reduced(mesh.clone(), modes).unwrap().into(),
            Body::skinned(mesh, binding, Blending::Linear).unwrap().into(),
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
            AnyBody::Keyframed(_) => {}
        }
    }

    proptest! {
        /// No vertex goes farther than a step says, at any scale of the motion.
        #[test]
        fn a_step_is_as_long_as_the_way_of_every_vertex(
            states in prop::collection::vec(numbers(24), 2..6), exponent in -50..6i32,
        ) {
            let scale = 2f64.powi(exponent);
            for mut body in bodies() {
                set(&mut body, &states[0], scale);
                let mut track = Track::new(&body, 0).unwrap();
                let place = |body: &AnyBody| -> Vec<DVec3> {
                    let count = body.mesh().positions().len() as u32;
                    (0..count).map(|vertex| body.position(vertex).unwrap()).collect()
                };
                let (first, mut last) = (place(&body), place(&body));
                for state in &states[1..] {
                    set(&mut body, state, scale);
                    track = track.follow(&body).unwrap();
                    let now = place(&body);
                    let farthest = |from: &[DVec3]| {
                        from.iter().zip(&now).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max)
                    };
                    prop_assert!(farthest(&last) <= track.step, "{}", body.kind());
                    prop_assert!(farthest(&first) <= track.travelled, "{}", body.kind());
                    last = now;
                }
                let still = track.clone().follow(&body).unwrap();
                prop_assert_eq!((still.step, still.travelled), (0.0, track.travelled));
            }
        }
    }
}
