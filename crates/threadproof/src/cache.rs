//! Answers that were given before, in a folder: an unchanged program is not searched again.
//!
//! An entry is found under the hash of everything that an answer depends on: the preprocessed texts of the program (and the files that they come from, whose
//! lines a report shows), what was asked, all options but limits, the models' tables, and the very binary. Limits are no part of it: only answers are kept, and an answer holds whatever
//! time it took.
//!
//! | file | holds |
//! |---|---|
//! | `KEY.json` | a checksum in the first line, then the report |
//! | `KEY.proof.json` | the evidence, as `verify --proof` writes it: `threadproof check-proof` checks it again (where data races were decided beside it, that of `undefined-behaviour` is complete only together with theirs) |
//!
//! # Direction of error
//! Only answers are kept that have passed their check. Who finds one believes the folder: a checksum tells damage, not malice. An entry that is damaged is ignored with a warning. Two processes
//! may use one folder: files are renamed into their place.

use crate::certificate::Certificate;
use crate::load::Source;
use crate::options::Options;
use crate::reading::digest;
use crate::result::Report;
use crate::units::Bytes;
use crate::verdict::Verdict;
use crate::verify::Query;
use base::stats::Metric;
use base::{Budget, FileId, Span, Stats};
use program::Property;
use report::witness::sha256;
use report::{Checks, Diagnostic, Explanation, Lanes, Level};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Changes whenever entries or keys do.
const FORMAT: &str = "threadproof-cache/1";

/// Of more entries the oldest ones are removed.
const MOST_ENTRIES: usize = 4_000;

/// The answer to a query: one that was given before, or a new one, which is kept.
pub(crate) fn answer(query: &Query, budget: &Budget) -> Report {
    let Some(folder) = query.options.cache.as_ref().filter(|_| query.given.is_none()) else {
        return query.answer(budget);
    };
    let Some(entry) = Place::of(query, folder) else { return query.answer(budget) };
    let mut warning = None;
    match entry.find(query) {
        Ok(Some(report)) => return report,
        Ok(None) => {}
        Err(why) => {
            let message = format!("an entry of the cache is ignored: {why}");
            let file = entry.report.display().to_string();
            warning = Some(Diagnostic::about_file(Level::Warning, &file, message));
        }
    }
    let with_evidence = Options { keep_evidence: true, ..query.options.clone() };
    let mut report = Query { options: with_evidence, ..query.clone() }.answer(budget);
    if let Err(error) = entry.keep(&report) {
        let message = format!("the answer cannot be kept in the cache: {error}");
        let file = folder.display().to_string();
        warning = Some(Diagnostic::about_file(Level::Warning, &file, message));
    }
    report.diagnostics.extend(warning);
    report
}

/// Where the answer to a query is kept.
struct Place {
    key: String,
    report: PathBuf,
    proof: PathBuf,
}

impl Place {
    /// `None` if the program or an option cannot be read.
    fn of(query: &Query, folder: &Path) -> Option<Self> {
        Source::read(&query.files, &query.options.source, Some(&query.asked), &query.texts).ok()?;
        let texts = query.texts.get()?;
        let mut tables = Vec::new();
        for path in &query.options.source.models {
            tables.push(std::fs::read_to_string(path).ok()?);
        }
        let mut options = Options { timeout: Duration::ZERO, cache: None, ..query.options.clone() };
        options.keep_evidence = false;
        options.search.memory_limit = Bytes(0);
        let asked = (&query.files, &query.asked, query.races_apart);
        let depends =
            format!("{FORMAT}\n{}\n{asked:?}\n{options:?}\n{tables:?}\n{}", binary()?, digest(texts));
        let key = sha256::hex(depends.as_bytes());
        let file = |end: &str| folder.join(format!("{key}{end}"));
        Some(Self { report: file(".json"), proof: file(".proof.json"), key })
    }

    /// The answer that is kept; an error says what is wrong with it.
    fn find(&self, query: &Query) -> Result<Option<Report>, String> {
        let text = match std::fs::read_to_string(&self.report) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error.to_string()),
        };
        let (checksum, body) = text.split_once('\n').ok_or("it is cut off")?;
        if sha256::hex(body.as_bytes()) != checksum {
            return Err("its checksum is wrong".to_owned());
        }
        let entry: Entry = serde_json::from_str(body).map_err(|error| error.to_string())?;
        if entry.key != self.key {
            return Err("it is about something else".to_owned());
        }
        let mut report = entry.report(query.property);
        if query.options.keep_evidence {
            report.certificate = Some(Certificate::read(&self.proof)?);
        }
        report.notes.push(FOUND.to_owned());
        Ok(Some(report))
    }

    /// Keeps a report, if it is an answer with evidence.
    fn keep(&self, report: &Report) -> std::io::Result<()> {
        let (Some(entry), Some(certificate)) = (Entry::of(report, &self.key), &report.certificate) else {
            return Ok(());
        };
        let folder = self.report.parent().unwrap_or(Path::new("."));
        std::fs::create_dir_all(folder)?;
        let body = serde_json::to_string(&entry)?;
        replace(&self.proof, |path| certificate.write(path))?;
        replace(&self.report, |path| {
            std::fs::write(path, format!("{}\n{body}", sha256::hex(body.as_bytes())))
        })?;
        remove_oldest(folder)
    }
}

/// What is said of an answer that was found.
const FOUND: &str = "an answer is from the cache (--no-cache searches again)";

/// Which binary this is: an answer of another one may be wrong, or worded otherwise.
fn binary() -> Option<String> {
    let metadata = std::fs::metadata(std::env::current_exe().ok()?).ok()?;
    let made = metadata.modified().ok()?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    Some(format!("{} {} {}", env!("CARGO_PKG_VERSION"), metadata.len(), made.as_nanos()))
}

/// Writes a file beside its place and puts it there.
fn replace(path: &Path, write: impl FnOnce(&Path) -> std::io::Result<()>) -> std::io::Result<()> {
    let beside = path.with_extension(format!("{}.new", std::process::id()));
    write(&beside)?;
    std::fs::rename(beside, path)
}

fn remove_oldest(folder: &Path) -> std::io::Result<()> {
    let mut entries: Vec<(SystemTime, PathBuf)> = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.len() > 64 && name[..64].bytes().all(|byte| byte.is_ascii_hexdigit()) {
            entries.push((entry.metadata()?.modified()?, entry.path()));
        }
    }
    entries.sort();
    let n_old = entries.len().saturating_sub(2 * MOST_ENTRIES);
    for (_, path) in &entries[..n_old] {
        // Another process may have been faster.
        let _ = std::fs::remove_file(path);
    }
    Ok(())
}

/// A report that is an answer, as it is written down.
#[derive(Serialize, Deserialize)]
struct Entry {
    key: String,
    /// `None` if the property holds.
    violated: Option<Property>,
    counterexample: Option<Lanes>,
    explanation: Option<Explanation>,
    checks: Option<Checks>,
    assumptions: Vec<String>,
    notes: Vec<String>,
    diagnostics: Vec<Said>,
    figures: Vec<(String, Value)>,
}

/// A diagnostic, whose own JSON form leaves out what is only for people.
#[derive(Serialize, Deserialize)]
struct Said {
    level: Level,
    message: String,
    file: String,
    position: (u32, u32),
    line_text: String,
    mark_len: u32,
    help: Option<String>,
}

impl Entry {
    fn of(report: &Report, key: &str) -> Option<Self> {
        let violated = match report.verdict {
            Verdict::Holds => None,
            Verdict::Violated(property) => Some(property),
            Verdict::NoAnswer(_) | Verdict::UsageError | Verdict::InputError | Verdict::InternalError => {
                return None;
            }
        };
        let figures = report.stats.iter().map(|(name, metric)| (name.to_owned(), figure(metric)));
        let said = |it: &Diagnostic| Said {
            level: it.level,
            message: it.message.clone(),
            file: it.file.clone(),
            position: (it.span.line, it.span.col),
            line_text: it.line_text.clone(),
            mark_len: it.mark_len,
            help: it.help.clone(),
        };
        Some(Self {
            key: key.to_owned(),
            violated,
            counterexample: report.counterexample.clone(),
            explanation: report.explanation.clone(),
            checks: report.checks.clone(),
            assumptions: report.assumptions.clone(),
            notes: report.notes.clone(),
            diagnostics: report.diagnostics.iter().map(said).collect(),
            figures: figures.collect(),
        })
    }

    fn report(self, property: Property) -> Report {
        let mut stats = Stats::default();
        for (name, value) in &self.figures {
            match (value.as_u64(), value.as_f64(), value.as_str()) {
                (Some(n), ..) => stats.add(name, n),
                (None, Some(x), _) => stats.measure(name, x),
                (None, None, Some(text)) => stats.name(name, text),
                (None, None, None) => {}
            }
        }
        let said = |it: Said| {
            let (line, col) = it.position;
            // The name stands beside it; the number is that of a program which is not at hand.
            let span = if line == 0 { Span::NOWHERE } else { Span { file: FileId(0), line, col } };
            Diagnostic {
                level: it.level,
                message: it.message,
                file: it.file,
                span,
                line_text: it.line_text,
                mark_len: it.mark_len,
                help: it.help,
            }
        };
        Report {
            counterexample: self.counterexample,
            explanation: self.explanation,
            checks: self.checks,
            assumptions: self.assumptions,
            notes: self.notes,
            diagnostics: self.diagnostics.into_iter().map(said).collect(),
            stats,
            ..Report::without_answer(property, self.violated.map_or(Verdict::Holds, Verdict::Violated))
        }
    }
}

fn figure(metric: &Metric) -> Value {
    match metric {
        Metric::Count(n) => json!(n),
        Metric::Measure(x) => json!(x),
        Metric::Name(text) => json!(text),
    }
}
