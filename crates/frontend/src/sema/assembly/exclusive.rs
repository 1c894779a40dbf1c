//! Exclusive accesses: the loops of `ldrex`/`strex` (ARM), `ldxr`/`stxr` (AArch64), `lwarx`/`stwcx.` (Power) and `lr`/`sc` (RISC-V).
//!
//! Such a loop reads a word, computes, and stores the result unless another thread has written to the word since; then it begins again. As long as only
//! registers are used in between, it is an atomic operation ([`Operation`]), whatever the number of attempts:
//!
//! | between the accesses | operation |
//! |---|---|
//! | nothing | `__atomic_exchange_n` |
//! | one `add`, `sub`, `and`, `orr`, `eor`, … of the word and an operand | `__atomic_fetch_add`, … |
//! | a comparison and a jump behind the loop, or a conditional store | `__atomic_compare_exchange_n` |
//!
//! A comparison whose store is not attempted again may fail for no reason: it is a weak one. The memory order is what the instructions say (`ldaxr`,
//! `stlxr`, `.aq`, `.rl`), barriers around the loop stay barriers. A template that is none of this has no model.

use super::operands::{OperandLocation, Operands};
use super::template::Reference;
use super::{barrier, is_idle};
use crate::ast::At;
use crate::hir::{BinaryOp, Expr, ExprKind, LocalId, Stmt, VarRef};
use crate::sema::Sema;
use crate::types::Ty;
use program::Barrier;

/// Returns true if a template uses exclusive accesses.
pub(super) fn is_exclusive(template: &str) -> bool {
    template.lines().flat_map(|line| line.split(';')).any(|line| {
        let line = line.rsplit(':').next().unwrap_or_default();
        let mnemonic = line.split_whitespace().next().unwrap_or_default();
        matches!(part(mnemonic, &[]), Some(Part::Load { .. }))
            || mnemonic.starts_with("ldrex")
            || mnemonic.starts_with("ldxr")
            || mnemonic.starts_with("ldaxr")
    })
}

/// An argument of an instruction.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Argument {
    /// An operand of the statement; true if it is written as a word of 32 bits (`%w0`).
    Given(Reference, bool),
    Number(i128),
    /// A label, and whether it is ahead.
    Target(u32, bool),
}

/// What an instruction is in a loop of exclusive accesses.
#[derive(Clone, PartialEq, Debug)]
enum Part {
    /// Its size, if its name says so, and whether it acquires.
    Load {
        bytes: Option<u64>,
        acquires: bool,
    },
    /// Whether it releases, and whether it happens only if the last comparison was equal.
    Store {
        releases: bool,
        if_equal: bool,
        has_status: bool,
    },
    /// The operation, and whether its sources are exchanged.
    Compute(&'static str, bool),
    Compare,
    /// A jump if the last comparison was unequal, or the last store failed.
    BranchUnequal,
    /// A jump if a register is not zero, or if two differ.
    BranchNonzero,
    /// A register gets a number.
    Move,
    Fence(Option<Barrier>),
    Nothing,
}

/// What an instruction with these operands is; `None` if it is not known.
fn part(mnemonic: &str, words: &[&str]) -> Option<Part> {
    let mnemonic = mnemonic.trim_end_matches(['+', '-']).to_ascii_lowercase();
    if let Some(kind) = barrier(&mnemonic, &words.concat()) {
        return Some(Part::Fence(kind));
    }
    let has = |suffix: &str| mnemonic.split('.').skip(1).any(|part| part.contains(suffix));
    let load = |bytes, acquires| Some(Part::Load { bytes, acquires });
    let store = |releases, if_equal, has_status| Some(Part::Store { releases, if_equal, has_status });
    match mnemonic.as_str() {
        "ldrex" | "lwarx" => load(Some(4), false),
        "ldarx" => load(Some(8), false),
        "ldxr" | "ldaxr" => load(None, mnemonic == "ldaxr"),
        "strex" => store(false, false, true),
        "strexeq" => store(false, true, true),
        "stwcx." | "stdcx." => store(false, false, false),
        "stxr" | "stlxr" => store(mnemonic == "stlxr", false, true),
        "add" | "adds" | "addi" => Some(Part::Compute("add", false)),
        "sub" | "subs" => Some(Part::Compute("sub", false)),
        "subf" => Some(Part::Compute("sub", true)),
        "and" | "ands" => Some(Part::Compute("and", false)),
        "orr" | "or" => Some(Part::Compute("or", false)),
        "eor" | "xor" => Some(Part::Compute("xor", false)),
        "mov" | "li" => Some(Part::Move),
        "cmp" | "teq" | "cmpw" | "cmpd" | "cmpwi" | "cmpdi" => Some(Part::Compare),
        "bne" if words.len() < 3 => Some(Part::BranchUnequal),
        "b.ne" => Some(Part::BranchUnequal),
        "cbnz" | "bnez" | "bne" => Some(Part::BranchNonzero),
        "it" | "prfm" | "pld" | "pldw" => Some(Part::Nothing),
        name if name.starts_with("lr.w") => load(Some(4), has("aq")),
        name if name.starts_with("lr.d") => load(Some(8), has("aq")),
        name if name.starts_with("sc.w") || name.starts_with("sc.d") => store(has("rl"), false, true),
        name if is_idle(name) => Some(Part::Nothing),
        _ => None,
    }
}

/// A label, or an instruction with its arguments.
#[derive(Clone, PartialEq, Debug)]
enum Line {
    Label(u32),
    Instruction(Part, Vec<Argument>),
}

fn parse(template: &str) -> Option<Vec<Line>> {
    let mut lines = Vec::new();
    for line in template.trim_end_matches('\0').split([';', '\n']) {
        let line = line.split('@').next().unwrap_or_default();
        let mut rest = line.split("//").next().unwrap_or_default().trim();
        while let Some((number, after)) = rest.split_once(':') {
            lines.push(Line::Label(number.trim().parse().ok()?));
            rest = after.trim();
        }
        let (mnemonic, operands) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        if mnemonic.is_empty() {
            continue;
        }
        let words: Vec<&str> = operands.split(',').map(str::trim).filter(|word| !word.is_empty()).collect();
        match part(mnemonic, &words)? {
            Part::Nothing => {}
            fence @ Part::Fence(_) => lines.push(Line::Instruction(fence, Vec::new())),
            known => {
                let arguments = words.into_iter().map(argument).collect::<Option<_>>()?;
                lines.push(Line::Instruction(known, arguments));
            }
        }
    }
    Some(lines)
}

fn argument(text: &str) -> Option<Argument> {
    let inner = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(text);
    let inner = match inner.strip_suffix(')').and_then(|rest| rest.split_once('(')) {
        Some(("" | "0", inside)) => inside,
        Some(_) => return None,
        None => inner,
    };
    if let Some(given) = inner.strip_prefix('%') {
        let is_word = given.starts_with('w');
        let given = given.trim_start_matches(['w', 'x', 'z', 'y']);
        let reference = match given.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            Some(name) => Reference::Name(name.to_owned()),
            None => Reference::Number(given.parse().ok()?),
        };
        return Some(Argument::Given(reference, is_word));
    }
    if let Ok(number) = inner.trim_start_matches('#').parse() {
        return Some(Argument::Number(number));
    }
    let (number, direction) = inner.split_at_checked(inner.len().checked_sub(1)?)?;
    Some(Argument::Target(number.parse().ok()?, direction == "f"))
}

/// What happens to the word.
#[derive(Debug)]
enum Operation {
    Exchange(Argument),
    /// The name of the operation, its operand, and where the result goes.
    Fetch(&'static str, Argument, Argument),
    /// What is compared with, what is stored, and whether the store is attempted until it succeeds.
    Compare(Argument, Argument, bool),
}

/// A recognised template.
#[derive(Debug)]
struct Loop {
    before: Vec<Option<Barrier>>,
    /// Barriers that are passed only if something was stored, and those that are always passed.
    stored: Vec<Option<Barrier>>,
    after: Vec<Option<Barrier>>,
    word: Argument,
    address: Argument,
    bytes: Option<u64>,
    status: Option<Argument>,
    /// A register that is set to a number on the way.
    moved: Option<(Argument, i128)>,
    /// A register that a comparison leaves different from zero where it jumps.
    difference: Option<Argument>,
    order: i128,
    operation: Operation,
}

/// The reader of a template, line by line.
struct Reader<'l> {
    lines: &'l [Line],
    next: usize,
}

impl<'l> Reader<'l> {
    fn fences(&mut self) -> Vec<Option<Barrier>> {
        let mut found = Vec::new();
        while let Some(Line::Instruction(Part::Fence(kind), _)) = self.lines.get(self.next) {
            found.push(*kind);
            self.next += 1;
        }
        found
    }
    fn label(&mut self) -> Option<u32> {
        match self.lines.get(self.next) {
            Some(Line::Label(number)) => {
                self.next += 1;
                Some(*number)
            }
            _ => None,
        }
    }
    fn instruction(&mut self) -> Option<(&'l Part, &'l [Argument])> {
        match self.lines.get(self.next) {
            Some(Line::Instruction(part, arguments)) => {
                self.next += 1;
                Some((part, arguments))
            }
            _ => None,
        }
    }
    /// A register that gets a number after the load.
    fn moved(&mut self, word: &Argument) -> Option<(Argument, i128)> {
        match self.lines.get(self.next) {
            Some(Line::Instruction(Part::Move, arguments)) => match &arguments[..] {
                [register, Argument::Number(number)] if register != word => {
                    self.next += 1;
                    Some((register.clone(), *number))
                }
                _ => None,
            },
            _ => None,
        }
    }
    /// A jump back that is taken if the store has failed.
    fn retry(&mut self, label: Option<u32>, status: Option<&Argument>) -> Option<()> {
        let is_back = |target: &Argument| matches!(target, Argument::Target(n, false) if Some(*n) == label);
        match (self.instruction()?, status) {
            ((Part::BranchUnequal, [target]), None) if is_back(target) => Some(()),
            ((Part::BranchNonzero, [register, target]), Some(status))
                if register == status && is_back(target) =>
            {
                Some(())
            }
            ((Part::Compare, [register, Argument::Number(0)]), Some(status)) if register == status => {
                match self.instruction()? {
                    (Part::BranchUnequal, [target]) if is_back(target) => Some(()),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

/// What the instructions between the accesses are: a computation, or a comparison with a jump ahead.
enum Between {
    Nothing,
    Compute(&'static str, Argument, Argument),
    /// What is compared with, the label behind the loop (without one the store is conditional), and a register that gets the difference.
    Compare(Argument, Option<u32>, Option<Argument>),
}

fn between(reader: &mut Reader<'_>, word: &Argument) -> Option<Between> {
    let start = reader.next;
    let other = |a: &Argument, b: &Argument| match (a == word, b == word) {
        (true, false) => Some(b.clone()),
        (false, true) => Some(a.clone()),
        _ => None,
    };
    match reader.instruction()? {
        (Part::Store { .. }, _) => {
            reader.next = start;
            Some(Between::Nothing)
        }
        (Part::Compute(op, exchanged), [target, a, b]) => {
            let (a, b) = if *exchanged { (b, a) } else { (a, b) };
            // `difference = word ^ expected; if it is not zero, leave`
            if let (Part::BranchNonzero, [register, Argument::Target(exit, true)]) = reader.instruction()? {
                let expected = other(a, b).filter(|_| *op == "xor" && register == target)?;
                return Some(Between::Compare(expected, Some(*exit), Some(target.clone())));
            }
            reader.next -= 1;
            let operand = if *op == "sub" { (a == word).then(|| b.clone())? } else { other(a, b)? };
            Some(Between::Compute(op, operand, target.clone()))
        }
        (Part::BranchNonzero, [a, b, Argument::Target(exit, true)]) => {
            Some(Between::Compare(other(a, b)?, Some(*exit), None))
        }
        (Part::Compare, [Argument::Number(0), a, b] | [a, b]) => {
            let expected = other(a, b)?;
            match reader.instruction()? {
                (Part::BranchUnequal, [Argument::Target(exit, true)]) => {
                    Some(Between::Compare(expected, Some(*exit), None))
                }
                (Part::Store { if_equal: true, .. }, _) => {
                    reader.next -= 1;
                    Some(Between::Compare(expected, None, None))
                }
                _ => None,
            }
        }
        _ => None,
    }
}

fn recognise(lines: &[Line]) -> Option<Loop> {
    let mut reader = Reader { lines, next: 0 };
    let before = reader.fences();
    let label = reader.label();
    let (Part::Load { bytes, acquires }, [word, rest @ ..]) = reader.instruction()? else { return None };
    let address = rest.last()?.clone();
    let moved = reader.moved(word);
    let between = between(&mut reader, word)?;
    let (Part::Store { releases, if_equal, has_status }, arguments) = reader.instruction()? else {
        return None;
    };
    let (status, value, target) = match (has_status, arguments) {
        (true, [status, value, target]) => (Some(status), value, target),
        (false, [value, Argument::Number(0), target]) => (None, value, target),
        _ => return None,
    };
    let behind = reader.next;
    let is_loop = reader.retry(label, status).is_some();
    if !is_loop {
        reader.next = behind;
    }
    if *target != address || (!is_loop && !if_equal) {
        return None;
    }
    let stored = reader.fences();
    let exit = reader.label();
    let after = reader.fences();
    let (operation, difference) = match between {
        Between::Nothing if value != word => (Operation::Exchange(value.clone()), None),
        Between::Compute(op, operand, result) if result == *value => {
            (Operation::Fetch(op, operand, result), None)
        }
        Between::Compare(expected, target, difference) if target == exit && value != word => {
            (Operation::Compare(expected, value.clone(), is_loop), difference)
        }
        _ => return None,
    };
    let is_plain = !matches!(operation, Operation::Compare(..));
    // A number that is moved elsewhere than to the status could be an operand of what follows.
    if moved.as_ref().is_some_and(|(register, _)| Some(register) != status) {
        return None;
    }
    if reader.next != lines.len()
        || (is_plain && exit.is_some())
        || *if_equal != (exit.is_none() && !is_plain)
    {
        return None;
    }
    // The orders of `<stdatomic.h>`, by their numbers.
    let order = match (acquires, releases) {
        (false, false) => 0,
        (true, false) => 2,
        (false, true) => 3,
        (true, true) => 4,
    };
    let (word, bytes, status) = (word.clone(), *bytes, status.cloned());
    Some(Loop { before, stored, after, word, address, bytes, status, moved, difference, order, operation })
}

impl<'a> Sema<'a> {
    /// Executes a template of exclusive accesses and stores the outputs.
    pub(super) fn execute_exclusive(
        &mut self,
        operands: &Operands<'a>,
        template: &str,
        at: At,
        out: &mut Vec<Stmt>,
    ) -> Option<()> {
        let found = recognise(&parse(template)?)?;
        let span = self.span(at);
        let fences = |kinds: &[Option<Barrier>]| -> Vec<Stmt> {
            kinds.iter().map(|kind| Stmt::Fence(*kind, span)).collect()
        };
        out.extend(fences(&found.before));
        if let Some((moved, number)) = &found.moved {
            let (local, ty) = register(operands, moved)?;
            let number = self.int_constant(*number, ty, at);
            out.push(Stmt::Expr(self.assign_variable(local, ty, number, at)?));
        }
        let stored = self.exclusive_operation(operands, &found, at, out)?;
        match stored {
            Some(stored) if !found.stored.is_empty() => {
                let cond = self.variable_value(stored, self.basic.int, at);
                let yes = Box::new(Stmt::Block(fences(&found.stored)));
                out.push(Stmt::If { cond, yes, no: None });
            }
            _ => out.extend(fences(&found.stored)),
        }
        out.extend(fences(&found.after));
        self.write_outputs(operands, at, out)
    }

    /// Makes the operation; gives a variable that says whether something was stored, if that depends.
    fn exclusive_operation(
        &mut self,
        operands: &Operands<'a>,
        found: &Loop,
        at: At,
        out: &mut Vec<Stmt>,
    ) -> Option<Option<LocalId>> {
        let (word, word_ty) = register(operands, &found.word)?;
        let is_word = matches!(found.word, Argument::Given(_, true));
        let width = found.bytes.unwrap_or(if is_word { 4 } else { self.types.size_of(word_ty)? });
        let ty = self.unsigned_type(width)?;
        let order = self.int_constant(found.order, self.basic.int, at);
        match &found.operation {
            Operation::Exchange(value) => {
                let value = self.exclusive_value(operands, value, ty, at)?;
                let pointer = self.exclusive_address(operands, &found.address, ty, at)?;
                let old = self.builtin_call_with("__atomic_exchange_n", ty, vec![pointer, value, order], at);
                out.push(Stmt::Expr(self.assign_variable(word, word_ty, old, at)?));
            }
            Operation::Fetch(op, operand, result) => {
                let operand = self.exclusive_value(operands, operand, ty, at)?;
                let operand = self.set_variable(ty, operand, at, out);
                let value = self.variable_value(operand, ty, at);
                let pointer = self.exclusive_address(operands, &found.address, ty, at)?;
                let name = format!("__atomic_fetch_{op}");
                let old = self.builtin_call_with(&name, ty, vec![pointer, value, order], at);
                let old = self.set_variable(ty, old, at, out);
                let value = self.variable_value(old, ty, at);
                out.push(Stmt::Expr(self.assign_variable(word, word_ty, value, at)?));
                let (result, result_ty) = register(operands, result)?;
                let new = self.combined_value(op, old, operand, ty, at)?;
                out.push(Stmt::Expr(self.assign_variable(result, result_ty, new, at)?));
            }
            Operation::Compare(expected, value, is_loop) => {
                let expected = self.exclusive_value(operands, expected, ty, at)?;
                let value = self.exclusive_value(operands, value, ty, at)?;
                let pointer = self.exclusive_address(operands, &found.address, ty, at)?;
                let compared = [expected, value];
                return self.exclusive_comparison(operands, found, pointer, compared, *is_loop, at, out);
            }
        }
        self.exclusive_status(operands, found, None, at, out)?;
        Some(None)
    }

    #[allow(clippy::too_many_arguments, reason = "what a comparison is made of")]
    fn exclusive_comparison(
        &mut self,
        operands: &Operands<'a>,
        found: &Loop,
        pointer: Expr,
        [expected, value]: [Expr; 2],
        is_loop: bool,
        at: At,
        out: &mut Vec<Stmt>,
    ) -> Option<Option<LocalId>> {
        let (ty, span, int) = (expected.ty, self.span(at), self.basic.int);
        let wanted = self.set_variable(ty, expected, at, out);
        let copy = self.variable_value(wanted, ty, at);
        let seen = self.set_variable(ty, copy, at, out);
        let value = self.set_variable(ty, value, at, out);
        let variable = Expr { ty, span, kind: ExprKind::Var(VarRef::Local(seen)) };
        let pointer_ty = self.pointer_to(ty);
        let place = self.address(variable, pointer_ty);
        let value = self.variable_value(value, ty, at);
        // A failed comparison is no store, and does not release.
        let failure = if matches!(found.order, 2 | 4) { 2 } else { 0 };
        let [weak, success, failure] =
            [i128::from(!is_loop), found.order, failure].map(|n| self.int_constant(n, int, at));
        let args = vec![pointer, place, value, weak, success, failure];
        let stored = self.builtin_call_with("__atomic_compare_exchange_n", self.basic.bool, args, at);
        let stored = self.set_variable(int, stored, at, out);
        let (word, word_ty) = register(operands, &found.word)?;
        let old = self.variable_value(seen, ty, at);
        out.push(Stmt::Expr(self.assign_variable(word, word_ty, old, at)?));
        if let Some(difference) = &found.difference {
            let (local, local_ty) = register(operands, difference)?;
            let (old, expected) = (self.variable_value(seen, ty, at), self.variable_value(wanted, ty, at));
            let differs = self.arithmetic(BinaryOp::BitXor, old, expected, at);
            out.push(Stmt::Expr(self.assign_variable(local, local_ty, differs, at)?));
        }
        let (old, expected) = (self.variable_value(seen, ty, at), self.variable_value(wanted, ty, at));
        let attempted = self.arithmetic(BinaryOp::Eq, old, expected, at);
        let attempted = self.set_variable(int, attempted, at, out);
        self.exclusive_status(operands, found, Some((stored, attempted)), at, out)?;
        Some(Some(stored))
    }

    /// Sets the status register: 0 if the store succeeded, 1 if it failed, and nothing if it was not attempted.
    fn exclusive_status(
        &mut self,
        operands: &Operands<'a>,
        found: &Loop,
        outcome: Option<(LocalId, LocalId)>,
        at: At,
        out: &mut Vec<Stmt>,
    ) -> Option<()> {
        let Some(status) = &found.status else { return Some(()) };
        let (local, ty) = register(operands, status)?;
        let int = self.basic.int;
        let Some((stored, attempted)) = outcome else {
            let zero = self.int_constant(0, int, at);
            out.push(Stmt::Expr(self.assign_variable(local, ty, zero, at)?));
            return Some(());
        };
        let stored = self.variable_value(stored, int, at);
        let zero = self.int_constant(0, int, at);
        let failed = self.arithmetic(BinaryOp::Eq, stored, zero, at);
        let set = Stmt::Expr(self.assign_variable(local, ty, failed, at)?);
        let cond = self.variable_value(attempted, int, at);
        out.push(Stmt::If { cond, yes: Box::new(set), no: None });
        Some(())
    }

    fn exclusive_value(&mut self, operands: &Operands<'a>, value: &Argument, ty: Ty, at: At) -> Option<Expr> {
        match value {
            Argument::Number(number) => Some(self.int_constant(*number, ty, at)),
            Argument::Given(..) => {
                let (local, register) = register(operands, value)?;
                let value = self.variable_value(local, register, at);
                Some(self.convert(value, ty))
            }
            Argument::Target(..) => None,
        }
    }

    /// The address that an operand is, or of the memory that it is.
    fn exclusive_address(
        &mut self,
        operands: &Operands<'a>,
        address: &Argument,
        ty: Ty,
        at: At,
    ) -> Option<Expr> {
        let Argument::Given(reference, _) = address else { return None };
        match operands.get(reference)? {
            OperandLocation::Memory { pointer, .. } => Some(self.pointer_value(pointer, ty, at)),
            OperandLocation::Register { local, ty: word } => {
                if self.types.size_of(word) != Some(self.types.data_model.pointer().bytes()) {
                    return None;
                }
                let address = self.variable_value(local, word, at);
                let pointer = self.pointer_to(ty);
                Some(self.convert(address, pointer))
            }
            OperandLocation::Flag => None,
        }
    }

    fn combined_value(&mut self, op: &str, left: LocalId, right: LocalId, ty: Ty, at: At) -> Option<Expr> {
        let op = match op {
            "add" => BinaryOp::Add,
            "sub" => BinaryOp::Sub,
            "and" => BinaryOp::BitAnd,
            "or" => BinaryOp::BitOr,
            "xor" => BinaryOp::BitXor,
            _ => return None,
        };
        let (left, right) = (self.variable_value(left, ty, at), self.variable_value(right, ty, at));
        let value = self.arithmetic(op, left, right, at);
        Some(self.convert(value, ty))
    }
}

/// The variable that a register is.
fn register(operands: &Operands<'_>, argument: &Argument) -> Option<(LocalId, Ty)> {
    let Argument::Given(reference, _) = argument else { return None };
    match operands.get(reference)? {
        OperandLocation::Register { local, ty } => Some((local, ty)),
        OperandLocation::Memory { .. } | OperandLocation::Flag => None,
    }
}
