//! Questions about two bodies, or a body and itself.

use pliant::AnyBody;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::body::{Body, Snapshot};
use crate::error::refused;
use crate::interrupt::{Length, run};
use crate::results::{Distance, FirstContact, Intersections, Penetration, Within};

/// Asks about two bodies as they are now.
fn ask_two<T: Send + 'static>(
    py: Python<'_>,
    bodies: [&Body; 2],
    ask: impl FnOnce(&AnyBody, &AnyBody) -> pliant::Result<T> + Send + 'static,
) -> PyResult<T> {
    let [a, b] = bodies.map(Body::snapshot);
    let length = Length::of(a.triangles() + b.triangles());
    run(py, length, move || ask(a.body()?, b.body()?))?.map_err(refused)
}

/// Asks about a body as it is now.
pub(crate) fn ask_one<T: Send + 'static>(
    py: Python<'_>,
    snapshot: Snapshot,
    ask: impl FnOnce(&AnyBody) -> pliant::Result<T> + Send + 'static,
) -> PyResult<T> {
    let length = Length::of(snapshot.triangles());
    run(py, length, move || ask(snapshot.body()?))?.map_err(refused)
}

pub(crate) fn intersections(
    py: Python<'_>,
    a: &Body,
    b: &Body,
    limit: Option<usize>,
) -> PyResult<Intersections> {
    let found = ask_two(py, [a, b], move |a, b| match limit {
        None => Ok(a.intersections(b)),
        Some(most) => pliant::query::intersections_up_to(a, b, most),
    })?;
    Intersections::new(py, found)
}

pub(crate) fn intersects(py: Python<'_>, a: &Body, b: &Body) -> PyResult<bool> {
    ask_two(py, [a, b], |a, b| Ok(a.intersects(b).pair.is_some()))
}

pub(crate) fn self_intersections(
    py: Python<'_>,
    body: &Body,
    limit: Option<usize>,
) -> PyResult<Intersections> {
    let found = ask_one(py, body.snapshot(), move |body| match limit {
        None => Ok(body.self_intersections()),
        Some(most) => pliant::query::self_intersections_up_to(body, most),
    })?;
    Intersections::new(py, found)
}

pub(crate) fn within(py: Python<'_>, a: &Body, b: &Body, distance: f64) -> PyResult<Within> {
    Within::new(py, &ask_two(py, [a, b], move |a, b| a.within(b, distance))?)
}

pub(crate) fn self_within(py: Python<'_>, body: &Body, distance: f64) -> PyResult<Within> {
    Within::new(py, &ask_one(py, body.snapshot(), move |body| body.self_within(distance))?)
}

pub(crate) fn penetration(py: Python<'_>, a: &Body, b: &Body) -> PyResult<Penetration> {
    Penetration::new(py, ask_two(py, [a, b], |a, b| Ok(a.penetration(b)))?)
}

pub(crate) fn self_penetration(py: Python<'_>, body: &Body) -> PyResult<Penetration> {
    Penetration::new(py, ask_one(py, body.snapshot(), |body| Ok(body.self_penetration()))?)
}

/// The shortest way between two bodies.
#[pyfunction]
pub(crate) fn distance(
    py: Python<'_>,
    a: &Bound<'_, Body>,
    b: &Bound<'_, Body>,
) -> PyResult<Distance> {
    Distance::new(py, &ask_two(py, [a.get(), b.get()], |a, b| Ok(pliant::distance(a, b)))?)
}

/// When two keyframed bodies touch first, from the later of their times on. Neither is moved.
#[pyfunction]
#[pyo3(signature = (a, b, until, tolerance=1e-9))]
pub(crate) fn first_contact(
    py: Python<'_>,
    a: &Bound<'_, Body>,
    b: &Bound<'_, Body>,
    until: f64,
    tolerance: f64,
) -> PyResult<FirstContact> {
    let keyframed = |body: &Bound<'_, Body>| {
        body.get().read(|body| match body {
            AnyBody::Keyframed(body) => Ok(body.as_ref().clone()),
            other => Err(PyTypeError::new_err(format!(
                "first_contact needs keyframed bodies; this one is {}",
                other.kind()
            ))),
        })?
    };
    let (mut a, mut b) = (keyframed(a)?, keyframed(b)?);
    let triangles = a.mesh().triangles().len() + b.mesh().triangles().len();
    let found = run(py, Length::of(triangles), move || {
        let start = a.time().max(b.time());
        a.advance(start)?;
        b.advance(start)?;
        pliant::first_contact(&mut a, &mut b, until, tolerance)
    })?;
    Ok(FirstContact::new(&found.map_err(refused)?))
}
