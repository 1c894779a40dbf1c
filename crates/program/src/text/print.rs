//! Programs, functions and actions as text.

use super::default_align;
use super::names::{quote_bytes, quote_name, quote_string};
use super::print_expr::{Scope, order_mark};
use crate::{
    Action, Callee, Expr, FuncId, Function, LocId, Object, Op, Program, Reloc, RelocTarget, Storage,
    Undefined, UndefinedKind, Var, VarId, VarKind, Width,
};
use base::convert::index;
use base::{Idx, Span};
use std::fmt::Write;

/// The lines of variable declarations and the columns of spans are wrapped and aligned about here.
const LINE: usize = 90;

/// `program` in textual form.
pub fn print(program: &Program) -> String {
    let mut out = String::from("program ");
    out.push_str(match program.data_model {
        crate::DataModel::Ilp32 => "ilp32\n",
        crate::DataModel::Lp64 => "lp64\n",
    });
    if program.strict_decisions {
        line(&mut out, format_args!("strict_decisions"));
    }
    if program.memory_model.is_weak() {
        line(&mut out, format_args!("memory_model {}", program.memory_model));
    }
    let scope = Scope { program, function: None };
    if program.functions.get(program.entry).is_none_or(|f| f.name != "main") {
        line(&mut out, format_args!("entry {}", scope.func(program.entry)));
    }
    for file in program.files.iter() {
        line(&mut out, format_args!("file {}", quote_string(file)));
    }
    for assumption in &program.assumptions {
        line(&mut out, format_args!("assumption {}{}", quote_string(&assumption.text), at(assumption.span)));
    }
    for object in program.objects.iter() {
        line(&mut out, format_args!("{}", print_object(program, object)));
    }
    for func in program.functions.ids() {
        out.push('\n');
        print_function(&mut out, program, func);
    }
    out
}

/// `action`, an action of function `func`, in textual form.
pub fn print_action(program: &Program, func: FuncId, action: &Action) -> String {
    let mut out = String::new();
    Scope { program, function: program.functions.get(func) }.action(&mut out, action);
    out
}

/// `op`, an operation of function `func`, in textual form.
pub fn print_op(program: &Program, func: FuncId, op: &Op) -> String {
    let mut out = String::new();
    Scope { program, function: program.functions.get(func) }.op(&mut out, op);
    out
}

fn line(out: &mut String, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text).expect("a String should accept all writes");
    out.push('\n');
}

fn at(span: Span) -> String {
    if span == Span::NOWHERE {
        return String::new();
    }
    format!(" @{}:{}:{}", span.file.index(), span.line, span.col)
}

fn align_of(size: u64, align: u64) -> String {
    if align == default_align(size) { String::new() } else { format!(" align {align}") }
}

fn print_object(program: &Program, object: &Object) -> String {
    let mut out = String::from("object ");
    for (flag, word) in [
        (object.thread_local, "thread_local "),
        (object.read_only, "read_only "),
        (object.arbitrary, "arbitrary "),
    ] {
        out.push_str(if flag { word } else { "" });
    }
    out += &format!("{}: {}{}", quote_name(&object.name), object.size, align_of(object.size, object.align));
    if !object.bytes.is_empty() {
        out += &format!(" = {}", initialiser(object));
    }
    if !object.relocs.is_empty() {
        let pointers: Vec<String> = object.relocs.iter().map(|r| pointer(program, r)).collect();
        out += &format!(" pointers {{{}}}", pointers.join(", "));
    }
    out += &at(object.span);
    out
}

/// The initial bytes: as a string if they look like one, else as a number or as words, depending on the alignment.
fn initialiser(object: &Object) -> String {
    let bytes = &object.bytes;
    let little_endian =
        |chunk: &[u8]| chunk.iter().rev().fold(0u128, |value, &b| (value << 8) | u128::from(b));
    let signed = |chunk: &[u8]| Width::of_bytes(chunk.len() as u64).signed(little_endian(chunk)).to_string();
    if object.align == 1 && bytes.len() > 1 && is_text(bytes) {
        return quote_bytes(bytes);
    }
    if bytes.len() as u64 == object.size && matches!(bytes.len(), 1 | 2 | 4 | 8) {
        return signed(bytes);
    }
    let word = index(object.align.min(8));
    let word = if word.is_power_of_two() && bytes.len().is_multiple_of(word) { word } else { 1 };
    let words: Vec<String> = bytes.chunks(word).map(signed).collect();
    format!("{{{}}}:{}", words.join(", "), word * 8)
}

/// Returns true if `bytes` are printable characters, then zeros.
fn is_text(bytes: &[u8]) -> bool {
    let end = bytes.iter().rposition(|&b| b != 0).map_or(0, |last| last + 1);
    end > 0 && bytes[..end].iter().all(|b| matches!(b, 9 | 10 | 32..=126))
}

fn pointer(program: &Program, reloc: &Reloc) -> String {
    let scope = Scope { program, function: None };
    let width = program.data_model.pointer();
    let target = match reloc.target {
        RelocTarget::Object(object) => Expr::ObjectAddr(object, width),
        RelocTarget::Func(func) => Expr::FuncAddr(func, width),
    };
    let mut out = format!("{}: ", reloc.offset);
    scope.expr(&mut out, &target, None);
    match reloc.addend {
        0 => {}
        n if n < 0 => out += &format!(" - {}", n.unsigned_abs()),
        n => out += &format!(" + {n}"),
    }
    out
}

fn print_function(out: &mut String, program: &Program, func: FuncId) {
    let function = &program.functions[func];
    let scope = Scope { program, function: Some(function) };
    let inline = parameters_come_first(function);
    let params: Vec<String> = function.params.iter().map(|&p| parameter(scope, p, inline)).collect();
    out.push_str(if function.library { "library function " } else { "function " });
    out.push_str(&format!("{}({})", quote_name(&function.name), params.join(", ")));
    if let Some(width) = function.ret {
        out.push_str(&format!(" -> {width}"));
    }
    if function.entry != LocId(0) {
        out.push_str(&format!(" entry {}", function.entry));
    }
    if let Some(summary) = function.summary {
        out.push_str(&format!(" summary {}", quote_name(&program.functions[summary].name)));
    }
    line(out, format_args!("{} {{", at(function.span)));
    let declared = if inline { function.params.len() } else { 0 };
    let vars: Vec<&Var> = function.vars.iter().skip(declared).collect();
    for group in vars.chunk_by(|a, b| a.kind == b.kind && a.temporary == b.temporary) {
        print_variables(out, group);
    }
    let label_width = function.locations.len().saturating_sub(1).to_string().len() + 2;
    for (loc, location) in function.locations.iter_enumerated() {
        let mut text = format!("{:<label_width$} ", format!("{loc}:"));
        scope.action(&mut text, &location.action);
        let place = at(location.span);
        if place.is_empty() {
            line(out, format_args!("{text}"));
        } else {
            line(out, format_args!("{text:<LINE$}{place}"));
        }
    }
    out.push_str("}\n");
}

/// Returns true if the parameters are the first variables, in order, so that they can be declared in the header.
fn parameters_come_first(function: &Function) -> bool {
    let in_order = function.params.iter().enumerate().all(|(n, p)| p.index() == n);
    in_order && function.params.iter().all(|&p| super::print_expr::register_width(function, p).is_some())
}

fn parameter(scope: Scope<'_>, param: VarId, inline: bool) -> String {
    match scope.register_width(param) {
        Some(width) if inline => {
            let temporary = scope.function.is_some_and(|f| f.vars[param].temporary);
            format!("{}{}: {width}", if temporary { "temp " } else { "" }, scope.var(param))
        }
        _ => scope.var(param),
    }
}

/// Variables of one kind, on as few lines as is reasonable.
fn print_variables(out: &mut String, vars: &[&Var]) {
    let Some(first) = vars.first() else { return };
    let (word, rest) = match first.kind {
        VarKind::Register(width) => ("reg", format!("{width}")),
        VarKind::Memory { size, align, read_only } => (
            if read_only { "read_only memory" } else { "memory" },
            format!("{size}{}", align_of(size, align)),
        ),
    };
    let head = format!("  {}{word} ", if first.temporary { "temp " } else { "" });
    let mut text = head.clone();
    for (n, var) in vars.iter().enumerate() {
        text += &quote_name(&var.name);
        let full = text.len() > LINE;
        if full || n + 1 == vars.len() {
            line(out, format_args!("{text}: {rest}"));
            text.clone_from(&head);
        } else {
            text += ", ";
        }
    }
}

impl Scope<'_> {
    fn action(self, out: &mut String, action: &Action) {
        let pointer = Some(self.program.data_model.pointer());
        match action {
            Action::Ops { ops, sync, next } => {
                if let Some(sync) = sync {
                    self.words(out, &format!("#{}(", sync.kind.name()), &[(&sync.object, pointer)], ") ");
                }
                for (n, op) in ops.iter().enumerate() {
                    out.push_str(if n == 0 { "" } else { "; " });
                    self.op(out, op);
                }
                out.push_str(if ops.is_empty() { "skip" } else { "" });
                out.push_str(&format!(" -> {next}"));
            }
            Action::Branch { cond, yes, no } => {
                self.words(out, "if ", &[(cond, Some(Width::BOOL))], &format!(" then {yes} else {no}"));
            }
            Action::Call { callee, args, ret, next } => {
                self.call(out, callee, args, *ret);
                out.push_str(&format!(" -> {next}"));
            }
            Action::Return(None) => out.push_str("return"),
            Action::Return(Some(value)) => {
                self.words(out, "return ", &[(value, self.function.and_then(|f| f.ret))], "");
            }
            Action::ThreadExit(value) => self.words(out, "thread_exit ", &[(value, pointer)], ""),
            Action::Exit => out.push_str("exit"),
            Action::Error { property, message } => {
                out.push_str(&format!("error {property} {}", quote_string(message)));
            }
            Action::Undefined(Undefined { kind: UndefinedKind::Other, what, .. }) => {
                out.push_str(&format!("undefined {}", quote_string(what)));
            }
            Action::Undefined(Undefined { kind, what, .. }) => {
                out.push_str(&format!("undefined {} {}", kind.name(), quote_string(what)));
            }
            Action::Unsupported(what) => out.push_str(&format!("unsupported {}", quote_string(what))),
        }
    }

    fn call(self, out: &mut String, callee: &Callee, args: &[Expr], ret: Option<VarId>) {
        if let Some(ret) = ret {
            out.push_str(&format!("{} = ", self.var(ret)));
        }
        let mut target = None;
        match callee {
            Callee::Direct(func) => {
                target = self.program.functions.get(*func);
                out.push_str(&format!("call {}", self.func(*func)));
            }
            Callee::Indirect(address) => {
                self.words(out, "call *(", &[(address, Some(self.program.data_model.pointer()))], ")");
            }
        }
        let expected =
            |n: usize| target.and_then(|f| super::print_expr::register_width(f, *f.params.get(n)?));
        let args: Vec<_> = args.iter().enumerate().map(|(n, arg)| (arg, expected(n))).collect();
        self.words(out, "(", &args, ")");
    }

    /// `before`, expressions with commas between them, `after`.
    fn words(self, out: &mut String, before: &str, exprs: &[(&Expr, Option<Width>)], after: &str) {
        out.push_str(before);
        for (n, (expr, expected)) in exprs.iter().enumerate() {
            out.push_str(if n == 0 { "" } else { ", " });
            self.expr(out, expr, *expected);
        }
        out.push_str(after);
    }

    fn wait_end(self, timed: bool, woken: Option<VarId>) -> String {
        let woken = woken.map_or_else(String::new, |woken| format!("{} = ", self.var(woken)));
        format!("{woken}wait_end{}", if timed { " timed" } else { "" })
    }

    fn op(self, out: &mut String, op: &Op) {
        let pointer = Some(self.program.data_model.pointer());
        match op {
            Op::Set { var, value } => {
                self.words(out, &format!("{} = ", self.var(*var)), &[(value, self.register_width(*var))], "");
            }
            Op::Store { addr, value, order } => {
                let width = value.width();
                self.words(out, "[", &[(addr, pointer)], &format!("]:{width}{} = ", order_mark(*order)));
                self.expr(out, value, Some(width));
            }
            Op::Havoc { var } => out.push_str(&format!("havoc {}", self.var(*var))),
            Op::Forget { var, alive: true } => out.push_str(&format!("forget {}", self.var(*var))),
            Op::Forget { var, alive: false } => out.push_str(&format!("end_life {}", self.var(*var))),
            Op::Guard(cond) => self.words(out, "guard ", &[(cond, Some(Width::BOOL))], ""),
            Op::Assume(cond) => self.words(out, "assume ", &[(cond, Some(Width::BOOL))], ""),
            Op::Copy { dst, src, len } => {
                self.words(out, "copy(", &[(dst, pointer), (src, pointer), (len, pointer)], ")");
            }
            Op::Fill { dst, byte, len } => {
                self.words(out, "fill(", &[(dst, pointer), (byte, Some(Width::BYTE)), (len, pointer)], ")");
            }
            Op::Alloc { var, size, align, storage } => {
                let word = allocation(*storage);
                let after = if *align > 1 { format!(") align {align}") } else { ")".to_owned() };
                self.words(out, &format!("{} = {word}(", self.var(*var)), &[(size, pointer)], &after);
            }
            Op::Realloc { var, ptr, size, stays } => {
                let before = format!("{} = realloc(", self.var(*var));
                let operands = [(ptr, pointer), (size, pointer), (stays, Some(Width::BOOL))];
                self.words(out, &before, &operands, ")");
            }
            Op::Free(address) => self.words(out, "free(", &[(address, pointer)], ")"),
            Op::AtomicBegin => out.push_str("atomic_begin"),
            Op::AtomicEnd => out.push_str("atomic_end"),
            Op::Fence(barrier) => out.push_str(&format!("fence {}", barrier.name())),
            Op::Create { handle, func, arg } => {
                let before = format!("{} = create(", self.var(*handle));
                self.words(out, &before, &[(func, pointer), (arg, pointer)], ")");
            }
            Op::Join { handle, result, error } => {
                let before = format!("{}, {} = join(", self.var(*result), self.var(*error));
                self.words(out, &before, &[(handle, pointer)], ")");
            }
            Op::Detach { handle, error } => {
                self.words(out, &format!("{} = detach(", self.var(*error)), &[(handle, pointer)], ")");
            }
            Op::WaitBegin(cond) => self.words(out, "wait_begin(", &[(cond, pointer)], ")"),
            Op::WaitEnd { timed, woken } => out.push_str(&self.wait_end(*timed, *woken)),
            Op::Signal { cond, all } => {
                self.words(out, if *all { "broadcast(" } else { "signal(" }, &[(cond, pointer)], ")");
            }
            Op::Signed { op, left, right, span } => {
                let (before, after) = (format!("signed {}(", op.name()), format!("{})", at(*span)));
                self.words(out, &before, &[(left, None), (right, Some(left.width()))], &after);
            }
        }
    }
}

/// The word for an allocation.
fn allocation(storage: Storage) -> &'static str {
    match storage {
        Storage::Heap => "alloc",
        Storage::Frame => "alloca",
        Storage::Library => "library_alloc",
    }
}
