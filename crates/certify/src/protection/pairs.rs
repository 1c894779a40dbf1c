//! The memory locations for which two threads may race, given what the annotation says.

use super::Checker;
use super::harm::Harm;
use super::summary::{Range, ranges};
use super::transfer::{before, owned, term};
use base::{Budget, Inconclusive};
use evidence::{Facts, RaceCell, Root, Term};
use program::{Action, Expr, FuncId, LocId, Op, Order, Program};
use semantics::analysis::Site;
use semantics::analysis::footprint::{Kind, footprints};
use semantics::analysis::lockset::Mode;
use semantics::analysis::offset::{Offset, WHOLE};
use std::collections::{BTreeMap, BTreeSet};

/// Accesses that nothing here tells apart.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Touch {
    offset: Offset,
    bytes: u64,
    write: bool,
    atomic: bool,
    owned: bool,
    /// The roots whose threads make it, each with the roots that can be alive meanwhile, if that is known.
    threads: Vec<(usize, Option<BTreeSet<usize>>)>,
    /// Locks that have one name in all threads.
    named: Vec<(Term, Mode)>,
    /// Locks at a distance from the address.
    beside: Vec<(i64, Mode)>,
    /// Whether a thread makes it of which nothing is known.
    foreign: bool,
}

/// All locations to which two accesses may happen at the same time, in terms of the original program.
pub(super) fn unsafe_cells(
    checker: &Checker<'_>,
    original: &Program,
    budget: &Budget,
) -> Result<BTreeSet<RaceCell>, Inconclusive> {
    let harm = Harm::of(checker);
    let mut touches: BTreeMap<Site, BTreeSet<Touch>> = BTreeMap::new();
    for (func, function) in checker.analysis.program.functions.iter_enumerated() {
        for loc in function.locations.ids() {
            if let Some(facts) = &checker.claimed.facts[func][loc] {
                collect(checker, &harm, (func, loc), facts, &mut touches);
            }
        }
    }
    let alive: BTreeSet<&BTreeSet<usize>> =
        checker.claimed.alive.iter().flat_map(|function| function.iter()).flatten().collect();
    let together = |l: usize, r: usize| alive.iter().any(|set| set.contains(&l) && set.contains(&r));
    let mut found = BTreeSet::new();
    for (site, touches) in touches {
        let touches: Vec<Touch> = touches.into_iter().collect();
        let site = origin(checker, original, site)?;
        for (n, left) in touches.iter().enumerate() {
            budget.check()?;
            for right in &touches[n..] {
                if left.offset.overlaps(left.bytes, right.offset, right.bytes)
                    && may_race(checker, left, right, &together)
                {
                    let cell = |touch: &Touch| RaceCell { site, offset: touch.offset, bytes: touch.bytes };
                    found.extend([cell(left), cell(right)]);
                    // A third location that both touch is raced for, too.
                    let both = touches.iter().filter(|other| {
                        let meets =
                            |touch: &Touch| touch.offset.overlaps(touch.bytes, other.offset, other.bytes);
                        meets(left) && meets(right)
                    });
                    found.extend(both.map(cell));
                }
            }
        }
    }
    Ok(found)
}

fn origin(checker: &Checker<'_>, original: &Program, site: Site) -> Result<Site, Inconclusive> {
    let plan = &checker.claimed.plan;
    let found = match site {
        Site::Static(object) => Some(Site::Static(object)),
        Site::Frame(func, var) => plan.origin(original, func).map(|func| Site::Frame(func, var)),
        Site::Heap(func, loc, n) => plan.origin(original, func).map(|func| Site::Heap(func, loc, n)),
    };
    found.ok_or_else(|| super::failed("a copy has no original".to_owned()))
}

fn collect(
    checker: &Checker<'_>,
    harm: &Harm<'_, '_>,
    (func, loc): (FuncId, LocId),
    facts: &Facts,
    touches: &mut BTreeMap<Site, BTreeSet<Touch>>,
) {
    let analysis = checker.analysis;
    let function = &analysis.program.functions[func];
    let action = checker.summary.action(func, loc);
    let mut add = |range: Range, touch: &dyn Fn(Offset, u64) -> Touch| {
        if analysis.threads.is_contended(range.0) {
            touches.entry(range.0).or_default().insert(touch(range.1, range.2));
        }
    };
    for footprint in footprints(function, action) {
        if matches!(action, Action::Ops { ops, .. } if matches!(ops[footprint.op], Op::Forget { .. })) {
            continue;
        }
        let targets = analysis.points_to.targets(func, &footprint.addr);
        let reached = ranges(&targets, footprint.extent.bytes());
        if !reached.iter().any(|(site, ..)| analysis.threads.is_contended(*site)) {
            continue;
        }
        let facts = before(&checker.summary, (func, loc), footprint.op, facts);
        let touch = touch(checker, harm, (func, loc), &facts, Some(&footprint.addr));
        let write = footprint.kind == Kind::Write;
        let atomic = facts.atomic || footprint.order != Order::Plain;
        for range in reached {
            add(range, &|offset, bytes| Touch { offset, bytes, write, atomic, ..touch.clone() });
        }
    }
    let mut unmodelled =
        analysis.points_to.opaque_reach(func, loc).chain(analysis.points_to.foreign_reach(func, loc));
    if unmodelled.next().is_none() {
        return;
    }
    let unmodelled = touch(checker, harm, (func, loc), facts, None);
    for site in analysis.points_to.opaque_reach(func, loc) {
        let whole = |offset, bytes| Touch { offset, bytes, write: true, ..unmodelled.clone() };
        add((site, Offset::Any, WHOLE), &whole);
    }
    for site in analysis.points_to.foreign_reach(func, loc) {
        let whole = |offset, bytes| Touch { offset, bytes, write: true, foreign: true, ..unmodelled.clone() };
        add((site, Offset::Any, WHOLE), &whole);
    }
}

/// What a thread that accesses an address has to say, without the bytes.
fn touch(
    checker: &Checker<'_>,
    harm: &Harm<'_, '_>,
    (func, loc): (FuncId, LocId),
    facts: &Facts,
    addr: Option<&Expr>,
) -> Touch {
    let summary = &checker.summary;
    let at = addr.and_then(|addr| term(summary, (func, loc), facts, addr));
    let (mut named, mut beside) = (Vec::new(), Vec::new());
    for (lock, mode) in facts.locks.iter().filter(|(lock, _)| harm.spares(func, **lock)) {
        if !matches!(lock.root, Root::Register(_)) {
            named.push((*lock, *mode));
        }
        if let Some(at) = at.filter(|at| at.root == lock.root) {
            beside.push((lock.offset.wrapping_sub(at.offset), *mode));
        }
    }
    let runners = checker.analysis.threads.runners(func).iter();
    let alive = |n: usize| if n == 0 { checker.claimed.alive[func][loc].clone() } else { None };
    Touch {
        offset: Offset::Any,
        bytes: 0,
        write: false,
        atomic: false,
        owned: addr.is_some_and(|addr| owned(summary, func, facts, addr)),
        threads: runners.map(|n| (*n, alive(*n))).collect(),
        named,
        beside,
        foreign: false,
    }
}

fn may_race(
    checker: &Checker<'_>,
    left: &Touch,
    right: &Touch,
    together: &dyn Fn(usize, usize) -> bool,
) -> bool {
    let conflict = (left.write || right.write) && !(left.atomic && right.atomic);
    if conflict && (left.foreign || right.foreign) {
        return true;
    }
    if !conflict || left.owned || right.owned {
        return false;
    }
    let excludes = |l: Mode, r: Mode| l.max(r) == Mode::Write;
    for (lock, mode) in &left.named {
        if right.named.iter().any(|(other, theirs)| other == lock && excludes(*mode, *theirs)) {
            return false;
        }
    }
    for (distance, mode) in &left.beside {
        for (other, _) in right.beside.iter().filter(|(_, theirs)| excludes(*mode, *theirs)) {
            let same = match (left.offset, right.offset) {
                (Offset::Exactly(l), Offset::Exactly(r)) => {
                    i128::from(l) + i128::from(*distance) == i128::from(r) + i128::from(*other)
                }
                (l @ Offset::Strided { stride, .. }, r) => {
                    l == r && left.bytes == right.bytes && left.bytes <= stride && distance == other
                }
                _ => false,
            };
            if same {
                return false;
            }
        }
    }
    let roots = checker.analysis.threads.roots();
    let lives =
        |alive: &Option<BTreeSet<usize>>, n: usize| alive.as_ref().is_some_and(|set| set.contains(&n));
    left.threads.iter().any(|(l, beside_left)| {
        right.threads.iter().any(|(r, beside_right)| match (*l, *r) {
            (l, r) if l == r => roots[l].many,
            (0, r) => lives(beside_left, r),
            (l, 0) => lives(beside_right, l),
            (l, r) => together(l, r),
        })
    })
}
