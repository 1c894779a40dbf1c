//! `verify` on every annotated C program of the repository: one test for each program and configuration of an engine.
//!
//! ```sh
//! cargo test -p threadproof --test programs                              # all
//! cargo test -p threadproof --test programs -- philosophers              # programs by name, in all configurations
//! cargo test -p threadproof --test programs -- ::impact                  # a configuration, on all programs
//! cargo test -p threadproof --test programs -- --exact locks/spinlock.c::explore
//! ```
//!
//! The opposite of what a program expects is always a failure, and so is an answer that fails its check. `unknown` is a failure
//! where the [`Configuration`] has to answer: [`testkit::corpus`] explains the annotation that excuses it.
//!
//! No verdict is decided by speed. Who has to answer gets [`GENEROUS`] time, many times what it needs; who need not gets
//! little, and passes however far it comes.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should fail")]

mod common;

use common::{last_line, stderr, stdout, threadproof};
use libtest_mimic::{Arguments, Failed, Trial};
use testkit::corpus::{self, Annotated};

/// The time limit where an answer is required.
const GENEROUS: &str = "120s";

/// Folders of programs about what the front end makes of C. To the engines they are programs like all others, so that one engine for states and one for
/// formulas are enough.
const FRONT_END: [&str; 5] = ["assembly/", "declarations/", "intrinsics/", "language/", "library/"];

/// What an engine decides.
const STATES: &[&str] = &[
    "unreach-call",
    "no-deadlock",
    "no-data-race",
    "no-overflow",
    "valid-memsafety",
    "valid-deref",
    "valid-free",
    "valid-memtrack",
    "valid-memcleanup",
    "undefined-behaviour",
];
const STATES_AND_TERMINATION: &[&str] = &[
    "unreach-call",
    "no-deadlock",
    "no-data-race",
    "no-overflow",
    "valid-memsafety",
    "valid-deref",
    "valid-free",
    "valid-memtrack",
    "valid-memcleanup",
    "undefined-behaviour",
    "termination",
];

/// An engine with its options, and what is asked of it.
#[derive(Clone, Copy)]
struct Configuration {
    /// How tests name it.
    name: &'static str,
    /// The arguments after `--engine`.
    arguments: &'static str,
    /// The programs, as the beginning of their names.
    below: &'static str,
    properties: &'static [&'static str],
    demand: Demand,
}

#[derive(Clone, Copy)]
enum Demand {
    /// There has to be an answer, unless the program says that this engine has none.
    Answer,
    /// `unknown` is always good enough; the time limit.
    NoWrongAnswer(&'static str),
}

const fn soundness(
    name: &'static str,
    arguments: &'static str,
    below: &'static str,
    time: &'static str,
) -> Configuration {
    Configuration { name, arguments, below, properties: STATES, demand: Demand::NoWrongAnswer(time) }
}

const fn precision(
    name: &'static str,
    arguments: &'static str,
    below: &'static str,
    properties: &'static [&'static str],
) -> Configuration {
    Configuration { name, arguments, below, properties, demand: Demand::Answer }
}

const CONFIGURATIONS: &[Configuration] = &[
    precision("explore", "explore", "", STATES_AND_TERMINATION),
    precision("auto-races", "auto", "", &["no-data-race"]),
    precision("auto-termination", "auto", "termination/", &["termination"]),
    soundness("impact", "impact", "", "600ms"),
    soundness("ufo", "ufo", "", "200ms"),
    soundness("cpa-value", "cpa --domain value", "", "200ms"),
    soundness("cpa-interval", "cpa --domain interval", "", "200ms"),
    soundness("cpa-bdd", "cpa --domain bdd", "", "200ms"),
    Configuration { properties: STATES_AND_TERMINATION, ..soundness("redcomp", "redcomp", "", "200ms") },
    // Programs on which a literal reading of a published algorithm gives a wrong answer: Impact in every configuration.
    precision("impact-answers", "impact", "traps/", &["unreach-call"]),
    soundness("impact-dpor-no-force", "impact --force-cover off", "traps/", "250ms"),
    soundness("impact-spor", "impact --por spor", "traps/", "250ms"),
    soundness("impact-spor-no-force", "impact --por spor --force-cover off", "traps/", "250ms"),
    soundness("impact-full", "impact --por none", "traps/", "250ms"),
    soundness("impact-full-no-force", "impact --por none --force-cover off", "traps/", "250ms"),
    soundness("impact-dfs", "impact --worklist dfs", "traps/", "250ms"),
    soundness("impact-bfs", "impact --worklist bfs", "traps/", "250ms"),
    soundness("impact-switches", "impact --worklist switches", "traps/", "250ms"),
    soundness("impact-dfs-no-force", "impact --worklist dfs --force-cover off", "traps/", "250ms"),
    soundness("impact-bfs-no-force", "impact --worklist bfs --force-cover off", "traps/", "250ms"),
    soundness("impact-switches-no-force", "impact --worklist switches --force-cover off", "traps/", "250ms"),
    // The five configurations of the paper on UFO; `ufo` above is the second of them.
    soundness("ufo-refine", "ufo --post none", "sequential/", "500ms"),
    soundness("ufo-boolean", "ufo --post boolean", "sequential/", "500ms"),
    soundness("ufo-predicates", "ufo --interpolate off", "sequential/", "500ms"),
    soundness("ufo-boolean-predicates", "ufo --post boolean --interpolate off", "sequential/", "500ms"),
];

impl Configuration {
    /// The engine's name, which annotations use.
    fn engine(&self) -> &'static str {
        self.arguments.split(' ').next().unwrap_or_default()
    }

    /// What this configuration is asked about a program.
    fn queries<'p>(&self, program: &'p Annotated) -> Vec<(&'p str, bool)> {
        if !program.name.starts_with(self.below) {
            return Vec::new();
        }
        let is_main = ["explore", "auto-races", "impact"].contains(&self.name);
        if !is_main && FRONT_END.iter().any(|folder| program.name.starts_with(folder)) {
            return Vec::new();
        }
        // Counting through billions of states teaches nothing; the default decides these.
        let hopeless = |property: &str| {
            property == "termination" && self.engine() == "explore" && program.is_unknown_to("explore")
        };
        let expectations = program.expectations.iter().map(|(property, holds)| (property.as_str(), *holds));
        expectations.filter(|(p, _)| self.properties.contains(p) && !hopeless(p)).collect()
    }

    /// The time limit, and whether `unknown` is good enough.
    fn limit(&self, program: &Annotated) -> (&'static str, bool) {
        match self.demand {
            Demand::NoWrongAnswer(time) => (time, true),
            Demand::Answer if program.is_unknown_to(self.engine()) => ("1s", true),
            Demand::Answer => (GENEROUS, false),
        }
    }

    /// Runs the engine on a program; an error says what is wrong with its answer.
    fn check(&self, program: &Annotated, (property, holds): (&str, bool)) -> Result<(), String> {
        let (time, may_be_unknown) = self.limit(program);
        let mut command = threadproof();
        command.args(["verify", "--timeout", time, "--property", property, "--engine"]);
        command.args(self.arguments.split(' '));
        if let Some(model) = &program.data_model {
            command.args(["--data-model", model]);
        }
        let output = command.args(&program.options).arg(&program.path).output().unwrap();
        let verdict = last_line(&output);
        let verdict = verdict.strip_prefix("verdict: ").unwrap_or(&verdict);
        let wanted = if holds { "true".to_owned() } else { format!("false({property})") };
        // A check that fails is a bug, not a lack of an answer.
        let unknown = verdict.starts_with("unknown(") && !verdict.starts_with("unknown(check failed");
        let allowed = may_be_unknown || verdict.starts_with("unknown(unsupported: property");
        let code = output.status.code();
        // A conjunction is violated by one of its parts.
        let parts: &[&str] = match property {
            "valid-memsafety" => &["valid-deref", "valid-free", "valid-memtrack"],
            "undefined-behaviour" => &["valid-deref", "valid-free", "no-data-race"],
            // A use of a freed object may come first, and is an answer whatever is asked.
            "no-data-race" => &["valid-deref", "valid-free"],
            _ => &[],
        };
        let by_part = !holds && parts.iter().any(|part| verdict == format!("false({part})"));
        if verdict == wanted || by_part || (unknown && allowed && code == Some(3)) {
            return Ok(());
        }
        let printed = stdout(&output) + &stderr(&output);
        Err(format!("{property} should be {wanted}, is {verdict} (exit code {code:?})\n{printed}"))
    }
}

/// What a program expects under weak memory models. Where the interpreter has store buffers, there has to be an answer.
fn weak_trials(program: &Annotated) -> Vec<Trial> {
    let trial = |(model, property, holds): &(String, String, bool)| {
        let name = format!("{}::{model}::{property}", program.name);
        let (program, model, property, holds) = (program.clone(), model.clone(), property.clone(), *holds);
        Trial::test(name, move || check_weak(&program, &model, &property, holds).map_err(Failed::from))
    };
    program.weak.iter().map(trial).collect()
}

fn check_weak(program: &Annotated, model: &str, property: &str, holds: bool) -> Result<(), String> {
    let output = threadproof()
        .args(["verify", "--timeout", GENEROUS, "--memory-model", model, "--property", property])
        .arg(&program.path)
        .output()
        .unwrap();
    let verdict = last_line(&output);
    let wanted = if holds { "verdict: true".to_owned() } else { format!("verdict: false({property})") };
    let unknown = verdict.starts_with("verdict: unknown(") && !verdict.contains("check failed");
    let excused = !matches!(model, "tso" | "pso") || program.is_unknown_to(model);
    if verdict == wanted || unknown && excused {
        return Ok(());
    }
    Err(format!("{property} under {model} should be {wanted}, is {verdict}\n{}", stderr(&output)))
}

fn main() {
    let arguments = Arguments::from_args();
    let programs = corpus::programs();
    let mut trials = Vec::new();
    for program in &programs {
        for configuration in CONFIGURATIONS {
            let queries = configuration.queries(program);
            if queries.is_empty() {
                continue;
            }
            let queries: Vec<_> = queries.into_iter().map(|(p, holds)| (p.to_owned(), holds)).collect();
            let name = format!("{}::{}", program.name, configuration.name);
            let program = program.clone();
            let run = move || -> Result<(), Failed> {
                for (property, holds) in &queries {
                    configuration.check(&program, (property, *holds))?;
                }
                Ok(())
            };
            trials.push(Trial::test(name, run));
        }
    }
    trials.extend(programs.iter().flat_map(weak_trials));
    libtest_mimic::run(&arguments, trials).exit();
}
