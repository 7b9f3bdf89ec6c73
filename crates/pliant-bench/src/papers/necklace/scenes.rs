//! The paper's inputs, and real structures in place of those that are not at hand.

use std::path::PathBuf;
use std::sync::OnceLock;

use anyhow::{Context, Result};
use glam::DVec3;
use pliant::Necklace;
use pliant::necklace::clashes;
use pliant::power::PowerDiagram;
use pliant::shape::Chain;
use pliant::volume::Ball;
use pliant_io::{AtomChoice, BeadRadius, Beads, read_structure};
use pliant_scenes::{
    dense_helix, globule, grill, helix, random_protein, random_protein_of, scaling_helix, spline,
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
pub(super) const BACKBONE_RADIUS: f64 = 0.78;

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
    let (turns, beads) = edge_helix()?;
    scenes.push(Scene::new("helix 640", &beads)?);
    notes.push(format!(
        "helix 640: {turns} turns, nearest to the edges of the paper's static helix 640"
    ));
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

/// Edges of the paper's static helix of 640 beads.
const HELIX_EDGES: usize = 57_000;

/// A helix of 640 beads with as many edges as the paper's, or nearly, and its turns. The paper does not
/// tell them: they are sought in steps of a quarter.
pub(crate) fn edge_helix() -> Result<(f64, pliant_scenes::Beads)> {
    static TURNS: OnceLock<f64> = OnceLock::new();
    let off = |turns: f64| -> Option<usize> {
        let beads = helix(640, turns).ok()?;
        let necklace = Necklace::open(&beads.positions, beads.radius).ok()?;
        let edges = PowerDiagram::new(necklace.beads()).ok()?.edges().len();
        Some(edges.abs_diff(HELIX_EDGES))
    };
    let turns = *TURNS.get_or_init(|| {
        let known = (6..60).map(|quarters| f64::from(quarters) / 4.0);
        let known = known.filter_map(|turns| Some((off(turns)?, turns)));
        known.min_by_key(|&(off, _)| off).map_or(1.5, |(_, turns)| turns)
    });
    Ok((turns, helix(640, turns)?))
}

/// The random protein as it vibrates: each bead swings in waves through space, then all steps of the
/// chain get their length back. It stays a necklace: waves are as high as they can be, by powers of
/// 0.8, while only neighbours touch.
pub(crate) fn vibrating_protein(frame: usize) -> (Vec<DVec3>, f64) {
    static HEIGHT: OnceLock<f64> = OnceLock::new();
    let height = *HEIGHT.get_or_init(|| {
        let heights = (0..40).map(|power| 2.0 * 0.8_f64.powi(power));
        let keeps = |&height: &f64| (0..1000).step_by(5).all(|frame| is_necklace(frame, height));
        heights.into_iter().find(keeps).unwrap_or(0.0)
    });
    (vibrated(frame, height), random_protein(1).radius)
}

/// Whether only neighbours touch in a frame.
fn is_necklace(frame: usize, height: f64) -> bool {
    let necklace = Necklace::open(&vibrated(frame, height), random_protein(1).radius);
    necklace.is_ok_and(|necklace| clashes(&necklace, 2).pairs.is_empty())
}

fn vibrated(frame: usize, height: f64) -> Vec<DVec3> {
    let rest = random_protein(1).positions;
    let size = rest.iter().fold(1.0_f64, |most, p| most.max(p.length()));
    let moved = |place: DVec3| {
        let waves = (1..=6).map(|wave| {
            let k = f64::from(wave);
            let phase = frame as f64 * 0.0628 * k.sqrt() + 1.7 * k;
            let axis = DVec3::new((2.3 * k).sin(), (3.1 * k).cos(), (5.7 * k).sin());
            let along = DVec3::new((1.9 * k).cos(), (4.3 * k).sin(), (0.7 * k).cos());
            axis * (height / k) * phase.sin() * (along.dot(place) * k.sqrt() / size).cos()
        });
        place + waves.sum::<DVec3>()
    };
    let swung: Vec<DVec3> = rest.iter().map(|&place| moved(place)).collect();
    let mut chain = vec![swung[0]];
    for (bead, pair) in swung.windows(2).enumerate() {
        let length = rest[bead].distance(rest[bead + 1]);
        chain.push(chain[bead] + length * (pair[1] - pair[0]).normalize_or(DVec3::X));
    }
    chain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_vibrating_protein_stays_a_necklace_and_moves() {
        let (rest, radius) = vibrating_protein(0);
        let mut farthest: f64 = 0.0;
        for frame in (0..1000).step_by(5) {
            let (now, _) = vibrating_protein(frame);
            let touching = now.windows(2).all(|two| two[0].distance(two[1]) <= 2.0 * radius);
            assert!(touching, "frame {frame}: neighbours are apart");
            let necklace = Necklace::open(&now, radius).unwrap();
            assert!(clashes(&necklace, 2).pairs.is_empty(), "frame {frame}");
            farthest =
                now.iter().zip(&rest).fold(farthest, |most, (a, b)| most.max(a.distance(*b)));
        }
        assert!(farthest > 0.05 * radius, "it moves by {farthest}");
    }
}
