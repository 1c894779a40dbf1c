//! RedComp: Lipton reduction with compositional proofs.
//!
//! After Popeea, Rybalchenko and Wilhelm, *Reduction for compositional verification of multi-threaded programs*, FMCAD 2014 ("the
//! paper").
//!
//! | the paper | here | ensures |
//! |---|---|---|
//! | threads' transition relations | [`semantics::modular`] | each thread's actions, apart from the others |
//! | V, inference of reducible blocks | [`movers`] | places that others need not see are inside blocks |
//! | IV, RULESAFETY | [`semantics::modular::clauses`] | Horn clauses whose solution is a proof |
//! | HSF | [`logic::chc`] | a solution, or a derivation |
//! | IV, RULETERMINATION | [`terminate`] | ranks of each thread |
//!
//! # Answers
//! - A solution of the clauses is the proof; it is handed over together with the claims about blocks and locks, and `certify` checks all of them.
//! - A derivation is no execution: the rule does not see other threads' locals, and a template's instances are all alike. So
//!   when the clauses have no solution, or the time for a proof is over, Impact looks for an execution that violates the property, in the time that is left. If it finds one,
//!   that is the answer; if it proves that there is none, its own proof is the answer; otherwise there is none.
//!
//! # Deviations
//! The movers are inferred (the paper's evaluation had them by hand), with repairs that [`movers`] lists.

mod facts;
pub mod movers;
pub mod terminate;
#[cfg(test)]
mod tests;

use crate::task::{Engine, Task};
use base::{Budget, Inconclusive, Stats};
use evidence::{CommitPhase, CommitPhases, FormulaWriter, ModularProof, Outcome, Proof};
use facts::Houdini;
use logic::chc::{self, PredId, Solution};
use logic::{Embedded, Limits, Symbol, Term, Terms};
use movers::Movers;
use program::interp::Identities;
use program::{Program, Property};
use semantics::Analysis;
use semantics::encoding::Encoder;
use semantics::modular::{
    Blocks, FINISHED, HeldLocks, Model, POSITION_WIDTH, PerNode, Rule, UNSTARTED, rule,
};
use std::collections::BTreeSet;

/// How to search.
#[derive(clap::Args, Clone, Copy, PartialEq, Eq, Debug)]
#[group(id = "redcomp")]
pub struct Options {
    /// Take reducible blocks as one step (off: the rule of Owicki and Gries)
    #[arg(long, value_name = "on|off", value_parser = crate::options::on_off(), action = clap::ArgAction::Set, default_value = "on", hide_possible_values = true)]
    pub reduction: bool,
    /// True if Impact searches for an execution when the clauses have no solution.
    #[arg(skip = true)]
    pub search_violation: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { reduction: true, search_violation: true }
    }
}

/// The share of the time for the proof; the rest is for looking for an execution.
const PROOF_SHARE: f64 = 0.6;
/// The share of the time for a proof that simple facts may take.
const FACTS_SHARE: f64 = 0.5;
/// No simple fact is worth more conflicts.
const MAX_CONFLICTS: u64 = 20_000;

impl Engine for Options {
    fn name(&self) -> &'static str {
        "redcomp"
    }

    fn supports(&self, property: Property) -> bool {
        // Which heap objects are left when the program ends is no property of one thread.
        matches!(property, Property::UnreachCall | Property::NoOverflow)
            || property.is_about_validity() && !property.is_about_leaks()
    }

    fn search(&self, task: &Task<'_>, stats: &mut Stats) -> Outcome {
        let part = if self.search_violation { task.budget.share(PROOF_SHARE) } else { task.budget.clone() };
        match prove(&task.within(part), self, stats) {
            Ok(Some(proof)) => Outcome::Safe(Proof::Modular(Box::new(proof))),
            Ok(None) | Err(Inconclusive::OutOfTime | Inconclusive::SolverGaveUp) if self.search_violation => {
                stats.name("answered_by", "impact");
                crate::impact::Options::default().search(task, stats)
            }
            Ok(None) => {
                Outcome::Unknown(Inconclusive::NoProof("the thread-modular rule has no solution".to_owned()))
            }
            Err(why) => Outcome::Unknown(why),
        }
    }
}

/// A proof, unless the clauses have no solution.
fn prove(
    task: &Task<'_>,
    options: &Options,
    stats: &mut Stats,
) -> Result<Option<ModularProof>, Inconclusive> {
    let limits = Limits::of(&task.budget);
    let mut terms = Terms::new();
    let mut encoder = Encoder::new(&task.analysis)?.checking(task.property);
    if encoder.mortal_shared_site().is_some() {
        let what =
            "an object that may cease to live while other threads access it, in a thread-modular proof";
        return Err(Inconclusive::Unsupported(what.to_owned()));
    }
    let model = Model::of(&mut encoder, &mut terms)?;
    let (claims, locks) = if options.reduction {
        let movers = Movers::of(&model, &mut terms, &limits)?;
        (movers.reduce(&model), movers.held)
    } else {
        let none = model.templates.iter().map(|c| PerNode::of(Default::default(), c.nodes.len())).collect();
        (CommitPhase::all_outside(&model), none)
    };
    let blocks = Blocks::of(&model, CommitPhase::outside(&claims));
    count(stats, &model, &blocks);
    let rule = rule(&model, &blocks, &mut terms, task.property);
    let answer = match by_facts(&model, &blocks, &rule, &locks, &mut terms, &task.budget)? {
        Some(solution) => chc::Answer::Solved(solution),
        None => {
            let hints = hints(&model, &rule, &mut terms);
            chc::solve(&rule.system, &mut terms, &hints, &limits, stats)?
        }
    };
    match answer {
        chc::Answer::Solved(solution) => {
            let (writer, identities) = (FormulaWriter::new(&terms), encoder.interp().identities());
            Ok(Some(written(&terms, writer, identities, claims, &locks, &solution)))
        }
        chc::Answer::Derived(derivation) => {
            let query = derivation.last().map(|d| d.clause).unwrap_or_default();
            match rule.queries.get(&query) {
                // A derivation is no execution.
                Some(Some(Inconclusive::Undefined(what))) if !options.search_violation => {
                    Err(Inconclusive::NoProof(format!(
                        "thread by thread, undefined behaviour is possible: {what}"
                    )))
                }
                Some(Some(stop)) if !options.search_violation => Err(stop.clone()),
                _ => Ok(None),
            }
        }
    }
}

/// A solution made of simple facts, if there is one: most accesses are valid because of bounds, and what locks protect is mostly an equation or a comparison. Unlike solving by
/// refinement, which follows a loop round by round, this does not depend on how often a loop creates threads.
fn by_facts(
    model: &Model,
    blocks: &Blocks,
    rule: &Rule,
    locks: &HeldLocks,
    terms: &mut Terms,
    budget: &Budget,
) -> Result<Option<Solution>, Inconclusive> {
    let limits = Limits { conflicts: Some(MAX_CONFLICTS), ..Limits::of(&budget.share(FACTS_SHARE)) };
    let mut solver = Embedded::new();
    let wanted = Houdini { model, blocks, rule, locks, sizes: facts::FOR_INDICES };
    let found = wanted.solve(terms, &mut solver, &limits).and_then(|facts| {
        let enough = facts::refutes_queries(&rule.system, &facts, terms, &mut solver, &limits)?;
        Ok(enough.then_some(facts))
    });
    match found {
        Err(Inconclusive::OutOfTime) => Ok(None),
        found => found,
    }
}

/// Writes down a proof.
fn written(
    terms: &Terms,
    mut writer: FormulaWriter<'_>,
    identities: Identities,
    commit_phases: CommitPhases,
    locks: &HeldLocks,
    solution: &Solution,
) -> ModularProof {
    let texts = |locks: &BTreeSet<Symbol>| locks.iter().map(|lock| terms.name(*lock).to_owned()).collect();
    let locks = locks.iter().map(|nodes| nodes.iter().map(texts).collect()).collect();
    let solution = solution.iter().map(|meaning| writer.write(*meaning)).collect();
    ModularProof { identities, formulas: writer.finish(), commit_phases, locks, solution }
}

fn count(stats: &mut Stats, model: &Model, blocks: &Blocks) {
    stats.add("threads", model.templates.len() as u64);
    stats.add("templates", model.templates.iter().filter(|c| c.replicated).count() as u64);
    stats.add("template_nodes", model.templates.iter().map(|c| c.nodes.len() as u64).sum());
    stats.add("nodes_outside_blocks", model.templates.ids().map(|c| blocks.reached(c).len() as u64).sum());
    stats.add("segments", blocks.segments.iter().map(|s| s.len() as u64).sum());
}

/// What every invariant is asked about: whether the other threads have started and ended.
fn hints(model: &Model, rule: &Rule, terms: &mut Terms) -> Vec<(PredId, Term)> {
    let mut hints = Vec::new();
    for pred in rule.system.predicates.ids() {
        for (_, template) in model.singles() {
            let Some(position) = template.position else { continue };
            if !rule.system.predicates[pred].params.contains(&position) {
                continue;
            }
            for value in [UNSTARTED, FINISHED] {
                let (now, at) = (terms.var_of(position), terms.constant(value, POSITION_WIDTH));
                let there = terms.eq(now, at);
                hints.push((pred, there));
                hints.push((pred, terms.not(there)));
            }
        }
    }
    hints
}

/// For each thread, its places, how its actions can be moved, and the blocks.
pub fn show(program: &Program) -> Result<String, Inconclusive> {
    let limits = Limits::none();
    let mut terms = Terms::new();
    let mut encoder = Encoder::new(&Analysis::of(program))?;
    let model = Model::of(&mut encoder, &mut terms)?;
    let movers = Movers::of(&model, &mut terms, &limits)?;
    Ok(movers.show(program, &model, &terms))
}
