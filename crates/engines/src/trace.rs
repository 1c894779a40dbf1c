//! From a model of a path to an execution: the interpreter runs it, asking the model for every value that it is missing.
//!
//! The encoder gives an indeterminate variable an arbitrary value when its life begins; the interpreter asks for it when it is
//! first read. Both mean the same, so the answer to a question about a register or a byte is what the model says it is at that point.

use crate::edges::{Edge, Edges};
use base::Inconclusive;
use evidence::{Trace, TraceStep};
use logic::path::{Cmd, SymbolicStore};
use logic::{Model, Symbol, Terms, Value};
use program::interp::{Choice, Chooser, Event, Identity, Interp, Place, StepResult, ThreadId};
use program::{Property, Width};
use rustc_hash::FxHashMap;
use semantics::encoding::{Encoder, Name, Names};
use std::rc::Rc;

/// A path of edges from the initial state, made by the commands `init`.
pub struct Path<'a> {
    /// What the path violates at its end.
    pub property: Property,
    /// The commands that make the initial state.
    pub init: &'a [Cmd],
    /// The edges, first to last.
    pub edges: &'a [Rc<Edge>],
}

/// The numbers of threads in a trace, those of their creation, by their numbers in controls.
pub type Ranks = FxHashMap<ThreadId, ThreadId>;

/// The execution of a path, as `model` has it.
pub fn trace(
    encoder: &Encoder<'_>,
    edges: &Edges<'_>,
    terms: &mut Terms,
    path: &Path<'_>,
    model: &Model,
) -> Result<Trace, Inconclusive> {
    ranked_trace(encoder, edges, terms, path, model).map(|(trace, _)| trace)
}

/// The execution of a path, as `model` has it, and who is who in it.
pub fn ranked_trace(
    encoder: &Encoder<'_>,
    edges: &Edges<'_>,
    terms: &mut Terms,
    path: &Path<'_>,
    model: &Model,
) -> Result<(Trace, Ranks), Inconclusive> {
    let interp = Interp::new(encoder.program())?;
    let mut state = interp.initial();
    let mut store = SymbolicStore::default();
    store.run(terms, path.init);
    let mut steps = Vec::new();
    // Threads have other numbers there: those of their creation in this very run.
    let mut rank = Ranks::default();
    rank.insert(ThreadId::MAIN, ThreadId::MAIN);
    for edge in path.edges {
        let thread = rank[&edge.thread];
        for block in &edge.steps {
            let before = store.clone();
            store.run(terms, block);
            let inputs = inputs_of(terms, &before, block, model);
            let wakes = woken(encoder.names(), block).and_then(|id| rank.get(&id).copied());
            let mut waiter = 0;
            let (next, given, result) = loop {
                let mut chooser = Answers {
                    terms,
                    names: encoder.names(),
                    encoder_thread: edge.thread,
                    store: &before,
                    model,
                    inputs: inputs.clone(),
                    rank: &rank,
                    given: Vec::new(),
                    waiter,
                    n_waiters: 0,
                };
                let (mut next, mut events) = (state.clone(), Vec::new());
                let result = interp.step(&mut next, thread, &mut chooser, &mut events);
                let (given, n_waiters) = (chooser.given, chooser.n_waiters);
                let right = wakes.is_none_or(|id| events.contains(&Event::Woken { thread: id }));
                waiter += 1;
                if right || waiter >= n_waiters {
                    break (next, given, result);
                }
            };
            state = next;
            steps.push(TraceStep { thread, choices: given });
            if !matches!(result, StepResult::Continue) {
                return Ok((Trace { property: path.property, steps, cycle: None }, rank));
            }
        }
        let created = edges.control(edge.control).threads.iter().map(|t| t.id);
        for id in created {
            let next = ThreadId(u32::try_from(rank.len()).expect("threads should be few"));
            rank.entry(id).or_insert(next);
        }
    }
    Ok((Trace { property: path.property, steps, cycle: None }, rank))
}

/// Whom a step signals, if it is one thread.
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

/// Answers the interpreter's questions from a model.
struct Answers<'a> {
    terms: &'a mut Terms,
    names: &'a Names,
    encoder_thread: ThreadId,
    store: &'a SymbolicStore,
    model: &'a Model,
    inputs: Vec<(Symbol, Value)>,
    rank: &'a FxHashMap<ThreadId, ThreadId>,
    given: Vec<u128>,
    /// Which of several waiters is woken.
    waiter: usize,
    /// How many there were.
    n_waiters: usize,
}

impl Answers<'_> {
    fn bits(value: &Value) -> u128 {
        match value {
            Value::Bool(truth) => u128::from(*truth),
            other => other.bits(),
        }
    }

    /// A register's value before the step, or what the step makes of it.
    fn register(&mut self, func: program::FuncId, var: program::VarId) -> Option<u128> {
        let is_it = |name: Option<Name>| {
            matches!(name, Some(Name::Register { thread, func: f, var: v, .. })
                if thread == self.encoder_thread && f == func && v == var)
        };
        let known: Vec<Symbol> = self.store.values().keys().copied().collect();
        let mut candidates: Vec<Symbol> = known.into_iter().filter(|s| is_it(self.names.name(*s))).collect();
        candidates.sort();
        let symbol = *candidates.last()?;
        let value = self.store.value(self.terms, symbol);
        Some(Self::bits(&self.terms.eval(value, self.model)))
    }

    /// The bytes at a place in memory before the step.
    fn memory(&mut self, object: Identity, offset: u64, width: Width) -> Option<u128> {
        let theirs = |thread: ThreadId, rank: &FxHashMap<ThreadId, ThreadId>| {
            rank.iter().find(|(_, r)| **r == thread).map(|(id, _)| *id)
        };
        let object = match object {
            Identity::Static(_) => object,
            Identity::ThreadLocal(id, thread) => Identity::ThreadLocal(id, theirs(thread, self.rank)?),
            Identity::Local { thread, depth, func, var } => {
                Identity::Local { thread: theirs(thread, self.rank)?, depth, func, var }
            }
            Identity::Heap { thread, site, count, room } => {
                Identity::Heap { thread: theirs(thread, self.rank)?, site, count, room }
            }
            Identity::Alloca { thread, depth, site, count, room } => {
                Identity::Alloca { thread: theirs(thread, self.rank)?, depth, site, count, room }
            }
        };
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

impl Chooser for Answers<'_> {
    fn choose(&mut self, width: Width, choice: &Choice) -> Option<u128> {
        let value = match choice {
            Choice::Input(Place::Register { func, var }) => {
                let at = self.inputs.iter().position(|(s, _)| {
                    matches!(self.names.name(*s), Some(Name::Register { func: f, var: v, .. }) if f == *func && v == *var)
                })?;
                Self::bits(&self.inputs.remove(at).1)
            }
            Choice::Input(Place::Memory { .. }) => return None,
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
