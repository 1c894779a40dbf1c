//! Inductive state sets, locksets, and traces.

use super::{Proved, XYM, copied, locked_increments, parsed, replays, three};
use base::{Budget, Stats};
use certify::replay;
use engines::{Engine, Task, explore, lockset};
use evidence::{Accessed, Outcome, Proof, StateSet, Trace, Transactions};
use program::interp::{Identity, Interp, NoObserver, State, Thread, ThreadId, Wakeups};
use program::trace::Scripted;
use program::{Action, LocId, Op, Program, Property};
use semantics::analysis::lockset::{Held, Lock, Mode};
use semantics::analysis::{Liveness, Locksets};
use std::collections::BTreeSet;
use std::sync::Arc;

#[test]
fn state_sets() {
    for property in [Property::UnreachCall, Property::NoDeadlock, Property::Termination, Property::NoOverflow]
    {
        let proved = Proved::by(&explore::Options::default(), &locked_increments(), property);
        let Proof::Explored(set) = &proved.proof else { panic!("exploration should prove by exploring") };
        for n in 0..set.states.len() {
            proved.refused("a state less", |p| {
                if let Proof::Explored(set) = p {
                    set.states.remove(n);
                    set.transactions.iter_mut().for_each(|t| _ = t.footprints.remove(n));
                }
            });
        }
    }
}

/// A set that is right for one property of a program says nothing about another one.
#[test]
fn a_state_set_is_checked_against_its_property() {
    let text = three(XYM, "[&x]:32 = 1", "[&x]:32 = 2", "r, e = join(h) r, e = join(g)");
    let safe = Proved::by(&explore::Options::default(), &text, Property::UnreachCall);
    let race = Proved { property: Property::NoDataRace, ..safe };
    assert!(race.check(&race.proof).is_err(), "the writes race");
    let waiting = three(XYM, "guard [&m]:32 == 1; skip", "skip", "r, e = join(h)");
    let safe = Proved::by(&explore::Options::default(), &waiting, Property::UnreachCall);
    for property in [Property::NoDeadlock, Property::Termination] {
        let other = Proved { property, program: safe.program.clone(), proof: safe.proof.clone() };
        assert!(other.check(&other.proof).is_err(), "the first thread waits for ever");
    }
}

fn locksets(proof: &mut Proof) -> &mut Locksets {
    if let Proof::Locksets(proof) = proof { proof } else { panic!("{proof:?} should be locksets") }
}

/// Two workers and a helper function that lock `m`; `n` is a lock that is never taken.
fn locked() -> Proved {
    const LOCK: &str = "#lock(&m) guard [&m]:32!sc == 0; [&m]:32!sc = trunc32(self())\n";
    const UNLOCK: &str = "#unlock(&m) [&m]:32!sc = 0\n";
    let text = format!(
        "program lp64 object x: 4 object m: 4 object n: 4 object h: 8
         function main() -> 32 {{ reg t: 64 t = create(&v, 0)\nt = create(&w, 0)\nreturn 0 }}
         function v(a: 64) -> 64 {{ {LOCK} [&x]:32 = 1\n{UNLOCK} return 0 }}
         function w(a: 64) -> 64 {{ call enter()\n[&x]:32 = 2\ncall leave()\nreturn 0 }}
         function enter() {{ {LOCK} return }}
         function leave() {{ {UNLOCK} return }}"
    );
    Proved::by(&lockset::Options, &text, Property::NoDataRace)
}

#[test]
fn sets_of_locks() {
    let proved = locked();
    let right = locksets(&mut proved.proof.clone()).clone();
    let m = *right.locks.first().expect("there should be a lock");
    proved.refused("no lock is held", |p| {
        for held in locksets(p).full.iter_mut().flat_map(|locations| locations.iter_mut()).flatten() {
            held.locks.clear();
        }
    });
    for func in right.full.ids() {
        for loc in right.full[func].ids() {
            let held = right.full[func][loc].as_ref();
            if held.is_some_and(|held| !held.locks.contains_key(&m)) {
                proved.refused("a lock that is not held", |p| {
                    let held = locksets(p).full[func][loc].as_mut().expect("it is reached");
                    held.locks.insert(m, Mode::Write);
                });
            }
            if held.is_some_and(|held| !held.atomic) {
                proved.refused("no atomic section", |p| {
                    locksets(p).full[func][loc].as_mut().expect("it is reached").atomic = true;
                });
            }
            if held.is_some() {
                proved.refused("a location that is reached", |p| locksets(p).full[func][loc] = None);
            }
            if right.local[func][loc].as_ref().is_some_and(|held| held.locks.is_empty()) {
                proved.refused("more was taken than nothing", |p| {
                    let held = Held { locks: [(m, Mode::Write)].into(), ..Held::default() };
                    locksets(p).local[func][loc] = Some(held);
                });
            }
            if right.alive[func][loc].as_ref().is_some_and(|alive| !alive.is_empty()) {
                proved.refused("a thread is not alive", |p| {
                    locksets(p).alive[func][loc] = Some(Default::default());
                });
            }
        }
        if right.gain[func].as_ref().is_some_and(|gain| gain.locks.is_empty()) {
            proved.refused("a function that takes nothing", |p| {
                let held = Held { locks: [(m, Mode::Write)].into(), ..Held::default() };
                locksets(p).gain[func] = Some(held);
            });
        }
        if !right.loss[func].is_empty() {
            proved.refused("a release is not named", |p| locksets(p).loss[func].clear());
        }
    }
    proved.refused("another program's", |p| locksets(p).full = Default::default());
    proved.refused("a lock in a place of which there are many", |p| {
        let many = semantics::analysis::Site::Frame(program::FuncId(3), program::VarId(0));
        locksets(p).locks.insert(Lock { site: many, offset: 0 });
    });
    let other = Proved { property: Property::UnreachCall, ..proved };
    assert!(other.check(&other.proof).is_err(), "locks prove nothing else");
}

fn violation(text: &str, property: Property) -> (Program, Trace) {
    let program = parsed(text);
    let task = Task::new(&program, property, &Budget::unlimited());
    let outcome = explore::Options::default().run(&task, &mut Stats::default());
    let Outcome::Unsafe(trace) = outcome else { panic!("{text} should violate {property}: {outcome:?}") };
    drop(task);
    (program, trace)
}

#[test]
fn traces() {
    let unlocked =
        three(XYM, "t = [&x]:32 [&x]:32 = t + 1", "t = [&x]:32 [&x]:32 = t + 1", super::JOIN_AND_CHECK);
    let waiting = three(XYM, "guard [&m]:32 == 1; skip", "skip", "r, e = join(h)");
    let spinning = three(XYM, "loop: skip -> loop", "skip", "r, e = join(h)");
    let cases = [
        (&unlocked, Property::UnreachCall),
        (&unlocked, Property::NoDataRace),
        (&waiting, Property::NoDeadlock),
        (&spinning, Property::Termination),
    ];
    for (text, property) in cases {
        let (program, right) = violation(text, property);
        replays(&program, &right);
        for n in 0..right.steps.len() {
            let mut wrong = right.clone();
            wrong.steps[n].thread = ThreadId(9);
            assert!(replay(&program, &copied(&wrong)).is_err(), "{property}: no such thread in step {n}");
            let mut wrong = right.clone();
            wrong.steps[n].choices.push(1);
            assert!(replay(&program, &wrong).is_err(), "{property}: a value that step {n} does not take");
        }
        let mut wrong = right.clone();
        wrong.steps.clear();
        assert!(replay(&program, &wrong).is_err(), "{property}: no steps");
        let wrong = Trace { property: Property::NoOverflow, ..right.clone() };
        assert!(replay(&program, &wrong).is_err(), "another property");
    }
    let reason = base::Inconclusive::Bound("7 threads".to_owned());
    copied(&Outcome::Unknown(reason));
}

/// A proof by exploration.
fn explored(program: &Program, property: Property) -> StateSet {
    let task = Task::new(program, property, &Budget::unlimited());
    match explore::Options::default().run(&task, &mut Stats::default()) {
        Outcome::Safe(Proof::Explored(set)) => set,
        _ => panic!("exploration should prove {property}"),
    }
}

/// The set of a search that schedules threads at creations, joins, guards and errors only, without care.
fn reduced_without_care(program: &Program) -> StateSet {
    let interp = Interp::new(program).expect("a test program should have an initial state");
    let mut simple = BTreeSet::new();
    for (func, function) in program.functions.iter_enumerated() {
        let plain = |op: &Op| matches!(op, Op::Set { .. } | Op::Store { .. });
        let is_plain = |loc: &LocId| match &function.locations[*loc].action {
            Action::Ops { ops, .. } => ops.iter().all(plain),
            Action::Branch { .. } => true,
            _ => false,
        };
        simple.extend(function.locations.ids().filter(is_plain).map(|loc| (func, loc)));
    }
    let liveness = program.functions.iter().map(Liveness::of).collect();
    let (mut states, mut at) = (vec![interp.initial()], 0);
    while at < states.len() {
        let state = states[at].clone();
        at += 1;
        for thread in interp.runnable(&state, Wakeups::Spurious) {
            let (mut next, mut mover) = (state.clone(), Some(thread));
            while let Some(thread) = mover {
                interp.step(&mut next, thread, &mut Scripted { rest: &[] }, &mut NoObserver);
                let stands = |t: &Thread| t.top().is_some_and(|f| simple.contains(&(f.func(), f.loc())));
                mover = next.threads().find(|(_, t)| stands(t)).map(|(id, _)| id);
            }
            Liveness::forget_dead(&liveness, &mut next, |_| true);
            if !states.contains(&next) {
                states.push(next);
            }
        }
    }
    // Whatever a thread has accessed: all of the static objects.
    let object = |id| Accessed { object: Identity::Static(id), writes: true, from: 0, to: u64::MAX };
    let table = vec![program.objects.ids().map(object).collect(), Vec::new()];
    let of = |state: &State| state.threads().map(|(thread, _)| (thread, 0)).collect();
    let footprints = states.iter().map(of).collect();
    let transactions = Some(Transactions { simple, points: BTreeSet::new(), table, footprints });
    let states = states.into_iter().map(Arc::new).collect();
    StateSet { states, identities: interp.identities(), transactions }
}

/// Threads are scheduled wherever others can tell, even if everything that is left is right.
#[test]
fn transactions() {
    let reads = "if [&x]:32 == 1 then ok else bad bad: error unreach-call \"too early\" ok: skip";
    let racy = parsed(&three(XYM, "[&x]:32 = 1", reads, "r, e = join(h) r, e = join(g)"));
    let private = parsed(&three(XYM, "[&x]:32 = 1", "[&y]:32 = 1", "r, e = join(h) r, e = join(g)"));
    let check = |program: &Program, property, set: &StateSet| {
        certify::check_proof(program, property, &Proof::Explored(set.clone()), &Budget::unlimited())
    };
    let set = explored(&private, Property::UnreachCall);
    check(&private, Property::UnreachCall, &set).expect("no two threads access one object");
    assert!(check(&private, Property::Termination, &set).is_err(), "termination needs all states");
    let refused = |what: &str, program: &Program, set: &StateSet, change: &dyn Fn(&mut Transactions)| {
        let mut wrong = set.clone();
        change(wrong.transactions.as_mut().expect("exploration should take actions together"));
        assert!(check(program, Property::NoDeadlock, &wrong).is_err(), "{what}");
    };
    let forget = |t: &mut Transactions| t.table.iter_mut().for_each(Vec::clear);
    refused("footprints are kept", &private, &set, &forget);
    refused("each state has some", &private, &set, &|t| _ = t.footprints.pop());
    refused("they are in the table", &private, &set, &|t| t.table.truncate(0));
    let set = explored(&racy, Property::NoDeadlock);
    check(&racy, Property::NoDeadlock, &set).expect("the access that conflicts is a scheduling point");
    let mut careless = reduced_without_care(&racy);
    let why = check(&racy, Property::UnreachCall, &careless).expect_err("the second thread may be first");
    assert!(why.to_string().contains("conflicts with a transaction"), "{why}");
    for number in careless.transactions.iter_mut().flat_map(|t| t.footprints.iter_mut().flatten()) {
        number.1 = 1;
    }
    let why = check(&racy, Property::UnreachCall, &careless).expect_err("the footprints are not empty");
    assert!(why.to_string().contains("out of the set"), "{why}");
}

/// At the end of the program nothing may be left that could have been done otherwise before.
#[test]
fn leaks_and_transactions() {
    let reg = |text: String| parsed(&text.replace("reg t, i: 32", "reg r: 64 reg t, i: 32"));
    let first = "r = alloc(4) free(r)";
    let joined = reg(three(XYM, first, "[&y]:32 = 1", "r, e = join(h) r, e = join(g)"));
    let set = explored(&joined, Property::ValidMemcleanup);
    assert!(set.transactions.is_some(), "all threads are joined");
    let left = reg(three(XYM, first, "[&y]:32 = 1", "r, e = join(g)"));
    let outcome = explore::Options::default()
        .run(&Task::new(&left, Property::ValidMemcleanup, &Budget::unlimited()), &mut Stats::default());
    assert!(matches!(outcome, Outcome::Unsafe(_)), "the program may end before the block is freed");
}
