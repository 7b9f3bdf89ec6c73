//! Queries by forms of growth and kinds of trees, most of which the library does not have: what
//! they would save. Bounds are made beforehand, so that the figures are those of the descent.

use std::time::Instant;

use anyhow::{Result, ensure};
use glam::DVec3;
use pliant::bound::SphereForm;
use pliant::deform::Modes;
use pliant::tree::{BuildSettings, Tree, build_over_mesh, primitive_runs, validate};
use pliant::volume::{Aabb, Sphere, Volume};
use pliant::{Body, Collide, Intersections, Isometry, Mesh, intersections};
use pliant_scenes::curtain::CurtainAndBall;
use pliant_scenes::{curtain_and_ball, modal_chair, pile_of_chairs};
use rayon::prelude::*;

use super::growth_forms::{FORMS, Growth};
use super::mode_trees::{self, Axes};
use crate::table::{Cell, Table, count, ratio_to, seconds};

/// Nodes with no more triangles are bounded by their vertices.
const SMALL_SUBTREE_TRIANGLES: usize = 24;

/// A body in one frame, with bounds that were made before.
struct Still<'a, V> {
    mesh: &'a Mesh,
    tree: &'a Tree,
    bounds: Vec<V>,
    positions: &'a [DVec3],
}

impl<V: Volume> Collide for Still<'_, V> {
    type Volume = V;

    fn tree(&self) -> &Tree {
        self.tree
    }

    fn bound(&self, node: u32) -> V {
        self.bounds[node as usize]
    }

    fn triangle(&self, triangle: u32) -> [DVec3; 3] {
        self.mesh.triangles()[triangle as usize].map(|vertex| self.positions[vertex as usize])
    }

    fn adjacent(&self, _: u32, _: u32) -> bool {
        false
    }
}

/// A reduced body and a rigid one that it meets.
pub(crate) struct Meeting {
    pub(crate) name: &'static str,
    pub(crate) mesh: Mesh,
    pub(crate) modes: Modes,
    pub(crate) rigid: Mesh,
    /// Coordinates of the one, and where the other is.
    pub(crate) frames: Vec<(Vec<f64>, Isometry)>,
}

impl Meeting {
    /// The curtain and the ball.
    pub(crate) fn of_curtain() -> Result<Self> {
        let CurtainAndBall { curtain, ball } = curtain_and_ball(0, 4)?;
        let modes = Modes::from_fields(curtain.mesh.positions().len(), &curtain.modes)?;
        let places = ball.centers.into_iter().map(Isometry::from_translation);
        let frames = curtain.coordinates.iter().zip(places);
        let frames = frames.map(|(q, place)| Ok((q.to_vec(), place?))).collect::<Result<_>>()?;
        Ok(Self { name: "curtain and ball", mesh: curtain.mesh, modes, rigid: ball.mesh, frames })
    }

    /// A chair that vibrates, and one that does not, as neighbours of a pile lie.
    pub(crate) fn of_chairs() -> Result<Self> {
        let chair = modal_chair()?;
        let pile = pile_of_chairs(60, 7)?;
        let places = pile.placements.windows(2).map(|pair| {
            let [(turn, to), (other_turn, other_to)] = [pair[0], pair[1]];
            let back = turn.inverse();
            Isometry::new((back * other_turn).normalize(), back * (other_to - to))
        });
        let frames = chair.coordinates.iter().zip(places);
        let frames = frames.map(|(q, place)| Ok((q.clone(), place?))).collect::<Result<_>>()?;
        let (modes, rigid) = (chair.modes, pile.chair);
        Ok(Self { name: "two chairs of a pile", mesh: chair.mesh, modes, rigid, frames })
    }
}

/// Tests and time of frames apart and in contact.
#[derive(Default)]
struct Sums {
    frames: [f64; 2],
    tests: [f64; 2],
    time: [f64; 2],
    grown: f64,
}

impl Sums {
    fn add(&mut self, run: impl Fn() -> Intersections) -> Intersections {
        let found = run();
        let mut best = f64::INFINITY;
        for _ in 0..5 {
            let start = Instant::now();
            let _ = std::hint::black_box(run());
            best = best.min(start.elapsed().as_secs_f64());
        }
        let which = usize::from(!found.pairs.is_empty());
        self.frames[which] += 1.0;
        self.tests[which] += found.work.overlap_tests as f64;
        self.time[which] += best;
        found
    }

    fn row(&self, what: &str, tree: &str, built: f64) -> Vec<Cell> {
        let mut row = vec![what.into(), tree.into(), seconds(built)];
        row.push(ratio_to(self.grown / (self.frames[0] + self.frames[1]), 3));
        for which in 0..2 {
            row.push(count((self.tests[which] / self.frames[which]) as u64));
            row.push(seconds(self.time[which] / self.frames[which]));
        }
        row
    }
}

/// A tree, and in how many seconds it was built.
fn made(build: impl FnOnce() -> Result<Tree>) -> Result<(Tree, f64)> {
    let start = Instant::now();
    let tree = build()?;
    Ok((tree, start.elapsed().as_secs_f64()))
}

/// One row per form and tree.
pub(crate) fn table(meeting: &Meeting, quick: bool) -> Result<Table> {
    let Meeting { name, mesh, modes, rigid, frames } = meeting;
    let mean =
        |mode: usize| frames.iter().map(|(q, _)| q[mode].abs()).sum::<f64>() / frames.len() as f64;
    let usual: Vec<f64> = (0..modes.count()).map(mean).collect();
    let most = |mode: usize| frames.iter().map(|(q, _)| q[mode].abs()).fold(0.0, f64::max);
    let ranges: Vec<f64> = (0..modes.count()).map(most).collect();
    let settings = BuildSettings::default();
    let at = |q: &[f64]| -> Vec<DVec3> {
        let rest = mesh.positions().iter().enumerate();
        rest.map(|(vertex, &rest)| modes.displaced(rest, vertex, q)).collect()
    };
    let bent = Mesh::new(at(&frames[frames.len() / 2].0), mesh.triangles().to_vec())?;
    let still_air = vec![0.0; modes.count()];
    let trees = [
        ("rest", made(|| Ok(build_over_mesh(mesh, &settings)?))?),
        ("a frame", made(|| Ok(build_over_mesh(&bent, &settings)?))?),
        ("rest, bins", made(|| Ok(mode_trees::build(mesh, modes, &still_air, Axes::Rest)))?),
        ("cost of modes", made(|| Ok(mode_trees::build(mesh, modes, &usual, Axes::Rest)))?),
        ("rest + modes", made(|| Ok(mode_trees::build(mesh, modes, &usual, Axes::RestAndModes)))?),
    ];
    let mut other = Body::rigid(rigid.clone())?;
    let mut round = Body::rigid_spheres(rigid.clone(), SphereForm::Wrapped, &settings)?;
    let mut table = Table::new(
        format!(
            "Forms of growth and kinds of trees, {name}: R'/R, overlap tests and descent per frame"
        ),
        &[
            "bounds",
            "tree",
            "built in",
            "R'/R",
            "tests apart",
            "apart",
            "tests in contact",
            "in contact",
        ],
    )
    .with_keys(2);
    let step = if quick { 11 } else { 3 };
    for (number, (name, (tree, time))) in trees.iter().enumerate() {
        validate(tree)?;
        let runs = primitive_runs(tree);
        let triangles =
            |node: usize| &tree.primitives[runs[node].start as usize..runs[node].end as usize];
        let of = |node: usize| Growth::new(mesh, modes, &ranges, triangles(node));
        let nodes: Vec<Growth> = (0..tree.nodes.len()).into_par_iter().map(of).collect();
        // Of the other trees only the form that the library has.
        let forms = if number == 0 { 0..FORMS.len() } else { 0..1 };
        let mut spheres: Vec<Sums> = forms.clone().map(|_| Sums::default()).collect();
        let mut boxes = Sums::default();
        for (q, place) in frames.iter().step_by(step) {
            let positions = at(q);
            other.set_isometry(*place);
            round.set_isometry(*place);
            let bounds = nodes
                .iter()
                .map(|node| node.aabb(q, &positions, SMALL_SUBTREE_TRIANGLES))
                .collect();
            let still = Still { mesh, tree, bounds, positions: &positions };
            let truth = boxes.add(|| intersections(&still, &other));
            let grown: Vec<_> = nodes.iter().map(|node| node.by_form(modes, q)).collect();
            for form in forms.clone() {
                let growth = |node: usize| grown[node][form].min(grown[node][0]);
                let bounds = (0..nodes.len()).map(|n| nodes[n].sphere(q, growth(n))).collect();
                let ratio = |n: usize| (nodes[n].radius + growth(n)) / nodes[n].radius;
                let still = Still { mesh, tree, bounds, positions: &positions };
                let found = spheres[form].add(|| intersections(&still, &round));
                spheres[form].grown +=
                    (0..nodes.len()).map(ratio).sum::<f64>() / nodes.len() as f64;
                ensure!(found.pairs == truth.pairs, "{}: pairs differ", FORMS[form]);
            }
        }
        for (form, sums) in forms.zip(&spheres) {
            let or = if form == 0 { "" } else { ", or the sum" };
            table.row(sums.row(&format!("spheres, {}{or}", FORMS[form]), name, *time));
        }
        let mut row = boxes.row("boxes", name, *time);
        row[3] = Cell::default();
        table.row(row);
    }
    table.note("bounds of all nodes are made before the clock starts; around smallest balls");
    table.note(
        "trees by surface area: rest: the library's; a frame: the library's, over a frame in the",
    );
    table.note(
        "middle; rest, bins: as the next two, without modes; cost of modes: areas of boxes at",
    );
    table.note("the mean |q|; rest + modes: divided along the axes of displacements too");
    Ok(table)
}

impl Growth {
    /// The sphere of the node with a growth, a little larger than it must be.
    fn sphere(&self, q: &[f64], growth: f64) -> Sphere {
        let middle = self.middles.iter().zip(q).fold(self.center, |sum, (&u, &q)| sum + u * q);
        let radius = (self.radius + growth + middle.length() * 1e-6) * (1.0 + 1e-6);
        Sphere { center: middle.as_vec3(), radius: radius as f32 }
    }

    /// The box of the node from its modes' boxes; from its vertices where it is small.
    fn aabb(&self, q: &[f64], positions: &[DVec3], from_below: usize) -> Aabb {
        if self.triangles <= from_below {
            return Aabb::around(self.vertices.iter().map(|&v| positions[v as usize]));
        }
        let start = self.boxes[0];
        let terms = self.boxes[1..].iter().zip(q);
        let [min, max] = terms.fold(start, |[low, high], ([min, max], &q)| {
            let (a, b) = (*min * q, *max * q);
            [low + a.min(b), high + a.max(b)]
        });
        let slack = DVec3::splat(1e-6);
        Aabb::around([min - slack, max + slack])
    }
}
