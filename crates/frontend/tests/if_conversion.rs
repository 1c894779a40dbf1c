//! Which choices of C become expressions: where if-conversion applies to what lowering makes.

use frontend::{Options, load_text};
use program::Action;
use program::passes::Overflow;

const HEAD: &str = "extern void __VERIFIER_atomic_begin(void); extern void __VERIFIER_atomic_end(void);
    int a, b, c, r; void leave(void) { __VERIFIER_atomic_end(); }\n";

/// How many branches `main` has.
fn branches(body: &str) -> usize {
    let text = format!("{HEAD} int main(void) {{ {body} return 0; }}");
    let loaded = load_text("choices.i", &text, &Options::default());
    let program =
        loaded.program.unwrap_or_else(|| panic!("{:?} in {text}", loaded.diagnostics)).with(Overflow::Wraps);
    let main = &program.functions[program.entry];
    main.locations.iter().filter(|l| matches!(l.action, Action::Branch { .. })).count()
}

#[test]
fn only_where_no_thread_can_act_between() {
    let choice = "r = a && b ? c : a;";
    assert!(branches(choice) > 0, "others may write b after a was read");
    assert_eq!(branches(&format!("__VERIFIER_atomic_begin(); {choice} __VERIFIER_atomic_end();")), 0);
    // The section may have been left, or not entered, before.
    assert!(branches(&format!("__VERIFIER_atomic_begin(); leave(); {choice}")) > 0);
    assert!(branches(&format!("if (r) __VERIFIER_atomic_begin(); {choice}")) > 1);
    assert!(branches(&format!("__VERIFIER_atomic_begin(); __VERIFIER_atomic_end(); {choice}")) > 0);
}

#[test]
fn what_the_user_wrote_stays_and_pointers_are_not_read_early() {
    let section =
        |body: &str| format!("int *p = &a; __VERIFIER_atomic_begin(); {body} __VERIFIER_atomic_end();");
    assert_eq!(branches(&section("if (a) r = 1; else r = 2;")), 1);
    assert!(branches(&section("if (r) p = 0; r = p ? *p : 0;")) > 1, "*p has no value if p is null");
}
