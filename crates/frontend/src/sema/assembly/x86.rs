//! What instructions of x86 do: each becomes assignments to the variables that stand for registers and flags, and atomic builtins.
//!
//! Only what is listed in [`Machine::instruction`] is known; `None` means that an instruction, an operand or the use of a flag is not.

mod bits;

use super::barrier;
use super::is_idle;
use super::operands::{OperandLocation, Operands};
use super::template::{Instruction, Line, Operand};
use crate::ast::At;
use crate::hir::{BinaryOp, Expr, LabelId, LocalId, Stmt};
use crate::sema::Sema;
use crate::types::Ty;

/// The flags whose values are known: variables that are 0 or 1.
#[derive(Clone, Copy, Default)]
struct Flags {
    zero: Option<LocalId>,
    carry: Option<LocalId>,
    sign: Option<LocalId>,
}

struct Machine<'s, 'a> {
    sema: &'s mut Sema<'a>,
    operands: &'s Operands<'a>,
    at: At,
    out: &'s mut Vec<Stmt>,
    flags: Flags,
    /// Numbers of labels, the lines they stand in, and what they became.
    labels: Vec<(u32, usize, LabelId)>,
    /// Registers that no operand is in.
    scratch: Vec<(char, LocalId, Ty)>,
}

/// Instructions whose suffix says how many bytes they work on.
const SIZED: &[&str] = &[
    "cmpxchg", "xchg", "xadd", "mov", "add", "sub", "and", "or", "xor", "inc", "dec", "not", "bts", "btr",
    "btc", "bt", "cmp", "test", "sbb",
];

/// The name without its suffix, and how many bytes that means.
fn split_suffix(mnemonic: &str) -> (&str, Option<u64>) {
    if SIZED.contains(&mnemonic) {
        return (mnemonic, None);
    }
    let (name, suffix) = mnemonic.split_at(mnemonic.len().saturating_sub(1));
    let bytes = match suffix {
        "b" => 1,
        "w" => 2,
        "l" => 4,
        "q" => 8,
        _ => return (mnemonic, None),
    };
    if SIZED.contains(&name) { (name, Some(bytes)) } else { (mnemonic, None) }
}

impl<'a> Sema<'a> {
    /// Executes the lines of a template and stores the outputs.
    pub(super) fn execute(
        &mut self,
        operands: &Operands<'a>,
        lines: &[Line],
        at: At,
        out: &mut Vec<Stmt>,
    ) -> Option<()> {
        let mut labels = Vec::new();
        for (n, line) in lines.iter().enumerate() {
            if let Line::Label(number) = line {
                labels.push((*number, n, self.anonymous_label()?));
            }
        }
        let flags = Flags::default();
        let mut machine = Machine { sema: self, operands, at, out, flags, labels, scratch: Vec::new() };
        for (n, line) in lines.iter().enumerate() {
            machine.line(n, line)?;
        }
        machine.outputs()
    }
}

impl Machine<'_, '_> {
    fn line(&mut self, n: usize, line: &Line) -> Option<()> {
        match line {
            Line::Label(_) => {
                let (_, _, label) = *self.labels.iter().find(|(_, line, _)| *line == n)?;
                self.out.push(Stmt::Label(label));
                // Several places may lead here.
                self.flags = Flags::default();
                Some(())
            }
            Line::Instruction(instruction) => self.instruction(n, instruction),
        }
    }

    fn instruction(&mut self, n: usize, instruction: &Instruction) -> Option<()> {
        let Instruction { lock, mnemonic, operands } = instruction;
        let (name, suffix) = split_suffix(mnemonic);
        if let Some(kind) = barrier(name, "") {
            let span = self.sema.span(self.at);
            self.out.push(Stmt::Fence(kind, span));
            return Some(());
        }
        match (name, &operands[..]) {
            (name, []) if is_idle(name) => Some(()),
            ("rdtsc", []) => self.any_registers("ad"),
            ("rdtscp", []) => self.any_registers("adc"),
            ("cpuid", []) => self.any_registers("abcd"),
            ("mov", [source, target]) => {
                let width = self.width(suffix, &[source, target])?;
                let value = self.read(source, width)?;
                self.write(target, width, value)
            }
            ("xchg", [left, right]) => self.exchange(left, right, suffix),
            ("xadd", [source, target]) => self.exchange_and_add(source, target, suffix, *lock),
            ("cmpxchg", [source, target]) => self.compare_and_exchange(source, target, suffix, *lock),
            ("inc" | "dec" | "not", [target]) => self.unary(name, target, suffix, *lock),
            ("sbb", [source, target]) if source == target => {
                let width = self.width(suffix, &[target])?;
                let carry = self.flag(self.flags.carry)?;
                let zero = self.sema.int_constant(0, self.sema.basic.int, self.at);
                let value = self.sema.arithmetic(BinaryOp::Sub, zero, carry, self.at);
                self.write(target, width, value)
            }
            ("add" | "sub" | "and" | "or" | "xor", [source, target]) => {
                self.update(name, source, target, suffix, *lock)
            }
            ("cmp" | "test", [source, target]) => self.compare(name, source, target, suffix),
            ("bt" | "bts" | "btr" | "btc", [index, target]) => self.bit(name, index, target, suffix, *lock),
            _ => self.conditional(n, name, operands),
        }
    }

    // ---- operands -------------------------------------------------------------------------------------------

    /// How many bytes an instruction works on: as its suffix says, or as its operands are.
    fn width(&self, suffix: Option<u64>, operands: &[&Operand]) -> Option<u64> {
        let size = |memory: bool| {
            operands.iter().find_map(|operand| match operand {
                Operand::Register(_, bytes) => Some(*bytes),
                Operand::Given(_, Some(bytes)) => Some(*bytes),
                Operand::Given(reference, None) => match self.operands.get(reference)? {
                    OperandLocation::Register { ty, .. } => self.sema.types.size_of(ty),
                    OperandLocation::Memory { bytes, .. } if memory => Some(bytes),
                    OperandLocation::Memory { .. } | OperandLocation::Flag => None,
                },
                _ => None,
            })
        };
        suffix.or_else(|| size(false)).or_else(|| size(true))
    }

    /// The variable that a register is.
    fn register(&mut self, operand: &Operand) -> Option<(LocalId, Ty)> {
        match operand {
            Operand::Given(reference, _) => match self.operands.get(reference)? {
                OperandLocation::Register { local, ty } => Some((local, ty)),
                OperandLocation::Memory { .. } | OperandLocation::Flag => None,
            },
            Operand::Register(letter, _) => {
                let known =
                    self.operands.fixed.iter().chain(&self.scratch).find(|(known, ..)| known == letter);
                if let Some(&(_, local, ty)) = known {
                    return Some((local, ty));
                }
                let ty = self.sema.unsigned_type(8)?;
                let value = self.sema.any_value(ty, self.at);
                let local = self.sema.set_variable(ty, value, self.at, self.out);
                self.scratch.push((*letter, local, ty));
                Some((local, ty))
            }
            _ => None,
        }
    }

    /// The address of memory, as a pointer to an unsigned integer of this width; `None` for registers.
    fn memory(&mut self, operand: &Operand, width: u64) -> Option<Expr> {
        let ty = self.sema.unsigned_type(width)?;
        match operand {
            Operand::Given(reference, _) => match self.operands.get(reference)? {
                OperandLocation::Memory { pointer, .. } => {
                    Some(self.sema.pointer_value(pointer, ty, self.at))
                }
                OperandLocation::Register { .. } | OperandLocation::Flag => None,
            },
            Operand::At(reference) => match self.operands.get(reference)? {
                OperandLocation::Register { local, ty: word } => {
                    if self.sema.types.size_of(word) != Some(self.sema.types.data_model.pointer().bytes()) {
                        return None;
                    }
                    let address = self.sema.variable_value(local, word, self.at);
                    let pointer = self.sema.pointer_to(ty);
                    Some(self.sema.convert(address, pointer))
                }
                OperandLocation::Memory { .. } | OperandLocation::Flag => None,
            },
            _ => None,
        }
    }

    fn read(&mut self, operand: &Operand, width: u64) -> Option<Expr> {
        let ty = self.sema.unsigned_type(width)?;
        if let Operand::Immediate(value) = operand {
            return Some(self.sema.int_constant(*value, ty, self.at));
        }
        if let Some(pointer) = self.memory(operand, width) {
            return Some(self.builtin("__atomic_load_n", ty, vec![pointer], true));
        }
        let (local, register) = self.register(operand)?;
        if self.sema.types.size_of(register)? < width {
            return None;
        }
        let value = self.sema.variable_value(local, register, self.at);
        Some(self.sema.convert(value, ty))
    }

    fn write(&mut self, operand: &Operand, width: u64, value: Expr) -> Option<()> {
        let ty = self.sema.unsigned_type(width)?;
        let value = self.sema.convert(value, ty);
        if let Some(pointer) = self.memory(operand, width) {
            let store = self.builtin("__atomic_store_n", self.sema.basic.void, vec![pointer, value], true);
            self.out.push(Stmt::Expr(store));
            return Some(());
        }
        let (local, register) = self.register(operand)?;
        let size = self.sema.types.size_of(register)?;
        let value = match width {
            _ if size < width => return None,
            // A part of a register leaves the rest, except that 32 bits clear it.
            1 | 2 if size > width => {
                let mask = self.sema.int_constant(!0 << (width * 8), register, self.at);
                let old = self.sema.variable_value(local, register, self.at);
                let rest = self.sema.arithmetic(BinaryOp::BitAnd, old, mask, self.at);
                self.sema.arithmetic(BinaryOp::BitOr, rest, value, self.at)
            }
            _ => value,
        };
        let assignment = self.sema.assign_variable(local, register, value, self.at)?;
        self.out.push(Stmt::Expr(assignment));
        Some(())
    }

    /// A variable with this value, so that it can be used more than once.
    fn keep(&mut self, ty: Ty, value: Expr) -> LocalId {
        self.sema.set_variable(ty, value, self.at, self.out)
    }

    /// A call of an atomic builtin, with an order if it takes one: a load or store by itself orders nothing, all else is a full fence.
    fn builtin(&mut self, name: &str, ret: Ty, mut args: Vec<Expr>, takes_order: bool) -> Expr {
        if takes_order {
            let order = if matches!(name, "__atomic_load_n" | "__atomic_store_n") { 0 } else { 5 };
            args.push(self.sema.int_constant(order, self.sema.basic.int, self.at));
        }
        self.sema.builtin_call_with(name, ret, args, self.at)
    }

    // ---- flags ----------------------------------------------------------------------------------------------

    fn flag(&mut self, flag: Option<LocalId>) -> Option<Expr> {
        let (local, ty) = (flag?, self.sema.basic.int);
        Some(self.sema.variable_value(local, ty, self.at))
    }

    fn is_zero(&mut self, value: Expr) -> Expr {
        let zero = self.sema.int_constant(0, self.sema.basic.int, self.at);
        self.sema.arithmetic(BinaryOp::Eq, value, zero, self.at)
    }

    fn set_flag(&mut self, value: Expr) -> Option<LocalId> {
        let int = self.sema.basic.int;
        Some(self.keep(int, value))
    }

    /// Sets the flags that say whether a result is zero or negative.
    fn set_result_flags(&mut self, result: LocalId, ty: Ty) {
        let value = self.sema.variable_value(result, ty, self.at);
        let zero = self.is_zero(value);
        self.flags.zero = self.set_flag(zero);
        let bits = self.sema.types.size_of(ty).unwrap_or(1) * 8;
        let value = self.sema.variable_value(result, ty, self.at);
        let shift = self.sema.int_constant(i128::from(bits) - 1, ty, self.at);
        let sign = self.sema.arithmetic(BinaryOp::Shr, value, shift, self.at);
        self.flags.sign = self.set_flag(sign);
    }

    /// The value of a condition such as `z`, `ne` or `c`.
    fn condition(&mut self, name: &str) -> Option<Expr> {
        let (flag, negated) = match name {
            "z" | "e" => (self.flags.zero, false),
            "nz" | "ne" => (self.flags.zero, true),
            "c" | "b" | "nae" => (self.flags.carry, false),
            "nc" | "ae" | "nb" => (self.flags.carry, true),
            "s" => (self.flags.sign, false),
            "ns" => (self.flags.sign, true),
            _ => return None,
        };
        let value = self.flag(flag)?;
        Some(if negated { self.is_zero(value) } else { value })
    }

    fn conditional(&mut self, n: usize, name: &str, operands: &[Operand]) -> Option<()> {
        if let (Some(condition), [target]) = (name.strip_prefix("set"), operands) {
            let value = self.condition(condition)?;
            return self.write(target, 1, value);
        }
        let (condition, [Operand::Target(number, forward)]) = (name.strip_prefix('j')?, operands) else {
            return None;
        };
        let mut labels =
            self.labels.iter().filter(|(known, line, _)| known == number && (*line > n) == *forward);
        let &(_, _, label) = if *forward { labels.next()? } else { labels.next_back()? };
        let span = self.sema.span(self.at);
        let jump = Stmt::Goto(label, span);
        if condition == "mp" {
            self.out.push(jump);
        } else {
            let cond = self.condition(condition)?;
            self.out.push(Stmt::If { cond, yes: Box::new(jump), no: None });
        }
        Some(())
    }

    // ---- instructions ---------------------------------------------------------------------------------------

    fn any_registers(&mut self, letters: &str) -> Option<()> {
        for letter in letters.chars() {
            let (local, ty) = self.register(&Operand::Register(letter, 8))?;
            let value = self.sema.any_value(ty, self.at);
            let assignment = self.sema.assign_variable(local, ty, value, self.at)?;
            self.out.push(Stmt::Expr(assignment));
        }
        Some(())
    }

    fn exchange(&mut self, left: &Operand, right: &Operand, suffix: Option<u64>) -> Option<()> {
        let width = self.width(suffix, &[left, right])?;
        let ty = self.sema.unsigned_type(width)?;
        for (register, memory) in [(left, right), (right, left)] {
            if let Some(pointer) = self.memory(memory, width) {
                let value = self.read(register, width)?;
                let old = self.builtin("__atomic_exchange_n", ty, vec![pointer, value], true);
                return self.write(register, width, old);
            }
        }
        let value = self.read(left, width)?;
        let old = self.keep(ty, value);
        let value = self.read(right, width)?;
        self.write(left, width, value)?;
        let value = self.sema.variable_value(old, ty, self.at);
        self.write(right, width, value)
    }

    /// Reads `target`, which with `lock` is one step with writing `old op value` to it; gives the old value.
    fn fetch(&mut self, op: &str, target: &Operand, width: u64, value: Expr, lock: bool) -> Option<LocalId> {
        let ty = self.sema.unsigned_type(width)?;
        match (lock, self.memory(target, width)) {
            (true, Some(pointer)) => {
                let old = self.builtin(&format!("__sync_fetch_and_{op}"), ty, vec![pointer, value], false);
                Some(self.keep(ty, old))
            }
            (true, None) => None,
            (false, _) => {
                let value = self.keep(ty, value);
                let old = self.read(target, width)?;
                let old = self.keep(ty, old);
                let new = self.combined(op, old, value, ty)?;
                self.write(target, width, new)?;
                Some(old)
            }
        }
    }

    fn combined(&mut self, op: &str, left: LocalId, right: LocalId, ty: Ty) -> Option<Expr> {
        let op = match op {
            "add" => BinaryOp::Add,
            "sub" => BinaryOp::Sub,
            "and" => BinaryOp::BitAnd,
            "or" => BinaryOp::BitOr,
            "xor" => BinaryOp::BitXor,
            _ => return None,
        };
        let left = self.sema.variable_value(left, ty, self.at);
        let right = self.sema.variable_value(right, ty, self.at);
        let value = self.sema.arithmetic(op, left, right, self.at);
        Some(self.sema.convert(value, ty))
    }

    /// `op value, target`, and the flags of the result.
    fn update(
        &mut self,
        op: &str,
        source: &Operand,
        target: &Operand,
        suffix: Option<u64>,
        lock: bool,
    ) -> Option<()> {
        let width = self.width(suffix, &[source, target])?;
        let ty = self.sema.unsigned_type(width)?;
        let value = self.read(source, width)?;
        let value = self.keep(ty, value);
        let operand = self.sema.variable_value(value, ty, self.at);
        let old = self.fetch(op, target, width, operand, lock)?;
        let new = self.combined(op, old, value, ty)?;
        let new = self.keep(ty, new);
        self.set_result_flags(new, ty);
        self.flags.carry = match op {
            "add" => self.less(new, old, ty),
            "sub" => self.less(old, value, ty),
            _ => {
                let zero = self.sema.int_constant(0, self.sema.basic.int, self.at);
                self.set_flag(zero)
            }
        };
        Some(())
    }

    fn less(&mut self, left: LocalId, right: LocalId, ty: Ty) -> Option<LocalId> {
        let left = self.sema.variable_value(left, ty, self.at);
        let right = self.sema.variable_value(right, ty, self.at);
        let less = self.sema.arithmetic(BinaryOp::Lt, left, right, self.at);
        self.set_flag(less)
    }

    fn unary(&mut self, name: &str, target: &Operand, suffix: Option<u64>, lock: bool) -> Option<()> {
        let (op, value) = match name {
            "inc" => ("add", 1),
            "dec" => ("sub", 1),
            _ => ("xor", -1),
        };
        let flags = self.flags;
        self.update(op, &Operand::Immediate(value), target, Some(self.width(suffix, &[target])?), lock)?;
        // `inc` and `dec` leave the carry, `not` leaves everything.
        self.flags = if name == "not" { flags } else { Flags { carry: flags.carry, ..self.flags } };
        Some(())
    }

    fn exchange_and_add(
        &mut self,
        source: &Operand,
        target: &Operand,
        suffix: Option<u64>,
        lock: bool,
    ) -> Option<()> {
        let width = self.width(suffix, &[source, target])?;
        let ty = self.sema.unsigned_type(width)?;
        let value = self.read(source, width)?;
        let old = self.fetch("add", target, width, value, lock)?;
        let value = self.sema.variable_value(old, ty, self.at);
        self.flags = Flags::default();
        self.write(source, width, value)
    }

    /// `cmpxchg source, target`: if the target is what register a holds, it becomes `source`; in any case a gets its old value.
    fn compare_and_exchange(
        &mut self,
        source: &Operand,
        target: &Operand,
        suffix: Option<u64>,
        lock: bool,
    ) -> Option<()> {
        let width = self.width(suffix, &[source, target])?;
        let ty = self.sema.unsigned_type(width)?;
        let accumulator = Operand::Register('a', width);
        let expected = self.read(&accumulator, width)?;
        let expected = self.keep(ty, expected);
        let new = self.read(source, width)?;
        let old = match (lock, self.memory(target, width)) {
            (true, Some(pointer)) => {
                let expected = self.sema.variable_value(expected, ty, self.at);
                let old =
                    self.builtin("__sync_val_compare_and_swap", ty, vec![pointer, expected, new], false);
                self.keep(ty, old)
            }
            (true, None) => return None,
            (false, _) => {
                let new = self.keep(ty, new);
                let old = self.read(target, width)?;
                let old = self.keep(ty, old);
                let cond = self.equal(old, expected, ty);
                // The machine writes in any case: the old value, if the comparison fails.
                let chosen = self.chosen(cond, new, old, ty);
                self.write(target, width, chosen)?;
                old
            }
        };
        let equal = self.equal(old, expected, ty);
        self.flags = Flags { zero: self.set_flag(equal), ..Flags::default() };
        let value = self.sema.variable_value(old, ty, self.at);
        self.write(&accumulator, width, value)
    }

    fn equal(&mut self, left: LocalId, right: LocalId, ty: Ty) -> Expr {
        let left = self.sema.variable_value(left, ty, self.at);
        let right = self.sema.variable_value(right, ty, self.at);
        self.sema.arithmetic(BinaryOp::Eq, left, right, self.at)
    }

    fn chosen(&mut self, cond: Expr, yes: LocalId, no: LocalId, ty: Ty) -> Expr {
        let yes = Box::new(self.sema.variable_value(yes, ty, self.at));
        let no = Box::new(self.sema.variable_value(no, ty, self.at));
        let span = self.sema.span(self.at);
        Expr { ty, span, kind: crate::hir::ExprKind::Cond(Box::new(cond), yes, no) }
    }

    fn compare(&mut self, name: &str, source: &Operand, target: &Operand, suffix: Option<u64>) -> Option<()> {
        let width = self.width(suffix, &[source, target])?;
        let ty = self.sema.unsigned_type(width)?;
        let (right, left) = (self.read(source, width)?, self.read(target, width)?);
        let (left, right) = (self.keep(ty, left), self.keep(ty, right));
        let op = if name == "cmp" { "sub" } else { "and" };
        let result = self.combined(op, left, right, ty)?;
        let result = self.keep(ty, result);
        self.set_result_flags(result, ty);
        self.flags.carry = if name == "cmp" { self.less(left, right, ty) } else { None };
        Some(())
    }

    /// Stores the outputs: registers, and flags as they are in the end.
    fn outputs(&mut self) -> Option<()> {
        for output in &self.operands.outputs {
            let value = match output.place {
                OperandLocation::Register { local, ty } => self.sema.variable_value(local, ty, self.at),
                OperandLocation::Flag => self.condition(&output.condition)?,
                OperandLocation::Memory { .. } => continue,
            };
            self.sema.write_output(output, value, self.at, self.out);
        }
        Some(())
    }
}
