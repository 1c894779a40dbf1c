//! Heaps of several threads: who has which objects, and how they change hands.
//!
//! This is thread-modular shape analysis (Gotsman, Berdine, Cook, Sagiv, PLDI 2007), which is concurrent separation logic (O'Hearn 2007) on graphs. Every object belongs to one
//! thread, or to a lock while no thread holds it; a thread accesses what it has. So the steps of a thread say nothing about the heaps of others, and each thread is
//! followed alone. What a lock has is described by a set of heaps without frames, the *invariant*.
//!
//! | where | what happens | |
//! |---|---|---|
//! | the first thread is created | the objects that each lock protects, and all heap objects to which they lead, go to the lock | [`Transfer::share`] |
//! | a thread is created | the heap objects to which its argument leads go to it | [`Transfer::create`] |
//! | a lock is taken | the thread's heap is combined with one of the invariant, any of those of the lock | [`Transfer::take`] |
//! | a lock is given back | the objects that it protects, and all heap objects to which they lead, are split off: they must be in the invariant | [`Transfer::release`] |
//! | the last thread is joined | as if all locks were taken, for good | [`Transfer::take`] |
//!
//! Who has what is a choice, and every choice is sound: a pointer to an object that another thread or a lock has is a number of which nothing is known, and an access through it a doubt. Only
//! the [anchors](Anchor) keep their addresses: static objects, and those that the first thread made for all threads before it created one (a queue with its lock, say, or a variable of `main`). Those that the
//! thread does not have are nodes that must not be [accessed](Life::Elsewhere). What is done with each is in the [`Plan`]:
//!
//! | role | while there are several threads |
//! |---|---|
//! | [`Role::Protected`] | it belongs to a lock. Fields of it that no thread writes to can be read without the lock: each thread has a copy of what they hold. Others may be open |
//! | [`Role::Frozen`] | all read it, and no thread writes to it; each has a copy of what it holds |
//! | [`Role::OfFirst`] | the first thread has it |
//! | [`Role::Open`] | all read and write it without a lock: it holds anything |
//!
//! Therefore no two threads can access the same bytes at once, if one of the accesses writes, except for words of locks and open objects. While a made object is shared, it is not freed, and
//! the frame in which it lives is not left: both are doubts. When the last thread has been joined, it is what it was before.
//!
//! # Direction of error
//! Leaks: what another thread has when the program ends is a doubt; so is what it has when it ends itself. Only the first thread creates threads, joins or detaches them.

use super::heap::{
    Anchor, Background, Heap, Life, LockId, Node, NodeId, Others, Parted, Range, Sharing, SymbolId, Transit,
    Value,
};
use super::plan::{Lock, Made, Plan, Role};
use super::transfer::{Doubts, Transfer};
use program::{Expr, FuncId, Property, VarId, Width};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The largest number of threads that are counted.
const MAX_THREADS: usize = 8;

/// The numbers that are handles of threads (`program::interp`).
pub(super) fn handles(width: Width) -> Range {
    Range { width, low: 1, high: i128::from(i32::MAX) }
}

impl Others {
    /// Those of the program's start: none.
    pub(super) fn none() -> Self {
        Self::of(Sharing::Alone, true)
    }

    fn of(sharing: Sharing, is_first: bool) -> Self {
        Self { sharing, held: BTreeMap::new(), own: None, is_first, started: Vec::new(), uncounted: false }
    }

    /// Returns true if there may be some.
    pub fn exist(&self) -> bool {
        self.sharing != Sharing::Alone
    }
}

/// The numbers that the low words of handles can be.
pub(super) fn own_handle() -> Range {
    handles(Width::INT)
}

impl Transfer<'_> {
    fn is_thread_local(&self, anchor: Anchor) -> bool {
        matches!(anchor, Anchor::Object(object) if self.program.objects[object].thread_local)
    }

    fn is_protected(&self, plan: &Plan, anchor: Anchor, lock: LockId) -> bool {
        !self.is_thread_local(anchor) && plan.role(self.program, anchor) == Role::Protected(lock)
    }

    /// The objects of a heap that a lock protects, and the heap objects to which they lead.
    fn protected(&self, plan: &Plan, heap: &Heap, lock: LockId) -> BTreeSet<NodeId> {
        let anchors = heap.anchors.iter().filter(|(anchor, _)| self.is_protected(plan, **anchor, lock));
        let roots: Vec<NodeId> = anchors.map(|(_, node)| *node).collect();
        heap.closure(roots)
    }

    /// Splits off some nodes. Both heaps have nodes for all anchors.
    fn split(&self, plan: &Plan, heap: &mut Heap, goes: &BTreeSet<NodeId>, others: Others) -> Heap {
        let placeholders: Vec<(NodeId, Arc<Node>)> = heap
            .anchors
            .iter()
            .map(|(anchor, id)| (*id, Arc::new(self.placeholder(plan, heap, *anchor, *id))))
            .collect();
        let mut part = Heap {
            frames: Vec::new(),
            nodes: BTreeMap::new(),
            anchors: heap.anchors.clone(),
            symbols: heap.symbols.clone(),
            facts: Default::default(),
            operands: Vec::new(),
            cutpoints: None,
            others,
            transit: Transit::default(),
        };
        for id in goes {
            let node = heap.nodes.remove(id).expect("what is split off should exist");
            part.nodes.insert(*id, node);
        }
        for (id, placeholder) in placeholders {
            heap.nodes.entry(id).or_insert_with(|| Arc::clone(&placeholder));
            part.nodes.entry(id).or_insert(placeholder);
        }
        heap.forget_lost_addresses(&BTreeSet::new(), self.pointer());
        part.forget_lost_addresses(&self.own_anchors(&part), self.pointer());
        part.forget_unused_symbols();
        part
    }

    /// What a thread knows of an object that it does not have: fields that no thread writes to.
    fn placeholder(&self, plan: &Plan, heap: &Heap, anchor: Anchor, id: NodeId) -> Node {
        let mut node = Node::new(heap.node(id).size, Life::Elsewhere, Background::Unknown);
        for (_, at, len) in plan.fields.iter().filter(|(of, ..)| *of == anchor) {
            node.write(*at, *len, self.known(heap, id, *at, *len));
        }
        node
    }

    /// The nodes of static objects of which each thread has its own.
    fn own_anchors(&self, heap: &Heap) -> BTreeSet<NodeId> {
        let own = heap.anchors.iter().filter(|(anchor, _)| self.is_thread_local(**anchor));
        own.map(|(_, node)| *node).collect()
    }

    /// The thread gives a lock back.
    pub(super) fn release(&self, plan: &Plan, heap: &mut Heap, lock: LockId) {
        let goes = self.protected(plan, heap, lock);
        let mut part = self.split(plan, heap, &goes, Others::of(Sharing::Free(lock), false));
        for node in part.nodes.values_mut().filter(|node| node.life == Life::Elsewhere) {
            Arc::make_mut(node).cells.clear();
        }
        part.forget_unused_symbols();
        heap.transit.parted.push(Parted::Released(part));
        heap.others.held.remove(&lock);
    }

    /// A thread that was alone begins to share.
    fn share(&self, plan: &Plan, heap: &mut Heap, arg: Value) -> Doubts<()> {
        for (n, made) in plan.made.iter().enumerate() {
            let node = self.find(heap, made, arg)?;
            heap.anchors.insert(Anchor::Made(u32::try_from(n).unwrap_or(u32::MAX)), node);
            heap.node_mut(node).life = Life::Static { writable: true };
        }
        for lock in &plan.locks {
            let Lock::Word { object, offset, bytes, .. } = lock else { continue };
            let node = heap.anchors[object];
            let is_inside = offset.checked_add(*bytes).is_some_and(|end| end <= heap.node(node).size);
            if !is_inside || self.known(heap, node, *offset, *bytes) != Some(Value::Number(0)) {
                return Err("a lock that is held when a thread is created".into());
            }
        }
        self.open(plan, heap)?;
        heap.others.sharing = Sharing::Shared;
        for (lock, _) in plan.numbered() {
            self.release(plan, heap, lock);
        }
        for (anchor, id) in heap.anchors.clone() {
            if self.is_thread_local(anchor) {
                continue;
            }
            match plan.role(self.program, anchor) {
                Role::Protected(_) | Role::OfFirst => {}
                Role::Frozen => heap.node_mut(id).life = Life::Static { writable: false },
                Role::Open => {
                    let size = heap.node(id).size;
                    *heap.node_mut(id) = Node::new(size, Life::Open, Background::Unknown);
                }
            }
        }
        Ok(())
    }

    /// What all threads access holds anything from now on. It was set before, so that no thread reads memory that was not.
    fn open(&self, plan: &Plan, heap: &mut Heap) -> Doubts<()> {
        for (anchor, at, len) in &plan.open {
            let node = heap.anchors[anchor];
            if self.known(heap, node, *at, *len).is_none() {
                return Err("a shared field that was not set".into());
            }
            heap.node_mut(node).write(*at, *len, None);
        }
        let is_open = |(n, _): &(usize, &Made)| {
            let anchor = Anchor::Made(u32::try_from(*n).unwrap_or(u32::MAX));
            plan.role(self.program, anchor) == Role::Open
        };
        match self.program.strict_decisions && plan.made.iter().enumerate().any(|made| is_open(&made)) {
            true => Err("a shared object that may not be set".into()),
            false => Ok(()),
        }
    }

    /// A thread is created.
    pub(super) fn create(&self, heap: Heap, handle: VarId, func: &Expr, arg: &Expr) -> Doubts<Vec<Heap>> {
        let Some(plan) = self.plan else {
            return Err("a thread, which this analysis does not follow,".into());
        };
        let mut heaps = self.values(heap, [func, arg])?;
        for heap in &mut heaps {
            let (arg, func) = (heap.pop(), heap.pop());
            let Value::Function(func) = func else {
                return Err("a start of something that may be no function".into());
            };
            let settled = heap.transit.takes.is_empty() && !heap.transit.is_alone;
            if !heap.others.is_first || !settled {
                return Err("a thread that another thread than the first one starts".into());
            }
            heap.operands.push(arg);
            if !heap.others.exist() {
                self.share(plan, heap, arg)?;
            }
            let started = self.start(plan, heap, func);
            heap.transit.parted.push(Parted::Started(started));
            let id = heap.number(handles(self.pointer()));
            heap.frame_mut().registers[base::Idx::index(handle)] = Some(id);
            heap.others.started.push(id);
            if heap.others.started.len() > MAX_THREADS {
                heap.others.started.clear();
                heap.others.uncounted = true;
            }
        }
        Ok(heaps)
    }

    /// The heap of a new thread, whose argument is the last operand.
    fn start(&self, plan: &Plan, heap: &mut Heap, func: FuncId) -> Heap {
        let arg = heap.pop();
        let goes = match arg {
            Value::Address(to) if heap.node(to.node).life == Life::Heap => heap.closure(vec![to.node]),
            _ => BTreeSet::new(),
        };
        // Symbols of copies are those of the heap before numbers are made for pointers that are lost.
        let before = heap.clone();
        let mut part = self.split(plan, heap, &goes, Others::of(Sharing::Shared, false));
        part.symbols.extend(&before.symbols);
        part.operands.push(arg);
        for (anchor, id) in &before.anchors {
            if let Anchor::Object(object) = anchor
                && self.is_thread_local(*anchor)
            {
                let declared = &self.program.objects[*object];
                let life = Life::Static { writable: !declared.read_only };
                *part.node_mut(*id) = Node::new(declared.size, life, Background::Initial(*object));
            } else if matches!(plan.role(self.program, *anchor), Role::Frozen | Role::Open) {
                *part.node_mut(*id) = before.node(*id).clone();
            }
        }
        part.forget_lost_addresses(&self.own_anchors(&part), self.pointer());
        let arg = part.pop();
        part.others.own = Some(part.number(own_handle()));
        self.enter(&mut part, func, vec![(arg, self.pointer())]);
        part.forget_unused_symbols();
        part
    }

    /// A thread is joined, or may be.
    pub(super) fn join(&self, heap: Heap, handle: &Expr, result: VarId, error: VarId) -> Doubts<Vec<Heap>> {
        let mut heaps = self.value(heap, handle)?;
        for heap in &mut heaps {
            let joined = heap.pop();
            if !heap.others.is_first
                || (self.property == Property::NoDeadlock && !heap.others.held.is_empty())
            {
                return Err("a wait for the end of a thread".into());
            }
            let (word, code) = (heap.any(self.pointer()), heap.any(Width::INT));
            let registers = &mut heap.frame_mut().registers;
            registers[base::Idx::index(result)] = Some(word);
            registers[base::Idx::index(error)] = Some(code);
            let Some(at) = heap.others.started.iter().position(|value| *value == joined) else { continue };
            heap.others.started.remove(at);
            // No other thread joins or detaches threads.
            heap.frame_mut().registers[base::Idx::index(error)] = Some(Value::Number(0));
            if heap.others.started.is_empty() && !heap.others.uncounted {
                if !heap.others.held.is_empty() || !heap.transit.takes.is_empty() {
                    return Err("a join of the last thread by one that holds a lock".into());
                }
                heap.transit.is_alone = heap.others.exist();
            }
        }
        Ok(heaps)
    }

    /// A thread will not be joined.
    pub(super) fn detach(&self, heap: Heap, handle: &Expr, error: VarId) -> Doubts<Vec<Heap>> {
        let mut heaps = self.value(heap, handle)?;
        for heap in &mut heaps {
            let detached = heap.pop();
            if !heap.others.is_first {
                return Err("a detached thread".into());
            }
            heap.others.uncounted = true;
            let code = match heap.others.started.iter().position(|value| *value == detached) {
                // No other thread joins or detaches threads.
                Some(at) => {
                    heap.others.started.remove(at);
                    Value::Number(0)
                }
                None => {
                    heap.others.started.clear();
                    heap.any(Width::INT)
                }
            };
            heap.frame_mut().registers[base::Idx::index(error)] = Some(code);
        }
        Ok(heaps)
    }

    /// The heaps after the thread has taken what locks protect, one for each choice of heaps of the invariant.
    pub(super) fn take(&self, plan: &Plan, heap: &mut Heap) -> Vec<Heap> {
        let takes = std::mem::take(&mut heap.transit.takes);
        let is_alone = std::mem::take(&mut heap.transit.is_alone);
        let mut heaps = vec![heap.clone()];
        for (lock, _) in plan.numbered().filter(|(lock, _)| is_alone || takes.contains_key(lock)) {
            let own: Vec<&Heap> =
                self.invariant.iter().filter(|free| free.others.sharing == Sharing::Free(lock)).collect();
            let with = |heap: Heap| {
                let combined = own.iter().map(|free| {
                    let mut heap = heap.clone();
                    self.combine(plan, &mut heap, free, lock);
                    heap
                });
                combined.collect::<Vec<Heap>>()
            };
            heaps = heaps.into_iter().flat_map(with).collect();
        }
        for heap in &mut heaps {
            heap.others.held.extend(takes.clone());
            if is_alone {
                heap.others.sharing = Sharing::Alone;
                self.restore(plan, heap);
            }
        }
        heaps
    }

    /// Adds the nodes of a heap of the invariant.
    fn combine(&self, plan: &Plan, heap: &mut Heap, free: &Heap, lock: LockId) {
        let base_node = heap.nodes.last_key_value().map_or(0, |(last, _)| last.0 + 1);
        let base_symbol = heap.symbols.last_key_value().map_or(0, |(last, _)| last.0 + 1);
        let anchors: BTreeMap<NodeId, Anchor> = free.anchors.iter().map(|(o, id)| (*id, *o)).collect();
        let renamed = |id: NodeId| match anchors.get(&id) {
            Some(anchor) => heap.anchors[anchor],
            None => NodeId(base_node + id.0),
        };
        let mut nodes = Vec::new();
        for (id, node) in &free.nodes {
            if anchors.get(id).is_some_and(|anchor| !self.is_protected(plan, *anchor, lock)) {
                continue;
            }
            let mut node = Node::clone(node);
            for value in node.cells.values_mut().filter_map(|cell| cell.value.as_mut()) {
                match value {
                    Value::Symbol(symbol) => symbol.0 += base_symbol,
                    Value::Address(to) => to.node = renamed(to.node),
                    Value::Number(_) | Value::Function(_) => {}
                }
            }
            nodes.push((renamed(*id), Arc::new(node)));
        }
        heap.nodes.extend(nodes);
        let symbols = free.symbols.iter().map(|(id, range)| (SymbolId(base_symbol + id.0), *range));
        heap.symbols.extend(symbols);
    }

    /// The last thread may write to what was frozen, and knows what it writes to what was open. No thread holds a lock: none may end while it does. What was made is an object like others again.
    fn restore(&self, plan: &Plan, heap: &mut Heap) {
        for lock in &plan.locks {
            if let Lock::Word { object, offset, bytes, .. } = lock {
                let node = heap.anchors[object];
                heap.node_mut(node).write(*offset, *bytes, Some(Value::Number(0)));
            }
        }
        for (anchor, id) in heap.anchors.clone() {
            let life = match anchor {
                Anchor::Object(object) => {
                    if self.is_thread_local(anchor) {
                        continue;
                    }
                    Life::Static { writable: !self.program.objects[object].read_only }
                }
                Anchor::Made(n) => plan.made[n as usize].life,
            };
            heap.node_mut(id).life = life;
        }
        heap.anchors.retain(|anchor, _| matches!(anchor, Anchor::Object(_)));
    }

    /// A doubt if a node of a frame is one that threads share: it ceases to live.
    pub(super) fn leaves(&self, heap: &Heap, node: NodeId) -> Doubts<()> {
        match heap.others.exist() && Self::anchor_of(heap, node).is_some() {
            true => Err("the end of a variable that other threads know".into()),
            false => Ok(()),
        }
    }
}

impl Heap {
    /// These nodes, and the heap objects to which they lead.
    fn closure(&self, mut queue: Vec<NodeId>) -> BTreeSet<NodeId> {
        let mut reached = BTreeSet::new();
        while let Some(id) = queue.pop() {
            if reached.insert(id) {
                let targets = self.node(id).values().filter_map(|value| match value {
                    Value::Address(to) => Some(to.node),
                    Value::Number(_) | Value::Symbol(_) | Value::Function(_) => None,
                });
                queue.extend(targets.filter(|to| self.node(*to).life == Life::Heap));
            }
        }
        reached
    }

    /// Addresses of nodes that are not there, or of these, become numbers of which nothing is known.
    fn forget_lost_addresses(&mut self, lost: &BTreeSet<NodeId>, pointer: Width) {
        let Heap { frames, nodes, symbols, operands, .. } = self;
        let there: BTreeSet<NodeId> = nodes.keys().copied().filter(|id| !lost.contains(id)).collect();
        let is_lost = |value: &Value| matches!(value, Value::Address(to) if !there.contains(&to.node));
        let mut next = symbols.last_key_value().map_or(0, |(last, _)| last.0 + 1);
        let mut forget = |value: &mut Value| {
            symbols.insert(SymbolId(next), Range::full(pointer));
            *value = Value::Symbol(SymbolId(next));
            next += 1;
        };
        let registers = frames.iter_mut().flat_map(|frame| frame.registers.iter_mut().flatten());
        registers.chain(operands).filter(|value| is_lost(value)).for_each(&mut forget);
        for node in nodes.values_mut() {
            if node.values().any(|value| is_lost(&value)) {
                let values = Arc::make_mut(node).cells.values_mut().filter_map(|cell| cell.value.as_mut());
                values.filter(|value| is_lost(value)).for_each(&mut forget);
            }
        }
    }

    /// Drops the ranges of symbols that occur nowhere.
    pub(super) fn forget_unused_symbols(&mut self) {
        self.forget_unused_facts();
        let used: BTreeSet<Value> = self.values().collect();
        self.symbols.retain(|symbol, _| used.contains(&Value::Symbol(*symbol)));
    }
}
