//! The interpreter on random programs, which use everything the model has: it should never panic, should be
//! deterministic, and [`Interp::enabled`] should say what [`Interp::step`] does.

use base::Random;
use program::interp::{Choice, Chooser, Interp, NoObserver, State, StepResult, ThreadId, Wakeups};
use program::{Program, Width};

const N_PROGRAMS: u64 = 1_000;
const N_STEPS: usize = 200;

/// Answers with small numbers, and remembers what it said.
struct Dice<'r> {
    random: &'r mut Random,
    said: Vec<u128>,
}

impl Chooser for Dice<'_> {
    fn choose(&mut self, _width: Width, what: &Choice) -> Option<u128> {
        let n_values = if let Choice::Waiter { n_waiters } = what { *n_waiters } else { 4 };
        let value = self.random.index(n_values) as u128;
        self.said.push(value);
        Some(value)
    }
}

/// Says it all again.
struct Again<'a>(std::slice::Iter<'a, u128>);

impl Chooser for Again<'_> {
    fn choose(&mut self, _width: Width, _what: &Choice) -> Option<u128> {
        self.0.next().copied()
    }
}

/// A step that was taken: by whom, with which answers, how it went.
type Taken = (ThreadId, Vec<u128>, StepResult);

/// A random run, of which every step is checked.
fn run(interp: &Interp<'_>, random: &mut Random) -> (Vec<Taken>, State) {
    let mut state = interp.initial();
    let mut taken = Vec::new();
    while taken.len() < N_STEPS && !state.ended() {
        let threads: Vec<ThreadId> = state.threads().map(|(id, _)| id).collect();
        let thread = random.pick(&threads);
        let enabled = interp.enabled(&state, thread, Wakeups::Spurious);
        assert!(enabled || !interp.enabled(&state, thread, Wakeups::OnlySignalled));
        let before = state.clone();
        let mut dice = Dice { random, said: Vec::new() };
        let result = interp.step(&mut state, thread, &mut dice, &mut NoObserver);
        let said = dice.said;
        if result == StepResult::Blocked && said.is_empty() {
            assert!(state == before, "a blocked step should change nothing");
        }
        let blocked_at_once = result == StepResult::Blocked && said.is_empty();
        assert_eq!(enabled, !blocked_at_once, "{thread} gave {result:?}");
        let goes_on = matches!(result, StepResult::Continue | StepResult::Blocked);
        taken.push((thread, said, result));
        if !goes_on {
            break;
        }
    }
    (taken, state)
}

fn check(program: &Program, seed: u64) -> usize {
    let Ok(interp) = Interp::new(program) else { return 0 };
    let (taken, end) = run(&interp, &mut Random(seed));
    let other = Interp::new(program).expect("what worked once should work again");
    let mut state = other.initial();
    for (thread, said, result) in &taken {
        let again = other.step(&mut state, *thread, &mut Again(said.iter()), &mut Vec::new());
        assert_eq!(again, *result);
    }
    assert!(state == end, "the same run should end in the same state");
    taken.len()
}

#[test]
fn random_runs_are_sound() {
    let n_steps: usize = (0..N_PROGRAMS).map(|seed| check(&testkit::model::program(seed), seed)).sum();
    assert!(n_steps > N_PROGRAMS as usize, "some programs should run");
}
