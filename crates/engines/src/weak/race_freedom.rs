//! Whether a user's model keeps programs without data races sequentially consistent.
//!
//! That race freedom is enough is a theorem about each model that is built in. About a user's model it is taken for granted, which is said with the verdict; but
//! not against the evidence: here are small programs that race with seq_cst accesses only, or not at all, each with an outcome that no sequentially consistent machine has. If the model allows one of
//! them, race freedom says nothing about it.

use super::graph;
use crate::task::Task;
use base::{Budget, Inconclusive};
use program::{MemoryModel, Program, Property};
use std::fmt::Write;
use std::time::Duration;

/// A program: its threads, each a list of statements, and the outcome that is not sequentially consistent. Registers are `a` to `d`; those of thread `n` are `an` to `dn` at the end.
type Shape = (&'static [&'static str], &'static str);

/// Store buffering, load buffering, message passing, with and without a chain; two writers; independent readers; coherence; atomicity; locks; creating and joining.
const SHAPES: [Shape; 14] = [
    (&["[&x]:32!sc = 1 / a = [&y]:32!sc", "[&y]:32!sc = 1 / a = [&x]:32!sc"], "a0 == 0 && a1 == 0"),
    (&["a = [&x]:32!sc / [&y]:32!sc = 1", "a = [&y]:32!sc / [&x]:32!sc = 1"], "a0 == 1 && a1 == 1"),
    (
        &[
            "[&x]:32 = 1 / [&f]:32!sc = 1",
            "a = [&f]:32!sc / b = ite(a == 1, 0, 1) / if a == 1 then L else E / L: b = [&x]:32 / E: skip",
        ],
        "a1 == 1 && b1 == 0",
    ),
    (
        &[
            "[&x]:32 = 1 / [&f]:32!sc = 1",
            "a = [&f]:32!sc / [&g]:32!sc = a",
            "a = [&g]:32!sc / b = 1 / if a == 1 then L else E / L: b = [&x]:32 / E: skip",
        ],
        "a2 == 1 && b2 == 0",
    ),
    (
        &[
            "a = [&x]:32 / [&f]:32!sc = 1",
            "a = [&f]:32!sc / if a == 1 then L else E / L: [&x]:32 = 1 / E: skip",
        ],
        "a0 == 1 && a1 == 1",
    ),
    (&["[&x]:32!sc = 1 / [&y]:32!sc = 2", "[&y]:32!sc = 1 / [&x]:32!sc = 2"], "x == 1 && y == 1"),
    (
        &[
            "[&x]:32!sc = 1",
            "[&y]:32!sc = 1",
            "a = [&x]:32!sc / b = [&y]:32!sc",
            "a = [&y]:32!sc / b = [&x]:32!sc",
        ],
        "a2 == 1 && b2 == 0 && a3 == 1 && b3 == 0",
    ),
    (&["[&x]:32!sc = 1 / [&y]:32!sc = 1", "[&y]:32!sc = 2 / a = [&x]:32!sc"], "y == 2 && a1 == 0"),
    (&["a = [&x]:32!sc / [&y]:32!sc = 1", "[&y]:32!sc = 2 / [&x]:32!sc = 1"], "a0 == 1 && y == 2"),
    (&["[&x]:32!sc = 1", "a = [&x]:32!sc / b = [&x]:32!sc"], "a1 == 1 && b1 == 0"),
    (&["a = [&x]:32!sc; [&x]:32!sc = a + 1", "a = [&x]:32!sc; [&x]:32!sc = a + 1"], "x == 1"),
    (
        &[
            "#lock(&m) guard [&m]:32!acq == 0; [&m]:32!acq = 1 / a = [&x]:32 / [&x]:32 = a + 1 / #unlock(&m) [&m]:32!rel = 0",
            "#lock(&m) guard [&m]:32!acq == 0; [&m]:32!acq = 1 / a = [&x]:32 / [&x]:32 = a + 1 / #unlock(&m) [&m]:32!rel = 0",
        ],
        "x == 1",
    ),
    (
        &[
            "#lock(&m) guard [&m]:32!acq == 0; [&m]:32!acq = 1 / [&x]:32 = 1 / [&y]:32 = 1 / #unlock(&m) [&m]:32!rel = 0",
            "#lock(&m) guard [&m]:32!acq == 0; [&m]:32!acq = 1 / a = [&y]:32 / b = [&x]:32 / #unlock(&m) [&m]:32!rel = 0",
        ],
        "a1 != b1",
    ),
    (
        &[
            "[&x]:32 = 1 / [&f]:32!sc = 1 / h = create(&t1, 0) / q, e = join(h) / b = [&y]:32",
            "a = [&x]:32 / [&y]:32 = 1",
        ],
        "a1 == 0 || b0 == 0",
    ),
];

/// How long the programs may take.
const TIME: Duration = Duration::from_secs(10);

/// Returns true if the model allows none of the outcomes.
pub(super) fn is_respected(model: MemoryModel) -> bool {
    let budget = Budget::new(Some(TIME), None);
    let budget = budget.within(TIME);
    SHAPES.iter().all(|shape| matches!(is_forbidden(shape, model, &budget), Ok(true)))
}

fn is_forbidden(shape: &Shape, model: MemoryModel, budget: &Budget) -> Result<bool, Inconclusive> {
    let program = Program {
        memory_model: model,
        ..program::text::parse(&text(shape)).expect("the program should be well-formed")
    };
    let task = Task::new(&program, Property::UnreachCall, budget);
    let found = graph::explore(&task, model)?;
    Ok(found.violation.is_none() && found.incomplete.is_none())
}

/// The program: `main` starts the threads, and looks at what they leave.
fn text((threads, outcome): &Shape) -> String {
    let mut text = String::from("program lp64\n");
    for object in ["x", "y", "f", "g", "m"] {
        let _ = writeln!(text, "object {object}: 4 = 0");
    }
    for n in 0..threads.len() {
        let _ = writeln!(text, "object a{n}: 4 = 0\nobject b{n}: 4 = 0");
    }
    // A thread that another one creates is not created by the first.
    let started = if threads[0].contains("create") { 1 } else { threads.len() };
    let is_name = |word: &str| word.starts_with(|c: char| c.is_alphabetic());
    let wanted: Vec<&str> = outcome.split(' ').filter(|word| is_name(word)).collect();
    let registers: Vec<String> = wanted.iter().map(|name| format!("v{name}")).collect();
    let registers = registers.join(", ");
    let _ = writeln!(text, "function main() -> 32 {{ reg h0, h1, h2, h3, q: 64 reg e, {registers}: 32");
    for n in 0..started {
        let _ = writeln!(text, "h{n} = create(&t{n}, 0)");
    }
    for n in 0..started {
        let _ = writeln!(text, "q, e = join(h{n})");
    }
    for name in &wanted {
        let _ = writeln!(text, "v{name} = [&{name}]:32");
    }
    let words =
        outcome.split(' ').map(|word| if is_name(word) { format!("v{word}") } else { word.to_owned() });
    let outcome = words.collect::<Vec<_>>().join(" ");
    let _ = writeln!(
        text,
        "if {outcome} then bad else good\nbad: error unreach-call \"seen\"\ngood: return 0 }}"
    );
    for (n, thread) in threads.iter().enumerate() {
        let _ = writeln!(text, "function t{n}(arg: 64) -> 64 {{ reg h, q: 64 reg a, b, e: 32\na = 0; b = 0");
        for statement in thread.split(" / ") {
            let _ = writeln!(text, "{statement}");
        }
        let _ = writeln!(text, "[&a{n}]:32 = a\n[&b{n}]:32 = b\nreturn 0 }}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The models that are built in keep race-free programs sequentially consistent, which is a theorem about each.
    #[test]
    fn the_outcomes_are_forbidden_by_models_that_respect_race_freedom() {
        for model in [MemoryModel::C11, MemoryModel::Arm, MemoryModel::Power, MemoryModel::Riscv] {
            for shape in &SHAPES {
                let forbidden = is_forbidden(shape, model, &Budget::unlimited());
                assert_eq!(forbidden, Ok(true), "{model}: {shape:?}");
            }
        }
    }
}
