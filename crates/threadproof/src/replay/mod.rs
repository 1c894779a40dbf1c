//! `threadproof replay`: a counterexample as a native program.
//!
//! The user's program is compiled without optimisation, with the hooks that compilers have for ThreadSanitizer, and linked with a run-time of ours
//! (`runtime/`) instead of the sanitizer's library. The run-time lets one thread run at a time, switches threads where the trace does, and gives the program the
//! inputs of the trace. What fails then is the program itself, on this machine.
//!
//! | module | does |
//! |---|---|
//! | [`script`] | from a trace to a schedule of events that a native program has, too, and inputs |
//! | [`build`] | compiles, links, finds out which line each hook is in |
//! | `runtime/schedule.c` | the schedule: who runs, until when; what is reported |
//! | `runtime/accesses.c` | the hooks |
//! | `runtime/calls.c` | calls of the thread library, inputs, assertions |
//!
//! A data race is shown twice: both threads stand before their accesses, and ThreadSanitizer reports them. What is invalid in memory is shown by AddressSanitizer.
//!
//! # Sandbox
//! The program runs only if the user asks for it: in a scratch folder, without input, with limits of time and of the size of files, and without a
//! network where the system lets users take it away (`unshare`).
//!
//! # Direction of error
//! What is said to be reproduced has happened. What is not reproduced may be a violation nevertheless: the reasons that are known are named.

pub mod build;
pub mod script;

use crate::options::SourceOptions;
use build::{Build, Workshop};
use program::Property;
use script::{Goal, Script};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// What came of a replay.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Replayed {
    /// What was seen to happen; `None` if the violation was not reproduced.
    pub shown: Option<String>,
    /// Where the threads were, a line each.
    pub threads: Vec<String>,
    /// What a sanitizer reported.
    pub sanitizer: Option<String>,
    /// Why it may not be reproduced, or why the sanitizer could not be asked.
    pub reasons: Vec<String>,
    /// What the program wrote.
    pub output: String,
    /// Whether the program ran without a network.
    pub offline: bool,
}

/// What is replayed, and where.
pub struct Replay<'a> {
    /// The program's files.
    pub files: &'a [PathBuf],
    /// How they are compiled.
    pub source: &'a SourceOptions,
    /// What is forced.
    pub script: &'a Script,
    /// A scratch folder.
    pub folder: &'a Path,
    /// How long the program may run.
    pub time: Duration,
}

/// Bytes of the program's output that are kept.
const MAX_OUTPUT: usize = 16 << 10;

impl Replay<'_> {
    /// Builds and runs the program; an error says why it cannot be built.
    pub fn run(&self) -> Result<Replayed, String> {
        if self.script.property.is_about_validity() {
            return self.run_with(Build::AddressSanitizer);
        }
        let mut replayed = self.run_with(Build::Plain)?;
        if let Goal::Race(..) = self.script.goal {
            match self.run_with(Build::ThreadSanitizer) {
                Ok(sanitized) => {
                    replayed.shown = replayed.shown.or_else(|| {
                        sanitized.sanitizer.as_ref().map(|_| "ThreadSanitizer reports a data race".to_owned())
                    });
                    replayed.sanitizer = sanitized.sanitizer;
                }
                Err(why) => replayed.reasons.push(format!("ThreadSanitizer could not be used: {why}")),
            }
        }
        Ok(replayed)
    }

    /// The program with its plan, to be started by a debugger.
    pub fn program(&self) -> Result<PathBuf, String> {
        Workshop::new(self.folder).build(self.files, self.source, self.script, Build::Plain)
    }

    fn run_with(&self, build: Build) -> Result<Replayed, String> {
        let folder = self.folder.join(match build {
            Build::Plain => "plain",
            Build::ThreadSanitizer => "tsan",
            Build::AddressSanitizer => "asan",
        });
        std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
        let workshop = Workshop::new(&folder);
        let program = workshop.build(self.files, self.source, self.script, build)?;
        let (offline, ended) = self.start(&program, &folder)?;
        let result = std::fs::read_to_string(workshop.result()).unwrap_or_default();
        let output = std::fs::read(folder.join("output")).unwrap_or_default();
        let output = String::from_utf8_lossy(&output[..output.len().min(MAX_OUTPUT)]).into_owned();
        let mut lines = result.lines();
        let first = lines.next().unwrap_or_default();
        let sanitizer = report_of(build, &output).filter(|report| {
            let lines = &self.script.racing_lines;
            build != Build::ThreadSanitizer || lines.iter().all(|line| names(report, line))
        });
        let mut shown = first.strip_prefix("reproduced ").map(str::to_owned);
        if build == Build::AddressSanitizer {
            let is_lost = matches!(self.script.property, Property::ValidMemtrack | Property::ValidMemcleanup);
            let fitting = |report: &&String| report.contains("LeakSanitizer") == is_lost;
            shown = sanitizer.as_ref().filter(fitting).map(|report| {
                let first = report.lines().next().unwrap_or_default();
                format!("AddressSanitizer reports it: {first}")
            });
        }
        let mut reasons = Vec::new();
        if shown.is_none() {
            reasons.push(match (ended, first.split_once(' ')) {
                (None, _) => format!("the program was stopped after {} s", self.time.as_secs()),
                (Some(_), Some((_, what))) => what.to_owned(),
                (Some(status), None) => format!("the program ended ({status})"),
            });
            reasons.extend(lines.next().and_then(left_schedule));
            reasons.extend(self.script.left_open.iter().map(|what| format!("not forced: {what}")));
        }
        let threads = lines.filter_map(|line| line.strip_prefix("thread ")).map(str::to_owned).collect();
        Ok(Replayed { shown, threads, sanitizer, reasons, output, offline })
    }

    /// Runs the program: whether it was without a network, and how it ended; `None` if it had to be stopped.
    fn start(&self, program: &Path, folder: &Path) -> Result<(bool, Option<ExitStatus>), String> {
        let offline = Command::new("unshare")
            .args(["-rn", "true"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success());
        let limits =
            format!("ulimit -c 0; ulimit -f 65536; ulimit -t {}; exec \"$@\"", self.time.as_secs() + 1);
        let mut words: Vec<OsString> = Vec::new();
        if offline {
            words.extend(["unshare".into(), "-rn".into()]);
        }
        words.extend(["sh".into(), "-c".into(), limits.into(), "sh".into(), program.into()]);
        let n_more = self.script.n_arguments.unwrap_or(1).saturating_sub(1).min(64);
        words.extend((0..n_more).map(|_| OsString::from("x")));
        let output = std::fs::File::create(folder.join("output")).map_err(|error| error.to_string())?;
        let errors = output.try_clone().map_err(|error| error.to_string())?;
        let mut child = Command::new(&words[0])
            .args(&words[1..])
            .current_dir(folder)
            .env("TSAN_OPTIONS", "halt_on_error=0:exitcode=66:report_thread_leaks=0")
            .env("ASAN_OPTIONS", "detect_stack_use_after_return=1:exitcode=67")
            .stdin(Stdio::null())
            .stdout(output)
            .stderr(errors)
            .spawn()
            .map_err(|error| error.to_string())?;
        Ok((offline, wait(&mut child, self.time)))
    }
}

/// How a process ended; `None` if it had to be killed.
fn wait(child: &mut Child, time: Duration) -> Option<ExitStatus> {
    let start = Instant::now();
    while start.elapsed() < time {
        if let Ok(Some(status)) = child.try_wait() {
            return Some(status);
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    let _ = child.kill();
    let _ = child.wait();
    None
}

/// Says where the program left the schedule, if it did: `plan 3 of 7` of the run-time.
fn left_schedule(line: &str) -> Option<String> {
    let (done, all) = line.strip_prefix("plan ")?.split_once(" of ")?;
    let (done, all): (usize, usize) = (done.parse().ok()?, all.parse().ok()?);
    (done + 1 < all).then(|| {
        format!(
            "switch {} of {} was not met: the compiler may do at once what the trace does in steps",
            done + 1,
            all - 1
        )
    })
}

/// Returns true if a report names a line, and not only one that begins with the same digits.
fn names(report: &str, line: &str) -> bool {
    let ends = |rest: &str| !rest.starts_with(|c: char| c.is_ascii_digit());
    report.match_indices(line).any(|(at, _)| ends(&report[at + line.len()..]))
}

/// The report of a sanitizer.
fn report_of(build: Build, output: &str) -> Option<String> {
    let (begin, end) = match build {
        Build::Plain => return None,
        Build::ThreadSanitizer => ("WARNING: ThreadSanitizer: ", "=================="),
        Build::AddressSanitizer => ("Sanitizer: ", "SUMMARY"),
    };
    // ThreadSanitizer has warnings about other things, too.
    let is_one = |line: &&str| {
        line.contains(begin)
            && (build == Build::AddressSanitizer
                || line.contains("data race")
                || line.contains("use-after-free"))
    };
    let mut lines = output.lines().skip_while(|line| !is_one(line));
    let first = lines.next()?;
    let rest = lines.take_while(|line| !line.starts_with(end)).take(40);
    Some(std::iter::once(first).chain(rest).collect::<Vec<_>>().join("\n"))
}
