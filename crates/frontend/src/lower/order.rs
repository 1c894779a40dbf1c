//! Where the order of evaluation matters.
//!
//! C leaves open in which order the operands of an operator, the arguments of a call and the parts of an initialiser are evaluated. Here it is left to right,
//! and the right side of an assignment comes before the left (SOUNDNESS: A12). Where one of them may write what another one reads or writes, that is an
//! assumption, which the answer prints. What is written is known for variables in registers; all other memory counts as one object, and every call of a
//! function as a write to it, but for builtins that only compute.

use super::function::{Builder, LocalPlace};
use crate::hir::{self, ExprKind, LocalId, Stmt, VarRef};

/// Expressions with more nodes count as reading and writing everything.
const MAX_NODES: u32 = 400;

/// What evaluating an expression reads and writes.
#[derive(Default)]
struct Touched {
    reads: Vec<LocalId>,
    writes: Vec<LocalId>,
    reads_memory: bool,
    writes_memory: bool,
}

impl Touched {
    fn add(&mut self, other: Self) {
        self.reads_memory |= other.reads_memory;
        self.writes_memory |= other.writes_memory;
        for (known, more) in [(&mut self.reads, other.reads), (&mut self.writes, other.writes)] {
            known.extend(more);
            known.sort_unstable();
            known.dedup();
        }
    }
    /// Returns true if one of two writes what the other touches.
    fn conflicts(&self, other: &Self) -> bool {
        let meets = |a: &[LocalId], b: &[LocalId]| a.iter().any(|local| b.contains(local));
        let touches_memory = |touched: &Self| touched.reads_memory || touched.writes_memory;
        (self.writes_memory && touches_memory(other))
            || (other.writes_memory && touches_memory(self))
            || meets(&self.writes, &other.reads)
            || meets(&self.writes, &other.writes)
            || meets(&other.writes, &self.reads)
    }
}

impl Builder<'_, '_> {
    /// Notes that the order of some expressions is taken for granted, if it matters.
    pub(super) fn note_order<'e>(&mut self, operands: impl IntoIterator<Item = &'e hir::Expr>) {
        if self.declared.library {
            return;
        }
        let mut seen = Touched::default();
        for operand in operands {
            let mut touched = Touched::default();
            self.touch(operand, &mut touched, &mut MAX_NODES.clone());
            if seen.conflicts(&touched) {
                let text = "operands and arguments are evaluated from left to right, where C leaves their order open and it may matter";
                self.ctx.assume(operand.span, text.to_owned());
                return;
            }
            seen.add(touched);
        }
    }

    fn touch(&self, expr: &hir::Expr, touched: &mut Touched, left: &mut u32) {
        if *left == 0 {
            (touched.reads_memory, touched.writes_memory) = (true, true);
            return;
        }
        *left -= 1;
        match &expr.kind {
            ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::LabelAddr(_)
            | ExprKind::Var(_)
            | ExprKind::Str(_)
            | ExprKind::Function(_)
            | ExprKind::Unsupported(_) => {}
            ExprKind::Load(lvalue) => {
                match self.register_of(lvalue) {
                    Some(local) => touched.reads.push(local),
                    None => touched.reads_memory = true,
                }
                self.touch(lvalue, touched, left);
            }
            ExprKind::Deref(inner)
            | ExprKind::AddrOf(inner)
            | ExprKind::Convert(inner)
            | ExprKind::Neg(inner)
            | ExprKind::BitNot(inner)
            | ExprKind::Not(inner)
            | ExprKind::Member { base: inner, .. } => self.touch(inner, touched, left),
            ExprKind::Binary(_, a, b)
            | ExprKind::LogAnd(a, b)
            | ExprKind::LogOr(a, b)
            | ExprKind::Comma(a, b)
            | ExprKind::PtrAdd { ptr: a, index: b, .. }
            | ExprKind::PtrDiff { left: a, right: b, .. } => {
                self.touch(a, touched, left);
                self.touch(b, touched, left);
            }
            ExprKind::Cond(a, b, c) => [a, b, c].into_iter().for_each(|e| self.touch(e, touched, left)),
            ExprKind::Assign(lvalue, value) => self.touch_written(lvalue, value, touched, left),
            ExprKind::AssignOp(compound) => {
                self.touch_written(&compound.lvalue, &compound.value, touched, left);
            }
            ExprKind::CompoundLiteral(_, init) => self.touch_init(init, touched, left),
            ExprKind::StmtExpr(stmts, value) => {
                stmts.iter().for_each(|stmt| self.touch_stmt(stmt, touched, left));
                value.iter().for_each(|value| self.touch(value, touched, left));
            }
            ExprKind::Call { callee, args } => {
                if !self.only_computes(callee) {
                    (touched.reads_memory, touched.writes_memory) = (true, true);
                }
                args.iter().for_each(|arg| self.touch(arg, touched, left));
            }
            ExprKind::VaArg(list) => {
                (touched.reads_memory, touched.writes_memory) = (true, true);
                self.touch(list, touched, left);
            }
        }
    }

    fn touch_written(&self, lvalue: &hir::Expr, value: &hir::Expr, touched: &mut Touched, left: &mut u32) {
        match self.register_of(lvalue) {
            Some(local) => touched.writes.push(local),
            None => touched.writes_memory = true,
        }
        self.touch(lvalue, touched, left);
        self.touch(value, touched, left);
    }

    fn touch_init(&self, init: &hir::Init, touched: &mut Touched, left: &mut u32) {
        init.items.iter().for_each(|item| self.touch(&item.value, touched, left));
    }

    fn touch_stmt(&self, stmt: &Stmt, touched: &mut Touched, left: &mut u32) {
        match stmt {
            Stmt::Expr(expr) => self.touch(expr, touched, left),
            Stmt::Decl { init, .. } => init.iter().for_each(|init| self.touch_init(init, touched, left)),
            _ => (touched.reads_memory, touched.writes_memory) = (true, true),
        }
    }

    fn register_of(&self, lvalue: &hir::Expr) -> Option<LocalId> {
        let ExprKind::Var(VarRef::Local(local)) = lvalue.kind else { return None };
        matches!(self.locals[local], LocalPlace::Register(..)).then_some(local)
    }

    /// Returns true if a call has no effect but its value.
    fn only_computes(&self, callee: &hir::Expr) -> bool {
        let ExprKind::Function(id) = callee.kind else { return false };
        let name = &self.ctx.module.functions[id].name;
        let works_on_memory = ["alloca", "va_", "mem", "str", "longjmp", "setjmp"];
        match name.strip_prefix("__builtin_") {
            Some(short) => !works_on_memory.iter().any(|start| short.starts_with(start)),
            None => name.starts_with("__VERIFIER_nondet"),
        }
    }
}
