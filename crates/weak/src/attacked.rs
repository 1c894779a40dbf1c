//! Attacks: robustness against TSO, exactly and for buffers of any length (Bouajjani, Derevenetc, Meyer, ESOP 2013).
//!
//! A program is not robust if and only if it has an *attack*: one thread, the attacker, keeps all its stores from some store on in its buffer until it makes
//! a load; afterwards other threads, the *helpers*, connect that load by happens-before with an access to the cell of the first delayed store. So only the last
//! value that the attacker has stored to each cell matters, no queue, and an attack is an error of a program under sequential consistency:
//!
//! | action of | phase 0 | phase 1, attacking | phase 2, the load is made |
//! |---|---|---|---|
//! | attacker: buffered store to `c` | as is, **or** phase 1 with target `c`, delayed | delayed | stops |
//! | attacker: load of `c` | as is | its delayed value; without one as is, **or** as is and phase 2 with `hb_c` = read | stops |
//! | attacker: fence and all else that drains | as is | stops | stops |
//! | other: load of `c` | as is | as is | if `hb_c` = write: helper; if helper: `hb_c` = read at least; else stops |
//! | other: store, read-modify-write of `c` | as is | as is | if helper or `hb_c` is set: helper, `hb_c` = write; else stops |
//!
//! The error: in phase 2 another thread makes an access to the target that is connected. Any thread may become the attacker, but only one. A
//! transaction with several accesses is connected if one of them is.
//!
//! # Deviations from the paper
//! A helper that creates a thread makes it a helper, and joining or being woken in phase 2 makes one. A failed compare-and-exchange counts as a
//! store. Both may find attacks that there are not, never miss one.
//!
//! # Direction of error
//! `None` where the cells are not known exactly: pointers into the heap, records copied as a whole, arrays of more than a few elements, atomic sections.

use crate::cells::{CellAccess, Cells};
use crate::hoisted::{has_sections, hoisted};
use program::memory_model::Demand;
use program::{
    Action, BinOp, Expr, FuncId, LocId, Location, MemoryModel, Object, ObjectId, Op, Order, Program,
    Property, Var, VarId, VarKind, Width,
};
use semantics::Analysis;

/// Values of `hb_c`.
const READ: u128 = 1;
const WRITE: u128 = 2;

/// The program that has an error if and only if the analysed one has an attack; `None` if that cannot be said with these cells.
pub fn attacked(analysis: &Analysis<'_>) -> Option<Program> {
    if has_sections(analysis.program) {
        return None;
    }
    let (cells, mut accesses) = Cells::of(analysis)?;
    let mut program = hoisted(analysis.program, &mut accesses)?;
    let words = Words::declare(&mut program, &cells);
    for func in analysis.program.functions.ids() {
        let registers = Registers::declare(&mut program, func);
        let mut builder = Builder { program: &mut program, cells: &cells, words: &words, func, registers };
        for (loc, accesses) in accesses[func].iter_enumerated() {
            builder.location(loc, accesses)?;
        }
    }
    for root in analysis.threads.roots().iter().skip(1) {
        let registers = Registers::declare(&mut program, root.func);
        Builder { program: &mut program, cells: &cells, words: &words, func: root.func, registers }.begin();
    }
    Some(program)
}

/// The variables of the attack.
struct Words {
    phase: ObjectId,
    target: ObjectId,
    late: ObjectId,
    attacker: ObjectId,
    helper: ObjectId,
    /// By cell: the delayed value, whether there is one, and how it is connected.
    value: Vec<ObjectId>,
    delayed: Vec<ObjectId>,
    connected: Vec<ObjectId>,
}

impl Words {
    fn declare(program: &mut Program, cells: &Cells) -> Self {
        let mut object = |name: String, size: u64, thread_local: bool| {
            program.objects.push(Object {
                name: format!("${name}"),
                size,
                align: size,
                thread_local,
                read_only: false,
                arbitrary: false,
                bytes: Vec::new(),
                relocs: Vec::new(),
                span: base::Span::NOWHERE,
            })
        };
        let n = cells.all.len();
        Self {
            phase: object("phase".to_owned(), 1, false),
            target: object("target".to_owned(), 1, false),
            late: object("late".to_owned(), 1, false),
            attacker: object("attacker".to_owned(), 1, true),
            helper: object("helper".to_owned(), 1, true),
            value: (0..n).map(|c| object(format!("value{c}"), cells.all[c].width.bytes(), false)).collect(),
            delayed: (0..n).map(|c| object(format!("delayed{c}"), 1, false)).collect(),
            connected: (0..n).map(|c| object(format!("connected{c}"), 1, false)).collect(),
        }
    }
}

/// Registers of a function that the transformation needs.
#[derive(Clone, Copy)]
struct Registers {
    /// A choice.
    choice: VarId,
    /// Whether the attack has succeeded.
    hit: VarId,
}

impl Registers {
    fn declare(program: &mut Program, func: FuncId) -> Self {
        let vars = &mut program.functions[func].vars;
        let mut register = |name: &str| {
            let name = format!("${name}{}", vars.len());
            vars.push(Var { name, kind: VarKind::Register(Width::BOOL), temporary: true })
        };
        Self { choice: register("choice"), hit: register("hit") }
    }
}

struct Builder<'a> {
    program: &'a mut Program,
    cells: &'a Cells,
    words: &'a Words,
    func: FuncId,
    registers: Registers,
}

fn and(left: Expr, right: Expr) -> Expr {
    Expr::binary(BinOp::And, left, right)
}

fn or(left: Expr, right: Expr) -> Expr {
    Expr::binary(BinOp::Or, left, right)
}

impl Builder<'_> {
    fn pointer(&self) -> Width {
        self.program.data_model.pointer()
    }
    fn byte(&self, object: ObjectId) -> Expr {
        let addr = Box::new(Expr::ObjectAddr(object, self.pointer()));
        Expr::Load { addr, width: Width::BYTE, order: Order::SeqCst }
    }
    fn is(&self, object: ObjectId, value: u128) -> Expr {
        Expr::binary(BinOp::Eq, self.byte(object), Expr::constant(value, Width::BYTE))
    }
    fn set(&self, object: ObjectId, value: Expr) -> Op {
        Op::Store { addr: Expr::ObjectAddr(object, self.pointer()), value, order: Order::SeqCst }
    }
    /// `object = value` where `cond` holds.
    fn set_if(&self, object: ObjectId, cond: Expr, value: u128) -> Op {
        self.set(object, Expr::ite(cond, Expr::constant(value, Width::BYTE), self.byte(object)))
    }
    fn push(&mut self, action: Action, like: LocId) -> LocId {
        let span = self.program.functions[self.func].locations[like].span;
        self.program.functions[self.func].locations.push(Location { action, span })
    }
    /// A location where a thread stays for ever.
    fn halt(&mut self, like: LocId) -> LocId {
        let halt = self.push(Action::Exit, like);
        let ops = vec![Op::Guard(Expr::truth(false))];
        self.program.functions[self.func].locations[halt].action =
            Action::Ops { ops, sync: None, next: halt };
        halt
    }

    /// A thread begins: it is a helper if a helper has created it.
    fn begin(&mut self) {
        let entry = self.program.functions[self.func].entry;
        let late = self.is(self.words.late, 1);
        let ops = vec![self.set_if(self.words.helper, late, 1)];
        let first = self.push(Action::Ops { ops, sync: None, next: entry }, entry);
        self.program.functions[self.func].entry = first;
    }

    /// Transforms the action of a location. `None` if there is no rule for it.
    fn location(&mut self, loc: LocId, accesses: &[CellAccess]) -> Option<()> {
        let action = self.program.functions[self.func].locations[loc].action.clone();
        if let Action::Error { .. } = action {
            self.program.functions[self.func].locations[loc].action = Action::Exit;
            return Some(());
        }
        let demand = MemoryModel::Tso.demand(&action);
        let Action::Ops { ops, sync, next } = action else { return accesses.is_empty().then_some(()) };
        let drains = demand != Demand::Nothing;
        if accesses.is_empty() && !drains {
            return Some(());
        }
        let other = self.other(loc, &ops, sync.clone(), next, accesses);
        let attacker = match accesses {
            _ if drains => self.halt(loc),
            [access] if access.write => self.delayed_store(loc, &ops, next, access)?,
            loads if loads.iter().all(|access| !access.write) && loads.len() == 1 => {
                self.attackers_load(loc, &ops, next, &loads[0])?
            }
            _ => return None,
        };
        let mut start = other;
        if let ([access], false) = (accesses, drains)
            && access.write
        {
            let attack = self.first_store(loc, &ops, next, access)?;
            start = self.choose(loc, attack, other);
        }
        let is_attacker = self.is(self.words.attacker, 1);
        self.program.functions[self.func].locations[loc].action =
            Action::Branch { cond: is_attacker, yes: attacker, no: start };
        Some(())
    }

    /// A location that goes to one of two.
    fn choose(&mut self, like: LocId, yes: LocId, no: LocId) -> LocId {
        let cond = Expr::Reg(self.registers.choice, Width::BOOL);
        let branch = self.push(Action::Branch { cond, yes, no }, like);
        let ops = vec![Op::Havoc { var: self.registers.choice }];
        self.push(Action::Ops { ops, sync: None, next: branch }, like)
    }

    /// What a thread that is not the attacker does.
    fn other(
        &mut self,
        loc: LocId,
        ops: &[Op],
        sync: Option<program::Sync>,
        next: LocId,
        accesses: &[CellAccess],
    ) -> LocId {
        let late_phase = self.is(self.words.phase, 2);
        let mut all = Vec::new();
        let first = accesses.iter().map(|access| access.op).min().unwrap_or(0);
        all.extend_from_slice(&ops[..first]);
        all.extend(self.connect(accesses, &late_phase));
        all.extend_from_slice(&ops[first..]);
        for op in ops {
            match op {
                Op::Create { .. } => {
                    let helps = and(late_phase.clone(), self.is(self.words.helper, 1));
                    all.push(self.set_if(self.words.late, helps, 1));
                }
                Op::Join { .. } | Op::WaitEnd { .. } => {
                    all.push(self.set_if(self.words.helper, late_phase.clone(), 1));
                }
                _ => {}
            }
        }
        let next = if accesses.is_empty() { next } else { self.unless_hit(loc, next) };
        self.push(Action::Ops { ops: all, sync, next }, loc)
    }

    /// The rules of phase 2 for a thread that is not the attacker.
    fn connect(&self, accesses: &[CellAccess], late_phase: &Expr) -> Vec<Op> {
        if accesses.is_empty() {
            return Vec::new();
        }
        let helper = self.is(self.words.helper, 1);
        let mut connected = helper;
        for access in accesses {
            for &cell in &access.cells {
                let hb = self.words.connected[cell];
                let joined = match access.write {
                    true => self.is(hb, 0).negated(),
                    false => self.is(hb, WRITE),
                };
                let here = self.cells.is(access, cell).map_or(joined.clone(), |is| and(is, joined));
                connected = or(connected, here);
            }
        }
        let mut ops = vec![Op::Guard(or(late_phase.clone().negated(), connected))];
        ops.push(self.set_if(self.words.helper, late_phase.clone(), 1));
        let mut hit = Expr::truth(false);
        for access in accesses {
            for &cell in &access.cells {
                let hb = self.words.connected[cell];
                let mut moves = late_phase.clone();
                if let Some(is) = self.cells.is(access, cell) {
                    moves = and(moves, is);
                }
                hit = or(hit, and(moves.clone(), self.is(self.words.target, cell as u128 + 1)));
                ops.push(match access.write {
                    true => self.set_if(hb, moves, WRITE),
                    false => self.set_if(hb, and(moves, self.is(hb, 0)), READ),
                });
            }
        }
        ops.push(Op::Set { var: self.registers.hit, value: hit });
        ops
    }

    fn unless_hit(&mut self, like: LocId, next: LocId) -> LocId {
        let message = "the program does not behave as under sequential consistency".to_owned();
        let error = self.push(Action::Error { property: Property::UnreachCall, message }, like);
        let cond = Expr::Reg(self.registers.hit, Width::BOOL);
        self.push(Action::Branch { cond, yes: error, no: next }, like)
    }

    /// The operations of a transaction with a store, which goes to the delayed values instead.
    fn delaying(&self, ops: &[Op], access: &CellAccess) -> Option<Vec<Op>> {
        let mut all = ops.to_vec();
        let Op::Store { value, .. } = &ops[access.op] else { return None };
        let mut delayed = Vec::new();
        for &cell in &access.cells {
            let (word, flag) = (self.words.value[cell], self.words.delayed[cell]);
            let old = Expr::Load {
                addr: Box::new(Expr::ObjectAddr(word, self.pointer())),
                width: value.width(),
                order: Order::SeqCst,
            };
            let is = self.cells.is(access, cell);
            let new = is.clone().map_or(value.clone(), |is| Expr::ite(is, value.clone(), old));
            delayed.push(self.set(word, new));
            delayed.push(self.set_if(flag, is.unwrap_or(Expr::truth(true)), 1));
        }
        all.splice(access.op..=access.op, delayed);
        Some(all)
    }

    /// A store of the attacker in phase 1.
    fn delayed_store(&mut self, loc: LocId, ops: &[Op], next: LocId, access: &CellAccess) -> Option<LocId> {
        let mut all = vec![Op::Guard(self.is(self.words.phase, 1))];
        all.extend(self.delaying(ops, access)?);
        Some(self.push(Action::Ops { ops: all, sync: None, next }, loc))
    }

    /// The store that begins the attack.
    fn first_store(&mut self, loc: LocId, ops: &[Op], next: LocId, access: &CellAccess) -> Option<LocId> {
        let one = || Expr::constant(1, Width::BYTE);
        let mut target = Expr::constant(0, Width::BYTE);
        for &cell in &access.cells {
            let number = Expr::constant(cell as u128 + 1, Width::BYTE);
            target = self.cells.is(access, cell).map_or(number.clone(), |is| Expr::ite(is, number, target));
        }
        let mut all = vec![Op::Guard(self.is(self.words.phase, 0))];
        let delaying = self.delaying(ops, access)?;
        all.extend_from_slice(&delaying[..access.op]);
        all.extend([self.set(self.words.phase, one()), self.set(self.words.attacker, one())]);
        all.push(self.set(self.words.target, target));
        all.extend_from_slice(&delaying[access.op..]);
        Some(self.push(Action::Ops { ops: all, sync: None, next }, loc))
    }

    /// A load of the attacker in phase 1: of its own delayed value, of memory, or of memory for the last time.
    fn attackers_load(&mut self, loc: LocId, ops: &[Op], next: LocId, access: &CellAccess) -> Option<LocId> {
        let guard = Op::Guard(self.is(self.words.phase, 1));
        let mut own = vec![guard.clone()];
        own.extend(
            ops.iter()
                .cloned()
                .enumerate()
                .map(|(n, op)| if n == access.op { self.with_delayed(op, access) } else { op }),
        );
        let goes_on = self.push(Action::Ops { ops: own, sync: None, next }, loc);
        let mut last = vec![guard];
        last.extend_from_slice(&ops[..access.op]);
        for &cell in &access.cells {
            let (flag, hb) = (self.words.delayed[cell], self.words.connected[cell]);
            let is = self.cells.is(access, cell).unwrap_or(Expr::truth(true));
            last.push(Op::Guard(or(is.clone().negated(), self.is(flag, 0))));
            last.push(self.set_if(hb, and(is, self.is(hb, 0)), READ));
        }
        last.push(self.set(self.words.phase, Expr::constant(2, Width::BYTE)));
        let halt = self.halt(loc);
        let ends = self.push(Action::Ops { ops: last, sync: None, next: halt }, loc);
        Some(self.choose(loc, ends, goes_on))
    }

    /// The operation with its load of contended memory replaced by the delayed value, if there is one.
    fn with_delayed(&self, mut op: Op, access: &CellAccess) -> Op {
        let replace = |expr: &mut Expr| self.delayed_loads(expr, access);
        match &mut op {
            Op::Set { value, .. } | Op::Guard(value) | Op::Assume(value) => replace(value),
            Op::Store { addr, value, .. } => {
                replace(addr);
                replace(value);
            }
            _ => {}
        }
        op
    }

    fn delayed_loads(&self, expr: &mut Expr, access: &CellAccess) {
        match expr {
            Expr::Load { addr, width, .. } if **addr == access.addr => {
                let mut value = expr_load(&access.addr, *width);
                for &cell in &access.cells {
                    let own = expr_load(&Expr::ObjectAddr(self.words.value[cell], self.pointer()), *width);
                    let mut cond = self.is(self.words.delayed[cell], 1);
                    if let Some(is) = self.cells.is(access, cell) {
                        cond = and(is, cond);
                    }
                    value = Expr::ite(cond, own, value);
                }
                *expr = value;
            }
            other => other.children_mut().for_each(|part| self.delayed_loads(part, access)),
        }
    }
}

fn expr_load(addr: &Expr, width: Width) -> Expr {
    Expr::Load { addr: Box::new(addr.clone()), width, order: Order::SeqCst }
}
