//! The middle of the smallest ball around points.

use glam::DVec3;

/// Rounds after which the middle is good enough: each takes in the farthest point, and a
/// handful suffices for nearly all sets.
const ROUNDS: usize = 32;

/// The middle of the smallest ball around points, up to rounding; of no points the origin.
///
/// Nothing depends on how good it is but the size of bounds: those who use it measure
/// from the middle that they get.
pub(super) fn smallest_ball_center(points: &[DVec3]) -> DVec3 {
    let Some(&first) = points.first() else { return DVec3::ZERO };
    // At most four points on its border determine a ball. Take in the farthest point
    // outside, find the ball of these five, begin again: the radius grows every time.
    let mut support = vec![farthest(points, first)];
    let mut ball = Ball { center: support[0], squared: 0.0 };
    for _ in 0..ROUNDS {
        let point = farthest(points, ball.center);
        if point.distance_squared(ball.center) <= ball.squared * (1.0 + 1e-9) {
            break;
        }
        let Some((grown, by)) = with_point(&support, point) else { break };
        if grown.squared <= ball.squared {
            break;
        }
        (ball, support) = (grown, by);
    }
    ball.center
}

#[derive(Clone, Copy)]
struct Ball {
    center: DVec3,
    squared: f64,
}

fn farthest(points: &[DVec3], from: DVec3) -> DVec3 {
    let mut found = (from, -1.0);
    for &point in points {
        let squared = point.distance_squared(from);
        if squared > found.1 {
            found = (point, squared);
        }
    }
    found.0
}

/// The smallest ball around `support` and a point on its border, with the points that
/// determine it.
fn with_point(support: &[DVec3], point: DVec3) -> Option<(Ball, Vec<DVec3>)> {
    let mut best: Option<(Ball, Vec<DVec3>)> = None;
    for chosen in 1..1_u32 << support.len() {
        if chosen.count_ones() > 3 {
            continue;
        }
        let others = (0..support.len()).filter(|i| chosen >> i & 1 == 1).map(|i| support[i]);
        let by: Vec<DVec3> = others.chain([point]).collect();
        let Some(ball) = through(&by) else { continue };
        let holds = |p: &DVec3| p.distance_squared(ball.center) <= ball.squared * (1.0 + 1e-12);
        let smaller = best.as_ref().is_none_or(|(best, _)| ball.squared < best.squared);
        if smaller && support.iter().all(holds) {
            best = Some((ball, by));
        }
    }
    best
}

/// The smallest ball with two to four points on its border.
fn through(points: &[DVec3]) -> Option<Ball> {
    let origin = *points.last()?;
    let at = |i: usize| points[i] - origin;
    // From the origin, c satisfies 2 c . p = p . p for every point and lies in their span.
    let c = match points.len() {
        2 => 0.5 * at(0),
        3 => {
            let (u, v) = (at(0), at(1));
            let normal = u.cross(v);
            let twice = 2.0 * normal.length_squared();
            (v.length_squared() * u.cross(normal) - u.length_squared() * v.cross(normal)) / -twice
        }
        4 => {
            let (u, v, w) = (at(0), at(1), at(2));
            let twice = 2.0 * u.dot(v.cross(w));
            (u.length_squared() * v.cross(w)
                + v.length_squared() * w.cross(u)
                + w.length_squared() * u.cross(v))
                / twice
        }
        _ => return None,
    };
    c.is_finite().then(|| Ball { center: origin + c, squared: c.length_squared() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn radius(points: &[DVec3], center: DVec3) -> f64 {
        points.iter().map(|p| p.distance(center)).fold(0.0, f64::max)
    }

    #[test]
    fn known_balls() {
        let [o, x, y, z] = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
        assert_eq!(smallest_ball_center(&[]), o);
        assert_eq!(smallest_ball_center(&[x, x, x]), x);
        assert_eq!(smallest_ball_center(&[o, x, 0.5 * x]), 0.5 * x);
        let cube: Vec<_> =
            (0..8).map(|i| [o, x][i & 1] + [o, y][i >> 1 & 1] + [o, z][i >> 2]).collect();
        assert!((smallest_ball_center(&cube) - 0.5).length() < 1e-12);
        let sides =
            [x, DVec3::new(-0.5, 0.75f64.sqrt(), 0.0), DVec3::new(-0.5, -0.75f64.sqrt(), 0.0)];
        assert!(smallest_ball_center(&sides).length() < 1e-12);
    }

    proptest! {
        /// No middle nearby or among the obvious ones gives a smaller ball.
        #[test]
        fn no_ball_is_smaller(
            points in proptest::collection::vec(proptest::array::uniform3(-1.0..1.0f64), 1..60),
            steps in proptest::collection::vec(proptest::array::uniform3(-1.0..1.0f64), 50),
        ) {
            let points: Vec<_> = points.into_iter().map(DVec3::from_array).collect();
            let center = smallest_ball_center(&points);
            let smallest = radius(&points, center);
            for (at, step) in steps.into_iter().enumerate() {
                let other = center + DVec3::from_array(step) * 0.5f64.powi(at as i32 / 3);
                prop_assert!(radius(&points, other) >= smallest * (1.0 - 1e-9));
            }
        }
    }
}
