//! RULETERMINATION: every fair execution ends, shown one thread at a time, whatever their number.
//!
//! `certify`, module `modular::ranks`, says what a proof is and why it suffices; here one is looked for.
//!
//! | the paper, Fig. 3 | here | ensures |
//! |---|---|---|
//! | S1–S6 | [`semantics::modular::clauses`], solved by [`facts`] | invariants of each thread, by elimination; no query is left to refute |
//! | T1, T2 | [`blocks`] | heads of loops are outside of blocks, so that none goes on for ever |
//! | T3, T4 | [`ranks`] | ranks of one thread after the other that no other thread increases for ever |
//! | | [`Waiting`] | no thread is blocked for ever |
//!
//! ```text
//! while some template has a component that is left:
//!     a rank that its own steps and the others' do not raise, and that falls on some step; or
//!     a thread that takes finitely many steps comes to rest, which later ranks may assume
//! ```
//! The order is greedy: what is known to be taken finitely often stays so, and only makes more ranks possible.
//!
//! # Direction of error
//! Facts may be too weak and ranks missing: the answer is then *unknown*. An execution that does not end is for others to find ([`crate::termination`]).

mod ranks;
#[cfg(test)]
mod tests;

use super::facts::{self, Houdini};
use super::movers::{self, Movers};
use super::{count, written};
use crate::ranking::Bounds;
use base::{Budget, Inconclusive, Stats};
use evidence::{CommitPhase, CommitPhases, FormulaWriter, ModularRanking, Proof};
use logic::chc::{self, Solution};
use logic::{Embedded, Limits, Solver, Terms};
use program::Property;
use ranks::Ranks;
use semantics::Analysis;
use semantics::encoding::Encoder;
use semantics::modular::{Blocks, Model, Rule, Waiting, blocks::loop_heads, rule};
use std::sync::Arc;

/// No query is worth more conflicts: a rank, or a fact, that is hard to see is given up.
const MAX_CONFLICTS: u64 = 20_000;

/// Proves that every fair execution ends.
pub fn prove(
    analysis: &Arc<Analysis<'_>>,
    reduction: bool,
    bounds: Bounds,
    budget: &Budget,
    stats: &mut Stats,
) -> Result<Proof, Inconclusive> {
    let limits = Limits { conflicts: Some(MAX_CONFLICTS), ..Limits::of(budget) };
    let mut terms = Terms::new();
    let mut encoder = Encoder::new(analysis)?;
    let model = Model::of(&mut encoder, &mut terms)?;
    let locks = movers::locks(&model, &mut terms, &limits)?;
    let claims = blocks(&model, reduction, &mut terms, &limits)?;
    let blocks = Blocks::of(&model, CommitPhase::outside(&claims));
    count(stats, &model, &blocks);
    let rule = rule(&model, &blocks, &mut terms, Property::Termination);
    let mut solver = Embedded::new();
    let mut waiting = Waiting {
        model: &model,
        locks: &locks,
        terms: &mut terms,
        solver: &mut solver,
        limits: &Limits::of(budget),
    };
    if let Some(why) = waiting.blocked_for_ever()? {
        return Err(Inconclusive::NoProof(why));
    }
    let wanted =
        Houdini { model: &model, blocks: &blocks, rule: &rule, locks: &locks, sizes: facts::FOR_RANKS };
    let facts = wanted.solve(&mut terms, &mut solver, &limits)?;
    let solution = without_queries(&rule, facts, &mut terms, &mut solver, &limits, stats)?;
    let mut search = Ranks::new(&model, &blocks, &rule, &solution, &mut terms, &mut solver, &limits, bounds);
    let found = search.cut()?;
    let (stages, n_queries) = (std::mem::take(&mut search.stages), search.n_queries);
    stats.add("ranking_stages", stages.len() as u64);
    stats.add("ranking_queries", n_queries);
    stats.add("solver_calls", solver.statistics().calls);
    stats.measure("solver_s", solver.statistics().seconds);
    if !found {
        return Err(Inconclusive::NoProof("no ranking function was found for a loop of a thread".to_owned()));
    }
    let mut writer = FormulaWriter::new(&terms);
    let stages = stages.into_iter().map(|stage| stage.map(|value| writer.write(value))).collect();
    let identities = encoder.interp().identities();
    let invariants = written(&terms, writer, identities, claims, &locks, &solution);
    Ok(Proof::ModularRanking(Box::new(ModularRanking { invariants, stages })))
}

/// Blocks without loops.
fn blocks(
    model: &Model,
    reduction: bool,
    terms: &mut Terms,
    limits: &Limits,
) -> Result<CommitPhases, Inconclusive> {
    if !reduction {
        return Ok(CommitPhase::all_outside(model));
    }
    let mut claims = Movers::of(model, terms, limits)?.reduce(model);
    let outside = CommitPhase::outside(&claims);
    for (c, template) in model.templates.iter_enumerated() {
        loop_heads(template, &outside[c]).into_iter().for_each(|n| claims[c][n] = CommitPhase::Outside);
    }
    Ok(claims)
}

/// A solution under which no query can be derived: nothing without a meaning is done.
fn without_queries(
    rule: &Rule,
    facts: Solution,
    terms: &mut Terms,
    solver: &mut Embedded,
    limits: &Limits,
    stats: &mut Stats,
) -> Result<Solution, Inconclusive> {
    if facts::refutes_queries(&rule.system, &facts, terms, solver, limits)? {
        return Ok(facts);
    }
    let mut hints = Vec::new();
    for (pred, fact) in facts.iter_enumerated() {
        hints.extend(terms.conjuncts(*fact).into_iter().map(|part| (pred, part)));
    }
    let solved = match chc::solve(&rule.system, terms, &hints, limits, stats)? {
        chc::Answer::Solved(solved) => solved,
        chc::Answer::Derived(derivation) => {
            let query = derivation.last().map(|d| d.clause).unwrap_or_default();
            let stop = rule.queries.get(&query).cloned().flatten();
            return Err(stop.unwrap_or(Inconclusive::SolverGaveUp));
        }
    };
    // Two solutions together are one.
    Ok(facts.iter().zip(solved.iter()).map(|(a, b)| terms.and2(*a, *b)).collect())
}
