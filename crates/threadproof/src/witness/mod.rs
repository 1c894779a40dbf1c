//! Witnesses: what an answer rests on, in the format of SV-COMP ([`report::witness`]), written for other tools and read from them.
//!
//! | module | does |
//! |---|---|
//! | [`mod@write`] | from a counterexample to waypoints |
//! | [`invariants`] | from a proof to invariants |
//! | [`read`] | from a file to a witness, and what is wrong with it |
//! | [`marks`] | puts what a witness says into the program |
//! | [`guide`] | looks for an execution along the waypoints |
//!
//! # Validation
//! A violation is confirmed if an execution passes all waypoints in order and violates the property at the target. A proof is confirmed if every invariant
//! holds, which the engines decide as they decide assertions, and then the property. In both cases the answer is checked like every other one; a witness about other
//! files than those at hand is refused.
//!
//! # Direction of error
//! What is confirmed is true. What is not confirmed may be true, too: the search along the waypoints is not exhaustive.

pub mod guide;
pub mod invariants;
pub mod marks;
pub mod read;
pub mod write;

use crate::boundary::{self, Abandoned};
use crate::load;
use crate::options::Options;
use crate::property::{self, Asked};
use crate::result::Report;
use crate::verdict::Verdict;
use crate::verify::{Query, Verifier};
use base::{Budget, Inconclusive};
use evidence::Outcome;
use frontend::places::{Place, PlaceKind};
use frontend::{Errors, Texts};
use guide::{Segment, Target, Way};
use marks::Marks;
use program::Property;
use program::passes::RawProgram;
use report::witness::{Content, Invariant, Location, Task, Waypoint, WaypointKind, Witness, sha256};
use semantics::environment::with_environment;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

/// The witness of an answer; an error says why there is none.
pub fn of_report(
    report: &Report,
    asked: &Asked,
    files: &[PathBuf],
    options: &Options,
) -> Result<Witness, String> {
    let texts = OnceLock::new();
    let unreadable = || "the program cannot be read again".to_owned();
    load::Source::read(files, &options.source, Some(asked), &texts).map_err(|_| unreadable())?;
    if options.source.memory_model.is_weak() {
        return Err("the format has no weak memory models".to_owned());
    }
    let content = match (&report.verdict, &report.counterexample) {
        (Verdict::Violated(Property::Termination), _) => {
            return Err("a violation of termination cannot be written".to_owned());
        }
        (Verdict::Violated(_), Some(lanes)) => {
            let places = texts.get().ok_or_else(unreadable)?.places();
            let segments = write::segments(lanes, &places);
            Content::Violation(segments.ok_or("the violation has no place in the source")?)
        }
        (Verdict::Holds, _) => {
            let texts = texts.get().ok_or_else(unreadable)?;
            Content::Correctness(invariants::of_proof(report, asked, files, options, texts))
        }
        _ => return Err("there is no answer".to_owned()),
    };
    let violated = match &report.verdict {
        Verdict::Violated(property) if *property != asked.property => Asked::from(*property),
        _ => asked.clone(),
    };
    Ok(Witness { task: task(&violated, files, options)?, content })
}

fn task(asked: &Asked, files: &[PathBuf], options: &Options) -> Result<Task, String> {
    let hashed = |file: &PathBuf| {
        let bytes = std::fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
        Ok((file.display().to_string(), sha256::hex(&bytes)))
    };
    let files: Result<Vec<_>, String> = files.iter().map(hashed).collect();
    let data_model = match options.source.data_model.map(program::DataModel::from) {
        Some(program::DataModel::Ilp32) => "ILP32",
        _ => "LP64",
    };
    let specification = property::formula(asked)
        .ok_or_else(|| format!("SV-COMP has no formula for {}", asked.property.name()))?;
    Ok(Task { files: files?, specification, data_model: data_model.to_owned() })
}

/// What a witness is about, as far as the options do not say.
pub fn asked(witness: &Witness) -> Result<Asked, String> {
    let formula = witness.task.specification.trim();
    let checks = if formula.starts_with("CHECK") {
        formula.to_owned()
    } else {
        format!("CHECK( init(main()), LTL({formula}) )")
    };
    property::from_text(&checks)
}

impl Verifier {
    /// Validates a witness about the program that `files` make together.
    pub fn validate(&self, files: &[impl AsRef<Path>], asked: Asked, witness: Witness) -> Report {
        let start = Instant::now();
        let files: Vec<PathBuf> = files.iter().map(|file| file.as_ref().to_owned()).collect();
        let property = asked.property;
        if let Err(why) = about(&witness, &files) {
            return Report::without_answer(property, Verdict::NoAnswer(refused(&why)));
        }
        let mut report = match witness.content {
            Content::Violation(segments) => {
                let query = Query::new(files, asked, self.options().clone());
                let worked = boundary::run(self.limits(), self.flag(), &|_| (), move |budget| {
                    let mut report = Report::without_answer(property, Verdict::InputError);
                    if let Err(why) = confirm(&query, &segments, &budget, &mut report) {
                        report.verdict = Verdict::NoAnswer(why);
                    }
                    report
                });
                worked.unwrap_or_else(|abandoned| match abandoned {
                    Abandoned::Stopped(why) => Report::without_answer(property, Verdict::NoAnswer(why)),
                    Abandoned::Panicked => Report::without_answer(property, Verdict::InternalError),
                })
            }
            Content::Correctness(invariants) => self.prove(&files, asked, &invariants),
        };
        report.complete_stats(start.elapsed());
        report
    }

    /// Proves that the invariants hold, and then the property.
    fn prove(&self, files: &[PathBuf], asked: Asked, invariants: &[Invariant]) -> Report {
        let unanswered = |verdict: Verdict| Report::without_answer(asked.property, verdict);
        if !invariants.is_empty() {
            let texts = OnceLock::new();
            let source = load::Source::read(files, &self.options().source, Some(&asked), &texts);
            let (Ok(_), Some(texts)) = (source, texts.get()) else {
                return self.verify(files, asked);
            };
            let report = match holds(self, files, &asked, invariants, texts) {
                Ok(report) => report,
                Err(why) => return unanswered(Verdict::NoAnswer(refused(&why))),
            };
            match report.verdict {
                Verdict::Holds => {}
                Verdict::Violated(_) => {
                    let verdict = Verdict::NoAnswer(refused("an invariant does not hold"));
                    return Report { verdict, property: asked.property, ..report };
                }
                Verdict::InputError => {
                    let verdict = Verdict::NoAnswer(refused("an invariant is no expression of the program"));
                    return Report { verdict, property: asked.property, ..report };
                }
                _ => return Report { property: asked.property, ..report },
            }
        }
        let report = self.verify(files, asked);
        match report.verdict {
            Verdict::Violated(_) => {
                Report { verdict: Verdict::NoAnswer(refused("the property is violated")), ..report }
            }
            _ => report,
        }
    }
}

/// The answer to whether invariants hold whenever their places are reached; an error says which of them has no meaning.
fn holds(
    verifier: &Verifier,
    files: &[PathBuf],
    asked: &Asked,
    invariants: &[Invariant],
    texts: &Texts,
) -> Result<Report, String> {
    let (insertions, prelude) = marks::assertions(invariants, &texts.places())?;
    let errors = Errors { functions: vec![marks::FAILS.to_owned()], labels: Vec::new(), assertions: false };
    let hold = Asked { property: Property::UnreachCall, errors, assume_defined: true, ..asked.clone() };
    Ok(verifier.verify_texts(files, hold, texts.with(&insertions, &prelude)))
}

/// The location of a place, with its column if preprocessing has not moved it within its line.
fn at(place: &Place) -> Location {
    let text = std::fs::read_to_string(&place.file).unwrap_or_default();
    let line = (place.line as usize).checked_sub(1).and_then(|line| text.lines().nth(line));
    Location {
        file: place.file.clone(),
        line: place.line,
        column: Some(place.column).filter(|_| line.is_some_and(|line| line.starts_with(&place.before))),
        function: Some(place.function.clone()),
    }
}

/// Demands that a witness is about these files.
fn about(witness: &Witness, files: &[PathBuf]) -> Result<(), String> {
    for file in files {
        let name = file.display().to_string();
        let known = witness.task.files.iter().find(|(other, _)| marks::same_file(other, &name));
        let (_, hash) = known.ok_or_else(|| format!("it is not about `{name}`"))?;
        let bytes = std::fs::read(file).map_err(|error| format!("{name}: {error}"))?;
        if !hash.eq_ignore_ascii_case(&sha256::hex(&bytes)) {
            return Err(format!("it is about another version of `{name}`"));
        }
    }
    Ok(())
}

/// Looks for an execution along the witness, and reports it.
fn confirm(
    query: &Query,
    segments: &[Vec<Waypoint>],
    budget: &Budget,
    report: &mut Report,
) -> Result<(), Inconclusive> {
    let source =
        match load::Source::read(&query.files, &query.options.source, Some(&query.asked), &query.texts) {
            Ok(source) => source,
            Err(diagnostics) => {
                report.diagnostics = diagnostics;
                return Ok(());
            }
        };
    let Some(texts) = query.texts.get() else { return Ok(()) };
    let (way, with_marks) = way(query.property, segments, texts).map_err(|why| refused(&why))?;
    let loaded = source.with_texts(with_marks).load(Some(query.property));
    report.diagnostics = loaded.diagnostics;
    let Some(raw) = loaded.program else {
        let whole = source.load(Some(query.property));
        let readable = whole.program.is_some();
        return if readable { Err(refused("a constraint is no expression of the program")) } else { Ok(()) };
    };
    let written_out = with_environment(raw.program(), &loaded.types, query.property);
    let program = query.version(written_out.map_or(raw, RawProgram::new));
    let found = guide::search(&program, &way, budget)?;
    let trace = found.ok_or_else(|| refused("no execution along it violates the property"))?;
    query.conclude(report, &program, &[], Outcome::Unsafe(trace), budget);
    Ok(())
}

/// What an execution has to do, and the program with marks.
fn way(property: Property, segments: &[Vec<Waypoint>], texts: &Texts) -> Result<(Way, Texts), String> {
    let places = texts.places();
    let mut marks = Marks::default();
    let (last, others) = segments.split_last().ok_or("it has no segment")?;
    let mut mark = |waypoint: &Waypoint| Ok((marks.of(waypoint, &places)?, waypoint.thread));
    let mut avoided = |segment: &[Waypoint]| -> Result<Vec<_>, String> {
        segment.iter().filter(|waypoint| !waypoint.follow).map(&mut mark).collect()
    };
    let avoid = avoided(last)?;
    let mut found = Vec::new();
    for segment in others {
        let avoid = avoided(segment)?;
        let follow = segment.iter().find(|waypoint| waypoint.follow).ok_or("a segment follows nothing")?;
        found.push((follow, avoid));
    }
    let mut segments = Vec::new();
    for (waypoint, avoid) in found {
        let follow = marks.of(waypoint, &places)?;
        let creates = waypoint.kind == WaypointKind::FunctionEnter
            && matches!(&marks.place(follow).kind, PlaceKind::Call { name, .. } if write::CREATORS.contains(&&**name));
        let input = match waypoint.kind {
            WaypointKind::FunctionReturn => waypoint.constraint.as_deref().and_then(result),
            _ => None,
        };
        segments.push(Segment { follow: (follow, waypoint.thread), avoid, input, creates });
    }
    let targets = last.iter().filter(|waypoint| waypoint.follow).map(|waypoint| target(waypoint, &places));
    let constraints = segments_constraints(others);
    let way =
        Way { property, segments, avoid, targets: targets.collect::<Result<_, _>>()?, numbers: constraints };
    let (insertions, prelude) = marks.insertions();
    Ok((way, texts.with(&insertions, &prelude)))
}

/// The numbers in the constraints of a witness.
fn segments_constraints(segments: &[Vec<Waypoint>]) -> Vec<u128> {
    let mut numbers = Vec::new();
    for text in segments.iter().flatten().filter_map(|waypoint| waypoint.constraint.as_ref()) {
        for word in text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '-') {
            if let Some(number) = number(word).filter(|number| !numbers.contains(number)) {
                numbers.push(number);
            }
        }
    }
    numbers
}

/// `\result == -3`
fn result(constraint: &str) -> Option<u128> {
    let (left, right) = constraint.split_once("==")?;
    let is_result = |text: &str| text.trim() == "\\result";
    let value = if is_result(left) { Some(right) } else { Some(left).filter(|_| is_result(right)) };
    number(value?.trim())
}

fn number(text: &str) -> Option<u128> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let digits = digits.trim_end_matches(['u', 'U', 'l', 'L']);
    let value = match digits.strip_prefix("0x") {
        Some(hex) => u128::from_str_radix(hex, 16).ok()?,
        None => digits.parse().ok()?,
    };
    Some(if negative { value.wrapping_neg() } else { value })
}

/// The lines of the statement that a target names.
fn target(waypoint: &Waypoint, places: &[Place]) -> Result<Target, String> {
    let is_statement =
        |kind: &PlaceKind| matches!(kind, PlaceKind::Statement { .. } | PlaceKind::Declaration);
    let place = marks::find(places, &waypoint.location, is_statement)?;
    let simple = !matches!(place.kind, PlaceKind::Statement { simple: false });
    // A simple statement ends where the next one begins at the latest.
    let starts = places.iter().filter(|other| {
        is_statement(&other.kind)
            && other.text == place.text
            && other.at > place.at
            && other.file == place.file
    });
    let next = starts.map(|other| other.line).filter(|line| *line > place.line).min();
    let last_line = next.map_or(place.line, |next| next - 1);
    let last_line = if simple { last_line } else { place.line };
    Ok(Target { file: place.file.clone(), line: place.line, last_line, thread: waypoint.thread })
}

fn refused(why: &str) -> Inconclusive {
    Inconclusive::CheckFailed(format!("the witness is refused: {why}"))
}

/// A query about texts that are at hand.
pub(crate) fn known(texts: Texts) -> Arc<OnceLock<Arc<Texts>>> {
    let known = OnceLock::new();
    known.get_or_init(|| Arc::new(texts));
    Arc::new(known)
}
