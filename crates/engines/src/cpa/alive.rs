//! Which variables can still matter at a control: what is dropped from abstract states.
//!
//! A register is alive if its frame exists and may read it before setting it again; a frame's objects are alive as long as
//! the frame is; a thread's result until it is joined. Everything else in memory is always alive.
//!
//! Direction of error: too many are alive, never too few; and dropping what matters would lose precision, not soundness.

use base::IdxVec;
use logic::Symbol;
use program::FuncId;
use program::interp::Identity;
use rustc_hash::FxHashMap;
use semantics::Analysis;
use semantics::analysis::Liveness;
use semantics::encoding::{GlobalLocation, Name, Names};
use semantics::transition::GlobalLocationId;
use std::sync::Arc;

/// Answers by control and symbol.
pub struct Alive<'p> {
    analysis: Arc<Analysis<'p>>,
    known: FxHashMap<GlobalLocationId, Vec<Option<bool>>>,
}

impl<'p> Alive<'p> {
    /// No answers yet.
    pub fn new(analysis: &Arc<Analysis<'p>>) -> Self {
        Self { analysis: Arc::clone(analysis), known: FxHashMap::default() }
    }

    /// Returns true if a variable can still matter.
    pub fn is_alive(
        &mut self,
        names: &Names,
        at: GlobalLocationId,
        control: &GlobalLocation,
        symbol: Symbol,
    ) -> bool {
        let known = self.known.entry(at).or_default();
        let index = symbol.0 as usize;
        if known.len() <= index {
            known.resize(index + 1, None);
        }
        if let Some(alive) = known[index] {
            return alive;
        }
        let alive = names.name(symbol).is_none_or(|name| may_matter(&self.analysis.liveness, control, name));
        known[index] = Some(alive);
        alive
    }
}

fn may_matter(liveness: &IdxVec<FuncId, Liveness>, control: &GlobalLocation, name: Name) -> bool {
    match name {
        Name::Register { thread, depth, func, var } => {
            let Some(thread) = control.thread(thread) else { return false };
            let Some(frame) = thread.frames.get(depth as usize).filter(|f| f.func == func) else {
                return false;
            };
            let live = &liveness[func];
            let innermost = depth as usize + 1 == thread.frames.len();
            let registers =
                if innermost { live.live_at(frame.loc) } else { live.live_during_call(frame.loc) };
            registers.contains(var)
        }
        Name::Cell { object, .. }
        | Name::Elements { object, .. }
        | Name::Size(object)
        | Name::IsSet { object, .. }
        | Name::AreSet { object, .. }
        | Name::Alive(object) => match object {
            Identity::Static(_) | Identity::Heap { .. } | Identity::Alloca { .. } => true,
            Identity::ThreadLocal(_, thread) => control.thread(thread).is_some(),
            Identity::Local { thread, depth, func, .. } => control
                .thread(thread)
                .and_then(|t| t.frames.get(depth as usize))
                .is_some_and(|frame| frame.func == func),
        },
        Name::Result(thread) => control.thread(thread).is_some_and(|t| t.is_finished()),
        Name::Waiting(thread) => control.thread(thread).is_some_and(|t| !t.is_finished()),
        Name::Scratch { .. } | Name::ScratchIsSet { .. } => false,
    }
}
