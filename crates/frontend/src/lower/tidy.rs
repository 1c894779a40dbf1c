//! Afterwards: temporaries that are used once, right after they are set, disappear into their use, and steps that do
//! nothing disappear.
//!
//! `t = [&x]:32; if t == 1 …` becomes `if [&x]:32 == 1 …`. Within a transaction this cannot change what happens at
//! one step; into a branch it moves a value past no other action, because the branch is the only successor and has no other
//! predecessor. A value that reads memory is never moved below a choice (`ite`), which might then not evaluate it.

use base::{Idx, IdxVec};
use program::{Action, Callee, Expr, Function, LocId, Op, VarId};

/// Larger results stay cut in two.
pub(super) const MAX_NODES: usize = 400;

/// Tidies one function.
pub(super) fn tidy(function: &mut Function) {
    let none = vec![None; function.locations.len()];
    compact(function, &none); // so that nothing is counted that cannot be reached
    let counts = Counts::of(function);
    let n_predecessors = predecessors(function);
    let mut alias: Vec<Option<LocId>> = vec![None; function.locations.len()];
    for loc in function.locations.ids() {
        let Action::Ops { ops, next, .. } = &mut function.locations[loc].action else { continue };
        inline_in_transaction(ops, &counts);
        let next = *next;
        if n_predecessors[next.index()] == 1 && next != loc {
            inline_in_branch(function, loc, next, &counts);
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
            each_expr(&location.action, &mut |e| counts.count_uses(e));
            if let Action::Ops { ops, .. } = &location.action {
                ops.iter().filter_map(set_by).for_each(|v| counts.sets[v.index()] += 1);
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

    /// Whether `var` is a temporary with one definition and one use.
    fn is_single(&self, var: VarId) -> bool {
        let n = var.index();
        self.temporary[n] && self.sets[n] == 1 && self.uses[n] == 1
    }
}

pub(super) fn predecessors(function: &Function) -> Vec<u32> {
    let mut counts = vec![0; function.locations.len()];
    counts[function.entry.index()] += 1;
    for location in function.locations.iter() {
        location.action.successors().for_each(|s| counts[s.index()] += 1);
    }
    counts
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

fn inline_in_branch(function: &mut Function, loc: LocId, next: LocId, counts: &Counts) {
    let Action::Ops { ops, sync: None, .. } = &function.locations[loc].action else { return };
    let Some(Op::Set { var, value }) = ops.last() else { return };
    if !counts.is_single(*var) {
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

/// Replaces the one use of `var` in `expr` by `value`, if that is allowed; tells whether it did.
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
        Expr::Binary(_, l, r) => substitute(l, var, value) || substitute(r, var, value),
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

/// Drops locations that are another one's alias or cannot be reached.
fn compact(function: &mut Function, alias: &[Option<LocId>]) {
    let resolve = |mut loc: LocId| {
        // A cycle of empty steps keeps one of them: a thread that spins does so in steps.
        let mut left = alias.len();
        while let Some(next) = alias[loc.index()] {
            left -= 1;
            if left == 0 {
                break;
            }
            loc = next;
        }
        loc
    };
    let mut new_id: Vec<Option<LocId>> = vec![None; alias.len()];
    let mut order = Vec::new();
    let mut todo = vec![resolve(function.entry)];
    while let Some(loc) = todo.pop() {
        if new_id[loc.index()].is_some() {
            continue;
        }
        new_id[loc.index()] = Some(LocId::new(order.len()));
        order.push(loc);
        let mut successors: Vec<LocId> = function.locations[loc].action.successors().map(resolve).collect();
        successors.reverse();
        todo.extend(successors);
    }
    let rename = |loc: LocId| new_id[resolve(loc).index()].expect("a successor should have been visited");
    let locations: IdxVec<LocId, _> = order
        .iter()
        .map(|&loc| {
            let mut location = function.locations[loc].clone();
            location.action.successors_mut().for_each(|s| *s = rename(*s));
            location
        })
        .collect();
    function.entry = rename(function.entry);
    function.locations = locations;
}

fn set_by(op: &Op) -> Option<VarId> {
    match op {
        Op::Set { var, .. }
        | Op::Havoc { var }
        | Op::Forget { var }
        | Op::Alloc { var, .. }
        | Op::Realloc { var, .. }
        | Op::Create { handle: var, .. }
        | Op::Detach { error: var, .. } => Some(*var),
        Op::Join { .. } => None, // two results; neither is ever a candidate
        _ => None,
    }
}

pub(super) fn each_expr(action: &Action, visit: &mut impl FnMut(&Expr)) {
    match action {
        Action::Ops { ops, sync, .. } => {
            ops.iter().for_each(|op| each_op_expr(op, visit));
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

fn each_op_expr(op: &Op, visit: &mut impl FnMut(&Expr)) {
    match op {
        Op::Set { value: e, .. }
        | Op::Guard(e)
        | Op::Assume(e)
        | Op::Free(e)
        | Op::Alloc { size: e, .. }
        | Op::Join { handle: e, .. }
        | Op::Detach { handle: e, .. }
        | Op::WaitBegin(e)
        | Op::Signal { cond: e, .. } => visit(e),
        Op::Store { addr, value, .. } => {
            visit(addr);
            visit(value);
        }
        Op::Copy { dst, src, len } | Op::Fill { dst, byte: src, len } => {
            visit(dst);
            visit(src);
            visit(len);
        }
        Op::Create { func, arg, .. } => {
            visit(func);
            visit(arg);
        }
        Op::Realloc { ptr, size, .. } => {
            visit(ptr);
            visit(size);
        }
        Op::Havoc { .. }
        | Op::Forget { .. }
        | Op::AtomicBegin
        | Op::AtomicEnd
        | Op::Fence(_)
        | Op::WaitEnd { .. } => {}
    }
}
