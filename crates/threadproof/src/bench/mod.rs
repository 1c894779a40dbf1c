//! `threadproof bench`: many tasks, each in a child process (or all in this one), and a table of how it went.
//!
//! | module | does |
//! |---|---|
//! | [`task`] | finds and reads task files |
//! | [`child`] | runs one task within hard limits |
//! | [`here`] | runs one task in this process |
//! | [`slurm`] | has a cluster run them |
//! | [`rows`] | judges the answer and keeps it as JSON |
//! | [`table`] | sums up |
//! | [`compare`] | compares two runs |
//! | [`plot`] | draws runs |
//!
//! Rows are written about once a second and at the end, so that an interrupted run keeps what it has. They are
//! kept in the order of the tasks, however many run at once.

mod child;
mod compare;
mod here;
mod plot;
mod rows;
mod slurm;
mod table;
mod task;

use crate::args::BenchArgs;
use crate::interrupt::on_interrupt;
use crate::output::{self, Exit};
use report::progress::Progress;
use rows::{Row, Status};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};
use task::Task;

const BETWEEN_WRITES: Duration = Duration::from_secs(1);

/// Runs all tasks and prints the table.
pub fn bench(args: &BenchArgs) -> Exit {
    if let Some(files) = &args.compare {
        return compare::compare(args, files);
    }
    if args.scatter.is_some() {
        output::err("error: --scatter draws the two files of --compare\n");
        return Exit::BadInput;
    }
    let exe = match std::env::current_exe() {
        Ok(exe) => exe,
        Err(error) => {
            output::err(&format!("error: cannot find the program itself: {error}\n"));
            return Exit::Internal;
        }
    };
    let cancelled = Arc::new(AtomicBool::new(false));
    on_interrupt(Arc::clone(&cancelled));
    if let (Some(_), Some(batch)) = (&args.slurm, std::env::var_os(slurm::ELEMENT)) {
        return slurm::run_element(&exe, Path::new(&batch), args, &cancelled);
    }
    match run(&exe, args, &cancelled) {
        Ok(exit) => exit,
        Err(message) => {
            output::err(&format!("error: {message}\n"));
            Exit::BadInput
        }
    }
}

fn run(exe: &Path, args: &BenchArgs, cancelled: &Arc<AtomicBool>) -> Result<Exit, String> {
    let tasks = read_tasks(args)?;
    let mut journal = Journal::new(args, tasks.len());
    let open = journal.resume(&tasks)?;
    match &args.slurm {
        Some(folder) => slurm::run_all(exe, folder, open, args, cancelled, &mut journal)?,
        None => run_all(exe, &open, args, cancelled, &mut journal),
    }
    Ok(journal.finish(cancelled.load(Ordering::Relaxed)))
}

fn read_tasks(args: &BenchArgs) -> Result<Vec<Task>, String> {
    let (mut tasks, mut known) = (Vec::new(), BTreeSet::new());
    for path in task::find(&args.tasks)? {
        let found = task::read(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        let asked = |t: &Task| args.property.is_empty() || args.property.contains(&t.property);
        // A file that is named twice is run once.
        tasks.extend(found.into_iter().filter(asked).filter(|task| known.insert(rows::key(task))));
    }
    if tasks.is_empty() {
        return Err("there are no tasks (.yml files that name a property asked for)".into());
    }
    Ok(tasks)
}

fn run_all(
    exe: &Path,
    tasks: &[(usize, Task)],
    args: &BenchArgs,
    cancelled: &Arc<AtomicBool>,
    journal: &mut Journal<'_>,
) {
    let next = AtomicUsize::new(0);
    let (sender, receiver) = channel();
    std::thread::scope(|scope| {
        for _ in 0..usize::from(args.jobs.unwrap_or(1)).min(tasks.len()) {
            let (sender, next) = (sender.clone(), &next);
            scope.spawn(move || work(exe, tasks, args, cancelled, next, &sender));
        }
        drop(sender);
        loop {
            match receiver.recv_timeout(BETWEEN_WRITES / 4) {
                Ok((n, row)) => journal.add(n, row),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            journal.tick();
        }
    });
}

fn work(
    exe: &Path,
    tasks: &[(usize, Task)],
    args: &BenchArgs,
    cancelled: &Arc<AtomicBool>,
    next: &AtomicUsize,
    sender: &Sender<(usize, Row)>,
) {
    while !cancelled.load(Ordering::Relaxed) {
        let Some((n, task)) = tasks.get(next.fetch_add(1, Ordering::Relaxed)) else { return };
        let Some(row) = run_one(exe, task, args, cancelled) else { continue };
        if sender.send((*n, row)).is_err() {
            return;
        }
    }
}

/// Runs one task on this machine; `None` if `cancelled` became true.
fn run_one(exe: &Path, task: &Task, args: &BenchArgs, cancelled: &Arc<AtomicBool>) -> Option<Row> {
    match args.in_process {
        true => here::run(task, args, cancelled),
        false => child::run(exe, task, args, cancelled),
    }
}

/// What is done so far, and where it is shown and kept.
struct Journal<'a> {
    args: &'a BenchArgs,
    n_tasks: usize,
    /// Rows with the number of their task, in that order.
    rows: Vec<(usize, Row)>,
    progress: Progress,
    start: Instant,
    written: Option<Instant>,
    stale: bool,
}

impl<'a> Journal<'a> {
    fn new(args: &'a BenchArgs, n_tasks: usize) -> Self {
        let (progress, start) = (Progress::new(), Instant::now());
        Self { args, n_tasks, rows: Vec::new(), progress, start, written: None, stale: false }
    }

    /// Takes over the rows that an earlier run has left, if that is asked for; the tasks that are left to do, with their numbers.
    fn resume(&mut self, tasks: &[Task]) -> Result<Vec<(usize, Task)>, String> {
        let mut open: Vec<(usize, Task)> = tasks.iter().cloned().enumerate().collect();
        if let (true, Some(path)) = (self.args.resume, &self.args.json)
            && path.exists()
        {
            let mut known = rows::read(path)?;
            open.retain(|(n, task)| match known.remove(&rows::key(task)) {
                // What failed may have failed for a reason that is gone.
                Some(row) if row["status"] != Status::Error.name() => match Row::from_json(task, &row) {
                    Some(row) => {
                        self.rows.push((*n, row));
                        false
                    }
                    None => true,
                },
                _ => true,
            });
            output::err(&format!("{} of {} tasks are done already\n", self.rows.len(), self.n_tasks));
        }
        self.write().map_err(|error| format!("cannot write the rows: {error}"))?;
        Ok(open)
    }

    fn add(&mut self, n: usize, row: Row) {
        let needs_attention = matches!(row.status, Status::Wrong | Status::Error);
        if needs_attention || !self.progress.is_wanted() {
            let done = self.rows.len() + 1;
            self.say(&format!("[{done}/{}] {}\n", self.n_tasks, described(&row)));
        }
        let at = self.rows.partition_point(|(m, _)| *m < n);
        self.rows.insert(at, (n, row));
        self.stale = true;
    }

    /// Says something between two pictures of the progress.
    fn say(&mut self, text: &str) {
        self.progress.clear();
        output::err(text);
    }

    fn tick(&mut self) {
        let due = self.written.is_none_or(|w| w.elapsed() > BETWEEN_WRITES);
        if self.stale
            && due
            && let Err(error) = self.write()
        {
            self.say(&format!("warning: cannot write the rows: {error}\n"));
        }
        let (rows, n_tasks, start) = (&self.rows, self.n_tasks, self.start);
        self.progress.show(|| bar(rows, n_tasks, start.elapsed()));
    }

    fn write(&mut self) -> std::io::Result<()> {
        self.written = Some(Instant::now());
        self.stale = false;
        match &self.args.json {
            Some(path) => rows::write(path, &self.plain_rows()),
            None => Ok(()),
        }
    }

    fn plain_rows(&self) -> Vec<Row> {
        self.rows.iter().map(|(_, row)| row.clone()).collect()
    }

    fn finish(mut self, cancelled: bool) -> Exit {
        self.progress.clear();
        let kept = self.write();
        output::out(&table::render(&self.plain_rows()));
        if let Some(path) = &self.args.quantile {
            let right = self.rows.iter().filter(|(_, row)| row.status == Status::Right);
            let name = self.args.json.as_ref().map_or("right".to_owned(), |path| path.display().to_string());
            let curve =
                (name, right.map(|(_, row)| if row.cpu_s > 0.0 { row.cpu_s } else { row.seconds }).collect());
            if let Err(error) = std::fs::write(path, plot::quantile(&[curve])) {
                output::err(&format!("error: cannot write `{}`: {error}\n", path.display()));
                return Exit::BadInput;
            }
        }
        if let Err(error) = kept {
            output::err(&format!("error: cannot write the rows: {error}\n"));
            return Exit::BadInput;
        }
        if cancelled {
            output::err(&format!("interrupted: {} of {} tasks done\n", self.rows.len(), self.n_tasks));
            return Exit::Interrupted;
        }
        let wrong = self.rows.iter().any(|(_, row)| row.status == Status::Wrong);
        if wrong { Exit::Violated } else { Exit::Fine }
    }
}

fn described(row: &Row) -> String {
    let path = row.task.path.display();
    let (status, verdict, seconds) = (row.status.name(), &row.verdict, row.seconds);
    format!("{status:<7}  {verdict}  {seconds:.2} s  {path}")
}

const BAR: usize = 24;

fn bar(rows: &[(usize, Row)], n_tasks: usize, elapsed: Duration) -> String {
    let filled = BAR * rows.len() / n_tasks.max(1);
    let counts = Status::ALL.iter().filter_map(|(status, name)| {
        let n = rows.iter().filter(|(_, row)| row.status == *status).count();
        (n > 0).then(|| format!("{n} {name}"))
    });
    let counts: Vec<String> = counts.collect();
    let (done, seconds) = (rows.len(), elapsed.as_secs());
    let (full, empty) = ("█".repeat(filled), "░".repeat(BAR - filled));
    format!("{full}{empty} {done}/{n_tasks}  {}  {seconds} s", counts.join(", "))
}
