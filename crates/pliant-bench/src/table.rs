//! Tables of figures: text for people, rows of JSON for scripts.

use std::collections::HashSet;
use std::fmt;

use anyhow::{Result, ensure};
use pliant_cli::table as text;
use serde::Serialize;

/// A titled table. The first columns name a row; the others hold its figures.
#[derive(Debug)]
pub(crate) struct Table {
    title: String,
    columns: Vec<&'static str>,
    /// How many columns name a row.
    keys: usize,
    rows: Vec<Vec<Cell>>,
    notes: Vec<String>,
}

/// A text, or a figure with its unit and the way it is shown.
#[derive(Debug, Clone, Default)]
pub(crate) struct Cell {
    shown: String,
    figure: Option<(f64, &'static str)>,
}

/// One figure of a table, as `--json` writes it.
#[derive(Debug, Serialize, PartialEq)]
pub(crate) struct Row {
    /// The experiment, as the command line names it.
    bench: String,
    table: String,
    /// What was measured: the cells that name the row, then the column.
    name: String,
    figure: f64,
    unit: &'static str,
    /// The quotient that the table shows for this figure; the table's notes say against what.
    ratio: Option<f64>,
}

impl Table {
    /// A table without rows whose first column names a row. A column without a heading holds the
    /// ratio of the figure before it.
    pub(crate) fn new(title: impl Into<String>, columns: &[&'static str]) -> Self {
        let (title, columns) = (title.into(), columns.to_vec());
        Self { title, columns, keys: 1, rows: Vec::new(), notes: Vec::new() }
    }

    /// The same table with so many columns that name a row.
    pub(crate) fn with_keys(mut self, keys: usize) -> Self {
        self.keys = keys;
        self
    }

    /// Adds a row. Cells that are missing stay empty.
    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = Cell>) {
        let mut cells: Vec<Cell> = cells.into_iter().collect();
        cells.resize(self.columns.len(), Cell::default());
        self.rows.push(cells);
    }

    /// Adds a line below the table.
    pub(crate) fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    /// Every figure of the table. An error if two have one name: a script could not tell them apart.
    pub(crate) fn to_rows(&self, bench: &str) -> Result<Vec<Row>> {
        let mut rows = Vec::new();
        for cells in &self.rows {
            let keys = cells.iter().zip(&self.columns).take(self.keys);
            let named = keys.map(|(cell, column)| match cell.figure {
                Some(_) => format!("{column} {cell}"),
                None => cell.shown.trim().to_string(),
            });
            let name = named.collect::<Vec<_>>().join(", ");
            for (at, cell) in cells.iter().enumerate().skip(self.keys) {
                let Some((figure, unit)) = cell.figure else { continue };
                if self.columns[at].is_empty() {
                    continue;
                }
                let after = self.columns.get(at + 1).filter(|column| column.is_empty());
                let beside = after.and_then(|_| cells[at + 1].figure).map(|(ratio, _)| ratio);
                rows.push(Row {
                    bench: bench.into(),
                    table: self.title.clone(),
                    name: format!("{name}: {}", self.columns[at]),
                    figure,
                    unit,
                    ratio: beside.or((unit == RATIO).then_some(figure)),
                });
            }
        }
        let mut names = HashSet::new();
        for row in &rows {
            ensure!(names.insert(&row.name), "{}: two figures are named {}", self.title, row.name);
        }
        Ok(rows)
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut table = text::Table::new(self.title.as_str(), &self.columns);
        for cells in &self.rows {
            table.row(cells.iter().map(|cell| cell.shown.clone()));
        }
        self.notes.iter().for_each(|note| table.note(note.as_str()));
        table.fmt(f)
    }
}

/// The unit of a quotient of two figures.
const RATIO: &str = "x";

impl Cell {
    /// A figure, shown as a text. One that is not finite was not measured.
    pub(crate) fn new(figure: f64, unit: &'static str, shown: impl Into<String>) -> Self {
        match figure.is_finite() {
            true => Self { shown: shown.into(), figure: Some((figure, unit)) },
            false => "-".into(),
        }
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::from(text.to_string())
    }
}

impl From<String> for Cell {
    fn from(shown: String) -> Self {
        Self { shown, figure: None }
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

/// A time, shown in the unit that suits it.
pub(crate) fn seconds(time: f64) -> Cell {
    Cell::new(time, "s", text::seconds(time))
}

/// A count, shown in groups of three digits.
pub(crate) fn count(n: impl TryInto<u64>) -> Cell {
    let n = n.try_into().unwrap_or(u64::MAX);
    Cell::new(n as f64, "count", text::count(n))
}

/// A quotient of two figures.
pub(crate) fn ratio(quotient: f64) -> Cell {
    ratio_to(quotient, 2)
}

/// A quotient of two figures, shown with so many decimals.
pub(crate) fn ratio_to(quotient: f64, decimals: usize) -> Cell {
    Cell::new(quotient, RATIO, format!("{quotient:.decimals$}x"))
}

/// A part of a whole, as a percentage with so many decimals.
pub(crate) fn percent(part: f64, decimals: usize) -> Cell {
    let percent = 100.0 * part;
    Cell::new(percent, "%", format!("{percent:.decimals$} %"))
}

/// A number with so many decimals. Its unit stands in the title or above the column.
pub(crate) fn figure(value: f64, decimals: usize, unit: &'static str) -> Cell {
    Cell::new(value, unit, format!("{value:.decimals$}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> Table {
        let columns = ["method", "triangles", "time", "", "gain", "pairs", "winner"];
        let mut table = Table::new("Example", &columns).with_keys(2);
        let cells = |name: &str, time: f64| {
            let gain = ratio_to(6e-3 / time, 1);
            [name.into(), count(12_020_u32), seconds(time), ratio(time / 2e-3), gain, count(7_u32)]
                .map(|cell: Cell| cell)
                .into_iter()
                .chain([Cell::from("us")])
        };
        table.row(cells("ours", 2e-3));
        table.row(cells("  theirs", 6e-3));
        table
    }

    #[test]
    fn every_figure_is_a_row_of_json() {
        let rows = example().to_rows("example").unwrap();
        let json = serde_json::to_value(&rows).unwrap();
        assert_eq!(
            json[3],
            serde_json::json!({
                "bench": "example",
                "table": "Example",
                "name": "theirs, triangles 12 020: time",
                "figure": 6e-3,
                "unit": "s",
                "ratio": 3.0,
            })
        );
        let of = |at: usize| (rows[at].name.as_str(), rows[at].unit, rows[at].ratio);
        assert_eq!(of(1), ("ours, triangles 12 020: gain", "x", Some(3.0)));
        assert_eq!(of(2), ("ours, triangles 12 020: pairs", "count", None));
        assert_eq!(rows.len(), 6, "texts and ratios without a heading have no row");
    }

    #[test]
    fn people_see_the_same_table() {
        let shown = example().to_string();
        let last: Vec<&str> = shown.lines().last().unwrap().split_whitespace().collect();
        assert_eq!(last, ["theirs", "12", "020", "6.00", "ms", "3.00x", "1.0x", "7", "us"]);
    }

    #[test]
    fn a_name_that_stands_twice_is_an_error() {
        let mut table = Table::new("t", &["name", "n"]);
        table.row(["a".into(), count(1_u32)]);
        table.row(["a".into(), count(2_u32)]);
        assert!(table.to_rows("t").unwrap_err().to_string().contains("a: n"));
    }

    #[test]
    fn what_was_not_measured_is_no_figure() {
        let mut table = Table::new("t", &["name", "time"]);
        table.row(["a".into(), seconds(f64::INFINITY)]);
        table.row(["b".into(), ratio(f64::NAN)]);
        assert!(table.to_rows("t").unwrap().is_empty());
        assert!(table.to_string().ends_with("-\n"));
    }
}
