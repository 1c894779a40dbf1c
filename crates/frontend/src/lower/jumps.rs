//! Jumps out of functions: `setjmp` and `longjmp`, under all their names.
//!
//! `setjmp` returns 0 and writes the buffer; it returns a second time only by way of `longjmp`, which has no model: reaching one costs the verdict.
//! So a program that saves its environment and never goes back to it is verified like any other.

use super::function::Builder;
use crate::hir;
use program::{Expr, Op, Order};

impl<'m> Builder<'_, 'm> {
    /// Lowers a call of one of these functions, if it is not the program's own.
    pub(super) fn jump_call(&mut self, function: &'m hir::Function, args: &'m [hir::Expr]) -> Option<Expr> {
        let name = function.name.as_str();
        if function.body.is_some() {
            return None;
        }
        match name.trim_start_matches("__builtin_").trim_start_matches('_') {
            "setjmp" | "sigsetjmp" => {
                let (buffer, others) = args.split_first()?;
                let addr = self.word_argument(buffer);
                others.iter().for_each(|arg| self.effects(arg));
                let mark = self.word(1);
                self.push(Op::Store { addr, value: mark, order: Order::Plain });
                Some(self.int(0))
            }
            "longjmp" | "siglongjmp" | "longjmp_chk" => {
                args.iter().for_each(|arg| self.effects(arg));
                Some(self.no_value(&format!("call of `{name}`")))
            }
            _ => None,
        }
    }
}
