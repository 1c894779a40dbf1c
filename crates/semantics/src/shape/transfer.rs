//! One step of the running thread, on abstract heaps.
//!
//! [`Transfer::post`] gives heaps that describe all states to which an action leads from the states that a heap describes; or a doubt, if the action may do something
//! that the property forbids, has no model, or is more than this abstraction follows.

use super::calls::{Call, Recursion};
use super::eval::{Access, Part};
use super::heap::{
    Address, Anchor, Background, Heap, Life, LockId, Node, NodeId, Others, Parted, Shape, Transit, Value,
};
use super::plan::Plan;
use super::share;
use base::{Idx, Inconclusive};
use program::interp::span_name;
use program::{Action, Expr, Op, Order, Program, Property, Storage, VarKind, Width};

/// Why nothing can be said about an action.
#[derive(Clone, Debug)]
pub struct Doubt {
    what: String,
    /// The access that would be none with another [`Plan`].
    pub access: Option<SharedAccess>,
}

/// An access to a shared object that the thread does not have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SharedAccess {
    /// The object.
    pub object: Anchor,
    /// The bytes, if they are known: where they start, and how many.
    pub place: Option<(u64, u64)>,
    /// Whether it is written to.
    pub writes: bool,
    /// Whether the first thread accesses it.
    pub by_first: bool,
    /// The locks that the thread holds.
    pub held: Vec<LockId>,
}

impl Doubt {
    /// That about an access to an object which is constant, or that the thread does not have.
    pub(super) fn of_access(heap: &Heap, to: Address, bytes: u64, access: Access) -> Self {
        let what = match heap.node(to.node).life {
            Life::Elsewhere => "an access to a shared variable without the lock",
            _ => "a write to a constant",
        };
        let object = Transfer::anchor_of(heap, to.node);
        let access = object.filter(|_| heap.others.exist()).map(|object| SharedAccess {
            object,
            place: to.exact().and_then(|at| Some((u64::try_from(at).ok()?, bytes))),
            writes: access != Access::Read,
            by_first: heap.others.is_first,
            held: heap.others.held.keys().copied().collect(),
        });
        Self { what: what.to_owned(), access }
    }
}

impl From<&str> for Doubt {
    fn from(what: &str) -> Self {
        Self { what: what.to_owned(), access: None }
    }
}

impl From<Doubt> for Inconclusive {
    fn from(doubt: Doubt) -> Self {
        Inconclusive::NoProof(doubt.what)
    }
}

/// A result, or what is in doubt.
pub(super) type Doubts<T> = Result<T, Doubt>;

/// What an action leads to.
#[derive(Clone, Default, Debug)]
pub struct Step {
    /// The thread's heaps afterwards.
    pub heaps: Vec<Heap>,
    /// Heaps that were split off.
    pub parted: Vec<Parted>,
    /// True if what a lock protects was taken, so that the result depends on the invariant.
    pub takes: bool,
    /// Calls of recursive functions, which are followed by themselves.
    pub calls: Vec<Call>,
    /// What such a function returns with.
    pub exits: Vec<Heap>,
}

/// The largest object whose size is an input.
const MAX_ROOM: u64 = 1 << 24;
/// The longest copy that is followed.
const MAX_COPY: u64 = 1 << 12;
/// The largest object of constant size.
const MAX_SIZE: u64 = 1 << 30;

/// Steps of a thread.
#[derive(Clone, Copy, Debug)]
pub struct Transfer<'p> {
    /// The program.
    pub program: &'p Program,
    /// What is to be decided.
    pub property: Property,
    /// Who accesses what; without it, threads are a doubt.
    pub plan: Option<&'p Plan>,
    /// What each lock protects while no thread holds it: one of its heaps.
    pub invariant: &'p [Heap],
    /// Which functions are followed by themselves; without it, none.
    pub recursion: Option<&'p Recursion>,
}

impl Transfer<'_> {
    /// The heap in which the program starts.
    pub fn initial(&self) -> Heap {
        let mut heap = Heap {
            frames: Vec::new(),
            nodes: Default::default(),
            anchors: Default::default(),
            symbols: Default::default(),
            facts: Default::default(),
            operands: Vec::new(),
            cutpoints: None,
            others: Others::none(),
            transit: Transit::default(),
        };
        for (id, object) in self.program.objects.iter_enumerated() {
            let background = if object.arbitrary { Background::Unknown } else { Background::Initial(id) };
            let life = Life::Static { writable: !object.read_only };
            let node = heap.insert(Node::new(object.size, life, background));
            heap.anchors.insert(Anchor::Object(id), node);
        }
        if self.plan.is_some() {
            heap.others.own = Some(heap.number(share::own_handle()));
        }
        self.enter(&mut heap, self.program.entry, Vec::new());
        heap
    }

    /// What the next action leads to; no heaps if it ends the thread.
    pub fn post(&self, heap: &Heap) -> Result<Step, Doubt> {
        let frame = heap.frame();
        let location = &self.program.functions[frame.func].locations[frame.loc];
        self.step(heap.clone(), &location.action).map_err(|doubt| {
            let place = span_name(self.program, location.span);
            Doubt { what: format!("{} is not excluded at {place}", doubt.what), ..doubt }
        })
    }

    fn step(&self, heap: Heap, action: &Action) -> Doubts<Step> {
        let mut step = Step::default();
        let mut heaps = Vec::new();
        for mut heap in self.action(heap, action)? {
            if heap.cutpoints.is_some() && heap.transit.changes_hands() {
                return Err("a change of locks or threads in a recursive function".into());
            }
            match heap.transit.rest.take() {
                Some(rest) => step.calls.push(Call { local: heap, rest: *rest }),
                None if heap.frames.is_empty() => step.exits.push(heap),
                None => heaps.push(heap),
            }
        }
        let Some(plan) = self.plan else { return Ok(Step { heaps, ..step }) };
        for heap in &mut heaps {
            self.settle(plan, heap)?;
        }
        for mut heap in heaps {
            step.parted.append(&mut heap.transit.parted);
            if heap.transit.is_alone || !heap.transit.takes.is_empty() {
                step.takes = true;
                step.heaps.extend(self.take(plan, &mut heap));
            } else {
                step.heaps.push(heap);
            }
        }
        Ok(step)
    }

    fn action(&self, heap: Heap, action: &Action) -> Doubts<Vec<Heap>> {
        match action {
            Action::Ops { ops, next, .. } => {
                let mut heaps = vec![heap];
                for op in ops {
                    let mut after = Vec::new();
                    for heap in heaps {
                        after.extend(self.operation(heap, op)?);
                    }
                    heaps = after;
                }
                heaps.iter_mut().for_each(|heap| heap.frame_mut().loc = *next);
                Ok(heaps)
            }
            Action::Branch { cond, yes, no } => {
                let mut after = Vec::new();
                for (truth, target) in [(true, yes), (false, no)] {
                    let mut heaps = self.assume(heap.clone(), cond, truth)?;
                    heaps.iter_mut().for_each(|heap| heap.frame_mut().loc = *target);
                    after.extend(heaps);
                }
                Ok(after)
            }
            Action::Call { callee, args, .. } => self.call(heap, callee, args),
            Action::Return(result) => self.return_from(heap, result.as_ref()),
            Action::ThreadExit(result) => {
                for heap in self.value(heap, result)? {
                    self.end_of_thread(&heap)?;
                }
                Ok(Vec::new())
            }
            Action::Exit => self.end(&heap, true),
            Action::Error { property, message } if self.property.includes(*property) => {
                Err(message.as_str().into())
            }
            Action::Error { .. } => Ok(Vec::new()),
            Action::Unsupported(what) => Err(what.as_str().into()),
            Action::Undefined(what) => Err(what.to_string().as_str().into()),
        }
    }

    /// A thread ends; the last one, and the program with it.
    pub(super) fn end_of_thread(&self, heap: &Heap) -> Doubts<Vec<Heap>> {
        if !heap.others.exist() {
            return self.end(heap, false);
        }
        if heap.cutpoints.is_some() {
            return Err("the end of a thread in a recursive function".into());
        }
        if !heap.others.held.is_empty() {
            return Err("a thread that ends with a lock held".into());
        }
        for node in heap.frames.iter().flat_map(|frame| frame.locals.values().chain(&frame.allocated)) {
            self.leaves(heap, *node)?;
        }
        let has_objects = heap.nodes.values().any(|node| node.life == Life::Heap);
        // After the first thread's end, the last thread's is that of the program: what locks protect is left.
        if self.property.is_about_leaks()
            && (has_objects || heap.others.is_first && !self.leaves_only_static())
        {
            return Err("an object that a thread has when it ends".into());
        }
        Ok(Vec::new())
    }

    /// Returns true if static objects lead to all that is left when the program ends with its last thread, which has nothing, and if that is no leak.
    fn leaves_only_static(&self) -> bool {
        self.property != Property::ValidMemcleanup
            && self.plan.is_none_or(|plan| plan.made.is_empty())
            && !self.program.objects.iter().any(program::Object::is_record)
    }

    /// The program ends; frames count as long as they are there.
    pub(super) fn end(&self, heap: &Heap, with_frames: bool) -> Doubts<Vec<Heap>> {
        if self.property.is_about_leaks() && heap.cutpoints.is_some() {
            return Err("an end of the program in a recursive function".into());
        }
        if self.property.is_about_leaks() && heap.others.exist() {
            return Err("an end of the program while other threads may run".into());
        }
        let is_heap = |node: &&NodeId| heap.node(**node).life == Life::Heap;
        if self.property == Property::ValidMemcleanup && heap.nodes.keys().any(|node| is_heap(&node)) {
            return Err("an object that is not freed at the end of the program".into());
        }
        if self.property.is_about_leaks() && self.program.objects.iter().any(program::Object::is_record) {
            return Err("what undefined functions know is no reason that an object is not lost".into());
        }
        if self.property.is_about_leaks() {
            let tracked = heap.reachable(with_frames);
            if heap.nodes.keys().filter(is_heap).any(|node| !tracked.contains(node)) {
                return Err("an object that is lost".into());
            }
        }
        Ok(Vec::new())
    }

    pub(super) fn pointer(&self) -> Width {
        self.program.data_model.pointer()
    }

    fn operation(&self, mut heap: Heap, op: &Op) -> Doubts<Vec<Heap>> {
        let is_about_threads = matches!(op, Op::Create { .. } | Op::Join { .. } | Op::Detach { .. });
        if is_about_threads && heap.cutpoints.is_some() {
            return Err("a thread that a recursive function starts or waits for".into());
        }
        let heaps = match op {
            Op::Set { var, value } => {
                let mut heaps = self.value(heap, value)?;
                for heap in &mut heaps {
                    let value = heap.pop();
                    heap.frame_mut().registers[var.index()] = Some(value);
                }
                heaps
            }
            Op::Store { addr, value, order } => self.store(heap, addr, value, *order)?,
            Op::Havoc { var } => {
                heap.frame_mut().registers[var.index()] = None;
                vec![heap]
            }
            Op::Forget { var, alive } => self.forget(heap, *var, *alive)?,
            Op::Guard(cond) => self.guard(heap, cond)?,
            Op::Assume(cond) => self.assume(heap, cond, true)?,
            Op::Copy { dst, src, len } => self.copy(heap, dst, src, len)?,
            Op::Fill { dst, byte, len } => self.fill(heap, dst, byte, len)?,
            Op::Alloc { var, size, storage, .. } => self.alloc(heap, *var, size, *storage)?,
            Op::Free(ptr) => self.free(heap, ptr)?,
            Op::AtomicBegin => self.enter_section(heap)?,
            Op::AtomicEnd => self.leave_section(heap),
            Op::Fence(_) | Op::Signed { .. } => vec![heap],
            Op::Realloc { .. } => {
                return Err("a reallocation, which this analysis does not follow,".into());
            }
            Op::Create { handle, func, arg } => self.create(heap, *handle, func, arg)?,
            Op::Join { handle, result, error } => self.join(heap, handle, *result, *error)?,
            Op::Detach { handle, error } => self.detach(heap, handle, *error)?,
            Op::WaitBegin(_) | Op::WaitEnd { .. } if self.property == Property::NoDeadlock => {
                return Err("a wait for a signal".into());
            }
            Op::WaitBegin(cond) | Op::Signal { cond, .. } => self.condition(heap, cond)?,
            Op::WaitEnd { woken, .. } => {
                if let Some(woken) = woken {
                    let value = heap.any(Width::BOOL);
                    heap.frame_mut().registers[woken.index()] = Some(value);
                }
                vec![heap]
            }
        };
        debug_assert!(
            heaps.iter().all(|heap| heap.operands.is_empty()),
            "an operation should use its operands"
        );
        Ok(heaps)
    }

    /// A condition variable says when threads go on, which does not matter here.
    fn condition(&self, heap: Heap, cond: &Expr) -> Doubts<Vec<Heap>> {
        let mut heaps = self.value(heap, cond)?;
        match heaps.iter_mut().all(|heap| matches!(heap.pop(), Value::Address(_))) {
            true => Ok(heaps),
            false => Err("a wait on something that may be no condition variable".into()),
        }
    }

    fn store(&self, heap: Heap, addr: &Expr, value: &Expr, order: Order) -> Doubts<Vec<Heap>> {
        let bytes = value.width().bytes();
        let mut done = Vec::new();
        for heap in self.values(heap, [addr, value])? {
            for mut heap in self.place(heap, 2, bytes, Access::writing(addr))? {
                let value = heap.pop();
                if let Some(Value::Address(to)) = heap.operands.last() {
                    self.may_race(&heap, *to, bytes, order)?;
                }
                self.write(&mut heap, bytes, Some(value));
                done.push(heap);
            }
        }
        Ok(done)
    }

    /// Writes to the place that is the last operand.
    fn write(&self, heap: &mut Heap, bytes: u64, value: Option<Value>) {
        let Value::Address(address) = heap.pop() else {
            unreachable!("an accessed place should be an address")
        };
        if let Ok(Some(lock)) = self.lock_at(heap, address, bytes) {
            let now = value.unwrap_or_else(|| heap.any(Width::of_bytes(bytes)));
            if let Some(word) = heap.transit.words.get_mut(&lock) {
                word.now = now;
            }
            return;
        }
        let is_open = self.is_open(heap, address, bytes) != Part::None;
        let node = heap.node_mut(address.node);
        if node.life == Life::Open || is_open {
            return;
        }
        match address.exact().and_then(|at| u64::try_from(at).ok()) {
            Some(at) => node.write(at, bytes, value),
            None => {
                node.cells.clear();
                node.background = Background::Unknown;
            }
        }
    }

    /// Pushes the values of several expressions.
    pub(super) fn values<const N: usize>(&self, heap: Heap, all: [&Expr; N]) -> Doubts<Vec<Heap>> {
        let mut heaps = vec![heap];
        for e in all {
            let mut after = Vec::new();
            for heap in heaps {
                after.extend(self.value(heap, e)?);
            }
            heaps = after;
        }
        Ok(heaps)
    }

    fn forget(&self, mut heap: Heap, var: program::VarId, alive: bool) -> Doubts<Vec<Heap>> {
        let func = heap.frame().func;
        match self.program.functions[func].vars[var].kind {
            VarKind::Register(_) => heap.frame_mut().registers[var.index()] = None,
            VarKind::Memory { size, read_only, .. } => {
                if let Some(node) = heap.frame_mut().locals.remove(&var) {
                    self.leaves(&heap, node)?;
                    heap.kill(node, self.pointer());
                }
                if alive {
                    let node = heap.insert(Node::new(size, Life::of_frame(read_only), Background::Unknown));
                    heap.frame_mut().locals.insert(var, node);
                }
            }
        }
        Ok(vec![heap])
    }

    fn alloc(&self, heap: Heap, var: program::VarId, size: &Expr, storage: Storage) -> Doubts<Vec<Heap>> {
        let mut heaps = self.value(heap, size)?;
        for heap in &mut heaps {
            let value = heap.pop();
            let range = heap.range(value, size.width());
            let most = if range.low == range.high { MAX_SIZE } else { MAX_ROOM };
            let (Ok(least), true) = (u64::try_from(range.low), range.high <= i128::from(most)) else {
                return Err("an allocation of any size".into());
            };
            let life = if storage == Storage::Heap { Life::Heap } else { Life::Frame };
            let node = heap.insert(Node::new(least, life, Background::Unknown));
            if storage == Storage::Frame {
                heap.frame_mut().allocated.push(node);
            }
            heap.frame_mut().registers[var.index()] = Some(Value::Address(Address::start(node)));
        }
        Ok(heaps)
    }

    fn free(&self, heap: Heap, ptr: &Expr) -> Doubts<Vec<Heap>> {
        let mut done = Vec::new();
        let mut queue = self.value(heap, ptr)?;
        while let Some(mut heap) = queue.pop() {
            match heap.pop() {
                Value::Number(0) => done.push(heap),
                Value::Address(address) if heap.node(address.node).shape != Shape::Single => {
                    let heap = heap.with(Value::Address(address));
                    queue.extend(heap.expose(address.node, address.end));
                }
                Value::Address(address)
                    if address.exact() == Some(0) && heap.node(address.node).life == Life::Heap =>
                {
                    heap.kill(address.node, self.pointer());
                    done.push(heap);
                }
                Value::Number(_) | Value::Symbol(_) | Value::Function(_) | Value::Address(_) => {
                    return Err("a free of something that is no live heap object".into());
                }
            }
        }
        Ok(done)
    }

    fn fill(&self, heap: Heap, dst: &Expr, byte: &Expr, len: &Expr) -> Doubts<Vec<Heap>> {
        let mut done = Vec::new();
        for mut heap in self.values(heap, [dst, byte, len])? {
            let (len, byte) = (heap.pop(), heap.pop());
            let Some(len) = constant(len) else { return Err("a write of any length".into()) };
            if len == 0 {
                heap.pop();
                done.push(heap);
                continue;
            }
            for mut heap in self.place(heap, 1, len, Access::writing(dst))? {
                self.is_plain(&heap, len, 1)?;
                let zero = (byte == Value::Number(0)).then_some(Value::Number(0));
                self.write(&mut heap, len, zero);
                done.push(heap);
            }
        }
        Ok(done)
    }

    /// A doubt if a block that is filled or copied is one of the last operands, and a lock or an object that holds anything.
    fn is_plain(&self, heap: &Heap, len: u64, n_operands: usize) -> Doubts<()> {
        for value in heap.operands.iter().rev().take(n_operands) {
            let Value::Address(to) = value else { continue };
            let is_open = self.is_open(heap, *to, len) != Part::None;
            if is_open || self.lock_at(heap, *to, len)?.is_some() || heap.node(to.node).life == Life::Open {
                return Err("a copy of a lock, or of what all threads access".into());
            }
        }
        Ok(())
    }

    fn copy(&self, heap: Heap, dst: &Expr, src: &Expr, len: &Expr) -> Doubts<Vec<Heap>> {
        let mut done = Vec::new();
        for mut heap in self.values(heap, [dst, src, len])? {
            let len = constant(heap.pop()).filter(|len| *len <= MAX_COPY);
            let Some(len) = len else { return Err("a copy of any length".into()) };
            if len == 0 {
                heap.operands.clear();
                done.push(heap);
                continue;
            }
            for heap in self.place(heap, 1, len, Access::Read)? {
                for mut heap in self.place(heap, 2, len, Access::writing(dst))? {
                    self.is_plain(&heap, len, 2)?;
                    copy_cells(&mut heap, len);
                    done.push(heap);
                }
            }
        }
        Ok(done)
    }
}

fn constant(value: Value) -> Option<u64> {
    if let Value::Number(number) = value { u64::try_from(number).ok() } else { None }
}

/// Copies bytes to the last operand but one from the last; both are places that can be accessed.
fn copy_cells(heap: &mut Heap, len: u64) {
    let (src, dst) = (heap.pop(), heap.pop());
    let (Value::Address(src), Value::Address(dst)) = (src, dst) else {
        unreachable!("accessed places should be addresses")
    };
    let exact = |at: i64| u64::try_from(at).ok();
    let (from, to) = (src.exact().and_then(exact), dst.exact().and_then(exact));
    let source = heap.node(src.node).clone();
    let target = heap.node_mut(dst.node);
    let (Some(from), Some(to)) = (from, to) else {
        target.cells.clear();
        target.background = Background::Unknown;
        return;
    };
    let mut zero_until = None;
    if source.background == Background::Zero || matches!(source.background, Background::Initial(_)) {
        zero_until = (source.background == Background::Zero).then_some(Value::Number(0));
    }
    target.write(to, len, zero_until);
    let inside = source.cells.range(..from + len).filter(|(at, cell)| **at + cell.len > from);
    for (at, cell) in inside {
        let whole = *at >= from && at + cell.len <= from + len;
        let (start, end) = ((*at).max(from), (at + cell.len).min(from + len));
        target.write(to + (start - from), end - start, if whole { cell.value } else { None });
    }
}
