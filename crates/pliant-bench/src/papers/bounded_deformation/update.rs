//! What one bound costs: spheres and boxes from coordinates, by the number of modes.

use std::collections::HashSet;
use std::hint::black_box;
use std::sync::{Arc, Mutex};

use anyhow::Result;
use glam::{DAffine3, DQuat, DVec3};
use pliant::bound::{SphereCenter, SphereForm};
use pliant::deform::Modes;
use pliant::tree::{BuildSettings, Tree};
use pliant::volume::{Overlap, Volume};
use pliant::{Body, Collide, Isometry, Mesh, Work, intersections};
use pliant_scenes::{ModalChair, Pile, modal_chair, pile_of_chairs};

use super::smooth_modes::smooth_modes;
use crate::measure::{best_of, copy_rate};
use crate::table::{Table, count, figure, percent, ratio, seconds};

pub(crate) fn run(quick: bool) -> Result<Vec<Table>> {
    let chair = modal_chair()?;
    Ok(vec![one_bound(&chair, quick)?, against_rigid(&chair, quick)?])
}

/// A frame in which much of the chair is bent.
const BENT: usize = 20;

/// The chair's vibration modes if it has that many, else waves along its sides.
fn modes_of(chair: &ModalChair, mesh: &Mesh, count: usize) -> Result<Arc<Modes>> {
    let vertices = mesh.positions().len();
    let fields = if count <= chair.modes.count() {
        let of = |mode: usize| {
            (0..vertices).map(|vertex| chair.modes.of(vertex)[mode].as_dvec3()).collect()
        };
        (0..count).map(of).collect()
    } else {
        smooth_modes(mesh, count)
    };
    Ok(Arc::new(Modes::from_fields(vertices, &fields)?))
}

/// Coordinates for them.
fn coordinates_of(chair: &ModalChair, count: usize) -> Vec<f64> {
    match chair.coordinates[BENT].get(..count) {
        Some(q) => q.to_vec(),
        None => (0..count).map(|j| 0.002 / (1.0 + j as f64)).collect(),
    }
}

/// Nanoseconds per bound, asked for as a query of two chairs asks for them.
fn one_bound(chair: &ModalChair, quick: bool) -> Result<Table> {
    let pile = pile_of_chairs(if quick { 12 } else { 60 }, 7)?;
    let mesh = &pile.chair;
    let settings = BuildSettings::default();
    let make = || Body::rigid_spheres(mesh.clone(), SphereForm::Wrapped, &settings);
    let (mut rigid, mut other) = (make()?, make()?);
    // What a traversal asks for, pose by pose.
    let mut asked: Vec<Vec<u32>> = Vec::new();
    for pair in pile.placements.windows(2) {
        rigid.set_isometry(Isometry::new(pair[0].0, pair[0].1)?);
        other.set_isometry(Isometry::new(pair[1].0, pair[1].1)?);
        let listener = Listener::new(&rigid);
        black_box(intersections(&listener, &other));
        asked.push(listener.asked());
    }
    let total: usize = asked.iter().map(Vec::len).sum();
    let title = format!(
        "One bound of a chair ({} triangles) from M modes: ns, as {} queries ask for {}",
        count(mesh.triangles().len()),
        asked.len(),
        count(total)
    );
    let mut table = Table::new(
        title,
        &["M", "rigid", "sphere", "ratio", "box", "anchored", "bytes", "GB/s", "of reading"],
    );
    let rounds = if quick { 5 } else { 40 };
    for m in [3, 10, 30, 100] {
        let modes = modes_of(chair, mesh, m)?;
        let center = SphereCenter::SmallestBall;
        let mut spheres =
            Body::reduced_spheres(mesh.clone(), Arc::clone(&modes), center, &settings)?;
        let mut boxes = Body::reduced_with(mesh.clone(), Arc::clone(&modes), &settings)?;
        let mut anchored =
            Body::reduced_anchored(mesh.clone(), Arc::clone(&modes), center, &settings)?;
        let q = coordinates_of(chair, m);
        // Errors show here, outside of the clock.
        spheres.set_coordinates(&q)?;
        boxes.set_coordinates(&q)?;
        anchored.set_coordinates(&q)?;
        let place = Isometry::from_translation(DVec3::X)?;
        let [t_rigid, t_sphere, t_box, t_anchored] = best_of(
            rounds,
            [
                &mut || ask(&mut rigid, &asked, |body| body.set_isometry(place)),
                &mut || ask(&mut spheres, &asked, |body| drop(body.set_coordinates(&q))),
                &mut || ask(&mut boxes, &asked, |body| drop(body.set_coordinates(&q))),
                &mut || ask(&mut anchored, &asked, |body| drop(body.set_coordinates(&q))),
            ],
        );
        let each = |time: f64| time * 1e9 / total as f64;
        let bytes = spheres.bounds().bytes_per_node();
        let distinct: usize = asked.iter().map(|nodes| distinct(nodes)).sum();
        let read = bytes * distinct;
        let roof = copy_rate(bytes * spheres.nodes()) / 2.0;
        table.row([
            format!("{m}").into(),
            figure(each(t_rigid), 1, "ns"),
            figure(each(t_sphere), 1, "ns"),
            ratio(t_sphere / t_rigid),
            figure(each(t_box), 1, "ns"),
            figure(each(t_anchored), 1, "ns"),
            figure(bytes as f64, 0, "bytes per node"),
            figure(read as f64 / t_sphere / 1e9, 1, "GB/s"),
            percent(read as f64 / t_sphere / roof, 0),
        ]);
    }
    table.note("James & Pai 2004: 750 ns per sphere at M = 10");
    table.note("vibration modes up to M = 10, waves along the chair's sides beyond");
    table.note("a node that was asked for in a state is remembered until the next one");
    table.note("anchored: the O(1) update; the anchor's spheres stay known from state to state");
    table.note("bytes per node, read once per state; of reading: the speed of a copy's reads");
    Ok(table)
}

/// A body that notes which bounds are asked for.
pub(crate) struct Listener<'a, B> {
    body: &'a B,
    asked: Mutex<Vec<u32>>,
}

impl<'a, B> Listener<'a, B> {
    pub(crate) fn new(body: &'a B) -> Self {
        Self { body, asked: Mutex::default() }
    }

    /// The nodes whose bounds were asked for, in that order.
    pub(crate) fn asked(self) -> Vec<u32> {
        self.asked.into_inner().unwrap_or_default()
    }
}

impl<B: Collide> Collide for Listener<'_, B> {
    type Volume = B::Volume;

    fn tree(&self) -> &Tree {
        self.body.tree()
    }

    fn bound(&self, node: u32) -> B::Volume {
        if let Ok(mut asked) = self.asked.lock() {
            asked.push(node);
        }
        self.body.bound(node)
    }

    fn triangle(&self, triangle: u32) -> [DVec3; 3] {
        self.body.triangle(triangle)
    }

    fn adjacent(&self, first: u32, second: u32) -> bool {
        self.body.adjacent(first, second)
    }
}

/// Sets a state for each list of nodes, and asks for their bounds.
fn ask<B: Collide>(body: &mut B, asked: &[Vec<u32>], mut set: impl FnMut(&mut B)) {
    for nodes in asked {
        set(body);
        let sum: f32 = nodes.iter().map(|&node| body.bound(node).extent()).sum();
        black_box(sum);
    }
}

fn distinct(nodes: &[u32]) -> usize {
    nodes.iter().collect::<HashSet<_>>().len()
}

/// Chairs in one another: with modes at rest, with modes in motion, and rigid.
fn against_rigid(chair: &ModalChair, quick: bool) -> Result<Table> {
    let pile = pile_of_chairs(if quick { 12 } else { 60 }, 7)?;
    let mesh = &pile.chair;
    let settings = BuildSettings::default();
    let modes = modes_of(chair, mesh, 10)?;
    let mut table = Table::new(
        format!(
            "Two chairs, M = 10, in {} poses of a pile: state and query",
            pile.placements.len()
        ),
        &["bounds", "state", "tests", "rigid's", "time", "rigid", "ratio"],
    )
    .with_keys(2);
    let rounds = if quick { 3 } else { 20 };
    let bent = coordinates_of(chair, 10);
    for (state, q) in [("q = 0", vec![0.0; 10]), ("deformed", bent)] {
        let mut rigid = [Body::rigid(mesh.clone())?, Body::rigid(mesh.clone())?];
        let make = || Body::reduced_with(mesh.clone(), Arc::clone(&modes), &settings);
        let mut soft = [make()?, make()?];
        let plain = Contest::new(&pile, &mut rigid, |body, (turn, to)| {
            body.set_isometry(Isometry::new(turn, to)?);
            Ok(())
        });
        let reduced = Contest::new(&pile, &mut soft, |body, (turn, to)| {
            Ok(body.set_state(&q, DAffine3::from_rotation_translation(turn, to))?)
        });
        add_row(&mut table, "boxes", state, rounds, plain, reduced)?;

        let make = || Body::rigid_spheres(mesh.clone(), SphereForm::Wrapped, &settings);
        let mut rigid = [make()?, make()?];
        let make = || {
            Body::reduced_spheres(
                mesh.clone(),
                Arc::clone(&modes),
                SphereCenter::SmallestBall,
                &settings,
            )
        };
        let mut soft = [make()?, make()?];
        let plain = Contest::new(&pile, &mut rigid, |body, (turn, to)| {
            body.set_isometry(Isometry::new(turn, to)?);
            Ok(())
        });
        let reduced = Contest::new(&pile, &mut soft, |body, (turn, to)| {
            Ok(body.set_state(&q, DAffine3::from_rotation_translation(turn, to))?)
        });
        add_row(&mut table, "spheres", state, rounds, plain, reduced)?;
    }
    table.note(
        "James & Pai 2004: 1.9x (3601 chairs at level 10, 2.1 s against 1.1 s per step), moving",
    );
    table.note(
        "deformable against rigid: to be compared with the rows \"deformed\", not with q = 0",
    );
    table.note("q = 0: coordinates of zero take no part in a sum, as in any state");
    Ok(table)
}

/// Two bodies that go through all poses of a pile.
struct Contest<'a, B, F> {
    poses: &'a [(DQuat, DVec3)],
    bodies: &'a mut [B; 2],
    place: F,
    work: Work,
    failed: Result<()>,
}

impl<'a, B: Collide, F: FnMut(&mut B, (DQuat, DVec3)) -> Result<()>> Contest<'a, B, F>
where
    B::Volume: Overlap<B::Volume>,
{
    fn new(pile: &'a Pile, bodies: &'a mut [B; 2], place: F) -> Self {
        Self { poses: &pile.placements, bodies, place, work: Work::default(), failed: Ok(()) }
    }

    /// All pairs of poses that follow one another.
    fn go(&mut self) {
        self.work = Work::default();
        for pair in self.poses.windows(2) {
            for (body, &pose) in self.bodies.iter_mut().zip(pair) {
                if let Err(error) = (self.place)(body, pose) {
                    self.failed = Err(error);
                }
            }
            let [a, b] = &*self.bodies;
            self.work += black_box(intersections(a, b)).work;
        }
    }
}

fn add_row<A: Collide, B: Collide>(
    table: &mut Table,
    bounds: &str,
    state: &str,
    rounds: usize,
    mut rigid: Contest<'_, A, impl FnMut(&mut A, (DQuat, DVec3)) -> Result<()>>,
    mut reduced: Contest<'_, B, impl FnMut(&mut B, (DQuat, DVec3)) -> Result<()>>,
) -> Result<()>
where
    A::Volume: Overlap<A::Volume>,
    B::Volume: Overlap<B::Volume>,
{
    let [plain, soft] = best_of(rounds, [&mut || rigid.go(), &mut || reduced.go()]);
    rigid.failed?;
    reduced.failed?;
    table.row([
        bounds.into(),
        state.into(),
        count(reduced.work.overlap_tests),
        count(rigid.work.overlap_tests),
        seconds(soft),
        seconds(plain),
        ratio(soft / plain),
    ]);
    Ok(())
}
