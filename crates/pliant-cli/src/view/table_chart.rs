//! A chart of a table, where its first column is a quantity that grows.

use super::format::{Chart, Series, ViewTable};

/// Rows that a line needs.
const FEWEST_ROWS: usize = 3;

/// A range from which on both axes are logarithmic.
const WIDE: f64 = 20.0;

/// The columns of a table that hold numbers, over its first column; none where the first
/// does not grow from row to row, or where no other column is of numbers alone.
pub(super) fn chart(table: &ViewTable) -> Option<Chart> {
    let column = |at: usize| -> Option<Vec<f64>> {
        table.rows.iter().map(|row| number(row.get(at)?)).collect()
    };
    let x = column(0).filter(|x| x.len() >= FEWEST_ROWS && x.is_sorted_by(|a, b| a < b))?;
    let (low, high) = (x[0], x[x.len() - 1]);
    let mut series = Vec::new();
    for (at, name) in table.columns.iter().enumerate().skip(1) {
        if let Some(y) = column(at) {
            let points = x.iter().zip(y).map(|(&x, y)| [x, y]).collect();
            series.push(Series { name: name.clone(), points });
        }
    }
    let logarithmic = low > 0.0 && high / low >= WIDE;
    (!series.is_empty()).then(|| Chart {
        title: table.title.clone(),
        x: table.columns[0].clone(),
        y: String::new(),
        series,
        logarithmic,
    })
}

/// A cell as a number: groups of digits are joined, times are in seconds, ratios and shares plain.
fn number(cell: &str) -> Option<f64> {
    let cell = cell.trim();
    let end = cell.find(|c: char| !c.is_ascii_digit() && !matches!(c, '.' | ' ' | '-'));
    let (digits, unit) = cell.split_at(end.unwrap_or(cell.len()));
    let value: f64 = digits.replace(' ', "").parse().ok()?;
    let factor = match unit.trim() {
        "" | "x" | "s" => 1.0,
        "ms" => 1e-3,
        "µs" => 1e-6,
        "ns" => 1e-9,
        "%" => 0.01,
        _ => return None,
    };
    Some(value * factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_become_numbers() {
        assert_eq!(number("12 020"), Some(12020.0));
        assert_eq!(number("71.5 µs").map(|x| (x * 1e9).round()), Some(71500.0));
        assert_eq!(number("2.3x"), Some(2.3));
        assert_eq!(number("60 %"), Some(0.6));
        assert_eq!(number("-"), None);
        assert_eq!(number("boxes, midpoint"), None);
    }

    #[test]
    fn a_growing_first_column_makes_a_chart() {
        let row = |cells: [&str; 3]| cells.map(String::from).to_vec();
        let mut table = ViewTable {
            title: "t".into(),
            columns: vec!["triangles".into(), "time".into(), "winner".into()],
            rows: vec![
                row(["10", "1 ms", "a"]),
                row(["1 000", "2 ms", "a"]),
                row(["2 000", "3 ms", "b"]),
            ],
            notes: Vec::new(),
        };
        let drawn = chart(&table).unwrap();
        assert_eq!((drawn.series.len(), drawn.logarithmic), (1, true));
        assert_eq!(drawn.series[0].points[1][0], 1000.0);
        table.rows[2][0] = "500".into();
        assert!(chart(&table).is_none(), "not growing");
    }
}
