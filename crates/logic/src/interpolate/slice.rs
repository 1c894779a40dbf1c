//! The part of a path that its infeasibility needs.
//!
//! A path has hundreds of blocks and its contradiction a handful of commands. Three steps find them, each on less than the
//! one before:
//!
//! 1. [`contradiction`]: the path is executed symbolically with all definitions inlined, as in [`crate::path`]. Most
//!    guards are literally true then and cost nothing. The core says which of the others clash.
//! 2. [`encode`]: the commands that flow into the core's guards, with every assignment as an equation `x#k == t` and an
//!    assumption of its own: only so can the minimised core say that an assignment does not matter although its
//!    variable is read. Arrays stay inlined, because equations between arrays are dear.
//!    Where arrays are read at computed indices, constants that the path determines are inlined, too, and never forgotten: an
//!    index that could be anything makes an easy path hard.
//! 3. [`cut`]: what is left is a short path of *active* blocks. A block that neither assumes anything that matters nor sets a
//!    live variable is passive: all labels pass through it unchanged, so it has no cut of its own.
//!
//! Direction of error: the slice allows more executions than the path, never fewer, and still none that ends outside
//! of the postcondition.

use super::Query;
use crate::path::{Cmd, SymbolicStore};
use crate::solver::{Limits, Solver};
use crate::term::{Op, Sort, Symbol, Term, Terms};
use base::Inconclusive;
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

/// A formula of the core, over versions, with the cut before which it lies: 0 for the precondition, `n` for the
/// `n`-th active block counted from 1, and one more for the negated postcondition.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    pub(super) formula: Term,
    pub(super) stage: usize,
}

/// The sliced path.
pub(super) struct Slice {
    /// The active blocks.
    pub(super) blocks: Vec<Vec<Sliced>>,
    /// At least as strong as the postcondition.
    pub(super) post: Term,
    pub(super) rows: Vec<Row>,
    /// For each cut between active blocks, the current version of each variable that was set.
    pub(super) versions: Vec<FxHashMap<Symbol, Term>>,
    /// For each cut of the whole path, how many active blocks lie before it.
    pub(super) cuts: Vec<usize>,
    /// True if constants were inlined because arrays are indexed by them.
    pub(super) is_explicit: bool,
}

impl Slice {
    /// Labels of the whole path from those of the active blocks.
    pub(super) fn spread(&self, labels: &[Term]) -> Vec<Term> {
        self.cuts.iter().map(|&cut| labels[cut]).collect()
    }
}

/// Queries spent on minimising one core.
const MINIMISE_TRIES: usize = 60;

/// Where a formula of the path comes from.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Origin {
    /// A conjunct of the precondition.
    Pre(Term),
    /// A conjunct, over state variables, of a guard; its block and command.
    Guard(usize, usize, Term),
    Definition(usize, usize),
    Post(Term),
}

/// The slice of the query's path, or `None` if it is feasible or the solver gave up.
pub(super) fn slice<S: Solver + ?Sized>(
    solver: &mut S,
    terms: &mut Terms,
    query: Query<'_>,
    limits: &Limits,
) -> Result<Option<Slice>, Inconclusive> {
    let Some(clash) = contradiction(solver, terms, query, limits)? else { return Ok(None) };
    let encoding = encode(terms, query, &clash);
    let assumptions: Vec<Term> = encoding.rows.iter().map(|(row, _)| row.formula).collect();
    let Some(core) = solver.core(terms, &assumptions, limits)? else { return Ok(None) };
    let core = solver.minimise(terms, &core, MINIMISE_TRIES, limits)?;
    Ok(Some(cut(terms, query, encoding, &core.into_iter().collect())))
}

/// The conditions that clash.
struct Clash {
    pre: Vec<Term>,
    /// By block and command.
    guards: FxHashMap<(usize, usize), Vec<Term>>,
    post: Vec<Term>,
    /// The values of assignments, by block and command, that are constants on this path.
    constants: FxHashMap<(usize, usize), Term>,
}

/// Conditions of the path that cannot hold together, found with definitions inlined.
fn contradiction<S: Solver + ?Sized>(
    solver: &mut S,
    terms: &mut Terms,
    query: Query<'_>,
    limits: &Limits,
) -> Result<Option<Clash>, Inconclusive> {
    // Of equal conditions the last one counts: labels before it need not carry the fact.
    let mut origins: FxHashMap<Term, Origin> = FxHashMap::default();
    let mut conditions = Vec::new();
    let mut note = |formulas: Vec<Term>, origin: Origin| {
        for formula in formulas {
            if origins.insert(formula, origin).is_none() {
                conditions.push(formula);
            }
        }
    };
    for c in terms.conjuncts(query.pre) {
        note(vec![c], Origin::Pre(c));
    }
    let mut store = SymbolicStore::default();
    let mut constants = FxHashMap::default();
    for (n, block) in query.path.iter().enumerate() {
        for (at, &cmd) in block.iter().enumerate() {
            let Cmd::Assume(guard) = cmd else {
                store.step(terms, cmd);
                if let Cmd::Assign(x, _) = cmd
                    && let value = store.value(terms, x)
                    && (terms.as_const(value).is_some() || terms.as_bool(value).is_some())
                {
                    constants.insert((n, at), value);
                }
                continue;
            };
            for c in terms.conjuncts(guard) {
                let formula = store.apply(terms, c);
                note(terms.conjuncts(formula), Origin::Guard(n, at, c));
            }
        }
    }
    let wrong = terms.not(query.post);
    for c in terms.conjuncts(wrong) {
        let formula = store.apply(terms, c);
        note(terms.conjuncts(formula), Origin::Post(c));
    }
    let Some(core) = solver.core(terms, &conditions, limits)? else { return Ok(None) };
    let mut clash = Clash { pre: Vec::new(), guards: FxHashMap::default(), post: Vec::new(), constants };
    for formula in core {
        let (list, c) = match origins[&formula] {
            Origin::Guard(n, at, c) => (clash.guards.entry((n, at)).or_default(), c),
            Origin::Post(c) => (&mut clash.post, c),
            Origin::Pre(c) => (&mut clash.pre, c),
            Origin::Definition(..) => unreachable!("definitions should be inlined"),
        };
        if !list.contains(&c) {
            list.push(c);
        }
    }
    Ok(Some(clash))
}

struct Encoding {
    rows: Vec<(Row, Origin)>,
    /// The new versions of variables, with the block that set them.
    changes: Vec<(usize, Symbol, Term)>,
    /// Assignments whose constant was inlined, by block and command.
    inlined: FxHashSet<(usize, usize)>,
}

/// For each command, whether its effect flows into the clash.
fn flow(terms: &Terms, query: Query<'_>, clash: &Clash) -> Vec<Vec<bool>> {
    let mut needed: FxHashSet<Symbol> = clash.post.iter().flat_map(|&c| terms.free_vars(c)).collect();
    let mut flows: Vec<Vec<bool>> = query.path.iter().map(|block| vec![false; block.len()]).collect();
    for (n, block) in query.path.iter().enumerate().rev() {
        for (at, cmd) in block.iter().enumerate().rev() {
            match *cmd {
                Cmd::Assume(_) => {
                    let kept = clash.guards.get(&(n, at)).into_iter().flatten();
                    needed.extend(kept.flat_map(|&c| terms.free_vars(c)));
                }
                Cmd::Assign(x, value) => {
                    flows[n][at] = needed.remove(&x);
                    if flows[n][at] {
                        needed.extend(terms.free_vars(value));
                    }
                }
                Cmd::Havoc(x) => flows[n][at] = needed.remove(&x),
            }
        }
    }
    flows
}

/// Returns true if an array is read or written at a computed index in what matters.
fn is_indexed(terms: &Terms, query: Query<'_>, clash: &Clash, flows: &[Vec<bool>]) -> bool {
    let mut roots: Vec<Term> = clash.guards.values().flatten().chain(&clash.post).copied().collect();
    for (block, flows) in query.path.iter().zip(flows) {
        for (cmd, _) in block.iter().zip(flows).filter(|(_, flows)| **flows) {
            if let Cmd::Assign(_, value) = cmd {
                roots.push(*value);
            }
        }
    }
    let is_computed = |&t: &Term| {
        matches!(terms.op(t), Op::Select | Op::Store) && terms.as_const(terms.kid(t, 1)).is_none()
    };
    terms.subterms(&roots).iter().any(is_computed)
}

/// The clash and what flows into it, as equations over versions.
fn encode(terms: &mut Terms, query: Query<'_>, clash: &Clash) -> Encoding {
    let flows = flow(terms, query, clash);
    let is_indexed = is_indexed(terms, query, clash, &flows);
    let mut inlined = FxHashSet::default();
    let mut current: FxHashMap<Symbol, Term> = FxHashMap::default();
    let mut n_versions: FxHashMap<Symbol, u32> = FxHashMap::default();
    let mut changes = Vec::new();
    let first = clash.pre.iter().map(|&c| (Row { formula: c, stage: 0 }, Origin::Pre(c)));
    let mut rows: Vec<(Row, Origin)> = first.collect();
    for (n, block) in query.path.iter().enumerate() {
        let stage = n + 1;
        for (at, &cmd) in block.iter().enumerate() {
            let (x, version) = match cmd {
                Cmd::Assume(_) => {
                    for &c in clash.guards.get(&(n, at)).into_iter().flatten() {
                        let formula = terms.substitute(c, &current);
                        rows.push((Row { formula, stage }, Origin::Guard(n, at, c)));
                    }
                    continue;
                }
                _ if !flows[n][at] => continue,
                Cmd::Assign(x, _) if is_indexed && clash.constants.contains_key(&(n, at)) => {
                    inlined.insert((n, at));
                    (x, clash.constants[&(n, at)])
                }
                Cmd::Assign(x, value) => {
                    let value = terms.substitute(value, &current);
                    if matches!(terms.sort(value), Sort::Array { .. }) {
                        (x, value)
                    } else {
                        let version = next_version(terms, &mut n_versions, x);
                        let formula = terms.eq(version, value);
                        rows.push((Row { formula, stage }, Origin::Definition(n, at)));
                        (x, version)
                    }
                }
                Cmd::Havoc(x) => (x, next_version(terms, &mut n_versions, x)),
            };
            current.insert(x, version);
            changes.push((n, x, version));
        }
    }
    for &c in &clash.post {
        let formula = terms.substitute(c, &current);
        rows.push((Row { formula, stage: query.path.len() + 1 }, Origin::Post(c)));
    }
    Encoding { rows, changes, inlined }
}

fn next_version(terms: &mut Terms, n_versions: &mut FxHashMap<Symbol, u32>, x: Symbol) -> Term {
    let n = n_versions.entry(x).or_insert(0);
    *n += 1;
    terms.version(x, *n)
}

/// What the core keeps of the path.
fn cut(terms: &mut Terms, query: Query<'_>, encoding: Encoding, core: &FxHashSet<Term>) -> Slice {
    let kept: Vec<(Row, Origin)> =
        encoding.rows.into_iter().filter(|(row, _)| core.contains(&row.formula)).collect();
    let mut guards: FxHashMap<(usize, usize), Vec<Term>> = FxHashMap::default();
    let is_explicit = !encoding.inlined.is_empty();
    let mut defined = encoding.inlined;
    let mut wrong = Vec::new();
    for &(_, origin) in &kept {
        match origin {
            Origin::Pre(_) => {}
            Origin::Guard(n, at, c) => guards.entry((n, at)).or_default().push(c),
            Origin::Definition(n, at) => _ = defined.insert((n, at)),
            Origin::Post(c) => wrong.push(c),
        }
    }
    let wrong = terms.and(&wrong);
    let post = terms.not(wrong);
    let blocks = active_blocks(terms, query, post, &guards, &mut defined);
    let mut cuts = vec![0];
    for block in &blocks {
        cuts.push(cuts[cuts.len() - 1] + usize::from(!block.is_empty()));
    }
    let n_active = cuts[cuts.len() - 1];
    let stage_of = |stage: usize| cuts.get(stage).copied().unwrap_or(n_active + 1);
    let is_live = |origin: &Origin| match *origin {
        Origin::Definition(n, at) => defined.contains(&(n, at)),
        _ => true,
    };
    let live = kept.into_iter().filter(|(_, origin)| is_live(origin));
    let rows = live.map(|(row, _)| Row { stage: stage_of(row.stage), ..row }).collect();
    let mut versions = vec![FxHashMap::default(); n_active + 1];
    for (n, x, version) in encoding.changes {
        // A passive block sets nothing that is read before it is set again.
        let first = cuts[n] + 1;
        for at in versions.iter_mut().skip(first) {
            at.insert(x, version);
        }
    }
    let blocks = blocks.into_iter().filter(|b| !b.is_empty()).collect();
    Slice { blocks, post, rows, versions, cuts, is_explicit }
}

/// The commands that matter of each block, found backwards with the set of live variables. Definitions of variables
/// that are not live leave `defined`.
fn active_blocks(
    terms: &Terms,
    query: Query<'_>,
    post: Term,
    guards: &FxHashMap<(usize, usize), Vec<Term>>,
    defined: &mut FxHashSet<(usize, usize)>,
) -> Vec<Vec<Sliced>> {
    let mut live: FxHashSet<Symbol> = terms.free_vars(post).into_iter().collect();
    let mut blocks = Vec::with_capacity(query.path.len());
    for (n, block) in query.path.iter().enumerate().rev() {
        let mut sliced = Vec::new();
        for (at, &cmd) in block.iter().enumerate().rev() {
            match cmd {
                Cmd::Assume(_) => {
                    for &c in guards.get(&(n, at)).into_iter().flatten() {
                        live.extend(terms.free_vars(c));
                        sliced.push(Sliced::Assume(c));
                    }
                }
                Cmd::Assign(x, _) | Cmd::Havoc(x) if !live.remove(&x) => _ = defined.remove(&(n, at)),
                Cmd::Assign(x, value) => {
                    // What a forgotten assignment reads stays live: its exact value may be used after all.
                    live.extend(terms.free_vars(value));
                    let is_array = matches!(terms.sort(value), Sort::Array { .. });
                    let matters = is_array || defined.contains(&(n, at));
                    sliced.push(if matters { Sliced::Assign(x, value) } else { Sliced::Forget(x, value) });
                }
                Cmd::Havoc(x) => sliced.push(Sliced::Havoc(x)),
            }
        }
        sliced.reverse();
        blocks.push(sliced);
    }
    blocks.reverse();
    blocks
}
