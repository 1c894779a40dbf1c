//! Describes a data race in the shape that ThreadSanitizer made familiar: both accesses, with their threads, source lines and
//! locks held, then what the memory is, then where the threads were created.

use super::{Narrator, shown_position};
use crate::lanes::Race;
use evidence::TraceStep;
use program::interp::{Event, Identity, MemoryAccess, Place, State, ThreadId, span_name};
use program::trace::Scripted;

impl Narrator<'_, '_> {
    /// The two steps about to be taken from `state`, side by side: rows for the lanes, and the report.
    pub(super) fn race(&mut self, state: &State, sides: &[TraceStep; 2], message: &str) -> Vec<String> {
        let accesses = |narrator: &Self, side: &TraceStep| {
            narrator.interp.next_accesses(state, side.thread, &mut Scripted { rest: &side.choices })
        };
        let (left, right) = (accesses(self, &sides[0]), accesses(self, &sides[1]));
        for side in sides {
            self.about_to(state, side);
        }
        let mut lines = vec![message.to_owned()];
        let mut pairs = left.iter().flat_map(|l| right.iter().map(move |r| (l, r)));
        let Some((first, second)) = pairs.find(|(l, r)| l.races_with(r)) else { return lines };
        let place = Place::Memory { object: first.object, offset: first.offset.max(second.offset) };
        self.race = Some(Race { object: self.interp.place_name(place), writes: [first.write, second.write] });
        lines.extend(self.access(state, sides[0].thread, first));
        lines.extend(self.access(state, sides[1].thread, second));
        match first.object {
            object @ Identity::Heap { .. } => lines.extend(self.life_of(object)),
            object => lines.push(self.what_it_is(object)),
        }
        lines.extend(sides.iter().filter_map(|side| self.creation(side.thread)));
        lines
    }

    /// A row for a step that is about to be taken.
    fn about_to(&mut self, state: &State, side: &TraceStep) {
        let mut scratch = state.clone();
        let mut events: Vec<Event> = Vec::new();
        self.interp.step(&mut scratch, side.thread, &mut Scripted { rest: &side.choices }, &mut events);
        self.step(state, side.thread, &events, state);
        if let Some(step) = self.steps.last_mut() {
            step.row.visible = true;
        }
    }

    /// `write of 4 bytes by inc#1 at prog.c:7: counter++;` and which locks it holds.
    fn access(&mut self, state: &State, thread: ThreadId, access: &MemoryAccess) -> Vec<String> {
        let atomic = if access.atomic { "atomic " } else { "" };
        let verb = if access.write { "write" } else { "read" };
        let bytes = if access.len == 1 { "1 byte".to_owned() } else { format!("{} bytes", access.len) };
        let name = self.thread_name(thread).to_owned();
        let place = shown_position(self.interp, state, thread).map(|p| self.place_and_text(p));
        let place = place.map(|place| format!(" at {place}")).unwrap_or_default();
        let mut lines = vec![format!("{atomic}{verb} of {bytes} by {name}{place}")];
        let held = self.holdings_of(thread);
        if held.is_empty() {
            lines.push("  holds no lock".to_owned());
        }
        lines.extend(held.into_iter().map(|held| format!("  {held}")));
        if state.atomic_owner() == Some(thread) {
            lines.push("  is in an atomic section".to_owned());
        }
        lines
    }

    pub(super) fn what_it_is(&self, object: Identity) -> String {
        let name = self.interp.object_name(object);
        let program = self.program();
        match object {
            Identity::Static(id) => {
                format!("{name} is declared at {}", span_name(program, program.objects[id].span))
            }
            Identity::ThreadLocal(_, thread) => {
                format!("{name} is a thread-local variable of {}", self.thread_name(thread))
            }
            Identity::Local { thread, .. } => {
                format!("{name} is on the stack of {}", self.thread_name(thread))
            }
            Identity::Heap { thread, .. } => format!("{name} was allocated by {}", self.thread_name(thread)),
            Identity::Alloca { thread, .. } => {
                format!("{name} is on the stack of {}", self.thread_name(thread))
            }
        }
    }

    /// `inc#1 was created by main at prog.c:15`.
    fn creation(&self, thread: ThreadId) -> Option<String> {
        let origin = self.interp.origin(thread)?;
        let program = self.program();
        let span = program.functions[origin.site.func].locations[origin.site.loc].span;
        let (name, creator) = (self.thread_name(thread), self.thread_name(origin.creator));
        Some(format!("{name} was created by {creator} at {}", span_name(program, span)))
    }
}
