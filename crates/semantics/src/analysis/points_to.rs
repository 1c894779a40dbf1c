//! Which addresses can be where: a flow-insensitive, inclusion-based points-to analysis with offsets, after Andersen
//! (*Program analysis and specialization for the C programming language*, 1994).
//!
//! Every register of every function and every place in memory gets one abstract value for the whole run: the set of
//! addresses that it can be *or can be made from*: the least solution of inclusions between them.
//!
//! | module | part |
//! |---|---|
//! | `constraints` | what actions and expressions say about the inclusions |
//! | `graph` | the inclusions as a graph, along which what is new flows |
//! | `blobs` | what opaque functions can reach, as one object |
//! | `wild` | inputs that are taken for addresses |
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

mod blobs;
mod constraints;
mod graph;
mod opaque;
mod values;
mod wild;

pub use opaque::is_opaque;

use crate::analysis::numbers::Numbers;
use crate::analysis::offset::Offset;
use crate::analysis::value::{Site, Targets, Value};
use base::IdxVec;
use constraints::Constraints;
use program::{Action, BinOp, Callee, Expr, FuncId, LocId, Op, Program, RelocTarget, VarId, Width};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use values::{Shared, ValueId, Values};

/// The result of the analysis.
#[derive(Debug)]
pub struct PointsTo {
    /// The width of an address.
    pointer: Width,
    numbers: Numbers,
    registers: IdxVec<FuncId, IdxVec<VarId, Shared>>,
    /// The addresses held by each object, by offset and number of bytes.
    contents: BTreeMap<Site, BTreeMap<(Offset, u64), Shared>>,
    /// What was written to unknown addresses.
    anywhere: Shared,
    /// What threads end with, and are started with.
    between_threads: [Shared; 2],
    started: BTreeMap<(FuncId, LocId), Vec<FuncId>>,
    /// Functions whose address is taken: whom an unknown address can name.
    address_taken: Vec<FuncId>,
    /// What opaque functions can reach, if there is an environment: wild addresses lead to the environment's memory only.
    reached: Option<BTreeMap<(FuncId, LocId), Shared>>,
    /// What threads can reach that start in functions of the environment.
    foreign: BTreeMap<(FuncId, LocId), Shared>,
    /// The sites whose addresses are held in memory.
    in_memory: BTreeSet<Site>,
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
        let numbers = Numbers::of(program);
        let address_taken = address_taken(program);
        let solved = Constraints::solved(program, &numbers, &address_taken, has_environment);
        let mut values = Values::of(&solved);
        let mut registers: IdxVec<FuncId, IdxVec<VarId, Shared>> = IdxVec::new();
        for vars in solved.registers.iter() {
            registers.push(vars.iter().map(|node| values.of_node(*node)).collect());
        }
        let contents = values.contents();
        let anywhere = values.of_node(Some(solved.graph.anywhere));
        let held = contents.values().flat_map(BTreeMap::values).chain([&anywhere]);
        let held: BTreeMap<ValueId, &Shared> = held.map(|value| (value.id, value)).collect();
        let in_memory = held.into_values().flat_map(|value| value.places.keys().copied()).collect();
        let between_threads = [solved.results, solved.arguments].map(|node| values.of_node(Some(node)));
        let reached = has_environment.then(|| values.reached());
        let foreign = values.foreign();
        let started = solved.started;
        let pointer = program.data_model.pointer();
        PointsTo {
            pointer,
            numbers,
            registers,
            contents,
            anywhere,
            between_threads,
            started,
            address_taken,
            reached,
            foreign,
            in_memory,
        }
    }

    /// What the address `addr`, evaluated in `func`, can refer to.
    pub fn targets(&self, func: FuncId, addr: &Expr) -> Targets {
        let value = self.value(func, addr);
        Targets {
            places: value.places().collect(),
            functions: value.functions.iter().copied().collect(),
            unknown: value.wild && !self.has_environment(),
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

    /// The functions that the action at `loc` enters, or that an opaque one which it enters can call.
    pub fn entered_by(&self, func: FuncId, loc: LocId, action: &Action) -> Vec<FuncId> {
        let mut found = self.opaque_callees(func, loc);
        if let Action::Call { callee, .. } = action {
            found.extend(self.callees(func, callee));
            found.sort_unstable();
            found.dedup();
        }
        found
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

    /// Where an object holds addresses of objects, in how many bytes, and of which.
    pub fn addresses_in(&self, site: Site) -> impl Iterator<Item = (Offset, u64, BTreeSet<Site>)> {
        let held = self.contents.get(&site).into_iter().flatten();
        let held = held.filter(|(_, value)| value.has_address());
        held.map(|((offset, bytes), value)| (*offset, *bytes, value.places.keys().copied().collect()))
    }

    /// Whether an object may hold the address of a function.
    pub fn holds_functions(&self, site: Site) -> bool {
        let mut held = self.contents.get(&site).into_iter().flat_map(BTreeMap::values);
        held.any(|value| !value.functions.is_empty())
    }

    /// These sites, and all whose addresses they lead to.
    pub fn closure(&self, sites: BTreeSet<Site>) -> BTreeSet<Site> {
        let mut queue: Vec<Site> = sites.iter().copied().collect();
        let mut found = sites;
        // Many sites hold the same value.
        let mut seen: BTreeSet<ValueId> = BTreeSet::new();
        while let Some(site) = queue.pop() {
            for value in self.contents.get(&site).into_iter().flat_map(BTreeMap::values) {
                if seen.insert(value.id) {
                    queue.extend(value.places.keys().filter(|held| found.insert(**held)));
                }
            }
        }
        found
    }

    /// Whether an object, or memory that is not known, may hold the address of an object of `site`.
    pub fn is_in_memory(&self, site: Site) -> bool {
        self.in_memory.contains(&site)
    }

    /// The sites whose addresses threads hand to each other without memory: arguments, results, and what was written
    /// to unknown addresses.
    pub(super) fn handed_over(&self) -> impl Iterator<Item = Site> {
        let values = self.between_threads.iter().chain([&self.anywhere]);
        values.flat_map(|value| value.places.keys().copied())
    }

    fn has_environment(&self) -> bool {
        self.reached.is_some()
    }

    fn functions(&self, func: FuncId, addr: &Expr) -> Vec<FuncId> {
        let value = self.value(func, addr);
        if value.wild && !self.has_environment() {
            self.address_taken.clone()
        } else {
            value.functions.iter().copied().collect()
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
    fn value(&self, func: FuncId, e: &Expr) -> Cow<'_, Value> {
        match e {
            Expr::Const(..) | Expr::SelfHandle(_) | Expr::SameObject(..) => Cow::Owned(Value::default()),
            Expr::Reg(var, _) => Cow::Borrowed(&self.registers[func][*var]),
            Expr::LocalAddr(var, _) => Cow::Owned(Value::place(Site::Frame(func, *var), Offset::Exactly(0))),
            Expr::ObjectAddr(object, _) => {
                Cow::Owned(Value::place(Site::Static(*object), Offset::Exactly(0)))
            }
            Expr::FuncAddr(target, _) => Cow::Owned(Value::function(*target)),
            Expr::Load { addr, width, .. } => self.read(&self.value(func, addr), width.bytes()),
            Expr::Unary(_, e) => Cow::Owned(self.value(func, e).smeared()),
            Expr::Binary(op, l, r) => Cow::Owned(self.binary(func, *op, l, r)),
            Expr::Cast(_, to, e) => {
                let value = self.value(func, e);
                if e.width().min(*to) < self.pointer { Cow::Owned(value.smeared()) } else { value }
            }
            Expr::Ite(_, yes, no) => {
                Cow::Owned(self.value(func, yes).into_owned().joined(&self.value(func, no)))
            }
        }
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
    fn read(&self, addr: &Value, bytes: u64) -> Cow<'_, Value> {
        if addr.is_nothing() {
            return Cow::Owned(Value::default());
        }
        let mut found: Vec<(&Shared, bool)> = Vec::new();
        if (addr.wild || !self.has_environment()) && !self.anywhere.is_nothing() {
            found.push((&self.anywhere, true));
        }
        for (site, offset) in addr.places() {
            let Some(contents) = self.contents.get(&site) else { continue };
            for ((at, n_bytes), value) in contents {
                // Pieces of an address are smeared; whole ones are stored and loaded in place.
                let whole = *n_bytes == bytes;
                let known =
                    || found.iter().any(|(known, as_whole)| known.id == value.id && *as_whole == whole);
                if at.overlaps(*n_bytes, offset, bytes) && !known() {
                    found.push((value, whole));
                }
            }
        }
        if let ([(value, true)], false) = (&found[..], addr.wild) {
            return Cow::Borrowed(value);
        }
        let mut result = Value { wild: addr.wild, ..Value::default() };
        for (value, whole) in found {
            _ = if whole { result.join(value) } else { result.join(&value.smeared()) };
        }
        Cow::Owned(result)
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
