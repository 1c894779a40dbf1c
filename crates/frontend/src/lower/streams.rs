//! Streams as arguments: every function of `<stdio.h>` that is given a stream waits for a thread that holds its lock.
//!
//! POSIX has each of these functions lock its stream as `flockfile` does. As long as a program does not lock streams itself, nothing that
//! it can see depends on that. If it does (it refers to `flockfile` or `ftrylockfile`), a call first takes and releases the
//! lock, by a function of `models/stream.c`; the variants `…_unlocked` do not: they count as holding it if the program locks streams, and otherwise change the stream unprotected.
//!
//! For memory safety a call also reads a byte of the stream, so that a null pointer is noticed (not where the argument is itself a call).
//! For `undefined-behaviour` that byte says whether the stream was closed.
//!
//! # Direction of error
//! The lock is not held during the call: what two calls do to a stream may be interleaved, which the model of a stream does not tell apart.

use super::function::Builder;
use crate::hir::{self, ExprKind};
use program::{Expr, Op, Order, UndefinedKind, Width};

/// What a call waits for.
enum Stream {
    /// An argument, counted from 0.
    Argument(usize),
    /// One of the standard streams, by its descriptor.
    Standard(u128),
}

/// Functions that work on the standard input.
const ON_INPUT: &[&str] = &["getchar", "gets", "getwchar", "scanf", "vscanf", "wscanf", "vwscanf"];
/// Functions that work on the standard output.
const ON_OUTPUT: &[&str] =
    &["printf", "putchar", "puts", "putwchar", "vprintf", "vwprintf", "wprintf", "printf_chk", "vprintf_chk"];
/// Functions that work on the standard error output.
const ON_ERROR: &[&str] = &["err", "errx", "error", "perror", "psiginfo", "psignal", "warn", "warnx"];
/// Functions that end a stream.
const CLOSING: &[&str] = &["fclose", "pclose"];
/// Functions that get a stream, but do not wait for its lock.
const WITHOUT_LOCK: &[&str] = &["flockfile", "ftrylockfile", "funlockfile"];

impl<'m> Builder<'_, 'm> {
    /// Looks at the stream that a library function is about to use, and waits for its lock, if the program locks streams.
    pub(super) fn await_stream(&mut self, function: &'m hir::Function, args: &'m [hir::Expr]) {
        if self.declared.library || (function.body.is_some() && !function.library) {
            return;
        }
        let locks = self.refers_to(&["flockfile", "ftrylockfile"]).as_const() != Some(0);
        if !locks && function.name.ends_with("_unlocked") {
            self.access_unlocked(&function.name, args);
        }
        if !locks && !self.ctx.checks.validity {
            return;
        }
        let Some(stream) = stream_of(&function.name, &self.ctx.library) else { return };
        if let Stream::Argument(n) = stream
            && let Some(arg) = args.get(n)
            && self.ctx.checks.validity
            && is_repeatable(arg)
            && !function.name.starts_with("fflush")
        {
            let (stream, len) = (self.word_argument(arg), self.word(1));
            self.read_bytes(stream.clone(), len);
            self.check_open(stream, CLOSING.contains(&function.name.as_str()));
        }
        if !locks {
            return;
        }
        let (model, arg) = match stream {
            Stream::Standard(descriptor) => ("__threadproof_await_standard_stream", self.int(descriptor)),
            Stream::Argument(n) => match args.get(n) {
                Some(arg) if is_repeatable(arg) => ("__threadproof_await_stream", self.word_argument(arg)),
                Some(_) => return self.unsupported("the lock of a stream that is the result of a call"),
                None => return,
            },
        };
        let mut functions = self.ctx.module.functions.iter_enumerated();
        if let Some((id, _)) = functions.find(|(_, f)| f.name == model) {
            let func = self.ctx.funcs[&id];
            self.call_direct(func, vec![arg], None::<program::VarId>);
        }
    }
}

impl<'m> Builder<'_, 'm> {
    /// Returns true if it is to be noticed that a stream is used which was closed.
    pub(super) fn follows_streams(&self) -> bool {
        self.ctx.checks.undefined && self.refers_to(CLOSING).as_const() != Some(0)
    }

    /// A function that relies on its caller to hold the stream's lock, in a program that never takes one: it changes the stream.
    fn access_unlocked(&mut self, name: &str, args: &'m [hir::Expr]) {
        if !self.ctx.checks.foreign_accesses {
            return;
        }
        let argument = stream_argument(name, &self.ctx.library).and_then(|n| args.get(n));
        let addr = match argument {
            Some(arg) if is_repeatable(arg) => self.word_argument(arg),
            Some(_) => return,
            None => {
                let object = self.ctx.hidden_object(name.trim_end_matches("_unlocked"), 1, false);
                Expr::ObjectAddr(object, self.ctx.model.pointer())
            }
        };
        let old = self.temporary(Width::BYTE);
        let value = Expr::Load { addr: Box::new(addr.clone()), width: Width::BYTE, order: Order::Plain };
        let value = Op::Set { var: old, value };
        let back = Op::Store { addr, value: Expr::Reg(old, Width::BYTE), order: Order::Plain };
        self.transact(vec![value, back], None);
    }

    /// The first byte of a stream says whether it was closed.
    fn check_open(&mut self, stream: Expr, closes: bool) {
        if !self.follows_streams() {
            return;
        }
        let closed = self.temporary(Width::BYTE);
        let addr = Box::new(stream.clone());
        let value = Expr::Load { addr, width: Width::BYTE, order: Order::SeqCst };
        let mut ops = vec![Op::Set { var: closed, value }];
        if closes {
            let value = Expr::constant(1, Width::BYTE);
            ops.push(Op::Store { addr: stream, value, order: Order::SeqCst });
        }
        self.transact(ops, None);
        let is_open = self.equals(Expr::Reg(closed, Width::BYTE), 0);
        self.check(is_open, UndefinedKind::UseAfterDestroy, "use of a stream that was closed");
    }
}

/// Returns true if evaluating an expression twice is the same as once.
fn is_repeatable(expr: &hir::Expr) -> bool {
    match &expr.kind {
        ExprKind::Var(_) | ExprKind::Int(_) => true,
        ExprKind::Load(inner)
        | ExprKind::Convert(inner)
        | ExprKind::Deref(inner)
        | ExprKind::AddrOf(inner) => is_repeatable(inner),
        ExprKind::Member { base, .. } => is_repeatable(base),
        _ => false,
    }
}

/// The stream whose lock a function takes.
fn stream_of(name: &str, library: &crate::library::Library) -> Option<Stream> {
    let plain = name.trim_start_matches("__builtin_").trim_start_matches('_');
    let plain = plain.trim_start_matches("isoc99_").trim_start_matches("isoc23_");
    if plain.ends_with("_unlocked") || WITHOUT_LOCK.contains(&plain) {
        return None;
    }
    for (descriptor, names) in (0..).zip([ON_INPUT, ON_OUTPUT, ON_ERROR]) {
        if names.contains(&plain) {
            return Some(Stream::Standard(descriptor));
        }
    }
    stream_argument(name, library).map(Stream::Argument)
}

/// Which argument of a function is a stream, counted from 0.
fn stream_argument(name: &str, library: &crate::library::Library) -> Option<usize> {
    let row = library.look_up(name)?;
    let (_, parameters) = row.prototype.split_once('(')?;
    parameters.split(',').position(|parameter| parameter.trim().starts_with("FILE *"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn argument(name: &str) -> Option<usize> {
        match stream_of(name, &crate::library::Library::default())? {
            Stream::Argument(n) => Some(n),
            Stream::Standard(_) => None,
        }
    }

    #[test]
    fn the_table_says_which_argument_is_the_stream() {
        assert_eq!(argument("fputs"), Some(1));
        assert_eq!(argument("fread"), Some(3));
        assert_eq!(argument("fread_unlocked"), None);
        assert_eq!(argument("fopen"), None);
        assert!(matches!(
            stream_of("__isoc99_scanf", &crate::library::Library::default()),
            Some(Stream::Standard(0))
        ));
    }
}
