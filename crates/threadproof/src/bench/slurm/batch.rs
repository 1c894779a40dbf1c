//! The folder of one job array, and its submission.

use super::super::child::GRACE;
use super::super::rows::{self, Row};
use super::super::task::Task;
use super::{ELEMENT, Numbered, queue};
use crate::args::BenchArgs;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// Memory of an element beyond the limit of its task: code, stacks, and the process that watches over the task.
const SPARE_MEMORY: u64 = 512 << 20;
/// Time of an element beyond that of its tasks: reading, writing, a slow disk.
const SPARE_MINUTES: u64 = 2;

/// A job array that was submitted.
pub struct Batch {
    folder: PathBuf,
    /// Its number in Slurm.
    pub job: String,
    pub n_elements: usize,
    /// Task file and property of each task.
    pub tasks: Vec<(String, String)>,
}

impl Batch {
    /// Reads a batch; `job` is empty if it was never submitted.
    pub fn open(folder: &Path) -> Result<Self, String> {
        let path = folder.join("tasks.json");
        let cannot = |why: &str| format!("cannot read `{}`: {why}", path.display());
        let text = std::fs::read_to_string(&path).map_err(|error| cannot(&error.to_string()))?;
        let value: Value = serde_json::from_str(&text).map_err(|error| cannot(&error.to_string()))?;
        let pair = |task: &Value| Some((task[0].as_str()?.to_owned(), task[1].as_str()?.to_owned()));
        let tasks = value["tasks"].as_array().and_then(|tasks| tasks.iter().map(pair).collect());
        let tasks = tasks.ok_or_else(|| cannot("it is no list of tasks"))?;
        let n_elements = value["elements"].as_u64().and_then(|n| usize::try_from(n).ok()).filter(|n| *n > 0);
        let n_elements = n_elements.ok_or_else(|| cannot("it has no number of elements"))?;
        let job = std::fs::read_to_string(folder.join("job")).unwrap_or_default().trim().to_owned();
        Ok(Batch { folder: folder.to_owned(), job, n_elements, tasks })
    }

    /// The places in this batch of the tasks that are open.
    pub fn places_of(&self, open: &[Numbered]) -> BTreeMap<usize, Numbered> {
        let open: BTreeMap<_, _> = open.iter().map(|numbered| (rows::key(&numbered.1), numbered)).collect();
        let places = self.tasks.iter().enumerate();
        places.filter_map(|(place, key)| Some((place, (*open.get(key)?).clone()))).collect()
    }

    /// The places of the tasks that have a row.
    pub fn written(&self) -> Vec<usize> {
        let Ok(entries) = std::fs::read_dir(self.folder.join("rows")) else { return Vec::new() };
        let place = |name: OsString| name.to_str()?.strip_suffix(".json")?.parse().ok();
        entries.flatten().filter_map(|entry| place(entry.file_name())).collect()
    }

    /// The row at a place, if it is there and is that of `task`.
    pub fn row(&self, place: usize, task: &Task) -> Option<Row> {
        let row = rows::read(&self.row_path(place)).ok()?.remove(&rows::key(task))?;
        Row::from_json(task, &row)
    }

    /// Where the row of a task is.
    pub fn row_path(&self, place: usize) -> PathBuf {
        self.folder.join("rows").join(format!("{place}.json"))
    }

    /// The last line that an element wrote, if there is one.
    pub fn last_line(&self, element: usize) -> String {
        let bytes = std::fs::read(self.folder.join(format!("log-{element}.txt"))).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default().to_owned()
    }
}

fn folder_of(folder: &Path, number: usize) -> PathBuf {
    folder.join(format!("batch-{number}"))
}

/// All batches that were begun in `folder`, the oldest one first.
pub fn all(folder: &Path) -> Result<Vec<Batch>, String> {
    let folders = (1..).map(|number| folder_of(folder, number)).take_while(|folder| folder.exists());
    folders.map(|folder| Batch::open(&folder)).collect()
}

/// Writes the folder of a batch and hands it to `sbatch`. If that fails, no folder is left behind.
pub fn submit(
    exe: &Path,
    folder: &Path,
    number: usize,
    open: &[Numbered],
    most_elements: usize,
    args: &BenchArgs,
) -> Result<Batch, String> {
    let folder = folder_of(folder, number);
    let tasks: Vec<_> = open.iter().map(|(_, task)| rows::key(task)).collect();
    let mut batch = Batch { folder, job: String::new(), n_elements: tasks.len().min(most_elements), tasks };
    let submitted = batch.write(exe).and_then(|()| queue::submit(&batch.options(args)?));
    let kept = submitted.and_then(|job| {
        batch.job = job;
        std::fs::write(batch.folder.join("job"), &batch.job).map_err(|error| batch.cannot_write(&error))
    });
    match kept {
        Ok(()) => Ok(batch),
        Err(message) if batch.job.is_empty() => {
            let _ = std::fs::remove_dir_all(&batch.folder);
            Err(message)
        }
        Err(message) => Err(format!("{message}; job array {} is submitted", batch.job)),
    }
}

impl Batch {
    fn cannot_write(&self, error: &std::io::Error) -> String {
        format!("cannot write to `{}`: {error}", self.folder.display())
    }

    fn write(&mut self, exe: &Path) -> Result<(), String> {
        let made =
            std::fs::create_dir_all(self.folder.join("rows")).and_then(|()| self.folder.canonicalize());
        // Nodes may start elsewhere.
        self.folder = made.map_err(|error| self.cannot_write(&error))?;
        let tasks = json!({ "elements": self.n_elements, "tasks": self.tasks });
        let script = script(exe, &self.folder, std::env::args_os().skip(1));
        std::fs::write(self.folder.join("tasks.json"), format!("{tasks}\n"))
            .and_then(|()| std::fs::write(self.folder.join("job.sh"), script))
            .map_err(|error| self.cannot_write(&error))
    }

    /// The options of `sbatch`: the user's after those that may be changed and before those that may not.
    fn options(&self, args: &BenchArgs) -> Result<Vec<OsString>, String> {
        let cwd = std::env::current_dir().map_err(|error| format!("there is no current folder: {error}"))?;
        let most_tasks = self.tasks.len().div_ceil(self.n_elements) as u64;
        let minutes = ((args.timeout + GRACE).as_secs() * most_tasks).div_ceil(60) + SPARE_MINUTES;
        let megabytes = args.search.memory_limit.0.saturating_add(SPARE_MEMORY).div_ceil(1 << 20);
        let at_once = args.jobs.map_or(String::new(), |jobs| format!("%{jobs}"));
        let mut options: Vec<OsString> = vec![
            "--job-name=threadproof".into(),
            "--ntasks=1".into(),
            format!("--mem={megabytes}M").into(),
            format!("--time={minutes}").into(),
        ];
        options.extend(args.slurm_option.iter().map(OsString::from));
        let with_path = |name: &str, path: &Path| {
            let mut option = OsString::from(name);
            option.push(path);
            option
        };
        options.extend([
            with_path("--chdir=", &cwd),
            // Slurm replaces `%` in this name: that of the folder is doubled.
            with_path("--output=", &doubled_percent(&self.folder).join("log-%a.txt")),
            "--open-mode=append".into(),
            "--requeue".into(),
            "--parsable".into(),
            format!("--array=0-{}{at_once}", self.n_elements - 1).into(),
            self.folder.join("job.sh").into(),
        ]);
        Ok(options)
    }
}

fn doubled_percent(path: &Path) -> PathBuf {
    let bytes = path.as_os_str().as_bytes().iter();
    let doubled = bytes.flat_map(|byte| vec![*byte; if *byte == b'%' { 2 } else { 1 }]).collect();
    PathBuf::from(OsString::from_vec(doubled))
}

/// The shell is replaced by the program, so that Slurm sees how that ends.
fn script(exe: &Path, folder: &Path, args: impl Iterator<Item = OsString>) -> Vec<u8> {
    let mut text = b"#!/bin/sh\n# One element of `threadproof bench --slurm`.\n".to_vec();
    text.extend(format!("export {ELEMENT}=").bytes());
    text.extend(quoted(folder.as_os_str().as_bytes()));
    text.extend(b"\nexec ");
    text.extend(quoted(exe.as_os_str().as_bytes()));
    for arg in args {
        text.push(b' ');
        text.extend(quoted(arg.as_bytes()));
    }
    text.push(b'\n');
    text
}

/// As one word of the shell.
fn quoted(word: &[u8]) -> Vec<u8> {
    let inner = word.iter().flat_map(|byte| if *byte == b'\'' { b"'\\''".to_vec() } else { vec![*byte] });
    std::iter::once(b'\'').chain(inner).chain([b'\'']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_survive_the_shell() {
        let words = ["bench", "it's", "a  b", "$HOME `x` \"y\" \\", "", "*", "line\nline", "--define=A='b'"];
        let text = script(
            Path::new("printf"),
            Path::new("/a b"),
            std::iter::once("%s|").chain(words).map(OsString::from),
        );
        let output =
            std::process::Command::new("sh").arg("-c").arg(OsString::from_vec(text)).output().unwrap();
        let expected: String = words.iter().map(|word| format!("{word}|")).collect();
        assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
        assert_eq!(doubled_percent(Path::new("/a%j/b")), Path::new("/a%%j/b"));
    }
}
