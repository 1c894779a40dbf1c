//! Objects that are handed to one thread when it is created: `arg = malloc(…); fill(arg); pthread_create(…, f, arg);`.
//!
//! The thread owns the object of its argument if at every create of its start routine
//! - the creator owns it, so that it was handed to no thread before;
//! - no register of the creator that may point to it is used afterwards, in this function or in those that called it;
//! - no pointer to an object of its site is ever held in memory.
//!
//! Then from the create on no other thread can use its address.

use super::effects::Effects;
use super::flow::Flow;
use program::{Action, Expr, FuncId, LocId, Op, VarId, VarKind};
use semantics::analysis::Site;
use semantics::analysis::footprint::operands;
use std::collections::BTreeSet;

/// The start routines whose argument belongs to the thread.
pub(super) fn handed_over(effects: &Effects<'_, '_>, flow: &Flow) -> BTreeSet<FuncId> {
    let roots = effects.analysis.threads.roots().iter().skip(1).map(|root| root.func);
    roots.filter(|start| effects.is_handed_over(flow, *start)).collect()
}

impl Effects<'_, '_> {
    fn is_handed_over(&self, flow: &Flow, start: FuncId) -> bool {
        let program = self.analysis.program;
        program.functions.iter_enumerated().all(|(func, function)| {
            function.locations.ids().all(|loc| {
                let starts = self.analysis.points_to.started_by(func, loc).contains(&start);
                !starts || flow.facts[func][loc].is_none() || self.gives_away(flow, func, loc)
            })
        })
    }

    /// Whether a create gives an object away.
    fn gives_away(&self, flow: &Flow, func: FuncId, loc: LocId) -> bool {
        let program = self.analysis.program;
        let (Action::Ops { ops, next, .. }, Some(facts)) =
            (&program.functions[func].locations[loc].action, &flow.facts[func][loc])
        else {
            return false;
        };
        let creates = ops.iter().enumerate().filter_map(|(n, op)| match op {
            Op::Create { arg, .. } => Some((n, arg)),
            _ => None,
        });
        let [(n, arg)] = creates.collect::<Vec<_>>()[..] else { return false };
        if self.analysis.points_to.starts_foreign(func, loc) {
            return false;
        }
        let sites = self.sites(func, arg);
        let facts = self.before_op(func, loc, n, facts);
        if !self.is_owned(func, &facts, arg) || sites.iter().any(|s| self.analysis.points_to.is_in_memory(*s))
        {
            return false;
        }
        let used = |e: &Expr| !self.sites(func, e).is_disjoint(&sites);
        let used_here = ops[n + 1..].iter().flat_map(operands).any(used);
        let live = self.analysis.liveness[func].live_at(*next);
        let used_later = self.pointing(func, &sites).any(|var| live.contains(var));
        let callers = self.calls.callers(func).iter().map(|(caller, _)| *caller).collect();
        let used_by_callers =
            self.calls.reaching(callers).iter().any(|f| self.pointing(*f, &sites).next().is_some());
        !used_here && !used_later && !used_by_callers
    }

    fn sites(&self, func: FuncId, e: &Expr) -> BTreeSet<Site> {
        self.analysis.points_to.targets(func, e).places.into_iter().map(|(site, _)| site).collect()
    }

    /// The registers of a function that may point to objects of these sites.
    fn pointing(&self, func: FuncId, sites: &BTreeSet<Site>) -> impl Iterator<Item = VarId> {
        let vars = self.analysis.program.functions[func].vars.iter_enumerated();
        vars.filter_map(move |(var, declared)| match declared.kind {
            VarKind::Register(width) => {
                (!self.sites(func, &Expr::Reg(var, width)).is_disjoint(sites)).then_some(var)
            }
            VarKind::Memory { .. } => None,
        })
    }
}
