//! Whatever the bytes: a refusal, or a scene that can be posed and written again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pliant_io::{glb_bytes, read_gltf_bytes};

fuzz_target!(|bytes: &[u8]| {
    let Ok(scene) = read_gltf_bytes(bytes, "fuzz.glb") else { return };
    let mut positions = Vec::new();
    let animations = (0..scene.animations().len().min(3)).map(Some);
    for animation in animations.chain([None]) {
        for time in [-1.0, 0.0, 0.3, 1e9] {
            let Ok(pose) = scene.pose(animation, time) else { continue };
            for object in 0..scene.objects().len() {
                let posed = scene.posed(object, &pose).expect("the pose is of this scene");
                posed.positions(&mut positions);
                assert_eq!(positions.len(), scene.objects()[object].mesh.positions().len());
            }
        }
    }
    if let Ok(written) = glb_bytes(&scene) {
        let again = read_gltf_bytes(&written, "written.glb").expect("what is written can be read");
        assert_eq!(again.objects().len(), scene.objects().len());
    }
});
