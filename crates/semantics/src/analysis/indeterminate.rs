//! Accesses through pointers that were never set: C leaves open where they go, so no analysis of addresses may vouch for them.
//!
//! A register is *never set* if it is no parameter and every assignment to it only copies other registers that are never set. (A
//! declaration sets nothing.) Pointers that are set on some ways only, or live in memory, are not found: the direction of
//! error is too few.

use crate::analysis::Analysis;
use crate::analysis::footprint::footprints;
use program::{Action, Expr, FuncId, Function, LocId, Op, VarId};

impl Analysis<'_> {
    /// Returns true if an action accesses memory at an address that is made of no object's address but of a register that is never set.
    pub fn goes_anywhere(&self, func: FuncId, loc: LocId) -> bool {
        let function = &self.program.functions[func];
        footprints(function, &function.locations[loc].action).iter().any(|footprint| {
            let targets = self.points_to.targets(func, &footprint.addr);
            targets.places.is_empty()
                && !targets.unknown
                && registers(&footprint.addr).iter().any(|var| is_never_set(function, *var, &mut Vec::new()))
        })
    }
}

fn registers(e: &Expr) -> Vec<VarId> {
    let mut found = Vec::new();
    e.walk(&mut |e| {
        if let Expr::Reg(var, _) = e {
            found.push(*var);
        }
    });
    found
}

fn is_never_set(function: &Function, var: VarId, asked: &mut Vec<VarId>) -> bool {
    if function.params.contains(&var) {
        return false;
    }
    if asked.contains(&var) {
        return true;
    }
    asked.push(var);
    function.locations.iter().all(|location| match &location.action {
        Action::Ops { ops, .. } => {
            ops.iter().filter(|op| op.results().any(|set| set == var)).all(|op| match op {
                Op::Forget { .. } => true,
                Op::Set { value: Expr::Reg(from, _), .. } => is_never_set(function, *from, asked),
                _ => false,
            })
        }
        Action::Call { ret, .. } => *ret != Some(var),
        _ => true,
    })
}
