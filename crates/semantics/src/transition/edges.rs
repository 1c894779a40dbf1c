//! Edges: what a thread does in one step of a search.
//!
//! Which edges leave a node depends on its global location only, so they are computed once for each location and thread.
//!
//! Without reduction an edge is one action. With it (`spor`, `dpor`) it is a *large-step edge*, a transaction of one thread: at most one *visible*
//! action (or one atomic section) with invisible ones before and after it, so that every interleaving of actions is equivalent to one of transactions. A
//! transaction ends before the next visible action and before every loop head: a thread that spins does not keep the others from
//! moving, and covers are found where loops close.
//!
//! Two kinds of visible actions join a transaction all the same, because no action of another thread in between would change its outcome: an error
//! (it is found at once), and the end of a thread (it only enables joins). The end of the *program* does
//! not: what other threads do before it must be seen. An error that another property is about ends the program, too.

use super::independence::{ControlEffect, Dependence, Footprint};
use super::loop_heads::loop_heads;
use crate::analysis::Analysis;
use crate::encoding::control::Frame;
use crate::encoding::{Encoder, GlobalLocation, Successor, SuccessorKind, is_total};
use base::{Idx, id_type};
use logic::Terms;
use logic::path::Cmd;
use program::interp::ThreadId;
use program::{Action, FuncId, LocId, Program, Property};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use std::sync::Arc;

id_type!(
    /// A global location, interned.
    GlobalLocationId,
    "l"
);

id_type!(
    /// An edge.
    EdgeId,
    "e"
);

/// What a thread can do in one edge.
#[derive(Debug)]
pub struct Edge {
    /// Its number.
    pub id: EdgeId,
    /// The thread that moves.
    pub thread: ThreadId,
    /// What happens to the data: all steps in one.
    pub block: Vec<Cmd>,
    /// The same, action by action.
    pub steps: Vec<Vec<Cmd>>,
    /// The number of the successor that each action takes, as the encoding lists them.
    pub choices: Vec<u32>,
    /// The global location behind it.
    pub control: GlobalLocationId,
    /// How it ends.
    pub kind: SuccessorKind,
    /// The memory it accesses that another thread may access, too.
    pub footprint: Footprint,
    /// True if the transaction ends at a loop head: behind it begins another iteration.
    pub iterates: bool,
    /// The two threads of a data race, if this is the error edge of one.
    pub racers: Option<[ThreadId; 2]>,
}

/// All edges met so far.
pub struct Edges<'p> {
    analysis: Arc<Analysis<'p>>,
    n_edges: usize,
    heads: FxHashSet<(FuncId, LocId)>,
    fuse: bool,
    /// The property that is verified.
    property: Property,
    stops: Stops,
    controls: Vec<Arc<GlobalLocation>>,
    ids: FxHashMap<Arc<GlobalLocation>, GlobalLocationId>,
    cache: FxHashMap<(GlobalLocationId, ThreadId), Rc<[Rc<Edge>]>>,
    /// Executions that come to an action without successors.
    dead_ends: FxHashMap<(GlobalLocationId, ThreadId), Vec<Vec<u32>>>,
    /// Of edges and the next edges of other threads.
    pub(super) dependences: FxHashMap<(EdgeId, ThreadId), Dependence>,
}

/// What a transaction ends before, besides what all transactions do.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stops {
    Nothing,
    /// Every action that can block.
    Blocking,
    /// Every access to memory that another thread may access.
    Accesses,
}

/// Maximum number of actions in a transaction.
const MAX_STEPS: usize = 256;
/// Maximum number of transactions of a thread at a global location.
const MAX_TRANSACTIONS: usize = 64;

/// A transaction under construction.
struct Prefix {
    control: GlobalLocation,
    block: Vec<Cmd>,
    steps: Vec<Vec<Cmd>>,
    choices: Vec<u32>,
    /// True after its visible action.
    acted: bool,
    effect: ControlEffect,
}

impl<'p> Edges<'p> {
    /// No edges yet; `fuse` makes a transaction one edge, as far as nothing is lost that `property` is about.
    pub fn new(analysis: &Arc<Analysis<'p>>, fuse: bool, property: Property) -> Self {
        Self {
            analysis: Arc::clone(analysis),
            n_edges: 0,
            heads: loop_heads(analysis.program),
            fuse,
            property,
            stops: Stops::Nothing,
            controls: Vec::new(),
            ids: FxHashMap::default(),
            cache: FxHashMap::default(),
            dead_ends: FxHashMap::default(),
            dependences: FxHashMap::default(),
        }
    }

    /// Ends transactions before every action that can block, so that a blocked thread is between two transactions.
    pub fn stopping_where_threads_block(mut self) -> Self {
        self.stops = Stops::Blocking;
        self
    }

    /// Ends transactions before every access to memory that another thread may access, so that a thread about to race is between two transactions.
    pub fn stopping_before_accesses(mut self) -> Self {
        self.stops = Stops::Accesses;
        self
    }

    /// The program.
    pub fn program(&self) -> &'p Program {
        self.analysis.program
    }

    /// The id of a global location.
    pub fn intern(&mut self, control: GlobalLocation) -> GlobalLocationId {
        if let Some(&id) = self.ids.get(&control) {
            return id;
        }
        let id = GlobalLocationId(
            u32::try_from(self.controls.len()).expect("there should be fewer than 2^32 global locations"),
        );
        let control = Arc::new(control);
        self.controls.push(Arc::clone(&control));
        self.ids.insert(control, id);
        id
    }

    /// A global location.
    pub fn control(&self, id: GlobalLocationId) -> &Arc<GlobalLocation> {
        &self.controls[id.0 as usize]
    }

    /// All edges computed so far.
    pub fn all(&self) -> impl Iterator<Item = (GlobalLocationId, ThreadId, &[Rc<Edge>])> {
        self.cache.iter().map(|((control, thread), edges)| (*control, *thread, &edges[..]))
    }

    /// The choices of executions of `thread` that come, before a visible action, to one without successors: an assumption that never holds, say. No edge
    /// begins like them.
    pub fn dead_ends(&self, at: GlobalLocationId, thread: ThreadId) -> &[Vec<u32>] {
        self.dead_ends.get(&(at, thread)).map_or(&[], |found| &found[..])
    }

    /// What `thread` can do at a global location, if that was computed before.
    pub fn known(&self, at: GlobalLocationId, thread: ThreadId) -> Option<&Rc<[Rc<Edge>]>> {
        self.cache.get(&(at, thread))
    }

    /// What `thread` can do at a global location.
    pub fn of(
        &mut self,
        encoder: &mut Encoder<'p>,
        terms: &mut Terms,
        at: GlobalLocationId,
        thread: ThreadId,
    ) -> Rc<[Rc<Edge>]> {
        if let Some(known) = self.cache.get(&(at, thread)) {
            return Rc::clone(known);
        }
        let (transactions, dead_ends) = self.transactions(encoder, terms, at, thread);
        if !dead_ends.is_empty() {
            self.dead_ends.insert((at, thread), dead_ends);
        }
        let edges: Rc<[Rc<Edge>]> = transactions
            .into_iter()
            .map(|(transaction, kind)| Rc::new(self.edge(encoder, terms, thread, transaction, kind)))
            .collect();
        self.cache.insert((at, thread), Rc::clone(&edges));
        edges
    }

    fn transactions(
        &self,
        encoder: &mut Encoder<'p>,
        terms: &mut Terms,
        at: GlobalLocationId,
        thread: ThreadId,
    ) -> (Vec<(Prefix, SuccessorKind)>, Vec<Vec<u32>>) {
        let control = (**self.control(at)).clone();
        let mut effect = ControlEffect::default();
        effect.add_boundary(&control);
        let (block, steps, choices) = (Vec::new(), Vec::new(), Vec::new());
        let mut open = vec![Prefix { control, block, steps, choices, acted: false, effect }];
        let (mut done, mut dead_ends) = (Vec::new(), Vec::new());
        while let Some(prefix) = open.pop() {
            if !self.extends(&prefix, thread)
                || done.len() + open.len() >= MAX_TRANSACTIONS && !prefix.steps.is_empty()
            {
                done.push((prefix, SuccessorKind::Continue));
                continue;
            }
            let in_section = prefix.control.atomic.is_some();
            let acts = self.is_visible(&prefix.control, thread) || in_section;
            let outcomes = encoder.successors(terms, &prefix.control, thread);
            if prefix.acted && !in_section && !is_total(terms, &outcomes) {
                // Other threads see what the transaction did so far, even if the next action blocks.
                done.push((prefix, SuccessorKind::Continue));
                continue;
            }
            if outcomes.is_empty() && !prefix.choices.is_empty() {
                dead_ends.push(prefix.choices.clone());
            }
            for (n, outcome) in (0..).zip(outcomes) {
                let mut effect = prefix.effect;
                effect.add(self.program(), &prefix.control, thread, &outcome);
                let Successor { block, control, kind } = outcome;
                let mut steps = prefix.steps.clone();
                steps.push(block.clone());
                let choices = prefix.choices.iter().copied().chain([n]).collect();
                let block = prefix.block.iter().copied().chain(block).collect();
                let next = Prefix { control, block, steps, choices, acted: prefix.acted || acts, effect };
                if kind == SuccessorKind::Continue { open.push(next) } else { done.push((next, kind)) }
            }
        }
        (done, dead_ends)
    }

    /// Returns true if the next action of the thread belongs to the transaction.
    fn extends(&self, prefix: &Prefix, thread: ThreadId) -> bool {
        let Some(state) = prefix.control.thread(thread).filter(|t| !t.is_finished()) else { return false };
        if prefix.steps.is_empty() {
            return true;
        }
        let at = state.top();
        if !self.fuse || prefix.steps.len() >= MAX_STEPS || self.heads.contains(&(at.func, at.loc)) {
            return false;
        }
        let recursive = state.frames[..state.frames.len() - 1].iter().any(|f| f.func == at.func);
        let blocks = |op: &program::Op| op.can_block();
        let stops = match self.stops {
            Stops::Nothing => false,
            Stops::Blocking => matches!(self.action(at), Action::Ops { ops, .. } if ops.iter().any(blocks)),
            Stops::Accesses => self.touches(at.func, at.loc),
        };
        if recursive || stops {
            return false;
        }
        prefix.control.atomic.is_some()
            || !prefix.acted
            || !self.is_visible(&prefix.control, thread)
            || self.joins_transaction(&prefix.control, thread)
    }

    /// Returns true if the thread's next action is visible, or can block a thread.
    pub fn is_visible(&self, control: &GlobalLocation, thread: ThreadId) -> bool {
        let state = control.thread(thread).expect("a thread that moves should be in the location");
        let at = state.top();
        let mut accesses = self.analysis.accesses(at.func, at.loc);
        // A return ends the thread, or the program, only in the first frame.
        if state.frames.len() > 1 && matches!(self.action(at), Action::Return(_)) {
            accesses.ends_thread = false;
            accesses.ends_program = false;
        }
        accesses.is_visible()
    }

    fn action(&self, at: Frame) -> &Action {
        &self.analysis.program.functions[at.func].locations[at.loc].action
    }

    /// Returns true for visible actions that belong to the transaction all the same.
    pub fn joins_transaction(&self, control: &GlobalLocation, thread: ThreadId) -> bool {
        let state = control.thread(thread).expect("a thread that moves should be in the location");
        let at = state.top();
        match self.action(at) {
            Action::Error { property, .. } => self.property.includes(*property),
            Action::Unsupported(_) | Action::Undefined(_) => true,
            Action::Return(_) => {
                state.frames.len() == 1 && thread != ThreadId::MAIN && !self.touches(at.func, at.loc)
            }
            Action::ThreadExit(_) => !self.touches(at.func, at.loc),
            _ => false,
        }
    }

    fn touches(&self, func: FuncId, loc: LocId) -> bool {
        let accesses = self.analysis.accesses(func, loc);
        !accesses.reads.is_empty() || !accesses.writes.is_empty()
    }

    fn edge(
        &mut self,
        encoder: &Encoder<'p>,
        terms: &Terms,
        thread: ThreadId,
        prefix: Prefix,
        kind: SuccessorKind,
    ) -> Edge {
        let mut footprint = Footprint::default();
        footprint.control = prefix.effect;
        footprint.control.add_boundary(&prefix.control);
        footprint.add_shared(encoder, terms, thread, &prefix.block);
        let iterates = prefix
            .control
            .thread(thread)
            .is_some_and(|t| !t.is_finished() && self.heads.contains(&(t.top().func, t.top().loc)));
        Edge {
            id: self.next_id(),
            thread,
            block: prefix.block,
            steps: prefix.steps,
            choices: prefix.choices,
            control: self.intern(prefix.control),
            kind,
            footprint,
            iterates,
            racers: None,
        }
    }

    fn next_id(&mut self) -> EdgeId {
        self.n_edges += 1;
        EdgeId::new(self.n_edges - 1)
    }

    /// An error edge: it stays where it is, and being able to take it violates a property of states.
    pub(super) fn error_edge(
        &mut self,
        at: GlobalLocationId,
        block: Vec<Cmd>,
        kind: SuccessorKind,
        racers: Option<[ThreadId; 2]>,
    ) -> Rc<Edge> {
        Rc::new(Edge {
            id: self.next_id(),
            thread: ThreadId::MAIN,
            block,
            steps: Vec::new(),
            choices: Vec::new(),
            control: at,
            kind,
            footprint: Footprint::default(),
            iterates: false,
            racers,
        })
    }
}
