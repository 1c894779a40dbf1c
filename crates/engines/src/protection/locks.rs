//! Which locks are well-behaved: while a thread holds one, no other thread writes to its words.
//!
//! A write to the words of a lock that takes nothing (giving it back, initialising it, a stray pointer) is harmless if the main thread makes it
//! while it is alone, if the object is owned, or if its address is that of a lock that the thread holds, and that is well-behaved itself.
//! All other writes are harmful for every lock that they may touch.

use super::effects::{Bytes, Effects};
use super::flow::Flow;
use evidence::Term;
use program::{Action, FuncId, LocId, Op, SyncKind};
use semantics::analysis::Site;
use semantics::analysis::footprint::{Kind, footprints};
use semantics::analysis::lockset::Mode;
use semantics::analysis::offset::{Offset, WHOLE};

/// What is known against locks.
pub(super) struct Harm<'e, 'a, 'p> {
    effects: &'e Effects<'a, 'p>,
    harmful: Vec<Bytes>,
}

/// Writes that are harmless as long as a lock at one of these places is well-behaved.
type Conditional = (Vec<(Site, Offset)>, Vec<Bytes>);

impl<'e, 'a, 'p> Harm<'e, 'a, 'p> {
    pub(super) fn of(effects: &'e Effects<'a, 'p>, flow: &Flow) -> Self {
        let mut harm = Harm { effects, harmful: Vec::new() };
        let mut conditional: Vec<Conditional> = Vec::new();
        for (func, function) in effects.analysis.program.functions.iter_enumerated() {
            for loc in function.locations.ids() {
                if flow.facts[func][loc].is_some() {
                    harm.harmful.extend(effects.analysis.points_to.foreign_reach(func, loc).map(whole));
                }
                if flow.facts[func][loc].is_some() && !effects.overwrites[func][loc].is_empty() {
                    harm.judge(flow, func, loc, &mut conditional);
                }
            }
        }
        loop {
            let (spoilt, fine): (Vec<_>, Vec<_>) =
                conditional.into_iter().partition(|(places, _)| !harm.is_well_behaved(places));
            conditional = fine;
            if spoilt.is_empty() {
                harm.harmful.sort_unstable();
                harm.harmful.dedup();
                return harm;
            }
            harm.harmful.extend(spoilt.into_iter().flat_map(|(_, bytes)| bytes));
        }
    }

    /// Whether no write is harmful for a lock that can be at these places.
    pub(super) fn is_well_behaved(&self, places: &[(Site, Offset)]) -> bool {
        !places.is_empty() && !self.harmful.iter().any(|bytes| self.effects.touches(places, bytes))
    }

    fn judge(&mut self, flow: &Flow, func: FuncId, loc: LocId, conditional: &mut Vec<Conditional>) {
        let effects = self.effects;
        let Some(facts) = &flow.facts[func][loc] else { return };
        if effects.is_alone(func, loc) {
            return;
        }
        let function = &effects.analysis.program.functions[func];
        let action = &function.locations[loc].action;
        let Action::Ops { sync, .. } = action else {
            return self.harmful.extend(effects.overwrites[func][loc].iter().copied());
        };
        let gives_back_read = sync.as_ref().is_some_and(|sync| sync.kind == SyncKind::RwUnlock);
        for footprint in footprints(function, action).iter().filter(|f| f.kind == Kind::Write) {
            let targets = effects.analysis.points_to.targets(func, &footprint.addr);
            let bytes: Vec<Bytes> = super::effects::places(&targets, footprint.extent.bytes())
                .filter(|bytes| effects.overwrites[func][loc].contains(bytes))
                .collect();
            let facts = &effects.before_op(func, loc, footprint.op, facts);
            if bytes.is_empty() || effects.is_owned(func, facts, &footprint.addr) {
                continue;
            }
            let held = effects.term(func, loc, facts, &footprint.addr).and_then(|at| {
                let length = footprint.extent.bytes()?;
                let mut locks = facts.locks.iter();
                locks.find_map(|(lock, mode)| {
                    let word = (at.offset.wrapping_sub(lock.offset), length);
                    let same = lock.root == at.root && effects.words.contains(&word);
                    (same && (*mode == Mode::Write || gives_back_read)).then_some(*lock)
                })
            });
            match held {
                Some(lock) => conditional.push((effects.lock_places(func, lock), bytes)),
                None => self.harmful.extend(bytes),
            }
        }
    }

    /// Whether a lock that a thread holds in `func` is one that counts.
    pub(super) fn counts(&self, func: FuncId, lock: Term) -> bool {
        self.is_well_behaved(&self.effects.lock_places(func, lock))
    }
}

/// All bytes of the objects of a site.
pub(super) fn whole(site: Site) -> Bytes {
    (site, Offset::Any, WHOLE)
}

/// Whether entering a declaration is all that an operation does.
pub(super) fn is_declaration(action: &Action, op: usize) -> bool {
    matches!(action, Action::Ops { ops, .. } if matches!(ops.get(op), Some(Op::Forget { .. })))
}
