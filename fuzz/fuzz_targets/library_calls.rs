//! Whatever the bytes: as a program of library calls they find what brute force finds.
#![no_main]

#[path = "../../crates/pliant/tests/all/calls/mod.rs"]
mod calls;

mod support {
    #[allow(dead_code, reason = "the target uses its part")]
    #[path = "../../../crates/pliant/tests/all/support/enclosed.rs"]
    pub(crate) mod enclosed;
}

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    calls::run(bytes);
});
