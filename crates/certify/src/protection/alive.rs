//! Which threads live while the main thread is somewhere.

use super::failed;
use base::{IdxVec, Inconclusive};
use program::{Action, FuncId, LocId};
use semantics::Analysis;
use semantics::analysis::lockset::ByLocation;
use std::collections::BTreeSet;

type Alive = ByLocation<Option<BTreeSet<usize>>>;

/// The claimed sets contain every thread that is created and not certainly over.
pub(super) fn check(analysis: &Analysis<'_>, claimed: &Alive) -> Result<(), Inconclusive> {
    let program = analysis.program;
    let roots = analysis.threads.roots();
    let everybody: BTreeSet<usize> = (0..roots.len()).collect();
    if claimed[program.entry][program.functions[program.entry].entry].is_none() {
        return Err(failed("the main thread should start".to_owned()));
    }
    let exits = Exits::of(analysis, claimed);
    for (func, function) in program.functions.iter_enumerated() {
        for (loc, location) in function.locations.iter_enumerated() {
            let before = claimed[func][loc].as_ref();
            if roots[0].many && before != Some(&everybody) {
                return Err(failed("there can be several main threads".to_owned()));
            }
            let Some(before) = before else { continue };
            let after = after(analysis, func, loc, before);
            let named = |(func, loc): (FuncId, LocId)| {
                claimed[func][loc].as_ref().is_some_and(|named| after.is_subset(named))
            };
            let entry = |callee: FuncId| (callee, program.functions[callee].entry);
            let all_named = match &location.action {
                Action::Call { callee, next, .. } => {
                    let unknown = analysis.points_to.enters_anything(func, &location.action);
                    let callees = analysis.points_to.callees(func, callee);
                    let meanwhile = exits.meanwhile(analysis, (func, loc), &after);
                    let returned = |callee: &FuncId| exits.returned(*callee, before);
                    let behind = |alive: BTreeSet<usize>| {
                        claimed[func][*next].as_ref().is_some_and(|named| alive.is_subset(named))
                    };
                    callees.iter().copied().map(entry).all(named)
                        && callees.iter().filter_map(returned).all(behind)
                        && (!unknown || behind(meanwhile))
                }
                // What is alive when a function returns is looked up where it is called.
                Action::Return(_) => true,
                Action::Unsupported(_) => true,
                action => action.successors().map(|next| (func, next)).all(named),
            };
            // An opaque function may call one function after another has started threads.
            let meanwhile = exits.meanwhile(analysis, (func, loc), before);
            let mut called_back = analysis.points_to.opaque_callees(func, loc).into_iter().map(entry);
            let all_named = all_named
                && called_back.all(|(func, loc)| {
                    claimed[func][loc].as_ref().is_some_and(|named| meanwhile.is_subset(named))
                });
            if !all_named {
                return Err(failed("a living thread is not named".to_owned()));
            }
        }
    }
    Ok(())
}

/// What is alive when functions return.
struct Exits {
    /// The roots that a function, or what it calls, may start, with those that these start.
    starts: IdxVec<FuncId, BTreeSet<usize>>,
    /// The roots that can be alive when it returns, wherever it was called; `None` if it does not return.
    alive: IdxVec<FuncId, Option<BTreeSet<usize>>>,
}

impl Exits {
    fn of(analysis: &Analysis<'_>, claimed: &Alive) -> Exits {
        let program = analysis.program;
        let mut starts: IdxVec<FuncId, BTreeSet<usize>> = IdxVec::new();
        for (func, function) in program.functions.iter_enumerated() {
            let ids = function.locations.ids();
            starts.push(ids.flat_map(|loc| started(analysis, func, loc)).collect());
        }
        let mut changed = true;
        while changed {
            changed = false;
            for (func, function) in program.functions.iter_enumerated() {
                for (loc, location) in function.locations.iter_enumerated() {
                    for callee in analysis.points_to.entered_by(func, loc, &location.action) {
                        let added: Vec<usize> = starts[callee].difference(&starts[func]).copied().collect();
                        changed |= !added.is_empty();
                        starts[func].extend(added);
                    }
                }
            }
        }
        let mut alive: IdxVec<FuncId, Option<BTreeSet<usize>>> = IdxVec::new();
        for (func, function) in program.functions.iter_enumerated() {
            let mut here: Option<BTreeSet<usize>> = None;
            for (loc, location) in function.locations.iter_enumerated() {
                let Some(at) = &claimed[func][loc] else { continue };
                match location.action {
                    Action::Return(_) => here.get_or_insert_default().extend(at),
                    Action::Unsupported(_) => here.get_or_insert_default().extend(at.union(&starts[func])),
                    _ => {}
                }
            }
            alive.push(here);
        }
        Exits { starts, alive }
    }

    /// What can be alive while opaque functions that are entered at a location call others.
    fn meanwhile(
        &self,
        analysis: &Analysis<'_>,
        (func, loc): (FuncId, LocId),
        before: &BTreeSet<usize>,
    ) -> BTreeSet<usize> {
        let called = analysis.points_to.opaque_callees(func, loc);
        before.iter().chain(called.iter().flat_map(|callee| &self.starts[*callee])).copied().collect()
    }

    /// What can be alive when a function returns that was called while these were.
    fn returned(&self, callee: FuncId, before: &BTreeSet<usize>) -> Option<BTreeSet<usize>> {
        let exit = self.alive[callee].as_ref()?;
        Some(before.union(&self.starts[callee]).filter(|n| exit.contains(n)).copied().collect())
    }
}

fn started(analysis: &Analysis<'_>, func: FuncId, loc: LocId) -> BTreeSet<usize> {
    let roots = analysis.threads.roots();
    let started = analysis.points_to.started_by(func, loc);
    let mut found = BTreeSet::new();
    for n in (0..roots.len()).filter(|n| started.contains(&roots[*n].func)) {
        found.insert(n);
        found.extend(analysis.threads.descendants(&analysis.points_to, n));
    }
    found
}

fn after(analysis: &Analysis<'_>, func: FuncId, loc: LocId, before: &BTreeSet<usize>) -> BTreeSet<usize> {
    let mut after = before.clone();
    after.extend(started(analysis, func, loc));
    if let Some(over) = analysis.joined_root(func, loc) {
        after.remove(&over);
    }
    after
}
