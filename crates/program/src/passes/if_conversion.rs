//! If-conversion: choices of values become expressions.
//!
//! C's `&&`, `||` and `?:` are lowered to branches, because each operand that is a shared variable is an access of its own, and other
//! threads may run in between. Where they cannot — inside an atomic section, or where the operands read no memory —
//! the branches are undone: what remains is one step with `ite` expressions, and a search has one successor where it had one for each path
//! through the expression. As `ite` evaluates only the side it takes, the same memory is read as before.
//!
//! | before | after |
//! |---|---|
//! | `if c then Y else N`, `Y: t = a`, `N: t = b`, both to `J` | `t = ite(c, a, b)`, to `J` |
//! | `if c then Y else N`, `Y: if d then A else N` | `if ite(c, d, false) then A else N` |
//! | `t = a`, then `[x] = t`, inside a section | `[x] = a` (by [`copy_propagation`](super::copy_propagation()), once they are one step) |
//!
//! It keeps all verdicts, data races included: inside a section two steps become one, with the same accesses, and no other
//! thread can run between them; outside, only steps on registers move. *Inside* is what is so on all paths from the function's
//! entry, of which nothing is assumed. Only temporaries are merged: branches that the user wrote stay visible.

use super::control_flow::predecessors;
use super::copy_propagation::{MAX_NODES, in_function, nodes};
use crate::{Action, Callee, Cast, Expr, FuncId, Function, LocId, Location, Op, Program, UnOp, VarId, Width};
use base::Idx;

/// If-conversion in all functions.
pub fn if_conversion(program: &mut Program) {
    let leaky = leaky_functions(program);
    let read_only: Vec<bool> = program.objects.iter().map(|object| object.read_only).collect();
    for function in program.functions.iter_mut() {
        loop {
            let inside = inside_sections(function, &leaky);
            let mut pass = Pass { n_predecessors: predecessors(function), inside, function };
            let changed = pass.run();
            if !changed {
                break;
            }
            in_function(function, &read_only);
        }
    }
}

/// Functions that may leave a section that they did not enter: what is inside before a call to one is not known to be so after it.
fn leaky_functions(program: &Program) -> Vec<bool> {
    let mut leaky: Vec<bool> = vec![false; program.functions.len()];
    loop {
        let mut changed = false;
        for (func, function) in program.functions.iter_enumerated() {
            if !leaky[func.index()] && is_leaky(function, &leaky) {
                leaky[func.index()] = true;
                changed = true;
            }
        }
        if !changed {
            return leaky;
        }
    }
}

fn is_leaky(function: &Function, leaky: &[bool]) -> bool {
    let depths = depths(function, leaky);
    function.locations.iter_enumerated().any(|(loc, location)| match &location.action {
        Action::Ops { ops, .. } => {
            let mut depth = depths[loc.index()];
            ops.iter().any(|op| match op {
                Op::AtomicBegin => {
                    depth = depth.map(|d| d + 1);
                    false
                }
                Op::AtomicEnd => {
                    let leaves = depth == Some(0);
                    depth = depth.map(|d| d.saturating_sub(1));
                    leaves
                }
                _ => false,
            })
        }
        Action::Call { callee, .. } => may_leak(callee, leaky),
        _ => false,
    })
}

fn may_leak(callee: &Callee, leaky: &[bool]) -> bool {
    let of = |func: &FuncId| leaky[func.index()];
    match callee {
        Callee::Direct(func) => of(func),
        Callee::Indirect(_) => leaky.iter().any(|l| *l),
    }
}

/// How many sections have surely been entered and not left before each location; nothing where it cannot be reached.
fn depths(function: &Function, leaky: &[bool]) -> Vec<Option<u32>> {
    let mut depths: Vec<Option<u32>> = vec![None; function.locations.len()];
    let mut todo = vec![(function.entry, 0)];
    while let Some((loc, depth)) = todo.pop() {
        if depths[loc.index()].is_some_and(|known| known <= depth) {
            continue;
        }
        depths[loc.index()] = Some(depth);
        let action = &function.locations[loc].action;
        let after = match action {
            Action::Ops { ops, .. } => ops.iter().fold(depth, |depth, op| match op {
                Op::AtomicBegin => depth + 1,
                Op::AtomicEnd => depth.saturating_sub(1),
                _ => depth,
            }),
            Action::Call { callee, .. } if may_leak(callee, leaky) => 0,
            _ => depth,
        };
        todo.extend(action.successors().map(|next| (next, after)));
    }
    depths
}

fn inside_sections(function: &Function, leaky: &[bool]) -> Vec<bool> {
    depths(function, leaky).into_iter().map(|depth| depth.is_some_and(|d| d > 0)).collect()
}

/// One look at every location of a function.
struct Pass<'f> {
    n_predecessors: Vec<u32>,
    inside: Vec<bool>,
    function: &'f mut Function,
}

impl Pass<'_> {
    fn run(&mut self) -> bool {
        let mut changed = false;
        for loc in self.function.locations.ids() {
            // A location that was merged into another one is reached no longer.
            while self.n_predecessors[loc.index()] > 0
                && (self.short_circuit(loc) || self.diamond(loc) || self.one_step(loc))
            {
                changed = true;
            }
        }
        changed
    }

    fn action(&self, loc: LocId) -> &Action {
        &self.function.locations[loc].action
    }

    /// Returns true if `loc` is reached from `from` only.
    fn follows_only(&self, loc: LocId, from: LocId) -> bool {
        loc != from && self.n_predecessors[loc.index()] == 1
    }

    /// Returns true if `expr`, evaluated at `later`, may be evaluated at `earlier` already, when it is needed.
    fn may_move(&self, expr: &Expr, earlier: LocId, later: LocId) -> bool {
        let undisturbed = self.inside[earlier.index()] && self.inside[later.index()];
        is_plain(expr) && (undisturbed || !expr.reads_memory())
    }

    /// A branch whose one side is a branch to the other side.
    fn short_circuit(&mut self, loc: LocId) -> bool {
        let Action::Branch { cond, yes, no } = self.action(loc) else { return false };
        let (yes, no) = (*yes, *no);
        let (first, truth) = (cond.clone(), |value: bool| Expr::Const(u128::from(value), Width::BOOL));
        for (side, other, on_yes) in [(yes, no, true), (no, yes, false)] {
            let Action::Branch { cond: second, yes: a, no: b } = self.action(side) else { continue };
            let (second, a, b) = (second.clone(), *a, *b);
            if side == other || !self.follows_only(side, loc) || a == b || !(a == other || b == other) {
                continue;
            }
            if nodes(&first) + nodes(&second) > MAX_NODES || !self.may_move(&second, loc, side) {
                continue;
            }
            let otherwise = truth(a == other);
            let cond = if on_yes { ite(first, second, otherwise) } else { ite(first, otherwise, second) };
            self.function.locations[loc].action = Action::Branch { cond, yes: a, no: b };
            self.n_predecessors[side.index()] = 0;
            self.n_predecessors[other.index()] -= 1;
            return true;
        }
        false
    }

    /// A branch whose sides set the same temporary.
    fn diamond(&mut self, loc: LocId) -> bool {
        let Action::Branch { cond, yes, no } = self.action(loc) else { return false };
        let (yes, no) = (*yes, *no);
        if yes == no || !self.follows_only(yes, loc) || !self.follows_only(no, loc) {
            return false;
        }
        let (Some((t, a, join)), Some((u, b, meets))) = (self.sets_temporary(yes), self.sets_temporary(no))
        else {
            return false;
        };
        let fits = nodes(cond) + nodes(a) + nodes(b) <= MAX_NODES;
        if t != u || join != meets || !fits || !self.may_move(a, loc, yes) || !self.may_move(b, loc, no) {
            return false;
        }
        let value = ite(cond.clone(), a.clone(), b.clone());
        let ops = vec![Op::Set { var: t, value }];
        self.function.locations[loc].action = Action::Ops { ops, sync: None, next: join };
        self.n_predecessors[yes.index()] = 0;
        self.n_predecessors[no.index()] = 0;
        self.n_predecessors[join.index()] -= 1;
        true
    }

    fn sets_temporary(&self, loc: LocId) -> Option<(VarId, &Expr, LocId)> {
        match self.action(loc) {
            Action::Ops { ops, sync: None, next } => match &ops[..] {
                [Op::Set { var, value }] if self.function.vars[*var].temporary => Some((*var, value, *next)),
                _ => None,
            },
            _ => None,
        }
    }

    /// Inside a section: temporaries that are set for the next step are set in it.
    fn one_step(&mut self, loc: LocId) -> bool {
        let is_set = |op: &Op| matches!(op, Op::Set { var, .. } if self.function.vars[*var].temporary);
        let Action::Ops { ops: first, sync: None, next } = self.action(loc) else { return false };
        let next = *next;
        if first.is_empty() || !first.iter().all(is_set) || !self.follows_only(next, loc) {
            return false;
        }
        let Action::Ops { ops: second, sync: None, next: after } = self.action(next) else { return false };
        let moves = |op: &Op| matches!(op, Op::Set { .. } | Op::Store { .. });
        let undisturbed = self.inside[loc.index()] && self.inside[next.index()];
        if !undisturbed || !second.iter().all(moves) {
            return false;
        }
        let ops = first.iter().chain(second).cloned().collect();
        let action = Action::Ops { ops, sync: None, next: *after };
        let span = self.function.locations[next].span;
        self.function.locations[loc] = Location { action, span };
        self.n_predecessors[next.index()] = 0;
        true
    }
}

/// Returns true if an expression has a value in every state: it reads named variables only. (Formulas have no floating-point numbers: those stay where
/// they are, so that only the executions that meet them are lost.)
fn is_plain(expr: &Expr) -> bool {
    let mut plain = true;
    expr.walk(&mut |e| match e {
        Expr::Load { addr, .. } => {
            plain &= matches!(**addr, Expr::ObjectAddr(..) | Expr::LocalAddr(..));
        }
        Expr::Binary(op, ..) => plain &= !op.is_float(),
        Expr::Cast(kind, ..) => plain &= matches!(kind, Cast::Zext | Cast::Sext | Cast::Trunc),
        Expr::Unary(op, _) => plain &= !matches!(op, UnOp::FNeg),
        _ => {}
    });
    plain
}

fn ite(cond: Expr, yes: Expr, no: Expr) -> Expr {
    match (&yes, &no) {
        (Expr::Const(1, Width::BOOL), Expr::Const(0, Width::BOOL)) => cond,
        (Expr::Const(0, Width::BOOL), Expr::Const(1, Width::BOOL)) => Expr::Unary(UnOp::Not, Box::new(cond)),
        _ => Expr::Ite(Box::new(cond), Box::new(yes), Box::new(no)),
    }
}
