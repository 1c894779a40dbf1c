//! REFINE: labels that prove that an edge cannot be taken.

use super::Impact;
use super::art::NodeId;
use base::Inconclusive;
use logic::Term;
use logic::path::{Block, valid};
use semantics::transition::Edge;

impl Impact<'_> {
    /// The path to `v` followed by `edge` cannot be executed: strengthens labels on the path until `{φ(v)} edge {false}`. Returns true if that
    /// worked.
    pub(super) fn refine(&mut self, v: NodeId, edge: &Edge) -> Result<bool, Inconclusive> {
        self.stats.refinements += 1;
        self.refute(v, edge.block.clone())
    }

    /// Finds labels for the edges that are blocked at a node. Returns true if that worked.
    pub(super) fn justify(&mut self, n: NodeId) -> Result<bool, Inconclusive> {
        while let Some(edge) = self.art.nodes[n].blocked.last().cloned() {
            if self.art.nodes[n].cover_disabled || !self.refine(n, &edge)? {
                self.disable_covers(n);
                return Ok(false);
            }
            self.art.nodes[n].blocked.pop();
        }
        Ok(true)
    }

    /// The path to `v` followed by `last` cannot be executed: strengthens labels on the path until `{φ(v)} last {false}`. Returns true if
    /// that worked.
    pub(super) fn refute(&mut self, v: NodeId, last: Block) -> Result<bool, Inconclusive> {
        let path = self.art.path(v);
        let wrong = self.terms.ff();
        for start in starts(path.len()) {
            let blocks = self.blocks_after(&path, start, &last);
            let pre = self.art.nodes[path[start]].label;
            let all: Block = blocks.concat();
            if valid(&mut self.solver, &mut self.terms, pre, &all, wrong, &self.limits)? {
                let unlabelled = &path[start + 1..];
                return if unlabelled.is_empty() { Ok(true) } else { self.label(unlabelled, pre, &blocks) };
            }
        }
        // From the very beginning: the initial state, then the whole path.
        let mut blocks: Vec<Block> = vec![self.init.clone()];
        blocks.extend(self.blocks_after(&path, 0, &last));
        let pre = self.terms.tt();
        self.label(&path, pre, &blocks)
    }

    /// The edges from a node of a path on, and `last`.
    fn blocks_after(&self, path: &[NodeId], start: usize, last: &Block) -> Vec<Block> {
        path[start + 1..].iter().map(|n| self.block_into(*n)).chain([last.clone()]).collect()
    }

    /// Labels the nodes between consecutive blocks.
    fn label(&mut self, between: &[NodeId], pre: Term, blocks: &[Block]) -> Result<bool, Inconclusive> {
        let wrong = self.terms.ff();
        let (solver, terms) = (&mut self.solver, &mut self.terms);
        let found = self.interpolator.interpolants(solver, terms, pre, blocks, wrong, &self.limits)?;
        let Some(found) = found else {
            self.stats.failed_interpolations += 1;
            return Ok(false);
        };
        for (n, label) in between.iter().zip(found.labels.into_iter().skip(1)) {
            self.strengthen(*n, label)?;
        }
        Ok(true)
    }
}

/// Where interpolation may start: the node itself, then further and further up, short of the initial state.
fn starts(len: usize) -> Vec<usize> {
    let mut starts = Vec::new();
    let mut back = 0;
    while back < len {
        starts.push(len - 1 - back);
        back = if back == 0 { 1 } else { back * 2 };
    }
    starts
}
