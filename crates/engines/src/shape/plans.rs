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
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of static objects in which a lock is looked for that is taken through a pointer.
const MAX_OBJECTS: usize = 8;

/// The plans to begin with: none for a program without threads, otherwise one for each lock, the one with most uses first. Words that are no more than read and written in one
/// transaction come last: they may be locks of the program's own.
pub(super) fn candidates(program: &Program) -> Vec<Option<Plan>> {
    if !program.creates_threads() {
        return vec![None];
    }
    let mut uses = Uses::default();
    let mut n_sections = 0;
    for location in program.functions.iter().flat_map(|f| f.locations.iter()) {
        let Action::Ops { ops, sync, .. } = &location.action else { continue };
        n_sections += ops.iter().filter(|op| matches!(op, Op::AtomicBegin)).count();
        uses.add(program, ops, sync.as_ref());
    }
    let mut locks: Vec<(usize, Lock)> = uses.locks.into_iter().map(|(place, n)| (n, word(place))).collect();
    locks.extend((n_sections > 0).then_some((n_sections, Lock::Atomic)));
    locks.sort_by_key(|(n, _)| std::cmp::Reverse(*n));
    let mut plans: Vec<Plan> = locks.into_iter().map(|(_, lock)| Plan::new(lock)).collect();
    plans.extend(uses.others.into_iter().take(MAX_OBJECTS).map(|place| Plan::new(word(place))));
    plans.into_iter().filter(|plan| plan.fits(program)).map(Some).collect()
}

/// Object, offset and size of a word.
type Place = (ObjectId, u64, u64);

fn word((object, offset, bytes): Place) -> Lock {
    Lock::Word { object, offset, bytes }
}

/// How often words are taken for locks.
#[derive(Default)]
struct Uses {
    locks: BTreeMap<Place, usize>,
    /// Words that are changed depending on what they were.
    others: BTreeSet<Place>,
}

impl Uses {
    fn add(&mut self, program: &Program, ops: &[Op], sync: Option<&Sync>) {
        let locks = |sync: &&Sync| matches!(sync.kind, SyncKind::Lock | SyncKind::TryLock);
        let taken = sync.filter(locks).map(|sync| &sync.object);
        for op in ops {
            let Op::Store { addr, value, .. } = op else { continue };
            let bytes = value.width().bytes();
            if taken == Some(addr) {
                let (object, offset) = place(addr);
                let known = object.into_iter();
                let all = program.objects.ids().filter(|_| object.is_none()).take(MAX_OBJECTS);
                for object in known.chain(all) {
                    *self.locks.entry((object, offset, bytes)).or_default() += 1;
                }
            } else if let ((Some(object), offset), None) = (place(addr), sync)
                && ops.iter().any(|op| loads(op, addr))
            {
                self.others.insert((object, offset, bytes));
            }
        }
    }
}

/// Returns true if an operation that sets a register or waits reads the word at an address.
fn loads(op: &Op, at: &Expr) -> bool {
    let mut found = false;
    if let Op::Set { value: e, .. } | Op::Guard(e) = op {
        e.walk(&mut |part| found |= matches!(part, Expr::Load { addr, .. } if **addr == *at));
    }
    found
}

/// The static object of an address, if it is one's, and the distance from its start (or that of another object).
fn place(addr: &Expr) -> (Option<ObjectId>, u64) {
    match addr {
        Expr::ObjectAddr(object, _) => (Some(*object), 0),
        Expr::Binary(program::BinOp::Add, base, offset) => match &**offset {
            Expr::Const(offset, _) => (place(base).0, u64::try_from(*offset).unwrap_or(u64::MAX)),
            _ => (None, 0),
        },
        _ => (None, 0),
    }
}

/// Changes the role of an object that is accessed in a way that the plan does not allow; `false` if there is no other.
pub(super) fn change(plan: &mut Plan, program: &Program, access: SharedAccess) -> bool {
    let SharedAccess { object, writes, by_first } = access;
    if program.objects[object].read_only || program.objects[object].thread_local {
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
