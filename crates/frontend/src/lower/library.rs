//! Functions that C, POSIX and SV-COMP define, as operations of the program.
//!
//! Threads and their ends are in [`threads`](super::threads), synchronisation objects in [`sync`](super::sync), memory and compiler builtins in [`builtins`](super::builtins), atomics in
//! [`atomics`](super::atomics). Everything that can be said in C instead is in `models/library.c`.

use super::function::Builder;
use super::scalar::{self, Class};
use crate::hir::{self, ExprKind};
use crate::types::Type;
use program::{Action, Expr, Op, Order, Property, Width};

/// Calls without any effect on what is verified. Those marked `true` return 0, the others any value.
const NO_EFFECT: &[(&str, bool)] = &[
    ("printf", false),
    ("fprintf", false),
    ("vprintf", false),
    ("vfprintf", false),
    ("puts", false),
    ("putchar", false),
    ("fputs", false),
    ("fputc", false),
    ("putc", false),
    ("perror", true),
    ("fflush", true),
    ("fclose", true),
    ("setvbuf", true),
    ("setbuf", true),
    ("sleep", true),
    ("usleep", true),
    ("nanosleep", true),
    ("sched_yield", true),
    ("pthread_yield", true),
    ("thrd_yield", true),
    ("thrd_sleep", true),
    ("srand", true),
    ("srandom", true),
    ("alarm", true),
    ("__builtin_prefetch", true),
    ("__builtin_va_end", true),
    ("__builtin___clear_cache", true),
    ("pthread_testcancel", true),
    ("pthread_setcancelstate", true),
    ("pthread_setcanceltype", true),
];

/// Functions that write through their arguments or change control in ways that have no model.
const UNSUPPORTED: &[&str] = &[
    "vscanf",
    "gets",
    "fgets",
    "fread",
    "read",
    "recv",
    "recvfrom",
    "getline",
    "sprintf",
    "snprintf",
    "vsprintf",
    "vsnprintf",
    "setjmp",
    "_setjmp",
    "sigsetjmp",
    "__sigsetjmp",
    "longjmp",
    "siglongjmp",
    "fork",
    "vfork",
    "clone",
    "execl",
    "execv",
    "execve",
    "execvp",
    "pthread_cancel",
    "pthread_kill",
    "raise",
    "kill",
    "signal",
    "sigaction",
    "pthread_atfork",
    "__pthread_register_cancel",
    "__pthread_unregister_cancel",
    "__pthread_unwind_next",
    "qsort",
    "bsearch",
    "mmap",
    "munmap",
    "strtok",
    "strtol",
    "strtoul",
    "qsort_r",
    "sigwait",
    "select",
    "poll",
    "pipe",
];

/// Functions that read input into what their surplus arguments point to, with the number of the others.
const SCANNING: &[(&str, usize)] = &[
    ("scanf", 1),
    ("fscanf", 2),
    ("sscanf", 2),
    ("__isoc99_scanf", 1),
    ("__isoc99_fscanf", 2),
    ("__isoc99_sscanf", 2),
];

impl<'m> Builder<'_, 'm> {
    /// Lowers a call if its function is one of ours. A user's own definition wins, except where SV-COMP gives the
    /// name a meaning.
    pub(super) fn library_call(
        &mut self,
        function: &'m hir::Function,
        expr: &'m hir::Expr,
        args: &'m [hir::Expr],
        wanted: bool,
    ) -> Option<Expr> {
        let name = function.name.as_str();
        if let Some(value) = self.verifier_call(name, args) {
            return Some(value);
        }
        if let Some(value) = self.cancellable_call(function, args) {
            return Some(value);
        }
        if function.body.is_some() {
            return None;
        }
        if let Some((_, zero)) = NO_EFFECT.iter().find(|(n, _)| *n == name) {
            args.iter().for_each(|arg| self.effects(arg));
            self.span = expr.span;
            return Some(if *zero { self.int(0) } else { self.arbitrary(expr.ty, wanted) });
        }
        if UNSUPPORTED.contains(&name) {
            return Some(self.no_value(&format!("call of `{name}`")));
        }
        if name.starts_with("__VERIFIER_nondet_") {
            return Some(self.arbitrary(expr.ty, wanted));
        }
        if let Some((_, n_fixed)) = SCANNING.iter().find(|(n, _)| *n == name) {
            return Some(self.scan(args.get(*n_fixed..).unwrap_or_default(), expr, wanted));
        }
        self.span = expr.span;
        self.ending_call(name, args)
            .or_else(|| self.exit_call(name, args))
            .or_else(|| self.model_call(name, args))
            .or_else(|| self.thread_call(name, args))
            .or_else(|| self.mutex_call(name, args))
            .or_else(|| self.sync_call(name, args))
            .or_else(|| self.memory_call(name, args))
            .or_else(|| self.atomic_call(name, expr, args))
            .or_else(|| self.builtin_call(name, expr, args))
    }

    /// An argument that should be a pointer, a handle or a size, whatever the caller's declaration made of it; cheap to
    /// repeat.
    pub(super) fn word_argument(&mut self, arg: &'m hir::Expr) -> Expr {
        if self.ctx.is_record(arg.ty) {
            self.unsupported("a record passed where a library function takes a scalar");
            return self.word(0);
        }
        let signed = self.class(arg.ty) == Class::Signed;
        let value = self.rvalue(arg);
        let value = scalar::resize(value, signed, self.ctx.model.pointer());
        self.repeatable(value)
    }

    /// A C `int`.
    pub(super) fn int(&self, value: u128) -> Expr {
        Expr::constant(value, Width::INT)
    }

    /// Each scalar pointed to gets any value; strings, whose length only the format tells, have no model.
    fn scan(&mut self, targets: &'m [hir::Expr], expr: &'m hir::Expr, wanted: bool) -> Expr {
        for target in targets {
            let pointee = match self.ctx.module.types.unatomic(target.ty) {
                Type::Pointer(pointee) => *pointee,
                _ => return self.no_value("input into something that is no pointer"),
            };
            match self.ctx.width(pointee) {
                Some(width) if width > Width::BYTE => {
                    let addr = self.word_argument(target);
                    let value = self.arbitrary(pointee, true);
                    self.push(Op::Store { addr, value, order: Order::Plain });
                }
                _ => return self.no_value("input of a string"),
            }
        }
        self.span = expr.span;
        self.arbitrary(expr.ty, wanted)
    }

    // ---- SV-COMP --------------------------------------------------------------------------------------------

    fn verifier_call(&mut self, name: &str, args: &'m [hir::Expr]) -> Option<Expr> {
        match name {
            "reach_error" | "__VERIFIER_error" => {
                self.violation(format!("`{name}` is called"));
            }
            "__VERIFIER_atomic_begin" => {
                self.transact(vec![Op::AtomicBegin], None);
                self.in_atomic = true;
            }
            "__VERIFIER_atomic_end" => {
                self.transact(vec![Op::AtomicEnd], None);
                self.in_atomic = false;
            }
            "__VERIFIER_assume" => {
                let cond = self.cond(args.first()?);
                self.push(Op::Assume(cond));
            }
            _ => return None,
        }
        Some(self.int(0))
    }

    fn violation(&mut self, message: String) {
        self.end(Action::Error { property: Property::UnreachCall, message });
    }

    // ---- ends -----------------------------------------------------------------------------------------------

    fn ending_call(&mut self, name: &str, args: &'m [hir::Expr]) -> Option<Expr> {
        match name {
            "__assert_fail" | "__assert" | "__assert_rtn" | "__assert_func" | "__assert_perror_fail" => {
                let text = args.first().and_then(|a| self.literal_text(a));
                self.violation(
                    text.map_or("assertion fails".to_owned(), |t| format!("assertion `{t}` fails")),
                );
            }
            "__VERIFIER_assert" => {
                let (fine, bad) = (self.new_location(), self.new_location());
                self.branch_on(args.first()?, fine, bad);
                self.open(bad);
                self.violation("assertion fails".to_owned());
                self.open(fine);
            }
            "__builtin_unreachable" => {
                self.end(Action::Undefined("`__builtin_unreachable` is reached".to_owned()));
            }
            "__threadproof_undefined" => {
                let text = args.first().and_then(|a| self.literal_text(a));
                self.end(Action::Undefined(text.unwrap_or_default()));
            }
            "__threadproof_unsupported" => {
                let text = args.first().and_then(|a| self.literal_text(a));
                self.unsupported(text.unwrap_or_default());
            }
            _ => return None,
        }
        Some(self.int(0))
    }

    /// The text of a string literal argument.
    fn literal_text(&self, arg: &hir::Expr) -> Option<String> {
        match &arg.kind {
            ExprKind::Convert(inner) | ExprKind::AddrOf(inner) | ExprKind::Load(inner) => {
                self.literal_text(inner)
            }
            ExprKind::Str(id) => {
                let bytes = &self.ctx.module.strings[*id];
                let end = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
                Some(String::from_utf8_lossy(&bytes[..end]).into_owned())
            }
            _ => None,
        }
    }
}
