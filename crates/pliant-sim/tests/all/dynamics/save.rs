//! A simulation goes on from a file with the same bits, and refuses every other file.

use std::sync::Arc;

use pliant::glam::DVec3;
use pliant_sim::Error;
use pliant_sim::dynamics::{Model, Obstacle, Settings, Simulation};

use super::{rubber_bar, scatter};

fn pile(model: &Arc<Model>, seed: u64, settings: Settings) -> Simulation {
    let mut run = Simulation::new(settings).unwrap();
    let bar = run.add_model(model.clone());
    run.add_obstacle(Obstacle::floor(0.0)).unwrap();
    scatter(&mut run, bar, 12, 0.2, seed);
    run
}

#[test]
fn a_run_goes_on_from_a_file_bit_by_bit() {
    let model = Arc::new(rubber_bar(4, 0.1));
    let mut unbroken = pile(&model, 1, Settings::default());
    let file = std::env::temp_dir().join(format!("pliant-save-{}.sim", std::process::id()));
    for _ in 0..120 {
        unbroken.step().unwrap();
    }
    unbroken.save(&file).unwrap();
    for _ in 0..120 {
        unbroken.step().unwrap();
    }
    // Bodies start elsewhere: all that matters comes from the file.
    let mut resumed = pile(&model, 2, Settings::default());
    resumed.restore(&file).unwrap();
    assert_eq!(resumed.steps_done(), 120);
    for _ in 0..120 {
        resumed.step().unwrap();
    }
    assert!(resumed.to_bytes() == unbroken.to_bytes());
    assert!(resumed.contacts() == unbroken.contacts() && !resumed.contacts().is_empty());
    std::fs::remove_file(&file).unwrap();
    assert!(matches!(resumed.restore(&file), Err(Error::File { .. })));
}

#[test]
fn damaged_and_foreign_files_are_refused() {
    let model = Arc::new(rubber_bar(2, 0.1));
    let mut run = pile(&model, 1, Settings::default());
    for _ in 0..20 {
        run.step().unwrap();
    }
    let bytes = run.to_bytes();
    let mut other = pile(&model, 1, Settings::default());
    let before = other.to_bytes();
    for length in (0..bytes.len()).step_by(7) {
        assert!(other.restore_bytes(&bytes[..length]).is_err(), "{length} bytes");
    }
    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1 << (at % 8);
        assert!(other.restore_bytes(&damaged).is_err(), "byte {at}");
    }
    let longer: Vec<u8> = bytes.iter().copied().chain([0]).collect();
    assert!(other.restore_bytes(&longer).is_err());
    assert!(other.to_bytes() == before, "a refused state changes nothing");
    other.restore_bytes(&bytes).unwrap();
    assert!(other.to_bytes() == bytes);

    let lighter = Settings { gravity: DVec3::ZERO, ..Settings::default() };
    let foreign = pile(&model, 1, lighter).restore_bytes(&bytes);
    assert!(foreign.unwrap_err().to_string().contains("other models, settings or obstacles"));
    let mut wider = pile(&model, 1, Settings::default());
    wider.add_obstacle(Obstacle::floor(-1.0)).unwrap();
    assert!(wider.restore_bytes(&bytes).is_err());
    let stiffer = Arc::new(rubber_bar(3, 0.1));
    assert!(pile(&stiffer, 1, Settings::default()).restore_bytes(&bytes).is_err());
}

/// Numbers that are not finite, in a file whose checksum is right.
#[test]
fn states_that_no_run_writes_are_refused() {
    let model = Arc::new(rubber_bar(2, 0.1));
    let mut run = pile(&model, 1, Settings::default());
    let bytes = run.to_bytes();
    for (at, number) in [(48, f64::NAN), (48 + 24, 2.0), (bytes.len() - 16, f64::INFINITY)] {
        let mut wrong = bytes.clone();
        wrong[at..at + 8].copy_from_slice(&number.to_le_bytes());
        let end = wrong.len() - 8;
        let sum = wrong[..end].iter().fold(0xcbf2_9ce4_8422_2325u64, |sum, &byte| {
            (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        wrong[end..].copy_from_slice(&sum.to_le_bytes());
        let refused = run.restore_bytes(&wrong).unwrap_err().to_string();
        assert!(refused.contains("not finite") || refused.contains("length 1"), "{refused}");
    }
}
