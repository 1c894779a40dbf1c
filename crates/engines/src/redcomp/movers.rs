//! Movers: which actions can be exchanged with those of other threads, and the blocks that follow.
//!
//! | paper, section V | here | ensures |
//! |---|---|---|
//! | locks held | `Locks` | `lock == handle` holds whenever the thread is there, whatever the others do |
//! | rm, lm, bm, nm | [`Movers::of`] | a right-mover commutes with every later action of another thread, a left-mover with every earlier one |
//! | In, Out | [`Movers::reduce`] | every block is right-movers, at most one other action, left-movers |
//!
//! # The idea
//! An action is a block of commands, so whether two of them commute is a query for the solver: from every state in which both
//! threads are where they are, and hold the locks that they hold there, doing the first and then the second must also be possible the other
//! way round, with the same outcome. Most pairs touch nothing in common, and most of the others need the same lock; the rest is asked. That
//! acquiring is a right-mover and releasing a left-mover is no rule here but an answer.
//!
//! # Repairs (the paper's rules are unsound as printed)
//! - A location is inside a block only if that is right for *every* phase in which it can be reached, not for some.
//! - After the commit, a block may not loop, block, fail an assumption or end: then it would never be seen by the others. A place where it might is
//!   outside.
//! - A lock is held by *this* thread: its word is this thread's handle; and a lock that another thread may release without holding it, or take by other
//!   means, is no lock.
//! - Creating is no right-mover: the new thread did not exist before.
//!
//! # Direction of error
//! In doubt an action is a non-mover and a place is outside: more interleavings, never fewer. `certify` checks the claims again.

mod prover;

use base::Inconclusive;
use evidence::{CommitPhase, CommitPhases};
use logic::{Limits, Terms};
use program::Program;
use prover::{InstanceAction, Prover};
use rustc_hash::FxHashSet;
use semantics::modular::{
    HeldLocks, Model, PerNode, PerTemplate, Target, TemplateId, TemplateNodeId, blocks,
};
use std::collections::VecDeque;
use std::fmt::Write;

/// How an action can be moved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mover {
    /// Past later actions of others.
    pub right: bool,
    /// Before earlier ones.
    pub left: bool,
    /// True if it can be taken at all, with the locks that are held there.
    pub possible: bool,
}

impl Mover {
    /// A word for it.
    pub fn name(self) -> &'static str {
        match (self.right, self.left) {
            _ if !self.possible => "never",
            (true, true) => "both-mover",
            (true, false) => "right-mover",
            (false, true) => "left-mover",
            (false, false) => "non-mover",
        }
    }
}

/// The movers of a program.
pub struct Movers {
    /// By template, node and edge.
    pub movers: PerTemplate<PerNode<Vec<Mover>>>,
    /// The locks that are held, by template and node.
    pub held: HeldLocks,
    /// Places where no edge can be taken in some state.
    stuck: PerTemplate<PerNode<bool>>,
}

/// In which phases each node can be reached, and the nodes in breadth-first order.
type Phases = (PerNode<(bool, bool)>, Vec<TemplateNodeId>);

/// The locks that are held, by template and node.
pub fn locks(model: &Model, terms: &mut Terms, limits: &Limits) -> Result<HeldLocks, Inconclusive> {
    Prover::new(model, terms, limits).locks()
}

impl Movers {
    /// Finds locks and movers.
    pub fn of(model: &Model, terms: &mut Terms, limits: &Limits) -> Result<Movers, Inconclusive> {
        let mut prover = Prover::new(model, terms, limits);
        let held = prover.locks()?;
        let mut movers = PerTemplate::new();
        let mut stuck = PerTemplate::new();
        let footprints = prover.footprints();
        for (c, template) in model.templates.iter_enumerated() {
            let mut of_template = PerNode::new();
            let mut stuck_here = PerNode::new();
            for (n, node) in template.nodes.iter_enumerated() {
                let mut of_node = Vec::new();
                for edge in &node.edges {
                    let here = prover.facts(c, &held[c][n]);
                    let never = prover.terms.ff();
                    let mover = match prover.triple(&[here], &edge.block, never)? {
                        true => Mover { right: true, left: true, possible: false },
                        false => {
                            prover.mover(InstanceAction { template: c, node: n, edge }, &held, &footprints)?
                        }
                    };
                    of_node.push(mover);
                }
                of_template.push(of_node);
                stuck_here.push(prover.may_be_stuck(c, n, &held[c][n])?);
            }
            movers.push(of_template);
            stuck.push(stuck_here);
        }
        Ok(Movers { movers, held, stuck })
    }

    /// The blocks: as large as the movers allow.
    pub fn reduce(&self, model: &Model) -> CommitPhases {
        model.templates.ids().map(|c| self.reduce_template(model, c)).collect()
    }

    /// Places are put outside one after the other, nearest to the start first, until no block is wrong.
    fn reduce_template(&self, model: &Model, c: TemplateId) -> PerNode<CommitPhase> {
        let template = &model.templates[c];
        let mut outside: PerNode<bool> = PerNode::of(false, template.nodes.len());
        outside[TemplateNodeId::START] = true;
        for edge in template.nodes.iter().flat_map(|n| &n.edges).filter(|e| !e.creates.is_empty()) {
            if let Target::TemplateNode(n) = edge.target {
                outside[n] = true;
            }
        }
        loop {
            let (phases, order) = self.phases(model, c, &outside);
            let heads = blocks::loop_heads(template, &outside);
            let wrong = order.iter().copied().find(|n| {
                let after = phases[*n].1;
                let edges = &template.nodes[*n].edges;
                let leaves = edges.iter().zip(&self.movers[c][*n]).all(|(e, m)| {
                    !m.possible || m.left && matches!(e.target, Target::TemplateNode(_) | Target::Finished)
                });
                !outside[*n]
                    && (edges.is_empty() || after && (!leaves || self.stuck[c][*n] || heads.contains(n)))
            });
            match wrong {
                Some(n) => outside[n] = true,
                None => {
                    let claim = |n: TemplateNodeId| match (outside[n], phases[n]) {
                        (false, (_, true)) => CommitPhase::PostCommit,
                        (false, (true, false)) => CommitPhase::PreCommit,
                        // Nothing is known of locations that are never reached.
                        (true, _) | (false, (false, false)) => CommitPhase::Outside,
                    };
                    return outside.ids().map(claim).collect();
                }
            }
        }
    }

    /// In which phases each node can be reached inside a block: before and after the commit; and the nodes in breadth-first order.
    fn phases(&self, model: &Model, c: TemplateId, outside: &PerNode<bool>) -> Phases {
        let template = &model.templates[c];
        let mut phases = PerNode::of((false, false), template.nodes.len());
        let mut seen: FxHashSet<(TemplateNodeId, bool)> = FxHashSet::default();
        let mut order = Vec::new();
        let mut queue = VecDeque::from([(TemplateNodeId::START, true)]);
        while let Some((n, before)) = queue.pop_front() {
            let before = before || outside[n];
            if !seen.insert((n, before)) {
                continue;
            }
            order.push(n);
            *(if before { &mut phases[n].0 } else { &mut phases[n].1 }) = true;
            for (edge, mover) in
                template.nodes[n].edges.iter().zip(&self.movers[c][n]).filter(|(_, m)| m.possible)
            {
                if let Target::TemplateNode(m) = edge.target {
                    queue.push_back((m, before && mover.right));
                }
            }
        }
        (phases, order)
    }
}

impl Movers {
    /// The places of all threads with their phases, locks and movers.
    pub fn show(&self, program: &Program, model: &Model, terms: &Terms) -> String {
        let claims = self.reduce(model);
        let mut text = String::new();
        for (c, template) in model.templates.iter_enumerated() {
            let _ = writeln!(text, "thread {}", template.name);
            for (n, node) in template.nodes.iter_enumerated() {
                let top = node.frames.last().expect("a place should be in a function");
                let span = program.functions[top.func].locations[top.loc].span;
                let place = match claims[c][n] {
                    CommitPhase::Outside => "outside",
                    CommitPhase::PreCommit => "inside, before the commit",
                    CommitPhase::PostCommit => "inside, after the commit",
                };
                let locks: Vec<&str> = self.held[c][n].iter().map(|lock| terms.name(*lock)).collect();
                let locks =
                    if locks.is_empty() { String::new() } else { format!(", holds {}", locks.join(" ")) };
                let _ =
                    writeln!(text, "  {n} ({}): {place}{locks}", program::interp::span_name(program, span));
                for (edge, mover) in node.edges.iter().zip(&self.movers[c][n]) {
                    let to = match &edge.target {
                        Target::TemplateNode(m) => format!("to {m}"),
                        Target::Finished => "ends".to_owned(),
                        Target::Stops(kind) => format!("stops: {kind:?}"),
                    };
                    let _ = writeln!(text, "    {} {to}", mover.name());
                }
            }
        }
        text
    }
}
