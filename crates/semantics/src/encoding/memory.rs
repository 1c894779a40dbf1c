//! Memory as variables: which cells an address can mean, and how they are read and written.
//!
//! Objects are cut into cells by [`crate::analysis::MemoryPartition`]. A cell that stands alone is a bit-vector variable; a row of cells is an array
//! variable whose index is the *byte offset* in the object (no division, and `a[i]`'s index is just `4 * i`); an object
//! accessed in ways that do not fit together is an array of bytes.
//!
//! An address means one of finitely many places: those that the points-to analysis names, in those objects that exist at
//! this control. If there is only one, the access is an access to its variable; otherwise it is a choice by the address.
//! That the address is one of them is demanded ([`validity`](super::validity)): any other one is undefined (SOUNDNESS: A20).

use crate::analysis::{ArrayRegion, Offset, ScalarCell, Site, SitePartition};
use crate::encoding::encode::{Encoding, Partial, SuccessorKind, Valued};
use crate::encoding::names::Name;
use crate::encoding::objects::site_of;
use logic::path::Cmd;
use logic::{Symbol, Term};
use program::interp::{self, Identity};
use program::{Expr, Property, Undefined, UndefinedKind, VarKind, Width};

/// Somewhere that can be read and written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Spot {
    /// A variable of its own.
    Variable(Symbol),
    /// An element of an array.
    Element(Symbol, Term),
    /// So many bytes of an array of bytes.
    Bytes(Symbol, Term),
}

/// A place that an address can mean, and when it does.
pub(super) struct Candidate {
    pub(super) guard: Term,
    pub(super) spot: Spot,
    object: Identity,
}

impl<'p> Encoding<'_, 'p> {
    /// The value at an address; needed only if `under` holds.
    pub(crate) fn load(
        &mut self,
        partial: &mut Partial,
        addr: &Expr,
        width: Width,
        under: Option<Term>,
    ) -> Valued<Term> {
        let (value, set) = self.load_at(partial, addr, 0, width, under)?;
        if let Some(set) = set {
            self.demand_set(partial, set, under);
        }
        Ok(value)
    }

    /// The value at a distance from an address, and whether something has set it, where that is followed.
    pub(crate) fn load_at(
        &mut self,
        partial: &mut Partial,
        addr: &Expr,
        distance: u64,
        width: Width,
        under: Option<Term>,
    ) -> Valued<(Term, Option<Term>)> {
        let candidates = self.candidates(partial, addr, distance, width, under)?;
        if under.is_none() && self.encoder.analysis.points_to.targets(self.func, addr).places.is_empty() {
            return Err(self.nothing("read"));
        }
        let Some((last, others)) = candidates.split_last() else {
            // SOUNDNESS: A20. Where the value is needed, the execution ends; elsewhere it may be anything.
            self.demand_one(partial, &[], under, "read");
            return Ok((self.terms.constant(0, width.0), None));
        };
        self.demand_one(partial, &candidates, under, "read");
        let mut value = self.read(last.spot, width);
        for candidate in others.iter().rev() {
            let this = self.read(candidate.spot, width);
            value = self.terms.ite(candidate.guard, this, value);
        }
        let set = self.are_set(&candidates, width);
        Ok((value, set))
    }

    /// Writes a value at an address.
    pub(crate) fn store(&mut self, partial: &mut Partial, addr: &Expr, value: Term) -> Valued<()> {
        self.store_at(partial, addr, 0, value, None)
    }

    /// Writes a value at a distance from an address; it is one that something has set if `set` holds.
    pub(crate) fn store_at(
        &mut self,
        partial: &mut Partial,
        addr: &Expr,
        distance: u64,
        value: Term,
        set: Option<Term>,
    ) -> Valued<()> {
        let width = Width(self.terms.width(value));
        let mut candidates = self.candidates(partial, addr, distance, width, None)?;
        candidates.retain(|candidate| !self.is_constant(candidate.object, addr));
        if candidates.is_empty() {
            return Err(self.nothing("write"));
        }
        self.demand_one(partial, &candidates, None, "write");
        let only = candidates.len() == 1;
        // Guards are about the address, which is computed from variables: all are read before any is written.
        let mut writes = Vec::new();
        for candidate in &candidates {
            let value = if only {
                value
            } else {
                let old = self.read(candidate.spot, width);
                self.terms.ite(candidate.guard, value, old)
            };
            writes.push(self.written(candidate.spot, value));
            let guard = (!only).then_some(candidate.guard);
            writes.extend(self.marked(candidate.spot, guard, set, width));
        }
        partial.block.extend(writes.into_iter().map(|(symbol, value)| Cmd::Assign(symbol, value)));
        Ok(())
    }

    /// How an access ends whose address cannot mean any place.
    pub(crate) fn nothing(&self, verb: &str) -> SuccessorKind {
        let what = format!("{verb} through a pointer to nothing");
        self.undefined(Undefined::new(UndefinedKind::WildPointer, what))
    }

    /// Returns true if writes to an object by this address are undefined.
    pub(crate) fn is_constant(&self, object: Identity, addr: &Expr) -> bool {
        let program = self.encoder.program;
        let read_only = match object {
            Identity::Static(id) => program.objects[id].read_only,
            Identity::Local { func, var, .. } => {
                addr.local_base().is_none()
                    && matches!(
                        program.functions[func].vars[var].kind,
                        VarKind::Memory { read_only: true, .. }
                    )
            }
            _ => false,
        };
        read_only && self.checks(Property::ValidDeref)
    }

    /// Demands that the address is one of the candidates.
    fn demand_one(
        &mut self,
        partial: &mut Partial,
        candidates: &[Candidate],
        under: Option<Term>,
        verb: &str,
    ) {
        let guards: Vec<Term> = candidates.iter().map(|c| c.guard).collect();
        let mut valid = self.terms.or(&guards);
        if let Some(under) = under {
            valid = self.terms.implies(under, valid);
        }
        let what = format!("{verb} outside of the objects that its address can mean");
        self.demand_valid(partial, valid, UndefinedKind::WildPointer, &what);
    }

    fn read(&mut self, spot: Spot, width: Width) -> Term {
        match spot {
            Spot::Variable(symbol) => self.terms.var_of(symbol),
            Spot::Element(symbol, index) => {
                let array = self.terms.var_of(symbol);
                self.terms.select(array, index)
            }
            Spot::Bytes(symbol, index) => {
                let array = self.terms.var_of(symbol);
                let mut value = None;
                for at in 0..width.bytes() {
                    let index = self.plus(index, at);
                    let byte = self.terms.select(array, index);
                    value = Some(match value {
                        None => byte,
                        Some(low) => self.terms.concat(byte, low),
                    });
                }
                value.expect("a value should have a byte")
            }
        }
    }

    /// The variable that changes, and its new value.
    fn written(&mut self, spot: Spot, value: Term) -> (Symbol, Term) {
        match spot {
            Spot::Variable(symbol) => (symbol, value),
            Spot::Element(symbol, index) => {
                let array = self.terms.var_of(symbol);
                (symbol, self.terms.store(array, index, value))
            }
            Spot::Bytes(symbol, index) => {
                let mut array = self.terms.var_of(symbol);
                for at in 0..u64::from(self.terms.width(value)) / 8 {
                    let index = self.plus(index, at);
                    let low = u8::try_from(at * 8).expect("a value should have at most 16 bytes");
                    let byte = self.terms.extract(low + 7, low, value);
                    array = self.terms.store(array, index, byte);
                }
                (symbol, array)
            }
        }
    }

    pub(super) fn plus(&mut self, term: Term, distance: u64) -> Term {
        let distance = self.terms.constant(u128::from(distance), self.pointer().0);
        self.terms.add(term, distance)
    }

    // ---- what an address can mean ---------------------------------------------------------------------------

    /// The places that `addr + distance` can mean, for an access of this width that happens only if `under` holds.
    fn candidates(
        &mut self,
        partial: &mut Partial,
        addr: &Expr,
        distance: u64,
        width: Width,
        under: Option<Term>,
    ) -> Valued<Vec<Candidate>> {
        let targets = self.encoder.analysis.points_to.targets(self.func, addr);
        if targets.unknown {
            return Err(SuccessorKind::Unsupported(
                "access through a pointer that may be anything".to_owned(),
            ));
        }
        let address = self.value_under(partial, addr, under)?;
        let address = self.plus(address, distance);
        let mut candidates: Vec<Candidate> = Vec::new();
        let mut doubts: Vec<Term> = Vec::new();
        for (site, offset) in targets.places {
            let offset = offset.plus(Offset::Exactly(distance.cast_signed()));
            for object in self.objects_of(partial, site) {
                // `&x` in this thread is this thread's copy, and `&local` this frame's variable.
                if self.is_other_copy(partial, addr, object) {
                    continue;
                }
                let base = self.object_address(object)?;
                let inside = self.terms.sub(address, base);
                if offset.stride() != 0
                    && let SitePartition::Rows { guarded: true, .. } = self.encoder.analysis.layout.site(site)
                {
                    doubts.push(self.fits(object, inside, width));
                }
                let mut found = Vec::new();
                self.candidates_in(&mut found, object, site, offset, inside, width);
                if let Some(alive) = self.alive(object) {
                    for candidate in &mut found {
                        candidate.guard = self.terms.and2(candidate.guard, alive);
                    }
                }
                // The layout has a cell for every exact offset that is accessed; if not, nothing may be concluded.
                if let (Offset::Exactly(at), true) = (offset, found.is_empty()) {
                    let (here, fits) = (self.equals(inside, at), self.fits(object, inside, width));
                    doubts.push(self.terms.and2(here, fits));
                }
                found.into_iter().for_each(|candidate| self.add_candidate(&mut candidates, candidate));
            }
        }
        candidates.retain(|c| self.terms.as_bool(c.guard) != Some(false));
        self.doubt(partial, &candidates, &doubts, under);
        Ok(candidates)
    }

    /// Adds a place. The address may mean it at several offsets, but it is written once: a second write would read what the first one has written.
    fn add_candidate(&mut self, candidates: &mut Vec<Candidate>, new: Candidate) {
        match candidates.iter_mut().find(|known| known.spot == new.spot) {
            Some(known) => known.guard = self.terms.or(&[known.guard, new.guard]),
            None => candidates.push(new),
        }
    }

    /// Where the layout only guesses how far a row of cells reaches, an access that is inside its object and no cell of the layout
    /// has no model: assuming that it does not happen would be wrong.
    fn doubt(&mut self, partial: &Partial, candidates: &[Candidate], doubts: &[Term], under: Option<Term>) {
        let guards: Vec<Term> = candidates.iter().map(|c| c.guard).collect();
        let (inside, known) = (self.terms.or(doubts), self.terms.or(&guards));
        let unknown = self.terms.not(known);
        let happens = under.unwrap_or_else(|| self.terms.tt());
        let strays = self.terms.and(&[happens, inside, unknown]);
        let why = SuccessorKind::Unsupported("an index that leaves its array inside a structure".to_owned());
        self.stray(partial, strays, why);
    }

    /// An outcome of its own for the executions in which `when` holds.
    pub(crate) fn stray(&mut self, partial: &Partial, when: Term, kind: SuccessorKind) {
        if self.terms.as_bool(when) != Some(false) {
            let mut stray = partial.clone();
            stray.block.push(Cmd::Assume(when));
            stray.kind = kind;
            self.strays.push(stray);
        }
    }

    /// The objects of a site that exist here and whose address the thread can have: its own, and those of others whose address gets out.
    pub(crate) fn objects_of(&self, partial: &Partial, site: Site) -> Vec<Identity> {
        let control = &partial.control;
        let mut objects: Vec<Identity> = match site {
            Site::Static(id) if self.encoder.program.objects[id].thread_local => {
                control.threads.iter().map(|t| Identity::ThreadLocal(id, t.id)).collect()
            }
            Site::Static(id) => vec![Identity::Static(id)],
            Site::Frame(func, var) => {
                let frames =
                    control.threads.iter().flat_map(|t| (0..).zip(&t.frames).map(|(d, f)| (t.id, d, f.func)));
                let here = frames.filter(|(_, _, f)| *f == func);
                here.map(|(thread, depth, func)| Identity::Local { thread, depth, func, var }).collect()
            }
            Site::Heap(func, loc, op) => {
                let made_at = interp::Site { func, loc, op };
                let made = control.objects.iter().copied();
                let is_one = |o: &Identity| {
                    matches!(o,
                    Identity::Heap { site, .. } | Identity::Alloca { site, .. } if *site == made_at)
                };
                made.filter(is_one).collect()
            }
        };
        if !self.encoder.analysis.threads.escapes(site) {
            objects.retain(|o| o.owner().is_none_or(|owner| owner == self.thread));
        }
        let others = self.encoder.others.iter().copied().filter(|o| site_of(*o) == site);
        objects.extend(
            others.collect::<Vec<_>>().into_iter().filter(|o| !objects.contains(o)).collect::<Vec<_>>(),
        );
        objects
    }

    /// Returns true if `addr` is written as the address of a variable of which `object` is another thread's or frame's copy.
    fn is_other_copy(&self, partial: &Partial, addr: &Expr, object: Identity) -> bool {
        match (root(addr), object) {
            (Expr::ObjectAddr(..), Identity::ThreadLocal(_, thread)) => thread != self.thread,
            (Expr::LocalAddr(var, _), Identity::Local { .. }) => object != self.local_object(partial, *var),
            _ => false,
        }
    }

    /// The cells of an object that an address `inside` bytes from its start can mean.
    fn candidates_in(
        &mut self,
        found: &mut Vec<Candidate>,
        object: Identity,
        site: Site,
        offset: Offset,
        inside: Term,
        width: Width,
    ) {
        match self.encoder.analysis.layout.site(site).clone() {
            SitePartition::Scalars(scalars) => {
                self.scalar_candidates(found, object, &scalars, offset, inside, width)
            }
            SitePartition::Rows { rows, scalars, .. } => {
                self.scalar_candidates(found, object, &scalars, offset, inside, width);
                for row in rows {
                    self.row_candidate(found, object, row, offset, inside, width);
                }
            }
            SitePartition::Bytes => {
                let fits = self.fits(object, inside, width);
                let guard = match offset {
                    Offset::Exactly(at) => {
                        let here = self.equals(inside, at);
                        self.terms.and2(here, fits)
                    }
                    _ => fits,
                };
                let symbol = self.elements(object, 0, Width::BYTE);
                found.push(Candidate { guard, spot: Spot::Bytes(symbol, inside), object });
            }
        }
    }

    fn scalar_candidates(
        &mut self,
        found: &mut Vec<Candidate>,
        object: Identity,
        scalars: &[ScalarCell],
        offset: Offset,
        inside: Term,
        width: Width,
    ) {
        for scalar in scalars.iter().filter(|s| s.width == width) {
            if matches!(offset, Offset::Exactly(at) if at != scalar.offset.cast_signed()) {
                continue;
            }
            let here = self.equals(inside, scalar.offset.cast_signed());
            let guard = match self.size_varies(object) {
                true => {
                    let fits = self.fits(object, inside, width);
                    self.terms.and2(here, fits)
                }
                false => here,
            };
            if self.terms.as_bool(guard) != Some(false) {
                let symbol = self.symbol(Name::Cell { object, offset: scalar.offset, width });
                found.push(Candidate { guard, spot: Spot::Variable(symbol), object });
            }
        }
    }

    fn row_candidate(
        &mut self,
        found: &mut Vec<Candidate>,
        object: Identity,
        row: ArrayRegion,
        offset: Offset,
        inside: Term,
        width: Width,
    ) {
        // Of an object whose size varies, the row goes on as far as the address space; the object's size is a guard of its own.
        let room = self.size_of(object).saturating_sub(row.start);
        let count = row.count.unwrap_or((room + row.stride - row.width.bytes()) / row.stride);
        if row.width != width || count == 0 {
            return;
        }
        let mut guard = match offset {
            Offset::Exactly(at) => {
                let distance = at - row.start.cast_signed();
                let hit = distance >= 0
                    && distance.cast_unsigned().is_multiple_of(row.stride)
                    && distance.cast_unsigned() / row.stride < count;
                if !hit {
                    return;
                }
                self.equals(inside, at)
            }
            _ => self.in_row(row, count, offset, inside),
        };
        if self.size_varies(object) {
            let fits = self.fits(object, inside, width);
            guard = self.terms.and2(guard, fits);
        }
        let symbol = self.elements(object, row.start, width);
        found.push(Candidate { guard, spot: Spot::Element(symbol, inside), object });
    }

    /// The condition that an address `inside` bytes from its object's start is one of the first `count` cells of a row.
    fn in_row(&mut self, row: ArrayRegion, count: u64, offset: Offset, inside: Term) -> Term {
        let pointer = self.pointer().0;
        let start = self.terms.constant(u128::from(row.start), pointer);
        let distance = self.terms.sub(inside, start);
        let last = self.terms.constant(u128::from((count - 1) * row.stride), pointer);
        let within = self.terms.ule(distance, last);
        let meets = offset.stride().is_multiple_of(row.stride)
            && offset.start().abs_diff(row.start.cast_signed()).is_multiple_of(row.stride);
        if meets {
            return within;
        }
        let stride = self.terms.constant(u128::from(row.stride), pointer);
        let rest = self.terms.urem(distance, stride);
        let zero = self.terms.constant(0, pointer);
        let aligned = self.terms.eq(rest, zero);
        self.terms.and2(within, aligned)
    }

    /// The condition that a word that begins `inside` bytes from the start of an object ends inside it.
    fn fits(&mut self, object: Identity, inside: Term, width: Width) -> Term {
        self.fits_bytes(object, inside, width.bytes())
    }

    /// The condition that so many bytes that begin `inside` bytes from the start of an object end inside it.
    pub(crate) fn fits_bytes(&mut self, object: Identity, inside: Term, bytes: u64) -> Term {
        let size = self.size(object);
        let bytes = self.terms.constant(u128::from(bytes), self.pointer().0);
        let large_enough = self.terms.ule(bytes, size);
        let last = self.terms.sub(size, bytes);
        let before_end = self.terms.ule(inside, last);
        self.terms.and2(large_enough, before_end)
    }

    pub(crate) fn equals(&mut self, term: Term, value: i64) -> Term {
        let value =
            self.terms.constant(self.pointer().truncate(i128::from(value).cast_unsigned()), self.pointer().0);
        self.terms.eq(term, value)
    }

    pub(crate) fn elements(&mut self, object: Identity, start: u64, width: Width) -> Symbol {
        self.symbol(Name::Elements { object, start, width })
    }
}

/// What an address is computed from.
fn root(addr: &Expr) -> &Expr {
    match addr {
        Expr::Binary(program::BinOp::Add | program::BinOp::Sub, base, _) => root(base),
        other => other,
    }
}
