//! Memory safety and undefined behaviour in formulas: which accesses are valid, which objects are alive, what is leaked.
//!
//! The encoder knows when an access is inside of a live object: that is the disjunction of the guards of the places that its address can mean
//! ([`memory`](super::memory)). For properties that are not about validity, executions in which it does not hold are assumed away. An encoder that
//! [checks](Encoder::checking) such a property gives them an outcome of their own instead, of kind [`SuccessorKind::Violation`]: an *error edge*, which
//! has to be proved infeasible like a failing assertion. Most conditions are constants: an access to a variable by its name, or at a constant offset of
//! a known object, has no error edge at all.
//!
//! Where an object can cease to live before all accesses to it have been made, a ghost variable ([`Name::Alive`]) says whether it is alive:
//!
//! | object | alive from, to | has a ghost variable |
//! |---|---|---|
//! | static | the beginning, the end | never |
//! | of the heap | its allocation, `free` | if some `free` or `realloc` may be given its address |
//! | of a frame | call, return | if its address may reach another thread. Of its own thread's frames the global location tells which exist |
//! | of a block | its entry, its exit | if the program says where its life ends ([`Op::Forget`]) |
//! | of a thread | the thread's start, its end | the same |
//!
//! Frames of `main` that no function calls and that no thread exit ends are as good as static. Ghost variables are shared memory: a `free`, or the return of a function
//! whose variable another thread may access, is a visible action that depends on these accesses.
//!
//! # Frame variables that come to life again
//! A frame variable has the same address whenever its function is called at the same depth. A pointer to it that is still around when it ceases to live
//! could later be used to access its next incarnation. Such a return is an outcome without a model, unless it is proved infeasible.
//!
//! # Leaks
//! At the end of the program every heap object is dead, for `valid-memcleanup`; or dead, or some static variable, variable of another thread or
//! tracked heap object holds a pointer into it, for `valid-memtrack`.
//!
//! # Direction of error
//! Towards a violation: elements of arrays are not searched for pointers, and chains of pointers of more than [`MAX_CHAIN`] links are not followed. What
//! the interpreter does not confirm is no answer.

use crate::analysis::Site;
use crate::analysis::evident::{main_stays, scoped};
use crate::encoding::control::GlobalLocation;
use crate::encoding::encode::{Encoder, Encoding, Partial, Successor, SuccessorKind, Valued};
use crate::encoding::names::Name;
use crate::encoding::objects::{Extent, site_of};
use logic::path::Cmd;
use logic::{Symbol, Term};
use program::interp::{Identity, ThreadId};
use program::{Action, Expr, FuncId, Op, Program, Property, Undefined, UndefinedKind, VarKind, Width};
use rustc_hash::FxHashSet;

/// The longest chain of pointers from a root to a heap object that is followed.
const MAX_CHAIN: usize = 4;

/// What an encoder checks.
#[derive(Clone, Debug)]
pub(crate) struct Validity {
    property: Property,
    /// The heap sites that some `free` or `realloc` may be given; `None` if any.
    freed: Option<FxHashSet<Site>>,
    /// Frame variables that live as long as a block.
    scoped: FxHashSet<Site>,
    /// True if the frame of the first thread's first function lives as long as the program.
    main_stays: bool,
    /// Reads of memory that may never have been set, if these are checked.
    pub(super) doubts: Option<std::sync::Arc<crate::analysis::assigned::Doubts>>,
}

impl Validity {
    fn of(encoder: &Encoder<'_>, property: Property) -> Self {
        let (program, analysis) = (encoder.program, &encoder.analysis);
        let mut freed = Some(FxHashSet::default());
        for (func, function) in program.functions.iter_enumerated() {
            for location in function.locations.iter() {
                let Action::Ops { ops, .. } = &location.action else { continue };
                for op in ops {
                    if let Op::Free(addr) | Op::Realloc { ptr: addr, .. } = op {
                        let targets = analysis.points_to.targets(func, addr);
                        let sites = targets.places.into_iter().map(|(site, _)| site);
                        freed = freed.filter(|_| !targets.unknown);
                        freed.iter_mut().for_each(|freed| freed.extend(sites.clone()));
                    }
                }
            }
        }
        let doubts = encoder.doubts_for(property);
        Self { property, freed, scoped: scoped(program), main_stays: main_stays(analysis), doubts }
    }
}

impl Encoder<'_> {
    /// Gives executions that violate `property` an outcome of their own, if it is about memory safety or undefined behaviour.
    pub fn checking(mut self, property: Property) -> Self {
        self.validity = property.is_about_validity().then(|| Validity::of(&self, property));
        self
    }

    /// Returns true if a ghost variable says whether the object is alive.
    fn has_ghost(&self, object: Identity) -> bool {
        let Some(validity) = &self.validity else { return false };
        let site = site_of(object);
        match object {
            Identity::Static(_) => false,
            Identity::Local { .. } if validity.scoped.contains(&site) => true,
            Identity::Heap { .. } => validity.freed.as_ref().is_none_or(|freed| freed.contains(&site)),
            Identity::Local { thread: ThreadId::MAIN, depth: 0, .. } if validity.main_stays => false,
            Identity::Alloca { thread: ThreadId::MAIN, depth: 0, .. } if validity.main_stays => false,
            Identity::Local { .. } | Identity::Alloca { .. } | Identity::ThreadLocal(..) => {
                self.analysis.threads.escapes(site)
            }
        }
    }

    /// Objects that may cease to live while other threads can still access them: what a thread does alone does not tell whether they are alive.
    pub fn mortal_shared_site(&self) -> Option<Site> {
        let validity = self.validity.as_ref()?;
        let program = self.program;
        let is_entry = |func: FuncId| func == program.entry && validity.main_stays;
        let dies = |site: Site| match site {
            Site::Static(id) => program.objects[id].thread_local,
            Site::Frame(func, _) => !is_entry(func) || validity.scoped.contains(&site),
            Site::Heap(func, loc, op) => {
                let Action::Ops { ops, .. } = &program.functions[func].locations[loc].action else {
                    return false;
                };
                let is_frame =
                    matches!(&ops[op as usize], Op::Alloc { storage: program::Storage::Frame, .. });
                let freed = || validity.freed.as_ref().is_none_or(|freed| freed.contains(&site));
                if is_frame { !is_entry(func) } else { freed() }
            }
        };
        let sites = crate::analysis::threads::sites(program);
        sites
            .into_iter()
            .map(|(site, _)| site)
            .find(|site| dies(*site) && self.analysis.threads.escapes(*site))
    }
}

impl<'p> Encoding<'_, 'p> {
    /// Returns true if a violation of `part` has an outcome of its own.
    pub(crate) fn checks(&self, part: Property) -> bool {
        self.encoder.validity.as_ref().is_some_and(|validity| validity.property.includes(part))
    }

    /// How something undefined ends.
    pub(crate) fn undefined(&self, undefined: Undefined) -> SuccessorKind {
        let part = undefined.property();
        match self.checks(part) {
            true => SuccessorKind::Violation(part, undefined.to_string()),
            false => SuccessorKind::Undefined(undefined.to_string()),
        }
    }

    /// Demands that an access is valid: otherwise it is a violation, or the execution is assumed not to exist.
    pub(crate) fn demand_valid(
        &mut self,
        partial: &mut Partial,
        valid: Term,
        kind: UndefinedKind,
        what: &str,
    ) {
        if self.checks(kind.property()) {
            let invalid = self.terms.not(valid);
            let kind = self.undefined(Undefined::new(kind, what));
            self.stray(partial, invalid, kind);
        }
        self.assume(partial, valid);
    }

    /// Demands that `len` bytes from an address on are in one live object. The words that are copied or filled are those that the program accesses, which
    /// need not be all of the range.
    pub(crate) fn demand_range(
        &mut self,
        partial: &mut Partial,
        addr: &Expr,
        len: u64,
        write: bool,
    ) -> Valued<()> {
        if len == 0 || !self.checks(Property::ValidDeref) {
            return Ok(());
        }
        let targets = self.encoder.analysis.points_to.targets(self.func, addr);
        if targets.unknown {
            let what = "access through a pointer that may be anything";
            return Err(SuccessorKind::Unsupported(what.to_owned()));
        }
        let address = self.value(partial, addr)?;
        let mut sites: Vec<Site> = targets.places.iter().map(|(site, _)| *site).collect();
        sites.dedup();
        let mut ways = Vec::new();
        for object in sites.into_iter().flat_map(|site| self.objects_of(partial, site)).collect::<Vec<_>>() {
            if write && self.is_constant(object, addr) {
                continue;
            }
            let base = self.object_address(object)?;
            let inside = self.terms.sub(address, base);
            let fits = self.fits_bytes(object, inside, len);
            let alive = self.alive(object);
            ways.push(alive.map_or(fits, |alive| self.terms.and2(fits, alive)));
        }
        let valid = self.terms.or(&ways);
        let what = format!("{} of {len} bytes outside of an object", if write { "write" } else { "read" });
        self.demand_valid(partial, valid, UndefinedKind::OutOfBounds, &what);
        Ok(())
    }

    // ---- lives ----------------------------------------------------------------------------------------------

    /// When an object that exists at this global location, or may exist, is alive; `None` if always.
    pub(crate) fn alive(&mut self, object: Identity) -> Option<Term> {
        let symbol = self.ghost(object)?;
        Some(self.terms.var_of(symbol))
    }

    fn ghost(&mut self, object: Identity) -> Option<Symbol> {
        self.encoder.has_ghost(object).then(|| self.symbol(Name::Alive(object)))
    }

    /// An object begins or ceases to live.
    pub(crate) fn set_alive(&mut self, partial: &mut Partial, object: Identity, alive: bool) {
        if let Some(symbol) = self.ghost(object) {
            let value = self.terms.truth(alive);
            partial.block.push(Cmd::Assign(symbol, value));
        }
    }

    /// The objects of a thread's frames, from `depth` on, cease to live.
    pub(crate) fn end_lives(&mut self, partial: &mut Partial, depth: u32) {
        if self.encoder.validity.is_none() {
            return;
        }
        let thread = self.thread;
        let mut dying: Vec<Identity> = Vec::new();
        let frames = partial.control.thread(thread).map(|t| t.frames.clone()).unwrap_or_default();
        for (at, frame) in (0..).zip(&frames).filter(|(at, _)| *at >= depth) {
            let vars = self.encoder.program.functions[frame.func].vars.iter_enumerated();
            let memory = vars.filter(|(_, var)| matches!(var.kind, VarKind::Memory { .. }));
            dying.extend(memory.map(|(var, _)| Identity::Local { thread, depth: at, func: frame.func, var }));
        }
        let allocas = partial.control.objects.iter().copied();
        dying.extend(allocas.filter(
            |o| matches!(o, Identity::Alloca { thread: owner, depth: at, .. } if *owner == thread && *at >= depth),
        ));
        if depth == 0 {
            let objects = self.encoder.program.objects.iter_enumerated().filter(|(_, o)| o.thread_local);
            dying.extend(objects.map(|(id, _)| Identity::ThreadLocal(id, thread)));
        }
        for object in dying {
            self.set_alive(partial, object, false);
        }
    }

    /// A variable of the running frame begins or ceases to live with its block.
    pub(crate) fn enter_scope(&mut self, partial: &mut Partial, object: Identity, alive: bool) -> Valued<()> {
        let scoped = self.encoder.validity.as_ref().is_some_and(|v| v.scoped.contains(&site_of(object)));
        if scoped && alive {
            self.no_pointer_among(partial, object, &[], |other| other != object, false)?;
        }
        if scoped {
            self.set_alive(partial, object, alive);
        }
        Ok(())
    }

    /// Gives executions in which there is a pointer to an earlier object of this identity an outcome without a model: the interpreter makes it dangle. The frame that
    /// the object begins to live in has no values yet.
    ///
    /// If addresses of the object's site never escape, only its owner can have one: a register or an object of another thread that held it would
    /// have got it from its owner, as an argument, as a result or through memory that both access, and each of these makes the site escape. Then other
    /// threads are left out, so that a call in one thread does not seem to read the private memory of all others.
    pub(crate) fn no_stale_pointer(
        &mut self,
        partial: &Partial,
        object: Identity,
        args: &[Term],
    ) -> Valued<()> {
        if self.encoder.validity.is_none() {
            return Ok(());
        }
        let is_new = |other: Identity| match (other, object) {
            (
                Identity::Local { thread, depth, .. },
                Identity::Local { thread: new_thread, depth: new_depth, .. },
            ) => thread == new_thread && depth == new_depth,
            _ => other == object,
        };
        self.no_pointer_among(partial, object, args, |other| !is_new(other), true)
    }

    /// The same, where pointers are looked for in the objects that `holds` says, and in registers; in those of the object's own frame unless it is `entered`.
    fn no_pointer_among(
        &mut self,
        partial: &Partial,
        object: Identity,
        args: &[Term],
        holds: impl Fn(Identity) -> bool,
        entered: bool,
    ) -> Valued<()> {
        let site = site_of(object);
        let wide = |arg: &Term| self.terms.sort(*arg) == logic::Sort::Bits(self.pointer().0);
        let handed = args.iter().enumerate().filter(|(n, _)| self.may_be_handed(object, *n));
        let mut values: Vec<Term> = handed.map(|(_, arg)| *arg).filter(wide).collect();
        let mut ways = Vec::new();
        let holders = self.holders(partial).into_iter().filter(|other| holds(*other));
        let holders: Vec<Identity> = holders.filter(|holder| self.can_hold(holder.owner(), object)).collect();
        for holder in holders {
            let pointers = self.pointers_in(holder);
            values.extend(
                pointers.into_iter().filter(|(_, held)| held.contains(&site)).map(|(value, _)| value),
            );
            if self.may_hold_in_array(holder, site) {
                ways.push(self.terms.tt());
            }
        }
        let registers = self.live_registers(partial, object, entered);
        values.extend(registers.into_iter().filter(|(_, held)| held.contains(&site)).map(|(value, _)| value));
        for value in values {
            ways.push(self.points_into(value, object)?);
        }
        let stale = self.terms.or(&ways);
        let what = "a pointer to a variable of an earlier call of the same function".to_owned();
        self.stray(partial, stale, SuccessorKind::Unsupported(what));
        Ok(())
    }

    /// Returns true if an argument of the function that a variable belongs to may be the variable's address.
    fn may_be_handed(&self, object: Identity, n: usize) -> bool {
        let Identity::Local { func, .. } = object else { return true };
        let Some(param) = self.encoder.program.functions[func].params.get(n) else { return false };
        let targets = self.encoder.analysis.points_to.targets(func, &Expr::Reg(*param, self.pointer()));
        targets.places.iter().any(|(site, _)| *site == site_of(object))
    }

    /// Returns true if what a thread owns, or all threads have in common, can hold the address of `object`.
    fn can_hold(&self, owner: Option<ThreadId>, object: Identity) -> bool {
        let escapes = self.encoder.analysis.threads.escapes(site_of(object));
        escapes || owner.is_none() || owner == object.owner()
    }

    /// The objects that exist.
    fn holders(&self, partial: &Partial) -> Vec<Identity> {
        let program: &Program = self.encoder.program;
        let control = &partial.control;
        let mut holders: Vec<Identity> = Vec::new();
        for (id, object) in program.objects.iter_enumerated() {
            match object.thread_local {
                true => holders.extend(control.threads.iter().map(|t| Identity::ThreadLocal(id, t.id))),
                false => holders.push(Identity::Static(id)),
            }
        }
        for (thread, depth, func) in frames(control) {
            let vars = program.functions[func].vars.iter_enumerated();
            let memory = vars.filter(|(_, var)| matches!(var.kind, VarKind::Memory { .. }));
            holders.extend(memory.map(|(var, _)| Identity::Local { thread, depth, func, var }));
        }
        holders.extend(control.objects.iter().copied());
        holders
    }

    /// The registers of pointer width that may still be read and may hold addresses of the object, with the sites whose addresses they may be; those of the object's own
    /// frame unless it is `entered`.
    fn live_registers(
        &mut self,
        partial: &Partial,
        object: Identity,
        entered: bool,
    ) -> Vec<(Term, Vec<Site>)> {
        let program: &Program = self.encoder.program;
        let mut found = Vec::new();
        for (thread, depth, func) in frames(&partial.control) {
            let just_entered = entered
                && matches!(object, Identity::Local { thread: t, depth: d, .. } if t == thread && d == depth);
            if just_entered || !self.can_hold(Some(thread), object) {
                continue;
            }
            let Some(state) = partial.control.thread(thread) else { continue };
            let loc = state.frames[depth as usize].loc;
            let liveness = &self.encoder.analysis.liveness[func];
            let live =
                if depth == state.depth() { liveness.live_at(loc) } else { liveness.live_during_call(loc) };
            for (var, declared) in program.functions[func].vars.iter_enumerated() {
                if declared.kind == VarKind::Register(self.pointer()) && live.contains(var) {
                    found.push((thread, depth, func, var));
                }
            }
        }
        let pointer = self.pointer();
        let roots = found.into_iter().map(|(t, d, f, var)| self.register_root(t, d, f, var, pointer));
        roots.flatten().collect()
    }

    /// Returns true if elements of an array in `holder` may be addresses of `site`.
    fn may_hold_in_array(&mut self, holder: Identity, site: Site) -> bool {
        let holds = self.encoder.analysis.points_to.held_by(site_of(holder)).any(|held| held == site);
        holds && {
            let symbols = self.encoder.symbols_of(self.terms, holder);
            symbols.iter().any(|(_, extent)| matches!(extent, Extent::ArrayRegion(..)))
        }
    }

    // ---- free -----------------------------------------------------------------------------------------------

    /// Ends the life of the heap object at an address.
    pub(crate) fn free(&mut self, partial: &mut Partial, addr: &Expr) -> Valued<()> {
        let address = self.value(partial, addr)?;
        if self.encoder.validity.is_none() {
            // Which objects are dead is not followed: an access to one of them is assumed away.
            return Ok(());
        }
        let targets = self.encoder.analysis.points_to.targets(self.func, addr);
        if targets.unknown {
            return Err(SuccessorKind::Unsupported("free of a pointer that may be anything".to_owned()));
        }
        let mut sites: Vec<Site> = targets.places.iter().map(|(site, _)| *site).collect();
        sites.dedup();
        let mut valid = vec![self.equals(address, 0)];
        let mut deaths = Vec::new();
        for object in sites.into_iter().flat_map(|site| self.objects_of(partial, site)).collect::<Vec<_>>() {
            if !matches!(object, Identity::Heap { .. }) || object.is_of_library(self.encoder.program) {
                continue;
            }
            let base = self.object_address(object)?;
            let here = self.terms.eq(address, base);
            let symbol = self.ghost(object).expect("what is freed should have a ghost variable");
            let alive = self.terms.var_of(symbol);
            valid.push(self.terms.and2(here, alive));
            let elsewhere = self.terms.not(here);
            deaths.push(Cmd::Assign(symbol, self.terms.and2(alive, elsewhere)));
        }
        let valid = self.terms.or(&valid);
        let what = "free of something that is no live heap object";
        self.demand_valid(partial, valid, UndefinedKind::InvalidFree, what);
        partial.block.extend(deaths);
        Ok(())
    }

    // ---- leaks ----------------------------------------------------------------------------------------------

    /// The end of the program, with an outcome of its own for executions that leak. `frames` says whether the frames of the thread that
    /// ends it are still there.
    pub(crate) fn ended(&mut self, partial: Partial, frames: bool) -> Vec<Successor> {
        if let Some(property) =
            self.encoder.validity.as_ref().map(|v| v.property).filter(|p| p.is_about_leaks())
        {
            let (kind, part) = match property {
                Property::ValidMemcleanup => (UndefinedKind::NotFreed, Property::ValidMemcleanup),
                _ => (UndefinedKind::MemoryLeak, Property::ValidMemtrack),
            };
            let lost = self.lost(&partial, frames, part);
            let leak = self.undefined(Undefined::new(kind, "a heap object is left at the program's end"));
            match lost {
                Ok(lost) => self.stray(&partial, lost, leak),
                Err(kind) => return vec![Successor { kind, ..partial }],
            }
        }
        vec![Successor { kind: SuccessorKind::Ended, ..partial }]
    }

    /// The end of the last thread is the end of the program.
    pub(crate) fn ended_by_last(&mut self, outcomes: Vec<Successor>) -> Vec<Successor> {
        if !self.encoder.validity.as_ref().is_some_and(|v| v.property.is_about_leaks()) {
            return outcomes;
        }
        let is_end = |o: &Successor| {
            o.kind == SuccessorKind::Continue && o.control.threads.iter().all(|t| t.is_finished())
        };
        let (over, mut others): (Vec<_>, Vec<_>) = outcomes.into_iter().partition(is_end);
        others.extend(over.into_iter().flat_map(|outcome| self.ended(outcome, false)));
        others
    }

    /// When a heap object is alive and, for `valid-memtrack`, no pointer leads to it.
    fn lost(&mut self, partial: &Partial, frames: bool, part: Property) -> Valued<Term> {
        let is_heap = |o: &Identity| matches!(o, Identity::Heap { .. });
        let objects: Vec<Identity> = partial.control.objects.iter().copied().filter(is_heap).collect();
        let mut alive = Vec::new();
        let mut leakable = Vec::new();
        for &object in &objects {
            let ghost = self.alive(object);
            alive.push(ghost.unwrap_or_else(|| self.terms.tt()));
            leakable.push(!object.is_of_library(self.encoder.program));
        }
        if part == Property::ValidMemcleanup {
            let left =
                alive.iter().zip(&leakable).filter(|(_, leakable)| **leakable).map(|(alive, _)| *alive);
            return Ok(self.terms.or(&left.collect::<Vec<_>>()));
        }
        let roots = self.roots(partial, frames);
        let mut tracked = Vec::new();
        for &object in &objects {
            let mut ways = Vec::new();
            for (pointer, sites) in &roots {
                if sites.contains(&site_of(object)) {
                    ways.push(self.points_into(*pointer, object)?);
                }
            }
            tracked.push(self.terms.or(&ways));
        }
        for _ in 0..objects.len().min(MAX_CHAIN) {
            let before = tracked.clone();
            for (n, &object) in objects.iter().enumerate() {
                let mut ways = vec![before[n]];
                for (m, &holder) in objects.iter().enumerate().filter(|(m, _)| *m != n) {
                    for (pointer, sites) in self.pointers_in(holder) {
                        if sites.contains(&site_of(object)) {
                            let points = self.points_into(pointer, object)?;
                            ways.push(self.terms.and(&[before[m], alive[m], points]));
                        }
                    }
                }
                tracked[n] = self.terms.or(&ways);
            }
        }
        let lost: Vec<Term> = (alive.iter().zip(&tracked).zip(&leakable))
            .filter(|(_, leakable)| **leakable)
            .map(|((alive, tracked), _)| {
                let not = self.terms.not(*tracked);
                self.terms.and2(*alive, not)
            })
            .collect();
        Ok(self.terms.or(&lost))
    }

    /// Whether a value is an address in an object.
    fn points_into(&mut self, pointer: Term, object: Identity) -> Valued<Term> {
        let base = self.object_address(object)?;
        let (distance, size) = (self.terms.sub(pointer, base), self.size(object));
        let (here, inside) = (self.terms.eq(pointer, base), self.terms.ult(distance, size));
        Ok(self.terms.or2(here, inside))
    }

    /// The cells of an object that are as wide as a pointer, and the sites whose addresses the object holds.
    fn pointers_in(&mut self, object: Identity) -> Vec<(Term, Vec<Site>)> {
        let held: Vec<Site> = self.encoder.analysis.points_to.held_by(site_of(object)).collect();
        if held.is_empty() {
            return Vec::new();
        }
        let pointer = self.pointer();
        let symbols = self.encoder.symbols_of(self.terms, object);
        let is_pointer =
            |extent: &Extent| matches!(extent, Extent::ScalarCell(cell) if cell.width == pointer);
        let cells = symbols.into_iter().filter(|(_, extent)| is_pointer(extent));
        cells.map(|(symbol, _)| (self.terms.var_of(symbol), held.clone())).collect()
    }

    /// What can hold pointers when the program ends: static variables, and the variables and registers of frames.
    fn roots(&mut self, partial: &Partial, frames: bool) -> Vec<(Term, Vec<Site>)> {
        let program: &Program = self.encoder.program;
        let mut roots = Vec::new();
        for (id, object) in program.objects.iter_enumerated() {
            if !object.thread_local && !object.is_record() {
                roots.extend(self.pointers_in(Identity::Static(id)));
            }
        }
        let me = self.thread;
        let others = partial.control.threads.iter().filter(|t| t.id != me || frames);
        for (thread, frames) in others.map(|t| (t.id, t.frames.clone())).collect::<Vec<_>>() {
            for (depth, frame) in (0..).zip(&frames) {
                for (var, declared) in program.functions[frame.func].vars.iter_enumerated() {
                    match declared.kind {
                        VarKind::Memory { .. } => {
                            roots.extend(self.pointers_in(Identity::Local {
                                thread,
                                depth,
                                func: frame.func,
                                var,
                            }));
                        }
                        VarKind::Register(width) if width == self.pointer() => {
                            roots.extend(self.register_root(thread, depth, frame.func, var, width));
                        }
                        VarKind::Register(_) => {}
                    }
                }
            }
        }
        roots
    }

    fn register_root(
        &mut self,
        thread: ThreadId,
        depth: u32,
        func: FuncId,
        var: program::VarId,
        width: Width,
    ) -> Option<(Term, Vec<Site>)> {
        let targets = self.encoder.analysis.points_to.targets(func, &Expr::Reg(var, width));
        let sites: Vec<Site> = targets.places.into_iter().map(|(site, _)| site).collect();
        if sites.is_empty() {
            return None;
        }
        let symbol = self.symbol(Name::Register { thread, depth, func, var });
        Some((self.terms.var_of(symbol), sites))
    }
}

/// All frames: whose, how many are below, of which function.
fn frames(control: &GlobalLocation) -> Vec<(ThreadId, u32, FuncId)> {
    let threads = control.threads.iter();
    threads.flat_map(|t| (0..).zip(&t.frames).map(|(depth, frame)| (t.id, depth, frame.func))).collect()
}
