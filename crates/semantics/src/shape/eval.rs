//! Values of expressions in an abstract heap.
//!
//! An expression may have several values, in heaps that differ: where a segment is accessed, its first object is [taken out](Heap::expose) of it; where a choice is
//! open, both sides are followed. Values of operands stay in [`Heap::operands`] while others are computed, so that they follow such changes.

use super::heap::{Address, Anchor, Background, End, Heap, Life, NodeId, Range, Shape, Value};
use super::plan::are_in;
use super::share;
use super::transfer::{Doubt, Doubts, Transfer};
use program::{BinOp, Cast, Expr, Order, Property, UnOp, Width};
use std::collections::BTreeSet;

/// All objects are aligned to this at least (`program::interp`).
const ALIGNED: u128 = 16;

/// No object has a smaller address (`program::interp`).
const NEAR_NULL: u128 = 4096;

/// Whether memory is read or written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Access {
    Read,
    Write,
    /// A write by a variable's name, which may be a constant that is initialised.
    Initialise,
}

/// Whether all bytes are in a field, or some, or none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Part {
    None,
    Some,
    Whole,
}

fn part_of(fields: &BTreeSet<(Anchor, u64, u64)>, heap: &Heap, to: Address, bytes: u64) -> Part {
    if fields.is_empty() || !heap.others.exist() {
        return Part::None;
    }
    let Some(anchor) = Transfer::anchor_of(heap, to.node) else { return Part::None };
    let place = (to.low, to.high.saturating_add_unsigned(bytes));
    match (are_in(fields, anchor, place, true), are_in(fields, anchor, place, false)) {
        (true, _) => Part::Whole,
        (false, true) => Part::Some,
        (false, false) => Part::None,
    }
}

impl Access {
    /// A write to this address.
    pub(super) fn writing(addr: &Expr) -> Self {
        if addr.local_base().is_some() { Access::Initialise } else { Access::Write }
    }
}

impl Transfer<'_> {
    /// Pushes the value of an expression to the operands, in each of the heaps that result.
    pub(super) fn value(&self, mut heap: Heap, e: &Expr) -> Doubts<Vec<Heap>> {
        let value = match e {
            Expr::Const(number, _) => Value::Number(*number),
            Expr::Reg(var, width) => self.register(&mut heap, *var, *width),
            Expr::LocalAddr(var, width) => match heap.frame().locals.get(var) {
                Some(node) => Value::Address(Address::start(*node)),
                None => heap.any(*width),
            },
            Expr::ObjectAddr(object, width) => match heap.anchors.get(&Anchor::Object(*object)) {
                Some(node) => Value::Address(Address::start(*node)),
                None => heap.any(*width),
            },
            Expr::FuncAddr(func, _) => Value::Function(*func),
            Expr::SelfHandle(width) => heap.number(share::handles(*width)),
            Expr::Load { addr, width, order } => return self.load(heap, addr, *width, *order),
            Expr::Unary(op, inner) => return self.each(heap, inner, |heap| unary(heap, *op, inner.width())),
            Expr::Binary(op, left, right) => return self.binary(heap, *op, left, right),
            Expr::Cast(Cast::Trunc, Width::INT, inner) if matches!(**inner, Expr::SelfHandle(_)) => {
                match heap.others.own {
                    Some(own) => own,
                    None => heap.number(share::own_handle()),
                }
            }
            Expr::Cast(kind, to, inner) => {
                return self.each(heap, inner, |heap| {
                    let operand = heap.pop();
                    let result = Range::cast(*kind, *to, heap.range(operand, inner.width()));
                    heap.push_number(result);
                });
            }
            Expr::Ite(cond, yes, no) => {
                let mut done = Vec::new();
                for (truth, taken) in [(true, yes), (false, no)] {
                    for heap in self.assume(heap.clone(), cond, truth)? {
                        done.extend(self.value(heap, taken)?);
                    }
                }
                return Ok(done);
            }
            Expr::SameObject(left, right) => return self.same_object(heap, left, right),
        };
        heap.operands.push(value);
        Ok(vec![heap])
    }

    fn each(&self, heap: Heap, inner: &Expr, change: impl Fn(&mut Heap)) -> Doubts<Vec<Heap>> {
        let mut heaps = self.value(heap, inner)?;
        heaps.iter_mut().for_each(change);
        Ok(heaps)
    }

    fn register(&self, heap: &mut Heap, var: program::VarId, width: Width) -> Value {
        let at = base::Idx::index(var);
        if let Some(value) = heap.frame().registers[at] {
            return value;
        }
        let value = heap.any(width);
        heap.frame_mut().registers[at] = Some(value);
        value
    }

    fn binary(&self, heap: Heap, op: BinOp, left: &Expr, right: &Expr) -> Doubts<Vec<Heap>> {
        if is_exact_sum(&heap, op, left, right, self) {
            return Ok(vec![heap.with(Value::Number(1))]);
        }
        let mut done = Vec::new();
        for heap in self.value(heap, left)? {
            for heap in self.value(heap, right)? {
                done.extend(combine(heap, op, left.width()));
            }
        }
        Ok(done)
    }

    /// Two addresses at known distances from the start of one object are inside of it, or not; of anything else nothing is known.
    fn same_object(&self, heap: Heap, left: &Expr, right: &Expr) -> Doubts<Vec<Heap>> {
        let mut done = Vec::new();
        for heap in self.value(heap, left)? {
            for mut heap in self.value(heap, right)? {
                let inside = |heap: &Heap, value: Value| match value {
                    Value::Address(a) => {
                        let size = heap.node(a.node).size;
                        let ends = [a.low, a.high].map(|end| u64::try_from(end).is_ok_and(|end| end <= size));
                        (ends == [true, true]).then_some((a.node, a.end))
                    }
                    Value::Number(_) | Value::Symbol(_) | Value::Function(_) => None,
                };
                let (right, left) = (heap.pop(), heap.pop());
                // Whether both ends of a segment are one object depends on its length.
                let value = match (inside(&heap, left), inside(&heap, right)) {
                    (Some(left), Some(right)) if left == right || left.0 != right.0 => {
                        Value::Number(u128::from(left == right))
                    }
                    _ => heap.any(Width::BOOL),
                };
                heap.operands.push(value);
                done.push(heap);
            }
        }
        Ok(done)
    }

    fn load(&self, heap: Heap, addr: &Expr, width: Width, order: Order) -> Doubts<Vec<Heap>> {
        let mut done = Vec::new();
        for heap in self.value(heap, addr)? {
            for mut heap in self.place(heap, 1, width.bytes(), Access::Read)? {
                let Value::Address(address) = heap.pop() else {
                    unreachable!("an accessed place should be an address")
                };
                self.may_race(&heap, address, width.bytes(), order)?;
                let value = self.read(&mut heap, address, width)?;
                heap.operands.push(value);
                done.push(heap);
            }
        }
        Ok(done)
    }

    /// The heaps in which the operand that is `depth` from the end is the address of a single object where so many bytes can be accessed.
    pub(super) fn place(&self, heap: Heap, depth: usize, bytes: u64, access: Access) -> Doubts<Vec<Heap>> {
        let mut done = Vec::new();
        let mut queue = vec![heap];
        while let Some(heap) = queue.pop() {
            let address = match heap.operands[heap.operands.len() - depth] {
                Value::Address(address) => address,
                Value::Number(number) if number < NEAR_NULL => {
                    return Err("an access at a null pointer".into());
                }
                Value::Number(_) | Value::Symbol(_) | Value::Function(_) => {
                    return Err("an access through a pointer of which nothing is known".into());
                }
            };
            if let Some(lock) = self.lock_at(&heap, address, bytes)? {
                match heap.transit.words.contains_key(&lock) {
                    true => done.push(heap),
                    false => queue.extend(self.values_of_lock(&heap, lock, access)),
                }
                continue;
            }
            let node = heap.node(address.node);
            if node.shape != Shape::Single {
                queue.extend(heap.expose(address.node, address.end));
                continue;
            }
            let (frozen, open) = (self.is_field(&heap, address, bytes), self.is_open(&heap, address, bytes));
            let reads = access == Access::Read;
            let is_known = match open {
                Part::Whole => true,
                Part::Some => reads && node.life != Life::Elsewhere,
                Part::None if reads => node.life != Life::Elsewhere || frozen == Part::Whole,
                Part::None => node.life != Life::Elsewhere && frozen == Part::None,
            };
            if !is_known {
                return Err(Doubt::of_access(&heap, address, bytes, access));
            }
            let end = address.high.checked_add_unsigned(bytes);
            let inside = address.low >= 0
                && end.is_some_and(|end| u64::try_from(end).is_ok_and(|end| end <= node.size));
            if !inside {
                return Err("an access outside of its object".into());
            }
            let constant = match access {
                Access::Read => false,
                Access::Write => {
                    matches!(node.life, Life::Static { writable: false } | Life::ConstantFrame)
                }
                Access::Initialise => node.life == (Life::Static { writable: false }),
            };
            if constant {
                return Err(Doubt::of_access(&heap, address, bytes, access));
            }
            done.push(heap);
        }
        Ok(done)
    }

    /// How many of these bytes are in a field to which no thread writes while there are several.
    fn is_field(&self, heap: &Heap, to: Address, bytes: u64) -> Part {
        self.plan.map_or(Part::None, |plan| part_of(&plan.fields, heap, to, bytes))
    }

    /// How many are in a field that all threads access.
    pub(super) fn is_open(&self, heap: &Heap, to: Address, bytes: u64) -> Part {
        self.plan.map_or(Part::None, |plan| part_of(&plan.open, heap, to, bytes))
    }

    /// A doubt if another thread may access the same bytes at the same time, and this is no atomic access.
    pub(super) fn may_race(&self, heap: &Heap, to: Address, bytes: u64, order: Order) -> Doubts<()> {
        let is_shared = self.lock_at(heap, to, bytes)?.is_some()
            || heap.node(to.node).life == Life::Open
            || self.is_open(heap, to, bytes) != Part::None;
        match self.property == Property::NoDataRace && order == Order::Plain && is_shared {
            true => Err("an access that may race".into()),
            false => Ok(()),
        }
    }

    /// The value at a place that can be accessed. What is not known yet is the same number when it is read again.
    fn read(&self, heap: &mut Heap, address: Address, width: Width) -> Doubts<Value> {
        let bytes = width.bytes();
        if let Some(lock) = self.lock_at(heap, address, bytes)? {
            let word = heap.transit.words.get(&lock).copied();
            return Ok(word.map_or_else(|| heap.any(width), |word| word.now));
        }
        if heap.node(address.node).life == Life::Open || self.is_open(heap, address, bytes) != Part::None {
            return Ok(heap.any(width));
        }
        let at = address.exact().and_then(|at| u64::try_from(at).ok());
        let known = at.and_then(|at| self.known(heap, address.node, at, bytes));
        if let Some(value) = known {
            return Ok(value);
        }
        let strict =
            self.program.strict_decisions && self.program.functions[heap.frame().func].decides_on_bytes();
        let node = heap.node(address.node);
        if strict
            && (node.background == Background::Unknown
                || node.cells.values().any(|cell| cell.value.is_none()))
        {
            return Err("a read of memory that was never set".into());
        }
        let Some(at) = at else { return Ok(heap.any(width)) };
        let value = heap.any(width);
        let node = heap.node(address.node);
        // A cell that holds more than these bytes is left as it is.
        if !node.is_touched(at, bytes) || node.cells.get(&at).is_some_and(|cell| cell.len == bytes) {
            heap.node_mut(address.node).write(at, bytes, Some(value));
        }
        Ok(value)
    }

    /// What is known of some bytes of a node.
    pub fn known(&self, heap: &Heap, id: NodeId, at: u64, bytes: u64) -> Option<Value> {
        let node = heap.node(id);
        if let Some((start, cell)) = node.covering(at, bytes) {
            return match cell.value? {
                value if (start, cell.len) == (at, bytes) => Some(value),
                Value::Number(0) => Some(Value::Number(0)),
                Value::Number(number) if cell.len <= 16 => {
                    Some(Value::Number(Width::of_bytes(bytes).truncate(number >> (8 * (at - start)))))
                }
                Value::Number(_) | Value::Symbol(_) | Value::Address(_) | Value::Function(_) => None,
            };
        }
        match node.background {
            _ if node.is_touched(at, bytes) => None,
            Background::Zero => Some(Value::Number(0)),
            Background::Initial(object) => self.initial_bytes(heap, object, at, bytes),
            Background::Unknown => None,
        }
    }

    /// Initial bytes of a static object.
    fn initial_bytes(&self, heap: &Heap, object: program::ObjectId, at: u64, bytes: u64) -> Option<Value> {
        let declared = &self.program.objects[object];
        let word = self.program.data_model.pointer().bytes();
        let overlapping = declared.relocs.iter().find(|r| r.offset < at + bytes && at < r.offset + word);
        let byte =
            |at: u64| usize::try_from(at).ok().and_then(|at| declared.bytes.get(at)).copied().unwrap_or(0);
        let number = (at..at + bytes).rev().fold(0u128, |number, at| number << 8 | u128::from(byte(at)));
        let Some(reloc) = overlapping else { return Some(Value::Number(number)) };
        if (reloc.offset, word) != (at, bytes) || number != 0 {
            return None;
        }
        match reloc.target {
            program::RelocTarget::Func(func) => (reloc.addend == 0).then_some(Value::Function(func)),
            program::RelocTarget::Object(target) => {
                let start = Address::start(*heap.anchors.get(&Anchor::Object(target))?);
                Some(Value::Address(Address { low: reloc.addend, high: reloc.addend, ..start }))
            }
        }
    }
}

impl Heap {
    /// Takes the last operand.
    pub(super) fn pop(&mut self) -> Value {
        self.operands.pop().expect("an operation should find its operands")
    }

    /// The heap with one more operand.
    pub(super) fn with(mut self, value: Value) -> Heap {
        self.operands.push(value);
        self
    }

    /// Pushes some number of a range.
    pub(super) fn push_number(&mut self, range: Range) {
        let value = self.number(range);
        self.operands.push(value);
    }
}

fn unary(heap: &mut Heap, op: UnOp, width: Width) {
    let operand = heap.pop();
    let result = Range::unary(op, heap.range(operand, width));
    heap.push_number(result);
}

/// The last two operands become the result of an operation.
fn combine(mut heap: Heap, op: BinOp, width: Width) -> Vec<Heap> {
    let (left, right) = (heap.operands[heap.operands.len() - 2], heap.operands[heap.operands.len() - 1]);
    if let (Value::Address(l), Value::Address(r)) = (left, right)
        && l.node == r.node
        && l.end != r.end
        && heap.node(l.node).shape != Shape::Single
    {
        // Whether both ends are one object depends on the length.
        return heap
            .expose(l.node, End::First)
            .into_iter()
            .flat_map(|heap| combine(heap, op, width))
            .collect();
    }
    heap.operands.truncate(heap.operands.len() - 2);
    let result = match (left, right) {
        (Value::Address(l), Value::Address(r)) => addresses(&heap, op, l, r, width),
        (Value::Address(address), number) if matches!(op, BinOp::Add | BinOp::Sub) => {
            shifted(&heap, op, address, number, width)
        }
        (number, Value::Address(address)) if op == BinOp::Add => shifted(&heap, op, address, number, width),
        (Value::Address(address), Value::Number(number))
        | (Value::Number(number), Value::Address(address))
            if number < NEAR_NULL && op.is_comparison() =>
        {
            let size = heap.node(address.node).size;
            let exists = address.low >= 0 && u64::try_from(address.high).is_ok_and(|high| high <= size);
            not_null(op, matches!(left, Value::Number(_))).filter(|_| exists)
        }
        (Value::Function(_), Value::Number(0)) | (Value::Number(0), Value::Function(_)) => {
            not_null(op, left == Value::Number(0))
        }
        (Value::Address(address), Value::Number(mask)) if op == BinOp::And && mask < ALIGNED => {
            address.exact().map(|at| Value::Number(u128::from(at.rem_euclid(16).unsigned_abs()) & mask))
        }
        (Value::Function(l), Value::Function(r)) => truth(op, l == r),
        (Value::Symbol(l), Value::Symbol(r)) if l == r => reflexive(op),
        (Value::Symbol(l), Value::Symbol(r)) => heap.tells(op, l, r).map(bit),
        _ => None,
    };
    match result {
        Some(value) => heap.operands.push(value),
        None => {
            let ranges = (heap.range(left, width), heap.range(right, width));
            heap.push_number(Range::binary(op, ranges.0, ranges.1));
        }
    }
    vec![heap]
}

fn bit(truth: bool) -> Value {
    Value::Number(u128::from(truth))
}

/// An equation, or its negation.
fn truth(op: BinOp, equal: bool) -> Option<Value> {
    match op {
        BinOp::Eq => Some(bit(equal)),
        BinOp::Ne => Some(bit(!equal)),
        _ => None,
    }
}

/// A comparison of a number with itself.
fn reflexive(op: BinOp) -> Option<Value> {
    match op {
        BinOp::Eq | BinOp::ULe | BinOp::SLe => Some(bit(true)),
        BinOp::Ne | BinOp::ULt | BinOp::SLt => Some(bit(false)),
        BinOp::Sub | BinOp::Xor => Some(Value::Number(0)),
        _ => None,
    }
}

/// A comparison with a null pointer, or a small number, of something that is none.
fn not_null(op: BinOp, null_is_left: bool) -> Option<Value> {
    match op {
        BinOp::Eq => Some(bit(false)),
        BinOp::Ne => Some(bit(true)),
        BinOp::ULt => Some(bit(null_is_left)),
        BinOp::ULe => Some(bit(null_is_left)),
        _ => None,
    }
}

fn addresses(heap: &Heap, op: BinOp, left: Address, right: Address, width: Width) -> Option<Value> {
    let inside = |address: Address| {
        let size = heap.node(address.node).size;
        address.low >= 0 && u64::try_from(address.high).is_ok_and(|high| high < size)
    };
    if left.node != right.node {
        return if inside(left) && inside(right) { truth(op, false) } else { None };
    }
    let (l, r) = (left.exact()?, right.exact()?);
    match op {
        BinOp::Eq | BinOp::Ne => truth(op, l == r),
        BinOp::Sub => Some(Value::Number(width.truncate((i128::from(l) - i128::from(r)).cast_unsigned()))),
        // Nothing is known of the order of places outside of an object.
        BinOp::ULt | BinOp::ULe => {
            let within = |at: i64| u64::try_from(at).is_ok_and(|at| at <= heap.node(left.node).size);
            let less = if op == BinOp::ULt { l < r } else { l <= r };
            (within(l) && within(r)).then_some(bit(less))
        }
        _ => None,
    }
}

/// An address and a number of bytes.
fn shifted(heap: &Heap, op: BinOp, address: Address, number: Value, width: Width) -> Option<Value> {
    let range = match number {
        Value::Number(_) | Value::Symbol(_) => heap.range(number, width),
        Value::Address(_) | Value::Function(_) => return None,
    };
    // Far away, sums would wrap around.
    const FAR: i128 = 1 << 30;
    if range.low < -FAR || range.high > FAR {
        return None;
    }
    let (low, high) = (i64::try_from(range.low).ok()?, i64::try_from(range.high).ok()?);
    let (low, high) = if op == BinOp::Sub { (-high, -low) } else { (low, high) };
    let (low, high) = (address.low.checked_add(low)?, address.high.checked_add(high)?);
    (i128::from(low.abs()) < FAR && i128::from(high.abs()) < FAR).then_some(Value::Address(Address {
        low,
        high,
        ..address
    }))
}

/// Returns true if this is the check of a sum, difference or product that fits: the result in twice the width equals the one that wraps around
/// (`program::passes::overflow`).
fn is_exact_sum(heap: &Heap, op: BinOp, left: &Expr, right: &Expr, transfer: &Transfer<'_>) -> bool {
    use program::Cast::Sext;
    let (Expr::Binary(wide_op, wide_l, wide_r), Expr::Cast(Sext, _, narrow)) = (left, right) else {
        return false;
    };
    let Expr::Binary(narrow_op, l, r) = &**narrow else { return false };
    let width = l.width();
    let widened = |wide: &Expr, e: &Expr| match (wide, e) {
        (Expr::Cast(Sext, _, inner), _) => **inner == *e,
        (Expr::Const(wide, _), Expr::Const(number, _)) => width.signed(*number) == left.width().signed(*wide),
        _ => false,
    };
    let same = op == BinOp::Eq && wide_op == narrow_op && widened(wide_l, l) && widened(wide_r, r);
    let arithmetic = matches!(narrow_op, BinOp::Add | BinOp::Sub | BinOp::Mul);
    if !same || !arithmetic || l.reads_memory() || r.reads_memory() || width == Width::BOOL {
        return false;
    }
    let range = |e: &Expr| {
        let [heap] = &transfer.value(heap.clone(), e).ok()?[..] else { return None };
        Some(heap.range(*heap.operands.last()?, e.width()))
    };
    let (Some(a), Some(b)) = (range(l), range(r)) else { return false };
    let wide = |range: Range| Range { width: left.width(), ..range };
    let exact = Range::binary(*narrow_op, wide(a), wide(b));
    let fits = Range::full(width);
    fits.low <= exact.low && exact.high <= fits.high
}
