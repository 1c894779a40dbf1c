//! Which memory was set, in formulas.
//!
//! A decision on memory that was never set is undefined ([`program::Program::strict_decisions`]). Where an analysis cannot exclude a read of such memory
//! ([`Doubts`]), an encoder that checks `undefined-behaviour` follows the memory that the read may see: each cell has a *mark*
//! ([`Name::IsSet`]), each row of cells a row of marks ([`Name::AreSet`]).
//!
//! | what happens | marks |
//! |---|---|
//! | an object comes to life | fall |
//! | a store, a fill | rise |
//! | a copy, a `realloc` | are copied |
//! | a read that is in doubt | have to be up: one that is down is a violation |
//!
//! # Direction of error
//! Towards a violation: a read is no decision yet, and a cell that is set in part is not set. The interpreter goes on for a few steps, and confirms a violation if it meets
//! a decision there ([`Monitor::confirm`](crate::transition::Monitor::confirm)).

use crate::analysis::assigned::Doubts;
use crate::encoding::encode::{Encoder, Encoding, Partial};
use crate::encoding::memory::{Candidate, Spot};
use crate::encoding::names::Name;
use crate::encoding::objects::site_of;
use logic::path::Cmd;
use logic::{Symbol, Term, Terms};
use program::interp::Identity;
use program::{Property, Undefined, UndefinedKind, Width};
use std::sync::Arc;

impl Encoder<'_> {
    /// What has to be followed, if unset memory is checked and an analysis leaves doubts.
    pub(super) fn doubts_for(&self, property: Property) -> Option<Arc<Doubts>> {
        let is_checked = property == Property::UndefinedBehaviour && self.program.strict_decisions;
        is_checked.then(|| self.analysis.doubts()).filter(|doubts| !doubts.reads.is_empty())
    }

    fn follows(&self, object: Identity) -> bool {
        let doubts = self.validity.as_ref().and_then(|validity| validity.doubts.as_ref());
        doubts.is_some_and(|doubts| doubts.sites.contains(&site_of(object)))
    }

    /// The name of the mark of a cell, or of the marks of a row of cells; `None` if they are not followed.
    fn mark_name(&self, symbol: Symbol) -> Option<Name> {
        match self.names.name(symbol)? {
            Name::Cell { object, offset, width } => {
                self.follows(object).then_some(Name::IsSet { object, offset, width })
            }
            Name::Elements { object, start, width } => {
                self.follows(object).then_some(Name::AreSet { object, start, width })
            }
            _ => None,
        }
    }

    /// Commands that raise or let fall all marks of an object.
    pub(super) fn marks_of(&mut self, terms: &mut Terms, object: Identity, up: bool) -> Vec<Cmd> {
        if !self.follows(object) {
            return Vec::new();
        }
        let mut commands = Vec::new();
        for (symbol, _) in self.symbols_of(terms, object) {
            let Some(name) = self.mark_name(symbol) else { continue };
            let mark = self.names.symbol(terms, self.program, name);
            let value = match name {
                Name::AreSet { .. } => {
                    let each = terms.constant(u128::from(up), Width::BYTE.0);
                    terms.const_array(self.program.data_model.pointer().0, each)
                }
                _ => terms.truth(up),
            };
            commands.push(Cmd::Assign(mark, value));
        }
        commands
    }
}

impl Encoding<'_, '_> {
    pub(super) fn mark_object(&mut self, partial: &mut Partial, object: Identity, up: bool) {
        partial.block.extend(self.encoder.marks_of(self.terms, object, up));
    }

    /// The mark of a cell, or the marks of a row of cells; `None` if they are not followed.
    pub(super) fn mark_of(&mut self, symbol: Symbol) -> Option<Symbol> {
        let name = self.encoder.mark_name(symbol)?;
        Some(self.symbol(name))
    }

    /// Whether the place that is read is set; `None` if that is not followed of any of them.
    pub(super) fn are_set(&mut self, candidates: &[Candidate], width: Width) -> Option<Term> {
        let mut all = Vec::new();
        for candidate in candidates {
            let Some(set) = self.is_set(candidate.spot, width) else { continue };
            all.push(self.terms.implies(candidate.guard, set));
        }
        (!all.is_empty()).then(|| self.terms.and(&all))
    }

    fn is_set(&mut self, spot: Spot, width: Width) -> Option<Term> {
        Some(match spot {
            Spot::Variable(symbol) => {
                let mark = self.mark_of(symbol)?;
                self.terms.var_of(mark)
            }
            Spot::Element(symbol, index) => {
                let marks = self.mark_of(symbol)?;
                self.is_up(marks, index)
            }
            Spot::Bytes(symbol, index) => {
                let marks = self.mark_of(symbol)?;
                let mut all = Vec::new();
                for at in 0..width.bytes() {
                    let index = self.plus(index, at);
                    all.push(self.is_up(marks, index));
                }
                self.terms.and(&all)
            }
        })
    }

    fn is_up(&mut self, marks: Symbol, index: Term) -> Term {
        let marks = self.terms.var_of(marks);
        let mark = self.terms.select(marks, index);
        let up = self.up();
        self.terms.eq(mark, up)
    }

    fn up(&mut self) -> Term {
        self.terms.constant(1, Width::BYTE.0)
    }

    /// What becomes of the marks of a place that is written if `guard` holds, with a value that is set if `set` holds; both hold if they are not given.
    pub(super) fn marked(
        &mut self,
        spot: Spot,
        guard: Option<Term>,
        set: Option<Term>,
        width: Width,
    ) -> Option<(Symbol, Term)> {
        let (Spot::Variable(symbol) | Spot::Element(symbol, _) | Spot::Bytes(symbol, _)) = spot;
        let mark = self.mark_of(symbol)?;
        let old = self.terms.var_of(mark);
        let set = set.unwrap_or_else(|| self.terms.tt());
        let new = match spot {
            Spot::Variable(_) => set,
            Spot::Element(_, index) => self.with_mark(old, index, set),
            Spot::Bytes(_, index) => {
                let mut marks = old;
                for at in 0..width.bytes() {
                    let index = self.plus(index, at);
                    marks = self.with_mark(marks, index, set);
                }
                marks
            }
        };
        Some((mark, guard.map_or(new, |guard| self.terms.ite(guard, new, old))))
    }

    fn with_mark(&mut self, marks: Term, index: Term, set: Term) -> Term {
        let (up, down) = (self.up(), self.terms.constant(0, Width::BYTE.0));
        let mark = self.terms.ite(set, up, down);
        self.terms.store(marks, index, mark)
    }

    /// Keeps whether a word is set that is on its way from one object to another.
    pub(super) fn keep_mark(&mut self, partial: &mut Partial, n: u32, set: Term) -> Term {
        let kept = self.symbol(Name::ScratchIsSet { thread: self.thread, n });
        partial.block.push(Cmd::Assign(kept, set));
        self.terms.var_of(kept)
    }

    /// Demands that what is read is set, if the read is one of those in doubt, and happens only if `under` holds.
    pub(super) fn demand_set(&mut self, partial: &mut Partial, set: Term, under: Option<Term>) {
        let Some(doubts) = self.encoder.validity.as_ref().and_then(|v| v.doubts.clone()) else { return };
        let Some(at) = partial.control.thread(self.thread).map(|thread| thread.top()) else { return };
        if !doubts.reads.contains(&(at.func, at.loc)) {
            return;
        }
        let fine = under.map_or(set, |under| self.terms.implies(under, set));
        let unset = self.terms.not(fine);
        let what = "a read of memory that was never set";
        let kind = self.undefined(Undefined::new(UndefinedKind::IndeterminateValue, what));
        self.stray(partial, unset, kind);
        self.assume(partial, fine);
    }
}
