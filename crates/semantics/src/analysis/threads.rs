//! Which threads there can be, what they run, and what they share.
//!
//! A *root* is a function that threads start in: the program's entry, or a start routine. A root stands for all its
//! threads; whether there can be more than one of them at all is [`Root::many`].
//!
//! | question | answered by |
//! |---|---|
//! | which threads are there? | [`Threads::roots`] |
//! | which of them can run this function? | [`Threads::run_by`] |
//! | can threads of these two roots exist at the same time? | [`Threads::may_run_in_parallel`] |
//! | can two threads access this object? | [`Threads::is_shared`] |
//! | … and does any of them write it? | [`Threads::is_contended`] |
//! | can a thread other than its owner come to have its address? | [`Threads::escapes`] |
//!
//! # What is shared
//! A static object is shared if roots with together more than one thread access it. All other objects belong to the
//! thread in whose frame they are or who allocated them: they are shared only if, in addition, their address *escapes*, that
//! is, it is handed to another thread as argument or result, or is held by a shared static object or by an object that has
//! escaped itself.
//!
//! # Direction of error
//! In doubt, threads are many, parallel, and objects shared. An access through an unknown address counts as one to
//! every object.

use crate::analysis::footprint::{Kind, footprints};
use crate::analysis::points_to::PointsTo;
use crate::analysis::value::Site;
use base::IdxVec;
use base::convert::count32;
use program::{Action, FuncId, LocId, Op, Program, Storage, VarKind};
use std::collections::{BTreeMap, BTreeSet};

/// A function that threads start in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Root {
    /// The function.
    pub func: FuncId,
    /// True if there can be more than one thread of it in a run.
    pub many: bool,
    /// The functions that its threads can run, this one included.
    pub functions: BTreeSet<FuncId>,
}

/// The result of the analysis.
#[derive(Debug)]
pub struct Threads {
    roots: Vec<Root>,
    /// For each function, the positions of the roots that can run it.
    run_by: IdxVec<FuncId, Vec<usize>>,
    accessed: BTreeMap<Site, Accessors>,
    shared: BTreeSet<Site>,
    escaped: BTreeSet<Site>,
}

#[derive(Clone, Default, Debug)]
struct Accessors {
    roots: BTreeSet<usize>,
    written: bool,
    /// Whether a thread that starts in a function of the environment may access it.
    foreign: bool,
}

impl Threads {
    /// Analyses a program.
    pub fn of(program: &Program, points_to: &PointsTo) -> Threads {
        let calls = CallGraph::of(program, points_to);
        let roots = roots(program, points_to, &calls);
        let runs = |n: &usize, func: FuncId| roots[*n].functions.contains(&func);
        let run_by = program.functions.ids().map(|func| (0..roots.len()).filter(|n| runs(n, func)).collect());
        let run_by = run_by.collect();
        let (shared, escaped) = (BTreeSet::new(), BTreeSet::new());
        let mut threads = Threads { roots, run_by, accessed: BTreeMap::new(), shared, escaped };
        threads.collect_accessors(program, points_to);
        threads.collect_shared(program, points_to);
        threads
    }

    /// All roots, the entry first.
    pub fn roots(&self) -> &[Root] {
        &self.roots
    }

    /// The roots whose threads can run `func`; none if it is never called.
    pub fn run_by(&self, func: FuncId) -> impl Iterator<Item = &Root> {
        self.run_by[func].iter().map(|n| &self.roots[*n])
    }

    /// Returns true if two different threads, of these two roots, can exist at the same time.
    pub fn may_run_in_parallel(&self, left: &Root, right: &Root) -> bool {
        left.func != right.func || left.many
    }

    /// Returns true if two different threads can access objects of `site` that are the same.
    pub fn is_shared(&self, site: Site) -> bool {
        self.shared.contains(&site)
    }

    /// Returns true if a thread can have the address of an object of `site` that is not its own. That is more than being shared: what one thread
    /// allocates and only another one uses is accessed by one thread.
    pub fn escapes(&self, site: Site) -> bool {
        self.escaped.contains(&site)
    }

    /// Returns true if objects of `site` are shared and can be written to.
    pub fn is_contended(&self, site: Site) -> bool {
        self.is_shared(site) && self.accessed.get(&site).is_some_and(|accessors| accessors.written)
    }

    /// The roots, by position, whose threads a thread of root `n` and those that it creates can create, in any number of steps.
    pub fn descendants(&self, points_to: &PointsTo, n: usize) -> BTreeSet<usize> {
        let mut found = BTreeSet::new();
        let mut queue = vec![n];
        while let Some(n) = queue.pop() {
            for (func, _, started) in points_to.starts() {
                if self.roots[n].functions.contains(&func) {
                    let started = (0..self.roots.len()).filter(|r| started.contains(&self.roots[*r].func));
                    queue.extend(started.filter(|r| found.insert(*r)));
                }
            }
        }
        found
    }

    /// The positions of the roots whose threads can run `func`.
    pub fn runners(&self, func: FuncId) -> &[usize] {
        &self.run_by[func]
    }

    fn collect_accessors(&mut self, program: &Program, points_to: &PointsTo) {
        let mut everywhere = Accessors::default();
        for (func, function) in program.functions.iter_enumerated() {
            for (loc, location) in function.locations.iter_enumerated() {
                for footprint in footprints(function, &location.action) {
                    let targets = points_to.targets(func, &footprint.addr);
                    let writes = footprint.kind == Kind::Write;
                    for (site, _) in targets.places {
                        let accessors = self.accessed.entry(site).or_default();
                        accessors.add(&self.run_by[func], writes);
                    }
                    if targets.unknown {
                        everywhere.add(&self.run_by[func], writes);
                    }
                }
                for site in points_to.opaque_reach(func, loc) {
                    self.accessed.entry(site).or_default().add(&self.run_by[func], true);
                }
                for site in points_to.foreign_reach(func, loc).filter(|_| !self.run_by[func].is_empty()) {
                    let accessors = self.accessed.entry(site).or_default();
                    accessors.add(&self.run_by[func], true);
                    accessors.foreign = true;
                }
            }
        }
        for (site, owner) in sites(program) {
            let accessors = self.accessed.entry(site).or_default();
            let everywhere_too: Vec<usize> = everywhere.roots.iter().copied().collect();
            accessors.add(&everywhere_too, everywhere.written);
            // The owner begins and ends the object's life; every thread does so with its thread-local objects.
            if let Some(owner) = owner {
                accessors.add(&self.run_by[owner], true);
            } else if matches!(site, Site::Static(object) if program.objects[object].thread_local) {
                accessors.add(&(0..self.roots.len()).collect::<Vec<_>>(), true);
            }
        }
    }

    fn collect_shared(&mut self, program: &Program, points_to: &PointsTo) {
        let is_static = |site: &Site| match site {
            Site::Static(object) => !program.objects[*object].thread_local,
            Site::Frame(..) | Site::Heap(..) => false,
        };
        let are_several = |accessors: &Accessors| accessors.foreign || self.are_several(&accessors.roots);
        let by_several = self.accessed.iter().filter(|(_, accessors)| are_several(accessors));
        let by_several: BTreeSet<Site> = by_several.map(|(site, _)| *site).collect();
        let mut escaped: BTreeSet<Site> = by_several.iter().copied().filter(is_static).collect();
        escaped.extend(points_to.handed_over());
        let mut queue: Vec<Site> = escaped.iter().copied().collect();
        while let Some(site) = queue.pop() {
            queue.extend(points_to.held_by(site).filter(|held| escaped.insert(*held)));
        }
        self.shared = by_several.intersection(&escaped).copied().collect();
        self.escaped = escaped;
    }

    /// Returns true if these roots have more than one thread.
    fn are_several(&self, roots: &BTreeSet<usize>) -> bool {
        roots.len() > 1 || roots.iter().any(|n| self.roots[*n].many)
    }
}

impl Accessors {
    fn add(&mut self, roots: &[usize], written: bool) {
        self.roots.extend(roots);
        self.written |= written && !roots.is_empty();
    }
}

/// All sites of a program, with the function whose frame they live in, if they live in one.
pub(crate) fn sites(program: &Program) -> Vec<(Site, Option<FuncId>)> {
    let mut sites: Vec<_> = program.objects.ids().map(|object| (Site::Static(object), None)).collect();
    for (func, function) in program.functions.iter_enumerated() {
        for (var, declared) in function.vars.iter_enumerated() {
            if matches!(declared.kind, VarKind::Memory { .. }) {
                sites.push((Site::Frame(func, var), Some(func)));
            }
        }
        for (loc, location) in function.locations.iter_enumerated() {
            let Action::Ops { ops, .. } = &location.action else { continue };
            for (n, op) in ops.iter().enumerate() {
                let owner = match op {
                    Op::Alloc { storage: Storage::Heap | Storage::Library, .. } | Op::Realloc { .. } => None,
                    Op::Alloc { storage: Storage::Frame, .. } => Some(func),
                    _ => continue,
                };
                sites.push((Site::Heap(func, loc, count32(n)), owner));
            }
        }
    }
    sites
}

impl crate::analysis::Analysis<'_> {
    /// Returns true if there is at most one object of `site` in a run: a static one that is not thread-local, or one made in the
    /// outermost frame of a root's only thread, outside of loops.
    pub fn is_unique(&self, site: Site) -> bool {
        match site {
            Site::Static(object) => !self.program.objects[object].thread_local,
            Site::Frame(func, _) => self.runs_once(func),
            Site::Heap(func, loc, _) => self.runs_once(func) && !is_in_cycle(self.program, func, loc),
        }
    }

    /// Returns true if `func` is a root's function, never called, and the root has one thread.
    fn runs_once(&self, func: FuncId) -> bool {
        let single = self.threads.roots.iter().any(|root| root.func == func && !root.many);
        let mut functions = self.program.functions.iter_enumerated();
        let called = functions.any(|(caller, function)| {
            let mut locations = function.locations.iter_enumerated();
            locations.any(|(loc, location)| {
                self.points_to.entered_by(caller, loc, &location.action).contains(&func)
            })
        });
        single && !called
    }
}

/// Who calls whom, and where.
struct CallGraph {
    /// For each function, the locations of its calls, whether what they enter can call others as often as it likes, and whom they can enter.
    calls: IdxVec<FuncId, Vec<(LocId, bool, Vec<FuncId>)>>,
}

impl CallGraph {
    fn of(program: &Program, points_to: &PointsTo) -> CallGraph {
        let calls = program.functions.iter_enumerated().map(|(func, function)| {
            let calls = function.locations.iter_enumerated().map(|(loc, location)| {
                let callees = points_to.entered_by(func, loc, &location.action);
                (loc, !points_to.opaque_callees(func, loc).is_empty(), callees)
            });
            calls.filter(|(.., callees)| !callees.is_empty()).collect()
        });
        CallGraph { calls: calls.collect() }
    }

    /// The functions that can run once `func` is called.
    fn reachable(&self, func: FuncId) -> BTreeSet<FuncId> {
        let mut seen = BTreeSet::from([func]);
        let mut queue = vec![func];
        while let Some(func) = queue.pop() {
            let callees = self.calls[func].iter().flat_map(|(.., callees)| callees);
            queue.extend(callees.copied().filter(|callee| seen.insert(*callee)));
        }
        seen
    }

    /// The functions, among those that a thread starting in `root` runs, that one such thread can run more than once.
    fn repeated(&self, program: &Program, root: FuncId, functions: &BTreeSet<FuncId>) -> BTreeSet<FuncId> {
        let mut n_calls: BTreeMap<FuncId, usize> = BTreeMap::from([(root, 1)]);
        for func in functions {
            for (loc, by_opaque, callees) in &self.calls[*func] {
                // An opaque function may call what it gets as often as it likes.
                let again = *by_opaque || is_in_cycle(program, *func, *loc);
                let times = if again { 2 } else { 1 };
                for callee in callees {
                    *n_calls.entry(*callee).or_default() += times;
                }
            }
        }
        let mut repeated: BTreeSet<FuncId> =
            n_calls.into_iter().filter(|(_, n)| *n > 1).map(|(func, _)| func).collect();
        let mut queue: Vec<FuncId> = repeated.iter().copied().collect();
        while let Some(func) = queue.pop() {
            let callees = self.calls[func].iter().flat_map(|(.., callees)| callees);
            queue.extend(callees.copied().filter(|callee| repeated.insert(*callee)));
        }
        repeated
    }
}

/// Returns true if a location can be reached from itself within its function.
pub(crate) fn is_in_cycle(program: &Program, func: FuncId, loc: LocId) -> bool {
    let locations = &program.functions[func].locations;
    let mut seen = BTreeSet::new();
    let mut queue = vec![loc];
    while let Some(at) = queue.pop() {
        for next in locations[at].action.successors() {
            if next == loc {
                return true;
            }
            if seen.insert(next) {
                queue.push(next);
            }
        }
    }
    false
}

/// The roots: the entry, and what can be started by what a root runs.
fn roots(program: &Program, points_to: &PointsTo, calls: &CallGraph) -> Vec<Root> {
    let root = |func| Root { func, many: false, functions: calls.reachable(func) };
    let mut roots = vec![root(program.entry)];
    let mut done = 0;
    while done < roots.len() {
        for (func, _, started) in points_to.starts() {
            if !roots[done].functions.contains(&func) {
                continue;
            }
            for start in started {
                if roots.iter().all(|known| known.func != *start) {
                    roots.push(root(*start));
                }
            }
        }
        done += 1;
    }
    mark_many(program, points_to, calls, &mut roots);
    roots
}

fn mark_many(program: &Program, points_to: &PointsTo, calls: &CallGraph, roots: &mut [Root]) {
    // The entry is started once, by no operation.
    let mut n_starts = vec![0; roots.len()];
    n_starts[0] = 1;
    let mut creates: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); roots.len()];
    for creator in 0..roots.len() {
        let repeated = calls.repeated(program, roots[creator].func, &roots[creator].functions);
        for (func, loc, started) in points_to.starts() {
            if !roots[creator].functions.contains(&func) {
                continue;
            }
            let once = !repeated.contains(&func)
                && !is_in_cycle(program, func, loc)
                && !points_to.starts_foreign(func, loc);
            let times = if once { n_creates(program, func, loc) } else { 2 };
            for n in (0..roots.len()).filter(|n| started.contains(&roots[*n].func)) {
                n_starts[n] += times;
                creates[creator].insert(n);
            }
        }
    }
    let mut queue: Vec<usize> = (0..roots.len()).filter(|n| n_starts[*n] > 1).collect();
    while let Some(n) = queue.pop() {
        if !roots[n].many {
            roots[n].many = true;
            queue.extend(&creates[n]);
        }
    }
}

/// How many threads one step at a location starts.
fn n_creates(program: &Program, func: FuncId, loc: LocId) -> usize {
    match &program.functions[func].locations[loc].action {
        Action::Ops { ops, .. } => ops.iter().filter(|op| matches!(op, Op::Create { .. })).count(),
        _ => 0,
    }
}
