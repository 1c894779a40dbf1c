//! Random small threaded programs: every engine, in every configuration, agrees with exhaustive exploration, and every answer
//! passes its check.
//!
//! A few programs are tried in every run of the tests. For a long run and its settings
//! see [`testkit::settings`].
//!
//! A long run asks every configuration of an engine about every program; a short one only some of them about each.
//!
//! A disagreement is made as small as possible before it is shown. No answer is no disagreement, but counted, and the seeds
//! that the full configuration does not answer are listed.

use base::{Budget, Inconclusive, Stats};
use engines::cpa::{DomainName, Order};
use engines::impact::{Options, Por, Worklist};
use engines::{Engine, Task};
use evidence::Outcome;
use program::passes::Overflow;
use program::{Program, Property};
use std::collections::BTreeMap;
use std::io::Write;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};
use testkit::settings;
use testkit::threads::{self, Generated, Size};

/// An engine and how it is set up.
struct Configuration {
    name: String,
    engine: Box<dyn Engine>,
}

impl Configuration {
    fn new(name: String, engine: impl Engine + 'static) -> Self {
        Self { name: name.to_lowercase(), engine: Box::new(engine) }
    }

    /// What all others are compared with: without any reduction.
    fn explore() -> Self {
        let options =
            engines::explore::Options { max_states: MOST_STATES, reduction: false, ..Default::default() };
        Self::new("explore".to_owned(), options)
    }

    fn reduced_explore() -> Self {
        let options = engines::explore::Options { max_states: MOST_STATES, ..Default::default() };
        Self::new("reduced explore".to_owned(), options)
    }

    fn impact(options: Options) -> Self {
        let Options { por, force_cover, worklist } = options;
        let force = if force_cover { "+force" } else { "" };
        Self::new(format!("impact {por:?}{force} by {worklist:?}"), options)
    }

    /// Without looking for violations.
    fn redcomp(reduction: bool) -> Self {
        let options = engines::redcomp::Options { reduction, search_violation: false };
        Self::new(format!("redcomp reduction {reduction}"), options)
    }

    fn cpa(options: engines::cpa::Options) -> Self {
        Self::new(format!("cpa {:?} local {}", options.domain, options.local), options)
    }
}

const FULL: Options = Options { por: Por::Dpor, force_cover: true, worklist: Worklist::Cost };

/// All that are asked about the program of a seed: every reduction of Impact, and with the full one another order; of the other
/// engines every configuration, or those that this seed selects.
fn configurations(seed: u64, wishes: &Wishes) -> Vec<Configuration> {
    let selected = |n: usize, of: usize| wishes.every || seed as usize % of == n;
    let mut all = vec![Configuration::impact(FULL), Configuration::reduced_explore()];
    for (por, force_cover) in
        [(Por::Dpor, false), (Por::Spor, true), (Por::Spor, false), (Por::None, true), (Por::None, false)]
    {
        all.push(Configuration::impact(Options { por, force_cover, ..FULL }));
    }
    let worklist = [Worklist::Depth, Worklist::Breadth, Worklist::Switches][seed as usize % 3];
    all.push(Configuration::impact(Options { worklist, force_cover: seed.is_multiple_of(2), ..FULL }));
    let ufo = &engines::ufo::Options::CONFIGURATIONS;
    for (_, (name, options)) in ufo.iter().enumerate().filter(|(n, _)| selected(*n, ufo.len())) {
        all.push(Configuration::new(format!("ufo {name}"), *options));
    }
    for (_, reduction) in [true, false].into_iter().enumerate().filter(|(n, _)| selected(*n, 2)) {
        all.push(Configuration::redcomp(reduction));
    }
    for (_, local) in [true, false].into_iter().enumerate().filter(|(n, _)| selected(*n, 2)) {
        for domain in [DomainName::Value, DomainName::Interval, DomainName::Bdd] {
            let partition = !seed.is_multiple_of(5);
            let order = [Order::Threads, Order::Dfs, Order::Bfs][seed as usize % 3];
            all.push(Configuration::cpa(engines::cpa::Options { domain, order, partition, local }));
        }
    }
    all.retain(|c| c.engine.supports(wishes.property));
    if let Some(wanted) = settings::parsed::<String>("THREADPROOF_ENGINE") {
        let wanted = wanted.to_lowercase();
        all.retain(|c| wanted.split(',').any(|name| c.name.starts_with(name)));
    }
    all
}

/// What exploration gives up on: a count, so that the same programs are compared on every machine,
const MOST_STATES: usize = 30_000;
/// with a time limit that should never matter.
const GENEROUS: Duration = Duration::from_secs(60);

/// An answer: whether the property holds, or why there is none.
type Answer = Result<bool, Inconclusive>;

/// Asks and checks the answer; an error is a bug.
fn ask(
    program: &Program,
    configuration: &Configuration,
    property: Property,
    time: Duration,
) -> Result<Answer, String> {
    let asked = catch_unwind(AssertUnwindSafe(|| {
        let (budget, mut stats) = (Budget::new(Some(time), None), Stats::default());
        // What the exploration of an engine's program costs is limited by states.
        let budget = if configuration.name == "explore" { Budget::new(Some(GENEROUS), None) } else { budget };
        configuration.engine.run(&Task::new(program, property, &budget), &mut stats)
    }));
    let checking = Budget::new(Some(10 * time), None);
    match asked.map_err(|_| "panics".to_owned())? {
        Outcome::Safe(proof) => match certify::check_proof(program, property, &proof, &checking) {
            Ok(()) => Ok(Ok(true)),
            Err(Inconclusive::CheckFailed(why)) => Err(format!("has a proof that fails its check: {why}")),
            Err(stop) => Ok(Err(stop)),
        },
        Outcome::Unsafe(trace) => match certify::replay(program, &trace) {
            Ok(_) => Ok(Ok(false)),
            Err(why) => Err(format!("has a trace that does not replay: {why}")),
        },
        Outcome::UnsafeGraph(_) => unreachable!("under sequential consistency a violation is a trace"),
        Outcome::Unknown(Inconclusive::CheckFailed(why)) => Err(format!("fails: {why}")),
        Outcome::Unknown(stop) => Ok(Err(stop)),
    }
}

fn parsed(text: &str) -> Result<Program, String> {
    let loaded = frontend::load_text("random.i", text, &frontend::Options::default());
    let program = loaded.program.ok_or_else(|| format!("is no program: {:?}", loaded.diagnostics))?;
    Ok(program.with(Overflow::Wraps))
}

/// What is wrong with a configuration's answer about a program, if anything.
fn trouble(generated: &Generated, configuration: &Configuration, wishes: &Wishes) -> Option<String> {
    let Wishes { property, time, .. } = *wishes;
    let program = match parsed(&generated.text()) {
        Ok(program) => program,
        Err(_) => return None,
    };
    let found = match ask(&program, configuration, property, time) {
        Err(bug) => return Some(bug),
        Ok(Err(_)) => return None,
        Ok(Ok(found)) => found,
    };
    match ask(&program, &Configuration::explore(), property, time) {
        Ok(Ok(truth)) if truth != found => Some(format!("says {found}, exploration says {truth}")),
        _ => None,
    }
}

/// What a run has seen so far.
#[derive(Default)]
struct Tally {
    n_programs: u64,
    n_questions: u64,
    holds: u64,
    violated: u64,
    /// Programs that exploration does not decide, by reason.
    undecided: BTreeMap<String, u64>,
    /// Questions without an answer, by configuration and reason.
    unanswered: BTreeMap<(String, String), u64>,
    /// The seeds that the full configuration does not answer, with the reason.
    open_seeds: Vec<(u64, String)>,
    /// How often each kind of bug was met.
    bugs: BTreeMap<String, usize>,
    /// Programs that show them.
    failures: Vec<String>,
}

impl Tally {
    fn n_unanswered(&self) -> u64 {
        self.unanswered.values().sum()
    }

    fn summary(&self) -> String {
        let Tally { n_programs, n_questions, holds, violated, .. } = self;
        let mut text = format!(
            "{n_programs} programs: {holds} hold, {violated} are violated; {n_questions} questions\n"
        );
        for (bug, n) in &self.bugs {
            text.push_str(&format!("  {n} times: an engine {bug}\n"));
        }
        for (reason, n) in &self.undecided {
            text.push_str(&format!("  {n} not decided by exploration: {reason}\n"));
        }
        for ((configuration, reason), n) in &self.unanswered {
            text.push_str(&format!("  {n} not answered by {configuration}: {reason}\n"));
        }
        let seeds: Vec<String> = self.open_seeds.iter().map(|(s, why)| format!("{s} ({why})")).collect();
        text.push_str(&format!("  seeds that the full configuration leaves open: {}\n", seeds.join(", ")));
        text
    }
}

/// The kind of a reason, without what is particular to a program.
fn kind(stop: &Inconclusive) -> String {
    stop.to_string().split([':', '`']).next().unwrap_or_default().trim().to_owned()
}

/// The same for bugs: names of variables and numbers do not count.
fn bug_kind(bug: &str) -> String {
    let words = bug.split_whitespace().filter(|word| !word.contains(|c: char| c.is_ascii_digit()));
    words.collect::<Vec<_>>().join(" ")
}

/// What is asked for in the environment.
struct Wishes {
    property: Property,
    seeds: Range<u64>,
    shard: (u64, u64),
    size: Size,
    time: Duration,
    keep: Option<std::path::PathBuf>,
    /// True if every configuration is asked about every program.
    every: bool,
    speaks: bool,
}

impl Wishes {
    fn from_env() -> Self {
        let named = |name: String| Property::ALL.into_iter().find(|(_, known)| *known == name);
        let property = settings::parsed("THREADPROOF_PROPERTY")
            .map(|name: String| named(name).expect("THREADPROOF_PROPERTY should name a property").0);
        let size = Size::of(settings::parsed("THREADPROOF_SIZE").unwrap_or(1));
        Self {
            property: property.unwrap_or(Property::UnreachCall),
            seeds: settings::seeds(20),
            shard: settings::shard(),
            size: Size { threads: settings::parsed("THREADPROOF_THREADS").unwrap_or(size.threads), ..size },
            time: settings::time_limit(Duration::from_millis(300)),
            keep: settings::folder("THREADPROOF_KEEP"),
            every: settings::is_long(),
            speaks: settings::is_long(),
        }
    }

    /// Says something at once, where the test runner would keep it back.
    fn say(&self, text: &str) {
        if self.speaks {
            let _ = std::io::stderr().write_all(text.as_bytes());
        }
    }
}

/// After so many programs that show bugs a run has told enough,
const MOST_FAILURES: usize = 30;
/// and about one kind of bug after so many.
const MOST_OF_A_KIND: usize = 3;

fn run(wishes: &Wishes) -> Tally {
    let (mut tally, start, mut said) = (Tally::default(), Instant::now(), Instant::now());
    let (k, n) = wishes.shard;
    for seed in wishes.seeds.clone().filter(|seed| seed % n == k % n) {
        one(seed, wishes, &mut tally);
        if tally.failures.len() >= MOST_FAILURES {
            break;
        }
        if said.elapsed() > Duration::from_secs(10) {
            said = Instant::now();
            let (done, open) = (tally.n_programs, tally.n_unanswered());
            let bugs: usize = tally.bugs.values().sum();
            let seconds = start.elapsed().as_secs();
            wishes.say(&format!(
                "seed {seed}: {done} programs in {seconds} s, {open} questions unanswered, {bugs} bugs\n"
            ));
        }
    }
    wishes.say(&tally.summary());
    tally
}

fn one(seed: u64, wishes: &Wishes, tally: &mut Tally) {
    let generated = threads::generate(seed, wishes.size);
    tally.n_programs += 1;
    let program = match parsed(&generated.text()) {
        Ok(program) => program,
        Err(why) => return tally.failures.push(format!("seed {seed} {why} in\n{}", generated.text())),
    };
    let truth = match ask(&program, &Configuration::explore(), wishes.property, wishes.time) {
        Err(bug) => return failed(seed, &generated, &Configuration::explore(), &bug, wishes, tally),
        Ok(Err(stop)) => {
            *tally.undecided.entry(kind(&stop)).or_default() += 1;
            return;
        }
        Ok(Ok(truth)) => truth,
    };
    *(if truth { &mut tally.holds } else { &mut tally.violated }) += 1;
    for (n, configuration) in configurations(seed, wishes).iter().enumerate() {
        tally.n_questions += 1;
        match ask(&program, configuration, wishes.property, wishes.time) {
            Err(bug) => failed(seed, &generated, configuration, &bug, wishes, tally),
            Ok(Ok(found)) if found == truth => {}
            Ok(Ok(found)) => {
                let bug = format!("says {found}, exploration says {truth}");
                failed(seed, &generated, configuration, &bug, wishes, tally);
            }
            Ok(Err(stop)) => {
                *tally.unanswered.entry((configuration.name.clone(), kind(&stop))).or_default() += 1;
                if n == 0 {
                    tally.open_seeds.push((seed, stop.to_string()));
                }
            }
        }
    }
}

/// Makes the program smaller and keeps it.
fn failed(
    seed: u64,
    generated: &Generated,
    configuration: &Configuration,
    bug: &str,
    wishes: &Wishes,
    tally: &mut Tally,
) {
    let name = configuration.name.clone();
    let n_met = tally.bugs.entry(bug_kind(bug)).or_default();
    *n_met += 1;
    if *n_met > MOST_OF_A_KIND {
        return;
    }
    wishes.say(&format!("seed {seed}: {name} {bug}\n"));
    let small = threads::shrink(generated, |g| trouble(g, configuration, wishes).is_some());
    let bug = trouble(&small, configuration, wishes).unwrap_or_else(|| bug.to_owned());
    let truth =
        parsed(&small.text()).and_then(|p| ask(&p, &Configuration::explore(), wishes.property, wishes.time));
    let expected = match truth {
        Ok(Ok(truth)) => format!("// expect: {} {truth}", wishes.property.name()),
        other => format!("// exploration: {other:?}"),
    };
    let text =
        small.file(&format!("// Random program {seed}, made smaller: {name} {bug}.\n//\n{expected}\n"));
    wishes.say(&text);
    if let Some(folder) = &wishes.keep {
        let path = folder.join(format!("seed_{seed}_{}.c", name.replace([' ', '+'], "_")));
        if let Err(error) = std::fs::write(&path, &text) {
            wishes.say(&format!("cannot write {}: {error}\n", path.display()));
        }
    }
    tally.failures.push(text);
}

#[test]
fn every_configuration_agrees_with_exploration() {
    let wishes = Wishes::from_env();
    let tally = run(&wishes);
    assert!(tally.failures.is_empty(), "{}\n{}", tally.failures.join("\n"), tally.summary());
    let n = tally.n_programs;
    assert!(tally.holds > n / 20 && tally.violated > n / 20, "this tests too little: {}", tally.summary());
    // How many are answered in time depends on the machine; that most are not would be news.
    assert!(tally.n_unanswered() * 6 < tally.n_questions * 5, "this answers too little: {}", tally.summary());
}

/// Properties of states, for which the reduced searches have to pass through every state in question.
#[test]
fn deadlocks_and_races_are_those_of_exploration() {
    for property in [Property::NoDeadlock, Property::NoDataRace] {
        let wishes = Wishes { property, ..Wishes::from_env() };
        let tally = run(&wishes);
        assert!(tally.failures.is_empty(), "{}\n{}", tally.failures.join("\n"), tally.summary());
        assert!(
            tally.n_unanswered() * 6 < tally.n_questions * 5,
            "this answers too little: {}",
            tally.summary()
        );
    }
}

/// The shrinker, on something that is easy to see.
#[test]
fn shrinking_keeps_what_matters() {
    let mut n_found = 0;
    for seed in 1..200 {
        let generated = threads::generate(seed, Size::of(4));
        if !mentions_wait(&generated) {
            continue;
        }
        n_found += 1;
        let small = threads::shrink(&generated, mentions_wait);
        let lines = small.threads.iter().map(|t| t.body.len()).sum::<usize>() + small.main.len();
        assert!(
            mentions_wait(&small) && lines == 1,
            "{lines} statements are left of seed {seed}:\n{}",
            small.text()
        );
    }
    assert!(n_found > 5, "only {n_found} programs wait");
}

fn mentions_wait(generated: &Generated) -> bool {
    generated.text().contains("pthread_cond_wait(&c")
}

/// Every feature that the generator's documentation lists occurs, and every program is one.
#[test]
fn programs_have_all_features() {
    let texts: Vec<String> = (1..400).map(|seed| threads::generate(seed, Size::SMALL).text()).collect();
    for text in &texts {
        assert!(parsed(text).is_ok(), "{:?}\n{text}", parsed(text));
    }
    for feature in [
        "a[t & 1]",
        "ss[",
        "r->",
        "both.part",
        "local",
        "p = ",
        "q = ",
        "malloc(sizeof",
        "set(",
        "add(",
        "trylock(k)",
        "pthread_cond_wait(&c",
        "pthread_cond_broadcast(&c",
        "__atomic_",
        "__sync_",
        "v += 1",
        "_atomic_begin();\n",
        "__VERIFIER_assume(x",
        "nondet_bool();",
        "while (",
        "for (int i = 0; i < 2; i++) pthread_create",
        ", &u);",
        "(long)res",
        "(t ? &m : &n)",
        "__VERIFIER_atomic_exchange(&",
    ] {
        assert!(texts.iter().any(|t| t.contains(feature)), "{feature} should occur");
    }
}
