//! Curtain and ball: queries apart and in contact.

use anyhow::{Result, ensure};
use glam::DVec3;
use pliant::bound::SphereForm;
use pliant::tree::{BuildSettings, Split};
use pliant::volume::Overlap;
use pliant::{Body, Collide, Intersections, Isometry, Mesh, intersections};
use pliant_scenes::curtain::CurtainAndBall;
use pliant_scenes::curtain_and_ball;

use super::measure::best_of;
use crate::table::{Table, count, seconds};

/// A frame in which curtain and ball are apart.
const APART: usize = 5;

pub(super) fn run(quick: bool) -> Result<Vec<Table>> {
    let mut tables = Vec::new();
    for refinements in 0..=if quick { 0 } else { 3 } {
        eprintln!("query: {refinements} refinements ...");
        let scene = curtain_and_ball(refinements, 4)?;
        tables.push(one_size(&scene, quick)?);
    }
    Ok(tables)
}

/// One frame of the scene, ready to be asked about.
struct Frame {
    cloth: Vec<DVec3>,
    ball: Vec<DVec3>,
    center: DVec3,
}

impl Frame {
    fn of(scene: &CurtainAndBall, frame: usize) -> Result<Self> {
        let center = scene.ball.centers[frame];
        let ball = scene.ball.mesh.positions().iter().map(|&p| p + center).collect();
        Ok(Self { cloth: scene.curtain.positions(frame)?, ball, center })
    }
}

fn one_size(scene: &CurtainAndBall, quick: bool) -> Result<Table> {
    let (cloth_mesh, ball_mesh) = (&scene.curtain.mesh, &scene.ball.mesh);
    let mut table = Table::new(
        format!(
            "Curtain ({} triangles) and ball ({}): the query alone, one thread",
            count(cloth_mesh.triangles().len()),
            count(ball_mesh.triangles().len())
        ),
        &[
            "method",
            "pairs",
            "bounds",
            "overlap tests",
            "triangle tests",
            "in contact",
            "apart",
            "against parry3d",
        ],
    );
    let (apart, contact) = (Frame::of(scene, APART)?, Frame::of(scene, deepest_frame(scene)?)?);
    let rounds = if quick { 5 } else { 100 };

    let theirs = peer_times(scene, &apart, &contact, rounds)?;
    let mut rows = Rows { table: &mut table, theirs: &theirs, rounds };
    let settings = |split, arity| BuildSettings { split, arity, ..BuildSettings::default() };
    for (name, settings) in [
        ("boxes, surface area", settings(Split::BinnedSah, 2)),
        ("boxes, midpoint", settings(Split::Midpoint, 2)),
        ("boxes, median", settings(Split::Median, 2)),
        ("boxes, surface area, 4 wide", settings(Split::BinnedSah, 4)),
        ("boxes, surface area, 8 wide", settings(Split::BinnedSah, 8)),
    ] {
        let make = |mesh: &Mesh| Body::free_with(mesh.clone(), &settings);
        let (mut cloth, mut ball) = (make(cloth_mesh)?, make(ball_mesh)?);
        rows.measure(
            name,
            |frame| {
                cloth.set_positions(&frame.cloth)?;
                ball.set_positions(&frame.ball)?;
                Ok((cloth.clone(), ball.clone()))
            },
            &apart,
            &contact,
        )?;
    }
    let mut cloth = Body::free(cloth_mesh.clone())?;
    let mut ball = Body::rigid(ball_mesh.clone())?;
    rows.measure(
        "boxes, ball rigid",
        |frame| {
            cloth.set_positions(&frame.cloth)?;
            ball.set_isometry(Isometry::from_translation(frame.center)?);
            Ok((cloth.clone(), ball.clone()))
        },
        &apart,
        &contact,
    )?;
    for (name, form) in
        [("spheres, layered", SphereForm::Layered), ("spheres, wrapped", SphereForm::Wrapped)]
    {
        let settings = BuildSettings::default();
        let mut cloth = Body::free_spheres(cloth_mesh.clone(), form, &settings)?;
        let mut ball = Body::rigid_spheres(ball_mesh.clone(), form, &settings)?;
        rows.measure(
            name,
            |frame| {
                cloth.set_positions(&frame.cloth)?;
                ball.set_isometry(Isometry::from_translation(frame.center)?);
                Ok((cloth.clone(), ball.clone()))
            },
            &apart,
            &contact,
        )?;
    }
    if let Some(theirs) = theirs {
        let [contact, apart] = [theirs.contact, theirs.apart].map(seconds);
        let pairs = count(theirs.pairs.len());
        let leaves = count(theirs.leaf_pairs);
        table.row([
            "parry3d leaf pairs, our exact test".into(),
            pairs,
            "".into(),
            "".into(),
            leaves,
            contact,
            apart,
            "1.0x".into(),
        ]);
    }
    table.note("against parry3d: its time over ours, in contact; pairs are checked to be equal");
    Ok(table)
}

/// The frame with the most touching pairs.
fn deepest_frame(scene: &CurtainAndBall) -> Result<usize> {
    let mut cloth = Body::free(scene.curtain.mesh.clone())?;
    let mut ball = Body::rigid(scene.ball.mesh.clone())?;
    let mut deepest = (0, 0);
    for frame in (0..scene.ball.centers.len()).step_by(5) {
        cloth.set_positions(&scene.curtain.positions(frame)?)?;
        ball.set_isometry(Isometry::from_translation(scene.ball.centers[frame])?);
        deepest = deepest.max((intersections(&cloth, &ball).pairs.len(), frame));
    }
    Ok(deepest.1)
}

/// What parry3d found, and how fast.
struct Peer {
    contact: f64,
    apart: f64,
    leaf_pairs: usize,
    pairs: Vec<[u32; 2]>,
}

#[cfg(feature = "peers")]
fn peer_times(
    scene: &CurtainAndBall,
    apart: &Frame,
    contact: &Frame,
    rounds: usize,
) -> Result<Option<Peer>> {
    use super::peer::{deformable, intersections, leaf_pairs, vertices};
    let (cloth_mesh, ball_mesh) = (&scene.curtain.mesh, &scene.ball.mesh);
    let (mut cloth, mut ball) = (deformable(cloth_mesh)?, deformable(ball_mesh)?);
    let mut time = |frame: &Frame| {
        cloth.set_vertices(&vertices(&frame.cloth));
        ball.set_vertices(&vertices(&frame.ball));
        let mut pairs = Vec::new();
        let [best] = best_of(
            rounds,
            [&mut || {
                pairs = intersections(
                    (&cloth, cloth_mesh, &frame.cloth),
                    (&ball, ball_mesh, &frame.ball),
                );
            }],
        );
        (best, leaf_pairs(&cloth, &ball).len(), pairs)
    };
    let (apart, _, _) = time(apart);
    let (contact, leaf_pairs, pairs) = time(contact);
    Ok(Some(Peer { contact, apart, leaf_pairs, pairs }))
}

#[cfg(not(feature = "peers"))]
fn peer_times(_: &CurtainAndBall, _: &Frame, _: &Frame, _: usize) -> Result<Option<Peer>> {
    Ok(None)
}

struct Rows<'a> {
    table: &'a mut Table,
    theirs: &'a Option<Peer>,
    rounds: usize,
}

impl Rows<'_> {
    /// Times both frames with bodies of one kind, and adds a row.
    fn measure<A: Collide, B: Collide>(
        &mut self,
        name: &str,
        mut bodies: impl FnMut(&Frame) -> Result<(A, B)>,
        apart: &Frame,
        contact: &Frame,
    ) -> Result<()>
    where
        A::Volume: Overlap<B::Volume>,
    {
        let mut time = |frame: &Frame| -> Result<(f64, Intersections)> {
            let (a, b) = bodies(frame)?;
            let mut hit = Intersections::default();
            let [best] = best_of(self.rounds, [&mut || hit = intersections(&a, &b)]);
            Ok((best, hit))
        };
        let (apart, _) = time(apart)?;
        let (contact, hit) = time(contact)?;
        let ratio = match self.theirs {
            None => "-".into(),
            Some(theirs) => {
                // Turned spheres and boxes see the ball's vertices as the same numbers.
                ensure!(
                    hit.pairs == theirs.pairs,
                    "{name}: pairs differ from parry3d's with our test"
                );
                format!("{:.1}x", theirs.contact / contact)
            }
        };
        self.table.row([
            name.into(),
            count(hit.pairs.len()),
            count(hit.work.bounds),
            count(hit.work.overlap_tests),
            count(hit.work.primitive_tests),
            seconds(contact),
            seconds(apart),
            ratio,
        ]);
        Ok(())
    }
}
