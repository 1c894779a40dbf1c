//! Functions that C, POSIX and SV-COMP define, as operations of the program.
//!
//! Threads and their ends are in [`threads`](super::threads), synchronisation objects in [`sync`](super::sync), memory and compiler builtins in [`builtins`](super::builtins), atomics in
//! [`atomics`](super::atomics). Everything that can be said in C instead is in `models/library.c`.

use super::function::Builder;
use super::scalar::{self, Class};
use crate::hir::{self, ExprKind};
use crate::types::Type;
use program::{Action, Expr, Op, Property, Undefined, UndefinedKind, Width};

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
        self.await_stream(function, args);
        if let Some(value) = self.cancellable_call(function, args) {
            return Some(value);
        }
        if function.body.is_some() {
            if function.library {
                self.check_format(name, args);
                return self.scan_call(function, args);
            }
            return None;
        }
        if name.starts_with("__VERIFIER_nondet_") {
            return Some(self.arbitrary(expr.ty, wanted));
        }
        if name.starts_with("__threadproof_some_") {
            return Some(self.some_result(expr.ty));
        }
        self.span = expr.span;
        if name == "pthread_barrier_wait" && wanted {
            // SOUNDNESS: A10
            let text = "the last thread at a barrier gets PTHREAD_BARRIER_SERIAL_THREAD, as in glibc";
            self.ctx.assume(expr.span, text.to_owned());
        }
        self.ending_call(name, args)
            .or_else(|| self.exit_call(name, args))
            .or_else(|| self.model_call(name, args))
            .or_else(|| self.thread_call(name, args))
            .or_else(|| self.mutex_call(name, args))
            .or_else(|| self.sync_call(name, args))
            .or_else(|| self.memory_call(name, args))
            .or_else(|| self.atomic_call(name, expr, args))
            .or_else(|| self.builtin_call(name, expr, args))
            .or_else(|| self.summary_call(function, expr, args, wanted))
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

    /// A result that a function of the library computes, but that its model leaves open.
    fn some_result(&mut self, ty: crate::types::Ty) -> Expr {
        let width = self.ctx.width(ty).unwrap_or(Width::INT);
        let is_bool = matches!(self.ctx.module.types.unatomic(ty), Type::Bool);
        let chosen = if is_bool { Width::BOOL } else { width };
        let var = self.register(&format!("{}{}", self.declared.name, program::INEXACT_RESULT), chosen);
        self.push(Op::Havoc { var });
        scalar::resize(Expr::Reg(var, chosen), false, width)
    }

    // ---- SV-COMP --------------------------------------------------------------------------------------------

    fn verifier_call(&mut self, name: &str, args: &'m [hir::Expr]) -> Option<Expr> {
        match name {
            "reach_error" | "__VERIFIER_error" if self.ctx.module.assertions => {
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

    pub(super) fn violation(&mut self, message: String) {
        if !self.ctx.module.assertions {
            return self.end(Action::Exit);
        }
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
                let what = "`__builtin_unreachable` is reached";
                self.end(Action::Undefined(Undefined::new(UndefinedKind::Other, what)));
            }
            "__threadproof_undefined" => {
                let text = args.first().and_then(|a| self.literal_text(a));
                self.end(Action::Undefined(Undefined::of_text(&text.unwrap_or_default())));
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
        self.literal_bytes(arg).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The bytes of a string literal argument, without the terminating zero.
    pub(super) fn literal_bytes(&self, arg: &hir::Expr) -> Option<Vec<u8>> {
        match &arg.kind {
            ExprKind::Convert(inner) | ExprKind::AddrOf(inner) | ExprKind::Load(inner) => {
                self.literal_bytes(inner)
            }
            ExprKind::Str(id) => {
                let bytes = &self.ctx.module.strings[*id];
                let end = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
                Some(bytes[..end].to_vec())
            }
            _ => None,
        }
    }

    /// The characters of a literal of wide characters, if all of them are ASCII.
    pub(super) fn wide_literal(&self, arg: &hir::Expr) -> Option<Vec<u8>> {
        match &arg.kind {
            ExprKind::Convert(inner) | ExprKind::AddrOf(inner) | ExprKind::Load(inner) => {
                self.wide_literal(inner)
            }
            ExprKind::Str(id) => {
                let words = self.ctx.module.strings[*id].chunks_exact(4);
                let characters = words.map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]));
                let text = characters.take_while(|character| *character != 0);
                text.map(|character| u8::try_from(character).ok().filter(u8::is_ascii)).collect()
            }
            _ => None,
        }
    }
}
