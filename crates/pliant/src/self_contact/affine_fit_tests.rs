//! The certificate at its limits.

use super::*;
use crate::contact::{edge_edge_impact, triangles_touch, vertex_face_impact};
use crate::self_contact::rest_surface::triangle_gap;
use glam::DQuat;
use proptest::prelude::*;

fn vector() -> impl Strategy<Value = DVec3> {
    prop::array::uniform3(-1.0..1.0f64).prop_map(DVec3::from_array)
}

fn rotation() -> impl Strategy<Value = DMat3> {
    prop::array::uniform4(-1.0..1.0f64)
        .prop_filter("no direction", |q| DQuat::from_array(*q).length() > 0.1)
        .prop_map(|q| DMat3::from_quat(DQuat::from_array(q).normalize()))
}

fn rest_box(points: &[DVec3], center: DVec3) -> RestBox {
    let far = points.iter().map(|p| (*p - center).abs());
    let half = far.fold(DVec3::ZERO, DVec3::max) * (1.0 + 1e-15);
    let radius = points.iter().map(|p| p.distance(center)).fold(0.0, f64::max) * (1.0 + 1e-15);
    RestBox { center, half, radius }
}

impl AffineFit {
    /// Whether a vertex is as near to its place as the residual says, up to the roundings here.
    pub(in crate::self_contact) fn holds(&self, rest: &RestBox, p: DVec3, now: DVec3) -> bool {
        let moved = now - self.image;
        let mapped = self.matrix * (p - rest.center);
        let slack = (moved.length() + self.norm * (p - rest.center).length()) * 1e-15;
        // What is not finite claims nothing.
        !self.matrix.is_finite()
            || !self.residual.is_finite()
            || (moved - mapped).length() <= self.residual + slack
    }

    fn is_clear_of_itself(&self, rest_gap: f64) -> bool {
        rest_gap > self.clearance_in_itself().beyond()
    }

    fn is_clear_of(
        &self,
        rest: &RestBox,
        other: &Self,
        other_rest: &RestBox,
        rest_gap: f64,
    ) -> bool {
        rest_gap > self.clearance(rest, other, other_rest).beyond()
    }

    fn apply(&self, rest: &RestBox, point: DVec3) -> DVec3 {
        self.image + self.matrix * (point - rest.center)
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    /// Two triangles whose nearest points lie in the direction that shrinks most, both pushed
    /// towards one another just as far as the residuals allow, a little less, a little more.
    #[test]
    fn at_the_limit(
        turn in rotation(), stretches in prop::array::uniform3(0.1..3.0f64),
        share in 0.0..1.0f64, gap in 1e-3..1.0f64, shift in vector(), far in 0.0..1e3f64,
        off in prop_oneof![Just(0.0), -1e-9..1e-9f64, -0.1..0.1f64], mirror in any::<bool>(),
    ) {
        let least = stretches.into_iter().fold(f64::INFINITY, f64::min);
        let [_, y, z] = stretches;
        let diagonal = DVec3::new(if mirror { -least } else { least }, y, z);
        let matrix = turn * DMat3::from_diagonal(diagonal);
        // Seen along x, the first ends in an edge and the second begins with a crossing one.
        let a = [DVec3::new(0.0, -1.0, 0.0), DVec3::new(0.0, 1.0, 0.0), DVec3::NEG_X];
        let b = [DVec3::new(gap, 0.0, -1.0), DVec3::new(gap, 0.0, 1.0), DVec3::new(gap + 1.0, 0.0, 0.0)];
        let (rest_a, rest_b) = (rest_box(&a, shift * 0.3), rest_box(&b, DVec3::X));
        let residual = (least * gap * (1.0 + off)).max(0.0);
        let (residual_a, residual_b) = (residual * share, residual * (1.0 - share));
        let image = |rest: &RestBox| shift * far + matrix * rest.center;
        let fit_a = AffineFit::new(matrix, image(&rest_a), residual_a);
        let fit_b = AffineFit::new(matrix, image(&rest_b), residual_b);
        let towards = matrix.x_axis.normalize();
        let (push_a, push_b) = (towards * residual_a, towards * residual_b);
        let now_a = a.map(|p| fit_a.apply(&rest_a, p) + push_a);
        let now_b = b.map(|p| fit_b.apply(&rest_b, p) - push_b);
        let clear = fit_a.is_clear_of(&rest_a, &fit_b, &rest_b, gap);
        prop_assert_eq!(clear, fit_b.is_clear_of(&rest_b, &fit_a, &rest_a, gap));
        prop_assert!(!clear || !triangles_touch(&now_a, &now_b), "{residual} of {}", least * gap);
        // Not too careful either; and what is over the limit is never clear.
        prop_assert!(clear || off > -1e-9 * (1.0 + far));
        prop_assert!(!clear || off < 1e-15);
        let fit = AffineFit::new(matrix, image(&rest_a), residual / 2.0);
        prop_assert!(fit.is_clear_of_itself(gap) == clear || off.abs() < 1e-9 * (1.0 + far));
    }

    /// Two maps: vertices anywhere within the residuals, far ones pushed together.
    #[test]
    fn two_maps(
        a in [vector(), vector(), vector()], b in [vector(), vector(), vector()],
        apart in 0.0..3.0f64, [turn, first, second] in [vector(), vector(), vector()],
        [tilt_a, tilt_b] in [rotation(), rotation()], bend in 0.0..0.5f64,
        residuals in [0.0..0.3f64, 0.0..0.3f64], slips in [vector(), vector()],
    ) {
        let b = b.map(|p| p + DVec3::X * (apart + 1.0));
        let gap = triangle_gap(&a, &b);
        let (rest_a, rest_b) = (rest_box(&a, a[0]), rest_box(&b, DVec3::X));
        let base = DMat3::from_quat(DQuat::from_scaled_axis(turn * 3.0));
        let [matrix_a, matrix_b] = [tilt_a, tilt_b].map(|tilt| base + tilt * (0.3 * bend));
        let image = |rest: &RestBox, slip: DVec3| base * rest.center + slip * (0.3 * bend);
        let fit_a = AffineFit::new(matrix_a, image(&rest_a, slips[0]), residuals[0]);
        let fit_b = AffineFit::new(matrix_b, image(&rest_b, slips[1]), residuals[1]);
        let towards = (fit_b.image - fit_a.image).normalize_or(DVec3::X);
        let near = |p: DVec3, to: DVec3, residual: f64| {
            p + (to * 3.0 + towards * 2.0 * residual.signum()).normalize_or(towards) * (residual.abs() * (1.0 - 1e-12))
        };
        let now_a = a.map(|p| near(fit_a.apply(&rest_a, p), first * 0.3, residuals[0]));
        let now_b = b.map(|p| near(fit_b.apply(&rest_b, p), second * 0.3 - towards, residuals[1]));
        let clear = fit_a.is_clear_of(&rest_a, &fit_b, &rest_b, gap);
        prop_assert!(!(clear && triangles_touch(&now_a, &now_b)));
        // The fit of both together holds, and says so too.
        let both = [a, b].concat();
        let whole = rest_box(&both, DVec3::new(0.4, 0.1, 0.0));
        let pair = [(&rest_a, &fit_a), (&rest_b, &fit_b)];
        let merged = AffineFit::merged(&whole, pair.into_iter());
        for (p, now) in both.iter().zip([now_a, now_b].concat()) {
            let off = now.distance(merged.apply(&whole, *p));
            prop_assert!(off <= merged.residual * (1.0 + 1e-14), "{off} {}", merged.residual);
        }
        prop_assert!(!(merged.is_clear_of_itself(gap) && triangles_touch(&now_a, &now_b)));
    }
}

/// Whether a vertex and a face, or two edges, of two moving triangles touch.
fn touch_in_step([a, b]: [[DVec3; 3]; 2], [c, d]: [[DVec3; 3]; 2]) -> bool {
    const NEXT: [usize; 3] = [1, 2, 0];
    let with = |p: DVec3, [q, r, s]: [DVec3; 3]| [p, q, r, s];
    (0..3).any(|i| {
        vertex_face_impact(with(a[i], c), with(b[i], d)).is_some()
            || vertex_face_impact(with(c[i], a), with(d[i], b)).is_some()
            || (0..3).any(|j| {
                let edges = |p: &[DVec3; 3], q: &[DVec3; 3]| [p[i], p[NEXT[i]], q[j], q[NEXT[j]]];
                edge_edge_impact(edges(&a, &c), edges(&b, &d)).is_some()
            })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    /// Two triangles over a step, each with a map of its own at each end, and vertices anywhere within
    /// the residuals: what is certified does not touch at any time.
    #[test]
    fn over_a_step(
        a in [vector(), vector(), vector()], b in [vector(), vector(), vector()], apart in 0.0..3.0f64,
        turns in [vector(), vector()], turn_by in 0.0..2.0f64, tilts in prop::array::uniform4(rotation()),
        bend in prop_oneof![Just(0.0), 0.0..0.5f64], residuals in prop::array::uniform4(0.0..0.2f64),
        pushes in prop::array::uniform12(vector()), squeeze in 0.2..1.0f64,
    ) {
        let b = b.map(|p| p + DVec3::X * (apart + 0.5));
        let gap = triangle_gap(&a, &b);
        let rests = [rest_box(&a, a[0]), rest_box(&b, DVec3::X)];
        let mut states = Vec::new();
        for (end, turn) in turns.into_iter().enumerate() {
            let turn = DMat3::from_quat(DQuat::from_scaled_axis(turn * turn_by));
            let base = turn * DMat3::from_diagonal(DVec3::new(if end == 0 { 1.0 } else { squeeze }, 1.0, 1.0));
            let fit = |side: usize| {
                let number = 2 * end + side;
                let matrix = base + tilts[number] * (0.3 * bend);
                AffineFit::new(matrix, base * rests[side].center, residuals[number])
            };
            let fits = [fit(0), fit(1)];
            // Towards the other triangle, or anywhere.
            let towards = (fits[1].image - fits[0].image).normalize_or(DVec3::X);
            let now = |side: usize| {
                let corners = if side == 0 { a } else { b };
                let number = 2 * end + side;
                let toward = if side == 0 { towards } else { -towards };
                [0, 1, 2].map(|i| {
                    let push = (toward + pushes[3 * number + i]).normalize_or(toward);
                    fits[side].apply(&rests[side], corners[i]) + push * (residuals[number] * (1.0 - 1e-12))
                })
            };
            states.push((fits, now(0), now(1)));
        }
        let clearance = |(fits, ..): &([AffineFit; 2], _, _)| {
            fits[0].clearance(&rests[0], &fits[1], &rests[1])
        };
        let beyond = clearance(&states[0]).beyond_over_step(&clearance(&states[1]), 0.0);
        let touch = touch_in_step([states[0].1, states[1].1], [states[0].2, states[1].2]);
        prop_assert!(!(gap > beyond && touch), "{gap} {beyond}");
        // A stray only takes away; and a step that stays is as good as a state.
        let strayed = clearance(&states[0]).beyond_over_step(&clearance(&states[1]), 0.1);
        prop_assert!(strayed.partial_cmp(&beyond) != Some(std::cmp::Ordering::Less));
        let still = clearance(&states[0]).beyond_over_step(&clearance(&states[0]), 0.0);
        let state = clearance(&states[0]).beyond();
        prop_assert!(still <= state * (1.0 + 1e-6) || still.is_nan() || still > 1e4);
    }
}

/// Two points that were 1 apart and are at one place now, by maps that fit each of them.
#[test]
fn single_points_at_one_place() {
    let rest = |center| RestBox { center, half: DVec3::ZERO, radius: 0.0 };
    let (a, b) = (rest(DVec3::ZERO), rest(DVec3::X));
    let mirror = DMat3::from_diagonal(DVec3::new(-1.0, 1.0, 1.0));
    for matrix in [DMat3::IDENTITY, mirror] {
        let first = AffineFit::new(DMat3::IDENTITY, DVec3::ZERO, 0.0);
        let second = AffineFit::new(matrix, DVec3::ZERO, 0.0);
        assert!(!first.is_clear_of(&a, &second, &b, 1.0), "{matrix}");
    }
}

#[test]
fn what_is_not_finite_certifies_nothing() {
    let rest = rest_box(&[DVec3::ONE, DVec3::ZERO], DVec3::ZERO);
    let good = AffineFit::new(DMat3::IDENTITY, DVec3::ZERO, 0.0);
    assert!(good.is_clear_of_itself(1.0) && good.is_clear_of(&rest, &good, &rest, 1.0));
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e200, f64::MAX] {
        let matrix = DMat3::from_cols(DVec3::X, DVec3::new(0.0, 1.0, bad), DVec3::Z);
        let fits = [
            AffineFit::new(matrix, DVec3::ZERO, 0.0),
            AffineFit::new(DMat3::IDENTITY, DVec3::new(bad, 0.0, 0.0), 0.0),
            AffineFit::new(DMat3::IDENTITY, DVec3::ZERO, bad.abs()),
        ];
        for (which, fit) in fits.iter().enumerate() {
            assert!(!fit.is_clear_of(&rest, &good, &rest, 1.0), "{bad} {which}");
            assert!(!good.is_clear_of(&rest, fit, &rest, 1.0), "{bad} {which}");
            let merged = AffineFit::merged(&rest, [(&rest, fit), (&rest, &good)].into_iter());
            assert!(!merged.is_clear_of_itself(1.0), "{bad} {which}");
        }
    }
    assert!(!AffineFit::new(DMat3::ZERO, DVec3::ZERO, 0.0).is_clear_of_itself(1e30));
    assert!(!AffineFit::NONE.is_clear_of_itself(f64::INFINITY));
}
