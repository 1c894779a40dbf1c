//! How long and how much: wall time, memory and cancellation, checked in every search loop.
//!
//! [`Budget::check`] is cheap enough for inner loops: the clock is read and the process's memory is sampled only
//! every so often. All clones of a budget share one cancellation flag and
//! one count of nodes, for the display of progress.

use crate::Inconclusive;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// A limit on time and memory, and a flag that requests an early end.
#[derive(Clone, Debug)]
pub struct Budget {
    start: Instant,
    deadline: Option<Instant>,
    memory: Option<u64>,
    cancelled: Arc<AtomicBool>,
    ticks: Arc<AtomicU32>,
    nodes: Arc<AtomicU64>,
}

/// Between two looks at the clock; a step of any engine takes far less than 1 ms.
const TICKS_PER_CLOCK: u32 = 64;
/// Between two looks at the process's memory.
const TICKS_PER_SAMPLE: u32 = 1024;

impl Budget {
    /// No limit at all, but cancellable.
    pub fn unlimited() -> Self {
        Self::new(None, None)
    }

    /// A budget that starts now.
    pub fn new(time: Option<Duration>, memory: Option<u64>) -> Self {
        let start = Instant::now();
        Self {
            start,
            deadline: time.and_then(|t| start.checked_add(t)),
            memory,
            cancelled: Arc::default(),
            ticks: Arc::default(),
            nodes: Arc::default(),
        }
    }

    /// Publishes how many nodes or states there are so far.
    pub fn tell_nodes(&self, nodes: usize) {
        self.nodes.store(nodes as u64, Ordering::Relaxed);
    }

    /// What was last told about nodes or states.
    pub fn nodes(&self) -> u64 {
        self.nodes.load(Ordering::Relaxed)
    }

    /// The flag that, once set, makes every later [`check`](Self::check) fail.
    pub fn cancel_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.cancelled)
    }

    /// Time since the budget was made.
    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// A budget that ends after a share of the time that is left; memory and cancellation are the same.
    pub fn share(&self, part: f64) -> Self {
        let now = Instant::now();
        let left = self.deadline.map(|d| d.saturating_duration_since(now).mul_f64(part.clamp(0.0, 1.0)));
        Self { deadline: left.and_then(|left| now.checked_add(left)), ticks: Arc::default(), ..self.clone() }
    }

    /// The same, but not longer than this from now on.
    pub fn within(&self, time: Duration) -> Self {
        let earlier = Instant::now().checked_add(time);
        let deadline = match (self.deadline, earlier) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        Self { deadline, ticks: Arc::default(), ..self.clone() }
    }

    /// Returns true if the time is over or the work was cancelled; looks at the clock every time.
    pub fn is_over(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed) || self.deadline.is_some_and(|d| Instant::now() >= d)
    }

    /// Whether work may go on.
    pub fn check(&self) -> Result<(), Inconclusive> {
        if self.cancelled.load(Ordering::Relaxed) {
            return Err(Inconclusive::Cancelled);
        }
        let tick = self.ticks.fetch_add(1, Ordering::Relaxed);
        if tick.is_multiple_of(TICKS_PER_CLOCK) && self.deadline.is_some_and(|d| Instant::now() >= d) {
            return Err(Inconclusive::OutOfTime);
        }
        if tick.is_multiple_of(TICKS_PER_SAMPLE) && self.memory.is_some_and(|m| resident_bytes() > m) {
            return Err(Inconclusive::OutOfMemory);
        }
        Ok(())
    }
}

/// The memory this process holds now, in bytes; 0 where the system does not tell.
pub fn resident_bytes() -> u64 {
    status_field("VmRSS:")
}

/// The most memory this process has held, in bytes; 0 where the system does not tell.
pub fn peak_bytes() -> u64 {
    status_field("VmHWM:")
}

fn status_field(name: &str) -> u64 {
    let Ok(status) = std::fs::read_to_string("/proc/self/status") else { return 0 };
    let line = status.lines().find_map(|l| l.strip_prefix(name));
    let kib = line.and_then(|l| l.split_whitespace().next()).and_then(|n| n.parse::<u64>().ok());
    kib.unwrap_or(0) * 1024
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_stop_the_work() {
        assert_eq!(Budget::unlimited().check(), Ok(()));
        assert_eq!(Budget::new(Some(Duration::ZERO), None).check(), Err(Inconclusive::OutOfTime));
        assert_eq!(Budget::new(None, Some(1)).check(), Err(Inconclusive::OutOfMemory));
        assert_eq!(Budget::unlimited().within(Duration::ZERO).check(), Err(Inconclusive::OutOfTime));
        let part = Budget::new(Some(Duration::from_secs(1000)), None).share(0.0);
        assert_eq!(part.check(), Err(Inconclusive::OutOfTime));
        assert_eq!(Budget::unlimited().share(0.0).check(), Ok(()));
        let budget = Budget::unlimited();
        budget.share(0.5).clone().cancel_flag().store(true, Ordering::Relaxed);
        assert_eq!(budget.check(), Err(Inconclusive::Cancelled));
    }

    #[test]
    fn clones_tell_each_other_about_nodes() {
        let budget = Budget::unlimited();
        budget.clone().tell_nodes(7);
        assert_eq!(budget.nodes(), 7);
    }
}
