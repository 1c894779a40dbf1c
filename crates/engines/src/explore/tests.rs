//! Small programs, everything they can do, and the independent checks of every answer.

use super::*;
use certify::{check_proof, replay};

const CHECKED: [Property; 3] = [Property::UnreachCall, Property::NoDeadlock, Property::NoOverflow];

/// Explores `text`, replays every trace and checks every proof; `verify` should agree with `explore`.
fn explored(text: &str, options: &Options) -> (Program, Exploration) {
    let program = program::text::parse(text).unwrap_or_else(|error| panic!("{error}"));
    program::well_formed::check(&program).expect("a test program should be well-formed");
    let budget = Budget::unlimited();
    let found = explore(&program, options, &budget, &mut Stats::default());
    for violation in &found.violations {
        let replayed = replay(&program, &violation.trace).expect("a trace should replay");
        assert_eq!((&replayed.message, replayed.span), (&violation.message, violation.span));
    }
    if let Some(trace) = &found.deadlock {
        replay(&program, trace).expect("a deadlock should replay");
    }
    for property in CHECKED {
        let violated = found.violations.iter().any(|v| v.property == property)
            || (property == Property::NoDeadlock && found.deadlock.is_some());
        let task = Task::new(&program, property, &budget).assuming_defined();
        match options.run(&task, &mut Stats::default()) {
            Outcome::Safe(proof) => {
                assert!(!violated && found.incomplete.is_none(), "{property} should not be safe");
                check_proof(&program, property, &proof, &budget).expect("a proof should hold");
                let Proof::Explored(mut set) = proof else { panic!("exploration should prove by exploring") };
                set.states.pop();
                let fewer = check_proof(&program, property, &Proof::Explored(set), &budget);
                assert!(matches!(fewer, Err(Inconclusive::CheckFailed(_))), "a state less should be noticed");
            }
            Outcome::Unsafe(trace) => {
                assert!(violated, "{property} should hold");
                replay(&program, &trace).expect("a trace should replay");
            }
            Outcome::UnsafeGraph(_) => unreachable!("under sequential consistency a violation is a trace"),
            Outcome::Unknown(_) => assert!(!violated && found.incomplete.is_some()),
        }
    }
    (program, found)
}

/// The final values of `name`, in a program that is explored completely, without violations.
fn check_finals(text: &str, name: &str, values: &[u128]) {
    let (program, found) = explored(text, &Options::default());
    assert_eq!((found.incomplete.clone(), found.violations.len()), (None, 0));
    let got: Vec<u128> = found.final_values(&program, name).into_iter().collect();
    assert_eq!(got, values);
}

/// Whether a deadlock is reachable, in a program that is explored completely, without violations.
fn check_deadlock(text: &str, reachable: bool) -> Exploration {
    let (_, found) = explored(text, &Options::default());
    assert_eq!((found.incomplete.clone(), found.violations.len()), (None, 0));
    assert_eq!(found.deadlock.is_some(), reachable);
    found
}

/// The reason why not everything can be seen.
fn check_incomplete(text: &str, stop: Inconclusive) {
    let (_, found) = explored(text, &Options::default());
    assert_eq!(found.incomplete, Some(stop));
}

/// Two workers that are created and joined.
const TWO_WORKERS: &str = "
    function main() -> 32 {
        reg h1, h2, r: 64  reg e: 32
        h1 = create(&worker, 1)
        h2 = create(&worker, 2)
        #join(h1) r, e = join(h1)
        #join(h2) r, e = join(h2)
        return 0
    }";

fn two_workers(objects: &str, body: &str) -> String {
    format!("program lp64 {objects} {TWO_WORKERS} function worker(arg: 64) -> 64 {{ {body} return 0 }}")
}

#[test]
fn an_update_can_get_lost() {
    let text = two_workers("object x: 4 = 0", "reg t: 32  t = [&x]:32  [&x]:32 = t + 1");
    check_finals(&text, "x", &[1, 2]);
}

#[test]
fn a_lock_protects_updates() {
    let body = "reg t: 32
        #lock(&m) guard [&m]:32 == 0; [&m]:32 = 1
        t = [&x]:32
        [&x]:32 = t + 1
        #unlock(&m) [&m]:32 = 0";
    let text = two_workers("object x: 4 = 0 object m: 4 = 0", body);
    check_finals(&text, "x", &[2]);
    check_deadlock(&text, false);
}

#[test]
fn locks_in_opposite_orders_deadlock() {
    let body = "
        if arg == 1 then ab else ba
        ab: #lock(&a) guard [&a]:32 == 0; [&a]:32 = 1
            #lock(&b) guard [&b]:32 == 0; [&b]:32 = 1 -> done
        ba: #lock(&b) guard [&b]:32 == 0; [&b]:32 = 1
            #lock(&a) guard [&a]:32 == 0; [&a]:32 = 1
        done: [&b]:32 = 0; [&a]:32 = 0";
    let text = two_workers("object a: 4 = 0 object b: 4 = 0", body);
    let found = check_deadlock(&text, true);
    let program = program::text::parse(&text).expect("it was parsed before");
    let replayed = replay(&program, &found.deadlock.expect("there should be one")).expect("it should replay");
    assert_eq!(
        replayed.message,
        "deadlock: main waits at an unknown place (join), worker#1 waits at an unknown place (lock), \
         worker#2 waits at an unknown place (lock)"
    );
}

#[test]
fn misused_handles_give_error_numbers() {
    let text = "program lp64
        object again: 4 = 0  object detached: 4 = 0  object itself: 4 = 0  object unknown: 4 = 0  object twice: 4 = 0
        object go: 4 = 0
        function main() -> 32 {
            reg h, d, r: 64  reg e: 32
            h = create(&worker, 0)
            d = create(&sleeper, 0)
            r, e = join(h)
            r, e = join(h)          [&again]:32 = e
            e = detach(d)
            e = detach(d)           [&twice]:32 = e
            r, e = join(d)          [&detached]:32 = e
            r, e = join(self())     [&itself]:32 = e
            e = detach(77)          [&unknown]:32 = e
            return 0
        }
        function worker(arg: 64) -> 64 { return 0 }
        function sleeper(arg: 64) -> 64 { guard [&go]:32 == 1 return 0 }";
    for (name, code) in [("again", 3), ("twice", 22), ("detached", 22), ("itself", 35), ("unknown", 3)] {
        check_finals(text, name, &[code]);
    }
}

#[test]
fn a_join_takes_the_result() {
    let text = "program lp64 object x: 8 = 0
        function main() -> 32 {
            reg h, r: 64  reg e: 32
            h = create(&worker, 41)
            r, e = join(h)
            [&x]:64 = r
            return 0
        }
        function worker(arg: 64) -> 64 { call quit(arg) return 0 }
        function quit(arg: 64) { thread_exit arg + 1 }";
    check_finals(text, "x", &[42]);
}

#[test]
fn a_signal_before_the_wait_is_lost() {
    let text = "program lp64 object c: 4 = 0
        function main() -> 32 {
            reg h, r: 64  reg e: 32
            h = create(&waiter, 0)
            signal(&c)
            r, e = join(h)
            return 0
        }
        function waiter(arg: 64) -> 64 { wait_begin(&c) wait_end WHAT return 0 }";
    check_deadlock(&text.replace("WHAT", ""), true);
    // A time-out is a way out; so is a broadcast that comes after the wait has begun.
    check_deadlock(&text.replace("WHAT", "").replace("wait_end", "wait_end timed"), false);
    let ordered = text.replace("WHAT", "").replace("wait_begin(&c)", "wait_begin(&c); [&c]:32 = 1");
    check_deadlock(&ordered.replace("signal(&c)", "guard [&c]:32 == 1 broadcast(&c)"), false);
}

#[test]
fn a_wait_can_end_for_no_reason() {
    let text = "program lp64 object c: 4 = 0
        function main() -> 32 {
            wait_begin(&c)
            wait_end
            error unreach-call \"woken\"
        }";
    let (_, found) = explored(text, &Options::default());
    assert_eq!(found.violations.len(), 1);
    assert!(found.deadlock.is_some(), "a spurious wake-up should not hide a deadlock");
}

#[test]
fn a_signal_after_the_wait_has_begun_is_not_lost() {
    // Whichever of the two is woken, the other one is not needed any more.
    let text = "program lp64 object c: 4 = 0 object n: 4 = 0 object go: 4 = 0 object first: 8 = 0
        function main() -> 32 {
            reg h1, h2: 64
            h1 = create(&waiter, 1)
            h2 = create(&waiter, 2)
            guard [&n]:32 == 2
            signal(&c); [&go]:32 = 1
            guard [&first]:64 != 0
            return 0
        }
        function waiter(arg: 64) -> 64 {
            wait_begin(&c); [&n]:32 = [&n]:32 + 1
            guard [&go]:32 == 1; wait_end
            guard [&first]:64 == 0; [&first]:64 = arg
            return 0
        }";
    check_finals(text, "first", &[1, 2]);
    check_deadlock(text, false);
}

#[test]
fn atomic_sections_nest() {
    let body = "reg t: 32
        if arg == 1 then write else read
        write: atomic_begin
               atomic_begin
               [&x]:32 = 1
               atomic_end
               [&x]:32 = 2
               atomic_end
               return 0
        read:  t = [&x]:32
               [&y]:32 = t";
    check_finals(&two_workers("object x: 4 = 0 object y: 4 = 0", body), "y", &[0, 2]);
}

#[test]
fn blocking_in_an_atomic_section_is_no_deadlock() {
    let text = "program lp64 object x: 4 = 0
        function main() -> 32 {
            reg h: 64
            h = create(&worker, 0)
            atomic_begin
            guard [&x]:32 == 1
            atomic_end
            return 0
        }
        function worker(arg: 64) -> 64 { [&x]:32 = 1 return 0 }";
    check_deadlock(text, false);
    check_finals(text, "x", &[1]);
    // Without the section the guard would only wait.
    let never = text.replace("[&x]:32 = 1 return", "return").replace("atomic_begin", "skip");
    check_deadlock(&never, true);
    // A thread that ends inside a section leaves it.
    let exits = text.replace("[&x]:32 = 1 return 0", "atomic_begin [&x]:32 = 1 thread_exit 0");
    check_finals(&exits, "x", &[1]);
}

#[test]
fn every_thread_has_its_own_copy() {
    let body = "reg t: 32
        t = [&own]:32
        [&own]:32 = t + 1
        t = [&own]:32
        [&x]:32 = t";
    check_finals(&two_workers("object thread_local own: 4 = 5 object x: 4 = 0", body), "x", &[6]);
}

#[test]
fn allocations_that_commute_reach_equal_states() {
    let body = "reg p: 64  p = alloc(8)  [&a + arg * 8]:64 = p";
    let (_, found) = explored(&two_workers("object a: 24 = { 0, 0, 0 }:64", body), &Options::default());
    assert_eq!(found.finals.len(), 1);
}

#[test]
fn threads_created_in_any_order_are_the_same() {
    let text = "program lp64 object h: 24 = { 0, 0, 0 }:64
        function main() -> 32 {
            reg h1, h2, r: 64  reg e: 32
            h1 = create(&middle, 1)
            h2 = create(&middle, 2)
            r, e = join(h1)
            r, e = join(h2)
            return 0
        }
        function middle(arg: 64) -> 64 {
            reg c, r: 64  reg e: 32
            c = create(&leaf, 0); [&h + arg * 8]:64 = c
            r, e = join(c)
            return 0
        }
        function leaf(arg: 64) -> 64 { return 0 }";
    let (_, found) = explored(text, &Options::default());
    assert_eq!((found.finals.len(), found.incomplete), (1, None));
}

#[test]
fn traces_number_threads_as_they_are_created() {
    // The order of creation is an input; the violation needs the order that the search meets last.
    let text = "program lp64 object x: 4 = 0
        function main() -> 32 {
            reg late: 1  reg h: 64
            havoc late
            if late then ba else ab
            ab: h = create(&a, 0)
                h = create(&b, 0) -> done
            ba: h = create(&b, 0)
                h = create(&a, 0) -> done
            done: guard [&x]:32 == 2
                  if late then bad else good
            bad:  error unreach-call \"late\"
            good: return 0
        }
        function a(arg: 64) -> 64 { [&x]:32 = 1 return 0 }
        function b(arg: 64) -> 64 { guard [&x]:32 == 1 [&x]:32 = 2 return 0 }";
    let (program, found) = explored(text, &Options::default());
    assert_eq!((found.violations.len(), found.incomplete), (1, None));
    let replayed = replay(&program, &found.violations[0].trace).expect("it was replayed before");
    assert_eq!(replayed.message, "late");
}

#[test]
fn recursion_has_a_frame_for_each_call() {
    let text = "program lp64 object x: 4 = 0
        function main() -> 32 { reg t: 32  t = call sum(4)  [&x]:32 = t  return 0 }
        function sum(n: 32) -> 32 {
            reg t: 32  memory own: 4
            if n == 0 then zero else more
            zero: return 0
            more: [&own]:32 = n
                  t = call sum(n - 1)
                  return t + [&own]:32
        }";
    check_finals(text, "x", &[10]);
}

#[test]
fn endless_recursion_is_a_bound() {
    let text = "program lp64 function main() -> 32 { call main() return 0 }";
    check_incomplete(text, Inconclusive::Bound("more than 10000 nested calls".to_owned()));
}

#[test]
fn indeterminate_values_stay_as_chosen() {
    let text = "program lp64 object arbitrary x: 1
        function main() -> 32 {
            reg a, b: 8  reg u: 1  memory m: 2
            a = [&x]:8
            b = [&x]:8
            if a == b && (u == u) then same else differ
            same: copy(&m, &m + 1, 1)
                  assume [&x]:8 == 7
                  return 0
            differ: error unreach-call \"two reads differ\"
        }";
    let all = Options { full_width: 8, ..Options::default() };
    let (program, found) = explored(text, &all);
    assert_eq!((found.violations.len(), found.incomplete.clone()), (0, None));
    assert_eq!(found.final_values(&program, "x"), BTreeSet::from([7]));
    let (_, some) = explored(text, &Options::default());
    assert!(matches!(some.incomplete, Some(Inconclusive::Bound(_))), "four of 256 values should not be all");
}

#[test]
fn a_guard_on_an_uninitialised_lock_can_deadlock() {
    let text = "program lp64 object arbitrary m: 1
        function main() -> 32 { guard [&m]:8 == 0 return 0 }";
    let (program, found) = explored(text, &Options { full_width: 8, ..Options::default() });
    assert_eq!(found.incomplete, None);
    assert!(found.deadlock.is_some());
    assert_eq!(found.final_values(&program, "m"), BTreeSet::from([0]));
}

#[test]
fn an_input_is_replayed() {
    let text = "program lp64 function main() -> 32 {
        reg i, j: 8
        havoc i; havoc j
        if i == 200 && (j == 3) then bad else good
        bad: error unreach-call \"found\"
        good: return 0
    }";
    let (_, found) = explored(text, &Options { inputs: vec![3, 200], ..Options::default() });
    assert_eq!(found.violations[0].trace.steps[0].choices, [200, 3]);
    let (_, found) = explored(text, &Options::default());
    assert_eq!(found.violations.len(), 0);
    assert!(matches!(found.incomplete, Some(Inconclusive::Bound(_))));
}

#[test]
fn undefined_behaviour_is_named() {
    let main = |body: &str| format!("program lp64 object a: 20 object read_only s: 4 = \"abc\" {body}");
    let undefined =
        |body: &str, what: &str| check_incomplete(&main(body), Inconclusive::Undefined(what.to_owned()));
    undefined(
        "function main() -> 32 { [&a + 20]:32 = 1 return 0 }",
        "out-of-bounds: write of 4 bytes at offset 20 of `a` (size 20)",
    );
    undefined(
        "function main() -> 32 { reg t: 8 t = [0]:8 return 0 }",
        "null-dereference: read of 1 byte at null",
    );
    undefined(
        "function main() -> 32 { [&s]:8 = 1 return 0 }",
        "write-to-constant: write of 1 byte at offset 0 of `s`, which is read-only",
    );
    undefined(
        "function main() -> 32 { call *(0)() return 0 }",
        "invalid-call: call of null, where no function is",
    );
    undefined(
        "function main() -> 32 { reg p: 64 reg t: 32 p = call f() t = [p]:32 return 0 }
         function f() -> 64 { memory x: 4 [&x]:32 = 1 return &x }",
        "use-after-return: read of 4 bytes at offset 0 of `f::x`, which is not alive",
    );
    undefined(
        "function main() -> 32 { reg p: 64 p = alloc(4) free(p) free(p) return 0 }",
        "double-free: free of `heap@main`, which was freed before",
    );
    undefined(
        "function main() -> 32 { free(&a) return 0 }",
        "invalid-free: free of `a`, which is not on the heap",
    );
    undefined(
        "function main() -> 32 { reg p: 64 p = alloc(4) free(p + 1) return 0 }",
        "invalid-free: free at offset 1 of `heap@main`",
    );
    undefined(
        "function main() -> 32 { reg p: 64 p = call f() [p]:8 = 1 return 0 }
         function f() -> 64 { reg p: 64 p = alloca(4) [p]:8 = 1 return p }",
        "use-after-return: write of 1 byte at offset 0 of `alloca@f`, which is not alive",
    );
}

#[test]
fn what_is_unsupported_costs_the_verdict_only_where_it_is_reached() {
    let text = "program lp64 object x: 4 = 0
        function main() -> 32 {
            if [&x]:32 == VALUE then bad else good
            bad: unsupported \"setjmp\"
            good: return 0
        }";
    check_incomplete(&text.replace("VALUE", "0"), Inconclusive::Unsupported("setjmp".to_owned()));
    let (_, found) = explored(&text.replace("VALUE", "1"), &Options::default());
    assert_eq!(found.incomplete, None);
}

#[test]
fn errors_carry_their_property() {
    let text = "program lp64 function main() -> 32 { error no-overflow \"signed overflow\" }";
    let (_, found) = explored(text, &Options::default());
    assert_eq!(found.violations[0].property, Property::NoOverflow);
}

#[test]
fn budgets_and_bounds_end_the_search() {
    let text = two_workers("object x: 4 = 0", "reg t: 32  t = [&x]:32  [&x]:32 = t + 1");
    let (_, found) = explored(&text, &Options { max_states: 5, ..Options::default() });
    assert_eq!(found.incomplete, Some(Inconclusive::Bound("more than 5 states".to_owned())));
    let program = program::text::parse(&text).expect("it was parsed before");
    let no_time = Budget::new(Some(std::time::Duration::ZERO), None);
    let outcome =
        Options::default().run(&Task::new(&program, Property::UnreachCall, &no_time), &mut Stats::default());
    assert!(matches!(outcome, Outcome::Unknown(Inconclusive::OutOfTime)));
}

/// The property that the answer says is violated, under the assumption that nothing is undefined or without it.
fn violated(text: &str, property: Property, assume_defined: bool) -> Option<Property> {
    let program = program::text::parse(text).unwrap_or_else(|e| panic!("{e:?} in {text}"));
    let task = Task { assume_defined, ..Task::new(&program, property, &Budget::unlimited()) };
    match Options::default().run(&task, &mut Stats::default()) {
        Outcome::Unsafe(trace) => {
            let found = replay(&program, &trace).expect("a trace should replay");
            assert_eq!(found.property, trace.property);
            Some(trace.property)
        }
        Outcome::Safe(_) | Outcome::UnsafeGraph(_) | Outcome::Unknown(_) => None,
    }
}

#[test]
fn undefined_behaviour_answers_every_question_unless_it_is_assumed_away() {
    let text = "program lp64 function main() -> 32 { reg p: 64 p = alloc(4) free(p) [p]:32 = 1 return 0 }";
    for property in
        [Property::UnreachCall, Property::NoDeadlock, Property::ValidMemsafety, Property::ValidDeref]
    {
        assert_eq!(violated(text, property, false), Some(Property::ValidDeref), "{property}");
    }
    assert_eq!(violated(text, Property::ValidMemsafety, true), Some(Property::ValidDeref));
    assert_eq!(violated(text, Property::UnreachCall, true), None);
    assert_eq!(violated(text, Property::ValidFree, true), None);
}

#[test]
fn leaks_are_found_at_the_end_of_the_program() {
    let text = "program lp64 object g: 8 = 0
        function main() -> 32 { reg p: 64 p = alloc(4) KEEP return 0 }";
    let (lost, kept, freed) =
        (text.replace("KEEP", ""), text.replace("KEEP", "[&g]:64 = p"), text.replace("KEEP", "free(p)"));
    let check =
        |text: &str, property, expected| assert_eq!(violated(text, property, false), expected, "{text}");
    check(&lost, Property::ValidMemsafety, Some(Property::ValidMemtrack));
    check(&kept, Property::ValidMemsafety, None);
    check(&kept, Property::ValidMemcleanup, Some(Property::ValidMemcleanup));
    check(&freed, Property::ValidMemcleanup, None);
    check(&lost, Property::UnreachCall, None);
}

#[test]
fn a_pointer_to_a_variable_of_an_earlier_call_dangles() {
    let text = "program lp64 object g: 8 = 0
        function main() -> 32 { call f() call f() return 0 }
        function f() { memory x: 4 reg p: 64
            p = [&g]:64
            if p != 0 then again else first
            again: [p]:32 = 1
            first: [&g]:64 = &x
            return }";
    assert_eq!(violated(text, Property::ValidDeref, false), Some(Property::ValidDeref));
}
