//! SKIP: which threads need not be expanded at a node, because their next edge can as well be taken before the last one.
//!
//! Monotone exploration: of two independent edges in a row, the one of the thread with the lower number comes first. So a thread is skipped if its number
//! is lower than that of the thread that moved last, and the two edges commute: on the variables that they mention, on control, and, where they
//! conflict only if addresses or indices are equal, on this path (`alias`).

use super::art::NodeId;
use super::{Impact, Por};
use base::Inconclusive;
use logic::Symbol;
use program::interp::ThreadId;
use semantics::encoding::SuccessorKind;
use semantics::transition::{Edge, GlobalLocationId};
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
        let in_section = self.edges.control(self.art.nodes[v].control).atomic.is_some()
            || self.edges.control(self.art.nodes[parent].control).atomic.is_some();
        if thread >= last.thread || in_section {
            return Ok(false);
        }
        self.independent(parent, &last, self.art.nodes[v].control, thread)
    }

    /// Whether `last`, from `parent`, commutes with every next edge of `thread`.
    fn independent(
        &mut self,
        parent: NodeId,
        last: &Rc<Edge>,
        after: GlobalLocationId,
        thread: ThreadId,
    ) -> Result<bool, Inconclusive> {
        let before = self.art.nodes[parent].control;
        if !self.edges.control(before).movable().any(|t| t == thread) {
            return Ok(false); // it was not there, or could not move
        }
        let (now, then) = (self.edges_of(after, thread), self.edges_of(before, thread));
        let same = now.len() == then.len()
            && now.iter().zip(then.iter()).all(|(a, b)| {
                a.block == b.block
                    && a.kind == b.kind
                    && matches!(a.kind, SuccessorKind::Continue)
                    && self.reach_same(last, a, b)
            });
        if !same {
            return Ok(false);
        }
        for next in now.iter() {
            if !apart(last, next) && !self.never_alias(parent, last, next)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether both orders lead to the same control: `first`, the other thread's edge taken before, leaves `last` as it is, and possible:
    /// an edge that ends inside an atomic section, at a loop head say, blocks all other threads.
    fn reach_same(&mut self, last: &Edge, next: &Edge, first: &Edge) -> bool {
        if !self.edges.control(first.control).movable().any(|thread| thread == last.thread) {
            return false;
        }
        let others = self.edges_of(first.control, last.thread);
        others.iter().any(|e| e.block == last.block && e.kind == last.kind && e.control == next.control)
    }
}

/// Whether neither edge writes what the other reads or writes.
fn apart(a: &Edge, b: &Edge) -> bool {
    let disjoint = |xs: &[Symbol], ys: &[Symbol]| xs.iter().all(|x| ys.binary_search(x).is_err());
    disjoint(&a.writes, &b.writes)
        && disjoint(&a.writes, &b.reads)
        && disjoint(&a.reads, &b.writes)
        && !(a.threads_changed && b.threads_changed)
}
