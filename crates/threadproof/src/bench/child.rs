//! One run of `threadproof verify` as a child process, with hard limits around its own.
//!
//! The child keeps to `--timeout` and `--memory-limit` by itself. If it does not, its whole process group is killed
//! a few seconds later, and its address space has an upper limit far above what it should need.

use super::rows::{Row, Status};
use super::task::Task;
use crate::args::{BenchArgs, value_name};
use program::DataModel;
use rustix::process::{Pid, Resource, Rlimit, Signal, kill_process_group, prlimit};
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use threadproof::units;
use wait4::{ResUse, Wait4};

/// What a child gets beyond its time limit before it is killed.
pub const GRACE: Duration = Duration::from_secs(3);
/// Address space beyond the memory limit: stacks, code, and what the allocator holds but does not use.
const SPARE_ADDRESSES: u64 = 4 << 30;

/// Runs one task; `None` if `cancelled` became true before it ended.
pub fn run(exe: &Path, task: &Task, args: &BenchArgs, cancelled: &AtomicBool) -> Option<Row> {
    let start = Instant::now();
    let spawned = command(exe, task, args).spawn();
    let mut child = match spawned {
        Ok(child) => child,
        Err(error) => return Some(Row::failed(task, format!("cannot start: {error}"))),
    };
    limit_addresses(&child, args.search.memory_limit.0);
    let stdout = collect(child.stdout.take());
    let stderr = collect(child.stderr.take());
    let ended = wait(&mut child, args.timeout + GRACE, cancelled);
    let (stdout, stderr) = (stdout.join().unwrap_or_default(), stderr.join().unwrap_or_default());
    let mut row = match &ended {
        Ended::Cancelled => return None,
        Ended::Lost(error) => Row::failed(task, format!("cannot wait: {error}")),
        Ended::Killed(_) => Row::killed(task),
        Ended::ByItself(usage) => Row::from_output(task, &stdout, exit_text(usage.status)),
    };
    if let Ended::ByItself(usage) | Ended::Killed(usage) = &ended {
        row.cpu_s = (usage.rusage.utime + usage.rusage.stime).as_secs_f64();
        row.peak_mb = usage.rusage.maxrss as f64 / 1e6;
    }
    if row.status == Status::Error {
        row.message = stderr.lines().find(|l| !l.trim().is_empty()).unwrap_or_default().to_owned();
    }
    row.seconds = start.elapsed().as_secs_f64();
    Some(row)
}

fn command(exe: &Path, task: &Task, args: &BenchArgs) -> Command {
    let mut command = Command::new(exe);
    // The rules of SV-COMP: no program has undefined behaviour unless the property is about it.
    command.args(["verify", "--no-config"]).args([
        "--assume",
        "no-undefined-behaviour",
        "--stats",
        "--property",
    ]);
    match &task.property_file {
        Some(file) => command.arg(file),
        None => command.arg(task.property.name()),
    };
    for name in &args.source.error_function {
        command.args(["--error-function", name]);
    }
    for name in &args.source.error_label {
        command.args(["--error-label", name]);
    }
    command.args(["--timeout", &units::show_duration(args.timeout)]);
    command.args(["--memory-limit", &args.search.memory_limit.to_string()]);
    command.args(["--engine", &value_name(&args.search.engine)]);
    command.args(["--memory-model", args.source.memory_model.name()]);
    command.args(&args.engine.given);
    command.args(["--entry", &args.source.entry.join(",")]);
    command.args(["--undefined-functions", &value_name(&args.source.undefined_functions)]);
    let switches = [
        ("--malloc-may-fail", args.source.malloc_may_fail),
        ("--thread-create-may-fail", args.source.thread_create_may_fail),
        ("--reuse-addresses", args.source.reuse_addresses),
    ];
    command.args(switches.iter().filter(|(_, on)| *on).map(|(name, _)| name));
    for table in &args.source.models {
        command.arg("--models").arg(table);
    }
    for folder in &args.source.include_dirs {
        command.arg("-I").arg(folder);
    }
    for define in &args.source.defines {
        command.arg("-D").arg(define);
    }
    let wished = args.source.data_model.map(DataModel::from);
    match wished.or(task.data_model) {
        Some(DataModel::Ilp32) => command.args(["--data-model", "ILP32"]),
        Some(DataModel::Lp64) => command.args(["--data-model", "LP64"]),
        None => &mut command,
    };
    command.arg("--").args(&task.input_files);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.process_group(0);
    command
}

/// Where that is impossible the child still limits itself.
fn limit_addresses(child: &Child, memory: u64) {
    let most = Some(memory.saturating_add(SPARE_ADDRESSES));
    let limit = Rlimit { current: most, maximum: most };
    if let Some(pid) = pid_of(child) {
        let _ = prlimit(Some(pid), Resource::As, limit);
    }
}

/// Reads a pipe to its end in a thread, so that a child that writes much is never blocked.
fn collect(pipe: Option<impl Read + Send + 'static>) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            // What came before a failure is still worth having.
            let _ = pipe.read_to_end(&mut bytes);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

enum Ended {
    ByItself(ResUse),
    Killed(ResUse),
    Cancelled,
    Lost(std::io::Error),
}

/// Polls, because a child must be asked about three things: its end, its time and Ctrl-C. The pause grows with
/// the child's age, so that short runs are measured well and long ones cost nothing.
fn wait(child: &mut Child, limit: Duration, cancelled: &AtomicBool) -> Ended {
    let start = Instant::now();
    let mut killed = false;
    loop {
        match child.try_wait4() {
            Ok(Some(_)) if cancelled.load(Ordering::Relaxed) => return Ended::Cancelled,
            Ok(Some(usage)) => return if killed { Ended::Killed(usage) } else { Ended::ByItself(usage) },
            Ok(None) => {}
            Err(error) => return Ended::Lost(error),
        }
        let age = start.elapsed();
        if !killed && (age > limit || cancelled.load(Ordering::Relaxed)) {
            kill(child);
            killed = true;
        }
        std::thread::sleep((age / 50).clamp(Duration::from_micros(300), Duration::from_millis(20)));
    }
}

fn pid_of(child: &Child) -> Option<Pid> {
    Pid::from_raw(i32::try_from(child.id()).ok()?)
}

/// Only called before the child was waited for, so that its id still belongs to it.
fn kill(child: &Child) {
    if let Some(pid) = pid_of(child) {
        let _ = kill_process_group(pid, Signal::KILL);
    }
}

fn exit_text(status: ExitStatus) -> Option<String> {
    use std::os::unix::process::ExitStatusExt;
    match (status.code(), status.signal()) {
        (Some(0..=3), _) => None,
        (Some(code), _) => Some(format!("exit code {code}")),
        (None, signal) => Some(format!("signal {}", signal.unwrap_or_default())),
    }
}
