//! Copies of functions, so that an analysis without contexts can tell calls apart.
//!
//! A call may enter a copy of its callee instead of the callee: the copy does the same, and its variables, the objects that it allocates and the threads
//! that it creates have names of their own. An analysis that keeps one fact for each name then keeps one for each call. This is
//! *cloning*, the oldest way to context-sensitivity.
//!
//! It may also enter the callee's summary, if there is one, or a copy of that.
//!
//! The addresses of functions are not changed: calls through pointers and new threads enter the originals.
//!
//! # Direction of error
//! Whatever the plan, the result has the same executions up to names, or there is no result. With summaries it has accesses instead that the original
//! may not make, and no results of functions that have one: it is for analyses that only want to know who accesses what.

use crate::{Action, Callee, FuncId, LocId, Program};

/// Which functions are copied, and who calls the copies.
#[derive(Clone, PartialEq, Eq, Default, Debug, serde::Serialize, serde::Deserialize)]
pub struct ClonePlan {
    /// The originals of the copies. The first copy gets the first number that is free, and so on.
    pub originals: Vec<FuncId>,
    /// For calls of functions by name, in functions of the result: whom to call instead.
    pub calls: Vec<(FuncId, LocId, FuncId)>,
}

impl ClonePlan {
    /// The function of `program` that a function of the result is a copy of, or is.
    pub fn origin(&self, program: &Program, func: FuncId) -> Option<FuncId> {
        let n = base::Idx::index(func);
        match n.checked_sub(program.functions.len()) {
            None => Some(func),
            Some(copy) => self.originals.get(copy).copied(),
        }
    }
}

/// The program with copies of functions; `None` if the plan is not one for this program.
pub fn with_clones(program: &Program, plan: &ClonePlan) -> Option<Program> {
    let mut result = program.clone();
    for (n, original) in plan.originals.iter().enumerate() {
        if base::Idx::index(*original) >= program.functions.len() {
            return None;
        }
        let mut copy = program.functions[*original].clone();
        copy.name = format!("{}.copy{n}", copy.name);
        result.functions.push(copy);
    }
    for (func, loc, instead) in &plan.calls {
        let origin = plan.origin(program, *instead)?;
        if base::Idx::index(*func) >= result.functions.len() {
            return None;
        }
        let locations = &mut result.functions[*func].locations;
        if base::Idx::index(*loc) >= locations.len() {
            return None;
        }
        match &mut locations[*loc].action {
            Action::Call { callee: Callee::Direct(callee), .. } => {
                let called = plan.origin(program, *callee)?;
                if called != origin && program.functions[called].summary != Some(origin) {
                    return None;
                }
                *callee = *instead;
            }
            _ => return None,
        }
    }
    Some(result)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::parse;

    const TEXT: &str = "program lp64\n\
        function main() -> 32 {\nL0: call f() -> L1\nL1: call f() -> L2\nL2: return 0\n}\n\
        function f() {\nL0: return\n}\n\
        function g() {\nL0: return\n}\n";

    fn functions(program: &Program, name: &str) -> FuncId {
        let mut found = program.functions.iter_enumerated().filter(|(_, f)| f.name == name);
        found.next().unwrap().0
    }

    #[test]
    fn calls_enter_copies_of_their_callees_only() {
        let program = parse(TEXT).unwrap();
        let (main, f, g) = (functions(&program, "main"), functions(&program, "f"), functions(&program, "g"));
        let copy = <FuncId as base::Idx>::new(program.functions.len());
        let second = <LocId as base::Idx>::new(1);
        let good = ClonePlan { originals: vec![f], calls: vec![(main, second, copy)] };
        let result = with_clones(&program, &good).unwrap();
        assert_eq!(result.functions[copy].locations, program.functions[f].locations);
        assert!(crate::well_formed::check(&result).is_ok());
        let other = ClonePlan { originals: vec![g], ..good.clone() };
        assert!(with_clones(&program, &other).is_none());
        let elsewhere = ClonePlan { calls: vec![(f, second, copy)], ..good };
        assert!(with_clones(&program, &elsewhere).is_none());
    }
}
