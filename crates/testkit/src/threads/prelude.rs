//! Declarations that generated programs draw on.

/// What the library's headers would say, for text that is not preprocessed.
pub const OWN: &str = "\
typedef unsigned long pthread_t;
typedef struct { int w[10]; } pthread_mutex_t;
typedef struct { int w[12]; } pthread_cond_t;
extern int pthread_create(pthread_t *, void *, void *(*)(void *), void *);
extern int pthread_join(pthread_t, void **);
extern int pthread_mutex_lock(pthread_mutex_t *);
extern int pthread_mutex_unlock(pthread_mutex_t *);
extern int pthread_mutex_trylock(pthread_mutex_t *);
extern int pthread_cond_wait(pthread_cond_t *, pthread_mutex_t *);
extern int pthread_cond_signal(pthread_cond_t *);
extern int pthread_cond_broadcast(pthread_cond_t *);
extern void *malloc(unsigned long);
extern void reach_error(void);
extern _Bool __VERIFIER_nondet_bool(void);
extern void __VERIFIER_assume(int);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
";

/// The same by the library's headers.
pub const INCLUDES: &str = "\
#include <pthread.h>
#include <stdlib.h>

extern void reach_error(void);
extern _Bool __VERIFIER_nondet_bool(void);
extern void __VERIFIER_assume(int);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
";

/// Names and their declarations; a declaration mentions only names above it.
///
/// Zeros are valid locks and condition variables.
const DECLARATIONS: [(&str, &str); 20] = [
    ("check", "void check(int c) { if (!c) reach_error(); }"),
    ("x", "int x;"),
    ("y", "int y;"),
    ("z", "int z;"),
    ("a", "int a[2];"),
    ("b", "unsigned char b;"),
    ("v", "_Atomic int v;"),
    ("local", "_Thread_local int local;"),
    ("pair", "struct pair { int f, g; };"),
    ("s", "struct pair s;"),
    ("ss", "struct pair ss[2];"),
    ("both", "union { int whole; unsigned char part[4]; } both;"),
    ("p", "int *p = &x;"),
    ("m", "pthread_mutex_t m;"),
    ("n", "pthread_mutex_t n;"),
    ("c", "pthread_cond_t c;"),
    ("get", "int get(int *from) { return *from; }"),
    ("set", "void set(int *to, int value) { *to = value; }"),
    (
        "add",
        "void add(pthread_mutex_t *k, int *to) { pthread_mutex_lock(k); *to += 1; pthread_mutex_unlock(k); }",
    ),
    (
        "__VERIFIER_atomic_exchange",
        "void __VERIFIER_atomic_exchange(int *a, int *b) { int t = *a; *a = *b; *b = t; }",
    ),
];

/// The declarations that `text` needs, in order.
pub fn declarations_for(text: &str) -> String {
    let mut needed = String::new();
    for (name, declaration) in DECLARATIONS.iter().rev() {
        if mentions(text, name) || mentions(&needed, name) {
            needed.insert_str(0, &format!("{declaration}\n"));
        }
    }
    for n in (0..4).filter(|n| mentions(text, &format!("id{n}"))) {
        needed.push_str(&format!("pthread_t id{n}[2];\n"));
    }
    needed
}

/// Returns true if `word` occurs in `text` as a name of its own.
pub fn mentions(text: &str, word: &str) -> bool {
    let part_of_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        !before.is_some_and(part_of_name) && !after.is_some_and(part_of_name)
    })
}
