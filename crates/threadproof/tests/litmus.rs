//! The classic litmus tests, in C, under every memory model: the engine over execution graphs, and the checker of each of its answers.
//!
//! The shapes are those of Alglave, Maranget and Tautschnig (Herding Cats, TOPLAS'14) and of Lahav et al. (PLDI'17), with C11's atomics; the verdicts are those of
//! the published models after the standard compilation. `rmo` is not among them, because its mapping from C11 is our own.

use base::Budget;
use engines::Task;
use program::interp::Interp;
use program::passes::Overflow;
use program::{MemoryModel, Program, Property};
use std::fmt::Write;
use std::time::Duration;

/// The columns of verdicts.
const MODELS: [MemoryModel; 7] = [
    MemoryModel::Sc,
    MemoryModel::Tso,
    MemoryModel::Pso,
    MemoryModel::C11,
    MemoryModel::Power,
    MemoryModel::Arm,
    MemoryModel::Riscv,
];

/// Name, threads, outcome, and for each model whether it allows the outcome (`x`) or not (`-`). `W x 1 rel` stores, `R x r0 acq` loads, `F sc`
/// is a fence, `RMW x r0 += 1 rlx` and `RMW x r0 := 1 rlx` are read-modify-writes; everything else is C.
type Shape = (&'static str, &'static [&'static str], &'static str, &'static str);

#[rustfmt::skip]
const SHAPES: &[Shape] = &[
    ("SB", &["W x 1 rlx; R y r0 rlx", "W y 1 rlx; R x r1 rlx"], "0:r0=0, 1:r1=0", "-xxxxxx"),
    ("SB+mfences", &["W x 1 rlx; F sc; R y r0 rlx", "W y 1 rlx; F sc; R x r1 rlx"], "0:r0=0, 1:r1=0", "-------"),
    ("SB+mfence+po", &["W x 1 rlx; F sc; R y r0 rlx", "W y 1 rlx; R x r1 rlx"], "0:r0=0, 1:r1=0", "-xxxxxx"),
    ("SB+rfi", &["W x 1 rlx; R x r2 rlx; R y r0 rlx", "W y 1 rlx; R y r3 rlx; R x r1 rlx"], "0:r2=1, 0:r0=0, 1:r3=1, 1:r1=0", "-xxxxxx"),
    ("SB+lwsyncs", &["W x 1 rlx; F ar; R y r0 rlx", "W y 1 rlx; F ar; R x r1 rlx"], "0:r0=0, 1:r1=0", "-xxxx-x"),
    ("MP", &["W x 1 rlx; W y 1 rlx", "R y r0 rlx; R x r1 rlx"], "1:r0=1, 1:r1=0", "--xxxxx"),
    ("MP+lwsync+po", &["W x 1 rlx; F ar; W y 1 rlx", "R y r0 rlx; R x r1 rlx"], "1:r0=1, 1:r1=0", "---xxxx"),
    ("MP+sync+ctrl", &["W x 1 rlx; F sc; W y 1 rlx", "R y r0 rlx; if r0 goto L; L:; R x r1 rlx"], "1:r0=1, 1:r1=0", "---xxxx"),
    ("LB", &["R x r0 rlx; W y 1 rlx", "R y r1 rlx; W x 1 rlx"], "0:r0=1, 1:r1=1", "----xxx"),
    ("LB+datas", &["R x r0 rlx; r2 = r0 ^ r0; r3 = r2 + 1; W y r3 rlx", "R y r1 rlx; r2 = r1 ^ r1; r3 = r2 + 1; W x r3 rlx"], "0:r0=1, 1:r1=1", "-------"),
    ("LB+data+po", &["R x r0 rlx; r2 = r0 ^ r0; r3 = r2 + 1; W y r3 rlx", "R y r1 rlx; W x 1 rlx"], "0:r0=1, 1:r1=1", "----xxx"),
    ("IRIW", &["W x 1 rlx", "W y 1 rlx", "R x r0 rlx; R y r1 rlx", "R y r2 rlx; R x r3 rlx"], "2:r0=1, 2:r1=0, 3:r2=1, 3:r3=0", "---xxxx"),
    ("IRIW+lwsyncs", &["W x 1 rlx", "W y 1 rlx", "R x r0 rlx; F ar; R y r1 rlx", "R y r2 rlx; F ar; R x r3 rlx"], "2:r0=1, 2:r1=0, 3:r2=1, 3:r3=0", "---xx--"),
    ("IRIW+syncs", &["W x 1 rlx", "W y 1 rlx", "R x r0 rlx; F sc; R y r1 rlx", "R y r2 rlx; F sc; R x r3 rlx"], "2:r0=1, 2:r1=0, 3:r2=1, 3:r3=0", "-------"),
    ("2+2W", &["W x 1 rlx; W y 2 rlx", "W y 1 rlx; W x 2 rlx"], "x=1, y=1", "--xxxxx"),
    ("2+2W+lwsyncs", &["W x 1 rlx; F ar; W y 2 rlx", "W y 1 rlx; F ar; W x 2 rlx"], "x=1, y=1", "---x---"),
    ("WRC", &["W x 1 rlx", "R x r0 rlx; W y 1 rlx", "R y r1 rlx; R x r2 rlx"], "1:r0=1, 2:r1=1, 2:r2=0", "---xxxx"),
    ("R", &["W x 1 rlx; W y 1 rlx", "W y 2 rlx; R x r0 rlx"], "y=2, 1:r0=0", "-xxxxxx"),
    ("R+lwsync+sync", &["W x 1 rlx; F ar; W y 1 rlx", "W y 2 rlx; F sc; R x r0 rlx"], "y=2, 1:r0=0", "---xx--"),
    ("R+syncs", &["W x 1 rlx; F sc; W y 1 rlx", "W y 2 rlx; F sc; R x r0 rlx"], "y=2, 1:r0=0", "-------"),
    ("S", &["W x 2 rlx; W y 1 rlx", "R y r0 rlx; W x 1 rlx"], "x=2, 1:r0=1", "--xxxxx"),
    ("S+lwsync+data", &["W x 2 rlx; F ar; W y 1 rlx", "R y r0 rlx; r1 = r0 ^ r0; r2 = r1 + 1; W x r2 rlx"], "x=2, 1:r0=1", "---x---"),
    ("RWC+syncs", &["W x 1 rlx", "R x r0 rlx; F sc; R y r1 rlx", "W y 1 rlx; F sc; R x r2 rlx"], "1:r0=1, 1:r1=0, 2:r2=0", "-------"),
    ("RWC+po+mfence", &["W x 1 rlx", "R x r0 rlx; R y r1 rlx", "W y 1 rlx; F sc; R x r2 rlx"], "1:r0=1, 1:r1=0, 2:r2=0", "---xxxx"),
    ("CoRR", &["W x 1 rlx", "R x r0 rlx; R x r1 rlx"], "1:r0=1, 1:r1=0", "-------"),
    ("CoWW", &["W x 1 rlx; W x 2 rlx"], "x=1", "-------"),
    ("CoWR", &["W x 1 rlx; R x r0 rlx", "W x 2 rlx"], "0:r0=2, x=1", "-------"),
    ("CoRW", &["R x r0 rlx; W x 1 rlx", "W x 2 rlx"], "0:r0=2, x=2", "-------"),
    ("n6", &["W x 1 rlx; R x r0 rlx; R y r1 rlx", "W y 1 rlx; W x 2 rlx"], "0:r0=1, 0:r1=0, x=1", "-xxxxxx"),
    ("RMW-excl", &["RMW x r0 += 1 rlx", "RMW x r1 += 1 rlx"], "x=1", "-------"),
    ("SB+xchg", &["RMW x r2 := 1 sc; R y r0 rlx", "RMW y r2 := 1 sc; R x r1 rlx"], "0:r0=0, 1:r1=0", "---xxx-"),
    ("SB+ra", &["W x 1 rel; R y r0 acq", "W y 1 rel; R x r1 acq"], "0:r0=0, 1:r1=0", "-xxxxxx"),
    ("SB+sc", &["W x 1 sc; R y r0 sc", "W y 1 sc; R x r1 sc"], "0:r0=0, 1:r1=0", "-------"),
    ("MP+rel+acq", &["W x 1 rlx; W y 1 rel", "R y r0 acq; R x r1 rlx"], "1:r0=1, 1:r1=0", "-------"),
    ("MP+na+rel+acq", &["W x 1 rlx; W y 1 rel", "R y r0 acq; if r0 == 0 goto E; R x r1 rlx; E:"], "1:r0=1, 1:r1=0", "-------"),
    ("MP+rel+rlx", &["W x 1 rlx; W y 1 rel", "R y r0 rlx; R x r1 rlx"], "1:r0=1, 1:r1=0", "---xxxx"),
    ("MP+frel+facq", &["W x 1 rlx; F rel; W y 1 rlx", "R y r0 rlx; F acq; R x r1 rlx"], "1:r0=1, 1:r1=0", "-------"),
    ("IRIW+ra", &["W x 1 rel", "W y 1 rel", "R x r0 acq; R y r1 acq", "R y r2 acq; R x r3 acq"], "2:r0=1, 2:r1=0, 3:r2=1, 3:r3=0", "---xx--"),
    ("IRIW+sc", &["W x 1 sc", "W y 1 sc", "R x r0 sc; R y r1 sc", "R y r2 sc; R x r3 sc"], "2:r0=1, 2:r1=0, 3:r2=1, 3:r3=0", "-------"),
    ("IRIW+acq+sc", &["W x 1 sc", "W y 1 sc", "R x r0 acq; R y r1 sc", "R y r2 acq; R x r3 sc"], "2:r0=1, 2:r1=0, 3:r2=1, 3:r3=0", "---x---"),
    ("2+2W+ra", &["W x 1 rel; W y 2 rel", "W y 1 rel; W x 2 rel"], "x=1, y=1", "---x---"),
    ("WRC+ra", &["W x 1 rlx", "R x r0 acq; W y 1 rel", "R y r1 acq; R x r2 rlx"], "1:r0=1, 2:r1=1, 2:r2=0", "-------"),
    ("relseq", &["W x 1 rlx; W y 1 rel", "RMW y r0 += 1 rlx", "R y r1 acq; if r1 == 0 goto E; R x r2 rlx; E:"], "1:r0=1, 2:r1=2, 2:r2=0", "-------"),
    ("Z6.U", &["W x 1 sc; W y 1 rel", "RMW y r0 += 1 sc; R y r1 rlx", "W y 3 sc; R x r2 sc"], "1:r0=1, 1:r1=3, 2:r2=0", "---xx--"),
];

/// The order's number in GCC's builtins.
fn order(name: &str) -> u8 {
    match name {
        "rlx" => 0,
        "acq" => 2,
        "rel" => 3,
        "ar" => 4,
        "sc" => 5,
        _ => panic!("`{name}` is no memory order"),
    }
}

/// One statement in C.
fn statement(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    match words[..] {
        ["W", cell, value, how] => format!("__atomic_store_n(&{cell}, {value}, {});", order(how)),
        ["R", cell, register, how] => format!("{register} = __atomic_load_n(&{cell}, {});", order(how)),
        ["F", how] => format!("__atomic_thread_fence({});", order(how)),
        ["RMW", cell, register, "+=", value, how] => {
            format!("{register} = __atomic_fetch_add(&{cell}, {value}, {});", order(how))
        }
        ["RMW", cell, register, ":=", value, how] => {
            format!("{register} = __atomic_exchange_n(&{cell}, {value}, {});", order(how))
        }
        ["if", .., "goto", label] => {
            let condition = &text["if ".len()..text.find(" goto").expect("a jump should have a target")];
            format!("if ({condition}) goto {label};")
        }
        _ => format!("{text};"),
    }
}

/// The program, in C.
fn source((_, threads, outcome, _): &Shape) -> String {
    let mut text = String::from(
        "typedef unsigned long pthread_t;\n\
         int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);\n\
         int pthread_join(pthread_t, void **);\n\
         void reach_error(void);\n\
         void __VERIFIER_assume(int);\n\
         int x, y, out[4][4];\n",
    );
    let _ = writeln!(text, "pthread_t handle[{}];", threads.len());
    for (n, thread) in threads.iter().enumerate() {
        let _ = writeln!(text, "void *thread{n}(void *arg) {{ int r0 = 0, r1 = 0, r2 = 0, r3 = 0;");
        thread.split(';').map(str::trim).filter(|s| !s.is_empty()).for_each(|s| {
            let _ = writeln!(text, "  {}", statement(s));
        });
        let stores = (0..4).map(|r| format!("out[{n}][{r}] = r{r};"));
        let _ = writeln!(text, "  {} return 0; }}", stores.collect::<String>());
    }
    let _ = writeln!(text, "int main(void) {{");
    for n in 0..threads.len() {
        let _ = writeln!(text, "  pthread_create(&handle[{n}], 0, thread{n}, 0);");
    }
    for n in 0..threads.len() {
        let _ = writeln!(text, "  pthread_join(handle[{n}], 0);");
    }
    let conjuncts = outcome.split(", ").map(|part| {
        let (place, value) = part.split_once('=').expect("an outcome should have values");
        match place.split_once(":r") {
            Some((thread, register)) => format!("out[{thread}][{register}] == {value}"),
            None => format!("{place} == {value}"),
        }
    });
    let _ = writeln!(text, "  if ({}) reach_error();\n}}", conjuncts.collect::<Vec<_>>().join(" && "));
    text
}

fn program(shape: &Shape, model: MemoryModel) -> Program {
    let text = source(shape);
    // Orders are kept only if the model is a weak one.
    let checks = frontend::Checks { memory_model: MemoryModel::C11, ..frontend::Checks::default() };
    let loaded =
        frontend::load_text("litmus.i", &text, &frontend::Options { checks, ..frontend::Options::default() });
    let program = loaded.program.unwrap_or_else(|| panic!("{:?} in\n{text}", loaded.diagnostics));
    // The machines with store buffers are asked as graphs, too: no buffer should be in the way.
    let memory_model = if model.has_buffers() { MemoryModel::Sc } else { model };
    Program { memory_model, ..program.with(Overflow::Wraps) }
}

/// Returns true if the model allows the outcome; the answer has been checked.
fn allows(shape: &Shape, model: MemoryModel) -> bool {
    let program = program(shape, model);
    let budget = Budget::new(Some(Duration::from_secs(100)), None);
    let task = Task::new(&program, Property::UnreachCall, &budget);
    let name = shape.0;
    let findings =
        engines::graph::explore(&task, model).unwrap_or_else(|why| panic!("{name} under {model}: {why}"));
    assert_eq!(findings.incomplete, None, "{name} under {model}");
    match findings.violation {
        Some(trace) => {
            let interp = Interp::new(&program).expect("a program should begin");
            let replayed = certify::graph::replay_graph(&interp, &trace, &mut |_, _, _, _| {});
            assert!(replayed.is_ok(), "{name} under {model}: {replayed:?}");
            true
        }
        None => {
            let checked = certify::graph::check_graphs_under(model, &program, Property::UnreachCall, &budget);
            assert_eq!(checked, Ok(()), "{name} under {model}");
            false
        }
    }
}

#[test]
fn classic_shapes_have_their_published_verdicts() {
    for shape in SHAPES {
        let found: String =
            MODELS.iter().map(|model| if allows(shape, *model) { 'x' } else { '-' }).collect();
        assert_eq!(found, shape.3, "{}", shape.0);
    }
}

/// Name, threads, and how many executions C11 allows: every combination of what reads return and in which order writes reach memory, once.
#[rustfmt::skip]
const COUNTS: &[(&str, &[&str], u64)] = &[
    ("SB", &["W x 1 rlx; R y r0 rlx", "W y 1 rlx; R x r0 rlx"], 4),
    ("SB+scs", &["W x 1 sc; R y r0 sc", "W y 1 sc; R x r0 sc"], 3),
    ("LB", &["R x r0 rlx; W y 1 rlx", "R y r0 rlx; W x 1 rlx"], 3),
    ("MP+rel+acq", &["W x 1 rlx; W y 1 rel", "R y r0 acq; R x r1 rlx"], 3),
    ("2+2W", &["W x 1 rlx; W y 2 rlx", "W y 1 rlx; W x 2 rlx"], 4),
    ("IRIW", &["W x 1 rlx", "W y 1 rlx", "R x r0 rlx; R y r1 rlx", "R y r0 rlx; R x r1 rlx"], 16),
    ("coherence", &["W x 1 rlx; W x 2 rlx", "R x r0 rlx; R x r1 rlx"], 6),
    ("four writers", &["W x 1 rlx", "W x 2 rlx", "W x 3 rlx", "W x 4 rlx"], 24),
    ("three updates", &["RMW x r0 += 1 rlx", "RMW x r0 += 1 rlx", "RMW x r0 += 1 rlx"], 6),
    // An execution that an assumption ends is none, and neither is one that waits for ever.
    ("an assumption", &["W x 1 rlx; W x 2 rlx", "R x r0 rlx; __VERIFIER_assume(r0 == 2)"], 1),
    ("waiting", &["W x 1 rlx; W x 2 rlx", "L:; R x r0 rlx; if r0 != 2 goto L"], 1),
];

#[test]
fn each_execution_is_found_once() {
    for (name, threads, n_executions) in COUNTS {
        let program = program(&(*name, *threads, "x=77", ""), MemoryModel::C11);
        let budget = Budget::new(Some(Duration::from_secs(100)), None);
        let task = Task::new(&program, Property::UnreachCall, &budget);
        let findings =
            engines::graph::explore(&task, MemoryModel::C11).expect("a small program should be explored");
        assert!(findings.violation.is_none() && findings.incomplete.is_none(), "{name}");
        assert_eq!(findings.executions, *n_executions, "{name}");
    }
}

/// A checker that accepts everything would pass the first test.
#[test]
fn changed_executions_are_refused() {
    let mut refused = 0;
    for shape in SHAPES.iter().filter(|shape| shape.3.ends_with('x')) {
        let program = program(shape, MemoryModel::Riscv);
        let budget = Budget::new(Some(Duration::from_secs(100)), None);
        let task = Task::new(&program, Property::UnreachCall, &budget);
        let findings =
            engines::graph::explore(&task, MemoryModel::Riscv).expect("a small program should be explored");
        let trace = findings.violation.expect("the outcome should be allowed");
        let interp = Interp::new(&program).expect("a program should begin");
        let accepted = |trace: &evidence::GraphTrace| {
            certify::graph::replay_graph(&interp, trace, &mut |_, _, _, _| {}).is_ok()
        };
        assert!(accepted(&trace), "{}", shape.0);
        for step in 0..trace.steps.len() {
            for read in 0..trace.steps[step].reads.len() {
                let mut wrong = trace.clone();
                wrong.steps[step].reads[read].value ^= 1;
                assert!(
                    !accepted(&wrong),
                    "{}: a read of step {step} returns what was never written",
                    shape.0
                );
                let mut wrong = trace.clone();
                let from = &mut wrong.steps[step].reads[read].from;
                *from = if from.is_some() { None } else { Some(0) };
                assert!(!accepted(&wrong), "{}: a read of step {step} comes from elsewhere", shape.0);
                refused += 2;
            }
            let mut wrong = trace.clone();
            wrong.steps[step].silent += 1;
            assert!(!accepted(&wrong), "{}: step {step} is not where it is said to be", shape.0);
        }
        let stronger = evidence::GraphTrace { model: MemoryModel::Sc, ..trace.clone() };
        assert!(!accepted(&stronger), "{}: sequential consistency does not allow it", shape.0);
        let mut shorter = trace;
        shorter.steps.pop();
        assert!(!accepted(&shorter), "{}: without its end nothing is violated", shape.0);
    }
    assert!(refused > 50, "only {refused} changed executions were refused");
}
