//! Which threads own the object that they are created with.

use super::Checker;
use super::transfer::{before, owned};
use program::{Action, Expr, FuncId, LocId, Op, VarKind};
use semantics::analysis::Site;
use semantics::analysis::liveness::Liveness;
use std::collections::BTreeSet;

impl Checker<'_> {
    /// Whether every create of a start routine gives its argument away: the creator owns the object, and no pointer to it is used later.
    pub(super) fn owns_argument(&self, start: FuncId) -> bool {
        let program = self.analysis.program;
        for (func, function) in program.functions.iter_enumerated() {
            for loc in function.locations.ids() {
                let reached = self.claimed.facts[func][loc].is_some();
                let starts = self.analysis.points_to.started_by(func, loc).contains(&start);
                if reached && starts && !self.gives_away(func, loc) {
                    return false;
                }
            }
        }
        true
    }

    fn named(&self, func: FuncId, e: &Expr) -> BTreeSet<Site> {
        let targets = self.analysis.points_to.targets(func, e);
        targets.places.iter().map(|(site, _)| *site).collect()
    }

    fn gives_away(&self, func: FuncId, loc: LocId) -> bool {
        let function = &self.analysis.program.functions[func];
        let Action::Ops { ops, next, .. } = &function.locations[loc].action else { return false };
        let Some(facts) = &self.claimed.facts[func][loc] else { return false };
        let mut creates = ops.iter().enumerate().filter(|(_, op)| matches!(op, Op::Create { .. }));
        let (Some((n, Op::Create { arg, .. })), None) = (creates.next(), creates.next()) else {
            return false;
        };
        if self.analysis.points_to.starts_foreign(func, loc) {
            return false;
        }
        // What follows in the same transaction may only put the handle away.
        let rest_is_plain = ops[n + 1..].iter().all(|op| match op {
            Op::Store { addr, value, .. } => {
                self.named(func, value).is_empty()
                    && self.named(func, addr).is_disjoint(&self.named(func, arg))
            }
            Op::Set { value, .. } => self.named(func, value).is_empty(),
            _ => false,
        });
        let given = self.named(func, arg);
        let facts = before(&self.summary, (func, loc), n, facts);
        let kept = given.iter().any(|site| self.analysis.points_to.is_in_memory(*site));
        if !rest_is_plain || kept || !owned(&self.summary, func, &facts, arg) {
            return false;
        }
        let points = |f: FuncId, var, width| !self.named(f, &Expr::Reg(var, width)).is_disjoint(&given);
        let liveness = Liveness::of(function);
        let used = function.vars.iter_enumerated().any(|(var, declared)| match declared.kind {
            VarKind::Register(width) => liveness.live_at(*next).contains(var) && points(func, var, width),
            VarKind::Memory { .. } => false,
        });
        !used
            && self.callers_of(func).into_iter().all(|caller| {
                let vars = self.analysis.program.functions[caller].vars.iter_enumerated();
                vars.into_iter().all(|(var, declared)| match declared.kind {
                    VarKind::Register(width) => !points(caller, var, width),
                    VarKind::Memory { .. } => true,
                })
            })
    }

    /// The functions that may be waiting for a call of `func` to return.
    fn callers_of(&self, func: FuncId) -> BTreeSet<FuncId> {
        let program = self.analysis.program;
        let mut found: BTreeSet<FuncId> = BTreeSet::new();
        let mut callees = BTreeSet::from([func]);
        loop {
            let before = found.len();
            for (caller, function) in program.functions.iter_enumerated() {
                let mut called =
                    function.locations.ids().flat_map(|loc: LocId| self.summary.callees(caller, loc));
                if !found.contains(&caller) && called.any(|callee| callees.contains(callee)) {
                    found.insert(caller);
                }
            }
            if found.len() == before {
                return found;
            }
            callees.extend(found.iter().copied());
        }
    }
}
