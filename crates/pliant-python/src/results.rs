//! What queries of bodies return: plain data, as arrays.

use pliant::query::{Depth, Region as QueryRegion, RegionKind};
use pliant::{Inside, PointLocation};
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::arrays::{array, data_frame, html_table, point_array, row_array};

pub(crate) fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Work>()?;
    module.add_class::<Intersections>()?;
    module.add_class::<Within>()?;
    module.add_class::<Region>()?;
    module.add_class::<Penetration>()?;
    module.add_class::<RayHits>()?;
    module.add_class::<ClosestPoints>()?;
    module.add_class::<PointLocations>()?;
    module.add_class::<Distance>()?;
    module.add_class::<FirstContact>()
}

/// What a query did: counts that do not depend on the machine.
#[pyclass(frozen, get_all, module = "pliant")]
#[derive(Debug, Clone, Copy)]
pub(crate) struct Work {
    /// Bounds of nodes that were evaluated.
    pub(crate) bounds: u64,
    /// Tests of bounds.
    pub(crate) overlap_tests: u64,
    /// Exact tests of triangles.
    pub(crate) primitive_tests: u64,
}

impl From<pliant::Work> for Work {
    fn from(work: pliant::Work) -> Self {
        let pliant::Work { bounds, overlap_tests, primitive_tests } = work;
        Self { bounds, overlap_tests, primitive_tests }
    }
}

impl Work {
    /// The sum of the work of several queries.
    pub(crate) fn sum(all: impl Iterator<Item = pliant::Work>) -> Self {
        let mut sum = pliant::Work::default();
        all.for_each(|work| sum += work);
        sum.into()
    }
}

#[pymethods]
impl Work {
    fn __repr__(&self) -> String {
        let Self { bounds, overlap_tests, primitive_tests } = self;
        format!(
            "Work(bounds={bounds}, overlap_tests={overlap_tests}, primitive_tests={primitive_tests})"
        )
    }
}

/// Pairs of triangles that touch.
#[pyclass(frozen, get_all, module = "pliant")]
pub(crate) struct Intersections {
    /// Triangle of the first body, triangle of the second: (k, 2) uint32, ascending, each once.
    pub(crate) pairs: Py<PyAny>,
    /// What the query did.
    pub(crate) work: Work,
}

impl Intersections {
    pub(crate) fn new(py: Python<'_>, found: pliant::Intersections) -> PyResult<Self> {
        Ok(Self { pairs: row_array(py, found.pairs)?.unbind(), work: found.work.into() })
    }
}

#[pymethods]
impl Intersections {
    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.pairs.bind(py).len()
    }

    fn __bool__(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(self.__len__(py)? > 0)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("<pliant.Intersections: {} pairs>", self.__len__(py)?))
    }

    /// A `pandas.DataFrame` with a row per pair.
    fn to_pandas<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let columns = self.pairs.bind(py).getattr("T")?;
        let column = |at: usize| columns.get_item(at);
        data_frame(py, &[("triangle_a", column(0)?), ("triangle_b", column(1)?)])
    }

    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        html_table(&self.__repr__(py)?, self.to_pandas(py))
    }
}

/// Pairs of triangles within a distance.
#[pyclass(frozen, get_all, module = "pliant")]
pub(crate) struct Within {
    /// Triangle of the first body, triangle of the second: (k, 2) uint32.
    pub(crate) pairs: Py<PyAny>,
    /// How far they are apart: (k,).
    pub(crate) distances: Py<PyAny>,
    /// The nearest points of the first triangles: (k, 3).
    pub(crate) on_a: Py<PyAny>,
    /// The nearest points of the second triangles: (k, 3).
    pub(crate) on_b: Py<PyAny>,
    /// Unit vectors from the second to the first: (k, 3).
    pub(crate) normals: Py<PyAny>,
    /// What the query did.
    pub(crate) work: Work,
}

impl Within {
    pub(crate) fn new(py: Python<'_>, found: &pliant::Within) -> PyResult<Self> {
        Self::of(py, &found.pairs, found.work)
    }

    pub(crate) fn of(
        py: Python<'_>,
        pairs: &[pliant::WithinPair],
        work: pliant::Work,
    ) -> PyResult<Self> {
        Ok(Self {
            pairs: row_array(py, pairs.iter().map(|pair| pair.triangles).collect())?.unbind(),
            distances: array(py, pairs.iter().map(|pair| pair.distance).collect()).unbind(),
            on_a: point_array(py, pairs.iter().map(|pair| pair.on_a))?.unbind(),
            on_b: point_array(py, pairs.iter().map(|pair| pair.on_b))?.unbind(),
            normals: point_array(py, pairs.iter().map(|pair| pair.normal))?.unbind(),
            work: work.into(),
        })
    }
}

#[pymethods]
impl Within {
    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.pairs.bind(py).len()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("<pliant.Within: {} pairs>", self.__len__(py)?))
    }

    /// A `pandas.DataFrame` with a row per pair.
    fn to_pandas<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let columns = self.pairs.bind(py).getattr("T")?;
        let column = |at: usize| columns.get_item(at);
        let distances = self.distances.bind(py).clone();
        data_frame(
            py,
            &[("triangle_a", column(0)?), ("triangle_b", column(1)?), ("distance", distances)],
        )
    }

    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        html_table(&self.__repr__(py)?, self.to_pandas(py))
    }
}

/// One connected piece of contact.
#[pyclass(frozen, get_all, module = "pliant")]
pub(crate) struct Region {
    /// "touching", "crossing" or "contained".
    pub(crate) kind: &'static str,
    /// How deep; None if it cannot be told.
    pub(crate) depth: Option<f64>,
    /// Where it is deepest; None without depth.
    pub(crate) point: Option<[f64; 3]>,
    /// The way out for the first body, a unit vector; None without depth.
    pub(crate) direction: Option<[f64; 3]>,
    /// The area that the curve of contact encloses.
    pub(crate) area: f64,
    /// The touching triangles: (k, 2) uint32.
    pub(crate) pairs: Py<PyAny>,
    /// Vertices of the first body inside the second, and of the second inside the first.
    pub(crate) vertices: (Py<PyAny>, Py<PyAny>),
    /// Where the surfaces meet: a list of polylines (n, 3).
    pub(crate) curve: Py<PyList>,
}

impl Region {
    fn new(py: Python<'_>, region: QueryRegion) -> PyResult<Self> {
        let point = match &region.depth {
            Depth::At(deepest) => Some(deepest.point.to_array()),
            Depth::Zero | Depth::CannotTell => None,
        };
        let curve = PyList::empty(py);
        for line in &region.curve {
            curve.append(point_array(py, line.iter().copied())?)?;
        }
        let [first, second] = region.vertices.map(|vertices| array(py, vertices).unbind());
        Ok(Self {
            kind: kind_name(region.kind),
            depth: region.depth.length(),
            point,
            direction: region.direction.map(|direction| direction.to_array()),
            area: region.area,
            pairs: row_array(py, region.pairs)?.unbind(),
            vertices: (first, second),
            curve: curve.unbind(),
        })
    }
}

/// The names of the kinds of regions.
pub(crate) const KINDS: [&str; 3] = ["touching", "crossing", "contained"];

fn kind_name(kind: RegionKind) -> &'static str {
    let [touching, crossing, contained] = KINDS;
    match kind {
        RegionKind::Touching => touching,
        RegionKind::Crossing => crossing,
        RegionKind::Contained => contained,
    }
}

#[pymethods]
impl Region {
    fn __repr__(&self) -> String {
        match self.depth {
            Some(depth) => format!("<pliant.Region: {}, {depth:.6} deep>", self.kind),
            None => format!("<pliant.Region: {}, its depth cannot be told>", self.kind),
        }
    }
}

/// All pieces of contact of two bodies.
#[pyclass(frozen, get_all, module = "pliant")]
pub(crate) struct Penetration {
    /// A list of `Region`s.
    pub(crate) regions: Py<PyList>,
    /// The depth of the deepest; None if there is none, or if it cannot be told.
    pub(crate) depth: Option<f64>,
    /// What the query did.
    pub(crate) work: Work,
}

impl Penetration {
    pub(crate) fn new(py: Python<'_>, found: pliant::Penetration) -> PyResult<Self> {
        Self::of(py, found.regions, found.work)
    }

    pub(crate) fn of(
        py: Python<'_>,
        regions: Vec<QueryRegion>,
        work: pliant::Work,
    ) -> PyResult<Self> {
        let depths = regions.iter().filter_map(|region| region.depth.length());
        let depth = depths.reduce(f64::max);
        let list = PyList::empty(py);
        for region in regions {
            list.append(Region::new(py, region)?)?;
        }
        Ok(Self { regions: list.unbind(), depth, work: work.into() })
    }
}

#[pymethods]
impl Penetration {
    fn __len__(&self, py: Python<'_>) -> usize {
        self.regions.bind(py).len()
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let depth = self.depth.map_or_else(|| "unknown".into(), |depth| format!("{depth:.6}"));
        format!("<pliant.Penetration: {} regions, depth {depth}>", self.__len__(py))
    }

    /// A `pandas.DataFrame` with a row per region.
    fn to_pandas<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        region_table(py, self.regions.bind(py).iter())
    }

    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        html_table(&self.__repr__(py), self.to_pandas(py))
    }
}

/// A row per region: its kind, depth, area and number of pairs.
pub(crate) fn region_table<'py>(
    py: Python<'py>,
    regions: impl Iterator<Item = Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let columns = [(); 4].map(|()| PyList::empty(py));
    let [kinds, depths, areas, pairs] = &columns;
    for region in regions {
        let region = region.cast::<Region>()?.get();
        kinds.append(region.kind)?;
        depths.append(region.depth)?;
        areas.append(region.area)?;
        pairs.append(region.pairs.bind(py).len()?)?;
    }
    let names = ["kind", "depth", "area", "pairs"];
    let columns: Vec<_> = names.into_iter().zip(columns.map(Bound::into_any)).collect();
    data_frame(py, &columns)
}

/// What rays hit first.
#[pyclass(frozen, get_all, module = "pliant")]
pub(crate) struct RayHits {
    /// The triangle that each ray hits: (n,) int64, -1 for none.
    pub(crate) triangles: Py<PyAny>,
    /// How far along each ray, in multiples of its direction: (n,), inf for none.
    pub(crate) t: Py<PyAny>,
    /// Weights of the triangle's corners: (n, 3), nan for none.
    pub(crate) barycentric: Py<PyAny>,
    /// What the queries did.
    pub(crate) work: Work,
}

impl RayHits {
    pub(crate) fn new(py: Python<'_>, hits: &[pliant::RayCast]) -> PyResult<Self> {
        let triangle =
            |hit: &pliant::RayCast| hit.hit.map_or(-1, |(triangle, _)| i64::from(triangle));
        let t = |hit: &pliant::RayCast| hit.hit.map_or(f64::INFINITY, |(_, hit)| hit.t);
        let weights =
            |hit: &pliant::RayCast| hit.hit.map_or([f64::NAN; 3], |(_, hit)| hit.barycentric);
        Ok(Self {
            triangles: array(py, hits.iter().map(triangle).collect()).unbind(),
            t: array(py, hits.iter().map(t).collect()).unbind(),
            barycentric: row_array(py, hits.iter().map(weights).collect())?.unbind(),
            work: Work::sum(hits.iter().map(|hit| hit.work)),
        })
    }
}

#[pymethods]
impl RayHits {
    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.triangles.bind(py).len()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("<pliant.RayHits: {} rays>", self.__len__(py)?))
    }

    /// A `pandas.DataFrame` with a row per ray.
    fn to_pandas<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        data_frame(
            py,
            &[("triangle", self.triangles.bind(py).clone()), ("t", self.t.bind(py).clone())],
        )
    }

    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        html_table(&self.__repr__(py)?, self.to_pandas(py))
    }
}

/// The points of a body that are nearest to given points.
#[pyclass(frozen, get_all, module = "pliant")]
pub(crate) struct ClosestPoints {
    /// The triangles that they lie on: (n,) int64.
    pub(crate) triangles: Py<PyAny>,
    /// The points: (n, 3).
    pub(crate) points: Py<PyAny>,
    /// Weights of the triangles' corners: (n, 3).
    pub(crate) barycentric: Py<PyAny>,
    /// How far they are from the given points: (n,).
    pub(crate) distances: Py<PyAny>,
    /// What the queries did.
    pub(crate) work: Work,
}

impl ClosestPoints {
    pub(crate) fn new(py: Python<'_>, found: &pliant::ClosestPoints) -> PyResult<Self> {
        let triangles = found.triangles.iter().map(|&triangle| i64::from(triangle)).collect();
        let weights = found.found.iter().map(|at| at.barycentric).collect();
        let distances = found.found.iter().map(|at| at.distance_squared.sqrt()).collect();
        Ok(Self {
            triangles: array::<i64>(py, triangles).unbind(),
            points: point_array(py, found.found.iter().map(|at| at.point))?.unbind(),
            barycentric: row_array::<f64, 3>(py, weights)?.unbind(),
            distances: array::<f64>(py, distances).unbind(),
            work: found.work.into(),
        })
    }
}

#[pymethods]
impl ClosestPoints {
    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.triangles.bind(py).len()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("<pliant.ClosestPoints: {} points>", self.__len__(py)?))
    }

    /// A `pandas.DataFrame` with a row per point.
    fn to_pandas<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        data_frame(
            py,
            &[
                ("triangle", self.triangles.bind(py).clone()),
                ("distance", self.distances.bind(py).clone()),
            ],
        )
    }

    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        html_table(&self.__repr__(py)?, self.to_pandas(py))
    }
}

/// Where points lie.
#[pyclass(frozen, get_all, module = "pliant")]
pub(crate) struct PointLocations {
    /// Whether each point is inside or on the surface: (n,) bool. False for "open" ones.
    pub(crate) inside: Py<PyAny>,
    /// "in", "out", "on" or "open" for each point: a list.
    pub(crate) locations: Py<PyList>,
    /// How often closed oriented pieces wind around each point: (n,) int64.
    pub(crate) winding: Py<PyAny>,
    /// What the queries did.
    pub(crate) work: Work,
}

impl PointLocations {
    pub(crate) fn new(py: Python<'_>, found: &[PointLocation]) -> PyResult<Self> {
        let is_inside = |at: &PointLocation| matches!(at.inside, Inside::In | Inside::On);
        Ok(Self {
            inside: array(py, found.iter().map(is_inside).collect()).unbind(),
            locations: PyList::new(py, found.iter().map(|at| location_name(at.inside)))?.unbind(),
            winding: array(py, found.iter().map(|at| at.winding).collect()).unbind(),
            work: Work::sum(found.iter().map(|at| at.work)),
        })
    }
}

#[pymethods]
impl PointLocations {
    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.inside.bind(py).len()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("<pliant.PointLocations: {} points>", self.__len__(py)?))
    }

    /// A `pandas.DataFrame` with a row per point.
    fn to_pandas<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        data_frame(
            py,
            &[
                ("inside", self.inside.bind(py).clone()),
                ("location", self.locations.bind(py).clone().into_any()),
                ("winding", self.winding.bind(py).clone()),
            ],
        )
    }

    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        html_table(&self.__repr__(py)?, self.to_pandas(py))
    }
}

pub(crate) fn location_name(inside: Inside) -> &'static str {
    match inside {
        Inside::In => "in",
        Inside::Out => "out",
        Inside::On => "on",
        Inside::Open => "open",
    }
}

/// The shortest way between two bodies.
#[pyclass(frozen, get_all, module = "pliant")]
pub(crate) struct Distance {
    /// How far they are apart; 0 exactly if they touch.
    pub(crate) length: f64,
    /// The nearest triangles: of the first body, of the second.
    pub(crate) triangles: (u32, u32),
    /// The nearest point of the first body.
    pub(crate) on_a: Py<PyAny>,
    /// The nearest point of the second body.
    pub(crate) on_b: Py<PyAny>,
    /// What the query did.
    pub(crate) work: Work,
}

impl Distance {
    pub(crate) fn new(py: Python<'_>, found: &pliant::Distance) -> PyResult<Self> {
        let [first, second] = found.pair;
        Ok(Self {
            length: found.length(),
            triangles: (first, second),
            on_a: array(py, found.on_a.to_array().to_vec()).unbind(),
            on_b: array(py, found.on_b.to_array().to_vec()).unbind(),
            work: found.work.into(),
        })
    }
}

#[pymethods]
impl Distance {
    fn __float__(&self) -> f64 {
        self.length
    }

    fn __repr__(&self) -> String {
        format!("<pliant.Distance: {}>", self.length)
    }
}

/// When two bodies touch first.
#[pyclass(frozen, get_all, module = "pliant")]
pub(crate) struct FirstContact {
    /// The time of the contact, never late; the end of the search if there is none.
    pub(crate) time: f64,
    /// Triangle of the first body, triangle of the second; None if nothing came near.
    pub(crate) pair: Option<(u32, u32)>,
    /// Whether they touch exactly; if not they are within the motion of the tolerance.
    pub(crate) touching: bool,
    /// What the query did.
    pub(crate) work: Work,
}

impl FirstContact {
    pub(crate) fn new(found: &pliant::FirstContact) -> Self {
        let &pliant::FirstContact { time, pair, touching, work } = found;
        Self { time, pair: pair.map(|[a, b]| (a, b)), touching, work: work.into() }
    }
}

#[pymethods]
impl FirstContact {
    fn __repr__(&self) -> String {
        match self.pair {
            Some(pair) => format!("<pliant.FirstContact: time {}, triangles {pair:?}>", self.time),
            None => format!("<pliant.FirstContact: none until {}>", self.time),
        }
    }
}
