//! Checks values against docs/schema/report.schema.json.
//!
//! This knows the few keywords of JSON Schema that the schema uses and fails on any other one, so that none is ignored. A library for
//! all of JSON Schema would be the largest dependency of the workspace.

use serde_json::Value;

/// The schema of reports.
pub struct Schema(Value);

impl Schema {
    /// Reads the committed file.
    pub fn read() -> Self {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/schema/report.schema.json");
        Self(serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap())
    }

    /// Fails unless `value` keeps to the schema.
    pub fn check(&self, value: &Value) {
        assert_eq!(self.flaw(value), None, "{value}");
    }

    /// The first flaw of a value, if it has any.
    pub fn flaw(&self, value: &Value) -> Option<String> {
        self.flaw_of(&self.0, value, "report")
    }

    fn flaw_of(&self, schema: &Value, value: &Value, path: &str) -> Option<String> {
        let keywords = schema.as_object().unwrap();
        keywords.iter().find_map(|(keyword, argument)| {
            let fails = |holds: bool| (!holds).then(|| format!("{path}: {keyword} {argument}: {value}"));
            match keyword.as_str() {
                "$schema" | "$defs" | "title" | "description" => None,
                "$ref" => {
                    let target =
                        self.0.pointer(argument.as_str().unwrap().strip_prefix('#').unwrap()).unwrap();
                    self.flaw_of(target, value, path)
                }
                "type" => match argument.as_array() {
                    Some(types) => fails(types.iter().any(|t| has_type(value, t))),
                    None => fails(has_type(value, argument)),
                },
                "const" => fails(value == argument),
                "enum" => fails(argument.as_array().unwrap().contains(value)),
                // The only pattern is that of verdicts.
                "pattern" => fails(is_verdict(value.as_str().unwrap_or_default())),
                "oneOf" => {
                    let fitting = argument
                        .as_array()
                        .unwrap()
                        .iter()
                        .filter(|s| self.flaw_of(s, value, path).is_none());
                    fails(fitting.count() == 1)
                }
                "required" => {
                    let has = |name: &Value| value.get(name.as_str().unwrap()).is_some();
                    fails(argument.as_array().unwrap().iter().all(has))
                }
                "items" => {
                    let items = value.as_array().into_iter().flatten().enumerate();
                    items
                        .into_iter()
                        .find_map(|(n, item)| self.flaw_of(argument, item, &format!("{path}[{n}]")))
                }
                "properties" | "additionalProperties" => self.flaw_of_fields(schema, keyword, value, path),
                other => Some(format!("{path}: the keyword {other} is not known")),
            }
        })
    }

    fn flaw_of_fields(&self, schema: &Value, keyword: &str, value: &Value, path: &str) -> Option<String> {
        value.as_object()?.iter().find_map(|(name, field)| {
            let path = format!("{path}.{name}");
            match (keyword, schema["properties"].get(name), &schema["additionalProperties"]) {
                ("properties", Some(property), _) => self.flaw_of(property, field, &path),
                ("additionalProperties", None, Value::Bool(false)) => {
                    Some(format!("{path} should not be there"))
                }
                ("additionalProperties", None, additional) => self.flaw_of(additional, field, &path),
                _ => None,
            }
        })
    }
}

fn has_type(value: &Value, name: &Value) -> bool {
    match name.as_str().unwrap() {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("{other} should be a type of JSON Schema"),
    }
}

fn is_verdict(text: &str) -> bool {
    let with =
        |word: &str| text.strip_prefix(word).and_then(|t| t.strip_suffix(')')).is_some_and(|t| !t.is_empty());
    text == "true" || with("false(") || with("unknown(")
}
