//! Waits for the rows of a batch, and for what Slurm says about the elements that write none.

use super::super::Journal;
use super::super::rows::Row;
use super::batch::Batch;
use super::{Numbered, add, queue};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How often an element that was killed begins again.
pub const REQUEUES: u8 = 2;

/// Between two looks at the folder: the older the batch, the longer.
const FOLDER: (Duration, Duration) = (Duration::from_millis(200), Duration::from_secs(5));
/// Between two looks at the queue, which costs the controller more.
const QUEUE: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(20));

/// Between two looks at Ctrl-C.
const PAUSE: Duration = Duration::from_millis(50);

struct Collector<'b> {
    batch: &'b Batch,
    /// The tasks without a row, by their place in the batch.
    waiting: BTreeMap<usize, Numbered>,
    /// Elements that had ended at the last look at the queue. Their rows may have come since; what has none at the next look is missing.
    ended: BTreeSet<usize>,
    requeued: BTreeMap<usize, u8>,
}

/// Counts rows until each open task of the batch has one, or `cancelled` is true. At the end a task that got none gets one that says why.
pub fn collect(batch: &Batch, open: &mut Vec<Numbered>, cancelled: &AtomicBool, journal: &mut Journal<'_>) {
    let waiting = batch.places_of(open);
    let mut collector = Collector { batch, waiting, ended: BTreeSet::new(), requeued: BTreeMap::new() };
    let start = Instant::now();
    let (mut folder_seen, mut queue_seen) = (start, start);
    while !collector.waiting.is_empty() {
        if cancelled.load(Ordering::Relaxed) {
            let job = &batch.job;
            journal.say(&format!(
                "job array {job} goes on: `scancel {job}` ends it; the same command with --resume collects its rows and runs the rest\n"
            ));
            return;
        }
        let due = |seen: Instant, (least, most)| seen.elapsed() > (start.elapsed() / 20).clamp(least, most);
        if due(queue_seen, QUEUE) {
            collector.look_at_folder(open, journal);
            collector.look_at_queue(open, journal);
            queue_seen = Instant::now();
        } else if due(folder_seen, FOLDER) {
            collector.look_at_folder(open, journal);
            folder_seen = Instant::now();
        }
        journal.tick();
        std::thread::sleep(PAUSE);
    }
}

impl Collector<'_> {
    fn look_at_folder(&mut self, open: &mut Vec<Numbered>, journal: &mut Journal<'_>) {
        for place in self.batch.written() {
            let Some((n, task)) = self.waiting.get(&place) else { continue };
            if let Some(row) = self.batch.row(place, task) {
                add(journal, open, *n, row);
                self.waiting.remove(&place);
            }
        }
    }

    fn look_at_queue(&mut self, open: &mut Vec<Numbered>, journal: &mut Journal<'_>) {
        let elements = match queue::elements(&self.batch.job) {
            Ok(elements) => elements,
            // Controllers are restarted now and then, and the elements run on.
            Err(message) => return journal.say(&format!("warning: {message}\n")),
        };
        let waiting: BTreeSet<usize> =
            self.waiting.keys().map(|place| place % self.batch.n_elements).collect();
        let ended: BTreeSet<usize> = waiting
            .into_iter()
            .filter(|number| !elements.get(number).is_some_and(queue::Element::is_live))
            .collect();
        let before = std::mem::take(&mut self.ended);
        for number in ended {
            let end = elements.get(&number);
            if !before.contains(&number) {
                self.ended.insert(number);
            } else if !(end.is_some_and(queue::Element::was_killed) && self.requeue(number, journal)) {
                self.give_up(number, end, open, journal);
            }
        }
    }

    /// Returns true if the element begins again.
    fn requeue(&mut self, number: usize, journal: &mut Journal<'_>) -> bool {
        let requeued = self.requeued.entry(number).or_default();
        if *requeued == REQUEUES {
            return false;
        }
        *requeued += 1;
        let element = format!("{}_{number}", self.batch.job);
        match queue::requeue(&self.batch.job, number) {
            Ok(()) => {
                journal.say(&format!("{element} was killed: it is requeued\n"));
                true
            }
            Err(message) => {
                journal.say(&format!("{element} was killed, and cannot be requeued: {message}\n"));
                false
            }
        }
    }

    fn give_up(
        &mut self,
        number: usize,
        end: Option<&queue::Element>,
        open: &mut Vec<Numbered>,
        journal: &mut Journal<'_>,
    ) {
        let (why, hint) = match end {
            None => ("the element is no longer known".to_owned(), ""),
            Some(end) if end.state == "COMPLETED" => (end.state.clone(), "do all nodes see the folder?"),
            Some(end) => (end.described(), ""),
        };
        let n_elements = self.batch.n_elements;
        let lost: Vec<usize> =
            self.waiting.keys().copied().filter(|place| place % n_elements == number).collect();
        let said = Some(self.batch.last_line(number)).filter(|said| !said.is_empty());
        let message = said.unwrap_or_else(|| hint.to_owned());
        for place in lost {
            let Some((n, task)) = self.waiting.remove(&place) else { continue };
            let verdict = format!("no row (slurm: {why})");
            add(journal, open, n, Row { message: message.clone(), ..Row::failed(&task, verdict) });
        }
    }
}
