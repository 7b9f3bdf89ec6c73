//! Answers of queries as plain objects with typed arrays.

use js_sys::{Float64Array, Int32Array};
use pliant::contact::RayHit;
use pliant::query::{Depth, Inside, PointLocation, Region, RegionKind};
use wasm_bindgen::prelude::*;

use crate::arrays::{indices, list, numbers, pair_array, point_array, record, texts};

pub(crate) fn within(pairs: &[pliant::WithinPair]) -> JsValue {
    record([
        ("pairs", indices(pairs.iter().flat_map(|pair| pair.triangles))),
        ("distances", numbers(pairs.iter().map(|pair| pair.distance))),
        ("onA", point_array(pairs.iter().map(|pair| pair.on_a))),
        ("onB", point_array(pairs.iter().map(|pair| pair.on_b))),
        ("normals", point_array(pairs.iter().map(|pair| pair.normal))),
    ])
}

pub(crate) fn regions(regions: &[Region]) -> JsValue {
    list(regions.iter().map(region))
}

/// One connected piece of contact.
fn region(region: &Region) -> JsValue {
    let kind = match region.kind {
        RegionKind::Touching => "touching",
        RegionKind::Crossing => "crossing",
        RegionKind::Contained => "contained",
    };
    let (point, vertex) = match &region.depth {
        Depth::At(deepest) => {
            let vertex = deepest.vertex.map(|vertex| [deepest.body as u32, vertex]);
            (point_array(std::iter::once(deepest.point)), vertex)
        }
        Depth::Zero | Depth::CannotTell => (JsValue::NULL, None),
    };
    let vertex = vertex.map_or(JsValue::NULL, |pair| indices(pair.into_iter()));
    let direction = region.direction.map(|direction| point_array(std::iter::once(direction)));
    record([
        ("kind", kind.into()),
        ("depth", region.depth.length().map_or(JsValue::NULL, JsValue::from_f64)),
        ("point", point),
        ("vertex", vertex),
        ("direction", direction.unwrap_or(JsValue::NULL)),
        ("area", region.area.into()),
        ("pairs", pair_array(&region.pairs)),
        ("verticesA", indices(region.vertices[0].iter().copied())),
        ("verticesB", indices(region.vertices[1].iter().copied())),
        ("curve", list(region.curve.iter().map(|line| point_array(line.iter().copied())))),
    ])
}

/// A triangle of -1 stands for a ray that hits nothing.
pub(crate) fn hits(count: usize, hits: impl Iterator<Item = Option<(u32, RayHit)>>) -> JsValue {
    let (mut triangles, mut t) = (Vec::with_capacity(count), Vec::with_capacity(count));
    let mut weights = Vec::with_capacity(3 * count);
    for hit in hits {
        let nothing = RayHit { t: f64::INFINITY, barycentric: [f64::NAN; 3] };
        let (triangle, at) = hit.map_or((-1, nothing), |(triangle, at)| (triangle as i32, at));
        triangles.push(triangle);
        t.push(at.t);
        weights.extend(at.barycentric);
    }
    record([
        ("triangles", Int32Array::from(triangles.as_slice()).into()),
        ("t", Float64Array::from(t.as_slice()).into()),
        ("barycentric", Float64Array::from(weights.as_slice()).into()),
    ])
}

pub(crate) fn closest_points(found: &pliant::ClosestPoints) -> JsValue {
    record([
        ("triangles", indices(found.triangles.iter().copied())),
        ("points", point_array(found.found.iter().map(|at| at.point))),
        ("barycentric", numbers(found.found.iter().flat_map(|at| at.barycentric))),
        ("distances", numbers(found.found.iter().map(|at| at.distance_squared.sqrt()))),
    ])
}

pub(crate) fn locations(found: &[PointLocation]) -> JsValue {
    texts(found.iter().map(|at| match at.inside {
        Inside::In => "in",
        Inside::Out => "out",
        Inside::On => "on",
        Inside::Open => "open",
    }))
}
