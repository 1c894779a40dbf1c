//! What a model is told about an execution: its sets and relations, as rows of bits.

use super::super::cat::SETS;
use super::super::evaluate::Environment;
use super::{Candidate, Event, MAX_EVENTS, What};
use base::convert::index;
use program::Order;
use program::memory_model::{Barrier, MachineFence};

impl Candidate<'_, '_> {
    /// What a model is told about this execution.
    pub fn environment(&self) -> Environment {
        let n = self.events.len();
        let mut environment = Environment::empty(n);
        for (at, event) in self.events.iter().enumerate() {
            for (set, is_member) in environment.sets.iter_mut().zip(kinds(event)) {
                *set |= u128::from(is_member) << at;
            }
        }
        let mut threads = vec![0u128; self.members.len() + 1];
        let mut same_cell = vec![0u128; n];
        for (at, event) in self.events.iter().enumerate() {
            threads[event.thread.map_or(0, |thread| thread + 1)] |= 1 << at;
            if let Some(initial) = event.initial {
                same_cell[initial] |= 1 << at;
            }
        }
        let all = if n == MAX_EVENTS { u128::MAX } else { (1 << n) - 1 };
        // In the order of the given names; the first relations are known as what comes before an event.
        let (po, rest) = environment.rows.split_at_mut(n);
        let (addr, rest) = rest.split_at_mut(n);
        let (data, rest) = rest.split_at_mut(n);
        let (ctrl, rest) = rest.split_at_mut(n);
        let (rmw, rest) = rest.split_at_mut(n);
        let (rf, rest) = rest.split_at_mut(n);
        let (loc, rest) = rest.split_at_mut(n);
        let (ext, rest) = rest.split_at_mut(n);
        let (id, co) = rest.split_at_mut(n);
        for (at, event) in self.events.iter().enumerate() {
            let this = 1 << at;
            for (rows, before) in [
                (&mut *po, event.before),
                (&mut *addr, event.address),
                (&mut *data, event.data),
                (&mut *ctrl, event.control),
            ] {
                each(before, |earlier| rows[earlier] |= this);
            }
            if let Some(read) = event.read_part {
                rmw[read] |= this;
            }
            if let Some(write) = self.sources.get(at) {
                rf[write] |= this;
            }
            loc[at] = event.initial.map_or(0, |initial| same_cell[initial]);
            ext[at] = all & !threads[event.thread.map_or(0, |thread| thread + 1)];
            id[at] = this;
        }
        for order in self.coherence.values() {
            let mut later = 0;
            for write in order.iter().rev() {
                co[*write] = later;
                later |= 1 << write;
            }
        }
        environment
    }
}

/// Calls `with` for each event of a set.
fn each(mut set: u128, mut with: impl FnMut(usize)) {
    while set != 0 {
        with(index(u64::from(set.trailing_zeros())));
        set &= set - 1;
    }
}

/// The given sets that an event is in, in order.
fn kinds(e: &Event) -> [bool; SETS] {
    let is_access = e.cell.is_some();
    let barrier = |barriers: &[Barrier]| matches!(e.what, What::Language(b) if barriers.contains(&b));
    let fence = |fence: MachineFence| e.what == What::Machine(fence);
    [
        e.what == What::Read,
        matches!(e.what, What::Write | What::Initial),
        is_access,
        e.what == What::Initial,
        !is_access,
        is_access && e.order != Order::Plain,
        e.exclusive,
        e.order.acquires() || barrier(&[Barrier::Acquire, Barrier::AcqRel, Barrier::Full]),
        e.order.releases() || barrier(&[Barrier::Release, Barrier::Store, Barrier::AcqRel, Barrier::Full]),
        e.order == Order::SeqCst || barrier(&[Barrier::Full]),
        fence(MachineFence::Full),
        fence(MachineFence::Light),
        fence(MachineFence::ReadAny),
        fence(MachineFence::AnyWrite),
        fence(MachineFence::WriteWrite),
        fence(MachineFence::Control),
    ]
}
