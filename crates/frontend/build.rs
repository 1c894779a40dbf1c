//! The index of the library models: which file of `models/` defines which name, and which other files it needs.
//!
//! A program pays for the models it mentions and for no others, so the names must be known without reading the files. This
//! reads them once, when threadproof is compiled. The rule it relies on is that of the models' layout: what stands at the
//! start of a line and is no `static`, `typedef`, `extern`, `enum`, comment or directive is a definition of external names,
//! and function headers name the function on their first line. A test of `library::models` holds the index against the parser.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Models that replace others, and that are selected otherwise than by mentioning a function (`parse_all`).
const OPTIONAL: &[&str] = &["channels", "reuse"];

fn main() {
    println!("cargo::rerun-if-changed=models");
    println!("cargo::rerun-if-changed=build.rs");
    let root = PathBuf::from(
        std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo should set the manifest's directory"),
    );
    let files = model_files(&root.join("models"));
    let texts: Vec<String> =
        files.iter().map(|path| std::fs::read_to_string(path).expect("a model should be readable")).collect();
    let mut index: BTreeMap<String, usize> = BTreeMap::new();
    for (n, text) in texts.iter().enumerate() {
        for name in text.lines().flat_map(defined_names) {
            index.entry(name.to_owned()).or_insert(n);
        }
    }
    let code = generated(&files, &texts, &index);
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo should set the output directory"));
    std::fs::write(out.join("models.rs"), code).expect("the output directory should be writable");
}

fn model_files(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).expect("the models' directory should be readable");
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.expect("a directory entry should be readable").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "c"))
        .filter(|path| !path.file_stem().is_some_and(|stem| OPTIONAL.iter().any(|name| stem == *name)))
        .collect();
    files.sort();
    files
}

fn generated(files: &[PathBuf], texts: &[String], index: &BTreeMap<String, usize>) -> String {
    let mut code = String::from(
        "/// Models: a name for diagnostics, the text, and the numbers of the models it needs.\n",
    );
    code += "pub(super) const MODELS: &[(&str, &str, &[usize])] = &[\n";
    for (n, (path, text)) in files.iter().zip(texts).enumerate() {
        let stem = path.file_stem().expect("a model should have a name").to_string_lossy();
        let text = without_comments(text);
        let needed: BTreeSet<usize> = used(&text)
            .into_iter()
            .filter_map(|word| index.get(word).copied())
            .filter(|needed| *needed != n)
            .collect();
        let needed: Vec<usize> = needed.into_iter().collect();
        writeln!(code, "    (\"<{stem}>\", include_str!({:?}), &{needed:?}),", path.display().to_string())
            .expect("a string should take text");
    }
    code += "];\n/// Names and the numbers of the models that define them, sorted.\n";
    code += "pub(super) const INDEX: &[(&str, usize)] = &[\n";
    for (name, n) in index {
        writeln!(code, "    ({name:?}, {n}),").expect("a string should take text");
    }
    code + "];\n"
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c| !is_word(c)).filter(|word| !word.is_empty())
}

/// The names that a model uses and may not define itself: what it calls, and what it declares `extern`.
fn used(text: &str) -> BTreeSet<&str> {
    let mut names = BTreeSet::new();
    for line in text.lines() {
        if line.trim_start().starts_with("extern") {
            names.extend(words(line));
        }
        let calls = line.match_indices('(').filter_map(|(open, _)| {
            let before = line[..open].trim_end();
            let start = before.rfind(|c| !is_word(c)).map_or(0, |at| at + 1);
            (start < before.len()).then(|| &before[start..])
        });
        names.extend(calls);
    }
    names
}

/// Comments and what stands between quotes name nothing.
fn without_comments(text: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['/', '"']) {
        let (before, after) = rest.split_at(at);
        kept += before;
        rest = if let Some(comment) = after.strip_prefix("/*") {
            comment.split_once("*/").map_or("", |(_, rest)| rest)
        } else if let Some(quoted) = after.strip_prefix('"') {
            quoted.split_once('"').map_or("", |(_, rest)| rest)
        } else {
            kept.push('/');
            &after[1..]
        };
    }
    kept + rest
}

/// The external names that a line defines: one function, or some objects.
fn defined_names(line: &str) -> Vec<&str> {
    const NO_DEFINITION: [&str; 6] = ["static", "typedef", "extern", "enum", "_Static_assert", "else"];
    let first = line.split(|c| !is_word(c)).next().unwrap_or_default();
    let starts_well = first.chars().next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    if !starts_well || NO_DEFINITION.contains(&first) {
        return Vec::new();
    }
    let line = line.split("/*").next().unwrap_or_default().trim_end();
    match line.find('(') {
        Some(_) if line.ends_with(';') && !line.contains('{') && !line.contains('=') => Vec::new(),
        Some(open) if !line[..open].contains('=') => function_name(line, open).into_iter().collect(),
        _ => object_names(line),
    }
}

/// The name before the parenthesis; inside it, in `void (*signal(int, …))(int)`.
fn function_name(line: &str, open: usize) -> Option<&str> {
    match line[open + 1..].strip_prefix('*') {
        Some(inside) => words(inside).next(),
        None => words(&line[..open]).last(),
    }
}

/// `int optind = 1, opterr = 1;`: the last word before each `=`, `[`, `,` or the end. Records have a brace and define nothing.
fn object_names(line: &str) -> Vec<&str> {
    if line.contains('{') && !line.contains('=') || !line.contains([';', '=']) {
        return Vec::new();
    }
    let mut depth = 0;
    let declarators = line.split(move |c| {
        match c {
            '(' | '{' | '[' => depth += 1,
            ')' | '}' | ']' => depth -= 1,
            _ => {}
        }
        c == ',' && depth == 0 || c == ';'
    });
    declarators.filter_map(|part| words(part.split(['=', '[']).next().unwrap_or_default()).last()).collect()
}
