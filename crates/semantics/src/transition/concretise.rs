//! From a model of a path to an execution: the interpreter runs it and takes every value that it is missing from the model.
//!
//! The encoder gives an indeterminate variable an arbitrary value when its lifetime begins; the interpreter needs one when
//! the variable is first read. Both mean the same, so the value of a register or a byte at that point is what the
//! model says it is there. Registers are told apart by thread, frame *and* function: a recursive function has one for
//! each of its frames.
//!
//! # Direction of error
//! The result is an execution in any case. That it violates the property is for the interpreter to say: see
//! [`Monitor::confirm`](super::Monitor::confirm) and, in the end, the replay.

use super::edges::{Edge, Edges};
use crate::encoding::{Encoder, Name, Names};
use base::{Idx, Inconclusive};
use logic::path::{Cmd, SymbolicStore};
use logic::{Model, Symbol, Terms, Value};
use program::Width;
use program::interp::{
    Choice, Chooser, Event, Identity, Interp, NoObserver, Place, State, StepResult, ThreadId,
};
use program::trace::TraceStep;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// A path of edges from the initial state, made by the commands `init`.
pub struct Path<'a> {
    /// The commands that make the initial state.
    pub init: &'a [Cmd],
    /// The edges, first to last.
    pub edges: &'a [Rc<Edge>],
}

/// The numbers of threads in an execution, in order of creation, by their numbers in global locations.
pub type ThreadRenumbering = FxHashMap<ThreadId, ThreadId>;

/// The execution of a path.
pub struct Execution<'p> {
    /// Its steps.
    pub steps: Vec<TraceStep>,
    /// Which thread is which.
    pub renumbering: ThreadRenumbering,
    pub(super) interp: Interp<'p>,
    pub(super) state: State,
    /// The values of variables at the end.
    store: SymbolicStore,
    /// The step after which it did not go on, so that the path was not followed further: the state before it, who took it, and how it ended.
    pub(super) end: Option<(State, ThreadId, StepResult)>,
}

/// The execution of a path, as `model` has it.
pub fn concretise<'p>(
    encoder: &Encoder<'p>,
    edges: &Edges<'p>,
    terms: &mut Terms,
    path: &Path<'_>,
    model: &Model,
) -> Result<Execution<'p>, Inconclusive> {
    let interp = Interp::new(encoder.program())?;
    let state = interp.initial();
    let mut store = SymbolicStore::default();
    store.run(terms, path.init);
    let mut renumbering = ThreadRenumbering::default();
    renumbering.insert(ThreadId::MAIN, ThreadId::MAIN);
    let mut execution = Execution { steps: Vec::new(), renumbering, interp, state, store, end: None };
    for edge in path.edges {
        for block in &edge.steps {
            let before = execution.state.clone();
            let result = execution.step(encoder.names(), terms, edge.thread, block, model);
            if !matches!(result, StepResult::Continue) {
                execution.end = Some((before, execution.renumbering[&edge.thread], result));
                return Ok(execution);
            }
        }
        let created = edges.control(edge.control).threads.iter().map(|t| t.id);
        for id in created {
            let next = ThreadId::new(execution.renumbering.len());
            execution.renumbering.entry(id).or_insert(next);
        }
    }
    Ok(execution)
}

impl Execution<'_> {
    /// Takes one action of a thread, by its number in global locations.
    fn step(
        &mut self,
        names: &Names,
        terms: &mut Terms,
        thread: ThreadId,
        block: &[Cmd],
        model: &Model,
    ) -> StepResult {
        let before = self.store.clone();
        self.store.run(terms, block);
        let inputs = inputs_of(terms, &before, block, model);
        let wakes = woken(names, block).and_then(|id| self.renumbering.get(&id).copied());
        let number = self.renumbering[&thread];
        let mut waiter = 0;
        loop {
            let mut values = self.values(terms, names, thread, &before, model);
            (values.inputs, values.waiter) = (inputs.clone(), waiter);
            let (mut next, mut events) = (self.state.clone(), Vec::new());
            let result = self.interp.step(&mut next, number, &mut values, &mut events);
            let (choices, n_waiters) = (values.given, values.n_waiters);
            let right = wakes.is_none_or(|id| events.contains(&Event::Woken { thread: id }));
            waiter += 1;
            if right || waiter >= n_waiters {
                self.state = next;
                self.steps.push(TraceStep { thread: number, choices });
                return result;
            }
        }
    }

    /// The step that a thread, by its number in global locations, is about to take at the end, with the model's values for
    /// what it reads. `None` if there is no such thread.
    pub(super) fn about_to(
        &self,
        names: &Names,
        terms: &mut Terms,
        thread: ThreadId,
        model: &Model,
    ) -> Option<TraceStep> {
        let number = *self.renumbering.get(&thread)?;
        let mut values = self.values(terms, names, thread, &self.store, model);
        self.interp.next_accesses(&self.state, number, &mut values);
        Some(TraceStep { thread: number, choices: values.given })
    }

    /// Goes on with one thread for a few steps, with zeros for all that is open, until the execution ends: what formulas call undefined when it is read is undefined
    /// for the interpreter when a decision depends on it.
    pub(super) fn go_on(&mut self, thread: ThreadId) {
        let Some(&number) = self.renumbering.get(&thread) else { return };
        for _ in 0..MAX_STEPS_ON {
            if self.end.is_some() {
                return;
            }
            let (mut next, mut zeros) = (self.state.clone(), Zeros::default());
            let result = self.interp.step(&mut next, number, &mut zeros, &mut NoObserver);
            if matches!(result, StepResult::Blocked) {
                return;
            }
            let before = std::mem::replace(&mut self.state, next);
            self.steps.push(TraceStep { thread: number, choices: zeros.given });
            if !matches!(result, StepResult::Continue) {
                self.end = Some((before, number, result));
            }
        }
    }

    fn values<'a>(
        &'a self,
        terms: &'a mut Terms,
        names: &'a Names,
        thread: ThreadId,
        store: &'a SymbolicStore,
        model: &'a Model,
    ) -> ModelValues<'a> {
        let number = self.renumbering[&thread];
        let n_frames = self.state.thread(number).map_or(0, |t| t.frames().len());
        let depth = u32::try_from(n_frames.saturating_sub(1)).expect("frames should be few");
        let renumbering = &self.renumbering;
        let (inputs, given) = (Vec::new(), Vec::new());
        ModelValues {
            terms,
            names,
            thread,
            depth,
            store,
            model,
            inputs,
            renumbering,
            given,
            waiter: 0,
            n_waiters: 0,
        }
    }
}

/// The number of steps after a read within which a decision is looked for.
const MAX_STEPS_ON: usize = 50;

/// Answers zero.
#[derive(Default)]
struct Zeros {
    given: Vec<u128>,
}

impl Chooser for Zeros {
    fn choose(&mut self, _width: Width, choice: &Choice) -> Option<u128> {
        if matches!(choice, Choice::Leave { .. }) {
            return None;
        }
        self.given.push(0);
        Some(0)
    }
}

/// The thread that a step signals, if it is one.
fn woken(names: &Names, block: &[Cmd]) -> Option<ThreadId> {
    let woken = block.iter().filter_map(|cmd| match cmd {
        Cmd::Assign(x, _) => Some(*x),
        _ => None,
    });
    let mut woken = woken.filter_map(|x| match names.name(x) {
        Some(Name::Waiting(thread)) => Some(thread),
        _ => None,
    });
    let first = woken.next()?;
    woken.next().is_none().then_some(first)
}

/// The values of the inputs of one step, in order.
fn inputs_of(
    terms: &mut Terms,
    before: &SymbolicStore,
    block: &[Cmd],
    model: &Model,
) -> Vec<(Symbol, Value)> {
    let mut store = before.clone();
    let mut inputs = Vec::new();
    for cmd in block {
        store.step(terms, *cmd);
        if let Cmd::Havoc(symbol) = cmd {
            let value = store.value(terms, *symbol);
            inputs.push((*symbol, terms.eval(value, model)));
        }
    }
    inputs
}

/// Chooses what a model says.
struct ModelValues<'a> {
    terms: &'a mut Terms,
    names: &'a Names,
    /// The thread that moves, by its number in global locations.
    thread: ThreadId,
    /// How many frames are below the running one.
    depth: u32,
    store: &'a SymbolicStore,
    model: &'a Model,
    inputs: Vec<(Symbol, Value)>,
    renumbering: &'a ThreadRenumbering,
    given: Vec<u128>,
    /// Which of several waiters is woken.
    waiter: usize,
    /// How many there were.
    n_waiters: usize,
}

impl ModelValues<'_> {
    fn bits(value: &Value) -> u128 {
        match value {
            Value::Bool(truth) => u128::from(*truth),
            other => other.bits(),
        }
    }

    /// The symbol's register, if it is one of the running frame.
    fn is_register(&self, symbol: Symbol, func: program::FuncId, var: program::VarId) -> bool {
        matches!(self.names.name(symbol), Some(Name::Register { thread, depth, func: f, var: v })
            if thread == self.thread && depth == self.depth && f == func && v == var)
    }

    /// A register's value before the step.
    fn register(&mut self, func: program::FuncId, var: program::VarId) -> Option<u128> {
        let symbol = self.store.values().keys().copied().find(|s| self.is_register(*s, func, var))?;
        let value = self.store.value(self.terms, symbol);
        Some(Self::bits(&self.terms.eval(value, self.model)))
    }

    /// The object by its name in formulas, where threads have other numbers.
    fn renamed(&self, object: Identity) -> Option<Identity> {
        let theirs = |number: ThreadId| {
            self.renumbering.iter().find(|(_, n)| **n == number).map(|(thread, _)| *thread)
        };
        Some(match object {
            Identity::Static(_) => object,
            Identity::ThreadLocal(id, thread) => Identity::ThreadLocal(id, theirs(thread)?),
            Identity::Local { thread, depth, func, var } => {
                Identity::Local { thread: theirs(thread)?, depth, func, var }
            }
            Identity::Heap { thread, site, count, room } => {
                Identity::Heap { thread: theirs(thread)?, site, count, room }
            }
            Identity::Alloca { thread, depth, site, count, room } => {
                Identity::Alloca { thread: theirs(thread)?, depth, site, count, room }
            }
        })
    }

    /// The bytes at a place in memory before the step.
    fn memory(&mut self, object: Identity, offset: u64, width: Width) -> Option<u128> {
        let object = self.renamed(object)?;
        let symbols: Vec<Symbol> = self.store.values().keys().copied().collect();
        for symbol in symbols {
            match self.names.name(symbol) {
                Some(Name::Cell { object: o, offset: at, width: w })
                    if o == object && at <= offset && offset < at + w.bytes() =>
                {
                    let value = self.store.value(self.terms, symbol);
                    let bits = Self::bits(&self.terms.eval(value, self.model));
                    return Some(width.truncate(bits >> (8 * (offset - at))));
                }
                Some(Name::Elements { object: o, width: w, .. }) if o == object => {
                    let value = self.store.value(self.terms, symbol);
                    let Value::Array(array) = self.terms.eval(value, self.model) else { continue };
                    let bytes = w.bytes();
                    let bits = (0..width.bytes().div_ceil(bytes))
                        .rev()
                        .fold(0u128, |acc, n| acc << (8 * bytes) | array.get(u128::from(offset + n * bytes)));
                    return Some(width.truncate(bits));
                }
                _ => {}
            }
        }
        Some(0) // a byte that no formula ever mentions
    }
}

impl Chooser for ModelValues<'_> {
    fn choose(&mut self, width: Width, choice: &Choice) -> Option<u128> {
        let value = match choice {
            Choice::Input(Place::Register { func, var }) => {
                let at = self.inputs.iter().position(|(s, _)| self.is_register(*s, *func, *var));
                at.map_or(0, |at| Self::bits(&self.inputs.remove(at).1))
            }
            // Formulas know no store buffers: programs that have them are transformed first.
            Choice::Input(Place::Memory { .. }) | Choice::Leave { .. } => return None,
            Choice::Indeterminate(Place::Register { func, var }) => self.register(*func, *var).unwrap_or(0),
            Choice::Indeterminate(Place::Memory { object, offset }) => {
                self.memory(*object, *offset, width)?
            }
            Choice::Waiter { n_waiters } => {
                self.n_waiters = *n_waiters;
                self.waiter as u128
            }
        };
        let value = width.truncate(value);
        self.given.push(value);
        Some(value)
    }
}
