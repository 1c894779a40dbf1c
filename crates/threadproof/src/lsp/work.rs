//! What is decided about programs, in threads of their own, so that the server always answers.
//!
//! # Results are kept
//! An answer is kept under the digest of what was read and of what was asked, so that a file that is saved without a change of meaning costs no
//! more than its preprocessing. What was cancelled is not kept. That the time was up is: the same work would take as long again.

use super::Settings;
use frontend::outline::DefinedFunction;
use report::Diagnostic;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use threadproof::project::Inputs;
use threadproof::property::Asked;
use threadproof::several::{Answers, everything};
use threadproof::{Options, Reading, Verifier};

/// What is to be done with a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Question {
    /// Look at it for a short time, after it was opened or saved.
    Look,
    /// Decide everything about its program.
    Program,
    /// Decide everything about one of its functions, called by any clients.
    Function(String),
}

/// What is known of a program.
#[derive(Debug)]
pub struct Known {
    /// Its files.
    pub files: Vec<PathBuf>,
    /// What is wrong or odd about them.
    pub diagnostics: Vec<Diagnostic>,
    /// The functions that it defines.
    pub functions: Vec<DefinedFunction>,
    /// The answers; `None` if there is no program to ask about.
    pub answers: Option<Answers>,
}

/// Work that goes on, or waits for its turn.
#[derive(Clone, Debug)]
pub struct Job {
    /// The file that it is about.
    pub file: PathBuf,
    /// What is to be done.
    pub question: Question,
    /// Ends the work soon after it is set.
    pub cancelled: Arc<AtomicBool>,
}

impl Job {
    /// Ends the work soon.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Returns true if the work was told to end.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }
}

/// The number of results that are kept.
const MOST_RESULTS: usize = 100;

/// A result, and the key that it is found by.
type Remembered = (String, Arc<Known>);

/// Results of the past, the latest last.
#[derive(Clone, Default, Debug)]
pub struct Memory(Arc<Mutex<VecDeque<Remembered>>>);

impl Memory {
    fn find(&self, key: &str) -> Option<Arc<Known>> {
        let results = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        results.iter().find(|(known, _)| known == key).map(|(_, result)| Arc::clone(result))
    }

    fn keep(&self, key: String, result: &Arc<Known>) {
        let mut results = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        results.push_back((key, Arc::clone(result)));
        if results.len() > MOST_RESULTS {
            results.pop_front();
        }
    }
}

/// Does a job; `None` if it was cancelled.
pub fn work(job: &Job, settings: &Settings, memory: &Memory) -> Option<Arc<Known>> {
    let mut options = settings.options.clone();
    let files = match files_of(&job.file, settings, &mut options) {
        Ok(files) => files,
        Err(diagnostics) => return Some(Arc::new(unreadable(vec![job.file.clone()], diagnostics))),
    };
    if let Question::Function(name) = &job.question {
        options.source.library.library = true;
        options.source.entry = vec![name.clone()];
    }
    if job.question == Question::Look {
        options.timeout = settings.time_on_save;
    }
    let verifier = |options: Options| Verifier::new(options).cancelled_by(Arc::clone(&job.cancelled));
    let reading = match verifier(options.clone()).read(&files) {
        Ok(reading) => reading,
        Err(diagnostics) => return Some(Arc::new(unreadable(files, diagnostics))),
    };
    // What is read in one way is another program than what is read in another.
    let tables: Vec<_> = options.source.models.iter().map(|path| std::fs::read(path).ok()).collect();
    let key = format!("{:?} {files:?} {:?} {tables:?} {}", job.question, options.source, reading.digest());
    let known = memory.find(&key).or_else(|| {
        let result = Arc::new(decide(job, &options, &files, &reading, &verifier));
        if !job.is_cancelled() {
            memory.keep(key, &result);
        }
        Some(result)
    });
    known.filter(|_| !job.is_cancelled())
}

fn decide(
    job: &Job,
    options: &Options,
    files: &[PathBuf],
    reading: &Reading,
    verifier: &dyn Fn(Options) -> Verifier,
) -> Known {
    let functions = match job.question {
        // What was read is a client that includes the file.
        Question::Function(_) => Vec::new(),
        Question::Look | Question::Program => reading.functions(),
    };
    let starts = |name: &str| functions.iter().any(|function| function.name == name);
    let first = options.source.first_function();
    if matches!(job.question, Question::Look) && options.source.client().is_none() && !starts(first) {
        // A part of a program, of which nothing else is known: it should at least be C.
        let diagnostics = diagnose_part(options, files, verifier);
        return Known { files: files.to_vec(), diagnostics, functions, answers: None };
    }
    let asked = everything(options).into_iter().map(Asked::from).collect();
    let answers = verifier(options.clone()).verify_reading(reading, asked);
    let diagnostics = answers.decisive().diagnostics.clone();
    Known { files: files.to_vec(), diagnostics, functions, answers: Some(answers) }
}

/// What is wrong with files that are no program.
fn diagnose_part(
    options: &Options,
    files: &[PathBuf],
    verifier: &dyn Fn(Options) -> Verifier,
) -> Vec<Diagnostic> {
    let mut options = options.clone();
    options.source.library.library = true;
    let found = match verifier(options.clone()).read(files) {
        Ok(reading) => verifier(options).diagnose(&reading),
        Err(diagnostics) => diagnostics,
    };
    // What clients cannot call is no flaw of a part.
    found.into_iter().filter(|diagnostic| diagnostic.span.is_somewhere()).collect()
}

fn unreadable(files: Vec<PathBuf>, diagnostics: Vec<Diagnostic>) -> Known {
    Known { files, diagnostics, functions: Vec::new(), answers: None }
}

/// The files of the program that a file belongs to: that of the project, if it has one that contains the file, or else the file alone, with the project's flags.
fn files_of(
    file: &Path,
    settings: &Settings,
    options: &mut Options,
) -> Result<Vec<PathBuf>, Vec<Diagnostic>> {
    let inputs = &settings.inputs;
    if inputs.is_empty() {
        return Ok(vec![file.to_owned()]);
    }
    let as_main = Inputs { main_file: Some(file.to_owned()), ..inputs.clone() };
    for attempt in [inputs, &as_main] {
        let mut source = options.source.clone();
        if let Ok(resolved) = attempt.resolve(&mut source)
            && resolved.files.iter().any(|unit| is_same(unit, file))
        {
            options.source = source;
            return Ok(resolved.files);
        }
    }
    let alone = Inputs { files: vec![file.to_owned()], main_file: None, target: None, ..inputs.clone() };
    alone.resolve(&mut options.source).map(|resolved| resolved.files)
}

/// Returns true if two paths name the same file.
pub fn is_same(left: &Path, right: &Path) -> bool {
    left == right
        || left.canonicalize().is_ok_and(|left| right.canonicalize().is_ok_and(|right| left == right))
}
