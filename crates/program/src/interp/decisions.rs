//! Decisions that depend on memory that was never set.
//!
//! Where a program [says so](crate::Program::strict_decisions), such a decision is undefined, while copying indeterminate bytes is not, as for MemorySanitizer. Two rules define it:
//!
//! - A register that is set to bytes of which none was ever set becomes indeterminate itself: nothing is chosen yet.
//! - A branch is undefined if its condition is true for one value of what is indeterminate, and false for another.
//!
//! # Direction of error
//! Misses: few values are tried; arithmetic gives what it reads a value; parameters and results of functions have one. A branch that is called undefined does depend on such a value.

use super::eval::{Eval, Fault, Missing};
use super::step::{Flow, Step, StepResult, determine};
use crate::{Cast, Expr, Undefined, UndefinedKind};

/// How many indeterminate values one condition may have.
const MAX_MISSING: usize = 8;

impl Step<'_, '_> {
    fn is_strict(&self) -> bool {
        let program = self.interp.program();
        program.strict_decisions && !program.functions[self.frame().func].library
    }

    /// Returns true if an expression copies bytes or a register of which nothing was ever set.
    pub(super) fn is_never_set(&self, value: &Expr) -> bool {
        if !self.is_strict() || !is_copy(value) {
            return false;
        }
        match Eval::new(self.interp, self.state, self.thread, None).value(value) {
            Err(Fault::Missing(Missing::Bytes { slot, offset, len })) => {
                let content = self.state.memory.get(slot);
                content.is_some_and(|content| (offset..offset + len).all(|at| content.byte(at).is_none()))
            }
            Err(Fault::Missing(Missing::Register(..))) => true,
            _ => false,
        }
    }

    /// Fails if a condition depends on what was never set.
    pub(super) fn decide(&self, cond: &Expr) -> Flow<()> {
        if !self.is_strict() {
            return Ok(());
        }
        let found = Eval::new(self.interp, self.state, self.thread, None).value(cond);
        if !matches!(found, Err(Fault::Missing(_))) {
            return Ok(());
        }
        let outcomes: Vec<bool> =
            candidates(cond).into_iter().filter_map(|n| self.outcome(cond, n)).collect();
        if outcomes.contains(&true) && outcomes.contains(&false) {
            let what = "a decision depends on a value that was never set";
            return Err(StepResult::Undefined(Undefined::new(UndefinedKind::IndeterminateValue, what)));
        }
        Ok(())
    }

    /// The truth of a condition if everything indeterminate in it has this value.
    fn outcome(&self, cond: &Expr, value: u128) -> Option<bool> {
        let mut state = self.state.clone();
        for _ in 0..MAX_MISSING {
            match Eval::new(self.interp, &state, self.thread, None).value(cond) {
                Ok(truth) => return Some(truth != 0),
                Err(Fault::Missing(missing)) => determine(&mut state, self.thread, missing, value),
                Err(Fault::Undefined(_) | Fault::Unsupported(_) | Fault::Waits) => return None,
            }
        }
        None
    }
}

/// A value as it stands somewhere, perhaps of another width.
fn is_copy(value: &Expr) -> bool {
    match value {
        Expr::Load { .. } | Expr::Reg(..) => true,
        Expr::Cast(Cast::Zext | Cast::Sext | Cast::Trunc, _, inner) => is_copy(inner),
        _ => false,
    }
}

/// Numbers to try: the constants of the condition and their neighbours, and the limits of types.
fn candidates(cond: &Expr) -> Vec<u128> {
    let mut numbers = vec![0, 1, u128::MAX, u128::from(u32::MAX >> 1), u128::from(u64::MAX >> 1), 1 << 31];
    cond.walk(&mut |part| {
        if let Expr::Const(number, _) = part {
            numbers.extend([*number, number.wrapping_add(1), number.wrapping_sub(1)]);
        }
    });
    numbers
}
