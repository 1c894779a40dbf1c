//! Which locals can be reached by others: those whose address becomes a value that can travel.
//!
//! `a[i]`, `a.b` and whole-object copies access a local without giving its address away; every other use of an address
//! counts as giving it away. Direction of error: a local may be called escaping although it is not, never the
//! other way round. (An index outside of `a` is undefined, so `a[i]` stays inside `a`.)

use crate::hir::{Body, Expr, ExprKind, FunctionId, Init, LocalId, Stmt, VarRef};
use rustc_hash::FxHashSet;

/// Locals whose address is given away. `forgets` says whether a function only uses an argument (by its number, from 0) while it runs.
pub(super) fn escaping_locals(
    body: &Body,
    forgets: &dyn Fn(FunctionId, usize) -> bool,
) -> FxHashSet<LocalId> {
    let mut escapes = Escapes { found: FxHashSet::default(), forgets };
    escapes.stmts(&body.stmts);
    escapes.found
}

struct Escapes<'f> {
    found: FxHashSet<LocalId>,
    forgets: &'f dyn Fn(FunctionId, usize) -> bool,
}

impl Escapes<'_> {
    fn stmts(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Expr(e) | Stmt::Cleanup(e) | Stmt::GotoComputed(e) | Stmt::DeclVla { size: e, .. } => {
                self.value(e)
            }
            Stmt::Block(stmts) => self.stmts(stmts),
            Stmt::Decl { init, .. } => {
                if let Some(init) = init {
                    self.init(init);
                }
            }
            Stmt::If { cond, yes, no } => {
                self.value(cond);
                self.stmt(yes);
                if let Some(no) = no {
                    self.stmt(no);
                }
            }
            Stmt::While { cond: e, body }
            | Stmt::DoWhile { body, cond: e }
            | Stmt::Switch { value: e, body } => {
                self.value(e);
                self.stmt(body);
            }
            Stmt::For { init, cond, step, body, .. } => {
                if let Some(init) = init {
                    self.stmt(init);
                }
                for e in cond.iter().chain(step) {
                    self.value(e);
                }
                self.stmt(body);
            }
            Stmt::Return(Some(e), _) => self.value(e),
            Stmt::Return(None, _)
            | Stmt::Case { .. }
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

    fn init(&mut self, init: &Init) {
        for item in &init.items {
            self.value(&item.value);
        }
    }

    /// `expr` is used as a value.
    fn value(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::AddrOf(lvalue) => {
                self.found.extend(root(lvalue));
                self.object(lvalue);
            }
            ExprKind::Load(lvalue) => self.object(lvalue),
            ExprKind::Assign(lvalue, value) => {
                self.object(lvalue);
                self.value(value);
            }
            ExprKind::AssignOp(compound) => {
                self.object(&compound.lvalue);
                self.value(&compound.value);
            }
            ExprKind::Convert(e)
            | ExprKind::Neg(e)
            | ExprKind::BitNot(e)
            | ExprKind::Not(e)
            | ExprKind::VaArg(e) => self.value(e),
            ExprKind::Binary(_, l, r)
            | ExprKind::LogAnd(l, r)
            | ExprKind::LogOr(l, r)
            | ExprKind::Comma(l, r)
            | ExprKind::PtrAdd { ptr: l, index: r, .. }
            | ExprKind::PtrDiff { left: l, right: r, .. } => {
                self.value(l);
                self.value(r);
            }
            ExprKind::Cond(c, y, n) => {
                self.value(c);
                self.value(y);
                self.value(n);
            }
            ExprKind::StmtExpr(stmts, value) => {
                self.stmts(stmts);
                if let Some(value) = value {
                    self.value(value);
                }
            }
            ExprKind::Call { callee, args } => {
                self.value(callee);
                for (n, arg) in args.iter().enumerate() {
                    match callee.kind {
                        ExprKind::Function(id) if (self.forgets)(id, n) => self.pointer(unconverted(arg)),
                        _ => self.value(arg),
                    }
                }
            }
            ExprKind::Var(_)
            | ExprKind::Str(_)
            | ExprKind::Function(_)
            | ExprKind::Deref(_)
            | ExprKind::Member { .. }
            | ExprKind::CompoundLiteral(..) => self.object(expr),
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::LabelAddr(_) | ExprKind::Unsupported(_) => {}
        }
    }

    /// The object that `expr` designates is accessed.
    fn object(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Deref(pointer) => self.pointer(pointer),
            ExprKind::Member { base, .. } => self.object(base),
            ExprKind::CompoundLiteral(_, init) => self.init(init),
            ExprKind::Var(_) | ExprKind::Str(_) | ExprKind::Function(_) => {}
            _ => self.value(expr),
        }
    }

    /// `expr` is used only to access what it points to.
    fn pointer(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::AddrOf(lvalue) => self.object(lvalue),
            ExprKind::PtrAdd { ptr, index, .. } => {
                self.pointer(ptr);
                self.value(index);
            }
            _ => self.value(expr),
        }
    }
}

/// A pointer below its conversions to other pointer types.
fn unconverted(expr: &Expr) -> &Expr {
    match &expr.kind {
        ExprKind::Convert(inner) => unconverted(inner),
        _ => expr,
    }
}

/// The local whose address `&lvalue` is.
fn root(lvalue: &Expr) -> Option<LocalId> {
    match &lvalue.kind {
        ExprKind::Var(VarRef::Local(local)) | ExprKind::CompoundLiteral(local, _) => Some(*local),
        ExprKind::Member { base, .. } => root(base),
        ExprKind::Deref(pointer) => pointer_root(pointer),
        _ => None,
    }
}

fn pointer_root(pointer: &Expr) -> Option<LocalId> {
    match &pointer.kind {
        ExprKind::AddrOf(lvalue) => root(lvalue),
        ExprKind::PtrAdd { ptr, .. } => pointer_root(ptr),
        _ => None,
    }
}
