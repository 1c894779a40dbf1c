//! Feasibility of paths and validity of triples.

use super::{Block, Cmd, SymbolicStore};
use crate::solver::{Answer, Limits, Solver};
use crate::term::{Model, Term, Terms, Value};
use base::Inconclusive;
use rustc_hash::FxHashSet;

/// An execution of a path.
#[derive(Clone, Debug)]
pub struct PathModel {
    /// Values of the state variables at the start, and of the havocked values.
    pub model: Model,
    /// The havocked values, in the order of the path.
    pub havocs: Vec<Value>,
}

/// Why a path has no execution.
#[derive(Clone, Debug)]
pub struct PathCore {
    /// The conjuncts of the precondition that matter.
    pub pre: Vec<Term>,
    /// For each block and command, whether it matters: an assumption that is in the core, or an assignment or
    /// havoc whose value flows into one.
    pub commands: Vec<Vec<bool>>,
    /// True if the postcondition matters, or the path alone is infeasible.
    pub post: bool,
}

/// What is known of a path.
#[derive(Clone, Debug)]
pub enum PathAnswer {
    /// It can be executed from `pre` to outside `post`.
    Feasible(PathModel),
    /// It cannot.
    Infeasible(PathCore),
    /// The solver gave up.
    Unknown,
}

/// Whether `path` leads from `pre` to outside `post`.
pub fn check_path<S: Solver + ?Sized>(
    solver: &mut S,
    terms: &mut Terms,
    pre: Term,
    path: &[Block],
    post: Term,
    limits: &Limits,
) -> Result<PathAnswer, Inconclusive> {
    let mut store = SymbolicStore::default();
    let mut assumptions = terms.conjuncts(pre);
    let n_pre = assumptions.len();
    for block in path {
        assumptions.extend(store.run(terms, block));
    }
    let wrong = terms.not(post);
    let wrong = store.apply(terms, wrong);
    let wrong = terms.conjuncts(wrong);
    assumptions.extend(&wrong);
    match solver.check(terms, &assumptions, limits)? {
        Answer::Unknown => Ok(PathAnswer::Unknown),
        Answer::Sat(model) => {
            let havocs = store.havocs().iter().map(|&h| terms.eval(h, &model)).collect();
            Ok(PathAnswer::Feasible(PathModel { model, havocs }))
        }
        Answer::Unsat(core) => {
            let core: FxHashSet<Term> = core.into_iter().collect();
            let pre = assumptions[..n_pre].iter().copied().filter(|t| core.contains(t)).collect();
            let uses_post = wrong.iter().any(|t| core.contains(t));
            let commands = relevant_commands(terms, path, if uses_post { Some(post) } else { None }, &core);
            Ok(PathAnswer::Infeasible(PathCore { pre, commands, post: uses_post }))
        }
    }
}

/// Assumptions with a conjunct in the core, and what flows into them.
fn relevant_commands(
    terms: &mut Terms,
    path: &[Block],
    post: Option<Term>,
    core: &FxHashSet<Term>,
) -> Vec<Vec<bool>> {
    let mut store = SymbolicStore::default();
    let mut relevant: Vec<Vec<bool>> = Vec::with_capacity(path.len());
    for block in path {
        let in_core = |cmd: &Cmd| {
            let condition = store.step(terms, *cmd);
            condition.is_some_and(|c| terms.conjuncts(c).iter().any(|t| core.contains(t)))
        };
        relevant.push(block.iter().map(in_core).collect());
    }
    let mut needed: FxHashSet<_> = post.into_iter().flat_map(|t| terms.free_vars(t)).collect();
    for (block, flags) in path.iter().zip(&mut relevant).rev() {
        for (cmd, flag) in block.iter().zip(flags).rev() {
            match *cmd {
                Cmd::Assume(guard) if *flag => needed.extend(terms.free_vars(guard)),
                Cmd::Assume(_) => {}
                Cmd::Assign(x, value) => {
                    *flag = needed.remove(&x);
                    if *flag {
                        needed.extend(terms.free_vars(value));
                    }
                }
                Cmd::Havoc(x) => *flag = needed.remove(&x),
            }
        }
    }
    relevant
}

/// Returns true if `{pre} block {post}` holds; `false` also when the solver gave up.
pub fn valid<S: Solver + ?Sized>(
    solver: &mut S,
    terms: &mut Terms,
    pre: Term,
    block: &[Cmd],
    post: Term,
    limits: &Limits,
) -> Result<bool, Inconclusive> {
    if terms.as_bool(post) == Some(true) || terms.as_bool(pre) == Some(false) {
        return Ok(true);
    }
    let mut store = SymbolicStore::default();
    let mut assumptions = terms.conjuncts(pre);
    assumptions.extend(store.run(terms, block));
    let wrong = terms.not(post);
    let wrong = store.apply(terms, wrong);
    assumptions.extend(terms.conjuncts(wrong));
    Ok(solver.core(terms, &assumptions, limits)?.is_some())
}
