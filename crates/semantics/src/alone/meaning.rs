//! What the events of one step mean: its visible effects, each with the reads that it was computed from.

use super::{Cell, Effect, Exchanged, Runner, Sources, Target, unsupported};
use base::Inconclusive;
use program::interp::{Event, Flow, Identity, Interp, Place};
use program::memory_model::ReadModifyWrite;
use program::{Action, Expr, LocId, Op, Order, VarId};
use std::collections::HashMap;

/// An expression that was evaluated, and what it read of memory, in order: where, what, and how ordered.
pub(super) type Evaluation = (Flow, Vec<(Cell, u128, Order)>);

/// Makes sense of the events of one step.
pub(super) struct Interpreter<'a, 'p> {
    pub(super) interp: &'a Interp<'p>,
    pub(super) action: Option<&'p Action>,
    pub(super) runner: &'a Runner,
    pub(super) is_shared: &'a dyn Fn(Identity) -> bool,
    /// On Power, accesses to one cell are committed in program order (`cc0` of `ppc.cat`): a write that depends on a load comes after what *any* earlier store to the cell depends on.
    pub(super) commits_in_order: bool,
    /// The expressions that were evaluated, in order, with what they read of memory.
    pub(super) evaluated: std::vec::IntoIter<Evaluation>,
    /// The registers that this step has set so far.
    pub(super) assigned: HashMap<VarId, Sources>,
    /// The cells that this step has read and not written since, with the number of the read: a transaction reads a cell once.
    pub(super) read: HashMap<Place, usize>,
    pub(super) reads_made: usize,
    pub(super) effects: Vec<Effect>,
}

impl<'p> Interpreter<'_, 'p> {
    /// What other threads can see of the step, and what it means for the thread's registers.
    pub(super) fn effects(mut self, events: &[Event], after: &Runner) -> Result<Vec<Effect>, Inconclusive> {
        match self.action {
            Some(Action::Ops { ops, .. }) => self.operations(ops, events, after)?,
            Some(Action::Branch { cond, no, .. }) => self.decision(cond, *no),
            Some(Action::Call { args, .. }) => {
                let given: Vec<Sources> = args.iter().map_while(|_| self.next()).collect();
                if let Some(Event::Called { func }) =
                    events.iter().find(|e| matches!(e, Event::Called { .. }))
                {
                    let params = self.interp.program().functions[*func].params.iter().copied();
                    self.effects.push(Effect::Call(params.zip(given).collect()));
                }
            }
            Some(Action::Return(value)) => {
                let sources = value.as_ref().and_then(|_| self.next()).unwrap_or_default();
                self.effects.push(Effect::Return(self.result_register(), sources));
            }
            Some(Action::ThreadExit(_)) => drop(self.next()),
            Some(Action::Exit | Action::Error { .. } | Action::Unsupported(_) | Action::Undefined(_))
            | None => {}
        }
        for event in events {
            match event {
                Event::Started { thread, .. } => self.effects.push(Effect::Start(*thread)),
                Event::Joined { thread } => self.effects.push(Effect::Join(*thread)),
                Event::Allocated { object, size } => self.effects.push(Effect::Allocate(*object, *size)),
                Event::Copied { dst, src, .. } if self.touches(dst) || self.touches(src) => {
                    return Err(unsupported("copying shared memory"));
                }
                Event::Filled { dst, .. } if self.touches(dst) => {
                    return Err(unsupported("filling shared memory"));
                }
                Event::ReadUnset { place, .. } if self.touches(place) => {
                    return Err(unsupported("handing on shared memory that was never set"));
                }
                Event::Resized { object, .. }
                    if self.touches(&Place::Memory { object: *object, offset: 0 }) =>
                {
                    return Err(unsupported("another size of shared memory"));
                }
                _ => {}
            }
        }
        Ok(self.effects)
    }

    fn operations(&mut self, ops: &'p [Op], events: &[Event], after: &Runner) -> Result<(), Inconclusive> {
        let conditional = ReadModifyWrite::of(ops);
        let stores = conditional.as_ref().is_none_or(|rmw| self.stores(rmw, after));
        let mut writes = events.iter().filter_map(|event| match event {
            Event::Write { place: Place::Memory { object, offset }, value, width, order, .. } => {
                Some((Cell { object: *object, offset: *offset, width: *width }, value.unwrap_or(0), *order))
            }
            _ => None,
        });
        for (n, op) in ops.iter().enumerate() {
            if let Op::Store { .. } = op {
                let omitted = !stores && conditional.as_ref().is_some_and(|rmw| rmw.store_at == n);
                let (address, data) = (self.next(), self.next());
                if let (Some(address), Some(data), Some((cell, value, order))) =
                    (address, data, writes.next())
                {
                    self.read.remove(&Place::Memory { object: cell.object, offset: cell.offset });
                    if !(self.is_shared)(cell.object) {
                        // A load that returns this comes after what its address depends on, too.
                        let mut sources = data.and(&address);
                        if self.commits_in_order {
                            let place = Place::Memory { object: cell.object, offset: cell.offset };
                            let overwritten = self.runner.taint_of(place);
                            sources.known.control |= overwritten.data | overwritten.control;
                        }
                        self.reach(address);
                        self.effects.push(Effect::Assign(Target::Memory(cell.object, cell.offset), sources));
                    } else if !omitted {
                        self.effects.push(Effect::Write { cell, value, order, address, data });
                    }
                }
            } else {
                self.operation(op)?;
            }
        }
        Ok(())
    }

    /// An operation other than a store.
    fn operation(&mut self, op: &'p Op) -> Result<(), Inconclusive> {
        match op {
            Op::WaitEnd { woken: Some(woken), .. } => self.assign(*woken, Sources::default()),
            Op::Store { .. } | Op::WaitEnd { woken: None, .. } | Op::Signed { .. } => {}
            Op::Set { var, .. } => {
                if let Some(sources) = self.next() {
                    self.assign(*var, sources);
                }
            }
            Op::Guard(_) | Op::Assume(_) => self.branch(),
            Op::Havoc { var } | Op::Forget { var, .. } => self.assign(*var, Sources::default()),
            Op::Alloc { var, .. } => {
                self.next();
                self.assign(*var, Sources::default());
            }
            Op::Copy { .. } | Op::Fill { .. } => (0..3).for_each(|_| drop(self.next())),
            Op::Create { handle, .. } => {
                (0..2).for_each(|_| drop(self.next()));
                self.assign(*handle, Sources::default());
            }
            Op::Join { .. } | Op::Detach { .. } | Op::Free(_) | Op::WaitBegin(_) | Op::Signal { .. } => {
                drop(self.next())
            }
            Op::Realloc { .. } => return Err(unsupported("realloc")),
            Op::AtomicBegin | Op::AtomicEnd => return Err(unsupported("an atomic section")),
            Op::Fence(barrier) => self.effects.push(Effect::Fence(*barrier)),
        }
        Ok(())
    }

    fn assign(&mut self, var: VarId, sources: Sources) {
        self.assigned.insert(var, sources.clone());
        self.effects.push(Effect::Assign(Target::Register(var), sources));
    }

    /// Private memory is accessed.
    fn reach(&mut self, address: Sources) {
        if !address.is_constant() {
            self.effects.push(Effect::Address(address));
        }
    }

    fn branch(&mut self) {
        if let Some(sources) = self.next() {
            self.effects.push(Effect::Branch(sources));
        }
    }

    /// A branch. Right after a compare-and-exchange it only says whether the expected value has to be set.
    fn decision(&mut self, cond: &Expr, no: LocId) {
        match (cond, self.runner.exchanged) {
            (Expr::Reg(var, _), Some(Exchanged { success, old })) if *var == success => {
                drop(self.next());
                self.expected_value(no, old);
            }
            _ => self.branch(),
        }
    }

    /// The expected value of a compare-and-exchange becomes what was read; `failed` is where that is written down.
    fn expected_value(&mut self, failed: LocId, old: VarId) {
        let (state, thread) = (&self.runner.state, self.runner.thread);
        let Some(position) = self.interp.position(state, thread) else { return };
        let location = &self.interp.program().functions[position.func].locations[failed];
        let Action::Ops { ops, .. } = &location.action else { return };
        let is_old = |value: &Expr| matches!(value, Expr::Reg(var, _) if *var == old);
        let place = match &ops[..] {
            [Op::Set { var, value }] if is_old(value) => Some(Target::Register(*var)),
            [Op::Store { addr, value, .. }] if is_old(value) => {
                let address = self.interp.value_of(state, thread, addr);
                let address = address.and_then(|address| u64::try_from(address).ok());
                match address.and_then(|address| self.interp.place_at(state, address)) {
                    Some(Place::Memory { object, offset }) if !(self.is_shared)(object) => {
                        Some(Target::Memory(object, offset))
                    }
                    _ => None,
                }
            }
            _ => None,
        };
        let sources = self.source(Place::Register { func: position.func, var: old }, &HashMap::new());
        self.effects.extend(place.map(|place| Effect::Assign(place, sources)));
    }

    fn touches(&self, place: &Place) -> bool {
        matches!(place, Place::Memory { object, .. } if (self.is_shared)(*object))
    }

    /// The register of the caller that gets the result of the innermost call.
    fn result_register(&self) -> Option<VarId> {
        let thread = self.runner.state.thread(self.runner.thread)?;
        let caller = thread.frames().rev().nth(1)?;
        match &self.interp.program().functions[caller.func()].locations[caller.loc()].action {
            Action::Call { ret, .. } => *ret,
            _ => None,
        }
    }

    /// Returns true if a read-modify-write wrote.
    fn stores(&self, rmw: &ReadModifyWrite<'_>, after: &Runner) -> bool {
        let condition = |cond: &Expr| self.interp.value_of(&after.state, after.thread, cond);
        rmw.stores_if.is_none_or(|cond| condition(cond) != Some(0))
    }

    /// What the value of the next expression was computed from; its reads of shared memory are effects.
    fn next(&mut self) -> Option<Sources> {
        let (flow, reads) = self.evaluated.next()?;
        // Which read of this step a place was, if it is shared.
        let mut numbers: HashMap<Place, usize> = HashMap::new();
        let mut addresses: HashMap<Place, Sources> = HashMap::new();
        for (load, (cell, value, order)) in flow.loads.iter().zip(reads) {
            let address = self.sources(&load.address, &[], &numbers, &addresses);
            if !(self.is_shared)(cell.object) {
                self.reach(address.clone());
                addresses.insert(load.place, address);
            } else if let Some(number) = self.read.get(&load.place) {
                numbers.insert(load.place, *number);
            } else {
                numbers.insert(load.place, self.reads_made);
                self.read.insert(load.place, self.reads_made);
                self.reads_made += 1;
                self.effects.push(Effect::Read { cell, value, order, address });
            }
        }
        Some(self.sources(&flow.data, &flow.control, &numbers, &addresses))
    }

    fn sources(
        &self,
        data: &[Place],
        control: &[Place],
        numbers: &HashMap<Place, usize>,
        addresses: &HashMap<Place, Sources>,
    ) -> Sources {
        let mut sum = Sources::default();
        for place in data {
            let source = self.source(*place, numbers);
            sum.known.data |= source.known.data;
            sum.known.control |= source.known.control;
            sum.reads.extend(source.reads);
            sum.control_reads.extend(source.control_reads);
            if let Some(address) = addresses.get(place) {
                sum.known.data |= address.known.data;
                sum.known.control |= address.known.control;
                sum.reads.extend(&address.reads);
            }
        }
        for place in control {
            let source = self.source(*place, numbers);
            sum.known.control |= source.known.data | source.known.control;
            sum.control_reads.extend(source.reads.into_iter().chain(source.control_reads));
        }
        sum
    }

    fn source(&self, place: Place, numbers: &HashMap<Place, usize>) -> Sources {
        if let Some(n) = numbers.get(&place) {
            return Sources { reads: vec![*n], ..Sources::default() };
        }
        match place {
            Place::Register { var, .. } if self.assigned.contains_key(&var) => self.assigned[&var].clone(),
            _ => Sources { known: self.runner.taint_of(place), ..Sources::default() },
        }
    }
}

/// The expressions that were evaluated, in order, with what each read of memory.
pub(super) fn evaluations(events: &[Event]) -> Vec<Evaluation> {
    let mut found = Vec::new();
    let mut reads = Vec::new();
    for event in events {
        match event {
            Event::Read { place: Place::Memory { object, offset }, value, width, order } => {
                reads.push((Cell { object: *object, offset: *offset, width: *width }, *value, *order));
            }
            Event::Evaluated(flow) => found.push((flow.clone(), std::mem::take(&mut reads))),
            _ => {}
        }
    }
    found
}
