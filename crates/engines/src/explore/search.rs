//! The breadth-first search.

use super::footprint::{Access, Collector};
use super::inputs::Odometer;
use super::transactions::{Footprints, MAX_IN_A_ROW, Transactions};
use super::{Exploration, Options, Violation};
use base::{Budget, Idx, IdxVec, Inconclusive, Span, Stats, id_type};
use evidence::{StateSet, Trace, TraceStep};
use program::interp::{Interp, NoObserver, State, StepResult, ThreadId, Wakeups, span_name};
use program::trace::{Execution, Scripted};
use program::{Program, Property, Undefined};
use rustc_hash::{FxHashMap, FxHashSet};
use semantics::Analysis;
use semantics::analysis::Liveness;
use std::collections::VecDeque;
use std::sync::Arc;

id_type!(
    /// A visited state.
    NodeId,
    "v"
);

/// A step by the numbers of the searching interpreter.
#[derive(Clone)]
pub(super) struct Move {
    pub(super) thread: ThreadId,
    pub(super) choices: Vec<u128>,
}

pub(super) struct Visited {
    pub(super) state: Arc<State>,
    footprints: Footprints,
    is_queued: bool,
    /// How it was first reached; `None` for the initial state.
    origin: Option<Origin>,
}

/// How a state was reached: one step from another one, and the actions that followed it.
#[derive(Clone)]
struct Origin {
    parent: NodeId,
    step: Move,
    n_following: usize,
    /// The answers of the following actions that asked for some, by their numbers.
    answers: Vec<(usize, Vec<u128>)>,
}

impl Origin {
    fn new(parent: NodeId, step: Move) -> Self {
        Origin { parent, step, n_following: 0, answers: Vec::new() }
    }

    /// One more action that follows.
    fn then(&mut self, answers: Vec<u128>) {
        if !answers.is_empty() {
            self.answers.push((self.n_following, answers));
        }
        self.n_following += 1;
    }
}

/// An outcome of an action that follows others: the answers that led to it, the state, and what it adds to the footprint.
type Followed = (Vec<u128>, State, Vec<Access>);

/// A search under way.
pub(super) struct Search<'a> {
    pub(super) interp: Interp<'a>,
    pub(super) options: &'a Options,
    /// Stop at the first violation of this property.
    goal: Option<Property>,
    /// True if undefined behaviour answers the question, too.
    pub(super) reports_undefined: bool,
    /// Actions that are taken together.
    transactions: Option<Transactions<'a>>,
    /// The number of states at which the search starts again, because transactions were too long.
    restart_at: Option<usize>,
    pub(super) nodes: IdxVec<NodeId, Visited>,
    /// All steps between nodes, if the question is termination; spurious wake-ups are left out.
    pub(super) steps: IdxVec<NodeId, Vec<(Move, NodeId)>>,
    known: FxHashMap<Arc<State>, NodeId>,
    queue: VecDeque<NodeId>,
    seen: FxHashSet<(Property, String, Span)>,
    found: Exploration,
    n_restarts: u64,
    /// The number of actions that were taken because they follow others, in all attempts.
    n_followed: u64,
    /// True if the program ends while other threads are there, and its last state matters.
    ends_among_threads: bool,
}

/// How many steps that follow others count as much as a state.
const STEPS_OF_A_STATE: u64 = 10;

/// Frees something large in the background: a million states take a second, for which the caller does not wait.
pub(super) fn drop_later<T: Send + 'static>(large: T) {
    // Without a thread for it, it is freed here and now.
    let _ = std::thread::Builder::new().spawn(move || drop(large));
}

/// What a search leaves behind.
pub(super) struct Finished {
    pub(super) exploration: Exploration,
    pub(super) reached: StateSet,
}

impl<'a> Search<'a> {
    pub(super) fn new(
        program: &'a Program,
        options: &'a Options,
        goal: Option<Property>,
    ) -> Result<Self, Inconclusive> {
        let mut search = Self {
            interp: Interp::new(program)?,
            options,
            goal,
            reports_undefined: false,
            transactions: None,
            restart_at: None,
            nodes: IdxVec::new(),
            steps: IdxVec::new(),
            known: FxHashMap::default(),
            queue: VecDeque::new(),
            seen: FxHashSet::default(),
            found: Exploration::default(),
            n_restarts: 0,
            n_followed: 0,
            ends_among_threads: false,
        };
        search.visit(search.interp.initial(), Footprints::new(), None);
        Ok(search)
    }

    /// Takes actions together from now on, if that keeps the property.
    pub(super) fn reduce(&mut self, analysis: &Arc<Analysis<'a>>) {
        self.transactions = self.goal.and_then(|property| Transactions::of(analysis, property));
    }

    /// Begins again at the initial state. What was found until now is true.
    fn restart(&mut self) {
        self.restart_at = None;
        self.n_restarts += 1;
        drop_later((std::mem::take(&mut self.nodes), std::mem::take(&mut self.known)));
        self.queue.clear();
        self.steps = IdxVec::new();
        self.visit(self.interp.initial(), Footprints::new(), None);
    }

    /// Starts again with more scheduling points if some are missing: when everything was visited, and long before that where it is much.
    fn shorten_transactions(&mut self) {
        if std::mem::take(&mut self.ends_among_threads) {
            return self.expand_fully();
        }
        let Some(transactions) = self.transactions.as_mut().filter(|t| t.are_too_long()) else { return };
        let limit = *self.restart_at.get_or_insert(2 * self.nodes.len() + 64);
        if self.queue.is_empty() || self.nodes.len() >= limit {
            transactions.shorten();
            self.restart();
        }
    }

    /// Takes all actions one by one from the initial state on, because the state in which the program ends matters and other threads are there.
    fn expand_fully(&mut self) {
        self.transactions = None;
        self.restart();
    }

    /// Visits what can be reached, until the goal is met or the budget spent.
    pub(super) fn run(mut self, budget: &Budget, stats: &mut Stats) -> Finished {
        while let Some(v) = self.queue.pop_front() {
            budget.tell_nodes(self.nodes.len());
            if let Err(stop) = budget.check() {
                self.found.incomplete = Some(stop);
                break;
            }
            self.expand(v);
            if self.goal_is_met() || self.options.only_complete && self.found.incomplete.is_some() {
                break;
            }
            self.shorten_transactions();
            // Between two states there may be many steps, and the search may have started again.
            let n_steps = self.options.max_states as u64 * STEPS_OF_A_STATE;
            if self.nodes.len() > self.options.max_states || self.n_followed > n_steps {
                self.incomplete(Inconclusive::Bound(format!("more than {} states", self.options.max_states)));
                break;
            }
        }
        if self.asks_for_an_end() && self.found.non_terminating.is_none() {
            self.found.non_terminating = self.lasso();
        }
        self.found.n_states = self.nodes.len();
        stats.add("nodes", self.nodes.len() as u64);
        stats.add("steps", self.found.n_steps);
        if let Some(transactions) = &self.transactions {
            stats.add("restarts", self.n_restarts);
            stats.add("scheduling points", transactions.points.len() as u64);
        }
        let states = self.nodes.iter().map(|node| Arc::clone(&node.state)).collect();
        let footprints = self.nodes.iter().map(|node| &node.footprints);
        let transactions = self.transactions.as_ref().map(|t| t.evidence(footprints));
        let reached = StateSet { states, identities: self.interp.identities(), transactions };
        drop_later((self.nodes, self.known));
        Finished { exploration: self.found, reached }
    }

    fn goal_is_met(&self) -> bool {
        match self.goal {
            None => false,
            Some(_)
                if self.reports_undefined
                    && self.found.violations.iter().any(|v| v.property.is_undefined()) =>
            {
                true
            }
            Some(Property::NoDeadlock) if self.found.deadlock.is_some() => true,
            Some(Property::Termination) => self.found.non_terminating.is_some(),
            Some(Property::NoDataRace) if self.found.race.is_some() => true,
            Some(property) => self.found.violations.iter().any(|v| property.includes(v.property)),
        }
    }

    fn asks_for_an_end(&self) -> bool {
        self.goal == Some(Property::Termination)
    }

    /// All steps of all threads.
    fn expand(&mut self, v: NodeId) {
        let state = Arc::clone(&self.nodes[v].state);
        let footprints = self.nodes[v].footprints.clone();
        self.nodes[v].is_queued = false;
        if self.found.deadlock.is_none() && self.interp.is_deadlock(&state) {
            self.found.deadlock = Some(self.trace(v, &[], Property::NoDeadlock));
            if self.asks_for_an_end() {
                self.found.non_terminating = Some(self.trace(v, &[], Property::Termination));
            }
        }
        let asked = matches!(self.goal, None | Some(Property::NoDataRace));
        if asked && self.found.race.is_none() {
            let race = self.race(&state);
            self.found.race = race.map(|accesses| self.trace(v, &accesses, Property::NoDataRace));
        }
        let runnable = self.interp.runnable(&state, Wakeups::Spurious);
        for thread in state.threads().map(|(thread, _)| thread) {
            // What a thread reads to see that it has to wait is read, too.
            if !runnable.contains(&thread) && self.transactions.is_none() {
                continue;
            }
            let options = self.options;
            let mut odometer = Odometer::new(options);
            loop {
                let mut next = (*state).clone();
                let (result, accesses) = self.step(&mut next, thread, &mut odometer);
                self.watch(&state, thread, &accesses, &footprints);
                if runnable.contains(&thread) {
                    self.found.n_steps += 1;
                    let step = Move { thread, choices: odometer.answers().to_vec() };
                    self.arrive(v, step, next, result, &footprints);
                }
                if !odometer.advance() {
                    break;
                }
            }
            if runnable.contains(&thread) {
                self.note_inputs(&odometer);
            }
        }
    }

    /// One step, and what it accesses if actions are taken together.
    fn step(
        &self,
        state: &mut State,
        thread: ThreadId,
        odometer: &mut Odometer<'_>,
    ) -> (StepResult, Vec<Access>) {
        let here = self.transactions.as_ref().and_then(|_| state.thread(thread)?.top());
        let Some(here) = here.map(|frame| (frame.func(), frame.loc())) else {
            return (self.interp.step(state, thread, odometer, &mut NoObserver), Vec::new());
        };
        let mut collector = Collector::new(here);
        let result = self.interp.step(state, thread, odometer, &mut collector);
        (result, collector.finish())
    }

    fn watch(&mut self, state: &State, thread: ThreadId, accesses: &[Access], footprints: &Footprints) {
        if let Some(transactions) = &mut self.transactions {
            transactions.watch(state, thread, accesses, footprints);
        }
    }

    /// Deals with the result of a step from `v`.
    fn arrive(&mut self, v: NodeId, step: Move, next: State, result: StepResult, footprints: &Footprints) {
        match result {
            // Blocked is what is left of a guard that chose an indeterminate value and was not met by it.
            StepResult::Continue | StepResult::Blocked => {
                if !self.asks_for_an_end() {
                    let others = footprints.iter().filter(|(thread, _)| *thread != step.thread);
                    let others = others.cloned().collect();
                    return self.settle(v, step, next, others);
                }
                let target = self.visit(next, Footprints::new(), Some(Origin::new(v, step.clone())));
                if self.interp.enabled(&self.nodes[v].state, step.thread, Wakeups::OnlySignalled) {
                    self.steps[v].push((step, target));
                }
            }
            StepResult::Ended => {
                if self.goal.is_none() {
                    let objects = self.interp.program().objects.ids();
                    self.found.finals.insert(objects.map(|id| self.interp.static_bytes(&next, id)).collect());
                }
                let is_alone = self.nodes[v].state.threads().count() == 1;
                if self.transactions.as_ref().is_some_and(|t| t.leaks) && !is_alone {
                    self.ends_among_threads = true;
                }
                if let Some(leak) = self.leak(v, &step, &next) {
                    self.violated(v, step.clone(), leak);
                }
                self.visit(next, Footprints::new(), Some(Origin::new(v, step)));
            }
            StepResult::Pruned => {}
            StepResult::Violation { property, message, span } => {
                if self.seen.insert((property, message.clone(), span)) {
                    let trace = self.trace(v, &[step], property);
                    self.found.violations.push(Violation { property, message, span, trace });
                }
            }
            StepResult::Undefined(undefined) => {
                let what = self.at(v, step.thread, &undefined.to_string());
                self.incomplete(Inconclusive::Undefined(what));
                self.violated(v, step, undefined);
            }
            StepResult::Unsupported(what) => {
                self.incomplete(Inconclusive::Unsupported(self.at(v, step.thread, &what)))
            }
            StepResult::Bound(what) => self.incomplete(Inconclusive::Bound(self.at(v, step.thread, &what))),
            StepResult::NoChoice => {
                self.incomplete(Inconclusive::Bound("no value is offered for an input".to_owned()))
            }
        }
    }

    /// Visits what a step from `v` leads to, after the actions that follow: until there is none, or one has several outcomes, or they begin to repeat themselves (which shows when the
    /// state is one that was saved after a power of two of them).
    fn settle(&mut self, v: NodeId, step: Move, mut state: State, mut footprints: Footprints) {
        let (mut origin, mut saved) = (Origin::new(v, step), None);
        while origin.n_following < MAX_IN_A_ROW && saved.as_ref() != Some(&state) {
            if origin.n_following.is_power_of_two() {
                saved = Some(state.clone());
            }
            let mover = self.transactions.as_ref().and_then(|t| t.thread(&self.interp, &state));
            let after = mover.and_then(|thread| Some((thread, self.following(&state, thread, &footprints)?)));
            let Some((thread, mut after)) = after else { break };
            if after.len() == 1
                && let Some((answers, next, accesses)) = after.pop()
            {
                origin.then(answers);
                state = next;
                touch(&mut footprints, thread, accesses);
                continue;
            }
            for (answers, next, accesses) in after {
                let (mut reached, mut touched) = (origin.clone(), footprints.clone());
                reached.then(answers);
                touch(&mut touched, thread, accesses);
                self.visit(next, touched, Some(reached));
            }
            return;
        }
        self.visit(state, footprints, Some(origin));
    }

    /// All outcomes of an action that follows others, with what it adds to the footprint; `None` if one of them does not simply continue.
    fn following(
        &mut self,
        state: &State,
        thread: ThreadId,
        footprints: &Footprints,
    ) -> Option<Vec<Followed>> {
        let options = self.options;
        let is_glued = self.transactions.as_ref().is_some_and(|t| t.is_glued(state, thread));
        let (mut odometer, mut found) = (Odometer::new(options), Vec::new());
        loop {
            let mut next = state.clone();
            let (result, accesses) = self.step(&mut next, thread, &mut odometer);
            self.found.n_steps += 1;
            self.n_followed += 1;
            if result != StepResult::Continue {
                return None;
            }
            self.watch(state, thread, &accesses, footprints);
            let added = if is_glued { Vec::new() } else { accesses };
            found.push((odometer.answers().to_vec(), next, added));
            if !odometer.advance() {
                break;
            }
        }
        self.note_inputs(&odometer);
        Some(found)
    }

    /// Remembers that not all values of an input were tried.
    fn note_inputs(&mut self, odometer: &Odometer<'_>) {
        if let Some(width) = odometer.incomplete() {
            self.incomplete(Inconclusive::Bound(format!(
                "not all values of an input of {width} bits were tried"
            )));
        }
    }

    /// Remembers undefined behaviour, or a leak, at the end of a step from `v`.
    fn violated(&mut self, v: NodeId, step: Move, undefined: Undefined) {
        let position = self.interp.position(&self.nodes[v].state, step.thread);
        let span = position.map_or(Span::NOWHERE, |position| position.span);
        let (property, message) = (undefined.property(), undefined.to_string());
        if self.seen.insert((property, message.clone(), span)) {
            let trace = self.trace(v, &[step], property);
            self.found.violations.push(Violation { property, message, span, trace });
        }
    }

    /// What the end of the program leaks, if that is to be decided.
    fn leak(&self, v: NodeId, step: &Move, end: &State) -> Option<Undefined> {
        self.interp.leak(&self.nodes[v].state, end, step.thread, self.goal?)
    }

    fn visit(&mut self, mut state: State, mut footprints: Footprints, origin: Option<Origin>) -> NodeId {
        if let Some(transactions) = &self.transactions {
            let forgets = |thread| !transactions.leaks || thread != ThreadId::MAIN;
            Liveness::forget_dead(&transactions.analysis.liveness, &mut state, forgets);
            footprints.retain(|(thread, _)| state.thread(*thread).is_some());
        }
        if let Some(&v) = self.known.get(&state) {
            let node = &mut self.nodes[v];
            if unite(&mut node.footprints, footprints) && !std::mem::replace(&mut node.is_queued, true) {
                self.queue.push_back(v);
            }
            return v;
        }
        let state = Arc::new(state);
        let visited = Visited { state: Arc::clone(&state), footprints, is_queued: true, origin };
        let v = self.nodes.push(visited);
        if self.asks_for_an_end() {
            self.steps.push(Vec::new());
        }
        self.known.insert(state, v);
        self.queue.push_back(v);
        v
    }

    /// Remembers the first reason for not having seen everything.
    pub(super) fn incomplete(&mut self, stop: Inconclusive) {
        self.found.incomplete.get_or_insert(stop);
    }

    /// `what`, and where `thread` is in `v`.
    fn at(&self, v: NodeId, thread: ThreadId, what: &str) -> String {
        match self.interp.position(&self.nodes[v].state, thread) {
            Some(position) if position.span.is_somewhere() => {
                format!("{what} at {}", span_name(self.interp.program(), position.span))
            }
            _ => what.to_owned(),
        }
    }

    /// The way to `v`, and from there the `last` moves, with threads numbered as this very execution creates them.
    pub(super) fn trace(&self, v: NodeId, last: &[Move], property: Property) -> Trace {
        let mut origins: Vec<&Origin> = Vec::new();
        let mut at = v;
        while let Some(origin) = &self.nodes[at].origin {
            origins.push(origin);
            at = origin.parent;
        }
        let mut execution = Execution::new(&self.interp);
        let mut steps = Vec::new();
        for origin in origins.into_iter().rev() {
            let Move { thread, choices } = &origin.step;
            steps.push(execution.record(*thread, &mut Scripted { rest: choices }).0);
            let mut answers = origin.answers.iter().peekable();
            for n in 0..origin.n_following {
                let transactions = self.transactions.as_ref();
                let thread = transactions.and_then(|t| t.thread(&self.interp, execution.state()));
                let thread = thread.expect("the action that was taken should be taken again");
                let given = answers.next_if(|(at, _)| *at == n).map_or(&[][..], |(_, given)| &given[..]);
                steps.push(execution.record(thread, &mut Scripted { rest: given }).0);
            }
        }
        let number = |thread: ThreadId| {
            let number = execution.created().iter().position(|id| *id == thread);
            ThreadId::new(number.expect("a thread should be created before it moves"))
        };
        let named = |step: &Move| TraceStep { thread: number(step.thread), choices: step.choices.clone() };
        steps.extend(last.iter().map(named));
        Trace { property, steps, cycle: None }
    }
}

/// Adds accesses to the footprint of a thread.
fn touch(footprints: &mut Footprints, thread: ThreadId, accesses: Vec<Access>) {
    if accesses.is_empty() {
        return;
    }
    let at = footprints.binary_search_by_key(&thread, |(id, _)| *id).unwrap_or_else(|at| {
        footprints.insert(at, (thread, Arc::default()));
        at
    });
    Arc::make_mut(&mut footprints[at].1).extend(accesses);
}

/// Adds footprints to others; returns true if some are new.
fn unite(known: &mut Footprints, new: Footprints) -> bool {
    let mut grows = false;
    for (thread, footprint) in new {
        match known.binary_search_by_key(&thread, |(id, _)| *id) {
            Ok(at) if known[at].1.includes(&footprint) => {}
            Ok(at) => {
                Arc::make_mut(&mut known[at].1).extend(footprint.iter().copied());
                grows = true;
            }
            Err(at) if !footprint.is_empty() => {
                known.insert(at, (thread, footprint));
                grows = true;
            }
            Err(_) => {}
        }
    }
    grows
}
