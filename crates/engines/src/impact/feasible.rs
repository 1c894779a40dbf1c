//! Whether a path can be extended: most questions need no solver, or a small part of the path.
//!
//! Every node keeps a model of its path. If the model happens to satisfy the conditions of the next edge, that is the answer. Otherwise only those
//! conditions of the path matter that share variables with the new ones, directly or through others: the rest keeps its
//! values from the model, as nothing connects it to what is asked.
//!
//! The same model refutes covers: a label that is false in the state that the model leads to follows from no label of the node.

use super::Impact;
use super::art::NodeId;
use base::Inconclusive;
use logic::path::{SymbolicStore, connected_among};
use logic::{Answer, Model, Solver, Symbol, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

impl Impact<'_> {
    /// A model of the path to `v` followed by an edge with these conditions, if there is one.
    pub(super) fn feasible(
        &mut self,
        v: NodeId,
        conditions: &[Term],
    ) -> Result<Option<Rc<Model>>, Inconclusive> {
        self.stats.feasibility_checks += 1;
        let model = Rc::clone(&self.art.nodes[v].model);
        let mut known = FxHashMap::default();
        if conditions.iter().all(|&c| self.terms.eval_with(c, &model, &mut known).truth()) {
            self.stats.feasible_by_model += 1;
            return Ok(Some(model));
        }
        let question = self.connected(v, conditions);
        match self.solver.check(&self.terms, &question, &self.limits)? {
            Answer::Unknown => Err(Inconclusive::SolverGaveUp),
            Answer::Unsat(_) => Ok(None),
            Answer::Sat(found) => {
                let mut model = (*model).clone();
                for (symbol, value) in found.iter() {
                    model.set(symbol, value.clone());
                }
                Ok(Some(Rc::new(model)))
            }
        }
    }

    /// The conditions, and those of the path to `v` that are connected to them through variables.
    fn connected(&mut self, v: NodeId, conditions: &[Term]) -> Vec<Term> {
        let mut touched: FxHashSet<Symbol> = FxHashSet::default();
        for &condition in conditions {
            touched.extend(self.variables_of(condition).iter());
        }
        let path = self.art.path_conditions(v);
        let path = path.into_iter().map(|c| (c, self.variables_of(c))).collect();
        connected_among(conditions, touched, path)
    }

    /// Returns true if a label holds in the one state at `v` that the node's model leads to. If not, no label of `v` implies it.
    pub(super) fn holds_at(&mut self, v: NodeId, label: Term) -> bool {
        let node = &mut self.art.nodes[v];
        for &x in variables_of(&self.terms, &mut self.variables, label).iter() {
            if node.state.get(x).is_none() {
                let value = node.store.value(&self.terms, x);
                node.state.set(x, self.terms.eval(value, &node.model));
            }
        }
        self.terms.eval(label, &node.state).truth()
    }

    /// Returns true if the one state at `v` that the node's model leads to could take an edge that is blocked at `w`.
    pub(super) fn takes_blocked(&mut self, v: NodeId, w: NodeId) -> bool {
        let blocked = self.art.nodes[w].blocked.clone();
        blocked.iter().any(|edge| {
            let conditions = SymbolicStore::default().run(&mut self.terms, &edge.block);
            conditions.into_iter().all(|c| self.holds_at(v, c))
        })
    }

    fn variables_of(&mut self, condition: Term) -> Rc<[Symbol]> {
        variables_of(&self.terms, &mut self.variables, condition)
    }
}

fn variables_of(terms: &Terms, known: &mut FxHashMap<Term, Rc<[Symbol]>>, term: Term) -> Rc<[Symbol]> {
    Rc::clone(known.entry(term).or_insert_with(|| terms.free_vars(term).into()))
}
