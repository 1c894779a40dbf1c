//! REFINE: labels that prove that an edge cannot be taken.

use super::Impact;
use super::art::NodeId;
use crate::edges::Edge;
use base::Stop;
use logic::path::{Block, valid};

impl Impact<'_> {
    /// The path to `v` followed by `edge` cannot be executed: strengthens labels on the path until `{φ(v)} edge {false}`.
    pub(super) fn refine(&mut self, v: NodeId, edge: &Edge) -> Result<(), Stop> {
        self.stats.refinements += 1;
        let path = self.art.path(v);
        let wrong = self.terms.ff();
        for start in starts(path.len()) {
            let blocks: Vec<Block> =
                path[start + 1..].iter().map(|n| self.block_into(*n)).chain([edge.block.clone()]).collect();
            let pre = self.art.nodes[path[start]].label;
            let all: Block = blocks.concat();
            if !valid(&mut self.solver, &mut self.terms, pre, &all, wrong, &self.limits)? {
                continue;
            }
            return self.label(&path[start..], pre, &blocks);
        }
        // From the very beginning: the initial state, then the whole path.
        let mut blocks: Vec<Block> = vec![self.init.clone()];
        blocks.extend(path[1..].iter().map(|n| self.block_into(*n)));
        blocks.push(edge.block.clone());
        let found = self.interpolate(&blocks)?;
        for (n, label) in path.iter().zip(found.into_iter().skip(1)) {
            self.strengthen(*n, label)?;
        }
        Ok(())
    }

    /// Labels of the nodes after the first one of `path`, whose label `pre` suffices.
    fn label(&mut self, path: &[NodeId], pre: logic::Term, blocks: &[Block]) -> Result<(), Stop> {
        if path.len() == 1 {
            return Ok(());
        }
        let wrong = self.terms.ff();
        let found = self.interpolator.interpolants(
            &mut self.solver,
            &mut self.terms,
            pre,
            blocks,
            wrong,
            &self.limits,
        )?;
        let Some(found) = found else { return Err(self.no_interpolant()) };
        for (n, label) in path.iter().zip(found.labels).skip(1) {
            self.strengthen(*n, label)?;
        }
        Ok(())
    }

    fn interpolate(&mut self, blocks: &[Block]) -> Result<Vec<logic::Term>, Stop> {
        let (pre, wrong) = (self.terms.tt(), self.terms.ff());
        let found = self.interpolator.interpolants(
            &mut self.solver,
            &mut self.terms,
            pre,
            blocks,
            wrong,
            &self.limits,
        )?;
        found.map(|f| f.labels).ok_or_else(|| self.no_interpolant())
    }

    fn no_interpolant(&mut self) -> Stop {
        self.stats.failed_interpolations += 1;
        Stop::SolverGaveUp
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
