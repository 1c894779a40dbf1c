//! One task in this process, for many small tasks: a child takes longer to start than a litmus test takes to be decided.
//!
//! There are no hard limits around it, and tasks that run at once share the memory limit. A task that is abandoned at its time limit goes on
//! until it looks at the clock again. The models of memory, tables of the library and the like are read once.

use super::rows::{Row, Status};
use super::task::Task;
use crate::args::BenchArgs;
use program::DataModel;
use report::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;
use threadproof::options::{Assume, DataModelName};
use threadproof::property::{self, Asked};
use threadproof::{Options, Verifier};

/// Runs one task; `None` if `cancelled` is true when it has ended.
pub fn run(task: &Task, args: &BenchArgs, cancelled: &Arc<AtomicBool>) -> Option<Row> {
    let start = Instant::now();
    let asked = match &task.property_file {
        Some(file) => property::from_file(file),
        None => Ok(Asked::from(task.property)),
    };
    let asked = match asked {
        Ok(asked) => asked,
        Err(message) => return Some(Row::failed(task, message)),
    };
    let mut source = args.source.clone();
    source.data_model = source.data_model.or(task.data_model.map(|model| match model {
        DataModel::Ilp32 => DataModelName::Ilp32,
        DataModel::Lp64 => DataModelName::Lp64,
    }));
    // The rules of SV-COMP: no program has undefined behaviour unless the property is about it.
    let assume = vec![Assume::NoUndefinedBehaviour];
    let search = args.search.clone();
    let options = Options { timeout: args.timeout, assume, search, source, ..Options::default() };
    let report = Verifier::new(options).cancelled_by(Arc::clone(cancelled)).verify(&task.input_files, asked);
    if cancelled.load(Ordering::Relaxed) {
        return None;
    }
    let mut row = Row::of(task, report.verdict.to_string(), json::stats(&report.stats));
    if row.status == Status::Error {
        row.message = report.diagnostics.into_iter().next().map(|first| first.message).unwrap_or_default();
    }
    row.peak_mb = base::budget::peak_bytes() as f64 / 1e6;
    row.seconds = start.elapsed().as_secs_f64();
    Some(row)
}
