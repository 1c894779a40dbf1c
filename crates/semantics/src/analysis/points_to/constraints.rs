//! The constraints of a program: which operations let addresses flow where.

use super::graph::{BlobId, EntryId, Graph, HERE, Hook, NodeId, Target};
use super::wild::{Compiled, Rules, Source, Then, Wild};
use super::{is_opaque, is_shifted, is_small};
use crate::analysis::footprint::Extent;
use crate::analysis::numbers::Numbers;
use crate::analysis::offset::Offset;
use crate::analysis::value::Site;
use base::IdxVec;
use base::convert::count32;
use program::{Action, BinOp, Callee, Expr, FuncId, LocId, Op, Program, RelocTarget, VarId, VarKind, Width};
use std::collections::{BTreeMap, BTreeSet};

/// Something that enters functions through pointers.
#[derive(Debug)]
enum Entry {
    Call { at: (FuncId, LocId), args: Vec<NodeId>, ret: Option<(NodeId, Offset)>, entered: BTreeSet<FuncId> },
    Create { func: FuncId, loc: LocId, arg: NodeId },
}

/// The constraints of a program, and their solution.
pub(super) struct Constraints<'p> {
    program: &'p Program,
    numbers: &'p Numbers,
    pub(super) pointer: Width,
    has_environment: bool,
    pub graph: Graph,
    rules: Rules,
    pub registers: IdxVec<FuncId, IdxVec<VarId, Option<NodeId>>>,
    returned: IdxVec<FuncId, NodeId>,
    pub results: NodeId,
    pub arguments: NodeId,
    entries: IdxVec<EntryId, Entry>,
    pub started: BTreeMap<(FuncId, LocId), Vec<FuncId>>,
    address_taken: &'p [FuncId],
    /// The blob of each opaque function, by its only location, and of each call that may enter a function of the environment.
    pub blobs: BTreeMap<(FuncId, LocId), BlobId>,
    /// The blob of each create that may start a thread in a function of the environment.
    pub foreign: BTreeMap<(FuncId, LocId), BlobId>,
    /// What is set to inputs.
    inputs: Vec<NodeId>,
}

impl<'p> Constraints<'p> {
    /// The solution for a program.
    pub fn solved(
        program: &'p Program,
        numbers: &'p Numbers,
        address_taken: &'p [FuncId],
        has_environment: bool,
    ) -> Self {
        let pointer = program.data_model.pointer();
        let mut graph = Graph::new(pointer.bytes());
        graph.reads_anywhere = !has_environment;
        let mut registers = IdxVec::new();
        for function in program.functions.iter() {
            let nodes = function.vars.iter().map(|var| match var.kind {
                VarKind::Register(_) => Some(graph.node()),
                VarKind::Memory { .. } => None,
            });
            registers.push(nodes.collect());
        }
        let returned = program.functions.iter().map(|_| graph.node()).collect();
        let (results, arguments) = (graph.node(), graph.node());
        let mut constraints = Constraints {
            program,
            numbers,
            pointer,
            has_environment,
            graph,
            rules: Rules::default(),
            registers,
            returned,
            results,
            arguments,
            entries: IdxVec::new(),
            started: BTreeMap::new(),
            address_taken,
            blobs: BTreeMap::new(),
            foreign: BTreeMap::new(),
            inputs: Vec::new(),
        };
        constraints.initial_contents();
        for func in entered(program, address_taken) {
            for (loc, location) in program.functions[func].locations.iter_enumerated() {
                constraints.action(func, loc, &location.action);
            }
        }
        constraints.saturate();
        constraints.follow_wild();
        constraints.start_foreign();
        constraints
    }

    fn saturate(&mut self) {
        loop {
            self.graph.propagate();
            if let Some((entry, func)) = self.graph.entered.pop() {
                self.enter(entry, func);
            } else if let Some((blob, func)) = self.graph.blobs.called.pop() {
                self.call_back(blob, func);
            } else if let Some(node) = self.graph.turned_wild.pop() {
                let then = self.rules.follow(&self.graph, node);
                then.into_iter().for_each(|then| self.turn_wild(then));
            } else {
                return;
            }
        }
    }

    fn follow_wild(&mut self) {
        self.graph.follow_wild();
        for (id, object) in self.program.objects.iter_enumerated().filter(|(_, object)| object.arbitrary) {
            let site = self.graph.site(Site::Static(id));
            let word = self.pointer.bytes();
            let offset = if object.size <= word { Offset::Exactly(0) } else { Offset::Any };
            let cell = self.graph.cell(site, offset, word);
            self.graph.mark_wild(cell);
        }
        std::mem::take(&mut self.inputs).into_iter().for_each(|node| self.graph.mark_wild(node));
        self.saturate();
        self.graph.follow_blobs();
        let opaque: Vec<FuncId> = self.blobs.keys().map(|(func, _)| *func).collect();
        let opaque = opaque.into_iter().filter(|func| is_opaque(self.program, *func));
        opaque.for_each(|func| self.graph.mark_wild(self.returned[func]));
        self.saturate();
    }

    /// A thread of the environment may call the functions that it reaches as a thread may that starts in them.
    fn start_foreign(&mut self) {
        for (at, blob) in &self.foreign {
            let started = self.started.entry(*at).or_default();
            started.extend(&self.graph.blobs.get(*blob).functions);
            started.sort_unstable();
            started.dedup();
        }
    }

    fn turn_wild(&mut self, then: Then) {
        let graph = &mut self.graph;
        match then {
            Then::Mark(node) => graph.mark_wild(node),
            Then::Loaded(node) => {
                graph.mark_wild(node);
                graph.flow(graph.anywhere, node, HERE, true);
            }
            Then::Stored(node) => graph.flow(node, graph.behind_wild(), HERE, true),
            Then::Reached(node, blob) if graph.nodes[node].is_input => graph.reach_environment(blob),
            Then::Reached(..) => {}
            Then::CopiedFrom(copy) => graph.copy_from_anywhere(copy),
            Then::CopiedTo(copy) => graph.copy_to_anywhere(copy),
            Then::Entered(entry) if !self.has_environment => {
                self.address_taken.iter().for_each(|func| graph.entered.push((entry, *func)));
            }
            Then::Entered(entry) => self.enter_environment(entry),
        }
    }

    /// A function of the environment is entered: an opaque one.
    fn enter_environment(&mut self, entry: EntryId) {
        let blob = self.graph.blob();
        match &self.entries[entry] {
            Entry::Call { at, args, ret, .. } => {
                let (args, ret) = (args.clone(), *ret);
                self.blobs.insert(*at, blob);
                args.into_iter().for_each(|arg| self.hand_over(arg, blob));
                if let Some((ret, _)) = ret {
                    self.graph.insert(ret, Target::Blob(blob), Offset::Any);
                    self.graph.mark_wild(ret);
                }
            }
            Entry::Create { func, loc, arg } => {
                let arg = *arg;
                self.foreign.insert((*func, *loc), blob);
                self.hand_over(arg, blob);
                self.graph.insert(self.results, Target::Blob(blob), Offset::Any);
            }
        }
    }

    /// What a node holds is reached from a blob.
    fn hand_over(&mut self, node: NodeId, blob: BlobId) {
        let sink = self.graph.sink(blob);
        self.graph.flow(node, sink, Offset::Any, false);
        if self.graph.nodes[node].is_input {
            self.graph.reach_environment(blob);
        }
        self.rules.add(Wild::Node(node), Then::Reached(node, blob));
    }

    fn initial_contents(&mut self) {
        let bytes = self.pointer.bytes();
        for (id, object) in self.program.objects.iter_enumerated() {
            for reloc in &object.relocs {
                let (target, at) = match reloc.target {
                    RelocTarget::Object(target) => {
                        (Target::Site(self.graph.site(Site::Static(target))), reloc.addend)
                    }
                    RelocTarget::Func(func) => (Target::Function(func), 0),
                };
                let site = self.graph.site(Site::Static(id));
                let cell = self.graph.cell(site, Offset::Exactly(reloc.offset.cast_signed()), bytes);
                self.graph.insert(cell, target, Offset::Exactly(at));
            }
        }
    }
}

/// Expressions.
impl Constraints<'_> {
    fn compile(&mut self, func: FuncId, e: &Expr) -> Compiled {
        let site = |graph: &mut Graph, site: Site| Compiled {
            terms: vec![(Source::Address(Target::Site(graph.site(site))), HERE)],
            wild: Wild::Never,
        };
        match e {
            Expr::Const(..) | Expr::SelfHandle(_) | Expr::SameObject(..) => Compiled::default(),
            Expr::Reg(var, _) => {
                self.registers[func][*var].map_or_else(Compiled::default, |node| Compiled::node(node, HERE))
            }
            Expr::LocalAddr(var, _) => site(&mut self.graph, Site::Frame(func, *var)),
            Expr::ObjectAddr(object, _) => site(&mut self.graph, Site::Static(*object)),
            Expr::FuncAddr(target, _) => Compiled {
                terms: vec![(Source::Address(Target::Function(*target)), HERE)],
                wild: Wild::Never,
            },
            Expr::Load { addr, width, .. } => self.load(func, addr, width.bytes()),
            Expr::Unary(_, e) => self.compile(func, e).moved(Offset::Any),
            Expr::Binary(op, l, r) => self.binary(func, *op, l, r),
            Expr::Cast(_, to, e) => {
                let value = self.compile(func, e);
                self.fit(value, e.width().min(*to))
            }
            Expr::Ite(_, yes, no) => {
                let (mut yes, no) = (self.compile(func, yes), self.compile(func, no));
                yes.terms.extend(no.terms);
                let wild = Wild::Either(Box::new((yes.wild, no.wild)));
                Compiled { terms: yes.terms, wild }
            }
        }
    }

    /// `value` after it has passed through so many bits.
    fn fit(&self, value: Compiled, width: Width) -> Compiled {
        if width < self.pointer { value.moved(Offset::Any) } else { value }
    }

    fn load(&mut self, func: FuncId, addr: &Expr, bytes: u64) -> Compiled {
        let addr = self.compile(func, addr);
        if addr.is_nothing() {
            return Compiled::default();
        }
        let to = self.graph.node();
        self.attach(&addr, |by| Hook::Load { by, bytes, to });
        self.rules.add(addr.wild, Then::Loaded(to));
        Compiled::node(to, HERE)
    }

    fn binary(&mut self, func: FuncId, op: BinOp, l: &Expr, r: &Expr) -> Compiled {
        if op.is_comparison() {
            return Compiled::default();
        }
        let (left, right) = (self.compile(func, l), self.compile(func, r));
        if left.is_nothing() && right.is_nothing() {
            return Compiled::default();
        }
        let number = |e: &Expr| self.numbers.of_expr(func, e);
        let moves = match op {
            BinOp::Add => Some((number(r), number(l))),
            BinOp::Sub => Some((HERE.minus(number(r)), Offset::Any)),
            BinOp::And if is_small(r) && !is_shifted(l) => None,
            BinOp::Mul | BinOp::UDiv | BinOp::SDiv | BinOp::URem | BinOp::SRem => None,
            _ => Some((Offset::Any, Offset::Any)),
        };
        let mut terms = Vec::new();
        if let Some((by_right, by_left)) = moves {
            terms.extend(left.clone().moved(by_right).terms);
            terms.extend(right.clone().moved(by_left).terms);
        }
        let wild = match (left.is_nothing(), right.is_nothing()) {
            (true, _) => right.wild,
            (_, true) => left.wild,
            (false, false) => Wild::Sum(Box::new((left, right))),
        };
        Compiled { terms, wild }
    }

    /// Something happens with whatever an expression refers to.
    fn attach(&mut self, addr: &Compiled, hook: impl Fn(Offset) -> Hook) {
        for (source, by) in &addr.terms {
            match source {
                Source::Node(node) => self.graph.hook(*node, hook(*by)),
                Source::Address(target) => self.graph.happen(hook(HERE), *target, *by),
            }
        }
    }

    /// A value flows to a node, through `by`.
    fn assign(&mut self, to: NodeId, value: Compiled, by: Offset) {
        if let Some((from, distance)) = value.only_node() {
            return self.graph.flow(from, to, distance.plus(by), true);
        }
        for (source, distance) in &value.terms {
            let by = distance.plus(by);
            match source {
                Source::Node(node) => self.graph.flow(*node, to, by, false),
                Source::Address(target) => self.graph.insert(to, *target, by),
            }
        }
        self.rules.add(value.wild, Then::Mark(to));
    }

    /// A node that holds a value.
    fn node(&mut self, value: Compiled) -> NodeId {
        match value.only_node() {
            Some((node, HERE)) => node,
            _ => {
                let node = self.graph.node();
                self.assign(node, value, HERE);
                node
            }
        }
    }

    /// The node of a register, and what happens to addresses there.
    fn register(&self, func: FuncId, var: VarId) -> Option<(NodeId, Offset)> {
        let node = self.registers[func][var]?;
        match self.program.functions[func].vars[var].kind {
            VarKind::Register(width) if width < self.pointer => Some((node, Offset::Any)),
            _ => Some((node, HERE)),
        }
    }

    fn set(&mut self, func: FuncId, var: VarId, value: Compiled) {
        if let Some((node, by)) = self.register(func, var) {
            self.assign(node, value, by);
        }
    }

    /// What is in a node flows to a register.
    fn flow(&mut self, from: NodeId, to: Option<(NodeId, Offset)>) {
        if let Some((to, by)) = to {
            self.graph.flow(from, to, by, true);
        }
    }
}

/// Actions.
impl Constraints<'_> {
    fn action(&mut self, func: FuncId, loc: LocId, action: &Action) {
        match action {
            Action::Ops { ops, .. } => {
                for (n, op) in ops.iter().enumerate() {
                    self.operation(func, loc, count32(n), op);
                }
            }
            Action::Call { callee, args, ret, .. } => self.call((func, loc), callee, args, *ret),
            Action::Return(Some(result)) => {
                let value = self.compile(func, result);
                let value = self.fit(value, result.width());
                self.assign(self.returned[func], value, HERE);
            }
            Action::ThreadExit(result) => {
                let value = self.compile(func, result);
                self.assign(self.results, value, HERE);
            }
            Action::Unsupported(_) => self.opaque(func, loc),
            Action::Branch { .. }
            | Action::Return(None)
            | Action::Exit
            | Action::Error { .. }
            | Action::Undefined(_) => {}
        }
    }

    fn call(&mut self, at: (FuncId, LocId), callee: &Callee, args: &[Expr], ret: Option<VarId>) {
        let func = at.0;
        let ret = ret.and_then(|ret| self.register(func, ret));
        let args: Vec<NodeId> = args
            .iter()
            .map(|arg| {
                let value = self.compile(func, arg);
                self.node(value)
            })
            .collect();
        match callee {
            Callee::Direct(callee) => self.pass(*callee, &args, ret),
            Callee::Indirect(addr) => {
                let entry = self.entries.push(Entry::Call { at, args, ret, entered: BTreeSet::new() });
                let addr = self.compile(func, addr);
                self.attach(&addr, |_| Hook::Enter(entry));
                self.rules.add(addr.wild, Then::Entered(entry));
            }
        }
    }

    fn pass(&mut self, callee: FuncId, args: &[NodeId], ret: Option<(NodeId, Offset)>) {
        for (param, arg) in self.program.functions[callee].params.iter().zip(args) {
            let to = self.register(callee, *param);
            self.flow(*arg, to);
        }
        self.flow(self.returned[callee], ret);
    }

    /// A call or a create through a pointer has got a function.
    fn enter(&mut self, entry: EntryId, callee: FuncId) {
        match &mut self.entries[entry] {
            Entry::Call { args, ret, entered, .. } => {
                if entered.insert(callee) {
                    let (args, ret) = (args.clone(), *ret);
                    self.pass(callee, &args, ret);
                }
            }
            Entry::Create { func, loc, arg } => {
                let started = self.started.entry((*func, *loc)).or_default();
                let arg = *arg;
                if let Err(at) = started.binary_search(&callee) {
                    started.insert(at, callee);
                }
                let param = self.program.functions[callee].params.first();
                let param = param.and_then(|param| self.register(callee, *param));
                self.flow(arg, param);
                self.graph.flow(self.returned[callee], self.results, HERE, true);
            }
        }
    }

    fn operation(&mut self, func: FuncId, loc: LocId, n: u32, op: &Op) {
        match op {
            Op::Set { var, value } => {
                let value = self.compile(func, value);
                self.set(func, *var, value);
            }
            Op::Store { addr, value, .. } => {
                let stored = self.compile(func, value);
                let stored = self.fit(stored, value.width());
                let addr = self.compile(func, addr);
                self.store(addr, value.width().bytes(), stored);
            }
            Op::Havoc { var } => self.inputs.extend(self.registers[func][*var]),
            Op::Copy { dst, src, len } => {
                let (dst, src) = (self.compile(func, dst), self.compile(func, src));
                self.copy(dst, src, Extent::Bytes(len).bytes());
            }
            Op::Fill { dst, byte, .. } => {
                let (dst, byte) = (self.compile(func, dst), self.compile(func, byte));
                self.store(dst.moved(Offset::Any), 1, byte.moved(Offset::Any));
            }
            Op::Alloc { var, .. } => {
                let fresh = self.fresh(func, loc, n);
                self.set(func, *var, fresh);
            }
            Op::Realloc { var, ptr, stays, .. } => {
                let (fresh, old) = (self.fresh(func, loc, n), self.compile(func, ptr));
                self.copy(fresh.clone(), old.clone(), None);
                self.set(func, *var, fresh);
                if stays.as_const() != Some(0) {
                    self.set(func, *var, old);
                }
            }
            Op::Create { func: start, arg, .. } => {
                let value = self.compile(func, arg);
                let arg = self.node(value);
                self.graph.flow(arg, self.arguments, HERE, true);
                let entry = self.entries.push(Entry::Create { func, loc, arg });
                let start = self.compile(func, start);
                self.attach(&start, |_| Hook::Enter(entry));
                self.rules.add(start.wild, Then::Entered(entry));
            }
            Op::Join { result, .. } => {
                let to = self.register(func, *result);
                self.flow(self.results, to);
            }
            Op::Forget { .. }
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

    fn fresh(&mut self, func: FuncId, loc: LocId, n: u32) -> Compiled {
        let site = self.graph.site(Site::Heap(func, loc, n));
        Compiled { terms: vec![(Source::Address(Target::Site(site)), HERE)], wild: Wild::Never }
    }

    fn store(&mut self, addr: Compiled, bytes: u64, value: Compiled) {
        if value.is_nothing() {
            return;
        }
        let from = self.node(value);
        self.attach(&addr, |by| Hook::Store { by, bytes, from });
        self.rules.add(addr.wild, Then::Stored(from));
    }

    /// Copies what lies in a number of bytes (all, if it is not known how many).
    fn copy(&mut self, dst: Compiled, src: Compiled, len: Option<u64>) {
        let copy = self.graph.copy(len);
        self.attach(&src, |by| Hook::CopyFrom { by, copy });
        self.attach(&dst, |by| Hook::CopyTo { by, copy });
        self.rules.add(src.wild, Then::CopiedFrom(copy));
        self.rules.add(dst.wild, Then::CopiedTo(copy));
    }

    /// What an action without a model may do.
    fn opaque(&mut self, func: FuncId, loc: LocId) {
        if !self.has_environment || self.program.functions[func].entry != loc {
            return;
        }
        debug_assert!(is_opaque(self.program, func), "the entry should be the action without a model");
        let blob = self.graph.blob();
        self.blobs.insert((func, loc), blob);
        for node in self.registers[func].iter().copied().flatten().collect::<Vec<_>>() {
            self.hand_over(node, blob);
        }
        self.graph.insert(self.returned[func], Target::Blob(blob), Offset::Any);
    }

    /// An opaque function calls another one with what it reaches, and gets what it returns.
    fn call_back(&mut self, blob: BlobId, callee: FuncId) {
        for param in &self.program.functions[callee].params {
            if let Some((node, _)) = self.register(callee, *param) {
                self.graph.insert(node, Target::Blob(blob), Offset::Any);
                self.graph.note_blob(node);
            }
        }
        let sink = self.graph.sink(blob);
        self.graph.flow(self.returned[callee], sink, Offset::Any, false);
    }
}

/// Functions that can be entered at all: the entry, those whose address is taken, and whatever these call by name. What the others say counts
/// for nothing; where calls enter copies of functions, these are most of the originals.
fn entered(program: &Program, address_taken: &[FuncId]) -> BTreeSet<FuncId> {
    let mut found: BTreeSet<FuncId> = address_taken.iter().copied().chain([program.entry]).collect();
    let mut queue: Vec<FuncId> = found.iter().copied().collect();
    while let Some(func) = queue.pop() {
        for location in program.functions[func].locations.iter() {
            if let Action::Call { callee: Callee::Direct(callee), .. } = &location.action
                && found.insert(*callee)
            {
                queue.push(*callee);
            }
        }
    }
    found
}
