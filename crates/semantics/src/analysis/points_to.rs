//! Which addresses can be where: a flow-insensitive, inclusion-based points-to analysis with offsets, after Andersen
//! (*Program analysis and specialization for the C programming language*, 1994).
//!
//! Every register of every function and every place in memory gets one abstract value for the whole run: the set of
//! addresses that it can be *or can be made from*. Transfer functions are applied to all actions until nothing changes
//! (`worklist`).
//!
//! | question | answered by |
//! |---|---|
//! | what can this address refer to? | [`PointsTo::targets`] |
//! | who can be called here? started here? | [`PointsTo::callees`], [`PointsTo::started_by`] |
//! | which addresses does an object hold? | `PointsTo::held_by` |
//!
//! # How values are made
//! - Adding a number to an address moves it; [`PointsTo::number`] says by what. Any other arithmetic *smears*: the result can be
//!   any place in the objects that went in. So pieces of a pointer (its bytes, its bits with a mark, two of them
//!   xor-ed) still name their objects when they are put together again.
//! - What is no address any more: comparisons, the low bits of an address, products, quotients and remainders. The latter are
//!   indices (a hash, or the scaled index of which it is not known that it holds no address).
//! - An input ([`Op::Havoc`], an `arbitrary` object) is *wild*: as an address it could be anything
//!   ([`Targets::unknown`]). Wild values added to an address are indices. What is written through a wild address can be
//!   read everywhere. Wildness is followed in a second phase, when it is known what is an address and what an index.
//! - With an *environment* ([`PointsTo::with_environment`]) an input is an address of the environment's own memory, or of what the program
//!   has handed to it: `opaque`.
//!
//! # Direction of error
//! Names too many targets, never too few, except for what C leaves undefined: accesses out of bounds that end up in another
//! object, uninitialised pointers, numbers made of constants that happen to be an object's address, and pointers
//! recovered from products, quotients or the *outcomes* of comparisons.

mod opaque;
mod worklist;

pub use opaque::is_opaque;

use crate::analysis::footprint::Extent;
use crate::analysis::numbers::Numbers;
use crate::analysis::offset::Offset;
use crate::analysis::value::{Site, Targets, Value};
use base::IdxVec;
use base::convert::count32;
use program::{
    Action, BinOp, Callee, Expr, FuncId, LocId, ObjectId, Op, Program, RelocTarget, VarId, VarKind, Width,
};
use std::collections::BTreeMap;

/// How many offsets of one object hold addresses before they are no longer kept apart.
const MAX_CONTENTS: usize = 256;

/// The result of the analysis.
#[derive(Debug)]
pub struct PointsTo {
    /// The width of an address.
    pointer: Width,
    numbers: Numbers,
    registers: IdxVec<FuncId, IdxVec<VarId, Value>>,
    /// The addresses held by each object, by offset and number of bytes.
    contents: BTreeMap<Site, BTreeMap<(Offset, u64), Value>>,
    /// What was written to unknown addresses.
    anywhere: Value,
    /// What each function returns.
    returned: IdxVec<FuncId, Value>,
    /// What threads end with.
    thread_results: Value,
    /// What threads are started with.
    thread_arguments: Value,
    started: BTreeMap<(FuncId, LocId), Vec<FuncId>>,
    /// Functions whose address is taken: whom an unknown address can name.
    address_taken: Vec<FuncId>,
    /// True if wild values are followed yet.
    follows_wild: bool,
    /// Whether wild addresses lead to the environment's memory only.
    has_environment: bool,
    /// What changed since it was last asked for.
    changes: Vec<worklist::Changed>,
}

impl PointsTo {
    /// Analyses a program.
    pub fn of(program: &Program) -> PointsTo {
        PointsTo::analysed(program, false)
    }

    /// Analyses a program in an environment that knows only the addresses that it was given.
    pub fn with_environment(program: &Program) -> PointsTo {
        PointsTo::analysed(program, true)
    }

    fn analysed(program: &Program, has_environment: bool) -> PointsTo {
        let registers = program.functions.iter().map(|f| f.vars.iter().map(|_| Value::default()).collect());
        let mut result = PointsTo {
            pointer: program.data_model.pointer(),
            numbers: Numbers::of(program),
            registers: registers.collect(),
            contents: BTreeMap::new(),
            anywhere: Value::default(),
            returned: program.functions.iter().map(|_| Value::default()).collect(),
            thread_results: Value::default(),
            thread_arguments: Value::default(),
            started: BTreeMap::new(),
            address_taken: address_taken(program),
            follows_wild: false,
            has_environment,
            changes: Vec::new(),
        };
        result.initial_contents(program);
        result.saturate(program);
        result.follows_wild = true;
        for (id, _) in program.objects.iter_enumerated().filter(|(_, object)| object.arbitrary) {
            result.write(Site::Static(id), Offset::Any, result.pointer.bytes(), &Value::wild());
        }
        result.saturate(program);
        result
    }

    /// What the address `addr`, evaluated in `func`, can refer to.
    pub fn targets(&self, func: FuncId, addr: &Expr) -> Targets {
        let value = self.value(func, addr);
        Targets {
            places: value.places().collect(),
            functions: value.functions.iter().copied().collect(),
            unknown: value.wild && !self.has_environment,
        }
    }

    /// Whether the address `addr`, evaluated in `func`, can be an input, whatever is assumed of inputs.
    pub fn is_wild(&self, func: FuncId, addr: &Expr) -> bool {
        self.value(func, addr).wild
    }

    /// Whether an action calls a function, or starts a thread in one, whose address can be an input.
    pub fn enters_anything(&self, func: FuncId, action: &Action) -> bool {
        match action {
            Action::Call { callee: Callee::Indirect(addr), .. } => self.is_wild(func, addr),
            Action::Ops { ops, .. } => {
                ops.iter().any(|op| matches!(op, Op::Create { func: start, .. } if self.is_wild(func, start)))
            }
            _ => false,
        }
    }

    /// The functions that a call in `func` can enter, sorted.
    pub fn callees(&self, func: FuncId, callee: &Callee) -> Vec<FuncId> {
        match callee {
            Callee::Direct(callee) => vec![*callee],
            Callee::Indirect(addr) => self.functions(func, addr),
        }
    }

    /// The functions that the action at `loc` can start threads of, sorted.
    pub fn started_by(&self, func: FuncId, loc: LocId) -> Vec<FuncId> {
        self.started.get(&(func, loc)).cloned().unwrap_or_default()
    }

    /// What is known of the value of `e`, in `func`, as a number.
    pub fn number(&self, func: FuncId, e: &Expr) -> Offset {
        self.numbers.of_expr(func, e)
    }

    /// All places where threads are started, with what they start.
    pub(super) fn starts(&self) -> impl Iterator<Item = (FuncId, LocId, &[FuncId])> {
        self.started.iter().map(|((func, loc), started)| (*func, *loc, &started[..]))
    }

    /// The sites whose addresses an object holds.
    pub fn held_by(&self, site: Site) -> impl Iterator<Item = Site> {
        let held = self.contents.get(&site).into_iter().flat_map(BTreeMap::values);
        held.flat_map(|value| value.places.keys().copied())
    }

    /// Whether an object, or memory that is not known, may hold the address of an object of `site`.
    pub fn is_in_memory(&self, site: Site) -> bool {
        let mut held = self.contents.values().flat_map(BTreeMap::values);
        self.anywhere.places.contains_key(&site) || held.any(|value| value.places.contains_key(&site))
    }

    /// The sites whose addresses threads hand to each other without memory: arguments, results, and what was written
    /// to unknown addresses.
    pub(super) fn handed_over(&self) -> impl Iterator<Item = Site> {
        let values = [&self.thread_arguments, &self.thread_results, &self.anywhere];
        values.into_iter().flat_map(|value| value.places.keys().copied())
    }

    fn functions(&self, func: FuncId, addr: &Expr) -> Vec<FuncId> {
        let value = self.value(func, addr);
        if value.wild && !self.has_environment {
            self.address_taken.clone()
        } else {
            value.functions.into_iter().collect()
        }
    }
}

/// Functions whose address stands in an expression or initialiser, sorted.
fn address_taken(program: &Program) -> Vec<FuncId> {
    let mut taken: Vec<FuncId> = Vec::new();
    let mut look = |e: &Expr| {
        e.walk(&mut |part| {
            if let Expr::FuncAddr(func, _) = part {
                taken.push(*func);
            }
        });
    };
    for location in program.functions.iter().flat_map(|f| f.locations.iter()) {
        match &location.action {
            Action::Ops { ops, .. } => ops.iter().flat_map(super::footprint::operands).for_each(&mut look),
            other => super::footprint::expressions(other).into_iter().for_each(&mut look),
        }
    }
    let relocs = program.objects.iter().flat_map(|o| &o.relocs).map(|reloc| reloc.target);
    taken.extend(relocs.filter_map(|t| if let RelocTarget::Func(func) = t { Some(func) } else { None }));
    taken.sort_unstable();
    taken.dedup();
    taken
}

/// Values of expressions.
impl PointsTo {
    fn value(&self, func: FuncId, e: &Expr) -> Value {
        match e {
            Expr::Const(..) | Expr::SelfHandle(_) => Value::default(),
            Expr::Reg(var, _) => self.registers[func][*var].clone(),
            Expr::LocalAddr(var, _) => Value::place(Site::Frame(func, *var), Offset::Exactly(0)),
            Expr::ObjectAddr(object, _) => Value::place(Site::Static(*object), Offset::Exactly(0)),
            Expr::FuncAddr(target, _) => Value::function(*target),
            Expr::Load { addr, width, .. } => self.read(&self.value(func, addr), width.bytes()),
            Expr::Unary(_, e) => self.value(func, e).smeared(),
            Expr::Binary(op, l, r) => self.binary(func, *op, l, r),
            Expr::Cast(_, to, e) => self.fit(self.value(func, e), e.width().min(*to)),
            Expr::Ite(_, yes, no) => self.value(func, yes).joined(&self.value(func, no)),
        }
    }

    /// `value` after it has passed through so many bits.
    fn fit(&self, value: Value, width: Width) -> Value {
        if width < self.pointer { value.smeared() } else { value }
    }

    fn binary(&self, func: FuncId, op: BinOp, l: &Expr, r: &Expr) -> Value {
        if op.is_comparison() {
            return Value::default();
        }
        let (left, right) = (self.value(func, l), self.value(func, r));
        let wild = (left.wild && !right.is_pointer()) || (right.wild && !left.is_pointer());
        let mut result = match op {
            BinOp::Add => left.moved(self.number(func, r)).joined(&right.moved(self.number(func, l))),
            BinOp::Sub => left.moved(Offset::Exactly(0).minus(self.number(func, r))).joined(&right.smeared()),
            BinOp::And if is_small(r) && !is_shifted(l) => Value::default(),
            BinOp::Mul | BinOp::UDiv | BinOp::SDiv | BinOp::URem | BinOp::SRem => Value::default(),
            _ => left.smeared().joined(&right.smeared()),
        };
        result.wild = wild;
        result
    }

    /// What can be read through `addr`.
    fn read(&self, addr: &Value, bytes: u64) -> Value {
        if addr.is_nothing() {
            return Value::default();
        }
        let reads_anywhere = addr.wild || !self.has_environment;
        let mut result = if reads_anywhere { self.anywhere.clone() } else { Value::default() };
        result.wild |= addr.wild;
        for (site, offset) in addr.places() {
            let Some(contents) = self.contents.get(&site) else { continue };
            for ((at, n_bytes), value) in contents {
                if !at.overlaps(*n_bytes, offset, bytes) {
                    continue;
                }
                // Pieces of an address are smeared; whole ones are stored and loaded in place.
                let whole = *n_bytes == bytes;
                if whole {
                    result.join(value)
                } else {
                    result.join(&value.smeared())
                };
            }
        }
        result
    }
}

/// Returns true if `e` is a constant below every object's address.
fn is_small(e: &Expr) -> bool {
    e.as_const().is_some_and(|value| value < 0x1000)
}

/// Returns true if `e` can be the upper bits of something, which a small mask would cut out of the middle.
fn is_shifted(e: &Expr) -> bool {
    let shifts = matches!(e, Expr::Binary(BinOp::LShr | BinOp::AShr, ..) | Expr::Reg(..) | Expr::Load { .. });
    shifts || e.children().any(is_shifted)
}

/// The fixed point.
impl PointsTo {
    fn initial_contents(&mut self, program: &Program) {
        let relocs = program.objects.iter_enumerated();
        let relocs = relocs.flat_map(|(id, object)| object.relocs.iter().map(move |reloc| (id, reloc)));
        let relocs: Vec<(ObjectId, _)> = relocs.collect();
        for (id, reloc) in relocs {
            let value = match reloc.target {
                RelocTarget::Object(target) => {
                    Value::place(Site::Static(target), Offset::Exactly(reloc.addend))
                }
                RelocTarget::Func(func) => Value::function(func),
            };
            let offset = Offset::Exactly(reloc.offset.cast_signed());
            self.write(Site::Static(id), offset, self.pointer.bytes(), &value);
        }
    }

    fn action(&mut self, program: &Program, func: FuncId, loc: LocId, action: &Action) {
        match action {
            Action::Ops { ops, .. } => {
                for (n, op) in ops.iter().enumerate() {
                    self.operation(program, func, loc, count32(n), op);
                }
            }
            Action::Call { callee, args, ret, .. } => self.call(program, func, callee, args, *ret),
            Action::Return(Some(result)) => {
                let value = self.fit(self.value(func, result), result.width());
                let is_start = self.started.values().any(|started| started.contains(&func));
                if is_start {
                    self.end_thread(&value);
                }
                self.give_back(func, &value);
            }
            Action::ThreadExit(result) => {
                let value = self.value(func, result);
                self.end_thread(&value);
            }
            Action::Unsupported(_) => self.opaque(program, func, loc),
            Action::Branch { .. }
            | Action::Return(None)
            | Action::Exit
            | Action::Error { .. }
            | Action::Undefined(_) => {}
        }
    }

    fn call(&mut self, program: &Program, func: FuncId, callee: &Callee, args: &[Expr], ret: Option<VarId>) {
        for callee in self.callees(func, callee) {
            for (param, arg) in program.functions[callee].params.iter().zip(args) {
                let value = self.value(func, arg);
                self.set(program, callee, *param, &value);
            }
            if let Some(var) = ret {
                let value = self.returned[callee].clone();
                self.set(program, func, var, &value);
            }
        }
        if let (Callee::Indirect(addr), Some(var), true) = (callee, ret, self.has_environment)
            && self.value(func, addr).wild
        {
            // A function of the environment, which may return what it was given.
            let given =
                args.iter().fold(Value::wild(), |all, arg| all.joined(&self.value(func, arg).smeared()));
            self.set(program, func, var, &given);
        }
    }

    fn operation(&mut self, program: &Program, func: FuncId, loc: LocId, n: u32, op: &Op) {
        match op {
            Op::Set { var, value } => {
                let value = self.value(func, value);
                self.set(program, func, *var, &value)
            }
            Op::Store { addr, value, .. } => {
                let stored = self.fit(self.value(func, value), value.width());
                self.store(&self.value(func, addr), value.width().bytes(), &stored)
            }
            Op::Havoc { var } if self.follows_wild => self.set(program, func, *var, &Value::wild()),
            Op::Copy { dst, src, len } => {
                let (dst, src) = (self.value(func, dst), self.value(func, src));
                self.copy(&dst, &src, Extent::Bytes(len).bytes())
            }
            Op::Fill { dst, byte, .. } => {
                let (dst, byte) = (self.value(func, dst).smeared(), self.value(func, byte).smeared());
                self.store(&dst, 1, &byte)
            }
            Op::Alloc { var, .. } => {
                let fresh = Value::place(Site::Heap(func, loc, n), Offset::Exactly(0));
                self.set(program, func, *var, &fresh)
            }
            Op::Realloc { var, ptr, stays, .. } => {
                let fresh = Value::place(Site::Heap(func, loc, n), Offset::Exactly(0));
                let old = self.value(func, ptr);
                self.copy(&fresh, &old, None);
                self.set(program, func, *var, &fresh);
                if stays.as_const() != Some(0) {
                    self.set(program, func, *var, &old);
                }
            }
            Op::Create { func: start, arg, .. } => self.create(program, func, loc, start, arg),
            Op::Join { result, .. } => {
                let value = self.thread_results.clone();
                self.set(program, func, *result, &value)
            }
            Op::Havoc { .. }
            | Op::Forget { .. }
            | Op::Guard(_)
            | Op::Assume(_)
            | Op::Free(_)
            | Op::AtomicBegin
            | Op::AtomicEnd
            | Op::Fence(_)
            | Op::Signed { .. }
            | Op::Detach { .. }
            | Op::WaitBegin(_)
            | Op::WaitEnd { .. }
            | Op::Signal { .. } => {}
        }
    }

    fn create(&mut self, program: &Program, func: FuncId, loc: LocId, start: &Expr, arg: &Expr) {
        let value = self.value(func, arg);
        self.thread_arguments.join(&value);
        for callee in self.functions(func, start) {
            let started = self.started.entry((func, loc)).or_default();
            if let Err(at) = started.binary_search(&callee) {
                started.insert(at, callee);
                self.changes.push(worklist::Changed::Started(callee));
            }
            if let Some(param) = program.functions[callee].params.first() {
                self.set(program, callee, *param, &value);
            }
        }
    }

    fn set(&mut self, program: &Program, func: FuncId, var: VarId, value: &Value) {
        if value.is_nothing() {
            return;
        }
        let changed = match program.functions[func].vars[var].kind {
            VarKind::Register(width) if width < self.pointer => {
                self.registers[func][var].join(&value.smeared())
            }
            VarKind::Register(_) => self.registers[func][var].join(value),
            VarKind::Memory { .. } => false,
        };
        if changed {
            self.changes.push(worklist::Changed::Register(func, var));
        }
    }

    fn give_back(&mut self, func: FuncId, value: &Value) {
        if self.returned[func].join(value) {
            self.changes.push(worklist::Changed::Returned(func));
        }
    }

    fn end_thread(&mut self, value: &Value) {
        if self.thread_results.join(value) {
            self.changes.push(worklist::Changed::Results);
        }
    }

    fn store(&mut self, addr: &Value, bytes: u64, value: &Value) {
        if value.is_nothing() {
            return;
        }
        if addr.wild {
            self.write_anywhere(value);
        }
        for (site, offset) in addr.places() {
            self.write(site, offset, bytes, value);
        }
    }

    fn write_anywhere(&mut self, value: &Value) {
        if self.anywhere.join(value) {
            self.changes.push(worklist::Changed::Anywhere);
        }
    }

    fn write(&mut self, site: Site, offset: Offset, bytes: u64, value: &Value) {
        let contents = self.contents.entry(site).or_default();
        // Copies within an object could make ever more offsets.
        let full = contents.len() >= MAX_CONTENTS && !contents.contains_key(&(offset, bytes));
        let offset = if full { Offset::Any } else { offset };
        if contents.entry((offset, bytes)).or_default().join(value) {
            self.changes.push(worklist::Changed::Contents(site));
        }
    }

    /// Copies what lies in a number of bytes (all, if it is not known how many).
    fn copy(&mut self, dst: &Value, src: &Value, len: Option<u64>) {
        let mut moved: Vec<(Option<Offset>, u64, Value)> = Vec::new();
        for (site, offset) in src.places() {
            let contents = self.contents.get(&site).into_iter().flatten();
            for ((at, bytes), value) in contents {
                if at.overlaps(*bytes, offset, len.unwrap_or(super::offset::WHOLE)) {
                    moved.push((Some(at.minus(offset)), *bytes, value.clone()));
                }
            }
        }
        let reads_anywhere = src.wild || !self.has_environment;
        let loose = if reads_anywhere { self.anywhere.clone() } else { Value::default() };
        let loose = Value { wild: loose.wild || src.wild, ..loose };
        if !loose.is_nothing() {
            moved.push((None, self.pointer.bytes(), loose));
        }
        for (distance, bytes, value) in &moved {
            if dst.wild {
                self.write_anywhere(value);
            }
            for (site, offset) in dst.places() {
                let at = distance.map_or(Offset::Any, |distance| offset.plus(distance));
                self.write(site, at, *bytes, value);
            }
        }
    }
}
