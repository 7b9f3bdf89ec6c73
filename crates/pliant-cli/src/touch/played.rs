//! Files that play their animation while they are touched.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use pliant::BodyId;
use pliant_haptics::server::Server;
use pliant_haptics::{Material, Object};
use pliant_io::{BodySettings, Method, SceneBodies, SelfContact};

use super::maps::{self, Map};
use super::{Scenery, is_over};
use crate::source::{Input, InputArguments};

/// New states per second.
const STATES: f64 = 60.0;

/// The bodies of files, and the time of their first take.
pub(super) struct Played {
    input: Input,
    bodies: SceneBodies,
    span: Option<(f64, f64)>,
    /// An object per body: clones share mesh, tree and textures.
    objects: Vec<Object>,
}

impl Played {
    pub(super) fn new(
        arguments: &InputArguments,
        material: Material,
        felt: &[Map],
    ) -> Result<Self> {
        let input = Input::load(arguments)?;
        input.print_warnings();
        // Nothing is refitted per state; triangles are moved where the proxy is.
        let settings = BodySettings {
            method: Method::Auto,
            self_contact: SelfContact::Ignored,
            ..Default::default()
        };
        let made = SceneBodies::of_scenes(input.scenes(), settings);
        let mut bodies = made.map_err(|error| input.in_file(error))?;
        let span = input.animated_span(0).filter(|(start, end)| end > start);
        let start = span.map_or(0.0, |(start, _)| start);
        bodies.set_time(start).map_err(|error| input.in_file(error))?;
        let textures = maps::of_sources(input.sources(), felt)?;
        let object = |(&id, textures): (&BodyId, &maps::Textures)| {
            let body = bodies.world().get(id).context("a body is missing")?;
            maps::textured(Object::new(body.clone(), material)?, textures)
        };
        let objects = bodies.ids().iter().zip(&textures).map(object).collect::<Result<_>>()?;
        Ok(Self { input, bodies, span, objects })
    }

    /// The objects in their state.
    fn states(&self) -> Result<Vec<Object>> {
        let object = |(&id, object): (&BodyId, &Object)| {
            let body = self.bodies.world().get(id).context("a body is missing")?;
            let mut object = object.clone();
            object.set_state(|own| {
                *own = body.clone();
                Ok(())
            })?;
            Ok(object)
        };
        self.bodies.ids().iter().zip(&self.objects).map(object).collect()
    }
}

impl Scenery for Played {
    fn objects(&mut self) -> Result<Vec<(String, Object)>> {
        let names = (0..).map(|number| self.input.name(number).to_owned());
        Ok(names.zip(self.states()?).collect())
    }

    fn bodies(&self) -> usize {
        self.input.objects().len()
    }

    fn run(&mut self, server: &Server) -> Result<()> {
        let begin = Instant::now();
        let period = Duration::from_secs_f64(1.0 / STATES);
        let mut due = begin;
        while !is_over(server) {
            if let Some((start, end)) = self.span {
                // There and back, so that nothing jumps.
                let length = end - start;
                let passed = begin.elapsed().as_secs_f64() % (2.0 * length);
                let time = start + passed.min(2.0 * length - passed);
                self.bodies.set_time(time).map_err(|error| self.input.in_file(error))?;
                server.replace(self.states()?.into_iter().enumerate().collect())?;
            }
            due = (due + period).max(Instant::now());
            std::thread::sleep(due.saturating_duration_since(Instant::now()).min(period));
        }
        Ok(())
    }
}
