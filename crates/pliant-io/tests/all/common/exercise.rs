//! Properties of the result of a reader for any bytes. The fuzz targets and the bounded test run
//! check the same.

use std::path::Path;

use pliant_io::{
    AtomChoice, BeadRadius, Beads, ClashSearch, ClashSettings, PointCache, Scene, Structure,
    Trajectory, glb_bytes, read_appearance_bytes, read_gltf_bytes, read_gro, read_md2, read_mdd,
    read_mmcif, read_obj, read_pc2, read_pdb, read_ply, read_stl, read_xyz,
};

/// An error, or a scene that can be posed, coloured and written again. JSON and GLB.
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
    appearance(bytes, &scene);
    if let Ok(written) = glb_bytes(&scene) {
        let again = read_gltf_bytes(&written, "written.glb").expect("what is written can be read");
        assert_eq!(again.objects().len(), scene.objects().len());
    }
}

/// Base colours and textures of a scene: every number is in range, and no more bytes than asked for.
fn appearance(bytes: &[u8], scene: &Scene) {
    const MOST: usize = 1000;
    let found = read_appearance_bytes(bytes, "any.gltf", scene, MOST);
    let found = found.expect("what is wrong with colours makes no file unreadable");
    assert_eq!(found.objects.len(), scene.objects().len());
    assert!(found.images.iter().map(|image| image.bytes.len()).sum::<usize>() <= MOST);
    assert!(found.materials.iter().filter_map(|it| it.image).all(|it| it < found.images.len()));
    for (object, look) in scene.objects().iter().zip(&found.objects) {
        let Some(look) = look else { continue };
        assert!(look.runs.is_sorted_by(|a, b| a.end < b.end));
        assert_eq!(look.runs.last().map(|run| run.end), Some(object.mesh.triangles().len()));
        let materials = look.runs.iter().filter_map(|run| run.material);
        assert!(materials.into_iter().all(|it| it < found.materials.len()));
        let (places, vertices) = (look.coordinates.len(), object.mesh.positions().len());
        assert!(places == 0 || places == vertices);
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

/// An error, or a structure whose models have a finite position per atom, whose beads are a part of
/// its atoms, and which can be searched for clashes or not, with a reason.
pub(crate) fn pdb(bytes: &[u8]) {
    read_pdb(bytes, Path::new("any.pdb")).iter().for_each(complete);
}

/// The same as [`pdb`].
pub(crate) fn mmcif(bytes: &[u8]) {
    read_mmcif(bytes, Path::new("any.cif")).iter().for_each(complete);
}

/// The same as [`pdb`].
pub(crate) fn xyz(bytes: &[u8]) {
    read_xyz(bytes, Path::new("any.xyz")).iter().for_each(complete);
}

/// The same as [`pdb`].
pub(crate) fn gro(bytes: &[u8]) {
    read_gro(bytes, Path::new("any.gro")).iter().for_each(complete);
}

fn complete(structure: &Structure) {
    let atoms = structure.atoms.len();
    assert!(atoms > 0 && !structure.models.is_empty());
    for model in &structure.models {
        assert_eq!(model.len(), atoms);
        assert!(model.iter().all(|position| position.is_finite()));
    }
    for choice in [AtomChoice::AlphaCarbons, AtomChoice::Backbone, AtomChoice::All] {
        let beads = Beads::choose(structure, choice, BeadRadius::VanDerWaals);
        assert!(beads.atoms.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(beads.atoms.last().is_none_or(|&atom| atom < atoms));
        assert!(choice != AtomChoice::All || beads.atoms.len() == atoms);
        assert_eq!(beads.radii.len(), beads.atoms.len());
        let end = beads.chains.iter().fold(0, |end, chain| {
            assert!(chain.0 == end && chain.1 > end);
            chain.1
        });
        assert_eq!(end, beads.atoms.len());
    }
    assert!(structure.bonds.iter().all(|&[a, b]| a < b && (b as usize) < atoms));
    // Larger ones are searched elsewhere; here many small ones count.
    if atoms <= 300 {
        let is_periodic = structure.cell.is_some();
        let settings = ClashSettings { is_periodic, ..ClashSettings::default() };
        let Ok(search) = ClashSearch::new(structure, &settings) else { return };
        for model in &structure.models {
            let Ok(found) = search.clashes(model, structure.cell.as_ref()) else { continue };
            assert!(found.clashes.windows(2).all(|two| two[0].atoms < two[1].atoms));
            assert!(found.clashes.iter().all(|clash| clash.overlap > 0.39));
        }
    }
}

/// An error, or frames with a finite position per atom. Read with the number of atoms that the
/// file claims and with a small one.
pub(crate) fn dcd(bytes: &[u8]) {
    // The number of atoms is in the third record.
    let int = |at: usize| {
        let word = bytes.get(at..at.checked_add(4)?)?.try_into().ok()?;
        let big_endian = bytes.first() == Some(&0);
        let number = if big_endian { u32::from_be_bytes(word) } else { u32::from_le_bytes(word) };
        usize::try_from(number).ok()
    };
    let claimed = int(92).and_then(|title| title.checked_add(104)).and_then(int);
    frames(bytes, "any.dcd", claimed);
}

/// The same as [`dcd`].
pub(crate) fn xtc(bytes: &[u8]) {
    let word = bytes.get(4..8).and_then(|word| word.try_into().ok());
    frames(bytes, "any.xtc", word.map(|word| u32::from_be_bytes(word) as usize));
}

/// The same as [`dcd`].
pub(crate) fn trr(bytes: &[u8]) {
    let word = bytes.get(64..68).and_then(|word| word.try_into().ok());
    frames(bytes, "any.trr", word.map(|word| u32::from_be_bytes(word) as usize));
}

fn frames(bytes: &[u8], name: &str, claimed: Option<usize>) {
    for atoms in [Some(3), claimed].into_iter().flatten() {
        let Ok(mut trajectory) = Trajectory::from_bytes(bytes.to_vec(), name, atoms) else {
            continue;
        };
        let mut positions = Vec::new();
        let mut read = 0.0;
        while let Ok(true) = trajectory.read(&mut positions) {
            assert_eq!(positions.len(), atoms);
            assert!(positions.iter().all(|position| position.is_finite()));
            assert!(trajectory.share_read() > read, "a frame takes bytes");
            read = trajectory.share_read();
        }
    }
}
