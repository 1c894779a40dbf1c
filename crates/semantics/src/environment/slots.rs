//! Slots: where objects that undefined functions may come to know are found at run time.
//!
//! A static object has one slot with a constant address. The objects of any other site have a few, each of which holds the address of a live
//! object or is empty. An object that finds no empty slot when it begins to live is *untracked*; that there was one, is remembered for ever.
//!
//! # Invariants
//! - A slot that is not empty holds the address of a live object of its site, and no two slots hold the same.
//! - An empty slot is not marked as known.
//! - If there was no untracked object, all live objects of the site are in its slots.
//!
//! The words of slots are accessed atomically, together with the operation that begins or ends the object's life, so that no race is
//! made. (The variables of a frame are entered by a step of their own when the function begins, before anything can have their addresses.)

use super::plan::{Plan, name_of};
use crate::analysis::Site;
use base::{IdxVec, Span};
use program::{
    Action, BinOp, Expr, FuncId, Function, LocId, Location, Object, ObjectId, Op, Order, Program, RECORD,
    Var, VarId, VarKind, Width,
};
use std::collections::BTreeMap;

/// The number of slots of a site with several objects.
const N_SLOTS: usize = 2;

/// All slots, by site.
pub(super) struct Slots {
    by_site: BTreeMap<Site, SiteSlots>,
    pointer: Width,
    /// A word of unknown contents that is never written.
    pub(super) word: ObjectId,
    /// More than a word of unknown contents.
    pub(super) anything: ObjectId,
}

/// The slots of one site.
pub(super) struct SiteSlots {
    pub(super) slots: Vec<Slot>,
    /// Whether there was an object without a slot; `None` if that cannot be.
    untracked: Option<ObjectId>,
}

/// One slot.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Slot {
    /// A static object, or the word that holds the address.
    address: Address,
    /// The byte that says whether undefined functions know the object.
    known: ObjectId,
    size: Size,
    pointer: Width,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Address {
    Of(ObjectId),
    In(ObjectId),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Size {
    Constant(u64),
    In(ObjectId),
}

impl Slot {
    /// The address of its object, null if it is empty.
    pub(super) fn address(&self) -> Expr {
        match self.address {
            Address::Of(object) => Expr::ObjectAddr(object, self.pointer),
            Address::In(word) => load(word, self.pointer, self.pointer),
        }
    }

    /// Whether its object is known.
    pub(super) fn is_known(&self) -> Expr {
        let zero = Expr::constant(0, Width::BYTE);
        Expr::binary(BinOp::Ne, load(self.known, Width::BYTE, self.pointer), zero)
    }

    /// Makes its object known if a condition holds.
    pub(super) fn learn(&self, cond: Expr) -> Op {
        let known = load(self.known, Width::BYTE, self.pointer);
        store(self.known, Expr::ite(cond, Expr::constant(1, Width::BYTE), known), self.pointer)
    }

    /// The number of bytes of its object.
    pub(super) fn size(&self) -> Expr {
        match self.size {
            Size::Constant(size) => Expr::constant(size.into(), self.pointer),
            Size::In(word) => load(word, self.pointer, self.pointer),
        }
    }

    /// Returns true if it is that of a static object, which is never empty.
    pub(super) fn is_static(&self) -> bool {
        matches!(self.address, Address::Of(_))
    }

    /// Whether a pointer leads to its object, or just behind it.
    pub(super) fn is_target_of(&self, pointer: &Expr) -> Expr {
        let distance = Expr::binary(BinOp::Sub, pointer.clone(), self.address());
        let inside = Expr::binary(BinOp::ULe, distance, self.size());
        if self.is_static() {
            return inside;
        }
        let null = Expr::constant(0, self.pointer);
        Expr::binary(BinOp::And, Expr::binary(BinOp::Ne, self.address(), null), inside)
    }
}

impl SiteSlots {
    /// Whether there was an object without a slot; `None` if that cannot be.
    pub(super) fn is_untracked(&self) -> Option<Expr> {
        let object = self.untracked?;
        let pointer = self.slots.first()?.pointer;
        let zero = Expr::constant(0, Width::BYTE);
        Some(Expr::binary(BinOp::Ne, load(object, Width::BYTE, pointer), zero))
    }
}

impl Slots {
    /// Makes the slots that a plan needs.
    pub(super) fn declare(program: &mut Program, plan: &Plan) -> Slots {
        let pointer = program.data_model.pointer();
        let mut arbitrary = |name: &str, size: u64| {
            let object = object(program, format!("{RECORD}{name}"), size);
            program.objects[object].read_only = true;
            program.objects[object].arbitrary = true;
            object
        };
        let (word, anything) =
            (arbitrary("word", pointer.bytes()), arbitrary("anything", 2 * pointer.bytes()));
        let mut by_site = BTreeMap::new();
        for (site, contents) in &plan.sites {
            let site_slots = declare_site(program, *site, contents.size);
            by_site.insert(*site, site_slots);
        }
        Slots { by_site, pointer, word, anything }
    }

    /// The slots of a site.
    pub(super) fn of(&self, site: Site) -> Option<&SiteSlots> {
        self.by_site.get(&site)
    }

    /// All slots, with the sites of their objects.
    pub(super) fn all(&self) -> impl Iterator<Item = (Site, &Slot)> {
        self.by_site.iter().flat_map(|(site, of)| of.slots.iter().map(move |slot| (*site, slot)))
    }

    /// Enters objects into slots when they begin to live, and removes them when they end.
    pub(super) fn keep_record(&self, result: &mut Program, program: &Program) {
        for (func, original) in program.functions.iter_enumerated() {
            for (loc, location) in original.locations.iter_enumerated() {
                if let Action::Ops { ops, sync, next } = &location.action {
                    let mut record = Record { slots: self, func, function: &mut result.functions[func] };
                    if let Some(ops) = record.followed(loc, ops) {
                        result.functions[func].locations[loc].action =
                            Action::Ops { ops, sync: sync.clone(), next: *next };
                    }
                }
            }
            self.frame(&mut result.functions[func], func, original);
        }
    }

    /// The variables of a frame begin to live when the function begins, and end when it returns.
    fn frame(&self, function: &mut Function, func: FuncId, original: &Function) {
        let sites = self.by_site.keys();
        let vars: Vec<VarId> = sites
            .filter_map(|site| match site {
                Site::Frame(of, var) if *of == func => Some(*var),
                _ => None,
            })
            .collect();
        let mut record = Record { slots: self, func, function };
        let (mut births, mut deaths) = (Vec::new(), Vec::new());
        for var in &vars {
            let address = Expr::LocalAddr(*var, self.pointer);
            let of = &self.by_site[&Site::Frame(func, *var)];
            if !ends_in_scope(original, *var) {
                record.birth(of, &address, None, &mut births);
            }
            record.death(of, &address, &mut deaths);
        }
        if !births.is_empty() {
            let (next, span) = (function.entry, function.span);
            let action = Action::Ops { ops: births, sync: None, next };
            function.entry = function.locations.push(Location { action, span });
        }
        if deaths.is_empty() {
            return;
        }
        let returns: Vec<LocId> = original
            .locations
            .iter_enumerated()
            .filter_map(|(loc, location)| matches!(location.action, Action::Return(_)).then_some(loc))
            .collect();
        for loc in returns {
            let next = function.locations.push(function.locations[loc].clone());
            function.locations[loc].action = Action::Ops { ops: deaths.clone(), sync: None, next };
        }
    }
}

/// Returns true if the life of a variable ends before that of its frame.
fn ends_in_scope(function: &Function, var: VarId) -> bool {
    function.locations.iter().any(|location| match &location.action {
        Action::Ops { ops, .. } => {
            ops.iter().any(|op| matches!(op, Op::Forget { var: of, alive: false } if *of == var))
        }
        _ => false,
    })
}

/// Where the record of one function is kept.
struct Record<'a> {
    slots: &'a Slots,
    func: FuncId,
    function: &'a mut Function,
}

impl Record<'_> {
    /// The operations of a transaction with what has to be recorded; `None` if that is nothing. The positions of allocations stay as they are.
    fn followed(&mut self, loc: LocId, ops: &[Op]) -> Option<Vec<Op>> {
        let pointer = self.slots.pointer;
        let (mut all, mut after) = (Vec::new(), Vec::new());
        for (n, op) in (0..).zip(ops) {
            match op {
                Op::Alloc { var, size, .. } => {
                    if let Some(of) = self.slots.of(Site::Heap(self.func, loc, n)) {
                        self.birth(of, &Expr::Reg(*var, pointer), Some(size), &mut after);
                    }
                }
                Op::Free(address) => {
                    let allocates = ops.iter().any(|op| matches!(op, Op::Alloc { .. } | Op::Realloc { .. }));
                    let recorded = if allocates { &mut after } else { &mut all };
                    let sites = self.slots.by_site.iter();
                    for (_, of) in sites.filter(|(site, _)| matches!(site, Site::Heap(..))) {
                        self.death(of, address, recorded);
                    }
                }
                Op::Forget { var, alive } => {
                    if let Some(of) = self.slots.of(Site::Frame(self.func, *var)) {
                        let address = Expr::LocalAddr(*var, pointer);
                        self.death(of, &address, &mut after);
                        if *alive {
                            self.birth(of, &address, None, &mut after);
                        }
                    }
                }
                _ => {}
            }
            all.push(op.clone());
        }
        all.extend(after);
        (all.len() > ops.len()).then_some(all)
    }

    /// Enters an object into an empty slot.
    fn birth(&mut self, of: &SiteSlots, address: &Expr, size: Option<&Expr>, ops: &mut Vec<Op>) {
        let pointer = self.slots.pointer;
        let (placed, takes) = (self.register("placed"), self.register("takes"));
        let (is_placed, take) = (Expr::Reg(placed, Width::BOOL), Expr::Reg(takes, Width::BOOL));
        ops.push(Op::Set { var: placed, value: Expr::truth(false) });
        for slot in &of.slots {
            let Address::In(word) = slot.address else { continue };
            let empty = Expr::binary(BinOp::Eq, slot.address(), Expr::constant(0, pointer));
            let value = Expr::binary(BinOp::And, is_placed.clone().negated(), empty);
            ops.push(Op::Set { var: takes, value });
            ops.push(store(word, Expr::ite(take.clone(), address.clone(), slot.address()), pointer));
            if let (Size::In(word), Some(size)) = (slot.size, size) {
                ops.push(store(word, Expr::ite(take.clone(), size.clone(), slot.size()), pointer));
            }
            let value = Expr::binary(BinOp::Or, is_placed.clone(), take.clone());
            ops.push(Op::Set { var: placed, value });
        }
        if let Some(untracked) = of.untracked {
            let value =
                Expr::ite(is_placed, load(untracked, Width::BYTE, pointer), Expr::constant(1, Width::BYTE));
            ops.push(store(untracked, value, pointer));
        }
    }

    /// Removes an object from its slot.
    fn death(&mut self, of: &SiteSlots, address: &Expr, ops: &mut Vec<Op>) {
        let pointer = self.slots.pointer;
        let dies = self.register("dies");
        let is_dying = Expr::Reg(dies, Width::BOOL);
        for slot in &of.slots {
            let Address::In(word) = slot.address else { continue };
            ops.push(Op::Set { var: dies, value: Expr::binary(BinOp::Eq, slot.address(), address.clone()) });
            let null = Expr::constant(0, pointer);
            ops.push(store(word, Expr::ite(is_dying.clone(), null, slot.address()), pointer));
            let known = load(slot.known, Width::BYTE, pointer);
            let value = Expr::ite(is_dying.clone(), Expr::constant(0, Width::BYTE), known);
            ops.push(store(slot.known, value, pointer));
        }
    }

    /// A register of one bit.
    fn register(&mut self, name: &str) -> VarId {
        let name = format!("undefined.{name}.{}", self.function.vars.len());
        self.function.vars.push(Var { name, kind: VarKind::Register(Width::BOOL), temporary: true })
    }
}

fn declare_site(program: &mut Program, site: Site, size: Option<u64>) -> SiteSlots {
    let pointer = program.data_model.pointer();
    let name = name_of(site);
    let n_slots = match site {
        Site::Static(_) => 1,
        Site::Frame(func, _) if func == program.entry => 1,
        Site::Frame(..) | Site::Heap(..) => N_SLOTS,
    };
    let mut slots = Vec::new();
    for n in 0..n_slots {
        let address = match site {
            Site::Static(object) => Address::Of(object),
            Site::Frame(..) | Site::Heap(..) => {
                Address::In(object(program, format!("{RECORD}address.{name}.{n}"), pointer.bytes()))
            }
        };
        let size = match size {
            Some(size) => Size::Constant(size),
            None => Size::In(object(program, format!("{RECORD}size.{name}.{n}"), pointer.bytes())),
        };
        let known = object(program, format!("{RECORD}known.{name}.{n}"), 1);
        slots.push(Slot { address, known, size, pointer });
    }
    let is_static = matches!(site, Site::Static(_));
    let untracked = (!is_static).then(|| object(program, format!("{RECORD}untracked.{name}"), 1));
    SiteSlots { slots, untracked }
}

/// A static object that starts with zeros.
fn object(program: &mut Program, name: String, size: u64) -> ObjectId {
    let objects: &mut IdxVec<ObjectId, Object> = &mut program.objects;
    objects.push(Object {
        name,
        size,
        align: size,
        thread_local: false,
        read_only: false,
        arbitrary: false,
        bytes: Vec::new(),
        relocs: Vec::new(),
        span: Span::NOWHERE,
    })
}

fn load(object: ObjectId, width: Width, pointer: Width) -> Expr {
    Expr::Load { addr: Box::new(Expr::ObjectAddr(object, pointer)), width, order: Order::SeqCst }
}

fn store(object: ObjectId, value: Expr, pointer: Width) -> Op {
    Op::Store { addr: Expr::ObjectAddr(object, pointer), value, order: Order::SeqCst }
}
