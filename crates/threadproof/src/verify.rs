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
use base::stats::Figure;
use base::{Budget, Stats, Stop};
use certify::{Outcome, Proof, Trace};
use engines::impact::{Por, Worklist};
use engines::termination::{Versions, Who};
use engines::ufo::Post;
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
    let source = match load::Source::read(&args.files, &args.source) {
        Ok(source) => source,
        Err(diagnostics) => {
            report.diagnostics = diagnostics;
            return report;
        }
    };
    let loaded = source.load(Some(args.property));
    report.diagnostics = loaded.diagnostics;
    let Some(program) = loaded.program else { return report };
    report.assumptions = load::assumptions(&program);
    let (outcome, program) = match args.property {
        Property::Termination => terminates(program, &source, args, budget, &mut report),
        _ => (search(&program, args, budget, &mut report.stats), program),
    };
    let checked = match outcome {
        Outcome::Safe(proof) => {
            if !matches!(proof, Proof::Explored(_)) {
                // SOUNDNESS: A20
                report
                    .assumptions
                    .push("no access is outside of the objects that its address can mean".to_owned());
            }
            let start = Instant::now();
            let checked = certify::check_proof(&program, args.property, &proof, budget);
            report.stats.measure("check_s", start.elapsed().as_secs_f64());
            if args.explain && checked.is_ok() {
                let mut sources = Sources::new(&args.files);
                report.explanation = Some(explain(&program, args.property, &proof, &mut sources, budget));
            }
            checked.map(|()| Verdict::Holds)
        }
        Outcome::Unsafe(trace) => replayed(&program, args, trace).map(|(lanes, chosen)| {
            report.counterexample = Some(lanes);
            report.assumptions.extend(chosen);
            Verdict::Violated(args.property)
        }),
        Outcome::Unknown(stop) => Err(stop),
    };
    report.verdict = checked.unwrap_or_else(|stop| {
        report.blockers = blockers(&loaded.gaps, &stop);
        Verdict::NoAnswer(stop)
    });
    report
}

fn search(program: &Program, args: &VerifyArgs, budget: &Budget, stats: &mut Stats) -> Outcome {
    match args.search.engine {
        EngineName::Explore => explore(program, args, budget, stats),
        EngineName::Impact => impact(program, args, budget, stats),
        EngineName::Redcomp => redcomp(program, args, budget, stats),
        EngineName::Cpa => cpa(program, args, budget, stats),
        EngineName::Ufo => ufo(program, args, budget, stats),
        EngineName::Auto => engines::portfolio::verify(program, args.property, budget, stats),
    }
}

/// Termination, and the version of the program that the answer is about.
fn terminates(
    program: Program,
    source: &load::Source,
    args: &VerifyArgs,
    budget: &Budget,
    report: &mut Report,
) -> (Outcome, Program) {
    let stats = &mut report.stats;
    let who = match args.search.engine {
        EngineName::Auto => Who::Everybody,
        EngineName::Explore => Who::Explorer,
        EngineName::Redcomp => Who::Ranks { reduction: args.search.reduction == Switch::On },
        EngineName::Impact | EngineName::Cpa | EngineName::Ufo => {
            return (search(&program, args, budget, stats), program);
        }
    };
    // SOUNDNESS: A25. The same files, with checks for overflow as for that property.
    let Some(checked) = source.load(Some(Property::NoOverflow)).program else {
        let why = "checks for overflow".to_owned();
        return (Outcome::Unknown(Stop::Unsupported(why)), program);
    };
    let versions = Versions { wrapping: &program, checked: &checked };
    let answer = engines::termination::verify(versions, who, budget, stats);
    if answer.checked && matches!(answer.outcome, Outcome::Safe(_)) {
        report.assumptions.push("no signed arithmetic overflows".to_owned());
    }
    (answer.outcome, if answer.checked { checked } else { program })
}

fn explore(program: &Program, args: &VerifyArgs, budget: &Budget, stats: &mut Stats) -> Outcome {
    stats.name("engine", "explore");
    engines::explore::verify(program, args.property, &engines::explore::Options::default(), budget, stats)
}

fn impact(program: &Program, args: &VerifyArgs, budget: &Budget, stats: &mut Stats) -> Outcome {
    stats.name("engine", "impact");
    let por = match args.search.por {
        PorName::None => Por::None,
        PorName::Spor | PorName::Local => Por::Spor,
        PorName::Dpor => Por::Dpor,
    };
    let worklist = match args.search.worklist {
        WorklistName::Cost => Worklist::Cost,
        WorklistName::Dfs => Worklist::Depth,
        WorklistName::Bfs => Worklist::Breadth,
        WorklistName::Switches => Worklist::Switches,
    };
    let force_cover = args.search.force_cover == Switch::On;
    let options = engines::impact::Options { por, force_cover, worklist };
    engines::impact::verify(program, args.property, &options, budget, stats)
}

fn ufo(program: &Program, args: &VerifyArgs, budget: &Budget, stats: &mut Stats) -> Outcome {
    stats.name("engine", "ufo");
    let post = match args.search.post {
        PostName::None => Post::None,
        PostName::Cartesian => Post::Cartesian,
        PostName::Boolean => Post::Boolean,
    };
    let interpolate = args.search.interpolate == Switch::On;
    let options = engines::ufo::Options { post, interpolate, sleep: args.search.por == PorName::Dpor };
    engines::ufo::verify(program, args.property, &options, budget, stats)
}

fn cpa(program: &Program, args: &VerifyArgs, budget: &Budget, stats: &mut Stats) -> Outcome {
    use engines::cpa;
    stats.name("engine", "cpa");
    let domain = match args.search.domain {
        DomainName::Value => cpa::DomainName::Value,
        DomainName::Interval => cpa::DomainName::Interval,
        DomainName::Bdd => cpa::DomainName::Bdd,
    };
    let order = match args.search.waitlist {
        WaitlistName::Dfs => cpa::Order::Dfs,
        WaitlistName::Bfs => cpa::Order::Bfs,
        WaitlistName::Threads => cpa::Order::Threads,
    };
    let (partition, local) = (args.search.partition == Switch::On, args.search.por != PorName::None);
    let options = cpa::Options { domain, order, partition, local };
    cpa::verify(program, args.property, &options, budget, stats)
}

fn redcomp(program: &Program, args: &VerifyArgs, budget: &Budget, stats: &mut Stats) -> Outcome {
    stats.name("engine", "redcomp");
    let reduction = args.search.reduction == Switch::On;
    let options = engines::redcomp::Options { reduction, ..engines::redcomp::Options::default() };
    engines::redcomp::verify(program, args.property, &options, budget, stats)
}

/// Checks a counterexample, then tells it, and what it takes for granted about undefined functions.
fn replayed(program: &Program, args: &VerifyArgs, trace: Trace) -> Result<(Lanes, Vec<String>), Stop> {
    if trace.property != args.property {
        let what = format!("a trace about {} answers no question about {}", trace.property, args.property);
        return Err(Stop::CheckFailed(what));
    }
    let replay = certify::replay(program, &trace)?;
    let (trace, replay) = calm(program, trace, replay);
    let interp = Interp::new(program)?;
    let mut sources = Sources::new(&args.files);
    let chosen = chosen_results(program, &replay);
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
            Figure::Count(n) => stats.add(name, *n),
            Figure::Measure(x) => stats.measure(name, *x),
            Figure::Name(text) => stats.name(name, text),
        }
    }
    stats
}

/// How far a search came.
fn counts(stats: &Stats) -> String {
    let counted = stats.iter().filter_map(|(name, figure)| match figure {
        Figure::Count(n) if *n > 0 => Some(format!("{n} {}", name.replace('_', " "))),
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
        if let Verdict::NoAnswer(Stop::Cancelled | Stop::OutOfTime | Stop::OutOfMemory) = self.verdict {
            output::err(&format!("stopped: {}\n", counts(&self.stats)));
        }
        let mut text = match args.format {
            Format::Json => format!("{}\n", self.to_json(args.property)),
            Format::Text => {
                let lanes = self.counterexample.as_ref().map(|l| lanes::render(l, Look::of_stdout()));
                let reasons = self.explanation.as_ref().map(|e| invariants::render(e, args.property.name()));
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
