//! Counterexamples: is the path to an error feasible, and if not, which variables would have told?
//!
//! | procedure | ensures |
//! |---|---|
//! | `examine` | an error that some state of a node seems to lead to is a counterexample, or the precision grows, or the answer will be "unknown" |
//! | `path` | a path of the graph to a node; at a node with several parents, one from which the rest of the path can be executed |
//! | `refine` | the variables that the core of an infeasible path mentions are tracked from now on |
//!
//! Where elements are exact, as in the BDD domain, `path` finds a feasible path without going back: a state that the
//! rest of the path can be executed from has a predecessor in one of the parents.
//!
//! A path that is infeasible for reasons that the domain cannot express stays in the abstraction whatever is tracked. Then
//! the search goes on, for it may find another path that can be executed, and never answers "safe".

use super::domain::Domain;
use super::reached::NodeId;
use super::search::{Round, Search};
use base::Inconclusive;
use evidence::Trace;
use logic::path::{Block, Cmd, PathAnswer, PathCore, check_path};
use logic::{Model, Symbol};
use semantics::encoding::SuccessorKind;
use semantics::transition::Edge;
use semantics::transition::{Path, concretise};
use std::collections::BTreeSet;
use std::rc::Rc;

/// Maximum number of paths to the end of one edge that are refuted before it is left alone.
const MAX_SPURIOUS: u32 = 300;

impl<D: Domain> Search<'_, '_, D> {
    /// An edge that ends the search seems possible at `v`.
    pub(super) fn examine(&mut self, v: NodeId, edge: &Rc<Edge>) -> Result<Option<Round>, Inconclusive> {
        let tries = self.spurious.get(&edge.id).copied().unwrap_or(0);
        if tries >= MAX_SPURIOUS {
            return Ok(None);
        }
        self.counts.path_checks += 1;
        let path = self.path(v, edge)?;
        let blocks = self.blocks(&path);
        let (tt, ff) = (self.terms.tt(), self.terms.ff());
        match check_path(&mut self.solver, &mut self.terms, tt, &blocks, ff, &self.limits)? {
            PathAnswer::Unknown => Err(Inconclusive::SolverGaveUp),
            PathAnswer::Feasible(found) => self.feasible(&path, edge, &found.model),
            PathAnswer::Infeasible(core) => {
                if self.refine(&blocks, &core) {
                    return Ok(Some(Round::Refined));
                }
                *self.spurious.entry(edge.id).or_default() += 1;
                self.give_up("an infeasible path that this domain cannot refute");
                Ok(None)
            }
        }
    }

    fn give_up(&mut self, why: &str) {
        self.incomplete.get_or_insert_with(|| Inconclusive::NoProof(why.to_owned()));
    }

    fn blocks(&self, path: &[Rc<Edge>]) -> Vec<Block> {
        let edges = path.iter().map(|edge| edge.block.clone());
        std::iter::once(self.init.clone()).chain(edges).collect()
    }

    fn feasible(
        &mut self,
        path: &[Rc<Edge>],
        edge: &Rc<Edge>,
        model: &Model,
    ) -> Result<Option<Round>, Inconclusive> {
        if let Some(stop) = edge.kind.stop() {
            self.incomplete.get_or_insert(stop);
            return Ok(None);
        }
        let SuccessorKind::Violation(..) = &edge.kind else { return Ok(None) };
        let property = self.property;
        let way = Path { init: &self.init, edges: path };
        let execution = concretise(&self.encoder, &self.edges, &mut self.terms, &way, model)?;
        match self.monitor.confirm(&self.encoder, &mut self.terms, edge, execution, model) {
            Ok(steps) => Ok(Some(Round::Violation(Trace { property, steps, cycle: None }))),
            // The search goes on, for it may find a violation that the interpreter sees, too.
            Err(bug @ Inconclusive::CheckFailed(_)) => {
                self.incomplete = Some(bug);
                Ok(None)
            }
            Err(inexact) => {
                self.incomplete.get_or_insert(inexact);
                Ok(None)
            }
        }
    }

    /// A path from the initial state to `v`, then `last`.
    fn path(&mut self, v: NodeId, last: &Rc<Edge>) -> Result<Vec<Rc<Edge>>, Inconclusive> {
        let mut backwards = vec![Rc::clone(last)];
        let mut suffix: Vec<Cmd> = last.block.clone();
        let mut at = v;
        loop {
            let parents = self.reached.nodes[at].parents.clone();
            let mut chosen = parents.first().cloned();
            if parents.len() > 1 {
                for (parent, edge) in parents {
                    if self.leads_on(parent, &edge, &suffix)? {
                        chosen = Some((parent, edge));
                        break;
                    }
                }
            }
            let Some((parent, edge)) = chosen else { break };
            suffix = edge.block.iter().chain(&suffix).copied().collect();
            backwards.push(edge);
            at = parent;
        }
        backwards.reverse();
        Ok(backwards)
    }

    /// Returns true if some state of `parent` can take `edge` and then the rest.
    fn leads_on(&mut self, parent: NodeId, edge: &Edge, suffix: &[Cmd]) -> Result<bool, Inconclusive> {
        let pre = self.domain.formula(&mut self.terms, &self.reached.nodes[parent].element);
        let ff = self.terms.ff();
        let blocks = [edge.block.clone(), suffix.to_vec()];
        let answer = check_path(&mut self.solver, &mut self.terms, pre, &blocks, ff, &self.limits)?;
        Ok(matches!(answer, PathAnswer::Feasible(_)))
    }

    /// Tracks what the core mentions; whether the next round knows more than this one.
    fn refine(&mut self, blocks: &[Block], core: &PathCore) -> bool {
        let mut needed: BTreeSet<Symbol> = BTreeSet::new();
        for (block, matters) in blocks.iter().zip(&core.commands) {
            for (cmd, _) in block.iter().zip(matters).filter(|(_, m)| **m) {
                match *cmd {
                    Cmd::Assume(guard) => needed.extend(self.terms.free_vars(guard)),
                    Cmd::Assign(x, _) | Cmd::Havoc(x) => {
                        needed.insert(x);
                    }
                }
            }
        }
        // Where something was widened, narrowing comes first, when the round is over.
        let grown =
            self.precision.add(self.encoder.names(), needed) || !self.widened && self.domain.sharpen();
        self.counts.refinements += u64::from(grown);
        grown
    }
}
