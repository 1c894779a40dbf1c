//! What each operation of a transaction does.

use super::bits::Bits;
use super::eval::Access;
use super::memory::Content;
use super::step::{Flow, Step, StepResult};
use super::{Choice, Event, Frame, Identity, Place, Site, Slot, identity};
use crate::memory_model::Demand;
use crate::{Expr, Op, Order, Storage, Undefined, UndefinedKind, VarId, VarKind, Width};
use base::convert::{count32, index, low8, low64};

impl Op {
    /// Returns true if this operation can block.
    pub fn can_block(&self) -> bool {
        matches!(self, Op::Guard(_) | Op::Join { .. } | Op::WaitEnd { .. })
    }
}

impl Step<'_, '_> {
    /// All operations in order.
    pub(super) fn ops(&mut self, ops: &[Op]) -> Flow<()> {
        (0..).zip(ops).try_for_each(|(n, op)| self.op(ops, n, op))
    }

    fn op(&mut self, ops: &[Op], n: u32, op: &Op) -> Flow<()> {
        match op {
            Op::Set { var, value } => {
                if let Some(bits) = self.stored_bits(value)? {
                    self.set_register_bits(*var, bits);
                    return Ok(());
                }
                let value = self.handed_on(value)?;
                self.set_register(*var, value);
            }
            Op::Store { addr, value, order } => self.store(ops, n, addr, value, *order)?,
            Op::Havoc { var } => self.havoc(*var)?,
            Op::Forget { var, alive } => self.forget(*var, *alive)?,
            Op::Guard(cond) => return self.demand(cond, StepResult::Blocked),
            Op::Assume(cond) => return self.demand(cond, StepResult::Pruned),
            Op::Copy { dst, src, len } => self.copy(dst, src, len)?,
            Op::Fill { dst, byte, len } => self.fill(dst, byte, len)?,
            Op::Alloc { var, size, storage, .. } => self.alloc(n, *var, size, *storage)?,
            Op::Realloc { var, ptr, size, stays } => self.realloc(n, *var, ptr, size, stays)?,
            Op::Free(addr) => self.free(addr)?,
            Op::AtomicBegin => {
                let depth = self.state.atomic.map_or(0, |(_, depth)| depth);
                self.state.atomic = Some((self.thread, depth + 1));
            }
            // Leaving a section that was never entered does nothing.
            Op::AtomicEnd => {
                let depth = self.state.atomic.map_or(0, |(_, depth)| depth);
                self.state.atomic = (depth > 1).then(|| (self.thread, depth - 1));
            }
            Op::Fence(barrier) => self.fence(self.interp.program().memory_model.fence(*barrier))?,
            Op::Signed { .. } => {}
            Op::Create { handle, func, arg } => self.create(n, *handle, func, arg)?,
            Op::Join { handle, result, error } => self.join(handle, *result, *error)?,
            Op::Detach { handle, error } => self.detach(handle, *error)?,
            Op::WaitBegin(cond) => self.wait_begin(cond)?,
            Op::WaitEnd { timed, woken } => self.wait_end(*timed, *woken)?,
            Op::Signal { cond, all } => self.signal(cond, *all)?,
        }
        Ok(())
    }

    fn demand(&mut self, cond: &Expr, otherwise: StepResult) -> Flow<()> {
        if self.value(cond)? != 0 { Ok(()) } else { Err(otherwise) }
    }

    fn store(&mut self, ops: &[Op], n: u32, addr: &Expr, value: &Expr, order: Order) -> Flow<()> {
        let address = self.value(addr)?;
        let width = value.width();
        if let Some(bits) = self.stored_bits(value)? {
            return self.store_bits((addr, address), bits, width, order);
        }
        let value = self.handed_on(value)?;
        let (slot, offset) = self.access(address, width.bytes(), Access::writing(addr))?;
        let buffers = self.interp.program().memory_model.has_buffers();
        if buffers && order != Order::Plain && !self.stores(ops, n as usize, slot, offset, width.bytes())? {
            return Ok(());
        }
        let bytes: Vec<_> = (0..width.bytes()).map(|at| value.map(|value| low8(value >> (8 * at)))).collect();
        let buffered = self.put(slot, offset, &bytes, order)?;
        self.tell(|interp| {
            let place = Place::Memory { object: interp.identity(slot), offset };
            Event::Write { place, value, width, order, buffered }
        });
        Ok(())
    }

    /// Sets a register to a value of which some bits may never have been set.
    fn set_register_bits(&mut self, var: VarId, bits: Bits) {
        self.set_register(var, (bits.unset == 0).then_some(bits.value));
        let func = self.frame().func;
        let VarKind::Register(width) = self.interp.program().functions[func].vars[var].kind else { return };
        let bits = Bits::new(width.truncate(bits.value), width.truncate(bits.unset));
        if bits.unset != 0 && bits.unset != width.mask() {
            self.running_mut().top_mut().expect("a running thread should have a frame").set_partly(var, bits);
        }
    }

    /// Stores a value of which some bits may never have been set.
    fn store_bits(
        &mut self,
        (addr, address): (&Expr, u128),
        bits: Bits,
        width: Width,
        order: Order,
    ) -> Flow<()> {
        let (slot, offset) = self.access(address, width.bytes(), Access::writing(addr))?;
        for at in 0..width.bytes() {
            let byte = |bits: u128| low8(bits >> (8 * at));
            self.content(slot).write_bits(offset + at, byte(bits.value), byte(bits.unset));
        }
        let value = (bits.unset == 0).then_some(bits.value);
        self.tell(|interp| {
            let place = Place::Memory { object: interp.identity(slot), offset };
            Event::Write { place, value, width, order, buffered: false }
        });
        Ok(())
    }

    fn havoc(&mut self, var: VarId) -> Flow<()> {
        let func = self.frame().func;
        let VarKind::Register(width) = self.interp.program().functions[func].vars[var].kind else {
            unreachable!("only registers are inputs")
        };
        let value = self.choose(width, Choice::Input(Place::Register { func, var }))?;
        self.set_register(var, Some(value));
        Ok(())
    }

    fn forget(&mut self, var: VarId, alive: bool) -> Flow<()> {
        let func = self.frame().func;
        let depth = count32(self.running().frames.len() - 1);
        match self.interp.program().functions[func].vars[var].kind {
            VarKind::Register(_) => self.set_register(var, None),
            VarKind::Memory { size, .. } => {
                let local = Identity::Local { thread: self.thread, depth, func, var };
                let slot =
                    self.interp.known_slot(local).expect("a variable of a live frame should have a slot");
                self.drop_entries(slot)?;
                if !alive {
                    self.state.memory.remove(slot);
                    return Ok(());
                }
                if self.interp.ends_in_scope(func, var) {
                    self.interp.forget_pointers(self.state, local, &mut []);
                }
                self.state.memory.insert(slot, Content::filled(size, None));
            }
        }
        Ok(())
    }

    fn copy(&mut self, dst: &Expr, src: &Expr, len: &Expr) -> Flow<()> {
        let (to, from) = (self.value(dst)?, self.value(src)?);
        let len = low64(self.value(len)?);
        if len == 0 {
            return Ok(());
        }
        let (src, src_offset) = self.access(from, len, Access::Read)?;
        let (dst, dst_offset) = self.access(to, len, Access::writing(dst))?;
        let (bytes, partly) = match self.running().forwarded(src, src_offset, len) {
            Some(Ok(bytes)) => (bytes, Vec::new()),
            Some(Err(_)) => return Err(StepResult::Blocked),
            None => {
                let content = self.content(src);
                (content.read(src_offset, len), content.partly_set(src_offset, len))
            }
        };
        if !self.put(dst, dst_offset, &bytes, Order::Plain)? {
            self.content(dst).write_partly_set(dst_offset, &partly);
        }
        self.tell(|interp| Event::Copied {
            dst: Place::Memory { object: interp.identity(dst), offset: dst_offset },
            src: Place::Memory { object: interp.identity(src), offset: src_offset },
            len,
        });
        Ok(())
    }

    fn fill(&mut self, dst: &Expr, byte: &Expr, len: &Expr) -> Flow<()> {
        let to = self.value(dst)?;
        let byte = low8(self.value(byte)?);
        let len = low64(self.value(len)?);
        if len == 0 {
            return Ok(());
        }
        let (slot, offset) = self.access(to, len, Access::writing(dst))?;
        if self.demand == Demand::Nothing {
            self.put(slot, offset, &vec![Some(byte); index(len)], Order::Plain)?;
        } else {
            self.content(slot).fill(offset, len, Some(byte));
        }
        self.tell(|interp| Event::Filled {
            dst: Place::Memory { object: interp.identity(slot), offset },
            len,
            byte,
        });
        Ok(())
    }

    fn alloc(&mut self, n: u32, var: VarId, size: &Expr, storage: Storage) -> Flow<()> {
        let (room, size) = (self.interp.room(size), low64(self.value(size)?));
        let slot = self.new_object(n, size, room, storage)?;
        self.set_register(var, Some(self.interp.base(slot).into()));
        Ok(())
    }

    fn realloc(&mut self, n: u32, var: VarId, ptr: &Expr, size: &Expr, stays: &Expr) -> Flow<()> {
        let address = low64(self.value(ptr)?);
        let (room, size) = (self.interp.room(size), low64(self.value(size)?));
        let stays = self.value(stays)? != 0;
        let old = self.heap_object(address, "realloc")?;
        // It may grow into the gap behind it.
        let fits = size <= identity::gap(self.interp.program().data_model) / 2;
        if let Some(old) = old.filter(|_| stays && fits) {
            let kept = self.content(old).size().min(size);
            let (bytes, partly) = (self.content(old).read(0, kept), self.content(old).partly_set(0, kept));
            self.drop_entries(old)?;
            self.state.memory.insert(old, Content::filled(size, None));
            self.content(old).write(0, &bytes);
            self.content(old).write_partly_set(0, &partly);
            self.tell(|interp| Event::Resized { object: interp.identity(old), size });
            self.set_register(var, Some(address.into()));
            return Ok(());
        }
        let slot = self.new_object(n, size, room, Storage::Heap)?;
        if let Some(old) = old {
            let kept = self.content(old).size().min(size);
            let (bytes, partly) = (self.content(old).read(0, kept), self.content(old).partly_set(0, kept));
            self.content(slot).write(0, &bytes);
            self.content(slot).write_partly_set(0, &partly);
            self.end_life(old)?;
        }
        self.set_register(var, Some(self.interp.base(slot).into()));
        Ok(())
    }

    fn free(&mut self, addr: &Expr) -> Flow<()> {
        let address = low64(self.value(addr)?);
        if let Some(slot) = self.heap_object(address, "free")? {
            self.end_life(slot)?;
        }
        Ok(())
    }

    /// A fresh object of indeterminate bytes, for operation `n` of this transaction.
    fn new_object(&mut self, n: u32, size: u64, room: u64, storage: Storage) -> Flow<Slot> {
        if size > self.interp.limits().allocation.min(room) {
            return Err(StepResult::Bound(format!("an allocation of {size} bytes")));
        }
        let (func, loc, thread) = (self.frame().func, self.frame().loc, self.thread);
        let site = Site { func, loc, op: n };
        let object = match storage {
            Storage::Heap | Storage::Library => {
                Identity::Heap { thread, site, count: self.running_mut().count(site), room }
            }
            Storage::Frame => {
                let count = count32(self.frame().allocas.iter().filter(|(s, _)| *s == site).count());
                let depth = count32(self.running().frames.len() - 1);
                Identity::Alloca { thread, depth, site, count, room }
            }
        };
        if storage == Storage::Frame {
            self.interp.forget_pointers(self.state, object, &mut []);
        }
        let slot = self.interp.slot(object)?;
        self.state.memory.insert(slot, Content::filled(size, None));
        if storage == Storage::Frame {
            let frame = self.running_mut().top_mut().expect("a running thread should have a frame");
            frame.allocas.push((site, slot));
        }
        self.tell(|_| Event::Allocated { object, size });
        Ok(slot)
    }

    /// The heap object whose life can be ended through `address`; nothing for a null pointer.
    fn heap_object(&self, address: u64, verb: &str) -> Flow<Option<Slot>> {
        if address == 0 {
            return Ok(None);
        }
        let undefined =
            |kind, what: String| Err(StepResult::Undefined(Undefined::new(kind, format!("{verb} {what}"))));
        let Some((slot, offset)) = self.interp.object_below(address) else {
            return undefined(
                UndefinedKind::InvalidFree,
                format!("of address {address:#x}, where no object is"),
            );
        };
        let object = self.interp.identity(slot);
        let name = self.interp.object_name(object);
        let undefined = |kind, what: String| {
            Err(StepResult::Undefined(Undefined::new(kind, format!("{verb} {what}")).about(object)))
        };
        match object {
            Identity::Heap { .. } if object.is_of_library(self.interp.program()) => {
                undefined(UndefinedKind::InvalidFree, format!("of `{name}`, which is the library's"))
            }
            Identity::Heap { .. } if offset == 0 && self.state.memory.get(slot).is_some() => Ok(Some(slot)),
            Identity::Heap { .. } if offset == 0 => {
                undefined(UndefinedKind::DoubleFree, format!("of `{name}`, which was freed before"))
            }
            Identity::Heap { .. } => {
                undefined(UndefinedKind::InvalidFree, format!("at offset {offset} of `{name}`"))
            }
            _ => undefined(UndefinedKind::InvalidFree, format!("of `{name}`, which is not on the heap")),
        }
    }

    fn end_life(&mut self, slot: Slot) -> Flow<()> {
        self.drop_entries(slot)?;
        self.state.memory.remove(slot);
        self.tell(|interp| Event::Freed { object: interp.identity(slot) });
        Ok(())
    }

    /// The objects of a frame are about to end their lives.
    pub(super) fn forget_frame(&mut self, depth: u32, frame: &Frame) -> Flow<()> {
        if !self.interp.program().memory_model.has_buffers() {
            return Ok(());
        }
        let vars = &self.interp.program().functions[frame.func].vars;
        for var in vars.ids().filter(|var| matches!(vars[*var].kind, VarKind::Memory { .. })) {
            let local = Identity::Local { thread: self.thread, depth, func: frame.func, var };
            if let Some(slot) = self.interp.known_slot(local) {
                self.drop_entries(slot)?;
            }
        }
        frame.allocas.iter().try_for_each(|(_, slot)| self.drop_entries(*slot))
    }

    pub(super) fn content(&mut self, slot: Slot) -> &mut Content {
        self.state.memory.get_mut(slot).expect("an accessible object should be alive")
    }
}
