//! Joins and detachments, where other threads are positions and not part of the control.
//!
//! | the handle names | and it | then |
//! |---|---|---|
//! | a thread that is created once | has ended | it is joined |
//! | | was joined before, or never started | error 3 |
//! | | runs | the joiner waits |
//! | itself, or no thread | | as the encoder says |
//! | maybe an instance of a template | | any result, any error, at any time |
//!
//! Once threads are detached somewhere in the program, joining any of them may also fail at once.

use super::build::{Builder, position_variable};
use super::{FINISHED, JOINED, POSITION_WIDTH, UNSTARTED, unsupported};
use crate::encoding::control::{GlobalLocation, Thread};
use crate::encoding::encode::{Successor, SuccessorKind};
use crate::encoding::names::Name;
use base::Inconclusive;
use logic::Symbol;
use logic::path::Cmd;
use program::interp::ThreadId;
use program::{Op, VarId};
use std::sync::Arc;

/// The outcomes of an action that joins or detaches.
pub(super) fn joins(
    builder: &mut Builder<'_, '_>,
    control: &GlobalLocation,
    thread: ThreadId,
    ops: &[Op],
) -> Result<Vec<Successor>, Inconclusive> {
    let about: Vec<&Op> = ops.iter().filter(|op| matches!(op, Op::Join { .. } | Op::Detach { .. })).collect();
    match about[..] {
        [Op::Join { result, error, .. }] => Ok(join(builder, control, thread, *result, *error)),
        [Op::Detach { error, .. }] => Ok(detach(builder, control, thread, *error)),
        _ => unsupported("several joins in one step"),
    }
}

fn register(builder: &mut Builder<'_, '_>, control: &GlobalLocation, thread: ThreadId, var: VarId) -> Symbol {
    let state = control.thread(thread).expect("a thread that moves should be in the control");
    let name = Name::Register { thread, depth: state.depth(), func: state.top().func, var };
    builder.encoder.names.symbol(builder.terms, builder.encoder.program, name)
}

fn detach(
    builder: &mut Builder<'_, '_>,
    control: &GlobalLocation,
    thread: ThreadId,
    error: VarId,
) -> Vec<Successor> {
    builder.found.detaches = true;
    let error = register(builder, control, thread, error);
    let outcomes = builder.encoder.successors(builder.terms, control, thread);
    let goes = outcomes.into_iter().rfind(|o| o.kind == SuccessorKind::Continue);
    // Whatever it returns, and whomever it is about.
    goes.into_iter().map(|outcome| Successor { block: vec![Cmd::Havoc(error)], ..outcome }).collect()
}

fn join(
    builder: &mut Builder<'_, '_>,
    control: &GlobalLocation,
    thread: ThreadId,
    result: VarId,
    error: VarId,
) -> Vec<Successor> {
    let (result, error) =
        (register(builder, control, thread, result), register(builder, control, thread, error));
    let mut all_ended = control.clone();
    let singles =
        builder.found.threads.iter().map(|(t, _)| *t).filter(|t| !builder.found.replicated.contains(t));
    for id in singles.filter(|t| *t != thread).collect::<Vec<_>>() {
        if all_ended.thread(id).is_none() {
            let ended = Thread { id, frames: Vec::new(), detached: false, counts: Vec::new() };
            let at = all_ended.threads.partition_point(|t| t.id < id);
            all_ended.threads.insert(at, Arc::new(ended));
        }
    }
    let outcomes = builder.encoder.successors(builder.terms, &all_ended, thread);
    let last = outcomes.iter().rposition(|o| o.kind == SuccessorKind::Continue);
    let mut found = Vec::new();
    for (n, mut outcome) in outcomes.into_iter().enumerate() {
        let gone = all_ended.threads.iter().map(|t| t.id).find(|t| outcome.control.thread(*t).is_none());
        outcome.control.threads.retain(|t| control.thread(t.id).is_some());
        match gone {
            Some(joined) => found.extend(single(builder, outcome, joined, result, error)),
            None if Some(n) == last && (!builder.found.replicated.is_empty() || builder.found.detaches) => {
                found.push(Successor { block: anything(&outcome.block, result, error), ..outcome });
            }
            None => found.push(outcome),
        }
    }
    found
}

/// What joining one known thread can do.
fn single(
    builder: &mut Builder<'_, '_>,
    outcome: Successor,
    joined: ThreadId,
    result: Symbol,
    error: Symbol,
) -> Vec<Successor> {
    let position = position_variable(builder.terms, joined);
    let mut when = |values: &[u128]| {
        let now = builder.terms.var_of(position);
        let cases: Vec<_> = values
            .iter()
            .map(|v| {
                let value = builder.terms.constant(*v, POSITION_WIDTH);
                builder.terms.eq(now, value)
            })
            .collect();
        Cmd::Assume(builder.terms.or(&cases))
    };
    let (ended, absent) = (when(&[FINISHED]), when(&[UNSTARTED, JOINED]));
    let no_such = builder.terms.constant(3, 32);
    let mut failing = vec![absent];
    for cmd in &outcome.block {
        match *cmd {
            Cmd::Assign(x, _) if x == result => {}
            Cmd::Assign(x, _) if x == error => failing.push(Cmd::Assign(error, no_such)),
            other => failing.push(other),
        }
    }
    let mut block = vec![ended];
    block.extend(outcome.block.iter().copied());
    let after = builder.terms.constant(JOINED, POSITION_WIDTH);
    block.push(Cmd::Assign(position, after));
    let mut all = vec![Successor { block: failing, ..outcome.clone() }];
    if builder.found.detaches {
        all.push(Successor { block: anything(&outcome.block, result, error), ..outcome.clone() });
    }
    all.push(Successor { block, ..outcome });
    all
}

/// The same with any result and any error.
fn anything(block: &[Cmd], result: Symbol, error: Symbol) -> Vec<Cmd> {
    let mut some = Vec::new();
    for cmd in block {
        match *cmd {
            Cmd::Assign(x, _) if x == result => {}
            Cmd::Assign(x, _) if x == error => some.extend([Cmd::Havoc(error), Cmd::Havoc(result)]),
            other => some.push(other),
        }
    }
    some
}
