//! SARIF 2.1.0, which code hosts show beside a change: a result per violated rule.

use std::path::Path;

use anyhow::Result;
use serde_json::{Value, json};

use crate::check::gate::{Rule, Verdict, Violation, who};
use crate::check::row::RunRow;
use crate::write::write_to;

/// Writes the verdict of a run.
pub(crate) fn write_sarif(file: &Path, run: &RunRow, verdict: &Verdict) -> Result<()> {
    let mut text = serde_json::to_vec_pretty(&sarif(run, verdict))?;
    text.push(b'\n');
    write_to(file, |out| out.write_all(&text))
}

fn sarif(run: &RunRow, verdict: &Verdict) -> Value {
    let rules = [Rule::Contact, Rule::Limit, Rule::New, Rule::Deeper]
        .map(|rule| json!({ "id": rule.name(), "shortDescription": { "text": rule.text() } }));
    let results: Vec<Value> = verdict.violations().map(|one| result(run, one)).collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "pliant",
                "version": run.pliant,
                "informationUri": env!("CARGO_PKG_HOMEPAGE"),
                "rules": rules,
            } },
            "results": results,
        }],
    })
}

fn result(run: &RunRow, violation: &Violation) -> Value {
    let mut files: Vec<usize> = violation
        .objects
        .iter()
        .filter_map(|&id| Some(run.objects.get(id as usize)?.file))
        .collect();
    files.dedup();
    let locations: Vec<Value> = files
        .into_iter()
        .filter_map(|file| run.files.get(file))
        .map(|file| {
            json!({
                "physicalLocation": { "artifactLocation": { "uri": uri(file) } },
                "logicalLocations": [{ "name": who(run, violation.objects), "kind": "object" }],
            })
        })
        .collect();
    json!({
        "ruleId": violation.rule.name(),
        "level": "error",
        "message": { "text": violation.message(run) },
        "locations": locations,
        "properties": {
            "animation": run.animations.get(violation.animation).map(|one| &one.name),
            "time": violation.time,
            "frame": violation.frame,
            "frames": violation.frames,
            "depth": violation.contact.depth,
            "at": violation.contact.at,
        },
    })
}

/// A path as a relative or absolute URI.
fn uri(path: &str) -> String {
    let mut out = String::new();
    for byte in path.replace('\\', "/").bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' => {
                out.push(char::from(byte));
            }
            other => out += &format!("%{other:02X}"),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_uris() {
        assert_eq!(uri("a b/c#.glb"), "a%20b/c%23.glb");
        assert_eq!(uri("é"), "%C3%A9");
    }
}
