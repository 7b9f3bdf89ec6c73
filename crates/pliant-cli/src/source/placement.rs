//! `--place`: files set beside one another.

use std::ffi::OsString;
use std::str::FromStr;

use anyhow::{Result, bail};
use clap::builder::{OsStringValueParser, TypedValueParser, ValueParser, ValueParserFactory};
use glam::{DAffine3, DQuat, DVec3};
use pliant_io::{Node, NodeTransform, Scene, SceneError};

use super::FileArgument;
use crate::number::finite;

/// A file and where to put it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Placement {
    file: String,
    offset: DAffine3,
}

impl FromStr for Placement {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (file, numbers) =
            text.rsplit_once('@').ok_or("write FILE@x,y,z or FILE@x,y,z,degrees")?;
        let numbers = numbers.split(',').map(finite).collect::<Result<Vec<f64>, String>>()?;
        let (offset, degrees) = match numbers[..] {
            [x, y, z] => (DVec3::new(x, y, z), 0.0),
            [x, y, z, degrees] => (DVec3::new(x, y, z), degrees),
            _ => return Err(format!("after the @ stand 3 or 4 numbers, not {}", numbers.len())),
        };
        if file.is_empty() {
            return Err("there is no file before the @".into());
        }
        let turn = DQuat::from_rotation_y(degrees.to_radians());
        Ok(Self { file: file.into(), offset: DAffine3::from_rotation_translation(turn, offset) })
    }
}

/// A file's name need not be UTF-8: it is compared as it is shown.
impl ValueParserFactory for Placement {
    type Parser = ValueParser;

    fn value_parser() -> ValueParser {
        let parse = |text: OsString| text.to_string_lossy().parse::<Self>();
        ValueParser::from(OsStringValueParser::new().try_map(parse))
    }
}

/// Gives each file its placement: the k-th of a name goes to the k-th file of that name.
pub(super) fn assign(
    files: &[FileArgument],
    placements: &[Placement],
) -> Result<Vec<Option<DAffine3>>> {
    let mut offsets = vec![None; files.len()];
    for Placement { file: name, offset } in placements {
        let named = |file: &FileArgument| {
            file.to_string() == *name || file.model.to_string_lossy() == name.as_str()
        };
        let of_this_name =
            || files.iter().zip(&offsets).enumerate().filter(|(_, (file, _))| named(file));
        match of_this_name().find(|(_, (_, taken))| taken.is_none()) {
            Some((free, _)) => offsets[free] = Some(*offset),
            None if of_this_name().next().is_none() => {
                bail!("--place {name}: this file is not among those given")
            }
            None => bail!("--place {name}: the file is placed more often than it is given"),
        }
    }
    Ok(offsets)
}

/// Hangs all of a scene from one more node, which also moves joints, and so skinned objects.
pub(super) fn place(scene: Scene, offset: DAffine3) -> Result<Scene, SceneError> {
    let mut parts = scene.into_parts();
    let top = parts.nodes.len();
    for node in &mut parts.nodes {
        node.parent.get_or_insert(top);
    }
    parts.nodes.push(Node { name: None, parent: None, transform: NodeTransform::Matrix(offset) });
    Scene::new(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_read() {
        let Placement { file, offset } = "a@b.glb@1,-2,0.5,90".parse().unwrap();
        assert_eq!(file, "a@b.glb");
        let moved = offset.transform_point3(DVec3::X);
        assert!((moved - DVec3::new(1.0, -2.0, -0.5)).length() < 1e-15, "{moved}");
        let still: Placement = "a@1,2,3".parse().unwrap();
        assert_eq!(still.offset.transform_point3(DVec3::ONE), DVec3::new(2.0, 3.0, 4.0));
        for wrong in ["a", "@1,2,3", "a@1,2", "a@1,2,3,4,5", "a@1,2,x", "a@1,2,inf", "a@"] {
            assert!(wrong.parse::<Placement>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_kth_place_is_the_kth_file() {
        let files = ["a.glb", "b.glb", "a.glb"].map(|file| FileArgument::new(file).unwrap());
        let offsets = |places: &[&str]| {
            let places: Vec<Placement> = places.iter().map(|text| text.parse().unwrap()).collect();
            assign(&files, &places)
                .map(|offsets| {
                    offsets.iter().map(|o| o.map(|o| o.translation.x)).collect::<Vec<_>>()
                })
                .map_err(|error| error.to_string())
        };
        let both = offsets(&["a.glb@1,0,0", "a.glb@2,0,0"]).unwrap();
        assert_eq!(both, [Some(1.0), None, Some(2.0)]);
        assert_eq!(offsets(&["a.glb@1,0,0"]).unwrap(), [Some(1.0), None, None]);
        assert!(offsets(&["c.glb@1,0,0"]).unwrap_err().contains("not among"));
        assert!(offsets(&["b.glb@1,0,0", "b.glb@1,0,0"]).unwrap_err().contains("more often"));
    }
}
