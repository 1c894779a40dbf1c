//! From a trace to what the run-time forces: segments of events, and inputs.
//!
//! A native program has no steps, but the accesses and calls that the run-time sees are those of the trace. A [`Key`] says what can be compared on
//! both sides: the kind of an event, its line, and the object if it has a name. The n-th event of a thread with a key is the same event in both, so a context
//! switch is "the thread runs until it has done the n-th event with this key, or stands before the n-th with that one".
//!
//! | the trace | the run-time |
//! |---|---|
//! | a read or write of memory in a function of the program | a hook of the compiler |
//! | a transaction that synchronises | a wrapped call |
//! | what models of library functions access | unseen: it happens before the next event that is seen |
//! | registers, addresses | not compared |
//!
//! Only events that other threads may notice decide where threads are switched: those on objects that two threads touch, and synchronisation.
//!
//! # Direction of error
//! A script may miss the violation, if the compiler's order of events within a line is another one. It never makes up a violation: that is what the native program shows.

use evidence::{Trace, TraceStep};
use program::interp::{
    Choice, Event, Frame, Identity, Interp, MemoryAccess, Place, Position, State, ThreadId,
};
use program::trace::{Execution, Scripted};
use program::{FuncId, Order, Program, Property, SyncKind, UNDEFINED_RESULT};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

/// What an event is, as far as the trace and the native program agree.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Key {
    /// The letter that the run-time has for it.
    pub kind: char,
    /// The file's name without its folder, and the line.
    pub line: String,
    /// What it is done to.
    pub object: Object,
}

/// An object, as far as a native program knows it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Object {
    /// Neither static nor on a stack.
    Elsewhere,
    /// On the stack of a thread.
    OnAStack,
    /// A static object.
    Named(String),
}

/// The n-th event of a thread with a key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Anchor {
    /// The key, by its number.
    pub key: usize,
    /// How many events with the key: up to and with this one for the last event of a segment, before this one for the first of the next.
    pub count: u32,
}

/// What a thread does before another one goes on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Segment {
    /// The thread.
    pub thread: usize,
    /// It has done this.
    pub last: Option<Anchor>,
    /// Or it stands before this.
    pub next: Option<Anchor>,
}

/// A value that the program gets from outside.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Input {
    /// Who gets it.
    pub thread: usize,
    /// In which file and line.
    pub line: String,
    /// The undefined function that returns it; `None` for those that return any value.
    pub function: Option<String>,
    /// The value.
    pub value: u64,
}

/// A signal that a thread gets from outside.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Signal {
    /// The thread.
    pub thread: usize,
    /// It gets the signal after this event, and before its next one; `None` if this is before all events.
    pub after: Option<Anchor>,
    /// The signal.
    pub number: u32,
}

/// How the model of the library delivers signals from outside.
const DELIVERS: &str = "__threadproof_deliver";

/// What has to happen in the end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Goal {
    /// This thread fails an assertion, or does something invalid.
    Fails(usize),
    /// All threads are blocked.
    Deadlock,
    /// These two threads stand before conflicting accesses.
    Race(usize, usize),
}

/// What is forced.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Script {
    /// What the trace violates.
    pub property: Property,
    /// What has to happen.
    pub goal: Goal,
    /// The names of the threads.
    pub threads: Vec<String>,
    /// All keys.
    pub keys: Vec<Key>,
    /// The schedule.
    pub segments: Vec<Segment>,
    /// The inputs, in order for each thread.
    pub inputs: Vec<Input>,
    /// Signals that come from outside.
    pub signals: Vec<Signal>,
    /// How many arguments the program gets, with its name, if that matters.
    pub n_arguments: Option<u64>,
    /// The lines of the two accesses of a data race.
    pub racing_lines: Vec<String>,
    /// Objects that are declared, but defined nowhere.
    pub undefined_objects: Vec<String>,
    /// What cannot be forced.
    pub left_open: BTreeSet<String>,
}

/// An event of the trace.
struct Seen {
    thread: usize,
    /// `None` if the run-time does not see it.
    key: Option<usize>,
    objects: Vec<Identity>,
    /// Other threads may notice it whatever it touches.
    visible: bool,
    /// The thread is held before it.
    held: bool,
    /// What the run-time does not see, and where.
    unseen: Option<String>,
}

impl Seen {
    /// An event with a key.
    fn of(thread: usize, key: Option<usize>) -> Self {
        Self { thread, key, objects: Vec::new(), visible: false, held: false, unseen: None }
    }
}

/// Reads a trace.
struct Reader<'i, 'p> {
    interp: &'i Interp<'p>,
    keys: Vec<Key>,
    known: HashMap<Key, usize>,
    seen: Vec<Seen>,
    inputs: Vec<Input>,
    signals: Vec<Signal>,
    racing_lines: Vec<String>,
    n_arguments: Option<u64>,
    left_open: BTreeSet<String>,
}

impl Script {
    /// The script of a trace that violates a property; `None` if it is no trace of the program.
    pub fn of(interp: &Interp<'_>, trace: &Trace, violated: Property) -> Option<Self> {
        let mut reader = Reader {
            interp,
            keys: Vec::new(),
            known: HashMap::new(),
            seen: Vec::new(),
            inputs: Vec::new(),
            signals: Vec::new(),
            racing_lines: Vec::new(),
            n_arguments: None,
            left_open: BTreeSet::new(),
        };
        let races = violated == Property::NoDataRace;
        let taken = trace.steps.len().checked_sub(if races { 2 } else { 0 })?;
        let mut execution = Execution::new(interp);
        for step in &trace.steps[..taken] {
            let before = execution.state().clone();
            let result = execution.step(step).ok()?;
            reader.step(step.thread.0 as usize, &before, result.thread, &result.events);
        }
        let last = trace.steps.last().map_or(0, |step| step.thread.0 as usize);
        let goal = match violated {
            Property::NoDataRace => reader.race(&execution, &trace.steps[taken..])?,
            Property::NoDeadlock => Goal::Deadlock,
            _ => Goal::Fails(last),
        };
        let n_threads = execution.created().len();
        let program = interp.program();
        let undefined = program.objects.iter().filter(|object| object.arbitrary);
        Some(Script {
            property: violated,
            goal,
            threads: (0..n_threads).map(|number| execution.thread_name(number)).collect(),
            segments: reader.segments(goal),
            undefined_objects: undefined.map(|object| object.name.clone()).collect(),
            racing_lines: reader.racing_lines,
            keys: reader.keys,
            inputs: reader.inputs,
            signals: reader.signals,
            n_arguments: reader.n_arguments,
            left_open: reader.left_open,
        })
    }
}

impl Reader<'_, '_> {
    fn program(&self) -> &Program {
        self.interp.program()
    }

    /// A step was taken.
    fn step(&mut self, number: usize, before: &State, thread: ThreadId, events: &[Event]) {
        let top = self.interp.position(before, thread);
        let inside = top.is_some_and(|position| self.is_of_models(position.func));
        let line = shown(self.interp, before, thread).map(|shown| self.line(shown)).unwrap_or_default();
        if inside {
            self.note_signal(number, before, thread, events);
        }
        for event in events {
            self.note_choice(number, &line, inside, top.map(|top| top.func), event);
        }
        let sync = events.iter().find_map(|event| match event {
            Event::Sync { kind, object } => Some((*kind, *object)),
            _ => None,
        });
        if let Some((kind, object)) = sync {
            let object = match (kind, object) {
                (SyncKind::Create | SyncKind::Join, _) | (_, None) => Object::Elsewhere,
                (_, Some(place)) => self.object(place),
            };
            let key = self.key(letter(kind), &line, object);
            let started = events.iter().any(|event| matches!(event, Event::Started { .. }));
            // A creation that fails is a call, too, but nothing that others notice.
            let visible = kind != SyncKind::Create || started;
            if !visible {
                self.left_open.insert(format!("that no thread can be created at {line}"));
            }
            self.seen.push(Seen { visible, ..Seen::of(number, Some(key)) });
            return;
        }
        if events.iter().any(|event| matches!(event, Event::Finished { .. })) {
            self.seen.push(Seen { visible: true, ..Seen::of(number, None) });
        }
        let in_section = before.atomic_owner() == Some(thread);
        self.accesses(number, &line, (inside, in_section), events);
    }

    /// The accesses of a step that does not synchronise.
    fn accesses(&mut self, number: usize, line: &str, (inside, in_section): (bool, bool), events: &[Event]) {
        let mut atomic: Vec<Place> = Vec::new();
        for event in events {
            let parts: Vec<(char, Place)> = match *event {
                Event::Read { place, order, .. } | Event::Write { place, order, .. }
                    if order != Order::Plain =>
                {
                    // Reading and writing at once is one event.
                    let first = !atomic.contains(&place);
                    atomic.push(place);
                    if first { vec![('A', place)] } else { Vec::new() }
                }
                Event::Read { place, .. } => vec![('R', place)],
                Event::Write { place, .. } => vec![('W', place)],
                Event::Copied { dst, src, .. } => vec![('W', dst), ('R', src)],
                Event::Filled { dst, .. } => vec![('W', dst)],
                _ => Vec::new(),
            };
            for (kind, place) in parts {
                let Place::Memory { object, .. } = place else { continue };
                if self.interp.object_name(object).starts_with("__threadproof_") {
                    continue;
                }
                let key = (!inside).then(|| self.key(kind, line, self.object(place)));
                // An atomic operation may read and write in two steps of one section.
                let continues = self
                    .seen
                    .last()
                    .is_some_and(|last| last.thread == number && last.key == key && last.objects == [object]);
                if kind == 'A' && in_section && key.is_some() && continues {
                    continue;
                }
                let unseen = inside.then(|| format!("what a library function accesses at {line}"));
                self.seen.push(Seen { objects: vec![object], unseen, ..Seen::of(number, key) });
            }
        }
    }

    /// The two accesses of a data race, which are not taken.
    fn race(&mut self, execution: &Execution<'_, '_>, steps: &[TraceStep]) -> Option<Goal> {
        let [first, second] = steps else { return None };
        let mine = |step| execution.next_accesses(step).ok();
        let ((_, left), (_, right)) = (mine(first)?, mine(second)?);
        let pairs = left.iter().flat_map(|left| right.iter().map(move |right| (left, right)));
        let (left, right) = pairs.into_iter().find(|(left, right)| left.races_with(right))?;
        for (step, access) in [(first, left), (second, right)] {
            let thread = execution.thread(step).ok()?;
            let state = execution.state();
            let inside = self.interp.position(state, thread).is_some_and(|at| self.is_of_models(at.func));
            let line = shown(self.interp, state, thread).map(|shown| self.line(shown)).unwrap_or_default();
            let kind = self.kind(execution, step, access);
            if inside {
                self.left_open.insert(format!("what a library function accesses at {line}"));
            }
            let key = (!inside).then(|| self.key(kind, &line, self.object(access.place())));
            self.racing_lines.push(line);
            let number = step.thread.0 as usize;
            // Of an atomic operation that has begun, the thread stands before the whole.
            let has_begun = state.atomic_owner() == Some(thread) && kind == 'A';
            if let Some(begun) = self.seen.iter().rposition(|seen| seen.thread == number)
                && has_begun
                && self.seen[begun].key == key
            {
                self.seen.remove(begun);
            }
            self.seen.push(Seen { visible: true, held: true, ..Seen::of(number, key) });
        }
        Some(Goal::Race(first.thread.0 as usize, second.thread.0 as usize))
    }

    /// The kind of an access that is about to be made. In an atomic section every access is atomic for the trace, but not for the compiler.
    fn kind(&self, execution: &Execution<'_, '_>, step: &TraceStep, access: &MemoryAccess) -> char {
        let mut events: Vec<Event> = Vec::new();
        let mut state = execution.state().clone();
        if let Ok(thread) = execution.thread(step) {
            self.interp.step(&mut state, thread, &mut Scripted { rest: &step.choices }, &mut events);
        }
        let place = access.place();
        let ordered = events.iter().any(|event| match event {
            Event::Read { place: at, order, .. } | Event::Write { place: at, order, .. } => {
                *at == place && *order != Order::Plain
            }
            _ => false,
        });
        match (ordered, access.write) {
            (true, _) => 'A',
            (false, true) => 'W',
            (false, false) => 'R',
        }
    }

    /// Notes that a handler of the program is called, if the signal comes from outside.
    fn note_signal(&mut self, number: usize, before: &State, thread: ThreadId, events: &[Event]) {
        let mut frames = before.thread(thread).into_iter().flat_map(|thread| thread.frames().rev());
        let names = |frame: &Frame| (&self.program().functions[frame.func()].name, frame.func());
        let mut of_models = frames.by_ref().map(names).take_while(|(_, func)| self.is_of_models(*func));
        if !of_models.any(|(name, _)| name == DELIVERS) {
            return;
        }
        let calls = |event: &Event| matches!(event, Event::Called { func } if !self.is_of_models(*func));
        if !events.iter().any(calls) {
            return;
        }
        let signal = events.iter().find_map(|event| match event {
            Event::Read { place: Place::Register { func, var }, value, .. } => {
                let is_signal = self.program().functions[*func].vars[*var].name == "signal";
                is_signal.then_some(*value).and_then(|value| u32::try_from(value).ok())
            }
            _ => None,
        });
        let Some(signal) = signal else { return };
        let mine = self.seen.iter().filter(|seen| seen.thread == number);
        let after = mine.clone().rev().find_map(|seen| seen.key).map(|key| {
            let count = mine.filter(|seen| seen.key == Some(key)).count();
            Anchor { key, count: u32::try_from(count).unwrap_or(u32::MAX) }
        });
        self.signals.push(Signal { thread: number, after, number: signal });
    }

    /// Notes an input, or that one cannot be had.
    fn note_choice(&mut self, thread: usize, line: &str, inside: bool, func: Option<FuncId>, event: &Event) {
        if let Event::Write { place: Place::Register { func, var }, value: Some(value), .. } = event
            && *func == self.program().entry
            && self.program().functions[*func].params.first() == Some(var)
        {
            self.n_arguments = u64::try_from(*value).ok();
            if *value == 0 {
                self.left_open.insert("an empty list of arguments, which Linux does not pass on".to_owned());
            }
        }
        let Event::Chosen { what, value, .. } = event else { return };
        match what {
            Choice::Input(Place::Register { func, var }) if !inside => {
                let name = &self.program().functions[*func].vars[*var].name;
                let function = name.split_once(UNDEFINED_RESULT).map(|(function, _)| function.to_owned());
                let value = u64::try_from(*value & u128::from(u64::MAX)).unwrap_or_default();
                self.inputs.push(Input { thread, line: line.to_owned(), function, value });
            }
            Choice::Input(_) => {
                let name = func.map(|func| self.program().functions[func].name.clone()).unwrap_or_default();
                self.left_open.insert(format!("what `{name}` gives at {line}"));
            }
            Choice::Indeterminate(place) => {
                let name = self.interp.place_name(*place);
                self.left_open.insert(format!("the value of `{name}`, which was never set, at {line}"));
            }
            Choice::Waiter { .. } | Choice::Leave { .. } => {}
        }
    }

    fn is_of_models(&self, func: FuncId) -> bool {
        self.program().functions[func].library
    }

    fn line(&self, position: Position) -> String {
        let file = self.program().files.get(position.span.file).map(String::as_str).unwrap_or_default();
        line_name(file, position.span.line)
    }

    fn object(&self, place: Place) -> Object {
        let Place::Memory { object, .. } = place else { return Object::Elsewhere };
        match object {
            Identity::Static(id) => Object::Named(symbol(&self.program().objects[id].name)),
            Identity::ThreadLocal(..) | Identity::Heap { .. } => Object::Elsewhere,
            Identity::Local { .. } | Identity::Alloca { .. } => Object::OnAStack,
        }
    }

    fn key(&mut self, kind: char, line: &str, object: Object) -> usize {
        let key = Key { kind, line: line.to_owned(), object };
        let next = self.keys.len();
        let number = *self.known.entry(key.clone()).or_insert(next);
        if number == next {
            self.keys.push(key);
        }
        number
    }

    /// The schedule. Of an execution that fails, what the failing thread does in the end is not cut short.
    fn segments(&mut self, goal: Goal) -> Vec<Segment> {
        let mut touched: HashMap<Identity, BTreeSet<usize>> = HashMap::new();
        for seen in &self.seen {
            for object in &seen.objects {
                touched.entry(*object).or_default().insert(seen.thread);
            }
        }
        let is_shared = |object: &Identity| touched.get(object).is_some_and(|threads| threads.len() > 1);
        let visible: Vec<bool> =
            self.seen.iter().map(|seen| seen.visible || seen.objects.iter().any(is_shared)).collect();
        let mut counts: BTreeMap<(usize, usize), u32> = BTreeMap::new();
        let mut segments: Vec<Segment> = Vec::new();
        let mut was_held = false;
        let mut unseen = BTreeSet::new();
        for (seen, is_visible) in self.seen.iter().zip(&visible) {
            let before = seen.key.map(|key| {
                let count = counts.entry((seen.thread, key)).or_default();
                let before = *count;
                *count += u32::from(!seen.held);
                (key, before)
            });
            if !is_visible {
                continue;
            }
            let continues =
                segments.last().is_some_and(|last| last.thread == seen.thread) && !was_held && !seen.held;
            if let Some((key, count)) = before {
                let n_earlier = segments.len() - usize::from(continues);
                end_before(&mut segments[..n_earlier], seen.thread, &Anchor { key, count });
            }
            let last = before.filter(|_| !seen.held).map(|(key, count)| Anchor { key, count: count + 1 });
            match segments.last_mut().filter(|_| continues) {
                Some(segment) => {
                    segment.last = last;
                    segment.next = None;
                }
                None => {
                    let next = before.filter(|_| seen.held).map(|(key, count)| Anchor { key, count });
                    segments.push(Segment { thread: seen.thread, last, next });
                }
            }
            was_held = seen.held;
            unseen.extend(seen.unseen.clone());
        }
        self.left_open.extend(unseen);
        if let Goal::Fails(thread) = goal {
            segments.pop_if(|last| last.thread == thread);
            segments.push(Segment { thread, last: None, next: None });
        }
        segments
    }
}

/// The earlier segments of a thread end before its next event at the latest.
fn end_before(segments: &mut [Segment], thread: usize, anchor: &Anchor) {
    for segment in segments.iter_mut().rev().filter(|segment| segment.thread == thread) {
        if segment.next.is_some() {
            break;
        }
        segment.next = Some(anchor.clone());
    }
}

/// Where a thread is in the program: the innermost call that is not the C library's.
fn shown(interp: &Interp<'_>, state: &State, thread: ThreadId) -> Option<Position> {
    let frames = state.thread(thread)?.frames();
    let position = |frame: &Frame| {
        let (func, loc) = (frame.func(), frame.loc());
        Position { func, loc, span: interp.program().functions[func].locations[loc].span }
    };
    let mut of_the_user =
        frames.rev().map(position).filter(|at| !interp.program().functions[at.func].library);
    of_the_user.find(|at| at.span.is_somewhere())
}

/// The letter of a kind of synchronisation.
fn letter(kind: SyncKind) -> char {
    match kind {
        SyncKind::Lock | SyncKind::TryLock | SyncKind::ReadLock | SyncKind::WriteLock => 'l',
        SyncKind::Unlock | SyncKind::RwUnlock => 'u',
        SyncKind::SemWait => 's',
        SyncKind::SemPost => 'p',
        SyncKind::Barrier => 'b',
        SyncKind::CondWait => 'c',
        SyncKind::CondSignal => 'g',
        SyncKind::Once => 'o',
        SyncKind::Create => 't',
        SyncKind::Join => 'j',
    }
}

/// How a line is called on both sides.
pub fn line_name(file: &str, line: u32) -> String {
    let name = Path::new(file).file_name().map(|name| name.to_string_lossy().replace(' ', "_"));
    format!("{}:{line}", name.unwrap_or_default())
}

/// The name of a static object without what makes it unique: `q` of `main.q` and of `q.0`.
pub fn symbol(name: &str) -> String {
    let is_number = |part: &&str| part.chars().all(|c| c.is_ascii_digit());
    name.rsplit('.').find(|part| !is_number(part)).unwrap_or(name).to_owned()
}

#[cfg(test)]
mod tests;
