//! What a verdict under sequential consistency is worth under weak memory models.
//!
//! Weaker atomics are taken as sequentially consistent ones unless a memory model is chosen: that is an assumption, and it is said. Where the program has no races
//! but between sequentially consistent accesses, which locks alone often show, the verdict holds under every model, and that is said, too.

use base::{Budget, Stats};
use engines::{Engine, Task, lockset};
use evidence::{Outcome, Proof};
use program::cat::UserModel;
use program::interp::span_name;
use program::{Action, Barrier, Expr, Op, Order, Program, Property, SyncKind};
use semantics::analysis::footprint::footprints;

/// Programs with more locations are not looked at.
const MOST_LOCATIONS: usize = 20_000;

/// Says that weakly ordered accesses of the program are taken as sequentially consistent, if it has any.
pub(crate) fn assumption(program: &Program) -> Option<String> {
    for function in program.functions.iter().filter(|function| !function.library) {
        for location in function.locations.iter() {
            if is_weak(function, &location.action) {
                let place = span_name(program, location.span);
                return Some(format!(
                    "{place}: accesses and fences weaker than seq_cst are taken as sequentially consistent: try --memory-model c11"
                ));
            }
        }
    }
    None
}

/// What a verdict takes for granted about a user's model.
pub(crate) fn taken_for_granted(user: &UserModel, outcome: &Outcome) -> Option<String> {
    let Outcome::Safe(proof) = outcome else { return None };
    let name = user.name();
    match proof {
        Proof::Graphs if user.model.facts.load_buffering => Some(format!(
            "{name}: no value comes out of thin air (acyclic addr | data | ctrl ; [W] | rf), and every value that is written can be written in an execution that is allowed"
        )),
        Proof::Weak(_) => Some(format!(
            "{name}: programs whose races are between seq_cst accesses only have no executions but sequentially consistent ones (it was tried on a few)"
        )),
        _ => None,
    }
}

fn is_weak(function: &program::Function, action: &Action) -> bool {
    if matches!(action, Action::Ops { sync: Some(_), .. }) {
        return false;
    }
    let fence = |op: &Op| matches!(op, Op::Fence(barrier) if *barrier != Barrier::Full);
    let fences = matches!(action, Action::Ops { ops, .. } if ops.iter().any(fence));
    let weaker = |order: Order| !matches!(order, Order::Plain | Order::SeqCst);
    fences || footprints(function, action).iter().any(|footprint| weaker(footprint.order))
}

/// Whether locks alone show that the program behaves under every memory model as under sequential consistency; `program` has all accesses of the
/// library.
pub(crate) fn holds_everywhere(
    program: &Program,
    budget: &Budget,
    certified: impl Fn(&Program, Property, &Outcome, &Budget) -> bool,
) -> bool {
    let n_locations: usize = program.functions.iter().map(|function| function.locations.len()).sum();
    if n_locations > MOST_LOCATIONS || learns_from_failure(program) {
        return false;
    }
    let strict = weak::strict(program);
    let task = Task::new(&strict, Property::NoDataRace, budget);
    let outcome = lockset::Options.run(&task, &mut Stats::default());
    matches!(outcome, Outcome::Safe(_)) && certified(&strict, Property::NoDataRace, &outcome, budget)
}

/// Returns true if a lock may not be taken: C11 lets that fail for no reason, which the program under sequential consistency does not have.
fn learns_from_failure(program: &Program) -> bool {
    let mut actions =
        program.functions.iter().flat_map(|f| f.locations.iter()).map(|location| &location.action);
    actions.any(|action| match action {
        Action::Ops { ops, sync: Some(sync), .. } => {
            let tries = |op: &Op| matches!(op, Op::Store { value: Expr::Ite(..), .. });
            match sync.kind {
                SyncKind::TryLock => true,
                SyncKind::ReadLock | SyncKind::WriteLock | SyncKind::SemWait => {
                    !ops.iter().any(|op| matches!(op, Op::Guard(_))) && ops.iter().any(tries)
                }
                _ => false,
            }
        }
        _ => false,
    })
}
