//! Random small programs about termination: ranks (of all threads together, and of one at a time) and recurrent sets agree with exhaustive exploration, and every answer passes its
//! check.
//!
//! The programs have small numbers in loops whose conditions and steps are drawn at random, in one thread or in two or three that share them,
//! under a lock, in atomic sections or neither, with flags, condition variables and joins. A failure prints the
//! program; `testkit::settings` says how to try more of them.

use base::{Budget, Inconclusive, Random, Stats};
use engines::ranking::Bounds;
use engines::{Engine, Task};
use evidence::Outcome;
use program::interp::{Interp, Limits, NoChooser, NoObserver, StepResult, ThreadId};
use program::passes::Overflow;
use program::{Program, Property};
use semantics::Analysis;
use std::fmt::Write;
use std::time::Duration;

/// What a question may take.
fn time() -> Duration {
    testkit::settings::time_limit(Duration::from_secs(3))
}

const HEAD: &str = "typedef unsigned long pthread_t;
typedef struct { int w[10]; } pthread_mutex_t;
typedef struct { int w[12]; } pthread_cond_t;
extern int pthread_create(pthread_t *, void *, void *(*)(void *), void *);
extern int pthread_join(pthread_t, void **);
extern void pthread_exit(void *);
extern int pthread_mutex_lock(pthread_mutex_t *);
extern int pthread_mutex_unlock(pthread_mutex_t *);
extern int pthread_cond_wait(pthread_cond_t *, pthread_mutex_t *);
extern int pthread_cond_signal(pthread_cond_t *);
extern _Bool __VERIFIER_nondet_bool(void);
extern void __VERIFIER_assume(int);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
unsigned char x = 3, y = 2, flag;
pthread_mutex_t m;
pthread_cond_t c;
pthread_t id;
";

struct Generator(Random);

impl Generator {
    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        self.0.pick(from)
    }

    fn condition(&mut self) -> &'static str {
        self.pick(&[
            "x > 0",
            "y > 0",
            "x != 0",
            "x != y",
            "x < 5",
            "y < 4",
            "!flag",
            "flag",
            "x > y",
            "i < 3",
            "i != 0",
            "__VERIFIER_nondet_bool()",
            "x > 0 && y > 0",
            "x > 0 || i > 0",
        ])
    }

    fn step(&mut self) -> &'static str {
        self.pick(&[
            "x--;",
            "x = (x + 1) & 7;",
            "y--;",
            "y = (y + 1) & 3;",
            "x = y;",
            "x = 6;",
            "i++;",
            "i = (i + 1) & 3;",
            "i = x;",
            "x = (x - 2) & 7;",
            "if (x > 0) x--;",
            "if (y > 0) y--;",
            "flag = 1;",
            "flag = 0;",
            "flag = !flag;",
            "x = x / 2;",
            "i = 0;",
            "if (i == 2) break;",
            "__VERIFIER_assume(x < 6);",
        ])
    }

    fn steps(&mut self, in_loop: bool, most: u64) -> String {
        let mut text = String::new();
        for _ in 0..1 + self.0.below(most) {
            let mut step = self.step();
            while !in_loop && step.contains("break") {
                step = self.step();
            }
            text.push_str(step);
            text.push(' ');
        }
        text
    }

    fn statement(&mut self, depth: u32, threads: bool) -> String {
        match self.0.below(if threads { 12 } else { 8 }) {
            0 | 1 => self.steps(false, 2),
            2..=4 => {
                let condition = self.condition();
                let inner = if depth > 0 { self.statement(depth - 1, threads) } else { String::new() };
                format!("while ({condition}) {{ {}{inner} }}", self.steps(true, 2))
            }
            5 => format!(
                "if ({}) {{ {} }}",
                self.condition(),
                self.statement(depth.saturating_sub(1), threads)
            ),
            6 => format!("do {{ {} }} while ({});", self.steps(true, 2), self.condition()),
            7 => format!("while (1) {{ if ({}) break; {} }}", self.condition(), self.steps(true, 2)),
            8 => format!("pthread_mutex_lock(&m); {} pthread_mutex_unlock(&m);", self.steps(false, 2)),
            9 => format!("__VERIFIER_atomic_begin(); {} __VERIFIER_atomic_end();", self.steps(false, 2)),
            10 => format!(
                "pthread_mutex_lock(&m); {} ({}) pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m);",
                self.pick(&["while", "if"]),
                self.condition()
            ),
            _ => "pthread_mutex_lock(&m); flag = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&m);"
                .to_owned(),
        }
    }

    fn program(&mut self) -> String {
        let threads = self.0.below(2) == 0;
        let mut text = HEAD.to_owned();
        if threads {
            let body = self.statement(0, true);
            let _ = write!(
                text,
                "void *worker(void *arg) {{\n    unsigned i = 0;\n    {body}\n    return 0;\n}}\n"
            );
        }
        text.push_str("int main(void) {\n    unsigned i = 0;\n");
        if self.0.below(2) == 0 {
            text.push_str("    if (__VERIFIER_nondet_bool()) x = 0; else y = 1;\n");
        }
        if threads {
            text.push_str(self.pick(&[
                "    pthread_create(&id, 0, worker, 0);\n",
                "    pthread_create(&id, 0, worker, 0);\n",
                "    for (unsigned char n = 0; n < 2; n++) pthread_create(&id, 0, worker, 0);\n",
            ]));
        }
        for _ in 0..1 + self.0.below(if threads { 1 } else { 3 }) {
            let statement = self.statement(u32::from(!threads), threads);
            let _ = writeln!(text, "    {statement}");
        }
        if threads {
            text.push_str(self.pick(&[
                "    pthread_join(id, 0);\n",
                "    pthread_join(id, 0);\n",
                "    pthread_exit(0);\n",
                "",
            ]));
        }
        text.push_str("    return 0;\n}\n");
        text
    }
}

/// Whether the program ends, if that is known; an error is a bug.
fn checked(program: &Program, outcome: Outcome) -> Result<Option<bool>, String> {
    let budget = Budget::new(Some(Duration::from_secs(20)), None);
    match outcome {
        Outcome::Safe(proof) => match certify::check_proof(program, Property::Termination, &proof, &budget) {
            Ok(()) => Ok(Some(true)),
            Err(Inconclusive::CheckFailed(why)) => Err(format!("a proof fails its check: {why}")),
            Err(_) => Ok(None),
        },
        Outcome::Unsafe(trace) => match certify::replay(program, &trace) {
            Ok(_) => Ok(Some(false)),
            Err(why) => Err(format!("a trace does not replay: {why}")),
        },
        Outcome::UnsafeGraph(_) => unreachable!("under sequential consistency a violation is a trace"),
        Outcome::Unknown(Inconclusive::CheckFailed(why)) => Err(format!("a check fails: {why}")),
        Outcome::Unknown(_) => Ok(None),
    }
}

/// A function of one or two small arguments that calls itself, in one place or in two, with or without using the result.
fn recursive_program(random: &mut Random) -> String {
    let mut pick = |from: &[&'static str]| from[random.below(from.len() as u64) as usize];
    let condition = pick(&["a == 0", "a < 2", "b == 0", "a > b", "a == 0 || b == 0", "x == 0", "a == b"]);
    let mut argument =
        || pick(&["a - 1", "b - 1", "a", "b", "a / 2", "0", "(a + 1) & 7", "x", "t", "a - 2"]).to_owned();
    let calls = [(argument(), argument()), (argument(), argument())];
    let first = pick(&["", "x--;", "x = 3;", "if (a > 3) return 1;", "while (x > 0) x--;"]);
    let second = pick(&["", "if (b > 1) t = f(A, B);", "t = f(A, B);", "while (t > 0) t--;", "x = t;"]);
    let second = second.replace('A', &calls[1].0).replace('B', &calls[1].1);
    let start = pick(&["f(3, 2)", "f(x, y)", "f(5, 1)", "f(2, 6)"]);
    format!(
        "unsigned char x = 3, y = 2;
unsigned char f(unsigned char a, unsigned char b) {{
    unsigned char t = 0;
    if ({condition}) return b;
    {first}
    t = f({}, {});
    {second}
    return t;
}}
int main(void) {{ return {start}; }}
",
        calls[0].0, calls[0].1
    )
}

/// Two functions that call each other.
fn mutually_recursive_program(random: &mut Random) -> String {
    let mut pick = |from: &[&'static str]| from[random.below(from.len() as u64) as usize];
    let conditions = [(); 2].map(|()| pick(&["a == 0", "a < 2", "b == 0", "a > b", "x == 0", "a == b"]));
    let mut argument = || pick(&["a - 1", "b - 1", "a", "b", "a / 2", "0", "(a + 1) & 7", "x", "a - 2"]);
    let args = [(); 6].map(|()| argument());
    let first = pick(&["", "x--;", "x = 3;", "if (a > 3) return 1;", "while (x > 0) x--;"]);
    let second = pick(&["return g(A, B);", "t = g(A, B); return t;", "t = g(A, B); return f(t, C);"]);
    let second = second.replace('A', args[0]).replace('B', args[1]).replace('C', args[2]);
    let third =
        pick(&["return f(A, B);", "if (b > 2) return g(A, C); return f(A, B);", "f(A, B); return C;"]);
    let third = third.replace('A', args[3]).replace('B', args[4]).replace('C', args[5]);
    let start = pick(&["f(3, 2)", "f(x, y)", "g(5, 1)", "g(2, 6)"]);
    format!(
        "unsigned char x = 3, y = 2;
unsigned char g(unsigned char, unsigned char);
unsigned char f(unsigned char a, unsigned char b) {{
    unsigned char t = 0;
    if ({}) return b;
    {first}
    {second}
}}
unsigned char g(unsigned char a, unsigned char b) {{
    if ({}) return a;
    {third}
}}
int main(void) {{ return {start}; }}
",
        conditions[0], conditions[1]
    )
}

/// Runs a program without inputs: whether it ends. So many nested calls with so few values do not come back.
fn run(program: &Program) -> Option<bool> {
    let limits = Limits { frames: 20_000, ..Limits::default() };
    let interp = Interp::with_limits(program, limits).expect("it should start");
    let mut state = interp.initial();
    for _ in 0..400_000 {
        match interp.step(&mut state, ThreadId::MAIN, &mut NoChooser, &mut NoObserver) {
            StepResult::Continue => {}
            StepResult::Ended => return Some(true),
            StepResult::Bound(_) => return Some(false),
            other => panic!("{other:?}"),
        }
    }
    None
}

#[test]
fn recursion_that_is_proved_to_end_ends() {
    let seeds = testkit::settings::seeds(80);
    let n_programs = seeds.end - seeds.start;
    let (mut n_proved, mut n_ends, mut n_endless) = (0, 0, 0);
    for seed in seeds {
        let random = &mut Random(seed);
        let text = if seed % 2 == 0 { recursive_program(random) } else { mutually_recursive_program(random) };
        let loaded = frontend::load_text("random.i", &text, &frontend::Options::default());
        let program = loaded
            .program
            .unwrap_or_else(|| panic!("{:?}\n{text}", loaded.diagnostics))
            .with(Overflow::Wraps);
        let Some(flat) = program::passes::without_recursion(&program) else { panic!("{text}") };
        let budget = || Budget::new(Some(time()), None);
        let proof =
            engines::ranking::prove(&Analysis::of(&flat), Bounds::Widths, &budget(), &mut Stats::default());
        let proof = proof.map(|proof| Outcome::Safe(evidence::Proof::RecursionFree(Box::new(proof))));
        let proved = checked(&program, proof.unwrap_or_else(Outcome::Unknown));
        let proved = proved.unwrap_or_else(|why| panic!("seed {seed}: {why}\n{text}"));
        let ends = run(&program);
        assert!(proved.is_none() || ends != Some(false), "seed {seed}: does not end\n{text}");
        n_proved += u64::from(proved.is_some());
        n_ends += u64::from(ends == Some(true));
        n_endless += u64::from(ends == Some(false));
    }
    println!("{n_programs} programs: {n_ends} end, {n_endless} do not, {n_proved} are proved");
    assert!(n_proved > 0 && n_endless > 0, "both should occur");
}

#[derive(Default, Debug)]
struct Counts {
    ends: u64,
    goes_on: u64,
    not_explored: u64,
    proved: u64,
    modular: u64,
    refuted: u64,
}

fn compare(program: &Program, counts: &mut Counts) -> Result<(), String> {
    let budget = || Budget::new(Some(time()), None);
    let options = engines::explore::Options { max_states: 60_000, ..Default::default() };
    let explored = options.run(&Task::new(program, Property::Termination, &budget()), &mut Stats::default());
    let explored = checked(program, explored).map_err(|why| format!("exploration: {why}"))?;
    match explored {
        Some(true) => counts.ends += 1,
        Some(false) => counts.goes_on += 1,
        None => counts.not_explored += 1,
    }
    let proof =
        engines::ranking::prove(&Analysis::of(program), Bounds::Widths, &budget(), &mut Stats::default());
    let proved = checked(program, proof.map_or_else(Outcome::Unknown, Outcome::Safe))
        .map_err(|why| format!("ranks: {why}"))?;
    let mut modular = Vec::new();
    for reduction in [false, true] {
        let stats = &mut Stats::default();
        let proof = engines::redcomp::terminate::prove(
            &Analysis::of(program),
            reduction,
            Bounds::Widths,
            &budget(),
            stats,
        );
        let proved = checked(program, proof.map_or_else(Outcome::Unknown, Outcome::Safe))
            .map_err(|why| format!("ranks of single threads (reduction {reduction}): {why}"))?;
        counts.modular += u64::from(proved.is_some());
        modular.push(proved);
    }
    let trace = engines::ranking::refute(
        &Analysis::of(program),
        &|trace| certify::replay(program, trace).is_ok(),
        &budget(),
        &mut Stats::default(),
    )
    .ok()
    .flatten();
    let refuted = trace.map(|trace| checked(program, Outcome::Unsafe(trace))).transpose();
    let refuted = refuted.map_err(|why| format!("recurrence: {why}"))?.flatten();
    counts.proved += u64::from(proved.is_some());
    counts.refuted += u64::from(refuted.is_some());
    let answers = [
        ("ranks", proved),
        ("ranks of single threads", modular[0]),
        ("ranks of single threads, with blocks", modular[1]),
        ("recurrence", refuted),
    ];
    for (who, answer) in answers {
        if let (Some(truth), Some(answer)) = (explored, answer)
            && truth != answer
        {
            return Err(format!("{who} say {answer}, exploration says {truth}"));
        }
    }
    match (proved.or(modular[0]).or(modular[1]), refuted) {
        (Some(true), Some(false)) => Err("ranks and recurrence contradict each other".to_owned()),
        _ => Ok(()),
    }
}

#[test]
fn ranks_and_recurrent_sets_agree_with_exploration() {
    let seeds = testkit::settings::seeds(60);
    let n_programs = seeds.end - seeds.start;
    let mut counts = Counts::default();
    for seed in seeds {
        let text = Generator(Random(seed)).program();
        let loaded = frontend::load_text("random.i", &text, &frontend::Options::default());
        let program = loaded
            .program
            .unwrap_or_else(|| panic!("{:?}\n{text}", loaded.diagnostics))
            .with(Overflow::Wraps);
        if let Err(why) = compare(&program, &mut counts) {
            panic!("seed {seed}: {why}\n{text}");
        }
        if n_programs > 1000 && seed % 500 == 0 {
            eprintln!("{seed}: {counts:?}");
        }
    }
    eprintln!("{counts:?}");
    assert!(counts.proved > 0 && counts.refuted > 0, "both answers should occur: {counts:?}");
}
