//! Witnesses from files, ours and those of other tools.
//!
//! What the format demands is demanded here; what this reader does not know is an error, never skipped: a witness that is understood in part could be confirmed
//! for what it does not say.

use report::witness::{Content, Invariant, Location, Task, Waypoint, WaypointKind, Witness};
use saphyr::{LoadableYamlNode, Yaml};

/// Reads a witness; an error says what is wrong with it.
pub fn parse(text: &str) -> Result<Witness, String> {
    let documents = Yaml::load_from_str(text).map_err(|error| error.to_string())?;
    let entries = documents.first().and_then(Yaml::as_vec).ok_or("it should be a list of entries")?;
    let mut found: Option<Witness> = None;
    for entry in entries {
        let witness = read_entry(entry)?;
        found = Some(match found {
            None => witness,
            Some(before) => joined(before, witness)?,
        });
    }
    found.ok_or_else(|| "it has no entry".to_owned())
}

/// Several sets of invariants are one; an execution stands alone.
fn joined(first: Witness, second: Witness) -> Result<Witness, String> {
    if first.task != second.task {
        return Err("its entries are about different tasks".to_owned());
    }
    match (first.content, second.content) {
        (Content::Correctness(mut left), Content::Correctness(right)) => {
            left.extend(right);
            Ok(Witness { task: first.task, content: Content::Correctness(left) })
        }
        _ => Err("a violation sequence should be the only entry".to_owned()),
    }
}

fn read_entry(entry: &Yaml<'_>) -> Result<Witness, String> {
    let task = read_task(get(entry, "metadata")?)?;
    let items = || get(entry, "content")?.as_vec().ok_or_else(|| "`content` should be a list".to_owned());
    let content = match string(entry, "entry_type")? {
        "violation_sequence" => {
            let segments: Result<Vec<_>, String> = items()?.iter().map(read_segment).collect();
            Content::Violation(well_formed(segments?)?)
        }
        "invariant_set" => {
            let invariants: Result<Vec<_>, String> = items()?.iter().map(read_invariant).collect();
            Content::Correctness(invariants?)
        }
        other => return Err(format!("entries of type `{other}` are not supported")),
    };
    Ok(Witness { task, content })
}

fn read_task(metadata: &Yaml<'_>) -> Result<Task, String> {
    let version = string(metadata, "format_version")?;
    if !matches!(version, "2.0" | "2.1" | "2.2") {
        return Err(format!("its format is version {version}, not 2.0, 2.1 or 2.2"));
    }
    ["uuid", "creation_time"].into_iter().try_for_each(|key| string(metadata, key).map(|_| ()))?;
    string(get(metadata, "producer")?, "name")?;
    let task = get(metadata, "task")?;
    let hashes = get(task, "input_file_hashes")?;
    let names = get(task, "input_files")?.as_vec().ok_or("`input_files` should be a list")?;
    let file = |name: &Yaml<'_>| {
        let name = name.as_str().ok_or("an input file should be a name")?;
        Ok((name.to_owned(), string(hashes, name)?.to_owned()))
    };
    let files: Result<Vec<_>, String> = names.iter().map(file).collect();
    let data_model = string(task, "data_model")?.to_owned();
    if !matches!(&*data_model, "ILP32" | "LP64") {
        return Err(format!("`{data_model}` is no data model"));
    }
    if string(task, "language")? != "C" {
        return Err("it is not about C".to_owned());
    }
    Ok(Task { files: files?, specification: string(task, "specification")?.to_owned(), data_model })
}

/// What the format demands of segments.
fn well_formed(segments: Vec<Vec<Waypoint>>) -> Result<Vec<Vec<Waypoint>>, String> {
    let Some((last, others)) = segments.split_last() else {
        return Err("it has no segment".to_owned());
    };
    let is_target = |waypoint: &Waypoint| waypoint.kind == WaypointKind::Target;
    if others.iter().flatten().any(is_target) || !last.iter().any(is_target) {
        return Err("the last segment, and no other, should have a target".to_owned());
    }
    let followed = |segment: &[Waypoint]| segment.iter().filter(|waypoint| waypoint.follow).count();
    if others.iter().any(|segment| followed(segment) != 1) {
        return Err("a segment should have exactly one waypoint to follow".to_owned());
    }
    if last.iter().any(|waypoint| waypoint.follow != is_target(waypoint)) || followed(last) > 2 {
        return Err("in the last segment only targets should be followed, two at most".to_owned());
    }
    Ok(segments)
}

fn read_segment(item: &Yaml<'_>) -> Result<Vec<Waypoint>, String> {
    let waypoints = get(item, "segment")?.as_vec().ok_or("a segment should be a list")?;
    waypoints.iter().map(|item| read_waypoint(get(item, "waypoint")?)).collect()
}

fn read_waypoint(waypoint: &Yaml<'_>) -> Result<Waypoint, String> {
    let name = string(waypoint, "type")?;
    let kind = WaypointKind::ALL.iter().find(|(_, known)| *known == name).map(|(kind, _)| *kind);
    let kind = kind.ok_or_else(|| format!("waypoints of type `{name}` are not supported"))?;
    let follow = match string(waypoint, "action")? {
        "follow" => true,
        "avoid" => false,
        other => return Err(format!("the action `{other}` is not supported")),
    };
    let constraint = waypoint.as_mapping_get("constraint").map(|it| read_constraint(it, kind)).transpose()?;
    let needed = matches!(kind, WaypointKind::Assumption | WaypointKind::Branching);
    if needed && constraint.is_none() {
        return Err(format!("a waypoint of type `{name}` should have a constraint"));
    }
    if constraint.is_some() && matches!(kind, WaypointKind::Target | WaypointKind::FunctionEnter) {
        return Err(format!("a waypoint of type `{name}` should have no constraint"));
    }
    let thread = match waypoint.as_mapping_get("thread_id") {
        None => None,
        Some(id) => Some(natural(id).ok_or("`thread_id` should be a number from 0 on")?),
    };
    Ok(Waypoint { kind, follow, constraint, location: read_location(get(waypoint, "location")?)?, thread })
}

fn read_constraint(constraint: &Yaml<'_>, kind: WaypointKind) -> Result<String, String> {
    let value = get(constraint, "value")?;
    if kind == WaypointKind::Branching {
        let truth = value.as_bool().map(|truth| truth.to_string());
        let text =
            truth.or_else(|| value.as_str().map(str::to_owned)).filter(|v| v == "true" || v == "false");
        return text.ok_or_else(|| "only branches that are true or false are supported".to_owned());
    }
    let allowed: &[&str] = match kind {
        WaypointKind::FunctionReturn => &["ext_c_expression", "acsl_expression", "c_expression"],
        _ => &["c_expression", "ext_c_expression"],
    };
    let format = constraint.as_mapping_get("format").and_then(Yaml::as_str);
    if format.is_some_and(|format| !allowed.contains(&format)) {
        return Err(format!("the format `{}` is not supported", format.unwrap_or_default()));
    }
    let number = || value.as_integer().map(|number| number.to_string());
    let text = value.as_str().map(str::to_owned).or_else(number);
    text.ok_or_else(|| "the value of a constraint should be an expression".to_owned())
}

fn read_invariant(item: &Yaml<'_>) -> Result<Invariant, String> {
    let invariant = item.as_mapping_get("invariant").ok_or("only invariants are supported in a set")?;
    let of_loop = match string(invariant, "type")? {
        "loop_invariant" => true,
        "location_invariant" => false,
        other => return Err(format!("invariants of type `{other}` are not supported")),
    };
    if string(invariant, "format")? != "c_expression" {
        return Err("only invariants that are expressions of C are supported".to_owned());
    }
    let value = get(invariant, "value")?;
    let number = || value.as_integer().map(|number| number.to_string());
    let value = value.as_str().map(str::to_owned).or_else(number);
    let value = value.ok_or("the value of an invariant should be an expression")?;
    Ok(Invariant { of_loop, location: read_location(get(invariant, "location")?)?, value })
}

fn read_location(location: &Yaml<'_>) -> Result<Location, String> {
    let number = |key: &str| match location.as_mapping_get(key) {
        None => Ok(None),
        Some(value) => {
            let number = natural(value).and_then(|number| u32::try_from(number).ok());
            number.filter(|number| *number > 0).map(Some).ok_or(format!("`{key}` should be a number"))
        }
    };
    Ok(Location {
        file: string(location, "file_name")?.to_owned(),
        line: number("line")?.ok_or("a location should have a line")?,
        column: number("column")?,
        function: location.as_mapping_get("function").and_then(Yaml::as_str).map(str::to_owned),
    })
}

fn get<'y, 'd>(mapping: &'y Yaml<'d>, key: &str) -> Result<&'y Yaml<'d>, String> {
    mapping.as_mapping_get(key).ok_or_else(|| format!("`{key}` is missing"))
}

fn string<'y>(mapping: &'y Yaml<'_>, key: &str) -> Result<&'y str, String> {
    get(mapping, key)?.as_str().ok_or_else(|| format!("`{key}` should be a text"))
}

fn natural(value: &Yaml<'_>) -> Option<u64> {
    value.as_integer().and_then(|number| u64::try_from(number).ok())
}
