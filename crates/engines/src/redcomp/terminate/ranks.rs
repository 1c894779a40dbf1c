//! Ranks of one thread at a time: the search.
//!
//! Candidates are guessed ([`crate::common::ranking`]) and filtered by *samples*, steps that the solver found; what passes all samples is asked of the solver,
//! whose counterexamples are further samples. A step is one of the thread's own, on which a rank should not rise and somewhere fall, or one of another thread,
//! on which it should not rise.
//!
//! A rank is one term for all nodes of a component, in which a variable that is dead at a node counts as one: `while (go_on) { …; go_on = 0; }` needs `go_on` there, too.

use crate::common::ranking::{Candidate, Templates, Transitions, distances, far_below_zero, find_ranking};
use crate::ranking::Bounds;
use base::Inconclusive;
use evidence::ModularStage;
use logic::chc::{Atom, Solution};
use logic::{Answer, Embedded, Limits, Model as Sample, Solver, Sort, Symbol, Term, Terms};
use rustc_hash::FxHashSet;
use semantics::modular::{
    Blocks, Finite, Model, MoveId, PerTemplate, Rule, TemplateId, TemplateNodeId, Values, ends_alone, rests,
};

/// Maximum number of candidates of one component that the solver checks.
const MAX_QUERIES: u64 = 200;

/// A step, of the thread itself or of another one.
struct RankingStep {
    /// The number of the step, if it is one of the thread's own.
    own: Option<MoveId>,
    given: Vec<Term>,
    before: Values,
    after: Values,
    samples: Vec<Sample>,
}

/// The search.
pub(super) struct Ranks<'a> {
    model: &'a Model,
    blocks: &'a Blocks,
    rule: &'a Rule,
    solution: &'a Solution,
    terms: &'a mut Terms,
    solver: &'a mut Embedded,
    limits: &'a Limits,
    bounds: Bounds,
    finite: Finite<'a>,
    /// What holds from some point on.
    rests: Vec<Term>,
    pub(super) stages: Vec<ModularStage<Term>>,
    /// Number of ranking functions that the solver checked.
    pub(super) n_queries: u64,
}

impl<'a> Ranks<'a> {
    #[allow(clippy::too_many_arguments)]
    pub(super) fn new(
        model: &'a Model,
        blocks: &'a Blocks,
        rule: &'a Rule,
        solution: &'a Solution,
        terms: &'a mut Terms,
        solver: &'a mut Embedded,
        limits: &'a Limits,
        bounds: Bounds,
    ) -> Self {
        let finite = Finite::new(model, rule);
        let (rests, stages) = (Vec::new(), Vec::new());
        Self {
            model,
            blocks,
            rule,
            solution,
            terms,
            solver,
            limits,
            bounds,
            finite,
            rests,
            stages,
            n_queries: 0,
        }
    }

    /// Looks for stages until nothing is left, or nothing more is found; whether nothing is left.
    pub(super) fn cut(&mut self) -> Result<bool, Inconclusive> {
        let mut at_rest = PerTemplate::of(false, self.model.templates.len());
        loop {
            let mut any = false;
            for template in self.model.templates.ids() {
                for component in self.finite.components(template) {
                    any |= self.rank(template, &component)?;
                }
            }
            let done = |template: TemplateId| self.finite.is_done(template);
            if done(TemplateId::MAIN) && (ends_alone(self.model) || self.model.templates.ids().all(done)) {
                return Ok(true);
            }
            if any {
                continue;
            }
            for (template, _) in self.model.singles() {
                if self.finite.is_done(template) && !std::mem::replace(&mut at_rest[template], true) {
                    self.rests.extend(rests(self.model, self.blocks, self.terms, template));
                    self.stages.push(ModularStage::Rests(template));
                    any = true;
                }
            }
            if !any {
                return Ok(false);
            }
        }
    }

    /// Looks for a rank of a component.
    fn rank(&mut self, template: TemplateId, component: &[TemplateNodeId]) -> Result<bool, Inconclusive> {
        let mut steps = self.steps(template, component);
        let mut impossible = Vec::new();
        for step in &mut steps {
            if !self.asks(step, None)? && step.samples.is_empty() {
                impossible.extend(step.own);
                step.own = None;
            }
        }
        if !impossible.is_empty() {
            let rank = self.terms.constant(0, 1);
            self.found(template, component, rank, &impossible);
            return Ok(true);
        }
        steps.retain(|step| !step.samples.is_empty());
        let templates = self.templates(template, component, &steps);
        // It should fall on one of the thread's own steps, which come first.
        let n_own = steps.iter().filter(|s| s.own.is_some()).count();
        let mut n_queries = self.n_queries;
        let found = find_ranking(
            &mut Steps { ranks: self, template, component, steps },
            &templates,
            n_own,
            (MAX_QUERIES, &mut n_queries),
        );
        self.n_queries = n_queries;
        found
    }

    fn found(&mut self, template: TemplateId, component: &[TemplateNodeId], rank: Term, fallen: &[MoveId]) {
        let ranks = component.iter().map(|n| {
            let dead = self.dead(template, component, *n);
            (*n, self.terms.substitute(rank, &dead))
        });
        let ranks = ranks.collect();
        self.stages.push(ModularStage::Ranking { template, values: ranks });
        self.finite.add(fallen);
    }

    /// The steps that matter to a component: its own, then those of others that may go on for ever.
    fn steps(&mut self, template: TemplateId, component: &[TemplateNodeId]) -> Vec<RankingStep> {
        let rule = self.rule;
        let inside = |n: &TemplateNodeId| component.binary_search(n).is_ok();
        let mut steps = Vec::new();
        for n in self.finite.left(template).collect::<Vec<_>>() {
            let step = &rule.moves[n];
            let Some(to) = step.to.filter(|to| inside(&step.from) && inside(to)) else { continue };
            let mut own = self.step(Some(n), &step.body, step.constraint, &step.before, &step.after);
            own.before.extend(self.dead(template, component, step.from));
            own.after.extend(self.dead(template, component, to));
            steps.push(own);
        }
        for d in rule.interferences.iter().filter(|d| d.template == template && inside(&d.node)) {
            if !self.finite.is_taken_finitely_often(d.by) {
                let mut step = self.step(None, &d.body, d.constraint, &d.before, &d.after);
                let dead = self.dead(template, component, d.node);
                step.before.extend(dead.clone());
                step.after.extend(dead);
                steps.push(step);
            }
        }
        steps
    }

    /// The variables of an invariant.
    fn params(&self, template: TemplateId, node: TemplateNodeId) -> &'a [Symbol] {
        &self.rule.system.predicates[self.rule.invariants[&(template, node)]].params
    }

    /// Values for the variables of a component that a node's invariant does not know.
    fn dead(&mut self, template: TemplateId, component: &[TemplateNodeId], node: TemplateNodeId) -> Values {
        let mut dead = Values::default();
        let all: Vec<&[Symbol]> = component.iter().map(|n| self.params(template, *n)).collect();
        for x in all.into_iter().flatten() {
            if !self.params(template, node).contains(x) {
                let one = match self.terms.sort(self.terms.var_of(*x)) {
                    Sort::Bool => self.terms.tt(),
                    Sort::Bits(width) => self.terms.constant(1, width),
                    Sort::Array { .. } => continue,
                };
                dead.insert(*x, one);
            }
        }
        dead
    }

    fn step(
        &mut self,
        own: Option<MoveId>,
        body: &[Atom],
        constraint: Term,
        before: &Values,
        after: &Values,
    ) -> RankingStep {
        let mut given = vec![constraint];
        for atom in body {
            given.push(self.rule.system.meaning(self.terms, self.solution[atom.pred], atom));
        }
        for rests in &self.rests {
            given.push(self.terms.substitute(*rests, before));
            given.push(self.terms.substitute(*rests, after));
        }
        let all = self.terms.and(&given);
        let given = self.terms.conjuncts(all);
        RankingStep { own, given, before: before.clone(), after: after.clone(), samples: Vec::new() }
    }

    /// Returns true if a step can be taken such that something holds (or the solver gave up); it is a sample then.
    fn asks(&mut self, step: &mut RankingStep, also: Option<Term>) -> Result<bool, Inconclusive> {
        self.limits.budget.check()?;
        let mut query = step.given.clone();
        query.extend(also);
        match self.solver.check(self.terms, &query, self.limits)? {
            Answer::Unsat(_) => Ok(false),
            Answer::Unknown => {
                if step.samples.is_empty() {
                    step.samples.push(Sample::default());
                }
                Ok(true)
            }
            Answer::Sat(model) => {
                step.samples.push(model);
                Ok(true)
            }
        }
    }

    /// What ranks can be made of: variables of the nodes' invariants that the thread's own steps change, and what their conditions compare.
    fn templates(
        &mut self,
        template: TemplateId,
        component: &[TemplateNodeId],
        steps: &[RankingStep],
    ) -> Templates {
        let rule = self.rule;
        let known: FxHashSet<Symbol> =
            component.iter().flat_map(|n| self.params(template, *n)).copied().collect();
        let mut changed: Vec<Symbol> = Vec::new();
        let mut conditions = Vec::new();
        for n in steps.iter().filter_map(|s| s.own) {
            let step = &rule.moves[n];
            conditions.push(step.constraint);
            for (x, value) in &step.after {
                let before = step.before.get(x).copied().unwrap_or_else(|| self.terms.var_of(*x));
                let is_number = matches!(self.terms.sort(*value), Sort::Bool | Sort::Bits(1..=64));
                if before != *value && is_number && known.contains(x) {
                    changed.push(*x);
                }
            }
        }
        changed.sort_unstable();
        changed.dedup();
        let mut distances = distances(self.terms, &conditions);
        distances.retain(|(a, b, _)| {
            [*a, *b].into_iter().flat_map(|t| self.terms.free_vars(t)).all(|x| known.contains(&x))
        });
        Templates::new(self.terms, &changed, distances)
    }

    /// By how much each template falls on the samples of a step, from the given one on.
    fn changes(&mut self, step: &RankingStep, templates: &Templates, skip: usize) -> Vec<Vec<i128>> {
        let now: Vec<Term> =
            templates.terms.iter().map(|t| self.terms.substitute(*t, &step.before)).collect();
        let then: Vec<Term> =
            templates.terms.iter().map(|t| self.terms.substitute(*t, &step.after)).collect();
        templates.decreases(self.terms, (&now, &then), step.samples.iter().skip(skip))
    }

    /// The thread's own steps on which a rank falls; none if it can rise on some step.
    fn try_rank(
        &mut self,
        steps: &mut [RankingStep],
        rank: Term,
        width: logic::Width,
    ) -> Result<Vec<MoveId>, Inconclusive> {
        let mut fallen = Vec::new();
        for step in steps {
            let now = self.terms.substitute(rank, &step.before);
            let then = self.terms.substitute(rank, &step.after);
            if now == then {
                continue;
            }
            if let Some(n) = step.own {
                let stays = self.terms.sle(now, then);
                if !self.asks(step, Some(stays))? && self.is_bounded(step, now, width)? {
                    fallen.push(n);
                    continue;
                }
            }
            let rises = self.terms.slt(now, then);
            if self.asks(step, Some(rises))? {
                return Ok(Vec::new());
            }
        }
        Ok(fallen)
    }

    /// Returns true if a rank cannot be far below zero before a step.
    fn is_bounded(
        &mut self,
        step: &RankingStep,
        now: Term,
        width: logic::Width,
    ) -> Result<bool, Inconclusive> {
        if self.bounds == Bounds::Widths {
            return Ok(true);
        }
        let far = far_below_zero(self.terms, width);
        let mut query = step.given.clone();
        query.push(self.terms.slt(now, far));
        Ok(self.solver.check(self.terms, &query, self.limits)?.is_unsat())
    }
}

/// The steps that matter to a component, of which a ranking function is wanted.
struct Steps<'r, 'a> {
    ranks: &'r mut Ranks<'a>,
    template: TemplateId,
    component: &'r [TemplateNodeId],
    steps: Vec<RankingStep>,
}

impl Transitions for Steps<'_, '_> {
    fn n_samples(&self) -> Vec<usize> {
        self.steps.iter().map(|step| step.samples.len()).collect()
    }

    fn decreases(&mut self, at: usize, templates: &Templates, skip: usize) -> Vec<Vec<i128>> {
        self.ranks.changes(&self.steps[at], templates, skip)
    }

    fn accept(&mut self, templates: &Templates, candidate: &Candidate) -> Result<bool, Inconclusive> {
        let rank = templates.term(self.ranks.terms, candidate);
        let fallen = self.ranks.try_rank(&mut self.steps, rank, templates.width)?;
        if !fallen.is_empty() {
            self.ranks.found(self.template, self.component, rank, &fallen);
        }
        Ok(!fallen.is_empty())
    }
}
