//! Calls and returns; and recursive functions, each of which is followed by itself, with the part of the heap that it can reach.
//!
//! A function that calls itself, through others perhaps, has no bound on its frames. So it is described by *summaries* with local heaps (Rinetzky, Bauer, Reps, Sagiv, Wilhelm, *A semantics
//! for procedure local heaps and its abstractions*, POPL 2005; Sharir and Pnueli, 1981): from a heap at its entry, the heaps with which it returns. At a call
//!
//! | | |
//! |---|---|
//! | the objects that the arguments and the static objects used by the function lead to go to the function | [`Transfer::part`] |
//! | what is left of the caller's heap stays as it is until the function returns | [`Rest`] |
//! | a heap with which the function returns takes the place of what went to it | [`Transfer::resume`] |
//!
//! This is the frame rule of separation logic. An address of an object that the function does not have is one of a node that must not be [accessed](Life::Elsewhere). What the callers know of the function's
//! heap are its *cutpoints*: addresses, kept with the heap as if they were variables, so that the caller finds its objects again, or knows that they are freed.
//!
//! Which objects go to the function is a choice, and every choice is sound. Objects to which variables of the callers lead stay with them, if no argument leads there: otherwise a tree whose objects have
//! links back would go to the function as a whole, with ever more cutpoints.
//!
//! # Direction of error
//! Numbers that caller and function have in common are forgotten. In such a function, threads and changes of locks are doubts; where leaks matter, so is the end of the program.

use super::facts::Fact;
use super::heap::{
    Address, Anchor, Background, End, Frame, Heap, Life, Node, NodeId, Shape, SymbolId, Transit, Value,
};
use super::transfer::{Doubts, Transfer};
use crate::analysis::Liveness;
use base::{Idx, IdxVec};
use program::{Action, Callee, Expr, FuncId, Function, ObjectId, Program, RelocTarget, VarKind, Width};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The deepest stack of calls that is followed.
const MAX_FRAMES: usize = 64;
/// Maximum number of objects of a function of which its callers know.
const MAX_CUTPOINTS: usize = 8;

/// The recursive functions of a program.
#[derive(Clone, Debug)]
pub struct Recursion {
    /// Of each recursive function: the static objects that it names, or those that it calls.
    uses: BTreeMap<FuncId, BTreeSet<ObjectId>>,
    liveness: IdxVec<FuncId, Liveness>,
}

/// A call of a recursive function.
#[derive(Clone, Debug)]
pub struct Call {
    /// What the function gets.
    pub local: Heap,
    /// What it does not get.
    pub rest: Rest,
}

/// What a recursive function does not get. Where the caller has an address of what it gets, there is one of a *hole*: a node for each cutpoint.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Rest {
    heap: Heap,
    /// The static objects that went to the function.
    moved: BTreeSet<Anchor>,
    holes: Vec<NodeId>,
    /// Objects of which the function knows the addresses.
    known: Vec<NodeId>,
}

impl Recursion {
    /// Those of this program; `None` if there are none.
    pub fn of(program: &Program) -> Option<Self> {
        let callees = callees(program);
        let reached = |func: FuncId| {
            let mut reached = BTreeSet::new();
            let mut queue: Vec<FuncId> = callees[func].iter().copied().collect();
            while let Some(func) = queue.pop() {
                if reached.insert(func) {
                    queue.extend(&callees[func]);
                }
            }
            reached
        };
        let mut uses = BTreeMap::new();
        for func in program.functions.ids() {
            let reached = reached(func);
            if reached.contains(&func) {
                uses.insert(func, objects_of(program, &reached));
            }
        }
        let liveness = || program.functions.iter().map(Liveness::of).collect();
        (!uses.is_empty()).then(|| Self { uses, liveness: liveness() })
    }
}

/// The functions that each function may call.
fn callees(program: &Program) -> IdxVec<FuncId, BTreeSet<FuncId>> {
    let mut named = BTreeSet::new();
    program.functions.iter().for_each(|function| {
        each_part(function, &mut |part| {
            if let Expr::FuncAddr(func, _) = part {
                named.insert(*func);
            }
        });
    });
    let relocs = program.objects.iter().flat_map(|object| &object.relocs);
    named.extend(relocs.filter_map(|reloc| match reloc.target {
        RelocTarget::Func(func) => Some(func),
        RelocTarget::Object(_) => None,
    }));
    let of = |function: &Function| {
        let mut callees = BTreeSet::new();
        for location in &function.locations {
            match &location.action {
                Action::Call { callee: Callee::Direct(func), .. } => drop(callees.insert(*func)),
                Action::Call { callee: Callee::Indirect(_), .. } => callees.extend(&named),
                _ => {}
            }
        }
        callees
    };
    program.functions.iter().map(of).collect()
}

/// The static objects that functions name, and those whose addresses these hold at first.
fn objects_of(program: &Program, functions: &BTreeSet<FuncId>) -> BTreeSet<ObjectId> {
    let mut queue = Vec::new();
    for func in functions {
        each_part(&program.functions[*func], &mut |part| {
            if let Expr::ObjectAddr(object, _) = part {
                queue.push(*object);
            }
        });
    }
    let mut objects = BTreeSet::new();
    while let Some(object) = queue.pop() {
        if objects.insert(object) {
            queue.extend(program.objects[object].relocs.iter().filter_map(|reloc| match reloc.target {
                RelocTarget::Object(target) => Some(target),
                RelocTarget::Func(_) => None,
            }));
        }
    }
    objects
}

fn each_part(function: &Function, visit: &mut impl FnMut(&Expr)) {
    for location in &function.locations {
        location.action.each_expr(&mut |e| e.walk(visit));
    }
}

impl Transfer<'_> {
    pub(super) fn enter(&self, heap: &mut Heap, func: FuncId, args: Vec<(Value, Width)>) {
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

    pub(super) fn call(&self, heap: Heap, callee: &Callee, args: &[Expr]) -> Doubts<Vec<Heap>> {
        if heap.frames.len() >= MAX_FRAMES {
            return Err("a deep recursion".into());
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
                    _ => return Err("a call of something that may be no function".into()),
                },
            };
            let rest = match self.recursion.filter(|recursion| recursion.uses.contains_key(&func)) {
                Some(recursion) => Some(self.part(recursion, heap, func)?),
                None => None,
            };
            let values = std::mem::take(&mut heap.operands);
            let values = values.into_iter().zip(args).map(|(value, e)| (value, e.width())).collect();
            self.enter(heap, func, values);
            if rest.is_some() {
                heap.forget_unused_symbols();
                heap.transit.rest = rest.map(Box::new);
            }
        }
        Ok(heaps)
    }

    pub(super) fn return_from(&self, heap: Heap, result: Option<&Expr>) -> Doubts<Vec<Heap>> {
        let mut heaps = match result {
            Some(result) => self.value(heap, result)?,
            None => vec![heap],
        };
        let is_bottom = heaps.iter().any(|heap| heap.frames.len() == 1);
        if is_bottom && heaps.iter().all(|heap| heap.cutpoints.is_none()) {
            for heap in &mut heaps {
                heap.operands.clear();
                if heap.others.is_first {
                    self.end(heap, false)?
                } else {
                    self.end_of_thread(heap)?
                };
            }
            return Ok(Vec::new());
        }
        for heap in &mut heaps {
            let left = heap.frames.pop().expect("a call should have a frame");
            for node in left.locals.values().chain(&left.allocated) {
                self.leaves(heap, *node)?;
                heap.kill(*node, self.pointer());
            }
            let value = result.map(|_| heap.pop());
            if let Some(cutpoints) = heap.cutpoints.as_mut().filter(|_| is_bottom) {
                cutpoints.push(value);
                continue;
            }
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

    /// What the function that is called does not get; `heap` is left with what it gets, and the arguments.
    fn part(&self, recursion: &Recursion, heap: &mut Heap, func: FuncId) -> Doubts<Rest> {
        if heap.transit != Transit::default() {
            return Err("an access to a lock in a call of a recursive function".into());
        }
        recursion.forget_dead(heap);
        let args = std::mem::take(&mut heap.operands);
        let uses = &recursion.uses[&func];
        let is_used = |anchor: &Anchor| matches!(anchor, Anchor::Object(object) if uses.contains(object));
        let used = heap.anchors.iter().filter(|(anchor, _)| is_used(anchor)).map(|(_, node)| *node);
        let (goes, known) = heap.goes_to(used.chain(args.iter().filter_map(target)).collect());
        let moved = heap.anchors.iter().filter(|(_, node)| goes.contains(node)).map(|(a, _)| *a).collect();
        let mut local = Heap { frames: Vec::new(), cutpoints: None, ..heap.clone() };
        local.nodes.retain(|id, _| goes.contains(id));
        let elsewhere = |id: &NodeId| {
            (*id, Arc::new(Node::new(heap.node(*id).size, Life::Elsewhere, Background::Unknown)))
        };
        let others = known.iter().chain(heap.anchors.values().filter(|id| !goes.contains(id)));
        local.nodes.extend(others.map(elsewhere));
        let anchors: BTreeMap<NodeId, Arc<Node>> = heap.anchors.values().map(elsewhere).collect();
        let targets = heap.cutpoints_of(&goes);
        if targets.len() + known.len() > MAX_CUTPOINTS {
            return Err("a function that gets objects of which its callers know too much".into());
        }
        heap.nodes.retain(|id, _| !goes.contains(id) || anchors.contains_key(id));
        heap.nodes.extend(anchors.into_iter().filter(|(id, _)| goes.contains(id)));
        let holes = heap.dig(&targets);
        let starts = known.iter().map(|id| Address::start(*id));
        let all = targets.iter().map(|(node, end)| Address { end: *end, ..Address::start(*node) });
        local.cutpoints = Some(all.chain(starts).map(|to| Some(Value::Address(to))).collect());
        local.operands = args;
        Ok(Rest { heap: std::mem::replace(heap, local), moved, holes, known })
    }

    /// The caller's heap after the return of a function that returns with this heap.
    pub fn resume(&self, rest: &Rest, exit: &Heap) -> Doubts<Heap> {
        let doubt = || "a return to another heap".into();
        let mut heap = rest.heap.clone();
        let values = exit.cutpoints.as_deref().unwrap_or_default();
        let (n_holes, n_known) = (rest.holes.len(), rest.known.len());
        let [cutpoints @ .., result] = values else { return Err(doubt()) };
        if cutpoints.len() != n_holes + n_known || !exit.anchors.keys().eq(heap.anchors.keys()) {
            return Err(doubt());
        }
        let mut names: BTreeMap<NodeId, NodeId> = BTreeMap::new();
        let mut stay = BTreeSet::new();
        for (anchor, id) in &exit.anchors {
            names.insert(*id, heap.anchors[anchor]);
            stay.extend((!rest.moved.contains(anchor)).then_some(*id));
        }
        for (value, own) in cutpoints[n_holes..].iter().zip(&rest.known) {
            match value {
                Some(Value::Address(to)) if *to == Address::start(to.node) => {
                    names.insert(to.node, *own);
                    stay.insert(to.node);
                }
                _ => return Err(doubt()),
            }
        }
        let renamed = heap.embed(exit, names, &stay);
        for (value, hole) in cutpoints.iter().zip(&rest.holes) {
            heap.fill(*hole, value.map(&renamed), self.pointer())?;
        }
        let frame = heap.frame();
        let action = &self.program.functions[frame.func].locations[frame.loc].action;
        let Action::Call { ret, next, .. } = action else { return Err(doubt()) };
        let result = result.map(&renamed);
        let frame = heap.frame_mut();
        frame.loc = *next;
        if let Some(var) = ret {
            frame.registers[var.index()] = result;
        }
        heap.forget_unused_symbols();
        Ok(heap)
    }
}

impl Recursion {
    /// Forgets what the callers of a function do not need any more.
    fn forget_dead(&self, heap: &mut Heap) {
        for frame in &mut heap.frames {
            let live = self.liveness[frame.func].live_during_call(frame.loc);
            for (n, register) in frame.registers.iter_mut().enumerate() {
                *register = register.filter(|_| live.contains(program::VarId::new(n)));
            }
        }
    }
}

fn target(value: &Value) -> Option<NodeId> {
    match value {
        Value::Address(to) => Some(to.node),
        Value::Number(_) | Value::Symbol(_) | Value::Function(_) => None,
    }
}

impl Heap {
    /// The nodes to which these lead, with those themselves; and nodes to which they lead as well, but which stay with the callers.
    fn goes_to(&self, mut queue: Vec<NodeId>) -> (BTreeSet<NodeId>, Vec<NodeId>) {
        let registers = self.frames.iter().flat_map(|frame| frame.registers.iter().flatten());
        let variables = registers.chain(self.cutpoints.iter().flatten().flatten()).filter_map(target);
        let is_single = |id: &NodeId| self.node(*id).shape == Shape::Single;
        let is_away = |id: &NodeId| self.node(*id).life == Life::Elsewhere;
        let held: BTreeSet<NodeId> = variables.filter(is_single).filter(|id| !queue.contains(id)).collect();
        let anchors: BTreeSet<NodeId> = self.anchors.values().copied().collect();
        let (mut goes, mut known) = (BTreeSet::new(), BTreeSet::new());
        while let Some(id) = queue.pop() {
            if is_away(&id) || held.contains(&id) {
                known.extend((!anchors.contains(&id)).then_some(id));
            } else if goes.insert(id) {
                queue.extend(self.node(id).values().filter_map(|value| target(&value)));
            }
        }
        (goes, known.into_iter().collect())
    }

    /// The ends of nodes, out of these, to which others or the callers' variables lead.
    fn cutpoints_of(&self, goes: &BTreeSet<NodeId>) -> Vec<(NodeId, End)> {
        let anchors: BTreeSet<NodeId> = self.anchors.values().copied().collect();
        let registers = self.frames.iter().flat_map(|frame| frame.registers.iter().flatten());
        let nodes = self.nodes.iter().filter(|(id, _)| !goes.contains(id));
        let cells = nodes.flat_map(|(_, node)| node.cells.values().filter_map(|cell| cell.value.as_ref()));
        let all = registers.chain(self.cutpoints.iter().flatten().flatten()).chain(cells);
        let places = all.filter_map(|value| match value {
            Value::Address(to) => Some((to.node, to.end)),
            Value::Number(_) | Value::Symbol(_) | Value::Function(_) => None,
        });
        let owned = self.frames.iter().flat_map(|frame| frame.locals.values().chain(&frame.allocated));
        let mut found = Vec::new();
        for place in places.chain(owned.map(|id| (*id, End::First))) {
            if goes.contains(&place.0) && !anchors.contains(&place.0) && !found.contains(&place) {
                found.push(place);
            }
        }
        found
    }

    /// Puts a hole in the place of each of these, which are no longer there.
    fn dig(&mut self, places: &[(NodeId, End)]) -> Vec<NodeId> {
        let first = self.nodes.keys().chain(places.iter().map(|(id, _)| id)).max().map_or(0, |id| id.0 + 1);
        let holes: Vec<NodeId> = (first..).take(places.len()).map(NodeId).collect();
        for (place, hole) in places.iter().zip(&holes) {
            self.nodes.insert(*hole, Arc::new(Node::new(0, Life::Elsewhere, Background::Unknown)));
            self.replace(|value| match value {
                Value::Address(to) if (to.node, to.end) == *place => {
                    Value::Address(Address { node: *hole, end: End::First, ..to })
                }
                _ => value,
            });
            if place.1 == End::First {
                self.rename_owned(place.0, *hole);
            }
        }
        holes
    }

    /// Variables of frames that are this node become another one.
    fn rename_owned(&mut self, from: NodeId, to: NodeId) {
        for frame in &mut self.frames {
            let owned = frame.locals.values_mut().chain(&mut frame.allocated);
            owned.filter(|id| **id == from).for_each(|id| *id = to);
        }
    }

    /// Adds the nodes of another heap, except for those that stay away; gives what its values are here.
    fn embed(
        &mut self,
        part: &Heap,
        mut names: BTreeMap<NodeId, NodeId>,
        stay: &BTreeSet<NodeId>,
    ) -> impl Fn(Value) -> Value + use<> {
        // Names are given anew: a sum of two names would be twice as large after each call.
        let first_node = self.nodes.last_key_value().map_or(0, |(last, _)| last.0 + 1);
        let unnamed: Vec<NodeId> = part.nodes.keys().filter(|id| !names.contains_key(id)).copied().collect();
        names.extend(unnamed.into_iter().zip((first_node..).map(NodeId)));
        let first_symbol = self.symbols.last_key_value().map_or(0, |(last, _)| last.0 + 1);
        let symbols: BTreeMap<SymbolId, SymbolId> =
            part.symbols.keys().copied().zip((first_symbol..).map(SymbolId)).collect();
        let symbol = |id: SymbolId| symbols[&id];
        self.symbols.extend(part.symbols.iter().map(|(id, range)| (symbol(*id), *range)));
        let facts = part.facts.iter();
        self.facts.extend(facts.map(|fact| Fact {
            left: symbol(fact.left),
            right: symbol(fact.right),
            ..*fact
        }));
        let name = move |id: NodeId| names[&id];
        let mut nodes = Vec::new();
        for (id, node) in part.nodes.iter().filter(|(id, _)| !stay.contains(id)) {
            nodes.push((name(*id), node.clone()));
        }
        let renamed = move |value: Value| match value {
            Value::Symbol(symbol) => Value::Symbol(symbols[&symbol]),
            Value::Address(to) => Value::Address(Address { node: name(to.node), ..to }),
            Value::Number(_) | Value::Function(_) => value,
        };
        for (id, mut node) in nodes {
            let values = Arc::make_mut(&mut node).cells.values_mut().filter_map(|cell| cell.value.as_mut());
            values.for_each(|value| *value = renamed(*value));
            self.nodes.insert(id, node);
        }
        renamed
    }

    /// What was the address of a hole is what its cutpoint has become.
    fn fill(&mut self, hole: NodeId, value: Option<Value>, pointer: Width) -> Doubts<()> {
        let is_owned = |frame: &Frame| frame.locals.values().chain(&frame.allocated).any(|id| *id == hole);
        let is_owned = self.frames.iter().any(is_owned);
        match value {
            Some(Value::Address(new)) => {
                if is_owned && new != Address::start(new.node) {
                    return Err("a variable that is another one after a call".into());
                }
                self.rename_owned(hole, new.node);
                self.replace(|value| match value {
                    Value::Address(to) if to.node == hole => {
                        let (low, high) = (to.low.saturating_add(new.low), to.high.saturating_add(new.high));
                        Value::Address(Address { low, high, ..new })
                    }
                    _ => value,
                });
                self.nodes.remove(&hole);
                Ok(())
            }
            _ if is_owned => Err("a variable that is lost in a call".into()),
            _ => {
                self.kill(hole, pointer);
                Ok(())
            }
        }
    }
}
