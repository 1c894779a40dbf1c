//! Race freedom: only sequentially consistent accesses may meet.
//!
//! *Theorem* (DRF-SC; Lahav et al., PLDI 2017, for RC11; Adve and Hill, ISCA 1990, for machines): if in every sequentially consistent execution
//! accesses of different threads that conflict and are not ordered by synchronisation are both `memory_order_seq_cst`, the program has under the weak model
//! exactly its sequentially consistent executions. The condition is a data race of another program: the one in which every weaker atomic access
//! is a plain one. Compiled programs have no behaviours that RC11 does not have (Podkopaev, Lahav, Vafeiadis, POPL 2019), and compilers may optimise
//! what does not race; so this is the one lemma that holds for all models and after every optimisation.
//!
//! What locks, semaphores and the like do to their own words stays atomic: transactions with a synchronisation tag are left alone. A lock is taken by an
//! acquire operation and given back by a release operation only, which is enough for the theorem as long as no thread learns anything from *failing* to take
//! one; therefore try-locks can fail for no reason in programs for weak models (C11 7.26.4.5), and what else looks at a lock without
//! taking it is a relaxed access, which is plain here.
//!
//! # Direction of error
//! More races than there are: a failing compare-and-exchange counts as a write. Never fewer.

use program::{Action, Expr, MemoryModel, Op, Order, Program};

/// The program in which all accesses but sequentially consistent ones are plain, on a sequentially consistent machine.
pub fn strict(program: &Program) -> Program {
    let mut strict = Program { memory_model: MemoryModel::Sc, ..program.clone() };
    for function in strict.functions.iter_mut() {
        for location in function.locations.iter_mut() {
            weaken(&mut location.action);
        }
    }
    strict
}

fn weaken(action: &mut Action) {
    if matches!(action, Action::Ops { sync: Some(_), .. }) {
        return;
    }
    action.each_expr_mut(&mut |expr| {
        expr.walk_mut(&mut |part| {
            if let Expr::Load { order, .. } = part {
                *order = weakened(*order);
            }
        });
    });
    for op in action.ops_mut() {
        if let Op::Store { order, .. } = op {
            *order = weakened(*order);
        }
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
