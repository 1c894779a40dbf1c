//! States of the interpreter beside their global locations, and what the interpreter does along the edges of a thread.

use super::*;
use crate::analysis::tests::brute;
use crate::encoding::{GlobalLocation, Name};
use logic::{ArrayValue, Model, Sort, Symbol, Value};
use program::interp::{Identity, StepResult};
use program::{Action, Op};
use std::collections::{BTreeMap, VecDeque};

/// A program with its edges.
pub struct World<'p> {
    pub encoder: Encoder<'p>,
    pub edges: Edges<'p>,
    pub terms: Terms,
    start: GlobalLocationId,
}

/// One way to take an edge.
pub struct End {
    /// Where it leads; `None` if the program has ended.
    pub state: Option<(State, GlobalLocationId)>,
    /// The edges that it may have been.
    pub edges: BTreeSet<usize>,
    /// True if an input or an indeterminate value was chosen.
    pub chosen: bool,
}

/// All ways to take an edge of a thread.
pub enum Executions {
    Known(Vec<End>),
    /// Something is undefined, or has no model.
    Unclear,
}

/// An execution of a prefix of an edge.
struct Prefix {
    state: State,
    control: GlobalLocation,
    depth: usize,
    edges: BTreeSet<usize>,
    chosen: bool,
}

impl<'p> World<'p> {
    /// `None` if the program has no encoding.
    pub fn new(analysis: &std::sync::Arc<Analysis<'p>>, fuse: bool) -> Option<Self> {
        let mut encoder = Encoder::new(analysis).ok()?.following_waits();
        let mut edges = Edges::new(analysis, fuse, Property::NoDeadlock).stopping_where_threads_block();
        let mut terms = Terms::new();
        let (control, _) = encoder.initial(&mut terms).ok()?;
        let start = edges.intern(control);
        Some(Self { encoder, edges, terms, start })
    }

    pub fn edges_of(&mut self, at: GlobalLocationId, thread: ThreadId) -> Rc<[Rc<Edge>]> {
        self.edges.of(&mut self.encoder, &mut self.terms, at, thread)
    }

    /// The union of the footprints of a thread's edges.
    pub fn footprint(&mut self, at: GlobalLocationId, thread: ThreadId) -> Footprint {
        let mut all = Footprint::default();
        for edge in self.edges_of(at, thread).iter() {
            all.add_shared(&self.encoder, &self.terms, thread, &edge.block);
            let effect = edge.footprint.control;
            all.control.concerns_threads |= effect.concerns_threads;
            all.control.ends_thread |= effect.ends_thread;
            all.control.changes_steps |= effect.changes_steps;
        }
        all
    }

    /// States that executions of edges lead to, breadth first.
    pub fn reachable(&mut self, most: usize) -> Vec<(State, GlobalLocationId)> {
        let initial = self.encoder.interp().initial();
        let mut seen = HashSet::from([initial.clone()]);
        let mut queue = VecDeque::from([(initial, self.start)]);
        let mut found = Vec::new();
        while let Some((state, at)) = queue.pop_front() {
            let threads: Vec<ThreadId> = self.edges.control(at).movable().collect();
            for thread in threads {
                let Executions::Known(ends) = self.executions(&state, at, thread) else { continue };
                for (next, to) in ends.into_iter().filter_map(|end| end.state) {
                    if seen.len() < most && seen.insert(next.clone()) {
                        queue.push_back((next, to));
                    }
                }
            }
            found.push((state, at));
        }
        found
    }

    /// All executions of the edges of a thread from a state.
    pub fn executions(&mut self, state: &State, at: GlobalLocationId, thread: ThreadId) -> Executions {
        if !self.edges.control(at).movable().any(|t| t == thread) {
            return Executions::Known(Vec::new());
        }
        let edges = self.edges_of(at, thread);
        let control = (**self.edges.control(at)).clone();
        let all = (0..edges.len()).collect();
        let mut open = vec![Prefix { state: state.clone(), control, depth: 0, edges: all, chosen: false }];
        let mut found = Vec::new();
        while let Some(prefix) = open.pop() {
            let Prefix { state, control, depth, edges: candidates, chosen } = prefix;
            let (whole, longer): (BTreeSet<usize>, BTreeSet<usize>) =
                candidates.iter().partition(|n| edges[**n].choices.len() == depth);
            if depth > 0 && !whole.is_empty() {
                let to = self.edges.intern(control.clone());
                found.push(End { state: Some((state.clone(), to)), edges: whole, chosen });
            }
            if longer.is_empty() {
                continue;
            }
            let outcomes = self.encoder.successors(&mut self.terms, &control, thread);
            for (result, chose, after) in brute::results(self.encoder.interp(), &state, thread) {
                let chosen = chosen || chose;
                match result {
                    StepResult::Continue => {}
                    StepResult::Blocked | StepResult::Pruned => continue,
                    StepResult::Ended => {
                        found.push(End { state: None, edges: longer.clone(), chosen });
                        continue;
                    }
                    _ => return Executions::Unclear,
                }
                let fits = outcomes.iter().filter(|o| o.kind == SuccessorKind::Continue);
                let Some(to) = fits.map(|o| &o.control).find(|to| looks_like(to, &after)) else {
                    return Executions::Unclear;
                };
                let is_same = |n: &usize| {
                    let outcome = &outcomes[edges[*n].choices[depth] as usize];
                    outcome.kind == SuccessorKind::Continue && outcome.control == *to
                };
                let edges = longer.iter().copied().filter(is_same).collect();
                let (control, depth) = (to.clone(), depth + 1);
                open.push(Prefix { state: after, control, depth, edges, chosen });
            }
        }
        Executions::Known(found)
    }

    /// The truth of a formula in a state; `None` if it depends on something indeterminate.
    pub fn evaluate(&self, state: &State, formula: Term) -> Option<bool> {
        let mut model = Model::default();
        for symbol in self.terms.free_vars(formula) {
            model.set(symbol, self.value(state, symbol)?);
        }
        Some(self.terms.eval(formula, &model).truth())
    }

    fn value(&self, state: &State, symbol: Symbol) -> Option<Value> {
        let interp = self.encoder.interp();
        let known = |object: Identity| interp.bytes(state, object)?.into_iter().collect::<Option<Vec<u8>>>();
        let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, byte| word << 8 | u128::from(*byte));
        let sort = self.terms.sort(self.terms.var_of(symbol));
        let bits = match self.encoder.names().name(symbol)? {
            Name::Register { thread, depth, var, .. } => {
                state.thread(thread)?.frames().nth(depth as usize)?.register(var)?
            }
            Name::Cell { object, offset, width } => {
                let bytes = known(object)?;
                word(bytes.get(offset as usize..(offset + width.bytes()) as usize)?)
            }
            Name::Elements { object, width, .. } => {
                let bytes = known(object)?;
                let mut array = ArrayValue { default: 0, entries: BTreeMap::new() };
                for (at, element) in (0..).zip(bytes.windows(width.bytes() as usize)) {
                    array.set(at, word(element));
                }
                return Some(Value::Array(Rc::new(array)));
            }
            Name::Size(object) => interp.bytes(state, object)?.len() as u128,
            Name::Alive(object) => u128::from(interp.bytes(state, object).is_some()),
            Name::Result(_) | Name::Waiting(_) | Name::Scratch { .. } => return None,
            Name::IsSet { .. } | Name::AreSet { .. } | Name::ScratchIsSet { .. } => return None,
        };
        Some(if sort == Sort::Bool { Value::Bool(bits == 1) } else { Value::Bits(bits) })
    }

    /// The operations of a thread's next action.
    pub fn kinds(&self, at: GlobalLocationId, thread: ThreadId) -> Vec<String> {
        let top = self.edges.control(at).thread(thread).expect("a thread that moves should exist").top();
        let action = &self.edges.program().functions[top.func].locations[top.loc].action;
        let kinds: Vec<&str> = match action {
            Action::Ops { ops, .. } => ops.iter().map(kind).collect(),
            Action::Branch { .. } => vec!["branch"],
            Action::Call { .. } => vec!["call"],
            Action::Return(_) | Action::ThreadExit(_) => vec!["return"],
            Action::Exit | Action::Error { .. } | Action::Unsupported(_) | Action::Undefined(_) => {
                vec!["end"]
            }
        };
        kinds.into_iter().map(str::to_owned).collect()
    }
}

fn kind(op: &Op) -> &'static str {
    match op {
        Op::Set { .. } => "set",
        Op::Store { .. } => "store",
        Op::Havoc { .. } => "havoc",
        Op::Forget { .. } => "forget",
        Op::Guard(_) => "guard",
        Op::Assume(_) => "assume",
        Op::Copy { .. } => "copy",
        Op::Fill { .. } => "fill",
        Op::Alloc { .. } => "alloc",
        Op::Realloc { .. } => "realloc",
        Op::Free(_) => "free",
        Op::Create { .. } => "create",
        Op::Join { .. } => "join",
        Op::Detach { .. } => "detach",
        Op::AtomicBegin | Op::AtomicEnd => "atomic",
        Op::Fence(_) => "fence",
        Op::WaitBegin(_) | Op::WaitEnd { .. } => "wait",
        Op::Signal { .. } => "signal",
        Op::Signed { .. } => "signed",
    }
}

/// Returns true if every thread of a state is where the global location says.
fn looks_like(control: &GlobalLocation, state: &State) -> bool {
    let ours = control.threads.iter();
    let mut ours = ours.map(|t| (t.id, t.detached, t.frames.iter().map(|f| (f.func, f.loc)).collect()));
    let theirs = state
        .threads()
        .map(|(id, t)| (id, t.is_detached(), t.frames().map(|f| (f.func(), f.loc())).collect::<Vec<_>>()));
    theirs.eq(&mut ours) && control.atomic.map(|(owner, _)| owner) == state.atomic_owner()
}
