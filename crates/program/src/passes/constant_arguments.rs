//! Constant arguments: a parameter of a library function that is the same constant in every call is that constant.
//!
//! A model in C serves all calls of a function, and begins with the question what it was called for: which clock, which flags, which base. A program mostly asks for one thing.
//! With the constant in place, the branches of the model that no call takes disappear, and with them what an analysis without values would have to believe: that `clock_gettime` may
//! have failed and written nothing.
//!
//! Only models change: the program's own functions are shown to people as they were written. Constants travel from calls to the calls inside, so the pass is repeated
//! until nothing changes.
//!
//! # Direction of error
//! None: the parameter has that value in every call, and it is never set.

use crate::{Action, Callee, Expr, FuncId, Function, Program, VarId, VarKind};
use base::Idx;
use std::collections::BTreeMap;

/// Puts constants in the place of parameters of library functions.
pub fn constant_arguments(program: &mut Program) {
    loop {
        let found = constants(program);
        if found.is_empty() {
            return;
        }
        for ((func, param), constant) in found {
            replace(&mut program.functions[func], param, &constant);
        }
    }
}

/// Parameters that are used, never set, and the same constant in all calls.
fn constants(program: &Program) -> BTreeMap<(FuncId, VarId), Expr> {
    let is_candidate = candidates(program);
    let mut found: BTreeMap<(FuncId, VarId), Option<Expr>> = BTreeMap::new();
    let actions = program.functions.iter().flat_map(|f| f.locations.iter().map(|l| &l.action));
    for action in actions {
        let Action::Call { callee: Callee::Direct(func), args, .. } = action else { continue };
        let callee = &program.functions[*func];
        if !is_candidate[func.index()] {
            continue;
        }
        for (n, param) in callee.params.iter().enumerate() {
            // A call through a declaration without types may give a constant of another width.
            let VarKind::Register(width) = callee.vars[*param].kind else { continue };
            let given = args.get(n).filter(|arg| arg.as_const().is_some() && arg.width() == width);
            let known = found.entry((*func, *param)).or_insert_with(|| given.cloned());
            if known.as_ref() != given {
                *known = None;
            }
        }
    }
    let mut kept = BTreeMap::new();
    for ((func, param), constant) in found {
        let function = &program.functions[func];
        if let Some(constant) = constant
            && uses(function, param)
            && !sets(function, param)
        {
            kept.insert((func, param), constant);
        }
    }
    kept
}

/// Of each function: whether it is a model that only calls by name enter.
fn candidates(program: &Program) -> Vec<bool> {
    let mut candidates: Vec<bool> = program.functions.iter().map(|f| f.library).collect();
    candidates[program.entry.index()] = false;
    for reloc in program.objects.iter().flat_map(|object| &object.relocs) {
        if let crate::RelocTarget::Func(func) = reloc.target {
            candidates[func.index()] = false;
        }
    }
    for location in program.functions.iter().flat_map(|f| f.locations.iter()) {
        location.action.each_expr(&mut |e| {
            e.walk(&mut |part| {
                if let Expr::FuncAddr(func, _) = part {
                    candidates[func.index()] = false;
                }
            });
        });
    }
    candidates
}

fn uses(function: &Function, var: VarId) -> bool {
    let mut uses = false;
    for location in function.locations.iter() {
        location
            .action
            .each_expr(&mut |e| e.walk(&mut |part| uses |= matches!(part, Expr::Reg(v, _) if *v == var)));
    }
    uses
}

fn sets(function: &Function, var: VarId) -> bool {
    function.locations.iter().any(|location| {
        let by_call = matches!(location.action, Action::Call { ret: Some(ret), .. } if ret == var);
        by_call || location.action.ops().iter().any(|op| op.results().any(|result| result == var))
    })
}

fn replace(function: &mut Function, param: VarId, constant: &Expr) {
    for location in function.locations.iter_mut() {
        location.action.each_expr_mut(&mut |e| {
            let mut found = false;
            e.walk_mut(&mut |part| {
                if matches!(part, Expr::Reg(v, _) if *v == param) {
                    *part = constant.clone();
                    found = true;
                }
            });
            if found {
                fold(e);
            }
        });
        if let Action::Branch { cond, yes, no } = &location.action
            && let Some(value) = cond.as_const()
        {
            let next = if value == 0 { *no } else { *yes };
            location.action = Action::Ops { ops: Vec::new(), sync: None, next };
        }
    }
}

/// Computes what has become constant. A choice that is decided loses its other side, which is never evaluated.
fn fold(expr: &mut Expr) {
    expr.children_mut().for_each(fold);
    let placeholder = Expr::truth(false);
    *expr = match std::mem::replace(expr, placeholder) {
        Expr::Binary(op, left, right) => Expr::binary(op, *left, *right),
        Expr::Unary(op, operand) => Expr::unary(op, *operand),
        Expr::Cast(kind, width, operand) => Expr::cast(kind, width, *operand),
        Expr::Ite(cond, yes, no) => Expr::ite(*cond, *yes, *no),
        other => other,
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{parse, print};

    const TEXT: &str = "program lp64\n\
        function main() -> 32 {\n  memory x: 4\n\
        L0: call f(1, &x) -> L1\nL1: call f(1, &x) -> L2\nL2: return 0\n}\n\
        library function f(which: 32, to: 64) {\n\
        L0: if which == 0 then L1 else L2\nL1: return\nL2: call g(which, to) -> L3\nL3: return\n}\n\
        library function g(what: 32, to: 64) {\nL0: [to]:32 = what -> L1\nL1: return\n}\n";

    #[test]
    fn branches_of_models_that_no_call_takes_disappear() {
        let mut program = parse(TEXT).unwrap();
        constant_arguments(&mut program);
        crate::well_formed::check(&program).unwrap();
        let text = print(&program);
        assert!(text.contains("call g(1, to)") && text.contains("[to]:32 = 1"), "{text}");
        assert!(!text.contains("if "), "{text}");
    }

    #[test]
    fn constants_of_another_width_stay() {
        let mut program = parse(TEXT).unwrap();
        for location in program.functions[program.entry].locations.iter_mut() {
            if let Action::Call { args, .. } = &mut location.action {
                args[0] = Expr::constant(1, crate::Width(64));
            }
        }
        let before = program.clone();
        constant_arguments(&mut program);
        assert_eq!(print(&program), print(&before));
    }

    #[test]
    fn different_constants_addresses_and_own_functions_stay() {
        for (from, to) in [
            ("L1: call f(1, &x)", "L1: call f(2, &x)"),
            ("library function f", "function f"),
            ("L2: call g(which, to)", "L2: which = 1 -> L3\nL3: call g(which, to)"),
        ] {
            let text = TEXT.replace(from, to).replace(
                "L3: call g(which, to) -> L3\nL3: return",
                "L3: call g(which, to) -> L4\nL4: return",
            );
            let mut program = parse(&text).unwrap();
            let before = program.clone();
            constant_arguments(&mut program);
            assert_eq!(print(&program), print(&before), "{text}");
        }
    }
}
