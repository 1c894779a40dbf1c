//! A program without recursion that has an infinite execution if the given one has.
//!
//! In an infinite execution some calls never return and all others do. So at a call of a function inside itself the new program *guesses*:
//!
//! - The call returns: it is stepped over. Its result, and every word of memory that it may write, become inputs.
//! - The call never returns: then the caller's variables are never needed again, and the function starts over in the same frame, with the
//!   arguments for parameters. If it returns all the same, the guess was wrong, and the program ends.
//!
//! Functions that call each other in turn have all their bodies in each of them ([`mod@merge`]), so that each can start over as another one.
//!
//! An infinite execution of the old program becomes one of the new one: calls that return are finite parts of it, and calls that do not return are infinitely
//! many, or one of them goes on for ever by itself. (The argument is that of Terminator's for recursive programs: Cook, Podelski, Rybalchenko, *Summarization for
//! termination*, FMSD 2009, with the trivial summary.)
//!
//! # Direction of error
//! The new program does more than the old one, so that only its *termination* says something about the old one. Programs are refused in which functions
//! call through pointers, create threads, or write memory at addresses that are not constant inside a recursive function.

mod merge;

use crate::{
    Action, Callee, Cast, Expr, FuncId, Function, LocId, Location, Op, Program, Var, VarId, VarKind, Width,
};
use base::{Idx, Span, scc::cyclic_components};
use merge::{Part, merge};
use std::collections::{BTreeMap, BTreeSet};

/// The program without recursion; `None` if there is none, or if it cannot be removed.
pub fn without_recursion(program: &Program) -> Option<Program> {
    let callees: Vec<Vec<usize>> =
        program.functions.iter().map(callees).collect::<Option<Vec<Vec<usize>>>>()?;
    let components = cyclic_components(callees.len(), |n| callees[n].clone());
    if components.is_empty() || program.creates_threads() {
        return None;
    }
    let mut flat = program.clone();
    for component in components {
        let written = written(program, &callees, component[0])?;
        for func in component.iter().map(|n| FuncId::new(*n)) {
            let (function, parts) = merge(program, func, &component)?;
            let n_own = program.functions[func].locations.len();
            let flattening = Flattening { parts, n_own, written: written.clone(), function, temporaries: 0 };
            flat.functions[func] = flattening.run()?;
        }
    }
    Some(flat)
}

/// Whom a function calls; `None` if that is not known.
fn callees(function: &Function) -> Option<Vec<usize>> {
    let mut found = Vec::new();
    for location in function.locations.iter() {
        if let Action::Call { callee, .. } = &location.action {
            match callee {
                Callee::Direct(func) => found.push(func.index()),
                Callee::Indirect(_) => return None,
            }
        }
    }
    Some(found)
}

/// The words of memory that a call of a function may write; `None` if that is not known.
fn written(program: &Program, callees: &[Vec<usize>], func: usize) -> Option<Vec<(Expr, Width)>> {
    let (mut seen, mut open) = (BTreeSet::from([func]), vec![func]);
    let mut found = Vec::new();
    while let Some(n) = open.pop() {
        let function = &program.functions[FuncId::new(n)];
        if function.vars.iter().any(|var| matches!(var.kind, VarKind::Memory { .. })) {
            return None;
        }
        for location in function.locations.iter() {
            if matches!(location.action, Action::ThreadExit(_)) {
                return None;
            }
            for op in location.action.ops() {
                match op {
                    Op::Set { .. }
                    | Op::Havoc { .. }
                    | Op::Forget { .. }
                    | Op::Assume(_)
                    | Op::Fence(_)
                    | Op::Signed { .. } => {}
                    Op::Store { addr, value, .. } if is_closed(addr) => {
                        let word = (addr.clone(), value.width());
                        if !found.contains(&word) {
                            found.push(word);
                        }
                    }
                    _ => return None,
                }
            }
        }
        open.extend(callees[n].iter().filter(|m| seen.insert(**m)));
    }
    Some(found)
}

/// Returns true if an address is the same in every frame.
fn is_closed(addr: &Expr) -> bool {
    let mut closed = true;
    addr.walk(&mut |part| {
        closed &= matches!(
            part,
            Expr::Const(..) | Expr::ObjectAddr(..) | Expr::Binary(..) | Expr::Unary(..) | Expr::Cast(..)
        );
    });
    closed
}

/// One function that is being changed.
struct Flattening {
    /// The functions whose bodies are in it.
    parts: BTreeMap<FuncId, Part>,
    /// How many locations are its own.
    n_own: usize,
    written: Vec<(Expr, Width)>,
    function: Function,
    temporaries: usize,
}

impl Flattening {
    fn run(mut self) -> Option<Function> {
        let old_vars: Vec<VarId> = self.function.vars.ids().collect();
        let deep = self.temporary(Width::BOOL);
        let old_entry = self.function.entry;
        let zero = Op::Set { var: deep, value: Expr::truth(false) };
        let entry = self.location(Action::Ops { ops: vec![zero], sync: None, next: old_entry });
        let locations: Vec<LocId> = self.function.locations.ids().collect();
        for loc in locations {
            let action = self.function.locations[loc].action.clone();
            match action {
                Action::Call { callee: Callee::Direct(func), args, ret, next }
                    if self.parts.contains_key(&func) =>
                {
                    let down = self.descend(&args, deep, &old_vars, func)?;
                    let over = self.step_over(ret, next);
                    self.guess(loc, down, over);
                }
                // A thread in the body of another function has started over.
                Action::Return(_) if loc.index() >= self.n_own => {
                    self.function.locations[loc].action = Action::Exit;
                }
                Action::Return(value) => {
                    let wrong = self.location(Action::Exit);
                    let right = self.location(Action::Return(value));
                    let cond = Expr::Reg(deep, Width::BOOL);
                    self.function.locations[loc].action = Action::Branch { cond, yes: wrong, no: right };
                }
                _ => {}
            }
        }
        self.function.entry = entry;
        Some(self.function)
    }

    fn temporary(&mut self, width: Width) -> VarId {
        self.temporaries += 1;
        let name = format!("flat.{}", self.temporaries);
        self.function.vars.push(Var { name, kind: VarKind::Register(width), temporary: true })
    }

    fn location(&mut self, action: Action) -> LocId {
        self.function.locations.push(Location { action, span: Span::NOWHERE })
    }

    fn guess(&mut self, loc: LocId, down: LocId, over: LocId) {
        let guess = self.temporary(Width::BOOL);
        let cond = Expr::Reg(guess, Width::BOOL);
        let branch = self.location(Action::Branch { cond, yes: down, no: over });
        let ops = vec![Op::Havoc { var: guess }];
        self.function.locations[loc].action = Action::Ops { ops, sync: None, next: branch };
    }

    /// The function starts over, as itself or as another one.
    fn descend(&mut self, args: &[Expr], deep: VarId, old_vars: &[VarId], func: FuncId) -> Option<LocId> {
        let Part { entry, params } = &self.parts[&func];
        let (entry, params) = (*entry, params.clone());
        let mut ops = Vec::new();
        let mut given = Vec::new();
        for (param, arg) in params.iter().zip(args) {
            let VarKind::Register(width) = self.function.vars[*param].kind else { return None };
            let value = match arg.width() {
                from if from > width => Expr::cast(Cast::Trunc, width, arg.clone()),
                _ => Expr::cast(Cast::Zext, width, arg.clone()),
            };
            let temporary = self.temporary(width);
            ops.push(Op::Set { var: temporary, value });
            given.push((*param, temporary, width));
        }
        ops.extend(old_vars.iter().map(|var| Op::Forget { var: *var, alive: true }));
        for (param, temporary, width) in given {
            ops.push(Op::Set { var: param, value: Expr::Reg(temporary, width) });
        }
        ops.push(Op::Set { var: deep, value: Expr::truth(true) });
        Some(self.location(Action::Ops { ops, sync: None, next: entry }))
    }

    /// The call has returned.
    fn step_over(&mut self, ret: Option<VarId>, next: LocId) -> LocId {
        let mut ops: Vec<Op> = ret.map(|var| Op::Havoc { var }).into_iter().collect();
        for (addr, width) in self.written.clone() {
            let var = self.temporary(width);
            ops.push(Op::Havoc { var });
            ops.push(Op::Store { addr, value: Expr::Reg(var, width), order: crate::Order::Plain });
        }
        self.location(Action::Ops { ops, sync: None, next })
    }
}
