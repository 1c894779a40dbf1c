//! The interpreter's store buffers against outcome sets of small programs that were computed from the published definitions: classic litmus shapes
//! and random programs, each under SC, TSO and PSO. The same programs hold the lemmas about robustness against the buffers.
//!
//! `THREADPROOF_LITMUS` names a file with more programs in the same form.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should fail")]

use base::{Budget, Stats};
use engines::explore::{Options, explore};
use program::{MemoryModel, Program, Property};
use std::collections::{BTreeMap, BTreeSet};
use weak::buffered::Full;

/// A program in the short form of the data file, and its outcomes by model.
struct Case {
    name: String,
    threads: Vec<Vec<String>>,
    outcomes: BTreeMap<String, BTreeSet<String>>,
}

fn cases() -> Vec<Case> {
    let mut text = include_str!("data/store_buffers.txt").to_owned();
    if let Ok(file) = std::env::var("THREADPROOF_LITMUS") {
        text.push_str(&std::fs::read_to_string(file).unwrap());
    }
    let mut cases: Vec<Case> = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
        if let Some(name) = line.strip_prefix("case ") {
            let (threads, outcomes) = (Vec::new(), BTreeMap::new());
            cases.push(Case { name: name.to_owned(), threads, outcomes });
            continue;
        }
        let case = cases.last_mut().unwrap();
        let (head, rest) = line.split_once(':').unwrap();
        if head.starts_with('P') {
            case.threads
                .push(rest.split(';').map(|i| i.trim().to_owned()).filter(|i| !i.is_empty()).collect());
        } else {
            let outcomes = rest.split('|').map(|outcome| outcome.trim().to_owned());
            case.outcomes.insert(head.to_owned(), outcomes.collect());
        }
    }
    cases
}

fn order(name: &str) -> &str {
    match name {
        "na" => "plain",
        "ar" => "acq_rel",
        other => other,
    }
}

fn fence(name: &str) -> &str {
    match name {
        "sc" | "mfence" | "sync" => "sc",
        "ar" | "lwsync" => "acq_rel",
        "stbar" => "store",
        other => other,
    }
}

impl Case {
    fn registers(&self, thread: usize) -> BTreeSet<&str> {
        fn register(instruction: &str) -> Option<&str> {
            let mut words = instruction.split(' ');
            let reads = matches!(words.next(), Some("R" | "RMW" | "CAS"));
            words.nth(1).filter(|_| reads)
        }
        self.threads[thread].iter().filter_map(|instruction| register(instruction)).collect()
    }

    fn cells(&self) -> BTreeSet<&str> {
        let accesses = self.threads.iter().flatten().filter(|i| !i.starts_with('F'));
        accesses.map(|i| i.split(' ').nth(1).unwrap()).collect()
    }

    /// The names that an outcome lists, and the objects that hold them in the end.
    fn observed(&self) -> Vec<(String, String)> {
        let mut observed = Vec::new();
        for thread in 0..self.threads.len() {
            let registers = self.registers(thread).into_iter();
            observed.extend(registers.map(|r| (format!("{thread}:{r}"), format!("p{thread}_{r}"))));
        }
        observed.extend(self.cells().into_iter().map(|cell| (cell.to_owned(), cell.to_owned())));
        observed
    }

    fn program(&self, model: MemoryModel) -> Program {
        let mut text = format!("program lp64\nmemory_model {}\n", model.name());
        for (_, object) in self.observed() {
            text += &format!("object {object}: 4 = 0\n");
        }
        let handles: Vec<String> = (0..self.threads.len()).map(|t| format!("h{t}")).collect();
        text += &format!("function main() -> 32 {{ reg {}, r: 64 reg e: 32\n", handles.join(", "));
        for (t, handle) in handles.iter().enumerate() {
            text += &format!("{handle} = create(&t{t}, 0)\n");
        }
        for handle in &handles {
            text += &format!("r, e = join({handle})\n");
        }
        text += "return 0 }\n";
        for t in 0..self.threads.len() {
            text += &self.thread(t);
        }
        program::text::parse(&text).unwrap_or_else(|e| panic!("{e:?} in {text}"))
    }

    fn thread(&self, t: usize) -> String {
        let registers = self.registers(t);
        let mut text = format!("function t{t}(arg: 64) -> 64 {{ ");
        if !registers.is_empty() {
            text += &format!("reg {}: 32\n", registers.iter().copied().collect::<Vec<_>>().join(", "));
        }
        for instruction in &self.threads[t] {
            let words: Vec<&str> = instruction.split(' ').collect();
            text += &match words[..] {
                ["R", cell, register, o] => format!("{register} = [&{cell}]:32!{}\n", order(o)),
                ["W", cell, value, o] => format!("[&{cell}]:32!{} = {value}\n", order(o)),
                ["F", kind] => format!("fence {}\n", fence(kind)),
                ["RMW", cell, register, value, o] => {
                    let o = order(o);
                    format!("{register} = [&{cell}]:32!{o}; [&{cell}]:32!{o} = {value}\n")
                }
                ["CAS", cell, register, expected, desired, success, failure] => format!(
                    "{register} = [&{cell}]:32!{}; [&{cell}]:32!{} = ite({register} == {expected}, {desired}, {register})\n",
                    order(failure),
                    order(success)
                ),
                _ => panic!("{instruction}"),
            };
        }
        for register in &registers {
            text += &format!("[&p{t}_{register}]:32!sc = {register}\n");
        }
        text + "return 0 }\n"
    }

    /// The outcomes that exploration finds.
    fn explored(&self, model: MemoryModel) -> BTreeSet<String> {
        self.outcomes_of(&self.program(model))
    }

    fn outcomes_of(&self, program: &Program) -> BTreeSet<String> {
        let found = explore(program, &Options::default(), &Budget::unlimited(), &mut Stats::default());
        assert_eq!(found.incomplete, None, "{}", self.name);
        let observed = self.observed();
        let value =
            |bytes: &Vec<Option<u8>>| bytes.iter().rev().fold(0u32, |v, b| v << 8 | u32::from(b.unwrap()));
        let outcome = |end: &engines::explore::Final| {
            let shown = observed.iter().zip(end).map(|((name, _), bytes)| format!("{name}={}", value(bytes)));
            shown.collect::<Vec<_>>().join(" ")
        };
        found.finals.iter().map(outcome).collect()
    }
}

#[test]
fn buffers_have_the_outcomes_of_the_machines() {
    for case in cases() {
        for (name, expected) in &case.outcomes {
            let model = MemoryModel::ALL.iter().find(|(_, n)| n == name).unwrap().0;
            assert_eq!(&case.explored(model), expected, "{} under {name}", case.name);
        }
    }
}

/// Buffers that are written out in the program have the outcomes of the machines, with as many slots as are enough; with one slot they have some of them, and say so.
#[test]
fn written_out_buffers_have_the_outcomes_of_the_machines() {
    let mut too_few = 0;
    for case in cases() {
        let program = case.program(MemoryModel::Sc);
        let analysis = semantics::Analysis::of(&program);
        for model in [MemoryModel::Tso, MemoryModel::Pso] {
            let expected = &case.outcomes[model.name()];
            let buffers = weak::Buffers::of(&analysis, model).expect("litmus tests have exact cells");
            let enough = buffers.sufficient_slots().expect("litmus tests have no loops");
            let written_out = buffers.written_out(enough, Full::Unsupported).program;
            assert_eq!(&case.outcomes_of(&written_out), expected, "{} under {model}", case.name);
            if enough > 1 {
                too_few += 1;
                let some = case.outcomes_of(&buffers.written_out(1, Full::Stops).program);
                assert!(some.is_subset(expected), "{} under {model}", case.name);
            }
        }
    }
    assert!(too_few > 20, "{too_few}");
}

/// What the lemmas call robust has no outcome that is not sequentially consistent.
#[test]
fn robust_programs_have_the_outcomes_of_sequential_consistency() {
    let (mut without_cycle, mut race_free) = ([0, 0], 0);
    for case in cases() {
        let program = case.program(MemoryModel::Sc);
        let analysis = semantics::Analysis::of(&program);
        for (n, model) in [MemoryModel::Tso, MemoryModel::Pso].into_iter().enumerate() {
            if weak::has_no_critical_cycle(&analysis, model) {
                without_cycle[n] += 1;
                assert_eq!(case.outcomes[model.name()], case.outcomes["sc"], "{} under {model}", case.name);
            }
        }
        let strict = weak::strict(&program);
        let found = explore(&strict, &Options::default(), &Budget::unlimited(), &mut Stats::default());
        if found.race.is_none() {
            race_free += 1;
            assert_eq!(case.outcomes["pso"], case.outcomes["sc"], "{}", case.name);
        }
    }
    assert!(without_cycle[0] > 20 && without_cycle[1] > 10 && race_free > 3, "{without_cycle:?} {race_free}");
}

/// Robustness by execution graphs, with the checker's opinion, against the lemmas and the outcomes.
#[test]
fn graphs_tell_robustness() {
    let (mut robust, mut attacks) = (0, 0);
    let budget = Budget::unlimited();
    let most = if std::env::var_os("THREADPROOF_LITMUS").is_some() { 2_000 } else { 60 };
    for case in cases().into_iter().take(most) {
        for model in [MemoryModel::Tso, MemoryModel::Pso] {
            let program = case.program(model);
            let task = engines::Task::new(&program, Property::Robustness, &budget);
            let found = engines::graph::explore(&task, model).unwrap();
            assert_eq!(found.incomplete, None, "{} under {model}", case.name);
            let sequential = weak::sequential(&program);
            let analysis = semantics::Analysis::of(&sequential);
            if let Some(trace) = found.violation {
                let interp = program::interp::Interp::new(&sequential).unwrap();
                let replayed = certify::graph::replay_graph(&interp, &trace, &mut |_, _, _, _| {}).unwrap();
                assert!(!replayed.cycle.is_empty(), "{} under {model}", case.name);
                assert!(!weak::has_no_critical_cycle(&analysis, model), "{} under {model}", case.name);
                if model == MemoryModel::Tso {
                    let attacked = weak::attacked(&analysis).expect("litmus tests have exact cells");
                    let options = Options::default();
                    let explored = explore(&attacked, &options, &budget, &mut Stats::default());
                    assert!(!explored.violations.is_empty(), "{} has an attack", case.name);
                    attacks += 1;
                }
            } else {
                let checked =
                    certify::check_proof(&program, Property::Robustness, &evidence::Proof::Graphs, &budget);
                assert_eq!(checked, Ok(()), "{} under {model}", case.name);
                assert_eq!(case.outcomes[model.name()], case.outcomes["sc"], "{} under {model}", case.name);
                robust += 1;
            }
        }
    }
    assert!(robust > 20 && attacks > 5, "{robust} {attacks}");
}

/// Without a triangular race or an attack there is no outcome under TSO that is not sequentially consistent; with an attack there mostly is one (an execution may
/// differ in what is read on the way only).
#[test]
fn attacks_and_triangular_races_are_found() {
    let (mut free, mut robust, mut attacked, mut differ) = (0, 0, 0, 0);
    let most = if std::env::var_os("THREADPROOF_LITMUS").is_some() { 2_000 } else { 80 };
    for case in cases().into_iter().take(most) {
        let program = case.program(MemoryModel::Sc);
        let analysis = semantics::Analysis::of(&program);
        let same = case.outcomes["tso"] == case.outcomes["sc"];
        let explored = |program: &Program| {
            explore(program, &Options::default(), &Budget::unlimited(), &mut Stats::default())
        };
        let without_race = explored(&weak::triangular(&analysis)).race.is_none();
        free += u32::from(without_race);
        assert!(same || !without_race, "{} has a triangular race", case.name);
        let with_attacks = weak::attacked(&analysis).expect("litmus tests have exact cells");
        let found = explored(&with_attacks);
        assert_eq!(found.incomplete, None, "{}", case.name);
        let attack = !found.violations.is_empty();
        robust += u32::from(!attack);
        attacked += u32::from(attack);
        differ += u32::from(!same);
        assert!(same || attack, "{} has an attack", case.name);
        assert!(!without_race || !attack, "{} has a triangular race, because it has an attack", case.name);
    }
    eprintln!(
        "{free} without triangular race, {robust} robust, {attacked} attacked, {differ} with other outcomes"
    );
    assert!(free > 10 && robust >= free && differ > 5 && attacked < differ * 2);
}
