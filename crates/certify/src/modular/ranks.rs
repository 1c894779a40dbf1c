//! Checks a proof of termination that treats one thread at a time.
//!
//! After Popeea, Rybalchenko and Wilhelm's RULETERMINATION (FMCAD 2014, Fig. 3), with ranks for each thread instead of one relation for all.
//!
//! | the paper | here |
//! |---|---|
//! | T1, T2: no block goes on for ever | no block has a loop: heads of loops are outside of blocks |
//! | T3, T4: no infinite sequence of blocks | [`ModularStage::Ranking`]: ranks of one thread that its own steps and the others' do not raise |
//!
//! # What is claimed
//! Locks, blocks and invariants as for safety ([`super`]), and *stages*. Each stage shows of some steps of one template that every instance takes them finitely often;
//! [`Finite`] says what follows. In the end that must be so of all steps.
//!
//! - [`ModularStage::Ranking`]: a number for each node of a strongly connected component of what is left of the template's graph (a bit-vector, compared as a
//!   signed number, in the variables of the node's invariant). No step of the component raises it, and no step of *another* thread does so while this one
//!   stands there, unless that step is known to be taken finitely often by all threads together. Then from some point on it never rises, and the steps on
//!   which it falls are taken finitely often.
//! - [`ModularStage::Rests`]: a thread that is created once and is known to take finitely many steps ends up where it can be blocked, or has ended, or never
//!   starts; for in a fair execution it does not stop where it can move (SOUNDNESS: A25). Later stages may assume that.
//!
//! The union of the relations is not what is well-founded here, but their lexicographic composition; so no transitive closure is needed (as printed, T3 and T4
//! lack it). What *is* needed is that the others' steps are looked at one by one: they raise no rank, each for itself.
//!
//! # Blocks and infinite executions
//! An infinite execution is rearranged like a finite one, one commit after the other. A block that is never committed has no loop, so it is finite, and is dropped;
//! one that is committed but never finished is finished, which is always possible. An instance that takes infinitely many steps commits infinitely many
//! blocks. That nobody is blocked for ever ([`super::waits`]) is shown without blocks: a thread may wait in the middle of one.
//!
//! # Who has to come to an end
//! Everybody; or only the main thread, if it ends by ending the program and cannot be blocked.

use super::demand;
use base::{Budget, Inconclusive};
use evidence::{ModularRanking, ModularStage};
use logic::horn::{Atom, Solution};
use logic::{Embedded, Limits, Solver, Term, Terms};
use program::{Program, Property};
use rustc_hash::FxHashMap;
use semantics::modular::{Blocks, Finite, Model, Rule, Values, blocks::loop_heads, ends_alone, rests};

/// Checks that `proof` proves termination.
pub(crate) fn check(
    program: &Program,
    property: Property,
    proof: &ModularRanking,
    budget: &Budget,
) -> Result<(), Inconclusive> {
    demand(property == Property::Termination, || format!("ranks prove nothing about {property}"))?;
    super::check_with(program, property, &proof.invariants, Some(&proof.stages), budget)
}

struct Stages<'a> {
    model: &'a Model,
    blocks: &'a Blocks,
    rule: &'a Rule,
    solution: &'a Solution,
    terms: &'a mut Terms,
    solver: Embedded,
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
    stages: &[ModularStage],
    terms: &mut Terms,
    limits: &Limits,
) -> Result<(), Inconclusive> {
    for (c, template) in model.templates.iter().enumerate() {
        demand(loop_heads(template, &blocks.outside[c]).is_empty(), || {
            format!("a block of {} may go on for ever", template.name)
        })?;
        let later = template.nodes.iter().flat_map(|n| &n.edges).flat_map(|e| &e.creates).all(|k| *k > c);
        demand(later, || format!("{} may create threads like itself for ever", template.name))?;
    }
    let (solver, finite) = (Embedded::new(), Finite::new(model, rule));
    let rests = Vec::new();
    let mut checker = Stages { model, blocks, rule, solution, terms, solver, limits, finite, rests };
    for stage in stages {
        match stage {
            ModularStage::Ranking { template, ranks } => checker.rank(*template, ranks)?,
            ModularStage::Rests(template) => checker.come_to_rest(*template)?,
        }
    }
    let done = |template: usize| checker.finite.is_done(template);
    demand(done(0) && (ends_alone(model) || (0..model.templates.len()).all(done)), || {
        "an infinite execution is left".to_owned()
    })
}

impl Stages<'_> {
    fn rank(&mut self, template: usize, ranks: &[(usize, Term)]) -> Result<(), Inconclusive> {
        demand(template < self.model.templates.len(), || "a rank of no thread".to_owned())?;
        let ranks: FxHashMap<usize, Term> = ranks.iter().copied().collect();
        let components = self.finite.components(template);
        for component in components.iter().filter(|c| c.iter().any(|n| ranks.contains_key(n))) {
            self.speaks_of_the_state(template, component, &ranks)?;
            self.undisturbed(template, component, &ranks)?;
            let mut fallen = Vec::new();
            for n in self.finite.left(template).collect::<Vec<_>>() {
                let step = &self.rule.moves[n];
                let Some(to) = step.to else { continue };
                if component.contains(&step.from) && component.contains(&to) {
                    let given = self.given(&step.body, step.constraint, &step.before, &step.after);
                    let (now, then) = (ranks[&step.from], ranks[&to]);
                    if self.falls(given, (now, &step.before), (then, &step.after))? {
                        fallen.push(n);
                    }
                }
            }
            self.finite.add(&fallen);
        }
        Ok(())
    }

    /// That every node of a component has a rank, of one width, in variables of its invariant.
    fn speaks_of_the_state(
        &self,
        template: usize,
        component: &[usize],
        ranks: &FxHashMap<usize, Term>,
    ) -> Result<(), Inconclusive> {
        let mut sorts = Vec::new();
        for n in component {
            let missing = || Inconclusive::CheckFailed("a node of a component has no rank".to_owned());
            let (rank, pred) = (ranks.get(n), self.rule.invariants.get(&(template, *n)));
            let (rank, pred) = rank.zip(pred).ok_or_else(missing)?;
            let params = &self.rule.system.predicates[*pred].params;
            demand(self.terms.free_vars(*rank).iter().all(|x| params.contains(x)), || {
                "a rank speaks of more than its invariant".to_owned()
            })?;
            sorts.push(self.terms.sort(*rank));
        }
        let same = sorts.iter().all(|s| s.width().is_some() && *s == sorts[0]);
        demand(same, || "ranks of different widths".to_owned())
    }

    /// That others raise no rank, as far as they may go on for ever.
    fn undisturbed(
        &mut self,
        template: usize,
        component: &[usize],
        ranks: &FxHashMap<usize, Term>,
    ) -> Result<(), Inconclusive> {
        for d in
            self.rule.interferences.iter().filter(|d| d.template == template && component.contains(&d.node))
        {
            if !self.finite.is_taken_finitely_often(d.by) {
                let rank = ranks[&d.node];
                if self.terms.substitute(rank, &d.before) == self.terms.substitute(rank, &d.after) {
                    continue;
                }
                let given = self.given(&d.body, d.constraint, &d.before, &d.after);
                self.falls(given, (rank, &d.before), (rank, &d.after))?;
            }
        }
        Ok(())
    }

    /// What holds when a step is taken.
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

    /// Whether a rank falls on a step; fails if it can rise.
    fn falls(
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
        demand(never, || "a rank can rise".to_owned())?;
        Ok(false)
    }

    fn impossible(&mut self, given: &[Term]) -> Result<bool, Inconclusive> {
        let all = self.terms.and(given);
        Ok(self.solver.check(self.terms, &self.terms.conjuncts(all), self.limits)?.is_unsat())
    }

    fn come_to_rest(&mut self, template: usize) -> Result<(), Inconclusive> {
        let known = self.model.templates.get(template).is_some_and(|c| !c.replicated)
            && self.finite.is_done(template);
        demand(known, || "a thread that may go on for ever does not come to rest".to_owned())?;
        self.rests.extend(rests(self.model, self.blocks, self.terms, template));
        Ok(())
    }
}
