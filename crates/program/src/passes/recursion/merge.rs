//! The bodies of functions that call each other, side by side in one function.
//!
//! A call that never returns needs nothing of its caller's frame any more; so the callee can go on in the same frame, if its body is there. Of each function of a cycle of
//! calls a version is made that has the bodies of all, with variables and locations of their own, and begins with its own.

use crate::{Action, Callee, Expr, FuncId, Function, LocId, Location, Op, Program, VarId};
use base::Idx;
use std::collections::BTreeMap;

/// Where a function's body is in another one.
pub(super) struct Part {
    /// Where it begins.
    pub(super) entry: LocId,
    /// Its parameters.
    pub(super) params: Vec<VarId>,
}

/// A function with the bodies of others behind its own; `None` if one has no place there.
pub(super) fn merge(
    program: &Program,
    first: FuncId,
    component: &[usize],
) -> Option<(Function, BTreeMap<FuncId, Part>)> {
    let mut function = program.functions[first].clone();
    let mut parts =
        BTreeMap::from([(first, Part { entry: function.entry, params: function.params.clone() })]);
    for &n in component.iter().filter(|n| **n != first.index()) {
        let other = &program.functions[FuncId::new(n)];
        let shift = Shift { vars: function.vars.len(), locations: function.locations.len() };
        for var in other.vars.iter() {
            function.vars.push(var.clone());
        }
        for location in other.locations.iter() {
            let action = shift.action(&location.action)?;
            function.locations.push(Location { action, span: location.span });
        }
        let params = other.params.iter().map(|var| shift.var(*var)).collect();
        parts.insert(FuncId::new(n), Part { entry: shift.location(other.entry), params });
    }
    Some((function, parts))
}

/// How far variables and locations are moved.
struct Shift {
    vars: usize,
    locations: usize,
}

impl Shift {
    fn var(&self, var: VarId) -> VarId {
        VarId::new(self.vars + var.index())
    }

    fn location(&self, location: LocId) -> LocId {
        LocId::new(self.locations + location.index())
    }

    fn action(&self, action: &Action) -> Option<Action> {
        Some(match action {
            Action::Ops { ops, sync: None, next } => {
                let ops = ops.iter().map(|op| self.op(op)).collect::<Option<Vec<Op>>>()?;
                Action::Ops { ops, sync: None, next: self.location(*next) }
            }
            Action::Branch { cond, yes, no } => {
                let (yes, no) = (self.location(*yes), self.location(*no));
                Action::Branch { cond: self.expr(cond)?, yes, no }
            }
            Action::Call { callee: Callee::Direct(func), args, ret, next } => Action::Call {
                callee: Callee::Direct(*func),
                args: args.iter().map(|arg| self.expr(arg)).collect::<Option<Vec<Expr>>>()?,
                ret: ret.map(|var| self.var(var)),
                next: self.location(*next),
            },
            Action::Return(value) => match value {
                None => Action::Return(None),
                Some(value) => Action::Return(Some(self.expr(value)?)),
            },
            Action::Exit | Action::Error { .. } | Action::Unsupported(_) | Action::Undefined(_) => {
                action.clone()
            }
            Action::Ops { .. } | Action::Call { .. } | Action::ThreadExit(_) => return None,
        })
    }

    fn op(&self, op: &Op) -> Option<Op> {
        Some(match op {
            Op::Set { var, value } => Op::Set { var: self.var(*var), value: self.expr(value)? },
            Op::Havoc { var } => Op::Havoc { var: self.var(*var) },
            Op::Forget { var, alive } => Op::Forget { var: self.var(*var), alive: *alive },
            Op::Assume(cond) => Op::Assume(self.expr(cond)?),
            Op::Store { addr, value, order } => {
                Op::Store { addr: self.expr(addr)?, value: self.expr(value)?, order: *order }
            }
            Op::Fence(_) => op.clone(),
            Op::Signed { op, left, right, span } => {
                Op::Signed { op: *op, left: self.expr(left)?, right: self.expr(right)?, span: *span }
            }
            _ => return None,
        })
    }

    fn expr(&self, expr: &Expr) -> Option<Expr> {
        let boxed = |part: &Expr| self.expr(part).map(Box::new);
        Some(match expr {
            Expr::Reg(var, width) => Expr::Reg(self.var(*var), *width),
            Expr::LocalAddr(..) => return None,
            Expr::Load { addr, width, order } => {
                Expr::Load { addr: boxed(addr)?, width: *width, order: *order }
            }
            Expr::Unary(op, part) => Expr::Unary(*op, boxed(part)?),
            Expr::Binary(op, left, right) => Expr::Binary(*op, boxed(left)?, boxed(right)?),
            Expr::Cast(cast, width, part) => Expr::Cast(*cast, *width, boxed(part)?),
            Expr::Ite(cond, yes, no) => Expr::Ite(boxed(cond)?, boxed(yes)?, boxed(no)?),
            Expr::SameObject(left, right) => Expr::SameObject(boxed(left)?, boxed(right)?),
            Expr::Const(..) | Expr::ObjectAddr(..) | Expr::FuncAddr(..) | Expr::SelfHandle(_) => expr.clone(),
        })
    }
}
