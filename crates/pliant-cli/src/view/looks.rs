//! Base colours and textures of files, for the page.

use std::collections::HashMap;
use std::sync::Arc;

use anyhow::Result;
use pliant_io::{Appearance, Look, Wrap, printable, read_appearance};

use super::base64;
use super::format::{View, ViewImage, ViewLook, ViewMaterial};
use crate::source::Input;

/// Bytes of the pictures of a page, at the most: 45 MB of text.
const MOST_IMAGE_BYTES: usize = 1 << 25;

/// Whether a page has the colours of the files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Textures {
    /// Objects have colours that tell them apart.
    Omitted,
    /// Base colours and pictures are on the page, too.
    Shown,
}

/// Adds what the objects of a view look like in their files, or says that this is left out.
pub(super) fn add_looks(view: &mut View, input: &Input, textures: Textures) -> Result<()> {
    if textures == Textures::Omitted {
        let mut objects = input.objects().iter();
        if objects.any(|&place| !input.object(place).materials.is_empty()) {
            view.notes.push("The files' own colours are not on this page: --textures.".into());
        }
        return Ok(());
    }
    let mut left = MOST_IMAGE_BYTES;
    let mut seen: HashMap<*const Look, usize> = HashMap::new();
    let mut number = 0;
    for source in input.sources() {
        let file = source.file.to_string_lossy();
        let Appearance { materials, images, objects, omitted } =
            read_appearance(&source.file, &source.scene, left)?;
        if objects.iter().all(Option::is_none) {
            view.notes.push(format!("{file}: has no materials of glTF, whose colours are read."));
        }
        view.notes.extend(omitted.iter().map(|left_out| format!("{file}: {left_out}")));
        let first_material = view.materials.len();
        let mut numbers = Vec::with_capacity(images.len());
        for image in images {
            left -= image.bytes.len();
            let (media_type, bytes) = (image.media_type, base64::encode(&image.bytes));
            // Files may have a picture in common.
            let known = view.images.iter().position(|known| known.bytes == bytes);
            numbers.push(known.unwrap_or(view.images.len()));
            if known.is_none() {
                view.images.push(ViewImage { media_type, bytes });
            }
        }
        for material in materials {
            view.materials.push(ViewMaterial {
                color: material.color,
                image: material.image.map(|image| numbers[image]),
                wrap: material.wrap.map(wrap),
                pixelated: material.is_pixelated,
                cutoff: material.cutoff,
            });
        }
        for look in &objects {
            view.objects[number].look = look.as_ref().map(|look| {
                *seen.entry(Arc::as_ptr(look)).or_insert_with(|| {
                    view.looks.push(view_look(look, first_material));
                    view.looks.len() - 1
                })
            });
            number += 1;
        }
    }
    for note in &mut view.notes {
        *note = printable(note).into_owned();
    }
    Ok(())
}

fn view_look(look: &Look, first_material: usize) -> ViewLook {
    let runs = look.runs.iter();
    ViewLook {
        runs: runs.map(|run| (run.end, run.material.map(|it| first_material + it))).collect(),
        coordinates: base64::floats(look.coordinates.iter().flatten().copied()),
    }
}

fn wrap(wrap: Wrap) -> &'static str {
    match wrap {
        Wrap::Repeat => "repeat",
        Wrap::Clamp => "clamp",
        Wrap::Mirror => "mirror",
    }
}
