//! Two skins that meet, frame by frame: every way to find what touches.

use std::hint::black_box;

use anyhow::{Result, ensure};
use glam::{DAffine3, DVec3};
use pliant::bound::SphereForm;
use pliant::deform::{Binding, Blending, SkinWeights, blend_linear};
use pliant::tree::BuildSettings;
use pliant::volume::Overlap;
use pliant::{Body, Collide, Mesh, SkinnedBody, intersections, intersects};
use pliant_scenes::{Character, TwoCharacters};

use crate::measure::clock;
use crate::table::{Cell, Table, count, percent, ratio, seconds};

/// Repetitions of a frame that is too short for the clock.
const REPEAT: usize = 64;
/// Repetitions of any frame: on a busy machine the best one counts.
const TRIES: usize = 3;

/// Two skins and their poses.
pub(crate) struct Duel {
    pub(crate) meshes: [Mesh; 2],
    pub(crate) weights: [SkinWeights; 2],
    /// For each frame the joints of both.
    pub(crate) frames: Vec<[Vec<DAffine3>; 2]>,
}

impl Duel {
    pub(crate) fn new(scene: &TwoCharacters, step: usize) -> Self {
        let (mesh, weights) = (&scene.character.mesh, weights_of(&scene.character));
        Self {
            meshes: [mesh.clone(), mesh.clone()],
            weights: [weights.clone(), weights],
            frames: scene.frames.iter().step_by(step).cloned().collect(),
        }
    }

    pub(crate) fn binding(&self, which: usize) -> Result<Binding> {
        let joints = self.frames.first().map_or(0, |frame| frame[which].len());
        Ok(Binding::new(self.weights[which].clone(), joints)?)
    }

    pub(crate) fn skinned(&self, blending: Blending) -> Result<[SkinnedBody; 2]> {
        let make = |which: usize| -> Result<SkinnedBody> {
            Ok(Body::skinned(self.meshes[which].clone(), self.binding(which)?, blending)?)
        };
        Ok([make(0)?, make(1)?])
    }
}

/// The influences of a character as the library wants them.
pub(crate) fn weights_of(character: &Character) -> SkinWeights {
    let influences = character.influences.iter();
    let influences = influences
        .map(|own| pliant::deform::Influence { joint: own.joint, weight: own.weight })
        .collect();
    SkinWeights { starts: character.starts.clone(), influences }
}

/// One way to find what touches.
trait Contestant {
    fn set(&mut self, frame: usize) -> Result<()>;
    fn all(&self) -> Vec<[u32; 2]>;
    fn any(&self) -> bool;
    /// The part of all nodes that were bounded since the frame was set; `None` for all.
    fn refitted(&self) -> Option<f64>;
}

/// Bounds from joints.
struct OnDemand<'a, B> {
    duel: &'a Duel,
    bodies: [B; 2],
    pose: fn(&mut B, &[DAffine3]) -> pliant::Result<()>,
    refitted: fn(&B) -> usize,
}

impl<B: Collide> Contestant for OnDemand<'_, B>
where
    B::Volume: Overlap<B::Volume>,
{
    fn set(&mut self, frame: usize) -> Result<()> {
        for (body, joints) in self.bodies.iter_mut().zip(&self.duel.frames[frame]) {
            (self.pose)(body, joints)?;
        }
        Ok(())
    }

    fn all(&self) -> Vec<[u32; 2]> {
        intersections(&self.bodies[0], &self.bodies[1]).pairs
    }

    fn any(&self) -> bool {
        intersects(&self.bodies[0], &self.bodies[1]).pair.is_some()
    }

    fn refitted(&self) -> Option<f64> {
        let known: usize = self.bodies.iter().map(self.refitted).sum();
        let nodes: usize = self.bodies.iter().map(|body| body.tree().nodes.len()).sum();
        Some(known as f64 / nodes as f64)
    }
}

/// Moves all vertices, by the plainest loop that there is for the blending.
enum Mover {
    Linear,
    Other(Box<[SkinnedBody; 2]>),
}

impl Mover {
    fn new(duel: &Duel, blending: Blending) -> Result<Self> {
        Ok(match blending {
            Blending::Linear => Self::Linear,
            _ => Self::Other(Box::new(duel.skinned(blending)?)),
        })
    }

    fn go(&mut self, duel: &Duel, frame: usize, which: usize, out: &mut Vec<DVec3>) -> Result<()> {
        let joints = &duel.frames[frame][which];
        out.clear();
        match self {
            Self::Linear => move_all(&duel.meshes[which], &duel.weights[which], joints, out),
            Self::Other(bodies) => {
                bodies[which].set_pose(joints, &[])?;
                out.extend(bodies[which].positions());
            }
        }
        Ok(())
    }
}

/// Moves all vertices by linear blending.
pub(crate) fn move_all(
    mesh: &Mesh,
    weights: &SkinWeights,
    joints: &[DAffine3],
    out: &mut Vec<DVec3>,
) {
    out.clear();
    let rest = mesh.positions().iter().enumerate();
    out.extend(rest.map(|(vertex, &p)| blend_linear(weights.of(vertex), joints, p)));
}

/// All vertices moved and all bounds refitted.
struct BottomUp<'a, B> {
    duel: &'a Duel,
    bodies: [B; 2],
    place: fn(&mut B, &[DVec3]) -> pliant::Result<()>,
    mover: Mover,
    positions: Vec<DVec3>,
}

impl<B: Collide> Contestant for BottomUp<'_, B>
where
    B::Volume: Overlap<B::Volume>,
{
    fn set(&mut self, frame: usize) -> Result<()> {
        for (which, body) in self.bodies.iter_mut().enumerate() {
            self.mover.go(self.duel, frame, which, &mut self.positions)?;
            (self.place)(body, &self.positions)?;
        }
        Ok(())
    }

    fn all(&self) -> Vec<[u32; 2]> {
        intersections(&self.bodies[0], &self.bodies[1]).pairs
    }

    fn any(&self) -> bool {
        intersects(&self.bodies[0], &self.bodies[1]).pair.is_some()
    }

    fn refitted(&self) -> Option<f64> {
        None
    }
}

/// parry3d's update and leaf pairs, our exact test.
struct Parry<'a> {
    duel: &'a Duel,
    shapes: [parry3d::shape::TriMesh; 2],
    mover: Mover,
    positions: [Vec<DVec3>; 2],
}

impl Contestant for Parry<'_> {
    fn set(&mut self, frame: usize) -> Result<()> {
        for (which, shape) in self.shapes.iter_mut().enumerate() {
            self.mover.go(self.duel, frame, which, &mut self.positions[which])?;
            shape.set_vertices(&crate::peers::parry::vertices(&self.positions[which]));
        }
        Ok(())
    }

    fn all(&self) -> Vec<[u32; 2]> {
        let side = |at: usize| (&self.shapes[at], &self.duel.meshes[at], &*self.positions[at]);
        crate::peers::parry::intersections(side(0), side(1))
    }

    fn any(&self) -> bool {
        let side = |at: usize| (&self.shapes[at], &self.duel.meshes[at], &*self.positions[at]);
        crate::peers::parry::intersects(side(0), side(1))
    }

    fn refitted(&self) -> Option<f64> {
        None
    }
}

/// What one contestant did.
struct Run<'a> {
    name: &'static str,
    blending: Blending,
    contestant: Box<dyn Contestant + 'a>,
    /// Best times of each frame: all pairs, and the first.
    full: Vec<f64>,
    first: Vec<f64>,
    found: Vec<Vec<[u32; 2]>>,
    refitted: Vec<Option<f64>>,
}

impl<'a> Run<'a> {
    fn new(name: &'static str, blending: Blending, contestant: Box<dyn Contestant + 'a>) -> Self {
        let (full, first, found, refitted) = (vec![], vec![], vec![], vec![]);
        Self { name, blending, contestant, full, first, found, refitted }
    }

    fn go(&mut self, frames: usize) -> Result<()> {
        self.full.resize(frames, f64::INFINITY);
        self.first.resize(frames, f64::INFINITY);
        self.found.resize(frames, Vec::new());
        self.refitted.resize(frames, None);
        let contestant = &mut self.contestant;
        for frame in 0..frames {
            let mut found = Vec::new();
            let time = timed(&mut || {
                contestant.set(frame)?;
                found = contestant.all();
                Ok(())
            })?;
            self.full[frame] = self.full[frame].min(time);
            self.refitted[frame] = contestant.refitted();
            let mut any = false;
            let time = timed(&mut || {
                contestant.set(frame)?;
                any = contestant.any();
                Ok(())
            })?;
            self.first[frame] = self.first[frame].min(time);
            ensure!(any != found.is_empty(), "{}: yes/no is wrong in frame {frame}", self.name);
            self.found[frame] = found;
        }
        Ok(())
    }

    fn touches(&self, frame: usize) -> bool {
        !self.found[frame].is_empty()
    }

    /// Mean times: full queries apart, full queries in contact, all full queries, yes/no.
    fn times(&self) -> [f64; 4] {
        let frames = || 0..self.full.len();
        let mean = |times: &[f64], chosen: Vec<usize>| {
            chosen.iter().map(|&frame| times[frame]).sum::<f64>() / chosen.len() as f64
        };
        [
            mean(&self.full, frames().filter(|&f| !self.touches(f)).collect()),
            mean(&self.full, frames().filter(|&f| self.touches(f)).collect()),
            mean(&self.full, frames().collect()),
            mean(&self.first, frames().collect()),
        ]
    }

    fn is_ours(&self) -> bool {
        self.refitted.iter().any(Option::is_some)
    }
}

/// The time of one run, the best of a few, or the mean of many if it is short.
pub(crate) fn timed(run: &mut dyn FnMut() -> Result<()>) -> Result<f64> {
    let mut best = f64::INFINITY;
    for _ in 0..TRIES {
        let start = clock();
        run()?;
        best = best.min(clock() - start);
    }
    if best > 2e-5 {
        return Ok(best);
    }
    let start = clock();
    for _ in 0..REPEAT {
        black_box(run()?);
    }
    // If the machine did something else meanwhile, one run alone is nearer to the truth.
    Ok(best.min((clock() - start) / REPEAT as f64))
}

fn name_of(blending: Blending) -> &'static str {
    match blending {
        Blending::Linear => "linear",
        Blending::Spherical => "spherical",
        Blending::DualQuaternion => "dual quaternion",
    }
}

/// Which methods take part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Field {
    /// All blendings, boxes and spheres.
    All,
    /// Linear blending, boxes: for joints that may scale.
    Linear,
}

fn contestants(duel: &Duel, field: Field) -> Result<Vec<Run<'_>>> {
    let mut runs = Vec::new();
    for blending in [Blending::Linear, Blending::Spherical, Blending::DualQuaternion] {
        if field == Field::Linear && blending != Blending::Linear {
            break;
        }
        let boxes = OnDemand {
            duel,
            bodies: duel.skinned(blending)?,
            pose: |body, joints| body.set_pose(joints, &[]),
            refitted: |body| body.bounds().refitted(),
        };
        runs.push(Run::new("boxes from joints", blending, Box::new(boxes)));
        if field == Field::All {
            let settings = BuildSettings::default();
            let make = |which: usize| -> Result<_> {
                let mesh = duel.meshes[which].clone();
                Ok(Body::skinned_spheres(mesh, duel.binding(which)?, blending, &settings)?)
            };
            let spheres = OnDemand {
                duel,
                bodies: [make(0)?, make(1)?],
                pose: |body, joints| body.set_pose(joints, &[]),
                refitted: |body| body.bounds().refitted(),
            };
            runs.push(Run::new("spheres from joints", blending, Box::new(spheres)));
        }
        let free = |which: usize| Body::free(duel.meshes[which].clone());
        let bottom_up = BottomUp {
            duel,
            bodies: [free(0)?, free(1)?],
            place: |body, positions| body.set_positions(positions),
            mover: Mover::new(duel, blending)?,
            positions: Vec::new(),
        };
        runs.push(Run::new("bottom-up, same tree", blending, Box::new(bottom_up)));
        if field == Field::All && blending == Blending::Linear {
            let settings = BuildSettings::default();
            let free = |which: usize| {
                Body::free_spheres(duel.meshes[which].clone(), SphereForm::Layered, &settings)
            };
            let layered = BottomUp {
                duel,
                bodies: [free(0)?, free(1)?],
                place: |body, positions| body.set_positions(positions),
                mover: Mover::new(duel, blending)?,
                positions: Vec::new(),
            };
            runs.push(Run::new("bottom-up spheres", blending, Box::new(layered)));
        }
        {
            use crate::peers::parry::deformable;
            let parry = Parry {
                duel,
                shapes: [deformable(&duel.meshes[0])?, deformable(&duel.meshes[1])?],
                mover: Mover::new(duel, blending)?,
                positions: [Vec::new(), Vec::new()],
            };
            runs.push(Run::new("parry3d, our exact test", blending, Box::new(parry)));
        }
    }
    Ok(runs)
}

/// Runs all methods; one row per method, ratios against bounds from joints of the same blending.
pub(crate) fn compare(title: &str, duel: &Duel, field: Field, rounds: usize) -> Result<Table> {
    let mut runs = contestants(duel, field)?;
    let frames = duel.frames.len();
    // Each goes through all frames before the next: it finds the caches as it left them.
    for _ in 0..rounds {
        for run in &mut runs {
            run.go(frames)?;
        }
    }
    let pairs: usize = runs[0].found.iter().map(Vec::len).sum();
    let touching = (0..frames).filter(|&frame| runs[0].touches(frame)).count();
    let mut table = Table::new(
        format!(
            "{title} ({} and {} triangles), {frames} frames, {touching} with contacts, {} pairs",
            count(duel.meshes[0].triangles().len()),
            count(duel.meshes[1].triangles().len()),
            count(pairs),
        ),
        &["blending", "method", "nodes", "apart", "", "in contact", "", "full", "", "yes/no", ""],
    )
    .with_keys(2);
    let mut ours = 0;
    let mut best = Vec::new();
    for (at, run) in runs.iter().enumerate() {
        if run.blending != runs[ours].blending {
            ours = at;
        }
        ensure!(run.found == runs[ours].found, "{} {:?}: pairs differ", run.name, run.blending);
        let mean = run.refitted.iter().flatten().sum::<f64>() / frames as f64;
        let share = if run.is_ours() { percent(mean, 2) } else { "all".into() };
        let mut row = vec![name_of(run.blending).into(), run.name.into(), share];
        let (times, own) = (run.times(), runs[ours].times());
        for (time, own) in times.into_iter().zip(own) {
            match time.is_nan() {
                true => row.extend([Cell::default(), Cell::default()]),
                false => row.extend([seconds(time), ratio(time / own)]),
            }
        }
        table.row(row);
        let rest = runs[at + 1..].iter().take_while(|other| other.blending == run.blending);
        if at == ours {
            let others = rest.filter(|other| !other.is_ours()).map(Run::times);
            let least =
                others.reduce(|a, b| [0, 1, 2, 3].map(|k| a[k].min(b[k]))).unwrap_or([f64::NAN; 4]);
            let [apart, contact, full, first] = [0, 1, 2, 3].map(|k| match least[k] / own[k] {
                ratio if ratio.is_nan() => "-".into(),
                ratio => format!("{ratio:.1}x"),
            });
            best.push(format!(
                "{}: best other method {apart} apart, {contact} in contact, {full} full, {first} yes/no",
                name_of(run.blending)
            ));
        }
    }
    best.into_iter().for_each(|line| table.note(line));
    table.note("ratios: against boxes from joints of the same blending; others move all vertices");
    table.note("one thread, pose and query; nodes: bounded per full query; apart: nothing touches");
    Ok(table)
}
