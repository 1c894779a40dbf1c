//! One element of the array, on a node.

use super::super::rows;
use super::super::run_one;
use super::super::task::{self, Task};
use super::batch::Batch;
use crate::args::BenchArgs;
use crate::output::{self, Exit};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The variable of the environment that makes a process an element of the batch in the folder that it names.
pub const ELEMENT: &str = "THREADPROOF_SLURM_BATCH";

/// Runs the tasks of the element that Slurm's environment names.
pub fn run(exe: &Path, folder: &Path, args: &BenchArgs, cancelled: &Arc<AtomicBool>) -> Exit {
    match run_tasks(exe, folder, args, cancelled) {
        Ok(()) if cancelled.load(Ordering::Relaxed) => Exit::Interrupted,
        Ok(()) => Exit::Fine,
        Err(message) => {
            output::err(&format!("error: {message}\n"));
            Exit::BadInput
        }
    }
}

fn run_tasks(exe: &Path, folder: &Path, args: &BenchArgs, cancelled: &Arc<AtomicBool>) -> Result<(), String> {
    let number = std::env::var("SLURM_ARRAY_TASK_ID").ok().and_then(|text| text.parse::<usize>().ok());
    let number = number.ok_or("this is no element of a job array: SLURM_ARRAY_TASK_ID is missing")?;
    let batch = Batch::open(folder)?;
    for place in (number..batch.tasks.len()).step_by(batch.n_elements) {
        // An earlier try, before it was requeued, may have come this far.
        if batch.row_path(place).exists() {
            continue;
        }
        let task = find(&batch.tasks[place])?;
        let Some(row) = run_one(exe, &task, args, cancelled) else { return Ok(()) };
        let beside = folder.join("rows").join(format!("{place}.{}", this_try()));
        rows::write_by(&beside, &batch.row_path(place), &[row])
            .map_err(|e| format!("cannot write a row: {e}"))?;
    }
    Ok(())
}

fn find(key: &(String, String)) -> Result<Task, String> {
    let path = Path::new(&key.0);
    let tasks = task::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let task = tasks.into_iter().find(|task| rows::key(task) == *key);
    task.ok_or_else(|| format!("{} no longer asks for {}", key.0, key.1))
}

/// No two tries share a name, not even if a node that was given up still writes.
fn this_try() -> String {
    let of = |name: &str| std::env::var(name).unwrap_or_default();
    format!("{}-{}-{}.part", of("SLURM_JOB_ID"), of("SLURM_RESTART_COUNT"), std::process::id())
}
