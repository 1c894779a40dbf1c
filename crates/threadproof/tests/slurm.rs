//! `bench --slurm` with a real cluster on loopback: munged, a controller, one node. Where Slurm is not installed the test says so and does nothing.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should fail")]

mod common;

use common::{stderr, stdout, threadproof};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::fs::OpenOptions;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

const N_TASKS: usize = 50;
/// The tasks whose elements are ended in the middle: one by a signal, one by its requeueing.
const KILLED: usize = 7;
const REQUEUED: usize = 23;

/// The daemons, which end with this value, and the folder with all their files.
struct Cluster {
    folder: tempfile::TempDir,
    daemons: Vec<Child>,
}

impl Cluster {
    fn start() -> Self {
        let mut cluster = Cluster { folder: tempfile::tempdir().unwrap(), daemons: Vec::new() };
        let path = cluster.folder.path().to_owned();
        ["state", "spool", "munge"].iter().for_each(|name| std::fs::create_dir(path.join(name)).unwrap());
        cluster.start_munged(&path.join("munge"));
        std::fs::write(path.join("slurm.conf"), config(&path)).unwrap();
        cluster.daemon("slurmctld", &["-D".into(), "-c".into()]);
        cluster.daemon("slurmd", &["-D".into()]);
        let idle = || stdout(&cluster.command("sinfo").args(["-h", "-o", "%T"]).output().unwrap());
        until("the node is ready", || idle().contains("idle"));
        cluster
    }

    fn start_munged(&mut self, folder: &Path) {
        std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o700)).unwrap();
        let key: Vec<u8> = (0..128_u32).map(|n| (n * 37 + std::process::id()) as u8).collect();
        std::fs::write(folder.join("key"), key).unwrap();
        std::fs::set_permissions(folder.join("key"), std::fs::Permissions::from_mode(0o400)).unwrap();
        let files = [
            ("socket", "socket"),
            ("key-file", "key"),
            ("pid-file", "pid"),
            ("log-file", "log"),
            ("seed-file", "seed"),
        ];
        let mut args: Vec<String> = files
            .iter()
            .map(|(option, name)| format!("--{option}={}", folder.join(name).display()))
            .collect();
        args.extend(["--foreground".into(), "--force".into(), "--num-threads=1".into()]);
        self.daemon("munged", &args);
        until("munged listens", || folder.join("socket").exists());
    }

    fn daemon(&mut self, name: &str, args: &[String]) {
        let log = std::fs::File::create(self.folder.path().join(format!("{name}.out"))).unwrap();
        let mut command = self.command(&format!("/usr/sbin/{name}"));
        command.args(args).stdin(Stdio::null()).stdout(log.try_clone().unwrap()).stderr(log);
        self.daemons.push(command.spawn().unwrap());
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env("SLURM_CONF", self.folder.path().join("slurm.conf"));
        command
    }

    fn bench(&self, folder: &Path, args: &[&str]) -> Command {
        let mut command = threadproof();
        command.env("SLURM_CONF", self.folder.path().join("slurm.conf"));
        command
            .args(["bench", "tasks", "--slurm", "runs", "--in-process", "--memory-limit", "1GiB"])
            .args(args);
        command.current_dir(folder).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        if std::thread::panicking() {
            for command in
                [&["squeue", "--array"][..], &["sinfo", "--long"], &["tail", "-n", "30", "slurmctld.log"]]
            {
                let output =
                    self.command(command[0]).args(&command[1..]).current_dir(self.folder.path()).output();
                eprintln!("{}", output.map_or_else(|error| error.to_string(), |output| stdout(&output)));
            }
        }
        let _ = self.command("scancel").args(["--state=RUNNING", "--quiet"]).output();
        // The node first, so that the controller hears of its end; munged last, which both need.
        for daemon in self.daemons.iter_mut().rev() {
            let _ = kill_process(Pid::from_child(daemon), Signal::TERM);
            let start = Instant::now();
            while daemon.try_wait().is_ok_and(|ended| ended.is_none()) {
                if start.elapsed() > Duration::from_secs(5) {
                    let _ = daemon.kill();
                }
                std::thread::sleep(Duration::from_millis(20));
            }
        }
    }
}

/// No accounting, no control groups, a node with more processors than there may be; what is requeued waits for the old credential's end, which takes at least 5 s.
fn config(folder: &Path) -> String {
    let user = String::from_utf8(Command::new("id").arg("-un").output().unwrap().stdout).unwrap();
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
    let (user, host) = (user.trim(), host.trim().split('.').next().unwrap());
    let [controller, node] = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
    let port = |listener: &TcpListener| listener.local_addr().unwrap().port();
    let (controller, node) = (port(&controller), port(&node));
    let folder = folder.display();
    format!(
        "ClusterName=test\nSlurmctldHost=localhost(127.0.0.1)\nSlurmctldPort={controller}\nSlurmdPort={node}\nSlurmUser={user}\nSlurmdUser={user}\n\
         AuthType=auth/munge\nCredType=cred/munge\nAuthInfo=socket={folder}/munge/socket,cred_expire=5\nMpiDefault=none\n\
         StateSaveLocation={folder}/state\nSlurmdSpoolDir={folder}/spool\nSlurmctldPidFile={folder}/slurmctld.pid\nSlurmdPidFile={folder}/slurmd.pid\n\
         SlurmctldLogFile={folder}/slurmctld.log\nSlurmdLogFile={folder}/slurmd.log\n\
         ProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\nJobAcctGatherType=jobacct_gather/none\nAccountingStorageType=accounting_storage/none\n\
         SelectType=select/cons_tres\nSelectTypeParameters=CR_Core\nReturnToService=2\nKillWait=1\nSlurmdParameters=config_overrides\n\
         SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=0\n\
         NodeName=node NodeAddr=127.0.0.1 NodeHostname={host} CPUs=64 RealMemory=100000 State=UNKNOWN\n\
         PartitionName=all Nodes=ALL Default=YES State=UP MaxTime=INFINITE\n"
    )
}

fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < Duration::from_secs(60), "{what}: not within a minute");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Tasks that are decided at once, but for two: they include a pipe, so that they wait in the preprocessor for a writer.
fn write_tasks(folder: &Path) -> [PathBuf; 2] {
    let tasks = folder.join("tasks");
    std::fs::create_dir(&tasks).unwrap();
    std::fs::write(tasks.join("unreach-call.prp"), "CHECK( init(main()), LTL(G ! call(reach_error())) )\n")
        .unwrap();
    for n in 0..N_TASKS {
        let pipe = if [KILLED, REQUEUED].contains(&n) {
            format!("#include \"pipe-{n}.h\"\n")
        } else {
            String::new()
        };
        let (call, expected) = if n % 2 == 0 { ("", true) } else { ("reach_error();", false) };
        let program = format!("{pipe}extern void reach_error(void); int main(void) {{ {call} return 0; }}\n");
        let task = format!(
            "format_version: '2.0'\ninput_files: '{n:02}.c'\nproperties:\n  - property_file: unreach-call.prp\n    expected_verdict: {expected}\n"
        );
        std::fs::write(tasks.join(format!("{n:02}.c")), program).unwrap();
        std::fs::write(tasks.join(format!("{n:02}.yml")), task).unwrap();
    }
    [KILLED, REQUEUED].map(|n| {
        let pipe = tasks.join(format!("pipe-{n}.h"));
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        pipe
    })
}

/// Lets those that read a pipe go on, and puts an empty file in its place.
fn open_pipe(pipe: &Path) {
    let both = OpenOptions::new().read(true).write(true).open(pipe).unwrap();
    std::fs::remove_file(pipe).unwrap();
    std::fs::write(pipe, "").unwrap();
    drop(both);
}

/// The process of an element of the only array, once it runs.
fn process_of(folder: &Path, element: usize) -> Option<Pid> {
    let (batch, number) = (folder.join("runs/batch-1"), format!("SLURM_ARRAY_TASK_ID={element}"));
    let batch = format!("THREADPROOF_SLURM_BATCH={}", batch.canonicalize().ok()?.display());
    let is_it = |pid: &i32| {
        let is_program = std::fs::read_link(format!("/proc/{pid}/exe"))
            .is_ok_and(|exe| exe == Path::new(env!("CARGO_BIN_EXE_threadproof")));
        let surroundings = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        let has =
            |wished: &str| surroundings.split(|byte| *byte == 0).any(|entry| entry == wished.as_bytes());
        is_program && has(&batch) && has(&number)
    };
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let mut pids = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    pids.find(is_it).and_then(Pid::from_raw)
}

fn rows(path: &Path) -> Vec<Value> {
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn check_rows(output: &Output, path: &Path, n_tasks: usize) {
    assert_eq!(output.status.code(), Some(0), "{}", stderr(output));
    let rows = rows(path);
    let names: Vec<&str> = rows.iter().map(|row| row["task"].as_str().unwrap()).collect();
    let expected: Vec<String> = (0..n_tasks).map(|n| format!("tasks/{n:02}.yml")).collect();
    assert_eq!(names, expected);
    assert!(rows.iter().all(|row| row["status"] == "right"), "{rows:?}");
}

#[test]
fn an_array_of_tasks_has_a_row_for_each_although_elements_are_killed() {
    if !["munged", "slurmctld", "slurmd"].iter().all(|name| Path::new("/usr/sbin").join(name).exists()) {
        eprintln!("skipped: Slurm is not installed (Debian's slurm-wlm and munge)");
        return;
    }
    let cluster = Cluster::start();
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let pipes = write_tasks(folder);

    // The first run is interrupted when all but the two tasks that wait have a row.
    let mut first = cluster.bench(folder, &["--json", "first.json"]).spawn().unwrap();
    let written = || std::fs::read_dir(folder.join("runs/batch-1/rows")).map_or(0, Iterator::count);
    until("rows are written", || {
        assert!(first.try_wait().unwrap().is_none(), "the run should wait for its rows");
        written() >= N_TASKS - 2
    });
    let mut victim = None;
    until("the elements wait", || {
        victim = process_of(folder, KILLED);
        victim.is_some() && process_of(folder, REQUEUED).is_some()
    });
    kill_process(Pid::from_child(&first), Signal::INT).unwrap();
    let first = first.wait_with_output().unwrap();
    assert_eq!(first.status.code(), Some(130), "{}", stderr(&first));
    assert!(stderr(&first).contains("the same command with --resume"), "{}", stderr(&first));

    // The second run finds the array as it was, and its two elements are ended.
    let job = std::fs::read_to_string(folder.join("runs/batch-1/job")).unwrap();
    kill_process(victim.unwrap(), Signal::KILL).unwrap();
    let requeue =
        cluster.command("scontrol").args(["requeue", &format!("{job}_{REQUEUED}")]).output().unwrap();
    assert!(requeue.status.success(), "{}", stderr(&requeue));
    until("the element is gone", || process_of(folder, REQUEUED).is_none());
    pipes.iter().for_each(|pipe| open_pipe(pipe));
    let cancelled_folder = tempfile::tempdir().unwrap();
    let cancelled = submit_and_cancel(&cluster, cancelled_folder.path());
    let second = cluster.bench(folder, &["--json", "rows.json", "--resume"]).output().unwrap();
    check_rows(&second, &folder.join("rows.json"), N_TASKS);
    assert!(
        stderr(&second).contains(&format!("{job}_{KILLED} was killed: it is requeued")),
        "{}",
        stderr(&second)
    );
    assert!(!folder.join("runs/batch-2").exists());

    // All is there: a third run submits nothing, and without --resume the folder is not touched.
    let third = cluster.bench(folder, &["--json", "third.json", "--resume"]).output().unwrap();
    check_rows(&third, &folder.join("third.json"), N_TASKS);
    let refused = cluster.bench(folder, &[]).output().unwrap();
    assert_eq!(refused.status.code(), Some(2), "{}", stderr(&refused));
    assert!(!folder.join("runs/batch-2").exists());

    check_cancelled(&cluster, cancelled, cancelled_folder.path());
}

/// An array that is cancelled before it begins.
fn submit_and_cancel(cluster: &Cluster, folder: &Path) -> Child {
    write_tasks(folder);
    (4..N_TASKS).for_each(|n| std::fs::remove_file(folder.join(format!("tasks/{n:02}.yml"))).unwrap());
    let run = cluster.bench(folder, &["--json", "rows.json", "--slurm-option=--hold"]).spawn().unwrap();
    until("the array is submitted", || folder.join("runs/batch-1/job").exists());
    let job = std::fs::read_to_string(folder.join("runs/batch-1/job")).unwrap();
    assert!(cluster.command("scancel").arg(&job).status().unwrap().success());
    run
}

/// What was cancelled is not run again: it has a row that says so. --resume does run it.
fn check_cancelled(cluster: &Cluster, run: Child, folder: &Path) {
    let output = run.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let without = |row: &Value| row["verdict"].as_str().unwrap().starts_with("no row (slurm: CANCELLED");
    let lost = rows(&folder.join("rows.json"));
    assert!(lost.len() == 4 && lost.iter().all(without), "{lost:?}");
    let output = cluster.bench(folder, &["--json", "rows.json", "--resume"]).output().unwrap();
    check_rows(&output, &folder.join("rows.json"), 4);
}

/// Commands that say what Slurm says, and run the elements at once: at most two, the second of which has no success.
#[test]
fn elements_have_several_tasks() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write_tasks(folder);
    (5..N_TASKS).for_each(|n| std::fs::remove_file(folder.join(format!("tasks/{n:02}.yml"))).unwrap());
    let commands = folder.join("bin dir");
    std::fs::create_dir(&commands).unwrap();
    let sbatch = "echo \"$@\" >> options; for script; do :; done\nSLURM_ARRAY_TASK_ID=0 sh \"$script\" >&2 && echo 12\n";
    for (name, text) in [
        ("scontrol", "echo 'MaxArraySize            = 2'\n"),
        ("sbatch", sbatch),
        ("squeue", "echo 0 COMPLETED 0; echo 1 FAILED 32512\n"),
    ] {
        std::fs::write(commands.join(name), format!("#!/bin/sh\n{text}")).unwrap();
        std::fs::set_permissions(commands.join(name), std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let path = format!("{}:{}", commands.display(), std::env::var("PATH").unwrap());
    let options = [
        "--slurm",
        "runs",
        "--json",
        "rows.json",
        "--timeout",
        "50s",
        "--jobs",
        "3",
        "--memory-limit",
        "1GiB",
    ];
    let mut command = threadproof();
    command.args(["bench", "tasks", "--slurm-option=--partition=long"]).args(options);
    let output = command.env("PATH", path).current_dir(folder).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let verdicts: Vec<String> = rows(&folder.join("rows.json"))
        .iter()
        .map(|row| row["verdict"].as_str().unwrap().to_owned())
        .collect();
    let lost = "no row (slurm: FAILED, exit code 127)";
    assert_eq!(verdicts, ["true", lost, "true", lost, "true"]);
    let options = std::fs::read_to_string(folder.join("options")).unwrap();
    assert!(options.contains("--mem=1536M --time=5 --partition=long --chdir="), "{options}");
    assert!(options.contains("--requeue --parsable --array=0-1%3 "), "{options}");
}

#[test]
fn without_slurm_the_reason_is_said() {
    let folder = tempfile::tempdir().unwrap();
    write_tasks(folder.path());
    let mut command = threadproof();
    command.args(["bench", "tasks/00.yml", "--slurm", "runs"]).env("PATH", folder.path());
    let output = command.current_dir(folder.path()).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("needs the commands of Slurm"), "{}", stderr(&output));
    assert!(!folder.path().join("runs").exists());
}
