//! The boundary around everything that can take long, run away or panic.
//!
//! Work runs in a thread of its own while this one watches the clock, the memory and the cancellation flag. Engines keep to their
//! [`Budget`] by themselves; the watch is for what does not check it often enough, such as the front end on huge input.
//! Such work is abandoned: the caller reports what it knows. A panic is caught here, so that a bug never looks like a verdict.

use crate::units::Bytes;
use base::{Budget, Inconclusive};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// How long work may go on after it was told to stop.
const GRACE: Duration = Duration::from_millis(700);
/// Between two looks at clock, memory and the cancellation flag.
const TICK: Duration = Duration::from_millis(100);
/// Room for the deep recursion of trees; only what is touched is ever allocated.
const STACK: usize = 256 << 20;

/// What is allowed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Wall time.
    pub(crate) time: Option<Duration>,
    /// Resident memory.
    pub(crate) memory: Option<Bytes>,
}

/// How far the work is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Status {
    /// Time since the beginning.
    pub elapsed: Duration,
    /// The time limit.
    pub limit: Option<Duration>,
    /// The number of nodes or states so far; 0 if it is not known.
    pub n_nodes: u64,
    /// The memory that the process holds.
    pub memory: Bytes,
}

/// Why work did not come to its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Abandoned {
    /// It was told to stop and did not.
    Stopped(Inconclusive),
    /// It panicked.
    Panicked,
}

type Done<T> = Result<T, Box<dyn Any + Send>>;

/// Runs `work` under `limits` until it ends or `cancelled` is set, and tells `observer` how far it is.
pub(crate) fn run<T: Send + 'static>(
    limits: Limits,
    cancelled: &AtomicBool,
    observer: &dyn Fn(&Status),
    work: impl FnOnce(Budget) -> T + Send + 'static,
) -> Result<T, Abandoned> {
    let budget = Budget::new(limits.time, limits.memory.map(|m| m.0));
    let (sender, receiver) = channel();
    let for_work = budget.clone();
    let spawned = std::thread::Builder::new().name("work".into()).stack_size(STACK).spawn(move || {
        let done = catch_unwind(AssertUnwindSafe(|| work(for_work)));
        let _ = sender.send(done);
    });
    match spawned {
        Ok(_) => watch(&receiver, limits, cancelled, observer, &budget),
        Err(_) => Err(Abandoned::Stopped(Inconclusive::OutOfMemory)),
    }
}

fn watch<T>(
    receiver: &Receiver<Done<T>>,
    limits: Limits,
    cancelled: &AtomicBool,
    observer: &dyn Fn(&Status),
    budget: &Budget,
) -> Result<T, Abandoned> {
    let mut stop: Option<(Inconclusive, Instant)> = None;
    loop {
        match receiver.recv_timeout(TICK) {
            Ok(done) => return done.map_err(|_| Abandoned::Panicked),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Err(Abandoned::Panicked),
        }
        if cancelled.load(Ordering::Relaxed) {
            budget.cancel_flag().store(true, Ordering::Relaxed);
        }
        if stop.is_none() {
            stop = exceeded(limits, budget).map(|why| (why, Instant::now()));
        }
        if let Some((why, since)) = &stop
            && since.elapsed() > GRACE
        {
            // The thread cannot be ended from here; it ends when it checks its budget.
            budget.cancel_flag().store(true, Ordering::Relaxed);
            return Err(Abandoned::Stopped(why.clone()));
        }
        observer(&status(limits, budget));
    }
}

fn exceeded(limits: Limits, budget: &Budget) -> Option<Inconclusive> {
    if budget.cancel_flag().load(Ordering::Relaxed) {
        Some(Inconclusive::Cancelled)
    } else if limits.time.is_some_and(|t| budget.elapsed() > t) {
        Some(Inconclusive::OutOfTime)
    } else if limits.memory.is_some_and(|m| base::budget::resident_bytes() > m.0) {
        Some(Inconclusive::OutOfMemory)
    } else {
        None
    }
}

fn status(limits: Limits, budget: &Budget) -> Status {
    Status {
        elapsed: budget.elapsed(),
        limit: limits.time,
        n_nodes: budget.nodes(),
        memory: Bytes(base::budget::resident_bytes()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits { time: None, memory: None };

    #[test]
    fn work_that_panics_is_abandoned() {
        let never = AtomicBool::new(false);
        assert_eq!(run(LIMITS, &never, &|_| (), |_| 7), Ok(7));
        assert_eq!(
            run(LIMITS, &never, &|_| (), |_| -> u8 { panic!("on purpose") }),
            Err(Abandoned::Panicked)
        );
    }

    #[test]
    fn work_that_does_not_stop_is_left_behind() {
        let cancelled = AtomicBool::new(true);
        let work = |_| std::thread::sleep(Duration::from_secs(5));
        let stopped = Abandoned::Stopped(Inconclusive::Cancelled);
        assert_eq!(run(LIMITS, &cancelled, &|_| (), work), Err(stopped));
    }
}
