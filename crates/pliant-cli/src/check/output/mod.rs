//! Reports of a run: each a function of its rows.

mod csv;
mod json;
mod junit;
mod markdown;
mod sarif;

pub(crate) use csv::CsvReport;
pub(crate) use json::JsonReport;
pub(crate) use junit::write_junit;
pub(crate) use markdown::write_markdown;
pub(crate) use sarif::write_sarif;
