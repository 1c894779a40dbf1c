//! What functions that format and scan text access, without what they compute: summaries beside exact models.
//!
//! The models of `snprintf`, `sscanf` and their kind are exact C code, hundreds of locations that all calls share. For an analysis of whole programs that is the wrong
//! text: it cannot tell which argument a format writes to, so that whatever is printed anywhere seems to be written, and where it keeps one fact for
//! each location it takes the buffers of all calls for one. A call knows better: its format is nearly always a literal.
//!
//! So where it matters who accesses what (property `no-data-race`), such a call enters a function of its own that does nothing but call the model.
//! Executions are what they were. But the function has a *summary* ([`program::Function::summary`]): a function that accesses, in one transaction that a
//! loop repeats,
//!
//! | what | how much of it |
//! |---|---|
//! | the string that is written | the size that is passed, if it is a number; the array that is named; else any bytes of the object |
//! | the format, and a string that is scanned | bytes from there on, unless it is a literal |
//! | arguments of `%s` | bytes from there on |
//! | arguments of `%n`, and of conversions that scan | so many bytes |
//! | if the format is no literal, or the arguments are a list | bytes that any of the arguments points to, which are read |
//!
//! What is written depends on everything that is read, and on the converted arguments themselves: an address that is printed and scanned again is still one.
//! As a number it is any, but no input: of inputs it is assumed that they are no addresses.
//!
//! # Direction of error
//! Names too many accesses, never too few, but for what C leaves undefined (text that is too long for the array), and `%n` in a format that is no literal, which
//! the verdict says. Wide formats and strings that are allocated have no summary: there the model is the only one.

use super::format::{Conversion, parse};
use super::function::Builder;
use super::{Lowering, empty_function};
use crate::hir::{self, ExprKind};
use crate::library::row::{Effect, Extent, Factor, Row};
use crate::types::Type;
use base::Span;
use program::{
    Action, BinOp, Callee, Cast, DataModel, Expr, FuncId, Function, Location, Op, Order, Var, VarId, VarKind,
    Width,
};

/// Where an access begins.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Start {
    /// At what a parameter points to.
    Param(usize),
    /// At what the surplus argument at this offset of their block points to.
    Surplus(u64),
    /// At what any surplus argument points to.
    AnySurplus,
    /// At what any argument of a `va_list` points to; the list moves on.
    AnyListed,
}

/// What a call does with memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Use {
    Reads,
    Writes,
    /// Nothing: the address itself is converted, or a number.
    Converts,
}

/// An access.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Access {
    start: Start,
    /// `None`: any number.
    bytes: Option<u64>,
    how: Use,
}

impl Access {
    fn of(start: Start, bytes: Option<u64>, writes: bool) -> Self {
        Self { start, bytes, how: if writes { Use::Writes } else { Use::Reads } }
    }
}

/// All that one call accesses, and the widths of its arguments and its result: a key for functions that can be shared.
pub(super) type AccessKey = (FuncId, Vec<Width>, Option<Width>, Accesses);

/// What a call accesses.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Accesses(Vec<Access>);

impl<'m> Builder<'_, 'm> {
    /// What a call of a model accesses, if it formats or scans text and that can be said.
    pub(super) fn formatting_accesses(
        &mut self,
        name: &str,
        row: &Row<'_>,
        args: &'m [hir::Expr],
    ) -> Option<Accesses> {
        let formats = row.effects.iter().any(|effect| matches!(effect, Effect::Format { wide: false, .. }));
        if !formats || !self.ctx.checks.foreign_accesses {
            return None;
        }
        let mut found = Vec::new();
        for effect in &row.effects {
            match effect {
                Effect::Access { arg, writes, extent: Extent::Bytes(factors), .. } => {
                    let bytes = self.bound(args, *arg, factors);
                    found.push(Access::of(Start::Param(*arg - 1), bytes, *writes));
                }
                Effect::Access { arg, writes: false, extent: Extent::Text { .. }, .. } => {
                    found.extend(self.text_access(args, *arg));
                }
                // The row has no words for it: text of any length is written.
                Effect::Unmodelled { arg: Some(1), .. } if is_unbounded(name) => {
                    let bytes = self.bound(args, 1, &[]);
                    found.push(Access::of(Start::Param(0), bytes, true));
                }
                Effect::Format { arg, scans, .. } => {
                    found.extend(self.format_accesses(name, args, *arg, *scans)?)
                }
                _ => return None,
            }
        }
        Some(Accesses(found))
    }

    /// Whether a format is a literal that has a `%n`.
    fn stores_count(&self, format: &hir::Expr) -> bool {
        let text = self.literal_bytes(format);
        text.is_some_and(|text| parse(&text, false, 1).iter().any(|conversion| conversion.letter == b'n'))
    }

    fn text_access(&self, args: &[hir::Expr], arg: usize) -> Option<Access> {
        let is_literal = args.get(arg - 1).is_some_and(|arg| self.literal_bytes(arg).is_some());
        (!is_literal).then_some(Access::of(Start::Param(arg - 1), None, false))
    }

    /// At most how many bytes are accessed.
    fn bound(&self, args: &[hir::Expr], arg: usize, factors: &[Factor]) -> Option<u64> {
        let value = |factor: &Factor| match factor {
            Factor::Number(n) => Some(*n),
            Factor::Arg(n) => constant(args.get(n - 1)?),
            Factor::Pointee(_) | Factor::Object => None,
        };
        let product = factors.iter().try_fold(1u64, |product, factor| product.checked_mul(value(factor)?));
        // No object is that large: the caller says that there is no bound.
        let said = product.filter(|bytes| !factors.is_empty() && *bytes < 1 << 31);
        let named = args.get(arg - 1).and_then(|arg| self.array_bytes(arg));
        match (said, named) {
            (Some(said), Some(named)) => Some(said.min(named)),
            (said, named) => said.or(named),
        }
    }

    /// The size of the array that decayed to an argument.
    fn array_bytes(&self, arg: &hir::Expr) -> Option<u64> {
        match &arg.kind {
            ExprKind::Convert(inner) => self.array_bytes(inner),
            ExprKind::AddrOf(inner) => match self.ctx.module.types.get(inner.ty) {
                // An array of one or no element at the end of a record may stand for more.
                Type::Array { .. } => self.ctx.module.types.size_of(inner.ty).filter(|size| *size > 1),
                _ => None,
            },
            _ => None,
        }
    }

    fn format_accesses(
        &mut self,
        name: &str,
        args: &'m [hir::Expr],
        arg: usize,
        scans: bool,
    ) -> Option<Vec<Access>> {
        let is_list = super::format::takes_list(name);
        let text = self.literal_bytes(args.get(arg - 1)?);
        if text.as_ref().is_some_and(|text| text.contains(&b'$')) {
            return None;
        }
        let mut found: Vec<Access> = self.text_access(args, arg).into_iter().collect();
        match text.filter(|_| !is_list) {
            None if scans || self.stores_count(args.get(arg - 1)?) => return None,
            None => {
                if !is_list || self.literal_bytes(args.get(arg - 1)?).is_none() {
                    let text = format!("`{name}`, which has a format that is no literal, converts no `%n`");
                    self.ctx.assume(self.span, text);
                }
                let start = if is_list { Start::AnyListed } else { Start::AnySurplus };
                found.push(Access::of(start, None, false));
            }
            Some(text) => {
                let conversions = parse(&text, scans, self.ctx.model.pointer().bytes());
                let mut offset = self.tag_size();
                for (conversion, given) in conversions.iter().zip(args.get(arg..)?) {
                    found.extend(converted(conversion, offset, scans)?);
                    offset += self.slot(given.ty);
                }
            }
        }
        Some(found)
    }
}

/// What a conversion accesses through its argument, which lies at an offset of the block; `None` if that cannot be said.
fn converted(conversion: &Conversion, offset: u64, scans: bool) -> Option<Option<Access>> {
    let start = Start::Surplus(offset);
    let (bytes, writes) = match conversion.letter {
        b'S' | b'C' => return None,
        b'n' => (Some(conversion.bytes), true),
        b's' if !scans => (conversion.limit.filter(|_| !conversion.limit_before), false),
        b's' | b'[' => (conversion.limit.and_then(|limit| limit.checked_add(1)), true),
        b'c' if scans => (Some(conversion.limit.unwrap_or(1)), true),
        _ if scans => (Some(conversion.bytes), true),
        b'*' => return Some(None),
        _ => return Some(Some(Access { start, bytes: None, how: Use::Converts })),
    };
    Some((bytes != Some(0)).then_some(Access::of(start, bytes, writes)))
}

/// Returns true if a function writes as much as is formatted.
fn is_unbounded(name: &str) -> bool {
    let plain = name.trim_start_matches("__builtin_").trim_matches('_').trim_end_matches("_chk");
    matches!(plain.trim_end_matches('_'), "sprintf" | "vsprintf")
}

fn constant(arg: &hir::Expr) -> Option<u64> {
    match &arg.kind {
        ExprKind::Convert(inner) => constant(inner),
        ExprKind::Int(value) => u64::try_from(*value).ok(),
        _ => None,
    }
}

impl Lowering<'_> {
    /// A function that does what `model` does and has a summary that says what it accesses.
    pub(super) fn summarised(
        &mut self,
        model: FuncId,
        widths: Vec<Width>,
        ret: Option<Width>,
        accesses: Accesses,
        span: Span,
    ) -> FuncId {
        let key: AccessKey = (model, widths, ret, accesses);
        if let Some(known) = self.summarised.get(&key) {
            return *known;
        }
        let n = self.summarised.len();
        let name = self.functions[model].name.clone();
        let (summary, params) = self.header(format!("{name}.accesses{n}"), &key, span);
        let summary = self.functions.push(body(summary, &params, &key.3.0, self.model.pointer(), span));
        let (mut calling, params) = self.header(format!("{name}.{n}"), &key, span);
        let args = params.iter().zip(&key.1).map(|(param, width)| Expr::Reg(*param, *width)).collect();
        let result = ret.map(|width| (temporary(&mut calling, "result", width), width));
        let next = calling.locations.push(Location {
            action: Action::Return(result.map(|(var, width)| Expr::Reg(var, width))),
            span,
        });
        let action =
            Action::Call { callee: Callee::Direct(model), args, ret: result.map(|(var, _)| var), next };
        calling.locations[calling.entry].action = action;
        calling.summary = Some(summary);
        let func = self.functions.push(calling);
        self.summarised.insert(key, func);
        func
    }

    fn header(&self, name: String, (_, widths, ret, _): &AccessKey, span: Span) -> (Function, Vec<VarId>) {
        let mut function = empty_function(name, span);
        for (n, width) in widths.iter().enumerate() {
            let param = temporary(&mut function, &format!("arg.{n}"), *width);
            function.params.push(param);
        }
        function.ret = *ret;
        function.library = true;
        let params = function.params.clone();
        (function, params)
    }
}

fn temporary(function: &mut Function, name: &str, width: Width) -> VarId {
    let n = function.vars.len();
    let name = format!("{name}.{n}");
    function.vars.push(Var { name, kind: VarKind::Register(width), temporary: true })
}

/// The body of a summary. An index counts in a loop, so that it is a number and no input that could be an address.
fn body(mut function: Function, params: &[VarId], accesses: &[Access], word: Width, span: Span) -> Function {
    let mut summary = Summary {
        list: params.last().map_or(Expr::constant(0, word), |list| Expr::Reg(*list, word)),
        params,
        word,
        index: temporary(&mut function, "index", word),
        value: temporary(&mut function, "value", word),
        again: temporary(&mut function, "again", Width::BOOL),
        ops: Vec::new(),
    };
    for how in [Use::Converts, Use::Reads, Use::Writes] {
        for access in accesses.iter().filter(|access| access.how == how) {
            summary.access(&mut function, access);
        }
    }
    summary.finish(function, span)
}

/// A summary that is being made: `index = 0; value = 0; do { ops; index++; } while (any); return any;`
struct Summary<'a> {
    params: &'a [VarId],
    /// The block of surplus arguments.
    list: Expr,
    word: Width,
    index: VarId,
    /// All that was read and converted, in one number.
    value: VarId,
    again: VarId,
    ops: Vec<Op>,
}

impl Summary<'_> {
    fn reg(&self, var: VarId) -> Expr {
        Expr::Reg(var, self.word)
    }
    fn plus(base: Expr, by: Expr) -> Expr {
        Expr::binary(BinOp::Add, base, by)
    }

    fn access(&mut self, function: &mut Function, access: &Access) {
        let start = self.start(function, &access.start);
        match (access.how, access.bytes) {
            (Use::Converts, _) => self.note(start),
            (Use::Reads, _) => {
                let addr = Box::new(Self::plus(start.clone(), self.reg(self.index)));
                let var = temporary(function, "byte", Width::BYTE);
                let value = Expr::Load { addr, width: Width::BYTE, order: Order::Plain };
                self.ops.push(Op::Set { var, value });
                self.note(Expr::cast(Cast::Zext, self.word, Expr::Reg(var, Width::BYTE)));
                // Of an argument of which it is not known how it is converted, the address may be printed.
                if matches!(access.start, Start::AnySurplus | Start::AnyListed) {
                    self.note(start);
                }
            }
            (Use::Writes, Some(bytes @ (1 | 2 | 4 | 8))) if bytes <= self.word.bytes() => {
                let value = Expr::cast(Cast::Trunc, Width::of_bytes(bytes), self.reg(self.value));
                self.ops.push(Op::Store { addr: start, value, order: Order::Plain });
            }
            (Use::Writes, Some(bytes)) => {
                let len = Expr::constant(bytes.into(), self.word);
                self.ops.push(Op::Fill { dst: start, byte: self.byte(), len });
            }
            (Use::Writes, None) => {
                let addr = Self::plus(start, self.reg(self.index));
                self.ops.push(Op::Store { addr, value: self.byte(), order: Order::Plain });
            }
        }
    }

    fn byte(&self) -> Expr {
        Expr::cast(Cast::Trunc, Width::BYTE, self.reg(self.value))
    }

    /// What is written afterwards depends on this.
    fn note(&mut self, read: Expr) {
        let value = Self::plus(self.reg(self.value), read);
        self.ops.push(Op::Set { var: self.value, value });
    }

    fn start(&mut self, function: &mut Function, start: &Start) -> Expr {
        let at = match start {
            Start::Param(n) => {
                return self.params.get(*n).map_or(Expr::constant(0, self.word), |param| self.reg(*param));
            }
            Start::Surplus(offset) => Expr::constant((*offset).into(), self.word),
            Start::AnySurplus | Start::AnyListed => {
                let bytes = Expr::constant(self.word.bytes().into(), self.word);
                Expr::binary(BinOp::Mul, self.reg(self.index), bytes)
            }
        };
        let list = if *start == Start::AnyListed { self.listed(function, &at) } else { self.list.clone() };
        let pointer = temporary(function, "pointer", self.word);
        let addr = Box::new(Self::plus(list, at));
        let value = Expr::Load { addr, width: self.word, order: Order::Plain };
        self.ops.push(Op::Set { var: pointer, value });
        self.reg(pointer)
    }

    /// The arguments of a `va_list`, which is moved on by `at`: on i386 it is their address, on x86-64 it holds that (`TypeTable::argument_list`).
    fn listed(&mut self, function: &mut Function, at: &Expr) -> Expr {
        if self.word == DataModel::Ilp32.pointer() {
            return self.list.clone();
        }
        let arguments = temporary(function, "arguments", self.word);
        let value = Expr::Load { addr: Box::new(self.list.clone()), width: self.word, order: Order::Plain };
        self.ops.push(Op::Set { var: arguments, value });
        let moved = Self::plus(self.reg(arguments), at.clone());
        self.ops.push(Op::Store { addr: self.list.clone(), value: moved, order: Order::Plain });
        self.reg(arguments)
    }

    /// A value plus or minus the index: any number.
    fn any(&self, value: Expr) -> Expr {
        let index = self.reg(self.index);
        let less = Expr::binary(BinOp::Sub, value.clone(), index.clone());
        Expr::ite(Expr::Reg(self.again, Width::BOOL), Self::plus(value, index), less)
    }

    fn finish(self, mut function: Function, span: Span) -> Function {
        let zero = || Expr::constant(0, self.word);
        let mut ops = vec![Op::Havoc { var: self.again }];
        ops.push(Op::Set { var: self.value, value: self.any(self.reg(self.value)) });
        ops.extend(self.ops.iter().cloned());
        let next = Self::plus(self.reg(self.index), Expr::constant(1, self.word));
        ops.push(Op::Set { var: self.index, value: next });
        ops.push(Op::Havoc { var: self.again });
        let result = function.ret.map(|width| {
            let width = width.min(self.word);
            Expr::cast(Cast::Trunc, width, self.any(zero()))
        });
        let entry = function.entry;
        let mut add = |action: Action| function.locations.push(Location { action, span });
        let done = add(Action::Return(result));
        let decide = add(Action::Return(None));
        let access = add(Action::Ops { ops, next: decide, sync: None });
        let cond = Expr::Reg(self.again, Width::BOOL);
        function.locations[decide].action = Action::Branch { cond, yes: access, no: done };
        let start = [self.index, self.value].map(|var| Op::Set { var, value: zero() });
        function.locations[entry].action = Action::Ops { ops: start.to_vec(), next: access, sync: None };
        function
    }
}
