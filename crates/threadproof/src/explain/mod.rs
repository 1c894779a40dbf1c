//! `verify --explain`: the proof of a safe program in the words of its source.
//!
//! A labelled tree ([`certify::TreeProof`]) says of every combination of the threads' positions that one of the labels of its nodes
//! holds there: of those that are not covered, for what is covered is implied, and not false, for such a node is never reached. Nodes
//! whose threads stand at the same lines are put together. Read from one thread at one line, conjuncts that all labels have are
//! facts that *always* hold there; what else a label says is a *case*, with where the other threads are. Facts about nothing but
//! temporaries, which the source does not have, are left out.
//!
//! | step | here |
//! |---|---|
//! | which nodes speak | [`speaking`] |
//! | where threads are, as lines | [`Standing`] |
//! | facts and cases of a line | [`place`] |
//! | what state variables are called | [`names`] |
//! | terms as C | [`print`] |
//!
//! # Direction of error
//! What is shown is never stronger than what was proved: putting nodes together makes a disjunction of their labels, and leaving
//! out a fact makes a label weaker.

mod names;
mod print;

use crate::sources::Sources;
use base::{Budget, FileId};
use certify::{ModularStage, Proof, Stage, TreeProof};
use logic::Term;
use logic::term::Op;
use names::Dictionary;
use print::Printer;
use program::Program;
use program::interp::ThreadId;
use report::Explanation;
use report::invariants::{Case, Place};
use std::collections::{BTreeMap, BTreeSet};
use symbolic::Control;
use symbolic::control::Thread;

/// Why the property holds.
pub fn explain(program: &Program, proof: &Proof, sources: &mut Sources, budget: &Budget) -> Explanation {
    match proof {
        Proof::Explored(set) => Explanation::Explored { n_states: set.states.len() },
        Proof::Locksets(_) => Explanation::Stated {
            reason:
                "any two accesses that could conflict hold a common lock, or cannot happen at the same time"
                    .to_owned(),
        },
        Proof::Cuts(cuts) => Explanation::Stated { reason: format!("{cuts:?} is inductive and excludes it") },
        Proof::Invariants(all) => {
            Explanation::Stated { reason: format!("{all:?} are inductive and exclude it") }
        }
        Proof::Ranks(ranks) => {
            let terms = &ranks.invariants.steps.terms;
            let stages = ranks.stages.iter().map(|stage| match stage {
                Stage::Rank(ranks) => ranks.first().map_or(String::new(), |(_, rank)| terms.show(*rank)),
                Stage::Idle(thread) => format!("{thread} can move, and so it does"),
            });
            let reason = format!("along every infinite execution something falls: {}", listed(stages));
            Explanation::Stated { reason }
        }
        Proof::ModularRanks(ranks) => {
            let terms = &ranks.invariants.terms;
            let stages = ranks.stages.iter().map(|stage| match stage {
                ModularStage::Rank { class, ranks } => match ranks.first() {
                    Some((_, rank)) if terms.as_const(*rank).is_none() => {
                        format!("{} in threads of kind {class}", terms.show(*rank))
                    }
                    _ => format!("threads of kind {class} cannot go round any more"),
                },
                ModularStage::Rests(class) => format!("the thread of kind {class} comes to rest"),
            });
            let reason = format!("each thread's ranks fall, whatever the others do: {}", listed(stages));
            Explanation::Stated { reason }
        }
        Proof::Flat(proof) => explain(program, proof, sources, budget),
        Proof::Modular(_) => Explanation::Stated {
            reason: "each thread has an invariant that the others' steps keep, and none allows it".to_owned(),
        },
        Proof::Tree(tree) => explain_tree(program, tree, sources, budget),
    }
}

/// So many ranks are told.
const MAX_RANKS: usize = 12;

/// What a proof goes through, one after the other.
fn listed(stages: impl ExactSizeIterator<Item = String>) -> String {
    let more = stages.len().saturating_sub(MAX_RANKS);
    let mut told: Vec<String> = stages.take(MAX_RANKS).collect();
    if more > 0 {
        told.push(format!("and {more} more"));
    }
    if told.is_empty() { "there are no loops".to_owned() } else { told.join("; then ") }
}

/// A line of the source.
type Line = (FileId, u32);

/// Where each thread is; nothing for one that has ended, or is in no line.
type Standing = Vec<(ThreadId, Option<Line>)>;

/// Labels as sets of conjuncts; the empty set is `true`.
type Labels = BTreeSet<BTreeSet<Term>>;

fn explain_tree(program: &Program, tree: &TreeProof, sources: &mut Sources, budget: &Budget) -> Explanation {
    let dictionary = Dictionary::of(program, tree, budget);
    let mut standings: BTreeMap<Standing, Labels> = BTreeMap::new();
    for n in speaking(tree) {
        let standing = standing(program, &tree.nodes[n].control);
        let mut label = conjuncts(tree, tree.nodes[n].label);
        label.retain(|conjunct| dictionary.is_about_source(*conjunct));
        standings.entry(standing).or_default().insert(label);
    }
    standings.values_mut().for_each(keep_weakest);
    let mut by_line: BTreeMap<(Line, ThreadId), Vec<(&Standing, &Labels)>> = BTreeMap::new();
    for (standing, labels) in &standings {
        for (thread, line) in standing {
            if let Some(line) = line {
                by_line.entry((*line, *thread)).or_default().push((standing, labels));
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
        places.push(Place { thread, file, line: line.1, text, always, cases, n_silent });
    }
    let n_silent = n_lines - places.len();
    Explanation::Invariants { n_nodes: tree.nodes.len(), places, n_silent }
}

/// The nodes that say what is reachable: neither they nor an ancestor is covered, and their labels are not false.
fn speaking(tree: &TreeProof) -> Vec<usize> {
    let mut covered = vec![false; tree.nodes.len()];
    let mut found = Vec::new();
    for (n, node) in tree.nodes.iter().enumerate() {
        covered[n] = node.covered_by.is_some() || node.parent.is_some_and(|(parent, _, _)| covered[parent]);
        if !covered[n] && tree.terms.as_bool(node.label) != Some(false) {
            found.push(n);
        }
    }
    found
}

fn conjuncts(tree: &TreeProof, label: Term) -> BTreeSet<Term> {
    match tree.terms.op(label) {
        Op::And => tree.terms.kids(label).iter().copied().collect(),
        Op::Bool(true) => BTreeSet::new(),
        _ => BTreeSet::from([label]),
    }
}

/// Of several labels one that says more than another adds nothing to their disjunction.
fn keep_weakest(labels: &mut Labels) {
    let all = labels.clone();
    labels.retain(|label| !all.iter().any(|other| other != label && other.is_subset(label)));
}

fn standing(program: &Program, control: &Control) -> Standing {
    control.threads.iter().map(|thread| (thread.id, line(program, thread))).collect()
}

/// The line of the innermost call outside the C library's models.
fn line(program: &Program, thread: &Thread) -> Option<Line> {
    let mut frames = thread.frames.iter().rev().filter(|frame| !program.functions[frame.func].library);
    frames.find_map(|frame| {
        let span = program.functions[frame.func].locations[frame.loc].span;
        span.is_somewhere().then_some((span.file, span.line))
    })
}

/// Facts, cases, and how many positions of the others have no more than the facts, for a thread at a line.
fn place(
    printer: &Printer<'_, &Dictionary<'_>>,
    thread: ThreadId,
    group: &[(&Standing, &Labels)],
) -> (Vec<String>, Vec<Case>, usize) {
    let mut labels = group.iter().flat_map(|(_, labels)| labels.iter());
    let mut always = labels.next().cloned().unwrap_or_default();
    labels.for_each(|label| always.retain(|conjunct| label.contains(conjunct)));
    let mut cases: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut n_silent = 0;
    for (standing, labels) in group {
        // A case without a fact of its own makes the disjunction true.
        if labels.contains(&always) {
            n_silent += 1;
            continue;
        }
        let others = others(printer.words, thread, standing);
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
fn others(dictionary: &Dictionary<'_>, thread: ThreadId, standing: &Standing) -> String {
    let others = standing.iter().filter(|(other, _)| *other != thread);
    let texts = others.map(|(other, line)| {
        let name = dictionary.thread(*other);
        match line {
            Some((_, line)) => format!("{name} is at {line}"),
            None => format!("{name} has ended"),
        }
    });
    texts.collect::<Vec<_>>().join(", ")
}
