//! Inputs on which nothing depends: the time that is handed to `srand` and never used, what `printf` returns.
//!
//! A search through all values of such an input finds the same execution again and again, and one that cannot try all values has no answer. Here such an input becomes zero.
//!
//! Only inputs of the library's models and of temporaries are looked at: those of the program's own variables are shown to people.
//!
//! # When nothing depends on an input
//! A register is *relevant* if its value is used for anything but
//!
//! | use | if |
//! |---|---|
//! | an assignment, an argument, a result | the register that receives it is not relevant |
//! | a value that is stored to a static object | nothing reads the object: its address is used for stores only |
//! | an assumption | it is about this register only, the register is never anything but zero once all such inputs are, and then the assumption holds |
//!
//! What can fail (a division), and what reads memory, makes every register in it relevant.
//!
//! # Why verdicts stay
//! An execution of the result is one of the original in which some inputs are zero. The other way round, inputs that are not relevant can be replaced by zeros in an execution of the original:
//! what is executed, and all that is relevant, stays the same, for an assumption that holds for the values there holds for zeros. A number in memory that nobody reads may
//! happen to be an address, so that an object is no leak; for zero it is one, so that no leak is missed.

use super::control_flow::compact;
use crate::{
    Action, BinOp, Callee, Expr, FuncId, Function, Op, Program, RelocTarget, UNDEFINED_RESULT, VarId, VarKind,
};
use base::{Idx, IdxVec};

/// Makes inputs zero on which nothing depends.
pub fn ignored_inputs(program: &mut Program) {
    // What cannot be reached uses nothing.
    for function in program.functions.iter_mut() {
        let no_alias = vec![None; function.locations.len()];
        compact(function, &no_alias);
    }
    let mut inputs = Vec::new();
    {
        let mut uses = Uses::of(program);
        uses.run();
        for (func, function) in program.functions.iter_enumerated() {
            for (loc, location) in function.locations.iter_enumerated() {
                for (n, op) in location.action.ops().iter().enumerate() {
                    if let Op::Havoc { var } = op
                        && uses.is_ignored(func, *var)
                    {
                        inputs.push((func, loc, n, *var));
                    }
                }
            }
        }
    }
    for (func, loc, n, var) in inputs {
        let function = &mut program.functions[func];
        let VarKind::Register(width) = function.vars[var].kind else { continue };
        function.locations[loc].action.ops_mut()[n] = Op::Set { var, value: Expr::constant(0, width) };
    }
}

/// Which registers are relevant, and which others are always zero.
struct Uses<'p> {
    program: &'p Program,
    relevant: IdxVec<FuncId, Vec<bool>>,
    /// Whether a function's result is relevant.
    result: IdxVec<FuncId, bool>,
    /// Registers that are zero, or were never set.
    zero: IdxVec<FuncId, Vec<bool>>,
    /// Functions that are called by name only.
    by_name: IdxVec<FuncId, bool>,
    /// Static objects that nothing reads.
    unread: Vec<bool>,
    changed: bool,
}

impl<'p> Uses<'p> {
    fn of(program: &'p Program) -> Self {
        let by_name = called_by_name(program);
        let each = |value: bool| program.functions.iter().map(|f| vec![value; f.vars.len()]).collect();
        let result = by_name.iter().map(|by_name| !by_name).collect();
        Self {
            program,
            relevant: each(false),
            result,
            zero: each(true),
            by_name,
            unread: unread(program),
            changed: true,
        }
    }

    fn run(&mut self) {
        while std::mem::take(&mut self.changed) {
            for (func, function) in self.program.functions.iter_enumerated() {
                if !self.by_name[func] {
                    function.params.iter().for_each(|param| self.is_not_zero(func, *param));
                }
                for location in function.locations.iter() {
                    self.action(func, &location.action);
                }
            }
        }
    }

    fn is_ignored(&self, func: FuncId, var: VarId) -> bool {
        let function = &self.program.functions[func];
        let declared = &function.vars[var];
        let shown = !function.library && !declared.temporary || declared.name.contains(UNDEFINED_RESULT);
        !shown && !self.relevant[func][var.index()]
    }

    // ---- relevance ----------------------------------------------------------------------------------------------

    fn is_relevant(&mut self, func: FuncId, e: &Expr) {
        e.walk(&mut |part| {
            if let Expr::Reg(var, _) = part {
                let relevant = &mut self.relevant[func][var.index()];
                self.changed |= !*relevant;
                *relevant = true;
            }
        });
    }

    /// A value goes to something that may be relevant.
    fn flow(&mut self, func: FuncId, e: &Expr, relevant: bool) {
        if relevant || !is_plain(e) {
            self.is_relevant(func, e);
        }
    }

    fn is_not_zero(&mut self, func: FuncId, var: VarId) {
        let zero = &mut self.zero[func][var.index()];
        self.changed |= *zero;
        *zero = false;
    }

    fn action(&mut self, func: FuncId, action: &'p Action) {
        match action {
            Action::Ops { ops, sync, .. } => {
                ops.iter().for_each(|op| self.operation(func, op));
                sync.iter().for_each(|sync| self.is_relevant(func, &sync.object));
            }
            Action::Call { callee, args, ret, .. } => self.call(func, callee, args, *ret),
            Action::Return(Some(value)) => self.flow(func, value, self.result[func]),
            other => other.each_expr(&mut |e| self.is_relevant(func, e)),
        }
    }

    fn call(&mut self, func: FuncId, callee: &'p Callee, args: &'p [Expr], ret: Option<VarId>) {
        let Callee::Direct(target) = *callee else {
            if let Callee::Indirect(address) = callee {
                self.is_relevant(func, address);
            }
            args.iter().for_each(|arg| self.is_relevant(func, arg));
            ret.into_iter().for_each(|var| self.is_not_zero(func, var));
            return;
        };
        let called: &'p Function = &self.program.functions[target];
        for (n, arg) in args.iter().enumerate() {
            let relevant = called.params.get(n).is_some_and(|param| self.relevant[target][param.index()]);
            self.flow(func, arg, relevant);
        }
        for (n, param) in called.params.iter().enumerate() {
            if !args.get(n).is_some_and(|arg| self.is_zero(func, arg)) {
                self.is_not_zero(target, *param);
            }
        }
        let Some(ret) = ret else { return };
        if self.relevant[func][ret.index()] && !self.result[target] {
            self.result[target] = true;
            self.changed = true;
        }
        let returns_zero = called.locations.iter().all(|location| match &location.action {
            Action::Return(Some(value)) => self.is_zero(target, value),
            Action::Return(None) => false,
            _ => true,
        });
        if !returns_zero {
            self.is_not_zero(func, ret);
        }
    }

    fn operation(&mut self, func: FuncId, op: &'p Op) {
        match op {
            Op::Set { var, value } => {
                self.flow(func, value, self.relevant[func][var.index()]);
                if !self.is_zero(func, value) {
                    self.is_not_zero(func, *var);
                }
            }
            Op::Havoc { var } => {
                if !self.is_ignored(func, *var) {
                    self.is_not_zero(func, *var);
                }
            }
            Op::Store { addr, value, .. } => {
                self.is_relevant(func, addr);
                let read = base_of(addr).is_none_or(|object| !self.unread[object]);
                self.flow(func, value, read);
            }
            Op::Assume(cond) => {
                if !self.holds_for_zero(func, cond) {
                    self.is_relevant(func, cond);
                }
            }
            other => {
                other.each_expr(&mut |e| self.is_relevant(func, e));
                other.results().for_each(|var| self.is_not_zero(func, var));
            }
        }
    }

    // ---- zeros --------------------------------------------------------------------------------------------------

    /// Returns true if an expression is zero: a constant, or of one register that is.
    fn is_zero(&self, func: FuncId, e: &Expr) -> bool {
        self.at_zero(func, e) == Some(0)
    }

    fn holds_for_zero(&self, func: FuncId, cond: &Expr) -> bool {
        self.at_zero(func, cond) == Some(1)
    }

    /// The value of an expression in which no register but one occurs, which is zero.
    fn at_zero(&self, func: FuncId, e: &Expr) -> Option<u128> {
        if !is_plain(e) {
            return None;
        }
        let mut registers = Vec::new();
        e.walk(&mut |part| {
            if let Expr::Reg(var, _) = part {
                registers.push(*var);
            }
        });
        registers.sort_unstable();
        registers.dedup();
        if registers.len() > 1 || registers.iter().any(|var| !self.zero[func][var.index()]) {
            return None;
        }
        with_zeros(e).as_const()
    }
}

/// Returns true if an expression reads no memory and always has a value, whatever its registers are.
fn is_plain(e: &Expr) -> bool {
    let own = match e {
        Expr::Load { .. } | Expr::SameObject(..) => false,
        Expr::Binary(op, ..) => {
            !matches!(op, BinOp::UDiv | BinOp::SDiv | BinOp::URem | BinOp::SRem) && !op.is_float()
        }
        _ => true,
    };
    own && e.children().all(is_plain)
}

/// An expression with zeros in the place of registers, computed as far as it is constant.
fn with_zeros(e: &Expr) -> Expr {
    match e {
        Expr::Reg(_, width) => Expr::constant(0, *width),
        Expr::Binary(op, left, right) => Expr::binary(*op, with_zeros(left), with_zeros(right)),
        Expr::Unary(op, operand) => Expr::unary(*op, with_zeros(operand)),
        Expr::Cast(kind, width, operand) => Expr::cast(*kind, *width, with_zeros(operand)),
        Expr::Ite(cond, yes, no) => Expr::ite(with_zeros(cond), with_zeros(yes), with_zeros(no)),
        other => other.clone(),
    }
}

/// The static object that a store by this address goes to, if it is written as one.
fn base_of(addr: &Expr) -> Option<usize> {
    match addr {
        Expr::ObjectAddr(object, _) => Some(object.index()),
        Expr::Binary(BinOp::Add, base, distance) if distance.as_const().is_some() => base_of(base),
        _ => None,
    }
}

/// Of each static object: whether its address is used for stores only.
fn unread(program: &Program) -> Vec<bool> {
    let mut unread: Vec<bool> = program.objects.iter().map(|object| !object.is_record()).collect();
    let targets = program.objects.iter().flat_map(|object| &object.relocs).map(|reloc| reloc.target);
    for target in targets {
        if let RelocTarget::Object(object) = target {
            unread[object.index()] = false;
        }
    }
    let mut used = |e: &Expr| {
        e.walk(&mut |part| {
            if let Expr::ObjectAddr(object, _) = part {
                unread[object.index()] = false;
            }
        });
    };
    for location in program.functions.iter().flat_map(|function| function.locations.iter()) {
        match &location.action {
            Action::Ops { ops, sync, .. } => {
                for op in ops {
                    match op {
                        Op::Store { addr, value, .. } if base_of(addr).is_some() => used(value),
                        other => other.each_expr(&mut used),
                    }
                }
                sync.iter().for_each(|sync| used(&sync.object));
            }
            other => other.each_expr(&mut used),
        }
    }
    unread
}

/// Of each function: whether only calls by name enter it.
fn called_by_name(program: &Program) -> IdxVec<FuncId, bool> {
    let mut by_name: IdxVec<FuncId, bool> = program.functions.iter().map(|_| true).collect();
    by_name[program.entry] = false;
    for reloc in program.objects.iter().flat_map(|object| &object.relocs) {
        if let RelocTarget::Func(func) = reloc.target {
            by_name[func] = false;
        }
    }
    for location in program.functions.iter().flat_map(|function| function.locations.iter()) {
        location.action.each_expr(&mut |e| {
            e.walk(&mut |part| {
                if let Expr::FuncAddr(func, _) = part {
                    by_name[*func] = false;
                }
            });
        });
    }
    by_name
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{parse, print};

    fn check(text: &str, ignored: usize) {
        let mut program = parse(text).expect("the program should be one");
        let before = print(&program).matches("havoc").count();
        ignored_inputs(&mut program);
        crate::well_formed::check(&program).expect("the result should be well formed");
        let text = print(&program);
        assert_eq!(before - text.matches("havoc").count(), ignored, "{text}");
    }

    /// A program whose main function does `rest` with what `time` returns.
    fn with_time(bound: &str, rest: &str) -> String {
        format!(
            "program lp64\nobject seed: 8\nobject other: 8\n\
             function main() -> 32 {{\n  reg t: 64\n  reg u: 64\nL0: t = call time() -> L1\n{rest}\nL9: return 0\n}}\n\
             library function time() -> 64 {{\n  reg now: 64\nL0: havoc now -> L1\n\
             L1: assume {bound} -> L2\nL2: return now\n}}\n\
             library function seeds(s: 64) {{\nL0: [&seed]:64 = s -> L1\nL1: return\n}}\n"
        )
    }

    #[test]
    fn what_nothing_reads_is_zero() {
        check(&with_time("0 <=s now", "L1: call seeds(t + 1) -> L9"), 1);
        check(&with_time("0 <=s now", "L1: u = t -> L9"), 1);
        check(&with_time("0 <=s now && now <=s 7", "L1: u = t -> L9"), 1);
    }

    #[test]
    fn what_something_reads_stays() {
        check(&with_time("0 <=s now", "L1: if t == 0 then L9 else L2\nL2: error unreach-call \"\""), 0);
        check(&with_time("0 <s now", "L1: u = t -> L9"), 0);
        check(
            &with_time("now == u", "L1: u = t -> L9").replace("reg now: 64", "reg now: 64\n  reg u: 64"),
            0,
        );
        check(&with_time("0 <=s now", "L1: [&seed]:64 = t -> L2\nL2: u = [&seed]:64 -> L9"), 0);
        check(&with_time("0 <=s now", "L1: u = &seed -> L2\nL2: call seeds(t) -> L9"), 0);
        check(&with_time("0 <=s now", "L1: [t]:64 = 0 -> L9"), 0);
        check(&with_time("0 <=s now", "L1: u = 8 /u t -> L9"), 0);
    }
}
