//! What part of the time of queries their triangle tests take.

use std::hint::black_box;
use std::ops::AddAssign;
use std::time::{Duration, Instant};

use anyhow::Result;
use pliant::query::{descent, self_descent};
use pliant::{AnyBody, BodyId, World, intersections, self_intersections};
use pliant_io::SceneBodies;

use super::frame::contacts;
use super::run::Question;
use super::times::Moment;
use crate::source::Input;

/// How the time of queries divides, over some frames.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct QueryParts {
    /// How many frames.
    pub(crate) frames: usize,
    /// Their queries, tests included.
    pub(crate) query: Duration,
    /// The triangle tests among that, with moving the triangles' corners.
    pub(crate) tests: Duration,
}

impl QueryParts {
    /// How often each part is measured.
    pub(crate) const ROUNDS: u32 = 3;

    /// The part of the queries that are triangle tests, from 0 to 1.
    pub(crate) fn share_of_tests(&self) -> f64 {
        let query = self.query.as_secs_f64();
        if query > 0.0 { (self.tests.as_secs_f64() / query).min(1.0) } else { 0.0 }
    }
}

impl AddAssign for QueryParts {
    fn add_assign(&mut self, other: Self) {
        self.frames += other.frames;
        self.query += other.query;
        self.tests += other.tests;
    }
}

impl QueryParts {
    /// Moves everything to a time and measures what part of the query there are its triangle tests.
    ///
    /// Tests are too short and too many to be timed one by one. So the query is asked as in a run,
    /// then again by the functions that also descend without tests, then without its tests. The
    /// second minus the third are the tests, and they are a part of the first. This is repeated a
    /// few times and the shortest counts, since whatever else the machine does only makes it longer.
    pub(super) fn measure(
        bodies: &mut SceneBodies,
        input: &Input,
        moment: Moment,
        question: &Question,
    ) -> Result<Self> {
        let [mut query, mut again, mut without] = [Duration::MAX; 3];
        input.play(bodies, moment.take)?;
        for _ in 0..Self::ROUNDS {
            bodies.set_time(moment.time).map_err(|error| input.in_file(error))?;
            let world = bodies.world();
            let start = Instant::now();
            black_box(contacts(world, question)?);
            let asked = Instant::now();
            for_asked_pairs(world, |[a, b], [first, second]| {
                let prepared = world.prepared(a).ok().flatten().filter(|_| a == b);
                black_box(match prepared.and_then(|one| one.self_intersections(first).ok()) {
                    Some(found) => found,
                    None if a == b => self_intersections(first),
                    None => intersections(first, second),
                });
            });
            let asked_again = Instant::now();
            for_asked_pairs(world, |[a, b], [first, second]| {
                let prepared = world.prepared(a).ok().flatten().filter(|_| a == b);
                black_box(match prepared.and_then(|one| one.self_descent(first).ok()) {
                    Some(work) => work,
                    None if a == b => self_descent(first),
                    None => descent(first, second),
                });
            });
            query = query.min(asked - start);
            again = again.min(asked_again - asked);
            without = without.min(asked_again.elapsed());
        }
        Ok(Self { frames: 1, query, tests: again.saturating_sub(without) })
    }
}

/// Calls `each` with the pairs of bodies that a world asks, bodies with themselves included. There
/// may be billions: they are kept nowhere.
pub(super) fn for_asked_pairs<'a>(
    world: &'a World,
    mut each: impl FnMut([BodyId; 2], [&'a AnyBody; 2]),
) {
    for (id, body) in world.iter().filter(|&(id, _)| world.counts(id, id) == Ok(true)) {
        each([id; 2], [body; 2]);
    }
    world.candidates(|[a, b]| {
        // Ids of the world's own are known.
        if let (Ok(first), Ok(second)) = (world.get(a), world.get(b)) {
            each([a, b], [first, second]);
        }
    });
}
