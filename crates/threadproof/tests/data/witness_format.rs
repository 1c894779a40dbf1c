//! What format 2.x of witnesses demands of a file, as its description says it; each of our witnesses is held against it.
//!
//! P. Ayaziová, D. Beyer, M. Lingsch-Rosenfeld, M. Spiessl, J. Strejček: *Software Verification Witnesses 2.0*, SPIN 2024.

use saphyr::{LoadableYamlNode, Yaml};

/// Keys of a mapping: those that are required, and those that are allowed beside them.
type Keys<'k> = (&'k [&'k str], &'k [&'k str]);

/// Fails if the text is no witness of the format.
#[track_caller]
pub fn check(text: &str) {
    let documents = Yaml::load_from_str(text).expect("a witness should be YAML");
    assert_eq!(documents.len(), 1, "a witness is one document");
    let entries = documents[0].as_vec().expect("a witness is a list of entries");
    assert!(!entries.is_empty());
    for entry in entries {
        keys(entry, (&["entry_type", "metadata", "content"], &[]));
        metadata(get(entry, "metadata"));
        let content = get(entry, "content").as_vec().expect("the content is a list");
        match string(entry, "entry_type") {
            "invariant_set" => content.iter().for_each(invariant),
            "violation_sequence" => {
                content.iter().for_each(segment);
                let last = get(content.last().expect("a segment"), "segment").as_vec().unwrap();
                assert!(last.iter().any(|it| string(get(it, "waypoint"), "type") == "target"));
            }
            other => panic!("no type of entries: {other}"),
        }
    }
}

fn metadata(metadata: &Yaml<'_>) {
    keys(metadata, (&["format_version", "uuid", "creation_time", "producer", "task"], &[]));
    assert!(["2.0", "2.1", "2.2"].contains(&string(metadata, "format_version")));
    let uuid: Vec<&str> = string(metadata, "uuid").split('-').collect();
    assert_eq!(uuid.iter().map(|part| part.len()).collect::<Vec<_>>(), [8, 4, 4, 4, 12]);
    assert!(uuid.concat().bytes().all(|digit| digit.is_ascii_hexdigit()));
    let time = string(metadata, "creation_time");
    assert!(time.len() == 20 && time.ends_with('Z') && &time[10..11] == "T", "{time}");
    keys(
        get(metadata, "producer"),
        (&["name", "version"], &["configuration", "command_line", "description"]),
    );
    let task = get(metadata, "task");
    let required = ["input_files", "input_file_hashes", "specification", "data_model", "language"];
    keys(task, (&required, &[]));
    let hashes = get(task, "input_file_hashes");
    for file in get(task, "input_files").as_vec().expect("files are a list") {
        let hash = string(hashes, file.as_str().unwrap());
        assert!(hash.len() == 64 && hash.bytes().all(|digit| digit.is_ascii_hexdigit()), "{hash}");
    }
    let specification = string(task, "specification");
    assert!(
        ["CHECK( init(", "G", "F"].iter().any(|start| specification.starts_with(start)),
        "{specification}"
    );
    assert!(["ILP32", "LP64"].contains(&string(task, "data_model")));
    assert_eq!(string(task, "language"), "C");
}

fn invariant(item: &Yaml<'_>) {
    keys(item, (&["invariant"], &[]));
    let invariant = get(item, "invariant");
    keys(invariant, (&["type", "location", "value", "format"], &[]));
    assert!(["loop_invariant", "location_invariant"].contains(&string(invariant, "type")));
    assert_eq!(string(invariant, "format"), "c_expression");
    assert!(!string(invariant, "value").is_empty());
    location(get(invariant, "location"));
}

fn segment(item: &Yaml<'_>) {
    keys(item, (&["segment"], &[]));
    let waypoints = get(item, "segment").as_vec().expect("a segment is a list");
    let mut n_followed = 0;
    for waypoint in waypoints {
        keys(waypoint, (&["waypoint"], &[]));
        let waypoint = get(waypoint, "waypoint");
        keys(waypoint, (&["type", "action", "location"], &["constraint", "thread_id"]));
        let kinds = ["assumption", "branching", "function_enter", "function_return", "target"];
        let kind = string(waypoint, "type");
        assert!(kinds.contains(&kind), "{kind}");
        let action = string(waypoint, "action");
        assert!(["follow", "avoid"].contains(&action));
        n_followed += usize::from(action == "follow");
        let constraint = waypoint.as_mapping_get("constraint");
        assert_eq!(constraint.is_some(), !["target", "function_enter"].contains(&kind), "{kind}");
        if let Some(constraint) = constraint {
            keys(constraint, (&["value"], &["format"]));
        }
        location(get(waypoint, "location"));
    }
    // Two targets are the accesses of a data race.
    assert!((1..=2).contains(&n_followed));
}

fn location(location: &Yaml<'_>) {
    keys(location, (&["file_name", "line"], &["column", "function"]));
    for key in ["line", "column"] {
        if let Some(number) = location.as_mapping_get(key) {
            assert!(number.as_integer().is_some_and(|number| number > 0), "{key}");
        }
    }
}

#[track_caller]
fn keys(mapping: &Yaml<'_>, (required, allowed): Keys<'_>) {
    let known = mapping.as_mapping().expect("it should be a mapping");
    let found: Vec<&str> = known.keys().map(|key| key.as_str().unwrap()).collect();
    required.iter().for_each(|key| assert!(found.contains(key), "{key} is missing in {found:?}"));
    let is_known = |key: &&str| required.contains(key) || allowed.contains(key);
    assert!(found.iter().all(is_known), "{found:?}");
}

fn get<'y, 'd>(mapping: &'y Yaml<'d>, key: &str) -> &'y Yaml<'d> {
    mapping.as_mapping_get(key).unwrap_or_else(|| panic!("{key} is missing"))
}

fn string<'y>(mapping: &'y Yaml<'_>, key: &str) -> &'y str {
    get(mapping, key).as_str().unwrap_or_else(|| panic!("{key} is no text"))
}
