//! Bounds of reduced bodies contain their vertices in every state that can be set.

use std::sync::Arc;

use crate::support::enclosed::{Exact, check};
use crate::support::{all_settings, settings};
use pliant::bound::{Anchored, BoundedDeformation, SphereCenter};
use pliant::deform::{Modes, Reduced};
use pliant::glam::{DAffine3, DMat3, DQuat, DVec3};
use pliant::tree::BuildSettings;
use pliant::volume::{Aabb, Sphere};
use pliant::{Body, Collide, Error, Mesh, ReducedBody, Result};
use pliant_scenes::{Random, chair, curtain, icosphere};
use proptest::collection::vec;
use proptest::prelude::*;

/// One reduced body with bounds of every kind.
struct Kinds {
    boxes: ReducedBody,
    /// In the form for volumes of any kind.
    plain_boxes: Body<Reduced, BoundedDeformation<Aabb>>,
    mean: Body<Reduced, BoundedDeformation<Sphere>>,
    smallest: Body<Reduced, BoundedDeformation<Sphere>>,
    proxies: Body<Reduced, BoundedDeformation<Sphere>>,
    /// Anchored at rest only.
    anchored: Body<Reduced, Anchored>,
    /// Anchored again in every second state.
    anchored_anew: Body<Reduced, Anchored>,
    states: usize,
}

impl Kinds {
    fn new(mesh: &Mesh, modes: &Arc<Modes>, settings: &BuildSettings) -> Self {
        let spheres = |center| {
            Body::reduced_spheres(mesh.clone(), Arc::clone(modes), center, settings).unwrap()
        };
        let anchored = |center| {
            Body::reduced_anchored(mesh.clone(), Arc::clone(modes), center, settings).unwrap()
        };
        Self {
            boxes: Body::reduced_with(mesh.clone(), Arc::clone(modes), settings).unwrap(),
            plain_boxes: Body::reduced_bounded(mesh.clone(), Arc::clone(modes), settings).unwrap(),
            mean: spheres(SphereCenter::Mean),
            smallest: spheres(SphereCenter::SmallestBall),
            proxies: spheres(SphereCenter::SmallestBall).with_proxies(3),
            anchored: anchored(SphereCenter::SmallestBall),
            anchored_anew: anchored(SphereCenter::Mean),
            states: 0,
        }
    }

    /// All bodies accept a state, or all refuse it.
    fn set(&mut self, q: &[f64], frame: DAffine3) -> Result<()> {
        self.boxes.set_state(q, frame)?;
        self.plain_boxes.set_state(q, frame)?;
        self.mean.set_state(q, frame)?;
        self.smallest.set_state(q, frame)?;
        self.proxies.set_state(q, frame)?;
        self.anchored.set_state(q, frame)?;
        self.anchored_anew.set_state(q, frame)?;
        if self.states.is_multiple_of(2) {
            self.anchored_anew.anchor();
        }
        self.states += 1;
        Ok(())
    }

    #[track_caller]
    fn check(&self) {
        check("boxes", &self.boxes);
        check("boxes as volumes of any kind", &self.plain_boxes);
        check("spheres around means", &self.mean);
        check("spheres around smallest balls", &self.smallest);
        check("spheres around proxies", &self.proxies);
        check("anchored at rest", &self.anchored);
        check("anchored anew", &self.anchored_anew);
    }
}

/// A number of any size from 10^`least` to 10^`most`, or zero.
fn of_size(least: i32, most: i32) -> BoxedStrategy<f64> {
    prop_oneof![
        1 => Just(0.0),
        9 => (-1.0..1.0f64, least..=most).prop_map(|(x, exponent)| x * 10f64.powi(exponent)),
    ]
    .boxed()
}

fn point(coordinate: BoxedStrategy<f64>) -> impl Strategy<Value = DVec3> {
    [coordinate.clone(), coordinate.clone(), coordinate].prop_map(DVec3::from_array)
}

/// Vectors of one magnitude, of many magnitudes, or far from zero and close together.
fn field(count: usize, most: i32) -> BoxedStrategy<Vec<DVec3>> {
    let unit = || vec(point((-1.0..1.0f64).boxed()), count);
    prop_oneof![
        unit(),
        (unit(), -30..=most).prop_map(|(v, e)| v.into_iter().map(|v| v * 10f64.powi(e)).collect()),
        (unit(), point(of_size(-30, most)), -12..=0i32).prop_map(|(v, far, e)| {
            let size = far.abs().max_element() * 10f64.powi(e);
            v.into_iter().map(|v| far + v * size).collect()
        }),
        vec(point(of_size(-44, most)), count),
    ]
    .boxed()
}

fn frame() -> BoxedStrategy<DAffine3> {
    let entries = prop_oneof![
        proptest::array::uniform9(-2.0..2.0f64),
        proptest::array::uniform9(of_size(-30, 30)),
    ];
    let any = (entries, point(of_size(-40, 40)));
    prop_oneof![
        2 => Just(DAffine3::IDENTITY),
        2 => (proptest::array::uniform3(-3.0..3.0f64), point(of_size(-3, 3))).prop_map(|(turn, to)| {
            let turn = DQuat::from_scaled_axis(DVec3::from_array(turn));
            DAffine3::from_rotation_translation(turn, to)
        }),
        2 => any.prop_map(|(entries, translation)| DAffine3 {
            matrix3: DMat3::from_cols_array(&entries),
            translation,
        }),
    ]
    .boxed()
}

#[derive(Debug)]
struct Case {
    mesh: Mesh,
    modes: Modes,
    states: Vec<(Vec<f64>, DAffine3)>,
}

fn case() -> impl Strategy<Value = Case> {
    (1..=24usize, 0..=7usize).prop_flat_map(|(vertices, modes)| {
        let corner = 0..vertices as u32;
        let triangles = vec([corner.clone(), corner.clone(), corner], 1..40);
        let coordinate = prop_oneof![of_size(-2, 2), of_size(-50, 40)].boxed();
        let q = prop_oneof![
            vec(coordinate, modes),
            // One mode alone.
            (0..modes.max(1), of_size(-6, 6)).prop_map(move |(one, q)| {
                (0..modes).map(|mode| if mode == one { q } else { 0.0 }).collect()
            }),
        ];
        let states = vec((q, frame()), 1..4);
        (triangles, field(vertices, 40), vec(field(vertices, 37), modes), states).prop_map(
            move |(triangles, rest, fields, states)| Case {
                mesh: Mesh::new(rest, triangles).unwrap(),
                modes: Modes::from_fields(vertices, &fields).unwrap(),
                states,
            },
        )
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn bounds_hold_in_any_state(case in case(), settings in settings()) {
        let mut kinds = Kinds::new(&case.mesh, &Arc::new(case.modes), &settings);
        kinds.check();
        for (q, frame) in &case.states {
            if kinds.set(q, *frame).is_ok() {
                kinds.check();
            }
        }
    }
}

fn modes_of(mesh: &Mesh, fields: &[Vec<DVec3>]) -> Arc<Modes> {
    Arc::new(Modes::from_fields(mesh.positions().len(), fields).unwrap())
}

/// Smooth modes, alone and together, with coordinates up to a million times their range.
#[test]
fn bounds_hold_while_a_curtain_blows() {
    let curtain = curtain(0).unwrap();
    let modes = modes_of(&curtain.mesh, &curtain.modes);
    let mut kinds = Kinds::new(&curtain.mesh, &modes, &BuildSettings::default());
    let mut random = Random::new(5);
    for (number, frame) in [0, 40, 109].into_iter().enumerate() {
        let mut q = curtain.coordinates[frame].to_vec();
        kinds.set(&q, DAffine3::IDENTITY).unwrap();
        kinds.check();
        q.iter_mut().for_each(|q| *q *= 1e6);
        let turn = DAffine3::from_rotation_translation(random.rotation(), random.in_cube() * 9.0);
        kinds.set(&q, turn).unwrap();
        kinds.check();
        let mut alone = vec![0.0; q.len()];
        alone[5 * number] = 1.5;
        kinds.set(&alone, turn * DAffine3::from_scale(DVec3::new(1.0, -20.0, 1e-3))).unwrap();
        kinds.check();
    }
}

/// Many modes of noise, on trees of every shape.
#[test]
fn bounds_hold_for_noise() {
    let mesh = icosphere(3).unwrap();
    let mut random = Random::new(17);
    let fields: Vec<Vec<DVec3>> =
        (0..33).map(|_| mesh.positions().iter().map(|_| random.in_cube()).collect()).collect();
    let modes = modes_of(&mesh, &fields);
    for settings in all_settings() {
        let mut kinds = Kinds::new(&mesh, &modes, &settings);
        for size in [1.0, 1e-30, 1e15] {
            let q: Vec<f64> = (0..33).map(|_| random.in_cube().x * size).collect();
            kinds.set(&q, DAffine3::from_rotation_y(0.3)).unwrap();
            kinds.check();
        }
    }
}

/// With an error, bounds contain every vertex moved by as much in any direction.
#[test]
fn bounds_hold_what_is_off_by_the_error() {
    let mesh = chair().unwrap();
    let sway = mesh.positions().iter().map(|p| DVec3::X * p.y * p.y).collect();
    let modes = modes_of(&mesh, &[sway]);
    let settings = BuildSettings::default();
    let boxes = Body::reduced_with(mesh.clone(), Arc::clone(&modes), &settings).unwrap();
    let mut boxes = boxes.with_error(0.01).unwrap();
    let spheres = Body::reduced_spheres(mesh, modes, SphereCenter::Mean, &settings).unwrap();
    let mut spheres = spheres.with_error(0.01).unwrap();
    let frame = DAffine3::from_scale(DVec3::new(1.0, 3.0, 1.0)) * DAffine3::from_rotation_x(0.7);
    boxes.set_state(&[0.3], frame).unwrap();
    spheres.set_state(&[0.3], frame).unwrap();
    fn check_off(body: &impl Collide<Volume: Exact>, frame: DAffine3) {
        let mut random = Random::new(3);
        let runs = pliant::tree::primitive_runs(body.tree());
        for (node, run) in (0..).zip(runs) {
            let bound = body.bound(node);
            let triangle = body.tree().primitives[run.start as usize];
            for corner in body.triangle(triangle) {
                let off = random.in_cube().normalize_or(DVec3::X) * (0.01 * (1.0 - 1e-9));
                assert!(bound.holds(corner + frame.transform_vector3(off)));
            }
        }
    }
    check_off(&boxes, frame);
    check_off(&spheres, frame);
    for error in [f64::NAN, f64::INFINITY, -1e-9] {
        let refused = boxes.clone().with_error(error);
        assert!(matches!(refused, Err(Error::InvalidAllowance { .. })));
    }
}

#[test]
fn states_that_are_no_states_are_refused_and_change_nothing() {
    let mesh = icosphere(1).unwrap();
    let modes = modes_of(&mesh, &[mesh.positions().to_vec(), mesh.positions().to_vec()]);
    let wrong = Body::reduced(icosphere(2).unwrap(), Arc::clone(&modes));
    assert!(matches!(wrong, Err(Error::CountMismatch { .. })));
    let mut body = Body::reduced(mesh, modes).unwrap();
    body.set_state(&[0.5, 0.25], DAffine3::from_rotation_z(1.0)).unwrap();
    let before: Vec<_> = (0..12).map(|v| body.position(v)).collect();
    for (mode, value) in [(0, f64::NAN), (1, f64::INFINITY), (1, f64::NEG_INFINITY)] {
        let mut q = [0.0; 2];
        q[mode] = value;
        let error = body.set_coordinates(&q).unwrap_err();
        assert!(matches!(error, Error::NonFiniteCoordinate { mode: m, .. } if m == mode));
    }
    assert!(matches!(body.set_coordinates(&[1.0]), Err(Error::CountMismatch { .. })));
    assert!(matches!(body.set_coordinates(&[1e305, 0.0]), Err(Error::OutOfRange { .. })));
    let mut frame = DAffine3::IDENTITY;
    frame.matrix3.y_axis.z = f64::NAN;
    assert!(matches!(body.set_frame(frame), Err(Error::InvalidVector { .. })));
    assert!(body.set_frame(DAffine3::from_scale(DVec3::splat(1e305))).is_err());
    assert_eq!(before, (0..12).map(|v| body.position(v)).collect::<Vec<_>>());
    // Far outside the range of f32: bounds are infinite and miss nothing.
    body.set_coordinates(&[1e60, 0.0]).unwrap();
    check("boxes", &body);
}
