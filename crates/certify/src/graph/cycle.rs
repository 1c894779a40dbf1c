//! Why an execution is not sequentially consistent: a cycle.
//!
//! On a sequentially consistent machine program order, reading, coherence and reading before a later write ([`Link`]) are all part of one order of events. An
//! execution is therefore one of such a machine if and only if these relations together have no cycle (Shasha and Snir, TOPLAS 1988), and a shortest
//! cycle tells which accesses were seen out of order. It enters and leaves each thread at most once, by program order, since program
//! order is transitive: a fence between the two accesses is what can forbid it.

use super::candidate::Candidate;
use program::{FuncId, LocId};
use std::collections::VecDeque;

/// Why an event comes before another on a sequentially consistent machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Link {
    /// It comes before it in its thread, or before that thread was created, or in a thread that was joined.
    ProgramOrder,
    /// It writes what the other reads.
    ReadsFrom,
    /// Its write reaches memory first.
    Coherence,
    /// It reads what was in memory before the other's write.
    FromRead,
}

impl Link {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Link::ProgramOrder => "program order",
            Link::ReadsFrom => "is read by",
            Link::Coherence => "is overwritten by",
            Link::FromRead => "does not see",
        }
    }
}

/// An access on a cycle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    /// The number of its step, silent ones counted, beginning with 1.
    pub step: usize,
    /// Where it is in the program.
    pub place: (FuncId, LocId),
    /// True if it writes.
    pub write: bool,
}

/// A part of a cycle: an access, and why the next one comes after it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edge {
    /// The access.
    pub from: Access,
    /// Why it comes before that of the next edge.
    pub link: Link,
    /// For program order: the places of the thread's accesses behind this one, up to the next of the cycle. A fence before one of them is between the two.
    pub between: Vec<(FuncId, LocId)>,
}

/// A shortest cycle of an execution; `None` if it is sequentially consistent. `accesses` has the events' steps and places.
pub(super) fn cycle(candidate: &Candidate<'_, '_>, accesses: &[Access]) -> Option<Vec<Edge>> {
    let successors = successors(candidate);
    let shortest = (0..candidate.len()).filter_map(|event| path_back(&successors, event));
    let events = shortest.min_by_key(Vec::len)?;
    let next = |n: usize| events[(n + 1) % events.len()].0;
    let edge = |(n, (event, link)): (usize, &(usize, Link))| Edge {
        from: accesses[*event],
        link: *link,
        between: match link {
            Link::ProgramOrder => {
                let order = candidate.program_order(*event, next(n));
                order.into_iter().map(|event| accesses[event].place).collect()
            }
            Link::ReadsFrom | Link::Coherence | Link::FromRead => Vec::new(),
        },
    };
    Some(events.iter().enumerate().map(edge).collect())
}

/// For each event those that come after it, and why. Program order comes last: where there is a choice, the other link says more.
fn successors(candidate: &Candidate<'_, '_>) -> Vec<Vec<(usize, Link)>> {
    let mut successors = vec![Vec::new(); candidate.len()];
    for (read, write) in candidate.sources.iter() {
        successors[write].push((read, Link::ReadsFrom));
        let order = candidate.coherence.values().find(|order| order.contains(&write));
        let order = order.map_or(&[][..], |order| order.as_slice());
        for later in order.iter().skip_while(|w| **w != write).skip(1) {
            successors[read].push((*later, Link::FromRead));
        }
    }
    for order in candidate.coherence.values() {
        for (n, write) in order.iter().enumerate() {
            successors[*write].extend(order[n + 1..].iter().map(|later| (*later, Link::Coherence)));
        }
    }
    for later in 0..candidate.len() {
        for earlier in candidate.accesses_before(later) {
            successors[earlier].push((later, Link::ProgramOrder));
        }
    }
    for of_event in &mut successors {
        // Where program order says the same, being unseen says nothing new.
        of_event.sort_by_key(|(event, link)| (*event, *link == Link::FromRead));
        of_event.dedup_by_key(|(event, _)| *event);
    }
    successors
}

/// A shortest path from an event to itself: its events, each with the link to the next.
fn path_back(successors: &[Vec<(usize, Link)>], start: usize) -> Option<Vec<(usize, Link)>> {
    let mut reached: Vec<Option<(usize, Link)>> = vec![None; successors.len()];
    let mut queue = VecDeque::from([start]);
    while let Some(event) = queue.pop_front() {
        for (next, link) in &successors[event] {
            if reached[*next].is_some() {
                continue;
            }
            reached[*next] = Some((event, *link));
            if *next == start {
                return Some(unwind(&reached, start));
            }
            queue.push_back(*next);
        }
    }
    None
}

fn unwind(reached: &[Option<(usize, Link)>], start: usize) -> Vec<(usize, Link)> {
    let mut path = Vec::new();
    let mut event = start;
    loop {
        let (previous, link) = reached[event].expect("an event of the path should have been reached");
        path.push((previous, link));
        event = previous;
        if event == start {
            path.reverse();
            return path;
        }
    }
}
