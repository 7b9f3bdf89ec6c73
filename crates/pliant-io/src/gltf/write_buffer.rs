//! The binary part of a GLB while it is written: accessors, their views and their bytes.

use serde_json::{Value, json};

use crate::scene::SceneError;

/// The use of a buffer view, as numbered by the format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    Vertices = 34962,
    Indices = 34963,
}

/// The accessors written so far. Every view starts at a multiple of 4 bytes and has one packed
/// accessor.
#[derive(Default)]
pub(super) struct WriteBuffer {
    pub(super) bytes: Vec<u8>,
    pub(super) views: Vec<Value>,
    pub(super) accessors: Vec<Value>,
}

impl WriteBuffer {
    /// Writes elements of `width` floats with bounds and returns the accessor's number.
    ///
    /// # Errors
    /// A number that is too large for `f32`.
    pub(super) fn floats(
        &mut self,
        kind: &str,
        width: usize,
        numbers: impl Iterator<Item = f64>,
        target: Option<Target>,
        element: &str,
    ) -> Result<usize, SceneError> {
        let view = self.open(target);
        let mut min = vec![f32::INFINITY; width];
        let mut max = vec![f32::NEG_INFINITY; width];
        let mut count = 0;
        for (index, number) in numbers.enumerate() {
            let rounded = number as f32;
            if !rounded.is_finite() {
                return Err(SceneError::new(element, format!("{number} does not fit 32 bits")));
            }
            let row = index % width;
            min[row] = min[row].min(rounded);
            max[row] = max[row].max(rounded);
            self.bytes.extend(rounded.to_le_bytes());
            count = index + 1;
        }
        self.close(view);
        let bound = |numbers: Vec<f32>| numbers.into_iter().map(f64::from).collect::<Vec<_>>();
        self.accessors.push(json!({
            "bufferView": view, "componentType": 5126, "type": kind, "count": count / width,
            "min": bound(min), "max": bound(max),
        }));
        Ok(self.accessors.len() - 1)
    }

    /// Writes triangles as indices of 16 bits if they suffice, otherwise of 32 bits.
    pub(super) fn triangles(&mut self, triangles: &[[u32; 3]], vertices: usize) -> usize {
        let view = self.open(Some(Target::Indices));
        // The format reserves the largest number of either width.
        let is_short = vertices < usize::from(u16::MAX);
        for &corner in triangles.as_flattened() {
            if is_short {
                self.bytes.extend((corner as u16).to_le_bytes());
            } else {
                self.bytes.extend(corner.to_le_bytes());
            }
        }
        self.close(view);
        let component = if is_short { 5123 } else { 5125 };
        self.accessors.push(json!({
            "bufferView": view, "componentType": component, "type": "SCALAR",
            "count": triangles.len() * 3,
        }));
        self.accessors.len() - 1
    }

    /// Writes four joints per vertex.
    pub(super) fn joints(&mut self, joints: &[[u16; 4]]) -> usize {
        let view = self.open(Some(Target::Vertices));
        self.bytes.extend(joints.as_flattened().iter().flat_map(|joint| joint.to_le_bytes()));
        self.close(view);
        self.accessors.push(json!({
            "bufferView": view, "componentType": 5123, "type": "VEC4", "count": joints.len(),
        }));
        self.accessors.len() - 1
    }

    fn open(&mut self, target: Option<Target>) -> usize {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        let mut view = json!({ "buffer": 0, "byteOffset": self.bytes.len() });
        if let Some(target) = target {
            view["target"] = json!(target as u32);
        }
        self.views.push(view);
        self.views.len() - 1
    }

    fn close(&mut self, view: usize) {
        let start = self.views[view]["byteOffset"].as_u64().unwrap_or_default();
        self.views[view]["byteLength"] = json!(self.bytes.len() as u64 - start);
    }
}
