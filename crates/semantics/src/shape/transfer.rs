//! One step of the running thread, on abstract heaps.
//!
//! [`Transfer::post`] gives heaps that describe all states to which an action leads from the states that a heap describes; or a doubt, if the action may do something
//! that the property forbids, has no model, or is more than this abstraction follows.

use super::eval::Access;
use super::heap::{Background, Frame, Heap, Life, Node, Shape, Value};
use base::{Idx, Inconclusive};
use program::interp::span_name;
use program::{Action, Callee, Expr, FuncId, Op, Program, Property, Storage, VarKind, Width};

/// A result, or what is in doubt.
pub(super) type Doubts<T> = Result<T, String>;

/// The deepest stack of calls that is followed.
const MAX_FRAMES: usize = 64;
/// The largest object whose size is an input.
const MAX_ROOM: u64 = 1 << 24;
/// The longest copy that is followed.
const MAX_COPY: u64 = 1 << 12;
/// The largest object of constant size.
const MAX_SIZE: u64 = 1 << 30;

/// Steps of a program without threads.
#[derive(Clone, Copy, Debug)]
pub struct Transfer<'p> {
    /// The program.
    pub program: &'p Program,
    /// What is to be decided.
    pub property: Property,
}

impl Transfer<'_> {
    /// The heap in which the program starts.
    pub fn initial(&self) -> Heap {
        let mut heap = Heap {
            frames: Vec::new(),
            nodes: Default::default(),
            statics: Default::default(),
            symbols: Default::default(),
            operands: Vec::new(),
        };
        for (id, object) in self.program.objects.iter_enumerated() {
            let background = if object.arbitrary { Background::Unknown } else { Background::Initial(id) };
            let life = Life::Static { writable: !object.read_only };
            let node = heap.insert(Node::new(object.size, life, background));
            heap.statics.insert(id, node);
        }
        self.enter(&mut heap, self.program.entry, Vec::new());
        heap
    }

    /// The heaps after the next action; none if it ends the execution.
    pub fn post(&self, heap: &Heap) -> Result<Vec<Heap>, Inconclusive> {
        let frame = heap.frame();
        let location = &self.program.functions[frame.func].locations[frame.loc];
        self.action(heap.clone(), &location.action).map_err(|what| {
            let place = span_name(self.program, location.span);
            Inconclusive::NoProof(format!("{what} is not excluded at {place}"))
        })
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
            // The only thread ends, and the program with it.
            Action::ThreadExit(_) => self.end(&heap, false),
            Action::Exit => self.end(&heap, true),
            Action::Error { property, message } if self.property.includes(*property) => Err(message.clone()),
            Action::Error { .. } => Ok(Vec::new()),
            Action::Unsupported(what) => Err(what.clone()),
            Action::Undefined(what) => Err(what.to_string()),
        }
    }

    /// The program ends; frames count as long as they are there.
    fn end(&self, heap: &Heap, with_frames: bool) -> Doubts<Vec<Heap>> {
        let is_heap = |node: &&super::heap::NodeId| heap.node(**node).life == Life::Heap;
        if self.property == Property::ValidMemcleanup && heap.nodes.keys().any(|node| is_heap(&node)) {
            return Err("an object that is not freed at the end of the program".to_owned());
        }
        if self.property.is_about_leaks() && self.program.objects.iter().any(program::Object::is_record) {
            return Err("what undefined functions know is no reason that an object is not lost".to_owned());
        }
        if self.property.is_about_leaks() {
            let tracked = heap.reachable(with_frames);
            if heap.nodes.keys().filter(is_heap).any(|node| !tracked.contains(node)) {
                return Err("an object that is lost".to_owned());
            }
        }
        Ok(Vec::new())
    }

    fn enter(&self, heap: &mut Heap, func: FuncId, args: Vec<(Value, Width)>) {
        let function = &self.program.functions[func];
        let mut frame = Frame {
            func,
            loc: function.entry,
            registers: vec![None; function.vars.len()],
            locals: Default::default(),
            allocated: Vec::new(),
        };
        for (var, declared) in function.vars.iter_enumerated() {
            if let VarKind::Memory { size, read_only, .. } = declared.kind {
                let node = heap.insert(Node::new(size, Life::of_frame(read_only), Background::Unknown));
                frame.locals.insert(var, node);
            }
        }
        for (param, (value, from)) in function.params.iter().zip(args) {
            if let VarKind::Register(width) = function.vars[*param].kind {
                let value = if from == width { Some(value) } else { None };
                frame.registers[param.index()] = value;
            }
        }
        heap.frames.push(frame);
    }

    fn call(&self, heap: Heap, callee: &Callee, args: &[Expr]) -> Doubts<Vec<Heap>> {
        if heap.frames.len() >= MAX_FRAMES {
            return Err("a deep recursion".to_owned());
        }
        let mut heaps = vec![heap];
        let address = if let Callee::Indirect(address) = callee { Some(address) } else { None };
        for e in args.iter().chain(address) {
            let mut after = Vec::new();
            for heap in heaps {
                after.extend(self.value(heap, e)?);
            }
            heaps = after;
        }
        for heap in &mut heaps {
            let func = match callee {
                Callee::Direct(func) => *func,
                Callee::Indirect(_) => match heap.pop() {
                    Value::Function(func) => func,
                    _ => return Err("a call of something that may be no function".to_owned()),
                },
            };
            let values = std::mem::take(&mut heap.operands);
            let values = values.into_iter().zip(args).map(|(value, e)| (value, e.width())).collect();
            self.enter(heap, func, values);
        }
        Ok(heaps)
    }

    fn return_from(&self, heap: Heap, result: Option<&Expr>) -> Doubts<Vec<Heap>> {
        let mut heaps = match result {
            Some(result) => self.value(heap, result)?,
            None => vec![heap],
        };
        if heaps.iter().any(|heap| heap.frames.len() == 1) {
            for heap in &mut heaps {
                heap.operands.clear();
                self.end(heap, false)?;
            }
            return Ok(Vec::new());
        }
        for heap in &mut heaps {
            let left = heap.frames.pop().expect("a call should have a frame");
            for node in left.locals.values().chain(&left.allocated) {
                heap.kill(*node, self.pointer());
            }
            let value = result.map(|_| heap.pop());
            let caller = heap.frame();
            let action = &self.program.functions[caller.func].locations[caller.loc].action;
            let Action::Call { ret, next, .. } = action else { unreachable!("a caller should be at a call") };
            heap.frame_mut().loc = *next;
            if let Some(var) = ret {
                heap.frame_mut().registers[var.index()] = value;
            }
        }
        Ok(heaps)
    }

    pub(super) fn pointer(&self) -> Width {
        self.program.data_model.pointer()
    }

    fn operation(&self, mut heap: Heap, op: &Op) -> Doubts<Vec<Heap>> {
        let heaps = match op {
            Op::Set { var, value } => {
                let mut heaps = self.value(heap, value)?;
                for heap in &mut heaps {
                    let value = heap.pop();
                    heap.frame_mut().registers[var.index()] = Some(value);
                }
                heaps
            }
            Op::Store { addr, value, .. } => self.store(heap, addr, value)?,
            Op::Havoc { var } => {
                heap.frame_mut().registers[var.index()] = None;
                vec![heap]
            }
            Op::Forget { var, alive } => self.forget(heap, *var, *alive),
            Op::Guard(cond) | Op::Assume(cond) => self.assume(heap, cond, true)?,
            Op::Copy { dst, src, len } => self.copy(heap, dst, src, len)?,
            Op::Fill { dst, byte, len } => self.fill(heap, dst, byte, len)?,
            Op::Alloc { var, size, storage, .. } => self.alloc(heap, *var, size, *storage)?,
            Op::Free(ptr) => self.free(heap, ptr)?,
            Op::AtomicBegin | Op::AtomicEnd | Op::Fence(_) | Op::Signed { .. } => vec![heap],
            Op::Realloc { .. } => {
                return Err("a reallocation, which this analysis does not follow,".to_owned());
            }
            Op::Create { .. }
            | Op::Join { .. }
            | Op::Detach { .. }
            | Op::WaitBegin(_)
            | Op::WaitEnd { .. }
            | Op::Signal { .. } => return Err("a thread, which this analysis does not follow,".to_owned()),
        };
        debug_assert!(
            heaps.iter().all(|heap| heap.operands.is_empty()),
            "an operation should use its operands"
        );
        Ok(heaps)
    }

    fn store(&self, heap: Heap, addr: &Expr, value: &Expr) -> Doubts<Vec<Heap>> {
        let bytes = value.width().bytes();
        let mut done = Vec::new();
        for heap in self.values(heap, [addr, value])? {
            for mut heap in self.place(heap, 2, bytes, Access::writing(addr))? {
                let value = heap.pop();
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
        let node = heap.node_mut(address.node);
        match address.exact().and_then(|at| u64::try_from(at).ok()) {
            Some(at) => node.write(at, bytes, value),
            None => {
                node.cells.clear();
                node.background = Background::Unknown;
            }
        }
    }

    /// Pushes the values of several expressions.
    fn values<const N: usize>(&self, heap: Heap, all: [&Expr; N]) -> Doubts<Vec<Heap>> {
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

    fn forget(&self, mut heap: Heap, var: program::VarId, alive: bool) -> Vec<Heap> {
        let func = heap.frame().func;
        match self.program.functions[func].vars[var].kind {
            VarKind::Register(_) => heap.frame_mut().registers[var.index()] = None,
            VarKind::Memory { size, read_only, .. } => {
                if let Some(node) = heap.frame_mut().locals.remove(&var) {
                    heap.kill(node, self.pointer());
                }
                if alive {
                    let node = heap.insert(Node::new(size, Life::of_frame(read_only), Background::Unknown));
                    heap.frame_mut().locals.insert(var, node);
                }
            }
        }
        vec![heap]
    }

    fn alloc(&self, heap: Heap, var: program::VarId, size: &Expr, storage: Storage) -> Doubts<Vec<Heap>> {
        let mut heaps = self.value(heap, size)?;
        for heap in &mut heaps {
            let value = heap.pop();
            let range = heap.range(value, size.width());
            let most = if range.low == range.high { MAX_SIZE } else { MAX_ROOM };
            let (Ok(least), true) = (u64::try_from(range.low), range.high <= i128::from(most)) else {
                return Err("an allocation of any size".to_owned());
            };
            let life = if storage == Storage::Heap { Life::Heap } else { Life::Frame };
            let node = heap.insert(Node::new(least, life, Background::Unknown));
            if storage == Storage::Frame {
                heap.frame_mut().allocated.push(node);
            }
            heap.frame_mut().registers[var.index()] = Some(Value::Address(super::heap::Address::start(node)));
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
                    return Err("a free of something that is no live heap object".to_owned());
                }
            }
        }
        Ok(done)
    }

    fn fill(&self, heap: Heap, dst: &Expr, byte: &Expr, len: &Expr) -> Doubts<Vec<Heap>> {
        let mut done = Vec::new();
        for mut heap in self.values(heap, [dst, byte, len])? {
            let (len, byte) = (heap.pop(), heap.pop());
            let Some(len) = constant(len) else { return Err("a write of any length".to_owned()) };
            if len == 0 {
                heap.pop();
                done.push(heap);
                continue;
            }
            for mut heap in self.place(heap, 1, len, Access::writing(dst))? {
                let zero = (byte == Value::Number(0)).then_some(Value::Number(0));
                self.write(&mut heap, len, zero);
                done.push(heap);
            }
        }
        Ok(done)
    }

    fn copy(&self, heap: Heap, dst: &Expr, src: &Expr, len: &Expr) -> Doubts<Vec<Heap>> {
        let mut done = Vec::new();
        for mut heap in self.values(heap, [dst, src, len])? {
            let len = constant(heap.pop()).filter(|len| *len <= MAX_COPY);
            let Some(len) = len else { return Err("a copy of any length".to_owned()) };
            if len == 0 {
                heap.operands.clear();
                done.push(heap);
                continue;
            }
            for heap in self.place(heap, 1, len, Access::Read)? {
                for mut heap in self.place(heap, 2, len, Access::writing(dst))? {
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
