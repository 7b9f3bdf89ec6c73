//! Whatever a client of the haptic server sends: what `exercise` says must hold.
#![no_main]

#[path = "../../crates/pliant-haptics/tests/all/exercise.rs"]
mod exercise;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    exercise::protocol(bytes);
});
