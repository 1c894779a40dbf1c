//! Copy propagation: a temporary that is used once, right after it is set, disappears into its use, and so do steps that do nothing.
//!
//! | before | after | because |
//! |---|---|---|
//! | `t = e; [x] = t` (one transaction) | `[x] = e` | both are evaluated in one step, and nothing happens in between |
//! | `…; t = e`, then `if t …` | `…`, then `if e …` | see below |
//! | `skip`, to another location | nothing | it can be taken at any time and changes nothing |
//!
//! It keeps all verdicts. Two cases need care:
//!
//! * **A value that reads memory moves to the next step.** Other threads may act between the transaction and the branch. That is the same as their
//!   acting before both, as long as what is left of the transaction is *invisible*: it reads and writes registers and private memory only. (The
//!   front end puts at most one access to shared memory into a transaction, so that this is the rule there.) The branch has no other predecessor.
//! * **`ite` evaluates one side only.** A value that reads memory is never moved below a choice, which might then not read it.
//!
//! *Private* is what no other thread can reach: a memory variable whose address is used for its own loads and stores only; nothing writes a
//! read-only object. A use inside a marker ([`Op::Signed`]) counts like any other, so run [`overflow`](mod@super::overflow) before.

use super::control_flow::{compact, predecessors};
use crate::{Action, BinOp, Expr, Function, LocId, Op, Program, VarId};
use base::Idx;

/// Larger results stay cut in two.
pub(super) const MAX_NODES: usize = 400;

/// Copy propagation in all functions.
pub fn copy_propagation(program: &mut Program) {
    let read_only: Vec<bool> = program.objects.iter().map(|object| object.read_only).collect();
    for function in program.functions.iter_mut() {
        in_function(function, &read_only);
    }
}

/// Copy propagation in one function; of each object it must be known whether it is read-only.
pub(super) fn in_function(function: &mut Function, read_only: &[bool]) {
    let none = vec![None; function.locations.len()];
    compact(function, &none); // so that nothing is counted that cannot be reached
    let private = Private::of(function, read_only);
    let counts = Counts::of(function);
    let n_predecessors = predecessors(function);
    let mut alias: Vec<Option<LocId>> = vec![None; function.locations.len()];
    for loc in function.locations.ids() {
        let Action::Ops { ops, next, .. } = &mut function.locations[loc].action else { continue };
        inline_in_transaction(ops, &counts);
        let next = *next;
        if n_predecessors[next.index()] == 1 && next != loc {
            inline_in_branch(function, loc, next, &counts, &private);
        }
        if let Action::Ops { ops, sync: None, next } = &function.locations[loc].action
            && ops.is_empty()
            && *next != loc
        {
            alias[loc.index()] = Some(*next);
        }
    }
    compact(function, &alias);
}

/// How often each register is set and used.
struct Counts {
    sets: Vec<u32>,
    uses: Vec<u32>,
    temporary: Vec<bool>,
}

impl Counts {
    fn of(function: &Function) -> Self {
        let n = function.vars.len();
        let temporary = function.vars.iter().map(|v| v.temporary).collect();
        let mut counts = Counts { sets: vec![0; n], uses: vec![0; n], temporary };
        for location in function.locations.iter() {
            location.action.each_expr(&mut |e| counts.count_uses(e));
            if let Action::Ops { ops, .. } = &location.action {
                ops.iter().flat_map(Op::results).for_each(|v| counts.sets[v.index()] += 1);
            }
            if let Action::Call { ret: Some(var), .. } = &location.action {
                counts.sets[var.index()] += 1;
            }
        }
        counts
    }

    fn count_uses(&mut self, expr: &Expr) {
        expr.walk(&mut |e| {
            if let Expr::Reg(var, _) = e {
                self.uses[var.index()] += 1;
            }
        });
    }

    /// Returns true if `var` is a temporary with one definition and one use.
    fn is_single(&self, var: VarId) -> bool {
        let n = var.index();
        self.temporary[n] && self.sets[n] == 1 && self.uses[n] == 1
    }
}

fn inline_in_transaction(ops: &mut Vec<Op>, counts: &Counts) {
    let mut at = 0;
    while at + 1 < ops.len() {
        let (before, after) = ops.split_at_mut(at + 1);
        let inlined = match &before[at] {
            Op::Set { var, value } if counts.is_single(*var) => match &mut after[0] {
                Op::Set { value: into, .. } | Op::Guard(into) | Op::Assume(into) | Op::Free(into) => {
                    substitute(into, *var, value)
                }
                Op::Store { addr, value: into, .. } => {
                    substitute(into, *var, value) || substitute(addr, *var, value)
                }
                _ => false,
            },
            _ => false,
        };
        if inlined {
            ops.remove(at);
            at = at.saturating_sub(1);
        } else {
            at += 1;
        }
    }
}

fn inline_in_branch(function: &mut Function, loc: LocId, next: LocId, counts: &Counts, private: &Private) {
    let Action::Ops { ops, sync: None, .. } = &function.locations[loc].action else { return };
    let Some((Op::Set { var, value }, rest)) = ops.split_last() else { return };
    let stays = private.reads_shared(value) && rest.iter().any(|op| private.is_visible(op));
    if !counts.is_single(*var) || stays {
        return;
    }
    let (var, value) = (*var, value.clone());
    let Action::Branch { cond, .. } = &mut function.locations[next].action else { return };
    if substitute(cond, var, &value)
        && let Action::Ops { ops, .. } = &mut function.locations[loc].action
    {
        ops.pop();
    }
}

/// Memory that other threads can neither reach nor change.
struct Private<'o> {
    read_only: &'o [bool],
    /// Of each variable: whether its address is used otherwise than for its own accesses.
    escapes: Vec<bool>,
}

impl<'o> Private<'o> {
    fn of(function: &Function, read_only: &'o [bool]) -> Self {
        let mut private = Private { read_only, escapes: vec![false; function.vars.len()] };
        for location in function.locations.iter() {
            match &location.action {
                Action::Ops { ops, sync, .. } => {
                    ops.iter().for_each(|op| private.escape_in_op(op));
                    sync.iter().for_each(|sync| private.escape(&sync.object));
                }
                other => other.each_expr(&mut |e| private.escape(e)),
            }
        }
        private
    }

    fn escape_in_op(&mut self, op: &Op) {
        match op {
            Op::Store { addr, value, .. } => {
                self.escape_in_address(addr);
                self.escape(value);
            }
            Op::Copy { dst, src: other, len } | Op::Fill { dst, byte: other, len } => {
                self.escape_in_address(dst);
                self.escape_in_address(other);
                self.escape(len);
            }
            other => other.each_expr(&mut |e| self.escape(e)),
        }
    }

    fn escape(&mut self, expr: &Expr) {
        match expr {
            Expr::LocalAddr(var, _) => self.escapes[var.index()] = true,
            Expr::Load { addr, .. } => self.escape_in_address(addr),
            other => other.children().for_each(|part| self.escape(part)),
        }
    }

    /// The base of an address that is accessed does not escape.
    fn escape_in_address(&mut self, addr: &Expr) {
        match addr {
            Expr::LocalAddr(..) => {}
            Expr::Binary(BinOp::Add | BinOp::Sub, base, offset) => {
                self.escape_in_address(base);
                self.escape(offset);
            }
            other => self.escape(other),
        }
    }

    fn contains(&self, addr: &Expr) -> bool {
        match addr {
            Expr::LocalAddr(var, _) => !self.escapes[var.index()],
            Expr::ObjectAddr(object, _) => self.read_only[object.index()],
            Expr::Binary(BinOp::Add | BinOp::Sub, base, _) => self.contains(base),
            _ => false,
        }
    }

    /// Returns true if `expr` reads memory that is not private.
    fn reads_shared(&self, expr: &Expr) -> bool {
        let reads_here = matches!(expr, Expr::Load { addr, .. } if !self.contains(addr));
        reads_here || expr.children().any(|part| self.reads_shared(part))
    }

    /// Returns true if it may matter to other threads when `op` happens.
    fn is_visible(&self, op: &Op) -> bool {
        let mut reads = false;
        op.each_expr(&mut |e| reads |= self.reads_shared(e));
        let happens = match op {
            Op::Store { addr, .. } => !self.contains(addr),
            Op::Copy { dst, src, .. } => !self.contains(dst) || !self.contains(src),
            Op::Fill { dst, .. } => !self.contains(dst),
            Op::Forget { var, .. } => self.escapes[var.index()],
            Op::Set { .. } | Op::Havoc { .. } | Op::Alloc { .. } | Op::Assume(_) => false,
            Op::Fence(_) | Op::Signed { .. } => false,
            Op::Guard(_) | Op::Realloc { .. } | Op::Free(_) | Op::AtomicBegin | Op::AtomicEnd => true,
            Op::Create { .. } | Op::Join { .. } | Op::Detach { .. } => true,
            Op::WaitBegin(_) | Op::WaitEnd { .. } | Op::Signal { .. } => true,
        };
        reads || happens
    }
}

/// Replaces the one use of `var` in `expr` by `value`, if that is allowed; returns true if it did.
fn substitute(expr: &mut Expr, var: VarId, value: &Expr) -> bool {
    if nodes(expr) + nodes(value) > MAX_NODES {
        return false;
    }
    match expr {
        Expr::Reg(v, _) if *v == var => {
            *expr = value.clone();
            true
        }
        Expr::Load { addr, .. } => substitute(addr, var, value),
        Expr::Unary(_, e) | Expr::Cast(_, _, e) => substitute(e, var, value),
        Expr::Binary(_, l, r) | Expr::SameObject(l, r) => {
            substitute(l, var, value) || substitute(r, var, value)
        }
        Expr::Ite(c, yes, no) => {
            substitute(c, var, value)
                || !value.reads_memory() && (substitute(yes, var, value) || substitute(no, var, value))
        }
        Expr::Const(..)
        | Expr::Reg(..)
        | Expr::LocalAddr(..)
        | Expr::ObjectAddr(..)
        | Expr::FuncAddr(..)
        | Expr::SelfHandle(_) => false,
    }
}

pub(super) fn nodes(expr: &Expr) -> usize {
    let mut n = 0;
    expr.walk(&mut |_| n += 1);
    n
}
