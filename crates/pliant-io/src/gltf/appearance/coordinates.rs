//! Texture coordinates: places of vertices in pictures.

use std::collections::HashMap;
use std::sync::Arc;

use super::materials::TextureUse;
use crate::gltf::accessor::Reader;
use crate::gltf::draco;
use crate::gltf::json::PrimitiveJson;
use crate::gltf::primitive::{Roles, Scope};
use crate::scene::{Object, Scene};

/// The places of vertices in a picture.
type Places = Arc<[[f32; 2]]>;

/// The places of a primitive's vertices in the picture of its material.
pub(super) fn of_texture(
    reader: &Reader<'_>,
    json: &PrimitiveJson,
    texture: &TextureUse,
    element: &str,
) -> Result<Vec<[f32; 2]>, String> {
    let transform = texture.extensions.transform.as_ref();
    let set = transform.and_then(|it| it.tex_coord).or(texture.tex_coord).map_or(0, |it| it.0);
    let place = |pair: &[f64]| transform.map_or([pair[0], pair[1]], |it| it.apply(pair));
    let name = format!("TEXCOORD_{set}");
    let found = of_set(reader, json, &name, element, place)?;
    found.ok_or_else(|| format!("{element} has no {name}"))
}

/// The first set of each object of a scene.
///
/// # Errors
/// The element and what is wrong with it.
pub(super) fn of_objects(
    reader: &Reader<'_>,
    scene: &Scene,
) -> Result<Vec<Option<Places>>, (String, String)> {
    let mut roles = Roles::stated(reader);
    let mut known: HashMap<usize, Option<Places>> = HashMap::new();
    let mut all = Vec::new();
    for object in scene.objects() {
        let mesh = reader.document.nodes.get(object.node).and_then(|node| node.mesh);
        let Some(mesh) = mesh.map(|mesh| mesh.index()) else {
            all.push(None);
            continue;
        };
        let places = match known.get(&mesh) {
            Some(places) => places.clone(),
            None => {
                let read = of_mesh(reader, &mut roles, mesh, object);
                let read = read.map_err(|reason| (format!("mesh {mesh}"), reason))?;
                known.insert(mesh, read.clone());
                read
            }
        };
        all.push(places);
    }
    Ok(all)
}

/// The first set of a mesh, if any of its primitives has one.
fn of_mesh(
    reader: &Reader<'_>,
    roles: &mut Roles,
    mesh: usize,
    object: &Object,
) -> Result<Option<Places>, String> {
    let meshes = &reader.document.meshes;
    let primitives = meshes.get(mesh).into_iter().flat_map(|mesh| mesh.primitives.iter());
    let (mut places, mut some) = (Vec::new(), false);
    for (number, json) in primitives.enumerate() {
        let element = format!("mesh {mesh} primitive {number}");
        let scope = Scope { reader, roles, element: element.clone(), json };
        let primitive = scope.read().map_err(|error| error.to_string())?;
        if primitive.triangles.is_err() {
            continue;
        }
        let end = places.len() + primitive.positions.len();
        if let Some(own) = of_set(reader, json, "TEXCOORD_0", &element, |pair| [pair[0], pair[1]])?
        {
            places.extend(own);
            some = true;
        }
        // Wrong counts are found below: they are not those of the mesh.
        places.resize(places.len().max(end), [0.0; 2]);
    }
    if some && places.len() != object.mesh.positions().len() {
        return Err("it has another number of texture coordinates than of vertices".into());
    }
    Ok(some.then(|| places.into()))
}

/// A set of a primitive; `None` if it has no such set.
fn of_set(
    reader: &Reader<'_>,
    json: &PrimitiveJson,
    name: &str,
    element: &str,
    place: impl Fn(&[f64]) -> [f64; 2],
) -> Result<Option<Vec<[f32; 2]>>, String> {
    let Some(accessor) = json.attributes.get(name) else { return Ok(None) };
    let decoded = draco::read(reader, json, element).map_err(|error| error.to_string())?;
    let numbers = decoded.numbers(accessor.index(), reader, element);
    let numbers = numbers.map_err(|error| error.to_string())?;
    let numbers = numbers.ok_or_else(|| format!("{element}: {name} is not in the file"))?;
    if numbers.layout.kind.numbers() != 2 {
        return Err(format!("{element}: {name} is not of two numbers"));
    }
    let place = |pair: &[f64]| place(pair).map(|number| number as f32);
    Ok(Some(numbers.values().chunks_exact(2).map(place).collect()))
}
