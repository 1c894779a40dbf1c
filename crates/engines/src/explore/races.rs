//! Data races in a state: every two threads' next accesses, with every offered value, are compared.

use super::inputs::Odometer;
use super::search::{Move, Search};
use base::Inconclusive;
use program::interp::{MemoryAccess, State, ThreadId};

impl Search<'_> {
    /// Two moves from `state` whose accesses race.
    pub(super) fn race(&mut self, state: &State) -> Option<[Move; 2]> {
        let mut earlier: Vec<(Move, Vec<MemoryAccess>)> = Vec::new();
        for (thread, _) in state.threads() {
            let here = self.next_accesses(state, thread);
            for (there, theirs) in &earlier {
                for (step, mine) in &here {
                    if theirs.iter().any(|left| mine.iter().any(|right| left.races_with(right))) {
                        return Some([there.clone(), step.clone()]);
                    }
                }
            }
            earlier.extend(here);
        }
        None
    }

    /// The accesses of each of the ways in which `thread` can take its next step; those without accesses are left out.
    fn next_accesses(&mut self, state: &State, thread: ThreadId) -> Vec<(Move, Vec<MemoryAccess>)> {
        let mut odometer = Odometer::new(self.options);
        let mut found = Vec::new();
        loop {
            let accesses = self.interp.next_accesses(state, thread, &mut odometer);
            if !accesses.is_empty() {
                found.push((Move { thread, choices: odometer.answers().to_vec() }, accesses));
            }
            if !odometer.advance() {
                break;
            }
        }
        if let Some(width) = odometer.incomplete() {
            self.incomplete(Inconclusive::Bound(format!(
                "not all values of an input of {width} bits were tried"
            )));
        }
        found
    }
}
