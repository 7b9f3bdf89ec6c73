//! Queries near every kind of degenerate contact, from seeds.

use pliant::glam::DVec3;

/// The four points at the start and at the end.
pub(super) type Query = [[DVec3; 4]; 2];

/// A small number beside coordinates about 1.
const TINY: f64 = f64::EPSILON / 64.0;

/// A seeded sequence, with the draws that queries need.
pub(super) struct Random(pliant_scenes::Random);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(pliant_scenes::Random::new(seed))
    }

    /// An integer from `low` to `high`, both included.
    pub(super) fn integer(&mut self, low: i64, high: i64) -> i64 {
        low + (self.0.bits() % (high - low + 1) as u64) as i64
    }

    /// From -1 to 1, with all 53 bits.
    fn real(&mut self) -> f64 {
        (self.0.bits() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn vector(&mut self) -> DVec3 {
        DVec3::new(self.real(), self.real(), self.real())
    }

    fn grid_point(&mut self, size: i64) -> DVec3 {
        DVec3::from_array([(); 3].map(|()| self.integer(-size, size) as f64))
    }

    pub(super) fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.integer(0, choices.len() as i64 - 1) as usize]
    }

    /// `x` moved by up to one unit in the last place, or by none. Zero is seldom moved to the
    /// smallest numbers, since all integers are long then.
    fn nudge(&mut self, x: f64) -> f64 {
        if x == 0.0 && self.integer(0, 999) > 0 {
            return self.pick(&[-TINY, 0.0, 0.0, TINY]);
        }
        self.pick(&[x.next_down(), x, x, x.next_up()])
    }

    fn nudge_all(&mut self, query: Query) -> Query {
        query.map(|points| points.map(|p| DVec3::from_array(p.to_array().map(|x| self.nudge(x)))))
    }
}

fn random_points(random: &mut Random, mut point: impl FnMut(&mut Random) -> DVec3) -> Query {
    [[(); 4].map(|()| point(random)), [(); 4].map(|()| point(random))]
}

/// Small integers, which meet all degenerate positions often.
pub(super) fn grid(random: &mut Random, size: i64) -> Query {
    random_points(random, |random| random.grid_point(size))
}

/// Weights of the four points that are zero where the features touch: those of a vertex and a point
/// of a face, or of points of two edges. As vertex and face and as edges the point 0 and the others
/// mix differently, so that one of both touches.
fn touch_weights(random: &mut Random) -> [f64; 4] {
    let near = [0.0, 1.0, 0.5, 0.25];
    let mut share = || {
        if random.integer(0, 2) == 0 { random.pick(&near) } else { random.real().abs() * 1.1 }
    };
    let (s, t) = (share(), share());
    if random.integer(0, 1) == 0 { [-1.0, 1.0 - s - t, s, t] } else { [s - 1.0, -s, 1.0 - t, t] }
}

/// Moves the end of one point so that the weighted sum of the points is about zero at a time.
fn bring_together(query: &mut Query, weights: [f64; 4], time: f64) {
    let at = |query: &Query, i: usize| query[0][i] * (1.0 - time) + query[1][i] * time;
    let heaviest = (0..4).max_by(|&i, &j| weights[i].abs().total_cmp(&weights[j].abs())).unwrap();
    let sum: DVec3 = (0..4).map(|i| at(query, i) * weights[i]).sum();
    query[1][heaviest] -= sum / (weights[heaviest] * time);
}

/// A touch at a random time, up to rounding.
pub(super) fn nudged_touch(random: &mut Random) -> Query {
    let mut query = random_points(random, |random| random.vector());
    let time = random.pick(&[0.5, 0.25, 1.0, 0.7, 0.125]);
    let weights = touch_weights(random);
    bring_together(&mut query, weights, time);
    random.nudge_all(query)
}

/// Points of a moving plane; nudged ones are almost coplanar.
pub(super) fn flat(random: &mut Random, nudged: bool) -> Query {
    let scale = random.pick(&[1.0, 3.0, 0.1]);
    let mut query = random_points(random, |random| {
        let p = random.grid_point(4);
        DVec3::new(p.x, p.y, 0.0) * scale
    });
    let heights = [random.integer(-2, 2) as f64, random.integer(-2, 2) as f64];
    let tilt = random.integer(-1, 1) as f64;
    for (points, height) in query.iter_mut().zip(heights) {
        for p in points {
            // One tilt at both ends keeps points coplanar in between.
            p.z = height + tilt * p.x;
        }
    }
    if random.integer(0, 1) == 0 {
        query = query.map(|points| points.map(|p| DVec3::new(p.z, p.x, p.y)));
    }
    if nudged { random.nudge_all(query) } else { query }
}

/// Points of a moving line.
pub(super) fn collinear(random: &mut Random, nudged: bool) -> Query {
    let direction = random.grid_point(2);
    let [from, to] = [random.grid_point(1), random.grid_point(1)];
    let mut query = random_points(random, |random| direction * random.integer(-6, 6) as f64);
    for (points, base) in query.iter_mut().zip([from, to]) {
        for p in points {
            *p += base;
        }
    }
    if nudged { random.nudge_all(query) } else { query }
}

/// Edges that stay parallel, and a face that keeps its direction.
pub(super) fn parallel(random: &mut Random) -> Query {
    let direction = random.grid_point(3);
    let mut query = random_points(random, |random| random.grid_point(3));
    for points in &mut query {
        points[1] = points[0] + direction * random.integer(-2, 3) as f64;
        points[3] = points[2] + direction * random.integer(-2, 3) as f64;
    }
    if random.integer(0, 1) == 0 { random.nudge_all(query) } else { query }
}

/// A vertex that passes through the axis of a turning face just when the face passes through the
/// vertex's path, and edges likewise: the cubic touches zero.
pub(super) fn double_root(random: &mut Random, nudged: bool) -> Query {
    let parts = random.pick(&[2, 3, 4, 5, 8]);
    let part = random.integer(0, parts) as f64;
    let turn = random.integer(1, 3) as f64;
    // Coordinates that vanish at the time part / parts.
    let passing = |slope: f64| [-part * slope, (parts as f64 - part) * slope];
    let ([x0, x1], [z0, z1]) = (passing(random.pick(&[1.0, -2.0, 3.0])), passing(turn));
    let (y, reach) = (random.integer(-4, 4) as f64, random.integer(1, 6) as f64);
    let state = |x: f64, z: f64| {
        [
            DVec3::new(x, y * 0.5, 0.0),
            DVec3::new(reach, -3.0, z),
            DVec3::new(-reach, -3.0, -z),
            DVec3::new(reach, 3.0, z),
        ]
    };
    let mut query = [state(x0, z0), state(x1, z1)];
    if random.integer(0, 1) == 0 {
        query = query.map(|[a, b, c, d]| [a, c, b, d]);
    }
    if random.integer(0, 1) == 0 {
        // A second root of the same kind elsewhere, or none.
        query[1][3] += random.grid_point(1);
    }
    if nudged { random.nudge_all(query) } else { query }
}

/// Points that coincide at one end, at both, or on the way.
pub(super) fn degenerate(random: &mut Random) -> Query {
    let mut query = grid(random, 2);
    for _ in 0..random.integer(1, 3) {
        let (i, j) = (random.integer(0, 3) as usize, random.integer(0, 3) as usize);
        match random.integer(0, 3) {
            0 => query[0][i] = query[0][j],
            1 => query[1][i] = query[1][j],
            2 => {
                query[0][i] = query[0][j];
                query[1][i] = query[1][j];
            }
            _ => {
                // They pass through each other.
                query[0][i] = query[1][j];
                query[1][i] = query[0][j];
            }
        }
    }
    if random.integer(0, 3) == 0 { random.nudge_all(query) } else { query }
}

fn times_power(x: f64, exponent: i32) -> f64 {
    x * 2f64.powi(exponent / 2) * 2f64.powi(exponent - exponent / 2)
}

/// Numbers whose exponents differ by up to twice the given number.
pub(super) fn mixed_exponents(random: &mut Random, reach: i64) -> Query {
    let base = grid(random, 2);
    let odd = random.integer(0, 2);
    base.map(|points| {
        points.map(|p| {
            DVec3::from_array(p.to_array().map(|x| {
                let x =
                    if random.integer(0, 2) < odd { x * (1.0 + random.real() * 0.5) } else { x };
                if random.integer(0, 2) == 0 {
                    times_power(x, random.integer(-reach, reach) as i32)
                } else {
                    x
                }
            }))
        })
    })
}

/// Queries of the other kinds, all coordinates times a power of two: to the ends of `f64`.
pub(super) fn scaled(random: &mut Random) -> Query {
    let query = match random.integer(0, 3) {
        0 => nudged_touch(random),
        1 => double_root(random, true),
        2 => flat(random, false),
        _ => grid(random, 2),
    };
    let exponent = random.pick(&[-1070, -1030, -500, -210, -190, 190, 210, 340, 500, 1000, 1018]);
    query.map(|points| {
        points.map(|p| DVec3::from_array(p.to_array().map(|x| times_power(x, exponent))))
    })
}

/// A touch at the start or at the end of the step, nudged.
pub(super) fn touch_at_end(random: &mut Random) -> Query {
    let mut query = random_points(random, |random| random.vector());
    let weights = touch_weights(random);
    bring_together(&mut query, weights, 1.0);
    let query = if random.integer(0, 1) == 0 { random.nudge_all(query) } else { query };
    if random.integer(0, 1) == 0 { [query[1], query[0]] } else { query }
}
