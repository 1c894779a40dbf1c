//! Checks a thread-modular proof of termination.
//!
//! After Popeea, Rybalchenko and Wilhelm's RULETERMINATION (FMCAD 2014, Fig. 3), with ranking functions for each thread template instead of one relation for all.
//!
//! | the paper | here |
//! |---|---|
//! | T1, T2: no block continues for ever | no block has a loop: heads of loops are outside of blocks |
//! | T3, T4: no infinite sequence of blocks | [`ModularStage::Ranking`]: ranking functions of one template that its own transactions and interference do not increase |
//!
//! # What is claimed
//! Locks, blocks and invariants as for safety ([`super`]), and *stages*. Each stage shows of some transactions of one template that every instance takes them
//! finitely often; [`Finite`] says what follows. In the end that must be so of all transactions.
//!
//! - [`ModularStage::Ranking`]: a number for each node of a strongly connected component of the rest of the template's graph (a bit-vector, compared as a
//!   signed number, in the variables of the node's invariant). No transaction of the component increases it, and no transaction of *another* thread does so
//!   while this one is there, unless that transaction is known to be taken finitely often by all threads together. Then from some point on it never increases,
//!   and the transactions on which it decreases are taken finitely often.
//! - [`ModularStage::Rests`]: a thread that is created once and is known to take finitely many transactions ends up where it can be blocked, or has ended, or never
//!   starts; for in a fair execution it does not stop where it can move (SOUNDNESS: A25). Later stages may assume that.
//!
//! The union of the relations is not what is well-founded here, but their lexicographic composition; so no transitive closure is needed (as printed, T3 and T4
//! lack it). What *is* needed is that interference is checked transaction by transaction: each one for itself increases no ranking function.
//!
//! # Blocks and infinite executions
//! An infinite execution is rearranged like a finite one, one commit after the other. A block that is never committed has no loop, so it is finite, and is dropped;
//! one that is committed but never completed is completed, which is always possible. An instance that takes infinitely many actions commits infinitely many
//! blocks. That no thread is blocked for ever ([`semantics::modular::Waiting`]) is shown without blocks: a thread may wait in the middle of one.
//!
//! # Which threads have to come to an end
//! All; or only the main thread, if it ends by ending the program and cannot be blocked.

use crate::CheckedSolver;
use crate::{demand, failed};
use base::{Budget, Inconclusive};
use evidence::{FormulaId, ModularRanking, ModularStage, Rebuilt};
use logic::chc::{Atom, Solution};
use logic::{Limits, Solver, Term, Terms};
use program::{Program, Property};
use rustc_hash::FxHashMap;
use semantics::modular::{
    Blocks, Finite, Model, Rule, TemplateId, TemplateNodeId, Values, blocks::loop_heads, ends_alone, rests,
};

/// Checks that `proof` proves termination.
pub(crate) fn check(
    program: &Program,
    property: Property,
    proof: &ModularRanking,
    budget: &Budget,
) -> Result<(), Inconclusive> {
    demand(property == Property::Termination, || {
        format!("ranking functions prove nothing about {property}")
    })?;
    super::check_with(program, property, &proof.invariants, Some(&proof.stages), budget)
}

/// A stage with the terms of its formulas.
pub(super) fn rebuild(
    stage: &ModularStage<FormulaId>,
    formulas: &Rebuilt,
) -> Result<ModularStage<Term>, Inconclusive> {
    Ok(match stage {
        ModularStage::Ranking { template, values } => {
            let value = |(node, id): &(TemplateNodeId, FormulaId)| Ok((*node, formulas.get(*id)?));
            let values: Result<Vec<(TemplateNodeId, Term)>, String> = values.iter().map(value).collect();
            ModularStage::Ranking { template: *template, values: values.map_err(Inconclusive::CheckFailed)? }
        }
        ModularStage::Rests(template) => ModularStage::Rests(*template),
    })
}

struct Stages<'a> {
    model: &'a Model,
    blocks: &'a Blocks,
    rule: &'a Rule,
    solution: &'a Solution,
    terms: &'a mut Terms,
    solver: CheckedSolver,
    limits: &'a Limits,
    finite: Finite<'a>,
    /// What holds from some point on.
    rests: Vec<Term>,
}

pub(super) fn check_stages(
    model: &Model,
    blocks: &Blocks,
    rule: &Rule,
    solution: &Solution,
    stages: &[ModularStage<Term>],
    terms: &mut Terms,
    limits: &Limits,
) -> Result<(), Inconclusive> {
    for (c, template) in model.templates.iter_enumerated() {
        demand(loop_heads(template, &blocks.outside[c]).is_empty(), || {
            format!("a block of {} may continue for ever", template.name)
        })?;
        let later = template.nodes.iter().flat_map(|n| &n.edges).flat_map(|e| &e.creates).all(|k| *k > c);
        demand(later, || format!("{} may create threads like itself for ever", template.name))?;
    }
    let (solver, finite) = (CheckedSolver::new(), Finite::new(model, rule));
    let rests = Vec::new();
    let mut checker = Stages { model, blocks, rule, solution, terms, solver, limits, finite, rests };
    for stage in stages {
        match stage {
            ModularStage::Ranking { template, values } => checker.ranking(*template, values)?,
            ModularStage::Rests(template) => checker.come_to_rest(*template)?,
        }
    }
    let done = |template: TemplateId| checker.finite.is_done(template);
    demand(done(TemplateId::MAIN) && (ends_alone(model) || model.templates.ids().all(done)), || {
        "an infinite execution is left".to_owned()
    })
}

impl Stages<'_> {
    fn ranking(
        &mut self,
        template: TemplateId,
        values: &[(TemplateNodeId, Term)],
    ) -> Result<(), Inconclusive> {
        demand(self.model.templates.get(template).is_some(), || {
            "a ranking function of no thread".to_owned()
        })?;
        let values: FxHashMap<TemplateNodeId, Term> = values.iter().copied().collect();
        let components = self.finite.components(template);
        for component in components.iter().filter(|c| c.iter().any(|n| values.contains_key(n))) {
            self.is_about_the_state(template, component, &values)?;
            self.stable(template, component, &values)?;
            let mut decreased = Vec::new();
            for n in self.finite.left(template).collect::<Vec<_>>() {
                let step = &self.rule.moves[n];
                let Some(to) = step.to else { continue };
                if component.contains(&step.from) && component.contains(&to) {
                    let given = self.given(&step.body, step.constraint, &step.before, &step.after);
                    let (now, then) = (values[&step.from], values[&to]);
                    if self.decreases(given, (now, &step.before), (then, &step.after))? {
                        decreased.push(n);
                    }
                }
            }
            self.finite.add(&decreased);
        }
        Ok(())
    }

    /// Every node of a component has a value, of one width, in variables of its invariant.
    fn is_about_the_state(
        &self,
        template: TemplateId,
        component: &[TemplateNodeId],
        values: &FxHashMap<TemplateNodeId, Term>,
    ) -> Result<(), Inconclusive> {
        let mut sorts = Vec::new();
        for n in component {
            let missing = || failed("a node of a component has no value");
            let (value, pred) = (values.get(n), self.rule.invariants.get(&(template, *n)));
            let (value, pred) = value.zip(pred).ok_or_else(missing)?;
            let params = &self.rule.system.predicates[*pred].params;
            demand(self.terms.free_vars(*value).iter().all(|x| params.contains(x)), || {
                "a ranking function speaks of more than its invariant".to_owned()
            })?;
            sorts.push(self.terms.sort(*value));
        }
        let same = sorts.iter().all(|s| s.width().is_some() && *s == sorts[0]);
        demand(same, || "values of different widths".to_owned())
    }

    /// Interference does not increase the ranking function, as far as it may be taken infinitely often.
    fn stable(
        &mut self,
        template: TemplateId,
        component: &[TemplateNodeId],
        values: &FxHashMap<TemplateNodeId, Term>,
    ) -> Result<(), Inconclusive> {
        for d in
            self.rule.interferences.iter().filter(|d| d.template == template && component.contains(&d.node))
        {
            if !self.finite.is_taken_finitely_often(d.by) {
                let value = values[&d.node];
                if self.terms.substitute(value, &d.before) == self.terms.substitute(value, &d.after) {
                    continue;
                }
                let given = self.given(&d.body, d.constraint, &d.before, &d.after);
                self.decreases(given, (value, &d.before), (value, &d.after))?;
            }
        }
        Ok(())
    }

    /// What holds when a transaction is taken.
    fn given(&mut self, body: &[Atom], constraint: Term, before: &Values, after: &Values) -> Vec<Term> {
        let mut given = vec![constraint];
        for atom in body {
            given.push(self.rule.system.meaning(self.terms, self.solution[atom.pred], atom));
        }
        for rests in &self.rests {
            given.push(self.terms.substitute(*rests, before));
            given.push(self.terms.substitute(*rests, after));
        }
        given
    }

    /// Returns true if a ranking function decreases on a transaction; fails if it can increase.
    fn decreases(
        &mut self,
        mut given: Vec<Term>,
        (now, before): (Term, &Values),
        (then, after): (Term, &Values),
    ) -> Result<bool, Inconclusive> {
        self.limits.budget.check()?;
        let (now, then) = (self.terms.substitute(now, before), self.terms.substitute(then, after));
        given.push(self.terms.sle(now, then));
        if self.impossible(&given)? {
            return Ok(true);
        }
        given.pop();
        given.push(self.terms.slt(now, then));
        let never = self.impossible(&given)?;
        demand(never, || "a ranking function can increase".to_owned())?;
        Ok(false)
    }

    fn impossible(&mut self, given: &[Term]) -> Result<bool, Inconclusive> {
        let all = self.terms.and(given);
        Ok(self.solver.check(self.terms, &self.terms.conjuncts(all), self.limits)?.is_unsat())
    }

    fn come_to_rest(&mut self, template: TemplateId) -> Result<(), Inconclusive> {
        let known = self.model.templates.get(template).is_some_and(|c| !c.replicated)
            && self.finite.is_done(template);
        demand(known, || "a thread that may continue for ever does not come to rest".to_owned())?;
        self.rests.extend(rests(self.model, self.blocks, self.terms, template));
        Ok(())
    }
}
