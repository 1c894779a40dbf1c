//! Values of expressions in a state, and what an address refers to.
//!
//! Evaluation changes nothing. Where it meets something indeterminate it says what is [`Missing`]; the step then has
//! it chosen, stores the answer and evaluates again. That keeps the question "is this guard true?" free of
//! side effects, and lets later reads agree with earlier ones.
//!
//! Evaluation is lazy in one place: of a choice ([`Expr::Ite`]) only the side that is taken is evaluated, so
//! that `p ? *p : 0` is defined for a null `p`.

use super::memory::Content;
use super::{Event, Frame, Identity, Interp, Place, Slot, State, ThreadId, value};
use crate::{Expr, FuncId, Order, Undefined, UndefinedKind, VarId, Width};
use base::Idx;
use base::convert::{count32, low64};

/// Why an expression has no value (yet).
pub(super) enum Fault {
    /// Something indeterminate is read.
    Missing(Missing),
    /// C gives it no meaning.
    Undefined(Undefined),
    /// It has no model; the text says what.
    Unsupported(String),
    /// A store of the thread's own buffer has to reach memory first.
    Waits,
}

/// What has to be chosen before an evaluation can succeed.
#[derive(Clone, Copy, Debug)]
pub(super) enum Missing {
    /// A register of the innermost frame.
    Register(VarId, Width),
    /// The indeterminate ones of these bytes.
    Bytes { slot: Slot, offset: u64, len: u64 },
}

/// Which use of memory is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Access {
    Read,
    Write,
    /// A write to a variable of the running frame by its name, which may be a constant that is initialised.
    Initialise,
}

impl Access {
    /// A write to this address.
    pub(super) fn writing(addr: &Expr) -> Self {
        if addr.local_base().is_some() { Access::Initialise } else { Access::Write }
    }
}

/// Evaluates expressions for one thread in one state.
pub(super) struct Eval<'a, 'p> {
    interp: &'a Interp<'p>,
    state: &'a State,
    thread: ThreadId,
    frame: &'a Frame,
    depth: u32,
    /// Collects reads, if they are observed.
    reads: Option<&'a mut Vec<Event>>,
}

impl<'a, 'p> Eval<'a, 'p> {
    /// For a thread that has not finished.
    pub(super) fn new(
        interp: &'a Interp<'p>,
        state: &'a State,
        thread: ThreadId,
        reads: Option<&'a mut Vec<Event>>,
    ) -> Self {
        let running = state.thread(thread).expect("a running thread should be in the state");
        let frame = running.top().expect("a running thread should have a frame");
        Self { interp, state, thread, frame, depth: count32(running.frames().len() - 1), reads }
    }

    /// The value of `expr`.
    pub(super) fn value(&mut self, expr: &Expr) -> Result<u128, Fault> {
        match expr {
            Expr::Const(v, _) => Ok(*v),
            Expr::Reg(var, width) => self.register(*var, *width),
            Expr::LocalAddr(var, width) => {
                let func = self.frame.func;
                let local = Identity::Local { thread: self.thread, depth: self.depth, func, var: *var };
                Ok(width.truncate(self.address(local)))
            }
            Expr::ObjectAddr(object, width) => {
                let is_local = self.interp.program().objects[*object].thread_local;
                let shared = Identity::Static(*object);
                let identity = if is_local { Identity::ThreadLocal(*object, self.thread) } else { shared };
                Ok(width.truncate(self.address(identity)))
            }
            Expr::FuncAddr(func, width) => Ok(width.truncate(self.interp.function_address(*func).into())),
            Expr::SelfHandle(width) => Ok(width.truncate(Interp::handle(self.thread))),
            Expr::Load { addr, width, order } => self.load(addr, *width, *order),
            Expr::Unary(op, e) => Ok(value::unary(*op, self.value(e)?, e.width())),
            Expr::Binary(op, l, r) => Ok(value::binary(*op, self.value(l)?, self.value(r)?, l.width())),
            Expr::Cast(kind, to, e) => Ok(value::cast(*kind, self.value(e)?, e.width(), *to)),
            Expr::Ite(cond, yes, no) => {
                let taken = if self.value(cond)? != 0 { yes } else { no };
                self.value(taken)
            }
            Expr::SameObject(l, r) => {
                let (l, r) = (low64(self.value(l)?), low64(self.value(r)?));
                Ok(self.interp.are_in_one_object(self.state, l, r).into())
            }
        }
    }

    /// The address of an object that came to life with this thread or frame.
    fn address(&self, identity: Identity) -> u128 {
        self.interp.known_address(identity).expect("an object of a live frame should have an address").into()
    }

    fn register(&mut self, var: VarId, width: Width) -> Result<u128, Fault> {
        let known = self.frame.registers[var.index()];
        let value = known.ok_or(Fault::Missing(Missing::Register(var, width)))?;
        if let Some(reads) = &mut self.reads {
            let place = Place::Register { func: self.frame.func, var };
            reads.push(Event::Read { place, value, width, order: Order::Plain });
        }
        Ok(value)
    }

    fn load(&mut self, addr: &Expr, width: Width, order: Order) -> Result<u128, Fault> {
        let address = low64(self.value(addr)?);
        let len = width.bytes();
        let (slot, offset) = self.interp.access(self.state, address, len, Access::Read)?;
        let value = match self.forwarded(slot, offset, len)? {
            Some(bytes) => bytes.iter().rev().fold(0u128, |value, byte| value << 8 | u128::from(*byte)),
            None => self.memory_value(slot, offset, len)?,
        };
        let value = width.truncate(value);
        if let Some(reads) = &mut self.reads {
            let place = Place::Memory { object: self.interp.identity(slot), offset };
            reads.push(Event::Read { place, value, width, order });
        }
        Ok(value)
    }

    /// What the thread's own buffer has for a load.
    fn forwarded(&self, slot: Slot, offset: u64, len: u64) -> Result<Option<Vec<u8>>, Fault> {
        let running = self.state.thread(self.thread).filter(|thread| thread.has_buffered());
        let Some(bytes) = running.and_then(|thread| thread.forwarded(slot, offset, len)) else {
            return Ok(None);
        };
        let determinate: Option<Vec<u8>> = bytes?.into_iter().collect();
        let unknown =
            || Fault::Unsupported("a read of an indeterminate value from a store buffer".to_owned());
        determinate.map(Some).ok_or_else(unknown)
    }

    fn memory_value(&self, slot: Slot, offset: u64, len: u64) -> Result<u128, Fault> {
        let content = self.state.memory.get(slot).expect("an accessible object should be alive");
        let mut value = 0u128;
        for at in 0..len {
            let byte = content.byte(offset + at);
            let byte = byte.ok_or(Fault::Missing(Missing::Bytes { slot, offset, len }))?;
            value |= u128::from(byte) << (8 * at);
        }
        Ok(value)
    }
}

/// Addresses below this are members of, or elements at, a null pointer.
const NEAR_NULL: u64 = 4096;

impl Interp<'_> {
    /// The object and offset at which `len` bytes (at least one) can be accessed.
    pub(super) fn access(
        &self,
        state: &State,
        address: u64,
        len: u64,
        access: Access,
    ) -> Result<(Slot, u64), Fault> {
        let found = self.object_below(address);
        if let Some((slot, offset)) = found
            && let Some(content) = state.memory.get(slot)
            && offset.checked_add(len).is_some_and(|end| end <= content.size())
            && self.allows(slot, access)
        {
            return Ok((slot, offset));
        }
        Err(Fault::Undefined(self.bad_access(state, address, len, access)))
    }

    /// Returns true if two addresses are inside of one object, or just behind it; alive or not.
    fn are_in_one_object(&self, state: &State, left: u64, right: u64) -> bool {
        let object = |address: u64| {
            let (slot, offset) = self.object_below(address)?;
            let size = state.memory.get(slot).map_or_else(|| self.slot_size(slot), Content::size);
            (offset <= size).then_some(slot)
        };
        object(left).is_some_and(|slot| object(right) == Some(slot))
    }

    /// Says what is wrong with an access.
    fn bad_access(&self, state: &State, address: u64, len: u64, access: Access) -> Undefined {
        let verb = if access == Access::Read { "read" } else { "write" };
        let bytes = if len == 1 { "1 byte".to_owned() } else { format!("{len} bytes") };
        let what = format!("{verb} of {bytes}");
        let undefined = Undefined::new;
        if address < NEAR_NULL {
            let place = if address == 0 { String::new() } else { format!(" plus {address}") };
            return undefined(UndefinedKind::NullDereference, format!("{what} at null{place}"));
        }
        if let Some(func) = self.function_at(address) {
            let name = &self.program().functions[func].name;
            return undefined(UndefinedKind::WildPointer, format!("{what} at function `{name}`"));
        }
        if address >= self.dangling() {
            let what = format!("{what} at a variable of an earlier call");
            return undefined(UndefinedKind::UseAfterReturn, what);
        }
        let nowhere = format!("{what} at address {address:#x}, where no object is");
        let Some((slot, offset)) = self.object_below(address) else {
            return undefined(UndefinedKind::WildPointer, nowhere);
        };
        let name = self.object_name(self.identity(slot));
        let size = state.memory.get(slot).map_or_else(|| self.slot_size(slot), Content::size);
        if offset > size.saturating_add(size.max(64)) {
            // Too far away for the object below to be the one that was meant.
            return undefined(UndefinedKind::WildPointer, nowhere);
        }
        let undefined = |kind, what: String| Undefined::new(kind, what).about(self.identity(slot));
        let here = format!("{what} at offset {offset} of `{name}`");
        if state.memory.get(slot).is_none() {
            return match self.identity(slot) {
                Identity::Heap { .. } => {
                    undefined(UndefinedKind::UseAfterFree, format!("{here}, which was freed"))
                }
                Identity::Local { thread, depth, func, .. } if is_running(state, thread, depth, func) => {
                    undefined(UndefinedKind::UseAfterScope, format!("{here}, whose block was left"))
                }
                _ => undefined(UndefinedKind::UseAfterReturn, format!("{here}, which is not alive")),
            };
        }
        if offset.saturating_add(len) > size {
            return undefined(UndefinedKind::OutOfBounds, format!("{here} (size {size})"));
        }
        undefined(UndefinedKind::WriteToConstant, format!("{here}, which is read-only"))
    }
}

/// Returns true if a frame of this function is at this depth of the thread.
fn is_running(state: &State, thread: ThreadId, depth: u32, func: FuncId) -> bool {
    let frame = state.thread(thread).and_then(|thread| thread.frames().nth(depth as usize));
    frame.is_some_and(|frame| frame.func == func)
}
