//! How each vertex leaves the straight line between two times of an animation, from its joints.
//!
//! Where nodes turn at constant speed and the rest goes along straight lines, maps of nodes and their
//! derivatives are known midway through a span, and so are those of each vertex p = sum w M p_0. Over
//! a unit of time, with the second derivative a and the third j midway, and a fourth of at most k,
//!
//! > p'' = a + (t - 1/2) j + e, with |e| <= k (t - 1/2)² / 2.
//!
//! A curve that begins and ends at 0 is the integral of its second derivative with a kernel of one sign.
//! So p leaves its chord by -t (1 - t) a / 2 and, besides, by at most |j| / (72 sqrt 3) and k / 384.
//! Neighbours have nearly the same a. No vertex is moved.

use pliant::glam::{DMat3, DVec3, DVec4};
use pliant::query::Sag;

use super::stray::ROUNDING;
use super::{Animation, Deformation, Interpolation, NodeTransform, Property, Scene};
use super::{Object, RestReaches, Sampler, SceneError};

/// How the vertices of an object leave their straight lines during a span of time.
#[derive(Debug, Clone, PartialEq)]
pub struct Sags {
    /// For each vertex.
    pub vertices: Vec<Sag>,
    /// No second derivative of a vertex is larger; the span counts as the unit of time.
    bend: f64,
    /// No vertex is faster.
    speed: f64,
    /// Which share of the whole span the one is of which `bend` and `speed` tell.
    known: f64,
    /// What roundings of computed vertices, and a key near an end, come to.
    besides: f64,
}

impl Sags {
    /// No vertex is farther from the straight line between both ends of the span.
    #[must_use]
    pub fn largest(&self) -> f64 {
        let far = self.vertices.iter().map(|sag| sag.midway.length() + sag.error);
        far.fold(0.0, f64::max) * (1.0 + 1e-9)
    }

    /// No vertex is farther from the straight line between both ends of any part of the span that is
    /// this share of it.
    #[must_use]
    pub fn in_part(&self, share: f64) -> f64 {
        let share = share / self.known;
        self.bend * share * share / 8.0 * (1.0 + 1e-9) + self.besides
    }

    /// The span is longer by a share of the whole, beyond a key, and in there and at its lines' ends no
    /// vertex is farther than `moved` from the key's place. Returns whether all is finite.
    ///
    /// In a part with the key at the share s, the part's line is s (Q - K) - (1 - s) (K - P) off the place
    /// K of the key: at most the way beyond it, and 1 - s times the way before it.
    pub(super) fn past_key(&mut self, short: f64, moved: f64) -> bool {
        self.known = 1.0 - short;
        self.besides += (moved + self.speed * short / self.known) * (1.0 + 1e-9);
        self.besides.is_finite()
    }
}

/// A value and its first three derivatives.
type Jet<T> = [T; 4];

/// How a frame moves midway through a span.
#[derive(Debug, Clone, Copy)]
struct FrameJet {
    linear: Jet<DMat3>,
    translation: Jet<DVec3>,
}

/// Bounds of a value and its first four derivatives throughout a span.
type Sizes = [f64; 5];

/// What is known of a node's own frame.
#[derive(Debug, Clone, Copy)]
struct Local {
    jet: FrameJet,
    translation: Sizes,
    rotation: Sizes,
    scale: Sizes,
}

/// Binomial coefficients: row k has those of the k-th derivative of a product.
const BINOMIAL: [[f64; 5]; 5] = [
    [1.0, 0.0, 0.0, 0.0, 0.0],
    [1.0, 1.0, 0.0, 0.0, 0.0],
    [1.0, 2.0, 1.0, 0.0, 0.0],
    [1.0, 3.0, 3.0, 1.0, 0.0],
    [1.0, 4.0, 6.0, 4.0, 1.0],
];

/// Of |(t - 1/2)³ / 6 - (t - 1/2) / 24| the largest value is 1 / (72 sqrt 3); a little more.
const CUBIC: f64 = 0.008_019;

/// Below this cosine of half their angle two rotations are so far apart that rounding might decide
/// which way is the shorter one.
const LEAST_COSINE: f64 = 1e-6;

impl Scene {
    /// For each object how its vertices leave the straight lines between where they are at two times.
    /// `None` for an object of which nothing turns, or of which [`Scene::strays`] alone tells: morph
    /// targets, keyframes of vertices, and keys that are steps or splines.
    ///
    /// There must be no [`knots`](Self::knots) between the two times, keys included. `reaches` are
    /// those of this scene.
    ///
    /// # Errors
    /// Those of [`Scene::pose`].
    pub fn sags(
        &self,
        reaches: &RestReaches,
        animation: Option<usize>,
        span: [f64; 2],
    ) -> Result<Vec<Option<Sags>>, SceneError> {
        let strays = self.strays(reaches, animation, span)?;
        let played = animation.and_then(|number| self.animations().get(number));
        let Some(played) = played.filter(|_| strays.iter().any(|&stray| stray > 0.0)) else {
            return Ok(vec![None; strays.len()]);
        };
        let locals = self.locals(played, span);
        let jets = self.world_jets(&locals);
        let of = |(at, object): (usize, &Object)| {
            let turns = strays[at] > 0.0;
            turns.then(|| self.sags_of(object, &reaches.objects[at], &locals, &jets)).flatten()
        };
        Ok(self.objects().iter().enumerate().map(of).collect())
    }

    fn sags_of(
        &self,
        object: &Object,
        reaches: &[f64],
        locals: &[Option<Local>],
        jets: &[Option<FrameJet>],
    ) -> Option<Sags> {
        let rest = object.mesh.positions();
        let mut sags = Sags::with_capacity(rest.len());
        match &object.deformation {
            Deformation::Rigid => {
                let jet = jets[object.node]?;
                let sizes = self.sizes(object.node, *reaches.first()?, locals)?;
                for &p in rest {
                    sags.add(jet.of(p), &sizes);
                }
            }
            Deformation::Skin { skin, weights, morph: None } => {
                let skin = self.skins().get(*skin)?;
                let mut joints = Vec::with_capacity(skin.joints.len());
                for ((&joint, bind), &far) in
                    skin.joints.iter().zip(&skin.inverse_bind).zip(reaches)
                {
                    // A joint that moves no vertex has no reach.
                    let jet = jets[joint]?.after(bind.matrix3, bind.translation);
                    joints.push((jet, self.sizes(joint, far.max(0.0), locals)?));
                }
                for (vertex, &p) in rest.iter().enumerate() {
                    let (mut moved, mut sizes) = ([DVec3::ZERO; 4], [0.0; 5]);
                    for influence in weights.of(vertex).iter().filter(|one| one.weight != 0.0) {
                        let (jet, of_joint) = joints.get(influence.joint as usize)?;
                        for (sum, own) in moved.iter_mut().zip(jet.of(p)) {
                            *sum += own * influence.weight;
                        }
                        for (sum, own) in sizes.iter_mut().zip(of_joint) {
                            *sum += own * influence.weight.abs();
                        }
                    }
                    sags.add(moved, &sizes);
                }
            }
            _ => return None,
        }
        let is_finite = |sag: &Sag| sag.midway.is_finite() && sag.error.is_finite();
        (sags.vertices.iter().all(is_finite) && sags.bend.is_finite()).then_some(sags)
    }

    /// How far points go that are at most `far` from the origin of a node, and how fast. The first is
    /// the largest distance from any origin on the way to the world.
    fn sizes(&self, node: usize, far: f64, locals: &[Option<Local>]) -> Option<Sizes> {
        let (mut sizes, mut largest) = ([far, 0.0, 0.0, 0.0, 0.0], far);
        let mut next = Some(node);
        while let Some(node) = next {
            sizes = locals[node]?.carry(&sizes);
            largest = largest.max(sizes[0]);
            next = self.nodes()[node].parent;
        }
        sizes[0] = largest;
        Some(sizes)
    }

    /// The frames of all nodes in the world; `None` where something is not known.
    fn world_jets(&self, locals: &[Option<Local>]) -> Vec<Option<FrameJet>> {
        let mut jets: Vec<Option<FrameJet>> = vec![None; locals.len()];
        for &node in self.parents_first() {
            let own = locals[node].map(|local| local.jet);
            jets[node] = match self.nodes()[node].parent {
                None => own,
                Some(parent) => jets[parent].zip(own).map(|(parent, own)| parent.times(&own)),
            };
        }
        jets
    }

    /// How each node's own frame moves; `None` where keys are steps or splines.
    fn locals(&self, played: &Animation, span: [f64; 2]) -> Vec<Option<Local>> {
        let mut channels = vec![[None::<&Sampler>; 3]; self.nodes().len()];
        for channel in &played.channels {
            let sampler = &played.samplers[channel.sampler];
            match channel.property {
                Property::Translation => channels[channel.node][0] = Some(sampler),
                Property::Rotation => channels[channel.node][1] = Some(sampler),
                Property::Scale => channels[channel.node][2] = Some(sampler),
                Property::Weights => {}
            }
        }
        let of = |(node, own): (&super::Node, &[Option<&Sampler>; 3])| match &node.transform {
            NodeTransform::Matrix(map) => Some(Local::still(map.matrix3, map.translation)),
            NodeTransform::Trs { translation, rotation, scale } => {
                let is_linear = |one: &&Sampler| one.interpolation == Interpolation::Linear;
                if !own.iter().flatten().all(is_linear) {
                    return None;
                }
                let vector = |sampler: Option<&Sampler>, still: DVec3| match sampler {
                    Some(sampler) => span.map(|time| {
                        let mut out = [0.0; 3];
                        sampler.sample(time, Property::Translation, &mut out);
                        DVec3::from_array(out)
                    }),
                    None => [still; 2],
                };
                let middle = span[0].midpoint(span[1]);
                let quaternion = |time: f64| match own[1] {
                    Some(sampler) => {
                        let mut out = [0.0; 4];
                        sampler.sample(time, Property::Rotation, &mut out);
                        DVec4::from_array(out).normalize_or_zero()
                    }
                    None => rotation.normalize_or_zero(),
                };
                let turned = [span[0], middle, span[1]].map(quaternion);
                Local::moving(vector(own[0], *translation), turned, vector(own[2], *scale))
            }
        };
        self.nodes().iter().zip(&channels).map(of).collect()
    }
}

impl Sags {
    fn with_capacity(vertices: usize) -> Self {
        let vertices = Vec::with_capacity(vertices);
        Self { vertices, bend: 0.0, speed: 0.0, known: 1.0, besides: 0.0 }
    }

    /// Adds a vertex, with where it is and its derivatives midway, and bounds of all of them.
    fn add(&mut self, [_, _, second, third]: Jet<DVec3>, sizes: &Sizes) {
        let [largest, speed, bend, _, fourth] = *sizes;
        self.speed = larger(self.speed, speed);
        if bend == 0.0 {
            // Nothing turns it.
            self.vertices.push(Sag::default());
            return;
        }
        // Derivatives are sums of a few products per node of a chain, of at most their bounds.
        let rounding = (largest + bend) * ROUNDING;
        let (cubic, rest) = (third.length(), fourth);
        let error = (cubic * CUBIC + rest / 384.0) * (1.0 + 1e-9) + rounding;
        self.vertices.push(Sag { midway: second / -8.0, error });
        self.besides = larger(self.besides, rounding);
        let most = second.length() + cubic / 2.0 + rest / 8.0;
        self.bend = larger(self.bend, most.min(bend));
    }
}

/// The larger of two, or NaN if one is.
fn larger(a: f64, b: f64) -> f64 {
    if a >= b || a.is_nan() { a } else { b }
}

impl FrameJet {
    /// Where a point of the frame is, and its derivatives.
    fn of(&self, p: DVec3) -> Jet<DVec3> {
        std::array::from_fn(|k| self.linear[k] * p + self.translation[k])
    }

    /// This frame after a map that does not change.
    fn after(&self, linear: DMat3, translation: DVec3) -> Self {
        Self { linear: self.linear.map(|own| own * linear), translation: self.of(translation) }
    }

    /// This frame with another in it.
    fn times(&self, inner: &Self) -> Self {
        let linear = std::array::from_fn(|k| {
            (0..=k).fold(DMat3::ZERO, |sum, i| {
                sum + self.linear[i] * inner.linear[k - i] * BINOMIAL[k][i]
            })
        });
        let translation = std::array::from_fn(|k| {
            (0..=k).fold(self.translation[k], |sum, i| {
                sum + self.linear[i] * inner.translation[k - i] * BINOMIAL[k][i]
            })
        });
        Self { linear, translation }
    }
}

impl Local {
    /// A frame that does not move.
    fn still(matrix: DMat3, translation: DVec3) -> Self {
        let (none, zero) = (DMat3::ZERO, DVec3::ZERO);
        let norm = matrix.to_cols_array().iter().map(|x| x * x).sum::<f64>().sqrt();
        Self {
            jet: FrameJet {
                linear: [matrix, none, none, none],
                translation: [translation, zero, zero, zero],
            },
            translation: [translation.length(), 0.0, 0.0, 0.0, 0.0],
            rotation: [1.0, 0.0, 0.0, 0.0, 0.0],
            scale: [norm, 0.0, 0.0, 0.0, 0.0],
        }
    }

    /// A frame whose translation and scale go in straight lines, and which turns at constant speed;
    /// `None` if the way of its turn is not certain.
    fn moving(
        [from, to]: [DVec3; 2],
        [first, middle, last]: [DVec4; 3],
        [small, large]: [DVec3; 2],
    ) -> Option<Self> {
        if first.dot(last).abs() < LEAST_COSINE {
            return None;
        }
        let last = if first.dot(last) < 0.0 { -last } else { last };
        let [first, middle, last] = [first, middle, last].map(pliant::glam::DQuat::from_vec4);
        // From the first to the last, about an axis that both frames share.
        let turn = last * first.conjugate();
        let axis = DVec3::new(turn.x, turn.y, turn.z);
        let sine = axis.length();
        let angle = 2.0 * sine.atan2(turn.w);
        let speed = if sine > 0.0 { axis * (angle / sine) } else { DVec3::ZERO };
        let spin = DMat3::from_cols(
            DVec3::new(0.0, speed.z, -speed.y),
            DVec3::new(-speed.z, 0.0, speed.x),
            DVec3::new(speed.y, -speed.x, 0.0),
        );
        let turned = DMat3::from_quat(middle);
        let (once, twice) = (spin * turned, spin * (spin * turned));
        let rotation = [turned, once, twice, spin * twice];
        let stretch = DMat3::from_diagonal(small.midpoint(large));
        let stretching = DMat3::from_diagonal(large - small);
        let linear = std::array::from_fn(|k| {
            let before = if k > 0 { rotation[k - 1] * stretching * k as f64 } else { DMat3::ZERO };
            rotation[k] * stretch + before
        });
        let translation = [from.midpoint(to), to - from, DVec3::ZERO, DVec3::ZERO];
        let size = |ends: [DVec3; 2]| ends[0].abs().max(ends[1].abs()).max_element();
        let longest = from.length().max(to.length());
        let w = angle;
        Some(Self {
            jet: FrameJet { linear, translation },
            translation: [longest, (to - from).length(), 0.0, 0.0, 0.0],
            rotation: [1.0, w, w * w, w * w * w, w * w * w * w],
            scale: [size([small, large]), (large - small).abs().max_element(), 0.0, 0.0, 0.0],
        })
    }

    /// What the node makes of points that it is given: scaled, turned, shifted.
    fn carry(&self, of: &Sizes) -> Sizes {
        let scaled = product(&self.scale, of);
        let turned = product(&self.rotation, &scaled);
        std::array::from_fn(|k| turned[k] + self.translation[k])
    }
}

/// Bounds of a product and its derivatives.
fn product(a: &Sizes, b: &Sizes) -> Sizes {
    std::array::from_fn(|k| (0..=k).map(|i| BINOMIAL[k][i] * a[i] * b[k - i]).sum())
}
