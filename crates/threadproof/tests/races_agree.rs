//! Random small threaded programs about data races and deadlocks: what locksets prove, exhaustive exploration confirms, and every
//! answer passes its check.
//!
//! The programs lock most of what they access, in many ways: by name, through pointers and functions, for reading, by trying, in
//! atomic sections; sometimes they unlock what they do not hold. `THREADPROOF_PROGRAMS=n` sets how many programs,
//! `THREADPROOF_SEED=s` the first one. A failure prints the program.

use base::{Budget, Random, Stats};
use engines::{Engine, Task};
use evidence::Outcome;
use program::passes::Overflow;
use program::{Program, Property};
use std::fmt::Write;
use std::time::Duration;

const HEAD: &str = "typedef unsigned long pthread_t;
typedef struct { int w[10]; } pthread_mutex_t;
typedef struct { int w[14]; } pthread_rwlock_t;
extern int pthread_create(pthread_t *, void *, void *(*)(void *), void *);
extern int pthread_join(pthread_t, void **);
extern int pthread_mutex_lock(pthread_mutex_t *);
extern int pthread_mutex_unlock(pthread_mutex_t *);
extern int pthread_mutex_trylock(pthread_mutex_t *);
extern int pthread_rwlock_rdlock(pthread_rwlock_t *);
extern int pthread_rwlock_wrlock(pthread_rwlock_t *);
extern int pthread_rwlock_trywrlock(pthread_rwlock_t *);
extern int pthread_rwlock_unlock(pthread_rwlock_t *);
extern _Bool __VERIFIER_nondet_bool(void);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
int x, y, a[2];
pthread_mutex_t m, n, *p = &m;
pthread_rwlock_t r;
pthread_t id[3];
void enter(void) { pthread_mutex_lock(&m); }
void leave(void) { pthread_mutex_unlock(&m); }
int try(void) { return pthread_mutex_trylock(&m); }
";

fn access(r: &mut Random) -> String {
    match r.below(6) {
        0 => "t = x;".to_owned(),
        1 => "a[0] = t;".to_owned(),
        2 => "t = a[1];".to_owned(),
        3 => "__sync_fetch_and_add(&y, 1);".to_owned(),
        _ => "x++;".to_owned(),
    }
}

/// One statement; those that come first protect most accesses by the same lock.
fn statement(r: &mut Random) -> String {
    let body = access(r);
    match r.below(18) {
        0..=4 => format!("pthread_mutex_lock(&m); {body} pthread_mutex_unlock(&m);"),
        5 => format!("enter(); {body} leave();"),
        6 => format!("pthread_mutex_lock(p); {body} pthread_mutex_unlock(p);"),
        7 => format!("if (!pthread_mutex_trylock(&m)) {{ {body} pthread_mutex_unlock(&m); }}"),
        8 => format!("t = pthread_mutex_trylock(&m); if (t == 0) {{ {body} leave(); }}"),
        9 => format!(
            "pthread_mutex_lock(&n); pthread_mutex_lock(&m); {body} leave(); pthread_mutex_unlock(&n);"
        ),
        10 => format!("if (__VERIFIER_nondet_bool()) enter(); else pthread_mutex_lock(&m); {body} leave();"),
        11 => format!("pthread_rwlock_wrlock(&r); {body} pthread_rwlock_unlock(&r);"),
        12 => format!(
            "pthread_rwlock_rdlock(&r); t = x; pthread_rwlock_unlock(&r); {}",
            r.pick(&["", "t = 0;"])
        ),
        13 => format!("if (pthread_rwlock_trywrlock(&r) == 0) {{ {body} pthread_rwlock_unlock(&r); }}"),
        14 => format!("__VERIFIER_atomic_begin(); {body} __VERIFIER_atomic_end();"),
        15 => format!("t = try(); if (t != 0) enter(); {body} leave();"),
        16 => format!(
            "enter(); {} {body}",
            r.pick(&["leave();", "p = &n;", "leave(); enter();", "leave(); leave();"])
        ),
        _ => body,
    }
}

fn body(r: &mut Random, kinds: &[String], most: u64) -> String {
    let n = 1 + r.below(most);
    let mut line = |_| {
        // Few kinds of statements per program make consistent protection likely.
        let chosen = if r.below(5) == 0 { statement(r) } else { r.pick(kinds) };
        format!("    {chosen}\n")
    };
    (0..n).map(&mut line).collect()
}

fn generate(seed: u64) -> String {
    let mut r = Random(seed);
    let kinds: Vec<String> = (0..2).map(|_| statement(&mut r)).collect();
    let mut text = HEAD.to_owned();
    let threads = 1 + r.below(2);
    for thread in 0..threads {
        let code = body(&mut r, &kinds, 2);
        let _ = write!(text, "void *thread{thread}(void *arg) {{\n    int t = 0;\n{code}    return 0;\n}}\n");
    }
    text.push_str("int main(void) {\n    int t = 0;\n");
    for thread in 0..threads {
        if r.below(2) == 0 {
            let _ = writeln!(text, "    {}", access(&mut r));
        }
        let _ = writeln!(text, "    pthread_create(&id[{thread}], 0, thread{thread}, 0);");
        if r.below(4) == 0 {
            let _ = writeln!(text, "    pthread_join(id[{thread}], 0);");
        }
    }
    if r.below(2) == 0 {
        text.push_str(&body(&mut r, &kinds, 1));
    }
    if r.below(2) == 0 {
        for thread in 0..threads {
            let _ = writeln!(text, "    pthread_join(id[{thread}], 0);");
        }
        let _ = writeln!(text, "    {}", access(&mut r));
    }
    text.push_str("    return 0;\n}\n");
    text
}

/// `Some(true)`: holds; `Some(false)`: violated; `None`: no answer. Every answer is checked.
fn verdict(program: &Program, property: Property, outcome: Outcome, what: &str, text: &str) -> Option<bool> {
    match outcome {
        Outcome::Safe(proof) => {
            let checked = certify::check_proof(program, property, &proof, &Budget::unlimited());
            assert!(checked.is_ok(), "{what}: a proof fails its check, {checked:?}, of\n{text}");
            Some(true)
        }
        Outcome::Unsafe(trace) => {
            let replayed = certify::replay(program, &trace);
            assert!(replayed.is_ok(), "{what}: a trace does not replay, {:?}, of\n{text}", replayed.err());
            Some(false)
        }
        Outcome::UnsafeGraph(_) => unreachable!("under sequential consistency a violation is a trace"),
        Outcome::Unknown(_) => None,
    }
}

#[test]
fn what_locksets_prove_exploration_confirms() {
    let seeds = testkit::settings::seeds(100);
    let n = seeds.end - seeds.start;
    let (mut proved, mut safe, mut racy) = (0, 0, 0);
    for seed in seeds {
        let text = generate(seed);
        let loaded = frontend::load_text("random.i", &text, &frontend::Options::default());
        let program = loaded
            .program
            .unwrap_or_else(|| panic!("seed {seed}: {:?} in\n{text}", loaded.diagnostics))
            .with(Overflow::Wraps);
        let limit = || Budget::new(Some(Duration::from_secs(60)), None);
        let mut stats = Stats::default();
        let property = Property::NoDataRace;
        let options =
            engines::explore::Options { max_states: 30_000, reduction: false, ..Default::default() };
        let outcome = options.run(&Task::new(&program, property, &limit()), &mut stats);
        let truth = verdict(&program, property, outcome, &format!("seed {seed}, explore"), &text);
        let reduced = engines::explore::Options { reduction: true, ..options };
        let outcome = reduced.run(&Task::new(&program, property, &limit()), &mut stats);
        let found = verdict(&program, property, outcome, &format!("seed {seed}, reduced"), &text);
        assert!(
            truth.is_none() || found == truth,
            "seed {seed}: with invisible actions {found:?}, not {truth:?}, in\n{text}"
        );
        let outcome = engines::lockset::Options.run(&Task::new(&program, property, &limit()), &mut stats);
        let found = verdict(&program, property, outcome, &format!("seed {seed}, locksets"), &text);
        assert!(
            found != Some(true) || truth != Some(false),
            "seed {seed}: locksets prove a race away in\n{text}"
        );
        proved += u64::from(found == Some(true));
        safe += u64::from(truth == Some(true));
        racy += u64::from(truth == Some(false));
    }
    println!("{n} programs: {safe} without races, of which locksets prove {proved}; {racy} with races");
    assert!(racy > n / 10 && safe > n / 10, "{safe} and {racy} of {n} programs test too little");
    assert!(proved > safe / 4, "locksets prove only {proved} of {safe} programs");
}

/// The default's answer about races, with functions that are not defined taken seriously.
fn races(text: &str) -> Outcome {
    let checks = frontend::Checks { foreign_accesses: true, ..frontend::Checks::default() };
    let options = frontend::Options { checks, ..frontend::Options::default() };
    let loaded = frontend::load_text("prog.i", &format!("{HEAD}{text}"), &options);
    let program =
        loaded.program.unwrap_or_else(|| panic!("{:?} in\n{text}", loaded.diagnostics)).with(Overflow::Wraps);
    let budget = Budget::new(Some(Duration::from_secs(120)), None);
    let check = |program: &Program, property: Property, outcome: &Outcome, budget: &Budget| match outcome {
        Outcome::Safe(proof) => certify::check_proof(program, property, proof, budget),
        Outcome::Unsafe(trace) => certify::replay(program, trace).map(|_| ()),
        Outcome::UnsafeGraph(_) => unreachable!("under sequential consistency a violation is a trace"),
        Outcome::Unknown(_) => Ok(()),
    };
    let outcome = engines::portfolio::verify(
        &Task::new(&program, Property::NoDataRace, &budget),
        &check,
        &mut Stats::default(),
    );
    if let Outcome::Safe(proof) = &outcome {
        assert_eq!(certify::check_proof(&program, Property::NoDataRace, proof, &budget), Ok(()));
    }
    outcome
}

/// SOUNDNESS: A14. What a function without a body does with a pointer is not known; a race beside it is one all the same.
#[test]
fn functions_without_a_body_that_get_a_pointer_leave_races_open() {
    let program = |argument: &str, access: &str| {
        format!(
            "extern void log_to(void *, const char *);
            void *other(void *arg) {{ x = 1; return 0; }}
            int main(void) {{
                pthread_create(&id[0], 0, other, 0);
                log_to({argument}, \"text\");
                {access}
                return 0;
            }}"
        )
    };
    assert!(matches!(races(&program("0", "y = 1;")), Outcome::Safe(_)));
    assert!(matches!(races(&program("&x", "x = 2;")), Outcome::Unsafe(_)));
    let open = races(&program("&x", "y = 1;"));
    assert!(matches!(open, Outcome::Unknown(base::Inconclusive::Unsupported(_))), "{open:?}");
    let open = races(&program("other", "y = 1;"));
    assert!(matches!(open, Outcome::Unknown(base::Inconclusive::Unsupported(_))), "{open:?}");
}

/// A pointer that is never set may be any lock's address.
#[test]
fn a_lock_that_is_never_set_protects_nothing() {
    let program = |lock: &str, unlock: &str| {
        format!(
            "void *other(void *arg) {{
                pthread_mutex_t *q;
                pthread_mutex_lock({lock});
                pthread_mutex_unlock({unlock});
                x = 1;
                return 0;
            }}
            int main(void) {{
                pthread_create(&id[0], 0, other, 0);
                pthread_mutex_lock(&m);
                x = 2;
                pthread_mutex_unlock(&m);
                return 0;
            }}"
        )
    };
    for (lock, unlock) in [("&m", "q"), ("q", "q")] {
        let found = races(&program(lock, unlock));
        assert!(!matches!(found, Outcome::Safe(_)), "{lock}, {unlock}: {found:?}");
    }
}
