//! That no fair execution stays in a set of states for ever.
//!
//! An execution is *fair* if every thread that is able to move infinitely often moves infinitely often, and if it has only finitely
//! many spurious wake-ups (SOUNDNESS: A25). In a finite set an infinite execution stays from some point on in a strongly connected
//! component. A component in which a thread is able to move somewhere, but moves nowhere, has to be left, or at least the states
//! in which that thread is able to move: what is left of it is cut into components again. A component without such a thread
//! has a fair execution: all its steps, repeated for ever.

use base::{Inconclusive, scc::cyclic_components};
use program::interp::ThreadId;
use rustc_hash::FxHashMap;

/// The steps between states, by the states' numbers.
#[derive(Default)]
pub(crate) struct Moves {
    /// Which thread leads to which state; spurious wake-ups are left out.
    pub(crate) steps: Vec<Vec<(ThreadId, usize)>>,
    /// The threads that are able to move, spurious wake-ups aside.
    pub(crate) able: Vec<Vec<ThreadId>>,
}

impl Moves {
    /// Fails if some fair execution is infinite.
    pub(crate) fn end(&self) -> Result<(), Inconclusive> {
        let mut open = vec![(0..self.steps.len()).collect::<Vec<usize>>()];
        while let Some(states) = open.pop() {
            let place: FxHashMap<usize, usize> = states.iter().enumerate().map(|(n, s)| (*s, n)).collect();
            let inside = |n: usize| {
                let targets = self.steps[states[n]].iter();
                targets.filter_map(|(_, target)| place.get(target).copied()).collect()
            };
            for component in cyclic_components(states.len(), inside) {
                let component: Vec<usize> = component.into_iter().map(|n| states[n]).collect();
                let idle = self.idle(&component);
                if idle.is_empty() {
                    return Err(Inconclusive::CheckFailed(
                        "a fair execution stays in the set of states for ever".to_owned(),
                    ));
                }
                let left = |state: &usize| self.able[*state].iter().all(|thread| !idle.contains(thread));
                open.push(component.into_iter().filter(left).collect());
            }
        }
        Ok(())
    }

    /// The threads that are able to move somewhere in a component, but move nowhere inside it.
    fn idle(&self, component: &[usize]) -> Vec<ThreadId> {
        let inside = |state: &usize| component.binary_search(state).is_ok();
        let steps = component.iter().flat_map(|state| &self.steps[*state]);
        let movers: Vec<ThreadId> = steps.filter(|(_, target)| inside(target)).map(|(t, _)| *t).collect();
        let mut idle: Vec<ThreadId> = component.iter().flat_map(|s| &self.able[*s]).copied().collect();
        idle.sort_unstable();
        idle.dedup();
        idle.retain(|thread| !movers.contains(thread));
        idle
    }
}
