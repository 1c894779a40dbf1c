//! What we depend on: licences that go with ours, crates.io as the only source, one version of each crate.
//!
//! This is the part of `cargo deny` that needs no network and no other program; installing that one would take longer than all other
//! checks together. What is left out are the advisories of the RustSec database, which change without us.

use crate::workspace::output_of;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// Licences under which a crate may be used in a program that is MIT or Apache-2.0. Of alternatives (`OR`) one suffices.
const LICENCES: [&str; 10] = [
    "MIT",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "ISC",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
    "0BSD",
];

/// Crates of which there may be several versions, because our dependencies disagree.
const SEVERAL_VERSIONS: [&str; 1] = ["rustc-hash" /* oxidd has not moved to 2 */];

/// Checks all dependencies that Cargo.lock names for this platform.
pub fn check(root: &Path) -> Result<(), String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["metadata", "--format-version", "1", "--locked", "--filter-platform"]);
    command.arg("x86_64-unknown-linux-gnu").current_dir(root);
    let metadata: Value = serde_json::from_str(&output_of(&mut command)?).map_err(|e| e.to_string())?;
    let flaws = flaws_of(metadata["packages"].as_array().map_or(&[], Vec::as_slice));
    if flaws.is_empty() { Ok(()) } else { Err(format!("\n  {}", flaws.join("\n  "))) }
}

fn flaws_of(packages: &[Value]) -> Vec<String> {
    let mut flaws = Vec::new();
    let mut versions: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for package in packages {
        let text = |field: &str| package[field].as_str().unwrap_or_default();
        let (name, licence, source) = (text("name"), text("license"), text("source"));
        versions.entry(name).or_default().push(text("version"));
        if !is_allowed(licence) {
            flaws.push(format!("{name}: the licence `{licence}` is not on the list of licences"));
        }
        // Our own crates have no source.
        if !source.is_empty() && !source.starts_with("registry+") {
            flaws.push(format!("{name}: comes from {source}, not from crates.io"));
        }
    }
    for (name, versions) in versions {
        if versions.len() > 1 && !SEVERAL_VERSIONS.contains(&name) {
            flaws.push(format!("{name}: there are several versions, {}", versions.join(" and ")));
        }
    }
    flaws
}

/// Evaluates an SPDX expression without nested parentheses: all parts of one alternative are on the list.
fn is_allowed(licence: &str) -> bool {
    // Before SPDX expressions, alternatives were separated by a slash.
    let licence = licence.replace('/', " OR ");
    let is_listed = |part: &str| {
        let part = part.trim().trim_matches(['(', ')']);
        part.split(" OR ").any(|one| LICENCES.contains(&one.trim()))
    };
    if licence.contains('(') {
        return licence.split(" AND ").all(is_listed);
    }
    licence.split(" OR ").any(|alternative| alternative.split(" AND ").all(is_listed))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn licences_are_evaluated() {
        for (licence, allowed) in [
            ("MIT", true),
            ("MIT/Apache-2.0", true),
            ("GPL-3.0 OR MIT", true),
            ("GPL-3.0", false),
            ("", false),
            ("MIT AND GPL-3.0", false),
            ("(MIT OR Apache-2.0) AND Unicode-3.0", true),
            ("(MIT OR Apache-2.0) AND GPL-3.0", false),
            ("Apache-2.0 WITH LLVM-exception OR GPL-2.0", true),
        ] {
            assert_eq!(is_allowed(licence), allowed, "{licence}");
        }
    }

    #[test]
    fn packages_are_judged() {
        let package = |version: &str, source: Option<&str>| json!({ "name": "x", "version": version, "license": "MIT", "source": source });
        let registry = Some("registry+https://github.com/rust-lang/crates.io-index");
        assert!(flaws_of(&[package("1.0.0", registry)]).is_empty());
        assert!(flaws_of(&[package("1.0.0", None)]).is_empty());
        assert_eq!(flaws_of(&[package("1.0.0", Some("git+https://example.org/x"))]).len(), 1);
        assert_eq!(flaws_of(&[package("1.0.0", registry), package("2.0.0", registry)]).len(), 1);
    }
}
