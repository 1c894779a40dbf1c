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
//! States that are not in the set because they are in the middle of a transaction are followed until the set is reached ([`transactions`]).
//!
//! Threads are tried whether or not the interpreter calls them enabled, so enabledness is not trusted here. A choice of
//! more than [`MAX_CHOICE_BITS`] bits fails the check: its values are too many to enumerate.

mod transactions;

use crate::fair::Moves;
use base::{Budget, Inconclusive};
use evidence::StateSet;
use program::interp::{Choice, Chooser, Event, Interp, Limits, MemoryAccess, NoObserver, Observer};
use program::interp::{State, StepResult, ThreadId, Wakeups, span_name};
use program::{Program, Property, Width};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;
use transactions::{Footprints, Transactions};

/// The widest choice of which all values are tried.
const MAX_CHOICE_BITS: u32 = 16;

/// After so many actions that follow others, it is seen whether they have reached the set.
const LOOKS_AFTER: usize = 1_000;

/// Maximum number of actions that are followed after one step.
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
    let transactions = Transactions::of(&interp, property, set)?;
    let checker = Checker { interp, property, members, budget, moves: RefCell::default(), transactions };
    set.states.iter().enumerate().try_for_each(|(member, state)| checker.check_state(member, state))?;
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
    /// How actions are taken together.
    transactions: Option<Transactions<'a>>,
}

impl Checker<'_> {
    fn check_state(&self, member: usize, state: &State) -> Result<(), Inconclusive> {
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
        let footprints = self.transactions.as_ref().map(|t| t.footprints(member)).unwrap_or_default();
        let mut threads = state.threads();
        threads.try_for_each(|(thread, _)| self.check_step((state, &footprints), thread, &mut Vec::new()))
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
    fn check_step(
        &self,
        (state, footprints): (&State, &Footprints),
        thread: ThreadId,
        given: &mut Vec<u128>,
    ) -> Result<(), Inconclusive> {
        self.budget.check()?;
        let mut next = state.clone();
        let mut script = Script { given, used: 0, asked: None };
        let (result, events) = self.taken(&mut next, thread, &mut script);
        let Some(n_values) = script.asked else {
            if let Some(transactions) = &self.transactions {
                transactions.interferes(state, thread, (&next, &result), &events, footprints)?;
                if result == StepResult::Ended {
                    transactions.may_end(state)?;
                }
            }
            let chose = result == StepResult::Blocked && !given.is_empty();
            if self.property == Property::Termination && (result == StepResult::Continue || chose) {
                self.note_step(&next, thread);
            }
            if result == StepResult::Ended
                && let Some(leak) = self.interp.leak(state, &next, thread, self.property)
            {
                return Err(failed(format!("reachable: {leak}")));
            }
            if result == StepResult::Blocked && !chose {
                return Ok(());
            }
            return self.check_result(&next, result, (state, footprints), thread);
        };
        for value in 0..n_values.ok_or_else(too_wide)? {
            given.push(value);
            self.check_step((state, footprints), thread, given)?;
            given.pop();
        }
        Ok(())
    }

    /// Takes a step; what happens in it is told if actions are taken together.
    fn taken(
        &self,
        state: &mut State,
        thread: ThreadId,
        script: &mut Script<'_>,
    ) -> (StepResult, Vec<Event>) {
        let mut events = Vec::new();
        let observer: &mut dyn Observer =
            if self.transactions.is_some() { &mut events } else { &mut NoObserver };
        let result = self.interp.step(state, thread, script, observer);
        (result, events)
    }

    /// Returns true if a state is in the set, and its footprints are known there.
    fn is_member(&self, state: &State, footprints: &Footprints) -> bool {
        match &self.transactions {
            Some(transactions) => {
                let member = self.members.get(&transactions.without_dead_registers(state));
                member.is_some_and(|member| transactions.covers(*member, footprints))
            }
            None => self.members.contains_key(state),
        }
    }

    /// Takes actions from a state until the set is reached; returns false if they lead elsewhere.
    ///
    /// Looking a state up is dear, so on the way this is done only now and then: where a choice has several values, after powers of two and multiples of [`LOOKS_AFTER`].
    fn follow(&self, state: &State, footprints: Footprints) -> Result<bool, Inconclusive> {
        let mut open = vec![(state.clone(), footprints, false)];
        let mut n_followed = 0usize;
        while let Some((state, footprints, has_others)) = open.pop() {
            let transactions = self.transactions.as_ref();
            let mover = transactions.and_then(|t| Some((t, t.thread(&self.interp, &state)?)));
            let now_and_then = n_followed.is_power_of_two() || n_followed.is_multiple_of(LOOKS_AFTER);
            if (has_others || now_and_then) && self.is_member(&state, &footprints) {
                continue;
            }
            let Some((transactions, thread)) = mover else {
                if self.is_member(&state, &footprints) {
                    continue;
                }
                return Ok(false);
            };
            n_followed += 1;
            if n_followed > MAX_FOLLOWED {
                return Err(failed("a transaction goes on for ever".to_owned()));
            }
            let mut after = Vec::new();
            let given = &mut Vec::new();
            if let Err(why) = self.outcomes(transactions, (&state, &footprints), thread, given, &mut after) {
                // An action that does not continue begins a transaction.
                if self.is_member(&state, &footprints) {
                    continue;
                }
                return Err(why);
            }
            let has_others = after.len() > 1;
            open.extend(after.into_iter().map(|(state, footprints)| (state, footprints, has_others)));
        }
        Ok(true)
    }

    /// All outcomes of an action that follows others, if its first choices are `given`.
    fn outcomes(
        &self,
        transactions: &Transactions<'_>,
        (state, footprints): (&State, &Footprints),
        thread: ThreadId,
        given: &mut Vec<u128>,
        found: &mut Vec<(State, Footprints)>,
    ) -> Result<(), Inconclusive> {
        self.budget.check()?;
        let mut next = state.clone();
        let mut script = Script { given, used: 0, asked: None };
        let (result, events) = self.taken(&mut next, thread, &mut script);
        let Some(n_values) = script.asked else {
            let mut touched = footprints.clone();
            transactions.follow(state, thread, (&next, &result), &events, &mut touched)?;
            found.push((next, touched));
            return Ok(());
        };
        for value in 0..n_values.ok_or_else(too_wide)? {
            given.push(value);
            self.outcomes(transactions, (state, footprints), thread, given, found)?;
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
        (state, footprints): (&State, &Footprints),
        thread: ThreadId,
    ) -> Result<(), Inconclusive> {
        // The thread's last transaction is over.
        let others = || {
            let alive = |id: &ThreadId| *id != thread && next.thread(*id).is_some();
            let others = footprints.iter().filter(|(id, _)| alive(id));
            others.map(|(id, footprint)| (*id, Rc::clone(footprint))).collect::<Footprints>()
        };
        let bad = match result {
            StepResult::Ended if self.is_member(next, &Footprints::new()) => return Ok(()),
            StepResult::Continue | StepResult::Blocked if self.follow(next, others())? => return Ok(()),
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
