//! Questions about many rays or points at once.

use std::sync::Arc;

use pliant::AnyBody;
use pliant::glam::DVec3;
use pliant::volume::Ray;
use pyo3::prelude::*;
use rayon::prelude::*;

use crate::arrays::{Points, array};
use crate::body::Body;
use crate::error::refused;
use crate::interrupt::{Length, detached, run};
use crate::results::{ClosestPoints, PointLocations, RayHits};

/// Questions asked at once: between two such groups Python may interrupt.
const GROUP: usize = 1 << 14;

/// Asks a question about every item, on all threads, and returns the answers in their order.
fn ask_all<I: Sync + Send + 'static, T: Send + 'static>(
    py: Python<'_>,
    body: &Body,
    items: Vec<I>,
    ask: impl Fn(&AnyBody, &I) -> pliant::Result<T> + Send + Sync + 'static,
) -> PyResult<Vec<T>> {
    // Few questions are quicker on one thread.
    if items.len() < 64 {
        let snapshot = body.snapshot();
        let answers: pliant::Result<Vec<T>> = detached(py, || {
            let body = snapshot.body()?;
            items.iter().map(|item| ask(body, item)).collect()
        });
        return answers.map_err(refused);
    }
    let (snapshot, items, ask) = (Arc::new(body.snapshot()), Arc::new(items), Arc::new(ask));
    let mut answers = Vec::with_capacity(items.len());
    for start in (0..items.len()).step_by(GROUP) {
        let (snapshot, items, ask) = (snapshot.clone(), items.clone(), ask.clone());
        let group: pliant::Result<Vec<T>> = run(py, Length::Long, move || {
            let body = snapshot.body()?;
            let end = (start + GROUP).min(items.len());
            (start..end).into_par_iter().map(|at| ask(body, &items[at])).collect()
        })?;
        answers.extend(group.map_err(refused)?);
    }
    Ok(answers)
}

/// Rays of origins and directions.
pub(crate) fn rays(
    origins: &Bound<'_, PyAny>,
    directions: &Bound<'_, PyAny>,
) -> PyResult<Vec<Ray>> {
    let (origins, directions) =
        (Points::of(origins, "origins")?, Points::of(directions, "directions")?);
    let (origins, directions) = (origins.as_slice(), directions.as_slice());
    if origins.len() != directions.len() {
        let (first, second) = (origins.len(), directions.len());
        return Err(refused(format!("{first} origins and {second} directions were given")));
    }
    let ray = |(number, (&origin, &direction)): (usize, (&DVec3, &DVec3))| {
        Ray::new(origin, direction).map_err(|error| refused(format!("ray {number}: {error}")))
    };
    origins.iter().zip(directions).enumerate().map(ray).collect()
}

pub(crate) fn ray_cast(
    body: &Body,
    origins: &Bound<'_, PyAny>,
    directions: &Bound<'_, PyAny>,
) -> PyResult<RayHits> {
    let py = origins.py();
    let hits =
        ask_all(py, body, rays(origins, directions)?, |body, ray| Ok(pliant::ray_cast(body, ray)))?;
    RayHits::new(py, &hits)
}

pub(crate) fn closest_points(body: &Body, given: &Bound<'_, PyAny>) -> PyResult<ClosestPoints> {
    let (py, points) = (given.py(), Points::of(given, "points")?);
    let snapshot = body.snapshot();
    // Few questions are answered before a person can react, and need no copy.
    if points.as_slice().len() < GROUP {
        let slice = points.as_slice();
        let found = detached(py, || snapshot.body()?.closest_points(slice)).map_err(refused)?;
        return ClosestPoints::new(py, &found);
    }
    let points = points.to_vec();
    let found = run(py, Length::Long, move || snapshot.body()?.closest_points(&points))?;
    ClosestPoints::new(py, &found.map_err(refused)?)
}

pub(crate) fn inside(body: &Body, given: &Bound<'_, PyAny>) -> PyResult<PointLocations> {
    let points = Points::of(given, "points")?.to_vec();
    let found = ask_all(given.py(), body, points, |body, &point| pliant::inside(body, point))?;
    PointLocations::new(given.py(), &found)
}

pub(crate) fn winding_numbers<'py>(
    body: &Body,
    given: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let points = Points::of(given, "points")?.to_vec();
    let found = ask_all(given.py(), body, points, |body, &point| {
        pliant::query::winding_number(body, point)
    })?;
    Ok(array(given.py(), found))
}
