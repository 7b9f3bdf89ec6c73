//! Sweeps of motions that turn: a spinning blade and a closing fist, along paths that stray from
//! their chords. Nothing is missed that samples find, and times are never late.

use pliant::deform::{Binding, Blending, Influence, SkinWeights};
use pliant::glam::{DAffine3, DQuat, DVec3};
use pliant::query::{Adjacency, brute_force};
use pliant::{Body, Isometry, Mesh, Step, self_intersections, self_sweep, sweep};
use pliant_scenes::{cuboid, grid};

use crate::support::mapped;

/// How far a point at a distance from an axis is from its chord where it turns by an angle, and a
/// little more for roundings.
fn sagitta(distance: f64, angle: f64) -> f64 {
    distance * (1.0 - (0.5 * angle).cos()) + 1e-12
}

/// A blade of length 1 turns by 120 degrees past a peg that neither end touches.
#[test]
fn a_spinning_blade_meets_a_peg() {
    let blade = mapped(&grid(4, 2, 1.0, 0.2).unwrap(), |p| DVec3::new(p.x + 0.5, 0.0, p.z));
    let (radius, at, size) = (0.9, 1.0, 0.02);
    let peg = cuboid(DVec3::splat(size), [1, 1, 1]).unwrap();
    let mut still = Body::rigid(peg).unwrap();
    let turn = DQuat::from_rotation_z(at);
    still.set_isometry(Isometry::new(turn, turn * DVec3::X * radius).unwrap());
    let whole = 2.0 * std::f64::consts::FRAC_PI_3;
    let posed = |angle: f64| {
        let mut body = Body::rigid(blade.clone()).unwrap();
        body.set_isometry(Isometry::new(DQuat::from_rotation_z(angle), DVec3::ZERO).unwrap());
        body
    };
    let touches = |angle: f64| !pliant::intersections(&posed(angle), &still).pairs.is_empty();
    assert!(!touches(0.0) && !touches(whole));
    // Straight lines from end to end pass far inside of the peg.
    let (first, last) = (posed(0.0), posed(whole));
    assert!(sweep(&Step::new(&first, &last).unwrap(), &Step::still(&still)).is_empty());
    let sampled = (0..=1000).map(f64::from).find(|i| touches(whole * i / 1000.0)).unwrap() / 1000.0;
    let mut found = Vec::new();
    for parts in [4, 16, 64] {
        let angle = whole / f64::from(parts);
        let times = (0..parts).find_map(|part| {
            let ends = [part, part + 1].map(|i| posed(angle * f64::from(i)));
            let step = Step::new(&ends[0], &ends[1]).unwrap();
            let step = step.straying(sagitta(1.01, angle)).unwrap();
            let swept = sweep(&step, &Step::still(&still));
            let truth = brute_force::sweep(&step, &Step::still(&still));
            assert_eq!((&swept.contacts, &swept.pierced), (&truth.contacts, &truth.pierced));
            swept.first().map(|time| (f64::from(part) + time.lo) / f64::from(parts))
        });
        found.push(times.unwrap());
    }
    // Never late, and nearer to the truth the shorter the parts are.
    assert!(found.iter().all(|&time| time <= sampled), "{found:?} {sampled}");
    assert!(found.is_sorted() && sampled - found[2] < 0.01, "{found:?} {sampled}");
}

/// A finger of three phalanges and a palm, as one mesh: a strip that is curled by its joints.
struct Fist {
    mesh: Mesh,
    binding: Binding,
}

/// Where the joints are along the strip, which begins at 0.
const JOINTS: [f64; 3] = [1.0, 1.6, 2.2];

impl Fist {
    fn new() -> Self {
        let mesh = mapped(&grid(40, 4, 2.8, 0.3).unwrap(), |p| p + DVec3::X * 1.4);
        let mut weights = SkinWeights::default();
        for p in mesh.positions() {
            // Around a joint the weights change over a tenth of the length.
            let beyond = JOINTS.map(|joint| ((p.x - joint) / 0.2 + 0.5).clamp(0.0, 1.0));
            let [a, b, c] = beyond;
            let shares = [1.0 - a, a - b, b - c, c];
            let influences: Vec<Influence> =
                (0..).zip(shares).map(|(joint, weight)| Influence { joint, weight }).collect();
            weights.push(&influences);
        }
        Self { mesh, binding: Binding::new(weights, 4).unwrap() }
    }

    /// The joints when each is bent by an angle.
    fn pose(angle: f64) -> [DAffine3; 4] {
        let mut map = DAffine3::IDENTITY;
        let mut all = [map; 4];
        for (joint, to) in JOINTS.iter().zip(&mut all[1..]) {
            let about = DAffine3::from_translation(DVec3::X * *joint);
            map = map * about * DAffine3::from_rotation_z(angle) * about.inverse();
            *to = map;
        }
        all
    }

    fn posed(&self, angle: f64) -> pliant::SkinnedBody {
        let (mesh, binding) = (self.mesh.clone(), self.binding.clone());
        let mut body = Body::skinned(mesh, binding, Blending::Linear).unwrap();
        body.set_pose(&Self::pose(angle), &[]).unwrap();
        body
    }
}

/// A fist closes so fast that the tip is past the palm in the next frame.
#[test]
fn a_closing_fist_meets_its_palm() {
    let fist = Fist::new();
    let touches = |angle: f64| !self_intersections(&fist.posed(angle)).pairs.is_empty();
    let (open, closed) = (0.8, 2.2);
    assert!(!touches(open));
    let angle_at = |share: f64| open + (closed - open) * share;
    let sampled = (0..=1000).map(|i| f64::from(i) / 1000.0).find(|&share| touches(angle_at(share)));
    let sampled = sampled.unwrap();
    let mut found = Vec::new();
    for parts in [32, 96] {
        let turn = (closed - open) / f64::from(parts);
        // A vertex is at most 1.8 from each of the joints that turn it, and its path bends by the sum
        // of what three of them do: |x''| <= (3 turn)² 1.8, of which an eighth is the stray.
        let stray = (3.0 * turn).powi(2) * 1.8 / 8.0 + 1e-12;
        let first = (0..parts).find_map(|part| {
            let ends =
                [part, part + 1].map(|i| fist.posed(angle_at(f64::from(i) / f64::from(parts))));
            let step = Step::new(&ends[0], &ends[1]).unwrap();
            let exact = self_sweep(&step, Adjacency::ByPlace);
            let truth = brute_force::self_sweep(&step, Adjacency::ByPlace);
            assert_eq!((&exact.contacts, &exact.pierced), (&truth.contacts, &truth.pierced));
            // What touches along chords touches within the stray of them.
            let straying = step.straying(stray).unwrap();
            let near = self_sweep(&straying, Adjacency::ByPlace);
            let known = |one: &pliant::Impact| {
                near.contacts.iter().any(|n| n.features == one.features && n.time.lo <= one.time.hi)
            };
            assert!(exact.contacts.iter().all(known));
            near.first().map(|time| (f64::from(part) + time.lo) / f64::from(parts))
        });
        found.push(first.unwrap());
    }
    assert!(found.iter().all(|&time| time <= sampled), "{found:?} {sampled}");
    assert!(found.is_sorted() && sampled - found[1] < 0.05, "{found:?} {sampled}");
}
