//! Which implementation of C and POSIX an answer is about: both leave much to it (docs/SOUNDNESS.md).

use program::interp::span_name;
use program::{BinOp, DataModel, Expr, FuncId, Program, Property};
use semantics::analysis::{PointsTo, Site};
use std::collections::BTreeSet;

/// What an answer takes for granted about the implementation.
pub(crate) fn assumptions(program: &Program, property: Property) -> Vec<String> {
    let machine = match program.data_model {
        DataModel::Lp64 => "x86-64",
        DataModel::Ilp32 => "x86 with 32 bits",
    };
    let mut lines = vec![if program.memory_model.is_weak() {
        format!("gcc and glibc on Linux, with the types of {machine}")
    } else if program.creates_threads() {
        format!(
            "gcc and glibc on Linux, {machine}; the accesses of threads take turns, in the order in which they are written"
        )
    } else {
        format!("gcc and glibc on Linux, {machine}")
    }];
    // Where undefined behaviour is looked for, such an order is a violation.
    if property != Property::UndefinedBehaviour {
        lines.extend(ordered_objects(program));
    }
    lines
}

/// Says that the addresses of different objects are compared, if they may be.
fn ordered_objects(program: &Program) -> Option<String> {
    let mut comparisons: Vec<(FuncId, &Expr, base::Span)> = Vec::new();
    for (func, function) in program.functions.iter_enumerated().filter(|(_, function)| !function.library) {
        for location in function.locations.iter() {
            location.action.each_expr(&mut |e| {
                e.walk(&mut |part| {
                    if let Expr::Binary(BinOp::ULt | BinOp::ULe | BinOp::SLt | BinOp::SLe, left, _) = part
                        && left.width() == program.data_model.pointer()
                    {
                        comparisons.push((func, part, location.span));
                    }
                });
            });
        }
    }
    if comparisons.is_empty() {
        return None;
    }
    let points_to = PointsTo::of(program);
    let sites = |func: FuncId, e: &Expr| -> BTreeSet<Site> {
        points_to.targets(func, e).places.into_iter().map(|(site, _)| site).collect()
    };
    let is_open = |(func, e, _): &&(FuncId, &Expr, base::Span)| match e {
        Expr::Binary(_, left, right) => {
            let (left, right) = (sites(*func, left), sites(*func, right));
            !left.is_empty() && !right.is_empty() && left.union(&right).count() > 1
        }
        _ => false,
    };
    let (_, _, span) = comparisons.iter().find(is_open)?;
    let place = span_name(program, *span);
    Some(format!(
        "{place}: objects whose addresses are compared lie in memory in the order in which threadproof puts them"
    ))
}
