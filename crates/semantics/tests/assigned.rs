//! Definite assignment of memory against executions: where the analysis has no doubt, the interpreter meets no decision on memory that was never set.

use frontend::{Checks, Options, load_text};
use program::interp::{Choice, Chooser, Interp, NoObserver, StepResult, Wakeups};
use program::passes::Overflow;
use program::{Program, UndefinedKind, Width};
use semantics::Analysis;
use semantics::analysis::assigned::first_unset_read;

/// A program that takes longer does not terminate.
const MAX_STEPS: usize = 100_000;

/// What is indeterminate is one number, always.
struct Always(u128);

impl Chooser for Always {
    fn choose(&mut self, width: Width, _what: &Choice) -> Option<u128> {
        Some(width.truncate(self.0))
    }
}

fn load(text: &str) -> Program {
    let checks = Checks { validity: true, undefined: true, ..Checks::default() };
    let loaded = load_text("generated.c", text, &Options { checks, ..Options::default() });
    let raw =
        loaded.program.unwrap_or_else(|| panic!("it is not accepted: {:?}\n{text}", loaded.diagnostics));
    raw.with(Overflow::IsUndefined)
}

/// Whether the execution with this value of everything indeterminate meets a decision on it.
fn decides_on_unset(program: &Program, value: u128) -> bool {
    let interp = Interp::new(program).expect("the program should start");
    let mut state = interp.initial();
    for _ in 0..MAX_STEPS {
        let Some(thread) = interp.runnable(&state, Wakeups::OnlySignalled).first().copied() else {
            return false;
        };
        match interp.step(&mut state, thread, &mut Always(value), &mut NoObserver) {
            StepResult::Continue => {}
            StepResult::Undefined(found) => return found.kind == UndefinedKind::IndeterminateValue,
            _ => return false,
        }
    }
    panic!("the program should terminate")
}

#[test]
fn what_is_certainly_set_decides() {
    let (mut n_certain, mut n_undefined) = (0, 0);
    for seed in testkit::settings::seeds(400) {
        let (prelude, body) = (testkit::unset::PRELUDE, testkit::unset::program(seed, "run"));
        let text = format!("{prelude}{body}int main(void) {{\n  return run();\n}}\n");
        let program = load(&text);
        assert!(program.strict_decisions, "nothing in it should be open");
        let certain = first_unset_read(&Analysis::of(&program)).is_none();
        let undefined = [0, 2].into_iter().any(|value| decides_on_unset(&program, value));
        assert!(!(certain && undefined), "a read that is called certain decides on unset memory:\n{text}");
        n_certain += usize::from(certain);
        n_undefined += usize::from(undefined);
    }
    assert!(n_certain > 20 && n_undefined > 20, "{n_certain} certain, {n_undefined} undefined: too few");
}

/// Whether no read in the body of a function can see what was never set.
fn is_certain(body: &str) -> bool {
    let text = format!(
        "extern int __VERIFIER_nondet_int(void);
        extern void *malloc(unsigned long);
        struct pair {{ int a, b; }};
        static int get(int *out) {{ if (__VERIFIER_nondet_int()) return -1; *out = 3; return 0; }}
        static int both(int *out) {{ int ok = 0; if (__VERIFIER_nondet_int()) {{ *out = 1; ok = 1; }} return ok; }}
        static int use(int *a, int n) {{ return a[n] > 3; }}
        static int run(int n) {{ int a[5], v, t = 0; struct pair p[3]; {body} return t; }}
        int main(void) {{ return run(__VERIFIER_nondet_int()); }}"
    );
    first_unset_read(&Analysis::of(&load(&text))).is_none()
}

#[test]
fn arrays_are_set_one_element_after_the_other() {
    let certain = [
        "for (int i = 0; i < 5; i++) a[i] = n; t = a[n] > 1;",
        "for (unsigned i = 0; i < sizeof a / sizeof *a; i++) a[i] = n; t = use(a, n);",
        "for (long i = 0; i != 5; i++) { a[i] = n; if (a[i] > 2) t++; } t += a[4] > t;",
        "int i = 0; while (i < 5) a[i++] = 1; t = a[2] > 0;",
        "a[0] = 1; for (int i = 1; i <= 4; i++) a[i] = n; t = a[n] > 0;",
        "for (int i = 0; i < 3; i++) { p[i].a = 1; p[i].b = 2; } t = p[n].a > p[n].b;",
        "int *d = malloc(n * sizeof *d); for (int i = 0; i < n; i++) d[i] = 0; t = d[n - 1] > 0;",
        "int w[n]; for (int i = 0; i < n; i++) w[i] = i; t = w[0] > 0;",
    ];
    let doubtful = [
        "for (int i = 0; i < 4; i++) a[i] = n; t = a[n] > 1;",
        "for (int i = 1; i < 5; i++) a[i] = n; t = a[n] > 1;",
        "for (int i = 0; i < 5; i += 2) a[i] = n; t = a[n] > 1;",
        "for (int i = 0; i < 5; i++) { if (n) continue; a[i] = n; } t = a[n] > 1;",
        "for (int i = 0; i < 5; i++) { a[i] = n; if (n == i) break; } t = a[n] > 1;",
        "for (int i = 0; i < n; i++) a[i] = n; t = a[n] > 1;",
        "for (int i = 0; i < 3; i++) p[i].a = 1; t = p[n].a > p[n].b;",
        "int *d = malloc(n * sizeof *d); for (int i = 0; i < n - 1; i++) d[i] = 0; t = d[n - 1] > 0;",
        "int m = n; int *d = malloc(n * sizeof *d); n = 1; for (int i = 0; i < n; i++) d[i] = 0; t = d[m - 1] > 0;",
        "int i = 0; for (; i < 5; i++) a[i] = n; for (int k = 0; k < 2; k++) { int b[2]; t = b[k] > i; b[k] = 1; }",
    ];
    certain.iter().for_each(|body| assert!(is_certain(body), "{body}"));
    doubtful.iter().for_each(|body| assert!(!is_certain(body), "{body}"));
}

#[test]
fn results_say_what_was_set() {
    let certain = [
        "if (get(&v)) return 0; t = v > 1;",
        "if (get(&v) == 0) t = v > 1;",
        "int r = get(&v); if (r < 0) return 1; if (!r) t = v > 1;",
        "if (both(&v)) t = v > 1;",
        "int ok = 0; if (n > 3) { v = n; ok = 1; } if (ok) t = use(&v, 0);",
        "int ok = both(&v), r = ok; if (r == 1) t = v > 1;",
    ];
    let doubtful = [
        "get(&v); t = v > 1;",
        "if (get(&v)) t = v > 1;",
        "if (!both(&v)) t = v > 1;",
        "int ok = 0; if (n > 3) { v = n; ok = 1; } ok = n; if (ok) t = use(&v, 0);",
        "int ok = get(&v); if (ok == 0) { int v; t = use(&v, 0); }",
        "int r = get(&v); r = n; if (r == 0) t = v > 1;",
        "if (n || get(&v)) t = 1; else t = 2; t += v > 1;",
    ];
    certain.iter().for_each(|body| assert!(is_certain(body), "{body}"));
    doubtful.iter().for_each(|body| assert!(!is_certain(body), "{body}"));
}
