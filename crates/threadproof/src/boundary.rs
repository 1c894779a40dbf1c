//! The boundary around everything that can take long, run away or panic.
//!
//! Work runs in a thread of its own while this one watches the clock, the memory and Ctrl-C. Engines keep to their
//! [`Budget`] by themselves; the watch is for what does not ask it often enough, such as the front end on huge input.
//! Such work is abandoned: the caller reports what it knows and ends the process. A panic is caught here, so that a
//! bug never looks like a verdict.

use crate::args::units::Bytes;
use crate::interrupt::on_interrupt;
use crate::output;
use base::{Budget, Inconclusive};
use report::progress::Progress;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// How long work may go on after it was asked to stop.
const GRACE: Duration = Duration::from_millis(700);
/// Between two looks at clock and memory.
const TICK: Duration = Duration::from_millis(100);
/// Room for the deep recursion of trees; only what is touched is ever allocated.
const STACK: usize = 256 << 20;

/// What is allowed.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Wall time.
    pub time: Option<Duration>,
    /// Resident memory.
    pub memory: Option<Bytes>,
}

/// Why work did not come to its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Abandoned {
    /// It was asked to stop and did not.
    Stopped(Inconclusive),
    /// It panicked.
    Panicked,
}

enum Message<T> {
    Done(Result<T, Box<dyn Any + Send>>),
    Interrupted,
}

/// Runs `work` under `limits`, showing `doing` while it takes long.
///
/// At most once in a process: Ctrl-C has one handler.
pub fn run<T: Send + 'static>(
    limits: Limits,
    doing: &str,
    work: impl FnOnce(Budget) -> T + Send + 'static,
) -> Result<T, Abandoned> {
    let budget = Budget::new(limits.time, limits.memory.map(|m| m.0));
    let (sender, receiver) = channel();
    let interrupted = sender.clone();
    on_interrupt(budget.cancel_flag(), move || {
        let _ = interrupted.send(Message::Interrupted);
    });
    let for_work = budget.clone();
    let spawned = std::thread::Builder::new().name("work".into()).stack_size(STACK).spawn(move || {
        let done = catch_unwind(AssertUnwindSafe(|| work(for_work)));
        let _ = sender.send(Message::Done(done));
    });
    if let Err(error) = spawned {
        output::err(&format!("error: cannot start a thread: {error}\n"));
        return Err(Abandoned::Stopped(Inconclusive::OutOfMemory));
    }
    watch(&receiver, limits, &budget, doing)
}

fn watch<T>(
    receiver: &Receiver<Message<T>>,
    limits: Limits,
    budget: &Budget,
    doing: &str,
) -> Result<T, Abandoned> {
    let mut progress = Progress::new();
    let mut stop: Option<(Inconclusive, Instant)> = None;
    loop {
        match receiver.recv_timeout(TICK) {
            Ok(Message::Done(done)) => return done.map_err(|_| Abandoned::Panicked),
            Ok(Message::Interrupted) => stop = Some((Inconclusive::Cancelled, Instant::now())),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Err(Abandoned::Panicked),
        }
        if stop.is_none() {
            stop = exceeded(limits, budget).map(|s| (s, Instant::now()));
        }
        if let Some((stop, since)) = &stop
            && since.elapsed() > GRACE
        {
            return Err(Abandoned::Stopped(stop.clone()));
        }
        progress.show(|| status(doing, limits, budget));
    }
}

fn exceeded(limits: Limits, budget: &Budget) -> Option<Inconclusive> {
    if limits.time.is_some_and(|t| budget.elapsed() > t) {
        Some(Inconclusive::OutOfTime)
    } else if limits.memory.is_some_and(|m| base::budget::resident_bytes() > m.0) {
        Some(Inconclusive::OutOfMemory)
    } else {
        None
    }
}

fn status(doing: &str, limits: Limits, budget: &Budget) -> String {
    let elapsed = budget.elapsed().as_secs();
    let of = limits.time.map(|t| format!(" of {} s", t.as_secs())).unwrap_or_default();
    let megabytes = base::budget::resident_bytes() / 1_000_000;
    let nodes = match budget.nodes() {
        0 => String::new(),
        n => format!(", {n} nodes"),
    };
    format!("{doing}: {elapsed} s{of}{nodes}, {megabytes} MB (Ctrl-C stops)")
}

/// Makes panics say that they are bugs of ours. Only the first one of a process speaks: those that follow, as it
/// passes from thread to thread, say nothing new.
pub fn install_panic_message() {
    static SPOKEN: AtomicBool = AtomicBool::new(false);
    std::panic::set_hook(Box::new(|panic| {
        if SPOKEN.swap(true, Ordering::Relaxed) {
            return;
        }
        let payload = panic.payload();
        let text = payload.downcast_ref::<&str>().copied();
        let text =
            text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message");
        let place = panic.location().map(|l| format!(" at {}:{}", l.file(), l.line())).unwrap_or_default();
        let backtrace = std::backtrace::Backtrace::capture();
        let trace = match backtrace.status() {
            std::backtrace::BacktraceStatus::Captured => format!("{backtrace}\n"),
            _ => String::new(),
        };
        output::err(&format!(
            "internal error: {text}{place}\n{trace}\
             This is a bug in threadproof; please report it together with the program.\n"
        ));
    }));
}
