//! Which steps are taken finitely often: the bookkeeping of a proof of termination that treats one thread at a time.
//!
//! Of each class there is a graph: the nodes outside of blocks, and the steps ([`Move`]) between them. Two things can be known of a step:
//!
//! - Every *instance* takes it finitely often. That is so if it lies on no cycle of what is left of the graph without the steps of which it is known
//!   already: an instance that goes on for ever stays, from some point on, in one strongly connected component of what is left.
//! - It is taken finitely often by *all* instances together. That is so if every instance takes it finitely often and there are finitely many: the class is no
//!   template, or all steps that create its threads are taken finitely often by all.
//!
//! Classes create only later classes. So if every instance of every class takes finitely many steps, there are finitely many instances of the first class, then of
//! the second one, and so on: the execution is finite.

use base::scc::cyclic_components;
use symbolic::modular::{Model, Move, Rule};

/// What is known of the steps of a program.
pub struct Finite<'a> {
    model: &'a Model,
    moves: &'a [Move],
    /// By step: whether every instance takes it finitely often.
    by_each: Vec<bool>,
    /// By step: whether all instances together do.
    by_all: Vec<bool>,
}

impl<'a> Finite<'a> {
    /// What the graphs alone tell.
    pub fn new(model: &'a Model, rule: &'a Rule) -> Self {
        let n = rule.moves.len();
        let mut finite =
            Finite { model, moves: &rule.moves, by_each: vec![false; n], by_all: vec![false; n] };
        finite.settle();
        finite
    }

    /// Notes that every instance takes these steps finitely often, and what follows.
    pub fn add(&mut self, moves: &[usize]) {
        moves.iter().for_each(|n| self.by_each[*n] = true);
        self.settle();
    }

    /// The steps of a class that an instance may take again and again, as far as is known.
    pub fn left(&self, class: usize) -> impl Iterator<Item = usize> {
        (0..self.moves.len()).filter(move |n| self.moves[*n].class == class && !self.by_each[*n])
    }

    /// Whether all instances together take a step finitely often.
    pub fn is_taken_finitely_often(&self, step: usize) -> bool {
        self.by_all[step]
    }

    /// Whether every instance of a class takes finitely many steps.
    pub fn is_done(&self, class: usize) -> bool {
        self.left(class).next().is_none()
    }

    /// The components of what is left of a class's graph: sets of nodes, ordered.
    pub fn components(&self, class: usize) -> Vec<Vec<usize>> {
        let n_nodes = self.model.classes[class].nodes.len();
        let mut arcs = vec![Vec::new(); n_nodes];
        for n in self.left(class) {
            arcs[self.moves[n].from].extend(self.moves[n].to);
        }
        cyclic_components(n_nodes, |n| arcs[n].clone())
    }

    fn settle(&mut self) {
        for class in 0..self.model.classes.len() {
            let components = self.components(class);
            for n in self.left(class).collect::<Vec<_>>() {
                let Move { from, to, .. } = &self.moves[n];
                let inside = |c: &Vec<usize>, node: &usize| c.binary_search(node).is_ok();
                let goes_round =
                    to.is_some_and(|to| components.iter().any(|c| inside(c, from) && inside(c, &to)));
                self.by_each[n] = !goes_round;
            }
        }
        // Creators come before those that they create.
        for class in 0..self.model.classes.len() {
            let few = !self.model.classes[class].many
                || (self.moves.iter().enumerate())
                    .all(|(n, m)| !m.creates.contains(&class) || self.by_all[n]);
            for n in (0..self.moves.len()).filter(|n| self.moves[*n].class == class) {
                self.by_all[n] = few && self.by_each[n];
            }
        }
    }
}
