//! The binary as a user meets it: exit codes, last lines, JSON, and input that is not a program.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should fail")]

mod common;
mod schema;

use common::{last_line, stderr, stdout, threadproof};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

const SAFE: &str = "int main(void) { return 0; }\n";

const LOST_UPDATE: &str = "\
#include <assert.h>
#include <pthread.h>
int counter;
void *increment(void *arg) {
  int tmp = counter;
  counter = tmp + 1;
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, increment, 0);
  pthread_create(&b, 0, increment, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(counter == 2);
  return 0;
}
";

const DEADLOCK: &str = "\
#include <pthread.h>
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
void *other(void *arg) {
  pthread_mutex_lock(&b);
  pthread_mutex_lock(&a);
  pthread_mutex_unlock(&a);
  pthread_mutex_unlock(&b);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, other, 0);
  pthread_mutex_lock(&a);
  pthread_mutex_lock(&b);
  pthread_mutex_unlock(&b);
  pthread_mutex_unlock(&a);
  pthread_join(t, 0);
  return 0;
}
";

/// More states than can be visited.
const ENDLESS: &str = "\
#include <pthread.h>
unsigned long long x, y;
void *count(void *arg) { for (;;) x++; }
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, count, 0);
  for (;;) y++;
}
";

struct Fixture {
    folder: tempfile::TempDir,
}

impl Fixture {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }
    fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }
}

fn verify(path: &Path, options: &[&str]) -> Output {
    threadproof().arg("verify").args(options).arg(path).output().unwrap()
}

/// Verifies `text` and compares exit code and last line, which is on stderr if stdout is for programs.
fn check(text: &str, options: &[&str], code: i32, verdict: &str) -> Output {
    let fixture = Fixture::new();
    let output = verify(&fixture.file("prog.c", text), options);
    let last = match options.contains(&"--format") {
        true => stderr(&output).lines().last().unwrap_or_default().to_owned(),
        false => last_line(&output),
    };
    assert_eq!(
        (output.status.code(), last),
        (Some(code), format!("verdict: {verdict}")),
        "{}{}",
        stdout(&output),
        stderr(&output)
    );
    output
}

#[test]
fn a_safe_program() {
    let output = check(SAFE, &["--property", "unreach-call"], 0, "true");
    assert_eq!(stdout(&output), "verdict: true\n");
    // Without a property, everything is checked.
    let output = check(SAFE, &[], 0, "true");
    let rows: Vec<Vec<String>> =
        stdout(&output).lines().map(|row| row.split_whitespace().map(str::to_owned).collect()).collect();
    let names: Vec<&str> = rows.iter().map(|row| row[0].as_str()).collect();
    let expected =
        ["unreach-call", "valid-memsafety", "undefined-behaviour", "no-data-race", "no-deadlock", "verdict:"];
    assert_eq!(names, expected);
    assert!(rows.iter().all(|row| row.last().is_some_and(|word| word == "true")), "{rows:?}");
}

#[test]
fn a_violated_assertion_is_shown_in_lanes() {
    let output = check(LOST_UPDATE, &[], 1, "false(unreach-call)");
    let text = stdout(&output);
    for expected in ["increment#1", "increment#2", "reads counter = 0", "counter = 1", "→"] {
        assert!(text.contains(expected), "{expected} should be in\n{text}");
    }
}

#[test]
fn a_deadlock_says_who_waits_where() {
    let output = check(DEADLOCK, &["--property", "no-deadlock"], 1, "false(no-deadlock)");
    let text = stdout(&output);
    assert!(text.contains("deadlock") && text.contains("pthread_mutex_lock(&a);"), "{text}");
    check(DEADLOCK, &["--property", "unreach-call"], 0, "true");
    check(DEADLOCK, &[], 1, "false(no-deadlock)");
}

const LOCKED: &str = "\
#include <assert.h>
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int busy, seen[2];
void *work(void *arg) {
  pthread_mutex_lock(&m);
  busy = 1;
  seen[0] = 1;
  busy = 0;
  pthread_mutex_unlock(&m);
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, work, 0);
  pthread_create(&b, 0, work, 0);
  pthread_mutex_lock(&m);
  assert(busy == 0);
  pthread_mutex_unlock(&m);
  return 0;
}
";

#[test]
fn a_proof_is_explained() {
    let output = check(LOCKED, &["--engine", "impact", "--explain", "--property", "unreach-call"], 0, "true");
    let text = stdout(&output);
    for expected in
        ["prog.c:18  main  assert(busy == 0);", "work#1", "busy == 0  while", "always", "unreach-call holds"]
    {
        assert!(text.contains(expected), "{expected} should be in\n{text}");
    }
    assert!(!text.contains("  true"), "{text}");
    let explored = check(LOCKED, &["--engine", "explore", "--explain"], 0, "true");
    assert!(stdout(&explored).contains("states that the program can reach"), "{}", stdout(&explored));
    // RedComp's invariants hold where blocks begin: before the lock is taken.
    for (engine, line) in
        [("ufo", "prog.c:18  main"), ("cpa", "prog.c:18  main"), ("redcomp", "prog.c:17  main")]
    {
        let output = check(LOCKED, &["--engine", engine, "--explain"], 0, "true");
        let text = stdout(&output);
        let facts = text.lines().skip_while(|l| !l.contains(line)).skip(1).take_while(|l| !l.is_empty());
        assert!(facts.into_iter().any(|l| l.contains("busy == 0")), "{engine}: {text}");
    }
    // A violation explains itself.
    let violated = check(LOST_UPDATE, &["--explain"], 1, "false(unreach-call)");
    let plain = check(LOST_UPDATE, &[], 1, "false(unreach-call)");
    assert_eq!(stdout(&violated).lines().count(), stdout(&plain).lines().count());
}

#[test]
fn ranks_are_told() {
    let program = "extern int __VERIFIER_nondet_int(void);
int main(void) {
  int n = __VERIFIER_nondet_int();
  while (n > 0) n--;
  return 0;
}
";
    let output = check(program, &["--property", "termination", "--explain"], 0, "true");
    let text = stdout(&output);
    assert!(text.contains("decrease") && text.contains("main:main:n"), "{text}");
}

#[test]
fn an_explanation_is_part_of_json() {
    let explanation = |options: &[&str]| {
        let output = check(LOCKED, &[options, &["--format", "json"]].concat(), 0, "true");
        let text = stdout(&output);
        let object: serde_json::Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
        object["explanation"].clone()
    };
    assert!(explanation(&["--engine", "impact"]).is_null());
    let tree = explanation(&["--engine", "impact", "--explain"]);
    assert_eq!(tree["kind"], "invariants");
    let places = tree["places"].as_array().unwrap();
    assert!(places.iter().any(|p| p["thread"] == "main" && p["line"] == 18), "{tree}");
    assert!(
        places.iter().all(
            |p| !p["always"].as_array().unwrap().is_empty() || !p["cases"].as_array().unwrap().is_empty()
        )
    );
    let states = explanation(&["--engine", "explore", "--explain"]);
    assert!(states["kind"] == "explored" && states["states"].as_u64().unwrap() > 10, "{states}");
}

#[test]
fn every_order_of_the_worklist_answers() {
    for order in ["cost", "dfs", "bfs", "switches"] {
        let options = ["--engine", "impact", "--worklist", order];
        check(LOST_UPDATE, &options, 1, "false(unreach-call)");
        check(LOCKED, &options, 0, "true");
    }
    check(LOCKED, &["--engine", "impact", "--worklist", "random"], 2, "unknown(usage error)");
}

#[test]
fn stats_come_before_the_verdict() {
    let output = check(SAFE, &["--stats"], 0, "true");
    let text = stdout(&output);
    let lines: Vec<&str> = text.lines().rev().collect();
    let stats: serde_json::Value = serde_json::from_str(lines[1].strip_prefix("stats: ").unwrap()).unwrap();
    for key in [
        "engine",
        "nodes",
        "cover_expansion_nodes",
        "covers",
        "refinements",
        "implications",
        "solver_implications",
        "solver_calls",
        "solver_s",
        "total_s",
        "peak_mb",
    ] {
        assert!(stats.get(key).is_some(), "{key} should be in {stats}");
    }
}

#[test]
fn json_holds_everything() {
    let output = check(LOST_UPDATE, &["--format", "json"], 1, "false(unreach-call)");
    // All of stdout is one object, so that other programs can read it.
    let object: serde_json::Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(object["verdict"], "false(unreach-call)");
    assert_eq!(object["property"], "unreach-call");
    assert!(object["counterexample"]["steps"].as_array().unwrap().len() > 5);
    assert!(object["stats"]["total_s"].is_number());
    let wrong = check("int main( {", &["--format", "json"], 2, "unknown(input error)");
    let object: serde_json::Value = serde_json::from_str(stdout(&wrong).lines().next().unwrap()).unwrap();
    assert_eq!(object["diagnostics"][0]["level"], "error");
}

#[test]
fn phases_are_shown() {
    let output = check(LOST_UPDATE, &["-v"], 1, "false(unreach-call)");
    for phase in ["load: close time.busy=", "analyse", "search:slice{engine=\"explore\"", "check", "report"] {
        assert!(stderr(&output).contains(phase), "{phase} should be in\n{}", stderr(&output));
    }
    assert!(!stderr(&check(LOST_UPDATE, &[], 1, "false(unreach-call)")).contains("analyse"));
    let fixture = Fixture::new();
    let log = fixture.folder.path().join("trace.log");
    let options = ["--engine", "impact", "--trace-log", log.to_str().unwrap()];
    let output = check(LOST_UPDATE, &options, 1, "false(unreach-call)");
    assert!(!stderr(&output).contains("analyse"), "{}", stderr(&output));
    assert!(std::fs::read_to_string(&log).unwrap().contains("engine{name=\"impact\"}: "));
    check(SAFE, &["--trace-log", "/nonexistent/trace.log"], 2, "unknown(usage error)");
}

#[test]
fn no_answer_comes_with_a_hint() {
    let output = check(ENDLESS, &["--engine", "explore", "--timeout", "200ms"], 3, "unknown(timeout)");
    assert!(stderr(&output).contains("hint: more time (--timeout)"), "{}", stderr(&output));
    assert!(!stderr(&check(SAFE, &[], 0, "true")).contains("hint:"));
}

#[test]
fn json_keeps_to_its_schema() {
    let schema = schema::Schema::read();
    let holds = |text: &str, options: &[&str], code: i32, verdict: &str| {
        let output = check(text, &[&["--format", "json"], options].concat(), code, verdict);
        let object = serde_json::from_str(stdout(&output).lines().next().unwrap()).unwrap();
        schema.check(&object);
        object
    };
    let proved = holds(LOCKED, &["--engine", "impact", "--explain"], 0, "true");
    holds(LOCKED, &["--engine", "explore", "--explain"], 0, "true");
    holds(SAFE, &["--property", "termination", "--explain"], 0, "true");
    let violated = holds(LOST_UPDATE, &[], 1, "false(unreach-call)");
    let race = holds(LOST_UPDATE, &["--property", "no-data-race"], 1, "false(no-data-race)");
    assert_eq!(race["counterexample"]["race"]["object"], "counter");
    let blocked = holds(DEADLOCK, &["--property", "no-deadlock"], 1, "false(no-deadlock)");
    assert_eq!(blocked["counterexample"]["waits"].as_array().unwrap().len(), 2);
    holds(ENDLESS, &["--engine", "explore", "--timeout", "200ms"], 3, "unknown(timeout)");
    holds("int main( {", &[], 2, "unknown(input error)");
    // The schema is not one that allows anything.
    for (mut object, path) in
        [(violated, "/counterexample/steps/0/notes"), (proved, "/explanation/places/0/always")]
    {
        *object.pointer_mut(path).unwrap() = serde_json::json!([7]);
        assert!(schema.flaw(&object).is_some(), "{path}");
    }
}

#[test]
fn property_files_are_properties() {
    let fixture = Fixture::new();
    let prp = fixture.file("p.prp", "CHECK( init(main()), LTL(G ! deadlock) )\n");
    check(DEADLOCK, &["--property", prp.to_str().unwrap()], 1, "false(no-deadlock)");
}

#[test]
fn input_that_is_no_program() {
    for text in [
        "",
        "int x;",
        "this is not C at all",
        "int main(void) { return y; }",
        "\u{0}\u{1}",
        "int main(void) {",
    ] {
        let output = check(text, &[], 2, "unknown(input error)");
        assert!(stderr(&output).contains("error"), "{text:?}: {}", stderr(&output));
    }
    let bytes: Vec<u8> = (0..=255).collect();
    let fixture = Fixture::new();
    let path = fixture.file("bytes.c", "");
    std::fs::write(&path, bytes).unwrap();
    assert_eq!(verify(&path, &[]).status.code(), Some(2));
}

#[test]
fn files_that_cannot_be_read() {
    let fixture = Fixture::new();
    for path in [fixture.folder.path().join("missing.c"), fixture.folder.path().to_owned()] {
        let output = verify(&path, &[]);
        assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
        assert_eq!(last_line(&output), "verdict: unknown(input error)");
        assert!(!stderr(&output).contains("internal error"), "{}", stderr(&output));
        for command in ["show", "run"] {
            let output = threadproof().arg(command).arg(&path).output().unwrap();
            assert_eq!(output.status.code(), Some(2), "{command}: {}", stderr(&output));
        }
    }
}

#[test]
fn wrong_command_lines() {
    for options in [
        &["--property", "no-such"][..],
        &["--property", "/nonexistent/p.prp"],
        &["--timeout", "soon"],
        &["--memory-limit", "4"],
        &["--data-model", "LP65"],
        &["--data-model", "LP64", "--data-model", "ILP32"],
        &["--engine", "magic"],
        &["-D", "1X"],
        &["--no-such-option"],
    ] {
        let output = check(SAFE, options, 2, "unknown(usage error)");
        assert!(stderr(&output).contains("error: "), "{options:?}");
    }
    assert_eq!(threadproof().output().unwrap().status.code(), Some(2));
    assert_eq!(threadproof().arg("verify").output().unwrap().status.code(), Some(2));
}

#[test]
fn options_of_other_engines_are_refused() {
    for (options, named) in [
        (&["--engine", "impact", "--domain", "bdd"][..], ["--domain", "cpa", "impact"]),
        (&["--engine", "cpa", "--force-cover", "off"], ["--force-cover", "impact", "cpa"]),
        (&["--engine", "ufo", "--reduction", "on"], ["--reduction", "redcomp", "ufo"]),
        (&["--engine", "explore", "--post", "none"], ["--post", "ufo", "explore"]),
        (&["--waitlist", "bfs"], ["--waitlist", "cpa", "auto"]),
        (&["--engine", "auto", "--worklist", "bfs"], ["--worklist", "impact", "auto"]),
        (&["--por", "none"], ["--por", "impact, ufo and cpa", "auto"]),
        (&["--engine", "redcomp", "--por", "dpor"], ["--por", "impact, ufo and cpa", "redcomp"]),
        (&["--engine", "impact", "--por", "local"], ["--por local", "impact", "none, spor, dpor"]),
        (&["--engine", "cpa", "--por", "dpor"], ["--por dpor", "cpa", "none, local"]),
        (&["--engine", "ufo", "--por", "none"], ["--por none", "ufo", "spor, dpor"]),
    ] {
        let output = check(SAFE, options, 2, "unknown(usage error)");
        let message = stderr(&output);
        assert!(named.iter().all(|name| message.contains(name)), "{options:?}: {message}");
    }
    for options in [
        &["--engine", "impact", "--por", "none", "--force-cover", "off", "--worklist", "switches"][..],
        &["--engine", "ufo", "--por", "spor", "--post", "boolean", "--interpolate", "off"],
        &["--engine", "cpa", "--por", "none", "--domain", "bdd", "--waitlist", "bfs", "--partition", "off"],
        &["--engine", "redcomp", "--reduction", "off"],
    ] {
        check(SAFE, options, 0, "true");
    }
}

#[test]
fn bench_hands_over_the_options_of_its_engine() {
    let fixture = Fixture::new();
    task(&fixture, "t/lost", LOST_UPDATE, false);
    let bench = |options: &[&str]| {
        threadproof().arg("bench").arg(fixture.folder.path()).args(options).output().unwrap()
    };
    let output = bench(&["--engine", "cpa", "--domain", "interval", "--por", "none"]);
    assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
    assert_eq!(bench(&["--engine", "cpa", "--post", "none"]).status.code(), Some(2));
}

#[test]
fn help_teaches() {
    let output = threadproof().arg("--help").output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    for expected in ["Examples:", "Exit codes:", "verify", "bench"] {
        assert!(stdout(&output).contains(expected));
    }
}

#[test]
fn time_and_memory_are_limited() {
    let start = Instant::now();
    check(ENDLESS, &["--engine", "explore", "--timeout", "300ms"], 3, "unknown(timeout)");
    assert!(start.elapsed() < Duration::from_secs(5), "it took {:?}", start.elapsed());
    check(ENDLESS, &["--engine", "explore", "--memory-limit", "1MB"], 3, "unknown(out of memory)");
}

#[test]
fn an_interrupt_keeps_what_is_known() {
    let fixture = Fixture::new();
    let path = fixture.file("endless.c", ENDLESS);
    let mut command = threadproof();
    command
        .args(["verify", "--engine", "explore", "--stats"])
        .arg(path)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    std::thread::sleep(Duration::from_millis(500));
    let pid = rustix::process::Pid::from_raw(child.id() as i32).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let start = Instant::now();
    let status = child.wait().unwrap();
    assert!(start.elapsed() < Duration::from_secs(3));
    assert_eq!(status.code(), Some(130));
    let mut text = String::new();
    child.stdout.take().unwrap().read_to_string(&mut text).unwrap();
    assert_eq!(text.lines().next_back(), Some("verdict: unknown(interrupted)"));
    assert!(text.contains("stats: {"), "{text}");
}

#[test]
fn a_reader_that_leaves_is_no_error() {
    let fixture = Fixture::new();
    let path = fixture.file("prog.c", LOST_UPDATE);
    for arguments in [&["show"][..], &["verify"], &["run"], &["--help"]] {
        let mut command = threadproof();
        command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
        if arguments[0] != "--help" {
            command.arg(&path);
        }
        let mut child = command.spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert!(output.status.code().is_some_and(|c| c != 101), "{arguments:?}: {:?}", output.status);
        assert!(!stderr(&output).contains("internal error"), "{arguments:?}: {}", stderr(&output));
    }
}

#[test]
fn show_prints_the_program() {
    let fixture = Fixture::new();
    let path = fixture.file("prog.c", LOST_UPDATE);
    let text = threadproof().arg("show").arg(&path).output().unwrap();
    assert_eq!(text.status.code(), Some(0), "{}", stderr(&text));
    assert!(stdout(&text).contains("increment"));
    let dot = threadproof().args(["show", "--as", "dot"]).arg(&path).output().unwrap();
    assert!(stdout(&dot).trim_start().starts_with("digraph"), "{}", stdout(&dot));
}

#[test]
fn run_is_repeatable() {
    let fixture = Fixture::new();
    let path = fixture.file("prog.c", LOST_UPDATE);
    let run = |seed: &str| stdout(&threadproof().args(["run", "--seed", seed]).arg(&path).output().unwrap());
    assert_eq!(run("7"), run("7"));
    assert!((0..20).any(|seed: u32| run(&seed.to_string()) != run("0")), "seeds should matter");
    let endless = fixture.file("endless.c", ENDLESS);
    let output = threadproof().args(["run", "--steps", "50"]).arg(&endless).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(last_line(&output).contains("stopped after 50 steps"), "{}", stdout(&output));
}

fn task(fixture: &Fixture, name: &str, program: &str, expected: bool) {
    fixture.file(&format!("{name}.c"), program);
    let base = name.rsplit('/').next().unwrap();
    let text = format!(
        "format_version: '2.0'\ninput_files: '{base}.c'\nproperties:\n  - property_file: ../p/unreach-call.prp\n    \
         expected_verdict: {expected}\n  - property_file: ../p/coverage.prp\n"
    );
    fixture.file(&format!("{name}.yml"), &text);
}

fn rows(path: &Path) -> Vec<serde_json::Value> {
    let text = std::fs::read_to_string(path).unwrap();
    serde_json::from_str::<serde_json::Value>(&text).unwrap().as_array().unwrap().clone()
}

#[test]
fn bench_judges_answers() {
    let fixture = Fixture::new();
    task(&fixture, "one/safe", SAFE, true);
    task(&fixture, "one/lost", LOST_UPDATE, false);
    task(&fixture, "two/endless", ENDLESS, true);
    task(&fixture, "two/broken", "int main( {", true);
    for extra in [&[][..], &["--in-process"]] {
        let json = fixture.folder.path().join("rows.json");
        let mut command = threadproof();
        command.arg("bench").arg(fixture.folder.path()).arg("--json").arg(&json).args(extra);
        let output =
            command.args(["--engine", "explore", "--timeout", "300ms", "--jobs", "2"]).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
        let found = rows(&json);
        let statuses: Vec<&str> = found.iter().map(|r| r["status"].as_str().unwrap()).collect();
        assert_eq!(statuses, ["right", "right", "error", "timeout"], "{found:?}");
        assert_eq!((&found[0]["category"], &found[2]["category"]), (&"one".into(), &"two".into()));
        assert!(found.iter().all(|r| r["peak_mb"].as_f64().unwrap() > 0.0));
        assert!(stdout(&output).contains("right false"), "{}", stdout(&output));
    }

    task(&fixture, "one/lie", SAFE, false);
    let output = threadproof().arg("bench").arg(fixture.folder.path().join("one/lie.yml")).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(stdout(&output).contains("wrong answers:"));
}

#[test]
fn bench_keeps_its_rows_when_interrupted() {
    let fixture = Fixture::new();
    task(&fixture, "t/a", SAFE, true);
    task(&fixture, "t/b", ENDLESS, true);
    task(&fixture, "t/c", ENDLESS, true);
    let json = fixture.folder.path().join("rows.json");
    let mut command = threadproof();
    command.arg("bench").arg(fixture.folder.path()).arg("--json").arg(&json).args(["--timeout", "60s"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut first = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut first).unwrap();
    let pid = rustix::process::Pid::from_raw(child.id() as i32).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", stdout(&output));
    assert_eq!(rows(&json).len(), 1);
    assert!(stdout(&output).contains("median s"));
}

#[test]
fn bench_without_tasks() {
    let fixture = Fixture::new();
    let empty = threadproof().arg("bench").arg(fixture.folder.path()).output().unwrap();
    assert_eq!(empty.status.code(), Some(2));
    let bad = fixture.file("bad.yml", "a: [");
    assert_eq!(threadproof().arg("bench").arg(bad).output().unwrap().status.code(), Some(2));
    assert_eq!(threadproof().args(["bench", "/nonexistent"]).output().unwrap().status.code(), Some(2));
}
