//! SKIP: which threads need not be expanded at a node, because their next edge can as well be taken before the last one.
//!
//! Monotone exploration: of two independent edges in a row, the one of the thread with the lower number comes first. So a thread is skipped if its number
//! is lower than that of the thread that moved last, and its edges are independent of the last one ([`semantics::transition::independence`]). Where they are dependent
//! only if addresses or indices are equal, the path to the parent may exclude that; then so must the labels, because the parent stands for all states
//! that it covers. The labels are strengthened *before* the reduction relies on it (T-ALIAS).

use super::art::NodeId;
use super::{Impact, Por};
use base::Inconclusive;
use logic::Term;
use logic::path::Cmd;
use program::interp::ThreadId;
use semantics::transition::Dependence;
use std::rc::Rc;
use std::sync::Arc;

impl Impact<'_> {
    /// The threads that have to be expanded at a node: those that can move and are not skipped, and those that are
    /// expanded already. May strengthen labels on the path to the node's parent.
    pub(crate) fn need(&mut self, v: NodeId) -> Result<Vec<ThreadId>, Inconclusive> {
        let control = Arc::clone(self.edges.control(self.art.nodes[v].control));
        let mut threads = Vec::new();
        for thread in control.movable() {
            if self.art.nodes[v].expanded.contains(&thread) || !self.skip(v, thread)? {
                threads.push(thread);
            }
        }
        Ok(threads)
    }

    /// SKIP: whether the next edge of `thread` can as well be taken before the last one.
    fn skip(&mut self, v: NodeId, thread: ThreadId) -> Result<bool, Inconclusive> {
        if self.options.por != Por::Dpor {
            return Ok(false);
        }
        let Some((parent, last)) = self.art.nodes[v].parent.clone() else { return Ok(false) };
        if thread >= last.thread {
            return Ok(false);
        }
        let from = self.art.nodes[parent].control;
        let Self { edges, encoder, terms, .. } = self;
        match edges.dependence(encoder, terms, from, &last, thread) {
            Dependence::Independent => Ok(true),
            Dependence::Dependent => Ok(false),
            Dependence::OnlyIf(conditions) => {
                for &alias in conditions.iter() {
                    if !self.never(parent, alias)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
        }
    }

    /// Returns true if an alias condition holds in no state of a node, whose label is made to say so.
    fn never(&mut self, v: NodeId, alias: Term) -> Result<bool, Inconclusive> {
        if self.holds_at(v, alias) {
            return Ok(false);
        }
        let store = Rc::clone(&self.art.nodes[v].store);
        let here = store.apply(&mut self.terms, alias);
        if self.feasible(v, &[here])?.is_some() {
            return Ok(false);
        }
        self.stats.alias_refinements += 1;
        self.refute(v, vec![Cmd::Assume(alias)])
    }
}
