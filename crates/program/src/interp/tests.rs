//! Single runs: schedules and answers are given, states and events are looked at.

use super::*;
use crate::{Property, Undefined, UndefinedKind};

fn program(text: &str) -> Program {
    let program = crate::text::parse(text).unwrap_or_else(|error| panic!("{error}"));
    crate::well_formed::check(&program).expect("a test program should be well-formed");
    program
}

/// Gives these values, then nothing.
struct Script(Vec<u128>);

impl Chooser for Script {
    fn choose(&mut self, _width: Width, _what: &Choice) -> Option<u128> {
        (!self.0.is_empty()).then(|| self.0.remove(0))
    }
}

/// One interpreter, its state, and what was seen.
struct Run<'p> {
    interp: Interp<'p>,
    state: State,
    events: Vec<Event>,
}

impl<'p> Run<'p> {
    fn new(program: &'p Program) -> Self {
        let interp = Interp::new(program).expect("a test program should have an initial state");
        let state = interp.initial();
        Self { interp, state, events: Vec::new() }
    }
    fn step(&mut self, thread: u32, choices: &[u128]) -> StepResult {
        let mut script = Script(choices.to_vec());
        let result = self.interp.step(&mut self.state, ThreadId(thread), &mut script, &mut self.events);
        assert!(script.0.is_empty(), "all values should be asked for");
        result
    }
    /// Lets the threads take a step each, in this order, none of which should be special.
    fn schedule(&mut self, threads: &[u32]) {
        for thread in threads {
            assert_eq!(self.step(*thread, &[]), StepResult::Continue, "{thread} in {threads:?}");
        }
    }
    /// Lets the main thread run to the end.
    fn finish(&mut self) -> StepResult {
        loop {
            let result = self.step(0, &[]);
            if result != StepResult::Continue {
                return result;
            }
        }
    }
    fn value(&self, name: &str) -> u128 {
        let objects = &self.interp.program().objects;
        let id = objects.ids().find(|id| objects[*id].name == name).expect("the object should exist");
        let bytes = self.interp.static_bytes(&self.state, id);
        bytes.iter().rev().fold(0, |v, byte| v << 8 | u128::from(byte.expect("it should be determinate")))
    }
    fn runnable(&self, wakeups: Wakeups) -> Vec<u32> {
        self.interp.runnable(&self.state, wakeups).iter().map(|t| t.0).collect()
    }
}

/// How a single-threaded program ends.
fn check_end(text: &str, end: StepResult) {
    let program = program(text);
    let found = match Run::new(&program).finish() {
        StepResult::Undefined(found) => StepResult::Undefined(Undefined { object: None, ..found }),
        other => other,
    };
    assert_eq!(found, end);
}

/// The final value of `x` in a single-threaded program.
fn check_x(text: &str, x: u128) {
    let program = program(text);
    let mut run = Run::new(&program);
    assert_eq!(run.finish(), StepResult::Ended);
    assert_eq!(run.value("x"), x);
}

#[test]
fn initialisers_have_addresses() {
    check_x(
        "program ilp32
         object x: 4 = 0
         object table: 8 = 0 pointers { 0: &twice, 4: &a + 2 }
         object a: 4 = { 1, 2, 3, 4 }:8
         function main() -> 32 {
             reg t: 32
             t = call *([&table]:32)(zext32([[&table + 4]:32]:8))
             [&x]:32 = t
             return 0
         }
         function twice(n: 32) -> 32 { return n + n }",
        6,
    );
}

#[test]
fn arguments_and_results_are_adapted() {
    let text = "program lp64 object x: 8 = 0
        function main() -> 32 { reg t: 64 t = call *(&f)(0x1ff:32, 7) [&x]:64 = t return 0 }
        function f(a: 8, surplus: 32) -> 16 { return zext16(a) + 1 }";
    check_x(text, 0x100);
    check_x(&text.replace("a: 8, surplus: 32", "a: 8"), 0x100);
}

#[test]
fn ite_evaluates_one_side() {
    check_x(
        "program lp64 object x: 4 = 5 function main() -> 32 { [&x]:32 = ite(true, 3, [0]:32) return 0 }",
        3,
    );
}

#[test]
fn copies_keep_bytes_indeterminate() {
    let text = "program lp64 object x: 4 = 0 function main() -> 32 {
        memory a: 4  memory b: 8
        [&a]:16 = 0x0201
        copy(&b, &a, 4); copy(&b + 1, &b, 4); copy(0, 0, 0)
        [&x]:16 = [&b + 1]:16
        [&x]:32 = [&b]:32
        return 0
    }";
    let program = program(text);
    let mut run = Run::new(&program);
    run.schedule(&[0, 0, 0]);
    assert_eq!(run.value("x"), 0x0201);
    // Three bytes of four are known; the fourth is asked for alone, and stays.
    assert_eq!(run.step(0, &[0xee]), StepResult::Continue);
    assert_eq!(run.value("x"), 0xee02_0101);
}

#[test]
fn forgetting_makes_indeterminate() {
    let text = "program lp64 object x: 4 = 0 function main() -> 32 {
        memory a: 4 reg r: 32
        [&a]:32 = 1; r = 1
        forget a; forget r
        [&x]:32 = [&a]:32 + r + r
        return 0
    }";
    let program = program(text);
    let mut run = Run::new(&program);
    run.schedule(&[0, 0]);
    assert_eq!(run.step(0, &[10, 100]), StepResult::Continue);
    assert_eq!(run.value("x"), 210);
    assert!(run.events.contains(&Event::Chosen {
        what: Choice::Indeterminate(Place::Register { func: FuncId(0), var: crate::VarId(1) }),
        value: 100,
        width: Width::INT
    }));
}

#[test]
fn no_value_no_step() {
    let text = "program lp64 function main() -> 32 { reg i: 32 havoc i return i }";
    check_end(text, StepResult::NoChoice);
}

#[test]
fn a_blocked_transaction_leaves_no_trace() {
    let text = "program lp64 object x: 4 = 0 object m: 4 = 0
        function main() -> 32 { [&x]:32 = 1; guard [&m]:32 == 1 return 0 }";
    let program = program(text);
    let mut run = Run::new(&program);
    let before = run.state.clone();
    assert_eq!(run.runnable(Wakeups::Spurious), [0u32; 0]);
    assert_eq!(run.step(0, &[]), StepResult::Blocked);
    assert!(run.state == before && run.interp.is_deadlock(&before));
}

#[test]
fn a_guard_fixes_what_it_reads() {
    let text = "program lp64 object arbitrary m: 1 function main() -> 32 { guard [&m]:8 == 0 return 0 }";
    let program = program(text);
    let mut run = Run::new(&program);
    assert_eq!(run.runnable(Wakeups::OnlySignalled), [0]);
    assert_eq!(run.step(0, &[5]), StepResult::Blocked);
    assert_eq!((run.value("m"), run.interp.is_deadlock(&run.state)), (5, true));
}

const WAITERS: &str = "program lp64 object c: 4 = 0
    function main() -> 32 {
        reg h: 64
        h = create(&waiter, 0)
        h = create(&waiter, 0)
        signal(&c)
        broadcast(&c)
        return 0
    }
    function waiter(arg: 64) -> 64 { wait_begin(&c) wait_end return 0 }";

#[test]
fn a_signal_wakes_the_chosen_waiter() {
    let program = program(WAITERS);
    for chosen in [0, 1] {
        let mut run = Run::new(&program);
        run.schedule(&[0, 0, 1, 2]);
        assert_eq!(run.runnable(Wakeups::OnlySignalled), [0]);
        assert_eq!(run.runnable(Wakeups::Spurious), [0, 1, 2]);
        assert_eq!(run.step(0, &[chosen]), StepResult::Continue);
        assert_eq!(run.runnable(Wakeups::OnlySignalled), [0, chosen as u32 + 1]);
        run.schedule(&[0]);
        assert_eq!(run.runnable(Wakeups::OnlySignalled), [0, 1, 2]);
    }
    let mut run = Run::new(&program);
    run.schedule(&[0, 0, 1, 2]);
    assert_eq!(run.step(0, &[2]), StepResult::NoChoice);
}

#[test]
fn atomic_sections_keep_others_out() {
    let text = "program lp64 object x: 4 = 0
        function main() -> 32 {
            reg h: 64
            atomic_end
            h = create(&other, 0)
            atomic_begin
            guard [&x]:32 == 1
            return 0
        }
        function other(arg: 64) -> 64 { [&x]:32 = 1 return 0 }";
    let program = program(text);
    let mut run = Run::new(&program);
    run.schedule(&[0, 0, 0]);
    assert_eq!(run.runnable(Wakeups::Spurious), [0u32; 0]);
    assert!(run.interp.is_blocked_in_atomic(&run.state) && !run.interp.is_deadlock(&run.state));
    assert_eq!(run.step(1, &[]), StepResult::Blocked);
    let mut run = Run::new(&program);
    run.schedule(&[0, 0, 1, 0]);
    assert!(!run.interp.is_blocked_in_atomic(&run.state));
    assert_eq!(run.step(1, &[]), StepResult::Blocked);
    assert_eq!(run.finish(), StepResult::Ended);
}

#[test]
fn the_program_goes_on_without_its_main_thread() {
    let text = "program lp64 object x: 4 = 0
        function main() -> 32 { reg h: 64 h = create(&other, 0) thread_exit 0 }
        function other(arg: 64) -> 64 { [&x]:32 = 1 return 0 }";
    let program = program(text);
    let mut run = Run::new(&program);
    run.schedule(&[0, 0, 1]);
    assert_eq!(run.step(1, &[]), StepResult::Ended);
    assert!(run.state.ended());
    assert_eq!(run.value("x"), 1);
}

#[test]
fn a_frame_returns_to_its_addresses() {
    // Two calls at the same depth, one after the other, are at the same address, so that a pointer of the first one dangles after the
    // second one has begun; a deeper call is at another address.
    let text = "program lp64 object x: 4 = 0
        function main() -> 32 {
            reg a, b, c: 64
            a = call f()
            b = call f()
            c = call g()
            [&x]:32 = zext32(a != b) + zext32(b != c)
            return 0
        }
        function f() -> 64 { memory m: 4 return &m }
        function g() -> 64 { reg p: 64 p = call f() return p }";
    check_x(text, 2);
}

#[test]
fn states_do_not_depend_on_the_order_of_allocations() {
    let text = "program lp64
        function main() -> 32 {
            reg h: 64
            h = create(&other, 0)
            h = create(&other, 0)
            h = alloc(8)
            return 0
        }
        function other(arg: 64) -> 64 { reg p: 64 p = alloc(8) free(p) return 0 }";
    let program = program(text);
    let interp = Interp::new(&program).expect("there should be an initial state");
    let end = |schedule: &[u32]| {
        let mut state = interp.initial();
        for thread in schedule {
            interp.step(&mut state, ThreadId(*thread), &mut NoChooser, &mut NoObserver);
        }
        state
    };
    assert!(end(&[0, 0, 1, 2, 0]) == end(&[0, 0, 0, 2, 1]));
    assert!(end(&[0, 0, 1, 2, 0]) != end(&[0, 0, 1, 2]));
    assert_eq!(interp.heap_objects(&end(&[0, 0, 1, 2, 0, 1])).len(), 2);
    // Another interpreter that is told the identities agrees with this one.
    let other = Interp::with_identities(&program, Limits::default(), &interp.identities());
    let other = other.expect("identities should be adopted");
    let mut state = other.initial();
    for thread in [0, 0, 0, 2, 1] {
        other.step(&mut state, ThreadId(thread), &mut NoChooser, &mut NoObserver);
    }
    assert!(state == end(&[0, 0, 1, 2, 0]));
}

#[test]
fn malformed_identities_are_refused() {
    let program = program("program lp64 function main() -> 32 { return 0 }");
    let interp = Interp::new(&program).expect("there should be an initial state");
    let site = Site { func: FuncId(0), loc: LocId(0), op: 0 };
    let mut known = interp.identities();
    known.threads.push(Origin { creator: ThreadId(7), site, count: 0 });
    let refused = Interp::with_identities(&program, Limits::default(), &known);
    assert!(matches!(refused.err(), Some(Inconclusive::CheckFailed(_))));
}

#[test]
fn bounds_are_told() {
    let bound = |what: &str| StepResult::Bound(what.to_owned());
    let main = |body: &str| format!("program ilp32 function main() -> 32 {{ reg p: 32 {body} }}");
    check_end(&main("p = alloc(0x50000000) return 0"), bound("an allocation of 1342177280 bytes"));
    check_end(
        &main("again: p = alloc(0x10000000) free(p) -> again"),
        bound("the address space is exhausted"),
    );
    check_end(&main("again: p = create(&main, 0) -> again"), bound("more than 1000 threads at a time"));
    check_end(&main("call main() return 0"), bound("more than 10000 nested calls"));
}

#[test]
fn a_violation_says_which_and_where() {
    let text = "program lp64 file \"prog.c\" object a: 8 = 0
        function main() -> 32 {
            reg p: 64
            [&a + 4]:32 = 7 @0:1:1
            p = alloc(4) @0:2:1
            [p]:32 = 9 @0:3:1
            error unreach-call \"assertion\" @0:12:3
        }";
    let program = program(text);
    let mut run = Run::new(&program);
    let span = Span { file: base::FileId(0), line: 12, col: 3 };
    let message = "assertion".to_owned();
    assert_eq!(run.finish(), StepResult::Violation { property: Property::UnreachCall, message, span });
    let written = run.events.iter().filter_map(|event| match event {
        Event::Write { place, .. } => Some(run.interp.place_name(*place)),
        _ => None,
    });
    assert_eq!(written.collect::<Vec<_>>(), ["a+4", "main::p", "heap@prog.c:2"]);
}

#[test]
fn realloc_moves_what_fits() {
    let text = "program lp64 object x: 4 = 0 function main() -> 32 {
        reg p, q: 64
        p = realloc(0, 4, 0)
        [p]:32 = 0x04030201
        q = realloc(p, 2, 0)
        [&x]:16 = [q]:16
        free(LAST)
        return 0
    }";
    check_x(&text.replace("LAST", "q"), 0x0201);
    let dead = Undefined::new(UndefinedKind::DoubleFree, "free of `heap@main`, which was freed before");
    check_end(&text.replace("LAST", "p"), StepResult::Undefined(dead));
}

/// A block that stays tells that it was accessed as a whole, as one that moves does.
#[test]
fn realloc_in_place_is_told() {
    let text = "program lp64 function main() -> 32 {
        reg p, q: 64
        p = realloc(0, 4, 1)
        [p]:32 = 1
        q = realloc(p, 8, 1)
        q = realloc(q, 2, 0)
        return 0
    }";
    let program = program(text);
    let mut run = Run::new(&program);
    run.finish();
    let told = run.events.iter().filter_map(|event| match event {
        Event::Resized { size, .. } => Some(*size),
        _ => None,
    });
    assert_eq!(told.collect::<Vec<_>>(), [8]);
}

#[test]
fn large_objects_cost_what_is_used() {
    check_x(
        "program lp64 object big: 1000000000 object x: 1 = 0
         function main() -> 32 {
             reg p: 64
             p = alloc(1000000000)
             fill(p, 3, 1000000000); [&big + 999999999]:8 = 1
             [&x]:8 = [p + 77777777]:8 + [&big + 999999999]:8
             return 0
         }",
        4,
    );
}
