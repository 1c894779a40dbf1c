//! Stale reads: robustness against C11 without a bound (Lahav, Margalit, *Robustness against release/acquire semantics*, PLDI 2019; Margalit, Lahav, *Verifying
//! observational robustness against a C11-style memory model*, POPL 2021).
//!
//! The executions of RC11 grow one event at a time, in an order of program order and reading. Take a smallest one that is not sequentially consistent: without its last event,
//! an access of a thread `t` to a cell `x`, it is. Forget all events that are not before one of `t` in `hbSC` = (po ∪ rf ∪ mo ∪ fr)⁺; then the last write of `x` is before
//! `t` in `hbSC`, and yet C11 lets `t` read an older value, or write before it. So it does not *know* that write in the sense of C11's happens-before:
//!
//! > A program is robust if no sequentially consistent execution leads to a thread that is about to access a cell atomically whose last write is before the thread in `hbSC`, but not known to it.
//!
//! That is an error of a program under sequential consistency that keeps, for each thread and each cell, *views*: sets of cells whose last writes are known, one bit each.
//!
//! | word | of | holds the cells whose last write | paper |
//! |---|---|---|---|
//! | `current` | thread | it knows: older values cannot be read | V |
//! | `acquired` | thread | it would know after an acquire fence | |
//! | `released` | thread | it knew at its last release fence | |
//! | `sequential` | thread | is before it in `hbSC` | V_SC |
//! | `message` | cell | an acquire load of the cell's last write learns of | W |
//! | `written`, `accessed` | cell | is before the cell's last write; before that or a later read, in `hbSC` | W_SC, M_SC |
//!
//! A write removes its cell from all words but those of its own thread and message. A full fence is a read-modify-write, acquire and release, of a cell that nothing else accesses: this
//! allows all that RC11's axiom for fences does. Creating and joining a thread hands over its views; threads have numbers, in the order of their creation.
//!
//! **Plain accesses** must not race, else there is no robustness to speak of: C11 gives such a program no meaning. A cell with plain accesses has three more bits: its last plain
//! write, all its plain reads, and all its atomic reads since its last plain write are known. An access is an error if what it conflicts with is not known. So the
//! program without errors has no data race in the sense of C11, either.
//!
//! # Deviations from the papers
//! * Values are not kept: a thread that may read an older write is an error, also if that has the same value, or the thread would only try again.
//! * `seq_cst` accesses are acquire and release ones; later writes of a thread do not continue its release sequence (as in C++20).
//! * An unconditional read-modify-write reads the last write of a cell that only read-modify-writes change: each older one has been read by another. What
//!   locks, semaphores and the like do to their own words is of that kind: who takes one has read the last write that gave it back.
//!
//! # Direction of error
//! More errors than there are stale reads, never fewer. `None` where the cells are not known exactly, as for [`attacked`](mod@crate::attacked).

mod monitor;
mod views;

use crate::cells::{CellAccess, Cells};
use crate::hoisted::{has_sections, hoisted};
use program::{
    Action, BinOp, Expr, FuncId, LocId, Location, Op, Program, Property, Var, VarId, VarKind, Width,
};
use semantics::Analysis;
use views::{Bits, VIEW, View, Words};

/// Maximum number of threads, where one of them may be created several times. What creates more is not followed, so that there is no proof.
const MOST_THREADS: usize = 5;

/// The program that has an error if a thread can read or overwrite what sequential consistency forbids, or plain accesses race; `None` if that cannot be said with
/// these cells.
pub fn stale(analysis: &Analysis<'_>) -> Option<Program> {
    if has_sections(analysis.program) {
        return None;
    }
    let (cells, mut accesses) = Cells::of(analysis)?;
    let mut program = hoisted(analysis.program, &mut accesses)?;
    let bits = Bits::of(&program, cells.all.len(), &accesses)?;
    let roots = analysis.threads.roots();
    let several = roots.iter().any(|root| root.many);
    let n_threads = if several { MOST_THREADS.max(roots.len()) } else { roots.len() };
    let words = Words::declare(&mut program, &bits, n_threads);
    for func in analysis.program.functions.ids() {
        let mut builder = Builder::new(&mut program, &cells, &bits, &words, func);
        for (loc, accesses) in accesses[func].iter_enumerated() {
            builder.location(loc, accesses)?;
        }
    }
    for root in roots.iter().skip(1) {
        Builder::new(&mut program, &cells, &bits, &words, root.func).begin();
    }
    Some(program)
}

/// Registers of a function that the transformation needs.
#[derive(Clone, Copy)]
struct Registers {
    /// Whether an error was seen.
    hit: VarId,
    /// The views of the running thread, in the order of [`View::ALL`].
    views: [VarId; 4],
    /// What is known by the accessed cell's last write, and what is before it.
    message: VarId,
    before: VarId,
}

struct Builder<'a> {
    program: &'a mut Program,
    cells: &'a Cells,
    bits: &'a Bits,
    words: &'a Words,
    func: FuncId,
    registers: Registers,
}

impl<'a> Builder<'a> {
    fn new(
        program: &'a mut Program,
        cells: &'a Cells,
        bits: &'a Bits,
        words: &'a Words,
        func: FuncId,
    ) -> Self {
        let vars = &mut program.functions[func].vars;
        let mut register = |name: &str, width: Width| {
            let name = format!("${name}{}", vars.len());
            vars.push(Var { name, kind: VarKind::Register(width), temporary: true })
        };
        let registers = Registers {
            hit: register("hit", Width::BOOL),
            views: View::ALL.map(|view| register(view.name(), VIEW)),
            message: register("message", VIEW),
            before: register("before", VIEW),
        };
        Self { program, cells, bits, words, func, registers }
    }

    fn push(&mut self, action: Action, like: LocId) -> LocId {
        let span = self.program.functions[self.func].locations[like].span;
        self.program.functions[self.func].locations.push(Location { action, span })
    }

    /// A thread begins: it looks up its number.
    fn begin(&mut self) {
        let entry = self.program.functions[self.func].entry;
        let number = self.words.number_of(&Expr::SelfHandle(self.words.pointer));
        let ops = vec![self.words.set(self.words.me, number)];
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
        let Action::Ops { ops, sync, next } = action else { return accesses.is_empty().then_some(()) };
        let (at, monitor) = self.monitor(&ops, sync.is_some(), accesses)?;
        let mut all = Vec::new();
        for (n, op) in ops.iter().enumerate() {
            if n == at {
                all.extend(monitor.iter().cloned());
            }
            all.push(op.clone());
            match op {
                Op::Fence(barrier) => all.extend(self.fence(*barrier)),
                Op::Create { handle, .. } => all.extend(self.create(*handle)),
                Op::Join { handle, error, .. } => all.extend(self.join(handle, *error)),
                _ => {}
            }
        }
        let next = if monitor.is_empty() { next } else { self.unless_hit(loc, next) };
        let creates = ops.iter().any(|op| matches!(op, Op::Create { .. }));
        let action = Action::Ops { ops: all, sync, next };
        let action = if creates { self.if_room(action, loc) } else { action };
        self.program.functions[self.func].locations[loc].action = action;
        Some(())
    }

    fn unless_hit(&mut self, like: LocId, next: LocId) -> LocId {
        let message = "the program does not behave as under sequential consistency".to_owned();
        let error = self.push(Action::Error { property: Property::UnreachCall, message }, like);
        let cond = Expr::Reg(self.registers.hit, Width::BOOL);
        self.push(Action::Branch { cond, yes: error, no: next }, like)
    }

    /// An action that creates a thread, if there is a number left for it.
    fn if_room(&mut self, action: Action, like: LocId) -> Action {
        let room = Expr::constant(self.words.handle.len() as u128, Width::BYTE);
        let cond = Expr::binary(BinOp::ULt, self.words.load(self.words.n_threads), room);
        let yes = self.push(action, like);
        let no = self.push(Action::Unsupported("more threads than can be followed".to_owned()), like);
        Action::Branch { cond, yes, no }
    }

    /// The thread that was just created gets a number, and knows what its creator knows.
    fn create(&self, handle: VarId) -> Vec<Op> {
        let words = self.words;
        let number = words.load(words.n_threads);
        let mut ops = Vec::new();
        for slot in 1..words.handle.len() {
            let is = Expr::binary(BinOp::Eq, number.clone(), Expr::constant(slot as u128, Width::BYTE));
            let mut set =
                |word, value| ops.push(words.set(word, Expr::ite(is.clone(), value, words.load(word))));
            set(words.handle[slot], Expr::Reg(handle, words.pointer));
            for (view, from) in [
                (View::Current, View::Current),
                (View::Acquired, View::Current),
                (View::Sequential, View::Sequential),
            ] {
                if let Some(word) = words.views[view as usize].get(slot) {
                    set(*word, words.own(from));
                }
            }
        }
        let one = Expr::constant(1, Width::BYTE);
        ops.push(words.set(words.n_threads, Expr::binary(BinOp::Add, number, one)));
        ops
    }

    /// Who has joined a thread knows what that knew.
    fn join(&self, handle: &Expr, error: VarId) -> Vec<Op> {
        let words = self.words;
        let joined = Expr::binary(BinOp::Eq, Expr::Reg(error, Width::INT), Expr::constant(0, Width::INT));
        let mut ops = Vec::new();
        for view in [View::Current, View::Acquired, View::Sequential] {
            let number = words.number_of(handle);
            let learnt = words.of_thread(view, &number);
            let value = views::join(words.own(view), Expr::ite(joined.clone(), learnt, views::set_of(0)));
            ops.push(Op::Set { var: self.registers.views[view as usize], value });
            ops.extend(self.store_own(view));
        }
        ops
    }
}
