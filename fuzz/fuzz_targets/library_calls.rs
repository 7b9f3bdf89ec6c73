//! Whatever the bytes: as a program of library calls they find what brute force finds.
#![no_main]

#[path = "../../crates/pliant/tests/all/calls/mod.rs"]
mod calls;

#[path = "../../crates/pliant/tests/all/support"]
mod support {
    #[allow(dead_code, reason = "the target uses its part")]
    pub(crate) mod enclosed;
}

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    calls::run(bytes);
});
