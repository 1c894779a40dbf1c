//! Whether a program can notice that pseudo-random numbers come from a seed.
//!
//! The same seed gives the same numbers, so the exact model of `rand` remembers them, which costs every engine a table of steps of the
//! generator. It is for programs that may start the generator twice from one state. Most programs start it once, as
//!
//! ```c
//! int main(void) { srand(time(NULL)); … }
//! ```
//!
//! before the first number is drawn: then no state comes back, and each number may be any.
//!
//! # Direction of error
//! In doubt the numbers are remembered. Two runs of one program are never compared, so which seed it is does not matter.

use super::call::callee_function;
use super::function::Builder;
use crate::harness::{Node, walk, walk_stmt};
use crate::hir::{self, AddrBase, ConstValue, Expr, ExprKind, FunctionId, Stmt};

/// Functions that start the generator.
const SEEDS: &[&str] = &["srand", "srandom"];
/// What may be called before the generator is started, and for its seed: these call nothing back and return once.
const BEFORE: &[&str] = &[
    "clock",
    "clock_gettime",
    "fprintf",
    "getpid",
    "gettimeofday",
    "printf",
    "puts",
    "setbuf",
    "setvbuf",
    "time",
];

impl Builder<'_, '_> {
    /// Returns true if the generator may be started after a number was drawn, or a second time.
    pub(super) fn repeats_seeds(&self) -> bool {
        let module = self.ctx.module;
        let (mut n_starts, mut calls_entry) = (0, false);
        each_mention(module, &mut |id| {
            n_starts += u32::from(is_one_of(SEEDS, module, id));
            calls_entry |= id == module.entry;
        });
        match n_starts {
            0 => false,
            1 => calls_entry || module.start.is_some() || !begins_with_seed(module),
            _ => true,
        }
    }
}

fn is_one_of(names: &[&str], module: &hir::Module, id: FunctionId) -> bool {
    names.contains(&module.functions[id].name.as_str())
}

/// Returns false for a function that the program defines itself.
fn is_library(module: &hir::Module, id: FunctionId) -> bool {
    module.functions[id].library || module.functions[id].body.is_none()
}

/// Shows every place where the program, not the library, names a function.
pub(super) fn each_mention(module: &hir::Module, visit: &mut dyn FnMut(FunctionId)) {
    for function in module.functions.iter().filter(|f| !f.library) {
        let Some(body) = &function.body else { continue };
        walk(body, &mut |node| {
            if let Node::Expr(Expr { kind: ExprKind::Function(id), .. }) = node {
                visit(*id);
            }
        });
    }
    for init in module.globals.iter().flat_map(|global| &global.init) {
        if let ConstValue::Addr(AddrBase::Function(id), _) = init.value {
            visit(id);
        }
    }
}

/// Returns true if the entry function comes to a call that starts the generator without a jump, and calls only what is in [`BEFORE`].
fn begins_with_seed(module: &hir::Module) -> bool {
    let Some(body) = &module.functions[module.entry].body else { return false };
    for stmt in &body.stmts {
        let starts = match stmt {
            Stmt::Decl { .. } => false,
            Stmt::Expr(expr) => is_seed(module, expr),
            _ => return false,
        };
        let mut is_plain = true;
        walk_stmt(stmt, &mut |node| {
            is_plain &= match node {
                Node::Stmt(inner) => std::ptr::eq(inner, stmt),
                Node::Expr(Expr { kind: ExprKind::Call { callee, .. }, .. }) => {
                    matches!(callee_function(callee).kind, ExprKind::Function(_))
                }
                Node::Expr(Expr { kind: ExprKind::Function(id), .. }) => {
                    let harmless = is_one_of(BEFORE, module, *id) && is_library(module, *id);
                    harmless || starts && is_one_of(SEEDS, module, *id)
                }
                Node::Expr(_) => true,
            };
        });
        if starts || !is_plain {
            return starts && is_plain;
        }
    }
    false
}

/// Returns true for a call that starts the generator.
fn is_seed(module: &hir::Module, expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Convert(inner) => is_seed(module, inner),
        ExprKind::Call { callee, .. } => match callee_function(callee).kind {
            ExprKind::Function(id) => is_one_of(SEEDS, module, id),
            _ => false,
        },
        _ => false,
    }
}
