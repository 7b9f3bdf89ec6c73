//! JSON against the schemas in `docs`, for the few keywords that they use.

use std::fs;
use std::path::Path;

use serde_json::Value;

/// Panics where a value breaks a schema of `docs`, or the schema asks for more than is checked here.
pub(crate) fn validate(value: &Value, schema: &str) {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(schema);
    let schema: Value = serde_json::from_slice(&fs::read(docs).unwrap()).unwrap();
    if let Err(wrong) = check(value, &schema, "$") {
        panic!("{wrong}");
    }
}

fn check(value: &Value, schema: &Value, at: &str) -> Result<(), String> {
    // The other keywords rely on the type.
    if let Some(rule) = schema.get("type")
        && !has_type(value, rule.as_str().unwrap())
    {
        return Err(format!("{at} is not of type {rule}: {value}"));
    }
    for (keyword, rule) in schema.as_object().expect("a schema is an object") {
        let holds = match keyword.as_str() {
            "$schema" | "title" | "description" | "type" => true,
            "enum" => rule.as_array().unwrap().contains(value),
            "minimum" => value.as_f64().unwrap() >= rule.as_f64().unwrap(),
            "minItems" => value.as_array().unwrap().len() as u64 >= rule.as_u64().unwrap(),
            "maxItems" => value.as_array().unwrap().len() as u64 <= rule.as_u64().unwrap(),
            "required" => rule
                .as_array()
                .unwrap()
                .iter()
                .all(|key| value.get(key.as_str().unwrap()).is_some()),
            "additionalProperties" => {
                assert_eq!(rule, &Value::Bool(false), "the only form in use");
                let known = schema["properties"].as_object().unwrap();
                value.as_object().unwrap().keys().all(|key| known.contains_key(key))
            }
            "properties" => {
                for (key, rule) in rule.as_object().unwrap() {
                    if let Some(value) = value.get(key) {
                        check(value, rule, &format!("{at}.{key}"))?;
                    }
                }
                true
            }
            "items" => {
                for (index, value) in value.as_array().unwrap().iter().enumerate() {
                    check(value, rule, &format!("{at}[{index}]"))?;
                }
                true
            }
            unknown => panic!("the keyword {unknown} is not checked"),
        };
        if !holds {
            return Err(format!("{at} breaks {keyword} {rule}: {value}"));
        }
    }
    Ok(())
}

fn has_type(value: &Value, name: &str) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_u64() || value.is_i64(),
        unknown => panic!("the type {unknown} is not checked"),
    }
}

/// The checker itself: what it must refuse.
#[test]
fn broken_values_are_refused() {
    let schema = serde_json::json!({
        "type": "object", "required": ["n"], "additionalProperties": false,
        "properties": { "n": { "type": "array", "maxItems": 2, "items": { "type": "integer", "minimum": 0 } } },
    });
    let verdict = |value: Value| check(&value, &schema, "$").is_ok();
    assert!(verdict(serde_json::json!({ "n": [1, 2] })));
    for wrong in [
        serde_json::json!([]),
        serde_json::json!({}),
        serde_json::json!({ "n": [1], "m": 1 }),
        serde_json::json!({ "n": [1, 2, 3] }),
        serde_json::json!({ "n": [-1] }),
        serde_json::json!({ "n": [1.5] }),
    ] {
        assert!(!verdict(wrong.clone()), "{wrong}");
    }
}
