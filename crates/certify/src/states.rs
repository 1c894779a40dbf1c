//! Checks an inductive state set: it contains the initial state, every step from a state in it leads into it, and no state
//! in it is bad. Then, by induction, no reachable state is bad.
//!
//! | condition | checked by |
//! |---|---|
//! | the initial state is in the set | [`check`] |
//! | every step of every thread, with every value of every choice, leads into the set | [`Checker::check_state`], [`Checker::check_step`] |
//! | no step violates the property, or has no known meaning | [`Checker::check_result`] |
//! | no state is a deadlock (for [`Property::NoDeadlock`]) | [`Checker::check_state`] |
//! | no state is a deadlock, and no fair execution stays in the set for ever (for [`Property::Termination`]) | [`Moves::end`] |
//! | no step ends the program with a leak (for [`Property::ValidMemtrack`] and its kin) | [`Checker::check_step`] |
//! | no state has a data race (for [`Property::NoDataRace`]) | [`Checker::check_races`] |
//!
//! States that are not in the set because an invisible action comes next are followed until the set is reached ([`invisible`]).
//!
//! Threads are tried whether or not the interpreter calls them enabled, so enabledness is not trusted here. A choice of
//! more than [`MAX_CHOICE_BITS`] bits fails the check: its values are too many to enumerate.

mod invisible;

use crate::fair::Moves;
use base::{Budget, Inconclusive};
use evidence::StateSet;
use invisible::Invisible;
use program::interp::{Choice, Chooser, Event, Interp, Limits, MemoryAccess, NoObserver, Observer};
use program::interp::{State, StepResult, ThreadId, Wakeups, span_name};
use program::{Program, Property, Width};
use rustc_hash::FxHashMap;
use std::cell::RefCell;

/// The widest choice of which all values are tried.
const MAX_CHOICE_BITS: u32 = 16;

/// Maximum number of invisible actions that are followed after one step.
const MAX_FOLLOWED: usize = 1_000_000;

pub(crate) fn check(
    program: &Program,
    property: Property,
    set: &StateSet,
    budget: &Budget,
) -> Result<(), Inconclusive> {
    let interp = Interp::with_identities(program, Limits::default(), &set.identities)?;
    let members: FxHashMap<&State, usize> = set.states.iter().enumerate().map(|(n, s)| (&**s, n)).collect();
    if !members.contains_key(&interp.initial()) {
        return Err(failed("the initial state is not in the set".to_owned()));
    }
    let invisible = Invisible::of(&interp, property, set)?;
    let checker = Checker { interp, property, members, budget, moves: RefCell::default(), invisible };
    set.states.iter().try_for_each(|state| checker.check_state(state))?;
    checker.invisible.iter().try_for_each(Invisible::are_private)?;
    checker.moves.into_inner().end()
}

fn failed(what: String) -> Inconclusive {
    Inconclusive::CheckFailed(what)
}

fn too_wide() -> Inconclusive {
    failed("an input is too wide for all its values".to_owned())
}

struct Checker<'a> {
    interp: Interp<'a>,
    property: Property,
    members: FxHashMap<&'a State, usize>,
    budget: &'a Budget,
    /// For termination: all steps.
    moves: RefCell<Moves>,
    /// Actions that are followed until the set is reached.
    invisible: Option<Invisible<'a>>,
}

impl Checker<'_> {
    fn check_state(&self, state: &State) -> Result<(), Inconclusive> {
        let no_deadlock = matches!(self.property, Property::NoDeadlock | Property::Termination);
        if no_deadlock && self.interp.is_deadlock(state) {
            return Err(failed("a state of the set is a deadlock".to_owned()));
        }
        if self.property == Property::Termination {
            let mut moves = self.moves.borrow_mut();
            moves.steps.push(Vec::new());
            moves.able.push(self.interp.runnable(state, Wakeups::OnlySignalled));
        }
        if self.property == Property::NoDataRace {
            self.check_races(state)?;
        }
        state.threads().try_for_each(|(thread, _)| self.check_step(state, thread, &mut Vec::new()))
    }

    /// No access that a thread can make next races with one that another thread can make next.
    fn check_races(&self, state: &State) -> Result<(), Inconclusive> {
        let mut others: Vec<MemoryAccess> = Vec::new();
        for (thread, _) in state.threads() {
            let mut mine = Vec::new();
            self.next_accesses(state, thread, &mut Vec::new(), &mut mine)?;
            if mine.iter().any(|access| others.iter().any(|other| access.races_with(other))) {
                return Err(failed("a state of the set has a data race".to_owned()));
            }
            others.extend(mine);
        }
        Ok(())
    }

    /// All accesses of a step whose first choices are `given`.
    fn next_accesses(
        &self,
        state: &State,
        thread: ThreadId,
        given: &mut Vec<u128>,
        found: &mut Vec<MemoryAccess>,
    ) -> Result<(), Inconclusive> {
        self.budget.check()?;
        let mut script = Script { given, used: 0, asked: None };
        let accesses = self.interp.next_accesses(state, thread, &mut script);
        let Some(n_values) = script.asked else {
            found.extend(accesses);
            return Ok(());
        };
        for value in 0..n_values.ok_or_else(too_wide)? {
            given.push(value);
            self.next_accesses(state, thread, given, found)?;
            given.pop();
        }
        Ok(())
    }

    /// All continuations of a step whose first choices are `given`: where one more value is needed, every value is
    /// tried.
    fn check_step(&self, state: &State, thread: ThreadId, given: &mut Vec<u128>) -> Result<(), Inconclusive> {
        self.budget.check()?;
        let mut next = state.clone();
        let mut script = Script { given, used: 0, asked: None };
        let (result, events) = self.taken(&mut next, thread, &mut script);
        let Some(n_values) = script.asked else {
            self.invisible.iter().for_each(|invisible| invisible.note(state, thread, &events));
            let chose = result == StepResult::Blocked && !given.is_empty();
            if self.property == Property::Termination && (result == StepResult::Continue || chose) {
                self.note_step(&next, thread);
            }
            if result == StepResult::Ended
                && let Some(leak) = self.interp.leak(state, &next, thread, self.property)
            {
                return Err(failed(format!("reachable: {leak}")));
            }
            return self.check_result(&next, result, state, thread);
        };
        for value in 0..n_values.ok_or_else(too_wide)? {
            given.push(value);
            self.check_step(state, thread, given)?;
            given.pop();
        }
        Ok(())
    }

    /// Takes a step; what happens in it is told if there are invisible actions.
    fn taken(
        &self,
        state: &mut State,
        thread: ThreadId,
        script: &mut Script<'_>,
    ) -> (StepResult, Vec<Event>) {
        let mut events = Vec::new();
        let observer: &mut dyn Observer =
            if self.invisible.is_some() { &mut events } else { &mut NoObserver };
        let result = self.interp.step(state, thread, script, observer);
        (result, events)
    }

    fn is_member(&self, state: &State) -> bool {
        match &self.invisible {
            Some(invisible) => self.members.contains_key(&invisible.without_dead_registers(state)),
            None => self.members.contains_key(state),
        }
    }

    /// Follows invisible actions from a state until the set is reached; returns false if they lead elsewhere.
    fn follow(&self, state: &State) -> Result<bool, Inconclusive> {
        let Some(invisible) = &self.invisible else { return Ok(false) };
        let mut open = vec![state.clone()];
        let mut n_followed = 0;
        while let Some(state) = open.pop() {
            if self.is_member(&state) {
                continue;
            }
            let Some(thread) = invisible.thread(&self.interp, &state) else { return Ok(false) };
            n_followed += 1;
            if n_followed > MAX_FOLLOWED {
                return Err(failed("invisible actions go on for ever".to_owned()));
            }
            self.outcomes(invisible, &state, thread, &mut Vec::new(), &mut open)?;
        }
        Ok(true)
    }

    /// All outcomes of an invisible action whose first choices are `given`.
    fn outcomes(
        &self,
        invisible: &Invisible<'_>,
        state: &State,
        thread: ThreadId,
        given: &mut Vec<u128>,
        found: &mut Vec<State>,
    ) -> Result<(), Inconclusive> {
        self.budget.check()?;
        let mut next = state.clone();
        let mut script = Script { given, used: 0, asked: None };
        let (result, events) = self.taken(&mut next, thread, &mut script);
        let Some(n_values) = script.asked else {
            invisible.claim(state, thread, (&next, &result), &events)?;
            found.push(next);
            return Ok(());
        };
        for value in 0..n_values.ok_or_else(too_wide)? {
            given.push(value);
            self.outcomes(invisible, state, thread, given, found)?;
            given.pop();
        }
        Ok(())
    }

    /// Records a step from the current state, unless it is a spurious wake-up.
    fn note_step(&self, next: &State, thread: ThreadId) {
        let mut moves = self.moves.borrow_mut();
        let able = moves.able.last().is_some_and(|able| able.contains(&thread));
        if let (Some(target), Some(steps)) = (self.members.get(next), moves.steps.last_mut())
            && able
        {
            steps.push((thread, *target));
        }
    }

    fn check_result(
        &self,
        next: &State,
        result: StepResult,
        state: &State,
        thread: ThreadId,
    ) -> Result<(), Inconclusive> {
        let bad = match result {
            StepResult::Continue | StepResult::Ended | StepResult::Blocked if self.is_member(next) => {
                return Ok(());
            }
            StepResult::Continue | StepResult::Blocked if self.follow(next)? => return Ok(()),
            StepResult::Pruned => return Ok(()),
            StepResult::Violation { property, .. } if !self.property.includes(property) => return Ok(()),
            StepResult::Continue | StepResult::Ended | StepResult::Blocked => {
                "a step leads out of the set".to_owned()
            }
            StepResult::NoChoice => "a choice has no value".to_owned(),
            StepResult::Violation { message, .. } => format!("reachable: {message}"),
            StepResult::Undefined(what) => format!("reachable undefined behaviour: {what}"),
            StepResult::Unsupported(what) => format!("reachable unsupported: {what}"),
            StepResult::Bound(what) => format!("reachable bound: {what}"),
        };
        let place = self.interp.position(state, thread).map(|p| span_name(self.interp.program(), p.span));
        Err(failed(format!("{bad} at {}", place.unwrap_or_default())))
    }
}

/// Gives the given values, then records how many values the next choice has and stops.
struct Script<'a> {
    given: &'a [u128],
    used: usize,
    /// Outer `None`: no value was missing. Inner `None`: too many values.
    asked: Option<Option<u128>>,
}

impl Chooser for Script<'_> {
    fn choose(&mut self, width: Width, what: &Choice) -> Option<u128> {
        let value = self.given.get(self.used).copied();
        self.used += 1;
        if value.is_none() {
            self.asked = Some(match what {
                Choice::Waiter { n_waiters } => Some(*n_waiters as u128),
                Choice::Leave { n_leaving, .. } => Some(*n_leaving as u128 + 1),
                Choice::Input(_) | Choice::Indeterminate(_) => {
                    (width.bits() <= MAX_CHOICE_BITS).then(|| 1 << width.bits())
                }
            });
        }
        value
    }
}
