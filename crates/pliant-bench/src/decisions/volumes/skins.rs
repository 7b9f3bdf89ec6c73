//! Whether 18-DOPs of linear skins, from joints, would pay.
//!
//! The interval of a skin along a direction n is that of n . p with p the sum of weights times joint maps.
//! So the boxes of a skin whose joint maps are followed by a matrix L are intervals along the rows of L:
//! three bodies, two of them with such a matrix, have the nine intervals of an 18-DOP at every node, as
//! tight as boxes from joints are.

use anyhow::{Result, ensure};
use glam::{DAffine3, DMat3, DVec3};
use pliant::bound::RefitPolicy;
use pliant::deform::{Binding, Blending, Influence, SkinWeights};
use pliant::tree::Tree;
use pliant::volume::{Aabb, Overlap, Ray, RayEntry, Volume};
use pliant::{Body, Collide, SkinnedBody, Work, intersections};
use pliant_scenes::{Character, TwoCharacters, two_creatures, two_men_passing};

use crate::measure::thread_seconds;
use crate::table::{Table, count, figure, ratio_to};

/// The diagonals of a cube's faces, in two sets of three that span space.
const DIAGONALS: [[[f64; 3]; 3]; 2] = [
    [[1.0, 1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 0.0, 1.0]],
    [[1.0, 0.0, -1.0], [0.0, 1.0, 1.0], [0.0, 1.0, -1.0]],
];

pub(super) fn table(quick: bool) -> Result<Table> {
    let columns = [
        "scene",
        "state",
        "volume",
        "bounds",
        "volume tests",
        "triangle tests",
        "pairs",
        "frame µs",
        "against boxes",
    ];
    let title = "Volumes of linear skins from joints: work and time per frame, one thread";
    let mut table = Table::new(title, &columns).with_keys(3);
    let (creatures, men) = (two_creatures()?, two_men_passing()?);
    let third = creatures.frames.len() / 3;
    let touching = men.frames.len() / 2;
    let scenes = [
        ("two creatures", "deep", &creatures, third),
        ("two creatures", "apart", &creatures, 0),
        ("two men", "passing", &men, touching),
    ];
    for (name, state, scene, from) in scenes {
        eprintln!("volumes: skins, {name}, {state} ...");
        let frames: Vec<_> = scene.frames.iter().skip(from).step_by(2).take(6).collect();
        let boxes = measure(scene, &frames, quick, |body: &mut SkinnedBody, pose| {
            body.set_pose(pose, &[])
        })?;
        let dops = measure(scene, &frames, quick, SkinDops::set_pose)?;
        ensure!(boxes.pairs == dops.pairs, "{name}: other pairs");
        for (volume, row) in [("boxes", &boxes), ("18-DOPs", &dops)] {
            let per_frame = |n: u64| count(n / frames.len() as u64);
            table.row([
                name.into(),
                state.into(),
                volume.into(),
                per_frame(row.work.bounds),
                per_frame(row.work.overlap_tests),
                per_frame(row.work.primitive_tests),
                per_frame(row.pairs),
                figure(row.time * 1e6 / frames.len() as f64, 1, "µs"),
                ratio_to(boxes.time / row.time, 2),
            ]);
        }
    }
    table.note("bounds from joints, on demand; an 18-DOP has three times the intervals of a box, computed as three boxes");
    Ok(table)
}

struct Measured {
    pairs: u64,
    work: Work,
    time: f64,
}

/// What the queries of all frames do, and what frames take: the pose and its query.
fn measure<B: FromSkin>(
    scene: &TwoCharacters,
    frames: &[&[Vec<DAffine3>; 2]],
    quick: bool,
    set: impl Fn(&mut B, &[DAffine3]) -> pliant::Result<()>,
) -> Result<Measured>
where
    B::Volume: Overlap<B::Volume>,
{
    let make = || B::from_skin(&skin(&scene.character)?);
    let (mut a, mut b) = (make()?, make()?);
    let mut all = Measured { pairs: 0, work: Work::default(), time: 0.0 };
    for [first, second] in frames {
        let mut best = f64::INFINITY;
        for round in 0..if quick { 2 } else { 20 } {
            let start = thread_seconds();
            set(&mut a, first)?;
            set(&mut b, second)?;
            let found = intersections(&a, &b);
            best = best.min(thread_seconds() - start);
            if round == 0 {
                all.pairs += found.pairs.len() as u64;
                all.work += found.work;
            }
        }
        all.time += best;
    }
    Ok(all)
}

fn skin(character: &Character) -> Result<SkinnedBody> {
    let mut weights = SkinWeights::default();
    for vertex in 0..character.mesh.positions().len() {
        let own = character.influences_of(vertex).iter();
        let own: Vec<_> = own.map(|i| Influence { joint: i.joint, weight: i.weight }).collect();
        weights.push(&own);
    }
    let binding = Binding::new(weights, character.joints.len())?;
    let mut body = Body::skinned(character.mesh.clone(), binding, Blending::Linear)?;
    body.set_policy(RefitPolicy::OnDemand);
    Ok(body)
}

/// What is made of a skin.
trait FromSkin: Collide + Sized {
    fn from_skin(skin: &SkinnedBody) -> Result<Self>;
}

impl FromSkin for SkinnedBody {
    fn from_skin(skin: &SkinnedBody) -> Result<Self> {
        Ok(skin.clone())
    }
}

/// A skin bounded along the axes, and along two sets of diagonals.
struct SkinDops([SkinnedBody; 3]);

impl SkinDops {
    fn set_pose(&mut self, pose: &[DAffine3]) -> pliant::Result<()> {
        let [axes, others @ ..] = &mut self.0;
        axes.set_pose(pose, &[])?;
        for (body, rows) in others.iter_mut().zip(DIAGONALS) {
            let [x, y, z] = rows.map(DVec3::from_array);
            let turn = DAffine3::from_mat3(DMat3::from_cols(x, y, z).transpose());
            let turned: Vec<DAffine3> = pose.iter().map(|joint| turn * *joint).collect();
            body.set_pose(&turned, &[])?;
        }
        Ok(())
    }
}

impl FromSkin for SkinDops {
    fn from_skin(skin: &SkinnedBody) -> Result<Self> {
        Ok(Self([skin.clone(), skin.clone(), skin.clone()]))
    }
}

/// Three boxes: intervals along nine directions.
#[derive(Clone, Copy)]
struct SkinDop([Aabb; 3]);

impl Collide for SkinDops {
    type Volume = SkinDop;

    fn tree(&self) -> &Tree {
        self.0[0].tree()
    }

    fn bound(&self, node: u32) -> SkinDop {
        SkinDop([0, 1, 2].map(|which| self.0[which].bound(node)))
    }

    fn triangle(&self, triangle: u32) -> [DVec3; 3] {
        self.0[0].triangle(triangle)
    }

    fn adjacent(&self, first: u32, second: u32) -> bool {
        self.0[0].adjacent(first, second)
    }
}

impl Overlap<Self> for SkinDop {
    fn overlaps(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).all(|(a, b)| a.overlaps(b))
    }
}

impl Overlap<Aabb> for SkinDop {
    fn overlaps(&self, other: &Aabb) -> bool {
        self.0[0].overlaps(other)
    }
}

impl RayEntry for SkinDop {
    fn ray_entry(&self, ray: &Ray, until: f64) -> Option<f64> {
        self.0[0].ray_entry(ray, until)
    }
}

impl Volume for SkinDop {
    fn corners(&self) -> [DVec3; 2] {
        self.0[0].corners()
    }
}
