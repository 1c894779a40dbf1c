//! Which threads can be alive while the main thread is at a location: from each create to the join that certainly waits for
//! the thread.

use super::calls::Calls;
use base::IdxVec;
use program::{Action, FuncId, LocId};
use semantics::Analysis;
use semantics::analysis::lockset::ByLocation;
use std::collections::BTreeSet;

/// The roots (by position) whose threads can be alive; `None` where the main thread never is.
pub(super) fn alive(analysis: &Analysis<'_>, calls: &Calls) -> ByLocation<Option<BTreeSet<usize>>> {
    let program = analysis.program;
    let roots = analysis.threads.roots();
    let nowhere = |f: &program::Function| f.locations.iter().map(|_| None).collect();
    if roots[0].many {
        let all: BTreeSet<usize> = (0..roots.len()).collect();
        let everywhere = program.functions.iter().map(|f| f.locations.iter().map(|_| Some(all.clone())));
        return everywhere.map(Iterator::collect).collect();
    }
    let mut lives = Lives {
        analysis,
        calls,
        starts: starts(analysis, calls),
        alive: program.functions.iter().map(nowhere).collect(),
        exits: program.functions.iter().map(|_| None).collect(),
        queue: Vec::new(),
    };
    lives.arrive((program.entry, program.functions[program.entry].entry), BTreeSet::new());
    while let Some((func, loc)) = lives.queue.pop() {
        lives.step(func, loc);
    }
    lives.alive
}

/// The roots that each function, or what it calls, may start, with those that these start.
fn starts(analysis: &Analysis<'_>, calls: &Calls) -> IdxVec<FuncId, BTreeSet<usize>> {
    let functions = analysis.program.functions.iter_enumerated();
    let own = functions.map(|(func, function)| {
        let started = function.locations.ids().flat_map(|loc| started(analysis, func, loc));
        started.collect()
    });
    calls.accumulated(own.collect())
}

/// The roots that an action may start, with those that these start.
fn started(analysis: &Analysis<'_>, func: FuncId, loc: LocId) -> BTreeSet<usize> {
    let roots = analysis.threads.roots();
    let mut found = BTreeSet::new();
    for start in analysis.points_to.started_by(func, loc) {
        if let Some(n) = roots.iter().position(|root| root.func == start) {
            found.insert(n);
            found.extend(analysis.threads.descendants(&analysis.points_to, n));
        }
    }
    found
}

struct Lives<'a, 'p> {
    analysis: &'a Analysis<'p>,
    calls: &'a Calls,
    starts: IdxVec<FuncId, BTreeSet<usize>>,
    alive: ByLocation<Option<BTreeSet<usize>>>,
    /// What can be alive when a function returns, wherever it was called.
    exits: IdxVec<FuncId, Option<BTreeSet<usize>>>,
    queue: Vec<(FuncId, LocId)>,
}

impl Lives<'_, '_> {
    fn arrive(&mut self, (func, loc): (FuncId, LocId), alive: BTreeSet<usize>) {
        let known = &mut self.alive[func][loc];
        let n_known = known.as_ref().map(BTreeSet::len);
        known.get_or_insert_default().extend(alive);
        if known.as_ref().map(BTreeSet::len) != n_known {
            self.queue.push((func, loc));
        }
    }

    fn step(&mut self, func: FuncId, loc: LocId) {
        let Some(before) = self.alive[func][loc].clone() else { return };
        let program = self.analysis.program;
        let action = &program.functions[func].locations[loc].action;
        for callee in self.calls.callees(func, loc) {
            self.arrive((*callee, program.functions[*callee].entry), before.clone());
        }
        // An opaque function calls others as often as it likes: what one of them starts can be alive in the next.
        let called_back = self.analysis.points_to.opaque_callees(func, loc);
        let mut meanwhile = before.clone();
        called_back.iter().for_each(|callee| meanwhile.extend(&self.starts[*callee]));
        for callee in called_back {
            self.arrive((callee, program.functions[callee].entry), meanwhile.clone());
        }
        match action {
            Action::Call { next, .. } => {
                if self.analysis.points_to.enters_anything(func, action) {
                    self.arrive((func, *next), meanwhile);
                }
                for callee in self.calls.callees(func, loc) {
                    // Both are known: what is alive whenever it returns, and what was alive or can have been started.
                    let Some(exit) = &self.exits[*callee] else { continue };
                    let possible = before.union(&self.starts[*callee]).copied();
                    let after = possible.filter(|n| exit.contains(n)).collect();
                    self.arrive((func, *next), after);
                }
            }
            Action::Return(_) => self.leave(func, before),
            Action::Unsupported(_) => {
                let after = before.union(&self.starts[func]).copied().collect();
                self.leave(func, after);
            }
            action => {
                let mut after = before;
                after.extend(started(self.analysis, func, loc));
                if let Some(ended) = self.analysis.joined_root(func, loc) {
                    after.remove(&ended);
                }
                for next in action.successors() {
                    self.arrive((func, next), after.clone());
                }
            }
        }
    }

    fn leave(&mut self, func: FuncId, alive: BTreeSet<usize>) {
        let known = &mut self.exits[func];
        let n_known = known.as_ref().map(BTreeSet::len);
        known.get_or_insert_default().extend(alive);
        if known.as_ref().map(BTreeSet::len) != n_known {
            self.queue.extend(self.calls.callers(func));
        }
    }
}
