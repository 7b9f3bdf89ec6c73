//! Random programs of library calls: every answer is that of brute force. A bounded run of what the fuzz
//! target of the same name does for longer.

use crate::calls::{Done, run};
use pliant_scenes::Random;

/// Random bytes from a seed.
fn program(seed: u64) -> Vec<u8> {
    let mut random = Random::new(seed);
    (0..400).map(|_| (random.bits() >> 24) as u8).collect()
}

#[test]
fn random_programs_find_what_brute_force_finds() {
    let mut all = Done::default();
    for seed in 0..400 {
        let Done { bodies, states, contacts, bounded, hits } = run(&program(seed));
        all.bodies += bodies;
        all.states += states;
        all.contacts += contacts;
        all.bounded += bounded;
        all.hits += hits;
    }
    // The programs do something.
    assert!(all.bodies > 900 && all.states > 500 && all.contacts > 10_000, "{all:?}");
    assert!(all.bounded > 10_000 && all.hits > 20, "{all:?}");
}

/// Any bytes are a program, also none.
#[test]
fn short_programs_run() {
    for length in 0..40 {
        run(&program(1000)[..length]);
        run(&vec![255; length]);
        run(&vec![0; length]);
    }
}
