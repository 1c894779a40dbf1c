//! Held locks, living threads, and which accesses are left.

use super::*;
use crate::analysis::lockset::RacePair;
use program::{Action, Op};

const LOCK: &str = "#lock(&m) guard [&m]:32!sc == 0; [&m]:32!sc = trunc32(self())\n";
const UNLOCK: &str = "#unlock(&m) [&m]:32!sc = 0\n";

/// A program with two workers; `LOCK` and `UNLOCK` stand for a mutex `m`.
fn text(main: &str, first: &str, second: &str) -> String {
    let text = format!(
        "object x: 4 object y: 4 object m: 4 object n: 4 object h: 8 object g: 8 object p: 8
         function main() {{ reg t: 64 reg r, e: 32 reg u: 64 {main}\nreturn }}
         function v(a: 64) -> 64 {{ reg r: 32 {first}\nreturn 0 }}
         function w(a: 64) -> 64 {{ reg r: 32 {second}\nreturn 0 }}
         function enter() {{ LOCK return }}
         function leave() {{ UNLOCK return }}"
    );
    text.replace("UNLOCK", UNLOCK).replace("LOCK", LOCK)
}

const BOTH: &str = "t = create(&v, 0); [&h]:64 = t\nt = create(&w, 0); [&g]:64 = t\n";

/// The pairs of accesses to `x` or `y` that are left. (Plain accesses to locks and handles may race, too.)
fn on_data(program: &Program, found: &[RacePair]) -> usize {
    let is_data = |site: &Site| matches!(site, Site::Static(id) if ["x", "y"].contains(&program.objects[*id].name.as_str()));
    found.iter().filter(|pair| pair.left.places.iter().any(|(site, _)| is_data(site))).count()
}

/// How many of them are left.
fn check(main: &str, first: &str, second: &str, left: usize) {
    let text = text(main, first, second);
    let program = parse(&text);
    let analysis = Analysis::of(&program);
    let found = Locksets::of(&analysis).races(&analysis);
    assert_eq!(on_data(&program, &found), left, "{found:#?}\n{text}");
}

#[test]
fn locks_protect() {
    check(BOTH, "[&x]:32 = 1", "[&x]:32 = 2", 1);
    check(BOTH, "[&x]:32 = 1", "[&y]:32 = 2", 0);
    check(BOTH, "r = [&x]:32", "r = [&x]:32", 0);
    let locked = "LOCK [&x]:32 = 1\nUNLOCK";
    check(BOTH, locked, locked, 0);
    check(BOTH, locked, "[&x]:32 = 2", 1);
    check(BOTH, locked, "LOCK UNLOCK [&x]:32 = 2", 1);
    let other = format!("{}[&x]:32 = 2", LOCK.replace("&m", "&n"));
    check(BOTH, locked, &other, 1);
    check(BOTH, locked, "call enter()\n[&x]:32 = 2\ncall leave()", 0);
    check(BOTH, locked, "call enter()\ncall leave()\n[&x]:32 = 2", 1);
    check(BOTH, locked, "if r == 0 then a else b\na: LOCK b: [&x]:32 = 2\nUNLOCK", 1);
}

#[test]
fn foreign_unlocks_break_locks() {
    let locked = "LOCK [&x]:32 = 1\nUNLOCK";
    check(&format!("{BOTH}UNLOCK"), locked, locked, 1);
    check(&format!("UNLOCK{BOTH}"), locked, locked, 0);
    check(&format!("{BOTH}[&m]:32 = 0"), locked, locked, 1);
    check(&format!("{BOTH}fill(&m, 0, 4)"), locked, locked, 1);
    check(BOTH, locked, &format!("UNLOCK{locked}"), 1);
}

#[test]
fn joins_and_creates_order() {
    let access = "[&x]:32 = 1";
    let one = "t = create(&v, 0); [&h]:64 = t\n";
    let joined = "u, e = join([&h]:64)\n";
    check(&format!("{access}\n{one}"), access, "skip", 0);
    check(&format!("{one}{access}"), access, "skip", 1);
    check(&format!("{one}{joined}{access}"), access, "skip", 0);
    check(&format!("{one}{joined}t = create(&w, 0); [&g]:64 = t\n"), access, access, 0);
    check(&format!("{one}t = create(&w, 0); [&g]:64 = t\n{joined}"), access, access, 1);
    // What is joined is no longer what was created.
    check(&format!("{one}[&h]:64 = 0\n{joined}{access}"), access, "skip", 1);
    // Detached threads are not waited for.
    check(&format!("{one}e = detach([&h]:64)\n{joined}{access}"), access, "skip", 1);
    // The handle of another thread's create may not be there yet.
    let inner = "t = create(&w, 0); [&g]:64 = t";
    let outer = text(&format!("{one}u, e = join([&g]:64)\n{access}"), "skip", access);
    let program = parse(&outer.replace("reg r: 32 skip", &format!("reg r: 32 reg t: 64 {inner}")));
    let analysis = Analysis::of(&program);
    assert_eq!(on_data(&program, &Locksets::of(&analysis).races(&analysis)), 1);
}

#[test]
fn the_interface_for_movers() {
    let locked = "LOCK [&x]:32 = 1\nUNLOCK";
    let text = text(BOTH, locked, locked);
    let program = parse(&text);
    let analysis = Analysis::of(&program);
    let locksets = Locksets::of(&analysis);
    let store = |name: &str| {
        let func = func(&program, name);
        let locations = program.functions[func].locations.iter_enumerated();
        let mut stores = locations.filter(|(_, location)| {
            matches!(&location.action, Action::Ops { ops, sync: None, .. } if matches!(ops[..], [Op::Store { .. }]))
        });
        (func, stores.next().expect("the function should store").0)
    };
    let (v, w) = (store("v"), store("w"));
    assert_eq!(locksets.held(v.0, v.1).map(|(_, mode)| mode).collect::<Vec<_>>(), [Mode::Write]);
    assert!(locksets.protected(v, w));
    assert!(locksets.may_happen_in_parallel(&analysis, (1, v), (2, w)));
    assert!(!locksets.may_happen_in_parallel(&analysis, (1, v), (1, v)));
}
