//! Fences put into a program, or taken out: the programs that have to be tried to learn which fences make a program robust.
//!
//! | transformation | function |
//! |---|---|
//! | a fence before a location | [`with_fences`] |
//! | without a fence | [`without_fence`] |
//! | atomic accesses with a weaker order | [`with_order`] |
//!
//! A place of the user's own text only is worth proposing: what the library's models do is not theirs to change.
//!
//! # Direction of error
//! None: the transformed program is one that the user could have written, and is verified like any other.

use program::memory_model::Barrier;
use program::{Action, Expr, FuncId, LocId, Location, Op, Order, Program};
use std::collections::BTreeMap;

/// A place in a program.
pub type Place = (FuncId, LocId);

/// A fence in front of a place.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Fence {
    /// The place before which it stands.
    pub place: Place,
    /// Its kind.
    pub barrier: Barrier,
}

/// A program with more fences.
pub struct Fenced {
    /// The program.
    pub program: Program,
    /// What the locations that were added are copies of.
    pub copies: BTreeMap<Place, Place>,
}

/// The program with these fences, each before the action at its location, so that every path to that action executes the fence.
pub fn with_fences(original: &Program, fences: &[Fence]) -> Fenced {
    let mut program = original.clone();
    let mut copies = BTreeMap::new();
    for Fence { place: (func, loc), barrier } in fences {
        let locations = &mut program.functions[*func].locations;
        let Location { action, span } = locations[*loc].clone();
        let copy = locations.push(Location { action, span });
        let ops = vec![Op::Fence(*barrier)];
        locations[*loc].action = Action::Ops { ops, sync: None, next: copy };
        copies.insert((*func, copy), (*func, *loc));
    }
    Fenced { program, copies }
}

/// The fences that the program's own text has.
pub fn fences(program: &Program) -> Vec<Place> {
    own_places(
        program,
        |action| matches!(action, Action::Ops { ops, .. } if ops.iter().any(|op| matches!(op, Op::Fence(_)))),
    )
}

/// The program without the fence at this place.
pub fn without_fence(original: &Program, (func, loc): Place) -> Program {
    let mut program = original.clone();
    if let Action::Ops { ops, .. } = &mut program.functions[func].locations[loc].action {
        ops.retain(|op| !matches!(op, Op::Fence(_)));
    }
    program
}

/// The accesses of the program's own text with an order that could be weaker.
pub fn ordered_accesses(program: &Program) -> Vec<(Place, Order)> {
    let strongest = |place: &Place| {
        let mut found = Order::Plain;
        let mut action = program.functions[place.0].locations[place.1].action.clone();
        each_order(&mut action, &mut |order| found = found.max(*order));
        (found > Order::Relaxed).then_some((*place, found))
    };
    own_places(program, |action| !matches!(action, Action::Ops { sync: Some(_), .. }))
        .iter()
        .filter_map(strongest)
        .collect()
}

/// The program in which the atomic accesses of a place have at most this order.
pub fn with_order(original: &Program, (func, loc): Place, at_most: Order) -> Program {
    let mut program = original.clone();
    each_order(&mut program.functions[func].locations[loc].action, &mut |order| {
        if *order > Order::Relaxed && *order > at_most {
            *order = at_most;
        }
    });
    program
}

/// Returns true if a place is in the program's own text.
pub fn is_own(program: &Program, (func, loc): Place) -> bool {
    let function = &program.functions[func];
    !function.library && function.locations[loc].span.is_somewhere()
}

fn own_places(program: &Program, wanted: impl Fn(&Action) -> bool) -> Vec<Place> {
    let mut found = Vec::new();
    for (func, function) in program.functions.iter_enumerated() {
        for (loc, location) in function.locations.iter_enumerated() {
            if is_own(program, (func, loc)) && wanted(&location.action) {
                found.push((func, loc));
            }
        }
    }
    found
}

fn each_order(action: &mut Action, change: &mut dyn FnMut(&mut Order)) {
    action.each_expr_mut(&mut |expr| {
        expr.walk_mut(&mut |part| {
            if let Expr::Load { order, .. } = part {
                change(order);
            }
        });
    });
    for op in action.ops_mut() {
        if let Op::Store { order, .. } = op {
            change(order);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "program lp64
        object x: 4
        function main() -> 32 { reg t: 32
            fence sc
            t = [&x]:32!sc
            return t }";

    #[test]
    fn a_fence_is_passed_whoever_comes() {
        let program = program::text::parse(TEXT).expect("the text should be a program");
        let (func, function) = program.functions.iter_enumerated().next().expect("main should be there");
        let place = (func, function.entry);
        let fenced = with_fences(&program, &[Fence { place, barrier: Barrier::Store }]);
        let action = &fenced.program.functions[func].locations[function.entry].action;
        let Action::Ops { ops, next, .. } = action else { panic!("there should be a fence") };
        assert_eq!((ops.len(), fenced.copies[&(func, *next)]), (1, place));
        assert!(program::well_formed::check(&fenced.program).is_ok());
    }

    #[test]
    fn orders_are_lowered() {
        let program = program::text::parse(TEXT).expect("the text should be a program");
        let mut relaxed = with_order(&program, (FuncId(0), LocId(1)), Order::Relaxed);
        let mut orders = Vec::new();
        for function in relaxed.functions.iter_mut() {
            for location in function.locations.iter_mut() {
                each_order(&mut location.action, &mut |order| orders.push(*order));
            }
        }
        assert_eq!(orders, [Order::Relaxed]);
    }
}
