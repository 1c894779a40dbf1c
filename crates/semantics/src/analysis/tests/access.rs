//! Dependence, points-to sets, sharing and layouts against all reachable states of random programs.

use super::brute::{Step, explore, location, sections, site, successors, threads, touched};
use super::*;
use program::interp::{Identity, Interp, Limits, Place, State, ThreadId, Wakeups, value};
use program::{Expr, LocId};
use std::collections::{BTreeMap, HashMap, HashSet};

const MAX_STATES: usize = 150;
const N_PROGRAMS: u64 = 800;

type Relation = fn(&Accesses, &Accesses) -> Dependence;

/// What is taken for one step.
#[derive(Clone, Copy)]
enum Grain {
    Action,
    Section,
}

impl Grain {
    fn accesses(self, analysis: &Analysis<'_>, (func, loc): (FuncId, LocId)) -> Accesses {
        match self {
            Grain::Action => analysis.accesses(func, loc),
            Grain::Section => analysis.section(func, loc),
        }
    }
    fn successors(self, interp: &Interp<'_>, state: &State, thread: ThreadId) -> Vec<Step> {
        match self {
            Grain::Action => successors(interp, state, thread),
            Grain::Section => sections(interp, state, thread),
        }
    }
}

/// How much was checked.
#[derive(Default, Debug)]
struct Tally {
    pairs: usize,
    independent: usize,
    apart: usize,
}

fn limits() -> Limits {
    Limits { frames: 10, threads: 40, allocation: 64 }
}

/// Whether `relation` calls no two actions independent that do not commute in some reachable state; if it does, why.
fn refute(text: &str, grain: Grain, relation: Relation, tally: &mut Tally) -> Option<String> {
    let program = parse(text);
    let analysis = Analysis::of(&program);
    let interp = Interp::with_limits(&program, limits()).unwrap();
    let mut known: HashMap<(FuncId, LocId), Accesses> = HashMap::new();
    let mut refuted = None;
    explore(&interp, MAX_STATES, |state| {
        let mid_section = matches!(grain, Grain::Section) && state.atomic_owner().is_some();
        let here = if mid_section { vec![] } else { threads(state) };
        for (n, left) in here.iter().enumerate() {
            for right in &here[n + 1..] {
                let mut accesses = |thread| {
                    let at = location(state, thread).unwrap();
                    known.entry(at).or_insert_with(|| grain.accesses(&analysis, at)).clone()
                };
                let dependence = relation(&accesses(*left), &accesses(*right));
                tally.pairs += 1;
                let independent = match &dependence {
                    Dependence::Independent => true,
                    Dependence::Dependent => false,
                    Dependence::OnlyIfAlias(aliases) => {
                        let apart =
                            aliases.iter().all(|alias| are_apart(&interp, state, alias, *left, *right));
                        tally.apart += usize::from(apart);
                        apart
                    }
                };
                if independent && refuted.is_none() {
                    tally.independent += 1;
                    let why = conflict(grain, &interp, state, *left, *right)
                        .or_else(|| conflict(grain, &interp, state, *right, *left));
                    let (l, r) = (location(state, *left), location(state, *right));
                    refuted = why.map(|why| format!("{why}: {l:?} {r:?} {dependence:?}\n{program}"));
                }
            }
        }
    });
    refuted
}

/// Why two steps that should commute do not.
fn conflict(
    grain: Grain,
    interp: &Interp<'_>,
    state: &State,
    left: ThreadId,
    right: ThreadId,
) -> Option<&'static str> {
    let firsts = grain.successors(interp, state, left);
    let alone = grain.successors(interp, state, right);
    for first in &firsts {
        for wakeups in [Wakeups::Spurious, Wakeups::OnlySignalled] {
            if interp.enabled(state, right, wakeups) != interp.enabled(&first.state, right, wakeups) {
                return Some("one enables or disables the other");
            }
        }
        if alone.len() != grain.successors(interp, &first.state, right).len() {
            return Some("one changes the other's choices");
        }
    }
    let both = |one: ThreadId, other: ThreadId| -> HashSet<State> {
        let firsts = grain.successors(interp, state, one).into_iter();
        firsts
            .flat_map(|first| grain.successors(interp, &first.state, other))
            .map(|second| second.state)
            .collect()
    };
    (both(left, right) != both(right, left)).then_some("the states differ")
}

/// Whether two accesses are known to be apart in a state.
fn are_apart(interp: &Interp<'_>, state: &State, alias: &Alias, left: ThreadId, right: ThreadId) -> bool {
    let (left, right) =
        (concrete(interp, state, left, &alias.left), concrete(interp, state, right, &alias.right));
    match (left, right) {
        (Some(Concrete::Place(l, from)), Some(Concrete::Place(r, to))) => {
            let (left_bytes, right_bytes) = (alias.left_bytes as i64, alias.right_bytes as i64);
            l != r || from + left_bytes <= to || to + right_bytes <= from
        }
        _ => false,
    }
}

/// A value, as far as a test can tell it from outside the interpreter.
enum Concrete {
    Number(u128),
    Place(Identity, i64),
}

fn concrete(interp: &Interp<'_>, state: &State, thread: ThreadId, e: &Expr) -> Option<Concrete> {
    use Concrete::{Number, Place as At};
    let running = state.thread(thread)?;
    let frame = running.top()?;
    let part = |e: &Expr| concrete(interp, state, thread, e);
    Some(match e {
        Expr::Const(v, _) => Number(*v),
        Expr::Reg(var, _) => {
            let value = frame.register(*var)?;
            match interp.place_at(state, value as u64) {
                Some(Place::Memory { object, offset }) => At(object, offset as i64),
                _ => Number(value),
            }
        }
        Expr::LocalAddr(var, _) => {
            let depth = running.frames().len() as u32 - 1;
            At(Identity::Local { thread, depth, func: frame.func(), var: *var }, 0)
        }
        Expr::ObjectAddr(object, _) if interp.program().objects[*object].thread_local => {
            At(Identity::ThreadLocal(*object, thread), 0)
        }
        Expr::ObjectAddr(object, _) => At(Identity::Static(*object), 0),
        Expr::Binary(op, l, r) => match (part(l)?, part(r)?) {
            (Number(a), Number(b)) => Number(value::binary(*op, a, b, l.width())),
            (At(object, at), Number(b)) if *op == program::BinOp::Add => {
                At(object, at + r.width().signed(b) as i64)
            }
            _ => return None,
        },
        Expr::Cast(kind, to, e) => match part(e)? {
            Number(v) => Number(value::cast(*kind, v, e.width(), *to)),
            At(..) => return None,
        },
        _ => return None,
    })
}

#[test]
fn what_is_called_independent_commutes() {
    let mut tally = Tally::default();
    for seed in 0..N_PROGRAMS + N_PROGRAMS / 8 {
        if let Some(why) = refute(&random::program(seed), Grain::Action, dependent, &mut tally) {
            panic!("seed {seed}: {why}");
        }
    }
    assert!(tally.independent > 10_000 && tally.apart > 500, "{tally:?} should be more");
}

#[test]
fn sections_that_are_called_independent_commute() {
    let mut tally = Tally::default();
    for seed in 0..N_PROGRAMS / 2 {
        if let Some(why) = refute(&random::program(seed), Grain::Section, dependent, &mut tally) {
            panic!("seed {seed}: {why}");
        }
    }
    assert!(tally.independent > 10_000, "{tally:?} should be more");
    // The check can fail: without what is read and written it does.
    let nothing_touched: Relation = |l, r| {
        let without = |a: &Accesses| Accesses { reads: vec![], writes: vec![], ..a.clone() };
        dependent(&without(l), &without(r))
    };
    let mut programs = (0..N_PROGRAMS).map(random::program);
    assert!(
        programs.any(|text| refute(&text, Grain::Section, nothing_touched, &mut Tally::default()).is_some())
    );
}

#[test]
fn a_broken_dependence_is_refuted() {
    fn with(change: fn(&mut Accesses), left: &Accesses, right: &Accesses) -> Dependence {
        let (mut left, mut right) = (left.clone(), right.clone());
        change(&mut left);
        change(&mut right);
        dependent(&left, &right)
    }
    let broken: [(&str, Relation); 9] = [
        ("reads", |l, r| with(|a| a.reads.clear(), l, r)),
        ("writes", |l, r| with(|a| a.writes.clear(), l, r)),
        ("joins", |l, r| with(|a| a.joins.clear(), l, r)),
        ("thread's end", |l, r| with(|a| a.ends_thread = false, l, r)),
        ("program's end", |l, r| with(|a| a.ends_program = false, l, r)),
        ("atomic sections", |l, r| with(|a| a.atomic = 0, l, r)),
        ("signals", |l, r| with(|a| a.signals.clear(), l, r)),
        ("ends of waits", |l, r| with(|a| a.ends_wait = false, l, r)),
        ("alias", |l, r| match dependent(l, r) {
            Dependence::OnlyIfAlias(_) => Dependence::Independent,
            other => other,
        }),
    ];
    for (name, relation) in broken {
        let mut programs = (0..N_PROGRAMS).map(random::program);
        let refuted =
            programs.any(|text| refute(&text, Grain::Action, relation, &mut Tally::default()).is_some());
        assert!(refuted, "leaving out {name} should be noticed");
    }
}

#[test]
fn what_happens_was_foreseen() {
    for seed in 0..N_PROGRAMS {
        let text = random::program(seed);
        let program = parse(&text);
        let analysis = Analysis::of(&program);
        let interp = Interp::with_limits(&program, limits()).unwrap();
        let mut accessors: BTreeMap<String, (Site, HashSet<ThreadId>, bool)> = BTreeMap::new();
        explore(&interp, MAX_STATES, |state| {
            for thread in threads(state) {
                let (func, loc) = location(state, thread).unwrap();
                let action = &program.functions[func].locations[loc].action;
                let footprints = footprint::footprints(&program.functions[func], action);
                let targets: Vec<_> =
                    footprints.iter().map(|f| (f.kind, analysis.points_to.targets(func, &f.addr))).collect();
                for step in successors(&interp, state, thread) {
                    for touched in touched(&step.events) {
                        let site = site(touched.object);
                        let kind =
                            if touched.writes { footprint::Kind::Write } else { footprint::Kind::Read };
                        let named =
                            |(of, at): &(Site, Offset)| *of == site && at.contains(touched.offset as i64);
                        let foreseen = targets
                            .iter()
                            .any(|(k, t)| *k == kind && (t.unknown || t.places.iter().any(named)));
                        assert!(foreseen, "seed {seed}: {site:?}+{} at {func} {loc}\n{text}", touched.offset);
                        let foreign = touched.object.owner().is_some_and(|owner| owner != thread);
                        assert!(!foreign || analysis.threads.escapes(site), "seed {seed}: {site:?}\n{text}");
                        let entry = accessors.entry(format!("{:?}", touched.object));
                        let entry = entry.or_insert_with(|| (site, HashSet::new(), false));
                        entry.1.insert(thread);
                        entry.2 |= touched.writes;
                        if touched.word {
                            let fits = fits(analysis.layout.site(site), touched.offset, touched.bytes);
                            assert!(
                                fits,
                                "seed {seed}: {site:?}+{}:{}\n{text}",
                                touched.offset, touched.bytes
                            );
                        }
                    }
                }
            }
        });
        for (name, (site, by, written)) in accessors {
            let several = by.len() > 1;
            assert!(!several || analysis.threads.is_shared(site), "seed {seed}: {name}\n{text}");
            assert!(
                !several || !written || analysis.threads.is_contended(site),
                "seed {seed}: {name}\n{text}"
            );
        }
    }
}

/// Whether an access meets a cell of a layout.
fn fits(layout: &SitePartition, offset: u64, bytes: u64) -> bool {
    let in_scalars =
        |scalars: &[ScalarCell]| scalars.iter().any(|s| s.offset == offset && s.width.bytes() == bytes);
    match layout {
        SitePartition::Bytes => true,
        SitePartition::Scalars(scalars) => in_scalars(scalars),
        SitePartition::Rows { rows, scalars, guarded } => {
            let in_row = |row: &ArrayRegion| {
                let index = offset.checked_sub(row.start).filter(|at| at.is_multiple_of(row.stride));
                let index = index.map(|at| at / row.stride);
                row.width.bytes() == bytes && index.is_some_and(|n| row.count.is_none_or(|count| n < count))
            };
            *guarded || in_scalars(scalars) || rows.iter().any(in_row)
        }
    }
}

/// What `dependent` says about the first actions of `left` and `right`, two functions that main starts.
fn check(left: &str, right: &str, expect: &str) {
    let text = format!(
        "object x: 4 object y: 4 object a: 40 object c: 4 object p: 8 pointers {{ 0: &x }}
         function main() -> 32 {{ reg t: 64 reg r: 32
            t = create(&one, 0)
            t = create(&two, 0)
            [&x]:32 = 0; [&y]:32 = 0; r = [&a]:32; [&p]:64 = &y
            return 0 }}
         function one(i: 64) -> 64 {{ reg r, e: 32 reg q: 64 memory l: 8 {left}\nreturn 0 }}
         function two(i: 64) -> 64 {{ reg r, e: 32 reg q: 64 memory l: 8 {right}\nreturn 0 }}"
    );
    let program = parse(&text);
    let analysis = Analysis::of(&program);
    let accesses = |name| analysis.section(func(&program, name), LocId(0));
    let found = match dependent(&accesses("one"), &accesses("two")) {
        Dependence::Independent => "independent".to_owned(),
        Dependence::Dependent => "dependent".to_owned(),
        Dependence::OnlyIfAlias(aliases) => {
            let pair = |alias: &Alias| {
                let name = |e| program::text::print_expr(&program, func(&program, "one"), e);
                let (left, right) = (name(&alias.left), name(&alias.right));
                format!("{left}:{} ~ {right}:{}", alias.left_bytes, alias.right_bytes)
            };
            aliases.iter().map(pair).collect::<Vec<_>>().join(", ")
        }
    };
    assert_eq!(found, expect, "{left} / {right}");
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
    check("wait_begin(&c)", "signal(&c)", "dependent");
    check("wait_begin(&c)", "wait_begin(&c)", "independent");
    check("wait_end", "signal(&x)", "dependent");
    check("wait_begin(&c)", "signal(&x)", "independent");
    check("q, e = join(i)", "thread_exit 0", "dependent");
    check("q, e = join(i)", "r = [&x]:32", "independent");
    check("atomic_begin\n[&x]:32 = 1\n[&y]:32 = 1\natomic_end", "r = [&x]:32", "dependent");
    check("atomic_begin\n[&y]:32 = 1\natomic_end\n[&x]:32 = 1", "r = [&x]:32", "independent");
    check("[&a + i * 4]:32 = 1", "[&a + 8]:32 = 1", "&a + i * 4:4 ~ &a + 8:4");
    check("q = &a + i * 4; [q]:32 = 1", "[&a + i * 4]:32 = 1", "&a + i * 4:4 ~ &a + i * 4:4");
    check("[[&p]:64]:32 = 1", "r = [&x]:32", "[&p]:64:4 ~ &x:4");
    check("[&a + i * 8]:32 = 1", "[&a + 4 + i * 8]:32 = 1", "independent");
    check("copy(&a, &a + 20, 20)", "r = [&a + i * 4]:32", "&a:20 ~ &a + i * 4:4");
    check("q = [&p]:64; [&y]:32 = 1; [q]:32 = 2", "[&x]:32 = 1", "[&p]:64:4 ~ &x:4");
    check("[&y]:32 = 1; q = [&p]:64; [q]:32 = 2", "[&x]:32 = 1", "dependent");
}

#[test]
fn visibility() {
    let text = "
        object x: 4 object y: 4
        function main() -> 32 { reg t: 64 reg r: 32 memory l: 4
            t = create(&w, 0)
            [&x]:32 = 1
            [&y]:32 = 1
            [&l]:32 = 1
            r = r + 1
            if r == 0 then e else n
            n: atomic_begin
            assume r == 0
            guard r == 0
            call f()
            e: return 0 }
        function f() { return }
        function w(i: 64) -> 64 { reg r: 32
            r = [&x]:32
            return 0 }";
    let program = parse(text);
    let analysis = Analysis::of(&program);
    let main = func(&program, "main");
    let locations = program.functions[main].locations.ids();
    let visible: Vec<bool> = locations.map(|loc| analysis.is_visible(main, loc)).collect();
    let expect = [true, true, false, false, false, false, true, true, true, false, true];
    assert_eq!(visible, expect);
}
