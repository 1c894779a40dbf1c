//! Refinement: a formula for every fact of a contradictory tree, such that each clause of the tree keeps them.
//!
//! # Trees by paths
//! [`crate::interpolate`] labels paths. So a tree is taken apart: its *spine* runs from a leaf to the root, one block per clause; what
//! hangs at the sides of a clause is part of its block, whole. That gives labels on the spine. Then each side tree is a path of
//! its own: its spine, and as a last block the clause it hangs at, with what is known by now of the other facts of that clause, and with
//! the label of that clause's head to reach. By the choice of the first labels this path holds, so it has labels again.
//!
//! # Ensures
//! For every clause of the tree, the labels of its body's facts and its constraint imply the label of its head; for the query, `false`.
//! Every triple was validated by the interpolator. An abstract node has no label: what it satisfies is known already.

use super::tree::{Tree, at_values, instantiate};
use super::{PredId, System};
use crate::interpolate::Interpolator;
use crate::path::{Block, Cmd};
use crate::{Embedded, Limits, Symbol, Term, Terms};
use base::Inconclusive;
use rustc_hash::FxHashMap;

/// The labels of a tree's facts, over the parameters of their predicates.
pub(super) fn refine(
    system: &System,
    tree: &Tree,
    terms: &mut Terms,
    solver: &mut Embedded,
    interpolator: &mut Interpolator,
    limits: &Limits,
) -> Result<Vec<(PredId, Term)>, Inconclusive> {
    let labels = vec![None; tree.nodes.len()];
    let mut refinement = Refinement { system, tree, terms, solver, interpolator, limits, labels };
    refinement.path(tree.nodes.len() - 1, None)?;
    let labelled = tree.nodes.iter().zip(&refinement.labels);
    Ok(labelled.filter_map(|(node, label)| Some((node.pred?, (*label)?))).collect())
}

struct Refinement<'a> {
    system: &'a System,
    tree: &'a Tree,
    terms: &'a mut Terms,
    solver: &'a mut Embedded,
    interpolator: &'a mut Interpolator,
    limits: &'a Limits,
    /// By node, over the parameters.
    labels: Vec<Option<Term>>,
}

/// A path of blocks, and for each block the variables that hold its node's arguments after it.
#[derive(Default)]
struct Path {
    nodes: Vec<usize>,
    blocks: Vec<Block>,
    arguments: Vec<Vec<Symbol>>,
}

impl Refinement<'_> {
    /// Labels the subtree of `n`, which is the `position`-th premise of the labelled node `parent` (or the query).
    fn path(&mut self, n: usize, parent: Option<(usize, usize)>) -> Result<(), Inconclusive> {
        let mut path = Path::default();
        for node in self.spine(n) {
            self.extend(&mut path, node);
        }
        let mut post = self.terms.ff();
        if let Some((parent, position)) = parent {
            let arguments = path.arguments.last().cloned().unwrap_or_default();
            let (block, goal) = self.last_block(parent, position, &arguments);
            path.blocks.push(block);
            post = goal;
        }
        let pre = self.terms.tt();
        let found =
            self.interpolator.interpolants(self.solver, self.terms, pre, &path.blocks, post, self.limits)?;
        let mut found = found.map(|f| f.labels).unwrap_or_default();
        if !self.is_clean(&path, &found) {
            // The best labels do not help: perhaps those of another strategy do.
            let all = self.interpolator.all_interpolants(
                self.solver,
                self.terms,
                pre,
                &path.blocks,
                post,
                self.limits,
            )?;
            let clean = all.into_iter().map(|f| f.labels).find(|labels| self.is_clean(&path, labels));
            found = clean.ok_or(Inconclusive::SolverGaveUp)?;
        }
        for (at, node) in path.nodes.iter().enumerate() {
            if self.tree.nodes[*node].pred.is_some() && self.tree.nodes[*node].clause.is_some() {
                self.labels[*node] = Some(self.over_parameters(*node, &path.arguments[at], found[at + 1])?);
            }
        }
        for at in 1..path.nodes.len() {
            let (below, node) = (path.nodes[at - 1], path.nodes[at]);
            for (position, kid) in self.tree.nodes[node].kids.clone().into_iter().enumerate() {
                if kid != below && self.tree.nodes[kid].clause.is_some() {
                    self.path(kid, Some((node, position)))?;
                }
            }
        }
        Ok(())
    }

    /// Returns true if there are labels, and each speaks of its node's arguments only.
    fn is_clean(&self, path: &Path, labels: &[Term]) -> bool {
        let speaks = |at: usize| {
            let others = |x: &Symbol| !path.arguments[at].contains(x);
            let fact = self.tree.nodes[path.nodes[at]].pred.is_some();
            fact && self.terms.free_vars(labels[at + 1]).iter().any(others)
        };
        labels.len() == path.blocks.len() + 1 && !(0..path.nodes.len()).any(speaks)
    }

    /// From a leaf up to `n`.
    fn spine(&self, n: usize) -> Vec<usize> {
        let mut spine = vec![n];
        let mut at = n;
        while let Some(kid) = self.spine_kid(at) {
            spine.push(kid);
            at = kid;
        }
        spine.reverse();
        spine
    }

    /// The kid that the spine goes through: the first one that is no abstract node, else the first one.
    fn spine_kid(&self, n: usize) -> Option<usize> {
        let kids = &self.tree.nodes[n].kids;
        kids.iter().copied().find(|k| self.tree.nodes[*k].clause.is_some()).or(kids.first().copied())
    }

    /// Adds the block of a spine's node, whose kid on the spine comes last so far.
    fn extend(&mut self, path: &mut Path, n: usize) {
        let mut block = Block::new();
        let mut current: Vec<Symbol> = Vec::new();
        let head: Vec<Term> = match self.tree.nodes[n].clause {
            None => {
                let values = self.tree.parameters(self.system, self.terms, n);
                let satisfied = self.tree.satisfied(self.system, self.terms, n, &values);
                self.assume(&mut block, &[satisfied], &[]);
                values
            }
            Some(clause) => {
                let below = path.nodes.last().copied();
                let mut conditions = Vec::new();
                let mut kids = Vec::new();
                for kid in self.tree.nodes[n].kids.clone() {
                    if Some(kid) == below {
                        current = path.arguments.last().cloned().unwrap_or_default();
                        kids.push(current.iter().map(|x| self.terms.var_of(*x)).collect());
                    } else {
                        kids.push(self.tree.evaluate(
                            self.system,
                            self.terms,
                            kid,
                            &mut conditions,
                            &mut |_, _| {},
                        ));
                    }
                }
                let clause = &self.system.clauses[clause];
                let instance = instantiate(self.system, self.terms, clause, &kids, n);
                conditions.extend(instance.conditions);
                block.extend(instance.free.iter().map(|x| Cmd::Havoc(*x)));
                self.assume(&mut block, &conditions, &[&current[..], &instance.free].concat());
                instance.head
            }
        };
        let arguments = self.hold(&mut block, n, &head);
        path.nodes.push(n);
        path.blocks.push(block);
        path.arguments.push(arguments);
    }

    /// Assumes conditions over variables that are known, and others that get any value first.
    fn assume(&mut self, block: &mut Block, conditions: &[Term], known: &[Symbol]) {
        let mut new: Vec<Symbol> = conditions.iter().flat_map(|c| self.terms.free_vars(*c)).collect();
        new.sort_unstable();
        new.dedup();
        new.retain(|x| !known.contains(x));
        block.extend(new.into_iter().map(Cmd::Havoc));
        block.extend(conditions.iter().map(|c| Cmd::Assume(*c)));
    }

    /// Variables that hold a node's arguments: an argument that is a variable already stays where it is.
    fn hold(&mut self, block: &mut Block, n: usize, head: &[Term]) -> Vec<Symbol> {
        let Some(pred) = self.tree.nodes[n].pred else { return Vec::new() };
        let params = &self.system.predicates[pred].params;
        let mut arguments: Vec<Symbol> = Vec::new();
        for (param, value) in params.iter().zip(head) {
            match self.terms.as_var(*value) {
                Some(x) if !arguments.contains(&x) => arguments.push(x),
                _ => {
                    let held = super::tree::own(self.terms, *param, "^", n);
                    let held = self.terms.as_var(held).expect("a variable should have a symbol");
                    block.push(Cmd::Assign(held, *value));
                    arguments.push(held);
                }
            }
        }
        arguments
    }

    /// The clause that a side tree hangs at, with what is known of its other premises, and its label to reach.
    fn last_block(&mut self, parent: usize, position: usize, arguments: &[Symbol]) -> (Block, Term) {
        let node = self.tree.nodes[parent].clone();
        let mut conditions = Vec::new();
        let mut kids: Vec<Vec<Term>> = Vec::new();
        for (at, kid) in node.kids.iter().copied().enumerate() {
            let values = match self.labels[kid] {
                _ if at == position => arguments.iter().map(|x| self.terms.var_of(*x)).collect(),
                Some(label) => {
                    let values = self.tree.parameters(self.system, self.terms, kid);
                    let pred = self.tree.nodes[kid].pred.expect("a premise has a predicate");
                    conditions.push(at_values(self.system, self.terms, pred, label, &values));
                    values
                }
                None => self.tree.evaluate(self.system, self.terms, kid, &mut conditions, &mut |_, _| {}),
            };
            kids.push(values);
        }
        let clause = &self.system.clauses[node.clause.expect("a node with premises has a clause")];
        let instance = instantiate(self.system, self.terms, clause, &kids, parent);
        conditions.extend(instance.conditions);
        let post = match (node.pred, self.labels[parent]) {
            (Some(pred), Some(label)) => at_values(self.system, self.terms, pred, label, &instance.head),
            _ => self.terms.ff(),
        };
        // The goal's variables are as unknown as the conditions'.
        let mut block = Block::new();
        let mut new: Vec<Symbol> =
            conditions.iter().chain([&post]).flat_map(|c| self.terms.free_vars(*c)).collect();
        new.sort_unstable();
        new.dedup();
        new.retain(|x| !arguments.contains(x));
        block.extend(new.into_iter().map(Cmd::Havoc));
        block.extend(conditions.into_iter().map(Cmd::Assume));
        (block, post)
    }

    /// A label over a node's arguments, over the parameters instead.
    fn over_parameters(&mut self, n: usize, arguments: &[Symbol], label: Term) -> Result<Term, Inconclusive> {
        let pred = self.tree.nodes[n].pred.expect("only facts are labelled");
        let params = &self.system.predicates[pred].params;
        if self.terms.free_vars(label).iter().any(|x| !arguments.contains(x)) {
            return Err(Inconclusive::SolverGaveUp);
        }
        let map: FxHashMap<Symbol, Term> =
            arguments.iter().zip(params).map(|(x, param)| (*x, self.terms.var_of(*param))).collect();
        Ok(self.terms.substitute(label, &map))
    }
}
