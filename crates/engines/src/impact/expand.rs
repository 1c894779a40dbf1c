//! EXPAND: edges become children, as far as they can be taken; a violation that can be reached is reported at once.

use super::Impact;
use super::art::{Node, NodeId};
use base::Inconclusive;
use evidence::Trace;
use logic::Model;
use program::interp::ThreadId;
use semantics::encoding::SuccessorKind;
use semantics::transition::Edge;
use semantics::transition::{Path, concretise};
use std::rc::Rc;

impl Impact<'_> {
    /// EXPAND: follows the edges of `threads` from `v`.
    pub(super) fn expand(&mut self, v: NodeId, threads: &[ThreadId]) -> Result<Option<Trace>, Inconclusive> {
        for &thread in threads {
            if self.art.nodes[v].expanded.contains(&thread) {
                continue;
            }
            self.art.nodes[v].expanded.push(thread);
            for edge in self.edges_of(self.art.nodes[v].control, thread).iter() {
                if let Some(trace) = self.follow(v, edge)? {
                    return Ok(Some(trace));
                }
            }
        }
        Ok(None)
    }

    /// The violations of properties of states at a node.
    pub(super) fn watched(&mut self, v: NodeId) -> Result<Option<Trace>, Inconclusive> {
        let Self { monitor, edges, encoder, terms, .. } = self;
        for edge in monitor.edges_at(edges, encoder, terms, self.art.nodes[v].control).iter() {
            if let Some(trace) = self.follow(v, edge)? {
                return Ok(Some(trace));
            }
        }
        Ok(None)
    }

    /// One edge: a child if it can be taken, labels that prove it cannot otherwise.
    fn follow(&mut self, v: NodeId, edge: &Rc<Edge>) -> Result<Option<Trace>, Inconclusive> {
        if edge.kind == SuccessorKind::Ended {
            return Ok(None); // nothing happens after the program's end
        }
        let mut store = (*self.art.nodes[v].store).clone();
        let conditions = store.run(&mut self.terms, &edge.block);
        let Some(model) = self.feasible(v, &conditions)? else {
            // Labels have to say why only if others rely on them.
            if !self.art.has_covering_ancestor(v) {
                self.art.nodes[v].blocked.push(Rc::clone(edge));
            } else if !self.refine(v, edge)? {
                self.disable_covers(v);
                self.art.nodes[v].blocked.push(Rc::clone(edge));
            }
            return Ok(None);
        };
        if let SuccessorKind::Violation(property, _) = &edge.kind {
            return match self.property.includes(*property) {
                true => self.trace(v, edge, &model),
                false => Ok(None), // another property's error ends the execution
            };
        }
        if let Some(stop) = edge.kind.stop() {
            self.incomplete.get_or_insert(stop);
            return Ok(None);
        }
        let parent = &self.art.nodes[v];
        let switched = parent.parent.as_ref().is_some_and(|(_, last)| last.thread != edge.thread);
        let preempted = switched
            && parent.parent.as_ref().is_some_and(|(_, last)| {
                let before = self.edges.control(parent.control).thread(last.thread);
                before.is_some_and(|t| !t.is_finished())
            });
        let (depth, cost) = (parent.depth + 1, parent.cost + u32::from(preempted) + u32::from(edge.iterates));
        let switches = parent.switches + u32::from(switched);
        let child = self.art.add(Node {
            parent: Some((v, Rc::clone(edge))),
            control: edge.control,
            label: self.terms.tt(),
            expanded: Vec::new(),
            blocked: Vec::new(),
            kids: Vec::new(),
            covered_by: None,
            covers: Vec::new(),
            cover_disabled: false,
            store: Rc::new(store),
            conditions,
            model,
            state: Model::default(),
            depth,
            switches,
            cost,
            queued: false,
            done: false,
        });
        self.enqueue(child);
        Ok(None)
    }

    /// The execution of the path to `v` and then `last`, as `model` has it, unless the interpreter does not see the violation.
    fn trace(&mut self, v: NodeId, last: &Rc<Edge>, model: &Model) -> Result<Option<Trace>, Inconclusive> {
        let into = self.art.path(v).into_iter().skip(1);
        let edges = into.map(|n| Rc::clone(&self.art.nodes[n].parent.as_ref().expect("not the root").1));
        let edges: Vec<Rc<Edge>> = edges.chain([Rc::clone(last)]).collect();
        let path = Path { init: &self.init, edges: &edges };
        let execution = concretise(&self.encoder, &self.edges, &mut self.terms, &path, model)?;
        match self.monitor.confirm(&self.encoder, &mut self.terms, last, execution, model) {
            Ok(steps) => Ok(Some(Trace { property: self.property, steps, cycle: None })),
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
}
