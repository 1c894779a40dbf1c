//! What a step does to an execution.

use super::execution::{Event, Execution, Kind};
use super::node::{Choice, Member, PartialExecution, Status};
use base::Inconclusive;
use base::convert::low8;
use program::interp::{Identity, Interp, StepResult, ThreadId};
use program::memory_model::{Compiled, Fencing, MachineFence, ReadModifyWrite};
use program::{Action, MemoryModel, Order};
use semantics::alone::{Cell, Effect, Runner, Sharing, Taken, unsupported};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// Adds the effects of one step to an execution.
pub struct Effects<'a, 'p> {
    pub model: MemoryModel,
    pub interp: &'a Interp<'p>,
    /// The thread before the step.
    pub before: &'a Runner,
    pub reads: &'a [Choice],
    /// Whether a read-modify-write that stores what it has read counts as no write, for iterations without effect.
    pub cuts_exchanges: bool,
}

/// A partly applied step.
struct Partial {
    node: PartialExecution,
    /// The events of its reads.
    events: Vec<usize>,
}

impl Effects<'_, '_> {
    pub fn apply(
        &self,
        node: PartialExecution,
        t: usize,
        effects: &[Effect],
        sharing: &Sharing<'_, '_>,
    ) -> Result<Vec<PartialExecution>, Inconclusive> {
        let action = self.before.action(self.interp);
        let rmw = match action {
            Some(Action::Ops { ops, .. }) => ReadModifyWrite::of(ops),
            _ => None,
        };
        let cells: BTreeSet<(Identity, u64)> =
            effects.iter().filter_map(accessed).map(|c| (c.object, c.offset)).collect();
        let writes = effects.iter().any(|effect| matches!(effect, Effect::Write { .. }));
        if cells.len() > 1 && writes {
            return Err(unsupported("an atomic step that accesses several shared cells"));
        }
        let compiled = rmw.filter(|_| !cells.is_empty()).map(|rmw| {
            // On Power the fences stand around the loop of `lwarx` and `stwcx`, however it ends.
            let fails = !writes && self.model.machine() != MemoryModel::Power;
            self.model.compiled_read_modify_write(if fails { rmw.failure } else { rmw.order })
        });
        let mut partials = vec![Partial { node, events: Vec::new() }];
        if let Some(fence) = compiled.and_then(|c| c.before) {
            self.fence(&mut partials, t, Kind::Fence(fence))?;
        }
        for effect in effects {
            let mut next = Vec::new();
            for partial in partials {
                self.effect(partial, t, effect, compiled, sharing, &mut next)?;
            }
            partials = next;
        }
        if let Some(fence) = compiled.and_then(|c| c.after) {
            for partial in &mut partials {
                let read = partial.events.last().copied();
                partial.node.member(t).runner.branches |= read.map_or(0, |read| 1 << read);
            }
            self.fence(&mut partials, t, Kind::Fence(fence))?;
        }
        Ok(partials.into_iter().map(|partial| partial.node).collect())
    }

    fn effect(
        &self,
        mut partial: Partial,
        t: usize,
        effect: &Effect,
        rmw: Option<Compiled>,
        sharing: &Sharing<'_, '_>,
        out: &mut Vec<Partial>,
    ) -> Result<(), Inconclusive> {
        let node = &mut partial.node;
        match effect {
            Effect::Read { .. } => {
                self.read(&mut partial, t, effect, rmw)?;
                out.push(partial);
            }
            Effect::Write { .. } => self.write(partial, t, effect, rmw, sharing, out)?,
            Effect::Fence(barrier) => {
                let kind = match self.model.machine() {
                    MemoryModel::C11 => Some(Kind::Barrier(*barrier)),
                    MemoryModel::Pso if self.model.fence(*barrier) == Fencing::Mark => {
                        Some(Kind::Fence(MachineFence::Light))
                    }
                    model => model.compiled_fence(*barrier).map(Kind::Fence),
                };
                if let Some(kind) = kind {
                    self.event(node, t, kind, None, Order::Plain)?;
                }
                out.push(partial);
            }
            Effect::Start(thread) => {
                self.start(node, t, *thread, sharing)?;
                out.push(partial);
            }
            Effect::Join(thread) => {
                self.join(node, t, *thread)?;
                out.push(partial);
            }
            Effect::Allocate(object, size) => {
                if sharing.is_shared(*object) && node.members.len() > 1 {
                    for (n, member) in node.members.iter_mut().enumerate() {
                        if n != t {
                            let state = &mut Arc::make_mut(member).runner.state;
                            self.interp.introduce(state, *object, *size)?;
                        }
                    }
                }
                out.push(partial);
            }
            Effect::Assign(..)
            | Effect::Branch(_)
            | Effect::Address(_)
            | Effect::Call(_)
            | Effect::Return(..) => {
                apply_privately(&mut node.member(t).runner, effect, &partial.events);
                out.push(partial);
            }
        }
        Ok(())
    }

    /// Adds a read, with the fences that belong to it.
    fn read(
        &self,
        partial: &mut Partial,
        t: usize,
        effect: &Effect,
        rmw: Option<Compiled>,
    ) -> Result<(), Inconclusive> {
        let Effect::Read { cell, value, order, address } = effect else { return Ok(()) };
        let node = &mut partial.node;
        let compiled = rmw.unwrap_or_else(|| self.model.compiled_load(*order));
        let around = |fence| if rmw.is_none() { fence } else { None };
        if let Some(fence) = around(compiled.before) {
            self.event(node, t, Kind::Fence(fence), None, Order::Plain)?;
        }
        let at = node.cell(*cell)?;
        let event = self.event(node, t, Kind::Read, Some((at, *value)), compiled.order)?;
        let address = address.resolve(&partial.events);
        node.execution.events[event].address = address.data;
        node.execution.events[event].control |= address.control;
        node.execution.events[event].atomic = rmw.is_some();
        // A step that has written the cell itself was not asked what it reads there.
        let choice = self.reads.get(partial.events.len());
        let choice = choice.ok_or_else(|| unsupported("an atomic step that reads what it has written"))?;
        node.execution.reads_from[event] = choice.from;
        if choice.from.is_none() {
            node.promised.push(event);
        }
        partial.events.push(event);
        if let Some(fence) = around(compiled.after) {
            node.member(t).runner.branches |= 1 << event;
            self.event(node, t, Kind::Fence(fence), None, Order::Plain)?;
        }
        Ok(())
    }

    /// Adds a write, with the fence that belongs to it.
    fn write(
        &self,
        mut partial: Partial,
        t: usize,
        effect: &Effect,
        rmw: Option<Compiled>,
        sharing: &Sharing<'_, '_>,
        out: &mut Vec<Partial>,
    ) -> Result<(), Inconclusive> {
        let Effect::Write { cell, value, order, address, data } = effect else { return Ok(()) };
        let exchanges_nothing = self.exchanges_nothing(&partial, *value);
        let node = &mut partial.node;
        let compiled = rmw.unwrap_or_else(|| self.model.compiled_store(*order));
        if let (Some(fence), None) = (compiled.before, rmw) {
            self.event(node, t, Kind::Fence(fence), None, Order::Plain)?;
        }
        let at = node.cell(*cell)?;
        let event = self.event(node, t, Kind::Write, Some((at, *value)), compiled.order)?;
        let (address, data) = (address.resolve(&partial.events), data.resolve(&partial.events));
        let written = &mut node.execution.events[event];
        (written.address, written.data) = (address.data, data.data);
        written.control |= address.control | data.control;
        written.atomic = rmw.is_some();
        written.read_part = partial.events.last().copied().filter(|_| rmw.is_some());
        node.member(t).history =
            if exchanges_nothing { Arc::new(vec![self.before.essence(sharing)]) } else { Arc::default() };
        if let (Some(fence), None) = (compiled.after, rmw) {
            self.event(node, t, Kind::Fence(fence), None, Order::Plain)?;
        }
        self.place(partial, event, at, out);
        Ok(())
    }

    /// Returns true if a write stores what the same read-modify-write has read: coming back to the state before it repeats it
    /// ([`Runner::exchanges_next`]).
    fn exchanges_nothing(&self, partial: &Partial, value: u128) -> bool {
        let same = |read: &Choice| read.from.is_some() && read.value == value;
        self.cuts_exchanges
            && partial.events.len() == 1
            && self.reads.iter().all(same)
            && self.before.exchanges_next(self.interp)
    }

    /// Puts a write at every place of its cell's coherence order, and lets it make promises good.
    fn place(&self, partial: Partial, event: usize, cell: usize, out: &mut Vec<Partial>) {
        let execution = &partial.node.execution;
        let order = &execution.coherence[cell];
        let read_part = execution.events[event].read_part;
        let behind = read_part.and_then(|read| execution.reads_from[read]);
        let positions: Vec<usize> = match behind {
            // A user's model may let others write in between.
            Some(write) if self.model.user().is_none() => {
                order.iter().position(|w| *w == write).map(|at| at + 1).into_iter().collect()
            }
            _ => (1..=order.len()).collect(),
        };
        let causes = execution.causes(event);
        let value = execution.events[event].value;
        let is_good = |read: &usize| {
            let promise = &execution.events[*read];
            promise.cell == cell && promise.value == value && causes >> read & 1 == 1
        };
        let promised: Vec<usize> = partial.node.promised.iter().copied().filter(is_good).collect();
        let choices = 1u128 << promised.len();
        let choices: Vec<(usize, u128)> =
            positions.iter().flat_map(|position| (0..choices).map(move |kept| (*position, kept))).collect();
        let mut source = Some(partial.node);
        for (n, (position, kept)) in choices.iter().enumerate() {
            // The last choice needs no copy.
            let copy = if n + 1 == choices.len() { source.take() } else { source.clone() };
            let mut node = copy.expect("an execution should be there until the last choice");
            Arc::make_mut(&mut node.execution.coherence[cell]).insert(*position, event);
            for (_, read) in promised.iter().enumerate().filter(|(n, _)| kept >> n & 1 == 1) {
                node.execution.reads_from[*read] = Some(event);
                node.promised.retain(|promise| promise != read);
            }
            out.push(Partial { node, events: partial.events.clone() });
        }
    }

    fn fence(&self, partials: &mut [Partial], t: usize, kind: Kind) -> Result<(), Inconclusive> {
        for partial in partials {
            self.event(&mut partial.node, t, kind, None, Order::Plain)?;
        }
        Ok(())
    }

    /// Adds an event of thread `t`.
    fn event(
        &self,
        node: &mut PartialExecution,
        t: usize,
        kind: Kind,
        access: Option<(usize, u128)>,
        order: Order,
    ) -> Result<usize, Inconclusive> {
        let runner = &node.members[t].runner;
        let is_barrier = kind == Kind::Fence(MachineFence::Control);
        let control = runner.control(self.model, kind == Kind::Write, is_barrier);
        let before = runner.before;
        let origin = self.interp.position(&self.before.state, self.before.thread).map(|p| (p.func, p.loc));
        let event = Event {
            thread: t,
            origin,
            step: node.n_steps() - 1,
            kind,
            cell: access.map_or(0, |(cell, _)| cell),
            value: access.map(|(_, value)| value),
            order,
            address: 0,
            data: 0,
            control,
            atomic: false,
            read_part: None,
        };
        let at = node.add(event, before)?;
        node.member(t).runner.before |= 1 << at;
        Ok(at)
    }

    /// Creating and joining a thread orders everything.
    fn synchronise(&self, node: &mut PartialExecution, t: usize) -> Result<(), Inconclusive> {
        if !matches!(self.model.machine(), MemoryModel::C11 | MemoryModel::Sc) {
            self.event(node, t, Kind::Fence(MachineFence::Full), None, Order::Plain)?;
        }
        Ok(())
    }

    fn start(
        &self,
        node: &mut PartialExecution,
        t: usize,
        thread: ThreadId,
        sharing: &Sharing<'_, '_>,
    ) -> Result<(), Inconclusive> {
        if node.is_alone(t) {
            self.begin_phase(node, t, sharing);
        }
        self.synchronise(node, t)?;
        let parent = &node.members[t].runner;
        let child = Runner::new(thread, parent.state.clone(), parent.before, parent.branches);
        node.members.push(Arc::new(Member::new(child)));
        Ok(())
    }

    /// The first thread is created: from now on, shared memory is unknown.
    fn begin_phase(&self, node: &mut PartialExecution, t: usize, sharing: &Sharing<'_, '_>) {
        let state = &mut Arc::make_mut(&mut node.members[t]).runner.state;
        let mut initial = HashMap::new();
        for object in self.interp.objects(state) {
            if sharing.is_shared(object)
                && let Some(bytes) = self.interp.bytes(state, object)
            {
                initial.insert(object, bytes);
                self.interp.forget_bytes(state, object);
            }
        }
        node.initial = Arc::new(initial);
        let earlier = std::mem::replace(&mut node.execution, Execution::new(self.model));
        if !earlier.events.is_empty() {
            node.earlier.push(Arc::new(earlier));
        }
        node.member(t).runner.forget_dependencies();
    }

    fn join(&self, node: &mut PartialExecution, t: usize, thread: ThreadId) -> Result<(), Inconclusive> {
        let joined = node
            .members
            .iter()
            .position(|m| m.runner.thread == thread)
            .expect("a joined thread should be known");
        node.member(joined).status = Status::Joined;
        let before = node.members[joined].runner.before;
        node.member(t).runner.before |= before;
        self.synchronise(node, t)?;
        if node.is_alone(t) && node.promised.is_empty() {
            let state = &mut Arc::make_mut(&mut node.members[t]).runner.state;
            for (object, bytes) in node.initial.iter() {
                self.interp.set_bytes(state, *object, 0, bytes);
            }
            for (cell, order) in node.execution.cells.iter().zip(&node.execution.coherence) {
                let last = order.last().expect("a cell should have an initial value");
                let value = node.execution.events[*last].value;
                let byte = |n: u64| value.map(|value| low8(value >> (8 * n)));
                let bytes: Vec<Option<u8>> = (0..cell.width.bytes()).map(byte).collect();
                self.interp.set_bytes(state, cell.object, cell.offset, &bytes);
            }
        }
        Ok(())
    }
}

fn accessed(effect: &Effect) -> Option<Cell> {
    match effect {
        Effect::Read { cell, .. } | Effect::Write { cell, .. } => Some(*cell),
        _ => None,
    }
}

/// Follows dependencies through what only the thread itself sees.
pub fn apply_privately(runner: &mut Runner, effect: &Effect, events: &[usize]) {
    match effect {
        Effect::Assign(target, sources) => runner.assign(*target, sources.resolve(events)),
        Effect::Branch(sources) => {
            let taint = sources.resolve(events);
            runner.branches |= taint.data | taint.control;
        }
        Effect::Address(sources) => runner.reach(sources.resolve(events)),
        Effect::Call(arguments) => {
            runner.enter(arguments.iter().map(|(var, sources)| (*var, sources.resolve(events))));
        }
        Effect::Return(var, sources) => runner.leave(*var, sources.resolve(events)),
        Effect::Read { .. }
        | Effect::Write { .. }
        | Effect::Fence(_)
        | Effect::Start(_)
        | Effect::Join(_)
        | Effect::Allocate(..) => {}
    }
}

/// Returns true if a step is invisible to other threads, and its thread goes on.
pub fn is_silent(taken: &Taken) -> bool {
    taken.result == StepResult::Continue
        && taken.effects.iter().all(|effect| {
            matches!(
                effect,
                Effect::Assign(..)
                    | Effect::Branch(_)
                    | Effect::Address(_)
                    | Effect::Call(_)
                    | Effect::Return(..)
            )
        })
        && taken.runner.state.thread(taken.runner.thread).is_some_and(|thread| !thread.is_finished())
}
