//! Counterexample trees: how an abstract query was derived, as one formula.
//!
//! A node is the use of a clause, its kids are the facts of the clause's body. Facts are unfolded down to a depth; below it a node is
//! *abstract* and stands for everything that its fact allows. The depth grows until the tree is contradictory, which it often is near its
//! root, or complete: then its model is a derivation. (Interference makes bodies of two facts with almost the same history, and a complete
//! tree has both; unfolding no deeper than needed is what keeps trees small.)
//!
//! Variables are inlined: where a body atom's argument is a variable, the kid's value takes its place, so a tree's formula has no
//! definitions, just the constraints.

use super::abstraction::{Abstraction, FactId, Fired};
use super::{Clause, Derivation, Derived, PredId, System};
use crate::{Answer, Embedded, Limits, Model, Solver, Symbol, Term, Terms};
use base::Inconclusive;
use rustc_hash::FxHashMap;

/// A node of a tree.
#[derive(Clone, Debug)]
pub(super) struct Node {
    /// Whose fact it is; nothing for the query.
    pub(super) pred: Option<PredId>,
    /// The clause; nothing for an abstract node.
    pub(super) clause: Option<usize>,
    /// What an abstract node satisfies, over its predicate's parameters.
    pub(super) formulas: Vec<Term>,
    /// The facts of the clause's body.
    pub(super) kids: Vec<usize>,
}

/// A tree; kids come before their parents, and the query is last.
pub(super) struct Tree {
    pub(super) nodes: Vec<Node>,
    /// True if no node is abstract.
    pub(super) complete: bool,
}

/// A use of a clause with the values of its body's atoms filled in.
pub(super) struct Instance {
    /// What its variables are.
    pub(super) values: FxHashMap<Symbol, Term>,
    /// The constraint, and equations where an argument was no variable.
    pub(super) conditions: Vec<Term>,
    /// The variables that nothing but the constraint says anything about, under their names in this instance.
    pub(super) free: Vec<Symbol>,
    /// The arguments of its head.
    pub(super) head: Vec<Term>,
}

/// Larger trees are not built.
const MAX_NODES: usize = 4000;

impl Tree {
    /// The tree of a query, unfolded to a depth; `None` if it is too large.
    pub(super) fn of(abstraction: &Abstraction<'_>, query: &Fired, depth: usize) -> Option<Tree> {
        let mut tree = Tree { nodes: Vec::new(), complete: true };
        let mut kids = Vec::new();
        for premise in &query.premises {
            kids.push(tree.unfold(abstraction, *premise, depth)?);
        }
        tree.nodes.push(Node { pred: None, clause: Some(query.clause), formulas: Vec::new(), kids });
        Some(tree)
    }

    fn unfold(&mut self, abstraction: &Abstraction<'_>, id: FactId, depth: usize) -> Option<usize> {
        let fact = abstraction.fact(id);
        let mut node = Node {
            pred: Some(fact.pred),
            clause: Some(fact.clause),
            formulas: fact.formulas.clone(),
            kids: Vec::new(),
        };
        if depth == 0 {
            node.clause = None;
            self.complete = false;
        } else {
            for premise in fact.premises.clone() {
                node.kids.push(self.unfold(abstraction, premise, depth - 1)?);
            }
        }
        self.nodes.push(node);
        (self.nodes.len() <= MAX_NODES).then(|| self.nodes.len() - 1)
    }

    /// Whether the tree can be: a model of its formula, or that there is none.
    pub(super) fn model(
        &self,
        system: &System,
        terms: &mut Terms,
        solver: &mut Embedded,
        limits: &Limits,
    ) -> Result<Option<Model>, Inconclusive> {
        let mut conditions = Vec::new();
        self.evaluate(system, terms, self.nodes.len() - 1, &mut conditions, &mut |_, _| {});
        let all = terms.and(&conditions);
        match solver.check(terms, &terms.conjuncts(all), limits)? {
            Answer::Sat(model) => Ok(Some(model)),
            Answer::Unsat(_) => Ok(None),
            Answer::Unknown => Err(Inconclusive::SolverGaveUp),
        }
    }

    /// The values of a node's arguments; adds the conditions of its subtree and shows every clause's variables.
    pub(super) fn evaluate(
        &self,
        system: &System,
        terms: &mut Terms,
        n: usize,
        conditions: &mut Vec<Term>,
        see: &mut dyn FnMut(usize, &Instance),
    ) -> Vec<Term> {
        let node = &self.nodes[n];
        let Some(clause) = node.clause else {
            let values = self.parameters(system, terms, n);
            conditions.push(self.satisfied(system, terms, n, &values));
            return values;
        };
        let kids: Vec<Vec<Term>> =
            node.kids.iter().map(|k| self.evaluate(system, terms, *k, conditions, see)).collect();
        let instance = instantiate(system, terms, &system.clauses[clause], &kids, n);
        conditions.extend(&instance.conditions);
        see(n, &instance);
        instance.head
    }

    /// Variables of its own for the parameters of a node.
    pub(super) fn parameters(&self, system: &System, terms: &mut Terms, n: usize) -> Vec<Term> {
        let pred = self.nodes[n].pred.expect("a query should have no arguments");
        let params = &system.predicates[pred].params;
        params.iter().map(|p| own(terms, *p, "@", n)).collect()
    }

    /// What an abstract node's formulas say of values.
    pub(super) fn satisfied(&self, system: &System, terms: &mut Terms, n: usize, values: &[Term]) -> Term {
        let all = terms.and(&self.nodes[n].formulas);
        at_values(system, terms, self.nodes[n].pred.expect("a query is not abstract"), all, values)
    }

    /// The derivation that a model of a complete tree is.
    pub(super) fn derivation(&self, system: &System, terms: &mut Terms, model: &Model) -> Derivation {
        debug_assert!(self.complete, "only a complete tree is a derivation");
        let mut found: Vec<Vec<(Symbol, Term)>> = vec![Vec::new(); self.nodes.len()];
        let mut see = |n: usize, instance: &Instance| {
            found[n] = instance.values.iter().map(|(x, value)| (*x, *value)).collect();
            found[n].sort_unstable();
        };
        self.evaluate(system, terms, self.nodes.len() - 1, &mut Vec::new(), &mut see);
        let used = |(n, node): (usize, &Node)| {
            let values = found[n].iter().map(|(x, value)| (*x, terms.eval(*value, model)));
            let clause = node.clause.expect("a complete tree has no abstract node");
            Derived { clause, premises: node.kids.clone(), values: values.collect() }
        };
        self.nodes.iter().enumerate().map(used).collect()
    }
}

/// A formula over a predicate's parameters, said of values.
pub(super) fn at_values(
    system: &System,
    terms: &mut Terms,
    pred: PredId,
    formula: Term,
    values: &[Term],
) -> Term {
    let params = &system.predicates[pred].params;
    let map = params.iter().copied().zip(values.iter().copied()).collect();
    terms.substitute(formula, &map)
}

/// The variable `x` as it is called at node `n`.
pub(super) fn own(terms: &mut Terms, x: Symbol, mark: &str, n: usize) -> Term {
    let name = format!("{}{mark}{n}", terms.name(x));
    let sort = terms.sort(terms.var_of(x));
    terms.var(&name, sort)
}

/// A clause with values for the atoms of its body.
pub(super) fn instantiate(
    system: &System,
    terms: &mut Terms,
    clause: &Clause,
    kids: &[Vec<Term>],
    n: usize,
) -> Instance {
    let mut values: FxHashMap<Symbol, Term> = FxHashMap::default();
    let mut equations = Vec::new();
    for (atom, given) in clause.body.iter().zip(kids) {
        for (arg, value) in atom.args.iter().zip(given) {
            match terms.as_var(*arg) {
                Some(x) if !values.contains_key(&x) => _ = values.insert(x, *value),
                _ => equations.push((*arg, *value)),
            }
        }
    }
    let mut free = Vec::new();
    for x in system.variables(terms, clause) {
        values.entry(x).or_insert_with(|| {
            let mine = own(terms, x, "~", n);
            free.extend(terms.as_var(mine));
            mine
        });
    }
    let mut conditions = vec![terms.substitute(clause.constraint, &values)];
    for (arg, value) in equations {
        let arg = terms.substitute(arg, &values);
        conditions.push(terms.eq(arg, value));
    }
    let args = clause.head.iter().flat_map(|head| head.args.clone());
    let head = args.collect::<Vec<_>>().into_iter().map(|a| terms.substitute(a, &values)).collect();
    Instance { values, conditions, free, head }
}
