//! Exactness of conditions: whether a formula about the next action of a thread says just what the interpreter does.
//!
//! The conditions of error edges ([`super::monitor`]) err towards a violation. If the interpreter does not confirm one, either that is why, or one of our two
//! semantics is wrong. A condition is *exact* in a state of the interpreter if none of these applies:
//!
//! | not exact | because |
//! |---|---|
//! | the action has an input | a guard on an input counts as one that does not hold, for deadlocks; as one that holds, for races |
//! | it has an assumption | the interpreter takes the action and drops the execution |
//! | an address varies, or its object may die | an access outside of all objects drops the execution (SOUNDNESS: A20), and `free` is not followed |
//! | it reads something indeterminate | the formula has chosen a value, the interpreter has not yet |
//! | for races: the extent is not known, or an access stands in one side of a choice | it counts for the whole object, or always |
//!
//! # Direction of error
//! Not exact in doubt: then a disagreement is no answer. What is exact and disagrees is a bug.

use crate::analysis::Analysis;
use crate::analysis::Site;
use crate::analysis::footprint::{Footprint, Kind, expressions, footprints, operands};
use program::interp::{Identity, Interp, State, ThreadId};
use program::{Expr, Op};

/// What a condition is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Condition {
    /// Whether the action is blocked.
    Blocking,
    /// Which memory it accesses.
    Accesses,
}

/// Why a condition about the next action of `thread` is not exact in a state; `None` if it is.
pub fn inexact(
    analysis: &Analysis<'_>,
    interp: &Interp<'_>,
    state: &State,
    thread: ThreadId,
    condition: Condition,
) -> Option<&'static str> {
    let frame = state.thread(thread)?.top()?;
    let function = &analysis.program.functions[frame.func()];
    let action = &function.locations[frame.loc()].action;
    let ops = action.ops();
    if condition == Condition::Blocking && !ops.iter().any(Op::can_block) {
        return None;
    }
    if let Some(why) = ops.iter().find_map(inexact_operation) {
        return Some(why);
    }
    let read: Vec<&Expr> = ops.iter().flat_map(operands).chain(expressions(action)).collect();
    let is_indeterminate = |e: &Expr| matches!(e, Expr::Reg(var, _) if frame.register(*var).is_none());
    if read.iter().any(|e| contains(e, &is_indeterminate)) {
        return Some("it depends on an indeterminate register");
    }
    let is_choice = |e: &Expr| matches!(e, Expr::Ite(..));
    if condition == Condition::Accesses && read.iter().any(|e| contains(e, &is_choice)) {
        return Some("an access may stand in one side of a choice");
    }
    footprints(function, action).iter().find_map(|footprint| {
        let place = analysis.points_to.targets(frame.func(), &footprint.addr).only_place();
        inexact_access(analysis, interp, state, footprint, place)
    })
}

fn inexact_operation(op: &Op) -> Option<&'static str> {
    match op {
        Op::Havoc { .. } | Op::Forget { .. } | Op::Alloc { .. } | Op::Realloc { .. } => {
            Some("it may depend on an input")
        }
        Op::Assume(_) => Some("the action has an assumption"),
        Op::Copy { .. } | Op::Fill { .. } | Op::Free(_) => Some("the extent of an access is not known"),
        Op::Set { .. }
        | Op::Store { .. }
        | Op::Guard(_)
        | Op::Create { .. }
        | Op::Join { .. }
        | Op::Detach { .. }
        | Op::AtomicBegin
        | Op::AtomicEnd
        | Op::Fence(_)
        | Op::Signed { .. }
        | Op::WaitBegin(_)
        | Op::WaitEnd { .. }
        | Op::Signal { .. } => None,
    }
}

fn inexact_access(
    analysis: &Analysis<'_>,
    interp: &Interp<'_>,
    state: &State,
    footprint: &Footprint<'_>,
    place: Option<(Site, i64)>,
) -> Option<&'static str> {
    let Some((Site::Static(object), offset)) = place else {
        return Some("an address varies, or its object may die");
    };
    let Some(bytes) = footprint.extent.bytes() else {
        return Some("the extent of an access is not known");
    };
    if analysis.program.objects[object].thread_local {
        return Some("an address varies, or its object may die");
    }
    let content = interp.bytes(state, Identity::Static(object)).unwrap_or_default();
    let range = usize::try_from(offset).ok().zip(usize::try_from(bytes).ok());
    match range.and_then(|(from, bytes)| content.get(from..from.checked_add(bytes)?)) {
        None => Some("an access may be outside of its object"),
        Some(read) if footprint.kind == Kind::Read && read.contains(&None) => {
            Some("it depends on indeterminate memory")
        }
        Some(_) => None,
    }
}

fn contains(e: &Expr, is_wanted: &dyn Fn(&Expr) -> bool) -> bool {
    let mut found = false;
    e.walk(&mut |part| found |= is_wanted(part));
    found
}
