//! Curtain and ball by forms of growth and kinds of trees that the library does not have: what
//! they would save. Bounds are made beforehand, so that the figures are those of the descent.

use std::sync::Arc;
use std::time::Instant;

use anyhow::{Result, ensure};
use glam::DVec3;
use pliant::bound::SphereForm;
use pliant::deform::Modes;
use pliant::tree::{BuildSettings, Tree, build_over_mesh, primitive_runs};
use pliant::volume::{Aabb, Overlap, Sphere, Volume};
use pliant::{Body, Collide, Intersections, Isometry, Mesh, intersections};
use pliant_scenes::curtain::CONTACT_FRAMES;
use pliant_scenes::curtain_and_ball;
use rayon::prelude::*;

use super::growth_forms::{FORMS, Growth};
use super::mode_trees::{self, Axes};
use crate::table::{Table, count, seconds};

/// Triangles up to which the library's boxes come from vertices; here too.
const FROM_BELOW: usize = 16;

/// The curtain in one frame, with bounds that were made before.
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

/// Tests and time of frames apart and in contact.
#[derive(Default)]
struct Sums {
    frames: [f64; 2],
    tests: [f64; 2],
    time: [f64; 2],
    grown: f64,
}

impl Sums {
    fn add(&mut self, frame: usize, run: impl Fn() -> Intersections) -> Intersections {
        let found = run();
        let mut best = f64::INFINITY;
        for _ in 0..5 {
            let start = Instant::now();
            let _ = std::hint::black_box(run());
            best = best.min(start.elapsed().as_secs_f64());
        }
        let which = usize::from(CONTACT_FRAMES.contains(&frame));
        self.frames[which] += 1.0;
        self.tests[which] += found.work.overlap_tests as f64;
        self.time[which] += best;
        found
    }

    fn row(&self, what: &str, tree: &str) -> Vec<String> {
        let mut row = vec![what.into(), tree.into()];
        row.push(format!("{:.3}", self.grown / (self.frames[0] + self.frames[1])));
        for which in 0..2 {
            row.push(count((self.tests[which] / self.frames[which]) as u64));
            row.push(seconds(self.time[which] / self.frames[which]));
        }
        row
    }
}

pub(super) fn table(quick: bool) -> Result<Table> {
    let scene = curtain_and_ball(0, 4)?;
    let mesh = &scene.curtain.mesh;
    let modes = Arc::new(Modes::from_fields(mesh.positions().len(), &scene.curtain.modes)?);
    let every = &scene.curtain.coordinates;
    let mean = |mode: usize| every.iter().map(|q| q[mode].abs()).sum::<f64>() / every.len() as f64;
    let usual: Vec<f64> = (0..modes.count()).map(mean).collect();
    let most = |mode: usize| every.iter().map(|q| q[mode].abs()).fold(0.0, f64::max);
    let ranges: Vec<f64> = (0..modes.count()).map(most).collect();
    let trees = [
        ("rest", build_over_mesh(mesh, &BuildSettings::default())?),
        ("rest, this builder", mode_trees::build(mesh, &modes, &vec![0.0; usual.len()], Axes::Rest)),
        ("rest, cost of modes", mode_trees::build(mesh, &modes, &usual, Axes::Rest)),
        ("rest + modes", mode_trees::build(mesh, &modes, &usual, Axes::RestAndModes)),
    ];
    for (_, tree) in &trees {
        pliant::tree::validate(tree)?;
    }
    let settings = BuildSettings::default();
    let mut ball = Body::rigid(scene.ball.mesh.clone())?;
    let mut round = Body::rigid_spheres(scene.ball.mesh.clone(), SphereForm::Wrapped, &settings)?;
    let mut table = Table::new(
        "Curtain and ball by form of growth and by tree: R'/R, overlap tests and descent a frame",
        &["bounds", "tree", "R'/R", "tests apart", "", "tests in contact", ""],
    );
    let step = if quick { 11 } else { 3 };
    for (number, (name, tree)) in trees.iter().enumerate() {
        let runs = primitive_runs(tree);
        let triangles = |node: usize| {
            &tree.primitives[runs[node].start as usize..runs[node].end as usize]
        };
        let of = |node: usize| Growth::new(mesh, &modes, &ranges, triangles(node));
        let nodes: Vec<Growth> = (0..tree.nodes.len()).into_par_iter().map(of).collect();
        // Of the trees that know the modes only the form that the library has.
        let forms = if number == 0 { 0..FORMS.len() } else { 0..1 };
        let mut spheres: Vec<Sums> = forms.clone().map(|_| Sums::default()).collect();
        let mut boxes = Sums::default();
        for (frame, q) in every.iter().enumerate().step_by(step) {
            let positions = scene.curtain.positions(frame)?;
            let place = Isometry::from_translation(scene.ball.centers[frame])?;
            ball.set_isometry(place);
            round.set_isometry(place);
            let bounds = nodes.iter().map(|node| node.aabb(q, &positions, FROM_BELOW)).collect();
            let still = Still { mesh, tree, bounds, positions: &positions };
            let truth = boxes.add(frame, || query(&still, &ball));
            let grown: Vec<_> = nodes.iter().map(|node| node.by_form(&modes, &ranges, q)).collect();
            for form in forms.clone() {
                let growth = |node: usize| grown[node][form].min(grown[node][0]);
                let bounds = (0..nodes.len()).map(|n| nodes[n].sphere(q, growth(n))).collect();
                let ratio = |n: usize| (nodes[n].radius + growth(n)) / nodes[n].radius;
                let still = Still { mesh, tree, bounds, positions: &positions };
                let found = spheres[form].add(frame, || query(&still, &round));
                spheres[form].grown += (0..nodes.len()).map(ratio).sum::<f64>() / nodes.len() as f64;
                ensure!(found.pairs == truth.pairs, "{}: pairs differ", FORMS[form]);
            }
        }
        for (form, sums) in forms.zip(&spheres) {
            let or = if form == 0 { "" } else { ", or the sum" };
            table.row(sums.row(&format!("spheres, {}{or}", FORMS[form]), name));
        }
        let mut row = boxes.row("boxes", name);
        row[2].clear();
        table.row(row);
    }
    table.note("bounds of all nodes are made before the clock starts; around smallest balls");
    table.note("rest: by surface area at rest, the library's; cost of modes: by the areas of boxes at the");
    table.note("usual |q|; rest + modes: divided along the axes of displacements too");
    Ok(table)
}

fn query<V: Volume + Overlap<V>>(still: &Still<'_, V>, ball: &impl Collide<Volume = V>) -> Intersections {
    intersections(still, ball)
}

impl Growth {
    /// The sphere of the node with a growth, a little larger than it must be.
    fn sphere(&self, q: &[f64], growth: f64) -> Sphere {
        let middle = self.middles.iter().zip(q).fold(self.center, |sum, (&u, &q)| sum + u * q);
        let radius = (self.radius + growth + middle.length()  * 1e-6) * (1.0 + 1e-6);
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
