//! The paper's inputs, and real structures in place of those that are not at hand.

use std::path::PathBuf;

use anyhow::{Context, Result};
use glam::DVec3;
use pliant::Necklace;
use pliant::shape::Chain;
use pliant::volume::Ball;
use pliant_io::{AtomChoice, BeadRadius, Beads, read_structure};
use pliant_scenes::{
    dense_helix, globule, grill, random_protein, random_protein_of, scaling_helix, spline,
    static_helix,
};

/// A necklace with a name.
pub(crate) struct Scene {
    pub(crate) name: &'static str,
    pub(crate) necklace: Necklace,
}

impl Scene {
    fn new(name: &'static str, beads: &pliant_scenes::Beads) -> Result<Self> {
        Ok(Self { name, necklace: Necklace::open(&beads.positions, beads.radius)? })
    }
}

/// Backbone atoms are at most 1.54 ångströms apart along a chain: beads of this radius overlap.
const BACKBONE_RADIUS: f64 = 0.78;

/// The static inputs in the order of the paper's tables, and what to say about them.
pub(crate) fn inputs() -> Result<(Vec<Scene>, Vec<String>)> {
    let mut scenes = vec![Scene::new("grill", &grill())?];
    let mut notes = Vec::new();
    for (name, file) in [
        ("1hv4 backbone", "protein/static/1hv4.pdb"),
        ("villin backbone", "protein/villin/1vii.pdb"),
    ] {
        match backbone(file)? {
            Some(necklace) => scenes.push(Scene { name, necklace }),
            None => notes.push(format!("{name} is left out: {}", absent(file))),
        }
    }
    scenes.push(Scene::new("random protein", &random_protein(1))?);
    for (name, beads) in [("spline 10", 10), ("spline 50", 50), ("spline 100", 100)] {
        scenes.push(Scene::new(name, &spline(beads)?)?);
    }
    for (name, beads) in
        [("static helix 10", 10), ("static helix 640", 640), ("static helix 10240", 10_240)]
    {
        scenes.push(Scene::new(name, &static_helix(beads)?)?);
    }
    for (name, beads) in
        [("scaling helix 10", 10), ("scaling helix 640", 640), ("scaling helix 10240", 10_240)]
    {
        scenes.push(Scene::new(name, &scaling_helix(beads)?)?);
    }
    notes.push("1hv4 stands in for the paper's 1a4yA0 and 1cem00".into());
    Ok((scenes, notes))
}

/// The static inputs, and others that power diagrams are measured on.
pub(crate) fn diagram_inputs() -> Result<(Vec<Scene>, Vec<String>)> {
    let (mut scenes, mut notes) = inputs()?;
    scenes.push(Scene::new("random protein 1380", &random_protein_of(1380, 1)?)?);
    scenes.push(Scene::new("globule 10240", &globule(10_240, 1)?)?);
    scenes.push(Scene::new("dense helix 10240", &dense_helix())?);
    notes.push("random protein 1380: as many beads as 1a4yA0; dense helix: 151 turns".into());
    Ok((scenes, notes))
}

/// Where real data lies, if it is there.
pub(crate) fn shared(file: &str) -> Option<PathBuf> {
    let path = data_folder().join(file);
    path.exists().then_some(path)
}

fn data_folder() -> PathBuf {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data");
    std::env::var_os("PLIANT_SHARED_DATA").map_or_else(|| beside.into(), PathBuf::from)
}

/// Says where a file was looked for.
pub(crate) fn absent(file: &str) -> String {
    let path = data_folder().join(file);
    format!("{} is not there (PLIANT_SHARED_DATA names the folder)", path.display())
}

/// N, CA and C of every residue of a file, chain after chain; `None` if it is not there.
fn backbone(file: &str) -> Result<Option<Necklace>> {
    let Some(path) = shared(file) else { return Ok(None) };
    let structure = read_structure(&path)?;
    let radius = BeadRadius::Fixed(BACKBONE_RADIUS);
    let beads = Beads::choose(&structure, AtomChoice::Backbone, radius);
    let mut centers = Vec::new();
    let model = structure.models.first().context("a structure has a model")?;
    beads.positions(model, &mut centers);
    let balls = centers.iter().map(|&center| Ball::new(center, BACKBONE_RADIUS)).collect();
    let chains = beads.chains.iter();
    let chains: Vec<Chain> =
        chains.map(|&(first, end)| Chain { beads: end - first, closed: false }).collect();
    Ok(Some(Necklace::new(balls, &chains)?))
}

/// The random protein as it vibrates: each bead swings about its place, along the chain in twelve
/// waves, by some ångströms in all; a hundred frames for the slowest swing.
pub(crate) fn vibrating_protein(frame: usize) -> (Vec<DVec3>, f64) {
    let rest = random_protein(1);
    let last = (rest.positions.len() - 1) as f64;
    let moved = |(bead, &place): (usize, &DVec3)| {
        let along = bead as f64 / last;
        let waves = (1..=12).map(|wave| {
            let k = f64::from(wave);
            let phase = frame as f64 * 0.0628 * k.sqrt() + 1.7 * k;
            let axis = DVec3::new((2.3 * k).sin(), (3.1 * k).cos(), (5.7 * k).sin());
            axis * (0.6 / k.sqrt()) * phase.sin() * (std::f64::consts::PI * k * along).cos()
        });
        place + waves.sum::<DVec3>()
    };
    (rest.positions.iter().enumerate().map(moved).collect(), rest.radius)
}
