//! Executions that never end: fair cycles among the steps taken.
//!
//! What is fair is said in `certify` (SOUNDNESS: A25): a thread that is able to move again and again moves again and again, and spurious
//! wake-ups are not repeated. A strongly connected component of the graph of steps holds a fair execution if every thread that is able to
//! move in one of its states moves inside it. If not, the states in which such a thread is able to move cannot be visited again and
//! again; the others are cut into components again. (The emptiness check of Streett automata.)
//!
//! The search may have been incomplete: what it found is an execution all the same.

use super::search::{Move, NodeId, Search};
use base::{Idx, scc::cyclic_components};
use evidence::{Cycle, Trace};
use program::Property;
use program::interp::{ThreadId, Wakeups};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

impl Search<'_> {
    /// An execution that never ends.
    pub(super) fn lasso(&self) -> Option<Trace> {
        let mut open = vec![self.nodes.ids().collect::<Vec<NodeId>>()];
        while let Some(nodes) = open.pop() {
            let place: FxHashMap<NodeId, usize> = nodes.iter().enumerate().map(|(n, v)| (*v, n)).collect();
            let inside =
                |n: usize| self.steps[nodes[n]].iter().filter_map(|(_, w)| place.get(w).copied()).collect();
            for component in cyclic_components(nodes.len(), inside) {
                let component: FxHashSet<NodeId> = component.into_iter().map(|n| nodes[n]).collect();
                let movers = self.movers(&component);
                let idle = |v: &NodeId| self.able(*v).iter().any(|thread| !movers.contains(thread));
                let mut left: Vec<NodeId> = component.iter().copied().filter(|v| !idle(v)).collect();
                if left.len() == component.len() {
                    return Some(self.round(&component, movers));
                }
                left.sort_unstable();
                open.push(left);
            }
        }
        None
    }

    fn able(&self, v: NodeId) -> Vec<ThreadId> {
        self.interp.runnable(&self.nodes[v].state, Wakeups::OnlySignalled)
    }

    /// Who moves inside a component.
    fn movers(&self, component: &FxHashSet<NodeId>) -> FxHashSet<ThreadId> {
        let steps = component.iter().flat_map(|v| &self.steps[*v]);
        steps.filter(|(_, w)| component.contains(w)).map(|(step, _)| step.thread).collect()
    }

    /// The way to a component, and a way round in it on which every thread moves that can.
    fn round(&self, component: &FxHashSet<NodeId>, movers: FxHashSet<ThreadId>) -> Trace {
        let start = *component.iter().min().expect("a component should have nodes");
        let mut todo: Vec<ThreadId> = movers.into_iter().collect();
        todo.sort_unstable();
        let (mut at, mut moves) = (start, Vec::new());
        while !todo.is_empty() {
            let way = self.way(component, at, |_, step| todo.contains(&step.thread));
            for (step, target) in way {
                todo.retain(|thread| *thread != step.thread);
                moves.push(step);
                at = target;
            }
        }
        if at != start {
            moves.extend(self.way(component, at, |target, _| target == start).into_iter().map(|(s, _)| s));
        }
        let mut trace = self.trace(start, &moves, Property::Termination);
        trace.cycle = Some(Cycle::Repeats { from: trace.steps.len() - moves.len() });
        trace
    }

    /// A shortest way inside a component whose last step is as wanted.
    fn way(
        &self,
        component: &FxHashSet<NodeId>,
        from: NodeId,
        wanted: impl Fn(NodeId, &Move) -> bool,
    ) -> Vec<(Move, NodeId)> {
        let mut came: FxHashMap<NodeId, (NodeId, Move)> = FxHashMap::default();
        let mut queue = VecDeque::from([from]);
        let mut end = None;
        'search: while let Some(v) = queue.pop_front() {
            for (step, w) in self.steps[v].iter().filter(|(_, w)| component.contains(w)) {
                if wanted(*w, step) {
                    end = Some((v, step.clone(), *w));
                    break 'search;
                }
                if *w != from && !came.contains_key(w) {
                    came.insert(*w, (v, step.clone()));
                    queue.push_back(*w);
                }
            }
        }
        let (mut v, step, target) = end.expect("a component should be strongly connected");
        let mut way = vec![(step, target)];
        while v != from {
            let (before, step) = came[&v].clone();
            way.push((step, v));
            v = before;
        }
        way.reverse();
        debug_assert!(way.iter().all(|(_, v)| v.index() < self.nodes.len()));
        way
    }
}
