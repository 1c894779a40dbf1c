//! Memory as variables: which cells an address can mean, and how they are read and written.
//!
//! Objects are cut into cells by [`analysis::Layout`]. A cell that stands alone is a bit-vector variable; a row of cells is an array
//! variable whose index is the *byte offset* in the object (no division, and `a[i]`'s index is just `4 * i`); an object
//! accessed in ways that do not fit together is an array of bytes.
//!
//! An address means one of finitely many places: those that the points-to analysis names, in those objects that exist at
//! this control. If there is only one, the access is an access to its variable; otherwise it is a choice by the address.
//! That the address is one of them becomes an assumption: any other one is undefined (SOUNDNESS: A20).

use crate::encode::{Encoder, Encoding, Kind, Partial, Valued};
use crate::names::Name;
use analysis::{Offset, Row, Scalar, Site, SiteLayout};
use base::Stop;
use logic::path::Cmd;
use logic::{Symbol, Term, Terms};
use program::interp::{self, Identity};
use program::{Expr, ObjectId, RelocTarget, VarId, Width};

/// Somewhere that can be read and written.
#[derive(Clone, Copy)]
enum Spot {
    /// A variable of its own.
    Variable(Symbol),
    /// An element of an array.
    Element(Symbol, Term),
    /// So many bytes of an array of bytes.
    Bytes(Symbol, Term),
}

/// A place that an address can mean, and when it does.
struct Candidate {
    guard: Term,
    spot: Spot,
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
        self.load_at(partial, addr, 0, width, under)
    }

    fn load_at(
        &mut self,
        partial: &mut Partial,
        addr: &Expr,
        distance: u64,
        width: Width,
        under: Option<Term>,
    ) -> Valued<Term> {
        let candidates = self.candidates(partial, addr, distance, width)?;
        self.assume_one(partial, &candidates, under);
        let mut value = None;
        for candidate in candidates.iter().rev() {
            let this = self.read(candidate.spot, width);
            value = Some(match value {
                None => this,
                Some(other) => self.terms.ite(candidate.guard, this, other),
            });
        }
        value.ok_or_else(|| Kind::Undefined("access through a pointer to nothing".to_owned()))
    }

    /// Writes a value at an address.
    pub(crate) fn store(&mut self, partial: &mut Partial, addr: &Expr, value: Term) -> Valued<()> {
        self.store_at(partial, addr, 0, value)
    }

    fn store_at(&mut self, partial: &mut Partial, addr: &Expr, distance: u64, value: Term) -> Valued<()> {
        let width = Width(self.terms.width(value));
        let candidates = self.candidates(partial, addr, distance, width)?;
        if candidates.is_empty() {
            return Err(Kind::Undefined("write through a pointer to nothing".to_owned()));
        }
        self.assume_one(partial, &candidates, None);
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
        }
        partial.block.extend(writes.into_iter().map(|(symbol, value)| Cmd::Assign(symbol, value)));
        Ok(())
    }

    /// Assumes that the address is one of the candidates.
    fn assume_one(&mut self, partial: &mut Partial, candidates: &[Candidate], under: Option<Term>) {
        let guards: Vec<Term> = candidates.iter().map(|c| c.guard).collect();
        let mut valid = self.terms.or(&guards);
        if let Some(under) = under {
            valid = self.terms.implies(under, valid);
        }
        if self.terms.as_bool(valid) != Some(true) {
            partial.block.push(Cmd::Assume(valid));
        }
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

    fn plus(&mut self, term: Term, distance: u64) -> Term {
        let distance = self.terms.constant(u128::from(distance), self.pointer().0);
        self.terms.add(term, distance)
    }

    // ---- what an address can mean ---------------------------------------------------------------------------

    /// The places that `addr + distance` can mean, for an access of this width.
    fn candidates(
        &mut self,
        partial: &mut Partial,
        addr: &Expr,
        distance: u64,
        width: Width,
    ) -> Valued<Vec<Candidate>> {
        let targets = self.encoder.points_to.targets(self.func, addr);
        if targets.unknown {
            return Err(Kind::Unsupported("access through a pointer that may be anything".to_owned()));
        }
        let address = self.value(partial, addr)?;
        let address = self.plus(address, distance);
        let mut candidates: Vec<Candidate> = Vec::new();
        let mut doubts: Vec<Term> = Vec::new();
        for (site, offset) in targets.places {
            let offset = offset.plus(Offset::Exactly(distance as i64));
            for object in self.objects_of(partial, site) {
                // `&x` in this thread is this thread's copy, and `&local` this frame's variable.
                if self.is_other_copy(partial, addr, object) {
                    continue;
                }
                let base = self.object_address(object)?;
                let inside = self.terms.sub(address, base);
                if offset.stride() != 0
                    && let SiteLayout::Rows { guarded: true, .. } = self.encoder.layout.site(site)
                {
                    let last = self.size_of(object).saturating_sub(width.bytes());
                    let last = self.terms.constant(u128::from(last), self.pointer().0);
                    doubts.push(self.terms.ule(inside, last));
                }
                self.candidates_in(&mut candidates, object, site, offset, inside, width);
            }
        }
        candidates.retain(|c| self.terms.as_bool(c.guard) != Some(false));
        self.doubt(partial, &candidates, &doubts);
        Ok(candidates)
    }

    /// Where the layout only guesses how far a row of cells reaches, an access that is inside its object and no cell of the layout
    /// has no model: assuming that it does not happen would be wrong.
    fn doubt(&mut self, partial: &Partial, candidates: &[Candidate], doubts: &[Term]) {
        let guards: Vec<Term> = candidates.iter().map(|c| c.guard).collect();
        let (inside, known) = (self.terms.or(doubts), self.terms.or(&guards));
        let unknown = self.terms.not(known);
        let strays = self.terms.and2(inside, unknown);
        if self.terms.as_bool(strays) != Some(false) {
            let mut stray = partial.clone();
            stray.block.push(Cmd::Assume(strays));
            stray.kind = Kind::Unsupported("an index that leaves its array inside a structure".to_owned());
            self.strays.push(stray);
        }
    }

    /// The objects of a site that exist here.
    fn objects_of(&self, partial: &Partial, site: Site) -> Vec<Identity> {
        let control = &partial.control;
        match site {
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
                made.filter(|o| matches!(o, Identity::Heap { site, .. } if *site == made_at)).collect()
            }
        }
    }

    /// Whether `addr` is written as the address of a variable of which `object` is somebody else's copy.
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
        match self.encoder.layout.site(site).clone() {
            SiteLayout::Scalars(scalars) => {
                self.scalar_candidates(found, object, &scalars, offset, inside, width)
            }
            SiteLayout::Rows { rows, scalars, .. } => {
                self.scalar_candidates(found, object, &scalars, offset, inside, width);
                for row in rows {
                    self.row_candidate(found, object, row, offset, inside, width);
                }
            }
            SiteLayout::Bytes => {
                let Some(size) = self.size_of(object).checked_sub(width.bytes()) else { return };
                let last = self.terms.constant(u128::from(size), self.pointer().0);
                let guard = match offset {
                    Offset::Exactly(at) => self.equals(inside, at),
                    _ => self.terms.ule(inside, last),
                };
                let symbol = self.elements(object, 0, Width::BYTE);
                found.push(Candidate { guard, spot: Spot::Bytes(symbol, inside) });
            }
        }
    }

    fn scalar_candidates(
        &mut self,
        found: &mut Vec<Candidate>,
        object: Identity,
        scalars: &[Scalar],
        offset: Offset,
        inside: Term,
        width: Width,
    ) {
        for scalar in scalars.iter().filter(|s| s.width == width) {
            if matches!(offset, Offset::Exactly(at) if at != scalar.offset as i64) {
                continue;
            }
            let guard = self.equals(inside, scalar.offset as i64);
            if self.terms.as_bool(guard) != Some(false) {
                let symbol = self.symbol(Name::Cell { object, offset: scalar.offset, width });
                found.push(Candidate { guard, spot: Spot::Variable(symbol) });
            }
        }
    }

    fn row_candidate(
        &mut self,
        found: &mut Vec<Candidate>,
        object: Identity,
        row: Row,
        offset: Offset,
        inside: Term,
        width: Width,
    ) {
        let room = self.size_of(object).saturating_sub(row.start);
        let count = row.count.unwrap_or((room + row.stride - row.width.bytes()) / row.stride);
        if row.width != width || count == 0 {
            return;
        }
        let pointer = self.pointer().0;
        let guard = match offset {
            Offset::Exactly(at) => {
                let distance = at - row.start as i64;
                let hit = distance >= 0
                    && (distance as u64).is_multiple_of(row.stride)
                    && (distance as u64) / row.stride < count;
                if !hit {
                    return;
                }
                self.equals(inside, at)
            }
            _ => {
                let start = self.terms.constant(u128::from(row.start), pointer);
                let distance = self.terms.sub(inside, start);
                let last = self.terms.constant(u128::from((count - 1) * row.stride), pointer);
                let within = self.terms.ule(distance, last);
                let meets = offset.stride().is_multiple_of(row.stride)
                    && offset.start().abs_diff(row.start as i64).is_multiple_of(row.stride);
                if meets {
                    within
                } else {
                    let stride = self.terms.constant(u128::from(row.stride), pointer);
                    let rest = self.terms.urem(distance, stride);
                    let zero = self.terms.constant(0, pointer);
                    let aligned = self.terms.eq(rest, zero);
                    self.terms.and2(within, aligned)
                }
            }
        };
        let symbol = self.elements(object, row.start, width);
        found.push(Candidate { guard, spot: Spot::Element(symbol, inside) });
    }

    fn equals(&mut self, term: Term, value: i64) -> Term {
        let value = self.terms.constant(self.pointer().truncate(value as u128), self.pointer().0);
        self.terms.eq(term, value)
    }

    fn elements(&mut self, object: Identity, start: u64, width: Width) -> Symbol {
        self.symbol(Name::Elements { object, start, width })
    }

    fn size_of(&self, object: Identity) -> u64 {
        size_of(self.encoder.program, object)
    }

    // ---- lives of objects -----------------------------------------------------------------------------------

    /// All bytes of an object become indeterminate.
    pub(crate) fn forget_object(&mut self, partial: &mut Partial, object: Identity, size: u64) -> Valued<()> {
        let symbols = self.encoder.symbols_of(self.terms, object, size);
        partial.block.extend(symbols.into_iter().map(|(symbol, _)| Cmd::Havoc(symbol)));
        Ok(())
    }

    pub(crate) fn alloc(&mut self, partial: &mut Partial, var: VarId, size: &Expr, op: u32) -> Valued<()> {
        let unknown = || Kind::Unsupported("allocation of a size that is not constant".to_owned());
        let size = size.as_const().and_then(|s| u64::try_from(s).ok()).ok_or_else(unknown)?;
        let at = partial.control.thread(self.thread).expect("the thread should be in the control").top();
        let site = interp::Site { func: at.func, loc: at.loc, op };
        let count = partial.control.thread_mut(self.thread).count(site);
        let object = Identity::Heap { thread: self.thread, site, count, size };
        partial.control.add_object(object);
        self.forget_object(partial, object, size)?;
        let address = self.object_address(object)?;
        self.set_register(partial, var, address);
        Ok(())
    }

    // ---- blocks of memory -----------------------------------------------------------------------------------

    pub(crate) fn copy(&mut self, partial: &mut Partial, dst: &Expr, src: &Expr, len: &Expr) -> Valued<()> {
        let unknown = |what: &str| Kind::Unsupported(format!("copy of {what}"));
        let len = len.as_const().ok_or_else(|| unknown("a length that is not constant"))? as u64;
        let (to, from) =
            (self.encoder.points_to.targets(self.func, dst), self.encoder.points_to.targets(self.func, src));
        let mut words: Option<Vec<(u64, Width)>> = None;
        for &target in &to.places {
            for &source in &from.places {
                let these = self.encoder.layout.copy_words(target, source, len);
                let these = these.ok_or_else(|| unknown("memory that is cut in different ways"))?;
                if words.as_ref().is_some_and(|known| *known != these) {
                    return Err(unknown("memory that is cut in different ways"));
                }
                words = Some(these);
            }
        }
        let words = words.ok_or_else(|| Kind::Undefined("copy through a pointer to nothing".to_owned()))?;
        // All is read before anything is written: the two may be the same object.
        let mut values = Vec::new();
        for (n, (distance, width)) in (0..).zip(&words) {
            let value = self.load_at(partial, src, *distance, *width, None)?;
            let kept = self.symbol(Name::Scratch { thread: self.thread, n, width: *width });
            partial.block.push(Cmd::Assign(kept, value));
            values.push((*distance, self.terms.var_of(kept)));
        }
        values.into_iter().try_for_each(|(distance, value)| self.store_at(partial, dst, distance, value))
    }

    pub(crate) fn fill(&mut self, partial: &mut Partial, dst: &Expr, byte: &Expr, len: &Expr) -> Valued<()> {
        let unknown = |what: &str| Kind::Unsupported(format!("fill of {what}"));
        let len = len.as_const().ok_or_else(|| unknown("a length that is not constant"))? as u64;
        let byte = self.value(partial, byte)?;
        let targets = self.encoder.points_to.targets(self.func, dst);
        let mut words: Option<Vec<(u64, Width)>> = None;
        for &(site, offset) in &targets.places {
            let these = self.encoder.layout.fill_words(site, offset, len);
            let these = these.ok_or_else(|| unknown("memory that is cut in different ways"))?;
            if words.as_ref().is_some_and(|known| *known != these) {
                return Err(unknown("memory that is cut in different ways"));
            }
            words = Some(these);
        }
        let words = words.ok_or_else(|| Kind::Undefined("fill through a pointer to nothing".to_owned()))?;
        for (distance, width) in words {
            let mut value = byte;
            for _ in 1..width.bytes() {
                value = self.terms.concat(byte, value);
            }
            self.store_at(partial, dst, distance, value)?;
        }
        Ok(())
    }
}

impl Encoder<'_> {
    /// The variables of an object, each with where its bytes begin, their width and, for rows, stride and number.
    fn symbols_of(&mut self, terms: &mut Terms, object: Identity, size: u64) -> Vec<(Symbol, Extent)> {
        let names: Vec<(Name, Extent)> = match self.layout.site(site_of(object)) {
            SiteLayout::Scalars(scalars) => scalars.iter().map(|s| scalar_name(object, *s)).collect(),
            SiteLayout::Rows { rows, scalars, .. } => {
                let rows = rows.iter().map(|row| row_name(object, *row, size));
                scalars.iter().map(|s| scalar_name(object, *s)).chain(rows).collect()
            }
            SiteLayout::Bytes => {
                let row = Row { start: 0, stride: 1, width: Width::BYTE, count: Some(size) };
                vec![row_name(object, row, size)]
            }
        };
        names
            .into_iter()
            .map(|(name, extent)| (self.names.symbol(terms, self.program, name), extent))
            .collect()
    }

    /// A static object, or a thread's copy of it, gets its initial bytes.
    pub(crate) fn initialise(
        &mut self,
        terms: &mut Terms,
        block: &mut Vec<Cmd>,
        id: ObjectId,
        object: Identity,
    ) -> Result<(), Stop> {
        let data = &self.program.objects[id];
        let symbols = self.symbols_of(terms, object, data.size);
        if data.arbitrary {
            block.extend(symbols.into_iter().map(|(symbol, _)| Cmd::Havoc(symbol)));
            return Ok(());
        }
        let bytes = self.initial_bytes(id)?;
        let word = |offset: u64, width: Width| {
            let at = |n: u64| bytes.get((offset + n) as usize).copied().unwrap_or(0);
            (0..width.bytes()).rev().fold(0u128, |value, n| value << 8 | u128::from(at(n)))
        };
        let pointer = self.program.data_model.pointer().0;
        for (symbol, extent) in symbols {
            let value = match extent {
                Extent::Scalar(scalar) => terms.constant(word(scalar.offset, scalar.width), scalar.width.0),
                Extent::Row(row, count) => {
                    let zero = terms.constant(0, row.width.0);
                    let mut array = terms.const_array(pointer, zero);
                    for n in 0..count {
                        let offset = row.start + n * row.stride;
                        let value = word(offset, row.width);
                        if value != 0 {
                            let (index, value) = (
                                terms.constant(u128::from(offset), pointer),
                                terms.constant(value, row.width.0),
                            );
                            array = terms.store(array, index, value);
                        }
                    }
                    array
                }
            };
            block.push(Cmd::Assign(symbol, value));
        }
        Ok(())
    }

    fn initial_bytes(&self, id: ObjectId) -> Result<Vec<u8>, Stop> {
        let data = &self.program.objects[id];
        let mut bytes = data.bytes.clone();
        let word = self.program.data_model.pointer().bytes() as usize;
        for reloc in &data.relocs {
            let target = match reloc.target {
                RelocTarget::Func(func) => self.interp.function_address(func),
                RelocTarget::Object(id) => self.interp.address(Identity::Static(id))?,
            };
            let value = target.wrapping_add_signed(reloc.addend).to_le_bytes();
            let start = reloc.offset as usize;
            if bytes.len() < start + word {
                bytes.resize(start + word, 0);
            }
            bytes[start..start + word].copy_from_slice(&value[..word]);
        }
        Ok(bytes)
    }
}

/// Which bytes a variable holds.
enum Extent {
    Scalar(Scalar),
    Row(Row, u64),
}

fn scalar_name(object: Identity, scalar: Scalar) -> (Name, Extent) {
    (Name::Cell { object, offset: scalar.offset, width: scalar.width }, Extent::Scalar(scalar))
}

fn row_name(object: Identity, row: Row, size: u64) -> (Name, Extent) {
    let room = size.saturating_sub(row.start);
    let count = row.count.unwrap_or((room + row.stride - row.width.bytes()) / row.stride);
    (Name::Elements { object, start: row.start, width: row.width }, Extent::Row(row, count))
}

fn site_of(object: Identity) -> Site {
    match object {
        Identity::Static(id) | Identity::ThreadLocal(id, _) => Site::Static(id),
        Identity::Local { func, var, .. } => Site::Frame(func, var),
        Identity::Heap { site, .. } | Identity::Alloca { site, .. } => {
            Site::Heap(site.func, site.loc, site.op)
        }
    }
}

fn size_of(program: &program::Program, object: Identity) -> u64 {
    match object {
        Identity::Static(id) | Identity::ThreadLocal(id, _) => program.objects[id].size,
        Identity::Local { func, var, .. } => match program.functions[func].vars[var].kind {
            program::VarKind::Memory { size, .. } => size,
            program::VarKind::Register(_) => 0,
        },
        Identity::Heap { size, .. } | Identity::Alloca { size, .. } => size,
    }
}

/// What an address is computed from.
fn root(addr: &Expr) -> &Expr {
    match addr {
        Expr::Binary(program::BinOp::Add | program::BinOp::Sub, base, _) => root(base),
        other => other,
    }
}
