//! Lives of objects: their variables, what these begin with, and how large an object is.
//!
//! Most objects have a size that is known. One that is allocated with a size that is not constant has a variable for it
//! ([`Name::Size`]), and its cells are those that lie below that size. It takes up as much of the address space as it could need at most
//! ([`Interp::room`](program::interp::Interp::room)), so that its address does not depend on its size; a larger allocation
//! is a bound reached, here as in the interpreter.

use crate::analysis::{ArrayRegion, ScalarCell, Site, SitePartition};
use crate::encoding::encode::{Encoder, Encoding, Partial, SuccessorKind, Valued};
use crate::encoding::names::Name;
use base::Inconclusive;
use base::convert::index;
use logic::path::Cmd;
use logic::{Symbol, Term, Terms};
use program::interp::{self, Identity};
use program::{Action, Expr, ObjectId, Op, Program, RelocTarget, Storage, VarId, Width};

impl<'p> Encoding<'_, 'p> {
    /// All bytes of an object become indeterminate.
    pub(crate) fn forget_object(&mut self, partial: &mut Partial, object: Identity) -> Valued<()> {
        let symbols = self.encoder.symbols_of(self.terms, object);
        partial.block.extend(symbols.into_iter().map(|(symbol, _)| Cmd::Havoc(symbol)));
        self.mark_object(partial, object, false);
        Ok(())
    }

    /// Makes an object.
    pub(crate) fn alloc(
        &mut self,
        partial: &mut Partial,
        var: VarId,
        size: &Expr,
        storage: Storage,
        op: u32,
    ) -> Valued<Identity> {
        let bytes = self.value(partial, size)?;
        let room = self.encoder.interp.room(size);
        // Formulas do not mind how large an object is, as long as it has room.
        let most =
            if size.as_const().is_some() { room.min(self.encoder.interp.limits().allocation) } else { room };
        let most = self.terms.constant(u128::from(most), self.pointer().0);
        let too_large = self.terms.ugt(bytes, most);
        self.stray(partial, too_large, SuccessorKind::Bound("an allocation of too many bytes".to_owned()));
        let small_enough = self.terms.not(too_large);
        self.assume(partial, small_enough);
        let object = self.new_object(partial, size, storage, op);
        if storage == Storage::Frame {
            self.no_stale_pointer(partial, object, &[])?;
        }
        partial.control.add_object(object);
        self.forget_object(partial, object)?;
        self.set_alive(partial, object, true);
        if self.size_varies(object) {
            let symbol = self.symbol(Name::Size(object));
            partial.block.push(Cmd::Assign(symbol, bytes));
        }
        let address = self.object_address(object)?;
        self.set_register(partial, var, address);
        Ok(object)
    }

    /// The identity of the object that operation `op` of this thread's action allocates.
    fn new_object(&mut self, partial: &mut Partial, size: &Expr, storage: Storage, op: u32) -> Identity {
        let thread = self.thread;
        let running = partial.control.thread_mut(thread);
        let (at, depth) = (running.top(), running.depth());
        let site = interp::Site { func: at.func, loc: at.loc, op };
        let room = self.encoder.interp.room(size);
        match storage {
            Storage::Heap | Storage::Library => {
                Identity::Heap { thread, site, count: running.count(site), room }
            }
            Storage::Frame => {
                let count = partial.control.n_allocas(thread, depth, site);
                Identity::Alloca { thread, depth, site, count, room }
            }
        }
    }

    /// How many bytes an object has.
    pub(crate) fn size(&mut self, object: Identity) -> Term {
        if self.size_varies(object) {
            let symbol = self.symbol(Name::Size(object));
            return self.terms.var_of(symbol);
        }
        self.terms.constant(u128::from(self.size_of(object)), self.pointer().0)
    }

    /// Returns true if an object's size is not known beforehand.
    pub(crate) fn size_varies(&self, object: Identity) -> bool {
        size_varies(self.encoder.program, object)
    }

    /// How many bytes an object can have at most.
    pub(crate) fn size_of(&self, object: Identity) -> u64 {
        size_of(self.encoder.program, object)
    }
}

impl Encoder<'_> {
    /// The variables of an object, each with where its bytes begin, their width and, for rows, stride and number.
    pub(crate) fn symbols_of(&mut self, terms: &mut Terms, object: Identity) -> Vec<(Symbol, Extent)> {
        let size = size_of(self.program, object);
        let names: Vec<(Name, Extent)> = match self.analysis.layout.site(site_of(object)) {
            SitePartition::Scalars(scalars) => scalars.iter().map(|s| scalar_name(object, *s)).collect(),
            SitePartition::Rows { rows, scalars, .. } => {
                let rows = rows.iter().map(|row| row_name(object, *row, size));
                scalars.iter().map(|s| scalar_name(object, *s)).chain(rows).collect()
            }
            SitePartition::Bytes => {
                let row = ArrayRegion { start: 0, stride: 1, width: Width::BYTE, count: Some(size) };
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
    ) -> Result<(), Inconclusive> {
        let data = &self.program.objects[id];
        let symbols = self.symbols_of(terms, object);
        block.extend(self.marks_of(terms, object, true));
        if data.arbitrary {
            block.extend(symbols.into_iter().map(|(symbol, _)| Cmd::Havoc(symbol)));
            return Ok(());
        }
        let bytes = self.initial_bytes(id)?;
        let word = |offset: u64, width: Width| {
            let at = |n: u64| bytes.get(index(offset + n)).copied().unwrap_or(0);
            (0..width.bytes()).rev().fold(0u128, |value, n| value << 8 | u128::from(at(n)))
        };
        let pointer = self.program.data_model.pointer().0;
        for (symbol, extent) in symbols {
            let value = match extent {
                Extent::ScalarCell(scalar) => {
                    terms.constant(word(scalar.offset, scalar.width), scalar.width.0)
                }
                Extent::ArrayRegion(row, count) => {
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

    fn initial_bytes(&self, id: ObjectId) -> Result<Vec<u8>, Inconclusive> {
        let data = &self.program.objects[id];
        let mut bytes = data.bytes.clone();
        let word = index(self.program.data_model.pointer().bytes());
        for reloc in &data.relocs {
            let target = match reloc.target {
                RelocTarget::Func(func) => self.interp.function_address(func),
                RelocTarget::Object(id) => self.interp.address(Identity::Static(id))?,
            };
            let value = target.wrapping_add_signed(reloc.addend).to_le_bytes();
            let start = index(reloc.offset);
            if bytes.len() < start + word {
                bytes.resize(start + word, 0);
            }
            bytes[start..start + word].copy_from_slice(&value[..word]);
        }
        Ok(bytes)
    }
}

/// Which bytes a variable holds.
pub(crate) enum Extent {
    /// One cell.
    ScalarCell(ScalarCell),
    /// A row of so many cells.
    ArrayRegion(ArrayRegion, u64),
}

fn scalar_name(object: Identity, scalar: ScalarCell) -> (Name, Extent) {
    (Name::Cell { object, offset: scalar.offset, width: scalar.width }, Extent::ScalarCell(scalar))
}

fn row_name(object: Identity, row: ArrayRegion, size: u64) -> (Name, Extent) {
    let room = size.saturating_sub(row.start);
    let count = row.count.unwrap_or((room + row.stride - row.width.bytes()) / row.stride);
    (Name::Elements { object, start: row.start, width: row.width }, Extent::ArrayRegion(row, count))
}

/// Where an object comes from.
pub fn site_of(object: Identity) -> Site {
    match object {
        Identity::Static(id) | Identity::ThreadLocal(id, _) => Site::Static(id),
        Identity::Local { func, var, .. } => Site::Frame(func, var),
        Identity::Heap { site, .. } | Identity::Alloca { site, .. } => {
            Site::Heap(site.func, site.loc, site.op)
        }
    }
}

fn size_of(program: &Program, object: Identity) -> u64 {
    match object {
        Identity::Static(id) | Identity::ThreadLocal(id, _) => program.objects[id].size,
        Identity::Local { func, var, .. } => match program.functions[func].vars[var].kind {
            program::VarKind::Memory { size, .. } => size,
            program::VarKind::Register(_) => 0,
        },
        Identity::Heap { room, .. } | Identity::Alloca { room, .. } => room,
    }
}

fn size_varies(program: &Program, object: Identity) -> bool {
    let (Identity::Heap { site, .. } | Identity::Alloca { site, .. }) = object else { return false };
    let Action::Ops { ops, .. } = &program.functions[site.func].locations[site.loc].action else {
        return false;
    };
    let op = ops.get(site.op as usize);
    matches!(op, Some(Op::Alloc { size, .. } | Op::Realloc { size, .. }) if size.as_const().is_none())
}
