//! Turns an execution of the interpreter into thread lanes.
//!
//! A step is shown where its innermost call outside the C library's models is: a reader knows
//! `pthread_mutex_lock(&m)`, not what is inside. A step is *visible* if it synchronises, starts or ends a thread, or
//! touches an object that at least two threads touch in this execution; all other steps may be folded.

mod buffers;
mod deadlock;
pub mod graph;
mod holdings;
mod lives;
mod race;

use crate::Lanes;
use crate::foreign::{Foreign, ForeignValues, undefined_function};
use crate::lanes::{Call, Note, Race, Row, Wait};
use crate::sources::Sources;
use base::Idx;
use buffers::{Buffers, Source};
use evidence::{Cycle, Trace};
use holdings::Holdings;
use lives::Lives;
use program::interp::{
    Choice, Event, Frame, Identity, Interp, Place, Position, State, StepResult, ThreadId, span_name,
};
use program::trace::Execution;
use program::{DataModel, Program, Property, SyncKind, Width};
use std::collections::{BTreeSet, HashMap};

/// Collects steps.
pub struct Narrator<'a, 'p> {
    interp: &'a Interp<'p>,
    sources: &'a mut Sources,
    /// Names of the threads: the start routine's, with a count.
    threads: Vec<String>,
    steps: Vec<NarratedStep>,
    /// Which threads touched which objects.
    touched_by: HashMap<Identity, BTreeSet<ThreadId>>,
    holdings: Holdings,
    lives: Lives,
    buffers: Buffers,
    foreign: ForeignValues,
    race: Option<Race>,
    waits: Vec<Wait>,
}

struct NarratedStep {
    row: Row,
    touched: Vec<Identity>,
}

impl<'a, 'p> Narrator<'a, 'p> {
    /// Nothing has happened yet.
    pub fn new(interp: &'a Interp<'p>, sources: &'a mut Sources) -> Self {
        let threads = vec![interp.program().functions[interp.program().entry].name.clone()];
        Self {
            interp,
            sources,
            threads,
            steps: Vec::new(),
            touched_by: HashMap::new(),
            holdings: Holdings::default(),
            lives: Lives::default(),
            buffers: Buffers::default(),
            foreign: ForeignValues::default(),
            race: None,
            waits: Vec::new(),
        }
    }

    /// `thread` took a step from `before` to `after`, and `events` happened.
    pub fn step(&mut self, before: &State, thread: ThreadId, events: &[Event], after: &State) {
        let shown = shown_position(self.interp, before, thread);
        self.holdings.step(thread, shown, events);
        self.lives.step(thread, shown, events, self.steps.len() + 1);
        let inside = self.interp.position(before, thread);
        let library = inside.is_some_and(|p| self.program().functions[p.func].library);
        let is_undefined = inside.is_some_and(|p| undefined_function(self.interp, p).is_some());
        let mut row = self.row(thread, shown);
        let synchronises = events.iter().any(|e| matches!(e, Event::Sync { .. }));
        let mut touched = Vec::new();
        let foreign = self.foreign.step(self.interp, inside, events);
        row.notes.extend(foreign.iter().filter_map(|value| self.foreign_note(value, thread, after)));
        let is_foreign = |event: &Event| match event {
            Event::Chosen { what: Choice::Indeterminate(place), .. } => {
                foreign.iter().any(|value| value.place == Some(*place))
            }
            Event::Chosen { what: Choice::Input(_), .. } => foreign.iter().any(|value| value.place.is_none()),
            _ => false,
        };
        for event in events {
            // What a lock does to its own words is of no interest, nor what the models keep for themselves.
            let kept_by_models = objects(event).any(|object| self.is_of_models(object));
            if !kept_by_models {
                touched.extend(objects(event));
            }
            row.visible |= is_visible(event);
            let internal = synchronises || library || kept_by_models;
            if let Event::Left { place, .. } = event {
                row = self.leaving_row(thread, *place).unwrap_or(row);
            }
            if !is_undefined && !is_foreign(event) {
                row.notes.extend(self.note(event, thread, internal, after));
            }
            row.notes.extend(self.buffer_note(event, thread, shown, after));
        }
        row.held = self.held_by(thread);
        row.stack = self.stack(before, thread);
        for object in &touched {
            self.touched_by.entry(*object).or_default().insert(thread);
        }
        self.steps.push(NarratedStep { row, touched });
    }

    /// The row of a store that reaches memory: it is where the store was made.
    fn leaving_row(&mut self, thread: ThreadId, place: Place) -> Option<Row> {
        let step = self.steps.len() + 1;
        let store = self.buffers.left(thread, place, step)?;
        let text = format!("~ {} = {} reaches memory", store.name, store.value);
        let note = Note::event(format!("{} = {} reaches memory", store.name, store.value));
        let position = store.position;
        let row = self.row(thread, position);
        Some(Row { text, notes: vec![note], ..row })
    }

    /// What there is to say about store buffers, and what is noted for the end.
    fn buffer_note(
        &mut self,
        event: &Event,
        thread: ThreadId,
        shown: Option<Position>,
        state: &State,
    ) -> Option<Note> {
        let step = self.steps.len() + 1;
        match event {
            Event::Write { place, value, width, buffered: true, .. } => {
                let name = self.name(*place, thread)?;
                let value = value.map_or("?".to_owned(), |v| self.value(v, *width, state));
                self.buffers.buffered(thread, *place, (name, value), shown, step);
                Some(Note::event(format!("(in the buffer of {}, not in memory)", self.thread_name(thread))))
            }
            Event::Read { place: place @ Place::Memory { .. }, .. } => {
                let name = self.name(*place, thread)?;
                let line = shown.map_or(0, |p| p.span.line);
                match self.buffers.read(thread, *place, &name, step, line)? {
                    Source::OwnBuffer => Some(Note::event("(its own store, not in memory yet)")),
                    Source::Stale { by, value, since } => Some(Note::event(format!(
                        "(stale: {} has {name} = {value} in its buffer since step {since})",
                        self.thread_name(by)
                    ))),
                }
            }
            _ => None,
        }
    }

    /// A value that a step has of an undefined function.
    fn foreign_note(&self, foreign: &Foreign, thread: ThreadId, state: &State) -> Option<Note> {
        let value = self.value(foreign.value, foreign.width, state);
        let function = &foreign.function;
        Some(Note::event(match foreign.place {
            None => format!("`{function}` returns {value}"),
            Some(place) => format!("`{function}` has written {value} to {}", self.name(place, thread)?),
        }))
    }

    /// Returns true if an object is state of the library models that the program does not know of.
    fn is_of_models(&self, object: Identity) -> bool {
        match object {
            Identity::Static(id) | Identity::ThreadLocal(id, _) => {
                self.program().objects[id].name.starts_with("__threadproof_")
            }
            Identity::Local { .. } | Identity::Heap { .. } | Identity::Alloca { .. } => false,
        }
    }

    /// Adds a remark to the last step, which is then worth showing.
    fn remark(&mut self, text: &str) {
        if let Some(step) = self.steps.last_mut() {
            step.row.visible = true;
            step.row.notes.push(Note::event(text));
        }
    }

    /// The execution is over: `ending` says how.
    pub fn finish(self, mut ending: Vec<String>) -> Lanes {
        ending.extend(self.buffers.explain(|thread| self.thread_name(thread).to_owned()));
        let touched_by = self.touched_by;
        let shared = |object: &Identity| touched_by.get(object).is_some_and(|threads| threads.len() > 1);
        let rows = self.steps.into_iter().map(|mut step| {
            step.row.visible |= step.touched.iter().any(shared);
            step.row
        });
        Lanes { rows: rows.collect(), threads: self.threads, ending, race: self.race, waits: self.waits }
    }

    /// `in increment#1 at prog.c:12`.
    pub fn whereabouts(&self, state: &State, thread: ThreadId) -> String {
        let name = self.thread_name(thread);
        match shown_position(self.interp, state, thread) {
            Some(p) => format!("in {name} at {}", span_name(self.program(), p.span)),
            None => format!("in {name}"),
        }
    }

    fn program(&self) -> &'p Program {
        self.interp.program()
    }

    fn row(&mut self, thread: ThreadId, position: Option<Position>) -> Row {
        let thread = thread.index();
        let Some(position) = position else { return Row { thread, ..Row::default() } };
        let file = self.program().files.get(position.span.file).cloned().unwrap_or_default();
        let function = self.program().functions[position.func].name.clone();
        let source = self.source(position);
        let text = if source.is_empty() { format!("(in {function})") } else { source };
        let (line, column) = (position.span.line, position.span.col);
        Row { thread, file, line, column, text, function, ..Row::default() }
    }

    /// The calls that a thread is in, innermost first.
    fn stack(&self, state: &State, thread: ThreadId) -> Vec<Call> {
        let program = self.program();
        let frames = state.thread(thread).into_iter().flat_map(|thread| thread.frames().rev());
        let frames = frames.filter(|frame| !program.functions[frame.func()].library);
        let call = |frame: &Frame| {
            let function = &program.functions[frame.func()];
            let span = function.locations[frame.loc()].span;
            let file = program.files.get(span.file).cloned().unwrap_or_default();
            Call { function: function.name.clone(), file, line: span.line }
        };
        frames.map(call).collect()
    }

    /// The names of the locks that a thread holds.
    fn held_by(&self, thread: ThreadId) -> Vec<String> {
        self.holdings.of(thread).filter_map(|held| self.name(held.lock, thread)).collect()
    }

    /// The source line of a position; empty if it is not to be found.
    fn source(&mut self, position: Position) -> String {
        let program = self.program();
        let file = program.files.get(position.span.file).map_or("", String::as_str);
        self.sources.line(file, position.span.line)
    }

    fn thread_name(&self, thread: ThreadId) -> &str {
        &self.threads[thread.index()]
    }

    fn note(&mut self, event: &Event, thread: ThreadId, internal: bool, state: &State) -> Option<Note> {
        match event {
            Event::Read { place: Place::Memory { .. }, .. }
            | Event::ReadUnset { .. }
            | Event::Write { .. }
                if internal =>
            {
                None
            }
            Event::Read { place: place @ Place::Memory { .. }, value, width, .. } => {
                let (name, value) = (self.name(*place, thread)?, self.value(*value, *width, state));
                Some(Note::Read { name, value, local: is_local(*place, thread) })
            }
            Event::ReadUnset { place, .. } => {
                let (name, value) = (self.name(*place, thread)?, "?".to_owned());
                Some(Note::Read { name, value, local: is_local(*place, thread) })
            }
            Event::Write { place, value, width, .. } => {
                let value = value.map_or("?".to_owned(), |v| self.value(v, *width, state));
                Some(Note::Write { name: self.name(*place, thread)?, value, local: is_local(*place, thread) })
            }
            Event::Chosen { what, value, width } => {
                self.chosen(what, thread, self.value(*value, *width, state))
            }
            Event::Copied { dst, src, len } => {
                let (dst, src) = (self.name(*dst, thread)?, self.name(*src, thread)?);
                Some(Note::event(format!("copies {len} bytes from {src} to {dst}")))
            }
            Event::Filled { dst, len, byte } => {
                Some(Note::event(format!("sets {len} bytes of {} to {byte}", self.name(*dst, thread)?)))
            }
            Event::Allocated { object, size } => {
                Some(Note::event(format!("allocates {size} bytes, {}", self.interp.object_name(*object))))
            }
            Event::Resized { object, size } => {
                let name = self.interp.object_name(*object);
                Some(Note::event(format!("{name} stays where it is, and has {size} bytes now")))
            }
            Event::Freed { object } => {
                Some(Note::event(format!("frees {}", self.interp.object_name(*object))))
            }
            Event::Sync { kind, object } => sync_note(*kind, object.and_then(|o| self.name(o, thread))),
            Event::Started { thread, func } => {
                Some(self.started(*thread, &self.program().functions[*func].name))
            }
            Event::Finished { .. } => Some(Note::End { text: "ends".to_owned() }),
            Event::Joined { thread } => {
                let text = format!("joins {}", self.thread_name(*thread));
                Some(Note::Join { thread: thread.index(), text })
            }
            Event::Woken { thread } => Some(Note::event(format!("wakes {}", self.thread_name(*thread)))),
            Event::Evaluated(_)
            | Event::Left { .. }
            | Event::Read { place: Place::Register { .. }, .. }
            | Event::Called { .. }
            | Event::Returned { .. } => None,
        }
    }

    /// Ids are in order of creation, because the interpreter was fresh.
    fn started(&mut self, thread: ThreadId, func: &str) -> Note {
        debug_assert_eq!(
            thread.index(),
            self.threads.len(),
            "threads should be numbered in order of creation"
        );
        let n_same =
            self.threads.iter().filter(|name| name.rsplit_once('#').is_some_and(|(f, _)| f == func)).count();
        self.threads.push(format!("{func}#{}", n_same + 1));
        Note::Start { thread: thread.index(), text: format!("starts {}", self.thread_name(thread)) }
    }

    fn chosen(&self, what: &Choice, thread: ThreadId, value: String) -> Option<Note> {
        match what {
            Choice::Input(place) if self.is_interrupt(*place) => {
                (value != "0").then(|| Note::event("is interrupted"))
            }
            Choice::Input(place) => Some(Note::input(self.name(*place, thread).unwrap_or_default(), value)),
            Choice::Indeterminate(place) => {
                let name = self.name(*place, thread)?;
                Some(Note::event(format!("{name} is uninitialised, say {value}")))
            }
            // The event of the wake-up says it, or that of the store that leaves.
            Choice::Waiter { .. } | Choice::Leave { .. } => None,
        }
    }

    /// Returns true if an input decides if the thread is interrupted.
    fn is_interrupt(&self, place: Place) -> bool {
        match place {
            Place::Register { func, var } => {
                self.program().functions[func].vars[var].name.starts_with("__threadproof_interrupt")
            }
            Place::Memory { .. } => false,
        }
    }

    /// The name of a place as its thread sees it; `None` for what the source does not have.
    fn name(&self, place: Place, thread: ThreadId) -> Option<String> {
        let program = self.program();
        match place {
            Place::Register { func, var } => {
                let (function, var) = (&program.functions[func], &program.functions[func].vars[var]);
                (!function.library && !var.temporary).then(|| var.name.clone())
            }
            Place::Memory { object: Identity::Local { thread: owner, func, var, .. }, offset }
                if owner == thread =>
            {
                let name = &program.functions[func].vars[var].name;
                Some(if offset == 0 { name.clone() } else { format!("{name}+{offset}") })
            }
            Place::Memory { .. } => Some(self.interp.place_name(place)),
        }
    }

    /// Numbers are shown as signed ones; what can be an address is shown as one. With 32 bits an `int` can look
    /// like an address by chance, so that the number is shown as well.
    fn value(&self, value: u128, width: Width, state: &State) -> String {
        if width == Width::BOOL {
            return value.to_string();
        }
        let number = width.signed(value).to_string();
        let model = self.program().data_model;
        if width != model.pointer() || value == 0 {
            return number;
        }
        let place = u64::try_from(value).ok().and_then(|a| self.interp.place_at(state, a));
        match (place.map(|p| self.interp.place_name(p)), model) {
            (Some(name), DataModel::Lp64) => format!("&{name}"),
            (Some(name), DataModel::Ilp32) => format!("{number} (&{name})"),
            (None, _) => number,
        }
    }
}

/// The lanes of a trace that has been replayed before, so that nothing can go wrong; `message` says what its last step does.
pub fn narrate_trace(mut narrator: Narrator<'_, '_>, trace: &Trace, message: &str) -> Lanes {
    let mut execution = Execution::new(narrator.interp);
    let mut ending = vec![message.to_owned()];
    // The two accesses of a race are about to be taken, but neither is.
    let side_by_side = trace.steps.last_chunk::<2>().filter(|_| trace.property == Property::NoDataRace);
    let way = &trace.steps[..trace.steps.len() - side_by_side.map_or(0, |accesses| accesses.len())];
    for (n, step) in way.iter().enumerate() {
        let before = execution.state().clone();
        let taken = execution.step(step).expect("a trace that has been replayed should fit");
        // A violation leaves no state behind.
        let violation = matches!(taken.result, StepResult::Violation { .. } | StepResult::Undefined(_));
        let after = if violation { &before } else { execution.state() };
        narrator.step(&before, step.thread, &taken.events, after);
        if starts_to_repeat(trace) == Some(n) {
            narrator.remark("from here on it repeats");
        }
        if n + 1 == trace.steps.len() && violation {
            ending.push(narrator.whereabouts(&before, step.thread));
        }
        let undefined = match &taken.result {
            StepResult::Undefined(undefined) => Some(undefined.clone()),
            StepResult::Ended => {
                narrator.interp.leak(&before, execution.state(), step.thread, trace.property)
            }
            _ => None,
        };
        if let Some(object) = undefined.and_then(|undefined| undefined.object) {
            ending.extend(narrator.life_of(object));
        }
    }
    if let Some(accesses) = side_by_side {
        ending = narrator.race(execution.state(), accesses, message);
    }
    let is_stuck = trace.property == Property::Termination && trace.cycle.is_none();
    if trace.property == Property::NoDeadlock || is_stuck {
        ending = narrator.deadlock(execution.state());
    }
    if trace.property == Property::Termination {
        ending[0] = message.to_owned();
    }
    narrator.finish(ending)
}

/// The first of the steps that repeat.
fn starts_to_repeat(trace: &Trace) -> Option<usize> {
    trace.cycle.as_ref().map(|cycle| match cycle {
        Cycle::Repeats { from } => *from,
        Cycle::Recurs(recurrence) => recurrence.from,
    })
}

/// Where a thread is in the user's program: the innermost call that is not the C library's.
fn shown_position(interp: &Interp<'_>, state: &State, thread: ThreadId) -> Option<Position> {
    let frames = state.thread(thread)?.frames();
    let positions = frames.rev().map(|frame| {
        let (func, loc) = (frame.func(), frame.loc());
        Position { func, loc, span: interp.program().functions[func].locations[loc].span }
    });
    let mut of_the_user = positions.filter(|p| !interp.program().functions[p.func].library);
    of_the_user.find(|p| p.span.is_somewhere())
}

fn sync_note(kind: SyncKind, object: Option<String>) -> Option<Note> {
    let verb = match kind {
        SyncKind::Lock => "locks",
        SyncKind::TryLock => "tries to lock",
        SyncKind::Unlock | SyncKind::RwUnlock => "unlocks",
        SyncKind::ReadLock => "locks for reading",
        SyncKind::WriteLock => "locks for writing",
        SyncKind::SemWait => "decrements semaphore",
        SyncKind::SemPost => "increments semaphore",
        SyncKind::Barrier => "is at barrier",
        SyncKind::CondWait => "waits on",
        SyncKind::CondSignal => "signals",
        SyncKind::Once => "waits for once routine",
        // Other events say more.
        SyncKind::Create | SyncKind::Join => return None,
    };
    let name = object.unwrap_or_default();
    let text = if name.is_empty() { verb.to_owned() } else { format!("{verb} {name}") };
    Some(match kind {
        SyncKind::Lock | SyncKind::TryLock | SyncKind::ReadLock | SyncKind::WriteLock => {
            Note::Lock { name, text }
        }
        SyncKind::Unlock | SyncKind::RwUnlock => Note::Unlock { name, text },
        _ => Note::Event { text },
    })
}

/// Returns true if a place is a variable of the thread's own frames.
fn is_local(place: Place, thread: ThreadId) -> bool {
    match place {
        Place::Register { .. } => true,
        Place::Memory { object: Identity::Local { thread: owner, .. }, .. } => owner == thread,
        Place::Memory { .. } => false,
    }
}

fn is_visible(event: &Event) -> bool {
    matches!(
        event,
        Event::Sync { .. }
            | Event::Started { .. }
            | Event::Finished { .. }
            | Event::Joined { .. }
            | Event::Woken { .. }
    )
}

/// The objects in memory that an event touches.
fn objects(event: &Event) -> impl Iterator<Item = Identity> {
    let object = |place: &Place| match place {
        Place::Memory { object, .. } => Some(*object),
        Place::Register { .. } => None,
    };
    let (first, second) = match event {
        Event::Read { place, .. }
        | Event::ReadUnset { place, .. }
        | Event::Write { place, .. }
        | Event::Left { place, .. }
        | Event::Filled { dst: place, .. } => (object(place), None),
        Event::Copied { dst, src, .. } => (object(dst), object(src)),
        Event::Freed { object } | Event::Resized { object, .. } => (Some(*object), None),
        _ => (None, None),
    };
    first.into_iter().chain(second)
}
