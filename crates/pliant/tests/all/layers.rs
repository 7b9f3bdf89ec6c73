//! No layer of the library uses one below it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The layers, in the order of ARCHITECTURE.md: each may use itself and those before it. A
/// file belongs to the layer with the longest path that it begins with.
const LAYERS: [&str; 20] = [
    "error",
    "limits",
    "parallel",
    "simd",
    "numeric",
    "memo",
    "volume",
    "contact",
    "shape",
    "deform",
    "tree",
    "body",
    "bound",
    "body/any_body",
    "query",
    "self_contact",
    "necklace",
    "power",
    "world",
    "lib",
];

#[test]
fn no_layer_uses_one_below_it() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let roots = root_names(&fs::read_to_string(source.join("lib.rs")).unwrap());
    let mut uses = 0;
    let mut wrong = Vec::new();
    for file in files_below(&source) {
        let path = file.strip_prefix(&source).unwrap().with_extension("");
        let path = path.to_str().unwrap().replace('\\', "/");
        let name = path.rsplit('/').next().unwrap();
        if name.ends_with("tests") || name == "test_meshes" || path == "lib" {
            continue;
        }
        let Some(layer) = layer_of(&path) else {
            wrong.push(format!("{path} is in no layer: add it to LAYERS"));
            continue;
        };
        let is_root = !path.contains('/') || path.matches('/').count() == 1 && name == "mod";
        let code = without_tests_and_comments(&fs::read_to_string(&file).unwrap());
        for used in uses_of_crate(&code, is_root) {
            uses += 1;
            // The one error enum names elements of every layer by their ids.
            if path == "error" && (used == "BodyId" || used == "NecklaceId") {
                continue;
            }
            let used = roots.get(&used).unwrap_or(&used);
            match layer_of(used) {
                Some(below) if below > layer => wrong.push(format!("{path} uses {used}")),
                Some(_) => {}
                None => wrong.push(format!("{path} uses {used}, which is in no layer")),
            }
        }
    }
    assert!(uses > 200, "{uses} uses seen");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The place of a path's layer among all layers.
fn layer_of(path: &str) -> Option<usize> {
    let contains = |layer: &str| path == layer || path.starts_with(&format!("{layer}/"));
    let own = LAYERS.iter().enumerate().filter(|(_, layer)| contains(layer));
    own.max_by_key(|(_, layer)| layer.len()).map(|(place, _)| place)
}

/// For each name that the crate's root re-exports the module that it comes from.
fn root_names(lib: &str) -> BTreeMap<String, String> {
    let mut names = BTreeMap::new();
    let code = without_tests_and_comments(lib);
    for item in code.split("pub use ").skip(1) {
        let Some((path, _)) = item.split_once(';') else { continue };
        let Some((module, exported)) = path.split_once("::") else { continue };
        let exported = exported.trim_matches(['{', '}', ' ', '\n']);
        for name in exported.split(',').map(str::trim).filter(|name| !name.is_empty()) {
            // `AnyBody` is built on every kind of body.
            let module = if name == "AnyBody" { "body/any_body" } else { module };
            names.insert(name.to_owned(), module.to_owned());
        }
    }
    names
}

/// The first names after `crate::`, also of lists in braces. In a module of the root `super` is
/// the crate too.
fn uses_of_crate(code: &str, is_root: bool) -> Vec<String> {
    let mut found = Vec::new();
    let prefixes: &[&str] = if is_root { &["crate::", "super::"] } else { &["crate::"] };
    for prefix in prefixes {
        for (at, _) in code.match_indices(prefix) {
            let before = code[..at].chars().next_back();
            if before.is_some_and(|c| c == ':' || c == '_' || c == '$' || c.is_alphanumeric()) {
                continue;
            }
            let rest = &code[at + prefix.len()..];
            match rest.strip_prefix('{') {
                None => found.extend(first_name(rest)),
                Some(list) => found.extend(names_in_braces(list)),
            }
        }
    }
    found
}

fn first_name(code: &str) -> Option<String> {
    let is_part = |c: char| c == '_' || c.is_alphanumeric();
    let name: String = code.trim_start().chars().take_while(|&c| is_part(c)).collect();
    (!name.is_empty()).then_some(name)
}

/// The first name of each entry of a list, up to its closing brace.
fn names_in_braces(list: &str) -> Vec<String> {
    let mut names = Vec::new();
    let (mut depth, mut start) = (0, 0);
    for (at, c) in list.char_indices() {
        match c {
            '{' => depth += 1,
            ',' | '}' if depth == 0 => {
                names.extend(first_name(&list[start..at]));
                start = at + 1;
                if c == '}' {
                    break;
                }
            }
            '}' => depth -= 1,
            _ => {}
        }
    }
    names
}

/// The code of a file up to its tests, which stand at its end. Tests may use anything, and
/// comments may refer to anything.
fn without_tests_and_comments(text: &str) -> String {
    let mut code = String::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let next = lines.peek().map_or("", |next| next.trim_start());
        if line.starts_with("#[cfg(test)]") && next.starts_with("mod ") && next.ends_with('{') {
            break;
        }
        if !line.trim_start().starts_with("//") {
            code.push_str(line);
            code.push('\n');
        }
    }
    code
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(files_below(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files.sort();
    files
}

#[test]
fn uses_are_seen() {
    let code = "use crate::{Body, query::{Work, pairs}, tree};\nfn f() { crate::memo::g() }\n\
                use super::x::Y;";
    let expected = ["Body", "query", "tree", "memo"];
    assert_eq!(uses_of_crate(code, false), expected);
    assert_eq!(uses_of_crate(code, true), [&expected[..], &["x"]].concat());
    let file = "use crate::a;\n// use crate::b;\n#[cfg(test)]\nmod tests {\n use crate::c;\n}\n";
    assert_eq!(uses_of_crate(&without_tests_and_comments(file), false), ["a"]);
    assert!(layer_of("bound/skin/pose") > layer_of("body/bounds"));
    assert!(layer_of("body/any_body") > layer_of("bound/skin/pose"));
    assert_eq!(layer_of("elsewhere"), None);
}
