//! Curtain and ball: queries apart and in contact.

use std::hint::black_box;

use anyhow::{Result, ensure};
use glam::DVec3;
use parry3d::shape::TriMesh;
use pliant::bound::SphereForm;
use pliant::tree::{BuildSettings, Split};
use pliant::volume::Overlap;
use pliant::{Body, Collide, Intersections, Isometry, Mesh, intersections};
use pliant_scenes::curtain::CurtainAndBall;
use pliant_scenes::curtain_and_ball;

use crate::measure::best_of;
use crate::table::{Cell, Table, count, ratio, seconds};

/// A frame in which curtain and ball are apart.
const APART: usize = 5;

pub(crate) fn run(quick: bool) -> Result<Vec<Table>> {
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

    let peer = Peer::new(scene, &apart, &contact)?;
    let mut rows = Rows { table: &mut table, peer, apart: &apart, contact: &contact, rounds };
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
        rows.measure(name, |frame| {
            cloth.set_positions(&frame.cloth)?;
            ball.set_positions(&frame.ball)?;
            Ok((cloth.clone(), ball.clone()))
        })?;
    }
    let mut cloth = Body::free(cloth_mesh.clone())?;
    let mut ball = Body::rigid(ball_mesh.clone())?;
    rows.measure("boxes, ball rigid", |frame| {
        cloth.set_positions(&frame.cloth)?;
        ball.set_isometry(Isometry::from_translation(frame.center)?);
        Ok((cloth.clone(), ball.clone()))
    })?;
    for (name, form) in
        [("spheres, layered", SphereForm::Layered), ("spheres, wrapped", SphereForm::Wrapped)]
    {
        let settings = BuildSettings::default();
        let mut cloth = Body::free_spheres(cloth_mesh.clone(), form, &settings)?;
        let mut ball = Body::rigid_spheres(ball_mesh.clone(), form, &settings)?;
        rows.measure(name, |frame| {
            cloth.set_positions(&frame.cloth)?;
            ball.set_isometry(Isometry::from_translation(frame.center)?);
            Ok((cloth.clone(), ball.clone()))
        })?;
    }
    rows.peer_row();
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

/// parry3d in the two frames.
struct Peer<'a> {
    scene: &'a CurtainAndBall,
    apart: (&'a Frame, TriMesh, TriMesh),
    contact: (&'a Frame, TriMesh, TriMesh),
}

impl<'a> Peer<'a> {
    fn new(scene: &'a CurtainAndBall, apart: &'a Frame, contact: &'a Frame) -> Result<Self> {
        use super::parry::{deformable, vertices};
        let at = |frame: &'a Frame| -> Result<_> {
            let mut cloth = deformable(&scene.curtain.mesh)?;
            let mut ball = deformable(&scene.ball.mesh)?;
            cloth.set_vertices(&vertices(&frame.cloth));
            ball.set_vertices(&vertices(&frame.ball));
            Ok((frame, cloth, ball))
        };
        Ok(Self { scene, apart: at(apart)?, contact: at(contact)? })
    }

    /// Its leaf pairs, our exact test, our positions.
    fn pairs(&self, (frame, cloth, ball): &(&Frame, TriMesh, TriMesh)) -> Vec<[u32; 2]> {
        super::parry::intersections(
            (cloth, &self.scene.curtain.mesh, &frame.cloth),
            (ball, &self.scene.ball.mesh, &frame.ball),
        )
    }

    fn when_apart(&self) -> Vec<[u32; 2]> {
        self.pairs(&self.apart)
    }

    fn in_contact(&self) -> Vec<[u32; 2]> {
        self.pairs(&self.contact)
    }

    fn leaf_pairs(&self) -> usize {
        super::parry::leaf_pairs(&self.contact.1, &self.contact.2).len()
    }
}

struct Rows<'a> {
    table: &'a mut Table,
    peer: Peer<'a>,
    apart: &'a Frame,
    contact: &'a Frame,
    rounds: usize,
}

impl Rows<'_> {
    /// Times both frames with bodies of one kind, in turn with the peer, and adds a row.
    fn measure<A: Collide, B: Collide>(
        &mut self,
        name: &str,
        mut bodies: impl FnMut(&Frame) -> Result<(A, B)>,
    ) -> Result<()>
    where
        A::Volume: Overlap<B::Volume>,
    {
        let (a, b) = bodies(self.apart)?;
        let [apart, _] = best_of(
            self.rounds,
            [
                &mut || {
                    black_box(intersections(&a, &b));
                },
                &mut || {
                    black_box(self.peer.when_apart());
                },
            ],
        );
        let (a, b) = bodies(self.contact)?;
        let (mut hit, mut theirs) = (Intersections::default(), Vec::new());
        let [contact, peer_contact] = best_of(
            self.rounds,
            [&mut || hit = intersections(&a, &b), &mut || theirs = self.peer.in_contact()],
        );
        ensure!(hit.pairs == theirs, "{name}: pairs differ from parry3d's with our test");
        self.table.row([
            name.into(),
            count(hit.pairs.len()),
            count(hit.work.bounds),
            count(hit.work.overlap_tests),
            count(hit.work.primitive_tests),
            seconds(contact),
            seconds(apart),
            ratio(peer_contact / contact),
        ]);
        Ok(())
    }

    /// The peer's own row.
    fn peer_row(&mut self) {
        let (mut pairs, mut leaf_pairs) = (Vec::new(), 0);
        let [contact, apart, traversal] = best_of(
            self.rounds,
            [
                &mut || pairs = self.peer.in_contact(),
                &mut || {
                    black_box(self.peer.when_apart());
                },
                &mut || leaf_pairs = self.peer.leaf_pairs(),
            ],
        );
        self.table.row([
            "parry3d leaf pairs, our exact test".into(),
            count(pairs.len()),
            Cell::default(),
            Cell::default(),
            count(leaf_pairs),
            seconds(contact),
            seconds(apart),
            ratio(1.0),
        ]);
        let share = (1.0 - traversal / contact) * 100.0;
        self.table.note(format!("of parry3d's time {share:.0} % is our triangle test"));
    }
}
