//! Raw queries of impact as text: four points at the start and at the end of a step.

use std::fmt;

use pliant::glam::DVec3;

/// One query: vertex and face, or edge and edge.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ImpactQuery {
    /// The points at the start: a vertex and the corners of a face, or the ends of both edges.
    pub start: [DVec3; 4],
    /// The points at the end.
    pub end: [DVec3; 4],
    /// Whether the features touch, if the text says it.
    pub label: Option<bool>,
}

/// Why a text holds no queries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BadQuery {
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong with it.
    pub reason: &'static str,
}

impl fmt::Display for BadQuery {
    fn fmt(&self, to: &mut fmt::Formatter) -> fmt::Result {
        write!(to, "line {}: {}", self.line, self.reason)
    }
}

impl std::error::Error for BadQuery {}

/// Reads queries: 8 lines per query, four points at the start and the same at the end. A line has
/// numerator and denominator of x, y and z, and may end with the label, 0 or 1.
///
/// Coordinates that are not `f64` are rounded to the nearest. Empty lines are skipped.
///
/// # Errors
///
/// If a line has other fields, or if the number of lines is not a multiple of 8.
///
/// ```
/// let text = "1,2,0,1,-3,4,1\n".repeat(8);
/// let queries = pliant_scenes::read_impact_queries(&text)?;
/// assert_eq!(queries[0].start[0].to_array(), [0.5, 0.0, -0.75]);
/// assert_eq!(queries[0].label, Some(true));
/// # Ok::<(), pliant_scenes::BadQuery>(())
/// ```
pub fn read_impact_queries(text: &str) -> Result<Vec<ImpactQuery>, BadQuery> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let rows =
        lines.map(|(line, text)| row(text).map_err(|reason| BadQuery { line: line + 1, reason }));
    let rows: Vec<(DVec3, Option<bool>)> = rows.collect::<Result<_, _>>()?;
    let queries = rows.chunks_exact(8);
    if !queries.remainder().is_empty() {
        return Err(BadQuery { line: rows.len(), reason: "a query has 8 lines" });
    }
    let query = |rows: &[(DVec3, Option<bool>)]| ImpactQuery {
        start: std::array::from_fn(|i| rows[i].0),
        end: std::array::from_fn(|i| rows[i + 4].0),
        label: rows[0].1,
    };
    Ok(queries.map(query).collect())
}

fn row(text: &str) -> Result<(DVec3, Option<bool>), &'static str> {
    let mut fields = text.trim().split(',').map(str::trim);
    let mut number = || -> Result<f64, &'static str> {
        let field = fields.next().ok_or("a line has 6 or 7 fields")?;
        field.parse().map_err(|_| "a numerator or denominator is not a number")
    };
    let mut point = [0.0; 3];
    for x in &mut point {
        *x = number()? / number()?;
    }
    if !point.iter().all(|x| x.is_finite()) {
        return Err("a coordinate is not finite");
    }
    let label = match fields.next() {
        None => None,
        Some("0") => Some(false),
        Some("1") => Some(true),
        Some(_) => return Err("a label is neither 0 nor 1"),
    };
    if fields.next().is_some() {
        return Err("a line has 6 or 7 fields");
    }
    Ok((DVec3::from_array(point), label))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_text_is_refused_with_its_line() {
        let good = "1,1,2,1,3,1\n";
        let of = |text: &str| read_impact_queries(text).unwrap_err().to_string();
        assert_eq!(of(&good.repeat(7)), "line 7: a query has 8 lines");
        let after = |line: &str| of(&format!("{}{line}", good.repeat(7)));
        assert_eq!(after("1,1,2,1,3"), "line 8: a line has 6 or 7 fields");
        assert_eq!(after("1,1,2,1,3,1,1,1"), "line 8: a line has 6 or 7 fields");
        assert_eq!(after("1,1,2,1,3,1,2"), "line 8: a label is neither 0 nor 1");
        assert_eq!(after("1,0,2,1,3,1"), "line 8: a coordinate is not finite");
        assert_eq!(after("x,0,2,1,3,1"), "line 8: a numerator or denominator is not a number");
        let read = read_impact_queries(&good.repeat(16)).unwrap();
        assert_eq!(read.len(), 2);
        assert_eq!(read[1].end[3], DVec3::new(1.0, 2.0, 3.0));
        assert_eq!(read[0].label, None);
    }
}
