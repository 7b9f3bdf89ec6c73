//! Maps of heights and of friction over the texture coordinates of files.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use pliant_haptics::{Object, Texture, TextureUse, TextureWrap};
use pliant_io::{
    Appearance, Brightness, Look, Wrap, brightness_of, printable, read_appearance, read_brightness,
    read_texture_coordinates,
};

use crate::number::positive;
use crate::simulate::Felt;
use crate::source::Source;
use crate::terminal::tell;

/// Bytes of a file's own pictures, at most.
const MOST_IMAGE_BYTES: usize = 1 << 26;

/// What stands for the pictures in the file itself.
const OWN: &str = "own";

/// Which maps are felt.
#[derive(Debug, Clone, Default, clap::Args)]
pub(super) struct MapArguments {
    /// Feel a PNG as heights over the texture coordinates of glTF files: white is where the surface is,
    /// black is carved by --height. `own`: the base colours of the file's materials.
    #[arg(long, value_name = "PNG|own", requires = "height")]
    height_map: Option<PathBuf>,
    /// How deep black is carved.
    #[arg(long, value_name = "LENGTH", requires = "height_map", value_parser = positive)]
    height: Option<f64>,
    /// Feel a PNG as friction over the texture coordinates of glTF files: white is --friction, black has
    /// none. `own`: the base colours of the file's materials.
    #[arg(long, value_name = "PNG|own")]
    friction_map: Option<PathBuf>,
}

/// A picture and what it means.
#[derive(Debug, Clone)]
pub(super) struct Map {
    applies_to: TextureUse,
    picture: PathBuf,
    amplitude: f64,
}

impl MapArguments {
    /// The maps that are asked for.
    pub(super) fn maps(&self) -> Vec<Map> {
        let height = (TextureUse::Height, &self.height_map, self.height.unwrap_or(0.0));
        let friction = (TextureUse::Friction, &self.friction_map, 1.0);
        let map = |(applies_to, picture, amplitude): (TextureUse, &Option<PathBuf>, f64)| {
            picture.clone().map(|picture| Map { applies_to, picture, amplitude })
        };
        [height, friction].into_iter().filter_map(map).collect()
    }
}

/// Textures of one object.
pub(super) type Textures = Vec<Arc<Texture>>;

/// The textures of the objects of files, in order.
pub(super) fn of_sources(sources: &[Source], maps: &[Map]) -> Result<Vec<Textures>> {
    let objects = sources.iter().map(|source| source.scene.objects().len()).sum();
    let mut all = vec![Textures::new(); objects];
    for map in maps {
        let mut first = 0;
        for source in sources {
            let made = of_source(source, map)?;
            for (object, textures) in made.into_iter().enumerate() {
                all[first + object].extend(textures);
            }
            first += source.scene.objects().len();
        }
        let some = all.iter().flatten().any(|texture| texture.applies_to() == map.applies_to);
        ensure!(some, "{}: nothing has texture coordinates for it", shown(&map.picture));
    }
    Ok(all)
}

/// The textures of a model whose objects are one mesh.
pub(super) fn of_model(felt: &Felt) -> Result<Textures> {
    let scene = pliant_io::load(&felt.file)?;
    let mut joined = Vec::new();
    let all = read_texture_coordinates(&felt.file, &scene)?;
    ensure!(all.iter().any(Option::is_some), "{}: no texture coordinates", shown(&felt.file));
    for (object, places) in scene.objects().iter().zip(all) {
        let vertices = object.mesh.positions().len();
        joined.extend_from_slice(places.as_deref().unwrap_or(&vec![[0.0; 2]; vertices]));
    }
    let joined: Arc<[[f32; 2]]> = joined.into();
    let height = felt.height_map.as_ref().map(|(map, height)| (TextureUse::Height, map, *height));
    let friction = felt.friction_map.as_ref().map(|map| (TextureUse::Friction, map, 1.0));
    let texture = |(applies_to, map, amplitude): (TextureUse, &PathBuf, f64)| {
        let Brightness { width, values } = read_brightness(map)?;
        let made = Texture::new(applies_to, width, values, amplitude, Arc::clone(&joined));
        Ok(Arc::new(made.with_context(|| shown(&felt.file))?))
    };
    height.into_iter().chain(friction).map(texture).collect()
}

/// The same object with these textures.
pub(super) fn textured(object: Object, textures: &[Arc<Texture>]) -> Result<Object> {
    let add = |object: Object, texture: &Arc<Texture>| object.with_texture(Arc::clone(texture));
    Ok(textures.iter().try_fold(object, add)?)
}

fn of_source(source: &Source, map: &Map) -> Result<Vec<Textures>> {
    if map.picture.as_os_str() == OsStr::new(OWN) {
        return own(source, map);
    }
    let Brightness { width, values } = read_brightness(&map.picture)?;
    let values: Arc<[f32]> = values.into();
    let all = read_texture_coordinates(&source.file, &source.scene)?;
    let textures = |(number, places): (usize, Option<Arc<[[f32; 2]]>>)| {
        let Some(places) = places else {
            tell(&format!(
                "{}: object {number} has no texture coordinates; {} is not felt there",
                shown(&source.file),
                shown(&map.picture)
            ));
            return Ok(Textures::new());
        };
        let made = Texture::new(map.applies_to, width, Arc::clone(&values), map.amplitude, places);
        Ok(vec![Arc::new(made.with_context(|| shown(&source.file))?)])
    };
    all.into_iter().enumerate().map(textures).collect()
}

/// Width and brightness of a picture.
type Picture = (usize, Arc<[f32]>);

/// The base colours of a file's materials as maps.
fn own(source: &Source, map: &Map) -> Result<Vec<Textures>> {
    let Appearance { materials, images, objects, omitted } =
        read_appearance(&source.file, &source.scene, MOST_IMAGE_BYTES)?;
    for left_out in omitted {
        tell(&printable(&format!("{}: {left_out}", shown(&source.file))));
    }
    let mut pictures: HashMap<usize, Option<Picture>> = HashMap::new();
    let mut picture = |number: usize| {
        let read = || {
            let name = format!("{}, picture {number}", shown(&source.file));
            match images.get(number).map(|image| brightness_of(&image.bytes, &name)) {
                Some(Ok(Brightness { width, values })) => Some((width, values.into())),
                Some(Err(error)) => {
                    tell(&format!("{error}; it is not felt"));
                    None
                }
                None => None,
            }
        };
        pictures.entry(number).or_insert_with(read).clone()
    };
    let mut made = Vec::new();
    for look in &objects {
        let mut textures = Textures::new();
        let Look { runs, coordinates } = look.as_deref().cloned().unwrap_or_default();
        let places: Arc<[[f32; 2]]> = coordinates.into();
        let mut begin = 0;
        for run in runs {
            let triangles = begin..u32::try_from(run.end)?;
            begin = triangles.end;
            let Some(material) = run.material.and_then(|it| materials.get(it)) else { continue };
            let Some((width, values)) = material.image.and_then(&mut picture) else { continue };
            let places = Arc::clone(&places);
            let texture = Texture::new(map.applies_to, width, values, map.amplitude, places);
            let texture = texture.with_context(|| shown(&source.file))?;
            textures.push(Arc::new(texture.with_wrap(material.wrap.map(wrap)).over(triangles)));
        }
        made.push(textures);
    }
    Ok(made)
}

fn wrap(wrap: Wrap) -> TextureWrap {
    match wrap {
        Wrap::Repeat => TextureWrap::Repeat,
        Wrap::Clamp => TextureWrap::Clamp,
        Wrap::Mirror => TextureWrap::Mirror,
    }
}

fn shown(file: &Path) -> String {
    printable(&file.to_string_lossy()).into_owned()
}

#[cfg(test)]
mod tests {
    use glam::DVec3;
    use pliant::{Body, Mesh};
    use pliant_haptics::{Material, Probe, Reading, Scene, Settings};
    use serde_json::json;

    use super::*;
    use crate::view::base64;

    /// Four pixels in a row: two black ones, two white ones.
    const PNG: [u8; 70] =
        *b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x04\0\0\0\x01\x08\0\0\0\0\xdcWP\x11\
        \0\0\0\rIDATx\xdac``\xf8\xff\x1f\0\x03\x02\x01\xff9)\x19\xbe\0\0\0\0IEND\xaeB`\x82";

    /// A square with the picture across it, in the folder of a test.
    fn square(name: &str) -> Source {
        let folder = std::env::temp_dir().join(format!("pliant_{name}_{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("map.png"), PNG).unwrap();
        let corners = [[-1.0_f32, -1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 1.0, 0.0]];
        let places = [[0.0_f32, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
        let numbers = corners.iter().flatten().chain(places.iter().flatten());
        let mut bytes: Vec<u8> = numbers.flat_map(|it| it.to_le_bytes()).collect();
        bytes.extend([0, 1, 2, 0, 2, 3]);
        let uri = format!("data:application/octet-stream;base64,{}", base64::encode(&bytes));
        let attributes = json!({ "POSITION": 0, "TEXCOORD_0": 1 });
        let document = json!({
            "asset": { "version": "2.0" },
            "nodes": [{ "mesh": 0 }],
            "meshes": [{ "primitives": [{ "attributes": attributes, "indices": 2, "material": 0 }] }],
            "accessors": [
                { "bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3", "min": [-1, -1, 0], "max": [1, 1, 0] },
                { "bufferView": 1, "componentType": 5126, "count": 4, "type": "VEC2" },
                { "bufferView": 2, "componentType": 5121, "count": 6, "type": "SCALAR" },
            ],
            "bufferViews": [
                { "buffer": 0, "byteLength": 48 },
                { "buffer": 0, "byteOffset": 48, "byteLength": 32 },
                { "buffer": 0, "byteOffset": 80, "byteLength": 6 },
            ],
            "buffers": [{ "byteLength": 86, "uri": uri }],
            "materials": [{ "pbrMetallicRoughness": { "baseColorTexture": { "index": 0 } } }],
            "textures": [{ "source": 0 }],
            "images": [{ "uri": "map.png" }],
        });
        let file = folder.join("square.gltf");
        std::fs::write(&file, document.to_string()).unwrap();
        let scene = pliant_io::load(&file).unwrap();
        Source { file, scene: scene.into() }
    }

    fn map(source: &Source, applies_to: TextureUse, own: bool, amplitude: f64) -> Map {
        let picture = if own { OWN.into() } else { source.file.with_file_name("map.png") };
        Map { applies_to, picture, amplitude }
    }

    /// The force on a hand that presses 1 cm deep at x, and then is drawn aside by 8 mm.
    fn forces(source: &Source, map: &Map, x: f64) -> [DVec3; 2] {
        let textures = of_sources(std::slice::from_ref(source), std::slice::from_ref(map)).unwrap();
        assert_eq!(textures[0].len(), 1);
        let mesh = Mesh::clone(&source.scene.objects()[0].mesh);
        let material = Material::default().with_friction(0.5, 0.5);
        let object = Object::new(Body::rigid(mesh).unwrap(), material).unwrap();
        let scene = Scene::of([textured(object, &textures[0]).unwrap()]);
        let mut probe = Probe::new(DVec3::new(x, 0.1, 0.1), Settings::default()).unwrap();
        probe.ready_for(&scene);
        let mut press = |aside: f64| {
            let device = DVec3::new(x, 0.1 + aside, 0.005 - 0.01);
            probe.step(&scene, Reading::at(device), 0.001).force
        };
        [press(0.0), press(0.008)]
    }

    /// A map beside the file, and the file's own picture: both are felt where the texture coordinates say.
    #[test]
    fn maps_are_felt() {
        let source = square("maps");
        for own in [false, true] {
            let heights = map(&source, TextureUse::Height, own, 0.004);
            // White is the surface, black is 4 mm lower: 500 N/m times 10 and 6 mm.
            let [white, black] = [0.5, -0.5].map(|x| forces(&source, &heights, x)[0]);
            assert!((white - DVec3::Z * 5.0).length() < 1e-3, "{white}");
            assert!((black - DVec3::Z * 3.0).length() < 1e-3, "{black}");
            let friction = map(&source, TextureUse::Friction, own, 1.0);
            // White has all of the friction, black none.
            let [white, black] = [0.5, -0.5].map(|x| forces(&source, &friction, x)[1]);
            assert!((white.y + 2.5).abs() < 1e-2 && black.y.abs() < 1e-3, "{white} {black}");
        }
        let felt = Felt {
            file: source.file.clone(),
            height_map: Some((source.file.with_file_name("map.png"), 0.004)),
            friction_map: Some(source.file.with_file_name("map.png")),
        };
        assert_eq!(of_model(&felt).unwrap().len(), 2);
    }

    #[test]
    fn what_cannot_be_felt_is_said() {
        let source = square("no_maps");
        let said = |source: &Source, picture: PathBuf| {
            let map = Map { applies_to: TextureUse::Height, picture, amplitude: 0.1 };
            let made = of_sources(std::slice::from_ref(source), &[map]);
            format!("{:#}", made.unwrap_err())
        };
        assert!(said(&source, "not_there.png".into()).contains("not_there.png"));
        assert!(said(&source, source.file.clone()).contains("not PNG"));
        let file = source.file.with_file_name("plain.obj");
        std::fs::write(&file, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
        let scene = pliant_io::load(&file).unwrap().into();
        let plain = Source { file, scene };
        let map = source.file.with_file_name("map.png");
        assert!(said(&plain, map).contains("texture coordinates"));
        assert!(said(&plain, OWN.into()).contains("texture coordinates"));
    }
}
