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

/// The base colours of a file's materials as maps.
fn own(source: &Source, map: &Map) -> Result<Vec<Textures>> {
    let Appearance { materials, images, objects, omitted } =
        read_appearance(&source.file, &source.scene, MOST_IMAGE_BYTES)?;
    for left_out in omitted {
        tell(&printable(&format!("{}: {left_out}", shown(&source.file))));
    }
    let mut pictures: HashMap<usize, Option<(usize, Arc<[f32]>)>> = HashMap::new();
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
