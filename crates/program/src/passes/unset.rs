//! Values that were never set: reading one is undefined behaviour.
//!
//! C leaves the read of a local variable undefined that was never set and whose address is never taken (C11 6.3.2.1p2); such a variable is a register here. A data-flow
//! analysis finds the reads that an unset variable may reach. For each such variable there is one more register of one bit, which says whether it is set, and a branch before
//! each of these reads:
//!
//! | before | after |
//! |---|---|
//! | the function begins | `x.set = 0`, then the same |
//! | `x = e` | `x = e; x.set = 1` |
//! | `forget x` | `forget x; x.set = 0` |
//! | a step that reads `x` | if `x.set`, that step; else `undefined` |
//!
//! Most variables need nothing of this. So does the value of a function that ends without `return`: where all calls of it use its value, that end is undefined (6.9.1p12).
//!
//! Bytes of memory that were never set (of the heap, arrays, structures, variables whose address is taken) are left alone here: the interpreter and the shape analysis call a *decision* that
//! depends on them undefined, as MemorySanitizer does ([`Program::strict_decisions`]). Formulas do not know which bytes are set; proofs with them count only where an analysis has no doubt.
//!
//! # Direction of error
//! Misses: bytes of memory; values of functions that some calls use and others do not, or whose address is taken.

use super::control_flow::compact;
use crate::{
    Action, Callee, Cast, Expr, FuncId, Function, LocId, Location, Op, Program, Undefined, UndefinedKind,
    Var, VarId, VarKind, Width,
};
use base::Idx;
use std::collections::{BTreeMap, BTreeSet};

/// Makes reads of values that were never set undefined, in all functions but the library's.
pub fn unset(program: &mut Program) {
    let without_value: Vec<FuncId> = functions_without_value(program);
    for func in without_value {
        let what = format!("the value of `{}` is used, which returned none", program.functions[func].name);
        for location in program.functions[func].locations.iter_mut() {
            if location.action == Action::Return(None) {
                location.action = Action::Undefined(Undefined::new(UndefinedKind::MissingReturn, &*what));
            }
        }
    }
    for function in program.functions.iter_mut().filter(|function| !function.library) {
        let reads = doubtful_reads(function);
        if !reads.is_empty() {
            Marking::of(function, &reads).run(&reads);
        }
    }
}

// ---- reads ------------------------------------------------------------------------------------------------------

/// The locations that may read variables which were never set, and these variables.
fn doubtful_reads(function: &Function) -> BTreeMap<LocId, BTreeSet<VarId>> {
    let is_followed = |(var, declared): (VarId, &Var)| {
        let register = matches!(declared.kind, VarKind::Register(_));
        (register && !declared.temporary && !function.params.contains(&var)).then_some(var)
    };
    let at_entry: BTreeSet<VarId> = function.vars.iter_enumerated().filter_map(is_followed).collect();
    let mut before: Vec<Option<BTreeSet<VarId>>> = vec![None; function.locations.len()];
    let mut reads: BTreeMap<LocId, BTreeSet<VarId>> = BTreeMap::new();
    before[function.entry.index()] = Some(at_entry.clone());
    let mut todo = BTreeSet::from([function.entry]);
    while let Some(loc) = todo.pop_first() {
        let mut unset = before[loc.index()].clone().unwrap_or_default();
        let found = step(&function.locations[loc].action, &at_entry, &mut unset);
        if !found.is_empty() {
            reads.entry(loc).or_default().extend(found.iter().copied());
            // Behind the check they are set.
            unset.retain(|var| !found.contains(var));
        }
        for next in function.locations[loc].action.successors() {
            let there = &mut before[next.index()];
            let size = there.as_ref().map(BTreeSet::len);
            there.get_or_insert_default().extend(unset.iter().copied());
            if size != there.as_ref().map(BTreeSet::len) {
                todo.insert(next);
            }
        }
    }
    reads
}

/// What an action reads of the variables that may be unset; these are changed to those that may be unset after it.
fn step(action: &Action, followed: &BTreeSet<VarId>, unset: &mut BTreeSet<VarId>) -> BTreeSet<VarId> {
    let mut found = BTreeSet::new();
    let Action::Ops { ops, .. } = action else {
        action.each_expr(&mut |e| note_reads(e, unset, &mut found));
        if let Action::Call { ret: Some(var), .. } = action {
            unset.remove(var);
        }
        return found;
    };
    for op in ops {
        match op {
            Op::Set { value: copied, .. } | Op::Store { value: copied, .. } if is_copied_byte(copied) => {
                if let Op::Store { addr, .. } = op {
                    note_reads(addr, unset, &mut found);
                }
            }
            _ => op.each_expr(&mut |e| note_reads(e, unset, &mut found)),
        }
        for var in op.results().filter(|var| followed.contains(var)) {
            match op {
                Op::Forget { .. } => _ = unset.insert(var),
                _ => _ = unset.remove(&var),
            }
        }
    }
    found
}

fn note_reads(e: &Expr, unset: &BTreeSet<VarId>, found: &mut BTreeSet<VarId>) {
    e.walk(&mut |part| {
        if let Expr::Reg(var, _) = part
            && unset.contains(var)
        {
            found.insert(*var);
        }
    });
}

/// Returns true if a value is a byte as it stands in a variable, perhaps of another width.
fn is_copied_byte(value: &Expr) -> bool {
    match value {
        Expr::Reg(_, width) => *width == Width::BYTE,
        Expr::Cast(Cast::Zext | Cast::Sext | Cast::Trunc, _, inner) => is_copied_byte(inner),
        _ => false,
    }
}

// ---- marks ------------------------------------------------------------------------------------------------------

/// A function in which registers say which variables are set.
struct Marking<'f> {
    function: &'f mut Function,
    /// The register that says whether a variable is set.
    marks: BTreeMap<VarId, VarId>,
}

impl<'f> Marking<'f> {
    fn of(function: &'f mut Function, reads: &BTreeMap<LocId, BTreeSet<VarId>>) -> Self {
        let names: BTreeSet<String> = function.vars.iter().map(|var| var.name.clone()).collect();
        let mut marks = BTreeMap::new();
        for var in reads.values().flatten().copied().collect::<BTreeSet<VarId>>() {
            let name = format!("{}.set", function.vars[var].name);
            let mut free = std::iter::once(name.clone()).chain((1..).map(|n| format!("{name}.{n}")));
            let name = free.find(|name| !names.contains(name)).expect("some name should be free");
            let kind = VarKind::Register(Width::BOOL);
            marks.insert(var, function.vars.push(Var { name, kind, temporary: true }));
        }
        Self { function, marks }
    }

    fn run(mut self, reads: &BTreeMap<LocId, BTreeSet<VarId>>) {
        for loc in self.function.locations.ids().collect::<Vec<_>>() {
            self.mark(loc);
        }
        for (loc, vars) in reads {
            self.check(*loc, vars);
        }
        let span = self.function.locations[self.function.entry].span;
        let ops = self.marks.values().map(|mark| set(*mark, false)).collect();
        let next = self.function.entry;
        self.function.entry =
            self.function.locations.push(Location { action: Action::Ops { ops, sync: None, next }, span });
        let none = vec![None; self.function.locations.len()];
        compact(self.function, &none);
    }

    /// Notes which variables an action sets.
    fn mark(&mut self, loc: LocId) {
        let span = self.function.locations[loc].span;
        let result = match &mut self.function.locations[loc].action {
            Action::Ops { ops, .. } => {
                for op in std::mem::take(ops) {
                    let alive = !matches!(op, Op::Forget { .. });
                    let marks: Vec<Op> = op
                        .results()
                        .filter_map(|var| self.marks.get(&var))
                        .map(|mark| set(*mark, alive))
                        .collect();
                    ops.push(op);
                    ops.extend(marks);
                }
                return;
            }
            Action::Call { ret: Some(var), next, .. } => self.marks.get(var).map(|mark| (*mark, *next)),
            _ => None,
        };
        let Some((mark, next)) = result else { return };
        let action = Action::Ops { ops: vec![set(mark, true)], sync: None, next };
        let after = self.function.locations.push(Location { action, span });
        if let Action::Call { next, .. } = &mut self.function.locations[loc].action {
            *next = after;
        }
    }

    /// Lets an action happen only if all these variables are set.
    fn check(&mut self, loc: LocId, vars: &BTreeSet<VarId>) {
        let Location { action, span } = self.function.locations[loc].clone();
        let mut next = self.function.locations.push(Location { action, span });
        for var in vars.iter().rev() {
            let what = format!("`{}` is read, which was never set", self.function.vars[*var].name);
            let action = Action::Undefined(Undefined::new(UndefinedKind::IndeterminateValue, what));
            let no = self.function.locations.push(Location { action, span });
            let cond = Expr::Reg(self.marks[var], Width::BOOL);
            next = self
                .function
                .locations
                .push(Location { action: Action::Branch { cond, yes: next, no }, span });
        }
        self.function.locations[loc] = self.function.locations[next].clone();
    }
}

fn set(mark: VarId, value: bool) -> Op {
    Op::Set { var: mark, value: Expr::truth(value) }
}

// ---- functions that return nothing ------------------------------------------------------------------------------

/// Functions of which every call uses the value, and that may return none.
fn functions_without_value(program: &Program) -> Vec<FuncId> {
    let mut spared: BTreeSet<FuncId> = BTreeSet::from([program.entry]);
    let mut called: BTreeSet<FuncId> = BTreeSet::new();
    for function in program.functions.iter() {
        for location in function.locations.iter() {
            location.action.each_expr(&mut |e| {
                e.walk(&mut |part| {
                    if let Expr::FuncAddr(func, _) = part {
                        spared.insert(*func);
                    }
                });
            });
            if let Action::Call { callee: Callee::Direct(func), ret, .. } = &location.action {
                called.insert(*func);
                if ret.is_none() || function.library {
                    spared.insert(*func);
                }
            }
        }
    }
    let relocated = program.objects.iter().flat_map(|object| &object.relocs);
    spared.extend(relocated.filter_map(|reloc| match reloc.target {
        crate::RelocTarget::Func(func) => Some(func),
        crate::RelocTarget::Object(_) => None,
    }));
    let has_result = |func: &FuncId| {
        let function = &program.functions[*func];
        function.ret.is_some() && !function.library
    };
    called.difference(&spared).copied().filter(has_result).collect()
}
