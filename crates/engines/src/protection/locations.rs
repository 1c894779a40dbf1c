//! The answer for each memory location: are all pairs of accesses to it proved apart?
//!
//! A *memory location* is what some access touches: so many bytes at an offset (or at every element of an array) of the objects of one
//! site. Accesses are grouped by their *digest*, that is everything about the thread's history that matters here (Schwarz, Saan, Seidl,
//! Erhard, Vojdani, SAS 2021 and 2023): who may be the thread, who else is alive, the locks, whether the object is owned.
//! Two groups are compared once.

use super::effects::{Bytes, Effects};
use super::flow::Flow;
use super::locks::{Harm, is_declaration, whole};
use base::{Budget, Inconclusive};
use evidence::{Facts, RaceAccess, RaceAnswer, RaceCell, RaceReason, Root, Term};
use program::passes::ClonePlan;
use program::{FuncId, LocId, Order, Program};
use semantics::analysis::Site;
use semantics::analysis::footprint::{Kind, footprints};
use semantics::analysis::lockset::Mode;
use semantics::analysis::offset::{Offset, WHOLE};
use std::collections::{BTreeMap, BTreeSet};

/// What matters of the thread that makes an access.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Digest {
    /// The roots whose threads can be there.
    runners: Vec<usize>,
    /// The roots whose threads can be alive if it is the main thread.
    alive: Option<BTreeSet<usize>>,
    owned: bool,
    /// Locks that are the same for all threads.
    locks: Vec<(Term, Mode)>,
    /// Locks at a distance from the accessed address.
    near: Vec<(i64, Mode)>,
    /// Whether it is a thread of the environment that was created here.
    foreign: bool,
}

/// Accesses with the same digest to the same bytes.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Group {
    offset: Offset,
    bytes: u64,
    write: bool,
    atomic: bool,
    digest: usize,
}

/// All accesses of a program, as far as they matter.
pub(super) struct Locations<'e, 'a, 'p> {
    effects: &'e Effects<'a, 'p>,
    flow: &'e Flow,
    harm: &'e Harm<'e, 'a, 'p>,
    digests: BTreeMap<Digest, usize>,
    /// By site, the groups, each with one of its accesses.
    groups: BTreeMap<Site, BTreeMap<Group, (FuncId, LocId)>>,
}

impl<'e, 'a, 'p> Locations<'e, 'a, 'p> {
    pub(super) fn of(effects: &'e Effects<'a, 'p>, flow: &'e Flow, harm: &'e Harm<'e, 'a, 'p>) -> Self {
        let mut locations =
            Locations { effects, flow, harm, digests: BTreeMap::new(), groups: BTreeMap::new() };
        for (func, function) in effects.analysis.program.functions.iter_enumerated() {
            for loc in function.locations.ids() {
                locations.collect(func, loc);
            }
        }
        locations
    }

    fn collect(&mut self, func: FuncId, loc: LocId) {
        let analysis = self.effects.analysis;
        let function = &analysis.program.functions[func];
        let action = &function.locations[loc].action;
        let flow = self.flow;
        let Some(facts) = &flow.facts[func][loc] else { return };
        for footprint in footprints(function, action) {
            if is_declaration(action, footprint.op) {
                continue;
            }
            let targets = analysis.points_to.targets(func, &footprint.addr);
            let shared: Vec<Bytes> = super::effects::places(&targets, footprint.extent.bytes())
                .filter(|(site, ..)| analysis.threads.is_shared(*site))
                .collect();
            if shared.is_empty() {
                continue;
            }
            let facts = self.effects.before_op(func, loc, footprint.op, facts);
            let digest = self.digest(func, loc, &facts, Some(&*footprint.addr));
            let atomic = facts.atomic || footprint.order != Order::Plain;
            let write = footprint.kind == Kind::Write;
            for bytes in shared {
                self.add(bytes, write, atomic, digest, (func, loc));
            }
        }
        for site in
            analysis.points_to.opaque_reach(func, loc).filter(|site| analysis.threads.is_shared(*site))
        {
            let digest = self.digest(func, loc, facts, None);
            self.add(whole(site), true, false, digest, (func, loc));
        }
        for site in analysis.points_to.foreign_reach(func, loc) {
            let digest = Digest {
                runners: analysis.threads.runners(func).to_vec(),
                alive: None,
                owned: false,
                locks: Vec::new(),
                near: Vec::new(),
                foreign: true,
            };
            let digest = self.number(digest);
            self.add(whole(site), true, false, digest, (func, loc));
        }
    }

    fn add(
        &mut self,
        (site, offset, bytes): Bytes,
        write: bool,
        atomic: bool,
        digest: usize,
        at: (FuncId, LocId),
    ) {
        let group = Group { offset, bytes, write, atomic, digest };
        self.groups.entry(site).or_default().entry(group).or_insert(at);
    }

    fn digest(&mut self, func: FuncId, loc: LocId, facts: &Facts, addr: Option<&program::Expr>) -> usize {
        let effects = self.effects;
        let runners = effects.analysis.threads.runners(func).to_vec();
        let alive = if runners.contains(&0) { effects.alive[func][loc].clone() } else { None };
        let held: Vec<(Term, Mode)> = facts.locks.iter().map(|(term, mode)| (*term, *mode)).collect();
        let held: Vec<(Term, Mode)> =
            held.into_iter().filter(|(term, _)| self.harm.counts(func, *term)).collect();
        let at = addr.and_then(|addr| effects.term(func, loc, facts, addr));
        let near = held.iter().filter_map(|(lock, mode)| {
            let at = at.filter(|at| at.root == lock.root)?;
            Some((lock.offset.wrapping_sub(at.offset), *mode))
        });
        let near: Vec<(i64, Mode)> = near.collect();
        let owned = addr.is_some_and(|addr| effects.is_owned(func, facts, addr));
        let locks = held.into_iter().filter(|(lock, _)| !matches!(lock.root, Root::Register(_))).collect();
        self.number(Digest { runners, alive, owned, locks, near, foreign: false })
    }

    fn number(&mut self, digest: Digest) -> usize {
        let n = self.digests.len();
        *self.digests.entry(digest).or_insert(n)
    }

    /// The answers for all locations that several threads access.
    pub(super) fn answers(
        &self,
        plan: &ClonePlan,
        original: &Program,
        budget: &Budget,
    ) -> Result<BTreeMap<RaceCell, RaceAnswer>, Inconclusive> {
        let digests: BTreeMap<usize, &Digest> = self.digests.iter().map(|(d, n)| (*n, d)).collect();
        let digests: Vec<&Digest> = digests.into_values().collect();
        let coexist = self.coexistence();
        let mut found: BTreeMap<RaceCell, RaceAnswer> = BTreeMap::new();
        for (site, groups) in &self.groups {
            let program = self.effects.analysis.program;
            if matches!(site, Site::Static(object) if program.objects[*object].read_only) {
                continue;
            }
            let groups: Vec<(&Group, &(FuncId, LocId))> = groups.iter().collect();
            for (offset, bytes) in cells(&groups) {
                budget.check()?;
                let Some(answer) = self.answer(&groups, (offset, bytes), &digests, &coexist, plan, original)
                else {
                    continue;
                };
                let cell = RaceCell { site: original_site(plan, original, *site), offset, bytes };
                merge(&mut found, cell, answer);
            }
        }
        Ok(found)
    }

    /// The answer for some bytes of one site; `None` if at most one thread accesses them.
    fn answer(
        &self,
        groups: &[(&Group, &(FuncId, LocId))],
        (offset, bytes): (Offset, u64),
        digests: &[&Digest],
        coexist: &BTreeSet<(usize, usize)>,
        plan: &ClonePlan,
        original: &Program,
    ) -> Option<RaceAnswer> {
        let met: Vec<&(&Group, &(FuncId, LocId))> =
            groups.iter().filter(|(group, _)| group.offset.overlaps(group.bytes, offset, bytes)).collect();
        let roots = self.effects.analysis.threads.roots();
        let runners: BTreeSet<usize> =
            met.iter().flat_map(|(group, _)| digests[group.digest].runners.iter().copied()).collect();
        let foreign = met.iter().any(|(group, _)| digests[group.digest].foreign);
        let several = foreign || runners.len() > 1 || runners.iter().any(|n| roots[*n].many);
        let plain = met.iter().any(|(group, _)| !group.atomic);
        if !several || !plain {
            return None;
        }
        let mut reasons: BTreeMap<RaceReason, usize> = BTreeMap::new();
        let mut locks: Option<BTreeSet<Term>> = None;
        let mut open: Option<((u8, usize), RaceAccess, RaceAccess)> = None;
        let mut n_open = 0;
        for (n, (left, left_at)) in met.iter().enumerate() {
            for (right, right_at) in &met[n..] {
                if !left.offset.overlaps(left.bytes, right.offset, right.bytes) {
                    continue;
                }
                let pair = (*left, digests[left.digest], *right, digests[right.digest]);
                match apart(pair, roots, coexist) {
                    Some(reason) => {
                        *reasons.entry(reason).or_default() += 1;
                        if reason == RaceReason::Lock {
                            let common = common_locks(digests[left.digest], digests[right.digest]);
                            locks = Some(locks.map_or(common.clone(), |known| &known & &common));
                        }
                    }
                    None => {
                        n_open += 1;
                        let rank = suspicion(digests[left.digest], digests[right.digest]);
                        if open.as_ref().is_none_or(|(best, ..)| rank < *best) {
                            let left = self.access(left, digests, **left_at, plan, original);
                            let right = self.access(right, digests, **right_at, plan, original);
                            open = Some((rank, left, right));
                        }
                    }
                }
            }
        }
        Some(match open {
            None => {
                let (_, (func, _)) = met.first()?;
                let places = locks.unwrap_or_default().into_iter();
                let places = places.filter_map(|term| self.single_place(*func, term, plan, original));
                RaceAnswer::Proved { reasons, locks: places.collect() }
            }
            Some((_, left, right)) => RaceAnswer::Open(Box::new((left, right)), n_open - 1),
        })
    }

    /// Pairs of roots, none of them the entry, whose threads can be alive at once.
    fn coexistence(&self) -> BTreeSet<(usize, usize)> {
        let sets: BTreeSet<&BTreeSet<usize>> =
            self.effects.alive.iter().flat_map(|at| at.iter()).flatten().collect();
        let mut found = BTreeSet::new();
        for set in sets {
            for left in set {
                found.extend(set.iter().map(|right| (*left, *right)));
            }
        }
        found
    }

    /// The object and the offset that a lock is certainly at.
    fn single_place(
        &self,
        func: FuncId,
        lock: Term,
        plan: &ClonePlan,
        original: &Program,
    ) -> Option<(Site, i64)> {
        let mut places = self.effects.lock_places(func, lock).into_iter();
        match (places.next(), places.next()) {
            (Some((site, Offset::Exactly(at))), None) => Some((original_site(plan, original, site), at)),
            _ => None,
        }
    }

    fn access(
        &self,
        group: &Group,
        digests: &[&Digest],
        (func, loc): (FuncId, LocId),
        plan: &ClonePlan,
        original: &Program,
    ) -> RaceAccess {
        let effects = self.effects;
        let digest = digests[group.digest];
        let roots = effects.analysis.threads.roots();
        let facts = self.flow.facts[func][loc].as_ref().expect("an access should be reached");
        let mut locks = BTreeSet::new();
        for term in facts.locks.keys().filter(|term| self.harm.counts(func, **term)) {
            for (site, offset) in effects.lock_places(func, *term) {
                locks.insert((original_site(plan, original, site), offset.start()));
            }
        }
        RaceAccess {
            func: plan.origin(original, func).unwrap_or(func),
            loc,
            write: group.write,
            atomic: group.atomic,
            threads: digest.runners.iter().map(|n| roots[*n].func).collect(),
            locks: locks.into_iter().collect(),
        }
    }
}

/// The bytes that accesses touch, without those that only touch a whole object if there are others.
fn cells(groups: &[(&Group, &(FuncId, LocId))]) -> BTreeSet<(Offset, u64)> {
    let all: BTreeSet<(Offset, u64)> = groups.iter().map(|(group, _)| (group.offset, group.bytes)).collect();
    let parts: BTreeSet<(Offset, u64)> = all.iter().copied().filter(|(_, bytes)| *bytes != WHOLE).collect();
    if parts.is_empty() { all } else { parts }
}

/// Why two accesses cannot race; `None` if they may.
fn apart(
    (left, here, right, there): (&Group, &Digest, &Group, &Digest),
    roots: &[semantics::analysis::Root],
    coexist: &BTreeSet<(usize, usize)>,
) -> Option<RaceReason> {
    if !left.write && !right.write {
        return Some(RaceReason::ReadOnly);
    }
    if left.atomic && right.atomic {
        return Some(RaceReason::Atomic);
    }
    if !parallel(here, there, roots, coexist) {
        return Some(RaceReason::Order);
    }
    if here.owned || there.owned {
        return Some(RaceReason::Owned);
    }
    if !common_locks(here, there).is_empty() {
        return Some(RaceReason::Lock);
    }
    let of_object = |(at, mode): &(i64, Mode)| {
        there
            .near
            .iter()
            .any(|(other, theirs)| exclusive(*mode, *theirs) && same_lock((left, *at), (right, *other)))
    };
    here.near.iter().any(of_object).then_some(RaceReason::ObjectLock)
}

/// The locks that both threads hold, at least one of them exclusively.
fn common_locks(here: &Digest, there: &Digest) -> BTreeSet<Term> {
    let is_common = |(lock, mode): &&(Term, Mode)| {
        there.locks.iter().any(|(other, theirs)| lock == other && exclusive(*mode, *theirs))
    };
    here.locks.iter().filter(is_common).map(|(lock, _)| *lock).collect()
}

fn exclusive(left: Mode, right: Mode) -> bool {
    left == Mode::Write || right == Mode::Write
}

/// Whether locks at these distances from two accesses that overlap are the same lock.
fn same_lock((left, at): (&Group, i64), (right, other): (&Group, i64)) -> bool {
    match (left.offset, right.offset) {
        (Offset::Exactly(here), Offset::Exactly(there)) => here.wrapping_add(at) == there.wrapping_add(other),
        (Offset::Strided { stride, .. }, there) => {
            left.offset == there && left.bytes == right.bytes && left.bytes <= stride && at == other
        }
        _ => false,
    }
}

fn parallel(
    here: &Digest,
    there: &Digest,
    roots: &[semantics::analysis::Root],
    coexist: &BTreeSet<(usize, usize)>,
) -> bool {
    let alive = |digest: &Digest, n: usize| digest.alive.as_ref().is_some_and(|alive| alive.contains(&n));
    if here.foreign || there.foreign {
        return true;
    }
    here.runners.iter().any(|l| {
        there.runners.iter().any(|r| match (*l, *r) {
            (l, r) if l == r => roots[l].many,
            (0, r) => alive(here, r),
            (l, 0) => alive(there, l),
            (l, r) => coexist.contains(&(l, r)),
        })
    })
}

/// The lower, the more suspicious: no lock at all, one side without, locks that are not the same.
fn suspicion(left: &Digest, right: &Digest) -> (u8, usize) {
    let locked = |digest: &Digest| !digest.locks.is_empty() || !digest.near.is_empty();
    let n = u8::from(locked(left)) + u8::from(locked(right));
    (n, left.runners.len() + right.runners.len())
}

fn merge(found: &mut BTreeMap<RaceCell, RaceAnswer>, cell: RaceCell, answer: RaceAnswer) {
    match (found.get_mut(&cell), answer) {
        (None, answer) => _ = found.insert(cell, answer),
        (
            Some(RaceAnswer::Proved { reasons: known, locks }),
            RaceAnswer::Proved { reasons, locks: others },
        ) => {
            reasons.into_iter().for_each(|(reason, n)| *known.entry(reason).or_default() += n);
            locks.retain(|lock| others.contains(lock));
        }
        (Some(known @ RaceAnswer::Proved { .. }), open) => *known = open,
        (Some(RaceAnswer::Open(_, others)), RaceAnswer::Open(_, more)) => *others += more + 1,
        (Some(RaceAnswer::Open(..)), RaceAnswer::Proved { .. }) => {}
    }
}

/// The site of the original program that a site is a copy of, or is.
pub(super) fn original_site(plan: &ClonePlan, original: &Program, site: Site) -> Site {
    let origin = |func| plan.origin(original, func).unwrap_or(func);
    match site {
        Site::Static(object) => Site::Static(object),
        Site::Frame(func, var) => Site::Frame(origin(func), var),
        Site::Heap(func, loc, n) => Site::Heap(origin(func), loc, n),
    }
}
