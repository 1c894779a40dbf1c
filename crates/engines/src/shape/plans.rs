//! Plans: which lock threads use, and what is done with each static object.
//!
//! A plan begins with a lock that protects everything. An access that it does not allow says what is wrong with it:
//!
//! | role | the access | next role |
//! |---|---|---|
//! | protected | is a read without the lock | frozen |
//! | | is a write of the first thread without the lock | of the first thread |
//! | | is one of another thread | open |
//! | frozen | is a write of the first thread | of the first thread |
//! | | is one of another thread | open |
//! | of the first thread | is one of another thread | open |
//!
//! So each object changes its role three times at most.

use program::{Action, Expr, ObjectId, Op, Program, Sync, SyncKind};
use semantics::shape::{Lock, Plan, Role, SharedAccess};
use std::collections::BTreeMap;

/// The plans to begin with: none for a program without threads, otherwise one for each lock, the one with most uses first.
pub(super) fn candidates(program: &Program) -> Vec<Option<Plan>> {
    if !program.creates_threads() {
        return vec![None];
    }
    let mut uses: BTreeMap<(ObjectId, u64, u64), usize> = BTreeMap::new();
    let mut n_sections = 0;
    for location in program.functions.iter().flat_map(|f| f.locations.iter()) {
        let Action::Ops { ops, sync, .. } = &location.action else { continue };
        n_sections += ops.iter().filter(|op| matches!(op, Op::AtomicBegin)).count();
        if let Some(lock) = sync.as_ref().and_then(|sync| place_of_lock(sync, ops)) {
            *uses.entry(lock).or_default() += 1;
        }
    }
    let words =
        uses.into_iter().map(|((object, offset, bytes), n)| (n, Lock::Word { object, offset, bytes }));
    let mut locks: Vec<(usize, Lock)> = words.collect();
    locks.extend((n_sections > 0).then_some((n_sections, Lock::Atomic)));
    locks.sort_by_key(|(n, _)| std::cmp::Reverse(*n));
    locks.into_iter().map(|(_, lock)| Some(Plan::new(lock))).collect()
}

/// The word that a transaction stores to when it takes a lock that is a static object.
fn place_of_lock(sync: &Sync, ops: &[Op]) -> Option<(ObjectId, u64, u64)> {
    if !matches!(sync.kind, SyncKind::Lock | SyncKind::TryLock) {
        return None;
    }
    let bytes = ops.iter().find_map(|op| match op {
        Op::Store { addr, value, .. } if *addr == sync.object => Some(value.width().bytes()),
        _ => None,
    })?;
    let (object, offset) = match &sync.object {
        Expr::ObjectAddr(object, _) => (*object, 0),
        Expr::Binary(program::BinOp::Add, base, offset) => match (&**base, &**offset) {
            (Expr::ObjectAddr(object, _), Expr::Const(offset, _)) => (*object, u64::try_from(*offset).ok()?),
            _ => return None,
        },
        _ => return None,
    };
    Some((object, offset, bytes))
}

/// Changes the role of an object that is accessed in a way that the plan does not allow; `false` if there is no other.
pub(super) fn change(plan: &mut Plan, program: &Program, access: SharedAccess) -> bool {
    let SharedAccess { object, writes, by_first } = access;
    let is_lock = matches!(plan.lock, Lock::Word { object: own, .. } if own == object);
    if is_lock || program.objects[object].read_only || program.objects[object].thread_local {
        return false;
    }
    let next = match plan.role(program, object) {
        Role::Protected if !writes => Role::Frozen,
        Role::Protected | Role::Frozen if by_first => Role::OfFirst,
        Role::Protected | Role::Frozen | Role::OfFirst => Role::Open,
        Role::Open => return false,
    };
    plan.roles.insert(object, next);
    true
}
