//! What must hold of whatever a reader makes of any bytes. The fuzz targets and the bounded run
//! of the tests ask the same.

use std::path::Path;

use pliant_io::{
    PointCache, glb_bytes, read_gltf_bytes, read_md2, read_mdd, read_obj, read_pc2, read_ply,
    read_stl,
};

/// A refusal, or a scene that can be posed and written again. JSON and GLB.
pub(crate) fn gltf(bytes: &[u8]) {
    let Ok(scene) = read_gltf_bytes(bytes, "any.gltf") else { return };
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
}

/// A refusal, or a mesh. (A mesh checks its indices and numbers itself.)
pub(crate) fn obj(bytes: &[u8]) {
    let _ = read_obj(bytes, Path::new("any.obj"));
}

/// As [`obj`].
pub(crate) fn ply(bytes: &[u8]) {
    let _ = read_ply(bytes, Path::new("any.ply"));
}

/// As [`obj`].
pub(crate) fn stl(bytes: &[u8]) {
    let _ = read_stl(bytes, Path::new("any.stl"));
}

/// A refusal, or frames in which times increase and all is finite.
pub(crate) fn pc2(bytes: &[u8]) {
    read_pc2(bytes, Path::new("any.pc2"), 24.0).iter().for_each(sound);
}

/// As [`pc2`].
pub(crate) fn mdd(bytes: &[u8]) {
    read_mdd(bytes, Path::new("any.mdd")).iter().for_each(sound);
}

fn sound(cache: &PointCache) {
    assert_eq!(cache.frames().len(), cache.times().len());
    assert!(cache.times().windows(2).all(|pair| pair[0] < pair[1]));
    assert!(cache.frames().flatten().flatten().all(|number| number.is_finite()));
}

/// A refusal, or keyframes that fit the mesh.
pub(crate) fn md2(bytes: &[u8]) {
    let Ok(model) = read_md2(bytes, Path::new("any.md2")) else { return };
    assert!(!model.keyframes.is_empty());
    for keyframe in &model.keyframes {
        assert_eq!(keyframe.positions.len(), model.mesh.positions().len());
        assert!(keyframe.positions.iter().all(|position| position.is_finite()));
    }
}
