//! Whatever the bytes: what `exercise` says must hold.
#![no_main]

#[allow(dead_code, reason = "each target uses its part")]
#[path = "../../crates/pliant-io/tests/all/common/exercise.rs"]
mod exercise;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    exercise::trr(bytes);
});
