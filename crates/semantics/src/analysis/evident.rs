//! Accesses that are evidently valid: without any search, in every execution.
//!
//! Most accesses of most programs are to variables by their names, or at constant offsets of objects whose address a pointer certainly holds. If all accesses of a
//! program are of this kind, and nothing else in it can be undefined, memory safety needs no search. [`first_doubt`] names the first action for which that cannot be said.
//!
//! An access is evident if its address is a constant number of bytes, inside of the object, away from
//!
//! - a static object, or a variable of the running frame; or
//! - a *certain* register: one that whatever sets it sets to such an address (or to a fresh object of constant size, or to another certain register), and that is
//!   never read before it is set. Parameters are certain if all arguments are. Values from memory, results of calls and inputs are not certain.
//!
//! The objects that a certain register can refer to are those of the points-to analysis. They are alive: static ones always, heap objects if nothing frees them, variables of
//! frames if their address cannot reach another thread, because without results and memory an address only travels from callers to callees; or if they are variables of `main`, which
//! lives as long as the program. Variables of blocks whose end the program says are never evidently alive.
//!
//! A program in which no operation can block has no deadlock, either.
//!
//! # Direction of error
//! Doubts too much: certainty does not depend on the path, and no numbers are known but constants.

use super::assigned::first_unset_read;
use super::footprint::{Extent, Footprint, Kind, footprints};
use super::value::Site;
use super::{Analysis, Offset};
use base::{Idx, IdxVec};
use program::{
    Action, BinOp, Callee, Expr, FuncId, LocId, Op, Program, Property, Storage, UndefinedKind, VarId, VarKind,
};
use rustc_hash::FxHashSet;

/// Why validity is not evident.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Doubt {
    /// In this function
    pub func: FuncId,
    /// at this location
    pub loc: LocId,
    /// this may happen.
    pub what: &'static str,
}

/// The first action that may violate `property`, which is about memory safety or undefined behaviour, or is `no-deadlock`; `None` if evidently none does.
pub fn first_doubt(analysis: &Analysis<'_>, property: Property) -> Option<Doubt> {
    if property == Property::NoDeadlock {
        return first_wait(analysis.program);
    }
    let strict = analysis.program.strict_decisions && property == Property::UndefinedBehaviour;
    if let Some((func, loc)) = strict.then(|| first_unset_read(analysis)).flatten() {
        return Some(Doubt { func, loc, what: "a read of memory that was never set" });
    }
    let evident = Evident::of(analysis);
    for (func, function) in analysis.program.functions.iter_enumerated() {
        let never = evident.never_reached(func);
        for (loc, location) in function.locations.iter_enumerated().filter(|(loc, _)| !never.contains(loc)) {
            if let Some(what) = evident.doubt(func, &location.action, property) {
                return Some(Doubt { func, loc, what });
            }
        }
    }
    None
}

/// The first action that can block.
fn first_wait(program: &Program) -> Option<Doubt> {
    program.functions.iter_enumerated().find_map(|(func, function)| {
        let waits = |location: &program::Location| location.action.ops().iter().any(Op::can_block);
        let (loc, _) = function.locations.iter_enumerated().find(|(_, location)| waits(location))?;
        Some(Doubt { func, loc, what: "a step that waits" })
    })
}

struct Evident<'a, 'p> {
    analysis: &'a Analysis<'p>,
    /// The certain registers, by function and variable.
    certain: IdxVec<FuncId, Vec<bool>>,
    /// True if the first frame of the main thread lives as long as the program.
    main_stays: bool,
    /// Variables that live as long as a block.
    scoped: FxHashSet<Site>,
}

impl<'a, 'p> Evident<'a, 'p> {
    /// The greatest set of certain registers: all of them, until one is set to something else.
    fn of(analysis: &'a Analysis<'p>) -> Self {
        let program = analysis.program;
        let pointer = program.data_model.pointer();
        let certain = program.functions.iter_enumerated().map(|(func, function)| {
            let entry = analysis.liveness[func].live_at(function.entry);
            let is_certain = |(var, declared): (VarId, &program::Var)| {
                declared.kind == VarKind::Register(pointer)
                    && (function.params.contains(&var) || !entry.contains(var))
            };
            function.vars.iter_enumerated().map(is_certain).collect()
        });
        let (main_stays, scoped) = (main_stays(analysis), scoped(program));
        let mut evident = Self { analysis, certain: certain.collect(), main_stays, scoped };
        for param in &program.functions[program.entry].params {
            evident.certain[program.entry][param.index()] = false;
        }
        while evident.weaken() {}
        evident
    }

    /// Drops registers that are set to something uncertain; returns true if there were any.
    fn weaken(&mut self) -> bool {
        let program = self.analysis.program;
        let mut uncertain: Vec<(FuncId, VarId)> = Vec::new();
        for (func, function) in program.functions.iter_enumerated() {
            for location in function.locations.iter() {
                match &location.action {
                    Action::Ops { ops, next, .. } => {
                        ops.iter().for_each(|op| self.operation(func, op, *next, &mut uncertain));
                        let started = ops.iter().filter_map(|op| match op {
                            Op::Create { arg, .. } => Some(arg),
                            _ => None,
                        });
                        for arg in started {
                            let roots = self.analysis.threads.roots().iter().map(|root| root.func);
                            roots.for_each(|root| {
                                self.pass(func, root, std::slice::from_ref(arg), &mut uncertain);
                            });
                        }
                    }
                    Action::Call { callee, args, ret, .. } => {
                        uncertain.extend(ret.map(|var| (func, var)));
                        for callee in self.analysis.points_to.callees(func, callee) {
                            self.pass(func, callee, args, &mut uncertain);
                        }
                    }
                    _ => {}
                }
            }
        }
        let mut changed = false;
        for (func, var) in uncertain {
            changed |= std::mem::replace(&mut self.certain[func][var.index()], false);
        }
        changed
    }

    /// Arguments of a call or a new thread.
    fn pass(&self, func: FuncId, callee: FuncId, args: &[Expr], uncertain: &mut Vec<(FuncId, VarId)>) {
        for (n, param) in self.analysis.program.functions[callee].params.iter().enumerate() {
            if !args.get(n).is_some_and(|arg| self.is_certain(func, arg)) {
                uncertain.push((callee, *param));
            }
        }
    }

    fn operation(&self, func: FuncId, op: &Op, next: LocId, uncertain: &mut Vec<(FuncId, VarId)>) {
        match op {
            Op::Set { value, .. } if self.is_certain(func, value) => {}
            Op::Alloc { size, .. } if size.as_const().is_some() => {}
            // A variable that is set before it is read again.
            Op::Forget { var, .. } if !self.analysis.liveness[func].live_at(next).contains(*var) => {}
            _ => uncertain.extend(op.results().map(|var| (func, var))),
        }
    }

    /// Returns true if a value is certainly an address, a constant number of bytes from the start of an object.
    fn is_certain(&self, func: FuncId, e: &Expr) -> bool {
        match e {
            Expr::ObjectAddr(..) | Expr::LocalAddr(..) => true,
            Expr::Reg(var, _) => self.certain[func][var.index()],
            Expr::Binary(BinOp::Add | BinOp::Sub, base, distance) => {
                distance.as_const().is_some() && self.is_certain(func, base)
            }
            Expr::Ite(_, yes, no) => self.is_certain(func, yes) && self.is_certain(func, no),
            _ => false,
        }
    }

    /// Locations that only branches lead to whose conditions are evidently never false.
    fn never_reached(&self, func: FuncId) -> FxHashSet<LocId> {
        let (mut never, mut reached) = (FxHashSet::default(), FxHashSet::default());
        for location in self.analysis.program.functions[func].locations.iter() {
            match &location.action {
                Action::Branch { cond, yes, no } if self.is_true(func, cond) => {
                    reached.insert(*yes);
                    never.insert(*no);
                }
                action => reached.extend(action.successors()),
            }
        }
        never.retain(|loc| !reached.contains(loc));
        never
    }

    /// Returns true if a condition about pointers that stay with their objects evidently holds.
    fn is_true(&self, func: FuncId, cond: &Expr) -> bool {
        match cond {
            Expr::Binary(BinOp::Or, left, right) => self.is_true(func, left) || self.is_true(func, right),
            Expr::SameObject(left, right) => {
                let (first, second) = (self.places(func, left), self.places(func, right));
                let is_inside = |places: &Option<Vec<(Site, Offset)>>| {
                    places.iter().flatten().all(|(site, offset)| {
                        let at = offset.as_exact();
                        matches!((at, self.size(*site)), (Some(at), Some(size)) if at <= size)
                    })
                };
                if first.is_none() || second.is_none() || !is_inside(&first) || !is_inside(&second) {
                    return false;
                }
                // A site may stand for several objects, except for a static one.
                let mut both = first.iter().chain(&second).flatten().map(|(site, _)| *site);
                let is_one = both.next().is_some_and(|site| {
                    matches!(site, Site::Static(id) if !self.analysis.program.objects[id].thread_local)
                        && both.all(|other| other == site)
                });
                is_one || root(left) == root(right)
            }
            _ => false,
        }
    }

    /// What a certain address can refer to.
    fn places(&self, func: FuncId, e: &Expr) -> Option<Vec<(Site, Offset)>> {
        let targets = self.analysis.points_to.targets(func, e);
        (self.is_certain(func, e) && !targets.unknown).then_some(targets.places)
    }

    /// The size of the objects of a site, if it is known.
    fn size(&self, site: Site) -> Option<u64> {
        let program = self.analysis.program;
        match site {
            Site::Static(id) => Some(program.objects[id].size),
            Site::Frame(func, var) => match program.functions[func].vars[var].kind {
                VarKind::Memory { size, .. } => Some(size),
                VarKind::Register(_) => None,
            },
            Site::Heap(func, loc, op) => {
                match &program.functions[func].locations[loc].action.ops()[op as usize] {
                    Op::Alloc { size, .. } => size.as_const().and_then(|size| u64::try_from(size).ok()),
                    _ => None,
                }
            }
        }
    }

    /// What may happen that violates the property.
    fn doubt(&self, func: FuncId, action: &Action, property: Property) -> Option<&'static str> {
        let program = self.analysis.program;
        let accesses = footprints(&program.functions[func], action);
        if accesses.iter().any(|access| !self.is_valid(func, access, writes_by_name(action, access))) {
            return Some("an access outside of its object");
        }
        match action {
            Action::Undefined(undefined) if property.includes(undefined.property()) => {
                Some("undefined behaviour")
            }
            Action::Call { callee: Callee::Indirect(_), .. }
                if property.includes(UndefinedKind::InvalidCall.property()) =>
            {
                Some("a call through an address where no function is")
            }
            Action::Ops { ops, .. } => ops.iter().find_map(|op| match op {
                Op::Free(_) | Op::Realloc { .. } => Some("a free of something that is no live heap object"),
                Op::Create { func, .. } if !matches!(func, Expr::FuncAddr(..)) => {
                    Some("a thread that starts at an address where no function is")
                }
                Op::Alloc { storage: Storage::Heap, .. } if property.is_about_leaks() => Some("a leak"),
                _ => None,
            }),
            _ => None,
        }
    }

    fn is_valid(&self, func: FuncId, access: &Footprint<'_>, by_name: bool) -> bool {
        let (addr, extent, used) = (&access.addr, access.extent, (access.kind, by_name));
        let bytes = match extent {
            // The declaration of a variable.
            Extent::Whole if matches!(**addr, Expr::LocalAddr(..)) => return true,
            other => other.bytes(),
        };
        let (Some(bytes), true) = (bytes, self.is_certain(func, addr)) else { return bytes == Some(0) };
        let targets = self.analysis.points_to.targets(func, addr);
        !targets.unknown
            && !targets.places.is_empty()
            && targets.places.iter().all(|(site, offset)| self.is_inside(*site, *offset, bytes, used))
    }

    /// Returns true if bytes of the objects of a site can be accessed whenever their address is certain.
    fn is_inside(&self, site: Site, offset: Offset, bytes: u64, (kind, by_name): (Kind, bool)) -> bool {
        let program = self.analysis.program;
        let escapes = self.analysis.threads.escapes(site);
        let size = match site {
            Site::Static(id) => {
                let object = &program.objects[id];
                let writable = kind == Kind::Read || !object.read_only;
                (writable && !(object.thread_local && escapes)).then_some(object.size)
            }
            Site::Frame(func, var) => {
                let stays =
                    !self.scoped.contains(&site) && (!escapes || func == program.entry && self.main_stays);
                match program.functions[func].vars[var].kind {
                    VarKind::Memory { read_only: true, .. } if kind == Kind::Write && !by_name => None,
                    VarKind::Memory { size, .. } if stays => Some(size),
                    _ => None,
                }
            }
            Site::Heap(func, loc, op) => self.allocated(func, loc, op, escapes),
        };
        let at = offset.as_exact();
        matches!((size, at), (Some(size), Some(at)) if at.checked_add(bytes).is_some_and(|end| end <= size))
    }

    /// The size of an allocated object that stays alive where its address is certain.
    fn allocated(&self, func: FuncId, loc: LocId, op: u32, escapes: bool) -> Option<u64> {
        let program = self.analysis.program;
        let Action::Ops { ops, .. } = &program.functions[func].locations[loc].action else { return None };
        let Op::Alloc { size, storage, .. } = &ops[op as usize] else { return None };
        let frees = |op: &Op| matches!(op, Op::Free(_) | Op::Realloc { .. });
        let mut actions = program.functions.iter().flat_map(|f| f.locations.iter()).map(|l| &l.action);
        let stays = match storage {
            Storage::Frame => !escapes,
            Storage::Library => true,
            Storage::Heap => actions.all(|a| !matches!(a, Action::Ops { ops, .. } if ops.iter().any(frees))),
        };
        size.as_const().filter(|_| stays).and_then(|size| u64::try_from(size).ok())
    }
}

/// Returns true if an access is a store by the name of a variable, as it stands in the program.
fn writes_by_name(action: &Action, access: &Footprint<'_>) -> bool {
    match action.ops().get(access.op) {
        Some(Op::Store { addr, .. } | Op::Copy { dst: addr, .. } | Op::Fill { dst: addr, .. }) => {
            addr.local_base().is_some()
        }
        _ => false,
    }
}

/// Returns true if the first frame of the main thread lives as long as the program: nothing calls its function, and no thread exit ends it.
pub(crate) fn main_stays(analysis: &Analysis<'_>) -> bool {
    let program = analysis.program;
    let main = analysis.threads.roots().iter().position(|root| root.func == program.entry);
    program.functions.iter_enumerated().all(|(func, function)| {
        function.locations.iter().all(|location| match &location.action {
            Action::Call { callee, .. } => !analysis.points_to.callees(func, callee).contains(&program.entry),
            Action::ThreadExit(_) => main.is_some_and(|main| !analysis.threads.runners(func).contains(&main)),
            _ => true,
        })
    })
}

/// Frame variables whose lives end where the program says so.
pub(crate) fn scoped(program: &Program) -> FxHashSet<Site> {
    let mut found = FxHashSet::default();
    for (func, function) in program.functions.iter_enumerated() {
        for location in function.locations.iter() {
            let Action::Ops { ops, .. } = &location.action else { continue };
            found.extend(ops.iter().filter_map(|op| match op {
                Op::Forget { var, alive: false } => Some(Site::Frame(func, *var)),
                _ => None,
            }));
        }
    }
    found
}

/// What an address is a constant number of bytes away from.
fn root(e: &Expr) -> &Expr {
    match e {
        Expr::Binary(BinOp::Add | BinOp::Sub, base, distance) if distance.as_const().is_some() => root(base),
        other => other,
    }
}
