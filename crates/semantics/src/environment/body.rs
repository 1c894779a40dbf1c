//! The body of an undefined function: what it learns, and what it writes.

use super::plan::{Contents, Plan};
use super::slots::{Slot, Slots};
use crate::analysis::Site;
use program::{
    Action, BinOp, Expr, FuncId, Function, LocId, Location, Op, Order, Program, Property, UNDEFINED_FUNCTION,
    UNDEFINED_RESULT, Var, VarId, VarKind, Width,
};
use std::collections::{BTreeMap, BTreeSet};

/// More chunks than this make the chunks larger.
const MAX_CHUNKS: u64 = 64;

/// Gives an undefined function its body.
pub(super) fn write(program: &mut Program, func: FuncId, plan: &Plan, slots: &Slots, property: Property) {
    let threaded = program.creates_threads();
    let pointer = program.data_model.pointer();
    let function = &mut program.functions[func];
    let Action::Unsupported(what) = function.locations[function.entry].action.clone() else { return };
    let name = function.name.strip_prefix(UNDEFINED_FUNCTION).unwrap_or_default();
    let name = name.split('.').next().unwrap_or_default().to_owned();
    let at = function.entry;
    let mut body = Body { function, at, plan, slots, pointer, name, what, threaded, pointers: Vec::new() };
    if let Some(why) = plan.in_the_way.get(&func) {
        body.may_do_more(Some(why));
    }
    let missed = body.cleared("missed");
    body.learn_arguments(func, missed);
    body.prepare_pointers();
    let again = (threaded && property == Property::Termination).then(|| body.any("again", pointer));
    let head = body.open_next();
    body.learn_reachable(missed);
    body.split_if(Expr::Reg(missed, Width::BOOL));
    body.write_known();
    body.repeat(head, again);
    body.finish();
}

/// A function whose body is being written.
struct Body<'a> {
    function: &'a mut Function,
    /// The location where it goes on.
    at: LocId,
    plan: &'a Plan,
    slots: &'a Slots,
    pointer: Width,
    /// What the function is called in C.
    name: String,
    /// How the verdict names it where it has no model.
    what: String,
    threaded: bool,
    /// Registers with the pointers that the function gets, and those that it finds.
    pointers: Vec<(Found, VarId)>,
}

/// Where a pointer comes from.
#[derive(Clone, PartialEq, Eq)]
enum Found {
    Argument,
    /// At this offset of the object in this slot of the site.
    At(Site, usize, u64),
}

/// What is learnt, and what of it is written.
impl Body<'_> {
    /// The objects that the arguments lead to become known.
    fn learn_arguments(&mut self, func: FuncId, missed: VarId) {
        for param in self.function.params.clone() {
            let Some(sites) = self.plan.arguments.get(&(func, param)).filter(|sites| !sites.is_empty())
            else {
                continue;
            };
            self.pointers.push((Found::Argument, param));
            let mut ops = Vec::new();
            self.learn(&Expr::Reg(param, self.pointer), sites, (missed, None), &mut ops);
            self.emit(ops);
        }
    }

    /// A register for each pointer that may be found.
    fn prepare_pointers(&mut self) {
        let plan = self.plan;
        for (site, contents) in plan.sites.iter().filter(|(_, contents)| !contents.mixed) {
            let n_slots = self.slots.of(*site).map_or(0, |of| of.slots.len());
            for n in 0..n_slots {
                for offset in contents.pointers.keys() {
                    let found = self.register("found", self.pointer);
                    self.emit(vec![Op::Set { var: found, value: Expr::constant(0, self.pointer) }]);
                    self.pointers.push((Found::At(*site, n, *offset), found));
                }
            }
        }
    }

    /// What is reached from known objects becomes known.
    fn learn_reachable(&mut self, missed: VarId) {
        let plan = self.plan;
        let (order, cyclic) = order(&plan.sites);
        let changed = cyclic.then(|| self.cleared("changed"));
        let head = self.open_next();
        if let Some(changed) = changed {
            self.emit(vec![Op::Set { var: changed, value: Expr::truth(false) }]);
        }
        for site in order {
            let contents = &plan.sites[&site];
            for (n, slot) in self.slots_of(site).into_iter().enumerate() {
                let skip = self.skip_unless(slot.is_known());
                for (offset, sites) in &contents.pointers {
                    self.follow((site, n, &slot), *offset, sites, (missed, changed));
                }
                self.goto(skip);
                self.at = skip;
            }
        }
        if let Some(changed) = changed {
            let done = self.new_location();
            self.branch(Expr::Reg(changed, Width::BOOL), head, done);
            self.at = done;
        }
    }

    /// Follows one pointer of a known object.
    fn follow(
        &mut self,
        (site, n, slot): (Site, usize, &Slot),
        offset: u64,
        sites: &BTreeSet<Site>,
        flags: (VarId, Option<VarId>),
    ) {
        let of = Found::At(site, n, offset);
        let register = self.pointers.iter().find(|(found, _)| *found == of).map(|(_, register)| *register);
        let register = register.unwrap_or_else(|| self.register("found", self.pointer));
        let addr = Box::new(self.moved(slot.address(), offset));
        let value = Expr::Load { addr, width: self.pointer, order: Order::Plain };
        let value = match self.may_end(slot) {
            true => Expr::ite(slot.is_known(), value, Expr::constant(0, self.pointer)),
            false => value,
        };
        let mut ops = vec![Op::Set { var: register, value }];
        self.learn(&Expr::Reg(register, self.pointer), sites, flags, &mut ops);
        self.emit(ops);
    }

    /// What a pointer leads to becomes known; the first flag is set if that may be an object without a slot, the second if something is new.
    fn learn(
        &mut self,
        pointer: &Expr,
        sites: &BTreeSet<Site>,
        (missed, changed): (VarId, Option<VarId>),
        ops: &mut Vec<Op>,
    ) {
        let found = self.register("hit", Width::BOOL);
        ops.push(Op::Set { var: found, value: Expr::truth(false) });
        let mut untracked: Option<Expr> = None;
        for of in sites.iter().filter_map(|site| self.slots.of(*site)) {
            for slot in &of.slots {
                let hit = self.register("is_target", Width::BOOL);
                ops.push(Op::Set { var: hit, value: slot.is_target_of(pointer) });
                let hit = Expr::Reg(hit, Width::BOOL);
                if let Some(changed) = changed {
                    let is_new = and(hit.clone(), slot.is_known().negated());
                    ops.push(Op::Set { var: changed, value: or(Expr::Reg(changed, Width::BOOL), is_new) });
                }
                ops.push(slot.learn(hit.clone()));
                ops.push(Op::Set { var: found, value: or(Expr::Reg(found, Width::BOOL), hit) });
            }
            if let Some(was) = of.is_untracked() {
                untracked = Some(untracked.map_or(was.clone(), |other| or(other, was)));
            }
        }
        if let Some(untracked) = untracked {
            let null = Expr::constant(0, self.pointer);
            let is_pointer = Expr::binary(BinOp::Ne, pointer.clone(), null);
            let lost = and(and(is_pointer, Expr::Reg(found, Width::BOOL).negated()), untracked);
            ops.push(Op::Set { var: missed, value: or(Expr::Reg(missed, Width::BOOL), lost) });
        }
    }

    /// Everything that is known gets any values.
    fn write_known(&mut self) {
        let plan = self.plan;
        for (site, contents) in plan.sites.iter().filter(|(_, contents)| !contents.constant) {
            for slot in self.slots_of(*site) {
                let skip = self.skip_unless(slot.is_known());
                self.write_object(&slot, contents);
                self.goto(skip);
                self.at = skip;
            }
        }
    }

    fn write_object(&mut self, slot: &Slot, contents: &Contents) {
        let Some(size) = contents.size else { return self.write_each_byte(slot) };
        if contents.mixed {
            return self.write_bytes(slot, (0, size), false);
        }
        let word = self.pointer.bytes();
        let mut from = 0;
        for offset in contents.pointers.keys() {
            self.write_bytes(slot, (from, offset - from), true);
            self.write_pointer(slot, *offset);
            from = offset + word;
        }
        self.write_bytes(slot, (from, size - from), !contents.pointers.is_empty());
    }

    /// `len` bytes get any values, in one step or, where other threads may look on, in chunks (SOUNDNESS: A2).
    fn write_bytes(&mut self, slot: &Slot, (from, len): (u64, u64), has_pointers: bool) {
        let word = self.pointer.bytes();
        let chunk = match self.threaded {
            // Where there are pointers, too, words are kept apart.
            _ if has_pointers => word,
            true => len.div_ceil(MAX_CHUNKS).next_multiple_of(word),
            false => len,
        };
        let mut at = 0;
        while at < len {
            let n_bytes = chunk.min(len - at);
            let addr = self.moved(slot.address(), from + at);
            self.write_chunk(slot, addr, n_bytes);
            at += n_bytes;
        }
    }

    fn write_chunk(&mut self, slot: &Slot, addr: Expr, n_bytes: u64) {
        let addr = self.if_alive(slot, addr, n_bytes);
        // The bytes are chosen when they are read. That they are unknown says that a pointer among them may lead anywhere.
        let kind = VarKind::Memory { size: n_bytes, align: self.pointer.bytes(), read_only: false };
        let var = self.variable("block", kind);
        let block = Expr::LocalAddr(var, self.pointer);
        let word = |n: u64| Expr::constant(n.into(), self.pointer);
        let some = word(n_bytes.min(self.pointer.bytes()));
        let is_word = n_bytes <= self.pointer.bytes();
        let source = if is_word { self.slots.word } else { self.slots.anything };
        let anything = Expr::ObjectAddr(source, self.pointer);
        self.emit(vec![
            Op::Copy { dst: block.clone(), src: anything, len: some },
            Op::Forget { var, alive: true },
            Op::Copy { dst: addr, src: block, len: word(n_bytes) },
        ]);
    }

    /// An object whose size is not constant, byte by byte.
    fn write_each_byte(&mut self, slot: &Slot) {
        let at = self.register("index", self.pointer);
        let n = Expr::Reg(at, self.pointer);
        self.emit(vec![Op::Set { var: at, value: Expr::constant(0, self.pointer) }]);
        let (head, inside, done) = (self.open_next(), self.new_location(), self.new_location());
        self.branch(Expr::binary(BinOp::ULt, n.clone(), slot.size()), inside, done);
        self.at = inside;
        self.write_chunk(slot, Expr::binary(BinOp::Add, slot.address(), n.clone()), 1);
        let next = Expr::binary(BinOp::Add, n, Expr::constant(1, self.pointer));
        self.emit(vec![Op::Set { var: at, value: next }]);
        self.goto(head);
        self.at = done;
    }

    /// A pointer keeps its value, or becomes null, one that is known, or the address of something known.
    fn write_pointer(&mut self, slot: &Slot, offset: u64) {
        let addr = self.moved(slot.address(), offset);
        let width = Width(16);
        let choice = self.register("choice", width);
        let is_choice =
            |n: usize| Expr::binary(BinOp::Eq, Expr::Reg(choice, width), Expr::constant(n as u128, width));
        let old = Expr::Load { addr: Box::new(addr.clone()), width: self.pointer, order: Order::Plain };
        let old = if self.may_end(slot) {
            Expr::ite(slot.is_known(), old, Expr::constant(0, self.pointer))
        } else {
            old
        };
        let mut value = Expr::ite(is_choice(0), Expr::constant(0, self.pointer), old);
        let mut n = 1;
        for (_, register) in &self.pointers {
            value = Expr::ite(is_choice(n), Expr::Reg(*register, self.pointer), value);
            n += 1;
        }
        for (_, other) in self.slots.all() {
            value = Expr::ite(and(is_choice(n), other.is_known()), other.address(), value);
            n += 1;
        }
        let addr = self.if_alive(slot, addr, self.pointer.bytes());
        self.emit(vec![Op::Havoc { var: choice }, Op::Store { addr, value, order: Order::Plain }]);
    }

    /// Returns true if another thread may end the life of a slot's object while this function is called.
    fn may_end(&self, slot: &Slot) -> bool {
        self.threaded && !slot.is_static()
    }

    /// An address in a slot's object; if that has ended, one of memory that does not matter.
    fn if_alive(&mut self, slot: &Slot, addr: Expr, n_bytes: u64) -> Expr {
        if !self.may_end(slot) {
            return addr;
        }
        let kind = VarKind::Memory { size: n_bytes, align: self.pointer.bytes(), read_only: false };
        let nowhere = self.variable("nowhere", kind);
        Expr::ite(slot.is_known(), addr, Expr::LocalAddr(nowhere, self.pointer))
    }
}

/// Control.
impl Body<'_> {
    /// In one execution it does something that has no model, in the other not.
    fn may_do_more(&mut self, why: Option<&str>) {
        let (more, goes_on) = (self.new_location(), self.new_location());
        let does = self.any("more", Width::BOOL);
        self.branch(Expr::Reg(does, Width::BOOL), more, goes_on);
        let what = match why {
            Some(why) => format!("{} {why}", self.what),
            None => format!("{} to one of many objects that begin to live at one place", self.what),
        };
        self.function.locations[more].action = Action::Unsupported(what);
        self.at = goes_on;
    }

    fn split_if(&mut self, cond: Expr) {
        if self.plan.sites.keys().all(|site| matches!(site, Site::Static(_))) {
            return;
        }
        let skip = self.skip_unless(cond);
        self.may_do_more(None);
        self.goto(skip);
        self.at = skip;
    }

    /// Another thread may see each of the values that a function writes in turn. For termination, these are finitely many.
    fn repeat(&mut self, head: LocId, again: Option<VarId>) {
        if !self.threaded {
            return;
        }
        let (repeat, done) = (self.new_location(), self.new_location());
        match again {
            Some(again) => {
                let left = Expr::Reg(again, self.pointer);
                self.branch(
                    Expr::binary(BinOp::Ne, left.clone(), Expr::constant(0, self.pointer)),
                    repeat,
                    done,
                );
                self.at = repeat;
                let less = Expr::binary(BinOp::Sub, left, Expr::constant(1, self.pointer));
                self.emit(vec![Op::Set { var: again, value: less }]);
            }
            None => {
                let more = self.any("again", Width::BOOL);
                self.branch(Expr::Reg(more, Width::BOOL), repeat, done);
                self.at = repeat;
            }
        }
        self.goto(head);
        self.at = done;
    }

    fn finish(&mut self) {
        let result = self.function.ret.map(|width| {
            let name = format!("{}{UNDEFINED_RESULT}", self.name);
            let var = self.register(&name, width);
            self.emit(vec![Op::Havoc { var }]);
            Expr::Reg(var, width)
        });
        self.function.locations[self.at].action = Action::Return(result);
    }

    fn slots_of(&self, site: Site) -> Vec<Slot> {
        self.slots.of(site).map(|of| of.slots.clone()).unwrap_or_default()
    }

    /// The location behind something that is done only under a condition.
    fn skip_unless(&mut self, cond: Expr) -> LocId {
        let (inside, skip) = (self.new_location(), self.new_location());
        self.branch(cond, inside, skip);
        self.at = inside;
        skip
    }

    fn new_location(&mut self) -> LocId {
        let span = self.function.span;
        self.function.locations.push(Location { action: Action::Return(None), span })
    }

    /// A new location, which comes next.
    fn open_next(&mut self) -> LocId {
        let next = self.new_location();
        self.goto(next);
        self.at = next;
        next
    }

    fn emit(&mut self, ops: Vec<Op>) {
        let next = self.new_location();
        self.function.locations[self.at].action = Action::Ops { ops, sync: None, next };
        self.at = next;
    }

    fn goto(&mut self, next: LocId) {
        self.function.locations[self.at].action = Action::Ops { ops: Vec::new(), sync: None, next };
    }

    fn branch(&mut self, cond: Expr, yes: LocId, no: LocId) {
        self.function.locations[self.at].action = Action::Branch { cond, yes, no };
    }

    /// A register with any value.
    fn any(&mut self, name: &str, width: Width) -> VarId {
        let var = self.register(name, width);
        self.emit(vec![Op::Havoc { var }]);
        var
    }

    /// A truth value that is false.
    fn cleared(&mut self, name: &str) -> VarId {
        let var = self.register(name, Width::BOOL);
        self.emit(vec![Op::Set { var, value: Expr::truth(false) }]);
        var
    }

    fn register(&mut self, name: &str, width: Width) -> VarId {
        self.variable(name, VarKind::Register(width))
    }

    fn variable(&mut self, name: &str, kind: VarKind) -> VarId {
        let name = format!("{name}.{}", self.function.vars.len());
        self.function.vars.push(Var { name, kind, temporary: true })
    }

    fn moved(&self, address: Expr, offset: u64) -> Expr {
        match offset {
            0 => address,
            _ => Expr::binary(BinOp::Add, address, Expr::constant(offset.into(), self.pointer)),
        }
    }
}

fn and(left: Expr, right: Expr) -> Expr {
    Expr::binary(BinOp::And, left, right)
}

fn or(left: Expr, right: Expr) -> Expr {
    Expr::binary(BinOp::Or, left, right)
}

/// The sites that hold pointers, such that what a site leads to comes later; true if that is not possible.
fn order(sites: &BTreeMap<Site, Contents>) -> (Vec<Site>, bool) {
    let all: Vec<Site> =
        sites.iter().filter(|(_, contents)| !contents.pointers.is_empty()).map(|(site, _)| *site).collect();
    let successors = |n: usize| -> Vec<usize> {
        let led_to = sites[&all[n]].pointers.values().flatten();
        led_to.filter_map(|site| all.binary_search(site).ok()).collect()
    };
    let cyclic = !base::scc::cyclic_components(all.len(), successors).is_empty();
    let mut order: Vec<Site> = Vec::new();
    let mut done: BTreeSet<usize> = BTreeSet::new();
    for start in 0..all.len() {
        visit(start, &successors, &mut done, &mut |n| order.push(all[n]));
    }
    order.reverse();
    (order, cyclic)
}

/// Depth first; `leave` sees a number after all that it leads to.
fn visit(
    n: usize,
    successors: &impl Fn(usize) -> Vec<usize>,
    done: &mut BTreeSet<usize>,
    leave: &mut impl FnMut(usize),
) {
    if done.insert(n) {
        successors(n).into_iter().for_each(|next| visit(next, successors, done, leave));
        leave(n);
    }
}
