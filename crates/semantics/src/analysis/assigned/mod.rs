//! Definite assignment of memory: which reads certainly see bytes that something has set.
//!
//! Memory of frames and of the heap begins indeterminate, and a decision that depends on such bytes is undefined ([`Program::strict_decisions`]). The formulas of most engines do not know which bytes
//! were set. They do not have to where no read of the program can see such bytes; [`Doubts`] are those for which that cannot be said; the memory that they may
//! see is followed in formulas ([`crate::encoding`], module `unset`).
//!
//! The analysis is a greatest fixed point over all functions, of facts *these bytes, from this address on, are set*:
//!
//! | facts about | begin as | grow by | are used for |
//! |---|---|---|---|
//! | a memory variable, a register that holds an address; at a location | nothing at the birth of the object; for an argument, what all callers have set | stores, fills, copies, what a callee sets on all its paths | reads relative to them |
//! | a parameter, when its function returns | what is set at all its returns | | the argument after a call |
//! | all objects of a site, once their address is *published*: stored to memory, returned, or handed to a thread | what is set wherever that happens | | reads through addresses that come from memory |
//!
//! A byte that is set stays so until its object ends, whatever else happens, so that facts need no care about aliases or other threads; with one exception: copying indeterminate bytes. Where that may
//! happen, the target is *spoilt* there, and no fact about it counts.
//!
//! # Direction of error
//! Doubts too much: arrays that are not set from their first element on, one after the other ([`facts`]), fields that are set after an address is published, and copies of values count as reads.

mod facts;
mod ranges;

use super::Analysis;
use super::value::Site;
use facts::Facts;
use program::{Action, BinOp, Callee, Expr, FuncId, Function, LocId, Op, Program, VarId, VarKind};
use ranges::{END, Ranges};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// How often the facts of the whole program are computed before nothing is claimed.
const MAX_ROUNDS: usize = 64;

/// The reads of memory, in the functions whose decisions count, that may see bytes which were never set.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Doubts {
    /// Where they are.
    pub reads: BTreeSet<(FuncId, LocId)>,
    /// The memory that has to be followed to know what these reads see: what they may read, and what is copied to there.
    pub sites: BTreeSet<Site>,
    /// A place of which more cannot be said by following memory: a pointer that may be anything, or a function without a value.
    pub beyond: Option<(FuncId, LocId)>,
}

impl Doubts {
    /// The doubts about a program.
    pub(super) fn of(analysis: &Analysis<'_>) -> Self {
        let program = analysis.program;
        let mut known = Known::default();
        for _ in 0..MAX_ROUNDS {
            let mut round =
                Round { analysis, known: &known, next: Known::default(), doubts: Doubts::default() };
            round.run();
            let (next, mut doubts) = (round.next, round.doubts);
            if next == known {
                doubts.beyond = doubts.beyond.or_else(|| missing_value(program));
                doubts.follow_copies(analysis, &known);
                return doubts;
            }
            known = next;
        }
        let beyond = Some((program.entry, program.functions[program.entry].entry));
        Self { beyond, ..Self::default() }
    }

    /// The first place of which something is not known.
    pub fn first(&self) -> Option<(FuncId, LocId)> {
        self.reads.first().copied().or(self.beyond)
    }

    /// What is copied to memory that is followed has to be followed, too.
    fn follow_copies(&mut self, analysis: &Analysis<'_>, known: &Known) {
        let mut copies = Vec::new();
        for (func, function) in analysis.program.functions.iter_enumerated() {
            for (loc, location) in function.locations.iter_enumerated() {
                for (op, n) in location.action.ops().iter().zip(0u32..) {
                    match op {
                        Op::Copy { dst, src, .. } => {
                            let to = analysis.points_to.targets(func, dst).places;
                            copies.push(((func, loc), to.into_iter().map(|(site, _)| site).collect(), src));
                        }
                        Op::Realloc { ptr, .. } => {
                            copies.push(((func, loc), vec![Site::Heap(func, loc, n)], ptr));
                        }
                        _ => {}
                    }
                }
            }
        }
        loop {
            let size = self.sites.len();
            for ((func, loc), to, src) in &copies {
                if to.iter().any(|site| self.sites.contains(site)) {
                    self.see(analysis, known, (*func, *loc), src);
                }
            }
            if self.sites.len() == size {
                return;
            }
        }
    }

    /// Follows what an address may mean. Static memory is set from the beginning, unless something unset is copied there.
    fn see(&mut self, analysis: &Analysis<'_>, known: &Known, at: (FuncId, LocId), addr: &Expr) {
        let targets = analysis.points_to.targets(at.0, addr);
        if targets.unknown || known.all_spoilt {
            self.beyond.get_or_insert(at);
        }
        let unset = |site: &Site| !matches!(site, Site::Static(_)) || known.spoilt.contains_key(site);
        self.sites.extend(targets.places.into_iter().map(|(site, _)| site).filter(unset));
    }
}

/// The first read of memory, in the program's own functions, that may see bytes which were never set.
pub fn first_unset_read(analysis: &Analysis<'_>) -> Option<(FuncId, LocId)> {
    analysis.doubts().first()
}

/// A function whose value is used although it may return none, or a call that gives too few arguments.
fn missing_value(program: &Program) -> Option<(FuncId, LocId)> {
    let joins = |op: &Op| matches!(op, Op::Join { .. });
    let has_joins =
        program.functions.iter().any(|f| f.locations.iter().any(|l| l.action.ops().iter().any(joins)));
    let uses_values = has_joins
        || program
            .functions
            .iter()
            .any(|f| f.locations.iter().any(|l| matches!(l.action, Action::Call { ret: Some(_), .. })));
    for (func, function) in program.functions.iter_enumerated().filter(|(_, f)| !f.library) {
        for (loc, location) in function.locations.iter_enumerated() {
            let missing = match &location.action {
                Action::Return(None) => function.ret.is_some() && uses_values,
                Action::Call { callee: Callee::Direct(callee), args, .. } => {
                    args.len() < program.functions[*callee].params.len()
                }
                _ => false,
            };
            if missing {
                return Some((func, loc));
            }
        }
    }
    None
}

// ---- the whole program -------------------------------------------------------------------------------------------

/// What is known of the whole program. What is not listed is not known to be restricted: all bytes are set.
#[derive(PartialEq, Eq, Default, Debug)]
struct Known {
    /// What is set of an argument, when its function begins.
    entries: FxHashMap<(FuncId, VarId), Ranges>,
    /// What is set at an argument, when its function returns.
    exits: FxHashMap<(FuncId, VarId), Ranges>,
    /// The same, when it returns something that is not zero (true), or zero.
    exits_when: FxHashMap<(FuncId, VarId, bool), Ranges>,
    /// What is set of all objects of a site whose address is published.
    published: FxHashMap<Site, Ranges>,
    /// Where indeterminate bytes may be copied to.
    spoilt: FxHashMap<Site, Ranges>,
    /// True if indeterminate bytes may be copied anywhere.
    all_spoilt: bool,
}

fn restrict<K: std::hash::Hash + Eq>(known: &mut FxHashMap<K, Ranges>, key: K, ranges: Ranges) {
    let both = known.get(&key).map(|old| old.intersection(&ranges)).unwrap_or(ranges);
    known.insert(key, both);
}

// ---- one pass over the program ----------------------------------------------------------------------------------

/// Computes facts about the whole program from those of the round before.
struct Round<'a, 'p> {
    analysis: &'a Analysis<'p>,
    known: &'a Known,
    next: Known,
    doubts: Doubts,
}

impl<'a, 'p> Round<'a, 'p> {
    fn run(&mut self) {
        let program = self.analysis.program;
        for root in self.analysis.threads.roots() {
            for param in &program.functions[root.func].params {
                let width = program.data_model.pointer();
                let published = if root.func == program.entry {
                    Ranges::default()
                } else {
                    self.published_from(root.func, &Expr::Reg(*param, width))
                };
                restrict(&mut self.next.entries, (root.func, *param), published);
            }
        }
        for (func, function) in program.functions.iter_enumerated() {
            self.function(func, function);
        }
    }

    fn function(&mut self, func: FuncId, function: &'p Function) {
        let mut at_entry = Facts::default();
        for param in &function.params {
            let given = self.known.entries.get(&(func, *param)).cloned();
            at_entry.assign(*param, None, given.unwrap_or_else(Ranges::all));
        }
        let mut before: BTreeMap<LocId, Facts> = BTreeMap::from([(function.entry, at_entry)]);
        let mut todo = BTreeSet::from([function.entry]);
        while let Some(loc) = todo.pop_first() {
            let mut facts = before[&loc].clone();
            let action = &function.locations[loc].action;
            self.action(func, action, &mut facts);
            for (next, facts) in ways_on(action, facts) {
                let changed = match before.get_mut(&next) {
                    Some(known) => known.join(&facts),
                    None => {
                        before.insert(next, facts);
                        true
                    }
                };
                if changed {
                    todo.insert(next);
                }
            }
        }
        // What is left behind by a function, and its doubts, rest on the facts that are final.
        for (loc, facts) in before {
            self.conclude(func, function, loc, facts);
        }
    }

    /// Draws the conclusions from what holds before an action.
    fn conclude(&mut self, func: FuncId, function: &'p Function, loc: LocId, mut facts: Facts) {
        let action = &function.locations[loc].action;
        match action {
            Action::Ops { ops, .. } => {
                for (n, op) in ops.iter().enumerate() {
                    op.each_expr(&mut |e| self.read(func, loc, e, &facts));
                    match op {
                        Op::Store { value, .. } => self.publish(func, value, &facts),
                        Op::Create { arg, .. } => self.publish(func, arg, &facts),
                        Op::Copy { dst, src, len } => self.spoil(func, (dst, src, len), &facts),
                        _ => {}
                    }
                    self.operation(func, ops, n, &mut facts);
                }
            }
            Action::Call { callee, args, .. } => {
                for callee in self.analysis.points_to.callees(func, callee) {
                    let params = &self.analysis.program.functions[callee].params;
                    for (param, arg) in params.iter().zip(args) {
                        let given = self.ranges(func, arg, &facts);
                        restrict(&mut self.next.entries, (callee, *param), given);
                    }
                }
            }
            Action::Return(result) => {
                for param in &function.params {
                    let width = self.analysis.program.data_model.pointer();
                    let place =
                        facts.resolve(&Expr::Reg(*param, width)).expect("a register should be a base");
                    let is_reset = assigns(function, *param);
                    let left = |ranges: Ranges| if is_reset { Ranges::default() } else { ranges };
                    restrict(&mut self.next.exits, (func, *param), left(facts.at(place)));
                    for truth in [false, true] {
                        if let Some(ranges) = facts.at_when(result.as_ref(), truth, place) {
                            restrict(&mut self.next.exits_when, (func, *param, truth), left(ranges));
                        }
                    }
                }
                result.iter().for_each(|result| self.publish(func, result, &facts));
            }
            Action::ThreadExit(result) => self.publish(func, result, &facts),
            _ => {}
        }
        if !matches!(action, Action::Ops { .. }) {
            action.each_expr(&mut |e| self.read(func, loc, e, &facts));
        }
    }

    /// What holds after an action.
    fn action(&mut self, func: FuncId, action: &Action, facts: &mut Facts) {
        match action {
            Action::Ops { ops, .. } => (0..ops.len()).for_each(|n| self.operation(func, ops, n, facts)),
            Action::Call { callee, args, ret, .. } => {
                let callees = self.analysis.points_to.callees(func, callee);
                let places: Vec<_> = args.iter().map(|arg| facts.resolve(arg)).collect();
                let given = || places.iter().enumerate().filter_map(|(n, place)| Some((n, (*place)?)));
                for (n, place) in given() {
                    let left = self.left_by(&callees, n, |param| self.known.exits.get(&param));
                    facts.add(place, &left);
                }
                ret.iter().for_each(|var| self.receive(func, *var, facts));
                let Some(ret) = ret else { return };
                for ((n, place), truth) in given().flat_map(|given| [(given, false), (given, true)]) {
                    let exits = |(callee, param)| self.known.exits_when.get(&(callee, param, truth));
                    facts.add_when(*ret, truth, place, &self.left_by(&callees, n, exits));
                }
            }
            _ => {}
        }
    }

    /// What all of these functions set at their n-th argument.
    fn left_by<'k>(
        &'k self,
        callees: &[FuncId],
        n: usize,
        exits: impl Fn((FuncId, VarId)) -> Option<&'k Ranges>,
    ) -> Ranges {
        let left = callees.iter().map(|callee| {
            let param = self.analysis.program.functions[*callee].params.get(n);
            let exit = param.map(|param| exits((*callee, *param)).cloned().unwrap_or_else(Ranges::all));
            exit.unwrap_or_default()
        });
        left.reduce(|one, two| one.intersection(&two)).unwrap_or_default()
    }

    fn operation(&self, func: FuncId, ops: &[Op], n: usize, facts: &mut Facts) {
        match &ops[n] {
            Op::Set { var, value } => {
                let ranges = self.ranges(func, value, facts);
                facts.set_register(*var, value, ranges);
            }
            Op::Store { addr, value, .. } => facts.store(addr, signed(value.width().bytes())),
            Op::Fill { dst, len, .. } => {
                let whole = ops[..n].iter().any(|op| {
                    matches!(op, Op::Alloc { var, size, .. } if size == len && matches!(dst, Expr::Reg(at, _) if at == var))
                });
                facts.store(dst, if whole { END } else { length(len).unwrap_or(0) });
            }
            Op::Copy { dst, src, len } => {
                let Some(base) = facts.resolve(dst) else { return };
                let mut copied = Ranges::default();
                copied.add(0, length(len).unwrap_or(0));
                facts.add(base, &copied.intersection(&self.ranges(func, src, facts)));
            }
            Op::Alloc { var, size, .. } => facts.allocate(*var, size),
            Op::Realloc { var, .. } => facts.assign(*var, None, Ranges::default()),
            Op::Forget { var, .. } => facts.forget(*var),
            op => op.results().for_each(|var| self.receive(func, var, facts)),
        }
    }

    /// A register gets a value that another function or thread has published.
    fn receive(&self, func: FuncId, var: VarId, facts: &mut Facts) {
        let ranges = self.published_from(func, &Expr::Reg(var, self.analysis.program.data_model.pointer()));
        facts.assign(var, None, ranges);
    }

    /// What is certainly set, counted from an address on.
    fn ranges(&self, func: FuncId, address: &Expr, facts: &Facts) -> Ranges {
        if let Some(base) = facts.resolve(address) {
            return facts.at(base);
        }
        match address {
            Expr::Const(..) => Ranges::all(),
            Expr::Load { .. } => self.published_from(func, address),
            // Wherever it leads in an object that is set as a whole.
            Expr::Binary(BinOp::Add | BinOp::Sub, base, _) if self.is_whole(func, base, facts) => {
                Ranges::all()
            }
            Expr::Ite(_, yes, no) => {
                self.ranges(func, yes, facts).intersection(&self.ranges(func, no, facts))
            }
            _ => {
                let targets = self.analysis.points_to.targets(func, address);
                let is_set = |(site, _): &(Site, _)| matches!(site, Site::Static(_));
                match !targets.unknown && targets.places.iter().all(is_set) {
                    true => Ranges::all(),
                    false => Ranges::default(),
                }
            }
        }
    }

    /// What is certainly set from an address on that comes from memory, so that it was published.
    fn published_from(&self, func: FuncId, address: &Expr) -> Ranges {
        let targets = self.analysis.points_to.targets(func, address);
        if targets.unknown {
            return Ranges::default();
        }
        let mut both = Ranges::all();
        for (site, offset) in targets.places.iter().filter(|(site, _)| !matches!(site, Site::Static(_))) {
            let Some(published) = self.known.published.get(site) else { continue };
            let from_here = match offset.as_exact() {
                Some(offset) => published.shifted(signed(offset).wrapping_neg()),
                None if *published == Ranges::all() => continue,
                None => Ranges::default(),
            };
            both = both.intersection(&from_here);
        }
        both
    }

    /// An address is stored, returned or handed to a thread.
    fn publish(&mut self, func: FuncId, value: &Expr, facts: &Facts) {
        let targets = self.analysis.points_to.targets(func, value);
        let ranges = self.ranges(func, value, facts);
        for (site, offset) in targets.places {
            let whole = match offset.as_exact() {
                Some(offset) => ranges.shifted(signed(offset)),
                None if ranges == Ranges::all() => Ranges::all(),
                None => Ranges::default(),
            };
            restrict(&mut self.next.published, site, whole);
        }
    }

    /// Bytes are copied, some of which may never have been set.
    fn spoil(&mut self, func: FuncId, (dst, src, len): (&Expr, &Expr, &Expr), facts: &Facts) {
        let end = length(len).unwrap_or(END);
        let mut unset = self.ranges(func, src, facts).gaps(0, end);
        if self.is_spoilt(func, src, end) {
            unset.add(0, end);
        }
        if unset == Ranges::default() {
            return;
        }
        let targets = self.analysis.points_to.targets(func, dst);
        self.next.all_spoilt |= targets.unknown;
        for (site, offset) in targets.places {
            let spoilt = offset.as_exact().map_or_else(Ranges::all, |offset| unset.shifted(signed(offset)));
            self.next.spoilt.entry(site).or_default().extend(&spoilt);
        }
    }

    fn is_spoilt(&self, func: FuncId, address: &Expr, len: i64) -> bool {
        let targets = self.analysis.points_to.targets(func, address);
        self.known.all_spoilt
            || targets.places.iter().any(|(site, offset)| {
                let Some(spoilt) = self.known.spoilt.get(site) else { return false };
                offset.as_exact().is_none_or(|at| spoilt.meets(signed(at), signed(at).saturating_add(len)))
            })
    }

    /// Notes reads in an expression that may see what was never set.
    fn read(&mut self, func: FuncId, loc: LocId, e: &Expr, facts: &Facts) {
        if !self.analysis.program.functions[func].decides_on_bytes() {
            return;
        }
        let mut doubtful = Vec::new();
        e.walk(&mut |part| {
            if let Expr::Load { addr, width, .. } = part
                && !self.is_set(func, addr, signed(width.bytes()), facts)
            {
                doubtful.push(&**addr);
            }
        });
        for addr in doubtful {
            self.doubts.reads.insert((func, loc));
            self.doubts.see(self.analysis, self.known, (func, loc), addr);
        }
    }

    fn is_set(&self, func: FuncId, address: &Expr, len: i64, facts: &Facts) -> bool {
        if self.is_spoilt(func, address, len) {
            return false;
        }
        if self.ranges(func, address, facts).covers(0, len) || facts.is_passed(address, len) {
            return true;
        }
        self.is_whole(func, address, facts)
    }

    /// Returns true if the objects that an address leads into are set as a whole.
    fn is_whole(&self, func: FuncId, address: &Expr, facts: &Facts) -> bool {
        let ranges = match facts.resolve(address) {
            Some(place) => facts.at(place),
            None => self.ranges(func, address, facts),
        };
        let targets = self.analysis.points_to.targets(func, address);
        !targets.unknown
            && targets.places.iter().all(|(site, offset)| {
                let (Some(at), Some(size)) = (offset.as_exact(), self.size(*site)) else {
                    return ranges == Ranges::all();
                };
                ranges.covers(signed(at).wrapping_neg(), size.saturating_sub(signed(at)))
            })
    }

    /// The size of the objects of a site; what has no known one ends nowhere.
    fn size(&self, site: Site) -> Option<i64> {
        let program = self.analysis.program;
        match site {
            Site::Static(id) => Some(signed(program.objects[id].size)),
            Site::Frame(func, var) => match program.functions[func].vars[var].kind {
                VarKind::Memory { size, .. } => Some(signed(size)),
                VarKind::Register(_) => None,
            },
            Site::Heap(func, loc, op) => {
                let op = &program.functions[func].locations[loc].action.ops()[op as usize];
                match op {
                    Op::Alloc { size, .. } => Some(length(size).unwrap_or(END)),
                    _ => None,
                }
            }
        }
    }
}

/// The locations after an action, with what holds there.
fn ways_on(action: &Action, facts: Facts) -> Vec<(LocId, Facts)> {
    if let Action::Branch { cond, yes, no } = action {
        let assuming = |holds| {
            let mut facts = facts.clone();
            facts.assume(cond, holds);
            facts
        };
        return match facts.decides(cond) {
            Some(holds) => vec![(if holds { *yes } else { *no }, assuming(holds))],
            None => vec![(*yes, assuming(true)), (*no, assuming(false))],
        };
    }
    action.successors().map(|next| (next, facts.clone())).collect()
}

/// Returns true if a function gives a parameter another value.
fn assigns(function: &Function, param: VarId) -> bool {
    function.locations.iter().any(|location| match &location.action {
        Action::Ops { ops, .. } => ops.iter().any(|op| op.results().any(|var| var == param)),
        Action::Call { ret, .. } => *ret == Some(param),
        _ => false,
    })
}

fn signed(bytes: u64) -> i64 {
    i64::try_from(bytes).unwrap_or(END)
}

fn length(len: &Expr) -> Option<i64> {
    len.as_const().and_then(|len| i64::try_from(len).ok())
}
