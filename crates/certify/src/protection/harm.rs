//! Which locks may be released, or overwritten, by a thread that does not hold them.

use super::Checker;
use super::summary::{Range, ranges};
use super::transfer::{before, lock_places, meets, owned, term};
use evidence::Term;
use program::{Action, FuncId, LocId, SyncKind};
use semantics::analysis::Site;
use semantics::analysis::footprint::{Kind, footprints};
use semantics::analysis::lockset::Mode;
use semantics::analysis::offset::{Offset, WHOLE};
use std::collections::BTreeSet;

/// A write that is harmless as long as the lock, at one of these places, is not harmed.
struct Release {
    places: Vec<(Site, Offset)>,
    written: Vec<Range>,
}

/// The bytes that threads may write without holding the lock that is there.
pub(super) struct Harm<'c, 'a> {
    checker: &'c Checker<'a>,
    written: BTreeSet<Range>,
}

impl<'c, 'a> Harm<'c, 'a> {
    pub(super) fn of(checker: &'c Checker<'a>) -> Self {
        let mut harm = Harm { checker, written: BTreeSet::new() };
        let mut releases = Vec::new();
        for (func, function) in checker.analysis.program.functions.iter_enumerated() {
            for loc in function.locations.ids() {
                harm.look(func, loc, &mut releases);
            }
        }
        while let Some(n) = releases.iter().position(|release| harm.harms(&release.places)) {
            harm.written.extend(releases.swap_remove(n).written);
        }
        harm
    }

    fn harms(&self, places: &[(Site, Offset)]) -> bool {
        places.is_empty() || self.written.iter().any(|range| meets(&self.checker.summary, places, range))
    }

    /// Whether a lock that a thread in `func` is known to hold is really held.
    pub(super) fn spares(&self, func: FuncId, lock: Term) -> bool {
        !self.harms(&lock_places(&self.checker.summary, func, lock))
    }

    fn look(&mut self, func: FuncId, loc: LocId, releases: &mut Vec<Release>) {
        let summary = &self.checker.summary;
        let Some(facts) = &self.checker.claimed.facts[func][loc] else { return };
        let foreign = self.checker.analysis.points_to.foreign_reach(func, loc);
        self.written.extend(foreign.map(|site| (site, Offset::Any, WHOLE)));
        let written = summary.lock_writes(func, loc);
        if written.is_empty() || summary.is_alone(func, loc) {
            return;
        }
        let action = summary.action(func, loc);
        let Action::Ops { sync, .. } = action else { return self.written.extend(written) };
        let readers = matches!(sync, Some(sync) if sync.kind == SyncKind::RwUnlock);
        let function = &self.checker.analysis.program.functions[func];
        for footprint in footprints(function, action) {
            if footprint.kind != Kind::Write {
                continue;
            }
            let targets = self.checker.analysis.points_to.targets(func, &footprint.addr);
            let mut here = ranges(&targets, footprint.extent.bytes());
            here.retain(|range| written.contains(range));
            let facts = before(summary, (func, loc), footprint.op, facts);
            if here.is_empty() || owned(summary, func, &facts, &footprint.addr) {
                continue;
            }
            let at = term(summary, (func, loc), &facts, &footprint.addr);
            let held = facts.locks.iter().find(|(lock, mode)| {
                let word = at.filter(|at| at.root == lock.root).zip(footprint.extent.bytes());
                let is_word = word.is_some_and(|(at, bytes)| {
                    summary.words.contains(&(at.offset.wrapping_sub(lock.offset), bytes))
                });
                is_word && (readers || **mode == Mode::Write)
            });
            match held {
                None => self.written.extend(here),
                Some((lock, _)) => {
                    let places = lock_places(summary, func, *lock);
                    releases.push(Release { places, written: here });
                }
            }
        }
    }
}
