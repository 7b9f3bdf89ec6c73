//! Whatever the bytes: a refusal, or keyframes that fit the mesh.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(model) = pliant_io::read_md2(bytes, Path::new("fuzz.md2")) else { return };
    assert!(!model.keyframes.is_empty());
    for keyframe in &model.keyframes {
        assert_eq!(keyframe.positions.len(), model.mesh.positions().len());
        assert!(keyframe.positions.iter().all(|position| position.is_finite()));
    }
});
