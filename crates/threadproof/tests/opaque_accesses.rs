//! What code that is not there may access is never proved free of races: undefined functions, functions whose addresses are inputs, what
//! they call, are given by the program, and find in memory of their own.
//!
//! No execution shows these races, so that neither exploration nor a verdict says anything about them: the answers for memory locations do. In
//! each program there is a definition of what is undefined with which two threads race for `g`.

use base::Budget;
use engines::Task;
use evidence::RaceAnswer;
use program::Property;
use semantics::analysis::Site;

const HEAD: &str = "typedef unsigned long pthread_t;
typedef struct { int w[10]; } pthread_mutex_t;
extern int pthread_create(pthread_t *, void *, void *(*)(void *), void *);
extern int pthread_join(pthread_t, void **);
extern int pthread_mutex_lock(pthread_mutex_t *);
extern int pthread_mutex_unlock(pthread_mutex_t *);
pthread_t t; pthread_mutex_t m; int g, x;
";

/// `main` starts a thread in `w` and accesses `g` meanwhile.
const MAIN: &str = "int main(void) { pthread_create(&t, 0, w, 0); g++; pthread_join(t, 0); return 0; }\n";

/// Whether there is an answer for `g`, and all of them are that it may be raced for.
fn is_open(text: &str) -> bool {
    let mut options = frontend::Options::default();
    options.checks.foreign_accesses = true;
    let loaded = frontend::load_text("opaque.i", text, &options);
    let program = loaded.program.unwrap_or_else(|| panic!("{:?} in\n{text}", loaded.diagnostics));
    let program = program.with(program::passes::Overflow::Wraps);
    let budget = Budget::unlimited();
    let task = Task::new(&program, Property::NoDataRace, &budget).assuming_defined();
    let answers = task.locations().unwrap_or_else(|why| panic!("{why} in\n{text}"));
    let checked = certify::protection::check_answers(&program, &answers.protection, &budget);
    assert!(checked.is_ok(), "answers fail their check, {checked:?}, of\n{text}");
    let is_g = |site| matches!(site, Site::Static(object) if program.objects[object].name == "g");
    let found: Vec<_> = answers.cells.iter().filter(|(cell, _)| is_g(cell.site)).collect();
    !found.is_empty() && found.iter().all(|(_, answer)| matches!(answer, RaceAnswer::Open(..)))
}

fn check(what: &str, threads: &str) {
    let text = format!("{HEAD}{threads}{}", if threads.contains("main(") { "" } else { MAIN });
    assert!(is_open(&text), "{what}: not open in\n{text}");
}

#[test]
fn functions_whose_addresses_are_inputs() {
    check(
        "called with a pointer",
        "void (*get(void))(int *);
         void *w(void *p) { get()(&g); return 0; }\n",
    );
    check(
        "called by main",
        "void (*get(void))(int *);
         void *w(void *p) { g = 2; return 0; }
         int main(void) { pthread_create(&t, 0, w, 0); get()(&g); pthread_join(t, 0); return 0; }\n",
    );
    check(
        "written by an undefined function",
        "struct operations { void (*f)(int *); } o; void fill(struct operations *);
         void *w(void *p) { o.f(&g); return 0; }
         int main(void) { fill(&o); pthread_create(&t, 0, w, 0); g++; pthread_join(t, 0); return 0; }\n",
    );
    check(
        "calls back",
        "void (*get(void))(void (*)(void)); void back(void) { g++; }
         void *w(void *p) { get()(back); return 0; }\n",
    );
    check(
        "a thread starts there",
        "void *(*get(void))(void *);
         int main(void) { pthread_create(&t, 0, get(), &g); g++; pthread_join(t, 0); return 0; }\n",
    );
    check(
        "a thread starts there and calls back",
        "void *(*get(void))(void *); void back(void) { g++; }
         int main(void) { pthread_create(&t, 0, get(), (void *)back); g++; pthread_join(t, 0); return 0; }\n",
    );
}

#[test]
fn what_is_called_back() {
    check(
        "gives a pointer",
        "void each(int *(*back)(void)); int *back(void) { return &g; }
         void *w(void *p) { each(back); return 0; }\n",
    );
    check(
        "gives a pointer that is handed on",
        "int *each(int *(*back)(void)); int *back(void) { return &g; }
         void *w(void *p) { *each(back) = 1; return 0; }\n",
    );
    check(
        "starts threads, which live when it is called again",
        "void each(void (*back)(int), int);
         void *w(void *p) { pthread_mutex_lock(&m); g = 1; pthread_mutex_unlock(&m); return 0; }
         void back(int n) { g = 2; pthread_create(&t, 0, w, 0); }
         int main(void) { each(back, 1); return 0; }\n",
    );
}

#[test]
fn memory_that_the_program_was_given() {
    check(
        "by a function that got a pointer",
        "void **memory(int *); void use(void **);
         void *w(void *p) { void **m = memory(&x); *m = &g; use(m); return 0; }\n",
    );
    check(
        "by one that got none",
        "void **memory(void); void use(void **);
         void *w(void *p) { void **m = memory(); *m = &g; use(m); return 0; }\n",
    );
    check(
        "in two steps",
        "struct s { struct s *next; int *p; }; struct s *memory(void); void use(struct s *);
         void *w(void *p) { struct s *m = memory(); m->next->p = &g; use(m); return 0; }\n",
    );
}
