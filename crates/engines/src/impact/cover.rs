//! Covers: CLOSE, FORCE COVER, and what has to happen when labels or covers change.

use super::Impact;
use super::art::NodeId;
use base::Inconclusive;
use logic::path::Block;
use logic::{Solver, Term};
use std::time::Instant;

/// How many older nodes a forced cover is tried against.
const FORCE_LIMIT: usize = 2;

impl Impact<'_> {
    /// CLOSE: covers `v` by an older node if one allows it.
    pub(super) fn close(&mut self, v: NodeId) -> Result<bool, Inconclusive> {
        debug_assert!(!self.art.is_covered(v), "{v} should not be covered yet");
        for w in self.candidates(v) {
            if !self.is_plausible(v, w)? {
                continue;
            }
            let (strong, weak) = (self.art.nodes[v].label, self.art.nodes[w].label);
            if self.implies(strong, weak)? && self.cover(v, w)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns true if the state that is known at `v` speaks for a cover by `w`, whose own blocked edges are justified then.
    fn is_plausible(&mut self, v: NodeId, w: NodeId) -> Result<bool, Inconclusive> {
        Ok(self.holds_at(v, self.art.nodes[w].label)
            && !self.takes_blocked(v, w)
            && self.justify(w)?
            && self.holds_at(v, self.art.nodes[w].label))
    }

    /// Makes `w` one that may cover `v`: all below it that relies on its path alone gets labels. Returns true if they still allow it.
    fn open_to(&mut self, v: NodeId, w: NodeId) -> Result<bool, Inconclusive> {
        for n in self.art.subtree(w) {
            if !self.justify(n)? || !self.holds_at(v, self.art.nodes[w].label) {
                return Ok(false);
            }
        }
        self.implies(self.art.nodes[v].label, self.art.nodes[w].label)
    }

    /// Older nodes of the same control that are not covered, youngest first. A node below `v` is younger, so none is.
    fn candidates(&self, v: NodeId) -> Vec<NodeId> {
        let class = &self.art.classes[&self.art.nodes[v].control];
        let older = class.iter().rev().copied().filter(|w| *w < v);
        let open = older.filter(|w| !self.art.nodes[*w].cover_disabled && !self.art.is_dead(&self.terms, *w));
        open.filter(|w| !self.art.is_covered(*w)).collect()
    }

    /// Only its own path may lead to `v` from now on: neither it nor an ancestor covers anything.
    pub(super) fn disable_covers(&mut self, v: NodeId) {
        for n in self.art.ancestors(v).collect::<Vec<_>>() {
            self.art.nodes[n].cover_disabled = true;
            for x in std::mem::take(&mut self.art.nodes[n].covers) {
                self.uncover(x);
            }
        }
    }

    /// Covers `v` by `w`, whose labels allow it so far. What `v` needs is expanded at `w`.
    fn cover(&mut self, v: NodeId, w: NodeId) -> Result<bool, Inconclusive> {
        // Finding out what is needed may strengthen labels.
        let need = self.need(v)?;
        if !self.open_to(v, w)? {
            return Ok(false);
        }
        let missing: Vec<_> =
            need.iter().copied().filter(|t| !self.art.nodes[w].expanded.contains(t)).collect();
        debug_assert!(
            w < v && self.art.nodes[w].control == self.art.nodes[v].control && !self.art.is_covered(w),
            "I2: {w} should be older than {v}, at the same control and not covered"
        );
        self.art.nodes[v].covered_by = Some(w);
        self.art.nodes[w].covers.push(v);
        self.stats.covers += 1;
        // A node that is covered by `v`, or by a node below it, is covered by something covered now.
        for y in self.art.subtree(v) {
            for x in std::mem::take(&mut self.art.nodes[y].covers) {
                self.uncover(x);
            }
        }
        if !missing.is_empty() {
            self.pending.push((w, missing));
        }
        Ok(true)
    }

    /// Takes a cover away and puts what it hid back into the queue.
    pub(super) fn uncover(&mut self, x: NodeId) {
        if let Some(w) = self.art.nodes[x].covered_by.take() {
            self.art.nodes[w].covers.retain(|y| *y != x);
        }
        for n in self.art.subtree(x) {
            let node = &self.art.nodes[n];
            if node.covered_by.is_none() && !node.done {
                self.revisit.insert(n);
            }
        }
    }

    /// Strengthens a label; covers that it no longer allows go.
    pub(super) fn strengthen(&mut self, n: NodeId, with: Term) -> Result<(), Inconclusive> {
        if self.implies(self.art.nodes[n].label, with)? {
            return Ok(());
        }
        let label = self.terms.and2(self.art.nodes[n].label, with);
        self.art.nodes[n].label = label;
        for x in self.art.nodes[n].covers.clone() {
            if !self.implies(self.art.nodes[x].label, label)? {
                self.uncover(x);
            }
        }
        Ok(())
    }

    /// FORCE COVER: makes labels between the nearest common ancestor and `v` strong enough for a cover, if the path allows it.
    pub(super) fn force_cover(&mut self, v: NodeId) -> Result<bool, Inconclusive> {
        let mut left = FORCE_LIMIT;
        for w in self.candidates(v) {
            if left == 0 {
                break;
            }
            if !self.is_plausible(v, w)? {
                continue;
            }
            left -= 1;
            let ancestor = self.art.nearest_common_ancestor(v, w);
            let goal = self.art.nodes[w].label;
            let path: Vec<NodeId> = self.art.path(v).into_iter().skip_while(|n| *n != ancestor).collect();
            let blocks: Vec<Block> = path[1..].iter().map(|n| self.block_into(*n)).collect();
            let pre = self.art.nodes[ancestor].label;
            let all: Block = blocks.concat();
            if !logic::path::valid(&mut self.solver, &mut self.terms, pre, &all, goal, &self.limits)? {
                continue;
            }
            if !self.strengthen_towards(&path, pre, &blocks, goal)? {
                self.stats.failed_interpolations += 1;
                continue;
            }
            // Strengthening may have changed `w`, too, if it is on the path.
            let (strong, weak) = (self.art.nodes[v].label, self.art.nodes[w].label);
            if !self.art.is_covered(w) && self.implies(strong, weak)? && self.cover(v, w)? {
                self.stats.forced_covers += 1;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Strengthens the labels after the first node of a path until the last one's implies `goal`, which holds there. Conjunct by conjunct: the reason for one is
    /// simple more often than the reason for all. Returns true if it worked.
    fn strengthen_towards(
        &mut self,
        path: &[NodeId],
        pre: Term,
        blocks: &[Block],
        goal: Term,
    ) -> Result<bool, Inconclusive> {
        let last = *path.last().expect("a path should have a node");
        for conjunct in self.terms.conjuncts(goal) {
            if self.implies(self.art.nodes[last].label, conjunct)? {
                continue;
            }
            let (solver, terms) = (&mut self.solver, &mut self.terms);
            let found =
                self.interpolator.cheap_interpolants(solver, terms, pre, blocks, conjunct, &self.limits)?;
            let Some(found) = found else { return Ok(false) };
            for (n, label) in path.iter().zip(found.labels).skip(1) {
                self.strengthen(*n, label)?;
            }
        }
        Ok(true)
    }

    /// The commands of the edge into a node.
    pub(super) fn block_into(&self, n: NodeId) -> Block {
        self.art.nodes[n].parent.as_ref().map_or_else(|| self.init.clone(), |(_, edge)| edge.block.clone())
    }

    /// Returns true if one label implies another: identity, conjuncts, what is known, the solver, in this order.
    pub(super) fn implies(&mut self, strong: Term, weak: Term) -> Result<bool, Inconclusive> {
        let start = Instant::now();
        self.stats.implications += 1;
        let holds = self.cascade(strong, weak);
        self.stats.implication_time += start.elapsed();
        holds
    }

    fn cascade(&mut self, strong: Term, weak: Term) -> Result<bool, Inconclusive> {
        if strong == weak
            || self.terms.as_bool(weak) == Some(true)
            || self.terms.as_bool(strong) == Some(false)
        {
            self.stats.implications_identity += 1;
            return Ok(true);
        }
        let given = self.terms.conjuncts(strong);
        let mut left = self.terms.conjuncts(weak);
        left.retain(|conjunct| !given.contains(conjunct));
        if left.is_empty() {
            self.stats.implications_syntactic += 1;
            return Ok(true);
        }
        let mut asked = false;
        for conjunct in left {
            let holds = match self.implied.get(&(strong, conjunct)) {
                Some(&holds) => holds,
                None => {
                    asked = true;
                    let holds = self.solver.implies(&mut self.terms, strong, conjunct, &self.limits)?;
                    self.implied.insert((strong, conjunct), holds);
                    holds
                }
            };
            if !holds {
                self.count_level(asked);
                return Ok(false);
            }
        }
        self.count_level(asked);
        Ok(true)
    }

    fn count_level(&mut self, asked: bool) {
        if asked {
            self.stats.solver_implications += 1;
        } else {
            self.stats.implications_memo += 1;
        }
    }
}
