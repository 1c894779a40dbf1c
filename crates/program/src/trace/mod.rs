//! Scripted executions: a schedule with the values that were chosen, and the one driver that executes it.
//!
//! A [`TraceStep`] says which thread moves and what the interpreter's choices are. Threads are numbered in the order
//! in which the execution *itself* creates them, so that a script means the same to everyone; an interpreter that has
//! met threads in another order has other [`ThreadId`]s for them. [`Execution`] translates between the two, in both
//! directions:
//!
//! | from | to | used by |
//! |---|---|---|
//! | a script | what happens ([`Execution::step`], [`Execution::next_accesses`]) | replay, narration, confirmation of candidates |
//! | a thread and a [`Chooser`] | the step of a script ([`Execution::record`]) | engines that write a trace down |
//!
//! # Direction of error
//! None: the driver decides nothing. What does not fit the program is a [`Misfit`], never skipped.

#[cfg(test)]
mod tests;

use crate::interp::{Choice, Chooser, Event, Interp, MemoryAccess, Position, State, StepResult, ThreadId};
use crate::{FuncId, Width};
use base::Idx;
use std::fmt;

/// One step of a scripted execution.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub struct TraceStep {
    /// The thread that takes it, by its number in the order in which *this* execution creates its threads.
    pub thread: ThreadId,
    /// The values that the interpreter needs in this step, in order.
    pub choices: Vec<u128>,
}

/// A step that was taken.
#[derive(Clone, Debug)]
pub struct Taken {
    /// The thread, by the interpreter's number.
    pub thread: ThreadId,
    /// Where the thread was before the step.
    pub position: Position,
    /// How the step ended.
    pub result: StepResult,
    /// What happened, in order; of a step that blocks, only the choices.
    pub events: Vec<Event>,
}

/// Why a step of a script cannot be taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Misfit {
    /// No thread with this number exists.
    NoSuchThread,
    /// The thread has finished.
    Finished,
    /// More values are given than the step needs.
    SurplusChoices,
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Misfit::NoSuchThread => "there is no such thread",
            Misfit::Finished => "the thread has finished",
            Misfit::SurplusChoices => "more values are given than needed",
        })
    }
}

impl std::error::Error for Misfit {}

/// An execution under way.
pub struct Execution<'i, 'p> {
    interp: &'i Interp<'p>,
    state: State,
    /// The interpreter's numbers of the threads, in order of creation.
    created: Vec<ThreadId>,
    /// Their start routines.
    routines: Vec<FuncId>,
}

impl<'i, 'p> Execution<'i, 'p> {
    /// The execution that has not begun yet.
    pub fn new(interp: &'i Interp<'p>) -> Self {
        Self {
            interp,
            state: interp.initial(),
            created: vec![ThreadId::MAIN],
            routines: vec![interp.program().entry],
        }
    }

    /// The interpreter.
    pub fn interp(&self) -> &'i Interp<'p> {
        self.interp
    }

    /// The state now.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The interpreter's numbers of all threads created so far, in order of creation.
    pub fn created(&self) -> &[ThreadId] {
        &self.created
    }

    /// The interpreter's number of the thread that a step names.
    pub fn thread(&self, step: &TraceStep) -> Result<ThreadId, Misfit> {
        self.created.get(step.thread.index()).copied().ok_or(Misfit::NoSuchThread)
    }

    /// The name of a thread, by its number in order of creation: `main`, or its start routine's with a count.
    pub fn thread_name(&self, number: usize) -> String {
        let routine = self.routines[number];
        let name = &self.interp.program().functions[routine].name;
        match number {
            0 => name.clone(),
            _ => format!("{name}#{}", self.routines[1..=number].iter().filter(|r| **r == routine).count()),
        }
    }

    /// Takes a step of a script.
    pub fn step(&mut self, step: &TraceStep) -> Result<Taken, Misfit> {
        let thread = self.thread(step)?;
        let position = self.interp.position(&self.state, thread).ok_or(Misfit::Finished)?;
        let mut choices = Scripted { rest: &step.choices };
        let (result, events) = self.take(thread, &mut choices);
        if !choices.rest.is_empty() {
            return Err(Misfit::SurplusChoices);
        }
        Ok(Taken { thread, position, result, events })
    }

    /// Takes a step of a thread, by the interpreter's number, with values from `chooser`, and writes it down.
    pub fn record(&mut self, thread: ThreadId, chooser: &mut dyn Chooser) -> (TraceStep, StepResult) {
        let number = self.created.iter().position(|id| *id == thread);
        let number = number.expect("a thread should be created before it moves");
        let mut recorder = Recorder { chooser, given: Vec::new() };
        let (result, _) = self.take(thread, &mut recorder);
        (TraceStep { thread: ThreadId::new(number), choices: recorder.given }, result)
    }

    /// What a thread is about to access in a step of a script, and where it stands; the step is not taken.
    pub fn next_accesses(&self, step: &TraceStep) -> Result<(Position, Vec<MemoryAccess>), Misfit> {
        let thread = self.thread(step)?;
        let position = self.interp.position(&self.state, thread).ok_or(Misfit::Finished)?;
        let mut choices = Scripted { rest: &step.choices };
        let accesses = self.interp.next_accesses(&self.state, thread, &mut choices);
        if choices.rest.is_empty() { Ok((position, accesses)) } else { Err(Misfit::SurplusChoices) }
    }

    /// Takes a step of a thread, by the interpreter's number: how it ended, and what happened (of a step that blocks, only
    /// the choices).
    pub fn take(&mut self, thread: ThreadId, chooser: &mut dyn Chooser) -> (StepResult, Vec<Event>) {
        let mut events: Vec<Event> = Vec::new();
        let result = self.interp.step(&mut self.state, thread, chooser, &mut events);
        if result == StepResult::Blocked {
            events.retain(|event| matches!(event, Event::Chosen { .. }));
        }
        for event in &events {
            if let Event::Started { thread, func } = event {
                self.created.push(*thread);
                self.routines.push(*func);
            }
        }
        (result, events)
    }
}

/// Gives the values of a script, one after another.
pub struct Scripted<'a> {
    /// The values that are left.
    pub rest: &'a [u128],
}

impl Chooser for Scripted<'_> {
    fn choose(&mut self, _width: Width, _what: &Choice) -> Option<u128> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }
}

/// Passes the values of another chooser on and notes them.
struct Recorder<'a> {
    chooser: &'a mut dyn Chooser,
    given: Vec<u128>,
}

impl Chooser for Recorder<'_> {
    fn choose(&mut self, width: Width, what: &Choice) -> Option<u128> {
        let value = self.chooser.choose(width, what)?;
        self.given.push(value);
        Some(value)
    }
}
