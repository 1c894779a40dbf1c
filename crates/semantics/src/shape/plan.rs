//! Plans: which locks threads use, which objects all threads know, and who accesses these when.
//!
//! A plan is a choice of the engine, and every choice is sound: an access that it does not allow is a doubt.

use super::heap::{Anchor, Heap, Life, LockId, NodeId, Shape, Value};
use super::transfer::{Doubts, Transfer};
use program::{Action, ObjectId, Op, Program};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The greatest number of steps to an object that was made before the first thread.
const MAX_STEPS: usize = 3;
/// Maximum number of objects of which it is said how they are found.
const MAX_ORIGINS: usize = 16;

/// Who accesses shared objects when, while there are several threads.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Plan {
    /// The locks.
    pub locks: Vec<Lock>,
    /// Objects that were made before the first thread, and are known to all threads.
    pub made: Vec<Made>,
    /// What is done with shared objects; those that are not named are protected by the first lock.
    #[serde(with = "base::pairs")]
    pub roles: BTreeMap<Anchor, Role>,
    /// Fields of protected objects that all threads read, and none writes to: offsets and sizes.
    pub fields: BTreeSet<(Anchor, u64, u64)>,
    /// Fields that all threads access at any time, so that they hold anything.
    pub open: BTreeSet<(Anchor, u64, u64)>,
}

/// A lock that protects what threads share.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum Lock {
    /// A word of a shared object: 0 if no thread holds it.
    Word {
        /// The object.
        object: Anchor,
        /// Where in it.
        offset: u64,
        /// The size of the word.
        bytes: u64,
        /// True if no thread changes the word while another one holds the lock.
        tells_holder: bool,
    },
    /// Atomic sections.
    Atomic,
}

/// What is done with a shared object.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Role {
    /// It is accessed by the thread that holds this lock.
    Protected(LockId),
    /// It is not written to.
    Frozen,
    /// It is accessed by the first thread.
    OfFirst,
    /// It is accessed by any thread.
    Open,
}

/// How an object is found when the first thread is created.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Made {
    /// Where the way begins: at the start of a static object, or at what the argument of the new thread leads to.
    pub from: Option<ObjectId>,
    /// The offsets at which addresses are followed.
    pub steps: Vec<u64>,
    /// How long it lives while there is one thread: until it is freed, or as long as a frame.
    pub life: Life,
}

impl Plan {
    /// A plan in which the first of these locks protects everything.
    pub fn new(locks: Vec<Lock>, made: Vec<Made>) -> Self {
        Self { locks, made, ..Self::default() }
    }

    /// Returns true if the program can have these locks, and what is named exists.
    pub fn fits(&self, program: &Program) -> bool {
        let exists = |anchor: &Anchor| match anchor {
            Anchor::Object(object) => program.objects.ids().any(|id| id == *object),
            Anchor::Made(n) => (*n as usize) < self.made.len(),
        };
        let is_lock = |lock: &Lock| match lock {
            Lock::Atomic => true,
            Lock::Word { object, offset, bytes, .. } => {
                let end = offset.checked_add(*bytes);
                let is_shared = match object {
                    Anchor::Object(id) if exists(object) => {
                        let declared = &program.objects[*id];
                        let inside = end.is_some_and(|end| end <= declared.size);
                        !declared.thread_local && !declared.read_only && inside
                    }
                    _ => exists(object) && end.is_some(),
                };
                is_shared && matches!(bytes, 1 | 2 | 4 | 8)
            }
        };
        let overlap = |a: &Lock, b: &Lock| match (a, b) {
            (Lock::Atomic, Lock::Atomic) => true,
            (
                Lock::Word { object: x, offset: o, bytes: n, .. },
                Lock::Word { object: y, offset: p, bytes: m, .. },
            ) => x == y && *o < p + m && *p < o + n,
            _ => false,
        };
        let apart =
            self.locks.iter().enumerate().all(|(n, a)| !self.locks[..n].iter().any(|b| overlap(a, b)));
        let knows =
            |role: &Role| matches!(role, Role::Protected(lock) if lock.0 as usize >= self.locks.len());
        let was_made = |made: &Made| {
            matches!(made.life, Life::Heap | Life::Frame)
                && made.from.is_none_or(|object| exists(&Anchor::Object(object)))
        };
        !self.locks.is_empty()
            && self.locks.iter().all(is_lock)
            && apart
            && self.made.iter().all(was_made)
            && self.roles.keys().chain(self.all_fields().map(|(anchor, ..)| anchor)).all(exists)
            && !self.roles.values().any(knows)
            && self.all_fields().all(|(_, at, len)| at.checked_add(*len).is_some())
    }

    /// What is done with an object that threads share.
    pub fn role(&self, program: &Program, anchor: Anchor) -> Role {
        if let Anchor::Object(object) = anchor
            && program.objects[object].read_only
        {
            return Role::Frozen;
        }
        self.roles.get(&anchor).copied().unwrap_or(Role::Protected(LockId(0)))
    }

    /// The locks, with their numbers.
    pub fn numbered(&self) -> impl Iterator<Item = (LockId, &Lock)> {
        self.locks.iter().enumerate().map(|(n, lock)| (<LockId as base::Idx>::new(n), lock))
    }

    /// The number of the atomic sections' lock.
    pub(super) fn section(&self) -> Option<LockId> {
        self.numbered().find(|(_, lock)| **lock == Lock::Atomic).map(|(id, _)| id)
    }

    /// Returns true if one of the locks is in this object.
    pub fn has_lock(&self, anchor: Anchor) -> bool {
        self.locks.iter().any(|lock| matches!(lock, Lock::Word { object, .. } if *object == anchor))
    }

    fn all_fields(&self) -> impl Iterator<Item = &(Anchor, u64, u64)> {
        self.fields.iter().chain(&self.open)
    }
}

/// Returns true if these bytes of an object are in one of its fields here; all of them, or some.
pub(super) fn are_in(
    fields: &BTreeSet<(Anchor, u64, u64)>,
    anchor: Anchor,
    (low, high): (i64, i64),
    all: bool,
) -> bool {
    fields.iter().filter(|(of, ..)| *of == anchor).any(|(_, at, len)| {
        let (start, end) = (i128::from(*at), i128::from(*at) + i128::from(*len));
        let (low, high) = (i128::from(low), i128::from(high));
        if all { start <= low && high <= end } else { start < high && low < end }
    })
}

impl Transfer<'_> {
    /// The node to which a way leads.
    pub(super) fn find(&self, heap: &Heap, made: &Made, arg: Value) -> Doubts<NodeId> {
        let mut value = match made.from {
            None => arg,
            Some(object) => Value::Address(super::Address::start(heap.anchors[&Anchor::Object(object)])),
        };
        for at in &made.steps {
            let next = match value {
                Value::Address(to) if heap.node(to.node).shape == Shape::Single => {
                    self.known(heap, to.node, *at, self.pointer().bytes())
                }
                _ => None,
            };
            value = next.ok_or("a shared object that is not found")?;
        }
        match value {
            Value::Address(to) if is_single(heap, to.node, made.life) => Ok(to.node),
            _ => Err("a shared object that is not found".into()),
        }
    }

    /// The heap in which the next action creates a thread, if it does, and the thread's argument.
    pub fn started(&self, heap: &Heap) -> Option<(Heap, Value)> {
        let frame = heap.frame();
        let action = &self.program.functions[frame.func].locations[frame.loc].action;
        let Action::Ops { ops, .. } = action else { return None };
        let arg = ops.iter().find_map(|op| if let Op::Create { arg, .. } = op { Some(arg) } else { None })?;
        let mut heap = self.value(heap.clone(), arg).ok()?.pop()?;
        let value = heap.pop();
        Some((heap, value))
    }

    /// Objects to which the argument of a new thread, or static objects lead, with ways to find them; the shortest ways first.
    pub fn origins(&self, heap: &Heap, arg: Value) -> Vec<(Made, NodeId)> {
        let mut found: Vec<(Made, NodeId)> = Vec::new();
        let mut level: Vec<(Option<ObjectId>, Vec<u64>, Value)> = vec![(None, Vec::new(), arg)];
        level.extend(heap.anchors.iter().filter_map(|(anchor, node)| match anchor {
            Anchor::Object(object) => {
                Some((Some(*object), Vec::new(), Value::Address(super::Address::start(*node))))
            }
            Anchor::Made(_) => None,
        }));
        for _ in 0..=MAX_STEPS {
            let mut next = Vec::new();
            for (from, steps, value) in std::mem::take(&mut level) {
                let Value::Address(to) = value else { continue };
                let node = heap.node(to.node);
                if node.shape != Shape::Single || found.iter().any(|(_, known)| *known == to.node) {
                    continue;
                }
                if matches!(node.life, Life::Heap | Life::Frame) && found.len() < MAX_ORIGINS {
                    found.push((Made { from, steps: steps.clone(), life: node.life }, to.node));
                }
                next.extend(node.cells.iter().filter_map(|(at, cell)| {
                    Some((from, steps.iter().copied().chain([*at]).collect(), cell.value?))
                }));
            }
            level = next;
        }
        found
    }
}

fn is_single(heap: &Heap, id: NodeId, life: Life) -> bool {
    let node = heap.node(id);
    node.shape == Shape::Single && node.life == life
}
