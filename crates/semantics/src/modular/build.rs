//! From a program to its threads' graphs.
//!
//! Templates and objects are found while exploring: a creation shows a new template, a frame with memory variables new objects that others may
//! point to, a creation that can happen again makes a template. Each of these changes what other explorations see, so everything is
//! explored again until nothing new is found.

use super::assemble::assemble;
use super::{
    Edge, Model, POSITION_WIDTH, PerNode, PerTemplate, Target, TemplateId, TemplateNode, TemplateNodeId,
    UNSTARTED, Waits, unsupported,
};
use crate::encoding::control::{Frame, GlobalLocation, Thread};
use crate::encoding::encode::{Encoder, Successor, SuccessorKind};
use crate::encoding::names::Name;
use base::convert::count32;
use base::{Idx, Inconclusive};
use logic::path::Cmd;
use logic::{Sort, Symbol, Term, Terms};
use program::interp::{Identity, ThreadId};
use program::{Action, Op, Program, VarKind};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Bounds that are never silent.
const MAX_NODES: usize = 20_000;
const MAX_TEMPLATES: usize = 40;
const MAX_SECTION_STEPS: usize = 300;
const MAX_SECTION_PATHS: usize = 256;
const MAX_OBJECTS: usize = 200;
const MAX_DEPTH: usize = 40;

/// What has been found so far.
#[derive(Clone, PartialEq, Default)]
pub(super) struct Found {
    /// Threads, with their start routines' names, in the order in which they were found.
    pub(super) threads: Vec<(ThreadId, String)>,
    /// Those that are templates.
    pub(super) replicated: BTreeSet<ThreadId>,
    /// Objects in frames, of threads and on the heap, by owner.
    pub(super) objects: BTreeMap<ThreadId, BTreeSet<Identity>>,
    /// True if threads are detached.
    pub(super) detaches: bool,
}

/// One thread's graph under construction.
pub(super) struct Graph {
    pub(super) nodes: PerNode<TemplateNode>,
    /// For each created thread, the nodes before and after each creation.
    pub(super) creations: Vec<(ThreadId, TemplateNodeId, Option<TemplateNodeId>)>,
}

impl Model {
    /// The threads of a program.
    pub fn of<'p>(encoder: &mut Encoder<'p>, terms: &mut Terms) -> Result<Model, Inconclusive> {
        let (control, init) = encoder.initial(terms)?;
        let main = encoder.program.functions[encoder.program.entry].name.clone();
        let mut found = Found { threads: vec![(ThreadId::MAIN, main)], ..Found::default() };
        loop {
            let before = found.clone();
            let mut builder = Builder::new(encoder, terms, &mut found);
            let graphs = builder.graphs(&control)?;
            if found == before {
                encoder.others.clear();
                return assemble(encoder, terms, &found, graphs, init);
            }
        }
    }
}

pub(super) struct Builder<'b, 'p> {
    pub(super) encoder: &'b mut Encoder<'p>,
    pub(super) terms: &'b mut Terms,
    pub(super) found: &'b mut Found,
}

/// A path through an atomic section, or one action.
struct Path {
    control: GlobalLocation,
    block: Vec<Cmd>,
    creates: Vec<ThreadId>,
    joins: bool,
    n_steps: usize,
}

impl<'b, 'p> Builder<'b, 'p> {
    fn new(encoder: &'b mut Encoder<'p>, terms: &'b mut Terms, found: &'b mut Found) -> Self {
        encoder.handles =
            found.replicated.iter().map(|t| (*t, handle_variable(encoder.program, terms, *t))).collect();
        Self { encoder, terms, found }
    }

    fn graphs(&mut self, main: &GlobalLocation) -> Result<Vec<Graph>, Inconclusive> {
        let mut graphs: Vec<Graph> = Vec::new();
        let mut starts: FxHashMap<ThreadId, Vec<Frame>> = FxHashMap::default();
        starts.insert(ThreadId::MAIN, main.threads[0].frames.clone());
        while graphs.len() < self.found.threads.len() {
            let (thread, _) = self.found.threads[graphs.len()];
            let Some(start) = starts.get(&thread).cloned() else {
                return unsupported("a thread whose creation was not found again");
            };
            self.see_others(thread);
            let graph = self.graph(thread, start, &mut starts)?;
            self.mark_templates(thread, &graph);
            graphs.push(graph);
            if self.found.threads.len() > MAX_TEMPLATES {
                return Err(Inconclusive::Bound(format!("more than {MAX_TEMPLATES} threads in the text")));
            }
        }
        Ok(graphs)
    }

    /// Objects of others that this thread's pointers can mean: those whose address gets out.
    fn see_others(&mut self, thread: ThreadId) {
        let mut others = Vec::new();
        for (owner, objects) in &self.found.objects {
            for object in objects {
                let heap = matches!(object, Identity::Heap { .. } | Identity::Alloca { .. });
                if (*owner != thread || heap)
                    && self.encoder.analysis.threads.escapes(crate::encoding::objects::site_of(*object))
                {
                    others.push(*object);
                }
            }
        }
        self.encoder.others = others;
    }

    fn graph(
        &mut self,
        thread: ThreadId,
        start: Vec<Frame>,
        starts: &mut FxHashMap<ThreadId, Vec<Frame>>,
    ) -> Result<Graph, Inconclusive> {
        let mut ids: FxHashMap<Thread, TemplateNodeId> = FxHashMap::default();
        let mut open = vec![Thread { id: thread, frames: start, detached: false, counts: Vec::new() }];
        ids.insert(open[0].clone(), TemplateNodeId::START);
        let mut graph = Graph { nodes: PerNode::new(), creations: Vec::new() };
        while let Some(state) = open.get(graph.nodes.len()).cloned() {
            let here = graph.nodes.next_id();
            self.see_frames(&state)?;
            let mut edges = Vec::new();
            let (paths, waits) = self.paths(&state)?;
            for (path, kind) in paths {
                let (own, created) = self.after(thread, &path, starts)?;
                let target = match (kind, own) {
                    (SuccessorKind::Continue, Some(own)) if own.frames.is_empty() => Target::Finished,
                    (SuccessorKind::Continue, None) => Target::Finished,
                    (SuccessorKind::Continue, Some(own)) => {
                        let next = TemplateNodeId::new(ids.len());
                        let id = *ids.entry(own.clone()).or_insert(next);
                        if id == next {
                            open.push(own);
                        }
                        Target::TemplateNode(id)
                    }
                    (kind, _) => Target::Stops(kind),
                };
                let to = if let Target::TemplateNode(n) = target { Some(n) } else { None };
                graph.creations.extend(created.iter().map(|t| (*t, here, to)));
                let creates = created.iter().map(|t| self.template_of(*t)).collect();
                edges.push(Edge { block: path.block, target, creates, joins: path.joins });
            }
            let live = self.live(&state);
            graph.nodes.push(TemplateNode {
                frames: state.frames,
                edges,
                live,
                statuses: PerTemplate::new(),
                waits,
            });
            if open.len() > MAX_NODES {
                return Err(Inconclusive::Bound(format!("more than {MAX_NODES} places in a thread")));
            }
        }
        Ok(graph)
    }

    fn template_of(&self, thread: ThreadId) -> TemplateId {
        let at = self.found.threads.iter().position(|(t, _)| *t == thread);
        TemplateId::new(at.expect("a thread that is created should have been found"))
    }

    /// The thread's own part of the control after a path, and the threads it has created.
    fn after(
        &mut self,
        thread: ThreadId,
        path: &Path,
        starts: &mut FxHashMap<ThreadId, Vec<Frame>>,
    ) -> Result<(Option<Thread>, Vec<ThreadId>), Inconclusive> {
        for new in path.control.threads.iter().filter(|t| path.creates.contains(&t.id)) {
            let func = new.frames.first().map(|f| f.func);
            let name = func.map_or(String::new(), |f| self.encoder.program.functions[f].name.clone());
            if self.found.threads.iter().all(|(t, _)| *t != new.id) {
                self.found.threads.push((new.id, name));
            }
            let known = starts.entry(new.id).or_insert_with(|| new.frames.clone());
            if *known != new.frames {
                return unsupported("one creation that starts different routines");
            }
        }
        for object in &path.control.objects {
            if self.found.replicated.contains(&thread) {
                return unsupported("allocation by a thread that is created many times");
            }
            let mine = self.found.objects.entry(thread).or_default();
            mine.insert(*object);
            if mine.len() > MAX_OBJECTS {
                return Err(Inconclusive::Bound(format!("more than {MAX_OBJECTS} objects of a thread")));
            }
        }
        let own = path.control.thread(thread).cloned().map(|mut own| {
            // Creations are told apart by site only; a repeated one makes a template.
            let program = self.encoder.program;
            own.counts.retain(|(site, _)| !is_creation(program, site));
            own
        });
        Ok((own, path.creates.clone()))
    }

    /// Notes the objects of a thread's frames.
    fn see_frames(&mut self, state: &Thread) -> Result<(), Inconclusive> {
        if state.frames.len() > MAX_DEPTH {
            return Err(Inconclusive::Bound(format!("more than {MAX_DEPTH} nested calls")));
        }
        let program = self.encoder.program;
        let mine = self.found.objects.entry(state.id).or_default();
        for (depth, frame) in (0..).zip(&state.frames) {
            for (var, declared) in program.functions[frame.func].vars.iter_enumerated() {
                if matches!(declared.kind, VarKind::Memory { .. }) {
                    mine.insert(Identity::Local { thread: state.id, depth, func: frame.func, var });
                }
            }
        }
        for (id, object) in program.objects.iter_enumerated() {
            if object.thread_local {
                mine.insert(Identity::ThreadLocal(id, state.id));
            }
        }
        Ok(())
    }

    /// A creation that can be followed by the same one makes a template, and so does a template's creation.
    fn mark_templates(&mut self, thread: ThreadId, graph: &Graph) {
        for (child, _, after) in &graph.creations {
            let again = graph
                .creations
                .iter()
                .filter(|(c, ..)| c == child)
                .any(|(_, before, _)| after.is_some_and(|after| reaches(&graph.nodes, after, *before)));
            if again || self.found.replicated.contains(&thread) {
                self.found.replicated.insert(*child);
            }
        }
    }

    // ---- actions --------------------------------------------------------------------------------------------

    /// The next action of a thread, or the atomic section that it begins; and whether it can be blocked there.
    fn paths(&mut self, state: &Thread) -> Result<(Vec<(Path, SuccessorKind)>, Waits), Inconclusive> {
        let objects: Vec<Identity> =
            self.found.objects.get(&state.id).into_iter().flatten().copied().collect();
        let heap = |o: &Identity| matches!(o, Identity::Heap { .. });
        let control = GlobalLocation {
            threads: vec![Arc::new(state.clone())],
            atomic: None,
            objects: objects.into_iter().filter(heap).collect(),
        };
        let mut open =
            vec![Path { control, block: Vec::new(), creates: Vec::new(), joins: false, n_steps: 0 }];
        let (mut done, mut waits) = (Vec::new(), Waits::Never);
        while let Some(path) = open.pop() {
            let alive = path.control.thread(state.id).is_some_and(|t| !t.is_finished());
            if path.n_steps > 0 && (path.control.atomic.is_none() || !alive) {
                done.push((path, SuccessorKind::Continue));
                continue;
            }
            if path.n_steps > MAX_SECTION_STEPS || open.len() + done.len() > MAX_SECTION_PATHS {
                return unsupported("a loop in an atomic section, or a very long one");
            }
            waits = waits.max(self.waits(&path, state.id));
            for (outcome, creates, joins) in self.step(&path.control, state.id)? {
                let Successor { block, control, kind } = outcome;
                let mut next = Path {
                    control,
                    block: path.block.iter().copied().chain(block).collect(),
                    creates: path.creates.clone(),
                    joins: path.joins || joins,
                    n_steps: path.n_steps + 1,
                };
                next.creates.extend(creates);
                if kind == SuccessorKind::Continue { open.push(next) } else { done.push((next, kind)) }
            }
        }
        done.reverse();
        Ok((done, waits))
    }

    /// Whether a thread can be blocked after a path.
    fn waits(&self, path: &Path, thread: ThreadId) -> Waits {
        let at = path.control.thread(thread).expect("a thread that moves should be in the control").top();
        let action = &self.encoder.program.functions[at.func].locations[at.loc].action;
        let Action::Ops { ops, .. } = action else { return Waits::Never };
        match () {
            () if !ops.iter().any(Op::can_block) => Waits::Never,
            () if path.n_steps > 0 || ops.iter().filter(|op| op.can_block()).count() > 1 => Waits::Inside,
            () if ops.iter().any(|op| matches!(op, Op::WaitEnd { timed: false, .. })) => Waits::Signal,
            () => Waits::Here,
        }
    }

    /// The outcomes of one action, with the positions of other threads put in.
    fn step(
        &mut self,
        control: &GlobalLocation,
        thread: ThreadId,
    ) -> Result<Vec<(Successor, Vec<ThreadId>, bool)>, Inconclusive> {
        let at = control.thread(thread).expect("a thread that moves should be in the control").top();
        let action = &self.encoder.program.functions[at.func].locations[at.loc].action;
        let ops = action.ops();
        if ops.iter().any(|op| matches!(op, Op::Join { .. } | Op::Detach { .. })) {
            let outcomes = super::threads::joins(self, control, thread, ops)?;
            return Ok(outcomes.into_iter().map(|o| (o, Vec::new(), true)).collect());
        }
        let known: FxHashSet<ThreadId> = control.threads.iter().map(|t| t.id).collect();
        let mut found = Vec::new();
        for mut outcome in self.encoder.successors(self.terms, control, thread) {
            let new: Vec<ThreadId> =
                outcome.control.threads.iter().map(|t| t.id).filter(|t| !known.contains(t)).collect();
            for child in &new {
                self.begin(&mut outcome.block, *child);
            }
            if self.found.replicated.contains(&thread) && !outcome.control.objects.is_empty() {
                return unsupported("allocation by a thread that is created many times");
            }
            found.push((outcome, new, false));
        }
        Ok(found)
    }

    /// A thread begins: its position says so, or it gets a handle of its own.
    fn begin(&mut self, block: &mut Vec<Cmd>, child: ThreadId) {
        if let Some(handle) = self.encoder.handles.get(&child) {
            let symbol = self.terms.as_var(*handle).expect("a template's handle is a variable");
            block.insert(0, Cmd::Havoc(symbol));
            return;
        }
        let position = position_variable(self.terms, child);
        let (now, new) = (self.terms.constant(UNSTARTED, POSITION_WIDTH), super::FIRST_NODE);
        let before = self.terms.var_of(position);
        let unstarted = self.terms.eq(before, now);
        block.insert(0, Cmd::Assume(unstarted));
        let new = self.terms.constant(new, POSITION_WIDTH);
        block.push(Cmd::Assign(position, new));
    }

    /// The registers that a thread still needs.
    fn live(&mut self, state: &Thread) -> Vec<Symbol> {
        let mut live = Vec::new();
        let n = state.frames.len();
        for (depth, frame) in state.frames.iter().enumerate() {
            let liveness = &self.encoder.analysis.liveness[frame.func];
            let registers = match depth + 1 == n {
                true => liveness.live_at(frame.loc).clone(),
                false => liveness.live_during_call(frame.loc).clone(),
            };
            for var in registers.iter() {
                let name = Name::Register { thread: state.id, depth: count32(depth), func: frame.func, var };
                live.push(self.encoder.names.symbol(self.terms, self.encoder.program, name));
            }
        }
        live.sort_unstable();
        live
    }
}

fn is_creation(program: &Program, site: &program::interp::Site) -> bool {
    match &program.functions[site.func].locations[site.loc].action {
        Action::Ops { ops, .. } => matches!(ops.get(site.op as usize), Some(Op::Create { .. })),
        _ => false,
    }
}

fn reaches(nodes: &PerNode<TemplateNode>, from: TemplateNodeId, to: TemplateNodeId) -> bool {
    let mut seen: PerNode<bool> = PerNode::of(false, nodes.len());
    let mut queue = vec![from];
    while let Some(n) = queue.pop() {
        if n == to {
            return true;
        }
        if !std::mem::replace(&mut seen[n], true) {
            queue.extend(nodes[n].edges.iter().filter_map(|e| match e.target {
                Target::TemplateNode(m) => Some(m),
                _ => None,
            }));
        }
    }
    false
}

/// The variable that holds a template instance's handle.
pub(super) fn handle_variable(program: &Program, terms: &mut Terms, thread: ThreadId) -> Term {
    terms.var(&format!("self@{thread}"), Sort::Bits(program.data_model.pointer().0))
}

/// The variable that holds a thread's position.
pub(super) fn position_variable(terms: &mut Terms, thread: ThreadId) -> Symbol {
    let variable = terms.var(&format!("pc@{thread}"), Sort::Bits(POSITION_WIDTH));
    terms.as_var(variable).expect("a variable should have a symbol")
}
