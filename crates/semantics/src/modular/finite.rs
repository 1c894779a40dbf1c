//! Which actions are taken finitely often: the bookkeeping of a thread-modular proof of termination.
//!
//! Each thread template has a graph: the nodes outside of reducible blocks, and the transactions ([`Move`]) between them. Two things can be known of a
//! transaction:
//!
//! - Every *instance* takes it finitely often. That is so if it lies on no cycle of the rest of the graph without the transactions of which it is known
//!   already: an instance that takes infinitely many transactions stays, from some point on, in one strongly connected component of the rest.
//! - *All* instances together take it finitely often. That is so if every instance does and there are finitely many instances: the template is
//!   not replicated, or all transactions that create its threads are taken finitely often by all instances together.
//!
//! Templates create only threads of later templates. So if every instance of every template takes finitely many transactions, there are finitely many
//! instances of the first template, then of the second one, and so on: the execution is finite.
//!
//! Both the search for ranking functions and the check of a proof use this module: it is part of the trusted base (docs/SOUNDNESS.md), and the
//! tests at its end compare it with a direct enumeration.

use super::{
    Blocks, FINISHED, JOINED, Model, Move, MoveId, POSITION_WIDTH, PerNode, Rule, Target, TemplateId,
    TemplateNodeId, UNSTARTED, Waits,
};
use base::scc::cyclic_components;
use base::{Idx, IdxVec};
use logic::{Term, Terms};

/// What is known of the transactions of a program.
pub struct Finite<'a> {
    model: &'a Model,
    moves: &'a IdxVec<MoveId, Move>,
    /// By transaction: whether every instance takes it finitely often.
    by_each: IdxVec<MoveId, bool>,
    /// By transaction: whether all instances together do.
    by_all: IdxVec<MoveId, bool>,
}

impl<'a> Finite<'a> {
    /// What follows from the graphs alone.
    pub fn new(model: &'a Model, rule: &'a Rule) -> Self {
        let none: IdxVec<MoveId, bool> = IdxVec::of(false, rule.moves.len());
        let mut finite = Finite { model, moves: &rule.moves, by_each: none.clone(), by_all: none };
        finite.settle();
        finite
    }

    /// Notes that every instance takes these transactions finitely often, and what follows.
    pub fn add(&mut self, moves: &[MoveId]) {
        moves.iter().for_each(|n| self.by_each[*n] = true);
        self.settle();
    }

    /// The transactions of a template that an instance may take infinitely often, as far as is known.
    pub fn left(&self, template: TemplateId) -> impl Iterator<Item = MoveId> {
        self.moves.ids().filter(move |n| self.moves[*n].template == template && !self.by_each[*n])
    }

    /// Returns true if all instances together take a transaction finitely often.
    pub fn is_taken_finitely_often(&self, step: MoveId) -> bool {
        self.by_all[step]
    }

    /// Returns true if every instance of a template takes finitely many transactions.
    pub fn is_done(&self, template: TemplateId) -> bool {
        self.left(template).next().is_none()
    }

    /// The cyclic strongly connected components of the rest of a template's graph: ordered sets of nodes.
    pub fn components(&self, template: TemplateId) -> Vec<Vec<TemplateNodeId>> {
        let n_nodes = self.model.templates[template].nodes.len();
        let mut arcs: PerNode<Vec<usize>> = PerNode::of(Vec::new(), n_nodes);
        for n in self.left(template) {
            arcs[self.moves[n].from].extend(self.moves[n].to.map(Idx::index));
        }
        let components = cyclic_components(n_nodes, |n| arcs[TemplateNodeId::new(n)].clone());
        components.into_iter().map(|c| c.into_iter().map(TemplateNodeId::new).collect()).collect()
    }

    fn settle(&mut self) {
        for template in self.model.templates.ids() {
            let components = self.components(template);
            for n in self.left(template).collect::<Vec<_>>() {
                let Move { from, to, .. } = &self.moves[n];
                let inside = |c: &Vec<TemplateNodeId>, node: &TemplateNodeId| c.binary_search(node).is_ok();
                let on_cycle =
                    to.is_some_and(|to| components.iter().any(|c| inside(c, from) && inside(c, &to)));
                self.by_each[n] = !on_cycle;
            }
        }
        // Creating templates come before those that they create.
        for template in self.model.templates.ids() {
            let few = !self.model.templates[template].replicated
                || (self.moves.iter_enumerated())
                    .all(|(n, m)| !m.creates.contains(&template) || self.by_all[n]);
            for n in self.moves.ids().filter(|n| self.moves[*n].template == template) {
                self.by_all[n] = few && self.by_each[n];
            }
        }
    }
}

/// Returns true if the main thread cannot be blocked, and ends only by ending the program.
pub fn ends_alone(model: &Model) -> bool {
    let mut reached = model.templates[TemplateId::MAIN].nodes.iter().filter(|n| !n.statuses.is_empty());
    reached.all(|n| n.waits == Waits::Never && n.edges.iter().all(|e| e.target != Target::Finished))
}

/// Where a thread that takes finitely many transactions ends up: not at a node where it can always move. In the middle of a block it has not moved yet, as
/// far as the invariants say. `None` for replicated templates, which have no position.
pub fn rests(model: &Model, blocks: &Blocks, terms: &mut Terms, template: TemplateId) -> Option<Term> {
    let position = terms.var_of(model.templates[template].position?);
    let waiting = blocks.reached(template).into_iter().filter(|n| may_wait(model, blocks, template, *n));
    let places = [UNSTARTED, FINISHED, JOINED].into_iter().chain(waiting.map(|n| n.position()));
    let mut cases = Vec::new();
    for place in places.collect::<Vec<_>>() {
        let there = terms.constant(place, POSITION_WIDTH);
        cases.push(terms.eq(position, there));
    }
    Some(terms.or(&cases))
}

/// Returns true if a thread can be blocked at a node, or in the block that begins there.
fn may_wait(model: &Model, blocks: &Blocks, template: TemplateId, start: TemplateNodeId) -> bool {
    let nodes = &model.templates[template].nodes;
    let (mut open, mut seen) = (vec![start], PerNode::of(false, nodes.len()));
    while let Some(n) = open.pop() {
        if std::mem::replace(&mut seen[n], true) {
            continue;
        }
        if nodes[n].waits != Waits::Never {
            return true;
        }
        open.extend(nodes[n].edges.iter().filter_map(|e| match e.target {
            Target::TemplateNode(m) if !blocks.outside[template][m] => Some(m),
            _ => None,
        }));
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::modular::rule;
    use crate::{Analysis, Encoder};
    use program::Property;

    /// Workers are created in a loop; each has two nested loops.
    const TEXT: &str = "program lp64 object x: 4 = 9
        function main() -> 32 { reg h: 64 reg n: 32
                  havoc n
            loop: if 0 <s n then again else done
            again: h = create(&worker, 0); n = n - 1 -> loop
            done: thread_exit 0
        }
        function worker(arg: 64) -> 64 { reg t: 32
            outer: t = [&x]:32
                   if t == 0 then done else inner
            inner: [&x]:32 = t - 1
                   havoc t
                   if t == 0 then outer else inner
            done:  return 0
        }";

    /// Of each move, whether it lies on a cycle of those that are `left`, by all paths.
    fn on_cycle(moves: &IdxVec<MoveId, Move>, left: &IdxVec<MoveId, bool>, n: MoveId) -> bool {
        let Some(to) = moves[n].to else { return false };
        let mut reached = vec![to];
        let mut at = 0;
        while at < reached.len() {
            for (m, step) in moves.iter_enumerated() {
                if left[m] && step.template == moves[n].template && step.from == reached[at] {
                    reached.extend(step.to.filter(|to| !reached.contains(to)));
                }
            }
            at += 1;
        }
        reached.contains(&moves[n].from)
    }

    /// Whatever is known to be finite, what follows is what the definitions at the top of this module say.
    #[test]
    fn what_follows_is_what_the_definitions_say() {
        let program = program::text::parse(TEXT).unwrap_or_else(|error| panic!("{error}"));
        let mut terms = Terms::new();
        let mut encoder = Encoder::new(&Analysis::of(&program)).expect("it should be encodable");
        let model = Model::of(&mut encoder, &mut terms).expect("it should have a model");
        let outside = model.templates.iter().map(|c| PerNode::of(true, c.nodes.len())).collect();
        let rule = rule(&model, &Blocks::of(&model, outside), &mut terms, Property::Termination);
        let worker = TemplateId(1);
        assert!(model.templates[worker].replicated && rule.moves.len() > 6, "{} moves", rule.moves.len());
        let mut random = base::Random(3);
        for _ in 0..500 {
            let added: Vec<MoveId> = rule.moves.ids().filter(|_| random.below(4) == 0).collect();
            let mut finite = Finite::new(&model, &rule);
            finite.add(&added);
            let mut left: IdxVec<MoveId, bool> = rule.moves.ids().map(|n| !added.contains(&n)).collect();
            loop {
                let next = rule.moves.ids().map(|n| left[n] && on_cycle(&rule.moves, &left, n)).collect();
                if next == left {
                    break;
                }
                left = next;
            }
            for n in rule.moves.ids() {
                let template = rule.moves[n].template;
                assert_eq!(finite.left(template).any(|m| m == n), left[n], "{added:?}, move {n}");
                let mut creations = rule.moves.iter_enumerated().filter(|(_, m)| m.creates.contains(&worker));
                let few = template == TemplateId::MAIN || creations.all(|(m, _)| !left[m]);
                assert_eq!(finite.is_taken_finitely_often(n), few && !left[n], "{added:?}, move {n}");
            }
        }
    }
}
