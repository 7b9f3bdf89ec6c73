//! How far vertices stray from straight lines between two times of an animation.
//!
//! Nodes and joints turn, so vertices move along curves. A curve whose second derivative is at most
//! b, over a unit of time, is nowhere farther than b / 8 from the chord between its ends. So it is
//! enough to bound how points move: for each node of the chain from a joint to the world, distance,
//! speed and second derivative of what it carries follow from those of what it is given. No vertex
//! is touched.

use pliant::glam::{DMat3, DVec3, DVec4};

use super::animation::Span;
use super::{Animation, Deformation, Interpolation, NodeTransform, Property, Sampler, Scene};
use super::{Object, SceneError};

/// Computed vertices are off from their paths by a few roundings of 2^-53 per node of a chain, of
/// the largest coordinate on the way. Bounds are larger by this part of it.
pub(super) const ROUNDING: f64 = 1.0 / (1u64 << 42) as f64;

/// In place of a distance, for a joint that moves no vertex.
const NO_VERTEX: f64 = -1.0;

/// How far from their own origins vertices are, at rest: what [`Scene::strays`] needs, found once.
#[derive(Debug, Clone, PartialEq)]
pub struct RestReaches {
    /// For each object how far its vertices are from the origin of its node or, if it has a skin,
    /// for each joint how far those that it moves are from the joint.
    pub(super) objects: Vec<Vec<f64>>,
    /// For each object how far each morph target takes a vertex.
    targets: Vec<Vec<f64>>,
}

/// What is known of points over a span of time, which counts as the unit of time.
#[derive(Debug, Clone, Copy, Default)]
struct Reach {
    /// Distance from the origin.
    far: f64,
    speed: f64,
    /// Second derivative.
    bend: f64,
    /// How far they jump at the end of the span, where keys are steps.
    jump: f64,
}

/// What is known of a number or vector over a span of time.
#[derive(Debug, Clone, Copy, Default)]
struct Change {
    size: f64,
    speed: f64,
    bend: f64,
    jump: f64,
}

/// What is known of a node's own frame over a span of time.
#[derive(Debug, Clone, Copy)]
struct Turn {
    translation: Change,
    /// `size` is not used: a rotation changes no length.
    rotation: Change,
    scale: Change,
}

impl Turn {
    /// What the node makes of points that it is given: scaled, turned, shifted.
    fn carry(&self, of: Reach) -> Reach {
        let Self { translation, rotation, scale } = self;
        let far = scale.size * of.far;
        let speed = scale.size * of.speed + scale.speed * of.far;
        let bend = scale.size * of.bend + 2.0 * scale.speed * of.speed + scale.bend * of.far;
        Reach {
            far: far + translation.size,
            speed: speed + rotation.speed * far + translation.speed,
            bend: bend + 2.0 * rotation.speed * speed + rotation.bend * far + translation.bend,
            jump: scale.size * of.jump
                + scale.jump * of.far
                + rotation.jump * far
                + translation.jump,
        }
    }
}

impl Scene {
    /// The times strictly between two at which a vertex may turn from its line: keyframes of
    /// vertices and, with `keys`, the keys of nodes and weights. In no order; some more than once.
    #[must_use]
    pub fn knots(&self, animation: Option<usize>, span: [f64; 2], keys: bool) -> Vec<f64> {
        let Some(played) = animation.and_then(|number| self.animations().get(number)) else {
            return Vec::new();
        };
        let [from, to] = span;
        let within = |times: &[f64]| {
            let first = times.partition_point(|&time| time <= from);
            let end = times.partition_point(|&time| time < to);
            times.get(first..end).unwrap_or_default().to_vec()
        };
        let mut knots = Vec::new();
        for object in self.objects() {
            if let Deformation::Keyframes(keyframes) = &object.deformation {
                knots.extend(within(&keyframes.times));
            }
        }
        if keys {
            let samplers = played.samplers.iter();
            knots.extend(samplers.flat_map(|sampler| within(&sampler.times)));
        }
        knots
    }

    /// How far vertices are from their joints and nodes at rest. Costs a look at every vertex.
    #[must_use]
    pub fn rest_reaches(&self) -> RestReaches {
        let length = |deltas: &Vec<DVec3>| deltas.iter().map(|d| d.length()).fold(0.0, f64::max);
        let targets = self.objects().iter().map(|object| {
            object
                .deformation
                .morph_targets()
                .map_or_else(Vec::new, |morph| morph.deltas.iter().map(length).collect())
        });
        let objects = self.objects().iter().map(|object| self.rest_reach(object));
        RestReaches { objects: objects.collect(), targets: targets.collect() }
    }

    fn rest_reach(&self, object: &Object) -> Vec<f64> {
        let positions = object.mesh.positions();
        match &object.deformation {
            Deformation::Skin { skin, weights, .. } => {
                let Some(skin) = self.skins().get(*skin) else { return Vec::new() };
                let mut far = vec![NO_VERTEX; skin.joints.len()];
                for (vertex, &position) in positions.iter().enumerate() {
                    for influence in weights.of(vertex).iter().filter(|one| one.weight != 0.0) {
                        let joint = influence.joint as usize;
                        if let (Some(far), Some(map)) =
                            (far.get_mut(joint), skin.inverse_bind.get(joint))
                        {
                            *far = far.max(map.transform_point3(position).length());
                        }
                    }
                }
                far
            }
            Deformation::Keyframes(keyframes) => {
                let all = keyframes.frames.iter().flatten().chain(positions);
                vec![all.map(|p| p.length()).fold(0.0, f64::max)]
            }
            _ => vec![positions.iter().map(|p| p.length()).fold(0.0, f64::max)],
        }
    }

    /// For each object a bound of how far any of its vertices is, at any time between two, from the
    /// straight line between where it is at both. Zero where nothing turns.
    ///
    /// There must be no [`knots`](Self::knots) between the two times, keys included. `reaches` are
    /// those of this scene.
    ///
    /// # Errors
    /// Those of [`Scene::pose`].
    pub fn strays(
        &self,
        reaches: &RestReaches,
        animation: Option<usize>,
        span: [f64; 2],
    ) -> Result<Vec<f64>, SceneError> {
        let still = vec![0.0; self.objects().len()];
        let Some(number) = animation else { return Ok(still) };
        let Some(played) = self.animations().get(number) else {
            let count = self.animations().len();
            let reason = format!("there are {count}");
            return Err(SceneError::new(format!("animation {number}"), reason));
        };
        let turns = self.turns(played, span);
        let strays = self.objects().iter().enumerate().map(|(at, object)| {
            let morphed = self.morphed(played, span, at, &reaches.targets[at]);
            let of = |node: usize, far: f64, own: &Reach, scale: f64| {
                let mut reach = Reach {
                    far: far + scale * own.far,
                    speed: scale * own.speed,
                    bend: scale * own.bend,
                    jump: scale * own.jump,
                };
                let (mut next, mut largest) = (Some(node), reach.far);
                while let Some(node) = next {
                    reach = turns[node].carry(reach);
                    largest = largest.max(reach.far);
                    next = self.nodes()[node].parent;
                }
                let stray = reach.bend / 8.0 + reach.jump;
                // Written so that NaN strays without bound.
                if stray == 0.0 { 0.0 } else { stray * (1.0 + 1e-9) + largest * ROUNDING }
            };
            match &object.deformation {
                Deformation::Skin { skin, .. } => {
                    let Some(skin) = self.skins().get(*skin) else { return 0.0 };
                    let far = reaches.objects[at].iter();
                    let joints = skin.joints.iter().zip(&skin.inverse_bind).zip(far);
                    let strays = joints.map(|((&joint, map), &far)| {
                        if far == NO_VERTEX {
                            return 0.0;
                        }
                        of(joint, far, &morphed, norm(&map.matrix3))
                    });
                    strays.fold(0.0, largest)
                }
                Deformation::Keyframes(keyframes) => {
                    let mut own = morphed;
                    if let Some(frames) = Span::find(&keyframes.times, span[0])
                        && let (Some(first), Some(second)) = (
                            keyframes.frames.get(frames.first),
                            keyframes.frames.get(frames.second),
                        )
                    {
                        let ways = first.iter().zip(second).map(|(p, q)| (*q - *p).length());
                        own.speed = ways.fold(0.0, f64::max);
                    }
                    of(object.node, reaches.objects[at][0], &own, 1.0)
                }
                _ => of(object.node, reaches.objects[at][0], &morphed, 1.0),
            }
        });
        Ok(strays.map(|stray| if stray.is_finite() { stray } else { f64::MAX }).collect())
    }

    /// How each node's own frame changes.
    fn turns(&self, played: &Animation, span: [f64; 2]) -> Vec<Turn> {
        let still = |size: f64| Change { size, ..Change::default() };
        let mut turns: Vec<Turn> = self
            .nodes()
            .iter()
            .map(|node| match &node.transform {
                NodeTransform::Trs { translation, scale, .. } => Turn {
                    translation: still(translation.length()),
                    rotation: Change::default(),
                    scale: still(scale.abs().max_element()),
                },
                NodeTransform::Matrix(map) => Turn {
                    translation: still(map.translation.length()),
                    rotation: Change::default(),
                    scale: still(norm(&map.matrix3)),
                },
            })
            .collect();
        for channel in &played.channels {
            let is_trs = matches!(self.nodes()[channel.node].transform, NodeTransform::Trs { .. });
            if !is_trs {
                continue;
            }
            let sampler = &played.samplers[channel.sampler];
            let turn = &mut turns[channel.node];
            match channel.property {
                Property::Translation => turn.translation = change(sampler, span, 3),
                Property::Scale => turn.scale = change(sampler, span, 3),
                Property::Rotation => turn.rotation = rotation_change(sampler, span),
                Property::Weights => {}
            }
        }
        turns
    }

    /// How far morph targets take vertices of an object, and how fast.
    fn morphed(&self, played: &Animation, span: [f64; 2], object: usize, targets: &[f64]) -> Reach {
        let default = &self.objects()[object].default_weights;
        let mut weights: Vec<Change> = default
            .iter()
            .map(|weight| Change { size: weight.abs(), ..Change::default() })
            .collect();
        for channel in &played.channels {
            let moves = channel.property == Property::Weights
                && self.object_on[channel.node] == Some(object);
            if moves {
                let sampler = &played.samplers[channel.sampler];
                for (at, weight) in weights.iter_mut().enumerate() {
                    *weight = component_change(sampler, span, at);
                }
            }
        }
        let mut reach = Reach::default();
        for (weight, length) in weights.iter().zip(targets) {
            reach.far += weight.size * length;
            reach.speed += weight.speed * length;
            reach.bend += weight.bend * length;
            reach.jump += weight.jump * length;
        }
        reach
    }
}

/// The larger of two, or NaN if one is.
fn largest(a: f64, b: f64) -> f64 {
    if a >= b || a.is_nan() { a } else { b }
}

/// No vector grows by a larger factor: the root of the sum of squares.
fn norm(matrix: &DMat3) -> f64 {
    matrix.to_cols_array().iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// How the value of a sampler of so many numbers changes within a span without keys.
fn change(sampler: &Sampler, span: [f64; 2], width: usize) -> Change {
    let parts = (0..width).map(|at| component_change(sampler, span, at));
    let mut squares = [0.0; 4];
    for part in parts {
        for (sum, x) in squares.iter_mut().zip([part.size, part.speed, part.bend, part.jump]) {
            *sum += x * x;
        }
    }
    let [size, speed, bend, jump] = squares.map(f64::sqrt);
    Change { size, speed, bend, jump }
}

/// How one number of a sampler changes within a span without keys.
fn component_change(sampler: &Sampler, span: [f64; 2], at: usize) -> Change {
    let value = |time: f64| {
        let mut out = vec![0.0; sampler.width()];
        sampler.sample(time, Property::Translation, &mut out);
        out.get(at).copied().unwrap_or_default()
    };
    let [first, last] = span.map(value);
    let size = first.abs().max(last.abs());
    match sampler.interpolation {
        Interpolation::Step => Change { size, jump: (last - first).abs(), ..Change::default() },
        Interpolation::Linear => Change { size, speed: (last - first).abs(), ..Change::default() },
        Interpolation::CubicSpline => {
            let [slopes, bends] = spline_slopes(sampler, span, at);
            let seconds = span[1] - span[0];
            let largest = |ends: [f64; 2]| ends[0].abs().max(ends[1].abs());
            // The second derivative is linear in time: largest at one of the ends.
            let bend = largest(bends) * seconds * seconds;
            let speed = largest(slopes) * seconds + bend;
            Change { size: size + speed, speed, bend, jump: 0.0 }
        }
    }
}

/// The first and the second derivative of one number of a spline at both ends of a span without
/// keys, per second.
fn spline_slopes(sampler: &Sampler, span: [f64; 2], at: usize) -> [[f64; 2]; 2] {
    let middle = span[0].midpoint(span[1]);
    let Some(keys) = Span::find(&sampler.times, middle).filter(|keys| keys.first != keys.second)
    else {
        return [[0.0; 2]; 2];
    };
    let number = |key: usize, part: usize| sampler.part(key, part).get(at).copied();
    let get = |key: usize, part: usize| number(key, part).unwrap_or_default();
    let (a, b) = (get(keys.first, 1), get(keys.second, 1));
    let (leave, arrive) = (get(keys.first, 2) * keys.seconds, get(keys.second, 0) * keys.seconds);
    // The cubic a + leave t + c t² + d t³ over the keys.
    let c = 3.0 * (b - a) - 2.0 * leave - arrive;
    let d = 2.0 * (a - b) + leave + arrive;
    let share = |time: f64| (time - sampler.times[keys.first]) / keys.seconds;
    let shares = span.map(share);
    [
        shares.map(|t| (leave + t * (2.0 * c + t * 3.0 * d)) / keys.seconds),
        shares.map(|t| (2.0 * c + 6.0 * d * t) / (keys.seconds * keys.seconds)),
    ]
}

/// How a rotation changes: `speed` bounds the first derivative of where a unit vector goes, `bend`
/// the second, `jump` how far it jumps.
///
/// With a unit quaternion q a vector p goes to q p q*, whose derivatives are at most 2 |q'| |p| and
/// (2 |q''| + 2 |q'|²) |p|.
fn rotation_change(sampler: &Sampler, span: [f64; 2]) -> Change {
    let value = |time: f64| {
        let mut out = [0.0; 4];
        sampler.sample(time, Property::Rotation, &mut out);
        DVec4::from_array(out).normalize_or_zero()
    };
    let [first, last] = span.map(value);
    let last = if first.dot(last) < 0.0 { -last } else { last };
    let angle = 2.0 * (first - last).length().atan2((first + last).length());
    match sampler.interpolation {
        // A unit vector jumps by at most twice the angle.
        Interpolation::Step => Change { jump: 2.0 * angle, ..Change::default() },
        // The great arc at constant speed: |q'| is the angle, |q''| its square.
        Interpolation::Linear => {
            Change { speed: 2.0 * angle, bend: 4.0 * angle * angle, ..Change::default() }
        }
        Interpolation::CubicSpline => {
            // q = h / |h| with a cubic h: |q'| <= |h'| / |h|, |q''| <= 2 |h''| / |h| + 5 |h'|² / |h|².
            let raw = change(sampler, span, 4);
            let mut at_start = [0.0; 4];
            sampler.sample(span[0], Property::Translation, &mut at_start);
            let least = DVec4::from_array(at_start).length() - raw.speed;
            let (slope, bend) = (raw.speed / least, raw.bend / least);
            if least.is_nan() || least <= 0.0 {
                return Change { speed: f64::INFINITY, bend: f64::INFINITY, ..Change::default() };
            }
            let (first, second) = (slope, 2.0 * bend + 5.0 * slope * slope);
            let bend = 2.0 * second + 2.0 * first * first;
            Change { speed: 2.0 * first, bend, ..Change::default() }
        }
    }
}
