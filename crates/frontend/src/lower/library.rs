//! Functions that C, POSIX and SV-COMP define, as operations of the program.
//!
//! Synchronisation objects are in [`sync`](super::sync), memory and compiler builtins in [`builtins`](super::builtins), atomics in
//! [`atomics`](super::atomics). Everything that can be said in C instead is in `models/library.c`.

use super::function::Builder;
use super::scalar::{self, Class};
use crate::hir::{self, ExprKind};
use crate::types::Type;
use base::IdxVec;
use program::{
    Action, BinOp, Callee, Expr, FuncId, LocId, Location, Op, Order, Property, Sync, SyncKind, Var, VarKind,
    Width,
};

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
            "reach_error" | "__VERIFIER_error" if self.ctx.module.assertions => {
                self.violation(format!("`{name}` is called"));
            }
            "__VERIFIER_atomic_begin" => self.transact(vec![Op::AtomicBegin], None),
            "__VERIFIER_atomic_end" => self.transact(vec![Op::AtomicEnd], None),
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
            "exit" => {
                args.iter().for_each(|arg| self.effects(arg));
                if let Some(at_exit) = self.ctx.epilogues.at_exit {
                    self.call_direct(at_exit, Vec::new(), None);
                }
                self.end(Action::Exit);
            }
            "abort" | "_exit" | "_Exit" | "quick_exit" | "__builtin_abort" | "__builtin_trap" => {
                args.iter().for_each(|arg| self.effects(arg));
                self.end(Action::Exit);
            }
            "__builtin_unreachable" => {
                self.end(Action::Undefined("`__builtin_unreachable` is reached".to_owned()));
            }
            "__threadproof_unsupported" => {
                let text = args.first().and_then(|a| self.literal_text(a));
                self.unsupported(text.unwrap_or_default());
            }
            "pthread_exit" | "thrd_exit" => {
                let value = self.word_argument(args.first()?);
                if let Some(destructors) = self.ctx.epilogues.destructors {
                    self.call_direct(destructors, Vec::new(), None);
                }
                self.end(Action::ThreadExit(value));
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

    // ---- threads --------------------------------------------------------------------------------------------

    fn thread_call(&mut self, name: &str, args: &'m [hir::Expr]) -> Option<Expr> {
        let word = self.ctx.model.pointer();
        Some(match (name, args.len()) {
            ("pthread_create", 4) => {
                let attributes = self.word_argument(&args[1]);
                self.create(&args[0], &args[2], &args[3], attributes)
            }
            ("thrd_create", 3) => {
                let none = self.word(0);
                self.create(&args[0], &args[1], &args[2], none)
            }
            ("pthread_join", 2) => {
                let handle = self.word_argument(&args[0]);
                let target = self.word_argument(&args[1]);
                self.join_thread(handle, target, word)
            }
            ("thrd_join", 2) => {
                let handle = self.word_argument(&args[0]);
                let target = self.word_argument(&args[1]);
                self.join_thread(handle, target, Width::INT)
            }
            ("pthread_detach" | "thrd_detach", 1) => {
                let handle = self.word_argument(&args[0]);
                self.detach(handle)
            }
            ("pthread_self" | "thrd_current", 0) => Expr::SelfHandle(word),
            ("pthread_equal" | "thrd_equal", 2) => {
                let (left, right) = (self.word_argument(&args[0]), self.word_argument(&args[1]));
                scalar::resize(Expr::binary(BinOp::Eq, left, right), false, Width::INT)
            }
            _ => return None,
        })
    }

    fn create(
        &mut self,
        handle_at: &'m hir::Expr,
        start: &'m hir::Expr,
        arg: &'m hir::Expr,
        attributes: Expr,
    ) -> Expr {
        let word = self.ctx.model.pointer();
        let handle_at = self.word_argument(handle_at);
        let func = self.word_argument(start);
        let func = self.with_destructors(func);
        let arg = self.word_argument(arg);
        let handle = self.temporary(word);
        let value = Expr::Reg(handle, word);
        let ops = vec![
            Op::Create { handle, func, arg },
            Op::Store { addr: handle_at.clone(), value: value.clone(), order: Order::Plain },
        ];
        self.transact(ops, Some(Sync { kind: SyncKind::Create, object: handle_at }));
        if attributes.as_const() != Some(0) {
            self.detach_if_asked(attributes, value);
        }
        self.int(0)
    }

    /// Thread attributes: the word at 0 is the detach state.
    fn detach_if_asked(&mut self, attributes: Expr, handle: Expr) {
        let (given, detached, done) = (self.new_location(), self.new_location(), self.new_location());
        self.branch(scalar::truth(attributes.clone(), Class::Unsigned), given, done);
        self.open(given);
        let state = self.load_memory(attributes, Width::INT, Order::Plain);
        let asked = Expr::binary(BinOp::Eq, state, self.int(1));
        self.branch(asked, detached, done);
        self.open(detached);
        self.detach(handle);
        self.goto(done);
        self.open(done);
    }

    /// The start routine, wrapped so that destructors of thread-specific data run when it returns.
    fn with_destructors(&mut self, func: Expr) -> Expr {
        if self.ctx.epilogues.destructors.is_none() {
            return func;
        }
        match func {
            Expr::FuncAddr(start, width) => Expr::FuncAddr(self.ctx.thread_start(start), width),
            _ => {
                self.unsupported("thread-specific data with a start routine that is not known");
                func
            }
        }
    }

    fn join_thread(&mut self, handle: Expr, target: Expr, result_width: Width) -> Expr {
        let word = self.ctx.model.pointer();
        let (result, error) = (self.temporary(word), self.temporary(Width::INT));
        let sync = Sync { kind: SyncKind::Join, object: handle.clone() };
        self.transact(vec![Op::Join { handle, result, error }], Some(sync));
        let error = Expr::Reg(error, Width::INT);
        if target.as_const() != Some(0) {
            let wanted = Expr::binary(
                BinOp::And,
                scalar::truth(target.clone(), Class::Unsigned),
                Expr::binary(BinOp::Eq, error.clone(), self.int(0)),
            );
            let (store, done) = (self.new_location(), self.new_location());
            self.branch(wanted, store, done);
            self.open(store);
            let value = scalar::resize(Expr::Reg(result, word), false, result_width);
            self.push(Op::Store { addr: target, value, order: Order::Plain });
            self.goto(done);
            self.open(done);
        }
        error
    }

    fn detach(&mut self, handle: Expr) -> Expr {
        let error = self.temporary(Width::INT);
        self.transact(vec![Op::Detach { handle, error }], None);
        Expr::Reg(error, Width::INT)
    }
}

impl super::Lowering<'_> {
    /// A function that will run `start` and then the destructors of thread-specific data.
    fn thread_start(&mut self, start: FuncId) -> FuncId {
        if let Some(&wrapped) = self.thread_starts.get(&start) {
            return wrapped;
        }
        let function = &self.functions[start];
        let wrapper = super::empty_function(format!("{}.thread", function.name), function.span);
        let wrapped = self.functions.push(wrapper);
        self.thread_starts.insert(start, wrapped);
        wrapped
    }

    /// Writes the wrappers' code, once the width of every result is known.
    pub(super) fn finish_thread_starts(&mut self) {
        let Some(destructors) = self.epilogues.destructors else { return };
        for (start, wrapped) in std::mem::take(&mut self.thread_starts) {
            let ret = self.functions[start].ret;
            let span = self.functions[start].span;
            let mut vars = IdxVec::new();
            let mut register = |name: &str, width| {
                vars.push(Var { name: name.to_owned(), kind: VarKind::Register(width), temporary: false })
            };
            let word = self.model.pointer();
            let arg = register("arg", word);
            let result = ret.map(|width| (register("result", width), width));
            let (callee, args) = (Callee::Direct(start), vec![Expr::Reg(arg, word)]);
            let actions = [
                Action::Call { callee, args, ret: result.map(|(var, _)| var), next: LocId(1) },
                Action::Call {
                    callee: Callee::Direct(destructors),
                    args: Vec::new(),
                    ret: None,
                    next: LocId(2),
                },
                Action::Return(result.map(|(var, width)| Expr::Reg(var, width))),
            ];
            let function = &mut self.functions[wrapped];
            function.params = vec![arg];
            function.ret = ret;
            function.vars = vars;
            function.locations = actions.into_iter().map(|action| Location { action, span }).collect();
            function.library = true;
        }
    }
}
