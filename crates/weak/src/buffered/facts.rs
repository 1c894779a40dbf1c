//! What is known about store buffers without a search: which stores need one, how many entries there can be, and where they have to be able to leave.
//!
//! All facts are about paths through whole threads, without regard to calling contexts.
//!
//! | fact | means |
//! |---|---|
//! | [`Role::WritesThrough`] | no thread can tell whether the store waits until the buffer is empty and writes to memory |
//! | [`Facts::entries`] | the most entries with which control can arrive at a location |
//! | [`Facts::flushes`] | entries have to be able to leave before the action |
//!
//! # Which stores write through
//! Under TSO those after which no load of contended memory follows before the buffer is drained. Let such a store enter the buffer at some time and leave it
//! later; in between its thread loads nothing, so that all it does can as well be done after the store has left, when what was older has left, too. Under PSO
//! what follows may also be a store, or be overtaken by this one; so no store may follow without a mark between them, and a mark must be
//! between all older stores and this one.
//!
//! # Direction of error
//! Towards more buffering, more entries and more flush points than needed.

use crate::cells::{Accesses, CellAccess, Cells};
use crate::flow::{Successors, successors};
use program::interp::loop_heads;
use program::memory_model::{Demand, Fencing, Storing};
use program::{Action, FuncId, LocId, MemoryModel, Op};
use rustc_hash::{FxHashMap, FxHashSet};
use semantics::Analysis;
use semantics::analysis::Locksets;

/// Where an action stands.
pub(super) type At = (FuncId, LocId);

/// How an action uses its thread's buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Role {
    /// Its stores, if any, are appended.
    Ordinary,
    /// It waits for an empty buffer.
    Drains,
    /// The same, though the machine would append its store.
    WritesThrough,
    /// A read-modify-write that waits only for what it must not overtake.
    ReadModifyWrite,
}

impl Role {
    /// Returns true if the buffer is empty when the action takes place.
    pub(super) fn drains(self) -> bool {
        matches!(self, Role::Drains | Role::WritesThrough)
    }
}

/// More entries than this are not counted.
pub(super) const MOST_ENTRIES: usize = 8;

/// All facts of a program.
pub(super) struct Facts {
    pub(super) cells: Cells,
    accesses: Accesses,
    roles: FxHashMap<At, Role>,
    entries: FxHashMap<At, usize>,
    heads: FxHashSet<At>,
    /// Start routines of threads other than the main thread.
    routines: FxHashSet<FuncId>,
    main: FuncId,
}

impl Facts {
    /// `None` if accesses go to cells that are not known, or threads end where functions return, too.
    pub(super) fn of(analysis: &Analysis<'_>, model: MemoryModel) -> Option<Self> {
        let program = analysis.program;
        let (cells, accesses) = Cells::of(analysis)?;
        let mut heads = FxHashSet::default();
        for (func, function) in program.functions.iter_enumerated() {
            heads.extend(loop_heads(function).into_iter().map(|loc| (func, loc)));
        }
        let routines: FxHashSet<FuncId> =
            analysis.threads.roots()[1..].iter().map(|root| root.func).collect();
        if calls_one_of(analysis, &routines) || routines.contains(&program.entry) {
            return None;
        }
        let (roles, entries) = (FxHashMap::default(), FxHashMap::default());
        let main = program.entry;
        let mut facts = Self { cells, accesses, roles, entries, heads, routines, main };
        let flow = Flow { analysis, model, successors: successors(analysis) };
        facts.assign_roles(&flow);
        facts.count_entries(&flow);
        Some(facts)
    }

    pub(super) fn role(&self, at: At) -> Role {
        self.roles[&at]
    }

    /// The most entries with which control can arrive here; `None` if there is no such number.
    pub(super) fn entries(&self, at: At) -> Option<usize> {
        let n = self.entries.get(&at).copied().unwrap_or(0);
        (n <= MOST_ENTRIES).then_some(n)
    }

    /// The accesses to contended memory of an action.
    pub(super) fn accesses(&self, at: At) -> &[CellAccess] {
        &self.accesses[at.0][at.1]
    }

    /// The number of stores that an action appends.
    pub(super) fn appended(&self, at: At) -> usize {
        let stores = self.accesses(at).iter().filter(|access| access.write).count();
        if self.role(at) == Role::Ordinary { stores } else { 0 }
    }

    /// The most entries that a buffer ever has; `None` if there is no such number.
    pub(super) fn most_entries(&self) -> Option<usize> {
        let after = |at: &At| Some(self.entries(*at)? + self.appended(*at));
        let most = self.roles.keys().try_fold(0, |most, at| Some(after(at)?.max(most)))?;
        (most <= MOST_ENTRIES).then_some(most)
    }

    /// Returns true if entries have to be able to leave before an action that does not drain.
    pub(super) fn flushes(&self, at: At, action: &Action) -> bool {
        let loads = self.accesses(at).iter().any(|access| !access.write);
        let ends = match action {
            Action::Return(_) => at.0 == self.main || self.routines.contains(&at.0),
            Action::ThreadExit(_)
            | Action::Exit
            | Action::Error { .. }
            | Action::Unsupported(_)
            | Action::Undefined(_) => true,
            Action::Ops { ops, .. } => ops.iter().any(|op| op.can_block() || matches!(op, Op::Assume(_))),
            Action::Branch { .. } | Action::Call { .. } => false,
        };
        loads || ends || self.heads.contains(&at)
    }

    fn assign_roles(&mut self, flow: &Flow<'_, '_>) {
        let locksets = Locksets::of(flow.analysis);
        for at in flow.locations() {
            let role = match flow.action(at) {
                _ if locksets.is_atomic(at.0, at.1) => Role::Drains,
                Action::Return(_) if self.routines.contains(&at.0) => Role::Drains,
                action => match flow.model.demand(action) {
                    Demand::Nothing => Role::Ordinary,
                    Demand::Empty => Role::Drains,
                    Demand::ReadModifyWrite => Role::ReadModifyWrite,
                },
            };
            self.roles.insert(at, role);
        }
        let overtaken = self.behind_unmarked_stores(flow);
        let through: Vec<At> =
            flow.locations().filter(|at| self.writes_through(flow, *at, &overtaken)).collect();
        self.roles.extend(through.into_iter().map(|at| (at, Role::WritesThrough)));
    }

    fn writes_through(&self, flow: &Flow<'_, '_>, at: At, overtaken: &FxHashSet<At>) -> bool {
        let [CellAccess { write: true, .. }] = self.accesses(at) else { return false };
        if self.roles[&at] != Role::Ordinary {
            return false;
        }
        let loads = |n: At| {
            self.roles[&n] == Role::ReadModifyWrite || self.accesses(n).iter().any(|access| !access.write)
        };
        let drains = |n: At| self.roles[&n] == Role::Drains;
        if flow.reaches(at, &loads, &drains) {
            return false;
        }
        if flow.model != MemoryModel::Pso {
            return true;
        }
        let stores = |n: At| self.accesses(n).iter().any(|access| access.write) && !flow.marks(n);
        let stops = |n: At| drains(n) || flow.marks(n);
        !flow.reaches(at, &stores, &stops) && (flow.marks(at) || !overtaken.contains(&at))
    }

    /// Locations at which a store may be in the buffer that has no mark behind it.
    fn behind_unmarked_stores(&self, flow: &Flow<'_, '_>) -> FxHashSet<At> {
        let mut found = FxHashSet::default();
        let mut todo: Vec<At> = flow.locations().filter(|at| self.appended(*at) > 0).collect();
        while let Some(at) = todo.pop() {
            for &next in flow.after(at) {
                let first = found.insert(next);
                if first && self.roles[&next] != Role::Drains && !flow.marks(next) {
                    todo.push(next);
                }
            }
        }
        found
    }

    fn count_entries(&mut self, flow: &Flow<'_, '_>) {
        let mut todo: Vec<At> = flow.locations().filter(|at| self.appended(*at) > 0).collect();
        while let Some(at) = todo.pop() {
            let before = self.entries.get(&at).copied().unwrap_or(0);
            let after = if self.role(at).drains() { 0 } else { before + self.appended(at) };
            for &next in flow.after(at) {
                let known = self.entries.entry(next).or_insert(0);
                if after > *known && *known <= MOST_ENTRIES {
                    *known = after;
                    todo.push(next);
                }
            }
        }
    }
}

/// Returns true if one of these functions is called.
fn calls_one_of(analysis: &Analysis<'_>, routines: &FxHashSet<FuncId>) -> bool {
    analysis.program.functions.iter_enumerated().any(|(func, function)| {
        function.locations.iter().any(|location| match &location.action {
            Action::Call { callee, .. } => {
                analysis.points_to.callees(func, callee).into_iter().any(|f| routines.contains(&f))
            }
            _ => false,
        })
    })
}

struct Flow<'a, 'p> {
    analysis: &'a Analysis<'p>,
    model: MemoryModel,
    successors: Successors,
}

impl Flow<'_, '_> {
    fn locations(&self) -> impl Iterator<Item = At> + '_ {
        let functions = self.analysis.program.functions.iter_enumerated();
        functions.flat_map(|(func, function)| function.locations.ids().map(move |loc| (func, loc)))
    }

    fn action(&self, (func, loc): At) -> &Action {
        &self.analysis.program.functions[func].locations[loc].action
    }

    fn after(&self, at: At) -> &[At] {
        self.successors.get(&at).map_or(&[], |nexts| &nexts[..])
    }

    /// Returns true if no store of the action or behind it leaves the buffer before one that was there.
    fn marks(&self, at: At) -> bool {
        let first = self.action(at).ops().iter().find_map(|op| match op {
            Op::Fence(barrier) if self.model.fence(*barrier) == Fencing::Mark => Some(true),
            Op::Store { order, .. } => Some(self.model.store(*order) == Storing::MarkedAppended),
            _ => None,
        });
        first == Some(true)
    }

    /// Returns true if a path leads from behind `at` to an action of `goal`, through none of `stop`.
    fn reaches(&self, at: At, goal: &dyn Fn(At) -> bool, stop: &dyn Fn(At) -> bool) -> bool {
        let mut seen = FxHashSet::default();
        let mut todo = self.after(at).to_vec();
        while let Some(next) = todo.pop() {
            if !seen.insert(next) || stop(next) {
                continue;
            }
            if goal(next) {
                return true;
            }
            todo.extend(self.after(next));
        }
        false
    }
}
