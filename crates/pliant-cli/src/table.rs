//! Tables for people: columns of equal width, numbers to the right.

use std::borrow::Cow;
use std::fmt;

/// A titled table. Every row has as many cells as there are headings.
#[derive(Debug)]
pub struct Table {
    title: String,
    headings: Vec<String>,
    rows: Vec<Vec<String>>,
    notes: Vec<String>,
    /// Characters of a line, at the most.
    width: Option<usize>,
}

/// Characters of a cell that is shortened, at the least.
const SHORTEST: usize = 10;

impl Table {
    /// A table without rows.
    pub fn new(title: impl Into<String>, headings: &[&str]) -> Self {
        Self::with_headings(title, headings.iter().map(|&heading| heading.into()).collect())
    }

    /// A table without rows whose headings are known only when it runs.
    pub fn with_headings(title: impl Into<String>, headings: Vec<String>) -> Self {
        Self { title: title.into(), headings, rows: Vec::new(), notes: Vec::new(), width: None }
    }

    /// Adds a row. Cells that are missing stay empty.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        let mut cells: Vec<String> = cells.into_iter().collect();
        cells.resize(self.headings.len(), String::new());
        self.rows.push(cells);
    }

    /// Lets lines have so many characters at the most, as far as cells can be shortened.
    #[must_use]
    pub fn fit(mut self, width: Option<usize>) -> Self {
        self.width = width;
        self
    }

    /// How wide columns are: as wide as their cells, or less where lines would be too long. The
    /// widest are shortened first.
    fn widths(&self) -> Vec<usize> {
        let width = |column: usize| {
            let cells = self.rows.iter().map(|row| row[column].chars().count());
            cells.chain([self.headings[column].chars().count()]).max().unwrap_or(0)
        };
        let mut widths: Vec<usize> = (0..self.headings.len()).map(width).collect();
        let most = self.width.unwrap_or(usize::MAX);
        while widths.iter().map(|width| width + 2).sum::<usize>() > most {
            match widths.iter_mut().max() {
                Some(widest) if *widest > SHORTEST => *widest -= 1,
                _ => break,
            }
        }
        widths
    }

    /// A line below the table.
    pub fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let widths = self.widths();
        let line = |f: &mut fmt::Formatter<'_>, cells: &[&str]| -> fmt::Result {
            for (column, (cell, &width)) in cells.iter().zip(&widths).enumerate() {
                let cell = shortened(cell, width);
                match column {
                    0 => write!(f, "  {cell:<width$}")?,
                    _ => write!(f, "  {cell:>width$}")?,
                }
            }
            writeln!(f)
        };
        writeln!(f, "{}", self.title)?;
        line(f, &self.headings.iter().map(String::as_str).collect::<Vec<_>>())?;
        let rule: Vec<String> = widths.iter().map(|&width| "-".repeat(width)).collect();
        line(f, &rule.iter().map(String::as_str).collect::<Vec<_>>())?;
        for row in &self.rows {
            line(f, &row.iter().map(String::as_str).collect::<Vec<_>>())?;
        }
        for note in &self.notes {
            writeln!(f, "  {note}")?;
        }
        Ok(())
    }
}

/// A text of at most so many characters.
fn shortened(text: &str, most: usize) -> Cow<'_, str> {
    if text.chars().count() <= most {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().take(most.saturating_sub(1)).chain(['…']).collect())
}

/// A time in the unit that suits it.
pub fn seconds(seconds: f64) -> String {
    match seconds {
        s if s < 1e-6 => format!("{:.0} ns", s * 1e9),
        s if s < 1e-3 => format!("{:.1} µs", s * 1e6),
        s if s < 1.0 => format!("{:.2} ms", s * 1e3),
        s => format!("{s:.2} s"),
    }
}

/// A count with thin groups of three digits.
pub fn count(n: impl TryInto<u64>) -> String {
    let digits = n.try_into().unwrap_or(u64::MAX).to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at) % 3 == 0 {
            out.push(' ');
        }
        out.push(digit);
    }
    out
}

/// A count of things that take an s.
pub fn counted(n: usize, thing: &str) -> String {
    format!("{} {thing}{}", count(n), if n == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let mut table = Table::new("t", &["name", "n"]);
        table.row(["a".into(), "1".into()]);
        table.row(["long name".into(), "1 000".into()]);
        let lines: Vec<String> = table.to_string().lines().map(String::from).collect();
        assert_eq!(lines[1], "  name           n");
        assert_eq!(lines[4], "  long name  1 000");
    }

    #[test]
    fn lines_fit_where_cells_can_be_shortened() {
        let mut table = Table::new("t", &["name", "n"]);
        table.row(["a name that is much too long".into(), "1".into()]);
        let table = table.fit(Some(20));
        let lines: Vec<String> = table.to_string().lines().map(String::from).collect();
        assert_eq!(lines[3], "  a name that is…  1");
        assert!(lines.iter().all(|line| line.chars().count() <= 20), "{lines:?}");
    }

    #[test]
    fn numbers_read_well() {
        assert_eq!(count(1_234_567_u64), "1 234 567");
        assert_eq!(count(12_u64), "12");
        assert_eq!([counted(1, "frame"), counted(1000, "frame")], ["1 frame", "1 000 frames"]);
        assert_eq!(seconds(2.5e-5), "25.0 µs");
    }
}
