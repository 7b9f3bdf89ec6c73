//! Results from their fields: what `pickle` makes of them. `pliant/_restore.py` stores the fields.

use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error::refused;
use crate::results::{
    ClosestPoints, Distance, FirstContact, Intersections, KINDS, Penetration, PointLocations,
    RayHits, Region, Within, Work,
};
use crate::scene_frames::{Frame, FrameContact};
use crate::sweep::{Impacts, Swept};
use crate::world_results::{
    Contact, Contacts, NearPairs, WorldPenetrations, WorldRayHits, WorldSwept,
};

/// A field of a result.
fn field<'py>(fields: &Bound<'py, PyDict>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    let found = fields.get_item(name)?;
    found.ok_or_else(|| refused(format!("a stored result has no {name}")))
}

/// The work that a query did.
fn work(fields: &Bound<'_, PyDict>) -> PyResult<Work> {
    Ok(*field(fields, "work")?.cast::<Work>()?.get())
}

/// Makes a result of its fields, which have the names that Python sees.
macro_rules! made {
    ($fields:ident, $kind:ident { $($name:ident),* } $(, $given:ident: $value:expr)*) => {
        Bound::new($fields.py(), $kind {
            $($name: field($fields, stringify!($name))?.extract()?,)*
            $($given: $value,)*
        })?
        .into_any()
    };
}

/// A result of a kind with these fields.
#[pyfunction]
pub(crate) fn restore_result<'py>(
    kind: &str,
    fields: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyAny>> {
    Ok(match kind {
        "Work" => made!(fields, Work { bounds, overlap_tests, primitive_tests }),
        "Intersections" => made!(fields, Intersections { pairs }, work: work(fields)?),
        "Within" => made!(
            fields, Within { pairs, distances, on_a, on_b, normals }, work: work(fields)?
        ),
        "Region" => {
            let stored: String = field(fields, "kind")?.extract()?;
            let kind = KINDS.into_iter().find(|known| *known == stored);
            let kind = kind.ok_or_else(|| refused(format!("no kind of region {stored:?}")))?;
            made!(
                fields, Region { depth, point, direction, area, pairs, vertices, curve }, kind: kind
            )
        }
        "Penetration" => made!(fields, Penetration { regions, depth }, work: work(fields)?),
        "RayHits" => made!(fields, RayHits { triangles, t, barycentric }, work: work(fields)?),
        "ClosestPoints" => made!(
            fields, ClosestPoints { triangles, points, barycentric, distances }, work: work(fields)?
        ),
        "PointLocations" => made!(
            fields, PointLocations { inside, locations, winding }, work: work(fields)?
        ),
        "Distance" => made!(
            fields, Distance { length, triangles, on_a, on_b }, work: work(fields)?
        ),
        "FirstContact" => made!(fields, FirstContact { time, pair, touching }, work: work(fields)?),
        "Impacts" => made!(fields, Impacts { features, times, within }),
        "Swept" => made!(
            fields, Swept { vertex_face, face_vertex, edge_edge, pierced, first },
            work: work(fields)?
        ),
        "Contact" => made!(fields, Contact { names, pairs }),
        "Contacts" => made!(fields, Contacts { contacts }, work: work(fields)?),
        "WorldPenetrations" => made!(fields, WorldPenetrations { bodies }, work: work(fields)?),
        "NearPairs" => made!(fields, NearPairs { bodies }, work: work(fields)?),
        "WorldSwept" => made!(fields, WorldSwept { bodies }, work: work(fields)?),
        "WorldRayHits" => made!(
            fields, WorldRayHits { names, triangles, t, barycentric }, work: work(fields)?
        ),
        "FrameContact" => made!(fields, FrameContact { names, objects, pairs, penetration }),
        "Frame" => made!(fields, Frame { time, contacts }, work: work(fields)?),
        other => return Err(refused(format!("a result of an unknown kind was stored: {other:?}"))),
    })
}
