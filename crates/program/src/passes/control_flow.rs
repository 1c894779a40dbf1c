//! What several passes need of a function's automaton: counting predecessors, dropping and renumbering locations.

use crate::{Function, LocId};
use base::{Idx, IdxVec};

/// The number of predecessors of each location; a call is one of the entry's.
pub(super) fn predecessors(function: &Function) -> Vec<u32> {
    let mut counts = vec![0; function.locations.len()];
    counts[function.entry.index()] += 1;
    for location in function.locations.iter() {
        location.action.successors().for_each(|s| counts[s.index()] += 1);
    }
    counts
}

/// Drops locations that are an alias of another one or cannot be reached, and numbers the others in the order of a depth-first search.
pub(super) fn compact(function: &mut Function, alias: &[Option<LocId>]) {
    let resolve = |mut loc: LocId| {
        // A cycle of empty steps keeps one of them: a thread that spins does so in steps.
        let mut left = alias.len();
        while let Some(next) = alias[loc.index()] {
            left -= 1;
            if left == 0 {
                break;
            }
            loc = next;
        }
        loc
    };
    let mut new_id: Vec<Option<LocId>> = vec![None; alias.len()];
    let mut order = Vec::new();
    let mut todo = vec![resolve(function.entry)];
    while let Some(loc) = todo.pop() {
        if new_id[loc.index()].is_some() {
            continue;
        }
        new_id[loc.index()] = Some(LocId::new(order.len()));
        order.push(loc);
        let mut successors: Vec<LocId> = function.locations[loc].action.successors().map(resolve).collect();
        successors.reverse();
        todo.extend(successors);
    }
    let rename = |loc: LocId| new_id[resolve(loc).index()].expect("a successor should have been visited");
    let locations: IdxVec<LocId, _> = order
        .iter()
        .map(|&loc| {
            let mut location = function.locations[loc].clone();
            location.action.successors_mut().for_each(|s| *s = rename(*s));
            location
        })
        .collect();
    function.entry = rename(function.entry);
    function.locations = locations;
}
