//! Queries that stop at a number of pairs: they answer in full or not at all, whatever the number of
//! threads.

use pliant::glam::DVec3;
use pliant::query::{brute_force, intersections_up_to, self_intersections_up_to};
use pliant::{AnySelfContact, Body, Error, Mesh, World, intersections, self_intersections, world};
use pliant_scenes::Random;
use rayon::ThreadPoolBuilder;
use std::sync::Arc;

/// Triangles at random in a cube: most of them touch some others.
fn soup(count: u32, seed: u64) -> Mesh {
    let mut random = Random::new(seed);
    let corners: Vec<DVec3> = (0..3 * count).map(|_| random.in_cube()).collect();
    Mesh::new(corners, (0..count).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect()).unwrap()
}

/// Limits around a number, and what they answer.
fn limits(count: usize) -> [(usize, bool); 6] {
    let enough = |most: usize| (most, most >= count);
    [0, count / 2, count - 1, count, count + 1, usize::MAX].map(enough)
}

#[test]
fn answers_are_complete_or_refused() {
    let a = Body::rigid(soup(300, 1)).unwrap();
    let b = Body::free(soup(300, 2)).unwrap();
    let (between, within) = (intersections(&a, &b), self_intersections(&b));
    // More than one thread tells at once, so that a limit in the middle stops a query early.
    assert!(between.pairs.len() > 10_000 && within.pairs.len() > 5_000);
    for threads in [1, 4] {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            for (most, enough) in limits(between.pairs.len()) {
                let refused = Err(Error::TooManyPairs { limit: most });
                let expected = if enough { Ok(between.clone()) } else { refused };
                assert_eq!(intersections_up_to(&a, &b, most), expected);
                let brute = brute_force::intersections_up_to(&a, &b, most);
                assert_eq!(brute.map(|found| found.pairs), expected.map(|found| found.pairs));
            }
            for (most, enough) in limits(within.pairs.len()) {
                let refused = Err(Error::TooManyPairs { limit: most });
                let expected = if enough { Ok(within.clone()) } else { refused };
                assert_eq!(self_intersections_up_to(&b, most), expected);
                let brute = brute_force::self_intersections_up_to(&b, most);
                assert_eq!(brute.map(|found| found.pairs), expected.map(|found| found.pairs));
            }
        });
    }
}

/// The limit counts the pairs of all bodies together, prepared or not.
#[test]
fn a_world_counts_all_pairs_together() {
    let mut world = World::new();
    let bodies = [1, 2, 3].map(|seed| world.insert(Body::free(soup(200, seed)).unwrap()).unwrap());
    let rigid = world.insert(Body::rigid(soup(200, 4)).unwrap()).unwrap();
    for id in [bodies[0], bodies[1], rigid] {
        world.set_self_contact(id, true).unwrap();
    }
    let prepared = AnySelfContact::new(world.get(bodies[1]).unwrap());
    world.set_prepared(bodies[1], prepared.map(Arc::new)).unwrap();
    let found = world.contacts();
    assert_eq!(found.contacts.len(), 6 + 3);
    let count = found.contacts.iter().map(|contact| contact.pairs.len()).sum();
    for threads in [1, 4] {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            for (most, enough) in limits(count) {
                let refused = Err(Error::TooManyPairs { limit: most });
                let expected = if enough { Ok(found.clone()) } else { refused };
                assert_eq!(world.contacts_up_to(most), expected);
                let brute = world::brute_force::contacts_up_to(&world, most);
                assert_eq!(brute.map(|found| found.contacts), expected.map(|found| found.contacts));
            }
        });
    }
}
