//! Liveness by hand, and against the interpreter: what is dead can be overwritten and nothing changes.

use super::super::liveness::Registers;
use super::brute::{site, threads};
use super::random::program;
use super::*;
use base::Random;
use program::interp::{Choice, Chooser, Event, Interp, Limits, Place, StepResult};
use program::{Action, Expr, Function, LocId, Location, Op, Program, VarId, VarKind, Width};

#[test]
fn by_hand() {
    let program = parse(
        "function main() -> 32 { reg a, b, c, d: 32
            a = 1; b = a
            loop: if b <s 10 then body else done
            body: c = call f(b, a)
            b = c; d = c -> loop
            done: return a }
         function f(x: 32, y: 32) -> 32 { return x + y }",
    );
    let main = &program.functions[func(&program, "main")];
    let liveness = Liveness::of(main);
    let names =
        |registers: &Registers| -> String { registers.iter().map(|var| &main.vars[var].name[..]).collect() };
    let live: Vec<String> = main.locations.ids().map(|loc| names(liveness.live_at(loc))).collect();
    assert_eq!(live, ["", "ab", "ab", "ac", "a"]);
    assert_eq!(names(liveness.live_during_call(LocId(2))), "a");
}

/// Before every action, all registers that `is_dead` names are set to something else: location `n` becomes `2 * n` (which
/// does that) and `2 * n + 1`.
fn clobbered(program: &Program, is_dead: impl Fn(&Function, LocId, VarId) -> bool) -> Program {
    let mut result = program.clone();
    for function in result.functions.iter_mut() {
        let original = function.clone();
        let mut locations = Vec::new();
        for (loc, location) in original.locations.iter_enumerated() {
            let clobber = |(var, declared): (VarId, &program::Var)| match declared.kind {
                VarKind::Register(width) if is_dead(&original, loc, var) => {
                    Some(Op::Set { var, value: Expr::constant(0xdead_beef, width) })
                }
                _ => None,
            };
            let ops = original.vars.iter_enumerated().filter_map(clobber).collect();
            let next = LocId(loc.0 * 2 + 1);
            locations.push(Location { action: Action::Ops { ops, sync: None, next }, span: location.span });
            let mut action = location.action.clone();
            action.successors_mut().for_each(|next| next.0 *= 2);
            locations.push(Location { action, span: location.span });
        }
        function.entry.0 *= 2;
        function.locations = locations.into_iter().collect();
    }
    result
}

/// Answers by a rule.
struct Dice<'r>(&'r mut Random);

impl Chooser for Dice<'_> {
    fn choose(&mut self, _width: Width, what: &Choice) -> Option<u128> {
        let n_values = if let Choice::Waiter { n_waiters } = what { *n_waiters } else { 2 };
        Some(self.0.index(n_values) as u128)
    }
}

/// What can be seen of a random run: who was asked to move, how that went, and all events but those of registers.
fn observe(program: &Program, seed: u64, is_clobbered: bool) -> Vec<String> {
    let limits = Limits { frames: 10, threads: 40, allocation: 64 };
    let interp = Interp::with_limits(program, limits).unwrap();
    let mut random = Random(seed);
    let mut state = interp.initial();
    let mut seen = Vec::new();
    for _ in 0..60 {
        let threads = threads(&state);
        if threads.is_empty() {
            break;
        }
        let thread = threads[random.index(threads.len())];
        if state.atomic_owner().is_some_and(|owner| owner != thread) {
            continue;
        }
        let at_clobber = state.thread(thread).and_then(|t| t.top()).is_some_and(|f| f.loc().0 % 2 == 0);
        if is_clobbered && at_clobber {
            assert_eq!(
                interp.step(&mut state, thread, &mut Dice(&mut random), &mut Vec::new()),
                StepResult::Continue
            );
        }
        let mut events: Vec<Event> = Vec::new();
        let result = interp.step(&mut state, thread, &mut Dice(&mut random), &mut events);
        seen.push(match &result {
            // Its object is named by a location, too.
            StepResult::Undefined(undefined) => format!("{thread} {undefined}"),
            other => format!("{thread} {other:?}"),
        });
        events.retain(|event| !about_register(event));
        seen.extend(events.iter().map(|event| place_names(&interp, event)));
        if !matches!(result, StepResult::Continue | StepResult::Blocked) {
            break;
        }
    }
    seen
}

fn about_register(event: &Event) -> bool {
    let register = |place: &Place| matches!(place, Place::Register { .. });
    match event {
        Event::Read { place, .. } | Event::Write { place, .. } => register(place),
        _ => false,
    }
}

/// Heap objects are named by locations, which clobbering doubles.
fn place_names(interp: &Interp<'_>, event: &Event) -> String {
    let is_heap = |object| matches!(site(object), Site::Heap(..));
    match event {
        Event::Read { place: Place::Memory { object, .. }, value, .. } if is_heap(*object) => {
            format!("read {value}")
        }
        Event::Write { place: Place::Memory { object, .. }, value, .. } if is_heap(*object) => {
            format!("write {value:?}")
        }
        Event::Allocated { size, .. } => format!("allocated {size}"),
        Event::Freed { object } => format!("freed {}", interp.object_name(*object)),
        Event::Copied { len, .. } => format!("copied {len}"),
        other => format!("{other:?}"),
    }
}

/// Whether clobbering is noticed in some random run.
fn is_noticed(seed: u64, is_dead: impl Fn(&Function, LocId, VarId) -> bool) -> Option<String> {
    let original = parse(&program(seed));
    let changed = clobbered(&original, is_dead);
    (0..4).find_map(|run| {
        let (expect, found) = (observe(&original, run, false), observe(&changed, run, true));
        (expect != found).then(|| format!("seed {seed}, run {run}:\n{expect:#?}\n{found:#?}\n{original}"))
    })
}

#[test]
fn what_is_dead_can_be_overwritten() {
    for seed in 0..1_000 {
        let is_dead = |function: &Function, loc, var| !Liveness::of(function).live_at(loc).contains(var);
        if let Some(difference) = is_noticed(seed, is_dead) {
            panic!("{difference}");
        }
    }
}

#[test]
fn overwriting_what_is_live_is_noticed() {
    let first_live =
        |function: &Function, loc, var| Liveness::of(function).live_at(loc).iter().next() == Some(var);
    assert!((0..50).any(|seed| is_noticed(seed, first_live).is_some()));
}
