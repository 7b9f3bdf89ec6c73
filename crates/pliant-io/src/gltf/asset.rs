//! The version of a file and the extensions that it requires.

use std::collections::HashSet;

use super::Source;
use super::json::Document;
use crate::Result;
use crate::scene::Warning;

/// Integer positions, which are additional accessor types.
pub(super) const QUANTIZATION: &str = "KHR_mesh_quantization";

/// Compressed triangles.
pub(super) const DRACO: &str = "KHR_draco_mesh_compression";

/// Extensions that describe an avatar: who made it, which node is which limb, what its faces are
/// called. (`VRMC_springBone` and `VRMC_node_constraint` move joints, and are warned of.)
const AVATAR: [&str; 2] = ["VRM", "VRMC_vrm"];

/// Compressed buffer views, by the names of its vendor and of its later standard.
pub(super) const MESHOPT: [&str; 2] = ["EXT_meshopt_compression", "KHR_meshopt_compression"];

/// Prefixes of extensions that concern only appearance or metadata.
const APPEARANCE: [&str; 12] = [
    "KHR_materials_",
    "KHR_texture_",
    "KHR_lights_",
    "KHR_techniques_",
    "KHR_xmp",
    "EXT_materials_",
    "EXT_texture_",
    "EXT_lights_",
    "ADOBE_materials_",
    "MSFT_texture_",
    "MSFT_packing_",
    "VRMC_materials_",
];

/// Checks version and extensions.
pub(super) fn check(
    document: &Document,
    source: Source<'_>,
    warnings: &mut Vec<Warning>,
) -> Result<()> {
    let version = version(&document.asset.version, "version", source)?;
    if version.0 != 2 {
        let reason = format!("version {}.{}, but only 2.0 is supported", version.0, version.1);
        return Err(source.unsupported("asset", reason));
    }
    if let Some(text) = &document.asset.min_version {
        let needed = self::version(text, "minVersion", source)?;
        if needed > version {
            return Err(source.malformed("asset", "minVersion is above version"));
        }
        if needed > (2, 0) {
            let reason =
                format!("it needs version {}.{}, but only 2.0 is supported", needed.0, needed.1);
            return Err(source.unsupported("asset", reason));
        }
    }
    extensions(document, source, warnings)
}

fn extensions(document: &Document, source: Source<'_>, warnings: &mut Vec<Warning>) -> Result<()> {
    let used = distinct(&document.extensions_used, "extensionsUsed", source)?;
    let required = distinct(&document.extensions_required, "extensionsRequired", source)?;
    for name in document.extensions_required.iter() {
        if !is_known(name) {
            let what = if name.contains("mesh_compression") {
                "its geometry is compressed with"
            } else {
                "it requires the extension"
            };
            return Err(source.unsupported("extensionsRequired", format!("{what} {name}")));
        }
        if !used.contains(name.as_str()) {
            let reason = format!("{name} is missing from extensionsUsed");
            return Err(source.malformed("extensionsRequired", reason));
        }
    }
    for name in document.extensions_used.iter() {
        if !is_known(name) && !required.contains(name.as_str()) {
            warnings.push(Warning::new("extensionsUsed", format!("{name} is ignored")));
        }
    }
    Ok(())
}

fn distinct<'a>(
    names: &'a [String],
    element: &str,
    source: Source<'_>,
) -> Result<HashSet<&'a str>> {
    let mut seen = HashSet::new();
    for name in names {
        if !seen.insert(name.as_str()) {
            return Err(source.malformed(element, format!("{name} is listed twice")));
        }
    }
    Ok(seen)
}

fn is_known(name: &str) -> bool {
    name == QUANTIZATION
        || name == DRACO
        || MESHOPT.contains(&name)
        || AVATAR.contains(&name)
        || APPEARANCE.iter().any(|start| name.starts_with(start))
}

/// Major and minor version.
fn version(text: &str, element: &str, source: Source<'_>) -> Result<(u32, u32)> {
    let number = |digits: &str| {
        let all = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        if all { digits.parse().ok() } else { None }
    };
    let parts = text.split_once('.').map(|(major, minor)| (number(major), number(minor)));
    match parts {
        Some((Some(major), Some(minor))) => Ok((major, minor)),
        _ => Err(source.malformed("asset", format!("{element} `{text}` is not like `2.0`"))),
    }
}
