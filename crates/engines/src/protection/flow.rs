//! The fixed point: facts for every location that is reached, from the roots on.
//!
//! Facts only ever become fewer where ways meet, so the iteration ends. A call is passed when its callee is known to return.

use super::effects::Effects;
use super::transfer::Known;
use base::{Budget, IdxVec, Inconclusive};
use evidence::{Exit, Facts};
use program::{Action, FuncId, LocId, VarId};
use semantics::analysis::lockset::ByLocation;
use semantics::analysis::points_to::is_opaque;
use std::collections::BTreeSet;

/// What is known at locations and when functions return.
pub(super) struct Flow {
    pub facts: ByLocation<Option<Facts>>,
    pub exits: IdxVec<FuncId, Option<Exit>>,
}

struct Solver<'e, 'a, 'p> {
    effects: &'e Effects<'a, 'p>,
    flow: Flow,
    queue: Vec<(FuncId, LocId)>,
    queued: BTreeSet<(FuncId, LocId)>,
    /// The parameters that each function does not change.
    fixed: IdxVec<FuncId, BTreeSet<VarId>>,
}

/// Solves the equations; `handed` are the start routines whose argument belongs to the thread.
pub(super) fn solve(
    effects: &Effects<'_, '_>,
    handed: &BTreeSet<FuncId>,
    budget: &Budget,
) -> Result<Flow, Inconclusive> {
    let program = effects.analysis.program;
    let facts = program.functions.iter().map(|f| f.locations.iter().map(|_| None).collect());
    let exits = program.functions.ids().map(|func| is_opaque(program, func).then(Exit::default));
    let flow = Flow { facts: facts.collect(), exits: exits.collect() };
    let fixed = program.functions.iter().map(fixed_parameters).collect();
    let mut solver = Solver { effects, flow, queue: Vec::new(), queued: BTreeSet::new(), fixed };
    for root in effects.analysis.threads.roots() {
        let function = &program.functions[root.func];
        let owned = function.params.iter().take(1).filter(|_| handed.contains(&root.func)).copied().collect();
        solver.arrive(root.func, function.entry, Facts { owned, ..Facts::default() });
    }
    let mut n_steps: usize = 0;
    while let Some((func, loc)) = solver.queue.pop() {
        n_steps += 1;
        if n_steps.is_multiple_of(256) {
            budget.check()?;
        }
        solver.queued.remove(&(func, loc));
        solver.step(func, loc);
    }
    Ok(solver.flow)
}

impl Solver<'_, '_, '_> {
    fn arrive(&mut self, func: FuncId, loc: LocId, facts: Facts) {
        let changed = match &mut self.flow.facts[func][loc] {
            Some(known) => known.meet(&facts),
            unknown => {
                *unknown = Some(facts);
                true
            }
        };
        if changed && self.queued.insert((func, loc)) {
            self.queue.push((func, loc));
        }
    }

    fn step(&mut self, func: FuncId, loc: LocId) {
        let Some(before) = self.flow.facts[func][loc].clone() else { return };
        let effects = self.effects;
        let program = effects.analysis.program;
        for callee in effects.analysis.points_to.opaque_callees(func, loc) {
            self.arrive(callee, program.functions[callee].entry, Facts::default());
        }
        match &program.functions[func].locations[loc].action {
            Action::Call { callee, args, ret, next } => {
                if effects
                    .analysis
                    .points_to
                    .enters_anything(func, &program.functions[func].locations[loc].action)
                {
                    self.arrive(func, *next, effects.after_anything(func, *next, *ret, &before));
                }
                for callee in effects.analysis.points_to.callees(func, callee) {
                    let entering = effects.entering(func, loc, args, callee, &before);
                    self.arrive(callee, program.functions[callee].entry, entering);
                    if let Some(exit) = self.flow.exits[callee].clone() {
                        self.pass(func, loc, callee, &exit, &before);
                    }
                }
            }
            Action::Return(result) => {
                let exit = effects.exit(func, result.as_ref(), &before, &self.fixed[func]);
                self.leave(func, exit);
            }
            Action::Unsupported(_) => {}
            _ => {
                for (next, facts) in effects.after(func, loc, &before) {
                    self.arrive(func, next, facts);
                }
            }
        }
    }

    fn pass(&mut self, func: FuncId, loc: LocId, callee: FuncId, exit: &Exit, before: &Facts) {
        if let Some((next, facts)) = self.effects.returning((func, loc), callee, exit, before) {
            self.arrive(func, next, facts);
        }
    }

    fn leave(&mut self, func: FuncId, exit: Exit) {
        let changed = match &mut self.flow.exits[func] {
            Some(known) => {
                let owned = known.result_owned;
                known.result_owned &= exit.result_owned;
                known.facts.meet(&exit.facts) || owned != known.result_owned
            }
            unknown => {
                *unknown = Some(exit);
                true
            }
        };
        if changed {
            for (caller, loc) in self.effects.calls.callers(func) {
                if self.flow.facts[*caller][*loc].is_some() && self.queued.insert((*caller, *loc)) {
                    self.queue.push((*caller, *loc));
                }
            }
        }
    }
}

/// The parameters that no action of a function changes.
pub(super) fn fixed_parameters(function: &program::Function) -> BTreeSet<VarId> {
    let mut fixed: BTreeSet<VarId> = function.params.iter().copied().collect();
    for location in function.locations.iter() {
        match &location.action {
            Action::Ops { ops, .. } => {
                ops.iter().flat_map(program::Op::results).for_each(|var| _ = fixed.remove(&var));
            }
            Action::Call { ret: Some(ret), .. } => _ = fixed.remove(ret),
            _ => {}
        }
    }
    fixed
}
