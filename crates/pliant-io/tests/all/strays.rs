//! Vertices stray from straight lines by no more than is said, and sweeps along true paths miss
//! nothing that samples find.

use std::sync::Arc;

use pliant::glam::{DAffine3, DQuat, DVec3, DVec4};
use pliant::query::{Strays, SweepSettings};
use pliant::{Mesh, intersects};
use pliant_io::*;
use proptest::prelude::*;

/// Numbers from a seed, between -1 and 1.
fn numbers(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    move || {
        state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
        f64::from((state >> 33) as u32) / f64::from(1u32 << 30) - 1.0
    }
}

/// A chain of three nodes with a rigid object, a skin with morph targets and one without, and a
/// morphing object, all of whose properties are animated with keys at 0, 1 and 2.
fn scene(seed: u64, interpolation: Interpolation) -> Scene {
    scene_of(seed, interpolation, true)
}

/// The same, without objects that have morph targets if these are not wanted.
fn scene_of(seed: u64, interpolation: Interpolation, morphs: bool) -> Scene {
    let mut number = numbers(seed);
    let mut vector = || DVec3::new(number(), number(), number());
    let node = |parent, translation: DVec3| Node {
        name: None,
        parent,
        transform: NodeTransform::Trs { translation, rotation: DVec4::W, scale: DVec3::ONE },
    };
    let nodes = vec![
        node(None, vector()),
        node(Some(0), vector()),
        node(Some(1), vector()),
        node(None, vector()),
        node(None, vector()),
    ];
    let corners: Vec<DVec3> = (0..6).map(|_| vector()).collect();
    let mesh = Arc::new(Mesh::new(corners, vec![[0, 1, 2], [3, 4, 5]]).unwrap());
    let deltas: Vec<Vec<DVec3>> = (0..2).map(|_| (0..6).map(|_| vector()).collect()).collect();
    let morph = Arc::new(MorphTargets { deltas });
    let mut weights = SkinWeights::default();
    for vertex in 0..6 {
        let share = f64::from(vertex + 1) / 8.0;
        let of = |joint, weight| Influence { joint, weight };
        weights.push(&[of(0, share), of(1, 1.0 - share)]);
    }
    let bind = || {
        DAffine3::from_rotation_translation(DQuat::from_rotation_x(0.7), DVec3::new(0.3, -0.2, 0.9))
    };
    let skin = Skin { joints: vec![1, 2], inverse_bind: vec![bind(), bind()] };
    let weights = Arc::new(weights);
    let plain = Deformation::Skin { skin: 0, weights: weights.clone(), morph: None };
    let skinned = Deformation::Skin { skin: 0, weights, morph: Some(morph.clone()) };
    let mut objects = vec![
        Object::new("rigid", 2, mesh.clone(), Deformation::Rigid),
        Object::new("morph", 1, mesh.clone(), Deformation::Morph(morph)),
        Object::new("skin", 3, mesh.clone(), skinned),
        Object::new("plain skin", 4, mesh, plain),
    ];
    objects.retain(|object| morphs || object.deformation.morph_targets().is_none());
    let (mut samplers, mut channels) = (Vec::new(), Vec::new());
    for node in 0..4 {
        for (property, width) in [
            (Property::Translation, 3),
            (Property::Rotation, 4),
            (Property::Scale, 3),
            (Property::Weights, 2),
        ] {
            if property == Property::Weights && (node == 0 || node == 2 || !morphs) {
                continue;
            }
            let keys = 3 * interpolation.values_per_key();
            let mut values: Vec<f64> = (0..keys * width).map(|_| number()).collect();
            if property == Property::Rotation && interpolation == Interpolation::CubicSpline {
                // Small tangents and neighbouring keys: the spline stays away from 0.
                for (key, value) in values.chunks_mut(width).enumerate() {
                    let is_key = key % 3 == 1;
                    value.iter_mut().for_each(|x| *x *= if is_key { 0.3 } else { 0.2 });
                    value[3] += if is_key { 1.0 } else { 0.0 };
                }
            }
            channels.push(Channel { sampler: samplers.len(), node, property });
            samplers.push(Sampler { interpolation, times: vec![0.0, 1.0, 2.0], values });
        }
    }
    let animations = vec![Animation::new("all", samplers, channels)];
    let parts =
        SceneParts { nodes, objects, skins: vec![skin], animations, ..SceneParts::default() };
    Scene::new(parts).unwrap()
}

fn positions(scene: &Scene, object: usize, time: f64) -> Vec<DVec3> {
    let pose = scene.pose(Some(0), time).unwrap();
    let mut out = Vec::new();
    scene.posed(object, &pose).unwrap().positions(&mut out);
    out
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn no_vertex_strays_farther(
        seed in any::<u64>(), which in 0..3usize, from in 0.0..1.0f64, length in 0.01..1.0f64,
    ) {
        let all = [Interpolation::Linear, Interpolation::Step, Interpolation::CubicSpline];
        let scene = scene(seed, all[which]);
        let span = [from, (from + length).min(1.0)];
        prop_assert!(scene.knots(Some(0), span, true).is_empty());
        prop_assert_eq!(scene.knots(Some(0), [0.5, 2.0], true)[0], 1.0);
        let strays = scene.strays(&scene.rest_reaches(), Some(0), span).unwrap();
        for (object, &stray) in strays.iter().enumerate() {
            let [first, last] = span.map(|time| positions(&scene, object, time));
            let mut farthest: f64 = 0.0;
            for at in 0..=40 {
                let share = f64::from(at) / 40.0;
                let now = positions(&scene, object, span[0] + share * (span[1] - span[0]));
                for ((p, q), now) in first.iter().zip(&last).zip(&now) {
                    farthest = farthest.max((*p * (1.0 - share) + *q * share - *now).length());
                }
            }
            // The chord is rounded here.
            prop_assert!(farthest <= stray + 1e-14, "object {object}: {farthest} of {stray}");
            // Not a bound that says nothing: short spans of arcs stay near.
            let short = [span[0], span[0] + (span[1] - span[0]) / 64.0];
            let near = scene.strays(&scene.rest_reaches(), Some(0), short).unwrap()[object];
            prop_assert!(which == 1 || near <= stray / 64.0 + 1e-9, "{near} of {stray}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// Vertices leave their lines as is said, and where joints turn, in short spans nearly exactly so.
    #[test]
    fn vertices_sag_as_is_said(
        seed in any::<u64>(), from in 0.0..0.99f64, length in 0.001..1.0f64,
    ) {
        let scene = scene(seed, Interpolation::Linear);
        let reaches = scene.rest_reaches();
        let [start, end] = [from, (from + length).min(1.0)];
        let strays = scene.strays(&reaches, Some(0), [start, end]).unwrap();
        let sags = scene.sags(&reaches, Some(0), [start, end]).unwrap();
        // Morph targets are left to `strays`.
        prop_assert_eq!(sags.iter().map(Option::is_some).collect::<Vec<_>>(), [true, false, false, true]);
        for (object, sags) in sags.iter().enumerate() {
            let Some(sags) = sags else { continue };
            let [first, last] = [start, end].map(|time| positions(&scene, object, time));
            let (mut largest, mut error): (f64, f64) = (0.0, 0.0);
            for at in 0..=40 {
                let share = f64::from(at) / 40.0;
                let now = positions(&scene, object, start + share * (end - start));
                for (v, sag) in sags.vertices.iter().enumerate() {
                    let chord = first[v] * (1.0 - share) + last[v] * share;
                    let off = now[v] - chord - sag.midway * (4.0 * share * (1.0 - share));
                    // The chord is rounded here.
                    prop_assert!(off.length() <= sag.error + 1e-14, "{object} {v} {off} {sag:?}");
                    largest = largest.max((now[v] - chord).length());
                    error = error.max(sag.error);
                }
            }
            prop_assert!(largest <= sags.largest() + 1e-14 && largest <= sags.in_part(1.0) + 1e-14);
            // Not a bound that says nothing.
            prop_assert!(length > 0.01 || error <= 0.1 * strays[object] + 1e-10, "{error}");
            let halves = start + 0.5 * (end - start);
            let middle = positions(&scene, object, halves);
            for part in [0.25, 0.75].map(|share| (share, start + share * (end - start))) {
                let (share, time) = part;
                let now = positions(&scene, object, time);
                for v in 0..now.len() {
                    let (p, q) = if share < 0.5 { (first[v], middle[v]) } else { (middle[v], last[v]) };
                    let off = (now[v] - p.midpoint(q)).length();
                    prop_assert!(off <= sags.in_part(0.5) + 1e-14, "{off}");
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// The same where a key, at which everything turns its way, is near an end of the span.
    #[test]
    fn vertices_sag_as_is_said_past_a_key(
        seed in any::<u64>(), length in 0.01..0.9f64, short in 1e-6..2e-2f64, first in any::<bool>(),
    ) {
        let scene = scene_of(seed, Interpolation::Linear, false);
        let reaches = scene.rest_reaches();
        let (before, after) = if first { (short * length, length) } else { (length, short * length) };
        let [start, key, end] = [1.0 - before, 1.0, 1.0 + after];
        let sags = scene.sags_past_key(&reaches, Some(0), [start, key, end]).unwrap().unwrap();
        for (object, sags) in sags.iter().enumerate() {
            let sags = sags.as_ref().unwrap();
            let at = |share: f64| positions(&scene, object, start + share * (end - start));
            let mut shares: Vec<f64> = (0..=40).map(|at| f64::from(at) / 40.0).collect();
            shares.push(before / (before + after));
            let [first, last] = [0.0, 1.0].map(at);
            for &share in &shares {
                for ((v, sag), now) in sags.vertices.iter().enumerate().zip(at(share)) {
                    let chord = first[v] * (1.0 - share) + last[v] * share;
                    let off = now - chord - sag.midway * (4.0 * share * (1.0 - share));
                    prop_assert!(off.length() <= sag.error + 1e-14, "{object} {v} {off} {sag:?}");
                }
            }
            for parts in [1usize, 2, 5] {
                let part = 1.0 / parts as f64;
                for number in 0..parts {
                    let ends = [number, number + 1].map(|end| end as f64 * part);
                    let [first, last] = ends.map(at);
                    for &share in &shares {
                        let now = at(ends[0] + share * part);
                        for v in 0..now.len() {
                            let off = now[v] - first[v] * (1.0 - share) - last[v] * share;
                            prop_assert!(off.length() <= sags.in_part(part) + 1e-14, "{off}");
                        }
                    }
                }
            }
        }
        // Not a bound that says nothing: with the key almost at the end it matters little.
        let near = scene.sags_past_key(&reaches, Some(0), [1.0 - length, 1.0, 1.0 + 1e-9]);
        let alone = scene.sags(&reaches, Some(0), [1.0 - length, 1.0]).unwrap();
        for (near, alone) in near.unwrap().unwrap().iter().zip(&alone) {
            let (near, alone) = (near.as_ref().unwrap(), alone.as_ref().unwrap());
            prop_assert!(near.largest() <= alone.largest() + 1e-6);
        }
    }
}

/// A blade makes a half turn between two frames. Its chords pass beside a peg that its path hits.
#[test]
fn a_spinning_blade_hits_what_its_chords_miss() {
    let blade =
        vec![DVec3::new(0.8, 0.0, -0.1), DVec3::new(1.0, 0.0, -0.1), DVec3::new(0.9, 0.0, 0.2)];
    let peg =
        vec![DVec3::new(-0.1, 0.9, -0.05), DVec3::new(0.1, 0.9, -0.05), DVec3::new(0.0, 0.9, 0.1)];
    let mesh = |corners| Mesh::new(corners, vec![[0, 1, 2]]).unwrap();
    let node = Node { name: None, parent: None, transform: NodeTransform::IDENTITY };
    let turn = Sampler {
        interpolation: Interpolation::Linear,
        times: vec![0.0, 1.0],
        values: vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0],
    };
    let channel = Channel { sampler: 0, node: 0, property: Property::Rotation };
    let scene = Scene::new(SceneParts {
        nodes: vec![node.clone(), node],
        objects: vec![
            Object::new("blade", 0, mesh(blade), Deformation::Rigid),
            Object::new("peg", 1, mesh(peg), Deformation::Rigid),
        ],
        animations: vec![Animation::new("spin", vec![turn], vec![channel])],
        ..SceneParts::default()
    })
    .unwrap();
    let reaches = scene.rest_reaches();
    let mut start = SceneBodies::new(scene.clone()).unwrap();
    let mut end = start.clone();
    let mut sweep = |from: f64, to: f64, strays: &[f64]| {
        start.set_time(from).unwrap();
        end.set_time(to).unwrap();
        let strays: Vec<_> =
            strays.iter().map(|&stray| Strays::everywhere(stray).unwrap()).collect();
        start.world().sweep(end.world(), &strays, &SweepSettings::default()).unwrap().bodies
    };
    assert!(sweep(0.0, 1.0, &[]).is_empty());
    // In parts that stray by little it is found, at the time at which samples find it, or before.
    let mut first = None;
    for part in 0..32 {
        let [from, to] = [part, part + 1].map(|at| f64::from(at) / 32.0);
        let strays = scene.strays(&reaches, Some(0), [from, to]).unwrap();
        assert!(strays[0] < 0.01 && strays[1] == 0.0, "{strays:?}");
        let found = sweep(from, to, &strays);
        let time = found.first().and_then(|pair| pair.swept.first());
        first = first.or(time.map(|time| from + time.lo * (to - from)));
    }
    let mut bodies = SceneBodies::new(scene).unwrap();
    let sampled = (0..=1000).map(|at| f64::from(at) / 1000.0).find(|&time| {
        bodies.set_time(time).unwrap();
        let [a, b] = [0, 1].map(|at| bodies.world().get(bodies.ids()[at]).unwrap());
        intersects(a, b).pair.is_some()
    });
    let (first, sampled) = (first.unwrap(), sampled.unwrap());
    assert!(first <= sampled && sampled - first < 0.05, "{first} {sampled}");
}
