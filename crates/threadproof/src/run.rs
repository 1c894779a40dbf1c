//! `threadproof run`: one schedule, chosen at random, and what happened in it.
//!
//! The seed decides everything: the same seed gives the same run. The schedule is sticky (a thread goes on with
//! probability 7/8), because a run in which every step is another thread's is hard to read; inputs are mostly small,
//! because small numbers pass more of the programs' own checks.

use crate::args::RunArgs;
use crate::output::{self, Exit};
use base::Random;
use program::interp::{Choice, Chooser, Interp, State, StepResult, ThreadId, Wakeups};
use program::trace::Execution;
use program::{Program, Width};
use report::{Lanes, Narrator, Sources, TerminalStyle, lanes};

/// Runs and prints; the exit code says whether something went wrong.
pub fn run(args: &RunArgs) -> Exit {
    let Some((program, files)) = output::load_or_explain(&args.inputs, &args.source) else {
        return Exit::BadInput;
    };
    let mut sources = Sources::new(&files);
    match simulate(&program, &mut sources, args.seed, args.steps) {
        Ok((lanes, exit)) => {
            output::out(&lanes::render(&lanes, TerminalStyle::of_stdout()));
            exit
        }
        Err(stop) => {
            output::err(&format!("error: {stop}\n"));
            Exit::Unknown
        }
    }
}

/// Answers at random.
struct Answers(Random);

impl Chooser for Answers {
    fn choose(&mut self, _width: Width, what: &Choice) -> Option<u128> {
        Some(match what {
            Choice::Waiter { n_waiters } => u128::from(self.0.below(*n_waiters as u64)),
            Choice::Leave { may_go_on: true, .. } if self.0.below(4) > 0 => 0,
            Choice::Leave { n_leaving, .. } => u128::from(1 + self.0.below(*n_leaving as u64)),
            Choice::Input(_) | Choice::Indeterminate(_) if self.0.below(4) > 0 => u128::from(self.0.below(4)),
            Choice::Input(_) | Choice::Indeterminate(_) => {
                u128::from(self.0.number()) << 64 | u128::from(self.0.number())
            }
        })
    }
}

fn simulate(
    program: &Program,
    sources: &mut Sources,
    seed: u64,
    most_steps: usize,
) -> Result<(Lanes, Exit), base::Inconclusive> {
    let interp = Interp::new(program)?;
    let mut narrator = Narrator::new(&interp, sources);
    let mut answers = Answers(Random(seed));
    let mut execution = Execution::new(&interp);
    let mut last = ThreadId::MAIN;
    for _ in 0..most_steps {
        let Some(thread) = next_thread(&interp, execution.state(), last, &mut answers.0) else {
            let (ending, exit) = standstill(&interp, execution.state(), &mut narrator);
            return Ok((narrator.finish(ending), exit));
        };
        let before = execution.state().clone();
        let (result, events) = execution.take(thread, &mut answers);
        narrator.step(&before, thread, &events, execution.state());
        if let Some((ending, exit)) = ended(&result, &narrator, &before, thread) {
            return Ok((narrator.finish(ending), exit));
        }
        last = thread;
    }
    let ending = vec![format!("stopped after {most_steps} steps (--steps)")];
    Ok((narrator.finish(ending), Exit::Fine))
}

fn next_thread(interp: &Interp<'_>, state: &State, last: ThreadId, random: &mut Random) -> Option<ThreadId> {
    let runnable = interp.runnable(state, Wakeups::OnlySignalled);
    if runnable.contains(&last) && random.below(8) > 0 {
        return Some(last);
    }
    runnable.get(random.index(runnable.len())).copied()
}

/// How an execution ends in which no thread can move.
fn standstill(interp: &Interp<'_>, state: &State, narrator: &mut Narrator<'_, '_>) -> (Vec<String>, Exit) {
    if interp.is_deadlock(state) {
        (narrator.deadlock(state), Exit::Violated)
    } else if interp.is_blocked_in_atomic(state) {
        (
            vec!["stopped: a thread is blocked inside an atomic section, so this run does not count".into()],
            Exit::Fine,
        )
    } else {
        (vec!["the program ended".into()], Exit::Fine)
    }
}

/// How a run ends with this step, if it does.
fn ended(
    result: &StepResult,
    narrator: &Narrator<'_, '_>,
    before: &State,
    thread: ThreadId,
) -> Option<(Vec<String>, Exit)> {
    let place = || narrator.whereabouts(before, thread);
    match result {
        StepResult::Continue | StepResult::Blocked => None,
        StepResult::Ended => Some((vec!["the program ended".into()], Exit::Fine)),
        StepResult::Pruned => Some((vec!["stopped: an assumption failed".into(), place()], Exit::Fine)),
        StepResult::NoChoice => unreachable!("the random chooser should always choose"),
        StepResult::Violation { message, .. } => Some((vec![message.clone(), place()], Exit::Violated)),
        StepResult::Undefined(what) => {
            Some((vec![format!("undefined behaviour: {what}"), place()], Exit::Unknown))
        }
        StepResult::Unsupported(what) => Some((vec![format!("unsupported: {what}"), place()], Exit::Unknown)),
        StepResult::Bound(what) => Some((vec![format!("bound: {what}"), place()], Exit::Unknown)),
    }
}
