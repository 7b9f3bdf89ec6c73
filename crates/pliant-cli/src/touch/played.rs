//! Files that play their animation while they are touched.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use pliant_haptics::server::Server;
use pliant_haptics::{Material, Object};
use pliant_io::{BodySettings, Method, SceneBodies, SelfContact};

use super::{Scenery, is_over};
use crate::source::{Input, InputArguments};

/// New states per second.
const STATES: f64 = 60.0;

/// The bodies of files, and the time of their first take.
pub(super) struct Played {
    input: Input,
    bodies: SceneBodies,
    span: Option<(f64, f64)>,
    material: Material,
}

impl Played {
    pub(super) fn new(arguments: &InputArguments, material: Material) -> Result<Self> {
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
        Ok(Self { input, bodies, span, material })
    }

    /// The objects in their state.
    fn states(&self) -> Result<Vec<Object>> {
        let object = |&id| {
            let body = self.bodies.world().get(id).context("a body is missing")?;
            Ok(Object::new(body.clone(), self.material)?)
        };
        self.bodies.ids().iter().map(object).collect()
    }
}

impl Scenery for Played {
    fn objects(&mut self) -> Result<Vec<(String, Object)>> {
        let names = (0..).map(|number| self.input.name(number).to_owned());
        Ok(names.zip(self.states()?).collect())
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
