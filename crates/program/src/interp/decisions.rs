//! Decisions that depend on memory that was never set.
//!
//! Where a program [says so](crate::Program::strict_decisions), such a decision is undefined, while copying indeterminate values and computing with them is not, as for MemorySanitizer. Three
//! rules define it:
//!
//! - A register, parameter, result or place in memory that is set to a value which depends on bytes of which none was ever set becomes indeterminate itself: nothing is chosen yet.
//! - A branch, or the condition of a choice inside of an expression, is undefined if it is true for one value of what is indeterminate, and false for another.
//! - An address, a divisor, or anything else for which some value is undefined, is chosen, so that it shows.
//!
//! # Direction of error
//! Misses: few values are tried; arguments and results that are set in part get a value (memory and registers keep [which bits are set](super::bits)), and so does what the functions of the library read, but for those whose
//! [result is about the bytes](crate::Function::decides_on_bytes). A branch that is called undefined does depend on such a value.

use super::bits::Bits;
use super::eval::{Access, Eval, Fault, Missing};
use super::step::{Flow, Step, StepResult, determine};
use super::{Event, Place};
use crate::{BinOp, Expr, Undefined, UndefinedKind};
use base::convert::{low32, low64};

/// How many indeterminate values one condition may have.
const MAX_MISSING: usize = 8;

impl Step<'_, '_> {
    fn is_strict(&self) -> bool {
        let program = self.interp.program();
        program.strict_decisions && program.functions[self.frame().func].decides_on_bytes()
    }

    /// The value of an expression that is handed on; `None` if it depends on what was never set.
    pub(super) fn handed_on(&mut self, value: &Expr) -> Flow<Option<u128>> {
        if self.is_strict() && self.is_missing(value) {
            self.decide_choices(value)?;
            let bits = self.bits(value);
            if let Some(Bits { value: known, unset: 0 }) = bits {
                self.tell_unset(value);
                return Ok(Some(known));
            }
            if bits.is_some_and(|bits| bits.unset == value.width().mask()) || self.is_never_set(value) {
                self.tell_unset(value);
                return Ok(None);
            }
        }
        self.value(value).map(Some)
    }

    /// The bits of a value that is kept in memory or a register, if it depends on what was never set.
    pub(super) fn stored_bits(&mut self, value: &Expr) -> Flow<Option<Bits>> {
        if !self.is_strict() || self.interp.program().memory_model.has_buffers() || !self.is_missing(value) {
            return Ok(None);
        }
        self.decide_choices(value)?;
        let bits = self.bits(value);
        if bits.is_some() {
            self.tell_unset(value);
        }
        Ok(bits)
    }

    /// Tells what an expression reads of memory, some of which was never set.
    pub(super) fn tell_unset(&mut self, value: &Expr) {
        if self.observer.is_active() {
            let mut reads = Vec::new();
            self.reads_of(value, &mut reads);
            reads.into_iter().for_each(|read| self.observer.event(read));
        }
    }

    fn reads_of(&self, value: &Expr, found: &mut Vec<Event>) {
        let known = |part: &Expr| Eval::new(self.interp, self.state, self.thread, None).value(part).ok();
        if let Expr::Ite(cond, yes, no) = value
            && let Some(truth) = known(cond)
        {
            self.reads_of(cond, found);
            return self.reads_of(if truth != 0 { yes } else { no }, found);
        }
        value.children().for_each(|part| self.reads_of(part, found));
        if let Expr::Load { addr, width, order } = value
            && let Some(address) = known(addr)
            && let Ok((slot, offset)) =
                self.interp.access(self.state, low64(address), width.bytes(), Access::Read)
        {
            let place = Place::Memory { object: self.interp.identity(slot), offset };
            found.push(Event::ReadUnset { place, len: width.bytes(), order: *order });
        }
    }

    /// What an expression is whatever was never set is, if it is something.
    pub(super) fn settled(&self, value: &Expr) -> Option<u128> {
        let bits = self.is_strict().then(|| self.bits(value))??;
        (bits.unset == 0).then_some(bits.value)
    }

    fn is_missing(&self, value: &Expr) -> bool {
        matches!(Eval::new(self.interp, self.state, self.thread, None).value(value), Err(Fault::Missing(_)))
    }

    /// Returns true if the value of an expression depends on what was never set, and every such value gives it one.
    fn is_never_set(&self, value: &Expr) -> bool {
        if contains_or(value) {
            return false;
        }
        let outcomes: Option<Vec<u128>> =
            candidates(value).into_iter().map(|number| self.outcome(value, number, false)).collect();
        outcomes.is_some_and(|outcomes| outcomes.iter().any(|outcome| *outcome != outcomes[0]))
    }

    /// Fails if a condition depends on what was never set.
    pub(super) fn decide(&self, cond: &Expr) -> Flow<()> {
        if !self.is_strict() || !self.is_missing(cond) || self.settled(cond).is_some() {
            return Ok(());
        }
        let numbers = candidates(cond).into_iter();
        let outcomes: Vec<bool> =
            numbers.filter_map(|number| self.outcome(cond, number, true)).map(|truth| truth != 0).collect();
        if outcomes.contains(&true) && outcomes.contains(&false) {
            let what = "a decision depends on a value that was never set";
            return Err(StepResult::Undefined(Undefined::new(UndefinedKind::IndeterminateValue, what)));
        }
        Ok(())
    }

    /// Fails if a choice that an expression makes depends on what was never set.
    fn decide_choices(&self, value: &Expr) -> Flow<()> {
        let Expr::Ite(cond, yes, no) = value else {
            return value.children().try_for_each(|part| self.decide_choices(part));
        };
        self.decide_choices(cond)?;
        self.decide(cond)?;
        match Eval::new(self.interp, self.state, self.thread, None).value(cond) {
            Ok(truth) => self.decide_choices(if truth != 0 { yes } else { no }),
            Err(_) => Ok(()),
        }
    }

    /// The value of an expression if everything indeterminate in it has this value; bytes next to some that were set only if these are `mixed`.
    fn outcome(&self, expr: &Expr, value: u128, mixed: bool) -> Option<u128> {
        let mut state = self.state.clone();
        for _ in 0..MAX_MISSING {
            match Eval::new(self.interp, &state, self.thread, None).value(expr) {
                Ok(outcome) => return Some(outcome),
                Err(Fault::Missing(missing)) if mixed || self.is_wholly_unset(missing) => {
                    determine(&mut state, self.thread, missing, value);
                }
                Err(Fault::Missing(_) | Fault::Undefined(_) | Fault::Unsupported(_) | Fault::Waits) => {
                    return None;
                }
            }
        }
        None
    }

    fn is_wholly_unset(&self, missing: Missing) -> bool {
        let Missing::Bytes { slot, offset, len } = missing else { return true };
        let content = self.state.memory.get(slot);
        content.is_some_and(|content| (offset..offset + len).all(|at| content.bits(at).1 == u8::MAX))
    }
}

fn contains_or(value: &Expr) -> bool {
    let mut found = false;
    value.walk(&mut |part| found |= matches!(part, Expr::Binary(BinOp::Or, ..)));
    found
}

/// Numbers to try: the constants of the condition and their neighbours, also where a shift takes them from, and the limits of types.
fn candidates(cond: &Expr) -> Vec<u128> {
    let mut numbers = vec![0, 1, u128::MAX, u128::from(u32::MAX >> 1), u128::from(u64::MAX >> 1), 1 << 31];
    let mut distances = Vec::new();
    cond.walk(&mut |part| match part {
        Expr::Const(number, _) => {
            numbers.extend([*number, number.wrapping_add(1), number.wrapping_sub(1)]);
        }
        // What the bits are that a bit-field is made of.
        Expr::Binary(BinOp::LShr | BinOp::AShr, _, by) => {
            distances.extend(by.as_const().filter(|by| *by < 128).map(low32));
        }
        _ => {}
    });
    let shifted: Vec<u128> = numbers.iter().flat_map(|n| distances.iter().map(|by| *n << *by)).collect();
    numbers.extend(shifted);
    numbers
}
