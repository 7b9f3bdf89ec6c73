//! `--weights`: morph targets of files that do not animate them.

use std::str::FromStr;

use anyhow::{Context, Result, ensure};
use pliant_io::{Scene, SceneError};

use crate::number::finite;
use crate::pattern::Pattern;

/// Weights of morph targets, and the objects that have them.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Weights {
    text: String,
    objects: Pattern,
    weights: Vec<f64>,
}

impl FromStr for Weights {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (objects, numbers) = text.rsplit_once('=').unwrap_or(("*", text));
        let weights = numbers.split(',').map(finite).collect::<Result<Vec<f64>, String>>()?;
        Ok(Self { text: text.into(), objects: Pattern::new(objects), weights })
    }
}

/// Sets the weights at rest of all objects with morph targets that are named. Targets beyond the
/// weights given stay as they are. Returns the scene and whether each of the weights fits an object.
pub(super) fn set_weights(scene: Scene, all: &[Weights], fitting: &mut [bool]) -> Result<Scene> {
    if all.is_empty() {
        return Ok(scene);
    }
    let mut parts = scene.into_parts();
    for object in &mut parts.objects {
        let targets = object.default_weights.len();
        for (wanted, fits) in all.iter().zip(&mut *fitting) {
            if targets == 0 || !wanted.objects.matches(&object.name) {
                continue;
            }
            ensure!(
                wanted.weights.len() <= targets,
                "--weights {}: {:?} has {targets} morph targets",
                wanted.text,
                object.name
            );
            object.default_weights[..wanted.weights.len()].copy_from_slice(&wanted.weights);
            *fits = true;
        }
    }
    Scene::new(parts).map_err(|error: SceneError| error).context("--weights")
}

/// Refuses weights that no object has.
pub(super) fn check_fitting(all: &[Weights], fitting: &[bool]) -> Result<()> {
    for (wanted, fits) in all.iter().zip(fitting) {
        ensure!(*fits, "--weights {}: there is no such object with morph targets", wanted.text);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_read() {
        let weights: Weights = "face=0.5,1".parse().unwrap();
        assert_eq!(weights.weights, [0.5, 1.0]);
        assert!(weights.objects.matches("Face") && !weights.objects.matches("hand"));
        let all: Weights = "1".parse().unwrap();
        assert!(all.objects.matches("anything"));
        for wrong in ["", "a=", "1,x", "inf"] {
            assert!(wrong.parse::<Weights>().is_err(), "{wrong}");
        }
    }
}
