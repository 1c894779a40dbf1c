//! Pointers to variables of earlier calls.
//!
//! A variable of a frame has the same address whenever its function is called at the same depth of the same thread, so that equal states are equal however
//! often a function was called before. A pointer to the variable that is still there when the function is called *again* points to an object that has ceased to
//! live; C calls its value indeterminate (C11 6.2.4p2). Here it becomes [`DANGLING`](Interp::dangling), an address where no object ever is, so that using it is
//! undefined and does not touch the new variable.
//!
//! Only variables whose address is used for more than accesses by name are looked for. The same happens when the block of a variable is entered again, if the program says
//! where its life ends ([`Op::Forget`]).
//!
//! # Direction of error
//! A number that happens to be the address of a variable of an earlier call is changed, too. Addresses of 64 bits are so high that programs do not compute
//! with such numbers; with 32 bits nothing is looked for, and a pointer to an earlier call's variable is taken for one to the new variable, as are pointers beyond the first
//! [`MAX_EXTENT`] bytes of an array of variable length.

use super::{Identity, Interp, State};
use crate::{Action, BinOp, Callee, DataModel, Expr, FuncId, Function, Op, VarId};
use base::Idx;
use base::convert::{index, low8, low64};
use std::rc::Rc;
use std::sync::Arc;

/// How much of an object pointers are looked for to.
const MAX_EXTENT: u64 = 1 << 20;

impl Interp<'_> {
    /// The value of pointers to variables of earlier calls.
    pub fn dangling(&self) -> u64 {
        low64(self.program().data_model.pointer().truncate(u128::from(u64::MAX - 0xfff)))
    }

    /// Changes pointers to an earlier object of this identity, in `state` and among the arguments of a call.
    pub(super) fn forget_pointers(&self, state: &mut State, identity: Identity, args: &mut [u128]) {
        // Also if nothing was ever there, so that what happens does not depend on what else was tried.
        let Ok(slot) = self.slot(identity) else { return };
        if self.program().data_model == DataModel::Ilp32 {
            return;
        }
        let (base, size) = (self.base(slot), self.slot_size(slot).clamp(1, MAX_EXTENT));
        let points = |value: u128| u64::try_from(value).is_ok_and(|v| v.wrapping_sub(base) < size);
        let dangling = u128::from(self.dangling());
        args.iter_mut().filter(|value| points(**value)).for_each(|value| *value = dangling);
        for (_, thread) in &mut state.threads {
            let holds = thread.frames.iter().any(|f| f.registers.iter().flatten().any(|v| points(*v)));
            if holds {
                for frame in &mut Arc::make_mut(thread).frames {
                    let registers = Arc::make_mut(frame).registers.iter_mut().flatten();
                    registers.filter(|value| points(**value)).for_each(|value| *value = dangling);
                }
            }
        }
        let word = self.program().data_model.pointer().bytes();
        let bytes: Vec<Option<u8>> = (0..word).map(|at| Some(low8(dangling >> (8 * at)))).collect();
        for holder in state.memory.slots().collect::<Vec<_>>() {
            let found: Vec<u64> = state.memory.get(holder).map_or_else(Vec::new, |content| {
                let words = content.words(index(word));
                words.filter(|(_, value)| points(u128::from(*value))).map(|(at, _)| at).collect()
            });
            if let (false, Some(content)) = (found.is_empty(), state.memory.get_mut(holder)) {
                found.into_iter().for_each(|at| content.write(at, &bytes));
            }
        }
    }

    /// Returns true if the address of a memory variable is used for more than accesses by name.
    pub(super) fn gives_address(&self, func: FuncId, var: VarId) -> bool {
        self.uses(func, var).gives_address
    }

    /// Returns true if a memory variable may cease to live before its frame does.
    pub(super) fn ends_in_scope(&self, func: FuncId, var: VarId) -> bool {
        self.uses(func, var).ends
    }

    fn uses(&self, func: FuncId, var: VarId) -> Uses {
        let mut known = self.memory_variables.borrow_mut();
        let function = &self.program().functions[func];
        known.entry(func).or_insert_with(|| Rc::from(all_uses(function)))[var.index()]
    }
}

/// How a memory variable is used.
#[derive(Clone, Copy, Default)]
pub(super) struct Uses {
    gives_address: bool,
    ends: bool,
}

fn all_uses(function: &Function) -> Vec<Uses> {
    let given = addresses_given(function).into_iter();
    let mut uses: Vec<Uses> = given.map(|gives_address| Uses { gives_address, ends: false }).collect();
    for location in function.locations.iter() {
        let Action::Ops { ops, .. } = &location.action else { continue };
        for op in ops {
            if let Op::Forget { var, alive: false } = op {
                uses[var.index()].ends = true;
            }
        }
    }
    uses
}

/// For each variable of a function whether its address is used for more than accesses by name.
fn addresses_given(function: &Function) -> Vec<bool> {
    let mut given = vec![false; function.vars.len()];
    for location in function.locations.iter() {
        match &location.action {
            Action::Ops { ops, .. } => ops.iter().for_each(|op| operation(op, &mut given)),
            Action::Branch { cond, .. } => expression(cond, false, &mut given),
            Action::Call { callee, args, .. } => {
                args.iter().for_each(|arg| expression(arg, false, &mut given));
                if let Callee::Indirect(address) = callee {
                    expression(address, false, &mut given);
                }
            }
            Action::Return(Some(value)) | Action::ThreadExit(value) => expression(value, false, &mut given),
            Action::Return(None)
            | Action::Exit
            | Action::Error { .. }
            | Action::Unsupported(_)
            | Action::Undefined(_) => {}
        }
    }
    given
}

fn operation(op: &Op, given: &mut [bool]) {
    let (addresses, values): (Vec<&Expr>, Vec<&Expr>) = match op {
        Op::Store { addr, value, .. } => (vec![addr], vec![value]),
        Op::Copy { dst, src, len } => (vec![dst, src], vec![len]),
        Op::Fill { dst, byte, len } => (vec![dst], vec![byte, len]),
        Op::Set { value: e, .. }
        | Op::Guard(e)
        | Op::Assume(e)
        | Op::Alloc { size: e, .. }
        | Op::Free(e)
        | Op::Join { handle: e, .. }
        | Op::Detach { handle: e, .. } => (Vec::new(), vec![e]),
        // Who waits on a condition variable is known by its address only.
        Op::WaitBegin(e) | Op::Signal { cond: e, .. } => (vec![e], Vec::new()),
        Op::Realloc { ptr, size, stays, .. } => (Vec::new(), vec![ptr, size, stays]),
        Op::Create { func, arg, .. } => (Vec::new(), vec![func, arg]),
        Op::Havoc { .. }
        | Op::Forget { .. }
        | Op::AtomicBegin
        | Op::AtomicEnd
        | Op::Fence(_)
        | Op::Signed { .. }
        | Op::WaitEnd { .. } => (Vec::new(), Vec::new()),
    };
    addresses.into_iter().for_each(|e| expression(e, true, given));
    values.into_iter().for_each(|e| expression(e, false, given));
}

/// `accessed` says that the value is the address of an access.
fn expression(e: &Expr, accessed: bool, given: &mut [bool]) {
    match e {
        Expr::LocalAddr(var, _) => given[var.index()] |= !accessed,
        Expr::Load { addr, .. } => expression(addr, true, given),
        Expr::Binary(BinOp::Add | BinOp::Sub, left, right) => {
            expression(left, accessed, given);
            expression(right, false, given);
        }
        // A comparison of addresses hands on none of them.
        Expr::SameObject(left, right) => {
            expression(left, true, given);
            expression(right, true, given);
        }
        Expr::Binary(_, left, right) => {
            expression(left, false, given);
            expression(right, false, given);
        }
        Expr::Unary(_, inner) | Expr::Cast(_, _, inner) => expression(inner, false, given),
        Expr::Ite(cond, yes, no) => {
            expression(cond, false, given);
            expression(yes, accessed, given);
            expression(no, accessed, given);
        }
        Expr::Const(..) | Expr::Reg(..) | Expr::ObjectAddr(..) | Expr::FuncAddr(..) | Expr::SelfHandle(_) => {
        }
    }
}
