//! Deadlines of timed waits: whether they are valid.
//!
//! A wait until a time whose nanoseconds are not from 0 to 999,999,999 fails with `EINVAL`; a mutex that is free is taken all the same, as in
//! glibc. In a program that reads a clock, its deadlines are taken to be valid, and the verdict says so: whether a sum of nanoseconds was
//! normalised is seldom what a program is about, but would depend on the time of day.

use super::function::Builder;
use crate::hir::{self, ExprKind};
use crate::types::Type;
use program::{BinOp, Expr, Op, Order, Width};

const EINVAL: u128 = 22;
/// What C11 calls an error.
const THRD_ERROR: u128 = 2;
const SECOND: u64 = 1_000_000_000;

/// Functions that tell the time.
pub(super) const CLOCKS: &[&str] =
    &["clock", "clock_gettime", "ftime", "gettimeofday", "time", "timespec_get"];

impl<'m> Builder<'_, 'm> {
    /// Waits until the time that the last argument points to, unless that is none.
    pub(super) fn until(
        &mut self,
        name: &str,
        args: &'m [hir::Expr],
        wait: impl FnOnce(&mut Self) -> Option<Expr>,
    ) -> Option<Expr> {
        let Some(invalid) = self.invalid_deadline(args) else { return wait(self) };
        let error = self.temporary(Width::INT);
        let (refuse, waits, done) = (self.new_location(), self.new_location(), self.new_location());
        self.branch(invalid, refuse, waits);
        self.open(refuse);
        self.push(Op::Set { var: error, value: self.int(error_code(name)) });
        self.goto(done);
        self.open(waits);
        let value = wait(self)?;
        self.push(Op::Set { var: error, value });
        self.join(done);
        Some(Expr::Reg(error, Width::INT))
    }

    /// The result of trying to lock a mutex until a time: that the time is none shows only if there is something to wait for.
    pub(super) fn timed_out_or_invalid(
        &mut self,
        name: &str,
        invalid: Option<Expr>,
        result: Expr,
        code: u128,
    ) -> Expr {
        let Some(invalid) = invalid else { return result };
        let timed_out = Expr::binary(BinOp::Eq, result.clone(), self.int(code));
        Expr::ite(super::sync::and(timed_out, invalid), self.int(error_code(name)), result)
    }

    /// Whether the time that the last argument points to is none. `None` if it is taken to be one.
    pub(super) fn invalid_deadline(&mut self, args: &'m [hir::Expr]) -> Option<Expr> {
        let deadline = args.last()?;
        let address = self.word_argument(deadline);
        let word = self.ctx.model.pointer();
        let types = &self.ctx.module.types;
        let is_time = match types.unatomic(deadline.ty) {
            Type::Pointer(pointee) => types.size_of(*pointee) == Some(2 * word.bytes()),
            _ => false,
        };
        if !is_time || matches!(deadline.kind, ExprKind::Int(_)) {
            return None;
        }
        if self.refers_to(CLOCKS).as_const() != Some(0) {
            self.ctx.assume(self.span, "the nanoseconds of deadlines are less than a second".to_owned());
            return None;
        }
        let at = self.offset(address, word.bytes());
        let nanoseconds = self.load_memory(at, word, Order::Plain);
        let nanoseconds = self.in_temporary(nanoseconds);
        Some(Expr::binary(BinOp::ULe, self.word(SECOND), nanoseconds))
    }
}

fn error_code(name: &str) -> u128 {
    if name.starts_with("pthread_") { EINVAL } else { THRD_ERROR }
}
