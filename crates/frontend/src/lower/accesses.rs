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
    Action, BinOp, Callee, Expr, FuncId, Function, Location, Op, Order, Var, VarId, VarKind, Width,
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
}

/// An access.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Access {
    start: Start,
    /// `None`: any number.
    bytes: Option<u64>,
    writes: bool,
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
                    found.push(Access { start: Start::Param(*arg - 1), bytes, writes: *writes });
                }
                Effect::Access { arg, writes: false, extent: Extent::Text { .. }, .. } => {
                    found.extend(self.text_access(args, *arg));
                }
                // The row has no words for it: text of any length is written.
                Effect::Unmodelled { arg: Some(1), .. } if is_unbounded(name) => {
                    let bytes = self.bound(args, 1, &[]);
                    found.push(Access { start: Start::Param(0), bytes, writes: true });
                }
                Effect::Format { arg, scans, .. } => {
                    found.extend(self.format_accesses(name, args, *arg, *scans)?)
                }
                _ => return None,
            }
        }
        Some(Accesses(found))
    }

    fn text_access(&self, args: &[hir::Expr], arg: usize) -> Option<Access> {
        let is_literal = args.get(arg - 1).is_some_and(|arg| self.literal_bytes(arg).is_some());
        (!is_literal).then_some(Access { start: Start::Param(arg - 1), bytes: None, writes: false })
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
            None if scans => return None,
            None => {
                if !is_list || self.literal_bytes(args.get(arg - 1)?).is_none() {
                    let text = format!("`{name}`, which has a format that is no literal, converts no `%n`");
                    self.ctx.assume(self.span, text);
                }
                found.push(Access { start: Start::AnySurplus, bytes: None, writes: false });
            }
            Some(text) => {
                let conversions = parse(&text, scans, self.ctx.model.pointer().bytes());
                let mut offset = 0;
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
        _ => return Some(None),
    };
    Some((bytes != Some(0)).then_some(Access { start, bytes, writes }))
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
    let reg = |var: VarId| Expr::Reg(var, word);
    let index = temporary(&mut function, "index", word);
    let again = temporary(&mut function, "again", Width::BOOL);
    let plus = |base: Expr, by: Expr| Expr::binary(BinOp::Add, base, by);
    let list = || params.last().map_or(Expr::constant(0, word), |list| reg(*list));
    let mut ops = Vec::new();
    for access in accesses {
        let start = match access.start {
            Start::Param(n) => params.get(n).map_or(Expr::constant(0, word), |param| reg(*param)),
            Start::Surplus(_) | Start::AnySurplus => {
                let at = match access.start {
                    Start::Surplus(offset) => Expr::constant(offset.into(), word),
                    _ => Expr::binary(BinOp::Mul, reg(index), Expr::constant(word.bytes().into(), word)),
                };
                let pointer = temporary(&mut function, "pointer", word);
                let value = Expr::Load { addr: Box::new(plus(list(), at)), width: word, order: Order::Plain };
                ops.push(Op::Set { var: pointer, value });
                reg(pointer)
            }
        };
        match (access.writes, access.bytes) {
            (true, Some(bytes)) => ops.push(Op::Fill {
                dst: start,
                byte: Expr::constant(0, Width::BYTE),
                len: Expr::constant(bytes.into(), word),
            }),
            (true, None) => ops.push(Op::Store {
                addr: plus(start, reg(index)),
                value: Expr::constant(0, Width::BYTE),
                order: Order::Plain,
            }),
            (false, _) => {
                let addr = Box::new(plus(start, reg(index)));
                let var = temporary(&mut function, "byte", Width::BYTE);
                ops.push(Op::Set {
                    var,
                    value: Expr::Load { addr, width: Width::BYTE, order: Order::Plain },
                });
            }
        }
    }
    finish(function, ops, (index, again), word, span)
}

/// `index = 0; do { ops; index++; } while (any); return any;`
fn finish(
    mut function: Function,
    mut ops: Vec<Op>,
    (index, again): (VarId, VarId),
    word: Width,
    span: Span,
) -> Function {
    let one = Expr::constant(1, word);
    ops.push(Op::Set { var: index, value: Expr::binary(BinOp::Add, Expr::Reg(index, word), one) });
    ops.push(Op::Havoc { var: again });
    let result = function.ret.map(|width| (temporary(&mut function, "result", width), width));
    ops.extend(result.map(|(var, _)| Op::Havoc { var }));
    let entry = function.entry;
    let mut add = |action: Action| function.locations.push(Location { action, span });
    let done = add(Action::Return(result.map(|(var, width)| Expr::Reg(var, width))));
    let decide = add(Action::Return(None));
    let access = add(Action::Ops { ops, next: decide, sync: None });
    let cond = Expr::Reg(again, Width::BOOL);
    function.locations[decide].action = Action::Branch { cond, yes: access, no: done };
    let start = Op::Set { var: index, value: Expr::constant(0, word) };
    function.locations[entry].action = Action::Ops { ops: vec![start], next: access, sync: None };
    function
}
