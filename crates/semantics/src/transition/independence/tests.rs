//! The relation against the interpreter: from reachable states of random programs, two steps that are called independent are executed in both orders.
//!
//! | checked | for |
//! |---|---|
//! | neither enables nor disables the other, nor changes how many ways it has | both answers |
//! | every state that `left; right` reaches is one that `right; left` reaches | [`Edges::dependence`], each edge of `left` |
//! | both orders reach the same states | [`Footprint::is_independent_of`] |
//!
//! Alias conditions are evaluated in the state. An end of the program is one state, whatever happened before. Pairs of which an order is undefined, or has no
//! model, are left out (SOUNDNESS: A20); so are pairs of which one copies memory and the other one reads an indeterminate value: the interpreter keeps a value that was chosen apart
//! from a copy of one that was not. That the tests can fail is a test, too: without any part of the relation they do.

mod executions;

use super::*;
use crate::analysis::Analysis;
use crate::analysis::tests::{func, parse, random};
use executions::{Executions, World};
use program::Property;
use program::interp::{State, Wakeups};
use std::collections::{BTreeSet, HashSet};

const MAX_STATES: usize = 120;
const N_PROGRAMS: u64 = 500;

/// The relation, or one that lacks something.
#[derive(Clone, Copy)]
enum Relation {
    Exact,
    /// Every alias condition is taken for false.
    WithoutAliases,
    /// Control is taken to commute.
    WithoutControl,
    /// Footprints, changed.
    Summary(fn(Footprint) -> Footprint),
}

/// How much was checked.
#[derive(Default, Debug)]
struct Tally {
    pairs: usize,
    independent: usize,
    /// Independent because an alias condition does not hold.
    apart: usize,
    /// The operations of the actions that were called independent of another one.
    kinds: BTreeSet<String>,
}

/// Two steps of different threads in a state.
struct Pair<'a> {
    state: &'a State,
    at: GlobalLocationId,
    left: ThreadId,
    right: ThreadId,
}

/// A function that is never called. Memory that no function reads has no state variables, and steps that differ only there would seem to be dependent.
const OBSERVER: &str = "function observer() { reg r: 32 reg q: 64
    r = [&a]:32; r = [&a + 4]:32; r = [&a + 8]:32; r = [&a + 12]:32
    r = [&x]:32; r = [&y]:32; r = [&m]:32; q = [&p]:64
    return }";

/// Why some two steps that the relation calls independent are not, if there are such.
fn refute(text: &str, fuse: bool, relation: Relation, tally: &mut Tally) -> Option<String> {
    let program = parse(&format!("{text}{OBSERVER}"));
    let analysis = Analysis::of(&program);
    let mut world = World::new(&analysis, fuse)?;
    for (state, at) in world.reachable(MAX_STATES) {
        let threads: Vec<ThreadId> = world.edges.control(at).movable().collect();
        for &left in &threads {
            for &right in threads.iter().filter(|right| **right != left) {
                tally.pairs += 1;
                let pair = Pair { state: &state, at, left, right };
                let refuted = match relation {
                    Relation::Summary(change) => by_summary(&mut world, &pair, change, tally),
                    _ => by_edges(&mut world, &pair, relation, tally),
                };
                if let Some(why) = refuted {
                    let at = world.edges.control(at);
                    return Some(format!("{why}: {left} and {right} at {at}\n{program}"));
                }
            }
        }
    }
    None
}

/// Checks what footprints say about all edges of two threads at once.
fn by_summary(
    world: &mut World<'_>,
    pair: &Pair<'_>,
    change: fn(Footprint) -> Footprint,
    tally: &mut Tally,
) -> Option<&'static str> {
    let left = change(world.footprint(pair.at, pair.left));
    let right = change(world.footprint(pair.at, pair.right));
    if !left.is_independent_of(&right) {
        return None;
    }
    tally.independent += 1;
    tally.kinds.extend(world.kinds(pair.at, pair.left));
    let there = both(world, pair)?;
    let back = both(world, &Pair { left: pair.right, right: pair.left, ..*pair })?;
    there.difference.or(back.difference).or((there.states != back.states).then_some("the states differ"))
}

/// Checks what is said of each edge of `left` and all edges of `right`.
fn by_edges(
    world: &mut World<'_>,
    pair: &Pair<'_>,
    relation: Relation,
    tally: &mut Tally,
) -> Option<&'static str> {
    let edges = world.edges_of(pair.at, pair.left);
    let mut independent = HashSet::new();
    for (n, last) in edges.iter().enumerate() {
        let World { edges, encoder, terms, .. } = world;
        let dependence = match relation {
            Relation::WithoutControl => edges.data_dependence(encoder, terms, pair.at, last, pair.right),
            _ => edges.dependence(encoder, terms, pair.at, last, pair.right),
        };
        let is_independent = match (dependence, relation) {
            (Dependence::Independent, _) | (Dependence::OnlyIf(_), Relation::WithoutAliases) => true,
            (Dependence::Dependent, _) => false,
            (Dependence::OnlyIf(conditions), _) => {
                let apart = conditions.iter().all(|alias| world.evaluate(pair.state, *alias) == Some(false));
                tally.apart += usize::from(apart);
                apart
            }
        };
        if is_independent {
            independent.insert(n);
        }
    }
    if independent.is_empty() {
        return None;
    }
    tally.independent += 1;
    tally.kinds.extend(world.kinds(pair.at, pair.left));
    let there = both_with(world, pair, |edges| edges.iter().all(|n| independent.contains(n)))?;
    let back = both(world, &Pair { left: pair.right, right: pair.left, ..*pair })?;
    there.difference.or((!there.states.is_subset(&back.states)).then_some("the other order misses a state"))
}

/// What `left; right` leads to.
struct Both {
    states: HashSet<Option<State>>,
    /// What `left` does to `right`.
    difference: Option<&'static str>,
}

fn both(world: &mut World<'_>, pair: &Pair<'_>) -> Option<Both> {
    both_with(world, pair, |_| true)
}

/// `left; right`, where `left` takes edges that are `wanted`; `None` if something is undefined, or has no model.
fn both_with(
    world: &mut World<'_>,
    pair: &Pair<'_>,
    wanted: impl Fn(&BTreeSet<usize>) -> bool,
) -> Option<Both> {
    let Executions::Known(first) = world.executions(pair.state, pair.at, pair.left) else { return None };
    let Executions::Known(alone) = world.executions(pair.state, pair.at, pair.right) else { return None };
    let mut found = Both { states: HashSet::new(), difference: None };
    for end in first.iter().filter(|end| wanted(&end.edges)) {
        let Some((state, at)) = &end.state else {
            // After the end of the program nothing happens; what could have happened before it makes no difference.
            found.states.extend((!alone.is_empty()).then_some(None));
            continue;
        };
        let Executions::Known(second) = world.executions(state, *at, pair.right) else { return None };
        let chosen = end.chosen || second.iter().any(|end| end.chosen);
        let copies = |thread| world.kinds(pair.at, thread).iter().any(|kind| kind == "copy");
        if chosen && (copies(pair.left) || copies(pair.right)) {
            return None;
        }
        let interp = world.encoder.interp();
        for wakeups in [Wakeups::Spurious, Wakeups::OnlySignalled] {
            if interp.enabled(pair.state, pair.right, wakeups) != interp.enabled(state, pair.right, wakeups) {
                found.difference = Some("one enables or disables the other");
            }
        }
        if alone.len() != second.len() {
            found.difference = Some("one changes the other's choices");
        }
        found.states.extend(second.into_iter().map(|end| end.state.map(|(state, _)| state)));
    }
    Some(found)
}

fn holds(fuse: bool, relation: Relation, n_programs: u64) -> Tally {
    let mut tally = Tally::default();
    for seed in 0..n_programs {
        if let Some(why) = refute(&random::program(seed), fuse, relation, &mut tally) {
            panic!("seed {seed}: {why}");
        }
    }
    tally
}

#[test]
fn independent_actions_commute() {
    let tally = holds(false, Relation::Exact, N_PROGRAMS);
    assert!(tally.independent > 10_000 && tally.apart > 100, "{tally:?} should be more");
    let expected = [
        "alloc", "atomic", "branch", "call", "copy", "create", "detach", "fill", "forget", "free", "guard",
        "havoc", "join", "return", "set", "signal", "store", "wait",
    ];
    let missing: Vec<_> = expected.iter().filter(|kind| !tally.kinds.contains(**kind)).collect();
    assert!(missing.is_empty(), "no pair with {missing:?} was called independent: {tally:?}");
}

#[test]
fn independent_transactions_commute() {
    let tally = holds(true, Relation::Exact, N_PROGRAMS / 2);
    assert!(tally.independent > 5_000, "{tally:?} should be more");
}

#[test]
fn actions_with_independent_footprints_commute() {
    let tally = holds(false, Relation::Summary(|f| f), N_PROGRAMS);
    assert!(tally.independent > 10_000, "{tally:?} should be more");
}

#[test]
fn transactions_with_independent_footprints_commute() {
    let tally = holds(true, Relation::Summary(|f| f), N_PROGRAMS / 2);
    assert!(tally.independent > 5_000, "{tally:?} should be more");
}

#[test]
fn a_relation_that_lacks_something_is_refuted() {
    fn without(mut footprint: Footprint, lose: fn(&mut ControlEffect)) -> Footprint {
        lose(&mut footprint.control);
        footprint
    }
    let broken: [(&str, Relation); 7] = [
        ("reads", Relation::Summary(|f| f.without(true, false))),
        ("writes", Relation::Summary(|f| f.without(false, true))),
        ("threads", Relation::Summary(|f| without(f, |c| c.concerns_threads = false))),
        ("ends of threads", Relation::Summary(|f| without(f, |c| c.ends_thread = false))),
        ("sections and objects", Relation::Summary(|f| without(f, |c| c.changes_steps = false))),
        ("alias conditions", Relation::WithoutAliases),
        ("control", Relation::WithoutControl),
    ];
    for (name, relation) in broken {
        let mut programs = (0..2 * N_PROGRAMS).map(random::program);
        let refuted = programs.any(|text| refute(&text, false, relation, &mut Tally::default()).is_some());
        assert!(refuted, "leaving out {name} should be noticed");
    }
}

/// What is said of the first transactions of `left` and `right`, two functions that main starts, for a property.
fn check_for(property: Property, left: &str, right: &str, expect: &str) {
    let text = format!(
        "object x: 4 object y: 4 object z1: 4 object z2: 4 object a: 40 object c: 4 object p: 8 pointers {{ 0: &x }}
         function main() -> 32 {{ reg t, n: 64 reg r: 32
            havoc n
            t = create(&one, n)
            t = create(&two, n)
            [&x]:32 = 0; [&y]:32 = 0; r = [&a]:32; [&p]:64 = &y; [&z1]:32 = 0; [&z2]:32 = 0
            return 0 }}
         function one(i: 64) -> 64 {{ reg r, e: 32 reg q: 64 memory l: 8 {left}\n[&z1]:32 = 1\n[&z1]:32 = 2\nreturn 0 }}
         function two(i: 64) -> 64 {{ reg r, e: 32 reg q: 64 memory l: 8 {right}\n[&z2]:32 = 1\n[&z2]:32 = 2\nreturn 0 }}"
    );
    let program = parse(&text);
    let analysis = Analysis::of(&program);
    let monitor = crate::transition::Monitor::new(property);
    let mut encoder = monitor.encoder(&analysis).unwrap();
    let mut edges = monitor.edges(Edges::new(&analysis, true, property));
    let mut terms = Terms::new();
    let (control, _) = encoder.initial(&mut terms).unwrap();
    let mut at = edges.intern(control);
    for _ in 0..2 {
        at = edges.of(&mut encoder, &mut terms, at, ThreadId::MAIN)[0].control;
    }
    let thread = |name| {
        let mut threads = edges.control(at).threads.iter();
        threads.find(|t| t.top().func == func(&program, name)).unwrap().id
    };
    let (one, two) = (thread("one"), thread("two"));
    let last = Rc::clone(&edges.of(&mut encoder, &mut terms, at, one)[0]);
    let found = match edges.dependence(&mut encoder, &mut terms, at, &last, two) {
        Dependence::Independent => "independent",
        Dependence::Dependent => "dependent",
        Dependence::OnlyIf(_) => "only if they alias",
    };
    assert_eq!(found, expect, "{left} / {right}");
}

fn check(left: &str, right: &str, expect: &str) {
    check_for(Property::UnreachCall, left, right, expect);
}

#[test]
fn the_table() {
    check("[&x]:32 = 1", "[&y]:32 = 1", "independent");
    check("[&x]:32 = 1", "r = [&x]:32", "dependent");
    check("r = [&x]:32", "r = [&x]:32", "independent");
    check("guard [&x]:32 == 0", "[&x]:32 = 1", "dependent");
    check("assume [&x]:32 == 0", "[&x]:32 = 1", "dependent");
    check("[&l]:64 = 1", "[&l]:64 = 1", "independent");
    check("r = 1", "exit", "dependent");
    check("r = [&x]:32\nthread_exit 0", "r = [&y]:32\nthread_exit 0", "dependent");
    check("q = create(&main, 0)", "r = [&x]:32", "independent");
    check("q = alloc(4)", "r = [&x]:32", "independent");
    check("atomic_begin\n[&x]:32 = 1\n[&y]:32 = 1\natomic_end", "r = [&x]:32", "dependent");
    check("atomic_begin\n[&y]:32 = 1\natomic_end\n[&x]:32 = 1", "r = [&x]:32", "independent");
    check("[&a + i * 4]:32 = 1", "[&a + 8]:32 = 1", "only if they alias");
    check("q = &a + i * 4; [q]:32 = 1", "[&a + i * 4]:32 = 1", "only if they alias");
    check("[[&p]:64]:32 = 1", "r = [&x]:32", "only if they alias");
    check("[&a + i * 8]:32 = 1", "[&a + 4 + i * 8]:32 = 1", "independent");
}

#[test]
fn waits_count_where_they_are_followed() {
    let check = |left, right, expect| check_for(Property::NoDeadlock, left, right, expect);
    check("wait_begin(&c)", "signal(&c)", "dependent");
    check("wait_begin(&c)", "wait_begin(&c)", "independent");
    check("wait_begin(&c)", "r = [&x]:32", "independent");
    check_for(Property::UnreachCall, "wait_begin(&c)", "signal(&c)", "independent");
}
