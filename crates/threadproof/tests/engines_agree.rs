//! Random small threaded programs: every engine, in every configuration, agrees with exhaustive exploration, and every answer
//! passes its check.
//!
//! `THREADPROOF_PROGRAMS=n` sets how many programs, `THREADPROOF_SEED=s` the first one. A failure prints the program.

use base::{Budget, Stats};
use certify::Outcome;
use engines::impact::{Options, Por};
use program::{Program, Property};
use std::fmt::Write;
use std::time::Duration;

/// A small generator of pseudo-random numbers (xorshift); its seed is the program's number.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % n
    }
    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len() as u64) as usize]
    }
}

fn from_env(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(default)
}

const HEAD: &str = "typedef unsigned long pthread_t;
typedef struct { int w[10]; } pthread_mutex_t;
extern int pthread_create(pthread_t *, void *, void *(*)(void *), void *);
extern int pthread_join(pthread_t, void **);
extern int pthread_mutex_lock(pthread_mutex_t *);
extern int pthread_mutex_unlock(pthread_mutex_t *);
extern int pthread_mutex_trylock(pthread_mutex_t *);
extern void reach_error(void);
extern _Bool __VERIFIER_nondet_bool(void);
extern void __VERIFIER_assume(int);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
void check(int c) { if (!c) reach_error(); }
int x, y, z, a[2];
pthread_mutex_t m, n;
";

/// An expression over shared variables and the local `t`.
fn value(r: &mut Random) -> String {
    match r.below(6) {
        0 => r.below(3).to_string(),
        1 => format!("{} + 1", r.pick(&["x", "y", "t"])),
        2 => format!("a[{} & 1]", r.pick(&["x", "y", "t"])),
        3 => "t".to_owned(),
        _ => r.pick(&["x", "y", "z"]).to_owned(),
    }
}

fn condition(r: &mut Random) -> String {
    let left = value(r);
    format!("{left} {} {}", r.pick(&["==", "!=", "<", "<="]), r.below(3))
}

fn statement(r: &mut Random, depth: u32) -> String {
    match r.below(if depth == 0 { 9 } else { 15 }) {
        0..=2 => format!("{} = {};", r.pick(&["x", "y", "z"]), value(r)),
        3 => format!("t = {};", value(r)),
        4 => format!("{}++;", r.pick(&["x", "y", "z", "t"])),
        5 => format!("a[{} & 1] = {};", r.pick(&["x", "t", "z"]), value(r)),
        6 => format!("check({});", condition(r)),
        7 => format!("__VERIFIER_assume({});", condition(r)),
        8 => "t = __VERIFIER_nondet_bool();".to_owned(),
        9 => format!("if ({}) {{ {} }}", condition(r), statement(r, depth - 1)),
        10 => format!(
            "if ({}) {{ {} }} else {{ {} }}",
            condition(r),
            statement(r, depth - 1),
            statement(r, depth - 1)
        ),
        11 => {
            let lock = r.pick(&["m", "n"]);
            format!("pthread_mutex_lock(&{lock}); {} pthread_mutex_unlock(&{lock});", statement(r, depth - 1))
        }
        12 => format!(
            "__VERIFIER_atomic_begin(); {} {} __VERIFIER_atomic_end();",
            statement(r, depth - 1),
            statement(r, 0)
        ),
        13 => format!("for (int i = 0; i < 2; i++) {{ {} }}", statement(r, depth - 1)),
        _ => format!(
            "if (!pthread_mutex_trylock(&m)) {{ {} pthread_mutex_unlock(&m); }}",
            statement(r, depth - 1)
        ),
    }
}

fn body(r: &mut Random, most: u64) -> String {
    let n = 1 + r.below(most);
    (0..n).map(|_| format!("    {}\n", statement(r, 1))).collect()
}

fn generate(seed: u64) -> String {
    let mut r = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut text = HEAD.to_owned();
    let threads = 1 + r.below(2);
    for thread in 0..threads {
        let _ = write!(
            text,
            "void *thread{thread}(void *arg) {{\n    int t = 0;\n{}    return 0;\n}}\n",
            body(&mut r, 4)
        );
    }
    text.push_str("int main(void) {\n    int t = 0;\n    pthread_t id[3];\n");
    for thread in 0..threads {
        let _ = writeln!(text, "    pthread_create(&id[{thread}], 0, thread{thread}, 0);");
    }
    text.push_str(&body(&mut r, 3));
    if r.below(2) == 0 {
        for thread in 0..threads {
            let _ = writeln!(text, "    pthread_join(id[{thread}], 0);");
        }
        let _ = writeln!(text, "    check({});", condition(&mut r));
    }
    text.push_str("    return 0;\n}\n");
    text
}

/// `Some(true)`: holds; `Some(false)`: violated; `None`: no answer. Every answer is checked.
fn verdict(program: &Program, outcome: Outcome, what: &str, text: &str) -> Option<bool> {
    match outcome {
        Outcome::Safe(proof) => {
            let checked = certify::check_proof(program, Property::UnreachCall, &proof, &Budget::unlimited());
            assert!(checked.is_ok(), "{what}: a proof fails its check, {checked:?}, of\n{text}");
            Some(true)
        }
        Outcome::Unsafe(trace) => {
            let replayed = certify::replay(program, &trace);
            assert!(replayed.is_ok(), "{what}: a trace does not replay, {:?}, of\n{text}", replayed.err());
            Some(false)
        }
        Outcome::Unknown(_) => None,
    }
}

#[test]
fn every_configuration_agrees_with_exploration() {
    let (first, n) = (from_env("THREADPROOF_SEED", 1), from_env("THREADPROOF_PROGRAMS", 20));
    let (mut safe, mut unsafe_, mut unknown) = (0, 0, 0);
    for seed in first..first + n {
        let text = generate(seed);
        let loaded = frontend::load_text("random.i", &text, &frontend::Options::default());
        let program =
            loaded.program.unwrap_or_else(|| panic!("seed {seed}: {:?} in\n{text}", loaded.diagnostics));
        let limit = || Budget::new(Some(Duration::from_secs(1)), None);
        let mut stats = Stats::default();
        let options = engines::explore::Options { max_states: 200_000, ..Default::default() };
        let outcome =
            engines::explore::verify(&program, Property::UnreachCall, &options, &limit(), &mut stats);
        let Some(truth) = verdict(&program, outcome, "explore", &text) else {
            unknown += 1;
            continue;
        };
        if truth {
            safe += 1
        } else {
            unsafe_ += 1
        }
        for por in [Por::Dpor, Por::Spor, Por::None] {
            for force_cover in [true, false] {
                let options = Options { por, force_cover };
                let what = format!("seed {seed}, impact with {options:?}");
                let outcome =
                    engines::impact::verify(&program, Property::UnreachCall, &options, &limit(), &mut stats);
                match verdict(&program, outcome, &what, &text) {
                    Some(found) => assert_eq!(found, truth, "{what}: explore says {truth} of\n{text}"),
                    None => unknown += 1,
                }
            }
        }
    }
    assert!(
        safe > n / 10 && unsafe_ > n / 10,
        "{safe} safe and {unsafe_} unsafe of {n} programs test too little"
    );
    assert!(unknown < n * 3, "{unknown} of {} questions about {n} programs have no answer", n * 7);
}
