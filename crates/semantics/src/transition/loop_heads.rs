//! Loop heads: targets of back edges, in depth-first order from each function's entry.

use base::Idx;
use program::{FuncId, LocId, Program};
use rustc_hash::FxHashSet;

/// All loop heads of a program.
pub fn loop_heads(program: &Program) -> FxHashSet<(FuncId, LocId)> {
    let mut heads = FxHashSet::default();
    for (func, function) in program.functions.iter_enumerated() {
        let mut state = vec![Visit::New; function.locations.len()];
        let mut stack = vec![(function.entry, 0usize)];
        state[function.entry.index()] = Visit::OnStack;
        while let Some((loc, next)) = stack.pop() {
            let Some(target) = function.locations[loc].action.successors().nth(next) else {
                state[loc.index()] = Visit::Finished;
                continue;
            };
            stack.push((loc, next + 1));
            match state[target.index()] {
                Visit::New => {
                    state[target.index()] = Visit::OnStack;
                    stack.push((target, 0));
                }
                Visit::OnStack => {
                    heads.insert((func, target));
                }
                Visit::Finished => {}
            }
        }
    }
    heads
}

#[derive(Clone, Copy)]
enum Visit {
    New,
    OnStack,
    Finished,
}
