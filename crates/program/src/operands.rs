//! Which expressions an action or an operation evaluates, and which registers it sets.

use crate::{Action, Callee, Expr, Op, Program, Storage, Sync, VarId};

/// Visits the expressions of an action: of a shared or of an exclusive reference.
macro_rules! visit_action {
    ($action:expr, $visit:expr, $each_expr:ident) => {
        match $action {
            Action::Ops { ops, sync, .. } => {
                for op in ops {
                    op.$each_expr($visit);
                }
                if let Some(Sync { object, .. }) = sync {
                    $visit(object);
                }
            }
            Action::Branch { cond, .. } => $visit(cond),
            Action::Call { callee, args, .. } => {
                if let Callee::Indirect(target) = callee {
                    $visit(target);
                }
                for arg in args {
                    $visit(arg);
                }
            }
            Action::Return(Some(value)) | Action::ThreadExit(value) => $visit(value),
            Action::Return(None) | Action::Exit | Action::Error { .. } => {}
            Action::Unsupported(_) | Action::Undefined(_) => {}
        }
    };
}

/// Visits the expressions of an operation: of a shared or of an exclusive reference.
macro_rules! visit_op {
    ($op:expr, $visit:expr) => {
        match $op {
            Op::Set { value: e, .. }
            | Op::Guard(e)
            | Op::Assume(e)
            | Op::Free(e)
            | Op::Alloc { size: e, .. }
            | Op::Join { handle: e, .. }
            | Op::Detach { handle: e, .. }
            | Op::WaitBegin(e)
            | Op::Signal { cond: e, .. } => $visit(e),
            Op::Store { addr: a, value: b, .. }
            | Op::Create { func: a, arg: b, .. }
            | Op::Signed { left: a, right: b, .. } => {
                $visit(a);
                $visit(b);
            }
            Op::Copy { dst, src, len }
            | Op::Fill { dst, byte: src, len }
            | Op::Realloc { ptr: dst, size: src, stays: len, .. } => {
                $visit(dst);
                $visit(src);
                $visit(len);
            }
            Op::Havoc { .. }
            | Op::Forget { .. }
            | Op::AtomicBegin
            | Op::AtomicEnd
            | Op::Fence(_)
            | Op::WaitEnd { .. } => {}
        }
    };
}

impl Action {
    /// Calls `visit` on every expression, in the order of evaluation; those of markers ([`Op::Signed`]) are among them.
    pub fn each_expr<'a>(&'a self, visit: &mut impl FnMut(&'a Expr)) {
        visit_action!(self, visit, each_expr);
    }

    /// The same, to be changed.
    pub fn each_expr_mut(&mut self, visit: &mut impl FnMut(&mut Expr)) {
        visit_action!(self, visit, each_expr_mut);
    }

    /// The operations; none of an action that is no transaction.
    pub fn ops(&self) -> &[Op] {
        if let Action::Ops { ops, .. } = self { ops } else { &[] }
    }

    /// The same, to be changed.
    pub fn ops_mut(&mut self) -> &mut [Op] {
        if let Action::Ops { ops, .. } = self { ops } else { &mut [] }
    }
}

impl Program {
    /// Returns true if some operation creates a thread, reachable or not.
    pub fn creates_threads(&self) -> bool {
        self.has_op(|op| matches!(op, Op::Create { .. }))
    }

    /// Returns true if some operation allocates memory that has to be freed, reachable or not.
    pub fn allocates(&self) -> bool {
        self.has_op(|op| matches!(op, Op::Alloc { storage: Storage::Heap, .. } | Op::Realloc { .. }))
    }

    /// Returns true if some operation detaches a thread, reachable or not.
    pub fn detaches_threads(&self) -> bool {
        self.has_op(|op| matches!(op, Op::Detach { .. }))
    }

    fn has_op(&self, wanted: impl Fn(&Op) -> bool) -> bool {
        let mut locations = self.functions.iter().flat_map(|function| function.locations.iter());
        locations.any(|location| location.action.ops().iter().any(&wanted))
    }
}

impl Op {
    /// Calls `visit` on every expression, in the order of evaluation; those of a marker ([`Op::Signed`]) are among them.
    pub fn each_expr<'a>(&'a self, visit: &mut impl FnMut(&'a Expr)) {
        visit_op!(self, visit);
    }

    /// The same, to be changed.
    pub fn each_expr_mut(&mut self, visit: &mut impl FnMut(&mut Expr)) {
        visit_op!(self, visit);
    }

    /// The registers (of [`Op::Forget`]: the variable) that it sets.
    pub fn results(&self) -> impl Iterator<Item = VarId> + use<> {
        let (first, second) = match self {
            Op::Set { var, .. }
            | Op::Havoc { var }
            | Op::Forget { var, .. }
            | Op::Alloc { var, .. }
            | Op::Realloc { var, .. }
            | Op::Create { handle: var, .. }
            | Op::Detach { error: var, .. } => (Some(*var), None),
            Op::Join { result, error, .. } => (Some(*result), Some(*error)),
            Op::WaitEnd { woken, .. } => (*woken, None),
            Op::Store { .. }
            | Op::Guard(_)
            | Op::Assume(_)
            | Op::Copy { .. }
            | Op::Fill { .. }
            | Op::Free(_)
            | Op::AtomicBegin
            | Op::AtomicEnd
            | Op::Fence(_)
            | Op::WaitBegin(_)
            | Op::Signal { .. }
            | Op::Signed { .. } => (None, None),
        };
        first.into_iter().chain(second)
    }
}
