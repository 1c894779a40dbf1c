//! Which expressions an action or an operation evaluates, and which registers it sets.

use crate::{Action, Callee, Expr, Op, VarId};

impl Action {
    /// Calls `visit` on every expression, in the order of evaluation; those of markers ([`Op::Signed`]) are among them.
    pub fn each_expr<'a>(&'a self, visit: &mut impl FnMut(&'a Expr)) {
        match self {
            Action::Ops { ops, sync, .. } => {
                ops.iter().for_each(|op| op.each_expr(visit));
                if let Some(sync) = sync {
                    visit(&sync.object);
                }
            }
            Action::Branch { cond, .. } => visit(cond),
            Action::Call { callee, args, .. } => {
                if let Callee::Indirect(target) = callee {
                    visit(target);
                }
                args.iter().for_each(visit);
            }
            Action::Return(Some(value)) | Action::ThreadExit(value) => visit(value),
            Action::Return(None) | Action::Exit | Action::Error { .. } => {}
            Action::Unsupported(_) | Action::Undefined(_) => {}
        }
    }
}

impl Op {
    /// Calls `visit` on every expression, in the order of evaluation; those of a marker ([`Op::Signed`]) are among them.
    pub fn each_expr<'a>(&'a self, visit: &mut impl FnMut(&'a Expr)) {
        match self {
            Op::Set { value: e, .. }
            | Op::Guard(e)
            | Op::Assume(e)
            | Op::Free(e)
            | Op::Alloc { size: e, .. }
            | Op::Join { handle: e, .. }
            | Op::Detach { handle: e, .. }
            | Op::WaitBegin(e)
            | Op::Signal { cond: e, .. } => visit(e),
            Op::Store { addr: a, value: b, .. }
            | Op::Create { func: a, arg: b, .. }
            | Op::Realloc { ptr: a, size: b, .. }
            | Op::Signed { left: a, right: b, .. } => {
                visit(a);
                visit(b);
            }
            Op::Copy { dst, src, len } | Op::Fill { dst, byte: src, len } => {
                visit(dst);
                visit(src);
                visit(len);
            }
            Op::Havoc { .. }
            | Op::Forget { .. }
            | Op::AtomicBegin
            | Op::AtomicEnd
            | Op::Fence(_)
            | Op::WaitEnd { .. } => {}
        }
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
            | Op::WaitEnd { .. }
            | Op::Signal { .. }
            | Op::Signed { .. } => (None, None),
        };
        first.into_iter().chain(second)
    }
}
