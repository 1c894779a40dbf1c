//! The part of a path that its infeasibility needs.
//!
//! Here every assignment is an equation `x#k == t` with an assumption of its own, unlike in [`crate::path`]: only so can
//! the core say that an assignment does not matter although its variable is read. Arrays are inlined, because
//! equations between arrays are dear.

use super::Question;
use crate::path::Cmd;
use crate::solver::{Answer, Limits, Solver};
use crate::term::{Sort, Symbol, Term, Terms};
use base::Stop;
use rustc_hash::{FxHashMap, FxHashSet};

/// A command of the sliced path.
#[derive(Clone, Copy, Debug)]
pub(super) enum Sliced {
    /// A conjunct of a guard that matters.
    Assume(Term),
    /// An assignment that matters.
    Assign(Symbol, Term),
    /// A havoc.
    Havoc(Symbol),
    /// An assignment that does not matter: a havoc, unless the exact value turns out to be easier.
    Forget(Symbol, Term),
}

/// A formula of the core, over versions, with the cut before which it lies: 0 for the precondition, `n` for block `n`
/// counted from 1, and one more for the negated postcondition.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    pub(super) formula: Term,
    pub(super) stage: usize,
}

/// The sliced path.
pub(super) struct Slice {
    pub(super) blocks: Vec<Vec<Sliced>>,
    /// At least as strong as the postcondition.
    pub(super) post: Term,
    pub(super) rows: Vec<Row>,
    /// For each cut between blocks, the current version of each variable that was set.
    pub(super) versions: Vec<FxHashMap<Symbol, Term>>,
}

/// Questions spent on minimising one core.
const MINIMISE_TRIES: usize = 60;

/// Where a formula of the path comes from.
#[derive(Clone, Copy)]
enum Origin {
    Pre,
    /// A conjunct, over state variables, of a guard; its block and command.
    Guard(usize, usize, Term),
    Definition(usize, usize),
    Post(Term),
}

struct Encoding {
    rows: Vec<(Row, Origin)>,
    versions: Vec<FxHashMap<Symbol, Term>>,
}

/// The slice of the question's path, or `None` if it is feasible or the solver gave up.
pub(super) fn slice<S: Solver + ?Sized>(
    solver: &mut S,
    terms: &mut Terms,
    question: Question<'_>,
    limits: &Limits,
) -> Result<Option<Slice>, Stop> {
    let encoding = encode(terms, question);
    let assumptions: Vec<Term> = encoding.rows.iter().map(|(row, _)| row.formula).collect();
    let Answer::Unsat(core) = solver.check(terms, &assumptions, limits)? else { return Ok(None) };
    let core = solver.minimise(terms, &core, MINIMISE_TRIES, limits)?;
    Ok(Some(cut(terms, question, encoding, &core.into_iter().collect())))
}

fn encode(terms: &mut Terms, question: Question<'_>) -> Encoding {
    let mut current: FxHashMap<Symbol, Term> = FxHashMap::default();
    let mut n_versions: FxHashMap<Symbol, u32> = FxHashMap::default();
    let mut versions = vec![current.clone()];
    let mut rows: Vec<(Row, Origin)> = Vec::new();
    for c in terms.conjuncts(question.pre) {
        rows.push((Row { formula: c, stage: 0 }, Origin::Pre));
    }
    for (n, block) in question.path.iter().enumerate() {
        let stage = n + 1;
        for (at, &cmd) in block.iter().enumerate() {
            match cmd {
                Cmd::Assume(guard) => {
                    for c in terms.conjuncts(guard) {
                        let formula = terms.substitute(c, &current);
                        rows.push((Row { formula, stage }, Origin::Guard(n, at, c)));
                    }
                }
                Cmd::Assign(x, value) => {
                    let value = terms.substitute(value, &current);
                    let mut version = value;
                    if !matches!(terms.sort(value), Sort::Array { .. }) {
                        version = next_version(terms, &mut n_versions, x);
                        let formula = terms.eq(version, value);
                        rows.push((Row { formula, stage }, Origin::Definition(n, at)));
                    }
                    current.insert(x, version);
                }
                Cmd::Havoc(x) => {
                    let version = next_version(terms, &mut n_versions, x);
                    current.insert(x, version);
                }
            }
        }
        versions.push(current.clone());
    }
    let wrong = terms.not(question.post);
    for c in terms.conjuncts(wrong) {
        let formula = terms.substitute(c, &current);
        rows.push((Row { formula, stage: question.path.len() + 1 }, Origin::Post(c)));
    }
    Encoding { rows, versions }
}

fn next_version(terms: &mut Terms, n_versions: &mut FxHashMap<Symbol, u32>, x: Symbol) -> Term {
    let n = n_versions.entry(x).or_insert(0);
    *n += 1;
    terms.version(x, *n)
}

fn cut(terms: &mut Terms, question: Question<'_>, encoding: Encoding, core: &FxHashSet<Term>) -> Slice {
    let mut wrong = Vec::new();
    let mut rows = Vec::new();
    let mut guards: FxHashMap<(usize, usize), Vec<Term>> = FxHashMap::default();
    let mut defined: FxHashSet<(usize, usize)> = FxHashSet::default();
    for (row, origin) in encoding.rows.into_iter().filter(|(row, _)| core.contains(&row.formula)) {
        rows.push(row);
        match origin {
            Origin::Pre => {}
            Origin::Guard(n, at, c) => guards.entry((n, at)).or_default().push(c),
            Origin::Definition(n, at) => _ = defined.insert((n, at)),
            Origin::Post(c) => wrong.push(c),
        }
    }
    let mut blocks = Vec::with_capacity(question.path.len());
    for (n, block) in question.path.iter().enumerate() {
        let mut sliced = Vec::new();
        for (at, &cmd) in block.iter().enumerate() {
            match cmd {
                Cmd::Assume(_) => {
                    let kept = guards.remove(&(n, at)).unwrap_or_default();
                    sliced.extend(kept.into_iter().map(Sliced::Assume));
                }
                Cmd::Assign(x, value) => {
                    let is_array = matches!(terms.sort(value), Sort::Array { .. });
                    let matters = is_array || defined.contains(&(n, at));
                    sliced.push(if matters { Sliced::Assign(x, value) } else { Sliced::Forget(x, value) });
                }
                Cmd::Havoc(x) => sliced.push(Sliced::Havoc(x)),
            }
        }
        blocks.push(sliced);
    }
    let wrong = terms.and(&wrong);
    let post = terms.not(wrong);
    Slice { blocks, post, rows, versions: encoding.versions }
}
