//! Flat arrays of numbers as points, triangles and matrices, and back.

use glam::{DAffine3, DMat4, DVec3};
use js_sys::{Array, Float64Array, Object, Reflect, Uint32Array};
use wasm_bindgen::prelude::*;

use crate::error::{Result, refused};

/// Rows of so many numbers each.
fn rows<'a, T, const N: usize>(flat: &'a [T], what: &str) -> Result<&'a [[T; N]]> {
    match flat.as_chunks::<N>() {
        (rows, []) => Ok(rows),
        _ => {
            let count = flat.len();
            Err(refused(format!("{what}: {count} numbers, which is no multiple of {N}")))
        }
    }
}

pub(crate) fn points(flat: &[f64], what: &str) -> Result<Vec<DVec3>> {
    Ok(rows::<f64, 3>(flat, what)?.iter().copied().map(DVec3::from_array).collect())
}

pub(crate) fn triangles(flat: &[u32]) -> Result<Vec<[u32; 3]>> {
    Ok(rows::<u32, 3>(flat, "triangles")?.to_vec())
}

/// Lists of as many points each as the mesh has vertices.
pub(crate) fn fields(flat: &[f64], vertices: usize, what: &str) -> Result<Vec<Vec<DVec3>>> {
    let all = points(flat, what)?;
    if vertices == 0 || !all.len().is_multiple_of(vertices) {
        let count = all.len();
        return Err(refused(format!("{what}: {count} vectors for a mesh of {vertices} vertices")));
    }
    Ok(all.chunks(vertices).map(<[DVec3]>::to_vec).collect())
}

/// Matrices of 16 numbers by columns, as WebGL, three.js and glTF have them.
pub(crate) fn maps(flat: &[f64], what: &str) -> Result<Vec<DAffine3>> {
    let read = |(number, columns): (usize, &[f64; 16])| {
        let matrix = DMat4::from_cols_array(columns);
        if matrix.row(3) != glam::DVec4::W {
            return Err(refused(format!("{what}: matrix {number} is not affine")));
        }
        Ok(DAffine3::from_mat4(matrix))
    };
    rows::<f64, 16>(flat, what)?.iter().enumerate().map(read).collect()
}

pub(crate) fn point_array(points: impl Iterator<Item = DVec3>) -> JsValue {
    let flat: Vec<f64> = points.flat_map(|point| point.to_array()).collect();
    Float64Array::from(flat.as_slice()).into()
}

pub(crate) fn numbers(numbers: impl Iterator<Item = f64>) -> JsValue {
    let flat: Vec<f64> = numbers.collect();
    Float64Array::from(flat.as_slice()).into()
}

pub(crate) fn indices(indices: impl Iterator<Item = u32>) -> JsValue {
    let flat: Vec<u32> = indices.collect();
    Uint32Array::from(flat.as_slice()).into()
}

pub(crate) fn pair_array(pairs: &[[u32; 2]]) -> JsValue {
    Uint32Array::from(pairs.as_flattened()).into()
}

pub(crate) fn list(items: impl Iterator<Item = JsValue>) -> JsValue {
    items.collect::<Array>().into()
}

pub(crate) fn texts<'a>(items: impl Iterator<Item = &'a str>) -> JsValue {
    list(items.map(JsValue::from_str))
}

/// A plain object.
pub(crate) fn record<const N: usize>(entries: [(&str, JsValue); N]) -> JsValue {
    let object = Object::new();
    for (name, value) in entries {
        // Only a frozen object refuses.
        let _ = Reflect::set(&object, &JsValue::from_str(name), &value);
    }
    object.into()
}
