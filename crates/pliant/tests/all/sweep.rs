//! Sweeps find what brute force finds, for every kind of body against every other and with itself,
//! and what the truth of recorded simulations says.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::support::{data_file, joined, mapped};
use pliant::deform::{Binding, Blending, Influence, Keyframes, Modes, SkinWeights};
use pliant::glam::{DAffine3, DQuat, DVec3};
use pliant::query::{Adjacency, Certainty, Farther, Features, Impacts, Sag, Strays, SweepSettings};
use pliant::query::{brute_force, self_sweep_up_to, sweep_up_to};
use pliant::{AnyBody, Body, Error, Isometry, Mesh, PreparedSelfSweep, Step, Swept, World, world};
use pliant::{first_impact, first_self_impact, intersects, self_sweep, sweep};
use pliant_scenes::{Random, curtain_and_ball, icosphere};
use proptest::collection::vec;
use proptest::prelude::*;

/// Two states of one body.
type Ends = [AnyBody; 2];

/// The kinds of bodies.
const KINDS: [&str; 6] = ["rigid", "affine", "free", "reduced", "skinned", "keyframed"];

/// A body of a kind in two states that random numbers choose, on a lattice for most of them, so that
/// much meets at ends, in corners and in planes.
fn ends(kind: &str, mesh: &Mesh, numbers: &[f64; 8]) -> Ends {
    let vector = |at: usize| DVec3::new(numbers[at], numbers[at + 1], numbers[at + 2]);
    let [first, last] = [vector(0), vector(3)];
    let turned = DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2 * numbers[6]);
    let moved = |shift: DVec3, turn: DQuat| mapped(mesh, |p| turn * p + shift).positions().to_vec();
    let both =
        |set: &dyn Fn(DVec3, DQuat) -> AnyBody| [set(first, DQuat::IDENTITY), set(last, turned)];
    match kind {
        "rigid" => both(&|shift, turn| {
            let mut body = Body::rigid(mesh.clone()).unwrap();
            body.set_isometry(Isometry::new(turn, shift).unwrap());
            body.into()
        }),
        "affine" => both(&|shift, turn| {
            let mut body = Body::affine(mesh.clone()).unwrap();
            let scale = DVec3::new(1.0, 1.0, 0.5);
            body.set_map(DAffine3::from_scale_rotation_translation(scale, turn, shift)).unwrap();
            body.into()
        }),
        "free" => both(&|shift, turn| {
            let mut body = Body::free(mesh.clone()).unwrap();
            body.set_positions(&moved(shift, turn)).unwrap();
            body.into()
        }),
        "reduced" => {
            let vertices = mesh.positions().len();
            let modes: Vec<Vec<DVec3>> = (0..3)
                .map(|axis| {
                    (0..vertices).map(|v| DVec3::AXES[axis] * f64::from(1 + v as i32 % 2)).collect()
                })
                .collect();
            let modes = Arc::new(Modes::from_fields(vertices, &modes).unwrap());
            both(&|shift, _| {
                let mut body = Body::reduced(mesh.clone(), modes.clone()).unwrap();
                body.set_coordinates(&shift.to_array()).unwrap();
                body.into()
            })
        }
        "skinned" => {
            let mut weights = SkinWeights::default();
            for vertex in 0..mesh.positions().len() {
                let share = [1.0, 0.5, 0.25][vertex % 3];
                let of = |joint, weight| Influence { joint, weight };
                weights.push(&[of(0, share), of(1, 1.0 - share)]);
            }
            let binding = Binding::new(weights, 2).unwrap();
            both(&|shift, turn| {
                let mut body =
                    Body::skinned(mesh.clone(), binding.clone(), Blending::Linear).unwrap();
                let joint = DAffine3::from_rotation_translation(turn, shift);
                body.set_pose(&[joint, DAffine3::from_translation(shift)], &[]).unwrap();
                body.into()
            })
        }
        _ => {
            let frames = vec![moved(first, DQuat::IDENTITY), moved(last, turned)];
            let start =
                Body::keyframed(mesh.clone(), Keyframes::new(vec![0.0, 2.0], frames).unwrap());
            let start = start.unwrap();
            let mut end = start.clone();
            end.advance(if numbers[7] > 0.0 { 2.0 } else { 1.25 }).unwrap();
            [start.into(), end.into()]
        }
    }
}

fn step(ends: &Ends) -> Step<'_, AnyBody> {
    Step::of_any(&ends[0], &ends[1]).unwrap()
}

/// Positions on a small lattice, and triangles that share vertices, repeat them, and are segments
/// and points too.
fn small_mesh() -> impl Strategy<Value = Mesh> {
    let coordinate = || prop_oneof![3 => (-2..=2i32).prop_map(f64::from), 1 => -2.0..2.0f64];
    vec([coordinate(), coordinate(), coordinate()], 2..8).prop_flat_map(|positions| {
        let corner = 0..positions.len() as u32;
        let positions: Vec<_> =
            positions.into_iter().map(|p| DVec3::from_array(p) + DVec3::ZERO).collect();
        vec([corner.clone(), corner.clone(), corner], 1..7)
            .prop_map(move |triangles| Mesh::new(positions.clone(), triangles).unwrap())
    })
}

fn numbers() -> impl Strategy<Value = [f64; 8]> {
    let number = prop_oneof![3 => (-3..=3i32).prop_map(f64::from), 1 => -3.0..3.0f64];
    proptest::array::uniform8(number)
}

/// What was found, without how.
fn answer(swept: &Swept) -> (Vec<pliant::Impact>, Vec<[u32; 2]>) {
    (swept.contacts.clone(), swept.pierced.clone())
}

#[track_caller]
fn check_first(first: &Swept, all: &Swept) {
    assert_eq!(first.first(), all.first());
    match all.pierced.is_empty() {
        true => assert_eq!(first.contacts.first(), all.first_impact()),
        false => assert!(all.pierced.contains(&first.pierced[0]) && first.contacts.is_empty()),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// Every kind against every kind, as bodies, as steps of any body, and in a world.
    #[test]
    fn every_pair_of_kinds_as_brute_force(
        a in small_mesh(), b in small_mesh(), of_a in numbers(), of_b in numbers(),
    ) {
        for one in KINDS {
            let first = ends(one, &a, &of_a);
            for other in KINDS {
                let second = ends(other, &b, &of_b);
                let (p, q) = (step(&first), step(&second));
                let truth = brute_force::sweep(&p, &q);
                prop_assert_eq!(answer(&sweep(&p, &q)), answer(&truth), "{} {}", one, other);
                check_first(&first_impact(&p, &q), &truth);
                let mut start = World::new();
                start.insert(first[0].clone()).unwrap();
                start.insert(second[0].clone()).unwrap();
                let ids: Vec<_> = start.iter().map(|(id, _)| id).collect();
                let mut end = start.clone();
                *end.get_mut(ids[0]).unwrap() = first[1].clone();
                *end.get_mut(ids[1]).unwrap() = second[1].clone();
                let settings = SweepSettings::default();
                let found = start.sweep(&end, &[], &settings).unwrap();
                prop_assert_eq!(found.bodies.len(), usize::from(!truth.is_empty()));
                if let Some(pair) = found.bodies.first() {
                    prop_assert_eq!(answer(&pair.swept), answer(&truth));
                }
            }
        }
    }

    /// Every kind with itself.
    #[test]
    fn every_kind_with_itself_as_brute_force(mesh in small_mesh(), of in numbers()) {
        // The same vertices twice: seams.
        let seams = joined(&mesh, &mesh);
        for (kind, mesh) in KINDS.iter().flat_map(|&kind| [(kind, &mesh), (kind, &seams)]) {
            let both = ends(kind, mesh, &of);
            for adjacency in [Adjacency::ByPlace, Adjacency::ByIndex] {
                let own = step(&both);
                let truth = brute_force::self_sweep(&own, adjacency);
                let found = self_sweep(&own, adjacency);
                prop_assert_eq!(answer(&found), answer(&truth), "{} {:?}", kind, adjacency);
                check_first(&first_self_impact(&own, adjacency), &truth);
                let prepared = PreparedSelfSweep::of_any(&both[0], adjacency);
                let found = prepared.self_sweep(&own).unwrap();
                prop_assert_eq!(answer(&found), answer(&truth), "{} {:?}", kind, adjacency);
                let straying = own.straying(0.1).unwrap();
                let truth = brute_force::self_sweep(&straying, adjacency);
                let found = prepared.self_sweep(&straying).unwrap();
                prop_assert_eq!(answer(&found), answer(&truth), "{} {:?}", kind, adjacency);
            }
        }
    }

    /// A step and its halves: the same features touch, in the half in which their time lies. Times
    /// of halves are those of the whole, and no touch appears that the whole does not have.
    #[test]
    fn halves_of_a_step_have_its_contacts(
        a in small_mesh(), b in small_mesh(), starts in vec(-2..=2i32, 48), ways in vec(-4..=4i32, 48),
    ) {
        let at = |mesh: &Mesh, from: usize, share: f64| -> AnyBody {
            let place = |v: usize| {
                let number = |k: usize| {
                    let at = (from + 3 * v + k) % 48;
                    // Even ways: halves of them are exact.
                    f64::from(starts[at]) + 2.0 * f64::from(ways[at]) * share
                };
                DVec3::new(number(0), number(1), number(2))
            };
            let mut body = Body::free(mesh.clone()).unwrap();
            body.set_positions(&(0..mesh.positions().len()).map(place).collect::<Vec<_>>()).unwrap();
            body.into()
        };
        let states = [0.0, 0.5, 1.0].map(|share| (at(&a, 0, share), at(&b, 24, share)));
        let between = |i: usize, j: usize| {
            let one = Step::of_any(&states[i].0, &states[j].0).unwrap();
            sweep(&one, &Step::of_any(&states[i].1, &states[j].1).unwrap())
        };
        let (whole, halves) = (between(0, 2), [between(0, 1), between(1, 2)]);
        let features = |swept: &Swept| -> BTreeSet<Features> {
            swept.contacts.iter().map(|impact| impact.features).collect()
        };
        let both: BTreeSet<_> = features(&halves[0]).union(&features(&halves[1])).copied().collect();
        prop_assert_eq!(features(&whole), both);
        for impact in &whole.contacts {
            let half = usize::from(!features(&halves[0]).contains(&impact.features));
            let own = halves[half].contacts.iter().find(|own| own.features == impact.features);
            let time = own.unwrap().time;
            let in_whole = |time: f64| 0.5 * (time + half as f64);
            // Both contain the truth.
            prop_assert!(in_whole(time.lo) <= impact.time.hi && impact.time.lo <= in_whole(time.hi));
        }
    }

    /// Ranges near the ends of `f64`: products overflow, boxes are infinite.
    #[test]
    fn overflow_ranges_as_brute_force(
        a in small_mesh(), b in small_mesh(), of_a in numbers(), of_b in numbers(),
        exponent in prop_oneof![Just(1000), Just(-1040), -1040..1000i32],
    ) {
        let unit = 2f64.powi(exponent / 2) * 2f64.powi(exponent - exponent / 2);
        let scaled = |ends: Ends| ends.map(|body| -> AnyBody {
            let vertices = body.mesh().positions().len() as u32;
            let positions: Vec<_> =
                (0..vertices).map(|v| body.position(v).unwrap() * unit).collect();
            let mut free = Body::free(body.mesh().clone()).unwrap();
            free.set_positions(&positions).unwrap();
            free.into()
        });
        let (first, second) = (scaled(ends("free", &a, &of_a)), scaled(ends("free", &b, &of_b)));
        let (p, q) = (step(&first), step(&second));
        prop_assert_eq!(answer(&sweep(&p, &q)), answer(&brute_force::sweep(&p, &q)));
        let truth = brute_force::self_sweep(&p, Adjacency::ByIndex);
        prop_assert_eq!(answer(&self_sweep(&p, Adjacency::ByIndex)), answer(&truth));
        let prepared = PreparedSelfSweep::of_any(&first[0], Adjacency::ByIndex);
        prop_assert_eq!(answer(&prepared.self_sweep(&p).unwrap()), answer(&truth));
    }

    /// Where paths stray from chords nothing is missed that touches on any path within the stray.
    #[test]
    fn strays_are_as_brute_force_and_miss_nothing(
        a in small_mesh(), b in small_mesh(), of_a in numbers(), of_b in numbers(),
        stray in 0.01..0.5f64,
    ) {
        let (first, second) = (ends("free", &a, &of_a), ends("free", &b, &of_b));
        let (p, q) = (step(&first), step(&second));
        let certain = sweep(&p, &q);
        let (p, q) = (p.straying(stray).unwrap(), q.straying(0.0).unwrap());
        let found = sweep(&p, &q);
        prop_assert_eq!(answer(&found), answer(&brute_force::sweep(&p, &q)));
        for impact in &certain.contacts {
            let known = found.contacts.iter().find(|one| one.features == impact.features);
            let known = known.expect("what touches on chords is near");
            prop_assert!(known.time.lo <= impact.time.hi && impact.time.lo <= known.time.hi);
            prop_assert!(matches!(known.certainty, Certainty::Within(d) if d >= stray));
        }
    }

    /// Each vertex by itself: still ones are certain, and the others are near. The same in batches, and of a
    /// body with itself, prepared or not.
    #[test]
    fn strays_of_vertices_are_as_brute_force(
        a in small_mesh(), b in small_mesh(), of_a in numbers(), of_b in numbers(),
        strays in vec(0.0..0.3f64, 64),
    ) {
        let (first, second) = (ends("free", &a, &of_a), ends("skinned", &b, &of_b));
        let each = |body: &AnyBody, skip: usize| {
            let vertices = body.mesh().positions().len();
            let strays = (0..vertices).map(|v| strays[(v + skip) % 64]);
            Strays::of_vertices(body, strays.map(|s| (s - 0.1).max(0.0)).collect()).unwrap()
        };
        let (of_first, of_second) = (each(&first[0], 0), each(&second[0], 7));
        let p = step(&first).straying_by(&of_first).unwrap();
        let q = step(&second).straying_by(&of_second).unwrap();
        let found = as_brute_force(&p, &q)?;
        let own = brute_force::self_sweep(&q, Adjacency::ByIndex);
        prop_assert_eq!(answer(&self_sweep(&q, Adjacency::ByIndex)), answer(&own));
        let stray_of = |impact: &pliant::Impact| match impact.features {
            Features::VertexFace { vertex, face } => p.stray_of(vertex)
                + b.triangles()[face as usize].iter().map(|&v| q.stray_of(v)).fold(0.0, f64::max),
            Features::FaceVertex { face, vertex } => q.stray_of(vertex)
                + a.triangles()[face as usize].iter().map(|&v| p.stray_of(v)).fold(0.0, f64::max),
            Features::EdgeEdge { first: [i, j], second: [k, l] } => {
                p.stray_of(i).max(p.stray_of(j)) + q.stray_of(k).max(q.stray_of(l))
            }
        };
        for impact in &found.contacts {
            match impact.certainty {
                Certainty::Certain => prop_assert_eq!(stray_of(impact), 0.0),
                Certainty::Within(distance) => {
                    prop_assert!(stray_of(impact) > 0.0 && distance >= stray_of(impact));
                }
            }
        }
        for impact in &sweep(&step(&first), &step(&second)).contacts {
            let known = found.contacts.iter().find(|one| one.features == impact.features);
            prop_assert!(known.is_some_and(|known| known.time.lo <= impact.time.hi));
        }
    }

    /// Where it is known how vertices leave their chords, nothing is missed that touches on the curves, and
    /// what leaves them together does not stray.
    #[test]
    fn sags_are_as_brute_force_and_miss_nothing(
        a in small_mesh(), b in small_mesh(), of_a in numbers(), of_b in numbers(),
        number in vec(-0.6..0.6f64, 64), error in 0.0..0.05f64,
    ) {
        let (first, second) = (ends("free", &a, &of_a), ends("skinned", &b, &of_b));
        let sags = |body: &AnyBody, skip: usize| -> Vec<Sag> {
            let count = body.mesh().positions().len();
            (0..count).map(|v| Sag { midway: midway(&number, v + skip), error }).collect()
        };
        let (of_first, of_second) = (sags(&first[0], 0), sags(&second[0], 7));
        let strays = |body: &AnyBody, sags: &[Sag]| Strays::of_sags(body, sags.to_vec()).unwrap();
        let (strays_p, strays_q) = (strays(&first[0], &of_first), strays(&second[0], &of_second));
        let p = step(&first).straying_by(&strays_p).unwrap();
        let q = step(&second).straying_by(&strays_q).unwrap();
        let found = as_brute_force(&p, &q)?;
        let at = |ends: &Ends, sags: &[Sag], time: f64| {
            let vertices = 0..sags.len() as u32;
            let positions: Vec<DVec3> = vertices.map(|v| {
                let chord = ends[0].position(v).unwrap().lerp(ends[1].position(v).unwrap(), time);
                chord + sags[v as usize].midway * (4.0 * time * (1.0 - time))
            }).collect();
            let mut body = Body::free(ends[0].mesh().clone()).unwrap();
            body.set_positions(&positions).unwrap();
            body
        };
        for sample in 0..=24 {
            let time = f64::from(sample) / 24.0;
            let (one, two) = (at(&first, &of_first, time), at(&second, &of_second, time));
            if intersects(&one, &two).pair.is_some() {
                let known = found.first();
                prop_assert!(known.is_some_and(|known| known.lo <= time), "{time} {known:?}");
            }
        }
        // All together: as if nothing strayed but by the errors.
        let together = |body: &AnyBody| {
            let sag = Sag { midway: midway(&number, 0), error: 0.0 };
            Strays::of_sags(body, vec![sag; body.mesh().positions().len()]).unwrap()
        };
        let (strays_p, strays_q) = (together(&first[0]), together(&second[0]));
        let p = step(&first).straying_by(&strays_p).unwrap();
        let q = step(&second).straying_by(&strays_q).unwrap();
        let certain = sweep(&step(&first), &step(&second));
        prop_assert_eq!(answer(&sweep(&p, &q)), answer(&certain));
    }

    /// A step and its parts share the pairs of features: how far both stray from one another decides where
    /// they are looked at.
    #[test]
    fn what_is_due_is_what_brute_force_looks_at(
        a in small_mesh(), b in small_mesh(), of_a in numbers(), of_b in numbers(),
        now in vec(-0.2..0.2f64, 64), past in vec(-0.3..0.3f64, 64), within in 0.05..0.6f64,
    ) {
        let (first, second) = (ends("free", &a, &of_a), ends("skinned", &b, &of_b));
        let sag = |numbers: &[f64], v: usize| {
            Sag { midway: midway(numbers, v), error: numbers[(v + 31) % 64].max(0.0) }
        };
        let each = |body: &AnyBody, skip: usize, numbers: &[f64]| {
            let count = body.mesh().positions().len();
            Strays::of_sags(body, (0..count).map(|v| sag(numbers, v + skip)).collect()).unwrap()
        };
        for farther in [Farther::InParts, Farther::Here] {
            let both = |body: &AnyBody, skip: usize| {
                let (own, before) = (each(body, skip, &now), each(body, skip, &past));
                own.due(body, within, farther, Some(&before)).unwrap()
            };
            let (of_first, of_second) = (both(&first[0], 0), both(&second[0], 7));
            let p = step(&first).straying_by(&of_first).unwrap();
            let q = step(&second).straying_by(&of_second).unwrap();
            let found = as_brute_force(&p, &q)?;
            // Of everything that is found without, what is due.
            let (all_p, all_q) = (each(&first[0], 0, &now), each(&second[0], 7, &now));
            let all_p = step(&first).straying_by(&all_p).unwrap();
            let all_q = step(&second).straying_by(&all_q).unwrap();
            let stray = |numbers: &[f64], [p, q]: [&[u32]; 2]| {
                let [p, q] = [(p, 0), (q, 7)].map(|(vertices, skip)| {
                    vertices.iter().map(|&v| sag(numbers, v as usize + skip)).collect::<Vec<_>>()
                });
                let error = |sags: &[Sag]| sags.iter().map(|sag| sag.error).fold(0.0, f64::max);
                let far = p.iter().flat_map(|p| q.iter().map(|q| (p.midway - q.midway).length()));
                far.fold(0.0, f64::max) + error(&p) + error(&q)
            };
            let is_due = |impact: &pliant::Impact| {
                let is_due = |features: [&[u32]; 2]| {
                    let is_now = farther == Farther::Here || stray(&now, features) <= within;
                    is_now && stray(&past, features) > within
                };
                match &impact.features {
                    Features::VertexFace { vertex, face } => {
                        is_due([&[*vertex], &b.triangles()[*face as usize]])
                    }
                    Features::FaceVertex { face, vertex } => {
                        is_due([&a.triangles()[*face as usize], &[*vertex]])
                    }
                    Features::EdgeEdge { first, second } => is_due([first, second]),
                }
            };
            let mut all = sweep(&all_p, &all_q).contacts;
            all.retain(is_due);
            prop_assert_eq!(all, found.contacts);
        }
    }
}

/// What a sweep finds, which is what brute force does; also for the first body with itself, prepared or not.
fn as_brute_force(p: &Step<AnyBody>, q: &Step<AnyBody>) -> Result<Swept, TestCaseError> {
    let found = sweep(p, q);
    prop_assert_eq!(answer(&found), answer(&brute_force::sweep(p, q)));
    let own = brute_force::self_sweep(p, Adjacency::ByPlace);
    prop_assert_eq!(answer(&self_sweep(p, Adjacency::ByPlace)), answer(&own));
    let prepared = PreparedSelfSweep::of_any(p.start(), Adjacency::ByPlace);
    prop_assert_eq!(answer(&prepared.self_sweep(p).unwrap()), answer(&own));
    Ok(found)
}

/// Some vector of a vertex.
fn midway(numbers: &[f64], vertex: usize) -> DVec3 {
    let at = |i: usize| numbers[(3 * vertex + i) % numbers.len()];
    DVec3::new(at(0), at(1), at(2))
}

/// A square plate of two triangles, across z.
fn plate(size: f64) -> Mesh {
    let corner = |x: f64, y: f64| DVec3::new(x, y, 0.0) * size;
    let corners = vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
    Mesh::new(corners, vec![[0, 1, 2], [0, 2, 3]]).unwrap()
}

/// A body moved by translations.
fn moved(mesh: &Mesh, from: DVec3, to: DVec3) -> Ends {
    [from, to].map(|shift| {
        let mut body = Body::rigid(mesh.clone()).unwrap();
        body.set_isometry(Isometry::from_translation(shift).unwrap());
        body.into()
    })
}

#[test]
fn a_plate_does_not_tunnel() {
    let (still, fast) = (moved(&plate(1.0), DVec3::ZERO, DVec3::ZERO), plate(0.25));
    for (from, to, first) in [(1.0, -3.0, Some(0.25)), (4.0, -4.0, Some(0.5)), (3.0, 1.0, None)] {
        let through = moved(&fast, DVec3::new(0.3, 0.2, from), DVec3::new(0.3, 0.2, to));
        let (p, q) = (step(&through), step(&still));
        let swept = sweep(&p, &q);
        assert_eq!(swept.first().map(|time| [time.lo, time.hi]), first.map(|t| [t; 2]));
        assert!(swept.pierced.is_empty());
        assert_eq!(swept.contacts.iter().filter(|i| i.certainty != Certainty::Certain).count(), 0);
    }
}

#[test]
fn what_is_pierced_at_the_start_and_stays_so_is_told() {
    let upright = mapped(&plate(0.5), |p| DVec3::new(p.x, 0.0, p.y));
    let both = moved(&upright, DVec3::new(0.1, 0.2, 0.0), DVec3::new(0.12, 0.2, 0.0));
    let still = moved(&mapped(&plate(1.0), |p| p * 4.0), DVec3::ZERO, DVec3::ZERO);
    let swept = sweep(&step(&both), &step(&still));
    assert!(!swept.pierced.is_empty());
    assert_eq!(swept.first().map(|time| time.hi), Some(0.0));
    let truth = brute_force::sweep(&step(&both), &step(&still));
    assert_eq!(answer(&swept), answer(&truth));
}

/// A body that turns back at a keyframe within the step: its ends are at one place, and a step past
/// the knot would see nothing. Divided at knots it is found.
#[test]
fn steps_are_divided_at_knots() {
    let frames =
        [2.0, -1.0, 2.0].map(|z| mapped(&plate(0.25), |p| p + DVec3::Z * z).positions().to_vec());
    let keyframes = Keyframes::new(vec![0.0, 0.5, 1.0], frames.to_vec()).unwrap();
    let mut start = Body::keyframed(plate(0.25), keyframes).unwrap();
    let still = Body::rigid(plate(1.0)).unwrap();
    let mut end = start.clone();
    end.advance(1.0).unwrap();
    assert!(sweep(&Step::new(&start, &end).unwrap(), &Step::still(&still)).is_empty());
    let mut times = Vec::new();
    while start.time() < 1.0 {
        let until = start.next_knot(start.time()).min(1.0);
        let mut end = start.clone();
        end.advance(until).unwrap();
        let found = sweep(&Step::new(&start, &end).unwrap(), &Step::still(&still));
        let within = |share: f64| start.time() + share * (until - start.time());
        times.extend(found.first().map(|time| within(time.lo)));
        start = end;
    }
    assert_eq!(times.len(), 2);
    assert!(
        (times[0] - 1.0 / 3.0).abs() < 1e-12 && (times[1] - 2.0 / 3.0).abs() < 1e-12,
        "{times:?}"
    );
}

/// Cloth that is folded through itself between two frames.
#[test]
fn a_folding_cloth_meets_itself() {
    let side = 12;
    let flat = pliant_scenes::grid(side, side, 1.0, 1.0).unwrap();
    let fold = |angle: f64| {
        mapped(&flat, |p| {
            let beyond = p.x.max(0.0);
            let (sin, cos) = angle.sin_cos();
            DVec3::new(p.x.min(0.0) + beyond * cos, beyond * sin + 0.01 * p.x, p.z)
        })
    };
    let at = |angle: f64| -> AnyBody {
        let mut body = Body::free(flat.clone()).unwrap();
        body.set_positions(fold(angle).positions()).unwrap();
        body.into()
    };
    // From a little above the other half to a little below it.
    let both = [at(2.9), at(3.4)];
    let own = step(&both);
    let found = self_sweep(&own, Adjacency::ByPlace);
    assert!(!found.contacts.is_empty());
    assert_eq!(answer(&found), answer(&brute_force::self_sweep(&own, Adjacency::ByPlace)));
}

#[test]
fn bits_and_work_do_not_depend_on_threads() {
    let scene = curtain_and_ball(0, 3).unwrap();
    let at = |frame: usize| -> AnyBody {
        let mut body = Body::free(scene.curtain.mesh.clone()).unwrap();
        body.set_positions(&scene.curtain.positions(frame).unwrap()).unwrap();
        body.into()
    };
    let both = [at(40), at(60)];
    let run = || {
        let own = step(&both);
        (self_sweep(&own, Adjacency::ByPlace), first_self_impact(&own, Adjacency::ByPlace))
    };
    let expected = run();
    assert!(expected.0.work.overlap_tests > 100_000, "{:?}", expected.0.work);
    for threads in [1, 2, 3, 8] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert!(pool.install(run) == expected, "{threads} threads");
    }
}

#[test]
fn limits_and_wrong_steps_are_refused() {
    let still = moved(&plate(1.0), DVec3::ZERO, DVec3::ZERO);
    let through = moved(&plate(0.25), DVec3::Z, -DVec3::Z);
    let (p, q) = (step(&through), step(&still));
    let all = sweep(&p, &q);
    let count = all.contacts.len() + all.pierced.len();
    assert!(count > 3);
    assert_eq!(sweep_up_to(&p, &q, count).unwrap(), all);
    let refused = Err(Error::TooManyPairs { limit: count - 1 });
    assert_eq!(sweep_up_to(&p, &q, count - 1), refused);
    assert_eq!(brute_force::sweep_up_to(&p, &q, count - 1), refused);
    assert!(self_sweep_up_to(&p, Adjacency::ByIndex, 0).unwrap().is_empty());
    let other = moved(&icosphere(1).unwrap(), DVec3::ZERO, DVec3::ZERO);
    let wrong = Step::of_any(&still[0], &other[0]).map(|_| ());
    assert_eq!(wrong, Err(Error::PreparedForAnother { what: "mesh" }));
    let free: AnyBody = Body::free(plate(1.0)).unwrap().into();
    let wrong = Step::of_any(&still[0], &free).map(|_| ());
    assert_eq!(wrong, Err(Error::PreparedForAnother { what: "kind of body" }));
    for stray in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(p.straying(stray).is_err() && Strays::everywhere(stray).is_err());
        assert!(Strays::of_vertices(&still[0], vec![0.0, 0.0, stray, 0.0]).is_err());
    }
    let few = Strays::of_vertices(&still[0], vec![0.0; 3]);
    let what = "strays of vertices";
    assert_eq!(few, Err(Error::CountMismatch { what, expected: 4, given: 3 }));
    let of_another = Strays::of_vertices(&other[0], vec![0.0; other[0].mesh().positions().len()]);
    let refused = p.straying_by(&of_another.unwrap()).map(|_| ());
    assert_eq!(refused, Err(Error::PreparedForAnother { what: "mesh" }));
}

/// A world of many bodies, all and first, with a filter.
#[test]
fn worlds_as_brute_force() {
    let mut random = Random::new(7);
    let mut number = || random.between(-3.0, 3.0);
    let (mut start, mut pairs) = (World::new(), Vec::new());
    for kind in KINDS.iter().cycle().take(12) {
        let numbers = [0; 8].map(|_| number());
        let both = ends(kind, &mapped(&icosphere(0).unwrap(), |p| p * 0.7), &numbers);
        let id = start.insert(both[0].clone()).unwrap();
        start.set_self_contact(id, true).unwrap();
        pairs.push((id, both));
    }
    start.set_ignored(pairs[0].0, pairs[3].0, true).unwrap();
    let mut end = start.clone();
    for (id, [_, last]) in &pairs {
        *end.get_mut(*id).unwrap() = last.clone();
    }
    for impacts in [Impacts::All, Impacts::First] {
        let settings = SweepSettings { impacts, ..SweepSettings::default() };
        let found = start.sweep(&end, &[], &settings).unwrap();
        let truth = world::brute_force::sweep(&start, &end, &[], &settings).unwrap();
        assert!(found.bodies.len() > 4);
        assert_eq!(found.bodies.len(), truth.bodies.len());
        for (one, other) in found.bodies.iter().zip(&truth.bodies) {
            assert_eq!(one.bodies, other.bodies);
            assert!(one.bodies != [pairs[0].0, pairs[3].0]);
            match impacts {
                Impacts::All => assert_eq!(answer(&one.swept), answer(&other.swept)),
                Impacts::First => assert_eq!(one.swept.first(), other.swept.first()),
            }
        }
        for threads in [1, 2] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            assert!(pool.install(|| start.sweep(&end, &[], &settings).unwrap()) == found);
        }
    }
    end.remove(pairs[5].0).unwrap();
    let refused = start.sweep(&end, &[], &SweepSettings::default());
    assert_eq!(refused.map(|_| ()), Err(Error::NoSuchBody { id: pairs[5].0 }));
}

/// The frame pairs of recorded simulations: the found set is the truth set (../shared/data/ccd).
#[test]
fn recorded_simulations_have_their_true_contacts() {
    let sets = [
        ("cloth-funnel", "227.ply", "228.ply", "227"),
        ("rod-twist", "3036.ply", "3037.ply", "3036"),
        ("cloth-ball", "cloth_ball92.ply", "cloth_ball93.ply", "92"),
    ];
    for (name, first, last, number) in sets {
        let folder = format!("ccd/scalable-ccd/{name}");
        let Some((_, first)) = data_file(&format!("{folder}/frames/{first}")) else { return };
        let Some((_, last)) = data_file(&format!("{folder}/frames/{last}")) else { return };
        let positions = [first, last].map(|file| {
            let scene = pliant_io::load(&file).unwrap();
            scene.objects()[0].mesh.clone()
        });
        let [start, end] = [0, 1].map(|at| {
            let mut body = Body::free((*positions[0]).clone()).unwrap();
            body.set_positions(positions[at].positions()).unwrap();
            body
        });
        let mesh = start.mesh();
        // igl::edges: ascending by (larger, smaller).
        let sides = mesh.triangles().iter().flat_map(|&[p, q, r]| [[p, q], [q, r], [r, p]]);
        let edges: BTreeSet<_> = sides.map(|[p, q]| [p.max(q), p.min(q)]).collect();
        let edges: Vec<_> = edges.into_iter().map(|[high, low]| [low, high]).collect();
        let (vertices, count) = (mesh.positions().len() as u32, edges.len() as u32);
        let list = |kind: &str| {
            let read = |file: String| {
                String::from_utf8(data_file(&format!("{folder}/{file}")).unwrap().0).unwrap()
            };
            let ids: Vec<u32> = read(format!("boxes/{number}{kind}.json"))
                .split(|c: char| !c.is_ascii_digit())
                .filter_map(|digits| digits.parse().ok())
                .collect();
            let pairs: Vec<[u32; 2]> = ids.chunks(2).map(|pair| [pair[0], pair[1]]).collect();
            let hits: Vec<bool> = read(format!("mma_bool/{number}{kind}_mma_bool.json"))
                .split(|c: char| !c.is_ascii_alphabetic())
                .filter_map(|word| word.parse().ok())
                .collect();
            assert_eq!(pairs.len(), hits.len());
            let hits = pairs.into_iter().zip(hits).filter(|&(_, hit)| hit);
            hits.map(|(pair, _)| pair).collect::<Vec<_>>()
        };
        let mut truth: BTreeSet<Features> = BTreeSet::new();
        for [vertex, face] in list("vf") {
            truth.insert(Features::VertexFace { vertex, face: face - vertices - count });
        }
        for pair in list("ee") {
            let [p, q] = pair.map(|id| edges[(id - vertices) as usize]);
            truth.insert(Features::EdgeEdge { first: p.min(q), second: p.max(q) });
        }
        let swept = self_sweep(&Step::new(&start, &end).unwrap(), Adjacency::ByIndex);
        let found: BTreeSet<_> = swept.contacts.iter().map(|impact| impact.features).collect();
        let (missed, extra) = (truth.difference(&found).count(), found.difference(&truth).count());
        eprintln!(
            "{name}: {} found, {missed} missed, {extra} extra, {:?}",
            found.len(),
            swept.work
        );
        assert_eq!((missed, extra), (0, 0), "{name}");
        assert_eq!(found.len(), swept.contacts.len());
    }
}
