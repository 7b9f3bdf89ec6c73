//! Whatever the bytes: a refusal, or frames in which times increase and all is finite.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use pliant_io::{read_mdd, read_pc2};

fuzz_target!(|bytes: &[u8]| {
    let file = Path::new("fuzz");
    for cache in [read_pc2(bytes, file, 24.0), read_mdd(bytes, file)].into_iter().flatten() {
        assert_eq!(cache.frames().len(), cache.times().len());
        assert!(cache.times().windows(2).all(|pair| pair[0] < pair[1]));
        assert!(cache.frames().flatten().flatten().all(|number| number.is_finite()));
    }
});
