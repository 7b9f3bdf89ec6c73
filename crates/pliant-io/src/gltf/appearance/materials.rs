//! The JSON of materials and textures.

use serde::Deserialize;

use super::images::ImageJson;
use super::{Material, Wrap};
use crate::gltf::json_values::Count;

/// The parts of the JSON that concern the appearance.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Root {
    #[serde(default)]
    pub(super) materials: Vec<MaterialJson>,
    #[serde(default)]
    pub(super) textures: Vec<TextureJson>,
    #[serde(default)]
    pub(super) images: Vec<ImageJson>,
    #[serde(default)]
    pub(super) samplers: Vec<SamplerJson>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct MaterialJson {
    #[serde(default)]
    pbr_metallic_roughness: BaseJson,
    alpha_mode: Option<String>,
    alpha_cutoff: Option<f32>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BaseJson {
    base_color_factor: Option<[f32; 4]>,
    base_color_texture: Option<TextureUse>,
}

/// A texture as a material uses it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TextureUse {
    pub(super) index: Count,
    pub(super) tex_coord: Option<Count>,
    #[serde(default)]
    pub(super) extensions: TextureUseExtensions,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct TextureUseExtensions {
    #[serde(rename = "KHR_texture_transform")]
    pub(super) transform: Option<Transform>,
}

/// `KHR_texture_transform`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Transform {
    #[serde(default)]
    offset: [f64; 2],
    #[serde(default)]
    rotation: f64,
    scale: Option<[f64; 2]>,
    pub(super) tex_coord: Option<Count>,
}

impl Transform {
    /// Scales, then turns, then moves.
    pub(super) fn apply(&self, pair: &[f64]) -> [f64; 2] {
        let [sx, sy] = self.scale.unwrap_or([1.0; 2]);
        let (x, y) = (sx * pair[0], sy * pair[1]);
        let (sin, cos) = self.rotation.sin_cos();
        [cos * x + sin * y + self.offset[0], cos * y - sin * x + self.offset[1]]
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct TextureJson {
    source: Option<Count>,
    pub(super) sampler: Option<Count>,
    #[serde(default)]
    extensions: TextureExtensions,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct TextureExtensions {
    #[serde(rename = "EXT_texture_webp")]
    webp: Option<SourceJson>,
}

#[derive(Debug, Deserialize)]
pub(super) struct SourceJson {
    source: Count,
}

impl TextureJson {
    /// The number of its picture.
    pub(super) fn image(&self) -> Option<usize> {
        let webp = self.extensions.webp.as_ref().map(|it| it.source);
        self.source.or(webp).map(|it| it.index())
    }
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SamplerJson {
    mag_filter: Option<Count>,
    wrap_s: Option<Count>,
    wrap_t: Option<Count>,
}

impl SamplerJson {
    /// How the picture goes on, and whether its pixels are squares.
    pub(super) fn of(self) -> ([Wrap; 2], bool) {
        let wrap = |mode: Option<Count>| match mode.map(|mode| mode.0) {
            Some(33071) => Wrap::Clamp,
            Some(33648) => Wrap::Mirror,
            _ => Wrap::Repeat,
        };
        ([wrap(self.wrap_s), wrap(self.wrap_t)], self.mag_filter == Some(Count(9728)))
    }
}

impl MaterialJson {
    /// The material without its picture.
    pub(super) fn material(&self) -> Material {
        let is_masked = self.alpha_mode.as_deref() == Some("MASK");
        Material {
            color: self.pbr_metallic_roughness.base_color_factor.unwrap_or([1.0; 4]),
            image: None,
            wrap: [Wrap::Repeat; 2],
            is_pixelated: false,
            cutoff: is_masked.then(|| self.alpha_cutoff.unwrap_or(0.5)),
        }
    }

    pub(super) fn texture(&self) -> Option<&TextureUse> {
        self.pbr_metallic_roughness.base_color_texture.as_ref()
    }
}
