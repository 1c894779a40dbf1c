//! Which registers a location still needs: the textbook backward data-flow analysis.
//!
//! A register is *live* at a location if some way on from there reads it before it is set again. Engines drop dead
//! registers, so that states that differ in nothing that matters become equal.
//!
//! While a function that it has called is running, a caller stays at the location of its call, but has already read
//! the arguments: what its frame still needs then is [`Liveness::live_during_call`].
//!
//! # Direction of error
//! Names too many registers, never too few: paths that cannot be taken count.

use crate::analysis::footprint::{expressions, operands};
use base::{Idx, IdxVec};
use program::interp::{State, ThreadId};
use program::{Action, Expr, FuncId, Function, LocId, VarId};

/// A set of registers of one function.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub struct Registers {
    /// Bit `n % 64` of word `n / 64` stands for register `n`; no trailing zeros.
    words: Vec<u64>,
}

impl Registers {
    /// Returns true if `var` is in the set.
    pub fn contains(&self, var: VarId) -> bool {
        self.words.get(var.index() / 64).is_some_and(|word| word >> (var.index() % 64) & 1 == 1)
    }

    /// All of them, sorted.
    pub fn iter(&self) -> impl Iterator<Item = VarId> {
        (0..self.words.len() * 64).map(VarId::new).filter(|var| self.contains(*var))
    }

    fn insert(&mut self, var: VarId) {
        let word = var.index() / 64;
        if self.words.len() <= word {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= 1 << (var.index() % 64);
    }

    fn remove(&mut self, var: VarId) {
        if let Some(word) = self.words.get_mut(var.index() / 64) {
            *word &= !(1 << (var.index() % 64));
        }
        while self.words.last() == Some(&0) {
            self.words.pop();
        }
    }

    fn insert_all(&mut self, other: &Registers) {
        if self.words.len() < other.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        self.words.iter_mut().zip(&other.words).for_each(|(word, more)| *word |= more);
    }

    fn insert_read(&mut self, e: &Expr) {
        e.walk(&mut |part| {
            if let Expr::Reg(var, _) = part {
                self.insert(*var);
            }
        });
    }
}

/// The live registers of a function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Liveness {
    live: IdxVec<LocId, Registers>,
    /// For calls: what is live after the return, without the result.
    during_call: IdxVec<LocId, Registers>,
}

impl Liveness {
    /// Analyses a function.
    pub fn of(function: &Function) -> Liveness {
        let nothing = || function.locations.iter().map(|_| Registers::default()).collect();
        let mut liveness = Liveness { live: nothing(), during_call: nothing() };
        let mut predecessors: IdxVec<LocId, Vec<LocId>> = function.locations.iter().map(|_| vec![]).collect();
        for (loc, location) in function.locations.iter_enumerated() {
            location.action.successors().for_each(|next| predecessors[next].push(loc));
        }
        let mut queue: Vec<LocId> = function.locations.ids().collect();
        while let Some(loc) = queue.pop() {
            if liveness.update(loc, &function.locations[loc].action) {
                queue.extend(&predecessors[loc]);
            }
        }
        liveness
    }

    /// The registers that the action at `loc`, or anything after it, can read.
    pub fn live_at(&self, loc: LocId) -> &Registers {
        &self.live[loc]
    }

    /// The registers that anything after the call at `loc` can read, except for the call's result.
    pub fn live_during_call(&self, loc: LocId) -> &Registers {
        &self.during_call[loc]
    }

    /// Makes the registers of a state indeterminate that no thread can read any more, so that states which differ in them only are equal; of the threads that `forgets` names.
    pub fn forget_dead(
        liveness: &IdxVec<FuncId, Liveness>,
        state: &mut State,
        forgets: impl Fn(ThreadId) -> bool,
    ) {
        state.forget_registers(|thread, frame, is_top, var| {
            let of = &liveness[frame.func()];
            let live = if is_top { of.live_at(frame.loc()) } else { of.live_during_call(frame.loc()) };
            forgets(thread) && !live.contains(var)
        });
    }

    fn update(&mut self, loc: LocId, action: &Action) -> bool {
        let mut live = Registers::default();
        action.successors().for_each(|next| live.insert_all(&self.live[next]));
        match action {
            Action::Ops { ops, sync, .. } => {
                for op in ops.iter().rev() {
                    op.results().for_each(|var| live.remove(var));
                    operands(op).into_iter().for_each(|e| live.insert_read(e));
                }
                // Reports ask for the object, at the transaction's start.
                sync.iter().for_each(|sync| live.insert_read(&sync.object));
            }
            other => {
                if let Action::Call { ret, .. } = other {
                    ret.iter().for_each(|var| live.remove(*var));
                    self.during_call[loc] = live.clone();
                }
                expressions(other).into_iter().for_each(|e| live.insert_read(e));
            }
        }
        let changed = live != self.live[loc];
        self.live[loc] = live;
        changed
    }
}
