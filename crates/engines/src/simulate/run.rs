//! An execution that is simulated: its state, and what its trace says.

use base::{Idx, Random};
use evidence::TraceStep;
use program::Width;
use program::interp::{Choice, Chooser, Event, Interp, MemoryAccess, Observer, State, StepResult, ThreadId};
use rustc_hash::FxHashMap;

/// A store leaves its buffer in one of this number of steps in which it could.
const LEAVE_ONE_IN: u64 = 12;

/// An execution under way, with random inputs.
pub(crate) struct Run<'i, 'p> {
    pub(crate) interp: &'i Interp<'p>,
    pub(crate) state: State,
    pub(crate) random: Random,
    pub(crate) steps: Vec<TraceStep>,
    /// All threads in the order of their creation, which is how traces number them.
    created: Created,
}

impl<'i, 'p> Run<'i, 'p> {
    pub(crate) fn new(interp: &'i Interp<'p>, random: Random) -> Self {
        let mut created = Created::default();
        created.add(ThreadId::MAIN);
        Self { interp, state: interp.initial(), random, steps: Vec::new(), created }
    }

    /// Takes a step.
    pub(crate) fn step(&mut self, thread: ThreadId) -> StepResult {
        let mut inputs = Inputs { random: &mut self.random, given: Vec::new() };
        let number = self.created.number(thread);
        let result = self.interp.step(&mut self.state, thread, &mut inputs, &mut self.created);
        self.steps.push(TraceStep { thread: number, choices: inputs.given });
        result
    }

    /// What a thread is about to access, and the step in which it does.
    pub(crate) fn next_accesses(&mut self, thread: ThreadId) -> (TraceStep, Vec<MemoryAccess>) {
        let mut inputs = Inputs { random: &mut self.random, given: Vec::new() };
        let accesses = self.interp.next_accesses(&self.state, thread, &mut inputs);
        let number = self.created.number(thread);
        (TraceStep { thread: number, choices: inputs.given }, accesses)
    }

    /// The thread that was created after the first `n`, if there is one.
    pub(crate) fn created_after(&self, n: usize) -> Option<ThreadId> {
        self.created.order.get(n).copied()
    }
}

/// Notes which threads are created.
#[derive(Default)]
struct Created {
    order: Vec<ThreadId>,
    numbers: FxHashMap<ThreadId, ThreadId>,
}

impl Created {
    fn add(&mut self, thread: ThreadId) {
        self.numbers.insert(thread, ThreadId::new(self.order.len()));
        self.order.push(thread);
    }

    fn number(&self, thread: ThreadId) -> ThreadId {
        *self.numbers.get(&thread).expect("a thread should be created before it moves")
    }
}

impl Observer for Created {
    fn event(&mut self, event: Event) {
        if let Event::Started { thread, .. } = event {
            self.add(thread);
        }
    }
}

/// Answers at random, and remembers what it said.
struct Inputs<'a> {
    random: &'a mut Random,
    given: Vec<u128>,
}

impl Chooser for Inputs<'_> {
    fn choose(&mut self, width: Width, what: &Choice) -> Option<u128> {
        let value = match what {
            Choice::Waiter { n_waiters } => u128::from(self.random.below(*n_waiters as u64)),
            // A store that stays in its buffer for long is what others do not expect.
            Choice::Leave { may_go_on: true, .. } if self.random.below(LEAVE_ONE_IN) > 0 => 0,
            Choice::Leave { n_leaving, .. } => u128::from(1 + self.random.below(*n_leaving as u64)),
            // Small numbers pass more of a program's own checks.
            _ => match self.random.below(8) {
                0 => u128::from(self.random.number()),
                1 => width.mask() >> self.random.below(2),
                2 => u128::from(self.random.below(64)),
                _ => u128::from(self.random.below(3)),
            },
        };
        let value = if matches!(what, Choice::Waiter { .. } | Choice::Leave { .. }) {
            value
        } else {
            width.truncate(value)
        };
        self.given.push(value);
        Some(value)
    }
}
