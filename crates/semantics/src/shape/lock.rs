//! Locks: the words that say who holds them, and what an action does to these.
//!
//! A lock is a word of memory. It is held by the thread that made it another number than 0 when it was 0, in one transaction, until that thread makes it 0 again; a transaction that may
//! make it 0 otherwise is a doubt, and so is an access to a part of it; what else is in the object of the lock has a role as other objects have. So it does not matter what the functions are called that do this. Transactions with accesses to the word are
//! followed once for each of its values (0 or not), as an execution has it when the transaction begins.
//!
//! Where no thread changes the word while another one holds the lock, its holder knows what is there ([`Lock::Word::tells_holder`]): C's models of mutexes write the
//! handle of the thread, and look at it when the mutex is given back.
//!
//! # Deadlocks
//! A thread may wait for a lock of a higher number than those it holds, the first thread also for the end of others while it holds none; another wait is a doubt. So of the
//! threads that wait for locks, one that waits for the highest waits for a thread that can go on, or waits for none.

use super::eval::Access;
use super::heap::{Anchor, Heap, LockId, Range, Value, Word};
use super::plan::{Lock, Plan};
use super::transfer::{Doubts, Transfer};
use program::{Property, Width};

impl Transfer<'_> {
    /// An atomic section begins.
    pub(super) fn enter_section(&self, mut heap: Heap) -> Doubts<Vec<Heap>> {
        let Some(plan) = self.plan else { return Ok(vec![heap]) };
        let lock = plan.section().filter(|_| heap.others.exist());
        if lock.is_none() && self.property == Property::NoDeadlock {
            return Err("a wait in an atomic section".into());
        }
        if let Some(lock) = lock {
            if heap.holds(lock) || heap.transit.takes.contains_key(&lock) {
                return Err("an atomic section in another one".into());
            }
            heap.transit.takes.insert(lock, Value::Number(1));
        }
        Ok(vec![heap])
    }

    /// An atomic section ends.
    pub(super) fn leave_section(&self, mut heap: Heap) -> Vec<Heap> {
        if let Some((plan, lock)) = self.plan.and_then(|plan| Some((plan, plan.section()?))) {
            heap.transit.takes.remove(&lock);
            if heap.holds(lock) {
                self.release(plan, &mut heap, lock);
            }
        }
        vec![heap]
    }

    /// The lock whose word is accessed, if there is one; a doubt if a part of one is, or more.
    pub(super) fn lock_at(&self, heap: &Heap, to: super::Address, bytes: u64) -> Doubts<Option<LockId>> {
        let Some(plan) = self.plan.filter(|_| heap.others.exist()) else { return Ok(None) };
        for (id, lock) in plan.numbered() {
            let Lock::Word { object, offset, bytes: width, .. } = lock else { continue };
            if heap.anchors.get(object) != Some(&to.node) {
                continue;
            }
            let (low, high) = (i128::from(to.low), i128::from(to.high) + i128::from(bytes));
            let (start, end) = (i128::from(*offset), i128::from(*offset) + i128::from(*width));
            match (low, high) {
                _ if high <= start || end <= low => {}
                _ if (low, high) == (start, end) && to.low == to.high => return Ok(Some(id)),
                _ => return Err("an access to a part of a lock".into()),
            }
        }
        Ok(None)
    }

    fn width_of(&self, plan: &Plan, lock: LockId) -> (Width, bool) {
        match plan.locks[base::Idx::index(lock)] {
            Lock::Word { bytes, tells_holder, .. } => (Width::of_bytes(bytes), tells_holder),
            Lock::Atomic => (Width::INT, false),
        }
    }

    /// The heaps with a value of a lock's word at the start of an action that accesses it.
    pub(super) fn values_of_lock(&self, heap: &Heap, lock: LockId, access: Access) -> Vec<Heap> {
        let Some(plan) = self.plan else { return Vec::new() };
        let (width, tells_holder) = self.width_of(plan, lock);
        let full = Range::full(width);
        if let Some(value) = heap.others.held.get(&lock).filter(|_| tells_holder) {
            let mut heap = heap.clone();
            heap.transit.words.insert(lock, Word { was_free: false, before: *value, now: *value });
            return vec![heap];
        }
        let held = match access {
            Access::Read => vec![Range { low: 1, ..full }, Range { high: -1, ..full }],
            // Which number is overwritten does not matter.
            Access::Write | Access::Initialise => vec![full],
        };
        let free = Range::constant(0, width);
        let is_held = heap.holds(lock);
        let all = held.into_iter().map(|range| (false, range)).chain((!is_held).then_some((true, free)));
        all.map(|(was_free, range)| {
            let mut heap = heap.clone();
            let value = heap.number(range);
            heap.transit.words.insert(lock, Word { was_free, before: value, now: value });
            heap
        })
        .collect()
    }

    /// What an action did to the locks.
    pub(super) fn settle(&self, plan: &Plan, heap: &mut Heap) -> Doubts<()> {
        while let Some((lock, Word { was_free, before, now })) = heap.transit.words.pop_first() {
            let (width, tells_holder) = self.width_of(plan, lock);
            let range = heap.range(now, width);
            let is_zero = range.low == 0 && range.high == 0;
            if !is_zero && range.low <= 0 && range.high >= 0 {
                return Err("a lock that may be free or not".into());
            }
            let is_held = heap.holds(lock);
            let is_changed = before != now;
            match (was_free, is_zero) {
                (true, false) if heap.transit.is_alone || heap.transit.takes.contains_key(&lock) => {
                    return Err("a lock that is taken after the last join".into());
                }
                (true, false) => {
                    let known = if tells_holder { now } else { Value::Number(1) };
                    heap.transit.takes.insert(lock, known);
                }
                (false, true) if is_held => self.release(plan, heap, lock),
                (false, true) => return Err("a release of a lock that another thread holds".into()),
                (false, false) if is_changed && tells_holder && is_held => {
                    heap.others.held.insert(lock, now);
                }
                (false, false) if is_changed && tells_holder => {
                    return Err("a change of a lock that another thread holds".into());
                }
                (true, true) | (false, false) => {}
            }
        }
        Ok(())
    }

    /// The heaps after a thread has waited for a condition.
    pub(super) fn guard(&self, heap: Heap, cond: &program::Expr) -> Doubts<Vec<Heap>> {
        if self.property == Property::NoDeadlock {
            for heap in self.value(heap.clone(), cond)? {
                let is_true = matches!(heap.operands.last(), Some(Value::Number(number)) if *number != 0);
                if !is_true && !self.waits_for_a_lock(&heap) {
                    return Err("a wait for something that may never be".into());
                }
            }
        }
        self.assume(heap, cond, true)
    }

    /// Returns true if the action under way looks at a lock that another thread holds, and this thread has only locks of lower numbers.
    fn waits_for_a_lock(&self, heap: &Heap) -> bool {
        let section = self.plan.and_then(Plan::section);
        let held = &heap.others.held;
        let is_last = |lock: &LockId| held.keys().all(|own| own < lock && Some(*own) != section);
        heap.transit.words.iter().any(|(lock, word)| !word.was_free && is_last(lock))
    }

    /// The object whose address all threads know that this node is.
    pub(super) fn anchor_of(heap: &Heap, node: super::NodeId) -> Option<Anchor> {
        heap.anchors.iter().find(|(_, id)| **id == node).map(|(anchor, _)| *anchor)
    }
}

impl Heap {
    /// Returns true if the thread holds this lock.
    pub(super) fn holds(&self, lock: LockId) -> bool {
        self.others.held.contains_key(&lock)
    }
}
