//! What is kept of two things that are asked in every query: their front, and whether one pays.

use super::course::Course;
use super::{CALM_STEPS, SHORT_STEP};
use crate::query::front::{Front, PerPatch, Sides};
use crate::query::pair_limit::PairLimit;
use crate::query::{Intersections, Work};

/// Queries from scratch after a front was given up: at first, and the most, if that happens again
/// and again before it was followed for a while.
const REST: u32 = 16;
const LONGEST_REST: u32 = 256;
const A_WHILE: u32 = 32;

/// Queries from scratch after a step that was too long, at most: one for each in a row.
const LONGEST_PAUSE: u32 = 8;

/// What a query from scratch costs, in tests of two triangles, below which a front is not worth its
/// keep.
const LEAST_COST: u64 = 256;

/// The most pairs of a front, for each test that a query from scratch costs: to go through them takes
/// half as long then.
const PAIRS_PER_TEST: u64 = 12;

/// What is kept of two things.
#[derive(Debug)]
pub(super) struct KeptPair {
    front: Option<Front>,
    /// The courses of both, and how far they had gone when the front was made.
    courses: [u64; 2],
    since: [Box<PerPatch<f64>>; 2],
    /// Short steps in a row, and long ones.
    calm: u32,
    restless: u32,
    /// Queries from scratch until motion is looked at again, and how many came after the last failure.
    /// The first look afterwards sees several steps at once, and is not judged.
    rest: u32,
    has_rested: bool,
    last_rest: u32,
    /// Queries that followed the front.
    followed: u32,
    /// The last query from scratch.
    scratch: Work,
}

impl Default for KeptPair {
    fn default() -> Self {
        Self {
            front: None,
            courses: [u64::MAX; 2],
            since: [0, 1].map(|_| Box::new([0.0; 256])),
            calm: 0,
            restless: 0,
            rest: 0,
            has_rested: false,
            last_rest: 0,
            followed: 0,
            scratch: Work::default(),
        }
    }
}

impl KeptPair {
    /// How many pairs its front holds.
    pub(super) fn front_pairs(&self) -> usize {
        self.front.as_ref().map_or(0, Front::len)
    }

    /// Whether the next query starts from scratch, wherever things moved. Counts the query if so.
    pub(super) fn rests(&mut self) -> bool {
        let rests = self.rest > 0;
        self.rest = self.rest.saturating_sub(1);
        self.has_rested |= rests;
        rests
    }

    /// The motion of one of both has no cheap bound: it is not looked at again for long.
    pub(super) fn is_not_watched(&mut self) {
        self.rest = LONGEST_REST;
    }

    /// A query from scratch.
    pub(super) fn start_over(
        &mut self,
        from_scratch: impl FnOnce() -> Intersections,
    ) -> Intersections {
        let found = from_scratch();
        self.scratch = found.work;
        found
    }

    /// All pairs that touch: from the front, or from scratch. Some are missing if the limit is
    /// exceeded, and only then.
    pub(super) fn ask(
        &mut self,
        sides: &impl Sides,
        courses: [&Course; 2],
        most: usize,
        limit: &PairLimit,
        from_scratch: impl FnOnce() -> Intersections,
    ) -> Intersections {
        self.look_at_motion(courses);
        let cost = cost(&self.scratch);
        let most = most.min((PAIRS_PER_TEST * cost) as usize);
        let mut work = Work::default();
        if let Some(mut front) = self.front.take()
            && self.calm > 0
        {
            let moved = [0, 1].map(|i| courses[i].moved_since(&self.since[i]));
            let travel = [0, 1].map(|i| courses[i].travel(&moved[i]));
            if front.find_due(travel) > cost {
                self.give_up();
            } else if front.is_spent() {
                // Made again below.
            } else {
                front.follow(sides, travel, most, &mut work);
                if front.len() <= most {
                    self.followed += 1;
                    if self.followed > A_WHILE {
                        self.last_rest = 0;
                    }
                    return self.keep(front, work, limit);
                }
                self.give_up();
            }
        }
        if self.rest == 0 && self.calm >= CALM_STEPS && cost >= LEAST_COST {
            let travel = courses.map(|course| course.travel(&[0.0; 256]));
            let made = Front::new(sides, travel, most, &mut work);
            self.since = courses.map(|course| course.travelled.clone());
            self.followed = 0;
            match made {
                Some(front) => return self.keep(front, work, limit),
                None => self.give_up(),
            }
        }
        let mut found = self.start_over(from_scratch);
        found.work += work;
        found
    }

    /// Counts the steps in a row that were short enough for a front.
    fn look_at_motion(&mut self, courses: [&Course; 2]) {
        let numbers = courses.map(|course| course.number);
        let step = courses[0].mean_step + courses[1].mean_step;
        let size = courses[0].size.min(courses[1].size);
        let is_judged = self.courses != [u64::MAX; 2] && !std::mem::take(&mut self.has_rested);
        if numbers != self.courses {
            // What was learned of the pair stays.
            (self.front, self.courses, self.calm) = (None, numbers, 0);
        }
        if step <= SHORT_STEP * size {
            (self.calm, self.restless) = (self.calm + 1, 0);
        } else if is_judged {
            (self.calm, self.restless) = (0, self.restless + 1);
            self.rest = self.restless.min(LONGEST_PAUSE);
        } else {
            self.calm = 0;
        }
    }

    fn give_up(&mut self) {
        self.last_rest = (2 * self.last_rest).clamp(REST, LONGEST_REST);
        self.rest = self.last_rest;
    }

    fn keep(&mut self, front: Front, work: Work, limit: &PairLimit) -> Intersections {
        let pairs = front.pairs().to_vec();
        let _ = limit.count(pairs.len());
        self.front = Some(front);
        Intersections { pairs, work }
    }
}

/// About what a query from scratch cost, in tests of two triangles. Measured: five tests of boxes cost
/// about as much as one.
fn cost(scratch: &Work) -> u64 {
    scratch.overlap_tests / 5 + scratch.primitive_tests
}
