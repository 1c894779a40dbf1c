//! EXPANDARG: one pass over the graph, in the order of positions, that labels it anew and extends it.
//!
//! A node is taken when all nodes before it are done, so its label is final when it is computed: from the last refinement if
//! every edge of this pass respects that, from POST otherwise. A node whose label is below those of other nodes of its control is
//! covered and not followed.

use super::Ufo;
use super::arg::{ArgEdge, Fate, NodeId, START};
use super::interrupt::Interrupt;
use super::position::UnrolledPosition;
use logic::{Solver, Term};
use rustc_hash::FxHashMap;
use semantics::encoding::SuccessorKind;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

impl Ufo<'_> {
    /// EXPANDARG.
    pub(super) fn expand_arg(&mut self) -> Result<(), Interrupt> {
        self.stats.iterations += 1;
        self.error_reached = false;
        self.frontier.clear();
        for v in self.arg.nodes.ids() {
            self.arg.nodes[v].fate = Fate::Unreached;
            self.arg.nodes[v].arrivals.clear();
        }
        let mut queue: BTreeSet<(Rc<UnrolledPosition>, NodeId)> = BTreeSet::new();
        let mut active: FxHashMap<_, Vec<NodeId>> = FxHashMap::default();
        queue.insert((Rc::clone(&self.arg.nodes[START].position), START));
        while let Some((_, v)) = queue.pop_first() {
            self.go_on()?;
            let psi = self.psi(v)?;
            self.arg.nodes[v].psi = psi;
            let location = self.arg.nodes[v].location;
            let mut heads = active.get(&location).cloned().unwrap_or_default();
            heads.retain(|u| self.arg.sleeps_less(*u, v));
            let fate = self.fate(v, psi, &heads)?;
            self.arg.nodes[v].fate = fate;
            match fate {
                Fate::Covered => {
                    self.stats.covers += 1;
                    self.expand_node(v)?;
                }
                Fate::Postponed => self.frontier.push(v),
                Fate::Expanded => {
                    self.expand_node(v)?;
                    if v != START {
                        active.entry(location).or_default().push(v);
                    }
                    self.follow(v, &mut queue)?;
                }
                Fate::Dead | Fate::Unreached => {}
            }
        }
        Ok(())
    }

    /// What becomes of a node; `heads` are the nodes of its control that were expanded.
    fn fate(&mut self, v: NodeId, psi: Term, heads: &[NodeId]) -> Result<Fate, Interrupt> {
        let node = &self.arg.nodes[v];
        if self.terms.as_bool(psi) == Some(false) {
            return Ok(Fate::Dead);
        }
        let depth = self.orders.depth(&node.position, self.edges.control(node.control));
        // A loop over a state machine takes as many iterations as that has states.
        let bound = self.bound.saturating_mul(self.locations.n_partitions(node.control));
        if !heads.is_empty() && self.is_covered(psi, heads)? {
            return Ok(Fate::Covered);
        }
        Ok(if v != START && depth > bound { Fate::Postponed } else { Fate::Expanded })
    }

    /// Returns true if ψ implies the disjunction of the labels of `heads`.
    fn is_covered(&mut self, psi: Term, heads: &[NodeId]) -> Result<bool, Interrupt> {
        self.stats.implications += 1;
        let labels: Vec<Term> = heads.iter().map(|u| self.arg.nodes[*u].psi).collect();
        if labels.iter().any(|l| *l == psi || self.terms.as_bool(*l) == Some(true)) {
            return Ok(true);
        }
        self.stats.solver_implications += 1;
        let all = self.terms.or(&labels);
        Ok(self.solver.implies(&mut self.terms, psi, all, &self.limits)?)
    }

    /// EXPANDNODE: the edges of a node, as far as it has none of these threads yet.
    pub(super) fn expand_node(&mut self, v: NodeId) -> Result<(), Interrupt> {
        if v == START {
            return Ok(());
        }
        let at = self.arg.nodes[v].location;
        let control = Arc::clone(self.edges.control(self.arg.nodes[v].control));
        let position = Rc::clone(&self.arg.nodes[v].position);
        let mut edges = Vec::new();
        for thread in control.movable() {
            let sleeps = self.arg.nodes[v].sleep_set.iter().flatten().any(|z| *z == thread);
            if sleeps || self.arg.edges(v).iter().any(|e| e.key.1 == thread) {
                continue;
            }
            let block = self.block(at, thread)?;
            for (n, edge) in block.edges.iter().enumerate() {
                let to = match &edge.kind {
                    SuccessorKind::Continue => {
                        let after = Arc::clone(self.edges.control(edge.control));
                        let next = self.orders.next(&position, &control, thread, &after);
                        let psi = self.terms.tt();
                        Some(self.arg.node((edge.control, edge.location), next, psi))
                    }
                    // Nothing happens after the program's end; another property's error ends the execution.
                    SuccessorKind::Ended => continue,
                    SuccessorKind::Violation(property, _) if !self.property.includes(*property) => continue,
                    _ => None,
                };
                edges.push(ArgEdge { block: Rc::clone(&block), key: (at, thread, n), to });
            }
        }
        if !edges.is_empty() || self.arg.nodes[v].out.is_none() {
            self.arg.add_edges(v, edges);
        }
        Ok(())
    }

    /// Follows the edges that can be taken.
    fn follow(
        &mut self,
        v: NodeId,
        queue: &mut BTreeSet<(Rc<UnrolledPosition>, NodeId)>,
    ) -> Result<(), Interrupt> {
        let psi = self.arg.nodes[v].psi;
        let propagated_sleep_sets = self.propagated_sleep_sets(v)?;
        for (n, edge) in self.arg.edges(v).iter().enumerate() {
            if self.excused.contains(&edge.key) || !self.can_take(psi, edge)? {
                continue;
            }
            match edge.to {
                None => self.error_reached = true,
                Some(w) => {
                    let sleep_set = propagated_sleep_sets.iter().find(|(t, _)| *t == edge.key.1);
                    self.arg.restrict_sleep_set(w, sleep_set.map_or(&[], |(_, sleep_set)| sleep_set));
                    self.arg.nodes[w].arrivals.push((v, n));
                    queue.insert((Rc::clone(&self.arg.nodes[w].position), w));
                }
            }
        }
        Ok(())
    }

    /// ψ of a node: what the refinement says as far as all edges respect it, and POST.
    fn psi(&mut self, v: NodeId) -> Result<Term, Interrupt> {
        if v == START {
            return Ok(self.terms.tt());
        }
        let arrivals = self.arg.nodes[v].arrivals.clone();
        let label = self.arg.nodes[v].label.filter(|_| self.options.interpolate);
        let Some(label) = label else { return self.post(v, &arrivals) };
        let mut kept = Vec::new();
        let parts = self.terms.conjuncts(label);
        for &part in &parts {
            if self.all_respect(&arrivals, part)? {
                kept.push(part);
            }
        }
        let respected = self.terms.and(&kept);
        if kept.len() == parts.len() {
            return Ok(respected);
        }
        let post = self.post(v, &arrivals)?;
        Ok(self.terms.and2(respected, post))
    }

    /// Returns true if `fact` holds after all of these edges.
    fn all_respect(&mut self, arrivals: &[(NodeId, usize)], fact: Term) -> Result<bool, Interrupt> {
        for &(u, n) in arrivals {
            let edge = self.arg.edges(u)[n].clone();
            if !self.holds(self.arg.nodes[u].psi, &edge, fact)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
