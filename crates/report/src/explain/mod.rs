//! `verify --explain`: the proof of a safe program in terms of its source.
//!
//! A proof says of every combination of the threads' positions that one of some labels holds there (`labelling`); RedComp's, of every position of one
//! thread. Those whose threads stand at the same lines are put together. Read from one thread at one line, conjuncts that all labels have are
//! facts that *always* hold there; what else a label says is a *case*, with where the other threads are. Facts about nothing but
//! temporaries, which the source does not have, are left out.
//!
//! | step | here |
//! |---|---|
//! | what a proof says | `labelling.rs` |
//! | where threads are, as lines | `ThreadLines` |
//! | facts and cases of a line | `place` |
//! | what state variables are called | `names.rs` |
//! | terms as C | `print.rs` |
//!
//! # Direction of error
//! What is shown is never stronger than what was proved: putting nodes together makes a disjunction of their labels, and leaving
//! out a fact makes a label weaker.

mod labelling;
mod names;
mod print;
mod ranking;

use crate::Explanation;
use crate::invariants::{Case, ProgramPoint};
use crate::sources::Sources;
use base::{Budget, FileId};
use evidence::{Proof, WeakProof};
use labelling::Labelling;
use logic::term::Op;
use logic::{Term, Terms};
use names::Dictionary;
use print::Printer;
use program::interp::ThreadId;
use program::{MemoryModel, Program, Property};
use semantics::encoding::GlobalLocation;
use semantics::encoding::control::Frame;
use std::collections::{BTreeMap, BTreeSet};

/// Why the property holds.
pub fn explain(
    program: &Program,
    property: Property,
    proof: &Proof,
    sources: &mut Sources,
    budget: &Budget,
) -> Explanation {
    let stated = |reason: &str| Explanation::Stated { reason: reason.to_owned() };
    let labelling = match proof {
        Proof::Explored(set) => return Explanation::Explored { n_states: set.states.len() },
        Proof::Locksets(_) | Proof::Protected(_) => {
            return stated(
                "any two accesses that could conflict hold a common lock, are made by the owner, or cannot happen at the same time",
            );
        }
        Proof::Evident if property == Property::NoDeadlock => return stated("nothing in the program waits"),
        Proof::Evident => {
            return stated(
                "every access is at a constant place inside of a variable or object that is alive",
            );
        }
        Proof::Shape(_) => {
            return stated(
                "lists of any length are described by segments, whose objects are alive where they are used",
            );
        }
        Proof::Ranking(ranks) => return stated(&ranking::of_all(program, ranks, budget)),
        Proof::ModularRanking(ranks) => return stated(&ranking::of_threads(program, ranks, budget)),
        Proof::RecursionFree(proof) => return explain(program, property, proof, sources, budget),
        Proof::Weak(weak) => return of_weak(program, property, weak, sources, budget),
        Proof::Graphs => {
            let reason = format!("all executions that {} allows were enumerated", program.memory_model);
            return Explanation::Stated { reason };
        }
        Proof::Tree(tree) => Labelling::of_tree(tree),
        Proof::Cuts(cuts) => Labelling::of_cuts(cuts),
        Proof::Invariants(all) => Labelling::of_invariants(all, &[]),
        Proof::Modular(threads) => Labelling::of_threads(program, property, threads, &[]),
    };
    match labelling {
        Some(labelling) => by_labels(program, &labelling, sources, budget),
        None => stated("each thread has an invariant that the others' steps keep, and none allows it"),
    }
}

/// A proof under a weak memory model is one under sequential consistency, and a reason why that is enough.
fn of_weak(
    program: &Program,
    property: Property,
    weak: &WeakProof,
    sources: &mut Sources,
    budget: &Budget,
) -> Explanation {
    match &weak.proof {
        Some(proof) => {
            let sequential = Program { memory_model: MemoryModel::Sc, ..program.clone() };
            explain(&sequential, property, proof, sources, budget)
        }
        None => Explanation::Stated {
            reason: "any two accesses that could conflict are seq_cst, ordered by a lock, or cannot happen at the same time"
                .to_owned(),
        },
    }
}

/// A line of the source.
type Line = (FileId, u32);

/// Where each thread is; `None` for one that has ended, or is in no line.
type ThreadLines = Vec<(ThreadId, Option<Line>)>;

/// Labels as sets of conjuncts; the empty set is `true`.
type Labels = BTreeSet<BTreeSet<Term>>;

fn by_labels(
    program: &Program,
    labelling: &Labelling,
    sources: &mut Sources,
    budget: &Budget,
) -> Explanation {
    let dictionary = Dictionary::of(program, labelling, budget);
    let mut by_lines: BTreeMap<ThreadLines, Labels> = BTreeMap::new();
    for (control, label) in &labelling.labels {
        let lines = thread_lines(program, control);
        let mut label = conjuncts(&labelling.terms, *label);
        label.retain(|conjunct| dictionary.is_about_source(*conjunct));
        by_lines.entry(lines).or_default().insert(label);
    }
    by_lines.values_mut().for_each(keep_weakest);
    let mut by_line: BTreeMap<(Line, ThreadId), Vec<(&ThreadLines, &Labels)>> = BTreeMap::new();
    for (lines, labels) in &by_lines {
        for (thread, line) in lines {
            if let Some(line) = line {
                by_line.entry((*line, *thread)).or_default().push((lines, labels));
            }
        }
    }
    let printer = Printer { terms: dictionary.terms(), words: &dictionary };
    let n_lines = by_line.len();
    let mut places = Vec::new();
    for ((line, thread), group) in by_line {
        let (always, cases, n_silent) = place(&printer, thread, &group);
        if always.is_empty() && cases.is_empty() {
            continue;
        }
        let file = program.files.get(line.0).cloned().unwrap_or_default();
        let text = sources.line(&file, line.1);
        let thread = dictionary.thread(thread);
        places.push(ProgramPoint { thread, file, line: line.1, text, always, cases, n_silent });
    }
    let n_silent = n_lines - places.len();
    Explanation::Invariants { n_nodes: labelling.n_nodes, places, n_silent }
}

fn conjuncts(terms: &Terms, label: Term) -> BTreeSet<Term> {
    match terms.op(label) {
        Op::And => terms.kids(label).iter().copied().collect(),
        Op::Bool(true) => BTreeSet::new(),
        _ => BTreeSet::from([label]),
    }
}

/// Of several labels one that says more than another adds nothing to their disjunction.
fn keep_weakest(labels: &mut Labels) {
    let all = labels.clone();
    labels.retain(|label| !all.iter().any(|other| other != label && other.is_subset(label)));
}

fn thread_lines(program: &Program, control: &GlobalLocation) -> ThreadLines {
    control.threads.iter().map(|thread| (thread.id, line(program, &thread.frames))).collect()
}

/// The line of the innermost call outside the C library's models.
fn line(program: &Program, frames: &[Frame]) -> Option<Line> {
    let mut frames = frames.iter().rev().filter(|frame| !program.functions[frame.func].library);
    frames.find_map(|frame| {
        let span = program.functions[frame.func].locations[frame.loc].span;
        span.is_somewhere().then_some((span.file, span.line))
    })
}

/// Facts, cases, and how many positions of the others have no more than the facts, for a thread at a line.
fn place(
    printer: &Printer<'_, &Dictionary<'_>>,
    thread: ThreadId,
    group: &[(&ThreadLines, &Labels)],
) -> (Vec<String>, Vec<Case>, usize) {
    let mut labels = group.iter().flat_map(|(_, labels)| labels.iter());
    let mut always = labels.next().cloned().unwrap_or_default();
    labels.for_each(|label| always.retain(|conjunct| label.contains(conjunct)));
    let mut cases: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut n_silent = 0;
    for (lines, labels) in group {
        // A case without a fact of its own makes the disjunction true.
        if labels.contains(&always) {
            n_silent += 1;
            continue;
        }
        let others = others(printer.words, thread, lines);
        for label in *labels {
            let own = label.difference(&always).map(|conjunct| printer.text(*conjunct));
            let others = Some(others.clone()).filter(|others| !others.is_empty());
            cases.entry(joined(own)).or_default().extend(others);
        }
    }
    let case =
        |(holds, others): (String, BTreeSet<String>)| Case { holds, others: others.into_iter().collect() };
    let mut cases: Vec<Case> = cases.into_iter().map(case).collect();
    cases.sort_by_cached_key(|case| (case.holds.chars().count(), case.holds.clone()));
    (simplest_first(always.iter().map(|conjunct| printer.text(*conjunct))), cases, n_silent)
}

fn simplest_first(texts: impl Iterator<Item = String>) -> Vec<String> {
    let mut texts: Vec<String> = texts.collect();
    texts.sort_by_cached_key(|text| (text.chars().count(), text.clone()));
    texts.dedup();
    texts
}

/// A conjunction of texts; one that holds alternatives is put into parentheses.
fn joined(texts: impl Iterator<Item = String>) -> String {
    let texts = simplest_first(texts);
    match &texts[..] {
        [one] => one.clone(),
        _ => {
            let part = |t: &String| {
                if t.contains(" || ") || t.contains(" ? ") { format!("({t})") } else { t.clone() }
            };
            texts.iter().map(part).collect::<Vec<_>>().join(" && ")
        }
    }
}

/// `main is at 29, increment#2 has ended`.
fn others(dictionary: &Dictionary<'_>, thread: ThreadId, lines: &ThreadLines) -> String {
    let others = lines.iter().filter(|(other, _)| *other != thread);
    let texts = others.map(|(other, line)| {
        let name = dictionary.thread(*other);
        match line {
            Some((_, line)) => format!("{name} is at {line}"),
            None => format!("{name} has ended"),
        }
    });
    texts.collect::<Vec<_>>().join(", ")
}
