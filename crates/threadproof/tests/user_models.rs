//! Users' memory models, in herd's language: models that say in their own words what those that are built in say have the same verdicts on random programs, and files that are not understood
//! are errors with their place.
//!
//! For a long run see [`testkit::settings`].

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should fail")]

mod common;

use base::{Budget, Inconclusive, Random};
use engines::Task;
use program::cat::UserModel;
use program::interp::Interp;
use program::{MemoryModel, Program, Property};
use std::fmt::Write;
use std::time::Duration;

/// Models in other words, with the machine that each is for, and the model that it says.
const MODELS: [(&str, MemoryModel, MemoryModel); 5] = [
    (include_str!("data/models/sc.cat"), MemoryModel::C11, MemoryModel::Sc),
    (include_str!("data/models/tso.cat"), MemoryModel::Tso, MemoryModel::Tso),
    (include_str!("data/models/c11.cat"), MemoryModel::C11, MemoryModel::C11),
    (include_str!("data/models/arm.cat"), MemoryModel::Arm, MemoryModel::Arm),
    (include_str!("data/models/power.cat"), MemoryModel::Power, MemoryModel::Power),
];

fn read(text: &str, machine: MemoryModel) -> Result<&'static UserModel, String> {
    let files =
        |name: &str| (name == "own.cat").then(|| "let mine = po & loc\nlet broken = nothing".to_owned());
    UserModel::read("m.cat", machine, ("m.cat", text.to_owned()), &files).map_err(|flaw| flaw.to_string())
}

const CELLS: [&str; 2] = ["&x", "&y"];

fn statement(random: &mut Random, register: &str, n: usize) -> String {
    let (cell, value) = (random.pick(&CELLS), random.between(1, 2));
    let load = random.pick(&["", "!rlx", "!rlx", "!acq", "!sc"]);
    let store = random.pick(&["", "!rlx", "!rlx", "!rel", "!sc"]);
    let update = random.pick(&["!rlx", "!acq", "!rel", "!acq_rel", "!sc"]);
    match random.index(12) {
        0..=2 => format!("[{cell}]:32{store} = {value}"),
        3..=5 => format!("{register} = [{cell}]:32{load}"),
        6 => format!("[{cell}]:32{store} = a"),
        7 => format!("fence {}", random.pick(&["sc", "acq_rel", "rel", "acq", "store", "instruction"])),
        8 => format!("{register} = [{cell}]:32{update}; [{cell}]:32{update} = {register} + 1"),
        9 => format!(
            "{register} = [{cell}]:32{load}; [{cell}]:32{update} = ite({register} == 0, 2, {register})"
        ),
        10 => format!("{register} = [{cell} + zext64(a ^ a)]:32{load}"),
        _ => format!(
            "if a == {} then yes{n} else no{n}\nyes{n}: [{cell}]:32{store} = {value}\nno{n}: skip",
            random.index(2)
        ),
    }
}

/// Two or three threads, and an outcome of their registers.
fn text(seed: u64) -> String {
    let mut random = Random(seed);
    let n_threads = if random.one_in(4) { 3 } else { 2 };
    let mut text = "program lp64\nobject x: 4 = 0\nobject y: 4 = 0\n".to_owned();
    for thread in 0..n_threads {
        let _ = writeln!(text, "object a{thread}: 4 = 0\nobject b{thread}: 4 = 0");
    }
    text += "function main() -> 32 { reg h0, h1, h2, q: 64 reg e, r, wrong: 32\n";
    (0..n_threads).for_each(|n| _ = writeln!(text, "h{n} = create(&t{n}, 0)"));
    (0..n_threads).for_each(|n| _ = writeln!(text, "q, e = join(h{n})"));
    text += "wrong = 0\n";
    for thread in 0..n_threads {
        for register in ["a", "b"] {
            let value = random.index(3);
            if !random.one_in(3) {
                let _ =
                    writeln!(text, "r = [&{register}{thread}]:32\nwrong = wrong | ite(r == {value}, 0, 1)");
            }
        }
    }
    text += "if wrong == 0 then bad else good\nbad: error unreach-call \"seen\"\ngood: return 0 }\n";
    for thread in 0..n_threads {
        let _ = writeln!(text, "function t{thread}(arg: 64) -> 64 {{ reg a, b: 32\na = 0; b = 0");
        for n in 0..random.between(2, if n_threads == 2 { 4 } else { 2 }) {
            let register = if n == 0 { "a" } else { "b" };
            let _ = writeln!(text, "{}", statement(&mut random, register, n));
        }
        let _ = writeln!(text, "[&a{thread}]:32 = a\n[&b{thread}]:32 = b\nreturn 0 }}");
    }
    text
}

/// Whether a program reaches its error under a model, by a search whose answer has been checked; `None` if there is no answer.
fn reaches_error(program: &Program, model: MemoryModel) -> Option<bool> {
    let program = Program {
        memory_model: if model.has_buffers() { MemoryModel::Sc } else { model },
        ..program.clone()
    };
    let budget = Budget::new(Some(Duration::from_secs(20)), None);
    let task = Task::new(&program, Property::UnreachCall, &budget);
    let found = engines::graph::explore(&task, model).ok()?;
    if let Some(trace) = found.violation {
        let interp = Interp::new(&program).unwrap();
        let replayed = certify::graph::replay_graph(&interp, &trace, &mut |_, _, _, _| {});
        assert!(replayed.is_ok(), "{model}: {replayed:?}");
        return Some(true);
    }
    if found.incomplete.is_some() {
        return None;
    }
    let checked = certify::graph::check_graphs_under(model, &program, Property::UnreachCall, &budget);
    if checked == Err(Inconclusive::OutOfTime) {
        return None;
    }
    assert_eq!(checked, Ok(()), "{model}");
    Some(false)
}

#[test]
fn models_in_other_words_have_the_same_verdicts() {
    let mut tally = [[0usize; 3]; MODELS.len()];
    for seed in testkit::settings::seeds(40) {
        let text = text(seed);
        let program = program::text::parse(&text).unwrap_or_else(|e| panic!("{e:?} in {text}"));
        for (n, (cat, machine, same)) in MODELS.iter().enumerate() {
            let user = MemoryModel::User(read(cat, *machine).unwrap());
            let (own, known) = (reaches_error(&program, user), reaches_error(&program, *same));
            match (own, known) {
                (Some(own), Some(known)) => {
                    assert_eq!(own, known, "seed {seed} under {same}, in other words first:\n{text}");
                    tally[n][usize::from(own)] += 1;
                }
                _ => tally[n][2] += 1,
            }
        }
        if testkit::settings::is_long() && seed.is_multiple_of(100) {
            eprintln!("{seed}: {tally:?}");
        }
    }
    for of_model in tally {
        assert!(of_model[0] > 0 && of_model[1] > 0 && of_model[2] < of_model[0], "{tally:?}");
    }
}

#[test]
fn what_is_known_about_the_models() {
    for (text, machine, same) in MODELS {
        let facts = &read(text, machine).unwrap().model.facts;
        let by_dependencies = matches!(same, MemoryModel::Arm | MemoryModel::Power);
        assert_eq!(facts.load_buffering, by_dependencies, "{same}");
        assert_eq!(facts.dependencies, by_dependencies, "{same}");
        assert_eq!((facts.not_monotone, facts.forgets_reads), (None, true), "{same}");
        assert!(facts.allows_sequential, "{same}");
    }
}

/// Files that are not understood, and where the error is.
#[test]
fn errors_have_their_place() {
    let cases = [
        ("", "m.cat:1:1: the model has no axiom"),
        ("acyclic po |", "m.cat:1:13: an expression cannot begin with the end of the file"),
        ("let a = po\nacyclic a | nope", "m.cat:2:13: `nope` has no meaning"),
        ("acyclic [MFENCE]", "`MFENCE` has no meaning among the events of c11; it has among those of tso"),
        ("acyclic po ; W", "m.cat:1:12: `;` is applied to a set, but needs a relation"),
        ("acyclic po | W", "m.cat:1:12: `|` is applied to a set and a relation"),
        ("acyclic [po]", "m.cat:1:9: `[…]` is applied to a relation, but needs a set"),
        ("let f(r) = r\nacyclic f", "m.cat:2:9: the function `f` needs an argument"),
        ("let f(r, s) = r\nacyclic f(po)", "m.cat:2:9: `f` has 2 parameters, not 1"),
        ("acyclic po(rf)", "m.cat:1:9: `po` is no function"),
        ("let rec f(r) = f(r)\nacyclic po", "functions that call themselves are not understood"),
        ("let rec r = po \\ r\nacyclic r", "a recursive definition subtracts what it defines"),
        ("~empty rf ;", "m.cat:1:12: an expression cannot begin with the end"),
        ("include \"c11_base.cat\"\nacyclic po", "m.cat:1:1: there is no file `c11_base.cat`"),
        ("include \"gone.cat\"\nacyclic po", "m.cat:1:1: there is no file `gone.cat`"),
        ("include \"own.cat\"\nacyclic mine", "own.cat:2:14: `nothing` has no meaning"),
        (
            "with order from linearisations(M, po)\nacyclic po",
            "m.cat:1:1: only `with co from generate_cos(…)`",
        ),
        ("procedure p() = end", "m.cat:1:1: the statement `procedure` is not understood"),
        ("acyclic po\nprocedure p() = end", "m.cat:2:1: the statement `procedure` is not understood"),
        ("acyclic po as", "m.cat:1:14: expected a name"),
        ("acyclic {'A}", "m.cat:1:9: sets of tags or of single events"),
        ("(* no end", "m.cat:1:1: this comment has no end"),
        ("acyclic po $ rf", "m.cat:1:12: the character `$` is not understood"),
        ("acyclic WW(W)", "m.cat:1:9: `;` is applied to a set"),
        ("let x = 2po", "m.cat:1:9: the character `2` is not understood"),
        ("acyclic $ACQ", "the character `$` is not understood"),
    ];
    for (text, expected) in cases {
        let found = read(text, MemoryModel::C11).map(|_| ()).unwrap_err();
        assert!(found.contains(expected), "{text:?}: {found}");
    }
}

/// Nothing is ignored in silence.
#[test]
fn pictures_and_flags_leave_a_warning() {
    let text =
        "show po, rf as reads\nunshow co\nflag ~empty rf as odd\nundefined_unless empty 0\nacyclic po | rf";
    let model = &read(text, MemoryModel::C11).unwrap().model;
    assert_eq!(model.warnings.len(), 4, "{:?}", model.warnings);
    assert_eq!(model.axioms.len(), 1);
}

fn verify(program: &str, model: &str) -> std::process::Output {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let mut command = common::threadproof();
    command.current_dir(folder).args([
        "verify",
        program,
        "--property",
        "unreach-call",
        "--memory-model",
        model,
    ]);
    command.output().unwrap()
}

/// The example that is shipped: without an order of seq_cst accesses, store buffering is allowed, though the program has no race.
#[test]
fn the_example_has_the_verdicts_that_it_says() {
    let cases = [
        ("tests/programs/weak-memory/store_buffering_seq_cst.c", "verdict: false(unreach-call)"),
        ("tests/programs/weak-memory/message_passing_release_acquire.c", "verdict: true"),
    ];
    for (program, expected) in cases {
        let output = verify(program, "examples/release_acquire.cat");
        assert_eq!(common::last_line(&output), expected, "{program}: {output:?}");
        let mapping = "memory model examples/release_acquire.cat: events as in C11";
        assert!(common::stderr(&output).contains(mapping), "{output:?}");
    }
}

#[test]
fn files_that_are_not_understood_are_usage_errors() {
    let program = "examples/peterson.c";
    for (model, expected) in [
        (
            "tso:examples/release_acquire.cat",
            "examples/release_acquire.cat:6:16: `REL` has no meaning among the events of tso",
        ),
        ("vax:examples/release_acquire.cat", "a file can be for c11, tso, arm, power, riscv, not for `vax`"),
        ("examples/gone.cat", "examples/gone.cat: "),
        ("x86", "models are sc, tso, pso, rmo, power, arm, riscv, c11, and files whose names end in .cat"),
    ] {
        let output = verify(program, model);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        assert!(common::stderr(&output).contains(expected), "{model}: {}", common::stderr(&output));
    }
}
