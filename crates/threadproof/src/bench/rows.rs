//! What is known about a finished task, and the JSON file that keeps it.

use super::task::Task;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

/// How an answer compares with the expected one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Status {
    /// The answer is the expected one.
    Right,
    /// The answer is the opposite of the expected one.
    Wrong,
    /// There is no answer, or the right one is not known.
    Unknown,
    /// The time was not enough.
    Timeout,
    /// The run failed: a bug of ours, or an input that cannot be read.
    Error,
}

impl Status {
    /// All, with the names they have in JSON.
    pub const ALL: [(Status, &'static str); 5] = [
        (Status::Right, "right"),
        (Status::Wrong, "wrong"),
        (Status::Unknown, "unknown"),
        (Status::Timeout, "timeout"),
        (Status::Error, "error"),
    ];
    /// The status with this name in JSON.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, known)| *known == name).map(|(status, _)| *status)
    }
    /// The name in JSON.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(s, _)| *s == self).expect("every status should have a name").1
    }
}

/// A finished task.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    pub task: Task,
    /// What the last line said after `verdict: `.
    pub verdict: String,
    pub status: Status,
    /// Wall time.
    pub seconds: f64,
    /// Processor time of the child, as the system counted it.
    pub cpu_s: f64,
    /// The child's largest resident memory, in millions of bytes.
    pub peak_mb: f64,
    /// What `--stats` printed.
    pub stats: Value,
    /// For errors: what the child said about it.
    pub message: String,
}

impl Row {
    /// A run that gave no verdict.
    pub fn failed(task: &Task, verdict: String) -> Self {
        Row {
            task: task.clone(),
            verdict,
            status: Status::Error,
            seconds: 0.0,
            cpu_s: 0.0,
            peak_mb: 0.0,
            stats: Value::Null,
            message: String::new(),
        }
    }

    /// A run that had to be killed.
    pub fn killed(task: &Task) -> Self {
        Row { status: Status::Timeout, ..Self::failed(task, "unknown(timeout)".into()) }
    }

    /// A run that ended with a verdict.
    pub fn of(task: &Task, verdict: String, stats: Value) -> Self {
        Row { status: judge(&verdict, task.expected), stats, ..Self::failed(task, verdict) }
    }

    /// What a child's output says; `bad_end` tells of an exit code that no verdict has.
    pub fn from_output(task: &Task, stdout: &str, bad_end: Option<String>) -> Self {
        let last = stdout.lines().next_back().and_then(|l| l.strip_prefix("verdict: "));
        let stats = stdout.lines().rev().take(3).find_map(|l| l.strip_prefix("stats: "));
        let stats = stats.and_then(|s| serde_json::from_str(s).ok()).unwrap_or(Value::Null);
        let row = match (last, bad_end) {
            (Some(verdict), None) => {
                Row { status: judge(verdict, task.expected), ..Self::failed(task, verdict.to_owned()) }
            }
            (Some(verdict), Some(_)) => Self::failed(task, verdict.to_owned()),
            (None, Some(end)) => Self::failed(task, end),
            (None, None) => Self::failed(task, "no verdict".into()),
        };
        Row { stats, ..row }
    }

    /// A row that was written down; it is judged again.
    pub fn from_json(task: &Task, row: &Value) -> Option<Self> {
        let number = |key: &str| row[key].as_f64();
        let verdict = row["verdict"].as_str()?;
        Some(Row {
            seconds: number("seconds")?,
            cpu_s: number("cpu_s")?,
            peak_mb: number("peak_mb")?,
            message: row["message"].as_str()?.to_owned(),
            ..Row::of(task, verdict.to_owned(), row["stats"].clone())
        })
    }

    fn to_json(&self) -> Value {
        json!({
            "category": self.task.category,
            "task": self.task.path.to_string_lossy(),
            "property": self.task.property.name(),
            "expected": self.task.expected,
            "verdict": self.verdict,
            "status": self.status.name(),
            "seconds": rounded(self.seconds),
            "cpu_s": rounded(self.cpu_s),
            "peak_mb": rounded(self.peak_mb),
            "engine": self.stats.get("engine").cloned().unwrap_or(Value::Null),
            "stats": self.stats,
            "message": self.message,
        })
    }
}

fn judge(verdict: &str, expected: Option<bool>) -> Status {
    let answer = match verdict {
        "true" => true,
        v if v.starts_with("false(") => false,
        "unknown(timeout)" => return Status::Timeout,
        v if v.starts_with("unknown(internal error") || v.starts_with("unknown(input error") => {
            return Status::Error;
        }
        v if v.starts_with("unknown(check failed") => return Status::Error,
        _ => return Status::Unknown,
    };
    match expected {
        None => Status::Unknown,
        Some(expected) if expected == answer => Status::Right,
        Some(_) => Status::Wrong,
    }
}

fn rounded(x: f64) -> f64 {
    (x * 1e4).round() / 1e4
}

/// What rows are found by: the task file and the property.
pub fn key(task: &Task) -> (String, String) {
    (task.path.to_string_lossy().into_owned(), task.property.name().to_owned())
}

/// Reads the rows that [`write`] has written.
pub fn read(path: &Path) -> Result<BTreeMap<(String, String), Value>, String> {
    let cannot = |why: &str| format!("cannot read `{}`: {why}", path.display());
    let text = std::fs::read_to_string(path).map_err(|error| cannot(&error.to_string()))?;
    let rows: Value = serde_json::from_str(&text).map_err(|error| cannot(&error.to_string()))?;
    let rows = rows.as_array().ok_or_else(|| cannot("it is no list of rows"))?;
    let keyed = |row: &Value| {
        let text = |name: &str| row[name].as_str().map(str::to_owned);
        Some(((text("task")?, text("property")?), row.clone()))
    };
    rows.iter().map(|row| keyed(row).ok_or_else(|| cannot("a row is none of `bench --json`"))).collect()
}

/// Writes all rows to `path`: first beside it, then in its place, so that no reader ever sees half a file.
pub fn write(path: &Path, rows: &[Row]) -> std::io::Result<()> {
    write_by(&beside(path), path, rows)
}

/// The same, with the name of the file beside it.
pub fn write_by(beside: &Path, path: &Path, rows: &[Row]) -> std::io::Result<()> {
    let mut text = String::from("[\n");
    for (n, row) in rows.iter().enumerate() {
        let comma = if n + 1 == rows.len() { "" } else { "," };
        text.push_str(&format!("{}{comma}\n", row.to_json()));
    }
    text.push_str("]\n");
    let mut file = std::fs::File::create(beside)?;
    file.write_all(text.as_bytes())?;
    drop(file);
    std::fs::rename(beside, path)
}

fn beside(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".part");
    path.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use program::Property;

    fn task(expected: Option<bool>) -> Task {
        Task {
            path: "c/a.yml".into(),
            category: "c".into(),
            input_files: vec!["c/a.c".into()],
            property: Property::UnreachCall,
            property_file: None,
            expected,
            data_model: None,
        }
    }

    #[test]
    fn answers_are_judged() {
        for (verdict, expected, status) in [
            ("true", Some(true), Status::Right),
            ("true", Some(false), Status::Wrong),
            ("true", None, Status::Unknown),
            ("false(unreach-call)", Some(false), Status::Right),
            ("false(unreach-call)", Some(true), Status::Wrong),
            ("unknown(timeout)", Some(true), Status::Timeout),
            ("unknown(bound: inputs)", Some(true), Status::Unknown),
            ("unknown(internal error)", Some(true), Status::Error),
            ("unknown(input error)", Some(true), Status::Error),
            ("unknown(check failed: replay)", Some(true), Status::Error),
        ] {
            assert_eq!(judge(verdict, expected), status, "{verdict} {expected:?}");
        }
    }

    #[test]
    fn output_is_understood() {
        let output = "lanes\nstats: {\"engine\":\"explore\",\"nodes\":3}\nverdict: true\n";
        let row = Row::from_output(&task(Some(true)), output, None);
        assert_eq!((row.status, row.stats["nodes"].as_u64()), (Status::Right, Some(3)));
        assert_eq!(row.to_json()["engine"], "explore");
        let crash = Row::from_output(&task(Some(true)), "", Some("signal 6".into()));
        assert_eq!((crash.status, crash.verdict.as_str()), (Status::Error, "signal 6"));
    }

    #[test]
    fn files_are_valid_json() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.json");
        for n in 0..3 {
            write(&path, &vec![Row::killed(&task(None)); n]).unwrap();
            let value: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
            assert_eq!(value.as_array().unwrap().len(), n);
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
