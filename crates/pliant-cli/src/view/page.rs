//! The page, embedded, and a report: the page with its data in one file.

use std::io::{self, Write};

use serde::Serialize;

use super::base64;
use crate::write::json_for_terminals;

/// The page as the server hands it out.
pub(super) const HTML: &str = include_str!("../../page/index.html");
/// Its script, built from `viewer/`.
pub(super) const SCRIPT: &str = include_str!("../../page/page.js");
/// Its style.
pub(super) const STYLE: &str = include_str!("../../page/page.css");
/// The hashes of script and style, by which a report allows them.
const HASHES: &str = include_str!("../../page/hashes.txt");

/// Writes one page that needs no server and asks nobody for anything.
///
/// Script and style are allowed by their hashes and nothing else is, so that nothing
/// from a file could run even if it were taken for markup. It is not: texts inside the
/// data have no `<`.
pub(crate) fn write_report(
    out: &mut dyn Write,
    view: &impl Serialize,
    scene: Option<&[u8]>,
) -> io::Result<()> {
    let mut hashes = HASHES.lines();
    let (script, style) = (hashes.next().unwrap_or(""), hashes.next().unwrap_or(""));
    write!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
         script-src '{script}'; style-src '{style}'; img-src data: blob:\">\n\
         <title>pliant</title>\n<link rel=\"icon\" href=\"data:,\">\n<style>"
    )?;
    out.write_all(STYLE.as_bytes())?;
    out.write_all(b"</style>\n</head>\n<body>\n<div id=\"app\"></div>\n")?;
    out.write_all(b"<script type=\"application/json\" id=\"pliant-view\">")?;
    let json = json_for_terminals(serde_json::to_string(view)?);
    out.write_all(json.replace('<', "\\u003c").as_bytes())?;
    out.write_all(b"</script>\n")?;
    if let Some(glb) = scene {
        out.write_all(b"<script type=\"application/octet-stream\" id=\"pliant-scene\">")?;
        out.write_all(base64::encode(glb).as_bytes())?;
        out.write_all(b"</script>\n")?;
    }
    out.write_all(b"<script>")?;
    out.write_all(SCRIPT.as_bytes())?;
    out.write_all(b"</script>\n</body>\n</html>\n")
}

#[cfg(test)]
mod tests {
    use super::super::format::View;
    use super::*;

    /// The script would be cut off, or refused, and the page stay empty.
    #[test]
    fn a_report_holds_nothing_that_ends_its_elements_early() {
        let mut view = View::new("</script><script>alert(1)</script>");
        view.command = "<!--<script>".into();
        let mut page = Vec::new();
        write_report(&mut page, &view, Some(b"glTF")).unwrap();
        let page = String::from_utf8(page).unwrap();
        assert_eq!(page.matches("<script").count() - SCRIPT.matches("<script").count(), 3);
        assert!(page.contains("\\u003c/script>\\u003cscript>alert(1)"));
        assert!(!SCRIPT.to_lowercase().contains("</script"));
        assert!(!STYLE.to_lowercase().contains("</style"));
    }
}
