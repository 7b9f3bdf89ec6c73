//! Scenes of the user's own files, as TOML (docs/scene-format.md).

use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::built_in::Choice;
use super::scene::{Felt, Look, LookMotion, Scene, World};
use super::scene_table::{
    BodyTable, GoalName, Kind, ModelTable, ObstacleTable, PlasticityTable, SceneTable,
};
use anyhow::{Context, Result, anyhow, bail, ensure};
use glam::{DAffine3, DQuat, DVec3};
use pliant::Mesh;
use pliant_sim::dynamics::{
    Damping, Elasticity, Model, ModelId, ModelSettings, Obstacle, Placement, Settings, Simulation,
};
use pliant_sim::mixed::MixedSimulation;
use pliant_sim::shape_matching::{
    ContactSettings, Goal, Shape, ShapeBody, ShapeMaterial, ShapeSimulation, SimulationSettings,
    sample_surface,
};
use pliant_sim::{Material, VibrationSettings, vibration_modes};

/// More bodies than this are an error: a slip of the pen in a count, more likely than a wish.
const MAX_BODIES: usize = 200_000;

/// Where an element of the file is, for errors.
struct Source<'a> {
    file: &'a Path,
    text: &'a str,
}

impl Source<'_> {
    /// Names the line where an element begins.
    fn line(&self, span: &Range<usize>) -> String {
        let before = self.text.as_bytes().get(..span.start).unwrap_or_default();
        let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count();
        format!("{}: line {line}", self.file.display())
    }
}

/// A model with what its bodies need.
enum Made {
    Dynamics(Arc<Model>, Option<ModelId>),
    Shape(Arc<Shape>),
}

/// Reads a scene. The command line counts more: `--level` replaces every level.
pub(super) fn read(file: &Path, choice: Choice) -> Result<Scene> {
    let text = std::fs::read_to_string(file).with_context(|| file.display().to_string())?;
    parse(&text, file, choice)
}

fn parse(text: &str, file: &Path, choice: Choice) -> Result<Scene> {
    // The error names line and column.
    let table: SceneTable =
        toml::from_str(text).map_err(|error| anyhow!("{}: {error}", file.display()))?;
    let source = Source { file, text };
    ensure!(choice.bodies.is_none(), "--bodies: {} says how many bodies there are", file.display());
    ensure!(!table.bodies.is_empty(), "{}: it has no [[body]]", file.display());
    ensure!(
        (1..=100_000).contains(&table.steps_per_frame),
        "{}: steps-per-frame must be from 1 to 100000",
        file.display()
    );
    let mut names = HashMap::new();
    let (mut made, mut looks) = (Vec::new(), Vec::new());
    for spanned in &table.models {
        let (line, model) = (source.line(&spanned.span()), spanned.as_ref());
        let known = names.insert(model.name.as_str(), made.len());
        ensure!(known.is_none(), "{line}: there are two models of the name {:?}", model.name);
        let (one, look) = make(model, file, choice).with_context(|| line)?;
        made.push(one);
        looks.push(look);
    }
    let mut cast = Vec::new();
    for spanned in &table.bodies {
        let (line, body) = (source.line(&spanned.span()), spanned.as_ref());
        let Some(&model) = names.get(body.model.as_str()) else {
            bail!("{line}: there is no model {:?}", body.model);
        };
        cast.push((body, model, line));
    }
    // Rigid and modal bodies come first.
    let is_shape = |model: usize| matches!(made[model], Made::Shape(_));
    cast.sort_by_key(|&(_, model, _)| is_shape(model));
    let (some, all) = (cast.iter().any(|c| is_shape(c.1)), cast.iter().all(|c| is_shape(c.1)));
    let mut stage = Stage { dynamics: dynamics_world(&table)?, shapes: vec![], look_of: vec![] };
    for (body, model, line) in cast {
        add_bodies(&mut stage, &mut made[model], model, body).with_context(|| line)?;
    }
    let mut standing = Vec::new();
    for spanned in &table.obstacles {
        let obstacle = obstacle(spanned.as_ref());
        let line = || source.line(&spanned.span());
        stage.dynamics.add_obstacle(obstacle.clone()).with_context(line)?;
        standing.push(obstacle);
    }
    let world = match (some, all) {
        (false, _) => World::Dynamics(Box::new(stage.dynamics)),
        (true, true) => {
            let mut run = shape_world(&table)?;
            run.bodies = stage.shapes;
            run.set_obstacles(standing)?;
            World::Shapes(Box::new(run))
        }
        (true, false) => {
            let friction = table.friction.unwrap_or(ContactSettings::default().friction);
            let contacts = ContactSettings { friction, ..ContactSettings::default() };
            let run = MixedSimulation::new(stage.dynamics, stage.shapes, contacts)?;
            World::Mixed(Box::new(run))
        }
    };
    Ok(Scene {
        name: file.display().to_string(),
        world,
        looks,
        look_of: stage.look_of,
        steps_per_frame: table.steps_per_frame,
        usual_steps: table.steps.unwrap_or(600),
    })
}

/// Bodies of both kinds, and the look of each: rigid and modal ones first.
struct Stage {
    dynamics: Simulation,
    shapes: Vec<ShapeBody>,
    look_of: Vec<u32>,
}

fn dynamics_world(table: &SceneTable) -> Result<Simulation> {
    let mut settings = Settings::default();
    settings.step = table.step.unwrap_or(settings.step);
    settings.gravity = table.gravity.map_or(settings.gravity, DVec3::from_array);
    settings.contact.friction = table.friction.unwrap_or(settings.contact.friction);
    Ok(Simulation::new(settings)?)
}

fn shape_world(table: &SceneTable) -> Result<ShapeSimulation> {
    let mut settings = SimulationSettings::default();
    settings.step = table.step.unwrap_or(settings.step);
    settings.gravity = table.gravity.map_or(settings.gravity, DVec3::from_array);
    settings.contacts.friction = table.friction.unwrap_or(settings.contacts.friction);
    Ok(ShapeSimulation::new(settings)?)
}

/// Loads a model's file and makes what its bodies share.
fn make(model: &ModelTable, scene: &Path, choice: Choice) -> Result<(Made, Look)> {
    // A path stands beside the file that names it.
    let beside = |path: &Path| scene.parent().map_or(path.to_owned(), |folder| folder.join(path));
    let file = beside(&model.file);
    ensure!(model.scale.is_finite() && model.scale > 0.0, "scale must be a number above 0");
    let mesh = one_mesh(&file, model.scale)?;
    let felt = felt(model, file, beside)?;
    let name = model.name.clone();
    if model.kind == Kind::ShapeMatching {
        let jelly = ShapeMaterial::JELLY;
        let beta = model.beta.unwrap_or(jelly.goal.beta());
        let goal = match model.goal {
            Some(GoalName::Rigid) => Goal::Rigid,
            Some(GoalName::Linear) | None => Goal::Linear { beta },
            Some(GoalName::Quadratic) => Goal::Quadratic { beta },
        };
        let alpha = model.alpha.unwrap_or(jelly.alpha);
        let damping = model.damping.unwrap_or(jelly.damping);
        let plasticity = model.plasticity.map(PlasticityTable::of_shapes);
        let material = ShapeMaterial { goal, alpha, damping, plasticity };
        let count = model.points.unwrap_or(100);
        ensure!((1..=100_000).contains(&count), "points must be from 1 to 100000");
        let (points, spacing) = sample_surface(&mesh, count);
        let mass = model.mass.unwrap_or(1.0);
        let shape = Shape::new(points, mass, 0.5 * spacing, model.clusters.unwrap_or(4), material)?;
        let motion = LookMotion::Skin(shape.skin_weights(&mesh));
        let look = Look { name, mesh: Arc::new(mesh), motion, felt };
        return Ok((Made::Shape(Arc::new(shape)), look));
    }
    let material = Material {
        young: model.young.unwrap_or(Material::POLYPROPYLENE.young),
        poisson: model.poisson.unwrap_or(Material::POLYPROPYLENE.poisson),
        density: model.density.unwrap_or(Material::POLYPROPYLENE.density),
    };
    let usual = ModelSettings::default();
    let level = choice.level.or(model.level).unwrap_or(usual.level);
    let settings = ModelSettings { level, density: material.density, ..usual };
    let made = match model.kind {
        Kind::Rigid => Model::rigid(mesh, &settings)?,
        _ => {
            let modes = model.modes.unwrap_or(10);
            let cell = model.cell.unwrap_or_else(|| size_of(&mesh) / 16.0);
            let vibration = VibrationSettings { modes, cell, material, fixed: vec![] };
            let found = vibration_modes(&mesh, &vibration)?;
            let damping = Damping::Ratios(vec![model.damping.unwrap_or(0.1); found.modes.count()]);
            let strain_limit = model.strain_limit.unwrap_or(0.1);
            Model::vibrating(mesh, found, &Elasticity { damping, strain_limit }, &settings)?
        }
    };
    let made = Arc::new(made);
    let mesh = Arc::clone(made.mesh());
    let look = Look { name, mesh, motion: LookMotion::Modal(Arc::clone(&made)), felt };
    Ok((Made::Dynamics(made, None), look))
}

/// The pictures that hands feel, if there are some.
fn felt(
    model: &ModelTable,
    file: PathBuf,
    beside: impl Fn(&Path) -> PathBuf,
) -> Result<Option<Felt>> {
    let height_map = match (&model.height_map, model.height) {
        (Some(map), Some(height)) if height.is_finite() && height > 0.0 => {
            Some((beside(map), height))
        }
        (None, None) => None,
        _ => bail!("height-map needs height, a number above 0, and height needs height-map"),
    };
    let friction_map = model.friction_map.as_deref().map(beside);
    let some = height_map.is_some() || friction_map.is_some();
    Ok(some.then_some(Felt { file, height_map, friction_map }))
}

/// All objects of a file at rest as one mesh.
fn one_mesh(file: &Path, scale: f64) -> Result<Mesh> {
    let scene = pliant_io::load(file)?;
    let pose = scene.pose(None, 0.0)?;
    let (mut positions, mut triangles) = (Vec::new(), Vec::new());
    let mut own = Vec::new();
    for (number, object) in scene.objects().iter().enumerate() {
        own.clear();
        scene.posed(number, &pose)?.positions(&mut own);
        let first = u32::try_from(positions.len())?;
        positions.extend(own.iter().map(|&position| scale * position));
        for triangle in object.mesh.triangles() {
            let [a, b, c] = triangle.map(|vertex| vertex.checked_add(first));
            let (Some(a), Some(b), Some(c)) = (a, b, c) else { bail!("it has too many vertices") };
            triangles.push([a, b, c]);
        }
    }
    Ok(Mesh::new(positions, triangles)?)
}

fn size_of(mesh: &Mesh) -> f64 {
    let first = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    let extend = |(low, high): (DVec3, DVec3), &p: &DVec3| (low.min(p), high.max(p));
    let (low, high) = mesh.positions().iter().fold(first, extend);
    (high - low).max_element()
}

fn add_bodies(stage: &mut Stage, made: &mut Made, look: usize, body: &BodyTable) -> Result<()> {
    let [nx, ny, nz] = body.count.unwrap_or([1; 3]);
    let count = nx.checked_mul(ny).and_then(|n| n.checked_mul(nz)).unwrap_or(usize::MAX);
    let total = stage.look_of.len().saturating_add(count);
    ensure!(total <= MAX_BODIES, "there are more than {MAX_BODIES} bodies");
    ensure!(count <= 1 || body.spacing.is_some(), "count needs a spacing");
    let spacing = DVec3::from_array(body.spacing.unwrap_or_default());
    let vectors = [body.place, body.rotation, body.velocity, body.spin].map(DVec3::from_array);
    let [place, rotation, velocity, spin] = vectors;
    ensure!(
        vectors.iter().all(|vector| vector.is_finite()) && spacing.is_finite(),
        "place, rotation, velocity, spin and spacing must be finite numbers"
    );
    let rotation = DQuat::from_scaled_axis(rotation.map(f64::to_radians));
    for number in 0..count {
        let site = [number % nx, number / nx % ny, number / (nx * ny)].map(|at| at as f64);
        let translation = place + spacing * DVec3::from_array(site);
        match &mut *made {
            Made::Dynamics(model, id) => {
                let run = &mut stage.dynamics;
                let id = *id.get_or_insert_with(|| run.add_model(Arc::clone(model)));
                run.add_body(id, &Placement { rotation, translation, velocity, spin })?;
            }
            Made::Shape(shape) => {
                let frame = DAffine3::from_rotation_translation(rotation, translation);
                let mut body = ShapeBody::new(Arc::clone(shape), frame, velocity)?;
                let turning = |p: &DVec3| velocity + spin.cross(*p - body.center());
                let velocities: Vec<DVec3> = body.positions().iter().map(turning).collect();
                let positions = body.positions().to_vec();
                body.set_state(&positions, &velocities)?;
                stage.shapes.push(body);
            }
        }
        stage.look_of.push(look as u32);
    }
    Ok(())
}

fn obstacle(table: &ObstacleTable) -> Obstacle {
    match *table {
        ObstacleTable::Floor { height } => Obstacle::floor(height),
        ObstacleTable::Ball { center, radius } => Obstacle::ball(DVec3::from_array(center), radius),
        ObstacleTable::Box { center, size } => {
            Obstacle::cuboid(DVec3::from_array(center), 0.5 * DVec3::from_array(size))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error_of(text: &str) -> String {
        let choice = Choice { bodies: None, level: None, seed: 1 };
        format!("{:#}", parse(text, Path::new("a.toml"), choice).unwrap_err())
    }

    #[test]
    fn what_is_wrong_is_named_by_its_line() {
        for (text, line, word) in [
            ("step = 1\n\n[[body]\n", 3, "table"),
            ("step = 1\nspeed = 2\n", 2, "speed"),
            ("step = \"fast\"\n", 1, "invalid type"),
            (
                "\n[[model]]\nname = \"a\"\nfile = \"a.obj\"\nkind = \"soft\"\n[[body]]\nmodel=\"a\"",
                5,
                "soft",
            ),
            ("\n\n[[body]]\nmodel = \"a\"\n", 3, "no model"),
            (
                "[[body]]\nmodel = \"a\"\n[[model]]\nname = \"a\"\nfile = \"none.obj\"\nkind = \"rigid\"",
                3,
                "none.obj",
            ),
            ("[[body]]\nmodel=\"a\"\n\n[[obstacle]]\nkind = \"wall\"\n", 5, "wall"),
        ] {
            let error = error_of(text);
            assert!(error.contains(&format!("line {line}")), "{error}");
            assert!(error.contains(word), "{error}");
        }
        assert!(error_of("step = 1").contains("no [[body]]"));
    }
}
