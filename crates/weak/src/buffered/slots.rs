//! The slots of a buffer, as expressions and operations on thread-local memory.
//!
//! A slot holds the number of a cell, 0 if it is free, and a value; under PSO also whether a mark lies before it (slot 0 has no such mark), and there is a
//! flag for a mark behind the last entry. Filled slots come first, and what is free is zero, so that equal buffers are equal states.

use crate::cells::Cells;
use program::{
    BinOp, Cast, Expr, FuncId, MemoryModel, Object, ObjectId, Op, Order, Program, Var, VarId, VarKind, Width,
};

/// The number of a cell in a slot.
pub(super) fn number(cell: usize) -> Expr {
    Expr::constant(cell as u128 + 1, Width::BYTE)
}

/// The objects that a thread's buffer consists of.
pub(super) struct Slots {
    cells: Vec<ObjectId>,
    values: Vec<ObjectId>,
    /// None under TSO, where marks mean nothing.
    marks: Option<Marks>,
    /// The width of the greatest cell.
    width: Width,
    pointer: Width,
}

struct Marks {
    before: Vec<ObjectId>,
    behind: ObjectId,
}

/// Registers that a function needs.
#[derive(Clone, Copy)]
pub(super) struct Registers {
    /// Whether an entry leaves.
    pub(super) choice: VarId,
    /// The value of a store.
    stored: VarId,
}

impl Registers {
    pub(super) fn declare(program: &mut Program, func: FuncId, slots: &Slots) -> Self {
        let vars = &mut program.functions[func].vars;
        let mut register = |name: &str, width: Width| {
            vars.push(Var { name: format!("${name}"), kind: VarKind::Register(width), temporary: true })
        };
        Self { choice: register("leaves", Width::BOOL), stored: register("stored", slots.width) }
    }
}

fn both(left: Expr, right: Expr) -> Expr {
    Expr::binary(BinOp::And, left, right)
}

fn either(left: Expr, right: Expr) -> Expr {
    Expr::binary(BinOp::Or, left, right)
}

impl Slots {
    pub(super) fn declare(program: &mut Program, cells: &Cells, n: usize, model: MemoryModel) -> Self {
        let width = cells.all.iter().map(|cell| cell.width).max().unwrap_or(Width::BYTE);
        let mut object = |name: String, size: u64| {
            program.objects.push(Object {
                name: format!("$buffer.{name}"),
                size,
                align: size,
                thread_local: true,
                read_only: false,
                arbitrary: false,
                bytes: Vec::new(),
                relocs: Vec::new(),
                span: base::Span::NOWHERE,
            })
        };
        Self {
            cells: (0..n).map(|slot| object(format!("cell{slot}"), 1)).collect(),
            values: (0..n).map(|slot| object(format!("value{slot}"), width.bytes())).collect(),
            marks: (model == MemoryModel::Pso).then(|| Marks {
                before: (0..n).map(|slot| object(format!("mark{slot}"), 1)).collect(),
                behind: object("mark".to_owned(), 1),
            }),
            width,
            pointer: program.data_model.pointer(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.cells.len()
    }

    fn load(&self, object: ObjectId, width: Width) -> Expr {
        let addr = Box::new(Expr::ObjectAddr(object, self.pointer));
        Expr::Load { addr, width, order: Order::Plain }
    }

    fn store(&self, object: ObjectId, value: Expr) -> Op {
        Op::Store { addr: Expr::ObjectAddr(object, self.pointer), value, order: Order::Plain }
    }

    /// Returns true if a slot holds an entry of this cell.
    pub(super) fn holds(&self, slot: usize, cell: &Expr) -> Expr {
        Expr::binary(BinOp::Eq, self.load(self.cells[slot], Width::BYTE), cell.clone())
    }

    pub(super) fn is_free(&self, slot: usize) -> Expr {
        self.holds(slot, &Expr::constant(0, Width::BYTE))
    }

    fn is_marked(&self, mark: ObjectId) -> Expr {
        Expr::binary(BinOp::Ne, self.load(mark, Width::BYTE), Expr::constant(0, Width::BYTE))
    }

    /// The value of an entry of a cell of this width.
    pub(super) fn value(&self, slot: usize, width: Width) -> Expr {
        Expr::cast(Cast::Trunc, width, self.load(self.values[slot], self.width))
    }

    /// Under PSO: the slot is filled, no older entry is of its cell, and no mark lies up to it.
    pub(super) fn may_leave(&self, slot: usize) -> Expr {
        let own = self.load(self.cells[slot], Width::BYTE);
        let mut may = self.is_free(slot).negated();
        for older in 0..slot {
            may = both(may, self.holds(older, &own).negated());
        }
        if let Some(marks) = &self.marks {
            for up_to in 1..=slot {
                may = both(may, self.is_marked(marks.before[up_to]).negated());
            }
        }
        may
    }

    /// Under PSO: a relaxed read-modify-write of this cell has to wait, for what is before the last mark, or for an entry of its cell.
    pub(super) fn delays(&self, cell: &Expr, entries: usize) -> Expr {
        let mut delays = Expr::truth(false);
        for slot in 0..entries {
            delays = either(delays, self.holds(slot, cell));
        }
        if let Some(marks) = &self.marks {
            delays = either(delays, self.is_marked(marks.behind));
            for slot in 1..entries {
                delays = either(delays, self.is_marked(marks.before[slot]));
            }
        }
        delays
    }

    /// Puts a mark behind all entries.
    pub(super) fn mark(&self) -> Option<Op> {
        let zero = Expr::constant(0, Width::BYTE);
        let filled = Expr::ite(self.is_free(0), zero, Expr::constant(1, Width::BYTE));
        self.marks.as_ref().map(|marks| self.store(marks.behind, filled))
    }

    /// Appends an entry to a buffer that has room, behind a mark if `marks`; at most `most` entries are filled then.
    pub(super) fn append(
        &self,
        cell: &Expr,
        value: Expr,
        marks: bool,
        most: usize,
        registers: Registers,
    ) -> Vec<Op> {
        let mut ops =
            vec![Op::Set { var: registers.stored, value: Expr::cast(Cast::Zext, self.width, value) }];
        let stored = Expr::Reg(registers.stored, self.width);
        ops.extend(marks.then(|| self.mark()).flatten());
        // From the last slot down: filling one does not change whether a lower one is the first free one.
        for slot in (0..most).rev() {
            let free = match slot.checked_sub(1) {
                Some(below) => both(self.is_free(slot), self.is_free(below).negated()),
                None => self.is_free(slot),
            };
            let mut set = |object: ObjectId, value: Expr| {
                let old = self.load(object, value.width());
                ops.push(self.store(object, Expr::ite(free.clone(), value, old)));
            };
            set(self.values[slot], stored.clone());
            if let Some(marks) = self.marks.as_ref().filter(|_| slot > 0) {
                set(marks.before[slot], self.load(marks.behind, Width::BYTE));
            }
            set(self.cells[slot], cell.clone());
        }
        let zero = Expr::constant(0, Width::BYTE);
        ops.extend(self.marks.as_ref().map(|marks| self.store(marks.behind, zero)));
        ops
    }

    /// Takes the entry of a slot out; at most `entries` slots are filled.
    pub(super) fn remove(&self, slot: usize, entries: usize) -> Vec<Op> {
        let mut ops = Vec::new();
        let mut shift = |objects: &[ObjectId], from: usize, width: Width| {
            for to in from..entries {
                let above = match to + 1 < entries {
                    true => self.load(objects[to + 1], width),
                    false => Expr::constant(0, width),
                };
                ops.push(self.store(objects[to], above));
            }
        };
        shift(&self.cells, slot, Width::BYTE);
        shift(&self.values, slot, self.width);
        if let Some(marks) = &self.marks {
            shift(&marks.before, slot.max(1), Width::BYTE);
            let zero = Expr::constant(0, Width::BYTE);
            let kept = Expr::ite(self.is_free(0), zero, self.load(marks.behind, Width::BYTE));
            ops.push(self.store(marks.behind, kept));
        }
        ops
    }
}
