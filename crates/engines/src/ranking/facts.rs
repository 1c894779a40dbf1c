//! Invariants by elimination: of many simple facts about each control, those that stay true.
//!
//! After Flanagan and Leino (*Houdini, an annotation assistant for ESC/Java*, FME 2001), forwards: a control that was never reached knows everything; the
//! first execution that reaches it leaves the facts that are true of it; every further one takes some away, until no run breaks a fact
//! any more. What is left is inductive, and the strongest such set.
//!
//! The facts: for each live variable its truth value, or whether it is odd and comparisons with constants of the program; for each two of them their order; and the
//! conditions of the program's own branches.

use super::graph::Graph;
use base::Inconclusive;
use logic::path::{SymbolicStore, with_equals};
use logic::{Answer, Model, Op, Solver, Sort, Symbol, Term, Width};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};

/// So many constants of a width are compared with.
const MAX_CONSTANTS: usize = 14;
/// Up to so many variables all pairs are compared, beyond only those that occur together.
const ALL_PAIRS: usize = 9;
/// So many facts of a control at most.
const MAX_FACTS: usize = 1_200;

/// What is known at each control; nothing where no execution comes.
pub(super) type Facts = Vec<Option<Vec<Term>>>;

/// What facts are made of.
pub(super) struct Material {
    constants: BTreeMap<Width, BTreeSet<u128>>,
    /// The widths at which numbers are compared as unsigned ones.
    unsigned: FxHashSet<Width>,
    conditions: Vec<Term>,
    together: FxHashSet<(Symbol, Symbol)>,
}

impl Graph<'_> {
    /// The facts that hold at each control.
    pub(super) fn facts(&mut self, material: &Material) -> Result<Facts, Inconclusive> {
        let mut facts: Facts = vec![None; self.controls.len()];
        let mut store = SymbolicStore::default();
        let conditions = store.run(&mut self.terms, &self.init);
        self.arrive(&mut facts, material, conditions, &store, 0)?;
        let mut waiting: BTreeSet<usize> = [0].into_iter().collect();
        while let Some(at) = waiting.pop_first() {
            for n in self.starting[at].clone() {
                self.limits.budget.check()?;
                let Some(known) = &facts[at] else { continue };
                let (block, to) = (self.runs[n].edge.block.clone(), self.runs[n].to);
                let (mut store, mut conditions) = with_equals(&mut self.terms, known);
                conditions.extend(store.run(&mut self.terms, &block));
                if self.arrive(&mut facts, material, conditions, &store, to)? {
                    waiting.insert(to);
                }
            }
        }
        Ok(facts)
    }

    /// Takes away the facts of a control that need not hold where executions under `conditions` arrive; whether there were any.
    fn arrive(
        &mut self,
        facts: &mut Facts,
        material: &Material,
        conditions: Vec<Term>,
        store: &SymbolicStore,
        to: usize,
    ) -> Result<bool, Inconclusive> {
        let mut changed = false;
        loop {
            let here = match &facts[to] {
                Some(here) => here.clone(),
                None => Vec::new(),
            };
            if facts[to].is_some() && here.is_empty() {
                return Ok(changed);
            }
            let after: Vec<Term> = here.iter().map(|fact| store.apply(&mut self.terms, *fact)).collect();
            let mut question = conditions.clone();
            if facts[to].is_some() {
                let all = self.terms.and(&after);
                question.push(self.terms.not(all));
            }
            match self.solver.check(&self.terms, &question, &self.limits)? {
                Answer::Unsat(_) => return Ok(changed),
                Answer::Unknown => facts[to] = Some(Vec::new()),
                Answer::Sat(model) => {
                    let (candidates, after) = if facts[to].is_some() {
                        (here, after)
                    } else {
                        let all = self.candidates(material, to);
                        let after = all.iter().map(|fact| store.apply(&mut self.terms, *fact)).collect();
                        (all, after)
                    };
                    facts[to] = Some(self.true_ones(&candidates, &after, &model));
                }
            }
            changed = true;
        }
    }

    fn true_ones(&self, facts: &[Term], after: &[Term], model: &Model) -> Vec<Term> {
        let mut known = FxHashMap::default();
        let holds = |t: &Term, known: &mut _| self.terms.eval_with(*t, model, known).truth();
        facts.iter().zip(after).filter(|(_, t)| holds(t, &mut known)).map(|(fact, _)| *fact).collect()
    }

    /// What facts can be made of.
    pub(super) fn material(&mut self) -> Material {
        let mut conditions = Vec::new();
        let (mut roots, mut together) = (Vec::new(), FxHashSet::default());
        for run in self.runs.iter().chain(&self.ends) {
            let mut store = SymbolicStore::default();
            let here = store.run(&mut self.terms, &run.edge.block);
            for (symbol, value) in store.values() {
                roots.push(*value);
                let others = self.terms.free_vars(*value);
                let few = others.into_iter().filter(|_| self.terms.size(*value) < 8);
                together.extend(few.flat_map(|other| [(*symbol, other), (other, *symbol)]));
            }
            conditions.extend(here);
        }
        let mut store = SymbolicStore::default();
        store.run(&mut self.terms, &self.init);
        roots.extend(store.values().values().copied());
        conditions.sort_unstable();
        conditions.dedup();
        roots.extend(&conditions);
        let mut material =
            Material { constants: BTreeMap::new(), unsigned: FxHashSet::default(), conditions, together };
        for term in self.terms.subterms(&roots) {
            self.look_at(term, &mut material);
        }
        material.conditions.retain(|c| !self.terms.free_vars(*c).iter().any(|s| self.terms.is_version(*s)));
        material
    }

    fn look_at(&self, term: Term, material: &mut Material) {
        let terms = &self.terms;
        if let (Some(value), Sort::Bits(width)) = (terms.as_const(term), terms.sort(term)) {
            let known = material.constants.entry(width).or_insert_with(|| [0, 1].into_iter().collect());
            if known.len() < MAX_CONSTANTS {
                known.insert(value);
            }
        }
        if matches!(terms.op(term), Op::Ult | Op::Ule) {
            material.unsigned.insert(terms.width(terms.kid(term, 0)));
        }
        let variables = terms.free_vars(term);
        if variables.len() <= 4 {
            for a in &variables {
                material.together.extend(variables.iter().map(|b| (*a, *b)));
            }
        }
    }

    /// All facts that could be of use at a control.
    pub(super) fn candidates(&mut self, material: &Material, control: usize) -> Vec<Term> {
        let scalars = self.scalars(control);
        let mut facts = Vec::new();
        for (n, &x) in scalars.iter().enumerate() {
            let variable = self.terms.var_of(x);
            let Sort::Bits(width) = self.terms.sort(variable) else {
                facts.extend([variable, self.terms.not(variable)]);
                continue;
            };
            for value in material.constants.get(&width).into_iter().flatten() {
                let value = self.terms.constant(*value, width);
                self.comparisons(variable, value, material.unsigned.contains(&width), &mut facts);
            }
            let (bit, one) = (self.terms.extract(0, 0, variable), self.terms.constant(1, 1));
            let odd = self.terms.eq(bit, one);
            facts.extend([odd, self.terms.not(odd)]);
            for &y in &scalars[..n] {
                let other = self.terms.var_of(y);
                let related = scalars.len() <= ALL_PAIRS || material.together.contains(&(x, y));
                if related && self.terms.sort(other) == self.terms.sort(variable) {
                    self.comparisons(variable, other, material.unsigned.contains(&width), &mut facts);
                }
            }
        }
        let live = &self.live[control];
        let about_live = |c: &Term| self.terms.free_vars(*c).iter().all(|s| live.contains(s));
        let conditions: Vec<Term> = material.conditions.iter().copied().filter(about_live).collect();
        for condition in conditions {
            facts.extend([condition, self.terms.not(condition)]);
        }
        facts.retain(|fact| self.terms.as_bool(*fact).is_none());
        facts.sort_unstable();
        facts.dedup();
        facts.truncate(MAX_FACTS);
        facts
    }

    fn comparisons(&mut self, a: Term, b: Term, unsigned: bool, facts: &mut Vec<Term>) {
        let terms = &mut self.terms;
        facts.extend([terms.sle(a, b), terms.sle(b, a), terms.slt(a, b), terms.slt(b, a), terms.eq(a, b)]);
        facts.push(terms.ne(a, b));
        if unsigned {
            facts.extend([terms.ule(a, b), terms.ule(b, a), terms.ult(a, b), terms.ult(b, a)]);
        }
    }
}
