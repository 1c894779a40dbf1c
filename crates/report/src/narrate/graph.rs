//! Executions under a weak memory model, as thread lanes.
//!
//! The lanes show an order in which each thread's steps are in theirs. Where a read does not return what was last written in that order, no order would do,
//! or another one; the reader is told which write it saw, and which it missed.

use super::Narrator;
use crate::Lanes;
use program::interp::{Choice, Event, Place, State, ThreadId};
use std::collections::HashMap;

/// Collects the steps of an execution graph.
pub struct GraphNarrator<'a, 'p> {
    narrator: Narrator<'a, 'p>,
    /// The last write to each place, and its step.
    written: HashMap<Place, (u128, usize)>,
    steps: usize,
    last: Option<String>,
}

impl<'a, 'p> GraphNarrator<'a, 'p> {
    /// Nothing has happened yet.
    pub fn new(narrator: Narrator<'a, 'p>) -> Self {
        Self { narrator, written: HashMap::new(), steps: 0, last: None }
    }

    /// `thread` took a step, in a state of its own.
    pub fn step(&mut self, before: &State, thread: ThreadId, events: &[Event], after: &State) {
        // What a read of shared memory returns is chosen from outside, but it is no uninitialised value.
        let is_choice = |event: &Event| {
            matches!(event, Event::Chosen { what: Choice::Indeterminate(Place::Memory { .. }), .. })
        };
        let told: Vec<Event> = events.iter().filter(|event| !is_choice(event)).cloned().collect();
        self.narrator.step(before, thread, &told, after);
        self.steps += 1;
        self.last = Some(self.narrator.whereabouts(before, thread));
        for event in events {
            match event {
                Event::Read { place: place @ Place::Memory { .. }, value, .. } => {
                    if let Some((written, step)) = self.written.get(place)
                        && written != value
                    {
                        self.narrator.remark(&format!("(does not see what step {step} wrote)"));
                    }
                }
                Event::Write { place: place @ Place::Memory { .. }, value: Some(value), .. } => {
                    self.written.insert(*place, (*value, self.steps));
                }
                _ => {}
            }
        }
    }

    /// The execution is over.
    pub fn finish(self, message: &str) -> Lanes {
        let ending = [message.to_owned()].into_iter().chain(self.last);
        self.narrator.finish(ending.collect())
    }
}
