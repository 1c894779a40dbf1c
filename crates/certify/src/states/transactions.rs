//! Transactions of a state set, and why threads may be scheduled at their ends only.
//!
//! A state set may say that threads take actions together: each its next one, with those that follow at locations named *simple*, up to the next scheduling point. A step may then lead to a state that is not
//! in the set; what follows is taken until one is. With each state comes the *footprint* of each thread: what it has accessed in its last transaction, without the first action.
//!
//! # What is checked
//! 1. The property is one that this cannot hide: not termination. About leaks, nothing is left but the thread that ends the program.
//! 2. Each action that follows others is of a simple kind: registers and memory, a branch, a call, a return, or the end of a thread where none is ever detached; and it continues, whatever is chosen.
//!    Variables of frames that cease to live with it do not escape ([`semantics::analysis::Threads::escapes`], shared with the engines): no other thread has a pointer that this would make invalid.
//! 3. No action of another thread, first or not, successful or blocked, conflicts with a footprint: accesses the same byte, and one of the two writes. An access that makes an indeterminate value determinate is a
//!    write; the end of the life of an object accesses all of it.
//! 4. What a thread accesses in the actions that follow is in its footprint in the state where they end, and the footprints of other threads are kept.
//!
//! The actions of an atomic section count as the one that begins it, since no other thread can act in between; but not if the property is about races, to which sections are open.
//!
//! Registers that are dead are made indeterminate before a state is looked up. That can only add executions, so it needs no justification; where leaks are asked for, the first thread keeps
//! them: in the end nobody else is left.
//!
//! # Why that suffices
//! By induction on the length of an execution it is equivalent to one of transactions of the set, the last of each thread perhaps incomplete, and complete ones end in states of the set. Let `a` be its last action, of thread `p`.
//! If `p`'s last transaction is complete, `a` begins a new one. Otherwise `a` is to be put behind the actions of that transaction, before all that others have done since. Let `b` be the first of those with
//! which it conflicts. Without `a` and what comes after it in the transaction nothing up to `b` is different if these are taken, too, unless they conflict with something before `b`: take the first such pair. So there is
//! an execution of complete transactions in which `b` is taken while `a` is in `p`'s footprint, which 3 excludes. Hence there is no such `b`. An incomplete transaction can be completed, because its actions continue whatever is chosen, so
//! that violations and deadlocks are met by executions of complete ones.

use super::failed;
use base::Inconclusive;
use evidence::{Accessed, StateSet};
use program::interp::{Choice, Event, Identity, Interp, Place, State, StepResult, Thread, ThreadId, Wakeups};
use program::{Action, FuncId, LocId, MemoryModel, Op, Property, Storage, VarId, VarKind};
use rustc_hash::{FxHashMap, FxHashSet};
use semantics::Analysis;
use semantics::analysis::{Liveness, Site};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

/// Accessed bytes, by object: from, behind the last one, and whether they are written.
#[derive(Clone, Default)]
pub(super) struct Footprint(FxHashMap<Identity, Vec<(u64, u64, bool)>>);

impl Footprint {
    fn add(&mut self, access: Accessed) {
        let known = self.0.entry(access.object).or_default();
        let Accessed { from, to, writes, .. } = access;
        let near = known.iter_mut().find(|(f, t, w)| *w == writes && *f <= to && from <= *t);
        match near {
            Some((f, t, _)) => (*f, *t) = ((*f).min(from), (*t).max(to)),
            None => known.push((from, to, writes)),
        }
    }

    fn includes(&self, other: &Footprint) -> bool {
        other.0.iter().all(|(object, bytes)| {
            let mine = self.0.get(object).map_or(&[][..], |mine| &mine[..]);
            bytes
                .iter()
                .all(|(from, to, writes)| mine.iter().any(|(f, t, w)| w == writes && f <= from && to <= t))
        })
    }

    fn conflicts(&self, access: &Accessed) -> bool {
        let known = self.0.get(&access.object).into_iter().flatten();
        known
            .into_iter()
            .any(|(from, to, writes)| (*writes || access.writes) && *from < access.to && access.from < *to)
    }
}

/// The footprints of the threads of a state.
pub(super) type Footprints = BTreeMap<ThreadId, Rc<Footprint>>;

/// How the threads of a state set take actions together.
pub(super) struct Transactions<'a> {
    analysis: Arc<Analysis<'a>>,
    simple: FxHashSet<(FuncId, LocId)>,
    points: FxHashSet<(FuncId, LocId)>,
    table: Vec<Rc<Footprint>>,
    footprints: &'a [Vec<(ThreadId, usize)>],
    property: Property,
    leaks: bool,
}

impl<'a> Transactions<'a> {
    /// Those of a set; `None` if it has none.
    pub(super) fn of(
        interp: &Interp<'a>,
        property: Property,
        set: &'a StateSet,
    ) -> Result<Option<Self>, Inconclusive> {
        let Some(claimed) = &set.transactions else { return Ok(None) };
        let program = interp.program();
        if property == Property::Termination || program.memory_model != MemoryModel::Sc {
            return Err(failed(format!("actions are not taken together for {property}")));
        }
        let n_known = claimed.table.len();
        let are_known = claimed.footprints.iter().flatten().all(|(_, footprint)| *footprint < n_known);
        if claimed.footprints.len() != set.states.len() || !are_known {
            return Err(failed("a state has no footprints".to_owned()));
        }
        let footprint = |accesses: &Vec<Accessed>| {
            let mut footprint = Footprint::default();
            accesses.iter().for_each(|access| footprint.add(*access));
            Rc::new(footprint)
        };
        Ok(Some(Self {
            analysis: Analysis::of(program),
            simple: claimed.simple.iter().copied().collect(),
            points: claimed.points.iter().copied().collect(),
            table: claimed.table.iter().map(footprint).collect(),
            footprints: &claimed.footprints,
            property,
            leaks: property.is_about_leaks() && program.allocates(),
        }))
    }

    /// The footprints of a state of the set.
    pub(super) fn footprints(&self, member: usize) -> Footprints {
        let named = self.footprints[member].iter();
        named.map(|(thread, footprint)| (*thread, Rc::clone(&self.table[*footprint]))).collect()
    }

    /// Returns true if a state of the set has all of these footprints.
    pub(super) fn covers(&self, member: usize, footprints: &Footprints) -> bool {
        let known = self.footprints(member);
        let is_covered = |(thread, footprint): (&ThreadId, &Rc<Footprint>)| {
            footprint.0.is_empty() || known.get(thread).is_some_and(|mine| mine.includes(footprint))
        };
        footprints.iter().all(is_covered)
    }

    /// The first thread whose next action follows others.
    pub(super) fn thread(&self, interp: &Interp<'_>, state: &State) -> Option<ThreadId> {
        let follows = |id: ThreadId, thread: &Thread| {
            let at = thread.top().map(|frame| (frame.func(), frame.loc()));
            at.is_some_and(|at| {
                self.simple.contains(&at) && (!self.points.contains(&at) || self.is_glued(state, id))
            })
        };
        let mut threads = state.threads().filter(|(id, thread)| follows(*id, thread)).map(|(id, _)| id);
        threads.find(|id| interp.enabled(state, *id, Wakeups::Spurious))
    }

    fn is_glued(&self, state: &State, thread: ThreadId) -> bool {
        self.property != Property::NoDataRace && state.atomic_owner() == Some(thread)
    }

    /// A state without what no thread reads any more; that only adds executions, so liveness is not trusted.
    pub(super) fn without_dead_registers(&self, state: &State) -> State {
        let mut state = state.clone();
        let forgets = |thread| !self.leaks || thread != ThreadId::MAIN;
        Liveness::forget_dead(&self.analysis.liveness, &mut state, forgets);
        state
    }

    /// The program ends in a state that matters only if no other thread could have done something before.
    pub(super) fn may_end(&self, before: &State) -> Result<(), Inconclusive> {
        if self.leaks && before.threads().count() > 1 {
            return Err(failed("the program ends while another thread is in a transaction".to_owned()));
        }
        Ok(())
    }

    /// A step should not conflict with the footprints of other threads.
    pub(super) fn interferes(
        &self,
        before: &State,
        thread: ThreadId,
        after: (&State, &StepResult),
        events: &[Event],
        footprints: &Footprints,
    ) -> Result<(), Inconclusive> {
        let accesses = accesses(events);
        let others: Vec<_> = footprints.iter().filter(|(other, _)| **other != thread).collect();
        if others.is_empty() {
            return Ok(());
        }
        for (_, footprint) in others {
            let has_ended =
                footprint.0.keys().any(|object| self.may_end_life(before, thread, after, *object));
            if has_ended || accesses.iter().any(|access| footprint.conflicts(access)) {
                return Err(failed("an action conflicts with a transaction of another thread".to_owned()));
            }
        }
        Ok(())
    }

    /// Returns true if a step may begin or end the life of an object otherwise than on the heap.
    fn may_end_life(
        &self,
        before: &State,
        thread: ThreadId,
        (after, result): (&State, &StepResult),
        object: Identity,
    ) -> bool {
        let Some((mover, top)) = before.thread(thread).and_then(|mover| Some((mover, mover.top()?))) else {
            return false;
        };
        let own = object.owner() == Some(thread) && !matches!(object, Identity::Heap { .. });
        match &self.analysis.program.functions[top.func()].locations[top.loc()].action {
            Action::ThreadExit(_) => own,
            Action::Return(_) => match object {
                Identity::Local { depth, .. } | Identity::Alloca { depth, .. } => {
                    own && depth as usize + 1 >= mover.frames().len()
                }
                _ => own && mover.frames().len() == 1,
            },
            // Pointers to an earlier variable of the frame change wherever they are.
            Action::Call { .. } => {
                let callee = after.thread(thread).and_then(|mover| mover.top()).map(|frame| frame.func());
                *result == StepResult::Continue && callee.is_none_or(|callee| !self.frame_is_private(callee))
            }
            Action::Ops { ops, .. } => ops.iter().any(|op| match op {
                Op::Forget { var, .. } => self.escapes(top.func(), *var),
                Op::Alloc { storage: Storage::Frame, .. } | Op::Realloc { .. } => true,
                _ => false,
            }),
            _ => false,
        }
    }

    /// Notes an action that follows others: it should be of a simple kind, and is added to the thread's footprint.
    pub(super) fn follow(
        &self,
        before: &State,
        thread: ThreadId,
        (after, result): (&State, &StepResult),
        events: &[Event],
        footprints: &mut Footprints,
    ) -> Result<(), Inconclusive> {
        if *result != StepResult::Continue {
            return Err(failed("an action in the middle of a transaction does not continue".to_owned()));
        }
        self.is_simple(before, after, thread)?;
        self.interferes(before, thread, (after, result), events, footprints)?;
        if !self.is_glued(before, thread) {
            let footprint = Rc::make_mut(footprints.entry(thread).or_default());
            accesses(events).into_iter().for_each(|access| footprint.add(access));
        }
        footprints.retain(|thread, _| after.thread(*thread).is_some());
        Ok(())
    }

    fn is_simple(&self, before: &State, after: &State, thread: ThreadId) -> Result<(), Inconclusive> {
        let mover = before.thread(thread).and_then(|t| Some((t, t.top()?)));
        let (mover, at) = mover.ok_or_else(|| failed("an action of no thread".to_owned()))?;
        let function = &self.analysis.program.functions[at.func()];
        let simple = match &function.locations[at.loc()].action {
            Action::Branch { .. } => true,
            Action::Ops { ops, .. } => ops.iter().all(|op| self.is_plain(at.func(), op)),
            Action::Call { .. } => {
                let callee = after.thread(thread).and_then(|t| t.top()).map(|frame| frame.func());
                callee.is_some_and(|callee| self.frame_is_private(callee))
            }
            Action::Return(_) => match mover.frames().len() {
                1 => thread != ThreadId::MAIN && self.end_is_private(mover),
                _ => self.frame_is_private(at.func()),
            },
            Action::ThreadExit(_) => self.end_is_private(mover),
            Action::Exit | Action::Error { .. } | Action::Unsupported(_) | Action::Undefined(_) => false,
        };
        if simple {
            Ok(())
        } else {
            Err(failed("an action in the middle of a transaction may concern other threads".to_owned()))
        }
    }

    fn is_plain(&self, func: FuncId, op: &Op) -> bool {
        match op {
            Op::Set { .. } | Op::Store { .. } | Op::Havoc { .. } | Op::Free(_) | Op::AtomicEnd => true,
            Op::Copy { .. } | Op::Fill { .. } | Op::Fence(_) | Op::Signed { .. } => true,
            Op::Alloc { storage, .. } => *storage != Storage::Frame,
            Op::Forget { var, .. } => !self.escapes(func, *var),
            _ => false,
        }
    }

    fn escapes(&self, func: FuncId, var: VarId) -> bool {
        let declared = &self.analysis.program.functions[func].vars[var];
        matches!(declared.kind, VarKind::Memory { .. })
            && self.analysis.threads.escapes(Site::Frame(func, var))
    }

    fn frame_is_private(&self, func: FuncId) -> bool {
        let function = &self.analysis.program.functions[func];
        let in_frame = |op: &Op| matches!(op, Op::Alloc { storage: Storage::Frame, .. });
        function.vars.ids().all(|var| !self.escapes(func, var))
            && !function.locations.iter().any(|location| location.action.ops().iter().any(in_frame))
    }

    /// Returns true if the end of a thread shows in nothing but that it can be joined.
    fn end_is_private(&self, thread: &Thread) -> bool {
        let program = self.analysis.program;
        let mut own = program.objects.iter_enumerated().filter(|(_, object)| object.thread_local);
        thread.frames().all(|frame| self.frame_is_private(frame.func()))
            && own.all(|(id, _)| !self.analysis.threads.escapes(Site::Static(id)))
            && !program.detaches_threads()
    }
}

/// What a step accesses.
fn accesses(events: &[Event]) -> Vec<Accessed> {
    let chooses = |event: &Event| matches!(event, Event::Chosen { what: Choice::Indeterminate(_), .. });
    let determines = events.iter().any(chooses);
    let mut found = Vec::new();
    let mut add = |place: &Place, len: u64, writes: bool| {
        if let Place::Memory { object, offset } = *place {
            let writes = writes || determines;
            found.push(Accessed { object, writes, from: offset, to: offset.saturating_add(len) });
        }
    };
    for event in events {
        match event {
            Event::Read { place, width, .. } => add(place, width.bytes(), false),
            Event::ReadUnset { place, len, .. } => add(place, *len, false),
            Event::Write { place, width, .. } => add(place, width.bytes(), true),
            Event::Left { place, bytes } => add(place, bytes.len() as u64, true),
            Event::Filled { dst, len, .. } => add(dst, *len, true),
            Event::Copied { dst, src, len } => {
                add(dst, *len, true);
                add(src, *len, false);
            }
            Event::Allocated { object, .. } | Event::Resized { object, .. } | Event::Freed { object } => {
                add(&Place::Memory { object: *object, offset: 0 }, u64::MAX, true);
            }
            // Not all of the bytes of a word need be indeterminate, but those that are begin here.
            Event::Chosen { what: Choice::Indeterminate(place), .. } => add(place, 16, true),
            Event::Evaluated(_)
            | Event::Chosen { .. }
            | Event::Sync { .. }
            | Event::Called { .. }
            | Event::Returned { .. }
            | Event::Started { .. }
            | Event::Finished { .. }
            | Event::Joined { .. }
            | Event::Woken { .. } => {}
        }
    }
    found
}
