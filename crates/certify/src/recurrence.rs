//! Checks a non-terminating execution in which no state repeats: a set of states that an iteration of a lasso loop does not leave.
//!
//! # What is claimed
//! After the trace's first steps, the *stem*, the state is in a set; from every state of the set an iteration of given actions of the main thread, with given
//! inputs, can be taken and leads back into the set. Then it can be repeated for ever. (A closed recurrence set with fixed inputs: Gupta and others, *Proving
//! non-termination*, POPL 2008.)
//!
//! # What is checked
//! 1. The interpreter runs the stem, and as many iterations as the trace has, at least one; each ends where it began.
//! 2. The state before the first iteration is in the set, all other threads have finished, and the location is the one that is claimed.
//! 3. For every state of the set the conditions of an iteration hold and the state after it is in the set: by the solver, with the actions' meaning as
//!    formulas.
//!
//! # Direction of error
//! Formulas should allow no step that the interpreter does not. They do where memory is freed, because freeing is not followed: such
//! programs are refused. Accesses outside of objects are excluded by the conditions.

use crate::CheckedSolver;
use crate::demand;
use base::Inconclusive;
use base::convert::index;
use evidence::Recurrence;
use logic::path::{Cmd, SymbolicStore};
use logic::{Limits, Model, Solver, Sort, Symbol, Term, Terms, Value};
use program::interp::{Identity, Interp, State, ThreadId};
use program::{Action, Op, Program};
use semantics::encoding::{Encoder, GlobalLocation, Name, SuccessorKind};

/// 2. and 3.: `state` is the one before the first iteration.
pub(crate) fn check(claimed: &Recurrence, interp: &Interp<'_>, state: &State) -> Result<(), Inconclusive> {
    let program = interp.program();
    demand(!frees(program), || "a program that frees memory should not recur".to_owned())?;
    demand(is_at(interp, state, &claimed.location), || "the iteration begins somewhere else".to_owned())?;
    let mut encoder =
        Encoder::with_identities(&semantics::Analysis::of(program), &claimed.identities)?.following_waits();
    let mut terms = Terms::new();
    encoder.initial(&mut terms)?;
    let commands = commands(claimed, &mut encoder, &mut terms)?;
    let formulas = claimed.formulas.rebuild(&mut terms).map_err(Inconclusive::CheckFailed)?;
    let set = formulas.get(claimed.set).map_err(Inconclusive::CheckFailed)?;
    contains(set, interp, state, &encoder, &terms)?;
    let mut after = SymbolicStore::default();
    let mut wanted = after.run(&mut terms, &commands);
    wanted.push(after.apply(&mut terms, set));
    let fine = terms.and(&wanted);
    let mut query = terms.conjuncts(set);
    query.push(terms.not(fine));
    let answer = CheckedSolver::new().check(&terms, &query, &Limits::none())?;
    demand(answer.is_unsat(), || "an iteration can leave the set, or get stuck".to_owned())
}

/// The commands of an iteration, with its inputs.
fn commands(
    claimed: &Recurrence,
    encoder: &mut Encoder<'_>,
    terms: &mut Terms,
) -> Result<Vec<Cmd>, Inconclusive> {
    let mut control = (*claimed.location).clone();
    let (mut commands, mut inputs) = (Vec::new(), claimed.inputs.iter());
    for (thread, n) in &claimed.outcomes {
        let alone = *thread == ThreadId::MAIN && control.movable().eq([ThreadId::MAIN]);
        demand(alone, || "the main thread should be alone in an iteration".to_owned())?;
        let outcome = encoder.successors(terms, &control, *thread).into_iter().nth(*n);
        let outcome = outcome.filter(|outcome| outcome.kind == SuccessorKind::Continue);
        let outcome =
            outcome.ok_or_else(|| Inconclusive::CheckFailed("an iteration ends early".to_owned()))?;
        for cmd in outcome.block {
            let Cmd::Havoc(symbol) = cmd else {
                commands.push(cmd);
                continue;
            };
            let variable = terms.var_of(symbol);
            let value = inputs.next().and_then(|value| terms.constant_like(variable, *value));
            commands.push(value.map_or(cmd, |value| Cmd::Assign(symbol, value)));
        }
        control = outcome.control;
    }
    demand(control == *claimed.location && !claimed.outcomes.is_empty(), || {
        "an iteration should end where it begins".to_owned()
    })?;
    Ok(commands)
}

/// 2. The state is in the set.
fn contains(
    set: Term,
    interp: &Interp<'_>,
    state: &State,
    encoder: &Encoder<'_>,
    terms: &Terms,
) -> Result<(), Inconclusive> {
    let mut model = Model::default();
    for symbol in terms.free_vars(set) {
        let bits = value(interp, state, encoder.names().name(symbol));
        let bits = bits.ok_or_else(|| {
            Inconclusive::CheckFailed(format!("the value of {} is not known", terms.name(symbol)))
        })?;
        model.set(symbol, of_sort(terms, symbol, bits)?);
    }
    demand(terms.eval(set, &model).truth(), || "the stem does not lead into the set".to_owned())
}

fn of_sort(terms: &Terms, symbol: Symbol, bits: u128) -> Result<Value, Inconclusive> {
    match terms.sort(terms.var_of(symbol)) {
        Sort::Bool => Ok(Value::Bool(bits != 0)),
        Sort::Bits(_) => Ok(Value::Bits(bits)),
        Sort::Array { .. } => {
            Err(Inconclusive::CheckFailed("a recurrent set should not be about arrays".to_owned()))
        }
    }
}

/// The value of a state variable of the main thread.
fn value(interp: &Interp<'_>, state: &State, name: Option<Name>) -> Option<u128> {
    match name? {
        Name::Register { thread: ThreadId::MAIN, depth, func, var } => {
            let frame = state.thread(ThreadId::MAIN)?.frames().nth(depth as usize)?;
            (frame.func() == func).then(|| frame.register(var))?
        }
        Name::Cell { object, offset, width } => {
            let mine = match object {
                Identity::Static(_) => true,
                Identity::ThreadLocal(_, thread)
                | Identity::Local { thread, .. }
                | Identity::Heap { thread, .. }
                | Identity::Alloca { thread, .. } => thread == ThreadId::MAIN,
            };
            let bytes = interp.bytes(state, object).filter(|_| mine)?;
            let from = usize::try_from(offset).ok()?;
            let bytes = bytes.get(from..from + index(width.bytes()))?;
            bytes.iter().rev().try_fold(0, |value, byte| Some(value << 8 | u128::from((*byte)?)))
        }
        _ => None,
    }
}

/// Returns true if the main thread is at a location, and all others have finished.
fn is_at(interp: &Interp<'_>, state: &State, control: &GlobalLocation) -> bool {
    let Some(main) = state.thread(ThreadId::MAIN) else { return false };
    let Some(claimed) = control.thread(ThreadId::MAIN) else { return false };
    let here: Vec<_> = main.frames().map(|frame| (frame.func(), frame.loc())).collect();
    let there: Vec<_> = claimed.frames.iter().map(|frame| (frame.func, frame.loc)).collect();
    let others = state.threads().filter(|(id, _)| *id != ThreadId::MAIN).all(|(_, t)| t.is_finished());
    let allocated = |object: &Identity| matches!(object, Identity::Heap { .. } | Identity::Alloca { .. });
    let mut alive: Vec<Identity> = interp.objects(state).into_iter().filter(allocated).collect();
    alive.sort();
    here == there
        && others
        && control.threads.iter().all(|t| t.id == ThreadId::MAIN || t.is_finished())
        && control.atomic.is_none()
        && state.atomic_owner().is_none()
        && alive == control.objects
}

fn frees(program: &Program) -> bool {
    let locations = program.functions.iter().flat_map(|function| function.locations.iter());
    let mut actions = locations.map(|location| &location.action);
    actions.any(|action| match action {
        Action::Ops { ops, .. } => ops.iter().any(|op| matches!(op, Op::Free(_) | Op::Realloc { .. })),
        _ => false,
    })
}
