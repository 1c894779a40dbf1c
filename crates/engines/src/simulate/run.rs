//! An execution that is simulated: its state, and what its trace says.

use base::{Idx, Random};
use evidence::TraceStep;
use program::interp::{Choice, Chooser, Event, Interp, MemoryAccess, Observer, State, StepResult, ThreadId};
use program::{Expr, Program, Width};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// A store leaves its buffer in one of this number of steps in which it could.
const LEAVE_ONE_IN: u64 = 12;
/// In one of this number of executions, bytes from outside are the digits of numbers, and there are many of them.
const READS_NUMBERS_ONE_IN: u64 = 4;
/// Maximum number of constants that inputs are taken from.
const MAX_CONSTANTS: usize = 256;

/// An execution under way, with random inputs.
pub(crate) struct Run<'i, 'p> {
    pub(crate) interp: &'i Interp<'p>,
    pub(crate) state: State,
    pub(crate) random: Random,
    pub(crate) steps: Vec<TraceStep>,
    /// All threads in the order of their creation, which is how traces number them.
    created: Created,
    constants: &'i Constants,
    /// True if bytes from outside are mostly digits.
    reads_numbers: bool,
}

impl<'i, 'p> Run<'i, 'p> {
    pub(crate) fn new(interp: &'i Interp<'p>, constants: &'i Constants, mut random: Random) -> Self {
        let mut created = Created::default();
        created.add(ThreadId::MAIN);
        let reads_numbers = random.one_in(READS_NUMBERS_ONE_IN);
        let (state, steps) = (interp.initial(), Vec::new());
        Self { interp, state, random, steps, created, constants, reads_numbers }
    }

    /// Takes a step.
    pub(crate) fn step(&mut self, thread: ThreadId) -> StepResult {
        let number = self.created.number(thread);
        let Self { interp, state, random, created, constants, reads_numbers, .. } = self;
        let mut inputs = Inputs { random, constants, reads_numbers: *reads_numbers, given: Vec::new() };
        let result = interp.step(state, thread, &mut inputs, created);
        self.steps.push(TraceStep { thread: number, choices: inputs.given });
        result
    }

    /// What a thread is about to access, and the step in which it does.
    pub(crate) fn next_accesses(&mut self, thread: ThreadId) -> (TraceStep, Vec<MemoryAccess>) {
        let number = self.created.number(thread);
        let Self { interp, state, random, constants, reads_numbers, .. } = self;
        let mut inputs = Inputs { random, constants, reads_numbers: *reads_numbers, given: Vec::new() };
        let accesses = interp.next_accesses(state, thread, &mut inputs);
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
    constants: &'a Constants,
    reads_numbers: bool,
    given: Vec<u128>,
}

impl Chooser for Inputs<'_> {
    fn choose(&mut self, width: Width, what: &Choice) -> Option<u128> {
        let value = match what {
            Choice::Waiter { n_waiters } => u128::from(self.random.below(*n_waiters as u64)),
            // A store that stays in its buffer for long is what others do not expect.
            Choice::Leave { may_go_on: true, .. } if self.random.below(LEAVE_ONE_IN) > 0 => 0,
            Choice::Leave { n_leaving, .. } => u128::from(1 + self.random.below(*n_leaving as u64)),
            _ if self.reads_numbers && width == Width::BYTE && !self.random.one_in(16) => self.digit(),
            // Before each byte the input may end.
            _ if self.reads_numbers && width == Width::BOOL => u128::from(self.random.one_in(16)),
            // Small numbers pass more of a program's own checks.
            _ => match self.random.below(8) {
                0 => u128::from(self.random.number()),
                1 => width.mask() >> self.random.below(2),
                2 => u128::from(self.random.below(64)),
                3 => self.constants.near_one(self.random),
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

impl Inputs<'_> {
    /// A character that numbers are written with.
    fn digit(&mut self) -> u128 {
        match self.random.below(32) {
            0 => u128::from(b'-'),
            1 => u128::from(b'\n'),
            2 => 0,
            _ => u128::from(b'0') + u128::from(self.random.below(10)),
        }
    }
}

/// Numbers that the program itself mentions: its checks are about these and their neighbours.
#[derive(Default)]
pub(crate) struct Constants(Vec<u128>);

impl Constants {
    pub(crate) fn of(program: &Program) -> Self {
        let mut found = BTreeSet::new();
        for function in program.functions.iter().filter(|function| !function.library) {
            for location in &function.locations {
                location.action.each_expr(&mut |e| {
                    e.walk(&mut |part| {
                        if let Expr::Const(value, width) = part
                            && *width != Width::BOOL
                            && found.len() < MAX_CONSTANTS
                        {
                            found.insert(*value);
                        }
                    });
                });
            }
        }
        Self(found.into_iter().collect())
    }

    /// One of them, or a number next to it.
    fn near_one(&self, random: &mut Random) -> u128 {
        if self.0.is_empty() {
            return 0;
        }
        let constant = random.pick(&self.0);
        constant.wrapping_add(u128::from(random.below(3))).wrapping_sub(1)
    }
}
