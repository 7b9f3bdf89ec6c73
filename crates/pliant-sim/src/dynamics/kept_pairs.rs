//! Pairs of bodies, and pairs of their proxies, that are kept from step to step.
//!
//! In a pile at rest the same proxies are near each other in step after step. So the boxes of bodies are
//! enlarged for the broad phase, which is done again when a box leaves its enlarged one. And for two
//! bodies the search finds all proxies within a pad that is larger than what the step asks for; it is
//! done again when the bodies have moved so far that others may be near. What is found is a superset in
//! either case, and every proxy pair of it is tested in every step: contacts do not depend on what was
//! kept.
//!
//! Proof. Let a proxy pair be farther apart than the pad p when the list was made. In the axes of the
//! first body the second's frame was (R, o) and is (R', o'). A centre x of its proxies moves with the frame
//! by |R'x + o' - Rx - o|. A pair that counts now is where both boxes are (`Snapshot::common_place`): with
//! m the middle of that place in the second body's axes, and s its radius, the margin and the radius of the
//! largest proxy together, |x - m| <= s. So it moved by no more than |(R' - R) m + o' - o| + |R' - R| s,
//! Frobenius' norm not being below the spectral one. Coordinates that change by dq move the centre of any proxy by no more
//! than the sum of |dq_j| times the reach of each mode (`proxy_tree`), in either body. So the gap is still
//! above a margin if that and these motions together are at most p.

use pliant::glam::{DVec3, Mat3, Vec3A, Vec4};
use pliant::volume::Aabb;

use super::StepWork;
use super::pair_search::{SLACK, Scratch, near_proxies};
use super::snapshot::Snapshot;

/// How far a box is enlarged, as a part of the body's reach: enough for many steps of a slow body.
const FATNESS: f64 = 0.02;
/// And for how many steps of its velocity.
const AHEAD: f64 = 4.0;

/// By how many times the motion of a step the pad exceeds it, at least and at most as parts of the reach
/// of the lesser body. A larger pad lasts longer, and costs more tests per step. Bodies that move farther
/// than the most in a step have none.
const STEPS_AHEAD: f64 = 8.0;
const LEAST_PAD: f64 = 0.002;
const MOST_PAD: f64 = 0.02;

/// Pairs of bodies that may touch soon.
#[derive(Debug, Default)]
pub(super) struct KeptPairs {
    /// The enlarged boxes for which pairs were found.
    fat: Vec<Aabb>,
    /// Ascending by bodies.
    pub(super) pairs: Vec<KeptPair>,
}

/// Two bodies, and the proxies of theirs that were near each other.
#[derive(Debug)]
pub(super) struct KeptPair {
    pub(super) bodies: [u32; 2],
    /// Proxies within this distance are in the list; negative if there is no list.
    pad: f64,
    /// The second body in the axes of the first when the list was made.
    rotation: Mat3,
    offset: DVec3,
    /// The coordinates of both bodies then.
    bends: Vec<f32>,
    /// Pairs of proxies, ascending.
    pub(super) near: Vec<[u32; 2]>,
}

impl KeptPairs {
    /// Whether pairs that were found still hold all whose boxes overlap.
    pub(super) fn hold(&self, boxes: &[Aabb]) -> bool {
        self.fat.len() == boxes.len()
            && self.fat.iter().zip(boxes).all(|(fat, now)| fat.contains(now))
    }

    /// Enlarges boxes, for a broad phase.
    pub(super) fn enlarge(&mut self, snapshot: &Snapshot, boxes: &[Aabb]) -> &[Aabb] {
        let fat = |(body, now): (u32, &Aabb)| {
            let pose = snapshot.pose(body);
            let more = (FATNESS * pose.reach) as f32;
            let ahead = (pose.velocity * (AHEAD * snapshot.settings.step)).as_vec3a();
            let (back, forth) = (ahead.min(Vec3A::ZERO) - more, ahead.max(Vec3A::ZERO) + more);
            Aabb { min: now.min + back, max: now.max + forth }
        };
        self.fat.clear();
        self.fat.extend((0..).zip(boxes).map(fat));
        &self.fat
    }

    /// Takes new pairs, which ascend. Those that were there keep their lists.
    pub(super) fn replace(&mut self, pairs: &[[u32; 2]]) {
        let mut before = std::mem::take(&mut self.pairs).into_iter().peekable();
        self.pairs.reserve(pairs.len());
        for &bodies in pairs {
            while before.next_if(|kept| kept.bodies < bodies).is_some() {}
            let kept = before.next_if(|kept| kept.bodies == bodies);
            self.pairs.push(kept.unwrap_or_else(|| KeptPair::new(bodies)));
        }
    }

    /// Forgets what was found.
    pub(super) fn forget(&mut self) {
        self.fat.clear();
    }
}

impl KeptPair {
    fn new(bodies: [u32; 2]) -> Self {
        let (rotation, offset) = (Mat3::IDENTITY, DVec3::ZERO);
        Self { bodies, pad: -1.0, rotation, offset, bends: vec![], near: vec![] }
    }

    /// Lets the list hold all proxies that are within a margin, up to rounding.
    pub(super) fn update(
        &mut self,
        snapshot: &Snapshot,
        margin: f64,
        scratch: &mut Scratch,
        work: &mut StepWork,
    ) {
        let [a, b] = self.bodies;
        let (pose_a, pose_b) = (snapshot.pose(a), snapshot.pose(b));
        let inverse = pose_a.rotation.transpose();
        let rotation = (inverse * pose_b.rotation).as_mat3();
        let offset = inverse * (pose_b.position - pose_a.position);
        let slack = SLACK * (offset.length() + pose_a.reach + pose_b.reach);
        if margin + slack < self.pad {
            let turned = rotation - self.rotation;
            let (place, radius) = snapshot.common_place(a, b);
            let middle = pose_b.rotation.transpose() * (place - pose_b.position);
            let largest = f64::from(snapshot.model(b).proxies.largest);
            let shift = (turned * middle.as_vec3()).as_dvec3() + (offset - self.offset);
            let squares = [turned.x_axis, turned.y_axis, turned.z_axis].map(|x| x.length_squared());
            let turned = f64::from(squares.iter().sum::<f32>().sqrt());
            let moved = shift.length() + turned * (radius + margin + largest);
            if margin + slack + moved < self.pad {
                let bent = self.bent(snapshot);
                if margin + slack + moved + bent < self.pad {
                    return;
                }
            }
        }
        work.lists_made += 1;
        let reach = pose_a.reach.min(pose_b.reach);
        let most = MOST_PAD * reach;
        let more = (STEPS_AHEAD * margin).max(LEAST_PAD * reach).min(most);
        let pad = if margin < most { margin + more } else { margin };
        let (near, pad) = near_proxies(snapshot, self.bodies, pad, scratch, work);
        self.near.clear();
        self.near.extend_from_slice(near);
        (self.pad, self.rotation, self.offset) = (pad, rotation, offset);
        self.bends.clear();
        for body in self.bodies {
            self.bends.extend(coordinates(snapshot, body).iter().map(|factor| factor.x));
        }
    }

    /// How far proxies have moved by the bending of both bodies, at most.
    fn bent(&self, snapshot: &Snapshot) -> f64 {
        let (mut sum, mut start) = (0.0, 0);
        for body in self.bodies {
            let model = snapshot.model(body);
            let now = coordinates(snapshot, body);
            let Some(then) = self.bends.get(start..start + now.len()) else { return f64::INFINITY };
            start += now.len();
            let changes = now.iter().zip(then).map(|(now, then)| f64::from(now.x - then));
            sum += model.proxies.motion(changes);
        }
        sum
    }
}

/// The factors of a body's coordinates, one per mode.
fn coordinates<'a>(snapshot: &'a Snapshot, body: u32) -> &'a [Vec4] {
    let start = body as usize * snapshot.stride;
    &snapshot.factors[start..start + snapshot.model(body).vibrations.len()]
}
