//! All reachable states of small programs, and what the interpreter says happens in them.

use super::*;
use program::interp::{Choice, Chooser, Event, Identity, Interp, Place, State, StepResult, ThreadId};
use program::{LocId, Width};
use std::collections::{HashSet, VecDeque};

/// A step that goes on: the next state, and what happened.
pub struct Step {
    pub state: State,
    pub events: Vec<Event>,
}

/// Plays one list of answers; where it ends, first answers are taken, and how many there were is remembered.
struct Answers {
    given: Vec<(u128, u128)>,
    next: usize,
}

impl Chooser for Answers {
    fn choose(&mut self, _width: Width, what: &Choice) -> Option<u128> {
        let n_values = if let Choice::Waiter { n_waiters } = what { *n_waiters as u128 } else { 2 };
        if self.next == self.given.len() {
            self.given.push((0, n_values));
        }
        self.next += 1;
        Some(self.given[self.next - 1].0)
    }
}

impl Answers {
    /// Moves to the next list; false if there is none.
    fn advance(&mut self) -> bool {
        self.next = 0;
        while let Some((value, n_values)) = self.given.pop() {
            if value + 1 < n_values {
                self.given.push((value + 1, n_values));
                return true;
            }
        }
        false
    }
}

/// All results of a thread's next step, each with whether anything was chosen, and the state after it.
pub fn results(interp: &Interp<'_>, state: &State, thread: ThreadId) -> Vec<(StepResult, bool, State)> {
    let all = attempts(interp, state, thread).into_iter();
    all.map(|(result, chosen, step)| (result, chosen, step.state)).collect()
}

/// All ways in which a thread's next step can go on.
pub fn successors(interp: &Interp<'_>, state: &State, thread: ThreadId) -> Vec<Step> {
    let goes_on = |(result, chosen, step)| match result {
        StepResult::Continue | StepResult::Ended => Some(step),
        StepResult::Blocked if chosen => Some(step),
        _ => None,
    };
    attempts(interp, state, thread).into_iter().filter_map(goes_on).collect()
}

/// All results, each with whether anything was chosen.
fn attempts(interp: &Interp<'_>, state: &State, thread: ThreadId) -> Vec<(StepResult, bool, Step)> {
    let mut found = Vec::new();
    let mut answers = Answers { given: Vec::new(), next: 0 };
    loop {
        let (mut state, mut events) = (state.clone(), Vec::new());
        let result = interp.step(&mut state, thread, &mut answers, &mut events);
        found.push((result, !answers.given.is_empty(), Step { state, events }));
        if !answers.advance() {
            return found;
        }
    }
}

/// Calls `visit` on up to `limit` reachable states.
pub fn explore(interp: &Interp<'_>, limit: usize, mut visit: impl FnMut(&State)) {
    let mut seen = HashSet::from([interp.initial()]);
    let mut queue = VecDeque::from([interp.initial()]);
    while let Some(state) = queue.pop_front() {
        visit(&state);
        for thread in threads(&state) {
            for step in successors(interp, &state, thread) {
                if seen.len() < limit && seen.insert(step.state.clone()) {
                    queue.push_back(step.state);
                }
            }
        }
    }
}

pub fn threads(state: &State) -> Vec<ThreadId> {
    state.threads().filter(|(_, thread)| !thread.is_finished()).map(|(id, _)| id).collect()
}

pub fn location(state: &State, thread: ThreadId) -> Option<(FuncId, LocId)> {
    state.thread(thread)?.top().map(|frame| (frame.func(), frame.loc()))
}

/// The site of an object.
pub fn site(object: Identity) -> Site {
    match object {
        Identity::Static(id) | Identity::ThreadLocal(id, _) => Site::Static(id),
        Identity::Local { func, var, .. } => Site::Frame(func, var),
        Identity::Heap { site, .. } | Identity::Alloca { site, .. } => {
            Site::Heap(site.func, site.loc, site.op)
        }
    }
}

/// An access that happened.
pub struct Touched {
    pub object: Identity,
    pub offset: u64,
    pub bytes: u64,
    pub writes: bool,
    /// True if it is one value.
    pub word: bool,
}

/// The accesses to memory among events.
pub fn touched(events: &[Event]) -> Vec<Touched> {
    let mut found = Vec::new();
    let mut add = |place: &Place, bytes: u64, writes: bool, word: bool| {
        if let Place::Memory { object, offset } = *place {
            found.push(Touched { object, offset, bytes, writes, word });
        }
    };
    for event in events {
        match event {
            Event::Read { place, width, .. } => add(place, width.bytes(), false, true),
            Event::ReadUnset { place, len, .. } => add(place, *len, false, true),
            Event::Write { place, width, .. } => add(place, width.bytes(), true, true),
            Event::Copied { dst, src, len } => {
                add(src, *len, false, false);
                add(dst, *len, true, false);
            }
            Event::Filled { dst, len, .. } => add(dst, *len, true, false),
            Event::Freed { object } | Event::Resized { object, .. } => {
                add(&Place::Memory { object: *object, offset: 0 }, 1, true, false)
            }
            _ => {}
        }
    }
    found
}
