//! From an execution of a program with buffers written out to one of the original program on its own machine.
//!
//! Both take the same actions, and entries leave in the same order. They differ in where: the interpreter lets entries leave only at flush points, while in the program with buffers a store may
//! write through anywhere. So where an entry leaves and its thread is not at a flush point, the thread goes on to the next one first: until there it does nothing that
//! other threads can see. And the interpreter buffers stores that only their own thread can see, for which there are no slots; they leave as soon as they can.
//!
//! # Direction of error
//! None: what is returned is a candidate, which has to be replayed.

use evidence::Trace;
use program::interp::{BufferedStore, Choice, Chooser, Identity, Interp, Place, StepResult, ThreadId};
use program::trace::{Execution, TraceStep};
use program::{Program, Width};
use std::collections::VecDeque;
use weak::Buffered;
use weak::buffered::Origin;

/// A thread that has to go on further than this to let an entry leave is given up.
const MOST_STEPS: usize = 10_000;

/// The execution of `program` that `trace`, one of `buffered`, stands for; `None` if there is none.
pub(super) fn unbuffered(buffered: &Buffered, program: &Program, trace: &Trace) -> Option<Trace> {
    let steps = origins(buffered, trace)?;
    let interp = Interp::new(program).ok()?;
    let execution = Execution::new(&interp);
    let mut machine = Machine { buffered, execution, threads: Vec::new(), steps: Vec::new() };
    for (thread, origin, choices) in &steps {
        if *origin != Origin::Nothing && !matches!(origin, Origin::Leaves(_)) {
            machine.thread(*thread).coming.push_back(choices.clone());
        }
    }
    for (thread, origin, _) in steps {
        match origin {
            Origin::Action => machine.act(thread)?,
            Origin::WritesThrough => {
                machine.act(thread)?;
                machine.leave(thread, 0)?;
            }
            Origin::Leaves(slot) => machine.leave(thread, slot)?,
            Origin::Nothing => {}
        }
    }
    Some(Trace { property: trace.property, steps: machine.steps, cycle: None })
}

/// What each step of the trace does in the original program: its thread, by number, and its choices.
fn origins(buffered: &Buffered, trace: &Trace) -> Option<Vec<(usize, Origin, Vec<u128>)>> {
    let interp = Interp::new(&buffered.program).ok()?;
    let mut execution = Execution::new(&interp);
    let mut steps = Vec::new();
    for step in &trace.steps {
        let taken = execution.step(step).ok()?;
        let origin = buffered.origin(taken.position.func, taken.position.loc);
        steps.push((base::Idx::index(step.thread), origin, step.choices.clone()));
    }
    Some(steps)
}

/// A thread of the original program.
#[derive(Default)]
struct Thread {
    /// The choices of its actions that have not been taken.
    coming: VecDeque<Vec<u128>>,
    /// The number of actions that it has taken too early.
    ahead: usize,
}

/// The original program on its machine.
struct Machine<'i, 'p> {
    buffered: &'i Buffered,
    execution: Execution<'i, 'p>,
    threads: Vec<Thread>,
    steps: Vec<TraceStep>,
}

impl Machine<'_, '_> {
    fn thread(&mut self, number: usize) -> &mut Thread {
        if self.threads.len() <= number {
            self.threads.resize_with(number + 1, Thread::default);
        }
        &mut self.threads[number]
    }

    fn id(&self, number: usize) -> Option<ThreadId> {
        self.execution.created().get(number).copied()
    }

    /// For each store in the buffer of a thread whether a slot holds it.
    fn in_slots(&self, id: ThreadId) -> Vec<bool> {
        let stores = self.execution.interp().buffered(self.execution.state(), id);
        let in_slot = |store: &BufferedStore| match &store.place {
            Place::Memory { object: Identity::Static(object), .. } => self.buffered.has_slots_for(*object),
            _ => false,
        };
        stores.iter().map(in_slot).collect()
    }

    /// The choice with which a store leaves that is in no slot: no other thread sees it, so that it may as well leave at once. 0 if there is none.
    fn unseen(&self, number: usize) -> Option<usize> {
        let id = self.id(number)?;
        let in_slots = self.in_slots(id);
        let leaving = self.execution.interp().leaving(self.execution.state(), id);
        Some(leaving.iter().position(|at| !in_slots[*at]).map_or(0, |n| n + 1))
    }

    /// The next action of a thread, unless it has been taken.
    fn act(&mut self, number: usize) -> Option<()> {
        let thread = self.thread(number);
        if let Some(less) = thread.ahead.checked_sub(1) {
            thread.ahead = less;
            return Some(());
        }
        for _ in 0..MOST_STEPS {
            let unseen = self.unseen(number)?;
            if !self.step(number, unseen)? {
                return Some(());
            }
        }
        None
    }

    /// The entry of this slot leaves, as soon as its thread is where it can.
    fn leave(&mut self, number: usize, slot: usize) -> Option<()> {
        for _ in 0..MOST_STEPS {
            let id = self.id(number)?;
            let in_slots = self.in_slots(id);
            let mut entries = in_slots.iter().enumerate().filter(|(_, in_slot)| **in_slot);
            // A thread that is alone writes to memory at once.
            let Some((entry, _)) = entries.nth(slot) else {
                return in_slots.iter().all(|in_slot| !in_slot).then_some(());
            };
            let unseen = self.unseen(number)?;
            let leaving = self.execution.interp().leaving(self.execution.state(), id);
            let choice = match unseen {
                0 => leaving.iter().position(|at| *at == entry)? + 1,
                unseen => unseen,
            };
            match self.step(number, choice)? {
                true if unseen == 0 => return Some(()),
                true => {}
                false => self.thread(number).ahead += 1,
            }
        }
        None
    }

    /// A step of a thread: the chosen entry leaves, if the thread is at a flush point (then the result is true), or the thread takes its next action.
    fn step(&mut self, number: usize, leaves: usize) -> Option<bool> {
        let id = self.id(number)?;
        let inputs = self.thread(number).coming.front().cloned().unwrap_or_default();
        let mut chooser = Answers { leaves, inputs: inputs.into(), left: false };
        let (step, result) = self.execution.record(id, &mut chooser);
        if !chooser.left {
            self.thread(number).coming.pop_front();
        }
        self.steps.push(step);
        (!matches!(result, StepResult::Blocked | StepResult::NoChoice)).then_some(chooser.left)
    }
}

/// The choices of a step.
struct Answers {
    leaves: usize,
    inputs: VecDeque<u128>,
    /// True if an entry leaves.
    left: bool,
}

impl Chooser for Answers {
    fn choose(&mut self, _width: Width, what: &Choice) -> Option<u128> {
        match what {
            Choice::Leave { .. } => {
                self.left = self.leaves > 0;
                Some(self.leaves as u128)
            }
            Choice::Input(_) | Choice::Indeterminate(_) | Choice::Waiter { .. } => {
                Some(self.inputs.pop_front().unwrap_or(0))
            }
        }
    }
}
