//! What a thread may still write, and whether it may come back to where it is: which reads need not wait for others.
//!
//! For each location, the sites of objects that the actions from there on may write to, those of called functions and of created threads included. A thread may write what one of
//! its frames may write from where it is; a caller goes on behind its call.
//!
//! # Direction of error
//! More is written than there is, and more locations are in cycles; a write through an unknown address goes everywhere.

use super::Runner;
use crate::Analysis;
use crate::analysis::Site;
use crate::analysis::footprint::{Kind, footprints};
use crate::analysis::threads::is_in_cycle;
use crate::encoding::objects::site_of;
use base::IdxVec;
use program::interp::Identity;
use program::{FuncId, LocId};
use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;

/// A set of sites; the last bit stands for all that have no bit of their own.
type Sites = u128;
const OTHERS: u32 = 127;

/// What threads may still do. Nothing is computed before it is asked for.
pub struct Futures<'a, 'p> {
    analysis: &'a Analysis<'p>,
    written: OnceCell<Written>,
    cycles: RefCell<BTreeMap<(FuncId, LocId), bool>>,
}

/// What may be written.
struct Written {
    numbers: BTreeMap<Site, u32>,
    /// From a location on, that one included.
    from: IdxVec<FuncId, IdxVec<LocId, Sites>>,
}

impl<'a, 'p> Futures<'a, 'p> {
    /// Of the threads of a program.
    pub fn new(analysis: &'a Analysis<'p>) -> Self {
        Self { analysis, written: OnceCell::new(), cycles: RefCell::default() }
    }

    /// Returns true if a thread may write to an object in one of its next steps, or a thread that it creates may.
    pub fn may_write(&self, runner: &Runner, object: Identity) -> bool {
        let written = self.written.get_or_init(|| Written::of(self.analysis));
        let site = 1 << written.numbers.get(&site_of(object)).copied().unwrap_or(OTHERS);
        let Some(thread) = runner.state.thread(runner.thread) else { return false };
        let mut frames = thread.frames().rev();
        let top = frames.next().map(|frame| written.from[frame.func()][frame.loc()]);
        let callers = frames.map(|frame| {
            let action = &self.analysis.program.functions[frame.func()].locations[frame.loc()].action;
            action.successors().fold(0, |set, next| set | written.from[frame.func()][next])
        });
        top.into_iter().chain(callers).any(|set| set & site != 0)
    }

    /// Returns true if a thread may come to its location again, with the same calls around it.
    pub fn may_come_back(&self, runner: &Runner) -> bool {
        let mut cycles = self.cycles.borrow_mut();
        let mut frames = runner.state.thread(runner.thread).into_iter().flat_map(|thread| thread.frames());
        frames.any(|frame| {
            let (func, loc) = (frame.func(), frame.loc());
            *cycles.entry((func, loc)).or_insert_with(|| is_in_cycle(self.analysis.program, func, loc))
        })
    }
}

impl Written {
    fn of(analysis: &Analysis<'_>) -> Self {
        let functions = &analysis.program.functions;
        let mut written = Written { numbers: BTreeMap::new(), from: IdxVec::new() };
        let mut own: IdxVec<FuncId, IdxVec<LocId, Sites>> = IdxVec::new();
        for (func, function) in functions.iter_enumerated() {
            let set = function.locations.ids().map(|loc| written.by_itself(analysis, func, loc));
            own.push(set.collect());
        }
        let mut all: IdxVec<FuncId, Sites> =
            own.iter().map(|sets| sets.iter().fold(0, |a, b| a | b)).collect();
        let entered: IdxVec<FuncId, IdxVec<LocId, Vec<FuncId>>> = functions
            .iter_enumerated()
            .map(|(func, function)| {
                let entered = |loc: LocId| {
                    let action = &function.locations[loc].action;
                    let mut entered = analysis.points_to.entered_by(func, loc, action);
                    entered.extend(analysis.points_to.started_by(func, loc));
                    entered
                };
                function.locations.ids().map(entered).collect()
            })
            .collect();
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for func in functions.ids() {
                let callees = entered[func].iter().flatten();
                let sum = callees.fold(all[func], |sum, callee| sum | all[*callee]);
                changed |= sum != all[func];
                all[func] = sum;
            }
        }
        for (func, function) in functions.iter_enumerated() {
            let of = |loc: LocId| entered[func][loc].iter().fold(own[func][loc], |sum, f| sum | all[*f]);
            let mut from: IdxVec<LocId, Sites> = function.locations.ids().map(of).collect();
            let mut changed = true;
            while std::mem::take(&mut changed) {
                for loc in function.locations.ids().rev() {
                    let next = function.locations[loc].action.successors();
                    let sum = next.fold(from[loc], |sum, next| sum | from[next]);
                    changed |= sum != from[loc];
                    from[loc] = sum;
                }
            }
            written.from.push(from);
        }
        written
    }

    /// What the action at a location writes itself, or what runs in its place.
    fn by_itself(&mut self, analysis: &Analysis<'_>, func: FuncId, loc: LocId) -> Sites {
        let function = &analysis.program.functions[func];
        let action = &function.locations[loc].action;
        let points_to = &analysis.points_to;
        let mut set = 0;
        for footprint in footprints(function, action) {
            if footprint.kind == Kind::Write {
                let targets = points_to.targets(func, &footprint.addr);
                if targets.unknown {
                    return Sites::MAX;
                }
                set = targets.places.into_iter().fold(set, |set, (site, _)| set | self.bit(site));
            }
        }
        if points_to.starts_foreign(func, loc) || points_to.enters_anything(func, action) {
            return Sites::MAX;
        }
        let opaque = points_to.opaque_reach(func, loc).chain(points_to.foreign_reach(func, loc));
        opaque.fold(set, |set, site| set | self.bit(site))
    }

    fn bit(&mut self, site: Site) -> Sites {
        let next = u32::try_from(self.numbers.len()).unwrap_or(OTHERS).min(OTHERS);
        1 << *self.numbers.entry(site).or_insert(next)
    }
}
