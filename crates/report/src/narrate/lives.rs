//! Where the object of a violation was allocated, and where it was freed: what a reader of a use after free, a double `free` or a leak looks for first.

use super::Narrator;
use program::interp::{Event, Identity, Position, ThreadId, span_name};
use std::collections::HashMap;

/// Where heap objects begin and cease to live.
#[derive(Default)]
pub(super) struct Lives {
    allocated: HashMap<Identity, Moment>,
    freed: HashMap<Identity, Moment>,
}

/// Who did something, where, and in which step.
struct Moment {
    thread: ThreadId,
    position: Option<Position>,
    step: usize,
}

impl Lives {
    /// Takes note of a thread's step.
    pub(super) fn step(
        &mut self,
        thread: ThreadId,
        position: Option<Position>,
        events: &[Event],
        step: usize,
    ) {
        for event in events {
            let (lives, object) = match event {
                Event::Allocated { object, .. } => (&mut self.allocated, object),
                Event::Freed { object } => (&mut self.freed, object),
                _ => continue,
            };
            lives.insert(*object, Moment { thread, position, step });
        }
    }
}

impl Narrator<'_, '_> {
    /// `heap@prog.c:12 was allocated by main at prog.c:12: p = malloc(4); (step 3)`, and the same of its end; of a frame's variable, whose it is.
    pub(super) fn life_of(&mut self, object: Identity) -> Vec<String> {
        let name = self.interp.object_name(object);
        match object {
            Identity::Local { thread, func, .. } => {
                let function = &self.program().functions[func];
                let place = span_name(self.program(), function.span);
                let (function, owner) = (&function.name, self.thread_name(thread));
                return vec![format!("{name} is a variable of `{function}` ({place}), called by {owner}")];
            }
            Identity::Static(_) | Identity::ThreadLocal(..) | Identity::Alloca { .. } => {
                return vec![self.what_it_is(object)];
            }
            Identity::Heap { .. } => {}
        }
        let mut lines = Vec::new();
        let moments = [
            ("was allocated", self.lives.allocated.get(&object)),
            ("was freed", self.lives.freed.get(&object)),
        ];
        let moments = moments.map(|(verb, moment)| (verb, moment.map(|m| (m.thread, m.position, m.step))));
        for (verb, moment) in moments {
            let Some((thread, position, step)) = moment else { continue };
            let place =
                position.map(|position| format!(" at {}", self.place_and_text(position))).unwrap_or_default();
            lines.push(format!("{name} {verb} by {} in step {step}{place}", self.thread_name(thread)));
        }
        lines
    }
}
