//! Plans: which locks threads use, which objects they share, and what is done with each.
//!
//! A plan begins with locks of which the first protects everything. An access that it does not allow says what is wrong with it:
//!
//! | role | the access | next role |
//! |---|---|---|
//! | protected by a lock | holds another lock, of a higher number | protected by that one |
//! | | is a read without a lock, of a field beside a lock | the same, but the field is frozen |
//! | | is a write without a lock, to a field beside a lock | the same, but the field is open |
//! | | is a read without a lock | frozen |
//! | | is a write of the first thread without a lock | of the first thread |
//! | | is one of another thread | open |
//! | frozen | is a write of the first thread | of the first thread |
//! | | is one of another thread | open |
//! | of the first thread | is one of another thread | open |
//!
//! So each object changes its role a few times at most.
//!
//! Locks that are taken through pointers are looked for in static objects, and in what the first thread has made when it creates a thread: the search without a plan ends there,
//! and says which objects the new thread can reach ([`Transfer::origins`](semantics::shape::Transfer::origins)).

use program::{Action, Expr, FuncId, ObjectId, Op, Program, Sync, SyncKind};
use semantics::Analysis;
use semantics::analysis::Site;
use semantics::shape::{Anchor, Heap, Life, Lock, Made, NodeId, Plan, Role, SharedAccess, Transfer, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of static objects in which a lock is looked for that is taken through a pointer.
const MAX_OBJECTS: usize = 8;
/// Maximum number of locks in a plan.
const MAX_LOCKS: usize = 6;
/// Maximum number of fields of an object that are frozen each for itself.
const MAX_FIELDS: usize = 12;

/// The plans to begin with: none for a program without threads, otherwise all locks that are certain, and then each lock for itself, the one with most uses first. Words that are no more than read and written in one
/// transaction come last: they may be locks of the program's own. Without any there is the lock of atomic sections, so that threads can own what they are given.
pub(super) fn candidates(analysis: &Analysis<'_>) -> Vec<Option<Plan>> {
    let program = analysis.program;
    if !program.creates_threads() {
        return vec![None];
    }
    let uses = Uses::of(analysis);
    let mut locks: Vec<(usize, Lock)> =
        uses.locks.iter().map(|(place, n)| (*n, word(*place, true))).collect();
    // Without locks, atomic sections that there are not protect what threads do not share.
    let has_locks = !locks.is_empty() || !uses.others.is_empty();
    locks.extend((uses.n_sections > 0 || !has_locks).then_some((uses.n_sections, Lock::Atomic)));
    locks.sort_by_key(|(n, _)| std::cmp::Reverse(*n));
    let mut plans = Vec::new();
    let all: Vec<Lock> = locks.iter().map(|(_, lock)| *lock).collect();
    if all.len() > 1 && all.len() <= MAX_LOCKS {
        plans.push(Plan::new(all.clone(), Vec::new()));
        plans.push(Plan::new(all.into_iter().rev().collect(), Vec::new()));
    }
    plans.extend(locks.into_iter().map(|(_, lock)| Plan::new(vec![lock], Vec::new())));
    let others = uses.others.iter().take(MAX_OBJECTS);
    plans.extend(others.map(|place| Plan::new(vec![word(*place, false)], Vec::new())));
    plans.into_iter().filter(|plan| plan.fits(program)).map(Some).collect()
}

/// Returns true if there are locks in objects that are made.
pub(super) fn has_made_locks(analysis: &Analysis<'_>) -> bool {
    analysis.program.creates_threads() && !Uses::of(analysis).distances.is_empty()
}

/// The plans with objects that the first thread has made when it creates a thread with this argument: first those that hold a lock, and variables; then all.
pub(super) fn with_made(
    analysis: &Analysis<'_>,
    transfer: &Transfer<'_>,
    heap: &Heap,
    arg: Value,
) -> Vec<Plan> {
    let program = transfer.program;
    let uses = Uses::of(analysis);
    let origins = transfer.origins(heap, arg);
    let is_free = |node: NodeId, at: u64, bytes: u64| {
        let inside = at.checked_add(bytes).is_some_and(|end| end <= heap.node(node).size);
        inside && transfer.known(heap, node, at, bytes) == Some(Value::Number(0))
    };
    let has_lock = |node: NodeId| uses.distances.iter().any(|(at, bytes)| is_free(node, *at, *bytes));
    let mut plans = Vec::new();
    for all in [false, true] {
        let of_lock = |(made, node): &&(Made, NodeId)| all || has_lock(*node) || made.life == Life::Frame;
        let chosen: Vec<&(Made, NodeId)> = origins.iter().filter(of_lock).collect();
        let made: Vec<Made> = chosen.iter().map(|(made, _)| made.clone()).collect();
        let anchored = chosen
            .iter()
            .enumerate()
            .map(|(n, (_, node))| (Anchor::Made(u32::try_from(n).unwrap_or(u32::MAX)), *node));
        let mut locks: BTreeSet<Lock> = uses.locks.keys().map(|place| word(*place, true)).collect();
        for (anchor, node) in anchored {
            let first = uses.distances.iter().find(|(at, bytes)| is_free(node, *at, *bytes));
            locks.extend(first.map(|(at, bytes)| word((anchor, *at, *bytes), true)));
        }
        let mut locks: Vec<Lock> = locks.into_iter().take(MAX_LOCKS).collect();
        locks.extend((uses.n_sections > 0).then_some(Lock::Atomic));
        if locks.len() > 1 {
            plans.push(Plan::new(locks.clone(), made.clone()));
            plans.push(Plan::new(locks.iter().rev().copied().collect(), made.clone()));
        }
        plans.extend(locks.iter().map(|lock| Plan::new(vec![*lock], made.clone())));
    }
    plans.dedup();
    plans.retain(|plan| plan.fits(program));
    plans
}

/// Object, offset and size of a word.
type Place = (Anchor, u64, u64);

fn word((object, offset, bytes): Place, tells_holder: bool) -> Lock {
    Lock::Word { object, offset, bytes, tells_holder }
}

/// How often words are taken for locks.
#[derive(Default)]
struct Uses {
    /// In static objects.
    locks: BTreeMap<Place, usize>,
    /// In others: where in the object, and the size.
    distances: BTreeSet<(u64, u64)>,
    /// Words that are changed depending on what they were.
    others: BTreeSet<Place>,
    n_sections: usize,
}

impl Uses {
    fn of(analysis: &Analysis<'_>) -> Self {
        let mut uses = Self::default();
        for (func, function) in analysis.program.functions.iter_enumerated() {
            for location in function.locations.iter() {
                let Action::Ops { ops, sync, .. } = &location.action else { continue };
                uses.n_sections += ops.iter().filter(|op| matches!(op, Op::AtomicBegin)).count();
                uses.add(analysis, func, ops, sync.as_ref());
            }
        }
        uses
    }

    fn add(&mut self, analysis: &Analysis<'_>, func: FuncId, ops: &[Op], sync: Option<&Sync>) {
        let locks = |sync: &&Sync| matches!(sync.kind, SyncKind::Lock | SyncKind::TryLock);
        let taken = sync.filter(locks).map(|sync| &sync.object);
        for op in ops {
            let Op::Store { addr, value, .. } = op else { continue };
            let bytes = value.width().bytes();
            if taken == Some(addr) {
                self.add_lock(analysis, func, addr, bytes);
            } else if let ((Some(object), offset), None) = (place(addr), sync)
                && ops.iter().any(|op| loads(op, addr))
            {
                self.others.insert((Anchor::Object(object), offset, bytes));
            }
        }
    }

    /// Adds a lock at an address; of one of which nothing is known, one of each of the first objects.
    fn add_lock(&mut self, analysis: &Analysis<'_>, func: FuncId, addr: &Expr, bytes: u64) {
        let mut found = false;
        for (site, offset) in analysis.points_to.targets(func, addr).places {
            let Some(offset) = offset.as_exact() else { continue };
            found = true;
            match site {
                Site::Static(object) => {
                    *self.locks.entry((Anchor::Object(object), offset, bytes)).or_default() += 1;
                }
                Site::Frame(..) | Site::Heap(..) => drop(self.distances.insert((offset, bytes))),
            }
        }
        let offset = place(addr).1;
        for object in analysis.program.objects.ids().filter(|_| !found).take(MAX_OBJECTS) {
            *self.locks.entry((Anchor::Object(object), offset, bytes)).or_default() += 1;
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
pub(super) fn change(plan: &mut Plan, program: &Program, access: &SharedAccess) -> bool {
    let SharedAccess { object, place, writes, by_first, held } = access;
    if let Anchor::Object(object) = object
        && (program.objects[*object].read_only || program.objects[*object].thread_local)
    {
        return false;
    }
    let role = plan.role(program, *object);
    if let Role::Protected(lock) = role {
        if let Some(other) = held.iter().find(|own| **own > lock) {
            plan.roles.insert(*object, Role::Protected(*other));
            return true;
        }
        let all = plan.fields.iter().chain(&plan.open);
        let is_field = all.filter(|(of, ..)| of == object).count() < MAX_FIELDS;
        if let Some((at, bytes)) = place.filter(|_| is_field && plan.has_lock(*object)) {
            let field = (*object, at, bytes);
            let overlaps =
                |(of, from, len): &(Anchor, u64, u64)| of == object && *from < at + bytes && at < from + len;
            if *writes {
                plan.fields.retain(|other| !overlaps(other));
            }
            let fields = if *writes { &mut plan.open } else { &mut plan.fields };
            if fields.insert(field) {
                return true;
            }
        }
    }
    let next = match role {
        Role::Protected(_) if !writes => Role::Frozen,
        Role::Protected(_) | Role::Frozen if *by_first => Role::OfFirst,
        Role::Protected(_) | Role::Frozen | Role::OfFirst => Role::Open,
        Role::Open => return false,
    };
    plan.fields.retain(|(of, ..)| of != object);
    plan.open.retain(|(of, ..)| of != object);
    plan.roles.insert(*object, next);
    true
}
