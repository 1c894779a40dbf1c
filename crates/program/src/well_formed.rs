//! Well-formedness: the rules that lowering keeps and that all later stages rely on.
//!
//! [`Rule`] is the list. [`check`] calls no function that needs the rules to hold.
//! Not asked for, because the semantics gives it a meaning: that locations are reachable, that the number and widths of
//! a call's arguments match, that a function with a result always returns one, that memory is accessed in bounds.

use crate::text::print_action;
use crate::{
    Action, Callee, Cast, Expr, FuncId, Function, LocId, Object, Op, Program, RelocTarget, UnOp, VarId,
    VarKind, Width,
};
use base::Span;
use rustc_hash::FxHashSet;
use std::fmt;

/// Expressions may be at most this many operators deep, so that recursion over them fits a thread's stack of 2 MiB.
pub const MAX_HEIGHT: usize = 2_000;

/// What holds of well-formed programs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Rule {
    /// The program's entry is one of its functions, a function's entry one of its locations.
    EntryExists,
    /// No two objects, no two functions, and no two variables of a function have the same name.
    UniqueNames,
    /// The file of a span that is somewhere is one of the program's files.
    SpanFile,
    /// Widths are from 1 to 128 bits.
    WidthRange,
    /// Alignments are powers of two.
    Alignment,
    /// An object has no more initial bytes than its size, and none at all if its bytes are arbitrary.
    InitialBytes,
    /// Pointers in initialisers lie inside the object, do not overlap and have a target.
    Pointers,
    /// Parameters are distinct registers of the function.
    Parameters,
    /// Every successor is a location of the function.
    Successors,
    /// Ids in expressions, operations and calls are those of existing variables, objects and functions.
    Ids,
    /// What is read or set as a register is one, of the width stated; what has an address is a memory variable.
    VariableKind,
    /// Constants have no bits above their width.
    ConstantBits,
    /// Addresses and the running thread's handle are as wide as pointers.
    PointerWidth,
    /// Loads and stores have whole bytes.
    WholeBytes,
    /// Both operands of an operator and both sides of a choice have the same width.
    SameWidth,
    /// Conditions have one bit.
    Condition,
    /// Casts widen or narrow as they say.
    CastWidth,
    /// Floating-point numbers have the width of a format ([`crate::float`]).
    FloatWidth,
    /// A value is as wide as the place that it goes to: the register, the error number, the result, the filling byte.
    ValueWidth,
    /// Expressions are at most [`MAX_HEIGHT`] operators deep.
    Height,
}

/// A rule that is broken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Flaw {
    /// The rule.
    pub rule: Rule,
    /// The function in which it is broken, if it is one.
    pub function: Option<FuncId>,
    /// The location at which it is broken, if it is one.
    pub location: Option<LocId>,
    /// How it is broken.
    pub message: String,
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.rule, self.message)
    }
}

/// Checks all rules, and returns what is broken.
pub fn check(program: &Program) -> Result<(), Vec<Flaw>> {
    let mut checker = Checker { program, func: None, loc: None, flaws: Vec::new() };
    checker.program();
    if checker.flaws.is_empty() { Ok(()) } else { Err(checker.flaws) }
}

/// Where the check is, and what it has found.
struct Checker<'p> {
    program: &'p Program,
    func: Option<(FuncId, &'p Function)>,
    loc: Option<LocId>,
    flaws: Vec<Flaw>,
}

impl<'p> Checker<'p> {
    /// Notes a flaw unless `holds`.
    fn require(&mut self, rule: Rule, holds: bool, message: impl FnOnce() -> String) {
        if holds {
            return;
        }
        let mut text = String::new();
        if let Some((func, function)) = self.func {
            text += &format!("in {}", function.name);
            if let Some(loc) = self.loc {
                text += &format!(" at {loc}");
            }
            let location = self.loc.and_then(|loc| function.locations.get(loc));
            if let Some(location) = location.filter(|_| rule != Rule::Height) {
                text += &format!(" ({})", print_action(self.program, func, &location.action));
            }
            text += ": ";
        }
        text += &message();
        let function = self.func.map(|(func, _)| func);
        self.flaws.push(Flaw { rule, function, location: self.loc, message: text });
    }

    fn program(&mut self) {
        let program = self.program;
        let entry = program.functions.get(program.entry).is_some();
        self.require(Rule::EntryExists, entry, || format!("there is no function {}", program.entry));
        self.unique("objects", program.objects.iter().map(|o| o.name.as_str()));
        self.unique("functions", program.functions.iter().map(|f| f.name.as_str()));
        for assumption in &program.assumptions {
            self.span(assumption.span);
        }
        for object in program.objects.iter() {
            self.object(object);
        }
        for (func, function) in program.functions.iter_enumerated() {
            self.func = Some((func, function));
            self.function(function);
            self.func = None;
        }
    }

    fn unique<'n>(&mut self, what: &str, names: impl Iterator<Item = &'n str>) {
        let mut seen = FxHashSet::default();
        for name in names {
            self.require(Rule::UniqueNames, seen.insert(name), || format!("there are two {what} {name:?}"));
        }
    }

    fn span(&mut self, span: Span) {
        let known = !span.is_somewhere() || self.program.files.get(span.file).is_some();
        self.require(Rule::SpanFile, known, || format!("there is no {}", span.file));
    }

    fn width(&mut self, width: Width) {
        self.require(Rule::WidthRange, (1..=128).contains(&width.0), || {
            format!("there is no width of {width} bits")
        });
    }

    fn align(&mut self, align: u64, name: &str) {
        self.require(Rule::Alignment, align.is_power_of_two(), || format!("{name} is aligned to {align}"));
    }

    fn object(&mut self, object: &Object) {
        let name = &object.name;
        self.span(object.span);
        self.align(object.align, name);
        let allowed = if object.arbitrary { 0 } else { object.size };
        let n_bytes = object.bytes.len() as u64;
        self.require(Rule::InitialBytes, n_bytes <= allowed, || {
            format!("{name} has {n_bytes} initial bytes where {allowed} are allowed")
        });
        let width = self.program.data_model.pointer().bytes();
        let mut offsets: Vec<u64> = object.relocs.iter().map(|r| r.offset).collect();
        offsets.sort_unstable();
        let inside = offsets.iter().all(|offset| offset.checked_add(width).is_some_and(|end| end <= allowed));
        self.require(Rule::Pointers, inside, || format!("a pointer lies outside of {name}"));
        let apart = offsets.windows(2).all(|pair| pair[1] - pair[0] >= width);
        self.require(Rule::Pointers, apart, || format!("pointers overlap in {name}"));
        for reloc in &object.relocs {
            let exists = match reloc.target {
                RelocTarget::Object(target) => self.program.objects.get(target).is_some(),
                RelocTarget::Func(target) => self.program.functions.get(target).is_some(),
            };
            self.require(Rule::Pointers, exists, || format!("a pointer in {name} has no target"));
        }
    }

    fn function(&mut self, function: &'p Function) {
        self.span(function.span);
        let entry = function.locations.get(function.entry).is_some();
        self.require(Rule::EntryExists, entry, || format!("there is no location {}", function.entry));
        if let Some(width) = function.ret {
            self.width(width);
        }
        if let Some(summary) = function.summary {
            let exists = self.program.functions.get(summary).is_some();
            self.require(Rule::Ids, exists, || format!("there is no function {summary}"));
        }
        self.unique("variables", function.vars.iter().map(|v| v.name.as_str()));
        for var in function.vars.iter() {
            match var.kind {
                VarKind::Register(width) => self.width(width),
                VarKind::Memory { align, .. } => self.align(align, &var.name),
            }
        }
        let mut seen = FxHashSet::default();
        for &param in &function.params {
            let register = matches!(function.vars.get(param).map(|v| v.kind), Some(VarKind::Register(_)));
            self.require(Rule::Parameters, register, || format!("parameter {param} is no register"));
            self.require(Rule::Parameters, seen.insert(param), || format!("{param} is a parameter twice"));
        }
        for (loc, location) in function.locations.iter_enumerated() {
            self.loc = Some(loc);
            self.span(location.span);
            for next in location.action.successors() {
                let exists = function.locations.get(next).is_some();
                self.require(Rule::Successors, exists, || format!("there is no location {next}"));
            }
            self.action(function, &location.action);
        }
        self.loc = None;
    }

    fn action(&mut self, function: &Function, action: &Action) {
        match action {
            Action::Ops { ops, sync, .. } => {
                for op in ops {
                    self.op(op);
                }
                if let Some(sync) = sync {
                    self.pointer(&sync.object);
                }
            }
            Action::Branch { cond, .. } => self.condition(cond),
            Action::Call { callee, args, ret, .. } => self.call(callee, args, *ret),
            Action::Return(Some(value)) => {
                self.expr(value);
                let agrees = function.ret == Some(value.width());
                self.require(Rule::ValueWidth, agrees, || {
                    format!("a result of {} bits is returned", value.width())
                });
            }
            Action::ThreadExit(value) => self.value(value, self.program.data_model.pointer()),
            Action::Return(None) | Action::Exit | Action::Error { .. } => {}
            Action::Unsupported(_) | Action::Undefined(_) => {}
        }
    }

    fn call(&mut self, callee: &Callee, args: &[Expr], ret: Option<VarId>) {
        for arg in args {
            self.expr(arg);
        }
        let mut result = None;
        match callee {
            Callee::Direct(func) => {
                let target = self.program.functions.get(*func);
                self.require(Rule::Ids, target.is_some(), || format!("there is no function {func}"));
                result = target.and_then(|f| f.ret);
            }
            Callee::Indirect(address) => self.pointer(address),
        }
        if let Some(width) = ret.and_then(|ret| self.register(ret)) {
            let agrees = result.is_none_or(|result| result == width);
            self.require(Rule::ValueWidth, agrees, || format!("a result goes to a register of {width} bits"));
        }
    }

    fn op(&mut self, op: &Op) {
        let pointer = self.program.data_model.pointer();
        match op {
            Op::Set { var, value } => {
                self.expr(value);
                if let Some(width) = self.register(*var) {
                    self.same_width(value, width);
                }
            }
            Op::Store { addr, value, .. } => {
                self.pointer(addr);
                self.expr(value);
                self.whole_bytes(value.width());
            }
            Op::Havoc { var } => _ = self.register(*var),
            Op::Forget { var, alive: true } => _ = self.variable(*var),
            Op::Forget { var, alive: false } => self.memory_variable(*var),
            Op::Guard(cond) | Op::Assume(cond) => self.condition(cond),
            Op::Copy { dst, src, len } => [dst, src, len].into_iter().for_each(|e| self.pointer(e)),
            Op::Fill { dst, byte, len } => {
                self.pointer(dst);
                self.value(byte, Width::BYTE);
                self.pointer(len);
            }
            Op::Alloc { var, size, .. } => {
                self.register_of(*var, pointer);
                self.pointer(size);
            }
            Op::Realloc { var, ptr, size, stays } => {
                self.register_of(*var, pointer);
                self.pointer(ptr);
                self.pointer(size);
                self.value(stays, Width::BOOL);
            }
            Op::Create { handle, func, arg } => {
                self.register_of(*handle, pointer);
                self.pointer(func);
                self.pointer(arg);
            }
            Op::Join { handle, result, error } => {
                self.pointer(handle);
                self.register_of(*result, pointer);
                self.register_of(*error, Width::INT);
            }
            Op::Detach { handle, error } => {
                self.pointer(handle);
                self.register_of(*error, Width::INT);
            }
            Op::Free(e) | Op::WaitBegin(e) | Op::Signal { cond: e, .. } => self.pointer(e),
            Op::Signed { left, right, span, .. } => {
                self.expr(left);
                self.value(right, left.width());
                self.span(*span);
            }
            Op::WaitEnd { woken: Some(woken), .. } => self.register_of(*woken, Width::BOOL),
            Op::AtomicBegin | Op::AtomicEnd | Op::Fence(_) | Op::WaitEnd { woken: None, .. } => {}
        }
    }

    /// The kind of a variable, which should exist.
    fn variable(&mut self, var: VarId) -> Option<VarKind> {
        let kind = self.func.and_then(|(_, function)| function.vars.get(var)).map(|v| v.kind);
        self.require(Rule::Ids, kind.is_some(), || format!("there is no variable {var}"));
        kind
    }

    /// A variable that should be in memory.
    fn memory_variable(&mut self, var: VarId) {
        let kind = self.variable(var);
        let in_memory = !matches!(kind, Some(VarKind::Register(_)));
        self.require(Rule::VariableKind, in_memory, || format!("{var} is no memory variable"));
    }

    /// The width of a variable, which should be a register.
    fn register(&mut self, var: VarId) -> Option<Width> {
        let kind = self.variable(var)?;
        let width = if let VarKind::Register(width) = kind { Some(width) } else { None };
        self.require(Rule::VariableKind, width.is_some(), || format!("{var} is no register"));
        width
    }

    fn register_of(&mut self, var: VarId, width: Width) {
        let found = self.register(var);
        self.require(Rule::ValueWidth, found.is_none_or(|w| w == width), || {
            format!("register {var} receives a value of {width} bits")
        });
    }

    fn same_width(&mut self, value: &Expr, width: Width) {
        self.require(Rule::ValueWidth, value.width() == width, || {
            format!("a value of {} bits stands where {width} are asked for", value.width())
        });
    }

    /// A value of `width`.
    fn value(&mut self, value: &Expr, width: Width) {
        self.expr(value);
        self.same_width(value, width);
    }

    /// A value that is as wide as a pointer.
    fn pointer(&mut self, value: &Expr) {
        self.expr(value);
        self.pointer_width(value.width());
    }

    fn pointer_width(&mut self, width: Width) {
        let agrees = width == self.program.data_model.pointer();
        self.require(Rule::PointerWidth, agrees, || format!("a pointer (or length) has {width} bits"));
    }

    fn condition(&mut self, cond: &Expr) {
        self.expr(cond);
        self.one_bit(cond.width());
    }

    fn one_bit(&mut self, width: Width) {
        self.require(Rule::Condition, width == Width::BOOL, || format!("a condition has {width} bits"));
    }

    fn whole_bytes(&mut self, width: Width) {
        let whole = width.bits().is_multiple_of(8);
        self.require(Rule::WholeBytes, whole, || format!("{width} bits are read or written"));
    }

    /// Checks an expression, part by part and without recursion.
    fn expr(&mut self, expr: &Expr) {
        let mut stack = vec![(expr, 1)];
        while let Some((part, depth)) = stack.pop() {
            if depth > MAX_HEIGHT {
                self.require(Rule::Height, false, || {
                    format!("an expression is over {MAX_HEIGHT} operators deep")
                });
                return;
            }
            self.part(part);
            stack.extend(part.children().map(|child| (child, depth + 1)));
        }
    }

    /// Checks what an expression demands of its direct parts.
    fn part(&mut self, expr: &Expr) {
        match expr {
            Expr::Const(value, width) => {
                self.width(*width);
                let fits = width.truncate(*value) == *value;
                self.require(Rule::ConstantBits, fits, || format!("{value:#x} has more than {width} bits"));
            }
            Expr::Reg(var, width) => {
                let agrees = self.register(*var).is_none_or(|w| w == *width);
                self.require(Rule::VariableKind, agrees, || format!("{var} is not {width} bits wide"));
            }
            Expr::LocalAddr(var, width) => {
                self.pointer_width(*width);
                let kind = self.variable(*var);
                let memory = matches!(kind, None | Some(VarKind::Memory { .. }));
                self.require(Rule::VariableKind, memory, || {
                    format!("{var} is a register and has no address")
                });
            }
            Expr::ObjectAddr(object, width) => {
                self.pointer_width(*width);
                let exists = self.program.objects.get(*object).is_some();
                self.require(Rule::Ids, exists, || format!("there is no object {object}"));
            }
            Expr::FuncAddr(func, width) => {
                self.pointer_width(*width);
                let exists = self.program.functions.get(*func).is_some();
                self.require(Rule::Ids, exists, || format!("there is no function {func}"));
            }
            Expr::SelfHandle(width) => self.pointer_width(*width),
            Expr::Load { addr, width, .. } => {
                self.width(*width);
                self.whole_bytes(*width);
                self.pointer_width(addr.width());
            }
            Expr::Unary(UnOp::FNeg, operand) => self.float(operand.width()),
            Expr::Unary(UnOp::Not | UnOp::Neg, _) => {}
            Expr::Binary(op, left, right) => {
                self.equal_widths(left, right);
                if op.is_float() {
                    self.float(left.width());
                }
            }
            Expr::Cast(kind, width, operand) => self.cast(*kind, *width, operand.width()),
            Expr::Ite(cond, yes, no) => {
                self.one_bit(cond.width());
                self.equal_widths(yes, no);
            }
            Expr::SameObject(left, right) => {
                self.pointer_width(left.width());
                self.pointer_width(right.width());
            }
        }
    }

    fn equal_widths(&mut self, left: &Expr, right: &Expr) {
        let (l, r) = (left.width(), right.width());
        self.require(Rule::SameWidth, l == r, || format!("values of {l} and {r} bits are combined"));
    }

    fn float(&mut self, width: Width) {
        self.require(Rule::FloatWidth, crate::float::is_format(width), || {
            format!("a floating-point number has {width} bits")
        });
    }

    fn cast(&mut self, kind: Cast, to: Width, from: Width) {
        self.width(to);
        let fits = match kind {
            Cast::Zext | Cast::Sext => to >= from,
            Cast::Trunc => to <= from,
            Cast::SToF | Cast::UToF | Cast::FToS | Cast::FToU | Cast::FToF => true,
        };
        self.require(Rule::CastWidth, fits, || format!("{kind:?} goes from {from} to {to} bits"));
        if matches!(kind, Cast::SToF | Cast::UToF | Cast::FToF) {
            self.float(to);
        }
        if matches!(kind, Cast::FToS | Cast::FToU | Cast::FToF) {
            self.float(from);
        }
    }
}
