//! `threadproof verify`: load, search, check, report.
//!
//! No answer leaves unchecked: a counterexample is replayed and a proof is checked by `certify`, which knows nothing
//! of the engines. What fails its check is `unknown(check failed: …)`.

use crate::args::{
    DomainName, EngineName, Format, PorName, PostName, Switch, VerifyArgs, WaitlistName, WorklistName,
};
use crate::blockers::{self, Blocker, blockers};
use crate::boundary::{self, Abandoned, Limits};
use crate::calm::calm;
use crate::chosen::chosen_results;
use crate::explain::explain;
use crate::load;
use crate::narrate::{Narrator, tell_trace};
use crate::output::{self, Exit};
use crate::sources::Sources;
use crate::verdict::Verdict;
use base::stats::Metric;
use base::{Budget, Inconclusive, Stats};
use engines::impact::{Por, Worklist};
use engines::termination::Methods;
use engines::ufo::Post;
use engines::{Engine, Task};
use evidence::{Outcome, Proof, Trace};
use frontend::Gap;
use program::interp::Interp;
use program::{Program, Property};
use report::{Diagnostic, Explanation, Lanes, Look, invariants, json, lanes};
use serde_json::json;
use std::sync::Arc;
use std::time::Instant;

/// Answers the question and says so.
pub fn verify(args: VerifyArgs) -> Exit {
    let start = Instant::now();
    let args = Arc::new(args);
    let limits = Limits { time: Some(args.timeout), memory: Some(args.search.memory_limit) };
    let for_work = Arc::clone(&args);
    let worked = boundary::run(limits, "verifying", move |budget| answer(&for_work, &budget));
    let mut report = worked.unwrap_or_else(|abandoned| match abandoned {
        Abandoned::Stopped(stop) => Report::without_answer(Verdict::NoAnswer(stop)),
        Abandoned::Panicked => Report::without_answer(Verdict::InternalError),
    });
    report.stats = complete(&report.stats, start.elapsed().as_secs_f64());
    report.print(&args);
    report.verdict.exit()
}

/// All that is known in the end.
struct Report {
    verdict: Verdict,
    diagnostics: Vec<Diagnostic>,
    assumptions: Vec<String>,
    /// What stands in the way of an answer.
    blockers: Vec<Blocker>,
    counterexample: Option<Lanes>,
    explanation: Option<Explanation>,
    stats: Stats,
}

fn answer(args: &VerifyArgs, budget: &Budget) -> Report {
    let mut report = Report::without_answer(Verdict::InputError);
    let source = match load::Source::read(&args.files, &args.source, Some(&args.asked)) {
        Ok(source) => source,
        Err(diagnostics) => {
            report.diagnostics = diagnostics;
            return report;
        }
    };
    let loaded = source.load(Some(args.property()));
    report.diagnostics = loaded.diagnostics;
    let Some(program) = loaded.program else { return report };
    report.assumptions = load::assumptions(&program);
    if let Some(what) = unsupported_combination(args, &program) {
        report.verdict = Verdict::NoAnswer(Inconclusive::Unsupported(what));
        return report;
    }
    // SOUNDNESS: A25. The same files, with checks for overflow as for that property.
    let checked = match args.property() {
        Property::Termination => source.load(Some(Property::NoOverflow)).program,
        _ => None,
    };
    let mut task = Task::new(&program, args.property(), budget);
    match &checked {
        Some(checked) => task = task.with_checked(checked),
        None if args.property() == Property::Termination => {
            report.verdict = Verdict::NoAnswer(Inconclusive::Unsupported("checks for overflow".to_owned()));
            return report;
        }
        None => {}
    }
    let (outcome, program) = search(&task, args, &mut report);
    report.conclude(args, program, &loaded.gaps, outcome, budget);
    report
}

/// What the options or the program ask for that has no meaning for the property.
fn unsupported_combination(args: &VerifyArgs, program: &Program) -> Option<String> {
    match args.property() {
        Property::ValidMemsafety if args.source.reuse_addresses => {
            Some("valid-memsafety with --reuse-addresses, which hides uses of freed memory".to_owned())
        }
        Property::Termination => {
            never_certain(program).map(|what| format!("termination of a program with {what}"))
        }
        _ => None,
    }
}

/// What happens at a time that is left open, where no fairness says that it happens at all, or only finitely often.
fn never_certain(program: &Program) -> Option<&'static str> {
    let has = |name: &str| program.functions.iter().any(|f| f.library && f.name == name);
    let asynchronous = has("pthread_cancel") && has("pthread_setcanceltype");
    if has("__threadproof_deliver") {
        Some("signal handlers")
    } else {
        asynchronous.then_some("asynchronous cancellation")
    }
}

/// The answer, which has been checked, and the version of the program that it is about.
fn search<'p>(task: &Task<'p>, args: &VerifyArgs, report: &mut Report) -> (Outcome, &'p Program) {
    let stats = &mut report.stats;
    let methods = match args.search.engine {
        EngineName::Auto => Methods::All,
        EngineName::Explore => Methods::Exploration,
        EngineName::Redcomp => Methods::Ranking { reduction: args.search.reduction == Switch::On },
        _ => return (run(task, &*engine(args), stats), task.program()),
    };
    if task.property == Property::Termination {
        let answer = engines::termination::verify(task, methods, &certified, stats);
        let program = if answer.checked { task.checked.as_ref() } else { None };
        if program.is_some() && matches!(answer.outcome, Outcome::Safe(_)) {
            report.assumptions.push("no signed arithmetic overflows".to_owned());
        }
        return (answer.outcome, program.map_or(task.program(), |version| version.program));
    }
    match args.search.engine {
        EngineName::Auto => (engines::portfolio::verify(task, &certified, stats), task.program()),
        _ => (run(task, &*engine(args), stats), task.program()),
    }
}

/// One engine, and the check of its answer.
fn run(task: &Task<'_>, engine: &dyn Engine, stats: &mut Stats) -> Outcome {
    let outcome = engine.run(task, stats);
    let start = Instant::now();
    let checked = certified(task.program(), task.property, &outcome, &task.budget);
    stats.measure("check_s", start.elapsed().as_secs_f64());
    checked.map_or_else(Outcome::Unknown, |()| outcome)
}

/// Checks an answer.
fn certified(
    program: &Program,
    property: Property,
    outcome: &Outcome,
    budget: &Budget,
) -> Result<(), Inconclusive> {
    match outcome {
        Outcome::Safe(proof) => certify::check_proof(program, property, proof, budget),
        Outcome::Unsafe(trace) if trace.property != property => Err(Inconclusive::CheckFailed(format!(
            "a trace about {} says nothing about {property}",
            trace.property
        ))),
        Outcome::Unsafe(trace) => certify::replay(program, trace).map(|_| ()),
        Outcome::Unknown(_) => Ok(()),
    }
}

fn engine(args: &VerifyArgs) -> Box<dyn Engine> {
    use engines::{cpa, explore, impact, redcomp, ufo};
    let search = &args.search;
    match search.engine {
        EngineName::Auto | EngineName::Explore => Box::new(explore::Options::default()),
        EngineName::Impact => {
            let por = match search.por {
                PorName::None => Por::None,
                PorName::Spor | PorName::Local => Por::Spor,
                PorName::Dpor => Por::Dpor,
            };
            let worklist = match search.worklist {
                WorklistName::Cost => Worklist::Cost,
                WorklistName::Dfs => Worklist::Depth,
                WorklistName::Bfs => Worklist::Breadth,
                WorklistName::Switches => Worklist::Switches,
            };
            Box::new(impact::Options { por, force_cover: search.force_cover == Switch::On, worklist })
        }
        EngineName::Ufo => {
            let post = match search.post {
                PostName::None => Post::None,
                PostName::Cartesian => Post::Cartesian,
                PostName::Boolean => Post::Boolean,
            };
            let interpolate = search.interpolate == Switch::On;
            Box::new(ufo::Options { post, interpolate, sleep: search.por == PorName::Dpor })
        }
        EngineName::Cpa => {
            let domain = match search.domain {
                DomainName::Value => cpa::DomainName::Value,
                DomainName::Interval => cpa::DomainName::Interval,
                DomainName::Bdd => cpa::DomainName::Bdd,
            };
            let order = match search.waitlist {
                WaitlistName::Dfs => cpa::Order::Dfs,
                WaitlistName::Bfs => cpa::Order::Bfs,
                WaitlistName::Threads => cpa::Order::Threads,
            };
            let (partition, local) = (search.partition == Switch::On, search.por != PorName::None);
            Box::new(cpa::Options { domain, order, partition, local })
        }
        EngineName::Redcomp => {
            let reduction = search.reduction == Switch::On;
            Box::new(redcomp::Options { reduction, ..redcomp::Options::default() })
        }
    }
}

/// Tells a counterexample, with as few context switches as possible.
///
/// Also returns what it assumes about functions without a definition.
fn replayed(
    program: &Program,
    args: &VerifyArgs,
    trace: Trace,
) -> Result<(Lanes, Vec<String>), Inconclusive> {
    let replay = certify::replay(program, &trace)?;
    let (trace, replay) = calm(program, trace, replay);
    let interp = Interp::new(program)?;
    let mut sources = Sources::new(&args.files);
    let chosen = chosen_results(&interp, &trace);
    let mut lanes = tell_trace(Narrator::new(&interp, &mut sources), &trace, &replay.message);
    lanes.ending.extend(chosen.iter().map(|(place, what)| format!("assumes that {what} ({place})")));
    Ok((lanes, chosen.into_iter().map(|(place, what)| format!("{place}: {what}")).collect()))
}

/// Levels of the implication cascade before the solver; shown where an engine has them.
const CASCADE: [&str; 3] = ["implications_identity", "implications_syntactic", "implications_memo"];

/// The figures that every engine is asked for, in the order of the contract; 0 where an engine has none.
fn complete(found: &Stats, total_s: f64) -> Stats {
    let mut stats = Stats::default();
    stats.name("engine", "none");
    for name in ["nodes", "cover_expansion_nodes", "covers", "refinements", "implications"] {
        stats.add(name, 0);
    }
    for name in CASCADE.into_iter().filter(|level| found.iter().any(|(name, _)| name == *level)) {
        stats.add(name, 0);
    }
    stats.add("solver_implications", 0);
    stats.add("solver_calls", 0);
    stats.measure("solver_s", 0.0);
    stats.measure("total_s", total_s);
    stats.measure("peak_mb", base::budget::peak_bytes() as f64 / 1e6);
    for (name, figure) in found.iter() {
        match figure {
            Metric::Count(n) => stats.add(name, *n),
            Metric::Measure(x) => stats.measure(name, *x),
            Metric::Name(text) => stats.name(name, text),
        }
    }
    stats
}

/// How far a search came.
fn counts(stats: &Stats) -> String {
    let counted = stats.iter().filter_map(|(name, figure)| match figure {
        Metric::Count(n) if *n > 0 => Some(format!("{n} {}", name.replace('_', " "))),
        _ => None,
    });
    let counted: Vec<String> = counted.collect();
    if counted.is_empty() {
        "nothing is known yet".to_owned()
    } else {
        format!("{} so far", counted.join(", "))
    }
}

impl Report {
    /// Tells an answer that has been checked.
    fn conclude(
        &mut self,
        args: &VerifyArgs,
        program: &Program,
        gaps: &[Gap],
        outcome: Outcome,
        budget: &Budget,
    ) {
        self.verdict = match outcome {
            Outcome::Safe(proof) => {
                if !matches!(proof, Proof::Explored(_)) {
                    // SOUNDNESS: A20
                    let assumption = "no access is outside of the objects that its address can mean";
                    self.assumptions.push(assumption.to_owned());
                }
                if args.explain {
                    let mut sources = Sources::new(&args.files);
                    self.explanation = Some(explain(program, args.property(), &proof, &mut sources, budget));
                }
                Verdict::Holds
            }
            Outcome::Unsafe(trace) => match replayed(program, args, trace) {
                Ok((lanes, chosen)) => {
                    self.counterexample = Some(lanes);
                    self.assumptions.extend(chosen);
                    Verdict::Violated(args.property())
                }
                Err(why) => Verdict::NoAnswer(why),
            },
            Outcome::Unknown(why) => {
                self.blockers = blockers(gaps, &why);
                Verdict::NoAnswer(why)
            }
        };
    }

    fn without_answer(verdict: Verdict) -> Self {
        Self {
            verdict,
            diagnostics: Vec::new(),
            assumptions: Vec::new(),
            blockers: Vec::new(),
            counterexample: None,
            explanation: None,
            stats: Stats::default(),
        }
    }

    fn print(&self, args: &VerifyArgs) {
        output::diagnostics(&self.diagnostics);
        for assumption in &self.assumptions {
            output::err(&format!("assumed: {assumption}\n"));
        }
        output::err(&blockers::render(&self.blockers));
        if let Verdict::NoAnswer(
            Inconclusive::Cancelled | Inconclusive::OutOfTime | Inconclusive::OutOfMemory,
        ) = self.verdict
        {
            output::err(&format!("stopped: {}\n", counts(&self.stats)));
        }
        let mut text = match args.format {
            Format::Json => format!("{}\n", self.to_json(args.property())),
            Format::Text => {
                let lanes = self.counterexample.as_ref().map(|l| lanes::render(l, Look::of_stdout()));
                let reasons =
                    self.explanation.as_ref().map(|e| invariants::render(e, args.property().name()));
                lanes.or(reasons).map(|text| text + "\n").unwrap_or_default()
            }
        };
        if args.stats {
            text.push_str(&format!("stats: {}\n", json::stats(&self.stats)));
        }
        text.push_str(&format!("verdict: {}\n", self.verdict));
        output::out(&text);
    }

    fn to_json(&self, property: Property) -> serde_json::Value {
        json!({
            "verdict": self.verdict.to_string(),
            "property": property.name(),
            "reason": self.verdict.reason(),
            "exit_code": self.verdict.exit() as i32,
            "counterexample": self.counterexample.as_ref().map(json::lanes),
            "explanation": self.explanation.as_ref().map(json::explanation),
            "assumptions": self.assumptions,
            "blockers": blockers::to_json(&self.blockers),
            "diagnostics": self.diagnostics.iter().map(json::diagnostic).collect::<Vec<_>>(),
            "stats": json::stats(&self.stats),
        })
    }
}
