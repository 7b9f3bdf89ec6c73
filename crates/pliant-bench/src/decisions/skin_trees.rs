//! Which tree suits a skin: those that are built here, and the one of Kavan & Žára 2006, whose
//! nodes vanish where they are about as large as their parents.

use anyhow::{Result, ensure};
use glam::{DAffine3, DVec3};
use pliant::bound::SkinSpheres;
use pliant::deform::{Blending, Skin};
use pliant::tree::{BuildSettings, Node, Tree};
use pliant::volume::{Aabb, Overlap, Sphere};
use pliant::{Body, Collide, SkinnedBody, intersections};
use pliant_scenes::two_men_passing;

use crate::papers::skins::duel::{Duel, timed};
use crate::table::{Cell, Table, count, seconds};

/// The trees: name, settings, and from which part of its parent's size on a node vanishes.
const TREES: [(&str, BuildSettings, f64); 7] = [
    ("surface area, 2 children", BuildSettings::SURFACE_AREA, f64::INFINITY),
    ("surface area, 4 children", BuildSettings::WIDE, f64::INFINITY),
    ("surface area, 8 children", BuildSettings { arity: 8, ..BuildSettings::WIDE }, f64::INFINITY),
    ("surface area, pruned at 0.9", BuildSettings::SURFACE_AREA, 0.9),
    ("middle, 2 children", BuildSettings::CLASSIC, f64::INFINITY),
    ("middle, pruned at 0.9", BuildSettings::CLASSIC, 0.9),
    ("middle, pruned at 0.7", BuildSettings::CLASSIC, 0.7),
];

pub(crate) fn run(quick: bool) -> Result<Vec<Table>> {
    eprintln!("skin-trees: two men passing ...");
    let duel = Duel::new(&two_men_passing()?, if quick { 6 } else { 1 });
    Ok(vec![compare("Two men passing", &duel, if quick { 1 } else { 3 })?])
}

/// One row per tree, for boxes and for spheres.
fn compare(title: &str, duel: &Duel, rounds: usize) -> Result<Table> {
    let mut table = Table::new(
        format!("{title}: trees, linear blending"),
        &[
            "tree",
            "nodes",
            "boxes apart",
            "boxes in contact",
            "box tests",
            "spheres apart",
            "spheres in contact",
            "sphere tests",
        ],
    );
    for (name, settings, vanish) in TREES {
        let boxes = |which: usize| -> Result<_> {
            let mesh = duel.meshes[which].clone();
            let body = Body::skinned_with(mesh, duel.binding(which)?, Blending::Linear, &settings)?;
            Ok(Pruned::new(body, vanish, |b: Aabb| (b.max - b.min).length()))
        };
        let spheres = |which: usize| -> Result<_> {
            let (mesh, binding) = (duel.meshes[which].clone(), duel.binding(which)?);
            let body = Body::skinned_spheres(mesh, binding, Blending::Linear, &settings)?;
            Ok(Pruned::new(body, vanish, |sphere: Sphere| sphere.radius))
        };
        let bodies = [boxes(0)?, boxes(1)?];
        let nodes = bodies[0].tree.nodes.len();
        let pose = |body: &mut SkinnedBody, joints: &[DAffine3]| body.set_pose(joints, &[]);
        let of_boxes = go(duel, bodies, pose, rounds)?;
        let pose =
            |body: &mut Body<Skin, SkinSpheres>, joints: &[DAffine3]| body.set_pose(joints, &[]);
        let of_spheres = go(duel, [spheres(0)?, spheres(1)?], pose, rounds)?;
        ensure!(of_boxes.pairs == of_spheres.pairs, "{name}: pairs differ");
        let mut row = vec![name.into(), count(nodes)];
        for found in [of_boxes, of_spheres] {
            let time = |t: f64| if t.is_nan() { Cell::default() } else { seconds(t) };
            row.extend([time(found.apart), time(found.touching), count(found.tests)]);
        }
        table.row(row);
    }
    table.note(
        "pruned: children take the place of a node of that part of its parent's size, at rest",
    );
    table.note("tests: overlap tests per frame in contact; times as above");
    Ok(table)
}

/// What a pair of bodies did.
struct Found {
    /// Mean times per frame.
    apart: f64,
    touching: f64,
    /// Overlap tests per frame in contact.
    tests: u64,
    pairs: usize,
}

fn go<B: Collide>(
    duel: &Duel,
    mut bodies: [Pruned<B>; 2],
    pose: impl Fn(&mut B, &[DAffine3]) -> pliant::Result<()>,
    rounds: usize,
) -> Result<Found>
where
    B::Volume: Overlap<B::Volume>,
{
    let (mut times, mut frames, mut tests, mut all) = ([0.0; 2], [0_u64; 2], 0, 0);
    for joints in &duel.frames {
        let (mut best, mut found) = (f64::INFINITY, pliant::Intersections::default());
        for _ in 0..rounds {
            best = best.min(timed(&mut || {
                for (body, joints) in bodies.iter_mut().zip(joints) {
                    pose(&mut body.body, joints)?;
                }
                found = intersections(&bodies[0], &bodies[1]);
                Ok(())
            })?);
        }
        let touching = usize::from(!found.pairs.is_empty());
        times[touching] += best;
        frames[touching] += 1;
        tests += if touching == 1 { found.work.overlap_tests } else { 0 };
        all += found.pairs.len();
    }
    let mean = |touching: usize| times[touching] / frames[touching] as f64;
    let tests = tests / frames[1].max(1);
    Ok(Found { apart: mean(0), touching: mean(1), tests, pairs: all })
}

/// A body whose tree has lost some inner nodes.
struct Pruned<B> {
    body: B,
    tree: Tree,
    /// For each node that is left its number in the body's tree.
    original: Vec<u32>,
}

impl<B: Collide> Pruned<B> {
    fn new(body: B, vanish: f64, size: impl Fn(B::Volume) -> f32) -> Self {
        let old = body.tree();
        let size = |node: u32| f64::from(size(body.bound(node)));
        let (mut nodes, mut original) = (vec![Node::leaf(0, 0)], vec![0]);
        let mut next = 0;
        while let Some(&number) = original.get(next) {
            let node = old.node(number);
            if node.is_leaf() {
                nodes[next] = node;
            } else {
                let (first, most) = (original.len() as u32, vanish * size(number));
                let mut open: Vec<u32> = node.range().rev().collect();
                while let Some(child) = open.pop() {
                    if !old.node(child).is_leaf() && size(child) >= most {
                        open.extend(old.node(child).range().rev());
                    } else {
                        original.push(child);
                    }
                }
                nodes[next] = Node::inner(first, original.len() as u32 - first);
                nodes.resize(original.len(), Node::leaf(0, 0));
            }
            next += 1;
        }
        let tree = Tree { nodes, primitives: old.primitives.clone() };
        Self { tree, original, body }
    }
}

impl<B: Collide> Collide for Pruned<B> {
    type Volume = B::Volume;

    #[inline]
    fn tree(&self) -> &Tree {
        &self.tree
    }

    #[inline]
    fn bound(&self, node: u32) -> B::Volume {
        self.body.bound(self.original[node as usize])
    }

    #[inline]
    fn triangle(&self, triangle: u32) -> [DVec3; 3] {
        self.body.triangle(triangle)
    }

    #[inline]
    fn adjacent(&self, first: u32, second: u32) -> bool {
        self.body.adjacent(first, second)
    }
}
