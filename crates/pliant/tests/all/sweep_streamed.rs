//! Sweeps in batches are the gathered ones, in the same batches for any number of threads.

use std::ops::ControlFlow;

use pliant::glam::DVec3;
use pliant::query::{Adjacency, Impacts, SweepSettings, self_sweep_streamed, sweep_streamed};
use pliant::world::BodiesSwept;
use pliant::{
    Body, BodyId, Error, FreeBody, Mesh, PreparedSelfSweep, Step, Swept, Work, World, self_sweep,
    sweep,
};
use pliant_scenes::{Random, icosphere};

/// What one batch may hold at the most, here: threads keep a few batches at once.
const BATCH: usize = 40_000;

/// Two states of triangles that fly through one another in all directions.
fn swarm(triangles: u32, seed: u64) -> [FreeBody; 2] {
    let mut random = Random::new(seed);
    let mut place = || DVec3::from_array([0; 3].map(|_| random.between(-1.0, 1.0)));
    let mut corners = Vec::new();
    for _ in 0..triangles {
        let center = place();
        corners.extend([0; 3].map(|_| center + place() * 0.15));
    }
    let faces = (0..triangles).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    let start = Body::free(Mesh::new(corners.clone(), faces).unwrap()).unwrap();
    for three in corners.chunks_mut(3) {
        let way = place() * 0.4;
        three.iter_mut().for_each(|corner| *corner += way);
    }
    let mut end = start.clone();
    end.set_positions(&corners).unwrap();
    [start, end]
}

/// All batches, on so many threads.
fn batches<W: Send>(
    threads: usize,
    ask: impl Fn(&mut dyn FnMut(Swept) -> ControlFlow<()>) -> W + Sync + Send,
) -> (Vec<Swept>, W) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let mut all = Vec::new();
        let work = ask(&mut |batch| {
            all.push(batch);
            ControlFlow::Continue(())
        });
        (all, work)
    })
}

/// Everything of some batches, in canonical order.
fn gathered(batches: &[Swept]) -> Swept {
    let mut all = Swept::default();
    for batch in batches {
        assert!(!batch.is_empty() && batch.contacts.len() + batch.pierced.len() < BATCH);
        assert!(batch.contacts.is_sorted_by_key(|impact| impact.features));
        assert!(batch.pierced.is_sorted());
        all.contacts.extend(&batch.contacts);
        all.pierced.extend(&batch.pierced);
    }
    all.contacts.sort_by_key(|impact| impact.features);
    all.pierced.sort_unstable();
    all
}

fn check(
    whole: &Swept,
    ask: impl Fn(&mut dyn FnMut(Swept) -> ControlFlow<()>) -> Work + Sync + Send,
) {
    let (one, work) = batches(1, &ask);
    assert!(one.len() > 8, "{} batches", one.len());
    let all = gathered(&one);
    assert_eq!((&all.contacts, &all.pierced), (&whole.contacts, &whole.pierced));
    for threads in [2, 8] {
        assert!(batches(threads, &ask) == (one.clone(), work), "{threads} threads");
    }
    // Nothing comes after a break.
    for wanted in [1, 5] {
        let mut found = Vec::new();
        ask(&mut |batch| {
            found.push(batch);
            if found.len() == wanted { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert!(found[..] == one[..wanted]);
    }
}

#[test]
fn two_bodies() {
    let ([a, b], [c, d]) = (swarm(3000, 1), swarm(2000, 2));
    let (p, q) = (Step::new(&a, &b).unwrap(), Step::new(&c, &d).unwrap());
    let whole = sweep(&p, &q);
    assert!(whole.contacts.len() > 50_000, "{}", whole.contacts.len());
    check(&whole, |hand_over| sweep_streamed(&p, &q, hand_over));
    let (p, q) = (p.straying(0.01).unwrap(), q.straying(0.002).unwrap());
    check(&sweep(&p, &q), |hand_over| sweep_streamed(&p, &q, hand_over));
    assert_eq!(sweep_streamed(&p, &q, |_| ControlFlow::Continue(())), sweep(&p, &q).work);
}

#[test]
fn a_body_with_itself() {
    let [a, b] = swarm(3000, 3);
    let step = Step::new(&a, &b).unwrap();
    for adjacency in [Adjacency::ByPlace, Adjacency::ByIndex] {
        let whole = self_sweep(&step, adjacency);
        check(&whole, |hand_over| self_sweep_streamed(&step, adjacency, hand_over));
        let prepared = PreparedSelfSweep::new(&a, adjacency);
        check(&whole, |hand_over| prepared.self_sweep_streamed(&step, hand_over).unwrap());
    }
    let other = PreparedSelfSweep::new(&swarm(3, 1)[0], Adjacency::ByPlace);
    let refused = other.self_sweep_streamed(&step, |_| ControlFlow::Continue(()));
    assert_eq!(refused, Err(Error::PreparedForAnother { what: "mesh" }));
}

/// Bodies with many contacts and bodies with few, with themselves and with one another.
#[test]
fn a_world() {
    let mut start = World::new();
    let mut pairs: Vec<(BodyId, FreeBody)> = Vec::new();
    let mut random = Random::new(5);
    for number in 0..80 {
        let [first, last] = if number % 40 == 7 {
            swarm(1500, number)
        } else {
            let ball = icosphere(0).unwrap();
            let [from, to] =
                [0; 2].map(|_| DVec3::from_array([0; 3].map(|_| random.between(-2.0, 2.0))));
            let mut body = Body::free(ball.clone()).unwrap();
            let moved = |by: DVec3| ball.positions().iter().map(|&p| p * 0.2 + by).collect();
            let [from, to]: [Vec<DVec3>; 2] = [moved(from), moved(to)];
            body.set_positions(&from).unwrap();
            let mut end = body.clone();
            end.set_positions(&to).unwrap();
            [body, end]
        };
        let id = start.insert(first).unwrap();
        start.set_self_contact(id, true).unwrap();
        pairs.push((id, last));
    }
    let mut end = start.clone();
    for (id, last) in pairs {
        *end.get_mut(id).unwrap() = last.into();
    }
    for impacts in [Impacts::All, Impacts::First] {
        let settings = SweepSettings { impacts, ..SweepSettings::default() };
        let whole = start.sweep(&end, &[], &settings).unwrap();
        let stream = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut found: Vec<BodiesSwept> = Vec::new();
            let work = pool.install(|| {
                start.sweep_streamed(&end, &[], &settings, |batch| {
                    found.push(batch);
                    ControlFlow::Continue(())
                })
            });
            (found, work.unwrap())
        };
        let (one, work) = stream(1);
        assert!(impacts == Impacts::First || one.len() > whole.bodies.len() + 8);
        for threads in [2, 8] {
            assert!(stream(threads) == (one.clone(), work), "{threads} threads");
        }
        for bodies in &whole.bodies {
            let own = one.iter().filter(|batch| batch.bodies == bodies.bodies);
            let all = gathered(&own.map(|batch| batch.swept.clone()).collect::<Vec<_>>());
            let truth = (&bodies.swept.contacts, &bodies.swept.pierced);
            assert_eq!((&all.contacts, &all.pierced), truth);
        }
        let known = |batch: &BodiesSwept| whole.bodies.iter().any(|of| of.bodies == batch.bodies);
        assert!(one.iter().all(known));
        let count = |swept: &Swept| swept.contacts.len() + swept.pierced.len();
        let most = whole.bodies.iter().map(|bodies| count(&bodies.swept)).sum();
        for (most, refused) in [(most, false), (most - 1, true)] {
            let settings = SweepSettings { most, ..settings };
            let mut seen = 0;
            let answer = start.sweep_streamed(&end, &[], &settings, |batch| {
                seen += count(&batch.swept);
                ControlFlow::Continue(())
            });
            let error = Err(Error::TooManyPairs { limit: most });
            assert_eq!(answer.map(|_| ()), if refused { error } else { Ok(()) });
            assert!(refused || seen == most);
        }
        let mut seen = 0;
        let stopped = start.sweep_streamed(&end, &[], &settings, |_| {
            seen += 1;
            ControlFlow::Break(())
        });
        assert!(stopped.is_ok() && seen == 1);
    }
}
