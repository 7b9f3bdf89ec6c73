//! Triangles within 1 % of the size, in contact: what that costs beside the touching pairs, and beside
//! the IPC Toolkit.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use pliant::deform::{Blending, Modes};
use pliant::tree::BuildSettings;
use pliant::volume::{Apart, Overlap};
use pliant::{
    Body, Intersections, Isometry, ReducedBody, RigidBody, SkinnedBody, Surface, Within,
    intersections, within,
};
use pliant_scenes::{curtain_and_ball, two_men_passing};

use super::ipctk::{self, Input};
use super::scratch::Scratch;
use crate::measure::{in_rounds, timed};
use crate::papers::skins::duel::Duel;
use crate::table::{Table, count, figure, ratio, seconds};

/// The distance, as a part of the longest side of the first body's box.
const SHARE: f64 = 0.01;
/// At most so many times the time of `intersections` is asked for.
const BAR: f64 = 4.0;
/// At least so many times the speed of the IPC Toolkit is asked for.
const PEER_BAR: f64 = 5.0;

pub(crate) fn run(python: Option<&Path>, quick: bool) -> Result<Vec<Table>> {
    let mut tables = Tables::new(python, quick)?;
    eprintln!("within: two men ...");
    let (a, b) = men()?;
    tables.measure("two men, skinned", &a, &b)?;
    let names = ["curtain and ball, reduced", "the same, refined once"];
    for (refinements, name) in (0..).zip(&names[..if quick { 1 } else { 2 }]) {
        eprintln!("within: {name} ...");
        let (a, b) = curtain(refinements)?;
        tables.measure(name, &a, &b)?;
    }
    Ok(tables.finish())
}

/// Two men in the frame with the most touching pairs.
fn men() -> Result<(SkinnedBody, SkinnedBody)> {
    let duel = Duel::new(&two_men_passing()?, 4);
    let [mut a, mut b] = duel.skinned(Blending::Linear)?;
    let deepest = deepest(duel.frames.len(), |frame| {
        a.set_pose(&duel.frames[frame][0], &[])?;
        b.set_pose(&duel.frames[frame][1], &[])?;
        Ok(intersections(&a, &b))
    })?;
    a.set_pose(&duel.frames[deepest][0], &[])?;
    b.set_pose(&duel.frames[deepest][1], &[])?;
    Ok((a, b))
}

/// Curtain and ball in the frame with the most touching pairs.
fn curtain(refinements: u32) -> Result<(ReducedBody, RigidBody)> {
    let scene = curtain_and_ball(refinements, 4)?;
    let mesh = &scene.curtain.mesh;
    let modes = Arc::new(Modes::from_fields(mesh.positions().len(), &scene.curtain.modes)?);
    let mut cloth = Body::reduced_with(mesh.clone(), modes, &BuildSettings::SMALL_LEAVES)?;
    let mut ball = Body::rigid(scene.ball.mesh.clone())?;
    let mut set = |frame: usize| -> Result<Intersections> {
        cloth.set_coordinates(&scene.curtain.coordinates[frame])?;
        ball.set_isometry(Isometry::from_translation(scene.ball.centers[frame])?);
        Ok(intersections(&cloth, &ball))
    };
    let deepest = 5 * deepest(scene.ball.centers.len() / 5, |frame| set(5 * frame))?;
    set(deepest)?;
    Ok((cloth, ball))
}

/// The frame with the most touching pairs.
fn deepest(
    frames: usize,
    mut touching: impl FnMut(usize) -> Result<Intersections>,
) -> Result<usize> {
    let mut deepest = (0, 0);
    for frame in 0..frames {
        deepest = deepest.max((touching(frame)?.pairs.len(), frame));
    }
    Ok(deepest.1)
}

struct Tables<'a> {
    ours: Table,
    peer: Option<(Table, &'a Path, Scratch)>,
    quick: bool,
}

impl<'a> Tables<'a> {
    fn new(python: Option<&'a Path>, quick: bool) -> Result<Self> {
        let ours = Table::new(
            "Triangles within 1 % of the size, in contact: beside the touching pairs, one thread",
            &[
                "bodies",
                "touching",
                "pairs within",
                "triangle tests",
                "intersections",
                "within",
                "per pair",
                "within/intersections",
                "at most 4",
            ],
        );
        let peer = Table::new(
            "Triangles within 1 % of the size, in contact: beside the IPC Toolkit, one thread",
            &[
                "bodies",
                "pairs",
                "its candidates",
                "collisions",
                "ours",
                "IPC Toolkit",
                "its time/ours",
                "at least 5",
            ],
        );
        let peer = match python {
            Some(python) => Some((peer, python, Scratch::new("ipctk")?)),
            None => None,
        };
        Ok(Self { ours, peer, quick })
    }

    /// Both queries on bodies that know nothing of their state yet: a clone has to find its bounds and
    /// move its vertices.
    fn measure<A, B>(&mut self, name: &str, a: &A, b: &B) -> Result<()>
    where
        A: Surface + Clone,
        B: Surface + Clone,
        A::Volume: Overlap<B::Volume> + Apart<B::Volume>,
    {
        let input = Input::new(a, b, SHARE);
        let (mut touching, mut near) = (Intersections::default(), Within::default());
        let budget = if self.quick { 0.1 } else { 3.0 };
        let [pairs_time, time] = in_rounds(3, budget, |turn| {
            let (a, b) = (a.clone(), b.clone());
            timed(|| {
                match turn {
                    0 => touching = intersections(&a, &b),
                    _ => near = within(&a, &b, input.distance)?,
                }
                Ok(())
            })
        })?;
        ensure!(!touching.pairs.is_empty(), "{name}: nothing touches");
        let quotient = time / pairs_time;
        self.ours.row([
            name.into(),
            count(touching.pairs.len()),
            count(near.pairs.len()),
            count(near.work.primitive_tests),
            seconds(pairs_time),
            seconds(time),
            figure(time / near.pairs.len() as f64 * 1e9, 0, "ns"),
            ratio(quotient),
            if quotient <= BAR { "yes" } else { "no" }.into(),
        ]);
        let Some((table, python, folder)) = &mut self.peer else { return Ok(()) };
        let rounds = if self.quick { 2 } else { 20 };
        let peer = ipctk::ask(python, folder, &input, &near.pairs, rounds)
            .with_context(|| format!("{name} beside the IPC Toolkit"))?;
        let quotient = peer.seconds / time;
        table.row([
            name.into(),
            count(near.pairs.len()),
            count(peer.candidates),
            count(peer.collisions),
            seconds(time),
            seconds(peer.seconds),
            ratio(quotient),
            if quotient >= PEER_BAR { "yes" } else { "no" }.into(),
        ]);
        table.note(format!("{name}: its fastest broad phase is {}", peer.broad_phase));
        Ok(())
    }

    fn finish(mut self) -> Vec<Table> {
        self.ours.note(
            "the frame with the most touching pairs; times include bounds and moved vertices",
        );
        self.ours.note("within also gives nearest points, distance and normal of each pair");
        let peer = self.peer.map(|(mut table, _, _)| {
            table.note("ours includes moving vertices, its input is moved; its time is that of its broad");
            table.note("phase and distances. Every pair of ours has a candidate, every candidate within the");
            table.note("distance is a pair of ours, and the distances are the same");
            table
        });
        std::iter::once(self.ours).chain(peer).collect()
    }
}
