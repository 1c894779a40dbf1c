//! `bench --slurm DIR`: the tasks as one job array of Slurm, which decides what runs where and when. There is no scheduler of our own.
//!
//! | file in `DIR/batch-N` | is |
//! |---|---|
//! | `tasks.json` | the tasks, in the order of their numbers, and the number of elements of the array |
//! | `job.sh` | what every element runs: this very command line, told by [`ELEMENT`] that it is an element |
//! | `job` | the array's number in Slurm |
//! | `rows/K.json` | the row of task K, as `--json` writes it |
//! | `log-E.txt` | what element E said |
//!
//! Element E of n runs the tasks E, E + n, E + 2n, …; a cluster limits the number of elements (`MaxArraySize`). A row is written beside its place and moved there,
//! and a task that has a row is not run again. So an element that is killed and requeued goes on where it was, and a row is counted once, however
//! often its task was begun.
//!
//! Slurm requeues an element whose node fails (`--requeue`). One that was killed on a healthy node it calls failed; [`collect`] requeues that at
//! most [`collect::REQUEUES`] times. What still has no row gets one that says why, with the status `error`; `--resume` runs it again.

mod batch;
mod collect;
mod element;
mod queue;

use super::Journal;
use super::rows::{Row, Status};
use super::task::Task;
use crate::args::BenchArgs;
use crate::output;
use batch::Batch;
pub use element::{ELEMENT, run as run_element};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// A task with its number in the run.
type Numbered = (usize, Task);

/// Submits the tasks and collects their rows; with `--resume` first what earlier batches in `folder` have left.
pub fn run_all(
    exe: &Path,
    folder: &Path,
    mut open: Vec<Numbered>,
    args: &BenchArgs,
    cancelled: &AtomicBool,
    journal: &mut Journal<'_>,
) -> Result<(), String> {
    let most_elements = queue::max_elements()?;
    let earlier = batch::all(folder)?;
    if !earlier.is_empty() && !args.resume {
        let folder = folder.display();
        return Err(format!(
            "`{folder}` holds an earlier run: --resume collects its rows and runs the rest; another folder begins anew"
        ));
    }
    for batch in earlier.iter().rev() {
        // First the queue, then the rows: an element that ends in between has its row taken.
        let is_live = queue::elements(&batch.job)?.values().any(queue::Element::is_live);
        take_rows(batch, &mut open, journal);
        if is_live {
            output::err(&format!("job array {} still runs\n", batch.job));
            collect::collect(batch, &mut open, cancelled, journal);
        }
    }
    if open.is_empty() || cancelled.load(Ordering::Relaxed) {
        return Ok(());
    }
    let batch = batch::submit(exe, folder, earlier.len() + 1, &open, most_elements, args)?;
    let (job, n_tasks) = (&batch.job, open.len());
    output::err(&format!("job array {job} of Slurm has {n_tasks} tasks in {} elements\n", batch.n_elements));
    collect::collect(&batch, &mut open, cancelled, journal);
    Ok(())
}

/// What an earlier batch has decided; its errors are tried again, as those of `--json` are.
fn take_rows(batch: &Batch, open: &mut Vec<Numbered>, journal: &mut Journal<'_>) {
    let places = batch.places_of(open);
    for place in batch.written() {
        let Some((n, task)) = places.get(&place) else { continue };
        if let Some(row) = batch.row(place, task)
            && row.status != Status::Error
        {
            add(journal, open, *n, row);
        }
    }
}

/// Counts a row; its task is no longer open.
fn add(journal: &mut Journal<'_>, open: &mut Vec<Numbered>, n: usize, row: Row) {
    open.retain(|(m, _)| *m != n);
    journal.add(n, row);
}
