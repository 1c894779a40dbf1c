//! Sets of events and relations between them, as rows of bits: the algebra in which memory models are written.
//!
//! The names are those of herd's `cat` language: `a.then(&b)` is `a ; b`, `a.within(s, t)` is `[s] ; a ; [t]`, and so on. An execution has at most
//! [`MAX_EVENTS`] events, so that a row is one number.

use std::cell::RefCell;

/// The most events of an execution.
pub const MAX_EVENTS: usize = 128;

/// A set of events: bit `n` is event `n`.
pub type Set = u128;

/// The events of a set, in order.
pub fn members(mut set: Set) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        if set == 0 {
            return None;
        }
        let lowest = set.trailing_zeros() as usize;
        set &= set - 1;
        Some(lowest)
    })
}

/// A relation: row `n` holds the events that event `n` is related to.
#[derive(PartialEq, Eq, Debug)]
pub struct Relation(Vec<Set>);

/// The most rows of relations that are kept for the next ones.
const MAX_FREE: usize = 64;

thread_local! {
    // A model computes some dozens of small relations for each execution: allocating them took as long as computing them.
    static FREE: RefCell<Vec<Vec<Set>>> = const { RefCell::new(Vec::new()) };
}

impl FromIterator<Set> for Relation {
    fn from_iter<T: IntoIterator<Item = Set>>(rows: T) -> Self {
        let mut free = FREE.with_borrow_mut(Vec::pop).unwrap_or_default();
        free.clear();
        free.extend(rows);
        Self(free)
    }
}

impl Clone for Relation {
    fn clone(&self) -> Self {
        self.0.iter().copied().collect()
    }
}

impl Drop for Relation {
    fn drop(&mut self) {
        let rows = std::mem::take(&mut self.0);
        // While the thread ends, there is no list any more; the rows are freed then.
        let _ = FREE.try_with(|free| {
            let mut free = free.borrow_mut();
            if free.len() < MAX_FREE {
                free.push(rows);
            }
        });
    }
}

impl Relation {
    /// No pair of `n` events.
    pub fn empty(n: usize) -> Self {
        std::iter::repeat_n(0, n).collect()
    }

    /// Every event of `from` with every event of `to`.
    pub fn product(n: usize, from: Set, to: Set) -> Self {
        (0..n).map(|event| if from >> event & 1 == 1 { to } else { 0 }).collect()
    }

    /// Every event of `set` with itself.
    pub fn identity(n: usize, set: Set) -> Self {
        (0..n).map(|event| set & 1 << event).collect()
    }

    /// Adds a pair.
    pub fn add(&mut self, from: usize, to: usize) {
        self.0[from] |= 1 << to;
    }

    fn zip(&self, other: &Self, combine: impl Fn(Set, Set) -> Set) -> Self {
        self.0.iter().zip(&other.0).map(|(left, right)| combine(*left, *right)).collect()
    }

    /// `self | other`
    pub fn or(&self, other: &Self) -> Self {
        self.zip(other, |left, right| left | right)
    }

    /// `self & other`
    pub fn and(&self, other: &Self) -> Self {
        self.zip(other, |left, right| left & right)
    }

    /// `self \ other`
    pub fn minus(&self, other: &Self) -> Self {
        self.zip(other, |left, right| left & !right)
    }

    /// `self ; other`
    pub fn then(&self, other: &Self) -> Self {
        self.0.iter().map(|row| members(*row).fold(0, |sum, middle| sum | other.0[middle])).collect()
    }

    /// `self^-1`
    pub fn inverse(&self) -> Self {
        let mut inverse = Self::empty(self.0.len());
        for (from, row) in self.0.iter().enumerate() {
            members(*row).for_each(|to| inverse.add(to, from));
        }
        inverse
    }

    /// `self^+`
    pub fn plus(&self) -> Self {
        let mut closure = self.clone();
        for middle in 0..closure.0.len() {
            let reached = closure.0[middle];
            for row in &mut closure.0 {
                if *row >> middle & 1 == 1 {
                    *row |= reached;
                }
            }
        }
        closure
    }

    /// `self?`
    pub fn optional(&self) -> Self {
        self.0.iter().enumerate().map(|(event, row)| row | 1 << event).collect()
    }

    /// `self^*`
    pub fn star(&self) -> Self {
        self.plus().optional()
    }

    /// `[from] ; self`
    pub fn from(&self, from: Set) -> Self {
        let rows = self.0.iter().enumerate();
        rows.map(|(event, row)| if from >> event & 1 == 1 { *row } else { 0 }).collect()
    }

    /// `self ; [to]`
    pub fn to(&self, to: Set) -> Self {
        self.0.iter().map(|row| row & to).collect()
    }

    /// `[from] ; self ; [to]`
    pub fn within(&self, from: Set, to: Set) -> Self {
        self.from(from).to(to)
    }

    /// The events that are related to another.
    pub fn domain(&self) -> Set {
        self.0.iter().enumerate().filter(|(_, row)| **row != 0).fold(0, |set, (event, _)| set | 1 << event)
    }

    /// Returns true if there is no pair.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|row| *row == 0)
    }

    /// Returns true if no event is related to itself.
    pub fn is_irreflexive(&self) -> bool {
        self.0.iter().enumerate().all(|(event, row)| row >> event & 1 == 0)
    }

    /// Returns true if there is no cycle.
    pub fn is_acyclic(&self) -> bool {
        // Removes events without successors until none is left, which is cheaper than a closure.
        let mut left: Set = self.0.iter().enumerate().fold(0, |set, (event, _)| set | 1 << event);
        loop {
            let stay = members(left)
                .filter(|event| self.0[*event] & left != 0)
                .fold(0, |set, event| set | 1 << event);
            if stay == left {
                return left == 0;
            }
            left = stay;
        }
    }
}

/// The union of several relations.
pub fn any(relations: &[&Relation]) -> Relation {
    let (first, rest) = relations.split_first().expect("a union should have a member");
    rest.iter().fold((*first).clone(), |sum, relation| sum.or(relation))
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Random;

    fn random(random: &mut Random, n: usize) -> Relation {
        let rows = (0..n).map(|_| (0..n).filter(|_| random.below(4) == 0).fold(0, |row, to| row | 1 << to));
        rows.collect()
    }

    fn related(relation: &Relation, from: usize, to: usize) -> bool {
        relation.0[from] >> to & 1 == 1
    }

    #[test]
    fn operations_are_those_of_relations() {
        let mut source = Random(7);
        for _ in 0..200 {
            let n = 5;
            let (a, b) = (random(&mut source, n), random(&mut source, n));
            let plus = a.plus();
            let mut power = a.clone();
            let mut sum = a.clone();
            for _ in 0..n {
                power = power.then(&a);
                sum = sum.or(&power);
            }
            assert_eq!(plus, sum);
            assert_eq!(a.is_acyclic(), plus.is_irreflexive());
            for from in 0..n {
                for to in 0..n {
                    let through = (0..n).any(|middle| related(&a, from, middle) && related(&b, middle, to));
                    assert_eq!(related(&a.then(&b), from, to), through);
                    assert_eq!(related(&a.inverse(), from, to), related(&a, to, from));
                    assert_eq!(
                        related(&a.minus(&b), from, to),
                        related(&a, from, to) && !related(&b, from, to)
                    );
                    assert_eq!(related(&a.star(), from, to), from == to || related(&plus, from, to));
                }
            }
        }
    }
}
