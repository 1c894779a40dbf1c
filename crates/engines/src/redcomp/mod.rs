//! RedComp: Lipton reduction with compositional proofs.
//!
//! After Popeea, Rybalchenko and Wilhelm, *Reduction for compositional verification of multi-threaded programs*, FMCAD 2014 ("the
//! paper").
//!
//! | the paper | here | ensures |
//! |---|---|---|
//! | threads' transition relations | [`symbolic::modular`] | each thread's actions, apart from the others |
//! | V, inference of reducible blocks | [`movers`] | places that others need not see are inside blocks |
//! | IV, RULESAFETY | [`symbolic::modular::clauses`] | Horn clauses whose solution is a proof |
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

pub mod movers;
pub mod terminate;
#[cfg(test)]
mod tests;

use base::{Budget, Stats, Stop};
use certify::{ModularProof, Outcome, Proof};
use logic::chc::{self, PredId};
use logic::{Limits, Term, Terms};
use movers::{Claim, Movers};
use program::{Program, Property};
use std::sync::Arc;
use symbolic::Encoder;
use symbolic::modular::{Blocks, FINISHED, Model, POSITION_WIDTH, Rule, UNSTARTED, rule};

/// How to search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// Whether places are put inside blocks; without, the rule is that of Owicki and Gries.
    pub reduction: bool,
    /// Whether Impact looks for an execution when the clauses have no solution.
    pub search_violation: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { reduction: true, search_violation: true }
    }
}

/// The share of the time for the proof; the rest is for looking for an execution.
const PROOF_SHARE: f64 = 0.6;

/// Whether this engine can be asked about a property.
pub fn supports(property: Property) -> bool {
    matches!(property, Property::UnreachCall | Property::NoOverflow)
}

/// Looks for a proof of `property`.
pub fn verify(
    program: &Program,
    property: Property,
    options: &Options,
    budget: &Budget,
    stats: &mut Stats,
) -> Outcome {
    if !supports(property) {
        return Outcome::Unknown(Stop::Unsupported(format!("property {property} in redcomp")));
    }
    let part = if options.search_violation { budget.share(PROOF_SHARE) } else { budget.clone() };
    match prove(program, property, options, &part, stats) {
        Ok(Some(proof)) => Outcome::Safe(Proof::Modular(Box::new(proof))),
        Ok(None) | Err(Stop::OutOfTime | Stop::SolverGaveUp) if options.search_violation => {
            stats.name("answered_by", "impact");
            crate::impact::verify(program, property, &crate::impact::Options::default(), budget, stats)
        }
        Ok(None) => Outcome::Unknown(Stop::Bound("no proof thread by thread".to_owned())),
        Err(stop) => Outcome::Unknown(stop),
    }
}

/// A proof, unless the clauses have no solution.
fn prove(
    program: &Program,
    property: Property,
    options: &Options,
    budget: &Budget,
    stats: &mut Stats,
) -> Result<Option<ModularProof>, Stop> {
    let limits = Limits::of(budget);
    let mut terms = Terms::new();
    let mut encoder = Encoder::new(program)?;
    let model = Model::of(&mut encoder, &mut terms)?;
    let (claims, locks) = if options.reduction {
        let movers = Movers::of(&model, &mut terms, &limits)?;
        (movers.reduce(&model), movers.held)
    } else {
        let all = |c: &symbolic::modular::Class| vec![Claim::Outside; c.nodes.len()];
        (
            model.classes.iter().map(all).collect(),
            model.classes.iter().map(|c| vec![Default::default(); c.nodes.len()]).collect(),
        )
    };
    let outside = claims.iter().map(|c| c.iter().map(|claim| *claim == Claim::Outside).collect()).collect();
    let blocks = Blocks::of(&model, outside);
    count(stats, &model, &blocks);
    let rule = rule(&model, &blocks, &mut terms, property);
    let hints = hints(&model, &rule, &mut terms);
    match chc::solve(&rule.system, &mut terms, &hints, &limits, stats)? {
        chc::Answer::Solved(solution) => Ok(Some(ModularProof {
            identities: encoder.interp().identities(),
            terms: Arc::new(terms),
            claims: claims.into_iter().map(|c| c.into_iter().map(certified).collect()).collect(),
            locks,
            solution: solution.iter().copied().collect(),
        })),
        chc::Answer::Derived(derivation) => {
            let query = derivation.last().map(|d| d.clause).unwrap_or_default();
            match rule.queries.get(&query) {
                Some(Some(stop)) if !options.search_violation => Err(stop.clone()),
                _ => Ok(None),
            }
        }
    }
}

fn certified(claim: Claim) -> certify::Claim {
    match claim {
        Claim::Outside => certify::Claim::Outside,
        Claim::Before => certify::Claim::Before,
        Claim::After => certify::Claim::After,
    }
}

fn count(stats: &mut Stats, model: &Model, blocks: &Blocks) {
    stats.add("threads", model.classes.len() as u64);
    stats.add("templates", model.classes.iter().filter(|c| c.many).count() as u64);
    stats.add("places", model.classes.iter().map(|c| c.nodes.len() as u64).sum());
    stats.add("places_outside", (0..model.classes.len()).map(|c| blocks.reached(c).len() as u64).sum());
    stats.add("segments", blocks.segments.iter().map(|s| s.len() as u64).sum());
}

/// What every invariant is asked about: whether the other threads have started and ended.
fn hints(model: &Model, rule: &Rule, terms: &mut Terms) -> Vec<(PredId, Term)> {
    let mut hints = Vec::new();
    for pred in rule.system.predicates.ids() {
        for (_, class) in model.singles() {
            let Some(position) = class.position else { continue };
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
pub fn show(program: &Program) -> Result<String, Stop> {
    let limits = Limits::none();
    let mut terms = Terms::new();
    let mut encoder = Encoder::new(program)?;
    let model = Model::of(&mut encoder, &mut terms)?;
    let movers = Movers::of(&model, &mut terms, &limits)?;
    Ok(movers.show(program, &model, &terms))
}
