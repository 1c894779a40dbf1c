//! Heaps of several threads: who has which objects, and how they change hands.
//!
//! This is thread-modular shape analysis (Gotsman, Berdine, Cook, Sagiv, PLDI 2007), which is concurrent separation logic (O'Hearn 2007) on graphs. Every object belongs to one
//! thread, or to the lock while no thread holds it; a thread accesses what it has. So the steps of a thread say nothing about the heaps of others, and each thread is
//! followed alone. What the lock has is described by a set of heaps without frames, the *invariant*.
//!
//! | where | what happens | |
//! |---|---|---|
//! | the first thread is created | the protected static objects, and all heap objects to which they lead, go to the lock | [`Transfer::share`] |
//! | a thread is created | the heap objects to which its argument leads go to it | [`Transfer::create`] |
//! | the lock is taken | the thread's heap is combined with one of the invariant, any of them | [`Transfer::take`] |
//! | the lock is given back | the protected objects, and all heap objects to which they lead, are split off: they must be in the invariant | [`Transfer::release`] |
//! | the last thread is joined | as if the lock was taken, for good | [`Transfer::take`] |
//!
//! Who has what is a choice, and every choice is sound: a pointer to an object that another thread or the lock has is a number of which nothing is known, and an access through it a doubt. Only
//! static objects keep their addresses: those that the thread does not have are nodes that must not be [accessed](Life::Elsewhere). What is done with each is in the [`Plan`]:
//!
//! | role | while there are several threads |
//! |---|---|
//! | [`Role::Protected`] | it belongs to the lock |
//! | [`Role::Frozen`] | all read it, and no thread writes to it; each has a copy of what it holds |
//! | [`Role::OfFirst`] | the first thread has it |
//! | [`Role::Open`] | all read and write it without the lock: it holds anything |
//!
//! # The lock
//! It is a word of memory. It is held by the thread that made it another number than 0 when it was 0, in one transaction, until that thread makes it 0 again; a transaction that may
//! make it 0 otherwise is a doubt, and so is an access to a part of it; what else is in the object of the lock has a role as other objects have. So it does not matter what the functions are called that do this. Transactions with accesses to the word are
//! followed once for each of its values (0 or not), as an execution has it when the transaction begins.
//!
//! # Direction of error
//! Leaks: what another thread has when the program ends is a doubt. Only the first thread creates threads, or detaches them.

use super::eval::Access;
use super::heap::{
    Background, Heap, Life, Node, NodeId, Others, Parted, Range, Sharing, SymbolId, Transit, Value,
};
use super::transfer::{Doubts, Transfer};
use program::{Expr, FuncId, ObjectId, Program, VarId, Width};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The largest number of threads that are counted.
const MAX_THREADS: usize = 8;

/// Who accesses static objects when, while there are several threads.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Plan {
    /// The lock.
    pub lock: Lock,
    /// What is done with static objects; those that are not named are protected.
    #[serde(with = "base::pairs")]
    pub roles: BTreeMap<ObjectId, Role>,
}

/// The lock that protects what threads share.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Lock {
    /// A word of a static object: 0 if no thread holds it.
    Word {
        /// The object.
        object: ObjectId,
        /// Where in it.
        offset: u64,
        /// The size of the word.
        bytes: u64,
    },
    /// Atomic sections.
    Atomic,
}

/// What is done with a static object.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Role {
    /// It is accessed by the thread that holds the lock.
    Protected,
    /// It is not written to.
    Frozen,
    /// It is accessed by the first thread.
    OfFirst,
    /// It is accessed by any thread.
    Open,
}

impl Plan {
    /// A plan with one lock, which protects everything.
    pub fn new(lock: Lock) -> Self {
        Self { lock, roles: BTreeMap::new() }
    }

    /// Returns true if the program has the lock.
    pub fn fits(&self, program: &Program) -> bool {
        match self.lock {
            Lock::Atomic => true,
            Lock::Word { object, offset, bytes } => {
                program.objects.ids().any(|id| id == object) && {
                    let declared = &program.objects[object];
                    let end = offset.checked_add(bytes);
                    let is_shared = !declared.thread_local && !declared.read_only;
                    is_shared && matches!(bytes, 1 | 2 | 4 | 8) && end.is_some_and(|end| end <= declared.size)
                }
            }
        }
    }

    /// What is done with an object that threads share.
    pub fn role(&self, program: &Program, object: ObjectId) -> Role {
        if program.objects[object].read_only {
            return Role::Frozen;
        }
        self.roles.get(&object).copied().unwrap_or(Role::Protected)
    }
}

/// The numbers that are handles of threads (`program::interp`).
pub(super) fn handles(width: Width) -> Range {
    Range { width, low: 1, high: i128::from(i32::MAX) }
}

impl Others {
    /// Those of the program's start: none.
    pub(super) fn none() -> Self {
        Self { sharing: Sharing::Alone, is_first: true, started: Vec::new(), uncounted: false }
    }

    /// Returns true if there may be some.
    pub fn exist(&self) -> bool {
        self.sharing != Sharing::Alone
    }
}

impl Transfer<'_> {
    fn is_protected(&self, plan: &Plan, object: ObjectId) -> bool {
        !self.program.objects[object].thread_local && plan.role(self.program, object) == Role::Protected
    }

    /// The protected static objects of a heap, and the heap objects to which they lead.
    fn protected(&self, plan: &Plan, heap: &Heap) -> BTreeSet<NodeId> {
        let statics = heap.statics.iter().filter(|(object, _)| self.is_protected(plan, **object));
        let roots: Vec<NodeId> = statics.map(|(_, node)| *node).collect();
        heap.closure(roots)
    }

    /// Splits off some nodes. Both heaps have nodes for all static objects.
    fn split(&self, heap: &mut Heap, goes: &BTreeSet<NodeId>) -> Heap {
        let mut part = Heap {
            frames: Vec::new(),
            nodes: BTreeMap::new(),
            statics: heap.statics.clone(),
            symbols: heap.symbols.clone(),
            operands: Vec::new(),
            others: Others { sharing: Sharing::Free, is_first: false, started: Vec::new(), uncounted: false },
            transit: Transit::default(),
        };
        for id in goes {
            let node = heap.nodes.remove(id).expect("what is split off should exist");
            part.nodes.insert(*id, node);
        }
        for id in heap.statics.values() {
            let stays = heap.nodes.get(id).or_else(|| part.nodes.get(id));
            let size = stays.expect("a static object should have a node").size;
            let elsewhere = Arc::new(Node::new(size, Life::Elsewhere, Background::Unknown));
            heap.nodes.entry(*id).or_insert_with(|| Arc::clone(&elsewhere));
            part.nodes.entry(*id).or_insert(elsewhere);
        }
        heap.forget_lost_addresses(&BTreeSet::new(), self.pointer());
        part.forget_lost_addresses(&self.own_statics(&part), self.pointer());
        part.forget_unused_symbols();
        part
    }

    /// The nodes of static objects of which each thread has its own.
    fn own_statics(&self, heap: &Heap) -> BTreeSet<NodeId> {
        let own = heap.statics.iter().filter(|(object, _)| self.program.objects[**object].thread_local);
        own.map(|(_, node)| *node).collect()
    }

    /// The thread gives the lock back.
    fn release(&self, plan: &Plan, heap: &mut Heap) {
        let goes = self.protected(plan, heap);
        let part = self.split(heap, &goes);
        heap.transit.parted.push(Parted::Released(part));
        heap.others.sharing = Sharing::Away;
    }

    /// A thread that was alone begins to share.
    fn share(&self, plan: &Plan, heap: &mut Heap) -> Doubts<()> {
        if let Lock::Word { object, offset, bytes } = plan.lock {
            let word = self.known(heap, heap.statics[&object], offset, bytes);
            if word != Some(Value::Number(0)) {
                return Err("a lock that is held when a thread is created".into());
            }
        }
        self.release(plan, heap);
        for (object, id) in heap.statics.clone() {
            if self.program.objects[object].thread_local {
                continue;
            }
            match plan.role(self.program, object) {
                Role::Protected | Role::OfFirst => {}
                Role::Frozen => heap.node_mut(id).life = Life::Static { writable: false },
                Role::Open => {
                    let size = heap.node(id).size;
                    *heap.node_mut(id) = Node::new(size, Life::Open, Background::Unknown);
                }
            }
        }
        Ok(())
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
            if !heap.others.is_first || heap.transit.takes.is_some() {
                return Err("a thread that another thread than the first one starts".into());
            }
            heap.operands.push(arg);
            if !heap.others.exist() {
                self.share(plan, heap)?;
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
        let mut part = self.split(heap, &goes);
        part.symbols.extend(&before.symbols);
        part.operands.push(arg);
        for (object, id) in &before.statics {
            let declared = &self.program.objects[*object];
            if declared.thread_local {
                let life = Life::Static { writable: !declared.read_only };
                *part.node_mut(*id) = Node::new(declared.size, life, Background::Initial(*object));
            } else if matches!(plan.role(self.program, *object), Role::Frozen | Role::Open) {
                *part.node_mut(*id) = before.node(*id).clone();
            }
        }
        part.forget_lost_addresses(&self.own_statics(&part), self.pointer());
        let arg = part.pop();
        part.others.sharing = Sharing::Away;
        self.enter(&mut part, func, vec![(arg, self.pointer())]);
        part.forget_unused_symbols();
        part
    }

    /// A thread is joined, or may be.
    pub(super) fn join(&self, heap: Heap, handle: &Expr, result: VarId, error: VarId) -> Doubts<Vec<Heap>> {
        let mut heaps = self.value(heap, handle)?;
        for heap in &mut heaps {
            let joined = heap.pop();
            let (word, code) = (heap.any(self.pointer()), heap.any(Width::INT));
            let registers = &mut heap.frame_mut().registers;
            registers[base::Idx::index(result)] = Some(word);
            registers[base::Idx::index(error)] = Some(code);
            let Some(at) = heap.others.started.iter().position(|value| *value == joined) else { continue };
            heap.others.started.remove(at);
            if heap.others.started.is_empty() && !heap.others.uncounted {
                if heap.others.sharing != Sharing::Away || heap.transit.takes.is_some() {
                    return Err("a join of the last thread by one that holds the lock".into());
                }
                heap.transit.takes = Some(Sharing::Alone);
            }
        }
        Ok(heaps)
    }

    /// A thread will not be joined.
    pub(super) fn detach(&self, heap: Heap, handle: &Expr, error: VarId) -> Doubts<Vec<Heap>> {
        let mut heaps = self.value(heap, handle)?;
        for heap in &mut heaps {
            heap.pop();
            if !heap.others.is_first {
                return Err("a detached thread".into());
            }
            let code = heap.any(Width::INT);
            heap.frame_mut().registers[base::Idx::index(error)] = Some(code);
            heap.others.started.clear();
            heap.others.uncounted = true;
        }
        Ok(heaps)
    }

    /// The heaps after the thread has taken what the lock protects, one for each heap of the invariant.
    pub(super) fn take(&self, plan: &Plan, heap: &Heap, becomes: Sharing) -> Vec<Heap> {
        let one = |free: &Heap| {
            let mut heap = heap.clone();
            self.combine(plan, &mut heap, free);
            heap.others.sharing = becomes;
            if becomes == Sharing::Alone {
                self.restore(plan, &mut heap);
            }
            heap
        };
        self.invariant.iter().map(one).collect()
    }

    /// Adds the nodes of a heap of the invariant.
    fn combine(&self, plan: &Plan, heap: &mut Heap, free: &Heap) {
        let base_node = heap.nodes.last_key_value().map_or(0, |(last, _)| last.0 + 1);
        let base_symbol = heap.symbols.last_key_value().map_or(0, |(last, _)| last.0 + 1);
        let statics: BTreeMap<NodeId, ObjectId> = free.statics.iter().map(|(o, id)| (*id, *o)).collect();
        let renamed = |id: NodeId| match statics.get(&id) {
            Some(object) => heap.statics[object],
            None => NodeId(base_node + id.0),
        };
        let mut nodes = Vec::new();
        for (id, node) in &free.nodes {
            if statics.get(id).is_some_and(|object| !self.is_protected(plan, *object)) {
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

    /// The last thread may write to what was frozen, and knows what it writes to what was open. No thread holds the lock: none may end while it does.
    fn restore(&self, plan: &Plan, heap: &mut Heap) {
        for (object, id) in heap.statics.clone() {
            let declared = &self.program.objects[object];
            if declared.thread_local || !matches!(plan.role(self.program, object), Role::Frozen | Role::Open)
            {
                continue;
            }
            heap.node_mut(id).life = Life::Static { writable: !declared.read_only };
        }
        if let Lock::Word { object, offset, bytes } = plan.lock {
            let node = heap.statics[&object];
            heap.node_mut(node).write(offset, bytes, Some(Value::Number(0)));
        }
    }

    /// An atomic section begins.
    pub(super) fn enter_section(&self, mut heap: Heap) -> Doubts<Vec<Heap>> {
        if self.plan.is_some_and(|plan| plan.lock == Lock::Atomic) && heap.others.exist() {
            if heap.others.sharing == Sharing::Held || heap.transit.takes.is_some() {
                return Err("an atomic section in another one".into());
            }
            heap.transit.takes = Some(Sharing::Held);
        }
        Ok(vec![heap])
    }

    /// An atomic section ends.
    pub(super) fn leave_section(&self, mut heap: Heap) -> Vec<Heap> {
        if let Some(plan) = self.plan.filter(|plan| plan.lock == Lock::Atomic) {
            if heap.transit.takes == Some(Sharing::Held) {
                heap.transit.takes = None;
            }
            if heap.others.sharing == Sharing::Held {
                self.release(plan, &mut heap);
            }
        }
        vec![heap]
    }

    /// The lock, if accesses to its word have to be followed.
    fn word(&self, heap: &Heap) -> Option<(NodeId, u64, u64)> {
        match self.plan?.lock {
            Lock::Word { object, offset, bytes } if heap.others.exist() => {
                Some((heap.statics[&object], offset, bytes))
            }
            Lock::Word { .. } | Lock::Atomic => None,
        }
    }

    /// Returns true if this is an access to the lock's word; a doubt if it is one to a part of it, or to more.
    pub(super) fn is_lock(&self, heap: &Heap, to: super::Address, bytes: u64) -> Doubts<bool> {
        let Some((_, offset, width)) = self.word(heap).filter(|(node, ..)| *node == to.node) else {
            return Ok(false);
        };
        let (low, high) = (i128::from(to.low), i128::from(to.high) + i128::from(bytes));
        let (start, end) = (i128::from(offset), i128::from(offset) + i128::from(width));
        match (low, high) {
            _ if high <= start || end <= low => Ok(false),
            _ if (low, high) == (start, end) && to.low == to.high => Ok(true),
            _ => Err("an access to a part of a lock".into()),
        }
    }

    /// The heaps with a value of the lock's word at the start of an action that accesses it.
    pub(super) fn values_of_lock(&self, heap: &Heap, access: Access) -> Vec<Heap> {
        let width = self.word(heap).map_or(Width::INT, |(.., bytes)| Width::of_bytes(bytes));
        let full = Range::full(width);
        let held = match access {
            Access::Read => vec![Range { low: 1, ..full }, Range { high: -1, ..full }],
            // Which number is overwritten does not matter.
            Access::Write | Access::Initialise => vec![full],
        };
        let free = Range::constant(0, width);
        let is_held = heap.others.sharing == Sharing::Held;
        let all = held.into_iter().map(|range| (false, range)).chain((!is_held).then_some((true, free)));
        all.map(|(was_free, range)| {
            let mut heap = heap.clone();
            let value = heap.number(range);
            heap.transit.word = Some((was_free, value));
            heap
        })
        .collect()
    }

    /// What an action did to the lock.
    pub(super) fn settle(&self, plan: &Plan, heap: &mut Heap) -> Doubts<()> {
        let Some((was_free, now)) = heap.transit.word.take() else { return Ok(()) };
        let width = self.word(heap).map_or(Width::INT, |(.., bytes)| Width::of_bytes(bytes));
        let range = heap.range(now, width);
        let is_zero = range.low == 0 && range.high == 0;
        if !is_zero && range.low <= 0 && range.high >= 0 {
            return Err("a lock that may be free or not".into());
        }
        let is_held = heap.others.sharing == Sharing::Held;
        match (was_free, is_zero) {
            (true, false) if heap.transit.takes.is_some() => {
                return Err("a lock that is taken after the last join".into());
            }
            (true, false) => heap.transit.takes = Some(Sharing::Held),
            (false, true) if is_held => self.release(plan, heap),
            (false, true) => return Err("a release of a lock that another thread holds".into()),
            (true, true) | (false, false) => {}
        }
        Ok(())
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
    fn forget_unused_symbols(&mut self) {
        let used: BTreeSet<Value> = self.values().collect();
        self.symbols.retain(|symbol, _| used.contains(&Value::Symbol(*symbol)));
    }
}
