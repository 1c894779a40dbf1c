//! Race freedom: only sequentially consistent accesses may meet.
//!
//! *Theorem* (DRF-SC; Lahav et al., PLDI 2017, for RC11; Adve and Hill, ISCA 1990, for machines): if in every sequentially consistent execution
//! accesses of different threads that conflict and are not ordered by synchronisation are both `memory_order_seq_cst`, the program has under the weak model
//! exactly its sequentially consistent executions. The condition is a data race of another program: the one in which every weaker atomic access
//! is a plain one. Compiled programs have no behaviours that RC11 does not have (Podkopaev, Lahav, Vafeiadis, POPL 2019), and compilers may optimise
//! what does not race; so this is the one lemma that holds for all models and after every optimisation.
//!
//! What locks, semaphores and the like do to their own words stays atomic: transactions with a synchronisation tag are left alone. A lock is taken by an
//! acquire operation and given back by a release operation only, which is enough for the theorem as long as nobody learns anything from *failing* to take
//! one; therefore try-locks can fail for no reason in programs for weak models (C11 7.26.4.5), and what else looks at a lock without
//! taking it is a relaxed access, which is plain here.
//!
//! # Direction of error
//! More races than there are: a failing compare-and-exchange counts as a write. Never fewer.

use program::{Action, Callee, Expr, MemoryModel, Op, Order, Program};

/// The program in which all accesses but sequentially consistent ones are plain, on a sequentially consistent machine.
pub fn strict(program: &Program) -> Program {
    let mut strict = Program { memory_model: MemoryModel::Sc, ..program.clone() };
    for function in strict.functions.iter_mut() {
        for location in function.locations.iter_mut() {
            weaken_action(&mut location.action);
        }
    }
    strict
}

fn weaken_action(action: &mut Action) {
    match action {
        Action::Ops { sync: Some(_), .. } => {}
        Action::Ops { ops, sync: None, .. } => ops.iter_mut().for_each(weaken_op),
        Action::Branch { cond, .. } => weaken(cond),
        Action::Call { callee, args, .. } => {
            if let Callee::Indirect(target) = callee {
                weaken(target);
            }
            args.iter_mut().for_each(weaken);
        }
        Action::Return(Some(value)) | Action::ThreadExit(value) => weaken(value),
        Action::Return(None)
        | Action::Exit
        | Action::Error { .. }
        | Action::Unsupported(_)
        | Action::Undefined(_) => {}
    }
}

fn weaken_op(op: &mut Op) {
    match op {
        Op::Set { value: e, .. }
        | Op::Guard(e)
        | Op::Assume(e)
        | Op::Alloc { size: e, .. }
        | Op::Free(e)
        | Op::Join { handle: e, .. }
        | Op::Detach { handle: e, .. }
        | Op::WaitBegin(e)
        | Op::Signal { cond: e, .. } => weaken(e),
        Op::Store { addr, value, order } => {
            weaken(addr);
            weaken(value);
            *order = weakened(*order);
        }
        Op::Realloc { ptr: a, size: b, .. } | Op::Create { func: a, arg: b, .. } => {
            weaken(a);
            weaken(b);
        }
        Op::Copy { dst, src, len } | Op::Fill { dst, byte: src, len } => {
            [dst, src, len].into_iter().for_each(weaken);
        }
        Op::Havoc { .. }
        | Op::Forget { .. }
        | Op::AtomicBegin
        | Op::AtomicEnd
        | Op::Fence(_)
        | Op::Signed { .. }
        | Op::WaitEnd { .. } => {}
    }
}

fn weaken(expr: &mut Expr) {
    match expr {
        Expr::Load { addr, order, .. } => {
            *order = weakened(*order);
            weaken(addr);
        }
        Expr::Unary(_, e) | Expr::Cast(_, _, e) => weaken(e),
        Expr::Binary(_, l, r) => [l, r].into_iter().for_each(|e| weaken(e)),
        Expr::Ite(c, yes, no) => [c, yes, no].into_iter().for_each(|e| weaken(e)),
        Expr::Const(..)
        | Expr::Reg(..)
        | Expr::LocalAddr(..)
        | Expr::ObjectAddr(..)
        | Expr::FuncAddr(..)
        | Expr::SelfHandle(_) => {}
    }
}

fn weakened(order: Order) -> Order {
    if order == Order::SeqCst { Order::SeqCst } else { Order::Plain }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_strongest_order_stays() {
        let text = "program lp64
            object x: 4
            function main() -> 32 { reg t: 32
                t = [&x]:32!acq
                [&x]:32!rel = t
                [&x]:32!sc = 1
                return 0 }";
        let program = program::text::parse(text).expect("the text should be a program");
        let printed = program::text::print(&strict(&program));
        assert!(!printed.contains("!acq") && !printed.contains("!rel"), "{printed}");
        assert!(printed.contains("!sc"), "{printed}");
    }
}
