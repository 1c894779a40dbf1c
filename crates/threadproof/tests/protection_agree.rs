//! Random small threaded programs with objects on the heap: what the analysis of whole programs proves, exhaustive exploration
//! confirms, and every answer passes its check.
//!
//! The programs reach objects with locks of their own through globals, arguments, parameters and other objects; make them known early, late or never;
//! lock the right object, another one, or none. `THREADPROOF_PROGRAMS=n` sets how many programs, `THREADPROOF_SEED=s` the
//! first one. A failure prints the program.

use base::{Budget, Random, Stats};
use engines::{Engine, Task};
use evidence::Outcome;
use program::passes::Overflow;
use program::{Program, Property};
use std::fmt::Write;
use std::time::Duration;

const HEAD: &str = "typedef unsigned long pthread_t;
typedef struct { int w[10]; } pthread_mutex_t;
extern int pthread_create(pthread_t *, void *, void *(*)(void *), void *);
extern int pthread_join(pthread_t, void **);
extern int pthread_mutex_init(pthread_mutex_t *, void *);
extern int pthread_mutex_lock(pthread_mutex_t *);
extern int pthread_mutex_unlock(pthread_mutex_t *);
extern int pthread_mutex_trylock(pthread_mutex_t *);
extern void *malloc(unsigned long);
extern void free(void *);
struct node { pthread_mutex_t m; int v; struct node *next; };
struct node *shared, *other;
pthread_mutex_t g;
pthread_t id[3];
struct node *make(struct node *next) {
    struct node *n = malloc(sizeof *n);
    pthread_mutex_init(&n->m, 0);
    n->v = 0;
    n->next = next;
    return n;
}
void take(struct node *n) { pthread_mutex_lock(&n->m); }
void give(struct node *n) { pthread_mutex_unlock(&n->m); }
";

/// A pointer to an object.
fn object(r: &mut Random) -> &'static str {
    r.pick(&["shared", "shared", "n", "n", "n", "other", "shared->next", "n->next"])
}

fn access(r: &mut Random, object: &str) -> String {
    match r.below(4) {
        0 => format!("t = {object}->v;"),
        1 => format!("{object}->v = t;"),
        _ => format!("{object}->v++;"),
    }
}

fn statement(r: &mut Random) -> String {
    let it = object(r);
    let body = access(r, it);
    match r.below(16) {
        0..=2 => format!("take({it}); {body} give({it});"),
        3 | 4 => format!("pthread_mutex_lock(&{it}->m); {body} pthread_mutex_unlock(&{it}->m);"),
        5 => format!("if (!pthread_mutex_trylock(&{it}->m)) {{ {body} give({it}); }}"),
        6 => format!("pthread_mutex_lock(&g); {body} pthread_mutex_unlock(&g);"),
        7 => format!(
            "{{ struct node *o = make(0); o->v = 1; t = o->v; {} }}",
            r.pick(&["", "free(o);", "n = o;"])
        ),
        8 => format!("{{ struct node *o = make({it}); o->next->v++; }}"),
        9 => format!(
            "{{ struct node *o = make(0); {} o->v = 2; }}",
            r.pick(&["other = o;", "n->next = o;", ""])
        ),
        10 => "pthread_mutex_lock(&g); other = make(0); pthread_mutex_unlock(&g);".to_owned(),
        11 => format!("take({it}); n = shared; {body} give({it});"),
        12 => r.pick(&["n = shared;", "n = other;", "n = make(0);", "n = n->next;"]).to_owned(),
        13 => format!("take(n); {body} give(n);"),
        14 => format!("give({it});"),
        _ => body,
    }
}

fn lines(r: &mut Random, kinds: &[String], most: u64) -> String {
    let n = 1 + r.below(most);
    let mut line = |_| {
        // Few kinds of statements per program make consistent protection likely.
        let chosen = if r.below(4) == 0 { statement(r) } else { r.pick(kinds) };
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
        let code = lines(&mut r, &kinds, 2);
        let first = r.pick(&["arg", "shared", "make(0)"]);
        let _ = write!(
            text,
            "void *thread{thread}(void *arg) {{\n    int t = 0;\n    struct node *n = {first};\n{code}    return 0;\n}}\n"
        );
    }
    text.push_str("int main(void) {\n    int t = 0;\n    struct node *n = make(make(0));\n");
    text.push_str("    shared = make(make(0));\n    other = shared->next;\n");
    for thread in 0..threads {
        if r.below(2) == 0 {
            text.push_str(&lines(&mut r, &kinds, 1));
        }
        let start = if r.below(3) == 0 { 0 } else { thread };
        let given = r.pick(&["shared", "n", "make(make(0))", "other"]);
        let _ = writeln!(text, "    pthread_create(&id[{thread}], 0, thread{start}, {given});");
        if r.below(4) == 0 {
            let _ = writeln!(text, "    pthread_join(id[{thread}], 0);");
        }
    }
    if r.below(2) == 0 {
        text.push_str(&lines(&mut r, &kinds, 1));
    }
    text.push_str("    return 0;\n}\n");
    text
}

fn load(text: &str) -> Program {
    let options = frontend::Options::default();
    let loaded = frontend::load_text("random.i", text, &options);
    let program = loaded.program.unwrap_or_else(|| panic!("{:?} in\n{text}", loaded.diagnostics));
    program.with(Overflow::Wraps)
}

#[test]
fn what_is_proved_exploration_confirms() {
    let seeds = testkit::settings::seeds(60);
    let (mut proved, mut racy, mut cells, mut proved_cells) = (0, 0, 0, 0);
    for seed in seeds {
        let text = generate(seed);
        let program = load(&text);
        let budget = Budget::unlimited();
        let task = Task::new(&program, Property::NoDataRace, &budget).assuming_defined();
        let answers = task.locations().unwrap_or_else(|why| panic!("seed {seed}: {why} in\n{text}"));
        let checked = certify::protection::check_answers(&program, &answers.protection, &budget);
        assert!(checked.is_ok(), "seed {seed}: answers fail their check, {checked:?}, of\n{text}");
        cells += answers.cells.len();
        proved_cells += answers.protection.proved.len();
        let outcome = engines::protection::Options.run(&task, &mut Stats::default());
        if let Outcome::Safe(proof) = &outcome {
            let checked = certify::check_proof(&program, Property::NoDataRace, proof, &budget);
            assert!(checked.is_ok(), "seed {seed}: a proof fails its check, {checked:?}, of\n{text}");
            proved += 1;
        }
        let limited = task.within(budget.within(Duration::from_secs(2)));
        let explore =
            engines::explore::Options { max_states: 20_000, reduction: false, ..Default::default() };
        let explored = explore.run(&limited, &mut Stats::default());
        if let Outcome::Unsafe(trace) = &explored
            && trace.property == Property::NoDataRace
        {
            racy += 1;
            assert!(!matches!(outcome, Outcome::Safe(_)), "seed {seed}: a race, but a proof, of\n{text}");
            let all = answers.protection.proved.len() == answers.cells.len();
            assert!(!all, "seed {seed}: a race, but every location is proved, of\n{text}");
        }
    }
    println!("{proved} programs proved, {racy} racy; {proved_cells} of {cells} locations proved");
}
