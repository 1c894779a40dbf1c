//! Verification: load, search, check, report.
//!
//! No answer leaves unchecked: a counterexample is replayed and a proof is checked by `certify`, which knows nothing
//! of the engines. What fails its check is `unknown(check failed: …)`.
//!
//! The phases are spans of `tracing`: load, analyse, search (with a span for each engine or time slice), check, report.

use crate::blockers::blockers;
use crate::boundary::{self, Abandoned, Limits, Status};
use crate::cache;
use crate::certificate::{Certificate, Version};
use crate::certified::{certified, run};
use crate::chosen::{chosen_results, races_with_undefined};
use crate::environment::remaining;
use crate::fences;
use crate::implementation;
use crate::inexact::{has_inexact_results, rests_on_summary};
use crate::load;
use crate::memory_models;
use crate::options::{Assume, EngineName, Options, SignedOverflow};
use crate::property::Asked;
use crate::replay::script::Script;
use crate::result::{DEFINED, Report};
use crate::reuse;
use crate::verdict::Verdict;
use base::{Budget, Inconclusive, Stats};
use engines::Task;
use engines::termination::Methods;
use engines::weak::Native;
use evidence::{GraphTrace, Outcome, Proof, Trace};
use frontend::{Gap, Texts};
use program::interp::Interp;
use program::passes::{Overflow, RawProgram};
use program::{Program, Property};
use report::{
    Checks, GraphNarrator, Lanes, Narrator, Sources, explain, minimise_context_switches, narrate_trace,
};
use semantics::addresses::always_moving;
use semantics::environment::with_environment;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use tracing::info_span;

/// Decides properties of programs. See the [example](crate) of this crate.
pub struct Verifier {
    options: Options,
    cancelled: Arc<AtomicBool>,
    pub(crate) observer: Box<dyn Fn(&Status)>,
}

impl Verifier {
    /// A verifier with these options.
    pub fn new(options: Options) -> Self {
        Self { options, cancelled: Arc::default(), observer: Box::new(|_| ()) }
    }

    /// Calls `observer` about ten times a second while the verifier works, in the thread that called [`verify`](Self::verify).
    pub fn on_progress(self, observer: impl Fn(&Status) + 'static) -> Self {
        Self { observer: Box::new(observer), ..self }
    }

    /// Ends the work soon after this flag is set.
    pub fn cancelled_by(self, cancelled: Arc<AtomicBool>) -> Self {
        Self { cancelled, ..self }
    }

    /// The flag that ends the work soon after it is set: the verdict is then `unknown(interrupted)`.
    pub fn cancel_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.cancelled)
    }

    /// Decides whether the program that `files` make together keeps a property; `asked` is a [`Property`], or what a property file
    /// asks for.
    ///
    /// This never panics and never fails: what goes wrong is said by the verdict and the diagnostics. The work is done in a thread of
    /// its own. If that thread does not end in time, it is left behind and ends as soon as it looks at the clock again.
    pub fn verify(&self, files: &[impl AsRef<Path>], asked: impl Into<Asked>) -> Report {
        let query = Query::new(owned(files), asked.into(), self.options.clone());
        answer(query, self.limits(), &self.cancelled, &self.observer)
    }

    /// The same for files of which the preprocessed texts are at hand.
    pub(crate) fn verify_texts(&self, files: &[PathBuf], asked: Asked, texts: Texts) -> Report {
        let query = Query::new(files.to_vec(), asked, self.options.clone());
        let query = Query { texts: crate::witness::known(texts), ..query };
        answer(query, self.limits(), &self.cancelled, &self.observer)
    }

    pub(crate) fn options(&self) -> &Options {
        &self.options
    }

    pub(crate) fn flag(&self) -> &AtomicBool {
        &self.cancelled
    }

    /// Checks the evidence of an answer again, about the program that `files` make together. No engine runs.
    pub fn check_certificate(
        &self,
        files: &[impl AsRef<Path>],
        asked: impl Into<Asked>,
        certificate: Certificate,
    ) -> Report {
        let asked: Asked = asked.into();
        let asked = Asked { assume_defined: asked.assume_defined || certificate.assumes_defined(), ..asked };
        let query = Query::new(owned(files), asked, self.options.clone());
        let query = Query { given: Some(Arc::new(certificate)), ..query };
        answer(query, self.limits(), &self.cancelled, &self.observer)
    }

    pub(crate) fn limits(&self) -> Limits {
        Limits { time: Some(self.options.timeout), memory: Some(self.options.search.memory_limit) }
    }
}

fn owned(files: &[impl AsRef<Path>]) -> Vec<PathBuf> {
    files.iter().map(|file| file.as_ref().to_owned()).collect()
}

/// The answer to a query, whatever happens.
pub(crate) fn answer(
    query: Query,
    limits: Limits,
    cancelled: &AtomicBool,
    observer: &dyn Fn(&Status),
) -> Report {
    let start = Instant::now();
    let property = query.property;
    let checks = Arc::clone(&query.checks);
    let worked = boundary::run(limits, cancelled, observer, move |budget| cache::answer(&query, &budget));
    let mut report = worked.unwrap_or_else(|abandoned| match abandoned {
        Abandoned::Stopped(why) => {
            let report = Report::without_answer(property, Verdict::NoAnswer(why));
            Report { checks: checks.get().cloned(), ..report }
        }
        Abandoned::Panicked => Report::without_answer(property, Verdict::InternalError),
    });
    report.complete_stats(start.elapsed());
    report
}

/// What is taken for granted about the surroundings of a program.
pub(crate) fn assumptions(source: &load::Source, program: &Program) -> Vec<String> {
    let mut assumptions = load::assumptions(program);
    assumptions.extend_from_slice(source.client_assumptions());
    assumptions
}

/// A program that takes longer to load is not loaded once more for what is only worth a note.
const FAST: Duration = Duration::from_millis(300);

/// What is to be decided, and how.
#[derive(Clone)]
pub(crate) struct Query {
    pub(crate) files: Vec<PathBuf>,
    pub(crate) property: Property,
    pub(crate) asked: Asked,
    pub(crate) options: Options,
    /// Whether data races are decided by another query, so that this one does not count them as undefined behaviour.
    pub(crate) races_apart: bool,
    /// The files' texts, as soon as they have been read.
    pub(crate) texts: Arc<OnceLock<Arc<Texts>>>,
    /// The answers for single checks, as soon as they are known.
    pub(crate) checks: Arc<OnceLock<Checks>>,
    /// The evidence that is to be checked instead of a search.
    pub(crate) given: Option<Arc<Certificate>>,
}

/// A counterexample, as it is reported.
struct Replayed {
    violated: Property,
    lanes: Lanes,
    /// What it assumes about undefined functions.
    chosen: Vec<String>,
    script: Option<Script>,
}

impl Query {
    /// A search.
    pub(crate) fn new(files: Vec<PathBuf>, asked: Asked, options: Options) -> Self {
        Self {
            files,
            property: asked.property,
            asked,
            options,
            races_apart: false,
            texts: Arc::default(),
            checks: Arc::default(),
            given: None,
        }
    }

    /// Searches for the answer.
    pub(crate) fn answer(&self, budget: &Budget) -> Report {
        let mut report = Report::without_answer(self.property, Verdict::InputError);
        let source = match info_span!("read").in_scope(|| {
            load::Source::read(&self.files, &self.options.source, Some(&self.asked), &self.texts)
        }) {
            Ok(source) => source,
            Err(diagnostics) => {
                report.diagnostics = diagnostics;
                return report;
            }
        };
        let start = Instant::now();
        let loaded = info_span!("load").in_scope(|| source.load(Some(self.property)));
        let loads_fast = start.elapsed() < FAST;
        report.diagnostics = loaded.diagnostics;
        let Some(raw) = loaded.program else { return report };
        let n_locations = raw.program().functions.iter().map(|function| function.locations.len()).sum();
        let written_out = with_environment(raw.program(), &loaded.types, self.property);
        let raw = written_out.map_or(raw, RawProgram::new);
        // SOUNDNESS: A25. The version in which signed overflow ends an execution.
        let checked = (self.property == Property::Termination).then(|| raw.clone().with(Overflow::IsError));
        let program = self.version(raw);
        let unsupported = self.unsupported(&program);
        let searches = self.given.is_none() && unsupported.is_none();
        let locations = searches.then(|| self.answer_checks(&program, budget, &mut report)).flatten();
        if let Some(proved) = self.race_free(&source, &report, (n_locations, &loaded.gaps), budget) {
            return proved;
        }
        report.assumptions = assumptions(&source, &program);
        if let Some(what) = unsupported {
            report.verdict = Verdict::NoAnswer(Inconclusive::Unsupported(what));
            return report;
        }
        let task = info_span!("analyse").in_scope(|| {
            let task = Task::new(&program, self.property, budget);
            let task = if let Some(checked) = &checked { task.with_checked(checked) } else { task };
            if let Some(locations) = locations { task.with_locations(locations) } else { task }
        });
        let sequential = program.memory_model.is_weak().then(|| weak::sequential(&program));
        let (outcome, program) = info_span!("search").in_scope(|| match (&self.given, &sequential) {
            (Some(certificate), sequential) => certificate.recheck(self, &task, sequential.as_ref()),
            (None, Some(sequential)) => self.search_weak(&task.assuming_defined(), sequential, &mut report),
            (None, None) => self.decide(&task, &mut report),
        });
        self.keep_evidence(&mut report, (&task, sequential.as_ref()), &outcome, program);
        if sequential.is_none() {
            report.assumptions.extend(memory_models::assumption(program));
            let proved = matches!(outcome, Outcome::Safe(_));
            if proved && loads_fast && self.holds_everywhere(&source, program, budget) {
                let note = "this holds under every memory model: only seq_cst accesses race";
                report.notes.push(note.to_owned());
            }
        }
        let gaps = remaining(loaded.gaps, program);
        info_span!("report").in_scope(|| self.conclude(&mut report, program, &gaps, outcome, budget));
        self.with_reuse(report, program, budget)
    }

    /// Puts the evidence into the report, if that is asked for; `program` is what it is about.
    pub(crate) fn keep_evidence(
        &self,
        report: &mut Report,
        (task, sequential): (&Task<'_>, Option<&Program>),
        outcome: &Outcome,
        program: &Program,
    ) {
        if !self.options.keep_evidence {
            return;
        }
        let version = match sequential {
            Some(sequential) if std::ptr::eq(program, sequential) => Version::Sequential,
            _ if std::ptr::eq(program, task.program()) => Version::Program,
            _ => Version::OverflowEnds,
        };
        let asked = (self.property, self.assumes_defined());
        let discharged = std::mem::take(&mut report.discharged);
        report.certificate = Certificate::of(asked, program, version, outcome, discharged);
    }

    /// What to analyse of a program.
    pub(crate) fn version(&self, raw: RawProgram) -> Program {
        let mut program = match self.options.source.signed_overflow {
            SignedOverflow::Ends if self.property != Property::UndefinedBehaviour => {
                raw.with(Overflow::IsError)
            }
            SignedOverflow::Ends | SignedOverflow::Wraps => raw.for_property(self.property),
        };
        always_moving(&mut program);
        program
    }

    /// Returns true if a proof under sequential consistency holds under every memory model.
    fn holds_everywhere(&self, source: &load::Source, program: &Program, budget: &Budget) -> bool {
        if !weak::carries_over(self.property) || !program.creates_threads() {
            return false;
        }
        let Some(raw) = source.load(Some(Property::NoDataRace)).program else { return false };
        let with_all_accesses = raw.for_property(Property::NoDataRace);
        memory_models::holds_everywhere(&with_all_accesses, budget, |program, property, outcome, budget| {
            certified(program, property, outcome, budget).is_ok()
        })
    }

    /// What the options or the program ask for that has no meaning for the property.
    fn unsupported(&self, program: &Program) -> Option<String> {
        let model = program.memory_model;
        match self.property {
            Property::Robustness if !model.is_weak() => {
                Some("robustness against sequential consistency: choose a --memory-model".to_owned())
            }
            Property::ValidMemcleanup if self.options.source.reuse_addresses => Some(reuse::KEPT.to_owned()),
            _ => None,
        }
    }

    /// Returns true if undefined behaviour is assumed away.
    pub(crate) fn assumes_defined(&self) -> bool {
        self.asked.assume_defined || self.options.assume.contains(&Assume::NoUndefinedBehaviour)
    }

    /// The answer, which has been checked, and the version of the program that it is about.
    ///
    /// A proof with formulas is about defined executions only. So the property is proved under the assumption that all executions are defined, and then the assumption is
    /// discharged by a second search, for undefined behaviour; an engine that meets an undefined execution reports it, whatever is to be decided. The set of all
    /// reachable states proves both at once.
    pub(crate) fn decide<'p>(&self, task: &Task<'p>, report: &mut Report) -> (Outcome, &'p Program) {
        if self.assumes_defined() {
            return self.search(&task.assuming_defined(), report);
        }
        let (outcome, program) = self.search(task, report);
        let needed = match &outcome {
            Outcome::Safe(proof) => self.left_to_prove(proof, program),
            // An undefined execution is an answer, too.
            Outcome::Unknown(_) if !self.property.is_about_validity() => Some(Property::UndefinedBehaviour),
            Outcome::Unknown(_) | Outcome::Unsafe(_) | Outcome::UnsafeGraph(_) => None,
        };
        let Some(needed) = needed else { return (outcome, program) };
        let mut next = task.about(needed);
        if needed != Property::NoDataRace && matches!(outcome, Outcome::Safe(_)) {
            next = next.beginning_with(&report.stats);
        }
        let (found, found_in) = self.search(&next, report);
        match (outcome, found) {
            (proved @ Outcome::Safe(_), Outcome::Safe(rest)) => {
                report.discharged.push((needed, rest));
                (proved, program)
            }
            (_, found @ Outcome::Unsafe(_)) => (found, found_in),
            (Outcome::Safe(_), found) if needed == Property::NoDataRace => (found, program),
            (Outcome::Safe(_), Outcome::Unknown(why)) => (Outcome::Unknown(may_be_undefined(why)), program),
            (unknown, _) => (unknown, program),
        }
    }

    /// What a proof takes for granted, and has to be proved, too.
    pub(crate) fn left_to_prove(&self, proof: &Proof, program: &Program) -> Option<Property> {
        if self.assumes_defined() || program.memory_model.is_weak() {
            return None;
        }
        match (proof, self.property) {
            // Data races are undefined, too.
            (_, Property::UndefinedBehaviour) => (!self.races_apart).then_some(Property::NoDataRace),
            (Proof::Explored(_), _) => None,
            (_, property) => property.taken_for_granted(),
        }
    }

    /// Searches for a proof or a violation of the task's property.
    fn search<'p>(&self, task: &Task<'p>, report: &mut Report) -> (Outcome, &'p Program) {
        let search = &self.options.search;
        let methods = match search.engine {
            EngineName::Auto => Some(Methods::All),
            EngineName::Explore => Some(Methods::Exploration),
            EngineName::Redcomp => Some(Methods::Ranking { reduction: search.redcomp.reduction }),
            EngineName::Impact
            | EngineName::Ufo
            | EngineName::Cpa
            | EngineName::Simulate
            | EngineName::Directed
            | EngineName::Houdini
            | EngineName::Shape
            | EngineName::Graphs => None,
        };
        if let (Property::Termination, Some(methods)) = (task.property, methods) {
            let task = &task.assuming_defined();
            let answer = engines::termination::verify(task, methods, &certified, &mut report.stats);
            let program = if answer.checked { task.checked.as_ref() } else { None };
            if program.is_some() && matches!(answer.outcome, Outcome::Safe(_)) {
                report.assumptions.push("no signed arithmetic overflows".to_owned());
            }
            return (answer.outcome, program.map_or(task.program(), |version| version.program));
        }
        let outcome = match search.single_engine() {
            None => engines::portfolio::verify(task, &certified, &mut report.stats),
            Some(engine) => run(task, &*engine, &mut report.stats),
        };
        (outcome, task.program())
    }

    /// The same, for a program on a weak machine; `sequential` is the program on a sequentially consistent one.
    fn search_weak<'p>(
        &self,
        task: &Task<'p>,
        sequential: &'p Program,
        report: &mut Report,
    ) -> (Outcome, &'p Program) {
        let model = task.program().memory_model;
        report.assumptions.push(format!("memory model {model}: {}", model.mapping()));
        let answer = self.decide_weak(task, sequential, &mut report.stats);
        if let Some(user) = model.user() {
            report.assumptions.extend(memory_models::taken_for_granted(user, &answer.outcome));
            report.notes.extend(user.model.warnings.iter().cloned());
        }
        if self.options.fences && self.property == Property::Robustness {
            let decide = |program: &Program, property| {
                let task = Task::new(program, property, &task.budget).assuming_defined();
                let sequential = weak::sequential(program);
                self.decide_weak(&task, &sequential, &mut Stats::default()).outcome
            };
            report.notes.extend(fences::advise(task.program(), &task.budget, &decide));
        }
        (answer.outcome, if answer.sequential { sequential } else { task.program() })
    }

    fn decide_weak(&self, task: &Task<'_>, sequential: &Program, stats: &mut Stats) -> engines::weak::Answer {
        let search = &self.options.search;
        let native = match search.engine {
            EngineName::Auto => Native::Slices,
            EngineName::Explore => Native::ToTheEnd,
            EngineName::Graphs => Native::Graphs,
            EngineName::Impact
            | EngineName::Ufo
            | EngineName::Cpa
            | EngineName::Redcomp
            | EngineName::Simulate
            | EngineName::Directed
            | EngineName::Houdini
            | EngineName::Shape => Native::Never,
        };
        let engine = search.single_engine();
        let prove = |task: &Task<'_>, stats: &mut Stats| match &engine {
            None if task.property == Property::Termination => {
                engines::termination::verify(task, Methods::All, &certified, stats).outcome
            }
            None => engines::portfolio::verify(task, &certified, stats),
            Some(engine) => run(task, &**engine, stats),
        };
        engines::weak::verify(task, sequential, native, &prove, &certified, stats)
    }

    /// Reports an answer that has been checked.
    pub(crate) fn conclude(
        &self,
        report: &mut Report,
        program: &Program,
        gaps: &[Gap],
        outcome: Outcome,
        budget: &Budget,
    ) {
        report.verdict = match outcome {
            Outcome::Safe(proof) => self.conclude_proof(report, program, &proof, budget),
            // SOUNDNESS: A25
            Outcome::Unsafe(_)
                if self.property == Property::Termination && never_certain(program).is_some() =>
            {
                let what = never_certain(program).unwrap_or_default();
                let what =
                    format!("non-termination of a program with {what}, which may have to come at some time");
                Verdict::NoAnswer(Inconclusive::Unsupported(what))
            }
            Outcome::Unsafe(trace) => match self.replayed(program, trace) {
                Ok(Replayed { violated, lanes, chosen, script }) => {
                    report.script = script;
                    let last = lanes.rows.iter().rev().take(2);
                    let places: Vec<String> = last.map(|row| format!("{}:{}", row.file, row.line)).collect();
                    if let (Some(checks), Property::NoDataRace) = (&mut report.checks, violated) {
                        checks.mark_violated(&places);
                    }
                    report.counterexample = Some(lanes);
                    report.assumptions.extend(chosen);
                    Verdict::Violated(violated)
                }
                Err(why) => Verdict::NoAnswer(why),
            },
            Outcome::UnsafeGraph(trace) => match self.replayed_graph(program, &trace) {
                Ok(lanes) => {
                    report.counterexample = Some(lanes);
                    Verdict::Violated(self.property)
                }
                Err(why) => Verdict::NoAnswer(why),
            },
            Outcome::Unknown(why) => {
                report.blockers = blockers(gaps, &why);
                Verdict::NoAnswer(why)
            }
        };
        if matches!(report.verdict, Verdict::Holds | Verdict::Violated(_)) {
            report.assumptions.splice(0..0, implementation::assumptions(program, self.property));
        }
    }

    /// Reports a proof that has been checked.
    fn conclude_proof(
        &self,
        report: &mut Report,
        program: &Program,
        proof: &Proof,
        budget: &Budget,
    ) -> Verdict {
        if self.hides_freed_memory() {
            return Verdict::NoAnswer(Inconclusive::Unsupported(reuse::HIDDEN.to_owned()));
        }
        if (self.assumes_defined() || program.memory_model.is_weak()) && !matches!(proof, Proof::Explored(_))
        {
            // SOUNDNESS: A20
            report.assumptions.push(DEFINED.to_owned());
        }
        if self.options.explain {
            let mut sources = Sources::new(&self.files);
            report.explanation = Some(explain(program, self.property, proof, &mut sources, budget));
        }
        Verdict::Holds
    }

    /// The lanes of a counterexample, with as few context switches as possible, and what it assumes about undefined functions.
    fn replayed(&self, program: &Program, trace: Trace) -> Result<Replayed, Inconclusive> {
        let replay = certify::replay(program, &trace)?;
        let (trace, replay) =
            minimise_context_switches(trace, replay, |attempt| certify::replay(program, attempt).ok());
        let interp = Interp::new(program)?;
        if let Some(function) = races_with_undefined(&interp, &trace, replay.property) {
            let what = format!("a data race with what `{function}`, which is not defined, may access");
            return Err(Inconclusive::Unsupported(what));
        }
        if let Some((function, place)) = rests_on_summary(&interp, &trace) {
            let what = format!(
                "the counterexample needs a certain result of `{function}`, of which only a summary is known, at {place}"
            );
            return Err(Inconclusive::Unsupported(what));
        }
        let mut sources = Sources::new(&self.files);
        let chosen = chosen_results(&interp, &trace);
        let mut lanes = narrate_trace(Narrator::new(&interp, &mut sources), &trace, &replay.message);
        lanes.ending.extend(chosen.iter().map(|(place, what)| format!("assumes that {what} ({place})")));
        let chosen = chosen.into_iter().map(|(place, what)| format!("{place}: {what}")).collect();
        let script = self.options.keep_script.then(|| Script::of(&interp, &trace, replay.property)).flatten();
        Ok(Replayed { violated: replay.property, lanes, chosen, script })
    }

    /// The lanes of an execution under a weak memory model.
    fn replayed_graph(&self, program: &Program, trace: &GraphTrace) -> Result<Lanes, Inconclusive> {
        if trace.steps.iter().any(|step| !step.inputs.is_empty()) && has_inexact_results(program) {
            let what = "a counterexample with inputs of a program that calls functions of which only a summary is known";
            return Err(Inconclusive::Unsupported(what.to_owned()));
        }
        let program = weak::for_graphs(program);
        let interp = Interp::new(&program)?;
        let mut sources = Sources::new(&self.files);
        let mut narrator = GraphNarrator::new(Narrator::new(&interp, &mut sources));
        let replay = certify::graph::replay_graph(&interp, trace, &mut |before, thread, events, after| {
            narrator.step(before, thread, events, after);
        })?;
        let mut lanes = narrator.finish(&replay.violation.message);
        lanes.ending.extend(fences::cycle_in_words(&replay.cycle));
        Ok(lanes)
    }
}

/// What is bound to happen at some time, while executions in which it does not are followed, too.
fn never_certain(program: &Program) -> Option<&'static str> {
    const SENT: &[&str] =
        &["kill", "killpg", "pthread_kill", "pthread_sigqueue", "sigqueue", "alarm", "setitimer"];
    if models(program, "__threadproof_deliver") && SENT.iter().any(|name| models(program, name)) {
        Some("signals that it sends")
    } else {
        let asynchronous = models(program, "pthread_cancel") && models(program, "pthread_setcanceltype");
        asynchronous.then_some("asynchronous cancellation")
    }
}

/// Returns true if the program contains a function of the library's models.
fn models(program: &Program, name: &str) -> bool {
    program.functions.iter().any(|f| f.library && f.name == name)
}

/// Why a proof is no answer whose assumption could not be discharged.
fn may_be_undefined(why: Inconclusive) -> Inconclusive {
    match why {
        Inconclusive::Cancelled | Inconclusive::OutOfMemory | Inconclusive::CheckFailed(_) => why,
        why => Inconclusive::Undefined(format!("may be reached: {why}")),
    }
}

#[cfg(test)]
mod tests;
