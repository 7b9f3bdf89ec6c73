//! JUnit XML, which every build server shows: a test suite per animation, a test case per rule and
//! pair of objects.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::Result;

use crate::check::gate::{Verdict, Violation, who};
use crate::check::row::RunRow;
use crate::write::write_to;

/// Writes the verdict of a run. An animation without a violation is one test case that passes.
pub(crate) fn write_junit(file: &Path, run: &RunRow, verdict: &Verdict) -> Result<()> {
    let text = junit(run, verdict)?;
    write_to(file, |out| out.write_all(text.as_bytes()))
}

fn junit(run: &RunRow, verdict: &Verdict) -> Result<String> {
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let all: Vec<&Violation> = verdict.violations().collect();
    let of = |animation: usize| all.iter().filter(move |one| one.animation == animation);
    let cases = |animation: usize| of(animation).count().max(1);
    let tests: usize = (0..run.animations.len()).map(cases).sum();
    writeln!(
        text,
        "<testsuites name=\"pliant check\" tests=\"{tests}\" failures=\"{}\">",
        all.len()
    )?;
    for (number, animation) in run.animations.iter().enumerate() {
        let [from, to] = animation.files;
        let files = run.files.get(from..to).unwrap_or_default().join(" + ");
        let suite = match animation.name.as_str() {
            "" => files,
            name => format!("{files}: {name}"),
        };
        let suite = escaped(&suite);
        let failures = of(number).count();
        writeln!(
            text,
            "  <testsuite name=\"{suite}\" tests=\"{}\" failures=\"{failures}\">",
            cases(number)
        )?;
        for violation in of(number) {
            let name = format!("{}: {}", violation.rule.name(), who(run, violation.objects));
            let message = escaped(&violation.message(run));
            writeln!(text, "    <testcase classname=\"{suite}\" name=\"{}\">", escaped(&name))?;
            writeln!(
                text,
                "      <failure type=\"{}\" message=\"{message}\"/>",
                violation.rule.name()
            )?;
            writeln!(text, "    </testcase>")?;
        }
        if failures == 0 {
            writeln!(text, "    <testcase classname=\"{suite}\" name=\"contacts\"/>")?;
        }
        writeln!(text, "  </testsuite>")?;
    }
    writeln!(text, "</testsuites>")?;
    Ok(text)
}

/// Text for XML; what XML cannot hold becomes a replacement character.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c if c.is_control() => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_leave_its_attribute() {
        assert_eq!(escaped("a\"><b>&\x1b\n"), "a&quot;&gt;&lt;b&gt;&amp;\u{fffd}\u{fffd}");
    }
}
