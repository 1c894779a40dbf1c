//! Several properties of one program, decided side by side: a table of answers, the first counterexample, and one verdict.
//!
//! The verdict is `false` if some property is violated, and `true` only if all of them hold.
//!
//! Work is shared in three ways. The files are read once. Where undefined behaviour is one of the properties, the others are decided under the assumption that there
//! is none: it is discharged, or not, once and for all. And data races, which are undefined behaviour, too, are not searched for twice.
//!
//! The queries are handed to as many threads as the machine has cores. The time limit is that of all queries together: each gets
//! its share of what is left, so time that one does not need is for those that follow. Assertions come last, since their proofs take longest.

use crate::boundary::{Limits, Status};
use crate::exit::Exit;
use crate::options::{Assume, Options};
use crate::property::Asked;
use crate::result::{DEFINED, Report};
use crate::units::Bytes;
use crate::verdict::Verdict;
use crate::verify::{Query, Verifier, answer};
use base::stats::Metric;
use frontend::Texts;
use program::{MemoryModel, Property};
use report::summary::{self, Answer};
use report::{Summary, TerminalStyle};
use serde_json::json;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// What is checked if no property is named; by an engine that is named, what it supports.
///
/// Leaks are not looked for in libraries: types do not say which results of a library its clients have to free.
///
/// On a machine with a weak memory model, where racing accesses have a meaning, assertions are; in C11 they have none, so races are looked for. Undefined behaviour is
/// searched for under sequential consistency only.
pub fn everything(options: &Options) -> Vec<Property> {
    use Property::{
        NoDataRace, NoDeadlock, UndefinedBehaviour, UnreachCall, ValidDeref, ValidFree, ValidMemsafety,
    };
    let mut properties = match options.source.memory_model {
        MemoryModel::Sc if options.assume.contains(&Assume::NoUndefinedBehaviour) => {
            vec![UnreachCall, NoDeadlock]
        }
        MemoryModel::Sc if options.source.client().is_some() => {
            vec![UnreachCall, ValidDeref, ValidFree, UndefinedBehaviour, NoDataRace, NoDeadlock]
        }
        MemoryModel::Sc => vec![UnreachCall, ValidMemsafety, UndefinedBehaviour, NoDataRace, NoDeadlock],
        MemoryModel::C11 => vec![UnreachCall, NoDataRace],
        MemoryModel::Tso
        | MemoryModel::Pso
        | MemoryModel::Rmo
        | MemoryModel::Power
        | MemoryModel::Arm
        | MemoryModel::Riscv
        | MemoryModel::User(_) => vec![UnreachCall],
    };
    if let Some(engine) = options.search.single_engine() {
        // Races are undefined behaviour.
        let supports = |property| engine.supports(property);
        properties.retain(|&p| supports(p) && (p != UndefinedBehaviour || supports(NoDataRace)));
    }
    properties
}

/// The name and version of the JSON form, which docs/schema/report.schema.json describes; the number changes when a reader of an older one could stumble.
pub const JSON_FORMAT: &str = "threadproof-report/2";

/// The answers, in the order of the properties, each with the time that it took.
#[derive(Clone, PartialEq, Debug)]
pub struct Answers(Vec<(Report, Duration)>);

impl Answers {
    /// Decides all properties that are `asked` for.
    pub(crate) fn of(
        files: &[PathBuf],
        texts: Arc<OnceLock<Arc<Texts>>>,
        asked: Vec<Asked>,
        options: &Options,
        (cancelled, observer): (&AtomicBool, &dyn Fn(&Status)),
    ) -> Self {
        let asks = |property| asked.iter().any(|asked| asked.property == property);
        let discharged = asks(Property::UndefinedBehaviour);
        let races_apart = asks(Property::NoDataRace);
        let query = |asked: Asked| {
            let assume_defined = asked.assume_defined || discharged && !asked.property.is_about_validity();
            Query {
                files: files.to_owned(),
                property: asked.property,
                asked: Asked { assume_defined, ..asked },
                options: options.clone(),
                races_apart,
                texts: Arc::clone(&texts),
                checks: Arc::default(),
                given: None,
            }
        };
        let queries: Vec<Query> = asked.into_iter().map(query).collect();
        let mut answers = Self(all(&queries, cancelled, observer));
        answers.combine();
        answers
    }

    /// Counts races as undefined behaviour, and discharges the assumption that nothing is undefined, if that is known.
    fn combine(&mut self) {
        let races = self.verdict_of(Property::NoDataRace).cloned();
        for (report, _) in &mut self.0 {
            if report.property == Property::UndefinedBehaviour && report.verdict == Verdict::Holds {
                report.verdict = races.clone().unwrap_or(Verdict::Holds);
            }
        }
        if self.verdict_of(Property::UndefinedBehaviour) == Some(&Verdict::Holds) {
            for (report, _) in &mut self.0 {
                report.assumptions.retain(|assumption| assumption != DEFINED);
            }
        }
    }

    fn verdict_of(&self, property: Property) -> Option<&Verdict> {
        self.reports().find(|report| report.property == property).map(|report| &report.verdict)
    }

    /// The reports, in the order of the properties.
    pub fn reports(&self) -> impl Iterator<Item = &Report> {
        self.0.iter().map(|(report, _)| report)
    }

    /// Leaves out why properties hold.
    pub fn forget_explanations(&mut self) {
        self.0.iter_mut().for_each(|(report, _)| report.explanation = None);
    }

    /// Says of violations whether they are known.
    pub(crate) fn mark_known(&mut self, is_known: impl Fn(&Report) -> bool) {
        for (report, _) in &mut self.0 {
            report.known = is_known(report);
        }
    }

    /// The exit code: that of the decisive answer, or success if nothing but known violations speaks against the program.
    pub fn exit(&self) -> Exit {
        let decisive = self.decisive();
        if decisive.known { Exit::Fine } else { decisive.verdict.exit() }
    }

    /// The answer that decides the verdict: the first violation that is not known, or else the first property that is not known to hold, or else the first one.
    pub fn decisive(&self) -> &Report {
        // A race that makes behaviour undefined is shown by the report about races.
        let is_shown = |report: &&Report| report.is_violation() && report.counterexample.is_some();
        let violated = self.reports().find(|report| is_shown(report) && !report.known);
        let open = || self.reports().find(|report| report.verdict != Verdict::Holds && !report.known);
        let known = || self.reports().find(is_shown);
        let first = || self.reports().next().expect("some property should be asked for");
        violated.or_else(open).or_else(known).unwrap_or_else(first)
    }

    /// The counterexample, or the explanations of all proofs; and the table, if there is more than one property.
    pub fn text(&self, terminal: TerminalStyle) -> String {
        let decisive = self.decisive();
        let mut text = match decisive.counterexample {
            Some(_) if decisive.known => String::new(),
            Some(_) => decisive.text(terminal),
            None => self.reports().map(|report| report.text(terminal)).collect(),
        };
        if self.0.len() == 1 || decisive.verdict == Verdict::InputError {
            return text;
        }
        let wide = self.reports().map(|report| report.property.name().len()).max().unwrap_or_default();
        for (report, time) in &self.0 {
            let (name, seconds) = (report.property.name(), time.as_secs_f64());
            let condition = match report.assumptions.iter().any(|assumption| assumption == DEFINED) {
                true => ", if nothing is undefined",
                false if report.known => ", known",
                false => "",
            };
            let _ = writeln!(text, "{name:wide$}  {seconds:6.1} s  {}{condition}", report.verdict);
        }
        text
    }

    /// What is to be said beside the verdict: for a proof what all answers take for granted, and else what the decisive one does.
    pub fn remarks(&self) -> String {
        let mut decisive = self.decisive().clone();
        if decisive.verdict == Verdict::Holds {
            for report in self.reports() {
                add_new(&mut decisive.assumptions, &report.assumptions);
                add_new(&mut decisive.notes, &report.notes);
            }
        }
        decisive.remarks()
    }

    /// All answers, for formats that other programs read; `files` are those of the program, and `command` is the command line.
    pub fn summary<'a>(&'a self, files: &'a [PathBuf], command: String, machine: String) -> Summary<'a> {
        let decisive = self.decisive();
        let measured = |name: &str| {
            decisive.stats.iter().find_map(|(known, metric)| match metric {
                Metric::Measure(x) if known == name => Some(*x),
                _ => None,
            })
        };
        Summary {
            verdict: decisive.verdict.to_string(),
            files,
            command,
            machine,
            answers: self.0.iter().map(|(report, time)| row(report, *time)).collect(),
            diagnostics: &decisive.diagnostics,
            seconds: self.0.iter().map(|(_, time)| time.as_secs_f64()).sum(),
            peak_mb: measured("peak_mb").unwrap_or_default(),
        }
    }

    /// The decisive report as one JSON object on one line; with several properties there is also a list of `properties`.
    pub fn to_json(&self) -> String {
        let decisive = serde_json::to_value(self.decisive());
        let mut object = decisive.expect("a report should have only keys that are strings");
        object["format"] = json!(JSON_FORMAT);
        object["exit_code"] = json!(self.exit() as i32);
        if self.0.len() > 1 {
            let row = |(report, time): &(Report, Duration)| {
                json!({
                    "property": report.property.name(),
                    "verdict": report.verdict.to_string(),
                    "assumptions": report.assumptions,
                    "seconds": time.as_secs_f64(),
                    "known": report.known,
                })
            };
            object["properties"] = self.0.iter().map(row).collect();
        }
        object.to_string()
    }
}

impl Verifier {
    /// Decides several properties; the time limit is that of all of them together.
    pub fn verify_each(&self, files: &[impl AsRef<Path>], asked: Vec<Asked>) -> Answers {
        let files: Vec<PathBuf> = files.iter().map(|file| file.as_ref().to_owned()).collect();
        self.verify_each_of(&files, Arc::default(), asked)
    }

    /// The same for files of which the preprocessed texts may be at hand.
    pub(crate) fn verify_each_of(
        &self,
        files: &[PathBuf],
        texts: Arc<OnceLock<Arc<Texts>>>,
        asked: Vec<Asked>,
    ) -> Answers {
        Answers::of(files, texts, asked, self.options(), (self.flag(), &self.observer))
    }
}

/// An answer, as the formats for other programs want it.
fn row(report: &Report, time: Duration) -> Answer<'_> {
    let property = report.property.name();
    let engine = report.stats.iter().find_map(|(name, metric)| match metric {
        Metric::Name(text) if name == "engine" => Some(text.clone()),
        _ => None,
    });
    let (status, violated) = match &report.verdict {
        Verdict::Holds => (summary::Status::Proved, property),
        Verdict::Violated(violated) => (summary::Status::Violated, violated.name()),
        _ => (summary::Status::Open, property),
    };
    let hint = report.verdict.hint().map(|hint| format!("; try: {hint}")).unwrap_or_default();
    Answer {
        property,
        status,
        violated,
        verdict: report.verdict.to_string(),
        reason: report.verdict.reason().map(|reason| reason + &hint),
        seconds: time.as_secs_f64(),
        engine: engine.unwrap_or_default(),
        counterexample: report.counterexample.as_ref(),
        explanation: report.explanation.as_ref(),
        checks: report.checks.as_ref(),
        known: report.known,
        assumptions: &report.assumptions,
        notes: &report.notes,
    }
}

fn add_new(lines: &mut Vec<String>, more: &[String]) {
    for line in more {
        if !lines.contains(line) {
            lines.push(line.clone());
        }
    }
}

/// What a thread that answers queries tells.
enum Message {
    Progress(usize, Status),
    Answer(usize, Box<Report>, Duration),
}

/// The answers to the queries, in their order; the last one is begun first.
fn all(queries: &[Query], cancelled: &AtomicBool, observer: &dyn Fn(&Status)) -> Vec<(Report, Duration)> {
    let n_threads = std::thread::available_parallelism().map_or(1, Into::into).min(queries.len());
    let start = Instant::now();
    let n_begun = AtomicUsize::new(0);
    let (sender, receiver) = channel();
    let mut answers = vec![None; queries.len()];
    let mut working = vec![None; queries.len()];
    std::thread::scope(|scope| {
        for _ in 0..n_threads {
            let (sender, n_begun) = (sender.clone(), &n_begun);
            scope.spawn(move || {
                while let Some(n_left) = queries.len().checked_sub(n_begun.fetch_add(1, Ordering::Relaxed))
                    && let Some(n) = n_left.checked_sub(1)
                {
                    let limits = share(&queries[n].options, start, n_left.div_ceil(n_threads));
                    let tell = |status: &Status| drop(sender.send(Message::Progress(n, status.clone())));
                    let begin = Instant::now();
                    let report = answer(queries[n].clone(), limits, cancelled, &tell);
                    drop(sender.send(Message::Answer(n, Box::new(report), begin.elapsed())));
                }
            });
        }
        drop(sender);
        for message in receiver {
            match message {
                Message::Progress(n, status) => {
                    working[n] = Some(status);
                    observer(&together(&working, &queries[n].options, start));
                }
                Message::Answer(n, report, time) => (answers[n], working[n]) = (Some((*report, time)), None),
            }
        }
    });
    answers.into_iter().map(|answer| answer.expect("each query should be answered")).collect()
}

/// The limits of one of `n_left` queries that are still to be answered one after the other.
fn share(options: &Options, start: Instant, n_left: usize) -> Limits {
    let rest = options.timeout.saturating_sub(start.elapsed());
    let n_left = u32::try_from(n_left).unwrap_or(u32::MAX);
    Limits { time: Some(rest / n_left), memory: Some(options.search.memory_limit) }
}

/// The progress of all queries together.
fn together(working: &[Option<Status>], options: &Options, start: Instant) -> Status {
    let working = || working.iter().flatten();
    Status {
        elapsed: start.elapsed(),
        limit: Some(options.timeout),
        n_nodes: working().map(|status| status.n_nodes).sum(),
        // That of the whole process.
        memory: Bytes(working().map(|status| status.memory.0).max().unwrap_or(0)),
    }
}
