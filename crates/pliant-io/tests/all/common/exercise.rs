//! Properties of the result of a reader for any bytes. The fuzz targets and the bounded test run
//! check the same.

use std::path::Path;

use pliant_io::{
    PointCache, glb_bytes, read_gltf_bytes, read_md2, read_mdd, read_obj, read_pc2, read_ply,
    read_stl,
};

/// An error, or a scene that can be posed and written again. JSON and GLB.
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

/// An error or a mesh. (A mesh checks its own indices and numbers.)
pub(crate) fn obj(bytes: &[u8]) {
    let _ = read_obj(bytes, Path::new("any.obj"));
}

/// The same as [`obj`].
pub(crate) fn ply(bytes: &[u8]) {
    let _ = read_ply(bytes, Path::new("any.ply"));
}

/// The same as [`obj`].
pub(crate) fn stl(bytes: &[u8]) {
    let _ = read_stl(bytes, Path::new("any.stl"));
}

/// An error, or frames with increasing times and finite numbers.
pub(crate) fn pc2(bytes: &[u8]) {
    read_pc2(bytes, Path::new("any.pc2"), 24.0).iter().for_each(sound);
}

/// The same as [`pc2`].
pub(crate) fn mdd(bytes: &[u8]) {
    read_mdd(bytes, Path::new("any.mdd")).iter().for_each(sound);
}

fn sound(cache: &PointCache) {
    assert_eq!(cache.frames().len(), cache.times().len());
    assert!(cache.times().windows(2).all(|pair| pair[0] < pair[1]));
    assert!(cache.frames().flatten().flatten().all(|number| number.is_finite()));
}

/// An error, or keyframes that fit the mesh.
pub(crate) fn md2(bytes: &[u8]) {
    let Ok(model) = read_md2(bytes, Path::new("any.md2")) else { return };
    assert!(!model.keyframes.is_empty());
    for keyframe in &model.keyframes {
        assert_eq!(keyframe.positions.len(), model.mesh.positions().len());
        assert!(keyframe.positions.iter().all(|position| position.is_finite()));
    }
}
