//! All expressions of a function's body.

use crate::hir::{Body, Expr, ExprKind, Init, Stmt};

/// What a visitor is shown.
pub(crate) enum Node<'h> {
    /// An expression, before its parts.
    Expr(&'h Expr),
    /// A statement, before its parts.
    Stmt(&'h Stmt),
}

/// Shows every statement and expression of a body, in the order of the text.
pub(crate) fn walk<'h>(body: &'h Body, visit: &mut dyn FnMut(Node<'h>)) {
    stmts(&body.stmts, visit);
}

fn stmts<'h>(all: &'h [Stmt], visit: &mut dyn FnMut(Node<'h>)) {
    for one in all {
        walk_stmt(one, visit);
    }
}

/// Shows a statement and all in it.
pub(crate) fn walk_stmt<'h>(stmt_: &'h Stmt, visit: &mut dyn FnMut(Node<'h>)) {
    visit(Node::Stmt(stmt_));
    match stmt_ {
        Stmt::Expr(e) | Stmt::Cleanup(e) | Stmt::GotoComputed(e) | Stmt::DeclVla { size: e, .. } => {
            expr(e, visit);
        }
        Stmt::Block(all) => stmts(all, visit),
        Stmt::Decl { init, .. } => {
            if let Some(value) = init {
                initialiser(value, visit);
            }
        }
        Stmt::If { cond, yes, no } => {
            expr(cond, visit);
            walk_stmt(yes, visit);
            if let Some(no) = no {
                walk_stmt(no, visit);
            }
        }
        Stmt::While { cond: e, body } | Stmt::DoWhile { body, cond: e } | Stmt::Switch { value: e, body } => {
            expr(e, visit);
            walk_stmt(body, visit);
        }
        Stmt::For { init, cond, step, body, .. } => {
            if let Some(init) = init {
                walk_stmt(init, visit);
            }
            for e in cond.iter().chain(step) {
                expr(e, visit);
            }
            walk_stmt(body, visit);
        }
        Stmt::Return(value, _) => {
            if let Some(value) = value {
                expr(value, visit);
            }
        }
        Stmt::Case { .. }
        | Stmt::Default
        | Stmt::Label(_)
        | Stmt::Goto(..)
        | Stmt::Break(_)
        | Stmt::Continue(_)
        | Stmt::Fence(..)
        | Stmt::Error(..)
        | Stmt::Unsupported(..) => {}
    }
}

fn initialiser<'h>(init: &'h Init, visit: &mut dyn FnMut(Node<'h>)) {
    for item in &init.items {
        expr(&item.value, visit);
    }
}

fn expr<'h>(e: &'h Expr, visit: &mut dyn FnMut(Node<'h>)) {
    visit(Node::Expr(e));
    match &e.kind {
        ExprKind::Int(_)
        | ExprKind::Float(_)
        | ExprKind::LabelAddr(_)
        | ExprKind::Var(_)
        | ExprKind::Str(_)
        | ExprKind::Function(_)
        | ExprKind::Unsupported(_) => {}
        ExprKind::Deref(a)
        | ExprKind::Member { base: a, .. }
        | ExprKind::Load(a)
        | ExprKind::AddrOf(a)
        | ExprKind::Convert(a)
        | ExprKind::Neg(a)
        | ExprKind::BitNot(a)
        | ExprKind::Not(a)
        | ExprKind::VaArg(a) => expr(a, visit),
        ExprKind::Binary(_, a, b)
        | ExprKind::PtrAdd { ptr: a, index: b, .. }
        | ExprKind::PtrDiff { left: a, right: b, .. }
        | ExprKind::LogAnd(a, b)
        | ExprKind::LogOr(a, b)
        | ExprKind::Comma(a, b)
        | ExprKind::Assign(a, b) => {
            expr(a, visit);
            expr(b, visit);
        }
        ExprKind::Cond(a, b, c) => {
            for part in [a, b, c] {
                expr(part, visit);
            }
        }
        ExprKind::AssignOp(compound) => {
            expr(&compound.lvalue, visit);
            expr(&compound.value, visit);
        }
        ExprKind::CompoundLiteral(_, init) => initialiser(init, visit),
        ExprKind::StmtExpr(all, value) => {
            stmts(all, visit);
            if let Some(value) = value {
                expr(value, visit);
            }
        }
        ExprKind::Call { callee, args } => {
            expr(callee, visit);
            for arg in args {
                expr(arg, visit);
            }
        }
    }
}
