//! Buffers written out in the program: TSO and PSO for engines that know sequential consistency only.
//!
//! Every thread gets a list of `k` slots in thread-local memory, oldest first: the number of a cell (0: the slot is free), a value, and under PSO whether a mark lies
//! before it. What the interpreter's store buffers do ([`program::interp`], module `buffers`: the definition) becomes ordinary actions:
//!
//! | action | becomes |
//! |---|---|
//! | buffered store | the first free slot is filled; if there is none, the [`Full`] location |
//! | load of contended memory | the value of the newest slot with its cell, else memory, in one transaction |
//! | fence, and all else that drains | while slot 0 is filled, one entry leaves; then the action |
//! | an action before which entries can leave (a *flush point*) | while chosen so and slot 0 is filled, one entry leaves; then the action |
//! | relaxed read-modify-write under PSO | the same, and not the action as long as something is buffered that it must not overtake |
//!
//! An entry leaves by a branch on its cell to a location that stores to exactly that cell, so that analyses see as little as before what is accessed where. Under TSO slot 0
//! leaves, under PSO any slot without an older one of its cell and without a mark up to it; the slots above move down.
//!
//! Only what needs a buffer gets one: [`facts`] says which stores can write through, and where there can be how many entries.
//!
//! # Bounds
//! [`Buffers::sufficient_slots`] is the greatest number of entries where that is known; with so many slots nothing overflows, and the program has
//! exactly the executions of the machine. With fewer, an overflow is an unsupported action, so that a proof has to show that it is not reached; or the execution stops there, for
//! a search for violations.
//!
//! # Direction of error
//! `None` where the cells are not known exactly (as for [`attacked`](mod@crate::attacked)). A blocked thread does not let entries leave, so that there are deadlocks that the machine does not have; the states
//! that can be reached are the machine's.

mod facts;
mod slots;

use crate::cells::CellAccess;
use facts::{At, Facts, Role};
use program::memory_model::{Fencing, ReadModifyWrite, Storing};
use program::{
    Action, BinOp, Expr, FuncId, LocId, Location, MemoryModel, ObjectId, Op, Order, Program, Property, Width,
};
use rustc_hash::FxHashMap;
use semantics::Analysis;
use slots::{Registers, Slots};

/// The number of no cell.
const OUTSIDE: u128 = u8::MAX as u128;

/// What happens when a store meets a full buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Full {
    /// The execution ends: violations that are found are violations.
    Stops,
    /// An unsupported action: a proof has to show that it is not reached.
    Unsupported,
}

/// Returns true if the program with buffers has the property only if the original one has it. Where a buffered store is outside of its object is noticed
/// too late for memory safety; races and termination are not about buffers.
pub fn is_kept(property: Property) -> bool {
    matches!(property, Property::UnreachCall | Property::NoOverflow | Property::NoDeadlock)
}

/// What a location of the program with buffers does in the original one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// The action of the original location.
    Action,
    /// The same, and its store, which the machine appends, has left the buffer then.
    WritesThrough,
    /// The entry of this slot leaves.
    Leaves(usize),
    /// Nothing.
    Nothing,
}

/// What there is to know about the buffers of a program.
pub struct Buffers<'a, 'p> {
    analysis: &'a Analysis<'p>,
    model: MemoryModel,
    facts: Facts,
}

/// A program in which buffers are written out.
pub struct Buffered {
    /// The program, on a sequentially consistent machine.
    pub program: Program,
    origins: FxHashMap<At, Origin>,
    cells: Vec<ObjectId>,
}

impl Buffered {
    /// Returns true if slots hold stores to this object. The machine also buffers stores that only their own thread could see.
    pub fn has_slots_for(&self, object: ObjectId) -> bool {
        self.cells.contains(&object)
    }

    /// What a location does in the original program.
    pub fn origin(&self, func: FuncId, loc: LocId) -> Origin {
        self.origins.get(&(func, loc)).copied().unwrap_or(Origin::Nothing)
    }
}

impl<'a, 'p> Buffers<'a, 'p> {
    /// The buffers of the analysed program on this machine; `None` if its cells are not known exactly.
    pub fn of(analysis: &'a Analysis<'p>, model: MemoryModel) -> Option<Self> {
        let facts = model.has_buffers().then(|| Facts::of(analysis, model))??;
        let fits = facts.cells.all.len() < usize::from(u8::MAX)
            && facts.cells.all.iter().all(|cell| cell.width.bytes() <= 8);
        fits.then_some(Self { analysis, model, facts })
    }

    /// The number of slots that is always enough, if there is one and it is small.
    pub fn sufficient_slots(&self) -> Option<usize> {
        self.facts.most_entries()
    }

    /// The program with so many slots for each thread.
    pub fn written_out(&self, n_slots: usize, full: Full) -> Buffered {
        let mut program = Program { memory_model: MemoryModel::Sc, ..self.analysis.program.clone() };
        let slots = Slots::declare(&mut program, &self.facts.cells, n_slots, self.model);
        let mut buffered = Buffered {
            program,
            origins: FxHashMap::default(),
            cells: self.facts.cells.all.iter().map(|cell| cell.object).collect(),
        };
        for (func, function) in self.analysis.program.functions.iter_enumerated() {
            let registers = Registers::declare(&mut buffered.program, func, &slots);
            for loc in function.locations.ids() {
                let mut builder = Builder {
                    buffers: self,
                    slots: &slots,
                    full,
                    registers,
                    at: (func, loc),
                    into: &mut buffered,
                };
                builder.location();
            }
        }
        buffered
    }
}

/// Rewrites one location.
struct Builder<'b, 'a, 'p> {
    buffers: &'b Buffers<'a, 'p>,
    slots: &'b Slots,
    full: Full,
    registers: Registers,
    at: At,
    into: &'b mut Buffered,
}

impl Builder<'_, '_, '_> {
    fn location(&mut self) {
        let facts = &self.buffers.facts;
        let entries = facts.entries(self.at).unwrap_or(usize::MAX).min(self.slots.len());
        let role = facts.role(self.at);
        let original = &self.buffers.analysis.program.functions[self.at.0].locations[self.at.1].action;
        let appended = facts.appended(self.at);
        let origin = if role == Role::WritesThrough { Origin::WritesThrough } else { Origin::Action };
        if entries == 0 && appended == 0 {
            self.into.origins.insert(self.at, origin);
            return;
        }
        let action = match role {
            Role::Drains | Role::WritesThrough => original.clone(),
            Role::Ordinary | Role::ReadModifyWrite => self.acting(original, role, entries),
        };
        let most = facts.entries(self.at).map(|n| n + appended);
        let checked = appended > 0
            && facts.accesses(self.at).iter().any(|access| access.write && access.cells.len() > 1);
        let may_overflow = appended > 0 && most.is_none_or(|most| most > self.slots.len());
        let flushes = entries > 0 && (role != Role::Ordinary || facts.flushes(self.at, original));
        if !checked && !may_overflow && !flushes {
            self.into.origins.insert(self.at, origin);
            self.replace(action);
            return;
        }
        let act = self.push(action, origin);
        let act = if checked { self.unless_outside(original, act) } else { act };
        let act = if may_overflow { self.unless_full(appended, act) } else { act };
        let here = self.at.1;
        let filled = self.slots.is_free(0).negated();
        match role {
            _ if !flushes => self.go_to(act),
            Role::Drains | Role::WritesThrough => {
                let leave = self.leaving(entries, here);
                self.replace(Action::Branch { cond: filled, yes: leave, no: act });
            }
            Role::ReadModifyWrite => {
                let cond = self.slots.delays(&self.modified(original), entries);
                let act = self.push(Action::Branch { cond, yes: here, no: act }, Origin::Nothing);
                self.flush_point(entries, filled, act);
            }
            Role::Ordinary => self.flush_point(entries, filled, act),
        }
    }

    /// The number of the cell that a read-modify-write goes to.
    fn modified(&self, action: &Action) -> Expr {
        let addr = ReadModifyWrite::of(action.ops()).map(|rmw| rmw.addr);
        let accesses = self.buffers.facts.accesses(self.at);
        let access = accesses.iter().find(|access| access.write && Some(&access.addr) == addr);
        access.map_or(Expr::constant(OUTSIDE, Width::BYTE), |access| self.cell(access))
    }

    /// Entries leave as long as that is chosen; then control goes to `act`.
    fn flush_point(&mut self, entries: usize, filled: Expr, act: LocId) {
        let leave = self.leaving(entries, self.at.1);
        let start = self.either(filled, leave, act);
        self.go_to(start);
    }

    /// Where one entry leaves; control goes to `next` then. Some slot should be filled.
    fn leaving(&mut self, entries: usize, next: LocId) -> LocId {
        let mut start = self.leaving_slot(0, entries, next);
        let candidates = if self.buffers.model == MemoryModel::Tso { 1 } else { entries };
        for slot in 1..candidates {
            let leave = self.leaving_slot(slot, entries, next);
            let may_leave = self.slots.may_leave(slot);
            start = self.either(may_leave, leave, start);
        }
        start
    }

    /// A choice between two locations, the first of them only under a condition.
    fn either(&mut self, allowed: Expr, yes: LocId, no: LocId) -> LocId {
        let chosen = Expr::Reg(self.registers.choice, Width::BOOL);
        let cond = Expr::binary(BinOp::And, chosen, allowed);
        let next = self.push(Action::Branch { cond, yes, no }, Origin::Nothing);
        let ops = vec![Op::Havoc { var: self.registers.choice }];
        self.push(Action::Ops { ops, sync: None, next }, Origin::Nothing)
    }

    /// Where the entry of a slot leaves, whatever its cell.
    fn leaving_slot(&mut self, slot: usize, entries: usize, next: LocId) -> LocId {
        let pointer = self.into.program.data_model.pointer();
        let mut start = None;
        for (cell, known) in self.buffers.facts.cells.all.iter().enumerate() {
            let addr = self.buffers.facts.cells.address(cell, pointer);
            let value = self.slots.value(slot, known.width);
            let mut ops = vec![Op::Store { addr, value, order: Order::SeqCst }];
            ops.extend(self.slots.remove(slot, entries));
            let leave = self.push(Action::Ops { ops, sync: None, next }, Origin::Leaves(slot));
            start = Some(match start {
                None => leave,
                Some(no) => {
                    let cond = self.slots.holds(slot, &slots::number(cell));
                    self.push(Action::Branch { cond, yes: leave, no }, Origin::Nothing)
                }
            });
        }
        start.unwrap_or(next)
    }

    /// Goes to `act` unless a store goes to no cell: then the original action, which is undefined, is taken.
    fn unless_outside(&mut self, original: &Action, act: LocId) -> LocId {
        let accesses = self.buffers.facts.accesses(self.at);
        let several = accesses.iter().filter(|access| access.write && access.cells.len() > 1);
        let is_outside =
            |access| Expr::binary(BinOp::Eq, self.cell(access), Expr::constant(OUTSIDE, Width::BYTE));
        let Some(cond) = several.map(is_outside).reduce(|left, right| Expr::binary(BinOp::Or, left, right))
        else {
            return act;
        };
        let undefined = self.push(original.clone(), Origin::Action);
        self.push(Action::Branch { cond, yes: undefined, no: act }, Origin::Nothing)
    }

    /// Goes to `act` if so many slots are free.
    fn unless_full(&mut self, appended: usize, act: LocId) -> LocId {
        let full = match self.full {
            Full::Stops => {
                let ops = vec![Op::Assume(Expr::truth(false))];
                self.push(Action::Ops { ops, sync: None, next: act }, Origin::Nothing)
            }
            Full::Unsupported => {
                let what = format!("more than {} buffered stores", self.slots.len());
                self.push(Action::Unsupported(what), Origin::Nothing)
            }
        };
        let cond = match self.slots.len().checked_sub(appended) {
            Some(slot) => self.slots.is_free(slot).negated(),
            None => Expr::truth(true),
        };
        self.push(Action::Branch { cond, yes: full, no: act }, Origin::Nothing)
    }

    /// The action with its loads of contended memory, its stores, and its marks as they are with a buffer.
    fn acting(&self, original: &Action, role: Role, entries: usize) -> Action {
        let mut action = original.clone();
        let accesses = self.buffers.facts.accesses(self.at);
        let most = self.slots.len().min(entries + self.buffers.facts.appended(self.at));
        action.each_expr_mut(&mut |expr| self.forward(expr, accesses, most));
        let Action::Ops { ops, .. } = &mut action else { return action };
        let mut all = Vec::new();
        let rmw = ReadModifyWrite::of(original.ops());
        for (n, (op, before)) in std::mem::take(ops).into_iter().zip(original.ops()).enumerate() {
            let access = accesses.iter().find(|access| access.write && access.op == n);
            match (op, access, role) {
                (Op::Fence(barrier), ..) if self.buffers.model.fence(barrier) == Fencing::Mark => {
                    all.extend(self.slots.mark());
                }
                (Op::Store { value, order, .. }, Some(access), Role::Ordinary) => {
                    let marks = self.buffers.model.store(order) == Storing::MarkedAppended;
                    all.extend(self.slots.append(&self.cell(access), value, marks, most, self.registers));
                }
                (op @ Op::Store { order, .. }, None, Role::Ordinary)
                    if self.buffers.model.store(order) == Storing::MarkedAppended =>
                {
                    all.extend(self.slots.mark());
                    all.push(op);
                }
                (op, _, Role::ReadModifyWrite) if rmw.is_some_and(|rmw| rmw.store_at == n) => {
                    all.extend(rmw.and_then(|rmw| self.waits_in_transaction(&rmw)));
                    all.push(op);
                }
                (op, Some(access), Role::ReadModifyWrite) => {
                    let cell = self.cell(access);
                    let waits = (0..entries).map(|slot| Op::Guard(self.slots.holds(slot, &cell).negated()));
                    all.extend(waits);
                    all.push(op);
                }
                (op, ..) => {
                    debug_assert!(access.is_none() || !matches!(before, Op::Copy { .. } | Op::Fill { .. }));
                    all.push(op);
                }
            }
        }
        *ops = all;
        action
    }

    /// What a compare-and-exchange waits for, if that depends on whether it succeeds.
    fn waits_in_transaction(&self, rmw: &ReadModifyWrite<'_>) -> Option<Op> {
        let drains = |order| self.buffers.model.read_modify_write_drains(order);
        let empty = self.slots.is_free(0);
        let or = |left: Expr, right: Expr| Expr::binary(BinOp::Or, left, right);
        match (rmw.stores_if, drains(rmw.order), drains(rmw.failure)) {
            (Some(cond), true, false) => Some(Op::Guard(or(cond.clone().negated(), empty))),
            (Some(cond), false, true) => Some(Op::Guard(or(cond.clone(), empty))),
            (_, true, _) => Some(Op::Guard(empty)),
            (_, false, _) => None,
        }
    }

    /// The loads of contended memory see the thread's own entries first.
    fn forward(&self, expr: &mut Expr, accesses: &[CellAccess], entries: usize) {
        expr.children_mut().for_each(|part| self.forward(part, accesses, entries));
        let Expr::Load { addr, width, .. } = expr else { return };
        let Some(access) = accesses.iter().find(|access| !access.write && access.addr == **addr) else {
            return;
        };
        let (cell, width) = (self.cell(access), *width);
        let mut value = expr.clone();
        for slot in 0..entries {
            value = Expr::ite(self.slots.holds(slot, &cell), self.slots.value(slot, width), value);
        }
        *expr = value;
    }

    /// The number of the cell that an access goes to.
    fn cell(&self, access: &CellAccess) -> Expr {
        let cells = &self.buffers.facts.cells;
        let outside = Expr::constant(OUTSIDE, Width::BYTE);
        access.cells.iter().fold(outside, |other, cell| match cells.is(access, *cell) {
            Some(is) => Expr::ite(is, slots::number(*cell), other),
            None => slots::number(*cell),
        })
    }

    fn push(&mut self, action: Action, origin: Origin) -> LocId {
        let locations = &mut self.into.program.functions[self.at.0].locations;
        let span = locations[self.at.1].span;
        let loc = locations.push(Location { action, span });
        self.into.origins.insert((self.at.0, loc), origin);
        loc
    }

    /// The rewritten location does nothing but go on at another one.
    fn go_to(&mut self, next: LocId) {
        self.replace(Action::Ops { ops: Vec::new(), sync: None, next });
    }

    fn replace(&mut self, action: Action) {
        self.into.program.functions[self.at.0].locations[self.at.1].action = action;
    }
}
