//! Shirt and dress on a walking man (Zachmann and Weller 2006, section 7).

use anyhow::Result;
use pliant::bound::Expiring;
use pliant::deform::{Binding, Blending, Influence, SkinWeights};
use pliant::glam::DVec3;
use pliant::{Body, Mesh, SkinnedBody, intersections};
use pliant_scenes::{Character, Garment, dress, icosphere, shirt};

use super::courses::CourseTable;
use super::edits::EditTable;
use super::motion::{IN_BETWEENS, Motion};
use super::tables::MotionTables;
use crate::measure::{in_turns, timed};
use crate::table::{Table, count, figure, ratio_to};

/// The keyframe that is measured: in the middle of a step.
const KEYFRAME: usize = 3;

type Generator = fn(usize) -> pliant::Result<Garment>;

/// The paper's ratio of bottom-up to kinetic, and a line for the notes.
const PAPER: (&str, &str) = (
    "10x",
    "the paper: 10x for shirt and dress; the total does not depend on the number of frames",
);

pub(crate) fn run(quick: bool) -> Result<Vec<Table>> {
    let sizes: &[(&str, Generator, usize)] = match quick {
        true => &[("shirt", shirt, 8_000), ("dress", dress, 16_000)],
        false => &[
            ("shirt", shirt, 32_000),
            ("shirt", shirt, 326_000),
            ("dress", dress, 65_000),
            ("dress", dress, 580_000),
        ],
    };
    let mut tables = MotionTables::new("Garments on a walking man", PAPER);
    let mut ball = BallTable::new();
    let mut courses = CourseTable::new("Garments on a walking man");
    let mut edits = EditTable::new("Garments on a walking man");
    for &(name, generate, faces) in sizes {
        eprintln!("cloth: {name} of {faces} triangles ...");
        let garment = generate(faces)?;
        let motion = Motion::new(&garment.cloth, KEYFRAME)?;
        let mut wearer = skinned(&garment.wearer)?;
        wearer.set_pose(&garment.wearer.pose(motion.asked_at()), &[])?;
        let budget = if quick { 0.05 } else { 0.4 };
        tables.add(name, &motion.measure(&wearer, budget)?);
        if faces < 100_000 {
            courses.add(name, &garment.cloth, KEYFRAME)?;
        }
        edits.add(name, &motion, budget)?;
        if name == "dress" {
            ball.add(&motion, budget)?;
        }
    }
    let mut tables = tables.finish();
    tables.extend([ball.table, courses.finish(), edits.finish()]);
    Ok(tables)
}

/// The wearer, bounded from his joints.
fn skinned(wearer: &Character) -> Result<SkinnedBody> {
    let influence =
        |own: &pliant_scenes::Influence| Influence { joint: own.joint, weight: own.weight };
    let influences = wearer.influences.iter().map(influence).collect();
    let weights = SkinWeights { starts: wearer.starts.clone(), influences };
    let binding = Binding::new(weights, wearer.joints.len())?;
    Ok(Body::skinned(wearer.mesh.clone(), binding, Blending::Linear)?)
}

/// A ball that touches the dress: a query that looks at little.
struct BallTable {
    table: Table,
}

impl BallTable {
    fn new() -> Self {
        let headings = [
            "triangles",
            "pairs",
            "refit",
            "its query",
            "boundary",
            "advance",
            "blended query",
            "x",
            "x in 10",
            "x in 100",
            "x in 1000",
            "tests",
            "blended tests",
        ];
        let title =
            "A ball on the dress: us per frame, on demand against a refit of all, one thread";
        let mut table = Table::new(title, &headings);
        table.note("x: refit with its query over advance with blended query, between keyframes; x in 10, 100, 1000: with the keyframe's");
        table.note("boundary shared by so many frames; tests: of overlap");
        Self { table }
    }

    fn add(&mut self, motion: &Motion, budget: f64) -> Result<()> {
        let mut free = Body::free(motion.mesh.clone())?;
        let mut positions = Vec::new();
        motion.refit(&mut free, &mut positions)?;
        // Above the knee, in front: as far out as the cloth reaches there, and a little in it.
        let near = positions.iter().filter(|p| (0.55..0.6).contains(&p.y));
        let front = near.fold(DVec3::NEG_INFINITY, |a, &b| if b.z > a.z { b } else { a });
        let radius = 0.02;
        let center = front + DVec3::Z * (0.97 * radius);
        let ball = icosphere(2)?;
        let place = |p: &DVec3| *p * radius + center;
        let ball =
            Mesh::new(ball.positions().iter().map(place).collect(), ball.triangles().to_vec())?;
        let ball = Body::rigid(ball)?;
        let mut blended = motion.body::<Expiring>()?;
        blended.rewind(motion.asked_at())?;
        let (mut found, mut on_demand) =
            (intersections(&free, &ball), intersections(&blended, &ball));
        let [refit, query, boundary, advance, blended_query] =
            in_turns(budget, |turn| match turn {
                0 => timed(|| motion.refit(&mut free, &mut positions)),
                1 => timed(|| {
                    found = intersections(&free, &ball);
                    Ok(())
                }),
                2 => motion.cross(&mut blended),
                3 => motion.pass(&mut blended),
                _ => {
                    blended.rewind(motion.asked_at())?;
                    timed(|| {
                        on_demand = intersections(&blended, &ball);
                        Ok(())
                    })
                }
            })?;
        let whole = refit + query;
        let ours = advance + blended_query;
        let us = |time: f64| figure(time * 1e6, 1, "us");
        let mut row = vec![
            count(motion.mesh.triangles().len()),
            count(on_demand.pairs.len()),
            us(refit),
            us(query),
            us(boundary),
            figure(advance * 1e6, 3, "us"),
            us(blended_query),
            ratio_to(whole / ours, 0),
        ];
        row.extend(IN_BETWEENS.map(|n| ratio_to(whole / (ours + boundary / f64::from(n)), 1)));
        row.extend([found.work.overlap_tests, on_demand.work.overlap_tests].map(count));
        self.table.row(row);
        if motion.mesh.triangles().len() > 500_000 && whole < 30.0 * ours {
            self.table.note("missed: 30x at the largest dress");
        }
        Ok(())
    }
}
