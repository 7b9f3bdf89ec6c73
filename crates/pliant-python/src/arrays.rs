//! NumPy arrays in, without a copy where type and layout allow it; arrays out.

use numpy::ndarray::Dimension;
use numpy::{
    Element, PyArray, PyArray1, PyArray2, PyArray3, PyArrayMethods as _, PyReadonlyArray2,
    PyReadonlyArray3, PyUntypedArrayMethods as _,
};
use pliant::glam::{DAffine3, DMat3, DVec3};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error::refused;

/// Rows of three numbers.
pub(crate) struct Points<'py>(PyReadonlyArray2<'py, f64>);

impl<'py> Points<'py> {
    /// Takes anything that NumPy takes for rows of three numbers. C-contiguous `float64` is not
    /// copied. `what` names it in messages.
    pub(crate) fn of(value: &Bound<'py, PyAny>, what: &str) -> PyResult<Self> {
        let array = match value.cast::<PyArray2<f64>>() {
            Ok(array) if is_plain(array) => array.clone(),
            _ => required(value, "float64")?.cast_into::<PyArray2<f64>>().map_err(|_| {
                let shape = shape_of(value);
                refused(format!("{what} must have the shape (n, 3), not {shape}"))
            })?,
        };
        if array.shape()[1] != 3 {
            let shape = shape_of(value);
            return Err(refused(format!("{what} must have the shape (n, 3), not {shape}")));
        }
        Ok(Self(array.try_readonly()?))
    }

    /// The rows.
    pub(crate) fn as_slice(&self) -> &[DVec3] {
        // `of` has made sure of the layout.
        bytemuck::cast_slice(self.0.as_slice().unwrap_or_default())
    }

    pub(crate) fn to_vec(&self) -> Vec<DVec3> {
        self.as_slice().to_vec()
    }
}

/// Whether the numbers of an array lie one after the other, as its type wants them.
fn is_plain<T: Element, D: Dimension>(array: &Bound<'_, PyArray<T, D>>) -> bool {
    array.is_c_contiguous() && (array.data() as usize).is_multiple_of(size_of::<T>())
}

/// An array of a type, C-contiguous and aligned: the value itself if it is one.
fn required<'py>(value: &Bound<'py, PyAny>, dtype: &str) -> PyResult<Bound<'py, PyAny>> {
    let numpy = value.py().import("numpy")?;
    numpy.call_method1("require", (value, dtype, ["C", "A"]))
}

/// The shape of a value, for messages.
fn shape_of(value: &Bound<'_, PyAny>) -> String {
    let shape = value.py().import("numpy").and_then(|numpy| numpy.call_method1("shape", (value,)));
    shape.map_or_else(|_| "an unknown shape".into(), |shape| shape.to_string())
}

/// Rows of whole numbers of any integer type. `what` names them in messages.
pub(crate) fn whole_rows<const N: usize>(
    value: &Bound<'_, PyAny>,
    what: &str,
) -> PyResult<Vec<[u32; N]>> {
    let numpy = value.py().import("numpy")?;
    let array = numpy.call_method1("asarray", (value,))?;
    let kind: String = array.getattr("dtype")?.getattr("kind")?.extract()?;
    let is_empty = array.getattr("size")?.extract::<usize>()? == 0;
    if !is_empty && !matches!(kind.as_str(), "i" | "u") {
        let dtype = array.getattr("dtype")?;
        return Err(PyTypeError::new_err(format!("{what} must be integers, not {dtype}")));
    }
    let wrong = || refused(format!("{what} must have the shape (n, {N}), not {}", shape_of(value)));
    let array = required(&array, "int64")?;
    let array = array.cast_into::<PyArray2<i64>>().map_err(|_| wrong())?;
    if array.shape()[1] != N {
        return Err(wrong());
    }
    let array = array.try_readonly()?;
    let numbers = array.as_slice()?;
    let (rows, _) = numbers.as_chunks::<N>();
    let whole = |(row, numbers): (usize, &[i64; N])| {
        let mut whole = [0; N];
        for (slot, &number) in whole.iter_mut().zip(numbers) {
            *slot = u32::try_from(number)
                .map_err(|_| refused(format!("row {row} of {what} has {number}")))?;
        }
        Ok(whole)
    };
    rows.iter().enumerate().map(whole).collect()
}

/// Numbers in one row.
pub(crate) fn numbers(value: &Bound<'_, PyAny>, what: &str) -> PyResult<Vec<f64>> {
    // An array of its kind needs no help of NumPy, which takes longer than most setters.
    if let Ok(array) = value.cast::<PyArray1<f64>>()
        && let Ok(numbers) = array.try_readonly()?.as_slice()
    {
        return Ok(numbers.to_vec());
    }
    let array = required(value, "float64")?.cast_into::<PyArray1<f64>>().map_err(|_| {
        refused(format!("{what} must have the shape (n,), not {}", shape_of(value)))
    })?;
    Ok(array.try_readonly()?.as_slice()?.to_vec())
}

/// Numbers in one row, or one number for all.
pub(crate) fn number_for_each(
    value: &Bound<'_, PyAny>,
    count: usize,
    what: &str,
) -> PyResult<Vec<f64>> {
    if let Ok(one) = value.extract::<f64>() {
        return Ok(vec![one; count]);
    }
    let numbers = numbers(value, what)?;
    if numbers.len() == count {
        return Ok(numbers);
    }
    Err(refused(format!("{} {what} were given for {count}", numbers.len())))
}

/// One affine map: a matrix of four rows, or of the first three of them, that acts on columns.
pub(crate) fn affine_map(value: &Bound<'_, PyAny>) -> PyResult<DAffine3> {
    let wrong = || {
        let shape = shape_of(value);
        refused(format!("the matrix must have the shape (4, 4) or (3, 4), not {shape}"))
    };
    let array = match value.cast::<PyArray2<f64>>() {
        Ok(array) if is_plain(array) => array.clone(),
        _ => required(value, "float64")?.cast_into::<PyArray2<f64>>().map_err(|_| wrong())?,
    };
    let (rows, columns) = (array.shape()[0], array.shape()[1]);
    if !matches!(rows, 3 | 4) || columns != 4 {
        return Err(wrong());
    }
    affine_of_rows(array.try_readonly()?.as_slice()?, 0)
}

/// A map of the rows of a matrix, three or four of them, with four numbers each.
fn affine_of_rows(m: &[f64], number: usize) -> PyResult<DAffine3> {
    if m.get(12..).is_some_and(|last| !last.is_empty() && last != [0.0, 0.0, 0.0, 1.0]) {
        return Err(refused(format!("the last row of matrix {number} is not 0 0 0 1")));
    }
    let column = |at: usize| DVec3::new(m[at], m[at + 4], m[at + 8]);
    let matrix3 = DMat3::from_cols(column(0), column(1), column(2));
    Ok(DAffine3 { matrix3, translation: column(3) })
}

/// Affine maps: (n, 4, 4) or (n, 3, 4), acting on columns.
pub(crate) fn affine_maps(value: &Bound<'_, PyAny>, what: &str) -> PyResult<Vec<DAffine3>> {
    let wrong = || {
        let shape = shape_of(value);
        refused(format!("{what} must have the shape (n, 4, 4) or (n, 3, 4), not {shape}"))
    };
    let array = match value.cast::<PyArray3<f64>>() {
        Ok(array) if is_plain(array) => array.clone(),
        _ => required(value, "float64")?.cast_into::<PyArray3<f64>>().map_err(|_| wrong())?,
    };
    let (rows, columns) = (array.shape()[1], array.shape()[2]);
    if !matches!(rows, 3 | 4) || columns != 4 {
        return Err(wrong());
    }
    let array = array.try_readonly()?;
    let matrices = array.as_slice()?.chunks_exact(4 * rows).enumerate();
    matrices.map(|(number, m)| affine_of_rows(m, number)).collect()
}

/// Several lists of as many points each: (n, vertices, 3). C-contiguous `float64` is not copied.
pub(crate) struct PointLists<'py>(PyReadonlyArray3<'py, f64>);

impl<'py> PointLists<'py> {
    pub(crate) fn of(value: &Bound<'py, PyAny>, what: &str) -> PyResult<Self> {
        let wrong = || {
            let shape = shape_of(value);
            refused(format!("{what} must have the shape (n, vertices, 3), not {shape}"))
        };
        let array =
            required(value, "float64")?.cast_into::<PyArray3<f64>>().map_err(|_| wrong())?;
        if array.shape()[2] != 3 {
            return Err(wrong());
        }
        Ok(Self(array.try_readonly()?))
    }

    /// The lists, in their order.
    pub(crate) fn lists(&self) -> Vec<&[DVec3]> {
        let (lists, points) = (self.0.shape()[0], self.0.shape()[1]);
        // `of` has made sure of the layout.
        let all: &[DVec3] = bytemuck::cast_slice(self.0.as_slice().unwrap_or_default());
        (0..lists).map(|list| &all[list * points..(list + 1) * points]).collect()
    }
}

/// Several lists of as many points each: (n, vertices, 3).
pub(crate) fn point_lists(value: &Bound<'_, PyAny>, what: &str) -> PyResult<Vec<Vec<DVec3>>> {
    Ok(PointLists::of(value, what)?.lists().into_iter().map(<[DVec3]>::to_vec).collect())
}

/// A matrix of four rows.
pub(crate) fn matrix_array<'py>(py: Python<'py>, map: DAffine3) -> PyResult<Bound<'py, PyAny>> {
    let [x, y, z] = [map.matrix3.row(0), map.matrix3.row(1), map.matrix3.row(2)];
    let t = map.translation;
    let rows = [[x.x, x.y, x.z, t.x], [y.x, y.y, y.z, t.y], [z.x, z.y, z.z, t.z], [0., 0., 0., 1.]];
    row_array(py, rows.to_vec())
}

/// Rows of numbers as an array of two dimensions.
pub(crate) fn row_array<'py, T: Element, const N: usize>(
    py: Python<'py>,
    rows: Vec<[T; N]>,
) -> PyResult<Bound<'py, PyAny>> {
    let count = rows.len();
    Ok(PyArray1::from_vec(py, rows.into_flattened()).reshape([count, N])?.into_any())
}

/// Points as an array of rows.
pub(crate) fn point_array<'py>(
    py: Python<'py>,
    points: impl IntoIterator<Item = DVec3>,
) -> PyResult<Bound<'py, PyAny>> {
    row_array(py, points.into_iter().map(DVec3::into).collect::<Vec<[f64; 3]>>())
}

/// Numbers as an array of one dimension.
pub(crate) fn array<T: Element>(py: Python<'_>, numbers: Vec<T>) -> Bound<'_, PyAny> {
    PyArray1::from_vec(py, numbers).into_any()
}

/// Lists of points as an array of three dimensions.
pub(crate) fn point_list_array<'py>(
    py: Python<'py>,
    lists: &[Vec<DVec3>],
) -> PyResult<Bound<'py, PyAny>> {
    let points = lists.first().map_or(0, Vec::len);
    let all: Vec<f64> = lists.iter().flatten().flat_map(|point| point.to_array()).collect();
    Ok(PyArray1::from_vec(py, all).reshape([lists.len(), points, 3])?.into_any())
}

/// Columns as a `pandas.DataFrame`.
pub(crate) fn data_frame<'py>(
    py: Python<'py>,
    columns: &[(&str, Bound<'py, PyAny>)],
) -> PyResult<Bound<'py, PyAny>> {
    let table = PyDict::new(py);
    for (name, column) in columns {
        table.set_item(name, column)?;
    }
    py.import("pandas")?.call_method1("DataFrame", (table,))
}

/// What a notebook shows of a result: a sentence and the first rows of its table, or the sentence alone
/// without pandas.
pub(crate) fn html_table(said: &str, table: PyResult<Bound<'_, PyAny>>) -> PyResult<String> {
    let said = said.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let rows: PyResult<String> = table.and_then(|table| {
        let first = table.call_method1("head", (SHOWN_ROWS,))?;
        first.call_method0("to_html")?.extract()
    });
    Ok(match rows {
        Ok(rows) => format!("<p>{said}</p>{rows}"),
        Err(_) => format!("<p>{said}</p>"),
    })
}

/// Rows of a table that a notebook shows.
const SHOWN_ROWS: usize = 10;
